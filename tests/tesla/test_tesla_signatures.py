"""Checks by signature: a model trained on other features, or missing features."""

import warnings

import pytest
from helpers.cli import run
from helpers.pivots import TOKENS, arrow_table

from alignframe import tesla
from alignframe.errors import DataWarning, InputError
from alignframe.language import Analysis
from alignframe.tesla.model import Model
from alignframe.tesla.pivot_table import about_pivot_table, with_metadata
from alignframe.tesla.scorer import Scorer
from alignframe.tesla.signatures import check_enough, warn_of_model

ANALYSIS = Analysis.of(tagger="given", lemmas="given", synonyms="none")
ONE = "cat|NN|cat sat|VB|sit"
TWO = "dog|NN|dog sat|VB|sit on|IN|on"


def model(signature, names=("ms_1", "fr_lem_1", "lm_news")):
    return Model(names, (1.0,) * len(names), (), f"alignframe:0|metric:tesla-f|{signature}|svm:c=1")


@pytest.mark.parametrize(
    ("learnt", "here", "said"),
    [
        ("alpha:0.8", "alpha:0.5", "trained with alpha:0.8; here it is alpha:0.5"),
        (
            "lang:en|alpha:0.8|function:0.1",
            "lang:de|alpha:0.8|function:0.3",
            "trained with lang:en, function:0.1; here it is lang:de, function:0.3",
        ),
        ("pivot:fr|table:1", "pivot:fr|table:2", "with fr table:1; here it is fr table:2"),
        ("lm_news:order=3", "lm_news:order=2", "lm_news:order=3; here it is lm_news:order=2"),
    ],
)
def test_a_model_of_other_features_causes_a_warning(learnt, here, said):
    with pytest.warns(DataWarning, match=said):
        warn_of_model(model(learnt), here.split("|"))


@pytest.mark.parametrize(
    ("learnt", "here"),
    [
        ("alpha:0.8|refs:1", "alpha:0.8|refs:2,mean"),
        ("features:given", "alpha:0.5"),
        ("alpha:0.5", "features:given"),
        ("alpha:0.5|pivot:de|table:1", "alpha:0.5|pivot:de|table:2"),  # not weighted
        ("lm_old:order=1", "lm_old:order=2"),
        ("pivot:fr|case:lower", "case:keep"),  # a choice that does not matter
    ],
)
def test_ignored_parts(learnt, here, recwarn):
    warn_of_model(model(learnt), here.split("|"))
    assert not recwarn.list


def test_scores_by_a_model_of_other_features():
    table = arrow_table({("a",): [(1.0, [TOKENS[0]])]}, {("a",): 1})
    about = about_pivot_table(table)["options"]
    pivots = [{"fr": with_metadata(table, "fr", f"pivot:fr|sentences:{n}", about)} for n in (1, 2)]
    learnt = Scorer(ANALYSIS, "b", pivots=pivots[0]).signature(1)
    own = Model(("ms_1", "fr_lem_1"), (1.0, 1.0), (), learnt)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Scorer(ANALYSIS, "f", model=own, pivots=pivots[0])
    with pytest.warns(DataWarning, match="fr sentences:1.*fr sentences:2"):
        Scorer(ANALYSIS, "f", model=own, pivots=pivots[1])
    found = tesla.score({"a": [ONE]}, [TWO], analysis=ANALYSIS, bootstrap=0, recall_weight=0.5)
    plain = Model(("ms_1",), (1.0,), (), learnt)
    with pytest.warns(DataWarning, match=r"alpha:0\.8.*alpha:0\.5"):
        tesla.rescore(found, "f", model=plain, bootstrap=0)


def test_the_command_warns_about_another_alpha(tmp_path):
    (tmp_path / "a").write_text(f"{ONE}\n")
    Model(("ms_1",), (1.0,), (), "alpha:0.8|lemmas:given").save(tmp_path / "model.json")
    words = ["--tagger", "given", "--set", "lemmas=given", "--set", "synonyms=none", "--ref", "a"]
    words += ["--hyp", "a", "--metric", "f", "--model", "model.json", "--set", "recall-weight=0.5"]
    _, said = run("tesla", "score", *words, folder=tmp_path)
    assert "warning: the model was trained with alpha:0.8; here it is alpha:0.5" in said


