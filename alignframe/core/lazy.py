"""The version, and the public names of packages, each imported on first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

__version__ = "0.1.0"
"""It is part of every signature."""


def lazily(
    package: str, places: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return a package's ``__getattr__`` and ``__dir__``, given the module of each public name.

    A module without such a name, such as ``charts.links`` for ``links``, is meant itself.
    """

    def getter(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(f"alignframe.{places[name]}")
        itself = places[name].rpartition(".")[2] == name
        return getattr(module, name, module) if itself else getattr(module, name)

    return getter, listed(list(places))


def listed(names: Sequence[str]) -> Callable[[], list[str]]:
    """Return the ``__dir__`` of a module whose public names are ``names``."""
    return lambda: sorted(names)
