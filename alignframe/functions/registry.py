"""The registry of row-wise functions: each is listed here, and registered in every engine."""

from __future__ import annotations

from dataclasses import fields

import pyarrow as pa

from alignframe.core.figures import MEASURED, aer, f_alpha, precision, recall
from alignframe.core.schemas import (
    ANALYSED,
    BEAD_LIST,
    COUNTS_STRUCT,
    ENDS,
    GOLD_LINKS,
    LINKS,
    NOTES,
    PAIRED,
    PHRASE_LIST,
    REMOVED,
    TESTED,
    TOKENS,
)
from alignframe.core.tokens import SIDES
from alignframe.functions.lexicon import llr
from alignframe.functions.links import (
    FIGURES,
    count_links,
    format_links,
    invert_links,
    link_figures,
    parse_links,
    sorted_links,
    symmetrize,
)
from alignframe.functions.mt import BLEU_COUNTS, CHRF_COUNTS, bleu_counts, chrf_counts
from alignframe.functions.phrases import add_null_links, count_null_links, extract_phrases
from alignframe.functions.row import RowFunction, declared, late, of_counts
from alignframe.functions.spelling import lcsr, same_prefix
from alignframe.functions.splittings import retokenize
from alignframe.functions.tesla import (
    MATCH,
    TESLA_COUNTS,
    analyse_text,
    ngram_match,
    tesla_counts,
    tesla_m,
)
from alignframe.options import limits_of
from alignframe.options.beads import BY_LENGTHS, Options, taken_by

_TEXT, _INTEGER, _FLAG, _NUMBER = pa.string(), pa.int64(), pa.bool_(), pa.float64()
_KINDS = {"str": _TEXT, "int": _INTEGER, "float": _NUMBER, "bool": _FLAG}


def _options(*methods: str) -> dict[str, pa.DataType]:
    """Return the options of sentence aligners."""
    kinds = {
        option.name: _KINDS[limits_of(str(option.type)).kind.partition(" ")[0]]
        for option in fields(Options)
    }
    return {name: kinds[name] for name in taken_by(*methods) if name != "method"}


_BEADS = {**_options(), "model": _TEXT, "doc": _TEXT}
_PATHS = {name: kind for name, kind in _options(*BY_LENGTHS).items() if kind != _TEXT}
_PATHS |= {"doc": _TEXT}

