"""Counting, scoring and symmetrizing links."""

from __future__ import annotations

import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from alignframe import formats, links
from alignframe.core.arrow import to_links
from alignframe.functions import symmetrize
from alignframe.kernels.links.counts import count_gold, count_hits
from benchmarks.memory import ROOT, apart
from benchmarks.timing import in_turn, show
from datasets import synthetic

CORPORA = Path(os.environ.get("ALIGNFRAME_CORPORA", "corpora"))


def kernel(folder: Path) -> None:
    """Count links (of hypothesis and gold) with the kernel alone."""
    hyp = to_links(pq.read_table(folder / "hyp.parquet")["links"])
    gold = to_links(pq.read_table(folder / "gold.parquet")["links"])
    rows = np.arange(hyp.rows)
    time = in_turn({"kernel": lambda: count_hits(hyp, count_gold(gold), rows)})["kernel"]
    total = hyp.i.size + gold.i.size
    show(
        f"Counting kernel, {total / 1e6:.0f} million links on the nested layout",
        ["", "CPU s", "million links / CPU s"],
        [["count_hits", f"{time.cpu:.3f}", f"{total / time.cpu / 1e6:.0f}"]],
    )


_JOIN = """
select
  hyp.system,
  count(*) as n_hyp,
  count(gold.sid) as n_hyp_possible,
  count(*) filter (gold.sure) as n_hyp_sure,
  any_value(size.n_sure) as n_sure
from {hyp} as hyp
left join {gold} as gold on hyp.sid = gold.sid and hyp.i = gold.i and hyp.j = gold.j
cross join (select count(*) filter (sure) as n_sure from {gold}) as size
group by hyp.system
"""


def _duckdb(folder: Path, *, nested: bool, threads: int) -> list[Any]:
    with duckdb.connect(config={"threads": threads}) as con:
        names = {"hyp": f"'{folder}/hyp_long.parquet'", "gold": f"'{folder}/gold_long.parquet'"}
        if nested:
            for name in ("hyp", "gold"):
                path = folder / f"{name}.parquet"
                con.execute(
                    f"create view {name}_flat as "
                    f"select * exclude (links), unnest(links, recursive := true) from '{path}'"
                )
                names[name] = f"{name}_flat"
        return con.sql(_JOIN.format(**names)).fetchall()


def parquet(folder: Path) -> None:
    """Score systems from Parquet, compared with DuckDB's join."""
    nested = str(folder / "hyp.parquet"), str(folder / "gold.parquet")
    long = str(folder / "hyp_long.parquet"), str(folder / "gold_long.parquet")
    cores = os.cpu_count() or 1
    with ThreadPoolExecutor(cores) as pool:
        times = in_turn(
            {
                "alignframe, nested": lambda: links.score(*nested).scores,
                "alignframe, long": lambda: links.score(*long).scores,
                "DuckDB join, long": lambda: _duckdb(folder, nested=False, threads=1),
                "DuckDB unnest and join, nested": lambda: _duckdb(folder, nested=True, threads=1),
                f"alignframe, nested, {cores} threads": lambda: (
                    links.score(*nested, threads=pool).scores
                ),
                f"DuckDB join, long, {cores} threads": lambda: _duckdb(
                    folder, nested=False, threads=cores
                ),
            },
            rounds=3,
        )
    _check(folder)
    base = times["alignframe, nested"]
    wide = times[f"alignframe, nested, {cores} threads"]
    rows = [
        [
            name,
            f"{time.cpu:.2f}",
            f"{time.wall:.2f}",
            f"{time.cpu / (wide if 'threads' in name else base).cpu:.1f}",
            f"{time.wall / (wide if 'threads' in name else base).wall:.1f}",
        ]
        for name, time in times.items()
    ]
    size = pq.read_metadata(folder / "hyp_long.parquet").num_rows
    show(
        f"From Parquet to scores, {size / 1e6:.0f} million links against as many gold links",
        ["", "CPU s", "wall s", "CPU ratio", "wall ratio"],
        rows,
    )


def _check(folder: Path) -> None:
    """Raise an error unless both give the same counts."""
    ((_, n_hyp, possible, sure, n_sure),) = _duckdb(folder, nested=False, threads=1)
    row = links.score(str(folder / "hyp.parquet"), str(folder / "gold.parquet")).scores.row(
        0, named=True
    )
    wanted = (n_hyp, possible / n_hyp, sure / n_sure)
    if not np.allclose((row["links"], row["precision"], row["recall"]), wanted):
        raise AssertionError(f"alignframe and DuckDB disagree: {row} and {wanted}")


_SCORE = """
import sys, time
from alignframe import links
from benchmarks.memory import peak_mb
start = time.process_time()
links.score(*sys.argv[1:]).scores
print(time.process_time() - start, peak_mb())
"""


def memory(folder: Path, sizes: tuple[int, ...] = (1_000_000, 10_000_000)) -> None:
    """Measure the peak memory of scoring as the input grows, each in a separate process."""
    rows = []
    for sentences in sizes:
        here = folder / str(sentences)
        synthetic.write(here, sentences, long=False)
        paths = [str(here / f"{name}.parquet") for name in ("hyp", "gold")]
        cpu, peak = apart(_SCORE, *paths)
        size = sum(Path(path).stat().st_size for path in paths) / 1e6
        rows.append([f"{sentences:,}", f"{size:.0f}", f"{peak:.0f}", f"{cpu:.1f}"])
    show(
        "Memory of scoring, one thread, about 20 links per sentence in each table",
        ["sentences", "Parquet MB", "peak MB", "CPU s"],
        rows,
    )


