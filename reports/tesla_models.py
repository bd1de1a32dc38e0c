"""The models of TESLA-F in the package, and how they generalise.

``python reports/tesla_models.py [CORPORA] [--quick] [--out FOLDER]`` trains models on the rankings
of WMT 2012, writes ``reports/tesla_models/`` (report.html, wide.json, words.json, other.json), and
prints Kendall's tau of models trained on one language pair and tested on another, always on unseen
sentences, compared with chrF and with every single feature. ``other`` is trained on all pairs,
including those out of English, and tested on unseen pairs. The models in
``alignframe/tesla/models`` are copies of its output, and are compared with chrF on the rankings of
2013 and 2014 as well. Needs WordNet.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from dahlmeier_liu_ng import PAIRS
from dahlmeier_liu_ng_texts import QUICK, bleu_and_chrf, wmt12
from study import Run

from alignframe import mt, tesla
from alignframe.cli.show import print_table
from alignframe.formats.sentences import read_sentences
from alignframe.pages.page import Page
from alignframe.pages.tables import score_table
from alignframe.stats.bootstrap import interval, resample_sums, unit_of
from alignframe.tesla.model import SHIPPED, Model
from alignframe.tesla.rank_svm import rank_svm
from alignframe.tesla.signatures import made_with
from alignframe.tesla.surface import SurfaceFeatures
from alignframe.tesla.training import Preferences, preferences

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


def judged(run: Run, name: str, pairs: Sequence[str]) -> dict[str, Judged]:
    """Return the training data of a model by language pair."""
    settings = {f"{name}, features of {pair}": (run, name, pair) for pair in pairs}
    rows = run.rows(features_of, settings).values()
    return {
        pair: Judged(one.drop("signature"), wmt12(run, pair)[-1], one["signature"][0])
        for pair, one in zip(pairs, rows, strict=True)
    }


def features_of(run: Run, name: str, pair: str) -> pl.DataFrame:
    """Return the features of translations, their BLEU and chrF, and how features were made."""
    texts, reference, _ = wmt12(run, pair)
    found = tesla.score(
        texts,
        reference,
        features="other" if name == "other" else "wide",
        bootstrap=0,
        language=pair.split("-")[1],
        tagger=None if name == "wide" else "none",
    )
    unlike = ("lang:",) if name == "other" else ("\n",)
    made = [part for part in made_with(found.signature) if not part.startswith(unlike)]
    others = bleu_and_chrf(texts, reference)
    whole = found.segments.join(others, on=["system", "sid"])
    return whole.with_columns(signature=pl.lit("|".join(made)))


def pooled(parts: Iterable[Judged]) -> Judged:
    """Return several language pairs as one; systems of different pairs are different systems."""
    features, rankings, before = [], [], 0
    for number, one in enumerate(parts):
        own = pl.format("{}.{}", pl.lit(number), pl.col("system").cast(pl.String)).alias("system")
        features.append(one.features.with_columns(own))
        rankings.append(one.rankings.with_columns(own, ranking=pl.col("ranking") + before))
        before += 1 + one.rankings.select(pl.col("ranking").max()).item()
    return Judged(pl.concat(features), pl.concat(rankings), one.signature)


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


def lesson(
    found: Mapping[str, Preferences],
    names: Sequence[str],
    learnt: str,
    pairs: Sequence[str],
    c: float,
) -> pl.DataFrame:
    """Return a model's tau on language pairs, the difference from chrF's, and the best feature.

    The model is trained on all pairs of a lesson and tested on each pair, or if there are several,
    on each pair that is not among them.
    """
    every = (*names, "chrF", "BLEU")
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
    rows = []
    for pair, one in tested.items():
        signs = np.where(np.column_stack([margins[pair], one.differences]) > 0, 1.0, -1.0)
        taus = signs.mean(axis=0)
        chrf = every.index("chrF") + 1
        singles = [at for at in range(1, taus.size) if at != chrf]
        best = max(singles, key=taus.__getitem__)
        less = by_sentence(signs[:, 0] - signs[:, chrf], one.sid)
        low, high = interval(
            less, observed=float(taus[0] - taus[chrf]), units=np.unique(one.sid).size
        )
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
                "sentences": np.unique(one.sid).size,
                "drawn": less.tolist(),
            }
        )
    return pl.DataFrame(rows)


def with_mean(cells: pl.DataFrame) -> pl.DataFrame:
    """Return the cells of all lessons, followed by their mean, without what was drawn."""
    drawn = np.mean(cells["drawn"].to_list(), axis=0)
    low, high = interval(
        drawn,
        observed=float(cells["difference"].to_numpy().mean()),
        units=int(cells["sentences"].to_numpy().min()),
    )
    mean = cells.select(pl.col("tau", "chrF", "difference", "its tau").mean()).with_columns(
        pl.lit("mean").alias("learnt on"),
        pl.lit("").alias("tested on"),
        pl.lit("").alias("best feature"),
        difference_low=float(low),
        difference_high=float(high),
    )
    return pl.concat([cells.drop("drawn", "sentences"), mean], how="diagonal")


def by_sentence(values: np.ndarray, sids: np.ndarray) -> np.ndarray:
    """Return the means over resampled sentences, with the same resamples for every pair."""
    sums = np.zeros((SENTENCES, 2))
    np.add.at(sums, sids, np.column_stack([values, np.ones_like(values)]))
    drawn = resample_sums(sums, 1000, 1)
    means: np.ndarray = drawn[:, 0] / drawn[:, 1]
    return means


def later(home: Path, most: int | None) -> pl.DataFrame:
    """Return the shipped models' tau on preferences of later years, compared with chrF's."""
    reference = read_sentences(home / "ref.en.gz").slice(0, most)
    every = tesla.read_rankings(home / "pairs.csv.gz").frame
    rankings = every.filter(pl.col("sid") < len(reference))
    texts = {
        name: read_sentences(home / "system-outputs" / f"{name}.en.gz").slice(0, most)
        for name in sorted(rankings["system"].cast(pl.String).unique())
    }
    segments = {
        name: tesla.score(
            texts,
            reference,
            metric="f",
            model=name,
            bootstrap=0,
            tagger=None if name == "wide" else "none",
        ).segments
        for name in SHIPPED
    }
    chrf = mt.score(texts, reference, metrics=["chrf"]).segments
    segments["chrF"] = chrf.select("system", "sid", score="chrf")
    found = tesla.meta(rankings, segments)
    tau = dict(found.scores.select("metric", "tau_wmt12").iter_rows())
    less = found.comparisons.filter(figure="tau_wmt12", other="chrF")
    return less.select(
        pl.lit(f"{home.parent.name}/{home.name}").alias("rankings"),
        pl.lit(rankings.height // 2, pl.Int64).alias("preferences"),
        pl.col("metric").alias("model"),
        pl.col("metric").replace_strict(tau).alias("tau"),
        pl.lit(tau["chrF"]).alias("chrF"),
        "^difference.*$",
    )


def main(given: Sequence[str] | None = None) -> None:
    """Train, test and save the models."""
    run = Run.of("tesla_models", ("wmt12", *LATER), given)
    pages = []
    for name in SHIPPED:
        every_pair = (*PAIRS, *OTHERS) if name == "other" else PAIRS
        pairs = every_pair[:2] if run.quick else every_pair
        parts = judged(run, name, pairs)
        every = pooled(parts.values())
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
        known = {
            pair: preferences(one.features, one.rankings, (*names, "chrF", "BLEU"))
            for pair, one in parts.items()
        }
        lessons = {pair: [pair] for pair in pairs}
        if name == "other":
            lessons = {f"all but {pair}": [one for one in pairs if one != pair] for pair in pairs}
        cells = run.rows(
            lesson,
            {
                f"{name}, learnt on {learnt}": (known, names, learnt, several, C[name])
                for learnt, several in lessons.items()
            },
        )
        found = with_mean(pl.concat(cells.values(), rechunk=True))
        run.save(**{name: found})
        heads = {one: one for one in found.columns if not one.startswith("difference_")}
        pages.append(score_table(found, heads, form=".3f", title=f"Model {name}"))
        print_table(found.to_dicts(), title=f"Kendall's tau (WMT12) of the model {name}")
    most = QUICK if run.quick else None
    found = pl.concat(
        run.rows(later, {place: (run.corpora / place, most) for place in LATER}).values()
    )
    run.save(later=found)
    print_table(found.to_dicts(), title="The models of the package on later years")
    about = (
        "Trained on the rankings of one language pair, and tested on those of another, on other "
        "sentences."
    )
    title = "Models of TESLA-F on other language pairs"
    run.page(Page(title, about, pages[0], [], pages[1:], [], every.signature))
    run.done()


if __name__ == "__main__":
    main()
