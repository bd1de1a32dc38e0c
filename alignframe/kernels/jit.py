"""How kernels are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numba

Kernel = Callable[..., Any]


def jit(function: Kernel) -> Kernel:
    """Compile ``function`` on first use, keeping the machine code on disk where that is possible.

    Numba refuses to cache where no folder is writable; the kernel is then compiled anew in each
    process.
    """
    try:
        return cast("Kernel", numba.njit(function, nogil=True, cache=True))
    except RuntimeError:
        return cast("Kernel", numba.njit(function, nogil=True))
