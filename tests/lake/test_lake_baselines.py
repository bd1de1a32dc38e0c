"""What runs are compared with: the best before, labels; and what is kept of a run beside them."""

import json
import os
import subprocess

import polars as pl
import pytest
from helpers import lake as lakes
from helpers.cli import run

import alignframe as af
from alignframe.errors import InputError

SEEDS = (3, 1, 2, 1, 5, 0)


@pytest.fixture(scope="module")
def past(tmp_path_factory):
    """Six runs of one system and another that stays; the fifth has other gold."""
    home = tmp_path_factory.mktemp("baselines")
    hyp, out = home / "hyp", home / "counts"
    lakes.write(lakes.sentences(40, 30), hyp, system="still")
    for number, seed in enumerate(SEEDS):
        gold = lakes.write(lakes.sentences(9 if number < 4 else 8, 30, gold=True), home / "gold")
        os.utime(gold, (1e9 + (number > 3),) * 2)
        file = lakes.write(lakes.sentences(seed, 30), hyp, system="moves")
        os.utime(file, (2e9 + number,) * 2)
        label = ["main", "", "main", "pr-7", "", "pr-8"][number]
        af.lake.score(hyp, gold, out, label=label)
    return out


def test_the_best_run_before_is_the_baseline_by_each_measure(past):
    found = af.lake.history(past, baseline="best", bootstrap=100)
    runs = found.runs["run"].to_list()
    assert len(runs) == len(SEEDS)
    assert "|baseline:best|" in found.signature
    seen = 0
    for (measure, corpus), scores in found.scores.group_by("measure", "corpus"):
        lower = measure in found.measure.lower_is_better
        values = scores.filter(system="moves").sort("run")["value"].to_list()
        tests = found.tests.filter(pl.col("corpus").eq_missing(corpus), measure=measure)
        for at, name in enumerate(runs):
            rows = tests.filter(run=name, system="moves").to_dicts()
            # Gold changed before the fifth run, so that nothing before it is comparable.
            earlier = range(4 if at > 3 else 0, at)
            if not at:
                assert rows == []
            elif not earlier:
                assert rows[0]["verdict"] == "not comparable: gold changed"
                assert rows[0]["baseline_run"] == runs[at - 1]
            else:
                best = (min if lower else max)(values[k] for k in earlier)
                assert rows[0]["baseline_value"] == best
                assert rows[0]["baseline_run"] == runs[max(k for k in earlier if values[k] == best)]
                assert rows[0]["difference"] == pytest.approx(values[at] - best)
                seen += 1
    assert seen == 4 * 4
    # A page has the same, whichever run is the best by a measure.
    page = af.report.lake_report(past, baseline="best", bootstrap=0)
    assert "compared with itself in the best run before." in page.set_up


def test_a_label_names_the_last_run_before_that_has_it(past):
    found = af.lake.history(past, baseline="main", bootstrap=0)
    runs = found.runs["run"].to_list()
    assert found.runs["label"].to_list() == ["main", None, "main", "pr-7", None, "pr-8"]
    bases = dict(found.tests.select("run", "baseline_run").unique().rows())
    assert bases == {name: runs[0 if at < 3 else 2] for at, name in enumerate(runs) if at}
    with pytest.raises(InputError, match=r"unknown `baseline` 'mian'.*did you mean 'main'"):
        af.lake.history(past, baseline="mian", bootstrap=0)


@pytest.mark.parametrize("label", ["previous", "best", "two\nlines", "\x1b[31m"])
def test_a_label_is_a_line_of_text_with_no_other_meaning(past, label):
    with pytest.raises(InputError, match=r"`label` is .*; expected a line of text other than prev"):
        af.lake.How(label=label)


def test_a_label_that_is_also_a_system_is_refused_as_a_baseline(tmp_path):
    hyp, gold = lakes.plain_lake(tmp_path, domains=("law",))
    out = tmp_path / "counts"
    af.lake.score(hyp, gold, out)
    # A run that changes no counts leaves its label at the one whose counts it kept.
    af.lake.score(hyp, gold, out, label="giza")
    af.lake.score(hyp, gold, out, label="<i>again</i>")
    assert af.lake.history(out, bootstrap=0).runs["label"].to_list() == ["giza, <i>again</i>"]
    with pytest.raises(InputError, match=r"'giza' is a label and the name of a system.*such as 20"):
        af.lake.history(out, baseline="giza", bootstrap=0)
    assert "<i>again" not in af.report.lake_report(out, bootstrap=0).html()


def test_the_revision_of_the_work_tree_is_kept(tmp_path, monkeypatch):
    hyp, gold = lakes.plain_lake(tmp_path, domains=("law",))
    out, tree = tmp_path / "counts", tmp_path / "tree"
    tree.mkdir()
    monkeypatch.chdir(tree)
    assert af.lake.score(hyp, gold, out).record["revision"] == ""
    git = ("git", "-c", "user.name=x", "-c", "user.email=x@x")
    (tree / "align.sh").write_text("one")
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run([*git, *words], check=True)
    done = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    revision = done.stdout[:12]
    assert af.lake.score(hyp, gold, out).record["revision"] == revision
    (tree / "align.sh").write_text("two")
    lakes.write(lakes.sentences(77), hyp, system="giza", domain="law")
    run("lake", "score", hyp, "--gold", gold, "-o", out, "--label", "nightly 7")
    assert af.lake.history(out, bootstrap=0).runs["revision"].to_list() == [
        None,
        f"{revision}-dirty",
    ]
    assert af.lake.runs(out)["label"].to_list() == ["", "", "nightly 7"]
    for words in (["status"], ["status", "--runs"], ["history", "--bootstrap", 0]):
        said = run("lake", words[0], out, *words[1:]).stdout
        assert f"{revision}-dirty" in said
        assert "nightly 7" in said
    # Records of earlier versions have neither.
    for path in (out / "_alignframe" / "runs").iterdir():
        record = json.loads(path.read_text("utf-8"))
        del record["label"], record["revision"]
        path.write_text(json.dumps(record), "utf-8")
    printed = run("lake", "status", out, "--runs", "--json").stdout
    assert [row["revision"] for row in json.loads(printed)["tables"]["runs"]] == [""] * 3
    assert "revision" not in run("lake", "status", out, "--runs").stdout
