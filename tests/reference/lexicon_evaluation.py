"""Slow, simple reference lexicon evaluation (Melamed 1995, sections 3 and 5).

A lexicon is a list of (src, tgt, rank), a text a list of pairs of lists of words.
"""

import math
from itertools import combinations, product
from statistics import fmean, stdev

import polars as pl
import pyarrow as pa
from hypothesis import strategies as st
from scipy.stats import t as student

from alignframe.kernels.lexicon.candidates import llr as llr_of_counts

WORDS = ["a", "b", "c", "B", "é"]
DEPTH = 3


def full(text):
    """Return the pairs with words on both sides."""
    return [(src, tgt) for src, tgt in text if src and tgt]


def cooccurrence(text, count):
    """Return the set of (src, tgt, n_both, n_src, n_tgt, n_pairs)."""
    pairs = full(text)
    if count == "types":
        pairs = [(list(set(src)), list(set(tgt))) for src, tgt in pairs]
    total = sum(1 if count == "types" else max(len(src), len(tgt)) for src, tgt in pairs)
    found = set()
    for s, t in {both for src, tgt in pairs for both in product(src, tgt)}:
        together = sum(min(src.count(s), tgt.count(t)) for src, tgt in pairs)
        of_s = sum(src.count(s) for src, _ in pairs)
        of_t = sum(tgt.count(t) for _, tgt in pairs)
        found.add((s, t, together, of_s, of_t, total))
    return found


def n_best(candidates, n, signed):
    """Return rows of src, tgt, rank, llr, n_both, n_src, n_tgt."""
    rows = []
    for word in sorted({row[0] for row in candidates}, key=str.encode):
        scored = [
            (-llr_of_counts(*row[2:], signed), -row[2], row[1].encode(), row)
            for row in candidates
            if row[0] == word
        ]
        for rank, (score, _, _, row) in enumerate(sorted(scored)[:n], 1):
            rows.append((word, row[1], rank, -score, *row[2:5]))
    return rows


def hit_rates(lexicon, text, k):
    """Return rows of src, k, known, pairs, hits, hit_rate, tokens, token_hits."""
    pairs = full(text)
    rows = []
    for word in sorted({word for src, _ in pairs for word in src}, key=str.encode):
        known = any(src == word for src, _, _ in lexicon)
        holding = [(src, tgt) for src, tgt in pairs if word in src]
        for depth in range(1, k + 1):
            best = {tgt for src, tgt, rank in lexicon if src == word and rank <= depth}
            hits = [(src, tgt) for src, tgt in holding if best & set(tgt)]
            rate = len(hits) / len(holding)
            tokens, token_hits = (sum(s.count(word) for s, _ in part) for part in (holding, hits))
            rows.append((word, depth, known, len(holding), len(hits), rate, tokens, token_hits))
    return rows


def bible(lexicon, text, k, weigh="types", words=None):
    """Return rows of k, precision, recall, percent_correct, types, covered_types[, tokens, ...]."""
    rows = []
    for depth in range(1, k + 1):
        rates = [row for row in hit_rates(lexicon, text, k) if row[1] == depth]
        rates = [row for row in rates if words is None or row[0] in words]
        known = [row for row in rates if row[2]]
        if weigh == "types":
            figures = [mean([row[5] for row in part]) for part in (known, rates)]
            figures.insert(1, len(known) / len(rates))
            sizes = []
        else:
            sizes = [sum(row[6] for row in part) for part in (rates, known)]
            right = sum(row[7] for row in rates)
            figures = [
                right / sizes[1] if sizes[1] else None,
                sizes[1] / sizes[0],
                right / sizes[0],
            ]
        rows.append((depth, *figures, len(rates), len(known), *sizes))
    return rows


def mean(values):
    return fmean(values) if values else None


def band(times):
    """Return the name of a frequency band."""
    low, high = 1, 1
    while times > high:
        low, high = high + 1, high * 2
    return str(high) if low == high else f"{low}-{high}"


def signed_rank(differences):
    """Return the test statistic, and its p-value from all possible signs of the ranks."""
    left = [one for one in differences if one != 0]
    if not left:
        return 0.0, 1.0
    sizes = sorted(abs(one) for one in left)
    ranks = [mean([k for k, size in enumerate(sizes, 1) if size == abs(one)]) for one in left]
    half = sum(ranks) / 2

    def sum_of_positive(signs):
        return sum(rank for rank, positive in zip(ranks, signs, strict=True) if positive)

    seen = sum_of_positive([one > 0 for one in left])
    drawn = [sum_of_positive(signs) for signs in product([True, False], repeat=len(ranks))]
    extreme = sum(abs(one - half) >= abs(seen - half) for one in drawn)
    return min(seen, 2 * half - seen), extreme / len(drawn)


