"""Commits that were interrupted: the next run begins or goes on, and adopts what was written."""

import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import polars as pl
import pytest
from helpers import lake as lakes
from test_lake import counted, output, statuses
from test_lake_failures import KINDS

import alignframe as af
from alignframe.errors import DataWarning, InputError

FIRST = "00000000000000000000.json"


@pytest.fixture
def lake(tmp_path):
    return lakes.plain_lake(tmp_path, domains=("law", "news"))


def uncommitted(lake, out, how, monkeypatch):
    """Run a job that ends before its first commit."""
    from alignframe.stores.output import StampedOutput

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(StampedOutput, "commit", killed)
        with pytest.raises(KeyboardInterrupt):
            af.lake.score(*lake, out, **how)


LEFT = {
    "nothing": {},
    "a draft": {"_commit_1f.json.tmp": '{"protocol"', f"{FIRST}#1": ""},
    "an empty commit": {FIRST: ""},
    "half a commit": {FIRST: '{"protocol":{"minReaderVersion":1}}\n{"metaDa'},
}


@pytest.mark.parametrize("left", LEFT)
def test_a_delta_log_without_its_first_commit_is_begun_anew(left, lake, tmp_path, monkeypatch):
    pytest.importorskip("deltalake")
    out, how = output(tmp_path, "delta")
    uncommitted(lake, out, how, monkeypatch)
    log = Path(out, "_delta_log")
    log.mkdir()
    for name, text in LEFT[left].items():
        (log / name).write_text(text)
    for read in (lambda: af.lake.open(out), lambda: af.links.score(out, lake[1]).scores):
        with pytest.raises(InputError, match="no commit: the first one was interrupted"):
            read()
    with pytest.warns(DataWarning, match=r"\(it was stopped\) after 0 of 4 units: nothing"):
        assert af.lake.status(out).units["status"].to_list() == ["to do"] * 4
    assert statuses(af.lake.score(*lake, out)) == {"adopted": 4}
    assert len(counted(out)) == 48
    assert statuses(af.lake.score(*lake, out)) == {"skipped": 4}


def test_a_delta_log_in_an_object_store_without_its_first_commit(lake, bucket):
    pytest.importorskip("deltalake")
    from alignframe.stores.folder import Folder

    for name in ("_commit_1f.json.tmp", FIRST):
        out = f"{bucket}/{name}"
        Folder(out).write_text(f"_delta_log/{name}", "")
        assert statuses(af.lake.score(*lake, out)) == {"done": 4}
        assert len(counted(out)) == 48


def test_a_delta_log_with_other_commits_is_not_begun_anew(lake, tmp_path):
    pytest.importorskip("deltalake")
    out, how = output(tmp_path, "delta")
    af.lake.score(*lake, out, **how)
    later = Path(out, "_delta_log", FIRST.replace("0.", "1."))
    later.write_text('{"add":')
    with pytest.raises(InputError, match="Truncated record"):
        af.lake.score(*lake, out)
    later.write_text("")
    lakes.write(lakes.sentences(77, first=0), lake[0], system="giza", domain="law")
    assert statuses(af.lake.score(*lake, out)) == {"done": 1, "skipped": 3}
    assert len(counted(out)) == 48


def test_old_drafts_of_a_delta_log_are_removed(lake, tmp_path):
    pytest.importorskip("deltalake")
    out, how = output(tmp_path, "delta")
    af.lake.score(*lake, out, **how)
    drafts = [Path(out, "_delta_log", f"{FIRST}#{number}") for number in (1, 2)]
    for draft in drafts:
        draft.touch()
    os.utime(drafts[0], (1e9, 1e9))
    af.lake.score(*lake, out)
    assert [draft.exists() for draft in drafts] == [False, True]
    assert len(counted(out)) == 48


