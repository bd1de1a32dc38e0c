"""Lake jobs: finished units are skipped, changed ones redone, and figures are exact."""

import json
import os
import shutil
import tempfile
import warnings
from dataclasses import replace

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers import lake as lakes
from helpers.cli import json_of, run
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import alignframe as af
from alignframe.errors import DataWarning, InputError
from alignframe.lake import units
from alignframe.lake.dashboard import lake_report
from alignframe.lake.units import Source
from alignframe.stores.delta import _mark_of
from alignframe.stores.store import hive_folder

FORMATS = ("parquet", "delta", "iceberg")


def output(folder, kind):
    """Return the place of an output, and the options that set its format."""
    if kind == "iceberg":
        return f"iceberg:{folder}/out.db.mt.counts", {}
    return str(folder / "out"), {"format": kind}


def statuses(done):
    return dict(done.units.group_by("status").len().rows())


def counted(place):
    """Return the counts of a place in order."""
    frame = pl.DataFrame(pl.from_arrow(af.lake.open(place).reader().read_all()))
    columns = ["system", "domain", "sid", "n_hyp", "n_sure", "n_hyp_sure", "n_hyp_possible"]
    return frame.select(columns).sort("system", "domain", "sid").rows()


@pytest.fixture(scope="module")
def expected():
    links, gold = lakes.all_links()
    counts = af.links.score(links, gold, by=["domain"]).counts
    columns = ["system", "domain", "sid", "n_hyp", "n_sure", "n_hyp_sure", "n_hyp_possible"]
    return counts.select(columns).sort("system", "domain", "sid").rows()


@pytest.fixture
def lake(tmp_path):
    return lakes.plain_lake(tmp_path)


@pytest.mark.parametrize("kind", FORMATS)
def test_finished_units_are_skipped(kind, lake, tmp_path, expected):
    hyp, gold = lake
    out, how = output(tmp_path, kind)
    assert statuses(af.lake.score(hyp, gold, out, **how)) == {"done": 6}
    assert counted(out) == expected
    assert statuses(af.lake.score(hyp, gold, out, **how)) == {"skipped": 6}
    assert counted(out) == expected


@pytest.mark.parametrize("kind", FORMATS)
def test_a_rewritten_partition_and_a_new_one(kind, lake, tmp_path):
    hyp, gold = lake
    out, how = output(tmp_path, kind)
    shutil.rmtree(hyp / "system=hmm" / "domain=talks")
    with pytest.warns(DataWarning, match="scored as empty"):
        af.lake.score(hyp, gold, out, **how)
    (links, gold_links) = lakes.tables()
    links["giza", "news"] = lakes.sentences(77, first=1000)
    lakes.write(links["giza", "news"], hyp, system="giza", domain="news")
    lakes.write(links["hmm", "talks"], hyp, system="hmm", domain="talks")
    again = af.lake.score(hyp, gold, out, **how)
    assert statuses(again) == {"done": 2, "skipped": 4}
    why = {row["unit"]: row["why"] for row in again.units.iter_rows(named=True)}
    assert why["system=giza/domain=news"] == "hyp changed"
    table, references = lakes.all_links(links, gold_links)
    assert af.lake.scores(out).rows() == af.links.score(table, references).scores.rows()


def test_changed_gold_and_settings(lake, tmp_path):
    hyp, gold = lake
    out = tmp_path / "out"
    af.lake.score(hyp, gold, out)
    lakes.write(lakes.sentences(1, gold=True, first=1000), gold, domain="news")
    again = af.lake.score(hyp, gold, out)
    assert set(again.units.filter(pl.col("status") == "done")["why"]) == {"gold changed"}
    assert statuses(again) == {"done": 2, "skipped": 4}
    third = af.lake.score(hyp, gold, out, possible_as_sure=True)
    assert set(third.units["why"]) == {"settings changed"}
    shutil.rmtree(gold / "domain=law")
    failed = af.lake.score(hyp, gold, out, possible_as_sure=True).units.filter(status="failed")
    assert failed["why"].to_list() == ["removed", "removed"]
    with pytest.warns(DataWarning, match="the last run failed on 2 of 6 units"):
        af.lake.history(out, bootstrap=0)


