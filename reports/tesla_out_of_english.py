"""TESLA out of English without a tagger, on the rankings of WMT 2012: tables 3 and 4 in kind.

``python reports/tesla_out_of_english.py [CORPORA] [--quick] [--out FOLDER]`` learns tags, lemmas
and synonyms of French and Spanish from the news of 2008 to 2011 and writes
``reports/tesla_out_of_english/``: agreement with people of TESLA-M and TESLA-F beside BLEU and
chrF. sacrebleu and WordNet are needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
from dahlmeier_liu_ng import SYSTEMS
from dahlmeier_liu_ng_texts import LEARNT, QUICK, systems_of
from study import Run, each_warning_once

from alignframe import mt, tesla
from alignframe.cli.show import print_table
from alignframe.formats import write
from alignframe.formats.sentences import read_sentences
from alignframe.language import Analysis
from alignframe.report.page import Page
from alignframe.report.tables import score_table

PAIRS = ("en-fr", "en-es")
SHOWN = ("consistency", "tau_wmt12", "tau_wmt13", "spearman", "pearson")


def news(folder: Path, language: str, years: Sequence[str]) -> pa.Array:
    """Return the news of some years."""
    paths = (folder / "newstest" / year / f"newstest{year}.{language}" for year in years)
    return pa.concat_arrays([read_sentences(path) for path in paths])


def agreement(pair: str, folder: Path, out: Path, quick: bool) -> pl.DataFrame:
    """Return how metrics agree with the rankings of a language pair."""
    language = pair.removeprefix("en-")
    years, most = (LEARNT[:1], QUICK) if quick else (LEARNT, None)
    english, other = (news(folder, code, years).slice(0, most) for code in ("en", language))
    tags = out / f"{language}.tags.parquet"
    if not tags.exists():
        write(tesla.learn_tags(english, other), tags)
    files = systems_of(folder, pair, SYSTEMS if quick else None)
    texts = {name: read_sentences(path).slice(0, most) for name, path in files.items()}
    reference = read_sentences(folder / "wmt12" / "references" / f"newstest2012-ref.{language}")
    reference = reference.slice(0, most)
    rankings = tesla.read_rankings(folder / "wmt12" / "rankings.csv", pair=pair).frame.filter(
        pl.col("system").cast(pl.String).is_in(list(files)), pl.col("sid") < len(reference)
    )
    learnt = Analysis.of(language, tagger=str(tags))
    alone = Analysis.of(language, tagger="none")
    keys = ["system", "sid"]
    scores = mt.segments(texts, reference).select(*keys, BLEU="bleu", chrF="chrf")
    options: dict[str, dict[str, Any]] = {
        "TESLA-M": {"metric": "m", "analysis": learnt},
        "TESLA-F, wide": {"metric": "f", "analysis": learnt},
        "TESLA-F, words": {"metric": "f", "analysis": alone},
    }
    for name, chosen in options.items():
        found = tesla.score(texts, reference, bootstrap=0, **chosen).segments
        scores = scores.join(found.select(*keys, pl.col("score").alias(name)), on=keys)
    held = tesla.meta(
        rankings, scores, metrics=[name for name in scores.columns if name not in keys]
    )
    held.comparisons.write_parquet(out / f"{pair}.comparisons.parquet")
    return held.scores.select(pl.lit(pair).alias("pair"), "metric", *SHOWN)


def main(given: Sequence[str] | None = None) -> None:
    """Make the study."""
    run = Run.of("tesla_out_of_english", ("wmt12", "newstest"), given)
    with each_warning_once():
        pairs = PAIRS[:1] if run.quick else PAIRS
        found = pl.concat([agreement(pair, run.corpora, run.out, run.quick) for pair in pairs])
    run.save(figures=found)
    print_table(found.to_dicts(), title="Agreement with people, out of English")
    table = score_table(found, {name: name for name in found.columns}, form=".3f")
    about = "Tags, lemmas and synonyms of the language are learnt from 10,068 pairs of news."
    run.page(Page("TESLA out of English", about, table, [], [], [], ""))
    run.done()


if __name__ == "__main__":
    main()
