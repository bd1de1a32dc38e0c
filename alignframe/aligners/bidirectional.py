"""Both directions of a bitext: training, aligning, and symmetrizing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import NamedTuple, Unpack

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe import functions
from alignframe.aligners.directions import (
    AGREE,
    ALONE,
    DIRECTIONS,
    check_alike,
    check_method,
    directions_of,
)
from alignframe.aligners.fit import fit_text, readable
from alignframe.aligners.model import Model, check_threshold, warn_of_unaligned
from alignframe.aligners.sampled import Parameters, expected
from alignframe.aligners.text import Text
from alignframe.aligners.training_pairs import MOST_TOGETHER, Paired, beside, pair, places
from alignframe.aligners.units import AS_ALIGNED, Units
from alignframe.core.arrow import BATCH_ROWS, as_array
from alignframe.core.choices import POSITIONS
from alignframe.core.memory import give_back
from alignframe.core.parallel import pool_of
from alignframe.core.schemas import SYSTEM
from alignframe.core.symmetrization import DEFAULT
from alignframe.errors import InputError, check_flags, check_known
from alignframe.links.probabilities import from_keys, keys, mean_of
from alignframe.options.training import FitOptions, Training, training_of
from alignframe.sources.pairs import sentence_pairs
from alignframe.typing import IntoBitext, IntoSentences, Threads


class Direction(NamedTuple):
    """A model, and a text read with its vocabularies, its sides in the model's order."""

    model: Model
    paired: Paired


class DirectionLinks(NamedTuple):
    """The links of one direction, optionally with all whose probability is at least ``LEAST``."""

    name: str
    links: pl.DataFrame
    every: pl.DataFrame | None
    units: Units = AS_ALIGNED


@dataclass(frozen=True)
class Linking:
    """How links are chosen; see ``align``."""

    symmetrize: str = ALONE
    threshold: float | None = None
    posterior: bool = False
    system: str | None = None
    positions: str = "auto"

    def __post_init__(self) -> None:
        check_known("`positions`", self.positions, POSITIONS)
        check_method(self.symmetrize)
        check_flags(posterior=self.posterior)
        object.__setattr__(self, "threshold", check_threshold(self.threshold))

    @property
    def joined(self) -> bool:
        """Whether the links of both directions are joined."""
        return self.symmetrize != ALONE


_FORWARD = Linking()


def align(
    src: IntoSentences | IntoBitext,
    tgt: IntoSentences | None = None,
    *,
    model: str = "bayes",
    symmetrize: str = DEFAULT,
    threshold: float | None = None,
    posterior: bool = False,
    system: str | None = None,
    positions: str = "auto",
    **options: Unpack[FitOptions],
) -> pl.DataFrame:
    """Align a bitext: train a model in each direction on it, and symmetrize their links.

    Parameters
    ----------
    symmetrize
        How to combine both directions. ``agree`` takes the links whose probability, averaged over
        both directions, is above ``threshold``, or else above 0.5; ``none`` is the forward
        direction alone; or any method of ``links symmetrize`` (in Python, ``METHODS``).
    threshold
        Keep all links of a direction that are more probable than this, instead of the best for each
        word; with ``agree``, averaged over both directions.
    posterior
        Add the probability of each link: the mean of both directions' probabilities.
    system
        The name of the result; by default model and method (``hmm.intersection``).
    positions
        What links count: what stands between ``spaces``, also of text that is split into words to
        be aligned; or these ``words`` (see ``alignframe.language.split``). By default spaces, but
        words of a side that is written without spaces, as in Chinese.
    src, tgt, model, **options
        See ``fit``; ``prior`` is a lexicon, or a forward and a reverse model.

    Returns
    -------
    polars.DataFrame
        The columns system, sid and links, one row per row of the bitext; with ``posterior`` also
        probabilities (a list of float32, one per link).

    Raises
    ------
    InputError
        See ``fit``; also if the method or the threshold cannot be used.

    Examples
    --------
    >>> from alignframe import aligners
    >>> src, tgt = ["the house", "the book", "a book"], ["das Haus", "das Buch", "ein Buch"]
    >>> found = aligners.align(src, tgt, model="ibm1", symmetrize="intersection")
    >>> found["links"][0].to_list()
    [{'i': 0, 'j': 0}, {'i': 1, 'j': 1}]
    """
    linking = Linking(symmetrize, threshold, posterior, system, positions)
    training = training_of(model, options)
    fitted = fit_directions(sentence_pairs(src, tgt), training, directions_of(symmetrize))
    return align_directions(fitted, linking)


