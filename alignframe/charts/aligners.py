"""Charts of aligners: training curves, and calibration of link probabilities."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import polars as pl

from alignframe.aligners.confidence import THRESHOLDS, calibration, long_links, scores_by_threshold
from alignframe.charts.marks import tooltips
from alignframe.charts.theme import FAINT, INK, by_system, dash, finish
from alignframe.errors import InputError
from alignframe.public import listed
from alignframe.typing import IntoGold, IntoLinks

__all__ = [
    "learning_curve",
    "link_probabilities",
    "probability_calibration",
    "scores_over_threshold",
]
__dir__ = listed(__all__)

_WIDTH = 370
_WIDE = 900
_HEIGHT = 320
_PANEL = 245
_STEPS = 100
"""The number of points of a cumulative curve."""


def learning_curve(
    history: Mapping[str, Sequence[Mapping[str, Any]]] | Sequence[Mapping[str, Any]],
    words: Mapping[str, int] | None = None,
    *,
    wide: bool = False,
) -> alt.LayerChart:
    """Log-likelihood by training iteration, over all stages, one line per sampler.

    Parameters
    ----------
    history
        ``Model.history``, or several by name.
    words
        The number of words by the same names; the mean log-likelihood per word is then shown.
    wide
        Draw the chart at page width.

    Raises
    ------
    InputError
        If no iteration has a log-likelihood.
    """
    given = history if isinstance(history, Mapping) else {"model": history}
    rows = [
        {**row, "system": name, "value": row["value"] / (words[name] if words else 1)}
        for name, steps in given.items()
        for row in _steps(steps)
        if row["value"] is not None and math.isfinite(row["value"])
    ]
    if not rows:
        raise InputError("no iteration with a log-likelihood", expected="at least one")
    data = pl.DataFrame(rows)
    names = list(given)
    stages = data.group_by("stage", maintain_order=True).agg(step=pl.col("step").min()).sort("step")
    last = max(row["step"] for row in rows)
    x = alt.X(
        "step:Q",
        title="iteration",
        scale=alt.Scale(domain=[0.5, last + 0.5], nice=False),
        axis=alt.Axis(values=list(range(1, last + 1)), format="d", grid=False, labelOverlap=True),
    )
    unit = "log-likelihood per word" if words else "log-likelihood of the text"
    y = alt.Y(
        "value:Q",
        title=unit,
        scale=alt.Scale(zero=False, padding=12),
        axis=alt.Axis() if words else alt.Axis(format="~s"),
    )
    starts = alt.Chart(stages.with_columns(pl.col("step") - 0.5))
    rules = starts.mark_rule(color=FAINT, strokeDash=[4, 3]).encode(x=alt.X("step:Q"))
    labels = starts.mark_text(align="left", dx=4, dy=9, color="#5b6670", fontSize=11).encode(
        x=alt.X("step:Q"), y=alt.value(0), text=alt.Text("stage:N")
    )
    base = alt.Chart(data)
    line = base.mark_line(strokeWidth=2.2).encode(
        x=x, y=y, color=by_system(names), strokeDash=dash(names), detail=["run:N", "stage:N"]
    )
    points = base.mark_point(filled=True, size=55, opacity=1).encode(
        x=x,
        y=y,
        color=by_system(names),
        tooltip=[
            *tooltips("system:N|direction", "run:N", "stage:N", "iteration:Q"),
            alt.Tooltip("value:Q", title=unit, format=",.4f"),
        ],
    )
    title = alt.Title("Learning", subtitle="stages are named above")
    return finish(
        alt.layer(rules, labels, line, points),
        title,
        width=_WIDE if wide else _WIDTH,
        height=_HEIGHT,
    )


def _steps(history: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the steps of a history, with iterations numbered from 1 for each sampler."""
    done: dict[str, int] = {}
    rows = []
    for one in history:
        run, _, stage = one["stage"].rpartition(", ")  # for example ``sampler 2, words``
        done[run] = done.get(run, 0) + 1
        named = {"run": run, "stage": stage, "step": done[run], "iteration": one["iteration"]}
        rows.append({**named, "value": one["log_likelihood"]})
    return rows


def link_probabilities(alignments: IntoLinks) -> alt.LayerChart:
    """Cumulative distribution of link probabilities, one line per system.

    Parameters
    ----------
    alignments
        Links with probabilities; see ``alignframe.aligners.confidence.long_links``.

    Raises
    ------
    InputError
        If there is no link.
    """
    links = long_links(alignments)
    if not links.height:
        raise InputError("no link with a probability", expected="at least one")
    names = sorted(links["system"].unique().to_list())
    rows = []
    for name in names:
        p = links.filter(pl.col("system") == name)["probability"].sort().to_numpy()
        for step in range(_STEPS + 1):
            limit = step / _STEPS
            below = int(p.searchsorted(limit, "right"))
            rows.append({"system": name, "limit": limit, "share": below / p.size, "links": below})
    line = (
        alt.Chart(pl.DataFrame(rows))
        .mark_line(strokeWidth=2.2)
        .encode(
            x=alt.X("limit:Q", title="probability", scale=alt.Scale(domain=[0, 1], nice=False)),
            y=alt.Y(
                "share:Q",
                title="share of links with at most this probability",
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(format="%"),
            ),
            color=by_system(names),
            strokeDash=dash(names),
            tooltip=tooltips("system:N", "limit:Q|probability|.2f", "share:Q||.1%", "links:Q||,"),
        )
    )
    title = alt.Title(
        "Probabilities of links", subtitle="the lower on the left, the fewer doubtful links"
    )
    return finish(alt.layer(line), title, width=_WIDTH, height=_HEIGHT)


