"""The page of alignments of varying quality."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

from alignframe.core.figures import alpha_name, link_figures
from alignframe.errors import number_of
from alignframe.links import vary_charts as charts
from alignframe.links.studied import Studied
from alignframe.pages.page import Figure, Page, Table, drawn
from alignframe.pages.tables import score_table
from alignframe.pages.theme import heading
from alignframe.stats.conclusions import listed_names

_NOTE = (
    "The experiment of Fraser & Marcu 2007, Computational Linguistics 33(3), section 2.3: "
    "pieces are aligned separately, each with the whole gold text, and scores are means over "
    "the pieces of a run. ×2 is a run on twice the text, 1/16 a run in sixteen pieces."
)

_SPELT = {"aer": "AER"}


def studied_page(studied: Studied, *, title: str = "Alignments of varying quality") -> Page:
    """Build the page: measures by amount of text and method.

    Parameters
    ----------
    studied
        A result of ``alignframe.links.read_study``.
    title
        Title of the page.
    """
    scores = studied.scores
    models = with_model(scores)["model"].unique(maintain_order=True)
    return Page(
        title,
        text_findings(scores),
        _by_text(scores),
        figures_of(scores),
        [_every(scores, model) for model in models],
        [_NOTE],
        scores["signature"][0],
        about=made_of(studied),
    )


def made_of(study: Studied) -> str:
    """Say what a study is made of."""
    return (
        f"{study.pairs:,} sentence pairs, "
        f"{number_of(study.counts['sid'].n_unique(), 'gold sentence')}: "
        f"{number_of(study.scores.height, 'alignment')} from "
        f"{number_of(study.scores['run'].n_unique(), 'amount')} of text."
    )


def text_findings(scores: pl.DataFrame) -> str:
    """Describe whether more text makes better alignments, and which method is best."""
    return _findings(scores, ["aer", *_f_names(scores)[:1]])


def _findings(scores: pl.DataFrame, names: Sequence[str]) -> str:
    best = _most_often_best((scores, name) for name in names)
    return f"{_more_text(scores, names)} {best}".strip()


def _more_text(scores: pl.DataFrame, names: Sequence[str]) -> str:
    """Say how often more text improves measures; empty for a single amount of text."""
    said = []
    for name in names:
        growth = steps(scores, name)
        better, all_steps = growth["better"].sum(), growth["steps"].sum()
        if all_steps:
            moves = "lowers" if name == "aer" else "raises"
            said.append(f"{moves} {_title(name)} at {better} of {all_steps} steps")
    return f"More text {' and '.join(said)}." if said else ""


def _most_often_best(figures: Iterable[tuple[pl.DataFrame, str]]) -> str:
    """Say which method has the best figures at most amounts of text; empty for a single method."""
    firsts = []
    for scores, name in figures:
        if scores["group"].n_unique() < 2:
            continue
        best = winners(scores).filter(measure=name)
        groups = [name for name in best.columns if name not in ("model", "measure")]
        won = best.select(groups).sum().row(0, named=True)
        most = max(won.values())
        if most:
            leading = [group for group in groups if won[group] == most]
            times = f"{most} of {_amounts(scores, name)}" + " each" * (len(leading) > 1)
            firsts.append(f"by {_title(name)} {listed_names(leading)} ({times})")
    return f"The method that is most often best is {', '.join(firsts)}." if firsts else ""


def _trade(scores: pl.DataFrame) -> str:
    """Say how often the more precise of two methods on the same text has the lower recall."""
    known = with_model(scores).select("model", "run", "group", "precision", "recall").drop_nulls()
    both = known.join(known, on=["model", "run"]).filter(pl.col("group") < pl.col("group_right"))
    product = pl.col("precision") - pl.col("precision_right")
    product *= pl.col("recall") - pl.col("recall_right")
    traded = both.filter(product < 0).height
    if not both.height:
        return ""
    return (
        "Of two methods on the same text, the one with the higher precision has the lower recall "
        f"in {traded} of {number_of(both.height, 'pair')}."
    )


def _amounts(scores: pl.DataFrame, name: str) -> int:
    return with_model(scores).drop_nulls(name).select("model", "run").unique().height


def _f_names(scores: pl.DataFrame) -> list[str]:
    """Return the columns of F to show: the usual α that all studies have."""
    each = with_model(scores).group_by("model").agg(pl.col("^f_.*$").count() > 0)
    known = [name for name in each.columns if name != "model" and each[name].all()]
    usual = [name for name in map(alpha_name, charts.ALPHAS) if name in known]
    return usual or known[: len(charts.ALPHAS)]


def figures_of(scores: pl.DataFrame) -> list[Figure]:
    """Return the charts of a study, with captions that follow from what they draw."""
    figures = []
    keys = ("model", "run", "group", "value")
    if (scores["aer"].drop_nulls() > 0).any():
        chart = charts.aer_by_text(scores)
        text = _findings(drawn(chart, *keys).rename({"value": "aer"}), ["aer"])
        figures.append(Figure("aer-by-text", chart, f"{text} Both axes are logarithmic.", True))
    alphas = [float(name.removeprefix("f_")) for name in _f_names(scores)]
    if alphas:
        chart = charts.f_by_text(scores, alphas)
        shown = drawn(chart, *keys, "alpha")
        best = _most_often_best(
            (shown.filter(alpha=f"α = {alpha:g}").rename({"value": name}), name)
            for alpha in dict.fromkeys((min(alphas), max(alphas)))
            for name in [alpha_name(alpha)]
        )
        text = f"A low α weights recall. {best}".strip()
        figures.append(Figure("f-by-text", chart, text, wide=True))
    if scores.drop_nulls(["precision", "recall"]).height:
        chart = charts.precision_by_recall(scores)
        shown = drawn(chart, *keys, "recall").rename({"value": "precision"})
        text = f"{_more_text(shown, ['precision', 'recall'])} {_trade(shown)}".strip()
        figures.append(Figure("precision-recall", chart, text, wide=True))
    return figures


def labels_of(scores: pl.DataFrame) -> dict[str, str]:
    """Return the label of a system's point: its amount of text, and its model."""
    rows = with_model(scores).select("system", "model", "run").iter_rows()
    return {system: f"{model} {_amount(run)}".strip() for system, model, run in rows}


