"""The first lines of a dashboard say which run it shows, whatever the records of runs are like."""

import os
import re

import polars as pl
import pyarrow as pa
import pytest
from helpers import lake as lakes
from helpers.cli import run

import alignframe as af
from alignframe.errors import DataWarning
from alignframe.report import lake_report

NUM = r"-?[0-9]+\.[0-9]+"
DATE = r"20\d\d-\d\d-\d\d \d\d:\d\d"


@pytest.fixture
def scored(tmp_path):
    """Two systems, of which three runs changed one, and a function for further runs."""
    hyp, out = tmp_path / "hyp", tmp_path / "counts"
    gold = lakes.write(lakes.sentences(9, gold=True), tmp_path / "gold")

    def score(seed, system="b"):
        file = lakes.write(lakes.sentences(seed), hyp, system=system)
        # Another time even where the clock is coarse.
        os.utime(file, (1e9 + len(list(records(out))),) * 2)
        return af.lake.score(hyp, gold, out)

    score(0, "a")
    for seed in (1, 2):
        score(seed)
    return out, score


def records(out):
    return sorted((out / "_alignframe" / "runs").glob("*.json"))


def cut(file):
    file.write_bytes(file.read_bytes()[:100])


def seen(out):
    """Return the page, its claim of the largest change, and the warnings given."""
    with pytest.warns(DataWarning) as warned:
        page = lake_report(out, bootstrap=0)
    claim = re.search(rf"(\w+) changed most: AER went from ({NUM}) to ({NUM})", page.lead)
    return page, claim and claim.groups(), [str(one.message) for one in warned]


def figures(out, run):
    """Return the AER of b in a run and in the one before, as printed."""
    found = af.lake.history(out, bootstrap=0).scores.filter(system="b", measure="aer")
    places = found["run"].to_list()
    values = found["value"].to_list()
    return tuple(f"{value:.4f}" for value in values[places.index(run) - 1 : places.index(run) + 1])


def test_a_damaged_newest_record_is_named_and_what_it_left_is_shown(scored):
    out, score = scored
    score(3)
    newest = records(out)[-1]
    cut(newest)
    page, claim, warned = seen(out)
    assert len(warned) == 1
    assert page.cautions == warned
    assert f"{newest}: not the record of a run, so left out (not JSON)" in page.html()
    assert page.lead.startswith("No record tells of the run that wrote the output of 20")
    with pytest.warns(DataWarning, match="not JSON"):
        values = figures(out, "unrecorded")
    assert claim == ("b", *values)
    assert "which is shown. In it, AER of 1 system is different (not tested)" in page.lead
    # The last of the history is the output, as it is scored.
    with pytest.warns(DataWarning, match="not JSON"):
        now = af.lake.scores(out).filter(system="b")["aer"].item()
    assert f"{now:.4f}" == values[1]


def test_a_damaged_record_of_a_run_that_did_nothing_is_not_the_last_run(scored):
    out, _ = scored
    af.lake.score(out.parent / "hyp", out.parent / "gold" / "part-0.parquet", out)
    cut(records(out)[-1])
    page, claim, warned = seen(out)
    assert page.cautions == warned
    assert claim is not None
    assert page.lead.startswith("In the last recorded run (20")


def test_without_a_readable_record_the_page_still_has_a_date(scored):
    out, _ = scored
    for file in records(out):
        cut(file)
    page, _, warned = seen(out)
    assert len(warned) == 3
    assert page.cautions == warned
    assert re.match(
        rf"No record tells of the run that wrote the output of {DATE}, which is shown\. In it, "
        "there is nothing to compare the scores with yet",
        page.lead,
    )
    said = " ".join("".join(run("lake", "history", out, "--bootstrap", "0")).split())
    assert re.search(r"unrecorded 20\d\d-\d\d-\d\dT", said)


