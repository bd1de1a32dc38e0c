"""Building a pivot table from a word-aligned bitext (Dahlmeier, Liu & Ng 2011, section 3.1).

The words of the pivot language are annotated by type: word, tag, lemma and content.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Protocol

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrays import I64, Array, frozen
from alignframe.core.arrow import as_array
from alignframe.core.choices import CASES
from alignframe.core.schemas import ANALYSED, MAX_POSITION, TOKEN, TOKENS
from alignframe.core.signatures import exact
from alignframe.core.tokens import Numbering, list_lengths
from alignframe.errors import InputError, whole_number
from alignframe.kernels.text.trie import Trie
from alignframe.language.analysed import Analysed, Vocabulary
from alignframe.options import checked
from alignframe.result import TableResult
from alignframe.sources.pairs import sentence_pairs
from alignframe.tesla.pivot_count import NumberedSide, PhrasePairs, count_phrases, link_ends, linked
from alignframe.tesla.pivot_table import PIVOT_TABLE, with_metadata
from alignframe.typing import ForInput, FromOne, IntoBitext, IntoLinks, IntoTexts, Rare, Row, Share

"""The longest target phrase and the longest pivot phrase, in words."""


@checked
def build_pivot_table(
    bitext: IntoBitext,
    links: IntoLinks | None = None,
    *,
    name: str = "pivot",
    language: ForInput[str] = "en",
    pivot_tagger: Rare[str] = "project",
    pivot_language: Rare[str | None] = None,
    pivot_content: Rare[str | None] = None,
    analysis: Analyst | None = None,
    case: Rare[str] = "lower",
    max_length: FromOne = 4,
    max_pivot_length: Rare[FromOne] = 5,
    min_count: Rare[FromOne] = 2,
    min_probability: Share = 0.01,
    top_k: Rare[FromOne] = 10,
    renormalise: Rare[bool] = True,
) -> TableResult:
    """Build the pivot table of a word-aligned bitext.

    Parameters
    ----------
    bitext
        A frame with sid, src and tgt: src in the language of the translations to evaluate (the
        target language), tgt in the pivot language. It should be tokenised like the translations.
    links
        The word alignment of one system (see ``alignframe.phrases.extract``); by default from
        ``aligners.align``.
    name
        The name of features, and in the signature: the pivot language.
    language
        Language code of the side src.
    pivot_tagger
        Source of tags and lemmas of pivot words: ``project`` (a word's tag is the most frequent one
        of those linked to it, its lemma the word in lower case), ``given`` (word|TAG or
        word|TAG|lemma), ``hanta`` (de and nl), or ``spacy:MODEL``.
    pivot_language
        Language code of the pivot language; not for ``project``.
    pivot_content
        Tag set of the pivot language, or prefixes of the tags of its content words.
    analysis
        The analysis of the target side for ``project``, or else of the pivot side; by default that
        of the language.
    case
        ``lower``: words are compared in lower case; ``keep``: as written.
    max_length
        Maximum length of a phrase of src, in words.
    max_pivot_length
        Maximum length of a pivot phrase, in words.
    min_count
        Drop phrase pairs seen less often.
    min_probability
        Drop pivot phrases below this probability.
    top_k
        Pivot phrases kept for each phrase: the most probable, ties to the first in the text.
    renormalise
        Divide the remaining probabilities by their sum. Otherwise the mass of pruned ones is lost,
        and a phrase with many rare translations weighs less.

    Returns
    -------
    TableResult
        ``PIVOT_TABLE``, most frequent phrases first, for ``write_pivot_table`` or
        ``PivotTable.of``.

    Raises
    ------
    InputError
        If an option is invalid, the links do not fit the text, or no phrase is left.

    Notes
    -----
    Pairs are those of Koehn, Och & Marcu 2003: consistent with the links, with or without unaligned
    words at their borders. N(p) counts them before pruning, while the sum of equation 1 is over the
    phrases kept: Pr(p) = N(p) / (sum of N over kept phrases).

    Examples
    --------
    >>> from alignframe import tesla
    >>> how, text = tesla.Analysis.of(tagger="none"), (["the boat"], ["le bateau"])
    >>> table = tesla.build_pivot_table(text, ["0-0 1-1"], min_count=1, analysis=how)
    >>> table.frame.columns
    ['tgt_phrase', 'pivot_phrase', 'n_both', 'n_tgt', 'probability']
    """
    options = {
        "language": language,
        "case": case,
        "max_length": [max_length, max_pivot_length],
        "min_count": min_count,
        "min_probability": min_probability,
        "top_k": top_k,
        "renormalise": renormalise,
    }
    _check(name, options)
    text = sentence_pairs(bitext).table().combine_chunks()
    batches = list(linked(text, links))
    lower = case == "lower"
    # The text's source side has the language of translations, its target side the pivot language.
    tgt = NumberedSide.of(text, "src", lower)
    pivot = NumberedSide.of(text, "tgt", lower and pivot_tagger == "project")
    if pivot_tagger == "project":
        analysis = analysis or _of_target(language)
        types = projected(tgt, pivot, text["src"], batches, analysis)
    else:
        analysis = analysis or _of_pivot(pivot_tagger, pivot_language, pivot_content, text["tgt"])
        pivot, types = analysed(
            pivot, text["tgt"], analysis, lower=lower, joined=pivot_tagger == "given"
        )
    tags = f"{pivot_tagger}({analysis.signature.replace('|', ',')})"
    counted = count_phrases(tgt, pivot, batches, (max_length, max_pivot_length))
    pairs = _pruned(counted.pairs, min_count, min_probability, top_k, renormalise)
    if not pairs.height:
        raise InputError("no pair of phrases is left", todo="lower the least count or probability")
    table = _table(pairs, counted, tgt, types)
    options |= {
        "tags": tags,
        "sentences": counted.sentences,
        "phrases": pairs["tgt"].n_unique(),
    }
    signature = _signature(name, options, table)
    return TableResult("pivot_table", with_metadata(table, name, signature, options), signature)


def _check(name: str, options: Row) -> None:
    """Refuse invalid options."""
    if not re.fullmatch(r"[A-Za-z0-9-]+", name):
        raise InputError(f"the name {name!r}", expected="letters, digits and hyphens, such as fr")
    if options["case"] not in CASES:
        raise InputError(f"the case {options['case']!r}", expected=" or ".join(CASES))
    for what, length in zip(("max_length", "max_pivot_length"), options["max_length"], strict=True):
        whole_number(length, 1, what, MAX_POSITION)


def _of_target(language: str) -> Analyst:
    """Return the analysis whose tags are projected; only its tags are used."""
    from alignframe.language.analysis import Analysis

    return Analysis.of(language, "spaces", lemmas="words", synonyms="none")


def _of_pivot(
    tagger: str, language: str | None, content: str | None, text: pa.ChunkedArray
) -> Analyst:
    """Return the analysis of the pivot side; the first word shows whether lemmas are given."""
    from alignframe.language.analysis import Analysis

    if language is None:
        raise InputError(f"the pivot tagger {tagger} needs the pivot language, such as de")
    lemmas = None
    if tagger == "given":
        first = text.combine_chunks().flatten()[:1].to_pylist()
        lemmas = "given" if first and first[0].count("|") > 1 else "words"
    return Analysis.of(language, "spaces", tagger, lemmas=lemmas, synonyms="none", content=content)


def _pruned(
    pairs: pl.DataFrame, min_count: int, min_probability: float, top_k: int, renormalise: bool
) -> pl.DataFrame:
    """Return tgt, pivot, n_both, n_tgt and probability of the kept pairs, in order."""
    # Few pairs are kept, so they are selected as arrays before sorting.
    tgt, n_both = pairs["tgt"].to_numpy(), pairs["n_both"].to_numpy()
    n_tgt = np.bincount(tgt, weights=n_both).astype(np.int64)[tgt]
    frequent = (n_both >= min_count) & (n_both / n_tgt >= min_probability)
    kept = (
        pairs.with_columns(n_tgt=n_tgt)
        .filter(frequent)
        .sort(["n_tgt", "tgt", "n_both", "pivot"], descending=[True, False, True, False])
        .filter(pl.int_range(pl.len()).over("tgt") < top_k)
    )
    whole = pl.col("n_both").sum().over("tgt") if renormalise else pl.col("n_tgt")
    return kept.with_columns(probability=pl.col("n_both") / whole)


def _table(
    pairs: pl.DataFrame, counted: PhrasePairs, tgt: NumberedSide, types: pa.StructArray
) -> pa.Table:
    """Return the pairs with their words."""
    columns = [
        _lists(counted.tgt, pairs["tgt"], tgt.known.known, TOKENS),
        _lists(counted.pivot, pairs["pivot"], types, ANALYSED),
        *(pairs[name].to_arrow() for name in ("n_both", "n_tgt", "probability")),
    ]
    return pa.Table.from_arrays(columns, schema=PIVOT_TABLE)


def _lists(trie: Trie, nodes: pl.Series, values: pa.Array, kind: pa.DataType) -> pa.ListArray:
    offsets, words = trie.phrases(nodes.to_numpy())
    # Arrow's lists have offsets of 32 bits.
    if offsets[-1] > np.iinfo(np.int32).max:
        raise InputError("more than 2 billion words in phrases", todo="raise the least count")
    places = pa.array(offsets.astype(np.int32))
    return pa.ListArray.from_arrays(places, values.take(pa.array(words)), type=kind)


def _signature(name: str, options: Row, table: pa.Table) -> str:
    longest = ".".join(map(str, options["max_length"]))
    return "|".join(
        [
            f"pivot:{name}",
            f"sentences:{options['sentences']}",
            f"phrases:moses.{longest}",
            f"case:{options['case']}",
            f"count:{options['min_count']}",
            f"prob:{exact(options['min_probability'])}",
            f"top:{options['top_k']}",
            f"norm:{'yes' if options['renormalise'] else 'no'}",
            f"pivottags:{options['tags']}",
            f"table:{_digest(table)}",
        ]
    )


def _digest(table: pa.Table) -> str:
    """Return a digest of the table's rows, eight hexadecimal digits."""
    digest = hashlib.blake2b(digest_size=4)
    for name in ("tgt_phrase", "pivot_phrase"):
        lists = as_array(table[name])
        tokens = lists.flatten()
        fields = [tokens] if name == "tgt_phrase" else tokens.flatten()
        digest.update(list_lengths(lists).tobytes())
        for column in fields:
            if pa.types.is_string(column.type):
                # Numbers of words and each distinct word once, which is less than all words.
                texts = Numbering()
                digest.update(texts.number(column).tobytes())
                digest.update("\n".join(texts.known.to_pylist()).encode())
            else:
                digest.update(column.to_numpy(zero_copy_only=False).tobytes())
    for name in ("n_both", "n_tgt", "probability"):
        digest.update(table[name].to_numpy().tobytes())
    return digest.hexdigest()


