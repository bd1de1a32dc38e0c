"""Alignments of varying quality by this package's aligners (Fraser & Marcu 2007, section 2.3).

``python reports/fraser_marcu_vary.py [CORPORA [MODELS [THREADS]]]`` aligns a bitext in pieces and
with more text, and writes ``reports/fraser_marcu/``: the pages ``vary.html`` (the alignments) and
``vary-outside.html`` (what they are worth), their figures as PNG in ``vary`` and ``vary-outside``,
tables of scores and correlations, and a folder a model in ``vary-runs``, where a study that was
stopped goes on. MODELS are such as ``hmm,ibm4,bayes``. The data lie in the folder that
ALIGNFRAME_CORPORA names or CORPORA is; ``docs/studies.md`` lists the files.

The alignments are held against three outside scores: two of phrase pairs in the gold sentences, as
in ``fraser_marcu.py``, and one that has not seen the gold: how well the words linked in the bitext
predict other text.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import fraser_marcu
import polars as pl
import pyarrow as pa
from fraser_marcu_outside import Outside, counts, gold_links, held_out, phrases_f
from fraser_marcu_vary_page import outside_page, vary_page
from hansards import corpora, gold, say

from alignframe import formats, links, stats
from alignframe.aligners import aligner
from alignframe.cli.show import ProgressExecutor, print_table
from alignframe.links.vary import HEURISTICS

OUT = fraser_marcu.OUT
MODELS = ("hmm", "ibm4", "bayes")
METHODS = (*HEURISTICS, "lilt-grow-diag-final")
"""The paper's ways to join directions, which are held against outside scores, and one more."""
MULTIPLES = (2, 4, 6)
GOLD, LINES, HELD_OUT = 447, 29_987, 4_000
"""Lines of gold text, lines with the bitext, and last lines that are never aligned."""
SHOWN = ("precision", "recall", "aer", "f_0.1", "f_0.3", "f_0.5")


class Texts(NamedTuple):
    """What is aligned, and what is held out."""

    gold: pa.Table
    bitext: pa.Table
    extra: pa.Table
    held_out: pa.Table


def texts(folder: Any) -> Texts:
    """Read the texts."""
    both = (folder / "europarl-enfr" / f"d200k.{side}.gz" for side in ("en", "fr"))
    every = formats.read_bitext(*both)
    last = every.num_rows - HELD_OUT
    return Texts(
        every.slice(0, GOLD),
        every.slice(GOLD, LINES - GOLD),
        every.slice(LINES, last - LINES),
        every.slice(last),
    )


def run(given: Texts, golden: Any, model: str, threads: int) -> pl.DataFrame:
    """Align with a model on all amounts of text; return the scores."""
    study = links.QualityStudy(
        given.bitext,
        given.gold,
        golden,
        aligner(model),
        extra=given.extra,
        multiples=MULTIPLES,
        methods=METHODS,
    )
    start, spent = time.monotonic(), time.process_time()
    with ProgressExecutor(threads, model) as executor:
        scores = study.run(OUT / "vary-runs" / model, executor=executor)
    print(
        f"{model}: {time.monotonic() - start:,.0f} s, {time.process_time() - spent:,.0f} s of CPU"
    )
    name = pl.format("{}.{}", pl.lit(model), "system")
    return scores.select(pl.lit(model).alias("model"), name.alias("system"), pl.exclude("system"))


def outside_scores(given: Texts, golden: Any, models: Sequence[str]) -> list[Outside]:
    """Return the correlations of measures with each outside score."""
    homes = {model: OUT / "vary-runs" / model for model in models}
    found = gold_links(homes, HEURISTICS)
    counted = counts(found, golden, given.gold)
    phrases = {
        name: phrases_f(found, golden, given.gold, name) for name in ("text-moses", "text-dic2")
    }
    predicted = held_out(homes, HEURISTICS, given.bitext, given.held_out)
    group = pl.col("system").str.split(".").list.last().alias("group")
    return [
        Outside(*named, scores.with_columns(group), counted, stats.correlate(counted, scores))
        for named, scores in (
            (("held-out", "held-out text", "bits a word"), predicted),
            (("moses", "Moses's phrase pairs", "F, %"), phrases["text-moses"]),
            (("exhaustive", "phrase pairs", "F, %"), phrases["text-dic2"]),
        )
    ]


def steps(scores: pl.DataFrame, measure: str) -> pl.DataFrame:
    """Return each line's figure with the least and the most text, and its steps for the better."""
    better = pl.col(measure).diff().drop_nulls() * (-1 if measure == "aer" else 1) > 0
    return scores.group_by("model", "group", maintain_order=True).agg(
        first=pl.col(measure).first(),
        last=pl.col(measure).last(),
        better=better.sum(),
        steps=pl.len() - 1,
    )


