"""What a function gives that has more than one table to give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from html import escape
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl


def as_json(
    tables: Mapping[str, pl.DataFrame | Sequence[Mapping[str, Any]]], signature: str | None = None
) -> dict[str, Any]:
    """Return ``{"signature": ..., "tables": {name: [row, ...]}}``.

    A column ``signature`` that says the same in every row stands above the tables.
    """
    rows = {
        name: [dict(row) for row in (table if isinstance(table, Sequence) else table.to_dicts())]
        for name, table in tables.items()
    }
    every = [row for table in rows.values() for row in table]
    said = {row.get("signature", signature) for row in every} | ({signature} - {None})
    if len(said) == 1:
        (signature,) = said
        for row in every:
            row.pop("signature", None)
    return {"signature": signature, "tables": rows}


class Result:
    """Tables that belong together, and the signature that names every choice behind them.

    The tables are those fields of a dataclass that are polars frames. A notebook shows them all.

    Attributes
    ----------
    signature
        Every choice that changes a figure.
    """

    signature: str

    def tables(self) -> dict[str, pl.DataFrame]:
        """Return the tables by name."""
        import polars as pl

        every = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return {name: one for name, one in every.items() if isinstance(one, pl.DataFrame)}

    def to_dict(self) -> dict[str, Any]:
        """Return what ``--json`` prints: the signature, and the rows of each table by its name."""
        return as_json(self.tables(), self.signature)

    def write(self, folder: str | PathLike[str]) -> list[Path]:
        """Write every table into a folder, as Parquet that carries the signature.

        Returns
        -------
        list of Path
            The files, ``<folder>/<table>.parquet``.
        """
        from alignframe.tables import SIGNATURE

        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        written = []
        for name, table in self.tables().items():
            path = place / f"{name}.parquet"
            table.write_parquet(path, metadata={SIGNATURE: self.signature})
            written.append(path)
        return written

    def page(self, **options: Any) -> Any:
        """Return it as a page: ``write`` makes the HTML file, ``write_figures`` pictures.

        Parameters
        ----------
        options
            title; and what the report of its area takes besides.

        Returns
        -------
        alignframe.report.page.Page
            See there.
        """
        # Reports stand above the areas whose results they show.
        return import_module("alignframe.report.results").page_of(self, **options)

    def _repr_html_(self) -> str:
        tables = [
            f"<h4>{escape(name.replace('_', ' '))}</h4>{table._repr_html_()}"
            for name, table in self.tables().items()
        ]
        return "".join(tables) + f"<p><small>{escape(self.signature)}</small></p>"
