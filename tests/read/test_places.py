"""Places of tables: folders, Delta, Iceberg and object stores, read wherever a file is."""

import builtins
import threading
import traceback
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers import lake as lakes
from helpers.cli import json_of, run

import alignframe as af
from alignframe.errors import AlignframeError, DataWarning, InputError
from alignframe.read.parquet import ParquetFiles
from alignframe.stores import footers
from alignframe.stores.footers import footer


@pytest.fixture(scope="module")
def expected():
    return af.links.score(*lakes.all_links()).scores.rows()


def written(kind, folder, request):
    """Return links and gold in a kind of place."""
    links, gold = lakes.all_links()
    if kind == "delta":
        return (
            lakes.delta_table(folder / "hyp", links, ["system", "domain"]),
            lakes.delta_table(folder / "gold", gold, ["domain"]),
        )
    if kind == "iceberg":
        return (
            lakes.iceberg_table(folder, "links", links, ["system", "domain"]),
            lakes.iceberg_table(folder, "gold", gold, ["domain"]),
        )
    places = lakes.plain_lake(folder)
    if kind == "s3":
        bucket = request.getfixturevalue("bucket")
        return tuple(lakes.sent(one, f"{bucket}/lake/{one.name}") for one in places)
    return places


@pytest.mark.parametrize("kind", ["plain", "delta", "iceberg", "s3"])
def test_every_place_scores_alike(kind, tmp_path, expected, request):
    hyp, gold = written(kind, tmp_path, request)
    assert af.links.score(hyp, gold).scores.rows() == expected
    by_domain = af.links.score(hyp, gold, by=["domain"]).scores
    assert by_domain["domain"].unique().sort().to_list() == list(lakes.DOMAINS)


@pytest.mark.parametrize("kind", ["plain", "delta", "iceberg", "s3"])
def test_a_place_knows_its_partitions(kind, tmp_path, request):
    hyp, _ = written(kind, tmp_path, request)
    files = ParquetFiles(hyp)
    units = files.units()
    assert len(units) == 6
    giza_law = (("system", "giza"), ("domain", "law"))
    assert giza_law in units
    assert len(files.files(giza_law)) == 1
    one = files.reader(giza_law, ["sid", "links", "domain"]).read_all()
    assert one.num_rows == 12
    assert set(one["domain"].to_pylist()) == {"law"}
    assert files.of(giza_law).marks() != files.marks()
    assert ParquetFiles(hyp).version == files.version


def test_shell_reads_places(tmp_path, bucket, expected):
    hyp, gold = lakes.plain_lake(tmp_path)
    lakes.sent(hyp, f"{bucket}/hyp")
    out, _ = run("links", "score", "--hyp", f"{bucket}/hyp", "--gold", gold, "--json")
    assert [row["precision"] for row in json_of(out)] == [row[3] for row in expected]
    glob = f"{bucket}/hyp/system=giza/*/part-0.parquet"
    out, _ = run("links", "score", "--hyp", glob, "--gold", gold, "--json")
    assert [row["system"] for row in json_of(out)] == ["giza"]


def test_removed_files_of_delta_are_not_read(tmp_path):
    deltalake = pytest.importorskip("deltalake")
    links, _ = lakes.all_links(systems=["giza"], domains=["law"])
    folder = tmp_path / "hyp"
    for _ in range(3):
        deltalake.write_deltalake(str(folder), links, mode="overwrite")
    assert len(list(folder.glob("*.parquet"))) == 3
    assert ParquetFiles(folder).reader().read_all().num_rows == links.num_rows
    assert ParquetFiles(folder).version == "2"
    for place in (tmp_path, folder / "*.parquet", folder / "**" / "*.parquet"):
        with pytest.raises(InputError, match="Delta"):
            ParquetFiles(place)
    with af.connect() as con, pytest.raises(duckdb.Error, match="replaced or hidden files"):
        con.execute(f"from link_rows('{folder}/*.parquet')").fetchall()


def test_deleted_rows_of_iceberg(tmp_path):
    links, _ = lakes.all_links(systems=["giza"], domains=["law", "news"])
    place = lakes.iceberg_table(tmp_path, "links", links, ["domain"])
    before = ParquetFiles(place).version
    from alignframe.stores.catalogue import catalogue_of

    catalogue_of(place, new=True).load_table("mt.links").delete("domain == 'news' and sid >= 1006")
    found = ParquetFiles(place)
    assert found.reader().read_all().num_rows == 18
    assert found.version != before


