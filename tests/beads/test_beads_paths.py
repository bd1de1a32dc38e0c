"""The kernels of beads against every path of tiny documents, and the bands."""

from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from reference import beads_align as slow

from alignframe.core.arrays import frozen
from alignframe.kernels.beads import choice as bead_choice
from alignframe.kernels.beads import paths as bead_paths
from alignframe.kernels.beads import scores as bead_scores
from alignframe.kernels.beads.paths import FIRST_KIND, Band, Steps, band_around, band_of
from alignframe.kernels.beads.posteriors import posteriors

KINDS = [(1, 1), (2, 1), (1, 2), (2, 2), (3, 1), (1, 4), (2, 3), (4, 2)]
LARGE = [(1, 6), (6, 1), (2, 5), (5, 2)]
SIZES = st.tuples(st.integers(0, 4), st.integers(0, 4))
LONG = st.tuples(st.integers(5, 7), st.integers(1, 2))
SCORES = st.floats(-12, 6, width=32)


@st.composite
def lattices(draw, whole=False):
    """Draw a band, full or of any shape that contains a path, and its steps."""
    m, n = draw(SIZES | LONG | LONG.map(lambda sizes: sizes[::-1]))
    if whole:
        low, high = np.zeros(m + 1, np.int64), np.full(m + 1, n)
    else:
        rows = [sorted((draw(st.integers(0, n)), draw(st.integers(0, n)))) for _ in range(m + 1)]
        low, high = (np.array(side, np.int64) for side in zip(*rows, strict=True))
        for i in draw(st.sets(st.integers(1, max(m - 1, 1)), max_size=1)):
            if 0 < i < m:
                low[i], high[i] = 0, -1  # a row at which no path stops
        low[0], high[-1] = 0, n
    band = band_of(low, high)
    large = LARGE if max(m, n) > 4 else []
    kinds = [
        *draw(st.permutations(KINDS))[: draw(st.integers(1, 4))],
        *draw(st.permutations(large))[:2],
    ]
    sizes = frozen(np.array(kinds, np.int64))
    scores = draw(arrays(np.float32, (len(kinds), band.cells), elements=SCORES))
    scores[draw(arrays(np.bool_, scores.shape))] = -np.inf
    skips = [draw(arrays(np.float64, size, elements=st.floats(-9, 0))) for size in (m, n)]
    steps = Steps(sizes, scores, *skips, draw(st.sampled_from([0.0, 2.0])))
    found = slow.within(slow.paths(m, n, tuple(kinds)), inside(band))
    assume(any(map(np.isfinite, (slow.total(path, scored(band, steps)) for path in found))))
    return band, steps, found


def inside(band):
    """Return the points of a band."""
    wide = np.diff(band.at)
    return {(i, band.lo[i] + x) for i in range(band.lo.size) for x in range(wide[i])}


def cell(band, i, j):
    return band.at[i] + j - band.lo[i]


def kind_of(steps, bead):
    return steps.sizes.tolist().index(list(map(len, slow.sides(bead))))


def scored(band, steps):
    """Return the score of a bead from the arrays of the kernels."""

    def score(bead):
        if slow.is_full(bead):
            return float(steps.scores[kind_of(steps, bead), cell(band, bead[1], bead[3])])
        return steps.skip_src[bead[0]] if bead[1] > bead[0] else steps.skip_tgt[bead[2]]

    return score


def as_path(path, steps):
    """Return the beads of a path from its start to its end."""
    sizes = [*slow.SKIPS, *map(tuple, steps.sizes.tolist())]
    rows = zip(path.src.tolist(), path.tgt.tolist(), path.kind.tolist(), strict=True)
    return tuple((i, i + sizes[k][0], j, j + sizes[k][1]) for i, j, k in rows)[::-1]


@settings(max_examples=50)
@given(st.one_of(lattices(whole=True), lattices()))
def test_best_path_of_all_paths(lattice):
    band, steps, found = lattice
    total = partial(slow.total, score=scored(band, steps), again=steps.again)
    path = bead_paths.best_path(band, steps)
    assert as_path(path, steps) in found
    assert path.score == pytest.approx(max(total(one) for one in found), abs=1e-9)
    assert path.score == pytest.approx(total(as_path(path, steps)), abs=1e-9)


@settings(max_examples=50)
@given(st.one_of(lattices(whole=True), lattices()), st.floats(-12, -0.5))
def test_posteriors_over_all_paths(lattice, limit):
    band, steps, found = lattice
    wanted = slow.Posteriors(found, scored(band, steps), steps.again)
    total, plausible = posteriors(band, steps, limit)
    assert total == pytest.approx(wanted.total, abs=1e-9)

    m, n = band.lo.size - 1, steps.skip_tgt.size
    kept = np.exp(steps.scores.astype(np.float64))
    assert kept.sum() == pytest.approx(sum(wanted.full().values()), abs=1e-5)
    for bead, p in wanted.full().items():
        place = kind_of(steps, bead), cell(band, bead[1], bead[3])
        assert kept[place] == pytest.approx(p, abs=1e-6)

    sums = np.zeros(m), np.zeros(n)
    bead_choice.covered(*band, steps.sizes, steps.scores, *sums)
    for side, size in enumerate((m, n)):
        expected = [wanted.covered(side, number) for number in range(size)]
        assert sums[side] == pytest.approx(expected, abs=1e-5)

    src, tgt, kind, p = bead_choice.likely(*band, steps.sizes, steps.scores, limit)
    sizes = steps.sizes[kind - FIRST_KIND].reshape(-1, 2)
    rows = zip(src, src + sizes[:, 0], tgt, tgt + sizes[:, 1], p, strict=True)
    likely = {(a, b, c, d): probability for a, b, c, d, probability in rows}
    for bead, probability in wanted.full().items():
        if abs(probability - np.exp(limit)) > 1e-5:
            assert (bead in likely) == (probability > np.exp(limit))
            assert likely.get(bead, probability) == pytest.approx(probability, abs=1e-6)

    assume(all(abs(np.log(max(q, 1e-99)) - limit) > 1e-6 for q in wanted.points.values()))
    assert (np.diff(plausible.at) >= 0).all()
    assert ((plausible.lo >= 0) & (plausible.lo <= n)).all()
    for i in range(m + 1):
        columns = [j for (row, j), q in wanted.points.items() if row == i and q > np.exp(limit)]
        row = range(plausible.lo[i], plausible.lo[i] + plausible.at[i + 1] - plausible.at[i])
        if steps.again:
            assert set(columns) <= set(row)
        else:
            assert (row[0], row[-1]) == (min(columns), max(columns)) if columns else len(row) == 0


