"""The shared page of reports, in a browser, in print and on narrow screens."""

import re

import altair as alt
import polars as pl
import pytest
from helpers.pages import specs_of

from alignframe.errors import InputError
from alignframe.pages.forms import across, bars
from alignframe.pages.page import FIGURE_FORMATS, Figure, Page, Table
from alignframe.pages.ranked import scores_sorted
from alignframe.pages.theme import looks


def chart(title):
    data = pl.DataFrame({"x": [1, 2], "y": [3, 4]})
    return alt.Chart(data, title=title, width=900).mark_point().encode(x="x:Q", y="y:Q")


def page(**given):
    table = Table(
        ["System", "AER"], [["b <i>", "0.1\n0.0 - 0.2"], ["a", "0.2"]], frozenset({(0, 1)})
    )
    figures = [Figure("plain", chart("A title")), Figure("wide", chart("Wide"), wide=True)]
    return Page(**{"title": "T", "lead": "L", "table": table, "figures": figures, **given})


def body_of(html):
    """Return the page without scripts, which contain tags in strings."""
    return re.sub(r"<script>.*?</script>", "", html, flags=re.DOTALL)


@pytest.fixture(scope="module")
def html():
    return body_of(page().html())


def test_print_sheet(html):
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL)[1]
    printed = style[style.index("@media print") :]
    assert "@page" in style
    assert "table-header-group" in printed
    assert "break-inside: avoid" in printed


def test_nothing_scrolls_inside_a_card(html):
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL)[1]
    assert "overflow-x" not in style
    assert 'name="viewport"' in html


def test_table_heads_can_be_clicked_and_focused(html):
    heads = re.findall(r"<th [^>]*>(.*?)</th>", html)
    assert heads == [f'<button type="button">{head}</button>' for head in ("System", "AER")]
    assert "aria-sort" in html


def test_a_table_with_one_row_is_not_sortable():
    one = body_of(page(table=Table(["System"], [["a"]])).html())
    assert re.findall(r"<th [^>]*>(.*?)</th>", one) == ["System"]


def test_cells_name_their_column_on_narrow_screens(html):
    cells = re.findall(r'<td data-head="(.*?)"( class="\w+")?>(.*?)</td>', html)
    assert cells[0] == ("System", ' class="text"', "b &lt;i&gt;")
    assert cells[1] == ("AER", ' class="best"', "0.1<small>0.0 - 0.2</small>")


def test_titles_of_charts_are_headings():
    title = alt.Title(["A <b>", "title"], subtitle="below")
    made = page(figures=[Figure("one", chart(title))]).html()
    assert "<h2>A &lt;b&gt; title <small>below</small></h2>" in made
    assert "title" not in specs_of(made)["one"]


def test_a_title_that_depends_on_a_choice_stays_in_the_chart():
    moving = chart(alt.Title(alt.ExprRef("'by ' + name"))).add_params(alt.param("name", value="x"))
    made = page(figures=[Figure("one", moving)]).html()
    assert "<h2>" not in body_of(made)
    assert specs_of(made)["one"]["title"]["text"] == {"expr": "'by ' + name"}


def test_parts_are_optional():
    bare = body_of(page(table=None, figures=[]).html())
    assert "<table" not in bare
    below = page(table=None, tables=[Table(["x"], [["1"]], caption="said below", wide=True)]).html()
    assert "said below" in below
    assert '<section class="wide">' in below


@pytest.mark.parametrize("format", FIGURE_FORMATS)
def test_figures_in_every_format(tmp_path, format):
    start = {"png": b"\x89PNG", "svg": b"<svg", "pdf": b"%PDF"}[format]
    written = page().write_figures(tmp_path, format)
    assert [path.name for path in written] == [f"plain.{format}", f"wide.{format}"]
    assert all(path.read_bytes().startswith(start) for path in written)


def test_an_unknown_format(tmp_path):
    with pytest.raises(InputError, match="gif"):
        page().write_figures(tmp_path, "gif")
    with pytest.raises(InputError, match="`columns` is 3; expected 1 or 2"):
        page().write_figures(tmp_path, columns=3)


@pytest.mark.parametrize(("columns", "inches"), [(1, 3.3), (2, 6.9)])
def test_figures_are_as_wide_as_columns_of_a_paper(tmp_path, columns, inches):
    names = [f"a-rather-long-name-{k}" for k in range(12)]
    data = pl.DataFrame({"system": names, "value": [k / 12 for k in range(12)]})
    many = scores_sorted(data, {"value": "Value"})
    panels = alt.hconcat(chart("x"), chart("y"), title=alt.Title("Two", subtitle="of them"))
    of = {"many": many, "plain": chart("A title"), "two": panels}
    made = page(figures=[Figure(name, one, "Said.") for name, one in of.items()], signature="s:1")
    files = made.write_figures(tmp_path, "svg", columns=columns)
    assert [path.name for path in files[:2]] == ["many.svg", "many.txt"]
    page().write_figures(tmp_path, "pdf", columns=columns)
    for name in of:
        svg = (tmp_path / f"{name}.svg").read_text("utf-8")
        width, of_pixels = re.search(r'width="([0-9.]+)pt".*?viewBox="0 0 ([0-9.]+) ', svg).groups()
        assert inches * 72 * 0.93 < float(width) <= inches * 72 + 0.01
        # Letters of 12 pixels are printed at 8 points.
        assert float(width) / float(of_pixels) * 12 == pytest.approx(8, abs=0.02)
        assert "A title" not in svg
    box = re.search(rb"MediaBox \[0 0 ([0-9.]+)", (tmp_path / "plain.pdf").read_bytes())
    assert inches * 72 * 0.93 < float(box[1]) <= inches * 72 + 0.01
    assert (tmp_path / "two.txt").read_text("utf-8") == "Two (of them). Said.\n\ns:1\n"
    # Two charts stand side by side where there is room.
    high = re.search(r'height="([0-9.]+)pt"', (tmp_path / "two.svg").read_text("utf-8"))[1]
    one = re.search(r'height="([0-9.]+)pt"', (tmp_path / "plain.svg").read_text("utf-8"))[1]
    assert (float(high) > 1.8 * float(one)) == (columns == 1)


def test_printing_does_not_depend_on_the_window():
    script = page().html().rpartition("<script>")[2]
    assert 'addEventListener("beforeprint"' in script
    assert 'addEventListener("afterprint"' in script
    # A page may change its width without a window event.
    assert "ResizeObserver" in script
    assert "innerWidth" not in script


def test_series_differ_without_colour():
    names = [str(number) for number in range(7)]
    for channel in looks("series", names).values():
        assert len({str(one) for one in channel["scale"]["range"]}) == len(names)
    many = looks("series", [str(number) for number in range(40)]).values()
    every = {str(one) for one in zip(*(one["scale"]["range"] for one in many), strict=True)}
    assert len(every) == 40
    data = pl.DataFrame({"series": names[:2], "x": [1, 2]})
    bar = bars(data, [], x=across("x"), color=looks("series", names[:2])["color"])
    shades = bar.to_dict()["encoding"]["color"]["scale"]["range"]
    dark, light = (sum(int(one[at : at + 2], 16) for at in (1, 3, 5)) for one in shades)
    assert light - dark > 150
