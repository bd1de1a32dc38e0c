"""Options of beads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from alignframe.choices import (
    AVERAGES,
    BASES,
    BEAD_FORMATS,
    BEAD_METHODS,
    LINE_FILTERS,
    ONE_SIDED,
    SCENARIOS,
    SENTENCE_ALIGNERS,
    TABLES_SAID,
    UNITS,
)
from alignframe.options.option import REQUIRED, analysis, argument, inputs, outputs

average = analysis(
    "--average",
    str,
    "micro: scores from sums over all documents; macro: the mean of the documents' scores.",
    "micro",
    choices=AVERAGES,
)
band = analysis(
    "--band",
    float,
    "Initial half-width of the search band around the diagonal, in sentences.",
    20.0,
)
bitext = outputs(
    "--bitext",
    Path,
    "Also write the text of beads with both sides, as Parquet: doc, src, tgt, score, src_start, "
    "..., type.",
    None,
    metavar="FILE",
    writes="parquet",
)
by_doc = analysis("--by-doc", bool, "Score each document separately.", False)
by_type = outputs("--by-type", bool, "Also show a table by bead type; JSON always has it.", False)
corpus = outputs(
    "--corpus",
    str,
    "Name of the corpus in the table; by default that of SRC.",
    None,
    metavar="NAME",
)


base = inputs(
    "--base",
    int,
    "Number of the first sentence (vecalign, ces, intertext); by default 0, or 1 in ids if "
    "none is 0.",
    None,
    choices=BASES,
)
doc = outputs("--doc", str, "Name of the document; 'document' by default.", None, metavar="NAME")
documents_src = argument(
    "SRC",
    str,
    "Source sentences, one per line; or several documents: a folder or a quoted glob of such "
    f"files, @FILE with a list of them, or a table (text, doc[, sid]) as {TABLES_SAID}.",
    REQUIRED,
    name="src",
)
documents_tgt = argument(
    "TGT",
    str,
    "Target sentences, as SRC. The two files of a document must have the same name apart from "
    "the language.",
    REQUIRED,
    name="tgt",
)
clean_src = inputs(
    "--clean-src",
    str,
    "Clean source sentences from which the classifier learns words and spellings; by default "
    "the text itself.",
    None,
    metavar="FILE",
)
clean_tgt = inputs("--clean-tgt", str, "Their translations.", None, metavar="FILE")
filter_band = analysis(
    "--band",
    float,
    "For aligners: initial half-width of the search band around the diagonal; 20 by default.",
    None,
)
filter_method = analysis(
    "--method",
    str,
    "classifier: by features of each line pair, trained on synthetic noise; or keep the pairs "
    "that an aligner confirms: mre+ (by lengths and words learnt from the text itself or given "
    "with --model), mre (by lengths and words learnt from sentences that lengths align "
    "reliably), len (by lengths), gale-church (by lengths in characters), lex (as in beads "
    "align).",
    "classifier",
    choices=LINE_FILTERS,
)
filter_seed = analysis("--seed", int, "Random seed of the classifier's noise.", 1, low=0)
filter_skip = analysis(
    "--skip",
    float,
    "For aligners: prior probability of an untranslated sentence, on either side; by default "
    "0.2 for mre+, 0.05 for others. A lower one keeps more wrong lines.",
    None,
)
filter_model = inputs(
    "--model",
    str,
    "For mre+: a saved model or a lexicon. By default, Model 1 is learnt from the text, for "
    "each quarter from the others.",
    None,
    metavar="PATH",
)
from_format = inputs(
    "--from",
    str,
    "Format of the beads in IN; detected by default.",
    None,
    choices=BEAD_FORMATS,
    name="from_format",
)
gold = inputs(
    "--gold",
    str,
    "Gold beads, in any format; for several documents: Parquet, a folder or a quoted glob with "
    "one file each, or @FILE with a list of files.",
    REQUIRED,
    metavar="FILE",
)
gold_as_written = inputs(
    "--gold-as-written",
    bool,
    "Accept gold with a sentence in two beads, as some published gold has by mistake: beads count "
    "as they stand, and a warning names the lines.",
    False,
)
gold_base = replace(base, flags="--gold-base")
gold_format = inputs(
    "--gold-format",
    str,
    "Format of the gold beads; detected by default.",
    None,
    choices=BEAD_FORMATS,
)
groups = inputs(
    "--groups",
    str,
    "One name per line: lines with the same name form a document and are reported together. "
    "Words are still learnt from all lines.",
    None,
    metavar="FILE",
)
hyp = inputs(
    "--hyp",
    list[str],
    "Beads of a system, as --gold; files of the same document must have the same name. Repeatable.",
    REQUIRED,
    metavar="[NAME=]FILE",
)
hyp_base = inputs(
    "--hyp-base",
    list[str],
    "Number of the first sentence in --hyp, for all systems or for one. Repeatable.",
    None,
    metavar="[NAME=]0|1",
)
hyp_format = inputs(
    "--hyp-format", str, "Format of every --hyp; detected by default.", None, choices=BEAD_FORMATS
)
iterations = analysis("--iterations", int, "Iterations of Model 1.", 5, low=1)
kept_threshold = analysis(
    "--threshold",
    float,
    "Keep lines that are more probable than this; by default 0.5 for aligners, and for the "
    "classifier the threshold with the fewest errors if wrong lines are like its synthetic "
    "noise.",
    None,
)
largest = analysis(
    "--largest",
    int,
    "For lex: maximum number of sentences of a bead on one side, up to 6; 6 by default.",
    None,
    low=1,
)
languages = inputs(
    "--languages",
    str,
    "Languages to read from TMX or to name in it, such as en,fr; by default the suffixes of the "
    "two texts if they look like languages, or else those of the TMX.",
    None,
    metavar="SRC,TGT",
)
line_scores = outputs(
    "--lines",
    Path,
    "Write a table of all lines, with line (from 1), kept, score, group, text and the "
    f"classifier's features, as {TABLES_SAID}.",
    None,
    metavar="FILE",
    writes="table",
)
max_lines = analysis("--max-lines", int, "Maximum number of lines aligned at a time.", 10000, low=1)
merge = analysis(
    "--merge",
    float,
    "Prior probability of a 2-1 bead, and of a 1-2 bead; 0.02 by default (gale-church: 0.0445; "
    "lex: 0.06 initially).",
    None,
)
method = analysis(
    "--method",
    str,
    "lex: by lengths, similarly spelt words, and words learnt from the text in rounds, with "
    "beads of up to 6 sentences per side; len: by lengths; mre: by lengths and words learnt "
    "from sentences that lengths align reliably; mre+: by lengths and a model; gale-church: by "
    "lengths in characters; vectors: by embeddings alone.",
    "lex",
    choices=BEAD_METHODS,
)
methods = analysis(
    "--methods",
    str,
    "Aligners to compare, comma-separated: len, mre, mre+ (with --model), gale-church, lex.",
    "len,mre",
    listed=str,
)
min_precision = analysis(
    "--min-precision",
    float,
    "Choose the setting with the highest recall among those with at least this precision.",
    0.98,
)
model = inputs(
    "--model",
    str,
    "For mre+: the folder of a saved model, or a lexicon in Parquet (src, tgt[, p]).",
    None,
    metavar="PATH",
)
model_folder = outputs(
    "-o --output", Path, "Folder for the model.", REQUIRED, metavar="FOLDER", writes="folder"
)
noise_folder = outputs(
    "-o --output",
    Path,
    "Folder for src.txt, tgt.txt and gold.beads.",
    REQUIRED,
    metavar="FOLDER",
    writes="folder",
)
noise_seed = analysis("--seed", int, "Random seed of the noise.", 1, low=0)
noise_unit = analysis("--unit", str, "Unit of length in length-aligned.", "words", choices=UNITS)
one_sided = analysis(
    "--one-sided",
    str,
    "Where one-sided beads count: precision (as in published scores), count (in precision and "
    "recall), ignore (in neither).",
    "precision",
    choices=ONE_SIDED,
)
only = analysis(
    "--only",
    str,
    "Groups to filter, comma-separated; all lines of other groups are kept.",
    None,
    listed=str,
)
other = inputs("--other", str, "Target side of another document.", None, metavar="FILE")
beads_file = outputs(
    "-o --output",
    str,
    "File to write the beads to; '-' is standard output. For several documents: a .parquet "
    "file, or a folder for one file each.",
    "-",
    metavar="FILE",
)
parameters = analysis(
    "--parameters",
    str,
    "Parameters to tune, comma-separated: skip, band, threshold, merge, two_two, smoothing, "
    "largest.",
    "skip,band,threshold",
    listed=str,
)
prefix = outputs(
    "-o --output",
    Path,
    "Prefix of the output: with 'kept', text.en and text.fr become kept.en and kept.fr, or "
    "kept.src.txt and kept.tgt.txt if their suffixes are equal or missing.",
    REQUIRED,
    metavar="PREFIX",
)
rate = analysis(
    "--rate", float, "Share of sentences to delete, or of pairs to merge, on each side.", None
)
scenario = analysis(
    "--scenario", str, "Kind of noise; different needs --other.", "delete", choices=SCENARIOS
)
scenarios = analysis(
    "--scenarios",
    str,
    "paper (its 53 scenarios); or comma-separated: clean, delete:0.05:0.1 (rates of source and "
    "target), combine:0.05, delete and combine (at all of the paper's rates), randomize, "
    "length-aligned, different (with --other).",
    "paper",
    listed=str,
)
scored_threshold = analysis(
    "--threshold", float, "Score only beads that are more probable than this.", 0.99
)
sentences_src = inputs(
    "--src", str, "Source sentences, for the alignment rate.", None, metavar="FILE"
)
sentences_tgt = inputs("--tgt", str, "Target sentences, as --src.", None, metavar="FILE")
settings_file = outputs(
    "-o --output",
    Path,
    f"Write the table of settings, as {TABLES_SAID}; report beads --tuning reads Parquet.",
    None,
    metavar="FILE",
    writes="table",
)
skip = analysis(
    "--skip",
    float,
    "Prior probability of an untranslated sentence, on either side; 0.01 by default "
    "(gale-church: 0.00495; lex: 0.02 initially).",
    None,
)
smoothing = analysis(
    "--smoothing",
    float,
    "For mre, mre+ and lex: share of a word's probability that comes from its frequency alone; "
    "0.5 by default (lex: 0.4; mre+: 0.3 in study and tune; mre: 0.1, mre+: 0.2 in filter). A "
    "lower one finds fewer wrong pairs, and often fewer right ones.",
    None,
)
source = argument(
    "IN",
    str,
    "Beads, or 'parallel' for --src and --tgt line by line; '-' is standard input. A folder, a "
    "quoted glob or @FILE with a list joins files, each of one document, into Parquet.",
    REQUIRED,
    name="source",
)
src = argument("SRC", str, "Source sentences, one per line.", REQUIRED, name="src")
src_vectors = inputs(
    "--src-vectors",
    str,
    "An embedding per source sentence: .npy, Parquet with one column of lists, or 32-bit numbers "
    "without a header (.emb). For the methods vectors and lex, which uses words and lengths too.",
    None,
    metavar="FILE",
)
tgt_vectors = inputs(
    "--tgt-vectors",
    str,
    "Embeddings of the target sentences, by the same model.",
    None,
    metavar="FILE",
)
src_overlaps = inputs(
    "--src-overlaps",
    str,
    "The texts of the source embeddings, if these are of runs of 1, 2, ... sentences, joined by "
    "spaces (as Vecalign makes them), one per line.",
    None,
    metavar="FILE",
)
tgt_overlaps = inputs(
    "--tgt-overlaps", str, "The texts of the target embeddings.", None, metavar="FILE"
)
src_rate = analysis("--src-rate", float, "Rate of the source side alone; 0 by default.", None)
study_skip = analysis(
    "--skip", float, "Prior probability of an untranslated sentence, on either side.", 0.02
)
text_src = inputs(
    "--src",
    str,
    "Source sentences, one per line, or XML with ids; if IN is TMX, a new file for them.",
    None,
    metavar="FILE",
)
tgt = argument("TGT", str, "Their translations, one per line.", REQUIRED, name="tgt")
tgt_rate = analysis("--tgt-rate", float, "Rate of the target side alone; 0 by default.", None)
threshold = analysis(
    "--threshold",
    float,
    "Write only beads with both sides that are more probable than this; by default the best "
    "path, which covers every sentence.",
    None,
)
to = outputs(
    "--to",
    str,
    "Format of the output; by default from its suffix: .beads (vecalign), .ladder, .xml (ces), "
    ".tmx, .parquet.",
    None,
    choices=BEAD_FORMATS,
)
to_format = outputs(
    "--to",
    str,
    "Format of OUT; by default from its suffix: .beads (vecalign), .ladder, .xml (ces), .tmx, "
    ".parquet.",
    None,
    choices=BEAD_FORMATS,
    name="to_format",
)
tried = outputs(
    "--tried",
    Path,
    "Write all settings that were tried, with their scores.",
    None,
    metavar="FILE",
    writes="table",
)
tuned_method = analysis("--method", str, "The aligner to tune.", "mre+", choices=SENTENCE_ALIGNERS)
tuned_model = inputs(
    "--model",
    str,
    "For mre+: a saved model or a lexicon. By default Model 1 is learnt from the first "
    "third of the text.",
    None,
    metavar="PATH",
)
tuned_rate = analysis(
    "--rate", float, "Rate of delete and combine, on both sides; 0.2 by default.", None
)
tuned_scenario = analysis("--scenario", str, "Kind of noise.", "delete", choices=SCENARIOS[:-1])
two_two = analysis(
    "--two-two",
    float,
    "Prior probability of a 2-2 bead; 0 by default (gale-church: 0.011; lex: 0.006 initially).",
    None,
)
unit = analysis(
    "--unit",
    str,
    "Unit of length; words by default (gale-church: characters).",
    None,
    choices=UNITS,
)
words = analysis(
    "--words",
    str,
    "What counts as a word: words (lower-cased runs of letters and digits, single punctuation "
    "marks, single Chinese or Japanese characters), spaces (split at spaces), characters.",
    "words",
    choices=("words", "spaces", "characters"),
)