def test_features_of_several_references_may_not_suffice():
    hyp, refs = {"a": [ONE, TWO]}, [[ONE, ONE], [TWO, "cat|NN|cat"]]
    other = Model(("ms_1",), (1.0,))

    def scored(**options):
        return tesla.score(hyp, refs, analysis=ANALYSIS, bootstrap=0, **options)

    best = scored(references_combined="max")
    with pytest.raises(InputError, match=r"2 references.*tesla-m"):
        tesla.rescore(best, "f", model=other)
    same = tesla.rescore(best, bootstrap=0)
    assert same.segments.equals(best.segments)
    skipped = scored(empty_order="skip")
    with pytest.raises(InputError, match=r"2 references.*orders"):
        tesla.rescore(skipped)
    mean = scored()
    assert tesla.rescore(mean, bootstrap=0).segments["score"].to_list() == pytest.approx(
        mean.segments["score"].to_list()
    )
    one = tesla.score(hyp, refs[1], analysis=ANALYSIS, bootstrap=0, empty_order="skip")
    assert tesla.rescore(one, bootstrap=0).segments.equals(one.segments)


def test_another_model_is_another_metric():
    check_enough("metric:tesla-f|refs:2,max|model:1", "metric:tesla-f|refs:2,max|model:1")
    check_enough(None, "metric:tesla-f")
    check_enough("metric:tesla-m|empty:skip|refs:1", "metric:tesla-b")
    with pytest.raises(InputError, match=r"empty orders.* f"):
        check_enough("metric:tesla-m|empty:skip|refs:1", "metric:tesla-f")
    with pytest.raises(InputError, match="3 references"):
        check_enough("metric:tesla-f|refs:3,max|model:1", "metric:tesla-f|refs:3,max|model:2")


def test_a_model_without_its_metric():
    given = ({"a": [ONE]}, [TWO])
    said = "a model with the metric 'm'; choose `metric='f'`, or"
    with pytest.raises(InputError, match=said):
        tesla.score(*given, analysis=ANALYSIS, model=Model(("ms_1",), (1.0,)))
    found = tesla.score(*given, analysis=ANALYSIS, bootstrap=0)
    with pytest.raises(InputError, match=said):
        tesla.rescore(found, model=Model(("ms_1",), (1.0,)))


def test_frames_of_several_calls_can_be_combined(tmp_path):
    import polars as pl

    frames = [
        tesla.score({name: [ONE]}, [TWO], analysis=ANALYSIS, bootstrap=0).segments
        for name in ("a", "b")
    ]
    assert frames[0].schema["system"] == pl.String
    for frame in frames:
        frame.write_parquet(tmp_path / f"{frame['system'][0]}.parquet")
    whole = pl.scan_parquet(tmp_path / "*.parquet").collect()
    assert whole.equals(pl.concat(frames))


def test_one_segment_has_no_p_value():
    given = {"a": [slow_row(2)], "b": [slow_row(3)]}
    found = tesla.score(given, [slow_row(3)], analysis=ANALYSIS, bootstrap=10)
    with pytest.raises(InputError, match="a single sentence; expected two or more"):
        found.compare("a")
    (row,) = (
        tesla.score(given, [slow_row(3)], analysis=ANALYSIS, bootstrap=0).compare("a").to_dicts()
    )
    assert row["difference"] > 0
    assert row["p_value"] is None
    with pytest.raises(InputError, match="only the system 'a'; expected two or more to compare"):
        tesla.score({"a": [ONE]}, [TWO], analysis=ANALYSIS).compare("a")


def slow_row(words):
    return " ".join(["cat|NN|cat", "sat|VB|sit", "on|IN|on"][:words])
