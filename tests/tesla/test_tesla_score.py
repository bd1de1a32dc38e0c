"""Scores of systems, with several references and every metric."""

import inspect
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from helpers.pivots import TOKENS, arrow_table
from helpers.sql import connected
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import tesla_bags as slow

from alignframe import tesla
from alignframe.core.output import write_table
from alignframe.errors import DataWarning, InputError
from alignframe.language import Analysis
from alignframe.language.choices import OPTIONS
from alignframe.tesla.metrics import Metric
from alignframe.tesla.model import Model
from alignframe.tesla.pivot_table import about_pivot_table, with_metadata, write_pivot_table
from alignframe.tesla.pivots import PivotFeatures
from alignframe.tesla.scorer import Scorer

ANALYSIS = Analysis.of(tagger="given", lemmas="given", synonyms="none")

sides = st.lists(slow.sentences(6), min_size=3, max_size=3)


def scored(hyps, refs, **options):
    given = {name: slow.column(rows) for name, rows in hyps.items()}
    options = {"analysis": ANALYSIS, "bootstrap": 0, **options}
    return tesla.score(given, [slow.column(rows) for rows in refs], **options)


def wanted(hyp, refs, combined="mean"):
    """Score a sentence manually: None without a reference, 0 without a translation."""
    scores = [slow.tesla_m(hyp, ref, set()) if hyp else 0.0 for ref in refs if ref]
    if not scores:
        return None
    return max(scores) if combined == "max" else sum(scores) / len(scores)


@pytest.mark.filterwarnings("ignore::alignframe.errors.DataWarning")
@settings(max_examples=6)
@given(sides, sides, st.lists(sides, min_size=1, max_size=3), st.sampled_from(["mean", "max"]))
def test_scores_of_systems(one, two, refs, combined):
    found = scored({"one": one, "two": two}, refs, references_combined=combined)
    rows = found.segments.select("system", "sid", "score").rows()
    hyps = [("one", sid, hyp) for sid, hyp in enumerate(one)]
    hyps += [("two", sid, hyp) for sid, hyp in enumerate(two)]
    for row, (system, sid, hyp) in zip(rows, hyps, strict=True):
        assert row[:2] == (system, sid)
        assert row[2] == pytest.approx(wanted(hyp, [ref[sid] for ref in refs], combined), abs=1e-12)
    for system, score, segments in found.scores.select("system", "score", "segments").rows():
        own = [row[2] for row in rows if row[0] == system and row[2] is not None]
        assert segments == len(own)
        assert score == pytest.approx(sum(own) / len(own) if own else None, abs=1e-12)


CAT = [("cat", "N", True), ("sit", "V", True), ("on", "P", False), ("mat", "N", True)]
DOG = [("dog", "N", True), ("sit", "V", True), ("under", "P", False), ("tree", "N", True)]


def test_an_empty_translation_scores_0():
    segments = scored({"a": [[], CAT]}, [[CAT, CAT]]).segments
    assert segments["score"].to_list() == [0.0, 1.0]
    assert segments.row(0) == ("a", 0, 0.0, *[0.0] * 6)


def test_an_empty_translation_scores_0_by_every_metric():
    given = ({"a": [[], CAT]}, [[CAT, CAT]])
    skip = scored(*given, empty_order="skip").segments
    assert skip["score"].to_list() == [0.0, 1.0]
    assert skip["ms_1"].to_list() == [0.0, 1.0]
    assert tesla.rescore(skip).segments["score"].to_list() == [0.0, 1.0]
    model = Model(("ms_1", "pos_1"), (2.0, -1.0))  # a third of which have no F at all
    found = scored(*given, metric="f", model=model).segments
    assert found["score"].to_list() == [0.0, pytest.approx(2 / 3)]
    again = tesla.rescore(found, "f", model=model).segments
    assert again["score"].to_list() == found["score"].to_list()


def test_scores_of_retrained_models_are_the_same():
    """Even if nothing matches one of the references, and if a score is 0 or 1."""
    model = Model(("ms_1", "pos_1"), (2.0, -1.0), ((0.2, 0.5), (0.0, 1.0)))
    hyps = [CAT, DOG, [], CAT + DOG]
    for combined in ("mean", "max"):
        given = ({"a": hyps}, [[DOG] * 4, [CAT] * 4])
        found = scored(*given, metric="f", model=model, references_combined=combined)
        again = tesla.rescore(found, "f", model=model).segments["score"].to_list()
        assert again == found.segments["score"].to_list()
        assert 0 <= min(again) < max(again) <= 1


