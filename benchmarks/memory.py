"""The peak memory of a process."""

from __future__ import annotations

from pathlib import Path


def peak_mb() -> float:
    """Return the peak memory of this program, in MB.

    (``getrusage`` reports at least the peak of the parent program.)
    """
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024
