"""Pairs of sentences as tables and memories: columns of their own, filters, conversions."""

import polars as pl
import pytest
from helpers.cli import json_of, run

from alignframe import beads, formats
from alignframe.errors import InputError

PAIRS = [
    {"id": "a", "src": "One, two.", "tgt": "Un, deux.", "domain": "law", "year": 1999},
    {"id": "b", "src": 'The "end".', "tgt": "La fin.", "domain": None, "year": None},
]


@pytest.mark.parametrize("name", ["x.parquet", "x.csv", "x.tsv", "x.jsonl"])
def test_columns_of_the_user_pass_through_all_tables(name, tmp_path):
    pl.DataFrame(PAIRS).write_parquet(tmp_path / "given.parquet")
    run("convert", "given.parquet", name, folder=tmp_path)
    found = formats.read_pairs(tmp_path / name)
    assert pl.DataFrame(pl.from_arrow(found)).to_dicts() == PAIRS
    run("convert", name, "y.tmx", "--languages", "en,fr", folder=tmp_path)
    memory = (tmp_path / "y.tmx").read_text("utf-8")
    assert '<tu tuid="a"><prop type="domain">law</prop><prop type="year">1999</prop>' in memory
    back = formats.read_pairs(tmp_path / "y.tmx").select(["id", "src", "tgt"]).to_pylist()
    assert back == [{key: row[key] for key in ("id", "src", "tgt")} for row in PAIRS]


def test_a_bitext_of_beads_becomes_a_memory(bundled, tmp_path):
    texts = [bundled.parent / "mill" / f"mill.{side}" for side in ("en", "fr")]
    run("beads", "align", *texts, "--bitext", "m.parquet", "-o", "m.beads", folder=tmp_path)
    told = run("convert", "m.parquet", "m.tmx", "--languages", "en,fr", "--json", folder=tmp_path)
    pairs = pl.read_parquet(tmp_path / "m.parquet")
    assert json_of(told.stdout)["pairs"] == pairs.height
    _, src, tgt = formats.read_tmx(tmp_path / "m.tmx")
    assert (src.to_pylist(), tgt.to_pylist()) == (pairs["src"].to_list(), pairs["tgt"].to_list())
    # The table of a memory is a table of its beads, too.
    run("convert", "m.tmx", "n.parquet", folder=tmp_path)
    found = beads.score(tmp_path / "n.parquet", tmp_path / "n.parquet").scores
    assert found["strict_precision"].to_list() == [1.0]


def test_filtered_pairs_keep_what_is_known_of_them(bundled, tmp_path):
    src, tgt = ((bundled / f"text.{side}").read_text("utf-8").splitlines() for side in ("en", "fr"))
    rows = [
        {"id": f"u{k}", "src": src[k % 72], "tgt": tgt[(k * 5 if k % 4 == 0 else k) % 72]}
        for k in range(288)
    ]
    formats.write_pairs(pl.DataFrame(rows).to_arrow(), tmp_path / "x.tmx", ("en", "fr"))
    text = (tmp_path / "x.tmx").read_text("utf-8").replace("<tuv", "<note>mine</note><tuv", 1)
    (tmp_path / "x.tmx").write_text(text, "utf-8")
    for name in ("kept.tmx", "kept.parquet"):
        run("beads", "filter", "x.tmx", "-o", name, "--lines", "all.csv", folder=tmp_path)
        kept = formats.read_pairs(tmp_path / name)
        lines = pl.read_csv(tmp_path / "all.csv").filter("kept")["line"]
        assert 0 < lines.len() < 288
        assert kept["id"].to_pylist() == [rows[line - 1]["id"] for line in lines]
        assert kept["tgt"].to_pylist() == [rows[line - 1]["tgt"] for line in lines]
    said = run(
        "beads",
        "filter",
        bundled / "text.en",
        bundled / "text.fr",
        "-o",
        "k.tmx",
        folder=tmp_path,
        code=2,
    ).stderr
    assert "-o k.tmx for texts without a table of their own; expected a prefix" in said
    assert not (tmp_path / "k.tmx").exists()


