"""Sources of links whose sentences several columns identify, numbered for all of them alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.core.arrays import I64
from alignframe.core.arrow import to_reader
from alignframe.core.choices import TABLES
from alignframe.errors import InputError
from alignframe.read.opening import table_suffix
from alignframe.sources.keys import (
    NUMBER,
    SID,
    Keys,
    key_name,
    key_values,
    names_in,
    none_shared,
    require_key,
)
from alignframe.sources.pairs import sentence_pairs
from alignframe.sources.source import Shape, Source
from alignframe.sources.words import table_of
from alignframe.typing import FilePath

# Columns beside any that tables have.
_ROW, _OF = " row", " system"


class _Sorted(Keys):
    """Keys in their order."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self.frame = frame.unique().sort(frame.columns)
        # Of each column its values, and the codes of the keys up to there; both ascend.
        self._steps: list[tuple[pl.Series, I64]] = []
        code: I64 = np.zeros(self.frame.height, np.int64)
        for column in self.frame:
            values = column.unique().sort()
            pairs, code = np.unique(_pairs(code, column, values), return_inverse=True)
            self._steps.append((values, pairs))

    def numbers(self, keys: pl.DataFrame) -> I64:
        """Return the number of each key, all of which are known."""
        code: I64 = np.zeros(keys.height, np.int64)
        for column, (values, pairs) in zip(keys, self._steps, strict=True):
            code = np.searchsorted(pairs, _pairs(code, column, values))
        return code


def _pairs(code: I64, column: pl.Series, values: pl.Series) -> I64:
    """Return one number for the key up to a column, and its value there."""
    places: I64 = values.search_sorted(column).to_numpy().astype(np.int64)
    return code * len(values) + places


def with_sid(shape: Shape) -> Shape:
    """Return a shape of tables with all their columns, as others than sid identify a sentence."""

    def is_long(schema: pa.Schema) -> bool:
        return shape.is_long(schema if SID in schema.names else _numbered(schema))

    def read(path: FilePath, **reading: Any) -> Any:
        # Other options are of formats without columns, or choose links.
        plain = not any(reading.get(name) for name in ("format", "min_probability", "drop_outside"))
        if plain and table_suffix(path) in TABLES:
            return shape.held(table_of(path, f"the table of {shape.name}"))
        return shape.read(path, **reading)

    return replace(shape, is_long=is_long, read=read)


def _numbered(schema: pa.Schema) -> pa.Schema:
    """Return a schema with numbers as sid."""
    number = pa.field(SID, pa.int64())
    at = schema.get_field_index(SID)
    return schema.append(number) if at < 0 else schema.set(at, number)


def keyed(sources: Sequence[Source], on: Sequence[str] | str, shape: Shape) -> list[Source]:
    """Return sources, the reference last, that number sentences by their values of ``on``.

    A key that a source lacks, that is null, or that repeats in a table with a row per sentence, is
    an error; so is a source without any key of the last one.
    """
    names = names_in(on)
    for source in sources:
        require_key(source.title, source.columns, names)
    sources = [source.in_memory() for source in sources]
    whole = {
        name: all(pa.types.is_integer(source.schema.field(name).type) for source in sources)
        for name in names
    }
    found = [_keys_of(source, whole) for source in sources]
    *others, last = found
    for source, own in zip(sources, others, strict=False):
        if own.height and last.height and own.join(last, on=names).is_empty():
            raise none_shared(source.title, own, sources[-1].title, last)
    keys = _Sorted(pl.concat(found))
    return [
        replace(
            source,
            shape=shape,
            schema=_numbered(source.schema),
            frame=_Keyed(source, keys),
            files=None,
            keys=keys,
        )
        for source in sources
    ]


def text_of(bitext: object, keys: Keys | None) -> pa.Table | None:
    """Return a text in memory, with the numbers of keys as sid, if there are any."""
    if bitext is None:
        return None
    text = sentence_pairs(bitext)
    if keys is None:
        return text.table()
    require_key(text.title, text.columns, keys.names)
    text = text.in_memory()
    parts = [key_values(batch, keys.whole, text.name) for batch in text.columns_of(*keys.names)]
    every = pl.concat([keys.frame.clear(), *parts]).with_row_index(_ROW)
    numbers = keys.frame.with_row_index(NUMBER)
    known = every.join(numbers, on=keys.names, maintain_order="left")
    table = text.table().take(known[_ROW].to_arrow())
    at = table.schema.get_field_index(SID)
    return table.set_column(at, SID, known[NUMBER].cast(pl.Int64).to_arrow())


def _keys_of(source: Source, whole: Mapping[str, bool]) -> pl.DataFrame:
    """Return the keys of a source; those of a table with a row per sentence may not repeat."""
    with_system = [] if source.is_long else ["system"]
    parts = [pl.DataFrame(schema={name: pl.Int64 if whole[name] else pl.String for name in whole})]
    systems = [pl.Series("", [], pl.String)]
    for batch in source.columns_of(*with_system, *whole):
        own = key_values(batch, whole, source.name)
        parts.append(own.unique(maintain_order=True) if source.is_long else own)
        if "system" in batch.schema.names and with_system:
            systems.append(pl.Series("", batch.column("system").cast(pa.string())))
    every = pl.concat(parts)
    system = pl.concat(systems)
    apart = every.hstack([system.alias(_OF)]) if len(system) else every
    if not source.is_long and apart.is_duplicated().any():
        twice = every.row(int(apart.is_duplicated().arg_max() or 0), named=True)
        raise InputError(
            f"{source.title} gives sentence {key_name(twice)} more than once",
            expected="one row per sentence and system, or a key with further columns",
        )
    return every.unique(maintain_order=True)


@dataclass(frozen=True)
class _Keyed:
    """The rows of a source with numbers of keys as sid, read anew each time as a data set is."""

    source: Source
    keys: _Sorted

    def scanner(self, columns: Sequence[str] | None = None, batch_size: int = 0) -> _Scan:
        """Return what reads some columns, or all."""
        del batch_size
        wanted = self.source.columns if columns is None else [*columns, *self.keys.names]
        return _Scan(self, [name for name in self.source.columns if name in wanted])


@dataclass(frozen=True)
class _Scan:
    of: _Keyed
    names: list[str]

    def to_reader(self) -> pa.RecordBatchReader:
        """Return a stream of batches."""
        source, keys = self.of.source, self.of.keys
        if source.files is not None:
            stored = source.files.reader(columns=self.names)
        else:
            stored = to_reader(source.frame)
        schema = _numbered(pa.schema([stored.schema.field(n) for n in self.names]))

        def numbered() -> Iterator[pa.RecordBatch]:
            for batch in stored:
                sid = keys.numbers(key_values(batch, keys.whole, source.name))
                columns: dict[str, Any] = {n: batch.column(n) for n in self.names}
                columns[SID] = pa.array(sid)
                yield pa.record_batch([columns[n] for n in schema.names], schema=schema)

        return pa.RecordBatchReader.from_batches(schema, numbered())
