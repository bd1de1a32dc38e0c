"""Lexicon evaluation: worked examples, slow reference versions, SQL against Python, invariants."""

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.formats import quietly
from helpers.lexicon import back_off
from helpers.sql import connected
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import lexicon_evaluation as slow
from scipy import stats

from alignframe import connect, lexicon
from alignframe.core.lazy import __version__
from alignframe.errors import DataWarning
from alignframe.formats.word_list import read_word_list
from alignframe.lexicon import hit_rates, score
from alignframe.lexicon.rank_tests import wilcoxon
from alignframe.lexicon.sources import read_lexicon
from alignframe.lexicon.upper_bound import upper_bound
from alignframe.stats.bootstrap import interval

few = settings(max_examples=3)
many = settings(max_examples=8)

LEXICON = slow.frame(
    [("a", "x", 1), ("a", "y", 2), ("b", "z", 1), ("b", "x", 3), ("e", "x", 1)], n_best=3
)
TEXT = slow.bitext(
    [
        (["a", "a", "b"], ["x", "z"]),
        (["a", "c"], ["y"]),
        (["b", "d"], ["x"]),
        (["a"], ["u", "u"]),
    ]
)


def evaluate(*given, **options):
    return score(*given, **options).scores


def compare(*given, **options):
    return score(*given, **options).compare()


START = f"alignframe:{__version__}|metric:bible|weigh:types|pairs:nonempty"


@pytest.fixture(scope="module")
def con():
    with connected() as connection:
        yield connection


def rows_of(frame):
    return frame.drop("signature", strict=False).rows()


def same(found, wanted):
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        assert one == pytest.approx(other, nan_ok=True)


# --- worked examples


def test_bible_by_hand():
    found = evaluate(LEXICON, TEXT, 3)
    assert found.columns == [
        "k",
        "precision",
        "recall",
        "percent_correct",
        "types",
        "covered_types",
        "signature",
    ]
    # a: 1/3, 2/3, 2/3 of its pairs; b: 1/2, 1/2, 2/2; c and d are not in the lexicon.
    wanted = [
        (1, 5 / 12, 1 / 2, 5 / 24, 4, 2),
        (2, 7 / 12, 1 / 2, 7 / 24, 4, 2),
        (3, 5 / 6, 1 / 2, 5 / 12, 4, 2),
    ]
    same(rows_of(found), wanted)
    assert found["signature"].unique().to_list() == [START]


def test_bible_by_token_by_hand():
    found = evaluate(LEXICON, TEXT, 2, average="tokens")
    # 6 of 8 tokens are known: 3 of 4 a and 1 of 2 b in the end.
    wanted = [(1, 3 / 6, 6 / 8, 3 / 8, 4, 2, 8, 6), (2, 4 / 6, 6 / 8, 4 / 8, 4, 2, 8, 6)]
    same(rows_of(found), wanted)
    assert "weigh:tokens" in found["signature"][0]
    assert found.columns[-3:] == ["tokens", "covered_tokens", "signature"]


def test_several_lexicons_are_named():
    found = evaluate({"x": LEXICON, "other": LEXICON.slice(0, 1)}, TEXT, 1)
    assert found.columns[0] == "lexicon"
    assert found["lexicon"].to_list() == ["x", "other"]
    assert found["covered_types"].to_list() == [2, 1]


def test_the_default_depth_is_that_of_the_shallowest_lexicon():
    deep = pl.DataFrame({"src": "a", "tgt": list("opqrstu"), "rank": range(1, 8)})
    assert evaluate(deep, TEXT)["k"].to_list() == [1, 2, 3, 4, 5]
    assert evaluate(LEXICON, TEXT)["k"].to_list() == [1, 2, 3]
    assert evaluate({"x": deep, "y": LEXICON}, TEXT)["k"].to_list() == [1, 2, 3] * 2
    assert hit_rates(LEXICON, TEXT)["k"].max() == 3
    assert compare({"x": deep, "y": LEXICON}, TEXT)["k"].to_list() == [1, 2, 3]


