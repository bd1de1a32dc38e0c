"""``alignframe align`` of texts of any size, which are read in pieces."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from alignframe.cli.align_options import Alignment, executor_of
from alignframe.cli.progress import Counter
from alignframe.cli.show import Data, Pieces
from alignframe.errors import InputError, number_of
from alignframe.typing import Row

if TYPE_CHECKING:
    import pyarrow as pa

    from alignframe.aligners import Model
    from alignframe.language.words import Splitting


def align_in_pieces(
    given: Alignment,
    output: str,
    goal: str,
    posterior: bool,
    system: str | None,
    save_model: Path | None,
    start: float,
) -> Pieces:
    """Align a text by a saved model, or one that is trained on a sample of it."""
    from alignframe import formats
    from alignframe.aligners.bidirectional import Linking
    from alignframe.aligners.directions import load_directions
    from alignframe.aligners.streamed import align_stream, lines_of
    from alignframe.core.tokens import list_lengths
    from alignframe.read.opening import is_stream

    if given.train_on and any(path and is_stream(path) for path in (given.src, given.tgt)):
        raise InputError("--train-on with a stream, as the text is read twice", expected="files")
    text = given.source
    total = lines_of(given.src, given.tgt)
    linking = Linking(given.method, given.threshold, posterior, system, given.positions)
    models = None
    if given.model_from is not None:
        models = load_directions(given.model_from, given.directions)
        given.check_kind(models[0])

    def trained(some: pa.Table) -> Iterator[Model]:
        with given.aligners(some) as aligners:
            del some
            for model, _ in aligners:
                yield model

    home = Path(tempfile.mkdtemp(prefix="alignframe-")) if output == "-" else None
    with executor_of(given.threads) as executor, Counter() as counter:
        parts, used = align_stream(
            text,
            output if home is None else str(home / "links"),
            models or trained,
            given.directions,
            linking,
            train_on=given.train_on or 0,
            total=total,
            about=given.made_of,
            executor=executor,
            tell=counter.show,
        )
    counts, names = [0, 0, 0], list[str]()

    def counted() -> Iterator[pa.RecordBatch]:
        for batch in parts.batches():
            names[:] = names or [str(batch["system"][0])]
            sizes = list_lengths(batch["links"])
            more = batch.num_rows, int((sizes == 0).sum()), int(sizes.sum())
            counts[:] = map(sum, zip(counts, more, strict=True))
            yield batch

    with Counter() as counter:
        batches = counter.over(counted(), "Writing", total)
        formats.write(batches, output, goal)
    if save_model and given.train_on:
        shutil.copytree(parts.model, save_model, dirs_exist_ok=True)
    parts.remove()
    summary = summary_of(given, output, used[0].kind, counts, start)
    yield Data(summary=[summary], stages=[stage for model in used for stage in stages_of(model)])
    yield from said_of(summary, names[0] if names else used[0].kind)
    yield from said_of_words(used[0].splittings, given.positions)
    if save_model:
        yield f"model saved in {save_model}"


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


def said_of_words(splittings: tuple[Splitting, Splitting], positions: str) -> Iterator[str]:
    """Yield how raw text was split, and what links count."""
    from alignframe.core.tokens import SIDES

    for side, splitting in zip(SIDES, splittings, strict=True):
        if splitting.how != "spaces":
            counted = "these words" if splitting.in_words(positions) else "what is between spaces"
            yield f"{side} is raw text, split into words ({splitting.how}); links count {counted}"


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
