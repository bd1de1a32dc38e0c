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
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import fraser_marcu
import polars as pl
import pyarrow as pa
from hansards import APART, bitext, gold
from study import Run, Statements, say

from alignframe import formats, links
from alignframe.aligners import aligner
from alignframe.cli.progress import ProgressExecutor
from alignframe.cli.show import print_table
from alignframe.errors import DataWarning
from alignframe.links.runs import FRACTIONS
from alignframe.links.vary import HEURISTICS
from alignframe.links.vary_page import agreement, steps, winners

MODELS = ("hmm", "ibm4", "bayes")
METHODS = (*HEURISTICS, "lilt-grow-diag-final")
"""The paper's methods of combining directions, which are compared with external scores, and one
more."""
MULTIPLES = (2, 4, 6)
GOLD, LINES, HELD_OUT = 447, 29_987, 4_000
"""Number of lines of gold text, of lines up to the end of the bitext, and of last lines that are
never aligned."""
SMOOTHING = tuple(step / 40 for step in range(1, 40))
"""Weights of a word's frequency in the bitext to try for its probability."""
SHOWN = ("precision", "recall", "aer", "f_0.1", "f_0.3", "f_0.5")


class Texts(NamedTuple):
    """The texts to align, and the held-out text."""

    gold: pa.Table
    bitext: pa.Table
    extra: pa.Table
    held_out: pa.Table


def texts(folder: Any) -> Texts:
    """Read the texts."""
    every = bitext(folder)
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
        aligner(model, **APART.get(model, {})),
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


def gold_links(homes: Mapping[str, Path], methods: Iterable[str]) -> pl.DataFrame:
    """Return the links of the gold text: system (one per model, run and piece), sid and links."""
    kept = tuple(f".{method}.parquet" for method in methods)
    return pl.concat(
        pl.read_parquet(path).with_columns(
            system=pl.lit(f"{model}.") + pl.col("system").cast(pl.String)
        )
        for model, home in homes.items()
        for path in sorted((home / "gold").glob("*.parquet"))
        if path.name.endswith(kept)
    )


def without_piece() -> pl.Expr:
    """Return the name of a run, such as ``hmm.1-16.refined``, given that of a piece's system."""
    return pl.col("system").str.replace(r"\.\d+$", "")


def phrases_f(found: pl.DataFrame, golden: Any, words: Any, name: str) -> pl.DataFrame:
    """Return F of a phrase dictionary of the gold text in percent, averaged over pieces."""
    pieces = fraser_marcu.dictionary_f(found, golden, words, name)
    return pieces.group_by(without_piece(), maintain_order=True).agg(pl.col("score").mean())


def held_out(
    homes: Mapping[str, Path], methods: Iterable[str], text: Any, test: Any
) -> pl.DataFrame:
    """Return how well word translations estimated from the bitext's links predict another text.

    The probability of a target word is the mean of p(t|s) over the source words, interpolated with
    the word's frequency; p(t|s) is the share of t among the links of s. The score is the log
    probability of the second half of ``test`` in bits per word, averaged over both directions. The
    interpolation weight is the best one for the first half, so that each alignment is used as well
    as possible. A word missing from the bitext counts as seen once.
    """
    sides = {name: _words(text, name) for name in ("src", "tgt")}
    ways = [_Way(sides, test, *names) for names in (("src", "tgt"), ("tgt", "src"))]
    rows = []
    for model, home in homes.items():
        for method in methods:
            for path in sorted((home / "alignments").glob(f"*.{method}.talp")):
                pairs = _linked(formats.read(path, "pharaoh", base=0), sides)
                bits = [way.bits(pairs) for way in ways]
                rows.append({"system": f"{model}.{path.stem}", "score": sum(bits) / len(bits)})
    return pl.DataFrame(rows)


def _words(text: Any, side: str) -> pl.DataFrame:
    """Return the words of a side, one per row, with the row of the text."""
    frame = pl.DataFrame(pl.from_arrow(text)).select(word=side).with_row_index("row")
    return frame.explode("word", empty_as_null=False)


def _linked(table: Any, sides: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Return the words of every link, as src and tgt."""
    frame = pl.DataFrame(pl.from_arrow(table)).select("links").with_row_index("row")
    found = frame.explode("links", empty_as_null=False).unnest("links")
    columns = {}
    for side, place in (("src", "i"), ("tgt", "j")):
        rows = sides[side]["row"]
        starts = rows.search_sorted(found["row"])
        at = starts.cast(pl.Int64) + found[place].cast(pl.Int64)
        columns[side] = sides[side]["word"].gather(at)
    return pl.DataFrame(columns)


class _Way:
    """One direction: all word pairs of the test text, and the frequencies of its target words."""

    def __init__(self, sides: Mapping[str, pl.DataFrame], test: Any, src: str, tgt: str) -> None:
        self.names = (src, tgt)
        met = sides[tgt].group_by("word").len()
        given = _words(test, src).rename({"word": src})
        wanted = _words(test, tgt).rename({"word": tgt}).with_row_index("at")
        self.wanted = wanted.join(met, left_on=tgt, right_on="word", how="left").select(
            "at",
            plain=pl.col("len").fill_null(1) / sides[tgt].height,
            tuned=pl.col("row") < len(test) // 2,
        )
        self.pairs = wanted.join(given, on="row").select(
            "at", src, tgt, share=1 / pl.len().over("at")
        )

    def bits(self, linked: pl.DataFrame) -> float:
        """Return the log probability of the second half, in bits per word."""
        src, tgt = self.names
        table = linked.group_by(src, tgt).len()
        table = table.select(src, tgt, p=pl.col("len") / pl.col("len").sum().over(src))
        found = self.pairs.join(table, on=[src, tgt]).group_by("at")
        likely = found.agg(p=(pl.col("p") * pl.col("share")).sum())
        words = self.wanted.join(likely, on="at", how="left")
        tried = [
            ((1 - share) * pl.col("p").fill_null(0) + share * pl.col("plain")).log(2).mean()
            for share in SMOOTHING
        ]
        halves = (
            words.filter(half).select(bits=pl.concat_list(tried))["bits"][0]
            for half in (pl.col("tuned"), ~pl.col("tuned"))
        )
        first, second = halves
        return float(second[first.arg_max()])


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
        **{
            stem: (name, phrases_f(found, golden, given.gold, dictionary))
            for stem, (name, dictionary) in fraser_marcu.PROXIES.items()
        },
    }


def findings(scores: pl.DataFrame) -> Statements:
    """Return the paper's claims about such runs, whether they hold, and the figures."""
    by_aer, by_f = steps(scores, "aer"), steps(scores, "f_0.1")
    ranked = agreement(scores)
    ranks = dict(ranked.select("alpha", "all").iter_rows())
    within = min(ranked["within"].to_list())
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
    threads = home.number(os.cpu_count() or 1)
    data, golden = texts(home.corpora), gold(home.corpora)
    folders = {model: home.out / "vary-runs" / model for model in home.names(MODELS)}
    for model, folder in folders.items():
        run(data, golden, model, folder, threads)
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
