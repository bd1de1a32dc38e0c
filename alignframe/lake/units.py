"""Units of work: the partitions of a lake, with matching parts of the other inputs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from alignframe.errors import InputError, check_known, in_file, unknown_name, warn
from alignframe.read.columns import key_texts
from alignframe.read.parquet import ParquetFiles, is_parquet
from alignframe.stores import Keys
from alignframe.stores.store import digest, file_mark

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

SYSTEM = "system"
PLACE = "a Parquet file, a glob or folder of such files, or a Delta or Iceberg table"
_FOLDERS = "keys are in the names of folders, such as domain=news"


def open(place: str | PathLike[str]) -> ParquetFiles:  # noqa: A001 - called as lake.open
    """Open a place with a table.

    Parameters
    ----------
    place
        A Parquet file, a glob, a folder (hive-partitioned or a Delta table),
        ``iceberg:CATALOG.namespace.table``, or one of these in an object store, ``s3://...``.

    Returns
    -------
    ParquetFiles
        With ``version``, ``schema``, ``units()`` (the partitions), ``files(keys)`` and
        ``reader(keys, columns)``, a stream of Arrow batches.

    Raises
    ------
    InputError
        If there is nothing.
    MissingExtraError
        If the library of Delta or Iceberg is not installed.

    Examples
    --------
    >>> from alignframe import formats, lake
    >>> formats.write(formats.read("datasets/en-fr/eager.talp"), "links.parquet")
    >>> place = lake.open("links.parquet")
    >>> place.schema.names, place.reader().read_all().num_rows
    (['system', 'sid', 'links'], 72)
    """
    return ParquetFiles(place)


@dataclass(frozen=True)
class Unit:
    """A partition to process."""

    keys: Keys  # its name: the partition values of its output
    # The matching part of each input by name, or None. An input that is not a Parquet place is a
    # path, and matches every unit.
    inputs: Mapping[str, Any]
    matched: Keys = ()  # the keys by which other inputs match
    extra: tuple[str, ...] = ()  # partition keys within it that are not among ``keys``

    @property
    def system(self) -> str | None:
        """The system in its partition keys, if any."""
        return dict(self.keys).get(SYSTEM)

    @property
    def name(self) -> str:
        """Return its name in messages: ``system=giza/domain=news``."""
        return unit_name(self.keys)

    @property
    def is_absent(self) -> bool:
        """Whether the first input has no partition for it."""
        return next(iter(self.inputs.values())) is None

    def check(self) -> None:
        """Refuse files that cannot be opened or contradict their folders."""
        for given in self.inputs.values():
            if isinstance(given, ParquetFiles):
                given.check_keys()


def unit_name(keys: Keys) -> str:
    """Return the name of a unit; a single unit without keys is ``all``."""
    return "/".join(f"{name}={value}" for name, value in keys) or "all"


@dataclass
class Source:
    """An input of a job: a place, or a single file of any format."""

    given: str
    what: str  # its name, such as ``hyp``
    content: bool = False  # tell changed files by contents, not by size and time
    at: str = ""  # the version of a Delta or Iceberg table; empty for the latest
    files: ParquetFiles | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        if is_parquet(self.given):
            self.files = ParquetFiles(self.given, self.at)
            self._part_of = cache(self.files.of)  # units with the same keys share it
        self._mark_of = cache(self._mark)
        self._contents_of = cache(self._contents)
        self._hash_of = cache(_hash)

    @property
    def version(self) -> str:
        """An identifier that changes with the contents."""
        return digest([file_mark(self.given)]) if self.files is None else self.files.version

    @cached_property
    def hive(self) -> list[str]:
        """The partition keys."""
        units = [] if self.files is None else self.files.units()
        first = [name for name, _ in units[0]] if units else []
        for keys in units:
            if [name for name, _ in keys] != first:
                raise InputError(
                    f"partitions by {', '.join(first) or 'nothing'} and by "
                    f"{', '.join(name for name, _ in keys) or 'nothing'}",
                    path=self.given,
                    expected="one layout",
                )
        return first

    def knows(self, name: str) -> bool:
        """Whether it has a key or a column of this name."""
        return self.files is not None and (name in self.hive or name in self.files.schema.names)

    @property
    def keys(self) -> list[str]:
        """The names of keys and columns that can match it to units."""
        if self.files is None:
            return []
        kinds = self.files.schema
        columns = [kind.name for kind in kinds if not pa.types.is_nested(kind.type)]
        return list(dict.fromkeys([*self.hive, *columns]))

    def values(self, names: Sequence[str]) -> set[tuple[str | None, ...]]:
        """Return the distinct combinations of values of keys or columns."""
        if self.files is None:
            return set()
        if all(name in self.hive for name in names):
            return {tuple(dict(keys)[name] for name in names) for keys in self.files.units()}
        tuples: set[tuple[str | None, ...]] = set()
        for part in self.files.parts(whole_files=True):
            for batch in part.batches(list(names)):
                with in_file(part.file.path):
                    table = pa.table({name: key_texts(batch.column(name), name) for name in names})
                every = table.group_by(names).aggregate([])
                tuples |= set(zip(*(column.to_pylist() for column in every), strict=True))
        return tuples

    def of(self, keys: Keys) -> ParquetFiles | str | None:
        """Return the part that matches a unit; None if there is none."""
        if self.files is None:
            return self.given
        part = self._part_of(tuple((name, value) for name, value in keys if self.knows(name)))
        return part if part.files() else None

    def is_one_text(self, extra: Sequence[str]) -> bool:
        """Whether partitions that differ only in some keys are parts of one text.

        Otherwise they repeat its sentences, as those of dates do, or there is one alone, which may
        be the first date. The partitions of one system stand for all, at most 64.
        """
        if self.files is None or "sid" not in self.files.schema.names:
            return True
        alike: dict[Keys, list[Keys]] = {}
        for keys in self.files.units():
            rest = tuple((name, value) for name, value in keys if name not in extra)
            alike.setdefault(rest, []).append(keys)
        most = max(alike.values(), key=len, default=[])
        if len(most) < 2:
            return False
        parts = [self.files.of(keys).reader((), ["sid"]).read_all() for keys in most[:64]]
        sids = [sid for part in parts for sid in part["sid"].to_pylist()]
        return len(sids) == len({*sids})

    def mark(self, keys: Keys, content: bool | None = None) -> str:
        """Return an identifier of the contents that match a unit, by default as is checked."""
        return self._mark_of(self._own(keys), self.content if content is None else content)

    def contents(self, keys: Keys) -> str:
        """Return an identifier of what matches a unit, whatever its files are called.

        It is empty in object stores, where reading costs time and ETags tell contents.
        """
        return self._contents_of(self._own(keys))

    def _own(self, keys: Keys) -> Keys:
        return tuple((name, value) for name, value in keys if name in self.hive)

    @property
    def is_fixed(self) -> bool:
        """Whether marks that need no reading of files tell their contents: names, or ETags."""
        store = None if self.files is None else self.files.store
        return store is not None and (store.table is not None or store.filesystem is not None)

    def _mark(self, keys: Keys, content: bool) -> str:
        if self.files is None:
            return digest([self._hash_of(self.given) if content else file_mark(self.given)])
        part = self.files.of(keys)
        return digest(map(":".join, self._hashes(part))) if content else part.marks()

    def _contents(self, keys: Keys) -> str:
        if self.files is None:
            return digest([self._hash_of(self.given)])
        part = self.files.of(keys)
        if part.store.filesystem is not None:
            return ""
        # Folders have the values of keys.
        hashes = [(name.rpartition("/")[0], held) for name, held in self._hashes(part)]
        return digest(map(":".join, sorted(hashes)))

    def _hashes(self, part: ParquetFiles) -> Iterator[tuple[str, str]]:
        """Yield the name of each file, and what tells its contents."""
        store = part.store
        for file in part.files():
            held = self._hash_of(file.path, store.filesystem)
            # Deleted rows are not in the file itself.
            deleted = f":{file.mark}" if file.deleted is not None else ""
            yield store.relative(file.path), f"{held}{deleted}"


def _hash(path: str, filesystem: FileSystem | None = None) -> str:
    with (
        Path(path).open("rb") if filesystem is None else filesystem.open_input_stream(path) as file
    ):
        return hashlib.file_digest(file, "blake2b").hexdigest()


def shared_keys(sources: Sequence[Source], on: Sequence[str] | None, *, whole: bool) -> list[str]:
    """Return the keys that match partitions of the first input with the others.

    The parameters are those of ``units_of``.
    """
    if on is not None:
        # Sentences are matched within a unit, not by partitions.
        return [name for name in on if name != "sid"]
    first, *others = sources
    for name in first.hive:
        for other in others:
            near = [own for own in other.keys if own.lower() == name.lower()]
            if near and name not in near:
                raise InputError(
                    f"{first.what} has the key {name}, {other.what} has {near[0]}",
                    path=other.given,
                    expected="one name, in the same letters",
                    todo="rename one of them",
                )
    return [
        name
        for name in first.hive
        if (name != SYSTEM or not whole)
        and others
        and all(_shares(first, other, name) for other in others)
    ]


def _shares(first: Source, other: Source, name: str) -> bool:
    """Whether another input shares a key; a column ``system`` may only name its own origin."""
    if name != SYSTEM or name in other.hive or not other.knows(name):
        return other.knows(name)
    return other.values([name]) >= first.values([name])


def units_of(sources: Sequence[Source], on: Sequence[str] | None, *, whole: bool) -> Iterator[Unit]:
    """Yield the units of a job, ordered by shared keys.

    The partitions of the first source are the units. They share the keys ``on`` with the other
    sources, by default those that all have; ``sid`` may be among them. ``whole`` says that the
    result covers all of the other sources, like sentences of gold: partitions that the first source
    lacks are then units without files, for each system, and partitions by other keys are merged, if
    they are parts of one text.
    """
    first, *others = sources
    if first.files is None:
        file_mark(first.given)  # a missing one is reported later
        raise InputError(f"the input {first.what} is not Parquet", path=first.given, expected=PLACE)
    keys = shared_keys(sources, on, whole=whole)
    for name in keys:
        check_known(f"key of {first.what}", name, first.hive, todo=_FOLDERS, path=first.given)
        for other in others:
            if other.files is not None and not other.knows(name):
                raise unknown_name(
                    f"key or column of {other.what}", name, other.keys, path=other.given
                )
            _check_zeros(first, other, name)
    names = [name for name in first.hive if not whole or name == SYSTEM or name in keys]
    extra = tuple(name for name in first.hive if name not in names)
    if extra and not first.is_one_text(extra):
        if on is None and len({*first.values(extra)}) > 1:
            warn(
                f"{first.given}: partitions of {', '.join(extra)}, which {others[0].what} lacks, "
                f"have the same sentences: each is a unit, against all of {others[0].what}; if so, "
                "say it by naming the keys that both have (`on`, empty for none)"
            )
        names, extra = first.hive, ()
    found: dict[Keys, None] = {}
    for partition in first.files.units():
        found[tuple((name, value) for name, value in partition if name in names)] = None
    # A system without a partition that gold has missed all its sentences.
    if whole and keys and SYSTEM in names:
        own = {tuple((name, value) for name, value in one if name not in keys) for one in found}
        for values in sorted(others[0].values(keys), key=str):
            for system in sorted(own, key=str):
                made = dict(zip(keys, values, strict=True)) | dict(system)
                found.setdefault(tuple((name, made[name]) for name in names))

    def order(unit: Keys) -> tuple[list[str], list[str]]:
        values = dict(unit)
        return [str(values[name]) for name in keys], [str(value) for _, value in unit]

    for unit in sorted(found, key=order):
        mine = tuple((name, value) for name, value in unit if name in keys)
        yield Unit(
            unit,
            {first.what: _of_first(first, unit)} | {other.what: other.of(mine) for other in others},
            mine,
            extra,
        )


def _check_zeros(first: Source, other: Source, name: str) -> None:
    """Refuse values of a key that differ in leading zeros alone, such as 01 of a folder and 1."""
    if other.files is None or name not in first.hive:
        return
    mine = {value: bare for (value,) in first.values([name]) if (bare := _without_zeros(value))}
    if not any(value != bare for value, bare in mine.items()) and name not in other.hive:
        return  # that of others, in columns of numbers, are the same
    yours = {value: bare for (value,) in other.values([name]) if (bare := _without_zeros(value))}
    bares = {bare: value for value, bare in yours.items()}
    for value, bare in sorted(mine.items()):
        if value not in yours and bare in bares:
            raise InputError(
                f"{first.what} has {name} {value}, {other.what} has {bares[bare]}",
                path=other.given,
                expected="the same texts in both, as folders have, not numbers without zeros",
                todo=f"write the column {name} as text, or rename the folders",
            )


def _without_zeros(value: str | None) -> str:
    """Return a whole number without leading zeros; empty if it is none."""
    return (value.lstrip("0") or "0") if value and value.isascii() and value.isdigit() else ""


def _of_first(first: Source, unit: Keys) -> ParquetFiles | None:
    part = first.files.of(unit) if first.files is not None else None
    return part if part is not None and part.files() else None
