"""Word lists: bilingual dictionaries, and what other aligners write of words, as pairs of words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from os import PathLike, fspath
from pathlib import Path

import pyarrow as pa

from alignframe.core.arrow import require_columns
from alignframe.core.choices import ORDERS
from alignframe.core.suffixes import unpacked_name
from alignframe.errors import InputError, check_known, in_file, number_of, warn
from alignframe.formats.dictd import read_dict
from alignframe.read.lines import BLANKS, SNIFFED, TextFile, first_text
from alignframe.read.parquet import ParquetFiles, is_parquet

WORD_PAIRS = pa.schema([pa.field(side, pa.string(), nullable=False) for side in ("src", "tgt")])

_WORD = re.compile(f"[^{BLANKS}]+")
_NUMBER = re.compile(r"\d+(?:\.\d*)?(?:[eE][-+]?\d+)?", re.ASCII)
PRIOR = re.compile(rf"(LEX|HMM[FR]|FER[FR])\t([^\t]+)\t(?:([^\t]+)\t)?({_NUMBER.pattern})")
"""A line of eflomal's priors: translations, distances or fertilities, each with a count."""

PRIOR_BEGINS = re.compile(r"(LEX|HMM[FR]|FER[FR])\t[^\t]+\t")
"""How a line of them begins, though it may have a fault, which its reader tells."""

