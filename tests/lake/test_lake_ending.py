"""Runs that are killed or stopped: every view says so, and shows what is in the output."""

import json
import signal
import subprocess
import sys
from itertools import product

import polars as pl
import pytest
from helpers import lake as lakes
from helpers.cli import json_of, run
from test_lake import output, statuses

import alignframe as af
from alignframe.errors import DataWarning, InputError

PROGRAM = """
import os, sys, time
import polars as pl
import alignframe as af
from alignframe.stats import Measure, Ratio
from alignframe.stores import open_output

hyp, out, kind, after = sys.argv[1:]
calls = []


def stamps():
    return {file.stamp for file in open_output(out, "counts").done().values()}


def count(links):
    calls.append(links)
    if len(calls) > int(after):
        while len(stamps() - before) < int(after):
            time.sleep(0.001)
        os.kill(os.getpid(), 9)
    return links.select("sid", n=pl.col("links").list.len(), m=pl.lit(10))


before = stamps()
size = Measure("size", ("n", "m"), (Ratio("size", "n", "m"),))
how = {} if kind == "iceberg" else {"format": kind}
af.lake.apply(count, {"links": hyp}, out, measure=size, threads=1, commit_every=0, **how)
"""
"""A job that kills itself as soon as so many units are in the output."""
KINDS = pytest.mark.parametrize("kind", ["parquet", "delta", "iceberg"])


def job(home, out, kind, after):
    """Run the program, killed after so many units."""
    (home / "program.py").write_text(PROGRAM)
    words = [sys.executable, home / "program.py", home / "hyp", out, kind, str(after)]
    ended = subprocess.run(words, capture_output=True, text=True)
    assert ended.returncode == (-signal.SIGKILL if after < 4 else 0), ended.stderr


def changed(home, seed):
    """Write other links into all four partitions."""
    for number, (system, domain) in enumerate(product(lakes.SYSTEMS, ("law", "news"))):
        lakes.write(lakes.sentences(seed + number), home / "hyp", system=system, domain=domain)


def told(view, *given, **options):
    """Return what a view returns, and the one warning that it gives."""
    with pytest.warns(DataWarning) as warned:
        found = view(*given, **options)
    (said,) = {str(one.message) for one in warned}
    return found, said


@KINDS
def test_all_views_tell_of_a_killed_run_and_agree(kind, tmp_path):
    pytest.importorskip({"delta": "deltalake", "iceberg": "pyiceberg"}.get(kind, "pyarrow"))
    out, _ = output(tmp_path, kind)
    changed(tmp_path, 0)
    job(tmp_path, out, kind, 4)
    before = af.lake.scores(out, by="domain")
    assert af.lake.history(out, bootstrap=0).runs.height == 1
    none = [(10, 0, 4)] * (kind == "parquet")
    for seed, after, left in (*none, (20, 1, 3), (None, 2, 1)):
        if seed:
            changed(tmp_path, seed)
        job(tmp_path, out, kind, after)
        found, said = told(af.lake.scores, out, by="domain")
        of = left + after
        how = "(it was killed, or its end could not be recorded)"
        assert said.startswith(f"the last run did not end {how} after {after} of {of} units: ")
        assert said.endswith(
            "nothing of it is in the output or in these figures"
            if after == 0
            else f"{'it is' if after == 1 else 'they are'} in the output and in these figures; "
            "the others are as before it, or missing"
        )
        assert found.equals(before) == (after == 0)
        # The figures of all views are those of the scores.
        history, also = told(af.lake.history, out, bootstrap=0)
        assert also == said
        runs = af.lake.runs(out)
        assert history.runs["run"][-1] == runs["run"][-1 if after else 0]
        last = history.scores.filter(pl.col("corpus").is_not_null(), run=history.runs["run"][-1])
        last = last.select(
            "system", pl.col("corpus").alias("domain"), pl.col("value").alias("size")
        )
        figures = found.select("system", "domain", "size")
        assert last.sort("system", "domain").rows() == figures.sort("system", "domain").rows()
        page, also = told(af.report.lake_report, out, bootstrap=0)
        assert also == said
        assert page.cautions == [said]
        assert said in " ".join(page.html().split())
        status, also = told(af.lake.status, out)
        assert also == said
        to_do = status.units.filter(status="to do")
        assert to_do["why"].to_list() == ["killed"] * left
        assert runs.row(-1, named=True)["status"] == "killed"
        assert runs.select("done", "rows").row(-1) == (after, 12 * after)
    job(tmp_path, out, kind, 4)
    assert af.lake.status(out).units["status"].to_list() == ["done"] * 4
    runs = af.lake.runs(out)
    killed = [0] * len(none) + [1, 2]
    assert runs["status"].to_list() == ["done", *["killed"] * len(killed), "done"]
    assert runs["done"].to_list() == [4, *killed, 1]
    assert runs["rows"].to_list() == [48, *(12 * done for done in killed), 12]
    assert af.lake.history(out, bootstrap=0).runs["run"].to_list() == [
        runs["run"][0],
        runs["run"][-1],
    ]


