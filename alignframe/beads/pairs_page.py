"""The report of a sentence alignment: its beads side by side, doubtful ones first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from alignframe.aligners import charts as shared
from alignframe.beads import pair_charts as charts
from alignframe.beads.align import documents_of
from alignframe.beads.calibration import calibration
from alignframe.beads.document import Document
from alignframe.beads.edits import editable
from alignframe.beads.score import score
from alignframe.beads.skipped import BETWEEN, numbers, skipped
from alignframe.beads.sources import beads_of, beads_source
from alignframe.core.schemas import SPANS
from alignframe.errors import InputError, number_of, warn
from alignframe.pages.page import Figure, Page, Table
from alignframe.pages.sentences import Sentences, Value, left_out
from alignframe.pages.tables import score_table
from alignframe.typing import ForInput, ForOutput, FromZero, IntoBeads, IntoDocuments, Rare, Row

SHOWN = 300
"""Number of beads shown side by side by default."""

DOUBTFUL = 0.9
"""Beads with a lower probability are doubtful."""

_Span = tuple[int, int, int, int]

_FULL = (pl.col("src_start") < pl.col("src_end")) & (pl.col("tgt_start") < pl.col("tgt_end"))


def pairs_page(
    beads: IntoBeads,
    src: IntoDocuments,
    tgt: IntoDocuments,
    *,
    gold: IntoBeads | None = None,
    top: ForOutput[FromZero] = SHOWN,
    edit: ForOutput[bool] = False,
    title: Rare[str] = "Sentence alignment",
    encoding: ForInput[str] = "utf-8",
) -> Page:
    """Build the report of an alignment: its path, types, lengths, probabilities and texts.

    Parameters
    ----------
    beads
        Beads of one system, in one or several documents.
    src, tgt
        The sentences; see ``alignframe.beads.align``.
    gold
        Gold beads for comparison.
    top
        Number of beads to show side by side, the least probable first.
    edit
        Let the borders of beads be moved on the page. The edits are saved to a file for ``gold
        apply``. In Python, ``alignframe.beads.apply_edits`` applies it.
    title
        Title of the page.
    encoding
        Character encoding of text files.

    Returns
    -------
    Page
        ``write`` writes an HTML file, ``write_figures`` images.

    Raises
    ------
    InputError
        If there is no bead, several systems have some, or the texts lack a document or a sentence
        of the beads or of gold.
    """
    source = beads_source(beads)
    beads_found = beads_of(source)
    if not beads_found.height:
        raise InputError("no beads", expected="at least one")
    if beads_found["system"].n_unique() > 1:
        raise InputError("beads of several systems", expected="one system")
    texts = _texts(beads_found, src, tgt, encoding)
    right = None if gold is None else _named(beads_of(beads_source(gold, "gold")), texts)
    named = _named(beads_found, texts)
    units = dict(zip(named["doc"].cast(str), beads_found["doc"].cast(str), strict=True))
    beads_found = _with_texts(named, texts)
    full = beads_found.filter(_FULL)
    table, signature = (None, "") if right is None else _scored(beads_found, right, texts)
    listed = _side_by_side(full, right, top, len(texts) > 1, edit=edit)
    if edit:
        listed = editable(listed, beads_found, texts, units, source.name)
    sizes = [sum(len(getattr(text, side)) for text in texts.values()) for side in ("src", "tgt")]
    lead = _lead(full, sizes, None if right is None else _judged(full, right))
    if table is not None:
        f = table.rows[0][table.heads.index("strict F")]
        lead = f"Strict F is {f}. {lead}"
    return Page(
        title=title,
        lead=lead,
        about=_about(texts, sizes) + left_out(listed, full.height, "the least probable"),
        table=table,
        figures=_figures(beads_found, full, texts, right),
        tables=skipped(full, texts),
        notes=["Sentences are numbered from 0."],
        signature=signature,
        sentences=listed,
    )


def _texts(beads: pl.DataFrame, src: Any, tgt: Any, encoding: str) -> dict[str, Document]:
    """Return the documents by name; a single one matches the beads whatever its name.

    Documents without beads are kept, with a warning, since their sentences are not aligned.
    """
    names = beads["doc"].unique(maintain_order=True).to_list()
    texts, named = documents_of(src, tgt, None, "letters", encoding)
    if not named and len(names) == 1:
        return {names[0]: texts[0]}
    found = {text.name: text for text in texts}
    missing = [name for name in names if name not in found]
    if missing:
        raise InputError(
            f"no text of the document {missing[0]!r}", expected="both sides of every document"
        )
    empty = [name for name in found if name not in names]
    if empty:
        which = f"the document {empty[0]!r}"
        if len(empty) > 1:
            which = f"{len(empty):,} documents, such as {empty[0]!r}"
        warn(f"no beads of {which}; the sentences count as not aligned")
    return found


def _named(beads: pl.DataFrame, texts: dict[str, Document]) -> pl.DataFrame:
    """Return beads; those of a single document get the name of the text."""
    if len(texts) == 1 and beads["doc"].n_unique() == 1:
        return beads.with_columns(pl.lit(next(iter(texts))).alias("doc"))
    return beads


def _with_texts(beads: pl.DataFrame, texts: dict[str, Document]) -> pl.DataFrame:
    """Return beads with their texts, positions and labels."""
    rows: list[Row] = []
    sides = {
        name: (text.src.texts.to_pylist(), text.tgt.texts.to_pylist())
        for name, text in texts.items()
    }
    before, place = 0, {}
    for name, (src, _) in sides.items():
        place[name], before = before, before + len(src)
    for row in beads.iter_rows(named=True):
        src, tgt = sides[row["doc"]]
        a, b, c, d = (row[name] for name in SPANS)
        if b > len(src) or d > len(tgt):
            raise InputError(
                f"a bead of the document {row['doc']!r} with source sentence {b - 1:,} and target "
                f"sentence {d - 1:,}, of {len(src):,} and {len(tgt):,}",
                todo="check that the text belongs to the beads",
            )
        both = src[a:b], tgt[c:d]
        rows.append(
            {
                **row,
                "type": f"{b - a}-{d - c}",
                "span": f"{numbers(a, b)} : {numbers(c, d)}",
                "src": both[0],
                "tgt": both[1],
                "src_length": sum(map(len, both[0])),
                "tgt_length": sum(map(len, both[1])),
                "place": place[row["doc"]] + (a + b) / 2,
                "off": (c + d) / 2 - (a + b) / 2 * len(tgt) / max(len(src), 1),
                "kind": charts.PAIRED if b > a and d > c else charts.SKIPPED,
            }
        )
    return pl.DataFrame(rows, infer_schema_length=None).with_columns(
        pl.col("score").cast(pl.Float64)
    )


def _judged(full: pl.DataFrame, gold: pl.DataFrame) -> pl.DataFrame:
    """Return beads with whether gold has them."""
    keys = ["doc", *SPANS]
    known = gold.select(keys).unique().with_columns(right=pl.lit(value=True))
    return full.join(known, on=keys, how="left").with_columns(pl.col("right").fill_null(False))


def _lead(full: pl.DataFrame, sizes: Sequence[int], judged: pl.DataFrame | None) -> str:
    """Return how many beads are right, known from gold or expected, and what they cover."""
    aligned = [
        int((full[f"{side}_end"] - full[f"{side}_start"]).sum()) / max(size, 1)
        for side, size in zip(("src", "tgt"), sizes, strict=True)
    ]
    covered = (
        f"{aligned[0]:.1%} of the source and {aligned[1]:.1%} of the target sentences are aligned."
    )
    beads, known = number_of(full.height, "bead"), full["score"].drop_nulls().to_numpy()
    least = pl.col("score") < DOUBTFUL
    if judged is not None and full.height:
        parts = [judged, judged.filter(least), judged.filter(~least)]
        whole, below, above = (
            f"{100 * one['right'].sum() / max(one.height, 1):.1f}%" for one in parts
        )
        said = f"{whole} of {beads} with both sides are in gold ({judged['right'].sum():,})"
        if parts[1].height and parts[2].height:
            said += (
                f": {below} of the {parts[1].height:,} with a probability below {DOUBTFUL:g}, "
                f"{above} of the others"
            )
        return f"{said}. {covered}"
    if not known.size:
        return f"{beads} with both sides: {covered} The beads have no probabilities, and no gold."
    doubtful = int((known < DOUBTFUL).sum())
    return (
        f"{known.mean():.1%} of {beads} with both sides are expected to be right, by their "
        f"probabilities; {doubtful:,} have one below {DOUBTFUL:g}. {covered}"
    )


def _about(texts: dict[str, Document], sizes: Sequence[int]) -> str:
    documents = f"{number_of(len(texts), 'document')}, " if len(texts) > 1 else ""
    return f"{documents}{sizes[0]:,} source and {number_of(sizes[1], 'target sentence')}."


def _figures(
    beads: pl.DataFrame,
    full: pl.DataFrame,
    texts: dict[str, Document],
    gold: pl.DataFrame | None,
) -> list[Figure]:
    known = full.drop_nulls("score")
    counts = [_types(beads, "found")] + ([] if gold is None else [_types(gold, "gold")])
    one = {"sid": "span"} if len(texts) == 1 else {}  # spans name beads of a single document
    figures = [
        Figure("path", charts.path_map(beads), _path_caption(texts), True, one),
        Figure("types", charts.bead_types(pl.concat(counts)), picks={"Type": "type"}),
    ]
    if full.height:
        figures.append(
            Figure("lengths", charts.lengths(full), "Dashed: the ratio of all lengths.", picks=one)
        )
    if known.height:
        figures.append(Figure("probabilities", charts.probabilities(known)))
    if known.height and gold is not None:
        data = calibration(_without_texts(known), gold)
        promised, correct, n = (
            data[name].to_numpy() for name in ("probability", "correct", "beads")
        )
        error = float((abs(promised - correct) * n).sum() / n.sum())
        figures.append(
            Figure(
                "calibration",
                shared.of_calibration(data, "beads"),
                f"Expected calibration error: {error:.3f}, the mean difference of the two, "
                "weighted by the number of beads.",
            )
        )
    return figures


def _path_caption(texts: dict[str, Document]) -> str:
    return "" if len(texts) == 1 else "Each document has its own diagonal."


def _types(beads: pl.DataFrame, of: str) -> pl.DataFrame:
    sizes = pl.format(
        "{}-{}",
        pl.col("src_end") - pl.col("src_start"),
        pl.col("tgt_end") - pl.col("tgt_start"),
    )
    return (
        beads.group_by(type=sizes)
        .agg(beads=pl.len())
        .with_columns(of=pl.lit(of))
        .sort("beads", "type")
    )


def _scored(
    beads: pl.DataFrame, gold: pl.DataFrame, texts: dict[str, Document]
) -> tuple[Table, str]:
    """Return the scores against gold, and their signature."""
    missing = gold.filter(~pl.col("doc").is_in(list(texts)))["doc"]
    if missing.len():
        raise InputError(
            f"gold has the document {missing[0]!r}, and the texts do not",
            expected="gold of the same documents",
        )
    lengths = pl.DataFrame(
        [(name, len(text.src), len(text.tgt)) for name, text in texts.items()],
        schema=["doc", "n_src", "n_tgt"],
        orient="row",
    )
    found = score(_without_texts(beads), gold, lengths=lengths)
    row = found.scores.with_columns(all=pl.lit("all"))
    heads = {"all": "", "n_hyp": "beads", "n_gold": "gold beads"}
    for kind, names in (("strict", "fpr"), ("lax", "fpr"), ("pair", "pr")):
        for name in names:
            word = {"f": "F", "p": "precision", "r": "recall"}[name]
            heads[f"{kind}_{word.lower()}"] = f"{kind} {word}"
    caption = "Beads with an empty side count among those found, not among those of gold."
    table = score_table(row, heads, title="Against gold", caption=caption)
    return table, row["signature"][0]


def _side_by_side(
    full: pl.DataFrame, gold: pl.DataFrame | None, top: int, several: bool, *, edit: bool
) -> Sentences:
    """Return the least probable beads with their texts, and the gold beads of their sentences."""
    chosen = full.sort("score", "doc", "src_start", nulls_last=True).head(top)
    known = full["score"].null_count() < full.height
    heads = ["Document"] * several + ["Source", "Target", "Type"]
    right: dict[str, list[_Span]] = {}
    span: _Span
    if gold is not None:
        heads.append("In gold")
        for doc, *ends in gold.select("doc", *SPANS).iter_rows():
            right.setdefault(doc, []).append((ends[0], ends[1], ends[2], ends[3]))
    rows = []
    for row in chosen.iter_rows(named=True):
        cells = [row["doc"]] * several + [BETWEEN.join(row[side]) for side in ("src", "tgt")]
        detail: Row = {"src": row["src"], "tgt": row["tgt"], "at": {0: [0, 0]}}
        if edit:
            detail |= {"unit": row["doc"], "span": [row[end] for end in SPANS]}
        cells.append(row["type"])
        if gold is not None:
            a, b, c, d = span = (row[SPANS[0]], row[SPANS[1]], row[SPANS[2]], row[SPANS[3]])
            own = right.get(row["doc"], [])
            cells.append("yes" if span in own else "no")
            # Gold beads with a sentence in common, on either side.
            shared = [g for g in own if (g[0] < b and a < g[1]) or (g[2] < d and c < g[3])]
            detail["gold"] = [f"{numbers(*g[:2])} : {numbers(*g[2:])}" for g in shared]
        length = sum(len(text.split()) for text in row["src"])
        rows.append({"unit": row["span"], "length": length, "cells": cells, "detail": detail})
        if known:
            rows[-1]["values"] = [[row["score"]]]
    return Sentences(
        "beads",
        rows,
        figures=[Value("Probability", digits=3)] * known,
        heads=heads,
        title="Beads",
        unit="bead",
        counted="beads",
        first="least probable first" if known else "in the order of the text",
    )


def _without_texts(beads: pl.DataFrame) -> pl.DataFrame:
    """Return the columns of beads from which scores are computed."""
    return beads.select("system", "doc", *SPANS, "score")
