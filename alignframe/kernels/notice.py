"""Who is told that a kernel is being compiled; known without Numba."""

from __future__ import annotations

from collections.abc import Callable

LISTENERS: list[Callable[[], None]] = []
"""Called before a kernel is compiled."""


def compiling() -> None:
    """Tell all listeners."""
    for listener in LISTENERS:
        listener()
