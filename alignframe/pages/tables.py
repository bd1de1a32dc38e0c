"""Tables of pages, with a common format for figures, intervals and best values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import polars as pl

from alignframe.core.rounding import DIGITS, adding_up, digits_for, printed
from alignframe.pages.page import Table
from alignframe.pages.theme import heading
from alignframe.stats.conclusions import bold_of, spans, tested, uncorrected

Form = str | Callable[[Any], str]
"""How a figure is written: as Python formats it, or by a function."""

UNDEFINED = "undefined"


def score_table(
    frame: pl.DataFrame,
    columns: Mapping[str, str],
    *,
    best: Mapping[str, pl.Expr] | None = None,
    form: Form | None = None,
    forms: Mapping[str, Form] | None = None,
    blank: pl.Expr | bool = False,
    **look: Any,
) -> Table:
    """Return a frame as a table of a page.

    Text is unchanged; whole numbers get thousands separators. If the frame has ``x_low`` and
    ``x_high``, the interval is shown below ``x``. ``best`` has the rows whose figure is marked, by
    column; undefined figures never are. Decimals have four digits by default, or two for figures
    above 10. Undefined values are left empty in columns where ``blank``. ``look`` has title,
    caption and wide of the ``Table``; and texts, by default the number of leading text columns.
    """
    forms = forms or {}
    empty = frame.with_columns(empty_=blank)["empty_"]
    shown: list[list[str]] = []
    strong: set[tuple[int, int]] = set()
    for at, name in enumerate(columns):
        shown.append(_cells(frame, name, forms.get(name, form), empty))
        if best and name in best:
            marked = frame.select(best[name] & (pl.col(name).cast(pl.String) != "NaN"))
            strong |= {(row, at) for row in marked.to_series().fill_null(False).arg_true()}
    words = [frame.schema[name] == pl.String for name in columns]
    look.setdefault("texts", (*words, False).index(False))
    look.setdefault("exact", _rows([_exact(frame, name) for name in columns]))
    return Table(list(columns.values()), _rows(shown), frozenset(strong), **look)


def with_ranks(
    scores: pl.DataFrame, ranks: pl.DataFrame, heads: Mapping[str, str]
) -> tuple[pl.DataFrame, dict[str, str]]:
    """Return scores and their columns with the ranks of each figure beside it, if there are any."""
    columns: dict[str, str] = {}
    of = ranks.drop_nulls("rank_low").partition_by("measure", as_dict=True) if len(ranks) else {}
    for name, head in heads.items():
        columns[name] = head
        if (name,) in of:
            own = {end: f"{name}_{end}" for end in ("rank_low", "rank_high")}
            rank = _range_of(of[name,], "rank_low", "rank_high").alias(f"{name}_rank")
            shown = of[name,].select("system", rank, *own).rename(own)
            scores = scores.join(shown, on="system", how="left", maintain_order="left")
            columns[f"{name}_rank"] = f"{head} rank"
    return scores, columns


def ranked_how(ranks: pl.DataFrame) -> list[str]:
    """Return the note of tables with ranks, if there are any."""
    if not has_ranks(ranks):
        return []
    return [
        "Ranks: from 1 and one more for every system that is significantly better, to the number "
        "of systems that are not significantly worse. All pairs are tested and corrected together "
        "by step-down max-T, so that a difference from a single system may be significant and not "
        "among all pairs."
    ]


def scored_how(scores: pl.DataFrame, ranks: pl.DataFrame, units: str) -> str:
    """Return the caption of a table of scores: its intervals, and what is bold."""
    bold = ""
    if has_ranks(ranks):
        bold = bold_of(str(ranks["signature"][0]), ranks["system"].n_unique())
    return " ".join(filter(None, [spans(scores, units), bold]))


def has_ranks(ranks: pl.DataFrame) -> bool:
    """Return whether systems were tested for their ranks."""
    return ranks.height > 0 and ranks["rank_low"].count() > 1


def _range_of(frame: pl.DataFrame, low: str, high: str) -> pl.Series:
    """Return ranges of whole numbers as text: 2–4, or 2 alone."""
    ends = frame.select(low, high).iter_rows()
    return pl.Series([f"{one}–{other}" if one < other else f"{one}" for one, other in ends])


def leading(ranks: pl.DataFrame) -> dict[str, pl.Expr]:
    """Return the leaders of each measure by ``rank_ranges``, to be marked by ``score_table``."""
    own = ranks.filter("best").partition_by("measure", as_dict=True) if ranks.height else {}
    return {
        str(name): pl.col("system").is_in(rows["system"].to_list()) for (name,), rows in own.items()
    }


def differences_tables(
    tests: pl.DataFrame, scores: pl.DataFrame, units: str, lower_is_better: Collection[str] = ()
) -> list[Table]:
    """Return a table of tests against a baseline for each measure, the best system first.

    Figures have the digits of the scores; ``units`` are what was resampled.
    """
    heads = {"system": "System", "value": "Value", "difference": "Difference", "p_corrected": "p"}
    notes = [spans(tests, units), tested(tests), uncorrected(tests)]
    made = []
    for (name,), rows in tests.group_by("measure", maintain_order=True) if tests.height else ():
        lower = name in lower_is_better
        digits = digits_for(scores[name])
        forms = dict.fromkeys(("value", "difference"), f".{digits}f")
        rows = rows.sort("difference", "system", descending=[not lower, False], nulls_last=True)
        caption = " ".join([*[f"Lower {heading(name)} is better."] * lower, *filter(None, notes)])
        table = score_table(
            adding_up(rows, digits=digits),
            heads,
            forms={**forms, "p_corrected": p_value},
            title=f"Differences from {tests['baseline'][0]}",
            caption=caption,
            wide=True,
            choice=heading(name),
            picks={"other": tests["baseline"][0]},
            exact=_rows([_exact(rows, head) for head in heads]),
        )
        made.append(table)
    return made


def number(value: float | None, form: Form = ".4f") -> str:
    """Return a figure as text, with a proper minus sign."""
    if value is None:
        return UNDEFINED
    return form(value) if callable(form) else printed(value, form)


def p_value(value: float) -> str:
    """Return a p-value as text, never 0."""
    # From here on it would be rounded to 0.001.
    return "< 0.001" if value < 0.0005 else f"{value:.3f}"


def interval(low: float | None, high: float | None, form: Form = ".4f") -> str:
    """Return an interval as text; empty if unknown."""
    if low is None or high is None:
        return ""
    between = " to " if min(low, high) < 0 else " – "  # a dash before a minus would be misread
    return number(low, form) + between + number(high, form)


def _rows(columns: list[list[str]]) -> list[list[str]]:
    return [list(row) for row in zip(*columns, strict=True)]


def _exact(frame: pl.DataFrame, name: str) -> list[str]:
    """Return the numbers of a column in full, with the ends of their intervals or ranges."""
    ends = (name, f"{name}_low", f"{name}_high")
    known = [one for one in ends if one in frame.columns and frame.schema[one].is_numeric()]
    rows = frame.select(known).iter_rows() if known else [()] * frame.height
    return [" ".join("" if one is None else repr(one) for one in row) for row in rows]


def _cells(frame: pl.DataFrame, name: str, form: Form | None, empty: pl.Series) -> list[str]:
    """Return the cells of a column, with intervals on a second line."""
    column = frame[name]
    if column.dtype == pl.String:
        return [text or "" for text in column]
    if column.dtype.is_integer() and not callable(form):
        form = ","
    if form is None:
        form = f".{digits_for(column) if column.dtype.is_numeric() else DIGITS}f"
    values = column.fill_nan(None) if column.dtype.is_float() else column
    cells = [
        "" if value is None and is_empty else number(value, form)
        for value, is_empty in zip(values, empty, strict=True)
    ]
    ends = f"{name}_low", f"{name}_high"
    if not set(ends) <= set(frame.columns):
        return cells
    below = [
        "" if value is None else interval(low, high, form)
        for value, low, high in zip(values, *(frame[end] for end in ends), strict=True)
    ]
    return [f"{cell}\n{text}" if text else cell for cell, text in zip(cells, below, strict=True)]
