"""Slow, simple reference aligners, with dictionaries, Python floats, and all paths."""

from collections import defaultdict
from itertools import product
from math import log, prod, sqrt

import polars as pl
from hypothesis import strategies as st

NULL = None

words = st.lists(st.sampled_from("abcd"), min_size=1, max_size=3)
bitexts = st.lists(st.tuples(words, words), min_size=1, max_size=4)


def frame(bitext):
    return pl.DataFrame(
        {"src": [src for src, _ in bitext], "tgt": [tgt for _, tgt in bitext]},
        schema={"src": pl.List(pl.String), "tgt": pl.List(pl.String)},
    )


def as_sets(found):
    return [{(link["i"], link["j"]) for link in row} for row in found["links"].to_list()]


def weighted(found):
    """Return the probability of each link of each row."""
    return [
        {(link["i"], link["j"]): p for link, p in zip(row, weights, strict=True)}
        for row, weights in zip(found["links"], found["probabilities"], strict=True)
    ]


def uniform(bitext):
    """Return t[source word][target word], uniform over words that co-occur in a sentence pair."""
    beside = defaultdict(set)
    for src, tgt in bitext:
        for word in [NULL, *src]:
            beside[word] |= set(tgt)
    return {e: dict.fromkeys(fs, 1 / len(fs)) for e, fs in beside.items()}


def normalized(counts):
    """Return the counts of each row as shares of their sum."""
    return {
        e: {f: value / sum(row.values()) for f, value in row.items()} for e, row in counts.items()
    }


def ibm1(bitext, iterations, t=None):
    """Return t, and the log-likelihood before each iteration."""
    t = t or uniform(bitext)
    history = []
    for _ in range(iterations):
        counts = defaultdict(lambda: defaultdict(float))
        total = 0.0
        for src, tgt in bitext:
            for f in tgt:
                shares = [t[e][f] for e in [NULL, *src]]
                total += log(sum(shares) / len(shares))
                for e, share in zip([NULL, *src], shares, strict=True):
                    counts[e][f] += share / sum(shares)
        history.append(total)
        t = normalized(counts)
    return t, history


class Chain:
    """The weights of jumps by class, of first positions, and of ends."""

    def __init__(self, max_jump, smoothing, p0, classes):
        self.max_jump, self.smoothing, self.p0, self.classes = max_jump, smoothing, p0, classes
        self.weights = {"first": dict.fromkeys(range(max_jump + 1), 1.0)}
        self.weights["last"] = dict(self.weights["first"])
        for group in set(classes.values()):
            self.weights[group] = dict.fromkeys(range(-max_jump, max_jump + 1), 1.0)

    def choices(self, place, src):
        """Return the possible weights and that of each word, after a position (0 is the start)."""
        if place == 0:
            return "first", [min(i, self.max_jump) for i in range(len(src))]
        jumps = [i - (place - 1) for i in range(len(src))]
        cut = [max(-self.max_jump, min(self.max_jump, jump)) for jump in jumps]
        return self.classes[src[place - 1]], cut

    def ends(self, src):
        """Return the weight of ending at each position, from 0 (no word was linked)."""
        return "last", [min(len(src) - place, self.max_jump) for place in range(len(src) + 1)]

    def share(self, name, keys, chosen):
        """Return a weight divided by the sum of the possible ones."""
        weights = [self.weights[name][key] for key in keys]
        if sum(weights) == 0:
            return 1 / len(keys)
        return weights[chosen] / sum(weights)


def paths(n_src, n_tgt):
    """Return all alignments: a source position or NULL for each target word."""
    return product([NULL, *range(n_src)], repeat=n_tgt)


def steps(path):
    """Return the position before each word of a path, and the last position; 0 is the start."""
    place = 0
    before = []
    for i in path:
        before.append(place)
        place = place if i is NULL else i + 1
    return before, place


def path_probability(path, src, tgt, t, chain):
    """Return p(path, tgt | src)."""
    before, end = steps(path)
    factors = []
    for i, r, f in zip(path, before, tgt, strict=True):
        if i is NULL:
            factors.append(chain.p0 * t[NULL][f])
        else:
            share = (1 - chain.smoothing) * chain.share(*chain.choices(r, src), i)
            factors.append((1 - chain.p0) * (share + chain.smoothing / len(src)) * t[src[i]][f])
    return prod(factors) * chain.share(*chain.ends(src), end)


def posteriors(src, tgt, t, chain):
    """Return p(path | src, tgt) of every path, and p(tgt | src)."""
    found = {path: path_probability(path, src, tgt, t, chain) for path in paths(len(src), len(tgt))}
    total = sum(found.values())
    return {path: p / total for path, p in found.items()}, total


def hmm(bitext, iterations, t, chain):
    """Train t and the chain's weights; return t and the log-likelihood before each iteration."""
    history = []
    for _ in range(iterations):
        counts = defaultdict(lambda: defaultdict(float))
        taken = defaultdict(lambda: defaultdict(float))
        chances = defaultdict(lambda: defaultdict(float))
        log_likelihood = 0.0

        def count(name, keys, chosen, times, taken=taken, chances=chances):
            """Count the weight that was used, and the weights that could have been."""
            total = sum(chain.weights[name][key] for key in keys)
            if total > 0:
                taken[name][keys[chosen]] += times
                for key in keys:
                    chances[name][key] += times / total

        for src, tgt in bitext:
            found, total = posteriors(src, tgt, t, chain)
            log_likelihood += log(total)
            for path, p in found.items():
                before, end = steps(path)
                for i, r, f in zip(path, before, tgt, strict=True):
                    counts[NULL if i is NULL else src[i]][f] += p
                    if i is not NULL:
                        name, keys = chain.choices(r, src)
                        share = (1 - chain.smoothing) * chain.share(name, keys, i)
                        by_weight = share / (share + chain.smoothing / len(src))
                        count(name, keys, i, p * by_weight)
                count(*chain.ends(src), end, p)
        history.append(log_likelihood)
        t = normalized(counts)
        for name, weights in chain.weights.items():
            new = {
                key: taken[name][key] / chances[name][key] if chances[name][key] > 0 else 0.0
                for key in weights
            }
            if sum(new.values()) > 0:
                chain.weights[name] = {key: w / sum(new.values()) for key, w in new.items()}
    return t, history


def links(src, tgt, t, chain):
    """Return the probability of each link (i, j)."""
    found = defaultdict(float)
    for path, p in posteriors(src, tgt, t, chain)[0].items():
        for j, i in enumerate(path):
            found[i, j] += p
    return found


def agreed_counts(bitext, ts, chains):
    """Return the counts of each direction; a link counts as the geometric mean of its two
    posteriors.
    """
    texts = [bitext, [(tgt, src) for src, tgt in bitext]]
    counts = [defaultdict(lambda: defaultdict(float)) for _ in texts]
    for pairs in zip(*texts, strict=True):
        likely = [links(*pairs[k], ts[k], chains[k]) for k in (0, 1)]
        for k, (src, tgt) in enumerate(pairs):
            for j, f in enumerate(tgt):
                mean = [sqrt(likely[k][i, j] * likely[1 - k][j, i]) for i in range(len(src))]
                for e, m in zip(src, mean, strict=True):
                    counts[k][e][f] += m / max(sum(mean), 1)
                counts[k][NULL][f] += max(1 - sum(mean), 0)
    return counts
