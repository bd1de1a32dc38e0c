"""Sentence lengths from a text, and links outside them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.arrays import I64
from alignframe.arrow import require_columns, sentence_column, to_tokens
from alignframe.errors import InputError
from alignframe.formats.rows import ORDER_HINT, outside_range
from alignframe.kernels.ragged import Links, frozen, locate
from alignframe.sources import Bitext
from alignframe.tokens import SIDES


class Text:
    """The numbers of words of every sentence pair of a bitext; words are not kept."""

    def __init__(self, bitext: Any) -> None:
        sids, lengths = [], []
        given = Bitext(bitext)
        require_columns(given.schema, ["sid"], given.what)
        for batch in given.batches(["sid", *SIDES]):
            sids.append(sentence_column(batch))
            lengths.append(np.stack([_lengths(batch, side) for side in SIDES]))
        sid = np.concatenate([np.zeros(0, np.int64), *sids])
        order = np.argsort(sid, kind="stable")
        self.sid = frozen(sid[order])
        self.lengths = np.concatenate([np.zeros((2, 0), np.int64), *lengths], axis=1)[:, order]

    def lengths_of(self, sid: I64, name: str) -> I64:
        """Return the numbers of source and target words of sentences, shape (2, sentences)."""
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


def _lengths(batch: pa.RecordBatch, side: str) -> I64:
    """Return the sentence lengths of a side; raise an InputError if one is null."""
    column = batch.column(side)
    if column.flatten().null_count:
        rows = pc.list_parent_indices(column).filter(column.flatten().is_null())
        raise InputError(
            f"sentence {sentence_column(batch)[rows[0].as_py()]} of the text has a missing word in "
            f"{side}",
            expected="every word",
        )
    return to_tokens(column)


def refuse_outside(links: Links, sid: I64, lengths: I64, name: str) -> None:
    """Raise an InputError if a link is outside its sentence pair."""
    outside = outside_range(links, sid, *lengths)
    if outside:
        raise InputError(
            f"sentence {outside[0]} of {name}: {outside[1]}",
            todo=ORDER_HINT,
        )
