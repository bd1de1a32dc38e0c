"""``alignframe lake apply``: user-defined functions and measures, as ``MODULE:NAME``."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from alignframe.cli.lake import Doing, deliver_run
from alignframe.cli.sources import named_place
from alignframe.errors import InputError

if TYPE_CHECKING:
    from alignframe.stats import Measure


def apply(
    *,
    doing: Doing,
    function: str,
    places: list[str],
    measure: str | None,
    unit: str,
    as_json: bool,
) -> None:
    """Apply a function to each partition of a lake."""
    found = loaded(function)
    declared = measure_of(measure) if measure else None
    from alignframe import lake

    inputs = dict(named_place(text, "input") for text in places)
    run = lake.apply(
        found, inputs, doing.out, measure=declared, unit=unit, **doing.how("Applying the function")
    )
    deliver_run(run, doing.out, as_json)


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
