"""``alignframe tesla meta``: agreement of metrics with human rankings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe.cli.cells import with_interval
from alignframe.cli.drawn import Drawn
from alignframe.cli.show import print_json, print_note, print_table, print_warning, save_table
from alignframe.cli.sources import named_paths, split_name
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


def meta(
    *,
    rankings: str,
    segments: list[str],
    pair: str | None,
    column: list[str] | None,
    lower: list[str] | None,
    consensus: bool,
    ties: str,
    human: str,
    drawn: Drawn,
    sids: str | None,
    where: str | None,
    output: Path | None,
    comparisons: Path | None,
    as_json: bool,
) -> None:
    """Evaluate metrics against human rankings: consistency, Kendall's tau, correlation."""
    if comparisons and not drawn.bootstrap:
        raise InputError("--comparisons with --bootstrap 0", expected="resamples")
    from alignframe.tesla.meta import meta as evaluate
    from alignframe.tesla.score_files import read_score_files
    from alignframe.tesla.segments import read_segments
    from alignframe.tesla.system_files import names_in

    tables = _named(segments)
    folders = {name: path for name, path in tables.items() if Path(path).is_dir()}
    ranked = None
    if folders:
        ranked = read_of_pair(rankings, pair, set().union(*map(names_in, folders.values())))
        systems = ranked["system"].unique().cast("string").to_pylist()
        tables |= {name: read_score_files(path, systems) for name, path in folders.items()}
    given = read_segments(tables, column, lower or (), _own_name(segments[0]))
    if comparisons and len(given.metrics) < 2:
        raise InputError("--comparisons of one metric", expected="at least two")
    found = evaluate(
        ranked or read_of_pair(rankings, pair, set(given.rows["system"])),
        given,
        consensus=consensus,
        ties=ties,
        human=human,
        **drawn.words,
        sids=sids,
        where=where,
    )
    if output:
        save_table(found.scores, output)
    if comparisons:
        save_table(found.comparisons, comparisons)
    if as_json:
        print_json(found.tables(), found.signature)
    else:
        _print(found, drawn.bootstrap > 0)
    if found.caution:
        print_warning(found.caution)


def read_of_pair(path: str, pair: str | None, systems: set[str]) -> Any:
    """Return the rankings of a language pair, with a note on those left out."""
    from alignframe.tesla.rankings import load_rankings

    found = load_rankings(path, pair, systems=systems)
    if found.chosen:
        print_note(f"{path}: used the rankings of {found.pair}, whose systems match the scores")
    if found.unranked:
        print_warning(f"{path}: {found.left_out}")
    return found.table


def _named(specs: Sequence[str]) -> dict[str | None, Any]:
    """Return files by metric name; a single file may hold several metrics."""
    if len(specs) == 1:
        name, path = split_name(specs[0], "metric")
        return {name: path}
    return dict(named_paths(specs, "metric", _own_name).items())


def _own_name(path: str) -> str:
    """Return the default name of a file's scores."""
    return Path(path).name.split(".")[0]


def _print(found: Meta, resampled: bool) -> None:
    rows = []
    for row in found.scores.to_dicts():
        shown: dict[str, Any] = {"metric": row["metric"]}
        for name, short in _SHOWN.items():
            span = (row[f"{name}_low"], row[f"{name}_high"]) if resampled else None
            shown[short] = with_interval(row[name], span)
        rows.append(shown)
    print_table(rows, title="Agreement with human rankings")
    counts = ("metric", "pairs", "metric_ties", "human_ties", "unscored", "sentences", "systems")
    mark = found.scores["signature"][0]
    several = found.comparisons.height > 0
    print_table(
        [{name.replace("_", " "): row[name] for name in counts} for row in found.scores.to_dicts()],
        caption="" if several else mark,
    )
    if several:
        title = "P-values of differences (two-sided, corrected for the number of pairs)"
        print_table(_matrix(found), title=title, caption=mark)


def _matrix(found: Meta) -> list[dict[str, Any]]:
    """Return a row for a pair of metrics, with the corrected p-value of each figure."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for one in found.comparisons.to_dicts():
        key = one["metric"], one["other"]
        row = rows.setdefault(key, {"metric": key[0], "other": key[1]})
        row[_SHOWN[one["figure"]]] = one["p_corrected"]
    return list(rows.values())
