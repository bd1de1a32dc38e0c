"""Commands over lakes."""

from __future__ import annotations

from typing import Any

from alignframe.cli.command import Command, Way
from alignframe.cli.declared import outline
from alignframe.cli.option import REQUIRED, outputs
from alignframe.cli.scored import Scored
from alignframe.cli.showing import (
    PRINTED,
    TABLES_OUT,
    Shown,
    json,
    table_format,
)
from alignframe.cli.worse import FAILING
from alignframe.core.choices import LAKE_JOBS
from alignframe.typing import Arguments

_JOB = {
    "out": {"flags": "-o --output", "metavar": "OUT", "panel": "Output", "default": REQUIRED},
    **{name: {"metavar": "PLACE", "panel": "Input"} for name in ("gold", "ref", "text")},
    "model_from": {"panel": "Input"},
}
_PLACES = (
    " It works by partitions, and skips finished ones. A place is a folder, a glob, a Delta table, "
    "iceberg:CATALOG.namespace.table or a folder of s3://."
)
_THEN = " The scores of what it has counted are shown by lake scores."
_OUT = ("out",)
_ALL = outputs(
    "--all",
    bool,
    "Also print scores that are unchanged or do not differ significantly.",
    False,
    name="every",
)
_RUN = Shown("lake:show_run", (json, table_format))


def _job(function: str, **own: Any) -> Command:
    """Return the command of a job, with the first of its inputs as an argument."""
    place, _, name = function.partition(":")
    said, first = outline(place, name)
    positional = own.pop("positional", (first,))
    flags = {one: changed for one, changed in _JOB.items() if one not in positional}
    return Command(
        f"lake {name}",
        said + _THEN * (name in ("score", "beads", "tesla")) + _PLACES,
        (Way(function, _RUN),),
        **{"read": ("lake:Job",), "positional": positional, "flags": flags} | own,
    )


_OWN: dict[str, Arguments] = {
    "symmetrize": {"positional": ("forward", "reverse")},
    "tesla": {
        "read": ("tesla:Resources", "lake:Job"),
        "flags": _JOB | {"model": {"metavar": "FILE", "panel": "Input"}},
        "within": {
            "options": (
                "tesla.score:score pivots language_models model recall_weight empty_order "
                "function_weight",
                "mt.measures:Options",
            ),
            "analysis": ("language.analysis:Analysis.of",),
        },
    },
}
"""What commands have that others do not."""

COMMANDS = (
    *(_job(f"lake.jobs.{name}:{name}", **_OWN.get(name, {})) for name in LAKE_JOBS),
    _job("lake.applied:apply", read=("lake:Applied", "lake:Job"), positional=()),
    Command(
        "lake scores",
        "Score systems from the counts that a job has written. With --measure, any table of "
        "counts is scored.",
        (Way("lake.scored:scored", Scored("Scores", paged=False, beside="lake:cautions")),),
        ("lake:Counts",),
    ),
    Command(
        "lake history",
        "Compare the scores of all runs of a job. Each is compared with the previous run, or "
        "with a baseline. In a lake that grows by dates, each date takes the place of a run.",
        (
            Way(
                "lake.over_time:history",
                Shown("lake:show_history", (_ALL, *FAILING, *TABLES_OUT), "tests"),
            ),
        ),
        positional=_OUT,
        flags={
            **{name: {"kind": list[str]} for name in ("system", "measure")},
            "top": {"needs": "output as_json printed_as"},
        },
    ),
    Command(
        "lake status",
        "Show the units of a job, and how its last run ended.",
        (
            Way("lake.state:status", Shown("lake:show_status", PRINTED)),
            Way(
                "lake.state:runs",
                Shown("lake:show_runs", PRINTED),
                outputs(
                    "--runs",
                    bool,
                    "List all runs instead: what each did, its time and its memory use.",
                    False,
                ),
            ),
        ),
        positional=_OUT,
    ),
)
