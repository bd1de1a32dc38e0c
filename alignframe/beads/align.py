"""Aligning the sentences of a document."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa

from alignframe.beads.document import Document, document
from alignframe.beads.lengths import LengthModel, length_model
from alignframe.beads.options import Options
from alignframe.beads.picking import Beads, agreeing, path_beads, table_of
from alignframe.beads.translations import Pairs, Translations, known
from alignframe.errors import DataWarning, InputError, unknown
from alignframe.formats.bead_table import DOCUMENT
from alignframe.kernels import bead_choice, bead_paths, bead_scores
from alignframe.kernels.bead_paths import Band, Steps
from alignframe.kernels.ragged import frozen
from alignframe.typing import IntoSentences, IntoWordModel

F64 = npt.NDArray[np.float64]

WIDENING = 1.5
"""How much wider a band is made at a time."""

MARGIN = 0.25
"""The share of a band's width that the best path must keep clear on either side."""

LOST = -0.5
"""The score of a path by each sentence of the shorter side, below which a wider band is tried.

Lengths alone give 1.1 on clean newspaper text, -0.2 where a fifth of one side is deleted, and -0.7
or less where the sides are shuffled or shifted.
"""

MAX_CELLS = 80_000_000
"""No wider band than of this many points is made: about 2 GB."""

PLAUSIBLE = -20.0
"""The least logarithmic probability, by lengths, of what is looked at again by words."""

PARTS = 4
"""Of how many parts of a document each is judged by what the others teach of words."""

SURE = 0.99
"""The least probability, by lengths, of 1-1 beads from which words are learnt."""


KNOWN = 0.5
"""The share of a side's running words, below which a model is said to know few."""

OPTIONS = tuple(one.name for one in fields(Options) if one.init and one.name != "method")


def align(
    src: IntoSentences,
    tgt: IntoSentences,
    method: str = "mre",
    *,
    model: IntoWordModel | None = None,
    doc: str = DOCUMENT,
    **options: Any,
) -> pl.DataFrame:
    """Align the sentences of two texts.

    Parameters
    ----------
    src, tgt
        Sentences, one an element. One without words is aligned to nothing.
    method
        ``len``, ``mre``, ``mre+`` or ``gale-church``, see ``Options``.
    model
        What ``mre+`` knows of words: a model of ``alignframe.aligners`` or its folder, or a lexicon
        (a frame or Parquet with src and tgt, and p if there are probabilities).
    doc
        The document's name, for the column doc.
    **options
        Those of ``Options``: threshold, skip, merge, two_two, band, unit, words, smoothing.

    Returns
    -------
    polars.DataFrame
        The columns doc, src_start, src_end, tgt_start, tgt_end and score, the bead's probability;
        in the order of the text.

    Raises
    ------
    InputError
        If an option is out of range, or a text is none.
    """
    for name in options:
        if name not in OPTIONS:
            raise unknown("option", name, OPTIONS)
    chosen = Options(method, **options)
    found = aligned(document(src, tgt, words=chosen.words, name=doc), chosen, model)
    return pl.DataFrame(pl.from_arrow(found)).with_columns(pl.col("doc").cast(pl.String))


def aligned(text: Document, options: Options, model: Any = None) -> pa.Table:
    """Return the beads of a document; see ``align``."""
    return table_of(text, lattice(text, options, model).beads(options.threshold))


def lattice(text: Document, options: Options, model: Any = None) -> Lattice:
    """Return the probability of every bead of a document that was looked at; see ``align``."""
    if options.method == "mre+" and model is None:
        raise InputError(
            "no model for mre+",
            expected="a model of alignframe.aligners, or a lexicon",
            todo="let mre learn from the document itself, or give one: model=",
        )
    if options.method != "mre+" and model is not None:
        raise InputError(f"a model for {options.method}", expected="one for mre+ alone")
    if options.method == "gale-church" and options.unit != "characters":
        warnings.warn(
            f"lengths of gale-church in {options.unit}: its variance is that of lengths in "
            "characters",
            DataWarning,
            stacklevel=4,
        )
    assert options.unit is not None  # noqa: S101  (given by the options themselves)
    src, tgt = (side.lengths(options.unit) for side in (text.src, text.tgt))
    lengths, found = by_lengths(length_model(src, tgt, options), text.name)
    if options.method in ("mre", "mre+") and len(text.src) and len(text.tgt):
        found = _by_words(text, lengths, found, model)
    return found


@dataclass(frozen=True)
class Lattice:
    """All paths within a band: their scores are logarithmic probabilities of beads."""

    band: Band
    steps: Steps
    plausible: Band
    path: bead_paths.Path

    def beads(self, threshold: float | None) -> Beads:
        """Return the beads of the best path, or those above a threshold."""
        if threshold is None:
            return path_beads(self.band, self.steps, self.path)
        return agreeing(self.band, self.steps, threshold)


