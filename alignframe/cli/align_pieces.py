"""``alignframe align`` of texts of any size, which are read in pieces."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe.cli.align_options import Alignment, executor_of
from alignframe.cli.progress import Counter
from alignframe.cli.show import Data, Pieces
from alignframe.core.output import together
from alignframe.errors import InputError, number_of
from alignframe.typing import Row

if TYPE_CHECKING:
    import pyarrow as pa

    from alignframe.aligners import Model
    from alignframe.language.words import Splitting


def align_in_pieces(
    given: Alignment,
    output: str | None,
    goal: str,
    posterior: bool,
    scores: Path | None,
    system: str | None,
    save_model: Path | None,
    start: float,
) -> Pieces:
    """Align a text by a saved model, or one that is trained on a sample of it."""
    from alignframe.aligners.bidirectional import Linking
    from alignframe.aligners.directions import load_directions
    from alignframe.aligners.streamed import SCORES, Extra, align_stream, lines_of
    from alignframe.core.tokens import SIDES
    from alignframe.formats.links import link_format
    from alignframe.read.nested import PROBABILITIES
    from alignframe.read.opening import is_stream

    if given.train_on and any(path and is_stream(path) for path in (given.src, given.tgt)):
        raise InputError("--train-on with a stream, as the text is read twice", expected="files")
    text = given.source
    total = lines_of(given.src, given.tgt, given.encoding)
    weighed = posterior or scores is not None
    linking = Linking(given.method, given.threshold, weighed, system, given.positions)
    models = None
    if given.model_from is not None:
        models = load_directions(given.model_from, given.directions)
        given.check_kind(models[0])

    def trained(some: pa.Table) -> Iterator[Model]:
        with given.aligners(some) as aligners:
            del some
            for model, _ in aligners:
                yield model

    with ExitStack() as stack:
        beside = output or str(scores)
        if beside == "-":
            home = stack.enter_context(tempfile.TemporaryDirectory(prefix="alignframe-"))
            beside = str(Path(home) / "links")
        executor = stack.enter_context(executor_of(given.threads))
        counter = stack.enter_context(Counter())
        parts, used = align_stream(
            text,
            beside,
            models or trained,
            given.directions,
            linking,
            extra=Extra(bool(goal) and link_format(goal).has_words, scores is not None),
            train_on=given.train_on or 0,
            total=total,
            about=given.made_of,
            executor=executor,
            lasting=output != "-",
            tell=counter.show,
        )
        summary: Row = {}
        notes: list[str] = []
        tables: Any = {}
        with parts.left(), together():
            if scores is not None:
                rows = counter.over(parts.batches("links", *SIDES, PROBABILITIES), "Writing", total)
                summary = {"scores": str(scores), "sentences": _write_scores(rows, scores)}
                notes = [said_of_scores(summary["sentences"], scores)]
            if output is not None:
                without = [SCORES] if posterior else [SCORES, PROBABILITIES]
                batches = counter.over(parts.batches(*without), "Writing", total)
                counts = write_links(batches, output, goal)
                summary |= summary_of(given, output, used[0].kind, counts, start)
                named = (str(batch["system"][0]) for batch in parts.batches() if batch.num_rows)
                notes[:0] = said_of(summary, next(named, used[0].kind))
                tables["stages"] = [stage for model in used for stage in stages_of(model)]
        if save_model and given.train_on:
            shutil.copytree(parts.model, save_model, dirs_exist_ok=True)
            (save_model / "model.json").unlink(missing_ok=True)  # one of a single direction
        parts.remove()
    summary |= words_of(used[0].splittings, given.positions)
    yield Data(summary=[summary], **tables)
    yield from notes
    yield from said_of_words(used[0].splittings, given.positions)
    if save_model:
        yield f"model saved in {save_model}"


def write_links(batches: Iterable[pa.RecordBatch], output: str, goal: str) -> tuple[int, int, int]:
    """Write links; return the numbers of sentences, of those without links, and of links."""
    from alignframe import formats
    from alignframe.core.tokens import list_lengths

    counts = 0, 0, 0

    def counted() -> Iterator[pa.RecordBatch]:
        nonlocal counts
        for batch in batches:
            sizes = list_lengths(batch["links"])
            more = batch.num_rows, int((sizes == 0).sum()), int(sizes.sum())
            counts = counts[0] + more[0], counts[1] + more[1], counts[2] + more[2]
            yield batch

    formats.write(counted(), output, goal)
    return counts


def _write_scores(batches: Iterable[pa.RecordBatch], path: Path) -> int:
    """Write the scores of sentence pairs, and return their number."""
    import polars as pl

    from alignframe.aligners.streamed import SCORES
    from alignframe.core.output import table_writer

    rows = 0
    with table_writer(path) as write:
        for batch in batches:
            frame = pl.DataFrame(pl.from_arrow(batch)).unnest(SCORES)
            write(frame.with_columns(pl.col("system").cast(pl.String)))
            rows += batch.num_rows
    return rows


def said_of_scores(rows: int, scores: Path) -> str:
    """Return what was written besides links."""
    return f"scores of {number_of(rows, 'sentence')} written to {scores}"


def summary_of(
    given: Alignment, output: str, kind: str, counts: Sequence[int], start: float
) -> Row:
    """Return what was done: ``counts`` are those of sentences, those without links, and links."""
    return {
        "output": output,
        "model": kind,
        "direction": given.direction,
        "symmetrize": given.method,
        "sentences": counts[0],
        "unaligned": counts[1],
        "links": counts[2],
        "seconds": round(time.monotonic() - start, 3),
    }


def said_of(summary: Row, name: str) -> Iterator[str]:
    """Yield what was written, unless to standard output."""
    if summary["output"] != "-":
        bare = f" ({summary['unaligned']:,} without a link)" if summary["unaligned"] else ""
        links = number_of(summary["links"], "link")
        said = f"{name}: {number_of(summary['sentences'], 'sentence')}{bare}, {links}"
        yield f"{said} written to {summary['output']}"


def words_of(splittings: tuple[Splitting, Splitting], positions: str) -> Row:
    """Return how each side was split, and what its links count, one of ``POSITIONS``."""
    from alignframe.core.tokens import SIDES

    sides = list(zip(SIDES, splittings, strict=True))
    ways = {f"{side}_split": splitting.how for side, splitting in sides}
    counted = {
        f"{side}_positions": "words" if splitting.in_words(positions) else "spaces"
        for side, splitting in sides
    }
    return ways | counted


def said_of_words(splittings: tuple[Splitting, Splitting], positions: str) -> Iterator[str]:
    """Yield how text was split, if any side was, and what links count."""
    from alignframe.core.tokens import SIDES

    for side, splitting in zip(SIDES, splittings, strict=True):
        if splitting.how != "spaces":
            counted = "these words" if splitting.in_words(positions) else "what is between spaces"
            yield f"{side} is split into words ({splitting.how}); links count {counted}"
        elif any(one.how != "spaces" for one in splittings):
            yield f"{side} is taken as split into words already"


def direction_of(model: Model) -> str:
    """Return the direction of a model, which its folder is called."""
    return "reverse" if model.reverse else "forward"


def stages_of(model: Model) -> list[Row]:
    """Return the last iteration of each stage of a model's training."""
    last = {step["stage"]: step for step in model.history}
    return [
        {
            "direction": direction_of(model),
            "stage": stage,
            "iterations": step["iteration"],
            "log_likelihood": step["log_likelihood"],
        }
        for stage, step in last.items()
    ]
