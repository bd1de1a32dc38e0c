"""Resolving every kind of input into Arrow tables of one layout.

A table is any frame (see ``alignframe.core.arrow``), a dict of columns, a list of dicts or a path.
``alignframe.typing`` has the types; ``sources.texts``, ``sources.pairs``, ``sources.links`` and
``formats.bead_table`` read sentences, pairs of them, links and beads.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Sized
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrow import TABLE, is_text, require_columns, to_reader, to_table
from alignframe.core.choices import JSON_LINES, SEPARATORS
from alignframe.core.tokens import SIDES
from alignframe.errors import InputError, in_file
from alignframe.formats.word_list import read_weighed, read_word_list
from alignframe.read.lines import BLANKS, SNIFFED
from alignframe.read.opening import peek, table_suffix
from alignframe.read.parquet import ParquetFiles, is_parquet
from alignframe.read.tables import typed_table
from alignframe.sources.source import is_path, wrong_type
from alignframe.typing import FilePath

# Tables.


def table_of(
    given: object, what: str, needed: Sequence[str] = (), text: Sequence[str] = ()
) -> pa.Table:
    """Return any table in memory, checked for columns; ``text`` are read as text, ``["*"]`` all."""
    with in_file(given):
        if is_path(given):
            table = _read_table(given, what, needed, text)
        elif isinstance(given, pa.Table):
            table = given
        else:
            table = to_reader(given, what).read_all()
        require_columns(table.schema, needed, what)
    return table


def lexicon_table(given: object, what: str, needed: Sequence[str] = SIDES) -> pa.Table:
    """Return a lexicon: a table, or a file of pairs of words, whose order or p makes their ranks.

    Files with the suffix of a table, and those whose first line names src and tgt, are tables.
    """
    if not is_path(given) or is_parquet(given):
        return table_of(given, what, needed, text=SIDES)
    with in_file(given):
        suffix = "" if Path(given).is_dir() else table_suffix(given)
        if suffix in (*SEPARATORS, *JSON_LINES):
            return table_of(given, what, needed, text=SIDES)
        if set(SIDES) <= set(
            _NAME.findall(peek(given, SNIFFED).partition(b"\n")[0].decode("latin-1"))
        ):
            table = typed_table(given, what, SIDES, is_known=True)
            require_columns(table.schema, needed, what)
            return table
        table = read_weighed(given)
    ranks = pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over("src").alias("rank")
    frame = pl.DataFrame(pl.from_arrow(table))
    if "p" in frame.columns:
        frame = frame.sort("p", descending=True, maintain_order=True)
    return frame.with_columns(ranks).sort("src", "rank").to_arrow(compat_level=_PLAIN)


_NAME = re.compile(r"\w+")
_PLAIN = pl.CompatLevel.oldest()


def frame_of(given: object, what: str, needed: Sequence[str] = ()) -> pl.DataFrame:
    """Return the table of ``table_of`` as a polars frame."""
    return pl.DataFrame(pl.from_arrow(table_of(given, what, needed)))


def _read_table(path: FilePath, what: str, needed: Sequence[str], text: Sequence[str]) -> pa.Table:
    if is_parquet(path):
        files = ParquetFiles(path)
        require_columns(files.schema, needed, what)
        return to_table(files).replace_schema_metadata(files.metadata)
    return typed_table(path, what, text)


def table_with_texts(
    given: object, what: str, needed: Sequence[str], others: Sequence[str] = ()
) -> pa.Table:
    """Return a table whose columns ``needed`` are texts, in .csv and .tsv empty ones if blank."""
    is_separated = is_path(given) and table_suffix(given) in SEPARATORS  # a pipe is read only once
    table = table_of(given, what, needed, [*needed, *others])
    for name in needed if is_separated else ():
        column = pc.fill_null(table[name].cast(pa.string()), "")
        table = table.set_column(table.schema.get_field_index(name), name, column)
    return table


def check_parallel(src: Sized, tgt: Sized) -> None:
    """Raise an InputError if the sides of a text differ in length."""
    if len(src) != len(tgt):
        raise InputError(
            f"{len(src):,} source sentences and {len(tgt):,} target sentences",
            expected="parallel sides with the same number of sentences",
        )


def word_pairs(given: object) -> pa.Table:
    """Return word pairs from a file of them, a list of pairs or a table with src and tgt."""
    if is_path(given):
        return read_word_list(given)
    table = given
    if isinstance(given, (list, tuple)) and all(isinstance(pair, (list, tuple)) for pair in given):
        if not all(len(pair) == 2 and all(isinstance(w, str) for w in pair) for pair in given):
            raise wrong_type(given, "a list of words", f"pairs of words, or {TABLE}")
        table = pa.table(
            {side: pa.array([p[k] for p in given], pa.string()) for k, side in enumerate(SIDES)}
        )
    table = table_of(table, "the list of words", SIDES)
    for field in map(table.schema.field, SIDES):
        if pa.types.is_nested(field.type):
            raise InputError(
                f"a column {field.name} of type {field.type}", expected="a word in every row"
            )
        if is_text(field.type):
            words = pc.utf8_trim(table[field.name].cast(pa.string()), BLANKS)
            table = table.set_column(table.schema.names.index(field.name), field.name, words)
    return table
