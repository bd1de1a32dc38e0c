"""Slow, simple reference candidates and lexicons (Melamed 1995, section 4), over Python sets.

A text is a list of ``Pair``. A cell ``(i, j)`` of a pair is a position in its source and one in its
target. A filter is a tuple of its kind and its arguments; see ``filter_of``.
"""

import math
import unicodedata
import zlib
from collections import defaultdict
from functools import cache
from itertools import combinations, pairwise, product
from typing import NamedTuple

import polars as pl
import pyarrow as pa
from hypothesis import strategies as st

from alignframe import lexicon
from alignframe.functions import llr

ORACLES = ("cognate", "prefix", "list")


class Pair(NamedTuple):
    src: list
    tgt: list
    src_tags: list
    tgt_tags: list


def full(text):
    return [pair for pair in text if pair.src and pair.tgt]


# --- spelling


@cache
def fold(word, bare=False):
    word = unicodedata.normalize("NFC", unicodedata.normalize("NFC", word).casefold())
    if not bare:
        return word
    letters = [a for a in unicodedata.normalize("NFD", word) if unicodedata.category(a) != "Mn"]
    return unicodedata.normalize("NFC", "".join(letters))


@cache
def lcs(a, b):
    """Return the length of the longest common subsequence."""
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, j in product(range(len(a)), range(len(b))):
        if a[i] == b[j]:
            table[i + 1][j + 1] = table[i][j] + 1
        else:
            table[i + 1][j + 1] = max(table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


@cache
def knows(oracle, s, t):
    """Return whether an oracle accepts t as a translation of s."""
    kind, what, option = oracle
    if kind == "list":
        return (fold(s), fold(t)) in folded_list(what) if option else (s, t) in what
    s, t = fold(s, option), fold(t, option)
    if kind == "cognate":
        longest = max(len(s), len(t))
        return longest > 0 and lcs(s, t) / longest >= what
    if s.isalpha() and t.isalpha():
        return min(len(s), len(t)) >= what and s[:what] == t[:what]
    return s == t


@cache
def folded_list(what):
    return {(fold(s), fold(t)) for s, t in what}


# --- filters


def known_cells(oracles, pair, cells):
    return {(i, j) for i, j in cells if any(knows(o, pair.src[i], pair.tgt[j]) for o in oracles)}


def keep_known(known, cells, pair):
    """Words with a known candidate keep known ones only, wherever they stand in the sentence."""
    sources, targets = {pair.src[i] for i, _ in known}, {pair.tgt[j] for _, j in known}
    return {
        (i, j)
        for i, j in cells
        if (i, j) in known or (pair.src[i] not in sources and pair.tgt[j] not in targets)
    }


def chain(points):
    """Return the longest chain that ascends on both sides; among equals, that with the first
    points.
    """
    points = sorted(points)
    if len(points) < 9:
        chains = [
            some
            for n in range(len(points) + 1)
            for some in combinations(points, n)
            if all(a < c and b < d for (a, b), (c, d) in pairwise(some))
        ]
        return min(chains, key=lambda some: (-len(some), some))
    best = {}
    for point in reversed(points):
        tails = [best[other] for other in best if point[0] < other[0] and point[1] < other[1]]
        best[point] = (point, *min(tails, key=lambda some: (-len(some), some), default=()))
    return min(best.values(), key=lambda some: (-len(some), some))


def keep_aligned(known, cells):
    points = chain(known)
    ends = [(-1, -1), *points, (math.inf, math.inf)]
    inside = {
        (i, j)
        for i, j in cells
        if any(a < i < c and b < j < d for (a, b), (c, d) in pairwise(ends))
    }
    return inside | (set(points) & cells)


def cells_left(pair, cascade):
    """Return the cells of a pair that a cascade of filters keeps."""
    cells = set(product(range(len(pair.src)), range(len(pair.tgt))))
    for one in cascade:
        if one[0] in ORACLES:
            cells = keep_known(known_cells([one], pair, cells), cells, pair)
        elif one[0] == "alignment":
            every = [other for other in cascade if other[0] in ORACLES]
            cells = keep_aligned(known_cells(every, pair, cells), cells)
        elif one[0] == "pos":
            cells = {
                (i, j) for i, j in cells if same_class(one, pair.src_tags[i], pair.tgt_tags[j])
            }
        else:
            cells = {(i, j) for i, j in cells if approves(one[1], pair.src[i], pair.tgt[j])}
    return cells


@cache
def approves(seed, s, t):
    """An arbitrary predicate, asked about the same words again and again."""
    return zlib.crc32(f"{seed} {s} {t}".encode()) % 4 > 0


UNIVERSAL = {"NOUN": "n", "PROPN": "n", "VERB": "v", "AUX": "v", "X": "x"}
OWN = {("src", "NOUN"): "1", ("src", "*"): "2", ("tgt", "*"): "1"}
OWN |= {("tgt", "VERB"): "2", ("src", "X"): "3", ("tgt", "X"): "3"}


def same_class(one, src_tag, tgt_tag):
    if one[1] == "universal":
        return UNIVERSAL[src_tag] == UNIVERSAL[tgt_tag]
    of_src = OWN.get(("src", src_tag), OWN["src", "*"])
    return of_src == OWN.get(("tgt", tgt_tag), OWN["tgt", "*"])


def filter_of(one):
    """Return the filter of alignframe."""
    if one[0] == "cognate":
        return lexicon.Cognate(one[1], one[2])
    if one[0] == "prefix":
        return lexicon.Prefix(one[1], one[2])
    if one[0] == "list":
        rows = pl.DataFrame(sorted(one[1]), {"src": pl.String, "tgt": pl.String}, orient="row")
        return lexicon.WordList(rows, fold_case=one[2])
    if one[0] == "alignment":
        return lexicon.Alignment()
    if one[0] == "pos":
        rows = [(*key, name) for key, name in OWN.items()]
        own = pl.DataFrame(rows, ["side", "tag", "class"], orient="row")
        return lexicon.PartOfSpeech(None if one[1] == "universal" else own)
    return predicate(lambda s, t: approves(one[1], s, t))


def predicate(function):
    """Return the filter for a function of two words."""

    def judge(src, tgt):
        words = list(zip(src.to_pylist(), tgt.to_pylist(), strict=True))
        assert len(set(words)) == len(words)
        return pa.array([function(*both) for both in words], pa.bool_())

    return lexicon.Predicate(judge)


def filters_of(cascade):
    return [filter_of(one) for one in cascade]


# --- counts


def counted(text, cascade, count):
    """Return how often each pair of words is kept."""
    found = defaultdict(int)
    for pair in full(text):
        rows, columns = defaultdict(set), defaultdict(set)
        for i, j in cells_left(pair, cascade):
            rows[pair.src[i], pair.tgt[j]].add(i)
            columns[pair.src[i], pair.tgt[j]].add(j)
        for both in rows:
            found[both] += 1 if count == "types" else min(len(rows[both]), len(columns[both]))
    return dict(found)


def totals(text, count):
    """Return how often each word of either side is counted, and the total of the tables."""
    src, tgt, total = defaultdict(int), defaultdict(int), 0
    for pair in full(text):
        for counts, words in ((src, pair.src), (tgt, pair.tgt)):
            for word in set(words):
                counts[word] += 1 if count == "types" else words.count(word)
        total += 1 if count == "types" else max(len(pair.src), len(pair.tgt))
    return src, tgt, total


def candidates(text, cascade, count):
    """Return rows of src, tgt, n_both, n_src, n_tgt, n_pairs."""
    left, whole = counted(text, cascade, count), counted(text, [], count)
    src, tgt, total = totals(text, count)
    rows = []
    for (s, t), both in left.items():
        silent = whole[s, t] - both
        rows.append((s, t, both, src[s] - silent, tgt[t] - silent, total - silent))
    return sorted(rows, key=lambda row: (row[0].encode(), row[1].encode()))


def ratio(both, src, tgt, n, signed):
    """Return -2 log lambda, from the cells of the table minus its margins."""
    cells = [both, src - both, tgt - both, n - src - tgt + both]
    margins = [src, n - src, tgt, n - tgt]
    found = 2 * (math.fsum(map(xlogx, [*cells, n])) - math.fsum(map(xlogx, margins)))
    return -found if signed and both * n < src * tgt else found


def xlogx(k):
    return k * math.log(k) if k else 0.0


def n_best(text, cascade, count, n, signed, least):
    """Return rows of src, tgt, rank, llr, n_both, n_src, n_tgt, with the ratios of
    ``functions.llr``.
    """
    src, tgt, _ = totals(text, count)
    rows = [row for row in candidates(text, cascade, count) if row[2] >= least]
    ratios = llr(*(pa.array([row[k] for row in rows], pa.int64()) for k in range(2, 6)), signed)
    scored = list(zip(rows, ratios.to_pylist(), strict=True))
    found = []
    for word in sorted(src, key=str.encode):
        mine = [(row, score) for row, score in scored if row[0] == word]
        mine.sort(key=lambda one: (-one[1], -one[0][2], one[0][1].encode()))
        found += [
            (word, row[1], rank, score, row[2], src[word], tgt[row[1]])
            for rank, (row, score) in enumerate(mine[:n], 1)
        ]
    return found


# --- random texts and cascades

# Similar words, in NFC, in which all text is compared; words of 64 letters; the empty word.
LONG = ["ab" * 35, "ab" * 34 + "c", "b" + "ab" * 31 + "c"]
WORDS = ["a", "b", "A", "of", "conseil", "Conseils", "conservative", "gouvernement", "government"]
WORDS += ["été", "ETE", "ete", "straße", "STRASSE", "naïve", "naives", "naive"]
WORDS += ["12", "1.2", "", "日本", "日本語", "q\u0303abc", "q\u0303abd", *LONG]
TAGS = ["NOUN", "PROPN", "VERB", "AUX", "X"]

flags = st.booleans()
words = st.sampled_from(WORDS)
sides = st.lists(words, max_size=6)
lists = st.frozensets(st.tuples(words, words), max_size=12)
oracles = st.one_of(
    st.tuples(st.just("cognate"), st.sampled_from([0.3, 0.5, 0.58, 0.75, 10 / 12, 1]), flags),
    st.tuples(st.just("prefix"), st.integers(1, 5), flags),
    st.tuples(st.just("list"), lists, flags),
)
predicates = st.tuples(st.just("predicate"), st.integers(0, 99))
judges = st.one_of(predicates, st.tuples(st.just("pos"), st.sampled_from(["universal", "own"])))


@st.composite
def cascades(draw):
    """Draw up to 4 filters in any order, where an alignment comes with an oracle."""
    some = draw(st.lists(oracles | judges, max_size=3))
    if any(one[0] in ORACLES for one in some) and draw(flags):
        some.insert(draw(st.integers(0, len(some))), ("alignment",))
    return some


@st.composite
def texts(draw, most=5):
    """Draw up to ``most`` pairs, some with empty sides or many target words, at least one full."""
    text = []
    for src, tgt in draw(st.lists(st.tuples(sides, sides), min_size=1, max_size=most)):
        far = draw(st.sampled_from([0, 0, 0, 0, 58, 64, 65, 128, 140]))
        step = draw(st.integers(1, 5)) if far else 1
        longer = [WORDS[(k * k + k * step) % len(WORDS)] for k in range(far)]
        text.append((src, tgt + longer))
    if not any(src and tgt for src, tgt in text):
        text.append((["a", "of"], ["of", "of"]))
    tags = draw(st.lists(st.sampled_from(TAGS), min_size=3, max_size=7))
    return [Pair(*pair, *(tagged(side, tags) for side in pair)) for pair in text]


def tagged(side, tags):
    return [tags[(k + len(word)) % len(tags)] for k, word in enumerate(side)]


def bitext(text):
    """Return a text as a table."""
    kind = pa.list_(pa.string())
    return pa.table(
        {name: pa.array([getattr(p, name) for p in text], kind) for name in Pair._fields}
    )


def pairs_of(rows):
    """Return pairs of texts as a text without tags."""
    split = [(src.split(), tgt.split()) for src, tgt in rows]
    return [Pair(src, tgt, ["X"] * len(src), ["X"] * len(tgt)) for src, tgt in split]


def rows_of(table):
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))
