"""How figures are rounded where people read them: those that stand beside each other add up.

The rule: a difference beside its figures is that of the figures as printed. It is at most one unit
of the last digit from the unrounded one, which files and JSON have. The scripts of pages follow the
same rule (``differenceOf`` in ``evidence.js``).
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

DIGITS = 4

# Figures above this are of 100, as BLEU is: two decimals tell as much as four of a share.
_LARGE = 10
_MOST = 9


def digits_for(values: Iterable[float | None]) -> int:
    """Return the digits of figures of one kind: four, or two if one is above 10."""
    return 2 if any(value is not None and abs(value) > _LARGE for value in values) else DIGITS


def difference(value: float, base: float, digits: int = DIGITS) -> float:
    """Return the difference of two figures as printed with these digits.

    Examples
    --------
    >>> value, base = 0.24706, 0.24924
    >>> f"{base:.4f} to {value:.4f} is {difference(value, base):.4f}, not {value - base:.4f}"
    '0.2492 to 0.2471 is -0.0021, not -0.0022'
    """
    return round(round(value, digits) - round(base, digits), digits) + 0.0  # never -0


def telling(value: float, base: float, digits: int = DIGITS) -> int:
    """Return the digits, these or more, with which two figures that differ are told apart."""
    return next((n for n in range(digits, _MOST) if difference(value, base, n)), digits)


def adding_up(
    tests: pl.DataFrame, value: str = "value", base: str = "baseline_value", digits: int = DIGITS
) -> pl.DataFrame:
    """Return tests whose difference is that of their figures as printed; other tables as given."""
    if not {value, base, "difference"} <= {*tests.columns}:
        return tests
    rows = tests.select(value, base, "difference").iter_rows()
    shown = [
        apart if None in (one, other, apart) else difference(one, other, digits)
        for one, other, apart in rows
    ]
    return tests.with_columns(difference=pl.Series(shown, dtype=pl.Float64))


def printed(value: float, form: str = ".4f") -> str:
    """Return a figure as pages print it: with a proper minus sign, and none before 0."""
    sign = form[: form.startswith("+")]
    unsigned = form.removeprefix("+")
    plain = "z" if form.endswith(("f", "%")) else ""  # whole numbers have no 0 with a sign
    return f"{value:{sign}{plain}{unsigned}}".replace("-", "−")


def percent_of(level: float) -> str:
    """Return a share such as a confidence level in percent, with the digits that it has."""
    return f"{100 * level:g}%"
