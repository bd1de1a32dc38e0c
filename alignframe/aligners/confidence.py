"""Link probabilities of an alignment, and their calibration, measured against gold."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.aligners.bidirectional import Direction, Linking, decode_directions, join
from alignframe.aligners.sentences import sentence_scores
from alignframe.aligners.units import in_words
from alignframe.core.arrays import I64, Bools
from alignframe.core.figures import MEASURED, link_figures
from alignframe.core.signatures import whole_signature
from alignframe.core.symmetrization import DEFAULT
from alignframe.errors import DataWarning, InputError, number_of, whole_number
from alignframe.language.words import Splitting
from alignframe.links.inputs import gold_source
from alignframe.links.probabilities import long_links
from alignframe.links.scoring import Evaluated, score
from alignframe.result import Result
from alignframe.sources.pairs import sentence_pairs
from alignframe.typing import BelowOne, IntoBitext, IntoGold, IntoLinks, Row

# Of 95% intervals.
_Z = 1.96

THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(20))


def calibration(alignments: IntoLinks, gold: IntoGold, bins: int = 10) -> pl.DataFrame:
    """Return the share of correct links by probability, in bins of equal width; see ``binned``."""
    judged, _ = _judged(alignments, gold)
    return binned(judged.rename({"possible": "right"}), bins, "links")


def binned(judged: pl.DataFrame, bins: int, noun: str) -> pl.DataFrame:
    """Return the share of ``right`` items and its 95% interval by bins of their ``probability``."""
    bins = whole_number(bins, 1, "bins")
    # A probability of 1 belongs to the last bin.
    place = (pl.col("probability") * bins).floor().clip(0, bins - 1)
    counts = (
        judged.group_by("system", place=place)
        .agg(
            pl.len().cast(pl.Int64).alias(noun),
            probability=pl.col("probability").mean(),
            correct=pl.col("right").mean(),
        )
        .sort("system", "place")
    )
    n, share = (pl.col(name) for name in (noun, "correct"))
    # Wilson 1927, Probable inference, the law of succession, and statistical inference:
    # (p + z^2 / 2n ± z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n).
    middle = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    reach = _Z / (1 + _Z**2 / n) * (share * (1 - share) / n + _Z**2 / (4 * n**2)).sqrt()
    return counts.select(
        "system",
        (pl.col("place") / bins).alias("low"),
        ((pl.col("place") + 1) / bins).alias("high"),
        noun,
        "probability",
        "correct",
        correct_low=(middle - reach).clip(0, 1),
        correct_high=(middle + reach).clip(0, 1),
    )


def scores_by_threshold(
    alignments: IntoLinks, gold: IntoGold, thresholds: Sequence[float] = THRESHOLDS
) -> pl.DataFrame:
    """Score the links at or above each probability threshold; undefined figures are null."""
    judged, n_sure = _judged(alignments, gold)
    asked = np.asarray(thresholds, np.float64)
    frames = []
    for (system,), mine in judged.sort("probability").group_by("system", maintain_order=True):
        # Links ascend by probability, so those from a place on are at or above its threshold.
        first = np.searchsorted(mine["probability"].to_numpy(), asked)
        n_hyp = mine.height - first
        n_sure_hyp, n_possible_hyp = (
            _from_each(mine[name].to_numpy())[first] for name in ("sure", "possible")
        )
        counts = (n_hyp, np.full(asked.size, n_sure), n_sure_hyp, n_possible_hyp)
        sums = dict(zip(MEASURED, counts, strict=True))
        figures = {figure.name: figure.of(sums) for figure in link_figures({})}
        columns = {"threshold": asked, "links": n_hyp, **figures}
        frames.append(
            pl.DataFrame(columns).insert_column(0, pl.Series("system", [system] * asked.size))
        )
    if not frames:
        raise InputError("no links in gold's sentences", expected="at least one")
    return pl.concat(frames).sort("system", "threshold").fill_nan(None)


def _from_each(labels: Bools) -> I64:
    """Return the number of true labels from each position on, with 0 for the end."""
    return np.append(np.cumsum(labels[::-1])[::-1], 0)


def _judged(alignments: IntoLinks, gold: IntoGold) -> tuple[pl.DataFrame, int]:
    """Return links of sentences with gold, labelled possible and sure, and gold's Sure links."""
    links_long = long_links(alignments)
    batches = list(gold_source(gold).batches(labels=True))
    if not batches:
        raise InputError("gold has no sentences", expected="at least one")
    rows = pl.DataFrame(pl.from_arrow(pa.Table.from_batches(batches))).select("sid", "links")
    filled = rows.filter(pl.col("links").list.len() > 0).explode("links").unnest("links")
    sure = pl.col("sure").fill_null(True) if "sure" in filled.columns else pl.lit(True)
    gold_links = filled.group_by("sid", "i", "j").agg(sure=sure.any())
    known = gold_links.with_columns(pl.col("i", "j").cast(pl.UInt16), pl.col("sid").cast(pl.Int64))
    judged = (
        links_long.join(rows.select(pl.col("sid").cast(pl.Int64)).unique(), on="sid", how="semi")
        .join(known, on=["sid", "i", "j"], how="left")
        .with_columns(possible=pl.col("sure").is_not_null(), sure=pl.col("sure").fill_null(False))
    )
    return judged, int(known["sure"].sum())


