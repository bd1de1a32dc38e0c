"""The segments of a page of translation scores, with texts and their matchings as charts.

The chart is that of Liu, Dahlmeier & Ng 2010, figure 1.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl
import pyarrow as pa

from alignframe.core.lazy import listed
from alignframe.errors import InputError
from alignframe.language.analysed import to_arrow
from alignframe.language.files import shown
from alignframe.links.gold import band_names
from alignframe.pages.forms import STEP, mark, not_empty, panel, tips
from alignframe.pages.sentences import (
    SPREAD,
    TEXTS,
    Sentences,
    Value,
    bands_of,
    by_system,
    held,
    most_different,
    text_rows,
)
from alignframe.pages.theme import BAD, COLOURS, INK, SOFT, Look, finish
from alignframe.sources.texts import sentences_of
from alignframe.tesla.explain import explain
from alignframe.typing import Row

if TYPE_CHECKING:
    from alignframe.language import Analysis
    from alignframe.tesla.explain import Matching
    from alignframe.tesla.scored import Segments, Texts

__all__ = ["matching"]
__dir__ = listed(__all__)

_FADED = 0.45
_LETTERS = 32


def matching(
    matchings: Matching | Mapping[str, Matching] | Mapping[tuple[str, str], Matching],
) -> alt.LayerChart:
    """Return the matching between n-grams of a translation and of its reference, as a grid.

    Rows are n-grams of the translation, columns those of the reference, with their weights;
    function words are faded, and unmatched n-grams are red. Points are the edges of the optimum,
    from blue for a similarity of 1 to orange for 0.5, and larger where more weight flows; other
    edges are small rings.

    Parameters
    ----------
    matchings
        A matching of ``alignframe.tesla.explain``, or several by name, to browse. Names with two
        parts, such as a segment and an n-gram order, get one selector per part.

    Raises
    ------
    InputError
        If there is no matching, or none has an n-gram.
    """
    named = _named(matchings)
    parts = [
        _of(matching).with_columns(first=pl.lit(a), second=pl.lit(b)) for (a, b), matching in named
    ]
    data = pl.concat(parts, how="diagonal") if parts else pl.DataFrame()
    not_empty(data, "no matching with an n-gram", "at least one")
    firsts, seconds = (list(dict.fromkeys(name[k] for name, _ in named)) for k in (0, 1))
    params = [_param("matching", "Matching ", firsts), _param("order", "N-grams ", seconds)]
    title: Any = "Matching"
    if firsts != [""]:
        title = alt.Title(alt.ExprRef("matching" if seconds == [""] else "matching + ', ' + order"))
    chart = panel(_layers(data), alt.Step(STEP), alt.Step(STEP), title)
    return finish(chart.add_params(*params))


def sums(matching: Matching) -> str:
    """Return S, precision, recall and F of a matching as text."""
    return " · ".join(
        (
            f"S = {matching.similarity:.4g}",
            f"P = S / {matching.weight('hyp'):.4g} = {matching.precision:.3f}",
            f"R = S / {matching.weight('ref'):.4g} = {matching.recall:.3f}",
            f"F = {matching.f:.3f}",
        )
    )


def _named(matchings: Any) -> list[tuple[tuple[str, str], Matching]]:
    if not isinstance(matchings, Mapping):
        return [(("", ""), matchings)]
    names = [name if isinstance(name, tuple) else (name, "") for name in matchings]
    return list(zip(names, matchings.values(), strict=True))


def _param(name: str, label: str, options: list[str]) -> alt.Parameter:
    """Return a selector, or a constant if there is only one choice."""
    if len(options) == 1:
        return alt.param(name=name, value=options[0])
    return alt.param(
        name=name, value=options[0], bind=alt.binding_select(options=options, name=label)
    )


def _of(matching: Matching) -> pl.DataFrame:
    """Return the rows of a matching's chart: n-grams of both sides, edges, and the sum."""
    text = pl.col("text")
    short = pl.when(text.str.len_chars() > _LETTERS).then(text.str.head(_LETTERS - 1) + pl.lit("…"))
    times = pl.when(pl.col("count") > 1).then(pl.format(" ×{}", "count")).otherwise(pl.lit(""))
    nodes = matching.nodes.select(
        "weight",
        "node",
        kind="side",
        text=short.otherwise(text) + times,
        flow="matched",
        faded=pl.col("function") > 0,
    )
    if not nodes.height:
        return nodes
    hyp, ref = (nodes.filter(kind=side).rename({"node": side}) for side in ("hyp", "ref"))
    edges = matching.edges.join(hyp.select("hyp", hyp_text="text"), on="hyp").join(
        ref.select("ref", ref_text="text"), on="ref"
    )
    kind = pl.when(pl.col("flow") > 0).then(pl.lit("edge")).otherwise(pl.lit("faint"))
    total = pl.DataFrame({"kind": ["sum"], "text": [sums(matching)]})
    return pl.concat([hyp, ref, edges.with_columns(kind=kind), total], how="diagonal")


