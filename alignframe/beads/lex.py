"""Alignment by lengths and words, in rounds that learn from the beads found so far."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import lgamma, log, pi

import numpy as np

from alignframe.beads.document import Document
from alignframe.beads.documents import Joined
from alignframe.beads.evidence import Spans, add_evidence, numbered
from alignframe.beads.lattice import PLAUSIBLE, Lattice, by_lengths, lattice_of, sizes_up_to
from alignframe.beads.lengths import length_model
from alignframe.beads.picking import path_beads
from alignframe.core.arrays import F64, I64, frozen
from alignframe.errors import warn
from alignframe.kernels.beads import (
    choice as bead_choice,
)
from alignframe.kernels.beads import (
    paths as bead_paths,
)
from alignframe.kernels.beads import (
    scores as bead_scores,
)
from alignframe.kernels.beads import (
    word_scores as bead_words,
)
from alignframe.kernels.beads.paths import FIRST_KIND, NEVER, Band, Steps
from alignframe.kernels.small import call
from alignframe.options.beads import Options, Priors

ROUNDS = 3
"""The maximum number of rounds by words."""

SETTLED = 0.005
"""Stop if at most this share of probable beads has changed since the previous round."""

LARGE = 20_000
"""Longer documents, in source sentences, have one round fewer."""

SURE = 0.9
"""The minimum probability, by lengths, of 1-1 beads from which words are learnt first."""

LEARNT = 0.8
"""The minimum probability of beads of any size from which words are learnt later."""

FIRST_LARGEST = 3
"""The maximum number of sentences on a side of a bead in the first round."""

DECAY = 0.4
"""The initial ratio of the prior of a bead to that of one with a sentence fewer on a side."""

STRENGTH = 40.0
"""The weight of the priors, in beads, against a document's own frequencies."""

FEW = 100.0
"""In a document of this many sentences, beads of several sentences on both sides count half: if few
words are known, such beads are often found instead of two smaller ones.
"""

PASSAGE = 0.1
"""The prior share of skipped sentences that follow another."""

SKIPPED = 5.0
"""The weight of that share in skipped sentences."""

FREEDOM = 8.0
"""The degrees of freedom of Student's t distribution of differences of lengths."""

SEEN = 5.0
"""The weight of the usual variance of lengths in sentence pairs."""

OUTLIER = 50.0
"""The maximum contribution of a sentence pair to the variance."""

MAX_PRODUCT = 30_000_000
"""Longer tables of lengths are convolved by Fourier transforms."""


@dataclass(frozen=True)
class Measured:
    """The lengths of a document in a unit, one row per number of sentences in a run."""

    src: F64
    tgt: F64
    background: F64  # log probabilities of the lengths of runs of target sentences
    variance: float

    def add(self, band: Band, steps: Steps, beads: Spans) -> None:
        """Add length scores of beads; ratio and variance are estimated from known beads."""
        src, tgt = self.src[0][beads.src_start], self.tgt[0][beads.tgt_start]
        means = np.nanmean(self.src[0]), np.nanmean(self.tgt[0])
        usual = np.nansum(self.tgt[0]) / np.nansum(self.src[0])
        ratio = (tgt.sum() + SEEN * means[0] * usual) / (src.sum() + SEEN * means[0])
        # A squared difference relative to the mean of both lengths, with which variance grows.
        off = (tgt - ratio * src) ** 2 / ((tgt + ratio * src) / 2.0)
        variance = (np.minimum(off, OUTLIER).sum() + SEEN * self.variance) / (src.size + SEEN)
        half = FREEDOM / 2.0
        constant = lgamma(half + 0.5) - lgamma(half) - 0.5 * log(FREEDOM * pi)
        # If lengths vary less from sentence to sentence than between translations, they are
        # uninformative, and larger beads would win because they have fewer length terms.
        varied = np.nanvar(self.tgt[0]) > variance * means[1]
        size = min(np.count_nonzero(~np.isnan(side[0])) for side in (self.src, self.tgt))
        weight = UNIT_WEIGHT * size / (size + DOUBT) if varied else 0.0
        known = bead_words.Lengths(frozen(self.src * ratio), self.tgt, self.background)
        spread = bead_words.Spread(variance, FREEDOM, constant)
        call(bead_words.add_lengths, band, steps.sizes, known, spread, weight, steps.scores)


UNITS = (("words", 1.2, 0.0), ("characters", 3.0, 0.1))
"""The units of length, and for each the usual variance and the weight of smoothing."""

UNIT_WEIGHT = 0.7
"""The weight of each unit's logarithms: the units are correlated."""

DOUBT = 10.0
"""In a document of this many sentences lengths count half, as their variance is uncertain."""


def measured(text: Document, largest: int) -> list[Measured]:
    """Return the lengths of runs of up to ``largest`` sentences in each unit."""
    units = []
    for unit, variance, smooth in UNITS:
        src, tgt = (_runs(side.lengths(unit), largest) for side in (text.src, text.tgt))
        units.append(Measured(src, tgt, _background(tgt, smooth), variance))
    return units


