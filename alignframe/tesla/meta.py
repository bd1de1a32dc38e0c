"""Meta-evaluation: agreement of translation scores with human rankings.

By sentence, the share of human preferences that a metric orders the same way (consistency), and
Kendall's tau in the variants of the WMT workshops. By system, the correlation of a metric's mean
with a human score from the same rankings.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.core.choices import HUMAN, RESAMPLES, TIES
from alignframe.core.signatures import whole_signature
from alignframe.engines.session import few_rows, limited
from alignframe.errors import InputError, check_known, number_of, warn
from alignframe.options import checked
from alignframe.result import SignedResult
from alignframe.stats.bootstrap import Resampling
from alignframe.stats.sample import Sample, corrected
from alignframe.stats.subsets import Chosen, choose, signature_part
from alignframe.tesla.agreement import COUNTS, FIGURES, AgreementCounts, sample_of, tabulate
from alignframe.tesla.ranking_signatures import pair_of, signature_of_rankings
from alignframe.tesla.rankings import rankings_of, unlike_sids
from alignframe.tesla.score_files import is_score_folder, read_score_files
from alignframe.tesla.segments import Segments, read_segments
from alignframe.tesla.system_files import names_in, possible_names
from alignframe.typing import Confidence, ForInput, IntoFrame, IntoSids, Rare, Resamples, Seed

ENOUGH = 8
"""Correlations over fewer systems get a caution."""

# A warning of shifted sentences needs them to agree this much better, and by as many
# standard errors.
_GAIN = 0.05
_ERRORS = 3.0

CHANCE = {3: 0.997, 4: 0.950, 5: 0.878, 6: 0.811, 7: 0.754}
"""Pearson's |r| at which the two-sided p-value of no correlation is 0.05, by number of systems."""


@dataclass(frozen=True, repr=False)
class Meta(SignedResult):
    """Agreement of metrics with rankings.

    Parameters
    ----------
    scores
        One row per metric: metric, pairs (preferences with both scores), concordant, discordant,
        metric_ties, human_ties (pairs that the rankings tie), unscored (pairs without both
        scores), sentences, systems, the ``FIGURES``, each with its interval (``_low``, ``_high``)
        if there are resamples, and signature. Undefined values are null.
    comparisons
        One row per figure and pair of metrics: figure, metric, other, difference (first minus
        second), difference_low, difference_high, p_value (two-sided) and p_corrected (for the
        number of pairs). Empty without resamples.
    systems
        One row per system: system, wins, losses, ties, human, and the mean score of every metric.
    pair
        The language pair of the rankings, such as ``fr-en``, if known.

    Examples
    --------
    >>> import polars as pl
    >>> from alignframe import tesla
    >>> preferred = pl.DataFrame({"sid": [0, 1], "better": ["a", "a"], "worse": ["b", "b"]})
    >>> scores = pl.DataFrame(
    ...     {"system": ["a", "b", "a", "b"], "sid": [0, 0, 1, 1], "score": [0.9, 0.2, 0.8, 0.4]}
    ... )
    >>> found = tesla.meta(tesla.read_rankings(preferred), scores, bootstrap=0)
    >>> found.systems.select("system", "wins", "losses").rows()
    [('a', 2, 0), ('b', 0, 2)]
    """

    scores: pl.DataFrame
    comparisons: pl.DataFrame
    systems: pl.DataFrame
    pair: str | None = None

    @property
    def caution(self) -> str:
        """A caution if there are few systems; empty with at least ``ENOUGH``."""
        few = int(self.scores["systems"].min())  # type: ignore[arg-type]
        if few >= ENOUGH:
            return ""
        chance = (
            f", as |r| up to {CHANCE[few]:g} may be chance (p > 0.05)"
            if few in CHANCE
            else ", as chance alone can make it perfect"
        )
        number = "a single system" if few == 1 else f"{few} systems"
        return f"correlation by system over only {number} says little{chance}"


