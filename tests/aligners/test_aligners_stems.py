"""Inflected forms: their pseudo-counts against sums over dictionaries, and their effect."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_aligners_bayes import Sampler, frame

from alignframe import aligners

# The mean word has three or four letters, so stems have two.
sources = st.lists(st.sampled_from(["abcd", "abce", "acdd", "xyz", "12", "12a"]), min_size=1)
targets = st.lists(st.sampled_from(["uvwx", "uvww", "ÚV", "tsr", "tsrq", "--"]), min_size=1)


def stem(word, half):
    return word.lower().replace("ú", "u")[:half] if word.isalpha() else word


@given(st.lists(st.tuples(sources, targets), min_size=1, max_size=4), st.integers(1, 2**64 - 1))
def test_pseudo_counts_of_forms(bitext, state):
    sampler = Sampler(bitext, 1 / 64, 1 / 4, state)
    sides = sampler.text.src, sampler.text.tgt
    halves = [
        max(round(0.6 * np.mean(n)), 1) if (n := [len(w) for w in words if w.isalpha()]) else 1
        for words in (side.vocabulary.to_pylist() for side in sides)
    ]
    forms, stems, source_stems = Counter(), Counter(), Counter()
    for (src, tgt), places in zip(bitext, sampler.alignment(), strict=True):
        for f, i in zip(tgt, places, strict=True):
            if i is not None:
                forms[src[i], f] += 1
                stems[stem(src[i], halves[0]), stem(f, halves[1])] += 1
                source_stems[stem(src[i], halves[0])] += 1
    counts = sampler.counted(np.zeros_like(sampler.jumps), stems=2.0)
    before = sampler.counts_of(sampler.counts)
    totals = dict(
        zip([None, *sides[0].vocabulary.to_pylist()], sampler.counts.totals, strict=False)
    )
    beside = {(e, f) for src, tgt in bitext for e in src for f in tgt}
    for (e, f), found in sampler.counts_of(counts).items():
        more = 0.0
        if (e, f) in beside:
            pair = stem(e, halves[0]), stem(f, halves[1])
            more = 2 * (stems[pair] - forms[e, f]) / (source_stems[pair[0]] + 1)
            totals[e] += more
        assert found == pytest.approx(before[e, f] + more, rel=1e-5)
    assert counts.totals[:-1] == pytest.approx(list(totals.values()), rel=1e-5)


def test_a_form_seen_once_has_the_translation_of_the_others():
    # In the last pair, only its stem says which word is which.
    known = [("sailing home", "segelte heim"), ("far sailed", "segelte weit")] * 10
    known += [("worked home", "werkte heim"), ("far working", "werkte weit")] * 10
    bitext = [tuple(side.split() for side in pair) for pair in known]
    bitext.append((["sailors", "workers"], ["werkern", "segelnden"]))
    assert crossed(bitext)
    assert not crossed(bitext, stems=0.0)


def test_forms_with_and_without_an_arabic_article_share_translations():
    # Stems have three letters, of which the article would leave one.
    known = [("the house fell", "سقط البيت"), ("the key fell", "سقط المفتاح")] * 10
    bitext = [tuple(side.split() for side in pair) for pair in known]
    bitext.append((["houses", "keys"], ["مفتاحين", "بيتين"]))
    assert crossed(bitext)
    assert not crossed(bitext, stems=0.0)


def crossed(bitext, **options):
    text = frame(bitext)
    found = aligners.fit(text, model="bayes", spelling=0.0, **options).align(text)
    return found["links"].to_list()[-1] == [{"i": 0, "j": 1}, {"i": 1, "j": 0}]
