"""``alignframe align``: word alignment, and saving models."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe.cli.align_options import Alignment
from alignframe.cli.align_pieces import (
    align_in_pieces,
    direction_of,
    said_of,
    said_of_scores,
    said_of_words,
    stages_of,
    summary_of,
    words_of,
    write_links,
)
from alignframe.cli.progress import ticking
from alignframe.cli.show import Data, Pieces
from alignframe.cli.showing import write_page
from alignframe.core.output import together
from alignframe.errors import InputError
from alignframe.typing import Row

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

    from alignframe.aligners.bidirectional import Direction
    from alignframe.core.arrays import I64
    from alignframe.language.words import Splitting


def align(
    given: Alignment,
    *,
    output: str | None = None,
    to: str | None = None,
    posterior: bool = False,
    scores: Path | None = None,
    save_model: Path | None = None,
    system: str | None = None,
    page: Path | None = None,
    title: str | None = None,
    figures: Path | None = None,
    figure_format: str = "png",
    figure_columns: int | None = None,
) -> Pieces:
    """Align the words of a text, with models trained on it in both directions or saved ones.

    Parameters
    ----------
    posterior
        Also write the probability of each link: ``0-0:0.97``, or a column of a table.
    system
        Name of the system in the output.
    """
    from alignframe.formats.links import link_format
    from alignframe.formats.writing import check_format

    if output is None and page is None and scores is None:
        expected = "-o FILE for the links, --scores FILE, or --page FILE"
        raise InputError("no output", expected=expected)
    if output is None and (posterior or to or system):
        idle = "--posterior" if posterior else "--to" if to else "--system"
        raise InputError(f"{idle} needs -o", todo="name a file for the links")
    goal = "" if output is None else check_format(output, to)
    if output is not None:
        _check_output(goal, posterior)
    if given.gold and page is None:
        raise InputError("--gold needs --page")
    if save_model and given.model_from:
        raise InputError(
            "--save-model with --model-from, which trains no model", expected="one of them"
        )
    given.check()
    start = time.monotonic()
    if given.train_on and page:
        raise InputError(
            "--train-on with --page", expected="links and scores, as the text is never held"
        )
    if (given.train_on or given.model_from) and page is None:
        yield from align_in_pieces(
            given, output, goal, posterior, scores, system, save_model, start
        )
        return
    from alignframe.aligners.bidirectional import Linking, align_directions
    from alignframe.aligners.confidence import evaluate
    from alignframe.aligners.sentences import sentence_scores
    from alignframe.aligners.units import in_words
    from alignframe.core.output import write_table

    check = partial(_check_order, goal=goal)
    text = gold = None
    # For links alone, the words are not held.
    if page is not None or scores is not None or link_format(goal).has_words:
        text = given.source.table()
        check(text["sid"].to_numpy())
        gold = given.read_gold(text)
    stages: list[Row] = []
    kinds: list[str] = []
    splittings: list[tuple[Splitting, Splitting]] = []

    def keep(direction: Direction) -> Direction:
        kinds.append(direction.model.kind)
        splittings.append(direction.model.splittings)
        stages.extend(stages_of(direction.model))
        if save_model:
            direction.model.save(save_model / direction_of(direction.model))
        return direction

    summary: Row = {}
    notes: list[str] = []
    tables: Any = {}
    with together(), given.aligners(given.source if text is None else text, check) as aligners:
        if page is not None and text is not None:
            method, threshold = given.method, given.threshold
            found = evaluate(
                map(keep, aligners),
                text,
                symmetrize=method,
                threshold=threshold,
                gold=gold,
                positions=given.positions,
            )
            frame = found.joined(posterior, system)
            scored = None if scores is None else found.scores(system)
            where: Row = {"page": page, "title": title, "figures": figures}
            where |= {"figure_format": figure_format, "figure_columns": figure_columns}
            told, notes = write_page(found.page(), where)
        else:
            weighed = posterior or scores is not None
            linking = Linking(given.method, given.threshold, weighed, system, given.positions)
            frame, scored = align_directions(map(keep, aligners), linking), None
    if save_model:
        (save_model / "model.json").unlink(missing_ok=True)  # one of a single direction
    if text is not None:
        text = in_words(text, splittings[0], given.positions)
    if scores is not None and text is not None:
        write_table(sentence_scores(frame, text) if scored is None else scored, scores)
        summary |= {"scores": str(scores), "sentences": frame.height}
        notes.append(said_of_scores(frame.height, scores))
        frame = frame if posterior else frame.drop("probabilities", strict=False)
    if output is not None:
        counts = _write(frame, text, output, goal)
        summary |= summary_of(given, output, kinds[0], counts, start)
        notes[:0] = said_of(summary, frame["system"][0] if frame.height else kinds[0])
        tables["stages"] = stages
    if page is not None:
        summary |= told
    summary |= words_of(splittings[0], given.positions)
    yield Data(summary=[summary], **tables)
    yield from notes
    yield from said_of_words(splittings[0], given.positions)
    if save_model:
        yield f"model saved in {save_model}"


def _check_output(goal: str, posterior: bool) -> None:
    """Refuse a format that cannot hold probabilities, if there are any, before any work is done."""
    from alignframe.formats.links import link_format

    if posterior and not link_format(goal).has_probabilities:
        raise InputError(
            f"--posterior with the format {goal}, which cannot hold probabilities",
            todo="write to a file such as links.talp or links.parquet, or use --to",
        )


def _check_order(sids: I64, goal: str) -> None:
    """Refuse a text with sids out of order if the format has one line per sentence."""
    import pyarrow as pa

    from alignframe.formats.links import link_format

    if goal and not link_format(goal).has_ids:
        from alignframe.formats.rows import with_gaps

        # It fails at the first sid out of order, before hours of training.
        for _ in with_gaps(pa.table({"sid": sids}).to_batches()):
            pass


def _write(
    frame: pl.DataFrame, text: pa.Table | None, output: str, goal: str
) -> tuple[int, int, int]:
    """Write the links, with words if the format has them; see ``write_links``."""
    from alignframe import formats
    from alignframe.core.arrow import to_table
    from alignframe.core.schemas import LINKS
    from alignframe.formats.links import link_format

    table = to_table(frame)
    column = table.schema.get_field_index("links")
    table = table.set_column(column, "links", table.column("links").cast(LINKS))
    batches = iter(table.to_batches())
    if text is not None and link_format(goal).has_words:
        batches = formats.add_words(batches, text)
    shown = ticking(batches, "Writing", lambda batch: batch.num_rows)
    return write_links(shown, output, goal)
