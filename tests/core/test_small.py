"""Kernels that Python interprets while their input is small, against their machine code."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import alignframe
from alignframe import links
from alignframe.aligners import ibm1
from alignframe.aligners.text import read_text
from alignframe.beads.align import align as align_beads
from alignframe.core.arrays import Links, frozen, make_links
from alignframe.core.symmetrization import GROWS
from alignframe.formats.bitext import split_texts
from alignframe.kernels import small
from alignframe.kernels.aligners import link_rows, similar_words, weighted_links
from alignframe.kernels.beads import scores as scores_of_beads
from alignframe.kernels.beads import word_scores
from alignframe.kernels.cells import pair_up
from alignframe.kernels.lexicon.cognates import Spelt, letter_sets
from alignframe.kernels.links import counts, text_format
from alignframe.kernels.links import symmetrize as symmetrize_module
from alignframe.kernels.links.symmetrize import symmetrize
from alignframe.kernels.ragged import locate, mark_seen, tidy
from alignframe.kernels.small import call
from alignframe.kernels.text import characters
from alignframe.kernels.text.words import split_words

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
    else:
        assert one == other


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


@given(sentences, sentences, words, words, st.sampled_from([0.0, 0.5, 0.8]))
def test_pairs(src: Any, tgt: Any, src_words: Any, tgt_words: Any, cutoff: float) -> None:
    sides = [
        frozen(array)
        for side in (src, tgt)
        for array in (
            np.cumsum([0, *map(len, side)]),
            np.array([word for row in side for word in row], np.int32),
        )
    ]
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
    sides = link_rows.Sides(
        *(
            frozen(array)
            for side in (src, tgt)
            for array in (
                np.cumsum([0, *map(len, side)]),
                np.array([word for row in side for word in row], np.int32),
            )
        )
    )
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


def test_commands() -> None:
    """Whole results are the same."""
    src = ["the old house", "a small boat", "the river", "a boat and a house"]
    tgt = ["la vieille maison", "une petite barque", "le fleuve", "une barque et une maison"]
    interpreted, compiled = both(lambda: align_beads(src, tgt))
    assert interpreted.equals(compiled)
    interpreted, compiled = both(lambda: split_texts(pa.array(src), "text"))
    assert interpreted.equals(compiled)


def test_every_interpreted_kernel_is_compared() -> None:
    """The tests above use all kernels that are called by ``call``."""
    for test in (
        *(test_links, test_rows, test_words, test_pairs, test_weighted_links, test_columns),
        *(test_words_in_pairs, test_carry),
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
