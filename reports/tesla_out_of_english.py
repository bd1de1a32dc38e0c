"""TESLA without a tagger, for languages other than English, on WMT 2012 (as tables 3 and 4).

``python reports/tesla_out_of_english.py [CORPORA] [--quick] [--out FOLDER]`` learns tags, lemmas
and synonyms of French and Spanish from the news of 2008 to 2011 and writes
``reports/tesla_out_of_english/``: the agreement of TESLA-M, TESLA-B, TESLA-F, BLEU and chrF with
human judges. English is the pivot of TESLA-B; the model of TESLA-F is trained on the other language
pairs. Needs snowballstemmer and WordNet.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
from dahlmeier_liu_ng import PAIRS as PAIRS_INTO_ENGLISH
from dahlmeier_liu_ng_texts import bleu_and_chrf, news, wmt12
from study import Run, each_warning_once
from tesla_models import TOLERANCE, C, judged, names_of, pooled

from alignframe import tesla
from alignframe.cli.show import print_table
from alignframe.formats import write
from alignframe.language import Analysis
from alignframe.language.tokenize import token_lists
from alignframe.pages.page import Page
from alignframe.pages.tables import score_table
from alignframe.tesla.pivot_table import write_pivot_table

PAIRS = ("en-fr", "en-es")
SHOWN = ("consistency", "tau_wmt12", "tau_wmt13", "spearman", "pearson")


def pivot_of(english: pa.Array, other: pa.Array, language: str, out: Path) -> str:
    """Return the path of the pivot table with English as the pivot."""
    path = out / f"{language}-en.pivot.parquet"
    if not path.exists():
        table = tesla.build_pivot_table(
            (token_lists(other), token_lists(english)),
            name="en",
            language=language,
            pivot_tagger="textblob",
            pivot_language="en",
        )
        write_pivot_table(table, path)
    return str(path)


def learnt_elsewhere(run: Run, pair: str) -> tesla.Model:
    """Return the model ``other``, trained on all language pairs but one."""
    others = [one for one in (*PAIRS_INTO_ENGLISH, *PAIRS) if one != pair]
    every = pooled(judged(run, "other", others[: 1 if run.quick else None]).values())
    return tesla.train(
        every.features,
        every.rankings,
        names=names_of("other"),
        c=C["other"],
        signature=every.signature,
        tolerance=TOLERANCE,
    )


def agreement(run: Run, pair: str) -> pl.DataFrame:
    """Return the agreement of metrics with the rankings of a language pair."""
    language = pair.removeprefix("en-")
    english, other = (news(run, code) for code in ("en", language))
    tags = run.out / f"{language}.tags.parquet"
    if not tags.exists():
        write(tesla.learn_tags(english, other), tags)
    texts, reference, rankings = wmt12(run, pair)
    learnt = Analysis.of(language, tagger=str(tags))
    stems = Analysis.of(language, tagger=str(tags), lemmas="stems", synonyms="none")
    pivots = {"en": pivot_of(english, other, language, run.out)}
    keys = ["system", "sid"]
    scores = bleu_and_chrf(texts, reference)
    options: dict[str, dict[str, Any]] = {
        "TESLA-M": {"metric": "m", "analysis": learnt},
        "TESLA-M, stems": {"metric": "m", "analysis": stems},
        "TESLA-B": {"metric": "b", "analysis": learnt, "pivots": pivots},
        "TESLA-B, stems": {"metric": "b", "analysis": stems, "pivots": pivots},
        "TESLA-F": {
            "metric": "f",
            "model": learnt_elsewhere(run, pair),
            "analysis": Analysis.of(language, tagger="none"),
        },
        "TESLA-F, wide": {"metric": "f", "model": "wide", "analysis": learnt},
    }
    for name, chosen in options.items():
        found = tesla.score(texts, reference, bootstrap=0, **chosen).segments
        scores = scores.join(found.select(*keys, pl.col("score").alias(name)), on=keys)
    metrics = [name for name in scores.columns if name not in keys]
    held = tesla.meta(rankings, scores, metrics=metrics, consensus=True)
    held.comparisons.write_parquet(run.out / f"{pair}.comparisons.parquet")
    return held.scores.select(pl.lit(pair).alias("pair"), "metric", *SHOWN)


def main(given: Sequence[str] | None = None) -> None:
    """Run the study."""
    run = Run.of("tesla_out_of_english", ("wmt12", "newstest"), given)
    with each_warning_once():
        pairs = PAIRS[:1] if run.quick else PAIRS
        settings = {pair: (run, pair) for pair in pairs}
        found = pl.concat(run.rows(agreement, settings).values())
    run.save(figures=found)
    print_table(found.to_dicts(), title="Agreement with human rankings, out of English")
    table = score_table(found, {name: name for name in found.columns}, form=".3f")
    about = "Tags, lemmas and synonyms are learnt from 10,068 sentence pairs of news."
    run.page(Page("TESLA out of English", about, table, [], [], [], ""))
    run.done()


if __name__ == "__main__":
    main()
