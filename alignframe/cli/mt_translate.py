"""``alignframe mt translate``."""

from __future__ import annotations

import os
from typing import Any

from alignframe.cli.progress import ProgressExecutor
from alignframe.cli.show import print_note, print_summary
from alignframe.errors import number_of


def translate(
    *,
    source: str,
    table: str,
    lm: str,
    weights: str | None,
    pop: int,
    distortion: int,
    options: int,
    n_best: int,
    n_best_format: str,
    threads: int | None,
    encoding: str,
    output: str,
    as_json: bool,
) -> None:
    """Translate sentences with a phrase table and a language model."""
    from alignframe import mt
    from alignframe.formats.bitext import token_column
    from alignframe.formats.sentences import write_sentences

    with ProgressExecutor(threads or os.cpu_count() or 1, "Translating") as executor:
        found = mt.translate(
            token_column(source, encoding),
            table,
            lm,
            weights,
            pop=pop,
            distortion=distortion,
            options=options,
            n_best=max(n_best, 1),
            executor=executor,
        )
    if n_best:
        mt.write_n_best(found, output, n_best_format)
    else:
        write_sentences(found["text"].to_list(), output)
    best = found.filter(found["rank"] == 1)
    summary: dict[str, Any] = {
        "output": output,
        "sentences": best.height,
        "words": int(-best["word_penalty"].sum()),
        "unknown_words": int(best["unknown_words"].sum()),
    }
    if as_json:
        print_summary(summary, best["signature"][0] if best.height else None)
        return
    print_note(
        f"{number_of(summary['sentences'], 'sentence')} translated into "
        f"{number_of(summary['words'], 'word')} ({summary['unknown_words']:,} unknown, "
        f"left as they were); written to {output}"
    )
