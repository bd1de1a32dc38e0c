"""The tables of the report of a sentence alignment."""

from __future__ import annotations

import polars as pl

from alignframe.beads.document import Document
from alignframe.beads.score import scores
from alignframe.errors import InputError
from alignframe.report.page import Table
from alignframe.report.sentences import Row, Sentences, Value
from alignframe.tables import SPANS

SKIPS = 60
"""Number of skipped regions shown."""

BETWEEN = " ¦ "
"""The separator of two sentences of a bead."""

_TEXT = 400

Span = tuple[int, int, int, int]


def scored(
    found: pl.DataFrame, gold: pl.DataFrame, texts: dict[str, Document]
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
    row = scores(without_texts(found), gold, lengths=lengths).row(0, named=True)
    kinds = [("strict", "fpr"), ("lax", "fpr"), ("pair", "pr")]
    names = {"f": "F", "p": "precision", "r": "recall"}
    heads, cells = ["", "beads", "gold beads"], ["all", f"{row['n_hyp']:,}", f"{row['n_gold']:,}"]
    for kind, which in kinds:
        for one in which:
            column = f"{kind}_{names[one].lower()}"
            heads.append(f"{kind} {names[one]}")
            cells.append("–" if row[column] is None else f"{row[column]:.4f}")
    caption = "Beads with an empty side count among those found, not among those of gold."
    return Table(heads, [cells], title="Against gold", caption=caption), row["signature"]


def side_by_side(
    full: pl.DataFrame, gold: pl.DataFrame | None, top: int, several: bool
) -> Sentences:
    """Return the least probable beads with their texts, and the gold beads of their sentences."""
    chosen = full.sort("score", "doc", "src_start", nulls_last=True).head(top)
    known = full["score"].null_count() < full.height
    heads = ["Document"] * several + ["Source", "Target", "Type"]
    right: dict[str, list[Span]] = {}
    span: Span
    if gold is not None:
        heads.append("In gold")
        for doc, *ends in gold.select("doc", *SPANS).iter_rows():
            right.setdefault(doc, []).append((ends[0], ends[1], ends[2], ends[3]))
    rows = []
    for row in chosen.iter_rows(named=True):
        cells = [row["doc"]] * several + [BETWEEN.join(row[side]) for side in ("src", "tgt")]
        detail: Row = {"src": row["src"], "tgt": row["tgt"], "at": {0: [0, 0]}}
        cells.append(row["type"])
        if gold is not None:
            a, b, c, d = span = (row[SPANS[0]], row[SPANS[1]], row[SPANS[2]], row[SPANS[3]])
            own = right.get(row["doc"], [])
            cells.append("yes" if span in own else "no")
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
        first="least probable first" if known else "in the order of the text",
    )


def skipped(full: pl.DataFrame, texts: dict[str, Document]) -> list[Table]:
    """Return the runs of sentences that are aligned to nothing, the longest first."""
    runs: list[tuple[str, str, int, int]] = []
    beads = full.partition_by("doc", as_dict=True)
    for side, label in (("src", "source"), ("tgt", "target")):
        for doc, text in texts.items():
            # Sentences before the first bead, between two beads, and after the last one.
            ends = beads.get((doc,), full.head(0)).select(f"{side}_start", f"{side}_end").rows()
            last = 0
            for start, end in [*sorted(ends), (len(getattr(text, side)),) * 2]:
                if start > last:
                    runs.append((label, doc, last, start))
                last = max(last, end)
    if not runs:
        return []
    runs.sort(key=lambda run: run[2] - run[3])
    rows = []
    for label, doc, start, end in runs[:SKIPS]:
        own = texts[doc].src if label == "source" else texts[doc].tgt
        place = f"{numbers(start, end)}\n{doc}" if len(texts) > 1 else numbers(start, end)
        said = BETWEEN.join(own.texts.slice(start, end - start).to_pylist())
        rows.append([place, label, _cut(said), f"{end - start:,}"])
    more = f", the {SKIPS} longest of {len(runs):,}" if len(runs) > SKIPS else ""
    return [
        Table(
            ["Sentences", "Side", "Text", "Number"],
            rows,
            title=f"Sentences aligned to nothing{more}",
            texts=3,
            wide=True,
        )
    ]


def _cut(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _TEXT else f"{plain[:_TEXT]}…"


def without_texts(beads: pl.DataFrame) -> pl.DataFrame:
    """Return the columns of beads from which scores are computed."""
    return beads.select("system", "doc", *SPANS, "score")


def numbers(start: int, end: int) -> str:
    """Return the numbers of the sentences of one side of a bead, as text."""
    if end <= start:
        return "–"
    return f"{start:,}" if end == start + 1 else f"{start:,}–{end - 1:,}"
