"""The report of phrase dictionaries."""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Any

import polars as pl

from alignframe import phrases
from alignframe.charts import phrases as charts
from alignframe.phrases.study import MEASURES, Study
from alignframe.report.page import Figure, Page, Table

_LISTED = 12
_HEADS = {
    "word-sure": "F of words, Sure",
    "word-possible": "F of words, all links",
    "align-dic1": "F of align-dic1",
    "text-dic1": "F of text-dic1",
    "text-dic2": "F of text-dic2",
}
_CLASSES = {
    "correct": ("Easy: in gold and in all systems", "times in gold"),
    "missing": ("Hard: in gold and in no system", "times in gold"),
    "noise": ("Noise: in all systems and not in gold", "most times in a system"),
}


def phrases_report(
    hyp: Any,
    gold: Any,
    bitext: Any,
    *,
    max_length: int | None = None,
    sure_only: bool = False,
    possible_as_sure: bool = False,
    strict: bool = False,
    memory_limit: str | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
    title: str = "Phrase dictionaries of word alignments",
) -> Page:
    """Build the report of a study: scores, sizes, lengths, easy and hard entries.

    Parameters
    ----------
    hyp, gold, bitext, max_length, sure_only, possible_as_sure, strict
        See ``alignframe.phrases.study``.
    memory_limit, threads, executor
        See ``alignframe.phrases.study``.

    Returns
    -------
    Page
        ``write`` makes the HTML file, ``write_figures`` pictures.
    """
    found = phrases.study(
        hyp,
        gold,
        bitext,
        max_length=max_length,
        sure_only=sure_only,
        possible_as_sure=possible_as_sure,
        strict=strict,
        memory_limit=memory_limit,
        threads=threads,
        executor=executor,
    )
    return study_page(found, title)


def study_page(found: Study, title: str) -> Page:
    """Build the report of a study that has been made."""
    systems = found.sizes.filter(kind="system").height
    sentences = int(found.by_length["sentences"].sum())
    figures = [
        Figure(
            "word-and-dictionary",
            charts.word_and_dictionary(found.scores, found.correlations),
            "A point a system and dictionary, with least-squares lines; r is Pearson's.",
        ),
        Figure(
            "word-and-dictionary-all",
            charts.word_and_dictionary(found.scores, found.correlations, "word-possible"),
            "The same with words judged against all gold links, Sure and Possible.",
        ),
        Figure(
            "precision-and-recall-by-length",
            charts.by_length(found.by_length),
            "Phrases are those of align-dic1; words are judged against all gold links, Sure and "
            "Possible.",
        ),
        Figure(
            "f-scores",
            charts.f_scores(found.scores),
            "Figures of align-dic1 are means over sentences, the others are of the whole text.",
            wide=True,
        ),
        Figure(
            "sizes",
            charts.sizes(found.sizes),
            "Every word without a link counts as a null link.",
            wide=True,
        ),
        Figure(
            "found-by",
            charts.found_by(found.found_by, systems),
            "Left, entries that no system finds; right, entries that all find.",
        ),
        Figure(
            "classes",
            charts.classes(found.classes),
            "Noise that all systems agree on hints at mistakes of gold, or at phrases that gold "
            "holds only as parts of longer ones.",
            wide=True,
        ),
    ]
    return Page(
        title=title,
        lead=f"{systems} systems on {sentences:,} gold sentences. The links of each are turned "
        "into phrase dictionaries, minimal (dic1) and exhaustive (dic2), and those are compared "
        "with gold's.",
        table=_scores(found.scores),
        figures=figures,
        tables=[_entries(found.entries, name) for name in _CLASSES],
        notes=[
            "Definitions: Carl & Fissaha 2003. F = 2PR / (P + R). An entry is a pair of word "
            "strings. The lists are of text-dic1."
        ],
        signature=found.signature,
    )


def _scores(scores: pl.DataFrame) -> Table:
    wide = scores.pivot("measure", index="system", values="f")
    ordered = wide.sort("text-dic1", "system", descending=[True, False], nulls_last=True)
    rows, strong = [], set()
    for r, row in enumerate(ordered.iter_rows(named=True)):
        figures = [row[name] for name in MEASURES]
        rows.append([row["system"], *("undefined" if f is None else f"{f:.4f}" for f in figures)])
        for at, name in enumerate(MEASURES):
            if row[name] is not None and row[name] == ordered[name].max() and ordered.height > 1:
                strong.add((r, at + 1))
    return Table(["System", *(_HEADS[name] for name in MEASURES)], rows, frozenset(strong))


def _entries(entries: pl.DataFrame, kind: str) -> Table:
    title, times = _CLASSES[kind]
    mine = entries.filter(pl.col("class") == kind, pl.col("dictionary") == "text-dic1")
    listed = mine.sort("n", "src", "tgt", descending=[True, False, False]).head(_LISTED)
    rows = [[row["src"], row["tgt"], f"{row['n']:,}"] for row in listed.iter_rows(named=True)]
    return Table(["source", "target", times], rows, title=title, texts=2)
