"""The segments of a page of translation scores, with texts and matchings."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import polars as pl
import pyarrow as pa

from alignframe.errors import InputError
from alignframe.language.analysed import to_arrow
from alignframe.language.files import shown
from alignframe.pages.sentences import (
    TEXTS,
    Sentences,
    Value,
    by_system,
    held,
    most_different,
    text_rows,
)
from alignframe.sources.texts import sentences_of
from alignframe.tesla.explain import explain
from alignframe.tesla.matching_charts import sums
from alignframe.typing import Row

if TYPE_CHECKING:
    from alignframe.language import Analysis
    from alignframe.tesla.score import Scored, Texts

LENGTHS = (5, 40)
"""Segments with this many words have matchings, if there are any."""

_MATCHED = 12
"""The number of segments with matchings; each takes some tenths of a second."""

_MOST = 6
"""With more systems, chosen segments have the matchings of only some."""

_ORDERS = 3


def segments_shown(
    found: Scored, texts: Texts, order: Sequence[str], chosen: Sequence[int] | None, similarity: str
) -> Sentences:
    """Return the segments on which systems differ most, or the chosen ones, with their evidence.

    ``order`` has the systems from best to worst.
    """
    scores = found.segments.select("system", "sid", "score")
    known = scores.with_columns(pl.col("system").cast(pl.String)).drop_nulls("score")
    every = scores["sid"].unique(maintain_order=True) if found.about is None else found.about["sid"]
    places = {sid: at for at, sid in enumerate(every)}
    if chosen is not None:
        check_segments(chosen, places)
    sids = list(chosen) if chosen is not None else most_different(known, "score")
    sids = sids[: held(len(order), sids)]
    sources = [*(texts.systems[name] for name in order), *texts.references]
    arrays = [sentences_of(one) for one in sources]
    lines = [shown_texts(one, texts.analysis) for one in arrays]
    systems, references = lines[: len(order)], lines[len(order) :]
    rows = text_rows(sids, places, systems, references, by_system(known, ["score"], order))
    wanted = {*matched(sids, rows, chosen)}
    for row in (one for one in rows if one["unit"] in wanted):
        for number in compared(len(order), chosen):
            hyp, ref = (arrays[k].slice(places[row["unit"]], 1) for k in (number, len(order)))
            _match(row["detail"], number, hyp, ref, texts, similarity)
    several = len(order) > 1 and chosen is None
    return Sentences(
        TEXTS,
        rows,
        order,
        [Value("Score", digits=3)],
        title="Segments",
        unit="segment",
        first="largest differences first" if several else "as given" if chosen else "worst first",
        ranked=not (several or chosen),
    )


def matched(
    sids: Sequence[int], rows: Sequence[Row], chosen: Sequence[int] | None
) -> Sequence[int]:
    """Return the segments to match: the chosen ones, or the first of medium length."""
    if chosen is not None:
        return sids
    least, most = LENGTHS
    fitting = [row["unit"] for row in rows if least <= row["length"] <= most]
    return (fitting or sids)[:_MATCHED]


def compared(systems: int, chosen: Sequence[int] | None) -> list[int]:
    """Return the systems to match, of those from best to worst."""
    if chosen is not None and systems <= _MOST:
        return [*range(systems)]
    places = [0, systems // 2, systems - 1] if chosen is not None else [0, systems - 1]
    return list(dict.fromkeys(places))


def _match(
    detail: Row, number: int, hyp: pa.Array, ref: pa.Array, texts: Texts, similarity: str
) -> None:
    """Add the matchings of a system's translation with the first reference, by n-gram order."""
    mine, theirs = (to_arrow(texts.analysis.analyse(side))[0] for side in (hyp, ref))
    place = "-".join(map(str, detail["at"][number]))
    for n in range(1, _ORDERS + 1):
        found = explain(mine, theirs, n, similarity, texts.analysis.synonyms, **texts.weights)
        if found.nodes.height:
            match = detail.setdefault("match", {})
            match[f"{place}-{n}"] = [*found.as_rows(), sums(found)]


def shown_texts(sentences: pa.Array, analysis: Analysis) -> list[str]:
    """Return readable texts; for tagged tokens, only the words."""
    if analysis.tokens == "given":
        return shown(to_arrow(analysis.analyse(sentences)))
    return shown(sentences)


def check_segments(chosen: Sequence[int], known: Collection[int]) -> None:
    """Refuse segments that do not exist."""
    for sid in chosen:
        if sid not in known:
            raise InputError(
                f"there is no segment {sid}",
                expected=f"numbers from {min(known)} to {max(known)}",
            )