def checked(lake, out, check, **how):
    """Run a job with a check, and return its reasons by status."""
    units = af.lake.score(*lake, out, check=check, **how).units
    return {status: set(one["why"]) for (status,), one in units.group_by("status")}


def test_another_check_is_no_change_of_inputs(lake, tmp_path):
    hyp, gold = lake
    out = tmp_path / "out"
    af.lake.score(hyp, gold, out)
    lakes.write(lakes.sentences(77, first=1000), hyp, system="giza", domain="news")
    # Times do not tell that contents are the same: all are counted again, once.
    assert checked(lake, out, "content", dry_run=True) == {
        "to do": {"check changed", "hyp changed"}
    }
    assert checked(lake, out, "content") == {"done": {"check changed", "hyp changed"}}
    # But contents were noted together with times, so the way back is free.
    for check in ("stat", "content", "stat"):
        assert checked(lake, out, check) == {"skipped": {"unchanged"}}
    lakes.write(lakes.sentences(1, gold=True), gold, domain="law")
    wanted = {"done": {"gold changed"}, "skipped": {"unchanged"}}
    assert checked(lake, out, "stat") == wanted
    # Two units were then counted by their times alone.
    assert checked(lake, out, "content") == wanted | {"done": {"check changed"}}
    assert checked(lake, out, "stat", possible_as_sure=True) == {"done": {"settings changed"}}
    assert counted(out) == counted_anew(lake, tmp_path, possible_as_sure=True)


def counted_anew(lake, tmp_path, **how):
    af.lake.score(*lake, tmp_path / "anew", **how)
    return counted(tmp_path / "anew")


def test_runs_with_another_check_stay_comparable(lake, tmp_path):
    out = tmp_path / "out"
    for check in ("stat", "content", "stat"):
        af.lake.score(*lake, out, check=check)
        found = af.lake.history(out, bootstrap=50)
        # The counts are written anew, and are equal.
        assert found.runs.height == 1
    file = lake[1] / "domain=law" / "part-0.parquet"
    os.utime(file, (1e9, 1e9))
    # The time changed, and the content did not.
    assert checked(lake, out, "content") == {"skipped": {"unchanged"}}
    assert af.lake.history(out, bootstrap=50).runs.height == 1
    lakes.write(lakes.sentences(1, gold=True), lake[1], domain="law")
    af.lake.score(*lake, out)
    verdicts = set(af.lake.history(out, bootstrap=50).tests["verdict"])
    assert "not comparable: gold changed" in verdicts


@pytest.mark.parametrize("kind", ["parquet", "talp"])
def test_gold_written_anew_with_the_same_bytes_stays_comparable(kind, tmp_path, monkeypatch):
    """As a job does that makes all its inputs anew before each run."""
    hashed = []
    hashing = units._hash
    monkeypatch.setattr(units, "_hash", lambda *at: hashed.append(at) or hashing(*at))
    for seed in range(3):
        for system in "ab":
            lakes.write(lakes.sentences(seed), tmp_path / "hyp", system=system)
        shutil.rmtree(tmp_path / "gold", ignore_errors=True)
        gold = tmp_path / "gold" / f"gold-{seed}.{kind}"
        if kind == "parquet":
            lakes.write(lakes.sentences(9, gold=True), tmp_path / "gold").rename(gold)
            gold = gold.parent
        else:
            gold.parent.mkdir()
            af.formats.write(lakes.sentences(9, gold=True), gold)
        run = af.lake.score(tmp_path / "hyp", gold, tmp_path / "out")
        why = "new" if not seed else "hyp and gold changed"
        assert run.units["why"].to_list() == [why] * 2
        assert len(hashed) == seed + 1  # once a run, whatever the number of units
    found = af.lake.history(tmp_path / "out", bootstrap=0)
    assert found.runs.height == 3
    assert set(found.tests["verdict"]) == {"not tested"}
    assert set(found.scores["segment"]) == {0}
    # Counts of an earlier version, which did not note contents, are told by time as before.
    for file in (tmp_path / "out").rglob("*.p*"):
        if not file.is_dir() and "inputs" not in file.parts:
            table = pq.read_table(file)
            notes = dict(pq.read_metadata(file).metadata)
            del notes[b"alignframe.contents"]
            pq.write_table(table.replace_schema_metadata(notes), file)
    found = af.lake.history(tmp_path / "out", bootstrap=0)
    assert set(found.tests["verdict"]) == {"not comparable: gold changed"}