Pair = tuple[str, str]
Entry = tuple[str, str] | tuple[str, str, float]
"""A pair of words, perhaps with its weight."""


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
        A file, optionally compressed. For dictd, the .index, the .dict or the .dict.dz file.
    format
        ``tsv`` (source, tab, target; lines that begin with ``#`` are comments), ``muse`` (``source
        target``), ``hunalign`` (``target @ source``), ``dict`` (FreeDict's dictd files), ``moses``
        (lex.f2e, ``target source p``, or lex.e2f, ``source target p``), ``eflomal`` (the lines
        ``LEX`` of its priors) or ``parquet`` (the columns src and tgt); by default detected.
    order
        The order of sides, ``src-tgt`` or ``tgt-src``, if not the format's usual one.
    encoding
        Encoding of the text.

    Returns
    -------
    pyarrow.Table
        The columns src and tgt: distinct pairs in file order, unchanged. Entries with several words
        on a side are left out, with a warning.

    Raises
    ------
    InputError
        With the file, the line, what was found and what was expected.

    Examples
    --------
    >>> from pathlib import Path
    >>> from alignframe import formats
    >>> _ = Path("en-fr.txt").write_text("boat bateau")
    >>> formats.read_word_list("en-fr.txt", "muse").to_pylist()
    [{'src': 'boat', 'tgt': 'bateau'}]
    """
    return read_weighed(path, format, order=order, encoding=encoding).select(WORD_PAIRS.names)


def read_weighed(
    path: str | PathLike[str],
    format: str | None = None,
    *,
    order: str | None = None,
    encoding: str = "utf-8",
) -> pa.Table:
    """Return the same, with a column p of the probability of the target word, if that is known."""
    if order is not None and order not in ORDERS:
        raise InputError(f"the order {order!r}", expected=" or ".join(ORDERS))
    name = format or _recognise(path, encoding)
    check_known("format", name, _READERS)
    if name == "parquet" and order is not None:
        raise InputError("an order given for Parquet", path=path, expected="columns src and tgt")
    pairs: dict[Pair, float | None] = {}
    entries = left_out = 0
    with in_file(path):
        for one, other, *weight in _READERS[name](TextFile(path, encoding, "NFC")):
            entries += 1
            if _is_word(one) and _is_word(other):
                pairs.setdefault((one, other), weight[0] if weight else None)
            else:
                left_out += 1
        if not pairs:
            none = f"none of its {entries:,} entries has a single word on each side"
            todo = f"name its format, if it is not {name}"
            raise InputError(none if entries else "the file has no entries", todo=todo)
    if left_out:
        warn(
            f"{fspath(path)}: {number_of(left_out, 'entry', 'entries')} of more than one word left "
            "out"
        )
    columns = [pa.array(side, pa.string()) for side in zip(*pairs, strict=True)]
    if (order or _ORDER.get(name, "src-tgt")) == "tgt-src":
        columns.reverse()
    table = pa.Table.from_arrays(columns, schema=WORD_PAIRS)
    weights = [*pairs.values()]
    return table if None in weights else table.append_column("p", _shares(columns[0], weights))


def _shares(src: pa.Array, weights: list[float | None]) -> pa.Array:
    """Return weights as probabilities: those of a source word divided by their sum, if above 1."""
    sums: dict[str, float] = {}
    words = src.to_pylist()
    for word, weight in zip(words, weights, strict=True):
        sums[word] = sums.get(word, 0.0) + (weight or 0.0)
    above = max(sums.values(), default=0.0) > 1.001
    pairs = zip(words, weights, strict=True)
    return pa.array([(w or 0.0) / (sums[word] or 1.0) if above else w for word, w in pairs])


def _is_word(text: str) -> bool:
    return _WORD.fullmatch(text) is not None


def _recognise(path: str | PathLike[str], encoding: str) -> str:
    """Detect the format of a word list by its name or first non-comment line."""
    name = fspath(path)
    if is_parquet(path):
        return "parquet"
    if name.endswith((".index", ".dict.dz")):
        return "dict"
    if name.endswith(".dict") and Path(name).with_suffix(".index").exists():
        return "dict"  # hunalign calls its word lists .dict too
    head = TextFile(path, encoding).head(SNIFFED)
    if head[:4] == b"PAR1":
        return "parquet"
    if unpacked_name(path).endswith((".e2f", ".f2e")):
        return "moses"
    lines = first_text(TextFile(path, encoding)).decode(errors="replace").split("\n")
    line = next((line for line in lines if line.strip(BLANKS) and line[0] != "#"), "").rstrip()
    words = _WORD.findall(line)
    if PRIOR_BEGINS.match(line):
        return "eflomal"
    if "\t" in line or not words:
        return "tsv"
    if "@" in words[1:-1]:
        return "hunalign"
    if len(words) == 2:
        return "muse"
    if line.startswith("00-database"):
        return "dict"
    is_moses = len(words) == 3 and _NUMBER.fullmatch(words[2])
    raise InputError(
        f"the format is not recognised; its first line is {line[:60]!r}",
        path=path,
        expected="source<TAB>target, source target, or target @ source, a pair of words per line",
        todo="name Moses' table lex.f2e (target source p) or lex.e2f (source target p)"
        if is_moses
        else "or write a table (.csv, .tsv) with the columns src and tgt, and perhaps rank and p",
    )


def _fault(line: str, number: int, form: str, todo: str) -> InputError:
    shown = line if len(line) <= 60 else line[:57] + "..."
    return InputError(f"{shown!r} cannot be read", line=number, expected=form, todo=todo)


def _read_tsv(file: TextFile) -> Iterator[Pair]:
    todo = "use the format muse if spaces separate the words"
    for number, line in file.lines():
        if not line.strip(BLANKS) or line[0] == "#":
            continue
        cells = [cell.strip(BLANKS) for cell in line.split("\t", 2)[:2]]
        if len(cells) < 2 or not all(cells):
            raise _fault(line, number, "source, a tab, target", todo)
        yield cells[0], cells[1]


def _read_muse(file: TextFile) -> Iterator[Pair]:
    for number, line in file.lines():
        words = _WORD.findall(line)
        if len(words) == 1:
            raise _fault(line, number, "source target", "write both words on each line")
        # Three words cannot be split unambiguously, and are no pair of single words anyway.
        if words:
            yield words[0], " ".join(words[1:])


def _read_hunalign(file: TextFile) -> Iterator[Pair]:
    for number, line in file.lines():
        words = _WORD.findall(line)
        if "@" in words[1:-1]:
            at = words.index("@", 1)
            yield " ".join(words[:at]), " ".join(words[at + 1 :])
        elif words:
            raise _fault(line, number, "target @ source", "separate them by ' @ '")


def _read_moses(file: TextFile) -> Iterator[Entry]:
    """Yield lex.f2e with its p(target|source); the p(source|target) of lex.e2f is of no use."""
    name = unpacked_name(file.path)
    forward = name.endswith(".f2e")
    if not name.endswith((".f2e", ".e2f")):
        raise InputError("a table of Moses", expected="the name lex.f2e or lex.e2f")
    for number, line in file.lines():
        words = _WORD.findall(line)
        if words and (len(words) != 3 or not _NUMBER.fullmatch(words[2])):
            raise _fault(line, number, "two words and a number", "name its format")
        # A word without a translation has NULL, which is no word.
        if words and "NULL" not in words[:2]:
            tgt, src = words[:2] if forward else words[1::-1]
            yield (tgt, src, float(words[2])) if forward else (tgt, src)


def _read_eflomal(file: TextFile) -> Iterator[Entry]:
    """Yield the counts of translations; those of distances and fertilities are of no use."""
    for number, line in file.lines():
        if not line.strip(BLANKS) or (line.startswith(("HMM", "FER")) and "\t" in line):
            continue
        found = PRIOR.fullmatch(line.rstrip())
        if found is None or found[1] != "LEX" or not found[3]:
            raise _fault(line, number, "LEX, source, target and a number, with tabs", "")
        yield found[2], found[3], float(found[4])


def _read_parquet(file: TextFile) -> Iterator[Pair]:
    files = ParquetFiles(file.path)
    require_columns(files.schema, ["src", "tgt"], "a word list")
    row = 0
    for batch in files.batches(["src", "tgt"]):
        sides = [batch.column(side) for side in ("src", "tgt")]
        for side in sides:
            if not pa.types.is_string(side.type) and not pa.types.is_large_string(side.type):
                raise InputError(f"words of type {side.type}", expected="strings")
        for src, tgt in zip(*(side.to_pylist() for side in sides), strict=True):
            pair = ((src or "").strip(BLANKS), (tgt or "").strip(BLANKS))
            if not all(pair):
                raise InputError(f"row {row} (from 0) lacks a word")
            row += 1
            yield pair


# hunalign's own dictionaries have the target word first.
# ``_read_moses`` gives both of its files so.
_ORDER = {"hunalign": "tgt-src", "moses": "tgt-src"}

_READERS: dict[str, Callable[[TextFile], Iterator[Entry]]] = {
    "tsv": _read_tsv,
    "muse": _read_muse,
    "hunalign": _read_hunalign,
    "dict": read_dict,
    "moses": _read_moses,
    "eflomal": _read_eflomal,
    "parquet": _read_parquet,
}
