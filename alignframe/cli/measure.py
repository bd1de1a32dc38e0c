"""A measure or a function of the user's own, given as ``MODULE:NAME``."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from alignframe.cli.command import Input, Shell, flag
from alignframe.errors import InputError

if TYPE_CHECKING:
    from alignframe.stats import Measure


class Declared(Input):
    """The measure whose method runs."""

    provides = ("self",)

    measure: str = flag(
        "The alignframe.stats.Measure of the counts.", panel="Analysis", metavar="MODULE:NAME"
    )

    def arguments(self, _: Shell) -> dict[str, Any]:
        """Return the measure."""
        return {"self": measure_of(self.measure)}


def measure_of(given: str) -> Measure:
    """Import the measure ``MODULE:NAME``."""
    from alignframe.stats import Measure

    found = loaded(given)
    if not isinstance(found, Measure):
        raise InputError(
            f"{given} of type {type(found).__name__}", expected="an alignframe.stats.Measure"
        )
    return found


def loaded(given: str) -> Any:
    """Import ``MODULE:NAME``; modules in the working folder are found too."""
    module, mark, name = given.partition(":")
    if not mark or not module or not name:
        raise InputError(f"{given!r}", expected="MODULE:NAME, such as lengths:length")
    if os.getcwd() not in sys.path:  # noqa: PTH109 - as texts, as sys.path has them
        sys.path.insert(0, os.getcwd())  # noqa: PTH109
    try:
        found = import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module.partition(".")[0] and not module.endswith(".py"):
            raise InputError(
                f"the module {module} imports {error.name!r}, which is missing"
            ) from error
        raise InputError(
            f"no module {module!r}",
            expected="a Python file in the current folder, without its suffix, or an installed "
            "module",
        ) from None
    except InputError as error:
        raise InputError(f"the module {module}: {error}") from error
    if not hasattr(found, name):
        public = sorted(one for one in vars(found) if not one.startswith("_"))
        raise InputError(
            f"the module {module} has no {name!r}",
            path=found.__file__,
            expected=f"one of {', '.join(public)}",
        )
    return getattr(found, name)
