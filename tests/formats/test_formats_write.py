"""Writing links from any kind of table."""

from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from helpers.formats import ALIGNMENTS, batch_of, expected_rows, rows_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from alignframe.core.suffixes import LINKS
from alignframe.errors import InputError
from alignframe.formats import read, scan, write
from alignframe.formats.links import every_format

SHAPES = {
    "table": lambda table: table,
    "reader": lambda table: table.to_reader(),
    "batches": lambda table: table.to_batches(),
    "iterator": lambda table: iter(table.to_batches()),
    "batch": lambda table: table.combine_chunks().to_batches()[0],
    "polars": pl.from_arrow,
    "lazy": lambda table: pl.from_arrow(table).lazy(),
    "pandas": lambda table: table.to_pandas(),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("written")


@settings(max_examples=20)
@given(
    alignment=ALIGNMENTS,
    shape=st.sampled_from(sorted(SHAPES)),
    name=st.sampled_from(["a.talp", "a.parquet"]),
)
def test_links_survive_a_round_trip(folder, alignment, shape, name):
    assume(
        shape != "pandas" or any(alignment)
    )  # pandas does not know the item type of an empty list
    write([batch_of(alignment)], folder / "first.parquet")
    table = read(folder / "first.parquet")
    write(SHAPES[shape](table), folder / name)
    base = None if name.endswith("parquet") else 0
    assert rows_of(read(folder / name, base=base)) == expected_rows(alignment)


@pytest.mark.parametrize("name", ["a.talp", "a.naacl", "a.parquet"])
def test_a_long_table_is_written(tmp_path, name):
    alignment = [{(0, 0): True, (1, 2): False}, {(3, 1): True}]
    long = pl.from_arrow(pa.table(batch_of(alignment))).explode("links").unnest("links")
    write(long, tmp_path / name)
    assert rows_of(read(tmp_path / name)) == expected_rows(alignment)


def test_words_and_systems_are_kept(bundled, tmp_path):
    table = read(bundled / "gold.talp", system="people")
    write(scan(bundled / "gold.talp"), tmp_path / "gold.a3.parquet", system="people")
    again = read(tmp_path / "gold.a3.parquet")
    assert again.select(["sid", "links"]).equals(table.select(["sid", "links"]))
    assert set(again["system"].to_pylist()) == {"people"}
    sides = [(["a", "b"], ["x"])]
    write(pa.table(batch_of([{(1, 0): True}], sides=sides)), tmp_path / "one.moses")
    assert (tmp_path / "one.moses").read_text() == "a b ||| x ||| 1-0\n"


@pytest.mark.parametrize("name", ["a.talp", "a.naacl"])
def test_text_formats_hold_one_system(tmp_path, name):
    one, two = (read_as(tmp_path, system) for system in ("one", "two"))
    with pytest.raises(InputError, match="one, two"):
        write(pa.concat_tables([one, two]), tmp_path / name)
    assert not (tmp_path / name).exists()


def read_as(folder, system):
    (folder / "links").write_text("0-0\n")
    return read(folder / "links", system=system)


@pytest.mark.parametrize("thing", ["file.talp", 3, pa.table({"sid": [1]})])
def test_tables_without_links_are_refused(tmp_path, thing):
    with pytest.raises(InputError, match=r"table|links"):
        write(thing, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("name", "form"), every_format().items())
def test_every_format_that_is_written_is_recognised(name, form, tmp_path):
    page = Path("docs/links.md").read_text("utf-8").lower()
    suffixes = LINKS.suffixes[name]
    assert [suffix for suffix in suffixes if f"`{suffix}`" not in page] == []
    if not form.write:
        return
    links = [{(0, 0): True, (1, 2): True}, {(2, 1): True, (0, 1): True}]
    table = pa.table(batch_of(links)).append_column("src", pa.array([["a", "b", "c"]] * 2))
    table = table.append_column("tgt", pa.array([["x", "y", "z"]] * 2))
    write(table, tmp_path / "plain", name)
    for suffix in suffixes:
        write(table, tmp_path / f"links{suffix}")
        assert (tmp_path / f"links{suffix}").read_bytes() == (tmp_path / "plain").read_bytes()
    assert rows_of(read(tmp_path / "plain")) == expected_rows(links)
