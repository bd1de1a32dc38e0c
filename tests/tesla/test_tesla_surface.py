"""The wide features of TESLA, their models, and text without a tagger."""

import shutil
from functools import cache

import numpy as np
import polars as pl
import pytest
from helpers.cli import json_of, run
from hypothesis import given, settings
from hypothesis import strategies as st

from alignframe import tesla
from alignframe.errors import DataWarning, InputError
from alignframe.language.analysed import Vocabulary
from alignframe.tesla.feature_names import SURFACE_SETS
from alignframe.tesla.model import SHIPPED, shipped
from alignframe.tesla.surface import SurfaceFeatures

FOLDER = "datasets/island"
sentences = st.lists(st.lists(st.sampled_from("a b ab ba é . 𝒳".split()), max_size=7), max_size=4)


@cache
def plain():
    return tesla.Analysis.of("xx", "spaces", tagger="none")


def f_of(hyp, ref, alpha):
    """Return F of two lists of n-grams."""
    matched = sum(min(hyp.count(one), ref.count(one)) for one in set(hyp))
    return matched / (len(hyp) + alpha * (len(ref) - len(hyp))) if matched else 0.0


def grams(items, n):
    return [tuple(items[at : at + n]) for at in range(len(items) - n + 1)]


@cache
def common(a, b):
    """Return the length of the longest common subsequence."""
    if not a or not b:
        return 0
    if a[-1] == b[-1]:
        return 1 + common(a[:-1], b[:-1])
    return max(common(a[:-1], b), common(a, b[:-1]))


def slow(hyp, ref, alpha=0.5):
    """Return every feature by its definition, in the order of their names."""
    if not hyp:
        return [0.0] * len(SurfaceFeatures().names)
    letters = ["".join(side) for side in (hyp, ref)]
    found = [f_of(*(grams(one, n) for one in letters), alpha) for n in range(1, 7)]
    found += [f_of(grams(hyp, n), grams(ref, n), alpha) for n in (1, 2)]
    for signs in (False, True):
        kinds = ([w for w in one if (w == ".") == signs] for one in (hyp, ref))
        found.append(f_of(*kinds, alpha))
    length = common(tuple(hyp), tuple(ref))
    found.append(length / (len(hyp) + alpha * (len(ref) - len(hyp))))
    return [*found, min(1, len(hyp) / max(len(ref), 1)), min(1, len(ref) / len(hyp))]


@settings(max_examples=30)
@given(sentences, st.data())
def test_features_follow_their_definitions(hyp, data):
    ref = data.draw(
        st.lists(sentences.map(lambda s: s[0] if s else []), min_size=len(hyp), max_size=len(hyp))
    )
    vocabulary = Vocabulary()
    sides = [plain().analyse([" ".join(s) for s in one], vocabulary) for one in (hyp, ref)]
    found = SurfaceFeatures().of(*sides)
    wanted = [slow(*pair) for pair in zip(hyp, ref, strict=True)]
    assert found == pytest.approx(np.array(wanted).reshape(found.shape), abs=1e-12)
    # For selected rows, the features are those of the rows.
    rows = np.arange(len(hyp))[::-1].copy()
    again = SurfaceFeatures().of(*(side.take(rows) for side in sides))
    assert np.array_equal(again, found[::-1])
    # Fewer of them, with more weight on recall.
    alpha, names = SURFACE_SETS["other"]
    places = [SurfaceFeatures().names.index(name) for name in names]
    wanted = [[slow(*pair, alpha)[at] for at in places] for pair in zip(hyp, ref, strict=True)]
    other = SurfaceFeatures("other").of(*sides)
    assert other == pytest.approx(np.array(wanted).reshape(other.shape), abs=1e-12)


@cache
def island(**options):
    hyps = {name: f"{FOLDER}/{name}.en" for name in ("careful", "literal", "garbled")}
    return tesla.score(hyps, f"{FOLDER}/ref.en", "f", bootstrap=0, **options)


def test_the_metric_f_works_out_of_the_box(wordnet):
    found = island()
    assert found.scores["system"][0] == "careful"
    assert "|set:wide,alpha=0.5|" in found.signature
    assert set(shipped("wide").names) <= set(found.segments.columns)
    again = tesla.rescore(found, "f", bootstrap=0)
    assert again.segments["score"].equals(found.segments["score"])
    paper = tesla.rescore(found, "m", bootstrap=0)
    assert paper.scores.height == 3
    with pytest.raises(InputError, match="wide"):
        tesla.rescore(found.segments.select("system", "sid", "ms_1"), "f")


def test_without_a_tagger_words_suffice():
    found = island(tagger="none")
    assert "|tagger:none|lemmas:words|synonyms:none|content:WORD|" in found.signature
    assert found.scores["system"].to_list() == ["careful", "literal", "garbled"]
    again = tesla.rescore(found.segments.select("system", "sid", *SurfaceFeatures().names), "f")
    assert again.segments["score"].equals(found.segments["score"])


def test_other_languages_need_no_tagger():
    found = island(language="xx")
    assert "|lang:xx|tokens:penn|tagger:none|" in found.signature
    assert "|set:other,alpha=0.8|" in found.signature
    assert found.scores["system"].to_list() == ["careful", "literal", "garbled"]
    again = tesla.rescore(found, "f")
    assert again.signature.split("|bootstrap")[0] == found.signature.split("|bootstrap")[0]
    assert again.segments["score"].equals(found.segments["score"])
    with pytest.warns(DataWarning, match=r"alpha=0\.5; here .*alpha=0\.8"):
        tesla.rescore(
            found.segments.with_columns(content_1=0.0, function_1=0.0, short_1=1.0, long_1=1.0),
            "f",
            model="words",
            signature=found.signature,
        )


def test_shipped_models_prefer_similar_translations():
    for name in SHIPPED:
        model = shipped(name)
        assert model.score([[1.0] * len(model.names)])[0] > 0.9
        assert model.score([[0.0] * len(model.names)])[0] < 0.2
        assert model.training["sentences"] > 1000
    with pytest.raises(InputError, match="shipped"):
        shipped("paper")
    with pytest.raises(InputError, match="features"):
        tesla.Scorer(plain(), features="broad")


def test_on_the_command_line(tmp_path):
    hyp = ["--ref", f"{FOLDER}/ref.en", "--hyp", f"{FOLDER}/careful.en", "--bootstrap", "0"]
    words = ["tesla", "score", *hyp, "--tagger", "none", "--metric", "f", "--json"]
    printed = json_of(run(*words, "--segments", tmp_path / "s.parquet")[0])
    (named,) = json_of(run(*words, "--model", "words")[0])
    assert named == printed["scores"][0] | {"signature": printed["signature"]}
    assert "chr_6" in pl.read_parquet(tmp_path / "s.parquet").columns
    for name in ("careful", "literal", "garbled", "fluent"):
        shutil.copy(f"{FOLDER}/{name}.en", tmp_path)
    model = tmp_path / "m.json"
    given = ["tesla", "train", "--rankings", f"{FOLDER}/rankings.csv", "--systems", tmp_path]
    run(*given, "--ref", f"{FOLDER}/ref.en", "--tagger", "none", "-o", model, "--set", "c=30")
    assert "chr_1" in tesla.Model.load(model).names
