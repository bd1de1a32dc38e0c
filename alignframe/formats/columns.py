"""Two columns of a table as the sides of a text, also of one without a header."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from os import PathLike, fspath

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrow import as_array, is_words
from alignframe.core.choices import JSON_LINES, TABLES
from alignframe.core.tokens import SIDES
from alignframe.errors import InputError, few_of, guessed, in_file, warn
from alignframe.formats.line_ids import are_ids, cells_of
from alignframe.formats.memories import memory_root, memory_texts
from alignframe.formats.text_kinds import is_conllu, refuse_other_kinds
from alignframe.read.lines import SNIFFED, TextFile
from alignframe.read.opening import is_stream, table_suffix
from alignframe.read.parquet import ParquetFiles, is_parquet
from alignframe.read.tables import LINE, numbered_table, read_table

_NAME = re.compile(r"[^\W\d][\w.-]*")
_NUMBERS = re.compile(r"\s*[^\s\d]*\d\S*(\s+[^\s\d]*\d\S*)*")
_LOOKED_AT = 1000


def is_table(file: TextFile) -> bool:
    """Whether a file has both sides in columns, or in units of XML.

    Columns show by its name, or if all lines have as many tabs, and no ``|||``.
    """
    if memory_root(file.path):
        return True
    if is_parquet(file.path) or (not is_stream(file.path) and table_suffix(file.path) in TABLES):
        return True
    line = _first_line(file)
    if has_sides(file) and b"," in line:
        return True
    if b"\t" not in line or b"|||" in line or is_conllu(file):
        return False
    refuse_other_kinds(file)
    head = file.head(SNIFFED)
    return cells_of(head if len(head) < SNIFFED // 2 else head[: head.rfind(b"\n")]) > 1


def has_sides(file: TextFile) -> bool:
    """Whether the first line of a table names the columns src and tgt."""
    line = _first_line(file).decode("utf-8", "replace")
    return "|||" not in line and {*SIDES} <= set(re.findall(r"\w+", line))


def _first_line(file: TextFile) -> bytes:
    return file.head(SNIFFED).lstrip(b"\r\n").partition(b"\n")[0]


def refuse_columns(columns: str | Sequence[str] | None) -> None:
    """Refuse columns of a text whose sides are two files."""
    if columns:
        raise InputError("`columns` with two files", expected="`columns` of one with both sides")


def column_texts(file: TextFile, columns: str | Sequence[str] | None = None) -> list[pa.Array]:
    """Return two columns of a table as the sides of a text.

    They are those of the names in its header or, without a header, of the numbers (from 1); by
    default src and tgt, or the only two without a header.
    """
    wanted = columns.split(",") if isinstance(columns, str) else [*(columns or ())]
    wanted = [str(name).strip() for name in wanted]
    if columns is not None and len({*wanted}) != 2:
        raise InputError(f"`columns` is {columns!r}", expected="two, such as 3,4 or en,fr")
    if root := memory_root(file.path):
        if wanted:
            raise InputError(f"`columns` for {root.upper()}, which has none", path=file.path)
        return memory_texts(file.path, root)
    numbered = bool(wanted) and all(map(str.isdecimal, wanted))
    with in_file(file.path):
        if is_parquet(file.path) or table_suffix(file.path) in JSON_LINES:
            frame = _unnested(read_table(file.path, "the text", file.encoding).drop(LINE))
            wanted = wanted or _translations(frame.columns)
            table, cells, headed, looks = frame.to_arrow(), frame.columns, True, [True]
            texts = [*range(len(cells))]
        else:
            refuse_other_kinds(file)
            table = numbered_table(file)
            rows = [[cell or "" for cell in row.values()] for row in table.slice(0, 2).to_pylist()]
            cells, looks = rows[0], [all(map(_NAME.fullmatch, row)) for row in rows]
            looks[0] = looks[0] or {*SIDES} <= {*cells}
            headed = not numbered and (bool(wanted) or looks[0])
            if headed:
                if len({*cells}) < len(cells):
                    raise InputError("two columns of the same name", line=1)
                table = table.slice(1).rename_columns(cells)
            elif numbered and looks == [True, False]:
                warn(
                    f"{fspath(file.path)}: the first line, {', '.join(cells)}, is read as text; if "
                    "these are the names of columns, give names instead of numbers"
                )
            texts = [k for k, column in enumerate(table.columns) if _has_text(column)]
        # Of more columns without a header, nothing says which two are meant.
        alone = not headed and len(cells) == len(texts) == 2
        chosen = wanted or (["1", "2"] if alone else SIDES)
        if not {*chosen} <= {*table.column_names}:
            by_tabs = table_suffix(file.path) != ".csv"
            raise _other_columns(cells, texts, wanted, headed and looks[0], by_tabs)
        if not wanted and not headed:
            guessed(file.path, columns="1 and 2, as there is no header")
        return [_texts(table[name]) for name in chosen]


def translation_columns(path: str | PathLike[str]) -> str | None:
    """Return both languages of the column of translations of Parquet or .jsonl, by their names."""
    if is_parquet(path):
        schema = ParquetFiles(path).schema
        kinds = {field.name: field.type for field in schema}
        parts = {name: [*kind] for name, kind in kinds.items() if pa.types.is_struct(kind)}
        names = [f"{name}.{part.name}" for name, own in parts.items() for part in own]
        names += schema.names
    elif is_stream(path) or table_suffix(path) not in JSON_LINES:
        return None
    else:
        try:
            row = json.loads(_first_line(TextFile(path)))
        except ValueError:
            return None  # which its reader says
        parts = {name: [*value] for name, value in row.items() if isinstance(value, dict)}
        names = [*row, *(f"{name}.{part}" for name, own in parts.items() for part in own)]
    return ",".join(_translations(names)) or None


def _translations(names: Sequence[str]) -> list[str]:
    """Return the two languages among names such as translation.en; nothing for other columns."""
    found = [name for name in names if "." in name]
    alone = len(found) == 2 and not {*SIDES} <= {*names}
    return found if alone and len({name.rpartition(".")[0] for name in found}) == 1 else []


def _unnested(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame with the fields of structs as columns, such as translation.en."""
    for name, kind in frame.schema.items():
        if isinstance(kind, pl.Struct):
            fields = [
                pl.col(name).struct.field(field.name).alias(f"{name}.{field.name}")
                for field in kind.fields
            ]
            frame = frame.with_columns(fields).drop(name)
    return frame


