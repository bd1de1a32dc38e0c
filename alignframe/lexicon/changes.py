"""Words whose best translation differs between lexicons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import polars as pl

from alignframe.core.signatures import whole_signature
from alignframe.engines.session import few_rows, limited, unchecked
from alignframe.errors import InputError, number_of
from alignframe.lexicon.sources import load_text, named_lexicons
from alignframe.options import checked
from alignframe.typing import ForOutput, FromOne, IntoBitext, IntoLexicon, Rare

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_CHANGED = """
create or replace temp table changed as select * from changed_words('lexicon', 'baseline');
create or replace temp view best_before as select src, before as tgt, 1 as rank from changed;
create or replace temp view best_after as select src, after as tgt, 1 as rank from changed;
"""
_JUDGED = """
with
_hits as (
  select 'before' as time, src, pairs, hits from hit_rates('best_before', 'text', 1) where known
  union all
  select 'after', src, pairs, hits from hit_rates('best_after', 'text', 1) where known
)
select
  changed.*,
  coalesce(max(_hits.pairs), 0) as pairs,
  coalesce(max(_hits.hits) filter (_hits.time = 'before'), 0) as before_hits,
  coalesce(max(_hits.hits) filter (_hits.time = 'after'), 0) as after_hits
from changed
left join _hits using (src)
group by all
order by abs(after_hits - before_hits) desc, pairs desc, src
"""


@checked
def changes(
    lexicons: Mapping[str, IntoLexicon],
    bitext: IntoBitext | None = None,
    *,
    memory_limit: Rare[str | None] = None,
    threads: ForOutput[FromOne | None] = None,
) -> pl.DataFrame:
    """List the words whose best translation differs from that in the first lexicon.

    Parameters
    ----------
    lexicons
        Two or more lexicons by name; the first is the baseline, for example the one without
        filters.
    bitext
        A test text in which to count both translations; see ``alignframe.lexicon.score``.
    memory_limit, threads
        See ``alignframe.lexicon.score``.

    Returns
    -------
    polars.DataFrame
        One row per lexicon other than the first and word with a different best translation in it:
        lexicon, baseline, src, before and after (the two translations), before_place (the old one's
        rank in this lexicon; null if gone), after_place (the new one's rank in the baseline; null
        if new), before_list and after_list (all translations, best first). With a text also pairs
        (test pairs with the word), before_hits and after_hits (those whose other half has the
        translation); words with the largest difference in these come first.

    Raises
    ------
    InputError
        If there are fewer than two lexicons, or a source cannot be read.

    Notes
    -----
    Melamed 1995, tables 1, 3 and 4.

    Examples
    --------
    >>> import polars as pl
    >>> from alignframe import lexicon
    >>> old, new = (
    ...     pl.DataFrame({"src": ["a", "book"], "tgt": tgt, "rank": [1, 1]})
    ...     for tgt in (["ein", "das"], ["ein", "Buch"])
    ... )
    >>> lexicon.changes({"old": old, "new": new}).select("src", "before", "after").rows()
    [('book', 'das', 'Buch')]
    """
    if isinstance(lexicons, Mapping) and len(lexicons) < 2:
        raise InputError(
            number_of(len(lexicons), "lexicon"), expected="a baseline and one or more others"
        )
    given = named_lexicons(lexicons)
    baseline, *others = given
    parts = []
    with (
        limited(["lexicon", "lexicon_joined"], memory_limit, threads) as connection,
        unchecked(connection, "pair_rows", "lexicon_rows"),
    ):
        if bitext is not None:
            load_text(connection, bitext)
        connection.register("baseline", given[baseline].table)
        for name in others:
            connection.register("lexicon", given[name].table)
            changed = _changed(connection, judged=bitext is not None)
            names = pl.lit(name).alias("lexicon"), pl.lit(baseline).alias("baseline")
            parts.append(changed.select(*names, pl.all()))
    return pl.concat(parts)


def changes_signature(lexicons: Iterable[str]) -> str:
    """Return the signature of changes between lexicons with these names, baseline first."""
    return whole_signature(f"lexicon:changes|order:{','.join(lexicons)}")


def _changed(connection: DuckDBPyConnection, *, judged: bool) -> pl.DataFrame:
    connection.execute(_CHANGED)
    sql = _JUDGED if judged else "select * from changed order by src"
    return few_rows(connection, sql)
