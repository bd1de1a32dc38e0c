"""Tables 4 and 5 of Zaidan & Chowdhary 2013: translation systems trained on filtered text.

``python reports/zaidan_chowdhary_systems.py [CORPORA] [--quick] [--out FOLDER]`` writes
``reports/zaidan_chowdhary_systems/``: report.html and the scores as Parquet; see ``study.py``.
``--quick`` takes little text.

Half of the Europarl text stands in for web text: in some of its lines, each side is shuffled
separately. Four systems are built from each mixture: from all lines, from those that ``beads
filter`` keeps, from those that it keeps of the web half plus all of the other half, and from the
right lines alone; a fifth is built from the text without noise. They translate the lines that
follow the text, and the end of the corpus.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from europarl import FOLDER, Europarl, Text, aligned, europarl, language_model
from study import Run, Statements, each_warning_once, say, statement_table
from zaidan_chowdhary_published import SYSTEMS

from alignframe import beads, mt
from alignframe.cli.progress import ProgressExecutor
from alignframe.cli.show import print_table
from alignframe.pages.page import Page, Table
from alignframe.pages.tables import p_value, score_table

SHARES = (0.25, 0.75)
"""Shares of wrong lines in the web half."""
WEB = 0.5
"""The share of lines, at the end, that stand in for web text."""
FILTER = "mre+"
"""An aligner, as in the paper; it judges lines by aligning them as a document."""
CLEAN = "clean"
WAYS = ("no filtering", "all filtered", "web only", "right lines")
ROUNDS, AGAIN, RESTARTS = 6, 2, 5
"""Rounds of tuning on the clean text, rounds on others from these weights, random starts."""
RESAMPLES = 1000
SEED = 1
THREADS = 2


class Mixture(NamedTuple):
    """A text with wrong lines; ``right`` and ``web`` mark the right lines and the web half."""

    text: Text
    right: pl.Series
    web: pl.Series


def mixture(clean: Text, share: float) -> Mixture:
    """Return a text with a share of the web half's lines shuffled."""
    size = clean.src.len()
    web = np.arange(size) >= round(size * (1 - WEB))
    lines = np.flatnonzero(web)
    drawn = np.random.default_rng(SEED).choice(lines, round(share * lines.size), replace=False)
    drawn.sort()
    noisy = beads.randomize(*clean.rows(drawn), seed=SEED)
    sides = [
        side.scatter(drawn, moved)
        for side, moved in zip((one.clone() for one in clean), (noisy.src, noisy.tgt), strict=True)
    ]
    known = set(zip(*clean, strict=True))
    right = pl.Series([pair in known for pair in zip(*sides, strict=True)])
    return Mixture(Text(*sides), right, pl.Series(web))


def texts_of(given: Mixture, executor: Any) -> Iterator[tuple[str, pl.Series]]:
    """Yield the name of each system, and the lines it is trained on."""
    groups = pl.select(pl.when(given.web).then(pl.lit("web")).otherwise(pl.lit("rest"))).to_series()
    every = pl.Series([True]).new_from_index(0, given.right.len())
    yield WAYS[0], every
    how: dict[str, Any] = {"method": FILTER, "threads": executor}
    yield WAYS[1], beads.filter(*given.text, **how).lines["kept"]
    found = beads.filter(*given.text, groups=groups.to_list(), only=["web"], **how)
    yield WAYS[2], found.lines["kept"]
    yield WAYS[3], given.right


def system(
    text: Text, texts: Europarl, lm: Any, weights: Any, quick: bool, executor: Any
) -> pl.DataFrame:
    """Return the sizes of a text and its phrase table, tuned weights, their score, and outputs."""
    links = aligned(text, executor)
    needed = [texts.dev.src, texts.test.src, texts.far.src]
    table = mt.train(links, text, only=needed)
    tuned = mt.tune(
        *texts.dev,
        table,
        lm,
        weights,
        n_best=20 if quick else 100,
        rounds=2 if quick else AGAIN if weights else ROUNDS,
        restarts=1 if quick else RESTARTS,
        threads=executor,
    )
    found = [
        mt.translate(one, table, lm, tuned.to_weights(), threads=executor)["text"]
        for one in needed[1:]
    ]
    pairs = mt.train(links, text).height
    return pl.DataFrame(
        {
            "lines": [text.src.len()],
            "pairs": [pairs],
            "dev": [tuned.score],
            "weights": [tuned.weights.to_struct()],
            "outputs": [found],
        }
    )


