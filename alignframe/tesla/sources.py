"""References and translations for TESLA: analysed, in one order."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
import polars as pl

from alignframe.arrays import I64
from alignframe.errors import DataWarning, number_of
from alignframe.functions.bags import check_sizes
from alignframe.language.analysed import Analysed, Vocabulary
from alignframe.language.analysis import Analysis
from alignframe.language.files import analysed
from alignframe.read.source import Source
from alignframe.read.texts import about_of

_NAMED = 5


def analysed_texts(source: Source, analysis: Analysis, vocabulary: Vocabulary) -> Analysed:
    """Return the analysed sentences of a source, which must be short enough to be matched."""
    found = analysed(source, analysis, vocabulary)
    check_sizes(found, source.name)
    return found


def analysed_references(
    references: Sequence[Source], analysis: Analysis, vocabulary: Vocabulary
) -> tuple[list[Analysed], pl.DataFrame]:
    """Return references, and a table of sentences.

    It has sid, n_ref (the tokens of the first reference) and the columns of that one's table.
    """
    found = [analysed_texts(one, analysis, vocabulary) for one in references]
    for source, one in zip(references, found, strict=True):
        analysis.check_language(one, source.name)
    about = about_of(references[0]).with_columns(n_ref=found[0].lengths())
    return found, about.select("sid", "n_ref", pl.exclude("sid", "n_ref"))


def warn_of_empty(
    sources: Sequence[Source], references: Sequence[Analysed], kept: I64 | None = None
) -> None:
    """Warn of empty sentences of references, only among those in ``kept`` if given."""
    said = (
        "such a line has no score"
        if len(references) == 1
        else "such a line is scored against the other references only"
    )
    for source, ref in zip(sources, references, strict=True):
        empty = np.flatnonzero(ref.lengths() == 0)
        if kept is not None:
            empty = empty[np.isin(empty, kept)]
        if not empty.size:
            continue
        lines = ", ".join(f"{line + 1:,}" for line in empty[:_NAMED].tolist())
        more = ", ..." if empty.size > _NAMED else ""
        warnings.warn(
            f"{source.name}: {number_of(empty.size, 'empty line')} of the reference "
            f"(line {lines}{more}); {said}",
            DataWarning,
            stacklevel=3,
        )
