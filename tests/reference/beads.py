"""Slow, simple reference versions of bead measures and noise.

A bead is a tuple (src_start, src_end, tgt_start, tgt_end), a document a list of beads.
"""

TOTALS = (
    "n_hyp",
    "n_gold",
    "n_hyp_strict",
    "n_gold_strict",
    "n_hyp_lax",
    "n_gold_lax",
    "n_hyp_pairs",
    "n_gold_pairs",
    "n_both_pairs",
    "n_src_aligned",
    "n_tgt_aligned",
    "n_src",
    "n_tgt",
)


def sides(bead):
    return frozenset(range(*bead[:2])), frozenset(range(*bead[2:]))


def kind(bead):
    return "-".join(str(len(side)) for side in sides(bead))


def full(beads):
    return [bead for bead in beads if all(sides(bead))]


def is_strict(bead, others):
    return sides(bead) in [sides(other) for other in others]


def is_lax(bead, others):
    src, tgt = sides(bead)
    return is_strict(bead, others) or any(
        src & sides(other)[0] and tgt & sides(other)[1] for other in others
    )


def pairs(beads):
    return {(i, j) for bead in beads for i in sides(bead)[0] for j in sides(bead)[1]}


def size(beads, side):
    """Return the end of the last bead with sentences on this side."""
    return max((max(sides(bead)[side]) + 1 for bead in beads if sides(bead)[side]), default=0)


def counts(hyp, gold, empty):
    """Return the additive counts of a document, by name."""
    judged = full(hyp) if empty == "ignore" else hyp
    wanted = gold if empty == "count" else full(gold)
    # Recall looks for gold among beads of the same kind, those that count.
    found = hyp if empty == "count" else full(hyp)
    both = full(hyp)
    values = (
        len(judged),
        len(wanted),
        sum(is_strict(bead, gold) for bead in judged),
        sum(is_strict(bead, found) for bead in wanted),
        sum(is_lax(bead, gold) for bead in judged),
        sum(is_lax(bead, found) for bead in wanted),
        len(pairs(hyp)),
        len(pairs(gold)),
        len(pairs(hyp) & pairs(gold)),
        len({i for bead in both for i in sides(bead)[0]}),
        len({j for bead in both for j in sides(bead)[1]}),
        size([*hyp, *gold], 0),
        size([*hyp, *gold], 1),
    )
    return dict(zip(TOTALS, values, strict=True))


def type_counts(hyp, gold):
    """Return the six bead counts of each type, including one-sided ones."""
    found = {}
    for name in {kind(bead) for bead in [*hyp, *gold]}:
        mine = [bead for bead in hyp if kind(bead) == name]
        yours = [bead for bead in gold if kind(bead) == name]
        found[name] = (
            len(mine),
            len(yours),
            sum(is_strict(bead, gold) for bead in mine),
            sum(is_strict(bead, hyp) for bead in yours),
            sum(is_lax(bead, gold) for bead in mine),
            sum(is_lax(bead, hyp) for bead in yours),
        )
    return found


def ratio(part, whole):
    return part / whole if whole else None


def f(precision, recall):
    if precision is None or recall is None:
        return None
    if precision == 0 or recall == 0:
        return 0.0
    return 2 / (1 / precision + 1 / recall)


def scores(n):
    """Return the scores of counts, by name."""
    found = {}
    for way in ("strict", "lax"):
        precision = ratio(n[f"n_hyp_{way}"], n["n_hyp"])
        recall = ratio(n[f"n_gold_{way}"], n["n_gold"])
        found |= {f"{way}_precision": precision, f"{way}_recall": recall}
        found[f"{way}_f"] = f(precision, recall)
    found["pair_precision"] = ratio(n["n_both_pairs"], n["n_hyp_pairs"])
    found["pair_recall"] = ratio(n["n_both_pairs"], n["n_gold_pairs"])
    shares = [ratio(n[f"n_{side}_aligned"], n[f"n_{side}"]) for side in ("src", "tgt")]
    known = [share for share in shares if share is not None]
    found["alignment_rate"] = sum(known) / len(known) if known else None
    return found


def smallest_beads(src_numbers, tgt_numbers, linked):
    """Return the sides of gold's beads as sets of positions.

    ``src_numbers`` and ``tgt_numbers`` are the original sentences in each noisy one, ``linked`` the
    originals with a translation.
    """
    nodes = [("src", at) for at in range(len(src_numbers))]
    nodes += [("tgt", at) for at in range(len(tgt_numbers))]
    groups = {node: {node} for node in nodes}
    for number in linked:
        ends = [("src", at) for at, held in enumerate(src_numbers) if number in held]
        ends += [("tgt", at) for at, held in enumerate(tgt_numbers) if number in held]
        if len(ends) == 2:
            whole = groups[ends[0]] | groups[ends[1]]
            for node in whole:
                groups[node] = whole
    return {
        tuple(frozenset(at for name, at in group if name == side) for side in ("src", "tgt"))
        for group in map(frozenset, groups.values())
    }


def closest(wanted, lengths, remaining):
    """Return the remaining numbers with the smallest difference from the wanted length."""
    least = min(abs(lengths[number] - wanted) for number in remaining)
    return {number for number in remaining if abs(lengths[number] - wanted) == least}
