"""``alignframe measure``: scores and comparisons by a user-defined measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alignframe.cli.drawn import Drawn
from alignframe.cli.lake_apply import measure_of
from alignframe.cli.scores import deliver_comparisons, deliver_scores

if TYPE_CHECKING:
    from pathlib import Path


def score(
    *,
    counts: str,
    measure: str,
    by: list[str],
    unit: str,
    drawn: Drawn,
    output: Path | None,
    as_json: bool,
) -> None:
    """Score systems from a table of counts."""
    found = measure_of(measure)
    frame = found.scores(counts, by=by, unit=unit, **drawn.words)
    deliver_scores(frame, output, as_json, found.name)


def compare(
    *,
    counts: str,
    measure: str,
    unit: str,
    baseline: str,
    drawn: Drawn,
    output: Path | None,
    as_json: bool,
) -> None:
    """Test whether systems differ from a baseline, by the paired bootstrap over units."""
    frame = measure_of(measure).compare(counts, baseline=baseline, unit=unit, **drawn.words)
    deliver_comparisons(frame, output, as_json, baseline)
