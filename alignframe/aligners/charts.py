"""Charts of aligners: training curves, and calibration of link probabilities."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from alignframe.aligners.confidence import THRESHOLDS, calibration, scores_by_threshold
from alignframe.core.figures import link_figures
from alignframe.core.lazy import listed
from alignframe.links.probabilities import long_links
from alignframe.pages.forms import across, lines, mark, not_empty, panel, side_by_side, tips, up
from alignframe.pages.theme import FAINT, INK, SOFT, Look, finish, heading, looks
from alignframe.typing import IntoGold, IntoLinks, Row

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
    history: Mapping[str, Sequence[Mapping[str, object]]] | Sequence[Mapping[str, object]],
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
    data = not_empty(pl.DataFrame(rows), "no iteration with a log-likelihood", "at least one")
    names = list(given)
    stages = data.group_by("stage", maintain_order=True).agg(pl.col("step").min() - 0.5)
    stages = stages.sort("step")
    last = max(row["step"] for row in rows)
    unit = "log-likelihood per word" if words else "log-likelihood of the text"
    ticks: Look = {"values": list(range(1, last + 1)), "format": "d", "grid": False}
    x = across("step", "iteration", [0.5, last + 0.5], labelOverlap=True, **ticks)
    y = up("value", unit, zero=False, padding=12, **({} if words else {"format": "~s"}))
    starts: Look = {"color": SOFT, "fontSize": 11, "dx": 4, "dy": 9}
    named = "system|direction", "run", "stage", "iteration", f"value|{unit}|,.4f"
    drawn = lines(
        data, x, y, looks("system", names, room=60), tips(data, *named), detail=["run:N", "stage:N"]
    )
    layers = [
        mark("rule", stages, color=FAINT, strokeDash=[4, 3], x="step:Q"),
        mark("text", stages, x="step:Q", y=alt.value(0), text=alt.Text("stage:N"), **starts),
        *drawn,
    ]
    width = _WIDE if wide else _WIDTH
    return finish(layers, "Learning", "stages are named above", width=width, height=_HEIGHT)


def _steps(history: Sequence[Mapping[str, Any]]) -> list[Row]:
    """Return the steps of a history, with iterations numbered from 1 for each sampler."""
    done: dict[str, int] = {}
    rows = []
    for iteration in history:
        run, _, stage = iteration["stage"].rpartition(", ")  # for example ``sampler 2, words``
        done[run] = done.get(run, 0) + 1
        named = {"run": run, "stage": stage, "step": done[run], "iteration": iteration["iteration"]}
        rows.append({**named, "value": iteration["log_likelihood"]})
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
    links = not_empty(long_links(alignments), "no link with a probability", "at least one")
    below = "share of links with at most this probability"
    title = "Probabilities of links", "the lower on the left, the fewer doubtful links"
    return cumulative(links, "links", below, *title)


def cumulative(data: pl.DataFrame, noun: str, below: str, *title: str) -> alt.LayerChart:
    """Share of the links or beads (the noun) of each system with at most each probability."""
    steps = np.linspace(0, 1, _STEPS + 1)
    parts = []
    for (name,), own in data.group_by("system", maintain_order=True):
        p = own["probability"].sort().to_numpy()
        number = p.searchsorted(steps.round(9), "right")
        shares = {"limit": steps.round(9), "share": number / p.size, noun: number}
        parts.append(pl.DataFrame(shares).with_columns(system=pl.lit(name)))
    shown = pl.concat(parts)
    tooltip = tips(shown, "system", "limit|probability|.2f", "share||.1%", noun)
    x, y = across("limit", "probability", [0, 1]), up("share", below, [0, 1], format="%")
    names = sorted(data["system"].unique())
    look = looks("system", names, legend=len(names) > 1, room=60, symbolType="stroke")
    drawn = lines(shown, x, y, look, tooltip, bare=True)
    return finish(drawn, *title, width=_WIDTH, height=_HEIGHT)


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
    return of_calibration(not_empty(data, "no link in a gold sentence", "some"), "links")


def of_calibration(data: pl.DataFrame, noun: str) -> alt.LayerChart:
    """Share of correct links or beads (the noun) by probability."""
    x = across("probability", "mean probability", [0, 1])
    y = up("correct", f"share of {noun} that gold has", [0, 1])
    corners = pl.DataFrame({"probability": [0.0, 1.0], "correct": [0.0, 1.0]})
    legend = alt.Legend(orient="bottom-right", values=_round_numbers(data[noun]), format=",d")
    scale = alt.Scale(type="sqrt", range=[20, 420])
    tooltip = tips(data, "system", "low|from|.2f", "high|to|.2f", noun)
    tooltip += tips(data, "probability|mean probability|.3f", "correct|in gold|.3f")
    drawn = lines(
        data,
        x,
        y,
        looks("system", sorted(data["system"].unique()), room=60),
        tooltip,
        ends=("correct_low", "correct_high"),
        size=alt.Size(f"{noun}:Q", scale=scale, legend=legend),
        order=alt.Order("low:Q"),
    )
    even = mark("line", corners, color=INK, strokeDash=[4, 3], strokeWidth=1, x=x, y=y)
    said = "below the dashed line, probabilities are too high"
    return finish([even, *drawn], "Calibration", said, width=_WIDTH, height=_HEIGHT)


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
    look = looks("system", sorted(scores["system"].unique()))
    names = [figure.name for figure in link_figures({})]
    shown = [f"{name}|{heading(name)}" for name in names]
    tooltip = tips(scores, "system", "threshold||.2f", "links", *shown)
    x = across("threshold", "minimum probability of a link")

    def draw(name: str, _: int) -> Any:
        y = up(name, heading(name), zero=False, padding=6)
        return panel(lines(scores.drop_nulls(name), x, y, look, tooltip), _PANEL, 260)

    return finish(side_by_side(names, draw, 3), "Without improbable links")
