"""Filters of candidate translations (Melamed 1995, section 4), as masks.

A mask has a bit for every pair of positions in a sentence pair. With ``wide`` = ceil(n_tgt / 64),
pair s has a row of ``wide`` words of 64 bits for each of its source words, from ``mask_at[s]`` on;
bit j of a row is the candidate of target word j. A filter only clears bits, up to 64 at once, so
filters can follow each other in any order.
"""

from __future__ import annotations

import numpy as np

from alignframe.core.arrays import I16, I32, I64, U64
from alignframe.kernels.bits import lowest_bit
from alignframe.kernels.jit import jit


@jit
def full_mask(src_at: I64, tgt_at: I64) -> tuple[U64, I64]:
    """Return a mask of all candidates, and where each sentence pair's begins."""
    mask_at = np.zeros(src_at.size, np.int64)
    for s in range(src_at.size - 1):
        wide = (tgt_at[s + 1] - tgt_at[s] + 63) >> 6
        mask_at[s + 1] = mask_at[s] + (src_at[s + 1] - src_at[s]) * wide
    mask = np.empty(mask_at[-1], np.uint64)
    all_bits = ~np.uint64(0)
    for s in range(src_at.size - 1):
        size = tgt_at[s + 1] - tgt_at[s]
        if size == 0:
            continue
        wide = (size + 63) >> 6
        # The last word of each row has bits only for existing target words.
        rest = all_bits >> np.uint64(64 * wide - size)
        for at in range(mask_at[s], mask_at[s + 1]):
            mask[at] = all_bits
        # Every ``wide``-th word is the last one of a row.
        for at in range(mask_at[s] + wide - 1, mask_at[s + 1], wide):
            mask[at] = rest
    return mask, mask_at


@jit
def _find_known(
    src: I32,
    tgt: I32,
    starts: I64,
    listed: I32,
    first: I64,
    following: I64,
    mask: U64,
    known: U64,
    wide: int,
) -> bool:
    """Set the listed candidates of a sentence pair in ``known``; return whether there are any.

    The list has the pairs of source word w with the target words ``listed[starts[w] :
    starts[w + 1]]``. ``first`` (-1 for every target word) and ``following`` are scratch.
    """
    # Linked lists of the positions of each target word, ascending because they are built in
    # reverse.
    for j in range(tgt.size - 1, -1, -1):
        following[j] = first[tgt[j]]
        first[tgt[j]] = j
    any_known = False
    for i in range(src.size):
        for w in range(wide):
            known[i * wide + w] = 0
        for t in listed[starts[src[i]] : starts[src[i] + 1]]:
            j = first[t]
            while j >= 0:
                known[i * wide + (j >> 6)] |= np.uint64(1) << np.uint64(j & 63)
                j = following[j]
        for w in range(wide):
            # Only candidates that earlier filters left.
            known[i * wide + w] &= mask[i * wide + w]
            any_known |= known[i * wide + w] != 0
    # Only these were changed: resetting all words would take longer than the sentence.
    for t in tgt:
        first[t] = -1
    return any_known


@jit
def _largest(at: I64) -> int:
    """Return the largest difference of adjacent offsets, at least 1."""
    most = 1
    for s in range(at.size - 1):
        most = max(most, at[s + 1] - at[s])
    return most


@jit
def keep_known(
    mask: U64,
    mask_at: I64,
    src_at: I64,
    src_words: I32,
    tgt_at: I64,
    tgt_words: I32,
    n_tgt_words: int,
    starts: I64,
    listed: I32,
) -> None:
    """For each listed candidate, clear the other candidates of its two words.

    This is the filter by a bilingual dictionary (Melamed 1995, section 4.2), also used with
    cognates (section 4.3).
    """
    first = np.full(n_tgt_words, -1, np.int64)
    following = np.empty(_largest(tgt_at), np.int64)
    known = np.empty(_largest(mask_at), np.uint64)
    columns = np.empty(_largest(tgt_at), np.uint64)
    for s in range(src_at.size - 1):
        src = src_words[src_at[s] : src_at[s + 1]]
        tgt = tgt_words[tgt_at[s] : tgt_at[s + 1]]
        wide = (tgt.size + 63) >> 6
        pair_mask = mask[mask_at[s] : mask_at[s + 1]]
        if not _find_known(src, tgt, starts, listed, first, following, pair_mask, known, wide):
            continue
        for w in range(wide):
            # The target words of listed candidates; only their own source words keep them.
            columns[w] = 0
            for i in range(src.size):
                columns[w] |= known[i * wide + w]
        for i in range(src.size):
            has = False
            for w in range(wide):
                has |= known[i * wide + w] != 0
            for w in range(wide):
                at = i * wide + w
                pair_mask[at] = known[at] if has else pair_mask[at] & ~columns[w]


@jit
def keep_aligned(
    mask: U64,
    mask_at: I64,
    src_at: I64,
    src_words: I32,
    tgt_at: I64,
    tgt_words: I32,
    n_tgt_words: int,
    starts: I64,
    listed: I32,
) -> None:
    """Split sentence pairs at listed candidates; clear candidates across the parts.

    The split points are the longest chain of listed candidates that ascends on both sides; ties go
    to the first points on the source side, then on the target side (Melamed 1995, section 4.4).
    """
    first = np.full(n_tgt_words, -1, np.int64)
    following = np.empty(_largest(tgt_at), np.int64)
    known = np.empty(_largest(mask_at), np.uint64)
    part_of = np.empty(_largest(tgt_at), np.int64)
    for s in range(src_at.size - 1):
        src = src_words[src_at[s] : src_at[s + 1]]
        tgt = tgt_words[tgt_at[s] : tgt_at[s + 1]]
        wide = (tgt.size + 63) >> 6
        pair_mask = mask[mask_at[s] : mask_at[s + 1]]
        if not _find_known(src, tgt, starts, listed, first, following, pair_mask, known, wide):
            continue
        chain_i, chain_j = longest_chain(known[: src.size * wide], wide)
        # Words between points have even numbers, points odd ones.
        part = 0
        for j in range(tgt.size):
            point = part < chain_j.size and chain_j[part] == j
            part_of[j] = 2 * part + point
            part += point
        part = 0
        for i in range(src.size):
            point = part < chain_i.size and chain_i[part] == i
            own_part = 2 * part + point
            part += point
            for w in range(wide):
                bits = pair_mask[i * wide + w]
                kept = bits
                while bits:
                    j = lowest_bit(bits)
                    if part_of[64 * w + j] != own_part:
                        kept &= ~(np.uint64(1) << np.uint64(j))
                    bits &= bits - np.uint64(1)
                pair_mask[i * wide + w] = kept


