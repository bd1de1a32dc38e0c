"""The door for input: what was given becomes named sources of one shape, asked once.

A public function calls ``given`` (or ``only``) in its first lines; everything below takes sources.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrow import BATCH_ROWS, LINK_ROWS, as_array, is_column, schema_of, to_reader
from alignframe.core.keys import sentence_column
from alignframe.core.parallel import parallel_map
from alignframe.core.schemas import UNNAMED, option_of
from alignframe.errors import InputError, in_file, warn
from alignframe.formats.files import distinct_names, files_of, is_several, system_name
from alignframe.read.lines import head_of
from alignframe.read.opening import is_stream
from alignframe.read.parquet import ParquetFiles, Part, is_parquet
from alignframe.typing import FilePath, Frame

# The maximum number of pieces read ahead, so that memory does not grow with the source.
_AHEAD = 16


@dataclass(frozen=True)
class Shape:
    """A kind of table, such as links: how whatever holds one becomes its layout."""

    name: str  # what errors call it
    is_one: Callable[[object], bool]  # whether a list or a mapping is one source
    # Reads a file other than Parquet, or one with reading options, into a table.
    read: Callable[..., pa.Table]
    # Returns anything else as a table, or as a frame that can be read repeatedly.
    held: Callable[[object], Frame]
    # Whether a unit may have several rows and go on in the next batch; refuses other schemas.
    is_long: Callable[[pa.Schema], bool]
    # The columns to read from Parquet.
    columns: Callable[..., list[str]] = lambda schema, *_, **__: schema.names
    # Turns batches of any accepted schema into those of the layout.
    layout: Callable[..., Iterator[pa.RecordBatch]] = lambda batches, *_: batches
    file_is_system: bool = False  # whether each text file of a folder or glob is a system
    # Returns the name of a system from its file.
    own_name: Callable[[FilePath], str] = system_name
    in_order: bool = False  # whether the layout needs all batches one after another


@dataclass(frozen=True)
class Source:
    """An input of a shape, read repeatedly: a frame, a Parquet place, or a part of one."""

    shape: Shape
    schema: pa.Schema  # with the options it was read with as metadata
    frame: Any = None
    files: ParquetFiles | None = None
    part: Part | None = None
    name: str = "a table"  # what errors call it: its path, if it has one
    system: str | None = None  # the name of its system, if there is no such column
    renamed: Mapping[str, str] = field(default_factory=dict)  # new names of systems
    chosen: Any = None  # the sentences that count (``subsets.Chosen``); None for all
    keys: Any = None  # the keys that its numbers of sentences stand for (``keys.Keys``), if any

    @cached_property
    def is_long(self) -> bool:
        """Whether a unit may have several rows, such as one per link."""
        with in_file(self.name):
            return self.shape.is_long(self.schema)

    @property
    def title(self) -> str:
        """What messages call it: a table in memory has the name of its system."""
        unnamed = self.name == "a table" and self.system
        return f"the system {self.system}" if unnamed else self.name

    @property
    def columns(self) -> list[str]:
        """Names of the source's columns."""
        return list(self.schema.names)

    @property
    def left_out(self) -> int:
        """The number of sentences that do not count."""
        return 0 if self.chosen is None else self.chosen.of - self.chosen.sids.size

    def note(self, name: str) -> str | None:
        """Return an option that the source was read with, if recorded."""
        return option_of(self.schema, name)

    def pieces(self) -> list[Source]:
        """Return what can be read in parallel: row groups, whole files of a long table, or all."""
        return [self] if self.files is None else [self._piece(part) for part in self._parts]

    def _piece(self, part: Part) -> Source:
        return replace(self, files=None, part=part, name=part.file.path)

    @cached_property
    def _parts(self) -> list[Part]:
        """The parts of a Parquet place, cached so that footers are not read for every block."""
        whole = self.is_long or self.shape.in_order
        parts = [] if self.files is None else self.files.parts(whole_files=whole)
        if self.chosen is not None:
            ends = int(self.chosen.sids[0]), int(self.chosen.sids[-1])
            parts = [near for part in parts if (near := part.narrowed(*ends)).row_groups]
        return parts

    def narrowed(self, low: int, high: int) -> Source | None:
        """Return the part of a piece that may have sids from ``low`` to ``high``, if any."""
        if self.part is None:
            return self._between(low, high)
        part = self.part.narrowed(low, high)
        return replace(self, part=part) if part.row_groups else None

    def _between(self, low: int, high: int) -> Source:
        """Return the source of a frame that reads less of a polars LazyFrame."""
        if not (self._is_lazy and pa.types.is_integer(self.schema.field("sid").type)):
            return self
        return replace(self, frame=self.frame.filter(pl.col("sid").is_between(low, high)))

    @property
    def _is_lazy(self) -> bool:
        return hasattr(self.frame, "collect_batches")

    def _read(self, columns: Iterable[str]) -> pa.RecordBatchReader:
        """Return the rows of a frame; of a LazyFrame or a data set only some columns."""
        names = dict.fromkeys(name.partition(".")[0] for name in columns)
        wanted = [name for name in names if name in self.columns]
        if hasattr(self.frame, "scanner"):
            return self.frame.scanner(columns=wanted, batch_size=BATCH_ROWS).to_reader()
        return to_reader(self.frame.select(wanted) if self._is_lazy else self.frame)

    def batches(
        self, keep: Sequence[str] = (), executor: Executor | None = None, **wanted: Any
    ) -> Iterator[pa.RecordBatch]:
        """Yield the layout of the shape, with the columns in ``keep``.

        ``wanted`` are options for the shape's ``columns``; the executor reads pieces ahead.
        """
        in_order = self.is_long or self.shape.in_order  # a sentence may go on in a next file
        if self.files is None or in_order:
            stream = self._stored(keep, wanted)
            yield from map(self._own, self.shape.layout(stream, self, keep))
            return
        task = partial(_read_piece, keep=keep, wanted=wanted)
        pieces = self.pieces()
        if executor is None or len(pieces) < 2:
            for piece in pieces:
                yield from piece.batches(keep, **wanted)
            return
        # Enough pieces to keep the threads busy, few enough to bound memory.
        for start in range(0, len(pieces), _AHEAD):
            for batches in parallel_map(task, pieces[start : start + _AHEAD], executor):
                yield from batches

    def table(self, keep: Sequence[str] = ()) -> pa.Table:
        """Return the layout of the shape in memory, with the columns in ``keep``."""
        return pa.Table.from_batches(self.batches(keep))

    def _stored(
        self, keep: Sequence[str], wanted: Mapping[str, object]
    ) -> Iterator[pa.RecordBatch]:
        """Return the stored batches that the layout needs."""
        parts = self._parts if self.part is None else [self.part]
        columns = self.shape.columns(self.schema, keep, **wanted)
        if not parts and self.files is None:
            yield from self._read(columns)
            return
        rows = LINK_ROWS if self.is_long else BATCH_ROWS
        for part in parts:
            yield from part.batches(columns, rows)

    def _own(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return a batch with systems renamed, and only the sentences that count."""
        if self.renamed:
            column = batch.column("system")
            names = [
                self.renamed.get(str(name), str(name)) for name in column.dictionary.to_pylist()
            ]
            column = pa.DictionaryArray.from_arrays(column.indices, pa.array(names, pa.string()))
            batch = batch.set_column(batch.schema.get_field_index("system"), "system", column)
        if self.chosen is None:
            return batch
        return batch.filter(pa.array(self.chosen.holds(sentence_column(batch))))

    def columns_of(self, *names: str) -> Iterator[pa.RecordBatch]:
        """Yield the named columns that exist as stored: all sentences, systems not renamed."""
        if self.files is not None:
            yield from self.files.batches(names)
            return
        for batch in self._read(names):
            yield batch.select([name for name in names if name in batch.schema.names])

    def systems(self) -> list[str]:
        """Return the names of all systems."""
        return list(dict.fromkeys(self.renamed.get(name, name) for name in self._stored_systems))

    @cached_property
    def _stored_systems(self) -> list[str]:
        if "system" not in self.columns:
            return [self.system or UNNAMED]
        names: dict[str, None] = {}
        for batch in self.columns_of("system"):
            for name in pc.unique(batch.column("system").cast(pa.string())).to_pylist():
                names[name or self.system or UNNAMED] = None
        return list(names)

    def called(self, name: str) -> Source:
        """Return the source with its only system called ``name``, or several NAME/SYSTEM."""
        if "system" not in self.columns:
            return replace(self, system=name)
        units = [] if self.files is None or self.renamed else self.files.units()
        # Of partitions by system, no row needs to be read.
        if {dict(keys).get("system") for keys in units} == {name} or self.systems() == [name]:
            return self
        systems = self.systems()
        new = {old: name if len(systems) == 1 else f"{name}/{old}" for old in systems}
        old = self.renamed
        return replace(
            self, renamed={stored: new[old.get(stored, stored)] for stored in self._stored_systems}
        )

    def in_memory(self) -> Source:
        """Return the source with its frame in memory, if that can be read only once."""
        frame = self.frame
        # A DuckDB connection has one open result, which the next query would end.
        once = isinstance(frame, pa.RecordBatchReader) or hasattr(frame, "to_arrow_reader")
        return replace(self, frame=to_reader(frame).read_all()) if once else self


def _read_piece(
    piece: Source, keep: Sequence[str], wanted: Mapping[str, Any]
) -> list[pa.RecordBatch]:
    return list(piece.batches(keep, **wanted))


def only(
    value: object, shape: Shape, name: str = "a table", system: str | None = None, **reading: object
) -> Source:
    """Resolve what holds one source; ``name`` is for errors, ``reading`` goes to the shape."""
    if isinstance(value, Source):
        return value
    files = value if isinstance(value, ParquetFiles) else None
    path = files.name if files else fspath(value) if is_path(value) else None
    if path is not None:
        system = system or shape.own_name(path)
        if files is None and is_parquet(path) and not reading:
            files = ParquetFiles(path)
    if files is not None:
        schema = files.schema.with_metadata(files.metadata)
        with in_file(next(iter(files.paths), path)):
            shape.is_long(schema)
        return Source(shape, schema, files=files, name=path or name, system=system)
    frame = shape.held(value) if path is None else shape.read(path, system=system, **reading)
    source = Source(shape, schema_of(frame), frame, name=path or name, system=system)
    with in_file(path):
        shape.is_long(source.schema)
    return source


def given(value: object, shape: Shape, what: str, **reading: Any) -> list[Source]:
    """Resolve one source or several, by name in a mapping or in a list; none is an error."""
    sources = [
        source if own is None or name is None else source.called(own)
        for name, item in named(value, shape.is_one)
        for own, file in _files(item, name, shape)
        for source in [only(file, shape, system=name and own, **reading)]
    ]
    if not sources:
        raise InputError(f"no {what} given", expected="at least one")
    owners: dict[str, str] = {}
    for source in sources if len(sources) > 1 else ():
        for name in source.systems():
            if name in owners:
                raise InputError(
                    f"the system {name!r} is in both {owners[name]} and {source.name}",
                    todo="give each source a different name (NAME=FILE)",
                )
            owners[name] = source.name
    return sources


def _files(value: object, name: str | None, shape: Shape) -> list[tuple[str | None, object]]:
    if shape.file_is_system and is_path(value):
        return [*systems_by_file(value, name, shape.own_name)]
    return [(name, value)]


def systems_by_file(
    path: FilePath, name: str | None, own_name: Callable[[FilePath], str] = system_name
) -> list[tuple[str, str]]:
    """Return the files of a glob or folder of text by the names of their systems."""
    files = files_of(path) if is_several(path) else []
    # A place of Parquet is one file.
    if not files or any(map(is_parquet, files)) or head_of(files[0]) is None:
        return [(name or own_name(path), fspath(path))]
    names = distinct_names(files, own_name)
    return [
        (f"{name}/{own}" if name else own, fspath(file))
        for own, file in zip(names, files, strict=True)
    ]


def named(value: object, is_one: Callable[[object], bool]) -> Iterator[tuple[str | None, object]]:
    """Yield sources with their names in a mapping; lists of sources yield each source."""
    if is_one(value):
        yield None, value
    elif isinstance(value, Mapping):
        yield from ((str(name), source) for name, source in value.items())
    elif isinstance(value, (list, tuple)):
        for source in value:
            yield from named(source, is_one)
    else:
        yield None, value


def is_path(value: object) -> TypeGuard[FilePath]:
    """Whether something is a path of a file, a glob or a folder."""
    return isinstance(value, (str, PathLike))


def warn_of_one_file(src: object, tgt: object) -> None:
    """Warn if both sides of a text are the same file or folder, nearly always by mistake."""
    if is_path(src) and is_path(tgt) and not is_stream(src):
        try:
            same = fspath(src) == fspath(tgt) or Path(src).samefile(tgt)
        except OSError:  # a pattern of names, or an address
            return
        if same:
            warn(f"{fspath(src)} is both sides: its sentences are aligned with themselves")


def is_columns(value: object, *names: str) -> bool:
    """Whether something is one table, as a dict of columns that include the named ones."""
    return (
        # A dict with a table or a path is several sources by name, whatever their names.
        isinstance(value, Mapping)
        and all(map(is_column, value.values()))
        and all(name in value for name in names)
    )


def column_of(value: object) -> pa.Array | None:
    """Return an Arrow, polars, pandas or numpy column as an array; None for anything else."""
    if isinstance(value, (pa.Array, pa.ChunkedArray)):
        return as_array(value)
    if isinstance(value, pl.Series):
        return value.to_arrow()
    if isinstance(value, np.ndarray) or (hasattr(value, "dtype") and hasattr(value, "to_frame")):
        try:
            return as_array(pa.array(value))
        except (pa.ArrowException, TypeError):
            return None
    return None


def as_listed(value: object) -> Any:
    """Return the lines of an open text file as a list, anything else unchanged."""
    return [line.rstrip("\r\n") for line in value] if isinstance(value, io.TextIOBase) else value


def wrong_type(value: object, what: str, expected: str) -> InputError:
    """Return the error for an input of the wrong kind."""
    kind = f"object of type {type(value).__name__}"
    if isinstance(value, (list, tuple)):
        items = dict.fromkeys(type(item).__name__ for item in value)
        kind = f"{kind} of {' and '.join(items)}" if items else f"empty {type(value).__name__}"
    return InputError(f"an {kind} given as {what}", expected=expected)


def in_memory(source: Any) -> Any:
    """Return streams as tables, because they can be read only once."""
    if isinstance(source, pa.RecordBatchReader):
        return source.read_all()
    if isinstance(source, Mapping):
        return {name: in_memory(value) for name, value in source.items()}
    if type(source) in (list, tuple):  # two sides are a tuple, pairs of sentences a list
        return type(source)(in_memory(side) for side in source)
    return source
