"""``alignframe mt translate``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from alignframe.cli.command import Input, Shell, flag
from alignframe.cli.progress import ProgressExecutor
from alignframe.cli.show import print_note, print_summary
from alignframe.cli.sources import THREADS
from alignframe.errors import number_of

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, kw_only=True)
class Translating(Input):
    """Threads, with progress."""

    provides: ClassVar[tuple[str, ...]] = ("threads",)

    threads: int | None = flag(THREADS, None, panel="Output", low=1)

    def arguments(self, shell: Shell) -> dict[str, Any]:
        """Return the threads, which live as long as the command."""
        made = ProgressExecutor(self.threads or os.cpu_count() or 1, "Translating")
        return {"threads": shell.stack.enter_context(made)}


def write_texts(found: pl.DataFrame, words: Mapping[str, Any]) -> None:
    """Write translations as text."""
    from alignframe.formats.sentences import write_sentences

    write_sentences(found["text"].to_list(), words["output"])
    _tell(found, words)


def write_candidates(found: pl.DataFrame, words: Mapping[str, Any]) -> None:
    """Write the best translations of each sentence, with features."""
    from alignframe import mt

    mt.write_n_best(found, words["output"], words["n_best_format"])
    _tell(found.filter(found["rank"] == 1), words)


def _tell(best: pl.DataFrame, words: Mapping[str, Any]) -> None:
    summary: dict[str, Any] = {
        "output": words["output"],
        "sentences": best.height,
        "words": int(-best["word_penalty"].sum()),
        "unknown_words": int(best["unknown_words"].sum()),
    }
    if words["as_json"]:
        print_summary(summary, best["signature"][0] if best.height else None)
        return
    print_note(
        f"{number_of(summary['sentences'], 'sentence')} translated into "
        f"{number_of(summary['words'], 'word')} ({summary['unknown_words']:,} unknown, "
        f"left as they were); written to {words['output']}"
    )
