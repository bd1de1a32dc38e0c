"""Jobs that are killed at random moments end with the rows of an undisturbed run."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("kind", ["parquet", "delta", "iceberg"])
def test_nothing_is_lost_or_doubled_by_kills(kind, tmp_path):
    if kind != "parquet":
        pytest.importorskip({"delta": "deltalake", "iceberg": "pyiceberg"}[kind])
    # One process loads what jobs need; each run is a fork of it, so that a kill costs a run alone.
    words = ["-m", "benchmarks.lake_kills", tmp_path, "--format", kind]
    words += ["--kills", "20", "--domains", "6", "--rows", "4"]
    done = subprocess.run(
        [sys.executable, *map(str, words)], capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "20 killed" in done.stdout
