"""Links carried from one splitting of a sentence to another.

Both splittings have the same characters, so a token is a span of them, and a link of a token
becomes one of each token of the other splitting that shares a character with it. Characters are
``points``, folded by whoever calls; token k of a column has the spelling ``codes[k]``, whose points
begin at ``spelt[codes[k]]``. Marks of a splitting are no characters of the sentence, nor are tokens
such as ``</s>``; ``<unk>`` is any characters, one or more.

A sentence has a place after its last token, the end of sentence or NULL, which is carried to that
of the other splitting, or to its token ``</s>``.
"""

from __future__ import annotations

import numpy as np

from alignframe.core.arrays import I32, I64, U8, U16
from alignframe.kernels.jit import jit

UNKNOWN, BEGIN, END, SPECIAL, SAME, PIECE, CONTINUED, INSIDE = 1, 2, 4, 8, 16, 32, 64, 128
"""Roles of a spelling: ``<unk>``; ``<s>``; ``</s>``; a token without characters, such as both; of
the same character as the token before, as bytes are; with sentencepiece's mark; with ``@@`` at its
end; with ``##`` at its beginning."""

ACCENT, UNSEEN = np.int32(1 << 24), np.int32(1 << 25)
"""Bits of points that are combining marks, and of those that are not seen, such as joiners."""

_ANY = np.int32(-1)

Column = tuple[I64, I32]
"""Where each sentence begins among all tokens, and the spelling of each."""


@jit
def splitting_of(codes: I32, roles: U8) -> int:
    """Return how a sentence is split, by its marks: a number of ``core.choices.SPLITTINGS``."""
    every = 0
    for code in codes:
        every |= roles[code]
    if every & PIECE:
        return 2
    if every & CONTINUED:
        return 3
    return 4 if every & INSIDE else 1


@jit
def splittings_of(at: I64, codes: I32, roles: U8) -> I64:
    """Return how each sentence is split, by its marks."""
    found = np.empty(at.size - 1, np.int64)
    for r in range(found.size):
        found[r] = splitting_of(codes[at[r] : at[r + 1]], roles)
    return found


@jit
def _spans(
    codes: I32, spelt: I64, points: I32, roles: U8, how: int, limit: int,
    line: I32, starts: I32, ends: I32,
) -> int:  # fmt: skip
    """Write the characters of a sentence and the span of each token; return their number.

    With ``how`` 0, everything is text as it is written. Points from ``limit`` on are left out.
    """
    n = 0
    for t in range(codes.size):
        role = roles[codes[t]]
        first, last = spelt[codes[t]], spelt[codes[t] + 1]
        starts[t] = n
        if role & SAME and t:
            starts[t] = starts[t - 1]
        elif how and role & UNKNOWN:
            line[n] = _ANY
            n += 1
        elif how == 2 and role & PIECE and first == last:
            # A mark alone begins the word that follows, and shares its first character.
            ends[t] = n + 1
            continue
        elif not (how and role & SPECIAL):
            if how == 3 and role & CONTINUED:
                last -= 2
            if how == 4 and role & INSIDE:
                first += 2
            for k in range(first, last):
                if points[k] < limit:
                    line[n] = points[k] & (ACCENT - 1)
                    n += 1
        ends[t] = n
    for t in range(codes.size - 1, -1, -1):
        if ends[t] <= n:
            break
        ends[t] = n
    return n


@jit
def _difference(line: I32, n: int, other: I32, m: int) -> int:
    """Return the first place at which two lines differ, or -1."""
    for x in range(min(n, m)):
        if line[x] != other[x]:
            return x
    return -1 if n == m else min(n, m)


