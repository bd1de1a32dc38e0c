"""Signatures of human rankings: language pair, number and digest."""

from __future__ import annotations

import hashlib
from os import PathLike

import polars as pl
import pyarrow as pa

from alignframe.core.schemas import SIGNATURE
from alignframe.read.tables import stored_signature
from alignframe.typing import IntoFrame

_PAIR = "pair:"
ROW = ("ranking", "sid", "system", "rank")
"""The columns of a ranked translation."""


def signature_of_rankings(table: pa.Table, pair: str | None = None) -> str:
    """Return the language pair, if known, the number of rankings, and a digest of them."""
    pair = pair or pair_of(table)
    frame = pl.DataFrame(pl.from_arrow(table.select(ROW)))
    rows = frame.with_columns(pl.col("system").cast(pl.String)).sort("ranking", "system")
    digest = hashlib.blake2b(rows.write_csv().encode(), digest_size=4).hexdigest()
    about = f"rankings:{frame['ranking'].n_unique()},table:{digest}"
    return about if pair is None else f"{_PAIR}{pair}|{about}"


def pair_of(table: pa.Table) -> str | None:
    """Return the language pair of a table from ``load_rankings``, if known."""
    return _pair_in(signature_in(table))


def signature_in(table: pa.Table) -> str:
    """Return the signature in a table of rankings, or an empty one."""
    return str((table.schema.metadata or {}).get(SIGNATURE.encode(), b"").decode())


def _pair_in(signature: str) -> str | None:
    parts = [part for part in signature.split("|") if part.startswith(_PAIR)]
    return parts[0].removeprefix(_PAIR) if parts else None


def stored_pair(source: IntoFrame) -> str | None:
    """Return the language pair in the metadata of a Parquet file of rankings."""
    return _pair_in(stored_signature(source)) if isinstance(source, (str, PathLike)) else None
