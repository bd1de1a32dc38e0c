"""A slow, simple Gibbs sampler of alignments, with dictionaries, Python floats and no tables.

An alignment has a list of positions per sentence: a source position for each target word, or None
for NULL.
"""

from collections import defaultdict
from itertools import pairwise, product
from math import exp, lgamma, log

from hypothesis import strategies as st

NULL = None
BY_WORD, BY_JUMP, BY_FERTILITY = 1, 2, 3
MAX_JUMP, MAX_FERTILITY = 100, 8
PSEUDO = 0.5  # the pseudo-count of every fertility and jump

sources = st.lists(st.sampled_from("abcd"), min_size=1, max_size=3)
targets = st.lists(st.sampled_from("uvwx"), min_size=1, max_size=5)
bitexts = st.lists(st.tuples(sources, targets), min_size=1, max_size=4)


class Generator:
    """Marsaglia's 64-bit xorshift (2003); the upper 24 bits give a number from 0 to 1."""

    def __init__(self, state):
        self.state = state

    def draw(self):
        x = self.state
        x ^= (x << 13) % 2**64
        x ^= x >> 7
        x ^= (x << 17) % 2**64
        self.state = x
        return (x >> 40) / 2**24


def start(bitext, null, random):
    alignment = []
    for src, tgt in bitext:
        places = []
        for _ in tgt:
            linked = random.draw() >= null
            places.append(min(int(random.draw() * len(src)), len(src) - 1) if linked else NULL)
        alignment.append(places)
    return alignment


class Counts:
    """Counts of links, and of source words with 0, 1, ... target words."""

    def __init__(self, bitext, alpha):
        self.alpha = alpha
        # NULL co-occurs with all target words, and with one that is not in the vocabulary.
        self.beside = {NULL: {f for _, tgt in bitext for f in tgt} | {"unknown"}}
        for src, tgt in bitext:
            for e in src:
                self.beside.setdefault(e, set()).update(tgt)
        self.links = defaultdict(int)
        self.words = {e: [0] * (MAX_FERTILITY + 1) for e in self.beside if e is not NULL}

    def pair(self, e, f):
        return self.links[e, f] + self.alpha

    def total(self, e):
        return sum(self.pair(e, f) for f in self.beside[e])

    def translation(self, e, f, without=0):
        """Return p(f | e), not counting ``without`` links of the pair."""
        return (self.pair(e, f) - without) / (self.total(e) - without)

    def one_more(self, e, k):
        """Return how much more probable k + 1 words for a source word are than k."""
        k = min(k, MAX_FERTILITY - 1)
        return (self.words[e][k + 1] + PSEUDO) / (self.words[e][k] + PSEUDO)

    def link(self, src, tgt, places, j, more):
        self.links[NULL if places[j] is NULL else src[places[j]], tgt[j]] += more

    def fertilities(self, src, places, more):
        for i, e in enumerate(src):
            self.words[e][min(places.count(i), MAX_FERTILITY)] += more

    def add(self, bitext, alignment):
        for (src, tgt), places in zip(bitext, alignment, strict=True):
            for j in range(len(tgt)):
                self.link(src, tgt, places, j, 1)
            self.fertilities(src, places, 1)


def cut(width):
    return max(-MAX_JUMP, min(MAX_JUMP, width))


def jumps_of(bitext, alignment):
    """Counts of jumps by width; a sentence starts at -1 and ends after its last word."""
    counts = defaultdict(int)
    for (src, _), places in zip(bitext, alignment, strict=True):
        stops = [-1, *(i for i in places if i is not NULL), len(src)]
        for here, there in pairwise(stops):
            counts[cut(there - here)] += 1
    return counts


def jump_probability(counts):
    total = sum(counts.values()) + PSEUDO * (2 * MAX_JUMP + 1)
    return lambda width: (counts[cut(width)] + PSEUDO) / total


