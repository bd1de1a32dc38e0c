"""Word translations for mre: Model 1 of the document itself, or a given model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.beads.document import Document, DocumentSide
from alignframe.core.arrays import F32, F64, I32, I64, frozen
from alignframe.core.arrow import as_array
from alignframe.errors import InputError
from alignframe.kernels.aligners.translation_tables import normalize
from alignframe.kernels.beads import scores as bead_scores
from alignframe.kernels.beads.line_words import Gains, Words
from alignframe.kernels.beads.paths import Band, Steps
from alignframe.kernels.cells import Pairing, pair_up
from alignframe.kernels.small import call
from alignframe.sources.source import is_path
from alignframe.sources.words import lexicon_table

if TYPE_CHECKING:
    from alignframe.aligners.model import Model

MAX_TYPES = 5_000
"""The maximum number of words of a side that Model 1 distinguishes; all others share a number."""

MIN_COUNT = 2
"""The minimum count of a word to be distinguished."""

ITERATIONS = 4


@dataclass(frozen=True)
class Translations:
    """Translation probabilities of the words of one document."""

    # The words of all sentences as numbers, -1 for unknown ones.
    src: I32
    tgt: I32
    table: Gains

    def add(
        self, document: Document, band: Band, steps: Steps, smoothing: float, rows: range
    ) -> None:
        """Add lexical scores to the beads of some source sentences."""
        sides = Words(document.src.at, self.src), Words(document.tgt.at, self.tgt)
        ends = (rows.start, rows.stop)
        src = self.src[slice(*document.src.at[[*ends]])]
        translations = np.diff(self.table.starts)[src[src >= 0]].sum()
        words = band.cells * self.tgt.size // document.tgt.at.size * len(rows) // band.lo.size
        call(
            bead_scores.add_words,
            band,
            steps.sizes,
            *sides,
            self.table,
            smoothing,
            *ends,
            steps.scores,
            # Four a microsecond, by one source sentence and by two.
            steps=int(translations + words + self.table.null.size * len(rows)) // 2,
        )


@dataclass(frozen=True)
class Pairs:
    """Sentence pairs of a document for training Model 1 (Moore 2002, section 3)."""

    rows: I64  # the source sentence of each pair, ascending
    words: list[I32]  # the number of each word on both sides
    starts: I64  # cells, as in ``alignframe.kernels.cells``
    targets: I32
    pairing: Pairing

    @classmethod
    def of(cls, document: Document, src: I64, tgt: I64) -> Pairs:
        """Return the pairs of sentences ``src`` (ascending) and ``tgt``."""
        sides = (document.src, document.tgt)
        words = [_frequent(side) for side in sides]
        n_src, n_tgt = (int(numbers.max(initial=-1)) + 1 for numbers in words)
        picked = [
            _pick(side.at, numbers, rows)
            for side, numbers, rows in zip(sides, words, (src, tgt), strict=True)
        ]
        starts, targets, pairing = pair_up(*picked[0], *picked[1], n_src, n_tgt)
        return cls(src, words, starts, targets, pairing)

    def learn(self, left_out: range = range(0)) -> Translations:
        """Train on all pairs except those of some source sentences."""
        low, high = np.searchsorted(self.rows, (left_out.start, left_out.stop))
        p = self.pairing
        table, counts = np.empty(p.n_cells, np.float32), np.ones(p.n_cells)
        cells = p.n_cells // 8  # microseconds
        call(normalize, self.starts, counts, 0.0, table, steps=cells)
        for _ in range(ITERATIONS):
            counts[:] = 0.0
            bead_scores.expect(p, 0, low, table, counts)
            bead_scores.expect(p, high, p.sentences, table, counts)
            call(normalize, self.starts, counts, 0.0, table, steps=cells)
        kept = np.flatnonzero(counts)
        rows = np.searchsorted(self.starts, kept, side="right") - 1
        # Words in no pair carry no information.
        rest = (np.bincount(rows, minlength=self.starts.size - 1) == 0).astype(np.float64)
        n_tgt = int(self.starts[1])
        return _translations(self.words, rows, self.targets[kept], table[kept], rest, n_tgt)


def _frequent(side: DocumentSide) -> I32:
    """Return the number of each frequent word; the others share one number."""
    counts = np.bincount(side.numbers, minlength=len(side.vocabulary))
    order = np.argsort(-counts, kind="stable")[:MAX_TYPES]
    kept = order[counts[order] >= MIN_COUNT]
    new = np.full(counts.size, kept.size, np.int32)
    new[kept] = np.arange(kept.size, dtype=np.int32)
    return frozen(new[side.numbers])


def _pick(at: I64, words: I32, rows: I64) -> tuple[I64, I32]:
    """Return the words of some sentences."""
    sizes = at[rows + 1] - at[rows]
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    places = np.arange(ends[-1]) + np.repeat(at[rows] - ends[:-1], sizes)
    return frozen(ends), frozen(words[places])


def _translations(
    words: list[I32], rows: I64, targets: I32, p: F32 | F64, rest: F64, n_tgt: int
) -> Translations:
    """Return a table of probabilities divided by the target word's frequency."""
    # Rows ascend; row 0 is for the empty word, row w + 1 for source word w.
    known = words[1][words[1] >= 0]
    frequency = np.bincount(known, minlength=n_tgt) / max(words[1].size, 1)
    gains = (p / frequency[targets]).astype(np.float32)
    first = int(np.searchsorted(rows, 1))
    null = np.full(n_tgt, rest[0], np.float32)
    null[targets[:first]] += gains[:first]
    counts = np.bincount(rows[first:] - 1, minlength=rest.size - 1)
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    table = (starts, targets[first:].astype(np.int32), gains[first:], rest[1:].astype(np.float32))
    src, tgt = map(frozen, words)
    return Translations(src, tgt, Gains(*map(frozen, (*table, null))))


