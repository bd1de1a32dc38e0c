"""Alignments evaluated by BLEU: Fraser & Marcu 2007 with the package's own translation systems.

``python reports/fraser_marcu_mt.py [CORPORA [MODELS [THREADS]]]`` (see ``study.py``) aligns 29,540
sentence pairs as a whole, in 4 and in 16 pieces, symmetrizes them by four methods, trains a
French-English system on each alignment, and writes ``reports/fraser_marcu_mt/``: the alignments
(``runs``, a folder per model), the systems (``study``) and the page ``report.html``; beside it,
``fraser_marcu_mt.csv`` has scores and sums of counts, one row per system. Existing results are
kept. MODELS are, for example, ``hmm,ibm4,bayes``, with 12 systems each.

To do the same from the shell, use ``alignframe links vary`` for each model, then ``mt study`` and
``report`` (see docs/mt.md).
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
from fraser_marcu_vary import Texts, predictions, run, texts
from hansards import gold
from study import Run, Statements, say, statement_table

from alignframe import links, mt, stats, tesla
from alignframe.cli.progress import ProgressExecutor
from alignframe.cli.show import print_table
from alignframe.core.schemas import COUNTS
from alignframe.errors import DataWarning
from alignframe.language import Analysis

MODELS = ("bayes", "hmm", "ibm4")
FRACTIONS = (16, 4)
DEV, TEST = 1_200, 2_400
SHORTEST, LONGEST = 3, 60
"""Minimum and maximum number of words of sentences to translate."""
TUNED_ON = "1.lilt-grow-diag-final"
"""The alignment of the first model on which weights are tuned."""

FIGURES = ("system", "bleu", "chrf", "tesla", "pairs", "unknown_words", "length_ratio")

Pairs = tuple[list[str], list[str]]


def held_out(given: Texts) -> tuple[Pairs, Pairs]:
    """Return a development and a test set, French and English.

    They are sampled evenly from the text after the bitext, without duplicate French sentences, and
    so cover many debates.
    """
    seen: set[str] = set()
    pairs = []
    for table in (given.extra, given.held_out):
        for en, fr in zip(table["src"].to_pylist(), table["tgt"].to_pylist(), strict=True):
            source = " ".join(fr)
            if SHORTEST <= len(fr) <= LONGEST and en and source not in seen:
                seen.add(source)
                pairs.append((source, " ".join(en)))
    wanted = DEV + TEST
    drawn = [pairs[at * len(pairs) // wanted] for at in range(wanted)]
    third = wanted // DEV
    dev = [pair for at, pair in enumerate(drawn) if at % third == 0]
    test = [pair for at, pair in enumerate(drawn) if at % third]
    return _sides(dev), _sides(test)


def _sides(pairs: list[tuple[str, str]]) -> Pairs:
    return [src for src, _ in pairs], [tgt for _, tgt in pairs]


def judge(
    given: Texts, homes: dict[str, Path], folder: Path, first: str, threads: int
) -> mt.MtStudy:
    """Train a system on each alignment, and score it."""
    known = links.read_study(homes)
    dev, test = held_out(given)
    apart = {*dev[0], *test[0]}
    sides = [[" ".join(row) for row in given.bitext[name].to_pylist()] for name in ("tgt", "src")]
    english = [en for fr, en in zip(*sides, strict=True) if fr not in apart]
    model = tesla.estimate_language_model(english, 3)
    start, spent = time.monotonic(), time.process_time()

    def progress(name: str, number: int, bleu: float) -> None:
        took = time.monotonic() - start, time.process_time() - spent
        print(
            f"{number + 1:3} {name}: BLEU {bleu:.2f}; {took[0]:,.0f} s, {took[1]:,.0f} s of CPU",
            flush=True,
        )

    with ProgressExecutor(threads, "Translating") as executor:
        return mt.study(
            known.alignments,
            (sides[0], sides[1]),
            model,
            dev=dev,
            test=test,
            gold=known,
            order="tgt-src",
            tune_on=f"{first}.{TUNED_ON}",
            tesla=tesla.Scorer(Analysis.of(tokens="spaces")),
            folder=folder,
            threads=executor,
            progress=progress,
        )


def findings(found: mt.MtStudy) -> Statements:
    """Return the paper's claims and the assumptions of the study, with whether they hold."""
    table = found.correlations.filter(score="bleu")
    every = table.filter(pl.col("group").is_null())
    r2 = {(row["measure"], row["annotation"]): row for row in every.iter_rows(named=True)}
    aer, recall_most = r2["1-aer", "sure-possible"], r2["f_0.1", "sure-possible"]

    def signed(row: dict[str, Any]) -> float:
        return float(row["pearson"] * abs(row["pearson"]))

    names = found.scores.with_columns(
        run=pl.col("system").str.strip_suffix(pl.format(".{}", "group"))
    )
    bleu = names.pivot("group", index="run", values="bleu")
    pairs = names.pivot("group", index="run", values="pairs")
    more = _steps(names)
    return {
        "r2 of F(0.1) exceeds that of 1 - AER by 0.3": (
            signed(recall_most) - max(signed(aer), 0) >= 0.3,
            f"F(0.1) {signed(recall_most):.2f}, 1 - AER {signed(aer):.2f}",
        ),
        "BLEU: the union beats the intersection": (
            (bleu["union-closure"] > bleu["intersection"]).to_list(),
            _shown(bleu, "union-closure", "intersection", ".2f"),
        ),
        "BLEU: more text is better, with the same model and method": (
            [two > one for _, one, two in more],
            "; ".join(f"{name} {one:.2f}, {two:.2f}" for name, one, two in more if two <= one),
        ),
        "the phrase table of the intersection is larger than that of the union": (
            (pairs["intersection"] > pairs["union-closure"]).to_list(),
            _shown(pairs, "intersection", "union-closure", ","),
        ),
        **predictions(table),
    }


