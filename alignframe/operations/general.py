"""Commands that belong to no group."""

from __future__ import annotations

from functools import partial

from alignframe.operation import JSON, UNSIGNED, Group, Op
from alignframe.options import links

_op = partial(Op, areas=(links,))

ALIGNER = Group(
    "given",
    "align_options:AlignGiven",
    (
        "text_src text_tgt model direction symmetrize threshold model_from prior strength "
        "max_sentence option training_seed encoding threads",
    ),
    links,
)

OPERATIONS = (
    _op(
        "align",
        "align:align",
        "Align the words of a text. Learns a model from it, in both directions, or takes a "
        "saved one.",
        (ALIGNER, "links_file to posterior save_model system"),
        JSON,
    ),
    _op(
        "bitext",
        "bitext:bitext",
        "Write line-parallel text as a table of sid, src and tgt. SQL can read it.",
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
    _op(
        "sql",
        "sql:sql",
        "Run SQL over links, texts, lexicons and scores. Tables, Parquet files and globs can be"
        " queried, and folders and Delta by --table, with all macros, such as link_scores().",
        ("query file sql_tables list_macros database memory_limit threads limit output",),
        UNSIGNED,
    ),
    _op(
        "warmup",
        "warmup:warmup",
        "Compile all kernels now. No command has to later: for images of machines, and clusters.",
        ("processes",),
        JSON,
    ),
)
