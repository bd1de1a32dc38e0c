"""A synthetic parallel text with one-to-one word translations."""

import numpy as np


def parallel_text(size, seed=1):
    """Sentences of 4 to 14 frequent and rare words, each with its number as the first word."""
    draw = np.random.default_rng(seed)
    src, tgt = [], []
    for number in range(size):
        words = (60 * draw.random(draw.integers(4, 15)) ** 2).astype(int)
        src.append(" ".join([f"n{number}", *(f"s{word}" for word in words)]))
        tgt.append(" ".join([f"m{number}", *(f"t{word}" for word in words[::-1])]))
    return src, tgt


def lexicon():
    """The words of ``parallel_text`` that come again, and their translations."""
    import pyarrow as pa

    return pa.table({side: [f"{side[0]}{word}" for word in range(60)] for side in ("src", "tgt")})


def numbers(sentences):
    """The numbers in sentences, joined ones included."""
    words = (word for text in sentences for word in str(text).split())
    return [int(word[1:]) for word in words if word[0] in "nm"]
