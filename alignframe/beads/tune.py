"""Tuning an aligner on noise (Zaidan & Chowdhary 2013, section 5.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from typing import Any

import polars as pl

from alignframe.beads.learning import checked_model, given_text, learn_words
from alignframe.beads.noise import RATED, noise
from alignframe.beads.scenarios import Setting, check_rates, name_of
from alignframe.beads.study import SKIP, THRESHOLD
from alignframe.beads.trials import Figures, Trial
from alignframe.core.choices import SCENARIOS
from alignframe.errors import InputError, check_keywords, check_known, number_of
from alignframe.options import checked
from alignframe.options.beads import TRIED, Options, for_noise, taken_by
from alignframe.result import Result
from alignframe.studies.runner import Runner, digest
from alignframe.typing import (
    BelowOne,
    FilePath,
    Inside,
    IntoSentences,
    IntoWordModel,
    Progress,
    Rare,
    Seed,
    Share,
    Threads,
)

PAPER = ("skip", "band", "threshold")
"""The parameters tuned in the paper: PRIOR, SIZE and THRESHOLD."""

GRID: Mapping[str, tuple[float, ...]] = {name: TRIED[name] for name in PAPER} | TRIED
"""The values tried for each parameter."""

RATE = 0.2
"""The rate of noise on both sides."""

_PLACE = ("corpus", "scenario", "rate")
_FOUND = ("tuning_precision", "tuning_recall", "precision", "recall", "met")


@dataclass(frozen=True, repr=False)
class Tuned(Result):
    """The result of tuning.

    Attributes
    ----------
    best
        One row with nothing tuned (none), one per parameter tuned alone, and one for all together
        (all): corpus; scenario and rate (of the source side's noise); tuned; skip, band, threshold
        (the paper's PRIOR, SIZE and THRESHOLD) and other tuned parameters; tuning_precision and
        tuning_recall of sentence pairs on the tuning set; precision and recall on the evaluation
        set; met, whether tuning_precision is at least ``min_precision``: if not, no setting of the
        row reaches it.
    tried
        One row per setting, on the tuning set: the parameters, precision, recall and
        alignment_rate.
    parts
        The sentence pairs of each part as a half-open range from 0: ``model`` (if Model 1 was
        trained), ``tuning`` and ``evaluation``.
    noise
        The scenario, and its rates.
    signature
        The choices that affect the scores.

    Examples
    --------
    >>> from alignframe import beads, formats
    >>> src, tgt = (formats.read_sentences(f"datasets/en-fr/text.{one}") for one in ("en", "fr"))
    >>> found = beads.tune(src[:10], tgt[:10], method="len", parameters=["skip"])
    >>> found.noise.scenario, found.parts
    ('delete', {'tuning': (0, 5), 'evaluation': (5, 10)})
    """

    best: pl.DataFrame
    tried: pl.DataFrame
    parts: dict[str, tuple[int, int]]
    noise: Setting
    signature: str


@checked
def tune(
    src: IntoSentences,
    tgt: IntoSentences,
    *,
    method: str = "mre+",
    scenario: str = "delete",
    rate: BelowOne | None = None,
    model: IntoWordModel | None = None,
    parameters: Sequence[str] = PAPER,
    grid: Mapping[str, Sequence[float]] | None = None,
    min_precision: Share = 0.98,
    seed: Seed = 1,
    corpus: str = "corpus",
    folder: FilePath | None = None,
    threads: Threads = None,
    progress: Progress | None = None,
    threshold: BelowOne = THRESHOLD,
    skip: Rare[Inside] = SKIP,
    **options: Any,
) -> Tuned:
    """Tune an aligner on one part of a parallel text with noise, and evaluate it on another.

    Every combination of values is tried on the tuning set. Among those that change only the tuned
    parameters, the best has the highest recall of sentence pairs at a precision of at least
    ``min_precision``, or the highest precision if none reaches it. Ties go to the untuned setting,
    then to the first.

    Parameters
    ----------
    src, tgt
        Parallel sentences. The first half is the tuning set, the second the evaluation set; for
        mre+ without a model, Model 1 is trained on the first third, and the other two are the sets.
    method
        The aligner to tune (see ``Options``).
    scenario
        Kind of noise (see ``noise``), but not different.
    rate
        Rate of delete and combine, on both sides; 0.2 by default.
    model
        See ``align``. It should not be trained on this text; by default, Model 1 is learnt from the
        first third of it.
    parameters
        Parameters to tune: skip, band, threshold, merge, two_two, smoothing (mre, mre+ and lex) and
        largest (lex).
    grid
        The values of parameters, by default ``GRID``. The untuned value is always tried.
    min_precision
        Choose the setting with the highest recall of sentence pairs among those with at least this
        precision; in the paper's tables 2 and 3, it is 0.98 or 0.99.
    seed
        Random seed of the tuning set's noise; the evaluation set uses the next number.
    corpus
        The name of the text in the table.
    folder
        Folder for the figures of finished alignments, from which interrupted tuning resumes.
    threads
        Number of threads, or an executor of threads or spawned (not forked) processes, to align
        with several settings in parallel; one by default. The result is the same.
    progress
        Called after each alignment of the tuning set with the numbers of finished and of all.
    threshold, skip
        Their untuned values, by default the paper's; see ``Options``.
    **options
        Fields of ``Options``. By default, smoothing is 0.3 for mre+.

    Raises
    ------
    InputError
        If an argument is wrong, or the folder belongs to other tuning; this is checked before
        anything is aligned.

    Examples
    --------
    >>> from alignframe import beads, formats
    >>> src, tgt = (formats.read_sentences(f"datasets/en-fr/text.{one}") for one in ("en", "fr"))
    >>> found = beads.tune(src, tgt, method="len", parameters=["skip"])
    >>> found.best.select("tuned", "skip", "met").rows()
    [('none', 0.02, True), ('skip', 0.02, True), ('all', 0.02, True)]
    """
    check_keywords(tune, options, taken_by())
    base = for_noise(method, threshold=threshold, skip=skip, **options)
    settings = _settings(base, parameters, grid or {})
    kind = _scenario(scenario, rate)
    learning = method == "mre+" and model is None
    known = None if learning else checked_model([method], model)
    sides = given_text(src, tgt)
    parts = _parts(len(sides[0]), ["model"] * learning + ["tuning", "evaluation"])
    texts = {name: [side[slice(*span)] for side in sides] for name, span in parts.items()}
    if learning:
        known = learn_words(*texts["model"], words=base.words)

    def trial(part: str, seed: int) -> Trial:
        name, *rates = kind
        noisy = noise(
            name,
            *texts[part],
            src_rate=rates[0],
            tgt_rate=rates[1],
            seed=seed,
            unit=base.unit or "words",
            words=base.words,
        )
        return Trial.of(base.words, known, noisy, f"the {part} set")

    signature = "|".join(
        [
            base.signature,
            f"noise:{name_of(kind)}|seed:{seed}|min-precision:{min_precision:g}",
            *_grid_of(settings),
            *([f"model:{'first-third' if learning else 'given'}"] if method == "mre+" else []),
        ]
    )
    mark = f"{base.signature}|noise:{name_of(kind)}|seed:{seed}|text:{digest(sides)}"
    if known is not None:
        mark += f"|model:{digest(vars(known).values())}"
    runner = Runner(folder, mark)
    tried = trial("tuning", seed).figures(settings, threads, progress, runner)
    best = {
        name: _best(tried, base, free, min_precision) for name, free in _rows(parameters).items()
    }
    chosen = list(dict.fromkeys(best.values()))
    # Evaluated with noise that was not seen in tuning.
    final = trial("evaluation", seed + 1).figures(chosen, threads, runner=runner)
    shown = [name for name in GRID if name in (*PAPER, *parameters)]

    def values(setting: Options) -> list[float | None]:
        return [getattr(setting, name) for name in shown]

    return Tuned(
        _frame(
            [
                (
                    *(corpus, kind.scenario, kind.src_rate),
                    *(name, *values(setting), *tried[setting][:2], *final[setting][:2]),
                    _met(tried[setting], min_precision),
                )
                for name, setting in best.items()
            ],
            (*_PLACE, "tuned", *shown, *_FOUND),
        ),
        _frame(
            [(*values(setting), *figures) for setting, figures in tried.items()],
            (*shown, *Figures._fields),
        ),
        parts,
        kind,
        signature,
    )


def _settings(
    base: Options, parameters: Sequence[str], grid: Mapping[str, Sequence[float]]
) -> list[Options]:
    """Return all combinations of values, the untuned one first."""
    if isinstance(parameters, str) or not parameters:
        raise InputError(
            f"`parameters` is {parameters!r}", expected=f"a list from {', '.join(GRID)}"
        )
    for name in (*parameters, *grid):
        check_known("name in `parameters`", name, GRID)
        if name not in (*PAPER, *parameters):
            raise InputError(
                f"values of {name}, which is not tuned", expected=f"{name} among the parameters"
            )
    names = [name for name in GRID if name in parameters]
    axes = [(getattr(base, name), *grid.get(name, GRID[name])) for name in names]
    for name, values in (("threshold", [base.threshold]), *zip(names, axes, strict=True)):
        if None in values and name in taken_by(base.method):
            raise InputError(f"`{name}` is None", expected="a number")
    combinations = (
        replace(base, **dict(zip(names, values_chosen, strict=True)))
        for values_chosen in product(*axes)
    )
    return list(dict.fromkeys(combinations))


def _scenario(scenario: str, rate: float | None) -> Setting:
    """Return the setting of the noise."""
    known = [name for name in SCENARIOS if name != "different"]
    check_known("`scenario`", scenario, known)
    if rate is None:
        rate = RATE if scenario in RATED else 0.0
    kind = Setting(scenario, rate, rate)
    check_rates(kind)
    return kind


def _parts(size: int, names: list[str]) -> dict[str, tuple[int, int]]:
    """Cut a text into parts of equal size."""
    if size < len(names):
        raise InputError(
            number_of(size, "sentence pair"),
            expected=f"at least one for each of {', '.join(names)}",
        )
    ends = [size * k // len(names) for k in range(len(names) + 1)]
    return dict(zip(names, pairwise(ends), strict=True))


def _rows(parameters: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the parameters tuned in each row, in the order of the paper's tables."""
    chosen = [name for name in GRID if name in parameters]
    return {"none": (), **{name: (name,) for name in chosen}, "all": tuple(chosen)}


def _best(
    tried: Mapping[Options, Figures], start: Options, free: Sequence[str], min_precision: float
) -> Options:
    """Return the best setting that differs from the untuned one only in the free parameters."""

    def worth(setting: Options) -> tuple[bool, float, float]:
        precision, recall = (-1.0 if x is None else x for x in tried[setting][:2])
        # The highest recall among precise settings; the highest precision if there are none.
        precise = _met(tried[setting], min_precision)
        return (precise, recall, precision) if precise else (precise, precision, recall)

    able = [
        options
        for options in tried
        if replace(options, **{k: getattr(start, k) for k in free}) == start
    ]
    return max(able, key=worth)  # ties go to the first, the untuned one if present


def _met(figures: Figures, min_precision: float) -> bool:
    """Whether a setting is precise enough; one without any pairs is not."""
    return figures.precision is not None and figures.precision >= min_precision


def _frame(rows: list[tuple[object, ...]], names: Sequence[str]) -> pl.DataFrame:
    kinds: dict[str, Any] = {"met": pl.Boolean}
    kinds |= dict.fromkeys(("corpus", "scenario", "tuned"), pl.String)
    return pl.DataFrame(
        rows, schema={name: kinds.get(name, pl.Float64) for name in names}, orient="row"
    )


def _grid_of(settings: list[Options]) -> list[str]:
    """Return the values of each tuned parameter, for the signature."""
    values = {name: dict.fromkeys(getattr(options, name) for options in settings) for name in GRID}
    return [
        f"{name}:{'/'.join(f'{value:g}' for value in column)}"
        for name, column in values.items()
        if len(column) > 1
    ]
