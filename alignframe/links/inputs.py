"""Sources of links: hypotheses and gold, joined by their ids, and subsets of gold."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from alignframe.core.arrays import frozen
from alignframe.core.arrow import to_reader
from alignframe.core.keys import sentence_column, system_column
from alignframe.core.signatures import DROPPED
from alignframe.errors import InputError
from alignframe.kernels.ragged import run_starts
from alignframe.read.nested import sort_long
from alignframe.read.parquet import ParquetFiles
from alignframe.sources.ids import joined_by_id
from alignframe.sources.keyed import keyed, with_sid
from alignframe.sources.links import LINKS, by_method, is_link_source
from alignframe.sources.source import Shape, Source, given, named, only
from alignframe.stats.subsets import Chosen, signature_part

LINK_COLUMNS = {"system", "links", "i", "j", "sure", "probabilities", "labels"}
"""Columns of links that say nothing else of sentences, such as their domain."""
# Gold of up to two places is kept in memory.
_HELD_BYTES = 1 << 26


@dataclass(frozen=True)
class Subset(Chosen):
    """Some of gold's sentences, accepted wherever gold is; see ``alignframe.links.reading``."""

    source: Source


def links_source(
    links: object,
    system: str | None = None,
    name: str = "a table",
    on: Sequence[str] | str = (),
    **reading: Any,
) -> Source:
    """Return links as a source; ``system`` names those without one, ``name`` a table in errors."""
    return only(links, with_sid(LINKS) if on else LINKS, name, system, **reading)


def gold_source(gold: object, shape: Shape = LINKS) -> Source:
    """Return gold, or a subset of it, as a source."""
    if isinstance(gold, Subset):
        return replace(gold.source, chosen=gold)
    return only(gold, shape, "gold")


def reused_gold(gold: object) -> Source:
    """Return gold that more systems will be counted against, in memory if it is small."""
    return _held_gold(gold) if isinstance(gold, ParquetFiles) else gold_source(gold)


@lru_cache(maxsize=2)
def _held_gold(files: ParquetFiles) -> Source:
    source = gold_source(files)
    if source.is_long or files.unpacked_bytes() > _HELD_BYTES:
        return source
    batches = [batch.drop_columns(["system"]) for batch in source.batches(labels=True)]
    if not batches:
        return source
    table = pa.Table.from_batches(batches).replace_schema_metadata(source.schema.metadata)
    return replace(source, schema=table.schema, frame=table, files=None)


def hypotheses(hyp: object, shape: Shape = LINKS) -> list[Source]:
    """Return the sources of hypotheses: one, several by name in a mapping, or a list."""
    hyp = by_method(hyp)
    if any(isinstance(value, Subset) for _, value in named(hyp, is_link_source)):
        raise InputError("a subset as a hypothesis", expected="a subset of gold")
    return given(hyp, shape, "hypothesis")


def to_score(
    hyp: object, gold: object, on: Sequence[str] | str = ()
) -> tuple[list[Source], Source]:
    """Return the sources of hypotheses and of gold, with the same numbers where both have ids.

    With ``on``, the numbers stand for the values of these columns; see ``sources.keys``.
    """
    if on:
        if isinstance(gold, Subset):
            raise InputError(
                "`on` with a subset", expected="one of them", todo="filter the rows of gold"
            )
        shape = with_sid(LINKS)
        *sources, golden = keyed([*hypotheses(hyp, shape), gold_source(gold, shape)], on, LINKS)
    else:
        golden, sources = gold_source(gold), hypotheses(hyp)
    if golden.keys is None:
        sources = [joined_by_id(source, golden) for source in sources]
    for source in sources:
        if source.note("nulls") != golden.note("nulls"):
            bare = golden if source.note("nulls") else source
            raise InputError(
                f"{bare.name} without null links, the other side with them",
                expected="null links in gold and in every system, or in none",
                todo="add them with links.add_null_links()",
            )
    return sources, golden


def marks_of(hyp: Sequence[Source], gold: Source, *, dropped: bool = False) -> str:
    """Return the signature parts for the sentences and links counted."""
    least = sorted({source.note("min_probability") or "none" for source in hyp})
    chosen = "" if least == ["none"] else f"min-probability:{','.join(least)}"
    nulls = "nulls:linked" if gold.note("nulls") else ""
    dropped = dropped or any(source.note("drop_outside") for source in (*hyp, gold))
    outside = DROPPED if dropped else ""
    return "|".join(part for part in (signature_part(gold.chosen), chosen, outside, nulls) if part)


def in_order(source: Source) -> bool:
    """Whether the sentence numbers never decrease."""
    last = None
    for batch in source.columns_of("sid"):
        sid = sentence_column(batch)
        if sid.size and ((np.diff(sid) < 0).any() or (last is not None and sid[0] < last)):
            return False
        last = sid[-1] if sid.size else last
    return True


def by_sentence(source: Source) -> Source:
    """Return a long source sorted by system and sid, in a file that goes with it."""
    folder = tempfile.mkdtemp(prefix="alignframe-")
    path = str(Path(folder, "sorted.parquet"))
    sort_long(to_reader(source.files or source.frame), path)
    files = ParquetFiles(path)
    weakref.finalize(files, shutil.rmtree, folder, ignore_errors=True)
    return replace(
        source, schema=files.schema.with_metadata(source.schema.metadata), frame=None, files=files
    )


def sizes_of(source: Source) -> dict[str, int]:
    """Return the number of sentences per system, without reading links."""
    sizes: dict[str, int] = {}
    last: tuple[str, int] | None = None
    for batch in source.columns_of("system", "sid"):
        systems, sid = system_column(batch, source.system), sentence_column(batch)
        codes = frozen(systems.indices.to_numpy())
        names = systems.dictionary.to_pylist()
        starts = run_starts(codes, sid)[:-1] if source.is_long else np.arange(sid.size)
        for name, size in zip(names, np.bincount(codes[starts]).tolist(), strict=False):
            sizes[name] = sizes.get(name, 0) + size
        if source.is_long and sid.size:
            if last == (names[codes[0]], sid[0]):  # a sentence continues from the last batch
                sizes[last[0]] -= 1
            last = (names[codes[-1]], int(sid[-1]))
    return {source.renamed.get(name, name): size for name, size in sizes.items() if size}
