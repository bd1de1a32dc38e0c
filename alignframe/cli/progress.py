"""Signs of life on standard error: a spinner, counts that tick, and a bar over threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor, wait
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status

_TURN = 0.2
PATIENCE = 2.0
"""Seconds before a progress bar appears."""


@cache
def error_console() -> Console:
    """Return the console of standard error."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)


class Spinner:
    """A sign of life, shown where a command takes longer than two seconds without a bar."""

    def __init__(self) -> None:
        self._status: Status | None = None
        self._text = "Working ..."
        self._timer = threading.Timer(PATIENCE, self._show)
        self._timer.daemon = True
        self._lock = threading.Lock()
        self._over = False
        self.compiles = False

    def start(self) -> None:
        """Start waiting."""
        self._timer.start()

    def _show(self) -> None:
        with self._lock:
            if not self._over:
                self._status = error_console().status(self._text)
                self._status.start()

    def say(self, text: str) -> None:
        """Say what is being done, from now on."""
        with self._lock:
            self._text = text
            if self._status:
                self._status.update(text)

    def stop(self) -> None:
        """Give way to something else that is printed."""
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
    """Say, once, that kernels are being compiled."""
    if not spinner().compiles:
        spinner().compiles = True
        spinner().say("Compiling kernels for this machine ...")
        error_console().print(
            "compiling kernels for this machine, once (alignframe warmup compiles them all) ...",
            style="dim",
        )


def ticking(
    items: Iterable[Any], text: str, size: Callable[[Any], int], what: str = "sentences"
) -> Iterator[Any]:
    """Pass items on; after two seconds show how much has gone by."""
    from rich.progress import Progress, SpinnerColumn, TextColumn

    bar = Progress(
        SpinnerColumn(), TextColumn("{task.description}"), console=error_console(), transient=True
    )
    task = bar.add_task(text, total=None)
    start, done, shown = time.monotonic(), 0, False
    try:
        for item in items:
            yield item
            done += size(item)
            bar.update(task, description=f"{text}: {done:,} {what}")
            if not shown and time.monotonic() - start > PATIENCE:
                spinner().stop()
                bar.start()
                shown = True
    finally:
        if shown:
            bar.stop()


class ProgressExecutor(Executor):
    """Threads whose ``map`` shows a progress bar once it takes longer than two seconds."""

    def __init__(self, threads: int, text: str) -> None:
        self._pool = ThreadPoolExecutor(threads)
        self._text = text

    def map(  # type: ignore[override]
        self, function: Callable[[Any], Any], items: Iterable[Any]
    ) -> Iterator[Any]:
        """Run the function over the items, and yield its results in order."""
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        waiting = list(items)
        bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            console=error_console(),
            transient=True,
        )
        task = bar.add_task(self._text, total=len(waiting))
        start, shown = time.monotonic(), False
        futures = [self._pool.submit(function, item) for item in waiting]
        futures.reverse()
        try:
            while futures:
                # Waiting in short turns, so that an interruption is heard at once.
                wait(futures[-1:], timeout=_TURN)
                if not shown and time.monotonic() - start > PATIENCE:
                    spinner().stop()
                    bar.start()
                    shown = True
                if futures[-1].done():
                    bar.advance(task)
                    yield futures.pop().result()
        finally:
            for future in futures:
                future.cancel()
            if shown:
                bar.stop()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """Run one call."""
        return self._pool.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Stop the threads."""
        self._pool.shutdown(wait, cancel_futures=cancel_futures)
