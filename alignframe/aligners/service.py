"""One sentence pair at a time, with models that stay in memory."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from os import PathLike
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from alignframe.aligners.bidirectional import (
    AGREED,
    LEAST,
    Direction,
    Linking,
    agreeing,
    in_order,
)
from alignframe.aligners.directions import AGREE, directions_of, load_directions
from alignframe.aligners.model import Model
from alignframe.aligners.text import Known, Text, TextSide
from alignframe.aligners.training_pairs import Paired
from alignframe.core import symmetrization
from alignframe.core.arrays import I64, Links, frozen
from alignframe.kernels.links.symmetrize import symmetrize as join
from alignframe.language.words import Splitting
from alignframe.sources.texts import word_array

Sentence = str | Sequence[str]
Link = tuple[int, int]
Probabilities = dict[Link, np.float32]

# Text that needs no more than splitting at spaces; other text goes the way of whole texts.
_PLAIN = re.compile("[^\n<\ud800-\udfff]*")
_WORD = re.compile("[^ \t-\r]+")

_ROW = frozen(np.zeros(1, np.int64))
_ALL_SURE = frozen(np.zeros(0, np.uint8))
_NEVER = np.float32(0)


class Aligner:
    """Trained models as a service: links of one sentence pair at a time, also in threads.

    Parameters
    ----------
    models
        The folder of saved models, or models as ``align_with`` takes them.
    symmetrize, threshold, positions
        See ``align``.

    Raises
    ------
    InputError
        If a model is missing or damaged, or another argument is invalid.

    Examples
    --------
    >>> from alignframe import aligners
    >>> text = ["the house", "the book", "a book"], ["das Haus", "das Buch", "ein Buch"]
    >>> models = [aligners.fit(*text, model="ibm1", reverse=back) for back in (False, True)]
    >>> aligners.Aligner(models, symmetrize="intersection").links("a house", "ein Haus")
    [(0, 0), (1, 1)]
    """

    def __init__(
        self,
        models: str | PathLike[str] | Sequence[Model],
        *,
        symmetrize: str = symmetrization.DEFAULT,
        threshold: float | None = None,
        positions: str = "auto",
    ) -> None:
        self._linking = Linking(symmetrize, threshold, positions=positions)
        if isinstance(models, (str, PathLike)):
            models = load_directions(models, directions_of(symmetrize))
        self._models = in_order(models, symmetrize)
        first, last = self._models[0], self._models[-1]
        self._alike = last.reads_as(first)

    def links(self, src: Sentence, tgt: Sentence) -> list[Link]:
        """Return the links (i, j) of a sentence pair, sorted: those of ``align_with``.

        A sentence is a text or a list of words. With an empty side, or one that is too long for the
        models, there are none; nothing is warned of.

        Raises
        ------
        InputError
            If a sentence is something else.
        """
        return sorted(self._found(src, tgt, posterior=False))

    def probabilities(self, src: Sentence, tgt: Sentence) -> dict[Link, float]:
        """Return the probability of each link of a sentence pair; see ``links``."""
        found = self._found(src, tgt, posterior=True)
        return {link: float(found[link]) for link in sorted(found)}

    def _found(self, src: Sentence, tgt: Sentence, *, posterior: bool) -> Probabilities:
        given = _words(src, "the source sentence"), _words(tgt, "the target sentence")
        pair = _read(self._models[0], given)
        more = (pair if self._alike else _read(model, given) for model in self._models[1:])
        pairs = [pair, *more]
        method, threshold = self._linking.symmetrize, self._linking.threshold
        directions = _directions(self._models, pairs)
        least = LEAST if threshold is None or method == AGREE else min(threshold, LEAST)

        def both(low: float | None) -> list[Probabilities]:
            return [_linked(direction, low) for direction in directions]

        if not self._linking.joined:
            found = _linked(directions[0], threshold)
        elif method == AGREE:
            every = both(least)
            likely = np.float32(AGREED if threshold is None else threshold)
            means = _means(every[0] | every[1], *every)
            found = {link: p for link, p in means.items() if p > likely}
        else:
            found = _joined(*both(threshold), method=method)
            if posterior:
                found = _means(found, *both(least))
        read = next(filter(None, pairs), None)
        return read.of_units(found, self._linking.positions) if read else {}


class _Pair(NamedTuple):
    """A sentence pair that a model has read."""

    text: Text
    splittings: tuple[Splitting, Splitting]
    units: tuple[list[int], list[int]]  # of each word, of sides that are split

    def of_units(self, found: Probabilities, positions: str) -> Probabilities:
        """Return links of what ``positions`` asks for; see ``Units.of_links``."""
        src, tgt = (
            units if units and not splitting.in_words(positions) else None
            for units, splitting in zip(self.units, self.splittings, strict=True)
        )
        if src is None and tgt is None:
            return found
        best: Probabilities = {}
        for (i, j), p in found.items():
            link = (i if src is None else src[i], j if tgt is None else tgt[j])
            best[link] = max(p, best.get(link, _NEVER))
        return best


def _read(model: Model, given: tuple[list[str], list[str]]) -> _Pair | None:
    """Read a sentence pair for a model; return None if it cannot be aligned."""
    (src, src_units), (tgt, tgt_units) = (
        splitting.split_one(words) for splitting, words in zip(model.splittings, given, strict=True)
    )
    if not all(0 < len(words) <= model.max_length for words in (src, tgt)):
        return None
    side = _own_words if getattr(model.parameters, "new_words", False) else _side_of
    sides = [side(words, known) for words, known in zip((src, tgt), model.known, strict=True)]
    text = Text(_ROW, _ROW, sides[0], sides[1], 0, 0)
    return _Pair(text, model.splittings, (src_units, tgt_units))


def _side_of(words: list[str], known: Known) -> TextSide:
    """Return a sentence in the words of a model."""
    unknown = len(known.words)
    numbers = np.array([known.numbers.get(word, unknown) for word in words], np.int32)
    return TextSide(known.words, _bounds(words), frozen(numbers))


def _own_words(words: list[str], known: Known) -> TextSide:
    """Return a sentence in its own words: known ones by number, then new ones in byte order."""
    unknown = len(known.words)
    number_of = known.numbers.get
    own = sorted([(number_of(word, unknown), word) for word in {*words}])
    places = {word: place for place, (_, word) in enumerate(own)}
    numbers = np.array([number for number, _ in own], np.int32)
    new = np.flatnonzero(numbers == unknown)
    numbers[new] += np.arange(new.size, dtype=np.int32)
    local = np.array([places[word] for word in words], np.int32)
    vocabulary = pa.array([*places], pa.string())
    return TextSide(
        vocabulary, _bounds(words), frozen(local), numbers=frozen(numbers), script=known.script
    )


def _bounds(words: list[str]) -> I64:
    return frozen(np.array([0, len(words)]))


def _words(sentence: Sentence, what: str) -> list[str]:
    """Return the words of a sentence, as texts have them; raise an InputError if it is none."""
    if (
        isinstance(sentence, str)
        and _PLAIN.fullmatch(sentence)
        and unicodedata.is_normalized("NFC", sentence)
    ):
        return _WORD.findall(sentence)
    words: list[str] = word_array([sentence], what, checked=False)[0].as_py()
    return words


def _directions(
    models: Sequence[Model], pairs: Sequence[_Pair | None]
) -> Sequence[Direction | None]:
    """Return the directions of a sentence pair, None for a model that cannot align it."""
    directions = [
        None if pair is None else _direction(model, pair)
        for model, pair in zip(models, pairs, strict=True)
    ]
    known = [direction for direction in directions if direction is not None]
    return agreeing(known) if len(known) == len(directions) else directions


def _direction(model: Model, pair: _Pair) -> Direction:
    text = pair.text.turned() if model.reverse else pair.text
    return Direction(model, Paired(text, [(0, 1)]))


def _linked(direction: Direction | None, threshold: float | None) -> Probabilities:
    """Return the links of one direction, in source-target orientation."""
    if direction is None:
        return {}
    model, paired = direction
    (found,) = model.parameters.decode(paired, threshold)
    i, j = (found.j, found.i) if model.reverse else (found.i, found.j)
    return dict(zip(zip(i.tolist(), j.tolist(), strict=True), found.probability, strict=True))


def _joined(forward: Probabilities, reverse: Probabilities, *, method: str) -> Probabilities:
    links = join(_links_of(forward), _links_of(reverse), method)
    return dict.fromkeys(zip(links.i.tolist(), links.j.tolist(), strict=True), _NEVER)


def _links_of(found: Probabilities) -> Links:
    i, j = np.array([*found], np.uint16).reshape(-1, 2).T
    return Links(_ROW, frozen(np.array([i.size])), frozen(i), frozen(j), _ALL_SURE, 0)


def _means(wanted: Probabilities, forward: Probabilities, reverse: Probabilities) -> Probabilities:
    """Return the mean of both directions' probabilities; see ``bidirectional.mean_of``."""
    two = np.float32(2)
    return {link: (forward.get(link, _NEVER) + reverse.get(link, _NEVER)) / two for link in wanted}
