"""``alignframe tesla score``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from alignframe.cli import given as g
from alignframe.cli.show import (
    check_table_path,
    print_json,
    print_note,
    print_table,
    save_table,
    ticking,
    with_interval,
)
from alignframe.cli.tesla_given import AnalysisOptions
from alignframe.cli.tesla_metric import MetricOptions, RefOption, systems_of

if TYPE_CHECKING:
    from alignframe.tesla import Scored


def _score(
    options: AnalysisOptions,
    metric: MetricOptions,
    ref: RefOption,
    hyp: Annotated[
        list[str],
        typer.Option(
            "--hyp",
            metavar="[NAME=]FILE",
            help="A system's translations, a sentence a line. Repeatable.",
        ),
    ],
    bootstrap: Annotated[
        int, typer.Option("--bootstrap", min=0, help="Resamples for intervals; 0 for none.")
    ] = 1000,
    confidence: g.ConfidenceOption = 0.95,
    seed: g.SeedOption = 1,
    encoding: g.EncodingOption = "utf-8",
    output: g.OutOption = None,
    as_json: g.JsonOption = False,
) -> None:
    """Score translations by TESLA: systems, and with -o their segments and features."""
    check_table_path(output)
    from pathlib import Path

    from alignframe.tesla import score

    found = score(
        systems_of(hyp, ref[0]),
        [Path(path) for path in ref],
        analysis=options.analysis(),
        bootstrap=bootstrap,
        confidence=confidence,
        seed=seed,
        encoding=encoding,
        track=_ticked,
        **metric.given(),
    )
    if output:
        save_table(found.segments, output)
        print_note(f"{found.segments.height:,} segments written to {output}")
    if as_json:
        print_json(found.systems.to_dicts())
    else:
        _show(found, metric.metric)


score = g.with_options(MetricOptions, "metric")(g.with_options(AnalysisOptions, "options")(_score))
"""The command."""


def _ticked(systems: Iterable[Any]) -> Iterable[Any]:
    return ticking(systems, "Scoring", lambda _: 1, "systems")


def _show(found: Scored, metric: str) -> None:
    rows = []
    for row in found.systems.to_dicts():
        figure = with_interval(row["score"], (row["ci_low"], row["ci_high"]))
        rows.append({"system": row["system"], "score": figure, "segments": row["segments"]})
    title = f"TESLA-{metric.upper()}"
    sizes = {row["segments"] for row in rows}
    if len(sizes) == 1:  # said once, above the table
        title = f"{title}, {sizes.pop():,} segments"
        rows = [{"system": row["system"], "score": row["score"]} for row in rows]
    print_table(rows, title=title, caption=found.signature)
