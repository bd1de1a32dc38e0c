"""Words with tags, and perhaps lemmas, in columns of a table, as a column of tokens."""

from __future__ import annotations

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.core.arrays import I64
from alignframe.core.arrow import as_array, is_list, refuse_missing
from alignframe.core.tokens import list_lengths
from alignframe.errors import InputError
from alignframe.read.columns import plain_type

TAGGED = {"words": "word", "tags": "tag", "lemmas": "lemma"}
"""The columns of sentences, and their fields in tokens."""
PLAIN = pl.CompatLevel.oldest()
"""Columns of frames without views, which many functions of Arrow do not take."""


def with_tokens(table: pa.Table) -> pa.Table:
    """Return a table with words and tags, and perhaps lemmas, as tokens; unless it has text."""
    names = [name for name in TAGGED if name in table.column_names]
    if "text" in table.column_names or "words" not in names:
        return table
    columns = {name: as_array(table[name]) for name in names}
    sizes: I64 | None = None
    for name, column in columns.items():
        if not is_list(column.type):
            raise InputError(
                f"a column {name} of type {plain_type(column.type)}",
                expected="lists of texts",
            )
        refuse_missing(column, f"the column {name}")
        own = list_lengths(column)
        sizes = own if sizes is None else sizes
        if not np.array_equal(sizes, own):
            row = int(np.flatnonzero(sizes != own)[0])
            raise InputError(
                f"sentence {row} (counted from 0) has {sizes[row]} words and {own[row]} {name}",
                expected="the same number",
            )
    if "tags" not in names or sizes is None:
        return table
    offsets = np.append(0, np.cumsum(sizes)).astype(np.int32)
    parts = [column.flatten().cast(pa.string()) for column in columns.values()]
    structs = pa.StructArray.from_arrays(parts, [TAGGED[name] for name in names])
    tokens = pa.ListArray.from_arrays(pa.array(offsets), structs)
    return table.drop_columns([*names, *{"tokens"} & set(table.column_names)]).append_column(
        "tokens", tokens
    )
