"""Inducing lexicons: compared with word2word and scipy, with filters, and in bounded memory."""

from __future__ import annotations

import gzip
import importlib.util
import sys
import tempfile
import warnings
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy.sparse import csr_matrix

from alignframe import formats, lexicon
from alignframe.lexicon.corpus import Reading
from alignframe.sources.pairs import sentence_pairs
from benchmarks.links import CORPORA
from benchmarks.memory import apart
from benchmarks.timing import in_turn, show
from datasets import synthetic

_PAIRS = 100_000


def peers(folder: Path, *, slow: bool = True) -> None:
    """Induce lexicons from text files on one core: alignframe, a sparse product and word2word.

    word2word takes minutes; pass ``slow=False`` to leave it out.
    """
    src, tgt, name = _files(folder)
    calls: dict[str, Any] = {
        "alignframe: files to the 5 best by LLR": lambda: lexicon.induce(
            formats.scan_bitext(src, tgt), n_best=5
        ),
        "alignframe: the same with cognate:0.58": lambda: lexicon.induce(
            formats.scan_bitext(src, tgt), n_best=5, filters=["cognate:0.58"]
        ),
    }
    reading = Reading(sentence_pairs(src, tgt))
    corpus = reading.corpus(list(reading.batches()))
    calls["scipy: sparse product of encoded text, counts alone"] = lambda: _product(corpus)
    times = {label: time.cpu for label, time in in_turn(calls, rounds=3).items()}
    if slow and importlib.util.find_spec("word2word"):
        counting, ranking = _word2word(src, tgt)
        times["word2word: lines to counts"] = counting
        times["word2word: lines to the 5 best (CPE), one direction"] = counting + ranking
    elif slow:
        print("word2word is not installed: pip install '.[bench]'")
    ours = times["alignframe: files to the 5 best by LLR"]
    show(
        f"Lexicon of {_PAIRS:,} pairs of {name}, CPU seconds on one core",
        ["", "CPU s", "times alignframe"],
        [[label, f"{cpu:.2f}", f"{cpu / ours:.1f}"] for label, cpu in times.items()],
    )


def _files(folder: Path) -> tuple[Path, Path, str]:
    """Return plain text files of this many sentence pairs."""
    packed = [CORPORA / "europarl-enfr" / f"d200k.{side}.gz" for side in ("en", "fr")]
    paths = folder / "text.en", folder / "text.fr"
    if all(path.exists() for path in packed):
        for path, to in zip(packed, paths, strict=True):
            with gzip.open(path, "rt", encoding="utf-8") as file:
                to.write_text("".join(islice(file, _PAIRS)), "utf-8")
        return *paths, "Europarl"
    made = synthetic.text(0, _PAIRS)
    for side, to in zip(("src", "tgt"), paths, strict=True):
        to.write_text("\n".join(map(" ".join, made[side].to_pylist())) + "\n", "utf-8")
    return *paths, "a synthetic text"


def _product(corpus: Any) -> Any:
    """Return the number of sentence pairs with each pair of words, by a sparse product."""
    sides = []
    for side in (corpus.src, corpus.tgt):
        rows = np.repeat(np.arange(corpus.pairs), np.diff(side.at))
        shape = (corpus.pairs, len(side.vocabulary))
        matrix = csr_matrix((np.ones(rows.size, np.int32), (rows, side.words)), shape=shape)
        matrix.data[:] = 1
        sides.append(matrix)
    return sides[0].T @ sides[1]


_WORD2WORD = """
import sys, time, collections
from word2word.tokenization import get_vocab, update_dicts
from word2word.methods import rerank
src, tgt = ([line.split() for line in open(path, encoding="utf-8")] for path in sys.argv[1:])
start = time.process_time()
word2x, x2word, x2cnt = get_vocab(src)
word2y, y2word, y2cnt = get_vocab(tgt)
x2xs, y2ys, x2ys, y2xs = update_dicts(src, tgt, word2x, word2y, 5000)
counted = time.process_time()
rerank(x2ys, x2cnt, x2xs, 100, 5)
print(counted - start, time.process_time() - counted)
"""


def _word2word(src: Path, tgt: Path) -> tuple[float, float]:
    """Return the CPU seconds of counting for both directions, and of ranking one."""
    counting, ranking = apart(_WORD2WORD, src, tgt)
    return counting, ranking


_INDUCE = """
import sys, time
import pyarrow as pa
pa.set_cpu_count(1)
from alignframe import lexicon
from alignframe.lexicon import WordList
from benchmarks.memory import peak_mb
path, limit, *names = sys.argv[1:]
words = pa.table({side: [f"{side[0]}{n}" for n in range(0, 50_000, 2)] for side in ("src", "tgt")})
filters = [WordList(words) if name == "mrbd" else name for name in names]
lexicon.induce(pa.table({"src": [["a"]], "tgt": [["a"]]}), filters=filters)
wall, cpu = time.perf_counter(), time.process_time()
rows = lexicon.induce(
    path, n_best=5, filters=filters, memory_limit=None if limit == "none" else limit
).height
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
print(rows, wall, cpu, peak_mb())
"""


def memory(folder: Path) -> None:
    """Induce from the large text in ``folder``, with filters and memory limits."""
    path = folder / "text.parquet"
    rows = []
    for filters, limit in (
        ([], "none"),
        (["cognate:0.58"], "none"),
        (["mrbd"], "none"),
        (["mrbd", "cognate:0.58", "alignment"], "none"),
        ([], "2GB"),
        (["mrbd", "cognate:0.58", "alignment"], "2GB"),
        ([], "1GB"),
    ):
        entries, wall, cpu, peak = apart(_INDUCE, path, limit, *filters)
        rows.append(
            [
                "+".join(filters) or "no filter",
                limit,
                f"{entries:,.0f}",
                f"{wall:.0f}",
                f"{cpu:.1f}",
                f"{peak:,.0f}",
            ]
        )
    pairs = pq.read_metadata(path).num_rows
    show(
        f"Lexicon of {pairs:,} synthetic pairs, Parquet read and encoded",
        ["", "limit", "entries", "wall s", "CPU s", "peak MB"],
        rows,
    )


def judging() -> None:
    """Evaluate a lexicon by BIBLE in DuckDB."""
    rng = np.random.default_rng(1)
    test = pa.Table.from_batches([synthetic.text(0, 5_000)])
    words = np.repeat(np.arange(10_000), 5)
    drawn = rng.permuted(np.tile(np.arange(50_000), (1, 1)), axis=1)[0]
    entries = pa.table(
        {
            "src": [f"s{n}" for n in words],
            "tgt": [f"t{n}" for n in drawn],
            "rank": np.tile(np.arange(1, 6), 10_000),
        }
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        times = in_turn({"evaluate": lambda: lexicon.score(entries, test).scores}, rounds=3)
    show(
        "BIBLE on 5,000 pairs, a lexicon of 10,000 words",
        ["", "CPU s", "wall s"],
        [[name, f"{time.cpu:.2f}", f"{time.wall:.2f}"] for name, time in times.items()],
    )


if __name__ == "__main__":
    pa.set_cpu_count(1)
    with tempfile.TemporaryDirectory() as draft:
        peers(Path(draft), slow="--small" not in sys.argv)
        judging()
        if "--small" not in sys.argv:
            synthetic.write_text(Path(draft), 1_000_000)
            memory(Path(draft))