def test_other_bytes_of_gold_are_not_comparable(lake, tmp_path):
    af.lake.score(*lake, tmp_path / "out")
    lakes.write(lakes.sentences(1, gold=True), lake[1], domain="law")
    af.lake.score(*lake, tmp_path / "out")
    tests = af.lake.history(tmp_path / "out", bootstrap=0).tests
    said = {row["corpus"]: row["verdict"] for row in tests.iter_rows(named=True)}
    assert said["law"] == "not comparable: gold changed"
    assert said["news"] != said["law"]


def test_names_of_a_table_tell_its_contents(tmp_path):
    """Files of Delta never change, so another check is no reason to count again."""
    pytest.importorskip("deltalake")
    links, gold = lakes.all_links()
    hyp = lakes.delta_table(tmp_path / "hyp", links, ["system", "domain"])
    gold = lakes.delta_table(tmp_path / "gold", gold, ["domain"])
    assert checked((hyp, gold), tmp_path / "out", "stat") == {"done": {"new"}}
    assert checked((hyp, gold), tmp_path / "out", "content") == {"skipped": {"unchanged"}}


def test_a_footer_of_an_earlier_version_tells_its_check_by_the_settings(lake, tmp_path):
    out = tmp_path / "out"
    af.lake.score(*lake, out, check="content")
    for file in out.rglob("counts.parquet"):
        table = pq.read_table(file)
        notes = dict(table.schema.metadata or {}) | dict(pq.read_metadata(file).metadata)
        for name in (b"alignframe.check", b"alignframe.stat"):
            del notes[name]
        pq.write_table(table.replace_schema_metadata(notes), file)
    assert checked(lake, out, "content") == {"skipped": {"unchanged"}}
    assert checked(lake, out, "stat") == {"done": {"check changed"}}


def test_deleted_rows_change_the_contents_of_a_file(tmp_path):
    """As tables tell them that other programs write: the file itself stays."""
    file = lakes.write(lakes.sentences(0), tmp_path / "hyp")
    marks = set()
    for rows in (None, np.array([1]), np.array([2])):
        source = Source(str(tmp_path / "hyp"), "hyp", content=True)
        told = f"{file.stat().st_size}{_mark_of(rows)}"
        source.files._files = [replace(source.files._files[0], mark=told, deleted=rows)]
        marks |= {source.mark(()), source.mark((), content=False)}
    assert len(marks) == 6


@pytest.mark.parametrize("kind", FORMATS)
def test_scores_equal_those_of_links(kind, lake, tmp_path):
    hyp, gold = lake
    out, how = output(tmp_path, kind)
    af.lake.score(hyp, gold, out, **how)
    table, references = lakes.all_links()
    for options in ({}, {"by": ["domain"]}, {"alpha": [0.1, 0.9]}, {"bootstrap": 20}):
        got = af.lake.scores(out, **options)
        assert got.equals(af.links.score(table, references, **options).scores.select(got.columns))


def test_a_dry_run_lists_what_is_to_do_first(lake, tmp_path):
    hyp, gold = lake
    words = ("lake", "score", hyp, "--gold", gold, "-o", tmp_path / "out")
    run(*words)
    lakes.write(lakes.sentences(5, first=1000), hyp, system="hmm", domain="talks")
    told = run(*words, "--dry-run").stdout
    assert told.count("skipped") == 5
    assert told.index("to do") < told.index("skipped")