def weights(src, tgt, places, j, counts, jump, null_odds, stage):
    """Return the weight of each position of a target word, given all others.

    The counts that it has added are removed at its own position only; other positions of the same
    source word keep them.
    """
    f, old = tgt[j], places[j]
    before = next((i for i in reversed(places[:j]) if i is not NULL), -1)
    after = next((i for i in places[j + 1 :] if i is not NULL), len(src))
    null = null_odds * (len(src) if stage == BY_WORD else jump(after - before))
    found = {NULL: null * counts.translation(NULL, f, int(old is NULL))}
    for i, e in enumerate(src):
        found[i] = counts.translation(e, f, int(i == old))
        if stage != BY_WORD:
            found[i] *= jump(i - before) * jump(after - i)
        if stage == BY_FERTILITY:
            others = places.count(i) - (i == old)
            found[i] *= counts.one_more(e, others)
    return found


class Sweep:
    """The result of sampling every word once; ``margin`` is the closest margin of any choice.

    ``seen`` has the probability of each position of each word, if above a hundredth. ``turned``
    has, for each sentence, the target position of each source word in the other direction: links in
    both are ``favour`` times as probable.
    """

    def __init__(self, bitext, alignment, counts, jump, null_odds, stage, random, turned, favour):
        self.margin, self.moved, self.log_probability, self.seen = 1.0, 0, 0.0, []
        for s, ((src, tgt), places) in enumerate(zip(bitext, alignment, strict=True)):
            counts.fertilities(src, places, -1)
            for j in range(len(tgt)):
                found = weights(src, tgt, places, j, counts, jump, null_odds, stage)
                for i in found:
                    if i is not NULL and turned and turned[s][i] == j:
                        found[i] *= favour
                total = sum(found.values())
                self.seen.append({i: w / total for i, w in found.items() if w / total > 0.01})
                new = self.choose(found, places[j], random.draw())
                self.moved += new != places[j]
                counts.link(src, tgt, places, j, -1)
                places[j] = new
                counts.link(src, tgt, places, j, 1)
                before = next((i for i in reversed(places[:j]) if i is not NULL), -1)
                if new is NULL:
                    p = null_odds * counts.translation(NULL, tgt[j])
                else:
                    p = counts.translation(src[new], tgt[j]) * jump(new - before)
                self.log_probability += log(p)
            counts.fertilities(src, places, 1)

    def choose(self, found, old, chance):
        """Choose a position: the previous one comes first, then NULL, then the others."""
        order = dict.fromkeys([old, NULL, *sorted(i for i in found if i is not NULL)])
        total, sum_so_far = sum(found.values()), 0.0
        chosen = None
        for i in order:
            sum_so_far += found[i] / total
            self.margin = min(self.margin, abs(chance - sum_so_far))
            if chosen is None and chance < sum_so_far:
                chosen = [i]
        return chosen[0]


def every_alignment(bitext):
    each = [product([NULL, *range(len(src))], repeat=len(tgt)) for src, tgt in bitext]
    return product(*each)


def posterior(bitext, alpha, null_odds, stage, jump, fertility):
    """Return p(alignment) of every alignment, with the translations integrated out.

    Jumps and fertilities (``fertility[k]`` for every source word) are parameters.
    """
    logs = {}
    for alignment in every_alignment(bitext):
        counts = Counts(bitext, alpha)
        counts.add(bitext, alignment)
        value = 0.0
        for e, fs in counts.beside.items():
            value += lgamma(alpha * len(fs)) - lgamma(counts.total(e))
            value += sum(lgamma(counts.pair(e, f)) - lgamma(alpha) for f in fs)
        for (src, _), places in zip(bitext, alignment, strict=True):
            each = null_odds * (len(src) if stage == BY_WORD else 1.0)
            value += places.count(NULL) * log(each)
            if stage != BY_WORD:
                stops = [-1, *(i for i in places if i is not NULL), len(src)]
                value += sum(log(jump(b - a)) for a, b in pairwise(stops))
            if stage == BY_FERTILITY:
                value += sum(log(fertility[places.count(i)]) for i in range(len(src)))
        logs[alignment] = value
    most = max(logs.values())
    total = sum(exp(value - most) for value in logs.values())
    return {alignment: exp(value - most) / total for alignment, value in logs.items()}