def test_hit_rates_by_hand():
    found = hit_rates(LEXICON, TEXT, 2)
    assert found.rows()[:4] == [
        ("a", 1, True, 3, 1, 1 / 3, 4, 2),
        ("a", 2, True, 3, 2, 2 / 3, 4, 3),
        ("b", 1, True, 2, 1, 1 / 2, 2, 1),
        ("b", 2, True, 2, 1, 1 / 2, 2, 1),
    ]
    assert found["src"].to_list() == ["a", "a", "b", "b", "c", "c", "d", "d"]


def test_groups_by_hand():
    groups = pl.DataFrame(
        {"src": ["a", "b", "c", "zebra"], "group": ["verb", "noun", None, "noun"]}
    )
    found = evaluate(LEXICON, TEXT, 1, by=groups)
    assert found.columns[:2] == ["group", "k"]
    wanted = [("noun", 1, 0.5, 1.0, 0.5, 1, 1), ("other", 1, None, 0.0, 0.0, 2, 0)]
    wanted.insert(1, ("verb", 1, 1 / 3, 1.0, 1 / 3, 1, 1))
    wanted.append(wanted.pop(2))
    same([row[1:] for row in rows_of(found)], [row[1:] for row in wanted])
    assert found["group"].to_list() == ["noun", "verb", "other"]
    assert found["signature"][0] == f"{START}|by:group"


def test_a_group_named_other_is_merged_with_the_rest():
    found = evaluate(LEXICON, TEXT, 1, by={"a": "other"})
    assert rows_of(found) == [("other", *rows_of(evaluate(LEXICON, TEXT, 1))[0])]


@pytest.mark.parametrize("suffix", ["parquet", "csv", "tsv", "csv.gz"])
def test_groups_and_lexicons_from_files(tmp_path, suffix):
    groups = pl.DataFrame({"src": ["a", "b"], "group": ["1", "2"]})
    made = []
    for name, frame in (("groups", groups), ("lexicon", pl.DataFrame(pl.from_arrow(LEXICON)))):
        path = tmp_path / f"{name}.{suffix}"
        made.append(path)
        if suffix == "parquet":
            frame.write_parquet(path)
        else:
            mark = "\t" if suffix == "tsv" else ","
            frame.write_csv(path, separator=mark, compression="gzip") if suffix.endswith(
                "gz"
            ) else frame.write_csv(path, separator=mark)
    pq.write_table(TEXT.to_arrow(), tmp_path / "text.parquet")
    found = evaluate(str(made[1]), tmp_path / "text.parquet", 3, by=made[0])
    assert found.equals(evaluate(LEXICON, TEXT, 3, by=groups))


@pytest.mark.parametrize("times", [*range(1, 10), 16, 17, 2**40, 2**40 + 1])
def test_bands_of_frequency(times):
    lexicon = pl.DataFrame({"src": ["a"], "tgt": ["x"], "rank": [1], "n_src": [times]})
    found = evaluate(lexicon, TEXT, 1, by="frequency")
    assert found["group"].to_list() == [slow.band(times), "not in the lexicon"]


def test_bands_are_ordered_by_frequency():
    words = [f"w{k}" for k in range(6)]
    lexicon = pl.DataFrame(
        {"src": words, "tgt": ["x"] * 6, "rank": [1] * 6, "n_src": [200, 3, 2, 17, 1, 4]}
    )
    found = evaluate(lexicon, slow.bitext([([*words, "new"], ["x"])]), 1, by="frequency")
    assert found["group"].to_list() == ["1", "2", "3-4", "17-32", "129-256", "not in the lexicon"]
    assert found["types"].to_list() == [1, 1, 2, 1, 1, 1]
    assert found["precision"].to_list() == [1.0] * 5 + [None]
    assert found["signature"][0] == f"{START}|by:frequency"


