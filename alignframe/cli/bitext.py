"""``alignframe bitext``: two sides of a text as one Parquet table."""

from __future__ import annotations

from pathlib import Path

from alignframe.cli.show import print_note, print_summary
from alignframe.errors import number_of


def bitext(
    *,
    src: str,
    tgt: str | None,
    output: Path,
    encoding: str,
    as_json: bool,
) -> None:
    """Write line-parallel text as a table of sid, src and tgt for SQL."""
    from alignframe.output import write_table
    from alignframe.read.pairs import sentence_pairs

    table = sentence_pairs(src, tgt, encoding=encoding).table()
    write_table(table, output)
    if as_json:
        print_summary({"output": str(output), "sentences": table.num_rows})
    else:
        print_note(f"{number_of(table.num_rows, 'sentence pair')} written to {output}")
