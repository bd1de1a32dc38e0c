"""Parsing links in one pass over the bytes, without strings.

The formats are Pharaoh's, ``0-0 1-2``, of which Moses and most aligners write variants, and that of
the shared tasks of NAACL 2003, with one link per line. Each parser returns arrays and the position
of any fault, which the caller turns into a message.
"""

from __future__ import annotations

import numpy as np

from alignframe.core.arrays import I64, U8, U16
from alignframe.kernels.jit import jit

_NEWLINE = 10
_SPACE = 32
_PLUS = 43
_HYPHEN = 45
_POINT = 46
_ZERO = 48
_NINE = 57
_QUESTION = 63
_P_UPPER = 80
_S_UPPER = 83
_P_LOWER = 112
_S_LOWER = 115
_E_UPPER = 69
_E_LOWER = 101
UNLINKED = 2
"""The label of a NAACL line for an unaligned word."""
_LIMIT = 1 << 16
_HUGE = np.int64(1) << 62


@jit
def _digits(text: U8, at: int) -> tuple[int, int]:
    """Parse a whole number; return it and its end (``at`` if there is none)."""
    value = np.int64(0)
    while at < len(text) and _ZERO <= text[at] <= _NINE:
        # Long numbers stay at _HUGE, which is above all limits, rather than overflow.
        value = value * 10 + (text[at] - _ZERO) if value < _HUGE // 16 else _HUGE
        at += 1
    return value, at


@jit
def _blank(byte: int) -> bool:
    """Whether a byte is white space within a line."""
    return byte == _SPACE or byte == 9 or (11 <= byte <= 13)


@jit
def parse_pharaoh(text: U8, base: int) -> tuple[I64, U16, U16, U8, int]:
    """Parse lines of links ``1-2 3p4 5?6 7-8S 9-10-P``, one line per sentence.

    ``text`` has whole lines; the last one may lack its newline. ``base`` is the number of a
    sentence's first word, 0 or 1. Return offsets, i, j and sure of the links in the order of the
    text, and the byte at which an invalid link starts, or -1.
    """
    lines = 0
    for k in range(len(text)):
        lines += text[k] == _NEWLINE
    if len(text) > 0 and text[len(text) - 1] != _NEWLINE:
        lines += 1
    # The shortest link, ``0-0``, takes four bytes with its separator.
    room = len(text) // 4 + 1
    offsets = np.zeros(lines + 1, np.int64)
    i = np.empty(room, np.uint16)
    j = np.empty(room, np.uint16)
    sure = np.empty(room, np.uint8)
    line = 0
    n = 0
    at = 0
    while at < len(text):
        byte = text[at]
        if byte == _NEWLINE:
            line += 1
            offsets[line] = n
            at += 1
            continue
        if _blank(byte):
            at += 1
            continue
        start = at
        source, at = _digits(text, at)
        if at == start or at == len(text):
            return offsets, i[:n], j[:n], sure[:n], start
        mark = text[at]
        if mark not in (_HYPHEN, _P_LOWER, _QUESTION):
            return offsets, i[:n], j[:n], sure[:n], start
        at += 1
        middle = at
        target, at = _digits(text, at)
        # ``p`` and ``?`` mark Possible links; others may have a label S or P behind, after a hyphen
        # or not.
        is_sure = mark == _HYPHEN
        if is_sure and at > middle:
            after = at + (at < len(text) and text[at] == _HYPHEN)
            if after < len(text) and text[after] in (_S_UPPER, _S_LOWER, _P_UPPER, _P_LOWER):
                is_sure = text[after] == _S_UPPER or text[after] == _S_LOWER
                at = after + 1
        if at == middle or (at < len(text) and not (_blank(text[at]) or text[at] == _NEWLINE)):
            return offsets, i[:n], j[:n], sure[:n], start
        source -= base
        target -= base
        if source < 0 or target < 0 or source >= _LIMIT or target >= _LIMIT:
            return offsets, i[:n], j[:n], sure[:n], start
        i[n] = source
        j[n] = target
        sure[n] = is_sure
        n += 1
    # The last line had no newline.
    if line < lines:
        offsets[lines] = n
    return offsets, i[:n], j[:n], sure[:n], -1


@jit
def _decimal(text: U8, at: int) -> int:
    """Return the end of a number such as 0.97, 1e-5 or -2.5 (``at`` if there is none)."""
    start = at
    at += at < text.size and text[at] == _HYPHEN
    _, end = _digits(text, at)
    seen = end - at
    at = end
    if at < text.size and text[at] == _POINT:
        _, end = _digits(text, at + 1)
        seen += end - at - 1
        at = end
    if seen == 0:
        return start
    if at < text.size and (text[at] == _E_LOWER or text[at] == _E_UPPER):
        at += 1
        at += at < text.size and (text[at] == _HYPHEN or text[at] == _PLUS)
        _, end = _digits(text, at)
        return end if end > at else start
    return at


