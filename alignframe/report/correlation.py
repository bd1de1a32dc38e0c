"""The report of how well alignment measures predict an external score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from alignframe.choices import RESAMPLES
from alignframe.errors import InputError, number_of
from alignframe.links.studied import Studied
from alignframe.report.correlated import Correlated, correlated
from alignframe.report.page import Page
from alignframe.report.vary import vary_report
from alignframe.stats.values import ALPHAS
from alignframe.typing import IntoFrame, IntoScores


def correlation_report(
    scores: IntoFrame | None,
    external: IntoScores | None = None,
    *,
    alpha: Sequence[float] = ALPHAS,
    bootstrap: int = RESAMPLES,
    confidence: float = 0.95,
    seed: int = 1,
    lower_is_better: bool = False,
    score_name: str = "score",
    subset: str = "",
    study: Studied | None = None,
    title: str = "",
) -> Page:
    """Build the report of how well measures predict an external score.

    Parameters
    ----------
    scores
        Counts of ``alignframe.links.counts``.
    external, alpha, bootstrap, confidence, seed, lower_is_better, subset
        See ``alignframe.stats.correlate``. With a column ``group`` in ``external``, each group has
        its symbol in charts and its own correlations.
    score_name
        The name of the external score, for example BLEU.
    study
        A study of ``alignframe.links.read_study``, instead of counts.
    title
        Title of the page.

    Returns
    -------
    Page
        ``write`` writes an HTML file, ``write_figures`` images.

    Examples
    --------
    >>> from alignframe import links, report
    >>> home = "datasets/en-fr"
    >>> hyp = {name: f"{home}/{name}.talp" for name in ("cautious", "eager", "forward")}
    >>> counts = links.counts(hyp, f"{home}/gold.talp")
    >>> scores = {"cautious": 25.5, "eager": 29.1, "forward": 27.9}
    >>> report.correlation_report(counts, scores, bootstrap=0).table.heads[:3]
    ['Measure', 'Gold links', 'r']
    """
    if external is None and (lower_is_better or score_name != "score"):
        option = "lower_is_better" if lower_is_better else "score_name"
        raise InputError(f"`{option}` needs `external`, a score of each alignment")
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
