"""Quality over runs of a lake job, against scores after each run and simple references."""

import json
import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import duckdb
import numpy as np
import polars as pl
import pytest
from helpers import lake as lakes
from helpers.cli import run

import alignframe as af
from alignframe.errors import DataWarning, InputError
from alignframe.stats.link_measure import links_measure
from alignframe.stores import output
from alignframe.stores.footers import footer

BOOTSTRAP = 200


def counts_of(out):
    return pl.DataFrame(pl.from_arrow(af.lake.open(out).reader().read_all()))


def seen(out):
    """Return the current scores of a place, and its counts."""
    options = {"bootstrap": BOOTSTRAP}
    return SimpleNamespace(
        by_domain=af.lake.scores(out, by="domain", **options),
        whole=af.lake.scores(out, **options),
        counts=counts_of(out),
    )


@pytest.fixture(scope="module", params=["parquet", "delta"])
def past(request, tmp_path_factory):
    """A place after four runs that changed it, one of them its gold, and the scores after each."""
    if request.param == "delta":
        pytest.importorskip("deltalake")
    home = tmp_path_factory.mktemp("past")
    hyp, gold = lakes.plain_lake(home)
    out = home / "counts"

    def score():
        af.lake.score(hyp, gold, out, format=request.param)
        return seen(out)

    moments = [score()]
    lakes.write(lakes.sentences(55, first=1000), hyp, system="giza", domain="news")
    moments.append(score())
    af.lake.score(hyp, gold, out)  # no change
    lakes.write(lakes.sentences(66, gold=True, first=2000), gold, domain="talks")
    moments.append(score())
    lakes.write(lakes.sentences(77, first=2000), hyp, system="giza", domain="talks")
    lakes.write(lakes.sentences(78, first=0), hyp, system="hmm", domain="law")
    moments.append(score())
    return SimpleNamespace(out=out, moments=moments, hyp=hyp, gold=gold)


@pytest.fixture(scope="module")
def found(past):
    return af.lake.history(past.out, bootstrap=BOOTSTRAP)


def rows_of(frame, **keys):
    for name, value in keys.items():
        frame = frame.filter(pl.col(name).eq_missing(value))
    return frame.rows(named=True)


def test_scores_equal_those_of_the_lake_after_each_run(past, found):
    assert found.runs.height == len(past.moments)
    for name, moment in zip(found.runs["run"], past.moments, strict=True):
        for frame in (moment.by_domain, moment.whole):
            for row in frame.rows(named=True):
                (own,) = rows_of(
                    found.scores,
                    run=name,
                    corpus=row.get("domain"),
                    system=row["system"],
                    measure="aer",
                )
                assert own["sentences"] == row["sentences"]
                for end in ("", "_low", "_high"):
                    assert own[f"value{end}"] == row[f"aer{end}"]


def test_tests_equal_those_of_two_systems(past, found):
    run, before = found.runs["run"][1], found.runs["run"][0]
    parts = [
        one.counts.filter(system="giza", domain="news").with_columns(system=pl.lit(name))
        for one, name in zip(past.moments, ("before", "now"), strict=False)
    ]
    expected = links_measure((0.5,)).compare(
        pl.concat(parts), baseline="before", bootstrap=BOOTSTRAP
    )
    for row in expected.rows(named=True):
        (own,) = rows_of(found.tests, run=run, corpus="news", system="giza", measure=row["measure"])
        assert own["baseline_run"] == before
        names = ("value", "baseline_value", "difference", "difference_low", "p_value")
        assert [own[name] for name in names] == [row[name] for name in names]


def test_p_values_of_a_run_and_measure_are_corrected_together(found):
    last = found.runs["run"][-1]
    rows = rows_of(found.tests, run=last, measure="aer")
    made = [row for row in rows if row["p_value"] is not None]
    # Two corpora changed, each for one system, and so did all corpora together.
    assert sorted((row["corpus"] or "", row["system"]) for row in made) == [
        ("", "giza"),
        ("", "hmm"),
        ("law", "hmm"),
        ("talks", "giza"),
    ]
    for row in made:
        assert row["p_value"] <= row["p_corrected"] <= min(1, 4 * row["p_value"] + 0.03)
    others = {row["verdict"] for row in rows if row["p_value"] is None}
    assert others == {"unchanged"}
    assert "correction:max-t" in found.signature
    for row in made:
        real = row["p_corrected"] < 0.05
        good = row["difference"] < 0  # of AER
        assert row["verdict"] == ("not significant" if not real else "better" if good else "worse")


