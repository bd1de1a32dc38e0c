"""Figures computed from sums of counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from alignframe.arrays import F64, Array
from alignframe.errors import InputError, unknown
from alignframe.measures import ratio

Sums = Mapping[str, Array]
"""Sums of counts by name, all of one shape."""


@dataclass(frozen=True)
class Ratio:
    """A figure that is a ratio of two sums; NaN if the denominator is 0.

    Examples
    --------
    >>> from alignframe.stats import Measure, Ratio
    >>> counts = {"system": ["a", "a"], "sid": [0, 1], "right": [1, 4], "words": [2, 8]}
    >>> share = Measure("share", ("right", "words"), (Ratio("share", "right", "words"),))
    >>> share.scores(counts)["share"][0]
    0.5
    """

    name: str
    top: str
    bottom: str
    higher_is_better: bool = True

    def of(self, sums: Sums) -> F64:
        """Return the figure."""
        return ratio(sums[self.top], sums[self.bottom])


@dataclass(frozen=True)
class Formula:
    """A figure that is another function of sums; NaN where undefined.

    ``of`` takes a mapping from counts to NumPy arrays of one shape, and returns one of that shape.

    Examples
    --------
    >>> import numpy as np
    >>> from alignframe.stats import Formula, Measure
    >>> error = Formula("rmse", lambda sums: np.sqrt(sums["squares"] / sums["n"]), False)
    >>> counts = {"system": ["a", "a"], "sid": [0, 1], "squares": [1, 7], "n": [1, 1]}
    >>> Measure("error", ("squares", "n"), (error,)).scores(counts)["rmse"][0]
    2.0
    """

    name: str
    of: Callable[[Sums], F64]
    higher_is_better: bool = True

    def __post_init__(self) -> None:
        """Refuse a function that is not callable."""
        if not callable(self.of):
            raise InputError(
                f"the figure {self.name} of type {type(self.of).__name__}",
                expected="a function of sums; of two counts, Ratio(name, top, bottom)",
            )


def computed(figure: Ratio | Formula, sums: Sums, shape: tuple[int, ...]) -> F64:
    """Return a figure of sums; an InputError if its function fails on arrays."""
    of_arrays = "only NumPy functions, which work on arrays of any shape"
    try:
        found = np.asarray(figure.of(sums), np.float64)
    except KeyError as error:
        raise unknown(f"count of the figure {figure.name}", error.args[0], sums) from error
    except InputError:
        raise
    except (ArithmeticError, AttributeError, IndexError, TypeError, ValueError) as error:
        raise InputError(
            f"the figure {figure.name} cannot be computed: its function raised "
            f"{type(error).__name__} ({error})",
            expected=of_arrays,
        ) from error
    if found.shape != shape:
        raise InputError(
            f"the figure {figure.name} has the shape {found.shape} for sums of the shape {shape}",
            expected=of_arrays,
        )
    return found
