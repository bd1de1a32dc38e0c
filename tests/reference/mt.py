"""Slow, simple reference counts of BLEU and chrF."""

from collections import Counter


def n_grams(items, n):
    return Counter(tuple(items[at : at + n]) for at in range(len(items) - n + 1))


def bleu(hyp, refs):
    """Return the counts of ``functions.bleu_counts`` for lists of words, in order."""
    lengths = sorted((abs(len(ref) - len(hyp)), len(ref)) for ref in refs)
    match, total = [], []
    for n in range(1, 5):
        ours, most = n_grams(hyp, n), Counter()
        for ref in refs:
            most |= n_grams(ref, n)
        match.append((ours & most).total())
        total.append(ours.total())
    return [len(hyp), lengths[0][1], *match, *total]


def chrf(hyp, ref, orders=6):
    """Count n-grams against one reference: rows of (hyp, ref, match)."""
    rows = []
    for n in range(1, orders + 1):
        ours, theirs = n_grams(hyp, n), n_grams(ref, n)
        rows.append((ours.total() if theirs else 0, theirs.total(), (ours & theirs).total()))
    return rows


def chrf_score(rows, beta=2.0):
    used = [(match / hyp, match / ref) for hyp, ref, match in rows if hyp and ref]
    if not used:
        return 0.0
    precision, recall = (sum(column) / len(used) for column in zip(*used, strict=True))
    if not precision + recall:
        return 0.0
    return 100 * (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
