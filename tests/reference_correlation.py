"""Slow, obvious versions of correlation, and tables to correlate."""

import math
import random

import polars as pl

from alignframe.tables import COUNTS

COLUMNS = [
    "measure",
    "annotation",
    "alpha",
    "systems",
    "pearson",
    "r2",
    "p_value",
    "spearman",
    "kendall",
    "r2_low_sentences",
    "r2_high_sentences",
    "r2_low_systems",
    "r2_high_systems",
    "best",
    "best_share",
    "best_left_out",
    "slope",
    "intercept",
    "signature",
]

GOOD = pl.DataFrame({"system": ["a", "b", "c"], "f_0.5": [0.1, 0.2, 0.4]})


def slow_measures(rows, alphas):
    """1 - AER and F of summed counts, in the words of the paper."""
    a, s, p, sa, pa_ = (sum(row[name] for row in rows) for name in COUNTS)
    out = {("1-aer", "sure-possible", None): 1 - (1 - (pa_ + sa) / (s + a))}
    for kind, top, wanted, found in (
        ("sure-possible", pa_, s, sa),
        ("sure", sa, s, sa),
        ("possible", pa_, p, pa_),
    ):
        for alpha in alphas:
            if top == 0 or found == 0:
                f = 0.0
            else:
                f = 1 / (alpha / (top / a) + (1 - alpha) / (found / wanted))
            out[f"f_{alpha:g}", kind, alpha] = f
    return out


def slow_pearson(x, y):
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    top = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    size = sum((a - mean_x) ** 2 for a in x) * sum((b - mean_y) ** 2 for b in y)
    return top / math.sqrt(size)


def slow_ranks(x):
    """Return mean ranks, near values counting as equal."""
    same = [[abs(a - b) <= 1e-12 for b in x] for a in x]
    return [
        1 + sum(b < a and not same[i][j] for j, b in enumerate(x)) + (sum(same[i]) - 1) / 2
        for i, a in enumerate(x)
    ]


def slow_kendall(x, y):
    x, y = slow_ranks(x), slow_ranks(y)
    pairs = [(i, j) for i in range(len(x)) for j in range(i)]
    right = sum((x[i] - x[j]) * (y[i] - y[j]) > 0 for i, j in pairs)
    wrong = sum((x[i] - x[j]) * (y[i] - y[j]) < 0 for i, j in pairs)
    untied_x = sum(x[i] != x[j] for i, j in pairs)
    untied_y = sum(y[i] != y[j] for i, j in pairs)
    return (right - wrong) / math.sqrt(untied_x * untied_y)


def slow_best(table, sign=1):
    """Return the best measure of each annotation of {(measure, annotation, alpha): r or None}."""
    best = {}
    for key in sorted((k for k in table if k[2] is not None), key=lambda k: k[2]):
        r = table[key]
        if r is not None and (key[1] not in best or sign * r > sign * table[best[key[1]]] + 1e-12):
            best[key[1]] = key
    return set(best.values())


def made_counts(systems, sentences, seed):
    """Return possible counts: |S∩A| <= |P∩A| <= |A|, gold the same for all systems."""
    rng = random.Random(seed)
    rows = []
    gold = []
    for _ in range(sentences):
        sure = rng.randint(1, 6)
        gold.append((sure, sure + rng.randint(0, 4)))
    for k in range(systems):
        for sid, (sure, possible) in enumerate(gold):
            hyp_sure = rng.randint(0, sure)
            hyp_possible = hyp_sure + rng.randint(0, possible - sure)
            hyp = hyp_possible + rng.randint(0, 4)
            counts = (hyp, sure, possible, hyp_sure, hyp_possible)
            rows.append({"system": f"s{k}", "sid": sid, **dict(zip(COUNTS, counts, strict=True))})
    return pl.DataFrame(rows)


def outside_of(systems, seed):
    rng = random.Random(seed)
    return {f"s{k}": float(rng.randint(0, 12)) for k in range(systems)}


def keyed(frame, column):
    keys = ("measure", "annotation", "alpha")
    return {tuple(row[k] for k in keys): row[column] for row in frame.iter_rows(named=True)}


def saved(path, text):
    path.write_text(text, "utf-8")
    return path
