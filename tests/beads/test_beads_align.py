"""Sentence alignment against the definitions on tiny documents, and invariants."""

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import import_module
from itertools import pairwise
from random import Random

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from reference import beads_align as slow

from alignframe.beads import METHODS, Options, align, lattice, score
from alignframe.core.schemas import BEADS, SPANS
from alignframe.errors import DataWarning
from alignframe.formats import read_beads, read_sentences
from alignframe.formats.bead_table import checked_beads

pytestmark = pytest.mark.filterwarnings("ignore:improbable beads")  # texts are made up

PRIORS = [
    {"skip": 0.01, "merge": 0.02, "two_two": 0.0},
    {"skip": 0.1, "merge": 0.05, "two_two": 0.03},
    {"skip": 0.2, "merge": 0.0, "two_two": 0.0},
]
WORDS = st.sampled_from(["a", "bb", "dog", "house", "schifffahrt"])
SENTENCES = st.lists(st.lists(WORDS, max_size=8), max_size=4)
IDENTITY = pa.table({"src": [f"w{k}" for k in range(40)], "tgt": [f"w{k}" for k in range(40)]})


def texts(sentences):
    return [" ".join(words) for words in sentences]


def beads_of(table):
    return tuple(pl.DataFrame(table).select(SPANS).rows())


def scores_of(table):
    return table["score"].to_numpy()


def lengths(sentences, unit):
    """Return the length of each sentence, None if it has no words."""
    count = len if unit == "words" else lambda words: sum(map(len, words))
    return [count(words) or None for words in sentences]


def by_lengths(src, tgt, method, unit, priors):
    """Return all paths, and the score of a bead by lengths."""
    model = slow.normal if method == "gale-church" else slow.poisson
    found = slow.paths(len(src), len(tgt), slow.kinds_of(priors))
    score, tied = slow.fitted(model, lengths(src, unit), lengths(tgt, unit), priors, found)
    assume(not tied)  # either ratio of lengths may be used
    return found, cache(score)


def check(table, found, score, tolerance=1e-4):
    """Check that the table is the best of all paths, and each bead's probability."""
    path = beads_of(table)
    all_of_them = slow.Posteriors(found, score)
    assert path in found
    assert slow.total(path, score) == pytest.approx(all_of_them.best, abs=tolerance)
    wanted = [all_of_them.score(bead) for bead in path]
    assert scores_of(table) == pytest.approx(wanted, abs=tolerance)
    return all_of_them


def made_up(rng, size, vocabulary=40, longest=30):
    """Draw sentences of random words and lengths."""
    return [
        " ".join(f"w{rng.randrange(vocabulary)}" for _ in range(rng.randint(1, longest)))
        for _ in range(size)
    ]


def without(rng, sentences, share):
    return [text for text in sentences if rng.random() >= share]


def model_of(method):
    return IDENTITY if method == "mre+" else None


# --- against the definitions


@pytest.mark.filterwarnings("ignore:.*lengths of gale-church in words")
@pytest.mark.parametrize("unit", ["words", "characters"])
@pytest.mark.parametrize("method", ["len", "gale-church"])
@settings(max_examples=10)
@given(SENTENCES, SENTENCES, st.sampled_from(PRIORS))
def test_lengths_follow_their_definition(method, unit, src, tgt, priors):
    table = align(texts(src), texts(tgt), method, unit=unit, **priors)
    check(table, *by_lengths(src, tgt, method, unit, priors))


@settings(max_examples=12)
@given(SENTENCES, SENTENCES, st.sampled_from([0.001, 0.02, 0.1, 0.3, 0.5, 0.7, 0.95]))
def test_beads_above_a_threshold(src, tgt, threshold):
    found, score = by_lengths(src, tgt, "len", "characters", PRIORS[1])
    likely = slow.Posteriors(found, score).full()
    ordered = sorted([*(p for p in likely.values() if p > threshold - 1e-6), threshold])
    assume(all(high - low > 1e-6 for low, high in pairwise(ordered)))
    table = align(
        texts(src), texts(tgt), "len", unit="characters", threshold=threshold, **PRIORS[1]
    )
    beads = list(beads_of(table))
    assert beads == slow.agreeing(likely, threshold)
    assert scores_of(table) == pytest.approx([likely[bead] for bead in beads], abs=1e-5)
    if threshold >= 0.5:
        assert beads == sorted(bead for bead, p in likely.items() if p > threshold)


