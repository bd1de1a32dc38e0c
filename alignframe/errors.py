"""The errors and warnings a user can meet."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from math import inf, isfinite
from numbers import Real
from os import PathLike, fspath
from typing import Any, Self, TypeGuard

_KEYS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
# Texts may be long: each place in them begins few of these.
_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]{1,30}:/|(?<= url: )/)\S+", re.IGNORECASE)
_USER = re.compile(r"^([\w+.-]+:/+)(?:[^/?#\s\"]*|[^/@:\s\"]*:(?!\d+(?:/|$))[^\s\"]*)@")
_VALUE = re.compile(r"([?&;][^=&;?/\s]+=)[^&;\s\"'<>]*[^&;\s\"'<>:.,]")
_LOGIN = re.compile(r"(?<![\w.+-])[\w.+-]+:[^\s/:@\"']+@(?=[\w.-]+/)")
_SECRET = re.compile(
    r"\b((?:x-amz-[\w-]{1,60}|(?:aws_)?(?:secret_)?access_key(?:_id)?|(?:aws_)?session_token|secret"
    r"|password|passwd|pwd)=|(?:secret|key_id|session_token)\s+')[^&\s\"'<>;,]+",
    re.IGNORECASE,
)

# Controls, C1 too; separators of lines; bidirectional embeddings, overrides and isolates; and bytes
# of names that are not UTF-8. Line feeds come first, as messages may have several lines.
_CONTROLS = re.compile("[\n\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_IN_LINES = re.compile(_CONTROLS.pattern.replace("\n\x00-\x1f", "\x00-\x09\x0b-\x1f"))


def printable(text: str, *, lines: bool = False) -> str:
    """Return a text with controls as escapes, so that a name cannot move a terminal's cursor.

    With ``lines``, it may have several.
    """
    if text.isprintable():  # nearly always
        return text
    return (_IN_LINES if lines else _CONTROLS).sub(
        lambda sign: sign[0].encode("unicode_escape", "surrogatepass").decode("ascii"), text
    )


def redacted(text: str) -> str:
    """Return a text without secrets: keys, passwords, and all values of addresses' queries."""
    for name in _KEYS:
        secret = os.environ.get(name, "")
        if len(secret) > 3:
            text = text.replace(secret, "***")
    if "=" in text or "@" in text or "'" in text:
        if _ADDRESS.search(text):  # its query may follow a space
            text = _VALUE.sub(r"\1***", _ADDRESS.sub(_address, text))
        text = _SECRET.sub(r"\1***", _LOGIN.sub("***@", text))
    return text


def _address(match: re.Match[str]) -> str:
    return _USER.sub(r"\1***@", match[0])


def cause_of(error: BaseException) -> BaseException | None:
    """Return an error as the cause of another, or None if its text has a secret."""
    return error if redacted(str(error)) == str(error) else None


class AlignframeError(Exception):
    """Base of all errors that alignframe raises itself; their texts have no secrets."""

    def __init__(self, text: str = "") -> None:
        super().__init__(redacted(text))


class InputError(AlignframeError, ValueError):
    """An input cannot be used.

    Messages, also those of warnings, have parameters in backquotes, with a value as in
    `` `base=1` ``: the shell shows the flags instead.

    Parameters
    ----------
    found
        What was found, as a phrase.
    expected, todo
        What was expected instead, and how to fix it.
    path, line
        Where it was found; lines count from 1.
    """

    def __init__(
        self,
        found: str,
        *,
        expected: str = "",
        todo: str = "",
        path: str | PathLike[str] | None = None,
        line: int | None = None,
    ) -> None:
        parts = [found, expected and f"expected {expected}", todo]
        super().__init__("; ".join(filter(None, parts)))
        self.said = str(self)
        self.parts = found, expected, todo
        self.found_at(path, line)

    def found_at(self, path: str | PathLike[str] | None, line: int | None) -> None:
        """Set where it was found, in its text too."""
        self.path, self.line = path, line
        where = "" if path is None else printable(os.fsdecode(path))
        if line is not None:
            where = f"{where}:{line}" if where else f"line {line}"
        self.args = (redacted(f"{where}: {self.said}") if where else self.said,)


