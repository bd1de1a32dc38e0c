"""The ``alignframe`` command, and ``python -m alignframe``."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from alignframe.cli import main
from alignframe.cli.leaving import leave, said_of, status_of

# A word for which a command may use pandas: PySpark does, and code of users (``MODULE:NAME``).
_USES_PANDAS = re.compile(r"(.*=)?(spark|[\w.]+:\w+)")


class _WithoutPandas:
    """Blocks the import of pandas, which nearly no command uses."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        """Refuse pandas; leave other modules to the other finders."""
        # PyArrow imports it, where it is installed, to check whether an object is from pandas: a
        # third of a second.
        if name == "pandas":
            raise ModuleNotFoundError(f"this command needs no {name}", name=name)


class _Messages(io.TextIOWrapper):
    """Standard error: what cannot be written there is dropped, and the command goes on.

    Its reader may have ended, or the disk of its file be full; results are not lost for a message,
    and the status says how the command ended.
    """

    def write(self, text: str) -> int:
        """Write a message."""
        with self._dropping():
            super().write(text)
        return len(text)

    def flush(self) -> None:
        """Write what waits in the buffer."""
        with self._dropping():
            super().flush()

    @staticmethod
    @contextmanager
    def _dropping() -> Iterator[None]:
        try:
            yield
        except OSError:
            # What waits in buffers, and what libraries write, would fail again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def run() -> None:
    """Run the command as a process."""
    _fill_closed()
    sys.stderr = _Messages(
        open(2, "wb", closefd=False),  # noqa: SIM115
        sys.stderr.encoding,
        "backslashreplace",
        line_buffering=True,
    )
    if not any(map(_USES_PANDAS.fullmatch, sys.argv)):
        sys.meta_path.insert(0, _WithoutPandas)
    try:
        main()
    except KeyboardInterrupt as interruption:  # before the command was found
        status = status_of(interruption)
        sys.stderr.write(said_of(status - 128, []) + "\n")
        leave(status)
        sys.exit(status)
    except SystemExit as end:
        if isinstance(end.code, int):
            leave(end.code)
        raise
    leave(0)


def _fill_closed() -> None:
    """Open what stands for closed standard streams.

    Otherwise, files opened later would get their numbers, and whatever libraries write to standard
    error. Written to, standard output fails as a closed file does; standard input stays None.
    """
    for number, flags in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, flags)  # which takes the lowest free number: this one
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115


if __name__ == "__main__":
    run()
