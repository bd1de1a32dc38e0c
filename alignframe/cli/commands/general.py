"""Commands that belong to no group."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from alignframe.cli.command import Command, Way, flags_of
from alignframe.cli.option import REQUIRED, outputs
from alignframe.cli.report import Saved
from alignframe.cli.showing import (
    JSON,
    PRINTED,
    UNSIGNED,
    Itself,
    Page,
    Shown,
    figure_columns,
    figure_format,
    figures,
    json,
    links_output,
    links_to,
    max_mb,
    page_beside,
    title,
)
from alignframe.core.choices import WORD_SPLITTINGS
from alignframe.errors import FROM_1

arpa = outputs(
    "-o --output", Path, "Write ARPA; .gz compresses it.", REQUIRED, metavar="FILE", writes="text"
)
LINKS_OUT = (
    links_output,
    links_to,
    outputs(
        "--save-model",
        Path,
        "Save the model, for --model-from.",
        None,
        metavar="FOLDER",
        writes="folder",
    ),
    outputs(
        "--scores",
        Path,
        "Write scores of the sentence pairs, to find those that are no translations: the mean and "
        "lowest probability of their links, the mean over words of that of their best link, and "
        "the shares of words without a link.",
        None,
        metavar="FILE",
        writes="table",
    ),
    json,
)

OF_PAGE = (replace(title, needs="page"), replace(figures, needs="page"))

html = outputs(
    "-o --output", Path, "HTML page to write.", Path("report.html"), metavar="FILE", writes="page"
)
SAVED = Page((replace(html, name="page"),))
DASHBOARD = (
    html,
    title,
    max_mb,
    outputs(
        "--watch", bool, "Keep running, and rewrite the page whenever a run begins or ends.", False
    ),
    json,
)

lines = outputs("-o --output", Path, "Write lines of text.", None, metavar="FILE", writes="text")

COMMANDS = (
    Command(
        "align",
        "Align the words of a text. Trains a model on it, in both directions, or uses a saved one.",
        (
            Way(
                "cli.align:align",
                Itself((*LINKS_OUT, page_beside, *OF_PAGE, figure_format, figure_columns)),
            ),
        ),
        ("align_options:Alignment",),
    ),
    Command(
        "words",
        "Split raw text into words, as aligners do. Prints or writes one line per sentence.",
        (Way("cli.words:split", Itself((lines, json))),),
        positional=("source",),
        flags={
            "source": {"flags": "FILE", "metavar": "FILE"},
            "words": {"choices": WORD_SPLITTINGS},
        },
    ),
    Command(
        "convert",
        "Convert links, beads, phrase tables and texts. Kinds and formats are recognised. With "
        "--src and --tgt, the positions of links and beads are checked as well.",
        (Way("cli.convert:convert", Itself(JSON)),),
        ("convert:Conversion",),
    ),
    Command(
        "lm",
        "Estimate a language model of text, as ARPA. It is for mt translate or, with --tokens penn "
        "--lowercase, for tesla score. Uses interpolated modified Kneser-Ney smoothing.",
        (
            Way(
                "tesla.estimate:estimate_language_model",
                Shown("mt:write_model", (arpa, *PRINTED)),
            ),
        ),
        ("mt:PlainText",),
    ),
    Command(
        "dashboard",
        "Show all runs of a lake job on a page, down to the sentence.",
        (Way("lake.dashboard:lake_report", Shown("report:show_dashboard", DASHBOARD)),),
        positional=("out",),
        flags={
            "text": {"metavar": "PLACE", "panel": "Input"},
            "recent": {"panel": "Output"},
        },
    ),
    Command(
        "report",
        "Write a page of a saved result. That is one of beads study, beads filter --lines or mt "
        "study, or an alignment of sentences, which is shown with its texts side by side; or list "
        "the pages of a folder.",
        (
            Way("cli.report:saved_page", SAVED),
            Way("beads.pairs_page:pairs_page", SAVED, flags_of(Saved)["src"]),
        ),
        ("report:Saved",),
        flags={"top": {"bounds": FROM_1}},
    ),
    Command(
        "sql",
        "Run SQL over links, texts, lexicons and scores. All macros, such as link_scores(), are "
        "available. Queries can name Parquet files and globs; --table names folders, Delta "
        "tables and other places.",
        (Way("cli.sql:sql", Itself(UNSIGNED, "rows")),),
        ("sql:Query",),
    ),
    Command(
        "mcp",
        "Serve tables to an agent, read only. It is a server of the Model Context Protocol on "
        "standard input and output, with tools that describe, score and compare the tables of "
        "--table, and run SQL over them.",
        (Way("cli.mcp:serve", Itself(())),),
        ("sql:Served",),
        flags={"memory_limit": {"help": "Memory limit of statements, such as 2GB."}},
    ),
    Command(
        "warmup",
        "Compile all kernels in advance. For container images and clusters, so that no command "
        "has to later.",
        (Way("cli.warmup:warmup", Itself(JSON)),),
        flags={"processes": {"panel": "Output"}},
    ),
)
