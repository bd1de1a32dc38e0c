"""Sentences: columns of them, and translations and references as a shape of input.

A table of sentences has the column text; or words, as lists, with tags and perhaps lemmas; or
tokens, as lists of structs. It may have sid (by default rows are numbered from 0), system, and
columns of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import filterfalse
from os import fspath
from os.path import isfile
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrow import as_array, is_frame, is_list, is_text, is_words, refuse_missing
from alignframe.core.choices import SEPARATORS, TABLES
from alignframe.core.schemas import TOKENS, UNNAMED, with_options
from alignframe.core.tokens import composed
from alignframe.errors import InputError, in_file, sentence_name
from alignframe.formats.bitext import as_words, check_split, token_column
from alignframe.formats.files import files_of, is_several, translator_name
from alignframe.formats.line_ids import are_behind_ids
from alignframe.formats.sentences import read_sentences
from alignframe.formats.text_kinds import is_conllu
from alignframe.read.columns import plain_type
from alignframe.read.lines import TextFile
from alignframe.read.opening import is_unnamed, table_suffix
from alignframe.read.parquet import is_parquet
from alignframe.read.tables import LINE, read_table, stored_signature, whole_numbers
from alignframe.sources.ids import in_order_of
from alignframe.sources.keys import Growing
from alignframe.sources.source import (
    Shape,
    Source,
    as_listed,
    column_of,
    given,
    is_columns,
    is_path,
    only,
    wrong_type,
)
from alignframe.sources.tagged import PLAIN, TAGGED, with_tokens
from alignframe.typing import FilePath

SENTENCES = "a path, a column, or a list of texts or of lists of words"

# The columns that may hold sentences, the first that a table has.
_COLUMNS = ("text", "words", "tokens")

_FILE_NAME = re.compile(r"\S*/\S*|\S*\.[^\W\d_]\w*")
_SURROGATE = re.compile("[\ud800-\udfff]")


# Columns of sentences.


def sentence_array(value: object, what: str = "sentences") -> pa.Array:
    """Return sentences as texts, lists of words or lists of structs, whichever was given."""
    column = column_of(value := as_listed(value))
    if column is None:
        if not isinstance(value, (list, tuple)):
            raise wrong_type(value, what, SENTENCES)
        words = any(isinstance(item, (list, tuple)) for item in value)
        try:
            column = pa.array(value, TOKENS if words else pa.string())
        except (pa.ArrowException, TypeError, UnicodeEncodeError):
            wrong = next((item for item in value if not _is_sentence(item)), value)
            raise InputError(f"{what} with {ascii(wrong)[:60]}", expected=SENTENCES) from None
    kind = column.type
    if is_text(kind) or is_words(kind) or (is_list(kind) and pa.types.is_struct(kind.value_type)):
        return column
    raise InputError(f"{what} of type {kind}", expected=SENTENCES)


def _is_sentence(value: object) -> bool:
    """Whether something is a text or a list of words that Arrow can store."""
    words = value if isinstance(value, (list, tuple)) else [value]
    return all(
        word is None or (isinstance(word, str) and not _SURROGATE.search(word)) for word in words
    )


def text_array(value: object, what: str = "sentences", encoding: str = "utf-8") -> pa.StringArray:
    """Return sentences as texts. A file has one sentence per line."""
    if is_path(value):
        return read_sentences(value, encoding)
    column = sentence_array(value, what)
    if not is_text(column.type):
        raise InputError(f"{what} of type {column.type}", expected="texts, not lists of words")
    refuse_missing(column, what)
    return column.cast(pa.string())


def word_array(
    value: object, what: str = "sentences", encoding: str = "utf-8", *, checked: bool = True
) -> pa.Array:
    """Return sentences as lists of words; texts are split at spaces, and raw ones warned of."""
    if is_path(value):
        words = as_array(token_column(TextFile(value, encoding)))
        what = fspath(value)
    else:
        column = sentence_array(value, what)
        if not is_text(column.type) and not is_words(column.type):
            raise InputError(f"{what} of type {column.type}", expected=SENTENCES)
        words = as_words(column, what)
    if checked:
        check_split(words, what)
    return words


def is_text_table(value: object, name: str, *others: str) -> bool:
    """Whether something is a dict of columns with texts in the column ``name``."""
    if not is_columns(value, name) or not isinstance(value, Mapping):
        return False
    rest = [key for key in value if key not in (name, *others)]
    if not rest or not all(map(_has_texts, value.values())):
        return True
    raise InputError(
        f"a dict of lists of texts called {', '.join(map(str, value))}",
        expected="tables or paths by name; or the columns of one table, such as a polars DataFrame",
        todo=f"write {{{name!r}: {{{name!r}: [...]}}, ...}} if {name!r} is a name",
    )


def _has_texts(column: Iterable[object]) -> bool:
    """Whether a column has texts, not numbers or lists."""
    array = column_of(column)
    if array is not None:
        return is_text(array.type)
    return any(isinstance(item, str) for item in column)


# Translations and references.


def _is_translation(value: object) -> bool:
    """Whether something is one translation or table, as opposed to several."""
    if isinstance(value, Mapping):
        return is_text_table(value, "text", "sid", "system", *TAGGED) or (
            is_columns(value, "words") and not _has_texts(value["words"])
        )
    if not isinstance(value, (list, tuple)) or is_frame(value):
        return True
    kinds = {isinstance(item, str) for item in value if item is not None}
    if kinds == {True}:
        return not are_files(value)
    if True in kinds and any(isinstance(item, float) for item in value):
        return True  # with NaN for a missing text, which is refused as such
    return bool(value) and all(
        item is None or isinstance(item, (str, list, tuple)) for item in value
    )


def are_files(texts: Sequence[str | None]) -> bool:
    """Whether the strings in a list are all names of files, not sentences."""
    named = [text for text in texts if text is not None]
    absent = next(filterfalse(isfile, named), None)
    if absent is None:
        return len(named) == len(texts)
    # A name with a slash or a suffix is taken for a missing file beside files that exist.
    names = set(filter(_FILE_NAME.fullmatch, named))
    if any(map(isfile, names)) or all(map(isfile, filterfalse(names.__contains__, named))):
        raise InputError(
            "no such file",
            path=absent,
            todo="if this is a sentence, give the sentences as a column, such as a polars Series",
        )
    return False


def _read(
    path: FilePath,
    *,
    system: str | None = None,
    encoding: str = "utf-8",
    conllu: Any = None,
    keys: Growing | None = None,
) -> pa.Table:
    """Read a table, a file of one sentence per line, or CoNLL-U by the function ``conllu``."""
    del system  # named by the source
    file = fspath(path)
    with in_file(path):
        suffix = "" if is_unnamed(path) else table_suffix(path)
        lines = suffix in SEPARATORS and are_behind_ids(TextFile(path, encoding))
        if is_parquet(path) or (suffix in TABLES and not lines):
            table = _table(read_table(path, "the texts", encoding), keys)
            made = stored_signature(path) if "tokens" in table.column_names else ""
            return with_options(table, file=file, analysis=made or None)
        _refuse_key(keys)
        if conllu is not None and is_conllu(TextFile(path, encoding)):
            return with_options(with_tokens(conllu(path, encoding)), file=file)
        ids: list[bytes] = []
        table = _numbered(read_sentences(path, encoding, ids=ids))
        return with_options(table, file=file, lines="yes", ids=b"\n".join(ids).decode() or None)


def _held(value: object, keys: Growing | None = None) -> pa.Table:
    value = as_listed(value)
    if column_of(value) is None and is_frame(value):
        return _table(read_table(value, "a table"), keys)
    _refuse_key(keys)
    return _numbered(sentence_array(value))


def _numbered(sentences: pa.Array) -> pa.Table:
    kind = sentences.type
    name = _COLUMNS[0 if is_text(kind) else 1 if is_words(kind) else 2]
    return pa.table({"sid": np.arange(len(sentences)), name: sentences})


def _refuse_key(keys: Growing | None) -> None:
    """Raise an InputError for sentences without columns, if these are the key."""
    if keys is not None:
        raise InputError(
            "sentences without columns", expected=f"a table with {', '.join(keys.names)} (`on`)"
        )


def _table(frame: pl.DataFrame, keys: Growing | None = None) -> pa.Table:
    """Return a table of sentences with checked numbers, each once in its system."""
    own = [name for name in frame.columns if name == "system"]
    frame = frame.with_columns(pl.col(own).cast(pl.String))
    if own and frame["system"].null_count():
        at = int(frame["system"].is_null().arg_true()[0])
        raise InputError("a row without a system", line=frame[LINE][at])
    row = pl.int_range(pl.len())
    sids = (
        keys.numbers(frame.drop(LINE).to_arrow(compat_level=PLAIN), "the table")
        if keys is not None
        else whole_numbers(frame, "sid", 0)
        if "sid" in frame.columns
        else frame.select(sid=row.over(own) if own else row)["sid"]
    )
    frame = frame.with_columns(sids)
    if not own and not sids.is_sorted():
        frame = frame.sort("sid", maintain_order=True)
    twice = frame.select(~pl.struct(*own, "sid").is_first_distinct()).to_series()
    if twice.any():
        at = int(twice.arg_true()[0])
        of = f" of the system {frame['system'][at]!r}" if own else ""
        raise InputError(
            f"sentence {sentence_name(frame['sid'][at])}{of} more than once",
            line=frame[LINE][at],
            expected="each once",
        )
    return with_tokens(frame.drop(LINE).to_arrow(compat_level=PLAIN))


def _is_long(schema: pa.Schema) -> bool:
    """Refuse a table without sentences."""
    held = next((name for name in _COLUMNS if name in schema.names), None)
    if held is None or (held == "text" and not is_text(schema.field(held).type)):
        raise InputError(
            f"the columns {', '.join(schema.names[:8]) or '(none)'}"
            if held is None
            else f"a column text of type {schema.field(held).type}",
            expected="text, of texts; or words and tags; or the sid and tokens of tesla words",
        )
    return False


TEXTS = Shape(
    "texts", _is_translation, _read, _held, _is_long, file_is_system=True, own_name=translator_name
)


def _shape(keys: Growing | None) -> Shape:
    """Return the shape of sentences, which ``keys`` identify."""
    if keys is None:
        return TEXTS
    return replace(TEXTS, read=partial(_read, keys=keys), held=partial(_held, keys=keys))


def systems_of(
    hyp: object,
    first: Source,
    encoding: str = "utf-8",
    keys: Growing | None = None,
    **reading: object,
) -> dict[str, Source]:
    """Return each system's translations by name, in the order of the reference."""
    return {
        name: in_order_of(first, translations)
        for source in given(hyp, _shape(keys), "translations", encoding=encoding, **reading)
        for name, translations in by_system(source)
    }


