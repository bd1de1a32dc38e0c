"""Options of TESLA."""

from __future__ import annotations

from pathlib import Path

from alignframe.options.option import REQUIRED, outputs

arpa = outputs(
    "-o --output", Path, "Write ARPA; .gz compresses it.", REQUIRED, metavar="FILE", writes="file"
)
comparisons = outputs(
    "--comparisons",
    Path,
    "Also write the differences between metrics with their p-values.",
    None,
    metavar="FILE",
    writes="table",
)
model_file = outputs(
    "-o --output", Path, "Write the model as JSON.", REQUIRED, metavar="FILE", writes="file"
)
tokens_file = outputs(
    "-o --output", Path, "Write .parquet, or lines of text.", None, metavar="FILE", writes="file"
)
show = outputs(
    "--show",
    str,
    "Print tagged lines (word|TAG|lemma), or words or lemmas alone (for a word aligner).",
    "tagged",
    choices=("tagged", "words", "lemmas"),
)
