"""Row-wise functions: Arrow arrays in, an Arrow array out.

Each function is written once and listed in ``FUNCTIONS``; ``engines/`` registers the whole list in
DuckDB and polars.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from alignframe.core.lazy import lazily

if TYPE_CHECKING:
    from alignframe.functions.lexicon import llr
    from alignframe.functions.links import (
        count_links,
        format_links,
        invert_links,
        link_figures,
        parse_links,
        sorted_links,
        symmetrize,
    )
    from alignframe.functions.mt import bleu_counts, chrf_counts
    from alignframe.functions.phrases import add_null_links, count_null_links, extract_phrases
    from alignframe.functions.registry import FUNCTIONS
    from alignframe.functions.row import RowFunction
    from alignframe.functions.spelling import lcsr, same_prefix
    from alignframe.functions.splittings import retokenize
    from alignframe.functions.tesla import analyse_text, ngram_match, tesla_counts, tesla_m

__all__ = [
    "FUNCTIONS",
    "RowFunction",
    "add_null_links",
    "analyse_text",
    "bleu_counts",
    "chrf_counts",
    "count_links",
    "count_null_links",
    "extract_phrases",
    "format_links",
    "invert_links",
    "lcsr",
    "link_figures",
    "llr",
    "ngram_match",
    "parse_links",
    "retokenize",
    "same_prefix",
    "sorted_links",
    "symmetrize",
    "tesla_counts",
    "tesla_m",
]

# Statistics use helpers of this package, which should not import the kernels of all functions.
__getattr__, __dir__ = lazily(
    __name__,
    dict.fromkeys(
        (
            *("count_links", "format_links", "invert_links", "link_figures"),
            *("parse_links", "sorted_links", "symmetrize"),
        ),
        "functions.links",
    )
    | dict.fromkeys(("bleu_counts", "chrf_counts"), "functions.mt")
    | dict.fromkeys(("add_null_links", "count_null_links", "extract_phrases"), "functions.phrases")
    | dict.fromkeys(("lcsr", "same_prefix"), "functions.spelling")
    | dict.fromkeys(("analyse_text", "ngram_match", "tesla_counts", "tesla_m"), "functions.tesla")
    | {
        "FUNCTIONS": "functions.registry",
        "RowFunction": "functions.row",
        "llr": "functions.lexicon",
        "retokenize": "functions.splittings",
    },
)