def test_an_iceberg_catalogue_named_unlike_its_file(tmp_path):
    links, _ = lakes.all_links(systems=["giza"], domains=["law"])
    place = lakes.iceberg_table(tmp_path, "links", links, ["domain"])
    (tmp_path / "catalog.db").rename(tmp_path / "renamed.db")
    renamed = place.replace("catalog.db", "renamed.db")
    assert ParquetFiles(renamed).reader().read_all().num_rows == links.num_rows


def test_rows_removed_by_a_deletion_vector(tmp_path):
    table = pa.table({"sid": pa.array(range(50), pa.int64()), "system": ["a"] * 50})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=20)
    files = ParquetFiles(tmp_path)
    import dataclasses

    import numpy as np

    gone = np.array([0, 19, 20, 49])
    files._files = [dataclasses.replace(files._files[0], deleted=gone)]
    kept = [n for part in files.parts() for b in part.batches(rows=7) for n in b["sid"].to_pylist()]
    assert kept == [n for n in range(50) if n not in gone]


def test_files_of_several_writers(tmp_path):
    hyp, gold = lakes.tables(systems=["giza"], domains=list(lakes.DOMAINS))
    folder = tmp_path / "hyp"
    folder.mkdir()
    one, two, three = (hyp["giza", domain] for domain in lakes.DOMAINS)
    pl.DataFrame(pl.from_arrow(two)).write_parquet(folder / "polars.parquet")
    duckdb.from_arrow(three).write_parquet(str(folder / "duckdb.parquet"))
    item = pa.list_(pa.field("item", lakes.LINKS.value_type))
    narrow = one.set_column(1, "links", one["links"].cast(item))
    narrow = narrow.set_column(0, "sid", one["sid"].cast(pa.int32()))
    pq.write_table(narrow, folder / "item.parquet")
    expected = pa.concat_tables([one, two, three])
    got = af.links.score({"giza": folder}, lakes.all_links(hyp, gold)[1]).scores
    assert got.drop("signature").rows() == (
        af.links.score({"giza": expected}, lakes.all_links(hyp, gold)[1])
        .scores.drop("signature")
        .rows()
    )
    assert ParquetFiles(folder).reader().read_all().num_rows == 36


def test_different_layouts_are_refused(tmp_path):
    pq.write_table(pa.table({"sid": [1], "text": ["a"]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"sid": [2]}), tmp_path / "b.parquet")
    assert ParquetFiles(tmp_path).reader().read_all()["text"].to_pylist() == ["a", None]
    pq.write_table(pa.table({"sid": [2], "text": [[1.5]]}), tmp_path / "b.parquet")
    with pytest.raises(InputError, match="column text"):
        ParquetFiles(tmp_path).reader().read_all()


def test_partition_stored_as_a_column(tmp_path):
    _, gold = lakes.all_links()
    pq.write_table(gold, tmp_path / "gold.parquet", row_group_size=5)
    found = ParquetFiles(tmp_path).of((("domain", "news"),))
    rows = found.reader().read_all()
    assert rows.num_rows == 12
    assert set(rows["domain"].to_pylist()) == {"news"}
    assert len(found.parts()) < len(ParquetFiles(tmp_path).parts())


def test_invalid_places(tmp_path, bucket, monkeypatch):
    for place, word in (
        (f"{bucket}/nothing", "no Parquet"),
        ("s3://", "bucket"),
        ("s3://key:secret@bucket/x", "credentials"),
        ("iceberg:nothing", "CATALOG.namespace.table"),
        (f"iceberg:{tmp_path}/none.db.a.b", "catalogue"),
        ("iceberg:unknown.a.b", "catalogue"),
    ):
        with pytest.raises(InputError, match=word) as error:
            ParquetFiles(place)
        assert "secret" not in str(error.value)


SECRETS = {
    "a-secret-nobody-may-see http://me:word@host/x?X-Amz-Signature=abc&token=t1": (
        "*** http://***@host/x?X-Amz-Signature=***&token=***"
    ),
    "s3://AKIA:ab/cd@b/x": "s3://***@b/x",
    "http://host:8080/a@b": "http://host:8080/a@b",
    "s3:/b/h?secret_access_key=x&sig=y: no such file": "s3:/b/h?secret_access_key=***&sig=***",
    "exceeded with url: /x?sig=a/v1": "exceeded with url: /x?sig=***",
    "create secret (type s3, key_id 'A', secret 'b')": "(type s3, key_id '***', secret '***')",
    "Signature aws_secret_access_key=abc": "Signature aws_secret_access_key=***",
    "http://host/a b.parquet?sig=abc: no such file": "a b.parquet?sig=***: no such file",
    "got: me:abc@host/h.parquet": "got: ***@host/h.parquet",
    "hyp/part-?/system=giza": "hyp/part-?/system=giza",
    "select 1 where token='13a' and tokenize=none": "where token='13a' and tokenize=none",
}


