"""The method lex: its scores against slow reference versions, and invariants."""

from dataclasses import replace
from itertools import pairwise
from math import inf, lgamma, log, log1p, pi
from random import Random
from types import SimpleNamespace

import numpy as np
import pytest
from helpers.beads import parallel_text
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import beads_align as slow

from alignframe.beads import Options, align
from alignframe.beads.document import document
from alignframe.beads.evidence import Spans, add_evidence, numbered
from alignframe.beads.lex import (
    DOUBT,
    FEW,
    FREEDOM,
    SEEN,
    STRENGTH,
    UNIT_WEIGHT,
    UNITS,
    Kinds,
    measured,
    realigned,
    sizes_up_to,
)
from alignframe.core.arrays import frozen
from alignframe.core.schemas import SPANS
from alignframe.errors import DataWarning
from alignframe.kernels.beads import word_scores as bead_words
from alignframe.kernels.beads.paths import FIRST_KIND, Steps, band_around

pytestmark = pytest.mark.filterwarnings("ignore:improbable beads")  # texts are made up

WORDS = st.sampled_from(["a", "bb", "house", "7", "paris", "?"])
TEXTS = st.lists(st.lists(WORDS, max_size=6).map(" ".join), min_size=1, max_size=7)


def beads_of(table):
    return list(zip(*(table[name].to_list() for name in SPANS), strict=True))


def steps_of(text, largest):
    """Return a full band, and all beads with the score 0."""
    m, n = len(text.src), len(text.tgt)
    sizes = sizes_up_to(largest)
    band = band_around(m, n, float(max(m, n)))
    return band, Steps(
        sizes, np.zeros((len(sizes), band.cells), np.float32), np.zeros(m), np.zeros(n)
    )


def scores_of(band, steps, text):
    """Return the score of each bead that begins inside the text."""
    found = {}
    for k, (a, b) in enumerate(steps.sizes.tolist()):
        for i in range(a, len(text.src) + 1):
            for j in range(b, len(text.tgt) + 1):
                cell = band.at[i] + j - band.lo[i]
                found[i - a, i, j - b, j] = float(steps.scores[k, cell])
    return found


NONE = Spans(*(np.empty(0, np.int64) for _ in range(4)))


# --- against the definitions


def test_kinds_are_all_up_to_a_size():
    for largest in range(1, 7):
        found = sizes_up_to(largest).tolist()
        assert found[0] == [1, 1]
        assert sorted(found) == [
            [m, n] for m in range(1, 7) for n in range(1, 7) if m + n <= largest + 1
        ]


@given(st.floats(0.001, 0.2), st.floats(0, 0.25), st.floats(0, 0.1), st.integers(1, 6))
def test_priors_are_probabilities(skip, merge, two_two, largest):
    options = Options("lex", skip=skip, merge=merge, two_two=two_two, largest=largest)
    kinds = Kinds.of(options.priors, largest)
    assert kinds.p.sum() + sum(kinds.skips) == pytest.approx(1.0)
    assert (kinds.p >= 0.0).all()
    assert kinds.p[0] >= 0.5 * (1.0 - 2.0 * skip) - 1e-9


@given(st.floats(0.001, 0.2), st.floats(0.0, 0.95))
def test_bead_types_follow_each_other_with_probability_1(skip, passage):
    kinds = replace(Kinds.of(Options("lex", skip=skip).priors, 3), passage=passage)
    steps = kinds.steps(band_around(1, 1, 1.0), 1, 1)
    bead = np.exp(steps.scores[:, 0].astype(np.float64)).sum()
    first = np.exp(steps.skip_src).sum() + np.exp(steps.skip_tgt).sum()
    later = first * np.exp(steps.again)
    assert steps.again >= -1e-9
    assert bead + first * bead / (1.0 - later) == pytest.approx(1.0, abs=1e-6)
    # Of a skip and what follows, the share of skips is that of the passage.
    assert later == pytest.approx(max(passage, 2.0 * skip), abs=1e-6)


@given(TEXTS, TEXTS, st.integers(2, 6))
def test_lengths_follow_their_definition(src, tgt, largest):
    text = document(src, tgt)
    if not any(src) or not any(tgt):
        return
    for (unit, usual, _), some in zip(UNITS, measured(text, largest), strict=True):
        band, steps = steps_of(text, largest)
        some.add(band, steps, NONE)
        ours, theirs = (side.lengths(unit) for side in (text.src, text.tgt))
        ratio = np.nansum(theirs) / np.nansum(ours)
        assert some.variance == usual
        varied = np.nanvar(theirs) > usual * np.nanmean(theirs)
        size = min(np.isfinite(side).sum() for side in (ours, theirs))
        weight = UNIT_WEIGHT * size / (size + DOUBT) if varied else 0.0
        for bead, value in scores_of(band, steps, text).items():
            here, there = ours[slice(*bead[:2])].sum(), theirs[slice(*bead[2:])].sum()
            if np.isnan(here + there):
                assert value == -inf
                continue
            spread = usual * (ratio * here + there) / 2
            off = (there - ratio * here) ** 2 / spread
            wanted = lgamma((FREEDOM + 1) / 2) - lgamma(FREEDOM / 2) - log(FREEDOM * pi) / 2
            wanted -= log(spread) / 2 + (FREEDOM + 1) / 2 * log1p(off / FREEDOM)
            wanted -= some.background[bead[3] - bead[2] - 1, bead[3] - 1]
            assert value == pytest.approx(weight * wanted, rel=1e-4, abs=1e-4)


