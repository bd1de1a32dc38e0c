"""How the results of commands are shown; each takes the result and the words of the shell."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe.cli.command import named
from alignframe.cli.option import Option, analysis, outputs
from alignframe.core.suffixes import LINK_FORMATS, LINKS, TABLES_SAID
from alignframe.errors import NOT_NEGATIVE

if TYPE_CHECKING:
    from alignframe.cli.command import Words
    from alignframe.typing import Row

json = outputs("--json", bool, "Print JSON.", False, name="as_json")
table_format = outputs(
    "--format",
    str,
    "How tables are printed; json is the same as --json.",
    "text",
    name="printed_as",
    choices=("text", "latex", "markdown", "json"),
)
signature = outputs(
    "--signature",
    str,
    "Form in which the signature is printed; by default short if it is longer than 200 "
    "characters. JSON and files have the long form.",
    None,
    choices=("short", "long"),
    rare=True,
)
output = outputs(
    "-o --output",
    Path,
    f"Write the table as {TABLES_SAID}; or as it is printed, as .tex or .md.",
    None,
    metavar="FILE",
    writes="table",
)
links_output = outputs(
    "-o --output",
    str,
    "File to write the links to; '-' is standard output.",
    None,
    metavar="FILE",
    writes="links",
    format_by="to",
)
links_to = outputs(
    "--to",
    str,
    f"Format of the output; by default from its suffix: {LINKS.by_suffix}.",
    None,
    choices=LINK_FORMATS,
)
tables = outputs(
    "-o --output",
    Path,
    f"Folder to write every table to, as Parquet; or a {TABLES_SAID} file for the main one; or, as "
    "printed, a .tex or .md file.",
    None,
    metavar="PATH",
    writes="tables",
)
figures = outputs(
    "--figures",
    Path,
    "Also write every chart as an image file.",
    None,
    metavar="FOLDER",
    writes="folder",
)
figure_format = outputs(
    "--figure-format",
    str,
    "Format of the charts.",
    "png",
    choices=("png", "svg", "pdf"),
    rare=True,
    needs="figures",
)
figure_columns = outputs(
    "--figure-columns",
    int,
    "Make the charts as wide as one or two columns of a paper (3.3 or 6.9 inches); title, caption "
    "and signature go into a text beside each.",
    None,
    choices=(1, 2),
    rare=True,
    needs="figures",
)
against = analysis(
    "--baseline",
    str,
    "Compare the other systems with this one instead, by the paired bootstrap.",
    None,
    metavar="NAME",
)
page = outputs(
    "--page",
    Path,
    "Write an HTML page with charts, instead of printing or writing a table.",
    None,
    metavar="FILE",
    writes="page",
)
page_beside = replace(
    page, help="Write an HTML page with charts. With -o or a flag that asks for one, a table too."
)
max_mb = outputs(
    "--max-mb",
    float,
    "Size in megabytes above which the page's data are written to files beside it.",
    20.0,
    bounds=NOT_NEGATIVE,
    rare=True,
)
title = outputs(
    "--title", str, "Title of the page; by default it names what is shown.", None, rare=True
)


def counts_of(unit: str) -> Option:
    """Return the flag that shows counts instead of scores."""
    said = f"Show the counts of each {unit} instead; every score is a ratio of their sums."
    return outputs("--counts", bool, said, False)


PRINTED = (json, table_format, signature)
TABLE_OUT = (output, *PRINTED)
JSON = (json,)
UNSIGNED = (output, json, table_format)
TABLES_OUT = (tables, *PRINTED)


@dataclass(frozen=True)
class Scores:
    """A frame of scores, with intervals in the cells."""

    title: str
    name: str = "scores"
    options: tuple[Option, ...] = TABLE_OUT

    def show(self, frame: Any, words: Words) -> None:
        """Show scores."""
        from alignframe.cli.show import Data, scores_rows, show_pieces

        pieces = Data(**{self.name: frame}), scores_rows(frame, self.title)
        show_pieces(pieces, words, self.name)


@dataclass(frozen=True)
class Table:
    """A frame, perhaps with a signature; the title may name words as ``{kind}``."""

    name: str
    title: str
    limit: int = 200
    options: tuple[Option, ...] = TABLE_OUT

    def show(self, result: object, words: Words) -> None:
        """Show the frame."""
        from alignframe.cli.show import show_pieces, table_pieces

        frame, signature = result if isinstance(result, tuple) else (result, "")
        title = self.title.format_map(words)
        pieces = table_pieces(frame, words, self.name, title, self.limit, signature)
        show_pieces(pieces, words, self.name)


@dataclass(frozen=True)
class Shown:
    """A result of which a generator ``module:name`` of ``cli`` yields what is shown.

    It gets the words too. ``main`` is the table that ``-o`` writes; ``own`` are the options of its
    page, if the result has one (see ``paged``).
    """

    function: str
    options: tuple[Option, ...] = TABLE_OUT
    main: str = ""
    own: tuple[Option, ...] | None = None

    def show(self, result: Any, words: Words) -> None:
        """Show the result."""
        from alignframe.cli.show import print_note, print_summary, show_pieces

        summary: Row = {}
        notes: list[str] = []
        asked = True
        if self.own is not None and words["page"]:
            own = {option.parameter: words[option.parameter] for option in self.own}
            summary, notes = write_page(result.page(**own), words)
            written = [one for one in self.options if one.writes in ("links", "table", "tables")]
            asked = any(words[option.parameter] for option in written)
        if asked:
            # Imported on use, so that help of other commands stays fast.
            pieces = named(self.function)(result, words) if self.function else result
            show_pieces(pieces or (), words, self.main, to_folder=tables in self.options)
        elif words["as_json"]:
            print_summary(summary)
        for note in notes:
            if not words["as_json"]:
                print_note(note)


def paged(shown: Shown, *own: Option) -> Shown:
    """Return how a result is shown, if need be as its page too, of which ``own`` are options."""
    return replace(shown, options=(*shown.options, page_beside, *of_page(*own)), own=own)


def of_page(*own: Option) -> list[Option]:
    """Return the options of a page: its own, and those of all pages."""
    every = (*own, title, max_mb, figures, figure_format, figure_columns)
    return [replace(one, needs=one.needs or "page", panel="With --page") for one in every]


Itself = partial(Shown, "")
"""A generator of ``cli``, or a function that shows its result."""


@dataclass(frozen=True)
class Page:
    """A page, or a result with one, written to the value of ``--page``; its charts too if asked.

    ``own`` are options of the result's page.
    """

    own: tuple[Option, ...] = ()

    @property
    def options(self) -> tuple[Option, ...]:
        """The options."""
        return (*self.own, title, max_mb, figures, figure_format, figure_columns, json)

    def show(self, page: Any, words: Words) -> None:
        """Write the page."""
        from alignframe.cli.show import print_note, print_summary
        from alignframe.result import Result

        if isinstance(page, Result):
            page = page.page(**{option.parameter: words[option.parameter] for option in self.own})
        summary, notes = write_page(page, words)
        if words["as_json"]:
            print_summary(summary)
            return
        for note in notes:
            print_note(note)


def write_page(page: Any, words: Words) -> tuple[Row, list[str]]:
    """Write a page, and its charts if asked; return this as a row of JSON and as notes."""
    # The function has given it a title of its own.
    if words["title"] is not None:
        page = replace(page, title=words["title"])
    size = {name: words[name] for name in ("max_mb",) if name in words}
    path, *parts = page.write(words["page"], **size)
    figures = words["figures"]
    written = []
    if figures:
        form = words["figure_format"] or "png"
        written = page.write_figures(figures, form, columns=words["figure_columns"])
    beside = "".join(f", its parts to {one}" for one in parts)
    notes = [f"report written to {path}{beside}", *(f"figure written to {one}" for one in written)]
    summary: Row = {"report": str(path), "figures": [str(one) for one in written]}
    return summary | ({"parts": [str(one) for one in parts]} if parts else {}), notes
