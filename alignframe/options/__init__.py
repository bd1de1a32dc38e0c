"""Options declared once, where they stand: as fields of dataclasses, or parameters of functions.

What an option may be is its type (``alignframe.typing``), such as ``Share`` or ``Rare[FromOne]``; a
field may have choices and bounds of its own. Checks here, and the shell's help, read the text of
annotations. Nothing slow to import is imported here, because help waits for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import field, fields
from functools import cache, wraps
from inspect import Parameter, signature
from typing import Any, NamedTuple, ParamSpec, TypeVar

import alignframe.typing
from alignframe.errors import (
    Bounds,
    check_flags,
    check_keywords,
    check_known,
    is_number,
    make_plain,
)

BOUNDS = ("low", "above", "below", "high")
"""The limits of a number."""

_P = ParamSpec("_P")
_R = TypeVar("_R")


class Limits(NamedTuple):
    """What an annotation declares: the plain type as text, and what its types add."""

    kind: str
    bounds: Bounds | None
    rare: bool
    panel: str


@cache
def limits_of(annotation: str) -> Limits:
    """Return what an annotation, as text, declares."""
    marks: list[Any] = []
    kind = annotation
    for name in re.findall(r"\w+", annotation):
        known = getattr(alignframe.typing, name, None)
        if own := getattr(known, "__metadata__", ()):
            marks += own
            if isinstance(known.__origin__, TypeVar):  # type: ignore[union-attr]
                kind = re.sub(rf"\b{name}\[(.*)\]", r"\1", kind)
            else:
                kind = re.sub(rf"\b{name}\b", known.__origin__.__name__, kind)  # type: ignore[union-attr]
    bounds = next((mark for mark in marks if isinstance(mark, Bounds)), None)
    panels = [mark for mark in marks if isinstance(mark, str) and mark != "rare"]
    return Limits(kind, bounds, "rare" in marks, panels[0] if panels else "Analysis")


def limited(default: object, **limits: object) -> Any:
    """Return a field of ``Limited``: its default, and ``choices`` or ``BOUNDS`` as its limits."""
    # Other entries are read by the class itself.
    return field(default=default, metadata=limits)


def _checked(name: str, value: Any, annotation: str, limits: Mapping[str, Any]) -> Any:
    """Return the value of an option; refuse one that is not as declared."""
    kind, bounds, *_ = limits_of(annotation)
    own = {limit: limits[limit] for limit in BOUNDS if limit in limits}
    if value is None and kind.endswith("None"):
        return value
    if "choices" in limits:
        check_known(f"`{name}`", value, limits["choices"])
    elif re.match(r"bool\b", kind):
        check_flags(**{name: value})
    elif re.fullmatch(r"(int|float)( \| None)?", kind):
        whole = kind.startswith("int")
        number = Bounds(**own, whole=whole) if own or not bounds else bounds
        return number.checked(value, f"`{name}`")
    elif bounds and isinstance(value, (list, tuple)):
        return [bounds.checked(item, f"`{name}`") for item in value]
    return value


class Limited:
    """Base of dataclasses of options, whose values are checked against the limits of the fields."""

    def __post_init__(self) -> None:
        make_plain(self)
        for option in fields(self):  # type: ignore[arg-type]
            value = getattr(self, option.name)
            # 5.0 counts as 5: spreadsheets and JSON write whole numbers so.
            if limits_of(str(option.type)).kind.startswith("int") and is_number(value):
                value = int(value) if value % 1 == 0 else value
            value = _checked(option.name, value, str(option.type), option.metadata)
            object.__setattr__(self, option.name, value)


def checked(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Check the flags and the numbers with bounds of a function, and the names of its ``**``."""
    types = {name: str(annotation) for name, annotation in function.__annotations__.items()}
    limits = {name: limits_of(annotation) for name, annotation in types.items()}
    own = [name for name, one in limits.items() if one.bounds or re.match(r"bool\b", one.kind)]
    # The TypedDict of keywords: `options: Unpack[CountOptions]`.
    unpacked = {name: one[7:-1] for name, one in types.items() if one.startswith("Unpack[")}
    parameters = signature(function)
    every = parameters.parameters

    @wraps(function)
    def run(*given: _P.args, **named: _P.kwargs) -> _R:
        if not any(parameter.kind is Parameter.VAR_KEYWORD for parameter in every.values()):
            check_keywords(run, named, every)
        bound = parameters.bind(*given, **named)
        for name, keywords in unpacked.items():
            known = function.__globals__[keywords].__annotations__
            check_keywords(run, bound.arguments.get(name, ()), known)
        for name in bound.arguments.keys() & own:
            bound.arguments[name] = _checked(name, bound.arguments[name], types[name], {})
        return function(*bound.args, **bound.kwargs)

    return run
