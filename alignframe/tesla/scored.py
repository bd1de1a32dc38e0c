"""The result of scoring by TESLA: segments, of which systems' scores are means."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from alignframe.core.choices import RESAMPLES
from alignframe.errors import unknown_name, warn_former
from alignframe.links.gold import BANDS, band_names
from alignframe.result import Result
from alignframe.sources.keys import Keys, named_by
from alignframe.sources.source import Source
from alignframe.stats.differences import place_of
from alignframe.stats.scores import Scores
from alignframe.stats.subsets import Chosen, signature_part
from alignframe.stats.task import Counted, Task
from alignframe.tesla.systems import mean_score, segment_counts

if TYPE_CHECKING:
    from alignframe.language import Analysis
    from alignframe.tesla.model import Model


@dataclass(frozen=True)
class Texts:
    """What was scored: translations by system and references, and how."""

    systems: Mapping[str, Source]
    references: Sequence[Source]
    analysis: Analysis
    metric: str
    model: Model | None
    weights: Mapping[str, float]


@dataclass(frozen=True)
class Segments:
    """Segments to score, and what is known of them."""

    systems: Sequence[str]
    make: Callable[[], pl.DataFrame]  # scores them: system, sid, score and features
    signature: str
    subset: Chosen | None = None  # of all sentences
    about: pl.DataFrame | None = None  # sid, n_ref and the columns of the first reference's table
    texts: Texts | None = None
    keys: Keys | None = None  # what numbers of sentences stand for, if columns identify them

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The scores and features of every system and sentence."""
        return self.make()

    def grouped(self, by: Sequence[str], bands: Sequence[int]) -> pl.DataFrame:
        """Return the segments, with the columns to group by."""
        frame = self.frame
        if by and self.about is not None:
            known = self.about
            if "length" in by and "length" not in known.columns:
                names = pl.Series(band_names(bands))
                band = np.searchsorted(np.asarray(bands), known["n_ref"].to_numpy())
                known = known.with_columns(length=names.gather(band))
            frame = frame.join(known.drop(set(frame.columns) - {"sid"}, strict=False), on="sid")
        for name in by:
            if name not in frame.columns:
                raise unknown_name(
                    "column in `by`", name, dict.fromkeys(("length", *frame.columns))
                )
        return frame


class TeslaScores(Scores):
    """The result of ``score``; its page shows the translations with their matchings.

    Examples
    --------
    >>> from alignframe import tesla
    >>> how, ref = tesla.Analysis.of(tagger="none"), ["the cat sat"]
    >>> found = tesla.score({"a": ref, "b": ["cat"]}, ref, analysis=how, bootstrap=0)
    >>> found.segments.select("system", "sid", "score").row(0)
    ('a', 0, 1.0)
    >>> found.worst(1)["score"].round(3).to_list()
    [1.0, 0.128]
    """

    @property
    def segments(self) -> pl.DataFrame:
        """The scores of every sentence: system, sid, score, and a column per feature.

        They are null where the reference is empty.
        """
        return self.restored(self.of_segments.frame)

    @property
    def of_segments(self) -> Segments:
        """The segments, and what is known of them."""
        (segments,) = self.inputs
        return segments  # type: ignore[no-any-return]

    @cached_property
    def scores(self) -> pl.DataFrame:
        """The scores, one row per system, best first; with ``by``, per system and group."""
        alone = self.of_segments.frame.drop_nulls("score")["sid"].n_unique() < 2
        drawn = self.resampling(0 if alone or self.task.unit in self.groups else RESAMPLES)
        found = self.task.scores(*self.inputs, by=self.groups, drawn=drawn, **self.options)
        if self.by:
            return self.restored(found)
        # The columns of intervals are there without resampling, too.
        if not drawn.resamples:
            ends = (pl.lit(None, pl.Float64).alias(f"score_{end}") for end in ("low", "high"))
            found = found.with_columns(ends)
        return found.select(
            *("system", "score", "score_low", "score_high", "segments", "signature")
        ).sort("score", descending=True, nulls_last=True, maintain_order=True)

    @property
    def systems(self) -> pl.DataFrame:
        """Former name of ``scores``."""
        warn_former("tesla.score(...).systems", "tesla.score(...).scores")
        return self.scores

    def compare(self, baseline: str) -> pl.DataFrame:
        """Compare every system with a baseline by the paired bootstrap over segments.

        See ``Scores.compare``.
        """
        place_of(baseline, self.of_segments.systems)  # before the work
        return super().compare(baseline)

    def tables(self) -> dict[str, pl.DataFrame]:
        """Return the scores of systems and of segments."""
        return {"scores": self.scores, "segments": self.segments}

    def page(self, **options: Any) -> Any:
        """Return the page; ``options`` are those of ``report.tesla_page``."""
        with named_by(self.keys):
            return Result.page(self, **options)


def _count(
    segments: Segments, *, by: Sequence[str], unit: str, bands: Sequence[int] = BANDS
) -> Counted:
    """Count the segments with a score, and sum scores; ``unit`` has no effect."""
    counts = segment_counts(segments.grouped(by, bands))
    if unit and not by:  # segments that no system has a score of are not resampled
        known = counts.filter(pl.col("segments") > 0)["sid"]
        if not counts["sid"].is_in(known.implode()).all() and known.len():
            counts = counts.filter(pl.col("sid").is_in(known.implode()))
    frame = counts.select([*dict.fromkeys(["system", "sid", *by, "total", "segments"])])
    about = segments.about
    banded = about is not None and "length" not in about.columns and "length" in by
    return Counted(
        frame,
        mean_score(segments.signature),
        (signature_part(segments.subset),),
        {"segments": "segments"},
        band_names(bands) if banded else (),
    )


TESLA = Task(_count)
"""How segments are counted."""
