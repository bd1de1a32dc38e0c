"""Options of TESLA."""

from __future__ import annotations

from pathlib import Path

from alignframe.choices import (
    EMPTY_ORDERS,
)
from alignframe.options.option import REQUIRED, analysis, inputs, outputs

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
content = analysis(
    "--content",
    str,
    "Tag set (penn, universal, c5, de, fr, es, cs, zh, nl), or prefixes of the tags of "
    "content words, such as NN,VB,JJ,RB.",
    None,
)
empty_order = analysis(
    "--empty-order",
    str,
    "F of n-grams longer than a sentence: zero, or skip to leave them out.",
    "zero",
    choices=EMPTY_ORDERS,
)
function_weight = analysis(
    "--function-weight",
    float,
    "Weight of function words, in tenths: 0, 0.1, 0.2, ..., 1 (as content words).",
    0.1,
)
language = inputs("--language", str, "Language code of the texts.", "en")
lemmas = analysis(
    "--lemmas",
    str,
    "Source of lemmas: morphy (WordNet's, for en), stems, words (lower-cased), tagger, or given "
    "(tokens such as houses|NNS|house).",
    None,
)
lm = inputs(
    "--lm",
    list[str],
    "A language model (ARPA, KenLM) for the feature lm_NAME, which counts in f if its model "
    "weights it; by default NAME is the file's name without suffixes and lm_. Repeatable.",
    None,
    metavar="[NAME=]FILE",
)
model_file = outputs(
    "-o --output", Path, "Write the model as JSON.", REQUIRED, metavar="FILE", writes="file"
)
tokens_file = outputs(
    "-o --output", Path, "Write .parquet, or lines of text.", None, metavar="FILE", writes="file"
)
pivot = inputs(
    "--pivot",
    list[str],
    "A pivot table for the features NAME_lem_1 and so on, which count in b, and in f if its "
    "model weights them; NAME is by default the table's own. Repeatable.",
    None,
    metavar="[NAME=]FILE",
)
recall_weight = analysis(
    "--recall-weight", float, "Weight of recall in F; with 1, F is recall.", 0.8
)
show = outputs(
    "--show",
    str,
    "Print tagged lines (word|TAG|lemma), or words or lemmas alone (for a word aligner).",
    "tagged",
    choices=("tagged", "words", "lemmas"),
)
synonyms = analysis(
    "--synonyms",
    str,
    "wordnet (for en), none, or a file with one tab-separated group per line.",
    None,
    metavar="FILE",
)
tagger = analysis(
    "--tagger",
    str,
    "textblob (for en), hanta (for de and nl), spacy:MODEL, given (tokens such as house|NN, or "
    "CoNLL-U), none (words alone, for --metric f), or a file of tesla tags.",
    None,
)
tokens = analysis(
    "--tokens",
    str,
    "Tokenisation: penn (raw text) or spaces (already tokenised).",
    "penn",
    choices=("penn", "spaces"),
)
wordnet = inputs(
    "--wordnet",
    Path,
    "WordNet's database files, in a folder or zip file; by default those of Debian, macOS or NLTK.",
    None,
    metavar="PATH",
)
