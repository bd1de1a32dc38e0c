"""The page of how well alignment measures predict an external score, and its parts."""

from __future__ import annotations

import polars as pl

from alignframe import stats
from alignframe.core.choices import CHOSEN
from alignframe.core.figures import alpha_name
from alignframe.core.rounding import percent_of
from alignframe.errors import number_of
from alignframe.links import correlation_charts as charts
from alignframe.links.correlation import Correlated
from alignframe.links.vary_page import labels_of, studied_page
from alignframe.pages.page import Figure, Page, Table, drawn
from alignframe.pages.tables import interval, p_value, score_table
from alignframe.stats.conclusions import level_of
from alignframe.stats.predictions import ANNOTATION_WORDS, measure_words, too_few_orders

_TITLE = "Which alignment measure predicts translation quality"
_EVEN = 0.5
_HEADS = {"pearson": "r", "r2": "r²", "r2_left_out": "left out"}


def correlated_page(correlated: Correlated, *, title: str | None = None) -> Page:
    """Return the page of correlations, of a study with what its own page shows.

    Parameters
    ----------
    correlated
        A result of ``alignframe.links.correlate``.
    title
        Title of the page; by default it names what is shown.
    """
    said = number_of(correlated.counts["sid"].n_unique(), "gold sentence")
    page = Page(_TITLE, "", None, [], about=f"Measured on {said}.")
    if correlated.study is not None:
        page = studied_page(correlated.study)
    return Page(
        page.title if title is None else title,
        correlated.conclusion,
        summary_of(correlated),
        [*figures_of(correlated), *page.figures],
        [*page_tables_of(correlated), *filter(None, [page.table]), *page.tables],
        [*page.notes, *notes_of(correlated)],
        correlated.signature,
        about=page.about,
    )


def figures_of(correlated: Correlated) -> list[Figure]:
    """Return measures against the score (the paper's figures 1 to 8), and r² by α."""
    best = {r["annotation"]: r["alpha"] for r in correlated.every.filter("best").rows(named=True)}
    wanted = [("one-minus-aer", "1-aer", "sure-possible", "The usual measure.")]
    for kind in ("sure-possible", "sure"):
        words = ANNOTATION_WORDS[kind]
        wanted.append((f"f-{kind}-even", alpha_name(_EVEN), kind, f"Balanced F on {words}."))
    for kind, value in best.items():
        text = f"F at the best of the α tried, {value:g}, on {ANNOTATION_WORDS[kind]}."
        wanted.append((f"f-{kind}-best", alpha_name(value), kind, text))
    values = stats.measure_values(correlated.counts, alpha=[_EVEN, *best.values()])
    labels = None if correlated.study is None else labels_of(correlated.study.scores)
    figures: list[Figure] = []
    shown: set[tuple[float, ...]] = set()
    for name, measure, kind, text in wanted:
        own = values.filter(measure=measure, annotation=kind).sort("system")["value"]
        key = tuple(own.fill_null(-1.0).round(9))
        if key in shown:  # the best α may be 0.5, or all links Sure: the same points again
            continue
        shown.add(key)
        chart = charts.measure_against_score(
            values,
            correlated.external,
            measure=measure,
            annotation=kind,
            score_name=correlated.score_name,
            labels=labels,
        )
        figures.append(Figure(name, chart, text))
    if best:
        chart = charts.r2_by_alpha(correlated.correlations)
        level = correlated.every.filter(measure="1-aer")["pearson"].count() > 0
        said = ["The dashed level is that of 1 − AER."] * level
        if (drawn(chart, "alpha", "r2")["r2"] < 0).any():
            better = "better" if correlated.lower_is_better else "worse"
            said.append(
                "Where the line is below 0, a higher F goes with a lower score, which is "
                f"{better}: r² has r's sign."
            )
        figures.append(Figure("r2-by-alpha", chart, " ".join(said), wide=True))
    if correlated.groups and best:
        text = "A measure that predicts well must do so over all systems, not only in a group."
        figures.append(
            Figure("r2-by-group", charts.r2_by_group(correlated.correlations), text, wide=True)
        )
    return figures


def summary_of(correlated: Correlated) -> Table:
    """Return the usual measures and the best one, also within groups."""
    wanted = (
        (pl.col("measure").is_in(["1-aer", CHOSEN]))
        | pl.col("best")
        | ((pl.col("alpha") == _EVEN) & (pl.col("annotation") != "possible"))
    )
    several = correlated.every["alpha"].drop_nulls().n_unique() > 1  # a single α was not selected
    best = pl.col("best") & several
    frame = _worded(correlated.every.filter(wanted)).with_columns(
        pl.concat_str("measure", pl.when(best).then(pl.lit(" (best α)")).otherwise(pl.lit("")))
    )
    heads = {"measure": "Measure", "links": "Gold links", **_HEADS}
    keys = ["measure_name", "annotation"]
    for at, group in enumerate(correlated.groups):
        own = _worded(correlated.correlations.filter(group=group)).select(
            *keys, (pl.col("pearson") * pl.col("pearson").abs()).alias(f"group_{at}")
        )
        frame = frame.join(own, on=keys, how="left", maintain_order="left", nulls_equal=True)
        heads[f"group_{at}"] = group
    said = "The columns on the right are r² within each group." if correlated.groups else ""
    return score_table(
        frame,
        heads,
        best=dict.fromkeys(_HEADS, best),
        form=".3f",
        blank=pl.col("measure_name") == CHOSEN,
        caption=said,
    )


