"""Records of runs: one JSON file each, next to the output."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields
from datetime import UTC, datetime
from functools import cache
from math import isfinite
from pathlib import Path
from types import UnionType
from typing import Any, NamedTuple, TypedDict, get_args, get_origin, get_type_hints, is_typeddict

from alignframe.core.choices import LAKE_JOBS
from alignframe.core.output import is_running
from alignframe.errors import InputError, redacted
from alignframe.stores import Output
from alignframe.stores.folder import Folder
from alignframe.typing import Row

FOLDER = "_alignframe/runs"
APPLY = "apply"
"""The job of a user-defined function."""
_RUNNING: set[str] = set()
"""The runs of this process."""
_STATUSES = ("running", "done", "failed", "stopped", "killed")


class Clock(NamedTuple):
    """A point in time: wall time and CPU time of this process, in seconds."""

    seconds: float
    cpu: float

    @classmethod
    def read(cls) -> Clock:
        """Return the current time."""
        used = os.times()
        return cls(time.monotonic(), used.user + used.system)


class Place(TypedDict):
    """An input of a run, and its version."""

    place: str
    version: str


class Failure(TypedDict):
    """A unit that failed, by name, and why."""

    unit: str
    error: str


class UnitState(TypedDict):
    """A unit of the output: its keys, and the stamp of its file."""

    keys: dict[str, str | None]
    stamp: str


@dataclass
class Record:
    """The record of a run.

    ``revision`` is that of the git work tree in which the run was started, if any. ``status`` is
    ``running``, and at the end ``done``, ``failed`` (some units), or ``stopped``. ``left`` names
    the units that the inputs no longer have, ``state`` the units in the output at the end, each
    with its keys and stamp. ``todo`` has the units that it sets out to write, and stays if the run
    does not come to its end. Times are in seconds, memory in megabytes (10⁶ bytes).
    """

    job: str
    signature: str
    settings: Row
    inputs: dict[str, Place]
    outputs: dict[str, str]
    run: str = ""
    label: str = ""
    revision: str = ""
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
    failures: list[Failure] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    state: list[UnitState] = field(default_factory=list)
    todo: list[UnitState] = field(default_factory=list)

    def begin(self, folder: Folder) -> None:
        """Record the start of a run."""
        now = datetime.now(UTC)
        # The name sorts by time, and runs that begin in the same microsecond still differ.
        self.run = f"{now:%Y%m%dT%H%M%S_%f}-{secrets.token_hex(3)}"
        self.started = now.isoformat(timespec="seconds")
        self.revision = revision()
        self.host, self.pid = socket.gethostname(), os.getpid()
        _RUNNING.add(self.run)
        self.save(folder)

    def end(self, folder: Folder, since: Clock, status: str, error: str = "") -> None:
        """Record the end of the run, with its time and memory."""
        _RUNNING.discard(self.run)
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


def revision() -> str:
    """Return the revision of the git work tree of the current folder, if it is in one.

    It ends with ``-dirty`` if files that it tracks have changed.
    """
    home = Path.cwd()
    if not any((folder / ".git").exists() for folder in (home, *home.parents)):
        return ""
    # A monitor of files is a program that the work tree names.
    words = "git -c core.fsmonitor=false describe --always --dirty --exclude=* --abbrev=12"
    try:
        done = subprocess.run(  # noqa: S603 - of fixed words
            words.split(), capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()


def runs_of(output: Output) -> tuple[list[Row], dict[str, str]]:
    """Return the records of the runs that wrote to an output, oldest first, and what is none.

    The second has a warning for each file that is not a record, by the name of its run.
    """
    runs, odd = [], {}
    for path, _ in sorted(output.folder.listed(".json", FOLDER)):
        try:
            run = read_record(output.folder, path)
        except ValueError as error:
            if isinstance(error, InputError) and error.path is not None:
                raise  # of the store
            odd[Path(path).stem] = left_out(output, Path(path).stem, str(error))
            continue
        if output.owns(run["outputs"].get("place", "")):
            runs.append(run)
    return runs, odd


def left_out(output: Output, run: str, why: str) -> str:
    """Return the warning of a file that is not a record."""
    path = output.folder.full(f"{FOLDER}/{run}.json")
    return f"{path}: not the record of a run, so left out ({why})"


def read_record(folder: Folder, path: str) -> Row:
    """Return a record; raise a ValueError that says what is wrong with it.

    A killed run has the status ``killed``, if it can be detected on this machine.
    """
    try:
        text = folder.read_text(path)
        run = json.loads(text)
        if "\\ud" in text.lower():  # perhaps half a character
            json.dumps(run, ensure_ascii=False).encode()
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror}") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except UnicodeError:
        raise ValueError("not UTF-8") from None
    except json.JSONDecodeError:
        raise ValueError("not JSON") from None
    if not isinstance(run, dict):
        raise ValueError(f"{_shown(run)} is not an object")
    for own in fields(Record):
        if own.name in run:
            if not _tests()[own.name](run[own.name]):
                raise ValueError(f"{own.name} is {_shown(run[own.name])}")
        elif own.default_factory is not MISSING:  # which earlier versions did not record
            run[own.name] = own.default_factory()
        elif own.default is not MISSING:
            run[own.name] = own.default
        else:
            raise ValueError(f"it has no {own.name}")
    if not _test_of(list[str] | None)(run["settings"].get("on")):
        raise ValueError(f"on is {_shown(run['settings']['on'])}")
    for name, known in (
        ("job", (*LAKE_JOBS, APPLY)),
        ("status", _STATUSES),
        ("run", (Path(path).stem,)),
        ("pid", range(2**31)),
    ):
        if run[name] not in known:
            raise ValueError(f"{name} is {_shown(run[name])}")
    try:
        datetime.fromisoformat(run["started"])
    except ValueError:
        raise ValueError(f"started is {_shown(run['started'])}") from None
    if run["status"] == "running" and run["host"] == socket.gethostname():
        own = run["pid"] == os.getpid()
        runs = run["run"] in _RUNNING if own else is_running(run["pid"])
        run["status"] = "running" if runs else "killed"
    return run


def _shown(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) < 50 else f"{text[:50]}..."


@cache
def _test_of(kind: Any) -> Callable[[Any], bool]:
    """Return the test whether what JSON held is of the type of a field."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is UnionType:
        first, second = map(_test_of, inner)
        return lambda value: first(value) or second(value)
    if is_typeddict(kind):
        hints = get_type_hints(kind)
        names, each = hints.keys(), [(name, _test_of(one)) for name, one in hints.items()]
        return lambda value: (
            isinstance(value, dict)
            and value.keys() >= names
            and all(test(value[name]) for name, test in each)
        )
    if origin is list:
        item = _test_of(inner[0])
        return lambda value: isinstance(value, list) and all(map(item, value))
    if origin is dict:
        item = _test_of(inner[1])
        return lambda value: isinstance(value, dict) and all(map(item, value.values()))
    if kind is int:
        return lambda value: type(value) is int and 0 <= value < 2**63
    if kind is float:
        whole = _test_of(int)
        return lambda value: whole(value) or (type(value) is float and isfinite(value))
    return lambda value: kind is Any or isinstance(value, kind)


@cache
def _tests() -> dict[str, Callable[[Any], bool]]:
    return {name: _test_of(kind) for name, kind in get_type_hints(Record).items()}


def unwritten(output: Output, todo: str = "") -> InputError:
    """Return the error of a place that no job has written to."""
    output.check_exists()
    return InputError(
        "no lake job has written to it",
        path=output.name,
        expected="the output of alignframe lake ...",
        todo=todo,
    )


def peak_bytes() -> int:
    """Return the peak memory of this process, in bytes."""
    try:
        import resource
    except ImportError:  # Windows has none
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Bytes on macOS, kilobytes elsewhere.
    return int(peak) if sys.platform == "darwin" else int(peak) * 1024