def test_lengths_are_learnt_from_beads():
    src, tgt = [["a " * n for n in (5, 10, 20)], ["b " * n for n in (10, 20, 40)]]
    text = document(src, tgt)
    every = np.arange(3)
    known = Spans(every, every + 1, every, every + 1)
    some = measured(text, 2)[0]
    values = []
    for beads in (NONE, known):
        band, steps = steps_of(text, 2)
        some.add(band, steps, beads)
        values.append(scores_of(band, steps, text)[0, 1, 0, 1])
    spread = 10.0 * some.variance
    # Three pairs with this very ratio lower the variance.
    narrower = spread * SEEN / (SEEN + 3)
    weight = UNIT_WEIGHT * 3 / (3 + DOUBT)
    assert values[1] - values[0] == pytest.approx(weight * log(spread / narrower) / 2, 1e-4)


@st.composite
def tables(draw):
    """Draw two sides of words as numbers, and the translations of the first side's words."""
    sides = [
        draw(st.lists(st.lists(st.integers(0, 3), max_size=4), min_size=1, max_size=5))
        for _ in range(2)
    ]
    share = st.floats(0.0, 4.0, width=32)
    some = st.floats(2.0**-20, 4.0, width=32)
    gains = [draw(st.dictionaries(st.integers(0, 3), some, max_size=3)) for _ in range(4)]
    twins = [draw(st.sampled_from([-1, 0, 3])) for _ in range(4)]
    others = [np.array([draw(kind) for _ in range(4)], np.float32) for kind in (share, share, some)]
    return sides, gains, twins, others


@given(tables(), st.sampled_from([0.1, 0.5]), st.booleans(), st.integers(1, 6), st.data())
def test_words_follow_their_definition(made, smoothing, turned, largest, data):
    (given_side, judged_side), gains, twins, (rest, null, twin_gains) = made
    text = [given_side, judged_side][:: -1 if turned else 1]
    m, n = map(len, text)
    sizes = sizes_up_to(largest)
    band = band_around(m, n, float(max(m, n)))
    scores = np.zeros((len(sizes), band.cells), np.float32)
    scores[data.draw(st.integers(0, len(sizes) - 1))] = -np.inf
    before = scores.copy()
    at = [frozen(np.cumsum([0, *map(len, side)])) for side in (given_side, judged_side)]
    words = [
        frozen(np.array([w for one in side for w in one], np.int32))
        for side in (given_side, judged_side)
    ]
    starts = frozen(np.cumsum([0, *map(len, gains)]))
    targets = frozen(np.array([t for row in gains for t in row], np.int32))
    values = frozen(np.array([v for row in gains for v in row.values()], np.float32))
    rows = [np.zeros(len(given_side) + 1, np.int64), np.full(len(given_side) + 1, len(judged_side))]
    fold = np.array([k % 2 for k in range(len(given_side))], np.int32)
    table = (starts, targets, values, frozen(rest), frozen(null), np.array(twins, np.int32))
    ends = [frozen(row) for row in rows]
    bead_words.add_words(
        *band, sizes, turned, *ends, at[0], words[0], at[1], words[1],
        *table[:5], frozen(table[5]), frozen(twin_gains), smoothing, 0.5, frozen(fold), 1, scores,
    )  # fmt: skip
    for k, (a, b) in enumerate(sizes.tolist()):
        for i in range(a, m + 1):
            for j in range(b, n + 1):
                cell = band.at[i] + j - band.lo[i]
                spans = [(i - a, i), (j - b, j)][:: -1 if turned else 1]
                if before[k, cell] == -np.inf or fold[spans[0][1] - 1] != 1:
                    assert scores[k, cell] == before[k, cell]
                    continue
                ours = [w for one in given_side[slice(*spans[0])] for w in one]
                wanted = 0.0
                for t in [w for one in judged_side[slice(*spans[1])] for w in one]:
                    become = sum(gains[w].get(t, 0.0) + float(rest[w]) for w in ours)
                    become += sum(float(twin_gains[w]) for w in ours if twins[w] == t)
                    mean = (float(null[t]) + become) / (len(ours) + 1)
                    wanted += log(smoothing + (1 - smoothing) * mean)
                assert scores[k, cell] == pytest.approx(0.5 * wanted, rel=1e-3, abs=1e-3)


def test_words_spelt_alike_count_before_anything_is_learnt():
    text = document(["x Zürich 1865", "y und z"], ["w Zurich 1865", "v et u"])
    band, steps = steps_of(text, 1)
    add_evidence(numbered(text), band, steps, NONE, 0.4)
    found = scores_of(band, steps, text)
    assert found[0, 1, 0, 1] > 0.2 > 0.0 > found[0, 1, 1, 2]
    assert found[1, 2, 1, 2] > found[1, 2, 0, 1]