@checked
def meta(
    rankings: IntoFrame,
    segments: IntoFrame | Mapping[str, IntoFrame] | Segments,
    *,
    pair: str | None = None,
    metrics: Sequence[str] | None = None,
    lower: Sequence[str] = (),
    consensus: bool = False,
    ties: Rare[str] = "wrong",
    human: Rare[str] = "wmt12",
    bootstrap: Resamples = RESAMPLES,
    confidence: Confidence = 0.95,
    seed: Seed = 1,
    sids: Rare[IntoSids | None] = None,
    where: ForInput[str | None] = None,
) -> Meta:
    """Evaluate scores of translations against human rankings.

    Parameters
    ----------
    rankings
        Human rankings: WMT's .csv, METEOR's .rank, or ranking, sid, system, rank (.csv, .jsonl or
        .parquet). In Python, also a frame.
    segments
        Scores of sentences: a frame or path with system, sid and score (or columns of several
        metrics), a ``.scr`` file of the WMT metrics task, a folder for ``read_score_files``, a
        mapping from metrics to these, or the result of ``read_segments``. Null is no score.
    pair
        Language pair of the rankings, such as fr-en or French-English; by default the one whose
        systems have scores.
    metrics
        Column that holds the scores of a metric; by default ``score``, or all numeric columns
        without it. Metrics of scores with a name are called NAME, or NAME.COLUMN if there are
        several.
    lower
        Metrics for which lower is better, such as TER.
    consensus
        Add the consensus of all metrics: the mean of their ranks.
    ties
        How a metric's ties count in the consistency. ``wrong``: as errors; ``half``: as half right;
        ``skip``: not at all.
    human
        Human score of a system. ``wmt12``: share of wins among wins and losses; ``wmt09``: share of
        better or equal.
    bootstrap
        Number of resamples of sentences, for intervals and p-values; 0 for none.
    confidence, seed
        The confidence level of the intervals, and the random seed.
    sids
        Use only these sentences: a file with one sid per line, or a table with a column sid. In
        Python, also a list of numbers, or the ``subset`` of a result of ``tesla.score``.
    where
        Use only sentences that meet this SQL condition on sid and the other columns of
        ``segments``, which must be the same for all systems.

    Raises
    ------
    InputError
        If a table lacks columns or rows, or has a sentence twice, no ranked system has scores, or
        none of ``sids`` does.
    QueryError
        If DuckDB cannot evaluate the condition.

    Warns
    -----
    DataWarning
        With the numbers of preferences and systems for which a metric has no scores.

    Notes
    -----
    Callison-Burch et al. 2009 (consistency, better or equal) and 2012 (tau, wins), Macháček & Bojar
    2013 and 2014 (tau). All preferences count, including those of sentences ranked several times.
    Sentences are resampled with all their rankings and scores, the same for every metric.

    Examples
    --------
    >>> import polars as pl
    >>> from alignframe import tesla
    >>> ranked = {"ranking": [0, 0, 1, 1], "sid": [0, 0, 1, 1], "system": ["a", "b", "a", "b"]}
    >>> rankings = pl.DataFrame(ranked | {"rank": [1, 2, 2, 1]})
    >>> scores = pl.DataFrame(
    ...     {"system": ["a", "b", "a", "b"], "sid": [0, 0, 1, 1], "score": [0.9, 0.2, 0.8, 0.4]}
    ... )
    >>> found = tesla.meta(rankings, scores, bootstrap=0)
    >>> found.scores.select("pairs", "concordant", "discordant").row(0)
    (2, 1, 1)
    """
    check_known("`ties`", ties, TIES)
    check_known("`human`", human, HUMAN)
    drawn = Resampling(bootstrap, confidence, seed, of="sentences")
    if not isinstance(segments, Segments):
        tables: dict[Any, Any] = (
            dict(segments) if isinstance(segments, Mapping) else {None: segments}
        )
        folders = {name: table for name, table in tables.items() if is_score_folder(table)}
        if folders:
            possible = set().union(*map(names_in, folders.values()))
            read = rankings_of(rankings, possible, pair)
            rankings, pair = read, None
            judged = read["system"].unique().cast("string").to_pylist()
            tables |= {name: read_score_files(table, judged) for name, table in folders.items()}
        segments = read_segments(tables, metrics, lower)
    given = segments.with_consensus() if consensus else segments
    rows = given.rows
    names = set(rows["system"])
    ranked = rankings_of(rankings, names.union(*map(possible_names, names)), pair)
    rows = _as_ranked(rows, set(ranked["system"].cast("string").to_pylist()))
    about = signature_of_rankings(ranked)
    chosen = choose(
        rows["sid"].to_numpy(),
        lambda: given.every_column().to_arrow(),
        sids,
        where,
        what="the table of scores",
    )
    if chosen is not None:
        rows = rows.filter(pl.Series(chosen.holds(rows["sid"].to_numpy())))
        ranked = _ranked(ranked, chosen)
    with limited(["meta"]) as connection:
        connection.register("given_rankings", ranked)
        connection.register("given_segments", rows.to_arrow())
        agreement = few_rows(
            connection,
            "select metric, sid, sum(concordant)::double as concordant, "
            "sum(discordant)::double as discordant, sum(metric_ties)::double as metric_ties, "
            "sum(human_ties)::bigint as human_ties, sum(unscored)::bigint as unscored "
            "from agreement_counts('given_rankings', 'given_segments') group by metric, sid",
        )
        _check_shift(connection, rows, agreement)
        wins = few_rows(connection, "select * from ranking_wins('given_rankings')")
        people = few_rows(
            connection, "select * from human_scores('given_rankings') order by system"
        )
    scored = set(rows["system"])
    judged = people["system"].to_list()
    _check_systems(judged, scored)
    counted = tabulate(agreement, wins, rows, given.metrics, [s for s in judged if s in scored])
    sample = sample_of(counted, ties, human, drawn)
    mark = whole_signature(
        "metric:meta",
        about,
        "human-ties:left-out",
        f"consistency-ties:{ties}",
        f"human:{human}",
        "consensus:mean-rank" if consensus else "",
        f"lower:{','.join(sorted(given.lower))}" if given.lower else "",
        signature_part(chosen),
        drawn.signature,
    )
    unlike = unlike_sids(ranked, rows["sid"])
    scores = _scores(counted, agreement, sample, unlike, resampled=drawn.resamples > 0)
    return Meta(
        scores.with_columns(signature=pl.lit(mark)),
        _comparisons(counted, sample),
        _of_systems(people, counted, human),
        pair_of(ranked),
    )


