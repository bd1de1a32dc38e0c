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
    symmetrize,
)
from alignframe.functions.phrases import count_null_links, extract_phrases
from alignframe.functions.row import RowFunction
from alignframe.tables import COUNTS_STRUCT, GOLD_LINKS, LINKS, PHRASE_LIST

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
)
"""Every row-wise function, in the order of the documentation."""

__all__ = [
    "FUNCTIONS",
    "RowFunction",
    "count_links",
    "count_null_links",
    "extract_phrases",
    "format_links",
    "invert_links",
    "llr",
    "parse_links",
    "symmetrize",
]
