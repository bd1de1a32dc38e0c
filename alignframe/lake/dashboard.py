"""The dashboard of a lake: quality over runs, down to single sentences, in one file."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from alignframe.core.choices import PREVIOUS, RESAMPLES
from alignframe.errors import warn
from alignframe.lake.cautions import warn_of
from alignframe.lake.dashboard_evidence import UNREADABLE, Details
from alignframe.lake.dashboard_lead import leads_of, left_out, main_figure
from alignframe.lake.fields import Field, Sentences
from alignframe.lake.over_time import History, Making
from alignframe.options import checked
from alignframe.pages.sentences import inside, packed_json, rounded, steps
from alignframe.pages.shell import MAX_MB, rendered, write_whole
from alignframe.pages.theme import heading
from alignframe.stats.bootstrap import EXCHANGED, Resampling
from alignframe.stats.paired import FEW
from alignframe.typing import (
    Confidence,
    FilePath,
    ForOutput,
    FromOne,
    FromZero,
    Rare,
    Resamples,
    Row,
    Seed,
    Share,
)

TOP = 200
RECENT = 10


@dataclass(frozen=True)
class Dashboard:
    """A page whose views are rendered in the browser from compressed data.

    Parameters
    ----------
    title, lead, set_up
        The heading of the page: what the last run changed, and what is compared with what.
    blocks
        The data by name; ``index`` is for the first view.
    history
        The tables of the page.
    cautions
        What is wrong with the current counts.
    """

    title: str
    lead: str
    set_up: str
    blocks: dict[str, str]
    history: History
    cautions: Sequence[str] = ()
    sentences: None = None

    @property
    def signature(self) -> str:
        """The signature of the tables."""
        return self.history.signature

    @property
    def exchanged(self) -> int:
        """Below how many units labels were exchanged as well, if they were."""
        return FEW * (EXCHANGED in self.signature)

    def html(self, folder: str = "") -> str:
        """Return the page; with a folder, all data except that of the first view is linked."""
        first = {"index": self.blocks["index"]}
        others = {name: block for name, block in self.blocks.items() if name != "index"}
        return rendered(
            "lake.html.jinja",
            self,
            first=inside(first),
            others="" if folder else inside(others),
            parts=folder,
            step="date" if self.history.dates else "run",
        )

    def write(self, path: FilePath, *, max_mb: float = MAX_MB) -> list[Path]:
        """Write the page, with its data in separate files if it would exceed ``max_mb``.

        Returns
        -------
        list of Path
            The page, and the folder of its data, if any.
        """
        others = {name: block for name, block in self.blocks.items() if name != "index"}
        return write_whole(path, self.html, others, max_mb)


@checked
def lake_report(
    out: str | PathLike[str],
    *,
    text: str | PathLike[str] | None = None,
    baseline: str = PREVIOUS,
    alpha: Sequence[Share] = (0.5,),
    bootstrap: Resamples = RESAMPLES,
    confidence: Confidence = 0.95,
    seed: Seed = 1,
    top: ForOutput[FromZero] = TOP,
    recent: FromOne = RECENT,
    title: Rare[str] = "Quality over time",
) -> Dashboard:
    """Build the dashboard: systems by corpus, trends over runs, sentences that changed.

    Parameters
    ----------
    out, baseline, alpha, bootstrap, confidence, seed
        See ``alignframe.lake.history``.
    text
        A place with text (sid, src, tgt), for the words in alignment grids.
    top
        The number of sentences per corpus with words, links and translations: those that changed
        most, then the worst ones.
    recent
        The number of last runs for which the page has links and translations, with their baselines,
        as far as they still exist: Delta and Iceberg keep earlier versions, and runs keep copies of
        small files.

    Returns
    -------
    Dashboard
        ``write`` writes the file.

    Examples
    --------
    >>> from alignframe import formats, lake, report
    >>> formats.write(formats.read("datasets/en-fr/eager.talp"), "links.parquet")
    >>> run = lake.score("links.parquet", "datasets/en-fr/gold.talp", "counts")
    >>> report.lake_report("counts", bootstrap=0).write("dashboard.html")
    [PosixPath('dashboard.html')]
    """
    made = Making(fspath(out), baseline, alpha, Resampling(bootstrap, confidence, seed))
    warn_of(made.cautions)
    details = Details(made.past, None if text is None else fspath(text))
    blocks: dict[str, str] = {}
    every: list[Field] = []
    changed: list[pl.DataFrame] = []
    shapes: list[list[Row]] = []
    opened: list[tuple[int, int]] = []  # sentences with words and links, and all
    for field, alone in made.fields():
        every.append(field)
        if alone is None:
            continue
        # Blocks are named by the place of the corpus, which the page's script knows.
        number = len(every) - 1
        changed.append(made.changes(field, alone, top))
        shapes.append([])
        for figure, _ in enumerate(made.measure.names):
            # Most sentences have the same figures in many states, so that differences pack well.
            coded = steps(alone.values[:, figure])
            blocks[f"v-{number}-{figure}"] = coded.pop("data")
            shapes[-1].append(coded)
        every_unit = alone.units.tolist()
        lines = _lines(details, field.corpus or "", every_unit)
        lengths = [len(line[0].split()) if line else None for line in lines]
        blocks[f"u-{number}"] = packed_json(
            {"units": every_unit, "size": rounded(alone.size, 2)}
            | ({"length": lengths} if any(lines) else {})
        )
        if any(lines):
            blocks[f"w-{number}"] = packed_json([" \t".join(line) for line in lines])
        units = _shown(made, field, alone, changed[-1], top)
        opened.append((len(units), len(every_unit)))
        # Links of recent runs are shown; matches take time, so they are those of the last run.
        wanted = [_states(made, field, recent), _states(made, field, 1)]
        blocks[f"d-{number}"] = packed_json(details.of(field.corpus or "", units, *wanted))
    history = made.history(pl.concat(changed))
    if details.error is not None and not details.found:
        # Nothing was found to open, so the page does not offer it.
        details.kind = ""
        warn(f"the page has no words or links of single sentences: {details.error}")
    blocks["index"] = packed_json(_index(made, history, every, shapes, details, top, recent))
    sizes = details.kind, opened, top, history.sentences.height > 0
    lead, set_up = leads_of(made, history)
    set_up = " ".join([set_up, *left_out(*sizes)])
    return Dashboard(title, lead, set_up, blocks, history, made.cautions)


def _lines(details: Details, corpus: str, units: Sequence[object]) -> list[tuple[str, ...]]:
    """Return the words of all sentences of a corpus; empty if they cannot be read."""
    try:
        return details.lines(corpus, units)
    except UNREADABLE as error:
        details.error = error
        return [() for _ in units]


def _states(made: Making, field: Field, recent: int) -> list[int]:
    """Return the states of a corpus in the last runs, and their baselines."""
    runs, systems = field.at.shape
    states: dict[int, None] = {}
    for run in range(max(0, runs - recent), runs):
        for place in range(systems):
            bases = (made.baselines.found(field, (run, place), name) for name in made.measure.names)
            places = [(run, place), *(base for base in bases if base is not None)]
            states |= dict.fromkeys(int(field.at[at]) for at in places)
    return sorted(state for state in states if state >= 0)


def _shown(
    made: Making, field: Field, alone: Sentences, changed: pl.DataFrame, top: int
) -> list[Any]:
    """Return the units of a corpus that changed most, and the worst ones of the last run.

    Those of every system come in turn, so that each has some.
    """
    weight = pl.col("difference").abs() * pl.col("size")
    most = (
        changed.group_by("system", "unit")
        .agg(weight.max())
        .with_columns(place=pl.col("difference").rank("ordinal", descending=True).over("system"))
        .group_by("unit")
        .agg(pl.col("place").min(), pl.col("difference").max())
        .sort("place", "difference", "unit", descending=[False, True, False])
    )
    states = field.at[-1][field.at[-1] >= 0]
    if not states.size:
        return most["unit"].head(top).to_list()
    figure = main_figure(made.measure.names)
    first = made.measure.figures[figure]
    values = alone.values[states, figure].astype(np.float64)
    known = np.isfinite(values)
    mean = np.where(known, values, 0).sum(0) / np.maximum(known.sum(0), 1)
    # The errors of a sentence weigh by its size, so long sentences with many errors come first.
    error = (mean.max(initial=0) - mean if first.higher_is_better else mean) * alone.size
    worst = np.argsort(-np.where(known.any(0), error, -1), kind="stable")
    units = [*most["unit"].head(top).to_list(), *alone.units[worst[:top]].tolist()]
    return list(dict.fromkeys(units))[:top]


def _index(
    made: Making,
    history: History,
    every: Sequence[Field],
    shapes: Sequence[object],
    details: Details,
    top: int,
    recent: int,
) -> Row:
    """Return the data of the first view, as JSON."""
    past, measure = made.past, made.measure
    signatures = history.runs["signature"].unique(maintain_order=True).to_list()
    runs = len(past.moments)
    return {
        "runs": history.runs["run"].to_list(),
        "started": [moment.started for moment in past.moments],
        "step": past.step,
        "signatures": signatures,
        "signature_of": [signatures.index(signature) for signature in history.runs["signature"]],
        "systems": past.systems,
        "corpora": [field.corpus or None for field in every],
        "figures": [
            {"name": name, "label": heading(name), "lower": name in measure.lower_is_better}
            for name in measure.names
        ],
        "unit": "document" if past.job.resampled == "doc" else "sentence",
        "main": main_figure(measure.names),
        "kind": details.kind,
        "top": top,
        "recent": max(0, runs - recent),
        "idle": past.idle,
        "labels": [moment.labels for moment in past.moments],
        "revisions": history.runs["revision"].to_list(),
        # States can be compared if they have the same number.
        "grounds": [_numbered(field.grounds) for field in every],
        "at": [field.at.tolist() for field in every],
        "shapes": shapes,
        "confidence": made.resampling.confidence,
        "baseline": made.baselines.given,
        "scores": _columns(history.scores, made, every),
        "tests": _columns(history.tests, made, every),
    }


def _columns(frame: pl.DataFrame, made: Making, every: Sequence[Field]) -> dict[str, Any]:
    """Return the columns of a table, with names as indices."""
    past = made.past
    numbers: dict[str, list[Any]] = {
        "run": [moment.run for moment in past.moments],
        "corpus": [field.corpus or None for field in every],
        "system": past.systems,
        "measure": made.measure.names,
    }
    numbers |= {"baseline_run": numbers["run"], "baseline_system": numbers["system"]}
    out: dict[str, Any] = {}
    for name in frame.columns:
        column = frame[name]
        known = numbers.get(name)
        if known is not None:
            places = {value: at for at, value in enumerate(known)}
            out[name] = [places[value] for value in column]
        elif column.dtype.is_float():
            # With fewer digits, the page would round some figures otherwise than its first lines.
            out[name] = rounded(column.fill_null(float("nan")).to_numpy(), 8)
        else:
            out[name] = column.to_list()
    return out


def _numbered(values: Sequence[Hashable]) -> list[int]:
    """Return equal values as equal numbers."""
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(value, len(numbers)) for value in values]
