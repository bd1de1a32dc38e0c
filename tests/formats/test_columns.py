"""Both sides of a text in two columns of a table, with or without a header."""

import polars as pl
import pytest
from helpers.cli import finished, run

import alignframe as af
from alignframe.errors import DataWarning, InputError
from alignframe.formats import read_bitext, read_parallel

PAIRS = [("a b .", "A B ."), ("c d, e", 'C "D')]
TWO = "".join(f"{src}\t{tgt}\n" for src, tgt in PAIRS)
THREE = "".join(f"1.{k}\t{src}\t{tgt}\n" for k, (src, tgt) in enumerate(PAIRS))
CSV = 'a b .,A B .\n"c d, e","C ""D"\n'
WORDS = [(src.split(), tgt.split()) for src, tgt in PAIRS]


def pairs_of(path, columns=None):
    text = read_bitext(path, columns=columns)
    _, *sides = read_parallel(path, columns=columns)
    assert [*zip(*(side.to_pylist() for side in sides), strict=True)] == PAIRS
    return [*zip(text["src"].to_pylist(), text["tgt"].to_pylist(), strict=True)]


@pytest.mark.parametrize(
    ("name", "text", "columns"),
    [
        ("t.tsv", TWO, None),
        ("t.txt", TWO, None),
        ("t", TWO, None),
        ("t.tsv", f"src\ttgt\n{TWO}", None),
        ("t.tsv", f"en\tfr\n{TWO}", "en,fr"),
        ("t.csv", CSV, None),
        ("t.csv", f"en,fr\n{CSV}", "en,fr"),
        ("t.csv", CSV, "1,2"),
        ("t.tsv", THREE, "2,3"),
        ("t.txt", THREE, ["2", "3"]),
        ("t.tsv", f"score\ten US\tfr\n{THREE}", "en US, fr"),
    ],
)
def test_columns_are_sides(name, text, columns, tmp_path):
    (tmp_path / name).write_text(text)
    assert pairs_of(tmp_path / name, columns) == WORDS
    if columns is None:
        links = af.aligners.align(tmp_path / name, model="ibm1")
        assert links.height == 2


@pytest.mark.parametrize(
    ("text", "columns", "said"),
    [
        (THREE, None, r"the text has no header, and the columns 1 \('1.0'\), 2 \('a b .'\), 3 "),
        (THREE, None, r"name two, such as `columns=2,3`; or .*: cut -f2 FILE > SRC; cut -f3 FILE"),
        (THREE, "2,4", "expected 2 and 4; name two, such as"),
        (TWO, "en,fr", r"no header, and the columns 1 \('a b .'\), .*expected en and fr"),
        (TWO, "1", "`columns` is '1'; expected two"),
        (TWO, "2,2", "`columns` is '2,2'; expected two"),
        (f"en\tfr\n{TWO}", None, "the columns en, fr; expected src and tgt, .*`columns=en,fr`"),
        ("MAT 1:1\ta b\nMAT 1:2\tc\n", None, r"1 \('MAT 1:1'\)"),
        ("a b\tx 1\t0-0\nc d\ty 2\t0-0\n", None, r"3 \('0-0'\).*cut -f1 FILE > SRC; cut -f2"),
        ("a b .\tA\nc\n", "1,2", "t.tsv:2: 1 cell; expected 2"),
    ],
)
def test_other_columns_are_named(text, columns, said, tmp_path):
    (tmp_path / "t.tsv").write_text(text)
    for read in (read_bitext, read_parallel):
        with pytest.raises(InputError, match=said):
            read(tmp_path / "t.tsv", columns=columns)


def test_other_tables_have_columns_too(tmp_path):
    frame = pl.DataFrame({"en": ["a b .", "c d, e"], "fr": [["A", "B", "."], ["C", '"D']], "k": 1})
    frame.write_parquet(tmp_path / "t.parquet")
    frame.write_ndjson(tmp_path / "t.jsonl")
    assert pairs_of(tmp_path / "t.parquet", "en,fr") == WORDS
    for name in ("t.parquet", "t.jsonl"):
        with pytest.raises(InputError, match="the columns en, fr, k; expected 1 and 2; name two"):
            read_bitext(tmp_path / name, columns=[1, 2])
        with pytest.raises(InputError, match="the columns en, fr, k; expected src and tgt"):
            read_parallel(tmp_path / name)


