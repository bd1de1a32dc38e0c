"""The commands for phrases, with valid and bad input."""

from collections import Counter

import polars as pl
import pyarrow.parquet as pq
import pytest
from helpers.cli import finished, json_of
from reference import phrases as slow

from alignframe import formats, phrases

FILES = {
    "gold": "0-0 2-1\n0-0\n",
    "hyp": "0-0 1-1\n0-0\n",
    "swapped": "0-0 1-2\n0-0\n",
    "short": "0-0\n",
    "empty": "",
    "bad": "0-0\n0-x\n",
    "src": "a b c\nd\n",
    "tgt": "x y\nz\n",
    "src1": "a b c\n",
    "tgt1": "x y\n",
    "file": "as it was\n",
}
WORDS = ["--src", "src", "--tgt", "tgt"]
COMPARE = ["score", "--gold", "gold", "--hyp", "hyp"]
EXTRACT = ["extract", "--links", "hyp"]
DICTIONARY = ["dictionary", "--links", "hyp", *WORDS]
SHELL = {
    "score --gold gold --hyp hyp": "no text given; expected --src and --tgt",
    "dictionary --links hyp": "no text given; expected --src and --tgt",
    "score --gold gold --hyp hyp --tgt tgt": "--tgt needs the other side: --src",
    "score --gold gold --hyp hyp --src src1 --tgt tgt1": "hyp:2: sentence 1 ",
    "score --gold gold --hyp swapped --src src --tgt tgt": "swapped:1: ",
    "score --gold empty --hyp hyp --src src --tgt tgt": "empty: the file is empty",
    "extract --links bad": "bad:2: '0-x' is not a link",
    "extract --links none": "none: no such file",
    "score --gold gold --hyp hyp --hyp hyp=gold --src src --tgt tgt": "the system 'hyp' is in both",
    "extract --links hyp --kind tight": "unknown --kind 'tight'; expected one of",
    "extract --links hyp --kind tight -o new.parquet": "unknown --kind 'tight'; expected one of",
    "dictionary --links hyp --src src --tgt tgt --dictionary dic": "unknown --dictionary 'dic'",
    "score --gold gold --hyp hyp --src src --tgt tgt --dictionaries text-dic1,x": (
        "unknown --dictionaries 'x'"
    ),
    "score --gold gold --hyp hyp --src src --tgt tgt --dictionaries ,": (
        "no dictionary; expected one"
    ),
    "score --gold gold --hyp hyp --src src --tgt tgt --set memory-limit=lots": (
        "--memory-limit is 'lots'"
    ),
    "score --gold gold --hyp hyp --src src --tgt tgt --set memory-limit=1MB": "the memory limit",
    "extract --links hyp --with-words": "no text given; expected --src and --tgt",
    "extract --links hyp -o no/x.parquet": "no/x.parquet: its folder does not exist",
    "dictionary --links hyp --src src --tgt tgt -o x.doc": (
        "x.doc: the suffix '.doc'; expected .parquet"
    ),
    "study --gold gold --hyp hyp --src src --tgt tgt -o file": "file: is a file; expected a folder",
    "score --gold gold --hyp short --set strict=yes --src src --tgt tgt": "short has no ",
}


def run(folder, *words):
    return finished("phrases", *words, folder=folder)


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(("words", "found"), SHELL.items(), ids=SHELL)
def test_an_error_ends_the_command_with_one_line(folder, words, found):
    done = run(folder, *words.split())
    assert (done.returncode, done.stdout) == (2, "")
    (message,) = done.stderr.splitlines()
    assert message.startswith(f"error: {found}")
    assert {path.name: path.read_text() for path in folder.iterdir()} == FILES


def test_lengths_below_1_are_refused_by_the_shell(folder):
    done = run(folder, *EXTRACT, "--max-length", "0")
    assert (done.returncode, done.stdout) == (2, "")
    assert "a whole number from 1" in done.stderr


def test_an_unwritable_output_is_refused(folder):
    (folder / "d.csv").mkdir()
    done = run(folder, "dictionary", "--links", "hyp", *WORDS, "-o", "d.csv")
    assert done.returncode == 2
    assert done.stderr == "error: d.csv: is a folder; expected a file to write\n"
    page = ["--gold", "gold", "--hyp", "hyp", *WORDS, "--page", "page.png"]
    done = run(folder, "study", *page)
    assert done.stderr == "error: page.png: the suffix '.png'; expected .html\n"
    assert not (folder / "page.png").exists()


# --- valid commands


