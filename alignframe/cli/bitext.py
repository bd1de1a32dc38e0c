"""``alignframe bitext``: two sides of a text as one Parquet table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from alignframe.cli.given import EncodingOption, JsonOption
from alignframe.cli.show import check_table_path, print_json, print_note
from alignframe.errors import InputError


def bitext(
    src: Annotated[
        str, typer.Argument(metavar="SRC", help="Source sentences, or lines 'source ||| target'.")
    ],
    tgt: Annotated[
        str | None, typer.Argument(metavar="[TGT]", help="Target sentences, line by line.")
    ] = None,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="The Parquet file to write.")
    ] = Path("text.parquet"),
    encoding: EncodingOption = "utf-8",
    as_json: JsonOption = False,
) -> None:
    """Write line-parallel text as a table of sid, src and tgt, which SQL can read."""
    check_table_path(output)
    if output.suffix.lower() not in (".parquet", ".pq"):
        raise InputError(f"the suffix {output.suffix!r}", path=output, expected=".parquet")
    import pyarrow.parquet as pq

    from alignframe.formats import read_bitext
    from alignframe.formats.writing import replacing

    table = read_bitext(src, tgt, encoding)
    with replacing(output) as draft:
        pq.write_table(table, draft, compression="zstd")
    if as_json:
        print_json({"output": str(output), "sentences": table.num_rows})
    else:
        print_note(f"{table.num_rows:,} sentence pairs written to {output}")
