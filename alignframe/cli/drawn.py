"""Bootstrap options, as arguments for the functions of every area."""

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
        """The keyword arguments."""
        return vars(self)
