"""Pivot tables: phrases of the target language, and their translations into a pivot language.

Dahlmeier, Liu & Ng 2011, sections 3.1 and 3.2. A pivot table is a Parquet file with one row per
phrase pair.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np
import pyarrow as pa

from alignframe.core.arrays import F64, I32, I64, frozen
from alignframe.core.arrow import as_array, is_frame, to_table
from alignframe.core.output import write_table
from alignframe.core.schemas import ANALYSED, TOKENS
from alignframe.core.tokens import Numbering, list_lengths, words_of
from alignframe.errors import InputError, in_file
from alignframe.kernels.tesla.pivot_ngrams import LARGEST
from alignframe.kernels.tesla.segments import NO_PHRASE
from alignframe.kernels.text.trie import Nodes, Trie
from alignframe.language import remedies
from alignframe.language.analysed import Analysed, Vocabulary, from_arrow
from alignframe.stores.footers import open_parquet
from alignframe.typing import IntoFrame, Row

FORMAT = 1
"""The version of the file format."""

METADATA = b"alignframe.pivot_table"
"""The key of format, name, signature and options in the schema's metadata."""

PIVOT_TABLE = pa.schema(
    [
        pa.field("tgt_phrase", TOKENS, nullable=False),
        pa.field("pivot_phrase", ANALYSED, nullable=False),
        pa.field("n_both", pa.int64(), nullable=False),
        pa.field("n_tgt", pa.int64(), nullable=False),
        pa.field("probability", pa.float64(), nullable=False),
    ]
)
"""One row per pair of phrases: how often they translate each other (``n_both``), how often the
target phrase has any translation (``n_tgt``), and the probability of the pivot phrase given the
target's.
"""

# Rounding may raise a probability, or a sum of them, above 1 by this.
_SLACK = 1e-6
# N(w) of a single word that is not a phrase of the table.
_ABSENT = 0.5