@dataclass(frozen=True)
class Known:
    """Translations of a given model."""

    src: pa.Array  # source words, null for the empty word
    tgt: pa.Array  # target words
    p: F64  # of a target word given its source word

    def translations_of(self, document: Document) -> Translations:
        """Return the translations of a document's words."""
        words, sizes, codes = [], [], []
        for column, side in ((self.src, document.src), (self.tgt, document.tgt)):
            known = pc.is_in(side.vocabulary, value_set=pc.drop_null(column))
            own = known.to_numpy(zero_copy_only=False)
            new = np.where(own, np.cumsum(own) - 1, -1).astype(np.int32)
            words.append(frozen(new[side.numbers]))
            places = pc.index_in(column, value_set=side.vocabulary.filter(known), skip_nulls=True)
            codes.append(places.fill_null(-1).to_numpy())
            sizes.append(int(own.sum()))
        src, tgt = codes
        empty = self.src.is_null().to_numpy(zero_copy_only=False)
        kept = np.flatnonzero((tgt >= 0) & ((src >= 0) | empty))
        rows = np.where(empty, 0, src + 1)[kept].astype(np.int64)
        order = np.argsort(rows, kind="stable")
        kept = kept[order]
        rest = np.zeros(sizes[0] + 1)
        return _translations(words, rows[order], tgt[kept], self.p[kept], rest, sizes[1])


def known(model: object) -> Known:
    """Return the translations of a model, saved or not, or of a lexicon: src, tgt and perhaps p."""
    from alignframe.aligners import Model  # slow to import, and not needed by other methods

    if isinstance(model, Known):
        return model
    if is_path(model) and not Path(model).is_file():
        model = _loaded(Path(model))
    if isinstance(model, Model):
        if model.reverse:
            raise InputError("a model of target to source", expected="one of source to target")
        return _of_table(model.parameters.tables(model.turned)["translations"])
    return _of_table(lexicon_table(model, "the lexicon"))


def _loaded(path: Path) -> Model:
    from alignframe.aligners import load, load_directions

    if not path.exists():
        raise InputError("does not exist", path=path, expected="a folder of a model, or a lexicon")
    if (path / "model.json").exists():
        return load(path)
    return load_directions(path, ("forward",))[0]


def _of_table(table: pa.Table) -> Known:
    src, tgt = (as_array(table[name]).cast(pa.string()) for name in ("src", "tgt"))
    if "p" in table.schema.names:
        try:
            p = table["p"].cast(pa.float64()).to_numpy()
        except pa.ArrowException:
            raise InputError(
                f"a column p of type {table['p'].type}", expected="numbers from 0 to 1"
            ) from None
        if not ((p >= 0.0) & (p <= 1.0 + 1e-6)).all():
            raise InputError("a value p that is not a probability", expected="numbers from 0 to 1")
    else:
        # Without p, all translations of a word are equally probable.
        places = src.dictionary_encode("encode").indices.to_numpy()
        p = 1.0 / np.bincount(places, minlength=1)[places]
    return Known(src, tgt, p)
