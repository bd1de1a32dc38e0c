"""Applying the edits of annotators to gold: what changed, how well they agree, and on what not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations
from os import PathLike
from typing import Any

import polars as pl
import pyarrow as pa

from alignframe.core.keys import sentence_column
from alignframe.core.schemas import GOLD_LINKS
from alignframe.errors import InputError, check_known, few_of, number_of, warn
from alignframe.formats.edits import AGAIN, Edits, digest, read_edits
from alignframe.links.inputs import LINK_COLUMNS, Subset, gold_source
from alignframe.links.worst import SentenceLinks, chosen_links
from alignframe.options import checked
from alignframe.result import Result
from alignframe.sources.source import Source
from alignframe.typing import FilePath, IntoLinks, Several

CONFLICTS = ("refuse", "majority", "first", "keep")
"""What becomes of links on which annotators disagree."""

NONE, POSSIBLE, SURE = range(3)
LABELS = ("none", "Possible", "Sure")
"""The labels of a cell, a pair of a source and a target word."""

Cells = Mapping[tuple[int, int], int]
"""The labels of a sentence's cells; those that are not in it have none."""

_CHANGES = {
    "added_sure": [(NONE, SURE)],
    "added_possible": [(NONE, POSSIBLE)],
    "removed": [(SURE, NONE), (POSSIBLE, NONE)],
    "to_sure": [(POSSIBLE, SURE)],
    "to_possible": [(SURE, POSSIBLE)],
}
_LINK = re.compile(r"(\d{1,5})([-p])(\d{1,5})", re.ASCII)


@dataclass(frozen=True, repr=False)
class EditedGold(Result):
    """The result of ``apply_edits``: gold with the edits, and tables that report on them.

    ``changes`` has a row per sentence that was checked: sid, annotators, links added as Sure and as
    Possible, removed, changed to Sure and to Possible, and conflicts. ``agreement`` has rows per
    pair of annotators: label, sentences (that both checked), cells, agreement, kappa and f.
    ``conflicts`` has a row per link on which annotators disagree, with what each said. Of beads,
    it is about documents and the borders between beads.

    Examples
    --------
    >>> from alignframe import links
    >>> list(links.EditedGold.__dataclass_fields__)[:3]
    ['changes', 'agreement', 'conflicts']
    """

    changes: pl.DataFrame
    agreement: pl.DataFrame
    conflicts: pl.DataFrame
    table: pa.Table = field(repr=False)
    settled: bool
    signature: str

    @property
    def gold(self) -> pa.Table:
        """Gold with the edits, in the order of gold; an error if conflicts are not settled."""
        if not self.settled and self.conflicts.height:
            unit, i, j, *_, said, _ = self.conflicts.row(0)
            what = "link" if "sid" in self.conflicts.columns else "border"
            raise InputError(
                f"annotators disagree on {number_of(self.conflicts.height, what)}, such as {i}-{j} "
                f"of {unit} ({said})",
                todo="let them agree and save their edits again, or say with "
                "`conflicts` what counts: majority, first or keep",
            )
        return self.table


