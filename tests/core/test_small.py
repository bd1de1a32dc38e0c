"""Kernels that Python interprets while their input is small, against their machine code."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from math import exp, log, log1p
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import alignframe
from alignframe import links
from alignframe.aligners import ibm1
from alignframe.aligners.text import read_text
from alignframe.beads import picking
from alignframe.beads.align import align as align_beads
from alignframe.beads.lattice import sizes_up_to
from alignframe.beads.lengths import length_model
from alignframe.core.arrays import Links, frozen, make_links
from alignframe.core.symmetrization import GROWS
from alignframe.formats.bitext import split_texts
from alignframe.kernels import small
from alignframe.kernels.aligners import link_rows, similar_words, weighted_links
from alignframe.kernels.aligners.translation_tables import normalize
from alignframe.kernels.beads import choice, word_scores
from alignframe.kernels.beads import scores as scores_of_beads
from alignframe.kernels.beads.line_words import Gains, Words
from alignframe.kernels.beads.paths import Band, Steps, band_around, best_path
from alignframe.kernels.beads.posteriors import posteriors
from alignframe.kernels.cells import pair_up
from alignframe.kernels.jit import jit
from alignframe.kernels.lexicon.cognates import Spelt, letter_sets
from alignframe.kernels.links import counts, text_format
from alignframe.kernels.links import symmetrize as symmetrize_module
from alignframe.kernels.links.symmetrize import symmetrize
from alignframe.kernels.ragged import locate, mark_seen, tidy
from alignframe.kernels.small import call
from alignframe.kernels.text import characters
from alignframe.kernels.text.words import split_words
from alignframe.options.beads import Options

USED: set[str] = set()


def both(run: Callable[[], Any]) -> tuple[Any, Any]:
    """Return what interpreted and what compiled kernels give."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(small, "_is_compiled", lambda _: False)
        patch.setattr(small, "_SEEN", {})
        patch.setattr(small, "ENOUGH", 1 << 60)
        interpreted = run()
        USED.update(kernel.__name__ for kernel in small._SEEN)
        patch.setattr(small, "ENOUGH", -1)
        return interpreted, run()


def same(run: Callable[[], Any]) -> Any:
    """Check that both give the same numbers, of the same types."""
    interpreted, compiled = both(run)
    _same(interpreted, compiled)
    return compiled


def _same(one: Any, other: Any) -> None:
    if isinstance(other, tuple):
        assert len(one) == len(other)
        for mine, theirs in zip(one, other, strict=True):
            _same(mine, theirs)
    elif isinstance(other, np.ndarray):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
        if other.dtype.kind == "f":  # 0 and -0 are equal
            assert np.array_equal(*(np.signbit(x[~np.isnan(x)]) for x in (one, other)))
    else:
        assert type(one) is type(other)
        _same(np.array(one), np.array(other))


positions = st.sampled_from([0, 1, 2, 3, 7, 255, 256, 300, 65_535])
rows_of_links = st.lists(
    st.lists(st.tuples(positions, positions, st.booleans()), max_size=40), max_size=5
)


def links_of(rows: list[list[tuple[int, int, bool]]], *, labels: bool = True) -> Links:
    every = [link for row in rows for link in row]
    offsets = np.cumsum([0, *map(len, rows)])
    i, j, sure = (np.array([link[k] for link in every], np.int64) for k in range(3))
    made = sure.astype(np.uint8) if labels else None
    return make_links(offsets, i.astype(np.uint16), j.astype(np.uint16), made)


@given(rows_of_links, rows_of_links, st.booleans())
def test_links(rows: list[Any], others: list[Any], labels: bool) -> None:
    n = min(len(rows), len(others))
    one, other = links_of(rows[:n], labels=labels), links_of(others[:n], labels=labels)
    same(lambda: tidy(one))
    gold = same(lambda: counts.count_gold(other))
    at = np.arange(n)[::-1].copy() - 1
    same(lambda: counts.count_hits(one, gold, at))
    same(lambda: counts.count_swapped(one, gold, at))
    for method in GROWS:
        same(lambda method=method: symmetrize(one, other, method))
    text, _ = same(lambda: call(text_format.render_pharaoh, *one, 1))
    same(lambda: call(text_format.parse_pharaoh, frozen(text), 1))