def agreement(scores: pl.DataFrame) -> pl.DataFrame:
    """Return Spearman's rho of F with 1 - AER, a row an alpha.

    ``all`` is over all alignments; ``least within`` is the least over those of one model and
    method.
    """
    rows = []
    for name in scores.select("^f_.*$").columns:
        rho = pl.corr(name, 1 - pl.col("aer"), method="spearman")
        within = scores.group_by("model", "group").agg(rho=rho)["rho"]
        rows.append(
            {
                "alpha": float(name.removeprefix("f_")),
                "all": scores.select(rho).item(),
                "least within": within.min(),
            }
        )
    return pl.DataFrame(rows)


def winners(scores: pl.DataFrame) -> pl.DataFrame:
    """Return which method is the best at how many amounts of text, by model and measure."""
    wanted = ["aer", *scores.select("^f_.*$").columns]
    long = scores.with_columns(aer=-pl.col("aer")).unpivot(
        wanted, index=["model", "run", "group"], variable_name="measure"
    )
    best = long.filter(pl.col("value") == pl.col("value").max().over("model", "run", "measure"))
    table = best.pivot("group", index=["model", "measure"], values="run", aggregate_function="len")
    return table.select("model", "measure", pl.exclude("model", "measure").fill_null(0))


def findings(scores: pl.DataFrame) -> dict[str, tuple[bool, str]]:
    """Return what the paper says or presumes of such runs, whether it holds, and the figures."""
    by_aer, by_f = steps(scores, "aer"), steps(scores, "f_0.1")
    ranks = dict(agreement(scores).select("alpha", "all").iter_rows())
    within = agreement(scores)["least within"].min()
    best = winners(scores)
    first = {
        measure: {
            group
            for group in METHODS
            if group in best.columns and best.filter(measure=measure)[group].sum()
        }
        for measure in ("aer", "f_0.1", "f_0.5")
    }

    def every(table: pl.DataFrame) -> bool:
        return bool((table["better"] == table["steps"]).all())

    def shown(table: pl.DataFrame) -> str:
        return f"{table['better'].sum()} of {table['steps'].sum()} steps; " + ", ".join(
            f"{row['model']} {row['group']} {row['first']:.3f} to {row['last']:.3f}"
            + (f" ({row['better']} of {row['steps']})" if row["better"] < row["steps"] else "")
            for row in table.iter_rows(named=True)
        )

    return {
        "more text lowers AER at every step": (every(by_aer), shown(by_aer)),
        "more text raises F(0.1) at every step": (every(by_f), shown(by_f)),
        "AER and F(0.1), which weights recall, prefer different methods": (
            not first["aer"] & first["f_0.1"],
            "; ".join(
                f"best by {measure}: {', '.join(sorted(names))}" for measure, names in first.items()
            ),
        ),
        "not every alpha ranks all alignments as 1 - AER does (rho above 0.9)": (
            min(ranks.values()) < 0.9,
            ", ".join(f"{alpha:g}: {rho:.2f}" for alpha, rho in ranks.items()),
        ),
        "within a model and method every alpha ranks as 1 - AER does (rho above 0.9)": (
            within > 0.9,
            f"least rho {within:.2f}",
        ),
    }


def main() -> None:
    """Make the study."""
    folder = corpora()
    models = sys.argv[2].split(",") if len(sys.argv) > 2 else MODELS
    threads = int(sys.argv[3]) if len(sys.argv) > 3 else os.cpu_count() or 1
    given, golden = texts(folder), gold(folder)
    scores = pl.concat(run(given, golden, model, threads) for model in models)
    OUT.mkdir(parents=True, exist_ok=True)
    scores.write_parquet(OUT / "vary.parquet")
    print_table(scores.select("system", *SHOWN).to_dicts(), title="Means over the pieces")
    print_table(agreement(scores).to_dicts(), title="Spearman's rho of F with 1 - AER")
    print_table(winners(scores).to_dicts(), title="Amounts of text at which a method is the best")
    found = findings(scores)
    say(found)
    outside = outside_scores(given, golden, models)
    for one in outside:
        one.table.write_parquet(OUT / f"vary-{one.stem}.parquet")
        print_table(one.shown().to_dicts(), title=f"Against {one.name}")
        say(one.findings())
    pages = {
        "vary": vary_page(scores, found, given.bitext.num_rows),
        "vary-outside": outside_page(outside),
    }
    for name, page in pages.items():
        page.write(OUT / f"{name}.html")
        page.write_figures(OUT / name)
    print(f"\nOpen {OUT / 'vary.html'} and vary-outside.html beside it in a browser.")


if __name__ == "__main__":
    main()
