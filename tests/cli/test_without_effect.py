"""What has no effect is refused, and two outputs of a study are two outputs."""

from pathlib import Path

import polars as pl
import pytest
from helpers.cli import json_of, run

from alignframe import formats

ROOT = Path(__file__).parents[2]
BEADS = f"{ROOT}/datasets/mill/mill.beads"
WORDS = {
    "sql 'select' --macros": "--macros with a query",
    "sql 'select' --export a.sql": "--export with a query",
    "tesla train --rankings r.csv --segments s.csv --language de -o m.json": (
        "--segments with --language"
    ),
    "tesla train --rankings r.csv --segments s.csv --ref ref -o m.json": "--segments with --ref",
    "tesla words ref -o x.parquet --show words": "--show words with x.parquet; expected lines",
    f"beads score --gold {BEADS} --hyp {BEADS} --by type --one-sided ignore": (
        "--one-sided with scores by type"
    ),
    "tesla metrics --rankings r.csv --segments s.csv --lower ter": "in --lower 'ter'; expected s",
    "align m.tmx --columns 1,2 -o x.talp": "m.tmx: --columns for TMX, which has none",
    "align bar.txt --columns 1,2 -o x.talp": "leave --columns out, as ||| separates the sides",
    "align x.srt --columns 1,2 -o x.talp": "x.srt: holds subtitles",
    "convert g.naacl x.parquet --base 0": "--base for the format naacl; expected positions from 1",
    "convert g.talp x.parquet --first-sentence 1": "--first-sentence only for naacl or numbered",
    "convert p.csv x.parquet --doc d": "--doc for a table",
    "convert p.csv x.parquet --languages en,fr": "--languages only with tmx",
    "convert g.talp x.parquet --languages en,fr": "--languages for links; expected",
    "convert g.talp x.tmx --languages en,fr": "unknown suffix '.tmx' for links",
    "convert ref x.tmx": "ref: one side of a text; give both sides",
    "lake tesla text.parquet --ref ref -o out": "ref: the input ref is not Parquet",
}


@pytest.mark.parametrize("words", WORDS)
def test_what_has_no_effect_or_is_none_is_refused(words, tmp_path):
    (tmp_path / "ref").write_text("a cat\n")
    (tmp_path / "bar.txt").write_text("a b ||| c d\n")
    (tmp_path / "p.csv").write_text("src,tgt\na,b\n")
    (tmp_path / "g.naacl").write_text("1 1 1\n")
    (tmp_path / "g.talp").write_text("0-0 1-1\n")
    (tmp_path / "x.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nA b .\n")
    units = {"src": ["a"], "tgt": ["b"], "languages": ("en", "fr")}
    formats.write_beads(formats.identity_beads(1), tmp_path / "m.tmx", **units)
    rows = [{"ranking": 0, "sid": 0, "system": name, "rank": at} for at, name in enumerate("ab")]
    pl.DataFrame(rows).write_csv(tmp_path / "r.csv")
    scores = [{"system": name, "sid": 0, "score": 0.5} for name in "ab"]
    pl.DataFrame(scores).write_csv(tmp_path / "s.csv")
    pl.DataFrame({"sid": [0], "text": ["a cat"]}).write_parquet(tmp_path / "text.parquet")
    given = [word.strip("'") for word in words.split()]
    code = 1 if given[0] == "lake" else 2
    assert WORDS[words] in run(*given, folder=tmp_path, code=code).stderr


def test_a_study_has_a_page_and_tables(tmp_path):
    (tmp_path / "gold").write_text("0-0 1-1\n0-0\n")
    (tmp_path / "a").write_text("0-0\n0-0\n")
    (tmp_path / "en").write_text("the cat\ndog\n")
    (tmp_path / "de").write_text("die Katze\nHund\n")
    words = "phrases study --gold gold --hyp a --src en --tgt de --page p.html".split()
    alone = run(*words, folder=tmp_path)
    assert alone.stdout == ""
    assert "report written to p.html" in alone.stderr
    both = run(*words, "-o", "all", folder=tmp_path)
    assert "tables written to the folder all" in both.stderr
    assert "Precision" in both.stdout
    assert (tmp_path / "all" / "scores.parquet").exists()
    told = json_of(run(*words, "--json", folder=tmp_path).stdout)
    assert told["report"] == "p.html"


def test_views_of_a_lake_refuse_what_has_no_effect(tmp_path):
    pl.DataFrame({"sid": [0], "text": ["a cat"]}).write_parquet(tmp_path / "text.parquet")
    words = "lake tesla text.parquet --ref text.parquet --metric chrf -o out".split()
    run(*words, folder=tmp_path)
    for view in ("lake scores", "lake history", "dashboard"):
        said = run(*view.split(), "out", "--alpha", "0.3", folder=tmp_path, code=2).stderr
        assert "--alpha for the counts of lake tesla; expected those of links" in said
    top = ["lake", "history", "out", "--top", "1"]
    assert "--top needs --output" in run(*top, folder=tmp_path, code=2).stderr
    for written in (["-o", "all"], ["--json"], ["--format", "json"]):
        run(*top, *written, folder=tmp_path)
    said = run(
        "lake", "scores", "out", "--by", "sid", "--sort", "f", folder=tmp_path, code=2
    ).stderr
    assert "unknown figure in --sort 'f'; expected chrf" in said
