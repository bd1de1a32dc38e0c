"""Options of BLEU and chrF, and of phrase-based translation."""

from __future__ import annotations

from pathlib import Path

from alignframe.choices import (
    N_BEST_FORMATS,
    NORMALIZATIONS,
    SMOOTHINGS,
    TOKENIZERS,
)
from alignframe.options.option import REQUIRED, analysis, argument, outputs

beta = analysis("--beta", float, "Weight of recall relative to precision in chrF.", 2.0)
char_order = analysis("--char-order", int, "Longest n-grams of characters in chrF.", 6, low=1)
effective_order = analysis(
    "--effective-order/--full-order",
    bool,
    "In BLEU, ignore n-gram orders longer than the translation; by default only for single "
    "sentences.",
    None,
)
lowercase = analysis("--lowercase", bool, "Ignore case.", False)
normalization = analysis(
    "--normalization",
    str,
    "Unicode normalization form in which text is compared: none as in sacrebleu, or nfc.",
    "none",
    choices=NORMALIZATIONS,
)
smooth = analysis("--smooth", str, "Smoothing of BLEU.", "exp", choices=SMOOTHINGS)
smooth_value = analysis(
    "--smooth-value", float, "Value of floor (0.1 by default) or add-k (1 by default).", None
)
tokenize = analysis(
    "--tokenize",
    str,
    "How BLEU splits text into words: none splits at white space, the others are sacrebleu's.",
    "13a",
    choices=TOKENIZERS,
)
whitespace = analysis("--whitespace", bool, "Count white space as characters in chrF.", False)
word_order = analysis(
    "--word-order", int, "Longest n-grams of words in chrF; 2 is chrF++.", 0, low=0
)

judged = argument("FOLDER", Path, "Folder written by mt study.", REQUIRED, name="folder")
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
