"""Options of BLEU and chrF, and of phrase-based translation."""

from __future__ import annotations

from pathlib import Path

from alignframe.choices import (
    N_BEST_FORMATS,
)
from alignframe.options.option import REQUIRED, outputs

phrase_table_file = outputs(
    "-o --output",
    Path,
    "Phrase table to write: .parquet, or Moses's text table (.gz compresses it).",
    REQUIRED,
    metavar="FILE",
    writes="file",
)

weights_file = outputs(
    "-o --output", Path, "Weights to write, as TOML.", REQUIRED, metavar="FILE", writes="file"
)
n_best = outputs(
    "--n-best",
    int,
    "Write this many best translations of each sentence, with features, instead of the text.",
    None,
    name="n_best",
    low=1,
)
n_best_format = outputs(
    "--n-best-format",
    str,
    "Format of --n-best; zmert has no names of features.",
    "moses",
    name="n_best_format",
    choices=N_BEST_FORMATS,
)
translations_file = outputs(
    "-o --output",
    str,
    "File of translations to write; '-' is standard output.",
    REQUIRED,
    metavar="FILE",
    writes="file",
)
