"""A place of links gives the same scores, or the same error, in Python, in SQL and in lakes."""

import datetime
import json
import re
from decimal import Decimal
from itertools import count

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers import lake as lakes
from helpers.sql import connected

import alignframe as af
from alignframe.engines.session import asking
from alignframe.errors import InputError, QueryError

PAIRS = [[{"i": k, "j": k}, {"i": k, "j": 9}] for k in range(2)]
LABELLED = [PAIRS[0], [{**link, "sure": link["j"] < 9} for link in PAIRS[1]]]


def table(links, kind, **columns):
    sid = pa.array(range(len(links)), pa.int64())
    return pa.table({"sid": sid, "links": pa.array(links, kind), **columns})


LINKS = table(PAIRS, lakes.LINKS)
GOLD = table(LABELLED, lakes.GOLD)
"""All links but the last are Sure, and the unlabelled file is first or last."""
NAMED = table(PAIRS, lakes.LINKS, system=["a", "a"])
LONG = pa.table({"system": ["a"] * 4, "sid": [0, 0, 1, 1], "i": [0, 0, 1, 1], "j": [0, 9, 1, 9]})
ZONED = pa.array(
    [datetime.datetime(2024, 1, day, 9, tzinfo=datetime.UTC) for day in (1, 2)],
    pa.timestamp("us", "UTC"),
)


def files(folder, *tables, below=()):
    """Write each table as a file of a folder, perhaps in folders below it."""
    for number, rows in enumerate(tables):
        part = folder / (below[number] if below else "") / f"{number}.parquet"
        part.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(rows, part)
    return folder


def delta(folder, *tables, by=None):
    """Write a Delta table to which columns are added."""
    deltalake = pytest.importorskip("deltalake")
    for rows in tables:
        deltalake.write_deltalake(
            str(folder), rows, mode="append", schema_mode="merge", partition_by=by
        )
    return folder


def mapped_delta(folder, *tables, columns):
    """Write a Delta table that maps its columns to other names in its files."""
    pytest.importorskip("deltalake")
    log = folder / "_delta_log" / "00000000000000000000.json"
    log.parent.mkdir(parents=True)
    files(folder, *map(physical, tables))

    numbers = count(1)

    def field(name, kind):
        notes = {
            "delta.columnMapping.id": next(numbers),
            "delta.columnMapping.physicalName": f"_{name}",
        }
        return {"name": name, "type": kind, "nullable": True, "metadata": notes}

    link = {"type": "struct", "fields": [field("i", "integer"), field("j", "integer")]}
    links = {"type": "array", "containsNull": True, "elementType": link}
    kinds = {"sid": "long", "links": links, "system": "string"}
    schema = {"type": "struct", "fields": [field(name, kinds[name]) for name in columns]}
    about = {"id": "x", "format": {"provider": "parquet", "options": {}}, "partitionColumns": []}
    mode = {"delta.columnMapping.mode": "name"}
    actions = [
        {"protocol": {"minReaderVersion": 2, "minWriterVersion": 5}},
        {"metaData": {**about, "schemaString": json.dumps(schema), "configuration": mode}},
    ]
    for file in folder.glob("*.parquet"):
        noted = {"partitionValues": {}, "modificationTime": 0, "dataChange": True}
        actions.append({"add": {"path": file.name, "size": file.stat().st_size, **noted}})
    log.write_text("\n".join(map(json.dumps, actions)))
    return folder


def physical(rows):
    """Return a table as ``mapped_delta`` stores it, with an old column ``system``."""
    inner = pa.struct([("_i", pa.int32()), ("_j", pa.int32())])
    links = [[(one["i"], one["j"]) for one in row.as_py()] for row in rows["links"]]
    names = [f"_{name}" for name in rows.column_names if name != "links"]
    found = rows.drop_columns("links").rename_columns(names)
    return found.append_column("_links", pa.array(links, pa.list_(inner))).append_column(
        "system", pa.array(["old"] * rows.num_rows)
    )


def iceberg(folder, first, *changes, then=None):
    """Write an Iceberg table, change its columns, and append to it."""
    place = lakes.iceberg_table(folder, "links", first, [])
    from alignframe.stores.catalogue import catalogue_of

    found = catalogue_of(place, new=True).load_table("mt.links")
    for way, *names in changes:
        with found.update_schema() as update:
            if way == "add":
                from pyiceberg.types import StringType

                names = [*names, StringType()]
            getattr(update, f"{way}_column")(*names)
    if then is not None:
        found.append(then)
    return place


