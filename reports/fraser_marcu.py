"""The study of Fraser & Marcu 2007, on 25 alignments of the Hansards test set.

``python reports/fraser_marcu.py [CORPORA [SCORES]] [--figures]`` writes ``reports/fraser_marcu/``:
a page for each external score, the tables of correlations and, optionally, the figures as PNG; see
``study.py``.

The paper correlates its measures with BLEU of systems trained on the alignments. No such scores are
published for these outputs, so unless a table SCORES (system, score[, group]) is given, two proxies
are used: F of the phrase pairs consistent with an alignment against gold's (``text-dic2``, of any
length), and F of those that Moses would extract (``text-moses``, up to 7 words). Because they use
the same sentences and gold, they favour agreement with gold; they can only show which trade-off of
precision and recall is good for phrase pairs.
"""

from __future__ import annotations

from typing import Any

import polars as pl
from hansards import NEEDED, gold, systems, text
from study import Run, Statements, say

from alignframe import formats, links, phrases
from alignframe.cli.show import print_table
from alignframe.typing import IntoHypotheses

PROXIES = {
    "moses": ("F of Moses's phrase pairs (%)", "text-moses"),
    "exhaustive": ("F of phrase pairs (%)", "text-dic2"),
}
"""The external scores that stand in for BLEU, and their phrase dictionaries."""


def dictionary_f(hypotheses: IntoHypotheses, golden: Any, words: Any, name: str) -> pl.DataFrame:
    """Return F of a phrase dictionary as an external score, in percent."""
    found = phrases.score(hypotheses, golden, words, dictionaries=[name]).scores
    return found.select("system", score=100 * pl.col("f"))


def findings(table: pl.DataFrame) -> Statements:
    """Return the paper's claims, whether they hold, and the figures."""
    r2 = {(row["measure"], row["annotation"]): row for row in table.iter_rows(named=True)}
    best = {row["annotation"]: row for row in table.filter("best").iter_rows(named=True)}
    aer, even = r2["1-aer", "sure-possible"], r2["f_0.5", "sure-possible"]
    mixed, sure, every = (best[kind] for kind in ("sure-possible", "sure", "possible"))

    def shown(row: dict[str, Any]) -> str:
        return f"{row['measure']} ({row['annotation']}) r2 = {row['r2']:.2f}"

    return {
        "1 - AER predicts worse than F with the best alpha": (
            aer["r2"] < max(mixed["r2"], sure["r2"], every["r2"]),
            "; ".join(map(shown, (aer, mixed, sure, every))),
        ),
        "balanced F with Sure and Possible is hardly better than 1 - AER": (
            abs(even["r2"] - aer["r2"]) < 0.1,
            "; ".join(map(shown, (aer, even))),
        ),
        "the best alpha is below 0.5, so recall counts more": (
            all(row["alpha"] < 0.5 for row in (mixed, sure, every)),
            ", ".join(f"{kind}: {row['alpha']}" for kind, row in best.items()),
        ),
        "the best alpha is the same with any system left out": (
            all((row["best_left_out"] or 0) == 1 for row in best.values()),
            ", ".join(f"{kind}: {row['best_left_out']:.0%}" for kind, row in best.items()),
        ),
        "a single annotation predicts better than Sure and Possible": (
            max(sure["r2"], every["r2"]) > mixed["r2"],
            "; ".join(map(shown, (mixed, sure, every))),
        ),
    }


def main() -> None:
    """Run the study."""
    run = Run.of("fraser_marcu", NEEDED)
    words, golden = text(run.corpora), gold(run.corpora)
    hypotheses, groups = systems(run.corpora, words)
    if run.more:
        outside = {"score": ("score", formats.read_external(run.more[0]))}
    else:
        outside = {
            stem: (name, dictionary_f(hypotheses, golden, words, dictionary))
            for stem, (name, dictionary) in PROXIES.items()
        }
    grouping = pl.DataFrame({"system": list(groups), "group": list(groups.values())})
    counts = links.score(hypotheses, golden, bitext=words).counts
    for stem, (name, scores) in outside.items():
        known = scores if "group" in scores.columns else scores.join(grouping, on="system")
        found = links.correlate(counts, known, score_name=name)
        table = found.every
        run.save(**{stem: table})
        title = f"Alignment measures against {name.removesuffix(' (%)')}"
        run.page(found.page(title=title), stem)
        shown = table.filter(
            pl.col("best") | (pl.col("measure") == "1-aer") | (pl.col("alpha") == 0.5)
        )
        columns = ["measure", "annotation", "pearson", "r2", "spearman", "best_left_out"]
        print_table(shown.select(columns).to_dicts(), title=f"Against {name}")
        say(findings(table))
        run.done(stem)


if __name__ == "__main__":
    main()