def test_compare_by_hand():
    # Words w0 to w5 are in 10 pairs each; the translations differ in the number of pairs they hit.
    text = [
        ([f"w{k}"], ["x"] * (n < 4 + k) + ["y"] * (n < 5) + ["z"])
        for k in range(6)
        for n in range(10)
    ]
    one, two = (slow.frame([(f"w{k}", tgt, 1) for k in range(6)], 1) for tgt in "xy")
    found = compare({"x": one, "y": two}, slow.bitext(text), 1)
    # The differences are -1, 0, 1, 2, 3 and 4 tenths; -1 and 1 share the ranks 1 and 2.
    row = found.row(0, named=True)
    assert row["signature"].startswith(START)
    del row["signature"]
    assert row == pytest.approx(
        {
            "lexicon": "x",
            "other": "y",
            "k": 1,
            "types": 6,
            "precision": 0.65,
            "other_precision": 0.5,
            "difference": 0.15,
            "wins": 4,
            "losses": 1,
            "ties": 1,
            "statistic": 1.5,
            "p_value": 6 / 32,
        }
    )


def test_back_off_by_hand():
    one = slow.frame([("a", "x", 1)], 1)
    two = slow.frame([("b", "z", 2), ("b", "y", 1), ("a", "y", 1), ("a", "z", 2)], 4)
    found = back_off({"precise": one, "large": two})
    assert found.to_pylist() == [
        {"src": "a", "tgt": "x", "rank": 1, "lexicon": "precise"},
        {"src": "b", "tgt": "y", "rank": 1, "lexicon": "large"},
        {"src": "b", "tgt": "z", "rank": 2, "lexicon": "large"},
    ]
    assert found.schema.metadata == {
        b"alignframe": f"alignframe:{__version__}|lexicon:back-off|order:precise,large".encode(),
        b"n_best": b"4",
    }
    assert read_lexicon(found).n_best == 4
    again = back_off([found, two])
    assert again["lexicon"].to_pylist() == [1, 1, 1]


def test_back_off_keeps_all_columns():
    one = slow.frame([("a", "x", 1)]).append_column("n_src", pa.array([7], pa.int32()))
    two = slow.frame([("b", "x", 1)]).append_column("note", pa.array(["good"]))
    found = back_off([one, two]).drop_columns(["tgt", "rank"])
    assert found.to_pylist() == [
        {"src": "a", "n_src": 7, "note": None, "lexicon": 1},
        {"src": "b", "n_src": None, "note": "good", "lexicon": 2},
    ]


def test_upper_bound_by_hand():
    first = [["the", "the", "cat"], ["a", "dog"], []]
    second = [["the", "animal"], ["dog", "a", "big", "one"], ["no"]]
    with pytest.warns(DataWarning, match="1 of 3 segments"):
        found = upper_bound(first, second)
    # Shares: 1/2 and 2/2 one way, 1/2 and 2/4 the other; identical words: the, a, dog hit, cat not.
    sd = np.std([0.5, 1.0], ddof=1)
    # Student's t with one degree of freedom is 12.7, so that intervals would exceed 0 to 1.
    wanted = [
        ("first-second", 2, 0.75, sd, 0.0, 1.0, 3 / 4),
        ("second-first", 2, 0.5, 0.0, 0.5, 0.5, 3 / 6),
        ("mean", 2, 0.625, sd / 2, 0.0, 1.0, 5 / 8),
    ]
    same(rows_of(found), wanted)
    assert "interval:t,confidence:0.95" in found["signature"][0]


def test_upper_bound_of_files_and_columns(tmp_path):
    sides = [["a b", "c c"], ["b", "d c"]]
    paths = [tmp_path / "one.txt", tmp_path / "two.txt"]
    for path, lines in zip(paths, sides, strict=True):
        path.write_text("\n".join(lines) + "\n", "utf-8")
    lists = [[line.split() for line in side] for side in sides]
    wanted = upper_bound(*paths)
    for make in (list, pl.Series, pa.array, lambda rows: pa.chunked_array([rows[:1], rows[1:]])):
        assert upper_bound(make(lists[0]), make(lists[1])).equals(wanted)
    assert upper_bound(paths[0], lists[1]).equals(wanted)
    one = upper_bound(lists[0][:1], lists[1][:1])
    assert rows_of(one)[0] == ("first-second", 1, 0.5, None, None, None, 0.5)


