"""Sentences of any source, analysed: texts, tagged words, or tokens that were analysed before."""

from __future__ import annotations

from functools import partial
from os import PathLike

import numpy as np
import pyarrow as pa

from alignframe.core.arrow import is_list
from alignframe.errors import InputError, warn
from alignframe.formats.tagged import read_tagged
from alignframe.language.analysed import Analysed, Vocabulary
from alignframe.language.analysis import Analysis
from alignframe.sources.source import Source, only
from alignframe.sources.texts import TEXTS, sentences_of
from alignframe.typing import Arguments


def reading_of(analysis: Analysis | None, encoding: str = "utf-8") -> Arguments:
    """Return the options with which ``sources.texts`` reads what will be analysed."""
    return {"encoding": encoding, "conllu": partial(_read_conllu, analysis=analysis)}


def analysed_file(
    path: str | PathLike[str],
    analysis: Analysis,
    vocabulary: Vocabulary | None = None,
    encoding: str = "utf-8",
) -> Analysed:
    """Return the analysed sentences of a file.

    Parameters
    ----------
    path
        One sentence per line, optionally compressed; a table with the column text, words and tags,
        or tokens, as written by ``tesla words``; or, if tags are given, CoNLL-U (``.conllu``,
        ``.conll``).
    analysis
        The text analysis.
    vocabulary
        The numbering of words, lemmas and tags; by default a new one.
    encoding
        Encoding of text.

    Raises
    ------
    InputError
        If the file cannot be read; also see ``Analysis.analyse``. Gives the file, and the line of
        an invalid tagged word.

    Warns
    -----
    DataWarning
        If tokens were analysed differently from what the signature will say.

    Examples
    --------
    >>> from alignframe import language
    >>> how = language.Analysis.of(language="fr", tokens="spaces", tagger="none", synonyms="none")
    >>> found = language.analysed_file("datasets/en-fr/text.fr", how)
    >>> len(found.starts)
    72
    """
    return analysed(whole_document(path, analysis, encoding), analysis, vocabulary)


def whole_document(
    path: str | PathLike[str], analysis: Analysis | None, encoding: str = "utf-8"
) -> Source:
    """Return the sentences of a file; refuse a table without some of them."""
    source = only(path, TEXTS, **reading_of(analysis, encoding))
    if not np.array_equal(source.frame["sid"].to_numpy(), np.arange(source.frame.num_rows)):
        raise InputError("sids with gaps", path=path, expected="0, 1, 2 and so on")
    return source


def analysed(source: Source, analysis: Analysis, vocabulary: Vocabulary | None = None) -> Analysed:
    """Return the analysed sentences of a source; see ``analysed_file``."""
    _compare(source, analysis)
    column = sentences_of(source)
    path = source.note("file")
    try:
        return analysis.analyse(column, vocabulary)
    except InputError as error:
        at = _first_invalid(analysis, column) if path and source.note("lines") else None
        if at is not None:
            at[1].found_at(path, source.frame["sid"][at[0]].as_py() + 1)
            raise at[1] from None
        if error.path is None:
            error.found_at(path, error.line)
        raise


def check_language(source: Source, sentences: Analysed, analysis: Analysis) -> None:
    """Refuse, or warn of, a source that its tagger cannot tag; tokens may come with tags."""
    kind = sentences_of(source).type
    if not (is_list(kind) and pa.types.is_struct(kind.value_type)):
        analysis.check_language(sentences, source.name)


def _first_invalid(analysis: Analysis, sentences: pa.Array) -> tuple[int, InputError] | None:
    """Return the place of the first invalid sentence of tagged texts, and its error."""
    low, high = 0, len(sentences) if analysis.tokens == "given" else 0
    while low < high:
        # Halves find it in a logarithmic number of analyses.
        end = low + max(1, (high - low) // 2)
        try:
            analysis.analyse(sentences.slice(low, end - low))
            low = end
        except InputError as error:
            if end - low == 1:
                return low, error
            high = end
    return None


def shown(sentences: pa.Array) -> list[str]:
    """Return sentences as readable text; of tokens, the words."""
    if pa.types.is_string(sentences.type):
        texts: list[str] = sentences.to_pylist()
        return texts
    rows = sentences.to_pylist()
    return [" ".join(token["word"] for token in tokens or ()) for tokens in rows]


def _read_conllu(path: str | PathLike[str], encoding: str, analysis: Analysis | None) -> pa.Table:
    """Read words with tags, and optionally lemmas, from CoNLL-U."""
    if analysis is None or analysis.tokens != "given":
        raise InputError(
            "CoNLL-U, but the tagger is not given", path=path, todo="use `tagger='given'`"
        )
    # UPOS if content words are defined by universal tags, else XPOS; LEMMA if lemmas are given.
    tags, lemmas = analysis.content.conllu, analysis.lemmas == "given"
    try:
        return read_tagged(path, "conllu", tags=tags, lemmas=lemmas, encoding=encoding)
    except InputError as error:
        raise _of_other_tags(error, tags) from None


def _of_other_tags(error: InputError, tags: str) -> InputError:
    """Add advice on the analysis to an error about tags."""
    problem, mark, _ = error.said.partition("; if the file has")
    if not mark:
        return error
    todo = "name your tag set (`content`), or use CoNLL-U with UPOS"
    if tags == "xpos":
        todo = "to read UPOS, use `content='universal'`"
    return InputError(problem, todo=todo, path=error.path, line=error.line)


def _compare(source: Source, analysis: Analysis) -> None:
    """Warn if tokens were not made by this analysis; given ones may come from anywhere."""
    made = source.note("analysis") or ""
    ours, theirs = (
        [part for part in whole.split("|") if not part.startswith("synonyms:")]
        for whole in (analysis.signature, made)
    )
    if made and analysis.tokens != "given" and ours != theirs:
        odd = "|".join(part for part in theirs if part not in ours)
        warn(
            f"{source.note('file')}: its tokens were analysed with {odd}, which the signature of "
            "the scores does not show"
        )
