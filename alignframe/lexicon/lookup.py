"""Looking up words in a lexicon, on either side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

import polars as pl

from alignframe.core.tokens import SIDES
from alignframe.errors import InputError, MissingExtraError, few_of, warn
from alignframe.language.words import words_in
from alignframe.lexicon.sources import are_named, named_lexicons, read_lexicon
from alignframe.typing import IntoLexicon


def lookup(
    lexicon: IntoLexicon | Mapping[str, IntoLexicon], words: str | Sequence[str]
) -> pl.DataFrame:
    """Return the entries of words, both as source words and as translations.

    Parameters
    ----------
    lexicon
        A frame with src, tgt and rank, the path of such a Parquet or CSV file, or a mapping from
        names to these (one with the keys src and tgt is a dict of columns).
    words
        Words of either language.

    Returns
    -------
    polars.DataFrame
        The columns word, side (``src`` for a source word, ``tgt`` for a translation), lexicon (if
        named, in place of a column of that name) and those of the lexicons; in the order of
        ``words``, side and lexicon, source words by rank, translations by descending llr if
        present.

    Raises
    ------
    InputError
        If none of the words is in a lexicon; if only some are missing, a DataWarning names them.

    Examples
    --------
    >>> import polars as pl
    >>> from alignframe import lexicon
    >>> entries = {"src": ["book", "books"], "tgt": ["Buch", "Buch"], "rank": [1, 1]}
    >>> lexicon.lookup(pl.DataFrame(entries), "Buch").select("side", "src", "tgt").rows()
    [('tgt', 'book', 'Buch'), ('tgt', 'books', 'Buch')]
    """
    named = are_named(lexicon)
    lexicons = named_lexicons(lexicon) if named else {"": read_lexicon(lexicon)}
    frames = {
        name: pl.DataFrame(pl.from_arrow(lexicon_read.table))
        for name, lexicon_read in lexicons.items()
    }
    if named:
        frames = {
            name: frame.select(pl.lit(name).alias("lexicon"), pl.exclude("lexicon"))
            for name, frame in frames.items()
        }
    asked = [words] if isinstance(words, str) else list(words)
    if not asked:
        raise InputError("no words to look up", expected="at least one word")
    entries = []
    unknown: dict[str, str] = {}
    for word in asked:
        mine = [_entries(frame, word, side) for side in SIDES for frame in frames.values()]
        if not sum(part.height for part in mine):
            sides = [frame[side] for frame in frames.values() for side in SIDES]
            unknown[word] = _instead(word, pl.concat(sides).unique().to_list())
        entries += mine
    holder = "the lexicons have" if len(lexicons) > 1 else "the lexicon has"
    if len(unknown) == len(set(asked)):
        word, todo = next(iter(unknown.items()))
        raise InputError(
            f"{holder} no word {word!r}", expected="a word as written in the text", todo=todo
        )
    for word, todo in unknown.items():
        warn(f"{holder} no word {word!r}" + (f"; {todo}" if todo else ""))
    return pl.concat(entries, how="diagonal_relaxed")


def _instead(word: str, known: Sequence[str]) -> str:
    """Return what to look up instead of an unknown word, if anything."""
    # Sorted, as `unique` has no fixed order, which would decide between ties.
    words = sorted(known)
    same = [similar for similar in words if similar.casefold() == word.casefold()]
    parts = dict.fromkeys(part.casefold() for part in _parts(word) if any(map(str.isalnum, part)))
    apart = [repr(known) for part in parts for known in words if known.casefold() == part]
    if apart and not same:
        return f"look up its word{'s' * (len(apart) > 1)} {few_of(apart)}, which it has"
    close = ", ".join(same or get_close_matches(word, words, 5, 0.7))
    return f"perhaps one of {close}" if close else ""


def _parts(word: str) -> list[str]:
    """Return the words of what may be raw text, such as a word with its comma."""
    try:
        return [part for unit in word.split() for part in words_in(unit)]
    except MissingExtraError:  # of Thai and the like
        return []


def _entries(frame: pl.DataFrame, word: str, side: str) -> pl.DataFrame:
    """Return the entries of a word on a side, the best first."""
    strongest = ["llr"] if side == "tgt" and "llr" in frame.columns else []
    by = [*strongest, "rank", "tgt" if side == "src" else "src"]
    return (
        frame.filter(pl.col(side) == word)
        .sort(by, descending=[name == "llr" for name in by])
        .select(pl.lit(word).alias("word"), pl.lit(side).alias("side"), pl.all())
    )
