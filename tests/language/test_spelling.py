"""The spelling of words compared, in Arrow, DuckDB and polars."""

import unicodedata

import polars as pl
import pyarrow as pa
import pytest
from helpers.sql import check_engines
from hypothesis import example, given, settings
from hypothesis import strategies as st

from alignframe import lexicon
from alignframe.engines import polars as expressions
from alignframe.errors import InputError
from alignframe.functions import lcsr, same_prefix

words = st.text(st.sampled_from("abAEéÉèßsœ\u0301ñn1-' "), max_size=7) | st.text(max_size=4)
long_words = st.text(st.sampled_from("abé"), min_size=50, max_size=90)


def bare(word, fold_accents):
    plain = unicodedata.normalize("NFC", unicodedata.normalize("NFC", word).casefold())
    if fold_accents:
        parts = unicodedata.normalize("NFD", plain)
        plain = "".join(part for part in parts if unicodedata.category(part) != "Mn")
    return unicodedata.normalize("NFC", plain)


def common(a, b):
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            equal = table[i][j] + 1 if x == y else 0
            table[i + 1][j + 1] = max(equal, table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


def slow_lcsr(a, b, fold_accents):
    if a is None or b is None:
        return None
    a, b = bare(a, fold_accents), bare(b, fold_accents)
    return common(a, b) / max(len(a), len(b)) if a or b else None


def slow_same_prefix(a, b, letters, fold_accents):
    if a is None or b is None:
        return None
    a, b = bare(a, fold_accents), bare(b, fold_accents)
    if a.isalpha() and b.isalpha():
        return min(len(a), len(b)) >= letters and a[:letters] == b[:letters]
    return a == b


rows = st.tuples(st.none() | words, st.none() | words, st.integers(1, 5), st.booleans())


def columns_of(given_rows):
    a, b, letters, folds = zip(*given_rows, strict=True)
    texts = [pa.array(column, pa.string()) for column in (a, b)]
    return [*texts, pa.array(letters, pa.int64()), pa.array(folds, pa.bool_())]


@given(st.lists(rows, min_size=1, max_size=8))
@example(
    [("É", "e\u0301", 1, False), ("", "", 1, True), (None, "a", 2, False), ("ab", "AB", 3, False)]
)
def test_functions_of_rows(given_rows):
    a, b, letters, folds = columns_of(given_rows)
    wanted = [slow_lcsr(x, y, fold) for x, y, _, fold in given_rows]
    assert lcsr(a, b, folds).to_pylist() == wanted
    wanted = [slow_same_prefix(*row) for row in given_rows]
    assert same_prefix(a, b, letters, folds).to_pylist() == wanted


@settings(max_examples=15)
@given(long_words, long_words)
def test_long_words(a, b):
    assert lcsr(pa.array([a]), pa.array([b]), True).to_pylist() == [slow_lcsr(a, b, True)]


@settings(max_examples=5)
@given(st.lists(rows, min_size=1, max_size=8))
def test_engines_agree(given_rows):
    a, b, letters, folds = columns_of(given_rows)
    table = pa.table({"row": range(len(a)), "a": a, "b": b, "n": letters, "folds": folds})
    calls = {
        "lcsr(a, b)": lcsr(a, b),
        "lcsr(a, b, fold_accents := true)": lcsr(a, b, True),
        "same_prefix(a, b)": same_prefix(a, b),
        "same_prefix(a, b, letters := n)": same_prefix(a, b, letters),
        "same_prefix(a, b, n, folds)": same_prefix(a, b, letters, folds),
    }
    made = [
        expressions.lcsr("a", "b"),
        expressions.lcsr("a", "b", fold_accents=True),
        expressions.same_prefix("a", "b"),
        expressions.same_prefix("a", "b", pl.col("n")),
        None,
    ]
    check_engines(table, calls, made)


def test_the_cognate_filter_uses_the_same_ratio():
    pairs = [
        ("gouvernement", "government"),
        ("conseil", "conservative"),
        ("Été", "eté"),
        ("a", "b"),
    ]
    text = pa.table({"src": [[s, "—"] for s, _ in pairs], "tgt": [[t, "–"] for _, t in pairs]})
    for fold in (False, True):
        filters = [lexicon.Cognate(0.58, fold)]
        left = lexicon.candidates(text, filters=filters)
        cognates = {s for s, _ in pairs} - set(left.filter(pl.col("tgt") == "–")["src"])
        ratios = lcsr(*(pa.array(side) for side in zip(*pairs, strict=True)), fold).to_pylist()
        assert cognates == {s for (s, _), ratio in zip(pairs, ratios, strict=True) if ratio >= 0.58}


@pytest.mark.parametrize("letters", [0, -3, "4", True])
def test_empty_prefixes_are_refused(letters):
    with pytest.raises(InputError, match="whole number from 1"):
        same_prefix(pa.array(["a"]), pa.array(["a"]), letters)


def test_columns_of_unequal_lengths_are_refused():
    with pytest.raises(InputError, match="one length"):
        lcsr(pa.array(["a"]), pa.array(["a", "b"]))
