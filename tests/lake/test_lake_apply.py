"""Custom functions and measures as jobs, from Python and by name in the shell."""

import shutil
import signal
import subprocess
import sys
from functools import partial

import polars as pl
import pytest
from helpers import lake as lakes
from helpers.cli import json_of, run
from test_lake import statuses

import alignframe as af
from alignframe.errors import InputError
from alignframe.stats import Formula, Measure, Ratio

COUNTS = ("n_hyp", "n_ref", "n")
LENGTH = Measure("length", COUNTS, (Ratio("ratio", "n_hyp", "n_ref"), Ratio("mean", "n_hyp", "n")))
EXCESS = Measure("excess", COUNTS, (Formula("excess", lambda n: n["n_hyp"] / n["n_ref"] - 1),))
SHELL = """
import polars as pl
from alignframe.stats import Measure, Ratio

length = Measure("length", ("n_hyp", "n_ref"), (Ratio("ratio", "n_hyp", "n_ref"),))

def count(hyp, ref):
    size = {f"n_{side}": pl.col(f"text_{side}").str.len_chars() for side in ("hyp", "ref")}
    both = hyp.rename({"text": "text_hyp"}).join(ref.rename({"text": "text_ref"}), on="sid")
    return both.select("sid", **size)
"""


def lengths(hyp, ref):
    both = hyp.join(ref, on="sid", suffix="_ref")
    size = {"n_hyp": pl.col("text").str.len_chars(), "n_ref": pl.col("text_ref").str.len_chars()}
    return both.select("sid", **size, n=1)


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """A lake of two systems in two domains, with references in one file; and all its counts."""
    home = tmp_path_factory.mktemp("texts")
    lines = {
        name: (lakes.ISLAND / f"{name}.en").read_text("utf-8").splitlines()
        for name in ("careful", "fluent", "ref")
    }
    frames = {
        name: pl.DataFrame({"sid": range(30), "domain": ["a"] * 15 + ["b"] * 15, "text": text})
        for name, text in lines.items()
    }
    for system in ("careful", "fluent"):
        for (domain,), part in frames[system].partition_by("domain", as_dict=True).items():
            lakes.write(part.drop("domain").to_arrow(), home / "hyp", system=system, domain=domain)
    frames["ref"].write_parquet(home / "ref.parquet")
    counts = pl.concat(
        lengths(frames[name], frames["ref"]).with_columns(system=pl.lit(name), domain=domain)
        for name in ("careful", "fluent")
        for domain in [frames[name]["domain"]]
    )
    return {"hyp": home / "hyp", "ref": home / "ref.parquet"}, counts


@pytest.mark.parametrize("kind", ["parquet", "delta"])
def test_a_function_and_its_measure(texts, tmp_path, kind):
    inputs, counts = texts
    out = tmp_path / "out"
    done = af.lake.apply(lengths, inputs, out, measure=LENGTH, format=kind)
    assert statuses(done) == {"done": 4}
    assert statuses(af.lake.apply(lengths, inputs, out, measure=LENGTH)) == {"skipped": 4}
    for options in ({}, {"by": ["domain"]}, {"bootstrap": 20}):
        wanted = LENGTH.scores(counts, **options)
        assert af.lake.scores(out, **options).select(wanted.columns).equals(wanted)
    wanted = EXCESS.scores(counts)
    assert af.lake.scores(out, measure=EXCESS).select(wanted.columns).equals(wanted)
    assert af.lake.status(out).units["rows"].to_list() == [15] * 4


def test_rows_that_are_not_counts(texts, tmp_path):
    def words(hyp):
        return hyp.lazy().select("sid", "domain", words=pl.col("text").str.split(" "))

    done = af.lake.apply(words, {"hyp": texts[0]["hyp"]}, tmp_path / "out")
    assert statuses(done) == {"done": 4}
    found = pl.DataFrame(pl.from_arrow(af.lake.open(tmp_path / "out").reader().read_all()))
    assert found["words"].dtype == pl.List(pl.String)
    assert found.group_by("system", "domain").len()["len"].to_list() == [15] * 4
    with pytest.raises(InputError, match="counts"):
        af.lake.scores(tmp_path / "out")


