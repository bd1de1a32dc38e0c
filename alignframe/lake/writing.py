"""Writing the file of a unit, in chunks, with its inputs recorded in the footer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.output import table_writer
from alignframe.errors import InputError
from alignframe.lake.dates import MATCHED
from alignframe.lake.units import SYSTEM, Unit
from alignframe.stats.measure import Measure
from alignframe.stores import Output
from alignframe.stores.output import STAMP, Written

ROWS = 1 << 17
"""The number of rows in a row group."""
SENTENCES = "sentences"


@dataclass
class Notes:
    """The contents of the footer of a unit's file.

    ``sums`` are the sums of counts by system, with the number of rows; for ``removed``, ``stat``
    and ``contents``, see ``plan.Task``. Warnings are kept, since they hold as long as the file.
    """

    job: str
    stamps: Mapping[str, str]
    stat: Mapping[str, str] | None
    contents: Mapping[str, str]
    settings: Mapping[str, object]
    signature: str
    removed: str
    warned: Sequence[str]
    sums: dict[str, dict[str, float]] = field(default_factory=dict)
    rows: int = 0

    def footer(self, unit: Unit) -> dict[str, str]:
        """Return the metadata of the file."""
        made_of = {name: value for name, value in self.stamps.items() if name != STAMP}
        return {
            "alignframe.stamp": self.stamps[STAMP],
            "alignframe.made_of": json.dumps(made_of),
            "alignframe.check": "stat" if self.stat is None else "content",
            "alignframe.stat": json.dumps(self.stat or {}),
            "alignframe.contents": json.dumps(self.contents),
            "alignframe.unit": json.dumps(dict(unit.keys)),
            "alignframe.job": self.job,
            "alignframe.settings": json.dumps(self.settings, sort_keys=True),
            "alignframe.signature": self.signature,
            "alignframe.sums": json.dumps(self.sums),
            "alignframe.removed": self.removed,
            "alignframe.warned": json.dumps(self.warned),
            # With one input alone, nothing is matched.
            **(
                {f"alignframe.{MATCHED}": json.dumps([name for name, _ in unit.matched])}
                if len(unit.inputs) > 1
                else {}
            ),
        }


def write_unit(
    output: Output,
    unit: Unit,
    tables: Iterable[pa.Table],
    notes: Notes,
    measure: Measure | None,
    counted: Callable[[int], None],
) -> Written:
    """Write the rows of a unit, and return the file."""
    stamp = notes.stamps[STAMP]
    path = output.path_of(unit.keys, stamp)
    opened = output.folder.replacing
    with table_writer(path, rows=ROWS, footer=lambda: notes.footer(unit), opened=opened) as write:
        for table in _in_groups(tables):
            shaped = _shaped(table, unit, output)
            write(shaped)
            notes.rows += shaped.num_rows
            if measure is not None:
                _add(notes.sums, table, unit, measure.counts)
            counted(shaped.num_rows)
    return Written(unit.keys, path, stamp, output.folder.size_of(path) or 0)


def _in_groups(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Yield tables of about ``ROWS`` rows, at least one."""
    waiting: list[pa.Table] = []
    rows = 0
    given = False
    for table in tables:
        waiting.append(table)
        rows += table.num_rows
        if rows >= ROWS:
            yield pa.concat_tables(waiting, promote_options="permissive")
            waiting, rows, given = [], 0, True
    # A table without rows is written too, if there is no other: it has the columns.
    if waiting and (rows or not given):
        yield pa.concat_tables(waiting, promote_options="permissive")


def _shaped(table: pa.Table, unit: Unit, output: Output) -> pa.Table:
    """Return a table in the form of the output: with or without keys, without dictionaries."""
    # Folders such as system=giza hold the keys of plain Parquet; a column of that name would be a
    # second value.
    for name, value in unit.keys:
        if name in table.column_names:
            if pa.types.is_primitive(table.schema.field(name).type):
                raise InputError(
                    f"the key {name}, which is the name of a result",
                    todo="give the folders another name",
                )
            table = table.drop_columns([name])
        if output.keys_in_file:
            table = table.append_column(
                name, pa.repeat(pa.scalar(value, pa.string()), table.num_rows)
            )
    for name in unit.extra:
        if name not in table.column_names:
            table = table.append_column(name, pa.nulls(table.num_rows, pa.string()))
    fields = [_stored(column, output.unsigned) for column in table.schema]
    return table.cast(pa.schema(fields)) if pa.schema(fields) != table.schema else table


def _stored(given: pa.Field, unsigned: bool) -> pa.Field:
    return pa.field(given.name, _stored_type(given.type, unsigned), given.nullable)


def _stored_type(kind: pa.DataType, unsigned: bool) -> pa.DataType:
    """Return the stored type: text without dictionary, signed integers if required."""
    if pa.types.is_dictionary(kind):
        return kind.value_type
    if pa.types.is_null(kind):
        return pa.string()
    if pa.types.is_unsigned_integer(kind) and not unsigned:
        # Delta and Iceberg have no unsigned integers.
        return pa.int32() if kind.bit_width < 32 else pa.int64()
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return pa.list_(_stored(kind.value_field, unsigned))
    if pa.types.is_struct(kind):
        return pa.struct([_stored(inner, unsigned) for inner in kind])
    return kind


def _add(
    sums: dict[str, dict[str, float]], table: pa.Table, unit: Unit, counts: Sequence[str]
) -> None:
    """Add the counts of a table to the sums of its systems."""
    if unit.system is not None or SYSTEM not in table.column_names:
        parts = [(unit.system or "", table)]
    else:
        names = table[SYSTEM].cast(pa.string())
        parts = [(str(name), table.filter(pc.equal(names, name))) for name in pc.unique(names)]
    for name, part in parts:
        mine = sums.setdefault(name, dict.fromkeys((*counts, SENTENCES), 0))
        mine[SENTENCES] += part.num_rows
        for count in counts:
            mine[count] += pc.sum(part[count]).as_py() or 0
