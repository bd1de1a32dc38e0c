"""The report of word alignments evaluated by translation (Fraser & Marcu 2007)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from alignframe import stats
from alignframe.core.choices import RESAMPLES
from alignframe.errors import number_of
from alignframe.links.correlation import Correlated, correlate
from alignframe.links.correlation_charts import measures_against_scores
from alignframe.links.correlation_page import figures_of, notes_of, page_tables_of, summary_of
from alignframe.mt.judged import MtStudy
from alignframe.pages.page import Figure, Page, Table
from alignframe.pages.tables import score_table
from alignframe.stats.external import FEWEST
from alignframe.stats.predictions import ANNOTATION_WORDS
from alignframe.stats.values import ALPHAS

_RECALL, _EVEN, _PRECISION = 0.0, 0.5, 1.0
_ALIGNMENT = {"1-aer": "1 − AER", "f_1": "Precision", "f_0": "Recall"}

_NOTE = (
    "Each alignment is used to build a phrase-based system, with the same text, language model "
    "and test set. Phrase pairs, unknown words and length are shown because they affect scores. "
    "Length is relative to the reference."
)
_COUNTS = "Pairs: those of the phrase table whose source phrase occurs in the texts to translate."


def mt_study_page(
    study: MtStudy,
    *,
    alpha: Sequence[float] = ALPHAS,
    bootstrap: int = RESAMPLES,
    confidence: float = 0.95,
    seed: int = 1,
    title: str = "Alignment quality and translation quality",
) -> Page:
    """Build the report: alignment measures against every score, and the systems.

    Without gold, or with fewer than three systems, the page only has the systems.

    Parameters
    ----------
    study
        The study.
    alpha
        Values of α at which F is measured.
    bootstrap
        Number of resamples for intervals; 0 for none.
    confidence, seed
        The confidence level of intervals, and the random seed.
    title
        Title of the page.
    """
    many = number_of(study.scores.height, "alignment")
    names = {
        metric: name
        for metric, name in study.metrics.items()
        if study.counts.height
        and study.scores.height >= FEWEST
        and study.scores[metric].n_unique() > 1
    }
    if not names:
        said = "Correlations need gold links and three systems with different scores."
        table = _systems(study, "")
        return Page(title, f"{many}. {said}", table, [], (), [_NOTE, _COUNTS], study.signature)
    against = {
        name: correlate(
            study.counts,
            study.external(metric),
            score_name=name,
            alpha=alpha,
            subset=study.subset,
            bootstrap=bootstrap,
            confidence=confidence,
            seed=seed,
        )
        for metric, name in names.items()
    }
    first, *others = against.values()
    return Page(
        title,
        first.conclusion,
        summary_of(first),
        [*_panels(study, against), *figures_of(first)],
        [
            _systems(study, "The systems"),
            *(
                replace(summary_of(other), title=f"Correlation with {other.score_name}", wide=True)
                for other in others
            ),
            *(
                _called(table, correlated)
                for correlated in against.values()
                for table in page_tables_of(correlated)
            ),
        ],
        [*notes_of(first), _NOTE, _COUNTS, study.signature],
        first.signature,
        about=f"{many}, {number_of(study.counts['sid'].n_unique(), 'gold sentence')}.",
    )


def _called(table: Table, of: Correlated) -> Table:
    return replace(table, title=f"{table.title}: {of.score_name}")


def _panels(study: MtStudy, against: dict[str, Correlated]) -> list[Figure]:
    """Return the panels of each annotation: one row per score."""
    best = {
        name: dict(correlated.every.filter("best").select("annotation", "alpha").iter_rows())
        for name, correlated in against.items()
    }
    tried = {alpha for own in best.values() for alpha in own.values()}
    values = stats.measure_values(study.counts, alpha=[_RECALL, _EVEN, _PRECISION, *tried])
    figures = []
    for kind, words in ANNOTATION_WORDS.items():
        if kind not in values["annotation"]:
            continue
        chart = measures_against_scores(
            values,
            {name: correlated.external for name, correlated in against.items()},
            annotation=kind,
            alphas={
                name: list(dict.fromkeys([_EVEN, own.get(kind, _EVEN), _RECALL, _PRECISION]))
                for name, own in best.items()
            },
        )
        text = f"α = 0.5, the best α tried, recall and precision, on {words}."
        figures.append(Figure(f"panels-{kind}", chart, text, wide=True))
    return figures


def _bounded(study: MtStudy) -> str:
    """Say of which scores the table of systems has intervals."""
    names = [
        name
        for metric, name in study.metrics.items()
        if f"{metric}_low" in study.scores and study.scores[f"{metric}_low"].count()
    ]
    return f"Intervals over test sentences are shown below {' and '.join(names)}." if names else ""


def _systems(study: MtStudy, title: str) -> Table:
    """Return the systems: scores, confounding factors, and alignment measures."""
    frame, heads = study.scores, {"system": "Alignment", **study.metrics}
    heads |= {"pairs": "Pairs", "unknown_words": "Unknown words", "length_ratio": "Length"}
    if study.counts.height:
        values = stats.measure_values(study.counts, alpha=[_RECALL, _PRECISION])
        wide = values.filter(annotation="sure-possible").pivot(
            "measure", index="system", values="value"
        )
        frame = frame.join(wide, on="system", how="left", maintain_order="left")
        heads |= _ALIGNMENT
    return score_table(
        frame.drop("links"),
        heads,
        forms=dict.fromkeys(("bleu", "chrf", "tesla"), ".2f"),
        form=".3f",
        title=title,
        caption=_bounded(study),
        wide=True,
    )
