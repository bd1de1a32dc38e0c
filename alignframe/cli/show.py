"""Printing: tables that fit a terminal, JSON and messages."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe import signatures
from alignframe.cli.cells import is_figure, shown
from alignframe.cli.json_text import json_pieces
from alignframe.cli.markup import MARKUPS
from alignframe.cli.places import is_table_file
from alignframe.cli.progress import error_console, spinner
from alignframe.errors import number_of, redacted

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console
    from rich.table import Table

    from alignframe.cli.command import Command
    from alignframe.result import Result, Tables

_FORMAT = ContextVar("_FORMAT", default="text")
_SIGNATURE: ContextVar[str | None] = ContextVar("_SIGNATURE", default=None)
GUESSED: dict[str, dict[str, str]] = {}
"""What was guessed of each input, by its path."""
RUNS: list[Command] = []
"""The command that runs, if any; messages name its flags."""


SHOWN = 200
"""The number of rows of a table printed; JSON and files have all."""


def _plainly(text: str) -> str:
    """Return a text with square brackets escaped for Rich."""
    from rich.markup import escape

    return escape(text)


def print_error(text: str) -> None:
    """Print an error on standard error."""
    spinner().stop()
    error_console().print(f"[bold red]error:[/] {_plainly(redacted(_in_shell(text)))}")


def print_warning(text: str) -> None:
    """Print a warning on standard error."""
    error_console().print(f"[yellow]warning:[/] {_plainly(redacted(_in_shell(text)))}")


def _in_shell(text: str) -> str:
    """Return a message as the command that runs says it."""
    for command in RUNS[-1:]:
        text = command.in_shell(text)
    return text


def print_note(text: str) -> None:
    """Print a note on standard error; standard output is for results."""
    spinner().stop()
    error_console().print(_plainly(signatures.printed(redacted(text), _SIGNATURE.get())))


def note_guess(path: str, what: Mapping[str, str]) -> None:
    """Print what was guessed of an input, once, in a dim line; JSON has it too."""
    path = redacted(path)
    known = GUESSED.setdefault(path, {})
    new = {name: text for name, text in what.items() if known.get(name) != text}
    known.update(new)
    if new:
        said = ", ".join(f"{name.replace('_', ' ')} {text}" for name, text in new.items())
        error_console().print(_plainly(f"{path}: {said}"), style="dim", soft_wrap=True)


def print_json(tables: Tables, signature: str | None = None) -> None:
    """Print tables as JSON (see ``result.as_json``); NaN and infinity become null.

    What was guessed of inputs stands in ``read``.
    """
    spinner().stop()
    for piece in json_pieces(tables, signature, GUESSED):
        sys.stdout.write(piece)


def print_summary(row: Mapping[str, Any], signature: str | None = None) -> None:
    """Print a summary as JSON, the only row of the table ``summary``."""
    print_json({"summary": [row]}, signature)


def print_done(summary: Mapping[str, Any], note: str, output: Any, as_json: bool) -> None:
    """Say what was written to an output: a note, if any, or JSON."""
    if as_json:
        print_summary({**summary, "output": str(output)})
    elif note:
        print_note(note)


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
    rows: Sequence[Mapping[str, Any]],
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
    left_out += max(len(rows) - limit, 0)
    rows = rows[:limit]
    names = list(rows[0])
    figures = [name for name in names if all(is_figure(row[name]) for row in rows)]
    if _FORMAT.get() in MARKUPS:
        cells = [[shown(row[name]) for name in names] for row in rows]
        right = [name in figures for name in names]
        text = MARKUPS[_FORMAT.get()](names, cells, right, title, caption)
        sys.stdout.write(text + "\n\n")
        if left_out:
            print_note(f"... and {number_of(left_out, 'row')} more")
        return
    console = Console(highlight=False, emoji=False)
    texts = [name for name in names if name not in figures]
    room = console.width if console.is_terminal else 1 << 16
    if title:
        # Printed separately, as it may be wider than the table; in files on one line.
        console.print(_plainly(title), style="table.title", soft_wrap=not console.is_terminal)
    parts = list(_fitting(rows, names, texts, figures, console, room))
    for chosen in parts if whole else parts[:1]:
        table = _table(rows, chosen, figures)
        console.width = max(room, _width(table, console)) if console.is_terminal else room
        console.print(table)
    if not whole and len(parts) > 1:
        left = number_of(len(names) - len(parts[0]), "column")
        print_note(f"... and {left} more (-o FILE and --json have them all)")
    if caption:
        console.print(_plainly(caption), style="dim", soft_wrap=True)
    if left_out:
        console.print(f"... and {number_of(left_out, 'row')} more")


def _fitting(
    rows: Sequence[Mapping[str, Any]],
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
        if taken and _width(_table(rows, wider, figures), console) > room:
            yield [column for column in names if column in {*texts, *taken}]
            taken = []
        taken.append(name)
    yield [column for column in names if column in {*texts, *taken}]


def _width(table: Table, console: Console) -> int:
    from rich.measure import Measurement

    options = console.options.update(max_width=1 << 16)
    return Measurement.get(console, options, table).minimum


def _table(
    rows: Sequence[Mapping[str, Any]], names: Sequence[str], figures: Sequence[str]
) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    for name in names:
        cells = [_cell(row[name]) for row in rows]
        longest = max(len(line) for text in (name, *cells) for line in text.split("\n"))
        table.add_column(
            name,
            justify="right" if name in figures else "left",
            no_wrap=name in figures,
            overflow="fold",
            min_width=longest if name in figures else min(longest, 16),
        )
    for row in rows:
        table.add_row(*(_plainly(_cell(row[name])) for name in names))
    return table


def _cell(value: Any) -> str:
    """Return a value as shown in a terminal."""
    text = str(shown(value))
    return text if len(text) <= 120 else text[:117] + "..."


def signature_of(frame: pl.DataFrame) -> str:
    """Return the signature of a frame, which is the same in all rows."""
    return str(frame["signature"][0]) if frame.height else ""


def save_table(frame: pl.DataFrame, path: Path, signature: str = "") -> None:
    """Write a table in the format of the file's suffix; Parquet keeps the signature."""
    from alignframe.output import write_table
    from alignframe.tables import SIGNATURE

    write_table(frame, path, notes={SIGNATURE: signature} if signature else None)


