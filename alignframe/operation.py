"""What an operation is: a command of the shell, declared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType

from alignframe.options import beads, common, lake, lexicon, links, mt, report, tesla
from alignframe.options.option import Option

TABLES = (common.json, common.table_format, common.signature)
UNSIGNED = (common.json, common.table_format)
JSON = (common.json,)
NOTHING: tuple[Option, ...] = ()

_AREAS: dict[str, tuple[ModuleType, ...]] = {
    "lake": (lake, links, beads, mt, tesla),
    "lexicon": (lexicon,),
    "beads": (beads,),
    "mt": (mt, links),
    "tesla": (tesla,),
    "report": (report, links),
    "report lake": (report, lake),
    "report mt": (report, mt),
    "report lexicon": (report, lexicon),
    "report beads": (report, beads),
    "report tesla": (report, tesla),
}
"""Where the options of commands are looked up before ``common``; elsewhere in ``links``."""


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


@dataclass(frozen=True)
class Op:
    """A command.

    ``run`` is ``module:function`` in ``alignframe.cli``, which takes the options by name.
    ``options`` are names, separated by blanks and with another default after an equals sign, or
    options, or groups of them. ``printed`` says how its result can be printed.
    """

    name: str
    run: str
    help: str
    options: tuple[str | Option | Group, ...]
    printed: tuple[Option, ...] = TABLES

    @property
    def groups(self) -> list[Group]:
        """The groups among its options."""
        return [one for one in self.options if isinstance(one, Group)]

    def each(self) -> Iterator[Option]:
        """Yield all options in order, those of groups included."""
        first, *_ = self.name.split()
        areas = _AREAS.get(self.name) or _AREAS.get(first) or (links,)
        for one in self.options:
            yield from one.each() if isinstance(one, Group) else _each((one,), (*areas, common))
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
