"""Pages of many systems: one colour for the best, one for the chosen; one measure at a time."""

import csv
import io
import random

import polars as pl
import pytest

from alignframe import formats, links
from alignframe.links import charts
from alignframe.pages.page import drawn
from alignframe.pages.theme import COLOURS, GREY

HOSTILE = ("</script>'\"", "مرحبا", "a | b\\c")


@pytest.fixture(scope="module")
def systems():
    """Return twelve systems, each of which lacks more links than the one before."""
    eager = formats.read("datasets/en-fr/eager.talp")
    rows, draw = eager["links"].to_pylist(), random.Random(1)
    names = [*HOSTILE, *(f"s{at}" for at in range(3, 12))]
    made = {}
    for at, name in enumerate(names):
        kept = [[link for link in row if draw.random() > 0.04 * at] for row in rows]
        made[name] = pl.DataFrame({"sid": eager["sid"].to_pylist(), "links": kept})
    return made


@pytest.fixture(scope="module")
def page(systems):
    """Return their page."""
    return links.score(systems, "datasets/en-fr/gold.talp", bootstrap=100).evaluated().page()


def chart(page, name):
    """Return a chart of a page."""
    return next(one.chart for one in page.figures if one.name == name)


def test_a_heat_map_has_the_errors_of_every_system_and_band(page, systems):
    shown = drawn(chart(page, "error-by-length"), "system", "length", "aer", "sentences")
    gold = "datasets/en-fr/gold.talp"
    scores = links.score(systems, gold, by=["length"], bootstrap=0).scores
    wanted = scores.select("system", "length", "aer", "sentences")
    assert shown.sort("system", "length").equals(wanted.sort("system", "length"))
    spec = chart(page, "error-by-length").to_dict()
    assert [layer["mark"]["type"] for layer in spec["layer"]] == ["rect", "text"]
    # Ten systems still have a small chart each.
    ten = [*systems][:10]
    few = charts.error_by_length(scores.filter(pl.col("system").is_in(ten)), [5, 10, 15, 20, 30])
    assert few.to_dict()["facet"]["field"] == "system"


def test_only_the_best_and_the_chosen_have_a_colour(page):
    for name, best in (("precision-recall", 1), ("differences", 4)):
        of = chart(page, name)
        points = next(one for one in of.to_dict()["layer"] if one["mark"]["type"] == "point")
        colour = points["encoding"]["color"]
        assert [one["value"] for one in colour["condition"]] == [COLOURS[1], COLOURS[0]]
        assert colour["value"] == GREY
        assert "legend" not in str(of.to_dict()["layer"])
        found = drawn(of, "system", "best", *["measure"] * (name == "differences"))
        assert found["best"].sum() == best
    # Of curves, all are named that are the highest somewhere.
    curves = drawn(chart(page, "f-by-alpha"), "system", "alpha", "f", "best")
    top = curves.filter(pl.col("f") == pl.col("f").max().over("alpha"))["system"].unique()
    assert set(curves.filter("best")["system"]) == {*top}


def test_names_at_the_ends_of_lines_do_not_overlap(systems):
    few = {name: systems[name] for name in [*systems][:10]}
    found = links.score(few, "datasets/en-fr/gold.talp", bootstrap=0).evaluated().page()
    ends = drawn(chart(found, "f-by-alpha"), "system", "f", "end_")
    spec = chart(found, "f-by-alpha").to_dict()
    (texts,) = (one for one in spec["layer"] if one["mark"]["type"] == "text")
    low, high = texts["encoding"]["y"]["scale"]["domain"]
    at = ((high - ends["end_"]) / (high - low) * spec["height"]).sort()
    assert at.diff().min() >= 14 - 1e-6
    assert at.max() <= spec["height"] + 1e-6
    assert ends.sort("f", "system")["system"].to_list() == (
        ends.sort("end_", "system")["system"].to_list()
    )


def test_the_measure_and_the_system_stand_in_the_address(chromium, page, tmp_path):
    page.write(tmp_path / "page.html")
    chromium.size(1300)
    chromium.open(tmp_path / "page.html")
    drawn_once = "Object.keys(views).length === Object.keys(specs).length"
    chromium.wait(drawn_once)
    selects = "[...document.querySelectorAll('select[data-name], #differences select')]"
    assert set(chromium.run(f"{selects}.map((one) => one.value)")) == {"AER"}
    cards = "[...document.querySelectorAll('[data-measure]:not([hidden])')]"
    shown = f"{cards}.map((one) => one.dataset.measure)"
    choose = (
        "(one, name) => { one.value = name;"
        " for (const what of ['change', 'input']) one.dispatchEvent(new Event(what)); }"
    )
    # Whichever select is used, the chart, the table and the address follow.
    for place, name in ((0, "Recall"), (1, "F(α = 0.5)")):
        chromium.run(f"({choose})({selects}[{place}], {name!r})")
        chromium.wait(f"views.differences.signal('measure') === {name!r}")
        assert chromium.run(shown) == [name]
        assert set(chromium.run(f"{selects}.map((one) => one.value)")) == {name}
        assert chromium.run("new URLSearchParams(location.hash.slice(1)).get('measure')") == name
    # A system chosen elsewhere is the chosen one of all charts, and the measure stays.
    chromium.run(f"location.hash = new URLSearchParams({{ system: {HOSTILE[0]!r} }})")
    for name in ("precision-recall", "f-by-alpha", "differences", "error-by-length"):
        chromium.wait(f"views['{name}'].signal('chosen') === {HOSTILE[0]!r}")
    assert "measure=F" in chromium.run("location.hash")
    texts = "[...document.querySelectorAll('#f-by-alpha svg text')]"
    filled = f"{texts}.find((one) => one.textContent === {HOSTILE[0]!r}).getAttribute('fill')"
    assert chromium.run(filled) == COLOURS[1]
    # The address alone opens the same page.
    address = chromium.run("location.hash")
    chromium.open(tmp_path / "page.html", address)
    chromium.wait(drawn_once)
    assert chromium.run("views.differences.signal('measure')") == "F(α = 0.5)"
    assert chromium.run(shown) == ["F(α = 0.5)"]
    assert chromium.said == []


