"""Pairs of sentences as a table with everything that is known of them: ids, scores, notes."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from alignframe.core.choices import TABLES
from alignframe.core.output import file_name, make_folder, together, write_table
from alignframe.core.suffixes import PAIRS
from alignframe.core.tokens import SIDES
from alignframe.errors import InputError, in_file, warn
from alignframe.formats.bead_table import DOCUMENT, Languages
from alignframe.formats.files import files_by_name, is_several
from alignframe.formats.memories import memory_root
from alignframe.formats.tmx_units import (
    check_pairs,
    has_notes,
    joined_units,
    languages_of,
    read_units,
    with_languages,
    write_units,
)
from alignframe.formats.xliff import read_xliff
from alignframe.read.lines import head_of
from alignframe.read.opening import table_suffix
from alignframe.read.parquet import ParquetFiles
from alignframe.read.tables import typed_table


def is_pairs(path: str | PathLike[str]) -> bool:
    """Whether a file is TMX or XLIFF, or a table with the columns src and tgt of text."""
    if path == "-":
        return False
    if is_several(path):
        return all(map(is_pairs, files_by_name(path).values()))
    if not Path(path).is_file():
        return False
    head = head_of(path)
    if head is None:
        schema = ParquetFiles(path).schema
        return {*SIDES} <= {*schema.names} and all(_is_text(schema.field(s).type) for s in SIDES)
    if memory_root(path):
        return True
    if table_suffix(path) not in TABLES:
        return False
    first = head.partition(b"\n")[0].decode(errors="replace")
    return all(f'"{side}"' in first or side in _cells(first) for side in SIDES)


def _cells(line: str) -> list[str]:
    mark = next((mark for mark in "\t;," if mark in line), ",")
    return [cell.strip().strip('"') for cell in line.lstrip("\ufeff").split(mark)]


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def read_pairs(
    path: str | PathLike[str],
    languages: Languages | None = None,
    *,
    doc: str = DOCUMENT,
    encoding: str = "utf-8",
) -> pa.Table:
    r"""Read pairs as a table, with all columns; those of TMX are in ``read_units``.

    Parameters
    ----------
    path
        TMX; XLIFF 1.2 or 2; or Parquet, .csv, .tsv or .jsonl with the columns src and tgt of text.
        Also a folder, a glob or ``@FILE`` with a list of files, named after documents.
    languages, doc
        See ``read_tmx``.
    encoding
        Character encoding of text.

    Returns
    -------
    pyarrow.Table
        The columns src and tgt, and the others.

    Raises
    ------
    InputError
        If a text is missing, or the file cannot be read.

    Examples
    --------
    >>> from pathlib import Path
    >>> from alignframe import formats
    >>> _ = Path("pairs.csv").write_text("src,tgt,domain\nOne.,Un.,law\n")
    >>> formats.read_pairs("pairs.csv").to_pylist()
    [{'src': 'One.', 'tgt': 'Un.', 'domain': 'law'}]
    """
    if is_several(path):
        several = files_by_name(path).items()
        return joined_units(
            [read_pairs(own, languages, doc=name, encoding=encoding) for name, own in several]
        )
    head = head_of(path)
    if head is None:
        files = ParquetFiles(path)
        table = files.reader().read_all()
        notes = pq.read_schema(files.files()[0].path).metadata  # the header of TMX
        table = table.replace_schema_metadata(notes)
    elif root := memory_root(path):
        return read_units(path, languages, doc=doc) if root == "tmx" else _of_xliff(path)
    else:
        table = typed_table(path, "the pairs", SIDES, encoding)
    with in_file(path):
        check_pairs(table)
    return table


def _write_folder(table: pa.Table, folder: Path, languages: Languages | None) -> int:
    """Write a TMX of each document."""
    docs = table["doc"].unique().to_pylist() if "doc" in table.column_names else [DOCUMENT]
    make_folder(folder)
    with together():
        for doc in docs:
            if doc != Path(doc).name:
                raise InputError(
                    f"the document {doc!r}, whose name is no name of a file", path=folder
                )
            own = table if len(docs) == 1 else table.filter(pc.equal(table["doc"], doc))
            write_pairs(own, folder / file_name(doc, ".tmx"), languages)
    return int(table.num_rows)


def _of_xliff(path: str | PathLike[str]) -> pa.Table:
    table, languages = read_xliff(path)
    return table if languages is None else with_languages(table, languages)


def write_pairs(
    table: pa.Table,
    path: str | PathLike[str],
    languages: Languages | None = None,
    *,
    format: str | None = None,
) -> int:
    """Write pairs with all that is known of them, and return their number.

    Parameters
    ----------
    table
        The columns src and tgt, and others; see ``read_pairs``.
    path
        TMX, or a table: Parquet, .csv, .tsv or .jsonl; or a folder, for a TMX of each document.
    languages
        For TMX, the languages; by default those it was read with.
    format
        ``tmx``, ``parquet``, ``csv``, ``tsv`` or ``jsonl``; by default from the suffix.

    Examples
    --------
    >>> from pathlib import Path
    >>> import pyarrow as pa
    >>> from alignframe import formats
    >>> pairs = pa.table({"src": ["One."], "tgt": ["Un."], "domain": ["law"]})
    >>> formats.write_pairs(pairs, "pairs.tmx", ("en", "fr"))
    1
    >>> '<prop type="domain">law</prop>' in Path("pairs.tmx").read_text()
    True
    """
    if fspath(path).endswith("/") or Path(path).is_dir():
        return _write_folder(table, Path(path), languages)
    if PAIRS.chosen(path, format) == "tmx":
        chosen = languages or languages_of(table)
        if chosen is None:
            raise InputError(
                "pairs without languages", path=path, todo="name them (`languages`): en,fr"
            )
        return write_units(table, path, chosen)
    check_pairs(table)
    write_table(table, path, format)
    if PAIRS.chosen(path, format) != "parquet" and has_notes(table):
        warn(f"{path}: the notes in the header of the TMX are left out; Parquet keeps them")
    return int(table.num_rows)
