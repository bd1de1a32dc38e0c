"""Joining batches with another input by sentence number."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.core.arrays import I64
from alignframe.core.arrow import require_columns
from alignframe.core.keys import sentence_column, system_column
from alignframe.core.schemas import ALIGNMENTS
from alignframe.errors import InputError, in_file
from alignframe.links.inputs import links_source, sizes_of
from alignframe.read.parquet import ParquetFiles, Part

SID = "sid"
NO_LINKS = pl.DataFrame(pl.from_arrow(ALIGNMENTS.empty_table())).to_arrow()
"""The rows of an empty partition: none, with the types of other files."""


def texts(files: ParquetFiles, system: str | None) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield the rows of each system, batch by batch, without partition keys."""
    keys = {name for unit in files.units() for name, _ in unit}
    with in_file(files.name):
        require_columns(files.schema, [SID], "a lake of texts")
    for batch in files.batches():
        if not batch.num_rows:
            continue
        at = batch.schema.get_field_index(SID)
        batch = batch.set_column(at, SID, pa.array(sentence_column(batch)))
        frame = pl.DataFrame(pl.from_arrow(batch))
        if system is not None or "system" not in frame.columns:
            yield system or files.name, frame.drop(keys, strict=False)
            continue
        with in_file(files.name):
            names = pl.Series(system_column(batch, None).cast(pa.string()))
        parts = frame.with_columns(system=names).partition_by("system", as_dict=True)
        for (name,), part in parts.items():
            yield str(name), part.drop([*keys, "system"], strict=False)


class Beside:
    """Looks up the rows of an input for given sentences.

    Row groups are selected by their statistics of sid, so that only the part of a sorted input that
    a batch needs is held.
    """

    def __init__(self, files: ParquetFiles | object, what: str) -> None:
        if not isinstance(files, ParquetFiles):
            raise InputError(
                f"the input {what} is not Parquet", path=str(files), expected="a place of a lake"
            )
        with in_file(files.name):
            require_columns(files.schema, [SID], what)
        self.files = files
        self.what = what

    @cached_property
    def _parts(self) -> list[Part]:
        return self.files.parts()

    @cached_property
    def rows(self) -> int:
        """The number of sentences."""
        return sum(batch.num_rows for part in self._parts for batch in part.batches([SID]))

    def of(self, sids: I64) -> pl.DataFrame:
        """Return the rows of sentences, in any order; raise an InputError if one is missing."""
        keys = {name for unit in self.files.units() for name, _ in unit}
        batches = [
            batch.filter(pa.array(np.isin(sentence_column(batch), sids)))
            for part in self._parts
            for batch in part.narrowed(int(sids.min()), int(sids.max())).batches()
        ]
        frames = [pl.DataFrame(pl.from_arrow(batch)) for batch in batches if batch.num_rows]
        if not frames:
            raise self._lacking(sids)
        # The unit has the keys already, and a system here names only where the rows are from.
        frame = pl.concat(frames).drop([*keys, "system"], strict=False)
        lacking = np.setdiff1d(sids, frame[SID].to_numpy())
        if lacking.size:
            raise self._lacking(lacking)
        return frame

    def _lacking(self, sids: I64) -> InputError:
        return InputError(
            f"{self.what} has no sentence {sids[0]}",
            path=self.files.name,
            expected="every sentence",
        )


class LinksBeside:
    """Looks up the links of an input for given sentences, like ``Beside``."""

    def __init__(self, given: object, system: str | None) -> None:
        self.source = links_source(given, system)
        self._pieces = self.source.pieces()

    def of(self, sids: I64) -> pa.Table:
        """Return system, sid and links of the sentences that exist."""
        low, high = int(sids.min()), int(sids.max())
        batches = []
        for piece in self._pieces:
            near = piece.narrowed(low, high)
            for batch in near.batches() if near is not None else ():
                kept = batch.filter(pa.array(np.isin(sentence_column(batch), sids)))
                batches += [kept] if kept.num_rows else []
        if not batches:
            raise InputError(f"has no sentence {sids[0]}", path=self.source.name)
        return pa.Table.from_batches(batches).unify_dictionaries()

    def size(self) -> int:
        """Return the number of sentences."""
        return sum(sizes_of(self.source).values())
