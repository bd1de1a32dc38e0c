"""Translating with a phrase table and a language model."""

from __future__ import annotations

from os import PathLike
from typing import Unpack

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.core.output import replacing, write_table
from alignframe.core.parallel import pool_of
from alignframe.core.schemas import TOKENS
from alignframe.core.signatures import exact, whole_signature, within
from alignframe.core.suffixes import N_BEST, N_BEST_FORMATS
from alignframe.errors import (
    InputError,
    check_known,
    warn,
)
from alignframe.mt.phrase_tables import phrase_table
from alignframe.mt.system import System, Translations
from alignframe.mt.weights import FEATURES, REORDERING, UNKNOWN, IntoWeights, weights_of
from alignframe.options import checked
from alignframe.options.mt import Search, SearchOptions
from alignframe.sources.texts import word_array
from alignframe.tesla.estimate import Estimate
from alignframe.tesla.language_model import LanguageModel
from alignframe.typing import (
    FilePath,
    ForInput,
    FromOne,
    IntoFrame,
    IntoSentences,
    Progress,
    Threads,
)


@checked
def translate(
    sentences: IntoSentences,
    table: IntoFrame,
    lm: LanguageModel | Estimate | FilePath,
    weights: IntoWeights = None,
    *,
    n_best: FromOne = 1,
    threads: Threads = None,
    progress: Progress | None = None,
    encoding: ForInput[str] = "utf-8",
    **search: Unpack[SearchOptions],
) -> pl.DataFrame:
    """Translate sentences with a phrase table and a language model.

    Parameters
    ----------
    sentences
        Sentences to translate: a file with one per line (in Python, also texts, which are split at
        spaces, or lists of words). Words without a translation are copied.
    table
        Phrase table: Parquet, as ``mt train`` writes it, or Moses's text table (in Python, also a
        frame).
    lm
        Language model of the target language, as ``lm`` writes it (ARPA). In Python, also the
        result of ``read_language_model`` or ``estimate_language_model``.
    weights
        Weights of the features, as ``mt tune`` writes them (in Python, also by name); by default
        the initial weights of Moses, which need tuning. With weights of reordering too, it is
        lexicalised.
    n_best
        Number of best translations per sentence.
    threads
        Number of threads, or an executor, to translate parts of the text in parallel; one by
        default.
    progress
        Called with the numbers of finished and of all sentences.
    encoding
        Character encoding of a file of sentences.
    **search
        Fields of ``alignframe.options.mt.Search``: pop, distortion and options.

    Returns
    -------
    polars.DataFrame
        sid, rank (from 1), text, score, the value of each feature, and ``unknown_words``; one row
        per sentence and rank. The score is the sum of features times weights, in natural
        logarithms. The last column is the signature.

    Raises
    ------
    InputError
        If a source cannot be read, an option is invalid, or the language model knows none of the
        table's words.

    Warns
    -----
    DataWarning
        If the language model knows less than half of the table's words.

    Notes
    -----
    Koehn 2004; cube pruning as in Huang & Chiang 2007; distortion is limited as in Moses. The
    n-best list is exact among the translations considered.

    Examples
    --------
    >>> from alignframe import formats, mt, tesla
    >>> home = "datasets/en-fr"
    >>> text = formats.read_bitext(f"{home}/text.en", f"{home}/text.fr")
    >>> table = mt.train(f"{home}/gold.talp", text)
    >>> lm = tesla.estimate_language_model(f"{home}/text.fr", 2)
    >>> mt.translate(["the new boat", "the old lighthouse"], table, lm)["text"].to_list()
    ['le nouveau bateau', 'le phare vieux']
    """
    how = Search(**search)
    chosen = weights_of(weights)
    system = system_of(phrase_table(table), lm, word_array(sentences, encoding=encoding))
    translations = system.translate(chosen, how, n_best, pool_of(threads), progress)
    mark = whole_signature(
        how.signature,
        f"weights:{','.join(exact(weight) for weight in chosen.values())}",
        f"lm:{within(system.lm.signature)}",
    )
    return frame_of(translations, system).with_columns(pl.lit(mark).alias("signature"))


