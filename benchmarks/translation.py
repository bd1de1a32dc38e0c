"""Phrase tables, the decoder and line search on a text of one's own, in CPU seconds.

``python -m benchmarks.translation TRAIN.src TRAIN.tgt LINKS NEW.src NEW.ref``: a table of the
phrases of the new text, a 3-gram model of the target side, translations at several pop limits, and
line search over lists of the 100 best.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from alignframe import mt, tesla
from alignframe.errors import DataWarning
from alignframe.formats import read
from alignframe.mt.decoding import system_of
from alignframe.mt.system import Search
from alignframe.mt.weights import weights_of
from alignframe.sources import word_array
from benchmarks.timing import show

_POPS = (30, 100, 300)
_START = {**mt.FEATURES, "word_penalty": -0.5}


def main(paths: list[str]) -> None:
    """Time each step once, after the kernels were compiled on a few sentences."""
    src, tgt, links, new, ref = map(Path, paths)
    given = str(links) if links.suffix == ".parquet" else read(links)
    warnings.simplefilter("ignore", DataWarning)
    seconds, table = _timed(lambda: mt.train(given, (src, tgt), only=[new]))
    rows = [["phrase table of the new text", f"{table.height:,} pairs", f"{seconds:.1f}"]]
    seconds, model = _timed(lambda: tesla.estimate_language_model(tgt, 3))
    rows.append(["3-gram model", f"{sum(o.ngrams.height for o in model.orders):,} n-grams", ""])
    rows[-1][-1] = f"{seconds:.1f}"
    sentences = word_array(new)
    weights = weights_of(_START)
    system = system_of(table, model, sentences)
    system_of(table, system.lm, sentences.slice(0, 5)).translate(weights, Search(), 2)
    for pop in _POPS:
        seconds, _ = _timed(partial(system.translate, weights, Search(pop=pop)))
        speed = f"{len(sentences) / seconds:,.0f} sentences/s"
        rows.append([f"translations, pop {pop}", speed, f"{seconds:.1f}"])
    lists = mt.translate(new, table, system.lm, weights, n_best=100)
    features = {name: weights[name] for name in mt.FEATURES}
    seconds, found = _timed(lambda: mt.mert(lists, ref, start=features, restarts=5))
    rows.append(["line search, 5 restarts", f"{lists.height:,} candidates", f"{seconds:.1f}"])
    show(f"CPU seconds, {len(sentences):,} sentences", ["", "", "seconds"], rows)
    print(f"BLEU of the lists: {found.start_score:.2f}, with the best weights {found.score:.2f}")


def _timed(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    found = call()
    return time.process_time() - start, found


if __name__ == "__main__":
    main(sys.argv[1:])
