"""The figures of tables 1 to 5 of Zaidan & Chowdhary 2013, in percent as printed.

Evaluating (and Improving) Sentence Alignment under Noisy Conditions, sections 4.4, 5.1.2 and 5.2.2.
"""

from __future__ import annotations

import polars as pl

from alignframe.beads.scenarios import TABLE_1

METHODS = ("len", "mre", "mre+")
TUNED = ("none", "skip", "band", "threshold", "all")
"""The parameters tuned: the paper's None, PRIOR, SIZE, THRESHOLD and ALL."""
RATES = (0.05, 0.2)
"""The deletion rates of tables 2 and 3."""

SYSTEMS = {
    "Arabic-English": {
        "no filtering": (100, 100, 31.44, 30.57),
        "all filtered": (94.8, 96.7, 31.29, 30.34),
        "web only": (96.6, 96.0, 31.54, 30.52),
    },
    "Urdu-English": {
        "no filtering": (100, 100, 38.03, 13.32),
        "all filtered": (81.6, 85.9, 38.19, 13.13),
        "web only": (99.1, 99.1, 37.80, 12.78),
    },
}
"""Tables 4 and 5: sizes of data and model, and BLEU of two texts."""

UNDER_1 = 0.5
"""The value used for the paper's <1%."""

# One line per scenario: precision, recall and alignment rate of LEN, MRE and MRE+.
_TABLE_1 = {
    "en-es": """
        100 82 82  100 85 85  100 99 99
        100 46 44   99 71 68  100 96 91
        100 39 38   99 66 64  100 92 89
        0 0 1        0 0 4     34 1 4
        0 0 82       0 0 15     0 0 7
    """,
    "en-ar": """
        100 55 55  100 60 60  100 89 89
         99 27 26   99 44 42  100 82 78
         99 22 21   99 41 39   99 77 74
        N/A 0 0     17 <1 <1   26 <1 1
        0 0 59       0 0 9      5 <1 2
    """,
    "en-zh": """
        100 66 66  100 72 72  100 97 97
        100 40 39   99 56 55  100 92 88
         99 35 34   99 52 50   99 87 82
        0 0 <1       0 0 <1    29 <1 2
        0 0 62       0 0 13     2 <1 5
    """,
}

# Recall in tables 2 and 3: nothing tuned, the prior, the size, the threshold, all.
_RECALL = {
    "en-es": ((95.7, 96.2, 95.8, 96.8, 97.1), (87.8, 92.7, 88.0, 89.3, 93.0)),
    "en-ar": ((82.4, 85.6, 82.8, 86.7, 87.5), (68.1, 81.5, 68.8, 70.4, 82.8)),
    "en-zh": ((92.0, 93.5, 92.0, 92.9, 93.7), (81.9, 88.4, 82.3, 84.3, 90.6)),
}


def table_1() -> pl.DataFrame:
    """Return precision, recall and alignment rate by corpus, scenario and method.

    The paper's EN-CH is called en-zh; its N/A is null.
    """
    rows = []
    for corpus, text in _TABLE_1.items():
        for setting, line in zip(TABLE_1, text.strip().splitlines(), strict=True):
            figures = [_share(word) for word in line.split()]
            for at, method in enumerate(METHODS):
                rows.append((corpus, *setting, method, *figures[3 * at : 3 * at + 3]))
    keys = ["corpus", "scenario", "src_rate", "tgt_rate", "method"]
    measures = ["pair_precision", "pair_recall", "alignment_rate"]
    return pl.DataFrame(rows, [*keys, *measures], orient="row", infer_schema_length=None)


def tables_2_and_3() -> pl.DataFrame:
    """Return recall by corpus, deletion rate and tuned parameter."""
    rows = [
        (corpus, rate, tuned, recall / 100)
        for corpus, both in _RECALL.items()
        for rate, figures in zip(RATES, both, strict=True)
        for tuned, recall in zip(TUNED, figures, strict=True)
    ]
    return pl.DataFrame(rows, ["corpus", "rate", "tuned", "recall"], orient="row")


def _share(word: str) -> float | None:
    if word == "N/A":
        return None
    return (UNDER_1 if word == "<1" else float(word)) / 100
