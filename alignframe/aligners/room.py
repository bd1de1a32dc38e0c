"""The memory that samplers need, and how they run within a limit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from alignframe.aligners.text import Text
from alignframe.aligners.training_pairs import MOST_TOGETHER, places
from alignframe.core.memory import bytes_of, resident
from alignframe.errors import InputError
from alignframe.options.aligners import Bayes

# Bytes of a target word: its position, its probable positions, and what counts start from.
_PLACE, _KEPT, _START = 2, 10, 1

# Bytes of a linked pair: in the table, and in the rows from which that is made.
_PAIR = 32

# Bytes of machine code, and of all else.
_CODE = 65_000_000


class Room(NamedTuple):
    """How samplers run: so many at once, their probable positions in memory or in files."""

    at_once: int
    in_files: bool


def room_for(texts: Sequence[Text], options: Bayes, samplers: int, at_once: int) -> Room:
    """Return how samplers run within the limit: in files if need be, then fewer at once.

    Raises
    ------
    InputError
        If a single sampler needs more.
    """
    large = int(places(texts[0])[-1]) > MOST_TOGETHER
    ways = [Room(at_once, large), *(Room(number, True) for number in range(at_once, 0, -1))]
    limit = options.memory_limit
    if limit is None:
        return ways[0]
    has, most = resident(), bytes_of(limit)
    words = [text.tgt.words.size for text in texts]
    stems = options.stems > 0 and not large
    for room in ways:
        need = has + needed(words, samplers, room, stems=stems)
        if need <= most:
            return room
    raise InputError(
        f"`memory_limit` is {limit} for a text of {sum(words):,} words, with {has // 10**6:,} MB "
        "in use",
        expected=f"at least {need // 10**6 + 1:,}MB",
        todo="or train on a part of the text",
    )


def needed(words: Sequence[int], samplers: int, room: Room, *, stems: bool) -> int:
    """Return about how many bytes training adds, by the target words of each direction."""
    # Links are random at first, and the most distinct.
    first = max(_PAIR * _linked(number, stems=stems) for number in words)
    # The sums of samplers that are done, and the positions of those that run.
    kept = 0 if room.in_files else min(samplers, room.at_once + 1) * _KEPT * sum(words)
    moving = room.at_once * _PLACE * sum(words)
    later = room.at_once * first // 3 + kept
    return _CODE + _START * sum(words) + moving + max(room.at_once * first, later)


def _linked(words: int, *, stems: bool) -> int:
    """Return about how many pairs of words are counted at first: a power of the text's size."""
    # Measured on 30,000 and 200,000 pairs of Europarl; forms share counts with stems.
    return int(3.7 * words**0.905 if stems else 7 * words**0.78)
