"""Compiling kernels with Numba, and caching the machine code on disk.

``jit`` is ``numba.njit`` with a stricter and faster cache: machine code is valid as long as the
sources of the kernel's module, and of all modules of the package that it imports, are unchanged.
"""

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
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys

from alignframe.kernels import notice

Kernel = Callable[..., Any]

_KERNELS: list[Any] = []

_IMPORT = re.compile(r"^from (\S+) import (\([^)]*\)|.*)", re.MULTILINE)


class _Index(IndexDataCacheFile):  # type: ignore[misc]
    """The index of a kernel's cached code; empty if it names a type that no longer exists."""

    def _load_index(self) -> Any:
        try:
            return super()._load_index()
        except (ImportError, AttributeError):
            return {}


class _Kept(FunctionCache):  # type: ignore[misc]
    """Loads cached kernels without importing what only compilation needs.

    Numba would first import all the types and functions it can compile, including SciPy's, which
    takes a quarter of a second. It also looks for changes in a kernel's own file only, and would
    run outdated code of functions in other files.
    """

    def __init__(self, function: Kernel) -> None:
        super().__init__(function)
        stamp = (self._impl.locator.get_source_stamp(), _stamp(sys.modules[function.__module__]))
        self._cache_file = _Index(self.cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the kernel for a signature, or None if it must be compiled."""
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            compiled = self._load_overload(sig, target_context)
        if compiled is None:
            notice.compiling()
        return compiled

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save a kernel.

        Without the lock, of two processes that compile the same kernel for different types, one
        could find the other's machine code under its own types.
        """
        with suppress(OSError), locked(Path(self.cache_path) / "kernels.lock"):
            super().save_overload(sig, data)  # on a full disk, it is compiled again next time

    def is_filled(self, machine: Any) -> bool:
        """Whether code of the current kernel is cached for this machine, for any types."""
        return any(known[1] == machine for known in self._cache_file._load_index())  # noqa: SLF001


def jit(function: Kernel) -> Kernel:
    """Compile ``function`` on first use, and cache the machine code on disk where possible.

    Where no folder is writable, kernels are compiled in each process.
    """
    # No kernel is called from C: without the wrapper, there is less to compile.
    kernel = numba.njit(function, nogil=True, no_cfunc_wrapper=True)
    if isinstance(kernel, CPUDispatcher):  # not with NUMBA_DISABLE_JIT
        kernel.get_call_template = partial(_template, kernel.get_call_template)
        with suppress(RuntimeError):
            kernel._cache = _Kept(function)  # noqa: SLF001
            _KERNELS.append(kernel)
    return cast("Kernel", kernel)


def missing() -> tuple[Path | None, int, list[str]]:
    """Return a folder of cached kernels, the number of kernels, and which are not cached.

    The folder is None if kernels cannot be cached.
    """
    package = importlib.import_module("alignframe.kernels")
    # Importing a module registers its kernels.
    for module in pkgutil.walk_packages(package.__path__, "alignframe.kernels."):
        importlib.import_module(module.name)
    kernels = [kernel for kernel in _KERNELS if kernel.__module__.startswith("alignframe.")]
    names = [
        f"{kernel.__module__}.{kernel.__name__}"
        for kernel in kernels
        if not kernel._cache.is_filled(kernel.targetctx.codegen().magic_tuple())  # noqa: SLF001
    ]
    # Each folder of kernels has its own cache; all processes must take the same.
    folder = min((Path(kernel._cache.cache_path) for kernel in kernels), default=None)  # noqa: SLF001
    return folder, len(kernels), names


def _template(template: Callable[..., Any], args: Any, kws: Any) -> Any:
    """Compile a kernel called from another once for integers, not for each constant.

    Numba would compile it for the type of 0, that of 1, and so on; LLVM folds constants where it
    pays.
    """
    plain = {name: numba.types.unliteral(kind) for name, kind in kws.items()}
    return template(tuple(numba.types.unliteral(kind) for kind in args), plain)


def _stamp(module: ModuleType) -> str:
    """Return a hash of the source of a module and of all that it imports from its package."""
    hashes: dict[ModuleType, str] = {}
    waiting = [module]
    while waiting:
        current = waiting.pop()
        if current not in hashes:
            hashes[current], imported = _source(current)
            waiting += imported
    # Sorted, because the order of imports does not matter.
    return sha256("".join(sorted(hashes.values())).encode()).hexdigest()


@cache
def _source(module: ModuleType) -> tuple[str, list[ModuleType]]:
    """Return a hash of a module's source, and the loaded modules of its package that it imports.

    Imports are found by ``_IMPORT``, so kernels must import by ``from ... import`` at the top.
    """
    file = getattr(module, "__file__", None)
    source = Path(file).read_bytes() if file else b""  # no source if typed interactively
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
    """Hold a lock file that one process at a time can hold; do nothing where there are no locks."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        # Released when the file is closed, even if the process is killed.
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