@given(st.text("0123456789-p?SP \n\t", max_size=60), st.integers(0, 1))
def test_any_text_of_links(text: str, base: int) -> None:
    data = np.frombuffer(text.encode(), np.uint8)
    same(lambda: call(text_format.parse_pharaoh, data, base))


@given(st.lists(st.integers(-2, 9), max_size=9), st.sets(st.integers(-2, 9)))
def test_rows(wanted: list[int], known: set[int]) -> None:
    every = frozen(np.array(sorted(known), np.int64))
    rows = same(lambda: call(locate, frozen(np.array(wanted, np.int64)), every))

    def marked() -> tuple[int, Any]:
        seen = np.zeros(len(known), np.uint8)
        return call(mark_seen, seen, frozen(rows)), seen

    same(marked)


lines_of_text = st.lists(st.text("aAéß中_1 .,-\U0001f600", max_size=20), min_size=1, max_size=5)


@given(lines_of_text)
def test_words(lines: list[str]) -> None:
    from alignframe.beads.characters import bytes_of, classes, lower

    data = np.frombuffer("\n".join(lines).encode(), np.uint8)
    same(lambda: call(split_words, data))
    at, text = bytes_of(pa.array(lines))
    for how in range(3):
        found = same(lambda how=how: call(characters.words, at, text, classes(), lower(), how))
        same(lambda found=found: call(characters.pieces, text, *map(frozen, found[2:])))


def test_many_words() -> None:
    """Tables of words grow."""
    from alignframe.beads.characters import bytes_of, classes, lower

    at, text = bytes_of(pa.array([" ".join(f"s{k}" for k in range(3000))]))
    found = same(lambda: call(characters.words, at, text, classes(), lower(), 0))
    assert found[2].size == 3000


sentences = st.lists(st.lists(st.integers(0, 5), max_size=5), min_size=3, max_size=3)
words = st.lists(st.text("abcdefgh", max_size=70), min_size=6, max_size=6)


def sides_of(src: list[list[int]], tgt: list[list[int]]) -> list[Any]:
    """Return where the sentences of each side begin, and its words."""
    return [
        frozen(array)
        for side in (src, tgt)
        for array in (
            np.cumsum([0, *map(len, side)]),
            np.array([word for row in side for word in row], np.int32),
        )
    ]


@given(sentences, sentences, words, words, st.sampled_from([0.0, 0.5, 0.8]))
def test_pairs(src: Any, tgt: Any, src_words: Any, tgt_words: Any, cutoff: float) -> None:
    sides = sides_of(src, tgt)
    same(lambda: pair_up(*sides, 6, 6))
    spelt = []
    for every in (src_words, tgt_words):
        at = frozen(np.cumsum([0, *map(len, every)]))
        letters = frozen(np.array([ord(x) - 97 for word in every for x in word], np.int32))
        sets = same(lambda at=at, letters=letters: call(letter_sets, at, letters))
        strict = frozen(np.array([len(word) < 2 for word in every]))
        spelt.append(Spelt(at, letters, frozen(sets), strict))
    found = same(lambda: call(similar_words.find_opposite, *sides, *spelt, 8, cutoff))
    same(lambda: call(similar_words.turn, similar_words.Similar(*map(frozen, found)), 6))


def test_many_similar_pairs() -> None:
    """Arrays of pairs grow."""
    every = frozen(np.arange(40, dtype=np.int32))
    ends, at = frozen(np.array([0, 40])), frozen(np.arange(0, 81, 2))
    letters = frozen(np.zeros(80, np.int32))
    sets = frozen(letter_sets(at, letters))
    spelt = Spelt(at, letters, sets, frozen(np.zeros(40, np.bool_)))
    found = same(
        lambda: call(similar_words.find_opposite, ends, every, ends, every, spelt, spelt, 1, 0.5)
    )
    assert found.targets.size == 1600


@given(st.lists(st.lists(st.tuples(positions, positions), max_size=30), max_size=4))
def test_weighted_links(rows: list[list[tuple[int, int]]]) -> None:
    offsets = np.cumsum([0, *map(len, rows)])
    i, j = (np.array([link[k] for row in rows for link in row], np.int32) for k in range(2))
    weights = np.linspace(0, 1, i.size, dtype=np.float32)

    def ordered() -> Any:
        arrays = i.copy(), j.copy(), weights.copy()
        weighted_links.put_in_order(offsets, *arrays)
        return arrays

    same(ordered)
    same(lambda: weighted_links.chosen(frozen(offsets), i - 1, weights))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=5))
