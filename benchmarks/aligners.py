"""Word alignment: AER, CPU seconds and growth, compared with published figures and NLTK."""

from __future__ import annotations

import gzip
import os
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import nltk.translate
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from alignframe import formats, links
from alignframe.aligners import KINDS
from alignframe.aligners import bidirectional as both
from alignframe.core.arrow import links_array
from alignframe.core.schemas import GOLD
from alignframe.options.training import Training
from benchmarks.links import CORPORA
from benchmarks.memory import apart
from benchmarks.timing import show
from datasets import synthetic

_PAIRS = 29_987
"""Number of sentence pairs in the text that the published aligners were measured on."""

_FEW = 300
"""Number of sentence pairs that NLTK can train on within seconds."""

_DIRECTIONS = ("forward", "reverse")
_METHODS = ("intersection", "grow-diag-final-and")

_PUBLISHED = (
    ("MGIZA 1", ".360", ".340", ".248", ".242", ""),
    ("MGIZA HMM", ".193", ".196", ".125", ".133", ""),
    ("MGIZA 4", ".155", ".183", ".126", ".111", "270-310"),
    ("MGIZA 4, Moses", ".178", ".169", ".092", ".133", "270-310"),
    ("fast_align", ".196", ".194", ".139", ".194", "17"),
    ("eflomal 2.0", ".0845", ".0782", ".0679", ".0824", "83 both"),
    ("systran-align", "", "", "", "", "43 both"),
    ("machine.py HMM", "", "", "", "", "540 both"),
    ("Berkeley", "", "", "", "", "624 both"),
)
"""AER and CPU seconds on the first 29,987 pairs, from europarl-enfr/SOURCE.txt.

Seconds are per direction if not given for both.
"""


class Sample(NamedTuple):
    """A text with a gold alignment of some of its sentences."""

    text: pa.Table
    gold: pa.Table
    name: str
    published: bool


def sample(pairs: int) -> Sample:
    """Return this many sentence pairs of Europarl, or synthetic ones if it is missing."""
    gold = CORPORA / "hansards-wpt03/wpt03/test/test.wa.nonullalign"
    if gold.exists() and _packed("en").exists() and _packed("fr").exists():
        with tempfile.TemporaryDirectory() as draft:
            src, tgt = (_unpacked(side, pairs, Path(draft)) for side in ("en", "fr"))
            text = formats.read_bitext(src, tgt)
        name = f"{text.num_rows:,} pairs of Hansards and Europarl"
        return Sample(text, formats.read(gold), name, text.num_rows == _PAIRS)
    text = pa.Table.from_batches([synthetic.text(0, pairs)])
    return Sample(text, _diagonal(text), f"{pairs:,} synthetic pairs", False)


def _packed(side: str) -> Path:
    return CORPORA / "europarl-enfr" / f"d200k.{side}.gz"


def _unpacked(side: str, pairs: int, folder: Path) -> Path:
    path = folder / f"text.{side}"
    with gzip.open(_packed(side), "rt", encoding="utf-8") as file:
        path.write_text("".join(islice(file, pairs)), "utf-8")
    return path


def _diagonal(text: pa.Table) -> pa.Table:
    """Return the alignment of a synthetic text with the same word order on both sides."""
    src = text.column("src").combine_chunks()
    offsets = src.offsets.to_numpy().astype(np.int64)
    places = np.arange(offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets))
    i = places.astype(np.uint16)
    sure = np.ones(i.size, np.uint8)
    found = [text.column("sid").combine_chunks(), links_array(offsets, i, i, sure)]
    return pa.Table.from_arrays(found, schema=GOLD)


def kinds() -> list[str]:
    """Return the models available."""
    found = []
    for kind in KINDS:
        try:
            import_module(f"alignframe.aligners.{kind}")
        except ImportError as error:
            print(f"left out: {kind} ({error})")
        else:
            found.append(kind)
    return found


def errors(pairs: int = _PAIRS) -> None:
    """Train and align both directions with every model, on one core."""
    given = sample(pairs)
    rows = []
    for kind in kinds():
        _learnt(sample(50).text, kind, "forward")  # compiles it
        sides, times = {}, []
        for direction in _DIRECTIONS:
            cpu = time.process_time()
            sides[direction] = _learnt(given.text, kind, direction)
            times.append(time.process_time() - cpu)
        rows.append([kind, *_errors(sides, given), " + ".join(f"{cpu:.1f}" for cpu in times)])
    rows += [[f"{kind}, both together", *together(given, kind)] for kind in ("hmm", "bayes")]
    rows += peers(given)
    if given.published:
        rows += [[f"other runs: {name}", *figures] for name, *figures in _PUBLISHED]
    heads = ["AER", "forward", "reverse", "both", "gdfa", "CPU s"]
    print("both: the intersection; gdfa: grow-diag-final-and; CPU s: forward + reverse, or of both")
    print("commands (alignframe align, eflomal-align, fast_align) include starting and reading")
    print("other runs: measured on the same lines and gold, neither now nor on this machine")
    show(f"Aligners on {given.name}, one core", heads, rows)


