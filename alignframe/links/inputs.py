"""Reading links: frames, Parquet paths, files of any format, or several by name."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cached_property, partial
from os import fspath
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from alignframe import formats
from alignframe.arrow import (
    BATCH_ROWS,
    LINK_ROWS,
    schema_of,
    sentence_column,
    system_column,
    to_reader,
)
from alignframe.errors import InputError
from alignframe.executors import mapped
from alignframe.kernels.ragged import frozen, run_starts
from alignframe.links.listed import is_link_source, link_frame
from alignframe.nested import columns_needed, is_nested, nest, sort_long
from alignframe.parquet import ParquetFiles, is_parquet
from alignframe.parts import Part
from alignframe.result import TableResult
from alignframe.sources import is_path, named
from alignframe.subsets import Chosen, mark_of
from alignframe.tables import UNNAMED, option_of

_AHEAD = 16
"""The maximum number of pieces read ahead, so that memory does not grow with the source."""

Source = Any
"""A frame, a path, or anything else that holds links."""


@dataclass(frozen=True)
class Subset(Chosen):
    """Some of gold's sentences, accepted wherever gold is; see ``alignframe.links.subset``."""

    source: Input

    def kept(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the sentences of a batch that are in the subset."""
        return batch.filter(pa.array(self.holds(sentence_column(batch))))


@dataclass(frozen=True)
class Piece:
    """A unit of reading: a part of a Parquet lake, or a whole frame."""

    part: Part | None
    frame: Any
    schema: pa.Schema
    system: str | None
    name: str

    def narrowed(self, low: int, high: int) -> Piece | None:
        """Return the part that may have sids from ``low`` to ``high`` by its statistics, if any."""
        if self.part is None:
            return self
        part = self.part.narrowed(low, high)
        return replace(self, part=part) if part.row_groups else None

    def nested(self, keep: Sequence[str] = (), labels: bool = False) -> Iterator[pa.RecordBatch]:
        """Yield batches with system, sid, links and the columns in ``keep``."""
        if self.part is not None:
            wanted = columns_needed(self.schema, keep, labels)
            rows = BATCH_ROWS if is_nested(self.schema) else LINK_ROWS
            batches: Any = self.part.batches(wanted, rows)
        else:
            batches = to_reader(self.frame)
        name = self.part.path if self.part else self.name
        return nest(batches, self.schema, system=self.system, keep=keep, path=name)


class Input:
    """A source of links that can be read repeatedly."""

    subset: Subset | None = None

    def __init__(self, source: Source, system: str | None = None, name: str = "a table") -> None:
        self.system = system
        self.name = name
        self.files: ParquetFiles | None = None
        self.frame: Any = None
        if isinstance(source, Input):
            raise TypeError("an Input is made of a frame or a path")
        if isinstance(source, Subset):
            self.__dict__ = {**source.source.__dict__, "subset": source}
            self.__dict__.pop("_parts", None)
            return
        if isinstance(source, ParquetFiles):
            self.name, self.files, self.schema = source.name, source, source.schema
            self.system = system or formats.system_name(source.name)
        elif is_path(source):
            self.name = fspath(source)
            if is_parquet(source):
                self.files = ParquetFiles(source)
                self.schema = self.files.schema
                self.system = system or formats.system_name(source)
            else:
                source = formats.read(source, system=system)
        if self.files is None:
            self.frame = link_frame(source)
            self.schema = schema_of(self.frame)
        self.is_nested = is_nested(self.schema, self.files.paths[0] if self.files else None)

    @property
    def columns(self) -> list[str]:
        """Names of the source's columns."""
        return list(self.schema.names)

    @property
    def left_out(self) -> int:
        """The number of gold sentences that a subset leaves out."""
        return 0 if self.subset is None else self.subset.of - self.subset.sids.size

    def pieces(self) -> list[Piece]:
        """Return the pieces to read: row groups of nested Parquet, or whole files or frames."""
        if self.files is None:
            return [Piece(None, self.frame, self.schema, self.system, self.name)]
        return [Piece(part, None, self.schema, self.system, self.name) for part in self._parts]

    @cached_property
    def _parts(self) -> list[Part]:
        """The parts of a Parquet source, cached so that footers are not read for every block."""
        parts = self.files.parts(whole_files=not self.is_nested) if self.files else []
        if self.subset is not None:
            ends = int(self.subset.sids[0]), int(self.subset.sids[-1])
            parts = [one for part in parts if (one := part.narrowed(*ends)).row_groups]
        return parts

    def nested(
        self,
        keep: Sequence[str] = (),
        labels: bool = False,
        executor: Executor | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """Yield all batches, with system, sid, links and the columns in ``keep``.

        The executor reads enough pieces ahead to keep its threads busy.
        """
        every = self._every(keep, labels, executor)
        yield from every if self.subset is None else map(self.subset.kept, every)

    def _every(
        self, keep: Sequence[str], labels: bool, executor: Executor | None
    ) -> Iterator[pa.RecordBatch]:
        """Yield the batches of ``nested``, which for a subset still include other sentences."""
        if self.files is not None and not self.is_nested:
            # One stream over all files, because a sentence may continue in the next.
            wanted = columns_needed(self.schema, keep, labels)
            stream = (batch for part in self._parts for batch in part.batches(wanted, LINK_ROWS))
            yield from nest(stream, self.schema, system=self.system, keep=keep)
            return
        pieces = self.pieces()
        if executor is None or len(pieces) < 2:
            for piece in pieces:
                yield from piece.nested(keep, labels)
            return
        task = partial(_read_piece, keep=keep, labels=labels)
        for start in range(0, len(pieces), _AHEAD):
            for batches in mapped(task, pieces[start : start + _AHEAD], executor):
                yield from batches

    def in_order(self) -> bool:
        """Whether the sentence numbers never decrease."""
        last = None
        for batch in self.columns_of("sid"):
            sid = sentence_column(batch)
            if sid.size and ((np.diff(sid) < 0).any() or (last is not None and sid[0] < last)):
                return False
            last = sid[-1] if sid.size else last
        return True

    def in_memory(self) -> Input:
        """Return the source with a DuckDB relation in memory: a connection has one open result."""
        if hasattr(self.frame, "to_arrow_reader"):
            self.frame = to_reader(self.frame).read_all()
        return self

    def sorted(self) -> Input:
        """Return a long source sorted by system and sid."""
        folder = tempfile.mkdtemp(prefix="alignframe-")
        path = str(Path(folder, "sorted.parquet"))
        sort_long(self.files.reader() if self.files else to_reader(self.frame), path)
        ordered = Input(path, self.system or UNNAMED)
        ordered.name, ordered.subset = self.name, self.subset
        weakref.finalize(ordered, shutil.rmtree, folder, ignore_errors=True)
        return ordered

    def systems(self) -> list[str]:
        """Return the names of all systems in the source."""
        if "system" not in self.columns:
            return [self.system or UNNAMED]
        names: dict[str, None] = {}
        for batch in self.columns_of("system"):
            for name in pc.unique(batch.column("system").cast(pa.string())).to_pylist():
                names[name or self.system or UNNAMED] = None
        return list(names)

    def sizes(self) -> dict[str, int]:
        """Return the number of sentences per system, without reading links."""
        sizes: dict[str, int] = {}
        last: tuple[str, int] | None = None
        for batch in self.columns_of("system", "sid"):
            systems, sid = system_column(batch, self.system), sentence_column(batch)
            codes = frozen(systems.indices.to_numpy())
            names = systems.dictionary.to_pylist()
            starts = np.arange(sid.size) if self.is_nested else run_starts(codes, sid)[:-1]
            for name, size in zip(names, np.bincount(codes[starts]).tolist(), strict=False):
                sizes[name] = sizes.get(name, 0) + size
            if not self.is_nested and sid.size:
                if last == (names[codes[0]], sid[0]):  # a sentence continues from the last batch
                    sizes[last[0]] -= 1
                last = (names[codes[-1]], int(sid[-1]))
        return {name: size for name, size in sizes.items() if size}

    def columns_of(self, *names: str) -> Iterator[pa.RecordBatch]:
        """Yield the named columns that exist, for a subset also of other sentences."""
        if self.files is None:
            for batch in to_reader(self.frame):
                yield batch.select([name for name in names if name in batch.schema.names])
        else:
            yield from self.files.batches(names)


def _read_piece(piece: Piece, keep: Sequence[str], labels: bool) -> list[pa.RecordBatch]:
    return list(piece.nested(keep, labels))


def inputs_of(hyp: Source | Mapping[str, Source] | Sequence[Source]) -> list[Input]:
    """Return the sources of hypotheses: one, several by name in a mapping, or a list."""
    found = [
        _hypothesis(source) if name is None else _named(source, name)
        for name, source in named(hyp, is_link_source)
    ]
    if not found:
        raise InputError("no hypothesis given", expected="at least one")
    if len(found) > 1:
        owners: dict[str, str] = {}
        for one in found:
            for name in one.systems():
                if name in owners:
                    raise InputError(
                        f"the system {name!r} is in both {owners[name]} and {one.name}",
                        todo="give each source a different name",
                    )
                owners[name] = one.name
    return found


def marks_of(hyp: Source | Mapping[str, Source] | Sequence[Source], gold: Any) -> str:
    """Return the signature parts for the sentences and links counted."""
    least = sorted({_least(one) for _, one in named(hyp, is_link_source)})
    chosen = "" if least in ([], ["none"]) else f"min-probability:{','.join(least)}"
    return "|".join(part for part in (mark_of(gold), chosen) if part)


def _least(source: Source) -> str:
    if isinstance(source, (pa.Table, TableResult)):
        schema = schema_of(source)
    elif is_path(source) and is_parquet(source) and Path(source).is_file():
        schema = pq.read_schema(source)
    else:
        return "none"
    return option_of(schema, "min_probability") or "none"


def _hypothesis(source: Source, system: str | None = None) -> Input:
    if isinstance(source, Subset):
        raise InputError("a subset as a hypothesis", expected="a subset of gold")
    return Input(source, system)


def _named(source: Source, name: str) -> Input:
    """Return a source with its only system called ``name``, or several called NAME/SYSTEM."""
    one = _hypothesis(source, name)
    if "system" in one.columns:
        systems = one.systems()
        if systems != [name]:
            renamed = {old: name if len(systems) == 1 else f"{name}/{old}" for old in systems}
            one = Renamed(one, renamed)
    return one


class Renamed(Input):
    """A source with renamed systems."""

    def __init__(self, source: Input, names: Mapping[str, str]) -> None:
        self.__dict__.update(source.__dict__)
        self.source = source
        self.names = dict(names)

    def pieces(self) -> list[Piece]:
        """Return the pieces of the source, renamed on reading."""
        return [
            RenamedPiece(
                piece.part, piece.frame, piece.schema, piece.system, piece.name, self.names
            )
            for piece in super().pieces()
        ]

    def sorted(self) -> Input:
        """Return the source sorted by system and sid."""
        return Renamed(super().sorted(), self.names)

    def systems(self) -> list[str]:
        """Return the new names."""
        return list(self.names.values())

    def sizes(self) -> dict[str, int]:
        """Return the number of sentences by new name."""
        return {self.names[name]: size for name, size in super().sizes().items()}


@dataclass(frozen=True)
class RenamedPiece(Piece):
    """A piece with renamed systems."""

    names: Mapping[str, str]

    def nested(self, keep: Sequence[str] = (), labels: bool = False) -> Iterator[pa.RecordBatch]:
        """Yield the piece with its systems renamed."""
        for batch in super().nested(keep, labels):
            column = batch.column("system")
            known = [self.names.get(str(name), str(name)) for name in column.dictionary.to_pylist()]
            renamed = pa.DictionaryArray.from_arrays(column.indices, pa.array(known, pa.string()))
            yield batch.set_column(0, "system", renamed)
