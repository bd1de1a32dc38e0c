"""Lists of translated words: machine-readable bilingual dictionaries as pairs of words."""

from __future__ import annotations

import gzip
import re
import warnings
import zlib
from collections.abc import Callable, Iterator
from os import PathLike, fspath
from pathlib import Path

import pyarrow as pa

from alignframe.arrow import require_columns
from alignframe.errors import DataWarning, InputError
from alignframe.formats.lines import chunks, open_bytes, read_piece
from alignframe.formats.rows import ORDERS
from alignframe.parquet import ParquetFiles, is_parquet

WORD_PAIRS = pa.schema([pa.field(side, pa.string(), nullable=False) for side in ("src", "tgt")])

BLANKS = " \t\r\f\v"
"""The blanks that part words; a no-break space is none of them."""

_WORD = re.compile(f"[^{BLANKS}]+")
_SNIFFED = 1 << 16

Pair = tuple[str, str]


def read_word_list(
    path: str | PathLike[str],
    format: str | None = None,
    *,
    order: str | None = None,
    encoding: str = "utf-8",
) -> pa.Table:
    """Read pairs of words that translate each other.

    Parameters
    ----------
    path
        A file, packed or not. Of a dictionary of dictd, the .index, the .dict or the .dict.dz.
    format
        ``tsv`` (source, tab, target; lines that begin with ``#`` are comments), ``muse``
        (``source target``), ``hunalign`` (``target @ source``), ``dict`` (FreeDict's packages for
        dictd) or ``parquet`` (the columns src and tgt); recognised if left out.
    order
        Which side the file names first, ``src-tgt`` or ``tgt-src``, where it is not the format's
        own.
    encoding
        Encoding of the text.

    Returns
    -------
    pyarrow.Table
        The columns src and tgt: distinct pairs in the order of the file, as written. Entries of
        more than one word on a side are left out, with a warning.

    Raises
    ------
    InputError
        With the file, the line, what was found and what was expected.
    """
    if order is not None and order not in ORDERS:
        raise InputError(f"the order {order!r}", expected=" or ".join(ORDERS))
    name = format or _recognise(path)
    if name not in _READERS:
        raise InputError(f"the format {name!r}", expected=f"one of {', '.join(_READERS)}")
    if name == "parquet" and order is not None:
        raise InputError("an order given for Parquet", path=path, expected="columns src and tgt")
    pairs: dict[Pair, None] = {}
    entries = left_out = 0
    for pair in _READERS[name](path, encoding):
        entries += 1
        if _is_word(pair[0]) and _is_word(pair[1]):
            pairs[pair] = None
        else:
            left_out += 1
    if not pairs:
        none = f"none of its {entries:,} entries is of one word on either side"
        todo = f"name its format, if it is another than {name}"
        raise InputError(none if entries else "no entry in it", path=path, todo=todo)
    if left_out:
        warnings.warn(
            f"{fspath(path)}: {left_out:,} entries of more than one word left out",
            DataWarning,
            stacklevel=2,
        )
    columns = [pa.array(side, pa.string()) for side in zip(*pairs, strict=True)]
    if (order or _ORDER.get(name, "src-tgt")) == "tgt-src":
        columns.reverse()
    return pa.Table.from_arrays(columns, schema=WORD_PAIRS)


def _is_word(text: str) -> bool:
    return _WORD.fullmatch(text) is not None


def _recognise(path: str | PathLike[str]) -> str:
    """Return the format of a word list by its name, or its first line that is no comment."""
    name = fspath(path)
    if name == "-":
        raise InputError("the format of standard input is not known", todo="name it")
    if is_parquet(path):
        return "parquet"
    if name.endswith((".index", ".dict.dz")):
        return "dict"
    if name.endswith(".dict") and Path(name).with_suffix(".index").exists():
        return "dict"  # hunalign calls its word lists .dict too
    with open_bytes(path) as file:
        head = read_piece(file, path, _SNIFFED)
    if head[:4] == b"PAR1":
        return "parquet"
    lines = head.decode(errors="replace").removeprefix("\ufeff").split("\n")
    line = next((line for line in lines if line.strip(BLANKS) and line[0] != "#"), "")
    words = _WORD.findall(line)
    if "\t" in line or not words:
        return "tsv"
    if "@" in words[1:-1]:
        return "hunalign"
    if len(words) == 2:
        return "muse"
    if line.startswith("00-database"):
        return "dict"
    raise InputError(
        f"the format is not recognised; its first line is {line[:60]!r}",
        path=path,
        todo=f"name one of the formats {', '.join(_READERS)}",
    )


