"""Filtering line-parallel text: CPU seconds, memory and accuracy, compared with lengths alone."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.memory import apart
from benchmarks.timing import show
from datasets import synthetic

_WRONG = 0.2
"""The share of target lines that are shuffled."""

_START = """
import sys, time
import numpy as np
import pyarrow as pa
pa.set_cpu_count(1)
from scipy.optimize import minimize
from scipy.stats import rankdata
from alignframe.beads import filter
from benchmarks.memory import peak_mb
src, tgt, wrong = sys.argv[1:]
wrong = np.load(wrong)
"""

_CLASSIFIER = """
few = [f"a {n} b {n % 7}" for n in range(100)]
filter(few, [f"c {n} d {n % 7}" for n in range(100)])
cpu = time.process_time()
score = filter(src, tgt).lines["score"].to_numpy()
"""

_LENGTHS = """
cpu = time.process_time()
sides = [open(path, encoding="utf-8").read().splitlines() for path in (src, tgt)]
sizes = [np.array([(len(line), line.count(" ") + 1) for line in side]) for side in sides]
def inputs(one, other):
    ratios = np.log((one + 1) / (other + 1))
    return np.column_stack([abs(ratios - np.median(ratios, axis=0)), np.ones(len(one))])
right = inputs(*sizes)
noise = inputs(sizes[0], np.random.default_rng(1).permutation(sizes[1]))
signed = np.concatenate([right, -noise])
def loss(slopes):
    margins = signed @ slopes
    return np.logaddexp(0, -margins).sum(), -signed.T @ (1 / (1 + np.exp(margins)))
score = right @ minimize(loss, np.zeros(3), jac=True).x
"""

_END = """
cpu = time.process_time() - cpu
ranks, n = rankdata(score), (~wrong).sum()
print(cpu, peak_mb(), (ranks[~wrong].sum() - n * (n + 1) / 2) / (n * wrong.sum()))
"""


def growth(folder: Path, sizes: tuple[int, ...]) -> None:
    """Filter texts of several sizes, each in a separate process.

    The baseline is a logistic regression on the ratios of characters and of words, trained on
    shuffled lines.
    """
    rows = []
    for lines in sizes:
        batch = synthetic.text(0, lines)
        texts = [
            pc.binary_join(batch.column(side).cast(pa.list_(pa.string())), " ")
            for side in ("src", "tgt")
        ]
        rng = np.random.default_rng(lines)
        order = np.arange(lines)
        moved = np.flatnonzero(rng.random(lines) < _WRONG)
        order[moved] = np.roll(moved, 1)
        texts[1] = texts[1].take(pa.array(order))
        paths = [folder / name for name in ("src", "tgt", "wrong.npy")]
        for path, side in zip(paths, texts, strict=False):
            path.write_text("".join(f"{line}\n" for line in side.to_pylist()), "utf-8")
        np.save(paths[2], order != np.arange(lines))
        for name, program in (("beads filter", _CLASSIFIER), ("lengths alone", _LENGTHS)):
            cpu, peak, area = apart(_START + program + _END, *paths)
            rows.append([name, f"{lines:,}", f"{cpu:.2f}", f"{peak:,.0f}", f"{area:.3f}"])
    show(
        f"Filter, {_WRONG:.0%} of the target lines shuffled, one core",
        ["", "lines", "CPU s", "peak MB", "AUC"],
        rows,
    )


def main(*, small: bool = False) -> None:
    """Run all sizes, or with ``small`` a tenth of the text."""
    with tempfile.TemporaryDirectory() as draft:
        growth(Path(draft), (10_000,) if small else (10_000, 100_000))


if __name__ == "__main__":
    pa.set_cpu_count(1)
    main(small="--small" in sys.argv)
