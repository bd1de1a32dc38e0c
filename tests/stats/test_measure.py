"""Declared measures: against their definition, and invalid tables of counts."""

import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from alignframe import beads
from alignframe.errors import DataWarning, InputError
from alignframe.stats import Formula, Measure, Ratio
from alignframe.stats.bootstrap import interval, resample_sums
from alignframe.stats.measure import combine_measures
from alignframe.stats.paired import Paired

SHARE = Ratio("share", "hits", "all")
TOY = Measure(
    "toy",
    ("hits", "all"),
    (
        SHARE,
        Formula("misses", lambda n: np.subtract(n["all"], n["hits"], dtype=float), False),
    ),
    ("kind:toy",),
)

tables = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(0, 3), st.sampled_from("xy"), st.integers(0, 4)),
    min_size=1,
    max_size=12,
    unique_by=lambda row: row[:2],
)


def frame_of(rows):
    rows = [(system, sid, group, hits, hits + sid) for system, sid, group, hits in rows]
    names = ["system", "sid", "group", "hits", "all"]
    return pl.DataFrame(rows, schema=names, orient="row")


@pytest.mark.filterwarnings("ignore:sums are over different units")
@given(tables)
def test_figures_equal_those_of_sums(rows):
    frame = frame_of(rows)
    for by in ([], ["group"]):
        for row in TOY.scores(frame, by=by).to_dicts():
            own = frame.filter(**{name: row[name] for name in ["system", *by]})
            hits, every = own["hits"].sum(), own["all"].sum()
            assert row["share"] == (hits / every if every else None)
            assert row["misses"] == every - hits


@pytest.mark.filterwarnings("ignore:sums are over different units")
@given(tables)
def test_intervals_equal_those_of_the_bootstrap(rows):
    frame = frame_of(rows)
    found = TOY.scores(frame, bootstrap=20, confidence=0.8, seed=3)
    sids, systems = (sorted(set(frame[name])) for name in ("sid", "system"))
    counts = np.zeros((len(sids), len(systems), 2))
    for system, sid, _, hits, every in frame.iter_rows():
        counts[sids.index(sid), systems.index(system)] += hits, every
    sums = resample_sums(counts.reshape(len(sids), -1), 20, 3).reshape(20, -1, 2)
    with np.errstate(invalid="ignore"):
        drawn = sums[..., 0] / sums[..., 1]
    for at, row in enumerate(found.to_dicts()):
        observed = float("nan") if row["share"] is None else row["share"]
        alone = len(sids) == 1  # then nothing can be resampled
        wanted = (
            [np.nan] * 2
            if alone
            else interval(drawn[:, at], 0.8, observed=observed, units=len(sids))
        )
        got = [
            np.nan if row[f"share_{end}"] is None else row[f"share_{end}"]
            for end in ("low", "high")
        ]
        assert got == pytest.approx(wanted, nan_ok=True)
    whole = frame.select("system", "sid").unique().height == len(sids) * len(systems)
    if len(systems) == 2 and len(sids) > 1 and whole:
        (other,) = (
            TOY.compare(frame, baseline="a", bootstrap=20, seed=3)
            .filter(measure="share")
            .to_dicts()
        )
        shares = found["share"].to_list()
        if None not in shares:
            observed = shares[1] - shares[0]
            p_value = Paired(observed, drawn[:, 1] - drawn[:, 0], len(sids)).p_value
            assert [other["difference"], other["p_value"]] == pytest.approx([observed, p_value])


def test_the_unit_need_not_be_an_integer():
    frame = frame_of([("a", 0, "x", 1), ("a", 1, "y", 3), ("b", 0, "x", 2), ("b", 1, "y", 1)])
    found = TOY.scores(frame, unit="group", bootstrap=10)
    assert found.drop("signature").equals(TOY.scores(frame, bootstrap=10).drop("signature"))


def test_the_signature_names_the_measure_its_choices_and_options():
    frame = frame_of([("a", 0, "x", 1)])
    mark = TOY.scores(frame, by=["group"], bootstrap=9, seed=2)["signature"][0]
    assert mark.partition("|")[2] == (
        "metric:toy|kind:toy|by:group|bootstrap:9,seed:2,confidence:0.95"
    )


