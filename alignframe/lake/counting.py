"""Counting jobs: links, beads and translations of a unit against gold or references."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import polars as pl
import pyarrow as pa

from alignframe.arrays import I64
from alignframe.arrow import check_distinct, to_table
from alignframe.errors import InputError, in_file, number_of
from alignframe.lake.companions import Beside, texts
from alignframe.lake.jobs import Job, Settings
from alignframe.lake.units import SYSTEM, Unit
from alignframe.links.counts import UNIT, count_stream
from alignframe.links.inputs import gold_source, links_source
from alignframe.links.scores import links_measure
from alignframe.read.parquet import ParquetFiles
from alignframe.read.source import Source
from alignframe.stats.measure import Measure, joined
from alignframe.typing import FilePath

if TYPE_CHECKING:
    from alignframe.language.analysis import Analysis

_HELD_BYTES = 1 << 26
"""Gold of up to two partitions is kept in memory."""
_TESLA = threading.Lock()
"""Taggers serve one thread at a time."""


def _score_rows(unit: Unit, settings: Settings) -> Iterator[pa.Table]:
    """Yield the counts of every gold sentence of a unit, for each system."""
    hyp = unit.inputs["hyp"]
    given = [] if hyp is None else [links_source(hyp, unit.system)]
    stream = count_stream(
        given,
        _gold(unit.inputs["gold"]),
        by=unit.extra if given else (),
        possible_as_sure=settings["possible_as_sure"],
        strict=settings["strict"],
        systems=[] if unit.system is None else [unit.system],
    )
    for table in stream:
        yield table.drop_columns([UNIT])


def _gold(given: ParquetFiles | FilePath) -> Source:
    """Return gold, in memory if it is small, for reuse with other systems."""
    if isinstance(given, ParquetFiles) and (held := _held(given)) is not None:
        return links_source(held, name=given.name)
    return gold_source(given)


@lru_cache(maxsize=2)
def _held(files: ParquetFiles) -> pa.Table | None:
    given = gold_source(files)
    if given.is_long or files.unpacked_bytes() > _HELD_BYTES:
        return None
    batches = [batch.drop_columns(["system"]) for batch in given.batches(labels=True)]
    return pa.Table.from_batches(batches) if batches else None


def _score_measure(settings: Settings) -> Measure:
    """Return the measure of the counts."""
    return links_measure(
        settings.get("alpha", (0.5,)), possible_as_sure=settings["possible_as_sure"]
    )


def _beads_rows(unit: Unit, settings: Settings) -> Iterator[pa.Table]:
    """Yield the counts of the beads of each document of a unit."""
    from alignframe import beads

    gold, hyp = (_frame(unit, what) for what in ("gold", "hyp"))
    if isinstance(hyp, pl.DataFrame) and unit.system is not None:
        hyp = hyp.drop(SYSTEM, strict=False)
    named = hyp if unit.system is None else {unit.system: hyp}
    found = beads.counts(named, gold, one_sided=settings["one_sided"])
    yield found.drop("signature").to_arrow()


def _frame(unit: Unit, what: str) -> pl.DataFrame | str:
    """Return an input of a unit in memory, without partition keys; or its path."""
    given = unit.inputs[what]
    if not isinstance(given, ParquetFiles):
        empty = dict.fromkeys(("src_start", "src_end", "tgt_start", "tgt_end"), pl.Int64)
        return pl.DataFrame(schema={"doc": pl.String, **empty}) if given is None else given
    keys = {name for name, _ in unit.keys} - {"doc"}
    return pl.DataFrame(to_table(given)).drop(keys, strict=False)


def _beads_measure(settings: Settings) -> Measure:
    """Return the measure of the counts."""
    from alignframe.beads.measure import beads_measure as measure

    return measure(settings["one_sided"])


def _tesla_rows(unit: Unit, settings: Settings) -> Iterator[pa.Table]:
    """Yield the counts of every translation of a unit against its reference."""
    ref = Beside(unit.inputs["ref"], "ref")
    sids: dict[str, list[I64]] = {}
    for system, frame in texts(unit.inputs["hyp"], unit.system):
        sids.setdefault(system, []).append(frame["sid"].to_numpy())
        beside = ref.of(sids[system][-1])
        yield _counted(system, frame, beside, settings).to_arrow()
    matched = {name for name, _ in unit.matched} | {SYSTEM}
    for system, parts in sids.items():
        with in_file(unit.inputs["hyp"].name):
            check_distinct(parts, system)
        size = sum(part.size for part in parts)
        if {name for name, _ in unit.keys} <= matched and size != ref.rows:
            raise InputError(
                f"{system} has {number_of(size, 'sentence')}, ref {ref.rows:,}",
                expected="the same sentences in both",
            )
    if not sids:
        raise InputError("has no translations", path=unit.inputs["hyp"].name)


def _counted(
    system: str, frame: pl.DataFrame, ref: pl.DataFrame, settings: Settings
) -> pl.DataFrame:
    metric, options = settings["metric"], settings["options"]
    if not metric.startswith("tesla-"):
        from alignframe import mt

        return mt.counts({system: frame}, ref, metrics=[metric], **options).drop("signature")
    from alignframe import tesla
    from alignframe.tesla.systems import segment_counts

    with _TESLA:
        scored = tesla.score(
            {system: frame},
            ref,
            metric[-1],
            analysis=analysis_of(settings["analysis"]),
            bootstrap=0,
            **options,
        )
    return segment_counts(scored.segments).select("system", "sid", "total", "segments")


def analysis_of(options: Settings) -> Analysis:
    """Return the text analysis of TESLA, cached by its options."""
    return _analysis(json.dumps(options))


@cache
def _analysis(options: str) -> Analysis:
    from alignframe.language import Analysis

    return Analysis.of(**json.loads(options))


def _tesla_measure(settings: Settings) -> Measure:
    """Return the measure of the counts."""
    return _measure(_choices(settings), False)


def _tesla_sentences(settings: Settings) -> Measure:
    """Return the measure of the counts of a single sentence."""
    return _measure(_choices(settings), True)


def _choices(settings: Settings) -> str:
    return json.dumps({name: settings[name] for name in ("metric", "options", "analysis")})


@cache
def _measure(given: str, sentences: bool) -> Measure:
    settings = json.loads(given)
    metric, options = settings["metric"], settings["options"]
    if not metric.startswith("tesla-"):
        from alignframe.mt.measures import METRICS, Options

        made = Options(**options)
        own = METRICS[metric](made, sentences=sentences).measure
        return joined([own], ("refs:1", *made.shared))
    from alignframe.tesla.scorer import Scorer
    from alignframe.tesla.systems import mean_score

    analysis = analysis_of(settings["analysis"])
    return mean_score(Scorer(analysis, metric[-1], **options).signature(1))


SCORE = Job(
    "score",
    "counts",
    ("hyp", "gold"),
    _score_rows,
    _score_measure,
    whole=True,
    shown=(("n_hyp", "links"),),
)
BEADS = Job(
    "beads",
    "counts",
    ("hyp", "gold"),
    _beads_rows,
    _beads_measure,
    whole=True,
    resampled="doc",
    shown=(("sentences", "documents"),),
)
TESLA = Job("tesla", "counts", ("hyp", "ref"), _tesla_rows, _tesla_measure, _tesla_sentences)
