"""``alignframe tesla stream``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from alignframe.cli import heed_interrupts
from alignframe.cli.progress import spinner
from alignframe.errors import InputError


def stream(ref: list[Path], metric: str = "m", *, encoding: str = "utf-8", **options: Any) -> None:
    """Score candidates from standard input as they arrive, one score per line, for tuners.

    A line 'N ||| text' is scored against line N of the references, counted from 0; other lines take
    the references in turn, and start over after the last.

    Parameters
    ----------
    metric
        See ``tesla.score.score``.
    **options
        See ``tesla.score.score``.
    """
    if Path("-") in ref:
        raise InputError(
            "--ref -, where candidates come from standard input", expected="a file's name"
        )
    from alignframe.tesla.scorer import scorer_of
    from alignframe.tesla.stream import Stream

    del options["progress"]
    stream = Stream(ref, scorer_of(metric, **options), encoding)
    heed_interrupts()
    spinner().stop()
    stream.serve(sys.stdin.buffer, sys.stdout.buffer)
