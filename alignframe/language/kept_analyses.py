"""Analyses cached by their options, together with the words analysed so far."""

from __future__ import annotations

import functools
import os
from os import PathLike
from typing import Any, Unpack

import polars as pl
import pyarrow as pa

from alignframe.errors import InputError
from alignframe.language.analysed import Vocabulary, to_arrow
from alignframe.language.analysis import Analysis, AnalysisOptions
from alignframe.options import checked
from alignframe.stores.store import file_mark
from alignframe.typing import IntoTexts


@checked
def analyse(sentences: IntoTexts, **options: Unpack[AnalysisOptions]) -> pl.Series:
    """Return the tokens of sentences as a series of lists of word, tag, lemma and content.

    Parameters
    ----------
    sentences
        See ``Analysis.analyse``.
    **options
        See ``Analysis.of``; synonyms are not looked up. The analysis of words is cached between
        calls.

    Raises
    ------
    InputError
        See ``Analysis.of`` and ``Analysis.analyse``.

    Examples
    --------
    >>> from alignframe import tesla
    >>> options = {"language": "fr", "tokens": "spaces", "tagger": "none", "synonyms": "none"}
    >>> [token["lemma"] for token in tesla.analyse(["les bateaux"], **options)[0]]
    ['les', 'bateaux']
    """
    column = pl.from_arrow(analysed_tokens(sentences, **options))
    return pl.Series("tokens", column)


def analysed_tokens(sentences: IntoTexts, **options: Unpack[AnalysisOptions]) -> pa.ListArray:
    """Return the result of ``analyse`` as an Arrow column of type ``tables.ANALYSED``."""
    how = kept_analysis(**{"synonyms": "none", **options})
    return to_arrow(how.analyse(sentences, Vocabulary()))


def kept_analysis(**options: Any) -> Analysis:
    """Return ``Analysis.of(**options)``, kept with its words until a file it names changes."""
    files = (value for value in options.values() if isinstance(value, (str, PathLike)))
    named = map(os.environ.get, ("ALIGNFRAME_WORDNET", "NLTK_DATA"))
    stamps = [*named, *map(_stamp, files)]
    try:
        return _made(tuple(stamps), **options)
    except TypeError:  # options without a hash, such as a list of prefixes
        return Analysis.of(**options)


def _stamp(path: str | PathLike[str]) -> str | None:
    """Return the mark of a file; None if there is none, as most texts are not paths."""
    try:
        return file_mark(path)
    except (InputError, ValueError):
        return None


@functools.lru_cache(maxsize=8)
def _made(_: tuple[object, ...], **options: Any) -> Analysis:
    return Analysis.of(**options)
