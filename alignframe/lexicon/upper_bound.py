"""Agreement of two translations of one text, an upper bound for lexicons."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.core.arrays import F64
from alignframe.core.signatures import whole_signature
from alignframe.errors import InputError, number_of
from alignframe.lexicon.findings import student_interval
from alignframe.lexicon.sources import text_loaded
from alignframe.options import checked
from alignframe.sources.texts import word_array
from alignframe.typing import Confidence, ForInput, ForOutput, FromOne, IntoSentences, Rare

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# In one order, as sums of floats depend on it, and that of threads differs from run to run.
_SHARES = """
select
  len(list_intersect(src, tgt)) / len(list_distinct(src)) as first,
  len(list_intersect(src, tgt)) / len(list_distinct(tgt)) as second
from text
where len(src) > 0 and len(tgt) > 0
order by all
"""

_IDENTITY = """
create or replace temp view lexicon as
select word as src, word as tgt, 1 as rank from (select distinct unnest(src) as word from {text})
"""

_SWAPPED = "create temp view swapped as select tgt as src, src as tgt from text"

_SCHEMA = {
    "direction": pl.String,
    "segments": pl.Int64,
    "mean": pl.Float64,
    "sd": pl.Float64,
    "mean_low": pl.Float64,
    "mean_high": pl.Float64,
    "bible": pl.Float64,
}


@checked
def upper_bound(
    first: IntoSentences,
    second: IntoSentences,
    *,
    confidence: Confidence = 0.95,
    encoding: ForInput[str] = "utf-8",
    memory_limit: Rare[str | None] = None,
    threads: ForOutput[FromOne | None] = None,
) -> pl.DataFrame:
    """Measure how much two independent translations of one text use the same words.

    Parameters
    ----------
    first, second
        The translations by segment: text files with one segment per line (in Python, also columns
        of lists of words). Segments with an empty side are left out, with a warning.
    confidence
        Confidence level of the intervals.
    encoding
        Character encoding of text files.
    memory_limit, threads
        See ``alignframe.lexicon.score``.

    Returns
    -------
    polars.DataFrame
        One row per direction, ``first-second``, ``second-first`` and ``mean`` (of both, by
        segment): direction, segments, mean and sd (over segments, of the share of one translation's
        word types that are in the other's segment), mean_low and mean_high (its interval, by
        Student's t), bible (the precision at k = 1 of a lexicon that translates every word
        by itself) and signature. For a single segment, sd and the interval are null.

    Raises
    ------
    InputError
        If a side cannot be read, or the sides differ in their number of segments.

    Notes
    -----
    Melamed 1995, section 3: an upper bound on the internal consistency of a test text. ``mean`` is
    the paper's figure, ``bible`` that of ``alignframe.lexicon.score``.

    Examples
    --------
    >>> from alignframe import lexicon
    >>> first = [["in", "the", "beginning"], ["and", "it", "was", "so"]]
    >>> second = [["at", "the", "beginning"], ["and", "so", "it", "was"]]
    >>> found = lexicon.upper_bound(first, second)
    >>> [(way, round(mean, 3)) for way, mean in found.select("direction", "mean").rows()]
    [('first-second', 0.833), ('second-first', 0.833), ('mean', 0.833)]
    """
    sides = [
        _tokens(given, which, encoding) for given, which in ((first, "first"), (second, "second"))
    ]
    if len(sides[0]) != len(sides[1]):
        raise InputError(
            f"the first translation has {number_of(len(sides[0]), 'segment')}, the second "
            f"{len(sides[1]):,}",
            expected="the same segments in both",
        )
    table = pa.table(sides, names=["src", "tgt"])
    with text_loaded(table, memory_limit, threads, unit="segments") as connection:
        shares = connection.execute(_SHARES).fetchnumpy()
        connection.execute(_SWAPPED)
        bible = [_bible(connection, text) for text in ("text", "swapped")]
    shares_of_first, shares_of_second = (
        np.asarray(shares[name], np.float64) for name in ("first", "second")
    )
    rows = [
        _row("first-second", shares_of_first, bible[0], confidence),
        _row("second-first", shares_of_second, bible[1], confidence),
        _row("mean", (shares_of_first + shares_of_second) / 2, sum(bible) / 2, confidence),
    ]
    mark = whole_signature(
        f"metric:upper-bound|segments:nonempty|average:segments|"
        f"interval:t,confidence:{confidence:g}"
    )
    return pl.DataFrame(rows, schema=_SCHEMA).with_columns(pl.lit(mark).alias("signature"))


def _row(direction: str, shares: F64, bible: float, confidence: float) -> dict[str, object]:
    mean, low, high = student_interval(shares.tolist(), confidence)
    return {
        "direction": direction,
        "segments": shares.size,
        "mean": mean,
        "sd": float(shares.std(ddof=1)) if shares.size > 1 else None,
        "mean_low": low,
        "mean_high": high,
        "bible": bible,
    }


def _bible(connection: DuckDBPyConnection, text: str) -> float:
    """Return the precision of the identity lexicon between the sides of a text."""
    connection.execute(_IDENTITY.format(text=text))
    ((precision,),) = connection.execute(
        "select precision from bible('lexicon', $text, 1)", {"text": text}
    ).fetchall()
    return float(precision)


def _tokens(given: object, which: str, encoding: str) -> pa.Array:
    """Return a side as lists of words."""
    column = word_array(given, f"the {which} translation", encoding, checked=False)
    if not len(column):
        raise InputError(f"the {which} translation has no segments", expected="at least one")
    return column