def test_a_run_that_writes_equal_counts_has_not_changed_them(scored):
    out, score = scored
    last = af.lake.history(out, bootstrap=0).runs["run"][-1]
    again = score(2)
    assert dict(again.units.select("unit", "status").rows())["system=b"] == "done"
    found = af.lake.history(out, bootstrap=0)
    assert found.runs.height == 3
    assert found.runs["run"][-1] == last
    page = lake_report(out, bootstrap=0)
    said = rf"Nothing changed in the last run \({DATE}\): 1 unit was counted again, with the same "
    said += rf"counts\. The last change was on {DATE}: AER of 1 system is different \(not tested\) "
    assert re.match(said + r".* b changed most: AER went from ", page.lead)
    # Sentences whose counts change places have the same sums, and are changed.
    links = lakes.sentences(2)
    order = [1, 0, *range(2, links.num_rows)]
    swapped = links.set_column(1, "links", links["links"].take(order))
    gold = lakes.sentences(9, gold=True)
    same = gold.set_column(1, "links", gold["links"].take([0, 0, *range(2, 12)]))
    for table, place in ((links, "hyp"), (same, "gold")):
        keys = {"system": "b"} if place == "hyp" else {}
        lakes.write(table, out.parent / place, **keys)
    inputs = out.parent / "hyp", out.parent / "gold" / "part-0.parquet", out
    af.lake.score(*inputs)
    before = af.lake.scores(out).filter(system="b")["aer"].item()
    runs = af.lake.history(out, bootstrap=0).runs.height
    lakes.write(swapped, out.parent / "hyp", system="b")
    af.lake.score(*inputs)
    assert af.lake.scores(out).filter(system="b")["aer"].item() == before
    found = af.lake.history(out, bootstrap=0)
    assert found.runs.height == runs + 1
    moved = found.sentences.filter(pl.col("measure") == "aer", system="b")
    assert sorted(moved["unit"].to_list()) == [0, 1]


def test_a_change_of_an_old_corpus_is_said_beside_a_new_corpus(tmp_path):
    score = growing(tmp_path, "version")
    score(("a", "one", 1), ("b", "one", 2))
    score(("a", "two", 3), ("b", "two", 4))
    score(("a", "three", 5), ("b", "three", 6), ("b", "one", 7))
    out = tmp_path / "counts"
    page = lake_report(out, bootstrap=0)
    changed = af.lake.history(out, bootstrap=0).tests.filter(measure="aer")
    last = changed.filter(run=changed["run"][-1]).filter(pl.col("difference") != 0)
    (row,) = last.filter(pl.col("corpus").is_not_null()).iter_rows(named=True)
    assert (row["system"], row["corpus"]) == ("b", "one")
    said = f"b changed most on one: AER went from {row['baseline_value']:.4f}"
    assert said in page.lead


def test_a_system_that_is_worse_here_and_better_there_is_both(tmp_path):
    gold = lakes.sentences(9, rows=60, gold=True)
    bare = [[(one["i"], one["j"]) for one in row] for row in gold["links"].to_pylist()]
    right = gold.set_column(1, "links", pa.array(bare, lakes.LINKS))
    links = {True: right, False: lakes.sentences(4, rows=60)}

    def lead(good):
        """Score systems that are right on some corpora, and return what the page says."""
        for system, corpora in good.items():
            for domain in ("law", "news", "talks"):
                place = {"system": system, "domain": domain}
                lakes.write(links[domain in corpora], tmp_path / "hyp", **place)
                lakes.write(gold, tmp_path / "gold", domain=domain)
        af.lake.score(tmp_path / "hyp", tmp_path / "gold", tmp_path / "counts")
        page = lake_report(tmp_path / "counts", bootstrap=200)
        return page.lead.partition("AER of ")[2].partition(". ")[0]

    before = "that in the run before"
    lead({"a": ["law"], "b": ["law"], "c": [], "d": ["news"]})
    said = lead({"a": ["news", "talks"], "b": ["law"], "c": [], "d": ["news"]})
    one = f"1 system is significantly worse on law but better on news and talks than {before}"
    assert said == f"{one} and of 3 the same"
    said = lead({"a": ["law"], "b": ["news"], "c": ["law"], "d": []})
    some = "on some corpus"
    assert said == (
        f"2 systems is significantly worse {some} but better on another than {before}, "
        f"of 1 significantly worse {some} and of 1 significantly better {some}"
    )


def test_an_earlier_date_that_was_counted_again_is_said(tmp_path):
    score = growing(tmp_path, "dt")
    score(("a", "1", 1), ("b", "1", 2))
    score(("a", "2", 3), ("b", "2", 4))
    out = tmp_path / "counts"
    assert "of earlier dates again" not in lake_report(out, bootstrap=0).set_up
    score(("a", "3", 5), ("b", "3", 6), ("b", "1", 7))
    said = "The last run has counted 1 unit of earlier dates again: system=b/dt=1."
    assert said in lake_report(out, bootstrap=0).set_up
    assert said in run("lake", "history", out, "--bootstrap", "0").stderr
    score(("a", "3", 8))
    assert "of earlier dates again" not in lake_report(out, bootstrap=0).set_up


def growing(home, key):
    """Return a function that adds links of systems to the partitions of a key, and scores them."""
    gold = lakes.write(lakes.sentences(9, gold=True), home / "gold")

    def score(*parts):
        for system, value, seed in parts:
            file = lakes.write(lakes.sentences(seed), home / "hyp", system=system, **{key: value})
            os.utime(file, (1e9 + seed, 1e9 + seed))
        return af.lake.score(home / "hyp", gold, home / "counts", on=[])

    return score
