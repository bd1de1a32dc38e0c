"""Twins of row functions in plain SQL return what the functions do, in a DuckDB without Python."""

import unicodedata

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from helpers.sql import connected
from hypothesis import given, settings
from hypothesis import strategies as st

from alignframe.core.schemas import LINKS, PAIRED
from alignframe.engines.export import exported
from alignframe.functions import FUNCTIONS
from alignframe.functions.spelling import folded_word

CALLS = {function.name: function.call for function in FUNCTIONS}
NUMBERS = pa.list_(pa.float64())


@pytest.fixture(scope="module")
def plain():
    """A connection with the exported macros, and nothing of Python's."""
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute(exported())
        yield connection


def found(connection, name, columns, *options):
    """Return what a twin returns for columns and constants, row by row."""
    given = {f"c{k}": column for k, column in enumerate(columns)}
    connection.register("given_rows", pa.table({**given, "place": range(len(columns[0]))}))
    call = ", ".join([*given, *map(str, options)])
    answer = connection.execute(f"select {name}({call}) from given_rows order by place").fetchall()
    return [value for (value,) in answer]


def check(connection, name, columns, *options):
    """Compare a twin with its function."""
    arrays = [pa.array(values, kind) for values, kind in columns]
    words = [option.strip("'") if isinstance(option, str) else option for option in options]
    wanted = CALLS[name](*arrays, *words).to_pylist()
    answer = found(connection, name, arrays, *options)
    for row, (mine, theirs) in enumerate(zip(answer, wanted, strict=True)):
        assert mine == theirs, (row, [column[row] for column in arrays], options)


# Counts by unit, and resamples of them.

counts = st.lists(
    st.one_of(st.none(), st.lists(st.integers(0, 9), max_size=12)), min_size=1, max_size=4
)


@given(counts, st.integers(0, 12), st.integers(0, 2**40))
@settings(max_examples=10)
def test_resampled_sums(plain, lists, bootstrap, seed):
    check(plain, "resampled_sums", [(lists, NUMBERS)], bootstrap, seed)
    others = [None if one is None else [7 - 2 * n for n in one] for one in lists]
    check(plain, "exchanged_sums", [(lists, NUMBERS), (others, NUMBERS)], bootstrap, seed)


# Of numbers of 32 bits, draws of a million units refuse some 0.02 percent, of 2,048 hardly any.
@pytest.mark.parametrize(("units", "bootstrap"), [(1, 3), (447, 20), (2_048, 9), (150_001, 1)])
def test_draws_of_many_units(plain, units, bootstrap):
    lists = [(np.arange(units) % 11).tolist()]
    check(plain, "resampled_sums", [(lists, NUMBERS)], bootstrap, 3)


def test_drawn_sums_of_many_units(plain):
    lists = pa.array([(np.arange(150_001) % 11).tolist()], NUMBERS)
    wanted = CALLS["resampled_sums"](lists, 2, 3).to_pylist()[0]
    given_rows = {"_group": [1], "system": ["a"], "sentences": [1], "units": [150_001], "n": lists}
    plain.register("lists", pa.table(given_rows))
    answer = plain.execute("select n from drawn_sums('lists', 2, 3) order by resample").fetchall()
    assert [n for (n,) in answer[1:]] == wanted


@given(st.lists(st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)), min_size=1))
@settings(max_examples=25)
def test_resampling_unit(plain, sid):
    check(plain, "resampling_unit", [(sid, pa.int64())])


def test_resampled_counts_draw_once_for_all(plain):
    rng = np.random.default_rng(4)
    rows = {
        "system": np.repeat(["a", "b", "c"], 60),
        "sid": np.tile(np.arange(60), 3),
        "genre": np.tile(np.repeat(["x", "y"], [20, 40]), 3),
        **{f"n_{k}": rng.integers(0, 9, 180) for k in range(3)},
    }
    frame = pl.DataFrame(rows).with_columns(n_3=pl.lit(None, pl.Int64))
    table = frame.filter((pl.col("system") != "c") | (pl.col("sid") != 30)).to_arrow()
    plain.register("counts", table)
    for options in ("", ", by := ['genre']", ", by := ['genre'], baseline := 'b'"):
        question = f"from resampled_counts('counts', bootstrap := 30{options}) order by all"
        answer = plain.execute(question).fetchall()
        with connected(counts=table) as con:
            assert answer == con.execute(question).fetchall()
        assert len(answer) == (3 + 3 * ("genre" in options)) * 31 + 240 * ("base" in options)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("resampled_sums([1.0, null])", "a missing count; expected a number for every unit"),
        ("resampled_sums([1.0], -1)", "-1 resamples; expected at least 1"),
        ("resampled_sums([1.0], 1, -1)", "`seed` is -1; expected"),
        ("exchanged_sums([1.0], [1.0, 2.0])", "the same length"),
        ("interval_ends([1.0], 1, 5, 95)", "`confidence` is 95"),
        ("interval_ends([1.0], 1, null)", "figures without units"),
        ("paired_tests([{'observed': 1, 'drawn': [1], 'units': 9, 'exchanged': []}], 1)", "`conf"),
    ],
)
def test_bad_statistics_are_refused(plain, call, said):
    with pytest.raises(duckdb.Error) as caught:
        plain.execute(f"select {call}").fetchall()
    assert said in str(caught.value)


