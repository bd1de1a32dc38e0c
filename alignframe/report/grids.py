"""The links of a few sentences, for alignment grids."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from alignframe.errors import InputError
from alignframe.links.worst import NULL, SentenceLinks, links_of, words_of

GRID_CAPTION = (
    "Rows are source words, columns target words. Squares are gold links. A dot is a correct "
    "link of a system, a cross an incorrect one; a square with neither is a missed link. With "
    "two systems, colours distinguish the links of the first, the second and both."
)


def grids(
    hyp: Any, gold: Any, chosen: Sequence[tuple[int, str]], text: Any, possible_as_sure: bool
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the links and words of chosen sentences, for ``charts.grid``.

    ``chosen`` has the sid and title of each grid; an empty title defaults to the sentence. Without
    ``text``, words are shown as numbers.
    """
    sids = [sid for sid, _ in chosen]
    kept = links_of(hyp, gold, sids, possible_as_sure)
    tokens = words_of(text, sids)
    cells: list[dict[str, str]] = []
    words: list[dict[str, str]] = []
    for sid, title in chosen:
        mine = {system: one for (system, number), one in kept.items() if number == sid}
        sides = tokens.get(sid) or _numbers(mine)
        sources, targets = (
            labels([*side, NULL] if _has_nulls(mine, at, len(side)) else side)
            for at, side in zip("ij", sides, strict=True)
        )
        text_of = textwrap.shorten(" ".join(sides[0]), 70, placeholder=" …")
        made = f"{sid}: {text_of}" if sid in tokens else f"sentence {sid}"
        name = title or made
        for k in range(max(len(sources), len(targets))):
            source, target = sources[min(k, len(sources) - 1)], targets[min(k, len(targets) - 1)]
            words.append({"sentence": name, "source": source, "target": target})
        cells += _cells(mine, sources, targets, name, sid)
    schema = dict.fromkeys(("sentence", "system", "kind", "source", "target"), pl.String)
    word_schema = dict.fromkeys(("sentence", "source", "target"), pl.String)
    return pl.DataFrame(cells, schema=schema), pl.DataFrame(words, schema=word_schema)


def _has_nulls(links: Mapping[str, SentenceLinks], side: str, length: int) -> bool:
    """Whether words are linked to the position after the last word of a side."""
    return any(length in one[side] for one in links.values())


def labels(words: Sequence[str]) -> list[str]:
    """Return labels of words that sort by position."""
    return [f"{k:03d} {word}" for k, word in enumerate(words)]


def _numbers(links: Mapping[str, SentenceLinks]) -> tuple[list[str], list[str]]:
    """Return the positions of both sides, up to the last aligned one."""
    i, j = (1 + max(int(one[side].max(initial=0)) for one in links.values()) for side in ("i", "j"))
    return [str(k) for k in range(i)], [str(k) for k in range(j)]


def _cells(
    links: Mapping[str, SentenceLinks],
    sources: Sequence[str],
    targets: Sequence[str],
    name: str,
    sid: int,
) -> list[dict[str, str]]:
    """Return one row per link of a sentence; gold's system is empty."""
    gold = links[""]
    known = {
        (int(i), int(j)): "Sure" if sure else "Possible"
        for i, j, sure in zip(gold["i"], gold["j"], gold["sure"], strict=True)
    }
    cells = []
    for system, one in links.items():
        for i, j in zip(one["i"].tolist(), one["j"].tolist(), strict=True):
            label = known.get((i, j))
            kind = label if not system else (f"right, {label}" if label else "wrong")
            if i >= len(sources) or j >= len(targets):
                raise InputError(
                    f"the link {i}-{j} of sentence {sid} lies outside the given text",
                    todo="check that the text belongs to the links",
                )
            cells.append(
                {
                    "sentence": name,
                    "system": system,
                    "kind": str(kind),
                    "source": sources[i],
                    "target": targets[j],
                }
            )
    return cells
