"""A place has one table: none is written into another's folder, and wrong inputs leave none."""

import shutil
from pathlib import Path

import polars as pl
import pytest
from helpers import lake as lakes
from helpers.cli import run
from test_lake import counted

import alignframe as af
from alignframe.errors import DataWarning, InputError

COUNTS = "catalog.db.mt.counts"


@pytest.fixture
def lake(tmp_path):
    return lakes.plain_lake(tmp_path, domains=("law",))


def contents(folder):
    return {path: path.stat().st_mtime_ns for path in Path(folder).rglob("*")}


def test_the_folder_of_an_iceberg_table_is_refused(lake, tmp_path):
    pytest.importorskip("pyiceberg")
    hyp, gold = lake
    af.lake.score(hyp, gold, f"iceberg:{tmp_path / COUNTS}")
    # Beside another catalogue, only what lies in the folder tells.
    shutil.copytree(tmp_path / COUNTS, tmp_path / "copy")
    before = contents(tmp_path)
    for name, table in ((COUNTS, f"iceberg:{tmp_path / COUNTS}"), ("copy", "iceberg:CATALOG")):
        for how in ({}, {"format": "delta"}, {"format": "parquet"}, {"dry_run": True}):
            with pytest.raises(InputError, match=f"place of an Iceberg table.*expected.*{table}"):
                af.lake.score(hyp, gold, tmp_path / name, **how)
        for read in (af.lake.scores, af.lake.status, af.lake.history, af.lake.open):
            with pytest.raises(InputError, match=f"place of an Iceberg table.*{table}"):
                read(tmp_path / name)
    with pytest.raises(InputError, match="copy: is the place of an Iceberg table"):
        af.lake.open(tmp_path / "copy" / "**" / "*.parquet")
    # The lake that holds it would be read with the files of the past.
    with pytest.raises(InputError, match=f"{COUNTS}: is the place of an Iceberg"):
        af.lake.open(tmp_path)
    assert contents(tmp_path) == before
    words = ["lake", "score", hyp, "--gold", gold, "-o", tmp_path / COUNTS]
    assert f"iceberg:{tmp_path / COUNTS}" in "".join(run(*words, code=2)[1].split())
    assert af.lake.history(f"iceberg:{tmp_path / COUNTS}", bootstrap=0).runs.height == 1


def test_an_iceberg_table_that_is_not_committed_yet_keeps_its_folder(lake, tmp_path, monkeypatch):
    pytest.importorskip("pyiceberg")
    from alignframe.stores.output import StampedOutput

    hyp, gold = lake

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(StampedOutput, "commit", killed)
        with pytest.raises(KeyboardInterrupt):
            af.lake.score(hyp, gold, f"iceberg:{tmp_path / COUNTS}")
    shutil.copytree(tmp_path / COUNTS, tmp_path / "copy")
    for name in (COUNTS, "copy"):
        with pytest.raises(InputError, match="place of an Iceberg table"):
            af.lake.score(hyp, gold, tmp_path / name)
    again = af.lake.score(hyp, gold, f"iceberg:{tmp_path / COUNTS}")
    assert again.units["status"].to_list() == ["adopted", "adopted"]


@pytest.mark.parametrize("kind", ["parquet", "delta"])
def test_iceberg_is_not_written_over_another_table(kind, lake, tmp_path):
    pytest.importorskip("pyiceberg")
    pytest.importorskip("deltalake")
    hyp, gold = lake
    af.lake.score(hyp, gold, tmp_path / COUNTS, format=kind)
    rows, before = counted(tmp_path / COUNTS), contents(tmp_path)
    found = "a Delta table" if kind == "delta" else "a table of Parquet files"
    with pytest.raises(InputError, match=f"mt.counts has {found}.*name the folder itself"):
        af.lake.score(hyp, gold, f"iceberg:{tmp_path / COUNTS}")
    other = "parquet" if kind == "delta" else "delta"
    with pytest.raises(InputError, match=f"expected {kind}, which it has; leave out `format`"):
        af.lake.score(hyp, gold, tmp_path / COUNTS, format=other)
    assert contents(tmp_path) == before
    assert counted(tmp_path / COUNTS) == rows