def test_columns(rows: list[tuple[int, int]]) -> None:
    lo = frozen(np.array([low for low, _ in rows]))
    at = frozen(np.cumsum([0, *(wide for _, wide in rows)]))
    same(lambda: call(word_scores.columns, lo, at, 9))


@given(sentences, sentences)
def test_words_in_pairs(src: Any, tgt: Any) -> None:
    sides = link_rows.Sides(*sides_of(src, tgt))
    same(lambda: call(link_rows.count_opposite, sides, 6, 6))
    starts = frozen(np.arange(0, 13, 2))
    targets = frozen(np.arange(12, dtype=np.int32) % 6)
    same(lambda: call(link_rows.find_opposite, sides, starts, targets, 6))


def test_carry() -> None:
    lo, at = frozen(np.array([0, 1])), frozen(np.array([0, 2, 4]))
    logarithms = np.array([[-1, -9, np.nan, -3]], np.float32)

    def carried() -> Any:
        scores = np.zeros((1, 4), np.float32)
        call(scores_of_beads.carry, lo, at, lo, at, logarithms, -5.0, scores)
        return scores

    assert np.isneginf(same(carried)).tolist() == [[False, True, True, False]]


# --- kernels that compute fractions

SINGLE = st.floats(-60, 60, width=32) | st.sampled_from([-np.inf, np.inf, np.nan, 3e38, -0.0, 0.0])
SHARE = st.floats(0.0, 4.0, width=32)


def copies(*given_arrays: Any) -> tuple[Any, ...]:
    return tuple(array.copy() for array in given_arrays)


@st.composite
def lattices(draw: Any) -> tuple[Band, Steps]:
    """Draw a band with a path of skips at least, and its steps."""
    m, n = draw(st.integers(0, 9)), draw(st.integers(0, 9))
    band = band_around(m, n, draw(st.sampled_from([1.0, 2.0, 9.0])))
    sizes = sizes_up_to(draw(st.integers(1, 6)))
    scores = draw(arrays(np.float32, (len(sizes), band.cells), elements=SINGLE, fill=SHARE))
    skips = [draw(arrays(np.float64, size, elements=st.floats(-9, 0))) for size in (m, n)]
    return band, Steps(sizes, scores, *skips, draw(st.sampled_from([0.0, 2.0, 800.0])))


@given(lattices(), st.sampled_from([-20.0, -1.0]))
def test_paths_and_posteriors(lattice: tuple[Band, Steps], limit: float) -> None:
    band, steps = lattice
    same(lambda: best_path(band, steps))

    def overwritten() -> Any:
        own = steps._replace(scores=steps.scores.copy())
        return posteriors(band, own, limit), own.scores

    _, logarithms = same(overwritten)
    own = steps._replace(scores=logarithms)
    same(lambda: picking.agreeing(band, own, np.exp(limit)))

    def covered() -> Any:
        sums = np.zeros_like(steps.skip_src), np.zeros_like(steps.skip_tgt)
        call(choice.covered, *band, steps.sizes, np.minimum(logarithms, 1e3), *sums)
        return sums

    same(covered)


LENGTHS = st.sampled_from([0.0, 1.0, 7.0, 30.0, 1e4, np.nan])


@given(lattices(), st.data(), st.sampled_from([0.7, 1.0]))
def test_lengths(lattice: tuple[Band, Steps], data: Any, ratio: float) -> None:
    band, steps = lattice
    m, n = steps.skip_src.size, steps.skip_tgt.size
    src, tgt, other = (
        frozen(data.draw(arrays(np.float64, (6, size), elements=LENGTHS))) for size in (m, n, n)
    )

    def added() -> Any:
        (scores,) = copies(steps.scores)
        spread = word_scores.Spread(np.float64(1.3), 3.0, -0.4)
        lengths = word_scores.Lengths(src, tgt, other)
        call(word_scores.add_lengths, band, steps.sizes, lengths, spread, ratio, scores)
        return scores

    same(added)
    for method in ("len", "gale-church"):
        options = Options(method, unit="characters")
        model = replace(length_model(src.copy()[0], tgt.copy()[0], options), ratio=ratio)
        same(lambda model=model: model.steps(band))


