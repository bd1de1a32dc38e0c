"""Listeners for the compilation of kernels.

They are apart from ``alignframe.kernels.jit``, so that a caller registers one without importing
Numba.
"""

from __future__ import annotations

from collections.abc import Callable

LISTENERS: list[Callable[[], None]] = []
"""Called before a kernel is compiled."""


def compiling() -> None:
    """Call all listeners."""
    for listener in LISTENERS:
        listener()
