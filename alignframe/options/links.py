"""Options of links, phrases and aligners."""

from __future__ import annotations

from pathlib import Path

from alignframe.choices import (
    BASES,
    LINK_FORMATS,
    ORDERS,
    WORD_ALIGNERS,
)
from alignframe.options.option import REQUIRED, analysis, argument, base, inputs, outputs
from alignframe.symmetrization import METHODS

aligner = analysis(
    "--aligner",
    str,
    "ibm1, hmm, ibm4 or bayes; or a command with {src} {tgt} {out} that reads two texts and "
    "writes links as 0-0 1-2, one line per sentence.",
    REQUIRED,
    metavar="NAME|COMMAND",
)
first_word = base("--base", "")
base_of_input = base("--base", " in IN")
bitext_src = inputs("--src", str, "Source side of the bitext.", REQUIRED, metavar="FILE")
bitext_tgt = inputs("--tgt", str, "Target side of the bitext.", REQUIRED, metavar="FILE")
both_format = inputs(
    "--from",
    str,
    "Format of both files; detected by default.",
    None,
    choices=LINK_FORMATS,
    name="format",
)
by_group = analysis(
    "--by-group",
    bool,
    "Also correlate within each group of the scores; always on with --vary.",
    False,
)
worst = analysis(
    "--worst",
    int,
    "List this many sentences with the most errors of each system, with their wrong and missing "
    "links, instead of scores.",
    None,
    metavar="N",
    low=1,
)
direction = analysis(
    "--direction",
    str,
    "forward: each target word picks its source word; reverse: vice versa; or both.",
    "both",
    choices=("forward", "reverse", "both"),
)
dry_run = outputs(
    "--dry-run", bool, "Check everything and print the plan, but align nothing.", False
)
extra_src = inputs(
    "--extra-src", str, "Source side of extra text, for --multiples.", None, metavar="FILE"
)
extra_tgt = inputs("--extra-tgt", str, "Target side of the extra text.", None, metavar="FILE")
first_sentence = inputs(
    "--first-sentence", int, "Number of the first sentence (naacl, numbered).", None
)
folder = outputs(
    "-o --output",
    Path,
    "Folder for all results; run again with the same folder to resume.",
    REQUIRED,
    metavar="FOLDER",
    writes="folder",
)
from_format = inputs(
    "--from",
    str,
    "Format of IN; detected by default.",
    None,
    choices=LINK_FORMATS,
    name="from_format",
)
gold = inputs("--gold", str, "Gold links, in any format.", REQUIRED, metavar="FILE")
gold_base = base("--gold-base", " in Pharaoh gold")
gold_format = inputs(
    "--gold-format", str, "Format of --gold; detected by default.", None, choices=LINK_FORMATS
)
gold_src = inputs("--gold-src", str, "Source side of the gold text.", REQUIRED, metavar="FILE")
gold_tgt = inputs("--gold-tgt", str, "Target side of the gold text.", REQUIRED, metavar="FILE")
jobs = outputs("--jobs", int, "Number of aligners that run in parallel.", 1, low=1)
line_src = argument(
    "SRC",
    str,
    "Source sentences, one per line, or lines 'source ||| target'.",
    REQUIRED,
    name="src",
)
links = inputs(
    "--links",
    str,
    "Links of a system in any format, or a Parquet file, glob or folder.",
    REQUIRED,
    metavar="[NAME=]FILE",
)
max_sentence = analysis(
    "--max-length",
    int,
    "Sentence pairs with more words on a side are not aligned; 200 by default.",
    None,
)
min_probability_of_input = inputs(
    "--min-probability", float, "Drop links below this probability.", None
)
model = analysis("--model", str, "Alignment model; bayes by default.", None, choices=WORD_ALIGNERS)
model_from = inputs(
    "--model-from", Path, "Use a saved model; nothing is trained.", None, metavar="FOLDER"
)
option = analysis(
    "--option", list[str], "Option of the model. Repeatable.", None, metavar="NAME=VALUE"
)
order_of_input = inputs("--order", str, "Which side IN names first.", "src-tgt", choices=ORDERS)
links_file = outputs(
    "-o --output",
    str,
    "File to write the links to; '-' is standard output.",
    REQUIRED,
    metavar="FILE",
    writes="file",
)
possible_as_sure = inputs("--possible-as-sure", bool, "Treat every gold link as Sure.", False)
posterior = outputs(
    "--posterior", bool, "Also write the probability of each link (Parquet).", False
)
prior = inputs(
    "--prior",
    str,
    "Known translations: a lexicon (Parquet or CSV) or the folder of a saved model.",
    None,
    metavar="LEXICON",
)
save_model = outputs(
    "--save-model",
    Path,
    "Save the model, for --model-from.",
    None,
    metavar="FOLDER",
    writes="folder",
)
external = inputs(
    "--external",
    str,
    "External scores, one per system: .csv, .tsv, .jsonl or .parquet with system, score and "
    "optionally group.",
    REQUIRED,
    metavar="FILE",
)
source = argument("IN", str, "File to read; '-' is standard input.", REQUIRED, name="source")
src = inputs(
    "--src",
    str,
    "Source sentences, one per line, or lines 'source ||| target'.",
    None,
    metavar="FILE",
)
strength = analysis(
    "--strength", float, "Weight of the prior, in pseudo-counts per word; 1 by default.", None
)
strict = inputs("--strict", bool, "Fail if a sentence is missing on either side.", False)
symmetrize = analysis(
    "--symmetrize",
    str,
    f"How to combine both directions: agree, {', '.join(METHODS)}; grow-diag-final-and by default.",
    None,
    metavar="METHOD",
)
system = outputs("--system", str, "Name of the system in the output.", None)
system_of_input = analysis(
    "--system", str, "Name of the system to write, or to choose from Parquet.", None
)
text_src = argument(
    "SRC",
    str,
    "Source sentences, one per line; or lines 'source ||| target', or Parquet.",
    REQUIRED,
    name="src",
)
text_tgt = argument("TGT", str, "Target sentences, one per line.", None, name="tgt")
threshold = analysis(
    "--threshold",
    float,
    "Keep all links of a direction that are more probable than this; with agree, averaged over "
    "both directions.",
    None,
)
to = outputs(
    "--to",
    str,
    "Format of the output; by default from its suffix (.talp, .naacl, .parquet, ...).",
    None,
    choices=LINK_FORMATS,
)
to_base = outputs("--to-base", int, "Number of the first word in OUT.", 0, choices=BASES)
to_format = outputs(
    "--to",
    str,
    "Format of OUT; by default from its suffix (.talp, .naacl, .parquet, ...).",
    None,
    name="to_format",
    choices=LINK_FORMATS,
)
training_seed = analysis("--seed", int, "Random seed of the training.", None)
