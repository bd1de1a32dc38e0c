"""Lake jobs compared with a single pass over the same links: CPU time, memory, unchanged inputs.

``python -m benchmarks.lake FOLDER --millions 50`` builds a lake of 11 systems and 5 domains in the
folder, if it is not there yet, and measures each step in a separate process.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.memory import apart
from datasets.synthetic import batch

SYSTEMS = [f"s{number:02}" for number in range(11)]
DOMAINS = ("law", "news", "patents", "subtitles", "talks")
_LINKS = 20
"""Mean number of links per sentence in ``datasets.synthetic``."""
_ROWS = 100_000


def build(folder: Path, millions: int) -> None:
    """Write the lake: ``hyp/system=S/domain=D`` and ``gold/domain=D``, in order of sid."""
    per_domain = millions * 1_000_000 // (_LINKS * len(SYSTEMS) * len(DOMAINS))
    for number, domain in enumerate(DOMAINS):
        for seed, system in enumerate(["", *SYSTEMS]):
            keys = f"hyp/system={system}/domain={domain}" if system else f"gold/domain={domain}"
            place = folder / keys
            place.mkdir(parents=True, exist_ok=True)
            writer: pq.ParquetWriter | None = None
            for start in range(0, per_domain, _ROWS):
                rows = min(_ROWS, per_domain - start)
                first = number * 1_000_000_000 + start
                table = pa.Table.from_batches([batch(first, rows, seed + 5, gold=not system)])
                table = table.drop_columns(["system"]) if system else table
                writer = writer or pq.ParquetWriter(
                    place / "part-0.parquet", table.schema, compression="zstd"
                )
                writer.write_table(table)
            if writer is not None:
                writer.close()


def many(folder: Path, units: int) -> None:
    """Write a lake of many small units."""
    for number in range(units):
        system, domain = divmod(number, 25)
        for kind, gold in (("hyp", False), ("gold", True)):
            keys = f"system=s{system}/domain=d{domain}" if not gold else f"domain=d{domain}"
            place = folder / kind / keys
            place.mkdir(parents=True, exist_ok=True)
            table = pa.Table.from_batches([batch(1000 * domain, 10, 5 + gold, gold=gold)])
            table = table if gold else table.drop_columns(["system"])
            pq.write_table(table, place / "part-0.parquet")


STEPS = {
    "links.scores": "af.links.score(hyp, gold).scores",
    "lake.score": "af.lake.score(hyp, gold, out, format=kind)",
    "lake.score, unchanged": "af.lake.score(hyp, gold, out, format=kind)",
    "lake.scores by domain": "af.lake.scores(out, by=['domain'])",
    "lake.scores, bootstrap": "af.lake.scores(out, bootstrap=1000)",
}


def measured(step: str, folder: Path, out: str, kind: str) -> dict[str, float]:
    """Return the CPU and wall time of a step in seconds, and its peak memory in MB."""
    code = (
        "import os, time\n"
        "import alignframe as af, alignframe.links\n"
        "import alignframe.lake.jobs.score, alignframe.lake.results\n"
        "from benchmarks.memory import peak_mb\n"
        f"hyp, gold, out, kind = {[str(folder / 'hyp'), str(folder / 'gold'), out, kind]!r}\n"
        "begun, cpu = time.monotonic(), os.times()\n"
        f"found = {STEPS[step]}\n"
        "now = os.times()\n"
        "cpu = now.user + now.system - cpu.user - cpu.system\n"
        "print(cpu, time.monotonic() - begun, peak_mb())\n"
    )
    return dict(zip(("cpu", "seconds", "peak_mb"), apart(code), strict=True))


def main() -> None:
    """Build the lake and measure each step."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--millions", type=int, default=50)
    parser.add_argument("--units", type=int, help="use a lake of this many tiny units instead")
    parser.add_argument("--formats", default="parquet")
    given = parser.parse_args()
    folder = given.folder.absolute()
    if not (folder / "hyp").exists():
        begun = time.monotonic()
        if given.units:
            many(folder, given.units)
        else:
            build(folder, given.millions)
        print(f"built in {time.monotonic() - begun:.0f} s")
    for kind in given.formats.split(","):
        out = f"{folder}/out-{kind}-{os.getpid()}"
        place = f"iceberg:{out}.db.mt.counts" if kind == "iceberg" else out
        for step in STEPS:
            found = measured(step, folder, place, "" if kind == "iceberg" else kind)
            shown = "  ".join(f"{name} {value:8.2f}" for name, value in found.items())
            print(f"{kind:8} {step:24} {shown}", flush=True)


if __name__ == "__main__":
    main()