def test_a_test_that_cannot_be_significant_says_so(past):
    """The lowest p-value depends on how many resamples and sentences there are, not tests."""
    made = ["better", "worse", "not significant", "too few resamples"]
    for resamples, possible in ((18, set(made[3:])), (999, {"worse", "better", "not significant"})):
        verdicts = af.lake.history(past.out, bootstrap=resamples).tests["verdict"]
        found = set(verdicts.filter(verdicts.is_in(made)))
        assert found
        assert found <= possible


def test_changed_gold_ends_a_segment_and_is_not_tested(found):
    third = found.runs["run"][2]
    (row,) = rows_of(found.tests, run=third, corpus="talks", system="hmm", measure="aer")
    assert row["verdict"] == "not comparable: gold changed"
    assert (row["p_value"], row["difference"]) == (None, None)
    assert row["value"] != row["baseline_value"]
    for corpus, segments in (("talks", [0, 0, 1, 1]), ("news", [0, 0, 0, 0]), (None, [0, 0, 1, 1])):
        rows = rows_of(found.scores, corpus=corpus, system="hmm", measure="aer")
        assert [row["segment"] for row in rows] == segments


def test_sentences_that_changed_most_equal_those_of_sentence_scores(past, found):
    now, then = (
        links_measure((0.5,)).scores(one.counts, by=["domain", "sid"])
        for one in (past.moments[-1], past.moments[-2])
    )
    both = now.join(then, on=["domain", "sid", "system"], suffix="_before").with_columns(
        difference=pl.col("aer") - pl.col("aer_before")
    )
    size = pl.max_horizontal("n_hyp", "n_sure", "n_possible")
    sizes = (
        pl.concat([one.counts for one in past.moments])
        .group_by("domain", "sid")
        .agg(size=size.max())
    )
    expected = (
        both.join(sizes, on=["domain", "sid"])
        .filter(pl.col("difference") != 0, system="giza", domain="talks")
        .sort((pl.col("difference") * pl.col("size")).abs(), "sid", descending=[True, False])
    )
    own = found.sentences.filter(corpus="talks", system="giza", measure="aer")
    assert own["unit"].to_list() == expected["sid"].to_list()
    assert own["difference"].to_list() == pytest.approx(expected["difference"].to_list(), abs=1e-6)
    assert own["size"].to_list() == expected["size"].to_list()


def test_baselines_by_name(past, found):
    first = found.runs["run"][0]
    options = {"bootstrap": BOOTSTRAP}
    against = af.lake.history(past.out, baseline="hmm", **options)
    assert set(against.tests["system"]) == {"giza"}
    assert against.tests["baseline_run"].to_list() == against.tests["run"].to_list()
    expected = links_measure((0.5,)).compare(
        past.moments[3].counts.filter(domain="law"), baseline="hmm", **options
    )
    (own,) = rows_of(against.tests, run=found.runs["run"][3], corpus="law", measure="aer")
    assert own["p_value"] == expected.filter(measure="aer")["p_value"][0]
    fixed = af.lake.history(past.out, baseline=first, bootstrap=0)
    assert set(fixed.tests["baseline_run"]) == {first}
    assert first not in set(fixed.tests["run"])
    assert set(fixed.tests["verdict"]) <= {
        "unchanged",
        "not tested",
        "not comparable: gold changed",
    }
    with pytest.raises(InputError, match="baseline"):
        af.lake.history(past.out, baseline="hm", bootstrap=0)


