"""Selecting segments for a report on translation scores, with texts and matchings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl
import pyarrow as pa

from alignframe.arrow import require_columns, to_table
from alignframe.charts.tesla_texts import REFERENCE
from alignframe.errors import InputError
from alignframe.language.analysed import to_arrow
from alignframe.language.files import shown
from alignframe.tesla.explain import Matching, explain

if TYPE_CHECKING:
    from alignframe.language import Analysis

SHOWN = 24
"""Number of segments shown by default."""

LENGTHS = (5, 40)
"""Segments are chosen among those with this many words, if there are any."""

_MOST = 6
"""With more systems, only some are shown for a chosen segment."""

_TITLE = 80


def text_rows(
    segments: Any,
    texts: Mapping[str, Sequence[str]],
    references: Sequence[Sequence[str]],
    chosen: Sequence[int] | None = None,
) -> pl.DataFrame:
    """Return the translations of chosen segments, best first within each segment.

    The rows are for ``alignframe.charts.tesla_texts.segment_texts``.
    """
    frame = scores_of(segments)
    wanted = list(chosen) if chosen is not None else most_different(readable(frame, references))
    made: list[tuple[str, str, str, float | None, str]] = []
    for sid in wanted:
        own = frame.filter(sid=sid).sort("score", "system", descending=[True, False])
        if not own.height:
            raise InputError(
                f"no system has a score of segment {sid}, counted from 0",
                expected="a segment that is scored, with a reference",
            )
        title = str(sid)
        for at, lines in enumerate(references):
            name = "reference" if len(references) == 1 else f"reference {at + 1}"
            text = _line(lines, sid, name)
            title = title if at else f"{sid}: {text[:_TITLE]}"
            made.append((title, name, REFERENCE, None, text))
        for system, score in own.select("system", "score").iter_rows():
            if system in texts:
                made.append((title, system, "system", score, _line(texts[system], sid, system)))
    schema = ["segment", "system", "kind", "score", "text"]
    kinds = [pl.String, pl.String, pl.String, pl.Float64, pl.String]
    return pl.DataFrame(made, dict(zip(schema, kinds, strict=True)), orient="row")


def most_different(frame: pl.DataFrame, shown: int = SHOWN) -> list[int]:
    """Return the segments with the largest standard deviation of scores, largest first.

    With a single system, the segments with the lowest scores, lowest first.
    """
    by_segment = frame.group_by("sid").agg(
        spread=pl.col("score").std().fill_null(0.0), least=pl.col("score").min()
    )
    ranked = by_segment.sort("spread", "least", "sid", descending=[True, False, False])
    found: list[int] = ranked.head(shown)["sid"].to_list()
    return found


def readable(frame: pl.DataFrame, references: Sequence[Sequence[str]]) -> pl.DataFrame:
    """Return the segments whose first reference is neither very short nor long, or else all."""
    if not references:
        return frame
    words = pl.Series([len(text.split()) for text in references[0]], dtype=pl.Int64)
    fitting = words.is_between(*LENGTHS).arg_true().cast(pl.Int64)
    found = frame.filter(pl.col("sid").is_in(fitting.implode()))
    return found if found.height else frame


def scores_of(segments: Any) -> pl.DataFrame:
    """Return system, sid and score of every segment with a score."""
    table = to_table(segments)
    require_columns(table.schema, ["system", "sid", "score"], "the table of segments")
    frame = pl.DataFrame(pl.from_arrow(table.select(["system", "sid", "score"])))
    return frame.with_columns(pl.col("system").cast(pl.String)).drop_nulls("score")


def picked(
    frame: pl.DataFrame, order: Sequence[str], chosen: Sequence[int] | None = None
) -> list[tuple[str, str, int]]:
    """Return the matchings to show: title, system, and segment.

    ``frame`` is from ``scores_of``, and ``order`` has the systems from best to worst. Chosen
    segments are shown for all systems; with more than six systems, only for the best, the median
    and the worst. By default, the median, best and worst segment of the best and the worst system
    are shown.
    """
    if chosen is not None:
        systems = list(order)
        if len(systems) > _MOST:
            systems = [systems[0], systems[len(systems) // 2], systems[-1]]
        return [("", system, sid) for sid in chosen for system in systems]
    found = []
    for system in dict.fromkeys([order[0], order[-1]]):
        own = frame.filter(system=system).sort("score", "sid", descending=[True, False])
        places = {"median": own.height // 2, "best": 0, "worst": own.height - 1}
        seen = dict.fromkeys(place for place in places.values() if place >= 0)
        names = {place: name for name, place in reversed(places.items())}
        found += [(names[place], system, int(own["sid"][place])) for place in seen]
    return found


def rivals(frame: pl.DataFrame, one: str, other: str, shown: int = 8) -> dict[int, str]:
    """Return the segments of ``scores_of`` where two systems differ most, with their titles."""
    sides = [frame.filter(system=name).select("sid", "score") for name in (one, other)]
    both = sides[0].join(sides[1], on="sid")
    ranked = both.sort(-(pl.col("score") - pl.col("score_right")).abs(), "sid").head(shown)
    return {
        sid: f"{sid}: {score:.3f} and {beside:.3f}" for sid, score, beside in ranked.iter_rows()
    }


def pairs_of(
    titles: Mapping[int, str],
    systems: Sequence[str],
    texts: Mapping[str, pa.Array],
    reference: pa.Array,
    analysis: Analysis,
    similarity: str = "ms",
    **weights: float,
) -> dict[tuple[str, str], dict[str, Matching]]:
    """Return the matchings of segments, with their titles, for ``matchings_compared``."""
    found: dict[tuple[str, str], dict[str, Matching]] = {}
    for sid, title in titles.items():
        for system in systems:
            single = [("", system, sid)]
            made = matchings_of(single, texts, reference, analysis, similarity, 3, **weights)
            for (_, order), one in made.items():
                found.setdefault((title, order), {})[system] = one
    return {key: both for key, both in found.items() if len(both) == len(systems)}


def why_picked(systems: int, chosen: Sequence[int] | None = None) -> str:
    """Describe which matchings ``picked`` selects, given the number of systems."""
    if chosen is not None:
        if systems <= _MOST:
            return "The chosen segments are shown for every system."
        return "The chosen segments are shown for the best, the median and the worst system."
    least, longest = LENGTHS
    own = "its median, best and worst score"
    which = f"the segments of {least} to {longest} words with {own}"
    if systems == 1:
        return f"This shows {which}."
    return f"For the best and the worst system, this shows {which}."


def shown_texts(sentences: pa.Array, analysis: Analysis) -> list[str]:
    """Return readable texts; for tagged tokens, only the words."""
    if analysis.tokens == "given":
        return shown(to_arrow(analysis.analyse(sentences)))
    return shown(sentences)


def check_segments(chosen: Sequence[int], count: int) -> None:
    """Refuse segments that do not exist."""
    for sid in chosen:
        if not 0 <= sid < count:
            raise InputError(
                f"there is no segment {sid}", expected=f"numbers from 0 to {count - 1}"
            )


def matchings_of(
    chosen: Sequence[tuple[str, str, int]],
    texts: Mapping[str, pa.Array],
    reference: pa.Array,
    analysis: Analysis,
    similarity: str = "ms",
    orders: int = 3,
    **weights: float,
) -> dict[tuple[str, str], Matching]:
    """Return the matchings of chosen segments, by segment and n-gram order.

    ``chosen`` is from ``picked``; for the weights see ``alignframe.tesla.explain.explain``.
    """
    found = {}
    for what, system, sid in chosen:
        hyp, ref = (
            to_arrow(analysis.analyse(side.slice(sid, 1)))[0] for side in (texts[system], reference)
        )
        name = f"segment {sid}, {system}" + (f" (its {what})" if what else "")
        for n in range(1, orders + 1):
            one = explain(hyp, ref, n, similarity, analysis.synonyms, **weights)
            if one.nodes.height:
                found[name, f"{n}-grams, {similarity}"] = one
    return found


def _line(lines: Sequence[str], sid: int, name: str) -> str:
    if not 0 <= sid < len(lines):
        raise InputError(
            f"{name} has no segment {sid}", expected=f"one of its {len(lines):,}, counted from 0"
        )
    return str(lines[sid])
