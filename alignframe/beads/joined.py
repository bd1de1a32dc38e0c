"""Beads made from links between single sentences."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from alignframe.core.arrays import I64
from alignframe.core.schemas import BEADS
from alignframe.formats.bead_table import DOCUMENT


def smallest_beads(n_src: int, n_tgt: int, src: I64, tgt: I64) -> pa.Table:
    """Return the smallest beads that cover both sides and keep linked sentences together."""
    from scipy.sparse import coo_array  # slow to import, and not needed for aligning
    from scipy.sparse.csgraph import connected_components

    # Link k joins the sentences src[k] and tgt[k]. Beads are the connected components, whose
    # sentences must be adjacent on each side.
    size = n_src + n_tgt
    links = coo_array((np.ones(src.size, np.int8), (src, n_src + tgt)), shape=(size, size))
    number, bead = connected_components(links, directed=False) if size else (0, np.zeros(0, int))
    src_start, src_end = _spans(bead[:n_src], number)
    tgt_start, tgt_end = _spans(bead[n_src:], number)
    full = (src_start < src_end) & (tgt_start < tgt_end)
    # The empty side of a source sentence follows the previous bead, that of a target sentence
    # precedes the next one.
    alone = tgt_start >= tgt_end
    order = np.argsort(src_start[full])
    ends = np.append(0, tgt_end[full][order])
    place = ends[np.searchsorted(src_start[full][order], src_start[alone])]
    tgt_start[alone] = tgt_end[alone] = place
    alone = src_start >= src_end
    order = np.argsort(tgt_start[full])
    starts = np.append(src_start[full][order], n_src)
    place = starts[np.searchsorted(tgt_start[full][order], tgt_start[alone])]
    src_start[alone] = src_end[alone] = place
    # In source order; between beads with both sides, those of the source come first.
    rows = np.lexsort((tgt_start, src_end, src_start))
    names = pa.DictionaryArray.from_arrays(np.zeros(number, np.int32), [DOCUMENT])
    spans = (pa.array(end[rows], pa.int32()) for end in (src_start, src_end, tgt_start, tgt_end))
    return pa.table([names, *spans, pa.nulls(number, pa.float64())], schema=BEADS)


def _spans(bead: I64, number: int) -> tuple[I64, I64]:
    """Return the first sentence of each bead, and the one after its last."""
    start = np.full(number, bead.size)
    np.minimum.at(start, bead, np.arange(bead.size))
    return start, start + np.bincount(bead, minlength=number)
