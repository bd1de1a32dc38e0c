"""``alignframe tesla pivot-table``: phrases of a target language and what they are in another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from alignframe.cli.given import LINK_FORMATS, EncodingOption, JsonOption, read_links
from alignframe.cli.show import check_file, print_json, print_note
from alignframe.errors import InputError


def pivot_table(
    src: Annotated[
        str,
        typer.Option(
            "--src",
            metavar="FILE",
            help="Sentences in the language of the translations to be judged, packed or not: "
            "words parted by blanks.",
        ),
    ],
    pivot: Annotated[
        str,
        typer.Option("--pivot", metavar="FILE", help="The same sentences in the pivot language."),
    ],
    links: Annotated[
        str, typer.Option("--links", metavar="FILE", help="Their word alignment, in any format.")
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="The Parquet file to write.")
    ],
    name: Annotated[
        str | None,
        typer.Option("--name", help="Of the features; else the suffix of --pivot, such as fr."),
    ] = None,
    language: Annotated[
        str, typer.Option("--language", help="Code of the language of --src.")
    ] = "en",
    pivot_tagger: Annotated[
        str,
        typer.Option(
            "--pivot-tagger",
            help="project (tags come from --src through the links), given (words stand as "
            "word|TAG or word|TAG|lemma), hanta (de and nl), or spacy:MODEL.",
        ),
    ] = "project",
    pivot_language: Annotated[
        str | None,
        typer.Option("--pivot-language", help="Code of the pivot language; not for project."),
    ] = None,
    pivot_content: Annotated[
        str | None,
        typer.Option(
            "--pivot-content",
            help="Set of tags of the pivot language, or prefixes of tags of its content words.",
        ),
    ] = None,
    case: Annotated[
        str, typer.Option("--case", help="lower (words are compared so), or keep.")
    ] = "lower",
    max_length: Annotated[
        int, typer.Option("--max-length", min=1, help="Longest phrase of --src, in words.")
    ] = 4,
    max_pivot_length: Annotated[
        int, typer.Option("--max-pivot-length", min=1, help="Longest pivot phrase, in words.")
    ] = 5,
    min_count: Annotated[
        int, typer.Option("--min-count", min=1, help="Leave out pairs found less often.")
    ] = 2,
    min_probability: Annotated[
        float,
        typer.Option("--min-probability", help="Leave out pivot phrases less probable than this."),
    ] = 0.01,
    top_k: Annotated[
        int, typer.Option("--top-k", min=1, help="Pivot phrases kept of each phrase.")
    ] = 10,
    renormalise: Annotated[
        bool,
        typer.Option(help="Divide the probabilities that are left by their sum."),
    ] = True,
    links_format: Annotated[
        str | None, typer.Option("--links-format", help=f"{LINK_FORMATS}.")
    ] = None,
    base: Annotated[
        int | None, typer.Option("--base", help="Number of the first word in Pharaoh links.")
    ] = None,
    order: Annotated[
        str, typer.Option("--order", help="Which side links name first: src-tgt, tgt-src.")
    ] = "src-tgt",
    encoding: EncodingOption = "utf-8",
    as_json: JsonOption = False,
) -> None:
    """Build the pivot table that TESLA-B takes, of a bitext whose words are aligned."""
    check_file(output)
    if output.suffix.lower() not in (".parquet", ".pq"):
        raise InputError(f"the suffix {output.suffix!r}", path=output, expected=".parquet")
    from alignframe.formats import read_bitext
    from alignframe.tesla.pivot_build import build_pivot_table
    from alignframe.tesla.pivot_table import about_pivot_table, write_pivot_table

    text = read_bitext(src, pivot, encoding)
    table = build_pivot_table(
        text,
        read_links(
            links, links_format, text, encoding, option="--links-format", base=base, order=order
        ),
        name=name or _name_of(pivot),
        language=language,
        pivot_tagger=pivot_tagger,
        pivot_language=pivot_language,
        pivot_content=pivot_content,
        case=case,
        max_length=(max_length, max_pivot_length),
        min_count=min_count,
        min_probability=min_probability,
        top_k=top_k,
        renormalise=renormalise,
    )
    write_pivot_table(table, output)
    about = about_pivot_table(table)
    told = {
        "output": str(output),
        "name": about["name"],
        "sentences": about["options"]["sentences"],
        "phrases": about["options"]["phrases"],
        "pairs": table.num_rows,
        "signature": about["signature"],
    }
    if as_json:
        print_json(told)
        return
    print_note(
        f"{told['phrases']:,} phrases, {told['pairs']:,} pairs of them, of {told['sentences']:,} "
        f"sentence pairs, written to {output}\n{told['signature']}"
    )


def _name_of(path: str) -> str:
    """Return the last suffix of a file's name that says no packing."""
    suffixes = [suffix[1:] for suffix in Path(path).suffixes]
    while suffixes and suffixes[-1].lower() in ("gz", "bz2", "zst", "lz4"):
        suffixes.pop()
    plain = suffixes and suffixes[-1].isascii() and suffixes[-1].isalnum()
    return suffixes[-1] if plain else "pivot"