def _by_text(scores: pl.DataFrame) -> Table:
    """Return AER by model and method, one column per amount of text."""
    runs = scores["run"].unique(maintain_order=True).to_list()
    wide = with_model(scores).pivot("run", index=["model", "group"], values="aer")
    heads = {"model": "Model"} if wide["model"].n_unique() > 1 else {}
    return score_table(
        wide,
        {**heads, "group": "Joined by", **{run: _amount(run) for run in runs}},
        blank=True,
        title="AER by the amount of text",
    )


def _every(scores: pl.DataFrame, model: str) -> Table:
    """Return all measures of a model's alignments."""
    figures = [*(figure.name for figure in link_figures({})), *_f_names(scores)]
    own = with_model(scores).filter(model=model).with_columns(pl.col(figures) * 100)
    heads = {
        "text": "Text",
        "group": "Joined by",
        **{name: heading(_title(name)) for name in figures},
    }
    said = f"Every alignment{f' by {model}' if model else ''}, in percent"
    return score_table(
        own.with_columns(text=pl.Series(map(_amount, own["run"]), dtype=pl.String)),
        heads,
        form=".1f",
        title=said,
        wide=True,
    )


def _title(name: str) -> str:
    return f"F({name.removeprefix('f_')})" if name.startswith("f_") else _SPELT.get(name, name)


def _amount(run: str) -> str:
    """Return ``1/16`` for the run ``1-16`` and ``×2`` for ``x2``."""
    return run.replace("1-", "1/").replace("x", "×")


_KEYS = ("model", "group")


def steps(scores: pl.DataFrame, measure: str) -> pl.DataFrame:
    """Return how often more text is better, by model and method, of runs in that order."""
    better = pl.col(measure).diff().drop_nulls() * (-1 if measure == "aer" else 1) > 0
    return (
        with_model(scores)
        .group_by(*_KEYS, maintain_order=True)
        # first and last are with the least and the most text; steps counts the increases of it,
        # better those that improve the measure (lower for AER).
        .agg(
            first=pl.col(measure).first(),
            last=pl.col(measure).last(),
            better=better.sum().cast(pl.Int64),
            steps=pl.col(measure).count().cast(pl.Int64) - 1,
        )
    )


def winners(scores: pl.DataFrame) -> pl.DataFrame:
    """Return for how many amounts of text each method is best; ties count for all."""
    wanted = [name for name in scores.columns if name == "aer" or name.startswith("f_")]
    long = (
        with_model(scores)
        .with_columns(-pl.col("^aer$"))
        .unpivot(wanted, index=["model", "run", "group"], variable_name="measure")
    )
    best = long.filter(pl.col("value") == pl.col("value").max().over("model", "run", "measure"))
    table = best.pivot("group", index=["model", "measure"], values="run", aggregate_function="len")
    return table.select("model", "measure", pl.exclude("model", "measure").fill_null(0))


def agreement(scores: pl.DataFrame) -> pl.DataFrame:
    """Return Spearman's rho of F with 1 - AER, one row per α."""
    rows = []
    for name in scores.select("^f_.*$").columns:
        rho = pl.corr(name, 1 - pl.col("aer"), method="spearman")
        within = with_model(scores).group_by(_KEYS).agg(rho=rho)["rho"].fill_nan(None)
        rows.append(
            {
                "alpha": float(name.removeprefix("f_")),
                # all is over all alignments; within the least over groups of a model and a method.
                "all": scores.select(rho).item(),
                "within": within.min(),
            }
        )
    return pl.DataFrame(rows, schema={"alpha": pl.Float64, "all": pl.Float64, "within": pl.Float64})


def with_model(scores: pl.DataFrame) -> pl.DataFrame:
    """Return scores with a column model, empty for a single model."""
    return scores if "model" in scores.columns else scores.with_columns(model=pl.lit(""))