@jit
def parse_naacl(
    text: U8,
) -> tuple[I64, U16, U16, U8, U8, I64, int]:
    """Parse lines ``sentence source target [S|P] [probability]``, positions from 1.

    Return sentence, i, j and sure of each line: sentence numbers as written, positions from 0;
    ``sure`` is 1 where no label is given, and ``UNLINKED`` where a position is 0, that is, a word
    is unaligned. Then the probabilities as written, joined, with the offsets of each line's, which
    is empty if missing; and the byte at which an invalid line starts, or -1. Blank lines are
    skipped.
    """
    lines = 1
    for k in range(text.size):
        lines += text[k] == _NEWLINE
    sentence = np.empty(lines, np.int64)
    i = np.empty(lines, np.uint16)
    j = np.empty(lines, np.uint16)
    sure = np.ones(lines, np.uint8)
    written = np.empty(text.size, np.uint8)
    offsets = np.zeros(lines + 1, np.int64)
    length = 0
    numbers = np.empty(3, np.int64)
    fault = -1
    n = 0
    at = 0
    while at < text.size:
        start = at
        fields = 0
        good = True
        while good:
            while at < text.size and _blank(text[at]):
                at += 1
            if at == text.size or text[at] == _NEWLINE:
                break
            begin = at
            if fields < 3:
                numbers[fields], at = _digits(text, at)
            elif fields == 3 and text[at] in (_S_UPPER, _S_LOWER, _P_UPPER, _P_LOWER):
                if text[at] == _P_UPPER or text[at] == _P_LOWER:
                    sure[n] = 0
                at += 1
            elif fields <= 4:
                at = _decimal(text, at)
                for k in range(begin, at):
                    written[length] = text[k]
                    length += 1
                # Without a label, the fourth field is the probability: the label counts as read.
                fields = 4
            fields += 1
            ended = at == text.size or _blank(text[at]) or text[at] == _NEWLINE
            good = ended and at > begin and fields <= 5
        if good and fields > 0:
            good = fields >= 3 and numbers[0] < _HUGE
            # Positions count from 1 here, so _LIMIT itself fits in 16 bits.
            good = good and numbers[1] <= _LIMIT and numbers[2] <= _LIMIT
            good = good and (numbers[1] > 0 or numbers[2] > 0)
        if not good:
            fault = start
            break
        if fields > 0:
            sentence[n] = numbers[0]
            if numbers[1] == 0 or numbers[2] == 0:
                sure[n] = UNLINKED
            i[n] = max(numbers[1] - 1, 0)
            j[n] = max(numbers[2] - 1, 0)
            n += 1
            offsets[n] = length
        at += 1
    return sentence[:n], i[:n], j[:n], sure[:n], written[:length], offsets[: n + 1], fault


# Writing links as text, directly to bytes, in the formats above.
#
# The room for the longest possible line is taken first; the bytes written are then copied, so that
# no spare room is kept.

_ROOM = 5 + 1 + 5 + 1
"""The maximum size of a Pharaoh link in bytes: two positions of five digits, a mark and a space."""


@jit
def _put(out: U8, at: int, value: int) -> int:
    """Write a whole number of 0 or more in decimal digits; return where it ends."""
    width = 1
    rest = value // 10
    while rest > 0:
        width += 1
        rest //= 10
    for k in range(width - 1, -1, -1):
        out[at + k] = 48 + value % 10
        value //= 10
    return at + width


@jit
def render_pharaoh(
    starts: I64, ends: I64, i: U16, j: U16, sure: U8, first_bit: int, base: int
) -> tuple[U8, I64]:
    """Render one line per sentence, ``1-2 3p4``; return the bytes and the start of each line."""
    rows = len(starts)
    links = np.int64(0)
    for r in range(rows):
        links += ends[r] - starts[r]
    out = np.empty(links * _ROOM + rows, np.uint8)
    offsets = np.zeros(rows + 1, np.int64)
    at = 0
    for r in range(rows):
        for k in range(starts[r], ends[r]):
            if k > starts[r]:
                out[at] = 32
                at += 1
            at = _put(out, at, np.int64(i[k]) + base)
            bit = first_bit + k
            # A bitmap, the least significant bit first; empty if every link is Sure.
            is_sure = len(sure) == 0 or (sure[bit >> 3] >> (bit & 7)) & 1
            # A hyphen for a Sure link, ``p`` for a Possible one.
            out[at] = 45 if is_sure else 112
            at = _put(out, at + 1, np.int64(j[k]) + base)
        out[at] = 10
        at += 1
        offsets[r + 1] = at
    return out[:at], offsets


@jit
def render_naacl(
    starts: I64,
    ends: I64,
    i: U16,
    j: U16,
    sure: U8,
    first_bit: int,
    sentence: I64,
) -> U8:
    """Render one line per link, ``sentence source target S|P``, positions from 1."""
    links = np.int64(0)
    for r in range(starts.size):
        links += ends[r] - starts[r]
    # A number of 64 bits has 19 digits at most, a position of 16 bits 5; the end is space, label,
    # newline.
    out = np.empty(links * (19 + 1 + 5 + 1 + 5 + 3), np.uint8)
    at = 0
    for r in range(starts.size):
        for k in range(starts[r], ends[r]):
            at = _put(out, at, sentence[r])
            out[at] = 32
            at = _put(out, at + 1, np.int64(i[k]) + 1)
            out[at] = 32
            at = _put(out, at + 1, np.int64(j[k]) + 1)
            out[at] = 32
            bit = first_bit + k
            is_sure = sure.size == 0 or (sure[bit >> 3] >> (bit & 7)) & 1
            # ``S`` or ``P``.
            out[at + 1] = 83 if is_sure else 80
            out[at + 2] = 10
            at += 3
    return out[:at].copy()
