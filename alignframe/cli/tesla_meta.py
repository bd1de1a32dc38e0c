"""``alignframe tesla metrics``: agreement of metrics with human rankings, and their counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe.cli.cells import with_interval
from alignframe.cli.command import Arguments, Input, Shell, Words, flag
from alignframe.cli.show import (
    Data,
    Pieces,
    Rows,
    print_warning,
    save_table,
)
from alignframe.cli.sources import named_paths
from alignframe.errors import InputError

if TYPE_CHECKING:
    from alignframe.tesla.meta import Meta

_SHOWN = {
    "consistency": "consistency",
    "tau_wmt12": "tau 12",
    "tau_wmt13": "tau 13",
    "tau_wmt14": "tau 14",
    "spearman": "spearman",
    "pearson": "pearson",
}


@dataclass(frozen=True, kw_only=True)
class ScoreFiles(Input):
    """Scores of metrics by name."""

    provides = ("segments",)

    segments: list[str] | None = flag(
        "Scores of segments: system, sid, score (.parquet, .csv, .jsonl), .scr, or a folder with "
        "what METEOR prints for each system, or a score per line. Repeatable.",
        None,
        metavar="[NAME=]FILE",
    )

    def arguments(self, shell: Shell) -> Arguments:
        """Return the files by metric, by default by the first part of their names."""
        if not self.segments:
            if "segments" in shell.needed:
                raise InputError("no scores of segments", expected="--segments, or --counts")
            return {}
        return {"segments": named_paths(self.segments, "metric", _own_name)}


def _own_name(path: str) -> str:
    return Path(path).name.split(".")[0]


def show(found: Meta, words: Words) -> Pieces:
    """Show the agreement of metrics with rankings, and perhaps write it."""
    if words["comparisons"]:
        if not found.comparisons.height:
            one = "of one metric" if words["bootstrap"] else "with --bootstrap 0"
            expected = "at least two" if words["bootstrap"] else "resamples"
            raise InputError(f"--comparisons {one}", expected=expected)
        save_table(found.comparisons, words["comparisons"])
    yield found
    yield from _tables(found, words["bootstrap"] > 0)
    if found.caution:
        print_warning(found.caution)


def _tables(found: Meta, resampled: bool) -> Iterator[Rows]:
    rows = []
    for row in found.scores.to_dicts():
        shown: dict[str, Any] = {"metric": row["metric"]}
        for name, short in _SHOWN.items():
            span = (row[f"{name}_low"], row[f"{name}_high"]) if resampled else None
            shown[short] = with_interval(row[name], span)
        rows.append(shown)
    yield Rows(rows, "Agreement with human rankings")
    counts = ("metric", "pairs", "metric_ties", "human_ties", "unscored", "sentences", "systems")
    mark = found.scores["signature"][0]
    several = found.comparisons.height > 0
    yield Rows(
        [{name.replace("_", " "): row[name] for name in counts} for row in found.scores.to_dicts()],
        caption="" if several else mark,
    )
    if several:
        title = "P-values of differences (two-sided, corrected for the number of pairs)"
        yield Rows(_matrix(found), title, mark)


def _matrix(found: Meta) -> list[dict[str, Any]]:
    """Return a row for a pair of metrics, with the corrected p-value of each figure."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for one in found.comparisons.to_dicts():
        key = one["metric"], one["other"]
        row = rows.setdefault(key, {"metric": key[0], "other": key[1]})
        row[_SHOWN[one["figure"]]] = one["p_corrected"]
    return list(rows.values())


def rankings(rankings: str, *, pair: str | None = None, output: Path | None = None) -> Pieces:
    """Count human rankings by language pair, and write those of one, one row per translation.

    The output has the columns ranking, sid (from 0), judge, system and rank, for SQL.

    Parameters
    ----------
    rankings
        See ``tesla.meta.meta``.
    pair
        Language pair of the rankings, such as fr-en or French-English.
    """
    import polars as pl

    from alignframe.tesla.ranking_signatures import signature_of_rankings
    from alignframe.tesla.rankings import load_rankings, rankings_by_pair

    one = pair is not None or output is not None
    found = [load_rankings(rankings, pair)] if one else rankings_by_pair(rankings)
    rows = [{"pair": each.pair, **each.counts} for each in found]
    chosen = pl.DataFrame(pl.from_arrow(found[0].table)) if one else None
    signature = signature_of_rankings(found[0].table) if one else ""
    yield Data(signature, pairs=rows, **({} if chosen is None else {"rankings": chosen}))
    yield Rows(rows)