def scored(rows: list[dict[str, Any]], outputs: dict[str, list[pl.Series]], texts: Europarl) -> Any:
    """Return systems with BLEU on both texts, and the gain from filtering."""
    table = pl.DataFrame(rows)
    for at, (name, text) in enumerate((("bleu_1", texts.test), ("bleu_2", texts.far))):
        hyps = {system: found[at] for system, found in outputs.items()}
        how: dict[str, Any] = {"metrics": ["bleu"], "tokenize": "none", "bootstrap": RESAMPLES}
        found = mt.score(hyps, text.tgt, **how).scores.select(
            "system", *(pl.col(f"bleu{end}").alias(name + end) for end in ("", "_low", "_high"))
        )
        table = table.join(found, on="system", maintain_order="left")
        parts = []
        for share in SHARES:
            own = {one: hyps[one] for one in hyps if one == CLEAN or one.startswith(f"{share:.0%}")}
            base = f"{share:.0%}, {WAYS[0]}"
            parts.append(mt.score(own, text.tgt, **how).compare(base))
        compared = pl.concat(parts).filter(pl.col("system") != CLEAN)
        table = table.join(
            compared.select(
                "system",
                pl.col("difference").alias(f"gain_{name[-1]}"),
                pl.col("p_value").alias(f"p_{name[-1]}"),
            ),
            on="system",
            how="left",
            maintain_order="left",
        )
    return table


def statements(scores: pl.DataFrame) -> Statements:
    """Return the paper's claims about its tables 4 and 5, and the assumptions of filtering."""
    by = {row["system"]: row for row in scores.iter_rows(named=True)}
    filtered = [row for name, row in by.items() if name.endswith(WAYS[1:3])]
    gains = [row[f"gain_{k}"] for row in filtered for k in (1, 2)]
    shown = "; ".join(
        f"{one['system']} {one['gain_1']:+.2f}, {one['gain_2']:+.2f}" for one in filtered
    )
    kept = [name for name in by if name.endswith(WAYS[1])]
    oracle = [
        by[name]["bleu_1"] >= by[f"{name.split(',')[0]}, {WAYS[3]}"]["bleu_1"] - 0.25
        for name in kept
    ]
    return {
        "filtering changes BLEU by less than a quarter of a point": (
            [abs(gain) < 0.25 for gain in gains],
            shown,
        ),
        "filtering makes the model smaller": (
            [row["model"] < 1 for row in filtered],
            "; ".join(f"{row['system']} {row['model']:.1%}" for row in filtered),
        ),
        "the filtered text is as good as the right lines, to within a quarter of a point": (
            oracle,
            "; ".join(
                f"{name} {by[name]['bleu_1']:.2f}, right lines "
                f"{by[name.split(',')[0] + ', ' + WAYS[3]]['bleu_1']:.2f}"
                for name in kept
            ),
        ),
        "noise costs BLEU": (
            [by[CLEAN]["bleu_1"] > by[f"{share:.0%}, {WAYS[0]}"]["bleu_1"] for share in SHARES],
            "; ".join(
                f"{CLEAN} {by[CLEAN]['bleu_1']:.2f}, {share:.0%} "
                f"{by[f'{share:.0%}, {WAYS[0]}']['bleu_1']:.2f}"
                for share in SHARES
            ),
        ),
    }


