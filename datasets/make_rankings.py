"""Generate the rankings of ``datasets/island``: three invented judges rank its four systems.

Each judge ranks the systems on twenty sentences, by the quality set here plus noise;
similarly good systems share a rank. To regenerate: ``python -m datasets.make_rankings``.
"""

from __future__ import annotations

import csv
import random
from pathlib import Path

FILE = Path(__file__).parent / "island" / "rankings.csv"
BADNESS = {"careful": 1.0, "literal": 2.1, "fluent": 2.7, "garbled": 3.6}
JUDGES = ("anouk", "bram", "chloe")
SENTENCES, JUDGED = 30, 20
NOISE, NEAR = 0.55, 0.3


def main() -> None:
    """Write the rankings next to the texts, in the format of the WMT tables."""
    rng = random.Random(5)
    places = range(1, len(BADNESS) + 1)
    header = ["srclang", "trglang", "srcIndex", "judgeId"]
    header += [f"system{k}Id" for k in places] + [f"system{k}rank" for k in places]
    rows = []
    for judge in JUDGES:
        for sentence in sorted(rng.sample(range(1, SENTENCES + 1), JUDGED)):
            shown = rng.sample(list(BADNESS), len(BADNESS))
            ranks = _ranks({name: BADNESS[name] + rng.gauss(0, NOISE) for name in BADNESS})
            found = [ranks[name] for name in shown]
            rows.append(["French", "English", sentence, judge, *shown, *found])
    rows[7][-2] = -1  # a translation that the judge left unranked
    with FILE.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def _ranks(badness: dict[str, float]) -> dict[str, int]:
    """Return the rank of each system (1 is the best); similarly bad systems share one."""
    ranks: dict[str, int] = {}
    before, rank = -NEAR, 1
    for place, (name, bad) in enumerate(sorted(badness.items(), key=lambda item: item[1]), start=1):
        if bad - before > NEAR:
            rank = place
        ranks[name], before = rank, bad
    return ranks


if __name__ == "__main__":
    main()
