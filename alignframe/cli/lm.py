"""``alignframe lm``: a language model from plain text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from alignframe.cli.command import Arguments, Input, Shell, Words, flag
from alignframe.cli.progress import ticking
from alignframe.cli.show import Data, Pieces, Rows
from alignframe.cli.sources import ENCODING

if TYPE_CHECKING:
    from alignframe.tesla.estimate import Estimate


@dataclass(frozen=True, kw_only=True)
class PlainText(Input):
    """The words of text files."""

    provides = ("sentences",)

    text: list[str] = flag("Sentences of the target language.", panel=None)
    tokens: str = flag(
        "Tokenisation: spaces (already tokenised) or penn (raw text).",
        "spaces",
        panel="Analysis",
        choices=("spaces", "penn"),
    )
    lowercase: bool = flag("Lower-case the text.", False, panel="Analysis")
    encoding: str = flag(ENCODING, "utf-8")

    def arguments(self, _: Shell) -> Arguments:
        """Return the words of sentences, read in batches."""
        from alignframe.tesla.estimate import text_columns

        columns = text_columns(
            self.text, tokens=self.tokens, lower=self.lowercase, encoding=self.encoding
        )
        return {"sentences": ticking(columns, "Reading text", len)}


def write_model(model: Estimate, words: Words) -> Pieces:
    """Write a language model as ARPA, and show its orders."""
    from alignframe.tesla.estimate import write_arpa

    write_arpa(model, words["output"])
    rows = [
        {
            "order": order,
            "ngrams": own.ngrams.height,
            **{f"discount_{k}": d for k, d in zip("123", own.discounts, strict=True)},
        }
        for order, own in enumerate(model.orders, 1)
    ]
    yield Data(orders=rows)
    caption = f"written to {words['output']}; counts of 1, 2, and 3 or more are discounted"
    yield Rows(rows, "Language model", caption)
