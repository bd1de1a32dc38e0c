"""Joining the sentences of files by their ids, such as words, in place of their order."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

from alignframe.core.arrow import to_reader
from alignframe.errors import InputError, warn
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
