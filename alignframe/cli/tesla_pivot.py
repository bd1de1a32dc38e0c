"""``alignframe tesla pivot-table``: phrases of a target language and their translations."""

from __future__ import annotations

from pathlib import Path

from alignframe.choices import COMPRESSED
from alignframe.cli.show import print_note, print_summary
from alignframe.cli.sources import read_linked_text
from alignframe.errors import number_of


def pivot_table(
    *,
    src: str,
    pivot: str,
    links: str | None,
    tokens: str,
    output: Path,
    name: str | None,
    language: str,
    pivot_tagger: str,
    pivot_language: str | None,
    pivot_content: str | None,
    case: str,
    max_length: int,
    max_pivot_length: int,
    min_count: int,
    min_probability: float,
    top_k: int,
    renormalise: bool,
    links_format: str | None,
    base: int | None,
    order: str,
    encoding: str,
    as_json: bool,
) -> None:
    """Build the pivot table of TESLA-B from a bitext."""
    from alignframe.tesla.pivot_build import build_pivot_table
    from alignframe.tesla.pivot_table import about_pivot_table, write_pivot_table

    _, text, given = read_linked_text(
        src, pivot, tokens, encoding, links, links_format, base=base, order=order
    )
    table = build_pivot_table(
        text,
        given,
        name=name or _name_of(pivot),
        language=language,
        pivot_tagger=pivot_tagger,
        pivot_language=pivot_language,
        pivot_content=pivot_content,
        case=case,
        max_length=max_length,
        max_pivot_length=max_pivot_length,
        min_count=min_count,
        min_probability=min_probability,
        top_k=top_k,
        renormalise=renormalise,
    )
    write_pivot_table(table, output)
    about = about_pivot_table(table)
    summary = {
        "output": str(output),
        "name": about["name"],
        "sentences": about["options"]["sentences"],
        "phrases": about["options"]["phrases"],
        "pairs": table.height,
        "signature": about["signature"],
    }
    if as_json:
        print_summary(summary)
        return
    print_note(
        f"{number_of(summary['phrases'], 'phrase')}, {summary['pairs']:,} pairs of them, of "
        f"{summary['sentences']:,} "
        f"sentence pairs, written to {output}\n{summary['signature']}"
    )


def _name_of(path: str) -> str:
    """Return the last suffix of a file's name that is not a compression."""
    suffixes = Path(path).suffixes
    while suffixes and suffixes[-1].lower() in COMPRESSED:
        suffixes.pop()
    name = suffixes[-1][1:] if suffixes else ""
    return name if name.isascii() and name.isalnum() else "pivot"
