"""Commands over lakes."""

from __future__ import annotations

from functools import partial

from alignframe.cli.command import Command, Way
from alignframe.cli.showing import PRINTED, TABLES_OUT, Shown
from alignframe.operation import UNSIGNED, Group, Op
from alignframe.operations.mt import BLEU_AND_CHRF
from alignframe.operations.tesla import ANALYSIS
from alignframe.options import common, lake, mt, tesla
from alignframe.options.option import outputs

_op = partial(Op, areas=(lake, mt, tesla))

DOING = Group(
    "doing",
    "lake:Doing",
    (lake.out, lake.on, lake.lake_format, "commit_every engine threads prune dry_run check"),
    lake,
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


def _job(
    function: str, help: str, *positional: str, read: tuple[str, ...] = ("lake:Job",)
) -> Command:
    """Return the command of a job."""
    return Command(
        f"lake {function.rpartition(':')[2]}",
        help + _PLACES,
        (Way(function, Shown("lake:show_run", (common.json, common.table_format))),),
        read,
        positional,
        flags={name: changed for name, changed in _JOB.items() if name not in positional},
    )


OPERATIONS = (
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
    _op(
        "lake tesla",
        "lake:tesla",
        "Compute the counts of TESLA, BLEU or chrF for a lake. Translations are a lake with sid "
        "and text.",
        (
            lake.hyp,
            lake.ref,
            DOING,
            lake.metric,
            ANALYSIS,
            Group(
                "tesla_options",
                "tesla_metric:TeslaOptions",
                ("pivot lm", lake.tesla_model, "recall_weight empty_order function_weight"),
                tesla,
            ),
            Group("mt_options", "mt:TextOptions", (BLEU_AND_CHRF,), mt),
        ),
        UNSIGNED,
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
        "Score systems from the counts that a job has written.",
        (Way("lake.results:scores", Shown("lake:show_scores")),),
        ("lake:Measured",),
        _OUT,
    ),
    Command(
        "lake history",
        "Compare the scores of all runs of a job. Each is compared with the previous run, or "
        "with a baseline.",
        (Way("lake.over_time:history", Shown("lake:show_history", (lake.all_tests, *TABLES_OUT))),),
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
