"""TESLA: matchings and segments per second, compared with linear programming and other metrics."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from numba import njit

from alignframe import connect, tesla
from alignframe.engines import polars as expressions
from alignframe.formats.sentences import read_sentences, write_sentences
from alignframe.functions.bags import Lookup
from alignframe.kernels.tesla import bags
from alignframe.kernels.tesla.transport import make_room, solve
from alignframe.language import Analysed, Analysis, Vocabulary
from alignframe.language.analysed import to_arrow
from alignframe.tesla.feature_names import SURFACE_SETS
from alignframe.tesla.surface import SurfaceFeatures
from benchmarks.links import CORPORA
from benchmarks.memory import apart
from benchmarks.timing import in_turn, show
from datasets import synthetic

METEOR_JAR = os.environ.get("METEOR_JAR", "")
"""The jar of METEOR 1.5, which pip cannot install."""

_FEW = 40
"""Number of sentence pairs that scipy's solver can match within seconds."""

_SOME = 1_000
"""Number of sentence pairs that slower tools score."""

_TIMES = 20

Text = tuple[list[str], list[str]]


def text(folder: Path, systems: int) -> tuple[str, dict[str, Path], Path]:
    """Return the name of the text, the files of the systems by name, and that of the reference."""
    wmt = CORPORA / "wmt12"
    found = sorted(wmt.glob("system-outputs/fr-en/*"))[:systems]
    ref = wmt / "references" / "newstest2012-ref.en"
    if found and ref.is_file():
        return "newstest2012 fr-en", {path.name: path for path in found}, ref
    lists = synthetic.text(0, 3_000).column("src").to_pylist()
    rng = np.random.default_rng(1)
    files = {"ref": folder / "ref"}
    write_sentences([" ".join(words) for words in lists], files["ref"])
    for k in range(systems):
        kept = [[word for word in words if rng.random() > 0.2] for words in lists]
        files[f"system {k}"] = folder / f"hyp{k}"
        write_sentences([" ".join(words) for words in kept], files[f"system {k}"])
    return "made-up text", files, files.pop("ref")


def analysed(hyps: dict[str, Path], ref: Path, analysis: Analysis) -> tuple[Analysed, Analysed]:
    """Return all systems' sentences one after another, and their references."""
    vocabulary = Vocabulary()
    texts = pa.concat_arrays([read_sentences(path) for path in hyps.values()])
    once = analysis.analyse(read_sentences(ref), vocabulary)
    rows = np.tile(np.arange(once.rows), len(hyps))
    return analysis.analyse(texts, vocabulary), once.take(rows)


@njit  # type: ignore[untyped-decorator]
def _solved(
    hyp: bags.Side, ref: bags.Side, kinds: Any, lexicon: bags.Lexicon, times: int
) -> int:  # pragma: no cover
    """Solve each matching this many times, and return their number."""
    side = 64
    room = make_room(side, 1, 6)
    alike = np.empty(4 * side, np.uint64)
    same = np.empty(2 * side, np.uint64)
    edges = np.empty(4 * side, np.uint64)
    near = np.empty(2 * side, np.uint64)
    places = (np.full(kinds[0], -1, np.int32), np.full(kinds[1], -1, np.int32))
    sets = (np.empty(side, np.uint64), np.empty(side, np.uint64))
    x, y = np.empty(side, np.int64), np.empty(side, np.int64)
    supply, demand = np.empty(side, np.int64), np.empty(side, np.int64)
    n_solved = 0
    for row in range(hyp.starts.size):
        n_hyp = hyp.ends[row] - hyp.starts[row]
        n_ref = ref.ends[row] - ref.starts[row]
        if max(n_hyp, n_ref) > side:
            continue
        bags.compare_words(hyp, ref, row, None, lexicon, alike, near, places, sets)
        for n in range(1, 4):
            bags.weigh(hyp, row, n, 1, x, supply)
            bags.weigh(ref, row, n, 1, y, demand)
            rows, columns = n_hyp - n + 1, n_ref - n + 1
            if rows < 1 or columns < 1:
                continue
            bags.lengthen(n, rows, side, None, alike, same, edges)
            n_solved += 1
            for _ in range(times):
                supply[:rows] = x[:rows]
                demand[:columns] = y[:columns]
                solve(n, 2 * n, rows, columns, None, edges, supply, demand, room)
    return n_solved


