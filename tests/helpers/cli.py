"""Runs the command line in this process, to save time."""

import contextlib
import io
import json
import sys
import warnings
from typing import NamedTuple

import pytest

from alignframe.cli import main, progress


class Printed(NamedTuple):
    stdout: str
    stderr: str


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def run(*words, code=0, folder="."):
    """Return what a command, run in a folder, writes to standard output and standard error."""
    done = finished(*words, folder=folder)
    assert done.returncode == code, done.stderr
    return Printed(done.stdout, done.stderr)


def finished(*words, folder=".", given=None):
    """Return the exit status of a command, and what it writes to its two outputs."""
    out, error = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(sys, "argv", ["alignframe", *map(str, words)])
        if given is not None:
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), "utf-8"))
        patch.setenv("NO_COLOR", "1")
        patch.delenv("FORCE_COLOR", raising=False)
        patch.setattr(progress, "PATIENCE", 600.0)  # no progress bar on a slow machine
        patch.setattr(sys.modules["__main__"], "__package__", None)  # the name in usage lines
        progress.spinner.cache_clear()
        progress.error_console.cache_clear()
        with (
            warnings.catch_warnings(),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(error),
            pytest.raises(SystemExit) as end,
        ):
            main()
    printed, said = (stream.buffer.getvalue().decode() for stream in (out, error))
    return Done(end.value.code or 0, printed, said)


def replaced(words, *later):
    """Return the words of a command, with later options of one value in place of earlier ones."""
    kept = list(words)
    for option in later:
        if str(option).startswith("-") and option in kept:
            at = kept.index(option)
            del kept[at : at + 2]
    return [*kept, *later]


def json_of(text):
    """Return the output of ``--json``: the rows of the only table, or the tables by name.

    The signature is added to each row; a summary is one object, with other tables in it.
    """
    found = json.loads(text)
    found.pop("read", None)  # what was guessed
    assert list(found) == ["signature", "tables"]
    tables = found["tables"]
    mark = {} if found["signature"] is None else {"signature": found["signature"]}
    if len(tables.get("summary", ())) == 1:
        (summary,) = tables.pop("summary")
        return {**summary, **tables, **mark}
    if len(tables) > 1:
        return {**tables, **mark}
    ((_, rows),) = tables.items()
    return [{**row, **mark} for row in rows]