# --- text


def decoded(data: bytes, line: int, path: str | PathLike[str], encoding: str) -> str:
    """Return a piece of a file as text; ``line`` is the number of its first line.

    Raises
    ------
    InputError
        If it is not text of the given encoding.
    """
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise InputError(
            f"the byte 0x{data[error.start]:02x} is not {encoding} text",
            path=path,
            line=line + data.count(b"\n", 0, error.start),
            todo="name the file's encoding, for example latin-1, or convert it",
        ) from None
    except LookupError:
        raise InputError(f"the encoding {encoding!r} is not known") from None


def numbered_lines(path: str | PathLike[str], encoding: str) -> Iterator[tuple[int, str]]:
    """Yield each line's number (from 1) and its text, without blanks that end it but tabs."""
    for piece, first in chunks(path):
        text = decoded(piece.tobytes(), first, path, encoding).removesuffix("\n")
        for number, line in enumerate(text.split("\n"), first):
            yield number, line.rstrip(" \r\f\v")


def _fault(line: str, number: int, path: str | PathLike[str], form: str, todo: str) -> InputError:
    shown = line if len(line) <= 60 else line[:57] + "..."
    return InputError(f"{shown!r} cannot be read", path=path, line=number, expected=form, todo=todo)


def _read_tsv(path: str | PathLike[str], encoding: str) -> Iterator[Pair]:
    todo = "name the format muse if blanks part the words"
    for number, line in numbered_lines(path, encoding):
        if not line.strip(BLANKS) or line[0] == "#":
            continue
        cells = [cell.strip(BLANKS) for cell in line.split("\t", 2)[:2]]
        if len(cells) < 2 or not all(cells):
            raise _fault(line, number, path, "source, a tab, target", todo)
        yield cells[0], cells[1]


def _read_muse(path: str | PathLike[str], encoding: str) -> Iterator[Pair]:
    for number, line in numbered_lines(path, encoding):
        words = _WORD.findall(line)
        if len(words) == 1:
            raise _fault(line, number, path, "source target", "give both words in a line")
        if words:  # of three words, nobody knows which belong together; the pair is no word anyhow
            yield words[0], " ".join(words[1:])


def _read_hunalign(path: str | PathLike[str], encoding: str) -> Iterator[Pair]:
    for number, line in numbered_lines(path, encoding):
        words = _WORD.findall(line)
        if "@" in words[1:-1]:
            at = words.index("@", 1)
            yield " ".join(words[:at]), " ".join(words[at + 1 :])
        elif words:
            raise _fault(line, number, path, "target @ source", "part them by ' @ '")


def _read_parquet(path: str | PathLike[str], encoding: str) -> Iterator[Pair]:  # noqa: ARG001
    files = ParquetFiles(path)
    require_columns(files.schema, ["src", "tgt"], "a word list")
    row = 0
    for batch in files.batches(["src", "tgt"]):
        sides = [batch.column(side) for side in ("src", "tgt")]
        for side in sides:
            if not pa.types.is_string(side.type) and not pa.types.is_large_string(side.type):
                raise InputError(f"words of the type {side.type}", path=path, expected="strings")
        for src, tgt in zip(*(side.to_pylist() for side in sides), strict=True):
            if not src or not tgt:
                raise InputError(f"row {row} (from 0) lacks a word", path=path)
            row += 1
            yield src, tgt


# --- dictionaries of dictd, as FreeDict writes them

_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_VALUES = {digit: value for value, digit in enumerate(_DIGITS)}

_ASIDE = re.compile(r"<[^>]*>|\([^)]*\)|\[[^]]*\]|\{[^}]*\}|(?<!\S)/[^/]*/(?![^\s,;])")
"""Grammar, notes, fields, references; pronunciation, but not the slash of ``and/or``."""

