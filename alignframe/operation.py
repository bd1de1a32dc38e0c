"""Declaring operations, the shell's commands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from alignframe.cli.command import flags_of, named
from alignframe.options import common
from alignframe.options.option import Option

TABLES = (common.json, common.table_format, common.signature)
UNSIGNED = (common.json, common.table_format)
JSON = (common.json,)
NOTHING: tuple[Option, ...] = ()


@dataclass(frozen=True)
class Group:
    """Options shared by several commands, passed as one object.

    ``made_by`` is its ``module:class`` in ``alignframe.cli``; functions receive it as ``name``.
    The fields of a class of ``Input`` are its options.
    """

    name: str
    made_by: str
    options: tuple[str | Option, ...] = ()
    area: ModuleType = common

    def each(self) -> Iterator[Option]:
        """Yield the options in order."""
        if not self.options:
            return iter(flags_of(named(self.made_by)).values())
        return _each(self.options, (self.area, common))


@dataclass(frozen=True)
class Op:
    """A command.

    ``run`` is ``module:function`` in ``alignframe.cli``; the function takes the options by name.
    ``options`` holds options, groups, and strings of option names separated by spaces, where
    ``name=value`` changes a default. Names are looked up in the modules ``areas``, then in
    ``common``. ``printed`` lists the output options.
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
        """Yield all options in order, including those in groups."""
        areas = (*self.areas, common)
        for one in self.options:
            yield from one.each() if isinstance(one, Group) else _each((one,), areas)
        yield from self.printed

    def call(self, words: dict[str, Any]) -> None:
        """Run the function with the values of its options; those of groups are made into one."""
        for group in self.groups:
            fields = [option.parameter for option in group.each()]
            made = named(group.made_by)(**{name: words.pop(name) for name in fields})
            words[group.name] = made
        named(self.run)(**words)


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
