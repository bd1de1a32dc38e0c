"""``alignframe report``: pages of results that other commands have written, and of lakes."""

from __future__ import annotations

import inspect
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from alignframe.cli.command import Input, Shell, Words, flag
from alignframe.cli.declared import parameters
from alignframe.cli.leaving import Ended
from alignframe.cli.show import print_note, print_summary
from alignframe.cli.sources import ENCODING
from alignframe.core.choices import RESAMPLES
from alignframe.errors import InputError
from alignframe.typing import Arguments, Confidence, ForOutput, FromZero, Resamples, Seed, Share

if TYPE_CHECKING:
    from collections.abc import Iterator

    from alignframe.lake.dashboard import Dashboard


class Saved(Input):
    """A saved result; or beads, with their texts."""

    provides: ClassVar[tuple[str, ...]] = (
        *("saved", "tuning", "beads", "src", "tgt", "gold", "encoding"),
    )

    saved: str = flag(
        "Parquet written by beads study or by beads filter --lines, or the folder of mt study; "
        "beads in any format, with --src and --tgt; or a folder of pages.",
        panel=None,
        flags="RESULT",
    )
    src: str | None = flag(
        "Source sentences of an alignment, as in beads align.", None, metavar="FILE"
    )
    tgt: str | None = flag("Target sentences, as --src.", None, metavar="FILE")
    gold: str | None = flag("Gold beads to compare an alignment with.", None, metavar="FILE")
    tuning: Path | None = flag("Parquet file written by beads tune -o.", None, metavar="FILE")
    encoding: str = flag(ENCODING, "utf-8")

    def arguments(self, _: Shell) -> Arguments:
        """Return the place of a result, or the files of an alignment."""
        texts = [self.src, self.tgt]
        if None not in texts and self.tuning is not None:
            raise InputError("--tuning with an alignment", expected="--tuning only with a study")
        if None in texts and any(path is not None for path in (*texts, self.gold)):
            raise InputError(
                "an alignment without its texts", expected="--src and --tgt, and --gold with both"
            )
        return vars(self) | {"beads": self.saved}


def saved_page(
    saved: str,
    *,
    page: str | Path = "report.html",
    figures: Path | None = None,
    tuning: Path | None = None,
    top: ForOutput[FromZero | None] = None,
    alpha: Sequence[Share] | None = None,
    bootstrap: Resamples = RESAMPLES,
    confidence: Confidence | None = None,
    seed: Seed | None = None,
) -> Any:
    """Return the page of a result that another command has written.

    Parameters
    ----------
    page
        The page, to which an index has links.
    figures
        The folder of charts, which an index lacks.
    top
        Number of lines of beads filter in each table of lines, 20 by default; or of beads shown
        with their texts, the least probable first, 300 by default.
    alpha
        For mt study, values of α at which F is measured; by default .1 to .9.
    bootstrap
        For mt study, number of resamples for intervals; 0 for none.
    confidence, seed
        The confidence level of intervals, and the random seed.
    """
    from alignframe.beads.filter_page import filter_page
    from alignframe.beads.page import beads_page, read_table
    from alignframe.mt import read_study
    from alignframe.mt.study_page import mt_study_page
    from alignframe.pages.index import index_page
    from alignframe.studies.runner import ROWS

    result: Any
    make: Any
    path = None
    # The folder of a study has its rows; any other is one of pages.
    if Path(saved).is_dir() and not (Path(saved) / ROWS).is_dir():
        make, result, path = index_page, saved, page
    elif Path(saved).is_dir():
        make, result, figures = mt_study_page, read_study(saved), None
    else:
        expected = (
            "Parquet of beads study or beads filter --lines, or beads with --src and --tgt; pages "
            "of other results are written by their commands, such as links score --page"
        )
        result, figures = read_table(saved, expected), None
        if not {"kept", "scenario"} & set(result.column_names):
            raise InputError("a table of another result", path=saved, expected=expected)
        make = filter_page if "kept" in result.column_names else beads_page
    # Options that are not given are None, and neither passed on nor refused. Only bootstrap has a
    # default, and counts as not given if it has that value.
    options = {
        "path": path,
        "figures": figures,
        "tuning": None if tuning is None else read_table(tuning),
        "top": top,
        "alpha": alpha,
        "bootstrap": None if bootstrap == RESAMPLES else bootstrap,
        "confidence": confidence,
        "seed": seed,
    }
    given = {name: value for name, value in options.items() if value is not None}
    if unused := [name for name in given if name not in inspect.signature(make).parameters]:
        what = {
            filter_page: "a result of beads filter",
            beads_page: "a result of beads study",
            index_page: "an index of pages",
        }.get(make, "a result of mt study")
        raise InputError(f"--{unused[0]} for {what}", path=saved, todo="omit it")
    return make(result, **given)


SECONDS = 2.0
"""Seconds between checks for new runs."""


def show_dashboard(page: Dashboard, words: Words) -> None:
    """Write the dashboard of a lake; with ``watch``, again after each run."""
    _write(page, words)
    if not words["watch"]:
        return
    from alignframe.lake.dashboard import lake_report

    names = parameters("lake.dashboard", "lake_report").keys() - {"title"}
    try:
        for _ in changes(words["out"]):
            try:
                _write(lake_report(**{name: words[name] for name in names}), words)
            except InputError as error:  # an unfinished run may have nothing to show
                print_note(str(error))
    except Ended:
        raise
    except KeyboardInterrupt:
        return


def _write(page: Dashboard, words: Words) -> None:
    """Write a dashboard, and say where."""
    if words["title"] is not None:
        page = replace(page, title=words["title"])
    written = page.write(words["output"], max_mb=words["max_mb"])
    if words["as_json"]:
        print_summary({"report": str(written[0]), "parts": [str(path) for path in written[1:]]})
    else:
        beside = f", its parts to {written[1]}" if written[1:] else ""
        print_note(f"report written to {written[0]}{beside}")


def changes(place: str) -> Iterator[None]:
    """Yield whenever a run of a job has started or ended."""
    from alignframe.lake.records import FOLDER
    from alignframe.stores import open_output

    folder = open_output(place, "").folder
    seen = set(folder.listed(".json", FOLDER))
    while True:
        time.sleep(SECONDS)
        now = set(folder.listed(".json", FOLDER))
        if now != seen:
            seen = now
            yield