def test_copied_figures_have_all_digits(chromium, page, systems, tmp_path):
    page.write(tmp_path / "page.html")
    chromium.size(1300)
    chromium.open(tmp_path / "page.html")

    def copied(form, table):
        press = f"document.querySelectorAll('.export')[{table}]"
        form = f"(one) => one.textContent === '{form}'"
        chromium.run(f"[...{press}.querySelectorAll('button')].find({form}).click()")
        return chromium.run(f"{press}.dataset.copied")

    heads, *rows = csv.reader(io.StringIO(copied("CSV", 0)))
    assert heads[:9] == [
        *("System", "Links", "Precision", "Precision low", "Precision high"),
        *("Precision rank low", "Precision rank high", "Recall", "Recall low"),
    ]
    found = links.score(systems, "datasets/en-fr/gold.talp", bootstrap=100)
    scores = {row["system"]: row for row in found.scores.iter_rows(named=True)}
    ranks = found.ranks().filter(measure="aer")
    low, high = (dict(ranks.select("system", end).rows()) for end in ("rank_low", "rank_high"))
    assert {row[0] for row in rows} == {*systems}
    for row in rows:
        of = dict(zip(heads, row, strict=True))
        assert float(of["AER"]) == pytest.approx(scores[row[0]]["aer"], rel=1e-14)
        assert float(of["AER high"]) == pytest.approx(scores[row[0]]["aer_high"], rel=1e-14)
        assert (int(of["AER rank low"]), int(of["AER rank high"])) == (low[row[0]], high[row[0]])
    # As LaTeX and Markdown, figures are those that are shown; as in a table for papers, the best
    # and those that cannot be told apart from it are in bold.
    latex, markdown = copied("LaTeX", 0), copied("Markdown", 0)
    standings = found.standings()
    for row in standings.iter_rows(named=True):
        if "aer" in row["best"]:
            assert rf"\textbf{{{row['aer']:.4f}}} [" in latex
            assert f"| **{row['aer']:.4f}** [" in markdown
    marked = sum(map(len, standings["best"]))
    assert latex.count(r"\textbf{") == markdown.count("**") // 2 == marked


def test_a_sentence_names_each_of_two_systems_once(chromium, page, systems, tmp_path):
    page.write(tmp_path / "page.html")
    of = links.score(systems, "datasets/en-fr/gold.talp", by="sid").scores.filter(sid=3)
    errors = (
        links.score(systems, "datasets/en-fr/gold.talp")
        .counts.filter(sid=3)
        .select(
            "system",
            errors=pl.col("n_hyp")
            + pl.col("n_sure")
            - pl.col("n_hyp_sure")
            - pl.col("n_hyp_possible"),
        )
    )
    both = {
        name: (number, aer)
        for name, number, aer in errors.join(of, on="system")
        .select("system", "errors", "aer")
        .rows()
    }
    chromium.open(tmp_path / "page.html", "#system=s3&other=s4&sid=3")
    chromium.wait("document.querySelector('#detail p.said')")
    said = chromium.run("document.querySelector('#detail p.said').textContent")
    (one, aer), (two, other) = both["s3"], both["s4"]
    assert said == f"s3: Errors {one}, AER {aer:.4f}; s4: Errors {two}, AER {other:.4f}."


def test_a_narrow_screen_has_ten_systems_until_it_is_asked_for_more(chromium, page, tmp_path):
    page.write(tmp_path / "page.html")
    chromium.size(390)
    chromium.open(tmp_path / "page.html")
    rows = "[...document.querySelector('table').tBodies[0].rows]"
    visible = f"{rows}.filter((row) => row.offsetHeight).length"
    assert chromium.run(visible) == 10
    chromium.run("document.querySelector('.whole-of').click()")
    assert chromium.run(visible) == 12
    assert chromium.run("document.querySelector('.whole-of').offsetHeight") == 0
    assert chromium.run("document.documentElement.scrollWidth") <= 390


