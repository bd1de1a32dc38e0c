"""Wrong line pairs made from right ones, of the kinds found in crawled text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from alignframe.core.arrays import I64

Lines = list[str]
Texts = tuple[Lines, Lines]
Corrupt = Callable[[Texts, np.random.Generator], Texts]

# Texts with longer words on average are written without spaces: characters replace words.
_WORD_CHARS = 12


class Corrupted(NamedTuple):
    """Wrong line pairs: their kind, the rows they were made from, and their sides."""

    kind: str
    rows: I64
    src: Lines
    tgt: Lines


def corrupted(
    src: Sequence[str], tgt: Sequence[str], share: float, rng: np.random.Generator
) -> Iterator[Corrupted]:
    """Yield wrong line pairs of each kind, each made from a random sample of the lines."""
    size = max(int(len(src) * share), min(len(src), 2))
    for kind, corrupt in KINDS.items():
        rows = np.sort(rng.choice(len(src), size, replace=False))
        given = ([src[row] for row in rows], [tgt[row] for row in rows])
        made = corrupt((list(given[0]), list(given[1])), rng)
        # A kind may leave a line as it is, such as one without numbers.
        changed = [
            at
            for at, (src_old, tgt_old, src_new, tgt_new) in enumerate(
                zip(*given, *made, strict=True)
            )
            if (src_old, tgt_old) != (src_new, tgt_new) and src_new.strip() and tgt_new.strip()
        ]
        if changed:
            first, second = ([side[at] for at in changed] for side in made)
            yield Corrupted(kind, rows[changed], first, second)


def _pieces(text: str) -> tuple[list[str], str]:
    """Return the words or characters of a text, and their separator."""
    words = text.split()
    if len(text) > _WORD_CHARS * max(len(words), 1):
        return list(text), ""
    return words, " "


def _shuffled(texts: Texts, rng: np.random.Generator) -> Texts:
    src, tgt = texts
    return src, [tgt[row] for row in rng.permutation(len(tgt))]


def _as_long(texts: Texts, rng: np.random.Generator) -> Texts:
    """Swap targets of about the same length."""
    src, tgt = texts
    order = np.argsort(np.array([len(text) for text in tgt]) + 3.0 * rng.random(len(tgt)))
    place = np.empty(len(tgt), np.int64)
    # Each line takes the target of its neighbour by length; the noise breaks ties.
    place[order] = np.roll(order, 1)
    return src, [tgt[row] for row in place]


def _one_side(change: Callable[[str, Lines, np.random.Generator], str]) -> Corrupt:
    """Return a function that changes one side of each pair, either with equal probability."""

    def corrupt(texts: Texts, rng: np.random.Generator) -> Texts:
        given = (list(texts[0]), list(texts[1]))
        for row in range(len(given[0])):
            side = int(rng.random() < 0.5)
            texts[side][row] = change(given[side][row], given[side], rng)
        return texts

    return corrupt


def _cut(text: str, _: Lines, rng: np.random.Generator) -> str:
    pieces, blank = _pieces(text)
    size = max(1, int(len(pieces) * rng.uniform(0.2, 0.7)))
    return blank.join(pieces[:size] if rng.random() < 0.5 else pieces[-size:])


def _dropped(text: str, _: Lines, rng: np.random.Generator) -> str:
    pieces, blank = _pieces(text)
    kept = rng.random(len(pieces)) > rng.uniform(0.2, 0.6)
    return blank.join(
        [piece for piece, stays in zip(pieces, kept, strict=True) if stays] or pieces[:1]
    )


def _replaced(text: str, others: Lines, rng: np.random.Generator) -> str:
    pieces, blank = _pieces(text)
    other = _pieces(others[rng.integers(len(others))])[0] or pieces
    share = rng.uniform(0.2, 0.7)
    return blank.join(
        other[rng.integers(len(other))] if rng.random() < share else piece for piece in pieces
    )


def _added(text: str, others: Lines, rng: np.random.Generator) -> str:
    pieces, blank = _pieces(text)
    other, _ = _pieces(others[rng.integers(len(others))])
    some = other[: max(1, int(len(other) * rng.uniform(0.2, 1.0)))]
    return blank.join(pieces + some if rng.random() < 0.5 else some + pieces)


def _halves(text: str, others: Lines, rng: np.random.Generator) -> str:
    pieces, blank = _pieces(text)
    other, _ = _pieces(others[rng.integers(len(others))])
    size = max(1, len(pieces) // 2)
    some = other[-size:]
    return blank.join(pieces[:size] + some if rng.random() < 0.5 else some + pieces[size:])


def _numbers(text: str, _: Lines, rng: np.random.Generator) -> str:
    def another(match: re.Match[str]) -> str:
        digits = [str(digit) for digit in rng.integers(10, size=len(match[0]))]
        digits[0] = str((int(match[0][0]) + rng.integers(1, 10)) % 10)
        return "".join(digits)

    return re.sub(r"\d+", another, text)


def _names(text: str, others: Lines, rng: np.random.Generator) -> str:
    pieces, blank = _pieces(text)
    for place, piece in enumerate(pieces):
        if place and piece[:1].isupper() and rng.random() < 0.7:
            pieces[place] = _name(others, rng) or piece
    return blank.join(pieces)


def _name(others: Lines, rng: np.random.Generator) -> str:
    """Return a name from another line, if a few random draws find one."""
    for _ in range(5):
        names = [
            word for word in others[rng.integers(len(others))].split()[1:] if word[:1].isupper()
        ]
        if names:
            return names[rng.integers(len(names))]
    return ""


def _copied(texts: Texts, rng: np.random.Generator) -> Texts:
    kept = rng.random(len(texts[0])) < 0.5
    both = [pair[int(second)] for pair, second in zip(zip(*texts, strict=True), kept, strict=True)]
    return both, list(both)


def _turned(texts: Texts, _: np.random.Generator) -> Texts:
    return texts[1], texts[0]


def _garbled(texts: Texts, rng: np.random.Generator) -> Texts:
    """Decode UTF-8 as Windows-1252."""

    def read(text: str) -> str:
        return text.encode().decode("cp1252", "replace")

    src, tgt = texts
    both = rng.random(len(src)) < 0.3
    return [read(text) if also else text for text, also in zip(src, both, strict=True)], [
        read(text) for text in tgt
    ]


KINDS: dict[str, Corrupt] = {
    "shuffled": _shuffled,
    "as long": _as_long,
    "cut": _one_side(_cut),
    "words dropped": _one_side(_dropped),
    "words replaced": _one_side(_replaced),
    "text added": _one_side(_added),
    "half of another": _one_side(_halves),
    "other numbers": _one_side(_numbers),
    "other names": _one_side(_names),
    "copied": _copied,
    "sides exchanged": _turned,
    "garbled": _garbled,
}
"""Kinds of noise by name."""
