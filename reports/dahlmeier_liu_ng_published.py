"""The published figures of Dahlmeier, Liu & Ng 2011, and whether they hold elsewhere.

Figures of their tables 1 and 2 (into English, WMT 2009), and of table 5 with the words per sentence
from section 5.2 (Urdu to English).
"""

from __future__ import annotations

import polars as pl

CONSISTENCY = {
    "TESLA-M": {"fr-en": 0.61, "de-en": 0.61, "es-en": 0.59},
    "TESLA-B": {"fr-en": 0.64, "de-en": 0.63, "es-en": 0.62},
    "TESLA-F": {"fr-en": 0.65, "de-en": 0.64, "es-en": 0.62},
}
SPEARMAN = {
    "TESLA-M": {"fr-en": 0.86, "de-en": 0.85, "es-en": 0.99},
    "TESLA-B": {"fr-en": 0.92, "de-en": 0.67, "es-en": 0.95},
    "TESLA-F": {"fr-en": 0.92, "de-en": 0.68, "es-en": 0.94},
}

TUNED = {
    "BLEU": {"BLEU": 0.2715, "TESLA-M": 0.3756, "TESLA-B": 0.3129, "TESLA-F": 0.3920},
    "TESLA-M": {"BLEU": 0.2279, "TESLA-M": 0.4056, "TESLA-B": 0.3279, "TESLA-F": 0.3981},
    "TESLA-B": {"BLEU": 0.2370, "TESLA-M": 0.4001, "TESLA-B": 0.3257, "TESLA-F": 0.3977},
    "TESLA-F": {"BLEU": 0.2432, "TESLA-M": 0.4076, "TESLA-B": 0.3299, "TESLA-F": 0.4007},
}
"""Scores of each system by every metric; keys are the metric it was tuned for, then the score."""
LENGTHS = {"BLEU": 18.7, "TESLA-M": 22.4, "TESLA-B": 21.7, "TESLA-F": 22.5, "reference": 19.8}

ORDER = (("TESLA-F", "TESLA-B"), ("TESLA-B", "TESLA-M"), ("TESLA-M", "BLEU"))
"""Pairs of metrics, of which the first agrees with judges at least as well as the second."""

MEASURES = ("consistency", "tau_wmt12", "spearman")


def statements(figures: pl.DataFrame) -> dict[str, tuple[list[bool], str]]:
    """Return whether the order of each pair of metrics holds by each measure, per language pair.

    ``figures`` has one row per pair and metric, with the columns of ``tesla.meta``.
    """
    found = {}
    for measure in MEASURES:
        for better, worse in ORDER:
            cases, shown = [], []
            for pair in figures["pair"].unique(maintain_order=True):
                own = figures.filter(pair=pair)
                one, two = (own.filter(metric=name)[measure][0] for name in (better, worse))
                cases.append(one >= two)
                shown.append(f"{pair} {one:.3f}, {two:.3f}")
            found[f"{measure}: {better} >= {worse}"] = (cases, "; ".join(shown))
    return found
