"""Printing: tables that fit a terminal, JSON and messages."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe.cli.cells import Spanned, is_figure, shown, with_intervals
from alignframe.cli.json_text import json_pieces
from alignframe.cli.markup import MARKUPS
from alignframe.cli.places import is_table_file
from alignframe.cli.progress import error_console, plainly, spinner
from alignframe.core import signatures
from alignframe.core.output import write_table
from alignframe.errors import number_of, printable, redacted
from alignframe.result import Result, Row
from alignframe.typing import Arguments

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console
    from rich.table import Table

    from alignframe.cli.command import Command, Words
    from alignframe.result import Tables

_FORMAT = ContextVar("_FORMAT", default="text")
_SIGNATURE: ContextVar[str | None] = ContextVar("_SIGNATURE", default=None)
GUESSED: dict[str, dict[str, str]] = {}
"""What was guessed of each input, by its path."""
RUNS: list[tuple[Command, Mapping[str, Any]]] = []
"""The command that runs, if any, and its words; messages name its flags."""


SHOWN = 200
"""The number of rows of a table printed; JSON and files have all."""


def _message(text: str) -> str:
    """Return a message as it is printed; lines are its own, not those of values it names."""
    for _, words in RUNS[-1:] if not text.isprintable() else ():
        for value in words.values():
            for given in value if isinstance(value, (list, tuple)) else [value]:
                if isinstance(given, (str, PathLike)) and str(given):
                    text = text.replace(str(given), printable(str(given)))
    return plainly(text, lines=True)


def print_error(text: str, source: str | PathLike[str] | None = None) -> None:
    """Print an error about an input on standard error."""
    spinner().stop()
    error_console().print(f"[bold red]error:[/] {_message(redacted(in_shell(text, source)))}")


def print_warning(text: str, source: str | PathLike[str] | None = None) -> None:
    """Print a warning about an input on standard error."""
    error_console().print(f"[yellow]warning:[/] {_message(redacted(in_shell(text, source)))}")


def in_shell(text: str, source: str | PathLike[str] | None = None) -> str:
    """Return a message as the command that runs says it."""
    for command, words in RUNS[-1:]:
        text = command.in_shell(text, words, source)
    return text


def print_note(text: str) -> None:
    """Print a note on standard error; standard output is for results."""
    spinner().stop()
    error_console().print(_message(signatures.printed(redacted(text), _SIGNATURE.get())))


def note_guess(path: str, what: Mapping[str, str]) -> None:
    """Print what was guessed of an input, once, in a dim line; JSON has it too."""
    path = redacted(path)
    known = GUESSED.setdefault(path, {})
    new = {name: text for name, text in what.items() if known.get(name) != text}
    known.update(new)
    if new:
        said = ", ".join(f"{name.replace('_', ' ')} {text}" for name, text in new.items())
        error_console().print(plainly(f"{path}: {said}"), style="dim", soft_wrap=True)


def print_json(tables: Tables, signature: str | None = None) -> None:
    """Print tables as JSON (see ``result.as_json``); NaN and infinity become null.

    What was guessed of inputs stands in ``read``.
    """
    spinner().stop()
    for piece in json_pieces(tables, signature, {"read": GUESSED} if GUESSED else {}):
        sys.stdout.write(piece)


def print_summary(row: Mapping[str, object], signature: str | None = None) -> None:
    """Print a summary as JSON, the only row of the table ``summary``."""
    print_json({"summary": [row]}, signature)


@contextmanager
def tables_as(format: str, signature: str | None) -> Iterator[None]:
    """Set how tables are printed, as text or one of ``MARKUPS``, and the form of signatures."""
    tokens = _FORMAT.set(format), _SIGNATURE.set(signature)
    try:
        yield
    finally:
        _FORMAT.reset(tokens[0])
        _SIGNATURE.reset(tokens[1])


def prints_markup() -> bool:
    """Whether tables are printed as one of ``MARKUPS``."""
    return _FORMAT.get() in MARKUPS


def print_table(
    rows: Sequence[Row],
    title: str = "",
    caption: str = "",
    limit: int = SHOWN,
    *,
    whole: bool = True,
    left_out: int = 0,
) -> None:
    """Print at most ``limit`` rows as a table; numbers are right-aligned and never truncated.

    ``left_out`` is the number of rows beyond those given.

    If a terminal is too narrow for all figures, the rest follow in further tables with the same
    text columns, or, without ``whole``, only the number of columns left out is printed. Files and
    pipes get one table of any width.
    """
    from rich.console import Console

    if not rows:
        print_note(f"{title}: no rows" if title else "no rows")
        return
    spinner().stop()
    caption = signatures.printed(caption, _SIGNATURE.get())
    # Rows are counted before they are cut, as the note says how many there are.
    left_out += max(len(rows) - limit, 0)
    rows = rows[:limit]
    names = list(rows[0])
    figures = [name for name in names if all(is_figure(row[name]) for row in rows)]
    if _FORMAT.get() in MARKUPS:
        cells = [[shown(row[name]) for name in names] for row in rows]
        right = [name in figures for name in names]
        text = MARKUPS[_FORMAT.get()](names, cells, right, title, caption)
        # Several tables of one command are separated by an empty line, as Markdown needs.
        sys.stdout.write(text + "\n\n")
        _note_more(left_out, whole)
        return
    console = Console(highlight=False, emoji=False)
    texts = [name for name in names if name not in figures]
    room = console.width if console.is_terminal else 1 << 16
    if title:
        # Printed separately, as it may be wider than the table; in files on one line.
        console.print(plainly(title), style="table.title", soft_wrap=not console.is_terminal)
    parts = list(_fitting(rows, names, texts, figures, console, room))
    for chosen in parts if whole else parts[:1]:
        table = _table(rows, chosen, figures)
        # Even a single figure may be wider than the terminal: it is then printed in full.
        console.width = max(room, _width(table, console)) if console.is_terminal else room
        console.print(table)
    if not whole and len(parts) > 1:
        left = number_of(len(names) - len(parts[0]), "column")
        print_note(f"... and {left} more (-o FILE and --json have them all)")
    if caption:
        console.print(_message(caption), style="dim", soft_wrap=True)
    _note_more(left_out, whole)


def _note_more(rows: int, whole: bool) -> None:
    """Print how many rows are not shown."""
    if rows:
        print_note(
            f"... and {number_of(rows, 'row')} more{'' if whole else ' (-o FILE writes them all)'}"
        )


def _fitting(
    rows: Sequence[Row],
    names: Sequence[str],
    texts: Sequence[str],
    figures: Sequence[str],
    console: Console,
    room: int,
) -> Iterator[list[str]]:
    """Yield the columns of each table that fits: the texts, and some of the figures."""
    taken: list[str] = []
    for name in figures:
        wider = [*texts, *taken, name]
        # A table has at least one figure, however narrow the terminal.
        if taken and _width(_table(rows, wider, figures), console) > room:
            yield [column for column in names if column in {*texts, *taken}]
            taken = []
        taken.append(name)
    yield [column for column in names if column in {*texts, *taken}]


def _width(table: Table, console: Console) -> int:
    from rich.measure import Measurement

    # Measured without a limit, or Rich would report the terminal's width.
    options = console.options.update(max_width=1 << 16)
    return Measurement.get(console, options, table).minimum


def _table(rows: Sequence[Row], names: Sequence[str], figures: Sequence[str]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    for name in names:
        cells = [_cell(row[name]) for row in rows]
        heading = printable(name)
        longest = max(len(line) for text in (heading, *cells) for line in text.split("\n"))
        table.add_column(
            plainly(name),
            justify="right" if name in figures else "left",
            no_wrap=name in figures,
            overflow="fold",
            # Rich would otherwise squeeze figures before it folds texts.
            min_width=longest if name in figures else min(longest, 16),
        )
    for row in rows:
        table.add_row(*(plainly(_cell(row[name]), lines=True) for name in names))
    return table


def _cell(value: object) -> str:
    """Return a value as shown in a terminal."""
    said = shown(value)
    text = str(said) if isinstance(said, Spanned) else printable(said)
    return text if len(text) <= 120 else text[:117] + "..."


def signature_of(frame: pl.DataFrame) -> str:
    """Return the signature of a frame, which is the same in all rows; empty if it has none."""
    return str(frame["signature"][0]) if frame.height and "signature" in frame.columns else ""


class Data(Result):
    """Tables by name, as ``--json`` prints them."""

    def __init__(self, signature: str = "", **tables: pl.DataFrame | Sequence[Row]) -> None:
        self.signature = signature
        self._tables = tables

    def tables(self) -> Arguments:
        """Return the tables by name."""
        return self._tables


@dataclass(frozen=True)
class Rows:
    """Rows to print (see ``print_table``); those of whole tables have intervals in the cells."""

    rows: pl.DataFrame | Sequence[Row]
    title: str = ""
    caption: str = ""
    limit: int = SHOWN
    whole: bool = True


Pieces = Iterator[Result | Rows | str]
"""What a command shows: data for ``--json`` and ``-o``, or else tables and notes."""


def show_pieces(
    pieces: Iterable[Result | Rows | str], words: Words, main: str = "", *, to_folder: bool = False
) -> None:
    """Print data as JSON, or tables and notes; write the ``main`` table, or to a folder all."""
    for piece in pieces:
        if isinstance(piece, Result):
            if main and words["output"]:
                save(piece, words["output"], main, to_folder)
            if words["as_json"]:
                print_json(piece.tables(), piece.signature or None)
        # JSON has everything in the data; notes and tables are for readers.
        elif words["as_json"]:
            continue
        elif isinstance(piece, str):
            print_note(piece)
        else:
            show_rows(piece)


def show_rows(piece: Rows) -> None:
    """Print rows as a table."""
    if isinstance(piece.rows, Sequence):
        print_table(piece.rows, piece.title, piece.caption, piece.limit, whole=piece.whole)
        return
    shown = piece.rows.drop("signature", strict=False).head(piece.limit)
    rows = with_intervals(shown) if piece.whole else shown.to_dicts()
    caption = piece.caption or signature_of(piece.rows)
    left_out = piece.rows.height - len(rows)
    print_table(rows, piece.title, caption, piece.limit, whole=piece.whole, left_out=left_out)


def table_pieces(
    frame: pl.DataFrame,
    words: Words,
    name: str,
    title: str = "",
    limit: int = SHOWN,
    signature: str = "",
) -> Pieces:
    """Yield a table by its name in JSON, and its first rows if it is not written.

    A terminal shows the columns that fit.
    """
    yield Data(signature, **{name: frame})
    if not words["output"] or prints_markup():
        yield Rows(frame, title, signature, limit, whole=False)


def comparison_rows(frame: pl.DataFrame) -> Rows:
    """Return the rows of differences from a baseline."""
    from alignframe.core.rounding import adding_up
    from alignframe.stats.conclusions import uncorrected

    shown = adding_up(frame).drop("baseline", "baseline_value", "p_value")
    caption = "\n".join(filter(None, [uncorrected(frame), signature_of(frame)]))
    return Rows(shown, f"Differences from {frame['baseline'][0]}", caption)


def done(summary: Row, note: str, output: object) -> Pieces:
    """Yield what was written to an output, and a note of it, if any."""
    yield Data(summary=[{**summary, "output": str(output)}])
    if note:
        yield note


def scores_rows(frame: pl.DataFrame, title: str) -> Rows:
    """Return the rows of scores; a number that all have is shown once, in the title."""
    from alignframe.core.rounding import adding_up

    for name, noun in (("sentences", "sentence"), ("segments", "segment")):
        # A column of equal numbers would only repeat itself.
        if {name, "system"} <= {*frame.columns} and frame[name].n_unique() == 1:
            each = "" if frame["system"].is_unique().all() else " per group"
            title = f"{title}, {number_of(frame[name][0], noun)}{each}"
            frame = frame.drop(name)
    # Tests of lexicons stand beside the precision of both.
    return Rows(adding_up(frame, "precision", "other_precision"), title)


def save(result: Result, path: Path, main: str, to_folder: bool) -> None:
    """Write the tables of a result to a folder, or only the ``main`` one to a file."""
    tables = result.tables()
    if to_folder and not is_table_file(path):
        result.write(path)
        print_note(f"{number_of(len(tables), 'table')} written to the folder {path}")
        return
    write_table(tables[main], path, signature=result.signature or None)
    others = ", ".join(name for name in tables if name != main)
    of_main, beside = f" of the table {main}", f"; a folder gets {others} as well"
    several = to_folder and bool(others)
    print_note(
        f"{number_of(tables[main].height, 'row')}{of_main * several} written to {path}"
        f"{beside * several}"
    )