@dataclass(frozen=True)
class PivotTable:
    """A pivot table in memory.

    Attributes
    ----------
    name
        The name of its features: the pivot language.
    signature
        The choices behind it, and a digest of its phrases.
    options
        The same choices as a mapping.
    lower
        Whether target words are compared in lower case.
    words
        The number of each target word.
    trie, phrase_of
        The trie of phrases, and the number of each node's phrase, or -1.
    counts
        N(p) of each phrase.
    offsets, probability
        Phrase p has the pivot phrases ``offsets[p] <= a < offsets[p + 1]``, with these
        probabilities.
    pivot
        The pivot phrases, as sentences.

    Examples
    --------
    >>> from alignframe import tesla
    >>> how, text = tesla.Analysis.of(tagger="none"), (["the boat"], ["le bateau"])
    >>> table = tesla.build_pivot_table(text, ["0-0 1-1"], min_count=1, analysis=how)
    >>> known = tesla.PivotTable.of(table)
    >>> known.name, list(known.words)
    ('pivot', ['the', 'boat'])
    """

    name: str
    signature: str
    options: Row
    lower: bool
    words: dict[str, int] = field(repr=False)
    trie: Nodes = field(repr=False)
    phrase_of: I32 = field(repr=False)
    counts: I64 = field(repr=False)
    offsets: I64 = field(repr=False)
    probability: F64 = field(repr=False)
    pivot: Analysed = field(repr=False)

    @property
    def phrases(self) -> int:
        """Number of target phrases."""
        return int(self.counts.size)

    @property
    def pairs(self) -> int:
        """Number of pairs of phrases."""
        return int(self.probability.size)

    def log_probability(self) -> tuple[F64, float]:
        """Return log Pr(p) of each phrase, and that of an unseen single word (eq. 1)."""
        total = np.log(float(self.counts.sum()))
        return frozen(np.log(self.counts) - total), float(np.log(_ABSENT) - total)

    def word_counts(self) -> I64:
        """Return N(w) of each word of ``words``, 0 if it is not a phrase by itself."""
        # Edges of the root have the number 0 in their upper half.
        top = np.flatnonzero(self.trie.edges < 1 << 32)[1:]  # nodes below the root
        phrase = self.phrase_of[top]
        counts = np.zeros(len(self.words), np.int64)
        words = self.trie.edges[top].astype(np.int64)
        counts[words] = np.where(phrase >= 0, self.counts[phrase], 0)
        return counts

    @staticmethod
    def of(given: IntoFrame) -> PivotTable:
        """Prepare a table of ``build_pivot_table`` for use.

        Raises
        ------
        InputError
            If it is not a pivot table, has another version, or has invalid rows.
        """
        table = to_table(given)
        about = _about(table.schema)
        if not table.num_rows:
            raise InputError("a pivot table without phrases")
        columns = {name: as_array(table[name]) for name in PIVOT_TABLE.names}
        _check_rows(columns)
        known = Numbering()
        words = frozen(known.number(words_of(columns["tgt_phrase"])))
        ends = np.cumsum(list_lengths(columns["tgt_phrase"]), dtype=np.int64)
        starts = np.concatenate(([0], ends[:-1]))
        trie = Trie(words.size // 2)
        nodes, order = _grouped(trie.add(words, frozen(starts), frozen(ends)))
        first = np.flatnonzero(np.diff(nodes, prepend=-1))
        phrase_of = np.full(trie.size, NO_PHRASE, np.int32)
        phrase_of[nodes[first]] = np.arange(first.size, dtype=np.int32)
        counts = columns["n_tgt"].to_numpy()[order]
        probability = columns["probability"].to_numpy()[order]
        sums = np.add.reduceat(probability, first)
        if (counts != np.repeat(counts[first], np.diff([*first, nodes.size]))).any():
            raise _damaged("a phrase with two counts n_tgt")
        if sums.max() > 1 + _SLACK:
            raise _damaged(f"probabilities of one phrase that sum to {sums.max():.4f}")
        pivot = from_arrow(columns["pivot_phrase"], Vocabulary())
        for kind in ("lemmas", "tags"):
            if len(getattr(pivot.vocabulary, kind).known) > LARGEST:
                raise InputError(f"more than {LARGEST:,} {kind} in the pivot table")
        return PivotTable(
            name=about["name"],
            signature=about["signature"],
            options=about["options"],
            lower=about["options"].get("case", "lower") == "lower",
            words={word: k for k, word in enumerate(known.known.to_pylist())},
            trie=trie.nodes(),
            phrase_of=frozen(phrase_of),
            counts=frozen(counts[first]),
            offsets=frozen(np.append(first, nodes.size)),
            probability=frozen(probability),
            pivot=_in_order(pivot, order),
        )


def write_pivot_table(table: IntoFrame, path: str | PathLike[str]) -> None:
    """Write a table made by ``build_pivot_table``.

    Raises
    ------
    InputError
        If it has no options in its metadata, such as a polars frame.

    Examples
    --------
    >>> from alignframe import tesla
    >>> how, text = tesla.Analysis.of(tagger="none"), (["the boat"], ["le bateau"])
    >>> table = tesla.build_pivot_table(text, ["0-0 1-1"], min_count=1, analysis=how)
    >>> tesla.write_pivot_table(table, "fr.parquet")
    """
    rows = to_table(table)
    _about(rows.schema)
    write_table(rows, path, "parquet")


def read_pivot_table(path: str | PathLike[str]) -> PivotTable:
    """Read a pivot table.

    Raises
    ------
    InputError
        If the file is missing, damaged, not a pivot table, or of another version.

    Examples
    --------
    >>> from alignframe import tesla
    >>> how, text = tesla.Analysis.of(tagger="none"), (["the boat"], ["le bateau"])
    >>> table = tesla.build_pivot_table(text, ["0-0 1-1"], min_count=1, analysis=how)
    >>> tesla.write_pivot_table(table, "fr.parquet")
    >>> tesla.read_pivot_table("fr.parquet").counts.tolist()
    [1, 1, 1]
    """
    with in_file(path):
        return PivotTable.of(_read(path, PIVOT_TABLE.names))


def name_of(path: str | PathLike[str]) -> str:
    """Return the name of the pivot table in a file; for errors see ``read_pivot_table``."""
    name: str = _about(_read(path, []).schema)["name"]
    return name


def _read(path: str | PathLike[str], columns: list[str]) -> pa.Table:
    """Read columns of a file that is a pivot table."""
    remedies.require_file(path, remedies.PIVOT_TABLE)
    with open_parquet(path, "a pivot table written by alignframe tesla pivot-table") as file:
        _about(file.schema_arrow)
        if not columns:
            return file.schema_arrow.empty_table()
        return file.read(columns=columns)


def as_pivot_table(given: Any) -> PivotTable:
    """Return a pivot table from one, from a result of ``build_pivot_table``, or from a path."""
    if isinstance(given, PivotTable):
        return given
    if isinstance(given, (str, PathLike)):
        return read_pivot_table(given)
    if is_frame(given):
        return PivotTable.of(given)
    raise InputError(
        f"a pivot table of type {type(given).__name__}",
        expected="what build_pivot_table or read_pivot_table returned, or a path",
    )


def with_metadata(
    table: pa.Table, name: str, signature: str, options: dict[str, object]
) -> pa.Table:
    """Return a table with its metadata."""
    about = {"format": FORMAT, "name": name, "signature": signature, "options": options}
    return table.replace_schema_metadata({METADATA: json.dumps(about)})


def about_pivot_table(table: IntoFrame) -> Row:
    """Return the name, signature and options in a table's metadata."""
    return _about(to_table(table).schema)


def _about(schema: pa.Schema) -> Row:
    """Return the metadata of a pivot table of this version."""
    expected = "what build_pivot_table returned, or a file written by alignframe tesla pivot-table"
    raw = (schema.metadata or {}).get(METADATA)
    if raw is None:
        names = ", ".join(schema.names[:8])
        raise InputError(f"no pivot table; its columns are {names}", expected=expected)
    try:
        about: dict[str, object] = json.loads(raw)
        version = about["format"]
        whole = version != FORMAT or {"name", "signature", "options"} <= set(about)
    except (ValueError, TypeError, KeyError):
        version, whole = None, False
    if not whole:
        raise InputError("the metadata of a pivot table is damaged", expected=expected)
    if version != FORMAT:
        raise InputError(
            f"a pivot table of the version {version}",
            expected=f"the version {FORMAT}",
            todo="make it again with alignframe tesla pivot-table",
        )
    for wanted in PIVOT_TABLE:
        have = schema.field(wanted.name).type if wanted.name in schema.names else None
        if have != wanted.type:
            raise InputError(
                f"the column {wanted.name} is {'missing' if have is None else f'of type {have}'}",
                expected=f"the type {wanted.type}",
            )
    return about


def _check_rows(columns: dict[str, pa.Array]) -> None:
    """Refuse impossible values."""
    for name, column in columns.items():
        inner = column.flatten() if pa.types.is_list(column.type) else column
        if column.null_count or inner.null_count:
            raise _damaged(f"a missing value in {name}")
        if pa.types.is_list(column.type) and list_lengths(column).min() < 1:
            raise _damaged(f"a phrase without words in {name}")
    probability = columns["probability"].to_numpy()
    if not ((probability > 0) & (probability <= 1 + _SLACK)).all():
        raise _damaged("a probability that is not above 0 and at most 1")
    if columns["n_tgt"].to_numpy().min() < 1:
        raise _damaged("a count n_tgt below 1")


def _damaged(what: str) -> InputError:
    return InputError(what, todo="make the pivot table again")


def _grouped(nodes: I32) -> tuple[I32, I64]:
    """Return the sorted nodes, and the rows in that order; the sort is stable."""
    order = np.argsort(nodes, kind="stable")
    return nodes[order], order


def _in_order(sentences: Analysed, order: I64) -> Analysed:
    """Return sentences with their tokens in row order, without gaps."""
    lengths = sentences.lengths()[order]
    ends = np.cumsum(lengths)
    tokens = np.repeat(sentences.starts[order] - (ends - lengths), lengths) + np.arange(ends[-1])
    return Analysed(
        frozen(ends - lengths),
        frozen(ends),
        frozen(sentences.words[tokens]),
        frozen(sentences.lemmas[tokens]),
        frozen(sentences.tags[tokens]),
        frozen(sentences.content[tokens].astype(np.bool_)),
        sentences.vocabulary,
    )
