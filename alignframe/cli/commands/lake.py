"""Commands over lakes."""

from __future__ import annotations

from alignframe.cli.command import Command, Way
from alignframe.cli.option import outputs
from alignframe.cli.showing import (
    PRINTED,
    TABLES_OUT,
    Comparisons,
    Shown,
    against,
    json,
    table_format,
)

_JOB = {
    "out": {"flags": "-o --output", "metavar": "OUT", "panel": "Output"},
    **{name: {"metavar": "PLACE", "panel": "Input"} for name in ("gold", "ref", "text")},
    **{name: {"panel": "Input"} for name in ("check", "model_from", "on")},
    **{name: {"panel": "Output"} for name in ("commit_every", "dry_run", "engine", "prune")},
}
_PLACES = (
    " A place is a folder, a glob, a Delta table, iceberg:CATALOG.namespace.table or a folder of "
    "s3://."
)
_OUT = ("out",)
_ALL = outputs(
    "--all",
    bool,
    "Also print scores that are unchanged or do not differ significantly.",
    False,
    name="every",
)
_RUN = Shown("lake:show_run", (json, table_format))


def _job(
    function: str, help: str, *positional: str, read: tuple[str, ...] = ("lake:Job",)
) -> Command:
    """Return the command of a job."""
    return Command(
        f"lake {function.rpartition(':')[2]}",
        help + _PLACES,
        (Way(function, _RUN),),
        read,
        positional,
        flags={name: changed for name, changed in _JOB.items() if name not in positional},
    )


COMMANDS = (
    _job(
        "lake.api:score",
        "Count the links of a lake against gold. It works by partitions, and skips finished ones.",
        "hyp",
    ),
    _job(
        "lake.api:beads",
        "Count the beads of a lake against gold. It works by partitions, and skips finished ones.",
        "hyp",
    ),
    Command(
        "lake tesla",
        "Count what TESLA, BLEU or chrF need. Use lake scores to turn the counts into scores."
        + _PLACES,
        (Way("lake.api:tesla", _RUN),),
        ("tesla:Resources", "lake:Job"),
        ("hyp",),
        flags=_JOB
        | {
            "model": {"metavar": "FILE", "panel": "Input"},
        },
        within={
            "options": (
                "tesla.score:score pivots language_models model recall_weight empty_order "
                "function_weight",
                "mt.measures:Options",
            ),
            "analysis": ("language.analysis:Analysis.of",),
        },
    ),
    _job(
        "lake.api:symmetrize",
        "Combine the links of two directions, partition by partition.",
        "forward",
        "reverse",
    ),
    _job("lake.api:align", "Align the words of a lake of text with a saved model.", "text"),
    _job("lake.api:phrases", "List the phrase pairs of a lake of links.", "links"),
    _job(
        "lake.applied:apply",
        "Apply a Python function to the partitions of a lake.",
        read=("lake:Applied", "lake:Job"),
    ),
    Command(
        "lake scores",
        "Score systems from the counts that a job has written. With --measure, any table of "
        "counts is scored.",
        (
            Way("lake.results:scores", Shown("lake:show_scores", main="scores")),
            Way("stats.measure:Measure.compare", Comparisons(), against),
        ),
        ("lake:Counts",),
    ),
    Command(
        "lake history",
        "Compare the scores of all runs of a job. Each is compared with the previous run, or "
        "with a baseline.",
        (Way("lake.over_time:history", Shown("lake:show_history", (_ALL, *TABLES_OUT), "tests")),),
        positional=_OUT,
        flags={name: {"kind": list[str]} for name in ("system", "measure")},
    ),
    Command(
        "lake status",
        "Show the units of a job, and how its last run ended.",
        (
            Way("lake.results:status", Shown("lake:show_status", PRINTED)),
            Way(
                "lake.results:runs",
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
