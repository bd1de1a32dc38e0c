"""Lexicons as commands take and give them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from alignframe.cli.show import save_table
from alignframe.cli.sources import split_name
from alignframe.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa


def named(specs: list[str]) -> dict[str, str]:
    """Return the paths of lexicons by name; the file's name where none is given."""
    found: dict[str, str] = {}
    for spec in specs:
        name, path = split_name(spec, "lexicon")
        name = name or Path(path).stem
        if name in found:
            raise InputError(
                f"two lexicons are called {name!r}: {found[name]} and {path}",
                todo="name them: --lexicon NAME=FILE",
            )
        found[name] = path
    return found


def save_lexicon(table: pa.Table, path: Path) -> None:
    """Write a lexicon; Parquet keeps what it says of itself."""
    if path.suffix.lower() in (".parquet", ".pq"):
        import pyarrow.parquet as pq

        from alignframe.formats.writing import replacing

        with replacing(path) as draft:
            pq.write_table(table, draft, compression="zstd")
        return
    import polars as pl

    save_table(pl.DataFrame(pl.from_arrow(table)), path)
