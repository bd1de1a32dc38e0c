"""How much of the memory that a user allows is left."""

from __future__ import annotations

import re
from pathlib import Path

from alignframe.errors import InputError

_UNITS = {"KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}
_LEAST = 200_000_000
_COMPILED = 350_000_000
"""Bytes that DuckDB, the kernels and a piece of the text take before anything is counted."""


def bytes_of(memory_limit: str) -> int:
    """Return the bytes of a text such as ``2GB``."""
    form = r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]i?B)\s*"
    match = re.fullmatch(form, str(memory_limit), re.IGNORECASE)
    if not match:
        raise InputError(f"the memory limit {memory_limit!r}", expected="such as 2GB")
    return int(float(match[1]) * _UNITS[match[2].upper()])


def bytes_left(memory_limit: str) -> int:
    """Return the bytes that the process may take besides those it has.

    Raises
    ------
    InputError
        If the text is no size, or fewer than 200 MB are left.
    """
    has = _resident()
    left = bytes_of(memory_limit) - has - _COMPILED
    if left < _LEAST:
        raise InputError(
            f"the memory limit {memory_limit}, {has // 10**6} MB of which are in use",
            expected=f"at least {(has + _COMPILED + _LEAST) // 10**6 + 1}MB",
        )
    return left


def _resident() -> int:
    """Return the bytes of memory that the process has."""
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text("utf-8").splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
