"""A synthetic parallel text with one-to-one word translations."""

import numpy as np


def parallel_text(size, seed=1):
    """Return sentences of 4 to 14 frequent and rare words; the first word of each is its number."""
    draw = np.random.default_rng(seed)
    src, tgt = [], []
    for number in range(size):
        words = (60 * draw.random(draw.integers(4, 15)) ** 2).astype(int)
        src.append(" ".join([f"n{number}", *(f"s{word}" for word in words)]))
        tgt.append(" ".join([f"m{number}", *(f"t{word}" for word in words[::-1])]))
    return src, tgt


def lexicon():
    """Return the recurring words of ``parallel_text``, and their translations."""
    import pyarrow as pa

    return pa.table({side: [f"{side[0]}{word}" for word in range(60)] for side in ("src", "tgt")})


def numbers(sentences):
    """Return the numbers in sentences, including joined ones."""
    words = (word for text in sentences for word in str(text).split())
    return [int(word[1:]) for word in words if word[0] in "nm"]
