"""DuckLake tables as places, read as DuckDB's own extension reads them.

The extension comes as a wheel for some versions of DuckDB only; ``make test-duckdb`` has it.
"""

import json
import random
from contextlib import suppress
from pathlib import Path

import duckdb
import polars as pl
import pytest
from helpers.cli import run

import alignframe as af
from alignframe.errors import InputError
from alignframe.stores import open_store

LINKS = "struct(i usmallint, j usmallint, sure boolean)[]"
KINDS = {"duckdb": "", "sqlite": "sqlite:"}


def load(connection, name):
    """Load an extension of DuckDB that is installed as a package."""
    package = pytest.importorskip(f"duckdb_extension_{name}")
    version = connection.sql("select version()").fetchone()[0]
    path = Path(package.__path__[0], "extensions", version, f"{name}.duckdb_extension")
    if not path.is_file():
        pytest.skip(f"no package of the extension {name} for DuckDB {version}")
    connection.load_extension(str(path))


@pytest.fixture(params=KINDS)
def lake(request, tmp_path):
    """Return a connection with a DuckLake ``lake``, and the name of its place without a table."""
    with duckdb.connect() as connection:
        load(connection, "ducklake")
        if request.param == "sqlite":
            load(connection, "sqlite_scanner")
        connection.execute(
            f"attach 'ducklake:{KINDS[request.param]}{tmp_path}/meta.db' as lake "
            f"(data_path '{tmp_path}/data/')"
        )
        connection.execute(
            f"create table lake.hyp (system varchar, domain varchar, sid bigint, links {LINKS})"
        )
        connection.execute("alter table lake.hyp set partitioned by (domain)")
        yield connection, f"ducklake:{tmp_path}/meta.db"
        if "lake" in {name for (name,) in connection.execute("show databases").fetchall()}:
            connection.execute("detach lake")


def insert(connection, systems, sentences=12):
    connection.execute(
        "insert into lake.hyp by name select system, 'd' || x % 2 as domain, x // 2 as sid, "
        "[{'i': 0, 'j': x % 3, 'sure': true}] as links "
        f"from range({sentences}) as t(x), unnest({systems}) as s(system)"
    )


def flush(connection):
    connection.execute("call ducklake_flush_inlined_data('lake')")


def rows(connection, table, name):
    return sorted(connection.execute(f"select {name}, domain, sid, links from {table}").fetchall())


def read(place, version=""):
    """Return what the package reads; the catalogue must be closed by then."""
    files = af.read.parquet.ParquetFiles(f"{place}.main.hyp", version)
    with duckdb.connect() as connection:
        connection.register("t", files)
        return rows(connection, "t", "names" if "names" in files.schema.names else "system")


@pytest.mark.parametrize("seed", range(4))
def test_the_rows_are_those_of_duckdb(lake, seed):
    connection, place = lake
    rng = random.Random(seed)
    insert(connection, ["a", "b"])
    name = "system"

    def delete():
        connection.execute(
            f"delete from lake.hyp where sid % 5 = {rng.randrange(5)} and domain = 'd0'"
        )

    def rename():
        nonlocal name
        if name == "system":
            connection.execute("alter table lake.hyp rename column system to names")
            name = "names"

    steps = [
        delete,
        rename,
        lambda: connection.execute("alter table lake.hyp add column if not exists note varchar"),
        lambda: connection.execute("call ducklake_merge_adjacent_files('lake')"),
        lambda: connection.execute(f"update lake.hyp set {name} = 'c' where sid = 3"),
    ]
    for step in rng.choices(steps, k=6):
        step()
    flush(connection)
    expected = rows(connection, "lake.hyp", name)
    connection.execute("detach lake")
    assert read(place) == expected


