"""BLEU and chrF: corpus scores, sentence scores and the bootstrap, compared with sacrebleu."""

from __future__ import annotations

import logging
import sys
import tempfile
from pathlib import Path
from typing import Any

from alignframe import mt
from alignframe.formats.sentences import read_sentences
from benchmarks.tesla import text
from benchmarks.timing import in_turn, show

_RESAMPLES = 1_000
_FEW = 1_000
"""Number of sentences that sacrebleu scores one by one."""


def _calls(systems: dict[str, list[str]], ref: list[str]) -> dict[str, tuple[Any, Any]]:
    """Return the calls of alignframe and of sacrebleu."""
    from sacrebleu.metrics import BLEU, CHRF

    every = list(systems.values())
    few = {name: hyp[:_FEW] for name, hyp in systems.items()}
    found: dict[str, tuple[Any, Any]] = {}
    for tokenize in ("none", "13a", "zh", "char"):
        # Created anew each time, or sacrebleu would use its cache.
        found[f"corpus BLEU, {tokenize}"] = (
            lambda tokenize=tokenize: (
                mt.score(systems, ref, metrics=["bleu"], tokenize=tokenize).scores
            ),
            lambda tokenize=tokenize: [
                metric.corpus_score(hyp, None)
                for metric in [BLEU(tokenize=tokenize, references=[ref], force=True)]
                for hyp in every
            ],
        )
    for label, words in (("chrF", 0), ("chrF++", 2)):
        found[f"corpus {label}"] = (
            lambda words=words: mt.score(systems, ref, metrics=["chrf"], word_order=words).scores,
            lambda words=words: [
                metric.corpus_score(hyp, None)
                for metric in [CHRF(word_order=words, references=[ref])]
                for hyp in every
            ],
        )
    found[f"BLEU and chrF of {_FEW:,} sentences"] = (
        lambda: mt.score(few, ref[:_FEW]).segments,
        lambda: [
            metric.sentence_score(one, [other])
            for metric in (BLEU(effective_order=True), CHRF())
            for hyp in few.values()
            for one, other in zip(hyp, ref, strict=False)
        ],
    )
    found[f"chrF with {_RESAMPLES:,} resamples"] = (
        lambda: mt.score(systems, ref, metrics=["chrf"], bootstrap=_RESAMPLES).scores,
        lambda: [
            metric.corpus_score(hyp, None, n_bootstrap=_RESAMPLES)
            for metric in [CHRF(references=[ref])]
            for hyp in every
        ],
    )
    return found


def main(*, small: bool = False, large: bool = False) -> None:
    """Run all benchmarks: with one system if ``small``, 15 if ``large``, otherwise three."""
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as draft:
        name, files, path = text(Path(draft), 1 if small else 15 if large else 3)
        systems = {key: read_sentences(one).to_pylist() for key, one in files.items()}
        ref = read_sentences(path).to_pylist()
    try:
        calls = _calls(systems, ref)
    except ImportError:
        print("sacrebleu is not installed: pip install '.[bench]'")
        return
    rows = []
    for label, (ours, theirs) in calls.items():
        times = in_turn({"alignframe": ours, "sacrebleu": theirs}, rounds=1 if large else 3)
        cpu = [times[one].cpu for one in ("alignframe", "sacrebleu")]
        rows.append([label, *(f"{seconds:.2f}" for seconds in cpu), f"{cpu[1] / cpu[0]:.1f}"])
    title = f"CPU seconds: {len(systems)} systems, {len(ref):,} sentences of {name}"
    show(title, ["", "alignframe", "sacrebleu", "times faster"], rows)


if __name__ == "__main__":
    main(small="--small" in sys.argv, large="--large" in sys.argv)
