"""The report of how well alignment measures predict an external score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from alignframe import links
from alignframe.choices import RESAMPLES
from alignframe.errors import InputError, number_of
from alignframe.links.inputs import marks_of, to_score
from alignframe.report.correlated import Correlated, correlated
from alignframe.report.page import Page
from alignframe.report.vary import vary_report
from alignframe.stats.values import ALPHAS
from alignframe.typing import IntoBitext, IntoGold, IntoHypotheses, IntoScores, Threads


def correlation_report(
    hyp: IntoHypotheses,
    gold: IntoGold,
    external: IntoScores,
    *,
    alpha: Sequence[float] = ALPHAS,
    bootstrap: int = RESAMPLES,
    confidence: float = 0.95,
    seed: int = 1,
    lower_is_better: bool = False,
    score_name: str = "score",
    bitext: IntoBitext | None = None,
    possible_as_sure: bool = False,
    strict: bool = False,
    title: str = "Which alignment measure predicts translation quality",
    threads: Threads = None,
) -> Page:
    """Build the report: correlations of every measure, and measures against the score.

    Parameters
    ----------
    hyp, gold, bitext, possible_as_sure, strict, threads
        See ``alignframe.links.counts``.
    external, alpha, bootstrap, confidence, seed, lower_is_better
        See ``alignframe.stats.correlate``. With a column ``group`` in ``external``, each group has
        its symbol in charts and its own correlations.
    score_name
        The name of the external score, for example BLEU.

    Returns
    -------
    Page
        ``write`` writes an HTML file, ``write_figures`` images.

    Examples
    --------
    >>> from alignframe import report
    >>> home = "datasets/en-fr"
    >>> hyp = {name: f"{home}/{name}.talp" for name in ("cautious", "eager", "forward")}
    >>> scores = {"cautious": 25.5, "eager": 29.1, "forward": 27.9}
    >>> report.correlation_report(hyp, f"{home}/gold.talp", scores, bootstrap=0).table.heads[:3]
    ['Measure', 'Gold links', 'r']
    """
    given = {"bitext": bitext, "possible_as_sure": possible_as_sure, "strict": strict}
    sources, golden = to_score(hyp, gold)
    counts = links.counts(sources, golden, threads=threads, **given)  # type: ignore[arg-type]
    return measures_report(
        counts,
        external,
        alpha=alpha,
        bootstrap=bootstrap,
        confidence=confidence,
        seed=seed,
        lower_is_better=lower_is_better,
        score_name=score_name,
        title=title,
        subset=marks_of(sources, golden),
    )


def measures_report(
    scores: Any,
    external: IntoScores | None = None,
    *,
    alpha: Sequence[float] = ALPHAS,
    bootstrap: int = RESAMPLES,
    confidence: float = 0.95,
    seed: int = 1,
    lower_is_better: bool = False,
    score_name: str = "score",
    subset: str = "",
    study: Any = None,
    title: str = "",
) -> Page:
    """Build the report of counts, or of a study, against an external score.

    Parameters
    ----------
    scores, external, alpha, bootstrap, confidence, seed, lower_is_better, subset
        See ``alignframe.stats.correlate``.
    score_name
        The name of the external score, for example BLEU.
    study
        A study of ``alignframe.links.read_study``, instead of counts.
    title
        Title of the page.
    """
    if external is None and (lower_is_better or score_name != "score"):
        option = "lower_is_better" if lower_is_better else "score_name"
        raise InputError(f"{option} without external", expected="a score of each alignment")
    options: dict[str, Any] = {
        "alpha": alpha,
        "bootstrap": bootstrap,
        "confidence": confidence,
        "seed": seed,
        "lower_is_better": lower_is_better,
        "score_name": score_name,
    }
    titled = {"title": title} if title else {}
    if study is not None:
        return vary_report(study, external, **options, **titled)
    return correlated_page(correlated(scores, external, subset=subset, **options), **titled)


def correlated_page(
    found: Correlated, *, title: str = "Which alignment measure predicts translation quality"
) -> Page:
    """Return the page for existing correlations."""
    return Page(
        title=title,
        lead=f"{found.conclusion} Measured on "
        f"{number_of(found.counts['sid'].n_unique(), 'gold sentence')}.",
        table=found.summary(),
        figures=found.figures(),
        tables=found.page_tables(),
        notes=found.notes(),
        signature=found.signature,
    )