def align_with(
    models: Sequence[Model],
    bitext: IntoBitext,
    *,
    symmetrize: str = DEFAULT,
    threshold: float | None = None,
    posterior: bool = False,
    threads: Threads = None,
    system: str | None = None,
    positions: str = "auto",
) -> pl.DataFrame:
    """Align a bitext with a trained forward and reverse model.

    Parameters
    ----------
    models
        Two models of the same kind, one per direction (see ``load_directions``).
    bitext
        A frame with src and tgt (lists of words), or the path of such a Parquet file. The models
        need not know its words.
    symmetrize, threshold, posterior, threads, system, positions
        See ``align``.

    Returns
    -------
    polars.DataFrame
        See ``align``.

    Raises
    ------
    InputError
        If the models are not two of the same kind, or another argument is invalid.

    Examples
    --------
    >>> import polars as pl
    >>> from alignframe import aligners
    >>> text = ["the house", "the book", "a book"], ["das Haus", "das Buch", "ein Buch"]
    >>> models = [aligners.fit(*text, model="ibm1", reverse=back) for back in (False, True)]
    >>> new = pl.DataFrame({"src": [["a", "house"]], "tgt": [["ein", "Haus"]]})
    >>> aligners.align_with(models, new, symmetrize="intersection")["links"][0].to_list()
    [{'i': 0, 'j': 0}, {'i': 1, 'j': 1}]
    """
    linking = Linking(symmetrize, threshold, posterior, system, positions)
    executor = pool_of(threads)
    ordered = in_order(models, symmetrize)
    return align_directions(read_directions(ordered, bitext, executor), linking)


def in_order(models: object, symmetrize: str = DEFAULT) -> list[Model]:
    """Return the models that a method needs, the forward one first; raise an InputError if none."""
    models = [models] if isinstance(models, Model) else models
    if not isinstance(models, (list, tuple)) or not all(isinstance(item, Model) for item in models):
        raise InputError(
            f"an object of type {type(models).__name__} given as models",
            expected="align_with(models, bitext): the models of both directions, then the text",
        )
    given = sorted(model.reverse for model in models)
    enough = given == [False, True] or (symmetrize == ALONE and given == [False])
    if not enough or len({model.kind for model in models}) > 1:
        names = ", ".join(model.name for model in models) or "no models"
        raise InputError(names, expected="a forward and a reverse model of one kind")
    ordered: list[Model] = sorted(models, key=lambda model: model.reverse)
    check_alike(ordered)
    return ordered[:1] if symmetrize == ALONE else ordered


def fit_directions(
    bitext: IntoBitext | Text, training: Training, directions: Sequence[str] = DIRECTIONS
) -> Iterator[Direction]:
    """Train both directions, each yielded with its training text; see ``align``."""
    both = len(directions) == len(DIRECTIONS)
    if len(training.priors) != len(DIRECTIONS) or (both and hasattr(training.prior, "parameters")):
        raise InputError("a prior of one direction", expected="a forward and a reverse model")
    text = bitext if isinstance(bitext, Text) else readable(bitext, training)
    del bitext  # frees memory for training, if nothing else refers to it
    reverse = [direction == "reverse" for direction in directions]
    together = both and training.options.together and int(places(text)[-1]) <= MOST_TOGETHER
    # One after the other, they need the memory of one, if the caller drops the first in time.
    for some in [reverse] if together else [[turned] for turned in reverse]:
        give_back()
        fitted = fit_text(text, training, some)
        while fitted:
            yield Direction(*fitted.pop(0))


def read_directions(
    models: Sequence[Model],
    bitext: IntoBitext,
    executor: Executor | None = None,
    *,
    warned: bool = True,
) -> Iterator[Direction]:
    """Read a bitext for each model, but only once if they have the same vocabularies."""
    last: Model | None = None
    for model in models:
        if last is None or not model.reads_as(last):
            text = model.read(bitext)
        if last is None and warned:
            model.warn_of_unknown(text)
        if model is strictest(models) and warned:
            warn_of_left_out(models, text.empty, text.too_long)
        last = model
        yield Direction(model, pair(text.turned() if model.reverse else text, executor))


def strictest(models: Sequence[Model]) -> Model:
    """Return the model that leaves out all sentence pairs that another one does."""
    return min(models, key=lambda model: model.max_length)


def warn_of_left_out(models: Sequence[Model], empty: int, too_long: int) -> None:
    """Warn of the sentence pairs that the strictest model leaves out."""
    least = strictest(models)
    differ = too_long and any(model.max_length != least.max_length for model in models)
    by = f" by the {DIRECTIONS[least.reverse]} model" if differ else ""
    warn_of_unaligned(empty, too_long, least.max_length, by)