def test_formulas_are_passed_to_scores(texts, tmp_path):
    af.lake.apply(lengths, texts[0], tmp_path / "out", measure=EXCESS)
    with pytest.raises(InputError, match="pass the measure"):
        af.lake.scores(tmp_path / "out")
    found = af.lake.scores(tmp_path / "out", measure=EXCESS)
    assert found["excess"].is_not_null().all()


def test_another_function_is_another_job(texts, tmp_path):
    def other(hyp):
        return hyp.select("sid")

    spaces = {"__name__": "elsewhere"}
    inputs = {"hyp": texts[0]["hyp"]}
    assert statuses(af.lake.apply(other, inputs, tmp_path / "out")) == {"done": 4}
    for text in ("def other(hyp): return hyp.select('sid')", "def other(hyp): return hyp.tail(3)"):
        exec(text, spaces)
        again = af.lake.apply(spaces["other"], inputs, tmp_path / "out")
        assert set(again.units["why"]) == {"settings changed"}


def test_values_bound_to_a_function_count(texts, tmp_path):
    def first(rows):
        return lambda hyp: hyp.head(rows)

    def last(hyp, rows):
        return hyp.tail(rows)

    class Some:
        def __init__(self, rows):
            self.rows = rows

        def __call__(self, hyp):
            return hyp.head(self.rows)

    inputs = {"hyp": texts[0]["hyp"] / "system=careful" / "domain=a"}
    for at, made in enumerate((first, lambda rows: partial(last, rows=rows), Some)):
        for rows, status in ((2, "done"), (2, "skipped"), (3, "done")):
            done = af.lake.apply(made(rows), inputs, tmp_path / str(at))
            assert done.units["status"].to_list() == [status], (at, rows)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda hyp, ref: hyp.select("none"), "ColumnNotFound.*none"),
        (lambda hyp, ref: hyp.lazy().select("none"), "ColumnNotFound.*none"),
        (lambda hyp, ref: 7, "type int"),
        (lambda hyp, ref: hyp, "n_hyp"),
        (lambda hyp, ref: lengths(hyp, ref).with_columns(n=pl.lit(None)), "n of type Null"),
    ],
)
def test_errors_of_a_function(function, said, texts, tmp_path):
    done = af.lake.apply(function, texts[0], tmp_path / "out", measure=LENGTH)
    assert statuses(done) == {"failed": 4}
    assert done.units["error"].str.contains(said).all()


def test_inputs_are_those_of_the_function(texts, tmp_path):
    for inputs in ({"hyp": texts[0]["hyp"]}, texts[0] | {"other": texts[0]["hyp"]}, {}):
        with pytest.raises(InputError, match="parameter"):
            af.lake.apply(lengths, inputs, tmp_path / "out")
    text = tmp_path / "a.txt"
    with pytest.raises(InputError, match="no such file"):
        af.lake.apply(lengths, {"hyp": text, "ref": text}, tmp_path / "out")
    text.write_text("a b\n")
    with pytest.raises(InputError, match="the input hyp is not Parquet"):
        af.lake.apply(lengths, {"hyp": text, "ref": text}, tmp_path / "out")
    with pytest.raises(InputError, match="function"):
        af.lake.apply("lengths", texts[0], tmp_path / "out")


def test_a_system_column_of_other_names_is_not_a_key(texts, tmp_path):
    """References may have their own system name, as converted gold does."""
    ref = pl.read_parquet(texts[0]["ref"])
    for name in ("reference", "careful"):
        ref.with_columns(system=pl.lit(name)).write_parquet(tmp_path / "ref.parquet")
        inputs = texts[0] | {"ref": tmp_path / "ref.parquet"}
        done = af.lake.apply(lengths, inputs, tmp_path / name, measure=LENGTH)
        assert done.units["rows"].to_list() == [15] * 4, name
    ref.filter(pl.col("domain") == "a").write_parquet(tmp_path / "ref.parquet")
    done = af.lake.apply(lengths, inputs, tmp_path / "some", measure=LENGTH)
    assert statuses(done) == {"done": 2, "failed": 2}
    assert "ref has nothing for domain=b" in done.units.filter(status="failed")["error"][0]