def together(given: Sample, kind: str) -> list[str]:
    """Return AER and CPU seconds of joint training of both directions."""
    cpu = time.process_time()
    learnt = both.decode_directions(both.fit_directions(given.text, Training(kind)))
    cpu = time.process_time() - cpu
    sides = {name: side.links for name, side in zip(_DIRECTIONS, learnt, strict=True)}
    return [*_errors(sides, given), f"{cpu:.1f}"]


def _errors(sides: dict[str, pl.DataFrame], given: Sample) -> list[str]:
    joined = [links.symmetrize(sides["forward"], sides["reverse"], method) for method in _METHODS]
    return _errors_of([*sides.values(), *joined], given)


def _errors_of(every: list[pl.DataFrame], given: Sample) -> list[str]:
    return [f"{_aer(found, given.gold):.4f}".lstrip("0") for found in every]


def peers(given: Sample) -> list[list[str]]:
    """Return the rows of whole commands: ours, and eflomal and fast_align, if they are found.

    They are looked for on the PATH and beside Python, where pip puts eflomal. All run on one
    thread where they take a number, after one another, on the same files.
    """
    rows = []
    with tempfile.TemporaryDirectory() as draft:
        folder = Path(draft)
        lines = [[" ".join(row) for row in given.text[name].to_pylist()] for name in ("src", "tgt")]
        for name, side in zip(("src", "tgt"), lines, strict=True):
            (folder / name).write_text("".join(f"{line}\n" for line in side), "utf-8")
        joined = [f"{src} ||| {tgt}\n" for src, tgt in zip(*lines, strict=True)]
        (folder / "joined").write_text("".join(joined), "utf-8")
        path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
        ours = f"{shlex.quote(sys.executable)} -m alignframe align src tgt --threads 1"
        cpu = _run([f"{ours} --symmetrize grow-diag-final-and -o joined.talp"], folder, path)
        aer = _errors_of([pl.DataFrame(formats.read(folder / "joined.talp"))], given)
        rows.append(["alignframe align", "", "", "", *aer, f"{cpu:.1f}"])
        both_ways = "eflomal-align --overwrite -s src -t tgt -f forward.talp -r reverse.talp"
        once = "fast_align -i joined -d -o -v"
        for commands in ([both_ways], [f"{once} > forward.talp", f"{once} -r > reverse.talp"]):
            name = commands[0].split()[0]
            if shutil.which(name, path=path) is None:
                print(f"left out: {name} (neither on the PATH nor beside Python)")
                continue
            cpu = _run(commands, folder, path)
            sides = {
                side: pl.DataFrame(formats.read(folder / f"{side}.talp")) for side in _DIRECTIONS
            }
            rows.append([name, *_errors(sides, given), f"{cpu:.1f}"])
    return rows


def _run(commands: list[str], folder: Path, path: str) -> float:
    """Run commands one after another; return their CPU seconds."""
    cpu = _children()
    for command in commands:
        subprocess.run(
            command,
            shell=True,
            cwd=folder,
            env={**os.environ, "PATH": path},
            check=True,
            capture_output=True,
        )
    return _children() - cpu


def _children() -> float:
    """Return the CPU seconds of finished child processes."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _learnt(text: pa.Table, kind: str, direction: str) -> pl.DataFrame:
    """Return the links of a text found by a model trained on it."""
    fitted = both.fit_directions(text, Training(kind), (direction,))
    return both.align_directions(fitted)


def _aer(found: pl.DataFrame, gold: pa.Table) -> float:
    known = found.filter(pl.col("sid").is_in(gold.column("sid").to_pylist()))
    return float(links.score(known, gold).scores["aer"][0])


def nltk_models() -> None:
    """Compare with NLTK's IBM Model 1 on a small text: one direction, five iterations."""
    given = sample(_FEW)
    rows = []
    _learnt(given.text, "ibm1", "forward")
    calls: dict[str, Callable[[], pl.DataFrame]] = {
        "alignframe ibm1": lambda: _learnt(given.text, "ibm1", "forward"),
        "nltk.translate.IBMModel1": lambda: _by_nltk(given.text),
    }
    for name, call in calls.items():
        cpu = time.process_time()
        found = call()
        cpu = time.process_time() - cpu
        gold = given.gold.slice(0, _FEW)
        rows.append([name, f"{_aer(found, gold):.3f}", f"{cpu:.3f}"])
    show(f"IBM Model 1, forward, {given.name}", ["", "AER", "CPU s"], rows)


