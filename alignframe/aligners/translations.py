"""Translation tables: looking up a text's word pairs, saving and loading."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.aligners.training_pairs import Paired
from alignframe.core.arrays import I32, I64, Floats, frozen
from alignframe.core.schemas import SYSTEM
from alignframe.errors import InputError
from alignframe.kernels.aligners.translation_tables import look_up

Vocabularies = tuple[pa.Array, pa.Array]

_WORDS = (pa.types.is_string, pa.types.is_large_string, pa.types.is_null)

FLOOR = 1e-7
"""The minimum probability of a translation, also for pairs missing from a table (as in GIZA++)."""


@dataclass(frozen=True)
class Translations:
    """p(target word | source word) in cells, as in ``alignframe.kernels.cells``."""

    # Row 0 is for NULL, row w + 1 for source word w of the model's vocabulary; row r has the cells
    # `starts[r] <= c < starts[r + 1]`, with target words and values.
    starts: I64
    targets: I32
    values: Floats

    def values_of(self, paired: Paired) -> Floats:
        """Return the value, at least ``FLOOR``, of each cell of a text of the same vocabularies."""
        if paired.starts is self.starts and paired.targets is self.targets:
            least: Floats = np.maximum(self.values, self.values.dtype.type(FLOOR))
            return least
        rows = np.arange(self.starts.size - 1, dtype=np.int32)
        columns = np.arange(paired.text.tgt.n_words, dtype=np.int32)
        return self.mapped(paired, rows, columns, FLOOR)

    def mapped(self, paired: Paired, rows: I32, columns: I32, floor: float) -> Floats:
        """Return the value of each cell of any text."""
        # The text's row r is `rows[r]` of this table, its target word t is `columns[t]`; unknown
        # ones are -1 and have the value `floor`.
        mine = frozen(self.starts), frozen(self.targets), frozen(self.values)
        values: Floats = look_up(
            *mine, paired.starts, paired.targets, frozen(rows), frozen(columns), floor
        )
        return values

    def table(self, vocabularies: Vocabularies) -> pa.Table:
        """Return the columns src (null for NULL), tgt and p, where p is above ``FLOOR``."""
        rows = np.repeat(np.arange(-1, self.starts.size - 2), np.diff(self.starts))
        # What is left out has that value again when the table is read back.
        kept = (self.values > self.values.dtype.type(FLOOR)) & (self.targets < len(vocabularies[1]))
        rows = rows[kept].astype(np.int32)
        src = pa.array(rows, mask=rows < 0)
        columns = {
            "src": pa.DictionaryArray.from_arrays(src, vocabularies[0]).cast(SYSTEM),
            "tgt": pa.DictionaryArray.from_arrays(self.targets[kept], vocabularies[1]).cast(SYSTEM),
            "p": pa.array(self.values[kept]),
        }
        return pa.table(columns)

    @classmethod
    def from_table(cls, table: pa.Table, vocabularies: Vocabularies) -> Translations:
        """Restore from what ``table`` returned; rows with unknown words are left out."""
        numbers = [word_numbers(table, k, vocabularies[k]) for k in (0, 1)]
        p = table.column("p") if "p" in table.schema.names else pa.chunked_array([], pa.null())
        if not pa.types.is_floating(p.type) or p.null_count:
            raise InputError("a table of translations without numbers p", expected="src, tgt, p")
        values = p.to_numpy()
        if not (np.isfinite(values) & (values >= 0.0)).all():
            raise InputError("a table of translations with a value p below 0, or not finite")
        src, tgt = numbers
        kept = (src > -2) & (tgt >= 0)
        return cls.from_cells(src[kept] + 1, tgt[kept], values[kept], len(vocabularies[0]))

    @classmethod
    def from_cells(cls, rows: I32, targets: I32, values: Floats, n_src: int) -> Translations:
        """Return a table from cells in any order."""
        order = np.argsort(rows, kind="stable")
        sizes = np.bincount(rows, minlength=n_src + 2)
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        return cls(frozen(starts), frozen(targets[order]), frozen(values[order]))


def word_numbers(table: pa.Table, side: int, vocabulary: pa.Array) -> I32:
    """Return the number of each word of the column src or tgt; -1 for null, -2 if unknown."""
    name = ("src", "tgt")[side]
    if name not in table.schema.names:
        raise InputError(
            f"a table with the columns {', '.join(table.schema.names)}", expected=f"a column {name}"
        )
    column = table.column(name).combine_chunks()
    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], pa.string())
    encoded = pa.types.is_dictionary(column.type)
    kind = column.type.value_type if encoded else column.type
    if not any(is_kind(kind) for is_kind in _WORDS):
        raise InputError(f"a column {name} of type {kind}", expected="words")
    if not encoded:
        column = column.cast(pa.string()).dictionary_encode()
    known = pc.index_in(column.dictionary.cast(pa.string()), value_set=vocabulary).fill_null(-2)
    codes = column.indices.fill_null(len(known)).to_numpy()
    numbers: I32 = np.append(known.to_numpy(), np.int32(-1))[codes]
    return numbers
