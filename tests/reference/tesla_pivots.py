"""Slow, simple reference pivot tables and expected n-grams, over all spans, segmentations and
paths.
"""

import itertools
import math
from collections import Counter, defaultdict


def phrase_counts(tgt, pivot, links, longest):
    """Count pairs of phrases in a sentence pair: no link leads out of them, and at least one is
    inside.
    """
    found = Counter()
    spans = [
        [(a, b) for a in range(len(side)) for b in range(a + 1, min(len(side), a + most) + 1)]
        for side, most in zip((tgt, pivot), longest, strict=True)
    ]
    for (s, e), (t, u) in itertools.product(*spans):
        inside = [s <= i < e for i, _ in links], [t <= j < u for _, j in links]
        if inside[0] == inside[1] and any(inside[0]):
            found[tuple(tgt[s:e]), tuple(pivot[t:u])] += 1
    return found


def segmentation(words, counts):
    """Return the most probable segmentation; among equals, that with the longest first phrases."""
    total = sum(counts.values())

    def score(run):
        return math.fsum(math.log(counts.get(phrase, 0.5) / total) for phrase in run)

    runs = []
    for cuts in itertools.product((False, True), repeat=max(0, len(words) - 1)):
        ends = [k + 1 for k, cut in enumerate(cuts) if cut] + [len(words)]
        run = [tuple(words[a:b]) for a, b in itertools.pairwise([0, *ends])]
        if all(phrase in counts or len(phrase) == 1 for phrase in run):
            runs.append(run)
    best = max(map(score, runs))
    good = [run for run in runs if score(run) > best - 1e-9]
    return max(good, key=lambda run: [len(phrase) for phrase in run])


def columns(tokens, table, run):
    """Return the alternatives of each phrase as pairs of probability and tokens.

    ``table`` maps a phrase to pairs of probability and tokens; a token is a tuple of lemma, tag and
    content.
    """
    found, at = [], 0
    for phrase in run:
        found.append(table.get(phrase) or [(1.0, [tokens[at]])])
        at += len(phrase)
    return found


def ngrams(network, n, field, function_weight):
    """Return the expected weight of every n-gram, path by path; columns sum to 1."""
    found = defaultdict(float)
    for path in itertools.product(*network):
        p = math.prod(probability for probability, _ in path)
        tokens = [token for _, alternative in path for token in alternative]
        for at in range(len(tokens) - n + 1):
            gram = tokens[at : at + n]
            functions = sum(not content for *_, content in gram)
            found[tuple(token[field] for token in gram)] += p * function_weight**functions
    return dict(found)


def f_measure(hyp, ref, alpha=0.8):
    """Return F of two bags, or None if one is empty or has no weight."""
    if not any(hyp.values()) or not any(ref.values()):
        return None
    shared = math.fsum(min(weight, hyp[gram]) for gram, weight in ref.items() if gram in hyp)
    if shared == 0:
        return 0.0
    precision, recall = shared / math.fsum(hyp.values()), shared / math.fsum(ref.values())
    return precision * recall / (alpha * precision + (1 - alpha) * recall)
