"""The texts of ``dahlmeier_liu_ng.py``: translations, pivot tables and language models."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pyarrow as pa

from alignframe import tesla
from alignframe.errors import DataWarning
from alignframe.formats.sentences import read_sentences
from alignframe.language.tokenize import token_lists
from alignframe.result import TableResult
from alignframe.tesla.estimate import estimate_language_model, text_columns, write_arpa
from alignframe.tesla.language_model import read_language_model
from alignframe.tesla.pivot_build import build_pivot_table
from alignframe.tesla.pivot_table import read_pivot_table, write_pivot_table

PIVOTS = ("fr", "es", "de")
LEARNT = ("2008", "2009", "2010", "2011")
QUICK = 300
"""Number of sentences of each text in a smoke test."""


class Resources(NamedTuple):
    """The resources of TESLA-B and TESLA-F: pivot tables and language models, by name."""

    pivots: dict[str, Any]
    language_models: dict[str, Any]


def wmt12(
    folder: Path, pair: str, most: tuple[int | None, int | None] | None = None
) -> tuple[dict[str, pa.StringArray], pa.StringArray, pl.DataFrame]:
    """Return the translations of a language pair by system, their reference and their rankings.

    ``most`` are the maximum numbers of systems and sentences.
    """
    systems, sentences = most or (None, None)
    home = folder / "wmt12"
    files = sorted((home / "system-outputs" / pair).iterdir())[:systems]
    texts = {file.name.split(".", 2)[2]: read_sentences(file).slice(0, sentences) for file in files}
    reference = read_sentences(home / "references" / f"newstest2012-ref.{pair.split('-')[1]}")
    reference = reference.slice(0, sentences)
    rankings = tesla.read_rankings(home / "rankings.csv", pair=pair)
    ranked = rankings.frame.filter(
        pl.col("system").cast(pl.String).is_in(list(texts)), pl.col("sid") < len(reference)
    )
    return texts, reference, ranked


def ranked_features(
    pair: str, given: Resources, folder: Path, most: tuple[int, int] | None = None
) -> tuple[pl.DataFrame, pl.DataFrame, dict[str, pa.StringArray], pa.StringArray]:
    """Return all features of translations, their rankings, texts and reference; see ``wmt12``."""
    texts, reference, ranked = wmt12(folder, pair, most)
    found = tesla.score(
        texts,
        reference,
        "b",
        pivots=given.pivots,
        language_models=given.language_models,
        bootstrap=0,
    )
    return found.segments, ranked, texts, reference


def resources(folder: Path, out: Path, quick: bool, europarl: Any = None) -> Resources:
    """Return pivot tables and language models, and save them in ``out``.

    ``europarl`` are sentences to use instead of the whole corpus.
    """
    pivots = {}
    for language in PIVOTS[:1] if quick else PIVOTS:
        path = out / f"{language}.pivot.parquet"
        if not path.exists():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DataWarning)  # a pair without links
                write_pivot_table(
                    _pivot_table(folder, language, LEARNT[:1] if quick else LEARNT, quick), path
                )
        pivots[language] = read_pivot_table(path)
    news = [_news(folder, year, "en") for year in (LEARNT[:1] if quick else LEARNT)]
    texts: dict[str, Any] = {"news": text_columns(news)}
    if europarl is not None:
        texts["europarl"] = iter([token_lists(europarl, "penn")])
    elif not quick:
        texts["europarl"] = text_columns([folder / "europarl-enfr" / "d200k.en.gz"])
    models = {}
    for name, columns in texts.items():
        path = out / f"{name}.arpa.gz"
        if not path.exists():
            if quick:
                columns = iter([next(columns).slice(0, QUICK)])
            write_arpa(estimate_language_model(columns), path)
        models[name] = read_language_model(path)
    return Resources(pivots, models)


def _pivot_table(folder: Path, language: str, years: Sequence[str], quick: bool) -> TableResult:
    """Return the pivot table of several years of news, aligned by the default aligner."""
    sides = {}
    for name, code in (("src", "en"), ("tgt", language)):
        text = [read_sentences(_news(folder, year, code)) for year in years]
        sides[name] = token_lists(pa.concat_arrays(text).slice(0, QUICK if quick else None), "penn")
    sid = pa.array(range(len(sides["src"])))
    return build_pivot_table(pa.table({"sid": sid, **sides}), name=language)


def _news(folder: Path, year: str, language: str) -> Path:
    return folder / "newstest" / year / f"newstest{year}.{language}"
