"""Options of TESLA."""

from __future__ import annotations

from pathlib import Path

from alignframe.choices import (
    EMPTY_ORDERS,
    SEVERAL_REFERENCES,
)
from alignframe.options.option import REQUIRED, analysis, argument, inputs, outputs

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
segments_to_train = inputs(
    "--segments", Path, "Features written earlier, for --systems.", None, metavar="FILE"
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
consensus = analysis(
    "--consensus", bool, "Add the consensus of all metrics: the mean of their ranks.", False
)
model_file = outputs(
    "-o --output", Path, "Write the model as JSON.", REQUIRED, metavar="FILE", writes="file"
)
name = analysis(
    "--name", str, "Name of the features; by default the suffix of --pivot, such as fr.", None
)
tokens_file = outputs(
    "-o --output", Path, "Write .parquet, or lines of text.", None, metavar="FILE", writes="file"
)
pair = analysis(
    "--pair", str, "Language pair of the rankings, such as fr-en or French-English.", None
)
pivot = inputs(
    "--pivot",
    list[str],
    "A pivot table for the features NAME_lem_1 and so on, which count in b, and in f if its "
    "model weights them; NAME is by default the table's own. Repeatable.",
    None,
    metavar="[NAME=]FILE",
)
pivot_content = analysis(
    "--pivot-content",
    str,
    "Tag set of the pivot language, or prefixes of the tags of its content words.",
    None,
)
pivot_language = analysis(
    "--pivot-language", str, "Language code of the pivot language; not for project.", None
)
pivot_text = inputs(
    "--pivot", str, "The same sentences in the pivot language.", REQUIRED, metavar="FILE"
)
recall_weight = analysis(
    "--recall-weight", float, "Weight of recall in F; with 1, F is recall.", 0.8
)
references_combined = analysis(
    "--references-combined",
    str,
    "Score against several references: the mean or the maximum.",
    "mean",
    choices=SEVERAL_REFERENCES,
)
segment = analysis("--segment", int, "Number of the segment, counted from 0.", REQUIRED, low=0)
segments = inputs(
    "--segments",
    list[str],
    "Scores of segments: system, sid, score (.parquet, .csv, .jsonl), .scr, or a folder with what "
    "METEOR prints for each system, or a score per line. Repeatable.",
    REQUIRED,
    metavar="[NAME=]FILE",
)
show = outputs(
    "--show",
    str,
    "Print tagged lines (word|TAG|lemma), or words or lemmas alone (for a word aligner).",
    "tagged",
    choices=("tagged", "words", "lemmas"),
)
src = inputs(
    "--src",
    str,
    "Sentences in the language of the translations to be scored, optionally compressed.",
    REQUIRED,
    metavar="FILE",
)
synonyms = analysis(
    "--synonyms",
    str,
    "wordnet (for en), none, or a file with one tab-separated group per line.",
    None,
    metavar="FILE",
)
systems = inputs(
    "--systems",
    Path,
    "Folder of translations, one file per system: SYSTEM, SYSTEM.txt or newstest.fr-en.SYSTEM.",
    None,
    metavar="DIR",
)
tagger = analysis(
    "--tagger",
    str,
    "textblob (for en), hanta (for de and nl), spacy:MODEL, given (tokens such as house|NN, or "
    "CoNLL-U), none (words alone, for --metric f), or a file of tesla tags.",
    None,
)
text = argument("TEXT", list[str], "Sentences of the target language.", REQUIRED, name="text")
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
english = inputs("--src", str, "English sentences, one per line.", REQUIRED, metavar="FILE")
other = inputs("--tgt", str, "The same sentences in the other language.", REQUIRED, metavar="FILE")