def save_tables(found: Result, path: Path, main: str) -> None:
    """Write the tables of a result to a folder, or only the ``main`` one to a file."""
    tables = found.tables()
    if not is_table_file(path):
        found.write(path)
        print_note(f"{number_of(len(tables), 'table')} written to the folder {path}")
        return
    save_table(tables[main], path, found.signature)
    others = ", ".join(name for name in tables if name != main)
    print_note(
        f"{number_of(tables[main].height, 'row')} of the table {main} written to {path}; a "
        f"folder gets "
        f"{others} as well"
    )


def written(
    frame: pl.DataFrame, output: Path | None, as_json: bool, name: str, signature: str = ""
) -> bool:
    """Write a frame to a file or print it as JSON, or both; return whether it was printed."""
    if output:
        save_table(frame, output, signature)
        print_note(f"{number_of(frame.height, 'row')} written to {output}")
    if as_json:
        print_json({name: frame}, signature or None)
    return as_json


def deliver(
    frame: pl.DataFrame,
    output: Path | None,
    as_json: bool,
    *,
    name: str,
    title: str = "",
    limit: int = 200,
    signature: str = "",
) -> None:
    """Write a frame to a file, print it as JSON by name, or show its first rows.

    A terminal shows the columns that fit.
    """
    if written(frame, output, as_json, name, signature):
        return
    if "signature" in frame.columns:
        signature = signature_of(frame)
        frame = frame.drop("signature")
    if not output or _FORMAT.get() != "text":
        rows = frame.head(limit).to_dicts()
        print_table(rows, title=title, caption=signature, limit=limit, whole=False)
        if frame.height > limit:
            print_note(
                f"... and {number_of(frame.height - limit, 'row')} more (-o FILE writes them all)"
            )
