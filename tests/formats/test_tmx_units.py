"""Units of translation memories as tables: nothing of them is lost on the way and back."""

from xml.etree import ElementTree

import polars as pl
import pyarrow.parquet as pq
import pytest
from helpers.cli import run
from hypothesis import given, settings
from hypothesis import strategies as st

from alignframe import formats
from alignframe.errors import DataWarning
from alignframe.formats.tmx_units import languages_of, read_units, write_units

MEMORY = """<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4">
<header creationtool="X" srclang="en-US"><note>of all &amp; more</note></header>
<body>
<tu tuid="u1" creationdate="20200101T000000Z"><note>mine</note><prop type="domain">law</prop>
<tuv xml:lang="en-US"><seg>The <bpt i="1">&lt;b&gt;</bpt>red<ept i="1"/> boat.</seg></tuv>
<tuv xml:lang="fr-FR" changeid="a"><seg>Le bateau rouge.</seg></tuv></tu>
<tu tuid="u2"><prop type="score">0.9</prop><tuv xml:lang="en-US"><seg>It rains.</seg></tuv>
<tuv xml:lang="fr-FR"><seg>Il pleut.</seg></tuv></tu>
<tu><tuv xml:lang="en-US"><seg>alone</seg></tuv><tuv xml:lang="fr-FR"><seg> </seg></tuv></tu>
</body></tmx>
"""


@pytest.fixture
def memory(tmp_path):
    (tmp_path / "x.tmx").write_text(MEMORY, "utf-8")
    return tmp_path / "x.tmx"


def units(path):
    """Return the lines of a file between its body's tags."""
    return path.read_text("utf-8").partition("<body>\n")[2].partition("</body>")[0]


def test_a_memory_is_the_same_through_a_table(memory, tmp_path):
    table = read_units(memory)
    assert table["id"].to_pylist() == ["u1", "u2", None]
    assert table["src"].to_pylist() == ["The red boat.", "It rains.", "alone"]
    assert table["score"].to_pylist() == [None, 0.9, None]
    assert table["tgt_end"].to_pylist() == [1, 2, 2]
    pq.write_table(table, tmp_path / "x.parquet")
    again = pq.read_table(tmp_path / "x.parquet")
    assert languages_of(again) == ("en-US", "fr-FR")
    assert write_units(again, tmp_path / "y.tmx", languages_of(again)) == 3
    assert units(tmp_path / "y.tmx") == units(memory).replace('<ept i="1"/>', '<ept i="1"></ept>')
    assert "<note>of all &amp; more</note>" in (tmp_path / "y.tmx").read_text("utf-8")
    assert read_units(tmp_path / "y.tmx").equals(table)


def test_a_changed_text_stands_in_its_old_unit(memory, tmp_path):
    frame = pl.DataFrame(pl.from_arrow(read_units(memory)))
    new = pl.when(pl.col("id") == "u1").then(pl.lit("A <red> boat.")).otherwise("src")
    table = frame.with_columns(src=new, tgt=pl.col("tgt").str.replace("Il pleut.", "Il neige."))
    with pytest.warns(DataWarning, match="1 unit whose text was changed has lost the codes"):
        write_units(table.to_arrow(), tmp_path / "y.tmx", languages_of(table.to_arrow()))
    said = units(tmp_path / "y.tmx")
    assert "<note>mine</note>" in said
    assert "<seg>A &lt;red&gt; boat.</seg>" in said
    assert '<tuv xml:lang="fr-FR" changeid="a"><seg>Le bateau rouge.</seg></tuv>' in said
    assert "<seg>It rains.</seg>" in said
    assert "<seg>Il neige.</seg>" in said
    src, tgt = formats.read_tmx(tmp_path / "y.tmx")[1:]
    assert src.to_pylist()[0] == "A <red> boat."
    assert tgt.to_pylist()[1] == "Il neige."