_SENSE = re.compile(r"\s*\d+\.(?!\S)")
_LABEL = re.compile(r"\s+\w+:(?!\S)")
"""An indented line such as ``Synonyms: {...}`` or ``Note: ...``."""

_QUOTES = ('"', "“", "„", "«")
_COMMA = re.compile(r"[,;](?!\d)|[،؛、，；]")


def _read_dict(path: str | PathLike[str], encoding: str) -> Iterator[Pair]:
    index, store = _files_of_dict(fspath(path))
    data = _stored(store)
    for number, line in numbered_lines(index, encoding):
        cells = line.split("\t")
        if cells[0].startswith(("00-database", "00database")):
            continue
        try:
            start, size = map(_number, cells[1:3])
        except (ValueError, KeyError):
            form = "headword, offset and length, parted by tabs, the numbers in base 64"
            raise _fault(line, number, index, form, "take both files from one package") from None
        if start + size > len(data):
            raise InputError(
                f"an entry that ends at the byte {start + size:,}",
                path=index,
                line=number,
                expected=f"no more than the {len(data):,} bytes of {store}",
                todo="take both files from one package",
            )
        entry = data[start : start + size]
        try:
            text = entry.decode(encoding)
        except UnicodeDecodeError:
            text = decoded(entry, data.count(b"\n", 0, start) + 1, store, encoding)
        headword, translations = _definition(text, cells[0])
        for translation in translations:
            yield headword, translation


def _files_of_dict(name: str) -> tuple[str, str]:
    """Return the names of a dictionary's index and of its text."""
    suffix = next((end for end in (".index", ".dict", ".dict.dz") if name.endswith(end)), None)
    if suffix is None:
        raise InputError(
            "no dictionary of dictd by its name", path=name, expected=".index, .dict or .dict.dz"
        )
    open_bytes(name).close()
    stem = name.removesuffix(suffix)
    stores = [stem + ".dict", stem + ".dict.dz"] if suffix == ".index" else [name]
    store = next((file for file in stores if Path(file).exists()), None)
    index = stem + ".index"
    if store is None or not Path(index).exists():
        missing = " or ".join(stores) if store is None else index
        raise InputError(f"{missing} is missing", path=name, expected="an index and its text")
    return index, store


def _stored(store: str) -> bytes:
    if store.endswith(".dz"):
        try:
            with gzip.open(store) as file:
                return file.read()
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"cannot be unpacked ({error})", path=store) from None
    with open_bytes(store) as file:
        return bytes(file.read())


def _number(digits: str) -> int:
    value = 0
    for digit in digits:
        value = value * 64 + _VALUES[digit]
    if not digits:
        raise ValueError
    return value


def _definition(text: str, key: str) -> tuple[str, list[str]]:
    """Return the headword and its translations.

    The index folds its keys (``Achilles' heel`` stands there as ``achilles heel``), so the
    headword is taken from the text's first line if it is the same but for case and marks.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    headword = _plain(lines[0]) if lines else key
    if _folded(headword) != _folded(key):
        headword = key
    translations: list[str] = []
    example = False
    for line in lines[1:]:
        sense = _SENSE.match(line)
        if sense or not line[0].isspace():
            example = False
        if _LABEL.match(line):
            continue
        rest = line[sense.end() :] if sense else line
        if rest.lstrip().startswith(_QUOTES):
            example = True  # indented lines after it are its translation
        elif not example:
            parts = _COMMA.split(_plain(rest))
            translations += [part.strip() for part in parts if any(map(str.isalnum, part))]
    return headword, translations


def _plain(line: str) -> str:
    return " ".join(_WORD.findall(_ASIDE.sub(" ", line)))


def _folded(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


_ORDER = {"hunalign": "tgt-src"}

_READERS: dict[str, Callable[[str | PathLike[str], str], Iterator[Pair]]] = {
    "tsv": _read_tsv,
    "muse": _read_muse,
    "hunalign": _read_hunalign,
    "dict": _read_dict,
    "parquet": _read_parquet,
}
