"""The study of cascades: worked figures, training sets, and every table against slow counts."""

import math
import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from helpers.lexicon import induce
from hypothesis import given
from hypothesis import strategies as st
from reference import lexicon_evaluation as slow
from scipy import stats

from alignframe.errors import DataWarning, InputError
from alignframe.lexicon.filters import Cognate, Predicate, WordList
from alignframe.lexicon.findings import student_interval
from alignframe.lexicon.study import study, training_sets

SCORES = [
    "cascade",
    "size",
    "set",
    "k",
    "precision",
    "recall",
    "percent_correct",
    "types",
    "covered_types",
]
MEASURES = ("precision", "recall", "percent_correct")
TABLES = ["texts", "scores", "summary", "order", "wilcoxon", "findings"]
TABLES += ["best", "changed", "changes"]


def bitext(pairs):
    kind = pl.List(pl.String)
    return pl.DataFrame(pairs, schema={"src": kind, "tgt": kind}, orient="row")


def words(*texts):
    """Return pairs of lists of words, given 'a b|x y'."""
    return bitext([tuple(side.split() for side in text.split("|")) for text in texts])


# All training sets of a size are the same, so that figures do not depend on the draw.
TRAIN = words(*["a b|a y"] * 6)
TEST = words("a|a", "a|q", "b|y", "c|z")
ONLY = Predicate(lambda src, tgt: pc.and_(pc.equal(src, "b"), pc.equal(tgt, "y")), "b-y")
NOTHING = Predicate(lambda src, tgt: pa.array([False] * len(src)), "nothing")
WORKED = {"none": [], "only": [ONLY]}


@pytest.fixture(scope="module")
def worked():
    return study(TRAIN, TEST, WORKED, sizes=[3, 1], sets=6, n_best=2)


def test_worked_scores(worked):
    """Without filters, a and b have the translations a and y in this order, as all occur
    everywhere.
    """
    figures = {
        ("none", 1): (1 / 4, 2 / 3, 1 / 6, 3, 2),  # hit rates of a, b, c: 1/2, 0, unknown
        ("none", 2): (3 / 4, 2 / 3, 1 / 2, 3, 2),
        ("only", 1): (1.0, 1 / 3, 1 / 3, 3, 1),
        ("only", 2): (1.0, 1 / 3, 1 / 3, 3, 1),
        ("back-off", 1): (3 / 4, 2 / 3, 1 / 2, 3, 2),  # b by "only", a by "none"
        ("back-off", 2): (3 / 4, 2 / 3, 1 / 2, 3, 2),
    }
    wanted = [
        (name, size, number, k, *figures[name, k])
        for name in ("none", "only", "back-off")
        for size, sets in ((1, 6), (3, 2))
        for number in range(1, sets + 1)
        for k in (1, 2)
    ]
    assert worked.scores.columns == SCORES
    assert worked.scores.rows() == [pytest.approx(row) for row in wanted]
    assert worked.summary.filter(size=3)["sets"].to_list() == [2] * 6
    assert worked.summary.filter(cascade="none", size=1, k=2).row(0) == pytest.approx(
        ("none", 1, 2, 6, *[3 / 4] * 3, *[2 / 3] * 3, *[1 / 2] * 3)
    )
    assert worked.texts.rows() == [("train", 6, 0, 2), ("test", 4, 0, 3)]


def test_worked_comparisons(worked):
    assert worked.order.rows() == [
        (size, place, name, precision)
        for size in (1, 3)
        for place, name, precision in ((1, "only", 1.0), (2, "none", 0.25))
    ]
    # Six differences of one sign: 2 of the 64 possible signs are as extreme.
    assert worked.wilcoxon.rows() == [
        ("only", "none", 1, 1, 6, 0.75, pytest.approx(2 / 64)),
        ("only", "none", 1, 2, 6, 0.25, pytest.approx(2 / 64)),
        ("only", "none", 3, 1, 2, 0.75, None),
        ("only", "none", 3, 2, 2, 0.25, None),
    ]
    found = {row[:1] + row[3:5]: row[5:] for row in worked.findings.filter(size=3).rows()}
    assert worked.findings["other"].unique().to_list() == ["none"]
    half, third, sixth = 1 / 2, 1 / 3, 1 / 6
    wanted = {
        ("only", 1, "precision"): (1, 0.25, 0.75, 3, True),
        ("only", 2, "precision"): (1, 0.75, 0.25, third, True),
        ("back-off", 1, "precision"): (0.75, 0.25, 0.5, 2, True),
        ("back-off", 2, "precision"): (0.75, 0.75, 0, 0, False),
        **{("only", k, "recall"): (third, 2 / 3, -third, -half, True) for k in (1, 2)},
        **{("back-off", k, "recall"): (2 / 3, 2 / 3, 0, 0, False) for k in (1, 2)},
        ("only", 1, "percent_correct"): (third, sixth, sixth, 1, True),
        ("only", 2, "percent_correct"): (third, half, -sixth, -third, True),
        ("back-off", 1, "percent_correct"): (half, sixth, third, 2, True),
        ("back-off", 2, "percent_correct"): (half, half, 0, 0, False),
    }
    assert set(found) == set(wanted)
    for key, row in wanted.items():
        assert found[key] == pytest.approx(row), key


