"""The report of lexicons and cascades of filters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from typing import Any

import polars as pl

from alignframe.charts import lexicon as charts
from alignframe.errors import InputError
from alignframe.executors import pool_of
from alignframe.lexicon.findings import BACK_OFF
from alignframe.lexicon.study import Cascades, Study, study
from alignframe.report.page import Figure, Page, Table
from alignframe.typing import IntoBitext

_GAINS, _LOSSES, _TRANSLATIONS = 3, 2, 5
_GAIN = pl.col("after_hits") - pl.col("before_hits")


def lexicon_report(
    train: IntoBitext,
    test: IntoBitext,
    cascades: Cascades,
    *,
    sizes: Sequence[int] | None = None,
    sets: int = 10,
    n_best: int = 5,
    count: str = "types",
    signed: bool = True,
    average: str = "types",
    confidence: float = 0.95,
    seed: int = 1,
    upper_bound: float | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
    title: str = "Cascades of filters for translation lexicons",
) -> Page:
    """Build the report of a study: precision and percent correct by cascade and training text.

    Parameters
    ----------
    train, test, cascades, sizes, sets, n_best, count, signed, average, confidence, seed
        See ``alignframe.lexicon.study.study``.
    threads, executor
        See ``alignframe.lexicon.study.study``.
    upper_bound
        See ``study_page``.

    Returns
    -------
    Page
        ``write`` makes the HTML file, ``write_figures`` pictures.

    Notes
    -----
    Melamed 1995, figures 5, 6 and 8.
    """
    executor = pool_of(threads, executor)
    found = study(
        train,
        test,
        cascades,
        sizes=sizes,
        sets=sets,
        n_best=n_best,
        count=count,
        signed=signed,
        average=average,
        confidence=confidence,
        seed=seed,
        executor=executor,
    )
    return study_page(found, title, upper_bound)


def study_page(found: Study, title: str, upper_bound: float | None = None) -> Page:
    """Build the report of a study that has been made.

    Parameters
    ----------
    found
        The study.
    title
        Of the page.
    upper_bound
        The precision at k = 1 that two translations of one text reach with each other, for example
        from ``alignframe.lexicon.upper_bound``.

    Returns
    -------
    Page
        The report.
    """
    if upper_bound is not None and not 0 <= upper_bound <= 1:
        raise InputError(f"an upper bound of {upper_bound!r}", expected="a number from 0 to 1")
    summary = found.summary
    names = found.order["cascade"].unique(maintain_order=True)
    smallest, largest = (summary["size"].sort()[at] for at in (0, -1))
    depth = summary["k"].sort()[-1]
    return Page(
        title=title,
        lead=_lead(found, len(names), depth),
        table=_table(summary, largest, depth),
        figures=_figures(found, smallest, depth, upper_bound),
        tables=[_order(found.order), *_changes(found)],
        notes=_notes(found),
        signature=found.signature,
    )


def _lead(found: Study, cascades: int, depth: int) -> str:
    pairs = dict(found.texts.select("text", "pairs").iter_rows())
    sizes = found.summary["size"].unique().sort().to_list()
    types = found.texts.filter(text="test")["types"][0]
    sets = found.summary["sets"].unique().sort().to_list()
    drawn = "1 training set" if sets == [1] else f"{_range(sets)} training sets, without overlap,"
    return (
        f"{_number(cascades, 'cascade')} of filters, {_number(len(sizes), 'size')} of training "
        f"text ({_range(sizes)} of {pairs['train']:,} sentence pairs), {drawn} "
        f"of each. The lexicons, of up to {_number(depth, 'translation')} a word, are judged on "
        f"{pairs['test']:,} other sentence pairs with {types:,} source words."
    )


def _number(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _range(numbers: list[int]) -> str:
    return " to ".join(f"{one:,}" for one in dict.fromkeys((numbers[0], numbers[-1])))


def _figures(found: Study, smallest: Any, depth: int, upper_bound: float | None) -> list[Figure]:
    figures = [
        Figure(
            "precision",
            charts.precision_by_size(found.summary, 1, upper_bound=upper_bound),
            "Means over training sets; bands are their intervals, where there are 3 sets or more.",
        )
    ]
    if depth > 1:
        figures.append(
            Figure(
                f"precision-of-{depth}",
                charts.precision_by_size(found.summary, depth),
                f"The same, with a hit where any of the {depth} best translations is found.",
            )
        )
    figures.append(
        Figure(
            "percent-correct",
            charts.percent_correct_by_size(found.summary),
            "Words that a lexicon lacks count as wrong. Back-off translates each word by the most "
            "precise lexicon that has it.",
        )
    )
    if depth > 1:
        figures.append(
            Figure(
                "precision-by-depth",
                charts.precision_by_k(found.summary, smallest),
                "At the smallest size of training text.",
            )
        )
    if found.findings.filter(pl.col("cascade") != BACK_OFF)["gain"].count():
        figures.append(
            Figure(
                "gain",
                charts.gain(found.findings),
                "What each cascade adds to the mean precision; left of the line it takes away.",
                wide=True,
            )
        )
    return figures


def _table(summary: pl.DataFrame, size: Any, depth: int) -> Table:
    """Return precision and percent correct of every cascade at the largest size."""
    wanted = [
        (measure, k)
        for measure in ("precision", "percent_correct")
        for k in dict.fromkeys((1, depth))
    ]
    names = {"precision": "precision", "percent_correct": "percent correct"}
    mine = summary.filter(size=size)
    cascades = mine["cascade"].unique(maintain_order=True).to_list()
    columns = [
        {row["cascade"]: row for row in mine.filter(k=k).iter_rows(named=True)} for _, k in wanted
    ]
    rows = [
        [
            name,
            *(
                _cell(column[name], measure)
                for column, (measure, _) in zip(columns, wanted, strict=True)
            ),
        ]
        for name in cascades
    ]
    strong = set()
    for at, (column, (measure, _)) in enumerate(zip(columns, wanted, strict=True), 1):
        figures = {name: row[measure] for name, row in column.items() if row[measure] is not None}
        if len(figures) > 1:
            best = max(figures.values())
            strong |= {(cascades.index(name), at) for name in figures if figures[name] == best}
    sets = mine["sets"][0]
    heads = ["Cascade", *(f"{names[measure]}, k = {k}" for measure, k in wanted)]
    return Table(
        heads,
        rows,
        frozenset(strong),
        title=f"{size:,} sentence pairs of training text, {_number(sets, 'training set')}",
    )


def _cell(row: Mapping[str, Any], measure: str) -> str:
    value, low, high = (row[f"{measure}{end}"] for end in ("", "_low", "_high"))
    if value is None:
        return "undefined"
    return f"{value:.4f}" + ("" if low is None else f"\n{low:.4f} - {high:.4f}")


def _order(order: pl.DataFrame) -> Table:
    """Return the order of back-off at every size."""
    asked = order.group_by("size", maintain_order=True).agg("cascade")
    rows = [[f"{size:,}", " > ".join(names)] for size, names in asked.iter_rows()]
    return Table(["sentence pairs", "asked in turn"], rows, title="Order of back-off", texts=2)


def _changes(found: Study) -> list[Table]:
    """Return how many words a cascade changes, and those that it changes most."""
    if not found.changed.height:
        return []
    other, size = found.changed["other"][0], found.changed["size"][0]
    where = f"than with {other}, first training set of {size:,} pairs"
    numbers = ("words", "changed", "better", "worse")
    counted = [
        [row["cascade"], *(f"{row[name]:,}" for name in numbers)]
        for row in found.changed.iter_rows(named=True)
    ]
    shown = pl.concat(
        found.changes.filter(chosen, cascade=name).head(number)
        for name in found.changed["cascade"]
        for chosen, number in ((_GAIN > 0, _GAINS), (_GAIN < 0, _LOSSES))
    )
    rows = [
        [
            row["cascade"],
            row["src"],
            *(_ranked(row[f"{time}_list"]) for time in ("before", "after")),
            f"{row['before_hits']:,} \u2192 {row['after_hits']:,} of {row['pairs']:,}",
        ]
        for row in shown.iter_rows(named=True)
    ]
    tables = [
        Table(
            ["cascade", "words both know", "changed", "better", "worse"],
            counted,
            title=f"Words with another best translation {where}",
            caption="Better or worse: more or fewer test pairs with the word have its translation.",
            wide=True,
        ),
        Table(
            ["cascade", "word", f"with {other}", "with the cascade", "found in test pairs"],
            rows,
            title="Words that change most, best translation first",
            texts=5,
            caption=f"The {_GAINS} words of each cascade that gain most test pairs with their best "
            f"translation, and the {_LOSSES} that lose most.",
            wide=True,
        ),
    ]
    return tables if rows else tables[:1]


def _ranked(words: list[str]) -> str:
    """Return the first translations of a word, the best on a line of its own."""
    best, *others = words[:_TRANSLATIONS]
    return f"{best}\n{', '.join(others)}" if others else best


def _notes(found: Study) -> list[str]:
    return [
        "Definitions: Melamed 1995, Automatic Evaluation and Uniform Filter Cascades for Inducing "
        "N-Best Translation Lexicons, sections 3 to 5. The hit rate of a word is the share of the "
        "test pairs with it whose other half has one of its k best translations. Precision is its "
        "mean over the words that the lexicon has, percent correct that over all source words of "
        "the test text.",
        f"Intervals ({found.confidence:.0%}) are by Student's t over training sets. Training sets "
        "of a size share no sentence pair; those of different sizes do.",
    ]
