"""Parquet of several writers in one folder, and damaged Parquet."""

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.formats import rows_of

from alignframe import links
from alignframe.errors import DataWarning, InputError
from alignframe.formats import read, read_external


def as_item(table, path):
    """Write like older programs, which name the items of a list ``item``."""
    kind = pa.list_(pa.field("item", table.schema.field("links").type.value_type))
    column = table["links"].combine_chunks().cast(kind)
    at = table.schema.get_field_index("links")
    pq.write_table(table.set_column(at, "links", column), path, use_compliant_nested_type=False)


WRITERS = {
    "element": pq.write_table,
    "item": as_item,
    "polars": lambda table, path: pl.from_arrow(table).write_parquet(path),
    "wide": lambda table, path: pq.write_table(with_wide_positions(table), path),
}


def with_wide_positions(table):
    struct = pa.struct([("i", pa.int64()), ("j", pa.int32()), ("sure", pa.bool_())])
    column = table["links"].combine_chunks().cast(pa.list_(pa.field("element", struct)))
    return table.set_column(table.schema.get_field_index("links"), "links", column)


@pytest.mark.filterwarnings("ignore:.*has Possible links, and gold has none")
@pytest.mark.parametrize("second", WRITERS)
@pytest.mark.parametrize("first", WRITERS)
def test_a_folder_of_two_writers(bundled, tmp_path, first, second):
    table = read(bundled / "gold.talp", system="gold")
    WRITERS[first](table.slice(0, 30), tmp_path / "a.parquet")
    WRITERS[second](table.slice(30), tmp_path / "b.parquet")
    assert rows_of(read(tmp_path)) == rows_of(table)
    eager = bundled / "eager.talp"
    for hyp, gold in ((tmp_path, eager), (eager, tmp_path)):
        whole = {"hyp": hyp, "gold": gold}
        plain = {
            name: bundled / "gold.talp" if path == tmp_path else path
            for name, path in whole.items()
        }
        columns = ["links", "aer", "precision"]
        assert (
            links.score(**whole)
            .scores.select(columns)
            .equals(links.score(**plain).scores.select(columns))
        )
    with pytest.warns(DataWarning, match="same links"):
        assert links.symmetrize(tmp_path, tmp_path, "union").height == table.num_rows


def test_an_impossible_position_of_one_writer_is_named(bundled, tmp_path):
    table = read(bundled / "eager.talp").slice(0, 30)
    pq.write_table(table, tmp_path / "a.parquet")
    bad = pa.table({"system": ["eager"], "sid": [99], "links": [[{"i": -1, "j": 0, "sure": True}]]})
    pq.write_table(bad, tmp_path / "b.parquet")
    with pytest.raises(InputError, match="position -1"):
        read(tmp_path)


@pytest.mark.parametrize("name", ["links", "sid", "system"])
def test_errors_about_a_damaged_column_name_the_file(bundled, tmp_path, name):
    path = tmp_path / "bad.parquet"
    pq.write_table(read(bundled / "gold.talp"), path, store_schema=False)
    data = path.read_bytes()
    path.write_bytes(data.replace(name.encode(), b"\xff\xfe" + name.encode()[2:]))
    for reader in (read, read_external, lambda p: links.score(p, bundled / "gold.talp").scores):
        with pytest.raises(InputError, match=r"bad\.parquet: "):
            reader(path)