UNTAGGED = "X"
"""The tag of unaligned pivot words."""

_ROWS = 20_000


class Analyst(Protocol):
    """The interface of ``alignframe.language.analysis.Analysis``."""

    @property
    def signature(self) -> str:
        """The choices that change a tag or a lemma."""

    def analyse(self, sentences: IntoTexts, vocabulary: Vocabulary) -> Analysed:
        """Return the analysed tokens of sentences."""


def projected(
    tgt: NumberedSide,
    pivot: NumberedSide,
    text: pa.ChunkedArray,
    batches: Iterable[tuple[I64, pa.Array]],
    analysis: Analyst,
) -> pa.StructArray:
    """Return the pivot words with the most frequent tags of words linked to them."""
    (_, tags, _, content), vocabulary = _every_token(tgt, text, analysis, "src")
    # Numbered alphabetically, so that ties between tags go to the first one.
    tags = vocabulary.tags.ranks()[tags]
    names = vocabulary.tags.known
    names = names.take(pc.sort_indices(names))
    words = pivot.known.known
    votes = np.zeros(len(words) * len(names), np.int64)
    full = np.zeros(len(words) * 2, np.int64)
    for rows, links in batches:
        near, far = link_ends(tgt, pivot, rows, links)
        linked = pivot.words[far].astype(np.int64)
        votes += np.bincount(linked * len(names) + tags[near], minlength=votes.size)
        full += np.bincount(linked * 2 + content[near], minlength=full.size)
    by_tag = votes.reshape(len(words), len(names))
    known = by_tag.any(axis=1)
    best = pa.array(by_tag.argmax(axis=1), mask=~known)
    function_links, content_links = full.reshape(len(words), 2).T
    # A content word has at least half of its links to content words; one without links is none.
    is_content = pa.array(known & (content_links >= function_links))
    tag = names.take(best).fill_null(UNTAGGED)
    return _types(words, tag, pc.utf8_lower(words), is_content)


