"""Kill lake jobs in the middle of their commits, and compare the rows of the next run.

``python -m benchmarks.lake_commit_kills FOLDER --format parquet delta iceberg --kills 200``

A killed run ends itself at a point chosen beforehand: before a call of the system, such as the one
that gives a commit its name; in the middle of a write (``cut``); or at some time after a commit
began. After each kill, the place must be readable, and the next run must end with the rows of an
undisturbed one. Half of the runs begin with an empty place, so that their first commit is hit.
"""

from __future__ import annotations

import argparse
import ctypes
import functools
import mmap
import os
import platform
import random
import resource
import shutil
import signal
import struct
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.lake_kills import build, check, ended, in_child, load, rewrite

CALLS = {
    "parquet": ("open", "write", "rename", "link"),
    "delta": ("open", "write", "link", "unlink"),
    "iceberg": ("mkdir", "open", "write", "pwrite", "sync", "unlink"),
}
"""The calls of the system that a commit makes, by format; a table is made by ``mkdir`` first."""
NUMBERS = {
    "x86_64": {
        "mkdir": (83, 258),
        "open": (257,),
        "write": (1,),
        "pwrite": (18,),
        "rename": (82, 264, 316),
        "link": (86, 265),
        "unlink": (87, 263),
        "sync": (74, 75),
        "seccomp": (317,),
    },
    "aarch64": {
        "mkdir": (34,),
        "open": (56,),
        "write": (64,),
        "pwrite": (68,),
        "rename": (38, 276),
        "link": (37,),
        "unlink": (35,),
        "sync": (82, 83),
        "seccomp": (277,),
    },
}
LARGEST = {"parquet": 4_000, "delta": 6_000, "iceberg": 30_000}
"""Bytes after which a write may be cut off: those of the largest file of a commit, about."""


class Commits:
    """How many commits a run has begun and ended, and their mean time, told to the parent."""

    def __init__(self) -> None:
        self._shared = mmap.mmap(-1, 32)

    @property
    def seen(self) -> tuple[int, int, float]:
        """Commits begun, commits ended, and the seconds that all took."""
        begun, over, seconds = struct.unpack("QQd", self._shared[:24])
        return begun, over, seconds

    @seen.setter
    def seen(self, value: tuple[int, int, float]) -> None:
        self._shared[:24] = struct.pack("QQd", *value)

    @contextmanager
    def one(self) -> Iterator[int]:
        """Count a commit; the value is its number, from 1."""
        begun, over, seconds = self.seen
        self.seen = begun + 1, over, seconds
        start = time.perf_counter()
        yield begun + 1
        self.seen = begun + 1, over + 1, seconds + time.perf_counter() - start

    def watch(self, kind: str, act: Callable[[int], None]) -> None:
        """Call a function at the beginning of each commit of this process, with its number."""
        if kind == "parquet":
            # A file is committed by its name, and what it replaces is linked before.
            from alignframe.stores.folder import Folder

            def named(folder: Folder, *given: Any, real: Any = Folder.replacing) -> Any:
                return self._around(real(folder, *given), given[0], act)

            def kept(*given: Any, real: Any = Folder.keep) -> None:
                with self.one() as number:
                    act(number)
                    real(*given)

            patched: Any = Folder
            patched.replacing, patched.keep = named, kept
            return
        from alignframe.stores.delta import DeltaOutput
        from alignframe.stores.iceberg import IcebergOutput

        def committed(*given: Any, real: Any) -> None:
            with self.one() as number:
                act(number)
                real(*given)

        for table in (DeltaOutput, IcebergOutput):
            real = table._commit  # noqa: SLF001
            table._commit = functools.partialmethod(committed, real=real)  # type: ignore # noqa: SLF001

    @contextmanager
    def _around(self, opened: Any, name: str, act: Callable[[int], None]) -> Iterator[Any]:
        if not name.endswith(".parquet"):  # a record
            with opened as out:
                yield out
            return
        with self.one() as number:
            act(number)
            with opened as out:
                yield out


def end_at(call: str) -> None:
    """End this process before its next call of the system of a name, in any thread."""
    numbers = NUMBERS[platform.machine()]
    libc = ctypes.CDLL(None, use_errno=True)
    load_word, equal, any_bit, give = 0x20, 0x15, 0x45, 0x06
    steps = [(load_word, 0, 0, 0)]  # the number of the call
    for number in numbers[call]:
        if call == "open":  # only what makes a file: its third argument are the flags
            steps += [
                (equal, 0, 3, number),
                (load_word, 0, 0, 32),
                (any_bit, 0, 1, os.O_CREAT),
                (give, 0, 0, 0x80000000),
            ]
        else:
            steps += [(equal, 0, 1, number), (give, 0, 0, 0x80000000)]
    steps.append((give, 0, 0, 0x7FFF0000))
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    address = struct.pack("HxxxxxxQ", len(steps), ctypes.addressof(program))
    libc.prctl(38, 1, 0, 0, 0)  # no new rights, which the filter needs
    if libc.syscall(numbers["seccomp"][0], 1, 1, address):  # a filter, for all threads
        raise OSError(ctypes.get_errno(), "this system has no filters of calls")


