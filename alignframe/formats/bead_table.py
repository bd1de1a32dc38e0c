"""Making and checking tables of beads, and what every format of beads declares."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from numbers import Integral
from os import PathLike, fspath
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from alignframe.core.arrays import I64, Bools
from alignframe.core.arrow import as_array, require_columns, to_reader
from alignframe.core.keys import type_of
from alignframe.core.schemas import BEADS, SPANS, SYSTEM, UNNAMED
from alignframe.errors import InputError, in_file, number_of, warn
from alignframe.read.lines import TextFile

MAX_SENTENCE = 2**31 - 2
"""The largest number of a sentence: the span after it still fits its column."""

SIDES = ("source", "target")

DOCUMENT = "document"
"""The name of a document that has none."""

BEAD_SOURCES = (
    "a table of beads, the path of a file of beads, or a list of beads such as (0, 1, 0, 2) or "
    "([0], [0, 1])"
)
"""Accepted forms of beads."""

Spans = npt.NDArray[np.int64]
"""Shape (beads, 4): source start and end, target start and end."""

Languages = tuple[str, str]


@dataclass(frozen=True)
class BeadReading:
    """A file of beads, and the options for reading it."""

    path: str | PathLike[str]
    doc: str = DOCUMENT
    encoding: str = "utf-8"
    base: int | None = None
    # XML files with the ids of the sentences of both sides.
    ids: tuple[str | PathLike[str] | None, str | PathLike[str] | None] = (None, None)
    as_written: bool | None = None
    gaps: bool = False  # beads stay without the sentences that they skip, as several rows
    languages: Languages | None = None

    @property
    def text(self) -> TextFile:
        """The file as text."""
        return TextFile(self.path, self.encoding)


@dataclass(frozen=True)
class BeadFile:
    """What a file holds: beads, and the sentences and languages of both sides if it has them."""

    beads: pa.Table
    sides: tuple[pa.StringArray | None, pa.StringArray | None] = (None, None)
    languages: Languages | None = None
    whole: bool = False  # the beads should have every sentence of the text


@dataclass(frozen=True)
class BeadWriting:
    """The beads of a document to write, with its sentences if they are known."""

    path: str | PathLike[str]
    spans: Spans
    scores: list[float | None]
    sides: tuple[list[str] | None, list[str] | None]
    names: tuple[str, str]
    languages: Languages

    @property
    def sizes(self) -> tuple[int | None, int | None]:
        """The number of sentences of each side."""
        src, tgt = (None if side is None else len(side) for side in self.sides)
        return src, tgt


@dataclass(frozen=True)
class BeadFormat:
    """A format of beads: how its files are recognised, read and written."""

    name: str
    read: Callable[[BeadReading], BeadFile]
    # Returns the number of beads written; None for tables.
    write: Callable[[BeadWriting, BinaryIO], int] | None = None
    line: re.Pattern[str] | None = None  # what its first line matches
    root: str = ""  # the root element of its XML
    has_base: bool = True
    has_ids: bool = False
    whole: bool = False  # files have every sentence of both sides


def probabilities(scores: Sequence[float | None], path: str | PathLike[str]) -> list[float | None]:
    """Return scores if all can be probabilities, or else nulls."""
    # Costs and confidences of other programs are unbounded: those that happen to lie between 0
    # and 1 would mislead.
    known = [score for score in scores if score is not None and not math.isnan(score)]
    outside = sum(not 0 <= score <= 1 for score in known)
    if outside:
        warn_of(
            path,
            len(known),
            "score",
            f"not kept: {outside:,} outside 0 to 1, so they are not probabilities",
        )
        return [None] * len(scores)
    return [None if score is None or math.isnan(score) else score for score in scores]


def warn_of(path: str | PathLike[str], count: int, noun: str, what: str) -> None:
    """Warn of anything repaired or ignored in a file."""
    if count:
        said = f"{fspath(path)}: {number_of(count, noun)} {what}"
        warn(said)


def way_out(as_written: bool | None) -> str:
    """Return what to do about a sentence in two beads; None if beads cannot be taken as written."""
    if as_written is None:
        return ""
    return "score beads as they stand with `gold_as_written=True`"


def bead_table(doc: str, spans: Spans, scores: Sequence[float | None] | None = None) -> pa.Table:
    """Return the table of one document's beads, sorted by (src_start, tgt_start)."""
    order = np.lexsort((spans[:, 2], spans[:, 0]))
    codes = pa.array(np.zeros(len(spans), np.int32))
    column = pa.array([None] * len(spans) if scores is None else scores, pa.float64())
    columns = [
        pa.DictionaryArray.from_arrays(codes, pa.array([doc], pa.string())),
        *(pa.array(spans[order, k].astype(np.int32)) for k in range(4)),
        column.take(pa.array(order)),
    ]
    return pa.Table.from_arrays(columns, schema=BEADS)


