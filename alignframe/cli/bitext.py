"""``alignframe bitext``: two sides of a text as one Parquet table."""

from __future__ import annotations

from pathlib import Path

from alignframe.cli.show import print_note, print_summary


def bitext(
    *,
    src: str,
    tgt: str | None,
    output: Path,
    encoding: str,
    as_json: bool,
) -> None:
    """Write line-parallel text as a table of sid, src and tgt for SQL."""
    import pyarrow.parquet as pq

    from alignframe.formats import read_bitext
    from alignframe.formats.writing import replacing

    table = read_bitext(src, tgt, encoding)
    with replacing(output) as draft:
        pq.write_table(table, draft, compression="zstd")
    if as_json:
        print_summary({"output": str(output), "sentences": table.num_rows})
    else:
        print_note(f"{table.num_rows:,} sentence pairs written to {output}")
