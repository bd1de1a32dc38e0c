"""Candidates and lexicons: the ratio, loops over cells, and invariants."""

import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import permutations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers import lexicon as lexicon
from helpers.sql import connected
from hypothesis import example, given, settings
from hypothesis import strategies as st
from reference import lexicon as slow
from scipy.stats import power_divergence

from alignframe.core.lazy import __version__
from alignframe.core.schemas import CANDIDATES, LEXICON
from alignframe.engines import polars as expressions
from alignframe.errors import InputError
from alignframe.functions import llr
from alignframe.lexicon.corpus import Reading
from alignframe.lexicon.induce import counted
from alignframe.lexicon.memory_budget import Room
from alignframe.lexicon.out_of_core import induce_spilling
from alignframe.sources.pairs import sentence_pairs

few = settings(max_examples=5)
# Lists that are drawn may fit a text better with their sides swapped.
pytestmark = pytest.mark.filterwarnings(
    "ignore:.* of its pairs are in the text:alignframe.errors.DataWarning"
)

some = settings(max_examples=8)
many = settings(max_examples=12)
counts = st.sampled_from(["types", "tokens"])


# --- the log-likelihood ratio


@st.composite
def tables(draw, most=10**6):
    """Draw n_both, n_src, n_tgt and n of a 2x2 table."""
    cells = st.one_of(st.integers(0, 5), st.integers(0, most))
    both, src, tgt, none = (draw(cells) for _ in range(4))
    return both, both + src, both + tgt, both + src + tgt + none


def ratios(rows, signed=False):
    return llr(*(pa.array([row[k] for row in rows], pa.int64()) for k in range(4)), signed)


@many
@given(tables())
def test_the_ratio_equals_scipy(row):
    both, src, tgt, n = row
    found = ratios([row]).to_pylist()[0]
    if 0 < src < n and 0 < tgt < n:
        observed = np.array([both, src - both, tgt - both, n - src - tgt + both])
        margins = [(src, tgt), (src, n - tgt), (n - src, tgt), (n - src, n - tgt)]
        expected = [one * other / n for one, other in margins]
        wanted = power_divergence(observed, expected, lambda_="log-likelihood").statistic
        assert found == pytest.approx(wanted, rel=1e-7, abs=1e-7)
    else:
        assert found == pytest.approx(0, abs=1e-7)
    assert found >= 0
    assert found == pytest.approx(slow.ratio(*row, False), rel=1e-7, abs=1e-6)
    swapped = ratios([(both, tgt, src, n)]).to_pylist()[0]
    assert swapped == pytest.approx(found, rel=1e-7, abs=1e-7)


@many
@given(tables())
def test_sign_of_the_ratio(row):
    both, src, tgt, n = row
    plain, signed = (ratios([row], sign).to_pylist()[0] for sign in (False, True))
    assert signed == (-plain if both * n < src * tgt else plain)


def test_the_ratio_is_signed_by_default_everywhere():
    """In Python, SQL and polars, as in induce: words that repel each other have a negative one."""
    row = {"n_both": [0], "n_src": [4], "n_tgt": [4], "n": [8]}
    wanted = [pytest.approx(-16 * np.log(2))]
    assert llr(*(pa.array(one) for one in row.values())).to_pylist() == wanted
    with connected() as con:
        assert con.execute("select llr(0, 4, 4, 8)").fetchall() == [(wanted[0],)]
    assert pl.DataFrame(row).select(expressions.llr(*row)).to_series().to_list() == wanted


