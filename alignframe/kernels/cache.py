"""Caching the machine code of kernels on disk, stricter and faster than Numba does.

Machine code is valid as long as the sources of the kernel's module, and of all modules of the
package that it imports, are unchanged. It lies beside the sources, or in the folder that
``NUMBA_CACHE_DIR`` names; there, checkouts whose sources are equal share it.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

import llvmlite
import numba
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    UserProvidedCacheLocator,
)
from numba.core.runtime import rtsys

from alignframe.kernels import notice, small

Kernel = Callable[..., Any]

_KERNELS: list[Any] = []

# They say where machine code lies, who hears of it and when it is used, not what it is.
_LEFT_OUT = {__name__, notice.__name__, small.__name__}

_IMPORT = re.compile(r"^from (\S+) import (\([^)]*\)|.*)", re.MULTILINE)


class _Index(IndexDataCacheFile):  # type: ignore[misc]
    """The index of a kernel's cached code; empty if it names a type that no longer exists."""

    def _load_index(self) -> Any:
        try:
            return super()._load_index()
        except (ImportError, AttributeError):
            return {}


class _Shared(UserProvidedCacheLocator):  # type: ignore[misc]
    """Names a folder in ``NUMBA_CACHE_DIR`` by sources and versions.

    Numba would name it by the place of the sources, where another checkout does not find it, and
    two that differ could not both be kept.
    """

    def __init__(self, function: Kernel, file: str) -> None:
        super().__init__(function, file)
        name = f"{function.__module__}-{_stamp(sys.modules[function.__module__])[:16]}"
        self._cache_path = str(Path(numba.config.CACHE_DIR, name))


class _Code(CompileResultCacheImpl):  # type: ignore[misc]
    """Looks for the folder of a kernel."""

    _locator_classes = (_Shared, *CompileResultCacheImpl._locator_classes)  # noqa: SLF001


class _Kept(FunctionCache):  # type: ignore[misc]
    """Loads cached kernels without importing what only compilation needs.

    Numba would first import all the types and functions it can compile, including SciPy's, which
    takes a quarter of a second. It also looks for changes in a kernel's own file only, and would
    run outdated code of functions in other files.
    """

    _impl_class = _Code

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


def keep(kernel: Any) -> None:
    """Cache the machine code of a kernel, if a folder is writable."""
    with suppress(RuntimeError):
        kernel._cache = _Kept(kernel.py_func)  # noqa: SLF001
        _KERNELS.append(kernel)


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


def _stamp(module: ModuleType) -> str:
    """Return a hash of what decides on the machine code of a module's kernels."""
    # Sorted, because the order of imports does not matter.
    parts = [numba.__version__, llvmlite.__version__, *sorted(_sources(module).values())]
    return sha256(" ".join(parts).encode()).hexdigest()


def _sources(module: ModuleType) -> dict[ModuleType, str]:
    """Return hashes of the sources of a module and of all that it imports from its package."""
    hashes: dict[ModuleType, str] = {}
    waiting = [module]
    while waiting:
        current = waiting.pop()
        if current not in hashes and current.__name__ not in _LEFT_OUT:
            hashes[current], imported = _source(current)
            waiting += imported
    return hashes


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
