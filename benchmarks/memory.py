"""Separate processes, and their peak memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def peak_mb() -> float:
    """Return the peak memory of this program, in MB.

    (``getrusage`` reports at least the peak of the parent program.)
    """
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024


def apart(program: str, *words: object, folder: Path = ROOT) -> list[float]:
    """Run a program in a separate process, and return the numbers on the last line it prints."""
    command = [sys.executable, "-W", "ignore", "-c", program, *map(str, words)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder)
    return list(map(float, done.stdout.splitlines()[-1].split()))
