"""Comparisons from the counts of a job are those of the links."""

import polars as pl
import pytest
from helpers import lake as lakes
from helpers.cli import json_of, run
from test_lake import output

import alignframe as af
from alignframe.errors import DataWarning, InputError
from alignframe.stats import Measure, Ratio

HOW = {"baseline": "hmm", "bootstrap": 200, "alpha": (0.3, 0.5)}


@pytest.mark.parametrize("kind", ["parquet", "delta", "iceberg"])
def test_comparisons_are_those_of_the_links(kind, tmp_path):
    pytest.importorskip({"delta": "deltalake", "iceberg": "pyiceberg"}.get(kind, "pyarrow"))
    out, how = output(tmp_path, kind)
    af.lake.score(*lakes.plain_lake(tmp_path), out, **how)
    links, gold = lakes.all_links()
    plain = [table.drop(["domain"]) for table in (links, gold)]
    expected = af.links.score(*plain, bootstrap=200, alpha=(0.3, 0.5)).compare("hmm")
    found = af.lake.compare(out, **HOW)
    assert found.drop("signature").equals(expected.select(found.columns).drop("signature"))
    words = ["lake", "scores", out, "--baseline", "hmm", "--bootstrap", "200", "--alpha", "0.3,0.5"]
    printed = json_of(run(*words, "--json")[0])
    assert [row["p_corrected"] for row in printed] == expected["p_corrected"].to_list()


def test_numbers_that_start_over_in_each_domain_are_units_of_their_own(tmp_path):
    hyp, gold = lakes.plain_lake(tmp_path)
    again = lakes.plain_lake(tmp_path / "again")
    for place in again:
        for file in place.rglob("*.parquet"):
            table = pl.read_parquet(file, hive_partitioning=False)
            table.with_columns(pl.col("sid") % 1000).write_parquet(file)
    af.lake.score(hyp, gold, tmp_path / "counts")
    af.lake.score(*again, tmp_path / "restarted", on=["domain", "sid"])
    both = [af.lake.compare(tmp_path / name, **HOW) for name in ("counts", "restarted")]
    exact = ["system", "measure", "value", "baseline_value", "difference"]
    assert both[0].select(exact).equals(both[1].select(exact))


def test_systems_are_compared_in_groups_whose_tests_are_corrected_together(tmp_path):
    hyp, gold = lakes.plain_lake(tmp_path, systems=("giza", "hmm", "third"))
    out = tmp_path / "counts"
    af.lake.score(hyp, gold, out)
    found = af.lake.compare(out, by="domain", **HOW)
    assert found.columns[:4] == ["system", "domain", "baseline", "measure"]
    links, golden = lakes.all_links(systems=("giza", "hmm", "third"))
    for (domain,), own in found.group_by("domain"):
        parts = [pl.DataFrame(table).filter(domain=domain) for table in (links, golden)]
        alone = af.links.score(*parts, bootstrap=200, alpha=(0.3, 0.5)).compare("hmm")
        same = ["system", "measure", "value", "difference", "difference_low", "p_value"]
        assert own.select(same).rows() == alone.select(same).rows()
        # Of one family: six tests of a figure, not two.
        assert (own["p_corrected"] >= alone["p_corrected"] - 0.02).all()
    assert "by:domain" in found["signature"][0]
    words = ["lake", "scores", out, "--baseline", "hmm", "--bootstrap", "200", "--alpha", "0.3,0.5"]
    printed = json_of(run(*words, "--by", "domain", "--json")[0])
    assert [row["p_corrected"] for row in printed] == found["p_corrected"].to_list()
    with pytest.raises(InputError, match="unknown column in `by` 'colour'"):
        af.lake.compare(out, by="colour", **HOW)
    with pytest.raises(InputError, match="resamples by sid"):
        af.lake.compare(out, by="sid", **HOW)
    # Groups without the baseline are left out, and units that a system lacks are refused.
    (out / "system=hmm" / "domain=law" / "counts.parquet").unlink()
    with pytest.warns(DataWarning, match="1 group of 3 by domain left out, which has no counts of"):
        left = af.lake.compare(out, by="domain", **HOW)
    assert left["domain"].unique().sort().to_list() == ["news", "talks"]
    counts = pl.read_parquet(out / "system=giza" / "domain=news" / "counts.parquet")
    measure = Measure("all", ("n_hyp",), (Ratio("all", "n_hyp", "n_hyp"),))
    rows = [counts.with_columns(system=pl.lit(name), domain=pl.lit("law")) for name in "ab"]
    table = pl.concat([rows[0], rows[1].head(5)])
    with pytest.raises(InputError, match=r"'b' has 5 of 12 units \(sid\) of domain law"):
        measure.compare(table, baseline="a", by="domain")


def test_what_cannot_be_compared_is_refused(tmp_path):
    hyp, gold = lakes.plain_lake(tmp_path)
    out = tmp_path / "counts"
    af.lake.score(hyp, gold, out)
    with pytest.raises(InputError, match="unknown `baseline` 'nope'"):
        af.lake.compare(out, baseline="nope")
    with pytest.raises(InputError, match="give `measure`"):
        af.lake.compare(next(gold.rglob("*.parquet")), baseline="hmm")
    other = Measure("other", ("n_hyp",), (Ratio("all", "n_hyp", "n_hyp"),))
    own = af.lake.compare(out, baseline="hmm", measure=other, bootstrap=50)
    assert own["measure"].to_list() == ["all"]
    (out / "system=giza" / "domain=law" / "counts.parquet").unlink()
    with pytest.raises(InputError, match="'giza' has 24 of 36 units"):
        af.lake.compare(out, baseline="hmm")
