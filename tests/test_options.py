"""What is declared of an option is checked: invalid values are made from the declarations.

The shell is tested in the same way in ``tests/cli/test_messages.py``.
"""

import inspect
import math
import re
from dataclasses import fields, is_dataclass
from importlib import import_module

import pytest

import alignframe as af
from alignframe.errors import Bounds, InputError
from alignframe.options import BOUNDS, Limited, limits_of
from alignframe.options.beads import BY_LENGTHS, Options, taken_by

AREAS = "aligners beads formats lake language lexicon links mt phrases report tesla".split()
PUBLIC = {
    f"{area}.{name}": getattr(import_module(f"alignframe.{area}"), name)
    for area in AREAS
    for name in import_module(f"alignframe.{area}").__all__
}
FUNCTIONS = {name: one for name, one in PUBLIC.items() if inspect.isfunction(one)}
LIMITED = {
    name: one
    for name, one in PUBLIC.items()
    if inspect.isclass(one) and issubclass(one, Limited) and is_dataclass(one)
}
LIMITED |= {f"aligners.{name}": kind for name, kind in af.aligners.OPTIONS.items()}
OF_FILES = {("beads.read_scenarios", "other")}
"""Flags that are no options: a second reading of the same file."""


def wrong_values(kind, limits):
    """Yield invalid values of an option, each with the message that it is answered with."""
    kind, bounds, *_ = limits_of(kind)
    own = {name: limits[name] for name in BOUNDS if name in limits}
    if own:
        bounds = Bounds(**own, whole=kind.startswith("int"))
    if re.match(r"bool\b", kind):
        for value in ("no", 1):
            yield value, f"is {value!r}; expected True or False"
    elif bounds:
        ends = [bounds.low - 1, bounds.high + 1, bounds.above, bounds.below]
        for value in ["1", True, math.nan, *filter(math.isfinite, ends)]:
            given = [value] if kind.startswith("Sequence") else value
            yield given, f"is {value!r}; expected a {bounds}"
        if bounds.whole:
            given = [2.5] if kind.startswith("Sequence") else 2.5
            yield given, f"is 2.5; expected a {bounds}"


def told(made, name, value, usual):
    """Return what is said of a value; other required arguments are of no use."""
    given = {
        one.name: usual
        for one in inspect.signature(made).parameters.values()
        if one.default is one.empty and one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)
    }
    with pytest.raises(InputError) as error:
        made(**{**given, name: value})
    return str(error.value)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_refuses_invalid_values_before_it_reads(name):
    for one in inspect.signature(FUNCTIONS[name]).parameters.values():
        if (name, one.name) not in OF_FILES:
            for value, expected in wrong_values(str(one.annotation), {}):
                assert f"`{one.name}` {expected}" in told(
                    FUNCTIONS[name], one.name, value, object()
                )


@pytest.mark.parametrize("name", LIMITED)
def test_a_class_of_options_refuses_invalid_values(name):
    for one in fields(LIMITED[name]):
        for value, expected in wrong_values(str(one.type), one.metadata):
            assert f"`{one.name}` {expected}" in told(LIMITED[name], one.name, value, None)
        if known := one.metadata.get("choices"):
            said = told(LIMITED[name], one.name, "nonsense", None)
            assert said.startswith(f"unknown `{one.name}` 'nonsense'; expected one of {known[0]}")


def test_sql_refuses_invalid_values_with_the_same_words():
    wrong = []
    with af.connect() as con:
        for one in fields(Options):
            calls = ["align_sentences(['a'], ['b']"] * (one.name in taken_by("lex"))
            calls += ["align_lengths([1], [1]"] * (one.name in taken_by(*BY_LENGTHS))
            for call in calls if one.name not in ("method", "unit", "words") else ():
                for value, expected in wrong_values(str(one.type), one.metadata):
                    if type(value) in (int, float) and math.isfinite(value) and value != 2.5:
                        with pytest.raises(Exception) as error:  # noqa: PT011 - DuckDB's own
                            con.sql(f"select {call}, {one.name} := {value})").fetchall()
                        if expected.partition("expected")[2] not in str(error.value):
                            wrong.append(str(error.value))
    assert not wrong


def test_a_flag_that_may_be_none_is_checked():
    assert af.mt.Options(effective_order=None).effective_order is None
    with pytest.raises(InputError, match="`effective_order` is 'no'; expected True or False"):
        af.mt.Options(effective_order="no")