def system_of(table: pl.DataFrame, lm: object, sentences: pa.Array) -> System:
    """Return a system, after checking that the language model fits the table's language."""
    system = System(table, lm, sentences)
    known = float(np.mean(system.is_known)) if system.is_known.size else 1.0
    if known == 0:
        raise InputError(
            "the language model knows none of the table's target words",
            expected="a model of the target language, with the same tokenisation and case",
        )
    if known < 0.5:
        warn(
            f"the language model knows only {known:.0%} of the table's target words; is it for "
            "the same language, with the same tokenisation?"
        )
    return system


def frame_of(decoded: Translations, system: System) -> pl.DataFrame:
    """Return translations as a table; see ``translate``."""
    # Translations of a sentence are adjacent, best first.
    first = np.flatnonzero(np.concatenate([[True], decoded.rows[1:] != decoded.rows[:-1]]))
    sizes = np.diff([*first, decoded.rows.size]) if decoded.rows.size else np.zeros(0, np.int64)
    rank = np.arange(decoded.rows.size) - np.repeat(first[: sizes.size], sizes) + 1
    values = dict(zip(decoded.names, decoded.features.T, strict=True))
    return pl.DataFrame(
        {
            "sid": decoded.rows,
            "rank": rank,
            "text": texts_of(decoded, system),
            "score": decoded.scores,
            **values,
            "unknown_words": np.round(values["unknown"] / UNKNOWN).astype(np.int64),
        }
    )


def texts_of(decoded: Translations, system: System) -> pl.Series:
    """Return the texts of translations."""
    words = lists_of(decoded, system)
    return pl.Series("text", pl.from_arrow(words)).list.join(" ")


def lists_of(decoded: Translations, system: System) -> pa.Array:
    """Return the words of translations."""
    words = system.known.take(pa.array(decoded.words))
    # Arrow's lists have offsets of 32 bits.
    if decoded.words.size > np.iinfo(np.int32).max:
        raise InputError(
            "more than 2 billion words of translations", todo="translate fewer sentences at a time"
        )
    return pa.ListArray.from_arrays(pa.array(decoded.starts.astype(np.int32)), words, type=TOKENS)


def write_n_best(table: pl.DataFrame, path: str | PathLike[str], format: str | None = None) -> None:
    """Write an n-best list from ``translate``.

    Parameters
    ----------
    table
        Translations.
    path
        The file to write.
    format
        ``moses``: lines ``sid ||| text ||| name= value ... ||| score``; ``zmert``: lines
        ``sid ||| text ||| values``; both compressed if the name ends with .gz; ``parquet``: the
        table. By default, names that end with .parquet, .pq or .parq are Parquet, and all others
        Moses's format.

    Examples
    --------
    >>> from alignframe import mt, tesla
    >>> text = ["the boat", "a boat"], ["le bateau", "un bateau"]
    >>> table = mt.train(["0-0 1-1"] * 2, text)
    >>> lm = tesla.estimate_language_model("datasets/en-fr/text.fr", 2)
    >>> mt.write_n_best(mt.translate(["the boat"], table, lm, n_best=10), "n-best.txt")
    >>> mt.read_n_best("n-best.txt")[0]["text"].to_list()
    ['le bateau', 'le bateau', 'bateau le']
    """
    if format is not None:
        check_known("`format` of n-best lists", format, N_BEST_FORMATS)
    kind = N_BEST.chosen(path, format)
    names = [name for name in (*FEATURES, *REORDERING) if name in table.columns]
    if kind == "parquet":
        write_table(table, path, kind)
        return
    with replacing(path) as out:
        for row in table.iter_rows(named=True):
            moses = kind == "moses"
            values = " ".join(
                f"{name}= {row[name]:.10g}" if moses else f"{row[name]:.10g}" for name in names
            )
            end = f" ||| {row['score']:.10g}" if moses else ""
            out.write(f"{row['sid']} ||| {row['text']} ||| {values}{end}\n".encode())
