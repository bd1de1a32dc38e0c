"""How resamples are drawn, as the functions of every area take it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Drawn:
    """The options of the bootstrap."""

    bootstrap: int
    confidence: float
    seed: int

    @property
    def words(self) -> dict[str, Any]:
        """The arguments of a function."""
        return vars(self)
