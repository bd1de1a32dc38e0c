"""The columns that identify a row: its system and the number of its sentence."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.core.arrays import I64, frozen
from alignframe.core.schemas import SYSTEM, UNNAMED
from alignframe.errors import InputError, number_of, sentence_name


def system_column(batch: pa.RecordBatch, name: str | None) -> pa.DictionaryArray:
    """Return the systems of a batch, dictionary-encoded; ``name`` is that of one without them."""
    if "system" not in batch.schema.names or pa.types.is_null(batch.schema.field("system").type):
        codes = pa.array(np.zeros(batch.num_rows, np.int32))
        return pa.DictionaryArray.from_arrays(codes, pa.array([name or UNNAMED]))
    column = batch.column("system")
    if pa.types.is_dictionary(column.type):
        words = column.dictionary
        if not column.null_count and not words.null_count and len(words.unique()) == len(words):
            return column.cast(SYSTEM)
        column = words.take(column.indices)
    if column.null_count:
        raise _null_system(column.is_null(), batch)
    return column.cast(pa.string()).dictionary_encode().cast(SYSTEM)


def _null_system(missing: pa.Array, batch: pa.RecordBatch) -> InputError:
    """Return the error for rows without a system."""
    at = pc.index(missing, True).as_py()
    named = ""
    if "sid" in batch.schema.names:
        named = f", the first of sentence {sentence_name(sentence_column(batch)[at])}"
    return InputError(
        f"null system in {missing.true_count:,} of {number_of(batch.num_rows, 'row')}{named}",
        expected="the name of its system in each row, or no column system",
        todo="name it, as with coalesce(system, 'a'), or filter: where system is not null",
    )


def type_of(column: pa.Array) -> str:
    """Return the type of a column and the number of its missing values, in words."""
    some = f" with {number_of(column.null_count, 'missing value')}" * bool(column.null_count)
    return f"type {column.type}{some}"


def sentence_column(batch: pa.RecordBatch) -> I64:
    """Return the sentence numbers of a batch; decimals and large numbers if they fit."""
    column = batch.column("sid")
    whole = pa.types.is_integer(column.type) or pa.types.is_decimal(column.type)
    if column.null_count or not whole:
        raise InputError(
            f"a column sid of {type_of(column)}",
            expected="a whole number for every sentence",
        )
    if column.type != pa.int64():
        try:
            column = column.cast(pa.int64())
        except pa.ArrowInvalid:
            most = np.iinfo(np.int64).max
            odd = next(sid for sid in column.to_pylist() if sid != int(sid) or abs(sid) > most)
            raise InputError(
                f"the sid {odd} of {type_of(column)}",
                expected=f"whole numbers up to {most:,}",
                todo="number the sentences, or halve the hashes",
            ) from None
    return frozen(column.to_numpy())


def check_distinct(sids: Iterable[I64], what: str) -> None:
    """Raise an InputError if a sentence number occurs twice in the batches of ``what``."""
    sid = np.concatenate([np.zeros(0, np.int64), *sids])
    if (sid[1:] > sid[:-1]).all():
        return
    sid.sort()
    twice = sid[1:][sid[1:] == sid[:-1]]
    if twice.size:
        raise InputError(
            f"{what} has sentence {twice[0]} more than once",
            expected="each sid once",
            todo="renumber the sentences",
        )
