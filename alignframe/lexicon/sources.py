"""Reading and checking lexicons and texts, and loading them into DuckDB."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeGuard

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrow import as_array, is_text
from alignframe.core.schemas import LEXICON
from alignframe.core.tokens import SIDES, composed
from alignframe.engines.session import limited, unchecked
from alignframe.errors import InputError, warn, whole_number
from alignframe.lexicon.corpus import split_text
from alignframe.read.lines import BLANKS
from alignframe.sources.pairs import register, sentence_pairs
from alignframe.sources.source import is_columns
from alignframe.sources.words import lexicon_table
from alignframe.typing import Threads

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

N_BEST = b"n_best"
"""The key in a lexicon's schema metadata for the maximum number of translations per word."""

_DEPTH = 5

_NEEDED = ("src", "tgt", "rank")

# In DuckDB, `list_count` leaves out nulls, and `len` does not.
_FAULTS = """
select
  count(*),
  count(*) filter (coalesce(len(src), 0) = 0 or coalesce(len(tgt), 0) = 0),
  count(*) filter (list_count(src) < len(src) or list_count(tgt) < len(tgt)),
  count(*) filter (src is null or tgt is null)
from text
"""


@dataclass(frozen=True)
class Lexicon:
    """A checked lexicon: its name in messages, its rows, and its depth."""

    called: str
    table: pa.Table
    n_best: int


def depth_of(lexicons: Sequence[Lexicon], k: object) -> int:
    """Return ``k``: by default 5, or as many as every lexicon has; at most that."""
    if k is None:
        return min(_DEPTH, *(lexicon.n_best for lexicon in lexicons))
    depth = whole_number(k, 1, "k")
    for lexicon in lexicons:
        if depth > lexicon.n_best:
            raise InputError(
                f"`k` is {depth}, {lexicon.called} has at most {lexicon.n_best} translations per "
                f"word",
                expected=f"1 to {lexicon.n_best}",
                todo="give a lower `k`, or a lexicon with more translations",
            )
    return depth


def read_lexicon(source: object, name: str | None = None) -> Lexicon:
    """Read a lexicon and check it."""
    called = "the lexicon" if name is None else f"the lexicon {name!r}"
    table = lexicon_table(source, called, _NEEDED)
    if not table.num_rows:
        raise InputError(f"{called} has no rows", expected="one row per translation")
    for column in ("src", "tgt"):
        table = _with_text(table, column, called)
    if not pa.types.is_integer(table.schema.field("rank").type):
        raise InputError(
            f"the ranks of {called} are of type {table.schema.field('rank').type}",
            expected="whole numbers from 1",
        )
    for field in LEXICON:
        at = table.schema.get_field_index(field.name)
        if at >= 0:
            try:
                column = table.column(at).cast(field.type)
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
                raise InputError(f"the column {field.name} of {called}: {error}") from None
            table = table.set_column(at, field.name, column)
    frame = pl.DataFrame(pl.from_arrow(table.select(_NEEDED)))
    _check_rows(frame, called)
    return Lexicon(called, table, _depth_of(table, frame, called))


