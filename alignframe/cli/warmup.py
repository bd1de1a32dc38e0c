"""``alignframe warmup``: compiling all kernels in advance."""

from __future__ import annotations

import os
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from multiprocessing import get_context

from alignframe.cli.progress import ProgressExecutor
from alignframe.cli.show import print_note, print_summary
from alignframe.cli.warmup_jobs import JOBS, run
from alignframe.errors import InputError, in_bounds


def warmup(*, processes: int | None = None, as_json: bool = False) -> None:
    """Compile all kernels in advance, for container images and clusters.

    Parameters
    ----------
    processes
        Number of processes; all cores by default.
    """
    start = time.monotonic()
    compiled, total = compile_kernels(processes)
    seconds = round(time.monotonic() - start, 1)
    if as_json:
        print_summary({"kernels": total, "compiled": compiled, "seconds": seconds})
    elif compiled:
        print_note(f"{compiled} of {total} kernels compiled in {seconds} s")
    else:
        print_note(f"all {total} kernels were already compiled")


def compile_kernels(processes: int | None = None) -> tuple[int, int]:
    """Compile all kernels that are not cached yet; return the numbers of these and of all kernels.

    Any number of processes may call this at the same time: one compiles while the others wait.
    Parallel tests can use one fixture::

        @pytest.fixture(scope="session", autouse=True)
        def kernels():
            compile_kernels()
    """
    from alignframe.kernels.jit import locked, missing

    workers = os.cpu_count() or 1 if processes is None else in_bounds("processes", processes)
    folder, total, wanted = missing()
    if folder is None:
        raise InputError(
            "compiled kernels cannot be saved: no folder is writable",
            todo="set the environment variable NUMBA_CACHE_DIR to one",
        )
    if not wanted:
        return 0, total
    with locked(folder / "warmup.lock"):
        wanted = missing()[2]
        if wanted:
            _compile(workers)
        return len(wanted), total


def _compile(processes: int) -> None:
    """Run all jobs, the longest first."""
    with ExitStack() as stack:
        # Not forked, as this process may have threads.
        pool = ProcessPoolExecutor(processes, mp_context=get_context("spawn"))
        stack.enter_context(pool)
        shown = stack.enter_context(ProgressExecutor(processes, "Compiling kernels"))
        for _ in shown.map(lambda job: pool.submit(run, job).result(), JOBS):
            pass
