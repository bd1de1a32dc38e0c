"""Errors in a unit are reported by name, the others are finished, and a rerun resumes."""

import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from importlib.util import find_spec
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers import lake as lakes
from helpers.cli import run
from test_lake import counted, output, statuses

import alignframe as af
from alignframe import stores
from alignframe.errors import AlignframeError, DataWarning, InputError
from alignframe.lake.job import Job
from alignframe.lake.plan import Task, Work
from alignframe.lake.units import Unit
from alignframe.lake.workers import work_alone
from alignframe.read import parquet as reading
from alignframe.read.parquet import ParquetFiles
from alignframe.stats import Measure, Ratio
from alignframe.stores import open_output, remote
from alignframe.stores.folder import Folder

GIZA_NEWS = "system=giza/domain=news"


@pytest.fixture
def lake(tmp_path):
    return lakes.plain_lake(tmp_path)


def failures(done):
    failed = done.units.filter(pl.col("status") == "failed")
    return dict(failed.select("unit", "error").rows())


def truncate(file):
    data = Path(file).read_bytes()
    Path(file).write_bytes(data[: len(data) // 2])


@pytest.mark.parametrize("domain", ["law", "news"])  # the first file of the lake is in domain=law
def test_a_truncated_file(lake, tmp_path, domain):
    hyp, gold = lake
    file = hyp / "system=giza" / f"domain={domain}" / "part-0.parquet"
    good = file.read_bytes()
    truncate(file)
    done = af.lake.score(hyp, gold, tmp_path / "out")
    assert statuses(done) == {"done": 5, "failed": 1}
    ((unit, error),) = failures(done).items()
    assert unit == f"system=giza/domain={domain}"
    assert str(file) in error
    assert done.record["status"] == "failed"
    file.write_bytes(good)
    assert statuses(af.lake.score(hyp, gold, tmp_path / "out")) == {"done": 1, "skipped": 5}


def test_scores_warn_of_units_that_failed_when_recounted(lake, tmp_path):
    hyp, gold = lake
    af.lake.score(hyp, gold, tmp_path / "out")
    before = af.lake.scores(tmp_path / "out")
    truncate(hyp / GIZA_NEWS / "part-0.parquet")
    af.lake.score(hyp, gold, tmp_path / "out")
    with pytest.warns(DataWarning, match=GIZA_NEWS):
        assert af.lake.scores(tmp_path / "out").equals(before)


def test_equal_errors_are_printed_once(lake, tmp_path):
    counts = af.lake.score(*lake, tmp_path / "counts").record["outputs"]["place"]
    printed, said = run("lake", "score", counts, "--gold", lake[1], "-o", tmp_path / "out", code=1)
    # Each failed unit is in the table.
    assert printed.count("failed") == 6
    assert all(f"system={s}/domain={d}" in printed for s in lakes.SYSTEMS for d in lakes.DOMAINS)
    assert said.count("expected sid, i and j") == 1
    assert "(and 5 more units)" in " ".join(said.split())


def test_a_missing_lake(lake, tmp_path):
    with pytest.raises(InputError, match="No such file"):
        af.lake.score(tmp_path / "none", lake[1], tmp_path / "out")


def test_a_damaged_output_is_redone(lake, tmp_path):
    hyp, gold = lake
    af.lake.score(hyp, gold, tmp_path / "out")
    before = counted(tmp_path / "out")
    truncate(tmp_path / "out" / "system=giza" / "domain=news" / "counts.parquet")
    states = af.lake.status(tmp_path / "out").units
    assert states.filter(unit=GIZA_NEWS)["status"].to_list() == ["damaged"]
    with pytest.raises(InputError, match="damaged"):
        af.lake.scores(tmp_path / "out")
    again = af.lake.score(hyp, gold, tmp_path / "out")
    assert again.units.filter(unit=GIZA_NEWS)["why"].to_list() == ["its output is damaged"]
    assert counted(tmp_path / "out") == before


def test_an_empty_partition_counts_as_empty_sentences(lake, tmp_path):
    hyp, gold = lake
    lakes.write(lakes.sentences(0, rows=0), hyp, system="giza", domain="news")
    with pytest.warns(DataWarning, match="giza has no row"):
        done = af.lake.score(hyp, gold, tmp_path / "out")
    assert statuses(done) == {"done": 6}
    assert sum(row[3] for row in counted(tmp_path / "out") if row[:2] == ("giza", "news")) == 0
    assert len(counted(tmp_path / "out")) == 72


def test_keys_of_other_types(lake, tmp_path):
    hyp, _ = lake
    for number, domain in enumerate(lakes.DOMAINS):
        for system in lakes.SYSTEMS:
            folder = hyp / f"system={system}"
            (folder / f"domain={domain}").rename(folder / f"domain={number}")
    flat = [
        table.append_column("domain", pa.array([number] * 12, pa.int32()))
        for number, table in enumerate(lakes.tables()[1].values())
    ]
    gold = pa.concat_tables(flat)
    pq.write_table(gold, tmp_path / "g.parquet")
    done = af.lake.score(hyp, tmp_path / "g.parquet", tmp_path / "out")
    assert statuses(done) == {"done": 6}
    floats = gold.set_column(2, "domain", gold["domain"].cast(pa.float64()))
    pq.write_table(floats, tmp_path / "g.parquet")
    with pytest.raises(InputError, match="double"):
        af.lake.score(hyp, tmp_path / "g.parquet", tmp_path / "out")


def test_a_key_of_another_type_names_its_file(lake, tmp_path):
    tables = [(name, table) for name, table in lakes.tables()[1].items()]
    (tmp_path / "g").mkdir()
    for number, (name, table) in enumerate(tables):
        value = 1.5 if number == 1 else name
        table = table.append_column("domain", pa.array([value] * table.num_rows))
        pq.write_table(table, tmp_path / "g" / f"{number}.parquet")
    with pytest.raises(InputError, match=r"1\.parquet.*double"):
        af.lake.score(lake[0], tmp_path / "g", tmp_path / "out")


def test_misspelt_keys(lake, tmp_path):
    with pytest.raises(InputError, match="system, domain; did you mean"):
        af.lake.score(*lake, tmp_path / "out", on=["domian"])
    with pytest.raises(InputError, match=r"gold.*'system'; expected one of domain, sid"):
        af.lake.score(*lake, tmp_path / "out", on=["domain", "system"])
    af.lake.score(*lake, tmp_path / "out")
    for name in ("domian", "n_hyp", "n_possible"):
        with pytest.raises(InputError, match=f"'{name}'; expected one of sid, system, domain"):
            af.lake.scores(tmp_path / "out", by=[name])


def test_a_dry_run_predicts_failures(lake, tmp_path):
    hyp, _ = lake
    truncate(hyp / GIZA_NEWS / "part-0.parquet")
    named = lakes.sentences(1).append_column("system", pa.array(["other"] * 12))
    lakes.write(named, hyp, system="hmm", domain="law")
    foreseen, met = (
        failures(af.lake.score(*lake, tmp_path / "out", dry_run=dry)) for dry in (True, False)
    )
    assert foreseen == met
    assert set(met) == {GIZA_NEWS, "system=hmm/domain=law"}
    (tmp_path / "file").touch()
    for place in (tmp_path / "file", tmp_path / "file" / "out"):
        with pytest.raises(InputError, match="folder to write to"):
            af.lake.score(*lake, place, dry_run=True)


def test_errors_are_shown_in_full(lake, tmp_path):
    hyp, _ = lake
    file = hyp / GIZA_NEWS / "part-0.parquet"
    truncate(file)
    done = af.lake.score(*lake, tmp_path / "out")
    (error,) = failures(done).values()
    assert len(error) > 120
    assert f"{GIZA_NEWS}: {error}" in "".join(run("lake", "status", tmp_path / "out"))


def test_a_column_named_like_a_key(lake, tmp_path):
    hyp, gold = lake
    before = af.links.score(hyp, gold).scores

    def named(domain):
        table = lakes.tables()[1]["law"]
        return table.append_column("domain", pa.array([domain] * table.num_rows))

    lakes.write(named("news"), gold, domain="law")
    done = af.lake.score(hyp, gold, tmp_path / "out")
    assert statuses(done) == {"done": 4, "failed": 2}
    assert "folder domain=law" in failures(done)["system=giza/domain=law"]
    lakes.write(named("law"), gold, domain="law")
    assert statuses(af.lake.score(hyp, gold, tmp_path / "out")) == {"done": 2, "skipped": 4}
    assert af.lake.scores(tmp_path / "out").rows() == before.rows()


def test_a_key_named_like_a_count(tmp_path):
    lakes.write(lakes.sentences(1), tmp_path / "hyp", system="giza", n_hyp="1")
    pq.write_table(lakes.sentences(2, gold=True), tmp_path / "gold.parquet")
    done = af.lake.score(tmp_path / "hyp", tmp_path / "gold.parquet", tmp_path / "out")
    assert "n_hyp" in failures(done)["system=giza/n_hyp=1"]


def test_a_layout_that_changed_between_files(lake, tmp_path):
    hyp, gold = lake
    long = pa.table({"sid": [1000, 1001], "i": [0, 1], "j": [0, 1]})
    pq.write_table(long, hyp / "system=giza" / "domain=news" / "other.parquet")
    numbers = pa.table({"sid": [1, 2], "links": [0, 1]})
    lakes.write(numbers, hyp, system="giza", domain="law")
    done = af.lake.score(hyp, gold, tmp_path / "out")
    assert statuses(done) == {"done": 4, "failed": 2}
    assert "other.parquet" in failures(done)[GIZA_NEWS]
    assert "type int64" in failures(done)["system=giza/domain=law"]


def test_partitions_may_be_long_or_nested(lake, tmp_path):
    hyp, gold = lake
    long = pa.table({"sid": [0, 1], "i": [0, 1], "j": [0, 1]})
    lakes.write(long, hyp, system="giza", domain="law")
    with pytest.warns(DataWarning):
        assert statuses(af.lake.score(hyp, gold, tmp_path / "out")) == {"done": 6}


def test_partitions_of_two_layouts(lake, tmp_path):
    hyp, gold = lake
    lakes.write(lakes.sentences(1), hyp, system="eflomal")
    with pytest.raises(InputError, match="one layout"):
        af.lake.score(hyp, gold, tmp_path / "out")


def test_other_tables_are_not_overwritten(lake, tmp_path):
    hyp, gold = lake
    before = (hyp / "system=giza" / "domain=law" / "part-0.parquet").read_bytes()
    for how, said in (({}, "not a file of this job"), ({"format": "delta"}, "expected parquet")):
        with pytest.raises(InputError, match=said):
            af.lake.score(hyp, gold, hyp, **how)
    assert (hyp / "system=giza" / "domain=law" / "part-0.parquet").read_bytes() == before


@pytest.mark.parametrize("kind", ["parquet", "delta"])
def test_outputs_of_other_jobs_are_not_overwritten(kind, lake, tmp_path):
    hyp, gold = lake
    out, how = output(tmp_path, kind)
    af.lake.score(hyp, gold, out, **how)
    with pytest.raises(InputError, match="separate"):
        af.lake.phrases(hyp, out, **how)
    measure = Measure("size", ("n",), (Ratio("size", "n", "n"),))
    with pytest.raises(InputError, match="output of lake score"):
        af.lake.apply(lambda hyp: hyp, {"hyp": hyp}, out, measure=measure, **how)
    assert len(counted(out)) == 72


def test_an_unwritable_output(lake, tmp_path):
    hyp, gold = lake
    (tmp_path / "file").touch()
    for place in (tmp_path / "file" / "out", "/proc/alignframe"):
        with pytest.raises(InputError, match=r"is a file; expected a folder|cannot be made"):
            af.lake.score(hyp, gold, place)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="mounting needs root")
def test_a_full_disk(lake, tmp_path):
    hyp, gold = lake
    out = tmp_path / "out"
    out.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24k", "none", str(out)]).returncode:
        pytest.skip("this machine cannot mount")
    try:
        with pytest.warns(
            DataWarning, match=r"json: the record of the run was not written \(.*No s"
        ):
            done = af.lake.score(hyp, gold, out)
        assert set(statuses(done)) == {"done", "failed"}
        assert all("No space" in error for error in failures(done).values())
        assert not list(out.rglob(".*.tmp"))
        subprocess.run(["mount", "-o", "remount,size=4m", str(out)], check=True)
        assert "failed" not in statuses(af.lake.score(hyp, gold, out))
        assert len(counted(out)) == 72
    finally:
        subprocess.run(["umount", str(out)], check=True)


@pytest.mark.parametrize("kind", ["parquet", "delta", "object store"])
def test_a_partition_that_vanishes_after_it_is_listed_fails_its_unit(
    kind, lake, tmp_path, bucket, monkeypatch
):
    hyp, gold = lake
    listing = (stores.parquet, "_files") if kind == "parquet" else (stores, "open_store")
    if kind == "delta":
        hyp = lakes.delta_table(tmp_path / "delta", lakes.all_links()[0], ["system", "domain"])
    elif kind == "object store":
        hyp = lakes.sent(hyp, f"{bucket}/hyp")
    listed = getattr(*listing)

    def vanishing(name, *given):
        found = listed(name, *given)
        if name == str(hyp) and kind == "object store":
            remote.filesystem().delete_dir(f"{remote.path_in_store(name)}/{GIZA_NEWS}")
        elif name == str(hyp):
            shutil.rmtree(Path(hyp, GIZA_NEWS))
        return found

    monkeypatch.setattr(listing[0] if kind == "parquet" else reading, listing[1], vanishing)
    done = af.lake.score(hyp, gold, tmp_path / "out")
    assert statuses(done) == {"done": 5, "failed": 1}
    ((unit, error),) = failures(done).items()
    assert unit == GIZA_NEWS
    assert f"{GIZA_NEWS}/part-0" in error
    assert "no such file" in error


@pytest.mark.parametrize("kind", ["delta", "iceberg"])
def test_files_without_a_commit_are_adopted(kind, lake, tmp_path, monkeypatch):
    hyp, gold = lake
    out, how = output(tmp_path, kind)
    made = type(open_output(out, "counts", how.get("format", "")))

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(made, "commit", killed)
        with pytest.raises(KeyboardInterrupt):
            af.lake.score(hyp, gold, out, **how)
    again = af.lake.score(hyp, gold, out)  # the format of the existing output is used
    assert statuses(again) == {"adopted": 6}
    assert len(counted(out)) == 72
    assert af.lake.runs(out)["status"].to_list() == ["stopped", "done"]


@pytest.mark.parametrize("kind", ["parquet", "delta", "iceberg"])
def test_units_finished_before_an_interruption_stay(kind, lake, tmp_path):
    hyp, gold = lake
    out, how = output(tmp_path, kind)

    def interrupt(done, of, rows):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        af.lake.score(hyp, gold, out, progress=interrupt, **how)
    kept = len(counted(out)) // 12
    assert kept >= 2
    again = statuses(af.lake.score(hyp, gold, out))
    assert again.get("skipped") == kept
    assert len(counted(out)) == 72
    assert af.lake.runs(out)["status"].to_list() == ["stopped", "done"]


@pytest.mark.parametrize("kind", ["parquet", "delta", "iceberg"])
@pytest.mark.parametrize("first", [False, True])
def test_two_jobs_at_once(kind, first, lake, tmp_path, monkeypatch):
    """The other job commits just before this one does."""
    hyp, gold = lake
    out, how = output(tmp_path, kind)
    made = type(open_output(out, "counts", how.get("format", "")))
    if not first:
        af.lake.score(hyp, gold, out, **how)
        lakes.write(lakes.sentences(77, first=1000), hyp, system="giza", domain="news")
    others = []
    name = "commit" if kind == "parquet" else "_commit"
    commit = getattr(made, name)

    def late(self, *words):
        if not others:
            others.append(None)
            others.append(af.lake.score(hyp, gold, out, **how))
        commit(self, *words)

    monkeypatch.setattr(made, name, late)
    mine = af.lake.score(hyp, gold, out, **how)
    work = {"done": 6} if first else {"done": 1, "skipped": 5}
    assert statuses(mine) == work
    assert sum(statuses(others[1]).values()) == 6
    wanted = af.links.score(hyp, gold, by=["domain"]).counts
    assert sum(row[3] for row in counted(out)) == wanted["n_hyp"].sum()
    assert len(counted(out)) == 72


@pytest.mark.parametrize("kind", ["delta", "iceberg"])
def test_a_unit_made_by_two_jobs_from_different_inputs(kind, lake, tmp_path, monkeypatch):
    """One of two versions of a unit remains, and no rows are duplicated."""
    hyp, gold = lake
    out, how = output(tmp_path, kind)
    af.lake.score(hyp, gold, out, **how)
    made = type(open_output(out, "counts"))
    commit, others = made._commit, []

    def late(self, *words):
        if not others:
            others.append(None)
            lakes.write(lakes.sentences(78, first=1000), hyp, system="giza", domain="news")
            af.lake.score(hyp, gold, out, **how)
        commit(self, *words)

    lakes.write(lakes.sentences(77, first=1000), hyp, system="giza", domain="news")
    monkeypatch.setattr(made, "_commit", late)
    af.lake.score(hyp, gold, out, **how)
    assert len(counted(out)) == 72
    assert statuses(af.lake.score(hyp, gold, out, **how))["skipped"] >= 5
    assert sum(row[3] for row in counted(out)) == af.links.score(hyp, gold).counts["n_hyp"].sum()


def test_object_stores(tmp_path, bucket):
    lake = lakes.plain_lake(tmp_path, systems=("giza",), domains=("law", "news"))
    hyp, gold = (lakes.sent(one, f"{bucket}/{one.name}") for one in lake)
    places = {kind: f"{bucket}/{kind}" for kind in ("parquet", "delta")}
    for kind, out in places.items():
        assert statuses(af.lake.score(hyp, gold, out, format=kind)) == {"done": 2}
    # The same content has the same ETag, other content another.
    for domain, seed in (("law", 0), ("news", 77)):
        if seed:
            lakes.write(lakes.sentences(seed, first=1000), lake[0], system="giza", domain=domain)
        lakes.sent(lake[0] / f"system=giza/domain={domain}", f"{hyp}/system=giza/domain={domain}")
    for out in places.values():
        again = af.lake.score(hyp, gold, out).units
        assert again.filter(status="done")["unit"].to_list() == [GIZA_NEWS]
        assert len(counted(out)) == 24
        assert af.lake.runs(out)["skipped"].to_list() == [0, 1]


def test_iceberg_in_an_object_store(bucket, tmp_path, monkeypatch):
    """The catalogue is an SQLite file here, and the tables are in the store."""
    config = pytest.importorskip("pyiceberg.utils.config")
    for name, value in {
        "TYPE": "sql",
        "URI": f"sqlite:///{tmp_path}/remote.db",
        "WAREHOUSE": f"{bucket}/tables",
    }.items():
        monkeypatch.setenv(f"PYICEBERG_CATALOG__REMOTE__{name}", value)
    # pyiceberg reads the environment when it is imported, which other tests may have done.
    monkeypatch.setattr("pyiceberg.catalog._ENV_CONFIG", config.Config())
    out = "iceberg:remote.mt.counts"
    lake = lakes.plain_lake(tmp_path, systems=("giza",), domains=("law", "news"))
    assert statuses(af.lake.score(*lake, out)) == {"done": 2}
    lakes.write(lakes.sentences(77, first=1000), lake[0], system="giza", domain="news")
    assert statuses(af.lake.score(*lake, out)) == {"done": 1, "skipped": 1}
    assert len(counted(out)) == 24
    assert len(af.lake.runs(out)) == 2
    assert af.lake.scores(out).rows() == af.links.score(*lake).scores.rows()
    # Links are in the store; the catalogue is named by its file.
    links = lakes.sentences(1).append_column("system", pa.array(["giza"] * 12))
    hyp = lakes.iceberg_table(tmp_path, "hyp", links, ["system"], at=f"{bucket}/tables/hyp")
    done = af.lake.score(hyp, lake[1] / "domain=law", tmp_path / "plain")
    assert statuses(done) == {"done": 1}
    assert af.lake.open(hyp).paths[0].startswith(bucket.removeprefix("s3://"))


def test_wrong_credentials(lake, tmp_path, bucket, s3_server):
    import requests

    hyp, gold = lake
    requests.post(f"{s3_server}/moto-api/reset-auth", data=b"0", timeout=5)
    try:
        with pytest.raises(InputError, match="credentials") as error:
            af.lake.score(hyp, gold, f"{bucket}/out")
        assert "nobody-may-see" not in str(error.value)
        with pytest.raises(AlignframeError) as error:
            af.lake.score(f"{bucket}/hyp", gold, tmp_path / "never", format="delta")
        assert "nobody-may-see" not in str(error.value)
    finally:
        requests.post(f"{s3_server}/moto-api/reset-auth", data=b"1000000000", timeout=5)


def own_store(monkeypatch, port=0):
    """Start an object store that a test may stop, with the same buckets."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer("127.0.0.1", port, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    return server


FAULTS = {
    "POST uploads": ("503 Slow Down", b""),
    "PUT partNumber": ("503 Slow Down", b""),
    "POST uploadId": ("503 Slow Down", b""),
    # Errors that a store finds after it has begun to respond.
    "POST uploadId=": ("200 OK", b"<Error><Code>InternalError</Code><Message>no</Message></Error>"),
    "POST uploadId=_": ("200 OK", b""),
}
"""Responses to requests, by method and by the beginning of their query."""


def test_a_failed_upload_is_not_recorded_as_done(monkeypatch, bucket):
    monkeypatch.setattr(remote, "ATTEMPTS", 1)
    server = own_store(monkeypatch)
    app = server._server.app

    def faulty(environ, begin):
        if not f"{environ['REQUEST_METHOD']} {environ['QUERY_STRING']}".startswith(fault):
            return app(environ, begin)
        status, body = FAULTS[name]
        begin(status, [("Content-Length", str(len(body)))])
        return [body]

    server._server.app = faulty
    folder = Folder(f"{bucket}/out")
    try:
        for name in FAULTS:
            fault = name.rstrip("_")
            with pytest.raises(InputError, match="file"):
                folder.write_text("file.txt", "words")
            assert folder.size_of("file.txt") is None
    finally:
        server.stop()


def test_a_store_that_stops_responding(lake, monkeypatch, bucket):
    """If the store of a job goes away, finished units stay, and the others fail by name."""
    server = own_store(monkeypatch)
    port = server.get_host_and_port()[1]
    out = f"{bucket}/stops"

    def stop(done, of, rows):
        if done == 1:
            server.stop()

    hyp, gold = lake
    with monkeypatch.context() as impatient:
        impatient.setattr(remote, "ATTEMPTS", 1)
        with pytest.warns(DataWarning, match="s3://.*json: the record of the run was not written"):
            done = af.lake.score(hyp, gold, out, progress=stop)
    assert statuses(done)["failed"] >= 4
    assert all("does not answer" in error for error in failures(done).values())
    server = own_store(monkeypatch, port)
    try:
        again = af.lake.score(hyp, gold, out)
        redone = again.units.filter(pl.col("status") == "done")
        assert dict(redone.select("unit", "why").rows()) == dict.fromkeys(failures(done), "new")
        assert len(counted(out)) == 72
        written = ParquetFiles(out)
    finally:
        server.stop()
    # Unreadable footers are not damaged: finished units are not processed again.
    monkeypatch.setattr(remote, "ATTEMPTS", 1)
    monkeypatch.setattr(Folder, "listed", lambda *_: [(f"{GIZA_NEWS}/counts.parquet", 1)])
    for read in (lambda: af.lake.score(hyp, gold, out), written.reader):
        with pytest.raises(InputError, match="does not answer"):
            read()


def test_no_secrets_are_recorded(lake, bucket):
    hyp, gold = lake
    out = f"{bucket}/out"
    shutil.rmtree(gold / "domain=news")
    words = ("lake", "score", hyp, "--gold", gold, "-o", out, "--json")
    printed, said = run(*words, code=1)
    noted = json.dumps(af.lake.runs(out).to_dicts())
    assert "nobody-may-see" not in printed + said + noted


ABORTING = f"""
import os
from alignframe.read import parquet

def batches(part, *given, read=parquet.Part.batches, **named):
    if {GIZA_NEWS!r} in part.file.path:
        os.abort()
    return read(part, *given, **named)

parquet.Part.batches = batches
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of processes")
def test_a_unit_that_ends_the_process_is_tried_once_more_alone(lake, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(ABORTING)
    given = [lake[0], "--gold", lake[1], "-o", tmp_path / "out"]
    words = [sys.executable, "-m", "alignframe", "lake", "score", *map(str, given)]
    paths = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    first, second = (
        subprocess.run(words, env=paths, capture_output=True, text=True) for _ in range(2)
    )
    assert first.returncode == -signal.SIGABRT
    said = second.stdout + second.stderr
    assert f"{GIZA_NEWS}: reading its files ends the process (SIGABRT)" in said
    units = af.lake.open(lake[0]).units()
    assert len(af.lake.open(tmp_path / "out").units()) == len(units) - 1
    assert statuses(af.lake.score(*lake, tmp_path / "out")) == {
        "skipped": len(units) - 1,
        "done": 1,
    }


def test_a_partition_too_long_for_a_folder_is_named_and_whole_in_delta(lake, tmp_path):
    """Readers of plain Parquet take its value from the path, those of Delta from the table."""
    gold = pl.read_parquet(lake[1] / "**/*.parquet", hive_partitioning=False)
    gold.write_parquet(tmp_path / "gold.parquet")
    names = ["é" * 120, "é" * 119 + "1", "short"]
    for name in names:
        (tmp_path / "mine" / f"system={name}").mkdir(parents=True)
        links = gold.select("sid", "links")
        links.write_parquet(tmp_path / "mine" / f"system={name}" / "links.parquet")

    def scored(kind):
        return af.lake.score(
            tmp_path / "mine", tmp_path / "gold.parquet", tmp_path / kind, format=kind
        )

    assert statuses(scored("parquet")) == {"done": 1, "failed": 2}
    errors = scored("parquet").to_polars()["error"].to_list()
    for name in names[:2]:
        assert any(
            f"the partition 'system={name}', as a folder's name 7" in one for one in errors if one
        )
    if find_spec("deltalake"):
        assert statuses(scored("delta")) == {"done": 3}
        assert statuses(scored("delta")) == {"skipped": 3}
        assert sorted(af.lake.scores(tmp_path / "delta")["system"]) == sorted(names)


SLEEPING = """
import time
import pyarrow as pa
def rows(unit, settings):
    yield pa.table({"sid": [1]})
    time.sleep(600)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of processes")
def test_a_signal_ends_a_unit_that_is_tried_alone_without_a_draft(tmp_path, monkeypatch):
    (tmp_path / "sleeping.py").write_text(SLEEPING)
    monkeypatch.syspath_prepend(tmp_path)
    rows = importlib.import_module("sleeping").rows
    output = open_output(str(tmp_path / "out"), "rows", "parquet")

    def kick():
        while not list(tmp_path.glob("out/.alignframe-*")):
            time.sleep(0.01)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGUSR1)

    def interrupt(*_):
        raise KeyboardInterrupt

    task = Task((), "", "", Unit((), {"hyp": 1}), {"stamp": "1"})
    before = signal.signal(signal.SIGUSR1, interrupt)
    try:
        threading.Thread(target=kick, daemon=True).start()
        with pytest.raises(KeyboardInterrupt):
            work_alone(
                Work(
                    Job("copy", "rows", ("hyp",), rows),
                    output,
                    task,
                    {},
                ),
                print,
            )
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert list((tmp_path / "out").rglob("*.*")) == []


ROOT = Path(__file__).resolve().parents[2]
KINDS = {"parquet": "pyarrow", "delta": "deltalake", "iceberg": "pyiceberg"}


def test_kills_lose_and_duplicate_nothing(tmp_path):
    kinds = [kind for kind, package in KINDS.items() if find_spec(package)]
    # One process imports what jobs need; each run is a fork of it, so that only the run is killed.
    words = ["-m", "benchmarks.lake_kills", tmp_path, "--format", *kinds]
    words += ["--kills", "9", "--domains", "4", "--rows", "4"]
    done = subprocess.run(
        [sys.executable, *map(str, words)], capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for kind in kinds:
        assert f"{kind}: 9 killed" in done.stdout
