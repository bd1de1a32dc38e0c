"""``alignframe align``: word alignment, and saving models."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe.cli.align_options import AlignGiven
from alignframe.cli.places import check_file
from alignframe.cli.progress import ticking
from alignframe.cli.show import print_json, print_note
from alignframe.errors import InputError, number_of, unknown

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

    from alignframe.aligners import Model
    from alignframe.aligners.bidirectional import Direction

_WITH_WORDS = ("giza", "moses")
"""Formats that hold the words of the text."""


def align(
    *,
    given: AlignGiven,
    output: str,
    to: str | None,
    posterior: bool,
    save_model: Path | None,
    system: str | None,
    as_json: bool,
) -> None:
    """Align the words of a text, with models trained on it in both directions or saved ones."""
    from alignframe.formats import format_of

    goal = to or format_of(output)
    _check_output(output, goal, posterior, as_json)
    if save_model and given.model_from:
        raise InputError(
            "--save-model with --model-from, which trains no model", expected="one of them"
        )
    given.check()
    start = time.monotonic()
    from alignframe.aligners.bidirectional import align_directions

    text = given.text()
    _check_order(text, goal)
    stages: list[dict[str, Any]] = []
    kinds: list[str] = []

    def keep(one: Direction) -> Direction:
        kinds.append(one.model.kind)
        stages.extend(_stages(one.model))
        if save_model:
            if len(kinds) == 1:
                _forget(save_model, given.directions)
            one.model.save(save_model / _direction(one.model))
        return one

    with given.aligners(text) as aligners:
        if goal not in _WITH_WORDS:
            text = text.select([])
        frame = align_directions(
            map(keep, aligners),
            given.method,
            threshold=given.threshold,
            posterior=posterior,
            system=system,
        )
    _write(frame, text, output, goal)
    sizes = frame["links"].list.len()
    found = {
        "output": output,
        "model": kinds[0],
        "direction": given.direction,
        "symmetrize": given.method,
        "sentences": frame.height,
        "unaligned": int((sizes == 0).sum()),
        "links": int(sizes.sum()),
        "seconds": round(time.monotonic() - start, 3),
    }
    if as_json:
        print_json({"summary": [found], "stages": stages})
    elif output != "-":
        print_note(_said(frame["system"][0] if frame.height else kinds[0], found))
    if save_model and not as_json:
        print_note(f"model saved in {save_model}")


def _said(name: str, found: dict[str, Any]) -> str:
    bare = f" ({found['unaligned']:,} without a link)" if found["unaligned"] else ""
    return (
        f"{name}: {number_of(found['sentences'], 'sentence')}{bare}, "
        f"{number_of(found['links'], 'link')} written to "
        f"{found['output']}"
    )


def _check_output(output: str, goal: str, posterior: bool, as_json: bool) -> None:
    """Refuse an output that cannot be written, before any work is done."""
    from alignframe.formats import FORMATS
    from alignframe.formats.writing import check_suffix

    if goal not in FORMATS:
        raise unknown("format", goal, FORMATS)
    if posterior and goal != "parquet":
        raise InputError(
            f"--posterior with the format {goal}, which cannot hold probabilities",
            todo="write to a file such as links.parquet, or use --to parquet",
        )
    if output != "-":
        check_file(Path(output))
        check_suffix(output)
    elif as_json:
        raise InputError("--json with the output '-'", expected="one on standard output")


def _forget(folder: Path, directions: Iterable[str]) -> None:
    """Remove older models, so that a new one is never paired with an old one."""
    for home in (folder, *(folder / name for name in directions)):
        try:
            (home / "model.json").unlink(missing_ok=True)
        except OSError as error:
            raise InputError(f"cannot be written to ({error.strerror})", path=home) from None


def _check_order(text: pa.Table, goal: str) -> None:
    """Refuse a text with sids out of order if the format has one line per sentence."""
    if goal in ("pharaoh", "moses", "tsv"):
        from alignframe.formats.rows import with_gaps

        for _ in with_gaps(text.select(["sid"]).to_batches()):
            pass


def _write(frame: pl.DataFrame, text: pa.Table, output: str, goal: str) -> None:
    """Write the links, with words if the format has them."""
    from alignframe import formats
    from alignframe.arrow import to_table
    from alignframe.tables import LINKS

    table = to_table(frame)
    column = table.schema.get_field_index("links")
    table = table.set_column(column, "links", table.column("links").cast(LINKS))
    batches = iter(table.to_batches())
    if goal in _WITH_WORDS:
        batches = formats.add_words(batches, text)
    shown = ticking(batches, "Writing", lambda batch: batch.num_rows)
    formats.write(shown, output, goal)


def _direction(model: Model) -> str:
    return "reverse" if model.reverse else "forward"


def _stages(model: Model) -> list[dict[str, Any]]:
    """Return the last iteration of each stage of a model's training."""
    last = {step["stage"]: step for step in model.history}
    return [
        {
            "direction": _direction(model),
            "stage": stage,
            "iterations": step["iteration"],
            "log_likelihood": step["log_likelihood"],
        }
        for stage, step in last.items()
    ]
