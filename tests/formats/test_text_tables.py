"""Sentences as tables, and translations in a column of structs."""

import json

import polars as pl
import pytest
from helpers.cli import json_of, run

import alignframe as af
from alignframe.errors import DataWarning, InputError

ROWS = [
    {"id": "0", "translation": {"en": "The boat .", "fr": "Le bateau ."}},
    {"id": "1", "translation": {"en": "A dog .", "fr": "Un chien ."}},
]


@pytest.mark.parametrize("name", ["t.parquet", "t.jsonl"])
def test_translations_of_a_column_are_both_sides(name, tmp_path):
    frame = pl.DataFrame(ROWS)
    (frame.write_parquet if name == "t.parquet" else frame.write_ndjson)(tmp_path / name)
    for more in ([], ["--columns", "translation.en,translation.fr"]):
        run("align", name, *more, "-o", "x.talp", folder=tmp_path)
        assert len((tmp_path / "x.talp").read_text().splitlines()) == 2
    run("align", name, "--columns", "translation.fr,translation.en", "-o", "y.tsv", folder=tmp_path)
    found = af.lexicon.induce(tmp_path / name, n_best=1).frame
    assert set(found["src"]) == {"The", "boat", "A", "dog", "."}
    three = [row | {"translation": row["translation"] | {"de": "x"}} for row in ROWS]
    text = "\n".join(map(json.dumps, three)) + "\n"
    (tmp_path / "three.jsonl").write_text(text)
    said = run("align", "three.jsonl", "-o", "x.talp", folder=tmp_path, code=2).stderr
    assert "expected" in said


def test_a_file_of_sentences_is_a_table_in_sql_and_for_convert(tmp_path):
    (tmp_path / "sys.en").write_text("The boat sank .\n\nIt rains .\n")
    run("convert", "sys.en", "t.parquet", folder=tmp_path)
    wanted = {"sid": [0, 1, 2], "text": ["The boat sank .", "", "It rains ."]}
    assert pl.read_parquet(tmp_path / "t.parquet").to_dict(as_series=False) == wanted
    query = "select count(*) as n, sum(length(text)) as letters from t"
    said = run("sql", "--table", "t=sys.en", query, "--json", folder=tmp_path)
    assert json_of(said.stdout) == [{"n": 3, "letters": 25}]
    assert "sys.en: table the sentences, as sid and text" in said.stderr
    # Links, and what should be links, are none.
    (tmp_path / "x.talp").write_text("0-0 1-1\n")
    run("convert", "x.talp", "l.parquet", folder=tmp_path)
    assert "links" in pl.read_parquet(tmp_path / "l.parquet").columns
    (tmp_path / "bad.talp").write_text("0=0 1=1\n")
    run("convert", "bad.talp", "l.parquet", folder=tmp_path, code=2)
    said = run("convert", "sys.en", "t.talp", folder=tmp_path, code=2).stderr
    assert "the format is not recognised" in said


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.jsonl", "x.tsv.gz"])
def test_a_text_of_two_files_becomes_a_table_and_is_read_again(name, tmp_path):
    (tmp_path / "x.en").write_text('A boat .\nHe said " and left .\n\n')
    (tmp_path / "x.fr").write_text("Un bateau .\n\nFin .\n")
    run("convert", "x.en", "x.fr", name, folder=tmp_path)
    found = af.formats.read_pairs(tmp_path / name).select(["src", "tgt"]).to_pydict()
    assert found == {
        "src": ["A boat .", 'He said " and left .', ""],
        "tgt": ["Un bateau .", "", "Fin ."],
    }


IN_OTHERS = {
    "x.srt": "1\n00:00:01,000 --> 00:00:02,000\nA b .\n\n2\n00:00:03,000 --> 00:00:04,000\nC .\n",
    "x.en": "MAT 1:1\tA b .\nMAT 1:2\tC .\n",
    "x.tsv": "7\tA b .\n9\tC .\n",
    "x.sgm": '<srcset setid="a">\n<doc>\n<seg id="1">A b .</seg>\n<seg id="2">C .</seg>\n</doc>\n',
    "x.xml": '<?xml version="1.0"?>\n<text>\n<s id="1">A b .</s><s id="2">C .</s>\n</text>\n',
}


@pytest.mark.parametrize("name", IN_OTHERS)
def test_sentences_among_other_things_become_a_table(name, tmp_path):
    (tmp_path / name).write_text(IN_OTHERS[name])
    for target in ("y.parquet", "y.jsonl"):
        run("convert", name, target, folder=tmp_path)
    wanted = {"sid": [0, 1], "text": ["A b .", "C ."]}
    assert pl.read_parquet(tmp_path / "y.parquet").to_dict(as_series=False) == wanted
    assert pl.read_ndjson(tmp_path / "y.jsonl").to_dict(as_series=False) == wanted
    if name != "x.tsv":  # a table
        said = run("sql", "--table", f"t={name}", "select text from t", "--json", folder=tmp_path)
        assert json_of(said.stdout) == [{"text": "A b ."}, {"text": "C ."}]


