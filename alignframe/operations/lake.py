"""Commands over lakes."""

from __future__ import annotations

from functools import partial

from alignframe.operation import JSON, Group, Op, drawn
from alignframe.operations.mt import BLEU_AND_CHRF
from alignframe.operations.tesla import ANALYSIS
from alignframe.options import beads, lake, links, mt, tesla

_op = partial(Op, areas=(lake, links, beads, mt, tesla))

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
        "Count the links of a lake against gold, by partitions. What is done is skipped.",
        (lake.hyp, lake.gold, DOING, "possible_as_sure strict"),
        JSON,
    ),
    _op(
        "lake beads",
        "lake:beads",
        "Count the beads of a lake against gold. Documents are counted partition by partition.",
        (lake.hyp, lake.gold, DOING, beads.one_sided),
        JSON,
    ),
    _op(
        "lake tesla",
        "lake:tesla",
        "Count what TESLA, BLEU or chrF are made of. Translations are a lake of sid and text.",
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
        JSON,
    ),
    _op(
        "lake symmetrize",
        "lake:symmetrize",
        "Join the links of two directions, partition by partition.",
        (lake.forward, lake.reverse, DOING, "method reverse_is system"),
        JSON,
    ),
    _op(
        "lake align",
        "lake:align",
        "Align the words of a lake of text with a saved model.",
        (lake.text, lake.model, DOING, "symmetrize threshold system"),
        JSON,
    ),
    _op(
        "lake phrases",
        "lake:phrases",
        "List the phrase pairs of a lake of links.",
        (lake.links, lake.lake_text, DOING, "kind max_phrase_of_kind with_words"),
        JSON,
    ),
    _op(
        "lake apply",
        "lake_apply:apply",
        "Apply a Python function to the partitions of a lake.",
        (lake.function, lake.places, DOING, lake.measure, lake.unit),
        JSON,
    ),
    _op(
        "lake scores",
        "lake:scores",
        "Score systems by the counts that a job has written.",
        (lake.place, "by", links.alpha("0.5"), lake.measure, drawn(0), "output"),
    ),
    _op(
        "lake history",
        "lake:history",
        "Compare the scores of all runs of a job. Each with the run before, or with a baseline.",
        (lake.place, lake.baseline, links.alpha("0.5"), drawn(), lake.top),
    ),
    _op(
        "lake status",
        "lake:status",
        "Show the units of a job. How its last run ended stands below them.",
        (lake.place,),
    ),
    _op(
        "lake runs",
        "lake:runs",
        "List the runs of a job. What each did, how long it took, and its memory.",
        (lake.place,),
    ),
)
