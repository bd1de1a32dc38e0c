"""Comparing aligners under noise, as in table 1 of Zaidan & Chowdhary 2013."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import polars as pl
import pyarrow as pa

from alignframe.beads.align import UNSURE, aligned
from alignframe.beads.document import document
from alignframe.beads.grid import Setting
from alignframe.beads.learning import checked_model, given_text
from alignframe.beads.measure import COUNTS, beads_measure
from alignframe.beads.noise import noise
from alignframe.beads.scenarios import name_of, read_scenarios
from alignframe.beads.score import scores
from alignframe.beads.translations import Known
from alignframe.errors import DataWarning, check_keywords
from alignframe.executors import mapped, pool_of
from alignframe.options.beads import Options, for_noise, taken_by
from alignframe.read.texts import text_array
from alignframe.tables import SPANS
from alignframe.typing import IntoSentences, IntoWordModel, Progress, Threads

THRESHOLD = 0.99
SKIP = 0.02
"""The options of the paper's aligners without tuning (section 5.1.1)."""

MEASURES = (
    *("pair_precision", "pair_recall", "strict_precision", "strict_recall", "strict_f"),
    *("lax_precision", "lax_recall", "lax_f", "alignment_rate"),
)
"""The measures of a row; see ``beads.score.scores``."""

_ROWS = {
    "corpus": pl.String,
    "scenario": pl.String,
    "src_rate": pl.Float64,
    "tgt_rate": pl.Float64,
    "seed": pl.UInt64,
    "method": pl.String,
    "doc": pl.String,
    "seconds": pl.Float64,
}

"""Called with the numbers of finished and of all parts of the work."""


def study(
    src: IntoSentences,
    tgt: IntoSentences,
    *,
    scenarios: Sequence[str] | Sequence[Setting] | str = ("paper",),
    methods: Sequence[str] | str = ("len", "mre"),
    model: IntoWordModel | None = None,
    seed: int = 1,
    corpus: str = "corpus",
    other: IntoSentences | None = None,
    threads: Threads = None,
    progress: Progress | None = None,
    threshold: float | None = THRESHOLD,
    skip: float | None = SKIP,
    **options: Any,
) -> pl.DataFrame:
    """Align noisy documents made from a parallel text by several methods, and score them.

    Parameters
    ----------
    src, tgt
        Parallel sentences.
    scenarios
        ``paper`` (its 53 scenarios); or clean, delete:0.05:0.1 (rates of source and target),
        combine:0.05, delete and combine (at all of the paper's rates), randomize, length-aligned,
        different (see ``read_scenarios``).
    methods
        Aligners to compare: len, mre, mre+ (with a model), gale-church, lex.
    model
        See ``align``. It should not be trained on this text.
    seed
        Random seed of the noise. The lengths of ``length-aligned`` are those of the aligners.
    corpus
        The name of the text in the table.
    other
        Target sentences of another text, for the scenario ``different``.
    threads
        Number of threads, or an executor of threads or spawned (not forked) processes, to run
        scenarios in parallel; one by default. The result is the same.
    progress
        Called after each scenario with the numbers of finished and of all scenarios.
    threshold
        Score only beads that are more probable than this. gale-church has no threshold, because its
        scores are tail probabilities; its beads are those of the best path.
    skip
        Prior probability of an untranslated sentence, on either side.
    **options
        Fields of ``Options``, for the methods that take them. By default, smoothing is 0.3 for
        mre+.

    Returns
    -------
    polars.DataFrame
        One row per scenario and method: corpus, scenario, src_rate, tgt_rate, seed, method;
        ``COUNTS``; ``MEASURES`` (precision is null where nothing was aligned: the paper's N/A);
        seconds, wall time (the first run in a process includes loading);
        signature.

    Raises
    ------
    InputError
        If an argument is wrong, or mre+ has no model; this is checked before anything is aligned.

    Examples
    --------
    >>> from alignframe import beads, formats
    >>> src, tgt = (formats.read_sentences(f"datasets/en-fr/text.{one}") for one in ("en", "fr"))
    >>> found = beads.study(src, tgt, scenarios=["clean", "delete:0.1"], methods="len")
    >>> found.select("scenario", "method", "n_gold_pairs").rows()
    [('clean', 'len', 72), ('delete', 'len', 58)]
    """
    check_keywords(study, options, taken_by())
    executor = pool_of(threads)
    methods = [methods] if isinstance(methods, str) else methods
    known = checked_model(methods, model)
    options |= {"threshold": threshold, "skip": skip}
    chosen = [
        for_noise(method, **_own(method, methods, options)) for method in dict.fromkeys(methods)
    ]
    further = None if other is None else text_array(other)
    wanted = read_scenarios(scenarios, other=other is not None)
    unit = options.get("unit") or "words"  # of the noise; methods have their own
    run = partial(_run, _Task(*given_text(src, tgt), further, seed, unit, chosen, known))
    runs: list[_Run] = []
    for one in mapped(run, wanted, executor):
        runs.append(one)
        if progress is not None:
            progress(len(runs), len(wanted))
    return _table(runs, chosen, seed, corpus)