def test_published_ratios():
    # Dunning 1993, section 5: "the swiss", "can be", "previous year", "mineral water".
    rows = [(110, 2552, 221), (29, 42, 152), (31, 54, 170), (10, 10, 13)]
    found = ratios([(*row, 31777) for row in rows]).to_pylist()
    assert found == pytest.approx([270.72, 263.90, 256.84, 167.23], abs=0.005)
    assert (
        ratios([(0, 0, 0, 0), (0, 0, 3, 9), (5, 5, 5, 5), (9, 9, 3, 9)][:3]).to_pylist() == [0] * 3
    )
    assert ratios([(0, 4, 4, 8)]).to_pylist() == [pytest.approx(16 * np.log(2))]
    assert ratios([(0, 4, 4, 8)], True).to_pylist() == [pytest.approx(-16 * np.log(2))]
    # Independent words neither attract nor repel each other: 0, not -0.
    independent = [(a * b, a * 97, b * 101, 97 * 101) for a in range(1, 40) for b in range(1, 40)]
    for signed in (False, True):
        assert {str(ratio) for ratio in ratios(independent, signed).to_pylist()} == {"0.0"}
    # With large counts, rounding would give a negative value.
    large = [
        (493366, 615041791, 79207274, 98741651446),
        (4196753, 744065923, 552919206, 98030149000),
    ]
    assert ratios(large).to_pylist() == [0, 0]


def test_rows_without_a_ratio():
    columns = [pa.array([1, None, 1, 1, 1]), pa.array([2, 2, None, 2, 2])]
    columns += [pa.array([1, 1, 1, None, 1]), pa.array([4, 4, 4, 4, None])]
    found = llr(*columns)
    assert found.type == pa.float64()
    assert [ratio is None for ratio in found.to_pylist()] == [False, True, True, True, True]
    assert llr(*[pa.array([], pa.int64())] * 4).to_pylist() == []
    each = llr(*(pa.array([n, n, n]) for n in (0, 1, 1, 4)), pa.array([True, False, None]))
    assert [ratio < 0 for ratio in each.to_pylist()] == [True, False, False]
    assert llr(*(pa.array([n], pa.uint8()) for n in (200, 200, 200, 255))).to_pylist()[0] > 0


@pytest.mark.parametrize(
    "row", [(-1, 1, 1, 5), (3, 2, 4, 9), (3, 4, 2, 9), (1, 3, 3, 4), (0, 1, 1, 1), (2, 2, 2, 1)]
)
def test_impossible_tables(row):
    text = "n_both {}, n_src {}, n_tgt {}, n {}; expected counts of one 2x2 table".format(*row)
    with pytest.raises(InputError, match=text):
        ratios([(1, 1, 1, 1), row])


# --- against loops over cells

full_texts = slow.texts().filter(lambda text: len(slow.full(text)) == len(text))


def same_rows(found, wanted):
    assert slow.rows_of(found) == wanted


@many
@given(full_texts, slow.cascades(), counts, st.integers(1, 3), st.booleans())
def test_candidates(text, cascade, count, least, signed):
    filters = slow.filters_of(cascade)
    found = lexicon.candidates(
        slow.bitext(text), filters=filters, count=count, min_both=least, signed=signed
    )
    assert found.schema.types == CANDIDATES.types
    wanted = [row for row in slow.candidates(text, cascade, count) if row[2] >= least]
    same_rows(found.drop(["llr"]), wanted)
    expected = [slow.ratio(*row[2:], signed) for row in wanted]
    assert found["llr"].to_pylist() == pytest.approx(expected, abs=1e-9)


@many
@given(full_texts, slow.cascades(), counts, st.integers(1, 4), st.integers(1, 2), st.booleans())
def test_lexicons(text, cascade, count, n, least, signed):
    filters = slow.filters_of(cascade)
    found = lexicon.induce(
        slow.bitext(text), n_best=n, filters=filters, count=count, min_both=least, signed=signed
    )
    assert found.schema == LEXICON
    same_rows(found, slow.n_best(text, cascade, count, n, signed, least))


