"""Alignments of texts of any size: a model of a sample aligns all, in parts that outlive a kill."""

from __future__ import annotations

import json
import shutil
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import count, takewhile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from alignframe.aligners.bidirectional import (
    Linking,
    align_directions,
    read_directions,
    strictest,
    warn_of_left_out,
)
from alignframe.aligners.directions import DIRECTIONS, load_directions
from alignframe.aligners.model import Model
from alignframe.aligners.sampling import Tell, sample
from alignframe.aligners.sentences import sentence_scores
from alignframe.aligners.text import Text
from alignframe.aligners.units import in_words
from alignframe.core.arrays import U8
from alignframe.core.keys import sentence_column
from alignframe.core.lazy import __version__
from alignframe.core.output import make_folder, replacing, write_table
from alignframe.core.parallel import workers_of
from alignframe.core.schemas import LINKS
from alignframe.core.tokens import SIDES
from alignframe.errors import DataWarning, InputError, number_of, warn
from alignframe.formats.line_ids import are_behind_ids
from alignframe.read.lines import TextFile, count_lines
from alignframe.read.opening import is_stream
from alignframe.read.parquet import is_parquet
from alignframe.sources.source import Source

BLOCK = 1 << 14
"""Sentence pairs that are aligned at a time."""

PART = 16 * BLOCK
"""Sentence pairs of a part, which is written at once. Links do not depend on either."""

SCORES = "scores"
"""The column of a part that holds scores of sentence pairs; see ``Extra``."""

_ABOUT = "about.json"
_UNALIGNED = b"unaligned"


class Extra(NamedTuple):
    """What parts hold beside links: the words that these count, and scores of sentence pairs."""

    words: bool = False
    scores: bool = False


LINKS_ALONE = Extra()


@dataclass(frozen=True)
class Parts:
    """A folder beside an output: the model, and the links of the parts that are done."""

    home: Path
    lasting: bool = True  # whether it stays after an error

    @classmethod
    def beside(cls, output: str, *about: object, lasting: bool = True) -> Parts:
        """Return the folder of an output, without parts that were made of anything else."""
        parts = cls(Path(f"{output}.parts"), lasting)
        known = parts._known()
        if known is None and parts.home.exists() and any(parts.home.iterdir()):
            raise InputError(
                "a folder of something else, where parts of the output would be kept",
                path=parts.home,
                todo="move it, or name another output",
            )
        if not parts.are_of(*about):
            if known is not None:
                warn(f"{parts.home} is of other texts or options, and begun anew")
                parts.remove()
            make_folder(parts.home)
            with replacing(parts.home / _ABOUT) as out:
                out.write(json.dumps({"mark": _mark(about)}).encode())
        return parts

    def are_of(self, *about: object) -> bool:
        """Whether they were made of this."""
        return self._known() == _mark(about)

    def _known(self) -> str | None:
        """Return the mark of what they are of; None if there are none, empty if it is damaged."""
        try:
            return str(json.loads((self.home / _ABOUT).read_text("utf-8"))["mark"])
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError):
            return ""

    def remove(self) -> None:
        """Delete the folder."""
        shutil.rmtree(self.home)

    @contextmanager
    def left(self) -> Iterator[None]:
        """Say in an error what is kept, and delete the folder if nothing is."""
        try:
            yield
        except InputError as error:
            done = self.done()
            if done and self.lasting:
                rows = sum(pq.read_metadata(path).num_rows for path in done)
                which = f"links of the first {number_of(rows, 'sentence pair')}, and of no others"
                error.said += f"; {which}, are kept in {self.home}"
                error.found_at(error.path, error.line)
            elif not done and [path.name for path in self.home.iterdir()] == [_ABOUT]:
                self.remove()
            raise

    @property
    def model(self) -> Path:
        """The folder of the model."""
        return self.home / "model"

    def models(self, directions: Sequence[str]) -> tuple[Model, ...] | None:
        """Return the model of an earlier run, if its training was done."""
        done = (self.home / "trained").exists()
        return load_directions(self.model, directions) if done else None

    def keep(self, models: Iterable[Model]) -> None:
        """Keep models that are trained one after the other, each when it is asked for."""
        with warnings.catch_warnings():
            # Those of the sample: pairs are counted when the whole text is aligned.
            warnings.filterwarnings("ignore", ".* given no links", DataWarning)
            for model in models:
                model.save(self.model / DIRECTIONS[model.reverse])
        (self.home / "trained").touch()

    def done(self) -> list[Path]:
        """Return the parts that are done, in order."""
        paths = (self.home / f"{number:06}.parquet" for number in count())
        return list(takewhile(Path.exists, paths))

    def add(self, number: int, rows: list[pa.Table], unaligned: tuple[int, int]) -> None:
        """Write a part, with its numbers of pairs that are empty, and too long."""
        table = pa.concat_tables(rows).combine_chunks()
        table = table.replace_schema_metadata({_UNALIGNED: json.dumps(unaligned)})
        write_table(table, self.home / f"{number:06}.parquet")

    def unaligned(self) -> tuple[int, int]:
        """Return the numbers of sentence pairs that are empty, and too long to be aligned."""
        noted = (pq.read_schema(path).metadata[_UNALIGNED] for path in self.done())
        empty, too_long = map(sum, zip((0, 0), *map(json.loads, noted), strict=True))
        return empty, too_long

    def batches(self, *without: str) -> Iterator[pa.RecordBatch]:
        """Yield what all parts hold, but for some columns."""
        for path in self.done():
            file = pq.ParquetFile(path)
            names = [name for name in file.schema_arrow.names if name not in without]
            yield from file.iter_batches(BLOCK, columns=names)


