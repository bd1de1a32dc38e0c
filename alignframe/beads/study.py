"""Comparing aligners under noise, as in table 1 of Zaidan & Chowdhary 2013."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
import pyarrow as pa

from alignframe.beads.align import UNSURE, aligned
from alignframe.beads.document import document
from alignframe.beads.learning import checked_model, given_text
from alignframe.beads.measure import COUNTS, beads_measure
from alignframe.beads.noise import noise
from alignframe.beads.scenarios import Setting, name_of, read_scenarios
from alignframe.beads.score import score
from alignframe.beads.translations import Known
from alignframe.core.schemas import SPANS
from alignframe.core.signatures import whole_signature, within
from alignframe.errors import DataWarning, check_keywords
from alignframe.options import checked
from alignframe.options.beads import Options, for_noise, taken_by
from alignframe.sources.texts import text_array
from alignframe.studies.runner import Runner, digest
from alignframe.typing import (
    Arguments,
    BelowOne,
    FilePath,
    Inside,
    IntoSentences,
    IntoWordModel,
    Progress,
    Rare,
    Seed,
    Threads,
)

THRESHOLD = 0.99
SKIP = 0.02
"""The options of the paper's aligners without tuning (section 5.1.1)."""

MEASURES = (
    *("pair_precision", "pair_recall", "strict_precision", "strict_recall", "strict_f"),
    *("lax_precision", "lax_recall", "lax_f", "alignment_rate"),
)
"""The measures of a row; see ``beads.score``."""