@some
@given(slow.texts(), st.booleans(), counts)
def test_pairs_with_an_empty_side_are_left_out(text, filtered, count):
    text.insert(0, slow.Pair(["a"], [], ["X"], []))
    empty = len(text) - len(slow.full(text))
    cascade = [("cognate", 0.5, False)] if filtered else []
    what = "pair with an empty side was" if empty == 1 else "pairs with an empty side were"
    with pytest.warns(UserWarning, match=f"^{empty:,} {what} left out$"):
        found = lexicon.induce(
            slow.bitext(text), n_best=9, filters=slow.filters_of(cascade), count=count
        )
    same_rows(found, slow.n_best(text, cascade, count, 9, True, 1))


def test_a_worked_lexicon():
    rows = [("a b", "x y"), ("a c", "x z"), ("b a a", "y"), ("d", "u x x")]
    text = slow.bitext(slow.pairs_of(rows))
    found = lexicon.candidates(text, count="types")
    assert slow.rows_of(found.drop(["llr"]))[:3] == [
        ("a", "x", 2, 3, 3, 4),
        ("a", "y", 2, 3, 2, 4),
        ("a", "z", 1, 3, 1, 4),
    ]
    found = lexicon.candidates(text, count="tokens")
    assert slow.rows_of(found.drop(["llr"]))[:3] == [
        ("a", "x", 2, 4, 4, 10),
        ("a", "y", 2, 4, 2, 10),
        ("a", "z", 1, 4, 1, 10),
    ]
    # Where the oracle knows a-x, two pairs are no evidence about a-y and a-z, and one of them had
    # a-y.
    known = lexicon.WordList(pl.DataFrame({"src": ["a"], "tgt": ["x"]}))
    found = lexicon.candidates(text, filters=[known])
    assert slow.rows_of(found.drop(["llr"]))[:3] == [
        ("a", "x", 2, 3, 3, 4),
        ("a", "y", 1, 2, 1, 3),
        ("b", "y", 2, 2, 2, 4),
    ]
    # The lexicon has the counts of the whole text.
    found = lexicon.induce(text, filters=[known])
    assert [row[4:] for row in slow.rows_of(found) if row[:2] == ("a", "y")] == [(1, 3, 2)]


def test_words_are_ordered_by_bytes():
    words = ["Z", "a", "é", "z", "ſ", "日", "😀", "", " "]
    text = pa.table({"src": [words], "tgt": [words[::-1]]})
    ordered = sorted(words, key=str.encode)
    found = lexicon.induce(text, n_best=20)
    assert found["src"].to_pylist() == [word for word in ordered for _ in words]
    assert found["tgt"].to_pylist() == ordered * len(words)
    found = lexicon.candidates(text)
    assert found["tgt"].to_pylist() == ordered * len(words)


# --- ties


def best(rows, n=9, **options):
    found = lexicon.induce(slow.bitext(slow.pairs_of(rows)), n_best=n, **options)
    return [row[1] for row in slow.rows_of(found) if row[0] == "s"]


def test_ties_are_broken_by_count_then_by_word():
    # Every pair has s, so all ratios are 0, and counts decide, then words.
    rows = [("s", "b c é"), ("s", "b a Z"), ("s", "b c")]
    assert best(rows) == ["b", "c", "Z", "a", "é"]
    for n in range(1, 6):
        assert best(rows, n) == ["b", "c", "Z", "a", "é"][:n]
        assert best(rows[::-1], n) == ["b", "c", "Z", "a", "é"][:n]
    # One table, several words.
    rows = [("s", "y x"), ("s", "x y"), ("u", "z")]
    assert best(rows, 1) == ["x"]
    assert best(rows, 2) == ["x", "y"]


def test_equal_ratios_of_different_counts():
    # 1 of 2 and 2 of 2 sentences, where s is in all: 0 in both cases.
    rows = [("s", "a b"), ("s", "b")]
    found = lexicon.induce(slow.bitext(slow.pairs_of(rows)))
    assert [row[1:5] for row in slow.rows_of(found)] == [("b", 1, 0.0, 2), ("a", 2, 0.0, 1)]


