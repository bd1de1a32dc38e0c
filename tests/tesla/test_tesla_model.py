"""TESLA-F's models: their scale, their files, and their training."""

import json

import numpy as np
import polars as pl
import pytest
from helpers.cli import json_of, run
from hypothesis import given, settings
from hypothesis import strategies as st
from test_tesla_meta import rankings_of

from alignframe.core.output import write_table
from alignframe.errors import DataWarning, InputError
from alignframe.tesla.metrics import Metric
from alignframe.tesla.model import Model
from alignframe.tesla.rank_svm import rank_svm
from alignframe.tesla.signatures import signature_of
from alignframe.tesla.training import train

NAMES = ("ms_1", "pos_2", "lm_news")
RAW = ("--tokens", "penn", "--lowercase")
weights = st.floats(-5, 5).filter(lambda x: abs(x) > 1e-3)


@given(st.lists(weights, min_size=3, max_size=3))
def test_the_scale_is_from_0_to_1(values):
    model = Model(NAMES, tuple(values))
    corners = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (-15, 0)]
    scores = model.score(corners)
    assert scores.min() == pytest.approx(0, abs=1e-12)
    assert scores.max() == pytest.approx(1)
    # Shifted and scaled: the order and ratios of differences equal those of the weighted sums.
    plain = np.array(corners) @ values
    span = plain.max() - plain.min()
    assert scores == pytest.approx((plain - plain.min()) / span, abs=1e-12)


def test_a_score_by_hand():
    # The sums range from -2 (a pos_2 of 1) to 1 + 3 = 4 ... less 15 * 0.2 for the language model.
    model = Model(NAMES, (4, -2, 0.2))
    assert model.scale == (-5, 4)
    assert model.score([[1, 0, 9], [0, 1, -99]]).tolist() == [1.0, 0.0]
    assert model.score([[0.5, 0.25, -5]]) == pytest.approx([(2 - 0.5 - 1 + 5) / 9])
    frame = pl.DataFrame({"lm_news": [-5], "system": ["a"], "pos_2": [0.25], "ms_1": [0.5]})
    assert model.score_frame(frame) == pytest.approx([5.5 / 9])


@settings(max_examples=10)
@given(st.lists(st.floats(-1e9, 1e9), min_size=3, max_size=3).filter(any))
def test_saving_and_loading(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("model") / "model.json"
    model = Model(NAMES, tuple(values), (), "made:by hand|ä:ö", {"pairs": 3})
    model.save(path)
    assert Model.load(path) == model


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "a model of the version 2; expected the version 1; train it again"),
        ({"format": "x"}, "is not a model of TESLA-F; expected what tesla train wrote"),
        ({"features": None}, "features is None; expected a list"),
        ({"signature": 1}, "signature is 1; expected a text"),
        ({"training": []}, r"training is \[\]; expected an object"),
        ({"features": []}, r"the features \(none\)"),
        ({"features": [3]}, "the feature 3; expected a name, a weight"),
        ({"features": [{"name": "a", "weight": "1"}]}, "weight of the feature 'a' is '1'"),
        ({"features": [{"name": "a", "weight": 1, "low": 0}]}, "high of the feature 'a' is None"),
        (
            {"features": [{"name": "a", "weight": float("nan"), "low": 0, "high": 1}]},
            "the feature 'a' with the weight nan",
        ),
        (
            {"features": [{"name": "a", "weight": 1, "low": 1, "high": 1}]},
            "the range 1.0 to 1.0; expected finite numbers, and a range",
        ),
        ({"features": [{"name": "a", "weight": 0, "low": 0, "high": 1}]}, "weights are all 0"),
        ({"features": [{"name": "a", "weight": 1, "low": 0, "high": 1}] * 2}, "features a, a"),
    ],
)
def test_damaged_files_of_models(tmp_path, change, message):
    path = tmp_path / "model.json"
    Model(NAMES, (1, 2, 3)).save(path)
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(InputError, match=rf"model\.json: .*{message}"):
        Model.load(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [(None, "no such file"), ("{", "cannot be read as a model"), ("[]", "is not a model")],
)
def test_files_that_are_not_models(tmp_path, text, message):
    if text is not None:
        (tmp_path / "m.json").write_text(text)
    with pytest.raises(InputError, match=message):
        Model.load(tmp_path / "m.json")


