"""Quality over time: scores of each run of a job, and differences from a baseline."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from os import fspath

import numpy as np
import polars as pl

from alignframe.core.choices import PREVIOUS, RESAMPLES
from alignframe.core.figures import checked_alphas
from alignframe.errors import check_known
from alignframe.lake.baselines import Baselines
from alignframe.lake.cautions import cautions, warn_of
from alignframe.lake.differences import TESTED, score_of, tests_of
from alignframe.lake.fields import Field, Sentences, fields
from alignframe.lake.past import Past, past_of
from alignframe.options import checked
from alignframe.result import Result
from alignframe.stats.bootstrap import Resampling, drawn_as, least_p
from alignframe.stats.measure import Measure
from alignframe.stats.sample import Test, corrected
from alignframe.stores import Keys
from alignframe.typing import Confidence, FilePath, ForOutput, FromZero, Resamples, Row, Seed, Share


@dataclass(frozen=True, repr=False)
class History(Result):
    """The scores of the runs of a job.

    Attributes
    ----------
    runs
        One row per run that changed a count: run, started, label (with those of later runs that
        changed none), revision (of the git work tree it was started in) and signature. In a lake
        that grows by dates, run is a date here and below, and started its time, if known.
    scores
        One row per run, corpus, system and measure: value with value_low and value_high, sentences,
        and segment. A new segment begins when the signature or gold changes: figures of different
        segments are not comparable.
    tests
        One row per run, corpus, system and measure with a baseline: baseline_run,
        baseline_system, value, baseline_value, difference, difference_low, difference_high,
        p_value, p_corrected and verdict: ``better``, ``worse``, ``not significant``, ``too few
        resamples`` (for any p-value to be significant), ``unchanged`` (no difference in any
        resample), ``not tested`` (without resamples), or ``not comparable``, with what changed.
    sentences
        The sentences that changed most in the last run: corpus, system, unit, measure, value,
        baseline_value, difference and size, sorted by difference times size.

    Examples
    --------
    >>> from alignframe import formats, lake
    >>> formats.write(formats.read("datasets/en-fr/eager.talp"), "links.parquet")
    >>> run = lake.score("links.parquet", "datasets/en-fr/gold.talp", "counts")
    >>> list(lake.history("counts", bootstrap=0).tables())
    ['runs', 'scores', 'tests', 'sentences']
    """

    runs: pl.DataFrame
    scores: pl.DataFrame
    tests: pl.DataFrame
    sentences: pl.DataFrame
    signature: str
    measure: Measure = dataclasses.field(repr=False)
    dates: tuple[str, ...] = ()  # the keys that are dates
    again: Sequence[Keys] = ()  # the units of earlier dates that the last run has counted again
    idle: bool = False  # whether the last run that has ended changed no counts
    confidence: float = 0.95

    @property
    def changes(self) -> pl.DataFrame:
        """The tests, without those that are unchanged or not significant."""
        return self.tests.filter(~pl.col("verdict").is_in(["unchanged", "not significant"]))


@checked
def history(
    out: FilePath,
    *,
    baseline: str = PREVIOUS,
    alpha: Sequence[Share] = (0.5,),
    bootstrap: Resamples = RESAMPLES,
    confidence: Confidence = 0.95,
    seed: Seed = 1,
    system: str | Sequence[str] | None = None,
    measure: str | Sequence[str] | None = None,
    top: ForOutput[FromZero] = 20,
) -> History:
    """Return the scores of each run of a job, or date of a lake, and differences from a baseline.

    Parameters
    ----------
    out
        The output of a counting job.
    baseline
        The comparison for each system: ``previous`` for the same system in the previous run, or at
        the previous date; ``best`` for the best of its earlier runs that are comparable, by each
        measure on each corpus; the name of a run, or a date, for the same system there; the label
        of runs for the last earlier one that has it; or the name of a system for that system in the
        same run.
    alpha
        Weights of precision in F, for links.
    bootstrap
        Number of resamples of units for intervals and tests; 0 for none.
    confidence, seed
        See ``alignframe.links.score``.
    system
        The systems to return, by default all. p-values are corrected over all.
    measure
        The scores to return, such as ``aer``; by default all.
    top
        The number of sentences to return per corpus and system.

    Returns
    -------
    History
        Tables, and a signature. ``corpus`` is null for all corpora together.

    Raises
    ------
    InputError
        If there are no counts of a job, or there is no such baseline, system or measure.

    Notes
    -----
    Every system is tested on every corpus against its baseline by the paired bootstrap; the
    p-values of a run and measure are corrected together by step-down max-T (Westfall & Young 1993),
    from the resamples that the tests share. Runs that changed no counts are left out. The best of
    many earlier runs owes some of its score to chance, so that against ``best`` more differences
    are for the worse than against a run that was chosen before.

    Examples
    --------
    >>> from alignframe import formats, lake
    >>> formats.write(formats.read("datasets/en-fr/eager.talp"), "links.parquet")
    >>> run = lake.score("links.parquet", "datasets/en-fr/gold.talp", "counts")
    >>> lake.history("counts", measure="aer", bootstrap=0).scores["value"].round(3).to_list()
    [0.116]
    """
    made = Making(fspath(out), baseline, alpha, Resampling(bootstrap, confidence, seed))
    kept = []
    for name, asked, known in (
        ("system", system, made.past.systems),
        ("measure", measure, made.measure.names),
    ):
        chosen = [asked] if isinstance(asked, str) else list(asked or known)
        for run in chosen:
            check_known(f"`{name}`", run, known)
        kept.append(pl.col(name).is_in(chosen))
    warn_of(made.cautions)
    changed = [
        made.changes(field, alone, top) for field, alone in made.fields() if alone is not None
    ]
    made_history = made.history(pl.concat(changed))
    return replace(
        made_history,
        scores=made_history.scores.filter(*kept),
        tests=made_history.tests.filter(*kept),
        sentences=made_history.sentences.filter(*kept),
    )


class Making:
    """Builds the tables of a history corpus by corpus."""

    def __init__(
        self, out: str, baseline: str, alpha: Sequence[float], resampling: Resampling
    ) -> None:
        self.past: Past = past_of(out)
        past = self.past
        self.cautions = cautions(past.footers, past.made)
        self.alpha = checked_alphas(alpha)
        self.resampling = replace(resampling, of=drawn_as(self.past.job.resampled))
        last = self.past.moments[-1].states
        (_, corpus), number = next(iter(last.items()))
        self.measure = self.past.measure(self.past.states[corpus][number], self.alpha)
        self.baselines = Baselines(past, baseline)
        self._scores: list[dict[str, object]] = []
        self._tests: list[dict[str, object]] = []
        self._made: list[Test | None] = []  # of each row of the tests

    def fields(self) -> Iterator[tuple[Field, Sentences | None]]:
        """Yield each corpus, adding its scores and tests to the tables."""
        for field, alone in fields(self.past, self.measure.names, self.alpha, self.resampling):
            self._add(field)
            yield field, alone

    def _add(self, field: Field) -> None:
        """Add the scores and tests of a corpus; unchanged states are computed once."""
        scored: dict[tuple[int, str], Row] = {}
        rows: list[tuple[Row, tuple[int, int, str]]] = []  # and their states and figure
        segments: dict[int, int] = dict.fromkeys(range(len(self.past.systems)), 0)
        grounds: dict[int, object] = {}
        for run, moment in enumerate(self.past.moments):
            for place, system in enumerate(self.past.systems):
                state = int(field.at[run, place])
                if state < 0:
                    continue
                # A line of the chart breaks where the data changed, since its ends cannot be
                # compared.
                if grounds.setdefault(place, field.grounds[state]) != field.grounds[state]:
                    segments[place] += 1
                    grounds[place] = field.grounds[state]
                keys = {"run": moment.run, "corpus": field.corpus or None, "system": system}
                for figure in self.measure.names:
                    if (state, figure) not in scored:
                        scored[state, figure] = score_of(field, state, figure)
                    self._scores.append(
                        {**keys, "measure": figure, **scored[state, figure]}
                        | {"segment": segments[place]}
                    )
                    base = self.baselines.find(
                        field,
                        (run, place),
                        figure,
                        scored[state, figure]["value"],
                        lower=figure in self.measure.lower_is_better,
                    )
                    if base is None:
                        continue
                    bases = {
                        "baseline_run": self.past.moments[base[0]].run,
                        "baseline_system": self.past.systems[base[1]],
                    }
                    pair = state, int(field.at[base]), figure
                    rows.append(({**keys, "measure": figure, **bases}, pair))
        # Most runs change few corpora: the same two states are tested once.
        tested = tests_of(field, [*dict.fromkeys(pair for _, pair in rows)])
        self._made += [tested[pair][1] for _, pair in rows]
        self._tests += [row | tested[pair][0] for row, pair in rows]

    def changes(self, field: Field, alone: Sentences, top: int) -> pl.DataFrame:
        """Return the sentences of a corpus that changed most in the last run."""
        run = len(self.past.moments) - 1
        size = alone.size.astype(np.float64)
        rows: list[tuple[object, ...]] = []
        for place, system in enumerate(self.past.systems):
            for figure, name in enumerate(self.measure.names):
                base = self.baselines.found(field, (run, place), name)
                if base is None:
                    continue
                state, other = int(field.at[run, place]), int(field.at[base])
                if field.grounds[state] != field.grounds[other]:
                    continue
                now, then = alone.values[[state, other], figure].astype(np.float64)
                gap = now - then
                said = field.corpus or None, system
                changed = np.flatnonzero((gap != 0) & ~np.isnan(gap))
                # The largest first; of equal ones, in the order of units, as they are.
                order = np.argsort(-np.abs(gap[changed]) * size[changed], kind="stable")
                rows += [
                    (*said, alone.units[at], name, now[at], then[at], gap[at], size[at])
                    for at in changed[order[:top]].tolist()
                ]
        texts = dict.fromkeys(("corpus", "system"), pl.String)
        kind = pl.Int64 if alone.units.dtype.kind in "iu" else pl.String
        values = dict.fromkeys(("value", "baseline_value", "difference", "size"), pl.Float64)
        schema = {**texts, "unit": kind, "measure": pl.String, **values}
        return pl.DataFrame(rows, schema, orient="row")

    def history(self, sentences: pl.DataFrame) -> History:
        """Return the tables, with corrected p-values."""
        named = ("run", "started", "label", "revision", "signature")
        runs = [
            (one.run, one.started, ", ".join(one.labels), one.revision, one.signature)
            for one in self.past.moments
        ]
        keys = dict.fromkeys(("run", "corpus", "system", "measure"), pl.String)
        scores = {"value": pl.Float64, "value_low": pl.Float64, "value_high": pl.Float64}
        counts = {"sentences": pl.Int64, "segment": pl.Int64}
        bases = dict.fromkeys(("baseline_run", "baseline_system"), pl.String)
        tests = pl.DataFrame(self._tests, schema={**keys, **bases, **TESTED, "verdict": pl.String})
        return History(
            pl.DataFrame(runs, schema=dict.fromkeys(named, pl.String), orient="row").with_columns(
                pl.col("started", "label", "revision").replace("", None)
            ),
            pl.DataFrame(self._scores, schema={**keys, **scores, **counts}),
            self._judged(tests),
            sentences,
            self._signature(tests),
            self.measure,
            self.past.dates,
            self.past.again,
            self.past.idle,
            self.resampling.confidence,
        )

    def _signature(self, tests: pl.DataFrame) -> str:
        """Return every choice that affects the scores."""
        exchanged = any(
            sample.exchanges(len(family))
            for family in self._families(tests).values()
            for sample, *_ in family.values()
        )
        return self.measure.signature(
            f"baseline:{self.baselines.given}",
            self.resampling.paired_signature(exchanged=exchanged),
        )

    def _families(self, tests: pl.DataFrame) -> dict[tuple[str, str], dict[int, Test]]:
        """Return the tests made of each run and measure by their rows: they are one family."""
        families: dict[tuple[str, str], dict[int, Test]] = {}
        for row, key in enumerate(tests.select("run", "measure").iter_rows()):
            made = self._made[row]
            if made is not None:
                families.setdefault(key, {})[row] = made
        return families

    def _judged(self, tests: pl.DataFrame) -> pl.DataFrame:
        """Correct the p-values of each run and measure, and add verdicts."""
        p_values = np.full(tests.height, np.nan)
        for family in self._families(tests).values():  # whatever their corpus and system
            p_values[[*family]] = corrected([*family.values()])
        up = pl.col("difference") > 0
        # For error rates, up is worse.
        good = up != pl.col("measure").is_in(sorted(self.measure.lower_is_better))
        real = pl.col("p_corrected") < 1 - self.resampling.confidence
        # With few resamples, or few units, no p-value can be small enough.
        few = pl.Series(
            [
                test is not None
                and least_p(self.resampling.resamples, test[0].units)
                >= 1 - self.resampling.confidence
                for test in self._made
            ],
            dtype=pl.Boolean,
        )
        return (
            tests.with_columns(p_corrected=pl.Series(p_values).fill_nan(None))
            .with_columns(
                verdict=pl.when(pl.col("verdict") != "")
                .then("verdict")
                .when(pl.col("p_value").is_null())
                .then(pl.lit("not tested"))
                .when(real & good)
                .then(pl.lit("better"))
                .when(real)
                .then(pl.lit("worse"))
                .when(few)
                .then(pl.lit("too few resamples"))
                .otherwise(pl.lit("not significant"))
            )
            .select(pl.exclude("verdict"), "verdict")
        )