def test_words_that_repel_each_other_come_last():
    rows = [("s", "x")] + [("s", "y z")] * 3 + [("u", "x")] * 40 + [("v", "w")] * 9
    assert best(rows) == ["y", "z", "x"]
    assert best(rows, signed=False) == ["y", "z", "x"]
    rows = [("s", "x")] + [("s", "q")] * 20 + [("u", "x")] * 40 + [("u", "q")] * 5 + [("s", "r")]
    assert best(rows) == ["q", "r", "x"]
    assert best(rows, signed=False)[:2] != ["q", "r"]


# --- irrelevant differences


@some
@given(full_texts, slow.cascades(), counts, st.randoms(use_true_random=False))
def test_rows_in_any_order(text, cascade, count, chance):
    filters = slow.filters_of(cascade)
    found = lexicon.induce(slow.bitext(text), n_best=3, filters=filters, count=count)
    mixed = chance.sample(text, len(text))
    assert lexicon.induce(slow.bitext(mixed), n_best=3, filters=filters, count=count).equals(found)


def zipf(pairs, words=400, seed=0, size=12):
    """Draw random text with some frequent, some similar and some repeated words."""
    chance = np.random.default_rng(seed)
    text = []
    for _ in range(pairs):
        ranks = (words ** chance.random(size)).astype(int)
        src = [f"w{rank}" if rank % 3 else f"W{rank}" for rank in ranks]
        noise = (words ** chance.random(3)).astype(int)
        tgt = [f"w{rank}" if rank % 2 else f"v{rank}" for rank in [*ranks[::-1], *noise]]
        src, tgt = src[: chance.integers(1, size)], tgt[: chance.integers(1, size)]
        text.append(slow.Pair(src, tgt, slow.tagged(src, "ABC"), slow.tagged(tgt, "ABC")))
    return text


TEXT = slow.bitext(zipf(400))
CLASSES = pl.DataFrame({"tag": ["A", "*"], "class": ["1", "2"]})
NOT_ALL = slow.predicate(lambda s, t: slow.approves(1, s, t))
CASCADES = {
    "none": [],
    "cognate": [lexicon.Cognate(0.7)],
    "all": [NOT_ALL, lexicon.PartOfSpeech(CLASSES), lexicon.Alignment(), lexicon.Cognate(1.0)],
}
cascades = pytest.mark.parametrize("cascade", list(CASCADES))
ways = pytest.mark.parametrize("count", ["types", "tokens"])


@cascades
@ways
def test_threads(cascade, count):
    options = {"filters": CASCADES[cascade], "count": count}
    with ThreadPoolExecutor(3) as executor:
        for call in (lexicon.induce, lexicon.candidates):
            assert call(TEXT, threads=executor, **options).equals(call(TEXT, **options))
        found = spilled(TEXT, part=5000, executor=executor, **options)
    assert found.equals(lexicon.induce(TEXT, **options))


def listed(kind, texts):
    """Draw lists of words of any Arrow type."""
    if not pa.types.is_dictionary(kind.value_type):
        return pa.array(texts, kind)
    flat = pa.array([word for row in texts for word in row]).dictionary_encode()
    # A dictionary may have words twice, and words that do not occur.
    twice = pa.concat_arrays([flat.dictionary, flat.dictionary, pa.array(["nowhere"])])
    shift = pa.array([len(flat.dictionary) * (k % 2) for k in range(len(flat))])
    numbers = pa.array(flat.indices.to_numpy() + shift.to_numpy(), kind.value_type.index_type)
    words = pa.DictionaryArray.from_arrays(numbers, twice.cast(kind.value_type.value_type))
    ends = np.cumsum([0, *map(len, texts)])
    make = pa.LargeListArray if pa.types.is_large_list(kind) else pa.ListArray
    return make.from_arrays(
        pa.array(ends, pa.int64() if make is pa.LargeListArray else pa.int32()), words
    )