def test_a_model_gives_0_if_nothing_matches():
    model = Model(("ms_1", "lm_news"), (1.0, 0.1))
    metric = Metric("f", ["ms_1", "fr_lem_1", "lm_news"], model)
    features = {
        "ms_1": np.array([0.0, 0.0, 0.5, np.nan, 1.0]),
        "fr_lem_1": np.array([0.0, 0.1, 0.0, np.nan, 1.0]),
        "lm_news": np.array([-1.0, -1.0, -100.0, -1.0, 9.0]),
    }
    scores = metric.of(features)
    assert scores[[0, 1, 2, 4]].tolist() == [0.0, pytest.approx(1.4 / 2.5), 0.0, 1.0]
    assert np.isnan(scores[3])
    # Without F-measures, the rule does not apply.
    alone = Metric("f", ["lm_news"], Model(("lm_news",), (1.0,)))
    assert alone.of({"lm_news": np.array([0.0])}).tolist() == [1.0]


def test_an_empty_reference_gives_no_score():
    with pytest.warns(DataWarning, match=r"the reference.*|reference 1: 2 .*line 1, 3"):
        found = scored({"a": [CAT, CAT, []]}, [[[], CAT, []]])
    assert found.segments["score"].to_list() == [None, 1.0, None]
    assert found.segments["ms_1"].to_list() == [None, 1.0, None]
    assert found.scores.select("score", "segments").row(0) == (1.0, 1)


def test_an_empty_reference_among_others_is_left_out():
    with pytest.warns(DataWarning, match="other references"):
        found = scored({"a": [CAT]}, [[[]], [CAT]])
    assert found.segments.row(0) == ("a", 0, 1.0, *[1.0] * 6)


def test_features_of_the_best_reference():
    found = scored({"a": [CAT]}, [[DOG], [CAT]], references_combined="max")
    assert found.segments.row(0)[2:] == tuple([1.0] * 7)
    mean = scored({"a": [CAT]}, [[DOG], [CAT]])
    other = scored({"a": [CAT]}, [[DOG]])
    assert mean.segments["ms_1"][0] == (1 + other.segments["ms_1"][0]) / 2


def test_empty_orders_may_be_left_out():
    short = [("cat", "N", True), ("sit", "V", True)]
    zero = scored({"a": [short]}, [[short]]).segments.row(0)
    skip = scored({"a": [short]}, [[short]], empty_order="skip").segments.row(0)
    assert zero[2] == pytest.approx(4 / 6)
    assert skip[2] == 1.0
    assert skip[3:] == (1.0, 1.0, None, 1.0, 1.0, None)


def test_function_words_with_full_weight():
    rows = {"a": [[*CAT, ("off", "P", False)]]}
    s, x, y = slow.matched(rows["a"][0], CAT, 1, "ms", set(), 1.0)
    found = scored(rows, [[CAT]], function_weight=1.0)
    assert found.segments["ms_1"][0] == pytest.approx(slow.f(s, x, y))
    assert "function:1|" in found.signature


def _systems(rows=40):
    rng = np.random.default_rng(8)
    refs = [slow.drawn_sentence(rng, 8) for _ in range(rows)]
    good = [[*ref[:6], *slow.drawn_sentence(rng, 2)] for ref in refs]
    bad = [slow.drawn_sentence(rng, 8) for _ in refs]
    return {"bad": bad, "good": good, "same": good}, [refs]


def test_intervals_equal_those_of_resampled_sentences():
    found = scored(*_systems(), bootstrap=400, seed=3)
    systems = {row["system"]: row for row in found.scores.to_dicts()}
    assert [*systems] == ["good", "same", "bad"]  # best first
    scores = found.segments.filter(system="bad")["score"].to_numpy()
    spread = 1.96 * scores.std() / np.sqrt(scores.size)
    low, high = systems["bad"]["score_low"], systems["bad"]["score_high"]
    assert low == pytest.approx(scores.mean() - spread, abs=spread / 4)
    assert high == pytest.approx(scores.mean() + spread, abs=spread / 4)
    assert systems["bad"]["score"] == pytest.approx(scores.mean())
    assert (systems["good"]["score_low"], systems["good"]["score_high"]) == (
        systems["same"]["score_low"],
        systems["same"]["score_high"],
    )
    assert "bootstrap:400,seed:3,confidence:0.95" in found.signature
    assert found.scores["signature"].unique().to_list() == [found.signature]
    assert scored(*_systems(), bootstrap=400, seed=3).scores.equals(found.scores)