def first(rows):
    return rows.slice(0, 1)


def last(rows):
    return rows.slice(1)


def with_sids(*sids, kind=None):
    return NAMED.set_column(0, "sid", pa.array(sids, kind))


FOLDERS = ("system=a", "system=b")
UNNAMED = "null system .*sentence 0; expected the name of its system in each row"
EQUAL = {"a": (4, 1.0)}
"""The numbers of links and precisions of systems that equal gold."""

HYPOTHESES = {
    "two files": (lambda at: files(at, first(NAMED), last(NAMED)), EQUAL),
    "one file without systems": (lambda at: files(at, first(LINKS), last(NAMED)), UNNAMED),
    "rows without systems": (
        lambda at: files(at, table(PAIRS, lakes.LINKS, system=[None, "a"])),
        UNNAMED,
    ),
    "long rows without systems": (
        lambda at: files(at, LONG.set_column(0, "system", pa.array([None, "a", "a", "a"]))),
        UNNAMED,
    ),
    "Delta, systems added": (lambda at: delta(at, first(LINKS), last(NAMED)), UNNAMED),
    "Delta, another column added": (
        lambda at: delta(at, first(NAMED), last(NAMED).append_column("at", pa.array(["x"]))),
        EQUAL,
    ),
    "Delta, systems dropped, named anew": (
        lambda at: mapped_delta(at, NAMED, columns=["sid", "links", "system"]),
        EQUAL,
    ),
    "Delta, systems added anew": (
        lambda at: mapped_delta(at, LINKS, columns=["sid", "links", "system"]),
        UNNAMED,
    ),
    "Iceberg, systems dropped": (
        lambda at: iceberg(at, first(NAMED), ("delete", "system"), ("add", "by"), then=last(LINKS)),
        {None: (4, 1.0)},
    ),
    "Iceberg, systems dropped and added": (
        lambda at: iceberg(at, NAMED, ("delete", "system"), ("add", "system")),
        UNNAMED,
    ),
    "Iceberg, renamed": (
        lambda at: iceberg(
            at,
            first(NAMED).rename_columns(["sentence", "links", "by"]),
            ("rename", "by", "system"),
            ("rename", "sentence", "sid"),
            then=last(NAMED),
        ),
        EQUAL,
    ),
    "other systems than the folders": (
        lambda at: files(at, NAMED, NAMED, below=FOLDERS),
        "system=b/1.parquet: a column system with 'a' in a folder .*expected the same value",
    ),
    "systems of the folders": (lambda at: files(at, NAMED, below=FOLDERS), EQUAL),
    "other domains than the folders": (
        lambda at: files(
            at, table(PAIRS, lakes.LINKS, domain=["x", "x"]), below=["system=a/domain=y"]
        ),
        "a column domain with 'x' in a folder .*expected the same value",
    ),
    "an equals sign": (
        lambda at: files(at, LINKS, LINKS, below=("system=a", "system=a=b")),
        {"a": (4, 1.0), "a=b": (4, 1.0)},
    ),
    "below a folder m=1": (lambda at: files(at / "m=1" / "hyp", LINKS, below=FOLDERS), EQUAL),
    "bytes as systems": (
        lambda at: files(at, table(PAIRS, lakes.LINKS, system=pa.array(["é".encode()] * 2))),
        {"é": (4, 1.0)},
    ),
    "positions of several types": (
        lambda at: files(
            at, LONG.slice(0, 2), LONG.slice(2).cast(LONG.schema.set(2, pa.field("i", pa.int8())))
        ),
        EQUAL,
    ),
    "positions that are text in one file": (
        lambda at: files(
            at, LONG.slice(0, 2), LONG.slice(2).cast(LONG.schema.set(2, pa.field("i", pa.string())))
        ),
        "1.parquet: a column i of type string, but int64 in other files|links with i varchar",
    ),
    "another layout in one file": (
        lambda at: files(at, first(NAMED), LONG.slice(2)),
        "0.parquet has a column links, .*1.parquet has none; expected files with the same layout",
    ),
    "whole decimals as sids": (
        lambda at: files(at, with_sids(Decimal("0.0"), Decimal("1.0"))),
        EQUAL,
    ),
    "fractions as sids": (
        lambda at: files(at, with_sids(Decimal("0.5"), Decimal("1.0"))),
        "sid.* 0.5 .*expected whole numbers",
    ),
    "a system without rows": (
        lambda at: files(at, LINKS, LINKS.slice(0, 0), below=("system=a", "system=b")),
        "the partition system=b has no rows; expected rows of each system; remove its folder",
    ),
    "a domain without rows": (
        lambda at: files(
            at, LINKS, LINKS.slice(0, 0), below=("system=a/domain=x", "system=a/domain=y")
        ),
        EQUAL,
    ),
    "no rows": (lambda at: delta(at, NAMED.slice(0, 0)), "has no rows|has no files"),
}