def _worded(rows: pl.DataFrame) -> pl.DataFrame:
    """Return rows with their measure and gold links in words."""
    words = [(measure_words(row), _short(row["annotation"])) for row in rows.iter_rows(named=True)]
    named = pl.DataFrame(words, {"measure": pl.String, "links": pl.String}, orient="row")
    return rows.rename({"measure": "measure_name"}).hstack(named)


def page_tables_of(correlated: Correlated) -> list[Table]:
    """Return all measures with every figure, and the stability of the best α."""
    share = correlated.every["best_share"].count() + correlated.every["best_left_out"].count()
    return [_full_table(correlated), *([_stability(correlated)] if share else [])]


def _full_table(correlated: Correlated) -> Table:
    resampled = bool(correlated.every["r2_low_systems"].count())
    known = correlated.every["r2_low_sentences"].count()
    rows = correlated.every.filter(pl.col("measure") != CHOSEN)
    ends = rows.select("r2_low_systems", "r2_high_systems").iter_rows()
    frame = _worded(rows).with_columns(
        r2_low="r2_low_sentences",
        r2_high="r2_high_sentences",
        over_systems=pl.Series([interval(low, high, ".3f") for low, high in ends], dtype=pl.String),
    )
    heads = {"measure": "Measure", "links": "Gold links", "pearson": "r", "r2": "r²"}
    heads |= {"over_systems": "over systems"} if resampled else {}
    p = "p_corrected" if resampled else "p_value"
    heads |= {"r2_left_out": "left out", p: "p", "spearman": "ρ", "kendall": "τ"}
    _, level = level_of(correlated.signature)
    said = [f"Below r² is its {percent_of(level)} interval over resampled sentences."] * bool(known)
    said += [f"Over systems: its {percent_of(level)} interval over these."] * resampled
    said += [_p_said(correlated, resampled)]
    return score_table(
        frame,
        heads,
        best=dict.fromkeys(list(heads)[2:], pl.col("best")),
        form=".3f",
        forms={p: p_value},
        title="Every measure",
        caption=" ".join(said),
        wide=True,
    )


def _p_said(correlated: Correlated, corrected: bool) -> str:
    """Return what the p-values are, and whether none can be significant."""
    if not corrected:
        return "p is two-sided, and not corrected for the number of measures."
    said = "p is two-sided, and corrected for the number of measures by step-down max-T over "
    said += "permutations of the scores (Westfall & Young 1993)"
    systems = correlated.every["systems"][0]
    few = too_few_orders(systems, level_of(correlated.signature)[1])
    return f"{said}; of {systems} systems, {few}." if few else f"{said}."


def _stability(correlated: Correlated) -> Table:
    """Return how often an α is best in resamples of sentences and in leave-one-out runs."""
    known = correlated.every.drop_nulls("alpha").sort("alpha", maintain_order=True)
    kinds = correlated.every.drop_nulls("alpha")["annotation"].unique(maintain_order=True)
    wide = known.pivot(
        "annotation", index="alpha", values=["best_share", "best_left_out"], separator="|"
    )
    said = {
        "best_share": "in resamples of sentences",
        "best_left_out": "in the runs that leave one system out",
    }
    ways = {"best_share": "sentences", "best_left_out": "systems"}
    ways = {name: way for name, way in ways.items() if known[name].count()}
    heads = {
        f"{name}|{kind}": f"{_short(kind)}: {way}" for kind in kinds for name, way in ways.items()
    }
    return score_table(
        wide.with_columns(alpha=pl.Series([f"α = {alpha:g}" for alpha in wide["alpha"]])),
        {"alpha": "", **heads},
        form=".0%",
        blank=True,
        title="Certainty of the best α",
        caption="How often each α is the best of its annotation: "
        + f"{', and '.join(said[name] for name in ways)}.",
        wide=True,
    )


def notes_of(correlated: Correlated) -> list[str]:
    """Return the notes needed to read the page."""
    extreme = "lowest" if correlated.lower_is_better else "highest"
    notes = [
        "Definitions: Fraser & Marcu 2007, Computational Linguistics 33(3), sections 3.1-3.3. "
        "r² is the share of the score's variance that a straight line on the measure explains.",
        f"The best α of an annotation has the {extreme} Pearson correlation: r² alone would "
        "reward a measure that predicts the wrong way.",
        "Left out: each system is predicted by the line through all others; 1 is perfect, 0 "
        "is no better than their mean. If α is also chosen on the others, the value is "
        "comparable with that of a measure that was not chosen.",
    ]
    if correlated.groups:
        notes.append("r² within a group is shown below 0 where the score falls.")
    resamples, level = level_of(correlated.signature)
    if resamples:
        every = correlated.every
        kinds = {
            "sentences": "of sentences, for the uncertainty of the measures",
            "systems": "of systems, for how much r² depends on a few of them",
        }
        said = "; ".join(kinds[kind] for kind in kinds if every[f"r2_low_{kind}"].count())
        if said:
            share = percent_of(level)
            notes.append(f"Intervals ({share}) are over {resamples:,} resamples: {said}.")
    return notes


def _short(annotation: str) -> str:
    return ANNOTATION_WORDS[annotation].replace(" links", "")
