"""Merging a dictionary with an induced lexicon, and backing off from one lexicon to another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import fspath

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrow import to_table
from alignframe.core.choices import FIRST_ENTRIES
from alignframe.core.signatures import whole_signature
from alignframe.engines.session import limited
from alignframe.errors import InputError, check_known, number_of
from alignframe.lexicon.oracles import WordList, warn_if_turned
from alignframe.lexicon.sources import N_BEST, Lexicon, are_named, named_lexicons, read_lexicon
from alignframe.options import checked
from alignframe.result import TableResult
from alignframe.sources.source import is_path
from alignframe.sources.words import word_pairs
from alignframe.typing import ForOutput, FromOne, IntoLexicon, IntoWords, Rare

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


@checked
def merge(
    lexicon: IntoLexicon,
    words: IntoWords | WordList,
    *,
    first: str = "dictionary",
    n_best: FromOne | None = None,
    memory_limit: Rare[str | None] = None,
    threads: ForOutput[FromOne | None] = None,
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
        See ``alignframe.lexicon.score``.

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
    most = n_best
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


_OWN = ("place", "lexicon")


@checked
def back_off(
    lexicons: Sequence[IntoLexicon] | Mapping[str, IntoLexicon],
    *,
    memory_limit: Rare[str | None] = None,
    threads: ForOutput[FromOne | None] = None,
) -> TableResult:
    """Chain lexicons: each source word gets its entries from the first lexicon that has it.

    Parameters
    ----------
    lexicons
        Lexicons in order of precedence, the most precise first: a sequence, or a mapping from
        names.
    memory_limit, threads
        See ``alignframe.lexicon.score``.

    Returns
    -------
    TableResult
        The columns of all lexicons (null where one lacks a column), sorted by src and rank, and
        lexicon: the name of the entry's lexicon, or its position in the sequence, from 1. Columns
        lexicon and place of the inputs are dropped. Its metadata have ``alignframe``, the
        signature, and the ``n_best`` of the deepest lexicon.

    Raises
    ------
    InputError
        If there is no lexicon, one cannot be read, or their columns differ in type.

    Notes
    -----
    Melamed 1995, section 5: cascaded back-off.

    Examples
    --------
    >>> import polars as pl
    >>> from alignframe import lexicon
    >>> sure, rest = (
    ...     pl.DataFrame({"src": src, "tgt": tgt, "rank": 1})
    ...     for src, tgt in ((["book"], ["Buch"]), (["a", "book"], ["ein", "das"]))
    ... )
    >>> found = lexicon.back_off({"sure": sure, "rest": rest})
    >>> found.frame.select("src", "tgt", "lexicon").rows()
    [('a', 'ein', 'rest'), ('book', 'Buch', 'sure')]
    """
    named = isinstance(lexicons, Mapping)
    kind = pa.string() if named else pa.int32()
    given = named_lexicons(lexicons, listed=True)
    tables = [_placed(lexicon, place) for place, lexicon in enumerate(given.values(), 1)]
    try:
        every = pa.concat_tables(tables, promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise InputError(
            f"the lexicons have columns of different types ({error})", expected="the same types"
        ) from None
    with limited(["lexicon_joined"], memory_limit, threads) as connection:
        connection.register("lexicons", every)
        kept = to_table(connection.sql("select * from back_off('lexicons')"))
    origins = pa.array([*given] if named else range(1, len(given) + 1), kind)
    places = kept["place"].combine_chunks()
    origin = pa.DictionaryArray.from_arrays(pc.subtract(places, 1), origins)
    joined = kept.drop_columns(["place"]).append_column("lexicon", origin.cast(kind))
    mark = whole_signature(f"lexicon:back-off|order:{','.join(given)}")
    notes = {"alignframe": mark, N_BEST: str(max(lexicon.n_best for lexicon in given.values()))}
    return TableResult("lexicon", joined.replace_schema_metadata(notes), mark)


def _placed(lexicon: Lexicon, place: int) -> pa.Table:
    table = lexicon.table.drop_columns([n for n in _OWN if n in lexicon.table.column_names])
    places = pa.repeat(pa.scalar(place, pa.int32()), table.num_rows)
    return table.replace_schema_metadata(None).append_column("place", places)