def analysed(
    pivot: NumberedSide, text: pa.ChunkedArray, analysis: Analyst, *, lower: bool, joined: bool
) -> tuple[NumberedSide, pa.StructArray]:
    """Return the pivot side as types of word, tag and lemma, and the annotation of each type."""
    # With `joined`, words include their tags, and the analysis takes texts.
    columns, vocabulary = _every_token(pivot, text, analysis, "tgt", joined)
    words = vocabulary.words.known
    if lower:
        known = Numbering()
        columns[0] = known.number(pc.utf8_lower(words))[columns[0]]
        words = known.known
    tokens = np.stack(columns, axis=1).astype(np.int64)
    types, numbers = np.unique(tokens, axis=0, return_inverse=True)
    texts = (words, vocabulary.tags.known, vocabulary.lemmas.known)
    word, tag, lemma = (known.take(pa.array(types[:, k])) for k, known in enumerate(texts))
    side = NumberedSide(pivot.starts, frozen(numbers.ravel().astype(np.int32)), pivot.known)
    return side, _types(word, tag, lemma, pa.array(types[:, 3].astype(np.bool_)))


def _every_token(
    side: NumberedSide, text: pa.ChunkedArray, analysis: Analyst, name: str, joined: bool = False
) -> tuple[list[Array], Vocabulary]:
    """Return the word, tag, lemma and content of every token of a side."""
    from alignframe.language.analysis import Analysis

    vocabulary = Vocabulary()
    parts: list[list[Array]] = []
    for low in range(0, len(text), _ROWS):
        sentences = text.slice(low, _ROWS).cast(TOKENS)
        plain = sentences.cast(pa.list_(pa.string()))
        given = pc.binary_join(plain, " ") if joined else sentences
        tokens = analysis.analyse(given, vocabulary)
        if not np.array_equal(tokens.lengths(), np.diff(side.starts)[low : low + _ROWS]):
            raise InputError(
                f"the analysis {analysis.signature} splits text into other words than the links do",
                expected="words separated by spaces",
            )
        if not low and isinstance(analysis, Analysis):
            analysis.check_language(tokens, name)
        whole = slice(int(tokens.starts[0]), int(tokens.ends[-1]))
        every = (tokens.words, tokens.tags, tokens.lemmas, tokens.content)
        parts.append([values[whole] for values in every])
    return [np.concatenate(part) for part in zip(*parts, strict=True)], vocabulary


def _types(word: pa.Array, tag: pa.Array, lemma: pa.Array, content: pa.Array) -> pa.StructArray:
    return pa.StructArray.from_arrays([word, tag, lemma, content], fields=list(TOKEN))
