"""Both directions of a bitext: training, aligning, and symmetrizing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from typing import Any, NamedTuple

import polars as pl
import pyarrow as pa

from alignframe import functions
from alignframe.aligners.directions import (
    AGREE,
    ALONE,
    DIRECTIONS,
    check_method,
    directions_of,
)
from alignframe.aligners.fit import every_option, fit_text, known_options, readable
from alignframe.aligners.model import Model, check_threshold, warn_of_unaligned
from alignframe.aligners.posteriors import LEAST, agreed, mean_of
from alignframe.aligners.storage import kind_module
from alignframe.aligners.text import MAX_LENGTH
from alignframe.aligners.training_pairs import Paired, pair
from alignframe.arrow import as_array
from alignframe.errors import InputError, check_flags
from alignframe.executors import pool_of
from alignframe.read.pairs import sentence_pairs
from alignframe.symmetrization import DEFAULT
from alignframe.tables import SYSTEM
from alignframe.typing import (
    IntoBitext,
    IntoSentences,
    IntoWordModel,
    Threads,
    TrainingProgress,
    WordModel,
)


class Direction(NamedTuple):
    """A model, and a text read with its vocabularies, its sides in the model's order."""

    model: Model
    paired: Paired


class Side(NamedTuple):
    """The links of one direction, optionally with all whose probability is at least ``LEAST``."""

    name: str
    links: pl.DataFrame
    every: pl.DataFrame | None


def align(
    src: IntoSentences | IntoBitext,
    tgt: IntoSentences | None = None,
    *,
    model: str = "bayes",
    symmetrize: str = DEFAULT,
    threshold: float | None = None,
    posterior: bool = False,
    seed: int = 1,
    max_length: int = MAX_LENGTH,
    prior: IntoWordModel | tuple[WordModel, WordModel] | None = None,
    strength: float = 1.0,
    threads: Threads = None,
    progress: TrainingProgress | None = None,
    system: str | None = None,
    **options: Any,
) -> pl.DataFrame:
    """Align a bitext: train a model in each direction on it, and symmetrize their links.

    Parameters
    ----------
    symmetrize
        How to combine both directions. ``agree`` takes the links whose probability, averaged over
        both directions, is above ``threshold``, 0.5 by default; ``none`` is the forward direction
        alone; or any method of ``links symmetrize`` (in Python, ``METHODS``).
    threshold
        Keep all links of a direction that are more probable than this, instead of the best for each
        word; with ``agree``, averaged over both directions.
    posterior
        Add the probability of each link: the mean of both directions' probabilities.
    prior
        A lexicon, or a forward and a reverse model; see ``fit``.
    system
        The name of the result; by default model and method (``hmm.intersection``).
    src, tgt, model, seed, max_length, strength, threads, progress, **options
        See ``fit``.

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
    executor = pool_of(threads)
    known_options(model, options)
    threshold = check_threshold(threshold)
    check_flags(posterior=posterior)
    check_method(symmetrize)
    fitted = fit_directions(
        sentence_pairs(src, tgt),
        model,
        directions=directions_of(symmetrize),
        seed=seed,
        max_length=max_length,
        prior=prior,
        strength=strength,
        executor=executor,
        progress=progress,
        options=options,
    )
    return align_directions(
        fitted, symmetrize, threshold=threshold, posterior=posterior, system=system
    )


def align_with(
    models: Sequence[Model],
    bitext: IntoBitext,
    *,
    symmetrize: str = DEFAULT,
    threshold: float | None = None,
    posterior: bool = False,
    threads: Threads = None,
    system: str | None = None,
) -> pl.DataFrame:
    """Align a bitext with a trained forward and reverse model.

    Parameters
    ----------
    models
        Two models of the same kind, one per direction (see ``load_directions``).
    bitext
        A frame with src and tgt (lists of words), or the path of such a Parquet file. The models
        need not know its words.
    symmetrize, threshold, posterior, threads, system
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
    executor = pool_of(threads)
    threshold = check_threshold(threshold)
    check_flags(posterior=posterior)
    check_method(symmetrize)
    models = [models] if isinstance(models, Model) else models
    if not isinstance(models, (list, tuple)) or not all(isinstance(one, Model) for one in models):
        raise InputError(
            f"an object of type {type(models).__name__} given as models",
            expected="align_with(models, bitext): the models of both directions, then the text",
        )
    given = sorted(model.reverse for model in models)
    enough = given == [False, True] or (symmetrize == ALONE and given == [False])
    if not enough or len({model.kind for model in models}) > 1:
        names = ", ".join(model.name for model in models) or "no models"
        raise InputError(names, expected="a forward and a reverse model of one kind")
    ordered = sorted(models, key=lambda model: model.reverse)
    if symmetrize == ALONE:
        ordered = ordered[:1]
    read = read_directions(ordered, bitext, executor)
    return align_directions(
        read, symmetrize, threshold=threshold, posterior=posterior, system=system
    )


