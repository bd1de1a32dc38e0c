"""Projecting tags, lemmas and synonyms from English to a language without a tagger.

The English side is tagged, and its annotations are projected through links to the other side, as
with a pivot language (Dahlmeier, Liu & Ng 2011, section 3; Yarowsky & Ngai 2001).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.core.schemas import SIGNATURE, TOKENS
from alignframe.core.signatures import exact
from alignframe.errors import InputError
from alignframe.language import Analysis
from alignframe.language.analysed import Vocabulary, to_arrow
from alignframe.language.content import SETS
from alignframe.language.coverage import share_in_script
from alignframe.language.learnt import most_frequent, name_of
from alignframe.language.tokenize import token_lists
from alignframe.options import checked
from alignframe.result import TableResult
from alignframe.sources.texts import text_array
from alignframe.tesla.pivot_count import NumberedSide, link_ends, linked
from alignframe.typing import FromOne, IntoLinks, IntoSentences, Rare, Share

MIN_COUNT = 2
MIN_PROBABILITY = 0.2
ALIKE = 0.6
"""Words of a lemma share a prefix of at least this share of the longer one."""


@checked
def learn_tags(
    src: IntoSentences,
    tgt: IntoSentences,
    links: IntoLinks | None = None,
    *,
    tokens: str = "penn",
    min_count: Rare[FromOne] = MIN_COUNT,
    min_probability: Share = MIN_PROBABILITY,
) -> TableResult:
    """Learn tags, lemmas and synonyms of a language from a bitext with English.

    Parameters
    ----------
    src, tgt
        Parallel sentences, English in ``src``, as texts.
    links
        Their word alignment, in the tokenisation ``tokens``; by default from ``aligners.align``.
    tokens
        How texts are split into words. ``penn``: as raw text; ``spaces``: at spaces.
    min_count
        Drop translations seen less often.
    min_probability
        Drop translations with a smaller share of a lemma's links.

    Returns
    -------
    TableResult
        One row per lower-case word: word, tag (Penn; for content words its first two letters),
        lemma, n (links), and translations, a list of English lemmas of content words. Lemmas with a
        common translation are synonyms.

    Raises
    ------
    InputError
        If the sides differ in length, ``src`` is not in Latin letters, there are no links, or an
        option is out of range.

    Examples
    --------
    >>> from alignframe import tesla
    >>> tags = tesla.learn_tags("text.en", "text.cs")  # doctest: +SKIP
    >>> tags.write("tags")  # doctest: +SKIP
    """
    ours, theirs = text_array(src, "src"), text_array(tgt, "tgt")
    if len(ours) != len(theirs):
        raise InputError(
            f"{len(ours):,} sentences of src and {len(theirs):,} of tgt", expected="the same number"
        )
    analysis = Analysis.of(tokens=tokens, synonyms="none")
    vocabulary = Vocabulary()
    english = analysis.analyse(ours, vocabulary)
    if share_in_script(english, "Latin")[0] < 0.5:
        raise InputError(
            "most words of `src` are not in Latin letters",
            expected="English",
            todo="exchange `src` and `tgt` if English is the other side",
        )
    struct = to_arrow(english)
    sides = {
        "src": pa.ListArray.from_arrays(struct.offsets, struct.flatten().field("word")),
        "tgt": token_lists(theirs, tokens).cast(TOKENS),
    }
    text = pa.table({"sid": np.arange(len(ours)), **sides})
    counts = _linked(text, links, english, vocabulary)
    if not counts.height:
        raise InputError("a bitext without links", expected="links, or more sentences")
    words = _words(counts, min_count, min_probability)
    table = words.to_arrow()
    mark = "|".join(
        (
            f"tags:{name_of(words)}",
            f"sentences:{len(ours)}",
            f"count:{min_count}",
            f"prob:{exact(min_probability)}",
            analysis.signature,
        )
    )
    return TableResult("tags", table.replace_schema_metadata({SIGNATURE: mark}), mark)


def _linked(text: pa.Table, links: Any, english: Any, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return the links of words with tagged English lemmas: word, lemma, tag, n."""
    text = text.combine_chunks()
    near, far = (NumberedSide.of(text, name, name == "tgt") for name in ("src", "tgt"))
    parts = []
    for rows, some in linked(text, links):
        ours, theirs = link_ends(near, far, rows, some)
        parts.append(
            pl.DataFrame(
                {
                    "word": far.words[theirs],
                    "english": english.lemmas[ours],
                    "tag": english.tags[ours],
                    "content": english.content[ours],
                }
            )
        )
    numbers = pl.concat(parts).group_by("word", "english", "tag", "content").agg(n=pl.len())
    broad = pl.col("tag").str.slice(0, 2)  # NNS and NNP become NN: English plurals are not theirs
    return numbers.with_columns(
        word=pl.Series(far.known.known).gather(numbers["word"]),
        english=pl.Series(vocabulary.lemmas.known).gather(numbers["english"]),
        tag=pl.Series(vocabulary.tags.known).gather(numbers["tag"]),
    ).with_columns(tag=pl.when(broad.is_in(SETS["penn"].prefixes)).then(broad).otherwise("tag"))


def _words(counts: pl.DataFrame, min_count: int, min_probability: float) -> pl.DataFrame:
    """Return the table of words."""
    known = counts.group_by("word").agg(pl.col("n").sum())
    known = known.join(most_frequent(counts, "word", "tag"), on="word")
    known = known.join(most_frequent(counts, "word", "english"), on="word")
    lemmas = _lemmas(known)
    known = known.join(lemmas, on="word")
    is_content = pl.col("tag").is_in(SETS["penn"].prefixes)
    of_lemma = known.filter(is_content).select("word", "lemma").join(counts.drop("tag"), on="word")
    shares = of_lemma.group_by("lemma", "english", "content").agg(pl.col("n").sum())
    shares = shares.with_columns(share=pl.col("n") / pl.col("n").sum().over("lemma"))
    # Function words are no translations, but their links count in the shares.
    shares = shares.filter("content")
    kept = shares.filter(pl.col("n") >= min_count, pl.col("share") >= min_probability)
    translations = kept.sort("english").group_by("lemma").agg(pl.col("english"))
    return (
        known.drop("english")
        .join(translations.rename({"english": "translations"}), on="lemma", how="left")
        .with_columns(pl.col("translations").fill_null([]))
        .select("word", "tag", "lemma", "n", "translations")
        .sort("n", "word", descending=[True, False])
    )


def _lemmas(words: pl.DataFrame) -> pl.DataFrame:
    """Return the lemma of each word: the most frequent similar word with the same translation."""
    # Frequent words come first, and become the lemmas of similar ones.
    ordered = words.sort("n", "word", descending=[True, False])
    heads: dict[tuple[str, str], list[str]] = {}
    lemmas = []
    for word, tag, english in ordered.select("word", "tag", "english").iter_rows():
        group = heads.setdefault((tag, english), [])
        lemma = next((head for head in group if _share_prefix(word, head)), word)
        if lemma == word:
            group.append(word)
        lemmas.append(lemma)
    return pl.DataFrame({"word": ordered["word"], "lemma": lemmas})


def _share_prefix(word: str, other: str) -> bool:
    """Whether two words have a common prefix."""
    shared = next(
        (at for at, (a, b) in enumerate(zip(word, other, strict=False)) if a != b),
        min(len(word), len(other)),
    )
    return shared >= ALIKE * max(len(word), len(other))
