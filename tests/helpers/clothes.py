"""Clothes of a file: changes of its bytes that must not change what is read from it.

A ``Case`` reads the same data in other clothes: it gives the same figures to 1e-12, or an error or
a warning names what is the matter.
"""

import bz2
import gzip
import math
import re
import warnings
from collections.abc import Callable
from itertools import count
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa

from alignframe.errors import AlignframeError, DataWarning

MARK = "\ufeff"
_NUMBERS = count()
SHIFTED = r"subtract \d|add \d|numbered from|numbers? .* from 0|first.sentence"
"""What is said of sentences numbered from elsewhere."""


class Case(NamedTuple):
    """Data in other clothes; ``says`` is what an error or a warning says if figures differ."""

    name: str
    figures: Callable[[], Any]
    says: str = ""


def _zstd(data):
    return pa.compress(data, "zstd", asbytes=True)


def _marked_inside(text):
    """Return a text as of two files that were joined, each with its mark."""
    lines = text.splitlines(keepends=True)
    half = len(lines) // 2
    return MARK + "".join(lines[:half]) + MARK + "".join(lines[half:])


BYTES = {
    "plain": (lambda text: text.encode(), "", ""),
    "crlf": (lambda text: text.replace("\n", "\r\n").encode(), "", ""),
    "cr": (lambda text: text.replace("\n", "\r").encode(), "", "carriage return"),
    "mark": (lambda text: (MARK + text).encode(), "", ""),
    "marks inside": (lambda text: _marked_inside(text).encode(), "", "byte order mark|U.FEFF"),
    "no last newline": (lambda text: text.removesuffix("\n").encode(), "", ""),
    "spaces at ends": (lambda text: text.replace("\n", "  \n").encode(), "", ""),
    "gzip": (lambda text: gzip.compress(text.encode(), 1), ".gz", ""),
    "bzip2": (lambda text: bz2.compress(text.encode(), 1), ".bz2", ""),
    "zstd": (lambda text: _zstd(text.encode()), ".zst", ""),
    "gzip without suffix": (lambda text: gzip.compress(text.encode(), 1), "", ""),
    "utf-16": (lambda text: text.encode("utf-16"), "", "UTF-16"),
    "utf-16-le": (lambda text: text.encode("utf-16-le"), "", "UTF-16"),
}
"""Clothes by name: the bytes of a text, a suffix of the file, what is said if they are refused."""

AWKWARD = (
    "i",
    "sid",
    "links",
    "system",
    "text",
    "words",
    "a b",
    "é",
    "n=1",
    "src",
    "1984",
    "x.y.z",
)
"""Names of files that look like something else."""


def dressed(folder, name, text, clothes, suffix=""):
    """Write a text in some clothes into a new folder; return the path."""
    encode, packed, _ = BYTES[clothes]
    folder = folder / str(next(_NUMBERS))  # whose name says nothing
    folder.mkdir(parents=True)
    path = folder / f"{name}{suffix}{packed}"
    path.write_bytes(encode(text))
    return path


def verdict(case, expected):
    """Return what is wrong with a case, if anything: a silent difference, a crash, a poor word."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = case.figures()
        except (AlignframeError, AssertionError, duckdb.InvalidInputException) as error:
            if case.says and re.search(case.says, str(error), re.IGNORECASE):
                return None
            return f"{case.name}: REFUSED: {error}"
        except Exception as error:  # noqa: BLE001 - whatever it is, it is a crash
            return f"{case.name}: CRASHED: {type(error).__name__}: {error}"
    said = "; ".join(str(one.message) for one in caught if issubclass(one.category, DataWarning))
    if same(found, expected):
        return None
    if case.says and re.search(case.says, said, re.IGNORECASE):
        return None
    return f"{case.name}: SILENT: {found} for {expected}{said and f' (said: {said})'}"


def same(found, expected):
    """Whether figures agree to 1e-12."""
    if isinstance(expected, dict):
        return set(found) == set(expected) and all(
            same(found[name], figure) for name, figure in expected.items()
        )
    if isinstance(expected, (list, tuple)):
        return len(found) == len(expected) and all(map(same, found, expected))
    if isinstance(expected, float) and isinstance(found, (int, float)):
        return math.isclose(found, expected, rel_tol=1e-12, abs_tol=1e-12)
    return found == expected


def check(cases, expected):
    """Assert that no case is wrong; return their number."""
    wrong = [said for case in cases if (said := verdict(case, expected)) is not None]
    assert not wrong, f"{len(wrong)} of {len(cases)}:\n" + "\n".join(wrong)
    return len(cases)


def joined(lines):
    """Return lines as a text."""
    return "".join(f"{line}\n" for line in lines)


def heard(said):
    """Pass on what a command says of its input as warnings."""
    for line in said.splitlines():
        warnings.warn(line, DataWarning, stacklevel=2)
