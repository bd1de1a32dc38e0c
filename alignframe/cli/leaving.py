"""A command ends at once: when it is done, and by Ctrl-C within a second, whatever it is doing.

An exception ends most of what runs. But threads inside a kernel are waited for, and what a library
does outside Python hears nothing until it is done; a command that is still there a moment after the
signal is ended as it stands.
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
"""Seconds that a command has to end by itself."""


@contextmanager
def leaving_soon() -> Iterator[None]:
    """See to it that an interruption ends the process, once it has had its time."""
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return
    heard, told = os.pipe()
    os.set_blocking(told, False)
    # Python writes the number of a signal there at once, even while a kernel runs.
    before = signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=[heard], daemon=True).start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        os.close(told)


def _watch(heard: int) -> None:
    while number := os.read(heard, 1):
        if number[0] == signal.SIGINT:
            time.sleep(GRACE)
            _leave()
    os.close(heard)


def leave(status: int) -> None:
    """End the process without taking apart all that was imported, a fifth of a second of CPU.

    Returns, for Python to end as always, where a thread still runs or output cannot be written.
    """
    here = threading.current_thread()
    if any(one is not here and not one.daemon for one in threading.enumerate()):
        return
    atexit._run_exitfuncs()  # noqa: SLF001 - os._exit runs none of them
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            return
    os._exit(status)


def _leave() -> None:
    """End the process at once; drafts and temporary folders are removed, the cursor shown."""
    atexit._run_exitfuncs()  # noqa: SLF001
    if sys.stderr is not None and sys.stderr.isatty():
        os.write(2, b"\x1b[?25h\n")
    os._exit(130)
