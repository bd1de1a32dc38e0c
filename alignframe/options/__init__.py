"""Options declared once, as fields of dataclasses with their limits.

Nothing slow to import is imported here, because help waits for it.
"""

from __future__ import annotations

from dataclasses import field, fields
from typing import Any

from alignframe.errors import NUMBERS, Bounds, InputError, check_known, is_number, make_plain

BOUNDS = ("low", "above", "below", "high")
"""The limits of a number."""


def limited(default: object, **limits: object) -> Any:
    """Return a field of ``Limited``: its default, and ``choices`` or ``BOUNDS`` as its limits."""
    # Other entries are read by the class itself; a number without bounds has those of its name, if
    # any.
    return field(default=default, metadata=limits)


class Limited:
    """Base of dataclasses of options, whose values are checked against the limits of the fields."""

    def __post_init__(self) -> None:
        make_plain(self)
        for option in fields(self):  # type: ignore[arg-type]
            value, limits, kind = getattr(self, option.name), option.metadata, str(option.type)
            own = {name: limits[name] for name in BOUNDS if name in limits}
            bounds = NUMBERS.get(option.name)
            if own or not bounds:
                bounds = Bounds(**own, whole=kind.startswith("int"))
            if kind == "bool":
                if not isinstance(value, bool):
                    raise InputError(f"`{option.name}` is {value!r}", expected="true or false")
            elif value is None and kind.endswith("None"):
                continue
            elif "choices" in limits:
                check_known(f"`{option.name}`", value, limits["choices"])
            elif kind.startswith(("int", "float")):
                # 5.0 counts as 5: spreadsheets and JSON write whole numbers so.
                if bounds.whole and is_number(value) and value % 1 == 0:
                    value = int(value)
                object.__setattr__(self, option.name, bounds.checked(value, f"`{option.name}`"))
