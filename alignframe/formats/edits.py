"""Edits of gold, as a page saves them: JSON with the annotator and the page's sentences.

``sentences`` lists what the page showed: each has its number, the digest of its gold, and the
numbers of its words. One that was checked, with or without a change, also has its links::

    {"alignframe_edits": 1, "of": "links", "gold": "gold.talp", "annotator": "Ann", "sentences": [
    {"unit": 3, "gold": "5f0c...", "sizes": [5, 6], "edited": "0-0 1p2"},
    {"unit": 4, "gold": "9a41...", "sizes": [7, 7]}]}
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from alignframe.errors import InputError, is_number

VERSION = 1
AGAIN = "save the edits from their page again"


@dataclass(frozen=True)
class Unit:
    """A sentence or a document of a page: ``edited`` is None if it was not checked."""

    gold: str
    sizes: tuple[int, int]
    edited: str | None


@dataclass(frozen=True)
class Edits:
    """What an annotator checked on a page of ``gold``."""

    path: str
    gold: str
    annotator: str
    units: Mapping[int | str, Unit]

    @property
    def checked(self) -> dict[int | str, str]:
        """The edited text of what was checked."""
        found = {name: unit.edited for name, unit in self.units.items()}
        return {name: text for name, text in found.items() if text is not None}


def digest(text: str) -> str:
    """Return a short digest of the gold of a sentence or document, by which a change is seen."""
    return sha256(text.encode()).hexdigest()[:16]


def kind_of(path: str | PathLike[str]) -> str:
    """Return what a file has edits of: links or beads."""
    return str(_object(path).get("of"))


def _object(path: str | PathLike[str]) -> dict[str, Any]:
    name = fspath(path)
    try:
        found = json.loads(Path(path).read_text("utf-8-sig"))
    except OSError as error:
        raise InputError(error.strerror or str(error), path=name) from None
    except ValueError as error:
        raise _damaged(name, f"no JSON ({error})") from None
    if not isinstance(found, dict) or "alignframe_edits" not in found:
        raise _damaged(name, "no edits of a page")
    if found["alignframe_edits"] != VERSION:
        raise _damaged(name, f"edits of version {found['alignframe_edits']!r}, not {VERSION}")
    return found


def read_edits(path: str | PathLike[str], of: str) -> Edits:
    """Read the edits of ``of``, links or beads; a damaged file is an error that says where."""
    name, found = fspath(path), _object(path)
    if found.get("of") != of:
        raise InputError(f"edits of {found.get('of')}", path=name, expected=f"edits of {of}")
    annotator = found.get("annotator")
    if not isinstance(annotator, str) or not annotator.strip():
        raise InputError("edits without the annotator's name", path=name, todo=AGAIN)
    every = found.get("sentences")
    if not isinstance(every, list) or not every:
        raise _damaged(name, "edits without the sentences of the page")
    units: dict[int | str, Unit] = {}
    for at, row in enumerate(every):
        key, unit = _unit(row, at, name)
        if key in units:
            raise _damaged(name, f"sentence {key} twice")
        units[key] = unit
    return Edits(name, str(found.get("gold")), annotator.strip(), units)


def _unit(row: Any, at: int, name: str) -> tuple[int | str, Unit]:
    """Return a sentence of edits with its number or name."""
    is_kind: dict[str, Callable[[Any], bool]] = {
        "unit": lambda one: isinstance(one, str) or (type(one) is int and one >= 0),
        "gold": lambda one: isinstance(one, str),
        "sizes": lambda one: (
            isinstance(one, list) and len(one) == 2 and all(is_number(k) and k >= 0 for k in one)
        ),
        "edited": lambda one: one is None or isinstance(one, str),
    }
    given = row if isinstance(row, dict) else {}
    for field, holds in is_kind.items():
        if not holds(given.get(field)):
            raise _damaged(
                name, f"sentence {at + 1:,} of the list has {field} {given.get(field)!r}"
            )
    return given["unit"], Unit(given["gold"], tuple(given["sizes"]), given.get("edited"))


def _damaged(name: str, found: str) -> InputError:
    return InputError(found, path=name, expected="edits that a page saved", todo=AGAIN)
