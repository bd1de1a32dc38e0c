"""Options of BLEU and chrF, and of phrase-based translation."""

from __future__ import annotations

from pathlib import Path

from alignframe.choices import SMOOTHINGS, TOKENIZERS
from alignframe.options.option import REQUIRED, analysis, argument, inputs, outputs

beta = analysis("--beta", float, "Weight of recall relative to precision in chrF.", 2.0)
by = analysis(
    "--by",
    str,
    "Columns of the reference's table to group by, comma-separated; 'sid' for single sentences.",
    "",
)
char_order = analysis("--char-order", int, "Longest n-grams of characters in chrF.", 6, low=1)
effective_order = analysis(
    "--effective-order/--full-order",
    bool,
    "Ignore orders of which a translation has no n-grams in BLEU; by default only for single "
    "sentences.",
    None,
)
hyp = inputs(
    "--hyp",
    list[str],
    "A system's translations: one sentence per line, or a table with text and sid. Repeatable.",
    metavar="[NAME=]FILE",
)
lowercase = analysis("--lowercase", bool, "Ignore case.", False)
metrics = analysis("--metrics", str, "bleu, chrf or both, comma-separated.", "bleu,chrf")
ref = inputs(
    "--ref",
    list[str],
    "Reference: one sentence per line, or a table with text and sid. Repeatable.",
    REQUIRED,
    metavar="FILE",
)
segments = outputs(
    "--segments",
    Path,
    "Also write the scores of every sentence, for tesla meta.",
    None,
    metavar="FILE",
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

only = inputs(
    "--for",
    list[str],
    "Text to translate: phrases that occur in none of these are left out. Repeatable.",
    [],
    name="only",
    metavar="FILE",
)
longest_phrase = analysis(
    "--max-length", int, "Longest phrase, in words of either side.", 7, low=1, high=8
)
phrase_table_file = outputs(
    "-o --output",
    Path,
    "Phrase table to write: .parquet, or Moses's text table (.gz compresses it).",
    REQUIRED,
    metavar="FILE",
)
given_table = argument(
    "TABLE", str, "Phrase table: Parquet, or Moses's text table.", REQUIRED, name="table"
)
