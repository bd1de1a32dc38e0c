"""``alignframe report lake`` and ``report index``: the dashboard of a lake, and an index page."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from alignframe.cli.drawn import Drawn
from alignframe.cli.show import print_note, print_summary
from alignframe.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

SECONDS = 2.0
"""Seconds between checks for new runs."""


def lake(
    *,
    place: str,
    text: str | None,
    baseline: str,
    alpha: list[float],
    top: int,
    recent: int,
    drawn: Drawn,
    output: Path,
    title: str,
    max_mb: float,
    watch: bool,
    as_json: bool,
) -> None:
    """Write the dashboard of a lake; with ``watch``, again after each run."""
    from alignframe.report.lake import lake_report
    from alignframe.report.shell import page_path

    page_path(output)

    def build() -> None:
        page = lake_report(
            place,
            text=text,
            baseline=baseline,
            alpha=alpha,
            **drawn.words,
            top=top,
            recent=recent,
            title=title,
        )
        written = page.write(output, max_mb=max_mb)
        if as_json:
            print_summary({"report": str(written[0]), "parts": [str(one) for one in written[1:]]})
        else:
            beside = f", its parts to {written[1]}" if written[1:] else ""
            print_note(f"report written to {written[0]}{beside}")

    build()
    if not watch:
        return
    try:
        for _ in changes(place):
            try:
                build()
            except InputError as error:  # an unfinished run may have nothing to show
                print_note(str(error))
    except KeyboardInterrupt:
        return


def changes(place: str) -> Iterator[None]:
    """Yield whenever a run of a job has started or ended."""
    from alignframe.lake.records import FOLDER
    from alignframe.stores import open_output

    folder = open_output(place, "", new=False).folder
    seen = set(folder.listed(".json", FOLDER))
    while True:
        time.sleep(SECONDS)
        now = set(folder.listed(".json", FOLDER))
        if now != seen:
            seen = now
            yield


def index(*, folder: Path, output: Path | None, title: str, as_json: bool) -> None:
    """Write an index of the pages in a folder."""
    from alignframe.report.index import index_report

    target = folder / "index.html" if output is None else output
    page = index_report(folder, title=title, path=target)
    page.write(target)
    if as_json:
        print_summary({"report": str(target)})
    else:
        print_note(f"report written to {target}")