def kernels(name: str, hyp: Analysed, ref: Analysed, analysis: Analysis) -> None:
    """Match analysed tokens, and score them in every engine."""
    lookup = Lookup(analysis.synonyms)
    lexicon = bags.Lexicon(*lookup.arrays(hyp.vocabulary))
    one, other = (
        bags.Side(side.starts, side.ends, side.lemmas, side.tags, side.content)
        for side in (hyp, ref)
    )
    kinds = (lexicon.numbers.size, len(hyp.vocabulary.tags.known))
    frame = pl.DataFrame({"hyp": pl.from_arrow(to_arrow(hyp)), "ref": pl.from_arrow(to_arrow(ref))})
    with connect(threads=1) as con:
        con.register("given", frame.to_arrow())
        con.execute("create table segments as from given")
        calls = {
            "matchings once": lambda: _solved(one, other, kinds, lexicon, 1),
            "matchings many times": lambda: _solved(one, other, kinds, lexicon, 1 + _TIMES),
            "kernel": lambda: bags.count_bags(one, other, kinds[1], lexicon),
            "tesla.match, four threads": lambda: tesla.match(hyp, ref, lookup, threads=4),
            "tesla.match": lambda: tesla.match(hyp, ref, lookup),
            "polars": lambda: frame.select(expressions.tesla_m("hyp", "ref").mean()),
            "DuckDB": lambda: con.sql("select avg(tesla_m(hyp, ref)) from segments").fetchall(),
        }
        times = in_turn(calls, rounds=3)
    once, many = (times.pop(f"matchings {word}").cpu for word in ("once", "many times"))
    solved = _TIMES * _solved(one, other, kinds, lexicon, 1)
    rows = [["matchings alone", "", f"{solved / (many - once):,.0f}", ""]]
    for label, time in times.items():
        figures = (f"{hyp.rows / time.cpu:,.0f}", f"{3 * hyp.rows / time.cpu:,.0f}")
        rows.append([label, *figures, f"{hyp.rows / time.wall:,.0f}"])
    words = (hyp.lengths().sum() + ref.lengths().sum()) / 2 / hyp.rows
    show(
        f"TESLA-M of analysed tokens, {hyp.rows:,} segments of {name}, {words:.0f} words each",
        ["", "segments / CPU s", "matchings / CPU s", "segments / s"],
        rows,
    )


def sets(name: str, hyp: Analysed, ref: Analysed, analysis: Analysis) -> None:
    """Compute the features of each set from analysed tokens."""
    groups: dict[str, list[Any]] = {"paper": [tesla.BagFeatures(analysis.synonyms)]}
    groups |= {kind: [*groups["paper"], SurfaceFeatures(kind)] for kind in SURFACE_SETS}
    calls = {
        kind: lambda made=made: [group.of(hyp, ref) for group in made]
        for kind, made in groups.items()
    }
    rows = []
    for kind, time in in_turn(calls, rounds=3).items():
        count = sum(len(group.names) for group in groups[kind])
        rows.append([kind, str(count), f"{time.cpu:.2f}", f"{hyp.rows / time.cpu:,.0f}"])
    show(
        f"Sets of features of analysed tokens, {hyp.rows:,} segments of {name}",
        ["", "features", "CPU s", "segments / CPU s"],
        rows,
    )


def highs(hyp: Analysed, ref: Analysed) -> None:
    """Solve unigram matchings with scipy, not counting the time to set them up."""
    from scipy.optimize import linprog

    problems = []
    for row in range(_FEW):
        (x, tags, lemmas), (y, other_tags, other_lemmas) = (
            [
                values[side.starts[row] : side.ends[row]]
                for values in (np.where(side.content, 1.0, 0.1), side.tags, side.lemmas)
            ]
            for side in (hyp, ref)
        )
        same = np.equal.outer(tags, other_tags)
        similar = np.maximum(np.equal.outer(lemmas, other_lemmas), same / 2)
        i, j = np.nonzero(similar)
        limits = np.zeros((x.size + y.size, i.size))
        limits[i, np.arange(i.size)] = limits[x.size + j, np.arange(i.size)] = 1
        problems.append((-similar[i, j], limits, np.concatenate([x, y])))

    def call() -> None:
        for problem in problems:
            linprog(*problem, method="highs")

    time = in_turn({"highs": call}, rounds=3)["highs"]
    show(
        f"scipy HiGHS, {_FEW} unigram matchings",
        ["", "matchings / CPU s"],
        [["linprog", f"{_FEW / time.cpu:,.0f}"]],
    )


