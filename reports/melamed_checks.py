"""The claims of Melamed 1995 about filter cascades, compared with studies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import polars as pl
from study import Statements, verdict

from alignframe.lexicon import Study

PAPERS_BEST = "mrbd+cognate+alignment"
SCANNED = (500, 5_000)
"""The sizes at which cognate cut-offs are tried."""


def findings(study: Study, scan: Study, tests: pl.DataFrame, share: dict[str, float]) -> Statements:
    """Return the paper's claims, whether each holds in each case, and the figures."""
    summary = study.summary.filter(pl.col("cascade") != "back-off")
    means = {
        tuple(row[:3]): row[3]
        for row in summary.select("cascade", "size", "k", "precision").iter_rows()
    }
    names, sizes = (
        summary[key].unique(maintain_order=True).to_list() for key in ("cascade", "size")
    )
    gains = {
        (row["cascade"], row["size"], row["k"]): row
        for row in study.findings.filter(measure="precision").iter_rows(named=True)
    }
    joined = study.findings.filter(cascade="back-off", measure="percent_correct", k=1)

    def gain(name: str, size: int, k: int = 1) -> float:
        return means[name, size, k] - means["none", size, k]

    def best(size: int, k: int) -> str:
        return max(names, key=lambda name: means[name, size, k])

    def lead(size: int, k: int, other: str) -> str:
        winner = best(size, k)
        more = means[winner, size, k] - means[other, size, k]
        return f"{size:,} {winner}" + (f" (by {more:.3f})" if more else "")

    small, large = min(sizes), max(sizes)
    oracles = [(name, k) for name in ("cognate", "prefix", "mrbd") for k in (1, 5)]
    plain = [name for name in names if name != "none" and not name.startswith("pos")]
    apart = {key: gains[key[0], small, key[1]]["apart"] for key in oracles}
    overlap = {key: "" if value else " (overlap)" for key, value in apart.items()}
    relative = {size: gain(best(size, 1), size) / means["none", size, 1] for size in sizes}
    precise = scan.summary.filter(pl.col("cascade") != "back-off", pl.col("k") == 1)
    peaks = {
        size: precise.filter(size=size).sort("precision", descending=True).row(0, named=True)
        for size in SCANNED
    }
    at_papers = dict(precise.filter(cascade="0.58").select("size", "precision").iter_rows())
    found: dict[str, tuple[Sequence[bool], str]] = {
        "each oracle raises precision with little text, with disjoint intervals": (
            [gain(name, small, k) > 0 and apart[name, k] for name, k in oracles],
            f"{small} pairs: "
            + ", ".join(
                f"{name} k = {k} {gain(name, small, k):+.3f}{overlap[name, k]}"
                for name, k in oracles
            ),
        ),
        "with much text, all cascades but those with POS still raise it (k = 1)": (
            [gain(name, large) > 0 for name in plain],
            f"{large:,} pairs: " + ", ".join(f"{name} {gain(name, large):+.4f}" for name in plain),
        ),
        f"{PAPERS_BEST} is the best cascade for k = 1": (
            [best(size, 1) == PAPERS_BEST for size in sizes],
            ", ".join(lead(size, 1, PAPERS_BEST) for size in sizes),
        ),
        "cognates alone are the best cascade for k = 3 and more": (
            [best(size, k) == "cognate" for size in sizes for k in (3, 4, 5)],
            "; ".join(
                f"k = {k}: " + ", ".join(lead(size, k, "cognate") for size in sizes) for k in (3, 5)
            ),
        ),
        "the dictionary's gain shrinks with more text (k = 1)": (
            [gain("mrbd", a) > gain("mrbd", b) for a, b in pairwise(sizes)],
            ", ".join(f"{size:,} {gain('mrbd', size):+.3f}" for size in sizes),
        ),
        "the best cascade more than doubles precision (the paper: +137%)": (
            [value > 1 for value in relative.values()],
            ", ".join(f"{size:,} {value:+.0%}" for size, value in relative.items()),
        ),
        "back-off raises percent correct by more than 35%": (
            (joined["relative_gain"] > 0.35).to_list(),
            ", ".join(
                f"{size:,} {value:+.1%}"
                for size, value in joined.select("size", "relative_gain").iter_rows()
            ),
        ),
        "more tokens have a dictionary translation (47%) than a cognate (23%); 63% have either": (
            [share["dictionary"] > share["cognate"]],
            ", ".join(f"{name} {value:.1%}" for name, value in share.items()),
        ),
        "cognates at 0.58 do better than equal prefixes, p < 0.01 (k = 1)": (
            [more > 0 and p_value < 0.01 for _, more, p_value in tests.iter_rows()],
            ", ".join(f"{size:,} {more:+.4f} (p {p:.2g})" for size, more, p in tests.iter_rows()),
        ),
        "the best cognate cut-off is 0.58 (k = 1)": (
            [row["cascade"] == "0.58" for row in peaks.values()],
            ", ".join(
                f"{size:,} {row['cascade']} ({row['precision']:.4f}, 0.58 {at_papers[size]:.4f})"
                for size, row in peaks.items()
            ),
        ),
    }
    if "pos" in names:
        found["POS helps with little text and hurts with much (k = 1)"] = (
            [gain("pos", small) > 0, gain("pos", large) < 0],
            ", ".join(f"{size:,} {gain('pos', size):+.3f}" for size in sizes),
        )
    return found


def say_by_text(found: Mapping[str, Statements]) -> None:
    """Print the paper's claims, and whether they hold on each text."""
    for statement in next(iter(found.values())):
        print(f"\n{statement}")
        for name, statements in found.items():
            cases, figures = statements[statement]
            print(f"  {name:17} {verdict(cases)}: {figures}")