class in_file:  # noqa: N801 - read as words: with in_file(path)
    """Names the file in every InputError raised within that does not name one."""

    def __init__(self, path: object) -> None:
        # Any input may be given: a table in memory has no name, and settings have an empty one.
        self.path = path if isinstance(path, (str, PathLike)) else None
        # A loop over lines sets it: `for place.line, text in file.lines()`.
        self.line: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, error: BaseException | None, *more: object) -> None:
        if isinstance(error, InputError) and error.path is None:
            error.found_at(self.path, self.line if error.line is None else error.line)


def unknown_name(
    what: str,
    given: object,
    known: Iterable[str | None],
    *,
    also: str = "",
    todo: str = "",
    path: str | PathLike[str] | None = None,
    others: Mapping[str, str] | None = None,
) -> InputError:
    """Return the error for an unknown name; it suggests the closest known one."""
    from difflib import get_close_matches

    names = [name for name in known if name is not None]
    folded = {name.lower(): name for name in reversed(names)}
    # `others` are known ones by what other programs call them.
    meant = (others or {}).get(str(given).lower())
    near = [meant] if meant in folded else get_close_matches(str(given).lower(), folded, 1)
    return InputError(
        f"unknown {what} {given!r}",
        expected=f"{'one of ' * (len(names) > 1)}{', '.join(names) or 'none'}{also}",
        todo=f"did you mean {folded[near[0]]!r}?" if near else todo,
        path=path,
    )


def check_keywords(
    function: Callable[..., object], given: Iterable[str], known: Iterable[str]
) -> None:
    """Raise a TypeError for a keyword that is neither a parameter nor ``known`` to its ``**``."""
    for name in set(given).difference(known):
        from difflib import get_close_matches
        from inspect import Parameter, signature

        own = [
            parameter.name
            for parameter in signature(function).parameters.values()
            if parameter.kind is not Parameter.VAR_KEYWORD
        ]
        names = [*dict.fromkeys([*own, *known])]
        public = f"{function.__module__.split('.')[1]}.{function.__name__}"
        near = get_close_matches(name, names, 1)
        meant = f"did you mean {near[0]!r}?" if near else f"it takes {', '.join(names)}"
        raise TypeError(f"{public}() has no parameter {name!r}; {meant}")


_NAMED: ContextVar[Callable[[int], str] | None] = ContextVar("_NAMED", default=None)


@contextmanager
def naming(name: Callable[[int], str] | None) -> Iterator[None]:
    """Call sentences by ``name`` of their numbers in messages; None leaves numbers."""
    token = _NAMED.set(name)
    try:
        yield
    finally:
        _NAMED.reset(token)


def sentence_name(sid: int) -> int | str:
    """Return what messages and pages call a sentence: its number, or its key if it has one."""
    name = _NAMED.get()
    return sid if name is None else name(int(sid))


def number_of(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: ``1 row``, ``2,000 rows``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def few_of(names: Sequence[str]) -> str:
    """Return the first of many names, for a message."""
    more = len(names) - 30
    return ", ".join(names[:30]) + (f" and {more:,} more" if more > 0 else "")


def renumbering(change: int) -> str:
    """Return how to change numbers: ``add 1 to`` or ``subtract 7 from``."""
    return f"add {change:,} to" if change > 0 else f"subtract {-change:,} from"


def plain(value: Any) -> Any:
    """Return numpy's numbers and booleans as Python's, and anything else unchanged."""
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)(plain(item) for item in value)
    if type(value).__module__ != "numpy" or getattr(value, "shape", None) != ():
        return value
    number = value.item()
    # The shortest decimal that 32 bits stand for: 0.1, not 0.10000000149.
    return float(str(value)) if isinstance(number, float) else number


def make_plain(options: Any) -> None:
    """Make the values of a dataclass of options plain; see ``plain``."""
    for name in options.__dataclass_fields__:
        if hasattr(options, name):
            object.__setattr__(options, name, plain(getattr(options, name)))


