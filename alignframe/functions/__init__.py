"""The registry of row-wise functions: Arrow arrays in, an Arrow array out.

Each function is written once and listed here; ``engines/`` registers the whole list in DuckDB and
polars.
"""

from __future__ import annotations

import pyarrow as pa

from alignframe.functions.lexicon import llr
from alignframe.functions.links import (
    count_links,
    format_links,
    invert_links,
    parse_links,
    sorted_links,
    symmetrize,
)
from alignframe.functions.mt import BLEU_COUNTS, CHRF_COUNTS, bleu_counts, chrf_counts
from alignframe.functions.phrases import count_null_links, extract_phrases
from alignframe.functions.row import RowFunction, late
from alignframe.functions.spelling import lcsr, same_prefix
from alignframe.functions.tesla import (
    MATCH,
    TESLA_COUNTS,
    analyse_text,
    ngram_match,
    tesla_counts,
    tesla_m,
)
from alignframe.tables import (
    ANALYSED,
    BEAD_LIST,
    COUNTS_STRUCT,
    GOLD_LINKS,
    LINKS,
    PHRASE_LIST,
    TOKENS,
)

_PATHS = dict.fromkeys(("threshold", "skip", "merge", "two_two", "band"), pa.float64())
"""Options of all sentence aligners."""