def _sample() -> tuple[pa.Table, pa.Table, str]:
    """Return hypothesis and gold of the Hansards set, or else of the bundled one."""
    if CORPORA.is_dir():
        hyp = formats.read(CORPORA / "hansards-outputs/lilt/giza/test.enfr.talp")
        gold = formats.read(CORPORA / "hansards-wpt03/wpt03/test/test.wa.nonullalign")
        return hyp, gold, "Hansards"
    folder = ROOT / "datasets" / "en-fr"
    return formats.read(folder / "eager.talp"), formats.read(folder / "gold.talp"), "bundled"


def _repeat(table: pa.Table, sentences: int) -> pa.Table:
    sid = pa.array(np.arange(sentences))
    return table.take(pa.array(np.arange(sentences) % table.num_rows)).set_column(
        table.schema.get_field_index("sid"), "sid", sid
    )


def nltk_scores(sentences: int = 1_000_000) -> None:
    """Score a million sentences, compared with nltk's functions for single sentences."""
    from nltk.metrics import scores as nltk_sets
    from nltk.translate.api import Alignment
    from nltk.translate.metrics import alignment_error_rate

    hyp, gold, name = _sample()
    texts = []
    for h, g in zip(hyp["links"].to_pylist(), gold["links"].to_pylist(), strict=True):
        rows = [link for link in g if link["sure"]], g, h
        texts.append([" ".join(f"{link['i']}-{link['j']}" for link in row) for row in rows])
    triples = [[Alignment.fromstring(text) for text in row] for row in texts]

    def score(sure: Any, possible: Any, found: Any) -> None:
        alignment_error_rate(sure, found, possible)
        nltk_sets.precision(possible, found)
        nltk_sets.recall(sure, found)

    def peer() -> None:
        for _ in range(5):
            for row in triples:
                score(*row)

    def reading_peer() -> None:
        for _ in range(5):
            for row in texts:
                score(*map(Alignment.fromstring, row))

    many = _repeat(hyp, sentences), _repeat(gold, sentences)
    with tempfile.TemporaryDirectory() as folder:
        files = [str(Path(folder, f"{side}.parquet")) for side in ("hyp", "gold")]
        for table, path in zip(many, files, strict=True):
            formats.write(table.drop_columns(["system"]).to_batches(100_000), path, "parquet")
        times = in_turn(
            {
                "alignframe, tables in memory": lambda: links.score(*many).scores,
                "nltk, sets in memory": peer,
                "alignframe, from Parquet": lambda: links.score(*files).scores,
                "nltk, from lines of links": reading_peer,
            },
            rounds=3,
        )
    number = {name: 5 * len(texts) if "nltk" in name else sentences for name in times}
    each = {key: time.cpu / number[key] for key, time in times.items()}
    ours = list(each.values())[::2]
    show(
        f"Scoring the {name} set repeated to {sentences:,} sentences (nltk: to {5 * len(texts):,})",
        ["", "µs / sentence", "ratio"],
        [
            [key, f"{cost * 1e6:.2f}", f"{cost / ours[at // 2]:.0f}"]
            for at, (key, cost) in enumerate(each.items())
        ],
    )


def nltk_symmetrize(sentences: int = 200_000) -> None:
    """Symmetrize two directions, compared with nltk's grow-diag-final-and."""
    from nltk.translate.gdfa import grow_diag_final_and

    hyp, _, name = _sample()
    forward = hyp["links"].combine_chunks()
    rng = np.random.default_rng(0)
    rows = [
        [{"i": link["i"], "j": max(0, link["j"] + int(rng.integers(-1, 2)))} for link in row]
        for row in forward.to_pylist()
    ]
    reverse = pa.array(rows, pa.list_(pa.struct([("i", pa.uint16()), ("j", pa.uint16())])))
    texts = [
        tuple(" ".join(f"{link['i']}-{link['j']}" for link in row) for row in pair)
        for pair in zip(forward.to_pylist(), rows, strict=True)
    ]
    sizes = [
        tuple(1 + max((link[side] for row in pair for link in row), default=0) for side in "ij")
        for pair in zip(forward.to_pylist(), rows, strict=True)
    ]

    def peer() -> None:
        for (one, two), (n, m) in zip(texts, sizes, strict=True):
            if one and two:
                grow_diag_final_and(n, m, one, two)

    order = pa.array(np.arange(sentences) % len(forward))
    many = forward.take(order), reverse.take(order)
    times = in_turn(
        {
            "alignframe": lambda: symmetrize(*many, "grow-diag-final-and"),
            "nltk": peer,
        },
        rounds=3,
    )
    ours, theirs = times["alignframe"].cpu / sentences, times["nltk"].cpu / len(texts)
    show(
        f"grow-diag-final-and on the {name} set",
        ["", "µs / sentence", "ratio"],
        [
            ["alignframe", f"{ours * 1e6:.2f}", "1"],
            ["nltk.translate.gdfa", f"{theirs * 1e6:.1f}", f"{theirs / ours:.0f}"],
        ],
    )


def bootstrap() -> None:
    """Resample a gold set 10,000 times."""
    hyp, gold, name = _sample()
    times = in_turn(
        {
            "scores": lambda: links.score(hyp, gold).scores,
            "scores, 10,000 resamples": lambda: links.score(hyp, gold, bootstrap=10_000).scores,
        }
    )
    show(
        f"Bootstrap over the {gold.num_rows} sentences of the {name} set",
        ["", "CPU s", "wall s"],
        [[key, f"{time.cpu:.3f}", f"{time.wall:.3f}"] for key, time in times.items()],
    )