def peers(name: str, hyps: dict[str, Path], ref: Path, analysis: Analysis) -> None:
    """Score segments from raw text, compared with sacrebleu's sentence metrics and METEOR."""
    path = next(iter(hyps.values()))
    pairs = [read_sentences(one).to_pylist() for one in (path, ref)]
    few: Text = (pairs[0][:_SOME], pairs[1][:_SOME])
    sizes = {"alignframe tesla.score": len(pairs[0])}
    calls: dict[str, Any] = {
        "alignframe tesla.score": lambda: tesla.score(
            {"a": path}, ref, analysis=analysis, bootstrap=0
        )
    }
    try:
        from sacrebleu.metrics import BLEU, CHRF
    except ImportError:
        print("sacrebleu is not installed: pip install '.[bench]'")
    else:
        for label, metric in (("BLEU", BLEU(effective_order=True)), ("chrF", CHRF())):
            sizes[f"sacrebleu sentence {label}"] = len(few[0])
            calls[f"sacrebleu sentence {label}"] = lambda metric=metric: [
                metric.sentence_score(one, [other]) for one, other in zip(*few, strict=True)
            ]
    times = {label: time.cpu for label, time in in_turn(calls, rounds=3).items()}
    if METEOR_JAR and shutil.which("java"):
        sizes["METEOR (with its start)"] = len(pairs[0])
        times["METEOR (with its start)"] = _meteor(path, ref)
    else:
        print("left out: METEOR (needs Java, and METEOR_JAR with the path of its jar)")
    speeds = {label: sizes[label] / cpu for label, cpu in times.items()}
    ours = speeds["alignframe tesla.score"]
    show(
        f"Segments scored from raw text, {name}",
        ["", "segments / CPU s", "times slower"],
        [[label, f"{speed:,.0f}", f"{ours / speed:.1f}"] for label, speed in speeds.items()],
    )


def _meteor(hyp: Path, ref: Path) -> float:
    """Return METEOR's CPU seconds."""
    before = getrusage(RUSAGE_CHILDREN)
    command = ["java", "-Xmx2G", "-jar", METEOR_JAR, str(hyp), str(ref), "-l", "en", "-norm"]
    subprocess.run(command, check=True, capture_output=True)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


_SCORE = """
import sys, time
import pyarrow as pa
pa.set_cpu_count(1)
from alignframe import tesla
from benchmarks.memory import peak_mb
ref, *hyps = sys.argv[1:]
cpu = time.process_time()
tesla.score({"a": hyps[0]}, ref, bootstrap=0)
first = time.process_time() - cpu
cpu = time.process_time()
found = tesla.score({str(k): path for k, path in enumerate(hyps)}, ref)
print(first, time.process_time() - cpu, found.segments.height, peak_mb())
"""


def whole(name: str, hyps: dict[str, Path], ref: Path) -> None:
    """Score all systems from files, with intervals, in a separate process."""
    first, cpu, rows, peak = apart(_SCORE, ref, *hyps.values())
    show(
        f"{len(hyps)} systems of {name}, files to intervals of 1,000 resamples",
        ["segments", "CPU s of the first system", "CPU s", "segments / CPU s", "peak MB"],
        [[f"{rows:,.0f}", f"{first:.1f}", f"{cpu:.2f}", f"{rows / cpu:,.0f}", f"{peak:,.0f}"]],
    )


def main(*, small: bool = False, large: bool = False) -> None:
    """Run all benchmarks: with one system if ``small``, 15 if ``large``, otherwise five."""
    analysis = Analysis.of()
    with tempfile.TemporaryDirectory() as draft:
        name, hyps, ref = text(Path(draft), 1 if small else 15 if large else 5)
        hyp, other = analysed(hyps, ref, analysis)
        kernels(name, hyp, other, analysis)
        sets(name, hyp, other, analysis)
        highs(hyp, other)
        peers(name, hyps, ref, analysis)
        whole(name, hyps, ref)


if __name__ == "__main__":
    pa.set_cpu_count(1)
    main(small="--small" in sys.argv, large="--large" in sys.argv)
