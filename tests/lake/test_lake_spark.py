"""Lake jobs on Spark workers: the same files as from the local engine."""

import polars as pl
import pyarrow.parquet as pq
import pytest
from helpers import lake as lakes
from helpers.cli import run

import alignframe as af
from alignframe.errors import DataWarning, InputError


def files(out):
    """Return each file of an output with its rows and its footer."""
    found = {}
    for path in sorted(out.rglob("*.parquet")):
        table = pq.read_table(path, partitioning=None)
        found[path.relative_to(out).as_posix()] = (table.to_pylist(), table.schema.metadata)
    return found


@pytest.mark.parametrize("format", ["parquet", "delta"])
def test_both_engines_write_the_same_files(spark, tmp_path, format):
    if format == "delta":
        pytest.importorskip("deltalake")
    hyp, gold = lakes.plain_lake(tmp_path)
    outs = {engine: tmp_path / str(k) for k, engine in enumerate(("local", spark))}
    for engine, out in outs.items():
        done = af.lake.score(hyp, gold, out, engine=engine, format=format, threads=2)
        assert set(done.units["status"]) == {"done"}
        assert done.record["rows"] == done.units["rows"].sum() > 0
    one, other = (files(out) for out in outs.values())
    assert one
    assert one == other
    # Units finished by one engine are skipped by the other.
    again = af.lake.score(hyp, gold, outs[spark], threads=2)
    assert set(again.units["status"]) == {"skipped"}


def test_a_broken_unit_fails_alone(spark, tmp_path):
    hyp, gold = lakes.plain_lake(tmp_path)
    (broken,) = (hyp / "system=giza" / "domain=law").iterdir()
    broken.write_bytes(broken.read_bytes()[:100])
    done = af.lake.score(hyp, gold, tmp_path / "out", engine=spark)
    failed = done.units.filter(pl.col("status") == "failed")
    assert failed["unit"].to_list() == ["system=giza/domain=law"]
    assert failed["error"][0]
    assert (done.units["status"] == "done").sum() == done.units.height - 1


def test_custom_functions_are_sent(spark, tmp_path):
    hyp, _ = lakes.plain_lake(tmp_path, systems=("giza",), domains=("law",))

    def sids(hyp):
        return hyp.select("sid")

    done = af.lake.apply(sids, {"hyp": hyp}, tmp_path / "out", engine=spark)
    assert done.units["rows"].to_list() == [12], done.units["error"].to_list()


def test_the_command_takes_an_engine(spark, tmp_path):
    hyp, gold = lakes.plain_lake(tmp_path, systems=("giza",), domains=("law",))
    out = tmp_path / "out"
    run("lake", "score", hyp, "--gold", gold, "-o", out, "--set", "engine=spark")
    assert [*files(out)] == ["system=giza/domain=law/counts.parquet"]


def test_an_unknown_engine_is_refused(tmp_path):
    with pytest.raises(InputError, match="engine"):
        af.lake.score(tmp_path, tmp_path, tmp_path / "out", engine="flink")


def test_warnings_of_workers_reach_the_user(spark, tmp_path):
    hyp, gold = lakes.plain_lake(tmp_path, systems=("giza",), domains=("law", "news"))
    for part in hyp.rglob("*.parquet"):
        pq.write_table(pq.ParquetFile(part).read().slice(2), part)
    said = []
    for number, engine in enumerate(("local", spark)):
        with pytest.warns(DataWarning) as caught:
            af.lake.score(hyp, gold, tmp_path / str(number), engine=engine)
        said.append([str(one.message) for one in caught])
    assert said[0] == said[1]
    assert said[0][0].count("giza has no row for 2") == 2  # one per unit
