"""Leave-one-out correlation, correlation within groups, and over pieces."""

import math
import random

import polars as pl
import pytest
from helpers.sql import connected
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from reference.correlation import external_of, keyed, made_counts, slow_left_out, slow_measures

from alignframe.errors import InputError
from alignframe.stats import correlate, measure_values

ALPHAS = [0.1, 0.5, 0.75]


def slow_values(counts, names):
    """Return the figures of the systems by measure, annotation and alpha."""
    tables = [slow_measures(counts.filter(system=name).to_dicts(), ALPHAS) for name in names]
    return {key: [table[key] for table in tables] for key in tables[0]}


def same(found, wanted):
    assert set(found) == set(wanted)
    for key, value in wanted.items():
        assert found[key] is None if value is None else found[key] == pytest.approx(value, abs=1e-7)


@settings(max_examples=6)
@given(st.integers(4, 7), st.integers(1, 4), st.integers(0, 10**6), st.booleans())
def test_r2_left_out_against_plain_python(systems, sentences, seed, lower):
    counts, outside = made_counts(systems, sentences, seed), external_of(systems, seed + 1)
    scores = sorted(outside.values())
    assume(scores[0] < scores[-2])  # or all but one are equal
    assume(scores[1] < scores[-1])
    frame = correlate(counts, outside, alpha=ALPHAS, bootstrap=0, lower_is_better=lower)
    names = sorted(outside)
    wanted = slow_left_out(
        slow_values(counts, names), [outside[name] for name in names], -1 if lower else 1
    )
    found = keyed(frame, "r2_left_out")
    undefined = {key for key, r in keyed(frame, "pearson").items() if r is None and key[2]}
    same(
        {k: v for k, v in found.items() if k not in undefined},
        {k: v for k, v in wanted.items() if k not in undefined},
    )


def test_contents_of_chosen_rows():
    frame = correlate(made_counts(6, 9, 2), external_of(6, 3), bootstrap=20)
    chosen = frame.filter(measure="f_chosen")
    assert chosen["annotation"].to_list() == ["sure-possible", "sure", "possible", "any"]
    assert chosen["systems"].to_list() == [6] * 4
    assert not chosen["best"].any()
    assert chosen.select("alpha", "pearson", "r2", "best_share").null_count().row(0) == (4,) * 4


def test_choosing_among_noise_predicts_nothing():
    """The best of many uninformative measures has some r2, but none when left out."""
    rng = random.Random(1)
    names = [f"s{k:02}" for k in range(20)]
    scores = {name: rng.gauss(0, 1) for name in names}
    noise = {f"f_{k / 100:g}": [rng.gauss(0, 1) for _ in names] for k in range(1, 99)}
    frame = correlate(pl.DataFrame({"system": names, **noise}), scores, bootstrap=0)
    best, chosen = frame.filter("best"), frame.filter(measure="f_chosen")
    assert best["r2"][0] > 0.2
    assert chosen.height == 1  # there is one annotation to choose from
    assert chosen["r2_left_out"][0] < 0


def test_a_perfect_measure_predicts_everything():
    x = [0.1, 0.2, 0.4, 0.5]
    frame = pl.DataFrame({"system": list("abcd"), "f_0.1": x, "f_0.5": [3, 1, 2, 5]})
    found = keyed(
        correlate(frame, dict(zip("abcd", [2 * v + 1 for v in x], strict=True))), "r2_left_out"
    )
    assert found["f_0.1", "sure-possible", 0.1] == pytest.approx(1)
    assert found["f_chosen", "sure-possible", None] == pytest.approx(1)


def test_three_systems_are_too_few():
    frame = correlate(made_counts(3, 9, 1), {"s0": 1.0, "s1": 3.0, "s2": 2.0}, bootstrap=0)
    assert frame["r2_left_out"].null_count() == frame.height


@settings(max_examples=3)
@given(st.integers(4, 6), st.integers(1, 4), st.integers(0, 10**6), st.booleans())
@example(4, 1, 0, True)
def test_sql_gives_the_same_figures(systems, sentences, seed, lower):
    counts, scores = made_counts(systems, sentences, seed), external_of(systems, seed + 1)
    assume(len(set(scores.values())) > 1)
    wanted = correlate(counts, scores, alpha=ALPHAS, bootstrap=0, lower_is_better=lower)
    outside = pl.DataFrame({"system": list(scores), "score": list(scores.values())})
    measured = measure_values(counts, alpha=ALPHAS)
    with connected() as con:
        macro = "correlations_left_out('measured', 'outside', lower_is_better := $lower)"
        found = con.sql(f"select * from {macro}", params={"lower": lower}).pl()
    keys = ["measure", "annotation", "alpha", "systems"]
    assert measured.height + outside.height
    assert found.select(keys).equals(wanted.select(keys))
    same(keyed(found, "r2_left_out"), keyed(wanted, "r2_left_out"))


# --- groups


def grouped(systems, seed):
    outside = external_of(systems, seed)
    groups = [f"way {k % 2}" for k in range(systems)]
    return pl.DataFrame({"system": list(outside), "score": list(outside.values()), "group": groups})


