"""The pages of ``fraser_marcu_vary.py``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
import polars as pl
from fraser_marcu_outside import Outside

from alignframe import stats
from alignframe.charts import correlation, vary
from alignframe.measures import alpha_name
from alignframe.report.page import Figure, Page, Table

ALPHAS = (0.1, 0.3, 0.5)
"""Weights of precision in the tables."""

KINDS = {"sure-possible": "Sure and Possible", "sure": "Sure only", "possible": "all alike"}

Findings = Mapping[str, tuple[bool, str]]


def vary_page(scores: pl.DataFrame, found: Findings, pairs: int) -> Page:
    """Build the page of the alignments.

    Parameters
    ----------
    scores
        Tables of ``QualityStudy.run``, one below the other, with a column ``model``.
    found
        Statements, whether they hold, and the figures.
    pairs
        Sentence pairs of the bitext.
    """
    models = scores["model"].unique(maintain_order=True).to_list()
    return Page(
        title="Alignments of varying quality",
        lead=f"{pairs:,} sentence pairs, aligned in pieces, as a whole, and with more text, by "
        f"{', '.join(models)}; both directions joined in {scores['group'].n_unique()} ways: "
        f"{scores.height} alignments.",
        table=_by_text(scores),
        figures=[
            Figure("aer", vary.aer_by_text(scores), "Both axes are logarithmic.", wide=True),
            Figure(
                "f",
                vary.f_by_text(scores),
                "Where precision has little weight the methods with many links come first, where "
                "it has much the intersection. Within a method, every α tells more text from less.",
                wide=True,
            ),
            Figure(
                "precision-recall",
                vary.precision_by_recall(scores),
                "More text gives better links; the method trades precision for recall.",
                wide=True,
            ),
        ],
        tables=[
            *(_scores(scores.filter(model=model), model) for model in models),
            _statements("What the paper says or presumes", found),
        ],
        notes=[
            "The experiment of Fraser & Marcu 2007, Computational Linguistics 33(3), section 2.3. "
            "Figures are means over the pieces of a run, each aligned with the whole gold text. "
            "The best of an amount of text is marked."
        ],
        signature=scores["signature"][0],
    )


def outside_page(outside: Sequence[Outside]) -> Page:
    """Build the page of outside scores and the measures that predict them."""
    return Page(
        title="Alignments of varying quality and what they are worth",
        lead=f"{outside[0].scores.height} alignments, measured by gold links and by outside "
        "scores. r² is the share of a score's variance that a straight line on the measure "
        "explains.",
        table=_predictions(outside),
        figures=[figure for one in outside for figure in _figures(one)],
        tables=[_statements(f"The paper, against {one.name}", one.findings()) for one in outside],
        notes=[
            "Scores: of held-out text, the logarithm of its probability in bits a word, by word "
            "translations counted from the links of the whole bitext, and smoothed as suits other "
            "text best; of phrase pairs, F of those that the alignment of the gold text allows "
            "against gold's.",
            "Measures are ratios of sums over the pieces of a run. The α that predicts best has "
            "the highest Pearson correlation.",
        ],
        signature=outside[0].table["signature"][0],
    )


def _figures(one: Outside) -> list[Figure]:
    """Return the measures against an outside score, and how well F predicts it by alpha."""
    best = one.table.filter(pl.col("best"), annotation="sure-possible")["alpha"].to_list()
    values = stats.measure_values(one.counts, alpha=best or [0.5])

    def against(measure: str) -> alt.LayerChart:
        return correlation.measure_against_score(
            values, one.scores, measure=measure, score_name=f"{one.name} ({one.unit})"
        )

    figures = [Figure(f"{one.stem}-aer", against("1-aer"), "The measure that most studies report.")]
    figures += [
        Figure(f"{one.stem}-f", against(alpha_name(alpha)), "The best of the α tried.")
        for alpha in best
    ]
    text = f"Against {one.name}. Below 0 a higher F goes with a lower score."
    figures.append(Figure(f"{one.stem}-r2", correlation.r2_by_alpha(one.table), text, wide=True))
    return figures


def _predictions(outside: Sequence[Outside]) -> Table:
    """Return the correlations of 1 - AER, balanced F and the best F with each score."""
    rows = []
    for one in outside:
        for row in one.shown().iter_rows(named=True):
            name = "1 − AER" if row["alpha"] is None else f"F (α = {row['alpha']:g})"
            figures = [_figure(row[name]) for name in ("pearson", "r2", "spearman")]
            mark = "best α" if row["best"] else ""
            rows.append([one.name, name, KINDS[row["annotation"]], mark, *figures])
    return Table(["Score", "Measure", "Gold links", "", "r", "r²", "ρ"], rows, texts=4)


def _by_text(scores: pl.DataFrame) -> Table:
    """Return AER by model and method, a column an amount of text."""
    runs = scores["run"].unique(maintain_order=True).to_list()
    wide = scores.pivot("run", index=["model", "group"], values="aer")
    rows = [
        [model, group, *(_figure(figure) for figure in figures)]
        for model, group, *figures in wide.select("model", "group", *runs).iter_rows()
    ]
    strong = frozenset(
        (at, column)
        for column, run in enumerate(runs, 2)
        for model in wide["model"].unique()
        for at in _best(wide.with_columns(pl.col(run).neg()), run, model)
    )
    heads = ["Model", "Joined by", *(_amount(run) for run in runs)]
    return Table(heads, rows, strong, title="AER by the amount of text", texts=2)


def _best(table: pl.DataFrame, name: str, model: str) -> list[int]:
    """Return the rows of a model's highest figure."""
    mine = table.with_row_index("at").filter(model=model)
    return mine.filter(pl.col(name) == pl.col(name).max())["at"].to_list()


def _scores(scores: pl.DataFrame, model: str) -> Table:
    """Return all measures of a model's alignments; the best of each amount of text is marked."""
    names = ["precision", "recall", "aer", *map(alpha_name, ALPHAS)]
    signs = [1, 1, -1, 1, 1, 1]
    strong = set()
    numbered = scores.with_row_index("at")
    for column, (name, sign) in enumerate(zip(names, signs, strict=True), 2):
        figure = sign * pl.col(name)
        best = numbered.filter(figure == figure.max().over("run"))
        strong |= {(at, column) for at in best["at"]}
    rows = [
        [_amount(run), group, *(_percent(figure) for figure in figures)]
        for run, group, *figures in scores.select("run", "group", *names).iter_rows()
    ]
    heads = ["Text", "Joined by", "P", "R", "AER", *(f"F({alpha:g})" for alpha in ALPHAS)]
    title = f"Precision, recall, AER and F of alignments by {model}, in percent"
    return Table(heads, rows, frozenset(strong), title=title, texts=2)


def _statements(about: str, several: Findings) -> Table:
    rows = [
        [statement, "holds" if holds else "does not hold", figures]
        for statement, (holds, figures) in several.items()
    ]
    heads = ["Statement", "Here", "Figures"]
    return Table(heads, rows, title=about, texts=3)


def _amount(run: str) -> str:
    """Return ``1/16`` for the run ``1-16`` and ``×2`` for ``x2``."""
    return run.replace("1-", "1/").replace("x", "×")


def _figure(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"


def _percent(value: float | None) -> str:
    return "undefined" if value is None else f"{100 * value:.1f}"
