"""Subsets of segments: figures equal those of files with only these sentences."""

import warnings

import numpy as np
import polars as pl
import pytest
from helpers.cli import json_of, run
from helpers.formats import quietly
from hypothesis import given, settings
from hypothesis import strategies as st

from alignframe import tesla
from alignframe.errors import DataWarning, InputError
from alignframe.language import Analysis
from alignframe.tesla.meta import meta
from alignframe.tesla.rankings import read_rankings

TOKENS = Analysis.of(
    tokens="given", lemmas="given", synonyms="none", content="penn", tagger="given"
)
word = st.sampled_from(["a|DT|a", "cat|NN|cat", "sat|VBD|sit", "red|JJ|red"])
line = st.lists(word, min_size=1, max_size=5).map(" ".join)
SYSTEMS = ("x", "y", "z")


def part(lines, kept):
    return [lines[k] for k in kept]


@settings(max_examples=3)
@given(
    st.lists(st.tuples(line, line, line), min_size=2, max_size=7),
    st.sets(st.integers(0, 6), min_size=1),
)
def test_scores_equal_those_of_smaller_files(rows, chosen):
    one, two, ref = (list(side) for side in zip(*rows, strict=True))
    kept = sorted({k % len(rows) for k in chosen})
    how = {"analysis": TOKENS, "bootstrap": 20 if len(kept) > 1 else 0}
    ours = tesla.score({"x": one, "y": two}, ref, sids=kept, **how)
    small = tesla.score({"x": part(one, kept), "y": part(two, kept)}, part(ref, kept), **how)
    places = small.segments["sid"].to_numpy()
    renamed = small.segments.with_columns(sid=np.array(kept)[places])
    assert ours.segments.equals(renamed)
    assert ours.scores.drop("signature").equals(small.scores.drop("signature"))
    if ours.segments.drop_nulls("score")["sid"].n_unique() > 1:
        same = (found.compare("x").drop("signature") for found in (ours, small))
        assert next(same).equals(next(same))
    assert ours.of_segments.subset.mark in ours.signature
    assert ours.signature.replace(f"|{ours.of_segments.subset.mark}", "") == small.signature


def test_conditions_on_numbers_and_lengths():
    ref = ["a|DT|a", "a|DT|a cat|NN|cat", "cat|NN|cat sat|VBD|sit red|JJ|red"]
    found = tesla.score(
        {"x": ref}, ref, analysis=TOKENS, sids=[0, 1, 2], where="n_ref > 1 and sid < 2"
    )
    assert found.segments["sid"].to_list() == [1]
    assert "|subset:1of3," in found.signature


def test_a_condition_may_query_a_file(tmp_path):
    pl.DataFrame({"sid": [0, 1, 2], "domain": ["a", "b", "a"]}).write_csv(tmp_path / "domains.csv")
    where = f"sid in (select sid from '{tmp_path / 'domains.csv'}' where domain = 'a')"
    ref = ["a|DT|a"] * 3
    assert tesla.score(
        {"x": ref}, ref, analysis=TOKENS, where=where
    ).of_segments.subset.sids.tolist() == [0, 2]


def test_empty_references_outside_the_subset_cause_no_warning():
    ref = ["", "a|DT|a", ""]
    tesla.score({"x": ref}, ref, analysis=TOKENS, sids=[1])
    with pytest.warns(DataWarning, match="1 empty line .*line 3"):
        tesla.score({"x": ref}, ref, analysis=TOKENS, sids=[1, 2])


def test_bad_subsets_of_a_reference():
    ref = ["a|DT|a", "cat|NN|cat"]
    for choice, message in (
        ({"sids": [2]}, "no sentence 2"),
        ({"where": "sid > 5"}, "none of 2"),
        ({"where": "sid"}, "true or false"),
        ({"sids": ["0"]}, "whole numbers"),
    ):
        with pytest.raises(InputError, match=message):
            tesla.score({"x": ref}, ref, analysis=TOKENS, **choice)
    with pytest.raises(InputError, match=r"system.*columns sid"):
        tesla.score({"x": ref}, ref, analysis=TOKENS, where="system = 'x'")
    with pytest.raises(
        InputError, match="has 3 sentences, the reference 2"
    ):  # even if the subset has as many
        tesla.score({"x": [*ref, "a|DT|a"]}, ref, analysis=TOKENS, sids=[0])


def judged(seed, sentences=12):
    """Return rankings, and scores with a domain by sentence."""
    draw = np.random.default_rng(seed)
    ranked = [
        {"ranking": r, "sid": r % sentences, "system": name, "rank": int(rank)}
        for r in range(2 * sentences)
        for name, rank in zip(SYSTEMS, draw.integers(1, 4, 3), strict=True)
    ]
    scored = [
        {"system": name, "sid": sid, "score": float(draw.random()), "domain": "ab"[sid % 2]}
        for name in SYSTEMS
        for sid in range(sentences)
    ]
    return pl.DataFrame(ranked), pl.DataFrame(scored)


