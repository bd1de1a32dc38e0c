"""The choices that help lists: names of formats, methods and conventions.

None of their modules is imported here, so that help is fast.
"""

from __future__ import annotations

from pathlib import Path
from pkgutil import iter_modules

PARQUET = (".parquet", ".pq", ".parq")
"""Suffixes of Parquet."""

JSON_LINES = (".jsonl", ".ndjson")
"""Suffixes of tables with one JSON object per line."""

SEPARATORS = {".csv": ",", ".tsv": "\t"}
"""Suffixes of tables of separated cells, and their separators."""

TABLES = (*SEPARATORS, *JSON_LINES, *PARQUET)
"""Suffixes of all tables."""

COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4"}
"""Suffixes of compressed files, appended to others, and their compression."""

PAGE = (".html", ".htm")
"""Suffixes of reports."""

BASES = (0, 1)
"""Numbers of a sentence's first word."""

OTHER_NAMES = {
    **dict.fromkeys(("bleualign", "bertalign", "sentalign"), "vecalign"),
    "hunalign": "ladder",
    "xces": "ces",
    "opus": "ces",
    "gd": "grow-diag",
    "gdf": "grow-diag-final",
    "gdfa": "grow-diag-final-and",
    "grow-diagonal": "grow-diag",
    "grow-diagonal-final": "grow-diag-final",
    "grow-diagonal-final-and": "grow-diag-final-and",
    "inter": "intersection",
    "intersect": "intersection",
    "lilt-grow-diag-final-and": "lilt-grow-diag-final",
    "moses-grow-diag": "grow-diag",
    "moses-grow-diag-final": "grow-diag-final",
    "moses-grow-diag-final-and": "grow-diag-final-and",
    "a3": "giza",
    "fast_align": "pharaoh",
    "mgiza": "giza",
    "talp": "pharaoh",
    "wpt": "naacl",
}
"""Formats and methods by what other programs and collections call them."""

ORDERS = ("src-tgt", "tgt-src")
"""Which side a link names first."""

SPLITTINGS = ("auto", "spaces", "sentencepiece", "subword-nmt", "wordpieces", "characters")
"""How a text is split into tokens; kernels have the numbers of these names."""

WORD_ALIGNERS = ("ibm1", "hmm", "ibm4", "bayes")
"""Models of word alignment."""

PHRASE_KINDS = ("minimal", "exhaustive", "moses")
"""Kinds of phrase pairs."""

DICTIONARIES = ("align-dic1", "text-dic1", "text-dic2", "text-moses")
"""Kinds of phrase dictionaries."""

SENTENCE_ALIGNERS = ("gale-church", "len", "mre", "mre+", "lex")
BEAD_METHODS = (*SENTENCE_ALIGNERS, "vectors")
CLASSIFIER = "classifier"
LINE_FILTERS = (CLASSIFIER, *SENTENCE_ALIGNERS)
"""Methods of sentence alignment."""

SCENARIOS = ("clean", "delete", "combine", "randomize", "length-aligned", "different")
"""Kinds of noise in parallel text."""

UNITS = ("words", "characters")
"""Units of a sentence's length."""

WORDS = ("letters", "spaces", "characters", "unicode")
"""Ways to split a sentence into words.

``letters``: runs of letters and digits, other marks one by one, and single Chinese or Japanese
characters, in lower case; ``spaces``: at white space, unchanged; ``characters``: all except white
space; ``unicode``: as in ``WORD_SPLITTINGS``.
"""

WORD_SPLITTINGS = ("auto", "spaces", "unicode", "characters")
"""Ways to split the text of aligners and lexicons into words.

``auto``: as ``unicode`` if a side looks raw, or else ``spaces``; ``spaces``: at ASCII white space,
as text already split; ``unicode``: marks, elided articles, English and Arabic clitics apart, single
Chinese and Japanese characters, words of Thai, Lao, Khmer and Burmese by ICU's dictionaries (the
extra ``words``), in lower case; ``characters``: one by one, in lower case.
"""

POSITIONS = ("auto", "spaces", "words")
"""What links count: what stands between ``spaces``, or ``words`` as they were split.

``auto``: spaces, but words on a side that is written without spaces.
"""

ONE_SIDED = ("precision", "count", "ignore")
"""Where beads with an empty side count."""

AVERAGES = ("micro", "macro")
"""How figures of documents are averaged: from sums of their counts, or as the mean of each."""

TYPES_OR_TOKENS = ("types", "tokens")
"""Units of counting or averaging in lexicons."""

FIRST_ENTRIES = ("dictionary", "induced", "agreed")
"""Which entries of a word come first in merged lexicons."""

TESLA_METRICS = ("m", "b", "f")
"""Variants of TESLA."""

TESLA_FEATURES = ("paper", "wide", "other")
"""Features of TESLA: those of the paper, or those of the surface as well."""

SIMILARITIES = ("ms", "pos", "lem")
"""Similarities of n-grams in TESLA."""

EMPTY_ORDERS = ("zero", "skip")
"""F if a side has no n-grams of an order: 0, or left out."""


TIES = ("wrong", "half", "skip")
"""How a metric's ties count in the consistency."""

HUMAN = ("wmt12", "wmt09")
"""Human scores of a system."""

CASES = ("lower", "keep")
"""Whether words are compared in lower case or as written."""

SEVERAL_REFERENCES = ("mean", "max")
"""The score against several references: the mean or the highest."""

TOKENIZERS = ("none", "13a", "zh", "char", "intl", "ja-mecab", "ko-mecab")
"""How BLEU splits text into words."""

NORMALIZATIONS = ("none", "nfc")
"""Unicode normalization forms in which BLEU and chrF compare text."""

SMOOTHINGS = ("exp", "floor", "add-k", "none")
"""How BLEU treats orders without a match."""

RESAMPLES = 1_000
"""Resamples for intervals that are computed by default."""

TEST_RESAMPLES = 10_000
"""Resamples of a paired test; the smallest possible p-value is 1 / (this + 1)."""

PREVIOUS = "previous"
BEST = "best"
BASELINES = (PREVIOUS, BEST)
"""What the runs of a lake are compared with, other than a run or a system by name."""
LAKE_ENGINES = ("local", "spark")
"""Where jobs over lakes are processed."""

OUTCOMES = ("done", "skipped", "adopted", "failed", "pruned")
"""Outcomes of the units of a job over a lake."""

LAKE_JOBS = tuple(
    sorted(found.name for found in iter_modules([str(Path(__file__).parents[1] / "lake" / "jobs")]))
)
"""Jobs over lakes: the modules of their folder."""

LAKE_FORMATS = ("parquet", "delta", "iceberg")
"""Formats in which jobs over lakes write."""

CHECKS = ("stat", "content")
"""How changes in files of a lake are detected."""

TUNED = ("once", "each", "none")
"""Whether weights are tuned on one system, on each, or not at all."""

TRANSLATION_METRICS = ("tesla-m", "tesla-b", "tesla-f", "bleu", "chrf")
"""Metrics of translations, for which weights can be tuned."""

CHOSEN = "f_chosen"
"""The measure F with an α chosen for each system on the others."""

ANY = "any"
"""The annotation of rows in which both the annotation and α are chosen."""
