"""Resolving every kind of input into Arrow tables of one layout.

A table is any frame (see ``alignframe.arrow``), a dict of columns, a list of dicts or a path.
Sentences are a path, an open text file, a column, or a list of texts or of lists of words. A bitext
is a table with src and tgt, a pair of sentence sources, or a list of pairs. ``alignframe.typing``
has the types; ``read.links`` and ``formats.bead_table`` read lists of links and beads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Sized
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.arrow import (
    TABLE,
    is_frame,
    is_text,
    is_words,
    refuse_missing,
    require_columns,
    schema_of,
    to_reader,
)
from alignframe.choices import JSON_LINES, SEPARATORS
from alignframe.errors import InputError
from alignframe.formats.bitext import check_split, read_bitext, split_texts
from alignframe.parquet import ParquetFiles, is_parquet
from alignframe.read.opening import table_suffix
from alignframe.read.source import column_of, is_path, refused
from alignframe.read.tables import typed_table
from alignframe.read.texts import word_array
from alignframe.tables import TOKENS
from alignframe.tokens import SIDES, composed
from alignframe.typing import FilePath

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

BITEXT = (
    "a table with src and tgt or its path, two lists of sentences, or a list of pairs of sentences"
)

# Tables.


def table_of(
    given: Any, what: str, needed: Sequence[str] = (), text: Sequence[str] = ()
) -> pa.Table:
    """Return any table in memory, checked for the columns ``needed``.

    ``text`` names the columns of a .csv or .tsv to read as text whatever their values; ``["*"]``
    means all.
    """
    path = given if is_path(given) else None
    if path is not None:
        table = _read_table(path, what, needed, text)
    elif isinstance(given, pa.Table):
        table = given
    else:
        table = to_reader(given, what).read_all()
    require_columns(table.schema, needed, what, None if path is None else str(path))
    return table


def frame_of(given: Any, what: str, needed: Sequence[str] = ()) -> pl.DataFrame:
    """Return the table of ``table_of`` as a polars frame."""
    return pl.DataFrame(pl.from_arrow(table_of(given, what, needed)))


def _read_table(path: FilePath, what: str, needed: Sequence[str], text: Sequence[str]) -> pa.Table:
    if is_parquet(path):
        files = ParquetFiles(path)
        require_columns(files.schema, needed, what, str(path))
        return files.reader().read_all().replace_schema_metadata(files.metadata)
    return typed_table(path, what, text)


def table_with_texts(
    given: Any, what: str, needed: Sequence[str], others: Sequence[str] = ()
) -> pa.Table:
    """Return a table whose columns ``needed`` are texts, in .csv and .tsv empty ones if blank.

    In these, columns among ``others`` are read as text as well.
    """
    is_separated = is_path(given) and table_suffix(given) in SEPARATORS  # a pipe is read only once
    table = table_of(given, what, needed, [*needed, *others])
    for name in needed if is_separated else ():
        column = pc.fill_null(table[name].cast(pa.string()), "")
        table = table.set_column(table.schema.get_field_index(name), name, column)
    return table


# Bitexts.


class Bitext:
    """A bitext, resolved.

    Parameters
    ----------
    given
        A table with src and tgt (lists of words, or texts, which are split at spaces) or its path;
        a path of lines ``source ||| target``; a tuple of two sides; a list of pairs of sentences;
        or a ``Bitext``.
    tgt
        The target side, if ``given`` is only the source side.
    what
        Its name in errors.

    Raises
    ------
    InputError
        If it is none of these, a column is missing, or the sides differ in length.
    """

    def __init__(self, given: Any, tgt: Any = None, what: str = "the text") -> None:
        self.what = what
        self.unchecked = True
        self.files: ParquetFiles | None = None
        self.frame: Any = None
        self.schema: pa.Schema
        if isinstance(given, Bitext):
            self.files, self.frame, self.schema = given.files, given.frame, given.schema
            return
        if tgt is not None and is_frame(given) and column_of(given) is None:
            raise InputError(
                "a table beside a target side",
                expected="two sides, or one table with src and tgt",
                todo="give options by their names, such as model='hmm'",
            )
        if tgt is not None:
            given = given, tgt
        if isinstance(given, ParquetFiles) or (is_path(given) and is_parquet(given)):
            self.files = given if isinstance(given, ParquetFiles) else ParquetFiles(given)
            schema = self.files.schema
        else:
            self.frame = _bitext_frame(given, what)
            schema = schema_of(self.frame)
        require_columns(schema, SIDES, what, self.files.name if self.files else None)
        self.schema = pa.schema([_word_field(field) for field in schema])
        for side in SIDES:
            kind = self.schema.field(side).type
            if not is_words(kind):
                raise InputError(
                    f"a column {side} of type {kind}",
                    expected="a list of words per sentence, or a text",
                )

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        """Yield batches; from Parquet, only the existing columns among ``columns``."""
        if self.files is not None:
            known = None if columns is None else [n for n in columns if n in self.schema.names]
            batches: Any = self.files.batches(known)
        else:
            batches = to_reader(self.frame)
        first = 0
        for batch in batches:
            for side in SIDES:
                at = batch.schema.get_field_index(side)
                if at < 0:
                    continue
                refuse_missing(batch.column(at), f"{side} of {self.what}", first)
                words = batch.column(at)
                if _is_split(words.type):
                    words = split_texts(words, f"{side} of {self.what}")
                    if self.unchecked:
                        check_split(words, f"{side} of {self.what}")
                batch = batch.set_column(at, side, composed(words))
            self.unchecked = False
            first += batch.num_rows
            yield batch

    def table(self, columns: Sequence[str] | None = None) -> pa.Table:
        """Return the bitext, or some of its columns, in memory."""
        names = self.schema.names if columns is None else columns
        schema = pa.schema([self.schema.field(n) for n in names if n in self.schema.names])
        batches = [batch.select(schema.names) for batch in self.batches(schema.names)]
        return pa.Table.from_batches(batches, batches[0].schema if batches else schema)

    def held(self) -> Bitext:
        """Return a bitext that can be read several times."""
        if isinstance(self.frame, pa.RecordBatchReader):
            return Bitext(self.table(), what=self.what)
        return self

    def register(self, connection: DuckDBPyConnection, name: str) -> None:
        """Make a view of the bitext; DuckDB reads Parquet itself."""
        split = self.files and any(_is_split(self.files.schema.field(one).type) for one in SIDES)
        rows = None if self.files is None or split else self.files.sql()
        if rows is not None:
            connection.sql(f"from {rows}").create_view(name)
        else:
            connection.register(name, self.table())


def _word_field(field: pa.Field) -> pa.Field:
    return pa.field(field.name, TOKENS) if field.name in SIDES and _is_split(field.type) else field


def _is_split(kind: pa.DataType) -> bool:
    return is_text(kind) and not pa.types.is_null(kind)


def _bitext_frame(given: Any, what: str) -> Any:
    if is_path(given):
        suffix = table_suffix(given)
        if suffix in SEPARATORS or suffix in JSON_LINES:
            return table_with_texts(given, what, SIDES)
        return read_bitext(given)
    sides: tuple[Any, Any] | None = None
    if isinstance(given, tuple) and len(given) == 2:
        sides = given[0], given[1]
    elif isinstance(given, list) and given and not is_frame(given):
        if not all(isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in given):
            raise refused(given, what, BITEXT)
        sides = [one for one, _ in given], [other for _, other in given]
    if sides is None:
        if not is_frame(given):
            raise refused(given, what, BITEXT)
        # Kept unread if it can be read repeatedly; a stream can be read only once.
        return to_reader(given) if isinstance(given, (list, Mapping)) else given
    if all(is_path(side) for side in sides):
        return read_bitext(*sides)
    words = [word_array(one, f"the {side} side") for one, side in zip(sides, SIDES, strict=True)]
    check_parallel(*words)
    return pa.table([pa.array(np.arange(len(words[0]))), *words], names=["sid", *SIDES])


def check_parallel(src: Sized, tgt: Sized) -> None:
    """Raise an InputError if the sides of a text differ in length."""
    if len(src) != len(tgt):
        raise InputError(
            f"{len(src):,} source sentences and {len(tgt):,} target sentences",
            expected="parallel sides with the same number of sentences",
        )


def word_pairs(given: Any) -> pa.Table:
    """Return word pairs from a list of pairs or a table with src and tgt."""
    if isinstance(given, (list, tuple)) and all(isinstance(one, (list, tuple)) for one in given):
        if not all(len(one) == 2 and all(isinstance(w, str) for w in one) for one in given):
            raise refused(given, "a list of words", f"pairs of words, or {TABLE}")
        return pa.table(
            {side: pa.array([p[k] for p in given], pa.string()) for k, side in enumerate(SIDES)}
        )
    return table_of(given, "the list of words", SIDES, text=SIDES)