@st.composite
def bitexts(draw):
    """Sentences of quite different lengths, and literal translations of most of them."""
    size = draw(st.integers(2, 5))
    src, tgt = [], []
    for _ in range(size):
        length = draw(st.sampled_from([1, 3, 8, 40]))
        words = draw(st.lists(st.integers(0, 5), min_size=length, max_size=length))
        here, there = draw(st.sampled_from([(1, 1)] * 5 + [(1, 0), (0, 1), (2, 1), (1, 2)]))
        src += parted([f"s{word}" for word in words], here)
        tgt += parted([f"t{word}" for word in words], there)
    assume(max(len(src), len(tgt)) < 6)
    return src, tgt


def parted(words, parts):
    """Return words as this many sentences."""
    half = len(words) // 2
    return [[], [words], [words[:half], words[half:]]][parts]


@settings(max_examples=6)
@given(bitexts(), st.sampled_from([5000, 3]), st.sampled_from([0.1, 0.0, 0.4]))
def test_mre_follows_its_definition(bitext, most, smoothing):
    src, tgt = bitext
    found, score = by_lengths(src, tgt, "len", "words", PRIORS[0])
    first = slow.Posteriors(found, score)
    single = {bead: p for bead, p in first.full().items() if bead[1] - bead[0] == bead[3] - bead[2]}
    assume(all(abs(p - 0.99) > 1e-4 for p in single.values()))
    assume(all(abs(np.log(max(p, 1e-99)) + 20) > 0.01 for p in first.points.values()))
    assume(all(abs(np.log(max(p, 1e-99)) + 20) > 0.01 for p in first.beads.values()))
    sure = [bead for bead, p in single.items() if p > 0.99]
    event(f"sure: {bool(sure)}")
    module = import_module("alignframe.beads.translations")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MAX_TYPES", most)
        if not (src and tgt):
            pass
        elif not sure:
            with pytest.warns(DataWarning, match="no sentence pair is certain"):
                table = align(texts(src), texts(tgt), "mre", smoothing=smoothing)
            assert table.equals(align(texts(src), texts(tgt), "len"))
            return
        table = align(texts(src), texts(tgt), "mre", smoothing=smoothing)
    words = [slow.told_apart(side, most, 2) for side in (src, tgt)]
    by_words = held_out(*words, sure, smoothing)
    least = np.exp(-20.0)

    @cache
    def both(bead):
        if not slow.is_full(bead):
            return score(bead)
        return score(bead) + by_words(bead) if first.beads[bead] > least else -np.inf

    inside = {
        (i, j)
        for i in range(len(src) + 1)
        for columns in [[j for (row, j), p in first.points.items() if row == i and p > least]]
        if columns
        for j in range(min(columns), max(columns) + 1)
    }
    check(table, slow.within(found, inside), both)


