"""Looking words up in a lexicon, from either side."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import polars as pl

from alignframe.errors import InputError
from alignframe.lexicon.given import read_lexicon


def lookup(lexicon: Any, words: str | Sequence[str]) -> pl.DataFrame:
    """Return the entries of words, as source words and as translations.

    Parameters
    ----------
    lexicon
        A frame with src, tgt and rank, or a path of such Parquet or CSV.
    words
        Words of either language.

    Returns
    -------
    polars.DataFrame
        The columns word, side (``src`` where the word is a source word, ``tgt`` where it is a
        translation) and those of the lexicon; by word as given, side, rank,
        and falling llr.

    Raises
    ------
    InputError
        If the lexicon has a word on neither side.
    """
    frame = pl.DataFrame(pl.from_arrow(read_lexicon(lexicon).table))
    by = ["rank", *(["llr"] if "llr" in frame.columns else []), "src", "tgt"]
    asked = [words] if isinstance(words, str) else list(words)
    found = []
    for word in asked:
        mine = [
            frame.filter(pl.col(side) == word)
            .sort(by, descending=[False, *(name == "llr" for name in by[1:])])
            .select(pl.lit(word).alias("word"), pl.lit(side).alias("side"), pl.all())
            for side in ("src", "tgt")
        ]
        if not sum(part.height for part in mine):
            known = pl.concat([frame["src"], frame["tgt"]]).unique().to_list()
            close = ", ".join(get_close_matches(word, sorted(known), 5, 0.7))
            raise InputError(
                f"the lexicon has no word {word!r}",
                expected="a word as the text writes it",
                todo=f"perhaps one of {close}" if close else "",
            )
        found += mine
    return pl.concat(found)
