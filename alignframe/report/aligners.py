"""The report of a new alignment: training, probabilities, and quality against gold."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from alignframe import links
from alignframe.aligners.bidirectional import Direction, Linking, decode_directions, join
from alignframe.aligners.confidence import long_links
from alignframe.charts import aligners as charts
from alignframe.charts.theme import heading
from alignframe.errors import DataWarning
from alignframe.measures import link_figures
from alignframe.report.page import Figure, Page, Table
from alignframe.report.tables import score_table
from alignframe.signatures import whole_signature
from alignframe.symmetrization import DEFAULT
from alignframe.typing import IntoGold

Steps = list[dict[str, Any]]

_SIDES = {"src": "i", "tgt": "j"}
"""The sides of a text, and their columns of positions in links."""


def aligners_report(
    directions: Iterable[Direction],
    bitext: pa.Table,
    *,
    symmetrize: str = DEFAULT,
    threshold: float | None = None,
    gold: IntoGold | None = None,
    title: str = "Word alignments and their probabilities",
) -> Page:
    """Build the report: training, link probabilities of each direction, and their calibration.

    Parameters
    ----------
    directions
        One or both directions, each with the text read for it; see
        ``alignframe.aligners.bidirectional.fit_directions`` and ``read_directions``.
    bitext
        The text: sid, src and tgt.
    symmetrize, threshold
        See ``alignframe.aligners.align``; unused for a single direction.
    gold
        Gold links of some sentences, for scores, calibration, and scores without improbable links.

    Returns
    -------
    Page
        ``write`` writes an HTML file, ``write_figures`` images.

    Examples
    --------
    >>> from alignframe import aligners, formats, report
    >>> from alignframe.aligners.bidirectional import fit_directions
    >>> text = formats.read_bitext("datasets/en-fr/text.en", "datasets/en-fr/text.fr")
    >>> fitted = fit_directions(text, aligners.Training("ibm1"))
    >>> report.aligners_report(fitted, text).table.heads[:3]
    ['System', 'Links', 'Mean probability']
    """
    histories: dict[str, Steps] = {}
    about: list[str] = []

    def keep(one: Direction) -> Direction:
        name = "reverse" if one.model.reverse else "forward"
        histories[name] = one.model.history
        if not about:
            about.extend(_about(one))
        return one

    linking = Linking(symmetrize, threshold, posterior=True)
    sides = decode_directions(map(keep, directions), linking)
    frames = [side.links for side in sides]
    if linking.joined:
        frames.append(join(sides, linking))
    alignments = pl.concat(frames)
    about += [f"symmetrize:{symmetrize}", f"threshold:{'none' if threshold is None else threshold}"]
    sentences = frames[0].height
    figures = _figures(alignments, gold, histories)
    lead = f"{sentences:,} sentence pairs, aligned " + (
        f"in both directions, which are combined by {symmetrize}."
        if linking.joined
        else f"in the direction {next(iter(histories))}."
    )
    return Page(
        title=title,
        lead=lead,
        table=_table(frames, bitext, gold),
        figures=figures,
        tables=[_training(histories)] if any(histories.values()) else [],
        notes=_notes(linking.joined, gold),
        signature=whole_signature("metric:aligners", *about),
    )


def _about(one: Direction) -> list[str]:
    model = one.model
    options = [f"{name}:{value}" for name, value in sorted(model.options.items())]
    return [f"model:{model.kind}", *options, f"max-length:{model.max_length}"]


def _figures(alignments: pl.DataFrame, gold: Any, histories: Mapping[str, Steps]) -> list[Figure]:
    linked = bool(alignments["links"].list.len().sum())
    judged = linked and gold is not None
    figures = []
    if linked:
        figures.append(
            Figure(
                "probabilities",
                charts.link_probabilities(alignments),
                "The share of links that each threshold would remove.",
            )
        )
    if judged:
        figures += [
            Figure(
                "calibration",
                charts.probability_calibration(alignments, gold),
                "Links of gold sentences, in ten ranges of probability; bars are 95% intervals.",
            ),
            Figure(
                "thresholds",
                charts.scores_over_threshold(alignments, gold),
                "On gold sentences, without the links below each threshold.",
                wide=True,
            ),
        ]
    if any(_known(steps) for steps in histories.values()):
        figures.append(
            Figure(
                "learning",
                charts.learning_curve(histories, wide=judged),
                "The natural logarithm of the probability of the training text; stages are "
                "different models.",
                wide=judged,
            )
        )
    return figures


def _known(steps: Steps) -> Steps:
    return [one for one in steps if one["log_likelihood"] is not None]


def _table(frames: list[pl.DataFrame], bitext: pa.Table, gold: Any) -> Table:
    """Return one row per system: links, their mean probability, unaligned words, and scores."""
    totals = {side: pc.sum(pc.list_value_length(bitext.column(side))).as_py() for side in _SIDES}
    rows = []
    for frame in frames:
        every = long_links(frame)
        linked = {side: every.select("sid", place).n_unique() for side, place in _SIDES.items()}
        rows.append(
            {
                "system": str(frame["system"][0]),
                "links": every.height,
                "probability": every["probability"].mean(),
                **{side: 1 - linked[side] / of if of else None for side, of in totals.items()},
                **(_scores(frame, gold) if gold is not None else {}),
            }
        )
    heads = {"system": "System", "links": "Links", "probability": "Mean probability"}
    heads |= {"src": "Source unaligned", "tgt": "Target unaligned"}
    if gold is not None:
        heads |= {one.name: heading(one.name) for one in link_figures({})}
    return score_table(
        pl.DataFrame(rows, infer_schema_length=None),
        heads,
        forms=dict.fromkeys(_SIDES, ".1%"),
    )


def _scores(frame: pl.DataFrame, gold: Any) -> dict[str, Any]:
    with warnings.catch_warnings():
        # Gold usually covers only a few sentences of a large text.
        warnings.filterwarnings("ignore", ".*sentences that gold does not have", DataWarning)
        found = links.scores(frame.drop("probabilities"), gold)
    return found.select(one.name for one in link_figures({})).row(0, named=True)


def _training(histories: Mapping[str, Steps]) -> Table:
    """Return one row per stage of training."""
    every = [{"direction": name, **one} for name, steps in histories.items() for one in steps]
    stages = (
        pl.DataFrame(every, infer_schema_length=None)
        .group_by("direction", "stage", maintain_order=True)
        .agg(
            pl.len().alias("iterations"),
            pl.col("log_likelihood").first().alias("first"),
            pl.col("log_likelihood").last().alias("last"),
        )
    )
    heads = {"direction": "Direction", "stage": "Stage", "iterations": "Iterations"}
    heads |= {"first": "Log-likelihood at first", "last": "At last"}
    return score_table(stages, heads, form=",.0f", title="Training")


def _notes(joined: bool, gold: Any) -> list[str]:
    notes = ["Probabilities are those of a link given both sentences, under the model."]
    if joined:
        notes[0] += " That of a combined link is the mean of both directions."
    if gold is not None:
        notes.append(
            "Scores: Fraser & Marcu 2007, Computational Linguistics 33(3), equations 1-3. A link "
            "is right if gold has it as Sure or Possible."
        )
    return notes