def test_measures_of_the_same_units_are_joined():
    other = Measure("size", ("n",), (Ratio("mean", "n", "n"),), ("case:mixed",))
    both = combine_measures([TOY, other], ["refs:1"])
    assert both.name == "toy,size"
    assert both.names == ["share", "misses", "mean"]
    assert both.lower_is_better == {"misses"}
    assert both.of(np.array([1, 2, 3])).tolist() == [0.5, 1.0, 1.0]
    assert "|metric:toy,size|refs:1|kind:toy|case:mixed" in both.signature()


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"system": ["a"], "sid": [0], "hits": [1]}, "the column all"),
        ({"system": ["a"], "sid": [0], "hits": [None], "all": [1]}, "type Null"),
        ({"system": ["a"], "sid": [0], "hits": ["one"], "all": [1]}, "a number"),
        ({"system": ["a"], "sid": [0], "hits": [float("nan")], "all": [1]}, "nan values"),
    ],
)
def test_bad_tables_of_counts(columns, said):
    with pytest.raises(InputError, match=said):
        TOY.scores(pl.DataFrame(columns))


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("a", 0, 1), ("a", 0, 2)], "sid 0 more than once"),
        ([("a", None, 1)], "a row without sid"),
        ([(None, 0, 1)], "rows without a system"),
        ([("a", 0, float("inf"))], "inf values"),
    ],
)
def test_rows_that_cannot_be_added_up(rows, said):
    frame = pl.DataFrame(rows, schema=["system", "sid", "hits"], orient="row")
    with pytest.raises(InputError, match=said):
        TOY.scores(frame.with_columns(all=1))


def test_rows_of_documents_are_summed_and_named_in_the_signature():
    frame = frame_of([("a", 0, "x", 1), ("a", 1, "x", 3), ("a", 2, "y", 0)]).drop("sid")
    found = TOY.scores(frame, unit="group", bootstrap=5)
    assert "|bootstrap:5,of:group,seed:1," in found["signature"][0]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"figures": (SHARE, Ratio("share_low", "hits", "all"))}, "two columns 'share_low'"),
        ({"figures": (Ratio("system", "hits", "all"),)}, "two columns 'system'"),
        ({"figures": ()}, "no figures"),
        ({"counts": ("hits", "hits", "all")}, "each name once"),
        ({"counts": ("hits", "all", "system")}, "two columns 'system'"),
        ({"name": "a|b"}, "'a|b' in a signature"),
        ({"name": ""}, "'' in a signature"),
        ({"choices": ("a|b",)}, "'a|b' in a signature"),
    ],
)
def test_bad_declarations(changed, said):
    own = {"name": "toy", "counts": ("hits", "all"), "figures": (SHARE,)} | changed
    with pytest.raises(InputError, match=re.escape(said)):
        Measure(**own)


def test_an_empty_choice_is_left_out_of_the_signature():
    assert replace(TOY, choices=("", "case:lc")).signature().endswith("|metric:toy|case:lc")


def test_groups_cannot_be_named_like_results():
    with pytest.raises(InputError, match="groups by hits, which is also a result"):
        TOY.scores(frame_of([("a", 0, "x", 1)]), by=["hits"])


@pytest.mark.parametrize(
    ("systems", "baseline", "said"), [("ab", "c", "'c'"), ("a", "a", "two or more")]
)
def test_a_baseline_is_one_of_the_systems(systems, baseline, said):
    frame = frame_of([(system, sid, "x", 1) for system in systems for sid in range(3)])
    with pytest.raises(InputError, match=said):
        TOY.compare(frame, baseline=baseline, bootstrap=5)


def documents(n, wrong):
    """Return 1-1 beads of documents, of which ``wrong`` each lack their target."""
    return pl.DataFrame(
        [
            (f"d{doc}", at, at + 1, at, at if at < wrong else at + 1)
            for doc in range(n)
            for at in range(4 + doc % 2)
        ],
        schema=["doc", "src_start", "src_end", "tgt_start", "tgt_end"],
        orient="row",
    )


def test_beads_have_intervals_over_documents():
    gold, hyp = documents(6, 0), {"good": documents(6, 1), "bad": documents(6, 3)}
    found = beads.score(hyp, gold, bootstrap=100).scores
    plain = beads.score(hyp, gold).scores
    assert found.select(plain.columns).drop("signature").equals(plain.drop("signature"))
    assert (found["strict_f_low"] < found["strict_f"]).all()
    assert "|bootstrap:100,of:documents,seed:1" in found["signature"][0]
    compared = beads.score(hyp, gold).compare("bad")
    (row,) = compared.filter(measure="strict_recall").to_dicts()
    assert row["difference"] == pytest.approx(plain["strict_recall"][1] - plain["strict_recall"][0])
    assert row["p_value"] < 0.05
    for asked in (
        lambda: beads.score(documents(1, 1), documents(1, 0), bootstrap=5).scores,
        lambda: beads.score(hyp, gold, by="doc", bootstrap=5).scores,
    ):
        with pytest.raises(InputError, match="resamples"):
            asked()