def test_groups_equal_separate_tables():
    counts, outside = made_counts(11, 12, 4), grouped(11, 5)
    frame = correlate(counts, outside, by_group=True, bootstrap=40)
    assert frame["group"].unique(maintain_order=True).to_list() == [None, "way 0", "way 1"]
    every = correlate(counts, outside, bootstrap=40)
    assert frame.filter(pl.col("group").is_null()).equals(every)
    for name in ("way 0", "way 1"):
        own = outside.filter(group=name)
        alone = correlate(counts.join(own, on="system", how="semi"), own, bootstrap=40)
        assert frame.filter(group=name).drop("group").equals(alone.drop("group"))


def test_groups_that_are_too_small_or_have_equal_scores():
    outside = pl.DataFrame(
        {
            "system": [f"s{k}" for k in range(8)],
            "score": [1.0, 2.0, 5.0, 5.0, 5.0, 3.0, 4.0, 9.0],
            "group": ["two", "two", "flat", "flat", "flat", "good", "good", "good"],
        }
    )
    frame = correlate(made_counts(8, 9, 1), outside, by_group=True, bootstrap=10)
    for name, systems in (("two", 2), ("flat", 3)):
        own = frame.filter(group=name)
        assert own["systems"].to_list() == [systems] * 28
        assert own["pearson"].null_count() == own["r2_left_out"].null_count() == 28
    assert frame.filter(group="good")["pearson"].count() >= 28
    with pytest.raises(InputError, match="group"):
        correlate(made_counts(4, 2, 1), external_of(4, 1), by_group=True)


# --- pieces


def in_pieces(seed, pieces=(1, 3, 2, 1, 2)):
    """Return counts of systems with this many pieces each, over the same sentences."""
    every = made_counts(sum(pieces), 6, seed)
    names = [(f"s{k}", f"{piece}") for k, n in enumerate(pieces) for piece in range(n)]
    owner = pl.DataFrame(
        [
            {"system": f"s{at}", "run": system, "piece": piece}
            for at, (system, piece) in enumerate(names)
        ]
    )
    joined = every.join(owner, on="system").drop("system").rename({"run": "system"})
    return joined.sample(fraction=1, shuffle=True, seed=seed)


@settings(max_examples=4)
@given(st.integers(0, 10**6))
def test_figures_are_means_over_pieces(seed):
    counts = in_pieces(seed)
    values = measure_values(counts, alpha=ALPHAS)
    wanted = {}
    for (system, _), own in counts.group_by("system", "piece"):
        for key, value in slow_measures(own.to_dicts(), ALPHAS).items():
            wanted.setdefault((system, *key), []).append(value)
    keys = ("system", "measure", "annotation", "alpha")
    found = {tuple(row[k] for k in keys): row["value"] for row in values.to_dicts()}
    assert found == pytest.approx({k: sum(v) / len(v) for k, v in wanted.items()})
    with connected() as con:
        rows = con.sql("select * from measure_values('counts', alphas := [0.1, 0.5, 0.75])").pl()
    assert {tuple(r[k] for k in keys): r["value"] for r in rows.to_dicts()} == pytest.approx(found)


def test_one_piece_per_system_changes_nothing():
    counts, outside = made_counts(5, 8, 2), external_of(5, 4)
    plain = correlate(counts, outside, bootstrap=30)
    pieces = correlate(counts.with_columns(piece=pl.lit("1")), outside, bootstrap=30)
    assert pieces.drop("signature").equals(plain.drop("signature"))
    assert "average:pieces" in pieces["signature"][0].split("|")


def test_sentences_are_resampled_alike_in_all_pieces():
    """A system with the same piece twice equals a system with a single piece."""
    counts, outside = made_counts(5, 8, 2), external_of(5, 4)
    twice = pl.concat(counts.with_columns(piece=pl.lit(k)) for k in (1, 2))
    one, other = (correlate(frame, outside, bootstrap=30) for frame in (counts, twice))
    for name in ("r2_low_sentences", "r2_high_sentences", "r2"):
        assert one[name].drop_nulls().to_list() == pytest.approx(other[name].drop_nulls().to_list())


def test_an_undefined_piece_makes_its_system_undefined():
    counts = in_pieces(3).with_columns(n_possible="n_hyp_possible")
    empty = (pl.col("system") == "s1") & (pl.col("piece") == "2")
    names = ["n_hyp", "n_sure", "n_possible", "n_hyp_sure", "n_hyp_possible"]
    counts = counts.with_columns(pl.when(empty).then(0).otherwise(pl.col(names)).name.keep())
    values = measure_values(counts, alpha=[0.5]).filter(measure="1-aer")
    assert values.filter(pl.col("value").is_null())["system"].to_list() == ["s1"]
    with connected() as con:
        rows = con.sql("select system, value from measure_values('counts') where measure = '1-aer'")
        assert {name for name, value in rows.fetchall() if value is None} == {"s1"}


def test_pieces_with_different_sentences():
    counts = in_pieces(3)
    fewer = counts.filter((pl.col("piece") != "2") | (pl.col("sid") > 2))
    with pytest.raises(InputError, match="piece 2"):
        measure_values(fewer)
    assert math.isfinite(measure_values(counts)["value"].sum())
