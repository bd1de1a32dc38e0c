"""The Arrow schema of every table.

Positions are 0-based, spans half-open; ``sid`` (the sentence number) is int64 and 0-based. The
links of a sentence are sorted by (i, j), without duplicates.
"""

from __future__ import annotations

import pyarrow as pa


def _field(name: str, kind: pa.DataType) -> pa.Field:
    return pa.field(name, kind, nullable=False)


MAX_POSITION = 2**16 - 1
"""The largest position a link can hold."""

LINK = pa.struct([_field("i", pa.uint16()), _field("j", pa.uint16())])
GOLD_LINK = pa.struct([*LINK, _field("sure", pa.bool_())])

LINKS = pa.list_(_field("element", LINK))
"""A sentence's links: source position i, target position j."""

GOLD_LINKS = pa.list_(_field("element", GOLD_LINK))
"""A sentence's gold links; a Sure link is also Possible, so one label suffices."""

SIGNATURE = "alignframe.signature"
"""The key in Parquet metadata that records how a table was made."""

TOKENS = pa.list_(_field("element", pa.string()))
SYSTEM = pa.dictionary(pa.int32(), pa.string())

BITEXT = pa.schema([_field("sid", pa.int64()), _field("src", TOKENS), _field("tgt", TOKENS)])

ALIGNMENTS = pa.schema(
    [_field("system", SYSTEM), _field("sid", pa.int64()), _field("links", LINKS)]
)
GOLD = pa.schema([_field("sid", pa.int64()), _field("links", GOLD_LINKS)])

SPANS = ("src_start", "src_end", "tgt_start", "tgt_end")
"""The ends of a phrase pair: 0-based, half-open."""

PHRASE = pa.struct([_field(name, pa.int32()) for name in SPANS])
PHRASE_LIST = pa.list_(_field("element", PHRASE))

PHRASES = pa.schema([_field("system", SYSTEM), _field("sid", pa.int64()), *PHRASE])

COUNTS = ("n_hyp", "n_sure", "n_possible", "n_hyp_sure", "n_hyp_possible")
"""The additive counts of a sentence: |A|, |S|, |P|, |S∩A| and |P∩A|."""

COUNTS_STRUCT = pa.struct([_field(name, pa.int64()) for name in COUNTS])

REMOVED = pa.list_(
    _field("element", pa.struct([_field("src", pa.string()), _field("tgt", pa.string())]))
)

ENDS = pa.struct([pa.field(name, pa.float64()) for name in ("low", "high")])
"""The ends of an interval."""

_FIGURES = pa.list_(pa.float64())
PAIRED = pa.list_(
    pa.struct(
        [
            pa.field("observed", pa.float64()),
            pa.field("drawn", _FIGURES),
            pa.field("units", pa.int64()),
            pa.field("exchanged", _FIGURES),
        ]
    )
)
"""A family of tests of differences: the observed one, and those of resamples and of exchanges."""

TESTED = pa.list_(
    pa.struct(
        [
            pa.field(name, pa.float64())
            for name in ("difference_low", "difference_high", "p_value", "p_corrected")
        ]
    )
)
"""The intervals and p-values of such a family."""

CANDIDATES = pa.schema(
    [
        _field("src", pa.string()),
        _field("tgt", pa.string()),
        *(_field(name, pa.int64()) for name in ("n_both", "n_src", "n_tgt", "n_pairs")),
        _field("llr", pa.float64()),
    ]
)
"""Pairs of words, and the numbers of sentence pairs with both, with each, and in total."""

LEXICON = pa.schema(
    [
        _field("src", pa.string()),
        _field("tgt", pa.string()),
        _field("rank", pa.int32()),
        _field("llr", pa.float64()),
        *(_field(name, pa.int64()) for name in ("n_both", "n_src", "n_tgt")),
    ]
)
"""Translations of each source word; the best has rank 1.

A lexicon from another source needs only the first three columns.
"""

PHRASE_TABLE = pa.schema(
    [
        _field("src", TOKENS),
        _field("tgt", TOKENS),
        _field("links", LINKS),
        *(_field(name, pa.int64()) for name in ("n_both", "n_src", "n_tgt")),
        *(_field(name, pa.float64()) for name in ("lex_src", "lex_tgt")),
        *(
            _field(f"n_{way}_{side}", pa.int64())
            for side in ("previous", "next")
            for way in ("monotone", "swap")
        ),
    ]
)
"""Phrase pairs, one row each: counts of both, of either side, lexical weights, and orientations.

``links`` are those of the most frequent alignment of the pair; ``lex_src`` is the lexical weight of
the source phrase given the target phrase. ``n_monotone_previous`` counts how often the source
phrase directly follows that of the previous target phrase; orientations that are neither monotone
nor a swap are discontinuous.
"""

BEADS = pa.schema(
    [
        _field("doc", SYSTEM),
        *PHRASE,
        pa.field("score", pa.float64()),
    ]
)
"""Runs of sentences that are translations of each other, one per row.

``src_start`` to ``tgt_end`` count sentences of the document ``doc``. For an untranslated sentence,
the other side's span is empty. ``score`` is a probability, or null.
"""

BEAD_LIST = pa.list_(
    _field("element", pa.struct([*PHRASE, pa.field("score", pa.float64(), nullable=False)]))
)
"""The beads of one document."""


def with_options(table: pa.Table, **options: str | float | None) -> pa.Table:
    """Return a table with the options it was read with, in its schema metadata."""
    notes = {
        f"alignframe.{name}": value if isinstance(value, str) else f"{value:.15g}"
        for name, value in options.items()
        if value is not None
    }
    return table.replace_schema_metadata({**(table.schema.metadata or {}), **notes})


def option_of(schema: pa.Schema, name: str) -> str | None:
    """Return an option that a table was read with, if recorded."""
    noted = (schema.metadata or {}).get(f"alignframe.{name}".encode())
    return None if noted is None else noted.decode()


def notes_of(schema: pa.Schema) -> dict[bytes, bytes]:
    """Return a schema's metadata except what pandas stores for its index."""
    # Its index would be taken for that of another table.
    return {key: note for key, note in (schema.metadata or {}).items() if key != b"pandas"}


UNNAMED = "hypothesis"
"""The name of a system whose links have none."""

TOKEN = pa.struct(
    [
        *(_field(name, pa.string()) for name in ("word", "tag", "lemma")),
        _field("content", pa.bool_()),
    ]
)
"""An analysed word: its part-of-speech tag, its lemma, and whether it is a content word."""

ANALYSED = pa.list_(_field("element", TOKEN))
"""An analysed sentence."""

RANKINGS = pa.schema(
    [
        _field("ranking", pa.int64()),
        _field("sid", pa.int64()),
        pa.field("judge", pa.string()),
        _field("system", SYSTEM),
        _field("rank", pa.int32()),
    ]
)
"""Human rankings of translations: one row per translation ranked by a judge; 1 is best.

Only ranks of the same ``ranking`` can be compared; a judge may rank a sentence twice.
"""

NOTES = pa.list_(
    _field(
        "element",
        pa.struct([_field(name, pa.string()) for name in ("what", "place", "expected", "todo")]),
    )
)
"""What looks wrong about two tables."""
