"""The report of translation scores: systems, segments, features, matchings, human judgements."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

from alignframe.errors import number_of
from alignframe.links.gold import BANDS
from alignframe.options import checked
from alignframe.pages.page import Figure, Page, Table
from alignframe.pages.ranked import differences_sorted
from alignframe.pages.sentences import CHOSEN, DIFFERENT, left_out
from alignframe.pages.tables import (
    leading,
    p_value,
    ranked_how,
    score_table,
    scored_how,
    with_ranks,
)
from alignframe.result import signatures
from alignframe.stats.conclusions import ranking, spans, tested
from alignframe.tesla import charts
from alignframe.tesla import feature_charts as tesla_features
from alignframe.tesla.matching_charts import segments_shown
from alignframe.tesla.meta_page import (
    agreement,
    agreement_notes,
    agreement_said,
    caution_of,
    counted_on,
    figures_of,
    meta_table,
    negated,
    points_of,
)
from alignframe.typing import Arguments, FromZero, IntoFrame, Rare

if TYPE_CHECKING:
    from alignframe.tesla.meta import Meta
    from alignframe.tesla.model import Model
    from alignframe.tesla.scored import TeslaScores


@checked
def tesla_page(
    found: TeslaScores,
    *,
    rankings: IntoFrame | None = None,
    pair: str | None = None,
    segments: Sequence[FromZero] | None = None,
    similarity: Rare[str] = "ms",
    baseline: str | None = None,
    meta: Meta | Mapping[str, Meta] | None = None,
    tables: Sequence[Table] = (),
    notes: Sequence[str] = (),
    title: Rare[str | None] = None,
) -> Page:
    """Build the report of scores: ranked systems, segment distributions, features, texts.

    Parameters
    ----------
    found
        A result of ``alignframe.tesla.score``; each of the columns it is grouped by, or else the
        length of the reference, has a table.
    rankings
        Human rankings to evaluate the scores against: WMT's .csv, METEOR's .rank, or ranking, sid,
        system, rank (.csv, .jsonl or .parquet). In Python, also a frame.
    pair
        Language pair of the rankings, such as fr-en or French-English; by default the one whose
        systems are scored.
    segments
        Segments to show with texts and matchings, counted from 0. By default all, or as many as a
        page can hold, those on which systems differ most first; the first of 5 to 40 words have
        matchings of the best and the worst system.
    similarity
        Similarity of the matchings shown. ``ms``: of lemmas and synonyms; ``lem``: of lemmas;
        ``pos``: of tags.
    baseline
        The system whose differences from the others are tested; by default the best one.
    meta
        Agreement with human rankings, from ``alignframe.tesla.meta.meta``; several by language
        pair.
    tables, notes
        More of them for the end of the page.
    title
        Title of the page; by default with the metric.

    Returns
    -------
    Page
        ``write`` writes an HTML file, ``write_figures`` images.

    Raises
    ------
    InputError
        If a file cannot be read, a segment does not exist, or there is nothing to show.

    Examples
    --------
    >>> from alignframe import report, tesla
    >>> how, ref = tesla.Analysis.of(tagger="none"), ["the cat sat"]
    >>> found = tesla.score({"a": ref, "b": ["cat"]}, ref, analysis=how, bootstrap=0)
    >>> report.tesla_page(found).table.rows
    [['a', '1.0000', '1'], ['b', '0.1282', '1']]
    """
    from alignframe.tesla.explain import check_similarity
    from alignframe.tesla.rankings import rankings_of

    check_similarity(similarity)
    known, whole = found.of_segments, replace(found, by=[])
    texts, systems = known.texts, _frame(whole.scores)
    scored = charts.in_order(systems)
    order = scored["system"].to_list()
    signature = signatures(systems)
    made: Any = whole.evaluated(baseline)
    tests, ranks = made.comparisons, made.ranks
    tests_said = [tested(tests)] * bool(tests.height)
    if rankings is not None:
        ranked = rankings_of(rankings, set(systems["system"]), pair)
        meta = agreement(ranked, found, texts.metric if texts else "m")
    units = _segments(systems)
    shown = _systems_figures(found.of_segments.frame, scored, systems, units)
    shown[1:1] = differences_sorted(tests, units)
    if texts and texts.metric == "f" and texts.model is not None:
        chart = tesla_features.feature_weights(shares_of(texts.model))
        shown.append(Figure("weights", chart, _WEIGHTS, wide=True))
    agreeing, more, marks = agreement_parts(meta)
    listed = (
        None
        if texts is None
        else segments_shown(
            *(known, texts, order, segments, similarity, found.options.get("bands", BANDS))
        )
    )
    groups = [] if known.about is None else found.by or ["length"]
    segment_tables = [table for name in groups for table in group_tables(found, name, order)]
    if listed is not None:
        notes = [_MATCHING, *[_SEVERAL] * (len(texts.references) > 1 if texts else 0), *notes]
    every = found.of_segments.frame.drop_nulls("score")["sid"].n_unique()
    left = left_out(listed, every, DIFFERENT if segments is None else CHOSEN)
    return Page(
        title=_title(signature) if title is None else title,
        lead=_lead(systems, tests, signature),
        about=f"{number_of(systems.height, 'system')}, {units}." + left,
        table=_systems_table(scored, systems, tests, ranks),
        figures=[*shown, *more],
        tables=[*agreeing, *segment_tables, *tables],
        notes=[_DEFINITIONS, *notes, *marks, *tests_said, *ranked_how(ranks)],
        signature=signatures(systems, tests, ranks),
        sentences=listed,
    )


def meta_page(
    meta: Meta | Mapping[str, Meta], *, title: str = "Agreement with human judgements"
) -> Page:
    """Return the page of metrics evaluated against human rankings, by language pair if several."""
    (table,), figures, notes = agreement_parts(meta)
    return Page(title, agreement_said(meta), table, figures, notes=notes)


def agreement_parts(
    meta: Meta | Mapping[str, Meta] | None,
) -> tuple[list[Table], list[Figure], list[str]]:
    """Return the tables, charts and notes that show agreement with human judgements."""
    if meta is None:
        return [], [], []
    figures, points = figures_of(meta), points_of(meta)
    chart = charts.metric_against_human(points, "human score: share of wins")
    shown = [
        Figure("human", chart, f"{caution_of(meta)} {negated(meta)}".strip(), wide=True),
        Figure("metrics", charts.metrics_compared(figures), _COMPARED, wide=True),
    ]
    counts = [f"{pair}, {text}" for pair, text in counted_on(meta).items()]
    table = meta_table(figures, counts[0] if len(counts) == 1 else "")
    return [table], shown, agreement_notes(meta)


_FEATURES = (
    "▲: better than the mean of all systems, ▼: worse, in the colours above. A system "
    "that is worse in orders 2 and 3 than in order 1 has the right words in the wrong order."
)

_COLUMNS = 6
"""The maximum number of systems side by side in a table."""

_WEIGHTS = (
    "How much the score changes when a feature goes from its lowest to its highest value: model "
    "weights times feature ranges, as shares of their sum."
)

_MATCHING = (
    "Matchings are of n-grams of the translation with those of the reference. Their weights are "
    "their counts, discounted for every function word."
)

_SEVERAL = "Matchings are with the first reference."

_COMPARED = (
    "Consistency is the share of human preferences that a metric orders the same way; Kendall's "
    "τ is that share minus the share that it orders the other way, with its own ties as wrong "
    "(WMT12), left out (WMT13) or in the denominator only (WMT14)."
)

_DEFINITIONS = (
    "Definitions: Dahlmeier, Liu & Ng 2011, TESLA at WMT 2011: translation evaluation and tunable "
    "metric. A feature is the F-measure of the bags of n-grams of a translation and its reference."
)


def shares_of(model: Model) -> pl.DataFrame:
    """Return the share of each feature in a model's score: feature and share."""
    low, high = model.scale
    triples = zip(model.names, model.weights, model.ranges, strict=True)
    # A weight alone says little: features differ in how far they range.
    rows = [(name, weight * (top - least) / (high - low)) for name, weight, (least, top) in triples]
    return pl.DataFrame(rows, ["feature", "share"], orient="row")


