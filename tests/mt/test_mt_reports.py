"""The studies that train translation systems: their statements on known figures."""

import polars as pl
import pytest
from helpers.study import REPORTS, program, recorded_study

from alignframe.mt.judged import external_of
from alignframe.stats import correlate


@pytest.fixture(scope="module")
def judged():
    return recorded_study()


def test_every_program_can_be_imported():
    for path in sorted(REPORTS.glob("*.py")):
        found = program(path.stem)
        assert found.__doc__
        if '__name__ == "__main__"' in path.read_text("utf-8"):
            assert callable(found.main)


def signed(counts, scores):
    """Return r2 with BLEU by measure, on Sure and Possible links, negative if r is."""
    found = correlate(counts, external_of(scores, "bleu").drop("group"), bootstrap=0)
    own = found.filter(annotation="sure-possible").select(
        "measure", pl.col("pearson") * pl.col("pearson").abs()
    )
    return dict(own.iter_rows())


def test_recall_predicts_bleu_and_aer_does_not(judged):
    """The r2 of F(0.1) exceeds that of 1 - AER by 0.3 for one model."""
    gained = {}
    for model in ("bayes", "ibm4", "hmm"):
        own = pl.col("system").str.starts_with(model)
        r2 = signed(judged.counts.filter(own), judged.scores.filter(own))
        gained[model] = r2["f_0.1"] - max(r2["1-aer"], 0)
        assert r2["f_0.2"] - max(r2["1-aer"], 0) > 0.3
    assert {model: gain >= 0.3 for model, gain in gained.items()} == {
        "bayes": True,
        "ibm4": True,
        "hmm": False,
    }
    of_all = judged.correlations.filter(pl.col("group").is_null(), annotation="sure-possible")
    best = of_all.filter(pl.col("measure").str.starts_with("f_"), best=True)
    assert best["measure"].to_list() == ["f_0.2"]


def test_the_union_beats_the_intersection(judged):
    """By BLEU, for bayes at each amount of text; by the other scores, for all models."""
    run = pl.col("system").str.strip_suffix(pl.format(".{}", "group"))
    for score, models in (("bleu", 1), ("chrf", 3), ("tesla", 3)):
        wide = judged.scores.with_columns(run=run).pivot("group", index="run", values=score)
        better = wide.filter(pl.col("union-closure") > pl.col("intersection"))["run"].to_list()
        assert sum(name.startswith("bayes.") for name in better) == 3
        assert len(better) == (9 if models == 3 else 5)


def test_the_statements_of_the_study(judged):
    found = program("fraser_marcu_mt").findings(judged)
    cases = {text: holds for text, (holds, _) in found.items()}
    assert cases["r2 of F(0.1) exceeds that of 1 - AER by 0.3"] is False  # over all three models
    assert cases["BLEU: more text is better, with the same model and method"] == [True] * 24
    assert cases["1 - AER predicts better within each method than over all"]
    sizes = "the phrase table of the intersection is larger than that of the union"
    assert cases[sizes] == [True] * 9
    again = program("fraser_marcu_mt").recorded(judged)
    assert again.equals(pl.read_csv(REPORTS / "fraser_marcu_mt.csv").select(again.columns))


def test_the_page_of_studies_has_these_figures(judged):
    text = (REPORTS.parent / "docs" / "studies.md").read_text("utf-8")
    for model, joined in (("bayes", "refined"), ("hmm", "union-closure"), ("ibm4", "intersection")):
        names = [f"{model}.{amount}.{joined}" for amount in ("1-16", "1-4", "1")]
        values = [judged.scores.row(by_predicate=pl.col("system") == name)[2] for name in names]
        row = f"| {model} | {joined} | " + " | ".join(f"{value:.2f}" for value in values)
        assert row in text


def test_tuning_is_compared_with_the_paper_s_table():
    tuning = program("dahlmeier_liu_ng_tuning")
    rows = [
        {"system": name, **dict.fromkeys(tuning.TUNED, 0.5 + 0.1 * (name == "TESLA-F")), "words": w}
        for name, w in zip(tuning.TUNED, (18.0, 22.0, 22.0, 23.0), strict=True)
    ]
    scores = pl.DataFrame(rows)
    best, bleu, longer, ends = (said for said, _ in tuning.statements(scores, 20.0).values())
    assert (best, bleu, longer, ends) == ([True] * 3, False, [True] * 3, [True] * 4)
    shown = tuning.with_published(scores, 20.0)
    assert shown[0]["TESLA-M"] == "0.5000 (0.3756)"
    assert shown[-1]["words"] == "20.0 (19.8)"


def test_filtered_text_is_evaluated():
    systems, europarl = program("zaidan_chowdhary_systems"), program("europarl")
    lines = pl.Series([f"line {k}" for k in range(40)])
    mixed = systems.mixture(europarl.Text(lines, lines.str.to_uppercase()), 0.5)
    assert mixed.web.to_list() == [k >= 20 for k in range(40)]
    assert 2 <= (~mixed.right).sum() <= 10
    assert (mixed.right | mixed.web).all()
    assert set(mixed.text.src) == set(lines)
    rows = [{"system": systems.CLEAN, "bleu_1": 32.0, "model": 1.0}]
    for share in systems.SHARES:
        for way in systems.WAYS:
            moved = {"gain_1": 0.1, "gain_2": 0.4} if way in systems.WAYS[1:3] else {}
            name = f"{share:.0%}, {way}"
            rows.append({"system": name, "bleu_1": 31.5, "model": 0.5, **moved})
    found = systems.statements(pl.DataFrame(rows))
    small, size, kept, cost = (said for said, _ in found.values())
    assert (small, size) == ([True, False] * 4, [True] * 4)
    assert (kept, cost) == ([True] * 2, [True] * 2)
    assert len(systems.published().rows) == sum(map(len, systems.SYSTEMS.values()))
