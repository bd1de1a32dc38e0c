"""Reading WordNet's database files (wndb(5WN)): synsets of lemmas, and irregular forms.

The index files suffice: each line has a lemma, its part of speech, and the offsets of its synsets
in the data file, which identify synsets of a part of speech. The data files, five times as large,
are not read. NLTK keeps the same files in a folder or a zip file, which is read without unpacking.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import sys
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path

import polars as pl
import pyarrow as pa

from alignframe.errors import InputError
from alignframe.stores.cache import cached
from alignframe.stores.store import file_mark

POS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
"""The suffixes of WordNet's files, and the letter of each part of speech."""

SENSES = pa.schema(
    [("lemma", pa.string()), ("pos", pa.string()), ("synset", pa.int64())],
)
"""Lemmas in lower case, words separated by ``_``, and the number of each of their synsets."""

EXCEPTIONS = pa.schema(
    [("pos", pa.string()), ("form", pa.string()), ("lemma", pa.string())],
)
"""Irregular forms and their lemmas."""

VERSION = pa.schema([("version", pa.string())])

# Where packages of Linux and macOS install WordNet, there or in a folder ``dict``.
_PLACES = (
    "/usr/share/wordnet",
    "/usr/local/share/wordnet",
    "/usr/share/wordnet-3.0",
    "/usr/share/wordnet-3.1",
    "/usr/local/WordNet-3.0",
    "/usr/local/WordNet-3.1",
    "/opt/homebrew/opt/wordnet",
    "/usr/local/opt/wordnet",
    "/home/linuxbrew/.linuxbrew/opt/wordnet",
    "/opt/local/share/WordNet-3.0",
)

# The version of the cached data.
_FORMAT = 2

# The digests of unmodified releases.
_PLAIN = {"3.0": "78c48578"}

_FILES = (*(f"index.{name}" for name in POS), *(f"{name}.exc" for name in POS))
_TODO = (
    "install WordNet (Debian and Ubuntu: apt install wordnet-base; macOS: brew install wordnet; "
    "Python: python -m nltk.downloader wordnet), or name its folder or zip file by "
    "`wordnet` or ALIGNFRAME_WORDNET"
)
# What reading files raises, also from a damaged or encrypted zip file.
_UNREADABLE = (OSError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error)

_Place = Path | zipfile.Path
_NAME = re.compile(r"WordNet (\d+(?:\.\d+)+)")


@dataclass(frozen=True, eq=False)
class WordNet:
    """WordNet's senses and irregular forms.

    Parameters
    ----------
    version
        ``3.0`` for Debian's database; for others the version in their licence, if any, and the
        beginning of a digest of senses and irregular forms: ``3.1-0a1b2c3d``.
    senses, exceptions
        Frames with the schemas ``SENSES`` and ``EXCEPTIONS``.

    Examples
    --------
    >>> from alignframe import language
    >>> language.read_wordnet().exceptions.columns
    ['pos', 'form', 'lemma']
    """

    version: str
    senses: pl.DataFrame
    exceptions: pl.DataFrame


def find_wordnet(path: str | PathLike[str] | None = None) -> Path:
    """Return the folder of WordNet's database, or the zip file that has it.

    Parameters
    ----------
    path
        The folder, its parent if it is called ``dict``, or a zip file; by default that in the
        environment variable ALIGNFRAME_WORDNET. Without either, the places are searched where
        Debian, macOS and NLTK install it.

    Raises
    ------
    InputError
        If there is none, or a file is missing.

    Examples
    --------
    >>> from alignframe import language
    >>> language.find_wordnet().exists()
    True
    """
    given = path or os.environ.get("ALIGNFRAME_WORDNET")
    for place in [Path(fspath(given))] if given else _places():
        try:
            folder = _database(place)
        except _UNREADABLE as error:
            if not given and isinstance(error, PermissionError):
                continue
            raise _unreadable(place, error) from None
        if folder is not None:
            _check(folder)
            return folder if isinstance(folder, Path) else place
    if given:
        kind = "has no file index.noun" if Path(given).exists() else "is not a folder or zip file"
        raise InputError(kind, path=given, expected="WordNet's database files", todo=_TODO)
    raise InputError("WordNet was not found", todo=_TODO)


