"""How the last run of a job ended, and what of it is in the output, in the words of every view."""

from __future__ import annotations

import socket
from collections.abc import Mapping

from alignframe.errors import InputError, number_of
from alignframe.lake.records import FOLDER, Record, read_record
from alignframe.stores import Keys, Output
from alignframe.stores.footers import DAMAGED, footer
from alignframe.stores.output import Written
from alignframe.typing import Row

UNRECORDED = "unrecorded"
"""The run of an output that no record describes."""
_HOW = {
    "killed": "it was killed, or its end could not be recorded",
    "stopped": "it was stopped",
}


def has_ended(record: Row) -> bool:
    """Whether a run came to its end; single units may have failed."""
    return record["status"] == "done" or (record["status"] == "failed" and not record["error"])


def _planned(record: Row) -> dict[Keys, str]:
    return {tuple(unit["keys"].items()): unit["stamp"] for unit in record["todo"]}


def left_undone(record: Row, live: Mapping[Keys, Written]) -> list[Keys]:
    """Return the units that a run set out to write, and that the output does not have from it."""
    if has_ended(record):
        return []
    planned = _planned(record)
    return [
        keys for keys, stamp in planned.items() if keys not in live or live[keys].stamp != stamp
    ]


def ending(record: Row, live: Mapping[Keys, Written], *, counts: bool) -> str:
    """Say that the last run did not end, and what of it is in the output; empty if it did."""
    if has_ended(record):
        return ""
    status, every = record["status"], len(record["todo"])
    how = _HOW.get(status, f"it failed: {record['error']}")
    if status == "running":
        own = record["host"] == socket.gethostname()
        how = "it is still running" if own else f"it is running on {record['host']}, or was killed"
    said = f"the last run did not end ({how})"
    if not every:  # nothing was to do, or an earlier version did not record it
        return f"{said}{'; the figures are of what is in the output' * counts}"
    done = every - len(left_undone(record, live))
    units = number_of(every, "unit")
    said += f" after {done:,} of {units}: "
    if not done:
        return f"{said}nothing of it is in the output{' or in these figures' * counts}"
    these = "it is" if done == 1 else "they are"
    said += f"{these} in the output{' and in these figures' * counts}"
    return said + "; the others are as before it, or missing" * (done < every)


def count_units(output: Output, record: Row, live: Mapping[Keys, Written]) -> None:
    """Note in the record of a run that did not end how many units and rows it has written."""
    if record["status"] == "stopped" or has_ended(record) or not record["todo"]:
        return
    undone = {*left_undone(record, live)}
    files = [live[keys] for keys in _planned(record) if keys not in undone]
    record |= {"done": len(files), "adopted": 0, "rows": sum(_rows(output, own) for own in files)}


def _rows(output: Output, written: Written) -> int:
    try:
        return int(footer(output.folder.full(written.path), output.folder.filesystem).num_rows)
    except (*DAMAGED, OSError):
        return 0


def record_kills(output: Output, live: Mapping[Keys, Written]) -> None:
    """Record of the last runs that were killed what they have done, before another goes on."""
    for path, _ in sorted(output.folder.listed(".json", FOLDER), reverse=True):
        try:
            record = read_record(output.folder, path)
        except InputError as error:
            if error.path is not None:
                raise  # of the store
            continue
        except ValueError:
            continue
        if not output.owns(record["outputs"].get("place", "")):
            continue
        if record["status"] != "killed":
            return
        count_units(output, record, live)
        known = {name: record[name] for name in Record.__dataclass_fields__}
        Record(**known).save(output.folder)
        return