def _runs(lengths: F64, largest: int) -> F64:
    """Return the lengths of runs of 1, 2, ... sentences, by the number of the last one."""
    rows = np.full((largest, lengths.size), np.nan)
    rows[0] = lengths
    for n in range(1, min(largest, lengths.size)):
        rows[n, n:] = rows[n - 1, n - 1 : -1] + lengths[n:]
    return frozen(rows)


def _background(lengths: F64, smooth: float) -> F64:
    """Return log P of each length; runs are sums of independent sentences."""
    known = lengths[0][~np.isnan(lengths[0])].astype(np.int64)
    values, counts = np.unique(known, return_counts=True)
    # Room for the longest length and four standard deviations of its bell.
    single = np.zeros(int(values[-1] * (1.0 + 4.0 * smooth)) + 6)
    for value, count in zip(values.tolist(), counts.tolist(), strict=True):
        wide = smooth * value + 1.0
        low, high = max(1, int(value - 4.0 * wide)), int(value + 4.0 * wide) + 2
        near = np.arange(low, min(high, single.size))
        bell = np.exp(-0.5 * ((near - value) / wide) ** 2) if smooth else (near == value) * 1.0
        single[near] += count * bell / bell.sum()
    single /= single.sum()
    logarithms, table = np.empty(lengths.shape), single
    for row, some in zip(logarithms, lengths, strict=True):
        with np.errstate(divide="ignore"):
            row[:] = np.log(table[np.nan_to_num(some).astype(np.int64)])
        direct = table.size * single.size < MAX_PRODUCT
        folded = np.convolve(table, single) if direct else _convolved(table, single)
        table = folded if direct else np.maximum(folded, np.finfo(np.float64).tiny)
    return frozen(logarithms)


def _convolved(first: F64, second: F64) -> F64:
    """Return the convolution of two distributions, by Fourier transform."""
    from scipy.fft import irfft, next_fast_len, rfft  # scipy.signal is slower to import

    size = first.size + second.size - 1
    fast = next_fast_len(size, real=True)
    folded: F64 = irfft(rfft(first, fast) * rfft(second, fast), fast)[:size]
    return folded


@dataclass(frozen=True)
class Kinds:
    """Prior probabilities of the kinds of beads."""

    sizes: I64
    p: F64
    skips: tuple[float, float]  # those of skipped source and target sentences
    passage: float  # the share of skipped sentences that follow another

    @classmethod
    def of(cls, priors: Priors, largest: int) -> Kinds:
        """Return the priors before a document is seen."""
        sizes = sizes_up_to(largest)
        several = sizes.min(axis=1) > 1
        p = np.where(several, priors.two_two, priors.merge)
        p = p * DECAY ** (sizes.sum(axis=1) - np.where(several, 4, 3))
        p[0] = 1.0
        # 1-1 keeps at least half of what skips leave.
        p[1:] *= min(1.0, 0.5 * (1.0 - 2.0 * priors.skip) / max(p[1:].sum(), 1e-9))
        p[0] = 1.0 - 2.0 * priors.skip - p[1:].sum()
        return cls(sizes, p, (priors.skip, priors.skip), PASSAGE)

    def up_to(self, largest: int) -> Kinds:
        """Return the priors limited to smaller beads."""
        return replace(self, p=np.where(self.sizes.max(axis=1) > largest, 0.0, self.p))

    def steps(self, band: Band, n_src: int, n_tgt: int) -> Steps:
        """Return these priors as the scores of all steps within a band."""
        alone = sum(self.skips)
        after_skip = max(self.passage, alone)
        after_bead = (1.0 - after_skip) * alone / (1.0 - alone)
        # Beads score as if after a bead; the difference after a skip is charged to the first skip.
        first = after_bead / alone * (1.0 - after_skip) / (1.0 - after_bead)
        with np.errstate(divide="ignore"):
            logarithms = np.log(self.p * (1.0 - after_bead) / (1.0 - alone)).astype(np.float32)
        scores = np.repeat(logarithms[:, None], band.cells, axis=1)
        src, tgt = (
            np.full(n, log(p * first)) for n, p in zip((n_src, n_tgt), self.skips, strict=True)
        )
        return Steps(self.sizes, scores, src, tgt, log(after_skip / alone / first))

    def counted(self, lattice: Lattice, n_src: int, n_tgt: int) -> Kinds:
        """Return the probabilities of the kinds in a document, with these as priors."""
        # Expected numbers of beads; sentences in none are skipped.
        counts = np.array([np.exp(np.minimum(row, 0.0)).sum() for row in lattice.steps.scores])
        alone = np.maximum([n_src, n_tgt] - counts @ self.sizes, 0.0)
        size = min(n_src, n_tgt)
        counts *= np.where(self.sizes.min(axis=1) > 1, size / (size + FEW), 1.0)
        total = counts.sum() + alone.sum() + STRENGTH
        skips = [
            (skipped_side + STRENGTH * p) / total
            for skipped_side, p in zip(alone, self.skips, strict=True)
        ]
        p = (counts + STRENGTH * self.p) / total
        skipped = lattice.path.kind < FIRST_KIND
        again = np.count_nonzero(skipped[1:] & skipped[:-1])
        passage = (again + SKIPPED * self.passage) / (np.count_nonzero(skipped) + SKIPPED)
        return replace(self, p=p, skips=(float(skips[0]), float(skips[1])), passage=passage)