def fit_directions(
    bitext: Any,
    model: str,
    *,
    directions: Sequence[str] = DIRECTIONS,
    seed: int = 1,
    max_length: int = MAX_LENGTH,
    prior: Any = None,
    strength: float = 1.0,
    executor: Executor | None = None,
    progress: TrainingProgress | None = None,
    options: dict[str, Any] | None = None,
) -> Iterator[Direction]:
    """Train both directions; see ``align``.

    Each is yielded with its training text. Directions trained one after the other need the memory
    of only one, if the caller drops the first before taking the second.
    """
    priors = prior if isinstance(prior, tuple) else (prior, prior)
    both = len(directions) == len(DIRECTIONS)
    if len(priors) != len(DIRECTIONS) or (both and hasattr(prior, "parameters")):
        raise InputError("a prior of one direction", expected="a forward and a reverse model")
    options = options or {}
    text = readable(bitext, max_length)
    del bitext  # frees memory for training, if nothing else refers to it
    apart = getattr(kind_module(model), "apart", None)
    reverse = [direction == "reverse" for direction in directions]
    together = both and apart is not None and not apart(text, every_option(model, options))
    for some in [reverse] if together else [[one] for one in reverse]:
        fitted = fit_text(
            text,
            model,
            reverse=some,
            seed=seed,
            max_length=max_length,
            prior=priors,
            strength=strength,
            executor=executor,
            progress=progress,
            options=options,
        )
        while fitted:
            yield Direction(*fitted.pop(0))


def read_directions(
    models: Iterable[Model], bitext: Any, executor: Executor | None = None
) -> Iterator[Direction]:
    """Read a bitext for each model, but only once if they have the same vocabularies."""
    last: Model | None = None
    for model in models:
        if last is None or not model.reads_as(last):
            text = model.read(bitext)
        if last is None:
            warn_of_unaligned(text, model.max_length)
            model.warn_of_unknown(text)
        last = model
        yield Direction(model, pair(text.turned() if model.reverse else text, executor))


def align_directions(
    directions: Iterable[Direction],
    symmetrize: str = ALONE,
    *,
    threshold: float | None = None,
    posterior: bool = False,
    system: str | None = None,
) -> pl.DataFrame:
    """Align the text in one direction, or in both and symmetrize; see ``align``."""
    joined = symmetrize != ALONE
    sides = decode_directions(
        directions,
        threshold=None if symmetrize == AGREE else threshold,
        posterior=posterior or symmetrize == AGREE,
        joined=joined,
        system=system,
    )
    if joined:
        forward, reverse = sides
        return join(
            forward, reverse, symmetrize, threshold=threshold, posterior=posterior, system=system
        )
    (side,) = sides
    return side.links


def decode_directions(
    directions: Iterable[Direction],
    *,
    threshold: float | None = None,
    posterior: bool = False,
    joined: bool = False,
    system: str | None = None,
) -> list[Side]:
    """Return the links of each direction; if ``joined``, with what ``join`` needs."""
    sides = []
    for model, paired in directions:
        links = model.decode(paired, posterior=posterior, threshold=threshold, system=system)
        every = None
        if joined and posterior:
            least = LEAST if threshold is None else min(threshold, LEAST)
            every = model.decode(paired, posterior=True, threshold=least)
        sides.append(Side(model.kind, links, every))
        del model, paired  # before the next direction needs as much
    return sides


def join(
    forward: Side,
    reverse: Side,
    method: str,
    *,
    threshold: float | None = None,
    posterior: bool = False,
    system: str | None = None,
) -> pl.DataFrame:
    """Symmetrize the links of both directions.

    ``agree`` needs all probable links of both directions; ``threshold`` applies to their mean. With
    ``posterior``, the probability of a link is the mean of both directions', where those below
    ``LEAST`` count as 0.
    """
    one, two = (side.links.to_arrow() for side in (forward, reverse))
    if method == AGREE:
        joined = agreed(_every(forward), _every(reverse), threshold)
    else:
        joined = as_array(functions.symmetrize(one.column("links"), two.column("links"), method))
    names = pa.array([system or f"{forward.name}.{method}"] * one.num_rows, pa.string())
    columns = {"system": names.cast(SYSTEM), "sid": one.column("sid"), "links": joined}
    if posterior:
        mean = mean_of(joined, _every(forward), _every(reverse))
        columns["probabilities"] = pa.ListArray.from_arrays(joined.offsets, pa.array(mean))
    return pl.DataFrame(pl.from_arrow(pa.table(columns)))


def _every(side: Side) -> pl.DataFrame:
    if side.every is None:
        raise InputError(f"the {side.name} links without probabilities")
    return side.every