def group_tables(scored: TeslaScores, by: str, order: Sequence[str]) -> list[Table]:
    """Return the best systems' scores by a column, one row per group; None for a single group."""
    scores = replace(scored, by=[by]).scores.with_columns(pl.col(by, "system").cast(pl.String))
    groups = (
        scores.select(by, n="segments").group_by(by, maintain_order=True).agg(pl.col("n").max())
    )
    if groups.height < 2:
        return []
    systems = order[:_COLUMNS]
    for at, name in enumerate(systems):
        ends = {end: f"{at}{end.removeprefix('score')}" for end in scores.columns if "score" in end}
        own = scores.filter(system=name).select(by, *ends).rename(ends)
        groups = groups.join(own, on=by, how="left", maintain_order="left")
    shown = {by: by.capitalize(), "n": "Segments"}
    shown |= {str(at): name for at, name in enumerate(systems)}
    title = "Scores by length of the reference, in words" if by == "length" else f"Scores by {by}"
    left_out = len(order) - len(systems)
    caption = f"The best {len(systems)} of {len(order)} systems." if left_out else ""
    look: Arguments = {"title": title, "caption": caption, "wide": True}
    return [score_table(groups, shown, form=".3f", picks={"length": "Length"}, **look)]


def _systems_figures(
    segments: pl.DataFrame, scored: pl.DataFrame, systems: pl.DataFrame, units: str
) -> list[Figure]:
    ranked, said = charts.system_ranking(scored), spans(systems, units, where="Bars")
    figures = [
        Figure("systems", ranked, said, signature=signatures(systems)),
        Figure("distributions", charts.score_distributions(segments, scored)),
    ]
    if tesla_features.feature_names(segments):
        caption = _FEATURES if scored.height > 1 else ""
        chart = tesla_features.feature_profile(segments, scored)
        figures.append(Figure("features", chart, caption, wide=True))
    return figures