FULL = """
import resource, sys
import alignframe as af
from alignframe.stores.delta import DeltaOutput

def full(*given, commit=DeltaOutput._commit):
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    commit(*given)

DeltaOutput._commit = full
af.lake.score(*sys.argv[1:], format="delta")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of processes")
def test_a_first_commit_without_space_names_the_cause(lake, tmp_path):
    """A limit on the size of files stands for a full disk: Python ignores its signal."""
    pytest.importorskip("deltalake")
    words = [sys.executable, "-c", FULL, *map(str, lake), str(tmp_path / "out")]
    done = subprocess.run(words, capture_output=True, text=True)
    assert "cannot be read or written" in done.stderr
    assert "File too large" in done.stderr
    assert statuses(af.lake.score(*lake, tmp_path / "out", format="delta")) == {"adopted": 4}


def begun(out, tmp_path, *, empty=True):
    """Return a new catalogue, and a table without rows if ``empty``."""
    pytest.importorskip("pyiceberg")
    from alignframe.stores.catalogue import catalogue_of

    catalogue = catalogue_of(out, new=True)
    if not empty:
        return catalogue, None
    schema = pl.DataFrame(counted_columns()).to_arrow().schema
    catalogue.create_namespace("mt")
    place = f"file://{tmp_path}/out.db.mt.counts"
    return catalogue, catalogue.create_table("mt.counts", schema=schema, location=place)


def counted_columns():
    whole = ["sid", "n_hyp", "n_sure", "n_possible", "n_hyp_sure", "n_hyp_possible"]
    return {
        **{name: pl.Series([], dtype=pl.Int64) for name in whole},
        **{name: pl.Series([], dtype=pl.String) for name in ("system", "domain")},
    }


def test_an_iceberg_catalogue_without_the_table_is_begun_anew(lake, tmp_path):
    pytest.importorskip("pyiceberg")
    out, _ = output(tmp_path, "iceberg")
    file = tmp_path / "out.db"
    for left in ("an empty file", "one of its tables", "a namespace"):
        file.unlink(missing_ok=True)
        shutil.rmtree(tmp_path / "out.db.mt.counts", ignore_errors=True)
        if left == "an empty file":
            file.touch()
        else:
            catalogue, _ = begun(out, tmp_path, empty=False)
            if left == "a namespace":
                catalogue.create_namespace("mt")
            else:
                with sqlite3.connect(file) as written:
                    written.execute("drop table iceberg_namespace_properties")
        with pytest.raises(InputError, match="no Iceberg table"):
            af.lake.open(out)
        with pytest.raises(InputError, match="no lake job has written to it"):
            af.lake.status(out)
        assert statuses(af.lake.score(*lake, out, dry_run=True)) == {"to do": 4}
        assert statuses(af.lake.score(*lake, out)) == {"done": 4}
        assert len(counted(out)) == 48


@pytest.mark.parametrize("left", [None, "", '{"format-vers'])
def test_an_iceberg_table_without_its_first_files_is_begun_anew(left, lake, tmp_path, monkeypatch):
    """A table without partitions, or whose only metadata were not written in full."""
    pytest.importorskip("pyiceberg")
    out, how = output(tmp_path, "iceberg")
    uncommitted(lake, out, how, monkeypatch)
    _, table = begun(out, tmp_path)
    if left is not None:
        Path(table.metadata_location.removeprefix("file://")).write_text(left)
    for wanted in ("adopted", "skipped"):
        assert statuses(af.lake.score(*lake, out)) == {wanted: 4}
        assert len(counted(out)) == 48


def test_an_iceberg_table_appears_with_its_files(lake, tmp_path, monkeypatch):
    """Nothing is left of a table whose files could not be added."""
    pytest.importorskip("pyiceberg")
    from pyiceberg.table import Transaction

    def killed(*_):
        raise KeyboardInterrupt

    out, _ = output(tmp_path, "iceberg")
    with monkeypatch.context() as patch:
        patch.setattr(Transaction, "add_files", killed)
        with pytest.raises(KeyboardInterrupt):
            af.lake.score(*lake, out)
    with pytest.raises(InputError, match="no Iceberg table"):
        af.lake.open(out)
    assert statuses(af.lake.score(*lake, out)) == {"adopted": 4}
    assert len(counted(out)) == 48


HALF = """
import os, signal, sqlite3, sys
file = sqlite3.connect(sys.argv[1], isolation_level=None)
file.execute("pragma cache_size = 1")  # so that it writes before the commit
file.execute("begin")
file.execute("create table filler as select zeroblob(100000) as bytes")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of processes")
def test_a_catalogue_is_read_after_a_commit_to_it_was_killed(lake, tmp_path):
    pytest.importorskip("pyiceberg")
    out, _ = output(tmp_path, "iceberg")
    af.lake.score(*lake, out)
    killed = subprocess.run([sys.executable, "-c", HALF, str(tmp_path / "out.db")])
    assert killed.returncode == -signal.SIGKILL
    assert Path(tmp_path, "out.db-journal").stat().st_size
    assert len(counted(out)) == 48
    assert af.lake.scores(out).height == 2


ROOT = Path(__file__).resolve().parents[2]
POINTS = ("mkdir", "open", "write", "pwrite", "sync", "link", "rename", "unlink", "cut")