# --- against slow reference versions


@many
@given(slow.texts, st.sampled_from(["types", "tokens"]))
def test_cooccurrence(con, text, count):
    con.register("text", slow.bitext(text).to_arrow())
    found = con.execute(f"from cooccurrence('text', count := '{count}')").fetchall()
    assert sorted(found) == sorted(slow.cooccurrence(text, count))


@many
@given(slow.texts)
def test_cooccurrence_of_numbers(con, text):
    number = {word: k for k, word in enumerate(slow.WORDS)}
    sides = [[[number[word] for word in pair[side]] for pair in text] for side in (0, 1)]
    kind = pa.list_(pa.int32())
    con.register("text", pa.table([pa.array(s, kind) for s in sides], names=["src", "tgt"]))
    found = con.execute("from cooccurrence('text')").fetchall()
    wanted = slow.cooccurrence(text, "types")
    assert sorted(found) == sorted((number[s], number[t], *rest) for s, t, *rest in wanted)


@many
@given(slow.texts, st.integers(1, 4), st.booleans(), st.sampled_from(["types", "tokens"]))
def test_n_best(con, text, n, signed, count):
    con.register("text", slow.bitext(text).to_arrow())
    con.execute(
        f"create or replace table candidates as from cooccurrence('text', count := '{count}')"
    )
    found = con.execute(f"from n_best('candidates', {n}, signed := {signed})").fetchall()
    assert found == slow.n_best(slow.cooccurrence(text, count), n, signed)


@many
@given(slow.texts, slow.lexicons(), st.integers(1, slow.DEPTH))
def test_macros_against_references(con, text, lexicon, k):
    con.register("text", slow.bitext(text).to_arrow())
    con.register("lexicon", slow.frame(lexicon))
    same(
        con.execute(f"from hit_rates('lexicon', 'text', {k})").fetchall(),
        slow.hit_rates(lexicon, text, k),
    )
    same(
        con.execute(f"from bible('lexicon', 'text', {k})").fetchall(), slow.bible(lexicon, text, k)
    )
    same(
        con.execute(f"from bible_by_token('lexicon', 'text', k := {k})").fetchall(),
        slow.bible(lexicon, text, k, "tokens"),
    )


@few
@given(slow.texts, slow.lexicons(), st.integers(1, slow.DEPTH))
def test_functions_against_references(text, lexicon, k):
    given_text, table = slow.bitext(text), slow.frame(lexicon)
    found = quietly(hit_rates, table, given_text, k)
    same(found.rows(), slow.hit_rates(lexicon, text, k))
    for weigh in ("types", "tokens"):
        found = quietly(evaluate, table, given_text, k, average=weigh)
        same(rows_of(found), slow.bible(lexicon, text, k, weigh))


@few
@given(slow.texts, slow.lexicons(), st.dictionaries(st.sampled_from(slow.WORDS), st.integers(1, 2)))
def test_groups_against_a_reference(text, lexicon, group):
    named = {word: str(number) for word, number in group.items()}
    found = quietly(evaluate, slow.frame(lexicon), slow.bitext(text), 2, by=group, average="tokens")
    present = {word for src, _ in slow.full(text) for word in src}
    wanted = []
    for name in ("1", "2", "other"):
        words = {word for word in present if named.get(word, "other") == name}
        rows = slow.bible(lexicon, text, 2, "tokens", words) if words else []
        wanted += [(name, *row) for row in rows]
    assert found["group"].to_list() == [row[0] for row in wanted]
    same([row[1:] for row in rows_of(found)], [row[1:] for row in wanted])


