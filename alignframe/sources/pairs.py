"""Pairs of sentences, a bitext, as a shape of input: files, tables, two sides or lists of pairs."""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from os import fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from alignframe.core.arrow import is_frame, is_text, is_words, require_columns, to_reader
from alignframe.core.choices import JSON_LINES, SEPARATORS
from alignframe.core.tokens import SIDES
from alignframe.errors import InputError, in_file
from alignframe.formats.bitext import TextFiles, as_words
from alignframe.formats.columns import has_sides, refuse_columns, translation_columns
from alignframe.formats.files import is_glob
from alignframe.read.lines import TextFile
from alignframe.read.opening import pattern_of, table_suffix
from alignframe.read.parquet import is_parquet
from alignframe.sources.source import (
    Shape,
    Source,
    column_of,
    is_path,
    only,
    warn_of_one_file,
    wrong_type,
)
from alignframe.sources.texts import word_array
from alignframe.sources.words import check_parallel, table_with_texts
from alignframe.typing import Arguments, FilePath

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_WORDS = (*SIDES, "src_tags", "tgt_tags")
_FORMS = (
    "a table with src and tgt or its path, two lists of sentences, or a list of pairs of sentences"
)


def sentence_pairs(
    src: object,
    tgt: object = None,
    what: str = "the text",
    encoding: str = "utf-8",
    columns: str | None = None,
) -> Source:
    """Return a bitext, or the sentences of both sides, as a source of sid, src and tgt.

    Parameters
    ----------
    src
        A table with src and tgt (lists of words, or texts, which are split at spaces) or its path;
        a path of lines ``source ||| target``; a tuple of two sides; a list of pairs of sentences.
    tgt
        The target side, if ``src`` is only the source side.
    what
        Its name in errors.
    encoding
        Character encoding of text.
    columns
        The two columns of a table that hold the sides: numbers from 1, without a header, or names.
    """
    if src is None:
        raise InputError("no text", expected="the words of both sides")
    if tgt is None:
        reading: Arguments = {"columns": columns} if columns else {}
        if is_path(src) and not is_parquet(src):
            reading["encoding"] = encoding
        if is_path(src) and columns is None and (found := translation_columns(src)) is not None:
            reading["columns"] = found
        shape = replace(PAIRS, is_long=partial(_is_long, what=what))
        return only(src, shape, what, **reading)
    refuse_columns(columns)
    if is_path(src) and is_glob(src) and (files := glob.glob(fspath(src))):
        with in_file(src):
            raise pattern_of(len(files))
    if is_path(src) and Path(src).is_dir():
        raise InputError(
            "a folder as the source side, beside a target side",
            path=src,
            expected="a text file for each side, or Parquet with both sides alone",
        )
    if is_frame(src) and column_of(src) is None:
        raise InputError(
            "a table beside a target side",
            expected="two sides, or one table with src and tgt",
            todo="give options by their names, such as model='hmm'",
        )
    return only(_side_by_side(src, tgt, encoding), PAIRS, what)


def _side_by_side(src: object, tgt: object, encoding: str = "utf-8") -> Any:
    if is_path(src) and is_path(tgt):
        warn_of_one_file(src, tgt)
        return TextFiles(src, tgt, encoding)
    sides = [
        word_array(given, f"the {side} side", encoding, checked=False)
        for side, given in zip(SIDES, (src, tgt), strict=True)
    ]
    check_parallel(*sides)
    return pa.table([np.arange(len(sides[0])), *sides], names=["sid", *SIDES])


def _read(
    path: FilePath, *, system: str | None, encoding: str = "utf-8", columns: str | None = None
) -> Any:
    """Return the file of a table, or of both sides, as a frame."""
    del system
    suffix = table_suffix(path)
    named = suffix in JSON_LINES or (suffix in SEPARATORS and has_sides(TextFile(path, encoding)))
    if named and not columns:
        return table_with_texts(path, "the text", SIDES)
    return TextFiles(path, None, encoding, columns)


def _held(value: Any) -> Any:
    """Return pairs other than paths as a frame, which stays unread unless it is a Python object."""
    if isinstance(value, tuple) and len(value) == 2:
        return _side_by_side(*value)
    if is_frame(value):
        return to_reader(value).read_all() if isinstance(value, (list, Mapping)) else value
    listed = isinstance(value, list) and all(isinstance(pair, (list, tuple)) for pair in value)
    if not value or not listed or any(len(pair) != 2 for pair in value):
        raise wrong_type(value, "the text", _FORMS)
    return _side_by_side([own for own, _ in value], [other for _, other in value])


def _is_long(schema: pa.Schema, what: str = "the text") -> bool:
    require_columns(schema, SIDES, what)
    for field in schema:
        kind = field.type
        if field.name in _WORDS and not is_words(kind) and (not is_text(kind) or kind == pa.null()):
            raise InputError(
                f"a column {field.name} of type {kind}",
                expected="a list of words per sentence, or a text",
            )
    return False


def _columns(schema: pa.Schema, keep: Sequence[str]) -> list[str]:
    return [name for name in ("sid", *SIDES, *keep) if name in schema.names]


def _layout(
    batches: Iterator[pa.RecordBatch], source: Source, keep: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    """Yield sid (by default the number of the row) and lists of words, none missing, in NFC."""
    names = _columns(source.schema, keep)
    rows = 0

    def worded(batch: pa.RecordBatch) -> pa.RecordBatch:
        columns = {"sid": pa.array(np.arange(rows, rows + batch.num_rows))}
        for name in names:
            column = batch.column(name)
            if name != "sid":
                column = as_words(column, f"{name} of {source.name}", rows)
            columns[name] = column
        return pa.record_batch(columns)

    for batch in batches:
        yield worded(batch)
        rows += batch.num_rows
    if not rows:  # at least one batch, for its columns
        yield worded(pa.RecordBatch.from_pylist([], schema=source.schema))


PAIRS = Shape("the text", lambda _: True, _read, _held, _is_long, _columns, _layout, in_order=True)


def register(
    connection: DuckDBPyConnection,
    text: Source,
    name: str,
    prepared: Callable[[pa.Table], pa.Table] = lambda table: table,
) -> None:
    """Make a view of a text, ``prepared`` if it is held; DuckDB reads Parquet of words itself."""
    split = any(is_text(text.schema.field(side).type) for side in SIDES)
    rows = None if text.files is None or split else text.files.sql()
    if rows is None:
        connection.register(name, prepared(text.table()))
    else:
        connection.sql(f"from {rows}").create_view(name)