@pytest.mark.skipif(sys.platform != "linux", reason="filters of system calls")
def test_kills_within_commits_lose_and_duplicate_nothing(tmp_path):
    """Each format is killed in a later commit, and in its first."""
    kinds = [kind for kind, package in KINDS.items() if find_spec(package)]
    words = ["-m", "benchmarks.lake_commit_kills", tmp_path, "--format", *kinds, "--rows", "2"]
    words += ["--kills", 2 * len(kinds), "--domains", "2", "--ways", *POINTS]
    done = subprocess.run(
        [sys.executable, *map(str, words)], capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for kind in kinds:
        assert re.search(f"{kind}: 2 killed, [12] during a commit .* 2 ended equal", done.stdout)


@pytest.mark.parametrize("kind", ["parquet", "delta", "iceberg"])
def test_links_to_folders_are_followed(kind, lake, tmp_path, monkeypatch):
    """Partitions of inputs and of the output may lie elsewhere, as on another disk."""
    hyp, gold = lake
    out, how = output(tmp_path, kind)
    if kind == "parquet":
        af.lake.score(hyp, gold, out, **how)
    else:
        uncommitted(lake, out, how, monkeypatch)
    data = Path(out if kind == "parquet" else tmp_path)
    (folder,) = (path for path in data.rglob("system=giza") if hyp not in path.parents)
    for place, name in ((hyp, "hyp"), (folder.parent, "out")):
        shutil.move(place / "system=giza", tmp_path / "elsewhere" / name)
        (place / "system=giza").symlink_to(tmp_path / "elsewhere" / name)
    draft = next((tmp_path / "elsewhere" / "out").rglob("*.parquet")).parent
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left = draft / f".alignframe-{socket.gethostname()}-{ended.pid}-1a2b.tmp"
    left.touch()
    again = af.lake.score(hyp, gold, out, **how)
    assert statuses(again) == {"skipped" if kind == "parquet" else "adopted": 4}
    assert not left.exists()
    assert af.lake.status(out).units["status"].to_list() == ["done"] * 4
    # A replaced unit is kept for the history, and a pruned one removed, through the link.
    lakes.write(lakes.sentences(77, first=0), hyp, system="giza", domain="law")
    assert statuses(af.lake.score(hyp, gold, out)) == {"done": 1, "skipped": 3}
    found = af.lake.history(out, bootstrap=0)
    assert found.runs.height == 2
    assert sorted(found.scores["system"].unique()) == ["giza", "hmm"]
    assert "2 systems" in af.report.lake_report(out, bootstrap=0).set_up
    assert af.lake.scores(out).rows() == af.links.score(hyp, gold).scores.rows()
    (hyp / "system=giza").unlink()
    assert statuses(af.lake.score(hyp, gold, out, prune=True)) == {"pruned": 2, "skipped": 2}
    assert af.lake.scores(out)["system"].to_list() == ["hmm"]


@pytest.mark.parametrize("kind", ["hyp", "out"])
def test_links_in_circles_and_to_nothing_are_refused(kind, lake, tmp_path):
    af.lake.score(*lake, tmp_path / "out")
    place = tmp_path / kind
    for name, other in (("a", "b"), ("b", "a")):
        (place / f"x={name}").mkdir()
        (place / f"x={name}" / "x").symlink_to(place / f"x={other}")
    patterns = [place / "**" / "*.parquet"] if kind == "hyp" else []
    for hyp in (lake[0], *patterns):
        with pytest.raises(InputError, match="link to one of its parent folders"):
            af.lake.score(hyp, lake[1], tmp_path / "out")
    for name in "ab":
        shutil.rmtree(place / f"x={name}")
    (place / "system=gone").symlink_to(tmp_path / "nowhere")
    with pytest.raises(InputError, match="link to a folder that is not there"):
        af.lake.score(*lake, tmp_path / "out")


def test_a_file_that_is_a_link_is_kept_as_it_was(lake, tmp_path):
    """A past file must not become the file that replaced it."""
    out = tmp_path / "out"
    af.lake.score(*lake, out)
    file = out / "system=giza" / "domain=law" / "counts.parquet"
    shutil.move(file, tmp_path / "counts.parquet")
    file.symlink_to(tmp_path / "counts.parquet")
    before = af.lake.scores(out)
    lakes.write(lakes.sentences(77, first=0), lake[0], system="giza", domain="law")
    af.lake.score(*lake, out)
    assert file.is_symlink()
    found = af.lake.history(out, bootstrap=0).scores.filter(
        pl.col("corpus").is_null(), system="giza", measure="aer"
    )
    assert found["value"][0] == before.filter(system="giza")["aer"][0]
    assert found["value"][0] != found["value"][1]
