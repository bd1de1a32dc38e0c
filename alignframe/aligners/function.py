"""A model of this package as an aligner of files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from alignframe import formats
from alignframe.aligners.bidirectional import align
from alignframe.aligners.directions import ALONE
from alignframe.aligners.model import check_threshold
from alignframe.core.schemas import LINKS
from alignframe.options.aligners import MAX_LENGTH, options_of
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
