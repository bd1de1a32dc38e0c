"""The charts and the page of translation scores, and explanations of a segment's score."""

import re
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from helpers.cli import json_of, replaced, run
from helpers.pages import drawable, sentences, specs_of
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from alignframe import tesla
from alignframe.core.schemas import ANALYSED
from alignframe.errors import DataWarning, InputError
from alignframe.language import Analysis, Synonyms, Vocabulary
from alignframe.language.analysed import from_arrow
from alignframe.pages.sentences import most_different
from alignframe.sources.source import only
from alignframe.sources.texts import TEXTS as SHAPE
from alignframe.tesla import charts
from alignframe.tesla import feature_charts as tesla_features
from alignframe.tesla import matching_charts as tesla_matching
from alignframe.tesla.bags import BagFeatures
from alignframe.tesla.explain import Matching, explain
from alignframe.tesla.matching_charts import check_segments, compared, matched
from alignframe.tesla.meta import meta
from alignframe.tesla.meta_page import (
    agreement,
    agreement_notes,
    counted_on,
    figures_of,
    meta_table,
    points_of,
)
from alignframe.tesla.model import Model
from alignframe.tesla.page import shares_of, tesla_page
from alignframe.tesla.score import scores_of
from alignframe.tesla.scored import Segments, Texts

CARD = 992
"""The pixels that a wide card has for a chart in a window of 1200."""

EVIL = "</script><b>&'\"\\"
FEATURES = ["ms_1", "ms_2", "ms_3", "pos_1", "pos_2", "pos_3"]
SYSTEMS = ("plain", "better", EVIL, "worst")
SYNONYMS = Synonyms.from_pairs(["a", "c"], ["b", "a"], "few")


def segments_of(systems=SYSTEMS, count=30):
    """Invented scores: the second system is the best, the last the worst."""
    rng = np.random.default_rng(4)
    quality = {"plain": 0.5, "better": 0.6, EVIL: 0.4, "worst": 0.3}
    made = []
    for system in systems:
        figures = quality[system] + rng.uniform(-0.1, 0.1, (count, 6)) * np.arange(count)[:, None]
        figures /= count
        table = {name: figures[:, at] for at, name in enumerate(FEATURES)}
        sid = pl.Series("sid", range(count))
        score = pl.Series("score", figures.mean(axis=1))
        made.append(pl.DataFrame(table).insert_column(0, score).insert_column(0, sid))
        made[-1] = made[-1].insert_column(0, pl.Series("system", [system] * count))
    return pl.concat(made)


SEGMENTS = segments_of()


def systems_of(segments=SEGMENTS, bootstrap=True):
    found = segments.group_by("system", maintain_order=True).agg(
        score=pl.col("score").mean(), segments=pl.len(), signature=pl.lit("tesla:m")
    )
    room = 0.001 if bootstrap else None
    return found.with_columns(score_low=pl.col("score") - room, score_high=pl.col("score") + room)


RANKED = systems_of()
MADE = "alignframe:0.1.0|metric:tesla-m"


def scored(segments=SEGMENTS, bootstrap=0, texts=None, signature=MADE):
    """Return the scores of segments as those of ``tesla.score``."""
    names = segments["system"].unique(maintain_order=True).to_list()
    made = Segments(names, lambda: segments, signature, texts=texts)
    return scores_of(made, bootstrap=bootstrap)


TEXTS = {name: [f"{name} {k} " + "words " * k for k in range(30)] for name in SYSTEMS}
REFERENCE = [f"the reference {k}" for k in range(30)]
POINTS = pl.DataFrame(
    [
        (metric, system, score + at / 10, human)
        for at, metric in enumerate(("tesla-m", "bleu"))
        for system, score, human in (("a", 0.1, 3.0), ("b", 0.2, 5.0), ("c", 0.3, 4.0))
    ],
    ["metric", "system", "score", "human"],
    orient="row",
)
FIGURES = pl.DataFrame(
    [
        (metric, measure, value, value - 0.05, value + 0.05)
        for metric, tau in (("tesla-m", 0.25), ("bleu", -0.125))
        for measure, value in (("tau", tau), ("consistency", 0.6 + tau))
    ],
    ["metric", "measure", "value", "low", "high"],
    orient="row",
)
RANKINGS = pl.DataFrame(
    [
        (number, number, "j", system, rank)
        for number in range(20)
        for system, rank in (("better", 1), ("plain", 2))
    ],
    ["ranking", "sid", "judge", "system", "rank"],
    orient="row",
)


def meta_of(segments):
    own = segments.filter(pl.col("system").is_in(["better", "plain"]))
    return meta(RANKINGS, own.drop("score"), bootstrap=20)


def token(lemma, tag="NN", content=True):
    return {"word": lemma.upper(), "tag": tag, "lemma": lemma, "content": content}


def rows(spec):
    """Return all data of a chart."""
    return [row for data in spec["datasets"].values() for row in data]


# --- explanations

TOKENS = st.lists(
    st.builds(token, st.sampled_from("abcd"), st.sampled_from(["NN", "VB", "DT"]), st.booleans()),
    max_size=7,
)


