"""Loading translations and references into parallel columns."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.arrays import I64
from alignframe.arrow import as_array, is_text
from alignframe.errors import DataWarning, InputError, number_of
from alignframe.formats.sentences import read_sentences
from alignframe.read.source import is_path
from alignframe.sources import sentence_array
from alignframe.subsets import Chosen, choose
from alignframe.tokens import composed
from alignframe.translations import (
    TEXT,
    TextTable,
    are_several,
    places_of,
    systems_of,
    table_of_texts,
)

_NAMED = 5


@dataclass(frozen=True)
class Texts:
    """Translations and references of the same sentences, in the same order.

    ``about`` has sid and the other columns of the first reference's table; ``chosen`` the sentences
    to score, or None for all.
    """

    about: pl.DataFrame
    systems: dict[str, pa.Array]
    references: list[pa.Array]
    chosen: Chosen | None


def load(
    hyp: Any, ref: Any, *, sids: Any = None, where: str | None = None, encoding: str = "utf-8"
) -> Texts:
    """Return translations with their references; see ``scores``."""
    refs = _references(ref, encoding)
    first = refs[0]
    every = [(f"reference {k}", one) for k, one in enumerate(refs[1:], 2)]
    columns = [_beside(first, *named) for named in every]
    systems = {}
    for name, one in systems_of(hyp, encoding).items():
        called = f"the system {str(name)!r}"
        column = _column(one, called, encoding)
        path = one.path if isinstance(one, TextTable) else one if is_path(one) else None
        systems[str(name)] = _beside(first, called + (f" ({path})" if path else ""), column)
    for name, column in systems.items():
        if column.null_count:
            row = column.is_null().index(True).as_py()
            raise InputError(
                f"the system {name!r} has no text of sentence {first['sid'][row]}",
                expected="a text, which may be empty",
            )
    references = [_texts(first), *columns]
    _check_referenced(first, references)
    _warn_of_forms(systems, references)
    about = first.drop(TEXT)
    chosen = choose(
        about["sid"].to_numpy(), about.to_arrow, sids=sids, where=where, what="the reference"
    )
    if chosen is not None:
        kept = np.flatnonzero(chosen.holds(about["sid"].to_numpy()))
        about = about[kept]
        systems = {name: column.take(pa.array(kept)) for name, column in systems.items()}
        references = [column.take(pa.array(kept)) for column in references]
    _warn_of_empty(about["sid"].to_numpy(), references)
    return Texts(about, systems, references, chosen)


def references(ref: Any, encoding: str = "utf-8") -> tuple[I64, list[pa.Array]]:
    """Return sentence numbers and references; see ``scores``."""
    first, *others = _references(ref, encoding)
    every = [(f"reference {k}", one) for k, one in enumerate(others, 2)]
    columns = [_texts(first), *(_beside(first, *named) for named in every)]
    _check_referenced(first, columns)
    return first["sid"].to_numpy().astype(np.int64), columns


def _references(ref: Any, encoding: str) -> list[pl.DataFrame]:
    """Return the references; a list of texts is one reference, unless all name files."""
    several = are_several([one for one in ref if one is not None] if isinstance(ref, list) else ref)
    given: Sequence[Any] = ref if several else [ref]
    found = [
        _column(one, f"reference {k}" if several else "the reference", encoding)
        for k, one in enumerate(given, 1)
    ]
    if not found[0].height:
        raise InputError("the reference has no sentences", expected="one or more")
    return found


def _column(given: Any, called: str, encoding: str) -> pl.DataFrame:
    """Return a table with the columns sid and text, and its other columns."""
    table = table_of_texts(given, called, encoding)
    if table is not None:
        return _with_texts(table, called)
    texts = read_sentences(given, encoding) if is_path(given) else sentence_array(given, called)
    if not is_text(texts.type):
        raise InputError(f"{called} of type {texts.type}", expected="texts, not lists of words")
    column = pl.Series(TEXT, pl.from_arrow(texts), dtype=pl.String)
    return pl.DataFrame({"sid": np.arange(len(column)), TEXT: column})


def _with_texts(table: TextTable, called: str) -> pl.DataFrame:
    """Return a table with its column text checked."""
    frame = table.frame
    if TEXT not in frame.columns or frame[TEXT].dtype not in (pl.String, pl.Null):
        shown = ", ".join(f"{n} ({t})" for n, t in frame.schema.items())
        raise InputError(
            f"{called} has the columns {shown or '(none)'}",
            path=table.path,
            expected="text, of texts, and sid if sentences have numbers",
        )
    return frame.with_columns(pl.col(TEXT).cast(pl.String))


def _beside(first: pl.DataFrame, called: str, other: pl.DataFrame) -> pa.Array:
    """Return the texts of a table for the sentences of the first, in that order."""
    places = places_of(first["sid"].to_numpy(), other["sid"].to_numpy(), called)
    return _texts(other if places is None else other[places])


def _texts(frame: pl.DataFrame) -> pa.Array:
    return as_array(frame[TEXT].to_arrow()).cast(pa.string())


def _check_referenced(first: pl.DataFrame, references: Sequence[pa.Array]) -> None:
    """Refuse a sentence without any reference."""
    absent = np.logical_and.reduce(
        [column.is_null().to_numpy(zero_copy_only=False) for column in references]
    )
    if absent.any():
        raise InputError(
            f"sentence {first['sid'][int(np.argmax(absent))]} has no reference",
            expected="at least one",
        )


def _warn_of_forms(systems: Mapping[str, pa.Array], references: Sequence[pa.Array]) -> None:
    """Warn if systems and references write the same letters in other Unicode forms."""
    theirs = {composed(column) is column for column in references}
    for name, column in systems.items():
        if {composed(column) is column} != theirs:
            warnings.warn(
                f"the system {name!r} and the references are in different Unicode forms (NFC in "
                f"{'the references' if True in theirs else 'the system'}), so that equal letters "
                "count as different; convert one of them, for example with: uconv -x nfc",
                DataWarning,
                stacklevel=4,
            )


def _warn_of_empty(sids: I64, references: Sequence[pa.Array]) -> None:
    """Count in a ``DataWarning`` sentences without a word in any reference."""
    empty = np.logical_and.reduce(
        [
            pc.fill_null(pc.equal(pc.utf8_trim_whitespace(column), ""), True).to_numpy(
                zero_copy_only=False
            )
            for column in references
        ]
    )
    if empty.any():
        shown = ", ".join(map(str, sids[empty][:_NAMED].tolist()))
        shown += ", ..." if empty.sum() > _NAMED else ""
        warnings.warn(
            f"{number_of(int(empty.sum()), 'sentence')} with an empty reference (sid {shown}): "
            "their translations count as wrong in BLEU, and are left out of chrF",
            DataWarning,
            stacklevel=4,
        )