def _title(signature: str) -> str:
    """Return the title of a page of scores, with the metric."""
    metric = _metric(signature)
    return "Translation quality" + (f" by {metric}" if metric else "")


def _metric(signature: str) -> str:
    """Return the metric of a signature, if it has one."""
    metric = re.search(r"(?<=metric:)[^|\s]+", signature)
    return metric[0].upper() if metric else ""


def _lead(systems: pl.DataFrame, differences: pl.DataFrame, signature: str) -> str:
    name = f"{_metric(signature)} score".lstrip()
    return ranking(systems, differences, {"score": name}, units=_segments(systems))


def _segments(systems: pl.DataFrame) -> str:
    return number_of(max(systems["segments"].drop_nulls(), default=0), "segment")


def _frame(table: pl.DataFrame) -> pl.DataFrame:
    return table.with_columns(pl.col("system").cast(pl.String))


def _systems_table(
    scored: pl.DataFrame, systems: pl.DataFrame, differences: pl.DataFrame, ranks: pl.DataFrame
) -> Table:
    """Return the systems, best first, and those without a score last.

    Where differences were tested, p-values are shown, and the leaders are marked.
    """
    every = pl.concat(
        [scored, systems.join(scored, on="system", how="anti")], how="diagonal_relaxed"
    ).join(systems.select("system", n="segments"), on="system", how="left", maintain_order="left")
    every = every.with_columns(pl.col("n").fill_null(0))
    every, heads = with_ranks(every, ranks, {"system": "System", "score": "Score"})
    if differences.height:
        heads["p"] = f"p, against {differences['baseline'][0]}"
        tests = differences.select("system", p="p_corrected")
        every = every.join(tests, on="system", how="left", maintain_order="left")
        shown = pl.Series("p", ["" if value is None else p_value(value) for value in every["p"]])
        every = every.with_columns(shown)
    said = scored_how(systems, ranks, _segments(systems))
    return score_table(every, heads | {"n": "Segments"}, best=leading(ranks), caption=said, texts=1)