@few
@given(slow.texts, st.lists(slow.lexicons(), min_size=2, max_size=3))
def test_compare_against_a_reference(text, lexicons):
    given_lexicons = dict(zip("zyx", lexicons, strict=False))
    tables = {name: slow.frame(one) for name, one in given_lexicons.items()}
    found = quietly(compare, tables, slow.bitext(text), 2)
    wanted = slow.compare(given_lexicons, text, 2)
    assert [row[:2] for row in rows_of(found)] == [row[:2] for row in wanted]
    same([row[2:] for row in rows_of(found)], [row[2:] for row in wanted])


@few
@given(st.lists(slow.lexicons(), min_size=1, max_size=3))
def test_back_off_against_a_reference(lexicons):
    found = back_off([slow.frame(one) for one in lexicons])
    assert [tuple(row.values()) for row in found.to_pylist()] == slow.back_off(lexicons)


@few
@given(slow.texts, st.floats(0.5, 0.99))
def test_upper_bound_against_a_reference(text, confidence):
    first, second = ([pair[side] for pair in text] for side in (0, 1))
    found = quietly(upper_bound, first, second, confidence=confidence)
    wanted = slow.upper_bound(first, second, confidence)
    assert found["direction"].to_list() == [row[0] for row in wanted]
    for one, other in zip(rows_of(found), wanted, strict=True):
        assert one[1:] == pytest.approx(other[1:], abs=1e-12)


@pytest.mark.parametrize("size", [2, 5, 9, 14, 50, 51, 300])
@pytest.mark.parametrize("steps", [3, 10**6])
def test_wilcoxon_equals_scipy(size, steps):
    rng = np.random.default_rng(size)
    differences = rng.integers(-steps, steps + 2, size) / steps
    left = differences[differences != 0]
    wanted = stats.wilcoxon(left)
    with_zeros = np.concatenate([differences, np.zeros(7)])
    wanted = pytest.approx((wanted.statistic, wanted.pvalue), rel=1e-12, abs=0)
    assert wilcoxon(with_zeros) == wanted
    assert wilcoxon(-differences) == pytest.approx(wilcoxon(differences))


def test_words_that_all_tie_have_p_value_1():
    found = compare({"one": LEXICON, "two": LEXICON}, TEXT, 3)
    assert found["p_value"].to_list() == [1.0] * 3
    assert found["ties"].to_list() == [2] * 3
    apart = compare({"one": LEXICON, "two": slow.frame([("c", "x", 1)])}, TEXT, 1)
    assert apart.row(0)[3:12] == (0, None, None, None, 0, 0, 0, None, None)


# --- invariants


@many
@given(slow.texts, slow.lexicons())
def test_figures_are_ordered(con, text, lexicon):
    con.register("text", slow.bitext(text).to_arrow())
    con.register("lexicon", slow.frame(lexicon))
    for macro in ("bible", "bible_by_token"):
        rows = con.execute(f"from {macro}('lexicon', 'text', {slow.DEPTH})").fetchall()
        precision, correct = ([row[at] for row in rows] for at in (1, 3))
        assert correct == sorted(correct)
        assert all(0 <= one <= 1 for one in correct)
        if rows[0][5] == 0:
            assert set(precision) == {None}
            assert set(correct) == {0.0}
            continue
        assert precision == sorted(precision)
        assert all(
            y <= x + 1e-12 and x <= 1 + 1e-12 for x, y in zip(precision, correct, strict=True)
        )
        for row in rows:
            assert row[3] == pytest.approx(row[1] * row[2])


@few
@given(slow.texts, slow.lexicons(), st.randoms())
def test_order_of_rows_and_threads_do_not_matter(text, lexicon, random):
    mixed_text, mixed = list(text), list(lexicon)
    random.shuffle(mixed_text)
    random.shuffle(mixed)
    options = {"average": "types", "bootstrap": 20}
    one = quietly(evaluate, slow.frame(lexicon), slow.bitext(text), 2, threads=1, **options)
    two = quietly(evaluate, slow.frame(mixed), slow.bitext(mixed_text), 2, threads=4, **options)
    assert one.equals(two)


