"""Both directions: aligning with two models, probabilities of symmetrized links, saved pairs."""

import gc
import weakref
from dataclasses import replace

import polars as pl
import pytest
from reference.aligners import weighted

from alignframe import aligners, formats, links
from alignframe.aligners import bidirectional as both
from alignframe.aligners import bidirectional as posteriors
from alignframe.aligners.directions import DIRECTIONS
from alignframe.aligners.streamed import align_stream
from alignframe.errors import DataWarning, InputError
from alignframe.options.training import Training
from alignframe.sources.pairs import sentence_pairs


@pytest.fixture(scope="module")
def models(en_fr):
    return [direction.model for direction in both.fit_directions(en_fr, Training("hmm"))]


@pytest.mark.parametrize("method", ["intersection", "grow-diag-final-and", "union"])
def test_two_models_give_the_result_of_align(en_fr, models, method):
    wanted = aligners.align(en_fr, model="hmm", symmetrize=method, posterior=True)
    for given in (models, models[::-1]):
        found = aligners.align_with(given, en_fr, symmetrize=method, posterior=True)
        assert found.equals(wanted)
    bare = aligners.align_with(models, en_fr, symmetrize=method)
    assert bare.equals(wanted.drop("probabilities"))
    assert bare["system"].unique().to_list() == [f"hmm.{method}"]


@pytest.mark.parametrize("threshold", [None, 0.3])
def test_the_probability_of_a_combined_link_is_the_mean(en_fr, models, threshold):
    found = aligners.align_with(
        models, en_fr, symmetrize="union", posterior=True, threshold=threshold
    )
    assert found.schema["probabilities"] == pl.List(pl.Float32)
    sides = [weighted(model.align(en_fr, posterior=True, threshold=0.0)) for model in models]
    seen = 0
    for joined, *alone in zip(weighted(found), *sides, strict=True):
        for link, p in joined.items():
            both_ways = [one.get(link, 0.0) for one in alone]
            kept = [one if one > posteriors.LEAST else 0.0 for one in both_ways]
            assert p == pytest.approx(sum(kept) / 2, abs=1e-6)
            seen += min(kept) > 0 and max(kept) < 1
    assert seen > 100
    plain = [model.align(en_fr, threshold=threshold) for model in models]
    wanted = links.symmetrize(*plain, "union")
    assert found["links"].to_list() == wanted["links"].to_list()


def test_a_direction_alone_keeps_its_probabilities(en_fr, models):
    found = aligners.align(en_fr, model="hmm", symmetrize="none", posterior=True)
    model = aligners.fit(en_fr, model="hmm")
    assert found.equals(model.align(en_fr, posterior=True))
    alone = both.align_directions(
        both.read_directions(models[1:], en_fr), both.Linking(posterior=True)
    )
    assert alone.equals(models[1].align(en_fr, posterior=True))


def test_one_direction_is_freed_before_the_next(en_fr):
    held = []

    def watch(direction):
        gc.collect()
        assert not any(one() for one in held)
        held.append(weakref.ref(direction.model))
        return direction

    fitted = both.fit_directions(en_fr, Training("ibm1", given={"iterations": 1}))
    both.align_directions(map(watch, fitted), both.Linking("union", posterior=True))
    assert len(held) == 2


def test_sentences_that_cannot_be_aligned_cause_one_warning(models):
    text = pl.DataFrame({"src": [["the"], []], "tgt": [["le"], ["le"]]})
    with pytest.warns(DataWarning) as caught:
        found = aligners.align_with(models, text, posterior=True)
    assert len(caught) == 1
    assert found["probabilities"].list.len().to_list() == found["links"].list.len().to_list()
    assert found.height == 2


def test_text_without_links(models, en_fr):
    assert aligners.align_with(models, en_fr.slice(0, 0), posterior=True).height == 0
    for method in aligners.METHODS:
        found = aligners.align_with(models, en_fr.slice(0, 3), symmetrize=method, posterior=True)
        assert found.height == 3


