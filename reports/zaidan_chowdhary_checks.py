"""The claims of Zaidan & Chowdhary 2013 about aligners under noise, compared with a study."""

from __future__ import annotations

import polars as pl

Statements = dict[str, tuple[list[bool], str]]

SOLVABLE = (("clean", 0.0), ("delete", 0.05), ("combine", 0.05))
SINGLE = ("skip", "band", "threshold")
NOISY = ("clean", "delete", "combine")


def statements(study: pl.DataFrame, tuning: pl.DataFrame) -> Statements:
    """Return the paper's claims, whether each holds in each case, and the figures.

    ``study`` has one row per corpus, scenario and method; ``tuning`` has recall and precision by
    corpus, rate and tuned parameter.
    """
    return {**_precision(study), **_recall(study), **_adversaries(study), **_tuned(tuning)}


def _precision(study: pl.DataFrame) -> Statements:
    found = {}
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
    found: Statements = {
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
