"""``--fail-if-worse``: commands that end with status 1 if a figure is significantly worse."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from helpers.cli import finished
from helpers.lake import plain_lake

ROOT = Path(__file__).parents[2]
LINKED = ROOT / "datasets" / "en-fr"
GOLD = ("--gold", LINKED / "gold.talp")
BOTH = [
    word for name in ("eager", "cautious") for word in ("--hyp", f"{name}={LINKED}/{name}.talp")
]


def ended(*words):
    """Return the exit status of a command, and what it says."""
    done = finished(*words)
    return done.returncode, " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("baseline", "more", "status", "said"),
    [
        ("eager", ["aer"], 1, "worse than eager: cautious, aer by 0.0409"),
        ("eager", ["precision"], 0, ""),  # cautious is better
        ("cautious", ["precision"], 1, "worse than cautious: eager, precision by 0.1310"),
        ("cautious", ["aer"], 0, ""),
        ("eager", ["aer", "--tolerance", "0.05"], 0, ""),
        ("eager", ["recall", "--tolerance", "0.05"], 1, "cautious, recall by 0.2000"),
        ("eager", ["f"], 2, "unknown figure in --fail-if-worse 'f'; expected one of precision"),
        (None, ["aer"], 2, "--fail-if-worse without --baseline; expected the name of a system"),
        ("eager", ["aer", "--tolerance", "-1"], 2, "-1"),
    ],
)
def test_links(baseline, more, status, said):
    given = ["--baseline", baseline] if baseline else []
    found = ended("links", "score", *GOLD, *BOTH, *given, "--fail-if-worse", *more)
    assert found[0] == status
    assert said in found[1]


def test_the_table_is_printed_and_written_before(tmp_path):
    words = ["links", "score", *GOLD, *BOTH, "--baseline", "eager", "--fail-if-worse", "aer"]
    done = finished(*words, "-o", tmp_path / "t.csv", "--json")
    assert done.returncode == 1
    assert '"comparisons"' in done.stdout
    assert pl.read_csv(tmp_path / "t.csv")["system"].unique().to_list() == ["cautious"]
    done = finished(*words, "--format", "markdown")
    assert (done.returncode, done.stdout.count("|") > 20) == (1, True)


def test_no_difference_is_significant_of_few_sentences(tmp_path):
    for name, links in (("gold", "0-0 1-1"), ("a", "0-0 1-1"), ("b", "0-0")):
        (tmp_path / f"{name}.talp").write_text(f"{links}\n" * 3)
    words = ["--gold", tmp_path / "gold.talp", "--hyp", f"a={tmp_path}/a.talp"]
    words += ["--hyp", f"b={tmp_path}/b.talp", "--baseline", "a", "--fail-if-worse", "aer"]
    assert ended("links", "score", *words)[0] == 0


def test_lexicons(tmp_path):
    words = [f"w{k}" for k in range(40)]
    pl.DataFrame({"src": [[w] for w in words], "tgt": [[w] for w in words]}).write_parquet(
        tmp_path / "text.parquet"
    )
    for name, tgt in (("good", words), ("poor", words[:5] + ["none"] * 35)):
        table = pl.DataFrame({"src": words, "tgt": tgt, "rank": [1] * 40})
        table.write_parquet(tmp_path / f"{name}.parquet")
    given = [w for n in ("good", "poor") for w in ("--lexicon", f"{n}={tmp_path}/{n}.parquet")]
    text = ("--src", tmp_path / "text.parquet")
    for baseline, status in (("good", 1), ("poor", 0)):
        words = ["lexicon", "score", *given, *text, "--baseline", baseline]
        done = finished(*words, "--fail-if-worse", "precision")
        assert done.returncode == status, done.stderr


def test_only_the_last_run_of_a_lake_counts(tmp_path):
    hyp, gold = plain_lake(tmp_path, domains=("law",), rows=40)
    out = tmp_path / "counts"
    score = ["lake", "score", hyp, "--gold", gold, "-o", out]
    check = ["lake", "history", out, "--fail-if-worse", "aer"]
    finished(*score)
    assert ended(*check)[0] == 0  # the only run
    (file, *_) = sorted(Path(hyp).rglob("*.parquet"))
    table = pl.read_parquet(file, hive_partitioning=False)
    table.with_columns(pl.col("links").list.head(0)).write_parquet(file)
    finished(*score)
    status, said = ended(*check)
    assert status == 1
    assert "aer by" in said
    finished(*score)  # changes nothing
    done = finished(*check)
    assert (done.returncode, "nothing to fail for" in done.stderr) == (0, True)


def test_a_lake_is_summarized_for_the_page_of_a_job(tmp_path):
    """The last run alone, worst first, against a label or the best run."""
    hyp, gold = plain_lake(tmp_path, domains=("law", "news"), rows=40)
    out = tmp_path / "counts"
    score = ["lake", "score", hyp, "--gold", gold, "-o", out, "--label"]
    check = ["lake", "history", out, "--fail-if-worse", "aer", "--format", "markdown", "--baseline"]
    finished(*score, "main")
    files = sorted(Path(hyp, "system=giza").rglob("*.parquet"))
    kept = [file.read_bytes() for file in files]
    for file, left in zip(files, (0, 0), strict=True):
        table = pl.read_parquet(file, hive_partitioning=False)
        table.with_columns(pl.col("links").list.head(left)).write_parquet(file)
    finished(*score, "pr-1")
    for baseline in ("main", "best", "previous"):
        done = finished(*check, baseline)
        assert done.returncode == 1
        title, *lines = [line for line in done.stdout.splitlines() if line]
        assert title == f"**aer against {baseline}: 3 worse, 0 better, of 6 scores**"
        runs = [line for line in lines if "| pr-1" in line]
        assert len(runs) == 1
        assert "| main" not in done.stdout
        rows = [line.split("|")[1:-1] for line in lines if "| aer " in line]
        assert [row[1].strip() for row in rows] == ["giza"] * 3
        sizes = [float(row[5].split()[0]) for row in rows]
        assert sizes == sorted(sizes, reverse=True)
    for file, content in zip(files, kept, strict=True):
        file.write_bytes(content)
    finished(*score, "pr-2")
    done = finished(*check, "main")
    assert (done.returncode, "0 worse, 0 better, of 6" in done.stdout) == (0, True)
    done = finished(*check, "pr-2")  # no run before has this label
    assert (done.returncode, "as the last run has no baseline" in done.stdout) == (0, True)
    assert finished(*check[:-1], "--baseline", "pr-3").returncode == 2


def workflow(number, home, **env):
    """Run the last step of a workflow of the docs in a folder."""
    text = (ROOT / "docs" / "ci.md").read_text("utf-8")
    yaml = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)[number]
    (step,) = re.findall(r"- run: \|\n(.*?)\n\s+shell: bash", yaml, re.DOTALL)
    shell = f'alignframe() {{ "{sys.executable}" -m alignframe "$@"; }}\n'
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", shell + step],
        cwd=home,
        env=os.environ | {"GITHUB_STEP_SUMMARY": "s.md"} | env,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_the_workflow_of_the_docs(tmp_path):
    """Its last step fails, and its table is in the summary."""
    for name, file in (("gold", "gold"), ("main", "eager"), ("new", "cautious")):
        shutil.copy(LINKED / f"{file}.talp", tmp_path / f"{name}.talp")
    done = workflow(0, tmp_path)
    assert done.returncode == 1
    assert "worse than main: branch, aer by 0.0409" in done.stderr
    assert "| branch" in (tmp_path / "s.md").read_text()


def test_the_workflow_of_lakes_in_the_docs(tmp_path):
    """The first run has no baseline; that of a branch fails against it."""
    hyp, _ = plain_lake(tmp_path / "lake", domains=("law",), rows=40)
    done = workflow(1, tmp_path, BRANCH="main")
    assert done.returncode == 0, done.stderr
    file = next(Path(hyp).rglob("*.parquet"))
    table = pl.read_parquet(file, hive_partitioning=False)
    table.with_columns(pl.col("links").list.head(0)).write_parquet(file)
    done = workflow(1, tmp_path, BRANCH="try-this")
    assert done.returncode == 1
    said = (tmp_path / "s.md").read_text()
    assert "nothing to compare, as the last run has no baseline" in said
    assert "**aer against main: 1 worse, 0 better, of 2 scores**" in said
    assert "| try-this" in said
