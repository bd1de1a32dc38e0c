"""Ending commands promptly: at once when done, and within a second of a signal.

Ctrl-C, SIGTERM and SIGHUP end a command alike, without unfinished files. An exception ends most.
But Python waits for threads inside kernels, and library code outside Python sees no signals; a
command still running a moment after the signal is killed.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import FrameType

from alignframe.core import stopping
from alignframe.errors import printable

GRACE = 0.6
"""Seconds before an interrupted command is killed."""
WRITTEN: list[Path] = []
"""The files that the command has written."""
_HEARD = threading.Event()


class Ended(KeyboardInterrupt):
    """A signal other than Ctrl-C, which ends the command as that does."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def status_of(interruption: KeyboardInterrupt) -> int:
    """Return the status of a command that a signal ends, as shells expect: 130 after Ctrl-C."""
    return 128 + getattr(interruption, "number", signal.SIGINT)


def said_of(number: int, notes: Sequence[str]) -> str:
    """Return what to say of a command that a signal ends: what is done, and what was written."""
    name = "Ctrl-C" if number == signal.SIGINT else signal.Signals(number).name
    if WRITTEN:
        said = f"; written: {', '.join(map(str, WRITTEN))}"
    else:
        said = "" if notes else "; no file was written: run the command again"
    return printable("\n".join([*notes, f"stopped by {name}{said}"]), lines=True)


def interrupt(number: int, frame: FrameType | None) -> None:
    """End the command, but not while Numba unboxes the result of a kernel.

    Numba then calls ``_numba_unpickle``, and an exception there would crash the process. So the
    signal is sent again a moment later.
    """
    if frame is not None and frame.f_code.co_name == "_numba_unpickle":
        _HEARD.clear()
        threading.Thread(target=_send, args=(number,), daemon=True).start()
    else:
        _HEARD.set()
        raise KeyboardInterrupt if number == signal.SIGINT else Ended(number)


def _send(number: int) -> None:
    """Send a signal to the main thread until it has taken effect.

    A signal just before the main thread starts to wait would be handled only after the wait.
    """
    while not _HEARD.wait(0.01):
        if hasattr(signal, "pthread_kill"):
            signal.pthread_kill(threading.main_thread().ident or 0, number)
        else:
            signal.raise_signal(number)


def _ending() -> list[int]:
    """Return the signals that end a command, but those that it was started to ignore (nohup)."""
    named = (getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP"))
    return [one for one in named if one and signal.getsignal(one) == signal.SIG_DFL]


@contextmanager
def leaving_soon() -> Iterator[None]:
    """Let signals end the command as Ctrl-C does, and after a grace period the process."""
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return
    heard, wakeup = os.pipe()
    os.set_blocking(wakeup, False)
    # Python writes signal numbers to this pipe at once, even while a kernel runs.
    before = signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)
    with ExitStack() as restored:
        restored.callback(os.close, wakeup)
        restored.callback(signal.set_wakeup_fd, before)
        for number in _ending():
            restored.callback(signal.signal, number, signal.signal(number, interrupt))
        with suppress(RuntimeError):  # no more threads: an exception ends most commands
            threading.Thread(target=_watch, args=[heard], daemon=True).start()
        yield


def leave_on_signals() -> None:
    """Let SIGTERM and SIGHUP end a worker process at once, without its temporary files."""
    for number in _ending():
        signal.signal(number, lambda number, _: _leave(number))


def _watch(heard: int) -> None:
    while number := os.read(heard, 1):
        time.sleep(GRACE)
        _leave(number[0], "\n" + said_of(number[0], stopping.notes()) + "\n")
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


def _leave(number: int, said: str = "") -> None:
    """End the process at once, after removing temporary files and showing the cursor."""
    try:
        if "multiprocessing" in sys.modules:
            from multiprocessing import active_children

            for worker in active_children():  # or Python would wait for them
                worker.terminate()
        atexit._run_exitfuncs()  # noqa: SLF001
        if os.isatty(2):
            # A bar hides the cursor, and its end will not run.
            os.write(2, b"\x1b[?25h\n")
        os.write(2, said.encode(errors="backslashreplace"))
    finally:  # a terminal that is gone cannot be written
        os._exit(128 + number)
