"""``alignframe tesla score`` and ``stream``."""

import io
import re
import sys

import polars as pl
import pytest
from helpers.cli import json_of, run
from rich.console import Console

from alignframe.cli import progress, show

GIVEN = ("--tagger", "given", "--set", "lemmas=given", "--set", "synonyms=none")
REF = ["cat|NN|cat sat|VB|sit on|IN|on", "dog|NN|dog sees|VB|see cat|NN|cat", "mat|NN|mat"]
OTHER = ["cats|NN|cat sit|VB|sit on|IN|on", "a|DT|a dog|NN|dog", ""]


@pytest.fixture
def files(tmp_path):
    for name, lines in (("ref.en", REF), ("a.en", REF), ("b.en", OTHER)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    return tmp_path


def score(folder, *words, code=0):
    return run("tesla", "score", *GIVEN, *words, code=code, folder=folder)


def test_score_as_json(files):
    out, _ = score(
        files, *"--ref ref.en --hyp b=b.en --hyp a.en --json --segments s.parquet".split()
    )
    rows = json_of(out)["scores"]
    assert [list(row) for row in rows] == [
        ["system", "score", "score_low", "score_high", "segments"]
    ] * 2
    assert [row["system"] for row in rows] == ["a", "b"]
    assert [row["segments"] for row in rows] == [3, 3]
    assert rows[0]["score"] == pytest.approx((1 + 1 + 2 / 6) / 3)
    for row in rows:
        assert 0 <= row["score_low"] < row["score"] < row["score_high"] <= 1
    assert "metric:tesla-m" in json_of(out)["signature"]
    segments = pl.read_parquet(files / "s.parquet")
    assert segments.columns[:4] == ["system", "sid", "score", "ms_1"]
    assert segments["system"].cast(pl.String).to_list() == ["b"] * 3 + ["a"] * 3
    assert segments.filter(pl.col("system") == "b")["score"][2] == 0.0


def test_options_of_the_metric(files):
    plain = ("--ref", "ref.en", "--ref", "b.en", "--hyp", "b=b.en", "--json", "--bootstrap", 0)
    (best,) = json_of(score(files, *plain, "--set", "references-combined=max")[0])
    assert best["score"] == pytest.approx((1 + 4 / 6 + 0) / 3)
    assert "refs:2,max" in best["signature"]
    changed = score(
        files, *plain, "--set", "recall-weight=0.2", "--set", "empty-order=skip", "--threads", 2
    )
    (other,) = json_of(changed[0])
    assert "alpha:0.2" in other["signature"]
    assert "empty:skip" in other["signature"]
    assert "warning: b.en: 1 empty line of the reference (line 3)" in changed[1]


def test_a_trained_model(files):
    from alignframe.tesla.model import Model

    Model(("ms_1", "pos_2"), (1.0, 3.0)).save(files / "model.json")
    words = ("--ref", "ref.en", "--hyp", "b=b.en", "--metric", "f", "--model", "model.json")
    out, _ = score(files, *words, "--segments", "s.parquet", "--json")
    segments = pl.read_parquet(files / "s.parquet")
    wanted = (segments["ms_1"] + 3 * segments["pos_2"]) / 4
    assert segments["score"].to_list() == pytest.approx(wanted.to_list())
    assert "metric:tesla-f" in out


def stream(folder, text, *words, code=0, ref=("--ref", "ref.en")):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8"))
        return run("tesla", "stream", *GIVEN, *ref, *words, code=code, folder=folder)


def test_stream(files):
    out, said = stream(files, f"{REF[0]}\n2 ||| {REF[2]} ||| 1 2\n{OTHER[1]}\n")
    score(files, "--ref", "ref.en", "--hyp", "b=b.en", "--segments", "s.parquet")
    scores = pl.read_parquet(files / "s.parquet")["score"].to_list()
    assert [float(line) for line in out.splitlines()] == [1.0, 2 / 6, scores[1]]
    assert said == ""


def test_a_bad_line_ends_the_stream(files):
    out, said = stream(files, "7 ||| cat|NN|cat\n", code=2)
    assert out == ""
    assert "error: line 1: the reference 7 of 3; expected a number from 0 to 2" in said


def test_raw_text_needs_only_wordnet(tmp_path):
    (tmp_path / "ref").write_text("The cats were sitting on the large mats.\n")
    (tmp_path / "hyp").write_text("A cat sits on the big mat .\n")
    words = ("--ref", "ref", "--hyp", "x=hyp", "--json", "--bootstrap", 0)
    (row,) = json_of(run("tesla", "score", *words, folder=tmp_path)[0])
    plain = run("tesla", "score", *words, "--set", "synonyms=none", folder=tmp_path)[0]
    assert json_of(plain)[0]["score"] < row["score"] < 1
    assert "synonyms:wordnet-3" in row["signature"]


def test_text_analysed_before(files):
    for name in ("ref.en", "b.en"):
        run("tesla", "words", *GIVEN, name, "-o", f"{name}.parquet", folder=files)
    plain = json_of(score(files, "--ref", "ref.en", "--hyp", "b.en", "--json")[0])
    stored = ("--ref", "ref.en.parquet", "--hyp", "b=b.en.parquet", "--json")
    assert json_of(score(files, *stored)[0]) == plain
    words = ("--tagger", "given", "--set", "lemmas=words", "--set", "synonyms=none")
    out, said = run("tesla", "score", *words, *stored, folder=files)
    assert json_of(out)[0]["score"] == plain[0]["score"]
    assert said == ""
    assert stream(files, f"{REF[0]}\n", ref=("--ref", "ref.en.parquet"))[0] == "1.0\n"
    score(files, *stored[:4], "--segments", "s.parquet")
    _, said = score(files, "--ref", "s.parquet", "--hyp", "b.en", code=2)
    assert "s.parquet: the columns system, sid, score" in said
    assert "the sid and tokens of tesla words" in said


def test_words_without_tags_are_named_by_file_and_line(files):
    (files / "bad.en").write_text("cat|NN|cat\ndog\ncat\n")
    for words in (("--ref", "bad.en", "--hyp", "b.en"), ("--ref", "ref.en", "--hyp", "bad.en")):
        _, said = score(files, *words, code=2)
        assert "bad.en:2: 'dog' is not a word with a tag and a lemma; expected word|TAG|lem" in said
    _, said = run("tesla", "words", *GIVEN, "bad.en", code=2, folder=files)
    assert "bad.en:2: 'dog'" in said


def test_segments_have_a_signature(files):
    from alignframe import tesla

    out, _ = score(files, "--ref", "ref.en", "--hyp", "b.en", "--segments", "s.parquet", "--json")
    assert tesla.rescore(files / "s.parquet").signature == json_of(out)["signature"]


def test_names_of_pivots_and_language_models(tmp_path):
    from helpers.pivots import TOKENS, arrow_table

    from alignframe.tesla.pivot_table import write_pivot_table

    drawn = {("cat",): [(1.0, [TOKENS[0]])]}
    write_pivot_table(arrow_table(drawn, {("cat",): 1}), tmp_path / "fr1.parquet")
    for name in ("ref", "hyp"):
        (tmp_path / name).write_text("cat|NN|cat\n")
    (tmp_path / "text").write_text("cat sat\n" * 5)
    for name in ("lm_news.arpa", "lm.arpa"):
        run("lm", "text", "-o", name, "--n", 2, folder=tmp_path)
    words = ["--ref", "ref", "--hyp", "hyp", "--segments", "s.parquet", "--bootstrap", 0]

    def names(*more):
        out, _ = score(tmp_path, *words, *more, "--json")
        columns = pl.read_parquet(tmp_path / "s.parquet").columns
        return columns[9:], json_of(out)["signature"]

    found, signature = names("--pivot", "fr1.parquet", "--lm", "lm_news.arpa", "--lm", "lm.arpa")
    assert [found[0], *found[6:]] == ["xx_lem_1", "lm_news", "lm_lm"]
    assert "|pivot:xx|" in signature
    found, signature = names("--pivot", "fr=fr1.parquet", "--lm", "a=lm_news.arpa")
    assert [found[0], *found[6:]] == ["fr_lem_1", "lm_a"]
    assert "|pivot:fr|" in signature
    _, said = score(tmp_path, *words, "--pivot", "fr1.parquet", "--pivot", "xx=hyp", code=2)
    assert "the pivot table 'xx' is given twice: fr1.parquet and hyp" in said
    (tmp_path / "s.parquet").rename(tmp_path / "other.parquet")
    _, said = score(tmp_path, *words, "--pivot", "other.parquet", code=2)
    assert "other.parquet: no pivot table; its columns are system, sid" in said


@pytest.mark.parametrize("width", [12, 40])
def test_titles_are_as_wide_as_the_terminal(monkeypatch, capsys, width):
    monkeypatch.setattr(Console, "is_terminal", True)
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")
    show.print_table([{"a": 1}], title="TESLA-M, 30 [segments]")
    printed = re.sub(r"\x1b\[\d*m", "", capsys.readouterr().out)
    lines = [line.rstrip() for line in printed.splitlines()]
    wide = ["TESLA-M, 30 [segments]"]
    assert lines[: lines.index("")] == (wide if width == 40 else ["TESLA-M, 30", "[segments]"])


def test_a_baseline(files):
    from alignframe import tesla

    words = ("--ref", "ref.en", "--hyp", "a=a.en", "--hyp", "b=b.en", "--baseline", "b")
    rows = json_of(score(files, *words, "--json")[0])
    options = {"tagger": "given", "lemmas": "given", "synonyms": "none"}
    hyps = {name: files / f"{name}.en" for name in "ab"}
    wanted = tesla.score(hyps, files / "ref.en", **options).compare("b").to_dicts()
    assert rows == wanted
    assert rows[0]["difference"] == rows[0]["value"] - rows[0]["baseline_value"] > 0
    out, _ = score(files, *words)
    assert "Differences from b" in out
    shown = round(rows[0]["value"], 4) - round(rows[0]["baseline_value"], 4)  # they add up
    assert f"{shown:.4f}" in out
    _, said = score(files, *words[:-1], "c", code=2)
    assert "unknown --baseline 'c'; expected one of a, b" in said


def test_explaining_one_translation(files):
    words = ("--ref", "ref.en", "--hyp", "a.en", "--hyp", "b.en", "--segment", 0)
    _, said = run("tesla", "explain", *GIVEN, *words, code=2, folder=files)
    assert "error: 2 --hyp; expected one, as a single translation is explained" in said


def test_tagging_shows_progress(monkeypatch):
    from alignframe.cli.tesla import show_tagging
    from alignframe.language import Analysis
    from alignframe.language.analysis import LISTENERS

    said = []
    monkeypatch.setattr(progress.Spinner, "say", lambda _, text: said.append(text))
    show_tagging()
    made = Analysis.of(tagger="given", lemmas="given", synonyms="none")
    for done in (200, 1200):
        made.progress(done, 1200)
    LISTENERS.clear()
    assert said == ["Tagging: 200 of 1,200 sentences", "Working ..."]
