"""Word classes against their likelihood computed from scratch."""

from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.ibm4 import class_likelihood

from alignframe.aligners.hmm import word_classes
from alignframe.aligners.text import Known, read_text
from alignframe.core.arrays import frozen
from alignframe.errors import InputError
from alignframe.kernels.aligners.word_classes import class_counts, count_bigrams, sweep

N_WORDS = 7
sentences = st.lists(st.lists(st.integers(0, N_WORDS - 1), min_size=1, max_size=8), min_size=1)


def flat(texts):
    at = np.cumsum([0, *map(len, texts)])
    return frozen(at), frozen(np.concatenate(texts).astype(np.int32))


def side(texts):
    frame = pl.DataFrame({"src": texts, "tgt": texts})
    return read_text(frame).src


def tagged(n_classes, seed):
    """Draw a class for each word and the boundary."""
    classes = np.random.default_rng(seed).integers(0, n_classes, N_WORDS + 1).astype(np.int32)
    classes[-1] = n_classes
    return classes


@given(sentences, st.integers(1, 4), st.integers(0, 99))
def test_class_counts(texts, n, seed):
    classes = tagged(n, seed)
    counts = class_counts(count_bigrams(*flat(texts), N_WORDS), classes, n)
    wanted = np.zeros_like(counts)
    for words in texts:
        around = [N_WORDS, *words, N_WORDS]  # the boundary is on both sides
        for one, two in pairwise(around):
            wanted[classes[one], classes[two]] += 1
    assert counts.tolist() == wanted.tolist()


@given(sentences, st.integers(0, N_WORDS - 1), st.integers(1, 4), st.integers(0, 99))
def test_a_word_moves_to_the_best_class_by_the_reported_gain(texts, word, n, seed):
    classes = tagged(n, seed)
    at, words = flat(texts)
    bigrams = count_bigrams(at, words, N_WORDS)
    counts = class_counts(bigrams, classes, n)
    sizes = counts.sum(axis=1)
    before = classes.copy()
    _, gain = sweep(bigrams, frozen(np.array([word])), classes, counts, sizes)
    wanted = []
    for g in range(n):
        tried = before.copy()
        tried[word] = g
        wanted.append(class_likelihood(texts, tried, n))
    old = class_likelihood(texts, before, n)
    assert class_likelihood(texts, classes, n) == pytest.approx(max(wanted), abs=1e-8)
    assert old + gain == pytest.approx(max(wanted), abs=1e-8)
    others = np.arange(N_WORDS + 1) != word
    assert (classes == before)[others].all()
    assert (counts == class_counts(bigrams, classes, n)).all()
    assert (sizes == counts.sum(axis=1)).all()


@given(sentences, st.integers(1, 4), st.integers(0, 99))
def test_likelihood_never_falls_over_sweeps(texts, n, seed):
    classes = tagged(n, seed)
    bigrams = count_bigrams(*flat(texts), N_WORDS)
    counts = class_counts(bigrams, classes, n)
    sizes = counts.sum(axis=1)
    last = class_likelihood(texts, classes, n)
    for _ in range(4):
        moved, gain = sweep(bigrams, frozen(np.arange(N_WORDS)), classes, counts, sizes)
        here = class_likelihood(texts, classes, n)
        assert here == pytest.approx(last + gain, abs=1e-8)
        assert gain > 0 or moved == 0
        last = here


def test_large_counts_exceed_the_table():
    texts = [[0, 1] * 20_000, [1, 0, 2] * 10_000]
    classes = tagged(2, 5)
    bigrams = count_bigrams(*flat(texts), N_WORDS)
    counts = class_counts(bigrams, classes, 2)
    old = class_likelihood(texts, classes, 2)
    _, gain = sweep(bigrams, frozen(np.arange(N_WORDS)), classes, counts, counts.sum(axis=1))
    assert class_likelihood(texts, classes, 2) == pytest.approx(old + gain, rel=1e-9)


def test_similar_words_share_a_class():
    rng = np.random.default_rng(3)
    kinds = [["the", "a"], ["cat", "dog", "cow"], ["sees", "eats"]]
    texts = [[str(rng.choice(kinds[k])) for k in (0, 1, 2, 0, 1)] for _ in range(200)]
    text = side(texts)
    classes = dict(zip(text.vocabulary.to_pylist(), word_classes(text, 3), strict=False))
    assert [{classes[word] for word in kind} for kind in kinds] == [
        {classes[kind[0]]} for kind in kinds
    ]
    assert len({classes[kind[0]] for kind in kinds}) == 3


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=1), min_size=1), st.integers(1, 9))
def test_the_same_seed_gives_the_same_classes(texts, n):
    text = side(texts)
    found = word_classes(text, n, seed=4)
    assert found.dtype == np.int32
    assert found.shape == (text.n_words,)
    assert ((found >= 0) & (found < n)).all()
    assert (found == word_classes(text, n, seed=4)).all()


def test_the_unknown_word_has_the_class_of_rare_words():
    rng = np.random.default_rng(1)
    texts = [["the", str(word), "is", "good"] for word in rng.permutation(300)]
    text = side(texts)
    words = text.vocabulary.to_pylist()
    classes = word_classes(text, 4)
    assert classes[-1] == classes[words.index("7")] != classes[words.index("is")]


def test_unknown_words_in_the_text_have_a_class():
    frame = pl.DataFrame({"src": [["a", "x", "b"], ["y", "a"]], "tgt": [["c"], ["c"]]})
    known = read_text(pl.DataFrame({"src": [["a", "b"]], "tgt": [["c"]]}))
    text = read_text(frame, known=(Known(known.src.vocabulary), Known(known.tgt.vocabulary)))
    classes = word_classes(text.src, 2)
    assert classes.shape == (3,)
    assert set(classes.tolist()) <= {0, 1}


def test_no_classes():
    with pytest.raises(InputError, match="0 word classes"):
        word_classes(side([["a"]]), 0)
