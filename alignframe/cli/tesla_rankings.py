"""``alignframe tesla train`` and ``metrics``: weights from rankings, and how metrics agree."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe.cli.cells import with_interval
from alignframe.cli.command import Input, Shell, Words, flag
from alignframe.cli.show import (
    Data,
    Pieces,
    Rows,
    print_warning,
)
from alignframe.cli.sources import named_paths
from alignframe.cli.tesla import Resources
from alignframe.core.output import write_table
from alignframe.errors import InputError
from alignframe.typing import Arguments, FromZero, Positive, Progress, Rare, Row

if TYPE_CHECKING:
    from alignframe.tesla import Model
    from alignframe.tesla.meta import Meta


class Ranked(Resources):
    """References of ranked translations, and resources of features."""

    provides = (*Resources.provides, "ref")  # type: ignore[assignment]

    ref: list[str] | None = flag(
        "Reference of --systems, one sentence per line, or .parquet of tesla words. Repeatable.",
        None,
        metavar="FILE",
    )

    def arguments(self, shell: Shell) -> Arguments:
        """Return the references too."""
        return super().arguments(shell) | {"ref": [Path(path) for path in self.ref or ()]}


def train(
    rankings: str,
    ref: list[Path],
    *,
    systems: str | None = None,
    segments: str | None = None,
    features: Rare[str | None] = None,
    pair: str | None = None,
    c: Rare[Positive] = 1000.0,
    folds: Rare[FromZero] = 0,
    progress: Progress | None = None,
    **options: Any,
) -> Model:
    """Train TESLA-F's weights on the features of translations, or on stored ones.

    Parameters
    ----------
    rankings
        See ``tesla.meta.meta``.
    systems
        Folder of translations, one file per system: SYSTEM, SYSTEM.txt or newstest.fr-en.SYSTEM.
    segments
        Features written earlier, for ``--systems``.
    features
        ``paper``, ``wide``, ``other``: as in ``tesla score``; ``wide`` by default.
    pair, c, folds
        See ``tesla.training.train``.
    progress
        See ``tesla.score.score``.
    **options
        See ``language.Analysis.of`` and ``tesla.Scorer``.
    """
    from alignframe.tesla.training import train as train_model

    if (systems is None) == (segments is None):
        both = "--systems and --segments"
        neither = "neither --systems nor --segments"
        raise InputError(neither if segments is None else both, expected="one of them")
    trained: Any = {"c": c, "folds": folds}
    if segments is not None:
        given = options | {"ref": ref, "features": features}
        if odd := [name for name in given if given[name] and name != "threads"]:
            shown = {"language_models": "lm", "pivots": "pivot"}.get(odd[0], odd[0])
            raise InputError(
                f"--segments with --{shown.replace('_', '-')}",
                expected="one of them, as the features are in --segments",
            )
        return train_model(segments, rankings, pair=pair, **trained)
    import pyarrow.compute as pc

    from alignframe.tesla.rankings import rankings_of
    from alignframe.tesla.score import score
    from alignframe.tesla.signatures import made_with
    from alignframe.tesla.system_files import names_in, system_files

    if not ref:
        raise InputError("--systems needs --ref")
    table = rankings_of(rankings, names_in(str(systems)), pair)
    scored = score(
        system_files(str(systems), pc.unique(table["system"].cast("string")).to_pylist()),
        ref,
        features=features or "wide",
        progress=progress,
        **options,
    )
    trained["signature"] = "|".join(made_with(scored.of_segments.signature))
    return train_model(scored.segments, table, **trained)


def show_model(model: Model, words: Words) -> Pieces:
    """Write a model, and show its weights and what it was trained on."""
    model.save(words["output"])
    rows = [
        {"feature": name, "weight": weight}
        for name, weight in zip(model.names, model.weights, strict=True)
    ]
    yield Data(model.signature, features=rows, summary=[model.training])
    yield Rows(rows, "TESLA-F")
    kept = ("pairs", "ties", "rankings", "sentences", "consistency", "cross_validated")
    about = {name: model.training[name] for name in kept if name in model.training}
    yield Rows([{"trained on": "all", **about}], caption=model.signature)


_SHOWN = {
    "consistency": "consistency",
    "tau_wmt12": "tau 12",
    "tau_wmt13": "tau 13",
    "tau_wmt14": "tau 14",
    "spearman": "spearman",
    "pearson": "pearson",
}


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


def show_metrics(meta: Meta, words: Words) -> Pieces:
    """Show the agreement of metrics with rankings, and perhaps write it."""
    if words["comparisons"]:
        if not meta.comparisons.height:
            where = "of one metric" if words["bootstrap"] else "with --bootstrap 0"
            expected = "at least two" if words["bootstrap"] else "resamples"
            raise InputError(f"--comparisons {where}", expected=expected)
        write_table(meta.comparisons, words["comparisons"])
    yield meta
    yield from _tables(meta, words["bootstrap"] > 0)
    if meta.caution:
        print_warning(meta.caution)


def _tables(meta: Meta, resampled: bool) -> Iterator[Rows]:
    rows = []
    for row in meta.scores.to_dicts():
        shown: Row = {"metric": row["metric"]}
        for name, short in _SHOWN.items():
            span = (row[f"{name}_low"], row[f"{name}_high"]) if resampled else None
            shown[short] = with_interval(row[name], span)
        rows.append(shown)
    yield Rows(rows, "Agreement with human rankings")
    counts = ("metric", "pairs", "metric_ties", "human_ties", "unscored", "sentences", "systems")
    mark = meta.scores["signature"][0]
    several = meta.comparisons.height > 0
    yield Rows(
        [{name.replace("_", " "): row[name] for name in counts} for row in meta.scores.to_dicts()],
        caption="" if several else mark,
    )
    if several:
        title = "P-values of differences (two-sided, corrected for the number of pairs)"
        yield Rows(_matrix(meta), title, mark)


def _matrix(meta: Meta) -> list[Row]:
    """Return a row for a pair of metrics, with the corrected p-value of each figure."""
    rows: dict[tuple[str, str], Row] = {}
    for comparison in meta.comparisons.to_dicts():
        key = comparison["metric"], comparison["other"]
        row = rows.setdefault(key, {"metric": key[0], "other": key[1]})
        row[_SHOWN[comparison["figure"]]] = comparison["p_corrected"]
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

    is_one_pair = pair is not None or output is not None
    tables = [load_rankings(rankings, pair)] if is_one_pair else rankings_by_pair(rankings)
    rows = [{"pair": each.pair, **each.counts} for each in tables]
    chosen = pl.DataFrame(pl.from_arrow(tables[0].table)) if is_one_pair else None
    signature = signature_of_rankings(tables[0].table) if is_one_pair else ""
    yield Data(signature, pairs=rows, **({} if chosen is None else {"rankings": chosen}))
    yield Rows(rows)