@checked
def apply_edits(
    gold: IntoLinks,
    edits: Several[FilePath],
    *,
    conflicts: str = "refuse",
    skip_changed: bool = False,
) -> EditedGold:
    """Apply edits that pages saved (``links score --page FILE --edit``) to the gold they show.

    Parameters
    ----------
    gold
        The gold that the pages were made of: a frame or a path.
    edits
        One or several files of edits, of one or several annotators.
    conflicts
        What becomes of a link on which annotators of the same sentence disagree. ``refuse``: an
        error, after the report; ``majority``: the label of more than half of the annotators, or
        that of gold if there is none; ``first``: that of the annotator who is given first;
        ``keep``: that of gold.
    skip_changed
        Leave out edits of sentences whose gold has changed since, or that are gone, with a warning
        rather than an error.

    Returns
    -------
    EditedGold
        Its ``gold`` has the edits; its tables are a report of them. Agreement is
        over all cells (pairs of a source and a target word) of the sentences that both annotators
        checked, by label: Sure or not, Possible or not, and all three labels; there, f is of links
        of any label. F of one annotator against the other is the same both ways. Annotators who
        start from the same gold agree on what neither looked at closely.

    Raises
    ------
    InputError
        If a file is damaged, names no annotator, or has a link outside its sentence; if the gold of
        a sentence has changed since the page was made, or is gone; if two files of the same
        annotator have the same sentence; or, of ``gold``, if conflicts are not settled.

    Notes
    -----
    Cohen 1960, A coefficient of agreement for nominal scales.

    Examples
    --------
    >>> import json
    >>> from alignframe import links
    >>> from alignframe.formats.edits import digest
    >>> sentence = {"unit": 0, "gold": digest("0-0 1p2"), "sizes": [2, 3]}
    >>> head = {"alignframe_edits": 1, "of": "links", "gold": "gold.talp"}
    >>> for name, edited in (("Ann", "0-0 1-2"), ("Bob", "0-0 1-2 1p1")):
    ...     made = {**head, "annotator": name, "sentences": [{**sentence, "edited": edited}]}
    ...     with open(f"{name}.json", "w") as file:
    ...         json.dump(made, file)
    >>> found = links.apply_edits(["0-0 1p2"], ["Ann.json", "Bob.json"], conflicts="keep")
    >>> found.changes.select("annotators", "to_sure", "conflicts").row(0)
    ('Ann, Bob', 1, 1)
    >>> found.gold["links"].to_pylist()[0][1]
    {'i': 1, 'j': 2, 'sure': True}
    >>> found.conflicts["said"][0]
    'Ann: none, Bob: Possible'
    """
    check_known("`conflicts`", conflicts, CONFLICTS)
    if isinstance(gold, Subset):
        raise InputError("a subset of gold to edit", expected="all of gold")
    given = edits_of(edits, "links")
    source = gold_source(gold).in_memory()
    before = _links(source)
    now = {sid: text_of(cells) for sid, cells in before.items()}
    by_annotator = cells_by_annotator(given, now, source.name, skip=skip_changed)
    sentences, disputes = [], []
    after: dict[int, Cells] = {}
    for sid in sorted({sid for one in by_annotator.values() for sid in one}):
        own = {name: one[sid] for name, one in by_annotator.items() if sid in one}
        old, new, rows = before[sid], {}, []
        for cell in sorted({*old, *chain(*own.values())}):
            votes = {name: cells.get(cell, NONE) for name, cells in own.items()}
            new[cell] = _settled([*votes.values()], old.get(cell, NONE), conflicts)
            if len({*votes.values()}) > 1:
                said = ", ".join(f"{name}: {LABELS[label]}" for name, label in votes.items())
                label = None if conflicts == "refuse" else LABELS[new[cell]]
                rows.append((sid, *cell, LABELS[old.get(cell, NONE)], said, label))
        moves = Counter((old.get(cell, NONE), label) for cell, label in new.items())
        counts = [sum(moves[move] for move in moves_of) for moves_of in _CHANGES.values()]
        sentences.append((sid, ", ".join(own), *counts, len(rows)))
        disputes += rows
        after[sid] = new
    marks = f"gold:edited|annotators:{len(by_annotator)}|conflicts:{conflicts}"
    return EditedGold(
        frame_of(
            sentences, {"sid": int, "annotators": str, **dict.fromkeys(_CHANGES, int)}, "conflicts"
        ),
        agreement_of(by_annotator, sizes_of(given)),
        frame_of(disputes, {"sid": int, "i": int, "j": int}, "gold", "said", "edited", kind=str),
        _with_edits(source, before | after),
        conflicts != "refuse",
        marks,
    )


def cells_of(links: SentenceLinks) -> Cells:
    """Return the labels of the cells of a sentence."""
    sides = (links[name].tolist() for name in ("i", "j", "sure"))
    return {(i, j): SURE if sure else POSSIBLE for i, j, sure in zip(*sides, strict=True)}


def text_of(cells: Cells) -> str:
    """Return the links of a sentence as text, in order: ``0-0 1p2``."""
    marks = {SURE: "-", POSSIBLE: "p"}
    return " ".join(f"{i}{marks[k]}{j}" for (i, j), k in sorted(cells.items()) if k != NONE)


def _parsed(text: str, sid: object, sizes: tuple[int, int], path: str) -> Cells:
    cells = {}
    for word in text.split():
        link = _LINK.fullmatch(word)
        i, j = (int(link[1]), int(link[3])) if link else (0, 0)
        if link is None or i >= sizes[0] or j >= sizes[1] or (i, j) in cells:
            raise InputError(
                f"{sid} has the link {word!r}",
                path=path,
                expected=f"links such as 0-0 or 0p1 between {sizes[0]} and {sizes[1]} words, once",
                todo=AGAIN,
            )
        cells[i, j] = SURE if link[2] == "-" else POSSIBLE
    return cells


def _links(source: Source) -> dict[int, Cells]:
    """Return the cells of all sentences of gold."""
    sids = [sid for batch in source.batches() for sid in sentence_column(batch).tolist()]
    if twice := [sid for sid, number in Counter(sids).items() if number > 1]:
        raise InputError(f"gold gives sentence {twice[0]} more than once", path=source.name)
    found = chosen_links([source], sids, labels=True)
    return {sid: cells_of(links) for (_, sid), links in found.items()}


def edits_of(edits: Several[FilePath], of: str) -> list[Edits]:
    """Return the edits of one or several files, at least one."""
    paths = [edits] if isinstance(edits, (str, PathLike)) else [*edits]
    if not paths:
        raise InputError("no edits", expected="at least one file")
    return [read_edits(one, of) for one in paths]


def sizes_of(given: Sequence[Edits]) -> dict[Any, tuple[int, int]]:
    """Return the numbers of words of the sentences of pages."""
    return {key: one.units[key].sizes for one in given for key in one.units}


