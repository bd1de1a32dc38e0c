"""Slow, literal versions of Models 3 and 4 (Brown et al. 1993), with lists, dictionaries and all
factors.

An alignment is a list with a source position for each target word, from 1, with 0 for NULL.
Probabilities are ``t[j][i]``, ``n[i][phi]`` (phi up to 10; each further word costs 1e-7), ``p0``,
Model 3's ``d[j][i]``, and Model 4's ``d1[class before][class of head][jump + 100]`` and
``more[class][jump]``; ``a_class[i]`` is the class of source word i (index 0 is the start),
``b_class[j]`` that of target word j. Target words are counted from 1, as in the paper, so that the
centre of the start is 0.
"""

import math
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise, product


@dataclass
class Case:
    """A sentence pair with its probabilities; without ``d``, for Model 4."""

    t: list
    n: list
    p0: float
    a_class: list
    b_class: list
    d: list | None = None
    d1: list | None = None
    more: list | None = None

    @property
    def n_src(self):
        return len(self.n) - 1

    @property
    def m(self):
        return len(self.t)


def fertility_probability(row, phi):
    return row[phi] if phi <= 10 else row[10] * 1e-7 ** (phi - 10)


def cepts(a, n_src):
    """Return the target positions of each source word, from 1, in order."""
    return [[j + 1 for j, i in enumerate(a) if i == place] for place in range(n_src + 1)]


def cut(jump):
    return min(max(jump, -100), 100)


def jumps(a, case):
    """Return (kind, classes, jump) of every word that is not linked to NULL."""
    found = []
    before, centre = 0, 0
    for i, places in enumerate(cepts(a, case.n_src)):
        if i == 0 or not places:
            continue
        head = case.b_class[places[0] - 1]
        found.append(("head", case.a_class[before], head, cut(places[0] - centre)))
        for last, here in pairwise(places):
            found.append(("more", case.b_class[here - 1], cut(here - last)))
        before, centre = i, math.ceil(sum(places) / len(places))
    return found


def log_probability(a, case):
    tau = cepts(a, case.n_src)
    phi0 = len(tau[0])
    rest = case.m - 2 * phi0
    if rest < 0:
        return -math.inf
    total = math.log(math.comb(case.m - phi0, phi0))
    total += rest * math.log(case.p0) + phi0 * math.log(1 - case.p0)
    for i in range(1, case.n_src + 1):
        phi = len(tau[i])
        total += math.log(fertility_probability(case.n[i], phi))
        if case.d is not None:
            # Beyond ten words, the orderings are those of ten.
            total += math.log(math.factorial(min(phi, 10)))
    for j, i in enumerate(a):
        total += math.log(max(case.t[j][i], 1e-7))
        if case.d is not None and i > 0:
            total += math.log(case.d[j][i])
    if case.d1 is not None:
        for kind, *key in jumps(a, case):
            if kind == "head":
                g, h, jump = key
                total += math.log(case.d1[g][h][jump + 100])
            else:
                h, jump = key
                total += math.log(case.more[h][jump])
    return total


def moves(a, case):
    """Return every move (j, i) with its alignment."""
    for j, i in product(range(case.m), range(case.n_src + 1)):
        if i != a[j]:
            yield (j, i), [*a[:j], i, *a[j + 1 :]]


def swaps(a, case):
    """Return every swap (j, k), j < k, with its alignment."""
    for j, k in product(range(case.m), range(case.m)):
        if j < k and a[j] != a[k]:
            b = list(a)
            b[j], b[k] = a[k], a[j]
            yield (j, k), b


def neighbours(a, case):
    return [b for _, b in moves(a, case)] + [b for _, b in swaps(a, case)]


def all_alignments(case):
    for a in product(range(case.n_src + 1), repeat=case.m):
        if 2 * a.count(0) <= case.m:
            yield list(a)


def expectation(a, case):
    """Return counts over an alignment and its neighbours, and the log of their probability."""
    best = log_probability(a, case)
    weights = [(a, 1.0)]
    for b in neighbours(a, case):
        log = log_probability(b, case) - best
        if log >= math.log(1e-7):
            weights.append((b, math.exp(log)))
    total = sum(weight for _, weight in weights)
    counts = Counter()
    for b, weight in weights:
        share = weight / total
        for j, i in enumerate(b):
            counts["link", j, i] += share
        for i, places in enumerate(cepts(b, case.n_src)):
            if i > 0:
                counts["fertility", i, min(len(places), 10)] += share
        nulls = b.count(0)
        counts["null", 0] += share * (case.m - 2 * nulls)
        counts["null", 1] += share * nulls
        for jump in jumps(b, case):
            counts[jump] += share
    return counts, best + math.log(total)


def class_likelihood(sentences, classes, n):
    """Return the classes' part of the log-likelihood of bigrams; the boundary has class n."""
    pairs, sizes = Counter(), Counter()
    for words in sentences:
        tags = [n, *(classes[word] for word in words), n]
        pairs.update(pairwise(tags))
        sizes.update(tags[:-1])
    return sum(k * math.log(k) for k in pairs.values()) - 2 * sum(
        k * math.log(k) for k in sizes.values()
    )