@given(lattices(), st.data(), st.booleans(), st.sampled_from([0.0, 1e-300, 0.4]))
def test_scores_of_words(
    lattice: tuple[Band, Steps], data: Any, turned: bool, smoothing: float
) -> None:
    band, steps = lattice
    sizes = steps.skip_src.size, steps.skip_tgt.size
    given_size, judged_size = sizes[::-1] if turned else sizes
    some = st.lists(st.integers(0, 3), max_size=90)
    sides = []
    for size in (given_size, judged_size):
        text = data.draw(st.lists(some, min_size=size, max_size=size))
        sides.append(frozen(np.cumsum([0, *map(len, text)])))
        sides.append(frozen(np.array([w for row in text for w in row], np.int32)))
    gains, rest, null, twin_gains = (
        frozen(data.draw(arrays(np.float32, size, elements=SHARE))) for size in (8, 4, 4, 4)
    )
    gains, twin_gains = frozen(gains + np.float32(0.1)), frozen(twin_gains + np.float32(0.1))
    starts, targets = frozen(np.arange(0, 9, 2)), frozen(np.arange(8, dtype=np.int32) % 4)
    twins = frozen(np.array([-1, 0, 3, 2], np.int32))
    first = frozen(np.zeros(given_size + 1, np.int64))
    last = frozen(np.full(given_size + 1, judged_size))
    fold = frozen(np.arange(given_size, dtype=np.int32) % 2)

    def added() -> Any:
        (scores,) = copies(steps.scores)
        call(
            word_scores.add_words, *band, steps.sizes, turned, first, last, *sides,
            starts, targets, gains, rest, null, twins, twin_gains, smoothing, 0.5, fold, 1, scores,
        )  # fmt: skip
        return scores

    same(added)
    if turned:
        return
    small_sizes = frozen(np.array([(1, 1), (1, 2), (2, 1), (2, 2)]))
    words = Words(sides[0], frozen(sides[1] - 1)), Words(sides[2], frozen(sides[3] - 1))
    table = Gains(starts, targets, gains, rest, null)

    def judged() -> Any:
        scores = np.zeros((4, band.cells), np.float32)
        ends = 0, sizes[0]
        # Beads with fewer target sentences than they need were dropped before.
        for k, (_, n) in enumerate(small_sizes.tolist()):
            for i in range(sizes[0] + 1):
                row = scores[k, band.at[i] : band.at[i + 1]]
                row[: max(0, n - int(band.lo[i]))] = -np.inf
        call(scores_of_beads.add_words, band, small_sizes, *words, table, smoothing, *ends, scores)
        return scores

    same(judged)


@given(sentences, sentences, st.data(), st.sampled_from([0.0, 0.1, 3.0]))
def test_expected_counts(src: Any, tgt: Any, data: Any, alpha: float) -> None:
    sides = sides_of(src, tgt)
    starts, _, p = pair_up(*sides, 6, 6)
    table = data.draw(arrays(np.float32, p.n_cells, elements=st.floats(2.0**-20, 1, width=32)))

    def counted() -> Any:
        counts = np.zeros(p.n_cells)
        scores_of_beads.expect(p, 0, np.int64(2), table, counts)
        return counts

    counts = same(counted)

    def normalized() -> Any:
        new = np.empty(p.n_cells, np.float32), np.empty(p.n_cells)
        for one in new:
            call(normalize, starts, counts, alpha, one)
        return new

    same(normalized)


@given(st.floats() | st.sampled_from([0.0, -0.0, -1.0, 709.8, -746.0, 1e-320, 1e200]))
def test_exponentials_and_logarithms(x: float) -> None:
    """They have no errors, as those of machine code."""
    given_arrays = frozen(np.array([x])), np.array([x])

    def computed() -> Any:
        found = np.empty(7), np.empty(1, np.float32)
        call(_computed, *given_arrays, np.float64(x), *found)
        return found

    same(computed)


