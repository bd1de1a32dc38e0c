"""Sentence alignment as a row-wise function; a row is a document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.beads.align import lattice, warn_of_doubt
from alignframe.beads.document import document
from alignframe.beads.lattice import by_lengths
from alignframe.beads.lengths import length_model
from alignframe.beads.picking import Beads, columns_of
from alignframe.beads.translations import Known, known
from alignframe.core.arrays import F64
from alignframe.core.arrow import as_array, is_text
from alignframe.core.schemas import BEAD_LIST
from alignframe.errors import InputError
from alignframe.formats.bead_table import DOCUMENT
from alignframe.functions.row import same_length, spread
from alignframe.options.beads import BY_LENGTHS, Options


def align_sentences(
    src: pa.Array,
    tgt: pa.Array,
    method: object = "lex",
    *,
    model: object = None,
    doc: object = None,
    **options: object,
) -> pa.Array:
    """Align the sentences of documents, list<string>; null lists have no beads."""
    # A column of models names folders, each read once.
    load = lru_cache(maxsize=None)(known)
    if model is not None and not isinstance(model, (pa.Array, pa.ChunkedArray)):
        model = known(model)

    def aligned(
        src_row: object, tgt_row: object, options: Options, name: str, given: object
    ) -> Beads:
        text = document(_filled(src_row), _filled(tgt_row), options.words, name)
        taught = given if given is None or isinstance(given, Known) else load(given)
        return lattice(text, options, taught).beads(options.threshold)

    return _of_rows(src, tgt, aligned, (doc, model), method=method, **options)


def align_lengths(
    src: pa.Array,
    tgt: pa.Array,
    method: object = "len",
    *,
    doc: object = None,
    **options: object,
) -> pa.Array:
    """Align documents by the lengths of their sentences, list<int64>; null or 0 is empty."""

    def aligned(src_row: object, tgt_row: object, options: Options, name: str, _: object) -> Beads:
        if options.method not in BY_LENGTHS:
            raise InputError(
                f"the method {options.method!r} with lengths alone",
                expected=" or ".join(BY_LENGTHS),
                todo="give align_sentences the sentences",
            )
        model = length_model(_lengths(src_row, name), _lengths(tgt_row, name), options)
        _, scored = by_lengths(model, name)
        return scored.beads(options.threshold)

    return _of_rows(src, tgt, aligned, (doc, None), method=method, **options)


def _lengths(column: pa.Array, name: str) -> F64:
    numbers = column.cast(pa.float64()).fill_null(0.0).to_numpy(zero_copy_only=False)
    if (numbers < 0).any() or (numbers % 1 != 0).any():
        raise InputError(
            f"{name}: a sentence of the length {numbers[(numbers < 0) | (numbers % 1 != 0)][0]:g}",
            expected="a number of words or characters, or null for a sentence without words",
        )
    lengths: F64 = np.where(numbers > 0, numbers, np.nan)
    return lengths


def _filled(sentences: pa.Array) -> pa.Array:
    """Return sentences with empty ones for null."""
    return pc.fill_null(sentences.cast(pa.string()), "") if is_text(sentences.type) else sentences


def _of_rows(
    src: pa.Array,
    tgt: pa.Array,
    aligned: Callable[[object, object, Options, str, object], Beads],
    others: Sequence[object],
    **options: object,
) -> pa.Array:
    """Return the beads of each row; ``others`` are the document name and the model."""
    columns = [as_array(side) for side in (src, tgt)]
    same_length(*columns)
    rows = len(columns[0])
    chosen = lru_cache(maxsize=None)(_options)
    given = [spread(value, rows) for value in options.values()]
    beads_of_rows: list[Beads | None] = []
    paths: list[tuple[str, str, Beads]] = []
    for src_row, tgt_row, name, model, *values in zip(
        *columns, *(spread(value, rows) for value in others), *given, strict=True
    ):
        if src_row.is_valid and tgt_row.is_valid:
            known_options = chosen(tuple(zip(options, values, strict=True)))
            label = name or DOCUMENT
            beads = aligned(src_row.values, tgt_row.values, known_options, label, model)
            if known_options.threshold is None:
                paths.append((known_options.method, label, beads))
            beads_of_rows.append(beads)
        else:
            beads_of_rows.append(None)
    warn_of_doubt(paths)
    return _as_lists(beads_of_rows)


def _options(given: tuple[tuple[str, Any], ...]) -> Options:
    return Options(**{name: value for name, value in given if value is not None})


def _as_lists(beads_of_rows: Sequence[Beads | None]) -> pa.Array:
    none = np.empty(0, np.int64)
    every = [Beads(none, none, none.reshape(0, 2), np.empty(0))]
    every += [beads for beads in beads_of_rows if beads is not None]
    src, tgt, spans, score = map(np.concatenate, zip(*every, strict=True))
    sizes = [0 if beads is None else beads.src.size for beads in beads_of_rows]
    beads = pa.StructArray.from_arrays(
        columns_of(Beads(src, tgt, spans, score)), fields=list(BEAD_LIST.value_type)
    )
    return pa.ListArray.from_arrays(
        pa.array(np.cumsum([0, *sizes]), pa.int32()),
        beads,
        type=BEAD_LIST,
        mask=pa.array([beads is None for beads in beads_of_rows], pa.bool_()),
    )