def _own(method: str, methods: Sequence[str], options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a method: without a threshold or others that suit only others."""
    others = {name for other in methods for name in taken_by(other)} - {*taken_by(method)}
    if method in UNSURE:
        others.add("threshold")
    return {name: value for name, value in options.items() if name not in others}


@dataclass(frozen=True)
class _Task:
    """Settings shared by all scenarios."""

    src: pa.Array
    tgt: pa.Array
    other: pa.Array | None
    seed: int
    unit: str
    options: list[Options]
    model: Known | None


@dataclass(frozen=True)
class _Run:
    """One scenario: gold, the beads of each method and the seconds each took."""

    setting: Setting
    sizes: tuple[int, int]
    gold: pl.DataFrame
    beads: list[pa.Table]
    seconds: list[float]


def _run(task: _Task, setting: Setting) -> _Run:
    """Make the noisy document of a scenario and align it."""
    scenario, src_rate, tgt_rate = setting
    noisy = noise(
        scenario,
        task.src,
        task.tgt,
        src_rate=src_rate,
        tgt_rate=tgt_rate,
        seed=task.seed,
        other=task.other if scenario == "different" else None,
        unit=task.unit,
        words=task.options[0].words,
    )
    beads, seconds = [], []
    for options in task.options:
        start = time.perf_counter()
        # A new document each time, so that no method profits from words already split for another.
        text = document(noisy.src, noisy.tgt, words=options.words, name=name_of(setting))
        model = task.model if options.method == "mre+" else None
        beads.append(aligned(text, options, model))
        seconds.append(time.perf_counter() - start)
    return _Run(setting, (len(noisy.src), len(noisy.tgt)), noisy.gold, beads, seconds)


def _table(runs: list[_Run], chosen: list[Options], seed: int, corpus: str) -> pl.DataFrame:
    """Score all runs at once, as documents of every method."""
    rows = pl.DataFrame(
        [
            (corpus, *run.setting, seed, options.method, name_of(run.setting), seconds)
            for run in runs
            for options, seconds in zip(chosen, run.seconds, strict=True)
        ],
        schema=_ROWS,
        orient="row",
    )
    found = scored(
        {
            options.method: pl.concat([_beads(run.beads[k], run.setting) for run in runs])
            for k, options in enumerate(chosen)
        },
        pl.concat([_beads(run.gold, run.setting) for run in runs]),
        {name_of(run.setting): run.sizes for run in runs},
    )
    marks = {options.method: _signature(options) for options in chosen}
    return (
        rows.join(found, left_on=["method", "doc"], right_on=["system", "doc"], how="left")
        .with_columns(pl.col("method").replace_strict(marks).alias("signature"))
        .select(
            *("corpus", "scenario", "src_rate", "tgt_rate", "seed", "method"),
            *(*COUNTS, *MEASURES, "seconds", "signature"),
        )
    )


def scored(
    hyp: dict[str, pl.DataFrame], gold: pl.DataFrame, sizes: dict[str, tuple[int, int]]
) -> pl.DataFrame:
    """Return system, doc, ``COUNTS`` and ``MEASURES`` of documents of the given lengths.

    Here a system without beads for a document is a result, so there is no warning.
    """
    lengths = pl.DataFrame(
        [(doc, *size) for doc, size in sizes.items()],
        schema={"doc": pl.String, "n_src": pl.Int64, "n_tgt": pl.Int64},
        orient="row",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        found = scores(hyp, gold, by="doc", lengths=lengths)
    return found.select("system", "doc", *COUNTS, *MEASURES)


def _beads(table: pa.Table | pl.DataFrame, setting: Setting) -> pl.DataFrame:
    """Return beads with their scenario as document name."""
    spans = pl.DataFrame(table.select(SPANS))
    return spans.select(pl.lit(name_of(setting)).alias("doc"), *SPANS)


def _signature(options: Options) -> str:
    model = "|model:given" if options.method == "mre+" else ""
    measured = beads_measure(lengths=True).signature("by:doc").partition("|")[2]
    return f"{options.signature}{model}|{measured}"
