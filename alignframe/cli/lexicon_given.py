"""Lexicons as commands take and give them."""

from __future__ import annotations

from pathlib import Path

from alignframe.cli.sources import split_name
from alignframe.errors import InputError


def named(specs: list[str]) -> dict[str, str]:
    """Return the paths of lexicons by name; the file's name where none is given."""
    found: dict[str, str] = {}
    for spec in specs:
        name, path = split_name(spec, "lexicon")
        name = name or Path(path).stem
        if name in found:
            raise InputError(
                f"two lexicons are called {name!r}: {found[name]} and {path}",
                todo="name them: --lexicon NAME=FILE",
            )
        found[name] = path
    return found
