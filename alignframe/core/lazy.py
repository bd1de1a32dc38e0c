"""The version, and the public names of packages, each imported on first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Any

__version__ = "0.1.0"
"""It is part of every signature."""


def lazily(
    package: str, places: Mapping[str, str], former: Mapping[str, str] = MappingProxyType({})
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return a package's ``__getattr__`` and ``__dir__``, given the module of each public name.

    A place that ends in a colon, such as ``links.charts:``, is itself what the name stands for.
    ``former`` are names that still work, but are not listed.
    """
    known = {**places, **former}

    def getter(name: str) -> Any:
        if name not in known:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        place = known[name]
        module = import_module(f"alignframe.{place.removesuffix(':')}")
        return module if place.endswith(":") else getattr(module, name)

    return getter, listed(list(places))


def listed(names: Sequence[str]) -> Callable[[], list[str]]:
    """Return the ``__dir__`` of a module whose public names are ``names``."""
    return lambda: sorted(names)
