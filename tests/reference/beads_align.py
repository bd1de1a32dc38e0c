"""Slow, simple reference versions of the sentence aligners, which enumerate every path.

A bead is a tuple (src_start, src_end, tgt_start, tgt_end), a path a tuple of beads, a score a
logarithm. A length is None if a sentence has no words.
"""

from collections import Counter
from functools import cache
from itertools import pairwise
from math import exp, inf, lgamma, log, prod

from scipy.special import log_ndtr

SKIPS = ((1, 0), (0, 1))


# --- paths


@cache
def paths(m, n, kinds):
    """Return all segmentations of m and n sentences into beads."""
    if m == n == 0:
        return [()]
    found = []
    for a, b in (*kinds, *SKIPS):
        if a <= m and b <= n:
            last = (m - a, m, n - b, n)
            found += [(*path, last) for path in paths(m - a, n - b, kinds)]
    return found


def points(path):
    """Return the number of sentences of each side before, between and after the beads."""
    return [(0, 0), *((bead[1], bead[3]) for bead in path)]


def within(found, inside):
    """Return the paths all of whose points are among the given ones."""
    return [path for path in found if inside.issuperset(points(path))]


def total(path, score, again=0.0):
    """Return the score of a path; a skip after a skip adds ``again`` to its own score."""
    skips = [not is_full(bead) for bead in path]
    return sum(score(bead) for bead in path) + again * sum(
        one and other for one, other in pairwise(skips)
    )


def log_sum(values):
    top = max(values, default=-inf)
    return top if top == -inf else top + log(sum(exp(value - top) for value in values))


class Posteriors:
    """Return the probability of each bead and each point, summed over all paths through it."""

    def __init__(self, found, score, again=0.0):
        scores = {path: total(path, score, again) for path in found}
        self.total = log_sum(scores.values())
        self.best = max(scores.values())
        self.beads, self.points = Counter(), Counter()
        for path, value in scores.items():
            p = exp(value - self.total)
            for bead in path:
                self.beads[bead] += p
            for point in points(path):
                self.points[point] += p

    def full(self):
        return {bead: p for bead, p in self.beads.items() if is_full(bead)}

    def covered(self, side, number):
        """Return the probability that a sentence has a translation."""
        return sum(p for bead, p in self.full().items() if number in sides(bead)[side])

    def score(self, bead):
        """Return a bead's probability; for a skipped sentence, that of being unaligned."""
        if is_full(bead):
            return self.beads[bead]
        side = 0 if sides(bead)[0] else 1
        return 1 - self.covered(side, bead[2 * side])


def sides(bead):
    return range(*bead[:2]), range(*bead[2:])


def is_full(bead):
    return all(sides(bead))


def agreeing(probabilities, threshold):
    """Return the beads above a threshold, most probable first, without those that conflict."""
    taken = []
    for bead, p in sorted(probabilities.items(), key=lambda row: -row[1]):
        if p > threshold and all(agree(bead, other) for other in taken):
            taken.append(bead)
    return sorted(taken)


def agree(one, two):
    """Return whether two beads can be on one path."""
    first, second = sorted((one, two))
    return first[1] <= second[0] and first[3] <= second[2]


# --- lengths


def prior(bead, priors):
    size = tuple(map(len, sides(bead)))
    return log(
        {
            (1, 1): 1 - 2 * priors["skip"] - 2 * priors["merge"] - priors["two_two"],
            (2, 1): priors["merge"],
            (1, 2): priors["merge"],
            (2, 2): priors["two_two"],
            (1, 0): priors["skip"],
            (0, 1): priors["skip"],
        }[size]
    )


def kinds_of(priors):
    kinds = [(1, 1)] + [(2, 1), (1, 2)] * (priors["merge"] > 0) + [(2, 2)] * (priors["two_two"] > 0)
    return tuple(kinds)


def ratios_of(src, tgt, model):
    """Return the ratio of mean lengths, and that of total lengths if it differs."""
    here, there = ([length for length in side if length] for side in (src, tgt))
    if not here or not there:
        return [1.0]
    whole = sum(there) / sum(here)
    if model is normal:
        return [whole]
    mean = whole * len(here) / len(there)
    return [mean] if abs(whole - mean) < 0.01 * mean else [mean, whole]


def fitted(model, src, tgt, priors, found):
    """Return the model with the ratio that gives the best path, and whether another ties."""
    models = [model(src, tgt, priors, ratio) for ratio in ratios_of(src, tgt, model)]
    best = [max(total(path, score) for path in found) for score in models]
    return models[best.index(max(best))], max(best) - min(best) < 1e-6 and len(best) > 1


