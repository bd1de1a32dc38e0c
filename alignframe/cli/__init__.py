"""The ``alignframe`` command: arguments, progress and printing only."""

from __future__ import annotations

import errno
import os
import re
import signal
import sys
import warnings
from contextlib import suppress
from os import fspath

from alignframe.cli.leaving import WRITTEN, interrupt, leaving_soon, status_of

# No command multiplies matrices, and idle BLAS threads cost a third of a second of CPU.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

_NO_THREADS = re.compile(r"can't start new thread|spawn .*thread")
"""What Python and polars say where no more threads can be started."""
_UNWRITABLE = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EBADF)


def heed_interrupts() -> None:
    """Let Ctrl-C end the command from now on.

    Importing polars sets a handler with which an interrupted read of standard input is retried, so
    commands that read it call this after all imports.
    """
    with suppress(ValueError):  # only the main thread receives signals
        signal.signal(signal.SIGINT, interrupt)


def main() -> None:
    """Run the command; an input error ends it with status 2 and one message."""
    from alignframe.cli.app import app
    from alignframe.cli.progress import say_compiling, spinner
    from alignframe.cli.show import GUESSED, RUNS, note_guess, print_error, print_warning
    from alignframe.core.output import WRITTEN_LISTENERS, unwritable_output
    from alignframe.errors import GUESS_LISTENERS, AlignframeError
    from alignframe.kernels import notice

    warnings.showwarning = lambda message, *_, **__: print_warning(
        str(message), getattr(message, "source", None)
    )
    warnings.simplefilter("always")
    heed_interrupts()
    spinner().start()
    notice.LISTENERS[:] = [say_compiling]
    GUESS_LISTENERS[:] = [note_guess]
    WRITTEN_LISTENERS[:] = [WRITTEN.append]
    GUESSED.clear()
    WRITTEN.clear()
    RUNS.clear()
    try:
        with leaving_soon():
            _check_words()
            try:
                app()
            except SystemExit as end:
                # Little output waits in the buffer: what cannot be written shows here.
                if not end.code and sys.stdout is not None:
                    sys.stdout.flush()
                raise
    except AlignframeError as error:
        said = [str(error), *getattr(error, "__notes__", [])]
        print_error("\n".join(said), getattr(error, "path", None))
        sys.exit(2)
    except MemoryError as error:
        print_error(_out_of_memory(error))
        sys.exit(2)
    except BrokenPipeError:
        sys.exit(1)
    except KeyboardInterrupt as interruption:  # while the last output is written
        sys.exit(status_of(interruption))
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG and isinstance(error.filename, (str, os.PathLike)):
            print_error(str(_too_long(error.filename)))
            sys.exit(2)
        if error.errno not in _UNWRITABLE or error.filename is not None:
            raise
        # Files are written under their names, so this is a table or JSON that is printed.
        print_error(str(unwritable_output(error)))
        sys.exit(2)
    except BaseException as error:
        if not _NO_THREADS.search(str(error)):
            raise
        print_error(_out_of_threads())
        sys.exit(2)
    finally:
        with suppress(OSError):  # the terminal is gone
            spinner().stop()
        GUESS_LISTENERS.clear()
        WRITTEN_LISTENERS.clear()


def _check_words() -> None:
    """Refuse words that are not UTF-8: libraries would not open such a file."""
    from alignframe.errors import InputError

    for word in sys.argv[1:]:
        if not word.isascii() and word != word.encode("utf-8", "ignore").decode():
            raise InputError(
                f"{word!a} is not UTF-8",
                todo="rename the file, or, where the locale has another encoding, set PYTHONUTF8=1",
            )


def _too_long(path: str | os.PathLike[str]) -> Exception:
    """Return what to say of a name that no file can have."""
    from alignframe.errors import InputError

    return InputError(
        "the name is too long", path=path, expected="at most 255 bytes between slashes"
    )


def _out_of_threads() -> str:
    """Return what to say where no more threads or processes can be started."""
    from alignframe.cli.show import RUNS

    options = RUNS[-1][0].options if RUNS else {}
    flags = [options[name].flag for name in ("threads", "jobs", "processes") if name in options]
    fewer = " and ".join([*(f"{flag} 1" for flag in flags), "POLARS_MAX_THREADS=1"])
    return (
        "no more threads can be started: the limit of the user or the container is reached; "
        f"use fewer ({fewer} in the environment), or raise the limit (ulimit -u)"
    )


def _out_of_memory(error: MemoryError) -> str:
    """Return what to say where memory ran out, with the file that was being read, if any."""
    import traceback

    frames = (frame.f_locals.get("path") for frame, _ in traceback.walk_tb(error.__traceback__))
    paths = [fspath(path) for path in frames if isinstance(path, (str, os.PathLike))]
    place = f"{paths[-1]}: " if paths else ""
    why = f" ({error})" if str(error) else ""
    return f"{place}not enough memory{why}; use a smaller input, or a machine with more memory"


if __name__ == "__main__":
    main()
