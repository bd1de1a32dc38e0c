"""``alignframe tesla stream``."""

from __future__ import annotations

import sys

from alignframe.cli.analysis_options import AnalysisOptions
from alignframe.cli.progress import spinner
from alignframe.cli.tesla_metric import MetricOptions
from alignframe.errors import InputError


def stream(
    *,
    options: AnalysisOptions,
    metric: MetricOptions,
    ref: list[str],
    encoding: str,
) -> None:
    """Score candidates from standard input as they arrive, one score per line, for tuners.

    A line 'N ||| text' is scored against line N of the references, counted from 0; other lines take
    the references in turn, and start over after the last.
    """
    if "-" in ref:
        raise InputError(
            "--ref -, where candidates come from standard input", expected="a file's name"
        )
    from pathlib import Path

    from alignframe.tesla.scorer import Scorer
    from alignframe.tesla.stream import Stream

    scorer = Scorer(options.analysis(metric.metric, metric.model), **metric.given())
    stream = Stream([Path(path) for path in ref], scorer, encoding)
    spinner().stop()
    stream.serve(sys.stdin.buffer, sys.stdout.buffer)
