"""``alignframe lake apply``: user-defined functions and measures, as ``MODULE:NAME``."""

from __future__ import annotations

from alignframe.cli.lake import Doing, deliver_run
from alignframe.cli.measure import loaded, measure_of
from alignframe.cli.sources import named_place


def apply(
    *,
    doing: Doing,
    function: str,
    places: list[str],
    measure: str | None,
    unit: str,
    as_json: bool,
) -> None:
    """Apply a function to each partition of a lake."""
    found = loaded(function)
    declared = measure_of(measure) if measure else None
    from alignframe import lake

    inputs = dict(named_place(text, "input") for text in places)
    run = lake.apply(
        found, inputs, doing.out, measure=declared, unit=unit, **doing.how("Applying the function")
    )
    deliver_run(run, doing.out, as_json)
