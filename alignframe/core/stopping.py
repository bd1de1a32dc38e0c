"""What is said of work that a signal ends: what is done, and how to go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

_AT_WORK: list[Callable[[], str]] = []
"""What tells of the work that goes on, the outermost first."""


@contextmanager
def told_if_stopped(
    tell: Callable[[], str], kind: type[BaseException] = KeyboardInterrupt
) -> Iterator[None]:
    """Note what is done on an exception that ends work, or tell it where the process is ended.

    Parameters
    ----------
    tell
        Returns the note, or nothing.
    kind
        The exceptions that get it.
    """
    _AT_WORK.append(tell)
    try:
        yield
    except kind as error:
        if note := tell():
            error.add_note(note)
        raise
    finally:
        _AT_WORK.remove(tell)


def notes() -> list[str]:
    """Return what is to be said of the work that goes on, which no exception will tell."""
    return [note for tell in reversed(_AT_WORK) if (note := tell())]