def test_rewritten_links_are_unchanged(tmp_path):
    hyp, gold = lakes.plain_lake(tmp_path)
    out = tmp_path / "counts"
    af.lake.score(hyp, gold, out)
    lakes.write(lakes.sentences(1, first=1000), hyp, system="giza", domain="news")
    lakes.write(lakes.sentences(0), hyp, system="giza", domain="law")
    os.utime(hyp / "system=giza" / "domain=law" / "part-0.parquet", (1e9, 1e9))
    assert dict(af.lake.score(hyp, gold, out).units["status"].value_counts().rows())["done"] == 2
    # All counts are equal to those before, so the run has not changed any.
    assert af.lake.history(out, bootstrap=0).runs.height == 1
    lakes.write(lakes.sentences(7, first=1000), hyp, system="giza", domain="news")
    os.utime(hyp / "system=giza" / "domain=law" / "part-0.parquet", (2e9, 2e9))
    assert dict(af.lake.score(hyp, gold, out).units["status"].value_counts().rows())["done"] == 2
    found = af.lake.history(out, bootstrap=50)
    assert found.runs.height == 2
    verdicts = {row["verdict"] for row in rows_of(found.tests, corpus="law")}
    assert verdicts == {"unchanged"}


def test_runs_without_their_counts_are_left_out(tmp_path):
    hyp, gold = lakes.plain_lake(tmp_path)
    out = tmp_path / "counts"
    af.lake.score(hyp, gold, out)
    lakes.write(lakes.sentences(55, first=1000), hyp, system="giza", domain="news")
    af.lake.score(hyp, gold, out)
    (kept,) = (path for path in (out / "_alignframe" / "past").rglob("*") if path.is_file())
    live = af.lake.scores(out, by=["domain", "sid"]).height
    pattern = str(out / "**" / "*.parquet")
    assert pl.read_parquet(pattern).height == duckdb.read_parquet(pattern).shape[0] == live
    assert af.lake.history(out, bootstrap=0).runs.height == 2
    # Earlier versions called it .parquet: it is still read, no pattern of ours finds it, and the
    # next run renames it.
    former = kept.rename(kept.with_suffix(".parquet"))
    assert af.lake.history(out, bootstrap=0).runs.height == 2
    assert af.lake.open(pattern).version == af.lake.open(out).version
    with af.connect() as con, pytest.raises(duckdb.Error, match="replaced or hidden files"):
        con.execute(f"from scores('{pattern}', by := 'domain')").fetchall()
    af.lake.score(hyp, gold, out)
    assert kept.is_file()
    assert not former.is_file()
    with af.connect() as con:
        assert con.execute(f"select sum(sentences) from scores('{pattern}')").fetchall() == [
            (live,)
        ]
    shutil.rmtree(out / "_alignframe" / "past")
    with pytest.warns(DataWarning, match="1 run of 3"):
        left = af.lake.history(out, bootstrap=0)
    assert left.runs.height == 1
    # Records of older versions do not say what the inputs were; the current ones are shown.
    for path in (out / "_alignframe" / "runs").iterdir():
        record = json.loads(path.read_text("utf-8"))
        record.pop("state")
        path.write_text(json.dumps(record), "utf-8")
    again = af.lake.history(out, bootstrap=0)
    assert again.scores.drop("run").equals(left.scores.drop("run"))


def test_changed_settings_change_the_signature(tmp_path):
    hyp, gold = lakes.plain_lake(tmp_path)
    out = tmp_path / "counts"
    af.lake.score(hyp, gold, out)
    af.lake.score(hyp, gold, out, possible_as_sure=True)
    found = af.lake.history(out, bootstrap=0)
    verdicts = set(found.tests["verdict"])
    assert verdicts == {"not comparable: signature changed"}


def test_a_history_of_some_systems_and_measures(past, found, tmp_path):
    """Those asked for, with p-values corrected over all; printed if changed."""
    whole = found.tests.filter(system="giza", measure="aer")
    some = af.lake.history(past.out, bootstrap=BOOTSTRAP, system="giza", measure=["aer"])
    assert some.tests.equals(whole)
    assert some.scores.equals(found.scores.filter(system="giza", measure="aer"))
    assert {*some.sentences["system"]} <= {"giza"}
    assert some.changes.equals(
        whole.filter(~pl.col("verdict").is_in(["unchanged", "not significant"]))
    )
    assert 0 < some.changes.height < whole.height
    for name in ("system", "measure"):
        with pytest.raises(InputError, match=f"unknown `{name}` 'hm'"):
            af.lake.history(past.out, bootstrap=0, **{name: "hm"})
    for make in (af.lake.history, af.report.lake_report):
        with pytest.raises(InputError, match=r"^`top` is -1; expected a whole number from 0$"):
            make(past.out, bootstrap=0, top=-1)
    with pytest.raises(InputError, match=r"^`recent` is 0; expected a whole number from 1$"):
        af.report.lake_report(past.out, bootstrap=0, recent=0)
    words = ("lake", "history", past.out, "--system", "giza", "--measure", "aer")
    words = (*words, "--bootstrap", BOOTSTRAP)
    for more, shown in (((), some.changes), (("--all",), whole)):
        printed, _ = run(*words, *more)
        assert printed.count("giza") == shown.height
    run(*words, "-o", tmp_path / "tests.parquet")
    assert pl.read_parquet(tmp_path / "tests.parquet").equals(whole)
    run(*words, "-o", tmp_path / "tables")
    assert len(list(Path(tmp_path, "tables").iterdir())) == 4
    out, _ = run(*words, "--json")
    assert len(json.loads(out)["tables"]["tests"]) == whole.height