def references_of(
    ref: Any, encoding: str = "utf-8", keys: Growing | None = None, **reading: Any
) -> list[Source]:
    """Return one reference or several, in the order of the first; see ``systems_of``."""
    several = not _is_reference(ref)
    each = [
        file
        for item in (ref if several else [ref])
        for file in (files_of(item) if is_path(item) and is_several(item) else [item])
    ]
    several = several or len(each) > 1
    references: list[Source] = []
    for number, reference in enumerate(each, 1):
        name = f"reference {number}" if several else "the reference"
        source = only(reference, _shape(keys), name, encoding=encoding, **reading)
        references.append(in_order_of(references[0], source) if references else source)
    if not references or not references[0].frame.num_rows:
        raise InputError("the reference has no sentences", expected="one or more")
    return references


def _is_reference(value: object) -> bool:
    """Whether something is one reference: of lists in a list, each is one, unlike translations."""
    if not isinstance(value, (list, tuple)) or is_frame(value):
        return True
    return _is_translation(value) and not any(isinstance(item, (list, tuple)) for item in value)


def by_system(source: Source) -> Iterator[tuple[str, Source]]:
    """Yield each system of a table of translations with its name."""
    path, several = source.note("file"), "system" in source.columns
    own = source.frame["system"].unique().to_pylist() if several else [UNNAMED]
    for stored, name in zip(own, source.systems(), strict=True):
        table = source.frame
        if several:
            table = table.filter(pc.equal(table["system"], stored)).drop_columns("system")
        called = f"the system {name!r}" + (f" ({path})" if path else "")
        yield name, replace(source, frame=table, schema=table.schema, name=called, renamed={})


def sentences_of(source: Source) -> pa.Array:
    """Return the sentences of a source: texts, or lists of words or of structs."""
    column = as_array(source.frame[_column(source)])
    return column.cast(pa.string() if is_text(column.type) else plain_type(column.type))


def is_composed(source: Source) -> bool:
    """Whether sentences are in the Unicode form NFC."""
    sentences = sentences_of(source)
    return composed(sentences) is sentences


def texts_of(source: Source) -> pa.Array:
    """Return the sentences of a source that must be texts."""
    if _column(source) != "text":
        raise InputError(
            f"{source.name} has the columns {', '.join(source.columns)}",
            expected="the column text, of texts, not lists of words",
        )
    return sentences_of(source)


def _column(source: Source) -> str:
    return next(name for name in _COLUMNS if name in source.columns)


def about_of(source: Source) -> pl.DataFrame:
    """Return what a table says about its sentences: sid, and columns other than themselves."""
    kept = [
        field.name
        for field in source.frame.schema
        if field.name not in _COLUMNS and not pa.types.is_nested(field.type)
    ]
    frame = pl.DataFrame(pl.from_arrow(source.frame.select(kept)))
    return frame.select("sid", pl.exclude("sid"))