@jit
def _fitted(line: I32, n: int, other: I32, m: int, places: I32) -> bool:
    """Write the place of each character in another line, if a line with unknown parts fits it.

    What lies between two of them is found where it occurs first, the last part at the end.
    """
    at = x = 0
    loose = False
    while x < n:
        if line[x] == _ANY:
            places[x] = at
            at += 1
            x += 1
            loose = True
            continue
        size = 0
        while x + size < n and line[x + size] != _ANY:
            size += 1
        if loose and x + size == n:
            at = max(at, m - size)
        while True:
            if at + size > m:
                return False
            same = 0
            while same < size and line[x + same] == other[at + same]:
                same += 1
            if same == size:
                break
            if not loose:
                return False
            at += 1
        for k in range(size):
            places[x + k] = at + k
        at += size
        x += size
        loose = False
    places[n] = m
    return n > 0 and (at <= m if line[n - 1] == _ANY else at == m)


@jit
def _longest(at: I64, codes: I32, spelt: I64) -> tuple[int, int]:
    """Return the largest numbers of tokens and of characters of a sentence."""
    tokens = characters = 0
    for r in range(at.size - 1):
        size = 0
        for t in range(at[r], at[r + 1]):
            size += max(spelt[codes[t] + 1] - spelt[codes[t]], 1)
        tokens = max(tokens, at[r + 1] - at[r])
        characters = max(characters, size)
    return tokens + 1, characters + 1


@jit
def _token_at(place: int, ends: I32, size: int) -> int:
    """Return the token that has a character, or the number of tokens."""
    for t in range(size):
        if ends[t] > place:
            return t
    return size


@jit
def shared_tokens(
    old: Column, new: Column, spelt: I64, points: I32, roles: U8, old_how: I64, new_how: I64
) -> tuple[I32, I32, U8, I32]:
    """Return which tokens of the new splitting share a character with each of the old one.

    ``old_how`` and ``new_how`` say how each sentence is split, 0 by its marks. Those of token t of
    sentence r have the numbers ``low[x] <= u < high[x]`` with x = r + t + where the sentence
    begins, apart from those that are not ``filled``: tokens without characters. If the texts of a
    sentence differ, ``differs`` has the first character where they do, and the tokens that have it;
    otherwise -1. They may differ in what is not seen and in accents, as in lower-cased wordpieces,
    and what look like marks may be text.
    """
    (old_at, old_codes), (new_at, new_codes) = old, new
    rows = old_at.size - 1
    low = np.zeros(old_codes.size + rows, np.int32)
    high = np.zeros(old_codes.size + rows, np.int32)
    filled = np.ones(new_codes.size + rows, np.uint8)
    differs = np.full((rows, 3), -1, np.int32)
    old_most, old_points = _longest(old_at, old_codes, spelt)
    new_most, new_points = _longest(new_at, new_codes, spelt)
    line, other = np.empty(old_points, np.int32), np.empty(new_points, np.int32)
    starts, ends = np.empty(old_most, np.int32), np.empty(old_most, np.int32)
    new_starts, new_ends = np.empty(new_most, np.int32), np.empty(new_most, np.int32)
    places = np.empty(max(old_points, new_points) + 1, np.int32)
    for r in range(rows):
        mine, theirs = old_codes[old_at[r] : old_at[r + 1]], new_codes[new_at[r] : new_at[r + 1]]
        x0, y0 = old_at[r] + r, new_at[r] + r
        if mine.size == theirs.size and np.all(mine == theirs):
            for t in range(mine.size + 1):
                low[x0 + t], high[x0 + t] = t, t + 1
            continue
        hows = old_how[r], new_how[r]
        hows = (
            hows[0] if hows[0] else splitting_of(mine, roles),
            hows[1] if hows[1] else splitting_of(theirs, roles),
        )
        how, new = hows
        for attempt in range(12):
            how = 0 if attempt & 1 else hows[0]
            new = 0 if attempt & 2 else hows[1]
            limit = 2 * UNSEEN if attempt < 4 else UNSEEN if attempt < 8 else ACCENT
            n = _spans(mine, spelt, points, roles, how, limit, line, starts, ends)
            m = _spans(theirs, spelt, points, roles, new, limit, other, new_starts, new_ends)
            place = _difference(line, n, other, m)
            if attempt == 0:
                differs[r, 0] = place
                differs[r, 1] = _token_at(place, ends, mine.size)
                differs[r, 2] = _token_at(place, new_ends, theirs.size)
            if place >= 0 and _fitted(line, n, other, m, places):
                _move(starts, ends, mine.size, places)
                place = -1
            if place >= 0 and _fitted(other, m, line, n, places):
                _move(new_starts, new_ends, theirs.size, places)
                place = -1
            if place < 0:
                break
        if place >= 0:
            continue
        differs[r, 0] = -1
        for u in range(theirs.size):
            filled[y0 + u] = new_ends[u] > new_starts[u]
        first = 0
        for t in range(mine.size):
            while first < theirs.size and new_ends[first] <= starts[t]:
                first += 1
            last = first
            while last < theirs.size and new_starts[last] < ends[t]:
                last += 1
            if ends[t] > starts[t]:
                low[x0 + t], high[x0 + t] = first, last
        # The ends of the sentence, by tokens or one past the last.
        end = theirs.size
        if new and end and roles[theirs[end - 1]] & END:
            end -= 1
            filled[y0 + end] = 1
        low[x0 + mine.size], high[x0 + mine.size] = end, end + 1
        if how and mine.size and roles[mine[mine.size - 1]] & END:
            low[x0 + mine.size - 1], high[x0 + mine.size - 1] = end, end + 1
        if how and new and mine.size and theirs.size and roles[mine[0]] & roles[theirs[0]] & BEGIN:
            low[x0], high[x0] = 0, 1
            filled[y0] = 1
    return low, high, filled, differs