def aimed(kind: str, ways: Sequence[str], mean: float, fresh: bool) -> tuple[int, str, float]:
    """Return the number of a commit, and how and when to end in it, at random."""
    number = 1 if fresh else random.randint(1, 3)
    way = random.choice(ways)
    if way == "time":
        return number, way, random.uniform(0, mean)
    if way == "cut":
        # Most files are small, and most of what is cut off ends early.
        return number, way, int(random.random() ** 3 * LARGEST[kind])
    return number, way, 0


def end_within(commits: Commits, kind: str, aim: tuple[int, str, float]) -> None:
    """Make this process end itself in a commit."""
    wanted, way, size = aim
    for number in (signal.SIGXFSZ, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def act(number: int) -> None:
        if number < wanted:
            return
        if way == "time":
            signal.setitimer(signal.ITIMER_REAL, max(size, 1e-6))
        elif way == "cut":
            resource.setrlimit(resource.RLIMIT_FSIZE, (int(size), resource.RLIM_INFINITY))
        else:
            end_at(way)

    commits.watch(kind, act)


def read(out: str) -> None:
    """Read what a killed run has left."""
    from alignframe import lake
    from alignframe.errors import DataWarning, InputError

    warnings.simplefilter("ignore", DataWarning)  # that the run did not end
    lake.runs(out)
    lake.status(out)
    for view in (lake.scores, functools.partial(lake.history, bootstrap=0)):
        try:
            view(out)
        except InputError as error:
            # Units of a run that was killed were counted from inputs that have changed since.
            if "no unit is finished" not in str(error):
                raise


def kill_commits(folder: Path, kind: str, kills: int, some: int, ways: Sequence[str]) -> None:
    """Kill jobs in their commits; the next run of each must end with the right rows."""
    out = f"iceberg:{folder}/out.db.mt.counts" if kind == "iceberg" else str(folder / kind)
    commits = Commits()

    def work() -> None:
        from alignframe import lake

        how: dict[str, Any] = {} if kind == "iceberg" else {"format": kind}
        run = lake.score(folder / "lake/hyp", folder / "lake/gold", out, commit_every=0, **how)
        if run.failed:
            raise SystemExit(str(run.units))

    def watched() -> None:
        commits.watch(kind, lambda _: None)
        work()

    def ending() -> None:
        end_within(commits, kind, aim)
        work()

    def must(job: Callable[[], None], what: str) -> None:
        if ended(in_child(job)):
            raise SystemExit(f"{kind}, {aim}: {what}")

    aim: tuple[int, str, float] = (0, "", 0)
    must(watched, "the first run failed")
    mean = commits.seen[2] / commits.seen[1]
    calls = CALLS[kind] if platform.machine() in NUMBERS else ()
    ways = [way for way in (*calls, "cut", "time") if way in ways or not ways]
    hits: Counter[str] = Counter()
    killed = firsts = tried = 0
    while killed < kills:
        tried += 1
        if tried > 3 * kills + 20:
            raise SystemExit(f"{kind}: {tried} runs, and only {killed} were killed")
        fresh = tried % 2 == 0
        if fresh:
            for place in folder.glob("out.db*" if kind == "iceberg" else kind):
                shutil.rmtree(place) if place.is_dir() else place.unlink()
        else:
            rewrite(folder, some)
        commits.seen = 0, 0, 0.0
        aim = aimed(kind, [*ways, "mkdir"] if fresh and kind == "delta" else ways, mean, fresh)
        code = ended(in_child(ending))
        if code > 0:
            raise SystemExit(f"{kind}, {aim}: a run failed")
        if code < 0:
            begun, over, _ = commits.seen
            killed += 1
            if begun > over:
                hits[aim[1]] += 1
                firsts += fresh
            must(functools.partial(read, out), "what it left cannot be read")
        must(work, "the next run failed")
        must(functools.partial(check, folder, out, quiet=True), "the rows differ")
    shown = ", ".join(f"{way} {number}" for way, number in sorted(hits.items()))
    left = [str(path) for path in folder.rglob(".*.tmp")]
    sys.stdout.write(
        f"{kind}: {killed} killed, {hits.total()} during a commit ({firsts} the first; {shown}), "
        f"{killed} ended equal; {len(left)} temporary files left\n"
    )
    sys.stdout.flush()
    if left:
        raise SystemExit(f"temporary files were left: {left}")


def main(words: Sequence[str] | None = None) -> None:
    """Kill jobs in their commits, and compare their output."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--format", nargs="+", default=["parquet"], choices=tuple(CALLS))
    parser.add_argument("--kills", type=int, default=200, help="over all formats")
    parser.add_argument("--domains", type=int, default=3)
    parser.add_argument("--rows", type=int, default=4)
    parser.add_argument("--ways", nargs="*", default=[], help="to end a run, by default all")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(words)
    random.seed(given.seed)
    folder = given.folder.absolute()
    load(given.format)
    ended(in_child(lambda: build(folder, given.domains, given.rows)))
    for at, kind in enumerate(given.format):
        share = given.kills // len(given.format) + (at < given.kills % len(given.format))
        kill_commits(folder, kind, share, given.domains, given.ways)


if __name__ == "__main__":
    main()