def checked_beads(
    beads: object,
    path: str | PathLike[str] | None = None,
    doc: str | None = None,
    as_written: bool | None = None,
) -> pa.Table:
    """Return any table of beads with the schema ``BEADS``, and its column system, if any."""
    with in_file(path):
        table = to_reader(columns_of_spans(beads), "beads", BEAD_SOURCES).read_all()
        require_columns(table.schema, SPANS, "the table of beads")
        spans = np.column_stack([_numbers(table[name], name) for name in SPANS])
        _check(_backwards(spans), "a span that runs backwards or is negative")
        names = {"doc": _names(table, "doc", doc or DOCUMENT)}
        if "system" in table.schema.names:
            names["system"] = _names(table, "system", UNNAMED)
        group = np.zeros(len(spans), np.int64)
        for column in reversed(names.values()):
            # One number per pair of system and document.
            group = group * max(len(column.dictionary), 1) + column.indices.to_numpy()
        for side, what in enumerate(SIDES):
            _check_apart(spans[:, 2 * side : 2 * side + 2], group, what, path, as_written)
        scores = _scores(table)
    # By system and document as they first appear, then by place.
    order = np.lexsort((spans[:, 2], spans[:, 0], group))
    order = order[(spans[order, 1] > spans[order, 0]) | (spans[order, 3] > spans[order, 2])]
    warn_of(path or "beads", len(spans) - len(order), "bead", "with both sides empty ignored")
    score = pa.array(probabilities(scores, path or "beads"), pa.float64())
    columns = [names["doc"], *(pa.array(spans[:, k].astype(np.int32)) for k in range(4)), score]
    schema = BEADS
    if "system" in names:
        columns.append(names["system"])
        schema = BEADS.append(pa.field("system", SYSTEM, nullable=False))
    return pa.Table.from_arrays(columns, schema=schema).take(pa.array(order))


def are_spans(beads: object) -> bool:
    """Whether something is a list of beads: four numbers each, or two lists of sentences."""
    return isinstance(beads, (list, tuple)) and all(
        isinstance(bead, (list, tuple))
        and len(bead) in (2, 4)
        and all(isinstance(end, Integral if len(bead) == 4 else Sequence) for end in bead)
        and not any(isinstance(end, str) for end in bead)
        for bead in beads
    )


def columns_of_spans(beads: Any) -> Any:
    """Return a list of beads as a dict of columns, anything else unchanged."""
    if not are_spans(beads):
        return beads
    spans = [
        bead if len(bead) == 4 else (*_span(bead[0], k), *_span(bead[1], k))
        for k, bead in enumerate(beads)
    ]
    return {name: [span[k] for span in spans] for k, name in enumerate(SPANS)}


def _span(sentences: Sequence[int], row: int) -> tuple[int, int]:
    """Return the span of some sentences, which must be consecutive."""
    if not sentences:
        return 0, 0
    start, end = sentences[0], sentences[0] + len(sentences)
    if list(sentences) != list(range(start, end)):
        raise InputError(
            f"bead {row} (counted from 0) has the sentences {list(sentences)}",
            expected="consecutive sentences",
            todo="write such beads to a file, as lines '[0]:[4, 6]', which is read as spans",
        )
    return start, end


def _numbers(column: pa.ChunkedArray, name: str) -> I64:
    array = as_array(column)
    if pa.types.is_decimal(array.type):
        with suppress(pa.ArrowInvalid):  # not whole
            array = array.cast(pa.int64())
    if array.null_count or not pa.types.is_integer(array.type):
        raise InputError(
            f"a column {name} of {type_of(array)}",
            expected="a whole number in every row",
        )
    numbers: I64 = array.cast(pa.int64()).to_numpy()
    return numbers


