"""``alignframe beads study`` and ``tune``."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe.cli.progress import ProgressExecutor
from alignframe.cli.show import print_json, print_note, print_table, save_table, written
from alignframe.errors import DataWarning, number_of

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa


def study(
    *,
    src: str,
    tgt: str,
    scenarios: list[str],
    methods: list[str],
    model: str | None,
    other: str | None,
    threshold: float,
    skip: float,
    words: str,
    unit: str | None,
    smoothing: float | None,
    corpus: str | None,
    seed: int,
    encoding: str,
    threads: int | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Compare aligners on noisy documents made from a parallel text (Zaidan & Chowdhary 2013)."""
    from alignframe.beads.study import study as run
    from alignframe.formats.names import document_name
    from alignframe.formats.sentences import read_sentences

    sides = read_sides(src, tgt, encoding)
    with workers(threads) as executor:
        frame = run(
            *sides,
            scenarios="paper" if scenarios == ["paper"] else scenarios,
            methods=methods,
            model=model,
            seed=seed,
            corpus=document_name(src) if corpus is None else corpus,
            other=None if other is None else read_sentences(other, encoding),
            executor=executor,
            threshold=threshold,
            skip=skip,
            words=words,
            unit=unit,
            smoothing=smoothing,
        )
    if written(frame, output, as_json, "scores"):
        return
    _show(frame, all_rows=scenarios != ["paper"])
    for text in _silent(frame, threshold):
        print_note(text)
    if output:
        print_note(f"{number_of(frame.height, 'row')} written to {output}")
    elif scenarios == ["paper"]:
        print_note(f"{number_of(frame.height, 'row')} in all (-o FILE writes them)")


def _show(frame: pl.DataFrame, *, all_rows: bool) -> None:
    """Print one row per scenario and method: all, or those in the paper's table 1."""
    from alignframe.beads.noise import RATED
    from alignframe.beads.scenarios import TABLE_1

    rows = []
    for row in frame.iter_rows(named=True):
        setting = tuple(row[name] for name in ("scenario", "src_rate", "tgt_rate"))
        if not all_rows and setting not in TABLE_1:
            continue
        rates = ", ".join(f"{100 * x:g}%" for x in setting[1:] if row["scenario"] in RATED)
        measures = ("pair_precision", "pair_recall", "alignment_rate")
        precision, recall, rate = (row[name] for name in measures)
        rows.append(
            {
                "scenario": f"{row['scenario']} {rates}".rstrip(),
                "method": row["method"],
                "precision": precision,
                "recall": recall,
                "alignment rate": rate,
            }
        )
    marks = "\n".join(frame["signature"].unique(maintain_order=True))
    print_table(rows, title=f"Pairs of sentences: {frame['corpus'][0]}", caption=marks)


def _silent(frame: pl.DataFrame, threshold: float) -> list[str]:
    """Explain why methods find nothing in the clean text, where everything can be found."""
    rows = frame.filter(scenario="clean").iter_rows(named=True)
    return [
        f"no bead of {row['method']} is {'above' if not row['n_hyp_pairs'] else 'right above'} "
        f"the threshold {threshold:g} in the clean text; see --threshold"
        for row in rows
        if not row["n_both_pairs"]
    ]


def tune(
    *,
    src: str,
    tgt: str,
    method: str,
    scenario: str,
    rate: float | None,
    model: str | None,
    parameters: list[str],
    min_precision: float,
    words: str,
    unit: str | None,
    seed: int,
    encoding: str,
    threads: int | None,
    output: Path | None,
    tried: Path | None,
    corpus: str | None,
    as_json: bool,
) -> None:
    """Tune an aligner on one part of a parallel text with noise, and evaluate it on another."""
    from alignframe.beads.tune import tune as run
    from alignframe.formats.names import document_name

    sides = read_sides(src, tgt, encoding)
    # The same text is aligned repeatedly.
    warnings.filterwarnings("once", category=DataWarning)
    with workers(threads) as executor:
        found = run(
            *sides,
            method=method,
            scenario=scenario,
            rate=rate,
            model=model,
            parameters=parameters,
            min_precision=min_precision,
            seed=seed,
            corpus=document_name(src) if corpus is None else corpus,
            executor=executor,
            words=words,
            unit=unit,
        )
    if output:
        save_table(found.best, output)
    if tried:
        save_table(found.tried, tried)
    parts = {name: end - start for name, (start, end) in found.parts.items()}
    if as_json:
        sizes = {f"{name}_pairs": size for name, size in parts.items()}
        summary = [{**sizes, "tried": found.tried.height}]
        print_json({"best": found.best, "summary": summary}, found.signature)
        return
    rows = [_shown(row) for row in found.best.to_dicts()]
    said = ", ".join(f"{name} {size:,}" for name, size in parts.items())
    print_table(
        rows,
        title=f"{method}, {scenario}: precision and recall of pairs",
        caption="\n".join(
            [
                *([] if found.best["met"].all() else [_unmet(min_precision)]),
                f"sentence pairs before noise: {said}",
                found.signature,
            ]
        ),
    )
    print_note(
        f"{number_of(found.tried.height, 'setting')} tried"
        + (f", written to {tried}" if tried else "")
    )
    if output:
        print_note(f"{number_of(found.best.height, 'row')} written to {output}")


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row for the terminal, marked if it is not precise enough."""
    met = row["met"]
    unshown = ("corpus", "scenario", "rate", "met")
    shown = {key: value for key, value in row.items() if key not in unshown}
    whole: dict[str, Any] = {key: _whole(row[key]) for key in ("band", "largest") if key in row}
    mark = "" if met else " *"
    return {
        **shown,
        **whole,
        "tuned": f"{row['tuned']}{mark}",
    }


def _whole(value: float) -> float:
    """Return an integral number without decimals."""
    return int(value) if value.is_integer() else value


def _unmet(min_precision: float) -> str:
    return (
        f"* no setting of this row has a precision of {min_precision:g} on the tuning set "
        "(--min-precision); the most precise one is shown"
    )


def read_sides(src: str, tgt: str, encoding: str) -> list[pa.StringArray]:
    """Read two files of equal length; an InputError names them if they differ."""
    from alignframe.formats.parallel import read_parallel

    return [*read_parallel(src, tgt, encoding=encoding)[1:]]


def workers(threads: int | None) -> ProgressExecutor:
    """Yield threads that show their progress."""
    return ProgressExecutor(threads or os.cpu_count() or 1, "Aligning")
