"""The models of TESLA-F in the package, and how they generalise.

``python reports/tesla_models.py [CORPORA] [--quick] [--out FOLDER]`` trains models on the rankings
of WMT 2012, writes ``reports/tesla_models/`` (report.html, wide.json, words.json, other.json), and
prints Kendall's tau of models trained on one language pair and tested on another, always on unseen
sentences, compared with chrF and with every single feature. ``other`` is trained on all pairs,
including those out of English, and tested on unseen pairs. The models in
``alignframe/tesla/models`` are copies of its output, and are compared with chrF on the rankings of
2013 and 2014 as well. Needs sacrebleu and WordNet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from dahlmeier_liu_ng import PAIRS, SYSTEMS
from dahlmeier_liu_ng_texts import QUICK, wmt12
from study import Run

from alignframe import mt, tesla
from alignframe.cli.show import print_table
from alignframe.formats.sentences import read_sentences
from alignframe.report.page import Page
from alignframe.report.tables import score_table
from alignframe.stats.bootstrap import interval, resample_sums, unit_of
from alignframe.tesla.model import SHIPPED, Model
from alignframe.tesla.rank_svm import rank_svm
from alignframe.tesla.signatures import made_with
from alignframe.tesla.surface import SurfaceFeatures
from alignframe.tesla.training import preferences

C = {"wide": 30.0, "words": 30.0, "other": 300.0}
"""The cost of an error. With 3, 30 and 300, and with a logistic loss with five penalties, the nine
cells of ``wide`` and ``words`` differ by 0.003 at most; a smaller cost is safer for systems of
other kinds. With these costs, ``other`` has 0.265, 0.266 and 0.270 on average on unseen pairs."""
FOLDS = 5
OTHERS = ("en-fr", "en-es")
LATER = ("wmt13-ranks/es-en", "wmt14-ranks/de-en", "wmt14-ranks/hi-en")
"""Rankings of years that no model was trained, chosen or tuned on."""
SENTENCES = 3003
TOLERANCE = 1e-3


class Judged(NamedTuple):
    """A language pair: the features and chrF of its translations, and its rankings."""

    features: pl.DataFrame
    rankings: pl.DataFrame
    signature: str


def judged(pair: str, folder: Path, name: str, quick: bool) -> Judged:
    """Return the training data of a language pair."""
    language = pair.split("-")[1]
    texts, reference, ranked = wmt12(folder, pair, (SYSTEMS, QUICK) if quick else None)
    options = {"language": language} | ({} if name == "wide" else {"tagger": "none"})
    features = "other" if name == "other" else "wide"
    found = tesla.score(texts, reference, features=features, bootstrap=0, **options)
    unlike = ("lang:",) if name == "other" else ("\n",)
    others = mt.segments(texts, reference, metrics=["chrf", "bleu"])
    others = others.select(
        "system", "sid", pl.col("chrf").alias("chrF"), pl.col("bleu").alias("BLEU")
    )
    return Judged(
        found.segments.join(others, on=["system", "sid"]),
        ranked,
        "|".join(part for part in made_with(found.signature) if not part.startswith(unlike)),
    )


def pooled(parts: Sequence[Judged]) -> Judged:
    """Return several language pairs as one; systems of different pairs are different systems."""
    features, rankings, before = [], [], 0
    for number, one in enumerate(parts):
        own = pl.format("{}.{}", pl.lit(number), pl.col("system").cast(pl.String)).alias("system")
        features.append(one.features.with_columns(own))
        rankings.append(one.rankings.with_columns(own, ranking=pl.col("ranking") + before))
        before = rankings[-1]["ranking"].max() + 1
    return Judged(pl.concat(features), pl.concat(rankings), parts[0].signature)


def names_of(name: str) -> tuple[str, ...]:
    """Return the features that a model weights."""
    if name == "other":
        return SurfaceFeatures("other").names
    bags = [f"{kind}_{n}" for kind in ("ms", "pos") for n in (1, 2, 3)]
    return (*([] if name == "words" else bags), *SurfaceFeatures().names)


def rounded(training: Mapping[str, Any]) -> dict[str, Any]:
    """Return figures without their last digits, which differ between machines."""
    return {
        name: float(f"{value:.4g}") if isinstance(value, float) else value
        for name, value in training.items()
    }


def cells(
    parts: dict[str, Judged], names: Sequence[str], lessons: dict[str, Sequence[str]], c: float
) -> pl.DataFrame:
    """Return models' tau on language pairs, the difference from chrF's, and the best feature.

    ``lessons`` are named lists of language pairs. A model is trained on all pairs of a lesson and
    tested on each pair, or if there are several, on each pair that is not among them.
    """
    every = (*names, "chrF", "BLEU")
    found = {pair: preferences(one.features, one.rankings, every) for pair, one in parts.items()}
    rows, draws = [], []
    for learnt, pairs in lessons.items():
        tested = {pair: one for pair, one in found.items() if len(pairs) == 1 or pair not in pairs}
        margins = {pair: np.zeros(one.sid.size) for pair, one in tested.items()}
        for fold in range(FOLDS):
            own, rankings = [], 0
            for source in (found[pair] for pair in pairs):
                seen = unit_of(source.sid, FOLDS) != fold
                rankings += np.unique(source.ranking[seen]).size
                own.append(source.differences[seen, : len(names)])
            fit = rank_svm(np.concatenate(own), rankings, c=c, tolerance=TOLERANCE)
            for pair, one in tested.items():
                out = unit_of(one.sid, FOLDS) == fold
                margins[pair][out] = one.differences[out, : len(names)] @ fit.weights
        for pair, one in tested.items():
            signs = np.where(np.column_stack([margins[pair], one.differences]) > 0, 1.0, -1.0)
            taus = signs.mean(axis=0)
            chrf = every.index("chrF") + 1
            singles = [at for at in range(1, taus.size) if at != chrf]
            best = max(singles, key=taus.__getitem__)
            less = by_sentence(signs[:, 0] - signs[:, chrf], one.sid)
            draws.append(less)
            low, high = interval(less, observed=float(taus[0] - taus[chrf]))
            rows.append(
                {
                    "learnt on": learnt,
                    "tested on": pair,
                    "tau": float(taus[0]),
                    "chrF": float(taus[chrf]),
                    "difference": float(taus[0] - taus[chrf]),
                    "difference_low": float(low),
                    "difference_high": float(high),
                    "best feature": every[best - 1],
                    "its tau": float(taus[best]),
                }
            )
    frame = pl.DataFrame(rows)
    low, high = interval(np.mean(draws, axis=0), observed=frame["difference"].mean())
    mean = frame.select(pl.col("tau", "chrF", "difference", "its tau").mean()).with_columns(
        pl.lit("mean").alias("learnt on"),
        pl.lit("").alias("tested on"),
        pl.lit("").alias("best feature"),
        difference_low=float(low),
        difference_high=float(high),
    )
    return pl.concat([frame, mean.select(frame.columns)])


def by_sentence(values: np.ndarray, sids: np.ndarray) -> np.ndarray:
    """Return the means over resampled sentences, with the same resamples for every pair."""
    sums = np.zeros((SENTENCES, 2))
    np.add.at(sums, sids, np.column_stack([values, np.ones_like(values)]))
    drawn = resample_sums(sums, 1000, 1)
    means: np.ndarray = drawn[:, 0] / drawn[:, 1]
    return means


def later(folder: Path, most: int | None) -> pl.DataFrame:
    """Return the shipped models' tau on preferences of later years, compared with chrF's."""
    rows = []
    for place in LATER:
        home = folder / place
        reference = read_sentences(home / "ref.en.gz").slice(0, most)
        pairs = pl.read_csv(home / "pairs.csv.gz").filter(pl.col("sid") < len(reference))
        pairs = pairs.with_row_index("ranking")
        judged = set(pairs["better"]) | set(pairs["worse"])
        texts = {
            name: read_sentences(home / "system-outputs" / f"{name}.en.gz").slice(0, most)
            for name in sorted(judged)
        }
        rankings = pl.concat(
            pairs.select("ranking", "sid", system=column, rank=pl.lit(rank))
            for rank, column in enumerate(("better", "worse"), 1)
        )
        segments = {
            name: tesla.score(
                texts,
                reference,
                metric="f",
                model=name,
                bootstrap=0,
                **({} if name == "wide" else {"tagger": "none"}),
            ).segments
            for name in SHIPPED
        }
        chrf = mt.segments(texts, reference, metrics=["chrf"])
        segments["chrF"] = chrf.select("system", "sid", score="chrf")
        found = tesla.meta(rankings.sort("ranking", "rank"), segments)
        tau = dict(found.scores.select("metric", "tau_wmt12").iter_rows())
        less = found.comparisons.filter(figure="tau_wmt12", other="chrF")
        rows += [
            {
                "rankings": place,
                "preferences": pairs.height,
                "model": row["metric"],
                "tau": tau[row["metric"]],
                "chrF": tau["chrF"],
                **{name: row[name] for name in less.columns if name.startswith("difference")},
            }
            for row in less.iter_rows(named=True)
        ]
    return pl.DataFrame(rows)


def main(given: Sequence[str] | None = None) -> None:
    """Train, test and save the models."""
    run = Run.of("tesla_models", ("wmt12", *LATER), given)
    pages = []
    for name in SHIPPED:
        every_pair = (*PAIRS, *OTHERS) if name == "other" else PAIRS
        pairs = every_pair[:2] if run.quick else every_pair
        parts = {pair: judged(pair, run.corpora, name, run.quick) for pair in pairs}
        every = pooled(list(parts.values()))
        names = names_of(name)
        model = tesla.train(
            every.features, every.rankings, names=names, c=C[name], signature=every.signature
        )
        Model(
            names,
            tuple(round(weight, 6) for weight in model.weights),
            (),
            model.signature,
            {**rounded(model.training), "pairs of languages": ", ".join(pairs), "year": "WMT 2012"},
        ).save(run.out / f"{name}.json")
        lessons = {pair: [pair] for pair in pairs}
        if name == "other":
            lessons = {f"all but {pair}": [one for one in pairs if one != pair] for pair in pairs}
        found = cells(parts, names, lessons, C[name])
        run.save(**{name: found})
        pages.append(
            score_table(
                found,
                {
                    column: column
                    for column in found.columns
                    if not column.startswith("difference_")
                },
                form=".3f",
                title=f"Model {name}",
            )
        )
        print_table(found.to_dicts(), title=f"Kendall's tau (WMT12) of the model {name}")
    found = later(run.corpora, QUICK if run.quick else None)
    run.save(later=found)
    print_table(found.to_dicts(), title="The models of the package on later years")
    run.page(
        Page(
            "Models of TESLA-F on other language pairs",
            "Trained on the rankings of one language pair, and tested on those of another, on "
            "other sentences.",
            pages[0],
            [],
            pages[1:],
            [],
            every.signature,
        )
    )
    run.done()


if __name__ == "__main__":
    main()
