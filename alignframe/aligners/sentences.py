"""Scores of sentence pairs by the probabilities of their links."""

from __future__ import annotations

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.links.probabilities import long_links, weighed_source
from alignframe.sources.pairs import sentence_pairs
from alignframe.typing import IntoBitext, IntoLinks

_PAIR = ("system", "sid")


def sentence_scores(alignments: IntoLinks, bitext: IntoBitext) -> pl.DataFrame:
    """Score each sentence pair by its links, to find pairs that are no translations.

    Parameters
    ----------
    alignments
        Links with probabilities, of one system or of several.
    bitext
        The text that was aligned: sid, src and tgt.

    Returns
    -------
    polars.DataFrame
        A row per system and sentence pair: system, sid, links, mean_probability and
        least_probability (of its links; null without links), word_probability (the mean over all
        words of both sides of the probability of their best link, 0 without one), src_words,
        tgt_words, and src_unaligned and tgt_unaligned, the shares of words without a link; null
        without words.

    Raises
    ------
    InputError
        If links have no probabilities.

    Examples
    --------
    >>> from alignframe import aligners
    >>> text = {"src": [["a", "house"]], "tgt": [["ein", "Haus"]]}
    >>> aligners.sentence_scores(["0-0:0.75 1-1:1 1-0:.5"], text).drop("system", "sid").rows()
    [(3, 0.75, 0.5, 0.875, 2, 2, 0.0, 0.0)]
    """
    given = weighed_source(alignments)
    every = long_links(given)
    named = [pc.unique(batch["system"].cast(pa.string())) for batch in given.batches()]
    systems = pl.Series("system", pa.chunked_array(named, pa.string()))
    text = pl.DataFrame(pl.from_arrow(sentence_pairs(bitext).table()))
    sizes = text.select(
        pl.col("sid").cast(pl.Int64),
        *(pl.col(side).list.len().cast(pl.Int64).alias(f"{side}_words") for side in ("src", "tgt")),
    )
    found = every.group_by(_PAIR).agg(
        links=pl.len().cast(pl.Int64),
        mean_probability=pl.col("probability").mean(),
        least_probability=pl.col("probability").min(),
    )
    rows = systems.unique(maintain_order=True).to_frame().join(sizes, how="cross")
    rows = rows.join(found, on=_PAIR, how="left", maintain_order="left")
    for side, place in (("src", "i"), ("tgt", "j")):
        of_word = every.group_by(*_PAIR, place).agg(pl.col("probability").max())
        linked = of_word.group_by(_PAIR).agg(
            pl.len().alias(f"_{side}"), pl.col("probability").sum().alias(f"_{side}_best")
        )
        rows = rows.join(linked, on=_PAIR, how="left", maintain_order="left")
    words = pl.col("src_words") + pl.col("tgt_words")
    shares = {
        f"{side}_unaligned": pl.when(pl.col(f"{side}_words") > 0).then(
            # Not 1 less the share of others, as 1 - 0.9 is not 0.1 in floating point.
            (pl.col(f"{side}_words") - pl.col(f"_{side}").fill_null(0)) / pl.col(f"{side}_words")
        )
        for side in ("src", "tgt")
    }
    best = pl.col("_src_best").fill_null(0) + pl.col("_tgt_best").fill_null(0)
    return rows.select(
        *_PAIR,
        pl.col("links").fill_null(0),
        "mean_probability",
        "least_probability",
        pl.when(words > 0).then(best / words).alias("word_probability"),
        "src_words",
        "tgt_words",
        **shares,
    )
