"""Row-wise functions of word links."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from alignframe.core import figures as measures
from alignframe.core.arrays import make_links
from alignframe.core.arrow import as_array, from_links, links_array, to_links
from alignframe.core.schemas import COUNTS, COUNTS_STRUCT, LINKS
from alignframe.core.symmetrization import check_method
from alignframe.errors import InputError
from alignframe.functions.row import Rows, by_name, missing_rows, same_length, with_nulls
from alignframe.kernels.ragged import swap_sides, tidy


def count_links(hyp: pa.Array, gold: pa.Array) -> pa.Array:
    """Count a sentence's links: |A|, |S|, |P|, |S∩A| and |P∩A|.

    Parameters
    ----------
    hyp
        list<struct<i, j>>.
    gold
        list<struct<i, j, sure>>.

    Returns
    -------
    pyarrow.StructArray
        The fields of ``alignframe.core.schemas.COUNTS``; null where either is.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from alignframe import functions
    >>> hyp, gold = (functions.parse_links(pa.array([text])) for text in ("0-0 1-2", "0-0 1p2 2-2"))
    >>> functions.count_links(hyp, gold).to_pylist()
    [{'n_hyp': 2, 'n_sure': 2, 'n_possible': 3, 'n_hyp_sure': 1, 'n_hyp_possible': 2}]
    """
    from alignframe.kernels.links.counts import count_gold, count_hits

    same_length(hyp, gold)
    hyp_links, gold_links = (to_links(side, nulls=True) for side in (hyp, gold))
    rows = np.arange(hyp_links.rows, dtype=np.int64)
    known = count_gold(gold_links)
    hits = count_hits(hyp_links, known, rows)
    counts = (hits.n_hyp, known.n_sure, known.n_possible, hits.n_hyp_sure, hits.n_hyp_possible)
    columns = dict(zip(COUNTS, counts, strict=True))
    return pa.StructArray.from_arrays(
        [pa.array(columns[name]) for name in COUNTS],
        fields=list(COUNTS_STRUCT),
        mask=missing_rows(hyp, gold),
    )


FIGURES = pa.struct([(measure.name, pa.float64()) for measure in measures.link_figures({"f": 0.5})])


def link_figures(alpha: pa.Array, *counts: pa.Array) -> pa.Array:
    """Compute every figure of links from counts, usually sums.

    Parameters
    ----------
    alpha
        The weight of precision in F.
    *counts
        |A|, |S|, |S∩A| and |P∩A|.

    Returns
    -------
    pyarrow.StructArray
        precision, recall, aer and f; null where undefined.

    Raises
    ------
    InputError
        If no links can have such counts, or α is outside [0, 1].

    Examples
    --------
    >>> import pyarrow as pa
    >>> from alignframe import functions
    >>> functions.link_figures(*[pa.array([count]) for count in (0.5, 2.0, 4, 1, 2)]).to_pylist()
    [{'precision': 1.0, 'recall': 0.25, 'aer': 0.5, 'f': 0.4}]
    """
    same_length(alpha, *counts)
    given = [column.to_numpy(zero_copy_only=False) for column in (alpha, *counts)]
    sums = dict(zip(measures.MEASURED, given[1:], strict=True))
    unknown = np.isnan(given).any(axis=0)
    figures = [measure.of(sums) for measure in measures.link_figures({"f": given[0]})]
    columns = [pa.array(figure, mask=unknown | np.isnan(figure)) for figure in figures]
    return pa.StructArray.from_arrays(columns, fields=list(FIGURES))


def symmetrize(forward: pa.Array, reverse: pa.Array, method: pa.Array | str) -> pa.Array:
    """Symmetrize the links of two directions, both in source-target orientation.

    Parameters
    ----------
    forward, reverse
        list<struct<i, j>>.
    method
        A name from ``alignframe.links.METHODS``, the same for all rows or one per row.

    Returns
    -------
    pyarrow.ListArray
        list<struct<i, j>>, sorted; null where either is.

    Raises
    ------
    InputError
        If the method is unknown.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from alignframe import functions
    >>> forward = functions.parse_links(pa.array(["0-0 1-1"]))
    >>> reverse = functions.parse_links(pa.array(["0-0 2-1"]))
    >>> functions.format_links(functions.symmetrize(forward, reverse, "union")).to_pylist()
    ['0-0 1-1 2-1']
    """
    from alignframe.kernels.links.symmetrize import symmetrize as join

    same_length(forward, reverse, *([] if isinstance(method, str) else [method]))
    forward_links, reverse_links = (to_links(way, nulls=True) for way in (forward, reverse))

    def call(name: str, rows: Rows) -> pa.Array:
        check_method(name)
        return from_links(join(forward_links.take(rows), reverse_links.take(rows), name))

    return with_nulls(by_name(method, None, forward_links.rows, call, LINKS), forward, reverse)


def invert_links(links: pa.Array) -> pa.Array:
    """Swap the source and target position of every link; a Possible link stays one.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from alignframe import functions
    >>> links = functions.parse_links(pa.array(["0-1 2p3"]))
    >>> functions.format_links(functions.invert_links(links)).to_pylist()
    ['1-0 3p2']
    """
    offsets, i, j, sure = swap_sides(*to_links(links, nulls=True))
    kept = tidy(make_links(offsets, i, j, sure))
    return with_nulls(links_array(kept.offsets, kept.i, kept.j, kept.sure), links)


def sorted_links(links: pa.Array) -> pa.Array:
    """Sort every sentence's links by (i, j) without duplicates; Sure takes precedence.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from alignframe import functions
    >>> links = functions.parse_links(pa.array(["2-1 0p0 0-0"]))
    >>> functions.format_links(functions.sorted_links(links)).to_pylist()
    ['0-0 2-1']
    """
    from alignframe.kernels.links.counts import out_of_order

    given = to_links(links, nulls=True)
    if not out_of_order(given):
        return as_array(links)
    kept = tidy(given)
    return with_nulls(links_array(kept.offsets, kept.i, kept.j, kept.sure), links)


def parse_links(text: pa.Array) -> pa.Array:
    """Parse links in Pharaoh notation, ``0-0 1-2 3p4``.

    Raises
    ------
    InputError
        If a text contains anything but links.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from alignframe import functions
    >>> functions.parse_links(pa.array(["0-0 1p2"])).to_pylist()
    [[{'i': 0, 'j': 0, 'sure': True}, {'i': 1, 'j': 2, 'sure': False}]]
    """
    from alignframe.kernels.links.text_format import parse_pharaoh

    # A line break within a text would start a row.
    lines = [(line or "").replace("\n", " ") for line in as_array(text).to_pylist()]
    data = np.frombuffer("".join(f"{line}\n" for line in lines).encode(), np.uint8)
    offsets, i, j, sure, fault = parse_pharaoh(data, 0)
    if fault >= 0:
        # Rows end in a line feed: those before the fault are its row.
        row = int(np.count_nonzero(data[:fault] == 10))
        raise InputError(
            f"{lines[row][:60]!r} has something that is not a link",
            expected="links such as 0-0 1-2, or 0p1 for a Possible one, positions up to 65,535",
        )
    kept = tidy(make_links(offsets, i, j, sure))
    return with_nulls(links_array(kept.offsets, kept.i, kept.j, kept.sure), text)


def format_links(links: pa.Array) -> pa.Array:
    """Write links in Pharaoh notation, ``0-0 1-2``; a Possible link as ``0p1``.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from alignframe import functions
    >>> links = functions.parse_links(pa.array(["1p2 0-0"]))
    >>> functions.format_links(links).to_pylist()
    ['0-0 1p2']
    """
    from alignframe.kernels.links.text_format import render_pharaoh

    text, starts = render_pharaoh(*to_links(links, nulls=True), 0)
    lines = text.tobytes().decode().split("\n")[: starts.size - 1]
    return with_nulls(pa.array(lines, pa.string()), links)
