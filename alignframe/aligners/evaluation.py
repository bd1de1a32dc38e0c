"""Evaluating an alignment: links, probabilities and scores of each direction and of both joined."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from alignframe import links
from alignframe.aligners.bidirectional import Direction, Linking, decode_directions, join
from alignframe.aligners.confidence import long_links
from alignframe.errors import DataWarning
from alignframe.measures import link_figures
from alignframe.result import Result
from alignframe.signatures import whole_signature
from alignframe.symmetrization import DEFAULT
from alignframe.typing import IntoGold

_SIDES = {"src": "i", "tgt": "j"}
"""The sides of a text, and their columns of positions in links."""


@dataclass(frozen=True, repr=False)
class Aligned(Result):
    """Links of each direction and of both joined, with what their page shows."""

    systems: pl.DataFrame  # links, mean probability, unaligned words, and scores against gold
    links: pl.DataFrame  # with probabilities
    histories: Mapping[str, Sequence[Mapping[str, Any]]]  # of training, by direction
    linking: Linking
    gold: IntoGold | None
    signature: str


def evaluate(
    directions: Iterable[Direction],
    bitext: pa.Table,
    *,
    symmetrize: str = DEFAULT,
    threshold: float | None = None,
    gold: IntoGold | None = None,
) -> Aligned:
    """Align a text in one direction or both, and evaluate the links of each and of both joined.

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
    alignframe.result.Result
        ``systems``, a row each: system, links, probability (their mean), src and tgt (the share of
        words without a link) and, with gold, precision, recall and aer; and ``links``, with
        probabilities. Its ``page`` also shows training and, with gold, calibration.

    Examples
    --------
    >>> from alignframe import aligners, formats
    >>> from alignframe.aligners.bidirectional import fit_directions
    >>> text = formats.read_bitext("datasets/en-fr/text.en", "datasets/en-fr/text.fr")
    >>> found = aligners.evaluate(fit_directions(text, aligners.Training("ibm1")), text)
    >>> found.systems["system"].to_list()
    ['ibm1', 'ibm1-reverse', 'ibm1.grow-diag-final-and']
    """
    histories: dict[str, Any] = {}
    about: list[str] = []

    def keep(one: Direction) -> Direction:
        model = one.model
        histories["reverse" if model.reverse else "forward"] = model.history
        options = [f"{name}:{value}" for name, value in sorted(model.options.items())]
        about[:] = about or [f"model:{model.kind}", *options, f"max-length:{model.max_length}"]
        return one

    linking = Linking(symmetrize, threshold, posterior=True)
    sides = decode_directions(map(keep, directions), linking)
    frames = [side.links for side in sides]
    if linking.joined:
        frames.append(join(sides, linking))
    said = "none" if threshold is None else threshold
    about += [f"symmetrize:{symmetrize}", f"threshold:{said}"]
    totals = {side: pc.sum(pc.list_value_length(bitext.column(side))).as_py() for side in _SIDES}
    rows = [_row(frame, totals, gold) for frame in frames]
    return Aligned(
        pl.DataFrame(rows, infer_schema_length=None),
        pl.concat(frames),
        histories,
        linking,
        gold,
        whole_signature("metric:aligners", *about),
    )


def _row(frame: pl.DataFrame, totals: Mapping[str, int | None], gold: Any) -> dict[str, Any]:
    """Return links, their mean probability, unaligned words, and scores of a system."""
    every = long_links(frame)
    linked = {side: every.select("sid", place).n_unique() for side, place in _SIDES.items()}
    found = {
        "system": str(frame["system"][0]),
        "links": every.height,
        "probability": every["probability"].mean(),
        **{side: 1 - linked[side] / of if of else None for side, of in totals.items()},
    }
    if gold is None:
        return found
    with warnings.catch_warnings():
        # Gold usually covers only a few sentences of a large text.
        warnings.filterwarnings("ignore", ".*sentences that gold does not have", DataWarning)
        scores = links.scores(frame.drop("probabilities"), gold)
    return found | scores.select(one.name for one in link_figures({})).row(0, named=True)