def recorded(found: mt.MtStudy) -> pl.DataFrame:
    """Return scores and sums of the counts of links, one row per system."""
    sums = found.counts.group_by("system").agg(pl.col(COUNTS).sum())
    return found.scores.select("group", *FIGURES).join(sums, on="system", maintain_order="left")


def _shown(wide: pl.DataFrame, one: str, other: str, form: str) -> str:
    rows = wide.select("run", one, other).iter_rows()
    return "; ".join(f"{run} {first:{form}}, {second:{form}}" for run, first, second in rows)


def _steps(names: pl.DataFrame) -> list[tuple[str, float, float]]:
    """Return BLEU on less and on more text, for each model, method and step."""
    known = dict(names.select("system", "bleu").iter_rows())
    found = []
    for name, value in known.items():
        for less, more in (("1-16", "1-4"), ("1-4", "1")):
            after = name.replace(f".{less}.", f".{more}.")
            if f".{less}." in name and after in known:
                found.append((name, value, known[after]))
    return found


def main(given: Sequence[str] | None = None) -> None:
    """Run the study."""
    home = Run.of("fraser_marcu_mt", ["hansards-wpt03", "europarl-enfr"], given)
    models, threads = home.names(MODELS), home.number(os.cpu_count() or 1)
    data, golden = texts(home.corpora), gold(home.corpora)
    homes = {model: home.out / "runs" / model for model in models}
    for model, folder in homes.items():
        if not (folder / "counts.parquet").exists():
            run(data, golden, model, folder, threads, fractions=FRACTIONS, multiples=())
    warnings.filterwarnings("ignore", category=DataWarning)  # lines without links, 36 times
    found = judge(data, homes, home.out / "study", models[0], threads)
    recorded(found).write_csv(home.out.with_suffix(".csv"), float_precision=6)
    print_table(found.scores.select(FIGURES).to_dicts(), title="Systems")
    print(stats.conclusion(found.correlations.filter(score="bleu"), "BLEU"))
    statements = findings(found)
    say(statements)
    page = found.page(title="Alignment quality and BLEU")
    tables = [statement_table(statements, "Statements"), *page.tables]
    home.page(replace(page, tables=tables))
    home.done()


if __name__ == "__main__":
    main()
