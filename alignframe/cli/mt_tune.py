"""``alignframe mt mert`` and ``mt tune``: weights of features."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from alignframe.cli.analysis_options import AnalysisOptions
from alignframe.cli.mt_metric import TunedFor
from alignframe.cli.progress import ProgressExecutor, spinner
from alignframe.cli.show import print_json, print_table


def mert(
    *,
    candidates: str,
    ref: list[str],
    counts: Path | None,
    metric: TunedFor,
    analysis: AnalysisOptions,
    weights: str | None,
    restarts: int,
    seed: int,
    encoding: str,
    output: Path,
    as_json: bool,
) -> None:
    """Find the weights that maximise the score on an n-best list."""
    from alignframe import mt

    found = mt.mert(
        candidates,
        [Path(path) for path in ref] or None,
        counts=counts,
        weights=weights,
        restarts=restarts,
        seed=seed,
        encoding=encoding,
        **metric.given(analysis),
    )
    note = f"{found.signature}\nscore: {found.score:.4f}, at the start {found.start_score:.4f}"
    mt.write_weights(found.to_weights(), output, note)
    if as_json:
        print_json(found.tables(), found.signature)
        return
    print_table(
        found.weights.to_dicts(),
        title=f"Weights: score {found.score:.4f}, at the start {found.start_score:.4f}",
        caption=f"{found.signature}\nwritten to {output}",
    )


def tune(
    *,
    table: str,
    lm: str,
    src: str,
    ref: list[str],
    weights: str | None,
    metric: TunedFor,
    analysis: AnalysisOptions,
    reordering: bool,
    pop: int,
    distortion: int,
    options: int,
    n_best: int,
    rounds: int,
    restarts: int,
    seed: int,
    threads: int | None,
    encoding: str,
    work: Path | None,
    output: Path,
    as_json: bool,
) -> None:
    """Tune the weights of a translation system on a development set."""
    from alignframe import mt
    from alignframe.errors import InputError

    if not ref:
        raise InputError("no reference", expected="at least one --ref, of the development set")
    folder = work or output.with_name(f"{output.name}.rounds")

    def progress(_: str, number: int, score: float) -> None:
        spinner().say(f"Tuning: round {number}, {metric.metric} {score:.2f}")

    with ProgressExecutor(threads or os.cpu_count() or 1, "Translating") as executor:
        found = mt.tune(
            src,
            [Path(path) for path in ref],
            table,
            lm,
            weights,
            reordering=reordering,
            pop=pop,
            distortion=distortion,
            options=options,
            n_best=n_best,
            rounds=rounds,
            restarts=restarts,
            seed=seed,
            work=folder,
            executor=executor,
            progress=progress,
            encoding=encoding,
            **metric.given(analysis),
        )
    mt.write_weights(found.to_weights(), output, f"{found.signature}\nscore: {found.score:.4f}")
    if work is None:
        shutil.rmtree(folder)
    if as_json:
        print_json(found.tables(), found.signature)
        return
    shown = found.rounds.select(
        "round", "candidates", "pool_score", "score", "best_score", "length_ratio"
    )
    print_table(
        shown.to_dicts(),
        title=f"Tuning for {metric.metric}",
        caption=f"{found.signature}\nthe weights of the best score were written to {output}",
    )