@checked
def study(
    src: IntoSentences,
    tgt: IntoSentences,
    *,
    scenarios: Sequence[str] | Sequence[Setting] | str = ("paper",),
    methods: Sequence[str] | str = ("len", "mre"),
    model: IntoWordModel | None = None,
    seed: Seed = 1,
    corpus: str = "corpus",
    other: IntoSentences | None = None,
    folder: FilePath | None = None,
    threads: Threads = None,
    progress: Progress | None = None,
    threshold: BelowOne | None = THRESHOLD,
    skip: Rare[Inside | None] = SKIP,
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
    folder
        Folder for the rows of finished scenarios, from which an interrupted study resumes.
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
        If an argument is wrong, mre+ has no model, or the folder belongs to another study; this is
        checked before anything is aligned.

    Examples
    --------
    >>> from alignframe import beads, formats
    >>> src, tgt = (formats.read_sentences(f"datasets/en-fr/text.{one}") for one in ("en", "fr"))
    >>> found = beads.study(src, tgt, scenarios=["clean", "delete:0.1"], methods="len")
    >>> found.select("scenario", "method", "n_gold_pairs").rows()
    [('clean', 'len', 72), ('delete', 'len', 58)]
    """
    check_keywords(study, options, taken_by())
    methods = [methods] if isinstance(methods, str) else methods
    known = checked_model(methods, model)
    options |= {"threshold": threshold, "skip": skip}
    chosen = [
        for_noise(method, **_own(method, methods, options)) for method in dict.fromkeys(methods)
    ]
    further = None if other is None else text_array(other)
    wanted = read_scenarios(scenarios, other=other is not None)
    unit = options.get("unit") or "words"  # of the noise; methods have their own
    task = _Task(*given_text(src, tgt), further, seed, corpus, unit, chosen, known)
    runs = Runner(folder, task.mark).rows(
        task.run,
        {name_of(setting): setting for setting in wanted},
        threads,
        progress,
    )
    return task.scores(pl.concat(runs.values()))


def _own(method: str, methods: Sequence[str], options: Arguments) -> Arguments:
    """Return the options of a method: without a threshold or others that suit only others."""
    others = {name for other in methods for name in taken_by(other)} - {*taken_by(method)}
    if method in UNSURE:
        others.add("threshold")
    return {name: value for name, value in options.items() if name not in others}


# Stands for a method in the rows with the correct beads.
_GOLD = "gold"


@dataclass(frozen=True)
class _Task:
    """What all scenarios share."""

    src: pa.Array
    tgt: pa.Array
    other: pa.Array | None
    seed: int
    corpus: str
    unit: str
    options: list[Options]
    model: Known | None

    @property
    def mark(self) -> str:
        """Every choice and text that rows depend on."""
        model = self.model
        return whole_signature(
            f"study:beads|corpus:{self.corpus}|seed:{self.seed}|unit:{self.unit}",
            *(f"{options.method}:{within(_signature(options))}" for options in self.options),
            f"text:{digest([self.src, self.tgt])}",
            "" if self.other is None else f"other:{digest([self.other])}",
            "" if model is None else f"model:{digest(vars(model).values())}",
        )

    def run(self, setting: Setting) -> pl.DataFrame:
        """Return the beads of each method in the noisy document of a scenario, and gold's."""
        scenario, src_rate, tgt_rate = setting
        noisy = noise(
            scenario,
            self.src,
            self.tgt,
            src_rate=src_rate,
            tgt_rate=tgt_rate,
            seed=self.seed,
            other=self.other if scenario == "different" else None,
            unit=self.unit,
            words=self.options[0].words,
        )
        doc = name_of(setting)
        rows: list[tuple[Any, ...]] = [(_GOLD, None, _spans(noisy.gold))]
        for options in self.options:
            start = time.perf_counter()
            # A new document each time, so that no method profits from words split for another.
            text = document(noisy.src, noisy.tgt, options.words, doc)
            model = self.model if options.method == "mre+" else None
            beads = aligned(text, options, model)
            rows.append((options.method, time.perf_counter() - start, _spans(beads)))
        keys = {"doc": doc, **setting._asdict(), "n_src": len(noisy.src), "n_tgt": len(noisy.tgt)}
        frame = pl.DataFrame(rows, ["method", "seconds", "beads"], orient="row")
        return frame.select(*(pl.lit(value).alias(name) for name, value in keys.items()), pl.all())

    def scores(self, runs: pl.DataFrame) -> pl.DataFrame:
        """Score all runs at once, as documents of every method."""
        beads = {
            method: runs.filter(method=method)
            .select("doc", "beads")
            .explode("beads")
            .drop_nulls("beads")
            .unnest("beads")
            for method in (_GOLD, *(options.method for options in self.options))
        }
        gold = beads.pop(_GOLD)
        figures = scored(beads, gold, runs.filter(method=_GOLD).select("doc", "n_src", "n_tgt"))
        marks = {options.method: _signature(options) for options in self.options}
        return (
            runs.filter(pl.col("method") != _GOLD)
            .join(figures, left_on=["method", "doc"], right_on=["system", "doc"], how="left")
            .select(
                pl.lit(self.corpus).alias("corpus"),
                *Setting._fields,
                pl.lit(self.seed, pl.UInt64).alias("seed"),
                *("method", *COUNTS, *MEASURES, "seconds"),
                pl.col("method").replace_strict(marks).alias("signature"),
            )
        )


def _spans(beads: pa.Table | pl.DataFrame) -> pl.Series:
    return pl.DataFrame(beads.select(SPANS)).to_struct()


def scored(hyp: dict[str, pl.DataFrame], gold: pl.DataFrame, lengths: pl.DataFrame) -> pl.DataFrame:
    """Return system, doc, ``COUNTS`` and ``MEASURES`` of documents of the given lengths."""
    # A system without beads for a document is a result here, not a mistake.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        figures = score(hyp, gold, by="doc", lengths=lengths).scores
    return figures.select("system", "doc", *COUNTS, *MEASURES)


def _signature(options: Options) -> str:
    model = "|model:given" if options.method == "mre+" else ""
    measured = beads_measure(lengths=True).signature("by:doc").partition("|")[2]
    return f"{options.signature}{model}|{measured}"
