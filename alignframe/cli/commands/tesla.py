"""Commands of TESLA."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from alignframe.cli.command import Command, Way
from alignframe.cli.option import REQUIRED, outputs
from alignframe.cli.scored import Scored, ranks, segments
from alignframe.cli.showing import (
    PRINTED,
    TABLE_OUT,
    Itself,
    Shown,
    json,
    output,
    paged,
)

_segments = replace(
    segments, help="Also write the scores and features of every segment, for tesla metrics."
)

FILE = {"panel": "Input", "metavar": "FILE"}
parquet = outputs(
    "-o --output", Path, "Parquet file to write.", REQUIRED, metavar="FILE", writes="parquet"
)
TO_PARQUET = (parquet, json)
comparisons = outputs(
    "--comparisons",
    Path,
    "Also write the differences between metrics with their p-values.",
    None,
    metavar="FILE",
    writes="table",
    needs="bootstrap",
)
model_file = outputs(
    "-o --output", Path, "Write the model as JSON.", REQUIRED, metavar="FILE", writes="text"
)
tokens_file = outputs(
    "-o --output",
    Path,
    "Write .parquet, or lines of text.",
    None,
    metavar="FILE",
    writes="tokens",
)
show = outputs(
    "--show",
    str,
    "Print tagged lines (word|TAG|lemma), or words or lemmas alone (for a word aligner).",
    "tagged",
    choices=("tagged", "words", "lemmas"),
)

ranking_counts = outputs(
    "--counts",
    bool,
    "Count the rankings of each language pair instead; -o writes those of one pair, a row per "
    "translation: ranking, sid (from 0), judge, system and rank, for SQL.",
    False,
)

COMMANDS = (
    Command(
        "tesla score",
        "Score translations by TESLA.",
        (
            Way(
                "tesla.score:score",
                Scored(
                    "TESLA",
                    "Counts of segments",
                    "segment",
                    (_segments, ranks),
                    "tesla.page:tesla_page rankings pair segments similarity",
                    "tesla:scored_rows",
                ),
            ),
        ),
        ("mt:Translations", "tesla:Resources"),
        left_out=("analysis", "bands"),
        flags={
            "segments": {"flags": "--segment"},
            "model": FILE,
        },
    ),
    Command(
        "tesla stream",
        "Score candidates from standard input as they arrive. Prints one score per line, for "
        "tuners. A line 'N ||| text' is scored against line N of the references, counted from "
        "0; other lines are scored against the references in turn, starting over after the last.",
        (Way("cli.tesla:stream", Itself(())),),
        ("mt:References", "tesla:Resources"),
        left_out=("analysis",),
        flags={"model": FILE},
    ),
    Command(
        "tesla explain",
        "Show which n-grams of a segment match. Each is shown with its match in the reference "
        "and the matched weight.",
        (Way("cli.tesla_words:explain", Itself(TABLE_OUT, "matches")),),
        ("mt:Translation",),
        flags={"which": {"flags": "--which-ref"}},
    ),
    Command(
        "tesla words",
        "Split sentences into tokens, with tags and lemmas. Prints or writes one line per "
        "sentence; Parquet has the columns sid and tokens.",
        (Way("cli.tesla_words:analyse", Itself((tokens_file, show, json))),),
        positional=("source",),
        flags={"source": {"flags": "FILE", "metavar": "FILE"}},
    ),
    Command(
        "tesla tags",
        "Learn a language's tags from a bitext with English. Learns lemmas and synonyms too, and "
        "writes a file for --tagger of the other commands.",
        (Way("tesla.tags:learn_tags", Shown("tesla:write_tags", TO_PARQUET)),),
        ("tesla:Bitext",),
    ),
    Command(
        "tesla pivot-table",
        "Build the pivot table for TESLA-B from a bitext.",
        (Way("tesla.pivot_build:build_pivot_table", Shown("tesla:write_pivots", TO_PARQUET)),),
        ("tesla:Pivot",),
        left_out=("analysis",),
    ),
    Command(
        "tesla train",
        "Train TESLA-F on human rankings. A ranking SVM learns the weights of the features.",
        (
            Way(
                "cli.tesla_rankings:train",
                Shown("tesla_rankings:show_model", (model_file, *PRINTED)),
            ),
        ),
        ("tesla_rankings:Ranked",),
        left_out=tuple(
            "metric analysis model references_combined recall_weight empty_order "
            "function_weight".split()
        ),
        flags={
            "c": {"flags": "-c"},
            **dict.fromkeys(("rankings", "systems", "segments"), FILE),
        },
    ),
    Command(
        "tesla metrics",
        "Evaluate metrics against human rankings. Computes consistency, Kendall's tau and "
        "correlation.",
        (
            Way(
                "tesla.meta:meta",
                paged(
                    Shown("tesla_rankings:show_metrics", (output, comparisons, *PRINTED), "scores")
                ),
            ),
            Way("cli.tesla_rankings:rankings", Itself(TABLE_OUT, "rankings"), ranking_counts),
        ),
        ("tesla_rankings:ScoreFiles",),
        flags={
            "rankings": FILE,
            "metrics": {"flags": "--column"},
        },
    ),
)
