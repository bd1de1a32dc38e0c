"""The page of word-alignment quality."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from alignframe.core.arrays import I64
from alignframe.errors import InputError, number_of, sentence_name
from alignframe.links import charts
from alignframe.links.counting import UNIT
from alignframe.links.editable import editable
from alignframe.links.gold import band_names
from alignframe.links.scoring import Evaluated
from alignframe.links.worst import SentenceLinks, judged, links_of, words_of
from alignframe.pages.page import Figure, Page
from alignframe.pages.page import drawn as drawn_of
from alignframe.pages.ranked import MANY, differences_sorted
from alignframe.pages.sentences import (
    CHOSEN,
    SUM,
    Evidence,
    Sentences,
    Value,
    bands_of,
    by_system,
    held,
    left_out,
    line_of,
)
from alignframe.pages.tables import (
    differences_tables,
    leading,
    ranked_how,
    score_table,
    scored_how,
    with_ranks,
)
from alignframe.pages.theme import heading
from alignframe.stats.conclusions import decisive, listed_names, ranking, spans
from alignframe.stats.link_measure import links_measure
from alignframe.typing import FromZero, Rare, Row

_CURVE = [round(step / 20, 2) for step in range(21)]
_EQUAL = 1e-12
_SPANS = 4
"""With more changes of the best system over α, only their number is said."""


def links_page(
    evaluated: Evaluated,
    *,
    sentences: Sequence[FromZero] | None = None,
    edit: bool = False,
    title: Rare[str] = "Word alignment quality",
) -> Page:
    """Build the page: scores, precision and recall, F against α, AER by length, sentences.

    Parameters
    ----------
    evaluated
        What ``alignframe.links.score(...).evaluated()`` returns.
    sentences
        The sids of the sentences listed, each of which opens its links; by default all, or as many
        as a page can hold, most errors of all systems first (see
        ``worst`` of ``alignframe.links.score``).
    edit
        Let gold be mended on the page, in the grids of links; needs the text. The edits are saved
        to a file for ``gold apply``. In Python, ``alignframe.links.apply_edits`` applies it.
    title
        Title of the page.
    """
    frame, measure, parts, *_ = evaluated.counted
    number = frame["sid"].n_unique()
    units = number_of(number, "gold sentence")
    order, bands = evaluated.scores["system"].to_list(), evaluated.bands
    listed = sentences_of(evaluated, order, sentences)
    if edit:
        listed = editable(listed, evaluated)
        if not frame["n_sure"].sum():
            lead = "Gold has no Sure link yet, so nothing is scored."
            mark = evaluated.signature
            return Page(title, lead, None, [], signature=mark, sentences=listed)
    scores, drawn, few = evaluated.scores, evaluated.drawn, min(evaluated.drawn.resamples, 1_000)
    by_length = evaluated.counted.scored(["length"], UNIT, replace(drawn, resamples=few))
    curve = links_measure(_CURVE).table(frame, ["system"]).sort("system")
    alpha, *_ = [float(name[2:]) for name in measure.names if name.startswith("f_")] or [0.5]
    kind = "up to the last linked word" if evaluated.text is None else "mean words of both sides"
    by_alpha = charts.f_by_alpha(curve, _CURVE)
    differences, lower = evaluated.comparisons, measure.lower_is_better
    bars, mark = spans(scores, units, where="Bars"), str(scores["signature"][0])
    # The first of the choices is AER.
    by_measure = differences
    if differences.height:
        by_measure = differences.sort(pl.col("measure") != "aer", maintain_order=True)
    figures = [
        Figure(
            "precision-recall",
            charts.precision_recall(scores.sort("system"), alpha),
            bars,
            signature=mark,
        ),
        Figure(
            "f-by-alpha",
            by_alpha,
            "The smaller α is, the more F weights recall."
            + _ahead(drawn_of(by_alpha, "system", "alpha", "f")),
            signature=measure.signature(*parts),
        ),
        Figure(
            "error-by-length",
            charts.error_by_length(by_length, bands, kind, order),
            "Corpus AER of the sentences in each band, best system first."
            + (f" {spans(by_length, 'those sentences', where='Bars')}" * (scores.height <= MANY)),
            wide=scores.height <= MANY,
            signature=str(by_length["signature"][0]),
            picks={"length": "length"},
        ),
    ]
    figures[2:2] = differences_sorted(by_measure, units, lower)
    heads = {name: heading(name) for name in measure.names}
    table, columns = with_ranks(scores, evaluated.ranks, heads)
    return Page(
        title=title,
        lead=ranking(scores, differences, decisive(heads), lower, units=units),
        about=f"{number_of(scores.height, 'system')} on {units}. "
        "Precision counts links that are Possible in gold, recall counts Sure links; all "
        "scores are ratios of sums over the corpus."
        + left_out(listed, number, "those with the most errors" if sentences is None else CHOSEN),
        table=score_table(
            table,
            {"system": "System", "links": "Links", **columns},
            best=leading(evaluated.ranks),
            caption=scored_how(scores, evaluated.ranks, units),
        ),
        figures=figures,
        tables=differences_tables(by_measure, scores, units, lower),
        notes=[
            "Definitions: Fraser & Marcu 2007, Computational Linguistics 33(3), equations 1-5.",
            *ranked_how(evaluated.ranks),
        ],
        signature=evaluated.signature,
        sentences=listed,
    )


def _ahead(shown: pl.DataFrame) -> str:
    """Say which systems have the highest F, at which α; empty for a single system."""
    if shown["system"].n_unique() < 2:
        return ""
    top = shown.filter(pl.col("f") >= pl.col("f").max().over("alpha") - _EQUAL)
    spans: list[tuple[list[str], list[float]]] = []
    for (alpha,), own in top.sort("alpha", "system").group_by("alpha", maintain_order=True):
        names = own["system"].to_list()
        if not spans or spans[-1][0] != names:
            spans.append((names, []))
        spans[-1][1].append(float(str(alpha)))
    if len(spans) == 1:
        return f" The highest F at every α is that of {listed_names(spans[0][0])}."
    if len(spans) > _SPANS:
        return f" The system with the highest F changes {len(spans) - 1} times over α."
    said = [
        f"of {listed_names(names)} "
        + (f"from α = {own[0]:g} to {own[-1]:g}" if own[1:] else f"at α = {own[0]:g}")
        for names, own in spans
    ]
    return f" The highest F is that {', '.join(said[:-1])} and {said[-1]}."


def sentences_of(
    evaluated: Evaluated, systems: Sequence[str], chosen: Sequence[int] | None = None
) -> Sentences:
    """Return the sentences with errors and AER of every system, most errors of all first."""
    counted, most = judged(evaluated.counted.frame), ["errors", "aer"]
    worst = counted.group_by("sid").agg(pl.col("errors").sum(), pl.col("aer").mean())
    down = [True, True, False]
    every = worst.sort(*most, "sid", descending=down, nulls_last=True)["sid"].to_list()
    sids = every[: held(len(systems), every)] if chosen is None else list(chosen)
    evidence = link_evidence(
        evaluated.hyp,
        evaluated.gold,
        sids,
        evaluated.text,
        systems,
        possible_as_sure=evaluated.possible_as_sure,
        drop_outside=evaluated.drop_outside,
    )
    figures = [Value("Errors", lower=True, digits=0), Value("AER", lower=True)]
    values = by_system(counted, most, systems)
    rows = []
    for sid in sids:
        detail = evidence[sid]
        row = {"unit": sentence_name(sid), "values": values(sid), "detail": detail}
        line = line_of(detail["src"]) if "src" in detail else {}
        rows.append(row | line | {"length": _length(detail)})
    weighed = (f"Errors of all {len(systems)}", SUM) if len(systems) > 1 else None
    bands = bands_of(evaluated.bands, band_names(evaluated.bands))
    return Sentences(
        "links", rows, systems, figures, first="most errors first", bands=bands, weighed=weighed
    )


def _length(detail: Row) -> int:
    """Return the length of a sentence as its band counts it: of gold links without a text."""
    if "src" in detail:
        return (len(detail["src"]) + len(detail["tgt"]) + 1) // 2
    gold = detail["other"][0][:2]
    return (sum(max(side, default=-1) + 1 for side in gold) + 1) // 2


# The evidence of sentences: the links of all systems beside gold, with their words.


def link_evidence(
    hyp: Any,
    gold: Any,
    sids: Sequence[int],
    text: Any,
    systems: Sequence[str],
    *,
    possible_as_sure: bool = False,
    drop_outside: bool = False,
) -> dict[int, Row]:
    """Return the links of sentences in gold and of all systems, with words if there is a text."""
    words = words_of(text, sids)
    found = links_of(hyp, gold, sids, possible_as_sure, words if drop_outside else {})
    made = {}
    for sid in dict.fromkeys(sids):
        one, truth = Evidence(), _plain(found["", sid], gold=True)
        sides = words.get(sid)
        for at, system in enumerate(systems):
            links = found.get((system, sid))
            one.add(at, None if links is None else _plain(links), truth)
        _check_positions(sid, [truth, *filter(None, one.hyp)], sides)
        made[sid] = one.as_json(sides)
    return made


def _plain(links: SentenceLinks, *, gold: bool = False) -> list[list[int]]:
    sides: Iterable[I64] = (links[name] for name in (("i", "j", "sure") if gold else ("i", "j")))  # type: ignore[misc]
    return [side.astype(int).tolist() for side in sides]


def _check_positions(
    sid: int, every: Sequence[list[list[int]]], words: tuple[Sequence[str], Sequence[str]] | None
) -> None:
    """Refuse links outside the text; the position after the last word is that of null links."""
    if words is None:
        return
    for i, j in ((i, j) for links in every for i, j in zip(*links[:2], strict=True)):
        if i > len(words[0]) or j > len(words[1]):
            raise InputError(
                f"the link {i}-{j} of sentence {sid} lies outside the given text",
                todo="check that the text belongs to the links",
            )
