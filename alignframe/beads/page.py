"""The report of sentence aligners under noise, and of tuning."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from os import PathLike
from typing import Any

import polars as pl
import pyarrow as pa

from alignframe.beads import charts
from alignframe.beads import dot_charts as dots
from alignframe.beads.measure import COUNTS, beads_measure
from alignframe.core.arrow import require_columns, to_table
from alignframe.errors import InputError, number_of
from alignframe.pages.forms import in_turn
from alignframe.pages.page import Figure, Page, Table
from alignframe.stores.footers import open_parquet
from alignframe.typing import IntoFrame, Row

_GRIDS = (
    ("pair_recall", "The share of correct sentence pairs that the aligner finds."),
    ("alignment_rate", "The share of sentences that it pairs, correctly or not."),
    ("pair_precision", "The share of the pairs found that are correct."),
)

_LEAST_GRID = 4
"""The minimum number of pairs of rates for a heat map."""

KEYS = charts.KEYS
"""The columns that identify a row of a study."""

MEASURES = tuple(charts.MEASURES)
"""The columns of precision, recall and alignment rate in a study."""

MEAN = "mean of all"

_ADVERSARIES = ("randomize", "length-aligned", "different")


def read_table(path: str | PathLike[str], expected: str = "a Parquet file") -> pa.Table:
    """Read a study, or another table of the page, from a Parquet file."""
    with open_parquet(path, expected) as file:
        return file.read()


def summed(study: object) -> pl.DataFrame:
    """Sum the counts of rows of the same corpus, scenario and method, and score the sums.

    ``study`` has concatenated tables of ``alignframe.beads.study``, for example of the two halves
    of a corpus under one name. The result has no ``seed``, and its rows are in order of first
    occurrence; ``seconds`` are summed, and different signatures concatenated.
    """
    table = to_table(study)
    require_columns(table.schema, [*KEYS, *COUNTS, "seconds", "signature"], "the study")
    rows = pl.DataFrame(pl.from_arrow(table)).with_columns(
        pl.col("corpus", "scenario", "method", "signature").cast(pl.String)
    )
    sums = rows.group_by(KEYS, maintain_order=True).agg(
        pl.col(COUNTS).cast(pl.Int64).sum(),
        pl.col("seconds").sum(),
        pl.col("signature").unique(maintain_order=True).str.join(" "),
    )
    return sums.with_columns(beads_measure(lengths=True).columns(sums))


def beads_page(
    study: IntoFrame,
    *,
    published: IntoFrame | None = None,
    tuning: IntoFrame | None = None,
    published_tuning: IntoFrame | None = None,
    tables: Sequence[Table] = (),
    notes: Sequence[str] = (),
    title: str = "Sentence alignment under noise",
) -> Page:
    """Build the report of a study: precision, recall and alignment rate by scenario and method.

    Parameters
    ----------
    study
        One table of ``alignframe.beads.study``, or several concatenated; rows of the same corpus,
        scenario and method are summed.
    published
        Figures to compare with; see ``alignframe.beads.dot_charts.by_scenario``.
    tuning, published_tuning
        Tables of ``alignframe.beads.tune``, and figures to compare them with; see
        ``alignframe.beads.dot_charts.by_tuned``.
    tables, notes
        More of them for the end of the page.
    title
        Title of the page.

    Returns
    -------
    Page
        ``write`` writes an HTML file, ``write_figures`` images.

    Raises
    ------
    InputError
        If a column is missing, or there is nothing to show.

    Examples
    --------
    >>> from alignframe import beads, formats, report
    >>> src, tgt = (formats.read_sentences(f"datasets/en-fr/text.{one}") for one in ("en", "fr"))
    >>> found = beads.study(src, tgt, scenarios=["clean"], methods="len")
    >>> report.beads_page(found).table.rows
    [['corpus', 'clean', '100.0', '100.0', '100.0']]
    """
    rows = summed(study)
    if not rows.height:
        raise InputError("a study without rows", expected="at least one")
    more = [tuned(tuning, published_tuning)] if tuning is not None else []
    return Page(
        title=title,
        lead=_lead(rows),
        about=_about(rows),
        table=compared(rows, published),
        figures=_figures(rows, published, tuning, published_tuning),
        tables=[*more, *tables],
        notes=[*_notes(rows), *notes],
        signature=" ".join(rows["signature"].unique(maintain_order=True)),
    )


def _lead(rows: pl.DataFrame) -> str:
    """Return which method finds the most pairs, on average over scenarios with some to find."""
    fair = rows.filter(~pl.col("scenario").is_in(_ADVERSARIES))
    fair = fair if fair.height else rows
    texts = fair.select(KEYS[:4]).unique()
    clean = texts.filter(scenario="clean").height
    kinds = {"noisy text": texts.height - clean, "clean text": clean}
    cases = " and ".join(number_of(number, kind) for kind, number in kinds.items() if number)
    means = fair.group_by("method", maintain_order=True).agg(pl.col(MEASURES).mean())
    best, *others = means.sort(
        "pair_recall", descending=True, nulls_last=True, maintain_order=True
    ).rows(named=True)
    found, right = (percent(best[name]) for name in ("pair_recall", "pair_precision"))
    rest = (
        f"; {method_name(row['method'])} {percent(row['pair_recall'])}% and "
        f"{percent(row['pair_precision'])}%"
        for row in others
    )
    return (
        f"{method_name(best['method'])} finds {found}% of the sentence pairs with a precision of "
        f"{right}%, averaged over {cases}{''.join(rest)}."
        + " Whether they differ significantly was not tested."
        * bool(others)
    )


def _about(rows: pl.DataFrame) -> str:
    methods = charts.methods_of(rows)
    corpora = rows["corpus"].unique(maintain_order=True).to_list()
    scenarios = rows.select(KEYS[1:4]).unique().height
    return (
        f"{number_of(scenarios, 'scenario')} of noise, made of {number_of(len(corpora), 'text')} "
        f"({', '.join(corpora)}), aligned by {', '.join(map(method_name, methods))}. The correct "
        "alignment is known, since the noise was added to texts whose sentence pairs are known."
        + " Averages are without pairs out of order and other texts, where little can be found."
        * rows["scenario"].is_in(_ADVERSARIES).any()
    )


def _figures(
    rows: pl.DataFrame, published: Any, tuning: Any, published_tuning: Any
) -> list[Figure]:
    figures = []
    if shown := dots.scenarios_shown(rows):
        figures.append(
            Figure("scenarios", dots.by_scenario(rows, published), _empty_handed(shown), wide=True)
        )
    for scenario in charts.RATES:
        rates = rows.filter(scenario=scenario)
        equal = pl.col("src_rate") == pl.col("tgt_rate")
        if rates.filter(equal).height and _several(rows, equal, scenario):
            text = "Both sides have the same noise."
            if scenario == "delete":
                text += " Dashed: the rate of a perfect aligner."
            figures.append(Figure(f"{scenario}-rates", charts.by_rate(rows, scenario), text, True))
        if rates.select("src_rate", "tgt_rate").unique().height >= _LEAST_GRID:
            figures += [
                Figure(
                    f"{scenario}-{measure}", charts.heat_map(rows, measure, scenario), text, True
                )
                for measure, text in _GRIDS
            ]
    if tuning is not None:
        figures.append(
            Figure(
                "tuning",
                dots.by_tuned(tuning, published_tuning),
                "Dashed: recall without tuning.",
                wide=True,
            )
        )
    return figures


def _several(rows: pl.DataFrame, equal: pl.Expr, scenario: str) -> bool:
    """Whether there is a line to draw: two or more rates equal on both sides, including 0."""
    of_line = equal & pl.col("scenario").is_in(["clean", scenario])
    return rows.filter(of_line)["src_rate"].n_unique() > 1


def _empty_handed(shown: Sequence[tuple[str, float, float]]) -> str:
    """Return a note on scenarios whose pairs no alignment in order can find."""
    names = [one for one, *_ in shown if one in _ADVERSARIES]
    if not names:
        return ""
    listed = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    return f"In {listed}, pairs are out of order or there are none: a low alignment rate is better."


def _notes(rows: pl.DataFrame) -> list[str]:
    notes = [
        "Definitions: Zaidan & Chowdhary 2013, Evaluating (and Improving) Sentence Alignment "
        "under Noisy Conditions, sections 3 and 4. Precision and recall are of sentence pairs; "
        "the alignment rate is the share of sentences in beads with both sides, averaged over "
        "the two sides. N/A: no pairs were found."
    ]
    seconds = rows.group_by("method", maintain_order=True).agg(pl.col("seconds").sum())
    sentences = rows["n_src"].sum() / rows["method"].n_unique()
    spent = ", ".join(f"{method_name(name)} {time:,.0f} s" for name, time in seconds.iter_rows())
    return [*notes, f"Time of alignment, {sentences:,.0f} source sentences: {spent}."]


def method_name(name: str) -> str:
    """Return the paper's name for a method."""
    return charts.METHODS.get(name, name)