def test_runs_gone_astray_in_an_iceberg_table_are_not_its_own(lake, tmp_path):
    """As earlier versions recorded them."""
    pytest.importorskip("pyiceberg")
    place = f"iceberg:{tmp_path / COUNTS}"
    af.lake.score(*lake, place)
    (first,) = (tmp_path / COUNTS / "_alignframe" / "runs").iterdir()
    text = first.read_text("utf-8")
    for name, other in (("x", str(tmp_path / COUNTS)), ("y", place)):
        stem = first.stem[:-1] + name
        moved = text.replace(place, other).replace(first.stem, stem)
        first.with_stem(stem).write_text(moved, "utf-8")
    assert af.lake.runs(place)["run"].to_list() == [first.stem, f"{first.stem[:-1]}y"]
    # Nor are those of an Iceberg table runs of a folder.
    out = tmp_path / "out"
    run = af.lake.score(*lake, out).record["run"]
    shutil.copy(first, out / "_alignframe" / "runs")
    assert af.lake.runs(out)["run"].to_list() == [run]


@pytest.mark.parametrize("kind", ["parquet", "delta", "iceberg"])
def test_wrong_inputs_leave_nothing_behind(kind, lake, tmp_path):
    pytest.importorskip({"delta": "deltalake", "iceberg": "pyiceberg"}.get(kind, "pyarrow"))
    hyp, gold = lake
    out = tmp_path / "new" / "counts"
    (tmp_path / "new").mkdir()
    place = f"iceberg:{tmp_path}/new/{COUNTS}" if kind == "iceberg" else out
    for inputs in ((hyp, tmp_path / "none"), (tmp_path / "none", gold)):
        with pytest.raises(InputError, match=r"none.*[Nn]o such file"):
            af.lake.score(*inputs, place, format=kind)
        assert not list((tmp_path / "new").iterdir())
    assert af.lake.score(hyp, gold, place, format=kind).record["done"] == 2


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("domain=01", "domain=02"), "hyp has domain 01, gold has 1; expected the same texts"),
        (("Domain=1", "Domain=2"), "hyp has the key Domain, gold has domain; expected one name"),
    ],
)
def test_keys_that_are_written_otherwise(tmp_path, names, said):
    frame = pl.DataFrame({"sid": [0, 1], "links": [[{"i": 0, "j": 0}], [{"i": 0, "j": 1}]]})
    for name in names:
        folder = tmp_path / "hyp" / "system=a" / name
        folder.mkdir(parents=True)
        frame.write_parquet(folder / "part.parquet")
    gold = pl.concat([frame.with_columns(domain=number) for number in (1, 2)])
    gold.write_parquet(tmp_path / "gold.parquet")
    with pytest.raises(InputError, match=said):
        af.lake.score(tmp_path / "hyp", tmp_path / "gold.parquet", tmp_path / "out")


def test_gold_without_a_key_is_named(tmp_path):
    hyp = tmp_path / "twice"
    for domain in ("law", "news"):
        lakes.write(lakes.sentences(1), hyp, system="a", domain=domain)
    whole = lakes.write(lakes.sentences(1, gold=True), tmp_path / "whole")
    with pytest.warns(DataWarning, match="partitions of domain, which gold lacks, have the same"):
        done = af.lake.score(hyp, whole, tmp_path / "out")
    assert done.units["unit"].to_list() == ["system=a/domain=law", "system=a/domain=news"]
    with pytest.raises(InputError, match="unknown key or column of gold 'domain'"):
        af.lake.score(hyp, whole, tmp_path / "other", on=["domain"])
