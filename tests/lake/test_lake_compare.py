"""Comparisons from the counts of a job are those of the links."""

import polars as pl
import pytest
from helpers import lake as lakes
from helpers.cli import json_of, run
from test_lake import output

import alignframe as af
from alignframe.errors import InputError
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
