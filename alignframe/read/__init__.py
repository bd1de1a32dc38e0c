"""Opening files, and reading lines, separated cells and Parquet."""
