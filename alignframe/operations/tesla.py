"""Commands of TESLA."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from alignframe.cli.command import Command, Way
from alignframe.cli.showing import TABLE_OUT, Page, Shown, page
from alignframe.operation import JSON, NOTHING, Group, Op, drawn
from alignframe.options import common, tesla
from alignframe.options.option import analysis, outputs

_op = partial(Op, areas=(tesla,))

_by = analysis(
    "--by",
    str,
    "Group by these columns of the first reference's table, comma-separated; 'length' is bands of "
    "its length, and 'sid' each segment.",
    None,
    listed=str,
)
_segments = outputs(
    "--segments",
    Path,
    "Also write the scores and features of every segment, for tesla meta.",
    None,
    name="segments_file",
    metavar="FILE",
    writes="table",
)

TO_PARQUET = (common.parquet, common.json)

METRIC = Group(
    "metric",
    "tesla_metric:MetricOptions",
    (
        "metric features pivot lm model references_combined recall_weight empty_order "
        "function_weight threads",
    ),
    tesla,
)

ANALYSIS = Group(
    "options",
    "analysis_options:AnalysisOptions",
    ("language tokens tagger lemmas wordnet synonyms content",),
    tesla,
)

OPERATIONS = (
    Command(
        "tesla score",
        "Score translations by TESLA.",
        (
            Way(
                "tesla.score:score",
                Shown("tesla_score:show_scored", (_segments, *TABLE_OUT)),
            ),
            Way("report.tesla:tesla_report", Page(), page),
            Way("tesla.score:scores", Shown("tesla_score:show_groups"), _by),
        ),
        ("mt:Translations", "tesla_metric:Resources"),
        left_out=("analysis", "bands"),
        flags={
            "segments": {"flags": "--segment", "panel": "Output"},
            "model": {"panel": "Input", "metavar": "FILE"},
        },
    ),
    _op(
        "tesla stream",
        "tesla_stream:stream",
        "Score candidates from standard input as they arrive. Prints one score per line, for "
        "tuners. A line 'N ||| text' is scored against line N of the references, counted from "
        "0; other lines are scored against the references in turn, starting over after the last.",
        (METRIC, ANALYSIS, "ref encoding"),
        NOTHING,
    ),
    _op(
        "tesla explain",
        "tesla_explain:explain",
        "Show which n-grams of a segment match. Each is shown with its match in the reference "
        "and the matched weight.",
        (
            ANALYSIS,
            "ref one_hyp segment which ngram_length similarity recall_weight function_weight "
            "encoding output",
        ),
    ),
    _op(
        "tesla analyse",
        "tesla_analyse:analyse",
        "Split sentences into tokens, with tags and lemmas. Prints or writes one line per "
        "sentence; Parquet has the columns sid and tokens.",
        (ANALYSIS, "source tokens_file show encoding"),
        JSON,
    ),
    Command(
        "tesla tags",
        "Learn a language's tags from a bitext with English. Learns lemmas and synonyms too, and "
        "writes a file for --tagger of the other commands.",
        (Way("tesla.tags:learn_tags", Shown("tesla_learn:write_tags", TO_PARQUET)),),
        ("tesla_learn:Bitext",),
    ),
    Command(
        "tesla pivot-table",
        "Build the pivot table for TESLA-B from a bitext.",
        (
            Way(
                "tesla.pivot_build:build_pivot_table", Shown("tesla_learn:write_pivots", TO_PARQUET)
            ),
        ),
        ("tesla_learn:Pivot",),
        left_out=("analysis",),
        flags={"renormalise": {"flags": "--renormalise/--no-renormalise", "default": None}},
    ),
    _op(
        "tesla train",
        "tesla_train:train",
        "Train TESLA-F on human rankings. A ranking SVM learns the weights of the features.",
        (
            ANALYSIS,
            "rankings model_file systems",
            tesla.ref(None),
            "pivot lm features_to_train segments_to_train pair cost folds",
        ),
    ),
    _op(
        "tesla rankings",
        "tesla_rankings:rankings",
        "Count human rankings by language pair. With -o, those of one pair are written as one "
        "row per translation: ranking, sid (from 0), judge, system and rank, for SQL.",
        ("rankings_file pair output",),
    ),
    _op(
        "tesla meta",
        "tesla_meta:meta",
        "Evaluate metrics against human rankings. Computes consistency, Kendall's tau and "
        "correlation.",
        (
            "rankings segments pair column lower consensus ties human",
            drawn(),
            "sids where output comparisons",
        ),
    ),
)
