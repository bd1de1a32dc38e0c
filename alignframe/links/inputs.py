"""What a user may give as links: frames, Parquet paths, files of any format, or several by name."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from alignframe import formats
from alignframe.arrow import to_reader
from alignframe.errors import InputError
from alignframe.nested import columns_needed, is_nested, nest, sort_long
from alignframe.parquet import ParquetFiles, Part, is_parquet

Source = Any
"""A frame, a path, or anything else that holds links."""


@dataclass(frozen=True)
class Piece:
    """What is read in one go: a part of a Parquet lake, or a whole frame."""

    part: Part | None
    frame: Any
    schema: pa.Schema
    system: str | None

    def nested(
        self, keep: Sequence[str] = (), labels: bool = False
    ) -> Iterator[pa.RecordBatch]:
        """Yield the piece as batches with system, sid, links and the columns in ``keep``."""
        if self.part is not None:
            wanted = columns_needed(self.schema, keep, labels)
            batches: Any = self.part.batches(wanted)
        else:
            batches = to_reader(self.frame)
        return nest(batches, self.schema, system=self.system, keep=keep)


class Input:
    """One source of links, ready to be read as often as needed.

    Parameters
    ----------
    source
        A frame, or a path: Parquet file, glob or folder, or a text file of links.
    system
        The name of its system, where the source has no column ``system``.
    """

    def __init__(self, source: Source, system: str | None = None) -> None:
        self.system = system
        self.name = "a table"
        self.files: ParquetFiles | None = None
        self.folder: tempfile.TemporaryDirectory[str] | None = None
        if isinstance(source, Input):
            raise TypeError("an Input is made of a frame or a path")
        if isinstance(source, (str, PathLike)):
            self.name = fspath(source)
            if is_parquet(source):
                self.files = ParquetFiles(source)
                self.schema = self.files.schema
                self.system = system or formats.system_name(source)
            else:
                source = formats.read(source, system=system)
        if self.files is None:
            # Kept as it is if it can be read again; a stream is read into memory once.
            again = hasattr(source, "to_arrow_reader") or hasattr(source, "collect_batches")
            self.frame = source if again else to_reader(source).read_all()
            self.schema = to_reader(self.frame).schema
        self.is_nested = is_nested(self.schema)

    @property
    def columns(self) -> list[str]:
        """Names of the source's columns."""
        return list(self.schema.names)

    def pieces(self) -> list[Piece]:
        """Return the pieces to read: row groups of nested Parquet, else whole files or frames."""
        if self.files is None:
            return [Piece(None, self.frame, self.schema, self.system)]
        parts = self.files.parts(whole_files=not self.is_nested)
        return [Piece(part, None, self.schema, self.system) for part in parts]

    def nested(
        self, keep: Sequence[str] = (), labels: bool = False
    ) -> Iterator[pa.RecordBatch]:
        """Yield everything as batches with system, sid, links and the columns in ``keep``."""
        for piece in self.pieces():
            yield from piece.nested(keep, labels)

    def sorted(self) -> Input:
        """Return a long source sorted by system and sid."""
        batches = self.files.batches() if self.files else to_reader(self.frame)
        # The folder goes when the source does.
        folder = tempfile.TemporaryDirectory(prefix="alignframe-", ignore_cleanup_errors=True)
        path = str(Path(folder.name, "sorted.parquet"))
        sort_long(batches, self.schema, path)
        ordered = Input(path, self.system)
        ordered.name, ordered.folder = self.name, folder
        return ordered

    def systems(self) -> list[str]:
        """Return the names of all systems in the source."""
        if "system" not in self.columns:
            return [self.system or "hypothesis"]
        names: dict[str, None] = {}
        for batch in self._system_batches():
            for name in pc.unique(batch.column("system").cast(pa.string())).to_pylist():
                names[name or self.system or "hypothesis"] = None
        return list(names)

    def _system_batches(self) -> Iterator[pa.RecordBatch]:
        if self.files is None:
            yield from to_reader(self.frame)
        else:
            yield from self.files.batches(["system"])


def inputs_of(hyp: Source | Mapping[str, Source] | Sequence[Source]) -> list[Input]:
    """Return the sources of hypotheses: one, several, or several by name.

    Raises
    ------
    InputError
        If two sources give the same system.
    """
    if isinstance(hyp, Mapping):
        found = [_named(source, name) for name, source in hyp.items()]
    elif isinstance(hyp, (list, tuple)):
        found = [Input(source) for source in hyp]
    else:
        found = [Input(hyp)]
    if not found:
        raise InputError("no hypothesis given", expected="at least one")
    if len(found) > 1:
        owners: dict[str, str] = {}
        for one in found:
            for name in one.systems():
                if name in owners:
                    raise InputError(
                        f"the system {name!r} stands in {owners[name]} and in {one.name}",
                        todo="give each source a name of its own",
                    )
                owners[name] = one.name
    return found


def _named(source: Source, name: str) -> Input:
    """Return a source whose only system is called ``name``; several are told apart under it."""
    one = Input(source, name)
    if "system" in one.columns:
        systems = one.systems()
        if systems != [name]:
            renamed = {old: name if len(systems) == 1 else f"{name}/{old}" for old in systems}
            one = Renamed(one, renamed)
    return one


class Renamed(Input):
    """A source whose systems go by other names."""

    def __init__(self, source: Input, names: Mapping[str, str]) -> None:
        self.__dict__.update(source.__dict__)
        self.names = dict(names)

    def pieces(self) -> list[Piece]:
        """Return the pieces of the source, renamed as they are read."""
        return [
            RenamedPiece(piece.part, piece.frame, piece.schema, piece.system, self.names)
            for piece in super().pieces()
        ]

    def sorted(self) -> Input:
        """Return the source sorted by system and sid."""
        return Renamed(super().sorted(), self.names)

    def systems(self) -> list[str]:
        """Return the new names."""
        return list(self.names.values())


@dataclass(frozen=True)
class RenamedPiece(Piece):
    """A piece whose systems go by other names."""

    names: Mapping[str, str]

    def nested(
        self, keep: Sequence[str] = (), labels: bool = False
    ) -> Iterator[pa.RecordBatch]:
        """Yield the piece with its systems renamed."""
        for batch in super().nested(keep, labels):
            column = batch.column("system")
            known = [self.names.get(str(name), str(name)) for name in column.dictionary.to_pylist()]
            renamed = pa.DictionaryArray.from_arrays(column.indices, pa.array(known, pa.string()))
            yield batch.set_column(0, "system", renamed)
