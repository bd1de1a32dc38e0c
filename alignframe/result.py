"""Results with more than one polars frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cached_property
from html import escape
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe.core.output import make_folder, together, write_table
from alignframe.errors import unknown_name

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


Row = Mapping[str, Any]
"""A row of a table: values of any kind by column."""

Tables = Mapping[str, "pl.DataFrame | Sequence[Row]"]


def with_signature_above(tables: Tables, signature: str | None) -> tuple[str | None, Tables]:
    """Separate the signature from tables; a constant column of that name is dropped."""
    said = {signature} - {None}
    for table in tables.values():
        if isinstance(table, Sequence):
            said |= {row.get("signature", signature) for row in table}
        elif "signature" in table.columns:
            said |= set(table["signature"].unique())
        elif table.height:
            said.add(signature)
    if len(said) != 1:
        return signature, tables
    return said.pop(), {
        name: [{key: row[key] for key in row if key != "signature"} for row in table]
        if isinstance(table, Sequence)
        else table.drop("signature", strict=False)
        for name, table in tables.items()
    }


def as_json(tables: Tables, signature: str | None = None) -> dict[str, object]:
    """Return ``{"signature": ..., "tables": {name: [row, ...]}}``, a constant signature above."""
    signature, tables = with_signature_above(tables, signature)
    rows = {
        name: [dict(row) for row in (table if isinstance(table, Sequence) else table.to_dicts())]
        for name, table in tables.items()
    }
    return {"signature": signature, "tables": rows}


class Result:
    """Related tables, and the signature of the choices behind them.

    The tables are the dataclass fields that are polars frames. A notebook shows them all.

    Attributes
    ----------
    signature
        Every choice that affects the scores.

    Examples
    --------
    >>> from alignframe import lexicon
    >>> found = lexicon.induce(["the house"], ["das Haus"], n_best=1)
    >>> {name: table.height for name, table in found.tables().items()}
    {'lexicon': 2}
    """

    signature: str

    def tables(self) -> dict[str, pl.DataFrame]:
        """Return the tables by name."""
        import polars as pl

        every = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return {name: table for name, table in every.items() if isinstance(table, pl.DataFrame)}

    def to_dict(self) -> dict[str, object]:
        """Return what ``--json`` prints: the signature, and the rows of each table by name."""
        return as_json(self.tables(), self.signature)

    def to_polars(self, name: str | None = None) -> pl.DataFrame:
        """Return the first table, or the one called ``name``, as a polars frame."""
        tables = self.tables()
        if name is not None and name not in tables:
            raise unknown_name("table", name, tables)
        return next(iter(tables.values())) if name is None else tables[name]

    def to_pandas(self, name: str | None = None) -> pd.DataFrame:
        """Return the same as a pandas frame, which needs pandas."""
        return self.to_polars(name).to_pandas()

    def write(self, folder: str | PathLike[str]) -> list[Path]:
        """Write every table to a folder, as Parquet with the signature.

        Returns
        -------
        list of Path
            The files, ``<folder>/<table>.parquet``.
        """
        place = Path(folder)
        make_folder(place)
        written = []
        with together():
            for name, table in self.tables().items():
                written.append(place / f"{name}.parquet")
                write_table(table, written[-1], signature=self.signature)
        return written

    def page(self, **options: object) -> Any:
        """Return a page, whose ``write`` makes an HTML file and ``write_figures`` images.

        Parameters
        ----------
        options
            title, and further options of the area's report.

        Returns
        -------
        alignframe.pages.page.Page
        """
        # Imported late, because the reports import the areas.
        return import_module("alignframe.report.results").page_of(self, **options)

    def __repr__(self) -> str:
        tables = self.tables()
        if len(tables) == 1:
            return f"{self.to_polars()!r}\n{self.signature}"
        every = "\n".join(f"{name}\n{table!r}" for name, table in tables.items())
        return f"{every}\n{self.signature}"

    def _repr_html_(self) -> str:
        tables = [
            f"<h4>{escape(name.replace('_', ' '))}</h4>{table._repr_html_()}"
            for name, table in self.tables().items()
        ]
        return "".join(tables) + f"<p><small>{escape(self.signature)}</small></p>"


def signatures(*tables: pl.DataFrame) -> str:
    """Return the signatures in tables, each once."""
    signed = [one for one in tables if "signature" in one.columns]
    marks = [mark for one in signed for mark in one["signature"].unique(maintain_order=True)]
    return " ".join(dict.fromkeys(map(str, marks)))


class SignedResult(Result):
    """Related tables with a signature in each row: intervals and tests have their own."""

    @property
    def signature(self) -> str:  # type: ignore[override]
        """Every choice that affects the scores."""
        return signatures(*self.tables().values())


class TableResult(Result):
    """One table, with notes on how it was made.

    It is accepted wherever a table is, and carries its notes along: the depth of a lexicon, the
    language pair of rankings, the options of a pivot table. ``formats.write`` keeps them in
    Parquet. ``frame`` is the polars frame, without notes.

    Parameters
    ----------
    name
        The name of the table in JSON, on pages and as a file.
    table
        The rows; the notes are the schema's metadata.
    signature
        Every choice that affects the scores.

    Examples
    --------
    >>> from alignframe import lexicon
    >>> found = lexicon.induce(["the house"], ["das Haus"], n_best=1)
    >>> found.name, found.height, found.metadata["n_best"]
    ('lexicon', 2, '1')
    """

    def __init__(self, name: str, table: pa.Table, signature: str) -> None:
        self.name = name
        self.signature = signature
        self._table = table

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The rows as a polars frame."""
        import polars as pl

        return pl.DataFrame(pl.from_arrow(self._table))

    @property
    def metadata(self) -> dict[str, str]:
        """The notes by name."""
        notes: dict[bytes, bytes] = self._table.schema.metadata or {}
        return {name.decode(): note.decode() for name, note in notes.items()}

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._table.column_names)

    @property
    def height(self) -> int:
        """The number of rows."""
        return int(self._table.num_rows)

    def rows(self, *, named: bool = False) -> list[Any]:
        """Return the rows as tuples, or as dicts if ``named``."""
        return self.frame.rows(named=True) if named else self.frame.rows()

    def tables(self) -> dict[str, pl.DataFrame]:
        """Return the table by its name."""
        return {self.name: self.frame}

    def write(self, folder: str | PathLike[str]) -> list[Path]:
        """Write the table to a folder, as Parquet with its notes.

        Returns
        -------
        list of Path
            The file, ``<folder>/<name>.parquet``.
        """
        path = Path(folder, f"{self.name}.parquet")
        make_folder(path.parent)
        write_table(self._table, path)
        return [path]

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return self.height

    def __getitem__(self, key: str | int | slice | Sequence[str]) -> Any:
        return self.frame[key]
