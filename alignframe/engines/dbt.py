"""The plugin of dbt-duckdb: macros in every model, and sources of any place.

It is named in a profile: ``plugins: [{module: alignframe.engines.dbt, alias: alignframe}]``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dbt.adapters.duckdb.plugins import BasePlugin

from alignframe.engines.duckdb import register
from alignframe.engines.tables import held_table
from alignframe.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa
    from dbt.adapters.duckdb.utils import SourceConfig
    from duckdb import DuckDBPyConnection

    from alignframe.read.parquet import ParquetFiles


class Plugin(BasePlugin):  # type: ignore[misc]  # dbt-duckdb has no types
    """Registers functions and macros with each connection, and reads sources with a ``place``."""

    def configure_connection(self, conn: DuckDBPyConnection) -> None:
        """Register functions and macros with the connection of a database."""
        register(conn)

    def configure_cursor(self, cursor: DuckDBPyConnection) -> None:
        """Register them with a model's cursor, which does not see another's temporary macros."""
        register(cursor)

    def default_materialization(self) -> str:
        """Read a source anew for each model, instead of copying it into the database."""
        return "view"

    def load(self, source_config: SourceConfig) -> pa.Table | ParquetFiles:
        """Return the table of a source; its ``place`` is any that ``tables=`` of connect takes."""
        place = source_config.get("place")
        if place is None:
            raise InputError(
                f"the source {source_config.table_name()} without a place",
                expected="config: {place: lake/hyp}, or another path or store",
            )
        return held_table(source_config.identifier, place)
