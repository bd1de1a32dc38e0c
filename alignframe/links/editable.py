"""Pages on which gold links are mended."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from alignframe.errors import InputError
from alignframe.formats import detect
from alignframe.formats.edits import digest
from alignframe.links.edits import POSSIBLE, SURE, text_of
from alignframe.links.scoring import Evaluated
from alignframe.pages.sentences import Sentences
from alignframe.typing import Row

_LINES = "pharaoh"
"""The format of gold that the page can write whole."""


def editable(listed: Sentences, evaluated: Evaluated) -> Sentences:
    """Return sentences whose gold can be edited, with what the file of edits tells of them."""
    gold = evaluated.gold
    found = {
        "no text": evaluated.text is None,
        "`possible_as_sure`": evaluated.possible_as_sure,
        "`drop_outside`": evaluated.drop_outside or gold.note("drop_outside") is not None,
        "null links": gold.note("nulls") is not None,
        "`on`": gold.keys is not None,
    }
    if odd := [name for name, is_so in found.items() if is_so]:
        raise InputError(
            f"`edit` with {odd[0]}",
            expected="gold links as they are stored, and the words that they join",
            todo="give the text, `bitext`" if evaluated.text is None else "",
        )
    rows: list[Row] = []
    for row in listed.rows:
        (i, j, sure), *_ = row["detail"]["other"]
        labels = {(a, b): SURE if s else POSSIBLE for a, b, s in zip(i, j, sure, strict=True)}
        marked = {**row["detail"], "digest": digest(text_of(labels))}
        rows.append({**row, "detail": marked})
    every = "".join(f"{row['unit']} {row['detail']['digest']} " for row in rows)
    place = Path(gold.name)
    # The page can write gold of lines, if it has all of them.
    lines = place.is_file() and detect(place) == _LINES
    whole = lines and sorted(row["unit"] for row in rows) == [*range(len(rows))]
    whole = whole and not gold.left_out and len(rows) == evaluated.counted.frame["sid"].n_unique()
    edit = {"of": "links", "gold": gold.name, "key": digest(every), "whole": whole}
    return replace(listed, rows=rows, edit=edit)
