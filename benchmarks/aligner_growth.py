"""Word alignment of a million sentence pairs: CPU seconds, memory and AER, compared with eflomal.

``python -m benchmarks.aligner_growth [PAIRS]`` repeats a text up to this many pairs. In every copy
some of the rare words are renamed, so that the vocabulary grows as in real text (Heaps' law). With
``--peers``, eflomal aligns the same text, if it is on the PATH.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from alignframe import formats, links
from benchmarks.aligners import _DIRECTIONS, _aer, sample
from benchmarks.memory import apart
from benchmarks.timing import show

_MEASURE = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
"""
"""A program that prints a command's CPU seconds, and the memory of its largest process in MB."""


def grown(words: pl.Series, pairs: int) -> pl.Series:
    """Repeat sentences (lists of words), with a vocabulary as large as that of real text.

    The exponent of Heaps' law is estimated from the first half of the text and the whole text. In
    every copy, as many of the rarest words as the law requires are renamed.
    """
    counts = words.explode().value_counts(sort=True)
    half = words.head(len(words) // 2).explode().n_unique()
    exponent = np.log2(counts.height / half)
    names = counts[words.name]
    copies = []
    for copy in range(-(-pairs // len(words))):
        new = 0
        if copy:
            new = round(counts.height * ((copy + 1) ** exponent - copy**exponent))
        renamed = names.tail(min(new, counts.height))
        own = words.explode().replace(renamed, renamed + f"~{copy}")
        lengths = words.list.len()
        row = pl.Series(np.repeat(np.arange(len(words)), lengths.to_numpy()))
        frame = pl.DataFrame({"row": row, "word": own})
        copies.append(frame.group_by("row", maintain_order=True).agg("word")["word"])
    return pl.concat(copies).head(pairs)


def write(folder: Path, pairs: int) -> pl.DataFrame:
    """Write the text as ``src`` and ``tgt``, shuffled, and return the gold links of its lines."""
    given = sample(200_000)
    text = pl.DataFrame(given.text)
    order = np.random.default_rng(1).permutation(pairs)
    types = []
    for side in ("src", "tgt"):
        lines = grown(text[side], pairs)
        types.append(lines.explode().n_unique())
        lines.gather(order).list.join(" ").to_frame().write_csv(
            folder / side, include_header=False, quote_style="never"
        )
    print(f"{pairs:,} pairs of {given.name}: {types[0]:,} and {types[1]:,} types")
    place = pl.DataFrame({"copied": order, "sid": np.arange(pairs)}).select(
        pl.all().cast(pl.UInt32)
    )
    gold = pl.DataFrame(given.gold).rename({"sid": "copied"})
    gold = gold.with_columns(pl.col("copied").cast(pl.UInt32)).join(place, on="copied")
    return gold.drop("copied").select("sid", pl.exclude("sid")).sort("sid")


def main(pairs: int, *, peers: bool) -> None:
    """Align the text with the default aligner from the shell, and optionally with eflomal."""
    commands = {
        "alignframe align": f"{sys.executable} -m alignframe align src tgt -o joined.talp"
        " --symmetrize grow-diag-final-and"
    }
    if peers:
        commands["eflomal"] = (
            "eflomal-align --overwrite -s src -t tgt -f forward.talp -r reverse.talp"
        )
    rows = []
    with tempfile.TemporaryDirectory() as draft:
        folder = Path(draft)
        gold = write(folder, pairs)
        for name, command in commands.items():
            cpu, memory = apart(_MEASURE, *command.split(), folder=folder)
            if name == "eflomal":
                sides = (formats.read(folder / f"{side}.talp") for side in _DIRECTIONS)
                found = links.symmetrize(next(sides), next(sides), "grow-diag-final-and")
            else:
                found = pl.DataFrame(formats.read(folder / "joined.talp"))
            aer = _aer(found, gold.to_arrow())
            rows.append([name, f"{aer:.4f}", f"{cpu:.0f}", f"{memory:,.0f}"])
    show(f"{pairs:,} pairs, both directions, grow-diag-final-and", ["", "AER", "CPU s", "MB"], rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", type=int, nargs="?", default=1_000_000)
    parser.add_argument("--peers", action="store_true")
    given = parser.parse_args()
    main(given.pairs, peers=given.peers)
