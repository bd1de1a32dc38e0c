"""Links kept by their probabilities, and symmetrized ones with theirs."""

import json

import polars as pl
import pytest
from helpers.cli import run
from helpers.formats import refusal_of
from hypothesis import given
from hypothesis import strategies as st

from alignframe import formats, links
from alignframe.errors import DataWarning, InputError

HYP = ["0-0:0.99 1-1:0.93 1-2:0.4", "0-0:0.95", ""]


def kept(found):
    return [[(k["i"], k["j"]) for k in row] for row in found.links["links"].to_list()]


def test_the_most_links_of_a_precision_are_kept():
    found = links.filter(HYP, precision=0.95)
    assert kept(found) == [[(0, 0), (1, 1)], [(0, 0)], []]
    row = found.systems.row(0, named=True)
    assert (row["links"], row["kept"], row["threshold"]) == (4, 3, 0.93)
    assert row["precision"] == pytest.approx(2.87 / 3)
    assert row["recall"] == pytest.approx(2.87 / 3.27)
    assert found.links["probabilities"].to_list() == [[0.99, 0.93], [0.95], []]
    assert kept(links.filter(HYP, probability=0.94)) == [[(0, 0)], [(0, 0)], []]
    assert links.filter(HYP, precision=0).systems["kept"].item() == 4
    for table in (pl.DataFrame({"sid": [5, 7, 9], "links": HYP}), pl.Series(HYP)):
        assert kept(links.filter(table, precision=0.95)) == kept(found)


SHARES = st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]), min_size=1, max_size=9)


@given(shares=SHARES, precision=st.sampled_from([0.0, 0.2, 0.55, 0.8, 1.0]))
@pytest.mark.filterwarnings("ignore:.*no link is kept")
def test_no_lower_threshold_has_the_precision(shares, precision):
    table = pl.DataFrame({"sid": 0, "i": range(len(shares)), "j": 0, "probability": shares})
    found = links.filter(table, precision=precision).systems.row(0, named=True)
    means = {}
    for least in {*shares}:
        own = [share for share in shares if share >= least]
        means[least] = (sum(own) / len(own), len(own))
    fine = {least: n for least, (mean, n) in means.items() if mean >= precision - 1e-9}
    assert found["kept"] == max(fine.values(), default=0)
    assert found["threshold"] == min(fine, default=None)


def test_systems_have_thresholds_of_their_own():
    table = pl.DataFrame(
        {
            "system": ["a", "a", "b", "b"],
            "sid": [0, 0, 0, 0],
            "i": [0, 1, 0, 1],
            "j": [0, 1, 0, 1],
            "probability": [0.9, 0.8, 0.9, 0.2],
        }
    )
    found = links.filter(table, precision=0.85)
    assert found.systems.select("system", "kept").rows() == [("a", 2), ("b", 1)]
    assert found.curve.group_by("system", maintain_order=True).len()["system"].to_list() == [*"ab"]


def test_a_curve_says_what_each_threshold_keeps():
    curve = links.filter(HYP, probability=0.5).curve
    rows = {round(row["threshold"], 2): row for row in curve.rows(named=True)}
    assert [rows[least]["links"] for least in (0.0, 0.4, 0.41, 0.95, 0.99)] == [4, 4, 3, 2, 1]
    assert rows[0.95]["precision"] == pytest.approx(0.97)
    assert rows[0.95]["recall"] == pytest.approx(1.94 / 3.27)


def test_what_cannot_be_filtered_is_refused():
    assert "neither of `precision` and `probability`" in refusal_of(links.filter, HYP)
    assert "both of" in refusal_of(links.filter, HYP, precision=0.5, probability=0.5)
    assert "`precision` is 95" in refusal_of(links.filter, HYP, precision=95)
    assert "without probabilities" in refusal_of(links.filter, ["0-0"], precision=0.5)
    assert "1 link without a probability" in refusal_of(links.filter, ["0-0:.5 1-1"], precision=0.5)
    odd = pl.DataFrame({"sid": [0], "i": [0], "j": [0], "probability": [1.5]})
    assert "the probability 1.5 of a link" in refusal_of(links.filter, odd, precision=0.5)
    with pytest.warns(
        DataWarning, match="none has an expected precision of 1.0; the highest.* 0.99$"
    ):
        assert kept(links.filter(HYP, precision=1.0)) == [[], [], []]
    close = ["0-0:0.97496"]
    with pytest.warns(DataWarning, match=r"the highest to be had is 0\.9749$"):
        links.filter(close, precision=0.975)
    assert kept(links.filter(close, precision=0.9749)) == kept(links.filter(close, precision=0))
    none = pl.DataFrame({"system": ["x"], "sid": [0], "links": [[]], "probabilities": [[]]})
    none = none.cast(links.filter(HYP, probability=0.0).links.schema)
    with pytest.warns(DataWarning, match="none has an expected precision of 0.5$"):
        links.filter(none, precision=0.5)


@pytest.mark.parametrize("suffix", ["talp", "naacl", "csv", "jsonl", "parquet", "numbered"])
def test_the_shell_writes_what_is_kept(tmp_path, suffix):
    path, out = tmp_path / "x.talp", tmp_path / f"y.{suffix}"
    path.write_text("0-0:0.99 1p1:0.93 1-2:0.4\n0-0:0.95\n")
    said = run("links", "filter", path, "--precision", "0.95", "-o", out)
    assert "x: 3 of 4 links kept, those of a probability from 0.9300 on; 95.7% of" in said.stderr
    found = formats.read(out)
    assert found["probabilities"].to_pylist() == [[0.99, 0.93], [0.95]]
    assert found["links"].to_pylist()[0][1] == {"i": 1, "j": 1, "sure": False}
    shown = json.loads(run("links", "filter", path, "--precision", "0.95", "--json").stdout)
    assert shown["tables"]["systems"][0]["kept"] == 3
    page = tmp_path / "p.html"
    run("links", "filter", path, "--probability", "0.95", "--page", page, "-o", tmp_path / "z.talp")
    assert "What to expect of links" in page.read_text("utf-8")
    assert (tmp_path / "z.talp").read_text() == "0-0:0.99\n0-0:0.95\n"


def test_words_are_kept_where_links_have_them(tmp_path):
    path = tmp_path / "x.moses"
    path.write_text("a b ||| c ||| 0-0:0.75 1-0:0.25\n")
    run("links", "filter", path, "--probability", "0.5", "-o", tmp_path / "y.moses")
    assert (tmp_path / "y.moses").read_text() == "a b ||| c ||| 0-0:0.75\n"


def test_symmetrized_links_have_the_means():
    forward, reverse = ["0-0:.75 1-1:.5 1-2:.25"], ["0-0:.25 1-1:.25 2-1:.5"]
    found = links.symmetrize(forward, reverse, "union-closure")
    pairs = [(k["i"], k["j"]) for k in found["links"][0]]
    means = dict(zip(pairs, found["probabilities"][0], strict=True))
    assert means == {(0, 0): 0.5, (1, 1): 0.375, (1, 2): 0.125, (2, 1): 0.25, (2, 2): None}
    turned = ["0-0:.25 1-1:.25 1-2:.5"]
    again = links.symmetrize(forward, turned, "union-closure", reverse_is="tgt-src")
    assert again.equals(found)
    with pytest.warns(DataWarning, match="the probabilities of the reverse links are left out"):
        plain = links.symmetrize(["0-0 1-1 1-2"], reverse, "union")
    assert "probabilities" not in plain.columns
    with pytest.raises(InputError, match="without probabilities"):
        links.filter(plain, precision=0.5)