@dataclass(frozen=True)
class Bounds:
    """The bounds of a number: inclusive ``low`` and ``high``, exclusive ``above`` and ``below``."""

    low: float = -inf
    high: float = inf
    above: float = -inf
    below: float = inf
    whole: bool = False

    def checked(self, value: object, name: str) -> Any:
        """Return a number within the bounds; raise an InputError for anything else."""
        value = plain(value)
        if not (
            is_number(value)
            and (isinstance(value, int) or (isfinite(value) and not self.whole))
            and self.low <= value <= self.high
            and self.above < value < self.below
        ):
            raise InputError(f"{name} is {value!r}", expected=f"a {self}")
        return int(value) if self.whole else value

    def __str__(self) -> str:
        low = f"from {self.low:,}" if self.below == inf else f"of at least {self.low:,}"
        high = f" to {self.high:,}" if self.low > -inf else f" and at most {self.high:,}"
        return (
            f"{'whole ' * self.whole}number "
            + (low if self.low > -inf else f"above {self.above:,}" * (self.above > -inf))
            + (high * (self.high < inf) or f" and below {self.below:,}" * (self.below < inf))
        ).rstrip()


FROM_0, FROM_1 = Bounds(0, whole=True), Bounds(1, whole=True)
SHARE, BELOW_1, INSIDE = Bounds(0, 1), Bounds(0, below=1), Bounds(above=0, below=1)
POSITIVE, NOT_NEGATIVE = Bounds(above=0), Bounds(0)
"""Bounds of numbers; a parameter has them by its type (``alignframe.typing``)."""


def whole_number(value: object, least: int, name: str, most: float = inf) -> int:
    """Return a whole number, the value of a parameter; raise an InputError if it is not one."""
    number: int = Bounds(least, most, whole=True).checked(value, f"`{name}`")
    return number


def check_known(what: str, given: object, known: Collection[str | None], **how: Any) -> None:
    """Refuse a name that is not known; see ``unknown_name``."""
    if given not in known:
        raise unknown_name(what, given, known, **how)


def check_hits(hits: Any, total: Any) -> None:
    """Raise an InputError unless counts in arrays are from 0, and hits no more than the total."""
    # NaN, a missing count, compares as neither.
    wrong = (hits < 0) | (hits > total)
    if wrong.any():
        raise InputError(
            f"{hits[wrong][0]:.15g} hits of {total[wrong][0]:.15g}",
            expected="counts from 0, and no more hits",
        )


def is_number(value: object) -> TypeGuard[float]:
    """Whether something is a number; Python also takes true and false for numbers."""
    return isinstance(value, Real) and not isinstance(value, bool)


def check_flags(**given: object) -> None:
    """Raise an InputError unless each option is true or false: any text would count as true."""
    for name, value in given.items():
        if type(value).__name__ not in ("bool", "bool_"):
            raise InputError(f"`{name}` is {value!r}", expected="True or False")


class MissingExtraError(AlignframeError, ImportError):
    """An optional package is not installed; ``instead`` names an alternative."""

    def __init__(self, package: str, extra: str, purpose: str, instead: str = "") -> None:
        super().__init__(
            f"{purpose} needs the package {package}; "
            f"install it with: pip install 'alignframe[{extra}]'" + (instead and f"; or {instead}")
        )


class QueryError(AlignframeError):
    """An SQL query failed; the message carries the query."""

    def __init__(self, query: str, reason: str) -> None:
        super().__init__(f"{reason.strip()}\nThe query was:\n{query.strip()}")


class DataWarning(UserWarning):
    """The input was usable, but part of it was repaired, ignored or filled in."""

    def __init__(self, text: str = "", source: str | PathLike[str] | None = None) -> None:
        super().__init__(redacted(text))
        # The path or the name of the input that parameters in the text belong to.
        self.source = source


def warn(text: str, source: str | PathLike[str] | None = None) -> None:
    """Give a ``DataWarning``, at the line outside the package that called it."""
    _warn(DataWarning(text, source))


def warn_former(name: str, instead: str) -> None:
    """Give a ``DeprecationWarning`` of a former name, at the line that has it."""
    _warn(DeprecationWarning(f"{name} is now {instead}; the next version leaves the old name out"))


def _warn(warning: Warning) -> None:
    frame, level = sys._getframe(2), 3  # noqa: SLF001 - as the module warnings does
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == "alignframe":
        frame, level = frame.f_back, level + 1
    warnings.warn(warning, stacklevel=level)


GUESS_LISTENERS: list[Callable[[str, dict[str, str]], None]] = []
"""Called with a path and what was guessed of it, such as ``{"format": "naacl"}``."""


def guessed(path: str | PathLike[str], **what: str) -> None:
    """Report what was guessed of an input, by option; empty values are the plain case."""
    for listener in GUESS_LISTENERS:
        listener(fspath(path), {name: text for name, text in what.items() if text})