KINDS = [
    pa.large_list(pa.string()),
    pa.list_(pa.large_string()),
    pa.large_list(pa.large_string()),
    pa.list_(pa.string_view()),
    pa.large_list(pa.string_view()),
    pa.list_(pa.dictionary(pa.int32(), pa.string())),
    pa.large_list(pa.dictionary(pa.uint16(), pa.large_string())),
]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_words_of_any_type(kind):
    columns = {name: listed(kind, TEXT[name].to_pylist()) for name in TEXT.column_names}
    filters = CASCADES["all"]
    wanted = lexicon.induce(TEXT, filters=filters)
    assert lexicon.induce(pa.table(columns), filters=filters).equals(wanted)
    assert spilled(pa.table(columns), filters, part=900).equals(wanted)
    reader = pa.RecordBatchReader.from_batches(
        pa.table(columns).schema, pa.table(columns).to_batches(max_chunksize=7)
    )
    assert lexicon.induce(reader, filters=filters).equals(wanted)


def test_frames_and_files_of_any_type(tmp_path):
    filters, path = CASCADES["all"], tmp_path / "text.parquet"
    wanted = lexicon.induce(TEXT, filters=filters)
    batches = TEXT.to_batches(max_chunksize=11)
    frame = pl.DataFrame(TEXT)
    categories = frame.with_columns(pl.all().cast(pl.List(pl.Categorical)))
    pq.write_table(TEXT, path, row_group_size=50)
    (tmp_path / "several").mkdir()
    for k in range(3):
        pq.write_table(TEXT.slice(k * 150, 150), tmp_path / "several" / f"{k}.parquet")
    for given_text in (
        pa.Table.from_batches(
            [*batches, *pa.Table.from_batches(batches).schema.empty_table().to_batches()]
        ),
        pa.RecordBatchReader.from_batches(TEXT.schema, batches),
        TEXT.to_batches()[0],
        frame,
        frame.lazy(),
        categories,
        pd.DataFrame({name: TEXT[name].to_pylist() for name in TEXT.column_names}),
        TEXT.select(["tgt_tags", "tgt", "src_tags", "src"]),
        TEXT.append_column("sid", pa.array(range(len(TEXT)))),
        path,
        str(path),
        str(tmp_path / "several" / "*.parquet"),
    ):
        assert lexicon.induce(given_text, filters=filters).equals(wanted)
    with connected() as con:
        assert lexicon.induce(con.read_parquet(str(path)), filters=filters).equals(wanted)
    # A slice is read from its start, with missing lists behind it.
    assert lexicon.induce(TEXT.slice(100, 300)).equals(lexicon.induce(pl.DataFrame(TEXT)[100:400]))


@pytest.fixture(scope="module")
def con():
    with connected() as connection:
        yield connection


def in_sql(con, text, n, count, signed):
    con.register("given_text", text)
    con.execute(
        f"create or replace temp table given_candidates as "
        f"select * from cooccurrence('given_text', count := '{count}')"
    )
    query = f"select * from n_best('given_candidates', {n}, signed := {signed}) order by src, rank"
    return con.sql(query).to_arrow_table()


@few
@given(full_texts, counts, st.integers(1, 4), st.booleans())
def test_sql_gives_the_same_lexicon(con, text, count, n, signed):
    text = slow.bitext(text)
    found = lexicon.induce(text, n_best=n, count=count, signed=signed)
    assert slow.rows_of(in_sql(con, text, n, count, signed)) == slow.rows_of(found)


@ways
@pytest.mark.parametrize("signed", [True, False])
def test_sql_gives_the_same_lexicon_of_a_larger_text(con, count, signed):
    found = lexicon.induce(TEXT, n_best=4, count=count, signed=signed)
    assert slow.rows_of(in_sql(con, TEXT, 4, count, signed)) == slow.rows_of(found)
    rows = con.sql("select * from given_candidates order by src, tgt").to_arrow_table()
    whole = lexicon.candidates(TEXT, count=count).drop(["llr"])
    assert slow.rows_of(rows) == slow.rows_of(whole)