def test_shell(lake, tmp_path):
    hyp, gold = lake
    out = tmp_path / "out"
    words = ("lake", "score", hyp, "--gold", gold, "-o", out)
    printed, _ = run(*words, "--dry-run")
    assert "to do" in printed
    assert not out.exists()
    found = json.loads(run(*words, "--json")[0])
    assert found["tables"]["run"][0]["done"] == 6
    _, said = run(*words)
    assert "0 done, 6 skipped" in said
    printed, said = run("lake", "history", out, "--bootstrap", "0")
    assert "only 1 run has changed counts: there is nothing to compare it with yet" in said
    assert "no rows" not in printed
    table = tmp_path / "table.parquet"
    table.write_bytes(b"")
    said = run("lake", "scores", table, code=2)[1]
    assert "for a table of counts, give --measure" in said
    rows = json_of(run("lake", "scores", out, "--by", "domain", "--json")[0])
    assert len(rows) == 6
    assert {
        row["status"]
        for row in json.loads(run("lake", "status", out, "--json")[0])["tables"]["units"]
    } == {"done"}
    runs = json_of(run("lake", "status", out, "--runs", "--json")[0])
    assert [(row["done"], row["skipped"]) for row in runs] == [(6, 0), (0, 6)]
    assert all(row["peak_mb"] > 0 and row["status"] == "done" for row in runs)


def test_a_partition_without_gold_fails_and_others_are_finished(lake, tmp_path):
    hyp, gold = lake
    shutil.rmtree(gold / "domain=news")
    words = ("lake", "score", hyp, "--gold", gold, "-o", tmp_path / "out")
    _, said = run(*words, code=1)
    assert "domain=news" in said
    assert "law" in said
    found = json.loads(run("lake", "status", tmp_path / "out", "--json")[0])["tables"]
    states = {row["unit"]: row["status"] for row in found["units"]}
    assert states["system=giza/domain=news"] == "failed"
    assert list(states.values()).count("done") == 4
    assert found["run"][0]["status"] == "failed"
    lakes.write(lakes.tables()[1]["news"], gold, domain="news")
    assert statuses(af.lake.score(hyp, gold, tmp_path / "out")) == {"done": 2, "skipped": 4}


def test_gold_without_a_partition_counts_as_empty(lake, tmp_path):
    hyp, gold = lake
    shutil.rmtree(hyp / "system=hmm" / "domain=law")
    with pytest.warns(DataWarning, match="hmm.domain=law: not in hyp, so it is scored"):
        af.lake.score(hyp, gold, tmp_path / "out")
    links, references = lakes.tables()
    links.pop(("hmm", "law"))
    table, references = lakes.all_links(links, references)
    with pytest.warns(DataWarning, match="scored as empty"):
        wanted = af.links.score(table, references).scores
    with pytest.warns(
        DataWarning, match="system=hmm/domain=law: not in hyp, so it is scored as empty"
    ):
        assert af.lake.scores(tmp_path / "out").rows() == wanted.rows()


@pytest.mark.parametrize("kind", FORMATS)
def test_a_removed_partition_is_named_as_long_as_it_is_absent(kind, tmp_path):
    hyp, gold = lakes.plain_lake(tmp_path, domains=("law", "news"))
    out, how = output(tmp_path, kind)
    af.lake.score(hyp, gold, out, **how)
    shutil.move(hyp / "system=hmm" / "domain=law", tmp_path / "law")
    unit = "system=hmm/domain=law"
    said = f"{unit}: removed from hyp .noticed on 20..-..-..., so it is scored as empty"
    for status in ("done", "skipped", "done") if kind == "parquet" else ("done",):
        with pytest.warns(DataWarning, match=said):
            again = af.lake.score(hyp, gold, out, **how)
        assert again.units.filter(unit=unit).row(0)[1:3] == (status, "removed")
        if status == "skipped":
            lakes.write(lakes.sentences(1, gold=True), gold, domain="law")
    with pytest.warns(DataWarning, match=said):
        assert af.lake.scores(out, by="domain").filter(system="hmm", domain="law")["aer"][0] == 1
    if kind != "parquet":
        return
    for read in (af.lake.status, af.lake.history, lake_report):
        with pytest.warns(DataWarning, match=said):
            found = read(out)
    assert f">{unit}: removed from hyp" in found.html()
    for view in ("scores", "status", "history"):
        units = json.loads(run("lake", view, out, "--json")[0])["tables"]["units"]
        assert {one["unit"]: one["why"] for one in units if one["why"]} == {unit: "removed"}
    shutil.move(tmp_path / "law", hyp / "system=hmm" / "domain=law")
    assert "hyp changed" in af.lake.score(hyp, gold, out, **how).units["why"].to_list()
    assert af.lake.status(out).units["why"].unique().to_list() == [""]