def _check_shift(connection: Any, rows: pl.DataFrame, agreement: pl.DataFrame) -> None:
    """Warn if metrics agree with rankings much better one sentence further on or back."""
    sums = agreement.select(pl.col("concordant", "discordant").sum()).row(0)
    for shift in (-1, 1):
        shifted = rows.with_columns(pl.col("sid") + shift).filter(pl.col("sid") >= 0)
        connection.register("shifted_segments", shifted.to_arrow())
        ((right, wrong),) = connection.execute(
            "select coalesce(sum(concordant), 0)::double, coalesce(sum(discordant), 0)::double "
            "from agreement_counts('given_rankings', 'shifted_segments')"
        ).fetchall()
        if not (right + wrong and sum(sums)):
            continue
        gain = right / (right + wrong) - sums[0] / sum(sums)
        if gain > max(_GAIN, _ERRORS / math.sqrt(min(right + wrong, sum(sums)))):
            warn(
                f"the metrics agree with {right / (right + wrong):.4f} of the preferences if the "
                f"sids of scores are {'raised' if shift > 0 else 'lowered'} by 1, and with "
                f"{sums[0] / sum(sums):.4f} as they are; sids count from 0 in both"
            )


def _ranked(rankings: pa.Table, chosen: Chosen) -> pa.Table:
    """Return the rankings of the sentences in a subset, at least one."""
    ranked = rankings.filter(pa.array(chosen.holds(rankings["sid"].to_numpy())))
    if not ranked.num_rows:
        raise InputError(
            f"no ranking of the {number_of(chosen.sids.size, 'sentence')} of the subset",
            expected="sentences that were ranked",
        )
    return ranked


def _as_ranked(rows: pl.DataFrame, judged: set[str]) -> pl.DataFrame:
    """Return scores with the ranked name of systems of which one name is the end of the other."""
    scored = set(rows["system"])
    ends = [
        (own, name)
        for own in sorted(scored - judged)
        for name in sorted(judged - scored)
        if own.endswith(f".{name}") or name.endswith(f".{own}")
    ]
    names = dict(ends)
    if not names or not len(names) == len(ends) == len(set(names.values())):
        return rows
    own, name = ends[0]
    warn(f"{number_of(len(names), 'system')} matched by the ends of names, such as {own} as {name}")
    return rows.with_columns(pl.col("system").cast(pl.String).replace(names))


