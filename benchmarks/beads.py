"""Sentence alignment: CPU seconds and memory as texts grow, compared with NLTK and hunalign."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from alignframe.beads import align
from benchmarks.memory import apart
from benchmarks.timing import in_turn, show
from datasets import synthetic

HUNALIGN = shutil.which("hunalign")
"""The program hunalign, which pip cannot install."""

METHODS = ("gale-church", "len", "mre", "lex", "vectors")

_LOST = 0.05
"""The share of sentences left out on each side."""

_FEW = 400
"""Number of sentence pairs that NLTK can align within seconds."""

_MOST = 10_000
"""Number of sentence pairs that hunalign can align within minutes."""


class Text(NamedTuple):
    """Both sides of a text; translations have the same sentence number."""

    src: pa.Table
    tgt: pa.Table


def text(pairs: int) -> Text:
    """Return a synthetic text with translated words, and some sentences left out on each side."""
    batch = synthetic.text(0, pairs)
    rng = np.random.default_rng(pairs)
    sides = []
    for name in ("src", "tgt"):
        words = batch.column(name).cast(pa.list_(pa.string()))
        table = pa.table({"sid": batch.column("sid"), "text": pc.binary_join(words, " ")})
        sides.append(table.filter(pa.array(rng.random(pairs) >= _LOST)))
    return Text(*sides)


_ALIGN = """
import sys, time
import numpy as np
import pyarrow as pa
pa.set_cpu_count(1)
import pyarrow.parquet as pq
from alignframe.beads import align
from benchmarks.memory import peak_mb
src, tgt = (pq.read_table(path, use_threads=False) for path in sys.argv[2:])
method = sys.argv[1]
names, vectors = ("src_vectors", "tgt_vectors"), {}
if method == "vectors":
    draw = np.random.default_rng(1)
    meanings = draw.normal(size=(src["sid"].to_numpy().max() + 1, 256)).astype(np.float32)
    for name, side in zip(names, (src, tgt)):
        vectors[name] = meanings[side["sid"].to_numpy()]
        vectors[name] += draw.normal(size=vectors[name].shape).astype(np.float32)
few = src["text"][:100]
align(few, few, method, **{name: side[:100] for name, side in vectors.items()})
cpu = time.process_time()
found = align(src["text"], tgt["text"], method, **vectors)
cpu = time.process_time() - cpu
peak = peak_mb()
beads = found.to_pandas()
beads = beads[(beads.src_end - beads.src_start == 1) & (beads.tgt_end - beads.tgt_start == 1)]
one, two = (side["sid"].to_numpy() for side in (src, tgt))
right = (one[beads.src_start] == two[beads.tgt_start]).sum()
print(cpu, peak, right / max(len(beads), 1), right / len(set(one) & set(two)))
"""


def growth(folder: Path, sizes: tuple[int, ...]) -> None:
    """Align texts of several sizes, each in a separate process."""
    rows = []
    for pairs in sizes:
        given = text(pairs)
        paths = [folder / f"{name}.parquet" for name in Text._fields]
        for side, path in zip(given, paths, strict=True):
            pq.write_table(side, path)
        found = {}
        for method in METHODS:
            cpu, peak, precision, recall = apart(_ALIGN, method, *paths)
            found[method] = cpu, [f"{peak:,.0f}", f"{precision:.3f}", f"{recall:.3f}"]
        if HUNALIGN and pairs <= _MOST:
            for options in ([], ["-realign"]):
                cpu = _hunalign(given, folder, options)
                found[" ".join(["hunalign", *options])] = cpu, ["", "", ""]
        for name, (cpu, figures) in found.items():
            times = f"{cpu / found['mre'][0]:.1f}"
            rows.append([name, f"{pairs:,}", f"{cpu:.2f}", times, *figures])
    print("1-1 beads of the best path against the sentences kept on both sides")
    show(
        f"Beads, {_LOST:.0%} of each side left out, one core",
        ["", "pairs", "CPU s", "times mre", "peak MB", "precision", "recall"],
        rows,
    )


def _hunalign(given: Text, folder: Path, options: list[str]) -> float:
    """Return hunalign's CPU seconds, without a dictionary."""
    paths = [folder / f"{name}.txt" for name in (*Text._fields, "dictionary")]
    for path, side in zip(paths, given, strict=False):
        path.write_text("".join(f"{line}\n" for line in side["text"].to_pylist()), "utf-8")
    paths[2].write_text("")
    before = getrusage(RUSAGE_CHILDREN)
    command = [str(HUNALIGN), *options, str(paths[2]), str(paths[0]), str(paths[1])]
    subprocess.run(command, check=True, capture_output=True)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def nltk_gale_church(pairs: int = _FEW) -> None:
    """Run Gale & Church's aligner on a small text: ours on texts, NLTK's on lengths.

    NLTK's time grows with the square of the number of sentences.
    """
    from nltk.translate.gale_church import align_blocks

    src, tgt = (side["text"] for side in text(pairs))
    lengths = [
        pc.utf8_length(pc.replace_substring(side, " ", "")).to_pylist() for side in (src, tgt)
    ]
    times = in_turn(
        {
            "alignframe gale-church": lambda: align(src, tgt, "gale-church"),
            "alignframe mre": lambda: align(src, tgt, "mre"),
            "nltk align_blocks": lambda: align_blocks(*lengths),
        },
        rounds=3,
    )
    ours = times["alignframe gale-church"].cpu
    rows = [
        [name, f"{1e3 * time.cpu:.1f}", f"{time.cpu / ours:.1f}"] for name, time in times.items()
    ]
    show(
        f"Gale & Church, {pairs:,} sentence pairs",
        ["", "CPU ms", "times ours"],
        rows,
    )


def main(*, small: bool = False, large: bool = False) -> None:
    """Run the benchmarks: ``small`` uses a tenth of the text, ``large`` adds ten times the text."""
    nltk_gale_church()
    sizes = (1_000,) if small else (1_000, 10_000, 100_000) if large else (1_000, 10_000)
    with tempfile.TemporaryDirectory() as draft:
        growth(Path(draft), sizes)


if __name__ == "__main__":
    pa.set_cpu_count(1)
    main(small="--small" in sys.argv, large="--large" in sys.argv)
