"""The study of Carl & Fissaha 2003, reproduced on 25 alignments of the Hansards test set.

``python reports/carl_fissaha.py [CORPORA] [--figures]`` writes ``reports/carl_fissaha/``:
report.html, every table as Parquet and, optionally, the figures as PNG; see ``study.py``.
"""

from __future__ import annotations

import polars as pl
from hansards import NEEDED, gold, systems, text
from study import Run, Statements, say

from alignframe import phrases
from alignframe.cli.show import print_table
from alignframe.phrases import Study

LONG = 15
"""Sentences with more words count as long."""


def findings(study: Study) -> Statements:
    """Return the paper's claims, whether they hold, and the figures."""
    sizes = study.sizes
    golden, mine = sizes.filter(kind="gold"), sizes.filter(kind="system")
    counts = mine["links"].to_list()
    smaller = {
        name: int((mine[name] > golden[name][0]).sum()) for name in ("align-dic1", "text-dic1")
    }
    known = study.correlations.filter(word="word-sure")
    follows = {row["dictionary"]: row["pearson"] for row in known.iter_rows(named=True)}
    long = study.by_length.filter(pl.col("length") > LONG)
    weights = pl.col("sentences")
    means = {
        name: float(long.select((pl.col(name) * weights).sum() / weights.sum()).item())
        for name in ("phrase_precision", "phrase_recall", "word_precision", "word_recall")
    }
    classes = {
        (row["dictionary"], row["class"]): row for row in study.classes.iter_rows(named=True)
    }
    ratios = {
        name: classes[name, "missing"]["entries"] / max(1, classes[name, "correct"]["entries"])
        for name in ("text-dic1", "text-dic2")
    }
    varied = study.by_length.group_by(long=pl.col("length") > LONG)
    spread = dict(varied.agg(pl.col("phrase_recall").std()).iter_rows())
    missing = classes["text-dic1", "missing"]
    return {
        "F of dictionaries follows F of Sure word links over systems": (
            min(follows.values()) > 0.7,
            ", ".join(f"{name} r = {r:.2f}" for name, r in follows.items()),
        ),
        "gold has more word links than any system": (
            golden["links"][0] > max(counts),
            f"{golden['links'][0]:,} against {min(counts):,}-{max(counts):,}",
        ),
        "gold's minimal dictionaries are smaller than the systems'": (
            min(smaller.values()) == mine.height,
            ", ".join(f"{name} in {n} of {mine.height}" for name, n in smaller.items()),
        ),
        f"recall of phrases is above precision in sentences of more than {LONG} words": (
            means["phrase_recall"] > means["phrase_precision"],
            f"recall {means['phrase_recall']:.3f}, precision {means['phrase_precision']:.3f}",
        ),
        "for words, precision is above recall": (
            means["word_recall"] < means["word_precision"],
            f"recall {means['word_recall']:.3f}, precision {means['word_precision']:.3f}",
        ),
        "short sentences vary more than long ones": (
            spread[False] > spread[True],
            f"standard deviation of phrase recall {spread[False]:.3f} and {spread[True]:.3f}",
        ),
        "far more entries are missing in all systems than correct in all": (
            min(ratios.values()) > 2,
            ", ".join(f"{name} {ratio:.1f} times" for name, ratio in ratios.items()),
        ),
        "what all systems miss is mostly longer than one word": (
            missing["multi_word"] > 10 * missing["one_word"],
            f"{missing['multi_word']:,} longer, {missing['one_word']:,} of one word",
        ),
    }


def main() -> None:
    """Run the study."""
    run = Run.of("carl_fissaha", NEEDED)
    words, golden = text(run.corpora), gold(run.corpora)
    hypotheses, _ = systems(run.corpora, words)
    study = phrases.study(hypotheses, golden, words, folder=run.out)
    run.save(**study.tables())
    title = "Phrase dictionaries of 25 alignments of the Hansards"
    run.page(study.page(title=title))
    print_table(study.sizes.drop("kind").to_dicts(), title="Links and dictionary entries")
    wide = study.scores.pivot("measure", index="system", values="f")
    print_table(wide.sort("text-dic1", descending=True).to_dicts(), title="F-measure")
    print_table(study.correlations.to_dicts(), title="Correlation of F over systems")
    print_table(
        study.classes.to_dicts(), title="Entries that all systems find, none finds, or all add"
    )
    say(findings(study))
    run.done()


if __name__ == "__main__":
    main()
