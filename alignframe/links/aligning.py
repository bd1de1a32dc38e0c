"""Running any aligner on a pair of text files, unless its links exist already."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from string import Formatter
from typing import NoReturn

import numpy as np
import pyarrow as pa

from alignframe import formats
from alignframe.errors import InputError, number_of
from alignframe.formats.rows import check_range
from alignframe.read.lines import TextFile

Function = Callable[[str, str, str], object]
"""An aligner in Python: takes the paths of the source text, the target text and the output."""

PLACES = ("src", "tgt", "out")
_TAIL_LINES = 8
_TAIL_BYTES = 4096


class Aligner:
    """A command or a Python function that aligns two files of text.

    A command has ``{src}``, ``{tgt}`` and ``{out}``; a function takes these three paths. Either
    reads line-parallel text and writes a line of links ``0-0 1-2`` per sentence pair, the side of
    ``src`` first, positions from 0.
    """

    def __init__(self, given: str | Function) -> None:
        self.function: Function | None = None
        self.words: list[str] = []
        if callable(given):
            self.function = given
            kind = given if hasattr(given, "__qualname__") else type(given)
            self.name = f"{kind.__module__}.{kind.__qualname__}"
        else:
            self.words, self.name = _words_of(given), given

    def command(self, src: Path, tgt: Path, out: Path) -> list[str]:
        """Return the command's words with paths filled in."""
        return [word.format(src=src, tgt=tgt, out=out) for word in self.words]


def _words_of(template: str) -> list[str]:
    """Split and check a command."""
    try:
        words = shlex.split(template)
        parts = [part for word in words for part in Formatter().parse(word)]
    except ValueError as error:
        raise InputError(
            f"the aligner {template!r}: {error}",
            expected="a command as typed in a shell",
            todo="double all other braces: {{ and }}",
        ) from None
    places = {
        f"{place}{f'!{how}' if how else ''}{f':{form}' if form else ''}"
        for _, place, form, how in parts
        if place is not None
    }
    unknown = sorted(places - set(PLACES))
    if unknown:
        raise InputError(
            f"the aligner {template!r} has a place {{{unknown[0]}}}",
            expected="no places except {src}, {tgt} and {out}",
            todo="double all other braces: {{ and }}",
        )
    missing = [place for place in PLACES if place not in places]
    if missing:
        raise InputError(
            f"the aligner {template!r} has no place {{{missing[0]}}}",
            expected="places for the texts {src} and {tgt} and for the links, {out}",
        )
    if shutil.which(words[0]) is None:
        raise InputError(
            f"the aligner {words[0]!r} is not a program on this machine",
            todo="install it, or give its path",
        )
    return words


@dataclass(frozen=True)
class Task:
    """One run of an aligner over one piece; log and refused links are next to its output."""

    aligner: Aligner
    src: Path
    tgt: Path
    out: Path  # the file of links
    label: str

    @property
    def log(self) -> Path:
        """The aligner's output."""
        return self.out.with_suffix(".log")

    @property
    def attempt(self) -> Path:
        """Where the aligner writes; invalid links stay there."""
        return self.out.with_suffix(".attempt")


def align(task: Task) -> bool:
    """Run the aligner unless its links exist; return whether it ran."""
    if task.out.exists() and _lines(task.out) == _lines(task.src):
        return False
    task.attempt.unlink(missing_ok=True)
    if task.aligner.function is not None:
        try:
            task.aligner.function(str(task.src), str(task.tgt), str(task.attempt))
        except Exception as error:
            error.add_note(f"The aligner was on {task.label}.")
            raise
    else:
        _run_command(task)
    # Links get their name once they are complete and checked: an interrupted aligner runs again.
    formats.write(_checked(task).to_batches(), task.out, "pharaoh")
    task.attempt.unlink()
    return True


def _run_command(task: Task) -> None:
    command = task.aligner.command(task.src, task.tgt, task.attempt)
    with task.log.open("wb") as log:
        try:
            program = subprocess.Popen(  # noqa: S603 - the user's own command, and no shell
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        except OSError as error:
            _refuse(task, f"the aligner cannot be run ({error.strerror})")
        _running.add(program)
        try:
            status = program.wait()
        except BaseException:
            program.kill()
            program.wait()
            raise
        finally:
            _running.discard(program)
    # As subprocess has it, a negative status is the number of a signal.
    if status < 0:
        _refuse(task, f"the aligner was ended by signal {-status}")
    if status:
        _refuse(task, f"the aligner ended with status {status}")


_running: set[subprocess.Popen[bytes]] = set()


def stop() -> None:
    """End the aligners that this process runs."""
    for program in list(_running):
        program.terminate()


def _checked(task: Task) -> pa.Table:
    """Return the aligner's links, checked."""
    if not task.attempt.is_file():
        _refuse(task, "the aligner wrote no links")
    lengths = [
        np.array([len(words) for _, words in TextFile(side, "utf-8").words()], np.int64)
        for side in (task.src, task.tgt)
    ]
    lines = _lines(task.attempt)
    if lines != lengths[0].size:
        text = f"{number_of(lines, 'line')} of links for {lengths[0].size:,} sentence pairs"
        _refuse(task, f"the aligner wrote {text}")
    try:
        table = formats.read(task.attempt, "pharaoh", base=0)
    except InputError as error:
        _refuse(task, f"the aligner wrote no links of the form 0-0 1-2: {error}")
    links = table["links"].combine_chunks()
    outside = check_range(links, np.arange(table.num_rows), *lengths)
    if outside:
        _refuse(task, f"line {outside[0] + 1} of {task.attempt}: {outside[1]}")
    return table


def _refuse(task: Task, fault: str) -> NoReturn:
    """Raise an InputError with the details needed to find the cause."""
    if task.aligner.function is not None:
        raise InputError(
            f"{task.label}: {fault}", expected=f"links of {task.src} in the file it is given"
        )
    command = shlex.join(task.aligner.command(task.src, task.tgt, task.attempt))
    tail = _tail(task.log)
    said = "\n".join(["ends:", *tail]) if tail else "is empty"
    raise InputError(
        f"{task.label}: {fault}",
        todo="fix the aligner and start again; finished alignments are kept\n"
        f"The command was: {command}\nIts log {task.log} {said}",
    )


def _lines(path: Path) -> int:
    """Return the number of lines; the last may lack its newline."""
    number, last = 0, b"\n"
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            number += piece.count(b"\n")
            last = piece[-1:]
    return number + (last != b"\n")


def _tail(path: Path) -> list[str]:
    with path.open("rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - _TAIL_BYTES))
        text = file.read().decode("utf-8", "replace")
    return [f"  {line}" for line in text.rstrip().splitlines()[-_TAIL_LINES:]]
