"""``alignframe sql``: DuckDB with the package's functions and macros, also for agents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe.cli.command import Input, flag
from alignframe.cli.show import Pieces, done, print_note, prints_markup, table_pieces
from alignframe.cli.sources import THREADS, named_place
from alignframe.core.choices import PARQUET
from alignframe.errors import InputError
from alignframe.typing import Arguments, FromOne, Positive, Rare

if TYPE_CHECKING:
    import polars as pl


class Tables(Input):
    """Tables by name, and the resources of their queries."""

    tables: list[str] | None = flag(
        "Table behind a name in the query: a file, glob, folder, Delta or Iceberg table, or s3://. "
        "Repeatable.",
        None,
        flags="--table",
        metavar="NAME=PLACE",
    )
    memory_limit: Rare[str | None] = flag(
        "Memory limit, such as 2GB; DuckDB spills the rest to disk.", None, panel="Output"
    )
    threads: FromOne | None = flag(THREADS, None, panel="Output")

    @property
    def places(self) -> dict[str, str]:
        """The place of each table."""
        from alignframe.engines.tables import check_names

        named = [named_place(text, "table") for text in self.tables or []]
        check_names(name for name, _ in named)
        return dict(named)

    @property
    def settings(self) -> Arguments:
        """The settings of DuckDB that are given."""
        settings = {"memory_limit": self.memory_limit, "threads": self.threads}
        return {name: value for name, value in settings.items() if value is not None}


class Query(Tables):
    """A query, and what it can name."""

    query: str | None = flag(
        "SQL; if there are several statements, the rows of the last one are shown.",
        None,
        panel=None,
    )
    file: Path | None = flag("Read the SQL from a file.", None, flags="-f --file", metavar="FILE")
    database: str = flag("A DuckDB database file.", ":memory:", metavar="FILE")
    list_macros: bool = flag(
        "List the macros, with their parameters and what they answer.",
        False,
        panel="Output",
        flags="--macros",
    )
    export: Path | None = flag(
        "Write the macros as plain SQL, for any DuckDB without Python.",
        None,
        panel="Output",
        metavar="FILE.sql",
        writes="text",
    )
    limit: FromOne = flag("Maximum number of rows shown in the terminal.", 200, panel="Output")


class Served(Tables):
    """The tables that agents can read, and limits."""

    time_limit: Positive = flag("Seconds after which a statement is stopped.", 60, panel="Output")


def sql(given: Query, *, output: Path | None = None, as_json: bool = False) -> Pieces:
    """Run SQL over tables, Parquet files and globs, with macros such as link_scores()."""
    import polars as pl

    from alignframe.read.lines import TextFile

    for name, asked in (("--macros", given.list_macros), ("--export", given.export)):
        if asked and (given.query or given.file):
            raise InputError(f"{name} with a query", expected="one of them")
    if given.export:
        if given.list_macros or output or given.tables:
            other = "--macros" if given.list_macros else "-o" if output else "--table"
            raise InputError(f"--export with {other}", expected="one of them")
        from alignframe.engines.export import export

        number = export(given.export)
        note = f"the macros written to {given.export}" if str(given.export) != "-" else ""
        yield from done({"macros": number}, note, given.export)
        return
    if given.list_macros:
        from alignframe.engines.scripts import listing

        rows = pl.DataFrame(listing())
        if as_json or output or prints_markup():
            yield from table_pieces(rows, {"output": output}, name="rows", limit=rows.height)
        else:
            _print_macros(rows.filter(pl.col("about") != "columns"))
        return
    if (given.query is None) == (given.file is None):
        raise InputError(
            "both a query and --file" if given.file else "neither a query nor --file",
            expected="one of them",
        )
    text = TextFile(given.file).whole().decode() if given.file else str(given.query)
    if not text.strip(" \t\r\n;"):
        raise InputError("no query", path=given.file, expected="SQL")
    from alignframe.engines.session import asking, connected
    from alignframe.engines.tables import make_views

    named = given.places
    with connected(text, given.database, **given.settings) as (connection, ask):
        make_views(connection, named, text)
        with asking(text):
            relation: Any = ask()
            if relation is None:
                print_note("done")
                return
            frame = _frame_of(relation, connection, output)
    yield from table_pieces(frame, {"output": output}, name="rows", limit=given.limit)


_TEXTS = r"\b(INTERVAL|UHUGEINT|BIGNUM|VARINT|BIT|UNION|TIME WITH|GEOMETRY|VARIANT)\b"
"""Types that neither a frame nor a file can hold, as DuckDB names them."""
_DOUBTFUL = "DATE|TIMESTAMP|HUGEINT"
_TOO_LARGE = r"infinity|\(BC\)|\d{5,}-\d\d-|\d{39}"
"""Values of doubtful types, as text, that a frame cannot hold."""


def _frame_of(relation: Any, connection: Any, output: Path | None) -> pl.DataFrame:
    """Return the rows of a query; what a frame, or else a file, cannot hold is text."""
    import polars as pl

    from alignframe.core.output import check_columns

    suffix = output.suffix.lower() if output else ""
    texts = _TEXTS if suffix in PARQUET else f"{_TEXTS}|BLOB"
    kinds = [str(kind) for kind in relation.types]
    rows = _with_texts(relation, [re.search(texts, kind) is not None for kind in kinds])
    if output:
        check_columns(output, suffix, rows.limit(0).to_arrow_table().schema)
    table = rows.to_arrow_table()
    doubtful = [at for at, kind in enumerate(kinds) if re.search(_DOUBTFUL, kind)]
    if doubtful and table.num_rows:
        # A result may have two columns of one name, or names with quotes.
        names = [f"_{at}" for at in range(len(kinds))]
        flags = connection.from_arrow(table.rename_columns(names)).aggregate(
            ", ".join(
                f"bool_or(regexp_matches({names[at]}::varchar, '{_TOO_LARGE}'))" for at in doubtful
            )
        )
        odd = [at for at, is_odd in zip(doubtful, flags.fetchall()[0], strict=True) if is_odd]
        given = connection.from_arrow(table)
        table = _with_texts(given, [at in odd for at in range(len(kinds))]).to_arrow_table()
    if len({*table.column_names}) < table.num_columns:
        # A join may give a name twice; DuckDB numbers it in a subquery, as n and n_1.
        table = table.rename_columns(relation.project("*").columns)
    return pl.DataFrame(table)


def _with_texts(relation: Any, as_text: Sequence[bool]) -> Any:
    """Return a relation with some of its columns as text."""
    if not any(as_text):
        return relation
    quoted = [name.replace('"', '""') for name in relation.columns]
    return relation.project(
        ", ".join(
            # Columns by number, since two may have one name.
            f'#{at}::varchar as "{name}"' if is_text else f"#{at}"
            for at, (name, is_text) in enumerate(zip(quoted, as_text, strict=True), 1)
        )
    )


def _print_macros(listing: pl.DataFrame) -> None:
    """Print macros by area, each with its description, at the width of the terminal."""
    from rich.console import Console
    from rich.padding import Padding

    console = Console(highlight=False, emoji=False, markup=False)
    for (area,), rows in listing.group_by("about", maintain_order=True):
        console.print(f"\n{area}", style="bold")
        for call, answers in rows.select("macro", "answers").iter_rows():
            console.print(Padding(call, (0, 0, 0, 2)))
            console.print(Padding(answers, (0, 0, 0, 6)), style="dim")