def _has_text(column: pa.ChunkedArray) -> bool:
    """Whether a column has text, not ids, scores or links, whose words all have digits."""
    cells = column.slice(0, _LOOKED_AT).drop_null().to_pylist()
    return not (all(map(_NUMBERS.fullmatch, cells)) or are_ids([cell.encode() for cell in cells]))


def _texts(column: pa.ChunkedArray) -> pa.Array:
    """Return a column of texts; in separated values, empty ones are missing.

    The mark of hunalign between the sentences of a bead is left out.
    """
    if is_words(column.type):
        return as_array(column)
    texts = pc.fill_null(column.cast(pa.string()), "")
    return as_array(pc.replace_substring(texts, " ~~~ ", " "))


def _other_columns(
    cells: list[str], places: list[int], wanted: list[str], headed: bool, by_tabs: bool
) -> InputError:
    """Return the error for a table in which the sides are not found; ``places`` may be them."""
    shown = [cell if len(cell) <= 20 else f"{cell[:17]}..." for cell in cells]
    each = shown if headed else [f"{k} ({cell!r})" for k, cell in enumerate(shown, 1)]
    one, other = places[:2] if len(places) > 1 else (0, 1)
    pair = f"{cells[one]},{cells[other]}" if headed and len(cells) > 1 else f"{one + 1},{other + 1}"
    todo = f"name two, such as `columns={pair}`"
    if headed:
        todo += f", or {one + 1},{other + 1} if these are no names"
    elif "|||" in cells[0]:
        todo = "leave `columns` out, as ||| separates the sides"
    elif len(places) == 1:
        todo = "give the other side as a second file"
    if by_tabs and len(places) > 1:
        todo += (
            "; or write each side to a file of its own, for example with: "
            f"cut -f{one + 1} FILE > SRC; cut -f{other + 1} FILE > TGT"
        )
    return InputError(
        f"the text has {'' if headed else 'no header, and '}the columns {few_of(each)}",
        expected=" and ".join(wanted) or "src and tgt, or two of text without a header",
        todo=todo,
    )