def test_secrets_are_not_shown(bucket):
    for told, shown in SECRETS.items():
        for text in (str(InputError(told)), str(DataWarning(told)), repr(AlignframeError(told))):
            assert shown in text.replace("\\'", "'"), told


@pytest.mark.parametrize(
    "place",
    [
        "s3://b/h?secret_access_key=nobody-may-see&sig=nobody-may-see",
        "https://host/h.parquet?sig=nobody-may-see",
        "https://user:nobody-may-see@host/h.talp",
        "s3://KEY:nobody/may-see@b/h.parquet",
    ],
)
def test_addresses_with_secrets_are_refused_without_them(place, tmp_path, monkeypatch):
    gold = Path("datasets/en-fr/gold.talp").absolute()
    hyp = lakes.plain_lake(tmp_path)[0]
    monkeypatch.chdir(tmp_path)
    roads = (
        lambda: af.formats.read(place),
        lambda: af.links.score({"i": place}, gold).scores,
        lambda: af.mt.score(place, place).scores,
        lambda: af.lake.score(place, gold, "out"),
        lambda: af.lake.score(hyp, gold, place),
        lambda: af.lake.status(place),
        lambda: af.connect(tables={"t": place}),
        lambda: af.beads.score(place, place).scores,
    )
    for road in roads:
        with pytest.raises(InputError) as error:
            road()
        told = "".join(traceback.format_exception(error.value)) + repr(error.value)
        assert "may-see" not in told
    for words in (
        ("links", "score", "--hyp", place, "--gold", gold, "--json"),
        ("lake", "score", hyp, "--gold", gold, "-o", place, "--json"),
        ("dashboard", place, "-o", "page.html"),
        ("convert", gold, place),
        ("mt", "score", "--hyp", place, "--ref", place),
    ):
        assert "may-see" not in "".join(run(*words, code=2))
    assert {path.name for path in tmp_path.iterdir()} <= {"gold", "hyp", "out"}


@pytest.mark.parametrize("bad", ["no-bucket", "foo", "unknown"])
def test_a_missing_bucket_or_catalogue_is_named_on_every_road(bad, bucket, tmp_path):
    place = f"s3://{bad}/x" if bad == "no-bucket" else f"iceberg:{bad}.mt.links"
    said = {
        "no-bucket": "no such bucket 'no-bucket'; check its name",
        "foo": "unknown catalogue type 'strange'; expected one of rest, hive",
        "unknown": "no catalogue 'unknown' in pyiceberg's settings; expected",
    }[bad]
    hyp, gold = lakes.plain_lake(tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYICEBERG_CATALOG__FOO__TYPE", "strange")
        config = pytest.importorskip("pyiceberg.utils.config")
        patch.setattr("pyiceberg.catalog._ENV_CONFIG", config.Config())
        for road in (
            lambda: ParquetFiles(place),
            lambda: af.lake.score(place, gold, tmp_path / "out"),
            lambda: af.lake.score(hyp, place, tmp_path / "out"),
            lambda: af.lake.score(hyp, gold, place),
            lambda: af.lake.score(hyp, gold, place, dry_run=True),
            lambda: af.lake.status(place),
        ):
            with pytest.raises(InputError, match=said):
                road()


def test_a_store_that_does_not_respond(monkeypatch):
    from alignframe.stores import remote

    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a-key-nobody-may-see")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a-secret-nobody-may-see")
    monkeypatch.setattr(remote, "ATTEMPTS", 1)
    with pytest.raises(InputError, match="does not answer") as error:
        ParquetFiles("s3://bucket/x")
    assert "nobody-may-see" not in str(error.value)


@pytest.mark.parametrize(
    ("package", "extra", "make"),
    [
        ("deltalake", "delta", lambda folder: (folder / "_delta_log").mkdir()),
        ("pyiceberg", "iceberg", lambda folder: (folder / "c.db").touch()),
    ],
)
def test_a_missing_extra_is_named(package, extra, make, tmp_path, monkeypatch):
    make(tmp_path)
    importing = builtins.__import__

    def without(name, *args, **words):
        if name.split(".")[0] == package:
            raise ImportError(name)
        return importing(name, *args, **words)

    monkeypatch.setattr(builtins, "__import__", without)
    place = tmp_path if extra == "delta" else f"iceberg:{tmp_path}/c.db.a.b"
    with pytest.raises(AlignframeError, match=rf"alignframe\[{extra}\]"):
        ParquetFiles(place)