def test_the_signature_names_every_choice(worked):
    for part in (
        "study:cascades|metric:bible|weigh:types|",
        "lexicon:llr-signed,count:types,n-best:2|",
        "sizes:1,3|sets:6,seed:1|interval:student-t,of:sets,confidence:0.95|",
        "baseline:none|cascades:none=none;only=b-y",
    ):
        assert part in worked.signature
    assert list(worked.tables()) == TABLES


@given(st.integers(1, 300), st.integers(1, 300), st.integers(1, 12), st.integers(0, 99))
def test_training_sets_are_disjoint(pairs, size, sets, seed):
    found = training_sets(pairs, size, sets, seed)
    assert found.shape == (pairs,)
    number = min(sets, pairs // size)
    values, counts = np.unique(found[found > 0], return_counts=True)
    assert values.tolist() == list(range(1, number + 1))
    assert counts.tolist() == [size] * number
    assert np.array_equal(found, training_sets(pairs, size, sets, seed))


def test_training_sets_are_drawn_from_the_whole_text():
    """Every pair is equally likely to be in a set, and other seeds draw other pairs."""
    drawn = np.array([training_sets(40, 5, 4, seed) for seed in range(300)])
    share = (drawn > 0).mean(axis=0)
    assert np.all(np.abs(share - 0.5) < 0.15)
    assert len({row.tobytes() for row in drawn}) > 290
    # A pair of the first small set is in the first large one, as all sizes share an order.
    assert np.all(training_sets(40, 10, 4, 7)[training_sets(40, 5, 8, 7) <= 2] == 1)


@given(
    st.lists(st.floats(0, 1) | st.none(), max_size=10),
    st.sampled_from([0.5, 0.9, 0.95, 0.99]),
)
def test_intervals_are_by_student_s_t(values, confidence):
    found = student_interval(values, confidence)
    known = [value for value in values if value is not None]
    if len(known) < 2:
        assert found == (known[0] if known else None, None, None)
        return
    assert found[0] == pytest.approx(np.mean(known))
    spread = stats.sem(known)
    if spread > 1e-12:
        ends = stats.t.interval(confidence, len(known) - 1, loc=np.mean(known), scale=spread)
        assert found[1:] == pytest.approx(np.clip(ends, 0, 1))
    assert 0 <= found[1] <= found[0] <= found[2] <= 1


def made_up(pairs, seed):
    """Return sentences whose words mostly have one translation each, some of them similar."""
    draw = random.Random(seed)
    meaning = {f"{c}{v}n": f"{c}{v}{end}" for c in "bdfgk" for v in "aeiou" for end in ("n", "t")}
    meaning |= {f"w{k}": f"v{k}" for k in range(15)}
    rows = []
    for _ in range(pairs):
        src = draw.choices(list(meaning), k=draw.randint(3, 7))
        tgt = [meaning[word] if draw.random() < 0.8 else draw.choice(["le", "la"]) for word in src]
        rows.append((src, draw.sample(tgt, len(tgt))))
    return rows


TEXT = made_up(80, 1)
HELD_OUT = [*made_up(20, 2), (["unheard", "bin"], ["jamais", "bit"])]
KNOWN = pl.DataFrame({"src": ["w1", "w2", "w3"], "tgt": ["v1", "v2", "v3"]})
CASCADES = {
    "list": [WordList(KNOWN)],
    "none": [],
    "cognate": ["cognate:0.6"],
    "v": [Predicate(lambda src, tgt: pc.starts_with(tgt, "v"), "v")],
    "nothing": [NOTHING],
}
CHOICES = {"sizes": [12, 40], "sets": 6, "n_best": 3, "confidence": 0.9, "seed": 5}


@pytest.fixture(scope="module")
def found():
    with ThreadPoolExecutor(4) as pool:
        return study(bitext(TEXT), bitext(HELD_OUT), CASCADES, threads=pool, **CHOICES)


@pytest.fixture(scope="module")
def lexicons():
    """Return the lexicons of every cascade, size and set, by the public function alone."""
    out = {}
    for size, sets in ((12, 6), (40, 2)):
        members = training_sets(len(TEXT), size, 6, 5)
        for number in range(1, sets + 1):
            part = bitext([TEXT[at] for at in np.flatnonzero(members == number)])
            for name, filters in CASCADES.items():
                table = induce(part, n_best=3, filters=filters)
                columns = [table[column].to_pylist() for column in ("src", "tgt", "rank")]
                out[name, size, number] = list(zip(*columns, strict=True))
    return out


def test_scores_equal_those_of_each_lexicon(found, lexicons):
    for key, lexicon in lexicons.items():
        mine = found.scores.filter(cascade=key[0], size=key[1], set=key[2])
        wanted = slow.bible(lexicon, HELD_OUT, 3)
        assert [row[3:] for row in mine.rows()] == [pytest.approx(row) for row in wanted], key
    assert found.scores.height == 3 * (len(lexicons) + 8)
    assert found.scores["cascade"].unique(maintain_order=True).to_list() == [*CASCADES, "back-off"]
    empty = found.scores.filter(cascade="nothing")
    assert empty["precision"].null_count() == empty.height == 24
    assert set(empty["percent_correct"]) == {0.0}


def test_back_off_tries_the_most_precise_lexicon_first(found, lexicons):
    asked = {}
    for size, sets in ((12, 6), (40, 2)):
        means = {}
        for name in CASCADES:
            rows = [slow.bible(lexicons[name, size, k + 1], HELD_OUT, 1)[0] for k in range(sets)]
            known = [row[1] for row in rows if row[1] is not None]
            means[name] = math.fsum(known) / len(known) if known else -1
        asked[size] = sorted(means, key=lambda name: (-means[name], name))
        mine = found.order.filter(size=size)
        assert mine["cascade"].to_list() == asked[size]
        assert mine["place"].to_list() == [1, 2, 3, 4, 5]
        assert mine["precision"].to_list()[:4] == pytest.approx([means[n] for n in asked[size][:4]])
        assert mine["precision"].to_list()[4] is None
        for number in range(1, sets + 1):
            joined = slow.back_off([lexicons[name, size, number] for name in asked[size]])
            rows = found.scores.filter(cascade="back-off", size=size, set=number).rows()
            wanted = slow.bible([row[:3] for row in joined], HELD_OUT, 3)
            assert [row[3:] for row in rows] == [pytest.approx(row) for row in wanted]
    assert asked[12] != list(CASCADES)


def test_summary_and_wilcoxon_are_over_sets(found):
    assert found.summary.height == 6 * 2 * 3
    for row in found.summary.iter_rows(named=True):
        key = {name: row[name] for name in ("cascade", "size", "k")}
        mine = found.scores.filter(**key)
        assert row["sets"] == mine.height == {12: 6, 40: 2}[row["size"]]
        for name in MEASURES:
            figures = [row[f"{name}{end}"] for end in ("", "_low", "_high")]
            assert figures == pytest.approx(list(student_interval(mine[name].to_list(), 0.9)))
    assert set(found.wilcoxon["cascade"]) == {"list", "cognate", "v"}
    for row in found.wilcoxon.iter_rows(named=True):
        key = {name: row[name] for name in ("size", "k")}
        one, other = (
            found.scores.filter(cascade=name, **key)["precision"].to_numpy()
            for name in (row["cascade"], "none")
        )
        assert row["difference"] == pytest.approx(np.mean(one - other))
        assert row["other"] == "none"
        if row["size"] == 40:
            assert row["p_value"] is None
        else:
            p_value = slow.signed_rank((one - other).round(12))[1]
            assert row["p_value"] == pytest.approx(p_value)
    assert found.wilcoxon["p_value"].n_unique() > 2


def test_threads_order_and_other_sizes_do_not_change_figures(found):
    order = list(reversed(CASCADES))
    cascades = {name: CASCADES[name] for name in order}
    other = study(bitext(TEXT), bitext(HELD_OUT), cascades, **(CHOICES | {"sizes": [40]}))
    assert other.summary["cascade"].unique(maintain_order=True).to_list() == [*order, "back-off"]
    for name in TABLES[1:]:
        table, mine = found.tables()[name].filter(size=40), other.tables()[name]
        keys = [key for key in ("cascade", "set", "k", "measure", "src") if key in table.columns]
        assert table.sort(keys).equals(mine.sort(keys)), name


def test_seed_sets_and_choices_change_the_study(worked, tmp_path):
    """Paths and streams work like frames; cascades given as strings are named after them."""
    train, test = tmp_path / "train.parquet", tmp_path / "test.parquet"
    pq.write_table(bitext(TEXT).with_row_index("sid").to_arrow(), train, row_group_size=7)
    pq.write_table(bitext(HELD_OUT).to_arrow(), test)
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("w1\tv1\nw2\tv2\n", "utf-8")
    texts = ["cognate:0.6", f"mrbd:{pairs},cognate, alignment", ""]
    choices = {"sizes": [20], "sets": 1, "n_best": 1}
    one = study(train, test, texts, **choices)
    assert one.summary["cascade"].to_list() == [texts[0], texts[1], "none", "back-off"]
    assert set(one.findings["other"]) == {"none"}
    assert one.summary["precision_low"].null_count() == 4
    assert one.findings["apart"].null_count() == one.findings.height == 9
    streams = [bitext(rows).to_arrow().to_reader() for rows in (TEXT, HELD_OUT)]
    again = study(*streams, {name: name.split(",") for name in texts[:1]}, **choices)
    assert again.scores.row(0) == one.scores.row(0)
    assert again.findings["cascade"].to_list() == ["back-off"] * 3  # the first is the baseline
    assert again.wilcoxon.height == 0
    other = study(
        train, test, texts[:1], count="tokens", signed=False, average="tokens", seed=2, **choices
    )
    assert "weigh:tokens|lexicon:llr,count:tokens" in other.signature
    assert "seed:2" in other.signature
    part = bitext([TEXT[at] for at in np.flatnonzero(training_sets(len(TEXT), 20, 1, 2))])
    lexicon = induce(part, n_best=1, filters=[Cognate(0.6)], count="tokens", signed=False)
    rows = zip(*(lexicon[name].to_pylist() for name in ("src", "tgt", "rank")), strict=True)
    wanted = slow.bible(list(rows), HELD_OUT, 1, weigh="tokens")[0][:6]
    assert other.scores.row(0)[3:] == pytest.approx(wanted)


def test_words_that_repel_each_other_come_last():
    train = words("w|t u", "w|u", *["o|t u"] * 8)
    for signed, precision in ((True, 1.0), (False, 0.0)):
        found = study(train, words("w|u"), ["none"], sizes=[10], sets=1, n_best=1, signed=signed)
        assert found.scores["precision"].to_list() == [precision] * 2


def test_a_part_of_speech_filter_finds_the_tags():
    tags = pl.Series([["NOUN", "VERB"]] * 6)
    tagged = TRAIN.with_columns(src_tags=tags, tgt_tags=tags)
    found = study(tagged, TEST, {"none": [], "pos": ["pos"]}, sizes=[2], sets=1, n_best=1)
    assert found.scores.filter(cascade="pos").row(0)[4:] == pytest.approx((0.75, 2 / 3, 0.5, 3, 2))
    with pytest.raises(InputError, match="without tags"):
        study(TRAIN, TEST, ["pos"], sizes=[2])


def test_empty_sides_cause_one_warning(worked):
    train = pl.concat([TRAIN, bitext([([], ["x"]), (["x"], []), ([], [])])])
    test = pl.concat([bitext([(["d"], [])]), TEST])
    with pytest.warns(DataWarning, match="3 of the training text, 1 of the test text") as caught:
        found = study(train, test, WORKED, sizes=[3], sets=6, n_best=2)
    assert len(caught) == 1
    assert found.texts["empty"].to_list() == [3, 1]
    for name in TABLES[1:]:
        assert found.tables()[name].equals(worked.tables()[name].filter(size=3)), name


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"cascades": []}, "no cascade given"),
        ({"cascades": {}}, "no cascade given"),
        ({"cascades": "none"}, "'none' as cascades; expected a list"),
        ({"cascades": 3}, "3 as cascades"),
        ({"cascades": ["cognate", "none", "cognate"]}, "two cascades are called 'cognate'"),
        ({"cascades": ["", "none"]}, "two cascades are called 'none'"),
        ({"cascades": {"1": [], 1: []}}, "two cascades are called '1'"),
        ({"cascades": {"back-off": []}}, "a cascade called 'back-off'"),
        ({"cascades": ["nonsense"]}, "the filter 'nonsense'"),
        ({"sizes": [0]}, "`sizes` is 0; expected a whole number from 1"),
        ({"sizes": [1.5]}, "`sizes` is 1.5"),
        ({"sizes": [True]}, "`sizes` is True"),
        ({"sizes": []}, "no size"),
        ({"sizes": 500}, r"500 as sizes; expected a list, \[500\]"),
        ({"sizes": 2.5}, "2.5 as sizes"),
        ({"sizes": [1, 7]}, "training sets of 7 pairs, but the training text has only 6"),
        ({"sets": 0}, "`sets` is 0; expected a whole number from 1"),
        ({"n_best": 0}, "`n_best` is 0"),
        ({"confidence": 1}, "`confidence` is 1"),
        ({"confidence": 0.0}, "`confidence` is 0.0"),
        ({"seed": -1}, "`seed` is -1"),
        ({"count": "both"}, "`count` is 'both'"),
        ({"average": "both"}, "unknown `average` 'both'"),
        ({"train": pl.DataFrame({"src": [["a"]]})}, "the training text has the columns src"),
        ({"test": pl.DataFrame({"src": [1], "tgt": ["b"]})}, "a column src of type"),
        ({"train": pl.DataFrame({"src": [[1]], "tgt": [["b"]]})}, "a column src of type"),
        ({"test": bitext([([], ["x"])])}, "no sentence pair of the test text with words"),
    ],
)
def test_bad_input(changes, message):
    given = {"train": TRAIN, "test": TEST, "cascades": ["none"], "sizes": [1], "sets": 1}
    with pytest.raises(InputError, match=message):
        study(**(given | changes))


