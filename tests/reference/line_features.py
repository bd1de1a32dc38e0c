"""Slow, simple reference version of the features of line pairs."""

import re
import unicodedata
from collections import Counter
from functools import cache
from math import exp, log
from statistics import median

ORDER, PLACES, BACK_OFF = 4, 1 << 20, 5.0
WHOLE = (1 << 64) - 1
WORD = re.compile(r"\w+|[^\w\s]")


def is_letter(char):
    return unicodedata.category(char)[0] in "LM"


def runs(text, inside):
    """Return the longest runs of characters that satisfy a condition."""
    found, run = [], ""
    for char in [*text, ""]:
        if char and inside(char):
            run += char
        elif run:
            found, run = [*found, run], ""
    return found


def stem(word):
    plain = "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))
    return unicodedata.normalize("NFC", plain)[:4]


def stems(text):
    return [stem(word) for word in WORD.findall(text.lower())]


def shares(row):
    total = sum(row.values())
    return {t: c / total if total else 1 / len(row) for t, c in row.items()}


def model_1(given, judged, iterations=4, spread=4.0):
    """Return p(judged | given) with all smoothing, by the judged word's frequency."""
    counts = [Counter(word for line in side for word in line) for side in (given, judged)]
    known = [{word for word, n in some.items() if n >= 2} for some in counts]
    lines = [
        tuple([w for w in line if w in own] for line, own in zip(pair, known, strict=True))
        for pair in zip(given, judged, strict=True)
    ]
    rows = {None: dict.fromkeys(known[1], 1.0)}
    for ours, theirs in lines:
        for word in ours:
            rows.setdefault(word, {}).update(dict.fromkeys(theirs, 1.0))
    for _ in range(iterations):
        p = {w: shares(row) for w, row in rows.items()}
        rows = {w: dict.fromkeys(row, 0.0) for w, row in rows.items()}
        for ours, theirs in lines:
            for t in theirs:
                total = p[None][t] + sum(p[w][t] for w in ours)
                some = [(w, p[w][t] / total) for w in ours]
                some = [(w, share) for w, share in some if share > (1 - 1e-5) / (len(ours) + 1)]
                for w, share in some:
                    rows[w][t] += share
                rows[None][t] += 1 - sum(share for _, share in some)
    size = sum(len(theirs) for _, theirs in lines)
    frequency = Counter(t for _, theirs in lines for t in theirs)
    totals = {w: spread + sum(row.values()) for w, row in rows.items()}
    gains = {
        w: {t: c / totals[w] / (frequency[t] / size) for t, c in row.items() if c > 0.02}
        for w, row in rows.items()
    }
    return known, gains, {w: spread / total for w, total in totals.items()}


def explained(table, given, judged):
    """Return the mean logarithm, the share explained, and the share known."""
    (ours, theirs), gains, rest = table
    some = [w for w in given if w in ours]
    targets = [t for t in judged if t in theirs]
    logs = shares = 0.0
    for t in targets:
        own = sum(gains.get(w, {}).get(t, 0.0) for w in some)
        chance = sum(rest.get(w, 1.0) for w in some) + rest[None] + gains[None].get(t, 0.0)
        logs += log(0.9 * (own + chance) / (len(some) + 1) + 0.1)
        shares += own / (own + chance + 1)
    n = max(len(targets), 1)
    return logs / n, shares / n, len(targets) / max(len(judged), 1)


class Spelling:
    def __init__(self, texts):
        self.counts, self.contexts = Counter(), Counter()
        for text in texts:
            for x in range(len(text.lower().encode())):
                for before, whole in self.places(text.lower().encode(), x):
                    self.contexts[before] += 1
                    self.counts[whole] += 1

    @staticmethod
    def places(data, x):
        h = 1469598103934665603
        for n in range(ORDER):
            before = (h * 31 + n) & WHOLE
            whole = ((before ^ (data[x] + 1)) * 1099511628211) & WHOLE
            yield (before * 1099511628211 & WHOLE) >> 44, whole >> 44
            previous = data[x - n - 1] if x > n else 0
            h = ((h ^ (previous + 1)) * 1099511628211) & WHOLE

    def likely(self, text):
        data, total = text.lower().encode(), 0.0
        for x in range(len(data)):
            p = 1 / 256
            for before, whole in self.places(data, x):
                if not self.contexts[before]:
                    break
                p = (self.counts[whole] + BACK_OFF * p) / (self.contexts[before] + BACK_OFF)
            total += log(p)
        return total / max(len(data), 1)