def _names(table: pa.Table, name: str, fallback: str) -> pa.DictionaryArray:
    """Return a column of names, with its dictionary in order of first occurrence."""
    if name not in table.schema.names:
        column = pa.array([fallback] * table.num_rows, pa.string())
    else:
        column = as_array(table[name].cast(pa.string()).fill_null(fallback))
    return column.dictionary_encode().cast(SYSTEM)


def _scores(table: pa.Table) -> list[float | None]:
    if "score" not in table.schema.names:
        return [None] * table.num_rows
    try:
        scores: list[float | None] = table["score"].cast(pa.float64()).to_pylist()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        kind = table["score"].type
        raise InputError(f"a column score of type {kind}", expected="numbers") from None
    return scores


def _backwards(spans: Spans) -> Bools:
    bad = (spans < 0).any(axis=1) | (spans > MAX_SENTENCE + 1).any(axis=1)
    backwards: Bools = bad | (spans[:, 0] > spans[:, 1]) | (spans[:, 2] > spans[:, 3])
    return backwards


def _check(bad: Bools, what: str) -> None:
    if bad.any():
        raise InputError(
            f"row {int(bad.argmax()) + 1} has {what}",
            expected=f"sentence numbers from 0 to {MAX_SENTENCE:,}, half-open spans",
        )


def _check_apart(
    spans: Spans,
    group: I64,
    what: str,
    path: str | PathLike[str] | None,
    as_written: bool | None,
) -> None:
    """Refuse spans of a group that share a sentence."""
    full = np.flatnonzero(spans[:, 0] < spans[:, 1])
    order = full[np.lexsort((spans[full, 0], group[full]))]
    starts, ends = (spans[order] + (group[order] << 32)[:, None]).T  # no group reaches the next
    # A span that begins before the farthest end so far shares a sentence with an earlier one.
    reached = np.maximum.accumulate(ends)[:-1]
    again = np.flatnonzero(starts[1:] < reached)
    if not again.size:
        return
    k = again[0]
    rows = sorted((int(order[k]) + 1, int(order[k + 1]) + 1))
    place = f"in the rows {rows[0]} and {rows[1]}"
    first = spans[order[k + 1], 0]
    if not as_written:
        raise InputError(
            f"the {what} sentence {first} is {place}",
            expected="every sentence in one bead",
            todo=way_out(as_written),
        )
    low, high = starts[again + 1], np.minimum(ends[again + 1], reached[again])
    low[1:] = np.maximum(low[1:], np.maximum.accumulate(high)[:-1])
    shared = int(np.maximum(high - low, 0).sum())
    warn_of(
        path or "beads", shared, f"{what} sentence", f"in two beads, the first ({first}) {place}"
    )


def one_document(beads: object) -> tuple[str, Spans, list[float | None]]:
    """Return the name of the only document, its spans in order, and their scores."""
    table = checked_beads(beads)
    for name, what in (("doc", "documents"), ("system", "systems")):
        names = table[name].unique().to_pylist() if name in table.schema.names else []
        if len(names) > 1:
            shown = ", ".join(repr(name_shown) for name_shown in names[:3])
            raise InputError(
                f"{len(names):,} {what}: {shown}{', ...' if len(names) > 3 else ''}",
                expected="one",
                todo="choose one of them, or write Parquet",
            )
    doc = table["doc"][0].as_py() if table.num_rows else DOCUMENT
    spans = np.column_stack([table[name].to_numpy() for name in SPANS]).astype(np.int64)
    return doc, spans, table["score"].to_pylist()


def check_size(numbers: Sequence[int], base: int) -> None:
    """Refuse sentence numbers or counts that no column can hold; they count from 0 here."""
    for number in (max(numbers, default=0), min(numbers, default=0)):
        if not 0 <= number <= MAX_SENTENCE:
            shown = str(number + base)
            raise InputError(
                f"the sentence number {shown if len(shown) < 30 else shown[:30] + '...'}",
                expected=f"from {base} to {MAX_SENTENCE:,}",
            )


def read_score(word: str | None) -> float | None:
    """Return an optional score; raise an InputError if it is not a number."""
    score = None if word is None else read_number(word)
    if word is not None and score is None:
        raise InputError(f"the score {word[:60]!r} is not a number")
    return score


def read_number(word: str) -> float | None:
    """Return a number, or None if it is none."""
    try:
        return float(word)
    except ValueError:
        return None