_SIDES = {"src": "i", "tgt": "j"}
"""The sides of a text, and their columns of positions in links."""


@dataclass(frozen=True, repr=False)
class Aligned(Result):
    """Links of each direction and of both joined, with what their page shows."""

    systems: pl.DataFrame  # links, mean probability, unaligned words, and scores against gold
    links: pl.DataFrame  # with probabilities
    histories: Mapping[str, Sequence[Mapping[str, Any]]]  # of training, by direction
    linking: Linking
    text: pa.Table
    gold: IntoGold | None
    signature: str
    quality: Evaluated | None = None  # against gold, with intervals and tests

    def joined(self, posterior: bool, system: str | None = None) -> pl.DataFrame:
        """Return the links of both directions joined, or of the only one, as ``align`` does."""
        last = self.systems["system"][-1]
        named = pl.lit(last if system is None else system).cast(self.links.schema["system"])
        own = self.links.filter(pl.col("system") == last).with_columns(system=named)
        return own if posterior else own.drop("probabilities")

    def scores(self, system: str | None = None) -> pl.DataFrame:
        """Return ``sentence_scores`` of the links of ``joined``, computed once."""
        named = [] if system is None else [pl.lit(system).alias("system")]
        return self._scores.with_columns(named)

    @cached_property
    def _scores(self) -> pl.DataFrame:
        return sentence_scores(self.joined(posterior=True), self.text)


def evaluate(
    directions: Iterable[Direction],
    bitext: IntoBitext,
    *,
    symmetrize: str = DEFAULT,
    threshold: BelowOne | None = None,
    gold: IntoGold | None = None,
    positions: str = "auto",
) -> Aligned:
    """Align a text in one direction or both, and evaluate the links of each and of both joined.

    Parameters
    ----------
    directions
        One or both directions, each with the text read for it; see
        ``alignframe.aligners.bidirectional.fit_directions`` and ``read_directions``.
    bitext
        The text: sid, src and tgt.
    symmetrize, threshold, positions
        See ``alignframe.aligners.align``; ``none`` for a single direction.
    gold
        Gold links of some sentences, for scores, calibration, and scores without improbable links.

    Returns
    -------
    alignframe.result.Result
        ``systems``, a row each: system, links, probability (their mean), src and tgt (the share of
        words without a link) and, with gold, precision, recall and aer; and ``links``, with
        probabilities. Its ``page`` also shows training, sentences (those with the most errors or,
        without gold, the least sure ones) and, with gold, calibration.

    Raises
    ------
    InputError
        Without both directions for a method that joins them; see also ``align``.

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
    splittings: list[tuple[Splitting, Splitting]] = []

    def keep(one: Direction) -> Direction:
        model = one.model
        splittings.append(model.splittings)
        histories["reverse" if model.reverse else "forward"] = model.history
        options = [f"{name}:{value}" for name, value in sorted(model.options.items())]
        about[:] = about or [f"model:{model.kind}", *options, f"max-length:{model.max_length}"]
        return one

    linking = Linking(symmetrize, threshold, posterior=True, positions=positions)
    sides = decode_directions(map(keep, directions), linking)
    if len(sides) != 1 + linking.joined:
        raise InputError(
            f"{number_of(len(sides), 'direction')} with the method {symmetrize}",
            expected="a forward and a reverse one, or a single one with the method none",
        )
    frames = [side.links for side in sides]
    if linking.joined:
        frames.append(join(sides, linking))
    frames = [sides[0].units.of_links(frame) for frame in frames]
    said = "none" if threshold is None else threshold
    about += [f"symmetrize:{symmetrize}", f"threshold:{said}"]
    ways = [splitting.how for splitting in splittings[0]]
    if ways != ["spaces", "spaces"]:
        about += [f"words:{'+'.join(ways)}", f"positions:{positions}"]
    text = in_words(sentence_pairs(bitext).table(), splittings[0], positions)
    totals = {side: pc.sum(pc.list_value_length(text.column(side))).as_py() for side in _SIDES}
    systems, found = pl.DataFrame([_row(frame, totals) for frame in frames]), pl.concat(frames)
    quality = None if gold is None else _quality(found, gold, text)
    if quality is not None:
        figures = [one.name for one in link_figures({})]
        scores = quality.scores.select(pl.col("system").cast(pl.String), *figures)
        systems = systems.join(scores, on="system", how="left", maintain_order="left")
    mark = whole_signature("metric:aligners", *about)
    return Aligned(systems, found, histories, linking, text, gold, mark, quality)


def _quality(found: pl.DataFrame, gold: IntoGold, text: pa.Table) -> Evaluated:
    """Return scores against gold with intervals and tests, and the sentences that gold has."""
    with warnings.catch_warnings():
        # Gold usually covers only a few sentences of a large text.
        warnings.filterwarnings("ignore", ".*sentences that gold does not have", DataWarning)
        return score(found.drop("probabilities"), gold, bitext=text).evaluated()


def _row(frame: pl.DataFrame, totals: Mapping[str, int | None]) -> Row:
    """Return links, their mean probability, and unaligned words of a system."""
    every = long_links(frame)
    linked = {side: every.select("sid", place).n_unique() for side, place in _SIDES.items()}
    return {
        "system": str(frame["system"][0]),
        "links": every.height,
        "probability": every["probability"].mean(),
        **{side: 1 - linked[side] / of if of else None for side, of in totals.items()},
    }
