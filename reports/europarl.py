"""Translating Europarl from French to English: the texts, and systems trained on them."""

from __future__ import annotations

from concurrent.futures import Executor
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from alignframe import tesla
from alignframe.aligners import align
from alignframe.formats import read_sentences

FOLDER = "europarl-enfr"
TRAINING = 29_987
"""Number of lines of the training text: the gold sentences, some Hansards, then Europarl."""
HELD_OUT = 1190
"""Number of sentences in each text to translate."""
LONGEST = 60
"""Maximum number of words of a sentence to translate."""


class Text(NamedTuple):
    """Both sides of a text, one sentence per row."""

    src: pl.Series
    tgt: pl.Series

    def rows(self, chosen: Any) -> Text:
        """Return the rows selected by a list of numbers or a mask."""
        if isinstance(chosen, pl.Series) and chosen.dtype == pl.Boolean:
            return Text(*(side.filter(chosen) for side in self))
        return Text(*(side.gather(chosen) for side in self))


class Europarl(NamedTuple):
    """A training text, and texts without source sentences in common with it.

    ``test`` follows the training text, ``dev`` follows ``test``; ``far`` is the end of the corpus,
    with other topics.
    """

    train: Text
    dev: Text
    test: Text
    far: Text


def europarl(corpora: Path, training: int = TRAINING, held_out: int = HELD_OUT) -> Europarl:
    """Return the texts, French as the source."""
    sides = [
        pl.Series(read_sentences(corpora / FOLDER / f"d200k.{side}.gz")) for side in ("fr", "en")
    ]
    whole = Text(*sides)
    train = Text(*(side.head(training) for side in whole))
    words = whole.src.str.split(" ").list.len()
    new = ~whole.src.is_in(train.src.implode()) & whole.src.is_first_distinct()
    rows = (new & words.is_between(3, LONGEST)).arg_true()
    near, far = rows.head(2 * held_out), rows.tail(held_out)
    return Europarl(
        train,
        whole.rows(near.tail(held_out)),
        whole.rows(near.head(held_out)),
        whole.rows(far),
    )


def aligned(text: Text, executor: Executor | None = None) -> pl.DataFrame:
    """Return the links of a text found by the default aligner."""
    return align(text.src, text.tgt, threads=executor)


def language_model(text: pl.Series) -> Any:
    """Return a 3-gram model of a text, split at spaces."""
    return tesla.estimate_language_model(text, 3)
