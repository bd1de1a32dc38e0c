"""The row-wise functions inside query engines: DuckDB, polars and Spark."""

from typing import TYPE_CHECKING

from alignframe.core.lazy import lazily

if TYPE_CHECKING:
    from alignframe.engines import duckdb, polars, spark

__all__ = [
    "duckdb",
    "polars",
    "spark",
]

__getattr__, __dir__ = lazily(__name__, {name: f"engines.{name}:" for name in __all__})
