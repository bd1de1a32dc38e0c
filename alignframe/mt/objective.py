"""The objective of tuning: any figure of sums over sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.core.arrays import F64, I64
from alignframe.core.arrow import as_array
from alignframe.core.choices import TRANSLATION_METRICS
from alignframe.core.figures import ratio
from alignframe.errors import InputError, unknown_name
from alignframe.functions.sequences import nested
from alignframe.mt.measures import METRICS, Metric, MetricOptions, Options
from alignframe.mt.texts import references
from alignframe.tesla.scorer import Scorer, scorer_of
from alignframe.tesla.stream import Stream
from alignframe.typing import Arguments, IntoSystems


class Objective:
    """A metric of translations against references, from 0 to 100, as named in ``Options``."""

    def __init__(
        self,
        metric: str | Scorer,
        ref: IntoSystems,
        encoding: str = "utf-8",
        **options: Any,
    ):
        # bleu or chrf with fields of `Options`, or a TESLA scorer, or tesla-m, -b or -f with its
        # options, averaged over sentences. Words are split at spaces by default.
        metric, options = _resolved(metric, options)
        sid, columns = references(ref, encoding)
        self.sid = sid
        self._stream: Stream | None = None
        if isinstance(metric, Scorer):
            self._stream = Stream([c.to_pylist() for c in columns], metric)
            self.names: tuple[str, ...] = ("score", "sentences")
            self.signature = metric.signature(len(columns))
            self.name = f"tesla-{metric.metric.name}"
            return
        made = Options(**options)
        chosen: Metric = METRICS[metric](made)
        self._metric = chosen
        self._refs = nested([chosen.prepare(column) for column in columns])
        self.names = chosen.measure.counts
        self.name = metric
        self.signature = chosen.measure.signature(f"refs:{len(columns)}", *made.shared)

    def count(self, rows: I64, texts: pl.Series) -> F64:
        """Return the counts of translations of some ``rows``, shape (translations, counts)."""
        frame = pl.DataFrame({"row": rows, "text": texts})
        # Lists of candidates repeat translations, which are counted once.
        each = frame.unique(maintain_order=True).with_row_index("at")
        counts_of_each = self._count(each["row"].to_numpy(), as_array(each["text"].to_arrow()))
        at = frame.join(each, on=["row", "text"], how="left", maintain_order="left")["at"]
        counts: F64 = counts_of_each[at.to_numpy()]
        return counts

    def _count(self, rows: I64, texts: pa.Array) -> F64:
        texts = texts.cast(pa.string())
        if self._stream is not None:
            lines = [
                f"{row} ||| {text}"
                for row, text in zip(rows.tolist(), texts.to_pylist(), strict=True)
            ]
            scores = np.array(self._stream.scores(lines))
            defined = ~np.isnan(scores)
            return np.stack([np.where(defined, scores, 0.0), defined.astype(np.float64)], axis=1)
        refs = self._refs.take(pa.array(rows))
        structs = self._metric.count(self._metric.prepare(texts), refs)
        return np.stack(
            [structs.field(name).to_numpy(zero_copy_only=False) for name in self.names], axis=1
        ).astype(np.float64)

    def score(self, sums: F64) -> F64:
        """Return the figure of sums of counts, shape (..., counts); 0 where undefined."""
        if self._stream is not None:
            return 100 * np.nan_to_num(ratio(sums[..., 0], sums[..., 1]))
        return figure_of(self._metric, sums)


def _resolved(metric: str | Scorer, options: Arguments) -> tuple[Any, Arguments]:
    """Return a metric with its options, or a scorer; refuse options of another metric."""
    of_text = MetricOptions.__annotations__.keys()
    if isinstance(metric, Scorer):
        odd = set(options)
    elif metric in METRICS:
        odd = options.keys() - of_text
    elif metric in TRANSLATION_METRICS:
        odd = options.keys() & of_text
    else:
        raise unknown_name("`metric`", metric, TRANSLATION_METRICS)
    if odd:
        name = metric if isinstance(metric, str) else f"tesla-{metric.metric.name}"
        raise InputError(
            f"`{min(odd)}` with the metric {name}, which does not use it",
            expected="only options of that metric",
        )
    if isinstance(metric, Scorer) or metric in METRICS:
        # Candidates of a decoder are tokenised already.
        return metric, {"tokenize": "none", **options}
    options.setdefault("tokens", "spaces")
    return scorer_of(metric.removeprefix("tesla-"), **options), {}


class CountedBleu:
    """BLEU from counts in a file."""

    def __init__(self) -> None:
        self._metric = METRICS["bleu"](Options(tokenize="none", smooth="none"))
        self.names = self._metric.measure.counts
        self.name = "bleu"
        self.signature = self._metric.measure.signature()

    def score(self, sums: F64) -> F64:
        """Return BLEU; see ``Objective.score``."""
        return figure_of(self._metric, sums)


def figure_of(metric: Metric, sums: F64) -> F64:
    """Return the only figure of a metric."""
    named = {name: sums[..., k] for k, name in enumerate(metric.measure.counts)}
    return np.nan_to_num(metric.measure.figures[0].of(named))


def rows_of(sid: Sequence[int] | I64, known: I64, what: str) -> I64:
    """Return the rows of sentences among the references, all of which must occur."""
    given = np.asarray(sid, np.int64)
    order = np.argsort(known, kind="stable")
    at = np.minimum(np.searchsorted(known[order], given), known.size - 1)
    rows: I64 = order[at]
    wrong = known[rows] != given
    if wrong.any():
        raise InputError(
            f"{what} has the sentence {given[int(wrong.argmax())]}",
            expected="only sentences of the reference, counted from 0",
        )
    absent = np.setdiff1d(np.arange(known.size), rows)
    if absent.size:
        raise InputError(
            f"{what} has no candidate of sentence {known[absent[0]]}",
            expected=f"at least one for each of {known.size:,} sentences",
        )
    return rows
