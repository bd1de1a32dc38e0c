"""Commands that belong to no group."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from alignframe.cli.command import Command, Way
from alignframe.cli.showing import Comparisons, Itself, Page, Scores, against, page
from alignframe.operation import JSON, UNSIGNED, Op
from alignframe.options import common, links, tesla
from alignframe.options.option import outputs

_op = partial(Op, areas=(links,))

LINKS_OUT = (
    outputs(
        "-o --output",
        str,
        "File to write the links to; '-' is standard output.",
        None,
        metavar="FILE",
        writes="file",
    ),
    links.to,
    outputs(
        "--save-model",
        Path,
        "Save the model, for --model-from.",
        None,
        metavar="FOLDER",
        writes="folder",
    ),
    common.json,
)

OPERATIONS = (
    Command(
        "align",
        "Align the words of a text. Trains a model on it, in both directions, or uses a saved one.",
        (
            Way("cli.align:align", Itself(LINKS_OUT)),
            Way("report.aligners:aligners_report", Page(), page),
        ),
        ("align_options:Alignment",),
    ),
    _op(
        "bitext",
        "bitext:bitext",
        "Convert line-parallel text to a table. It has sid, src and tgt, and can be read by SQL.",
        ("line_src text_tgt parquet=text.parquet encoding",),
        JSON,
    ),
    _op(
        "convert",
        "convert:convert",
        "Convert links between formats. With --src and --tgt, positions are checked as well.",
        (
            "source target from_format to_format base_of_input to_base order_of_input "
            "first_sentence min_probability_of_input src tgt encoding system_of_input",
        ),
        JSON,
    ),
    Op(
        "lm",
        "tesla_lm:lm",
        "Estimate a language model for mt translate. Text is split at spaces, with case kept. Uses "
        "interpolated modified Kneser-Ney smoothing, and writes ARPA.",
        ("text arpa longest tokens=spaces keep_case=yes encoding",),
        areas=(tesla,),
    ),
    Command(
        "measure",
        "Score systems by a measure of your own. It is declared in a Python file, and scores a "
        "table of counts.",
        (
            Way("stats.measure:Measure.scores", Scores("Scores")),
            Way("stats.measure:Measure.compare", Comparisons(), against),
        ),
        ("measure:Declared",),
        ("counts",),
    ),
    _op(
        "sql",
        "sql:sql",
        "Run SQL over links, texts, lexicons and scores. All macros, such as link_scores(), are "
        "available. Queries can name Parquet files and globs; --table names folders, Delta "
        "tables and other places.",
        ("query file sql_tables list_macros database memory_limit threads limit output",),
        UNSIGNED,
    ),
    _op(
        "warmup",
        "warmup:warmup",
        "Compile all kernels in advance. For container images and clusters, so that no command "
        "has to later.",
        ("processes",),
        JSON,
    ),
)