def test_a_test_needs_two_units_of_both_systems():
    one = frame_of([("a", 0, "x", 1), ("b", 0, "x", 2)])
    with pytest.raises(InputError, match="single"):
        TOY.compare(one, baseline="a")
    some = frame_of([("a", 0, "x", 1), ("a", 1, "x", 1), ("b", 0, "x", 2)])
    with pytest.raises(InputError, match="'b' has 1 of 2 units"):
        TOY.compare(some, baseline="a")
    assert TOY.scores(one, bootstrap=9)["share_low"].null_count() == 2


def test_undefined_figures_are_null():
    inverse = Measure("toy", ("hits",), (Formula("inverse", lambda sums: 1 / sums["hits"]),))
    found = inverse.scores(frame_of([("a", 0, "x", 0), ("b", 0, "x", 2)]))
    assert found["inverse"].to_list() == [None, 0.5]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"choices": "within:2"}, "a tuple"),
        ({"counts": "hits"}, "a tuple"),
        ({"figures": Ratio("share", "hits", "all")}, "a tuple"),
        ({"figures": (Ratio("share", "hits", "more"),)}, "unknown count of the figure share"),
        ({"figures": (Ratio("x", "hits", "all"), Ratio("x", "all", "hits"))}, "each name once"),
    ],
)
def test_bad_measures(given, said):
    usual = {"counts": ("hits", "all"), "figures": (Ratio("share", "hits", "all"),)}
    with pytest.raises(InputError, match=said):
        Measure("toy", **usual | given)


@pytest.mark.parametrize(
    ("of", "said"),
    [
        (lambda n: n["hit"] / n["all"], "did you mean 'hits'"),
        (lambda n: n["hits"].sum() / n["all"].sum(), "shape"),
        (lambda n: max(n["hits"], n["all"]), "cannot be computed"),
        (lambda n: n["hits"].ratio(n["all"]), "cannot be computed"),
        (lambda n: [n["hits"], n["all"]], "shape"),
        (lambda: 1.0, "cannot be computed"),
        (0.5, "a function of sums"),
    ],
)
def test_a_formula_that_is_no_function_of_sums_is_refused_when_declared(of, said):
    with pytest.raises(InputError, match=said):
        Measure("share", ("hits", "all"), (Formula("share", of),))


def test_a_formula_that_fails_later_names_its_figure():
    def of(sums):
        if (sums["hits"] > 5).any():
            raise ValueError("too many")
        return sums["hits"] / sums["all"]

    measure = Measure("share", ("hits", "all"), (Formula("share", of),))
    counts = {"system": ["a"], "sid": [0], "hits": [6], "all": [7]}
    with pytest.raises(InputError, match="share cannot be computed"):
        measure.scores(counts)


def test_small_and_unsigned_integers_add_up():
    """Sums overflow 32 bits, and a difference of unsigned integers wraps."""
    counts = {"system": ["a"] * 3, "sid": [0, 1, 2], "n": [2_000_000_000] * 3, "m": [1] * 3}
    measure = Measure("less", ("n", "m"), (Formula("less", lambda of: of["m"] - of["n"]),))
    for kind in (pl.Int32, pl.UInt32, pl.Int64):
        frame = pl.DataFrame(counts, schema_overrides={"n": kind, "m": kind})
        assert measure.scores(frame)["less"].to_list() == [3 - 6_000_000_000]


def test_scores_of_systems_with_different_units():
    frame = frame_of([("a", 0, "x", 1), ("a", 1, "x", 1), ("b", 0, "x", 1)])
    with pytest.warns(DataWarning, match="'b' has 1 of 2 units"):
        found = TOY.scores(frame)
    assert found["share"].to_list() == pytest.approx([2 / 3, 1.0])


def test_a_figure_of_another_type():
    with pytest.raises(InputError, match="figure of type function"):
        Measure("share", ("hits",), (lambda sums: sums["hits"],))


def test_a_ratio_of_a_negative_sum():
    counts = pl.DataFrame({"system": ["a"], "sid": [0], "top": [1], "bottom": [-2]})
    assert Measure("r", ("top", "bottom"), (Ratio("r", "top", "bottom"),)).scores(counts)[
        "r"
    ].to_list() == [-0.5]
