"""Kill lake jobs at random moments, and check that nothing is lost or duplicated.

``python -m benchmarks.lake_kills FOLDER --format delta --kills 100``

This process only loads what jobs need. Every run is a fork of it, so it starts quickly and has its
own threads. Between runs, partitions are rewritten, so that there is always work to do.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from datasets.synthetic import batch

SYSTEMS = ("a", "b")
LINKS = pa.list_(pa.field("element", pa.struct([("i", pa.int32()), ("j", pa.int32())])))
COUNTS = ["system", "domain", "sid", "n_hyp", "n_sure", "n_possible", "n_hyp_sure"]


def build(folder: Path, domains: int, rows: int) -> None:
    """Write a lake, and a second version of each system's partitions."""
    for number in range(domains):
        parts = [(f"gold/domain=d{number}", 1, 0)]
        for at, name in enumerate(SYSTEMS):
            parts.append((f"hyp/system={name}/domain=d{number}", 2, 1 + 2 * at))
        for part, versions, seed in parts:
            for version in range(versions):
                place = folder / f"versions/{version}" / part
                place.mkdir(parents=True)
                made = batch(number * max(rows, 1000), rows, seed + version, gold=not seed)
                table = pa.Table.from_batches([made])
                table = table.drop_columns(["system"]) if seed else table
                pq.write_table(table, place / "part.parquet")
    shutil.copytree(folder / "versions/0", folder / "lake")


def in_child(work: Callable[[], None]) -> int:
    """Fork; the child runs the job and exits."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        work()
        code = 0
    except BaseException:
        traceback.print_exc()  # which is lost otherwise, as the child exits at once
        raise
    finally:
        os._exit(code)


def ended(pid: int) -> int:
    """Wait for a child; return its exit code, or the negative number of a fatal signal."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def rewrite(folder: Path, some: int) -> None:
    """Replace the contents of some partitions."""
    files = sorted((folder / "lake/hyp").rglob("*.parquet"))
    for file in random.sample(files, some):
        part = file.relative_to(folder / "lake")
        other = folder / f"versions/{random.randrange(2)}" / part
        draft = file.with_name(".draft")
        shutil.copyfile(other, draft)
        draft.replace(file)


def check(folder: Path, out: str, *, quiet: bool = False) -> None:
    """Compare the job's output with counts of the same links from a single pass.

    Unless ``quiet``, prints how many runs were killed between their first and last record.
    """
    import polars as pl

    import alignframe as af

    got = pl.DataFrame(pl.from_arrow(af.lake.open(out).reader().read_all()))
    wanted = af.links.score(folder / "lake/hyp", folder / "lake/gold", by=["domain"]).counts
    rows = [one.select(COUNTS).sort(COUNTS).rows() for one in (got, wanted)]
    if rows[0] != rows[1]:
        raise SystemExit(f"{len(rows[0])} rows differ from {len(rows[1])}")
    if quiet:
        return
    killed = (af.lake.runs(out)["status"] == "killed").sum()
    sys.stdout.write(f"{len(rows[0]):,} rows; {killed} runs were killed while working\n")
    sys.stdout.flush()


def main(words: Sequence[str] | None = None) -> None:
    """Kill jobs, and compare their output."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--format", nargs="+", default=["parquet"], choices=("parquet", "delta", "iceberg")
    )
    parser.add_argument("--out", help="write to this place instead of the folder, such as s3://...")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--domains", type=int, default=20)
    parser.add_argument("--rows", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(words)
    random.seed(given.seed)
    folder = given.folder.absolute()
    load(given.format)
    ended(in_child(lambda: build(folder, given.domains, given.rows)))
    for kind in given.format:
        out = given.out or str(folder / kind)
        kill_jobs(folder, kind, out, given.kills, given.domains)


def kill_jobs(folder: Path, kind: str, out: str, kills: int, some: int) -> None:
    """Kill jobs that write to a place, rewriting some partitions in between."""
    if kind == "iceberg":
        out = f"iceberg:{folder}/out.db.mt.counts"

    def work() -> None:
        from alignframe import lake

        how: dict[str, Any] = {} if kind == "iceberg" else {"format": kind}
        place = folder / "lake"
        run = lake.score(place / "hyp", place / "gold", out, commit_every=0.05, **how)
        if run.failed:
            raise SystemExit(str(run.units))

    begun = time.monotonic()
    if ended(in_child(work)):
        raise SystemExit("the first run failed")
    whole = time.monotonic() - begun
    if Path(out).is_dir() and kind == "parquet":
        shutil.rmtree(out)  # so that first runs are killed too
    killed = finished = 0
    while killed < kills:
        pid = in_child(work)
        time.sleep(random.uniform(0.0, 0.8 * whole))
        os.kill(pid, signal.SIGKILL)
        code = ended(pid)
        killed += code == -signal.SIGKILL
        finished += code == 0
        if code > 0:
            raise SystemExit("a run failed")
        if code == 0 or killed % 2 == 0:  # a run without work ends before it can be killed
            rewrite(folder, some)
    if ended(in_child(work)):
        raise SystemExit("the last run failed")
    if ended(in_child(lambda: check(folder, out))):
        raise SystemExit("the counts differ from those of an undisturbed run")
    left = [str(one) for one in folder.rglob(".*.tmp")]
    sys.stdout.write(
        f"{kind}: {killed} killed, {finished} were faster, {len(left)} temporary files "
        f"left, a whole run took {whole:.2f} s\n"
    )
    if left:
        raise SystemExit(f"temporary files were left: {left}")


def load(kinds: Sequence[str]) -> None:
    """Import what runs need, and load the kernels, without starting threads."""
    from alignframe.links.counting import count_stream
    from alignframe.links.inputs import links_source

    links = pa.array([[{"i": 0, "j": 0}]], LINKS)
    table = pa.table({"system": ["a"], "sid": pa.array([0], pa.int64()), "links": links})
    list(count_stream([links_source(table)], links_source(table.drop_columns(["system"]))))
    if "delta" in kinds:
        import deltalake.transaction  # noqa: F401

    if "iceberg" in kinds:
        import pyiceberg.catalog.sql
        import pyiceberg.io.pyarrow  # noqa: F401


if __name__ == "__main__":
    main()
