"""The lengths of sentences, known from their text, and links that do not fit them."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.arrow import require_columns, sentence_column, to_reader, to_tokens
from alignframe.errors import InputError
from alignframe.formats.rows import outside_range
from alignframe.kernels.ragged import Links, frozen, locate
from alignframe.parquet import ParquetFiles


class Text:
    """The numbers of words of every sentence pair of a bitext.

    Parameters
    ----------
    bitext
        A frame with sid, src and tgt, or a path of Parquet with those columns. Words are not kept.

    Raises
    ------
    InputError
        If a column is missing.
    """

    def __init__(self, bitext: Any) -> None:
        sids, lengths = [], []
        for batch in _batches(bitext):
            sids.append(sentence_column(batch))
            lengths.append(np.stack([_lengths(batch, side) for side in ("src", "tgt")]))
        sid = np.concatenate([np.zeros(0, np.int64), *sids])
        order = np.argsort(sid, kind="stable")
        self.sid = frozen(sid[order])
        self.lengths = np.concatenate([np.zeros((2, 0), np.int64), *lengths], axis=1)[:, order]

    def lengths_of(self, sid: npt.NDArray[np.int64], name: str) -> npt.NDArray[np.int64]:
        """Return the numbers of source and target words of sentences, shape (2, sentences).

        Raises
        ------
        InputError
            If the text lacks a sentence that ``name`` has, has one twice, or one without words.
        """
        found = locate(sid, self.sid)
        if (found < 0).any():
            raise InputError(
                f"the text has no sentence {sid[int((found < 0).argmax())]}, which {name} has",
                expected=f"the text of every sentence of {name}",
            )
        lengths = self.lengths[:, found]
        twice = (np.diff(self.sid) == 0).any()
        if twice or (lengths < 0).any():
            what = "a sentence twice" if twice else "a sentence without words"
            raise InputError(f"the text has {what}", expected="src and tgt of every sentence, once")
        return lengths


def _lengths(batch: pa.RecordBatch, side: str) -> npt.NDArray[np.int64]:
    """Return the numbers of words of a side; an InputError if it is no text."""
    column = batch.column(side)
    if not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)):
        raise InputError(
            f"a column {side} of the type {column.type}", expected="a list of words a sentence"
        )
    if column.flatten().null_count:
        rows = pc.list_parent_indices(column).filter(column.flatten().is_null())
        raise InputError(
            f"sentence {sentence_column(batch)[rows[0].as_py()]} of the text has a missing word in "
            f"{side}",
            expected="every word",
        )
    return to_tokens(column)


def _batches(bitext: Any) -> Iterator[pa.RecordBatch]:
    wanted = ["sid", "src", "tgt"]
    if isinstance(bitext, (str, PathLike)):
        files = ParquetFiles(bitext)
        require_columns(files.schema, wanted, "the text")
        yield from files.batches(wanted)
        return
    reader = to_reader(bitext.to_reader() if isinstance(bitext, pa.Table) else bitext)
    require_columns(reader.schema, wanted, "the text")
    yield from reader


def refuse_outside(
    links: Links, sid: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64], name: str
) -> None:
    """Raise an InputError if a link lies outside its sentence pair."""
    outside = outside_range(links, sid, *lengths)
    if outside:
        raise InputError(
            f"sentence {outside[0]} of {name}: {outside[1]}",
            todo="check that the text belongs to the links, and which side they name first",
        )
