"""Joining the sentences of sources by ids, such as words, by numbers, or in their order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from alignframe.core.arrays import I64
from alignframe.core.arrow import to_reader
from alignframe.errors import InputError, number_of, renumbering, sentence_name, warn
from alignframe.formats.line_ids import rows_by_id
from alignframe.sources.source import Source


def joined_by_id(source: Source, other: Source) -> Source:
    """Return a source with the sentence numbers of another where ids that are words tell them."""
    if (source.note("ids") is None) != (other.note("ids") is None):
        bare, named = (source, other) if source.note("ids") is None else (other, source)
        warn(
            f"the sentences of {named.name} are taken in the order of its lines, since "
            f"{bare.name} has no ids to join them by"
        )
    if source.note("ids") is None or other.note("ids") is None:
        return source
    known: dict[str, int] = {}
    for batch in other.columns_of("sid", "id"):
        known |= zip(batch.column("id").to_pylist(), batch.column("sid").to_pylist(), strict=True)
    parts = to_reader(source.files or source.frame)
    table = parts.read_all()
    ids = table["id"].to_pylist()
    if not known.keys() & set(ids):
        raise InputError(
            f"no id of {source.name}, such as {ids[0]!r}, is an id of {other.name}, such as "
            f"{next(iter(known))!r}",
            expected="the same ids in both, or lines without ids in the same order",
        )
    # Sentences that the other side lacks get numbers of their own.
    beyond = max(known.values()) + 1
    sids = [known.get(name, beyond + at) for at, name in enumerate(ids)]
    table = table.set_column(table.schema.get_field_index("sid"), "sid", pa.array(sids))
    return replace(source, frame=table.sort_by("sid"), files=None)


def in_order_of(first: Source, other: Source) -> Source:
    """Return a source with its sentences in the order of the first; refuse other ones."""
    if first.note("lines") and other.note("lines"):
        notes = [(source.note("ids") or "").encode() for source in (first, other)]
        ids = [note.split(b"\n") if note else [] for note in notes]
        names = [source.note("file") or source.name for source in (first, other)]
        rows = rows_by_id(ids, names, whole=True)
        if rows is not None:
            frame = other.frame.take(rows[1]).set_column(0, "sid", first.frame["sid"])
            return replace(other, frame=frame)
    wanted, sids = (source.frame["sid"].to_numpy() for source in (first, other))
    if np.array_equal(wanted, sids):
        return other
    lacking, added = np.setdiff1d(wanted, sids), np.setdiff1d(sids, wanted)
    if lacking.size or added.size:
        who, odd = ("it", lacking) if lacking.size else ("the reference", added)
        # Of files of other lengths that differ only at the end, the lengths say enough.
        at_end = odd[0] == min(sids.size, wanted.size) and sids.size != wanted.size
        # All numbers may be off by the same: the files count from 0 and from 1.
        shift = int(sids.min() - wanted.min()) if sids.size == wanted.size else 0
        shifted = shift and np.array_equal(np.sort(wanted) + shift, np.sort(sids))
        raise InputError(
            f"{other.name} has {number_of(sids.size, 'sentence')}, the reference {wanted.size:,}"
            + ("" if at_end else f"; {who} lacks sentence {sentence_name(odd[0])}"),
            expected="the same ones; in files, one per line",
            todo=f"{renumbering(-shift)} its sid" if shifted else "",
        )
    order = np.argsort(sids, kind="stable")
    places: I64 = order[np.searchsorted(sids, wanted, sorter=order)]
    return replace(other, frame=other.frame.take(places))
