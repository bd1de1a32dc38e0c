"""Tables of papers: marks of the best systems, stars against a baseline, files, order, names."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from helpers.cli import run

from alignframe import links, mt, phrases
from alignframe.cli.paper import short_names

ROOT = Path(__file__).parents[2]
NAMES = ("cautious", "eager", "forward")
ALIGNED = {name: f"{ROOT}/datasets/en-fr/{name}.talp" for name in NAMES}
GOLD = f"{ROOT}/datasets/en-fr/gold.talp"
WORDS = ["links", "score", "--gold", GOLD, *(f"--hyp={n}={p}" for n, p in ALIGNED.items())]


def test_standings_say_what_comparisons_say():
    found = links.score(ALIGNED, GOLD)
    standings = found.standings("eager")
    marks = {row["system"]: row for row in standings.iter_rows(named=True)}
    assert [*marks] == sorted(NAMES)
    for figure, lower in (("precision", False), ("recall", False), ("aer", True), ("f_0.5", False)):
        scores = dict(found.scores.select("system", figure).rows())
        best = (min if lower else max)(scores, key=scores.get)
        tests = found.compare(best).filter(measure=figure)
        alike = {best, *tests.filter(pl.col("p_corrected") >= 0.05)["system"]}
        assert {name for name in NAMES if figure in marks[name]["best"]} == alike
        tests = found.compare("eager").filter(measure=figure)
        apart = {*tests.filter(pl.col("p_corrected") < 0.05)["system"]}
        assert {name for name in NAMES if figure in marks[name]["differs"]} == apart
        assert dict(standings.select("system", figure).rows()) == scores


def test_without_tests_only_the_best_are_marked():
    standings = links.score(ALIGNED, GOLD, bootstrap=0).standings("eager")
    best = dict(standings.select("system", "best").rows())
    assert best == {"cautious": ["precision"], "eager": ["recall", "aer", "f_0.5"], "forward": []}
    assert standings["differs"].to_list() == [[], [], []]
    alone = mt.score({"a": ["a b"], "b": ["a c"]}, ["a b"], tokenize="none", metrics="chrf")
    assert dict(alone.standings().select("system", "best").rows()) == {"a": ["chrf"], "b": []}
    with pytest.raises(ValueError, match="unknown `baseline` 'x'; expected one of cautious"):
        links.score(ALIGNED, GOLD).standings("x")
    with pytest.raises(ValueError, match="`by` with standings"):
        links.score(ALIGNED, GOLD, by="length").standings()


def test_a_table_in_latex(tmp_path):
    said = run(*WORDS, "-o", "t.tex", "--baseline", "eager", "--sort", "aer", folder=tmp_path)
    assert said.stdout == ""
    assert "written to t.tex" in said.stderr
    lines = (tmp_path / "t.tex").read_text("utf-8").splitlines()
    (forward,) = (line for line in lines if line.startswith("forward"))
    assert forward == (
        r"forward & 1,063 & 0.9106$^{*}$ & 0.8533$^{*}$ & \textbf{0.1160} & \textbf{0.8810} \\"
    )
    order = [line.split(" & ")[0] for line in lines if " & " in line]
    assert order == ["system", "eager", "forward", "cautious"]
    assert "% *: differs from eager, corrected for the number of systems." in lines
    printed = run(*WORDS, "--format", "latex", "--baseline", "eager", "--sort=aer", folder=tmp_path)
    assert printed.stdout.rstrip("\n") == "\n".join(lines)


def test_a_table_has_the_figures_and_bold_of_the_page(tmp_path):
    home = f"{ROOT}/datasets/island"
    names = ("literal", "careful", "fluent", "garbled")
    hyps = [f"--hyp={name}={home}/{name}.en" for name in names]
    score = ["mt", "score", "--ref", f"{home}/ref.en", *hyps, "--bootstrap", 100]
    for more in ([], ["--baseline", "literal"]):
        run(*score, *more, "-o", "t.tex", folder=tmp_path)
        lines = (tmp_path / "t.tex").read_text("utf-8").splitlines()
        found = mt.score(
            {name: f"{home}/{name}.en" for name in names}, f"{home}/ref.en", bootstrap=100
        )
        page = found.page(baseline="literal" if more else None)
        table = page.table
        for at, row in enumerate(table.rows):
            (line,) = (line for line in lines if line.startswith(f"{row[0]} &"))
            shown = line.removesuffix(r" \\").replace("$^{*}$", "").split(" & ")
            for cell, head in zip(shown[1:], ("BLEU", "chrF"), strict=True):
                column = table.heads.index(head)
                figure, ends = row[column].split("\n")
                low, high = ends.split(" – ")
                bold = rf"\textbf{{{figure}}}" if (at, column) in table.strong else figure
                assert cell == rf"{bold} {{\footnotesize {low}--{high}}}"
        # The baseline is not the best, and bold is that of the best all the same.
        assert {table.rows[at][0] for at, _ in table.strong} == {"careful"}
        caption = "Bold: the best system, and those that cannot be told apart from it (paired"
        assert caption in table.caption
        assert f"% {caption} bootstrap, 100 resamples, p < 0.05 corrected for all pairs)." in lines
        assert ("% *: differs from literal, corrected for the number of systems." in lines) == bool(
            more
        )


def test_a_pair_of_systems_is_a_single_test(tmp_path):
    run(*WORDS[:-1], "--baseline", "eager", "-o", "t.tex", folder=tmp_path)
    text = (tmp_path / "t.tex").read_text("utf-8")
    assert "corrected for" not in text
    assert "% *: differs from eager.\n" in text


def test_a_table_in_markdown_keeps_intervals(tmp_path):
    run(*WORDS, "-o", "t.md", "--bootstrap", 200, folder=tmp_path)
    text = (tmp_path / "t.md").read_text("utf-8")
    assert "| **0.9766** (" in text
    assert "200 resamples, p \\< 0.05" in text


def test_ranks_are_printed_and_written(tmp_path):
    found = links.score(ALIGNED, GOLD, bootstrap=200).ranks()
    said = run(*WORDS, "--ranks", "--bootstrap", 200, "-o", "r.parquet", folder=tmp_path).stdout
    assert pl.read_parquet(tmp_path / "r.parquet").equals(found)
    printed = [line.split() for line in said.splitlines() if " 0." in line]
    assert len(printed) == found.height == 12
    for words, row in zip(printed, found.iter_rows(named=True), strict=True):
        low, high = row["rank_low"], row["rank_high"]
        ends = f"{low}-{high}" if low < high else f"{low}"
        assert words[1:] == [row["system"], f"{row['value']:.4f}", ends, str(row["best"]).lower()]
    assert {row[3] for row in printed} >= {"1", "1-2", "3"}
    assert found["signature"][0] in said.replace("\n", "")
    for more, named in ((["--by", "length"], "--by"), (["--sort", "aer"], "--sort")):
        said = run(*WORDS, "--ranks", *more, folder=tmp_path, code=2).stderr
        assert f"--ranks with {named}; expected one of them" in said


def test_other_tables_are_written_as_printed(tmp_path):
    text = tuple(f"{ROOT}/datasets/en-fr/text.{side}" for side in ("en", "fr"))
    given = ["phrases", "score", *WORDS[2:], "--src", text[0], "--tgt", text[1], "-o", "p.md"]
    run(*given, folder=tmp_path)
    assert "| cautious | align-dic1" in (tmp_path / "p.md").read_text("utf-8")
    assert not phrases.score(ALIGNED, GOLD, text).has_standings
    said = run(*WORDS, "-o", "t.tex", "--json", folder=tmp_path, code=2).stderr
    assert "--json with -o t.tex; expected one of them" in said
    said = run(*WORDS, "-o", "none/t.tex", folder=tmp_path, code=2).stderr
    assert "its folder does not exist" in said


def test_systems_are_sorted_by_a_figure(tmp_path):
    run(*WORDS, "--sort", "recall", "-o", "t.csv", folder=tmp_path)
    recall = pl.read_csv(tmp_path / "t.csv")["recall"].to_numpy()
    assert (np.diff(recall) <= 0).all()
    said = run(*WORDS, "--sort", "bleu", folder=tmp_path, code=2).stderr
    assert "unknown figure in --sort 'bleu'; expected one of precision, recall, aer, f_0.5" in said


def test_names_lose_what_all_share():
    assert short_names(["t.en-fr.a", "t.en-fr.b", "t.en-fr.c.d"]) == ["a", "b", "c.d"]
    assert short_names(["x/a.v1", "x/b.v1"]) == ["a", "b"]
    assert short_names(["a", "b"]) == ["a", "b"]
    assert short_names(["same.x"]) == ["same.x"]
    assert short_names(["a.b", "a"]) == ["a.b", "a"]
    assert short_names(["a.b.c", "a.c"]) == ["b.c", "c"]
    assert short_names([]) == []
