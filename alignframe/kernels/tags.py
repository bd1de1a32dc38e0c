"""Splitting tags from words, in the buffers of Arrow columns.

A tagged word is ``form|TAG``, split at its last bar, as a form may have bars itself. The first pass
adds up sizes and finds faults, the second copies bytes.
"""

from __future__ import annotations

import numpy as np

from alignframe.arrays import I32, U8
from alignframe.kernels.jit import jit

_BAR = 124


@jit
def part_tags(words: I32, data: U8) -> tuple[int, I32, U8, I32, U8]:
    """Split words such as ``house|NOUN`` at the last bar.

    Word k is ``data[words[k] : words[k + 1]]``. Return the number of the first word that lacks a
    word or a tag, or -1; then the words and the tags, in the same layout.
    """
    n = words.size - 1
    forms = np.zeros(n + 1, np.int32)
    tags = np.zeros(n + 1, np.int32)
    for k in range(n):
        bar = words[k + 1] - 1
        while bar > words[k] and data[bar] != _BAR:
            bar -= 1
        # No bar, or nothing before or after it.
        if bar == words[k] or bar == words[k + 1] - 1:
            return k, forms, data[:0].copy(), tags, data[:0].copy()
        forms[k + 1] = forms[k] + bar - words[k]
        tags[k + 1] = tags[k] + words[k + 1] - bar - 1
    form_data = np.empty(forms[n], np.uint8)
    tag_data = np.empty(tags[n], np.uint8)
    for k in range(n):
        at = words[k]
        for to in range(forms[k], forms[k + 1]):
            form_data[to] = data[at]
            at += 1
        at += 1
        for to in range(tags[k], tags[k + 1]):
            tag_data[to] = data[at]
            at += 1
    return -1, forms, form_data, tags, tag_data
