"""Merging a dictionary with an induced lexicon."""

from __future__ import annotations

from os import fspath

import polars as pl
import pyarrow as pa

from alignframe.core.arrow import to_table
from alignframe.core.choices import FIRST_ENTRIES
from alignframe.core.signatures import whole_signature
from alignframe.engines.session import limited
from alignframe.errors import InputError, check_known, in_bounds, number_of
from alignframe.lexicon.oracles import WordList, warn_if_turned
from alignframe.lexicon.sources import N_BEST, are_named, read_lexicon
from alignframe.result import TableResult
from alignframe.sources.source import is_path
from alignframe.sources.words import word_pairs
from alignframe.typing import IntoLexicon, IntoWords

FIRST = FIRST_ENTRIES
"""Which entries of a word can come first."""

_ENTRIES = """
select merged.* exclude (induced_rank, listed_rank), induced.* exclude (src, tgt, rank)
from merge_lexicons('induced', 'listed', first := $first) as merged
left join induced on induced.src = merged.src and induced.tgt = merged.tgt
where merged.rank <= $most
order by merged.src, merged.rank
"""


def as_lexicon(words: IntoWords | WordList) -> pl.DataFrame:
    """Return a list of translations as a lexicon, for evaluation or merging.

    Parameters
    ----------
    words
        A frame with src and tgt, a file for ``formats.read_word_list``, or a ``WordList`` of these.

    Returns
    -------
    polars.DataFrame
        The columns src, tgt and rank (a word's translations in list order), sorted by src and rank.

    Raises
    ------
    InputError
        If the list cannot be read, has no rows, or has an empty word.

    Examples
    --------
    >>> import polars as pl
    >>> from alignframe import lexicon
    >>> words = pl.DataFrame({"src": ["book", "book"], "tgt": ["Buch", "Heft"]})
    >>> lexicon.as_lexicon(words).rows()
    [('book', 'Buch', 1), ('book', 'Heft', 2)]
    """
    given = words.pairs if isinstance(words, WordList) else words
    frame = pl.DataFrame(pl.from_arrow(word_pairs(given).select(["src", "tgt"]))).unique(
        maintain_order=True
    )
    ranks = pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over("src").alias("rank")
    ranked = frame.with_columns(ranks).sort("src", "rank")
    read_lexicon(ranked, "dictionary")
    return ranked


def merge(
    lexicon: IntoLexicon,
    words: IntoWords | WordList,
    *,
    first: str = "dictionary",
    n_best: int | None = None,
    memory_limit: str | None = None,
    threads: int | None = None,
) -> TableResult:
    """Merge an induced lexicon with a machine-readable dictionary.

    Parameters
    ----------
    lexicon
        An induced lexicon, preferably made with the dictionary as filter ``mrbd``.
    words
        The dictionary; see ``as_lexicon``.
    first
        Which translations of a word come first. ``dictionary``: those of the dictionary, starting
        with induced ones by their rank; then other induced ones. ``induced``: induced ones by their
        rank; then other dictionary ones. ``agreed``: those in both, then other induced ones, then
        other dictionary ones.
    n_best
        Maximum number of translations per word; all by default.
    memory_limit, threads
        See ``alignframe.lexicon.evaluate``.

    Returns
    -------
    TableResult
        The columns src, tgt, rank, origin (``both``, ``induced`` or ``dictionary``) and the others
        of the lexicon, null for entries only in the dictionary; sorted by src and rank. Its
        metadata have ``alignframe``, the signature, and ``n_best``.

    Raises
    ------
    InputError
        If either cannot be read, or an option is unknown.

    Notes
    -----
    Melamed 1995, section 4.2: the dictionary gains entries relevant to the text, and relevant
    entries are ranked. Words are compared as written.

    Examples
    --------
    >>> import polars as pl
    >>> from alignframe import lexicon
    >>> induced = pl.DataFrame({"src": ["book"], "tgt": ["das"], "rank": [1]})
    >>> dictionary = pl.DataFrame({"src": ["book", "a"], "tgt": ["Buch", "ein"]})
    >>> found = lexicon.merge(induced, dictionary)
    >>> found.frame.select("src", "tgt", "origin").rows()
    [('a', 'ein', 'dictionary'), ('book', 'Buch', 'dictionary'), ('book', 'das', 'induced')]
    """
    check_known("`first`", first, FIRST)
    most = None if n_best is None else in_bounds("n_best", n_best)
    if are_named(lexicon):
        raise InputError(
            f"{number_of(len(lexicon), 'lexicon')} to merge with a dictionary", expected="one"
        )
    induced, listed = read_lexicon(lexicon), as_lexicon(words)
    _warn_if_turned(words, induced.table, listed)
    own = [name for name in induced.table.column_names if name != "origin"]  # of an earlier merge
    with limited(["lexicon_joined"], memory_limit, threads) as connection:
        connection.register("induced", induced.table.select(own))
        connection.register("listed", listed)
        # Without a limit, the largest rank that 32 bits can hold.
        given = {"first": first, "most": most or (1 << 31) - 1}
        merged = to_table(connection.sql(_ENTRIES, params=given))
    deepest = max(merged["rank"].to_pylist())
    mark = whole_signature(
        f"lexicon:merged|first:{first}|n-best:{most or 'all'}|dictionary:{listed.height} pairs"
    )
    notes = {"alignframe": mark, N_BEST: str(most or deepest)}
    return TableResult("lexicon", merged.replace_schema_metadata(notes), mark)


def _warn_if_turned(words: IntoWords | WordList, induced: pa.Table, listed: pl.DataFrame) -> None:
    """Warn of a dictionary that has the target word first."""
    given = words.pairs if isinstance(words, WordList) else words
    pairs = pl.DataFrame(pl.from_arrow(induced.select(["src", "tgt"]))).cast(pl.String)
    # Pairs that the lexicon has as well, as they stand and the other way round.
    both, turned = (
        listed.join(pairs.rename(names), on=["src", "tgt"], how="semi").height
        for names in ({}, {"src": "tgt", "tgt": "src"})
    )
    warn_if_turned(fspath(given) if is_path(given) else "the dictionary", "lexicon", both, turned)