def test_columns_of_other_tables_become_properties(tmp_path):
    rows = [{"id": "a", "src": "x & y", "tgt": "z", "score": 0.5, "domain": "law", "year": None}]
    table = pl.DataFrame(rows, schema_overrides={"year": pl.Int64}).to_arrow()
    write_units(table, tmp_path / "y.tmx", ("en", "pt-BR"))
    said = (tmp_path / "y.tmx").read_text("utf-8")
    assert '<tu tuid="a"><prop type="score">0.5</prop><prop type="domain">law</prop>' in said
    assert '<tuv xml:lang="pt-BR"><seg>z</seg></tuv>' in said
    assert "year" not in said
    again = read_units(tmp_path / "y.tmx")
    assert again.select(["id", "src", "tgt", "score"]).to_pylist() == [
        {"id": "a", "src": "x & y", "tgt": "z", "score": 0.5}
    ]


texts = st.text(st.characters(categories=("L", "N", "P", "S")), min_size=1, max_size=8)


@settings(max_examples=20)
@given(st.lists(st.tuples(texts, texts, texts), min_size=1, max_size=4))
def test_any_text_may_be_changed_to_any_other(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("memory")
    first = pl.DataFrame(rows, schema=["src", "tgt", "new"], orient="row")
    write_units(first.drop("new").to_arrow(), folder / "x.tmx", ("en", "fr"))
    table = pl.DataFrame(pl.from_arrow(read_units(folder / "x.tmx", ("en", "fr"))))
    table = table.with_columns(src=first["new"])
    write_units(table.to_arrow(), folder / "y.tmx", ("en", "fr"))
    again = read_units(folder / "y.tmx", ("en", "fr"))
    assert again["src"].to_pylist() == first["new"].to_list()
    assert again["tgt"].to_pylist() == first["tgt"].to_list()


def test_what_the_xml_needs_is_written_again(tmp_path):
    unit = '<tu x:a="1&#10;2"><tuv xml:lang="en"><seg>a</seg></tuv><tuv xml:lang="fr"><seg>b</seg>'
    text = (
        f'<tmx version="1.4" xmlns:x="urn:x"><header srclang="en"/><body>{unit}</tuv></tu></body>'
    )
    (tmp_path / "x.tmx").write_text(f"{text}</tmx>")
    run("convert", "x.tmx", "y.tmx", folder=tmp_path)
    root = ElementTree.parse(tmp_path / "y.tmx").getroot()
    assert root.find("body/tu").attrib == {"{urn:x}a": "1\n2"}


def test_other_columns_and_values_of_a_unit_are_written(memory, tmp_path):
    table = pl.DataFrame(pl.from_arrow(read_units(memory))).with_columns(
        reviewer=pl.Series(["me", None, None]),
        domain=pl.Series(["tax", None, None]),
        score=pl.Series([0.25, 0.9, None]),
        id=pl.Series(["u1", "new", "third"]),
        links=pl.Series([[1], [], []]),
    )
    with pytest.warns(DataWarning, match="the column links is left out, as it holds lists"):
        write_units(table.to_arrow(), tmp_path / "y.tmx", ("en", "fr"))
    said = units(tmp_path / "y.tmx")
    assert '<prop type="domain">tax</prop>' in said
    assert '<prop type="score">0.25</prop><prop type="reviewer">me</prop><tuv' in said
    assert '<tu tuid="new"><prop type="score">0.9</prop>' in said
    assert '<tu tuid="third"><tuv' in said
    assert said.count('type="score"') == 2


def test_a_folder_of_memories_and_back(memory, tmp_path):
    (tmp_path / "in").mkdir()
    for name in ("a", "b"):
        text = MEMORY.replace("of all", f"of {name}").replace("The red", f"{name} red")
        (tmp_path / "in" / f"{name}.tmx").write_text(text, "utf-8")
    run("convert", "in", "all.parquet", folder=tmp_path)
    assert pl.read_parquet(tmp_path / "all.parquet")["doc"].to_list() == ["a"] * 3 + ["b"] * 3
    run("convert", "all.parquet", "out/", folder=tmp_path)
    for name in ("a", "b"):
        written = (tmp_path / "out" / f"{name}.tmx").read_text("utf-8")
        assert f"<note>of {name} &amp; more</note>" in written
        assert read_units(tmp_path / "out" / f"{name}.tmx", doc="x").equals(
            read_units(tmp_path / "in" / f"{name}.tmx", doc="x")
        )
    said = run("convert", "in", "one.tmx", folder=tmp_path).stderr
    assert "of the notes in headers, only those of the first document are written" in said
