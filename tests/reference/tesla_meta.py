"""Slow, simple reference meta-evaluation: loops over rankings.

A ranking is (sid, {system: rank}); scores are {(system, sid): number}.
"""

from itertools import combinations, permutations


def pairs(rankings):
    """Return all pairs of systems of a ranking: (sid, better, worse), or (sid, one, two, None)."""
    for sid, ranks in rankings:
        for one, two in combinations(sorted(ranks), 2):
            if ranks[one] < ranks[two]:
                yield sid, one, two, True
            elif ranks[one] > ranks[two]:
                yield sid, two, one, True
            else:
                yield sid, one, two, False


def counts(rankings, scores):
    found = dict.fromkeys(("concordant", "discordant", "metric_ties", "human_ties", "unscored"), 0)
    for sid, better, worse, strict in pairs(rankings):
        high, low = scores.get((better, sid)), scores.get((worse, sid))
        if high is None or low is None:
            found["unscored"] += 1
        elif not strict:
            found["human_ties"] += 1
        elif high > low:
            found["concordant"] += 1
        elif high < low:
            found["discordant"] += 1
        else:
            found["metric_ties"] += 1
    return found


def ratio(above, below):
    return above / below if below else None


def consistency(found, ties):
    right, wrong, tied = (found[k] for k in ("concordant", "discordant", "metric_ties"))
    if ties == "wrong":
        return ratio(right, right + wrong + tied)
    if ties == "half":
        return ratio(right + tied / 2, right + wrong + tied)
    return ratio(right, right + wrong)


def tau(found, variant):
    right, wrong, tied = (found[k] for k in ("concordant", "discordant", "metric_ties"))
    if variant == "wmt12":
        return ratio(right - wrong - tied, right + wrong + tied)
    if variant == "wmt13":
        return ratio(right - wrong, right + wrong)
    return ratio(right - wrong, right + wrong + tied)


def human(rankings, rule):
    """Return the score of each system that was compared with another."""
    wins, equal, every = {}, {}, {}
    for _, ranks in rankings:
        for one, two in permutations(ranks, 2):
            every[one] = every.get(one, 0) + 1
            wins[one] = wins.get(one, 0) + (ranks[one] < ranks[two])
            equal[one] = equal.get(one, 0) + (ranks[one] == ranks[two])
    if rule == "wmt09":
        return {one: (wins[one] + equal[one]) / every[one] for one in every}
    return {one: ratio(wins[one], every[one] - equal[one]) for one in every}


def means(scores):
    by_system = {}
    for (system, _), score in scores.items():
        by_system.setdefault(system, []).append(score)
    return {system: sum(found) / len(found) for system, found in by_system.items()}