def frequencies(lengths):
    return parts(Counter(length for length in lengths if length is not None))


def poisson(src, tgt, priors, ratio):
    """Return Moore's joint probability of a bead and the lengths of all its sentences.

    A bead generates the sum of the target lengths from its source sentences; the frequencies of
    lengths say which two make up that sum.
    """
    of_src, of_tgt = frequencies(src), frequencies(tgt)

    def score(bead):
        ours, theirs = lengths_of(bead, src, tgt)
        if None in ours + theirs:
            # A blank sentence has no length that costs anything, and no translation.
            return -inf if is_full(bead) else prior(bead, priors)
        paid = prior(bead, priors) + sum(log(of_src[length]) for length in ours)
        if not is_full(bead):
            return paid + sum(log(of_tgt[length]) for length in theirs)
        mean, length = ratio * sum(ours), sum(theirs)
        paid += length * log(mean) - mean - lgamma(length + 1)
        if len(theirs) == 2:
            ways = [a for a in of_tgt if length - a in of_tgt]
            sums = sum(of_tgt[a] * of_tgt[length - a] for a in ways)
            paid += log(prod(of_tgt[part] for part in theirs) / sums)
        return paid

    return score


def alone(src, tgt):
    """Return the cost of all sentences if each is generated by itself."""
    parts = ((frequencies(side), side) for side in (src, tgt))
    return sum(log(of[length]) for of, side in parts for length in side if length is not None)


def normal(src, tgt, priors, ratio, variance=6.8):
    """Return Gale & Church's probability of a length difference at least this large."""

    def score(bead):
        ours, theirs = lengths_of(bead, src, tgt)
        if is_full(bead) and None in ours + theirs:
            return -inf
        long, other = (sum(filter(None, lengths)) for lengths in (ours, theirs))
        return prior(bead, priors) + tail(long, other, ratio, variance)

    return score


def tail(src, tgt, ratio, variance):
    mean = (src + tgt / ratio) / 2
    delta = (tgt - src * ratio) / (variance * mean) ** 0.5 if mean else 0.0
    return log(2) + float(log_ndtr(-abs(delta)))


def lengths_of(bead, src, tgt):
    return tuple(
        [side[k] for k in part] for part, side in zip(sides(bead), (src, tgt), strict=True)
    )


# --- words


def told_apart(sentences, most, least):
    """Return sentences with all rare words replaced by one word."""
    counts = Counter(word for sentence in sentences for word in sentence)
    kept = {word for word, count in counts.most_common(most) if count >= least}
    return [[word if word in kept else "(other)" for word in sentence] for sentence in sentences]


def model_1(pairs, known, vocabulary, iterations):
    """Return p(target | source) from sentence pairs; None is the empty word of every pair.

    At first, all target words that a word meets in any ``known`` pair are equally probable. A
    source word with less than an even share of a target word leaves it to the empty word.
    """
    met = {None: set(vocabulary)}
    for src, tgt in known:
        for word in src:
            met.setdefault(word, set()).update(tgt)
    uniform = {s: dict.fromkeys(words, 1 / len(words)) for s, words in met.items() if words}
    p, counts = uniform, {}
    for _ in range(iterations):
        counts = {s: Counter() for s in uniform}
        for src, tgt in pairs:
            for t in tgt:
                whole = sum(p[s][t] for s in (None, *src))
                for s in (None, *src):
                    share = p[s][t] / whole
                    small = share < (1 - 1e-9) / (len(src) + 1)
                    counts[None if small else s][t] += share
        p = {
            s: {t: counts[s][t] / counts[s].total() for t in row} if counts[s].total() else row
            for s, row in uniform.items()
        }
    return {s: row for s, row in p.items() if counts[s].total()}


def parts(counts):
    return {word: count / counts.total() for word, count in counts.items()}


def word_factor(src, tgt, p, frequency, smoothing):
    """Return the log ratio of Model 1's probability of target words to their frequencies.

    ``p`` has a dictionary for each source word, with None for the empty word. A missing source word
    is uninformative: it generates words by frequency. Target words without a frequency are ignored.
    """
    value = 0.0
    for word in tgt:
        if word in frequency:
            rows = [p.get(source, frequency) for source in (None, *src)]
            mean = sum(row.get(word, 0.0) for row in rows) / len(rows)
            ratio = smoothing + (1 - smoothing) * mean / frequency[word]
            value += log(ratio) if ratio > 0 else -inf
    return value


def shares(sentences):
    """Return the relative frequency of each word."""
    return parts(Counter(word for sentence in sentences for word in sentence))
