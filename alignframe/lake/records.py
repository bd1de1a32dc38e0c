"""Records of runs: one JSON file each, next to the output."""

from __future__ import annotations

import json
import os
import secrets
import socket
import sys
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

from alignframe.core.output import is_running
from alignframe.errors import InputError, redacted
from alignframe.stores import open_output
from alignframe.stores.folder import Folder
from alignframe.typing import Row

FOLDER = "_alignframe/runs"


class Clock(NamedTuple):
    """A point in time: wall time and CPU time of this process, in seconds."""

    seconds: float
    cpu: float

    @classmethod
    def read(cls) -> Clock:
        """Return the current time."""
        used = os.times()
        return cls(time.monotonic(), used.user + used.system)


@dataclass
class Record:
    """The record of a run.

    ``status`` is ``running``, and at the end ``done``, ``failed`` (some units), or ``stopped``.
    ``left`` names the units that the inputs no longer have, ``state`` the units in the output at
    the end, each with its keys and stamp. Times are in seconds, memory in megabytes (10⁶ bytes).
    """

    job: str
    signature: str
    settings: Row
    inputs: dict[str, dict[str, str]]
    outputs: dict[str, str]
    run: str = ""
    status: str = "running"
    error: str = ""
    started: str = ""
    host: str = ""
    pid: int = 0
    units: int = 0
    done: int = 0
    skipped: int = 0
    adopted: int = 0
    failed: int = 0
    pruned: int = 0
    rows: int = 0
    seconds: float = 0.0
    cpu: float = 0.0
    peak_mb: float = 0.0
    failures: list[dict[str, str]] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    state: list[Row] = field(default_factory=list)

    def begin(self, folder: Folder) -> None:
        """Record the start of a run."""
        now = datetime.now(UTC)
        # The name sorts by time, and runs that begin in the same microsecond still differ.
        self.run = f"{now:%Y%m%dT%H%M%S_%f}-{secrets.token_hex(3)}"
        self.started = now.isoformat(timespec="seconds")
        self.host, self.pid = socket.gethostname(), os.getpid()
        self.save(folder)

    def end(self, folder: Folder, since: Clock, status: str, error: str = "") -> None:
        """Record the end of the run, with its time and memory."""
        self.status, self.error = status, error
        now = Clock.read()
        self.seconds = round(now.seconds - since.seconds, 3)
        self.cpu = round(now.cpu - since.cpu, 3)
        self.peak_mb = round(peak_bytes() / 1e6, 1)
        self.save(folder)

    def save(self, folder: Folder) -> None:
        """Write the record, without secrets."""
        text = redacted(json.dumps(vars(self), indent=1, ensure_ascii=False))
        folder.write_text(f"{FOLDER}/{self.run}.json", text + "\n")


def records(folder: Folder) -> list[Row]:
    """Return the records of a place, oldest first.

    A killed run has the status ``killed``, if it can be detected on this machine.
    """
    records_found = []
    for path, _ in sorted(folder.listed(".json", FOLDER)):
        try:
            record = json.loads(folder.read_text(path))
        except ValueError:
            raise InputError(
                "is not the record of a run", path=folder.full(path), todo="remove it"
            ) from None
        if record["status"] == "running" and record["host"] == socket.gethostname():
            record["status"] = "running" if is_running(record["pid"]) else "killed"
        records_found.append(record)
    return records_found


def runs_of(out: str, todo: str = "") -> list[Row]:
    """Return the records of a place written by jobs, oldest first; else say what to do."""
    output = open_output(out, "", new=False)
    runs = records(output.folder)
    if not runs:
        output.check_exists()
        raise InputError(
            "no lake job has written to it",
            path=out,
            expected="the output of alignframe lake ...",
            todo=todo,
        )
    return runs


def peak_bytes() -> int:
    """Return the peak memory of this process, in bytes."""
    try:
        import resource
    except ImportError:  # Windows has none
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Bytes on macOS, kilobytes elsewhere.
    return int(peak) if sys.platform == "darwin" else int(peak) * 1024
