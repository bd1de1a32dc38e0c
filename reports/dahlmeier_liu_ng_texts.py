"""The texts of ``dahlmeier_liu_ng.py``: translations, pivot tables and language models."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pyarrow as pa
from study import Run

from alignframe import mt, tesla
from alignframe.errors import DataWarning
from alignframe.formats.sentences import read_sentences
from alignframe.language.tokenize import token_lists
from alignframe.tesla.estimate import estimate_language_model, text_columns, write_arpa
from alignframe.tesla.language_model import read_language_model
from alignframe.tesla.pivot_build import build_pivot_table
from alignframe.tesla.pivot_table import read_pivot_table, write_pivot_table

PIVOTS = ("fr", "es", "de")
LEARNT = ("2008", "2009", "2010", "2011")
SYSTEMS, QUICK = 4, 300
"""Numbers of systems, and of sentences of each text, in a smoke test."""


class Resources(NamedTuple):
    """The resources of TESLA-B and TESLA-F: pivot tables and language models, by name."""

    pivots: dict[str, Any]
    language_models: dict[str, Any]

    def features(self, texts: Mapping[str, Any], reference: Any) -> pl.DataFrame:
        """Return all features of translations."""
        return tesla.score(
            texts,
            reference,
            "b",
            bootstrap=0,
            pivots=self.pivots,
            language_models=self.language_models,
        ).segments


def wmt12(run: Run, pair: str) -> tuple[dict[str, pa.StringArray], pa.StringArray, pl.DataFrame]:
    """Return the translations of a language pair by system, their reference and their rankings."""
    systems, sentences = (SYSTEMS, QUICK) if run.quick else (None, None)
    home = run.corpora / "wmt12"
    files = sorted((home / "system-outputs" / pair).iterdir())[:systems]
    texts = {file.name.split(".", 2)[2]: read_sentences(file).slice(0, sentences) for file in files}
    reference = read_sentences(home / "references" / f"newstest2012-ref.{pair.split('-')[1]}")
    reference = reference.slice(0, sentences)
    rankings = tesla.read_rankings(home / "rankings.csv", pair=pair)
    ranked = rankings.frame.filter(
        pl.col("system").cast(pl.String).is_in(list(texts)), pl.col("sid") < len(reference)
    )
    return texts, reference, ranked


def bleu_and_chrf(texts: Mapping[str, Any], reference: Any) -> pl.DataFrame:
    """Return BLEU and chrF of the segments of systems."""
    return mt.score(texts, reference).segments.select("system", "sid", BLEU="bleu", chrF="chrf")


def resources(run: Run, europarl: Any = None) -> Resources:
    """Return pivot tables and language models, and save them with the study.

    ``europarl`` are sentences to use instead of the whole corpus.
    """
    pivots = {}
    for language in PIVOTS[:1] if run.quick else PIVOTS:
        path = run.out / f"{language}.pivot.parquet"
        if not path.exists():
            english, other = (token_lists(news(run, code), "penn") for code in ("en", language))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DataWarning)  # a pair without links
                write_pivot_table(build_pivot_table((english, other), name=language), path)
        pivots[language] = read_pivot_table(path)
    texts: dict[str, Any] = {"news": text_columns(_news(run, "en"))}
    if europarl is not None:
        texts["europarl"] = iter([token_lists(europarl, "penn")])
    elif not run.quick:
        texts["europarl"] = text_columns([run.corpora / "europarl-enfr" / "d200k.en.gz"])
    models = {}
    for name, columns in texts.items():
        path = run.out / f"{name}.arpa.gz"
        if not path.exists():
            if run.quick:
                columns = iter([next(columns).slice(0, QUICK)])
            write_arpa(estimate_language_model(columns), path)
        models[name] = read_language_model(path)
    return Resources(pivots, models)


def news(run: Run, language: str) -> pa.Array:
    """Return the news of several years; in a smoke test, the first sentences."""
    text = pa.concat_arrays(list(map(read_sentences, _news(run, language))))
    return text.slice(0, QUICK if run.quick else None)


def _news(run: Run, language: str) -> list[Path]:
    years = LEARNT[:1] if run.quick else LEARNT
    home = run.corpora / "newstest"
    return [home / year / f"newstest{year}.{language}" for year in years]
