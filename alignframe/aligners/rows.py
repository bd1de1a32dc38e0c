"""Word alignment as a row-wise function; a row is a sentence pair."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
import pyarrow as pa

from alignframe.aligners.bidirectional import align_with
from alignframe.aligners.directions import DIRECTIONS, directions_of, load_directions
from alignframe.aligners.model import Model
from alignframe.core.arrow import as_array
from alignframe.core.schemas import LINKS
from alignframe.core.symmetrization import DEFAULT
from alignframe.functions.row import same_length, spread
from alignframe.stores.store import file_mark

# The number of sentence pairs processed at a time, which does not affect links.
_AT_ONCE = 1 << 14


def align_words(
    src: pa.Array, tgt: pa.Array, model: object, symmetrize: object = None, threshold: object = None
) -> pa.Array:
    """Return links of sentence pairs by saved models, list<struct<i, j>>, null where a row is."""
    same_length(src, tgt)
    text = pa.table({"src": as_array(src), "tgt": as_array(tgt)})
    rows = text.num_rows
    kept = np.ones(rows, np.bool_)
    for column in text.columns:
        kept &= column.is_valid().to_numpy()
    # Rows by model and options, which are loaded and checked once each.
    at: dict[tuple[str, str | None, float | None], list[int]] = {}
    options = zip(
        *(spread(argument, rows) for argument in (model, symmetrize, threshold)), strict=False
    )
    for row, given in zip(range(rows), options, strict=False):
        if kept[row] and given[0] is not None:
            at.setdefault(given, []).append(row)
    parts = [pa.array([], LINKS)]
    for (folder, method, least), some in at.items():
        joined = DEFAULT if method is None else method
        for low in range(0, len(some), _AT_ONCE):
            aligned = align_with(
                saved_models(folder, joined),
                text.take(some[low : low + _AT_ONCE]),
                symmetrize=joined,
                threshold=least,
            )
            parts.append(aligned["links"].to_arrow().cast(LINKS))
    order = [row for some in at.values() for row in some]
    places = np.full(rows, -1)
    places[order] = np.arange(len(order))
    return pa.concat_arrays(parts).take(pa.array(places, mask=places < 0))


def saved_models(folder: str, method: str = DEFAULT) -> tuple[Model, ...]:
    """Return the models of a folder that a method needs, cached until they change."""
    home = Path(folder)
    stamps = [
        file_mark(path) if path.is_file() else None
        for path in (home / name / "model.json" for name in (*DIRECTIONS, "."))
    ]
    return _loaded(folder, directions_of(method), *stamps)


@lru_cache(maxsize=4)
def _loaded(folder: str, directions: tuple[str, ...], *_: object) -> tuple[Model, ...]:
    return load_directions(folder, directions)