def test_the_shell_tells_of_a_killed_first_run(tmp_path):
    changed(tmp_path, 0)
    out = tmp_path / "out"
    job(tmp_path, str(out), "parquet", 2)
    for words in (
        ["lake", "scores", out],
        ["lake", "status", out],
        ["lake", "history", out, "--bootstrap", "0"],
        ["dashboard", out, "--bootstrap", "0", "-o", tmp_path / "page.html"],
    ):
        said = " ".join("".join(run(*words)).split())
        assert "did not end (it was killed, or its end could not be recorded) after 2 of 4" in said
    runs = json_of(run("lake", "status", out, "--runs", "--json")[0])
    assert [(one["status"], one["done"], one["rows"]) for one in runs] == [("killed", 2, 24)]
    units = json_of(run("lake", "scores", out, "--json")[0])["units"]
    assert [(unit["status"], unit["why"]) for unit in units] == [("to do", "killed")] * 2


def test_a_stopped_run_is_told_and_what_it_finished_counts(tmp_path):
    hyp, gold = lakes.plain_lake(tmp_path, domains=("law", "news"))
    out = tmp_path / "out"

    def stop(done, of, rows):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        af.lake.score(hyp, gold, out, progress=stop)
    done = len(list(out.rglob("counts.parquet")))
    assert 2 <= done <= 4
    (status, said) = told(af.lake.status, out)
    assert said.startswith(f"the last run did not end (it was stopped) after {done} of 4 units: ")
    assert status.units.filter(status="done").height == done
    assert status.units.height == 4
    assert status.run["status"].to_list() == ["stopped"]
    assert told(af.lake.scores, out)[1] == told(af.lake.history, out, bootstrap=0)[1] == said
    af.lake.score(hyp, gold, out)
    assert af.lake.status(out).units["status"].to_list() == ["done"] * 4


def test_a_record_without_an_end_is_an_error_that_names_it(tmp_path):
    hyp, gold = lakes.plain_lake(tmp_path, domains=("law",))
    out = tmp_path / "out"
    runs = out / "_alignframe" / "runs"

    def full(done, of, rows):
        if done == of and runs.is_dir():
            runs.rename(tmp_path / "aside")
            runs.touch()

    with pytest.raises(InputError) as error:
        af.lake.score(hyp, gold, out, progress=full)
    runs.unlink()
    (tmp_path / "aside").rename(runs)
    (record,) = runs.iterdir()
    assert str(error.value).startswith(f"{record}: the record of the run was not written (")
    assert "but the rows were; when it can be written, run the job again" in str(error.value)
    said = told(af.lake.scores, out)[1]
    assert said == (
        "the last run did not end (it was killed, or its end could not be recorded) after 2 of 2 "
        "units: they are in the output and in these figures"
    )
    assert told(af.lake.status, out)[0].units["status"].to_list() == ["done", "done"]
    # The next run has nothing to do, and its record ends.
    assert statuses(af.lake.score(hyp, gold, out)) == {"skipped": 2}
    assert af.lake.runs(out).select("status", "done").rows() == [("killed", 2), ("done", 0)]
    assert af.lake.status(out).units["status"].to_list() == ["done", "done"]


def test_records_of_earlier_versions_do_not_tell_what_was_to_do(tmp_path):
    hyp, gold = lakes.plain_lake(tmp_path, domains=("law",))
    out = tmp_path / "out"
    af.lake.score(hyp, gold, out)
    (file,) = (out / "_alignframe" / "runs").iterdir()
    record = json.loads(file.read_text("utf-8")) | {"status": "killed", "state": []}
    del record["todo"]
    file.write_text(json.dumps(record), "utf-8")
    assert told(af.lake.scores, out)[1] == (
        "the last run did not end (it was killed, or its end could not be recorded); the figures "
        "are of what is in the output"
    )
    assert told(af.lake.history, out, bootstrap=0)[0].runs.height == 1
