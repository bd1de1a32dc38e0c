"""The ``alignframe`` command: nothing but arguments, progress and printing."""

from __future__ import annotations

import os
import signal
import sys
import threading
import warnings
from contextlib import suppress
from types import FrameType

# No command multiplies matrices; threads that wait to do so cost a third of a second of CPU.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

_HEARD = threading.Event()


def interrupt(number: int, frame: FrameType | None) -> None:
    """End the command, but not while Numba hands over what a kernel returns.

    Numba calls ``_numba_unpickle`` then, and the process crashes if that raises an exception. So
    the signal is sent again a moment later.
    """
    if frame is not None and frame.f_code.co_name == "_numba_unpickle":
        _HEARD.clear()
        threading.Thread(target=_send, args=(number,), daemon=True).start()
    else:
        _HEARD.set()
        raise KeyboardInterrupt


def _send(number: int) -> None:
    """Send a signal to the main thread until it is heard, and ends what that waits for.

    One that comes just before the main thread begins to wait would be heard after the wait only.
    """
    while not _HEARD.wait(0.01):
        if hasattr(signal, "pthread_kill"):
            signal.pthread_kill(threading.main_thread().ident or 0, number)
        else:
            signal.raise_signal(number)


def heed_interrupts() -> None:
    """End the command by Ctrl-C from now on.

    Importing polars sets a handler with which a read that waits for standard input begins again,
    so what reads it calls this after all imports.
    """
    with suppress(ValueError):  # only the main thread is told of signals
        signal.signal(signal.SIGINT, interrupt)


def main() -> None:
    """Run the command; errors of the user's input end it with status 2 and one message."""
    from alignframe.cli.app import app
    from alignframe.cli.leaving import leaving_soon
    from alignframe.cli.progress import say_compiling, spinner
    from alignframe.cli.show import print_error, print_warning
    from alignframe.errors import AlignframeError
    from alignframe.kernels import notice

    warnings.showwarning = lambda message, *_, **__: print_warning(str(message))
    warnings.simplefilter("always")
    heed_interrupts()
    spinner().start()
    notice.LISTENERS[:] = [say_compiling]
    try:
        with leaving_soon():
            app()
    except AlignframeError as error:
        print_error(str(error))
        sys.exit(2)
    except BrokenPipeError:
        sys.exit(1)
    finally:
        spinner().stop()


if __name__ == "__main__":
    main()