def _layers(data: pl.DataFrame) -> list[alt.Chart]:
    """Return the layers of the selected matching."""
    place: Look = {"x": alt.X("ref:O", axis=None), "y": alt.Y("hyp:O", axis=None)}
    scale = alt.Scale(domain=[0.5, 1], range=[COLOURS[1], COLOURS[0]], clamp=True)
    area = alt.Scale(type="sqrt", domain=[0, 1], range=[30, 240], clamp=True)
    tooltip = tips(data, "hyp_text|translation", "ref_text|reference", "similarity||.4~f")
    tooltip += tips(data, "flow||.4~f")
    written: Look = {
        "fontSize": 13,
        "text": alt.Text("label:N"),
        "color": alt.ColorValue(BAD, condition={"test": "datum.flow > 0", "value": INK}),
        "opacity": alt.condition("datum.faded", alt.value(_FADED), alt.value(1.0)),
        "tooltip": tips(data, "text|n-gram", "weight||.4~f", "flow|matched|.4~f"),
    }
    left: Look = {"align": "right", "x": alt.value(-6), "y": place["y"]}
    above: Look = {"angle": 270, "x": place["x"], "y": alt.value(-6)}
    label = "datum.text + '  ' + format(datum.weight, '.3~g')"
    below: Look = {"x": alt.value(0), "y": alt.value("height"), "dy": 18, "color": SOFT}
    colour = alt.Color("similarity:Q", scale=scale, legend=None)
    size = alt.Size("flow:Q", scale=area, legend=None)
    ring: Look = {"filled": False, "size": 24, "opacity": 0.4, "color": SOFT}
    return [
        mark("point", data, _of_kind("faint"), tooltip=tooltip, **ring, **place),
        mark("point", data, _of_kind("edge"), color=colour, size=size, tooltip=tooltip, **place),
        *(
            mark("text", data, _of_kind(side), **where, **written).transform_calculate(label=label)
            for side, where in (("hyp", left), ("ref", above))
        ),
        mark("text", data, _of_kind("sum"), fontSize=13, text=alt.Text("text:N"), **below),
    ]


def _of_kind(kind: str) -> str:
    return f"datum.first == matching && datum.second == order && datum.kind == '{kind}'"


LENGTHS = (5, 40)
"""Segments with this many words have matchings, if there are any."""

_MATCHED = 12
"""The number of segments with matchings; each takes some tenths of a second."""

_MOST = 6
"""With more systems, chosen segments have the matchings of only some."""

_ORDERS = 3


def segments_shown(
    segments: Segments,
    texts: Texts,
    order: Sequence[str],
    chosen: Sequence[int] | None,
    similarity: str,
    ends: Sequence[int],
) -> Sentences:
    """Return the segments on which systems differ most, or the chosen ones, with their evidence.

    ``order`` has the systems from best to worst, ``ends`` the last lengths of bands.
    """
    scores, about = segments.frame.select("system", "sid", "score"), segments.about
    known = scores.with_columns(pl.col("system").cast(pl.String)).drop_nulls("score")
    every = scores["sid"].unique(maintain_order=True) if about is None else about["sid"]
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
    lengths = {} if about is None else dict(about.select("sid", "n_ref").iter_rows())
    for row, sid in zip(rows, sids, strict=True):
        row["length"] = lengths.get(sid, row["length"])  # in tokens, as bands are
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
        counted="segments",
        first="largest differences first" if several else "as given" if chosen else "worst first",
        ranked=not (several or chosen),
        weighed=("Spread of scores", SPREAD) if several else None,
        bands=bands_of(ends, band_names(ends)),
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