def test_cells_of_a_heat_map_are_reached_and_picked_by_the_keyboard(chromium, page, tmp_path):
    page.write(tmp_path / "page.html")
    chromium.size(1300)
    chromium.open(tmp_path / "page.html")
    chromium.wait("Object.keys(views).length === Object.keys(specs).length")
    marks = "document.querySelectorAll('#error-by-length [role=\"link\"]')"
    chromium.wait(f"{marks}.length")
    cells = drawn(chart(page, "error-by-length"), "system", "length")
    assert chromium.run(f"{marks}.length") == cells.height
    # One stop of the Tab key in each chart: from the button before it to the next one after it.
    stops = '[...document.querySelectorAll(\'.pair [role="link"][tabindex="0"]\')]'
    charts_of = f"{stops}.map((one) => one.closest('section > div').id)"
    saved = "[...document.querySelectorAll('.vega-actions a')].map((one) => one.download)"
    wanted = ["precision-recall", "f-by-alpha", "differences", "error-by-length"]
    assert chromium.run(charts_of) == wanted
    assert chromium.run(saved) == [f"{name}.{kind}" for name in wanted for kind in ("svg", "png")]
    inside = "document.getElementById('error-by-length').contains(document.activeElement)"
    while not chromium.run(f"{inside} && document.activeElement.matches('[role=\"link\"]')"):
        chromium.press("Tab", 9)
    order = chromium.run("views['error-by-length'].scale('y').domain()")
    bands = chromium.run("views['error-by-length'].scale('x').domain()")
    at = "(({ system, length }) => [system, length])(document.activeElement.__data__.datum)"
    assert chromium.run(at) == [order[0], bands[0]]
    for key, code, to in (
        *[("ArrowDown", 40, (place, 0)) for place in (1, 2, 3)],
        *[("ArrowRight", 39, (3, place)) for place in (1, 2)],
        ("ArrowLeft", 37, (3, 1)),
        ("ArrowUp", 38, (2, 1)),
    ):
        chromium.press(key, code)
        assert chromium.run(at) == [order[to[0]], bands[to[1]]]
    # What the pointer shows is shown, around the cell is a ring, and a new drawing keeps the place.
    chromium.wait("document.querySelector('#vg-tooltip-element.visible')")
    assert chromium.run("document.querySelectorAll('.ring').length") == 1
    here = chromium.run(at)
    drawings = "window.drawings = 0; page.addEventListener('drawn', () => drawings++)"
    chromium.run(drawings)
    chromium.size(1100)
    chromium.wait("drawings > 3 && !waiting")
    chromium.wait(f"{inside} && document.querySelector('.ring')")
    assert chromium.run(at) == here
    chromium.press("Enter", 13)
    chromium.wait("document.activeElement.id === 'sentences-title'")
    address = "Object.fromEntries(new URLSearchParams(location.hash.slice(1)))"
    first, last = here[1].split("-")
    wanted = {"system": here[0], "least": first, "most": last}
    assert chromium.run(address) == wanted
    chromium.wait("!document.querySelector('.ring, #vg-tooltip-element.visible')")
    assert chromium.said == []


def test_charts_fit_whatever_width_the_page_had_while_they_were_drawn(chromium, page, tmp_path):
    page.write(tmp_path / "page.html")
    chromium.size(1300)
    chromium.open(tmp_path / "page.html")
    widths = "Object.values(views).map((view) => view.container().querySelector('svg').clientWidth)"
    chromium.wait("Object.keys(views).length === Object.keys(specs).length && !waiting")
    wanted = chromium.run(widths)
    # A width that is gone before a frame shows it, and none at all.
    for passing in ("page.style.maxWidth = '500px'", "page.style.display = 'none'"):
        undone = passing.partition(" = ")[0] + " = ''"
        chromium.run(
            f"{passing}; layOut(); Promise.all(Object.values(turns)).then(() => {{ {undone} }})"
        )
        chromium.wait(f"!waiting && `${{{widths}}}` === '{','.join(map(str, wanted))}'")
    assert chromium.said == []


def test_charts_of_many_systems_are_printed_one_below_another(chromium, systems, page, tmp_path):
    gold = "datasets/en-fr/gold.talp"
    named = {f"the system that is number {at}": one for at, one in enumerate(systems.values())}
    few = {name: systems[name] for name in ("s3", "s4", "s5")}
    for given, single in ((named, True), (few, False)):
        found = links.score(given, gold, bootstrap=100).evaluated().page()
        found.write(tmp_path / "page.html")
        chromium.size(1300)
        chromium.open(tmp_path / "page.html")
        chromium.wait("Object.keys(views).length === Object.keys(specs).length && !waiting")
        chromium.run("dispatchEvent(new Event('beforeprint'))")
        chromium.run(
            "Promise.all(Object.values(turns)).then(() => Promise.all(Object.values(turns)))"
        )
        width = "document.querySelector('#f-by-alpha svg').getAttribute('width')"
        assert (float(chromium.run(width)) > 600) == single
        chromium.call("Emulation.setEmulatedMedia", media="print")
        columns = "getComputedStyle(document.querySelector('.pair')).gridTemplateColumns"
        assert len(chromium.run(columns).split()) == 2 - single
        chromium.call("Emulation.setEmulatedMedia", media="")
