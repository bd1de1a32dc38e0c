"""Counts of translations against references, for TESLA, BLEU or chrF."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from functools import cache, partial
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Unpack

import polars as pl
import pyarrow as pa

from alignframe.core.choices import EMPTY_ORDERS, TRANSLATION_METRICS
from alignframe.errors import InputError, check_known, plain
from alignframe.lake.counting import beside
from alignframe.lake.job import Job, Settings
from alignframe.lake.marks import marks_of
from alignframe.lake.plan import How, JobOptions
from alignframe.lake.units import Unit
from alignframe.lake.work import Run, run
from alignframe.stats.measure import Measure, combine_measures
from alignframe.typing import FilePath

if TYPE_CHECKING:
    from alignframe.language.analysis import Analysis

_TESLA = threading.Lock()
"""Taggers serve one thread at a time."""

_OF_TESLA = [
    *("features", "pivots", "language_models", "model", "references_combined", "recall_weight"),
    *("empty_order", "function_weight"),
]
"""The options of ``tesla.score`` that change counts."""


def tesla(
    hyp: FilePath,
    ref: FilePath,
    out: FilePath,
    *,
    metric: str = "tesla-m",
    options: Mapping[str, object] | None = None,
    analysis: Mapping[str, object] | None = None,
    **how: Unpack[JobOptions],
) -> Run:
    """Count what TESLA, BLEU or chrF need of translations in a lake.

    Parameters
    ----------
    hyp
        A place with translations: sid and text (or, for TESLA, tokens).
    ref
        A place with one reference per sentence.
    out, how
        See ``alignframe.lake.score``.
    metric
        ``tesla-m``, ``tesla-b``, ``tesla-f``: as in ``tesla score``; ``bleu``, ``chrf``: as in ``mt
        score``.
    options
        Options of ``alignframe.tesla.score`` (pivots, language_models, model and so on) or of
        ``alignframe.mt.score``.
    analysis
        For TESLA, options of ``language.Analysis.of``, such as language and tagger.

    Returns
    -------
    Run
        See ``alignframe.lake.score``.

    Examples
    --------
    >>> import polars as pl
    >>> from alignframe import lake
    >>> pl.DataFrame({"sid": [0], "text": ["the cat sat"]}).write_parquet("text.parquet")
    >>> run = lake.tesla("text.parquet", "text.parquet", "counts", metric="chrf")
    >>> lake.scores("counts")["chrf"].to_list()
    [100.0]
    """
    check_known("metric", metric, TRANSLATION_METRICS)
    from alignframe.mt.measures import MetricOptions, Options

    known = _OF_TESLA if metric.startswith("tesla-") else [*MetricOptions.__annotations__]
    for name in options or ():
        if name not in known:
            raise InputError(
                f"`{name}` with `metric={metric!r}`",
                expected=f"one of {', '.join(f'`{option}`' for option in known)}",
            )
    given = {name: _plain(value) for name, value in (options or {}).items()}
    if known == _OF_TESLA:
        check_known("empty_order", given.get("empty_order", "zero"), EMPTY_ORDERS)
    elif analysis:
        raise InputError(f"a text analysis with {metric}", expected="`analysis` only with TESLA")
    else:
        Options(**given)
    about = {name: _plain(value) for name, value in (analysis or {}).items()}
    settings = {
        "metric": metric,
        "options": given,
        "analysis": about,
        "made_with": marks_of([given, about]),
    }
    return run(JOB, {"hyp": hyp, "ref": ref}, out, settings, How.of(tesla, how))


def _plain(value: object) -> Any:
    """Return an option as JSON can store it."""
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    return fspath(value) if isinstance(value, PathLike) else plain(value)


def _rows(unit: Unit, settings: Settings) -> Iterator[pa.Table]:
    """Yield the counts of every translation of a unit against its reference."""
    return beside(unit, partial(_counted, settings))


def _counted(
    settings: Settings, hyp: Mapping[str, pl.DataFrame], ref: pl.DataFrame
) -> pl.DataFrame:
    metric, options = settings["metric"], settings["options"]
    if not metric.startswith("tesla-"):
        from alignframe import mt

        return mt.score(hyp, ref, metrics=[metric], **options).counts.drop("signature")
    from alignframe import tesla

    with _TESLA:
        scored = tesla.score(
            hyp,
            ref,
            metric[-1],
            analysis=analysis_of(settings["analysis"]),
            **options,
        )
        return scored.counts.drop("signature")


def analysis_of(options: Settings) -> Analysis:
    """Return the text analysis of TESLA, cached by its options."""
    # JSON, since a dict cannot be the key of a cache.
    return _analysis(json.dumps(options))


@cache
def _analysis(options: str) -> Analysis:
    from alignframe.language import Analysis

    return Analysis.of(**json.loads(options))


def _measure(settings: Settings, *, sentences: bool = False) -> Measure:
    """Return the measure of the counts, perhaps those of a single sentence."""
    given = {name: settings[name] for name in ("metric", "options", "analysis")}
    return _made(json.dumps(given), sentences)


@cache
def _made(given: str, sentences: bool) -> Measure:
    settings = json.loads(given)
    metric, options = settings["metric"], settings["options"]
    if not metric.startswith("tesla-"):
        from alignframe.mt.measures import METRICS, Options

        made = Options(**options)
        own = METRICS[metric](made, sentences=sentences).measure
        return combine_measures([own], ("refs:1", *made.shared))
    from alignframe.tesla.scorer import Scorer
    from alignframe.tesla.systems import mean_score

    analysis = analysis_of(settings["analysis"])
    return mean_score(Scorer(analysis, metric[-1], **options).signature(1))


JOB = Job(
    "tesla",
    "counts",
    ("hyp", "ref"),
    _rows,
    _measure,
    partial(_measure, sentences=True),
)