def are_named(source: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether a source is a mapping from names to lexicons, not a dict of columns."""
    return isinstance(source, Mapping) and not is_columns(source, *SIDES)


def named_lexicons(source: object, *, listed: bool = False) -> dict[str, Lexicon]:
    """Read the lexicons of a mapping from names, in order; or of a list, called by their places."""
    if listed and isinstance(source, (list, tuple)):
        source = dict(enumerate(source, 1))
    if not isinstance(source, Mapping):
        raise InputError(
            f"lexicons of type {type(source).__name__}",
            expected="a list of lexicons, or " * listed + "a mapping from names to lexicons",
        )
    if not source:
        raise InputError("no lexicon given", expected="at least one")
    return {str(name): read_lexicon(lexicon, str(name)) for name, lexicon in source.items()}


def _with_text(table: pa.Table, name: str, called: str) -> pa.Table:
    """Return a table whose column ``name`` is plain text without blanks around words."""
    at = table.schema.get_field_index(name)
    column = table.column(at)
    if not is_text(column.type):
        raise InputError(f"the column {name} of {called} is of type {column.type}", expected="text")
    try:
        column.validate(full=True)
    except pa.ArrowInvalid:
        raise InputError(f"the column {name} of {called} is damaged", expected="text") from None
    words = pc.utf8_trim(as_array(column.cast(pa.string())), BLANKS)
    return table.set_column(at, name, composed(words))


def _check_rows(frame: pl.DataFrame, called: str) -> None:
    """Refuse missing values, ranks below 1, and duplicates."""
    for name in _NEEDED:
        if frame[name].null_count():
            row = frame[name].is_null().arg_true()[0] + 1
            raise InputError(f"row {row:,} of {called} has no {name}", expected="one in every row")
    low = frame.filter(pl.col("rank") < 1)
    if low.height:
        src, tgt, rank = low.row(0)
        raise InputError(
            f"{called} gives {tgt!r} as a translation of {src!r} the rank {rank}",
            expected="whole numbers from 1, starting with the best translation",
        )
    for name in ("rank", "tgt"):
        twice = frame.filter(frame.select("src", name).is_duplicated()).sort("src", name)
        if twice.height:
            what = {"rank": "translation of rank", "tgt": "translation"}[name]
            raise InputError(
                f"{called} has the {what} {twice[name][0]!r} of {twice['src'][0]!r} twice",
                expected="each rank and each translation of a word once",
            )


def _depth_of(table: pa.Table, frame: pl.DataFrame, called: str) -> int:
    """Return the N of an N-best lexicon, from its metadata or else the largest rank."""
    stored = (table.schema.metadata or {}).get(N_BEST)
    largest = int(frame["rank"].to_numpy().max())
    if stored is None:
        return largest
    if not stored.isdigit() or int(stored) < largest:
        raise InputError(
            f"the metadata n_best {stored.decode('utf-8', 'replace')!r} of {called}, whose largest "
            f"rank is {largest}",
            expected="a whole number not below that",
        )
    return int(stored)


@contextmanager
def text_loaded(
    bitext: object,
    memory_limit: str | None = None,
    threads: Threads = None,
    *,
    unit: str = "sentence pairs",
) -> Iterator[DuckDBPyConnection]:
    """Open a connection with the view ``text`` of a bitext, and macros that trust its tables."""
    with (
        limited(["lexicon"], memory_limit, threads) as connection,
        unchecked(connection, "pair_rows", "lexicon_rows"),
    ):
        load_text(connection, bitext, unit)
        yield connection


def load_text(connection: DuckDBPyConnection, bitext: object, unit: str = "sentence pairs") -> int:
    """Make the view ``text`` of a bitext; return the number of pairs with words on both sides.

    Raw text is split into words, as lexicons are induced.
    """
    register(connection, sentence_pairs(bitext), "given_text", split_text)
    connection.execute(
        "create temp view text as select src::varchar[] as src, tgt::varchar[] as tgt "
        "from given_text"
    )
    ((pairs, empty, faulty, missing),) = connection.execute(_FAULTS).fetchall()
    if faulty:
        raise InputError(
            f"{unit} of the text with a missing word: {faulty:,}", expected="every word"
        )
    if missing:
        raise InputError(
            f"{unit} of the text with a missing side: {missing:,}",
            expected="every sentence; one without words is an empty list",
        )
    if pairs == empty:
        raise InputError(
            f"none of the {pairs:,} {unit} of the text has words on both sides",
            expected="at least one",
        )
    if empty:
        warn(f"{empty:,} of {pairs:,} {unit} of the text have an empty side and are left out")
    return int(pairs - empty)


def load_lexicon(connection: DuckDBPyConnection, lexicon: Lexicon) -> None:
    """Make or replace the view ``lexicon``."""
    connection.register("lexicon", lexicon.table)
