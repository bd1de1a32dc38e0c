"""A progress bar over training iterations."""

from __future__ import annotations

import time
from typing import Self

from alignframe.cli import progress


class Stopped(Exception):  # noqa: N818  (no error: whoever trains was told to stop)
    """Raised in threads that still train after the command was interrupted."""


class IterationBar:
    """A bar over iterations with the time left, shown after two seconds.

    ``words`` has the number of words by which log-likelihoods are divided, by whether the direction
    is the reverse.
    """

    def __init__(self, total: int, words: tuple[int, int]) -> None:
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        self._words = words
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(compact=True),
            console=progress.error_console(),
            transient=True,
            disable=not progress.error_console().is_terminal,
        )
        self._task = self._bar.add_task("", total=total)
        self._start = time.monotonic()
        self._done, self._total, self._shown = 0, total, False
        self._over = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._over = True
        if self._shown:
            self._bar.stop()

    def show(self, stage: str, iteration: int, log_likelihood: float) -> None:
        """Show a finished iteration, and the log-likelihood before it.

        Once the bar has ended, this raises ``Stopped``, to stop samplers that still run in threads
        after an interruption.
        """
        if self._over:
            raise Stopped
        self._done += 1
        self._total = max(self._total, self._done)
        mean = log_likelihood / max(self._words[stage.endswith("-reverse")], 1)
        said = f"{stage} {iteration}, log p of a word {mean:.3f}"
        self._bar.update(self._task, description=said, completed=self._done, total=self._total)
        if not self._shown and time.monotonic() - self._start > progress.PATIENCE:
            progress.spinner().stop()
            self._bar.start()
            self._shown = True