def align_directions(directions: Iterable[Direction], linking: Linking = _FORWARD) -> pl.DataFrame:
    """Align the text in one direction, or in both and symmetrize; see ``align``."""
    sides = decode_directions(directions, linking)
    found = join(sides, linking) if linking.joined else sides[0].links
    return sides[0].units.of_links(found)


def decode_directions(
    directions: Iterable[Direction], linking: Linking = _FORWARD
) -> list[DirectionLinks]:
    """Return the links of each direction, with what ``join`` needs if they are joined."""
    agree = linking.symmetrize == AGREE
    posterior = linking.posterior or agree
    threshold = None if agree else linking.threshold
    sides = []
    for model, paired in _agreeing(directions):
        links = model.decode(
            paired, posterior=posterior, threshold=threshold, system=linking.system
        )
        every = None
        if linking.joined and posterior:
            least = LEAST if threshold is None else min(threshold, LEAST)
            every = model.decode(paired, posterior=True, threshold=least)
        text = paired.text.turned() if model.reverse else paired.text
        sides.append(DirectionLinks(model.kind, links, every, Units.of(text, linking.positions)))
        del model, paired, text  # before the next direction needs as much
    return sides


def _agreeing(directions: Iterable[Direction]) -> Iterator[Direction]:
    """Yield the directions, those of text outside training once their links agree."""
    waiting = iter(directions)
    for first in waiting:
        parameters = first.model.parameters
        if isinstance(parameters, Parameters) and parameters.text is not first.paired.text:
            yield from agreeing([first, *waiting])
        else:
            yield first
        del first, parameters  # before the next direction needs as much


def agreeing(directions: Sequence[Direction]) -> list[Direction]:
    """Find the links of text outside training, in both directions at once if they are sampled.

    Models of other kinds find theirs later, each alone.
    """
    models, texts = zip(*directions, strict=True)
    parameters = [model.parameters for model in models]
    if not all(isinstance(one, Parameters) for one in parameters):
        return list(directions)
    together = beside(texts)
    found = zip(together, expected(parameters, together), strict=True)
    return list(map(Direction, models, [replace(one, places=kept) for one, kept in found]))


def join(sides: Sequence[DirectionLinks], linking: Linking) -> pl.DataFrame:
    """Symmetrize the links of both directions; probabilities are the means of both."""
    forward, reverse = sides
    forward_links, reverse_links = (side.links.to_arrow() for side in sides)
    method = linking.symmetrize
    # `agree` needs all probable links, and its threshold applies to their means.
    if method == AGREE:
        joined = agreed(_every(forward), _every(reverse), linking.threshold)
    else:
        one, other = (links.column("links") for links in (forward_links, reverse_links))
        # In pieces: all at once would take several times the memory of the links.
        pieces = [
            functions.symmetrize(one.slice(low, BATCH_ROWS), other.slice(low, BATCH_ROWS), method)
            for low in range(0, max(len(one), 1), BATCH_ROWS)
        ]
        joined = pa.concat_arrays(list(map(as_array, pieces)))
    names = pa.repeat(linking.system or f"{forward.name}.{method}", len(joined))
    columns = {"system": names.cast(SYSTEM), "sid": forward_links.column("sid"), "links": joined}
    if linking.posterior:
        mean = mean_of(keys(joined), _every(forward).to_arrow(), _every(reverse).to_arrow())
        columns["probabilities"] = pa.ListArray.from_arrays(joined.offsets, pa.array(mean))
    return pl.DataFrame(pl.from_arrow(pa.table(columns)))


def _every(side: DirectionLinks) -> pl.DataFrame:
    if side.every is None:
        raise InputError(f"the {side.name} links without probabilities")
    return side.every


LEAST = 0.01
"""Lower probabilities in one direction count as 0 when both are combined."""

AGREED = 0.5
"""The minimum mean probability of a link for ``agree``."""


def agreed(forward: pl.DataFrame, reverse: pl.DataFrame, threshold: float | None) -> pa.ListArray:
    """Return the links whose mean probability over both directions is above a threshold."""
    sides = [side.to_arrow() for side in (forward, reverse)]
    every = np.union1d(*(keys(side.column("links")) for side in sides))
    mean = mean_of(every, *sides)
    # At the default of .5, a link missing in one direction must be certain in the other. Liang,
    # Taskar & Klein 2006, section 3.3, similarly threshold the product.
    kept = every[mean > (AGREED if threshold is None else threshold)]
    return from_keys(kept, forward.height)
