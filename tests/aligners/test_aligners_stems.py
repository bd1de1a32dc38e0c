"""Inflected forms: their pseudo-counts against sums over dictionaries, and their effect."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_aligners_bayes import Sampler, frame

from alignframe import aligners
from alignframe.aligners.stems import shared_stems
from alignframe.kernels.aligners.stems import share

# The mean word has three or four letters, so stems have two.
sources = st.lists(st.sampled_from(["abcd", "abce", "acdd", "xyz", "12", "12a"]), min_size=1)
targets = st.lists(st.sampled_from(["uvwx", "uvww", "ÚV", "tsr", "tsrq", "--"]), min_size=1)


def stem(word, half):
    return word.lower().replace("ú", "u")[:half] if word.isalpha() else word


@given(st.lists(st.tuples(sources, targets), min_size=1, max_size=4), st.integers(1, 2**64 - 1))
def test_pseudo_counts_of_forms(bitext, state):
    sampler = Sampler(bitext, 1 / 64, 1 / 4, state)
    shared = shared_stems(sampler.paired)
    sides = sampler.paired.text.src, sampler.paired.text.tgt
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
    start = sampler.start
    pairs, totals = (
        counted - begun for counted, begun in zip(sampler.counts[:2], start[:2], strict=True)
    )
    share(shared, 2.0, start.pairs, start.totals, pairs, totals)
    for (e, f), found, before in zip(sampler.cells(), pairs, sampler.counts.pairs, strict=True):
        more = 0.0
        if e is not None:
            pair = stem(e, halves[0]), stem(f, halves[1])
            more = 2 * (stems[pair] - forms[e, f]) / (source_stems[pair[0]] + 1)
        assert found == pytest.approx(before + more, rel=1e-5)
    every = np.bincount(shared.rows, pairs, totals.size)
    assert totals[1:] == pytest.approx(
        every[1:], rel=1e-5
    )  # NULL also has a cell without a position


def test_a_form_seen_once_has_the_translation_of_the_others():
    # In the last pair, only its stem says which word is which.
    known = [("sailing home", "segelte heim"), ("far sailed", "segelte weit")] * 10
    known += [("worked home", "werkte heim"), ("far working", "werkte weit")] * 10
    bitext = [tuple(side.split() for side in pair) for pair in known]
    bitext.append((["sailors", "workers"], ["werkern", "segelnden"]))
    assert crossed(bitext)
    assert not crossed(bitext, stems=0.0)


def crossed(bitext, **options):
    text = frame(bitext)
    found = aligners.fit(text, model="bayes", spelling=0.0, **options).align(text)
    return found["links"].to_list()[-1] == [{"i": 0, "j": 1}, {"i": 1, "j": 0}]