def test_a_byte_order_mark_is_skipped(tmp_path):
    model = Model(NAMES, (1, 2, 3))
    model.save(tmp_path / "m.json")
    (tmp_path / "m.json").write_bytes(b"\xef\xbb\xbf" + (tmp_path / "m.json").read_bytes())
    assert Model.load(tmp_path / "m.json") == model


def test_models_are_checked():
    with pytest.raises(InputError, match=r"2 .*1 .*2"):
        Model(("a", "b"), (1,))
    with pytest.raises(InputError, match=r"\(1, 2\).*3"):
        Model(NAMES, (1, 2, 3)).score([[1, 2]])
    with pytest.raises(InputError, match="'lm_news'"):
        Model(NAMES, (1, 2, 3)).score_frame(pl.DataFrame({"ms_1": [1], "pos_2": [1]}))
    frame = pl.DataFrame({"ms_1": ["x"], "pos_2": [1], "lm_news": [1]})
    with pytest.raises(InputError, match=r"ms_1 .*String"):
        Model(NAMES, (1, 2, 3)).score_frame(frame)


WEIGHTS = np.array([2.0, -1.0, 0.1])


def judged(seed=0, sentences=60, noise=0.0):
    """Return features of five systems, and rankings by a weighted sum of them."""
    draw = np.random.default_rng(seed)
    rows, rankings = [], []
    for sid in range(sentences):
        features = np.column_stack([draw.random((5, 2)), draw.uniform(-15, 0, 5)])
        truth = features @ WEIGHTS + draw.normal(0, noise, 5) if noise else features @ WEIGHTS
        ranks = (-truth).argsort().argsort() + 1
        rankings.append((sid, {f"s{k}": int(rank) for k, rank in enumerate(ranks)}))
        rows += [
            {"system": f"s{k}", "sid": sid, "score": 0.5, **dict(zip(NAMES, line, strict=True))}
            for k, line in enumerate(features.tolist())
        ]
    return pl.DataFrame(rows), rankings


def test_training_recovers_the_weights_of_the_judges():
    features, rankings = judged()
    model = train(features, rankings_of(rankings), c=1e4, folds=4, signature="features:mine")
    assert model.names == NAMES
    found = np.array(model.weights)
    cosine = found @ WEIGHTS / np.linalg.norm(found) / np.linalg.norm(WEIGHTS)
    assert cosine > 0.99
    about = model.training
    assert (about["pairs"], about["ties"], about["unscored"]) == (600, 0, 0)
    assert (about["rankings"], about["sentences"], about["folds"]) == (60, 60, 4)
    assert about["consistency"] > 0.99
    assert 0.95 < about["cross_validated"] <= 1
    mark = "|metric:tesla-f|features:mine|svm:c=10000,queries=rankings,tolerance=1e-06"
    assert model.signature.endswith(mark)
    other, truth = judged(seed=1)
    scores = model.score_frame(other).reshape(-1, 5)
    best = [f"s{k}" for k in scores.argmax(axis=1)]
    right = [min(ranks, key=ranks.get) for _, ranks in truth]
    assert np.mean([a == b for a, b in zip(best, right, strict=True)]) > 0.9


def test_training_equals_the_svm_on_differences():
    features, rankings = judged(noise=1.0, sentences=8)
    rankings += [(0, {"s1": 2, "s2": 1, "s3": 1}), (1, {"s1": 1, "s4": 1})]
    model = train(features, rankings_of(rankings), c=5, tolerance=1e-10)
    lines = {(r["system"], r["sid"]): [r[n] for n in NAMES] for r in features.to_dicts()}
    differences = [
        np.subtract(lines[better, sid], lines[worse, sid])
        for sid, ranks in rankings
        for better in ranks
        for worse in ranks
        if ranks[better] < ranks[worse]
    ]
    # The last ranking has no preference, and does not count.
    slow = rank_svm(differences, 9, c=5, tolerance=1e-10)
    assert model.weights == pytest.approx(slow.weights.tolist(), rel=1e-3, abs=1e-4)
    assert model.training["pairs"] == len(differences) == 82
    assert model.training["ties"] == 2
    margins = np.array(differences) @ slow.weights
    assert model.training["consistency"] == pytest.approx((margins > 0).mean(), abs=0.02)