def cells_by_annotator(
    given: Sequence[Edits], now: Mapping[Any, str], path: str, *, skip: bool
) -> dict[str, dict[Any, Cells]]:
    """Return the cells of what each annotator checked, in the order given.

    Edits of what is not as in ``now``, the gold in ``path``, are refused, or left out to ``skip``.
    """
    found: dict[str, dict[Any, Cells]] = {}
    files: dict[tuple[str, object], str] = {}
    for one in given:
        if not one.checked:
            warn(f"{one.path}: {one.annotator} checked nothing")
        gone = [unit for unit in one.checked if unit not in now]
        others = [unit for unit in one.checked if unit in now]
        changed = [unit for unit in others if digest(now[unit]) != one.units[unit].gold]
        for units, said in ((gone, "gone from gold"), (changed, "another in gold now")):
            if not units:
                continue
            text = f"what {one.annotator} checked is {said}: {few_of([*map(str, units)])}"
            if not skip:
                raise InputError(
                    f"{text}; the page was made of {one.gold}, and this is {path}",
                    path=one.path,
                    todo="apply the edits to the gold that the page was made of, or make a new "
                    "page of this one; or leave out such edits with `skip_changed`",
                )
            warn(f"{one.path}: {text}; these edits are left out")
        own, left = found.setdefault(one.annotator, {}), {*gone, *changed}
        for unit, text in one.checked.items():
            if unit in left:
                continue
            if (other := files.setdefault((one.annotator, unit), one.path)) != one.path:
                raise InputError(
                    f"{one.annotator} edited {unit} in {other} too",
                    path=one.path,
                    expected="a sentence once from each annotator",
                    todo="give the later file alone; or, if these are two people, change the "
                    "name in one of the pages and save it again",
                )
            own[unit] = _parsed(text, unit, one.units[unit].sizes, one.path)
    return found


def _settled(votes: Sequence[int], old: int, conflicts: str) -> int:
    """Return the label of a cell."""
    ((first, most),) = Counter(votes).most_common(1)
    if most == len(votes) or (conflicts == "majority" and most > len(votes) / 2):
        return first
    return votes[0] if conflicts == "first" else old


def agreement_of(
    annotators: Mapping[str, Mapping[Any, Cells]], sizes: Mapping[Any, tuple[int, int]]
) -> pl.DataFrame:
    """Return how well pairs of annotators agree, by label, over the cells of what both checked."""
    rows = []
    for one, other in combinations(annotators, 2):
        both = sorted({*annotators[one]} & {*annotators[other]})
        table: Counter[tuple[int, int]] = Counter()
        for sid in both:
            left, right = annotators[one][sid], annotators[other][sid]
            cells = {*left, *right}
            table.update((left.get(cell, NONE), right.get(cell, NONE)) for cell in cells)
            table[NONE, NONE] += sizes[sid][0] * sizes[sid][1] - len(cells)
        for label, figures in _figures(table):
            rows.append((one, other, label, len(both), sum(table.values()), *figures))
    kinds = {"annotator": str, "other": str, "label": str, "sentences": int, "cells": int}
    return frame_of(rows, kinds, "agreement", "kappa", "f", kind=float)


def _figures(
    table: Counter[tuple[int, int]],
) -> Iterator[tuple[str, tuple[float | None, float | None, float | None]]]:
    """Yield observed agreement, kappa and F by label, of cells by the labels of two annotators."""
    for label in (SURE, POSSIBLE, None):
        # All three labels, or one and the rest.
        folded: Counter[tuple[int, int]] = Counter()
        for (a, b), number in table.items():
            folded[(a, b) if label is None else (int(a == label), int(b == label))] += number
        total = sum(folded.values())
        same = sum(number for (a, b), number in folded.items() if a == b)
        sides: list[Counter[int]] = [Counter(), Counter()]
        for pair, number in folded.items():
            for side, own in zip(sides, pair, strict=True):
                side[own] += number
        chance = sum(sides[0][one] * sides[1][one] for one in sides[0])
        linked = sum(number for (a, b), number in folded.items() if a and b)
        links = sum(number for side in sides for one, number in side.items() if one)
        yield (
            "all" if label is None else LABELS[label],
            (
                same / total if total else None,
                (same * total - chance) / (total**2 - chance) if total**2 > chance else None,
                2 * linked / links if links else None,
            ),
        )


def frame_of(
    rows: Sequence[tuple[Any, ...]], kinds: Mapping[str, Any], *more: str, kind: Any = int
) -> pl.DataFrame:
    """Return rows as a frame with columns of some kinds, and ``more`` of another."""
    return pl.DataFrame(rows, {**kinds, **dict.fromkeys(more, kind)}, orient="row")


def _with_edits(source: Source, cells: Mapping[int, Cells]) -> pa.Table:
    """Return gold with these links; all else stays."""
    keep = [name for name in source.columns if name not in LINK_COLUMNS | {"sid", "probability"}]
    table = pa.Table.from_batches(source.batches(keep, labels=True))
    links = [
        [{"i": i, "j": j, "sure": k == SURE} for (i, j), k in sorted(cells[sid].items()) if k]
        for sid in table["sid"].to_pylist()
    ]
    where = table.schema.get_field_index("links")
    table = table.set_column(where, "links", pa.array(links, GOLD_LINKS))
    if "system" not in source.columns:
        table = table.drop_columns(["system"])
    return table.replace_schema_metadata(source.schema.metadata)
