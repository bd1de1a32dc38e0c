"""Declaring an option."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from math import isfinite
from typing import Any

from alignframe.choices import BASES, OTHER_NAMES
from alignframe.errors import InputError, is_number, make_plain, unknown


class _Required:
    """The default of a required option."""

    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED = _Required()


@dataclass(frozen=True)
class Option:
    """An option of a command, or an argument, whose ``flags`` are its metavar.

    ``name`` is the parameter of functions, by default the long flag. ``writes``, one of
    ``cli.places.CHECKS``, is what the command writes to the path given; ``listed`` describes the
    comma-separated values.
    """

    flags: str
    kind: Any
    help: str
    default: Any = REQUIRED
    panel: str | None = None
    name: str = ""
    metavar: str | None = None
    choices: tuple[str, ...] | tuple[int, ...] = ()
    low: float | None = None
    high: float | None = None
    writes: str = ""
    listed: type | None = None

    def __call__(self, default: Any) -> Option:
        """Return the option with another default."""
        return replace(self, default=default)

    @property
    def is_argument(self) -> bool:
        """Whether it is positional."""
        return self.panel is None

    @property
    def is_output(self) -> bool:
        """Whether its value is a place to write to."""
        return bool(self.writes) or self.parameter in ("output", "target")

    @property
    def parameter(self) -> str:
        """Its name as a parameter of functions."""
        return self.name or self._long.replace("-", "_")

    @property
    def _long(self) -> str:
        """The long flag without its dashes."""
        return self.flags.split()[-1].partition("/")[0].lstrip("-")

    def parsed(self, value: Any) -> Any:
        """Return a value as functions receive it."""
        if self.listed is None or value is None:
            return value
        return split(value, self.listed, self.flags.split()[-1])

    def check(self, value: Any) -> None:
        """Raise an InputError if a value is none of the choices."""
        if not self.choices or value is None or value in self.choices:
            return
        is_format = self._long in ("to", "from") or self._long.endswith("format")
        what, known = "format" if is_format else self._long, map(str, self.choices)
        raise unknown(what, value, known, others=OTHER_NAMES)


def limited(default: Any, **limits: Any) -> Any:
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
            if value is None and one.default is None:
                continue
            if "choices" in limits:
                if value not in limits["choices"]:
                    raise unknown(one.name, value, limits["choices"])
            elif not _within(value, str(one.type), limits):
                bounds = " and ".join(
                    f"{said} {limits[name]:g}" for name, said in _BOUNDS.items() if name in limits
                )
                whole = "whole " * _is_whole(str(one.type))
                raise InputError(f"{one.name} {value!r}", expected=f"a {whole}number {bounds}")
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


def split(text: str, kind: type = str, what: str = "") -> list[Any]:
    """Split comma-separated names or numbers; ``what`` names them in errors."""
    words = [word.strip() for word in text.split(",")]
    if kind is str:
        return [word for word in words if word]
    if words in (["none"], [""]):
        return []
    found = []
    for word in words:
        try:
            found.append(kind(word))
        except ValueError:
            raise InputError(
                f"{word!r} in {what} is not a number", expected="comma-separated numbers"
            ) from None
    return found


def argument(metavar: str, kind: Any, help: str, default: Any = REQUIRED, *, name: str) -> Option:
    """Return a positional argument."""
    return Option(metavar, kind, help, default, name=name, metavar=metavar)


def base(flag: str, where: str) -> Option:
    """Return an option for the number of the first word in links."""
    said = f"Number of the first word{where}: 0 by default; a warning tells if it may be 1."
    return Option(flag, int, said, None, "Input", choices=BASES)


inputs = partial(Option, panel="Input")
analysis = partial(Option, panel="Analysis")
intervals = partial(Option, panel="Intervals")
outputs = partial(Option, panel="Output")
