"""Sentences as tables, and translations in a column of structs."""

import json

import polars as pl
import pytest
from helpers.cli import json_of, run

import alignframe as af

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