def test_numbered_links_are_no_sentences(tmp_path):
    (tmp_path / "x.talp").write_text("0\t0-0 1-1\n1\t0-0\n")
    run("convert", "x.talp", "y.parquet", folder=tmp_path)
    assert "links" in pl.read_parquet(tmp_path / "y.parquet").columns


TEXTS = ["a b .", "c .", "a c .", "b ."]
OTHERS = ["A B .", "C .", "A C .", "B ."]
WRITTEN = {
    "csv": pl.DataFrame.write_csv,
    "tsv": lambda frame, path: frame.write_csv(path, separator="\t"),
    "jsonl": pl.DataFrame.write_ndjson,
    "parquet": pl.DataFrame.write_parquet,
}


@pytest.mark.parametrize("kind", WRITTEN)
def test_a_side_may_be_a_table_of_sentences_in_every_command(kind, tmp_path):
    for name, texts in (("en", TEXTS), ("fr", OTHERS)):
        (tmp_path / name).write_text("".join(f"{text}\n" for text in texts))
        frame = pl.DataFrame({"sid": range(4), "text": texts})[::-1]
        WRITTEN[kind](frame, tmp_path / f"{name}.{kind}")
    (tmp_path / "x.talp").write_text("0-0 1-1\n0-0\n1-1\n0-0\n")
    for words in (
        "align {0} {1} -o o.talp",
        "lexicon induce {0} {1} -o o.csv",
        "beads align {0} {1} -o o.beads",
        "convert {0} {1} o.tsv",
        "lm {0} -o o.arpa",
        "phrases extract --links x.talp --src {0} --tgt {1} --with-words -o o.csv",
    ):
        output = tmp_path / words.split()[-1]
        found = []
        for sides in (("en", "fr"), (f"en.{kind}", f"fr.{kind}")):
            run(*words.format(*sides).split(), folder=tmp_path)
            found.append(output.read_bytes())
            output.unlink()
        assert found[0] == found[1], words
    upper = [
        run("lexicon", "upper-bound", name, name, "--json", folder=tmp_path).stdout
        for name in ("en", f"en.{kind}")
    ]
    assert json_of(upper[0]) == json_of(upper[1])


def test_sentences_of_tables_are_joined_by_sid_or_refused(tmp_path):
    src, tgt = tmp_path / "en.parquet", tmp_path / "fr.parquet"
    pl.DataFrame({"sid": [0, 2, 3], "text": TEXTS[:1] + TEXTS[2:]}).write_parquet(src)
    pl.DataFrame({"sid": [2, 1, 0], "text": OTHERS[2::-1]}).write_parquet(tgt)
    with pytest.raises(InputError, match="ids that are not in order"):
        af.formats.read_bitext(src, tgt)
    pl.DataFrame({"sid": [3, 1, 0], "text": ["B .", "C .", "A B ."]}).write_parquet(tgt)
    with pytest.warns(DataWarning, match="joined by the ids of their lines: 2 lines; 1 only"):
        found = af.formats.read_bitext(src, tgt)
    assert found["tgt"].to_pylist() == [["A", "B", "."], ["B", "."]]
    with pytest.raises(InputError, match="the sid 2; expected 0, 1, 2"):
        af.formats.read_sentences(src)
    pl.DataFrame({"sid": [0, 0], "text": ["a", "b"]}).write_parquet(src)
    with pytest.raises(InputError, match="the sid 0; expected 0, 1, 2"):
        af.formats.read_bitext(src, tgt)
    for frame, said in (
        (
            pl.DataFrame({"src": ["a"], "tgt": ["b"]}),
            "column text; it has both sides: .*write the words",
        ),
        (pl.DataFrame({"text": [1]}), "a column text of type int64"),
        (pl.DataFrame({"text": ["a", None]}), "missing"),
    ):
        frame.write_parquet(src)
        with pytest.raises(InputError, match=said):
            af.formats.read_sentences(src)


def test_lines_behind_ids_in_a_tsv_are_lines_for_scores_too(tmp_path):
    (tmp_path / "x.tsv").write_text("7\ta b c d .\n8\tc d e f .\n")
    said = run("mt", "score", "--ref", "x.tsv", "--hyp", "y=x.tsv", "--json", folder=tmp_path)
    assert json_of(said.stdout)[0]["bleu"] == pytest.approx(100)
    (tmp_path / "x.tsv").write_text("7\ttext\n8\tc d e f .\n")
    assert af.formats.read_sentences(tmp_path / "x.tsv").to_pylist() == ["text", "c d e f ."]
