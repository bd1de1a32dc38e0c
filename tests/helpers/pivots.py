"""Small pivot tables for tests."""

import pyarrow as pa
from hypothesis import strategies as st

from alignframe.core.schemas import ANALYSED
from alignframe.language.analysed import from_arrow
from alignframe.tesla.pivot_table import PIVOT_TABLE, PivotTable, with_metadata

TOKENS = [("le", "D", False), ("chat", "N", True), ("noir", "A", True), ("et", "C", False)]
"""Lemma, tag and content flag of pivot tokens, and of words that a table may lack."""


def token(lemma, tag, content, word=None):
    return {"word": word or lemma, "tag": tag, "lemma": lemma, "content": content}


def arrow_table(phrases, counts, options=None):
    """Return a table that maps phrases to pairs of probability and tokens; counts are N(p)."""
    rows = [
        {
            "tgt_phrase": list(phrase),
            "pivot_phrase": [token(*one) for one in tokens],
            "n_both": 1,
            "n_tgt": counts[phrase],
            "probability": probability,
        }
        for phrase, alternatives in phrases.items()
        for probability, tokens in alternatives
    ]
    table = pa.Table.from_pylist(rows, schema=PIVOT_TABLE)
    return with_metadata(table, "xx", "pivot:xx", {"case": "lower", **(options or {})})


def pivot_table(phrases, counts):
    return PivotTable.of(arrow_table(phrases, counts))


def analysed(sentences, vocabulary):
    """Return sentences as pairs of a word and its (lemma, tag, content)."""
    rows = [[token(*what, word=word) for word, what in sentence] for sentence in sentences]
    return from_arrow(pa.array(rows, ANALYSED), vocabulary)


@st.composite
def alternatives(draw):
    """Draw up to three different pivot phrases with their probabilities."""
    phrase = st.lists(st.sampled_from(TOKENS), min_size=1, max_size=3)
    phrases = draw(st.lists(phrase, min_size=1, max_size=3, unique_by=tuple))
    weights = draw(st.lists(st.integers(1, 9), min_size=len(phrases), max_size=len(phrases)))
    return [(w / sum(weights), p) for w, p in zip(weights, phrases, strict=True)]


@st.composite
def tables(draw):
    """Draw phrases of up to three words from a to c, with alternatives and counts."""
    words = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(tuple)
    phrases = draw(st.dictionaries(words, alternatives(), min_size=1, max_size=8))
    counts = {phrase: draw(st.integers(1, 5)) for phrase in phrases}
    return phrases, counts


WORDS = st.tuples(st.sampled_from("abcd"), st.sampled_from(TOKENS))
SENTENCES = st.lists(WORDS, max_size=5)