def test_old_snapshots_and_jobs(lake, tmp_path):
    connection, place = lake
    insert(connection, ["a", "b"])
    flush(connection)
    ((old,),) = connection.execute("from lake.current_snapshot()").fetchall()
    expected = rows(connection, "lake.hyp", "system")
    connection.execute("update lake.hyp set links = [] where sid > 2 and system = 'b'")
    flush(connection)
    ((new,),) = connection.execute("from lake.current_snapshot()").fetchall()
    connection.execute("detach lake")
    name = f"{place}.main.hyp"
    assert read(place, str(old)) == expected
    assert open_store(name).version == str(new)
    gold = pl.from_dicts(
        [{"domain": f"d{x % 2}", "sid": x // 2, "links": [{"i": 0, "j": 0}]} for x in range(12)]
    )
    gold.write_parquet(tmp_path / "gold.parquet")
    out = tmp_path / "counts"
    af.lake.score(name, tmp_path / "gold.parquet", out, on=["domain", "sid"])
    counts = af.lake.scores(out)
    assert counts["links"].to_list() == [12, 6]
    (run,) = (out / "_alignframe" / "runs").glob("*.json")
    assert json.loads(run.read_text())["inputs"]["hyp"] == {"place": name, "version": str(new)}


def test_rows_in_the_catalogue_are_refused(lake):
    connection, place = lake
    connection.execute("insert into lake.hyp values ('a', 'd0', 0, [])")
    connection.execute("detach lake")
    with pytest.raises(InputError, match=r"1 rows lie in the catalogue; .*flush_inlined_data"):
        open_store(f"{place}.main.hyp")


def test_a_column_added_with_a_value_is_left_out(lake):
    connection, place = lake
    insert(connection, ["a"])
    connection.execute("alter table lake.hyp add column note varchar default 'x'")
    connection.execute("alter table lake.hyp add column plain varchar")
    flush(connection)
    connection.execute("detach lake")
    assert open_store(f"{place}.main.hyp").schema.names == [
        *("system", "domain", "sid", "links", "plain")
    ]


def test_files_that_were_added_keep_their_columns(lake, tmp_path):
    """Those have no numbers of columns; a new column may have an old one's name."""
    connection, place = lake
    insert(connection, ["a"])
    flush(connection)
    for name, layout in (("flat", ""), ("hive", ", partition_by (domain)")):
        connection.execute(
            f"copy (select 'z' as system, 'h' || x % 2 as domain, x as sid, []::{LINKS} as links "
            f"from range(5) as t(x)) to '{tmp_path}/{name}.parquet' (format parquet{layout})"
        )
    connection.execute("alter table lake.hyp reset partitioned by")
    add = "call ducklake_add_data_files('lake', 'hyp', "
    connection.execute(f"{add}'{tmp_path}/flat.parquet')")
    connection.execute(f"{add}'{tmp_path}/hive.parquet/*/*.parquet', hive_partitioning => true)")
    for old, new in (("domain", "topic"), ("system", "name"), ("topic", "system")):
        connection.execute(f"alter table lake.hyp rename column {old} to {new}")
    connection.execute("alter table lake.hyp add column domain varchar")
    wanted = sorted(connection.execute("select system, domain, sid, name from lake.hyp").fetchall())
    connection.execute("detach lake")
    files = af.read.parquet.ParquetFiles(f"{place}.main.hyp")
    found = files.reader(columns=["system", "domain", "sid", "name"]).read_all()
    assert sorted(pl.DataFrame(found).select("system", "domain", "sid", "name").rows()) == wanted


def test_added_files_without_a_column_that_has_a_value(lake, tmp_path):
    connection, place = lake
    connection.execute("create table lake.other (sid bigint, domain varchar default 'x')")
    connection.execute(f"copy (select 1 as sid) to '{tmp_path}/one.parquet'")
    connection.execute(
        f"call ducklake_add_data_files('lake', 'other', '{tmp_path}/one.parquet', "
        "allow_missing => true)"
    )
    connection.execute("detach lake")
    assert open_store(f"{place}.main.other").schema.names == ["sid"]


def test_other_partitions_than_before(lake):
    """Files of both are read once each."""
    connection, place = lake
    insert(connection, ["a"])
    flush(connection)
    for keys in ("(system, domain)", "(bucket(2, sid))"):
        connection.execute(f"alter table lake.hyp set partitioned by {keys}")
        insert(connection, ["b", "c"])
        flush(connection)
    wanted = connection.execute("select count(*) from lake.hyp").fetchone()[0]
    connection.execute("detach lake")
    found = af.scan_links(f"{place}.main.hyp")
    assert found.collect().height == wanted == 60
    assert found.filter(pl.col("domain") == "d0", system="b").collect().height == 12


def test_times(lake):
    connection, place = lake
    insert(connection, ["a"])
    for kind in ("timestamp", "timestamptz", "time"):
        connection.execute(f"alter table lake.hyp add column {kind}_at {kind}")
        connection.execute(f"update lake.hyp set {kind}_at = '2020-01-02 03:04:05'::{kind}")
    flush(connection)
    names = "timestamp_at::varchar, timestamptz_at::varchar, time_at::varchar"
    wanted = connection.execute(f"select {names} from lake.hyp limit 1").fetchall()
    connection.execute("detach lake")
    files = af.read.parquet.ParquetFiles(f"{place}.main.hyp")
    connection.register("found", files)
    assert connection.execute(f"select distinct {names} from found").fetchall() == wanted


def test_a_catalogue_that_a_writer_holds(lake):
    connection, place = lake
    insert(connection, ["a"])
    flush(connection)
    with suppress(InputError):  # SQLite lets others read
        assert len(open_store(f"{place}.main.hyp").files) == 2
        return
    with pytest.raises(InputError, match="that no other program holds open"):
        open_store(f"{place}.main.hyp")


def test_a_table_that_is_not_there(lake):
    connection, place = lake
    connection.execute("detach lake")
    for name in ("main.other", "other.hyp"):
        with pytest.raises(InputError, match=f"no DuckLake table {name}"):
            open_store(f"{place}.{name}")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("ducklake:meta.db", "names no DuckLake table; expected ducklake:CATALOGUE.schema.table"),
        ("ducklake:no.db.main.t", "no.db: no such catalogue; expected a DuckDB or SQLite file"),
        ("ducklake:text.db.main.t", "the catalogue cannot be read"),
        ("ducklake:empty.db.main.t", "the catalogue cannot be read"),
    ],
)
def test_what_is_no_table(name, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("text.db").write_text("a b\n" * 2000)
    duckdb.connect("empty.db").close()
    with pytest.raises(InputError, match=said):
        open_store(name)


def test_jobs_do_not_write_to_one():
    _, said = run("lake", "score", "h", "--gold", "g", "-o", "ducklake:m.db.main.t", code=2)
    assert "a DuckLake table, which is only read; expected a folder, or iceberg:" in " ".join(
        said.split()
    )
