"""Word alignment of small texts of several kinds, with eflomal and fast_align if installed.

``python -m benchmarks.aligner_texts`` takes three minutes, or ten with eflomal.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import polars as pl
import pyarrow as pa

from alignframe import formats
from benchmarks.aligners import Sample, peers, sample, together
from benchmarks.links import CORPORA
from benchmarks.timing import show

_SIZES = (0, 500, 4_000, 30_000)
"""Numbers of Europarl pairs that are added to the stories for training."""

_PARLIAMENT = 2_817
"""Number of lines before Europarl begins (Hansards)."""


def texts() -> Iterator[Sample]:
    """Yield gold sets without other text, and the stories with growing amounts of other text."""
    home = CORPORA / "gold-roen-jaen-zhen"
    for pair in ("roen", "jaen", "zhen"):
        text = _lower(formats.read_bitext(home / f"{pair}.src-tgt"))
        known = formats.read(home / f"{pair}.gold", base=1)
        yield Sample(_text(text), known, f"{pair[:2]}-{pair[2:]}, {text.height}", False)
    stories, gold = _stories()
    parliament = pl.DataFrame(pl.from_arrow(sample(_PARLIAMENT + max(_SIZES)).text))
    europarl = parliament.slice(_PARLIAMENT).select(src="tgt", tgt="src")  # French first
    for size in _SIZES:
        text = pl.concat([stories, europarl[:size]])
        yield Sample(_text(text), gold, f"stories, {text.height:,}", False)


def _stories() -> tuple[pl.DataFrame, pa.Table]:
    """Return the five stories, and their links."""
    found, known = [], []
    for path in sorted((CORPORA / "alibi-enfr").glob("*/ali_w2w_*.txt")):
        sides = path.stem.removeprefix("ali_w2w_").split("_")
        lines = [
            (path.parent / f"{side}_sents.txt").read_text("utf-8").splitlines() for side in sides
        ]
        words = [[line.partition("\t")[2].split() for line in side] for side in lines]
        found.append(_lower(pl.DataFrame({"src": words[0], "tgt": words[1]})))
        known.append(pl.DataFrame(pl.from_arrow(formats.read(path))))
    gold = pl.concat(known).with_columns(sid=pl.int_range(pl.len(), dtype=pl.Int64))
    return pl.concat(found), gold.to_arrow()


def _lower(text: pl.DataFrame | pa.Table) -> pl.DataFrame:
    lower = pl.element().str.to_lowercase()
    return pl.DataFrame(text).select(pl.col("src", "tgt").list.eval(lower))


def _text(text: pl.DataFrame) -> pa.Table:
    return text.with_columns(sid=pl.int_range(pl.len(), dtype=pl.Int64)).to_arrow()


def main() -> None:
    """Train on each text alone, in both directions."""
    if not (CORPORA / "alibi-enfr").is_dir():
        print("left out: aligners on small texts (no corpora)")
        return
    rows = []
    for given in texts():
        found = [[kind, *together(given, kind)] for kind in ("hmm", "bayes")]
        rows += [[given.name, *row] for row in [*found, *peers(given)]]
    heads = ["text, pairs", "", "forward", "reverse", "both", "gdfa", "CPU s"]
    show("AER of aligners on small texts, both directions, one core", heads, rows)


if __name__ == "__main__":
    pa.set_cpu_count(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        main()
