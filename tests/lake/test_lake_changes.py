"""What a run changed, in the dashboard: one table of it, trends, and any two compared."""

import json
import re
import xml.etree.ElementTree as ET
from types import SimpleNamespace

import polars as pl
import pyarrow as pa
import pytest
from helpers import lake as lakes
from helpers.dashboards import chosen, settled, table

import alignframe as af
from alignframe.core.rounding import difference, digits_for, printed, telling
from alignframe.report import lake_report

EVIL = "<b>\"x'&"
SYSTEMS = ("a", "b", "c", EVIL)
CORPORA = ("law", "news")
MARKS = {"better": " ▲", "worse": " ▼"}
LABELS = {"aer": "AER", "precision": "Precision", "recall": "Recall", "f_0.5": "F(α = 0.5)"}


def links_of(seed, gold, right):
    """Return links of which the first sentences are those of gold."""
    rows = lakes.sentences(seed, 40)["links"].to_pylist()
    rows[:right] = [
        [{"i": one["i"], "j": one["j"]} for one in row] for row in gold["links"].to_pylist()
    ][:right]
    return pa.table({"sid": pa.array(range(40), pa.int64()), "links": pa.array(rows, lakes.LINKS)})


@pytest.fixture(scope="module")
def past(tmp_path_factory):
    """Four systems on two corpora: the second run changed one, the last two of them."""
    home = tmp_path_factory.mktemp("changes")
    gold = {name: lakes.sentences(50 + k, 40, gold=True) for k, name in enumerate(CORPORA)}
    for corpus, links in gold.items():
        lakes.write(links, home / "gold", domain=corpus)

    def run(label, changed):
        for (system, corpus), number in changed.items():
            links = links_of(SYSTEMS.index(system), gold[corpus], number)
            lakes.write(links, home / "hyp", system=system, domain=corpus)
        af.lake.score(home / "hyp", home / "gold", home / "counts", label=label)

    run("first", {(system, corpus): 8 for system in SYSTEMS for corpus in CORPORA})
    run("", {("a", "law"): 9})
    run("last one", {("a", "law"): 38, ("a", "news"): 7, ("b", "news"): 9})
    history = af.lake.history(home / "counts", bootstrap=300)
    (path,) = lake_report(home / "counts", bootstrap=300).write(home / "page.html")
    return SimpleNamespace(out=home / "counts", history=history, path=path)


@pytest.fixture
def shown(past, chromium):
    """The page in the browser; errors fail the test."""
    chromium.size(1300)
    chromium.open(past.path)
    settled(chromium, "#")
    yield chromium
    assert chromium.said == []


def moved(history, run, measures):
    """Return the rows of the table of changes: significant ones first, then by size."""
    tests = history.tests.filter(pl.col("measure").is_in(measures), run=run)
    digits = {
        name: digits_for(tests.filter(measure=name)["value"]) for name in dict.fromkeys(measures)
    }
    rows = []
    for row in tests.filter(pl.col("difference") != 0).iter_rows(named=True):
        places = telling(row["value"], row["baseline_value"], digits[row["measure"]])
        figure = [printed(row[name], f".{places}f") for name in ("baseline_value", "value")]
        size = difference(row["value"], row["baseline_value"], places)
        low, high = row["difference_low"], row["difference_high"]
        ends = f"{printed(low, f'.{places}f')}{' to ' if low < 0 else ' – '}"
        p = row["p_corrected"]
        rows.append(
            [
                row["verdict"] not in MARKS,
                -abs(row["difference"]),
                (row["system"], ""),
                (row["corpus"] or "All", ""),
                (LABELS[row["measure"]], ""),
                *((text, "") for text in figure),
                (
                    printed(size, f"+.{places}f") + MARKS.get(row["verdict"], ""),
                    f"{ends}{printed(high, f'.{places}f')}",
                ),
                ("< 0.001" if p < 0.0005 else f"{p:.3f}", ""),
                (row["verdict"], ""),
            ]
        )
    return [row[2:] for row in sorted(rows, key=lambda row: row[:2])]


def rows_of(chromium, place):
    return [[tuple(cell) for cell in row] for row in table(chromium, place)]


def test_all_that_changed_stands_first(past, shown):
    sections = shown.run("[...document.querySelectorAll('main section')].map((one) => one.id)")
    assert sections[:2] == ["moved", "overview"]
    last = past.history.runs["run"][-1]
    expected = moved(past.history, last, ["aer"])
    assert len(expected) == 5  # a on both corpora and overall, b on one and overall
    assert rows_of(shown, "#moved") == expected
    tests = past.history.tests.filter(run=last)
    of = tests.filter(measure="aer")
    worse, better = (of.filter(verdict=kind).height for kind in ("worse", "better"))
    assert better
    said = shown.run("document.getElementById('moved-said').textContent")
    assert said.startswith(f"5 of {of.height} scores by AER in the run of 20")
    assert f": ▼ {worse} significantly worse, ▲ {better} significantly better." in said
    others = tests.filter(pl.col("measure") != "aer")
    count = {kind: others.filter(verdict=kind).height for kind in MARKS}
    assert said.endswith(
        f"By the other measures: ▼ {count['worse']} significantly worse, "
        f"▲ {count['better']} significantly better."
    )
    # What did not change is folded away.
    (folded,) = shown.run(
        "[...document.querySelectorAll('#same details')].map((one) => [one.open,"
        " one.querySelector('summary').textContent,"
        " [...one.querySelectorAll('a')].map((a) => a.textContent)])"
    )
    assert folded == [False, "2 systems did not change", sorted(["c", EVIL])]
    chosen(shown, "measures", "all")
    shown.wait("location.hash.includes('measures=all')")
    settled(shown)
    shown.run("document.getElementById('more-moved').click()")
    rows, expected = rows_of(shown, "#moved"), moved(past.history, last, [*LABELS])
    assert sorted(rows) == sorted(expected)  # some are of one size
    clear = [bool(row[-1][0] in MARKS) for row in rows]
    assert clear == sorted(clear, reverse=True)
    # A row leads to its trend, comparison and sentences.
    shown.run(
        "[...document.querySelectorAll('#moved a')].find((one) => one.getAttribute('aria-label')"
        ".startsWith('b on news: Recall')).click()"
    )
    settled(shown)
    for name, text in (("system", "b"), ("corpus", "news"), ("measure", "Recall")):
        option = f"document.getElementById('{name}').selectedOptions[0].text"
        assert shown.run(option) == text
    assert shown.run("document.getElementById('compare-title').textContent").startswith("b, 20")


