"""Texts as numbers: reading, numbering word pairs, and splitting into parts."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from reference.aligners import frame

from alignframe.aligners.text import Known, read_text
from alignframe.aligners.training_pairs import PARTS, pair
from alignframe.core.arrays import frozen
from alignframe.errors import InputError
from alignframe.kernels.cells import localize, pair_up
from alignframe.options.aligners import MAX_LENGTH

words = st.lists(st.sampled_from(["a", "b", "ß", "z", "aa", ""]), max_size=5)
bitexts = st.lists(st.tuples(words, words), max_size=12)


def usable(bitext, max_length=MAX_LENGTH):
    return [(r, *row) for r, row in enumerate(bitext) if all(0 < len(s) <= max_length for s in row)]


def named(side, s):
    """Return the words of a sentence, None for unknown ones."""
    known = [*side.vocabulary.to_pylist(), None]
    return [known[k] for k in side.words[side.at[s] : side.at[s + 1]]]


@settings(max_examples=8)
@given(bitexts, st.integers(1, 5))
def test_reading_text(bitext, max_length):
    text = read_text(frame(bitext), max_length=max_length)
    kept = usable(bitext, max_length)
    assert text.rows.tolist() == [r for r, *_ in kept]
    assert text.sid.tolist() == list(range(len(bitext)))
    assert text.sentences == len(kept)
    assert text.empty == sum(not (src and tgt) for src, tgt in bitext)
    assert text.too_long == len(bitext) - len(kept) - text.empty
    for k, side in enumerate((text.src, text.tgt)):
        assert [named(side, s) for s in range(len(kept))] == [list(row[k + 1]) for row in kept]
        used = {word for row in kept for word in row[k + 1]}
        assert side.vocabulary.to_pylist() == sorted(used, key=str.encode)
        assert side.n_words == len(used) + 1
        assert not side.words.flags.writeable
    assert text.turned().src is text.tgt
    assert text.turned().tgt is text.src
    assert text.turned().turned() == text


@given(bitexts, st.sets(st.sampled_from("abz")), st.sets(st.sampled_from("abz")))
def test_words_that_a_model_lacks(bitext, src, tgt):
    known = (pa.array(sorted(src), pa.string()), pa.array(sorted(tgt), pa.string()))
    text = read_text(frame(bitext), known=(Known(known[0]), Known(known[1])))
    kept = usable(bitext)
    for k, (side, some) in enumerate(((text.src, src), (text.tgt, tgt))):
        assert side.vocabulary.equals(known[k])
        wanted = [[word if word in some else None for word in row[k + 1]] for row in kept]
        assert [named(side, s) for s in range(len(kept))] == wanted


def test_text_in_many_shapes(tmp_path):
    rows = {"sid": [9, 4, 5, 7], "src": [["a"], [], ["b", "a"], []], "tgt": [["x"]] * 4}
    table = pa.table(rows)
    pq.write_table(table, tmp_path / "text.parquet", row_group_size=1)
    chunked = pa.concat_tables([table.slice(k, 1) for k in range(4)])
    turned_about = table.select(["tgt", "sid", "src"])
    for source in (table, chunked, turned_about, pl.DataFrame(rows), tmp_path / "text.parquet"):
        text = read_text(source)
        assert text.sid.tolist() == [9, 4, 5, 7]
        assert text.rows.tolist() == [0, 2]
        assert (text.empty, text.too_long) == (2, 0)
        assert [named(text.src, s) for s in (0, 1)] == [["a"], ["b", "a"]]
    nothing = read_text(table.slice(0, 0))
    assert (nothing.sentences, nothing.src.n_words, nothing.src.at.tolist()) == (0, 1, [0])


@pytest.mark.parametrize("length", [0, -1, 70_000])
def test_lengths_out_of_range(length):
    with pytest.raises(InputError, match="65,536"):
        read_text(frame([(["a"], ["b"])]), max_length=length)


@pytest.mark.parametrize(
    "rows",
    [
        {"src": [["a"]]},
        {"src": [[{"x": 1}]], "tgt": [["a"]]},
        {"sid": ["x"], "src": [["a"]], "tgt": [["a"]]},
    ],
)
def test_text_without_words(rows):
    with pytest.raises(InputError):
        read_text(pa.table(rows))


def numbered(bitext):
    """Return a bitext's words as numbers in any order, and the number of types on each side."""
    vocabulary = [sorted({word for row in bitext for word in row[k]}) for k in (0, 1)]
    sides = []
    for k in (0, 1):
        at = np.cumsum([0, *(len(row[k]) for row in bitext)])
        numbers = [vocabulary[k].index(word) for row in bitext for word in row[k]]
        sides += [frozen(at), frozen(np.array(numbers, np.int32))]
    return sides, [len(v) for v in vocabulary]


