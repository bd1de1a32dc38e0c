"""What jobs count: links, beads and translations of a unit against its gold or references."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from alignframe.lake.jobs import Settings
from alignframe.lake.units import Unit
from alignframe.links.counts import UNIT, count_stream
from alignframe.links.inputs import Input
from alignframe.links.scores import links_measure
from alignframe.stats.measure import Measure


def score_rows(unit: Unit, settings: Settings) -> Iterator[pa.Table]:
    """Yield the counts of every gold sentence of a unit, for each of its systems."""
    hyp = unit.inputs["hyp"]
    given = [] if hyp is None else [Input(hyp, unit.system)]
    stream = count_stream(
        given,
        Input(unit.inputs["gold"]),
        by=unit.extra if given else (),
        possible_as_sure=settings["possible_as_sure"],
        strict=settings["strict"],
        systems=[] if unit.system is None else [unit.system],
    )
    for table in stream:
        yield table.drop_columns([UNIT])


def score_signature(settings: Settings) -> str:
    """Return the signature of the counts."""
    return score_measure(settings).signature()


def score_measure(settings: Settings) -> Measure:
    """Return what is made of the counts."""
    return links_measure(
        settings.get("alpha", (0.5,)), possible_as_sure=settings["possible_as_sure"]
    )