def test_among_equal_paths_beads_of_the_first_type_win():
    band = band_around(4, 4, 4.0)
    for kinds in (KINDS[:4], KINDS[3::-1]):
        steps = flat_steps(band, kinds)
        taken = {tuple(map(len, slow.sides(bead))) for bead in as_path(best(band, steps), steps)}
        assert taken == {kinds[0]}


def best(band, steps):
    return bead_paths.best_path(band, steps)


def flat_steps(band, kinds):
    """Return steps of score 0, where beads begin inside the document."""
    m, n = band.lo.size - 1, int(band.lo[-1] + band.at[-1] - band.at[-2] - 1)
    scores = np.zeros((len(kinds), band.cells), np.float32)
    return Steps(frozen(np.array(kinds, np.int64)), scores, np.zeros(m), np.zeros(n))


# --- bands


def test_a_band_of_known_points():
    assert [part.tolist() for part in band_around(3, 3, 1.0)] == [[0, 0, 1, 2], [0, 2, 5, 8, 10]]
    assert band_around(3, 3, 1.0).cells == 10
    assert [part.tolist() for part in band_around(0, 2, 1.0)] == [[0], [0, 3]]
    assert [part.tolist() for part in band_around(2, 0, 1.0)] == [[0, 0, 0], [0, 1, 2, 3]]


@settings(max_examples=50)
@given(st.integers(0, 60), st.integers(0, 60), st.integers(8, 200).map(lambda eighths: eighths / 8))
def test_bands_of_swapped_sides_are_swapped(m, n, width):
    points = inside(band_around(m, n, width))
    assert {(j, i) for i, j in points} == inside(band_around(n, m, width))
    assert points == {
        (i, j)
        for i in range(m + 1)
        for j in range(n + 1)
        if abs(i * n - j * m) <= width * max(m, n)
    }


@settings(max_examples=25)
@given(st.integers(0, 300), st.integers(0, 300), st.floats(1, 3))
def test_every_band_has_a_path_of_single_steps(m, n, width):
    band = band_around(m, n, width)
    low, high = band.lo, band.lo + np.diff(band.at) - 1
    assert (low[0], high[-1]) == (0, n)
    assert (low[1:] >= low[:-1]).all()
    assert (high[1:] >= high[:-1]).all()
    # The row above contains the first point of each row, so that a source sentence can be skipped.
    assert (low[1:] <= high[:-1]).all()


@pytest.mark.parametrize(("m", "n"), [(1, 50), (50, 1), (4, 200), (200, 4), (100, 5000)])
def test_bands_of_very_different_sides(m, n):
    band = band_around(m, n, 20.0)
    steps = flat_steps(band, KINDS)
    path = as_path(best(band, steps), steps)
    assert sum(len(slow.sides(bead)[0]) for bead in path) == m
    assert sum(len(slow.sides(bead)[1]) for bead in path) == n
    total, _ = posteriors(band, steps, -20.0)
    assert np.isfinite(total)


# --- tails


@pytest.mark.parametrize("ratio", [0.2, 1.0, 1.7])
@pytest.mark.parametrize(("src", "tgt"), [(0, 0), (1, 0), (0, 9), (70, 80), (1, 5000), (10**6, 3)])
def test_tails_of_the_normal_distribution(src, tgt, ratio):
    found = bead_scores.tail(float(src), float(tgt), ratio, 6.8)
    assert found == pytest.approx(slow.tail(src, tgt, ratio, 6.8), rel=1e-5)


def test_tails_are_continuous_where_the_method_changes():
    lengths = np.linspace(4500.0, 5600.0, 2001)  # 25 is exceeded at 4,875
    found = np.array([bead_scores.tail(200.0, length, 1.0, 6.8) for length in lengths])
    wanted = np.array([slow.tail(200.0, length, 1.0, 6.8) for length in lengths])
    assert found[0] > -625 > found[-1]
    assert (np.diff(found) < 0).all()
    np.testing.assert_allclose(found, wanted, rtol=2e-6)


def test_a_missing_length_is_no_translation():
    for pair in ((np.nan, 3.0), (3.0, np.nan), (np.nan, np.nan)):
        assert bead_scores.tail(*pair, 1.0, 6.8) == -np.inf


def test_beads_implausible_before_are_dropped():
    old = band_of(np.zeros(2, np.int64), np.full(2, 3))
    new = Band(np.array([1, 2]), np.array([0, 2, 4]))
    logarithms = np.array([[-30, -1, -30, -1, -20, -1, -1, -30]], np.float32)
    scores = np.full((1, 4), 7, np.float32)
    bead_scores.carry(*new, *old, logarithms, -20.0, scores)
    assert scores.tolist() == [[7, -np.inf, 7, -np.inf]]
