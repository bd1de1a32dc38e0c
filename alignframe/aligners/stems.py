"""Forms of a word have the same translations, or forms of them: what they begin with is shared."""

from __future__ import annotations

import numpy as np

from alignframe.aligners.text import Side
from alignframe.aligners.training_pairs import Paired
from alignframe.arrays import I32
from alignframe.functions.spelling import folded
from alignframe.kernels.ragged import frozen
from alignframe.kernels.stems import Shared, number_groups

_SHARE = 0.6
"""A stem is so much of a mean word."""


def shared_stems(paired: Paired) -> Shared:
    """Return the pair of stems of each cell of a text's one part."""
    (part,) = paired.parts
    src = np.append(np.int32(0), _stems(paired.text.src) + np.int32(1))
    tgt = _stems(paired.text.tgt)
    groups, n_groups = number_groups(paired.starts, paired.targets, src, tgt)
    rows = np.repeat(np.arange(src.size, dtype=np.int32), np.diff(paired.starts))
    return Shared(frozen(rows[part.own]), frozen(groups[part.own]), frozen(src), n_groups)


def _stems(side: Side) -> I32:
    """Return the number of each word's stem: its first letters, ``_SHARE`` of a mean word.

    Different words are averaged. What has anything but letters is its own stem.
    """
    words = folded(side.vocabulary, accents=True)
    lengths = [len(word) for word in words if word.isalpha()]
    most = max(round(_SHARE * np.mean(lengths)), 1) if lengths else 1
    numbers: dict[str, int] = {}
    stems = [
        numbers.setdefault(word[:most] if word.isalpha() else f" {word}", len(numbers))
        for word in words
    ]
    return np.array([*stems, len(numbers)], np.int32)  # the last is the unknown word
