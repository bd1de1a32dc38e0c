"""Options of BLEU and chrF, and of phrase-based translation."""

from __future__ import annotations

from pathlib import Path

from alignframe.choices import (
    N_BEST_FORMATS,
    NORMALIZATIONS,
    SMOOTHINGS,
    TOKENIZERS,
    TUNED,
)
from alignframe.options.option import REQUIRED, analysis, argument, inputs, outputs

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

alignments = inputs(
    "--alignments",
    list[str],
    "Links of a system in any format, a glob or folder of such files, or one of links vary. "
    "Repeatable.",
    REQUIRED,
    metavar="[NAME=]PATH",
)
dev = inputs(
    "--dev",
    str,
    "Development set: its source and its reference, comma-separated.",
    None,
    metavar="SRC,REF",
)
test = inputs(
    "--test",
    str,
    "Test set: its source and its reference, comma-separated.",
    REQUIRED,
    metavar="SRC,REF",
)
gold = inputs(
    "--gold",
    str,
    "Gold links of the training text; not needed for folders of links vary.",
    None,
    metavar="FILE",
)
tuned = analysis(
    "--tuned",
    str,
    "once: weights are tuned on one system; each: on each; none: uses --weights.",
    "once",
    choices=TUNED,
)
tune_on = analysis(
    "--tune-on",
    str,
    "Alignment to tune on with --tuned once; the first by default.",
    None,
    metavar="NAME",
)
tesla_m = analysis("--tesla-m", bool, "Also score by TESLA-M; the text options apply to it.", False)
judged = argument("FOLDER", Path, "Folder written by mt study.", REQUIRED, name="folder")
study_folder = outputs(
    "-o --output",
    Path,
    "Folder for the results, from which an interrupted study resumes.",
    REQUIRED,
    metavar="FOLDER",
    writes="folder",
)
phrase_table_file = outputs(
    "-o --output",
    Path,
    "Phrase table to write: .parquet, or Moses's text table (.gz compresses it).",
    REQUIRED,
    metavar="FILE",
    writes="file",
)

target_lm = inputs(
    "--lm", str, "Language model of the target language, as ARPA.", REQUIRED, metavar="FILE"
)
weights = inputs(
    "--weights",
    str,
    "Weights of the features, as mt tune writes them; by default Moses's initial ones, and 1 for "
    "features that it does not have.",
    None,
    metavar="FILE",
)
pop = analysis(
    "--pop", int, "Partial translations considered per stack; more is slower.", 100, low=1
)
distortion = analysis(
    "--distortion", int, "Distortion limit: maximum number of words jumped over.", 6, low=0, high=60
)
translation_options = analysis(
    "--options", int, "Maximum number of translations per source phrase.", 20, low=1
)
reordering = analysis(
    "--reordering", bool, "Also tune the features of lexicalised reordering.", False
)
restarts = analysis("--restarts", int, "Random starts of line search.", 20, low=0)
rounds = analysis("--rounds", int, "Maximum number of rounds of translating.", 10, low=1)
tuning_seed = analysis("--seed", int, "Random seed of the starts.", 1)
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