def slow_score(hyp, ref, n, similarity):
    """Return S of two sentences, with a variable for every two occurrences of n-grams."""

    def alike(x, y):
        shared = {x["lemma"], y["lemma"]} in ({"a", "b"}, {"a", "c"})
        lemma, tag = x["lemma"] == y["lemma"], x["tag"] == y["tag"]
        whole = {"lem": float(lemma), "pos": float(tag)}
        return whole.get(similarity, 1.0 if lemma else (shared + tag) / 2)

    sides = [[one[k : k + n] for k in range(len(one) - n + 1)] for one in (hyp, ref)]
    weights = [
        [np.prod([1.0 if word["content"] else 0.1 for word in gram]) for gram in side]
        for side in sides
    ]
    gains, limits = [], []
    for i, x in enumerate(sides[0]):
        for j, y in enumerate(sides[1]):
            parts = [alike(a, b) for a, b in zip(x, y, strict=True)]
            gains.append(-np.mean(parts) if min(parts) > 0 else 0.0)
            limits.append((i, len(sides[0]) + j))
    if not gains:
        return 0.0, *map(sum, weights)
    matrix = np.zeros((len(sides[0]) + len(sides[1]), len(gains)))
    for at, pair in enumerate(limits):
        matrix[list(pair), at] = 1
    return -linprog(gains, matrix, [*weights[0], *weights[1]]).fun, *map(sum, weights)


@settings(max_examples=15)
@given(TOKENS, TOKENS, st.integers(1, 3), st.sampled_from(["ms", "lem", "pos"]))
def test_explanations_are_optimal_and_add_up(hyp, ref, n, similarity):
    found = explain(hyp, ref, n, similarity, SYNONYMS)
    s, mine, theirs = slow_score(hyp, ref, n, similarity)
    assert found.similarity == pytest.approx(s, abs=1e-9)
    assert found.weight("hyp") == pytest.approx(mine)
    assert found.weight("ref") == pytest.approx(theirs)
    assert found.precision == pytest.approx(s / mine if mine else 0)
    assert found.recall == pytest.approx(s / theirs if theirs else 0)
    assert (found.nodes["matched"] <= found.nodes["weight"] + 1e-9).all()
    assert found.edges["flow"].min() in (None, 0) or found.edges["flow"].min() > 0
    assert found.table()["gain"].sum() == pytest.approx(s)
    # Every n-gram is in the table, matched or not.
    named = found.table().select("hyp", "ref").unpivot().drop_nulls()["value"]
    assert set(named) == set(found.nodes["text"])


@settings(max_examples=6)
@given(TOKENS, TOKENS, st.sampled_from([0.2, 0.5, 0.8]))
def test_the_explained_f_is_that_of_the_score(hyp, ref, alpha):
    import pyarrow as pa

    vocabulary = Vocabulary()
    sides = [from_arrow(pa.array([one], ANALYSED), vocabulary) for one in (hyp, ref)]
    bags = BagFeatures(SYNONYMS, recall_weight=alpha)
    for name, value in zip(bags.names, bags.of(*sides)[0].tolist(), strict=True):
        similarity, n = name.split("_")
        found = explain(hyp, ref, int(n), similarity, SYNONYMS, recall_weight=alpha)
        assert found.f == pytest.approx(value, abs=1e-12)


def test_synonyms_are_wordnets_by_default():
    tokens = [[{**token(lemma), "tag": tag}] for lemma, tag in (("car", "NN"), ("auto", "X"))]
    assert explain(*tokens).similarity == 0.5
    assert explain(*tokens, synonyms=None).similarity == 0
    assert explain(*tokens, synonyms="none").similarity == 0


def test_among_equal_matchings_the_one_with_fewest_crossings_is_shown():
    """Four nouns with the same tag: each matches any other by half."""
    hyp, ref = ([token(f"{side}{k}") for k in range(4)] for side in "xy")
    flows = explain(hyp, ref, 1, "ms", None).edges.filter(pl.col("flow") > 0)
    assert flows["hyp"].to_list() == flows["ref"].to_list() == [0, 1, 2, 3]
    assert flows["similarity"].to_list() == [0.5] * 4


