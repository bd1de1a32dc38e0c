"""``alignframe mt translate``."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from alignframe.cli.command import Arguments, Input, Shell, Words, flag
from alignframe.cli.progress import ProgressExecutor
from alignframe.cli.show import Data, Pieces, signature_of
from alignframe.cli.sources import THREADS
from alignframe.errors import number_of

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, kw_only=True)
class Translating(Input):
    """Threads, with progress."""

    provides: ClassVar[tuple[str, ...]] = ("threads",)

    threads: int | None = flag(THREADS, None, panel="Output", low=1)

    def arguments(self, shell: Shell) -> Arguments:
        """Return the threads, which live as long as the command."""
        made = ProgressExecutor(self.threads or os.cpu_count() or 1, "Translating")
        return {"threads": shell.stack.enter_context(made)}


def write_texts(found: pl.DataFrame, words: Words) -> Pieces:
    """Write translations as text."""
    from alignframe.formats.sentences import write_sentences

    write_sentences(found["text"].to_list(), words["output"])
    return _told(found, words)


def write_candidates(found: pl.DataFrame, words: Words) -> Pieces:
    """Write the best translations of each sentence, with features."""
    from alignframe import mt

    mt.write_n_best(found, words["output"], words["n_best_format"])
    return _told(found.filter(found["rank"] == 1), words)


def _told(best: pl.DataFrame, words: Words) -> Pieces:
    summary: dict[str, Any] = {
        "output": words["output"],
        "sentences": best.height,
        "words": int(-best["word_penalty"].sum()),
        "unknown_words": int(best["unknown_words"].sum()),
    }
    yield Data(signature_of(best), summary=[summary])
    yield (
        f"{number_of(summary['sentences'], 'sentence')} translated into "
        f"{number_of(summary['words'], 'word')} ({summary['unknown_words']:,} unknown, "
        f"left as they were); written to {words['output']}"
    )
