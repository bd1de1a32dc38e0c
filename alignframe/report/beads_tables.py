"""The tables of the report of sentence aligners under noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, product
from typing import Any

import polars as pl

from alignframe.arrow import require_columns, to_table
from alignframe.charts import beads as charts
from alignframe.charts.beads_dots import scenario_name, scenarios_shown, tuned_name
from alignframe.report.page import Table

KEYS = charts.KEYS
"""The columns that identify a row of a study."""

MEASURES = tuple(charts.MEASURES)
"""The columns of precision, recall and alignment rate in a study."""

MEAN = "mean of all"


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


def compared(found: pl.DataFrame, published: Any) -> Table:
    """Return the three measures of each method, one column each, by corpus and scenario."""
    other = {} if published is None else _by_key(_plain(published))
    methods = charts.methods_of(found)
    corpora = found["corpus"].unique(maintain_order=True).to_list()
    mine = _by_key(found)
    scenarios = scenarios_shown(found) or found.select(KEYS[1:4]).unique(maintain_order=True).rows()
    rows = []
    for corpus in [*corpora, *([MEAN] if len(corpora) > 1 else [])]:
        members = corpora if corpus == MEAN else [corpus]
        for scenario in scenarios:
            cells = []
            for method in methods:
                keys = [(one, *scenario, method) for one in members]
                ours = _figures_of(mine, keys)
                theirs = _figures_of(other, keys, theirs=True)
                cells += [
                    f"{one}\n({two})" if one and two else one
                    for one, two in zip(ours, theirs, strict=True)
                ]
            if any(cells):
                rows.append([corpus, scenario_name(*scenario), *cells])
    title = "Precision (P) and recall (R) of sentence pairs and alignment rate (A), in percent"
    heads = [[f"{method_name(name)} {measure}" for measure in "PRA"] for name in methods]
    return Table(
        ["Text", "Scenario", *chain.from_iterable(heads)],
        rows,
        title=title + (" (below: published figures)" if other else ""),
        texts=2,
    )


def _by_key(frame: pl.DataFrame) -> dict[tuple[Any, ...], tuple[float | None, ...]]:
    """Return precision, recall and alignment rate by corpus, scenario, rates and method."""
    plain = frame.select(*KEYS, *MEASURES).with_columns(pl.col("src_rate", "tgt_rate").round(9))
    return {row[:5]: row[5:] for row in plain.iter_rows()}


def _plain(published: Any) -> pl.DataFrame:
    table = to_table(published)
    require_columns(table.schema, [*KEYS, *MEASURES], "the table of published figures")
    return pl.DataFrame(pl.from_arrow(table)).with_columns(
        pl.col("corpus", "scenario", "method").cast(pl.String), pl.col(MEASURES).cast(pl.Float64)
    )


def _figures_of(
    known: Mapping[tuple[Any, ...], tuple[float | None, ...]],
    keys: Sequence[tuple[Any, ...]],
    theirs: bool = False,
) -> list[str]:
    """Return the three figures, averaged over texts; empty if a text lacks them."""
    if not all(key in known for key in keys):
        return [""] * len(MEASURES)
    texts = []
    for several in zip(*(known[key] for key in keys), strict=True):
        defined = [value for value in several if value is not None]
        mean = sum(defined) / len(defined) if defined else None
        texts.append(whole(mean) if theirs else percent(mean))
    return texts


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
        rows.append([corpus, tuned_name(name, published), *cells])
    heads = ["Text", "Tuned"]
    for rate in rates:
        prefix = "" if rate is None else f"{100 * rate:g}%: "
        heads += [f"{prefix}recall", "precision", *["skip, band, threshold"] * with_settings]
    title = "Effect of tuning, in percent" + (" (below: published)" if other else "")
    if not all(row.get("met", True) for row in mine.values()):
        title += " (*: no setting reached the required precision)"
    return Table(heads, rows, title=title, texts=2)


def _by_place(table: Any) -> dict[tuple[str, float | None, str], dict[str, Any]]:
    """Return the rows of a table of tuning by corpus, rate and tuned parameter."""
    found = to_table(table)
    require_columns(found.schema, ["tuned", "recall"], "the table of tuning")
    return {
        (row.get("corpus", ""), row.get("rate"), row["tuned"]): row for row in found.to_pylist()
    }


def _setting(row: Mapping[str, Any]) -> str:
    known = [row.get(name) for name in ("skip", "band", "threshold")]
    return ", ".join(f"{value:g}" for value in known if value is not None)
