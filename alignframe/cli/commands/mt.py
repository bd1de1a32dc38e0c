"""Commands of translation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from alignframe.cli.command import Command, Way
from alignframe.cli.option import REQUIRED, outputs
from alignframe.cli.scored import Scored, ranks, segments
from alignframe.cli.showing import PRINTED, Shown, json
from alignframe.core.suffixes import N_BEST, N_BEST_FORMATS
from alignframe.errors import FROM_1

FILE = {"panel": "Input", "metavar": "FILE"}
TUNED = {
    "weights": FILE,
    "model": FILE,
    "seed": {"help": "Random seed of the starts.  [default: 1]", "panel": "Analysis"},
    "tokenize": {"help": "Tokeniser of bleu, as in mt score; none by default."},
    "tokens": {"help": "Tokenisation for TESLA: spaces, by default, or penn (raw text)."},
}
phrase_table_file = outputs(
    "-o --output",
    Path,
    "Phrase table to write: .parquet, or Moses's text table (.gz compresses it).",
    REQUIRED,
    metavar="FILE",
    writes="phrase table",
)
weights_file = outputs(
    "-o --output", Path, "Weights to write, as TOML.", REQUIRED, metavar="FILE", writes="text"
)
n_best = outputs(
    "--n-best",
    int,
    "Write this many best translations of each sentence, with features, instead of the text.",
    None,
    name="n_best",
    bounds=FROM_1,
)
n_best_format = outputs(
    "--n-best-format",
    str,
    f"Format of --n-best; zmert has no names of features. By default from the suffix of the file: "
    f"{N_BEST.by_suffix}, or else {N_BEST.default}.",
    None,
    name="n_best_format",
    choices=N_BEST_FORMATS,
)
translations_file = outputs(
    "-o --output",
    str,
    "File of translations to write; '-' is standard output.",
    REQUIRED,
    metavar="FILE",
    writes="text",
)
candidates_file = replace(translations_file, writes="n-best list", format_by="n_best_format")
TO_TABLE = (phrase_table_file, json)
TO_FILE = (translations_file, json)

COMMANDS = (
    Command(
        "mt score",
        "Score translations by BLEU and chrF, as sacrebleu does.",
        (
            Way(
                "mt.scoring:score",
                Scored("Translation scores", "Counts of translations", parts=(segments, ranks)),
            ),
        ),
        ("mt:Translations",),
        flags={"metrics": {"flags": "--metric"}},
    ),
    Command(
        "mt train",
        "Extract a phrase table from a word-aligned text.",
        (Way("mt.table:train", Shown("mt:show_table", TO_TABLE)),),
        ("mt:Training",),
    ),
    Command(
        "mt translate",
        "Translate sentences with a phrase table and a language model.",
        (
            Way("mt.decoding:translate", Shown("mt:write_texts", TO_FILE)),
            Way(
                "mt.decoding:translate",
                Shown("mt:write_candidates", (n_best_format, candidates_file, json)),
                n_best,
            ),
        ),
        ("mt:Translating",),
        positional=("sentences",),
        flags={
            "sentences": {"flags": "INPUT", "metavar": "INPUT"},
            **dict.fromkeys(("table", "lm", "weights"), FILE),
        },
    ),
    Command(
        "mt mert",
        "Find the weights that choose the best candidates (MERT).",
        (
            Way(
                "mt.minimum_error:mert",
                Shown("mt:show_mert", (weights_file, *PRINTED)),
            ),
        ),
        ("mt:Goal",),
        left_out=("analysis", "features", "threads"),
        flags=TUNED | {"candidates": FILE, "counts": FILE},
    ),
    Command(
        "mt tune",
        "Tune the weights of a translation system on a development set.",
        (Way("mt.tuning:tune", Shown("mt:show_tuned", PRINTED)),),
        ("mt:Goal", "mt:Tuning"),
        left_out=("analysis", "features"),
        flags=TUNED | {"src": FILE, "table": FILE, "lm": FILE},
    ),
    Command(
        "mt study",
        "Judge word alignments by the translations made from them.",
        (Way("mt.judging:study", Shown("mt_study:show", PRINTED)),),
        ("mt_study:Judged",),
        flags={
            "lm": FILE,
            "weights": FILE,
            "folder": {
                "flags": "-o --output",
                "default": REQUIRED,
                "panel": "Output",
                "metavar": "FOLDER",
                "writes": "folder",
            },
            "tokens": {"help": "Tokenisation for TESLA: spaces, by default, or penn (raw text)."},
        },
    ),
)