def test_a_unit_with_damaged_pages_fails_by_name(texts, tmp_path):
    shutil.copytree(texts[0]["hyp"], tmp_path / "hyp")
    path = min((tmp_path / "hyp").rglob("*.parquet"))
    data = bytearray(path.read_bytes())
    data[20:100] = bytes(80)
    path.write_bytes(data)
    done = af.lake.apply(lambda hyp: hyp, {"hyp": tmp_path / "hyp"}, tmp_path / "out")
    assert f"{path}: the Parquet file is damaged" in done.units.filter(status="failed")["error"][0]


def test_measures_of_missing_counts(texts, tmp_path):
    af.lake.apply(lengths, texts[0], tmp_path / "out", measure=LENGTH)
    other = Measure("other", ("n_none",), (Ratio("other", "n_none", "n_none"),))
    with pytest.raises(InputError, match="n_none"):
        af.lake.scores(tmp_path / "out", measure=other)
    none = af.lake.apply(
        lambda hyp, ref: lengths(hyp, ref).head(0), texts[0], tmp_path / "no", measure=LENGTH
    )
    assert none.failed == 0
    with pytest.raises(InputError, match="no counts"):
        af.lake.scores(tmp_path / "no", bootstrap=10)


def test_counts_need_a_system(texts, tmp_path):
    inputs = {"hyp": texts[0]["ref"], "ref": texts[0]["ref"]}
    done = af.lake.apply(lengths, inputs, tmp_path / "out", measure=LENGTH)
    assert "system" in done.units["error"][0]


def test_by_name_in_the_shell(texts, tmp_path, monkeypatch):
    (tmp_path / "own_lengths.py").write_text(SHELL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    places = [f"{name}={place}" for name, place in texts[0].items()]
    words = ("lake", "apply", "own_lengths:count", *places, "-o", "out")
    _, said = run(*words, "--measure", "own_lengths:length")
    assert "4 done" in said
    found = json_of(run("lake", "scores", "out", "--json")[0])
    wanted = LENGTH.scores(texts[1]).select("system", "ratio").rows()
    assert [(one["system"], one["ratio"]) for one in found] == wanted
    named = run("lake", "scores", "out", "--measure", "own_lengths:length", "--json")[0]
    assert json_of(named) == found
    for bad, said in (
        ("own_lengths", "MODULE:NAME"),
        ("own_lengths:none", "no 'none'"),
        ("nowhere:count", "nowhere"),
    ):
        assert said in run("lake", "apply", bad, *places, "-o", "out", code=2)[1]
    assert "Measure" in run("lake", "scores", "out", "--measure", "own_lengths:count", code=2)[1]
    assert "NAME=PLACE" in run("lake", "apply", "own_lengths:count", "hyp", "-o", "o", code=2)[1]


WAITS = """
import time
from pathlib import Path

import polars as pl

def count(hyp):
    if Path("first").exists() and not Path("again").exists():
        print("waiting", flush=True)
        time.sleep(3600)
    Path("first").touch()
    return pl.DataFrame({"sid": [0], "n": [1]})
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of a terminal")
def test_a_run_that_a_signal_ends_within_a_unit_is_stopped_and_goes_on(texts, tmp_path):
    """The thread of the unit does not hear it, so that the process is ended."""
    (tmp_path / "waits.py").write_text(WAITS)
    words = ("lake", "apply", "waits:count", f"hyp={texts[0]['hyp']}", "-o", "out")
    command = [sys.executable, "-m", "alignframe", *words, "--threads", "1"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, cwd=tmp_path) as running:
        assert running.stdout.readline() == "waiting\n"
        running.send_signal(signal.SIGTERM)
        _, said = running.communicate()
    assert running.returncode == 128 + signal.SIGTERM
    told = "1 of 4 units done, and kept in out: run the same again to go on\nstopped by SIGTERM\n"
    assert said.endswith(told)
    (tmp_path / "again").touch()
    subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
    past = af.lake.runs(tmp_path / "out").select("status", "done", "skipped")
    assert past.rows() == [("stopped", 1, 0), ("done", 3, 1)]
