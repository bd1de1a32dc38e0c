"""``alignframe tesla score``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from alignframe.cli.analysis_options import AnalysisOptions
from alignframe.cli.cells import with_interval, with_intervals
from alignframe.cli.drawn import Drawn
from alignframe.cli.progress import counting
from alignframe.cli.show import print_note, print_table, save_table, written
from alignframe.cli.tesla_metric import MetricOptions, systems_of
from alignframe.errors import InputError, number_of, unknown

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from alignframe.tesla import Scored


def score(
    *,
    options: AnalysisOptions,
    metric: MetricOptions,
    ref: list[str],
    hyp: list[str],
    by: list[str],
    drawn: Drawn,
    baseline: str | None,
    sids: str | None,
    where: str | None,
    encoding: str,
    segments: Path | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Score translations by TESLA."""
    from pathlib import Path

    from alignframe.tesla import score

    analysis = options.analysis(metric.metric, metric.model)
    systems = systems_of(hyp, encoding, analysis)
    if baseline is not None:
        if by:
            raise InputError("--baseline with --by", expected="one of them")
        names = [name for source in systems for name in source.systems()]
        _check_baseline(baseline, names, drawn.bootstrap)
    found = score(
        systems,
        [Path(path) for path in ref],
        analysis=analysis,
        **drawn.words,
        encoding=encoding,
        sids=sids,
        where=where,
        progress=counting("Scoring", "systems"),
        **metric.given(),
    )
    if segments:
        save_table(found.segments, segments, found.signature)
        print_note(f"{number_of(found.segments.height, 'segment')} written to {segments}")
    title = f"TESLA-{metric.metric.upper()}"
    if by:
        grouped = found.scores(by)
        if not written(grouped, output, as_json, "scores"):
            mark = grouped["signature"][0]
            print_table(with_intervals(grouped.drop("signature")), title=title, caption=mark)
        return
    frame = found.systems
    if baseline is not None:
        frame = _compared(frame, found, baseline)
    if not written(frame, output, as_json, "scores"):
        _show(frame.to_dicts(), title, found.signature)


def _check_baseline(baseline: str, systems: Iterable[str], bootstrap: int) -> None:
    """Refuse an impossible comparison, before any work is done."""
    if baseline not in systems:
        raise unknown("baseline", baseline, systems)
    if not bootstrap:
        raise InputError("--baseline with --bootstrap 0", expected="resamples, for its p-values")


def _compared(frame: pl.DataFrame, found: Scored, baseline: str) -> pl.DataFrame:
    """Add the difference from the baseline, its interval and its p-value."""
    import polars as pl

    figures = found.compare(baseline).select(
        "system", "difference", "difference_low", "difference_high", "p_value", "p_corrected"
    )
    frame = frame.with_columns(baseline=pl.lit(baseline))
    return frame.join(figures, on="system", how="left", maintain_order="left")


def _show(systems: list[dict[str, Any]], title: str, caption: str) -> None:
    rows = []
    for row in systems:
        shown = {
            "system": row["system"],
            "score": with_interval(row["score"], (row["score_low"], row["score_high"])),
            "segments": row["segments"],
        }
        if "baseline" in row:
            span = (row["difference_low"], row["difference_high"])
            shown[f"less {row['baseline']}"] = with_interval(row["difference"], span, sign="+")
            shown["p"] = row["p_corrected"]
        rows.append(shown)
    sizes = {row["segments"] for row in rows}
    if len(sizes) == 1:  # shown once, above the table
        number = sizes.pop()
        title = f"{title}, {number_of(number, 'segment')}"
        for row in rows:
            del row["segments"]
    print_table(rows, title=title, caption=caption)
