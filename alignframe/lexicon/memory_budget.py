"""The memory left within a user's limit."""

from __future__ import annotations

import sys

from alignframe.core.memory import bytes_of, resident
from alignframe.errors import InputError
from alignframe.kernels.lexicon.candidates import best_candidates

# The minimum memory for grouping on disk, in bytes.
_LEAST = 350_000_000

# Total bytes per word of the text.
_BYTES, _BYTES_FILTERED = 24, 32

# Bytes per distinct word, and per row of the lexicon.
_BYTES_A_WORD, _BYTES_A_ROW = 150, 90

# Bytes for a piece of the text while it is read.
_PIECE = 150_000_000

# Bytes for DuckDB and the kernels once loaded.
_DUCKDB, _KERNELS = 60_000_000, 140_000_000


class Room:
    """The memory available to an induction under a limit for the whole process."""

    def __init__(self, memory_limit: str) -> None:
        has = resident()
        self._limit = memory_limit
        self.left = bytes_of(memory_limit) - has - _reserve()
        if self.left < _LEAST:
            raise InputError(
                f"`memory_limit` is {memory_limit}, {has // 10**6} MB of which are in use",
                expected=f"at least {(has + _reserve() + _LEAST) // 10**6 + 1}MB",
            )

    def holds(self, tokens: int, words: int, rows: int, *, filtered: bool) -> bool:
        """Whether a text, its distinct words and a lexicon of this size fit."""
        each = _BYTES_FILTERED if filtered else _BYTES
        return tokens * each + words * _BYTES_A_WORD + rows * _BYTES_A_ROW <= self.left

    @property
    def for_grouping(self) -> int:
        """Bytes for DuckDB if a text does not fit."""
        return self.left * 2 // 5

    @property
    def tokens_at_once(self) -> int:
        """Number of words per part of a text that does not fit."""
        return self.left // (8 * _BYTES_FILTERED)

    def check_words(self, words: int) -> None:
        """Raise an InputError if this many distinct words leave too little memory."""
        self._check(words * _BYTES_A_WORD, self.left * 2 // 5, f"the {words:,} words of the text")

    def check_rows(self, words: int, rows: int) -> None:
        """Raise an InputError if a lexicon of this many rows leaves too little memory."""
        taken = words * _BYTES_A_WORD + rows * _BYTES_A_ROW
        self._check(taken, self.left * 3 // 5, f"{words:,} words and a lexicon of {rows:,} rows")

    def _check(self, taken: int, room: int, what: str) -> None:
        if taken > room:
            least = bytes_of(self._limit) + (taken - room) * self.left // room
            raise InputError(
                f"`memory_limit` is {self._limit}, too low for {what}",
                expected=f"about {least // 10**6 + 1:,} MB",
                todo="raise it, keep fewer translations per word, or drop rare candidates",
            )


def _reserve() -> int:
    """Return the bytes that the process needs before counting."""
    compiled = bool(getattr(best_candidates, "signatures", ()))
    engine = 0 if "duckdb" in sys.modules else _DUCKDB
    return _PIECE + engine + (0 if compiled else _KERNELS)