def test_saved_models_of_both_directions(en_fr, models, tmp_path):
    for model, name in zip(models, DIRECTIONS, strict=True):
        model.save(tmp_path / name)
    found = aligners.load_directions(tmp_path)
    assert [model.reverse for model in found] == [False, True]
    wanted = aligners.align_with(models, en_fr, posterior=True)
    assert aligners.align_with(found, en_fr, posterior=True).equals(wanted)
    (one,) = aligners.load_directions(tmp_path, ["reverse"])
    (two,) = aligners.load_directions(tmp_path / "reverse", ["reverse"])
    assert one.history == two.history == models[1].history


def test_bad_input(en_fr, models):
    with pytest.raises(InputError, match=r"hmm, hmm.*reverse"):
        aligners.align_with([models[0], models[0]], en_fr)
    with pytest.raises(InputError, match=r"hmm.*reverse"):
        aligners.align_with(models[:1], en_fr)
    with pytest.raises(InputError, match=r"hmm.*reverse"):
        aligners.align_with(models[0], en_fr)
    with pytest.raises(InputError, match="`threads` is '4'"):
        aligners.align_with(models, en_fr, threads="4")
    other = aligners.fit(en_fr, model="ibm1", reverse=True)
    with pytest.raises(InputError, match="hmm, ibm1-reverse"):
        aligners.align_with([models[0], other], en_fr)
    with pytest.raises(InputError, match=r"'cut'.*none, agree"):
        aligners.align_with(models, en_fr, symmetrize="cut")
    with pytest.raises(InputError, match="`threshold` is 1"):
        aligners.align_with(models, en_fr, threshold=1)


@pytest.mark.parametrize("threshold", [None, 0.2, 0.8])
def test_agreed_links_have_a_probable_mean(en_fr, models, threshold):
    found = aligners.align_with(
        models, en_fr, symmetrize="agree", posterior=True, threshold=threshold
    )
    sides = [weighted(model.align(en_fr, posterior=True, threshold=0.0)) for model in models]
    one_sided = 0
    for joined, *alone in zip(weighted(found), *sides, strict=True):
        kept = [{link: p for link, p in one.items() if p > posteriors.LEAST} for one in alone]
        wanted = {}
        for link in kept[0].keys() | kept[1].keys():
            mean = sum(one.get(link, 0.0) for one in kept) / 2
            if mean > (threshold or 0.5):
                wanted[link] = pytest.approx(mean, abs=1e-6)
                one_sided += not all(link in one for one in kept)
        assert joined == wanted
    assert bool(one_sided) == (threshold == 0.2)  # above one half, both directions count


def test_agreement_without_links(models):
    text = pl.DataFrame({"src": [["a"], []], "tgt": [[], ["b"]]})
    with pytest.warns(DataWarning, match="2 sentence pairs .*empty"):
        found = aligners.align_with(models, text, symmetrize="agree", posterior=True)
    assert found["links"].to_list() == [[], []]
    assert found["probabilities"].to_list() == [[], []]


@pytest.mark.parametrize("kind", ["hmm", "bayes"])
def test_a_prior_model_knows_words_that_are_ambiguous_in_the_text(en_fr, bundled, kind):
    gold = formats.read(bundled / "gold.talp").slice(60)
    whole = aligners.fit(en_fr, model=kind)
    few = en_fr.slice(60)
    bare, taught = (
        aligners.fit(few, model=kind, prior=prior).align(few) for prior in (None, whole)
    )
    assert scored(taught, gold) < scored(bare, gold)


def scored(found, gold):
    return links.score(found, gold).scores["aer"][0]


@pytest.mark.parametrize("limits", [(3, 6), (6, 3)])
def test_pairs_that_one_direction_leaves_out_are_warned_of_once(tmp_path, limits):
    text = pl.DataFrame({"sid": range(3), "src": ["a b", "a b a b", "a"], "tgt": ["x y"] * 3})
    models = [
        replace(aligners.fit(text, model="ibm1", reverse=back), max_length=limit)
        for back, limit in zip((False, True), limits, strict=True)
    ]
    which = DIRECTIONS[limits[1] == 3]
    said = f"^1 sentence pair with more than 3 words on a side is given no links by the {which}"
    with pytest.warns(DataWarning, match=said) as warned:
        aligners.align_with(models, text, symmetrize="union")
    assert len(warned) == 1
    with pytest.warns(DataWarning, match=said) as warned:
        align_stream(
            sentence_pairs(text), str(tmp_path / "o"), models, DIRECTIONS, both.Linking("union")
        )
    assert len(warned) == 1
