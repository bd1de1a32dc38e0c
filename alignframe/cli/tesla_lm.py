"""``alignframe tesla lm``: a language model for TESLA-F from plain text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from alignframe.cli.given import EncodingOption, JsonOption, prints_tables
from alignframe.cli.progress import ticking
from alignframe.cli.show import check_file, print_json, print_table


@prints_tables
def lm(
    text: Annotated[
        list[str], typer.Argument(metavar="TEXT...", help="Sentences of the target language.")
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="Write ARPA; .gz packs it.")
    ],
    order: Annotated[int, typer.Option("--order", help="Words of the longest n-grams.")] = 3,
    tokens: Annotated[
        str,
        typer.Option("--tokens", help="penn (raw text), or spaces (tokens parted by blanks)."),
    ] = "penn",
    keep_case: Annotated[
        bool, typer.Option("--keep-case", help="Do not lower-case the text.")
    ] = False,
    encoding: EncodingOption = "utf-8",
    as_json: JsonOption = False,
) -> None:
    """Estimate a language model: interpolated modified Kneser-Ney smoothing, as ARPA."""
    check_file(output)
    from alignframe.tesla.estimate import estimate_language_model, text_columns, write_arpa

    columns = text_columns(text, tokens=tokens, lower=not keep_case, encoding=encoding)
    model = estimate_language_model(ticking(columns, "Reading text", len), order)
    write_arpa(model, output)
    rows = [
        {
            "order": n,
            "ngrams": own.ngrams.height,
            **{f"discount_{k}": d for k, d in zip("123", own.discounts, strict=True)},
        }
        for n, own in enumerate(model.orders, 1)
    ]
    if as_json:
        print_json(rows)
    else:
        caption = f"written to {output}; counts of 1, 2, and 3 or more are discounted"
        print_table(rows, title="Language model", caption=caption)
