"""The evidence of sentences: the links of all systems beside gold, with their words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from alignframe.core.arrays import I64
from alignframe.errors import InputError
from alignframe.links.worst import SentenceLinks, links_of, words_of
from alignframe.pages.sentences import Evidence
from alignframe.typing import Row


def link_evidence(
    hyp: Any,
    gold: Any,
    sids: Sequence[int],
    text: Any,
    systems: Sequence[str],
    *,
    possible_as_sure: bool = False,
) -> dict[int, Row]:
    """Return the links of sentences in gold and of all systems, with words if there is a text."""
    found = links_of(hyp, gold, sids, possible_as_sure)
    words = words_of(text, sids)
    made = {}
    for sid in dict.fromkeys(sids):
        one, truth = Evidence(), _plain(found["", sid], gold=True)
        sides = words.get(sid)
        for at, system in enumerate(systems):
            links = found.get((system, sid))
            one.add(at, None if links is None else _plain(links), truth)
        _check_positions(sid, [truth, *filter(None, one.hyp)], sides)
        made[sid] = one.as_json(sides)
    return made


def _plain(links: SentenceLinks, *, gold: bool = False) -> list[list[int]]:
    sides: Iterable[I64] = (links[name] for name in (("i", "j", "sure") if gold else ("i", "j")))  # type: ignore[misc]
    return [side.astype(int).tolist() for side in sides]


def _check_positions(
    sid: int, every: Sequence[list[list[int]]], words: tuple[Sequence[str], Sequence[str]] | None
) -> None:
    """Refuse links outside the text; the position after the last word is that of null links."""
    if words is None:
        return
    for i, j in ((i, j) for links in every for i, j in zip(*links[:2], strict=True)):
        if i > len(words[0]) or j > len(words[1]):
            raise InputError(
                f"the link {i}-{j} of sentence {sid} lies outside the given text",
                todo="check that the text belongs to the links",
            )