def percent(value: float | None) -> str:
    """Return a share in percent, or N/A as in the paper."""
    return "N/A" if value is None else f"{100 * value:.1f}"


def whole(value: float | None) -> str:
    """Return a share in the format of the paper."""
    if value is None:
        return percent(value)
    return "<1" if 0 < value < 0.01 else f"{100 * value:.0f}"


def compared(found: pl.DataFrame, published: object) -> Table:
    """Return the three measures of each method, one column each, by corpus and scenario."""
    methods, corpora = charts.methods_of(found), in_turn(found, "corpus")
    mine = _texts(found, percent, corpora)
    theirs = {} if published is None else _texts(_plain(published), whole, corpora)
    scenarios = (
        dots.scenarios_shown(found) or found.select(KEYS[1:4]).unique(maintain_order=True).rows()
    )
    rows = []
    for corpus, scenario in product([*corpora, *[MEAN] * (len(corpora) > 1)], scenarios):
        keys = [(corpus, *scenario, method) for method in methods]
        cells, below = (
            [text for key in keys for text in known.get(key, [""] * 3)] for known in (mine, theirs)
        )
        if any(cells):
            both = zip(cells, below, strict=True)
            texts = [f"{one}\n({two})" if one and two else one for one, two in both]
            rows.append([corpus, dots.scenario_name(*scenario), *texts])
    title = "Precision (P) and recall (R) of sentence pairs and alignment rate (A), in percent"
    return Table(
        ["Text", "Scenario", *(f"{method_name(name)} {one}" for name in methods for one in "PRA")],
        rows,
        title=title + (" (below: published figures)" if theirs else ""),
        texts=2,
    )