def test_the_name_of_a_model_does_not_follow_last_bits(tmp_path):
    """Sums in another order have other last bits, as have those of another processor."""
    features, rankings = judged(noise=1.0)
    found = []
    for number in range(6):
        np.random.default_rng(number).shuffle(rankings)
        model = train(features, rankings_of(rankings), folds=4, signature="features:mine")
        model.save(tmp_path / "model.json")
        again = Model.load(tmp_path / "model.json")
        signatures = {signature_of(Metric("f", NAMES, one), []) for one in (model, again)}
        scores = model.score_frame(features).tolist()
        found.append((signatures, (tmp_path / "model.json").read_text(), scores))
    assert len(found[0][0]) == 1
    assert all(other == found[0] for other in found[1:])


@pytest.mark.parametrize("columns", [3, 14])
def test_equal_translations_have_equal_scores(columns):
    draw = np.random.default_rng(columns)
    model = Model(tuple(f"ms_{n}" for n in range(columns)), tuple(draw.random(columns)))
    for row in draw.random((20, columns)):
        assert len(set(model.score(np.tile(row, (31, 1))).tolist())) == 1


def test_translations_without_features_are_left_out():
    features, rankings = judged(sentences=10)
    features = features.filter((pl.col("sid") != 3) | (pl.col("system") != "s0"))
    gone = pl.when((pl.col("sid") == 4) & (pl.col("system") == "s1")).then(None)
    features = features.with_columns(pos_2=gone.otherwise(pl.col("pos_2")))
    with pytest.warns(DataWarning, match="8 pairs"):
        model = train(features, rankings_of(rankings), names=NAMES)
    assert (model.training["pairs"], model.training["unscored"]) == (92, 8)


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl"])
def test_stored_features_without_values_are_left_out(tmp_path, suffix):
    features, rankings = judged()
    lacking = pl.col("sid") == 1  # as for an empty reference
    partial = features.with_columns(
        pl.when(~lacking).then(name).alias(name) for name in ("score", *NAMES)
    )
    write_table(partial, tmp_path / f"features.{suffix}")
    rankings_of(rankings).write_csv(tmp_path / "rankings.csv")
    words = ["tesla", "train", "--rankings", "rankings.csv", "--segments", f"features.{suffix}"]
    out, said = run(*words, "-o", "model.json", "--json", folder=tmp_path)
    assert json_of(out)["unscored"] == 10
    assert "warning: left out 10 pairs of ranked translations" in said
    with pytest.warns(DataWarning, match="10 pairs"):
        by_path = train(tmp_path / f"features.{suffix}", tmp_path / "rankings.csv")
    assert by_path.weights == Model.load(tmp_path / "model.json").weights


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.select("system", "sid", "score"), "expected features beside system and sid"),
        (lambda f: f.drop("sid"), "score, ms_1, pos_2, lm_news; expected sid as well"),
        (lambda f: pl.concat([f, f]), "the system 's0' has features of sentence 0 more than once"),
        (lambda f: f.with_columns(system=pl.lit("x") + pl.col("system")), "no preferences between"),
    ],
)
def test_features_are_checked(change, message):
    features, rankings = judged(sentences=3)
    with pytest.raises(InputError, match=message):
        train(change(features), rankings_of(rankings))


@pytest.mark.parametrize(("folds", "message"), [(1, "1 folds"), (50, "50 folds of 3 sentences")])
def test_folds_are_checked(folds, message):
    features, rankings = judged(sentences=3)
    with pytest.raises(InputError, match=message):
        train(features, rankings_of(rankings), folds=folds)


def test_the_command_with_features(tmp_path):
    features, rankings = judged(sentences=20, noise=0.5)
    features.write_csv(tmp_path / "features.csv")
    rankings_of(rankings).write_csv(tmp_path / "rankings.csv")
    words = ["tesla", "train", "--rankings", "rankings.csv", "--segments", "features.csv"]
    words += ["--set", "c=50", "--set", "folds=2", "-o", "model.json"]
    out, _ = run(*words, "--json", folder=tmp_path)
    found = json_of(out)
    model = Model.load(tmp_path / "model.json")
    same = train(features, rankings_of(rankings), c=50, folds=2, signature="features:given")
    assert model == same
    assert [row["feature"] for row in found["features"]] == list(NAMES)
    assert found["cross_validated"] == same.training["cross_validated"]
    out, _ = run(*words, folder=tmp_path)
    assert "lm_news" in out
    assert "svm:c=50" in out
    _, said = run(*words, "--ref", "r.en", folder=tmp_path, code=2)
    assert "--segments with --ref" in said
    _, said = run(*words[:4], "-o", "model.json", folder=tmp_path, code=2)
    assert "error: neither --systems nor --segments; expected one of them" in said
    _, said = run(*words, "--systems", ".", folder=tmp_path, code=2)
    assert "error: --systems and --segments; expected one of them" in said
    features.select("system", "sid", score=pl.lit(0.5)).write_csv(tmp_path / "few.csv")
    _, said = run(*words[:5], "few.csv", "-o", "model.json", folder=tmp_path, code=2)
    assert "few.csv: a table with the columns system, sid, score; expected features" in said
    _, said = run(*words[:4], "--systems", ".", "-o", "m.json", folder=tmp_path, code=2)
    assert "--systems needs --ref" in said


