"""What Zaidan & Chowdhary 2013 found: tables 1 to 5, and claims compared with a study.

Evaluating (and Improving) Sentence Alignment under Noisy Conditions, sections 4.4, 5.1.2 and 5.2.2.
Figures are in percent, as printed.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
from study import Statements

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

SOLVABLE = (("clean", 0.0), ("delete", 0.05), ("combine", 0.05))
SINGLE = ("skip", "band", "threshold")
NOISY = ("clean", "delete", "combine")

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


def statements(study: pl.DataFrame, tuning: pl.DataFrame) -> Statements:
    """Return the paper's claims, whether each holds in each case, and the figures.

    ``study`` has one row per corpus, scenario and method; ``tuning`` has recall and precision by
    corpus, rate and tuned parameter.
    """
    return {**_precision(study), **_recall(study), **_adversaries(study), **_tuned(tuning)}


def _precision(study: pl.DataFrame) -> Statements:
    found: dict[str, tuple[Sequence[bool], str]] = {}
    for names, text in (
        (("clean", "delete"), "clean or at 5% deletions"),
        (("combine",), "5% combined"),
    ):
        easy = study.filter(
            pl.col("scenario").is_in(names),
            pl.col("src_rate") == pl.col("tgt_rate"),
            pl.col("src_rate") <= 0.05,
        )
        if easy.height:
            rows = _rows(easy, "pair_precision")
            found[f"precision of all three is at least 99% ({text})"] = (
                [value is not None and value >= 0.99 for *_, value in rows],
                _listed(rows),
            )
    return found


def _recall(study: pl.DataFrame) -> Statements:
    wide = _wide(study, "pair_recall")
    named = wide.filter(
        pl.col("src_rate") == pl.col("tgt_rate"),
        pl.concat_str("scenario", "src_rate").is_in([f"{one}{rate}" for one, rate in SOLVABLE]),
    )
    rising = (wide["len"] < wide["mre"]) & (wide["mre"] < wide["mre+"])
    gaps = wide["mre+"] - wide["mre"] > wide["mre"] - wide["len"]
    return {
        "recall rises from LEN to MRE to MRE+ (clean, 5% deleted, 5% combined)": (
            [a < b < c for a, b, c in named.select("len", "mre", "mre+").iter_rows()],
            "; ".join(
                f"{corpus} {scenario} {a:.1%}, {b:.1%}, {c:.1%}"
                for corpus, scenario, a, b, c in named.select(
                    "corpus", "scenario", "len", "mre", "mre+"
                ).iter_rows()
            ),
        ),
        "the same in every scenario with deletions or combinations": (
            rising.to_list(),
            f"{rising.sum()} of {len(rising)}",
        ),
        "the gap from MRE to MRE+ is larger than that from LEN to MRE": (
            gaps.to_list(),
            ", ".join(
                f"{corpus} in {n} of {of}"
                for corpus, n, of in wide.with_columns(gap=gaps)
                .group_by("corpus", maintain_order=True)
                .agg(pl.col("gap").sum(), pl.len())
                .iter_rows()
            ),
        ),
    }


def _adversaries(study: pl.DataFrame) -> Statements:
    wanted = {
        "randomized: MRE's alignment rate is at most 5%": ("randomize", "mre", 0.05),
        "length-aligned: LEN's alignment rate stays above 50% (the paper: 59% to 82%)": (
            "length-aligned",
            "len",
            None,
        ),
        "length-aligned: MRE's alignment rate is at most 15%": ("length-aligned", "mre", 0.15),
        "length-aligned: MRE+'s alignment rate is at most 10%": ("length-aligned", "mre+", 0.1),
        "different texts: MRE+'s alignment rate is at most 10%": ("different", "mre+", 0.1),
    }
    found = {}
    for text, (scenario, method, most) in wanted.items():
        mine = study.filter(scenario=scenario, method=method)
        if mine.height:
            rates = mine["alignment_rate"].to_list()
            holds = [rate >= 0.5 if most is None else rate <= most for rate in rates]
            listed = zip(mine["corpus"], rates, strict=True)
            found[text] = (holds, ", ".join(f"{corpus} {rate:.1%}" for corpus, rate in listed))
    return found


def _tuned(tuning: pl.DataFrame) -> Statements:
    keys = ["corpus", "rate"]
    recall = {row[:3]: row[3] for row in tuning.select(*keys, "tuned", "recall").iter_rows()}
    places = list(dict.fromkeys(key[:2] for key in recall))
    gains = {
        place: {name: recall[*place, name] - recall[*place, "none"] for name in (*SINGLE, "all")}
        for place in places
    }

    def shown(place: tuple[str, float], names: tuple[str, ...]) -> str:
        corpus, rate = place
        listed = ", ".join(f"{name} {100 * gains[place][name]:+.1f}" for name in names)
        return f"{corpus} {rate:.0%}: {listed}"

    noisy = [place for place in places if place[1] == max(rate for _, rate in places)]
    found: dict[str, tuple[Sequence[bool], str]] = {
        "at 20% deletions, the prior is worth the most of the three": (
            [max(SINGLE, key=lambda name: gains[place][name]) == "skip" for place in noisy],
            "; ".join(shown(place, SINGLE) for place in noisy),
        ),
        "all tuned, recall rises (the paper: 1.4 to 5.1 points at 5%, 5.2 to 14.7 at 20%)": (
            [gains[place]["all"] > 0 for place in places],
            "; ".join(shown(place, ("all",)) for place in places),
        ),
        "tuning the size changes recall by less than a point": (
            [abs(gains[place]["band"]) < 0.01 for place in places],
            "; ".join(shown(place, ("band",)) for place in places),
        ),
    }
    for rate, least in ((0.05, 0.99), (0.2, 0.98)):
        mine = tuning.filter(rate=rate)
        if mine.height:
            low = mine.group_by("corpus", maintain_order=True).agg(pl.col("precision").min())
            found[f"however tuned, precision is at least {least:.0%} at {rate:.0%} deletions"] = (
                (mine["precision"] >= least).to_list(),
                "least: " + ", ".join(f"{corpus} {value:.1%}" for corpus, value in low.iter_rows()),
            )
    return found


def _wide(study: pl.DataFrame, measure: str) -> pl.DataFrame:
    """Return one column per method, and one row per corpus and scenario that has pairs to find."""
    keys = ["corpus", "scenario", "src_rate", "tgt_rate"]
    mine = study.filter(pl.col("scenario").is_in(NOISY))
    return mine.pivot("method", index=keys, values=measure)


def _rows(study: pl.DataFrame, measure: str) -> list[tuple[str, str, str, float | None]]:
    return study.select("corpus", "scenario", "method", measure).rows()


def _listed(rows: list[tuple[str, str, str, float | None]]) -> str:
    texts: dict[str, list[str]] = {}
    for corpus, scenario, _, value in rows:
        shown = "N/A" if value is None else f"{value:.1%}"
        texts.setdefault(f"{corpus} {scenario}", []).append(shown)
    return "; ".join(f"{name} {', '.join(figures)}" for name, figures in texts.items())