def test_warnings_of_units_last_as_long_as_their_counts(tmp_path):
    links, gold = lakes.tables()
    lakes.write(links["hmm", "law"].slice(3), tmp_path / "hyp", system="hmm")
    place = lakes.write(gold["law"], tmp_path / "gold")
    with pytest.warns(DataWarning, match="3 of 12 gold sentences"):
        af.lake.score(tmp_path / "hyp", place, tmp_path / "out")
    with pytest.warns(DataWarning, match="system=hmm: hmm has no row for 3 of 12 gold sentences"):
        af.lake.scores(tmp_path / "out")
    lakes.write(links["hmm", "law"], tmp_path / "hyp", system="hmm")
    af.lake.score(tmp_path / "hyp", place, tmp_path / "out")
    af.lake.scores(tmp_path / "out")


def test_units_removed_from_the_inputs_are_listed_and_pruned(lake, tmp_path):
    hyp, gold = lake
    for kind in FORMATS:
        out, how = output(tmp_path / kind, kind)
        (tmp_path / kind).mkdir()
        af.lake.score(hyp, gold, out, **how)
        shutil.move(hyp / "system=hmm", tmp_path / "kept")
        with pytest.warns(DataWarning, match=r"count until pruned \(`prune=True`\)$"):
            af.lake.score(hyp, gold, out, **how)
        with pytest.warns(DataWarning, match="no longer have 3 units"):
            assert af.lake.scores(out)["system"].to_list() == ["giza", "hmm"]
        with pytest.warns(DataWarning, match="no longer have 3 units"):
            states = af.lake.status(out).units.filter(unit="system=hmm/domain=law")
        assert states.select("status", "why").row(0) == ("left over", "removed")
        pruned = af.lake.score(hyp, gold, out, prune=True, **how)
        assert statuses(pruned) == {"skipped": 3, "pruned": 3}
        assert af.lake.scores(out)["system"].to_list() == ["giza"]
        shutil.move(tmp_path / "kept", hyp / "system=hmm")


def test_sentence_numbers_that_restart_in_each_domain(tmp_path):
    links, gold = lakes.tables()
    for number, ((system, domain), table) in enumerate(links.items()):
        fresh = lakes.sentences(number, first=0)
        lakes.write(fresh, tmp_path / "hyp", system=system, domain=domain)
        assert fresh.num_rows == table.num_rows
    flat = [
        lakes.sentences(50 + k, gold=True).append_column("domain", pa.array([domain] * 12))
        for k, domain in enumerate(gold)
    ]
    pq.write_table(pa.concat_tables(flat), tmp_path / "gold.parquet")
    done = af.lake.score(
        tmp_path / "hyp", tmp_path / "gold.parquet", tmp_path / "out", on=["domain", "sid"]
    )
    assert statuses(done) == {"done": 6}
    one = af.links.score(
        {"giza": lakes.sentences(1)}, {"sid": flat[1]["sid"], "links": flat[1]["links"]}
    ).scores
    got = af.lake.scores(tmp_path / "out", by=["domain"]).filter(domain="news", system="giza")
    assert got["aer"].to_list() == one["aer"].to_list()