FUNCTIONS: tuple[RowFunction, ...] = (
    declared(
        count_links,
        COUNTS_STRUCT,
        "the additive counts of a sentence",
        hyp=LINKS,
        gold=GOLD_LINKS,
    ),
    of_counts(
        "alignment_precision",
        precision,
        "n_hyp",
        "n_hyp_possible",
        summary="precision, |P and A| / |A| (Fraser & Marcu 2007, eq. 1); null where A is empty",
    ),
    of_counts(
        "alignment_recall",
        recall,
        "n_sure",
        "n_hyp_sure",
        summary="recall, |S and A| / |S| (eq. 2); null where S is empty",
    ),
    of_counts(
        "aer", aer, *MEASURED, summary="AER, 1 - (|P and A| + |S and A|) / (|S| + |A|) (eq. 3)"
    ),
    of_counts(
        "f_alpha",
        f_alpha,
        "alpha",
        *MEASURED,
        summary="F = 1 / (alpha / precision + (1 - alpha) / recall) (eq. 4)",
    ),
    declared(
        link_figures,
        FIGURES,
        "every figure of links, from counts or their sums",
        **dict.fromkeys(("alpha", *MEASURED), _NUMBER),
    ),
    declared(
        symmetrize,
        LINKS,
        "the links of two directions joined into one alignment",
        options=["method"],
        forward=LINKS,
        reverse=LINKS,
        method=_TEXT,
    ),
    declared(
        invert_links,
        GOLD_LINKS,
        "links with source and target exchanged",
        links=GOLD_LINKS,
    ),
    declared(
        sorted_links,
        GOLD_LINKS,
        "links sorted, each once; of two labels Sure wins",
        links=GOLD_LINKS,
    ),
    declared(
        retokenize,
        GOLD_LINKS,
        "links carried from one splitting of the text to another",
        links=GOLD_LINKS,
        **dict.fromkeys((*SIDES, "new_src", "new_tgt"), TOKENS),
    ),
    declared(parse_links, GOLD_LINKS, "links out of Pharaoh notation", text=_TEXT),
    declared(format_links, _TEXT, "links in Pharaoh notation", links=GOLD_LINKS),
    declared(
        extract_phrases,
        PHRASE_LIST,
        "the phrase pairs that links allow",
        links=LINKS,
        kind=_TEXT,
        max_length=_INTEGER,
        src_length=_INTEGER,
        tgt_length=_INTEGER,
    ),
    declared(
        add_null_links,
        GOLD_LINKS,
        "links, and a null link of every word without one",
        links=GOLD_LINKS,
        src_length=_INTEGER,
        tgt_length=_INTEGER,
    ),
    declared(
        count_null_links,
        _INTEGER,
        "the number of words without a link",
        links=LINKS,
        src_length=_INTEGER,
        tgt_length=_INTEGER,
    ),
    declared(
        llr,
        _NUMBER,
        "the log-likelihood ratio of two words",
        **dict.fromkeys(("n_both", "n_src", "n_tgt", "n"), _INTEGER),
        signed=_FLAG,
    ),
    declared(
        lcsr,
        _NUMBER,
        "the longest common subsequence of two words, as a share of the longer one",
        a=_TEXT,
        b=_TEXT,
        fold_accents=_FLAG,
    ),
    declared(
        same_prefix,
        _FLAG,
        "whether two words begin with the same letters",
        a=_TEXT,
        b=_TEXT,
        letters=_INTEGER,
        fold_accents=_FLAG,
    ),
    declared(
        late("alignframe.lexicon.filters", "removed_candidates", src_tags=None, tgt_tags=None),
        REMOVED,
        "the candidates that a cascade of filters removes from a sentence pair",
        options=["filters"],
        src=TOKENS,
        tgt=TOKENS,
        filters=_TEXT,
        src_tags=TOKENS,
        tgt_tags=TOKENS,
    ),
    declared(
        late("alignframe.beads.rows", "align_sentences", method="lex", **dict.fromkeys(_BEADS)),
        BEAD_LIST,
        "the beads of a document's sentences",
        src=pa.list_(_TEXT),
        tgt=pa.list_(_TEXT),
        method=_TEXT,
        **_BEADS,
    ),
    declared(
        late("alignframe.beads.rows", "align_lengths", method="len", **dict.fromkeys(_PATHS)),
        BEAD_LIST,
        "the beads of a document, by the lengths of its sentences alone",
        src=pa.list_(_INTEGER),
        tgt=pa.list_(_INTEGER),
        method=_TEXT,
        **_PATHS,
    ),
    declared(
        late("alignframe.aligners.function", "align_words", symmetrize=None, threshold=None),
        LINKS,
        "the links of a sentence pair, by the saved model of a folder",
        options=["model"],
        src=pa.list_(_TEXT),
        tgt=pa.list_(_TEXT),
        model=_TEXT,
        symmetrize=_TEXT,
        threshold=_NUMBER,
    ),
    declared(
        late("alignframe.stats.bootstrap", "resampled_sums", bootstrap=1000, seed=1),
        pa.list_(_NUMBER),
        "the sum of each resample of a list of counts",
        counts=pa.list_(_NUMBER),
        bootstrap=_INTEGER,
        seed=_INTEGER,
    ),
    declared(
        late("alignframe.stats.bootstrap", "interval_ends", confidence=0.95),
        ENDS,
        "the interval of a list of resampled figures",
        figures=pa.list_(_NUMBER),
        observed=_NUMBER,
        units=_INTEGER,
        confidence=_NUMBER,
    ),
    declared(
        late("alignframe.stats.paired", "exchanged_sums", bootstrap=1000, seed=1),
        pa.list_(_NUMBER),
        "sums of two lists of counts with the labels of random units exchanged",
        counts=pa.list_(_NUMBER),
        others=pa.list_(_NUMBER),
        bootstrap=_INTEGER,
        seed=_INTEGER,
    ),
    declared(
        late("alignframe.stats.paired", "paired_tests", confidence=0.95),
        TESTED,
        "the intervals and p-values of a family of paired tests",
        tests=PAIRED,
        confidence=_NUMBER,
    ),
    declared(
        late("alignframe.notes", "table_notes"),
        NOTES,
        "what looks wrong about two tables, given as JSON of their rows",
        hyp=_TEXT,
        gold=_TEXT,
        names=pa.list_(_TEXT),
        key=pa.list_(_TEXT),
    ),
    declared(
        late("alignframe.stats.bootstrap", "resampling_unit"),
        _INTEGER,
        "the random group of a sentence, for resampling large corpora",
        sid=_INTEGER,
    ),
    declared(
        analyse_text,
        ANALYSED,
        "the words of a sentence with tags, lemmas and content words",
        text=_TEXT,
        language=_TEXT,
        tokens=_TEXT,
    ),
    declared(
        ngram_match,
        MATCH,
        "what matches of two bags of n-grams",
        hyp=ANALYSED,
        ref=ANALYSED,
        n=_INTEGER,
        similarity=_TEXT,
        synonyms=_TEXT,
    ),
    declared(
        tesla_counts,
        TESLA_COUNTS,
        "the additive weights that TESLA-M is made of",
        hyp=ANALYSED,
        ref=ANALYSED,
        synonyms=_TEXT,
    ),
    declared(
        tesla_m,
        _NUMBER,
        "a translation's score by TESLA-M",
        hyp=ANALYSED,
        ref=ANALYSED,
        synonyms=_TEXT,
        recall_weight=_NUMBER,
    ),
    declared(
        bleu_counts,
        BLEU_COUNTS,
        "the additive counts of BLEU",
        hyp=TOKENS,
        refs=pa.list_(TOKENS),
    ),
    declared(
        chrf_counts,
        CHRF_COUNTS,
        "the additive counts of chrF",
        hyp=_TEXT,
        refs=pa.list_(_TEXT),
        word_order=_INTEGER,
        beta=_NUMBER,
        whitespace=_FLAG,
    ),
)
"""Every row-wise function, in the order of the documentation."""
