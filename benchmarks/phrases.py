"""Phrase extraction, and dictionaries of large corpora."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any

import pyarrow.parquet as pq

from alignframe import formats
from alignframe.phrases.extract import phrase_batches, schema_of
from benchmarks.links import CORPORA
from benchmarks.memory import ROOT, apart
from benchmarks.timing import in_turn, show

MOSES = os.environ.get("MOSES_EXTRACT") or shutil.which("extract")
"""Moses's program `extract`, which pip cannot install."""

_NLTK_PAIRS = 60


def _paths() -> tuple[Path, Path, Path, str]:
    """Return source, target and links of 10,000 Europarl pairs, or else of the bundled text."""
    europarl = CORPORA / "moses-extract" / "models" / "extract.phrase-based"
    if europarl.is_dir():
        return europarl / "fr", europarl / "en", europarl / "align.fr-en", "Europarl"
    bundled = ROOT / "datasets" / "en-fr"
    return bundled / "text.en", bundled / "text.fr", bundled / "eager.talp", "the bundled text"


def extraction(folder: Path) -> None:
    """Extract phrase pairs from text files, compared with Moses and nltk, each on one core."""
    src, tgt, links, name = _paths()
    pairs = formats.read_bitext(src, tgt).num_rows
    out = folder / "phrases.parquet"
    for longest in (7, 1000):
        rows = [
            (
                f"alignframe: files to Parquet of {what}",
                *_extract(out, "moses", longest, words=words),
            )
            for what, words in (("spans", False), ("spans and words", True))
        ]
        if MOSES:
            for label, extra in (("without writing", ["--NoTTable"]), ("writing two files", [])):
                command = [MOSES, tgt, src, links, folder / "extract", str(longest), *extra]
                rows.append((f"Moses extract, {label}", *_command(list(map(str, command)))))
        size = pq.read_metadata(out).num_rows
        show(
            f"Phrases as Moses extracts them, {pairs:,} pairs of {name}, up to {longest} words: "
            f"{size:,} phrase pairs",
            ["", "CPU s", "minimum"],
            [[label, f"{cpu:.2f}", f"{least:.2f}"] for label, cpu, least in rows],
        )
    _exhaustive(folder)


def _extract(
    out: Path, kind: str, longest: int | None, *, words: bool = False
) -> tuple[float, float]:
    src, tgt, links, _ = _paths()

    def call() -> None:
        bitext = formats.read_bitext(src, tgt)
        found = phrase_batches(
            formats.read(links), kind, max_length=longest, bitext=bitext, with_words=words
        )
        with pq.ParquetWriter(out, schema_of(words), use_dictionary=not words) as writer:
            for batch in found:
                writer.write_batch(batch)

    return _calls(call)


def _calls(call: Callable[[], Any], rounds: int = 5) -> tuple[float, float]:
    """Return the median and minimum CPU seconds of calls, without compilation."""
    call()
    spent = []
    for _ in range(rounds):
        start = time.process_time()
        call()
        spent.append(time.process_time() - start)
    return statistics.median(spent), min(spent)


def _command(command: list[str], rounds: int = 5) -> tuple[float, float]:
    """Return the median and minimum CPU seconds of a program."""
    spent = []
    for _ in range(rounds):
        before = getrusage(RUSAGE_CHILDREN)
        subprocess.run(command, check=True, capture_output=True)
        after = getrusage(RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(spent), min(spent)


def _exhaustive(folder: Path) -> None:
    """Extract exhaustive phrases: files to spans, the kernel alone, and nltk on some pairs."""
    from nltk.translate.phrase_based import phrase_extraction

    from alignframe.functions import extract_phrases

    src, tgt, path, name = _paths()
    bitext, table = formats.read_bitext(src, tgt), formats.read(path)
    links = table["links"].combine_chunks()
    texts = [
        (" ".join(row["src"]), " ".join(row["tgt"]), [(k["i"], k["j"]) for k in linked])
        for row, linked in zip(
            bitext.slice(0, _NLTK_PAIRS).to_pylist(),
            links.slice(0, _NLTK_PAIRS).to_pylist(),
            strict=True,
        )
    ]

    def peer() -> None:
        for one, two, linked in texts:
            phrase_extraction(one, two, linked)

    times = in_turn(
        {"alignframe kernel": lambda: extract_phrases(links, "exhaustive"), "nltk": peer}, rounds=3
    )
    number = len(links)
    out = folder / "phrases.parquet"
    whole = _extract(out, "exhaustive", None)[0] / number
    ours, theirs = times["alignframe kernel"].cpu / number, times["nltk"].cpu / len(texts)
    written = _extract(out, "exhaustive", None, words=True)[0] / number
    size = pq.read_metadata(out).num_rows
    rows = [
        ["alignframe: kernel", f"{ours * 1e6:.1f}", f"{theirs / ours:.0f}"],
        ["alignframe: files to Parquet of spans", f"{whole * 1e6:.1f}", f"{theirs / whole:.0f}"],
        [
            "alignframe: files to Parquet of spans and words",
            f"{written * 1e6:.0f}",
            f"{theirs / written:.0f}",
        ],
        [f"nltk phrase_extraction, first {len(texts)} pairs", f"{theirs * 1e6:.0f}", "1"],
    ]
    show(
        f"Exhaustive phrases, {number:,} pairs of {name}: {size:,} phrase pairs of any length",
        ["", "µs / pair", "times nltk"],
        rows,
    )


_DICTIONARIES = """
import sys, time
from alignframe import phrases
from benchmarks.memory import peak_mb
folder, name, limit, threads = sys.argv[1:]
start = time.perf_counter()
rows = phrases.write_dictionary(
    f"{folder}/hyp.parquet", f"{folder}/text.parquet", f"{folder}/dictionary.parquet", name,
    memory_limit=limit, threads=int(threads),
)
wall = time.perf_counter() - start
print(rows, wall, time.process_time(), peak_mb())
"""
_COMPARE = """
import sys, time
from alignframe import phrases
from benchmarks.memory import peak_mb
folder, name, limit, threads = sys.argv[1:]
start = time.perf_counter()
frame = phrases.score(
    f"{folder}/hyp.parquet", f"{folder}/gold.parquet", f"{folder}/text.parquet",
    dictionaries=[name], memory_limit=limit, threads=int(threads),
).scores
wall = time.perf_counter() - start
print(frame["entries"][0], wall, time.process_time(), peak_mb())
"""


def dictionaries(folder: Path, limit: str = "1200MB", threads: int = 2) -> None:
    """Build dictionaries of the large corpus in ``folder`` in bounded memory."""
    rows = []
    for what, script in (("write", _DICTIONARIES), ("compare", _COMPARE)):
        for name in ("align-dic1", "text-dic1", "text-dic2"):
            entries, wall, cpu, peak = apart(script, folder, name, limit, threads)
            rows.append(
                [f"{what} {name}", f"{entries:,.0f}", f"{wall:.0f}", f"{cpu:.0f}", f"{peak:,.0f}"]
            )
    pairs = pq.read_metadata(folder / "text.parquet").num_rows
    show(
        f"Dictionaries of {pairs:,} synthetic pairs, memory_limit {limit}, {threads} threads",
        ["", "entries", "wall s", "CPU s", "peak MB"],
        rows,
    )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as draft:
        extraction(Path(draft))
