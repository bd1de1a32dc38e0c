"""Compiling kernels with Numba.

``jit`` is ``numba.njit`` with the cache of ``alignframe.kernels.cache``. As this file says how
kernels are compiled, all are compiled again after an edit.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import partial
from typing import Any, cast

import numba
from numba.core.registry import CPUDispatcher

from alignframe.kernels import cache

Kernel = Callable[..., Any]


def jit(function: Kernel) -> Kernel:
    """Compile ``function`` on first use, and cache the machine code on disk where possible.

    Where no folder is writable, kernels are compiled in each process.
    """
    # No kernel is called from C: without the wrapper, there is less to compile.
    kernel = numba.njit(function, nogil=True, no_cfunc_wrapper=True)
    if isinstance(kernel, CPUDispatcher):  # not with NUMBA_DISABLE_JIT
        kernel.get_call_template = partial(_template, kernel.get_call_template)
        kernel._compiler.compile = partial(_compile, kernel._compiler.compile)  # noqa: SLF001
        cache.keep(kernel)
    return cast("Kernel", kernel)


def _compile(compile_for: Callable[..., Any], args: Any, return_type: Any) -> Any:
    """Compile a kernel without collecting garbage, which takes a tenth of the time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        return compile_for(args, return_type)
    finally:
        if collects:
            gc.enable()


def _template(template: Callable[..., Any], args: Any, kws: Any) -> Any:
    """Compile a kernel called from another once for integers, not for each constant.

    Numba would compile it for the type of 0, that of 1, and so on; LLVM folds constants where it
    pays.
    """
    plain = {name: numba.types.unliteral(kind) for name, kind in kws.items()}
    return template(tuple(numba.types.unliteral(kind) for kind in args), plain)
