"""A dictionary enhanced by an induced lexicon."""

from __future__ import annotations

import polars as pl

from alignframe.arrow import to_table
from alignframe.choices import FIRST_ENTRIES
from alignframe.errors import unknown, whole_number
from alignframe.formats import read_word_list
from alignframe.lexicon.oracles import WordList
from alignframe.lexicon.sources import N_BEST, read_lexicon
from alignframe.result import TableResult
from alignframe.session import limited
from alignframe.sources import is_path, word_pairs
from alignframe.typing import IntoLexicon, IntoWords
from alignframe.version import __version__

FIRST = FIRST_ENTRIES
"""Which entries of a word may stand first."""

_ENTRIES = """
select merged.* exclude (induced_rank, listed_rank), induced.* exclude (src, tgt, rank)
from merge_lexicons('induced', 'listed', first := $first) as merged
left join induced on induced.src = merged.src and induced.tgt = merged.tgt
where merged.rank <= $most
order by merged.src, merged.rank
"""


def as_lexicon(words: IntoWords | WordList) -> pl.DataFrame:
    """Return a list of translations as a lexicon, to be judged or merged.

    Parameters
    ----------
    words
        A frame with src and tgt, a file that ``formats.read_word_list`` reads, or the ``WordList``
        of such.

    Returns
    -------
    polars.DataFrame
        The columns src, tgt and rank (the order in which the list has a word's translations),
        sorted by src and rank.

    Raises
    ------
    InputError
        If the list cannot be read, has no rows, or lacks a word.
    """
    given = words.pairs if isinstance(words, WordList) else words
    table = read_word_list(given) if is_path(given) else word_pairs(given)
    frame = pl.DataFrame(pl.from_arrow(table.select(["src", "tgt"]))).unique(maintain_order=True)
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
        An induced lexicon, best made with the dictionary as the filter ``mrbd``.
    words
        The dictionary, see ``as_lexicon``.
    first
        The translations of a word that stand first. ``dictionary``: its own, of which those
        that were induced come first, by their rank; then the others that were induced.
        ``induced``: those that were induced, by their rank; then the others of the dictionary.
        ``agreed``: those of both, then the others that were induced, then the others of the
        dictionary.
    n_best
        The most translations of a word; all by default.
    memory_limit, threads
        See ``alignframe.lexicon.evaluate``.

    Returns
    -------
    TableResult
        The columns src, tgt, rank, origin (``both``, ``induced`` or ``dictionary``) and the others
        of the lexicon, null in entries of the dictionary alone; sorted by src and rank. Its
        metadata have ``alignframe``, the signature, and ``n_best``.

    Raises
    ------
    InputError
        If either cannot be read, or an option is unknown.

    Notes
    -----
    Melamed 1995, section 4.2: the dictionary gains entries that matter to the text, and those that
    matter are ranked. Words are compared as written.
    """
    if first not in FIRST:
        raise unknown("first entries", first, FIRST)
    most = None if n_best is None else whole_number(n_best, 1, f"{n_best!r} best translations")
    induced, listed = read_lexicon(lexicon), as_lexicon(words)
    own = [name for name in induced.table.column_names if name != "origin"]
    with limited(["lexicon_joined"], memory_limit, threads) as connection:
        connection.register("induced", induced.table.select(own))
        connection.register("listed", listed)
        given = {"first": first, "most": most or (1 << 31) - 1}
        merged = to_table(connection.sql(_ENTRIES, params=given))
    deepest = max(merged["rank"].to_pylist())
    mark = (
        f"alignframe:{__version__}|lexicon:merged|first:{first}|n-best:{most or 'all'}|"
        f"dictionary:{listed.height} pairs"
    )
    notes = {"alignframe": mark, N_BEST: str(most or deepest)}
    return TableResult("lexicon", merged.replace_schema_metadata(notes), mark)
