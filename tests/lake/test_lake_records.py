"""Records of runs: odd ones are named and left out, and counts need none."""

import json
import re
import shutil
from pathlib import Path

import polars as pl
import pytest
from helpers import lake as lakes
from helpers.cli import run
from test_lake import counted, output, statuses

import alignframe as af
from alignframe.errors import DataWarning, InputError

KEYS = {"keys": {"system": "giza"}, "stamp": 1}
ODD = {
    "": "not JSON",
    "[]": "[] is not an object",
    "[" * 100_000: "nested too deeply",
    '{"job": "score"': "not JSON",
    '{"job": "score"}': "it has no signature",
    "job": {"guess": "guess", "null": None},
    "settings": {"[]": [], "not those of lake score": {}, "on is": {"on": "sid"}},
    "inputs": {"is 1": 1, "the inputs are missing": {}, "inputs is": {"hyp": {"place": "hyp"}}},
    "outputs": {"null": None},
    "run": {"other": "other"},
    "status": {"odd": "odd"},
    "started": {"noon": "noon"},
    "pid": {"1267650600228229401496703205376": 2**100, "true": True},
    "seconds": {"NaN": float("nan"), "10000": 10**30},
    "rows": {"-1": -1, "1.5": 1.5},
    "failures": {"is": [{"unit": "system=giza"}]},
    "left": {"null": None},
    "state": {"null": None, "stamp": [KEYS]},
    "host": {"not UTF-8": "\ud800"},
}


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    """The output of two runs, and the files of their records in order."""
    home = tmp_path_factory.mktemp("records")
    hyp, gold = lakes.plain_lake(home, systems=("giza",), domains=("law", "news"))
    for seed in (0, 77):
        lakes.write(lakes.sentences(seed), hyp, system="giza", domain="law")
        af.lake.score(hyp, gold, home / "out")
    return home / "out", sorted((home / "out" / "_alignframe" / "runs").iterdir())


def cases(text):
    """Yield odd texts of a record, and what is said of them."""
    for name, odd in ODD.items():
        if isinstance(odd, str):
            yield name, odd
        else:
            for said, value in odd.items():
                yield json.dumps(json.loads(text) | {name: value}), said


def test_an_odd_record_is_named_and_left_out(scored):
    out, (_, file) = scored
    text = file.read_text("utf-8")
    before = af.lake.scores(out)
    try:
        for odd, said in cases(text):
            file.write_text(odd)
            told = re.escape(f"{file.name}: not the record of a run, so left out (")
            with pytest.warns(DataWarning, match=f"{told}.*{re.escape(said)}"):
                found = af.lake.history(out, bootstrap=0)
            # What it has left is still the last of the history.
            assert found.runs["run"][-1] == "unrecorded"
            now = found.scores.filter(pl.col("corpus").is_null(), run="unrecorded", measure="aer")
            assert now["value"].to_list() == before["aer"].to_list()
            with pytest.warns(DataWarning, match="not the record"):
                assert af.lake.scores(out).equals(before)
        for words in (
            ["lake", "status", out],
            ["lake", "status", out, "--runs"],
            ["lake", "history", out, "--bootstrap", "0"],
            ["dashboard", out, "--bootstrap", "0", "-o", out.parent / "page.html"],
        ):
            said = "".join(run(*words))
            assert "not the record of a run" in " ".join(said.split())
    finally:
        file.write_text(text, "utf-8")


def test_what_earlier_versions_did_not_record_is_no_fault(scored, recwarn):
    out, (_, file) = scored
    text = file.read_text("utf-8")
    try:
        record = json.loads(text)
        for name in ("left", "state", "failures"):
            del record[name]
        file.write_text(json.dumps(record))
        assert af.lake.runs(out).height == 2
        assert not recwarn.list
    finally:
        file.write_text(text, "utf-8")


@pytest.mark.parametrize("kind", ["parquet", "delta", "iceberg"])
def test_counts_are_scored_without_records(kind, tmp_path):
    pytest.importorskip({"delta": "deltalake", "iceberg": "pyiceberg"}.get(kind, "pyarrow"))
    hyp, gold = lakes.plain_lake(tmp_path, domains=("law",))
    out, how = output(tmp_path, kind)
    af.lake.score(hyp, gold, out, **how)
    before = af.lake.scores(out)
    (records,) = tmp_path.rglob("_alignframe/runs")
    shutil.rmtree(records)
    assert af.lake.scores(out).equals(before)
    assert af.lake.status(out).units["status"].to_list() == ["done", "done"]
    found = af.lake.history(out, bootstrap=0)
    assert found.runs["run"].to_list() == ["unrecorded"]
    lead = af.report.lake_report(out, bootstrap=0).lead
    assert lead.startswith("No record tells of the run that wrote the output of 20")
    assert "which is shown. In it, there is nothing" in lead
    with pytest.raises(InputError, match="no lake job has written"):
        af.lake.runs(out)
    # Files that no job has written are still refused.
    with pytest.raises(InputError, match="no lake job has written"):
        af.lake.scores(hyp)


def test_two_catalogues_in_a_folder_have_tables_of_their_own(tmp_path):
    pytest.importorskip("pyiceberg")
    hyp, gold = lakes.plain_lake(tmp_path, domains=("law",))
    places = [f"iceberg:{tmp_path}/{name}.db.mt.counts" for name in ("a", "b")]
    af.lake.score(hyp, gold, places[0])
    before = counted(places[0])
    lakes.write(lakes.sentences(77), hyp, system="giza", domain="law")
    assert statuses(af.lake.score(hyp, gold, places[1])) == {"done": 2}
    assert counted(places[0]) == before != counted(places[1])
    for place in places:
        assert af.lake.runs(place).height == 1
        (last,) = af.lake.history(place, bootstrap=0).runs["run"]
        (folder,) = tmp_path.glob(f"{Path(place).name.partition('.')[0]}.db.*")
        assert (folder / "_alignframe" / "runs" / f"{last}.json").is_file()


def test_records_of_another_catalogue_in_the_same_location_are_left_out(tmp_path):
    """As earlier versions placed the tables of two catalogues."""
    pytest.importorskip("pyiceberg")
    from alignframe.stores.catalogue import catalogue_of

    hyp, gold = lakes.plain_lake(tmp_path, domains=("law",))
    places = [f"iceberg:{tmp_path}/{name}.db.mt.counts" for name in ("a", "b")]
    af.lake.score(hyp, gold, places[0])
    first, second = (catalogue_of(place, new=True) for place in places)
    second.create_namespace("mt")
    second.register_table("mt.counts", first.load_table("mt.counts").metadata_location)
    lakes.write(lakes.sentences(77), hyp, system="giza", domain="law")
    af.lake.score(hyp, gold, places[1])
    runs = [af.lake.runs(place)["run"].to_list() for place in places]
    assert [len(one) for one in runs] == [1, 1]
    assert runs[0] != runs[1]
    # A catalogue that was renamed keeps its records.
    (tmp_path / "a.db").rename(tmp_path / "c.db")
    assert af.lake.runs(places[0].replace("a.db", "c.db"))["run"].to_list() == runs[0]
