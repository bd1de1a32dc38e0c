"""Translations of chosen segments with their scores, to browse by segment."""

from __future__ import annotations

import textwrap
from typing import Any

import altair as alt
import polars as pl

from alignframe.charts.forms import frame_of, in_turn, mark, not_empty, tips
from alignframe.charts.theme import COLOURS, FAINT, INK, WIDE, finish
from alignframe.public import listed
from alignframe.typing import IntoFrame

__all__ = ["segment_texts"]
__dir__ = listed(__all__)

REFERENCE = "reference"
"""The kind of rows with reference translations."""

_LETTER, _WIDE_LETTER = 6.1, 6.9
"""Pixels per character of a text, and of a name, which has more capitals and digits."""

_STEP = 8
"""Pixels per half line: a line takes two steps, the gap between translations one."""

_NAME, _BAR, _FIGURE = 215, 105, 52
"""Width of names (maximum), bars and figures in pixels."""


def segment_texts(rows: IntoFrame) -> alt.LayerChart:
    """Return the translations of chosen segments with their scores, to browse by segment.

    Parameters
    ----------
    rows
        One row per translation, from top to bottom: segment (its title), system, kind
        (``REFERENCE``, or anything else), score (null where there is none) and text.

    Raises
    ------
    InputError
        If a column is missing, or there is nothing to show.
    """
    columns = ["segment", "system", "kind", "score", "text"]
    frame = frame_of(rows, columns, "the table of texts").select(columns)
    not_empty(frame, "no segment", "at least one")
    titles = in_turn(frame, "segment")
    longest = int(frame["system"].str.len_chars().to_numpy().max())
    bars = min(_NAME, round(_WIDE_LETTER * longest) + 16)
    figures, begin = bars + _BAR, bars + _BAR + _FIGURE
    room = WIDE - 16 - begin
    letters = int(room / _LETTER)
    data = pl.concat([_lines(frame.filter(segment=title), letters) for title in titles])
    segment = alt.param(
        name="segment", value=titles[0], bind=alt.binding_select(options=titles, name="Segment ")
    )
    scores = [value for value in data["score"].to_list() if value is not None]
    domain = [min([0.0, *scores]), max([0.01, *scores])]
    colour = alt.condition(f"datum.kind == '{REFERENCE}'", alt.value(COLOURS[0]), alt.value(INK))
    here, y = "datum.segment == segment", alt.Y("row:O", axis=None)
    scored = f"{here} && isValid(datum.score)"
    scale = alt.Scale(domain=domain, range=[bars, figures - 12], nice=False)
    bar = {"x": alt.X("score:Q", axis=None, scale=scale), "tooltip": tips(data, "system", "score")}

    def text(where: str, x: int, shown: alt.Text, limit: int = 0) -> alt.Chart:
        own = {"x": alt.value(x), "y": y, "text": shown, "color": colour}
        return mark("text", data, where, fontSize=12.5, limit=limit, **own)

    layers = [
        mark("bar", data, scored, height=9, color=FAINT, cornerRadius=2, y=y, **bar),
        text(scored, figures, alt.Text("score:Q", format=".3f")),
        text(here, 0, alt.Text("system:N"), bars - 12),
        text(here, begin, alt.Text("text:N"), room),
    ]
    return finish(
        alt.layer(*layers).add_params(segment),
        alt.Title(alt.ExprRef("'Segment ' + segment"), limit=WIDE),
        width=WIDE - 16,
        height=alt.Step(_STEP),
    )


def _lines(frame: pl.DataFrame, letters: int) -> pl.DataFrame:
    """Return one row per half-line of a segment's translations, wrapped at this many characters."""
    made: list[dict[str, Any]] = []
    for one in frame.iter_rows(named=True):
        first = {**one, "system": str(one["system"])}
        rest = {**one, "system": "", "score": None}
        for at, line in enumerate(textwrap.wrap(one["text"], letters) or [""]):
            made += [{**(rest if at else first), "text": line}, {**rest, "text": ""}]
        made.append({**rest, "text": ""})
    schema = {"segment": pl.String, "system": pl.String, "kind": pl.String, "score": pl.Float64}
    return pl.DataFrame(made, {**schema, "text": pl.String}).with_row_index("row")
