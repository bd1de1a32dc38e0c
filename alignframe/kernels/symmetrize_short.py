"""Growing the alignment of a short sentence, where each word's links are the bits of a mask.

Row x + 1 of the masks has the links of word x of one side, with bit y for word y of the other; an
empty row lies on either side.
"""

from __future__ import annotations

import numpy as np

from alignframe.arrays import I64, U16
from alignframe.kernels.bits import lowest_bit
from alignframe.kernels.jit import jit

SHORT = 62
"""The number of words of a short sentence: the neighbours of the last bit are positive, too."""

Masks = tuple[I64, I64, I64, I64, I64]


@jit
def short_masks() -> Masks:
    """Return scratch for ``grow_short``: arrays, which are faster than rows of a single one."""
    size = SHORT + 2
    return (
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
    )


@jit
def _read(row: U16, bit: U16, start: int, end: int, masks: I64) -> None:
    """Set the bits of links in empty masks."""
    for k in range(start, end):
        masks[np.int64(row[k]) + 1] |= np.int64(1) << np.int64(bit[k])


@jit
def _write(masks: I64, rows: int, out: tuple[U16, U16], n: int) -> int:
    """Write links in order to the output from ``n`` on; return where they end."""
    for x in range(rows):
        left = masks[x + 1]
        while left:
            out[0][n] = x
            out[1][n] = lowest_bit(np.uint64(left))
            left &= left - 1
            n += 1
    return n


@jit
def _turn(masks: I64, rows: int, turned: I64, bits: int) -> None:
    """Write masks with rows and bits exchanged to ``turned``."""
    for y in range(bits):
        turned[y + 1] = 0
    for x in range(rows):
        left = masks[x + 1]
        while left:
            turned[lowest_bit(np.uint64(left)) + 1] |= np.int64(1) << x
            left &= left - 1


@jit
def _around(masks: I64, x: int, diagonal: bool) -> int:
    """Return the positions of row x that are next to a link."""
    beside = masks[x - 1] | masks[x + 1]
    near = masks[x] | (beside if diagonal else 0)
    return beside | near << 1 | near >> 1


@jit
def _allowed(links: int, kept: int, used: int, need: int) -> int:
    """Return a row's links with at least ``need`` unaligned words, 1 or 2."""
    if need == 2 and kept:
        return 0
    return links & ~used if need == 2 or kept else links


@jit
def _push(
    kept: I64, live: I64, rows: int, used: int, need: int, steps: I64, diagonal: bool
) -> tuple[int, bool]:
    """Pass over the kept links and add their neighbours; see ``_grow``."""
    added = False
    for x in range(1, rows + 1):
        visit = kept[x] & _around(live, x, diagonal)
        while visit:
            bit = visit & -visit
            for s in range(steps.shape[0]):
                y = x + steps[s, 0]
                link = (bit << 1) >> (1 - steps[s, 1])
                if link & _allowed(live[y], kept[y], used, need):
                    kept[y] |= link
                    live[y] ^= link
                    used |= link
                    added = True
            visit = kept[x] & _around(live, x, diagonal) & ~((bit << 1) - 1)
    return used, added


@jit
def _pull(
    kept: I64, live: I64, rows: int, used: int, need: int, diagonal: bool
) -> tuple[int, bool]:
    """Pass over the other links and add those beside kept ones; see ``_grow``."""
    added = False
    for x in range(1, rows + 1):
        visit = live[x] & _around(kept, x, diagonal)
        while visit:
            link = visit & -visit
            if link & _allowed(live[x], kept[x], used, need):
                kept[x] |= link
                live[x] ^= link
                used |= link
                added = True
            visit = live[x] & _around(kept, x, diagonal) & ~((link << 1) - 1)
    return used, added


@jit
def _grow(
    one: I64,
    two: I64,
    rows: int,
    steps: I64,
    pull: bool,
    need: int,
    final: int,
    kept: I64,
    live: I64,
) -> None:
    """Grow the intersection into ``kept``; see ``alignframe.symmetrization.Grow``.

    ``one`` and ``two`` are the masks of both directions, and ``steps`` those of rows and of bits.
    ``live`` is scratch for the links that may be added. Links added during a pass take effect in
    the same pass.
    """
    diagonal = steps.shape[0] > 4
    used = np.int64(0)
    for x in range(rows + 2):
        kept[x] = one[x] & two[x]
        live[x] = one[x] ^ two[x]
        used |= kept[x]
    added = True
    while added:
        waiting = np.int64(0)
        for x in range(1, rows + 1):
            live[x] = _allowed(live[x], kept[x], used, need)
            waiting |= live[x]
        if not waiting:
            break
        if pull:
            used, added = _pull(kept, live, rows, used, need, diagonal)
        else:
            used, added = _push(kept, live, rows, used, need, steps, diagonal)
    if not final:
        return
    for side in (one, two):
        for x in range(1, rows + 1):
            visit = _allowed(side[x] & ~kept[x], kept[x], used, final)
            while visit:
                link = visit & -visit
                kept[x] |= link
                used |= link
                visit = _allowed(visit ^ link, kept[x], used, final)


@jit
def grow_short(
    links: tuple[U16, U16, U16, U16],
    ends: tuple[int, int, int, int],
    words: tuple[int, int],
    rule: tuple[I64, bool, bool, int, int],
    masks: Masks,
    out: tuple[U16, U16],
    n: int,
) -> int:
    """Write a short sentence's links to the output from ``n`` on; return where they end.

    ``links`` has i and j of forward, then of reverse links; ``ends`` where the sentence's links
    start and end in forward and in reverse; ``words`` the number of words on either side, at most
    ``SHORT``. ``rule`` is an ``alignframe.symmetrization.Grow``, and ``masks`` scratch, from
    ``short_masks``.
    """
    fi, fj, ri, rj = links
    steps, by_target, pull, need, final = rule
    one, two, kept, live, turned = masks
    rows = words[1] if by_target else words[0]
    for x in range(rows + 2):
        one[x] = two[x] = 0
    if not by_target:
        _read(fi, fj, ends[0], ends[1], one)
        _read(ri, rj, ends[2], ends[3], two)
        _grow(one, two, rows, steps, pull, need, final, kept, live)
        return _write(kept, rows, out, n)
    _read(fj, fi, ends[0], ends[1], one)
    _read(rj, ri, ends[2], ends[3], two)
    _grow(one, two, rows, steps[:, ::-1], pull, need, final, kept, live)
    _turn(kept, rows, turned, words[0])
    return _write(turned, words[0], out, n)
