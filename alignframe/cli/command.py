"""Commands that are functions: their options are the parameters, described by the docstrings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, fields, replace
from fnmatch import fnmatch
from functools import cached_property
from importlib import import_module
from operator import attrgetter
from os import PathLike
from typing import Any, ClassVar, dataclass_transform, get_type_hints

from alignframe.cli.declared import Parameter, option_of, parameters
from alignframe.cli.option import REQUIRED, Option
from alignframe.errors import InputError
from alignframe.options import limits_of
from alignframe.typing import Arguments

Words = Mapping[str, Any]
"""The values of a command's options by parameter, with what its types of input make of them."""

_RESAMPLED = {
    "confidence": "Confidence level of the intervals.",
    "seed": "Random seed of the resampling.",
}
"""Help of parameters that docstrings describe together."""
_UNSEEN = ("progress", "title")
"""Parameters that no flag sets: what shows progress, and what the flags of a page change."""
_CONVERTED = {
    "base": "--base",
    "columns": "--columns",
    "drop_outside": "--drop-outside",
    "first_sentence": "--first-sentence",
    "format": "--from",
    "min_probability": "--min-probability",
    "order": "--order",
}
"""Flags of ``convert`` that say how a file is read."""
_NAMED = re.compile(r"(?<!`)`(\w+)(?:='?([^`]*?)'?)?`(?!`)")
"""A parameter in a message, and the value that it is said to have."""


@dataclass(frozen=True)
class Shell:
    """What a type of input may need to make arguments.

    ``needed`` are the parameters of the function without a default; ``stack`` closes what is open
    as long as the command runs; ``on`` are the columns that identify a sentence, if given.
    """

    needed: frozenset[str]
    stack: ExitStack
    on: Sequence[str] = ()


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Input:
    """Base of types of input: frozen dataclasses whose fields are flags of the shell.

    ``provides`` names the parameters of functions that ``arguments`` returns; a function gets those
    that it has, and what shows its result all but those that are flags. ``stands`` has the flags
    that messages name in place of a parameter, if not the one of its name.
    """

    provides: ClassVar[tuple[str, ...]] = ("given",)
    stands: ClassVar[Mapping[str, tuple[str, ...]]] = {"bitext": ("src", "tgt")}

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, kw_only=True)(cls)

    def arguments(self, _: Shell) -> Arguments:
        """Return the arguments of a function; by default, it takes the flags as ``given``."""
        return {"given": self}


def flag(
    help: str, default: object = REQUIRED, *, panel: str | None = "Input", **option: Any
) -> Any:
    """Return a field of an ``Input``: a flag, or with the panel None an argument."""
    return field(metadata={"option": {"help": help, "default": default, "panel": panel, **option}})


def named(path: str) -> Any:
    """Import ``module:name`` of ``alignframe.cli``."""
    module, _, name = path.partition(":")
    return getattr(import_module(f"alignframe.cli.{module}"), name)


def flags_of(kind: type[Input]) -> dict[str, Option]:
    """Return the flags of a type of input by field."""
    types = get_type_hints(kind)
    flags = {}
    for input_field in fields(kind):  # type: ignore[arg-type]
        said = dict(input_field.metadata["option"])
        if said["panel"] is None:
            said.setdefault("flags", input_field.name.upper())
            said.setdefault("metavar", said["flags"])
        long = said.pop("flags", "--" + input_field.name.replace("_", "-"))
        of_type = limits_of(str(input_field.type))
        flags[input_field.name] = Option(
            long,
            _bare(types[input_field.name]),
            name=input_field.name,
            bounds=of_type.bounds,
            rare=of_type.rare,
            **said,
        )
    return flags


def _bare(kind: object) -> Any:
    """Return a type without None."""
    others = [part for part in getattr(kind, "__args__", ()) if part is not type(None)]
    return others[0] if type(None) in getattr(kind, "__args__", ()) else kind


@dataclass(frozen=True)
class Way:
    """A function, ``module:name``, and the object of ``cli.showing`` that shows its result.

    Of several ways of a command, ``chosen_by`` is the flag that selects it; its value is the
    argument ``as_argument``, by default the one of its name, if the function has it.
    """

    function: str
    shows: Any
    chosen_by: Option | None = None
    as_argument: str = ""

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters of the function."""
        return parameters(*self.function.split(":"))

    def load(self) -> Callable[..., Any]:
        """Import the function."""
        return _imported(self.function)

    @property
    def flag(self) -> str:
        """The parameter of the flag that selects it."""
        return self.chosen_by.parameter if self.chosen_by else ""

    @property
    def argument(self) -> str:
        """The parameter of the function that gets the flag's value."""
        return self.as_argument or self.flag