def test_the_trend_has_the_scale_of_the_chosen_system(past, shown):
    def spread():
        """Return the share of the plot's height that the chosen line takes."""
        tops = shown.run(
            "document.querySelector('#trend .line.chosen polyline').getAttribute('points')"
            ".split(' ').map((one) => Number(one.split(',')[1]))"
        )
        return (max(tops) - min(tops)) / 240

    shown.open(past.path, "#system=b&corpus=news")
    settled(shown, "#system=b&corpus=news")
    own = spread()
    assert own > 0.6
    assert shown.run("document.querySelectorAll('#trend .line:not(.chosen) circle').length") == 0
    names = "[...document.querySelectorAll('#trend .name')].map((one) => one.firstChild.data)"
    assert "b" in shown.run(names)
    chosen(shown, "scale", "of all")
    shown.wait("location.hash.includes('scale=all')")
    settled(shown)
    assert spread() < own / 3
    assert shown.run(names) == ["a", "b", "c", EVIL] or len(shown.run(names)) == 4
    shown.run("document.getElementById('save-trend').click()")
    saved = ET.fromstring(shown.run("document.querySelector('#trend svg').dataset.saved"))
    style = saved.find("{http://www.w3.org/2000/svg}style").text
    assert "var(" not in style
    assert ".trend .line.chosen polyline" in style
    texts = [one.text for one in saved.iter("{http://www.w3.org/2000/svg}text")]
    assert {"a", "b", "c", EVIL} <= {*texts}


def test_any_two_are_compared(past, shown):
    first, _, last = past.history.runs["run"]
    address = {"with-run": "first", "with": EVIL, "system": "a", "corpus": "law"}
    shown.run(f"location.hash = new URLSearchParams({json.dumps(address)})")
    shown.wait("document.getElementById('compare-said').textContent.includes('not tested')")
    settled(shown)
    scores = past.history.scores.filter(measure="aer")
    rows = rows_of(shown, "#compare")
    assert [row[0][0] for row in rows] == ["All", *CORPORA]
    for corpus, row in zip((None, *CORPORA), rows, strict=True):
        of = scores.filter(pl.col("corpus").eq_missing(corpus))
        then = of.filter(run=first, system=EVIL)["value"].item()
        now = of.filter(run=last, system="a")["value"].item()
        figures = [f"{then:.4f}", f"{now:.4f}", printed(difference(now, then), "+.4f")]
        assert [cell[0] for cell in row[1:4]] == figures
        assert row[4:] == [("", ""), ("not tested", "")]  # no test is made in the page
    # Wins and losses over the sentences of the corpus, and those that differ most.
    said = shown.run("document.querySelector('#histogram .said').textContent")
    found = re.fullmatch(r"AER on law: (\d+) sentences worse, (\d+) better, (\d+) the same\.", said)
    counts = [int(one) for one in found.groups()]
    gold = lakes.sentences(50, 40, gold=True)
    values = []
    for seed, right in ((0, 38), (3, 8)):
        scored = af.links.score({"x": links_of(seed, gold, right)}, gold, by="sid").scores
        values.append(dict(scored.select("sid", "aer").rows()))
    gaps = [values[0][sid] - values[1][sid] for sid in range(40)]
    signs = [sum(gap > 1e-6 for gap in gaps), sum(gap < -1e-6 for gap in gaps)]
    assert counts == [*signs, 40 - sum(signs)]
    bars = shown.run(
        "[...document.querySelectorAll('#histogram rect')].map((one) => [one.getAttribute('class'),"
        " Number(one.firstChild.textContent.split(': ')[1])])"
    )
    assert [sum(n for kind, n in bars if kind == name) for name in ("worse", "better")] == signs
    changes = shown.run("listed.map((one) => Math.abs(one.change) * one.size)")
    assert changes == sorted(changes, reverse=True)
    # Both alignments stand side by side.
    shown.run("document.querySelector('#sentences td a, #sentences th a').click()")
    settled(shown)
    grids = "document.querySelectorAll('#detail .beside .grid').length"
    assert shown.run(grids) == 2
    shown.run("document.getElementById('as-tested').click()")
    shown.wait("!location.hash.includes('with')")
    settled(shown)
    tested = past.history.tests.filter(run=last, system="a", measure="aer")
    rows = {row[0][0]: row[5][0] for row in rows_of(shown, "#compare")}
    assert rows == {
        one or "All": verdict for one, verdict in tested.select("corpus", "verdict").rows()
    }
