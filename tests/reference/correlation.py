"""Slow, simple reference versions of correlation, and tables to correlate."""

import math
import random

import polars as pl

from alignframe.core.schemas import COUNTS

COLUMNS = [
    "measure",
    "annotation",
    "alpha",
    "group",
    "systems",
    "pearson",
    "r2",
    "r2_left_out",
    "p_value",
    "p_corrected",
    "spearman",
    "kendall",
    "r2_low_sentences",
    "r2_high_sentences",
    "r2_low_systems",
    "r2_high_systems",
    "pearson_low_sentences",
    "pearson_high_sentences",
    "pearson_low_systems",
    "pearson_high_systems",
    "best",
    "best_share",
    "best_left_out",
    "slope",
    "intercept",
    "signature",
]

GOOD = pl.DataFrame({"system": ["a", "b", "c"], "f_0.5": [0.1, 0.2, 0.4]})


def slow_measures(rows, alphas):
    """Return 1 - AER and F of summed counts, straight from the paper."""
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
    """Return mean ranks; nearly equal values are ties."""
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


def slow_line(x, y):
    """Return slope and intercept of the least-squares line."""
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    top = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    slope = top / sum((a - mean_x) ** 2 for a in x)
    return slope, mean_y - slope * mean_x


def slow_left_out(values, y, sign=1):
    """Return r2_left_out by measure and annotation; ``any`` is the choice among all of them.

    ``values`` has the figures of every system by (measure, annotation, alpha), in order.
    """
    kinds = list(dict.fromkeys(key[1] for key in values if key[2] is not None))
    predicted = {}
    for i in range(len(y)):
        rest = [k for k in range(len(y)) if k != i]
        others = [y[k] for k in rest]
        r, line = {}, {}
        for key, x in values.items():
            known = [x[k] for k in rest]
            if max(known) - min(known) < 1e-12 or max(others) == min(others):
                r[key], line[key] = None, None
                continue
            r[key] = slow_pearson(known, others)
            slope, intercept = slow_line(known, others)
            line[key] = intercept + slope * x[i]
        for key in values:
            predicted.setdefault((key[0], key[1], key[2]), []).append(line[key])
        for kind in kinds:
            mine = {key: value for key, value in r.items() if key[1] == kind}
            chosen = next(iter(slow_best(mine, sign)), None)
            predicted.setdefault(("f_chosen", kind, None), []).append(line.get(chosen))
        if len(kinds) > 1:
            best = None
            for kind in kinds:
                for key in (k for k in values if k[1] == kind and k[2] is not None):
                    if r[key] is not None and (
                        best is None or sign * r[key] > sign * r[best] + 1e-12
                    ):
                        best = key
            predicted.setdefault(("f_chosen", "any", None), []).append(line.get(best))
    of_others = [(sum(y) - one) / (len(y) - 1) for one in y]
    total = sum((a - b) ** 2 for a, b in zip(y, of_others, strict=True))
    return {
        key: None
        if None in found
        else 1 - sum((a - b) ** 2 for a, b in zip(y, found, strict=True)) / total
        for key, found in predicted.items()
    }


def made_counts(systems, sentences, seed):
    """Draw possible counts: |S∩A| <= |P∩A| <= |A|, with the same gold for all systems."""
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


def external_of(systems, seed):
    rng = random.Random(seed)
    return {f"s{k}": float(rng.randint(0, 12)) for k in range(systems)}


def keyed(frame, column):
    keys = ("measure", "annotation", "alpha")
    return {tuple(row[k] for k in keys): row[column] for row in frame.iter_rows(named=True)}


def saved(path, text):
    path.write_text(text, "utf-8")
    return path
