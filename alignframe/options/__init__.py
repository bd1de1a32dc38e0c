"""Options declared once, as fields of dataclasses with their limits.

Nothing slow to import is imported here, because help waits for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields
from math import isfinite
from typing import Any

from alignframe.errors import InputError, is_number, make_plain, unknown


def limited(default: object, **limits: object) -> Any:
    """Return a field of ``Limited``: its default, and limits.

    Limits are ``choices``, or a number's ``low``, ``above``, ``below`` and ``high`` bounds; others
    are for the class itself.
    """
    return field(default=default, metadata=limits)


class Limited:
    """Base of dataclasses of options, whose values are checked against the limits of the fields."""

    def __post_init__(self) -> None:
        make_plain(self)
        for one in fields(self):  # type: ignore[arg-type]
            value, limits = getattr(self, one.name), one.metadata
            if one.type == "bool":
                if not isinstance(value, bool):
                    raise InputError(f"`{one.name}` is {value!r}", expected="true or false")
            elif not limits or (value is None and str(one.type).endswith("None")):
                continue
            elif "choices" in limits:
                if value not in limits["choices"]:
                    raise unknown(f"`{one.name}`", value, limits["choices"])
            elif not _within(value, str(one.type), limits):
                bounds = " and ".join(
                    f"{said} {limits[name]:g}" for name, said in _BOUNDS.items() if name in limits
                )
                whole = "whole " * _is_whole(str(one.type))
                raise InputError(f"`{one.name}` is {value!r}", expected=f"a {whole}number {bounds}")
            elif _is_whole(str(one.type)):
                object.__setattr__(self, one.name, int(value))


_BOUNDS = {"low": "of at least", "above": "above", "below": "below", "high": "at most"}


def _within(value: Any, kind: Any, limits: Mapping[str, Any]) -> bool:
    return (
        is_number(value)
        and isfinite(value)
        and not (_is_whole(kind) and value % 1)
        and limits.get("low", value) <= value <= limits.get("high", value)
        and ("above" not in limits or value > limits["above"])
        and ("below" not in limits or value < limits["below"])
    )


def _is_whole(kind: str) -> bool:
    return kind.startswith("int")