@jit
def _move(starts: I32, ends: I32, size: int, places: I32) -> None:
    """Replace spans of a line by those of the line that it fits."""
    for t in range(size):
        starts[t], ends[t] = places[starts[t]], places[ends[t]]


Shared = tuple[I64, I32, I32, I64, U8]
"""Of a side: where sentences begin, ``low`` and ``high`` of ``shared_tokens``; where they begin in
the new splitting, and ``filled``."""


@jit
def carry_links(
    starts: I64, ends: I64, i: U16, j: U16, sure: U8, first_bit: int, src: Shared, tgt: Shared
) -> tuple[I64, U16, U16, U8, I64, I64]:
    """Return each link's links in the new splitting, unsorted, with the link that each is from.

    Last is the number of links without any, of each sentence.
    """
    src_at, src_low, src_high, src_new, src_filled = src
    tgt_at, tgt_low, tgt_high, tgt_new, tgt_filled = tgt
    rows = starts.size
    most = 0
    for r in range(rows):
        for k in range(starts[r], ends[r]):
            x, y = src_at[r] + r + i[k], tgt_at[r] + r + j[k]
            most += np.int64(src_high[x] - src_low[x]) * (tgt_high[y] - tgt_low[y])
    offsets = np.zeros(rows + 1, np.int64)
    out_i, out_j = np.empty(most, np.uint16), np.empty(most, np.uint16)
    out_sure = np.ones(most, np.uint8)
    origins = np.empty(most, np.int64)
    lost = np.zeros(rows, np.int64)
    n = 0
    for r in range(rows):
        for k in range(starts[r], ends[r]):
            x, y = src_at[r] + r + i[k], tgt_at[r] + r + j[k]
            label = np.uint8(1)
            if sure.size > 0:
                bit = first_bit + k
                label = (sure[bit >> 3] >> (bit & 7)) & 1
            before = n
            for u in range(src_low[x], src_high[x]):
                if not src_filled[src_new[r] + r + u]:
                    continue
                for v in range(tgt_low[y], tgt_high[y]):
                    if tgt_filled[tgt_new[r] + r + v]:
                        out_i[n], out_j[n], out_sure[n], origins[n] = u, v, label, k
                        n += 1
            lost[r] += n == before
        offsets[r + 1] = n
    return (
        offsets,
        out_i[:n].copy(),
        out_j[:n].copy(),
        out_sure[:n].copy(),
        origins[:n].copy(),
        lost,
    )
