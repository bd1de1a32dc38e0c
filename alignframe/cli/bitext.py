"""``alignframe bitext``: two sides of a text as one Parquet table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from alignframe.cli.command import Input, flag
from alignframe.cli.show import print_note, print_summary
from alignframe.cli.sources import ENCODING, SRC, TGT
from alignframe.errors import number_of


@dataclass(frozen=True, kw_only=True)
class Lines(Input):
    """Line-parallel text, and the table to write."""

    src: str = flag(SRC, panel=None)
    tgt: str | None = flag(TGT, None, panel=None)
    encoding: str = flag(ENCODING, "utf-8")
    output: Path = flag(
        "Parquet file to write.",
        Path("text.parquet"),
        panel="Output",
        flags="-o --output",
        metavar="FILE",
        writes="parquet",
    )


def bitext(given: Lines, *, as_json: bool = False) -> None:
    """Write line-parallel text as a table of sid, src and tgt for SQL."""
    from alignframe.output import write_table
    from alignframe.read.pairs import sentence_pairs

    table = sentence_pairs(given.src, given.tgt, encoding=given.encoding).table()
    write_table(table, given.output)
    if as_json:
        print_summary({"output": str(given.output), "sentences": table.num_rows})
    else:
        print_note(f"{number_of(table.num_rows, 'sentence pair')} written to {given.output}")
