"""The page of an alignment: training, probabilities, and quality against gold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from alignframe.aligners import charts
from alignframe.aligners.confidence import Aligned
from alignframe.aligners.sentences import sentence_scores
from alignframe.errors import number_of, sentence_name
from alignframe.links.page import sentences_of
from alignframe.links.worst import words_of
from alignframe.pages.page import Figure, Page, Table
from alignframe.pages.sentences import (
    Evidence,
    Sentences,
    Value,
    by_system,
    left_out,
    line_of,
    rounded,
)
from alignframe.pages.tables import differences_tables, leading, score_table, scored_how
from alignframe.pages.theme import heading
from alignframe.stats.conclusions import ranking
from alignframe.typing import Row

_SIDES = (("src", "source"), ("tgt", "target"))
_DOUBTFUL = 1_000
"""Without gold, so many sentences are listed."""

Steps = Sequence[Mapping[str, Any]]


def aligners_page(
    aligned: Aligned, *, title: str = "Word alignments and their probabilities"
) -> Page:
    """Build the page: training, link probabilities of each direction, and their calibration.

    Parameters
    ----------
    aligned
        A result of ``alignframe.aligners.evaluate``.
    title
        Title of the page.
    """
    method, joined = aligned.linking.symmetrize, aligned.linking.joined
    heads = {"system": "System", "links": "Links", "probability": "Mean probability"}
    heads |= {"src": "Source unaligned", "tgt": "Target unaligned"}
    heads |= {name: heading(name) for name in aligned.systems.columns[len(heads) :]}
    notes = ["Probabilities are those of a link given both sentences, under the model."]
    notes[0] += " That of a combined link is the mean of both directions." * joined
    if aligned.gold is not None:
        notes.append(
            "Scores: Fraser & Marcu 2007, Computational Linguistics 33(3), equations 1-3. A link "
            "is right if gold has it as Sure or Possible."
        )
    pairs = aligned.text.num_rows
    about = f"{number_of(pairs, 'sentence pair')}, aligned " + (
        f"in both directions, which are combined by {method}."
        if joined
        else f"in the direction {next(iter(aligned.histories))}."
    )
    quality, best, said = aligned.quality, None, ""
    tests: list[Table] = []
    frame, lead = aligned.systems, _expected(aligned.systems.row(-1, named=True))
    if quality is None:
        listed = _doubtful(aligned)
        about += left_out(listed, pairs, "the least sure ones")
    else:
        lower, differences = {"aer"}, quality.comparisons
        number = quality.counted.frame["sid"].n_unique()
        units = number_of(number, "gold sentence")
        figures = {"aer": heading("aer"), "f_0.5": heading("f_0.5")}
        lead = ranking(quality.scores, differences, figures, lower, units=units)
        listed = sentences_of(quality, quality.scores["system"].to_list())
        about += f" {units} judge{'s' * (number == 1)} them."
        about += left_out(listed, number, "those with the most errors")
        best, said, tests = (
            leading(quality.ranks),
            scored_how(quality.scores, quality.ranks, units),
            differences_tables(differences, quality.scores, units, lower),
        )
        ends = quality.scores.select(pl.col("system").cast(pl.String), pl.col("^.*_(low|high)$"))
        frame = frame.join(ends, on="system", how="left", maintain_order="left")
    return Page(
        title=title,
        lead=lead,
        table=score_table(
            frame, heads, forms=dict.fromkeys(("src", "tgt"), ".1%"), best=best, caption=said
        ),
        figures=_figures(aligned.links, aligned.gold, aligned.histories),
        tables=[
            *tests,
            *([_training(aligned.histories)] if any(aligned.histories.values()) else []),
        ],
        notes=notes,
        signature=" ".join(filter(None, [aligned.signature, quality.signature if quality else ""])),
        sentences=listed,
        about=about,
    )


def _expected(last: Row) -> str:
    """Return how many links the model expects to be right, and the words without one."""
    if last["probability"] is None:
        return f"{last['system']} has no links."
    bare = [
        f"{last[side]:.1%} of the {name} words" for side, name in _SIDES if last[side] is not None
    ]
    return (
        f"By the model's own probabilities, {last['probability']:.1%} of the "
        f"{number_of(last['links'], 'link')} of {last['system']} are right; no gold tests this. "
        f"{' and '.join(bare)} have no link."
    )


def _doubtful(aligned: Aligned) -> Sentences | None:
    """Return the sentences with links, those of the lowest mean probability first."""
    order = aligned.systems["system"].to_list()[::-1]
    scored, figure = aligned.scores(), "mean_probability"
    others = aligned.links.filter(pl.col("system") != order[0])
    if others.height:
        scored = pl.concat([scored, sentence_scores(others, aligned.text)])
    known = scored.filter(pl.col("system") == order[0], pl.col(figure).is_not_null())
    sids = known.sort(figure, "sid").head(_DOUBTFUL)["sid"].to_list()
    own = pl.col("sid").is_in(sids)
    words, values = words_of(aligned.text, sids), by_system(scored.filter(own), [figure], order)
    evidence = {sid: Evidence() for sid in sids}
    shown = aligned.links.filter(own).select("system", "sid", "links", "probabilities")
    for system, sid, found, chances in shown.iter_rows():
        i, j = ([link[side] for link in found] for side in ("i", "j"))
        evidence[sid].add(order.index(system), [i, j, rounded(chances, 3)], None)
    rows = [
        {
            "unit": sentence_name(sid),
            "values": values(sid),
            "detail": evidence[sid].as_json(words[sid]),
            **line_of(words[sid][0]),
        }
        for sid in sids
    ]
    figures = [Value(heading(figure))]
    return Sentences("links", rows, order, figures, first="least sure first") if rows else None


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
    return [step for step in steps if step["log_likelihood"] is not None]


def _training(histories: Mapping[str, Steps]) -> Table:
    """Return one row per stage of training."""
    every = [{"direction": name, **step} for name, steps in histories.items() for step in steps]
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
