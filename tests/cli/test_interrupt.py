"""The end of a command: Ctrl-C during a kernel, and normal exit."""

import io
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from helpers.cli import finished

from alignframe.cli import leaving
from alignframe.cli.command import Command
from alignframe.core.output import replacing

PATIENCE = 600
"""Seconds after which a test gives up, on a busy machine."""

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
try:
    threading.Thread(target=kick, daemon=True).start()
    pair_up(at, words, at, words, 1000, 1000)
    while True:  # a signal that comes just before a wait would not cut it short
        time.sleep(0.05)
except KeyboardInterrupt:
    print("ended")
"""


WAITING = """
import signal, sys
from alignframe.cli import main
class Told:
    closed = False
    def __init__(self, stream): self.stream = stream
    def close(self): pass
    def read(self, size=-1):
        print("waiting", flush=True)
        return self.stream.read(size)
class Stdin:
    buffer = Told(sys.stdin.buffer)
sys.stdin = Stdin()
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.argv = {words!r}
main()
"""


GIVEN = ("--tagger", "given", "--set", "lemmas=given", "--set", "synonyms=none")


@pytest.mark.skipif(sys.platform == "win32", reason="signals of a terminal")
def test_an_interruption_waits_until_the_kernel_returns():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(size=80)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONFAULTHANDLER": "1"},
    )
    assert (done.returncode, done.stdout) == (0, "ended\n"), done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="signals of a terminal")
@pytest.mark.parametrize(
    "words",
    [
        ("tesla", "stream", "--ref", "ref", *GIVEN),
        ("tesla", "words", "-", *GIVEN),
        ("lexicon", "induce", "-", "ref"),
    ],
)
def test_an_interruption_ends_a_command_waiting_for_standard_input(tmp_path, words):
    """Even though polars, which both import, has its own handler."""
    (tmp_path / "ref").write_text("cat|NN|cat\n")
    program = WAITING.format(words=["alignframe", *words])
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    ) as running:
        assert running.stdout.readline() == b"waiting\n"
        time.sleep(0.2)  # until it is waiting
        running.send_signal(signal.SIGINT)
        try:
            assert running.wait(PATIENCE) == 130
        finally:
            running.kill()


BUSY = """
import signal, time
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests may have been started by nohup
from concurrent.futures import ThreadPoolExecutor
from alignframe.cli import app, main
from alignframe.core.output import replacing
def work():
    with replacing("out"), ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(time.sleep, 600)
        print("at work", flush=True)
        waiting.result()
app.app = work
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of a terminal")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_does_not_wait_for_threads(tmp_path, name):
    """They may be inside a kernel for long; incomplete output is removed."""
    with subprocess.Popen(
        [sys.executable, "-c", BUSY], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
    ) as running:
        assert running.stdout.readline() == b"at work\n"
        assert list(tmp_path.iterdir())
        running.send_signal(getattr(signal, name))
        try:
            assert running.wait(60) == 128 + getattr(signal, name)
            told = "Ctrl-C" if name == "SIGINT" else name
            nothing = f"\nstopped by {told}; no file was written: run the command again\n"
            assert running.stderr.read().decode() == nothing
        finally:
            running.kill()
    assert list(tmp_path.iterdir()) == []


EARLY = """
import os, signal, sys
from alignframe.__main__ import run
class Sent:
    @staticmethod
    def find_spec(name, *_):
        if name == "alignframe.cli.app":
            os.kill(os.getpid(), signal.SIGINT)
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Sent)
sys.argv = ["alignframe", "--version"]
run()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of a terminal")
def test_an_interruption_before_the_command_is_found_is_told():
    done = subprocess.run(
        [sys.executable, "-c", EARLY], capture_output=True, text=True, check=False
    )
    said = "stopped by Ctrl-C; no file was written: run the command again\n"
    assert (done.returncode, done.stdout, done.stderr) == (130, "", said)


def test_a_command_that_is_stopped_tells_what_it_has_written(tmp_path, monkeypatch):
    def wrote(*_):
        for name in ("first.txt", "second.txt"):
            with replacing(tmp_path / name) as out:
                out.write(b"whole")
        error = leaving.Ended(signal.SIGTERM)
        error.add_note("half of it is done")
        raise error

    monkeypatch.setattr(Command, "call", wrote)
    done = finished("links", "score", "--gold", "g", "--hyp", "h")
    assert done.returncode == 128 + signal.SIGTERM
    files = f"{tmp_path}/first.txt, {tmp_path}/second.txt"
    assert done.stderr == f"half of it is done\nstopped by SIGTERM; written: {files}\n"


@pytest.mark.skipif(sys.platform == "win32", reason="signals of a terminal")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_signals_are_heeded_while_a_command_runs_but_not_those_ignored_before(name):
    number = getattr(signal, name)

    def in_command():
        with leaving.leaving_soon():
            return signal.getsignal(number)

    before = signal.getsignal(number)
    try:
        for handler in (signal.SIG_IGN, print):  # nohup, and a program that has its own
            signal.signal(number, handler)
            assert in_command() == handler
        signal.signal(number, signal.SIG_DFL)
        assert in_command() == leaving.interrupt
        assert signal.getsignal(number) == signal.SIG_DFL
        with pytest.raises(leaving.Ended) as ended:
            leaving.interrupt(number, None)
        assert leaving.status_of(ended.value) == 128 + number
    finally:
        signal.signal(number, before)


def test_a_command_exits_at_once_unless_something_is_left_to_do(monkeypatch):
    ended, threads = [], [threading.current_thread()]
    monkeypatch.setattr(leaving.os, "_exit", ended.append)
    monkeypatch.setattr(leaving.atexit, "_run_exitfuncs", lambda: ended.append("files removed"))
    monkeypatch.setattr(leaving.threading, "enumerate", lambda: threads)
    threads.append(threading.Thread(target=print))
    leaving.leave(2)
    assert ended == []
    threads[1].daemon = True
    leaving.leave(2)
    assert ended == ["files removed", 2]
    full = io.TextIOWrapper(io.BytesIO())
    full.close()
    monkeypatch.setattr(sys, "stdout", full)
    leaving.leave(2)
    assert ended[2:] == ["files removed"]
