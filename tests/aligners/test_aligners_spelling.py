"""Words spelt alike are found in new text as in training text."""

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from alignframe.aligners.ibm1 import opposite_alike, spelt_alike
from alignframe.aligners.text import read_text
from alignframe.aligners.training_pairs import pair
from alignframe.kernels.aligners import similar_words as similar

WORDS = [
    "name",
    "names",
    "Namen",
    "nommer",
    "aa",
    "àa",
    "a-b",
    "A-B",
    "1990",
    "1991",
    "x",
    "\u0301",
]
words = st.lists(st.sampled_from([*WORDS, "internationalisation" * 5]), min_size=1, max_size=6)


def found(text):
    """Return the similarity of words by number."""
    starts, targets, degrees = opposite_alike(text)
    rows = range(len(starts) - 1)
    pairs = [(w, targets[c], degrees[c]) for w in rows for c in range(starts[w], starts[w + 1])]
    both = {(int(w), int(t)): float(degree) for w, t, degree in pairs}
    assert len(both) == len(pairs)
    return both


def wanted(text):
    cells = pair(text, parts=1)
    degrees = spelt_alike(cells)
    rows = range(text.src.n_words)
    places = [(w, c) for w in rows for c in range(cells.starts[w + 1], cells.starts[w + 2])]
    return {(w, int(cells.targets[c])): float(degrees[c]) for w, c in places if degrees[c] > 0}


def check(rows):
    frame = pl.DataFrame({"src": [r[0] for r in rows], "tgt": [r[1] for r in rows]})
    text = read_text(frame)
    assert found(text) == wanted(text)
    turned = text.turned()
    assert turned.known is text.known
    assert found(turned) == wanted(turned)


@given(st.lists(st.tuples(words, words), min_size=1, max_size=4))
def test_similar_words_equal_those_of_training_text(rows):
    check(rows)


def test_more_sentences_than_fit_into_a_block():
    few = [(["name", "1990"], ["names", "x"]), (["aa", "name"], ["àa", "names"])]
    filling = [(["x"], ["1991"])] * similar.AT_A_TIME
    check([*few, *filling, *few])