def shared(one, other):
    return sum((Counter(one) & Counter(other)).values())


@cache
def learnt(clean):
    """Return what is learnt from a text of pairs: tables, spellings, and the length ratio."""
    words = [[stems(side) for side in sides] for sides in zip(*clean, strict=True)]
    tables = [model_1(*words), model_1(*words[::-1])]
    spellings = [Spelling(side) for side in zip(*clean, strict=True)]
    return tables, spellings, median(log((len(t) + 5) / (len(s) + 5)) for s, t in clean)


def features(clean, pair):
    """Return the features of a pair of texts, given a clean text as pairs."""
    tables, spellings, ratio = learnt(tuple(clean))
    src, tgt = pair
    found = {"src_chars": len(src), "tgt_chars": len(tgt)}
    found["length_ratio"] = log((len(tgt) + 5) / (len(src) + 5)) - ratio
    own = [stems(side) for side in pair]
    for (given, judged), table in zip(((0, 1), (1, 0)), tables, strict=True):
        names = ("src", "tgt")[judged], ("src", "tgt")[given]
        values = explained(table, own[given], own[judged])
        keys = (f"{names[0]}_given_{names[1]}", f"{names[0]}_explained", f"{names[0]}_known")
        found |= dict(zip(keys, values, strict=True))
    numbers = [runs(side, lambda c: unicodedata.category(c)[0] == "N") for side in pair]
    marks = [
        [
            c
            for c in side
            if unicodedata.category(c)[0] not in "LMN" and c != "_" and not c.isspace()
        ]
        for side in pair
    ]
    for name, (one, other) in (("numbers", numbers), ("marks", marks)):
        both = shared(one, other)
        found |= {f"{name}_shared": both, f"{name}_unmatched": len(one) + len(other) - 2 * both}
    spelt = [[word.lower() for word in runs(side, is_letter)] for side in pair]
    names = [
        [word.lower() for word in runs(side, is_letter) if word[0].isupper() and len(word) > 2]
        for side in pair
    ]
    known = shared(names[0], spelt[1]), shared(names[1], spelt[0])
    found["names_shared"] = sum(known)
    found["src_names_unmatched"] = len(names[0]) - known[0]
    found["tgt_names_unmatched"] = len(names[1]) - known[1]
    ends = [
        side.rstrip()[-1:] if side.rstrip()[-1:] in some else ""
        for side, some in zip(pair, marks, strict=True)
    ]
    found["same_end"] = ends[0] == ends[1]
    found["copied"] = shared(*spelt) / max(min(map(len, spelt)), 1)
    long = [[word for word in side if len(word) >= 4] for side in spelt]
    found["copied_long"] = shared(*long) / max(len(spelt[1]), 1)
    for side, name in enumerate(("src", "tgt")):
        mine, theirs = (spellings[at].likely(pair[side]) for at in (side, 1 - side))
        found |= {f"{name}_spelling": mine, f"{name}_language": mine - theirs}
        letters = [c for c in pair[side] if unicodedata.category(c)[0] == "L"]
        latin = [c for c in letters if "LATIN" in unicodedata.name(c, "")]
        found[f"{name}_script"] = len(latin) / len(letters) if letters else 1.0
    return found


def loss(x, right, count, slopes, penalty=1.0):
    """Return the regression's loss for standardised inputs."""
    total = 0.5 * penalty * sum(slope**2 for slope in slopes[:-1])
    for row, good, n in zip(x, right, count, strict=True):
        z = sum(a * b for a, b in zip([*row, 1.0], slopes, strict=True))
        total += n * log(1 + exp(-z if good else z))
    return total