def test_without_resamples_there_are_no_intervals():
    assert scored(*_systems()).scores["score_low"].to_list() == [None] * 3


def test_systems_are_compared_on_the_same_sentences():
    found = scored(*_systems(), bootstrap=400).compare("same")
    good, bad = (found.filter(system=name).to_dicts()[0] for name in ("good", "bad"))
    assert (*(good[f"difference{end}"] for end in ("", "_low", "_high")), good["p_value"]) == (
        0.0,
        0.0,
        0.0,
        1.0,
    )
    assert bad["difference"] == pytest.approx(bad["value"] - bad["baseline_value"])
    assert bad["difference_low"] < bad["difference"] < bad["difference_high"] < 0
    assert 2 / 401 < bad["p_value"] < 0.02  # no resample has less of a difference


def test_many_sentences_are_resampled_in_groups():
    hyps, refs = _systems(50)
    rows = {"bad": hyps["bad"] * 50}
    found = scored(rows, [refs[0] * 50], bootstrap=100).scores.to_dicts()[0]
    few = scored({"bad": hyps["bad"]}, refs, bootstrap=100).scores.to_dicts()[0]
    assert found["segments"] == 2500
    assert found["score"] == pytest.approx(few["score"])
    width = found["score_high"] - found["score_low"]
    assert width == pytest.approx((few["score_high"] - few["score_low"]) / np.sqrt(50), rel=0.4)


def features(names, rows=4):
    rng = np.random.default_rng(len(names))
    return {name: rng.random(rows) for name in names}


TARGET = [f"{kind}_{n}" for kind in ("ms", "pos") for n in (1, 2, 3)]
FRENCH = [f"fr_{kind}_{n}" for kind in ("lem", "pos") for n in (1, 2, 3)]
GERMAN = [name.replace("fr", "de") for name in FRENCH]


def test_metric_b_averages_twice():
    given = features([*TARGET, *FRENCH, *GERMAN, "lm_news"])
    target = np.mean([given[name] for name in TARGET], axis=0)
    pivots = np.mean([given[name] for name in FRENCH + GERMAN], axis=0)
    assert Metric("m", list(given)).of(given) == pytest.approx(target)
    assert Metric("b", list(given)).of(given) == pytest.approx((target + pivots) / 2)


def test_metric_f_is_the_models_sum():
    given = features([*TARGET, "lm_news"])
    model = Model(("pos_2", "lm_news", "ms_1"), (1.5, 0.2, -0.5))
    found = Metric("f", list(given), model).of(given)
    matrix = np.column_stack([given[name] for name in model.names])
    assert found == pytest.approx(model.score(matrix))
    # Identical, whatever the other rows.
    alone = [
        Metric("f", list(given), model).of({n: v[[k]] for n, v in given.items()}) for k in range(4)
    ]
    assert np.concatenate(alone).tolist() == found.tolist()


def test_scoring_by_a_model(tmp_path):
    model = Model(("ms_1", "pos_3"), (3.0, 1.0))
    model.save(tmp_path / "model.json")
    hyps, refs = _systems()
    found = scored(hyps, refs, metric="f", model=tmp_path / "model.json")
    segments = found.segments
    assert segments["score"].to_numpy() == pytest.approx(
        (3 * segments["ms_1"] + segments["pos_3"]).to_numpy() / 4
    )
    assert "metric:tesla-f" in found.signature
    assert "model:" in found.signature


def test_stored_features_can_be_rescored(tmp_path):
    hyps, refs = _systems()
    found = scored(hyps, refs, bootstrap=50)
    found.segments.write_parquet(tmp_path / "segments.parquet")
    stored = pl.read_parquet(tmp_path / "segments.parquet")
    again = tesla.rescore(stored.drop("score"), bootstrap=50)
    assert again.segments["score"].to_list() == found.segments["score"].to_list()
    assert again.scores.drop("signature").equals(found.scores.drop("signature"))
    model = Model(("ms_1", "pos_3"), (3.0, 1.0))
    other = tesla.rescore(stored.to_arrow(), "f", model=model, bootstrap=0)
    assert other.segments.columns == stored.columns
    direct = scored(hyps, refs, metric="f", model=model)
    assert other.segments["score"].to_list() == direct.segments["score"].to_list()


