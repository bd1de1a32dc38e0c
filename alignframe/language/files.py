"""Reading sentences: one text per line, or Parquet with analysed tokens."""

from __future__ import annotations

import warnings
from os import PathLike, fspath
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.arrow import as_array
from alignframe.choices import PARQUET
from alignframe.errors import DataWarning, InputError
from alignframe.formats.sentences import read_sentences
from alignframe.formats.tagged import CONLLU_NAME, read_tagged
from alignframe.language.analysed import Analysed, Vocabulary
from alignframe.language.analysis import Analysis
from alignframe.parquet import open_parquet
from alignframe.tables import SIGNATURE, TOKEN


def read_given(
    path: str | PathLike[str], encoding: str = "utf-8", analysis: Analysis | None = None
) -> pa.Array:
    """Return the sentences of a file.

    Parameters
    ----------
    path
        One sentence per line, optionally compressed; or Parquet with the columns sid and tokens, as
        written by ``tesla analyse``; or, if tags are given, CoNLL-U (``.conllu``, ``.conll``).
    encoding
        Encoding of text.
    analysis
        The analysis that will be applied, needed for CoNLL-U: UPOS is read if content words are
        defined by universal tags, else XPOS; LEMMA is read if lemmas are given.

    Returns
    -------
    pyarrow.Array
        Texts; for Parquet, a column of type ``tables.ANALYSED`` in sid order; for CoNLL-U, lists of
        structs of word, tag and optionally lemma.

    Raises
    ------
    InputError
        If the file cannot be read, or is Parquet with other columns.
    """
    if _is_parquet(path):
        return _read_tokens(path)[0]
    if CONLLU_NAME.search(fspath(path)):
        return _read_conllu(path, encoding, analysis)
    return read_sentences(path, encoding)


def analysed_file(
    path: str | PathLike[str],
    analysis: Analysis,
    vocabulary: Vocabulary | None = None,
    encoding: str = "utf-8",
) -> Analysed:
    """Return the analysed sentences of a file; see ``read_given``.

    Raises
    ------
    InputError
        See ``read_given`` and ``Analysis.analyse``; gives the file, and the line of an invalid
        tagged word.

    Warns
    -----
    DataWarning
        If tokens were analysed differently from what the signature will say.
    """
    if _is_parquet(path):
        column, made = _read_tokens(path)
        _compare(made, analysis, path)
    else:
        column = read_given(path, encoding, analysis)
    try:
        return analysis.analyse(column, vocabulary)
    except InputError as error:
        raise located(error, analysis, column, path) from None


def located(
    error: InputError,
    analysis: Analysis,
    sentences: pa.Array,
    path: str | PathLike[str] | None = None,
    first: int = 1,
) -> InputError:
    """Add the location of the first invalid sentence to an error.

    ``first`` is the line of the first sentence. Only errors in tagged texts give the line.
    """
    if analysis.tokens != "given" or not pa.types.is_string(sentences.type):
        return InputError(str(error), path=path) if path is not None else error
    low, high = 0, len(sentences)
    while True:
        end = low + max(1, (high - low) // 2)
        try:
            analysis.analyse(sentences.slice(low, end - low))
        except InputError as found:
            if end - low == 1:
                return InputError(str(found), path=path, line=first + low)
            high = end
        else:
            low = end
            if low >= high:
                return error


def shown(sentences: pa.Array) -> list[str]:
    """Return sentences of ``read_given`` as readable text; for tokens, the words."""
    if pa.types.is_string(sentences.type):
        texts: list[str] = sentences.to_pylist()
        return texts
    rows = sentences.to_pylist()
    return [" ".join(token["word"] for token in tokens or ()) for tokens in rows]


def _read_conllu(path: str | PathLike[str], encoding: str, analysis: Analysis | None) -> pa.Array:
    """Read words with tags, and optionally lemmas, from CoNLL-U."""
    if analysis is None or analysis.tokens != "given":
        raise InputError(
            "CoNLL-U, but the tagger is not given", path=path, todo="use --tagger given"
        )
    tags, lemmas = analysis.content.conllu, analysis.lemmas == "given"
    try:
        table = read_tagged(path, "conllu", tags=tags, lemmas=lemmas, encoding=encoding)
    except InputError as error:
        raise _of_other_tags(error, tags) from None
    names = {"words": "word", "tags": "tag", "lemmas": "lemma"}
    columns = {new: as_array(table[old]) for old, new in names.items() if old in table.column_names}
    offsets = columns["word"].offsets
    tokens = pa.StructArray.from_arrays([one.flatten() for one in columns.values()], list(columns))
    return pa.ListArray.from_arrays(offsets, tokens)


def _of_other_tags(error: InputError, tags: str) -> InputError:
    """Add advice on the analysis to an error about tags."""
    found, mark, _ = str(error).partition("; if the file has")
    if not mark:
        return error
    todo = "name your tag set (--content), or use CoNLL-U with UPOS"
    if tags == "xpos":
        todo = "to read UPOS, use --content universal"
    return InputError(found, todo=todo)


def _is_parquet(path: str | PathLike[str]) -> bool:
    return Path(fspath(path)).suffix.lower() in PARQUET


def _read_tokens(path: str | PathLike[str]) -> tuple[pa.Array, str]:
    """Return tokens in sid order, and the signature of their analysis, if stored."""
    with open_parquet(path) as file:
        schema = file.schema_arrow
        _check_columns(schema, path)
        table = file.read(columns=["sid", "tokens"])
    sids, tokens = as_array(table["sid"]), as_array(table["tokens"])
    order = pc.sort_indices(sids)
    whole = np.arange(len(sids))
    if sids.null_count or not np.array_equal(sids.take(order).to_numpy(), whole):
        raise InputError("sids with gaps or repeats", path=path, expected="0, 1, 2 and so on")
    if not np.array_equal(order.to_numpy(), whole):
        tokens = tokens.take(order)
    made = (schema.metadata or {}).get(SIGNATURE.encode(), b"").decode()
    return tokens, made


def _check_columns(schema: pa.Schema, path: str | PathLike[str]) -> None:
    found = f"the columns {', '.join(schema.names[:8])}"
    if {"sid", "tokens"} <= set(schema.names):
        kind = schema.field("tokens").type
        inner = kind.value_type if pa.types.is_list(kind) or pa.types.is_large_list(kind) else kind
        names = {field.name for field in inner} if pa.types.is_struct(inner) else set()
        if inner is not kind and {field.name for field in TOKEN} <= names:
            return
        found = f"the column tokens of type {kind}"
    raise InputError(
        found,
        path=path,
        expected="the columns sid and tokens (lists of word, tag, lemma and content)",
        todo="write them with alignframe tesla analyse",
    )


def _compare(made: str, analysis: Analysis, path: str | PathLike[str]) -> None:
    """Warn if tokens were not made by this analysis; given ones may come from anywhere."""
    ours, theirs = (
        [part for part in whole.split("|") if not part.startswith("synonyms:")]
        for whole in (analysis.signature, made)
    )
    if made and analysis.tokens != "given" and ours != theirs:
        odd = "|".join(part for part in theirs if part not in ours)
        warnings.warn(
            f"{fspath(path)}: its tokens were analysed with {odd}, which the signature of the "
            "scores does not show",
            DataWarning,
            stacklevel=4,
        )