@dataclass(frozen=True)
class Command:
    """A command: the functions that it may run, the first by default, and types of input.

    ``read`` names the types of input, ``module:class`` of ``cli``. ``positional`` are parameters
    without a flag, ``left_out`` those that the shell does not set, and ``flags`` has changes of
    options by parameter, such as a flag with another name. ``within`` has functions whose
    parameters (those named after it, or all) are flags, and passed together as a mapping.
    """

    name: str
    help: str
    ways: tuple[Way, ...]
    read: tuple[str, ...] = ()
    positional: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    flags: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    within: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def inputs(self) -> list[type[Input]]:
        """The types of input."""
        return [named(path) for path in self.read]

    @cached_property
    def options(self) -> dict[str, Option]:
        """The options by parameter, in order."""
        seen: dict[str, Option] = {}
        for kind in self.inputs:
            seen |= flags_of(kind)
        choosing = [way.chosen_by for way in self.ways[1:] if way.chosen_by]
        for way in self.ways:
            with_flag = f"With {way.chosen_by.flags}" if way.chosen_by else ""
            for option in (*self._plain(way), *way.shows.options):
                name = option.parameter
                if name in seen:
                    seen[name] = self._with_default(seen[name], way)
                elif option not in choosing:
                    own = self.flags.get(name, {})
                    panel = option.panel and (with_flag or option.panel)
                    seen[name] = replace(option, **{"panel": panel, **own})
            # In help, flags that choose another way follow the options of the first.
            if way is self.ways[0]:
                seen |= {option.parameter: option for option in choosing}
        return seen

    def _with_default(self, option: Option, way: Way) -> Option:
        """Return an option, with its other default in a way."""
        own = way.parameters.get(option.parameter)
        first = self.ways[0].parameters.get(option.parameter)
        # The default of the first way stands in the help already.
        if not (own and first and way.chosen_by) or own.default in (first.default, REQUIRED):
            return option
        also = f"; {own.default} with {way.chosen_by.flags}]"
        return replace(option, help=re.sub(r"\]$", also, option.help))

    def _inner(self, argument: str) -> dict[str, Parameter]:
        """Return the parameters that are passed within an argument."""
        inner: dict[str, Parameter] = {}
        for function, *names in map(str.split, self.within[argument]):
            known = parameters(*function.split(":"))
            inner |= {name: known[name] for name in names or known}
        return inner

    def _taken(self, way: Way) -> dict[str, Parameter]:
        """Return the parameters of a way, with those within others."""
        taken = dict(way.parameters)
        for name in self.within:
            taken |= self._inner(name)
        return taken

    def _plain(self, way: Way) -> Iterator[Option]:
        """Yield the options of the parameters that no type of input provides."""
        provided = {name for kind in self.inputs for name in kind.provides}
        provided |= {option.parameter for option in way.shows.options}
        told = _RESAMPLED if "bootstrap" in way.parameters else {}
        # The order is that of the signature, so that help lists what matters first.
        for name, parameter in self._taken(way).items():
            if name in (*provided, *_UNSEEN, *self.left_out, *self.within, way.argument):
                continue
            own: Arguments = (
                {"flags": name.upper(), "metavar": name.upper(), "panel": None}
                if name in self.positional
                else {}
            )
            option = option_of(parameter, told.get(name, parameter.help))
            needs = {"needs": "bootstrap baseline page"} if name in told else {}
            option = replace(option, **{**needs, **own, **self.flags.get(name, {})})
            several = option.kind == list[str] and option.panel is not None
            yield replace(option, help=option.help + " Repeatable." * several)

    def _chosen(self, given: set[str]) -> Way:
        """Return the way that the options given choose."""
        return next((other for other in self.ways[1:] if other.flag in given), self.ways[0])

    def written(self, given: set[str]) -> list[Option]:
        """Return the options that say where to write, as the way that is chosen declares them."""
        own = {option.parameter: option for option in self._chosen(given).shows.options}
        options = (own.get(name, option) for name, option in self.options.items())
        return [option for option in options if option.writes]

    def call(self, words: Arguments, given: set[str]) -> None:
        """Run the function that the options given choose, and show its result."""
        way = self._chosen(given)
        plain = {option.parameter for option in self._plain(way)}
        self._refuse_others(way, given - plain)
        arguments = {name: words[name] for name in given & plain}
        taken = way.parameters
        usual = {name: parameter.default for name, parameter in taken.items()}
        # Flags of inputs have no value yet: that they are given is enough for a partner.
        self._check_partners(usual | dict.fromkeys(given, True) | arguments, given)
        printing = {option.parameter for option in way.shows.options}
        # An option of the printing may also be a parameter of the function.
        arguments |= {name: words[name] for name in printing & set(taken) & given}
        if way.flag and way.argument in taken:
            arguments[way.argument] = words[way.flag]
        needed = frozenset(
            name for name, parameter in taken.items() if parameter.default is REQUIRED
        )
        read: Arguments = {}
        with ExitStack() as stack:
            for kind in self.inputs:
                made = kind(**{name: words[name] for name in flags_of(kind)})
                read |= made.arguments(Shell(needed, stack, arguments.get("on") or ()))
            arguments |= {name: value for name, value in read.items() if name in taken}
            for argument in self.within:
                inner = self._inner(argument)
                made_of = {name: value for name, value in read.items() if name in inner and value}
                # These are parameters of the inner function, not of the outer one.
                made_of |= {name: arguments.pop(name) for name in inner if name in arguments}
                arguments[argument] = made_of
            result = way.load()(**arguments)
            # What shows the result prints defaults too, which only the function knows.
            unset = {name: self._taken(way)[name].default for name in plain - given}
            way.shows.show(result, read | words | unset | {"given": given})

    def in_shell(
        self,
        message: str,
        words: Mapping[str, Any] | None = None,
        source: str | PathLike[str] | None = None,
    ) -> str:
        """Return a message of a function with flags in place of the parameters that it names.

        Of flags of several inputs, it names that of the input that is, or holds, the source.
        """
        names = {str(source): ""}
        for name, value in (words or {}).items() if source else ():
            names.update((name, own) for own in _name_in(value, str(source)))
        return _NAMED.sub(lambda match: self._flag(match[1], match[2], names), message)

    def _flag(self, name: str, value: str | None, names: Mapping[str, str]) -> str:
        """Return the flag of a parameter as typed, or those whose parameters end in its name.

        ``names`` has the names of a source by the inputs that hold it.
        """
        options = self.options | {way.argument: way.chosen_by for way in self.ways if way.chosen_by}
        stands = next(
            (kind.stands[name] for kind in self.inputs if name in kind.stands), (name, f"{name}s")
        )
        # The format of an output is --to, that of an input --from or --format.
        if name == "format" and any(
            parameter in names and options[parameter].is_output for parameter in options
        ):
            return next(option.typed(value) for option in options.values() if option.flag == "--to")
        if typed := [
            options[parameter].typed(value) for parameter in stands if parameter in options
        ]:
            return " and ".join(typed)
        printing = {option.parameter for way in self.ways for option in way.shows.options}
        sides = [
            (option.needs or own.removesuffix(f"_{name}"), option)
            for own, option in options.items()
            if own not in printing and own.endswith(f"_{name}")
        ]
        for side, one in [pair for pair in sides if pair[0] in names] or sides:
            system = names.get(side) if one.kind == list[str] else ""
            typed.append(one.typed(f"{system}={value}" if value and system else value))
        # What a command cannot be told of a file, another one makes right.
        if not typed and name in _CONVERTED:
            return " ".join(filter(None, ["alignframe convert", _CONVERTED[name], value]))
        if "option" in options:  # an option of the aligner
            name = f"--set {name.replace('_', '-')}"
        return " or ".join(typed) or (name if value is None else f"{name}={value}")

    def _check_partners(self, values: Mapping[str, object], given: set[str]) -> None:
        """Refuse options that have no effect, for lack of another one."""
        known = self.options
        for name in sorted(given):
            first, *others = known[name].needs.split() or [""]
            needed = known.get(first)
            if needed is None:
                continue
            value = values.get(first)
            # Without a number of resamples, comparisons and pages have their own.
            if value is None:
                value = any(values.get(other) for other in others)
            if not value:
                # For example, --bootstrap 0 is given, but asks for no intervals.
                least = " above 0" * (needed.parameter in given)
                raise InputError(f"{known[name].flag} needs {needed.flag}{least}")

    def _refuse_others(self, way: Way, given: set[str]) -> None:
        """Refuse options that belong to other ways."""
        own = {way.flag, *(option.parameter for option in way.shows.options)}
        own |= {name for kind in self.inputs for name in flags_of(kind)}
        for other in self.ways:
            for option in (
                *filter(None, [other.chosen_by]),
                *self._plain(other),
                *other.shows.options,
            ):
                if option.parameter in given - own:
                    flag = option.flag
                    if way.chosen_by:
                        raise InputError(
                            f"{way.chosen_by.flags} with {flag}", expected="one of them"
                        )
                    if other.chosen_by:
                        raise InputError(f"{flag} needs {other.chosen_by.flags}")


def _name_in(value: object, source: str) -> Iterator[str]:
    """Yield the name of a source in the value of an option that holds it; empty if it is alone."""
    from alignframe.formats.files import is_several, system_name

    every = value if isinstance(value, list) else [value]
    for name, _, path in (str(item).rpartition("=") for item in every if item is not None):
        own = name or system_name(path)
        if source in (own, path):
            yield own if len(every) > 1 else ""
        # Of a folder or glob, each file is a system named after it.
        elif is_several(path):
            if fnmatch(source, path) or source.startswith(f"{path}/"):
                yield f"{name}/{system_name(source)}" if name else system_name(source)
            elif "/" not in source or source.startswith(f"{name}/"):
                yield source


def _imported(place: str) -> Callable[..., Any]:
    """Import ``module:name`` of the package."""
    module, _, name = place.partition(":")
    function: Callable[..., Any] = attrgetter(name)(import_module(f"alignframe.{module}"))
    return function