def pairs_of(bitext, vocabulary_sizes, starts, targets):
    """Return the (source word, target word) of every cell, with None for NULL."""
    assert starts[0] == 0
    assert starts.size == vocabulary_sizes[0] + 2
    rows = np.repeat(np.arange(-1, vocabulary_sizes[0]), np.diff(starts))
    return [(None if e < 0 else e, f) for e, f in zip(rows.tolist(), targets.tolist(), strict=True)]


def assert_cells(cells, sides, pairing):
    """Check that each pair of positions has the cell of its words; NULL's cells are the target
    words.
    """
    src_at, src, tgt_at, tgt = sides
    assert cells[: sum(e is None for e, _ in cells)] == [
        (None, t) for t in range(sum(e is None for e, _ in cells))
    ]
    for s in range(pairing.sentences):
        es, fs = src[src_at[s] : src_at[s + 1]], tgt[tgt_at[s] : tgt_at[s + 1]]
        assert pairing.at[s + 1] - pairing.at[s] == es.size * fs.size
        for j, f in enumerate(fs):
            for i, e in enumerate(es):
                assert cells[pairing.cell[pairing.at[s] + j * es.size + i]] == (e, f)


def met(bitext_numbers, n_src):
    """Return the target words that co-occur with each source word, in order of occurrence."""
    src_at, src, tgt_at, tgt = bitext_numbers
    beside = [{} for _ in range(n_src)]
    for s in range(src_at.size - 1):
        for e in src[src_at[s] : src_at[s + 1]]:
            beside[e] |= dict.fromkeys(tgt[tgt_at[s] : tgt_at[s + 1]].tolist())
    return [list(row) for row in beside]


@given(bitexts, st.integers(0, 2), st.integers(0, 2))
def test_numbers_of_word_pairs(bitext, more_src, more_tgt):
    sides, (n_src, n_tgt) = numbered(bitext)
    n_src, n_tgt = n_src + more_src, n_tgt + more_tgt  # words that are not in the text
    starts, targets, pairing = pair_up(*sides, n_src, n_tgt)
    cells = pairs_of(bitext, (n_src, n_tgt), starts, targets)
    assert len(set(cells)) == len(cells) == pairing.n_cells == starts[-1]
    wanted = [(None, t) for t in range(n_tgt)]
    wanted += [(e, f) for e, row in enumerate(met(sides, n_src)) for f in row]
    assert cells == wanted
    assert_cells(cells, sides, pairing)
    assert pairing.sentences == len(bitext)