@settings(max_examples=3)
@given(st.integers(0, 99), st.sets(st.integers(0, 11), min_size=2))
def test_agreement_equals_that_of_smaller_tables(seed, kept):
    rankings, scores = judged(seed)
    scores = {"one": scores, "two": scores.with_columns(score=pl.col("score").sin() * -1)}
    kept = sorted(kept)
    ours = quietly(meta, rankings, scores, sids=kept, bootstrap=20)
    cut = pl.col("sid").is_in(kept)
    theirs = quietly(
        meta, rankings.filter(cut), {n: s.filter(cut) for n, s in scores.items()}, bootstrap=20
    )
    assert ours.scores.drop("signature").equals(theirs.scores.drop("signature"))
    assert ours.comparisons.equals(theirs.comparisons)
    assert ours.systems.equals(theirs.systems)
    whole = quietly(meta, rankings, scores, bootstrap=20).scores["signature"][0]
    mark = f"|subset:{len(kept)}of12,"
    assert mark in ours.scores["signature"][0]
    assert ours.scores["signature"][0].startswith(whole.split("|human-ties")[0])


def test_conditions_on_columns_of_scores(tmp_path):
    rankings, scores = judged(1)
    other = scores.drop("domain").rename({"score": "ter"})
    scores.write_csv(tmp_path / "scores.csv")
    given = {"m": tmp_path / "scores.csv", "ter": other}
    ours = quietly(
        meta, rankings, given, where="domain = 'a' and sid > 2", metrics=None, bootstrap=0
    )
    wanted = quietly(meta, rankings, given, sids=[4, 6, 8, 10], bootstrap=0)
    assert ours.scores.equals(wanted.scores)


def test_bad_subsets_of_scores():
    rankings, scores = judged(2)
    for choice, message in (
        ({"where": "system = 'x'"}, "not for another"),
        ({"where": "score > 0.5"}, "not for another"),
        ({"sids": [99]}, "no sentence 99"),
    ):
        with pytest.raises(InputError, match=message):
            meta(rankings, scores, **choice)
    with pytest.raises(InputError, match="no ranking"):
        meta(rankings.filter(pl.col("sid") > 0), scores, sids=[0])
    with pytest.raises(InputError, match=r"domian.*columns system, sid, score, domain"):
        meta(rankings, scores, where="domian = 'a'")


def test_a_report_compares_its_subset_with_rankings(bundled):
    home = bundled.parent / "island"
    hyp = {name: str(home / f"{name}.en") for name in ("careful", "fluent", "literal", "garbled")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        page = tesla.score(
            hyp,
            [str(home / "ref.en")],
            analysis=Analysis.of(tokens="spaces", lemmas="words", synonyms="none", tagger=tagged),
            where="sid < 8",
            bootstrap=0,
        ).page(rankings=read_rankings(home / "rankings.csv"))
    assert "|subset:8of" in page.signature
    assert "8 segments" in page.about
    assert any("|subset:8of" in note for note in page.notes)


def tagged(sentences):
    return [["NN"] * len(words) for words in sentences]


def test_commands(tmp_path):
    ref = ["a|DT|a", "a|DT|a cat|NN|cat", "cat|NN|cat sat|VBD|sit", "red|JJ|red"] * 3
    hyps = {"x": ref[::-1], "y": ref, "z": [*ref[1:], ref[0]]}
    for name, lines in {"ref": ref, **hyps}.items():
        (tmp_path / f"{name}.txt").write_text("".join(f"{text}\n" for text in lines))
    files = ["--ref", tmp_path / "ref.txt", "--tagger", "given", "--set", "lemmas=given"]
    files += [word for name in hyps for word in ("--hyp", tmp_path / f"{name}.txt")]
    (tmp_path / "sids.txt").write_text("1\n2\n5\n7\n")
    chosen = ["--set", f"sids={tmp_path / 'sids.txt'}", "--where", "sid < 7"]
    out = tmp_path / "segments.parquet"
    some = ["--set", "synonyms=none", "--bootstrap", "10"]
    rows = json_of(run("tesla", "score", *files, *some, *chosen, "--json", "--segments", out)[0])
    assert [row["segments"] for row in rows["scores"]] == [3, 3, 3]
    assert "|subset:3of12," in rows["signature"]
    assert sorted(pl.read_parquet(out)["sid"].unique()) == [1, 2, 5]
    judged(3)[0].write_csv(tmp_path / "rankings.csv")
    held = ["--rankings", tmp_path / "rankings.csv", "--segments", out, "--bootstrap", "0"]
    rows = json_of(run("tesla", "metrics", *held, "--where", "sid < 5", "--json")[0])
    assert "|subset:2of3," in rows["signature"]
    assert rows["scores"][0]["sentences"] == 2
    _, said = run("tesla", "score", *files, *some, "--where", "domain = 'a'", code=2)
    assert "domain" in said