# --- beyond memory


class Narrow(Room):
    """Return a budget of ``left`` bytes, beyond which a text is counted in parts."""

    for_grouping = 500_000_000
    tokens_at_once = 0

    def __init__(self, left, part):
        self.left = left
        self.tokens_at_once = part

    def check_words(self, words):
        assert words > 0

    def check_rows(self, words, rows):
        assert words > 0


def spilled(text, filters=(), count="types", n=5, signed=True, least=1, part=50, executor=None):
    """Return the lexicon by way of DuckDB, counted in parts of this many words."""
    reading = Reading(sentence_pairs(text))
    columns = induce_spilling(
        reading,
        reading.batches(),
        lambda corpus: counted(corpus, list(filters), count, executor),
        Narrow(0, part),
        n_best=n,
        signed=signed,
        min_both=least,
    )
    return pa.Table.from_arrays(columns, schema=LEXICON)


@cascades
@ways
def test_spilling_changes_nothing(cascade, count):
    filters = CASCADES[cascade]
    for n, signed, least, part in ((5, True, 1, 400), (1, False, 2, 10**9), (10**4, True, 3, 3000)):
        options = {"filters": filters, "count": count, "signed": signed}
        wanted = lexicon.induce(TEXT, n_best=n, min_both=least, **options)
        assert spilled(TEXT, n=n, least=least, part=part, **options).equals(wanted)


@settings(max_examples=4)
@given(full_texts, slow.cascades(), counts, st.sampled_from([1, 9]))
def test_spilling_any_text(text, cascade, count, part):
    filters = slow.filters_of(cascade)
    wanted = lexicon.induce(slow.bitext(text), n_best=3, filters=filters, count=count)
    assert spilled(slow.bitext(text), filters, count, 3, part=part).equals(wanted)


@cascades
@ways
def test_a_low_limit_changes_nothing(monkeypatch, cascade, count):
    module = sys.modules["alignframe.lexicon.induce"]
    calls = []

    def spying(*args, **options):
        calls.append(args)
        return induce_spilling(*args, **options)

    monkeypatch.setattr(module, "Room", lambda limit: Narrow(int(limit), 700))
    monkeypatch.setattr(module, "induce_spilling", spying)
    options = {"filters": CASCADES[cascade], "count": count, "n_best": 900}
    options |= {"signed": count == "types", "min_both": 2 if cascade == "none" else 1}
    wanted = lexicon.induce(TEXT, **options)
    # Read in small batches, some of which are held when the limit is reached.
    reader = pa.RecordBatchReader.from_batches(TEXT.schema, TEXT.to_batches(max_chunksize=90))
    words = [{word for row in TEXT[name].to_pylist() for word in row} for name in ("src", "tgt")]
    needed = (32 if CASCADES[cascade] else 24) * sum(
        len(row) for name in ("src", "tgt") for row in TEXT[name].to_pylist()
    )
    needed += 150 * sum(map(len, words)) + 90 * len(words[0]) * min(900, len(words[1]))
    assert lexicon.induce(TEXT, memory_limit=str(needed), **options).equals(wanted)
    assert not calls
    found = lexicon.induce(reader, memory_limit=str(needed - 1), **options)
    assert found.equals(wanted)
    assert found.schema.metadata == wanted.schema.metadata
    assert len(calls) == 1
    empty = {name: [] for name in TEXT.column_names}
    empty = pa.Table.from_pylist([empty | {"src": ["a"], "src_tags": ["x"]}, empty], TEXT.schema)
    more = pa.concat_tables([TEXT, empty])
    with pytest.warns(UserWarning, match="^2 pairs with an empty side"):
        assert lexicon.induce(more, memory_limit="1", **options).equals(wanted)