def _mark(about: tuple[object, ...]) -> str:
    return sha256(repr((__version__, PART, *about)).encode()).hexdigest()[:16]


class _Aligned(NamedTuple):
    rows: pa.Table
    text: Text  # as the first model reads it
    least: Text  # as the strictest one does, its sides in the model's order


def align_parts(
    text: Source,
    models: Sequence[Model],
    linking: Linking,
    parts: Parts,
    extra: Extra = LINKS_ALONE,
    executor: Executor | None = None,
    tell: Tell = lambda _: None,
) -> None:
    """Align a text in parts; those that are done already stay."""
    number = len(parts.done())
    done = number * PART
    tell(done)
    held: list[pa.Table] = []
    empty = too_long = 0
    is_first = True
    call = partial(_aligned, models=models, linking=linking, extra=extra)
    for found in _in_order(call, _blocks(text, done), executor):
        if is_first:
            models[0].warn_of_unknown(found.text)
            is_first = False
        held.append(found.rows)
        empty += found.least.empty
        too_long += found.least.too_long
        done += found.rows.num_rows
        tell(done)
        if len(held) * BLOCK == PART:
            parts.add(number, held, (empty, too_long))
            number, held = number + 1, []
            empty = too_long = 0
    if held:
        parts.add(number, held, (empty, too_long))
    warn_of_left_out(models, *parts.unaligned())


def _aligned(block: pa.Table, models: Sequence[Model], linking: Linking, extra: Extra) -> _Aligned:
    directions = list(read_directions(models, block, warned=False))
    model, paired = directions[0]
    (strict,) = (one for one in directions if one.model is strictest(models))
    text = paired.text.turned() if model.reverse else paired.text
    frame = align_directions(directions, linking)
    rows = frame.to_arrow()
    at = rows.schema.get_field_index("links")
    rows = rows.set_column(at, "links", rows["links"].cast(LINKS))
    if any(extra):
        block = in_words(block, model.splittings, linking.positions)
    if extra.words:
        for side in SIDES:
            rows = rows.append_column(side, block[side])
    if extra.scores:
        scores = sentence_scores(frame, block).drop("system", "sid").to_struct(SCORES)
        rows = rows.append_column(SCORES, scores.to_arrow(compat_level=pl.CompatLevel.oldest()))
    return _Aligned(rows, text, strict.paired.text)