def test_a_header_that_is_read_as_text_is_told(tmp_path):
    (tmp_path / "t.tsv").write_text(f"en\tfr\n{TWO}")
    with pytest.warns(DataWarning, match="the first line, en, fr, is read as text"):
        assert read_bitext(tmp_path / "t.tsv", columns="1,2").num_rows == 3


def test_commands_take_columns(tmp_path):
    (tmp_path / "t.tsv").write_text(THREE)
    (tmp_path / "e.csv").write_text(f"en,fr\n{CSV}")
    where = {"folder": tmp_path}
    for given in (("t.tsv", "--columns", "2,3"), ("e.csv", "--columns", "en,fr")):
        assert "2 sentences" in run("align", *given, "-o", "o.talp", **where)[1]
        assert "translation" in run("lexicon", "induce", *given, "-o", "l.csv", **where)[1]
        run("beads", "filter", *given, "--method", "len", "--threshold", 0, "-o", "k", **where)
        assert (tmp_path / "k.tgt.txt").read_text().splitlines() == [tgt for _, tgt in PAIRS]
        run("convert", *given, "o.tmx", "--languages", "en,fr", **where)
        assert (tmp_path / "o.tmx").read_text().count("<tu>") == 2
        for name in ("o.en", "o.fr"):
            (tmp_path / name).unlink(missing_ok=True)
        run("convert", *given, "o.beads", "--src", "o.en", "--tgt", "o.fr", **where)
        assert (tmp_path / "o.fr").read_text().splitlines() == [tgt for _, tgt in PAIRS]
    for words in (["align", "-o", "o.talp"], ["lexicon", "induce"], ["beads", "filter", "-o", "k"]):
        code, _, said = finished(*words, "t.tsv", **where)
        assert code == 2
        assert "name two, such as --columns 2,3; or" in " ".join(said.split()), words
        code, _, said = finished(*words, "t.tsv", "t.tsv", "--columns", "2,3", **where)
        assert code == 2
        assert "--columns with two files" in said
    code, _, said = finished("convert", "t.tsv", "o.tmx", **where)
    assert code == 2
    assert "--columns 2,3" in " ".join(said.split())


def test_a_stream_has_columns_too(tmp_path):
    for given, words in ((TWO, ()), (THREE, ("--columns", "2,3"))):
        words = ("align", "-", *words, "-o", "o.talp")
        assert finished(*words, folder=tmp_path, given=given.encode())[0] == 0
        assert len((tmp_path / "o.talp").read_text().splitlines()) == 2


def test_texts_that_exist_are_not_overwritten(tmp_path):
    (tmp_path / "t.tsv").write_text(TWO)
    (tmp_path / "o.fr").write_text("mine\n")
    words = ("convert", "t.tsv", "o.beads", "--src", "o.en", "--tgt", "o.fr")
    code, _, said = finished(*words, folder=tmp_path)
    assert code == 2
    assert "o.fr: exists already" in said
    assert (tmp_path / "o.fr").read_text() == "mine\n"


def test_long_numbers_in_text_do_not_take_long(tmp_path):
    """If digits can be split between words in many ways, this takes days."""
    text = "".join(f"{'1' * 60} boats\t{'2' * 60} bateaux\n" for _ in range(2))
    (tmp_path / "t.tsv").write_text(text)
    assert read_bitext(tmp_path / "t.tsv")["src"].to_pylist() == [["1" * 60, "boats"]] * 2


def test_the_error_names_the_first_of_many_columns(tmp_path):
    (tmp_path / "t.tsv").write_text("a b\t" * 1000 + "b\n")
    with pytest.raises(InputError, match="and 971 more; expected") as caught:
        read_bitext(tmp_path / "t.tsv")
    assert len(str(caught.value)) < 1000
