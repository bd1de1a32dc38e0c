"""Options of the commands that score by TESLA."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import cpu_count
from pathlib import Path
from typing import Any

from alignframe.cli.sources import add_named, named_paths, split_name


@dataclass(frozen=True)
class TeslaOptions:
    """Options of all TESLA commands."""

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
    """The TESLA metric, and its treatment of multiple references."""

    metric: str
    features: str | None
    references_combined: str
    threads: int | None

    def given(self) -> dict[str, Any]:
        """Return the arguments of ``tesla.score`` and of ``Scorer``."""
        return super().given() | {
            "metric": self.metric,
            "features": self.features,
            "references_combined": self.references_combined,
            "threads": self.threads or cpu_count() or 1,
        }


def named_pivots(specs: Sequence[str]) -> dict[str, str]:
    """Return pivot tables by name, by default the one stored in the file."""
    from alignframe.tesla.pivot_table import name_of

    return named_paths(specs, "pivot table", name_of)


def named_models(specs: Sequence[str]) -> dict[str, str]:
    """Return language models by name, by default the first part of the file's name."""

    def own(path: str) -> str:
        name = Path(path).name.split(".")[0]
        return name.removeprefix("lm_") or name

    return named_paths(specs, "language model", own)


def systems_of(specs: Sequence[str], encoding: str) -> dict[str, Any]:
    """Return the translations of each system by name; see ``alignframe.translations``."""
    from alignframe import translations

    found: dict[str, Any] = {}
    files: dict[str, str] = {}
    for name, path in (split_name(spec, "system") for spec in specs):
        given = translations.systems_of({name: Path(path)} if name else Path(path), encoding)
        for system in given:
            add_named(files, system, path, "system")
        found |= given
    return found
