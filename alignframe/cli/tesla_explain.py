"""``alignframe tesla explain``: explaining the score of a segment."""

from __future__ import annotations

from dataclasses import replace
from os import fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from alignframe.cli.show import Data, Pieces, Rows
from alignframe.errors import InputError

if TYPE_CHECKING:
    from alignframe.language.analysis import AnalysisOptions
    from alignframe.read.source import Source
    from alignframe.tesla.explain import Matching

_CHECKED = 200
"""The number of reference lines used to check the language of learnt tags."""


def explain(
    ref: list[Path],
    hyp: Any,
    segment: int,
    *,
    which: int = 1,
    n: int = 1,
    similarity: str = "ms",
    recall_weight: float = 0.8,
    function_weight: float = 0.1,
    encoding: str = "utf-8",
    output: Path | None = None,
    **options: Unpack[AnalysisOptions],
) -> Pieces:
    """Show which n-grams of a segment are matched with which of its reference, with weights.

    Parameters
    ----------
    segment
        Number of the segment, counted from 0.
    which
        Number of the ``--ref`` to use, from 1.
    n, similarity
        See ``tesla.explain.explain``.
    recall_weight, function_weight
        See ``tesla.BagFeatures``.
    """
    if not 1 <= which <= len(ref):
        raise InputError(f"--which-ref {which} of {len(ref)}", expected=f"1 to {len(ref)}")
    if len(hyp) > 1:
        raise InputError(f"{len(hyp)} --hyp", expected="one, as a single translation is explained")
    (one,) = hyp.values() if isinstance(hyp, dict) else hyp
    files = {"hyp": one, "ref": fspath(ref[which - 1])}
    from alignframe.language.analysed import to_arrow
    from alignframe.language.files import analysed, reading_of, shown
    from alignframe.read.source import only
    from alignframe.read.texts import TEXTS, sentences_of
    from alignframe.tesla.explain import explain as explained
    from alignframe.tesla.explain import signature_of
    from alignframe.tesla.scorer import analysis_for

    analysis = analysis_for("m", **options)
    reading = reading_of(analysis, encoding)
    sources = {side: only(path, TEXTS, **reading) for side, path in files.items()}
    rows = {side: _segment(source, segment) for side, source in sources.items()}
    tokens = {side: to_arrow(analysed(row, analysis))[0].as_py() for side, row in rows.items()}
    if analysis.is_learnt:
        checked = sentences_of(sources["ref"]).slice(0, _CHECKED)
        analysis.check_language(analysis.analyse(checked), files["ref"])
    texts = {side: shown(sentences_of(row))[0] for side, row in rows.items()}
    synonyms = analysis.synonyms if similarity == "ms" else None
    mark = signature_of(analysis, n, similarity, function_weight, recall_weight)
    found = explained(
        tokens["hyp"],
        tokens["ref"],
        n,
        similarity,
        synonyms,
        function_weight=function_weight,
        recall_weight=recall_weight,
    )
    summary = {**texts, "ref_file": files["ref"], **_told(found)}
    yield Data(mark, summary=[summary], matches=found.table())
    if not output:
        if len(ref) > 1:
            yield f"reference {which} of {len(ref)}: {files['ref']}"
        yield f"translation: {texts['hyp']}\nreference:   {texts['ref']}"
        yield _rows(found, f"{similarity}_{n}", mark)


def _segment(source: Source, number: int) -> Source:
    """Return one sentence of a file."""
    sids = source.frame["sid"].to_pylist()
    if number not in sids:
        expected = f"{sids[0]} to {sids[-1]}"
        raise InputError(f"there is no segment {number}", path=source.name, expected=expected)
    return replace(source, frame=source.frame.slice(sids.index(number), 1))


def _told(found: Matching) -> dict[str, Any]:
    """Return a matching as JSON."""
    return {
        "similarity": found.similarity,
        "hyp_weight": found.weight("hyp"),
        "ref_weight": found.weight("ref"),
        "precision": found.precision,
        "recall": found.recall,
        "f": found.f,
    }


def _rows(found: Matching, feature: str, signature: str) -> Rows:
    """Return the table of matches, followed by the sums and the signature."""
    import polars as pl

    rows = found.table().select(
        pl.col("hyp").fill_null("").alias("translation"),
        pl.col("hyp_weight").alias("weight"),
        pl.col("ref").fill_null("").alias("reference"),
        pl.col("ref_weight").alias("of weight"),
        "similarity",
        pl.col("flow").alias("matched"),
        "gain",
    )
    sums = (
        f"S = {found.similarity:.4f}, "
        f"P = S / {found.weight('hyp'):.4f} = {found.precision:.4f}, "
        f"R = S / {found.weight('ref'):.4f} = {found.recall:.4f}, F = {found.f:.4f}"
    )
    return Rows(rows, f"N-grams and their matches ({feature})", f"{sums}\n\n{signature}")