def large_text(pairs, words, seed=1):
    rng = np.random.default_rng(seed)
    names = pa.array([f"w{k}" for k in range(words)])
    columns = []
    for _ in range(2):
        ends = np.concatenate([[0], np.cumsum(rng.integers(0, 40, pairs))])
        ids = np.minimum(rng.pareto(0.9, ends[-1]) * 3, words - 1).astype(np.int64)
        columns.append(pa.ListArray.from_arrays(pa.array(ends, pa.int32()), names.take(ids)))
    return pa.table([pa.array(range(pairs)), *columns], names=["sid", "src", "tgt"])


def large_lexicon(words, seed=2):
    rng = np.random.default_rng(seed)
    best = rng.permuted(np.tile(np.arange(40), (words, 1)), axis=1)[:, :5]
    return pa.table(
        {
            "src": [f"w{k}" for k in np.repeat(np.arange(words), 5)],
            "tgt": [f"w{k}" for k in best.ravel()],
            "rank": pa.array(np.tile(np.arange(1, 6), words), pa.int32()),
            "n_src": np.repeat(np.arange(words, 0, -1), 5),
        }
    )


def test_threads_and_memory_do_not_matter_in_a_large_text():
    text, lexicon = large_text(8_000, 8_000), large_lexicon(2_000)
    frames = [
        quietly(evaluate, lexicon, text, by="frequency", bootstrap=10, **options)
        for options in ({"threads": 1}, {"threads": 4}, {"memory_limit": "150MB"})
    ]
    assert frames[0].equals(frames[1])
    assert frames[0].equals(frames[2])
    with connect(threads=3) as con:
        con.register("text", text)
        con.register("lexicon", lexicon)
        found = con.execute("from bible('lexicon', 'text', 5)").fetchall()
    same(rows_of(quietly(evaluate, lexicon, text)), found)


# --- intervals


@pytest.mark.parametrize("weigh", ["types", "tokens"])
def test_intervals_equal_those_of_resampled_words(weigh):
    text, lexicon = large_text(300, 200), large_lexicon(120)
    found = quietly(evaluate, lexicon, text, 2, average=weigh, bootstrap=40, confidence=0.8, seed=7)
    words = quietly(hit_rates, lexicon, text, 2)
    by_depth = [words.filter(k=depth).to_dicts() for depth in (1, 2)]
    drawn = np.random.default_rng(7).integers(0, len(by_depth[0]), (40, len(by_depth[0])))
    for row, of_words in zip(found.to_dicts(), by_depth, strict=True):
        figures = {"precision": [], "percent_correct": [], "recall": []}
        for picked in drawn:
            some = [of_words[at] for at in picked]
            if weigh == "types":
                gained = sum(one["hit_rate"] for one in some)
                sizes = sum(one["known"] for one in some), len(some)
            else:
                gained = sum(one["token_hits"] for one in some)
                sizes = (
                    sum(one["tokens"] for one in some if one["known"]),
                    sum(one["tokens"] for one in some),
                )
            figures["precision"].append(gained / sizes[0])
            figures["percent_correct"].append(gained / sizes[1])
            figures["recall"].append(sizes[0] / sizes[1])
        for name, values in figures.items():
            ends = interval(np.array(values), 0.8, observed=row[name], units=len(by_depth[0]))
            assert (row[f"{name}_low"], row[f"{name}_high"]) == pytest.approx(ends)
            assert row[f"{name}_low"] <= row[name] <= row[f"{name}_high"]
    assert found["signature"][0].endswith("|bootstrap:40,of:types,seed:7,confidence:0.8")
    assert found.columns[1:4] == ["precision", "precision_low", "precision_high"]


def test_no_interval_without_known_words():
    frame = slow.frame([("e", "x", 1)])
    found = quietly(lambda: evaluate(frame, TEXT, 1, bootstrap=10))
    assert found.row(0)[1:10] == (*[None] * 3, *[0.0] * 6)