def _by_nltk(text: pa.Table) -> pl.DataFrame:
    sides = (text.column(name).to_pylist() for name in ("src", "tgt"))
    peer: Any = nltk.translate  # which has no types
    bitext = [peer.AlignedSent(tgt, src) for src, tgt in zip(*sides, strict=True)]
    peer.IBMModel1(bitext, 5)  # it sets the alignment of each pair
    found = [
        [{"i": i, "j": j} for j, i in sorted(pair.alignment) if i is not None] for pair in bitext
    ]
    return pl.DataFrame(
        {"system": "nltk", "sid": text.column("sid").to_numpy(), "links": found},
        schema_overrides={"links": pl.List(pl.Struct({"i": pl.UInt16, "j": pl.UInt16}))},
    )


def saved(pairs: int = _PAIRS) -> None:
    """Align new text with saved models of both directions, on one core."""
    text = pl.DataFrame(pl.from_arrow(sample(2 * pairs).text))
    new = text[pairs:]
    rows = []
    for kind in kinds():
        models = [found.model for found in both.fit_directions(text[:pairs], Training(kind))]
        both.align_with(models, new[:50])  # compiles it
        times = []
        for _ in range(3):
            cpu = time.process_time()
            both.align_with(models, new)
            times.append(time.process_time() - cpu)
        rows.append([kind, f"{new.height / min(times):,.0f}"])
    heads = ["", "pairs / CPU s"]
    show(f"{new.height:,} new pairs, both directions combined, best of 3", heads, rows)


_LEARN = """
import sys, time
from concurrent.futures import ThreadPoolExecutor
import pyarrow as pa
pa.set_cpu_count(1)
import pyarrow.parquet as pq
from alignframe.aligners import bidirectional as both
from alignframe.options.training import Training
from benchmarks.memory import peak_mb
path, few, kind, threads = sys.argv[1:]
def learn(text, executor):
    fitted = both.fit_directions(text, Training(kind, threads=executor), ("forward",))
    return both.align_directions(fitted)
with ThreadPoolExecutor(int(threads)) as pool:
    executor = None if threads == "1" else pool
    learn(few, executor)
    wall, cpu = time.perf_counter(), time.process_time()
    learn(path, executor)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
print(wall, cpu, peak_mb())
"""


def growth(folder: Path, sizes: tuple[int, ...] = (_PAIRS, 100_000, 200_000)) -> None:
    """Measure time and memory with more text and more threads: one direction, from Parquet."""
    few = folder / "few.parquet"
    pq.write_table(sample(50).text, few)
    rows = []
    for pairs in sizes:
        given = sample(pairs)
        path = folder / "bitext.parquet"
        pq.write_table(given.text, path)
        for kind in kinds():
            for threads in (1, 2, 4) if pairs == sizes[0] else (1,):
                told = [str(path), str(few), kind, str(threads)]
                wall, cpu, peak = apart(_LEARN, *told)
                each = 1e6 * cpu / given.text.num_rows
                figures = [f"{wall:.1f}", f"{cpu:.1f}", f"{each:.0f}", f"{peak:,.0f}"]
                rows.append([kind, f"{given.text.num_rows:,}", str(threads), *figures])
    heads = ["", "pairs", "threads", "wall s", "CPU s", "CPU µs / pair", "peak MB"]
    show("Aligners with more text and more threads, forward", heads, rows)


def main(*, small: bool = False, large: bool = False) -> None:
    """Run the benchmarks: ``small`` uses a tenth of the text, ``large`` adds growth.

    ``python -m benchmarks.aligners --saved`` aligns new text instead.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        errors(3_000 if small else _PAIRS)
        nltk_models()
        if large:
            with tempfile.TemporaryDirectory() as draft:
                growth(Path(draft))


if __name__ == "__main__":
    pa.set_cpu_count(1)
    if "--saved" in sys.argv:
        saved(3_000 if "--small" in sys.argv else _PAIRS)
    else:
        main(small="--small" in sys.argv, large="--large" in sys.argv)
