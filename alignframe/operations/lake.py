"""Commands over lakes."""

from __future__ import annotations

from functools import partial

from alignframe.operation import UNSIGNED, Group, Op, drawn
from alignframe.operations.mt import BLEU_AND_CHRF
from alignframe.operations.tesla import ANALYSIS
from alignframe.options import lake, links, mt, tesla

_op = partial(Op, areas=(lake, links, mt, tesla))

DOING = Group(
    "doing",
    "lake:Doing",
    (lake.out, lake.on, lake.lake_format, "commit_every engine threads prune dry_run check"),
    lake,
)

OPERATIONS = (
    _op(
        "lake score",
        "lake:score",
        "Count the links of a lake against gold. It works by partitions, and skips finished ones.",
        (lake.hyp, lake.gold, DOING, "possible_as_sure strict"),
        UNSIGNED,
    ),
    _op(
        "lake beads",
        "lake:beads",
        "Count the beads of a lake against gold. It works by partitions, and skips finished ones.",
        (lake.hyp, lake.gold, DOING, lake.one_sided),
        UNSIGNED,
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
    _op(
        "lake symmetrize",
        "lake:symmetrize",
        "Combine the links of two directions, partition by partition.",
        (lake.forward, lake.reverse, DOING, "method reverse_is system"),
        UNSIGNED,
    ),
    _op(
        "lake align",
        "lake:align",
        "Align the words of a lake of text with a saved model.",
        (lake.text, lake.model, DOING, "symmetrize threshold system"),
        UNSIGNED,
    ),
    _op(
        "lake phrases",
        "lake:phrases",
        "List the phrase pairs of a lake of links.",
        (lake.links, lake.lake_text, DOING, "kind max_phrase_of_kind with_words"),
        UNSIGNED,
    ),
    _op(
        "lake apply",
        "lake_apply:apply",
        "Apply a Python function to the partitions of a lake.",
        (lake.function, lake.places, DOING, lake.measure, lake.unit),
        UNSIGNED,
    ),
    _op(
        "lake scores",
        "lake:scores",
        "Score systems from the counts that a job has written.",
        (lake.place, "by", links.alpha("0.5"), lake.measure, drawn(0), "output"),
    ),
    _op(
        "lake history",
        "lake:history",
        "Compare the scores of all runs of a job. Each is compared with the previous run, or "
        "with a baseline.",
        (
            lake.place,
            lake.baseline,
            links.alpha("0.5"),
            drawn(),
            lake.systems,
            lake.figures,
            lake.all_tests,
            lake.top,
            "tables",
        ),
    ),
    _op(
        "lake status",
        "lake:status",
        "Show the units of a job, and how its last run ended.",
        (lake.place,),
    ),
    _op(
        "lake runs",
        "lake:runs",
        "List the runs of a job. Shows what each did, its time and its memory use.",
        (lake.place,),
    ),
)
