"""What an operation is: a command of the shell, declared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from types import ModuleType

from alignframe.choices import RESAMPLES
from alignframe.options import common
from alignframe.options.option import Option

TABLES = (common.json, common.table_format, common.signature)
UNSIGNED = (common.json, common.table_format)
JSON = (common.json,)
NOTHING: tuple[Option, ...] = ()


@dataclass(frozen=True)
class Group:
    """Options that several commands take together, as an object of a class.

    ``made_by`` is ``module:class`` in ``alignframe.cli``; a command's function gets the object as
    ``name``.
    """

    name: str
    made_by: str
    options: tuple[str | Option, ...]
    area: ModuleType

    def each(self) -> Iterator[Option]:
        """Yield the options in order."""
        return _each(self.options, (self.area, common))


def drawn(bootstrap: int = RESAMPLES) -> Group:
    """Return the options of the bootstrap, with so many resamples by default."""
    return Group("drawn", "drawn:Drawn", (f"{bootstrap=} confidence seed",), common)


@dataclass(frozen=True)
class Op:
    """A command.

    ``run`` is ``module:function`` in ``alignframe.cli``, which takes the options by name.
    ``options`` are names, separated by spaces and with another default after an equals sign, or
    options, or groups of them; ``areas`` are the modules in which names are looked up before
    ``common``. ``printed`` says how its result can be printed.
    """

    name: str
    run: str
    help: str
    options: tuple[str | Option | Group, ...]
    printed: tuple[Option, ...] = TABLES
    areas: tuple[ModuleType, ...] = field(kw_only=True)

    @property
    def groups(self) -> list[Group]:
        """The groups among its options."""
        return [one for one in self.options if isinstance(one, Group)]

    def each(self) -> Iterator[Option]:
        """Yield all options in order, those of groups included."""
        areas = (*self.areas, common)
        for one in self.options:
            yield from one.each() if isinstance(one, Group) else _each((one,), areas)
        yield from self.printed


def _each(given: tuple[str | Option, ...], areas: tuple[ModuleType, ...]) -> Iterator[Option]:
    """Yield options; names are looked up in the first module that has them."""
    for one in given:
        if isinstance(one, Option):
            yield one
            continue
        for word in one.split():
            name, mark, default = word.partition("=")
            option: Option = next(
                vars(area)[name] for area in areas if isinstance(vars(area).get(name), Option)
            )
            yield option(option.kind(default)) if mark else option