def _check_systems(judged: Sequence[str], scored: set[str]) -> None:
    lacking = [name for name in judged if name not in scored]
    if len(lacking) == len(judged):
        raise InputError(
            f"no ranked system has scores (ranked: {', '.join(judged) or 'none'}; scored: "
            f"{', '.join(sorted(scored)) or 'none'})",
            expected="the same names in both",
            todo="choose the language pair of the scores",
        )
    for names, noun, what in (
        (lacking, "ranked system", "without scores, whose pairs are left out"),
        (sorted(scored - set(judged)), "system", "with scores but never ranked"),
    ):
        if names:
            warn(f"{number_of(len(names), noun)} {what}: {', '.join(names)}")


def _scores(
    counted: AgreementCounts,
    agreement: pl.DataFrame,
    sample: Sample,
    unlike: str,
    *,
    resampled: bool,
) -> pl.DataFrame:
    """Return one row per metric; see ``Meta``."""
    totals = agreement.group_by("metric").agg(
        pl.sum_horizontal(COUNTS).sum().cast(pl.Int64).alias("pairs"),
        pl.col(*COUNTS, "human_ties", "unscored").sum().cast(pl.Int64),
        sentences=(pl.sum_horizontal(COUNTS) > 0).sum().cast(pl.Int64),
    )
    # Correlations are over systems with scores that were ranked.
    both = (counted.sums[..., 1].sum(axis=0) > 0) & (counted.wins.sum(axis=(0, 2)) > 0)
    columns: dict[str, Any] = {"systems": both.sum(axis=1)}
    for f, name in enumerate(FIGURES):
        columns[name] = sample.observed[:, f]
        if resampled:
            ends = np.array([sample.interval(m, f) for m in range(len(counted.metrics))])
            columns |= {f"{name}_low": ends[:, 0], f"{name}_high": ends[:, 1]}
    frame = pl.DataFrame({"metric": counted.metrics})
    frame = frame.join(totals, on="metric", how="left", maintain_order="left")
    for metric, unscored in frame.select("metric", "unscored").iter_rows():
        if unscored:
            warn(
                f"{metric}: left out {number_of(unscored, 'pair')} of ranked translations, in "
                f"which at least one has no score{unlike}"
            )
    return frame.hstack(pl.DataFrame(columns).fill_nan(None))


def _comparisons(counted: AgreementCounts, sample: Sample) -> pl.DataFrame:
    """Return one row per figure and pair of metrics; see ``Meta``."""
    numbers = ("difference", "difference_low", "difference_high", "p_value", "p_corrected")
    schema = dict.fromkeys(("figure", "metric", "other"), pl.String())
    rows, metrics = [], counted.metrics
    pairs = list(combinations(range(len(metrics)), 2))
    for f, name in enumerate(FIGURES) if len(sample.drawn) else ():
        p_values = corrected([(sample, first, second, f) for first, second in pairs])
        for (first, second), p_corrected in zip(pairs, p_values, strict=True):
            _, _, *tested = sample.difference(first, second, f).values()
            rows.append((name, metrics[first], metrics[second], *tested, p_corrected))
    frame = pl.DataFrame(rows, schema=schema | dict.fromkeys(numbers, pl.Float64()), orient="row")
    return frame.with_columns(pl.col(pl.Float64).fill_nan(None))


def _of_systems(people: pl.DataFrame, counted: AgreementCounts, human: str) -> pl.DataFrame:
    """Return one row per system, best first; see ``Meta``."""
    total = counted.sums.sum(axis=0)
    with np.errstate(invalid="ignore"):
        means = total[..., 0] / total[..., 1]
    columns = dict(zip(counted.metrics, means, strict=True))
    own = pl.DataFrame({"system": counted.systems, **columns}).fill_nan(None)
    chosen = people.select("system", "wins", "losses", "ties", pl.col(human).alias("human"))
    return chosen.join(own, on="system", how="left").sort(
        ["human", "system"], descending=[True, False], nulls_last=True
    )
