"""The program that reproduces the paper's evaluation, on a small scale."""

import polars as pl
import pytest
from helpers import study as helpers_study


@pytest.fixture(scope="module")
def program():
    return helpers_study.program("dahlmeier_liu_ng")


def figures(program, values):
    rows = [
        {"pair": pair, "metric": metric, **dict.fromkeys(program.SHOWN, value)}
        for pair in ("fr-en", "es-en")
        for metric, value in zip(program.METRICS, values, strict=True)
    ]
    return pl.DataFrame(rows)


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ((0.1, 0.9, 0.2, 0.3, 0.4), [[True, True]] * 3),  # chrF is not involved
        ((0.4, 0.0, 0.3, 0.2, 0.1), [[False, False]] * 3),
        ((0.1, 0.1, 0.1, 0.1, 0.1), [[True, True]] * 3),
    ],
)
def test_the_order_of_metrics_is_checked(program, values, wanted):
    found = program.statements(figures(program, values))
    assert [cases for cases, _ in found.values()] == wanted * len(program.MEASURES)
    assert "fr-en" in next(iter(found.values()))[1]


def test_published_figures_are_in_brackets(program):
    table = figures(program, (0.1, 0.2, 0.3, 0.4, 0.5))
    table = table.with_columns(pearson=pl.lit(None, pl.Float64))
    rows = program.with_published(table)
    shown = {(row["pair"], row["metric"]): row for row in rows}
    assert shown["fr-en", "TESLA-B"]["consistency"] == "0.400 (0.64)"
    assert shown["es-en", "TESLA-M"]["Spearman's ρ, systems"] == "0.300 (0.99)"
    assert shown["fr-en", "BLEU"]["consistency"] == "0.100"
    assert shown["fr-en", "BLEU"]["Pearson's r, systems"] == ""


def test_a_sentence_is_scored_by_a_model_that_has_not_seen_its_rankings(program):
    """Rankings of even sentences prefer high ms_1, those of odd ones low ms_1."""
    rows = [
        {"system": name, "sid": sid, "ms_1": value, "pos_1": 0.5}
        for sid in range(40)
        for name, value in (("a", 0.9), ("b", 0.1))
    ]
    rankings = pl.DataFrame(
        {"ranking": sid, "sid": sid, "judge": None, "system": name, "rank": rank}
        for sid in range(40)
        for name, rank in (("a", 1 + sid % 2), ("b", 2 - sid % 2))
    )
    features = pl.DataFrame(rows)
    scores = features.with_columns(score=program.crossed(features, rankings))
    best = scores.sort("score").group_by("sid").agg(pl.col("system").last()).sort("sid")
    # Each half is scored as the other half is ranked, so everything is wrong.
    assert best["system"].to_list() == ["b", "a"] * 20


def test_the_study_on_a_small_scale(program, corpora, wordnet, tmp_path, capsys):
    program.main([str(corpora), "--quick", "--out", str(tmp_path)])
    scores = pl.read_parquet(tmp_path / "fr-en.segments.parquet")
    assert scores.columns == ["system", "sid", "TESLA-M", "TESLA-B", "TESLA-F", "BLEU", "chrF"]
    texts = helpers_study.program("dahlmeier_liu_ng_texts")
    assert scores["system"].n_unique() == texts.SYSTEMS
    assert scores["sid"].n_unique() == texts.QUICK
    found = pl.read_parquet(tmp_path / "figures.parquet").filter(pair="fr-en")
    assert found["metric"].to_list() == [*program.METRICS, "consensus"]
    assert found["consistency"].is_between(0.5, 0.7).all()
