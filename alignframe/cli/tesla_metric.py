"""Options of the commands that score by TESLA."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import cpu_count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe.cli.sources import named_paths, split_name

if TYPE_CHECKING:
    from alignframe.read.source import Source


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


def systems_of(specs: Sequence[str], encoding: str, analysis: Any = None) -> list[Source]:
    """Return translations, ``[NAME=]FILE``, for the analysis if there is one."""
    from alignframe.language.files import reading_of
    from alignframe.read.source import given
    from alignframe.read.texts import TEXTS

    reading = reading_of(analysis, encoding)
    files = [
        given({name: path} if name else path, TEXTS, "translations", **reading)
        for name, path in (split_name(spec, "system") for spec in specs)
    ]
    return given([source for sources in files for source in sources], TEXTS, "translations")
