"""The test sentences of words whose best translation changes, as a page lists them."""

from __future__ import annotations

import polars as pl

from alignframe.errors import sentence_name
from alignframe.lexicon.study import Study
from alignframe.pages.sentences import BEADS, Sentences

_EACH = 20
"""The number of sentence pairs listed of a word."""


def sentences_of_changes(study: Study) -> Sentences | None:
    """Return the first test pairs that have each word of ``changes``; None without any."""
    if study.test is None or not study.changes.height:
        return None
    words = study.changes["src"].unique(maintain_order=True)
    pairs = pl.DataFrame(study.test).select("sid", "src", "tgt")
    found = (
        pairs.with_columns(word=pl.col("src").list.unique())
        .explode("word")
        .join(pl.DataFrame({"word": words}), on="word", how="right", maintain_order="right_left")
        .group_by("word", maintain_order=True)
        .head(_EACH)
        .drop_nulls("sid")
    )
    rows = []
    for sid, src, tgt, word in found.select("sid", "src", "tgt", "word").iter_rows():
        texts = [" ".join(side) for side in (src, tgt)]
        detail = {"src": texts[:1], "tgt": texts[1:], "at": {0: [0, 0]}}
        row = {"unit": sentence_name(sid), "cells": [word, *texts], "length": len(src)}
        rows.append(row | {"detail": detail})
    return Sentences(
        BEADS,
        rows,
        heads=["Word", "Source", "Target"],
        title="Words that change, in the test text",
        counted="sentence pairs",
        first="by word",
        of=f"the words whose best translation changes, up to {_EACH} of each, in the test text",
    )