@given(bitexts, st.lists(st.integers(0, 12), max_size=4))
def test_parts_have_their_own_cells(bitext, cuts):
    sides, (n_src, n_tgt) = numbered(bitext)
    starts, targets, pairing = pair_up(*sides, n_src, n_tgt + 1)
    cells = pairs_of(bitext, (n_src, n_tgt + 1), starts, targets)
    places = pairing.cell.copy()
    bounds = sorted({0, len(bitext), *(min(cut, len(bitext)) for cut in cuts)})
    for low, high in pairwise(bounds):
        part = pairing.part(low, high)
        assert part.sentences == high - low
        assert np.shares_memory(part.cell, pairing.cell) or not part.cell.size
        local, own = localize(part)
        first, last = pairing.at[low], pairing.at[high]
        assert own[local.cell].tolist() == places[first:last].tolist()
        assert local.n_cells == own.size == len(set(own.tolist()))
        n_null = int(pairing.tgt.max(initial=-1)) + 1
        assert own[:n_null].tolist() == list(range(n_null))
        used = set(places[first:last].tolist())
        assert set(own[n_null:].tolist()) == used
        assert (local.at == pairing.at[low : high + 1] - first).all()
        for s in range(low, high):
            assert local.src_at[s - low] == pairing.src_at[s]
            assert local.tgt_at[s - low] == pairing.tgt_at[s]
        assert_cells(
            [cells[c] for c in own],
            [*(b[low:] for b in sides[:1]), sides[1], sides[2][low:], sides[3]],
            local,
        )


def test_many_cells():
    """More pairs than are allocated at first."""
    src = [[f"s{k}" for k in range(300)], ["s0", "s299", "s7"]]
    tgt = [[f"t{k}" for k in range(310)], [f"u{k}" for k in range(200)]]
    sides, (n_src, n_tgt) = numbered(list(zip(src, tgt, strict=True)))
    starts, targets, pairing = pair_up(*sides, n_src, n_tgt)
    assert targets.size == n_tgt + 300 * 310 + 3 * 200
    rows = np.repeat(np.arange(-1, n_src), np.diff(starts))
    for s in (0, 1):
        block = pairing.cell[pairing.at[s] : pairing.at[s + 1]].reshape(len(tgt[s]), len(src[s]))
        assert (rows[block] == sides[1][sides[0][s] : sides[0][s + 1]]).all()
        assert (sides[3][sides[2][s] : sides[2][s + 1]] == targets[block].T).all()


@given(bitexts, st.integers(1, 9))
def test_a_text_in_parts(bitext, parts):
    text = read_text(frame(bitext))
    assume(text.sentences)
    paired = pair(text, parts=parts)
    firsts = [part.first for part in paired.parts]
    assert firsts == sorted(set(firsts))
    assert firsts[0] == 0
    ends = [*firsts[1:], text.sentences]
    whole = text.src, text.tgt
    targets = [*range(text.tgt.n_words)]
    assert paired.targets[: text.tgt.n_words].tolist() == targets
    rows = np.repeat(np.arange(-1, text.src.n_words), np.diff(paired.starts))
    for part, end in zip(paired.parts, ends, strict=True):
        assert part.first + part.pairing.sentences == end
        for s in range(part.first, end):
            es, fs = (side.words[side.at[s] : side.at[s + 1]] for side in whole)
            at = part.pairing.at[s - part.first]
            block = part.own[part.pairing.cell[at : at + es.size * fs.size]]
            assert rows[block].tolist() == es.tolist() * fs.size
            assert paired.targets[block].tolist() == np.repeat(fs, es.size).tolist()
    assert paired.n_cells == paired.targets.size == paired.starts[-1]


def test_parts_take_about_the_same_work():
    rng = np.random.default_rng(2)
    sizes = rng.integers(1, 40, (5000, 2))
    bitext = [([f"s{k}" for k in range(n)], [f"t{k}" for k in range(m)]) for n, m in sizes]
    paired = pair(read_text(frame(bitext)))
    assert len(paired.parts) == PARTS
    work = [part.pairing.at[-1] for part in paired.parts]
    assert sum(work) == (sizes[:, 0] * sizes[:, 1]).sum()
    assert max(work) - min(work) <= 2 * 39 * 39


def test_parts_are_visited_in_order():
    text = read_text(frame([(["a", "b"], ["c"])] * 40))
    with ThreadPoolExecutor(3) as executor:
        for some in (None, executor):
            paired = pair(text, some)
            found = list(paired.each(lambda part: part.first))
            assert [part.first for part, _ in found] == [first for _, first in found]
            assert [first for _, first in found] == sorted(first for _, first in found)
            assert len(found) == PARTS
