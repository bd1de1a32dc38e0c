"""Splitting tags from words, in the buffers of Arrow columns.

A tagged word is ``form|TAG``, split at its last bar, as a form may have bars itself. The first pass
adds up sizes and finds faults, the second copies bytes.
"""

from __future__ import annotations

import numpy as np

from alignframe.core.arrays import I32, I64, U8
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


# Words in the buffers of Arrow columns: splitting lines, and joining spans.
#
# A list of words is two arrays of offsets, of lines into words and of words into bytes, and the
# bytes of all words without separators. For joining, a space is put after each word: a span of
# words is then one span of bytes, to be copied at once.


@jit
def _is_blank(byte: int) -> bool:
    """Whether a byte is ASCII white space."""
    return byte == 32 or 9 <= byte <= 13


@jit
def split_words(text: U8) -> tuple[I32, I32, U8]:
    """Split lines at ASCII white space, like ``bytes.split``.

    ``text`` has whole lines of less than 2 GB; the last one may lack its newline. Line r has the
    words ``lines[r] <= k < lines[r + 1]``; word k the bytes ``data[words[k] : words[k + 1]]``.
    """
    # The first pass counts, the second writes to arrays of the right size.
    n_lines, n_words, n_bytes = 0, 0, 0
    inside = False
    for byte in text:
        if _is_blank(byte):
            inside = False
            n_lines += byte == 10
        else:
            n_words += not inside
            n_bytes += 1
            inside = True
    if len(text) and text[-1] != 10:
        n_lines += 1
    lines = np.zeros(n_lines + 1, np.int32)
    words = np.zeros(n_words + 1, np.int32)
    data = np.empty(n_bytes, np.uint8)
    line, word, at = 0, 0, 0
    inside = False
    for byte in text:
        if _is_blank(byte):
            if inside:
                words[word] = at
                inside = False
            if byte == 10:
                line += 1
                lines[line] = word
        else:
            if not inside:
                word += 1
                inside = True
            data[at] = byte
            at += 1
    words[word] = at
    lines[n_lines] = word
    return lines, words, data


@jit
def space_words(words: I64, data: U8) -> U8:
    """Return the bytes of all words with a space after each.

    Word k is ``data[words[k] : words[k + 1]]``, and begins at ``words[k] + k`` in the result.
    """
    n = words.size - 1
    spaced = np.empty(words[n] - words[0] + n, np.uint8)
    at = 0
    for k in range(n):
        for byte in data[words[k] : words[k + 1]]:
            spaced[at] = byte
            at += 1
        spaced[at] = 32
        at += 1
    return spaced


@jit
def join_words(
    lists: I64, words: I64, spaced: U8, rows: I64, starts: I32, ends: I32
) -> tuple[I64, U8]:
    """Join spans of words by spaces.

    Sentence r has the words ``lists[r] <= k < lists[r + 1]``; word k begins at ``words[k] + k`` in
    ``spaced``, followed by a space. ``rows``, ``starts`` and ``ends``, shape (spans,), have the
    sentence of each span, its first word, and the word after its last. String k of the result is
    ``text[offsets[k] : offsets[k + 1]]``.
    """
    begins = np.empty(rows.size, np.int64)
    offsets = np.zeros(rows.size + 1, np.int64)
    for k in range(rows.size):
        first, last = lists[rows[k]] + starts[k], lists[rows[k]] + ends[k]
        # Each earlier word has one more byte, its space; the last word's space is left out.
        begins[k] = words[first] + first
        offsets[k + 1] = offsets[k] + words[last] + last - 1 - begins[k]
    text = np.empty(offsets[-1], np.uint8)
    for k in range(rows.size):
        # Vectorized, as neither index can be negative; slice assignment takes twice as long.
        into, span = text[offsets[k] : offsets[k + 1]], spaced[begins[k] :]
        for at in range(into.size):
            into[at] = span[at]
    return offsets, text
