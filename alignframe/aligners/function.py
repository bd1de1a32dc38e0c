"""A model of this package as an aligner of files, and as a row-wise function."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from alignframe import formats
from alignframe.aligners.bidirectional import align, align_with
from alignframe.aligners.directions import ALONE, DIRECTIONS, directions_of, load_directions
from alignframe.aligners.model import Model, check_threshold
from alignframe.core.arrow import as_array
from alignframe.core.schemas import LINKS
from alignframe.core.symmetrization import DEFAULT
from alignframe.functions.row import same_length, spread
from alignframe.options.aligners import MAX_LENGTH, options_of
from alignframe.stores.store import file_mark
from alignframe.typing import Row


def aligner(
    model: str = "bayes",
    *,
    seed: int = 1,
    max_length: int = MAX_LENGTH,
    threshold: float | None = None,
    **options: Any,
) -> FileAligner:
    """Return a model as an aligner for ``alignframe.links.QualityStudy``.

    Parameters
    ----------
    model, seed, max_length, **options
        See ``alignframe.aligners.fit``.
    threshold
        See ``alignframe.aligners.Model.align``.

    Returns
    -------
    FileAligner
        Takes the paths of source text, target text and output. It can be pickled. Its name, which a
        study records, includes everything that its links depend on.

    Raises
    ------
    InputError
        If a model or an option is unknown, or the threshold is not a probability.

    Examples
    --------
    >>> aligner("hmm", iterations=3)
    alignframe.aligners.aligner('hmm', seed=1, max_length=200, iterations=3)
    """
    options_of(model, options)
    threshold = check_threshold(threshold)
    more = {} if threshold is None else {"threshold": threshold}
    return FileAligner(model, {"seed": seed, "max_length": max_length, **more, **options})


class FileAligner:
    """Aligns two line-parallel texts in one direction; ``options`` are those of ``align``."""

    def __init__(self, model: str, options: Row) -> None:
        self.model = model
        self.options = options
        self._stopped = False
        # A study names its aligner by these attributes, like those of a function.
        self.__module__ = "alignframe.aligners"
        given = [repr(model), *(f"{name}={value!r}" for name, value in options.items())]
        self.__qualname__ = f"aligner({', '.join(given)})"

    def __repr__(self) -> str:
        return f"{self.__module__}.{self.__qualname__}"

    def __call__(self, src: str, tgt: str, out: str) -> None:
        """Train on the texts of two paths in one direction; write links ``0-0 1-2`` to ``out``."""
        aligned = align(
            src, tgt, model=self.model, symmetrize=ALONE, progress=self._go_on, **self.options
        ).to_arrow()
        links = aligned.column_names.index("links")
        table = aligned.set_column(links, "links", aligned.column("links").cast(LINKS))
        formats.write(table.to_batches(), Path(out), "pharaoh")

    def stop(self) -> None:
        """End calls running in other threads after their current iteration, and all later calls."""
        self._stopped = True

    def _go_on(self, stage: str, iteration: int, _: float) -> None:
        if self._stopped:
            # The only way to end a training that runs in another thread.
            raise InterruptedError(f"stopped after iteration {iteration} of {stage}")


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
