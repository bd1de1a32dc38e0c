"""Names with controls: a terminal gets escapes, and files and JSON the names as they are."""

import json
import shutil
from pathlib import Path

import polars as pl
import pytest
from helpers.cli import run

from alignframe import links
from alignframe.cli import progress
from alignframe.errors import InputError, printable

GOLD = Path(__file__).resolve().parents[2] / "datasets" / "en-fr" / "gold.talp"
NAME = "g\x1b]0;t\x07\x1b[2J\n\t\r\x9b\u202ey"
SHOWN = r"g\x1b]0;t\x07\x1b[2J\n\t\r\x9b\u202ey"
SCORE = ("links", "score", "--gold", "gold.talp")


@pytest.fixture
def folder(tmp_path):
    for name in ("gold", NAME):
        shutil.copy(GOLD, tmp_path / f"{name}.talp")
    return tmp_path


@pytest.mark.parametrize(
    ("text", "one", "several"),
    [
        ("plain été 漢 \u200c\u05d0\u200f", "plain été 漢 \u200c\u05d0\u200f", None),
        ("a\nb", r"a\nb", "a\nb"),
        ("\x00\x1b\x7f\x85", r"\x00\x1b\x7f\x85", None),
        ("\u2028\u202a\u202e\u2066\u2069", r"\u2028\u202a\u202e\u2066\u2069", None),
        ("\udcff", r"\udcff", None),
        ("back\\slash [bold]", "back\\slash [bold]", None),
    ],
)
def test_controls_are_printed_as_escapes(text, one, several):
    assert printable(text) == one
    assert printable(text, lines=True) == (one if several is None else several)


def test_tables_and_notes_show_names_in_one_line(folder):
    shown = run(*SCORE, "--hyp", f"{NAME}.talp", folder=folder).stdout
    assert [line.split()[0] for line in shown.splitlines() if SHOWN in line] == [SHOWN]
    assert printable(shown, lines=True) == shown
    said = run("convert", f"{NAME}.talp", f"{NAME}.naacl", folder=folder).stderr
    assert said == f"72 sentences, 1,287 links written to {SHOWN}.naacl as naacl\n"
    query = f"select '{NAME}' as \"{NAME}\""
    head, _, cell = run("sql", query, folder=folder).stdout.split("\n")[1:4]
    assert [head.strip(), cell.strip()] == [SHOWN, SHOWN]
    for markup in ("latex", "markdown"):
        table = run("sql", query, "--format", markup, folder=folder).stdout
        assert printable(table, lines=True) == table


def test_errors_and_warnings_show_names_in_one_line(folder):
    (folder / f"{NAME}.talp").write_text("0-0\nx\n")
    said = run(*SCORE, "--hyp", f"{NAME}.talp", code=2, folder=folder).stderr
    assert said.startswith(f"error: {SHOWN}.talp:2: ")
    assert printable(said, lines=True) == said
    with pytest.raises(InputError) as refused:
        links.score(folder / f"{NAME}.talp", GOLD).scores
    assert refused.value.path == str(folder / f"{NAME}.talp")
    assert f"{SHOWN}.talp:2: " in str(refused.value)
    (folder / f"{NAME}.talp").write_text("0-0\n0-0 0-0\n")
    said = run(*SCORE, "--hyp", f"{NAME}.talp", folder=folder).stderr
    assert f"warning: {SHOWN}" in said
    for words in (
        (*SCORE, "--hyp", "x", NAME),
        ("links", NAME),
        ("convert", "gold.talp", "-", "--to", NAME),
    ):
        said = run(*words, code=2, folder=folder).stderr
        assert SHOWN in said
        assert printable(said, lines=True) == said


def test_progress_shows_names_in_one_line():
    bar = progress._bar(f"Converting [red]{NAME}", None)
    assert bar.tasks[0].description == f"Converting \\[red]{SHOWN}"


def test_json_and_tables_have_names_as_they_are(folder):
    words = (*SCORE, "--hyp", f"{NAME}.talp")
    found = json.loads(run(*words, "--json", folder=folder).stdout)
    assert found["tables"]["scores"][0]["system"] == NAME
    for suffix, read in (("parquet", pl.read_parquet), ("jsonl", pl.read_ndjson)):
        run(*words, "-o", f"s.{suffix}", folder=folder)
        assert read(folder / f"s.{suffix}")["system"].to_list() == [NAME]
    run(*words, "-o", "s.tsv", folder=folder)
    assert pl.read_csv(folder / "s.tsv", separator="\t")["system"].to_list() == [NAME]
