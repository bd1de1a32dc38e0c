"""What tells that the inputs and settings of a unit have changed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from alignframe.core.walking import walked
from alignframe.lake.units import Source, Unit
from alignframe.stores.store import digest, file_mark


def marks_by_input(
    unit: Unit, sources: Sequence[Source], content: bool | None = None
) -> dict[str, str]:
    """Return an identifier of the part of each input that a unit has; empty if it has none."""
    return {
        source.what: ""
        if unit.inputs[source.what] is None
        else source.mark(unit.matched if at else unit.keys, content)
        for at, source in enumerate(sources)
    }


def contents_by_input(unit: Unit, sources: Sequence[Source]) -> dict[str, str]:
    """Return an identifier of the contents of what a unit is counted against, where known."""
    _, *others = sources
    found = {source.what: source.contents(unit.matched) for source in others}
    return {what: mark for what, mark in found.items() if mark}


def settings_digest(signature: str, settings: Mapping[str, object]) -> str:
    """Return the digest of all settings; new ones make all units stale."""
    return digest([signature, json.dumps(settings, sort_keys=True)])


def stamp_of(
    signature: str, unit: Unit, sources: Sequence[Source], settings: Mapping[str, object]
) -> dict[str, str]:
    """Return the ``stamp`` of a unit's inputs, and the digests in it."""
    parts = marks_by_input(unit, sources)
    parts["settings"] = settings_digest(signature, settings)
    return {**parts, "stamp": digest(f"{name}={parts[name]}" for name in sorted(parts))}


def marks_of(given: Any) -> list[str]:
    """Return identifiers of the contents of files that options name."""
    if isinstance(given, str):
        path = Path(given)
        # An option may name a folder, such as that of a model.
        if path.is_dir():
            files = [Path(here, name) for here, _, names in walked(str(path)) for name in names]
            return [file_mark(str(path)) for path in sorted(files)]
        return [file_mark(given)] if path.is_file() else []
    inner = given.values() if isinstance(given, Mapping) else given
    return (
        [mark for part in inner for mark in marks_of(part)]
        if isinstance(given, (Mapping, list))
        else []
    )
