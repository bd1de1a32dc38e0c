"""Commands of saved models of word alignment."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from alignframe.cli.command import Command, Way
from alignframe.cli.option import REQUIRED, outputs
from alignframe.cli.showing import JSON, TABLES_OUT, Itself, Shown

FOLDER = {"flags": "FOLDER", "metavar": "FOLDER"}
folder_out = outputs(
    "-o --output",
    Path,
    "Folder to save the merged model in.",
    REQUIRED,
    metavar="FOLDER",
    writes="folder",
)
priors_out = replace(
    folder_out,
    help="File to write the priors to; '-' is standard output.",
    metavar="FILE",
    writes="text",
)

COMMANDS = (
    Command(
        "model show",
        "Show what a saved model is. With --word, translations of a word follow.",
        (Way("aligners.described:describe", Shown("model:show_described", TABLES_OUT, "models")),),
        positional=("folder",),
        flags={"folder": FOLDER, "word": {"metavar": "WORD"}},
    ),
    Command(
        "model merge",
        "Merge models of parts of a text. Their counts are added.",
        (Way("cli.model:merge", Itself((folder_out, *JSON))),),
        positional=("folders",),
        flags={"folders": FOLDER | {"kind": list[str]}},
    ),
    Command(
        "model priors",
        "Write a model as priors of eflomal. align --prior reads them too.",
        (Way("cli.model:priors", Itself((priors_out, *JSON))),),
        positional=("folder",),
        flags={"folder": FOLDER},
    ),
)