def compare(lexicons, text, k):
    """Return rows of the columns of ``compare``, without the signature."""
    rows = []
    for name, other in combinations(lexicons, 2):
        for depth in range(1, k + 1):
            one, two = (
                {
                    row[0]: row
                    for row in hit_rates(lexicons[n], text, k)
                    if row[1] == depth and row[2]
                }
                for n in (name, other)
            )
            both = [word for word in one if word in two]
            rates = [(one[word][5], two[word][5]) for word in both]
            # Differences of integers, since those of quotients may miss a tie.
            differences = [(one[word][4] - two[word][4]) / one[word][3] for word in both]
            counts = [
                sum(test(x, y) for x, y in rates)
                for test in (float.__gt__, float.__lt__, float.__eq__)
            ]
            test = signed_rank(differences) if both else (None, None)
            precisions = [mean(side) for side in zip(*rates, strict=True)] or [None, None]
            gain = precisions[0] - precisions[1] if both else None
            rows.append((name, other, depth, len(both), *precisions, gain, *counts, *test))
    return rows


def back_off(lexicons):
    """Return rows of src, tgt, rank and the place of the first lexicon that has src."""
    rows = []
    for word in {src for one in lexicons for src, _, _ in one}:
        place = min(k for k, one in enumerate(lexicons, 1) if word in {src for src, _, _ in one})
        rows += [(*row, place) for row in lexicons[place - 1] if row[0] == word]
    return sorted(rows, key=lambda row: (row[0].encode(), row[2]))


def upper_bound(first, second, confidence=0.95):
    """Return rows of direction, segments, mean, sd, low, high, bible."""
    text = full(zip(first, second, strict=True))
    one = [len(set(src) & set(tgt)) / len(set(src)) for src, tgt in text]
    two = [len(set(src) & set(tgt)) / len(set(tgt)) for src, tgt in text]
    swapped = [(tgt, src) for src, tgt in text]
    bibles = []
    for given in (text, swapped):
        identity = [(word, word, 1) for word in {word for src, _ in given for word in src}]
        bibles.append(bible(identity, given, 1)[0][1])
    rows = []
    both = [(x + y) / 2 for x, y in zip(one, two, strict=True)]
    names = ("first-second", "second-first", "mean")
    for name, shares, score in zip(names, (one, two, both), (*bibles, fmean(bibles)), strict=True):
        ends = [None] * 3
        if len(shares) > 1:
            reach = student.ppf((1 + confidence) / 2, len(shares) - 1) * stdev(shares)
            reach /= math.sqrt(len(shares))
            mean = fmean(shares)
            ends = [stdev(shares), max(mean - reach, 0), min(mean + reach, 1)]
        rows.append((name, len(shares), fmean(shares), *ends, score))
    return rows


# --- random text and lexicons

_sides = st.lists(st.sampled_from(WORDS), max_size=6)
texts = st.lists(st.tuples(_sides, _sides), min_size=1, max_size=8).filter(full)
"""Draw texts with at least one pair that has words on both sides."""


@st.composite
def lexicons(draw):
    """Draw entries of some words; ranks may have gaps."""
    rows = []
    for word in draw(st.sets(st.sampled_from([*WORDS, "absent"]), min_size=1)):
        targets = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=DEPTH, unique=True))
        ranks = draw(st.permutations(range(1, DEPTH + 1)))
        rows += [(word, tgt, rank) for tgt, rank in zip(targets, ranks, strict=False)]
    return draw(st.permutations(rows))


def frame(lexicon, n_best=DEPTH):
    """Return a lexicon as a table that records its depth."""
    columns = list(zip(*lexicon, strict=True))
    table = pa.table(
        {"src": columns[0], "tgt": columns[1], "rank": pa.array(columns[2], pa.int32())}
    )
    return table.replace_schema_metadata({"n_best": str(n_best)})


def bitext(text):
    words = pl.List(pl.String)
    sides = {"src": [src for src, _ in text], "tgt": [tgt for _, tgt in text]}
    schema = {"sid": pl.Int64, "src": words, "tgt": words}
    return pl.DataFrame({"sid": list(range(len(text))), **sides}, schema=schema)
