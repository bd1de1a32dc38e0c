"""Options of lexicons."""

from __future__ import annotations

from alignframe.choices import FIRST_ENTRIES, TYPES_OR_TOKENS
from alignframe.options.option import REQUIRED, analysis, argument, inputs, outputs

ahead = analysis("--first", str, "Which entries come first.", "dictionary", choices=FIRST_ENTRIES)
average = analysis(
    "--average", str, "Average over types or over tokens.", "types", choices=TYPES_OR_TOKENS
)
by = analysis("--by", str, "Group by frequency, or by a file with the columns src and group.", None)
cascade = analysis(
    "--cascade",
    list[str],
    "Comma-separated filters, or none. Repeatable.",
    None,
    metavar="[NAME=]FILTERS",
)
compare = analysis("--compare", bool, "Test every pair of lexicons against each other.", False)
count = analysis(
    "--count",
    str,
    "Count co-occurring words by type or by token.",
    "types",
    choices=TYPES_OR_TOKENS,
)
dictionary = inputs("--mrbd", str, "Bilingual word list to merge with.", REQUIRED, metavar="FILE")
filters = analysis(
    "--filter",
    list[str],
    "cognate[:CUTOFF], prefix[:LETTERS], mrbd:FILE, alignment or pos[:FILE]. Repeatable; "
    "filters apply in the given order.",
    None,
    name="filters",
    metavar="FILTER",
)
first = argument(
    "FIRST", str, "A translation of a text, one sentence per line.", REQUIRED, name="first"
)
judge_src = inputs(
    "--test-src", str, "Source sentences of a text to evaluate on.", None, metavar="FILE"
)
k = analysis(
    "--k",
    int,
    "Number of translations per word to evaluate, best first; by default 5, or as many as every "
    "lexicon has.",
    None,
)
lexicon = inputs("--lexicon", str, "A lexicon: Parquet or CSV.", REQUIRED, metavar="FILE")
lexicons = inputs(
    "--lexicon",
    list[str],
    "A lexicon: Parquet or CSV. Repeatable.",
    REQUIRED,
    name="lexicons",
    metavar="[NAME=]FILE",
)
limit = outputs("--limit", int, "Maximum number of rows shown for a word.", 10, low=1)
min_both = analysis("--min-both", int, "Minimum number of co-occurrences of two words.", 1)
most_words = outputs("--limit", int, "Maximum number of words shown.", 40, low=1)
mrbd = inputs("--mrbd", str, "Bilingual word list for the standard cascades.", None, metavar="FILE")
n_best = analysis("--n-best", int, "Maximum number of translations per word.", 5)
n_best_or_all = analysis(
    "--n-best", int, "Maximum number of translations per word; all by default.", None
)
second = argument("SECOND", str, "Another translation of the same text.", REQUIRED, name="second")
sets = analysis("--sets", int, "Maximum number of training sets of each size.", 10)
sizes = analysis(
    "--sizes",
    str,
    "Sizes of the training sets in sentence pairs, comma-separated; 500 to 28000 by default.",
    None,
    listed=int,
)
src = inputs(
    "--src",
    str,
    "Source sentences, one per line; or lines 'source ||| target', or Parquet.",
    REQUIRED,
    metavar="FILE",
)
tag_column = inputs(
    "--tag-column", str, "Column of CoNLL-U that holds the tags.", "upos", choices=("upos", "xpos")
)
tagged = inputs("--tagged", bool, "The text is tagged: word|TAG, or CoNLL-U.", False)
tags = analysis(
    "--tags",
    str,
    "Tag sets, each compared as a cascade: same-tag, universal, content, open, or files of "
    "classes.",
    None,
    metavar="A,B,C",
    listed=str,
)
test_src = inputs("--test-src", str, "Source sentences of the test text.", REQUIRED, metavar="FILE")
test_tgt = inputs("--test-tgt", str, "Target sentences of the test text.", None, metavar="FILE")
unsigned = analysis(
    "--unsigned",
    bool,
    "Ignore the sign of association: rank words that avoid each other like words that "
    "attract each other.",
    False,
)
words = argument("WORD", list[str], "Words of either language.", REQUIRED, name="words")
