"""Back-off between lexicons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrow import to_table
from alignframe.core.signatures import whole_signature
from alignframe.engines.session import limited
from alignframe.errors import InputError
from alignframe.lexicon.sources import N_BEST, Lexicon, named_lexicons
from alignframe.result import TableResult
from alignframe.typing import IntoLexicon

_OWN = ("place", "lexicon")


def back_off(
    lexicons: Sequence[IntoLexicon] | Mapping[str, IntoLexicon],
    *,
    memory_limit: str | None = None,
    threads: int | None = None,
) -> TableResult:
    """Chain lexicons: each source word gets its entries from the first lexicon that has it.

    Parameters
    ----------
    lexicons
        Lexicons in order of precedence, the most precise first: a sequence, or a mapping from
        names.
    memory_limit, threads
        See ``alignframe.lexicon.evaluate``.

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
