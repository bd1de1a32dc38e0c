"""The report of lexicons and filter cascades."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from alignframe.core.rounding import difference, percent_of, printed, telling
from alignframe.errors import number_of
from alignframe.lexicon import charts
from alignframe.lexicon.findings import BACK_OFF, MEASURES
from alignframe.lexicon.listed import sentences_of_changes
from alignframe.lexicon.study import Study
from alignframe.options import checked
from alignframe.pages.page import Figure, Page, Table, drawn
from alignframe.pages.tables import number, score_table
from alignframe.stats.conclusions import listed_names, p_of
from alignframe.typing import Row, Share

_GAINS, _LOSSES, _TRANSLATIONS = 3, 2, 5
_BACK_OFF = " Back-off translates each word by the most precise lexicon that has it."
_GAIN = pl.col("after_hits") - pl.col("before_hits")


@checked
def lexicon_page(
    found: Study,
    *,
    upper_bound: Share | None = None,
    title: str = "Cascades of filters for translation lexicons",
) -> Page:
    """Build the report of a study: precision and percent correct by cascade and training size.

    Parameters
    ----------
    found
        A result of ``alignframe.lexicon.study``.
    upper_bound
        The precision at k = 1 between two translations of one text, for example from
        ``alignframe.lexicon.upper_bound``.
    title
        Title of the page.

    Returns
    -------
    Page
        ``write`` writes an HTML file, ``write_figures`` images.

    Raises
    ------
    InputError
        If the upper bound is not a share.

    Notes
    -----
    Melamed 1995, figures 5, 6 and 8.

    Examples
    --------
    >>> from alignframe import lexicon, report
    >>> text = ["the house", "the book"], ["das Haus", "das Buch"]
    >>> found = lexicon.study(text, text, ["none"], sizes=[2], sets=1, n_best=1)
    >>> report.lexicon_page(found).table.rows[0]
    ['none', '1.0000', '1.0000', '1.0000']
    """
    summary = found.summary
    names = found.order["cascade"].unique(maintain_order=True)
    smallest, largest = (summary["size"].sort()[at] for at in (0, -1))
    depth = summary["k"].sort()[-1]
    return Page(
        title=title,
        lead=_lead(found, largest),
        about=_about(found, len(names), depth),
        table=_table(summary, largest, depth),
        figures=_figures(found, smallest, depth, upper_bound),
        tables=[_order(found.order), *_changes(found)],
        notes=_notes(found),
        signature=found.signature,
        sentences=sentences_of_changes(found),
    )


def entries_said(entries: pl.DataFrame) -> str:
    """Return how many words of a lexicon have translations, and how well founded these are."""
    if not {"src", "rank", "n_both"} <= {*entries.columns} or not entries.height:
        return ""
    best = entries.filter(rank=1)
    once = best.filter(n_both=1).height
    return (
        f"{number_of(best.height, 'source word')} have translations. The best one of {once:,} "
        f"({once / best.height:.1%}) rests on a single sentence pair. How many are right is not "
        "tested: score the lexicon on another text."
    )


def _lead(study: Study, size: Any) -> str:
    """Return which cascade is most precise, whether its gain is significant, and what is right."""
    at = study.summary.filter(size=size, k=1)
    alone = at.filter(pl.col("cascade") != BACK_OFF)
    first, *rest = alone.sort(
        "precision", "cascade", descending=[True, False], nulls_last=True
    ).rows(named=True)
    tied = [row["cascade"] for row in rest if row["precision"] == first["precision"]]
    best = first["cascade"]
    said = [
        f"With {number_of(size, 'sentence pair')}, {listed_names([best, *tied])} "
        f"{'are' if tied else 'is'} the most precise of {number_of(alone.height, 'cascade')}: "
        f"{_score(first, 'precision', study)}."
    ]
    tests = [one for one in study.wilcoxon.to_dicts() if (one["size"], one["k"]) == (size, 1)]
    # The baseline has no test: if it is the best, the next one has one against it.
    known = {test["cascade"]: test for test in tests if test["difference"] is not None}
    precision = dict(alone.select("cascade", "precision").iter_rows())
    tested = [row["cascade"] for row in (first, *rest) if row["cascade"] in known]
    for test in () if tied else (known[name] for name in tested[:1]):
        own, other = (precision[test[name]] for name in ("cascade", "other"))
        digits, p = telling(own, other), test["p_value"]
        word = "worse" if test["difference"] < 0 else "better"
        gap = printed(abs(difference(own, other, digits)), f".{digits}f")
        by = f"{gap} {word} than {test['other']}"
        shown = "too few training sets to test" if p is None else p_of(p)
        shown += ", not corrected" * (p is not None and len(tests) > 1)
        said.append(f"{test['cascade']} is {by} ({shown}).")
    right = at.sort("percent_correct", descending=True, nulls_last=True, maintain_order=True).rows(
        named=True
    )
    top = right[0]["percent_correct"]
    share = _score(right[0], "percent_correct", study)
    alike = [one["cascade"] for one in right if one["percent_correct"] == top]
    whose = f"that of {listed_names(alike)}, {share}"
    said.append(f"The highest percent correct, of all words, is {whose}.")
    return " ".join(said)


def _score(row: Row, name: str, study: Study) -> str:
    """Return a mean with its interval."""
    ends = [row[f"{name}_{end}"] for end in ("low", "high")]
    if row[name] is None or None in ends:
        return number(row[name])
    between = " to ".join(map(number, ends))
    return f"{number(row[name])} ({percent_of(study.confidence)} interval {between})"


def _about(study: Study, cascades: int, depth: int) -> str:
    pairs = dict(study.texts.select("text", "pairs").iter_rows())
    sizes = study.summary["size"].unique().sort().to_list()
    types = study.texts.filter(text="test")["types"][0]
    sets = study.summary["sets"].unique().sort().to_list()
    drawn = "1 training set" if sets == [1] else f"{_range(sets)} training sets, without overlap,"
    return (
        f"{number_of(cascades, 'cascade')} of filters, {number_of(len(sizes), 'size')} of "
        f"training text ({_range(sizes)} of {pairs['train']:,} sentence pairs), {drawn} of each. "
        f"The lexicons, with up to {number_of(depth, 'translation')} per word, are evaluated on "
        f"{pairs['test']:,} other sentence pairs with {types:,} source words."
    )


def _range(numbers: list[int]) -> str:
    return " to ".join(f"{one:,}" for one in dict.fromkeys((numbers[0], numbers[-1])))


def _figures(study: Study, smallest: Any, depth: int, upper_bound: float | None) -> list[Figure]:
    first = charts.precision_by_size(study.summary, 1, upper_bound=upper_bound)
    correct = charts.percent_correct_by_size(study.summary)
    figures = [
        Figure(
            "precision",
            first,
            _means(drawn(first, "cascade", "size", "sets", "low"), study.confidence),
        )
    ]
    if depth > 1:
        figures.append(
            Figure(
                f"precision-of-{depth}",
                charts.precision_by_size(study.summary, depth),
                f"The same, counting a hit if any of the {depth} best translations is found.",
            )
        )
    figures.append(
        Figure(
            "percent-correct",
            correct,
            "Words missing from a lexicon count as wrong."
            + _BACK_OFF * (study.summary["cascade"] == BACK_OFF).any(),
        )
    )
    if depth > 1:
        figures.append(
            Figure(
                "precision-by-depth",
                charts.precision_by_k(study.summary, smallest),
                "At the smallest size of the training text.",
            )
        )
    if study.findings.filter(pl.col("cascade") != BACK_OFF)["gain"].count():
        figures.append(
            Figure(
                "gain",
                charts.gain(study.findings),
                "Change in mean precision by each cascade; left of the line, it is a loss.",
                wide=True,
            )
        )
    return figures


def _means(shown: pl.DataFrame, confidence: float) -> str:
    """Say of how many training sets the means are, and which of them have intervals."""
    sets = shown["sets"].to_list()
    if max(sets) == 1:
        return "Each figure is that of a single training set."
    bounded = shown.filter(pl.col("sets") >= charts.BANDED).drop_nulls("low").height
    ends = f"; bands or bars are {percent_of(confidence)} intervals, of 3 sets or more" * (
        bounded > 0
    )
    return f"Means over training sets{ends}."


def _table(summary: pl.DataFrame, size: object, depth: int) -> Table:
    """Return the measures of every cascade at the largest size."""
    mine = summary.filter(size=size)
    sets = mine["sets"][0]
    wide = mine.select("cascade").unique(maintain_order=True)
    heads = {}
    for measure in MEASURES:
        for k in dict.fromkeys((1, depth)) if measure != "recall" else (1,):
            name = f"{measure}_{k}"
            heads[name] = measure.replace("_", " ") + f", k = {k}" * (measure != "recall")
            figures = {f"{name}{end}": f"{measure}{end}" for end in ("", "_low", "_high")}
            column = mine.filter(k=k).select("cascade", **figures)
            wide = wide.join(column, on="cascade", how="left", maintain_order="left")
    return score_table(
        wide,
        {"cascade": "Cascade", **heads},
        title=f"{size:,} sentence pairs of training text, {number_of(sets, 'training set')}",
    )


def _order(order: pl.DataFrame) -> Table:
    """Return the order of back-off at every size."""
    asked = order.group_by("size", maintain_order=True).agg(pl.col("cascade").str.join(" > "))
    heads = {"size": "sentence pairs", "cascade": "asked in turn"}
    return score_table(asked, heads, title="Order of back-off", texts=2)


def _changes(study: Study) -> list[Table]:
    """Return the number of words that each cascade changes, and those it changes most."""
    if not study.changed.height:
        return []
    other, size = study.changed["other"][0], study.changed["size"][0]
    where = f"than with {other}, first training set of {size:,} pairs"
    heads = {"cascade": "cascade", "words": "words both know"}
    counts = score_table(
        study.changed,
        heads | {name: name for name in ("changed", "better", "worse")},
        title=f"Words with another best translation {where}",
        caption="Better or worse: more or fewer test pairs with the word have its translation.",
        wide=True,
    )
    shown = pl.concat(
        study.changes.filter(chosen, cascade=name).head(most)
        for name in study.changed["cascade"]
        for chosen, most in ((_GAIN > 0, _GAINS), (_GAIN < 0, _LOSSES))
    )
    if not shown.height:
        return [counts]
    hits = (
        f"{before:,} \u2192 {after:,} of {of:,}"
        for before, after, of in shown.select("before_hits", "after_hits", "pairs").iter_rows()
    )
    texts = shown.select(
        "cascade",
        "src",
        pl.col("before_list", "after_list").map_elements(_ranked, pl.String),
        hits=pl.Series(hits, dtype=pl.String),
    )
    return [
        counts,
        score_table(
            texts,
            {
                "cascade": "cascade",
                "src": "word",
                "before_list": f"with {other}",
                "after_list": "with the cascade",
                "hits": "found in test pairs",
            },
            title="Words that change most, best translation first",
            caption=f"For each cascade, the {_GAINS} words that gain the most test pairs with "
            f"their best translation, and the {_LOSSES} that lose the most.",
            wide=True,
            picks={"Word": "word"},
        ),
    ]


def _ranked(words: Sequence[str]) -> str:
    """Return the first translations of a word, the best one on a separate line."""
    best, *others = words[:_TRANSLATIONS]
    return f"{best}\n{', '.join(others)}" if others else best


def _notes(study: Study) -> list[str]:
    return [
        "Definitions: Melamed 1995, Automatic Evaluation and Uniform Filter Cascades for Inducing "
        "N-Best Translation Lexicons, sections 3 to 5. The hit rate of a word is the share of the "
        "test pairs with it whose other half has one of its k best translations. Precision is its "
        "mean over the words that the lexicon has, percent correct that over all source words of "
        "the test text, and recall the share of these that the lexicon has.",
        f"Intervals ({percent_of(study.confidence)}) are by Student's t over training sets. "
        "Training sets of the same size share no sentence pairs; those of different sizes do.",
    ]
