"""The report of phrase dictionaries."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from alignframe.errors import number_of
from alignframe.links.page import link_evidence
from alignframe.pages.page import Figure, Page, Table, drawn
from alignframe.pages.sentences import Sentences, line_of
from alignframe.pages.tables import differences_tables, score_table
from alignframe.phrases import charts
from alignframe.phrases.study import Study
from alignframe.phrases.workspace import DICTIONARIES
from alignframe.sources.pairs import sentence_pairs
from alignframe.stats.conclusions import ranking
from alignframe.stats.predictions import too_few_orders

_LISTED = 12
_LEVEL = 0.95
_HEADS = {"word-sure": "words (Sure)", "word-possible": "words (all)"}
_HEADS |= {name: name for name in DICTIONARIES}
_SHOWN = (
    ("word-sure", "F"),
    ("word-possible", "F"),
    ("align-dic1", "PRF"),
    ("text-dic1", "PRF"),
    ("text-dic2", "PRF"),
)
_FIGURES = {"P": "precision", "R": "recall", "F": "f"}
_LONGER = (False, True)
_SIDES = ("system", "measure", "series", "value")
_EXAMPLES = {"missing": "hard", "correct": "easy", "noise": "noise"}
_EACH = 20
"""The number of entries of a class that open their sentences."""

_CLASSES = {
    "correct": ("Easy: in gold and in all systems", "times in gold"),
    "missing": ("Hard: in gold and in no system", "times in gold"),
    "noise": ("Noise: in all systems and not in gold", "most times in a system"),
}
_OF_ONE = {
    "correct": ("Easy: in gold and in the system", "times in gold"),
    "missing": ("Hard: in gold and not in the system", "times in gold"),
    "noise": ("Noise: in the system and not in gold", "times in the system"),
}


def phrases_page(found: Study, *, title: str = "Phrase dictionaries of word alignments") -> Page:
    """Build the report of a study: scores, sizes, lengths, easy and hard entries.

    Parameters
    ----------
    found
        A result of ``alignframe.phrases.study``.
    title
        Title of the page.

    Returns
    -------
    Page
        ``write`` writes an HTML file, ``write_figures`` images.

    Examples
    --------
    >>> from alignframe import phrases, report
    >>> found = phrases.study({"a": ["0-0"]}, ["0-0 1-1"], (["the house"], ["das Haus"]))
    >>> report.phrases_page(found).table.rows[0][:3]
    ['a', '0.4000', '0.4000']
    """
    systems = found.sizes.filter(kind="system").height
    sentences = int(found.by_length["sentences"].sum())
    both = charts.precision_and_recall(found.scores)
    by_words = charts.word_and_dictionary(found.scores, found.correlations)
    of_all = charts.classes(found.classes, systems)
    several = systems >= charts.SEVERAL
    order = charts.best_first(found.scores)
    above = _above(drawn(both, *_SIDES))
    units = number_of(sentences, "gold sentence")
    lead, tests, signatures = _ranked(found, units)
    figures = [
        Figure(
            "precision-and-recall",
            both,
            f"One row per system, the best mean F first. {above}" if several else above,
            wide=True,
        ),
        Figure(
            "word-and-dictionary", by_words, _points(drawn(by_words, "system", "series", "word"))
        ),
        Figure(
            "word-and-dictionary-all",
            charts.word_and_dictionary(found.scores, found.correlations, "word-possible"),
            "The same with words scored against all gold links, Sure and Possible.",
        ),
        Figure(
            "precision-and-recall-by-length",
            charts.by_length(found.by_length, systems),
            "Phrases are those of align-dic1; words are scored against all gold links, Sure and "
            "Possible.",
            wide=True,
        ),
        Figure(
            "f-scores",
            charts.f_scores(found.scores),
            "Scores of align-dic1 are means over sentences, the others are over the whole text.",
            wide=True,
        ),
        Figure(
            "sizes",
            charts.sizes(found.sizes, order),
            "A word without a link counts as a null link.",
            wide=True,
        ),
        Figure(
            "found-by",
            charts.found_by(found.found_by, systems),
            "Left (0): entries that no system finds; right: entries that all find."
            if several
            else "",
            wide=True,
        ),
        Figure(
            "classes",
            of_all,
            _noise(drawn(of_all, "dictionary", "class", "series", "value"), systems),
            wide=True,
        ),
    ]
    return Page(
        title=title,
        lead=lead,
        about=f"{number_of(systems, 'system')} on {units}. The links of each are turned into "
        "phrase dictionaries, minimal (dic1) and exhaustive (dic2), and those are compared with "
        "gold's. F of align-dic1, a dictionary per sentence, is the mean over sentences.",
        table=_scores(found, order),
        figures=figures,
        tables=[
            *tests,
            _sizes(found.sizes, order),
            *(
                _entries(found.entries, *of, name, longer)
                for name, of in (_CLASSES if several else _OF_ONE).items()
                for longer in _LONGER
            ),
        ],
        notes=[
            "Definitions: Carl & Fissaha 2003. F = 2PR / (P + R). An entry is a pair of word "
            "strings. The lists are of text-dic1."
        ],
        signature=" ".join(signatures),
        sentences=None if found.links is None else _examples(found, *found.links),
    )


def _ranked(found: Study, units: str) -> tuple[str, list[Table], list[str]]:
    """Return which system is best by F of each dictionary, its tests, and all signatures."""
    f = found.scores.pivot("measure", index="system", values="f")
    names = {name: f"F of {name}" for name in DICTIONARIES}
    if found.ranked is None:
        return ranking(f, pl.DataFrame(), names, units=units), [], [found.signature]
    scores, tests = found.ranked.scores, found.ranked.comparisons
    both = scores.select("system", "^f_.*$", "signature").join(f, on="system")
    first, *_ = names
    both = both.rename({name: f"{first}{name[1:]}" for name in both.columns if name[:2] == "f_"})
    own = tests.with_columns(pl.col("measure").replace({"f": first})) if tests.height else tests
    lead = ranking(both, own, names, units=units)
    return lead, differences_tables(tests, scores, units), [found.signature, found.ranked.signature]


def _above(shown: pl.DataFrame) -> str:
    """Say for how many systems precision is above recall, for each panel of the chart."""
    said = []
    for (name,), own in shown.group_by("measure", maintain_order=True):
        sides = [own.filter(series=one) for one in ("precision", "recall")]
        both = sides[0].join(sides[1], on="system")
        above = both.filter(pl.col("value") > pl.col("value_right")).height
        said.append(f"{above} of {number_of(both.height, 'system')} by {name}")
    return f"Precision is above recall for {'; '.join(said)}."


def _points(shown: pl.DataFrame) -> str:
    """Say what the chart of words and dictionaries draws: lines need systems that differ."""
    lines = ", with least-squares lines" * (shown["word"].n_unique() > 1)
    r = "; r is Pearson's" * shown["series"].str.contains("(r =", literal=True).any()
    few = too_few_orders(shown["system"].n_unique(), _LEVEL)
    chance = ", of too few systems to tell it from chance" * bool(r and few)
    return f"One point per system and dictionary{lines}{r}{chance}."


def _noise(shown: pl.DataFrame, systems: int) -> str:
    """Say how much noise all systems share; empty if there is none."""
    name = charts.of_class("noise", systems)
    noise = shown.filter(pl.col("class") == name)
    sums = noise.group_by("dictionary", maintain_order=True).agg(pl.col("value").sum())
    known = sums.filter(pl.col("value") > 0).select("value", "dictionary").iter_rows()
    if said := [f"{number_of(n, 'entry', 'entries')} of {name}" for n, name in known]:
        return (
            f"{name.capitalize()}: {' and '.join(said)}. They may be mistakes in gold, or phrases "
            "that gold has only as parts of longer ones."
        )
    return ""


def _scores(found: Study, order: Sequence[str]) -> Table:
    """Return the figures of every system, in the order of all charts."""
    heads = {
        f"{_FIGURES[figure]}|{name}": f"{_HEADS[name]} {figure}"
        for name, figures in _SHOWN
        for figure in figures
    }
    wide = found.scores.pivot("measure", index="system", values=[*_FIGURES.values()], separator="|")
    if found.ranked is not None:
        first, *_ = DICTIONARIES
        ends = found.ranked.scores.select("system", "^f_(low|high)$")
        ends = ends.rename({name: f"f|{first}{name[1:]}" for name in ends.columns[1:]})
        wide = wide.join(ends, on="system", how="left")
    wide = wide.sort(pl.col("system").replace_strict(order, range(len(order))))
    return score_table(wide, {"system": "System", **heads})


def _sizes(sizes: pl.DataFrame, order: Sequence[str]) -> Table:
    names = {"system": "System", "links": "Links", "null_links": "Null links"}
    return score_table(
        sizes.fill_null(0).sort(
            pl.col("kind") == "gold",
            pl.col("system").replace_strict(order, range(len(order)), default=None),
        ),
        names | {name: name for name in DICTIONARIES},
        title="Links, words without a link, and entries of the dictionaries",
        wide=True,
    )


def _entries(entries: pl.DataFrame, title: str, times: str, kind: str, longer: bool) -> Table:
    listed = _of_class(entries, kind, longer).head(_LISTED)
    picks = {"Source": "source", "Target": "target"} if listed.height else {}
    if not listed.height:
        listed = pl.DataFrame({"src": ["none"], "tgt": [""], "n": [""]})
    heads = {"src": "source", "tgt": "target", "n": times}
    words = "longer" if longer else "one word"
    return score_table(listed, heads, title=f"{title}; {words}", texts=2, picks=picks)


def _of_class(entries: pl.DataFrame, kind: str, longer: bool) -> pl.DataFrame:
    """Return the entries of text-dic1 in one class, most frequent first."""
    long = (pl.col("src_words") > 1) | (pl.col("tgt_words") > 1)
    mine = entries.filter(
        pl.col("class") == kind, pl.col("dictionary") == "text-dic1", long == longer
    )
    return mine.sort("n", "src", "tgt", descending=[True, False, False])


def _examples(study: Study, hyp: object, gold: object, bitext: object) -> Sentences | None:
    """Return entries of each class, longer ones first, with the links of their first sentences."""
    text = sentence_pairs(bitext).table()
    heads = {"src": "Source", "tgt": "Target", "class": "Class"}
    both = [
        _of_class(study.entries, kind, longer).head(_EACH)
        for kind in _EXAMPLES
        for longer in (True, False)
    ]
    entries = pl.concat(both).with_columns(pl.col("class").replace(_EXAMPLES)).to_dicts()
    if not entries:
        return None
    systems = charts.best_first(study.scores)
    sids = [entry["first_sid"] for entry in entries]
    evidence = link_evidence(hyp, gold, sids, text, systems)
    rows = []
    for entry in entries:
        detail = evidence[entry["first_sid"]]
        first = [entry[f"first_{side}"] for side in ("src", "tgt")]
        last = [
            start + entry[f"{side}_words"]
            for start, side in zip(first, ("src", "tgt"), strict=True)
        ]
        marked = [first[0], last[0], first[1], last[1]]
        cells = [*(entry[name] for name in heads), f"{entry['n']:,}"]
        rows.append(
            {"unit": entry["first_sid"], "cells": cells, "detail": detail | {"marked": marked}}
            | line_of(detail["src"])
        )
    return Sentences(
        "links",
        rows,
        systems,
        heads=[*heads.values(), "Times"],
        counted="entries",
        title="Entries of text-dic1 in their first sentences",
        first="longest entries first",
    )
