"""Links of a place as a polars LazyFrame."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from os import PathLike

import polars as pl
import pyarrow as pa
from polars.io.plugins import register_io_source

from alignframe.read.columns import constant
from alignframe.read.parquet import ParquetFiles
from alignframe.sources.links import LINKS
from alignframe.sources.source import only
from alignframe.stores.store import Keys


def scan_links(place: str | PathLike[str]) -> pl.LazyFrame:
    """Scan links lazily, as polars scans its own files.

    Of a lake, only the partitions, columns and rows are read that a query needs, a row group at a
    time: with ``collect(engine="streaming")`` it may be larger than memory.

    Parameters
    ----------
    place
        A Parquet file, a glob, a folder, optionally hive-partitioned, a Delta or Iceberg table,
        ``s3://``; or a file of links in any format, which is read at once.

    Returns
    -------
    polars.LazyFrame
        The columns of the place, its partition keys among them.

    Raises
    ------
    InputError
        If the place does not exist or has no links.

    Examples
    --------
    >>> from alignframe import scan_links
    >>> links = scan_links("datasets/en-fr/eager.talp")
    >>> links.filter(sid=0).select("sid", n=pl.col("links").list.len()).collect().rows()
    [(0, 30)]
    """
    source = only(place, LINKS)
    files = source.files
    if files is None:
        return pl.DataFrame(pl.from_arrow(source.table())).lazy()

    schema = files.schema

    def rows(
        columns: list[str] | None, predicate: pl.Expr | None, most: int | None, _: int | None
    ) -> Iterator[pl.DataFrame]:
        kept = [name for name in schema.names if columns is None or name in columns]
        # The predicate is of the first rows, if few are wanted; so none may be passed over.
        for batch in _batches(files, kept, predicate, skips=most is None):
            frame = pl.DataFrame(pl.from_arrow(batch))
            if most is not None:
                frame = frame.head(most)
                most -= frame.height
            if predicate is not None:
                frame = frame.filter(predicate)
            yield frame.select(kept)
            if most == 0:
                return

    empty = pl.DataFrame(pl.from_arrow(schema.empty_table()))
    return register_io_source(rows, schema=empty.schema)


def _batches(
    files: ParquetFiles, kept: Sequence[str], predicate: pl.Expr | None, *, skips: bool
) -> Iterator[pa.RecordBatch]:
    """Yield the rows that a predicate may hold for, or all, with its columns and those kept."""
    units = files.units()
    # A file may have as a column what is a key of others.
    names = set[str].intersection(*({*dict(keys)} for keys in units)) if units else set[str]()
    wanted = [] if predicate is None else predicate.meta.root_names()
    parts = list(_conjuncts(predicate)) if predicate is not None and skips else []
    parts = [part for part in parts if part.meta.root_names()]  # others may be of whole tables
    of_keys = [part for part in parts if {*part.meta.root_names()} <= names]
    others = [part for part in parts if not {*part.meta.root_names()} <= names]
    asked = {name for part in others for name in part.meta.root_names()}
    both = _chosen(files, {*kept, *wanted})
    for keys in units:
        if of_keys and _unit(files, keys, names).filter(of_keys).is_empty():
            continue
        for part in files.exactly(keys).parts():
            # Links take most of the time to read, and a predicate is mostly about other columns.
            if others and {*kept} - asked:
                few = _chosen(files, asked)
                tables = (pl.DataFrame(one.cast(few)) for one in part.batches(few.names))
                if all(table.filter(others).is_empty() for table in tables):
                    continue
            for batch in part.batches(both.names):
                yield batch.cast(both)


def _chosen(files: ParquetFiles, names: set[str]) -> pa.Schema:
    return pa.schema([field for field in files.schema if field.name in names])


def _unit(files: ParquetFiles, keys: Keys, names: set[str]) -> pl.DataFrame:
    """Return the keys of a partition as a row."""
    fields = _chosen(files, names)
    cells = {one.name: constant(dict(keys), one.name, 1, one.type) for one in fields}
    return pl.DataFrame({one.name: cells[one.name].cast(one.type) for one in fields})


def _conjuncts(predicate: pl.Expr) -> Iterator[pl.Expr]:
    """Yield the predicates that a predicate joins by "and"."""
    # Polars has no other way to look into an expression; a whole one only means more reading.
    with suppress(pl.exceptions.PolarsError, ValueError, KeyError, TypeError):
        tree = json.loads(predicate.meta.serialize(format="json"))["BinaryExpr"]
        if tree["op"] == "And":
            sides = [
                pl.Expr.deserialize(io.StringIO(json.dumps(tree[side])), format="json")
                for side in ("left", "right")
            ]
            for side in sides:
                yield from _conjuncts(side)
            return
    yield predicate
