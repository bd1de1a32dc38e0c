"""A small word aligner for examples and tests, which learns only from the text that it aligns.

``python datasets/tiny_aligner.py SRC TGT OUT`` reads line-parallel text and writes links such as
``0-0 1-2``, one line per sentence pair. Each target word is linked to the source word with the
highest Dice coefficient, 2 n(s, t) / (n(s) + n(t)); among similar ones, the one closest to the
diagonal wins. The more text, the better the counts.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

DIAGONAL = 0.35
"""The penalty for a link from one end of the sentence to the other."""

LEAST = 0.12
"""The minimum score of a link."""


def align(src: str, tgt: str, out: str) -> None:
    """Align two files of text and write the links."""
    pairs = list(zip(_sentences(src), _sentences(tgt), strict=True))
    sources = Counter(word for one, _ in pairs for word in set(one))
    targets = Counter(word for _, two in pairs for word in set(two))
    both = Counter((s, t) for one, two in pairs for s in set(one) for t in set(two))

    def score(one: list[str], two: list[str], i: int, j: int) -> float:
        dice = 2 * both[one[i], two[j]] / (sources[one[i]] + targets[two[j]])
        return dice - DIAGONAL * abs(i / len(one) - j / len(two))

    lines = []
    for one, two in pairs:
        found = []
        for j in range(len(two) if one else 0):
            best, i = max((score(one, two, i, j), -i) for i in range(len(one)))
            if best >= LEAST:
                found.append(f"{-i}-{j}")
        lines.append(" ".join(found) + "\n")
    Path(out).write_text("".join(lines), "utf-8")


def _sentences(path: str) -> list[list[str]]:
    return [line.split() for line in Path(path).read_text("utf-8").removesuffix("\n").split("\n")]


if __name__ == "__main__":
    align(*sys.argv[1:])
