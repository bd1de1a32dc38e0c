"""Caching the tags of sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from alignframe.core.arrays import I32
from alignframe.typing import Progress

_AT_ONCE = 200
# With more sentences, the cache is cleared, so that a stream can run for ever.
_MOST = 1 << 18


LISTENERS: list[Progress] = []
"""Called with the numbers of tagged and of all sentences."""


def tell(done: int, of: int) -> None:
    """Notify all listeners."""
    for listener in LISTENERS:
        listener(done, of)


class Sentences:
    """A cache of word types by sentence; keys are the bytes of word numbers."""

    def __init__(self) -> None:
        self._known: dict[bytes, I32] = {}

    def types_of(
        self,
        sentences: Sequence[bytes],
        tag: Callable[[Sequence[bytes]], list[I32]],
        progress: Progress = tell,
    ) -> list[I32]:
        """Return the types of each sentence, calling ``tag`` for new ones."""
        if len(self._known) > _MOST:
            self._known = {}
        known = self._known
        new = [sentence for sentence in dict.fromkeys(sentences) if sentence not in known]
        for at in range(0, len(new), _AT_ONCE):
            piece = new[at : at + _AT_ONCE]
            known.update(zip(piece, tag(piece), strict=True))
            progress(at + len(piece), len(new))
        return [known[sentence] for sentence in sentences]
