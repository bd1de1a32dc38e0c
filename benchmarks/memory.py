"""The peak of a process's memory."""

from __future__ import annotations

from pathlib import Path


def peak_mb() -> float:
    """Return the most memory that this program has held, in MB.

    What ``getrusage`` tells is at least the peak of the program that started this one.
    """
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024