numbers = st.one_of(st.none(), st.floats(-2, 2))
levels = st.sampled_from([0.5, 0.95, 0.999])


@given(
    st.lists(
        st.tuples(st.lists(numbers, max_size=9), numbers, st.integers(0, 3_000)),
        min_size=1,
        max_size=5,
    ),
    levels,
)
@settings(max_examples=10)
def test_interval_ends(plain, rows, level):
    figures, observed, units = map(list, zip(*rows, strict=True))
    kinds = [(figures, NUMBERS), (observed, pa.float64()), (units, pa.int64())]
    check(plain, "interval_ends", kinds, level)


tests = st.builds(
    lambda observed, drawn, units, exchanged: {
        "observed": observed,
        "drawn": drawn,
        "units": units,
        "exchanged": exchanged,
    },
    numbers,
    st.lists(numbers, max_size=9),
    st.integers(1, 500),
    st.one_of(st.none(), st.lists(st.floats(-2, 2), max_size=9)),
)


@given(st.lists(st.lists(tests, max_size=4), min_size=1, max_size=3), levels)
@settings(max_examples=8)
def test_paired_tests(plain, families, level):
    check(plain, "paired_tests", [(families, PAIRED)], level)


# Words, sentences and texts.

WORDS = pa.list_(pa.string())
letters = st.text(st.sampled_from("abcABéÉß1-İςø日ﬁ\u0301"), max_size=9)
sentences = st.lists(st.sampled_from("abcde"), max_size=9)


def in_columns(rows):
    """Return rows as columns; at least one row, as columns have a type."""
    return map(list, zip(*rows, strict=True))


@given(st.lists(st.tuples(st.none() | letters, st.none() | letters), min_size=1, max_size=9))
@settings(max_examples=25)
def test_spelling(plain, pairs):
    columns = [(words, pa.string()) for words in in_columns(pairs)]
    for bare in (False, True):
        check(plain, "lcsr", columns, bare)
        check(plain, "same_prefix", columns, 3, bare)


def test_long_words(plain):
    words = [("ab" * 60, pa.string()), ("a" * 119 + "b" * 300, pa.string())]
    check(plain, "lcsr", [([word], kind) for word, kind in words])
    found_in = "abcab" * 30, "bca" * 50 + "d", "a" * 121, "e" * 130
    pairs = [(one, other) for one in found_in for other in found_in]
    check(plain, "lcsr", [(list(words), pa.string()) for words in zip(*pairs, strict=True)])


@pytest.mark.parametrize("bare", [False, True])
def test_every_letter_is_folded(plain, bare):
    # Those that this Python does not know yet may be marks to DuckDB.
    letters = [
        chr(c) for c in range(1, 0x20000) if unicodedata.category(chr(c)) not in ("Cs", "Cn")
    ]
    words = [*letters, *(f"{letter}a" for letter in letters if not letter.isascii())]
    plain.register("given_rows", pa.table({"place": range(len(words)), "a": words}))
    folded = plain.execute(
        f"select _alignframe_folded_word(a, {bare}) from given_rows order by place"
    ).fetchall()
    wrong = [
        (word, mine)
        for word, (mine,) in zip(words, folded, strict=True)
        if mine != folded_word(word, bare)
    ]
    assert wrong == []


@given(
    st.lists(
        st.tuples(st.none() | sentences, st.none() | st.lists(st.none() | sentences, max_size=3)),
        min_size=1,
        max_size=9,
    )
)
@settings(max_examples=20)
def test_bleu_counts(plain, rows):
    hyp, refs = in_columns(rows)
    check(plain, "bleu_counts", [(hyp, WORDS), (refs, pa.list_(WORDS))])


def test_a_missing_word_is_refused(plain):
    with pytest.raises(duckdb.Error, match="a missing word; expected every word"):
        plain.execute("select bleu_counts(['a', null], [['a']])").fetchall()


positions = st.integers(0, 5) | st.sampled_from([255, 65_535])
one_way = st.none() | st.lists(st.fixed_dictionaries({"i": positions, "j": positions}), max_size=9)


@given(st.lists(st.tuples(one_way, one_way), min_size=1, max_size=9))
@settings(max_examples=20)
def test_symmetrize(plain, rows):
    columns = [(links, LINKS) for links in in_columns(rows)]
    for method in ("'intersection'", "'union'"):
        check(plain, "symmetrize", columns, method)


def test_other_methods_name_the_way(plain):
    with pytest.raises(duckdb.Error, match=r"symmetrize\(\) by grow needs Python.* pip install"):
        found(plain, "symmetrize", [pa.array([[]], LINKS)] * 2, "'grow'")
