"""Listeners for the compilation of kernels, available without Numba."""

from __future__ import annotations

from collections.abc import Callable

LISTENERS: list[Callable[[], None]] = []
"""Called before a kernel is compiled."""


def compiling() -> None:
    """Notify all listeners."""
    for listener in LISTENERS:
        listener()