def test_a_quote_in_the_name_of_a_folder(tmp_path, monkeypatch):
    folder = tmp_path / "it's here"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    text = TEXT.slice(0, 60)
    assert spilled(text).equals(lexicon.induce(text))
    assert list(folder.iterdir()) == []


# --- properties


@some
@given(full_texts, slow.cascades(), counts)
def test_filters_never_add_candidates(text, cascade, count):
    text, filters = slow.bitext(text), slow.filters_of(cascade)
    before = {row[:2]: row[2] for row in slow.rows_of(lexicon.candidates(text, count=count))}
    for k in range(len(filters) + 1):
        try:
            found = lexicon.candidates(text, filters=filters[:k], count=count)
        except InputError as error:
            # A shorter cascade may lack the oracle of its alignment.
            assert "alignment" in str(error)  # noqa: PT017
            break
        after = {row[:2]: row[2] for row in slow.rows_of(found)}
        assert all(after[both] <= before[both] for both in after)
        if ("alignment",) not in cascade:
            before = after


@few
@given(full_texts, st.lists(slow.judges, min_size=2, max_size=3), counts)
def test_predicates_commute(text, judges, count):
    text = slow.bitext(text)
    found = [
        lexicon.candidates(text, filters=slow.filters_of(order), count=count)
        for order in permutations(judges)
    ]
    assert all(one.equals(found[0]) for one in found)


@few
@given(full_texts, counts, st.booleans())
def test_filters_that_remove_nothing_change_nothing(text, count, folds):
    text = slow.bitext(text)
    empty = lexicon.WordList(pl.DataFrame({"src": [], "tgt": []}), fold_case=folds)
    yes = lexicon.Predicate(lambda src, tgt: pa.array([True] * len(src)))
    wanted = lexicon.candidates(text, count=count)
    for filters in ([empty], [empty, lexicon.Alignment()], [yes], [yes, empty]):
        assert lexicon.candidates(text, filters=filters, count=count).equals(wanted)
    no = lexicon.Predicate(lambda src, tgt: pa.array([False] * len(src), pa.bool_()))
    for filters in ([no], [no, yes], [no, empty, lexicon.Alignment()], [no, lexicon.Prefix()]):
        assert lexicon.candidates(text, filters=filters, count=count).num_rows == 0
        assert lexicon.induce(text, filters=filters, count=count).num_rows == 0


def test_filters_that_remove_everything_beyond_memory():
    no = lexicon.Predicate(lambda src, tgt: pa.array([False] * len(src)))
    for filters in ([no], [no, no, lexicon.Cognate(), lexicon.Alignment()]):
        assert spilled(TEXT, filters, part=2000).num_rows == 0


@few
@given(full_texts, slow.cascades(), counts, st.integers(2, 4))
def test_a_repeated_corpus(text, cascade, count, times):
    filters = slow.filters_of(cascade)
    once = lexicon.candidates(slow.bitext(text), filters=filters, count=count)
    found = lexicon.candidates(slow.bitext(text * times), filters=filters, count=count)
    for name in ("n_both", "n_src", "n_tgt", "n_pairs"):
        assert found[name].to_pylist() == [times * n for n in once[name].to_pylist()]
    scaled = [times * ratio for ratio in once["llr"].to_pylist()]
    assert found["llr"].to_pylist() == pytest.approx(scaled, abs=1e-8)


@some
@given(full_texts, slow.cascades(), counts, st.integers(1, 5))
def test_ranks_have_no_gaps(text, cascade, count, n):
    filters = slow.filters_of(cascade)
    text = slow.bitext(text)
    found = slow.rows_of(lexicon.induce(text, n_best=n, filters=filters, count=count))
    every = slow.rows_of(lexicon.candidates(text, filters=filters, count=count))
    for word in {row[0] for row in every}:
        mine = [row for row in found if row[0] == word]
        held = min(n, sum(row[0] == word for row in every))
        assert [row[2] for row in mine] == list(range(1, held + 1))
        keys = [(-row[3], -row[4], row[1].encode()) for row in mine]
        assert keys == sorted(keys)
    # A shorter list is the beginning of a longer one.
    more = slow.rows_of(lexicon.induce(text, n_best=n + 2, filters=filters, count=count))
    assert [row for row in more if row[2] <= n] == found


