"""``alignframe sql``: DuckDB with the package's functions and macros."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from alignframe.cli.show import deliver, print_note, prints_markup
from alignframe.cli.sources import named_place
from alignframe.errors import InputError
from alignframe.output import check_columns
from alignframe.read.lines import read_whole


def sql(
    *,
    query: str | None,
    file: Path | None,
    tables: list[str] | None,
    list_macros: bool,
    database: str,
    memory_limit: str | None,
    threads: int | None,
    limit: int,
    output: Path | None,
    as_json: bool,
) -> None:
    """Run SQL over tables, Parquet files and globs, with macros such as link_scores()."""
    if list_macros:
        from alignframe.macros import macros

        found = pl.DataFrame(
            {"macro": one.call, "about": one.about, "answers": one.summary} for one in macros()
        )
        if as_json or output or prints_markup():
            deliver(found, output, as_json, name="macros", limit=found.height)
        else:
            _print_macros(found.filter(pl.col("about") != "columns"))
        return
    if (query is None) == (file is None):
        raise InputError(
            "both a query and --file" if file else "neither a query nor --file",
            expected="one of them",
        )
    text = read_whole(file).decode() if file else str(query)
    if not text.strip(" \t\r\n;"):
        raise InputError("no query", path=file, expected="SQL")
    from alignframe.session import asking, connect

    settings = {"memory_limit": memory_limit, "threads": threads}
    chosen = {name: value for name, value in settings.items() if value is not None}
    named = dict(named_place(text, "table") for text in tables or [])
    with connect(database, tables=named, **chosen) as connection, asking(text):
        relation: Any = connection.sql(text)
        if relation is None:
            print_note("done")
            return
        if output:
            check_columns(output, output.suffix.lower(), relation.limit(0).to_arrow_table().schema)
        frame = relation.pl()
    deliver(frame, output, as_json, name="rows", limit=limit)


def _print_macros(found: pl.DataFrame) -> None:
    """Print macros by area, each with its description, at the width of the terminal."""
    from rich.console import Console
    from rich.padding import Padding

    console = Console(highlight=False, emoji=False, markup=False)
    for (area,), rows in found.group_by("about", maintain_order=True):
        console.print(f"\n{area}", style="bold")
        for call, answers in rows.select("macro", "answers").iter_rows():
            console.print(Padding(call, (0, 0, 0, 2)))
            console.print(Padding(answers, (0, 0, 0, 6)), style="dim")
