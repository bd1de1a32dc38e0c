"""Jobs killed at random moments end with the same rows as an undisturbed run."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KINDS = {"parquet": "pyarrow", "delta": "deltalake", "iceberg": "pyiceberg"}


def test_kills_lose_and_duplicate_nothing(tmp_path):
    kinds = [kind for kind, package in KINDS.items() if find_spec(package)]
    # One process imports what jobs need; each run is a fork of it, so that only the run is killed.
    words = ["-m", "benchmarks.lake_kills", tmp_path, "--format", *kinds]
    words += ["--kills", "9", "--domains", "4", "--rows", "4"]
    done = subprocess.run(
        [sys.executable, *map(str, words)], capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for kind in kinds:
        assert f"{kind}: 9 killed" in done.stdout