def test_partitions_by_a_key_that_gold_lacks(tmp_path):
    links, gold = lakes.tables()
    for (system, domain), table in links.items():
        lakes.write(table, tmp_path / "hyp", system=system, part=domain)
    pq.write_table(lakes.all_links(links, gold)[1].drop_columns(["domain"]), tmp_path / "g.parquet")
    done = af.lake.score(tmp_path / "hyp", tmp_path / "g.parquet", tmp_path / "out")
    assert done.units["unit"].to_list() == ["system=giza", "system=hmm"]
    by = af.lake.scores(tmp_path / "out", by=["part"])
    assert by.filter(system="giza")["part"].to_list() == ["law", "news", "talks"]


def test_content_is_compared_if_requested(lake, tmp_path):
    hyp, gold = lake
    how = {"check": "content"}
    af.lake.score(hyp, gold, tmp_path / "out", **how)
    for file in [*hyp.rglob("*.parquet"), *gold.rglob("*.parquet")]:
        file.touch()
    assert statuses(af.lake.score(hyp, gold, tmp_path / "out", **how)) == {"skipped": 6}
    file = hyp / "system=giza" / "domain=law" / "part-0.parquet"
    before = file.stat()
    data = bytearray(file.read_bytes())
    lakes.write(lakes.sentences(5, first=0), hyp, system="giza", domain="law")
    assert data != file.read_bytes()
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert statuses(af.lake.score(hyp, gold, tmp_path / "out", **how)) == {"done": 1, "skipped": 5}


def test_records_describe_runs(lake, tmp_path):
    hyp, gold = lake
    af.lake.score(hyp, gold, tmp_path / "out", format="delta")
    (file,) = (tmp_path / "out" / "_alignframe" / "runs").iterdir()
    record = json.loads(file.read_text())
    assert file.stem == record["run"]
    assert record["outputs"]["after"] == "0"
    assert record["inputs"]["hyp"]["version"] == af.lake.open(hyp).version
    assert record["signature"].startswith("alignframe:")
    assert (record["units"], record["rows"]) == (6, 72)


@pytest.mark.parametrize("kind", FORMATS)
def test_a_dry_run_writes_nothing(kind, lake, tmp_path):
    hyp, gold = lake
    before = sorted(tmp_path.rglob("*"))
    out, how = output(tmp_path, kind)
    planned = af.lake.score(hyp, gold, out, dry_run=True, **how)
    assert set(planned.units["status"]) == {"to do"}
    assert planned.record == {}
    with pytest.raises(InputError, match=r"no lake job|no such (catalogue|folder)"):
        af.lake.status(out)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("kind", FORMATS)
def test_values_in_any_notation(kind, tmp_path):
    values = ["c/d", "ü ñ", "100%", "a=b", "x'y\"z", None, "__x"]
    for number, value in enumerate(values):
        folder = hive_folder((("system", "s 1"), ("domain", value)))
        lakes.write(lakes.sentences(number, rows=2, first=10 * number), tmp_path / "hyp" / folder)
        gold = lakes.sentences(50 + number, rows=2, gold=True, first=10 * number)
        lakes.write(gold, tmp_path / "gold" / hive_folder((("domain", value),)))
    out, how = output(tmp_path, kind)
    for state in ("done", "skipped"):
        done = af.lake.score(tmp_path / "hyp", tmp_path / "gold", out, **how)
        assert statuses(done) == {state: 7}
        wanted = af.links.score(tmp_path / "hyp", tmp_path / "gold").scores
        assert af.lake.scores(out).rows() == wanted.rows()
        assert {keys[1][1] for keys in af.lake.open(out).units()} == set(values)
    place = tmp_path / "hyp" / hive_folder((("system", "s 1"), ("domain", None)))
    lakes.write(lakes.sentences(99, rows=2, first=50), place)
    assert statuses(af.lake.score(tmp_path / "hyp", tmp_path / "gold", out, **how))["done"] == 1
    assert af.lake.open(out).reader().read_all().num_rows == 14


