"""Sentence lengths from a text, and links outside them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pyarrow as pa

from alignframe.core.arrays import I64, Links, frozen
from alignframe.core.arrow import require_columns
from alignframe.core.keys import sentence_column
from alignframe.core.tokens import SIDES, list_lengths
from alignframe.errors import InputError, sentence_name
from alignframe.formats.raw import raw_sides, words_hint
from alignframe.formats.rows import DROP_HINT, ORDER_HINT, outside_range
from alignframe.kernels.ragged import locate
from alignframe.read.parquet import ParquetFiles
from alignframe.sources.pairs import sentence_pairs


def text_held(given: object) -> Text | None:
    """Return the numbers of words of a text, if there is one; those of two places are kept."""
    if given is None or isinstance(given, Text):
        return given
    return _held(given) if isinstance(given, ParquetFiles) else Text(given)


@lru_cache(maxsize=2)
def _held(files: ParquetFiles) -> Text:
    return Text(files)


class Text:
    """The numbers of words of every sentence pair of a bitext; words are not kept."""

    def __init__(self, bitext: object) -> None:
        sids: list[I64] = []
        lengths: list[I64] = []
        self.hint = ""
        given = sentence_pairs(bitext)
        require_columns(given.schema, ["sid"], "the text")
        for batch in given.batches():
            if not sids:
                raw = raw_sides([batch.column(side) for side in SIDES])
                self.hint = words_hint(raw, given.frame)
            sids.append(sentence_column(batch))
            lengths.append(np.stack([list_lengths(batch.column(side)) for side in SIDES]))
        sid = np.concatenate([np.zeros(0, np.int64), *sids])
        order = np.argsort(sid, kind="stable")
        self.sid = frozen(sid[order])
        self.lengths = np.concatenate([np.zeros((2, 0), np.int64), *lengths], axis=1)[:, order]

    def lengths_of(self, sid: I64, name: str) -> I64:
        """Return the numbers of source and target words of sentences, shape (2, sentences)."""
        places = locate(sid, self.sid)
        if (places < 0).any():
            absent = sentence_name(sid[(places < 0).argmax()])
            raise InputError(
                f"the text has no sentence {absent}, which {name} has",
                expected=f"the text of every sentence of {name}",
            )
        lengths = self.lengths[:, places]
        if (np.diff(self.sid) == 0).any():
            raise InputError(
                "the text has a sentence twice", expected="src and tgt of every sentence, once"
            )
        return lengths


def system_of(batch: pa.RecordBatch) -> str:
    """Return the name of a batch's system for errors."""
    names = batch.column("system").dictionary
    return str(names[0]) if len(names) == 1 else "a hypothesis"


def refuse_outside(
    links: Links,
    sid: I64,
    lengths: Sequence[I64] | I64,
    name: str,
    *,
    droppable: bool = False,
    past: int = 0,
    hint: str = "",
) -> None:
    """Raise an InputError if a link is outside its sentence pair, where it might be left out.

    With ``past`` 1, the place after the last word is inside. ``hint`` is advice on the text.
    """
    outside = outside_range(links, sid, lengths[0], lengths[1], past)
    if outside:
        raise InputError(
            f"sentence {sentence_name(outside[0])} of {name}: {outside[1]}",
            todo="; or ".join(filter(None, (hint, ORDER_HINT, DROP_HINT if droppable else ""))),
        )
