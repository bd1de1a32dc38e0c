"""References and translations for TESLA: analysed, in one order."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from alignframe.arrays import I64
from alignframe.errors import DataWarning, InputError, number_of
from alignframe.functions.bags import check_sizes
from alignframe.language.analysed import Analysed, Vocabulary
from alignframe.translations import TEXT, TextTable, are_several, places_of, table_of_texts

if TYPE_CHECKING:
    from alignframe.language import Analysis

_NAMED = 5


class References(NamedTuple):
    """References in the order of the first, with its further columns.

    ``each`` has their names for messages. ``about`` has sid, n_ref (the tokens of the first) and
    the other columns of its table.
    """

    each: list[tuple[str, Analysed]]
    about: pl.DataFrame

    @property
    def sids(self) -> I64:
        """The numbers of the sentences."""
        return self.about["sid"].to_numpy()


def read_references(
    references: Any, analysis: Analysis, vocabulary: Vocabulary, encoding: str = "utf-8"
) -> References:
    """Return the references, with sentences in the order of the first."""
    several = are_several(references)
    given = references if several else [references]
    if not given:
        raise InputError("no reference", expected="one or more")
    found: list[tuple[str, Analysed]] = []
    about = pl.DataFrame()
    for number, one in enumerate(given, 1):
        name = source_name(one, f"reference {number}" if several else "the reference")
        table = table_of_texts(one, name, encoding)
        ref = analysed(one if table is None else table, analysis, vocabulary, encoding)
        analysis.check_language(ref, name)
        if not found:
            about = _about(table, ref)
            if not ref.rows:
                raise InputError(f"{name} has no sentences", expected="one or more")
        else:
            ref = beside(about["sid"].to_numpy(), found[0], name, table, ref)
        found.append((name, ref))
    return References(found, about)


def _about(table: TextTable | None, reference: Analysed) -> pl.DataFrame:
    """Return the table of sentences."""
    n_ref = pl.Series("n_ref", reference.lengths())
    if table is None:
        return pl.DataFrame({"sid": np.arange(reference.rows), "n_ref": n_ref})
    kept = [name for name, kind in table.frame.schema.items() if not kind.is_nested()]
    known = table.frame.select(kept).drop("n_ref", TEXT, strict=False).with_columns(n_ref)
    return known.select("sid", "n_ref", pl.exclude("sid", "n_ref"))


def beside(
    sids: I64, first: tuple[str, Analysed], called: str, table: TextTable | None, found: Analysed
) -> Analysed:
    """Return sentences in the order of the first reference; raise an InputError if they differ."""
    if table is None and found.rows != sids.size:
        check_lengths([(called, found), first])
    own = np.arange(found.rows) if table is None else table.frame["sid"].to_numpy()
    places = places_of(sids, own, called)
    return found if places is None else found.take(places)


def analysed(given: Any, analysis: Analysis, vocabulary: Vocabulary, encoding: str) -> Analysed:
    """Return the sentences of a file, a table or anything else that can be analysed."""
    if isinstance(given, TextTable):
        names = given.frame.columns
        if not {TEXT, "words"} & set(names):
            raise InputError(
                f"the columns {', '.join(names[:8])}",
                path=given.path,
                expected="text, words and tags, or the sid and tokens of tesla analyse",
            )
        try:
            return analysis.analyse(given.frame.drop("sid"), vocabulary)
        except InputError as error:
            raise InputError(str(error), path=given.path) from None
    if isinstance(given, (str, PathLike)):
        from alignframe.language.files import analysed_file

        found = analysed_file(given, analysis, vocabulary, encoding)
        check_sizes(found, fspath(given))
        return found
    return analysis.analyse(given, vocabulary)


def source_name(given: Any, name: str) -> str:
    """Return the name of a source for messages: its path, or the name."""
    return fspath(given) if isinstance(given, (str, PathLike)) else name


def check_lengths(sides: Sequence[tuple[str, Analysed]]) -> None:
    """Refuse sides that differ in their number of sentences."""
    first, one = sides[0]
    for name, other in sides[1:]:
        if other.rows != one.rows:
            raise InputError(
                f"{first} has {number_of(one.rows, 'line')}, {name} has {other.rows:,}",
                expected="one line per sentence, the same ones in both",
            )


def warn_of_empty(references: Sequence[tuple[str, Analysed]], kept: I64 | None = None) -> None:
    """Warn of empty sentences of references, only among those in ``kept`` if given."""
    said = (
        "such a line has no score"
        if len(references) == 1
        else "such a line is scored against the other references only"
    )
    for name, ref in references:
        empty = np.flatnonzero(ref.lengths() == 0)
        if kept is not None:
            empty = empty[np.isin(empty, kept)]
        if not empty.size:
            continue
        lines = ", ".join(f"{line + 1:,}" for line in empty[:_NAMED].tolist())
        more = ", ..." if empty.size > _NAMED else ""
        warnings.warn(
            f"{name}: {number_of(empty.size, 'empty line')} of the reference "
            f"(line {lines}{more}); {said}",
            DataWarning,
            stacklevel=3,
        )
