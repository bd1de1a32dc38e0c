"""Declaring an option."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from alignframe.core.choices import OTHER_NAMES
from alignframe.errors import Bounds, InputError, unknown_name


class _Required:
    """The default of a required option."""

    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED = _Required()
RENAMED_FLAGS = {
    "--alignments": "--links",
    "--full-order": "--no-effective-order",
    "--lower-case": "--lowercase",
    "--metrics": "--metric",
    "--option": "--set",
}
"""Former flags, and what to give instead."""
ELSEWHERE = {
    "align": {
        "-i": "SRC, a file of lines 'source ||| target'",
        "-r": "--direction reverse",
        "-s": "SRC, without a flag",
        "-t": "TGT, without a flag",
    },
    "links symmetrize": {
        "-c": "--method",
        "-i": "FORWARD, without a flag",
        "-j": "REVERSE, without a flag",
    },
    "mt score": {
        "--input": "--hyp",
        "--lc": "--lowercase",
        "--tok": "--tokenize",
        "-i": "--hyp",
        "-m": "--metric",
    },
}
"""What flags of fast_align, eflomal, atools and sacrebleu may mean, by command."""
HABITS = {
    **dict.fromkeys(("--html", "--report"), ("--page",)),
    **dict.fromkeys(("--out", "--outfile", "--out-file", "--save"), ("--output",)),
    "--csv": ("--output FILE.csv",),
    "--tsv": ("--output FILE.tsv",),
    "--json-lines": ("--output FILE.jsonl",),
    **dict.fromkeys(("--hypothesis", "--hypotheses", "--systems", "--candidate"), ("--hyp",)),
    **dict.fromkeys(("--reference", "--references", "--refs"), ("--ref", "--gold")),
    "--source": ("--src",),
    "--target": ("--tgt",),
    **dict.fromkeys(
        ("--workers", "--n-jobs", "--num-threads", "--cores", "--jobs", "--threads"),
        ("--threads", "--jobs", "--processes"),
    ),
    **dict.fromkeys(("--resamples", "--n-resamples", "--samples"), ("--bootstrap",)),
    **dict.fromkeys(("--random-seed", "--random-state"), ("--seed",)),
    **dict.fromkeys(("--quiet", "--silent", "-q"), ("2>/dev/null",)),
}
"""Flags that other programs have, and what may be meant, if the command has it."""


@dataclass(frozen=True)
class Option:
    """An option of a command, or an argument, whose ``flags`` are its metavar.

    ``name`` is the parameter of functions, by default the long flag. ``writes``, one of
    ``core.suffixes.OUTPUTS`` or ``cli.places.FOLDERS``, is what the command writes to the path
    given, and ``format_by`` the parameter of the option that names its format; ``listed`` describes
    the comma-separated values. ``bounds`` are those of a number. ``rare`` ones are listed by
    ``--help-all`` only. ``needs`` is the parameter of an option without which it has no effect.
    ``sets`` are the dataclasses, ``module:class``, whose fields it sets as ``NAME=VALUE``.
    """

    flags: str
    kind: Any
    help: str
    default: Any = REQUIRED
    panel: str | None = None
    name: str = ""
    metavar: str | None = None
    choices: tuple[str, ...] | tuple[int, ...] = ()
    bounds: Bounds | None = None
    rare: bool = False
    writes: str = ""
    format_by: str = ""
    listed: type | None = None
    needs: str = ""
    sets: tuple[str, ...] = ()

    def __call__(self, default: object) -> Option:
        """Return the option with another default."""
        return replace(self, default=default)

    @property
    def is_argument(self) -> bool:
        """Whether it is positional."""
        return self.panel is None

    def typed(self, value: str | None = None) -> str:
        """Return what a user types for it, with the value that a message names."""
        if value is not None:  # of a name, as Python has it
            value = re.sub(r'^\{"(.*)": "(.*)"\}$', r"\1=\2", value)
        if value == "False":
            return self.negative
        return self.flag + ("" if value in (None, "True") else f" {value}")

    @property
    def is_output(self) -> bool:
        """Whether its value is a place to write to."""
        return bool(self.writes) or self.parameter in ("output", "target")

    @property
    def parameter(self) -> str:
        """Its name as a parameter of functions."""
        return self.name or self._long.replace("-", "_")

    @property
    def flag(self) -> str:
        """Its long flag."""
        return self.flags.split()[-1].partition("/")[0]

    @property
    def negative(self) -> str:
        """The flag that turns it off."""
        return f"--no-{self._long}"

    @property
    def _long(self) -> str:
        """The long flag without its dashes."""
        return self.flag.lstrip("-")

    def parsed(self, value: Any) -> Any:
        """Return a value as functions receive it; refuse others than the choices or the bounds."""
        if self.listed is not None and value is not None:
            value = split(value, self.listed, self.flag)
        known = {str(choice): choice for choice in self.choices}
        for given in value if isinstance(value, list) else [value]:
            if known and given is not None and str(given) not in known:
                raise unknown_name(self.flag, given, known, others=OTHER_NAMES)
            if self.bounds and isinstance(given, (int, float)):
                self.bounds.checked(given, self.flag)
        return known.get(str(value), value)


def split(text: str, kind: type = str, what: str = "") -> list[Any]:
    """Split comma-separated names or numbers; ``what`` names them in errors."""
    words = [word.strip() for word in text.split(",")]
    if kind is str:
        return [word for word in words if word]
    if words in (["none"], [""]):
        return []
    values = []
    for word in words:
        try:
            values.append(kind(word))
        except ValueError:
            raise InputError(
                f"{word!r} in {what} is not a number", expected="comma-separated numbers"
            ) from None
    return values


inputs = partial(Option, panel="Input")
analysis = partial(Option, panel="Analysis")
outputs = partial(Option, panel="Output")