def _places() -> Iterator[Path]:
    """Yield the places to search, in order."""
    yield from map(Path, _PLACES)
    for folder in _nltk_folders():
        yield folder / "corpora" / "wordnet"
        yield folder / "corpora" / "wordnet.zip"


def _nltk_folders() -> list[Path]:
    """Return NLTK's data folders in its order (``nltk.data.path``), without importing it."""
    own = [name for name in os.environ.get("NLTK_DATA", "").split(os.pathsep) if name]
    # Unlike Path.expanduser, this leaves ~ where a user has no home.
    homes = [os.path.expanduser(name) for name in (*own, "~/nltk_data")]  # noqa: PTH111
    shared = [f"/usr{local}/{part}" for part in ("share", "lib") for local in ("", "/local")]
    if os.name == "nt":
        shared = [os.environ.get("APPDATA", "C:\\"), "C:\\", "D:\\", "E:\\"]
    bases = (*(Path(sys.prefix, part) for part in ("", "share", "lib")), *map(Path, shared))
    return [*map(Path, homes), *(base / "nltk_data" for base in bases)]


def _database(place: Path) -> _Place | None:
    """Return the folder with the file index.noun, at a place or in a zip file; None without one."""
    folders: Iterable[_Place] = (place, place / "dict")
    if place.is_file():
        top = zipfile.Path(place)
        folders = (top, *top.iterdir())
    return next((folder for folder in folders if (folder / "index.noun").is_file()), None)


def _check(folder: _Place) -> None:
    missing = [name for name in _FILES if not (folder / name).is_file()]
    if missing:
        raise InputError(
            f"the folder lacks {', '.join(missing)}",
            path=str(folder),
            expected=f"WordNet's database files {', '.join(_FILES)}",
            todo=_TODO,
        )


def read_wordnet(path: str | PathLike[str] | None = None) -> WordNet:
    """Read WordNet's database, once per process and cached in the user's cache folder.

    Parameters
    ----------
    path
        See ``find_wordnet``.

    Raises
    ------
    InputError
        If there is none, a file is missing, or a line is damaged; gives file and line.

    Examples
    --------
    >>> from alignframe import language
    >>> language.read_wordnet().senses.columns
    ['lemma', 'pos', 'synset']
    """
    place = find_wordnet(path).resolve()
    files = [place] if place.is_file() else [place / name for name in _FILES]
    return _read(place, tuple(map(file_mark, files)))


@functools.lru_cache(maxsize=4)
def _read(place: Path, stamps: tuple[str, ...]) -> WordNet:
    named = repr((_FORMAT, str(place), stamps)).encode()
    key = f"wordnet-{hashlib.sha256(named).hexdigest()[:16]}"
    schemas = {"senses": SENSES, "exceptions": EXCEPTIONS, "version": VERSION}
    tables = cached(key, schemas, lambda: _tables(_database(place) or place))
    version = tables["version"]["version"][0].as_py()
    senses, exceptions = (pl.DataFrame(pl.from_arrow(tables[n])) for n in ("senses", "exceptions"))
    return WordNet(version, senses, exceptions)


def _tables(folder: _Place) -> dict[str, pa.Table]:
    """Read the files of a folder."""
    senses = pl.concat([_senses(folder / f"index.{name}", pos) for name, pos in POS.items()])
    forms = pl.concat([_exceptions(folder / f"{name}.exc", pos) for name, pos in POS.items()])
    head = _text(folder / "index.noun")[:4096]
    named = _NAME.search(head)
    version = _version(named[1] if named else "", _digest(senses, forms))
    return {
        "senses": senses.to_arrow().cast(SENSES),
        "exceptions": forms.to_arrow().cast(EXCEPTIONS),
        "version": pa.table({"version": [version]}, schema=VERSION),
    }