FUNCTIONS: tuple[RowFunction, ...] = (
    RowFunction(
        "count_links",
        {"hyp": LINKS, "gold": GOLD_LINKS},
        COUNTS_STRUCT,
        count_links,
        "the additive counts of a sentence",
    ),
    RowFunction(
        "symmetrize",
        {"forward": LINKS, "reverse": LINKS, "method": pa.string()},
        LINKS,
        symmetrize,
        "the links of two directions joined into one alignment",
    ),
    RowFunction(
        "invert_links",
        {"links": LINKS},
        LINKS,
        invert_links,
        "links with source and target exchanged",
    ),
    RowFunction(
        "sorted_links",
        {"links": GOLD_LINKS},
        GOLD_LINKS,
        sorted_links,
        "links sorted, each once; of two labels Sure wins",
    ),
    RowFunction(
        "parse_links",
        {"text": pa.string()},
        GOLD_LINKS,
        parse_links,
        "links out of Pharaoh notation",
    ),
    RowFunction(
        "format_links",
        {"links": GOLD_LINKS},
        pa.string(),
        format_links,
        "links in Pharaoh notation",
    ),
    RowFunction(
        "extract_phrases",
        {
            "links": LINKS,
            "kind": pa.string(),
            "max_length": pa.int64(),
            "src_length": pa.int64(),
            "tgt_length": pa.int64(),
        },
        PHRASE_LIST,
        extract_phrases,
        "the phrase pairs that links allow",
        {"kind": "minimal", "max_length": None, "src_length": None, "tgt_length": None},
    ),
    RowFunction(
        "count_null_links",
        {"links": LINKS, "src_length": pa.int64(), "tgt_length": pa.int64()},
        pa.int64(),
        count_null_links,
        "the number of words without a link",
        {"src_length": None, "tgt_length": None},
    ),
    RowFunction(
        "llr",
        {
            "n_both": pa.int64(),
            "n_src": pa.int64(),
            "n_tgt": pa.int64(),
            "n": pa.int64(),
            "signed": pa.bool_(),
        },
        pa.float64(),
        llr,
        "the log-likelihood ratio of two words",
        {"signed": "false"},
    ),
    RowFunction(
        "lcsr",
        {"a": pa.string(), "b": pa.string(), "fold_accents": pa.bool_()},
        pa.float64(),
        lcsr,
        "the longest common subsequence of two words, as a share of the longer one",
        {"fold_accents": "false"},
    ),
    RowFunction(
        "same_prefix",
        {"a": pa.string(), "b": pa.string(), "letters": pa.int64(), "fold_accents": pa.bool_()},
        pa.bool_(),
        same_prefix,
        "whether two words begin with the same letters",
        {"letters": "4", "fold_accents": "false"},
    ),
    RowFunction(
        "align_sentences",
        {
            "src": pa.list_(pa.string()),
            "tgt": pa.list_(pa.string()),
            "method": pa.string(),
            **_PATHS,
            "unit": pa.string(),
            "words": pa.string(),
            "smoothing": pa.float64(),
            "largest": pa.int64(),
            "model": pa.string(),
            "doc": pa.string(),
        },
        BEAD_LIST,
        late("alignframe.beads.rows", "align_sentences"),
        "the beads of a document's sentences",
        {
            "method": "lex",
            **dict.fromkeys((*_PATHS, "unit", "words", "smoothing", "largest", "model", "doc")),
        },
    ),
    RowFunction(
        "align_lengths",
        {
            "src": pa.list_(pa.int64()),
            "tgt": pa.list_(pa.int64()),
            "method": pa.string(),
            **_PATHS,
            "doc": pa.string(),
        },
        BEAD_LIST,
        late("alignframe.beads.rows", "align_lengths"),
        "the beads of a document, by the lengths of its sentences alone",
        {"method": "len", **dict.fromkeys((*_PATHS, "doc"))},
    ),
    RowFunction(
        "align_words",
        {
            "src": pa.list_(pa.string()),
            "tgt": pa.list_(pa.string()),
            "model": pa.string(),
            "symmetrize": pa.string(),
            "threshold": pa.float64(),
        },
        LINKS,
        late("alignframe.aligners.rows", "align_words"),
        "the links of a sentence pair, by the saved model of a folder",
        dict.fromkeys(("symmetrize", "threshold")),
    ),
    RowFunction(
        "resampled_sums",
        {"counts": pa.list_(pa.float64()), "bootstrap": pa.int64(), "seed": pa.int64()},
        pa.list_(pa.float64()),
        late("alignframe.stats.rows", "resampled_sums"),
        "the sum of each resample of a list of counts",
        {"bootstrap": "1000", "seed": "1"},
    ),
    RowFunction(
        "resampling_unit",
        {"sid": pa.int64()},
        pa.int64(),
        late("alignframe.stats.rows", "resampling_unit"),
        "the random group of a sentence, for resampling large corpora",
    ),
    RowFunction(
        "analyse_text",
        {"text": pa.string(), "language": pa.string(), "tokens": pa.string()},
        ANALYSED,
        analyse_text,
        "the words of a sentence with tags, lemmas and content words",
        {"language": "en", "tokens": "penn"},
    ),
    RowFunction(
        "ngram_match",
        {
            "hyp": ANALYSED,
            "ref": ANALYSED,
            "n": pa.int64(),
            "similarity": pa.string(),
            "synonyms": pa.string(),
        },
        MATCH,
        ngram_match,
        "what matches of two bags of n-grams",
        {"n": "1", "similarity": "ms", "synonyms": "wordnet"},
    ),
    RowFunction(
        "tesla_counts",
        {"hyp": ANALYSED, "ref": ANALYSED, "synonyms": pa.string()},
        TESLA_COUNTS,
        tesla_counts,
        "the additive weights that TESLA-M is made of",
        {"synonyms": "wordnet"},
    ),
    RowFunction(
        "tesla_m",
        {"hyp": ANALYSED, "ref": ANALYSED, "synonyms": pa.string(), "recall_weight": pa.float64()},
        pa.float64(),
        tesla_m,
        "a translation's score by TESLA-M",
        {"synonyms": "wordnet", "recall_weight": "0.8"},
    ),
    RowFunction(
        "bleu_counts",
        {"hyp": TOKENS, "refs": pa.list_(TOKENS)},
        BLEU_COUNTS,
        bleu_counts,
        "the additive counts of BLEU",
    ),
    RowFunction(
        "chrf_counts",
        {
            "hyp": pa.string(),
            "refs": pa.list_(pa.string()),
            "word_order": pa.int64(),
            "beta": pa.float64(),
            "whitespace": pa.bool_(),
        },
        CHRF_COUNTS,
        chrf_counts,
        "the additive counts of chrF",
        {"word_order": "0", "beta": "2", "whitespace": "false"},
    ),
)
"""Every row-wise function, in the order of the documentation."""

__all__ = [
    "FUNCTIONS",
    "RowFunction",
    "analyse_text",
    "bleu_counts",
    "chrf_counts",
    "count_links",
    "count_null_links",
    "extract_phrases",
    "format_links",
    "invert_links",
    "lcsr",
    "llr",
    "ngram_match",
    "parse_links",
    "same_prefix",
    "sorted_links",
    "symmetrize",
    "tesla_counts",
    "tesla_m",
]