def probability_calibration(
    alignments: IntoLinks, gold: IntoGold, bins: int = 10
) -> alt.LayerChart:
    """Share of links in gold by link probability; larger points hold more links.

    Parameters
    ----------
    alignments, gold, bins
        See ``alignframe.aligners.confidence.calibration``.

    Raises
    ------
    InputError
        If no sentence with gold has links.
    """
    data = calibration(alignments, gold, bins)
    if not data.height:
        raise InputError("no link in a gold sentence", expected="some")
    return of_calibration(data, "links")


def of_calibration(data: pl.DataFrame, noun: str) -> alt.LayerChart:
    """Share of correct links or beads (the noun) by probability."""
    names = sorted(data["system"].unique().to_list())
    unit = alt.Scale(domain=[0, 1], nice=False)
    x = alt.X("probability:Q", title="mean probability", scale=unit)
    y = alt.Y("correct:Q", title=f"share of {noun} that gold has", scale=unit)
    ends = pl.DataFrame({"probability": [0.0, 1.0], "correct": [0.0, 1.0]})
    even = alt.Chart(ends).mark_line(color=INK, strokeDash=[4, 3], strokeWidth=1).encode(x=x, y=y)
    base = alt.Chart(data)
    colour = by_system(names)
    bars = base.mark_rule(opacity=0.35).encode(
        x=x, y=alt.Y("correct_low:Q", scale=unit), y2=alt.Y2("correct_high:Q"), color=colour
    )
    line = base.mark_line(strokeWidth=1.6).encode(
        x=x, y=y, color=colour, strokeDash=dash(names), order=alt.Order("low:Q")
    )
    points = base.mark_point(filled=True, opacity=0.9).encode(
        x=x,
        y=y,
        color=colour,
        size=alt.Size(
            f"{noun}:Q",
            scale=alt.Scale(type="sqrt", range=[20, 420]),
            legend=alt.Legend(
                orient="bottom-right", values=_round_numbers(data[noun]), format=",d"
            ),
        ),
        tooltip=tooltips(
            "system:N",
            "low:Q|from|.2f",
            "high:Q|to|.2f",
            f"{noun}:Q||,",
            "probability:Q|mean probability|.3f",
            "correct:Q|in gold|.3f",
        ),
    )
    title = alt.Title("Calibration", subtitle="below the dashed line, probabilities are too high")
    return finish(alt.layer(even, bars, line, points), title, width=_WIDTH, height=_HEIGHT)


def _round_numbers(numbers: pl.Series) -> list[int]:
    """Return the three largest powers of ten that do not exceed the largest number."""
    digits = len(str(numbers.max()))
    return [10**power for power in range(max(0, digits - 3), digits)]


def scores_over_threshold(
    alignments: IntoLinks, gold: IntoGold, thresholds: Sequence[float] = THRESHOLDS
) -> alt.LayerChart:
    """Precision, recall and AER of links at or above a probability threshold.

    Parameters
    ----------
    alignments, gold, thresholds
        See ``alignframe.aligners.confidence.scores_by_threshold``.
    """
    scores = scores_by_threshold(alignments, gold, thresholds)
    names = sorted(scores["system"].unique().to_list())
    measures = {"precision": "Precision", "recall": "Recall", "aer": "AER"}
    panels = []
    for name, shown in measures.items():
        base = alt.Chart(scores.drop_nulls(name)).encode(
            x=alt.X("threshold:Q", title="minimum probability of a link"),
            y=alt.Y(f"{name}:Q", title=shown, scale=alt.Scale(zero=False, padding=6)),
            color=by_system(names, room=130),
            tooltip=[
                *tooltips("system:N", "threshold:Q||.2f", "links:Q||,"),
                *(
                    alt.Tooltip(f"{other}:Q", title=title, format=".4f")
                    for other, title in measures.items()
                ),
            ],
        )
        lines = base.mark_line(strokeWidth=2.2).encode(strokeDash=dash(names, room=130))
        points = base.mark_point(filled=True, size=40, opacity=1)
        panels.append(alt.layer(lines, points).properties(width=_PANEL, height=260))
    return finish(alt.hconcat(*panels), "Without improbable links")
