"""Links outside their sentence pair, as of the end of sentence: refused, or left out."""

import polars as pl
import pytest
from helpers.cli import run
from helpers.formats import quietly, refusal_of, saved

from alignframe import links
from alignframe.errors import DataWarning
from alignframe.formats import read, write

TEXT = (["Hello there", "Hi"], ["Hallo da", "Hi"])
MARIAN = "0-0 1-1 2-2\n0-0 1-1\n"
KEPT = ["0-0 1-1\n", "0-0\n"]
END = "one past the last word on both sides: the end of sentence"


@pytest.fixture
def folder(tmp_path):
    for name, lines in zip(("src", "tgt"), TEXT, strict=True):
        saved(tmp_path / name, "".join(f"{line}\n" for line in lines))
    saved(tmp_path / "m.talp", MARIAN)
    saved(tmp_path / "m.moses", "Hello there ||| Hallo da ||| 0-0 1-1 2-2\nHi ||| Hi ||| 0-0 1-1\n")
    saved(tmp_path / "m.tsv", "Hello there\tHallo da\t0-0 1-1 2-2\nHi\tHi\t0-0 1-1\n")
    quietly(write, read(tmp_path / "m.talp"), tmp_path / "m.parquet")
    return tmp_path


@pytest.mark.parametrize("name", ["m.talp", "m.moses", "m.tsv", "m.parquet"])
def test_the_end_of_sentence_is_named_and_left_out(folder, name):
    bitext = (str(folder / "src"), str(folder / "tgt"))
    message = refusal_of(links.read, folder / name, bitext=bitext)
    assert END in message
    assert "drop_outside" in message
    with pytest.warns(DataWarning, match="left out 2 links outside their sentence pair"):
        found = links.read(folder / name, bitext=bitext, drop_outside=True)
    assert [len(row) for row in found["links"]] == [2, 1]
    assert links.score(found, KEPT).scores["signature"][0].endswith("|outside:dropped")


def test_parts_of_a_file_with_and_without_such_links_are_one_table(folder, monkeypatch):
    monkeypatch.setattr("alignframe.read.lines.CHUNK", 8)
    saved(folder / "parts.naacl", "1 1 1\n1 3 3\n1 2 2\n2 1 1\n")
    bitext = (str(folder / "src"), str(folder / "tgt"))
    found = quietly(links.read, folder / "parts.naacl", bitext=bitext, drop_outside=True)
    assert [len(row) for row in found["links"]] == [2, 1]


def test_such_links_of_frames_are_left_out():
    """Their lists are large, those of files are not."""
    rows = [[{"i": 0, "j": 0}, {"i": 1, "j": 1}, {"i": 2, "j": 2}], [{"i": 0, "j": 0}]]
    frame = pl.DataFrame({"sid": [0, 1], "links": rows})
    kept = frame.with_columns(links=pl.col("links").list.head(2))
    with pytest.warns(DataWarning, match="left out 1 link outside"):
        counts = links.score({"a": frame}, kept, bitext=TEXT, drop_outside=True).counts
    assert counts["n_hyp"].to_list() == [2, 1]


@pytest.mark.parametrize("line", ["0-0 1-1 2-2", "0-0 1-1 2-2 7-1"])
def test_they_are_none_of_the_errors_shown(line):
    """Sentences are listed without them, as they are counted."""
    found = links.score([line, "0-0"], ["0-0 3-3", "0-0"], bitext=TEXT, drop_outside=True)
    worst = quietly(found.worst, 1)
    assert worst.select("n_hyp", "errors", "wrong", "missing").row(0) == (2, 1, "1-1 there da", "")
    evidence = quietly(found.page).sentences.rows[0]["detail"]
    assert "[0, 1], [0, 1]" in str(evidence)
    assert "7" not in str(evidence)


def test_probabilities_go_with_their_links(folder):
    write(read(saved(folder / "m.csv", "sid,i,j,p\n0,2,2,0.1\n0,0,1,0.5\n")), folder / "p.parquet")
    bitext = (TEXT[0], TEXT[1])
    table = quietly(links.read, folder / "p.parquet", bitext=bitext, drop_outside=True)
    assert table["probabilities"].to_list() == [[0.5]]


def test_other_links_outside_get_other_advice(folder):
    saved(folder / "turned", "0-0 1-2\n0-0\n")
    saved(folder / "from one", "1-1 2-2\n1-1\n")
    messages = [
        refusal_of(links.read, folder / name, bitext=TEXT) for name in ("turned", "from one")
    ]
    assert END not in messages[0]
    assert "which side they name first" in messages[0]
    assert "base=1" in messages[1]


@pytest.mark.parametrize(
    "words",
    [
        ["links", "score", "--gold", "m.talp", "--hyp", "m.parquet", "--json"],
        ["phrases", "score", "--gold", "m.talp", "--hyp", "m.talp", "--json"],
        ["phrases", "extract", "--links", "m.talp"],
        ["convert", "m.talp", "out.talp"],
    ],
)
def test_commands_leave_them_out(folder, words):
    text = ["--src", "src", "--tgt", "tgt"]
    _, said = run(*words, *text, folder=folder, code=2)
    assert END in said
    assert "--drop-outside" in said
    out, said = run(*words, *text, "--drop-outside", folder=folder)
    if "--json" in words:
        assert "outside:dropped" in out
    else:
        assert "left out 2 links" in said
    if words[0] == "convert":
        assert (folder / "out.talp").read_text() == "".join(KEPT)


def test_the_text_is_needed(folder):
    _, said = run("convert", "m.talp", "out.talp", "--drop-outside", folder=folder, code=2)
    assert "--drop-outside needs the text" in said