def _blocks(text: Source, skipped: int) -> Iterator[pa.Table]:
    """Yield the text after some rows, in blocks of the same size."""
    held: list[pa.RecordBatch] = []
    rows, last = 0, -1
    for batch in text.batches():
        sids = sentence_column(batch)
        if sids.size and (sids[0] <= last or (np.diff(sids) <= 0).any()):
            raise InputError(
                "sentences that are not in the order of their sid",
                path=text.name,
                expected="ascending numbers, each once, as the text is read in pieces",
                todo="sort it by sid",
            )
        last = int(sids[-1]) if sids.size else last
        low = min(skipped, batch.num_rows)
        skipped -= low
        while low < batch.num_rows:
            piece = batch.slice(low, BLOCK - rows)
            held.append(piece)
            low, rows = low + piece.num_rows, rows + piece.num_rows
            if rows == BLOCK:
                yield pa.Table.from_batches(held)
                held, rows = [], 0
    if held:
        yield pa.Table.from_batches(held)


def _in_order(
    call: Callable[[pa.Table], _Aligned], blocks: Iterator[pa.Table], executor: Executor | None
) -> Iterator[_Aligned]:
    """Yield a function's result for each block in order, with few blocks in memory."""
    if executor is None:
        yield from map(call, blocks)
        return
    ahead: deque[Future[_Aligned]] = deque()
    for block in blocks:
        ahead.append(executor.submit(call, block))
        if len(ahead) > (workers_of(executor) or 1):
            yield ahead.popleft().result()
    while ahead:
        yield ahead.popleft().result()


def lines_of(src: str, tgt: str | None, encoding: str = "utf-8") -> int | None:
    """Return the number of lines of two files; an InputError if one has more, before any work.

    None if they cannot be counted apart from being read: one file of both sides, a stream, or lines
    with ids, which may be in any order.
    """
    if tgt is None or any(is_stream(path) or is_parquet(path) for path in (src, tgt)):
        return None
    files = TextFile(src, encoding), TextFile(tgt, encoding)
    if all(map(are_behind_ids, files)):
        return None
    own, other = (count_lines(path) for path in (src, tgt))
    if own != other:  # which may be of UTF-16, or of carriage returns
        own, other = (sum(map(_line_ends, file.chunks())) for file in files)
    if own != other:
        raise InputError(
            f"{src} has {number_of(own, 'line')}, {tgt} has {other:,}",
            expected="the same number of lines on both sides",
        )
    return own


def _line_ends(chunk: tuple[U8, int]) -> int:
    data, _ = chunk
    return int(np.count_nonzero(data == ord("\n"))) + int(data[-1] != ord("\n"))


def align_stream(
    text: Source,
    output: str,
    models_of: Callable[[pa.Table], Iterable[Model]] | Sequence[Model],
    directions: Sequence[str],
    linking: Linking,
    *,
    extra: Extra = LINKS_ALONE,
    train_on: int = 0,
    total: int | None = None,
    about: Sequence[Any] = (),
    executor: Executor | None = None,
    lasting: bool = True,
    tell: Callable[[str, int, int | None], None] = lambda *_: None,
) -> tuple[Parts, Sequence[Model]]:
    """Align a text of any size, by given models or by ones trained on a sample of it.

    Parameters
    ----------
    text
        The text, which is read twice if models are trained, and never held.
    output
        The output's name; parts that are done lie in ``OUTPUT.parts``, from where a run that was
        killed goes on.
    models_of
        The models, or a function that trains them on a sample.
    directions, linking, executor
        See ``alignframe.aligners.bidirectional``.
    extra
        What parts hold beside links.
    train_on
        The number of sentence pairs to train on.
    total
        The number of sentence pairs, if known.
    about
        What else the links depend on.
    lasting
        Whether the folder of parts stays after an error.
    tell
        Called with what is done, the number of sentence pairs so far, and in total.

    Returns
    -------
    tuple
        The parts, whose ``batches`` are the links, and the models.
    """
    parts = Parts.beside(output, linking, extra, train_on, *about, lasting=lasting)
    with parts.left():
        if callable(models_of):
            found = parts.models(directions)
            if found is None:
                with warnings.catch_warnings():  # they come when all is read and aligned
                    warnings.simplefilter("ignore", DataWarning)
                    some, total = sample(text, train_on, lambda rows: tell("Reading", rows, total))
                training = models_of(some)
                del some  # it can need more memory than the models
                parts.keep(training)
                found = parts.models(directions)
            models: Sequence[Model] = found or ()
        else:
            models = models_of
        align_parts(
            text,
            models,
            linking,
            parts,
            extra,
            executor,
            lambda rows: tell("Aligning", rows, total),
        )
    return parts, models
