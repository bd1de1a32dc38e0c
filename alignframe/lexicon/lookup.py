"""Looking up words in a lexicon, on either side."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

import polars as pl

from alignframe.errors import InputError, warn
from alignframe.lexicon.sources import read_lexicon
from alignframe.typing import IntoLexicon


def lookup(lexicon: IntoLexicon, words: str | Sequence[str]) -> pl.DataFrame:
    """Return the entries of words, both as source words and as translations.

    Parameters
    ----------
    lexicon
        A frame with src, tgt and rank, or the path of such a Parquet or CSV file.
    words
        Words of either language.

    Returns
    -------
    polars.DataFrame
        The columns word, side (``src`` for a source word, ``tgt`` for a translation) and those of
        the lexicon; in the order of ``words`` and side, source words by rank, translations by
        descending llr if present.

    Raises
    ------
    InputError
        If none of the words is in the lexicon; if only some are missing, a DataWarning names them.

    Examples
    --------
    >>> import polars as pl
    >>> from alignframe import lexicon
    >>> entries = {"src": ["book", "books"], "tgt": ["Buch", "Buch"], "rank": [1, 1]}
    >>> lexicon.lookup(pl.DataFrame(entries), "Buch").select("side", "src", "tgt").rows()
    [('tgt', 'book', 'Buch'), ('tgt', 'books', 'Buch')]
    """
    frame = pl.DataFrame(pl.from_arrow(read_lexicon(lexicon).table))
    strongest = ["llr"] if "llr" in frame.columns else []
    orders = {"src": ["rank", "tgt"], "tgt": [*strongest, "rank", "src"]}
    asked = [words] if isinstance(words, str) else list(words)
    if not asked:
        raise InputError("no words to look up", expected="a word at least")
    found = []
    unknown: dict[str, str] = {}
    for word in asked:
        mine = [
            frame.filter(pl.col(side) == word)
            .sort(by, descending=[name == "llr" for name in by])
            .select(pl.lit(word).alias("word"), pl.lit(side).alias("side"), pl.all())
            for side, by in orders.items()
        ]
        if not sum(part.height for part in mine):
            known = pl.concat([frame["src"], frame["tgt"]]).unique().to_list()
            same = sorted(one for one in known if one.casefold() == word.casefold())
            close = ", ".join(same or get_close_matches(word, sorted(known), 5, 0.7))
            unknown[word] = f"perhaps one of {close}" if close else ""
        found += mine
    if len(unknown) == len(set(asked)):
        word, todo = next(iter(unknown.items()))
        raise InputError(
            f"the lexicon has no word {word!r}", expected="a word as written in the text", todo=todo
        )
    for word, todo in unknown.items():
        warn(f"the lexicon has no word {word!r}" + (f"; {todo}" if todo else ""))
    return pl.concat(found)
