"""The registry of row-wise functions: Arrow arrays in, an Arrow array out.

Each function is written once and listed here; ``engines/`` registers the whole list in DuckDB and
polars.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.arrow import as_array, from_links, links_array, to_links
from alignframe.errors import InputError
from alignframe.kernels.ragged import Links, first_outside, frozen, make_links, swap_sides, tidy
from alignframe.tables import (
    COUNTS,
    COUNTS_STRUCT,
    GOLD_LINKS,
    LINKS,
    MAX_POSITION,
    PHRASE,
    PHRASE_LIST,
)

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class RowFunction:
    """A function of one row, over whole columns.

    ``arguments`` gives the name and Arrow type of each argument, in order; ``defaults`` the values
    of the last ones where they may be left out.
    """

    name: str
    arguments: Mapping[str, pa.DataType]
    returns: pa.DataType
    call: Callable[..., pa.Array]
    summary: str
    defaults: Mapping[str, str | None] = field(default_factory=dict)


def _same_length(*columns: pa.Array) -> None:
    lengths = [len(column) for column in columns]
    if len(set(lengths)) > 1:
        raise InputError(f"columns of {lengths} rows", expected="columns of one length")


def count_links(hyp: pa.Array, gold: pa.Array) -> pa.Array:
    """Count a sentence's links: |A|, |S|, |P|, |S∩A| and |P∩A|.

    Parameters
    ----------
    hyp
        list<struct<i, j>>; a missing list counts as an empty one.
    gold
        list<struct<i, j, sure>>; a row without gold has no counts.

    Returns
    -------
    pyarrow.StructArray
        The fields of ``alignframe.tables.COUNTS``.
    """
    from alignframe.kernels.count import count_gold, count_hits

    _same_length(hyp, gold)
    gold_array = as_array(gold)
    found, wanted = to_links(hyp), to_links(gold_array)
    rows = np.arange(found.rows, dtype=np.int64)
    known = count_gold(wanted)
    hits = count_hits(found, known, rows)
    counts = (hits.n_hyp, known.n_sure, known.n_possible, hits.n_hyp_sure, hits.n_hyp_possible)
    columns = dict(zip(COUNTS, counts, strict=True))
    mask = gold_array.is_null() if gold_array.null_count else None
    return pa.StructArray.from_arrays(
        [pa.array(columns[name]) for name in COUNTS], fields=list(COUNTS_STRUCT), mask=mask
    )


def symmetrize(forward: pa.Array, reverse: pa.Array, method: pa.Array | str) -> pa.Array:
    """Join the links of two directions, both in source-target orientation.

    Parameters
    ----------
    forward, reverse
        list<struct<i, j>>.
    method
        A name from ``alignframe.kernels.symmetrize.METHODS``, the same for all rows or one a row.

    Returns
    -------
    pyarrow.ListArray
        list<struct<i, j>>, sorted.

    Raises
    ------
    InputError
        If the method is not known.
    """
    from alignframe.kernels.symmetrize import METHODS
    from alignframe.kernels.symmetrize import symmetrize as join

    _same_length(forward, reverse, *([] if isinstance(method, str) else [method]))
    one, two = to_links(forward), to_links(reverse)
    return _by_name(
        method,
        METHODS,
        "method",
        one.rows,
        lambda name, rows: from_links(join(one.take(rows), two.take(rows), name)),
        LINKS,
    )


def _by_name(
    names: pa.Array | str,
    known: Iterable[str],
    what: str,
    rows: int,
    call: Callable[[str, Rows], pa.Array],
    returns: pa.DataType,
) -> pa.Array:
    """Return what ``call`` makes of the rows of each name, put back in order."""
    found = [names] if isinstance(names, str) else pc.unique(as_array(names)).to_pylist()
    for name in found:
        if name not in known:
            raise InputError(f"the {what} {name!r}", expected=f"one of {', '.join(known)}")
    every = np.arange(rows, dtype=np.int64)
    if len(found) == 1:
        return call(found[0], every)
    if not found:
        return pa.array([], returns)
    chosen = [
        np.flatnonzero(pc.equal(as_array(names), name).to_numpy(zero_copy_only=False))
        for name in found
    ]
    parts = [call(name, some) for name, some in zip(found, chosen, strict=True)]
    back = np.argsort(np.concatenate(chosen), kind="stable")
    return pa.concat_arrays(parts).take(pa.array(back))


def invert_links(links: pa.Array) -> pa.Array:
    """Exchange the source and target position of every link."""
    offsets, i, j, sure = swap_sides(*to_links(links))
    kept = tidy(make_links(offsets, i, j, sure))
    return links_array(kept.offsets, kept.i, kept.j)


def parse_links(text: pa.Array) -> pa.Array:
    """Read links in Pharaoh notation, ``0-0 1-2 3p4``; a missing text gives no links.

    Raises
    ------
    InputError
        If a text has anything but links.
    """
    from alignframe.kernels.parse import parse_pharaoh

    lines = [(line or "").replace("\n", " ") for line in as_array(text).to_pylist()]
    data = np.frombuffer("".join(f"{line}\n" for line in lines).encode(), np.uint8)
    offsets, i, j, sure, fault = parse_pharaoh(data, 0)
    if fault >= 0:
        row = int(np.count_nonzero(data[:fault] == 10))
        raise InputError(
            f"{lines[row][:60]!r} holds something that is not a link",
            expected="links such as 0-0 1-2, or 0p1 for a Possible one, positions up to 65,535",
        )
    kept = tidy(make_links(offsets, i, j, sure))
    return links_array(kept.offsets, kept.i, kept.j, kept.sure)


def format_links(links: pa.Array) -> pa.Array:
    """Write links in Pharaoh notation, ``0-0 1-2``; a Possible link as ``0p1``."""
    from alignframe.kernels.render import render_pharaoh

    text, starts = render_pharaoh(*to_links(links), 0)
    lines = text.tobytes().decode().split("\n")[: starts.size - 1]
    return pa.array(lines, pa.string())


def extract_phrases(
    links: pa.Array,
    kind: pa.Array | str = "minimal",
    max_length: pa.Array | int | None = None,
    src_length: pa.Array | int | None = None,
    tgt_length: pa.Array | int | None = None,
) -> pa.Array:
    """List the phrase pairs that a sentence's links allow.

    Parameters
    ----------
    links
        list<struct<i, j[, sure]>>; Possible links count like Sure ones.
    kind
        ``minimal``: for each link the smallest pair of spans around it that no link leaves;
        ``exhaustive``: every such pair whose border words are linked; ``moses``: every such pair,
        also with unlinked words at its borders. The same for all rows or one a row.
    max_length
        The longest phrase, in words of either side: 7 for ``moses`` and no limit for the others
        unless told.
    src_length, tgt_length
        The length of each sentence, for ``moses``; the last linked word ends it unless told.

    Returns
    -------
    pyarrow.ListArray
        list<struct<src_start, src_end, tgt_start, tgt_end>>, 0-based, half-open, sorted, without
        repeats.

    Raises
    ------
    InputError
        If the kind is not known, a length is below 1, a link lies outside the given lengths, or
        there are more than 134 million phrases.

    Notes
    -----
    Carl & Fissaha 2003, section 2.2; for ``moses`` Koehn, Och & Marcu 2003.
    """
    from alignframe.kernels.phrases import KINDS, MOSES_LENGTH, extract

    given = to_links(links)
    src, tgt = (_numbers(side, given.rows, -1) for side in (src_length, tgt_length))
    _refuse_outside(given, src, tgt)

    def call(name: str, rows: Rows) -> pa.Array:
        limit = MOSES_LENGTH if name == "moses" else MAX_POSITION + 1
        longest = _numbers(max_length, given.rows, limit)[rows]
        if longest.size and longest.min() < 1:
            raise InputError(f"the longest phrase of {longest.min()} words", expected="1 or more")
        longest = np.minimum(longest, 1 << 40)  # so that a position can be added to it
        found = extract(given.take(rows), name, longest, src[rows], tgt[rows])
        if found.overflow >= 0:
            raise InputError(
                f"more than 134 million phrases in {rows.size:,} sentences",
                todo="limit the length of phrases, or give fewer sentences at a time",
            )
        spans = pa.StructArray.from_arrays(list(map(pa.array, found.spans)), fields=list(PHRASE))
        return pa.ListArray.from_arrays(
            pa.array(found.offsets.astype(np.int32)), spans, type=PHRASE_LIST
        )

    if not isinstance(kind, str):
        kind = as_array(kind).fill_null("minimal")
    return _by_name(kind, KINDS, "kind of phrases", given.rows, call, PHRASE_LIST)


def count_null_links(
    links: pa.Array,
    src_length: pa.Array | int | None = None,
    tgt_length: pa.Array | int | None = None,
) -> pa.Array:
    """Count the words of both sides without a link, each of which takes a null link.

    Parameters
    ----------
    links
        list<struct<i, j>>.
    src_length, tgt_length
        The length of each sentence; the last linked word ends it unless told.

    Notes
    -----
    Carl & Fissaha 2003, section 2.1.
    """
    from alignframe.kernels import phrases

    given = to_links(links)
    src, tgt = (_numbers(side, given.rows, -1) for side in (src_length, tgt_length))
    _refuse_outside(given, src, tgt)
    return pa.array(phrases.count_null_links(given.starts, given.ends, given.i, given.j, src, tgt))


def _numbers(given: pa.Array | int | None, rows: int, missing: int) -> Rows:
    """Return a number a row; ``missing`` where none is given."""
    if given is None or isinstance(given, int):
        return frozen(np.full(rows, missing if given is None else given, np.int64))
    _same_length(given, pa.nulls(rows))
    return frozen(as_array(given).cast(pa.int64()).fill_null(missing).to_numpy())


def _refuse_outside(links: Links, src_length: Rows, tgt_length: Rows) -> None:
    row, link = first_outside(links.starts, links.ends, links.i, links.j, src_length, tgt_length)
    if row >= 0:
        raise InputError(
            f"the link {links.i[link]}-{links.j[link]} (counted from 0) lies outside its sentence "
            f"pair of {src_length[row]} source and {tgt_length[row]} target words",
            todo="check that the text belongs to the links, and which side they name first",
        )


FUNCTIONS: tuple[RowFunction, ...] = (
    RowFunction(
        "count_links",
        {"hyp": LINKS, "gold": GOLD_LINKS},
        COUNTS_STRUCT,
        count_links,
        "the additive counts of a sentence",
    ),
    RowFunction(
        "symmetrize",
        {"forward": LINKS, "reverse": LINKS, "method": pa.string()},
        LINKS,
        symmetrize,
        "the links of two directions joined into one alignment",
    ),
    RowFunction(
        "invert_links",
        {"links": LINKS},
        LINKS,
        invert_links,
        "links with source and target exchanged",
    ),
    RowFunction(
        "parse_links",
        {"text": pa.string()},
        GOLD_LINKS,
        parse_links,
        "links out of Pharaoh notation",
    ),
    RowFunction(
        "format_links",
        {"links": GOLD_LINKS},
        pa.string(),
        format_links,
        "links in Pharaoh notation",
    ),
    RowFunction(
        "extract_phrases",
        {
            "links": LINKS,
            "kind": pa.string(),
            "max_length": pa.int64(),
            "src_length": pa.int64(),
            "tgt_length": pa.int64(),
        },
        PHRASE_LIST,
        extract_phrases,
        "the phrase pairs that links allow",
        {"kind": "minimal", "max_length": None, "src_length": None, "tgt_length": None},
    ),
    RowFunction(
        "count_null_links",
        {"links": LINKS, "src_length": pa.int64(), "tgt_length": pa.int64()},
        pa.int64(),
        count_null_links,
        "the number of words without a link",
        {"src_length": None, "tgt_length": None},
    ),
)
"""Every row-wise function, in the order of the documentation."""
