"""Ending commands promptly: at once when done, and within a second of Ctrl-C.

An exception ends most commands. But Python waits for threads inside kernels, and library code
outside Python sees no signals; a command still running a moment after the signal is killed.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

GRACE = 0.6
"""Seconds before an interrupted command is killed."""


@contextmanager
def leaving_soon() -> Iterator[None]:
    """Ensure that an interruption ends the process after a grace period."""
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return
    heard, wakeup = os.pipe()
    os.set_blocking(wakeup, False)
    # Python writes signal numbers to this pipe at once, even while a kernel runs.
    before = signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=[heard], daemon=True).start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        os.close(wakeup)


def _watch(heard: int) -> None:
    while number := os.read(heard, 1):
        if number[0] == signal.SIGINT:
            time.sleep(GRACE)
            _leave()
    os.close(heard)


def leave(status: int) -> None:
    """End the process without finalising modules, which takes a fifth of a second of CPU.

    Returns, for Python's normal exit, if a thread still runs or output cannot be written.
    """
    here = threading.current_thread()
    is_busy = any(thread is not here and not thread.daemon for thread in threading.enumerate())
    if not is_busy:
        atexit._run_exitfuncs()  # noqa: SLF001 - os._exit runs none of them
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except ValueError:
            return
        except OSError:
            if not status:
                return
            # It has been reported; at a normal exit it would change the status to 120.
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    if not is_busy:
        os._exit(status)


def _leave() -> None:
    """End the process at once, after removing temporary files and showing the cursor."""
    atexit._run_exitfuncs()  # noqa: SLF001
    if sys.stderr is not None and sys.stderr.isatty():
        # A bar hides the cursor, and its end will not run.
        os.write(2, b"\x1b[?25h\n")
    os._exit(130)