def held_out(src, tgt, sure, smoothing):
    """Return the score of a bead by words, learnt from the certain beads of the other quarters."""
    vocabulary = {word for words in tgt for word in words}
    bounds = [len(src) * part // 4 for part in range(5)]

    def score(bead):
        low, high = next((a, b) for a, b in pairwise(bounds) if a < bead[1] <= b)
        pairs = [(src[i], tgt[j]) for i, _, j, _ in sure]
        others = [(src[i], tgt[j]) for i, _, j, _ in sure if not low <= i < high]
        p = slow.model_1(others, pairs, vocabulary, 4)
        return slow.word_factor(*joined(bead, src, tgt), p, slow.shares(tgt), smoothing)

    return score


def joined(bead, src, tgt):
    """Return the words of both sides of a bead."""
    return [
        [word for number in part for word in side[number]]
        for part, side in zip(slow.sides(bead), (src, tgt), strict=True)
    ]


def test_priors_of_each_method():
    """Gale & Church's table 5 gives 1-0 and 0-1 together, and 2-1 and 1-2."""
    for method in METHODS:
        priors = Options(method).priors
        found = priors.one_one, 2 * priors.merge, 2 * priors.skip, priors.two_two
        others = {"gale-church": (0.8901, 0.089, 0.0099, 0.011), "lex": (0.834, 0.12, 0.04, 0.006)}
        wanted = others.get(method, (0.94, 0.04, 0.02, 0.0))
        assert found == pytest.approx(wanted, abs=1e-9)


# --- what holds for any document


@pytest.mark.parametrize("method", METHODS)
def test_beads_cover_every_sentence_once(method):
    rng = Random(1)
    whole = made_up(rng, 150)
    src, tgt = ([*without(rng, whole, 0.15), " ", *made_up(rng, 3)] for _ in range(2))
    table = align(src, tgt, method, model=model_of(method), doc="mine")
    assert table.columns == BEADS.names
    assert table["doc"].unique().to_list() == ["mine"]
    checked_beads(table, "beads")
    beads = beads_of(table)
    assert [i for bead in beads for i in slow.sides(bead)[0]] == list(range(len(src)))
    assert [j for bead in beads for j in slow.sides(bead)[1]] == list(range(len(tgt)))
    assert ((scores_of(table) >= 0) & (scores_of(table) <= 1)).all()
    # Enough are correct that it is no accident: equal sentences of some length.
    right = sum(src[a:b] == tgt[c:d] for a, b, c, d in beads)
    assert right > (0.6 if method == "gale-church" else 0.8) * len(set(src) & set(tgt))


@pytest.mark.parametrize("method", METHODS)
def test_thresholds_leave_the_best_beads(method):
    rng = Random(2)
    whole = made_up(rng, 80)
    src, tgt = (without(rng, whole, 0.2) for _ in range(2))
    rows = {}
    for threshold in (0.0, 0.2, 0.5, 0.8, 0.99):
        table = align(src, tgt, method, model=model_of(method), threshold=threshold)
        checked_beads(table, "beads")
        beads = beads_of(table)
        assert all(map(slow.is_full, beads))
        assert all(slow.agree(*pair) for pair in pairwise(beads))
        assert (scores_of(table) > threshold).all()
        rows[threshold] = dict(zip(beads, scores_of(table), strict=True))
    for low, high in pairwise(rows):
        assert rows[high] == {bead: p for bead, p in rows[low].items() if p > high}
    assert 0 < len(rows[0.8]) <= len(rows[0.5]) <= len(rows[0.0])
    if method != "lex":  # which is certain of nearly all
        assert len(rows[0.8]) < len(rows[0.5]) < len(rows[0.0])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.filterwarnings("ignore:.*no sentence pair is certain")
@settings(max_examples=8)
@given(st.integers(0, 2**32), st.integers(1, 30))
def test_identical_documents_give_the_diagonal(method, seed, size):
    size += 30 * (method == "mre")  # which learns its words from the document
    text = made_up(Random(seed), size)
    found = beads_of(align(text, text, method, model=model_of(method)))
    full = [bead for bead in found if slow.is_full(bead)]
    if method == "mre":  # may skip a sentence on both sides if the others do not have its words
        assert len(full) > 0.8 * size
        assert set(full) <= {(k, k + 1, k, k + 1) for k in range(size)}
    else:
        assert found == tuple((k, k + 1, k, k + 1) for k in range(size))


@settings(max_examples=8)
@given(st.integers(0, 2**32))
def test_swapped_sides_give_swapped_beads(seed):
    """With Gale & Church's lengths, only where both sides are as long: their model scales by one
    side.
    """
    rng = Random(seed)
    whole = made_up(rng, 25)
    src, tgt = (without(rng, whole, 0.2) for _ in range(2))
    long = [sum(map(len, "".join(side).split())) for side in (src, tgt)]
    src.append("x" * (max(long) - long[0] + 9))
    tgt.append("x" * (max(long) - long[1] + 9))
    for threshold in (0.5, 0.9):
        one = align(src, tgt, "gale-church", threshold=threshold)
        two = align(tgt, src, "gale-church", threshold=threshold)
        assume(all(abs(scores_of(table) - threshold).min(initial=1) > 1e-4 for table in (one, two)))
        assert beads_of(one) == tuple((a, b, c, d) for c, d, a, b in beads_of(two))
        np.testing.assert_allclose(scores_of(one), scores_of(two), atol=1e-5)


@pytest.mark.parametrize("method", METHODS)
def test_wide_enough_bands_change_nothing(method):
    rng = Random(3)
    whole = made_up(rng, 120)
    src, tgt = (without(rng, whole, 0.1) for _ in range(2))
    tables = [align(src, tgt, method, model=model_of(method), band=b) for b in (15, 30, 45.5, 1e9)]
    for table in tables[1:]:
        assert beads_of(table) == beads_of(tables[0])
        np.testing.assert_allclose(scores_of(table), scores_of(tables[0]), atol=1e-5)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("turned", [False, True])
def test_bands_are_widened_until_the_best_path_is_inside(method, turned):
    """The texts drift 25 sentences apart and back, five times the first band."""
    whole = made_up(Random(4), 200, longest=200)
    src = [text for k, text in enumerate(whole) if k < 100 or k % 4]
    tgt = [text for k, text in enumerate(whole) if k >= 100 or k % 4]
    src, tgt = (tgt, src) if turned else (src, tgt)
    table = align(src, tgt, method, model=model_of(method), band=5)
    whole = align(src, tgt, method, model=model_of(method), band=1000)
    assert beads_of(table) == beads_of(whole)
    np.testing.assert_allclose(scores_of(table), scores_of(whole), atol=1e-3)
    right = sum(src[a:b] == tgt[c:d] for a, b, c, d in beads_of(table))
    assert right > 100 or method == "gale-church"


@pytest.mark.parametrize(("near", "lost", "tries"), [(6, False, 1), (1, False, 2), (6, True, 1)])
def test_wide_bands_are_narrowed_to_plausible_beads(near, lost, tries, monkeypatch):
    """They are not if plausible beads reach the edge, or the sides are not translations."""
    rng = Random(8)
    whole = made_up(rng, 150)
    src, tgt = (without(rng, whole, 0.1) for _ in range(2))
    if lost:
        rng.shuffle(tgt)
    wide = align(src, tgt, "len", band=60)
    cells, made = [], lattice.lattice_of

    def counted(band, steps, *path):
        cells.append(band.cells)
        return made(band, steps, *path)

    monkeypatch.setattr(lattice, "lattice_of", counted)
    monkeypatch.setattr(lattice, "NARROWED", 1)
    monkeypatch.setattr(lattice, "NEAR", near)
    table = align(src, tgt, "len", band=60)
    assert beads_of(table) == beads_of(wide)
    np.testing.assert_allclose(scores_of(table), scores_of(wide), atol=1e-6)
    assert len(cells) == tries
    assert (cells[-1] < 30 * len(src)) == (tries == 1 and not lost)


@pytest.mark.parametrize("method", METHODS)
def test_results_are_reproducible_in_any_number_of_threads(method):
    rng = Random(5)
    whole = made_up(rng, 100)
    src, tgt = (without(rng, whole, 0.1) for _ in range(2))
    before = src.copy(), tgt.copy()

    def call(_):
        return align(src, tgt, method, model=model_of(method))

    one = call(0)
    with ThreadPoolExecutor(2) as pool:
        assert all(table.equals(one) for table in pool.map(call, range(6)))
    assert (src, tgt) == before


def test_words_correct_wrong_pairs_of_equal_length():
    """Each side lacks one sentence; without its translation, both have the same length."""
    rng = Random(6)
    whole = made_up(rng, 80, longest=12)
    whole[41] = " ".join(f"w{rng.randrange(20)}" for _ in range(12))
    whole[42] = " ".join(f"w{rng.randrange(20, 40)}" for _ in range(12))
    src, tgt = whole[:41] + whole[42:], whole[:42] + whole[43:]
    around, wrong = {(40, 41, 40, 41), (42, 43, 42, 43)}, (41, 42, 41, 42)
    assert {*around, wrong} <= set(beads_of(align(src, tgt, "len")))
    for method in ("mre", "mre+"):
        beads = beads_of(align(src, tgt, method, model=model_of(method), smoothing=0.1))
        assert around <= set(beads)
        assert wrong not in beads


@pytest.mark.filterwarnings("ignore:gold. 1 of 420 beads cross")
def test_the_default_aligns_a_manually_aligned_book(corpora):
    """A smoothing of 0.1, which is good for finding noise, leaves a tenth of the book unaligned by
    mre.
    """
    folder = corpora / "textberg"
    src, tgt = (read_sentences(folder / f"dev.{side}") for side in ("de", "fr"))
    with pytest.warns(DataWarning, match="skip"):
        gold = read_beads(folder / "dev.defr")
    best, default, little = (
        score(align(src, tgt, **options), gold).scores.row(0, named=True)
        for options in ({}, {"method": "mre"}, {"method": "mre", "smoothing": 0.1})
    )
    assert best["strict_f"] > 0.84
    assert best["lax_f"] > 0.96
    assert default["strict_f"] == pytest.approx(0.625, abs=5e-4)
    assert little["strict_f"] == pytest.approx(0.596, abs=5e-4)
    assert default["alignment_rate"] > little["alignment_rate"] + 0.01