def translations(folder, seed):
    """Write translations of the bundled story; return their place and that of the reference."""
    lines = {
        name: Path(lakes.ISLAND, f"{name}.en").read_text("utf-8").splitlines()
        for name in ("ref", "careful")
    }
    draw = np.random.default_rng(seed)
    hyp = [" ".join(w for w in line.split() if draw.random() < 0.9) for line in lines["careful"]]
    for name, texts in (("hyp/system=a", hyp), ("ref", lines["ref"])):
        place = Path(folder, name)
        place.mkdir(parents=True, exist_ok=True)
        pl.DataFrame({"sid": range(len(texts)), "text": texts}).write_parquet(place / "p.parquet")
    return Path(folder, "hyp"), Path(folder, "ref")


@pytest.mark.parametrize("metric", ["bleu", "chrf"])
def test_translations_have_scores_of_sentences(tmp_path, metric):
    pytest.importorskip("sacrebleu")
    out = tmp_path / "counts"
    for seed in (1, 2):
        hyp, ref = translations(tmp_path, seed)
        os.utime(
            Path(ref, "p.parquet"), (1e9, 1e9)
        )  # the references are the same, according to their time
        af.lake.tesla(hyp, ref, out, metric=metric)
    found = af.lake.history(out, bootstrap=50, top=100)
    assert found.scores["corpus"].unique().to_list() == [None]
    now = pl.read_parquet(hyp / "system=a" / "p.parquet").select("sid", "text")
    scored = af.mt.score({"a": now}, pl.read_parquet(ref / "p.parquet"), metrics=[metric]).segments
    own = found.sentences.filter(measure=metric)
    assert own.height > 20
    expected = dict(scored.select("sid", metric).rows())
    for row in own.rows(named=True):
        assert row["value"] == pytest.approx(expected[row["unit"]], abs=1e-4)


@pytest.mark.filterwarnings("ignore:.* end with different sentences:alignframe.errors.DataWarning")
def test_documents_are_the_units_of_beads(tmp_path):
    beads = {"src_start": [0, 1], "src_end": [1, 2], "tgt_start": [0, 1], "tgt_end": [1, 2]}
    for doc, other in (("x", 2), ("y", 3)):
        for side, last in (("hyp/system=a", other), ("gold", 2)):
            place = tmp_path / side / f"doc={doc}"
            place.mkdir(parents=True)
            table = pl.DataFrame({**beads, "tgt_end": [1, last]})
            table.write_parquet(place / "p.parquet")
    out = tmp_path / "counts"
    af.lake.beads(tmp_path / "hyp", tmp_path / "gold", out)
    found = af.lake.history(out, bootstrap=50)
    assert found.scores.filter(measure=found.measure.names[0]).height >= 1
    assert "documents" in found.signature


def test_a_history_reads_the_footer_of_each_file_once(tmp_path, monkeypatch):
    hyp, gold = lakes.plain_lake(tmp_path, domains=("law", "news"))
    out = tmp_path / "counts"
    for seed in (1, 2):  # the counts of the first run are kept beside those of the second
        lakes.write(lakes.sentences(seed), hyp, system="giza", domain="law")
        af.lake.score(hyp, gold, out)
    read = []

    def counted(path, filesystem=None):
        read.append(path)
        return footer(path, filesystem)

    output._local_notes.cache_clear()
    monkeypatch.setattr(output, "footer", counted)
    assert af.lake.history(out, bootstrap=0).runs.height == 2
    assert len(read) == len(set(read)) > 2
