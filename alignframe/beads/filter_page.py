"""The report of filtered text: scores, the worst lines kept and the best ones dropped."""

from __future__ import annotations

import polars as pl
import pyarrow as pa

from alignframe.beads.line_features import FEATURES
from alignframe.beads.pair_charts import score_histogram
from alignframe.core.arrow import require_columns, to_table
from alignframe.core.schemas import SIGNATURE
from alignframe.errors import InputError, number_of
from alignframe.pages.page import Figure, Page, Table
from alignframe.pages.tables import score_table
from alignframe.typing import Arguments, IntoFrame

_COLUMNS = ("line", "kept", "score", "src", "tgt")
_CLEAR = 3
"""The number of features named for each line."""

_HEADS = {"line": "line", "score": "score", "src": "source", "tgt": "target", "odd": "unusual"}


def filter_page(lines: IntoFrame, *, top: int = 20, title: str = "Lines kept and dropped") -> Page:
    """Build the report of filtered text.

    Parameters
    ----------
    lines
        The output of ``beads filter --lines``: line, kept, score, src and tgt, and optionally
        features.
    top
        Number of lines in each table of lines.
    title
        Title of the page.
    """
    table = to_table(lines)
    require_columns(table.schema, _COLUMNS, "the scores of lines")
    frame = pl.DataFrame(pl.from_arrow(table)).filter(pl.col("score").is_not_null())
    if not frame.height:
        raise InputError("no line with a score", expected="at least one")
    names = [name for name in FEATURES if name in frame.columns]
    frame = frame.with_columns(odd=_odd(frame, names))
    kept, dropped = (frame.filter(pl.col("kept") == one) for one in (True, False))
    worst = kept.sort("score", "line").head(top)
    best = dropped.sort("score", "line", descending=[True, False]).head(top)
    tables = [
        _lines(worst, "The worst lines kept"),
        _lines(best, "The best lines dropped"),
        _lines(dropped.sort("score", "line").head(top), "The worst lines"),
    ]
    if names:
        tables.append(_features(kept, dropped, names))
    share = f"{kept.height / frame.height:.1%}"
    return Page(
        title=title,
        lead=f"{number_of(kept.height, 'line')} of {frame.height:,} kept, {share}.",
        table=None,
        figures=[Figure("scores", score_histogram(frame), wide=True)],
        tables=[table for table in tables if table.rows],
        notes=[
            "Unusual: the features of a line that differ most from their medians, in units of "
            "their usual deviation."
        ]
        * bool(names),
        signature=_signature(table),
    )


def _odd(frame: pl.DataFrame, names: list[str]) -> pl.Series:
    """Return the features of each line that differ most from the typical line."""
    if not names:
        return pl.Series(["" for _ in range(frame.height)], dtype=pl.String)
    values = frame.select(pl.col(names).cast(pl.Float64))
    deviations = values.select(
        ((pl.col(name) - pl.col(name).median()) / (pl.col(name).std().fill_null(0.0) + 1e-9))
        for name in names
    ).to_numpy()
    order = (-abs(deviations)).argsort(axis=1)[:, :_CLEAR]
    columns = values.to_dict(as_series=False)
    return pl.Series(
        [
            ", ".join(f"{names[at].replace('_', ' ')} {columns[names[at]][row]:.3g}" for at in best)
            for row, best in enumerate(order)
        ]
    )


def _lines(frame: pl.DataFrame, title: str) -> Table:
    odd = frame["odd"].str.len_bytes().sum() > 0
    heads = {name: head for name, head in _HEADS.items() if name != "odd" or odd}
    look: Arguments = {"title": title, "texts": len(heads), "wide": True}
    return score_table(frame, heads, forms={"score": ".3f"}, **look)


def _features(kept: pl.DataFrame, dropped: pl.DataFrame, names: list[str]) -> Table:
    """Return the means of features over the lines kept and dropped."""
    means = [part.select(pl.col(names).cast(pl.Float64).mean()).row(0) for part in (kept, dropped)]
    frame = pl.DataFrame({"feature": names, "kept": means[0], "dropped": means[1]}, strict=False)
    columns = {"feature": "feature", "kept": "mean, kept", "dropped": "mean, dropped"}
    return score_table(frame, columns, form=".3f", title="Features")


def _signature(table: pa.Table) -> str:
    signature = (table.schema.metadata or {}).get(SIGNATURE.encode(), b"")
    return str(signature.decode())
