"""Which TESLA, and what it is made of: the options of the commands that score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from alignframe.cli.sources import split_name
from alignframe.errors import InputError


@dataclass(frozen=True)
class TeslaOptions:
    """What scores by TESLA are made of."""

    pivot: list[str] | None
    lm: list[str] | None
    model: Path | None
    recall_weight: float
    empty_order: str
    function_weight: float

    def given(self) -> dict[str, Any]:
        """Return the arguments of ``tesla.score``."""
        return {
            "pivots": named_pivots(self.pivot or []),
            "language_models": named_models(self.lm or []),
            "model": self.model,
            "recall_weight": self.recall_weight,
            "empty_order": self.empty_order,
            "function_weight": self.function_weight,
        }


@dataclass(frozen=True)
class MetricOptions(TeslaOptions):
    """Which TESLA, and how it takes several references."""

    metric: str
    features: str | None
    references: str
    threads: int

    def given(self) -> dict[str, Any]:
        """Return the arguments of ``tesla.score`` and of ``Scorer``."""
        return super().given() | {
            "metric": self.metric,
            "features": self.features,
            "references_combined": self.references,
            "threads": self.threads,
        }


def named_pivots(specs: Sequence[str]) -> dict[str, str]:
    """Return pivot tables by name; without one, by the name that stands in the file."""
    from alignframe.tesla.pivot_table import name_of

    found: dict[str, str] = {}
    for spec in specs:
        name, path = split_name(spec, "pivot table")
        add_named(found, name or name_of(path), path, "pivot table")
    return found


def named_models(specs: Sequence[str]) -> dict[str, str]:
    """Return language models by name; without one, by the first part of the file's own name."""
    found: dict[str, str] = {}
    for spec in specs:
        name, path = split_name(spec, "language model")
        own = Path(path).name.split(".")[0]
        add_named(found, name or own.removeprefix("lm_") or own, path, "language model")
    return found


def add_named(found: dict[str, str], name: str, path: str, what: str) -> None:
    """Add a file; an InputError if another one has its name."""
    if name in found:
        raise InputError(
            f"two files for the {what} {name!r}: {found[name]} and {path}",
            todo="name them: NAME=FILE",
        )
    found[name] = path


def systems_of(specs: Sequence[str]) -> dict[str, Any]:
    """Return the translations of each system by its name, see ``alignframe.translations``."""
    from alignframe import translations

    found: dict[str, Any] = {}
    files: dict[str, str] = {}
    for name, path in (split_name(spec, "system") for spec in specs):
        given = translations.systems_of({name: Path(path)} if name else Path(path))
        for system in given:
            add_named(files, system, path, "system")
        found |= given
    return found