def main(given: Sequence[str] | None = None) -> None:
    """Run the study."""
    run = Run.of("zaidan_chowdhary_systems", (FOLDER,), given)
    quick = run.quick
    texts = europarl(run.corpora, 2000, 60) if quick else europarl(run.corpora)
    lm = language_model(texts.train.tgt)
    rows, outputs = [], {}
    weights = None
    with each_warning_once(), ProgressExecutor(THREADS, "Working") as executor:

        def add(
            name: str, text: Text, base: dict[str, Any] | None, **kept_shares: float
        ) -> dict[str, Any]:
            nonlocal weights
            given = {name: (text, texts, lm, weights, quick, executor)}
            made = run.rows(system, given)[name].row(0, named=True)
            found = {one["feature"]: one["weight"] for one in made.pop("weights")}
            weights = weights or found
            outputs[name] = list(map(pl.Series, made.pop("outputs")))
            dev = made.pop("dev")
            shares = {
                "data": made["lines"] / (base or made)["lines"],
                "model": made["pairs"] / (base or made)["pairs"],
            }
            row = {"system": name, **made, **shares, **kept_shares, "dev": dev}
            rows.append(row)
            print(f"{name}: {row['lines']:,} lines, {row['pairs']:,} pairs, dev {dev:.2f}")
            return row

        add(CLEAN, texts.train, None, right_kept=1.0)
        for share in SHARES:
            mixed = mixture(texts.train, share)
            base = None
            for way, kept in texts_of(mixed, executor):
                right_kept, wrong_kept = (
                    float(kept.filter(lines).to_numpy().mean())
                    for lines in (mixed.right, ~mixed.right)
                )
                row = add(
                    f"{share:.0%}, {way}",
                    mixed.text.rows(kept),
                    base,
                    right_kept=right_kept,
                    wrong_kept=wrong_kept,
                )
                base = base or row
    scores = scored(rows, outputs, texts)
    run.save(scores=scores)
    checks = statements(scores)
    heads = {
        "system": "Wrong lines in the web half, and lines kept",
        "lines": "Lines",
        "data": "Data",
        "model": "Model",
        "right_kept": "Right lines kept",
        "wrong_kept": "Wrong lines kept",
        "bleu_1": "BLEU 1",
        "gain_1": "Gain 1",
        "p_1": "p 1",
        "bleu_2": "BLEU 2",
        "gain_2": "Gain 2",
        "p_2": "p 2",
    }
    shares = dict.fromkeys(("data", "model", "right_kept", "wrong_kept"), ".1%")
    signed = dict.fromkeys(("gain_1", "gain_2"), "+.2f")
    page = Page(
        "Translation systems from filtered text",
        "Half of a training text stands in for web text: some of its lines are wrong. Systems are "
        "built from all lines, and from those that the filter keeps.",
        score_table(
            scores,
            heads,
            forms={**shares, **signed, "p_1": p_value, "p_2": p_value},
            blank=True,
            wide=True,
        ),
        [],
        [
            published(),
            statement_table(checks, "Checks"),
        ],
        [
            "French to English: 29,987 lines of Europarl, the second half of which stands in for "
            "web text. In wrong lines, each side is shuffled separately. The text of every system "
            "is realigned by the default aligner; the system without noise is tuned first, and "
            "tuning of the others starts from its weights. All have the same 3-gram language "
            "model, of the whole target text. Model is the number of phrase pairs. Test 1 follows "
            "the training text, test 2 is the end of the corpus. Gains over no filtering and their "
            "p-values are by the paired bootstrap.",
        ],
    )
    run.page(page)
    shown = [
        {
            **{name: row[name] for name in ("system", "lines")},
            **{name: "" if row[name] is None else f"{row[name]:.1%}" for name in shares},
            **{name: f"{row[name]:.2f}" for name in ("bleu_1", "bleu_2")},
            **{
                name: "" if row[name] is None else f"{row[name]:+.2f} ({row['p' + name[4:]]:.3f})"
                for name in signed
            },
        }
        for row in scores.iter_rows(named=True)
    ]
    print_table(shown, title="Systems from noisy text (tables 4 and 5)")
    say(checks)
    run.done()


def published() -> Table:
    """Return the paper's tables 4 and 5."""
    rows = [
        [pair, way, f"{data:g}%", f"{model:g}%", f"{one:.2f}", f"{two:.2f}"]
        for pair, ways in SYSTEMS.items()
        for way, (data, model, one, two) in ways.items()
    ]
    heads = ["Text", "Scenario", "Data", "Model", "BLEU 1", "BLEU 2"]
    return Table(heads, rows, title="The paper's", texts=2)


if __name__ == "__main__":
    main()
