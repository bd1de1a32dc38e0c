"""How kernels are compiled, and kept on disk."""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import numba
from numba.core.caching import FunctionCache
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys

from alignframe.kernels import notice

Kernel = Callable[..., Any]

_KERNELS: list[Any] = []

_IMPORT = re.compile(r"^from (\S+) import (\([^)]*\)|.*)", re.MULTILINE)


class _Kept(FunctionCache):  # type: ignore[misc]
    """Loads kernels that are on disk without what only compiling needs.

    Numba would first import all the types and functions it can compile, SciPy's among them, which
    takes a quarter of a second. And it would go on running the old code of what a kernel calls in
    another file, as it looks for changes in the kernel's own file only.
    """

    def __init__(self, function: Kernel) -> None:
        super().__init__(function)
        file = self._cache_file
        file._source_stamp = (file._source_stamp, _stamp(sys.modules[function.__module__]))  # noqa: SLF001

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the kernel for a signature, or None if it must be compiled."""
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            found = self._load_overload(sig, target_context)
        if found is None:
            notice.compiling()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a kernel.

        Without the lock, of two processes that compile the same kernel for different types, one
        could find the other's machine code under its own types.
        """
        with locked(Path(self.cache_path) / "kernels.lock"):
            super().save_overload(sig, data)

    def is_filled(self, machine: Any) -> bool:
        """Whether there is compiled code of the current kernel for this machine, for any types."""
        return any(known[1] == machine for known in self._cache_file._load_index())  # noqa: SLF001


def jit(function: Kernel) -> Kernel:
    """Compile ``function`` on first use, keeping the machine code on disk where that is possible.

    Numba refuses to cache where no folder is writable; the kernel is then compiled anew in each
    process.
    """
    kernel = numba.njit(function, nogil=True, no_cfunc_wrapper=True)
    if isinstance(kernel, CPUDispatcher):  # not if NUMBA_DISABLE_JIT is set
        kernel.get_call_template = partial(_template, kernel.get_call_template)
        with suppress(RuntimeError):
            kernel._cache = _Kept(function)  # noqa: SLF001
            _KERNELS.append(kernel)
    return cast("Kernel", kernel)


def missing() -> tuple[Path | None, int, list[str]]:
    """Return the folder of kernels, how many there are, and which of them are not in it.

    The folder is None if no kernel can be kept.
    """
    package = importlib.import_module("alignframe.kernels")
    for module in pkgutil.iter_modules(package.__path__, "alignframe.kernels."):
        importlib.import_module(module.name)
    kept = [kernel for kernel in _KERNELS if kernel.__module__.startswith("alignframe.")]
    names = [
        f"{kernel.__module__}.{kernel.__name__}"
        for kernel in kept
        if not kernel._cache.is_filled(kernel.targetctx.codegen().magic_tuple())  # noqa: SLF001
    ]
    return Path(kept[0]._cache.cache_path) if kept else None, len(kept), names  # noqa: SLF001


def _template(template: Callable[..., Any], args: Any, kws: Any) -> Any:
    """Compile a kernel that another calls for integers, not anew for each constant.

    Numba would compile it for the type of 0, that of 1, and so on; LLVM folds constants where it
    pays.
    """
    plain = {name: numba.types.unliteral(kind) for name, kind in kws.items()}
    return template(tuple(numba.types.unliteral(kind) for kind in args), plain)


def _stamp(module: ModuleType) -> str:
    """Return a hash of the sources of a module and of all it imports from its own package."""
    hashes: dict[ModuleType, str] = {}
    waiting = [module]
    while waiting:
        one = waiting.pop()
        if one not in hashes:
            hashes[one], imported = _source(one)
            waiting += imported
    return sha256("".join(sorted(hashes.values())).encode()).hexdigest()


@cache
def _source(module: ModuleType) -> tuple[str, list[ModuleType]]:
    """Return a hash of a module's source, and the modules of its package that it imports."""
    file = getattr(module, "__file__", None)
    source = Path(file).read_bytes() if file else b""  # none if it was typed in
    package = module.__name__.partition(".")[0]
    names = [
        name
        for place, members in _IMPORT.findall(source.decode())
        if place.partition(".")[0] == package
        for name in (place, *(f"{place}.{member}" for member in re.findall(r"\w+", members)))
    ]
    return sha256(source).hexdigest(), [sys.modules[name] for name in names if name in sys.modules]


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Let one process at a time pass; others wait. Where files have no locks, all pass."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
