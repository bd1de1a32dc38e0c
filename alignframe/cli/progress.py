"""Progress on standard error: a spinner, running counts, and a bar over threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import wait
from contextlib import ExitStack, suppress
from functools import cache
from typing import TYPE_CHECKING, Self, TypeVar

from alignframe.core.parallel import ThreadPool
from alignframe.errors import printable

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import Console
    from rich.progress import Progress
    from rich.status import Status

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")
_TURN = 0.2
PATIENCE = 2.0
"""Seconds before a progress bar appears."""


@cache
def error_console() -> Console:
    """Return the console of standard error."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)


def plainly(text: str, *, lines: bool = False) -> str:
    """Return a text as Rich prints it: controls and square brackets are escaped.

    With ``lines``, it may have several.
    """
    from rich.markup import escape

    return escape(printable(text, lines=lines))


class Spinner:
    """A spinner, shown if a command takes longer than two seconds without a bar."""

    def __init__(self) -> None:
        self._status: Status | None = None
        self._text = "Working ..."
        self._timer = threading.Timer(PATIENCE, self._show)
        self._timer.daemon = True
        self._lock = threading.Lock()
        self._over = False
        self.compiles = False

    def start(self) -> None:
        """Start waiting, unless there may be no more threads."""
        with suppress(RuntimeError):
            self._timer.start()

    def _show(self) -> None:
        with self._lock:
            if not self._over:
                status = error_console().status(plainly(self._text))
                with suppress(RuntimeError):  # no thread for it
                    status.start()
                    self._status = status

    def say(self, text: str) -> None:
        """Set the message."""
        with self._lock:
            self._text = text
            if self._status:
                self._status.update(plainly(text))

    def stop(self) -> None:
        """Stop, to make way for other output."""
        self._timer.cancel()
        with self._lock:
            self._over = True
            if self._status:
                self._status.stop()


@cache
def spinner() -> Spinner:
    """Return the command's only spinner."""
    return Spinner()


def say_compiling() -> None:
    """Announce once that kernels are being compiled."""
    if not spinner().compiles:
        spinner().compiles = True
        spinner().say("Compiling kernels for this machine ...")
        error_console().print(
            "compiling kernels for this machine, once (alignframe warmup compiles them all) ...",
            style="dim",
        )


def counting(text: str, what: str) -> Callable[[int, int], None]:
    """Return a callback that shows progress in the spinner's message."""

    def progress(done: int, of: int) -> None:
        spinner().say(f"{text}: {done:,} of {of:,} {what}" if done < of else "Working ...")

    return progress


def ticking(
    items: Iterable[_Item], text: str, size: Callable[[_Item], int], what: str = "sentences"
) -> Iterator[_Item]:
    """Yield items; after two seconds, show how many have passed."""
    start, done = time.monotonic(), 0
    with ExitStack() as shown:
        bar: Progress | None = None
        for item in items:
            yield item
            done += size(item)
            if bar is None and time.monotonic() - start > PATIENCE:
                bar = shown.enter_context(_bar(text, None))
            if bar:
                bar.update(bar.task_ids[0], description=plainly(f"{text}: {done:,} {what}"))


class Counter:
    """Counts of what is done, with the time left; shown after two seconds."""

    def __init__(self) -> None:
        self._start, self._said = time.monotonic(), ""
        self._shown = ExitStack()
        self._bar: Progress | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._shown.close()

    def show(self, text: str, done: int, total: int | None) -> None:
        """Show that ``done`` sentences of ``total`` are done, or of an unknown number."""
        if text != self._said:
            self._shown.close()
            self._start, self._said, self._bar = time.monotonic(), text, None
        if self._bar is None and time.monotonic() - self._start > PATIENCE:
            self._bar = self._shown.enter_context(_bar(text, total))
        if self._bar:
            counted = text if total else f"{text}: {done:,} sentences"
            task = self._bar.task_ids[0]
            self._bar.update(task, completed=done, description=plainly(counted))

    def over(
        self, batches: Iterable[pa.RecordBatch], text: str, total: int | None
    ) -> Iterator[pa.RecordBatch]:
        """Yield batches, and show their rows."""
        done = 0
        for batch in batches:
            yield batch
            done += batch.num_rows
            self.show(text, done, total)


def _bar(text: str, total: int | None) -> Progress:
    """Return a bar that counts to a total, or a spinner without one; imports Rich, slowly."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    spinner().stop()
    said = TextColumn("{task.description}")
    counted = [
        said,
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
    ]
    columns = [SpinnerColumn(), said] if total is None else counted
    console = error_console()
    # Outside a terminal, Rich would leave an empty line.
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    bar.add_task(plainly(text), total=total)
    return bar


class ProgressExecutor(ThreadPool):
    """Threads whose ``map`` shows a progress bar once it takes longer than two seconds."""

    def __init__(self, threads: int, text: str) -> None:
        super().__init__(threads)
        self._text = text

    def map(  # type: ignore[override]
        self, function: Callable[[_Item], _Result], items: Iterable[_Item]
    ) -> Iterator[_Result]:
        """Run the function over the items, and yield its results in order."""
        start = time.monotonic()
        futures = [self.submit(function, item) for item in items]
        total = len(futures)
        # Taken from the end, so that each is dropped, and its result freed, once it was yielded.
        futures.reverse()
        with ExitStack() as shown:
            shown.callback(lambda: [future.cancel() for future in futures])
            bar: Progress | None = None
            while futures:
                # Wait in short intervals, so that an interruption takes effect at once.
                wait(futures[-1:], timeout=_TURN)
                if bar is None and time.monotonic() - start > PATIENCE:
                    bar = shown.enter_context(_bar(self._text, total))
                if futures[-1].done():
                    if bar:
                        bar.update(bar.task_ids[0], completed=total - len(futures) + 1)
                    yield futures.pop().result()
