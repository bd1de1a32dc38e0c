"""Options of TESLA."""

from __future__ import annotations

from pathlib import Path

from alignframe.choices import (
    EMPTY_ORDERS,
    HUMAN,
    SEVERAL_REFERENCES,
    SIMILARITIES,
    TESLA_FEATURES,
    TESLA_METRICS,
    TIES,
)
from alignframe.options.option import REQUIRED, analysis, argument, inputs, outputs

arpa = outputs(
    "-o --output", Path, "Write ARPA; .gz compresses it.", REQUIRED, metavar="FILE", writes="file"
)
column = analysis(
    "--column", list[str], "Column that holds the scores of a metric. Repeatable.", None
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
cost = analysis("-c", float, "Cost of an error, as in SVM-rank.", 1000, name="cost")
empty_order = analysis(
    "--empty-order",
    str,
    "F of n-grams longer than a sentence: zero, or skip to leave them out.",
    "zero",
    choices=EMPTY_ORDERS,
)
features = analysis(
    "--features",
    str,
    "paper: lemmas and tags (and --pivot, --lm); wide: also characters, words, order and "
    "length; other: also characters, words and order, with more weight on recall. By default, "
    "those of the model.",
    None,
    choices=TESLA_FEATURES,
)
features_to_train = analysis(
    "--features", str, "As for tesla score.", "wide", name="features", choices=TESLA_FEATURES
)
segments_to_train = inputs(
    "--segments", Path, "Features written earlier, for --systems.", None, metavar="FILE"
)
folds = analysis("--folds", int, "Number of folds of the cross-validation; 0 for none.", 0, low=0)
function_weight = analysis(
    "--function-weight",
    float,
    "Weight of function words, in tenths: 0, 0.1, 0.2, ..., 1 (as content words).",
    0.1,
)
human = analysis(
    "--human",
    str,
    "Human score of a system: wmt12 (share of wins among wins and losses) or wmt09 (share of "
    "better or equal).",
    "wmt12",
    choices=HUMAN,
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
lower = analysis(
    "--lower",
    list[str],
    "Name of a metric for which lower is better, such as TER. Repeatable.",
    None,
    metavar="METRIC",
)
metric = analysis(
    "--metric",
    str,
    "m: lemmas, synonyms and tags; b: also pivot languages; f: weights learnt from human "
    "rankings. Features that a metric does not use are still written to --segments.",
    "m",
    choices=TESLA_METRICS,
)
model = inputs(
    "--model",
    Path,
    "Trained model for --metric f. By default one of the package: wide; words, without a "
    "tagger; or other, for languages other than English.",
    None,
    metavar="FILE",
)
model_file = outputs(
    "-o --output", Path, "Write the model as JSON.", REQUIRED, metavar="FILE", writes="file"
)
name = analysis(
    "--name", str, "Name of the features; by default the suffix of --pivot, such as fr.", None
)
ngram_length = analysis("--n", int, "Length of the n-grams, in words.", 1, low=1)
one_hyp = inputs(
    "--hyp",
    list[str],
    "A translation, one sentence per line, or .parquet of tesla analyse.",
    REQUIRED,
    metavar="[NAME=]FILE",
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
rankings = inputs(
    "--rankings",
    str,
    "Human rankings: WMT's .csv, METEOR's .rank, or ranking, sid, system, rank (.csv, "
    ".jsonl, .parquet).",
    REQUIRED,
    metavar="FILE",
)
rankings_file = argument(
    "FILE",
    str,
    "Human rankings: WMT's .csv, METEOR's .rank, or ranking, sid, system, rank (.csv, "
    ".jsonl, .parquet).",
    REQUIRED,
    name="source",
)
recall_weight = analysis(
    "--recall-weight", float, "Weight of recall in F; with 1, F is recall.", 0.8
)
ref = inputs(
    "--ref",
    list[str],
    "Reference translation, one sentence per line, or .parquet of tesla analyse. Repeatable.",
    REQUIRED,
    metavar="FILE",
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
similarity = analysis(
    "--similarity",
    str,
    "Similarity: ms (lemmas and synonyms), lem (lemmas) or pos (tags).",
    "ms",
    choices=SIMILARITIES,
)
source = argument(
    "FILE",
    str,
    "Sentences, one per line; '-' is standard input. With --tagger given: tokens such as "
    "house|NN, or CoNLL-U.",
    REQUIRED,
    name="source",
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
ties = analysis(
    "--ties", str, "How a metric's ties count in the consistency.", "wrong", choices=TIES
)
tokens = analysis(
    "--tokens",
    str,
    "Tokenisation: penn (raw text) or spaces (already tokenised).",
    "penn",
    choices=("penn", "spaces"),
)
which = analysis("--which-ref", int, "Number of the --ref to use, from 1.", 1, name="which", low=1)
wordnet = inputs(
    "--wordnet",
    Path,
    "WordNet's database files, in a folder or zip file; by default those of Debian, macOS or NLTK.",
    None,
    metavar="PATH",
)
english = inputs("--src", str, "English sentences, one per line.", REQUIRED, metavar="FILE")
other = inputs("--tgt", str, "The same sentences in the other language.", REQUIRED, metavar="FILE")