def test_what_cannot_be_kept_is_said(tmp_path):
    header = "<header srclang='en'><note>all</note></header>"
    unit = "<tu><tuv xml:lang='en'><seg>a</seg></tuv><tuv xml:lang='fr'><seg>b</seg></tuv></tu>"
    (tmp_path / "x.tmx").write_text(f"<tmx>{header}<body>{unit}</body></tmx>")
    said = run("convert", "x.tmx", "x.csv", folder=tmp_path).stderr
    assert "the notes in the header of the TMX are left out; Parquet keeps them" in said
    assert "left out" not in run("convert", "x.tmx", "x.parquet", folder=tmp_path).stderr
    assert "<note>all</note>" not in (tmp_path / "x.csv").read_text()
    run("convert", "x.parquet", "y.tmx", folder=tmp_path)
    assert "<note>all</note>" in (tmp_path / "y.tmx").read_text()
    (tmp_path / "gap.csv").write_text("src,tgt\na,b\nc,\n")
    with pytest.raises(InputError, match="row 2 without tgt; expected a text in each row"):
        formats.read_pairs(tmp_path / "gap.csv")
    said = run("convert", "gap.csv", "y.tmx", folder=tmp_path, code=2).stderr
    assert "gap.csv: row 2 without tgt" in said
    (tmp_path / "ok.csv").write_text("src,tgt\na,b\n")
    said = run("convert", "ok.csv", "z.tmx", folder=tmp_path).stderr
    assert "the languages of the texts are unknown" in said
    with pytest.raises(InputError, match="pairs without languages"):
        formats.write_pairs(formats.read_pairs(tmp_path / "ok.csv"), tmp_path / "z.tmx")


def test_ids_may_be_numbers(tmp_path):
    (tmp_path / "x.jsonl").write_text('{"src": "One.", "tgt": "Un.", "id": 7, "score": "high"}\n')
    run("convert", "x.jsonl", "y.tmx", "--languages", "en,fr", folder=tmp_path)
    memory = (tmp_path / "y.tmx").read_text("utf-8")
    assert '<tu tuid="7"><prop type="score">high</prop>' in memory


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"en": "One.", "tgt": "Un."}, "the columns en, tgt; expected the column src"),
        ({"src": 1, "tgt": "Un."}, "a column src of type int64; expected texts"),
        ({"src": "One.", "tgt": None}, "row 1 without tgt"),
    ],
)
@pytest.mark.parametrize("name", ["x.tmx", "x.csv", "x.parquet"])
def test_pairs_without_texts_are_refused(row, said, name, tmp_path):
    with pytest.raises(InputError, match=said):
        formats.write_pairs(pl.DataFrame([row]).to_arrow(), tmp_path / name, ("en", "fr"))
    pl.DataFrame([row]).write_parquet(tmp_path / "y.parquet")
    with pytest.raises(InputError, match=rf"y\.parquet: .*{said}"):
        formats.read_pairs(tmp_path / "y.parquet")


@pytest.mark.parametrize("deep", ['{"src": ' * 600 + "1" + "}" * 600, '{"src": ' + "[" * 9000])
def test_values_deep_in_others_are_refused(deep, tmp_path):
    """Readers of JSON call themselves at each: the process would end."""
    (tmp_path / "x.jsonl").write_text(f'{{"src": "a", "tgt": "b"}}\n{deep}\n')
    with pytest.raises(InputError, match=r"x[.]jsonl:2: values nested in 100 others"):
        formats.read_pairs(tmp_path / "x.jsonl")


def test_brackets_in_texts_are_not_nested(tmp_path):
    row = {"src": '"[' * 200, "tgt": "{" * 200}
    pl.DataFrame([row]).write_ndjson(tmp_path / "x.jsonl")
    assert formats.read_pairs(tmp_path / "x.jsonl").to_pylist() == [row]