def test_compare_dictionary_and_study_commands(bundled, tmp_path):
    words = ["--src", str(bundled / "text.en"), "--tgt", str(bundled / "text.fr")]
    given = ["--gold", str(bundled / "gold.talp")]
    hyp = {"one": bundled / "eager.talp", "two": bundled / "cautious.talp"}
    for name, path in hyp.items():
        given += ["--hyp", f"{name}={path}"]
    text = slow.bitext(slow.text_of(bundled / "text.en", bundled / "text.fr"))
    wanted = phrases.score(hyp, bundled / "gold.talp", text, max_length=4).scores
    done = run(tmp_path, "score", *given, *words, "--max-length", "4", "--json")
    rows = json_of(done.stdout)
    assert (rows, done.stderr) == (wanted.to_dicts(), "")
    assert {"system", "dictionary", "entries", "precision", "recall", "f"} <= set(rows[0])
    assert [row["dictionary"] for row in rows] == 2 * list(phrases.DICTIONARIES)
    links = f"one={bundled / 'eager.talp'}"
    options = ["--dictionary", "text-dic2", "--max-length", "4", "-o", "d.csv"]
    done = run(tmp_path, "dictionary", "--links", links, *words, *options)
    made = phrases.dictionary({"one": hyp["one"]}, text, "text-dic2", max_length=4)
    assert pl.read_csv(tmp_path / "d.csv").equals(made)
    for k, name in enumerate(("a", "b")):
        (tmp_path / f"{name}.talp").write_text([*hyp.values()][k].read_text())
    done = run(tmp_path, "dictionary", "--links", "*.talp", *words, *options)
    assert pl.read_csv(tmp_path / "d.csv")["system"].unique(maintain_order=True).to_list() == [
        *"ab"
    ]
    options = ["--max-length", "4", "--top", "3", "--sure-only", "-o", "out", "--json"]
    done = run(tmp_path, "study", *given, *words, *options)
    study = phrases.study(hyp, bundled / "gold.talp", text, max_length=4, top=3, sure_only=True)
    found = json_of(done.stdout)
    assert found.pop("signature") == study.signature
    assert found == {name: table.to_dicts() for name, table in study.tables().items()}
    for name, table in study.tables().items():
        assert pl.read_parquet(tmp_path / "out" / f"{name}.parquet").equals(table)


def test_scores_by_sentence_and_a_single_file(bundled, tmp_path):
    words = ["--src", str(bundled / "text.en"), "--tgt", str(bundled / "text.fr")]
    given = ["--gold", str(bundled / "gold.talp"), "--hyp", f"one={bundled / 'eager.talp'}"]
    text = slow.bitext(slow.text_of(bundled / "text.en", bundled / "text.fr"))
    inputs = {"one": bundled / "eager.talp"}, bundled / "gold.talp", text
    words += ["--max-length", "2"]
    options = ["--by", "sid", "--dictionaries", "text-dic1", "--json"]
    rows = json_of(run(tmp_path, "score", *given, *words, *options).stdout)
    wanted = phrases.score(*inputs, by="sid", dictionaries=["text-dic1"], max_length=2).scores
    assert rows == wanted.to_dicts()
    done = run(tmp_path, "study", *given, *words, "--by", "sid", "-o", "x.csv")
    for title in ("Precision", "Recall", "F-measure", "Sentences"):
        assert title in done.stdout
    assert "scores written to x.csv" in done.stderr
    made = pl.read_csv(tmp_path / "x.csv")
    assert made.equals(phrases.study(*inputs, max_length=2).scores)
    done = run(tmp_path, "study", *given, *words, "-o", "no/x.csv")
    assert (done.returncode, done.stderr.count("its folder does not exist")) == (2, 1)
    (tmp_path / "folder.csv").mkdir()  # is written to, whatever its name
    run(tmp_path, "study", *given, *words, "--by", "sid", "-o", "folder.csv")
    assert (tmp_path / "folder.csv" / "by_sentence.parquet").exists()


def test_words_of_phrases(bundled, tmp_path):
    sides = ["--src", str(bundled / "text.en"), "--tgt", str(bundled / "text.fr")]
    given = ["--links", f"e={bundled / 'eager.talp'}", "--kind", "moses", "--with-words", *sides]
    found = json_of(run(tmp_path, "extract", *given, "--json").stdout)
    run(tmp_path, "extract", *given, "-o", "pairs.parquet")
    text = {row["sid"]: row for row in formats.read_bitext(sides[1], sides[3]).to_pylist()}
    for row in found:
        for side in ("src", "tgt"):
            words = text[row["sid"]][side][row[f"{side}_start"] : row[f"{side}_end"]]
            assert row[side] == " ".join(words)
    made = pl.read_parquet(tmp_path / "pairs.parquet").cast({"system": pl.String})
    assert made.to_dicts() == found
    # A dictionary of Moses's phrases has these, counted.
    options = ["--links", given[1], *sides, "--dictionary", "text-moses", "--json"]
    counted = json_of(run(tmp_path, "dictionary", *options).stdout)
    assert {(row["src"], row["tgt"]): row["n"] for row in counted} == Counter(
        (row["src"], row["tgt"]) for row in found
    )


def test_text_becomes_a_table_for_sql(bundled, tmp_path):
    sides = [str(bundled / "text.en"), str(bundled / "text.fr")]
    done = finished("convert", *sides, "t.parquet", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "72 sentence pairs written to t.parquet\n")
    text = formats.read_bitext(*sides)
    assert pq.read_table(tmp_path / "t.parquet").cast(text.schema).equals(text)
    by_path = phrases.dictionary(bundled / "eager.talp", tmp_path / "t.parquet")
    assert by_path.equals(phrases.dictionary(bundled / "eager.talp", formats.read_bitext(*sides)))