def test_metadata():
    text = slow.bitext(slow.pairs_of([("a", "x")]))
    found = lexicon.induce(text).schema.metadata
    start = f"alignframe:{__version__}|"
    assert found[b"n_best"] == b"5"
    assert found[b"alignframe"].decode() == (
        f"{start}metric:llr-signed|count:types|n-best:5|min-both:1|filters:none|pairs:nonempty"
    )
    filters = ["cognate:0.6", lexicon.Alignment()]
    found = lexicon.induce(
        text, n_best=np.int64(3), filters=filters, count="tokens", signed=False, min_both=2
    )
    assert found.schema.metadata[b"n_best"] == b"3"
    assert found.schema.metadata[b"alignframe"].decode() == (
        f"{start}metric:llr|count:tokens|n-best:3|min-both:2|filters:cognate:0.6,alignment|"
        "pairs:nonempty"
    )


def sorted_candidates(text, n, **options):
    """Return the best of all candidates, by polars."""
    whole = pl.DataFrame(lexicon.candidates(text, **options))
    src, tgt = (
        pl.DataFrame(lexicon.candidates(text, count=options["count"]))
        .select(side, f"n_{side}")
        .unique()
        for side in ("src", "tgt")
    )
    ranked = whole.sort(
        ["src", "llr", "n_both", "tgt"], descending=[False, True, True, False]
    ).with_columns(rank=pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over("src"))
    return (
        ranked.filter(pl.col("rank") <= n)
        .drop("n_src", "n_tgt")
        .join(src, on="src", maintain_order="left")
        .join(tgt, on="tgt", maintain_order="left")
        .select("src", "tgt", "rank", "llr", "n_both", "n_src", "n_tgt")
    )


@ways
@pytest.mark.parametrize("signed", [True, False])
def test_the_table_of_x_log_x_changes_nothing(monkeypatch, count, signed):
    text = slow.bitext(zipf(1000, 700, seed=5, size=16))
    for n, filters in ((5, []), (1, [lexicon.Prefix(2)])):
        options = {"filters": filters, "count": count, "signed": signed}
        wanted = sorted_candidates(text, n, **options)
        for size in (2**22, 50, 1):
            monkeypatch.setattr(sys.modules["alignframe.lexicon.induce"], "_TABLE", size)
            assert pl.DataFrame(lexicon.induce(text, n_best=n, **options)).equals(wanted)


def test_numbers_of_any_size():
    text = slow.bitext(slow.pairs_of([("a b", "x y z"), ("a", "x")]))
    wanted = lexicon.induce(text, n_best=3)
    for n in (4, 2**31, 2**63, 10**30, np.uint8(200)):
        assert lexicon.induce(text, n_best=n).equals(wanted)
        assert spilled(text, n=int(n)).equals(wanted)
        assert lexicon.induce(text, n_best=n).schema.metadata[b"n_best"] == str(n).encode()
    for least in (3, 2**31, 2**63, 10**30):
        assert lexicon.induce(text, min_both=least).num_rows == 0
        assert lexicon.candidates(text, min_both=least).num_rows == 0


def test_the_input_is_unchanged():
    frame = pl.DataFrame(TEXT)
    copy = frame.clone()
    lexicon.induce(frame, filters=CASCADES["all"])
    assert frame.equals(copy)


@settings(max_examples=10)
@given(tables(10**9))
@example((10**9, 2 * 10**9, 3 * 10**9, 10**10))
def test_large_counts(row):
    found = ratios([row], True).to_pylist()[0]
    assert found == pytest.approx(slow.ratio(*row, True), rel=1e-5, abs=1e-2)