def realigned(text: Document | Joined, options: Options) -> Lattice:
    """Return the probability of every bead considered, of any size."""
    assert options.unit is not None  # noqa: S101  (given by the options themselves)
    assert options.smoothing is not None  # noqa: S101
    assert options.largest is not None  # noqa: S101
    # First by lengths alone, with beads of up to two sentences per side. Then, in rounds, plausible
    # beads are rescored by lengths and cognates, and by translations, length ratios and priors
    # learnt from the last round's beads, until hardly any bead changes. Several documents are
    # learnt from together.
    joined = text if isinstance(text, Joined) else Joined([text])
    text = joined.text
    src, tgt = (side.lengths(options.unit) for side in (text.src, text.tgt))
    known = int((~np.isnan(src)).sum()), int((~np.isnan(tgt)).sum())
    expected = Kinds.of(options.priors, options.largest)
    band, beads = _by_length(joined, src, tgt, options)
    if not min(known):
        steps = expected.steps(band, src.size, tgt.size)
        steps.scores[:] = NEVER
        return lattice_of(band, steps)
    if not beads.src_start.size:
        warn(
            f"{text.name}: no sentence pair is certain by length, so no words were learnt; the "
            "beads are based on lengths and on words that both sides share"
        )
    sides, lengths = numbered(text), measured(text, options.largest)
    kinds = expected.up_to(FIRST_LARGEST)
    scored: Lattice | None = None
    for number in range(ROUNDS if src.size <= LARGE else ROUNDS - 1):
        steps = kinds.steps(band, src.size, tgt.size)
        if scored is not None and number > 1:
            bands = *band, *scored.band
            call(bead_scores.carry, *bands, scored.steps.scores, PLAUSIBLE, steps.scores)
        is_single = (beads.src_end - beads.src_start == 1) & (beads.tgt_end - beads.tgt_start == 1)
        single = Spans(*(end[is_single] for end in beads))
        for some in lengths:
            some.add(band, steps, single)
        add_evidence(sides, band, steps, beads, options.smoothing)
        if text.vectors is not None:
            text.vectors.add(band, steps, single.src_start, single.tgt_start)
        scored = lattice_of(band, steps)
        band = scored.plausible
        before, beads = beads, _probable(scored)
        if _changed(before, beads) <= SETTLED:
            break
        kinds = expected.counted(scored, *known)
    assert scored is not None  # noqa: S101  (there is a round)
    return replace(scored, calibrated=True)


def _by_length(joined: Joined, src: F64, tgt: F64, options: Options) -> tuple[Band, Spans]:
    """Return the beads of each document that lengths leave plausible, and its certain 1-1 beads."""
    priors = options.priors
    by_length = Options(
        "len", skip=priors.skip, merge=priors.merge, band=options.band, unit=options.unit
    )
    again = max(0.0, log(PASSAGE / (2.0 * priors.skip)))
    bands, sure = [], []
    for text, sides, first, other in zip(
        joined.texts, joined.parts(src, tgt), *joined.starts, strict=False
    ):
        lengths = replace(length_model(*sides, by_length), again=again)
        _, scored = by_lengths(lengths, text.name)
        bands.append(scored.plausible)
        beads = _single(scored)
        sure.append([beads.src_start + first, beads.tgt_start + other])
    starts, others = (np.concatenate(some) for some in zip(*sure, strict=True))
    return joined.band(bands), Spans(
        *(frozen(end) for end in (starts, starts + 1, others, others + 1))
    )


def _changed(before: Spans, beads: Spans) -> float:
    """Return the share of beads that are not in both."""
    earlier, later = (np.rec.fromarrays(list(ends)) for ends in (before, beads))
    both = np.intersect1d(earlier, later, assume_unique=True).size
    return 1.0 - both / max(earlier.size, later.size, 1)


def _single(lattice: Lattice) -> Spans:
    """Return the 1-1 beads that are certain by lengths."""
    src, tgt, kind, _ = call(
        bead_choice.likely, *lattice.band, lattice.steps.sizes, lattice.steps.scores, log(SURE)
    )
    single = kind == bead_paths.FIRST_KIND
    src, tgt = src[single], tgt[single]
    return Spans(*(frozen(end) for end in (src, src + 1, tgt, tgt + 1)))


def _probable(lattice: Lattice) -> Spans:
    """Return the probable beads of the best path."""
    beads = path_beads(lattice.band, lattice.steps, lattice.path)
    kept = (beads.sizes > 0).all(axis=1) & (beads.score > LEARNT)
    src, tgt, sizes = beads.src[kept], beads.tgt[kept], beads.sizes[kept]
    ends = (src, src + sizes[:, 0], tgt, tgt + sizes[:, 1])
    return Spans(*(frozen(end) for end in ends))
