"""How kernels are compiled, and kept on disk."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, cast

import numba
from numba.core.caching import FunctionCache
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys

Kernel = Callable[..., Any]


class _Kept(FunctionCache):  # type: ignore[misc]
    """Loads kernels that are on disk without what only compiling needs.

    Numba would first import all the types and functions it can compile, SciPy's among them, which
    takes a quarter of a second.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the kernel for a signature, or None if it must be compiled."""
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


def jit(function: Kernel) -> Kernel:
    """Compile ``function`` on first use, keeping the machine code on disk where that is possible.

    Numba refuses to cache where no folder is writable; the kernel is then compiled anew in each
    process.
    """
    kernel = numba.njit(function, nogil=True)
    if isinstance(kernel, CPUDispatcher):  # not if NUMBA_DISABLE_JIT is set
        with suppress(RuntimeError):
            kernel._cache = _Kept(function)  # noqa: SLF001
    return cast("Kernel", kernel)
