"""``alignframe mt train`` and ``mt convert``: phrase tables."""

from __future__ import annotations

from pathlib import Path

from alignframe.cli.show import print_note, print_summary
from alignframe.cli.sources import read_links, split_name
from alignframe.errors import number_of


def train(
    *,
    links: str,
    src: str | None,
    tgt: str | None,
    only: list[str],
    leave_out: bool,
    max_length: int,
    output: Path,
    links_format: str | None,
    base: int | None,
    order: str,
    encoding: str,
    as_json: bool,
) -> None:
    """Build a phrase table from a word-aligned text."""
    from alignframe import mt
    from alignframe.cli.sources import text_of
    from alignframe.formats.bitext import token_column

    text = text_of(src, tgt, encoding)
    table = mt.train(
        read_links(
            split_name(links)[1],
            links_format,
            text,
            encoding,
            base=base,
            order=order,
        ),
        text,
        only=[token_column(path, encoding) for path in only] or None,
        leave_out=leave_out,
        max_length=max_length,
    )
    mt.write_phrase_table(table, output)
    _tell(table.height, table["src"].n_unique(), output, as_json)


def convert(*, table: str, output: Path, as_json: bool) -> None:
    """Convert a phrase table between Parquet and Moses' text format."""
    from alignframe import mt

    found = mt.phrase_table(table)
    mt.write_phrase_table(found, output)
    _tell(found.height, found["src"].n_unique(), output, as_json)


def _tell(pairs: int, phrases: int, output: Path, as_json: bool) -> None:
    if as_json:
        print_summary({"output": str(output), "pairs": pairs, "src_phrases": phrases})
    else:
        print_note(
            f"{number_of(pairs, 'pair')} of {number_of(phrases, 'source phrase')} "
            f"written to {output}"
        )