@jit
def longest_chain(known: U64, wide: int) -> tuple[I64, I64]:
    """Return the longest chain of bits with ascending rows and columns, ties to the first.

    From the last bit to the first, ``reach[k]`` is the largest column at which a chain of k + 1
    bits begins, so the length of the chain from each bit is found by bisection (the longest
    increasing subsequence, Fredman 1975).
    """
    rows = known.size // wide
    most = 0
    for bits in known:
        left = bits
        while left:
            most += 1
            left &= left - np.uint64(1)
    row = np.empty(most, np.int64)
    column = np.empty(most, np.int64)
    n = 0
    for i in range(rows):
        for w in range(wide):
            bits = known[i * wide + w]
            while bits:
                row[n] = i
                column[n] = 64 * w + lowest_bit(bits)
                n += 1
                bits &= bits - np.uint64(1)
    length = np.empty(n, np.int64)
    reach = np.empty(n, np.int64)
    longest = 0
    end = n
    while end > 0:
        start = end - 1
        while start > 0 and row[start - 1] == row[end - 1]:
            start -= 1
        # The lengths of a whole row before ``reach`` changes: two bits of a row cannot follow each
        # other.
        for k in range(start, end):
            low, high = 0, longest
            while low < high:
                middle = (low + high) >> 1
                if reach[middle] > column[k]:
                    low = middle + 1
                else:
                    high = middle
            length[k] = low + 1
        for k in range(start, end):
            at = length[k] - 1
            if at == longest:
                longest += 1
                reach[at] = column[k]
            else:
                reach[at] = max(reach[at], column[k])
        end = start
    chain_i = np.empty(longest, np.int64)
    chain_j = np.empty(longest, np.int64)
    taken, last_i, last_j = 0, -1, -1
    for k in range(n):
        wanted = longest - taken
        if wanted and length[k] == wanted and row[k] > last_i and column[k] > last_j:
            chain_i[taken], chain_j[taken] = row[k], column[k]
            last_i, last_j = row[k], column[k]
            taken += 1
    return chain_i, chain_j


@jit
def keep_same_class(
    mask: U64, mask_at: I64, src_at: I64, src_class: I16, tgt_at: I64, tgt_class: I16
) -> None:
    """Clear the candidates whose words differ in class (Melamed 1995, section 4.1)."""
    for s in range(src_at.size - 1):
        begin, end = tgt_at[s], tgt_at[s + 1]
        at = mask_at[s]
        for i in range(src_at[s], src_at[s + 1]):
            # One word of the mask at a time, without a branch per target word.
            for low in range(begin, end, 64):
                kept = np.uint64(0)
                for j in range(low, min(low + 64, end)):
                    kept |= np.uint64(tgt_class[j] == src_class[i]) << np.uint64(j - low)
                mask[at] &= kept
                at += 1


@jit
def mask_of_types(
    mask: U64,
    mask_at: I64,
    src_at: I64,
    src_words: I32,
    tgt_at: I64,
    tgt_words: I32,
    src_types_at: I64,
    src_types: I32,
    tgt_types_at: I64,
    tgt_types: I32,
    n_words: int,
) -> tuple[U64, I64]:
    """Return the mask by types: a candidate is kept if any of its positions is.

    Types are in order of first occurrence; ``n_words`` is the larger vocabulary.
    """
    types, types_at = full_mask(src_types_at, tgt_types_at)
    types[:] = 0
    number = np.empty(n_words, np.int64)
    column = np.empty(_largest(tgt_at), np.int64)
    for s in range(src_at.size - 1):
        tgt_first, size = tgt_at[s], tgt_at[s + 1] - tgt_at[s]
        wide = (size + 63) >> 6
        narrow = (tgt_types_at[s + 1] - tgt_types_at[s] + 63) >> 6
        repeated = size > tgt_types_at[s + 1] - tgt_types_at[s]
        # Where no target word is repeated, types and positions are the same, and whole words are
        # copied.
        if repeated:
            for k in range(tgt_types_at[s], tgt_types_at[s + 1]):
                number[tgt_types[k]] = k - tgt_types_at[s]
            for j in range(size):
                column[j] = number[tgt_words[tgt_first + j]]
        for k in range(src_types_at[s], src_types_at[s + 1]):
            number[src_types[k]] = k - src_types_at[s]
        at = mask_at[s]
        for i in range(src_at[s], src_at[s + 1]):
            to = types_at[s] + number[src_words[i]] * narrow
            for w in range(wide):
                bits = mask[at]
                at += 1
                if not repeated:
                    types[to + w] |= bits
                    continue
                while bits:
                    j = column[64 * w + lowest_bit(bits)]
                    types[to + (j >> 6)] |= np.uint64(1) << np.uint64(j & 63)
                    bits &= bits - np.uint64(1)
    return types, types_at
