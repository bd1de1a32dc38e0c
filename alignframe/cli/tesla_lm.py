"""``alignframe lm`` and ``tesla lm``: a language model from plain text, with different defaults."""

from __future__ import annotations

from pathlib import Path

from alignframe.cli.progress import ticking
from alignframe.cli.show import print_json, print_table


def lm(
    *,
    text: list[str],
    output: Path,
    n: int,
    tokens: str,
    keep_case: bool,
    encoding: str,
    as_json: bool,
) -> None:
    """Estimate a language model with interpolated modified Kneser-Ney smoothing, as ARPA."""
    from alignframe.tesla.estimate import estimate_language_model, text_columns, write_arpa

    columns = text_columns(text, tokens=tokens, lower=not keep_case, encoding=encoding)
    model = estimate_language_model(ticking(columns, "Reading text", len), n)
    write_arpa(model, output)
    rows = [
        {
            "order": order,
            "ngrams": own.ngrams.height,
            **{f"discount_{k}": d for k, d in zip("123", own.discounts, strict=True)},
        }
        for order, own in enumerate(model.orders, 1)
    ]
    if as_json:
        print_json({"orders": rows})
    else:
        caption = f"written to {output}; counts of 1, 2, and 3 or more are discounted"
        print_table(rows, title="Language model", caption=caption)