def _texts(
    rows: pl.DataFrame, form: Callable[[float | None], str], corpora: Sequence[str]
) -> dict[tuple[Any, ...], list[str]]:
    """Return the three measures by key, and their means over all texts where each has some."""
    every = rows.select(*KEYS, *MEASURES).with_columns(pl.col("src_rate", "tgt_rate").round(9))
    own = every.filter(pl.col("corpus").is_in(corpora))
    means = own.group_by(KEYS[1:]).agg(pl.col(MEASURES).mean(), pl.len())
    means = means.filter(len=len(corpora)).select(pl.lit(MEAN).alias("corpus"), *every.columns[1:])
    return {row[:5]: [form(value) for value in row[5:]] for row in (*every.rows(), *means.rows())}


def _plain(published: object) -> pl.DataFrame:
    table = to_table(published)
    require_columns(table.schema, [*KEYS, *MEASURES], "the table of published figures")
    return pl.DataFrame(pl.from_arrow(table)).with_columns(
        pl.col("corpus", "scenario", "method").cast(pl.String), pl.col(MEASURES).cast(pl.Float64)
    )


def tuned(tuning: Any, published: Any) -> Table:
    """Return recall, precision and settings by tuned parameter and rate of noise."""
    mine = _by_place(tuning)
    other = {} if published is None else _by_place(published)
    corpora, rates, names = (list(dict.fromkeys(places)) for places in zip(*mine, strict=True))
    with_settings = any(map(_setting, mine.values()))
    rows = []
    for corpus, name in product(corpora, names):
        cells = []
        for rate in rates:
            row, theirs = (one.get((corpus, rate, name), {}) for one in (mine, other))
            below = f"\n({percent(theirs['recall'])})" if theirs else ""
            mark = "" if row.get("met", True) else " *"
            cells.append(percent(row["recall"]) + mark + below if row else "")
            cells.append(percent(row.get("precision")) if row else "")
            cells += [_setting(row)] * with_settings
        rows.append([corpus, dots.tuned_name(name, published), *cells])
    heads = ["Text", "Tuned"]
    for rate in rates:
        prefix = "" if rate is None else f"{100 * rate:g}%: "
        heads += [f"{prefix}recall", "precision", *["skip, band, threshold"] * with_settings]
    title = "Effect of tuning, in percent" + (" (below: published)" if other else "")
    if not all(row.get("met", True) for row in mine.values()):
        title += " (*: no setting reached the required precision)"
    return Table(heads, rows, title=title, texts=2)


def _by_place(table: object) -> dict[tuple[str, float | None, str], Row]:
    """Return the rows of a table of tuning by corpus, rate and tuned parameter."""
    found = to_table(table)
    require_columns(found.schema, ["tuned", "recall"], "the table of tuning")
    return {
        (row.get("corpus", ""), row.get("rate"), row["tuned"]): row for row in found.to_pylist()
    }


def _setting(row: Mapping[str, object]) -> str:
    known = [row.get(name) for name in ("skip", "band", "threshold")]
    return ", ".join(f"{value:g}" for value in known if value is not None)