def _digest(senses: pl.DataFrame, forms: pl.DataFrame) -> str:
    """Return a short digest of all lemmas, synsets and irregular forms."""
    # Synsets by their order: offsets change with every corrected gloss.
    senses = senses.with_columns(pl.col("synset").rank("dense").over("pos"))
    text = senses.write_csv() + forms.write_csv()
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _version(named: str, digest: str) -> str:
    """Return the version of a database: its release, with a digest unless it is known."""
    if _PLAIN.get(named) == digest:
        return named
    return f"{named}-{digest}" if named else digest


def _senses(path: _Place, pos: str) -> pl.DataFrame:
    """Read lines ``lemma pos synsets pointers [symbol ...] senses tagged offset ...``."""
    lines = _lines(path).filter(~pl.col("line").str.starts_with("  "))
    cells = lines.select(
        "number",
        "line",
        head=pl.col("line").str.extract_groups(r"^(?<lemma>\S+) (?<pos>[a-z]) (?<count>\d+) "),
        offsets=pl.col("line")
        .str.extract(r"((?: \d{8})+)\s*$")
        .str.strip_prefix(" ")
        .str.split(" "),
    ).unnest("head")
    sound = (pl.col("pos") == pos) & (
        pl.col("offsets").list.len() == pl.col("count").cast(pl.UInt32, strict=False)
    )
    _refuse(cells, sound.fill_null(False), path, f"a lemma, {pos}, numbers and synsets' offsets")
    return (
        cells.select(pl.col("lemma").str.to_lowercase(), "pos", synset="offsets")
        .explode("synset")
        .with_columns(pl.col("synset").cast(pl.Int64))
    )


def _exceptions(path: _Place, pos: str) -> pl.DataFrame:
    """Read lines ``form lemma [lemma ...]``."""
    cells = _lines(path).select("number", "line", words=pl.col("line").str.extract_all(r"\S+"))
    sound = pl.col("words").list.len() >= 2
    _refuse(cells, sound, path, "an irregular form and its lemmas")
    return cells.select(
        pl.lit(pos).alias("pos"),
        form=pl.col("words").list.first(),
        lemma=pl.col("words").list.slice(1),
    ).explode("lemma")


def _refuse(cells: pl.DataFrame, sound: pl.Expr, path: _Place, expected: str) -> None:
    """Raise an InputError for the first invalid line."""
    bad = cells.filter(~sound).head(1)
    if bad.height:
        raise InputError(
            f"{bad['line'][0][:60]!r} is not a line of WordNet",
            path=str(path),
            line=bad["number"][0],
            expected=expected,
        )


def _lines(path: _Place) -> pl.DataFrame:
    """Return the non-blank lines and their numbers from 1."""
    lines = pl.Series("line", _text(path).split("\n"))
    frame = lines.to_frame().with_row_index("number", offset=1)
    return frame.filter(pl.col("line").str.strip_chars() != "")


def _text(path: _Place) -> str:
    try:
        data = path.read_bytes()
    except _UNREADABLE as error:
        raise _unreadable(path, error) from None
    try:
        return data.decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise InputError(
            f"the byte 0x{data[error.start]:02x} is not UTF-8 text",
            path=str(path),
            line=data.count(b"\n", 0, error.start) + 1,
        ) from None


def _unreadable(path: _Place, error: Exception) -> InputError:
    """Return the error for a file that cannot be opened or unpacked."""
    reason = error.strerror if isinstance(error, OSError) else error
    return InputError(f"cannot be read ({reason})", path=str(path), todo=_TODO)


def lemmas_by_pos(wordnet: WordNet) -> Mapping[str, frozenset[str]]:
    """Return the lemmas of each part of speech."""
    senses = wordnet.senses.select("pos", "lemma").unique()
    return {pos: frozenset(senses.filter(pos=pos)["lemma"].to_list()) for pos in POS.values()}
