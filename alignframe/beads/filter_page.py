"""The report of filtered text: scores, the worst lines kept and the best ones dropped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.beads.filtered import Filtered
from alignframe.beads.line_features import FEATURES
from alignframe.beads.pair_charts import score_histogram
from alignframe.core.arrays import F64, Bools
from alignframe.core.arrow import require_columns, to_table
from alignframe.core.schemas import SIGNATURE
from alignframe.core.tokens import SIDES
from alignframe.errors import InputError, number_of
from alignframe.pages.page import Figure, Page, Table
from alignframe.pages.tables import score_table
from alignframe.typing import Arguments, IntoFrame

_COLUMNS = ("line", "kept", "score", "src", "tgt")
_CLEAR = 3
"""The number of features named for each line."""

_LEAST, _ROUNDS = 1e-9, 200
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
    lead, about = _said(frame["score"], frame["kept"], is_calibrated=bool(names))
    return Page(
        title=title,
        lead=lead,
        table=None,
        figures=[Figure("scores", score_histogram(frame), wide=True)],
        tables=[table for table in tables if table.rows],
        notes=[
            "Unusual: the features of a line that differ most from their medians, in units of "
            "their usual deviation."
        ]
        * bool(names),
        signature=_signature(table),
        about=about,
    )


def filtered_page(found: Filtered, **options: Any) -> Page:
    """Return the page of a result of ``filter``: that of its lines."""
    if found.texts is None or not found.lines.height:
        raise InputError(
            "a result of filter without lines, which `writing` got",
            expected="the lines, as without `writing`",
            todo="or write them to a table, and use `filter_page`",
        )
    sides = zip(SIDES, zip(*found.texts(), strict=True), strict=True)
    texts = {name: pl.Series(pl.from_arrow(pa.chunked_array(side))) for name, side in sides}
    table = found.lines.with_columns(**texts).to_arrow()
    return filter_page(table.replace_schema_metadata({SIGNATURE: found.signature}), **options)


def _said(scores: pl.Series, kept: pl.Series, *, is_calibrated: bool) -> tuple[str, str]:
    """Return how many lines are kept and expected to be right, and what the figures assume."""
    p, chosen = scores.to_numpy(), kept.to_numpy()
    first = (
        f"{number_of(int(chosen.sum()), 'line')} of {len(p):,} kept, {chosen.mean():.1%}, and "
        f"{len(p) - int(chosen.sum()):,} dropped."
    )
    if not is_calibrated:
        right = _expected([p], chosen)
        return (
            f"{first} By the aligner's probabilities, {right} right.",
            "The probabilities suppose that the text is in order, and are not calibrated on text "
            "with wrong lines: look at the worst lines kept.",
        )
    share, fitted = _share_of_right(p)
    return (
        f"{first} By their scores, {_expected([p, fitted], chosen)} right.",
        "A score is the probability that a line is right if half of all lines are, which gives the "
        f"first figures; the second ones are with the share that fits the scores best, {share:.0%} "
        "of all lines. Real mistakes can be harder to see than the noise that scores are learnt "
        "from: look at the worst lines kept.",
    )


def _expected(ways: Sequence[F64], kept: Bools) -> str:
    """Return the shares of lines expected to be right, of those kept and of those dropped."""
    said = []
    for chosen, of in ((kept, "of those kept"), (~kept, "of those dropped")):
        if chosen.any():
            shares = dict.fromkeys(f"{one[chosen].mean():.0%}" for one in ways)
            said.append(f"{' to '.join(shares)} {of}")
    return f"{' and '.join(said)} are"


def _share_of_right(scores: F64) -> tuple[float, F64]:
    """Return the share of right lines that fits the scores, by EM, and the scores given it.

    Saerens et al. 2002, Adjusting the outputs of a classifier to new a priori probabilities.
    """
    odds, share = scores / np.maximum(1 - scores, _LEAST), 0.5
    fitted = scores
    for _ in range(_ROUNDS):
        fitted = share * odds / (share * odds + 1 - share)
        share = min(float(fitted.mean()), 1 - _LEAST)
    return share, fitted


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
