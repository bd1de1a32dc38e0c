"""Reading translations and references: systems by name, sentences by number.

A table has the column text (or the columns of ``language.Analysis``), optionally sid (by default
rows are numbered from 0), and optionally system, if it holds several.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import filterfalse
from os import PathLike, fspath
from os.path import isfile
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from alignframe.arrays import I64
from alignframe.arrow import is_frame
from alignframe.choices import TABLES
from alignframe.errors import InputError, number_of, renumbering
from alignframe.formats.names import translator_name
from alignframe.read.opening import is_unnamed, table_suffix
from alignframe.read.source import column_of, is_columns, is_path, named
from alignframe.read.tables import LINE, is_table_of_parquet, read_table, whole_numbers
from alignframe.sources import has_texts, is_text_table
from alignframe.tables import UNNAMED

TEXT = "text"
"""The column of a table that holds translations."""

WORDS = "words"
"""The column of a table that holds their words, as lists."""

_BESIDE = ("sid", "system", WORDS, "tags", "lemmas")
_FILE_NAME = re.compile(r"\S*/\S*|\S*\.[^\W\d_]\w*")


class TextTable(NamedTuple):
    """A table of distinct sentences with the column sid, and the file it is from."""

    frame: pl.DataFrame
    path: Any = None


def is_translation(given: Any) -> bool:
    """Whether something is one translation or table, as opposed to several by name."""
    if not isinstance(given, Mapping):
        return True
    return is_text_table(given, TEXT, *_BESIDE) or (
        is_columns(given, WORDS) and not has_texts(given[WORDS])
    )


def systems_of(hyp: Any, encoding: str = "utf-8") -> dict[str, Any]:
    """Return the translations of each system by name; tables as ``TextTable``.

    A single unnamed system is named after its file. A table with the column system holds those it
    names; if the table itself has a name and several systems, they are called NAME/SYSTEM.
    """
    several = are_several(hyp) and all(map(is_path, hyp))
    found: dict[str, Any] = {}
    if isinstance(hyp, (list, tuple)) and not hyp:
        raise InputError("no translations", expected="those of one system or more")
    for name, given in named(hyp, lambda one: is_translation(one) and not (several and one is hyp)):
        for system, one in _parts(name or "", given, encoding):
            if system in found:
                raise InputError(f"two systems are called {system!r}", todo="name them")
            found[system] = one
    if not found:
        raise InputError("no translations", expected="those of one system or more")
    return found


def _parts(name: str, given: Any, encoding: str) -> list[tuple[str, Any]]:
    """Return the systems of one source with their names."""
    own = name or (translator_name(given) if is_path(given) else UNNAMED)
    table = _table(given, f"the system {own!r}", encoding)
    if table is None:
        return [(own, given)]
    frame, path = table
    if "system" not in frame.columns:
        return [(own, text_table(frame, f"the system {own!r}", path))]
    if frame["system"].null_count():
        at = int(frame["system"].is_null().arg_true()[0])
        raise InputError("a row without a system", path=path, line=frame[LINE][at])
    parts = frame.with_columns(pl.col("system").cast(pl.String)).partition_by(
        "system", as_dict=True, maintain_order=True, include_key=False
    )
    return [
        (
            (f"{name}/{system}" if len(parts) > 1 else name) if name else str(system),
            text_table(part, f"the system {system!r}", path),
        )
        for (system,), part in parts.items()
    ]


def are_several(references: Any) -> bool:
    """Whether a list holds several references; a list of texts is one unless all name files."""
    if not isinstance(references, (list, tuple)) or is_frame(references):
        return False
    if all(isinstance(one, str) for one in references):
        return are_files(references)
    return True


def are_files(texts: Sequence[str]) -> bool:
    """Whether the strings in a list are all names of files, not sentences."""
    absent = next(filterfalse(isfile, texts), None)
    if absent is None:
        return bool(texts)
    names = set(filter(_FILE_NAME.fullmatch, texts))
    if any(map(isfile, names)) or all(map(isfile, filterfalse(names.__contains__, texts))):
        raise InputError(
            "no such file",
            path=absent,
            todo="if this is a sentence, give the sentences as a column, such as a polars Series",
        )
    return False


def table_of_texts(given: Any, called: str, encoding: str = "utf-8") -> TextTable | None:
    """Return a table of sentences with checked sids; None if the input is not a table."""
    if isinstance(given, TextTable):
        return given
    table = _table(given, called, encoding)
    return None if table is None else text_table(table.frame, called, table.path)


def _table(given: Any, called: str, encoding: str) -> TextTable | None:
    """Return a table unchanged, with the line of each row."""
    if is_path(given):
        if is_unnamed(given) or table_suffix(given) not in TABLES or _is_analysed(given):
            return None
        return TextTable(read_table(given, called, encoding), given)
    if isinstance(given, TextTable) or column_of(given) is not None or not is_frame(given):
        return None
    return TextTable(read_table(given, called))


def _is_analysed(path: str | PathLike[str]) -> bool:
    """Whether a file is Parquet with analysed tokens."""
    if not is_table_of_parquet(path):
        return False
    try:
        return "tokens" in pl.read_parquet_schema(fspath(path))
    except (OSError, pl.exceptions.PolarsError):
        return False  # reported when it is read


def text_table(frame: pl.DataFrame, called: str, path: Any) -> TextTable:
    """Return a table with checked sids, or with its rows numbered from 0."""
    if "sid" not in frame.columns:
        sids = pl.Series("sid", np.arange(frame.height))
    else:
        sids = whole_numbers(frame, "sid", path, 0)
    twice = sids.is_duplicated()
    if twice.any():
        at = int(twice.arg_true()[1])
        raise InputError(
            f"{called} has sentence {sids[at]} more than once",
            path=path,
            line=None if path is None else frame[LINE][at],
            expected="each once",
        )
    return TextTable(frame.drop(LINE).with_columns(sids), path)


def places_of(wanted: I64, found: I64, called: str) -> I64 | None:
    """Return the rows of the wanted sentences in ``found``; None if it has them in order."""
    if np.array_equal(wanted, found):
        return None
    lacking, added = np.setdiff1d(wanted, found), np.setdiff1d(found, wanted)
    if lacking.size or added.size:
        odd = f"lacks sentence {lacking[0]}" if lacking.size else f"has sentence {added[0]} besides"
        shift = int(found.min() - wanted.min()) if found.size == wanted.size else 0
        shifted = shift and np.array_equal(np.sort(wanted) + shift, np.sort(found))
        raise InputError(
            f"{called} has {number_of(found.size, 'sentence')}, and {odd}; the reference has "
            f"{wanted.size:,}",
            expected="the same ones; in files, one per line",
            todo=f"{renumbering(-shift)} its sid" if shifted else "",
        )
    order = np.argsort(found, kind="stable")
    places: I64 = order[np.searchsorted(found, wanted, sorter=order)]
    return places