def by_lengths(lengths: LengthModel, name: str) -> tuple[LengthModel, Lattice]:
    """Return the beads that lengths make probable, in a document of the name, and their ratio.

    The band is widened until the best path keeps clear of its ends, and is not lost.

    A path that never meets the right sentences, because one side begins or ends elsewhere, may keep
    clear of the ends by skipping as much on either side.
    """
    n_src, n_tgt = lengths.src.shape[1], lengths.tgt.shape[1]
    width = lengths.options.band
    while True:
        band = bead_paths.band_around(n_src, n_tgt, width)
        if band.cells > MAX_CELLS and width == lengths.options.band:
            raise InputError(
                f"{name}: a band of {width:g} about {n_src:,} and {n_tgt:,} sentences has "
                f"{band.cells:,} points",
                expected=f"at most {MAX_CELLS:,}",
                todo="cut the document, or give a smaller band",
            )
        lengths, path = _fitted(lengths, band)
        clear = _deviation(path, n_src, n_tgt) <= (1.0 - MARGIN) * width
        lost = path.score < LOST * min(n_src, n_tgt) and lengths.options.method != "gale-church"
        if (clear and not lost) or _is_whole(band, n_tgt):
            break
        wider = bead_paths.band_around(n_src, n_tgt, width * WIDENING)
        if wider.cells > MAX_CELLS:
            warnings.warn(
                f"{name}: the best path leads {_deviation(path, n_src, n_tgt):,.0f} sentences "
                f"off the diagonal, and none was sought further off than {width:,.0f}; the sides "
                "may be no translations of each other",
                DataWarning,
                stacklevel=4,
            )
            break
        width *= WIDENING
    return lengths, _lattice(band, lengths.steps(band), path)


def _fitted(lengths: LengthModel, band: Band) -> tuple[LengthModel, bead_paths.Path]:
    """Return the ratio of lengths, and its best path, of the highest score.

    Where a side lacks sentences, that of mean lengths is right; where it joins them, that of whole
    lengths.
    """
    found = [(one, bead_paths.best_path(band, one.steps(band))) for one in lengths.candidates()]
    return max(found, key=lambda one: one[1].score)


def _lattice(band: Band, steps: Steps, path: bead_paths.Path) -> Lattice:
    _, plausible = bead_paths.posteriors(band, steps, PLAUSIBLE)
    return Lattice(band, steps, plausible, path)


def _deviation(path: bead_paths.Path, n_src: int, n_tgt: int) -> float:
    """Return how many sentences of the shorter side the path leads off the diagonal."""
    off = np.abs(path.src.astype(np.float64) * n_tgt - path.tgt.astype(np.float64) * n_src)
    return float(off.max(initial=0.0)) / max(n_src, n_tgt, 1)


def _is_whole(band: Band, n_tgt: int) -> bool:
    return band.cells == band.lo.size * (n_tgt + 1)


def _by_words(text: Document, lengths: LengthModel, first: Lattice, model: Any) -> Lattice:
    """Look again, by words as well, at the beads that lengths leave plausible."""
    options = lengths.options
    if options.method == "mre+":
        table = known(model).of(text)
        _warn_of_unknown(text, table)
        tables = iter([(range(len(text.src)), table)])
    else:
        src, tgt = _sure(first)
        if src.size == 0:
            warnings.warn(
                f"{text.name}: lengths make no pair of sentences sure, so that no words were "
                "learnt; the beads are those of lengths alone",
                DataWarning,
                stacklevel=5,
            )
            return first
        tables = _held_out(Pairs.of(text, src, tgt), len(text.src))
    band = first.plausible
    steps = lengths.steps(band)
    bead_scores.carry(*band, *first.band, first.steps.scores, PLAUSIBLE, steps.scores)
    assert options.smoothing is not None  # noqa: S101  (given by the options themselves)
    for rows, table in tables:
        table.add(text, band, steps, options.smoothing, rows)
    return _lattice(band, steps, bead_paths.best_path(band, steps))


def _warn_of_unknown(text: Document, table: Translations) -> None:
    """Warn of a model that knows few of the words: it tells little, and may be the wrong one."""
    shares = [float((side >= 0).mean()) if side.size else 1.0 for side in (table.src, table.tgt)]
    if min(shares) < KNOWN:
        warnings.warn(
            f"{text.name}: the model knows {shares[0]:.0%} of the source's words and "
            f"{shares[1]:.0%} of the target's; it may be of another language or direction, or of "
            "words parted otherwise (words, --words)",
            DataWarning,
            stacklevel=5,
        )


def _held_out(pairs: Pairs, n_src: int) -> Iterator[tuple[range, Translations]]:
    """Yield parts of the source side, each with what all pairs but its own teach of words.

    A model that has seen a sentence pair finds it probable even if it is wrong: judged by what was
    learnt from themselves, wrong pairs would confirm each other.
    """
    ends = [n_src * part // PARTS for part in range(PARTS + 1)]
    for rows in pairwise(ends):
        yield range(*rows), pairs.learn(range(*rows))


def _sure(lattice: Lattice) -> tuple[Any, Any]:
    """Return the sentences of the 1-1 beads that lengths make sure."""
    src, tgt, kind, _ = bead_choice.likely(
        *lattice.band, lattice.steps.sizes, lattice.steps.scores, np.log(SURE)
    )
    single = kind == bead_paths.FIRST_KIND
    return frozen(src[single]), frozen(tgt[single])
