"""How results of ``score`` are shown: the scores, or the parts that flags ask for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe.cli.cells import title_of
from alignframe.cli.command import named
from alignframe.cli.declared import option_of, parameters
from alignframe.cli.option import Option, analysis, outputs
from alignframe.cli.showing import (
    TABLES_OUT,
    against,
    counts_of,
    of_page,
    page_beside,
    write_page,
)
from alignframe.cli.worse import FAILING, fail_if_any
from alignframe.errors import FROM_1, InputError, check_known, number_of

if TYPE_CHECKING:
    import polars as pl

    from alignframe.cli.command import Words
    from alignframe.cli.show import Rows

_OF_FIGURES = ("alpha", "average", "bootstrap", "confidence", "seed")
_IDLE = {
    "baseline": ("by",),
    "ranks": ("by",),
    "counts": _OF_FIGURES,
    "worst": (*_OF_FIGURES, "by"),
}
"""Parameters without an effect on what a flag asks for."""

worst = analysis(
    "--worst",
    int,
    "List this many sentences with the most errors of each system, with their wrong and missing "
    "links, instead of scores.",
    None,
    metavar="N",
    bounds=FROM_1,
)
ranks = analysis(
    "--ranks",
    bool,
    "Show the ranks that each system may have by each figure instead, by tests of all pairs.",
    False,
)
segments = outputs(
    "--segments",
    Path,
    "Also write the scores of every sentence, for tesla metrics.",
    None,
    name="segments_file",
    metavar="FILE",
    writes="table",
)


sort = outputs(
    "--sort", str, "Sort systems by this figure, the best first.", None, metavar="FIGURE"
)


@dataclass(frozen=True)
class Scored:
    """Shows a result of ``score``.

    Its counts have the title ``counts``, if they are shown. ``parts`` are flags of parts that not
    every area has, ``beside`` is the function ``module:name`` of ``cli`` that returns more tables
    for JSON. ``page_of`` is the function ``module:name`` of a page with options of its own (those
    named after it, or all); ``in_terminal`` and ``tests`` are those of ``cli`` that make the rows
    of scores and of comparisons.
    """

    title: str
    counts: str = ""
    unit: str = "sentence"
    parts: tuple[Option, ...] = ()
    page_of: str = ""
    in_terminal: str = "show:scores_rows"
    tests: str = "show:comparison_rows"
    paged: bool = True
    beside: str = ""

    @property
    def options(self) -> tuple[Option, ...]:
        """The options."""
        counts = (counts_of(self.unit),) if self.counts else ()
        page = (page_beside,) if self.paged else ()
        own = of_page(*self._own_of_page) if self.paged else ()
        return (against, *counts, *self.parts, *page, sort, *FAILING, *TABLES_OUT, *own)

    @property
    def _own_of_page(self) -> list[Option]:
        function, *names = self.page_of.split() or [""]
        _, *declared = parameters(*function.split(":")).values() if function else [None]
        own = {one.name: one for one in declared if one and one.name != "title"}
        return [option_of(own[name], own[name].help) for name in names or own]

    def show(self, found: Any, words: Words) -> None:
        """Write and print what is asked for."""
        from alignframe.cli import show
        from alignframe.cli.show import Data, print_note, save
        from alignframe.core.output import write_table

        for part, without in _IDLE.items():
            # A table of a paper is of scores, with marks of the baseline.
            used = set()
            if part == "baseline":
                used |= {"by"} if getattr(found, "compares_groups", False) else set()
                used |= {"sort"} if show.prints_markup() and not found.by else set()
            idle = sorted(words["given"] & {*without, "sort"} - used)
            if words.get(part) and idle and not words.get("page"):
                raise InputError(f"--{part} with `{idle[0]}`", expected="one of them")
        if words["fail_if_worse"] and not words["baseline"]:
            raise InputError("--fail-if-worse without `baseline`", expected="the name of a system")
        asked = list(self._asked(found, words))
        tables: Any = {name: frame for name, frame, _ in asked}
        data = Data(**tables)
        if words["output"]:
            save(data, words["output"], asked[0][0], to_folder=True)
        summary: dict[str, object] = {}
        notes = []
        if file := words.get("segments_file"):
            write_table(found.segments, file, signature=found.signature)
            summary["segments"] = str(file)
            notes.append(f"{number_of(found.segments.height, 'segment')} written to {file}")
        if words.get("page"):
            names = {option.parameter for option in self._own_of_page} & words["given"]
            own = {name: words[name] for name in names}
            made = found.page(baseline=words["baseline"], **own)
            told, said = write_page(made, words)
            summary |= told
            notes += said
        if words["as_json"]:
            tables |= named(self.beside)(found.out) if self.beside else {}
            data = Data(**tables)
            mark = show.signature_of(asked[0][1]) if asked else None
            show.print_json(data.tables() | ({"summary": [summary]} if summary else {}), mark)
        else:
            for _, _, rows in asked:
                if rows.whole or not words["output"] or show.prints_markup():
                    show.show_rows(rows)
            for note in notes:
                print_note(note)
        if words["fail_if_worse"]:
            tests = next((frame for name, frame, _ in asked if name == "comparisons"), None)
            tests = found.compare(words["baseline"]) if tests is None else tests
            fail_if_any(tests, _lower(found), 1 - getattr(found, "confidence", 0.95), words)

    def _asked(self, found: Any, words: Words) -> Iterator[tuple[str, pl.DataFrame, Rows]]:
        """Yield the tables asked for; scores if there is no other, and more than a page."""
        from alignframe.cli.paper import paper_rows
        from alignframe.cli.show import Rows, prints_markup

        more = any(words.get(part) for part in ("counts", "worst", "ranks"))
        as_paper = (
            not more and prints_markup() and getattr(found, "has_standings", False) and not found.by
        )
        only = not more and not words["baseline"] and (words["output"] or not words.get("page"))
        if as_paper or only:
            frame = found.scores
            if words["sort"]:
                frame = _sorted(frame, words["sort"], _lower(found))
            rows = named(self.in_terminal)(frame, self.title)
            yield "scores", frame, paper_rows(rows, found, words["baseline"]) if as_paper else rows
        if words["baseline"] and (words["output"] or not as_paper):
            frame = found.compare(words["baseline"])
            yield "comparisons", frame, named(self.tests)(frame)
        if words.get("ranks"):
            frame = found.ranks()
            yield "ranks", frame, _ranked(frame)
        if words.get("counts"):
            yield "counts", found.counts, Rows(found.counts, self.counts, whole=False)
        if words.get("worst"):
            frame = found.worst(words["worst"])
            yield "worst", frame, Rows(frame, "Sentences with the most errors", whole=False)


def _ranked(frame: pl.DataFrame) -> Rows:
    """Return the rows of ranks: 2-4, or 2 alone."""
    import polars as pl

    from alignframe.cli.show import Rows

    low, high = pl.col("rank_low"), pl.col("rank_high")
    ends = pl.when(low < high).then(pl.format("{}-{}", low, high)).otherwise(low.cast(pl.String))
    shown = frame.select("measure", "system", "value", ends.alias("rank"), "best", "signature")
    return Rows(shown, "Ranks")


def _lower(found: Any) -> set[str]:
    """Return the figures that are better if lower; by default those of links."""
    from alignframe.core.figures import link_figures

    known = {one.name for one in link_figures({}) if not one.higher_is_better}
    return set(getattr(found, "lower_is_better", known))


def _sorted(frame: pl.DataFrame, figure: str, lower: set[str]) -> pl.DataFrame:
    """Return scores by a figure, the best first; ``lower`` are those that are better if lower."""
    known = {title_of(name): name for name, kind in frame.schema.items() if kind.is_float()}
    known = {title: name for title, name in known.items() if not name.endswith(("_low", "_high"))}
    name = known.get(figure, figure)
    check_known("figure in `sort`", name, [*known.values()])
    return frame.sort(name, descending=name not in lower, nulls_last=True, maintain_order=True)