def test_beads_of_several_sentences_on_both_sides_count_for_less_in_short_documents():
    kinds = Kinds.of(Options("lex").priors, 3)
    several = kinds.sizes.tolist().index([2, 2])
    scores = np.full((len(kinds.sizes), 8), -np.inf)
    scores[0], scores[several] = 0.0, np.log(0.5)  # eight 1-1 beads and four 2-2
    path = SimpleNamespace(kind=np.full(12, FIRST_KIND))
    found = SimpleNamespace(steps=SimpleNamespace(scores=scores), path=path)
    counts = np.zeros(len(kinds.sizes))
    counts[0], counts[several] = 8.0, 4.0 * 16 / (16 + FEW)
    wanted = (counts + STRENGTH * kinds.p) / (counts.sum() + STRENGTH)
    assert kinds.counted(found, 16, 16).p == pytest.approx(wanted)


def test_identical_words_are_long_or_have_no_letters():
    src, tgt = numbered(document(["die Genfer , 12"], ["die Genfève , 12 die"]))
    alike = [src.twins[word] >= 0 for word in src.words]
    assert alike == [False, True, True, True]
    assert all(tgt.twins[src.twins[word]] == word for word in src.words if src.twins[word] >= 0)


# --- what holds for any document


@pytest.mark.filterwarnings("ignore:.*no sentence pair is certain")
@given(TEXTS, TEXTS, st.integers(1, 6))
def test_beads_cover_all_sentences_in_order(src, tgt, largest):
    beads = beads_of(align(src, tgt, largest=largest))
    assert [i for bead in beads for i in range(*bead[:2])] == list(range(len(src)))
    assert [j for bead in beads for j in range(*bead[2:])] == list(range(len(tgt)))
    for bead in beads:
        a, b = map(len, slow.sides(bead))
        assert a + b <= max(largest + 1, 3)
        blank = [not one.strip() for one in (*src[slice(*bead[:2])], *tgt[slice(*bead[2:])])]
        assert not (a and b and any(blank))


def test_beads_of_four_and_more_sentences_are_found():
    rng = Random(1)
    lines, others = parallel_text(120)
    src, tgt, gold = [], [], []
    for line, other in zip(lines, others, strict=True):
        size = rng.choice([1, 1, 1, 1, 1, 3, 4])
        words = (other + f" t{rng.randrange(60)}" * 9).split()
        pieces = [" ".join(part) for part in np.array_split(words, size)]
        gold.append((len(src), len(src) + 1, len(tgt), len(tgt) + size))
        src.append(" ".join([line, *(word.replace("t", "s") for word in words[-9:])]))
        tgt += pieces
    found = set(beads_of(align(src, tgt)))
    large = {bead for bead in gold if bead[3] - bead[2] > 2}
    assert len(large & found) > 0.85 * len(large)
    assert not any(bead[3] - bead[2] > 2 for bead in beads_of(align(src, tgt, largest=2)))


def test_a_passage_on_one_side_is_skipped_as_a_whole():
    src, tgt = parallel_text(60)
    notes = [" ".join(f"n{(7 * k + x) % 40}" for x in range(4 + k % 5)) for k in range(40)]
    found = [
        row
        for row in beads_of(align(src, [*tgt[:20], *notes, *tgt[20:]]))
        if all(map(len, slow.sides(row)))
    ]
    right = {(k, k + 1, k + 40 * (k >= 20), k + 40 * (k >= 20) + 1) for k in range(60)}
    assert len(right & set(found)) >= 57
    assert len(found) <= 60


def test_rounds_end_when_beads_repeat(monkeypatch):
    src, tgt = parallel_text(60)
    every = [realigned(document(src, tgt), Options("lex")).beads(None)]
    monkeypatch.setattr("alignframe.beads.lex.ROUNDS", 9)
    every.append(realigned(document(src, tgt), Options("lex")).beads(None))
    assert all(map(np.array_equal, *every))


def test_missing_certain_pairs_cause_a_warning():
    with pytest.warns(DataWarning, match="words that both sides share"):
        table = align(["a b"], ["a", "b"])
    assert beads_of(table) == [(0, 1, 0, 2)]


def test_short_documents_are_aligned_no_worse_than_by_lengths(bundled):
    """There is little to learn from a few sentences, so lengths count for more."""
    sides = [
        (bundled.parent / "mill" / f"mill.{code}").read_text("utf-8").splitlines()
        for code in ("en", "fr")
    ]
    for low, high in pairwise((0, 12, 24, 36)):
        src, tgt = (side[low:high] for side in sides)
        aligned = [row for row in beads_of(align(src, tgt)) if slow.is_full(row)]
        assert len(aligned) >= 6


@settings(max_examples=5)
@given(st.integers(0, 2**32))
def test_sentences_that_words_keep_apart_are_not_joined(seed):
    rng = Random(seed)
    src, tgt = parallel_text(40, seed=rng.randrange(1000))
    found = beads_of(align(src, tgt))
    assert sum(bead == (bead[0], bead[0] + 1, bead[0], bead[0] + 1) for bead in found) >= 36
