"""Counting jobs: a task and the names of its inputs make one."""

import pickle
import subprocess
import sys
from functools import partial

import polars as pl
import pytest
from helpers import lake as lakes

import alignframe as af
from alignframe.core.choices import LAKE_JOBS
from alignframe.errors import InputError
from alignframe.lake import How
from alignframe.lake.counting import counting
from alignframe.lake.jobs import job_of
from alignframe.lake.work import run
from alignframe.mt.measures import METRICS, Options
from alignframe.mt.scoring import MT
from alignframe.stats.measure import combine_measures


def both(settings):
    own = [METRICS[name](Options()).measure for name in settings["metrics"]]
    return combine_measures(own, ("refs:1", *Options().shared))


BOTH = counting("both", lambda: MT, both, ("hyp", "ref"))


@pytest.mark.parametrize("metrics", [["bleu"], ["bleu", "chrf"]])
def test_a_task_of_sentences_is_a_job_by_its_declaration(metrics, tmp_path):
    lines = {
        name: (lakes.ISLAND / f"{name}.en").read_text("utf-8").splitlines()
        for name in ("careful", "fluent", "ref")
    }
    for name, texts in lines.items():
        place = tmp_path / "ref" if name == "ref" else tmp_path / "hyp" / f"system={name}"
        place.mkdir(parents=True)
        frame = pl.DataFrame({"sid": range(len(texts)), "text": texts})
        frame.write_parquet(place / "texts.parquet", row_group_size=7)
    places = {"hyp": tmp_path / "hyp", "ref": tmp_path / "ref"}
    settings = {"metrics": metrics}
    done = run(BOTH, places, tmp_path / "out", settings, How())
    assert done.units["status"].to_list() == ["done", "done"]
    counts = pl.read_parquet(tmp_path / "out/**/*.parquet", hive_partitioning=True)
    systems = {name: lines[name] for name in ("careful", "fluent")}
    wanted = af.mt.score(systems, lines["ref"], metrics=metrics).scores
    assert both(settings).scores(counts).equals(wanted.drop("sentences"))
    assert done.signature == wanted["signature"][0]


def test_counting_jobs_resample_what_their_tasks_count():
    jobs = [job for job in map(job_of, LAKE_JOBS) if isinstance(job.rows, partial)]
    assert {"beads", "score"} <= {job.name for job in jobs}
    for job in jobs:
        task_of, *_ = job.rows.args
        assert task_of().unit == job.resampled


@pytest.mark.parametrize("name", LAKE_JOBS)
def test_a_job_can_be_sent_to_another_process(name):
    assert pickle.loads(pickle.dumps(job_of(name))).name == name


def test_null_links_of_sentences_that_a_system_lacks(bundled, tmp_path):
    text = af.formats.read_bitext(bundled / "text.en", bundled / "text.fr")
    with_nulls = {
        name: af.links.add_null_links(af.formats.read(bundled / f"{name}.talp"), text).frame
        for name in ("eager", "gold")
    }
    some = with_nulls["eager"].slice(0, 60)
    (tmp_path / "hyp" / "system=eager").mkdir(parents=True)
    af.formats.write(some, tmp_path / "hyp/system=eager/links.parquet")
    af.formats.write(with_nulls["gold"], tmp_path / "gold.parquet")
    places = tmp_path / "hyp", tmp_path / "gold.parquet"
    # Their null links are not known without the text, from whichever road they are asked.
    with pytest.raises(InputError, match="null links are unknown") as told:
        af.links.score(*places).scores
    done = af.lake.score(*places, tmp_path / "out")
    assert done.units["error"].to_list() == [str(told.value)]


def test_skipping_and_scoring_units_import_no_kernels(tmp_path):
    hyp, gold = lakes.plain_lake(tmp_path, systems=("giza",), domains=("law",))
    places = str(hyp), str(gold), str(tmp_path / "out")
    af.lake.score(*places)
    script = (
        "import sys; from alignframe import lake;"
        f"print(lake.score(*{places!r}).units['status'].to_list());"
        f"lake.scores({places[2]!r});"
        "from alignframe.lake.scored import scored;"
        f"scored({places[2]!r}).scores;"
        "print(*{'numba', 'duckdb', 'alignframe.beads', 'alignframe.links'} & {*sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "['skipped']\n\n"