GOLDS = {
    "labels in one file": lambda at: files(at, first(LINKS), last(GOLD)),
    "labels in the first file": lambda at: files(at, last(GOLD), first(LINKS)),
    "labels in a column of one file": lambda at: files(
        at, LONG.slice(0, 2), LONG.slice(2).append_column("sure", pa.array([True, False]))
    ),
    "Delta, labels added": lambda at: delta(
        at, LONG.slice(0, 2), LONG.slice(2).append_column("sure", pa.array([True, False]))
    ),
}


def python(hyp, gold, _):
    found = af.links.score(hyp, gold).scores
    return {row["system"]: row for row in found.iter_rows(named=True)}


def sql(hyp, gold, _):
    asked = "from link_scores('hyp', 'gold')"
    with connected(hyp=hyp, gold=gold) as con, asking(asked):
        rows = con.execute(asked).fetchall()
        names = [column[0] for column in con.description]
        return {row[0]: dict(zip(names, row, strict=True)) for row in rows}


def globs(hyp, gold, _):
    """The files themselves, as SQL names them."""
    if "delta" in str(hyp) or not (gold / "0.parquet").exists() or str(hyp).startswith("iceberg:"):
        pytest.skip("files that only a log names")
    asked = f"from link_scores('{hyp}/**/*.parquet', '{gold}/*.parquet')"
    with connected() as con, asking(asked):
        rows = con.execute(asked).fetchall()
        names = [column[0] for column in con.description]
        return {row[0]: dict(zip(names, row, strict=True)) for row in rows}


def lake(hyp, gold, folder):
    done = af.lake.score(hyp, gold, folder / "out")
    if done.failed:
        raise InputError(" ".join(done.units["error"]))
    found = af.lake.scores(folder / "out")
    return {row["system"]: row for row in found.iter_rows(named=True)}


ROADS = pytest.mark.parametrize("road", [python, sql, globs, lake], ids=lambda road: road.__name__)


@ROADS
@pytest.mark.parametrize("case", HYPOTHESES)
def test_a_place_of_links(case, road, tmp_path):
    make, wanted = HYPOTHESES[case]
    hyp = make(tmp_path / ("delta" if case.startswith("Delta") or case == "no rows" else "hyp"))
    gold = files(tmp_path / "gold", LINKS)
    if road is globs and case == "another layout in one file":
        wanted = EQUAL  # SQL reads both in one table
    if isinstance(wanted, str):
        with pytest.raises((InputError, QueryError)) as caught:
            road(hyp, gold, tmp_path)
        assert re.search(wanted, " ".join(str(caught.value).split()))
        return
    if road is globs and case == "an equals sign":
        with pytest.raises(QueryError, match=r"system=a=b/1.parquet: a file in folders .*--table"):
            road(hyp, gold, tmp_path)
        return
    found = road(hyp, gold, tmp_path)
    own = None if None in wanted else "system"
    assert {own and name: (row["links"], row["precision"]) for name, row in found.items()} == {
        own and name: figures for name, figures in wanted.items()
    }
    assert own is None or {*found} == {*wanted}


@ROADS
@pytest.mark.parametrize("case", GOLDS)
def test_a_place_of_gold(case, road, tmp_path):
    gold = GOLDS[case](tmp_path / ("delta" if case.startswith("Delta") else "gold"))
    hyp = files(tmp_path / "hyp", table([PAIRS[0], PAIRS[1][1:]], lakes.LINKS))
    (found,) = road(hyp, gold, tmp_path).values()
    assert (found["precision"], found["recall"]) == (1.0, 2 / 3)


@ROADS
def test_times_with_a_zone_are_keys(road, tmp_path):
    rows = NAMED.append_column("at", ZONED)
    hyp = delta(tmp_path / "delta", rows, by=["at"])
    gold = iceberg(tmp_path / "gold", rows)
    assert road(hyp, gold, tmp_path)["a"]["aer"] == 0
