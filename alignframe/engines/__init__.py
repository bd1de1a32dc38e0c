"""The row-wise functions inside query engines: DuckDB and polars."""