def test_rescored_features_keep_their_signature(tmp_path):
    hyps, refs = _systems()
    found = scored(hyps, refs, bootstrap=50, recall_weight=0.3)
    write_table(found.segments, tmp_path / "segments.parquet", signature=found.signature)
    write_table(found.segments, tmp_path / "segments.csv", signature=found.signature)
    for given_as in (found, tmp_path / "segments.parquet", str(tmp_path / "segments.parquet")):
        assert tesla.rescore(given_as, bootstrap=50).signature == found.signature
    told = tesla.rescore(found.segments, bootstrap=50, signature=found.signature)
    assert told.signature == found.signature
    model = Model(("ms_1", "pos_3"), (3.0, 1.0))
    direct = scored(hyps, refs, metric="f", model=model, recall_weight=0.3)
    assert tesla.rescore(found, "f", model=model, bootstrap=0).signature == direct.signature
    for unknown in (found.segments, tmp_path / "segments.csv"):
        again = tesla.rescore(unknown, "f", model=model, bootstrap=0)
        digest = direct.signature.rpartition("|")[2]
        assert digest.startswith("model:")
        version = found.signature.partition("|")[0]
        assert again.signature == f"{version}|metric:tesla-f|features:given|{digest}"
        assert again.segments["sid"].dtype == pl.Int64
        assert again.segments["score"].to_list() == direct.segments["score"].to_list()
    with pytest.raises(InputError, match=r"none\.parquet: "):
        tesla.rescore(tmp_path / "none.parquet")
    with pytest.raises(InputError, match=r"the suffix '\.txt'"):
        tesla.rescore("segments.txt")


def test_pivots_take_all_options_and_are_in_the_signature(tmp_path):
    one = arrow_table({("a",): [(1.0, [TOKENS[0]])]}, {("a",): 1})
    about = about_pivot_table(one)
    tables = {
        "fr": with_metadata(one, "x", "pivot:x|sentences:3|case:lower", about["options"]),
        "de": with_metadata(one, "y", "pivot:y|sentences:4|case:lower", about["options"]),
    }
    write_pivot_table(tables["de"], tmp_path / "de.parquet")
    tables["de"] = tmp_path / "de.parquet"
    options = {"recall_weight": 0.3, "empty_order": "skip", "function_weight": 0.4}
    scorer = Scorer(ANALYSIS, "b", pivots=tables, **options)
    groups = [group for group in scorer._groups if isinstance(group, PivotFeatures)]
    assert [group.name for group in groups] == ["fr", "de"]
    assert all(getattr(group, name) == options[name] for group in groups for name in options)
    signature = scorer.signature(1)
    assert "|pivot:fr|sentences:3|case:lower|pivot:de|sentences:4|case:lower|refs:1" in signature
    assert signature.count("alpha:0.3|function:0.4|empty:skip") == 1


def test_an_unknown_option():
    with pytest.raises(TypeError, match=r"'foo'.* language, tokens"):
        tesla.score({"a": ["cat"]}, ["cat"], foo=1)
    with pytest.raises(TypeError, match=r"language.analyse\(\) has no parameter 'foo'; it takes"):
        tesla.analyse(["a"], foo=1)
    assert tuple(inspect.signature(Analysis.of).parameters) == OPTIONS


def test_texts_longer_than_file_names():
    text = " ".join([f"{'cat' * 100}|NN|cat"] * 15)
    found = tesla.score({"a": [text]}, [text], analysis=ANALYSIS, bootstrap=0)
    assert found.scores["score"].to_list() == [1.0]


def test_the_signature_has_all_choices():
    found = scored({"a": [CAT]}, [[CAT], [DOG]], recall_weight=0.5, empty_order="skip")
    parts = found.signature.split("|")
    assert len(parts) == len(set(parts))
    for part in (
        "metric:tesla-m",
        "synonyms:none",
        "lemmas:given",
        "alpha:0.5",
        "function:0.1",
        "empty:skip",
        "refs:2,mean",
    ):
        assert part in parts