def test_bad_options(lake, tmp_path):
    hyp, gold = lake
    for how, word in (
        ({"format": "orc"}, "orc"),
        ({"format": "iceberg"}, "CATALOG"),
        ({"check": "size"}, "size"),
        ({"threads": 0}, "threads"),
        ({"on": ["year"]}, "year"),
    ):
        with pytest.raises(InputError, match=word):
            af.lake.score(hyp, gold, tmp_path / "out", **how)
    with pytest.raises(InputError, match="no lake job"):
        af.lake.scores(tmp_path)


def test_outputs_are_tables_of_their_libraries(lake, tmp_path):
    hyp, gold = lake
    for kind in ("delta", "iceberg"):
        out, how = output(tmp_path / kind, kind)
        (tmp_path / kind).mkdir()
        for seed in (1, 2):
            lakes.write(lakes.sentences(seed, first=1000), hyp, system="giza", domain="news")
            af.lake.score(hyp, gold, out, **how)
        if kind == "delta":
            deltalake = pytest.importorskip("deltalake")
            table = deltalake.DeltaTable(out)
            assert table.version() == 1
            found = pl.DataFrame(pl.from_arrow(table.to_pyarrow_table()))
            assert set(table.metadata().partition_columns) == {"system", "domain"}
        else:
            from alignframe.stores.catalogue import catalogue_of

            found = pl.DataFrame(
                pl.from_arrow(catalogue_of(out).load_table("mt.counts").scan().to_arrow())
            )
        wanted = af.links.score(hyp, gold, by=["domain"]).counts
        assert found.height == 72
        sums = found.group_by("system", "domain").agg(pl.col("n_hyp").sum())
        other = wanted.group_by("system", "domain").agg(pl.col("n_hyp").sum())
        assert sorted(sums.rows()) == sorted(other.rows())


def test_progress_threads_and_commits(lake, tmp_path):
    hyp, gold = lake
    told = []
    done = af.lake.score(
        hyp,
        gold,
        tmp_path / "out",
        format="delta",
        commit_every=0,
        threads=3,
        progress=lambda *numbers: told.append(numbers),
    )
    assert statuses(done) == {"done": 6}
    assert told[-1] == (6, 6, 72)
    assert [one[2] for one in told] == sorted(one[2] for one in told)
    assert int(done.record["outputs"]["after"]) >= 1  # several commits
    assert len(counted(tmp_path / "out")) == 72


def test_the_remaining_time_is_shown():
    from alignframe.cli.lake import _lasting, working

    assert [_lasting(one) for one in (3, 200, 9000)] == ["3 s", "3 min", "2 h"]
    working("Counting")(1, 3, 1000)


PARTS = st.dictionaries(
    st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")),
    st.lists(st.integers(0, 5), unique=True, max_size=6),
    min_size=1,
)


@settings(max_examples=4)
@given(PARTS, st.integers(0, 99))
def test_any_lake_scores_like_its_links_in_one_table(parts, seed):
    """Sentences, partitions and all of a domain may be missing."""
    with tempfile.TemporaryDirectory() as home, warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        flat = []
        for number, domain in enumerate("xyz"):
            gold = lakes.sentences(seed + number, rows=6, gold=True, first=10 * number)
            lakes.write(gold, f"{home}/gold", domain=domain)
            flat.append(gold)
        found = {"a": [], "b": []}
        for (system, domain), rows in parts.items():
            first = 10 * "xyz".index(domain)
            table = lakes.sentences(seed + 50 + ord(system), rows=6, first=first)
            table = table.take(pa.array(rows, pa.int64()))
            lakes.write(table, f"{home}/hyp", system=system, domain=domain)
            found[system].append(table)
        links = {name: pa.concat_tables(tables) for name, tables in found.items() if tables}
        assume(all(table.num_rows for table in links.values()))
        af.lake.score(f"{home}/hyp", f"{home}/gold", f"{home}/out")
        wanted = af.links.score(links, pa.concat_tables(flat)).scores
        assert af.lake.scores(f"{home}/out").rows() == wanted.rows()
