"""Alignments of varying quality by this package's aligners (Fraser & Marcu 2007, section 2.3).

``python reports/fraser_marcu_vary.py [CORPORA [MODELS [THREADS]]]`` (see ``study.py``) aligns a
bitext in pieces and with more text, and writes to ``reports/fraser_marcu/``: the page ``vary.html``
about the alignments, and for each external score its table, such as ``vary-held-out.csv``, and a
page that compares the alignments with it. The studies are in ``vary-runs``, one folder per model;
an interrupted one is resumed. MODELS are, for example, ``hmm,ibm4,bayes``.

To make the same pages in the shell, with any scores, run in ``vary-runs``: ``alignframe links
correlate --vary hmm=hmm --vary ibm4=ibm4 --vary bayes=bayes --external ../vary-held-out.csv --page
page.html``.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import fraser_marcu
import polars as pl
import pyarrow as pa
from fraser_marcu_outside import gold_links, held_out, phrases_f
from hansards import gold
from study import Run, Statements, say

from alignframe import formats, links
from alignframe.aligners import aligner
from alignframe.cli.progress import ProgressExecutor
from alignframe.cli.show import print_table
from alignframe.errors import DataWarning
from alignframe.links.findings import agreement, steps, winners
from alignframe.links.runs import FRACTIONS
from alignframe.links.vary import HEURISTICS

MODELS = ("hmm", "ibm4", "bayes")
METHODS = (*HEURISTICS, "lilt-grow-diag-final")
"""The paper's methods of combining directions, which are compared with external scores, and one
more."""
MULTIPLES = (2, 4, 6)
GOLD, LINES, HELD_OUT = 447, 29_987, 4_000
"""Number of lines of gold text, of lines up to the end of the bitext, and of last lines that are
never aligned."""
SHOWN = ("precision", "recall", "aer", "f_0.1", "f_0.3", "f_0.5")


class Texts(NamedTuple):
    """The texts to align, and the held-out text."""

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


def run(
    given: Texts,
    golden: Any,
    model: str,
    folder: Path,
    threads: int,
    *,
    fractions: Sequence[int] = FRACTIONS,
    multiples: Sequence[int] | None = None,
) -> None:
    """Align all amounts of text with a model."""
    study = links.QualityStudy(
        given.bitext,
        given.gold,
        golden,
        aligner(model),
        extra=None if multiples == () else given.extra,
        fractions=fractions,
        multiples=MULTIPLES if multiples is None else multiples,
        symmetrize=METHODS,
    )
    start, spent = time.monotonic(), time.process_time()
    with ProgressExecutor(threads, model) as executor:
        study.run(folder, threads=executor)
    print(
        f"{model}: {time.monotonic() - start:,.0f} s, {time.process_time() - spent:,.0f} s of CPU"
    )


def outside_scores(
    given: Texts, golden: Any, homes: Mapping[str, Path]
) -> dict[str, tuple[str, pl.DataFrame]]:
    """Return the external scores of the alignments by the paper's methods, with their names."""
    found = gold_links(homes, HEURISTICS)
    return {
        "held-out": (
            "bits per word of held-out text",
            held_out(homes, HEURISTICS, given.bitext, given.held_out),
        ),
        "moses": (
            "F of Moses's phrase pairs (%)",
            phrases_f(found, golden, given.gold, "text-moses"),
        ),
        "exhaustive": ("F of phrase pairs (%)", phrases_f(found, golden, given.gold, "text-dic2")),
    }


def findings(scores: pl.DataFrame) -> Statements:
    """Return the paper's claims about such runs, whether they hold, and the figures."""
    by_aer, by_f = steps(scores, "aer"), steps(scores, "f_0.1")
    ranks = dict(agreement(scores).select("alpha", "all").iter_rows())
    within = agreement(scores)["within"].min()
    best = winners(scores)
    groups = [name for name in best.columns if name not in ("model", "measure")]
    first = {
        measure: {group for group in groups if best.filter(measure=measure)[group].sum()}
        for measure in ("aer", "f_0.1", "f_0.5")
    }

    def every(table: pl.DataFrame) -> bool:
        return bool((table["better"] == table["steps"]).all())

    def shown(table: pl.DataFrame) -> str:
        return f"{table['better'].sum()} of {table['steps'].sum()} steps"

    return {
        "more text lowers AER at every step": (every(by_aer), shown(by_aer)),
        "more text raises F(0.1) at every step": (every(by_f), shown(by_f)),
        "AER and F(0.1), which weights recall, prefer different methods": (
            not first["aer"] & first["f_0.1"],
            "; ".join(
                f"best by {measure}: {', '.join(sorted(names))}" for measure, names in first.items()
            ),
        ),
        "not every alpha ranks all alignments like 1 - AER (rho above 0.9)": (
            min(ranks.values()) < 0.9,
            ", ".join(f"{alpha:g}: {rho:.2f}" for alpha, rho in ranks.items()),
        ),
        "within a model and method, every alpha ranks like 1 - AER (rho above 0.9)": (
            within > 0.9,
            f"least rho {within:.2f}",
        ),
    }


def predictions(table: pl.DataFrame) -> Statements:
    """Return the paper's claims about the measures, whether they hold, and the figures.

    ``table`` is from ``stats.correlate`` with ``by_group``.
    """
    aer = table.filter(measure="1-aer").with_columns(r2=pl.col("pearson") * pl.col("pearson").abs())
    r2 = {row["group"]: row["r2"] for row in aer.iter_rows(named=True)}
    over_all = r2.pop(None)
    return {
        "1 - AER predicts better within each method than over all": (
            min(r2.values()) > over_all,
            f"r2, below 0 where it falls: over all {over_all:.2f}; "
            + ", ".join(f"{group} {value:.2f}" for group, value in sorted(r2.items())),
        ),
        **fraser_marcu.findings(table.filter(pl.col("group").is_null())),
    }


def main(given: Sequence[str] | None = None) -> None:
    """Run the study."""
    home = Run.of("fraser_marcu", ["hansards-wpt03", "europarl-enfr"], given)
    models, threads = (*home.more, *("", "")[len(home.more) :])
    data, golden = texts(home.corpora), gold(home.corpora)
    folders = {model: home.out / "vary-runs" / model for model in models.split(",") if model} or {
        model: home.out / "vary-runs" / model for model in MODELS
    }
    for model, folder in folders.items():
        run(data, golden, model, folder, int(threads or os.cpu_count() or 1))
    study = links.read_study(folders)
    home.save(vary=study.scores)
    print_table(study.scores.select("system", *SHOWN).to_dicts(), title="Means over the pieces")
    print_table(agreement(study.scores).to_dicts(), title="Spearman's rho of F with 1 - AER")
    print_table(
        winners(study.scores).to_dicts(),
        title="Number of amounts of text at which a method is the best",
    )
    say(findings(study.scores))
    home.page(study.page(), "vary")
    warnings.filterwarnings("ignore", category=DataWarning)  # not every method has a score
    for stem, (name, scores) in outside_scores(data, golden, folders).items():
        scores.write_csv(home.out / f"vary-{stem}.csv")
        found = links.correlate(study, scores, score_name=name)
        home.save(**{f"vary-{stem}": found.correlations})
        print(f"\n{found.conclusion}")
        say(predictions(found.correlations))
        home.page(found.page(), f"vary-{stem}")
    home.done("vary")


if __name__ == "__main__":
    main()
