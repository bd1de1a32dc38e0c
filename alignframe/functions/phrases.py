"""Row-wise functions for phrase pairs."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from alignframe.core.arrays import Links
from alignframe.core.arrow import links_array, to_links
from alignframe.core.schemas import MAX_POSITION, PHRASE, PHRASE_LIST
from alignframe.errors import InputError, check_known
from alignframe.functions.row import Rows, by_name, numbers, with_nulls
from alignframe.kernels.ragged import first_outside, reach, tidy


def extract_phrases(
    links: pa.Array,
    kind: pa.Array | str = "minimal",
    max_length: pa.Array | int | None = None,
    src_length: pa.Array | int | None = None,
    tgt_length: pa.Array | int | None = None,
) -> pa.Array:
    """List the phrase pairs consistent with a sentence's links.

    Parameters
    ----------
    links
        list<struct<i, j[, sure]>>; Possible links count as Sure.
    kind
        ``minimal``: for each link, the smallest consistent pair of spans around it; ``exhaustive``:
        every consistent pair whose border words are aligned; ``moses``: every consistent pair,
        including unaligned border words. One for all rows or one per row.
    max_length
        Maximum phrase length in words, on both sides; by default 7 for ``moses`` and unlimited for
        the others.
    src_length, tgt_length
        The length of each sentence, for ``moses``; by default up to the last aligned word.

    Returns
    -------
    pyarrow.ListArray
        list<struct<src_start, src_end, tgt_start, tgt_end>>, 0-based, half-open, sorted, unique;
        null where links are.

    Raises
    ------
    InputError
        If the kind is unknown, a length is below 1, a link is outside the given lengths, or there
        are more than 134 million phrases.

    Notes
    -----
    Carl & Fissaha 2003, section 2.2; for ``moses`` Koehn, Och & Marcu 2003.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from alignframe import functions
    >>> links = functions.parse_links(pa.array(["0-1 1-0"]))
    >>> [tuple(one.values()) for one in functions.extract_phrases(links)[0].as_py()]
    [(0, 1, 1, 2), (1, 2, 0, 1)]
    """
    from alignframe.kernels.phrases.extraction import KINDS, MOSES_LENGTH, extract

    given = to_links(links, nulls=True)
    src, tgt = _lengths(given, src_length, tgt_length)

    def call(name: str, rows: Rows) -> pa.Array:
        check_known("`kind`", name, KINDS)
        limit = MOSES_LENGTH if name == "moses" else MAX_POSITION + 1
        longest = numbers(max_length, given.rows, limit)[rows]
        if longest.size and longest.min() < 1:
            raise InputError(f"`max_length` is {longest.min()}", expected="a whole number from 1")
        longest = np.minimum(longest, 1 << 40)  # leaves room to add a position
        extracted = extract(given.take(rows), name, longest, src[rows], tgt[rows])
        if extracted.overflow >= 0:
            raise InputError(
                f"more than 134 million phrases in {rows.size:,} sentences",
                todo="limit the length of phrases, or pass fewer sentences at a time",
            )
        spans = pa.StructArray.from_arrays(
            list(map(pa.array, extracted.spans)), fields=list(PHRASE)
        )
        return pa.ListArray.from_arrays(
            pa.array(extracted.offsets.astype(np.int32)), spans, type=PHRASE_LIST
        )

    return with_nulls(by_name(kind, "minimal", given.rows, call, PHRASE_LIST), links)


def count_null_links(
    links: pa.Array,
    src_length: pa.Array | int | None = None,
    tgt_length: pa.Array | int | None = None,
) -> pa.Array:
    """Count the unaligned words on both sides, each of which takes a null link.

    Parameters
    ----------
    links
        list<struct<i, j>>.
    src_length, tgt_length
        The length of each sentence; by default up to the last aligned word.

    Notes
    -----
    Carl & Fissaha 2003, section 2.1.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from alignframe import functions
    >>> links = functions.parse_links(pa.array(["0-0"]))
    >>> functions.count_null_links(links, 2, 3).to_pylist()
    [3]
    """
    from alignframe.kernels.phrases import extraction as phrases

    given = to_links(links, nulls=True)
    src, tgt = _lengths(given, src_length, tgt_length)
    counts = phrases.count_null_links(given.starts, given.ends, given.i, given.j, src, tgt)
    return with_nulls(pa.array(counts), links)


def add_null_links(
    links: pa.Array,
    src_length: pa.Array | int | None = None,
    tgt_length: pa.Array | int | None = None,
) -> pa.Array:
    """Link every unaligned word to the position after the other side's last word.

    Such a null link is Sure, and counts like any other, so that precision and recall also judge
    which words have no translation.

    Parameters
    ----------
    links
        list<struct<i, j, sure>>; ``sure`` is optional.
    src_length, tgt_length
        The length of each sentence; by default up to the last aligned word.

    Returns
    -------
    pyarrow.ListArray
        list<struct<i, j, sure>>, sorted.

    Raises
    ------
    InputError
        If a link lies outside its sentence pair.

    Notes
    -----
    Carl & Fissaha 2003, section 2.1.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from alignframe import functions
    >>> links = functions.parse_links(pa.array(["0-0"]))
    >>> functions.format_links(functions.add_null_links(links, 2, 1)).to_pylist()
    ['0-0 1-1']
    """
    given = to_links(links, nulls=True)
    lengths = np.stack(_lengths(given, src_length, tgt_length))
    # Where a length is unknown, the sentence ends with its last aligned word.
    lengths = np.where(lengths < 0, reach(given.starts, given.ends, given.i, given.j), lengths)
    if lengths.size and lengths.max() > MAX_POSITION:
        raise InputError(
            f"a sentence of {lengths.max():,} words", expected=f"at most {MAX_POSITION:,}"
        )
    kept = tidy(given)
    rows = np.repeat(np.arange(given.rows), np.diff(kept.offsets))
    parts = [(rows, kept.i, kept.j, kept.sure)]
    for side, words in enumerate((kept.i, kept.j)):
        # Words are numbered through all sentences; what no link takes is free.
        first = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths[side])])
        free = np.ones(first[-1], np.bool_)
        free[first[rows] + words] = False
        word = np.flatnonzero(free)
        row = np.searchsorted(first, word, side="right") - 1
        places = word - first[row], lengths[1 - side][row]
        i, j = (position.astype(np.uint16) for position in (places if side == 0 else places[::-1]))
        parts.append((row, i, j, np.ones(row.size, np.uint8)))
    row, i, j, sure = map(np.concatenate, zip(*parts, strict=True))
    order = np.lexsort((j, i, row))
    offsets = np.concatenate(
        [np.zeros(1, np.int64), np.cumsum(np.bincount(row, minlength=given.rows))]
    )
    return with_nulls(links_array(offsets, i[order], j[order], sure[order]), links)


def _lengths(
    links: Links, src_length: pa.Array | int | None, tgt_length: pa.Array | int | None
) -> tuple[Rows, Rows]:
    """Return the lengths of a side, -1 where unknown."""
    src, tgt = (numbers(side, links.rows, -1) for side in (src_length, tgt_length))
    for side in (src, tgt):
        if side.size and side.max() > MAX_POSITION + 1:
            raise InputError(
                f"a sentence of {side.max():,} words", expected=f"at most {MAX_POSITION + 1:,}"
            )
    row, link = first_outside(links.starts, links.ends, links.i, links.j, src, tgt)
    if row >= 0:
        raise InputError(
            f"the link {links.i[link]}-{links.j[link]} (counted from 0) lies outside its sentence "
            f"pair of {src[row]} source and {tgt[row]} target words",
            todo="check that the text belongs to the links, and which side they name first",
        )
    return src, tgt