def test_equal_n_grams_are_one_entry():
    found = explain([token("a"), token("b"), token("a")], [token("a")], 1, "lem")
    hyp = found.nodes.filter(side="hyp")
    assert hyp.select("text", "count", "weight", "matched").rows() == [
        ("A", 2, 2.0, 1.0),
        ("B", 1, 1.0, 0.0),
    ]
    assert found.table().select("hyp", "ref", "flow").rows() == [("A", "A", 1.0), ("B", None, None)]
    light = explain([token("a", content=False)], [token("a")], 1, "lem", function_weight=0.5)
    assert (light.similarity, light.precision, light.recall) == (0.5, 1.0, 0.5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: explain([], [], 0), "`n` is 0"),
        (lambda: explain([], [], 1, "bleu"), "unknown `similarity` 'bleu'"),
    ],
)
def test_bad_explanations(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_inputs_that_are_not_tokens():
    tokens = [token("cat")]
    column = pa.array([tokens], ANALYSED)
    found = [explain(one, one, synonyms=None).f for one in (column[0], tokens)]
    assert found == [1, 1]
    for bad in ("a cat", ["a", "cat"], 3, [{"word": "a"}]):
        with pytest.raises(InputError, match=r"not a list of analysed.*analyse"):
            explain(bad, tokens)
        with pytest.raises(InputError, match=r"reference .*analysed"):
            explain(tokens, bad)
    with pytest.raises(InputError, match=r"`function_weight` is 0\.25; expected 0, 0\.1"):
        explain(tokens, tokens, function_weight=0.25)


def figure_1():
    """The matching of the paper's figure 1."""
    texts = [("hyp", ["x1", "x2", "x3"]), ("ref", ["y1", "y2", "y3"])]
    weights = {"hyp": [0.01, 0.1, 0.1], "ref": [0.1, 0.1, 0.1]}
    nodes = pl.DataFrame(
        [
            (side, at, name, 1, 2 if weight < 0.1 else 1, weight, weight)
            for side, names in texts
            for at, (name, weight) in enumerate(zip(names, weights[side], strict=True))
        ],
        ["side", "node", "text", "count", "function", "weight", "matched"],
        orient="row",
    )
    edges = pl.DataFrame(
        {
            "hyp": [0, 1, 1, 2],
            "ref": [0, 0, 1, 2],
            "similarity": [0.5, 0.4, 0.8, 0.8],
            "flow": [0.01, 0.0, 0.1, 0.1],
        }
    )
    return Matching(nodes, edges)


# --- charts


def test_figure_1_of_the_paper():
    one = figure_1()
    assert one.similarity == pytest.approx(0.165)
    spec, svg = drawable(tesla_matching.matching(one))
    assert ">S = 0.165 · P = S / 0.21 = 0.786 · R = S / 0.3 = 0.550 · F = 0.585<" in svg
    for name, weight in zip(("x1", "x2", "x3", "y1"), (0.01, 0.1, 0.1, 0.1), strict=True):
        assert f">{name}  {weight:g}<" in svg
    drawn = rows(spec)
    edges = {
        kind: [(row["hyp_text"], row["ref_text"]) for row in drawn if row["kind"] == kind]
        for kind in ("faint", "edge")
    }
    assert edges == {"faint": [("x2", "y1")], "edge": [("x1", "y1"), ("x2", "y2"), ("x3", "y3")]}
    assert [row["faded"] for row in drawn if row["kind"] == "hyp"] == [True] * 3
    assert all("bind" not in param for param in spec["params"])


def test_choosing_a_matching():
    hyp, ref = [token("a"), token("b", "VB"), token(EVIL)], [token("a"), token("c", "VB")]
    several = {
        (f"segment {k}", f"n = {n}"): explain(hyp, ref, n, "ms", SYNONYMS)
        for k in range(2)
        for n in (1, 2)
    }
    spec, svg = drawable(tesla_matching.matching(several))
    assert [param["bind"]["options"] for param in spec["params"] if "bind" in param] == [
        ["segment 0", "segment 1"],
        ["n = 1", "n = 2"],
    ]
    assert ">segment 0, n = 1<" in svg
    one_order = {key[0]: one for key, one in several.items() if key[1] == "n = 2"}
    spec, svg = drawable(tesla_matching.matching(one_order))
    assert sum("bind" in param for param in spec["params"]) == 1
    assert ">segment 0<" in svg
    with pytest.raises(InputError, match="no matching with an n-gram"):
        tesla_matching.matching({"none": explain([], [], synonyms=None)})
    with pytest.raises(InputError, match="no matching with an n-gram"):
        tesla_matching.matching({})


def test_contributions_to_a_score():
    model = Model(("ms_1", "chr_2", "order_1", "fr_lem_1", "lm_news"), (2.0, 1.0, 1.0, -1.0, 0.2))
    shares = shares_of(model)
    assert shares["share"].to_list() == pytest.approx([0.25, 0.125, 0.125, -0.125, 0.375])
    spec, svg = drawable(tesla_features.feature_weights(shares))
    assert [row["name"] for row in rows(spec)] == [
        *("lemmas, 1 word", "2 characters", "word order", "fr: lemmas, 1 word"),
        "language model news",
    ]
    assert ">37.5%<" in svg
    with pytest.raises(InputError, match="no feature"):
        tesla_features.feature_weights(shares.clear())


def test_systems_are_sorted_from_best_to_worst():
    spec, svg = drawable(charts.system_ranking(RANKED))
    order = ["better", "plain", EVIL, "worst"]
    assert spec["layer"][0]["encoding"]["y"]["sort"] == order
    assert [row["system"] for row in rows(spec)] == order
    assert svg.index(">better<") < svg.index(">plain<") < svg.index(">worst<")
    low, high = spec["layer"][1]["encoding"]["x"]["scale"]["domain"]
    assert low < RANKED["score_low"].min()
    assert high > RANKED["score_high"].max()
    spec, _ = drawable(charts.system_ranking(systems_of(bootstrap=False)))
    assert spec["title"]["subtitle"] == "mean scores"
    assert [layer["mark"]["type"] for layer in spec["layer"]] == ["point", "text"]


def test_quantiles_of_segments():
    spec, _ = drawable(charts.score_distributions(SEGMENTS, RANKED))
    assert spec["layer"][0]["encoding"]["y"]["sort"] == ["better", "plain", EVIL, "worst"]
    assert [row["system"] for row in rows(spec)] == list(SYSTEMS)  # the same in every run
    for row in rows(spec):
        mine = SEGMENTS.filter(system=row["system"])["score"].to_numpy()
        for name, at in (("q05", 5), ("q25", 25), ("q50", 50), ("q75", 75), ("q95", 95)):
            assert row[name] == pytest.approx(np.percentile(mine, at))
        assert row["mean"] == pytest.approx(mine.mean())
        assert row["segments"] == 30
    undefined = SEGMENTS.with_columns(score=pl.when(pl.col("system") != "worst").then("score"))
    spec, _ = drawable(charts.score_distributions(undefined))
    assert spec["layer"][0]["encoding"]["y"]["sort"] == ["better", "plain", EVIL]


def test_profiles_show_means_and_distances_from_the_others():
    more = SEGMENTS.with_columns(lm_news=pl.col("score") * -15, fr_lem_1=pl.col("ms_1"))
    spec, svg = drawable(tesla_features.feature_profile(more, RANKED))
    drawn = {(row["feature"], row["system"]): row for row in rows(spec)}
    assert len(drawn) == 8 * 4
    for feature in ("ms_1", "pos_3", "lm_news"):
        means = dict(more.group_by("system").agg(pl.col(feature).mean()).iter_rows())
        middle = np.mean(list(means.values()))
        for system, mean in means.items():
            row = drawn[feature, system]
            assert row["value"] == pytest.approx(mean)
            assert row["difference"] == pytest.approx(mean - middle)
    parts = spec["vconcat"]
    panels = [[panel["title"]["text"] for panel in part["concat"]] for part in parts]
    assert panels == [["lemmas and synonyms", "parts of speech", "fr: lemmas"], ["language models"]]
    # Language models, whose differences have another magnitude, have their own scale and legend.
    assert spec["resolve"] == {"scale": {"color": "independent"}}
    for part, features in zip(parts, ([*FEATURES, "fr_lem_1"], ["lm_news"]), strict=True):
        far = max(abs(row["difference"]) for key, row in drawn.items() if key[0] in features)
        for panel in part["concat"]:
            colour = panel["layer"][0]["encoding"]["color"]
            assert colour["scale"]["domain"] == [-far, 0, far]
    assert ">language models: difference from the mean of all systems<" in svg
    alone = tesla_features.feature_profile(more.select("system", "score", "lm_news")).to_dict()
    assert [panel["title"]["text"] for panel in alone["concat"]] == ["language models"]
    assert ">n = 3<" in svg
    assert ">news<" in svg
    assert parts[0]["columns"] == 3


def test_panels_of_features_fit_the_page():
    names = {"plain": "LIMSI-Ncode-Constrained-Primary", "better": "cmu"}
    made = [pl.col("ms_1").alias(f"{p}_lem_{n}") for p in ("fr", "de", "es") for n in (1, 2, 3)]
    made += [pl.col("pos_1").alias(f"{p}_pos_{n}") for p in ("fr", "de", "es") for n in (1, 2, 3)]
    made += [pl.col("score").alias(name) for name in ("lm_news", "lm_parliament")]
    wide = SEGMENTS.with_columns(*made, system=pl.col("system").replace(names))
    spec, svg = drawable(tesla_features.feature_profile(wide))
    assert float(re.search(r'width="([\d.]+)"', svg)[1]) <= CARD
    assert spec["vconcat"][0]["columns"] < 8
    assert all(f">{name}<" in svg for name in ("news", "parliament", "cmu"))


def test_segments_on_which_systems_differ_most():
    frame = pl.DataFrame(
        {
            "system": ["a", "b"] * 3,
            "sid": [0, 0, 1, 1, 2, 2],
            "score": [0.5, 0.6, 0.1, 0.9, 0.5, 0.2],
        }
    )
    assert most_different(frame, "score") == [1, 2, 0]
    # With one system, the lowest scores.
    assert most_different(frame.filter(system="b"), "score") == [2, 0, 1]
    lengths = [{"unit": sid, "length": length} for sid, length in ((3, 4), (1, 5), (2, 41))]
    assert matched([3, 1, 2], lengths, None) == [1]
    assert matched([3, 2], [lengths[0], lengths[2]], None) == [3, 2]
    assert matched([2], lengths, [2]) == [2]
    assert compared(9, None) == [0, 8]
    assert compared(1, None) == [0]
    assert compared(6, [0]) == [*range(6)]
    assert compared(9, [0]) == [0, 4, 8]


def test_metrics_against_humans():
    spec, svg = drawable(charts.metric_against_human(POINTS, "wins"))
    assert [panel["title"]["text"] for panel in spec["concat"]] == ["tesla-m", "bleu"]
    assert ">r = 0.50, ρ = 0.50<" in svg
    assert ">wins<" in svg
    level = POINTS.with_columns(pair=pl.lit("fr-en"), human=pl.lit(1.0)).tail(3)
    assert panels_of(level) == [("fr-en · bleu", "no correlation")]
    falling = POINTS.with_columns(human=-pl.col("human")).head(3)
    assert panels_of(falling) == [("tesla-m", "r = −0.50, ρ = −0.50")]
    assert panels_of(POINTS.head(1)) == [("tesla-m", "no correlation")]
    four = pl.concat([POINTS.with_columns(pair=pl.lit(name)) for name in ("x", "y")])
    assert charts.metric_against_human(four).to_dict()["columns"] == 2


def test_names_are_above_the_line_and_complete():
    long = "LIMSI-Ncode-Constrained-Primary"
    points = POINTS.head(3).with_columns(system=pl.col("system").replace({"b": long}))
    spec, svg = drawable(charts.metric_against_human(points))
    assert f">{long}<" in svg
    (panel,) = spec["concat"]
    marks = [layer["mark"] for layer in panel["layer"]]
    assert [one["type"] for one in marks[:2]] == ["line", "point"]
    texts = [one for one in marks if one["type"] == "text"]
    # On a wide screen and on a narrow one, with a halo below.
    assert [one.get("stroke") for one in texts] == ["white", None] * 2
    alone, several = (charts.metric_against_human(p).to_dict() for p in (points, POINTS))
    assert alone["concat"][0]["width"] > several["concat"][0]["width"]


def panels_of(points):
    """Return the titles and subtitles of the panels that compare metrics with humans."""
    panels = charts.metric_against_human(points).to_dict()["concat"]
    return [(one["title"]["text"], one["title"]["subtitle"]) for one in panels]


def test_metrics_side_by_side():
    spec, _ = drawable(charts.metrics_compared(FIGURES))
    assert [panel["title"]["text"] for panel in spec["concat"]] == ["tau", "consistency"]
    assert spec["title"]["subtitle"] == "bars: intervals"
    assert sorted(row["value"] for row in rows(spec)) == [-0.125, 0.25, 0.475, 0.85]
    bare = FIGURES.drop("low", "high")
    assert "subtitle" not in charts.metrics_compared(bare).to_dict()["title"]
    pairs = pl.concat([FIGURES.with_columns(pair=pl.lit(name)) for name in ("fr-en", "de-en")])
    spec, svg = drawable(charts.metrics_compared(pairs))
    assert ">de-en<" in svg
    assert "yOffset" in spec["concat"][0]["layer"][0]["encoding"]


def test_meta_evaluations_as_tables():
    one = meta_of(SEGMENTS)
    figures, points = figures_of(one), points_of(one)
    assert "pair" not in figures.columns
    assert figures.height == 6 * 6
    first = one.scores.row(0, named=True)
    (tau,) = figures.filter(metric="ms_1", measure="Kendall's τ, WMT12").to_dicts()
    assert tau["value"] == first["tau_wmt12"]
    assert (tau["low"], tau["high"]) == (first["tau_wmt12_low"], first["tau_wmt12_high"])
    assert points["metric"].unique().to_list() == ["ms_1"]  # of many metrics, the first
    humans = dict(points.select("system", "human").iter_rows())
    assert humans == {"better": 1.0, "plain": 0.0}
    both = {"fr-en": one, "de-en": one}
    assert figures_of(both)["pair"].unique(maintain_order=True).to_list() == ["fr-en", "de-en"]
    every = points_of(both, most=6)
    assert every.group_by("pair").len()["len"].to_list() == [12, 12]
    counts = "20 preferences, 0 ties (left out), 20 sentences, 2 systems"
    assert counted_on(both) == {"fr-en": counts, "de-en": counts}
    assert counted_on(one) == {"language pair not named": counts}
    assert agreement_notes(both)[1] == (
        f"Agreement with human judgements, de-en: {counts}. Signature: {first['signature']}"
    )
    assert meta_table(figures, "x").title == "Agreement with human judgements: x"
    table = meta_table(figures_of(both))
    assert table.heads[:3] == ["Pair", "Metric", "consistency"]
    assert len(table.rows) == 12


def test_agreement_warns_once_about_missing_scores():
    with pytest.warns(DataWarning) as said:
        found = agreement(RANKINGS, scored(SEGMENTS.filter(system="better")), "m")
    texts = [str(one.message) for one in said]
    assert sum("of ranked translations" in text for text in texts) == 1
    assert found.scores["metric"].to_list() == ["TESLA-M", *FEATURES]


def test_tables_of_agreement():
    table = meta_table(FIGURES)
    assert table.heads == ["Metric", "tau", "consistency"]
    assert table.rows == [
        ["tesla-m", "0.250\n0.200 – 0.300", "0.850\n0.800 – 0.900"],
        ["bleu", "−0.125\n−0.175 to −0.075", "0.475\n0.425 – 0.525"],
    ]
    paired = FIGURES.drop("low", "high").with_columns(
        pair=pl.lit("fr-en"), value=pl.when(pl.col("value") > 0.3).then("value")
    )
    table = meta_table(paired)
    assert table.heads[:2] == ["Pair", "Metric"]
    assert table.texts == 2
    assert table.rows[0] == ["fr-en", "tesla-m", "undefined", "0.850"]


@pytest.mark.parametrize(
    ("chart", "message"),
    [
        (lambda: charts.system_ranking(RANKED.drop("score")), "the column score"),
        (lambda: charts.system_ranking(RANKED.head(0)), "no system with a score"),
        (lambda: charts.score_distributions(SEGMENTS.drop("system")), "the column system"),
        (lambda: charts.score_distributions(SEGMENTS.head(0), RANKED), "segments without scores"),
        (
            lambda: tesla_features.feature_profile(SEGMENTS.drop(FEATURES)),
            "segments without features",
        ),
        (
            lambda: check_segments([30], range(30)),
            "there is no segment 30; expected numbers from 0 to 29",
        ),
        (lambda: charts.metric_against_human(POINTS.drop("human")), "the column human"),
        (lambda: charts.metric_against_human(POINTS.head(0)), "no system with both scores"),
        (lambda: charts.metrics_compared(FIGURES.head(0)), "no measure of a metric"),
        (lambda: meta_table(FIGURES.drop("value")), "the column value"),
    ],
)
def test_bad_tables(chart, message):
    with pytest.raises(InputError, match=re.escape(message)):
        chart()


# --- the page


def scored_texts(texts=None, references=None):
    """Return what was scored, as sources."""
    systems = systems_of_texts(texts or {name: [*lines] for name, lines in TEXTS.items()})
    refs = [only(lines, SHAPE) for lines in references or [[f"{EVIL} {k}" for k in range(30)]]]
    how = Analysis.of(tagger="none", lemmas="words", synonyms="none")
    return Texts(systems, refs, how, "m", None, {})


def systems_of_texts(texts):
    return {name: only(lines, SHAPE, system=name) for name, lines in texts.items()}


def test_a_full_page(tmp_path):
    found = scored(bootstrap=50, texts=scored_texts())
    page = found.page(meta={EVIL: meta_of(SEGMENTS)}, title=EVIL, notes=[EVIL])
    assert [figure.name for figure in page.figures] == [
        *("systems", "differences", "distributions", "features", "human", "metrics")
    ]
    assert "only 2 systems" in page.figures[4].caption
    assert [row[0] for row in page.table.rows] == ["better", "plain", EVIL, "worst"]
    best = found.scores.row(0, named=True)
    interval = f"{best['score_low']:.4f} – {best['score_high']:.4f}"
    assert page.table.rows[0][1:] == [f"{best['score']:.4f}\n{interval}", "1–4", "", "30"]
    drawn = "bootstrap:50,seed:1,confidence:0.95"
    tests = f"{MADE}|paired-{drawn}|correction:max-t-all-pairs+exchanged-labels"
    assert page.signature == f"{MADE}|{drawn} {tests}"
    page.write(tmp_path / "page.html")
    html = (tmp_path / "page.html").read_text("utf-8")
    assert "<b>" not in html
    assert html.count("</script>") == 4
    assert "4 systems, 30 segments" in html
    specs = specs_of(html)
    assert len(specs) == 6
    shown = sentences(html)
    assert len(shown["rows"]) == 30
    assert shown["systems"] == ["better", "plain", EVIL, "worst"]
    for row in shown["rows"]:
        known = dict(SEGMENTS.filter(sid=row["unit"]).select("system", "score").iter_rows())
        assert row["values"] == [[known[name] for name in shown["systems"]]]
        assert row["line"] == f"{EVIL} {row['unit']}"
        detail = row["detail"]
        texts = [detail["hyp"][own] for own, _ in detail["at"].values()]
        assert texts == [TEXTS[name][row["unit"]] for name in shown["systems"]]


def test_a_minimal_page():
    plain = SEGMENTS.select("system", "sid", "score")
    page = scored(plain).page()
    assert [figure.name for figure in page.figures] == ["systems", "distributions"]
    assert page.table.heads == ["System", "Score", "Segments"]
    assert page.tables == []
    assert page.title == "Translation quality by TESLA-M"
    page = scored(plain, signature="alignframe:0|metric:tesla-b|refs:1").page()
    assert page.title == "Translation quality by TESLA-B"


def test_a_system_without_a_score_is_last():
    new = SEGMENTS.head(30).with_columns(system=pl.lit("new"), score=None)
    page = scored(pl.concat([SEGMENTS, new])).page()
    assert page.table.rows[-1] == ["new", "undefined", "0"]


def test_results_have_pages():
    page = scored().page(title="T", notes=["n"])
    assert (page.title, page.notes[1:]) == ("T", ["n"])
    assert "was not tested" in page.lead
    found = scored(bootstrap=150)
    first, second = RANKED.sort("score", descending=True)["system"][:2]
    tested = found.compare(first).row(by_predicate=pl.col("system") == second, named=True)
    page = found.page()
    apart = tested["p_corrected"] < 0.05
    both = (
        f"{first} has the best score, " if apart else f"{first} and {second} cannot be told apart"
    )
    assert page.lead.startswith(both)
    assert f"{second} follows, {-tested['difference']:.4f} worse (" in page.lead
    assert f"p = {tested['p_corrected']:.3f})" in page.lead
    # Systems that cannot be told apart from the best are marked like it, others are not.
    assert ((1, 1) in page.table.strong) is not apart
    low, high = found.ranks().row(1)[3:5]
    assert page.table.rows[1][2] == (f"{low}–{high}" if low < high else f"{low}")
    assert page.table.rows[1][3] == f"{tested['p_corrected']:.3f}"
    alike = SEGMENTS.with_columns(pl.col("score") * 0 + 0.5 + 0.01 * (pl.col("sid") % 3))
    twins = scored(alike, bootstrap=40).page()
    assert "have the same TESLA-M score" in twins.lead
    judged = meta_of(SEGMENTS)
    page = judged.page()
    assert [figure.name for figure in page.figures] == ["human", "metrics"]
    assert [row[0] for row in page.table.rows] == judged.scores["metric"].to_list()
    best = judged.scores.sort("consistency", descending=True)["metric"][0]
    assert f"{best} has the best consistency with human preferences" in page.lead or (
        "cannot be told apart by consistency" in page.lead
    )
    assert judged.signature in page.notes[0]


GIVEN = {"tagger": "given", "lemmas": "words", "synonyms": "none", "tokens": "spaces"}
TAGGED = {
    "ref": ["the|DT cat|NN sees|VB a|DT dog|NN", "dogs|NN bark|VB loudly|RB at|IN us|PRP"],
    "same": ["the|DT cat|NN sees|VB a|DT dog|NN", "dogs|NN bark|VB loudly|RB at|IN us|PRP"],
    "other": ["a|DT cat|NN a|DT dog|NN sees|VB", "us|PRP bark|VB"],
    EVIL.replace("/", ""): ["<b>|NN", "bark|VB at|IN us|PRP"],
}


def tagged_report(**more):
    hypotheses = {name: lines for name, lines in TAGGED.items() if name != "ref"}
    analysis = Analysis.of(**GIVEN)
    own = ("segments", "similarity")
    shown = {name: more.pop(name) for name in own if name in more}
    found = tesla.score(hypotheses, [TAGGED["ref"]], analysis=analysis, bootstrap=20, **more)
    return tesla_page(found, **shown)


def test_a_report_from_texts():
    page = tagged_report()
    names = [figure.name for figure in page.figures]
    assert names == ["systems", "differences", "distributions", "features"]
    assert page.table.rows[0][:2] == ["same", "1.0000\n1.0000 – 1.0000"]
    assert "metric:tesla-m" in page.signature
    assert "TESLA-M" in page.title
    assert "bootstrap:20" in page.signature
    shown = sentences(page)
    assert {row["line"] for row in shown["rows"]} == {
        "the cat sees a dog",
        "dogs bark loudly at us",
    }
    first, last = shown["systems"][0], shown["systems"][-1]
    assert (first, last[:4]) == ("same", "<scr")
    scores = {row["unit"]: [round(one, 3) for one in row["values"][0]] for row in shown["rows"]}
    assert {unit: (one[0], one[-1]) for unit, one in scores.items()} == {
        0: (1.0, 0.091),
        1: (1.0, 0.145),
    }
    for row in shown["rows"]:
        at = row["detail"]["at"]
        places = {"-".join(map(str, at[number])) for number in ("0", "2")}
        matchings = {f"{place}-{n}" for place in places for n in (1, 2, 3)}
        assert set(row["detail"]["match"]) == matchings
    # The page's own matchings have the F of the features.
    chosen = tagged_report(segments=[1], similarity="pos", function_weight=0.5, recall_weight=0.5)
    (row,) = sentences(chosen)["rows"]
    systems, detail = sentences(chosen)["systems"], row["detail"]

    def sums(name, n):
        place = "-".join(map(str, detail["at"][str(systems.index(name))]))
        return detail["match"][f"{place}-{n}"][3]

    assert len(detail["match"]) == 9
    assert row["unit"] == 1
    assert "Listed are 1 of 2 segments, the chosen ones." in chosen.about
    assert sums("same", 2).endswith("F = 1.000")
    # Of the five words, us is in the translation with bark, a function word of weight 0.5.
    assert "P = S / 1.5 = 1.000 · R = S / 4 = 0.375" in sums("other", 1)


def test_several_references_and_refused_input():
    analysis = Analysis.of(**GIVEN)
    page = tesla.score(
        {"same": TAGGED["same"]}, [TAGGED["ref"], TAGGED["other"]], analysis=analysis, bootstrap=0
    ).page()
    assert any("the first reference" in note for note in page.notes)
    detail = sentences(page)["rows"][0]["detail"]
    assert len(detail["other"][0]) == 2
    with pytest.warns(DataWarning, match="empty"):
        page = tesla.score(
            {"x": ["a|NN", "b|NN"]}, [["", "b|NN"]], analysis=analysis, bootstrap=0
        ).page()
    assert [row["unit"] for row in sentences(page)["rows"]] == [1]
    assert "Listed" not in page.about  # the other has no score
    for options, message in (
        ({"segments": [2]}, "there is no segment 2; expected numbers from 0 to 1"),
        ({"segments": [-1]}, "`segments` is -1; expected a whole number from 0"),
        ({"similarity": "bleu"}, "unknown `similarity` 'bleu'"),
    ):
        with pytest.raises(InputError, match=message):
            tagged_report(**options)


# --- the commands


@pytest.fixture
def files(tmp_path):
    """Tagged texts, one segment per line, and the options that say so."""
    for name, lines in TAGGED.items():
        if name.isalpha():
            (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    ranks = ["ranking,sid,system,rank"]
    ranks += [f"{k},{k % 2},{name},{rank}" for k in range(6) for rank, name in RANKED_FILES]
    (tmp_path / "ranks.csv").write_text("\n".join(ranks) + "\n", "utf-8")
    return tmp_path


RANKED_FILES = ((1, "same"), (2, "other"))
OPTIONS = ["--tagger=given", "--set=lemmas=words", "--set=synonyms=none", "--tokens=spaces"]


def test_the_command_writes_a_page(files):
    given = ["--ref", "ref", "--hyp", "same", "--hyp", "other=other", *OPTIONS]
    words = ["tesla", "score", *given, "--bootstrap", 10, "--page", "report.html"]
    words += ["--set", "title=A <title>"]
    out, _ = run(
        *words,
        *"--rankings ranks.csv --figures figures --set figure-format=svg --json".split(),
        folder=files,
    )
    told = json_of(out)
    assert told["report"] == "report.html"
    assert [Path(path).stem for path in told["figures"]] == [
        *("systems", "differences", "distributions", "features", "human", "metrics")
    ]
    for path in told["figures"]:
        assert (files / path).read_text("utf-8").startswith("<svg")
    html = (files / "report.html").read_text("utf-8")
    assert "A &lt;title&gt;" in html
    assert "Agreement with human judgements" in html
    counts = r"language pair not named, 6 preferences, 0 ties \(left out\), 2 sentences, 2 systems"
    assert re.search(rf"<h2>Agreement with human judgements: {counts}</h2>", html)
    assert re.search(r"2 systems\. Signature: alignframe:[^<]+\|rankings:6,table:", html)
    for more, message in (
        (["--segment", "one"], "'one' in --segment is not a number"),
        (["--segment", "2"], "there is no segment 2"),
        (["--hyp", "other"], "'other' is in both"),
        (["--set", "similarity=x"], "unknown --similarity 'x'"),
        (["--rankings", "none.csv"], "none.csv"),
    ):
        _, said = run(*words, *more, code=2, folder=files)
        assert message in said


def explained(files, *words, code=0):
    """Return what ``tesla explain`` writes to standard output, or to standard error."""
    return run("tesla", "explain", *words, *OPTIONS, code=code, folder=files)[code > 0]


def test_the_command_explains_a_segment(files):
    given = ["--ref", "ref", "--hyp", "x=other", "--segment", 1]
    told = json_of(explained(files, *given, "--json"))
    assert told["ref"] == TAGGED["ref"][1]
    # bark 1, us 0.1, of dogs bark loudly at us: 3.2.
    assert told["similarity"] == pytest.approx(1.1)
    assert told["precision"] == pytest.approx(1)
    assert told["recall"] == pytest.approx(1.1 / 3.2)
    assert [(one["hyp"], one["ref"]) for one in told["matches"]] == [
        ("us", "us"),
        ("bark", "bark"),
        (None, "dogs"),
        (None, "loudly"),
        (None, "at"),
    ]
    shown = explained(files, *given, "--n", 2, "--set", "similarity=pos")
    assert "us bark" in shown
    assert "F = 0.0000" in shown
    explained(files, *given, "-o", "matches.csv")
    assert pl.read_csv(files / "matches.csv").height == 5
    for more, message in (
        (["--segment", 2], "there is no segment 2"),
        (["--set", "similarity=x"], "unknown --similarity 'x'"),
        (["-o", "matches.txt"], "the suffix '.txt'"),
    ):
        assert message in explained(files, *replaced(given, *more), code=2)


def test_the_command_explains_one_of_several_references(files):
    given = ["--ref", "ref", "--ref", "other", "--hyp", "other", "--segment", 1]
    first = json_of(explained(files, *given, "--json"))
    assert (first["ref_file"], first["ref"]) == ("ref", TAGGED["ref"][1])
    second = json_of(explained(files, *given, "--which-ref", 2, "--json"))
    assert (second["ref_file"], second["ref"]) == ("other", TAGGED["other"][1])
    assert first["f"] < second["f"] == 1
    shown, said = run("tesla", "explain", *given, "--which-ref", 2, *OPTIONS, folder=files)
    assert "reference 2 of 2: other" in said
    assert shown.rstrip().splitlines()[-1] == second["signature"]
    assert second["signature"].endswith("|similarity:ms|order:1|alpha:0.8|function:0.1")
    assert "tagger:given" in second["signature"]
    assert "--which-ref 3 of 2; expected 1 to 2" in explained(
        files, *given, "--which-ref", 3, code=2
    )


def test_options_out_of_range_have_the_same_message_everywhere(files):
    given = ["--ref", "ref", "--hyp", "other", "--segment", 1]
    for option, value, message in (
        ("--set", "function-weight=0.25", "--function-weight is 0.25; expected 0, 0.1, 0.2"),
        ("--set", "function-weight=1.1", "--function-weight is 1.1"),
        ("--set", "recall-weight=2", "--recall-weight is 2.0; expected a number from 0 to 1"),
    ):
        assert message in explained(files, *given, option, value, code=2)
        _, said = run(
            *("tesla", "score", *given[:4], option, value, *OPTIONS), code=2, folder=files
        )
        assert message in said


def test_tokens_analysed_before(files):
    for name in ("ref", "same", "other"):
        run("tesla", "words", name, "-o", f"{name}.parquet", *OPTIONS, folder=files)
    given = ["--ref", "ref", "--hyp", "other", "--segment", 1, "--json"]
    stored = ["--ref", "ref.parquet", "--hyp", "other.parquet", "--segment", 1, "--json"]
    wanted, found = (json_of(explained(files, *words)) for words in (given, stored))
    assert found["matches"] == wanted["matches"]
    assert "|" in wanted["ref"]
    assert "|" not in found["ref"]
    pages = [
        tesla.score(
            [files / f"{name}{suffix}" for name in ("same", "other")],
            files / f"ref{suffix}",
            analysis=Analysis.of(**GIVEN),
            bootstrap=0,
        ).page(segments=[0, 1])
        for suffix in ("", ".parquet")
    ]
    assert pages[0].table.rows == pages[1].table.rows
    assert sentences(pages[0]) == sentences(pages[1])


def test_a_word_without_a_tag_in_a_segment(files):
    (files / "bad").write_text("a|NN|a\nb\n")
    said = explained(files, "--ref", "ref", "--hyp", "bad", "--segment", 1, code=2)
    assert "bad:2: 'b' is not a word with a tag" in said