@jit
def _computed(given_array: Any, other: Any, number: float, found: Any, single: Any) -> None:
    x = given_array[0]
    single[0] = x
    found[0], found[1], found[2], found[3] = np.exp(x), np.log(x), log(x), log1p(other[0])
    found[4] = exp(x)
    found[5] = np.float32(x) * 0.1
    found[6] = number * number  # a number of NumPy would warn of infinity


def test_commands() -> None:
    """Whole results are the same."""
    src = ["the old house", "a small boat", "the river", "a boat and a house"]
    tgt = ["la vieille maison", "une petite barque", "le fleuve", "une barque et une maison"]
    interpreted, compiled = both(lambda: align_beads(src, tgt))
    assert interpreted.equals(compiled)
    interpreted, compiled = both(lambda: split_texts(pa.array(src), "text"))
    assert interpreted.equals(compiled)


def test_aligning_the_bundled_sentences_compiles_nothing(tmp_path: Path) -> None:
    root = Path(alignframe.__file__).parent.parent
    script = (
        "import pathlib; from alignframe import beads; from alignframe.kernels import small\n"
        "sides = [pathlib.Path('datasets/mill/mill.' + side).read_text('utf-8').splitlines()"
        " for side in ('en', 'fr')]\n"
        "for method in ('lex', 'len', 'gale-church', 'mre'):\n"
        "    small._SEEN.clear()\n"
        "    beads.align(*sides, method, threshold=0.2 if method == 'len' else None)\n"
    )
    env = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(root)}
    subprocess.run([sys.executable, "-c", script], cwd=root, check=True, env=env)
    assert not [*tmp_path.rglob("*.nb*")]


def test_every_interpreted_kernel_is_compared() -> None:
    """The tests above use all kernels that are called by ``call``."""
    for test in (
        *(test_links, test_rows, test_words, test_pairs, test_weighted_links, test_columns),
        *(test_words_in_pairs, test_carry, test_paths_and_posteriors, test_lengths),
        *(test_scores_of_words, test_expected_counts),
    ):
        test()
    root = Path(alignframe.__file__).parent
    called = {
        name
        for file in root.rglob("*.py")
        for name in re.findall(r"\bcall\(\s*(?:\w+\.)?(\w+),", file.read_text(encoding="utf-8"))
        if "kernels.small import call" in file.read_text(encoding="utf-8")
    }
    assert called
    assert called <= USED


def test_enough() -> None:
    """Beyond a number of steps in all, a kernel is compiled."""
    ran: list[bool] = []

    def kernel(array: Any) -> None:
        ran.append(hasattr(array, "dtype"))

    kernel.py_func = kernel  # type: ignore[attr-defined]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(small, "_is_compiled", lambda _: False)
        for _ in range(3):
            call(kernel, np.zeros(1), steps=small.ENOUGH // 2)
    assert ran == [False, False, True]


def test_numbers_that_do_not_fit() -> None:
    """An error, where machine code would wrap around."""

    def kernel(array: Any) -> None:
        array[0] += 1

    kernel.py_func = kernel  # type: ignore[attr-defined]
    full = np.full(1, 255, np.uint8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(small, "_is_compiled", lambda _: False)
        with pytest.raises(ValueError, match="invalid value"):
            call(kernel, full)
    with pytest.raises(OverflowError, match="70000 is no uint16"):
        small._NumPy.uint16(70_000)


def test_long_words_and_chains_of_links_are_compiled(monkeypatch):
    seen: dict[str, int] = {}

    def call(kernel, *arguments, steps=None):
        seen[kernel.__name__] = max(seen.get(kernel.__name__, 0), steps or 0)
        return small.call(kernel, *arguments, steps=steps)

    for module in (ibm1, symmetrize_module):
        monkeypatch.setattr(module, "call", call)
    for letters in (60, 100):
        words = ["".join("acgt"[k * i % 4] for i in range(letters)) for k in range(1, 10)]
        ibm1.opposite_alike(read_text(pl.DataFrame({"src": [words], "tgt": [words[::-1]]})))
        assert (seen.pop("find_opposite") > small.ENOUGH) == (letters > 64)
    for size in (50, 3000):
        chain = [" ".join(f"{k}-{k}" for k in range(size))]
        links.symmetrize(chain, [chain[0].rpartition(" ")[0]], "grow-diag")
        assert (seen.pop("_grow") > small.ENOUGH) == (size > 50)