# --- inputs


def test_n_of_a_lexicon():
    rows = [("a", "x", 1), ("a", "y", 4)]
    assert read_lexicon(slow.frame(rows, 9)).n_best == 9
    assert read_lexicon(slow.frame(rows).replace_schema_metadata(None)).n_best == 4
    assert read_lexicon(pl.DataFrame(pl.from_arrow(slow.frame(rows)))).n_best == 4


def test_n_of_a_lexicon_file(tmp_path):
    pq.write_table(slow.frame([("a", "x", 1)], 9), tmp_path / "lexicon.parquet")
    assert read_lexicon(tmp_path / "lexicon.parquet").n_best == 9


def test_words_of_a_csv_file_are_unchanged(tmp_path):
    path = tmp_path / "lexicon.csv"
    path.write_text('src,tgt,rank\nnull,007,1\nNA,1e5,1\n"a,b","""",1\n"",true,1\n', "utf-8")
    rows = read_lexicon(path).table.to_pylist()
    assert [(row["src"], row["tgt"]) for row in rows] == [
        ("null", "007"),
        ("NA", "1e5"),
        ("a,b", '"'),
        ("", "true"),
    ]


@pytest.mark.parametrize(
    "make",
    [
        pl.DataFrame.lazy,
        lambda frame: frame.to_pandas(),
        pl.DataFrame.to_arrow,
        lambda frame: frame.to_arrow().to_reader(),
        lambda frame: frame.with_columns(pl.col("src", "tgt").cast(pl.List(pl.Categorical))),
        lambda frame: frame.drop("sid"),
    ],
)
def test_text_in_any_form(make):
    assert evaluate(LEXICON, make(TEXT), 2).equals(evaluate(LEXICON, TEXT, 2))


def test_empty_sides_are_counted_in_a_warning():
    empty = pl.DataFrame(
        {"sid": [8, 9], "src": [["a"], []], "tgt": [[], ["x"]]}, schema=TEXT.schema
    )
    text = pl.concat([TEXT, empty])
    with pytest.warns(DataWarning, match="2 of 6 sentence pairs"):
        found = evaluate(LEXICON, text, 2)
    assert found.equals(evaluate(LEXICON, TEXT, 2))


def test_blanks_around_words_are_left_out(tmp_path):
    text = pl.DataFrame({"src": [["the", "house"]], "tgt": [["la", "maison"]]})
    rows = {"src": ["the ", "\thouse"], "tgt": ["la", " maison "], "rank": [1, 1]}
    table = pl.DataFrame(rows)
    table.write_parquet(tmp_path / "l.parquet")
    for each in (rows, table, tmp_path / "l.parquet"):
        assert lexicon.score(each, text).scores["recall"].to_list() == [1.0]
        assert lexicon.as_lexicon(each)["src"].to_list() == ["house", "the"]
    assert lexicon.as_lexicon([("the ", " la")]).row(0) == ("the", "la", 1)
    assert read_word_list(tmp_path / "l.parquet")["src"].to_pylist() == ["the", "house"]
    connection = connect(tables={"l": table, "text": text})
    rates = connection.execute("select src, hit_rate from hit_rates('l', 'text', 1)").fetchall()
    assert rates == [("house", 1.0), ("the", 1.0)]


def test_a_lexicon_without_a_word_of_the_text_is_named():
    text = pl.DataFrame({"src": [["the", "house"]], "tgt": [["la", "maison"]]})
    other = {"src": ["la"], "tgt": ["the"], "rank": [1]}
    with pytest.warns(DataWarning, match="no source word of the lexicon 'mine' occurs in the text"):
        assert lexicon.score({"mine": other}, text).scores["recall"].to_list() == [0.0]
    with pytest.warns(DataWarning, match="no source word of the lexicon occurs in the text"):
        lexicon.hit_rates(other, text)
