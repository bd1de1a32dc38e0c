"""External scores for alignments of varying quality without translation systems.

The scores of phrase pairs depend on gold; the held-out score does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl
from fraser_marcu import dictionary_f

from alignframe import formats

SMOOTHING = tuple(step / 40 for step in range(1, 40))
"""Weights of a word's frequency in the bitext to try for its probability."""


def gold_links(homes: Mapping[str, Path], methods: Iterable[str]) -> pl.DataFrame:
    """Return the links of the gold text: system (one per model, run and piece), sid and links."""
    kept = tuple(f".{method}.parquet" for method in methods)
    return pl.concat(
        pl.read_parquet(path).with_columns(
            system=pl.lit(f"{model}.") + pl.col("system").cast(pl.String)
        )
        for model, home in homes.items()
        for path in sorted((home / "gold").glob("*.parquet"))
        if path.name.endswith(kept)
    )


def without_piece() -> pl.Expr:
    """Return the name of a run, such as ``hmm.1-16.refined``, given that of a piece's system."""
    return pl.col("system").str.replace(r"\.\d+$", "")


def phrases_f(found: pl.DataFrame, golden: Any, words: Any, name: str) -> pl.DataFrame:
    """Return F of a phrase dictionary of the gold text in percent, averaged over pieces."""
    pieces = dictionary_f(found, golden, words, name)
    return pieces.group_by(without_piece(), maintain_order=True).agg(pl.col("score").mean())


def held_out(
    homes: Mapping[str, Path], methods: Iterable[str], text: Any, test: Any
) -> pl.DataFrame:
    """Return how well word translations estimated from the bitext's links predict another text.

    The probability of a target word is the mean of p(t|s) over the source words, interpolated with
    the word's frequency; p(t|s) is the share of t among the links of s. The score is the log
    probability of the second half of ``test`` in bits per word, averaged over both directions. The
    interpolation weight is the best one for the first half, so that each alignment is used as well
    as possible. A word missing from the bitext counts as seen once.
    """
    sides = {name: _words(text, name) for name in ("src", "tgt")}
    ways = [_Way(sides, test, *names) for names in (("src", "tgt"), ("tgt", "src"))]
    rows = []
    for model, home in homes.items():
        for method in methods:
            for path in sorted((home / "alignments").glob(f"*.{method}.talp")):
                pairs = _linked(formats.read(path, "pharaoh", base=0), sides)
                bits = [way.bits(pairs) for way in ways]
                rows.append({"system": f"{model}.{path.stem}", "score": sum(bits) / len(bits)})
    return pl.DataFrame(rows)


def _words(text: Any, side: str) -> pl.DataFrame:
    """Return the words of a side, one per row, with the row of the text."""
    frame = pl.DataFrame(pl.from_arrow(text)).select(word=side).with_row_index("row")
    return frame.explode("word", empty_as_null=False)


def _linked(table: Any, sides: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Return the words of every link, as src and tgt."""
    frame = pl.DataFrame(pl.from_arrow(table)).select("links").with_row_index("row")
    found = frame.explode("links", empty_as_null=False).unnest("links")
    columns = {}
    for side, place in (("src", "i"), ("tgt", "j")):
        rows = sides[side]["row"]
        starts = rows.search_sorted(found["row"])
        at = starts.cast(pl.Int64) + found[place].cast(pl.Int64)
        columns[side] = sides[side]["word"].gather(at)
    return pl.DataFrame(columns)


class _Way:
    """One direction: all word pairs of the test text, and the frequencies of its target words."""

    def __init__(self, sides: Mapping[str, pl.DataFrame], test: Any, src: str, tgt: str) -> None:
        self.names = (src, tgt)
        met = sides[tgt].group_by("word").len()
        given = _words(test, src).rename({"word": src})
        wanted = _words(test, tgt).rename({"word": tgt}).with_row_index("at")
        self.wanted = wanted.join(met, left_on=tgt, right_on="word", how="left").select(
            "at",
            plain=pl.col("len").fill_null(1) / sides[tgt].height,
            tuned=pl.col("row") < len(test) // 2,
        )
        self.pairs = wanted.join(given, on="row").select(
            "at", src, tgt, share=1 / pl.len().over("at")
        )

    def bits(self, linked: pl.DataFrame) -> float:
        """Return the log probability of the second half, in bits per word."""
        src, tgt = self.names
        table = linked.group_by(src, tgt).len()
        table = table.select(src, tgt, p=pl.col("len") / pl.col("len").sum().over(src))
        found = self.pairs.join(table, on=[src, tgt]).group_by("at")
        likely = found.agg(p=(pl.col("p") * pl.col("share")).sum())
        words = self.wanted.join(likely, on="at", how="left")
        tried = [
            ((1 - share) * pl.col("p").fill_null(0) + share * pl.col("plain")).log(2).mean()
            for share in SMOOTHING
        ]
        halves = (
            words.filter(half).select(bits=pl.concat_list(tried))["bits"][0]
            for half in (pl.col("tuned"), ~pl.col("tuned"))
        )
        first, second = halves
        return float(second[first.arg_max()])
