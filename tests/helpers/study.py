"""The programs of studies, and a recorded study of word alignments evaluated by translation."""

from importlib import import_module
from pathlib import Path

import polars as pl
import pytest

from alignframe import mt
from alignframe.core.schemas import COUNTS
from alignframe.mt.judged import SCHEMA, correlations_of

REPORTS = Path(__file__).resolve().parents[2] / "reports"


def program(name):
    """Import one of the programs in reports/."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(REPORTS)
        return import_module(name)


def recorded_study():
    """Return the study of 36 alignments as recorded: scores, and counts summed."""
    table = pl.read_csv(REPORTS / "fraser_marcu_mt.csv").with_columns(sid=pl.lit(0, pl.Int64))
    absent = [pl.lit(None, SCHEMA[name]).alias(name) for name in SCHEMA if name not in table]
    scores = table.with_columns(absent).select(*SCHEMA)
    counts = table.select("system", "sid", *COUNTS)
    bleu = scores.with_columns(pl.lit(None, pl.Float64).alias(name) for name in ("chrf", "tesla"))
    return mt.MtStudy(scores, correlations_of(bleu, counts, bootstrap=0), counts, "metric:mt-study")