def test_files_and_texts_score_alike(tmp_path):
    texts = ["cat|NN|cat sat|VB|sit", "dog|NN|dog ran|VB|run"]
    others = ["cat|NN|cat slept|VB|sleep", "the|DT|the dog|NN|dog ran|VB|run"]
    for name, lines in (("hyp", texts), ("ref", others), ("more", texts)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    by_text = tesla.score({"a": texts}, others, analysis=ANALYSIS)
    by_file = tesla.score({"a": tmp_path / "hyp"}, str(tmp_path / "ref"), analysis=ANALYSIS)
    assert by_file.segments.equals(by_text.segments)
    several = tesla.score({"a": texts}, [others, texts], analysis=ANALYSIS)
    files = [str(tmp_path / name) for name in ("ref", "more")]
    assert tesla.score({"a": texts}, files, analysis=ANALYSIS).segments.equals(several.segments)
    assert several.segments["score"].to_list() != by_text.segments["score"].to_list()


def test_every_public_name_exists():
    assert {name for name in tesla.__all__ if not callable(getattr(tesla, name))} == set()
    with pytest.raises(AttributeError, match="no attribute 'no_such'"):
        tesla.no_such


@pytest.mark.filterwarnings("ignore::alignframe.errors.DataWarning")
@settings(max_examples=5)
@given(sides, sides, st.lists(st.sampled_from("ab"), min_size=3, max_size=3))
def test_group_scores_are_means_over_the_groups_sentences(one, ref, groups):
    """The SQL macro says the same."""
    found = tesla.score(slow.column(one), [slow.column(ref)], analysis=ANALYSIS, bootstrap=0)
    about = pl.DataFrame({"sid": [0, 1, 2], "group": groups})
    whole = tesla.rescore(found.segments.join(about, on="sid"), bootstrap=20)
    rows = replace(whole, by=["group"]).scores
    assert rows["system"].to_list() == ["hypothesis"] * rows.height
    assert rows["group"].to_list() == sorted(set(groups))
    for group, score, segments in rows.select("group", "score", "segments").rows():
        own = [
            score
            for score, other in zip(found.segments["score"].to_list(), groups, strict=True)
            if other == group and score is not None
        ]
        assert segments == len(own)
        assert score == pytest.approx(sum(own) / len(own) if own else None, abs=1e-12)
    defined = rows.drop_nulls("score")
    assert (defined["score_low"] <= defined["score"]).all()
    assert (defined["score"] <= defined["score_high"]).all()
    assert replace(whole, by=["group", "sid"], bootstrap=0).scores.height == 3
    with connected() as connection:
        connection.register("segments", whole.segments.to_arrow())
        connection.register("groups", about.to_arrow())
        sql = connection.sql("select * from tesla_scores_by('segments', 'groups')").pl()
    assert sorted(sql.select("group", "score").rows()) == [
        (group, pytest.approx(score, abs=1e-12))
        for group, score in rows.select("group", "score").rows()
    ]


def test_translations_are_lists_tables_and_files(tmp_path):
    texts, refs = ["the cat sat", "a dog"], ["the cat sits", "a dog"]
    options = {"tagger": lambda rows: [["N"] * len(row) for row in rows], "synonyms": "none"}
    options |= {"lemmas": "words", "content": "N", "bootstrap": 50}
    wanted = tesla.score(texts, refs, **options).scores
    assert wanted.select("system", "segments").rows() == [("hypothesis", 2)]
    (tmp_path / "one.en").write_text("the cat sat\na dog\n")
    (tmp_path / "ref.en").write_text("the cat sits\na dog\n")
    for hyp in (
        pl.Series(texts),
        {"text": texts},
        {"hypothesis": texts},
        [{"text": t} for t in texts],
    ):
        for ref in (refs, pl.DataFrame({"text": refs}), tmp_path / "ref.en"):
            assert tesla.score(hyp, ref, **options).scores.equals(wanted)
    files = tesla.score([str(tmp_path / "one.en")], str(tmp_path / "ref.en"), **options).scores
    assert files.drop("system", "signature").equals(wanted.drop("system", "signature"))
    ref = {"text": refs, "genre": ["x", "y"]}
    found = tesla.score({"one": texts, "two": refs}, ref, by=["genre", "length"], **options).scores
    assert found.select("system", "genre", "length").rows() == [
        (name, genre, "1-5") for name in ("one", "two") for genre in "xy"
    ]
    assert found.columns[3:] == ["segments", "score", "score_low", "score_high", "signature"]
    assert found["signature"].str.contains("|by:genre,length|", literal=True).all()
    some = tesla.score(texts, ref, where="genre = 'y'", **options | {"bootstrap": 0}).scores
    assert some["score"].to_list() == [2 / 3]  # it has no trigrams
    with pytest.raises(InputError, match=r"'domain'.*length"):
        tesla.score(texts, ref, by="domain", **options).scores
    with pytest.raises(InputError, match="no translations"):
        tesla.score({}, refs, **options).scores