def test_best_and_changed_words(found):
    """The best cascades, and the words that cascades change, against plain lists."""
    alone = found.summary.filter(pl.col("cascade") != "back-off")
    for (size, k), rows in alone.group_by("size", "k"):
        for measure in MEASURES:
            best = found.best.filter(size=size, k=k, measure=measure)
            wanted = rows.filter(pl.col(measure) == rows[measure].max())
            assert set(best["cascade"]) == set(wanted["cascade"])
            assert set(best["value"]) == set(wanted[measure])
    part = bitext(
        [TEXT[at] for at in np.flatnonzero(training_sets(len(TEXT), 40, 6, CHOICES["seed"]) == 1)]
    )
    lists = {}
    test_words = {word for src, tgt in HELD_OUT if src and tgt for word in src}
    for name, filters in CASCADES.items():
        made = induce(part, n_best=CHOICES["n_best"], filters=filters).to_pylist()
        kept = sorted(
            (row for row in made if row["src"] in test_words), key=lambda row: row["rank"]
        )
        lists[name] = {
            word: [row["tgt"] for row in kept if row["src"] == word]
            for word in {row["src"] for row in kept}
        }
    for row in found.changed.iter_rows(named=True):
        mine, other = lists[row["cascade"]], lists["none"]
        changed = {word for word in mine.keys() & other.keys() if mine[word][0] != other[word][0]}
        assert (row["size"], row["words"]) == (40, len(mine.keys() & other.keys()))
        assert row["changed"] == len(changed)
        listed = found.changes.filter(cascade=row["cascade"])
        assert set(listed["src"]) == changed
        gain = 0
        for one in listed.iter_rows(named=True):
            lists_of = one["before_list"], one["after_list"]
            assert lists_of == (other[one["src"]], mine[one["src"]])
            gain += one["after_hits"] > one["before_hits"]
        assert row["better"] == gain
    assert found.changed["changed"].sum() > 0
