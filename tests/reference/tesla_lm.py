"""Slow, simple reference language models: n-gram lookup, and Kneser-Ney smoothing.

A model is a dictionary from n-grams (tuples) to (log10 probability, log10 back-off weight).
"""

import math

BEGIN, END, UNKNOWN = "<s>", "</s>", "<unk>"


def word_log10(model, context, word):
    """Back off until the n-gram is known."""
    if (*context, word) in model:
        return model[(*context, word)][0]
    weight = model[context][1] if context in model else 0.0
    return weight + word_log10(model, context[1:], word)


def sentence_log10(model, order, words):
    known = [word if (word,) in model else UNKNOWN for word in words]
    stream = [BEGIN, *known, END]
    total = 0.0
    for at in range(1, len(stream)):
        context = tuple(stream[max(0, at - order + 1) : at])
        total += word_log10(model, context, stream[at])
    return total


def arpa_text(model, order):
    lines = ["\\data\\"]
    by_order = [[gram for gram in model if len(gram) == n] for n in range(1, order + 1)]
    lines += [f"ngram {n}={len(grams)}" for n, grams in enumerate(by_order, 1)]
    for n, grams in enumerate(by_order, 1):
        lines += ["", f"\\{n}-grams:"]
        for gram in grams:
            prob, weight = model[gram]
            tail = f"\t{weight:.6f}" if n < order and weight else ""
            lines.append(f"{prob:.6f}\t{' '.join(gram)}{tail}")
    return "\n".join([*lines, "", "\\end\\", ""])


class KneserNey:
    """Estimate with interpolated modified Kneser-Ney smoothing, straight from the definitions."""

    def __init__(self, sentences, order, discounts):
        self.order = order
        self.discounts = discounts  # per order: of counts of 1, 2 and more
        self.streams = [[BEGIN, *words, END] for words in sentences if words]
        self.words = sorted({word for stream in self.streams for word in stream} | {UNKNOWN})
        self.counts = {}
        grams = {
            n: [tuple(s[k : k + n]) for s in self.streams for k in range(len(s) - n + 1)]
            for n in range(1, order + 1)
        }
        for gram in grams[order]:
            self.counts[gram] = self.counts.get(gram, 0) + 1
        for n in range(1, order):
            for gram in set(grams[n]):
                if gram[0] == BEGIN:
                    self.counts[gram] = grams[n].count(gram)
                else:
                    self.counts[gram] = len({one[0] for one in grams[n + 1] if one[1:] == gram})
        self.counts.pop((BEGIN,))

    def counts_of(self, n):
        return [count for gram, count in self.counts.items() if len(gram) == n]

    def discount(self, n, count):
        return 0.0 if count == 0 else self.discounts[n - 1][min(count, 3) - 1]

    def prob(self, context, word):
        n = len(context) + 1
        after = {w: self.counts.get((*context, w), 0) for w in self.words}
        total = sum(after.values())
        lower = 1 / (len(self.words) - 1) if n == 1 else self.prob(context[1:], word)
        if not total:
            return lower
        freed = sum(self.discount(n, count) for count in after.values()) / total
        own = (after[word] - self.discount(n, after[word])) / total
        return own + freed * lower


def chen_goodman(counts):
    """Return the discounts of counts of 1, 2 and more, or None if they cannot be estimated."""
    of = [sum(count == k for count in counts) for k in range(1, 5)]
    if not all(of):
        return None
    share = of[0] / (of[0] + 2 * of[1])
    found = [k - (k + 1) * share * of[k] / of[k - 1] for k in (1, 2, 3)]
    return found if all(0 <= d <= k for k, d in enumerate(found, 1)) else None


def perplexity(probs):
    return math.exp(-sum(map(math.log, probs)) / len(probs))
