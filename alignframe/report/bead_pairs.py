"""The report of a sentence alignment: its beads side by side, doubtful ones first."""

from __future__ import annotations

from typing import Any

import polars as pl

from alignframe.beads.align import documents_of
from alignframe.beads.calibration import calibration
from alignframe.beads.document import Document
from alignframe.beads.sources import beads_of, beads_source
from alignframe.charts import aligners as shared
from alignframe.charts import bead_pairs as charts
from alignframe.errors import InputError, number_of, warn
from alignframe.report.bead_tables import (
    numbers,
    scored,
    side_by_side,
    skipped,
    without_texts,
)
from alignframe.report.page import Figure, Page
from alignframe.report.sentences import left_out
from alignframe.tables import SPANS
from alignframe.typing import IntoBeads, IntoDocuments

SHOWN = 300
"""Number of beads shown side by side by default."""

DOUBTFUL = 0.9
"""Beads with a lower probability are doubtful."""

_FULL = (pl.col("src_start") < pl.col("src_end")) & (pl.col("tgt_start") < pl.col("tgt_end"))


def pairs_page(
    beads: IntoBeads,
    src: IntoDocuments,
    tgt: IntoDocuments,
    *,
    gold: IntoBeads | None = None,
    top: int = SHOWN,
    title: str = "Sentence alignment",
    encoding: str = "utf-8",
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
    found = beads_of(beads_source(beads))
    if not found.height:
        raise InputError("no beads", expected="some")
    if found["system"].n_unique() > 1:
        raise InputError("beads of several systems", expected="one system")
    texts = _texts(found, src, tgt, encoding)
    right = None if gold is None else _named(beads_of(beads_source(gold, "gold")), texts)
    found = _with_texts(_named(found, texts), texts)
    full = found.filter(_FULL)
    table, signature = (None, "") if right is None else scored(found, right, texts)
    return Page(
        title=title,
        lead=_lead(found, texts)
        + left_out(min(top, full.height), full.height, "the least probable", "beads"),
        table=table,
        figures=_figures(found, full, texts, right),
        tables=skipped(full, texts),
        notes=["Sentences are numbered from 0."],
        signature=signature,
        sentences=side_by_side(full, right, top, len(texts) > 1),
    )


def _texts(beads: pl.DataFrame, src: Any, tgt: Any, encoding: str) -> dict[str, Document]:
    """Return the documents by name; a single one matches the beads whatever its name.

    Documents without beads are kept, with a warning, since their sentences are not aligned.
    """
    names = beads["doc"].unique(maintain_order=True).to_list()
    texts, named = documents_of(src, tgt, None, "words", encoding)
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
    rows: list[dict[str, Any]] = []
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


def _lead(found: pl.DataFrame, texts: dict[str, Document]) -> str:
    sizes = [sum(len(getattr(text, side)) for text in texts.values()) for side in ("src", "tgt")]
    full = found.filter(_FULL)
    aligned = [
        int((full[f"{side}_end"] - full[f"{side}_start"]).sum()) / max(size, 1)
        for side, size in zip(("src", "tgt"), sizes, strict=True)
    ]
    documents = f"{number_of(len(texts), 'document')}, " if len(texts) > 1 else ""
    lead = (
        f"{documents}{sizes[0]:,} source and {number_of(sizes[1], 'target sentence')}, "
        f"{number_of(full.height, 'bead')} with both sides: {aligned[0]:.1%} of the source and "
        f"{aligned[1]:.1%} of the target sentences are aligned."
    )
    known = full["score"].drop_nulls().to_numpy()
    if not known.size:
        return f"{lead} The beads have no probabilities."
    return (
        f"{lead} The mean probability of a bead is {known.mean():.3f}; "
        f"{(known < DOUBTFUL).sum():,} of them have one below {DOUBTFUL:g}."
    )


def _figures(
    found: pl.DataFrame,
    full: pl.DataFrame,
    texts: dict[str, Document],
    gold: pl.DataFrame | None,
) -> list[Figure]:
    known = full.drop_nulls("score")
    counts = [_types(found, "found")] + ([] if gold is None else [_types(gold, "gold")])
    figures = [
        Figure("path", charts.path_map(found), _path_caption(texts), wide=True),
        Figure("types", charts.bead_types(pl.concat(counts))),
    ]
    if full.height:
        figures.append(Figure("lengths", charts.lengths(full), "Dashed: the ratio of all lengths."))
    if known.height:
        figures.append(Figure("probabilities", charts.probabilities(known)))
    if known.height and gold is not None:
        data = calibration(without_texts(known), gold)
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
