"""A slow reference TESLA-M: merged bags, and linear programs solved by scipy."""

from collections import Counter

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st
from scipy.optimize import linprog

from alignframe.core.schemas import ANALYSED
from alignframe.language.synonyms import Synonyms

LEMMAS = list("abcdef")
TAGS = ["N", "V", "P"]

tokens = st.tuples(st.sampled_from(LEMMAS), st.sampled_from(TAGS), st.booleans())
"""Lemma, tag, and whether it is a content word, which the tag alone does not say."""

synonym_pairs = st.sets(
    st.tuples(st.sampled_from(LEMMAS), st.sampled_from(LEMMAS)).filter(lambda p: p[0] < p[1]),
    max_size=6,
)


def sentences(longest=9):
    return st.lists(tokens, max_size=longest)


def drawn_sentence(rng, length, lemmas=LEMMAS, content=0.5):
    return [
        (lemmas[rng.integers(len(lemmas))], TAGS[rng.integers(3)], bool(rng.random() < content))
        for _ in range(length)
    ]


def column(rows):
    return pa.array(
        [
            row and [{"word": w, "tag": t, "lemma": w, "content": c} for w, t, c in row]
            for row in rows
        ],
        ANALYSED,
    )


def synonyms(pairs):
    left, right = ([pair[k] for pair in sorted(pairs)] for k in (0, 1))
    return Synonyms.from_pairs(left, right, "test") if pairs else Synonyms.none()


def word_similarity(one, other, kind, pairs):
    if kind == "pos":
        return float(one[1] == other[1])
    if one[0] == other[0]:
        return 1.0
    if kind == "lem":
        return 0.0
    share = (one[0], other[0]) in pairs or (other[0], one[0]) in pairs
    return (share + (one[1] == other[1])) / 2


def similarity(one, other, kind, pairs):
    parts = [word_similarity(x, y, kind, pairs) for x, y in zip(one, other, strict=True)]
    return 0.0 if 0.0 in parts else sum(parts) / len(parts)


def bag(sentence, n, function_weight=0.1):
    """Merge equal n-grams; the weight of each is its count times the weights of its words."""
    weights = Counter()
    for at in range(len(sentence) - n + 1):
        gram = tuple(sentence[at : at + n])
        weights[gram] += np.prod([1.0 if word[2] else function_weight for word in gram])
    return weights


def optimum(x, y, similar):
    """Return the maximum sum of similarity times flow, by HiGHS."""
    i, j = np.nonzero(similar)
    if not i.size:
        return 0.0
    limits = np.zeros((len(x) + len(y), i.size))
    limits[i, np.arange(i.size)] = 1
    limits[len(x) + j, np.arange(i.size)] = 1
    found = linprog(-similar[i, j], limits, [*x, *y], method="highs")
    assert found.status == 0
    return -found.fun


def matched(hyp, ref, n, kind, pairs, function_weight=0.1):
    """Return S and the weights of both bags."""
    x, y = (bag(side, n, function_weight) for side in (hyp, ref))
    similar = np.array([[similarity(one, other, kind, pairs) for other in y] for one in x]).reshape(
        len(x), len(y)
    )
    return optimum(list(x.values()), list(y.values()), similar), sum(x.values()), sum(y.values())


def f(s, hyp, ref, alpha=0.8):
    if s <= 0:
        return 0.0
    p, r = s / hyp, s / ref
    return p * r / (alpha * p + (1 - alpha) * r)


def features(hyp, ref, pairs, alpha=0.8):
    return [
        f(*matched(hyp, ref, n, kind, pairs), alpha) for kind in ("ms", "pos") for n in (1, 2, 3)
    ]


def tesla_m(hyp, ref, pairs, alpha=0.8):
    return sum(features(hyp, ref, pairs, alpha)) / 6
