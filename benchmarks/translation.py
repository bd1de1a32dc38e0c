"""CPU seconds of phrase tables, the decoder and line search on a given text.

``python -m benchmarks.translation TRAIN.src TRAIN.tgt LINKS NEW.src NEW.ref`` times a phrase table
for the new text, a 3-gram model of the target side, translations at several pop limits, and line
search over 100-best lists, compared with Z-MERT if ALIGNFRAME_ZMERT names its jar. Without
arguments, it compares a few sentences of the bundled text with nltk's decoder.
"""

from __future__ import annotations

import math
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import nltk.translate
import polars as pl

from alignframe import mt, tesla
from alignframe.errors import DataWarning
from alignframe.formats import read
from alignframe.mt.decoding import system_of
from alignframe.mt.weights import weights_of
from alignframe.options.mt import Search
from alignframe.sources.texts import word_array
from alignframe.tesla.estimate import write_arpa
from benchmarks.timing import in_turn, show

_POPS = (30, 100, 300)
_START = {**mt.FEATURES, "word_penalty": -0.5}


_TOYS, _SHORT = 20, 8
"""Number of bundled sentences for nltk, and their maximum number of words."""
_PLAIN = {**dict.fromkeys(mt.FEATURES, 0.0), "lm": 1.0, "p_tgt": 1.0, "distortion": math.log(2)}
"""The features of nltk's decoder, and their weights."""
_JAR = "ALIGNFRAME_ZMERT"


class _Model:
    """A language model for nltk's decoder, which looks up phrases in a dictionary."""

    def __init__(self, estimate: Any) -> None:
        self._known: dict[tuple[str, ...], tuple[float, float]] = {}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "lm.arpa"
            write_arpa(estimate, path)
            for line in path.read_text("utf-8").splitlines():
                cells = line.split("\t")
                if len(cells) > 1:
                    back_off = float(cells[2]) if len(cells) > 2 else 0.0
                    self._known[tuple(cells[1].split())] = float(cells[0]), back_off

    def _of(self, words: tuple[str, ...]) -> float:
        if words in self._known:
            return self._known[words][0]
        if len(words) == 1:
            return self._known["<unk>",][0]
        return self._known.get(words[:-1], (0.0, 0.0))[1] + self._of(words[1:])

    def probability_change(self, hypothesis: Any, phrase: tuple[str, ...]) -> float:
        """Return the natural log probability of a phrase after a context."""
        words = ["<s>", *hypothesis.translation_so_far(), *phrase][-len(phrase) - 2 :]
        size = len(words)
        every = (tuple(words[max(at - 2, 0) : at + 1]) for at in range(size - len(phrase), size))
        return sum(map(self._of, every)) * math.log(10)

    def probability(self, phrase: tuple[str, ...]) -> float:
        """Return the same for a phrase without context."""
        return sum(self._of((word,)) for word in phrase) * math.log(10)


def toys() -> None:
    """Translate bundled sentences with a table from the bundled links, compared with nltk."""
    warnings.simplefilter("ignore", DataWarning)
    folder = Path(__file__).parent.parent / "datasets" / "en-fr"
    src, tgt = (folder / f"text.{side}" for side in ("en", "fr"))
    lines = [line for line in src.read_text("utf-8").splitlines() if len(line.split()) <= _SHORT]
    lines = lines[:_TOYS]
    table = mt.train(folder / "gold.talp", (src, tgt), only=lines)
    estimate = tesla.estimate_language_model(tgt, 3)
    system = system_of(table, estimate, word_array(lines))
    peer: Any = nltk.translate  # which has no types
    phrases = peer.PhraseTable()
    for source, target, share in (
        mt.probabilities(table).select(pl.col("src", "tgt"), pl.col("p_tgt").log()).iter_rows()
    ):
        phrases.add(tuple(source), tuple(target), share)
    decoder = peer.StackDecoder(phrases, _Model(estimate))
    search = Search(distortion=_SHORT)
    times = in_turn(
        {
            "alignframe, pop 100": lambda: system.translate(_PLAIN, search),
            "nltk.translate.StackDecoder": lambda: [decoder.translate(x.split()) for x in lines],
        },
        rounds=1,
    )
    rows = [[name, f"{len(lines) / one.cpu:,.1f}"] for name, one in times.items()]
    show(f"{len(lines)} sentences of up to {_SHORT} words", ["", "sentences per CPU s"], rows)
    ours = mt.translate(lines, table, system.lm, _PLAIN, distortion=_SHORT)["text"]
    theirs = [" ".join(decoder.translate(line.split())) for line in lines]
    print(f"{(ours == pl.Series(theirs)).sum()} of {len(lines)} translations are equal")


def zmert(lists: Any, ref: Path) -> list[list[str]]:
    """Return Z-MERT's result on the same lists, or why there is none."""
    jar = os.environ.get(_JAR)
    if not jar:
        print(f"left out: Z-MERT ({_JAR} names no jar)")
        return []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        mt.write_n_best(lists, folder / "lists", "zmert")
        names = list(mt.FEATURES)
        optimised = "{} ||| 1 Opt -Inf +Inf -1 +1\n"
        params = "".join(map(optimised.format, names)) + "normalization = none\n"
        files = {
            "params.txt": params,
            "decoder.cfg": "".join(f"{one} 1\n" for one in names),
            "command": "cp lists nbest.out\n",
            "zmert.cfg": f"-r {ref.resolve()}\n-rps 1\n-p params.txt\n-m BLEU 4 closest\n"
            "-maxIt 1\n-ipi 5\n-cmd ./command\n-decOut nbest.out\n-dcfg decoder.cfg\n-N 100\n",
        }
        for file, text in files.items():
            (folder / file).write_text(text, "utf-8")
        (folder / "command").chmod(0o755)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = ["java", "-cp", str(Path(jar).resolve()), "ZMERT", "-maxMem", "2000", "zmert.cfg"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        print(f"left out: Z-MERT (exit code {done.returncode}: {done.stderr.strip()[-300:]})")
        return []
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return [["Z-MERT's process, one iteration", f"{lists.height:,} candidates", f"{seconds:.1f}"]]


def main(paths: list[str]) -> None:
    """Time each step once, after compiling the kernels on a few sentences."""
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
    seconds, found = _timed(lambda: mt.mert(lists, ref, weights=features, restarts=5))
    rows.append(["line search, 5 restarts", f"{lists.height:,} candidates", f"{seconds:.1f}"])
    rows += zmert(lists, ref)
    show(f"CPU seconds, {len(sentences):,} sentences", ["", "", "seconds"], rows)
    print(f"BLEU of the lists: {found.start_score:.2f}, with the best weights {found.score:.2f}")


def _timed(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    found = call()
    return time.process_time() - start, found


if __name__ == "__main__":
    main(sys.argv[1:]) if sys.argv[1:] else toys()
