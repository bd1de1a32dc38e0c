"""Translations and references: from files, tables and lists to columns beside one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.arrow import as_array, is_frame
from alignframe.errors import InputError
from alignframe.formats.opening import table_suffix
from alignframe.formats.sentences import read_sentences
from alignframe.sources import as_listed, column_of, is_columns, is_path, refused, table_of
from alignframe.subsets import Chosen, choose
from alignframe.tesla.given import are_several, systems_of
from alignframe.tesla.table_files import LINE, SUFFIXES, read_table, whole_numbers

TEXT = "text"
"""The column of a table that holds translations."""


@dataclass(frozen=True)
class Texts:
    """Translations and references of the same sentences, in the same order.

    ``about`` has the column sid and whatever else the first reference's table says of a sentence;
    ``chosen`` the sentences that are scored, or None for all.
    """

    about: pl.DataFrame
    systems: dict[str, pa.Array]
    references: list[pa.Array]
    chosen: Chosen | None


def load(
    hyp: Any, ref: Any, *, sids: Any = None, where: str | None = None, encoding: str = "utf-8"
) -> Texts:
    """Return translations beside their references; see ``scores``."""
    refs = _references(ref, encoding)
    first = refs[0]
    every = [(f"reference {k}", one) for k, one in enumerate(refs[1:], 2)]
    columns = [_beside(first, *named) for named in every]
    systems = {
        str(name): _beside(
            first, f"the system {str(name)!r}", _column(one, f"the system {str(name)!r}", encoding)
        )
        for name, one in systems_of(hyp).items()
    }
    for name, column in systems.items():
        if column.null_count:
            row = column.is_null().index(True).as_py()
            raise InputError(
                f"the system {name!r} has no text of sentence {first['sid'][row]}",
                expected="a text, which may be empty",
            )
    references = [_texts(first), *columns]
    _check_referenced(first, references)
    about = first.drop(TEXT)
    chosen = choose(
        about["sid"].to_numpy(), about.to_arrow, sids=sids, where=where, what="the reference"
    )
    if chosen is not None:
        kept = np.flatnonzero(chosen.holds(about["sid"].to_numpy()))
        about = about[kept]
        systems = {name: column.take(pa.array(kept)) for name, column in systems.items()}
        references = [column.take(pa.array(kept)) for column in references]
    return Texts(about, systems, references, chosen)


def _references(ref: Any, encoding: str) -> list[pl.DataFrame]:
    """Return the references; a list of texts is one, unless each names a file."""
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
    """Return a table with the columns sid and text, and what else it has."""
    if is_path(given):
        if table_suffix(given) in SUFFIXES:
            return _table(read_table(given, called), called, given)
        return _numbered(read_sentences(given, encoding))
    texts = column_of(given := as_listed(given))
    if texts is None and (is_frame(given) or is_columns(given, TEXT)):
        return _table(read_table(table_of(given, called), called), called, None)
    if texts is None and not isinstance(given, (list, tuple)):
        raise refused(given, called, "a list of texts, a table with the column text, or a file")
    try:
        return _numbered(pa.array(given, pa.string()) if texts is None else texts.cast(pa.string()))
    except (pa.ArrowException, TypeError, UnicodeEncodeError) as error:
        raise InputError(
            f"{called}: {type(given).__name__} that cannot be read as texts ({error})",
            expected="a list of texts, a table with the column text, or a file",
        ) from None


def _table(frame: pl.DataFrame, called: str, path: Any) -> pl.DataFrame:
    """Return a table with its sids checked, or its rows numbered from 0."""
    if TEXT not in frame.columns or frame[TEXT].dtype not in (pl.String, pl.Null):
        shown = ", ".join(f"{n} ({t})" for n, t in frame.drop(LINE).schema.items())
        raise InputError(
            f"{called} has the columns {shown or '(none)'}",
            path=path,
            expected="text, of texts, and sid if sentences have numbers",
        )
    if "sid" not in frame.columns:
        sids = pl.Series("sid", np.arange(frame.height))
    else:
        sids = whole_numbers(frame, "sid", path, 0)
    twice = sids.is_duplicated()
    if twice.any():
        at = int(twice.arg_true()[1])
        raise InputError(
            f"{called} has sentence {sids[at]} more than once",
            path=path,
            line=None if path is None else frame[LINE][at],
            expected="each once",
        )
    texts = frame[TEXT].cast(pl.String)
    return frame.drop(LINE).with_columns(sids, texts)


def _numbered(texts: pa.Array) -> pl.DataFrame:
    column = pl.Series(TEXT, pl.from_arrow(texts), dtype=pl.String)
    return pl.DataFrame({"sid": np.arange(len(column)), TEXT: column})


def _beside(first: pl.DataFrame, called: str, other: pl.DataFrame) -> pa.Array:
    """Return the texts of a table for the sentences of the first, in its order."""
    wanted, found = first["sid"].to_numpy(), other["sid"].to_numpy()
    if np.array_equal(wanted, found):
        return _texts(other)
    lacking, added = np.setdiff1d(wanted, found), np.setdiff1d(found, wanted)
    if lacking.size or added.size:
        odd = f"lacks sentence {lacking[0]}" if lacking.size else f"has sentence {added[0]} besides"
        raise InputError(
            f"{called} has {found.size:,} sentences, and {odd}; the reference has {wanted.size:,}",
            expected="the same ones: in files a line each",
        )
    return _texts(first.select("sid").join(other, on="sid", how="left", maintain_order="left"))


def _texts(frame: pl.DataFrame) -> pa.Array:
    return as_array(frame[TEXT].to_arrow()).cast(pa.string())


def _check_referenced(first: pl.DataFrame, references: Sequence[pa.Array]) -> None:
    """Refuse a sentence all of whose references are missing."""
    absent = np.logical_and.reduce(
        [column.is_null().to_numpy(zero_copy_only=False) for column in references]
    )
    if absent.any():
        raise InputError(
            f"sentence {first['sid'][int(np.argmax(absent))]} has no reference",
            expected="one at least",
        )
