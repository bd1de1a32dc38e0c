"""Ctrl-C while a kernel works."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import os, signal, threading, time
import numpy as np
from alignframe.cli import interrupt
from alignframe.kernels.cells import pair_up
signal.signal(signal.SIGINT, interrupt)
at = np.arange(0, 400 * {size} + 1, 400)
words = np.arange(400 * {size}, dtype=np.int32) % 1000
pair_up(at[:2], words[:400], at[:2], words[:400], 1000, 1000)
def kick():
    time.sleep(0.05)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=kick, daemon=True).start()
try:
    pair_up(at, words, at, words, 1000, 1000)
    time.sleep(5)
except KeyboardInterrupt:
    print("ended")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of a terminal")
def test_an_interruption_waits_until_a_kernel_has_returned():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(size=80)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONFAULTHANDLER": "1"},
    )
    assert (done.returncode, done.stdout) == (0, "ended\n"), done.stderr
