"""Standard streams that are closed, and threads that the system does not allow."""

import os
import subprocess
import sys
import threading
from concurrent.futures import wait
from contextlib import contextmanager
from pathlib import Path

import pytest
from helpers.cli import finished, run

from alignframe.core.output import replacing
from alignframe.core.parallel import ThreadPool
from alignframe.errors import InputError

EN_FR = Path(__file__).resolve().parents[2] / "datasets" / "en-fr"
GOLD = str(EN_FR / "gold.talp")
CLOSED = "standard output: is closed; expected a file, a pipe or a terminal"


@contextmanager
def no_more_threads():
    """Ask for stacks that no machine has."""
    before = threading.stack_size(1 << 46)
    try:
        yield
    finally:
        threading.stack_size(before)


@pytest.mark.skipif(sys.platform == "win32", reason="numbers of streams")
def test_a_closed_standard_output_is_told_but_files_are_written_without_any_stream(tmp_path):
    def closing(streams, *words):
        command = f'exec "$0" -m alignframe "$@" {streams}'
        done = subprocess.run(
            ["sh", "-c", command, sys.executable, *words],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
        )
        return done.returncode, done.stderr

    assert closing(">&-", "--version") == (2, f"error: {CLOSED}\n")
    # Files that are opened would have the numbers of the streams.
    assert closing("<&- >&- 2>&-", "convert", GOLD, "out.talp") == (0, "")
    assert (tmp_path / "out.talp").read_bytes() == Path(GOLD).read_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="pipes")
@pytest.mark.parametrize(("words", "code"), [(("-o", "out.csv"), 0), (("--sids", "none"), 2)])
def test_a_message_that_nobody_can_read_changes_no_status(words, code, tmp_path):
    reads, writes = os.pipe()
    os.close(reads)
    given = "links", "score", "--gold", GOLD, "--hyp", GOLD, *words
    with open(writes, "wb") as unread:
        done = subprocess.run(
            [sys.executable, "-m", "alignframe", *given],
            stdout=subprocess.PIPE,
            stderr=unread,
            check=False,
            cwd=tmp_path,
        )
    assert done.returncode == code
    assert (tmp_path / "out.csv").exists() == (not code)


def test_python_without_standard_output_tells_it(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(InputError, match=f"^{CLOSED}$"), replacing("-"):
        pass


@pytest.mark.parametrize(
    "words",
    [
        ("convert", "-", "-"),
        ("tesla", "stream", "--ref", EN_FR / "text.en", "--tokens", "spaces"),
        ("lexicon", "induce", "-", EN_FR / "text.fr"),
    ],
)
def test_a_closed_standard_input_is_told(words, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    done = finished(*words)
    assert done.returncode == 2
    assert done.stderr.endswith(
        "standard input is closed; expected a file, or a pipe into the command\n"
    )


def test_work_goes_on_with_the_threads_that_there_are():
    with ThreadPool(8) as pool:
        first = threading.Event()
        waiting = pool.submit(first.wait, 60)
        with no_more_threads():
            others = [pool.submit(threading.get_ident) for _ in range(8)]
            assert not wait(others, timeout=0.01).done
            first.set()
            assert len({one.result() for one in [waiting, *others][1:]}) == 1
    with no_more_threads(), ThreadPool(8) as pool, pytest.raises(RuntimeError, match="thread"):
        pool.submit(print)


def test_no_threads_at_all_are_told():
    with no_more_threads():
        said = run(
            "align", EN_FR / "text.en", EN_FR / "text.fr", "-o", "-", "--threads", 2, code=2
        ).stderr
    assert said == (
        "error: no more threads can be started: the limit of the user or the container is "
        "reached; use fewer (--threads 1 and POLARS_MAX_THREADS=1 in the environment), or raise "
        "the limit (ulimit -u)\n"
    )