def test_symbolic_links_to_folders_are_followed_but_not_in_circles(tmp_path):
    links, _ = lakes.all_links(systems=["giza"], domains=["law"])
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "hyp").mkdir()
    pq.write_table(links, tmp_path / "elsewhere" / "a.parquet")
    (tmp_path / "hyp" / "domain=law").symlink_to(tmp_path / "elsewhere")
    assert ParquetFiles(tmp_path / "hyp").reader().read_all().num_rows == links.num_rows
    (tmp_path / "elsewhere" / "up").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match=r"up: .*link"):
        ParquetFiles(tmp_path / "hyp")


def test_the_footer_of_a_local_file_is_read_again_only_if_the_file_is_another(
    tmp_path, monkeypatch
):
    read = []

    def counted(path, filesystem=None):
        read.append(path)
        return footer(path, filesystem)

    monkeypatch.setattr(footers, "footer", counted)
    path = tmp_path / "system=a" / "links.parquet"
    path.parent.mkdir()
    pl.DataFrame({"sid": [0, 1]}).write_parquet(path, row_group_size=1)
    unit = ParquetFiles(tmp_path).of((("system", "a"),))
    read.clear()
    assert unit.schema.names == ["sid", "system"]
    assert len(unit.parts()) == 2
    assert unit.metadata == {}
    assert len(read) == 1
    # A file written since has other row groups: none of them is passed over.
    pl.DataFrame({"sid": [0, 1, 2]}).write_parquet(path, row_group_size=1)
    assert len(unit.parts()) == 3


def test_the_columns_of_a_single_file_need_no_threads(tmp_path, monkeypatch):
    pl.DataFrame({"sid": [0]}).write_parquet(tmp_path / "links.parquet")
    started = []
    run = threading.Thread.start

    def noted(thread):
        started.append(thread)
        run(thread)

    monkeypatch.setattr(threading.Thread, "start", noted)
    assert ParquetFiles(tmp_path).schema.names == ["sid"]
    assert not started


def test_iceberg_partition_fields_named_unlike_their_columns(tmp_path):
    pytest.importorskip("pyiceberg")
    from pyiceberg.transforms import IdentityTransform

    from alignframe.stores.catalogue import catalogue_of

    links, _ = lakes.all_links()
    place = lakes.iceberg_table(tmp_path, "links", links[:0], [])
    table = catalogue_of(place, new=True).load_table("mt.links")
    with table.update_spec() as change:
        change.add_field("system", IdentityTransform(), "sys")
    table.append(links)
    assert {name for keys in ParquetFiles(place).units() for name, _ in keys} == {"system"}
    with table.update_schema() as change:
        change.rename_column("domain", "field")
    assert af.connect(tables={"h": place}).sql("select count(*) from h").fetchall()[0][0] > 0


def folders(place, *names):
    """Write links in folders below a place, and return the gold that they are."""
    frame = pl.DataFrame({"sid": [0, 1], "links": [[{"i": 0, "j": 0}], [{"i": 0, "j": 1}]]})
    for name in names:
        (place / name).mkdir(parents=True)
        frame.write_parquet(place / name / "part.parquet")
    return frame


@pytest.mark.parametrize(
    "names",
    [("System=a", "System=b"), ("System=a", "system=b"), ("System=a/System=a", "system=b")],
)
def test_the_key_of_systems_in_capitals(tmp_path, names):
    hyp, gold = tmp_path / "hyp", tmp_path / "gold.parquet"
    folders(hyp, *names).write_parquet(gold)
    wanted = [("a", 0.0), ("b", 0.0)]
    assert af.links.score(hyp, gold).scores.select("system", "aer").rows() == wanted
    connection = af.connect(tables={"h": str(hyp), "g": str(gold)})
    found = connection.execute("select system, aer from link_scores('h', 'g')").fetchall()
    assert found == wanted
    assert af.lake.score(hyp, gold, tmp_path / "out").units["status"].to_list() == ["done"] * 2


def test_a_key_in_two_folders(tmp_path):
    folders(tmp_path / "same", "a=b/a=b", "a=c/a=c")
    assert ParquetFiles(tmp_path / "same").units() == [(("a", "b"),), (("a", "c"),)]
    folders(tmp_path / "other", "System=a/system=b")
    with pytest.raises(InputError, match="folders of system=a and of system=b, one in the other"):
        ParquetFiles(tmp_path / "other")
