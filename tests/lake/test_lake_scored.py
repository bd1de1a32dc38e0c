"""The shell shows scores of a lake's counts as those of the same links."""

import pytest
from helpers import lake as lakes
from helpers.cli import json_of, run

import alignframe as af
from alignframe.errors import InputError
from alignframe.lake.scored import scored

SYSTEMS = ("forward", "eager", "cautious")


@pytest.fixture(scope="module")
def counted(tmp_path_factory):
    """A folder with links of three systems in a lake, and their counts."""
    home = tmp_path_factory.mktemp("scored")
    af.formats.write(af.formats.read(lakes.BUNDLED / "gold.talp"), home / "gold.parquet")
    for name in SYSTEMS:
        table = af.formats.read(lakes.BUNDLED / f"{name}.talp")
        lakes.write(table.drop(["system"]), home / "hyp", system=name)
    af.lake.score(home / "hyp", home / "gold.parquet", home / "counts")
    return home


@pytest.mark.parametrize("format", ["latex", "markdown"])
@pytest.mark.parametrize("baseline", [[], ["--baseline", "eager"]])
def test_tables_of_papers_are_those_of_the_links(counted, format, baseline):
    options = [*baseline, "--sort", "aer", "--format", format, "--bootstrap", 500]
    words = ["--gold", counted / "gold.parquet", "--hyp", counted / "hyp"]
    lake = run("lake", "scores", counted / "counts", *options).stdout.splitlines()
    links = run("links", "score", *words, *options).stdout.splitlines()

    def rows(lines):
        return [line for line in lines if any(name in line for name in SYSTEMS)]

    assert rows(lake) == rows(links)
    # The caption names the baseline, too.
    assert len(rows(lake)) == 3 + len(baseline) // 2


def test_a_table_of_a_paper_is_written(counted, tmp_path):
    place = counted / "counts"
    printed = run("lake", "scores", place, "--format", "latex", "--bootstrap", 100).stdout
    run("lake", "scores", place, "--bootstrap", 100, "-o", "t.tex", folder=tmp_path)
    assert (tmp_path / "t.tex").read_text().split() == printed.split()


def test_the_best_by_a_figure_comes_first(counted, tmp_path):
    def order(*words):
        return [row["system"] for row in json_of(run("lake", "scores", *words, "--json").stdout)]

    found = af.lake.scores(counted / "counts")
    assert order(counted / "counts") == found["system"].to_list()
    for figure, worst_first in (("aer", True), ("precision", False), ("F(0.5)", False)):
        name = figure.replace("F(", "f_").rstrip(")")
        wanted = found.sort(name, descending=not worst_first)["system"].to_list()
        assert order(counted / "counts", "--sort", figure) == wanted
    said = run("lake", "scores", counted / "counts", "--sort", "colour", code=2).stderr
    assert "unknown figure in --sort 'colour'" in said
    both = ["--baseline", "eager", "--sort", "aer"]
    assert "--baseline with --sort" in run("lake", "scores", counted / "counts", *both, code=2)[1]
    # Of a measure of one's own, errors may be better if lower.
    measure = tmp_path / "own.py"
    measure.write_text(
        "from alignframe.stats import Measure, Ratio\n"
        "wrong = Measure('wrong', ('n_hyp', 'n_sure'), "
        "(Ratio('per_sure', 'n_hyp', 'n_sure', False),))\n"
    )
    words = ["--measure", "own:wrong", "--sort", "per_sure"]
    printed = run("lake", "scores", counted / "counts", *words, "--json", folder=tmp_path).stdout
    shares = [row["per_sure"] for row in json_of(printed)]
    assert shares == sorted(shares)


def test_systems_on_different_rows_have_no_standings(counted, tmp_path):
    hyp, gold = lakes.plain_lake(tmp_path)
    af.lake.score(hyp, gold, tmp_path / "out")
    (tmp_path / "out" / "system=giza" / "domain=law" / "counts.parquet").unlink()
    with pytest.raises(InputError, match="'giza' was counted on 24 rows, others on 36"):
        scored(tmp_path / "out", bootstrap=50).standings()
    assert scored(tmp_path / "out", bootstrap=0).standings().height == 2
