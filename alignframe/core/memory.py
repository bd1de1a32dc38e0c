"""Memory limits, the memory of the process, and returning what is freed to the system."""

from __future__ import annotations

import ctypes
import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pyarrow as pa

from alignframe.errors import InputError

_UNITS = {"KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}


def bytes_of(size: str, what: str = "`memory_limit` is") -> int:
    """Return the number of bytes in a text such as ``2GB``; errors begin with ``what``."""
    form = r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]i?B)\s*"
    match = re.fullmatch(form, str(size), re.IGNORECASE)
    if not match:
        raise InputError(f"{what} {size!r}", expected="a size such as 2GB")
    return int(float(match[1]) * _UNITS[match[2].upper()])


def give_back() -> None:
    """Return freed memory to the system: Arrow and glibc keep the pieces left by a text."""
    pa.default_memory_pool().release_unused()
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Callable[[int], int] | None:
    return getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None


def resident() -> int:
    """Return the resident memory of the process, in bytes."""
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text("utf-8").splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
    try:
        import resource
    except ImportError:  # Windows has none
        return 0
    # The peak, which is never less; macOS, where this is reached, gives it in bytes.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