def test_the_command_with_text(tmp_path):
    """Tagged text, so that it needs neither WordNet nor a tagger."""
    (tmp_path / "out").mkdir()
    good, bad = "the|DT|the cat|NN|cat sat|VBD|sit", "a|DT|a dog|NN|dog ran|VBD|run"
    half = "the|DT|the cat|NN|cat ran|VBD|run"
    texts = {"good.v1": [good] * 3, "mid": [half] * 3, "bad": [bad] * 3}
    for name, lines in texts.items():
        (tmp_path / "out" / f"test.fr-en.{name}").write_text("\n".join(lines) + "\n")
    (tmp_path / "ref.en").write_text(f"{good}\n" * 3)
    rankings = [(n, {"good.v1": 1, "mid": 2, "bad": 3}) for n in range(3)]
    rankings_of(rankings).write_csv(tmp_path / "rankings.csv")
    (tmp_path / "text.en").write_text("the cat sat\nthe dog ran\n" * 5)
    run("lm", "text.en", "-o", "small.arpa", "--n", "2", *RAW, folder=tmp_path)
    words = ["tesla", "train", "--rankings", "rankings.csv", "--systems", "out", "--ref", "ref.en"]
    words += "--set features=paper --lm small=small.arpa --set c=10 -o model.json".split()
    words += ["--tagger", "given", "--set", "lemmas=given", "--set", "synonyms=none", "--json"]
    out, _ = run(*words, folder=tmp_path)
    found = json_of(out)
    names = [row["feature"] for row in found["features"]]
    assert names == ["ms_1", "ms_2", "ms_3", "pos_1", "pos_2", "pos_3", "lm_small"]
    assert (found["pairs"], found["consistency"]) == (9, 1)
    assert "tagger:given" in found["signature"]
    assert "lm_small:order=2" in found["signature"]
    (tmp_path / "out" / "test.fr-en.mid").unlink()
    _, said = run(*words, folder=tmp_path, code=2)
    assert "no file of the ranked systems mid" in said


def test_the_command_for_language_models(tmp_path):
    (tmp_path / "text.en").write_text("The cat sat\nthe dog sat\n" * 5)
    out, said = run("lm", "text.en", "-o", "m.arpa", *RAW, "--json", folder=tmp_path)
    assert [row["ngrams"] for row in json_of(out)] == [7, 6, 6]
    assert "discounts" in said
    assert (tmp_path / "m.arpa").read_text().startswith("\\data\\\nngram 1=7\n")
    out, _ = run("lm", "text.en", "-o", "m.arpa", *RAW[:2], folder=tmp_path)
    assert "Language model" in out
    assert "\tThe\t" in (tmp_path / "m.arpa").read_text()
    (tmp_path / "text.en").write_text("The cat can't sit\n" * 5)
    run("lm", "text.en", "-o", "a", folder=tmp_path)
    assert "\tcan't\t" in (tmp_path / "a").read_text()
    _, said = run("lm", "text.en", "-o", "none/m.arpa", folder=tmp_path, code=2)
    assert "its folder does not exist" in said


def test_equal_scores_count_as_wrong():
    features = pl.DataFrame({"system": ["a", "b", "c"], "sid": [0, 0, 0], "ms_1": [0.5, 0.5, 0.1]})
    model = train(features, rankings_of([(0, {"a": 1, "b": 2, "c": 3})]))
    assert model.training["pairs"] == 3
    assert model.training["consistency"] == pytest.approx(2 / 3)
