"""Columns that identify sentences or documents, such as domain and sid, in place of one number.

Everything below the door joins sentences by their sid, and documents by doc. So where several
columns identify one, each distinct key gets a number, or a name, which stands in the column sid or
doc while tables are read and counted; results have the columns of the key again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import polars as pl
import pyarrow as pa

from alignframe.core.arrow import as_array, is_text
from alignframe.errors import InputError, few_of, naming, number_of
from alignframe.read.columns import key_texts

SID = "sid"
# A column beside any that tables have.
NUMBER = " number"


class Keys:
    """Distinct keys of sentences, or of documents; the number of a key is its row."""

    frame: pl.DataFrame

    @property
    def whole(self) -> dict[str, bool]:
        """Whether each column has whole numbers, and not texts."""
        return {column.name: column.dtype == pl.Int64 for column in self.frame}

    @property
    def names(self) -> list[str]:
        """The columns of the key."""
        return self.frame.columns

    def name(self, number: int) -> str:
        """Return how messages call a sentence: ``domain=news/sid=7``."""
        return key_name(self.frame.row(number, named=True))

    def restored(self, table: pl.DataFrame, unit: str = SID) -> pl.DataFrame:
        """Return a table with the columns of the key in place of its number or its name."""
        if unit not in table.columns:
            return table
        own = self.columns_of(table[unit])
        at = table.columns.index(unit)
        names = [
            [name for name in part if name not in self.names]
            for part in (table.columns[:at], table.columns[at + 1 :])
        ]
        return pl.concat([table.select(names[0]), own, table.select(names[1])], how="horizontal")

    def columns_of(self, units: pl.Series) -> pl.DataFrame:
        """Return the key of each number or name."""
        if units.dtype == pl.String:
            rows = {self.name(row): row for row in range(self.frame.height)}
            return self.frame[[rows[name] for name in units]]
        return self.frame[units.cast(pl.Int64)]


class Growing(Keys):
    """Keys of tables in memory, numbered in order: first those of the reference."""

    def __init__(self, on: Sequence[str] | str) -> None:
        self.frame = pl.DataFrame(schema=dict.fromkeys(names_in(on), pl.String))
        self._first = ""

    def numbers(self, table: pa.Table, called: str) -> pl.Series:
        """Return the number of the key of each row; ``called`` is the table in messages."""
        require_key(called, table.column_names, self.names)
        if not self._first:
            self._first = called
            kinds = {name: _kind(table[name]) for name in self.names}
            self.frame = pl.DataFrame(schema=kinds)
        own, known = key_values(table, self.whole, called), self.frame
        fresh = own.unique(maintain_order=True).join(known, on=self.names, how="anti")
        if known.height and own.height and fresh.height == own.n_unique():
            raise none_shared(called, own, self._first, known)
        # Sorted, so that resamples and ties do not hang on the order of the reference's rows.
        self.frame = pl.concat([known, fresh.sort(self.names)])
        numbers = self.frame.with_row_index(NUMBER)
        joined = own.join(numbers, on=self.names, how="left", maintain_order="left")
        return joined[NUMBER].cast(pl.Int64).alias(SID)

    def named(self, table: pa.Table, column: str, called: str) -> pa.Table:
        """Return a table with the names of keys in a column."""
        numbers = self.numbers(table, called)
        names = pa.array([self.name(number) for number in numbers], pa.string())
        rest = table.drop_columns([column] if column in table.column_names else [])
        return rest.append_column(column, names)


def growing(on: Sequence[str] | str, **subset: object) -> Growing | None:
    """Return keys of tables in memory; None if ``on`` is empty, as sid or doc are the key.

    ``subset`` are options that choose sentences by sid, which a key leaves without a meaning.
    """
    if not on:
        return None
    for name, value in subset.items():
        if value is not None:
            raise InputError(
                f"`on` with `{name}`", expected="one of them", todo="filter the rows of the tables"
            )
    return Growing(on)


def names_in(on: Sequence[str] | str) -> list[str]:
    """Return the columns of a key, each once."""
    return [on] if isinstance(on, str) else list(dict.fromkeys(on))


def named_by(keys: Keys | None) -> AbstractContextManager[None]:
    """Call sentences by their keys in messages and pages, if they have any."""
    return naming(None if keys is None else keys.name)


def _kind(column: pa.ChunkedArray) -> Any:
    """Return the type of keys: whole numbers, of text files too, or texts."""
    if is_text(column.type):
        given = pl.Series(column.cast(pa.string()))
        is_whole = given.cast(pl.Int64, strict=False).cast(pl.String).eq_missing(given).all()
        return pl.Int64 if is_whole and len(given) else pl.String
    return pl.Int64 if pa.types.is_integer(column.type) else pl.String


def none_shared(called: str, own: pl.DataFrame, other: str, others: pl.DataFrame) -> InputError:
    """Return the error for two tables that have no key in common."""
    mine, known = (key_name(keys.row(0, named=True)) for keys in (own, others))
    return InputError(
        f"no key of {called}, such as {mine}, is a key of {other}, such as {known}",
        expected="the same values in both",
    )


def key_name(key: Mapping[str, object]) -> str:
    """Return a key as folders of lakes are named: ``domain=news/sid=7``."""
    # A slash is written as there, so that no two keys have one name.
    texts = (str(value).replace("%", "%25").replace("/", "%2F") for value in key.values())
    return "/".join(f"{name}={text}" for name, text in zip(key, texts, strict=True))


def require_key(called: str, columns: Sequence[str], names: Sequence[str]) -> None:
    """Raise an InputError if a table lacks a column of the key."""
    for name in names:
        if name not in columns:
            raise InputError(
                f"{called} has the columns {few_of(columns)}",
                expected=f"the column {name} of the key (`on`)",
            )


def key_values(
    batch: pa.RecordBatch | pa.Table, whole: Mapping[str, bool], name: str
) -> pl.DataFrame:
    """Return the key of each row, as whole numbers or texts; ``name`` is that of its source."""
    columns = {}
    for column, is_whole in whole.items():
        given = as_array(batch.column(column))
        if given.null_count:
            raise InputError(
                f"null {column} in {number_of(given.null_count, 'row')}",
                path=name,
                expected="a value of each column of the key in every row",
            )
        if not is_whole:
            columns[column] = pl.Series(key_texts(given, column))
            continue
        if not (is_text(given.type) or pa.types.is_integer(given.type)):
            raise InputError(
                f"the {column} of type {given.type}",
                path=name,
                expected="whole numbers, as on the other side",
            )
        columns[column] = numbers = pl.Series(given).cast(pl.Int64, strict=False)
        texts = pl.Series(given).cast(pl.String)
        odd = texts.filter(numbers.cast(pl.String).ne_missing(texts))  # 007 is not 7
        if len(odd):
            raise InputError(
                f"the {column} {odd[0]!r}",
                path=name,
                expected="whole numbers without leading zeros and below 2^63, as on the other side",
            )
    return pl.DataFrame(columns)
