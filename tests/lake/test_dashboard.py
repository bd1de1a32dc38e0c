"""The dashboard of a lake: its data against slow references, and its display in a browser."""

import base64
import csv
import io
import json
import re
import unicodedata
from datetime import datetime
from itertools import pairwise
from types import SimpleNamespace

import altair as alt
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from helpers import lake as lakes
from helpers.beads import parallel_text
from helpers.cli import json_of, run
from helpers.dashboards import chosen, settled, table, unpacked
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import alignframe as af
from alignframe.beads import align
from alignframe.beads.pairs_page import pairs_page
from alignframe.cli import report
from alignframe.errors import DataWarning, InputError
from alignframe.pages.page import Figure, Page, Table
from alignframe.pages.sentences import NOTHING, steps
from alignframe.report import lake_report

EVIL = (
    "</script><script>document.title='run'</script>",
    "<img src=x onerror=\"document.title='run'\">",
    "\"double\" 'single' `back` & &amp; \\",
    "a\u0001b\u007f\u2028c",
    "שלום \u202eevil",
    "e\u0301\u0323 ก็ 👩‍👩‍👧",
)
LONG = 2000
DATE = r"20\d\d-\d\d-\d\d \d\d:\d\d"


@given(
    arrays.arrays(
        np.float32,
        arrays.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=6),
        elements=st.one_of(
            st.just(np.float32("nan")), st.floats(-3, 120, width=32).map(lambda x: round(x, 2))
        ),
    )
)
def test_figures_survive_packing(values):
    coded = steps(values)
    raw = unpacked(coded["data"])
    size = len(raw) // 2
    rows, columns = values.shape
    before = [0] * columns
    for row in range(rows):
        for column in range(columns):
            at = row * columns + column
            before[column] = (before[column] + raw[at] + 256 * raw[size + at]) % 65536
            if np.isnan(values[row, column]):
                assert before[column] == NOTHING
            else:
                found = coded["low"] + before[column] / 10 ** coded["digits"]
                assert found == pytest.approx(values[row, column], abs=0.5 / 10 ** coded["digits"])


def texts(sids):
    """Return the words of sentences; the first are special characters, the last is long."""
    words = {sid: [f"{side}{sid}w{k}" for k in range(6)] for sid in sids for side in "s"}
    for sid, evil in zip(sids, EVIL, strict=False):
        words[sid][0] = evil
    words[sids[-1]] = [f"w{k}" for k in range(LONG)]
    return pl.DataFrame(
        {"sid": list(words), "src": list(words.values()), "tgt": [w[::-1] for w in words.values()]}
    )


@pytest.fixture(scope="module")
def past(tmp_path_factory):
    """A place after three runs, its history, and its page."""
    home = tmp_path_factory.mktemp("page")
    hyp, gold = lakes.plain_lake(home, rows=30)
    for number, domain in enumerate(lakes.DOMAINS):
        place = home / "text" / f"domain={domain}"
        place.mkdir(parents=True)
        texts(range(1000 * number, 1000 * number + 30)).write_parquet(place / "p.parquet")
    out = home / "counts"
    af.lake.score(hyp, gold, out)
    # The second run is nearly right, so it is better; the third is as bad as the first.
    good = {
        domain: af.formats.read(gold / f"domain={domain}" / "part-0.parquet") for domain in ("law",)
    }
    links = [
        [{"i": one["i"], "j": one["j"]} for one in row] for row in good["law"]["links"].to_pylist()
    ]

    right = pa.table(
        {"sid": pa.array(range(30), pa.int64()), "links": pa.array(links, lakes.LINKS)}
    )
    lakes.write(right, hyp, system="giza", domain="law")
    af.lake.score(hyp, gold, out)
    lakes.write(lakes.sentences(3, 30), hyp, system="giza", domain="law")
    af.lake.score(hyp, gold, out)
    history = af.lake.history(out, bootstrap=200)
    page = lake_report(out, text=home / "text", bootstrap=200, title="A <b>lake</b>")
    (path,) = page.write(home / "page.html")
    return SimpleNamespace(
        home=home, out=out, hyp=hyp, gold=gold, history=history, page=page, path=path
    )


@pytest.fixture
def shown(past, chromium):
    """The page in the browser, at its own address; errors fail the test."""
    chromium.size(1300)
    chromium.open(past.path)
    settled(chromium, "#")
    yield chromium
    assert chromium.said == []
    assert chromium.run("document.title") == "A <b>lake</b>"


def expected_overview(history, run, measure):
    rows = history.scores.filter(run=run, measure=measure).join(
        history.tests.filter(run=run, measure=measure),
        on=["corpus", "system"],
        how="left",
        nulls_equal=True,
    )
    marks = {"better": " ▲", "worse": " ▼"}
    found = {
        (row["system"], row["corpus"] or ""): (
            f"{row['value']:.4f}{marks.get(row['verdict'], '')}",
            f"{row['value_low']:.4f} – {row['value_high']:.4f}",
        )
        for row in rows.rows(named=True)
    }
    return [
        [(system, ""), *(found[system, corpus] for corpus in ("", *lakes.DOMAINS))]
        for system in lakes.SYSTEMS
    ]


def as_tuples(rows):
    return [[tuple(cell) for cell in row] for row in rows]


def test_the_first_screen_shows_the_tables(past, shown):
    last = past.history.runs["run"][-1]
    found = as_tuples(table(shown, "#overview"))
    assert found == expected_overview(past.history, last, "aer")
    marks = {cell[0][-1] for row in found for cell in row}
    assert "▼" in marks
    said = shown.run("document.getElementById('overview-said').textContent")
    verdicts = past.history.tests.filter(run=last, measure="aer")["verdict"]
    assert f"▼ {verdicts.eq('worse').sum()} worse" in said
    assert f"{verdicts.eq('unchanged').sum()} unchanged" in said


def test_runs_and_measures_can_be_chosen_and_linked(past, shown):
    second = past.history.runs["run"][1]
    shown.run("document.getElementById('run').selectedIndex = 1")
    shown.run("document.getElementById('run').dispatchEvent(new Event('change'))")
    shown.wait("location.hash.includes('run=')")
    chosen(shown, "measure", "Recall")
    shown.wait("location.hash.includes('measure=recall')")
    settled(shown)
    assert as_tuples(table(shown, "#overview")) == expected_overview(past.history, second, "recall")
    address = shown.run("location.hash")
    assert f"run={second}" in address
    assert "▲" in str(table(shown, "#overview"))
    shown.open(past.path, address)
    settled(shown, address)
    assert shown.run("document.getElementById('measure').selectedOptions[0].text") == "Recall"
    said = "document.getElementById('unknown').textContent"
    assert shown.run(said) == ""
    shown.run("location.hash += '&with=none&colour=red'")
    settled(shown)
    wanted = "Not understood in the address, and left out: with=none, colour=red."
    assert shown.run(said) == wanted


def test_a_cell_leads_to_its_trend_and_sentences(past, shown):
    shown.run("document.querySelector('#overview a[href*=\"corpus=law\"]').click()")
    settled(shown)
    assert "corpus=law" in shown.run("location.hash")
    trend = past.history.scores.filter(corpus="law", system="giza", measure="aer")
    assert table(shown, "#trend") == []  # created when it is opened
    shown.run("document.querySelector('#trend .rows').open = true")
    shown.wait("document.querySelector('#trend tbody')")
    rows = as_tuples(table(shown, "#trend"))
    assert [row[2][0] for row in rows] == [f"{x:.4f}" for x in trend["value"].reverse()]
    assert [row[4][0] for row in rows] == ["worse", "better", ""]
    assert shown.run("document.querySelectorAll('#trend .line.chosen .better').length") == 1
    places = shown.run(
        "[...document.querySelectorAll('#trend .line.chosen title')].map(({ parentNode: one }) =>"
        " Number(one.getAttribute('cx') ?? one.getAttribute('d').slice(1).split(',')[0]))"
    )
    times = [datetime.fromisoformat(str(one)).timestamp() for one in past.history.runs["started"]]
    assert len(places) == len(times) == 3
    if times[0] == times[-1]:  # runs of one second stand at equal distances
        times = [0, 1, 2]
    for place, time in zip(places, times, strict=True):  # time is a true axis
        share = (place - places[0]) / (places[-1] - places[0])
        assert share == pytest.approx((time - times[0]) / (times[-1] - times[0]), abs=0.01)
    changed = past.history.sentences.filter(corpus="law", system="giza", measure="aer").head(20)
    rows = as_tuples(table(shown, "#sentences"))[: changed.height]
    own = [(row[0][0], row[4][0], row[5][0]) for row in rows]
    assert own == [
        (str(row["unit"]), f"{row['baseline_value']:.4f}", f"{row['value']:.4f}")
        for row in changed.rows(named=True)
    ]


def test_sentences_are_filtered(past, shown):
    every = shown.run("every.length")
    chosen(shown, "direction", "better")
    shown.wait("document.getElementById('sentences-said').textContent.startsWith('0 of')")
    chosen(shown, "direction", "worse")
    shown.wait("!document.getElementById('sentences-said').textContent.startsWith('0 of')")
    last = past.history.sentences.filter(measure="aer", system="giza")
    assert shown.run("listed.length") == last.filter(pl.col("difference") > 0).height or (
        shown.run("listed.length") > last.height  # the table shows only the first ones
    )
    assert shown.run("listed.every((one) => one.change > 0)")
    shown.run(
        "(() => { const least = document.getElementById('least'); least.value = 5; "
        "least.dispatchEvent(new Event('input')); })()"
    )
    shown.wait("listed.length && listed.every((one) => one.length >= 5)")
    assert shown.run("listed.length") < every
    chosen(shown, "direction", "any or none")
    shown.run(
        "(() => { const asked = document.getElementById('words'); asked.value = 'S7W3'; "
        "asked.dispatchEvent(new Event('input')); })()"
    )
    shown.wait("listed.length === 1 && listed[0].unit === 7")
    # The address has the filters, and so do the links of other views.
    address = shown.run("location.hash")
    links = shown.run("[...document.querySelectorAll('#overview a')].map((one) => one.href)")
    assert all("least=5&words=S7W3" in one for one in [address, *links])
    shown.open(past.path, address)
    settled(shown, address)
    assert shown.run("listed.map((one) => one.unit)") == [7]


def test_it_opens_on_the_system_that_changed_most(chromium, tmp_path):
    gold = lakes.write(lakes.sentences(9, gold=True), tmp_path / "gold")
    for seed, system in enumerate(("<a>", "b", "c")):
        lakes.write(lakes.sentences(seed), tmp_path / "hyp", system=system)
    af.lake.score(tmp_path / "hyp", gold, tmp_path / "counts")
    changed = [*lakes.sentences(1)["links"][:10].to_pylist(), [{"i": 0, "j": 0}], []]
    links = pa.table({"sid": range(12), "links": pa.array(changed, lakes.LINKS)})
    lakes.write(links, tmp_path / "hyp", system="b")
    af.lake.score(tmp_path / "hyp", gold, tmp_path / "counts")
    page = lake_report(tmp_path / "counts", bootstrap=200)
    (row,) = page.history.tests.filter(measure="aer", system="b").rows(named=True)
    texts = [f"{row[name]:.4f}" for name in ("baseline_value", "value", "difference")]
    assert f" b changed most: AER went from {texts[0]} to {texts[1]} (" in page.lead
    for said in (texts[2].replace("-", "−"), "95% interval", "p = ", " and of 2 the same. "):
        assert said in page.lead
    page.write(tmp_path / "page.html")
    chromium.size(1300)
    for address, count in ("", 1), ("#system=c", 0):
        chromium.open(tmp_path / "page.html", address)
        settled(chromium, address or "#")
        shown = "document.getElementById('system').selectedOptions[0].text"
        assert chromium.run(shown) == (address[-1:] or "b")
        assert len(table(chromium, "#sentences")) == count
    said = "document.getElementById('sentences-said').textContent"
    assert chromium.run(said).startswith("No sentence changed. 0 of 12")
    chosen(chromium, "direction", "any or none")
    chromium.wait("listed.length === 12")
    # A new system leaves the others as they were.
    lakes.write(lakes.sentences(4), tmp_path / "hyp", system="d")
    af.lake.score(tmp_path / "hyp", gold, tmp_path / "counts")
    lead = lake_report(tmp_path / "counts", bootstrap=0).lead
    assert "AER of 3 systems is the same as that in the run before. d is new." in lead


def test_the_lead_says_what_the_last_run_did(chromium, tmp_path):
    """A first run has nothing before it, and an old change is not one of the last run."""
    hyp, out = tmp_path / "hyp", tmp_path / "counts"
    gold = lakes.write(lakes.sentences(9, gold=True), tmp_path / "gold")
    for seed, system in enumerate("abc"):
        lakes.write(lakes.sentences(seed), hyp, system=system)

    def said(**options):
        page = lake_report(out, **{"bootstrap": 0, **options})
        return page.lead, page.set_up

    af.lake.score(hyp, gold, out)
    first, beside = said(top=5)
    nothing = "there is nothing to compare the scores with yet."
    assert re.fullmatch(rf"In the last run \({DATE}\), {nothing}", first)
    assert beside.startswith(
        "3 systems on 1 corpus in 1 run. Times are in UTC. Listed are 5 of 12 "
    )
    assert beside.endswith("12 sentences: the worst; the others have figures only.")
    assert "is compared with the system a." in said(baseline="a")[1]
    # b has other links: the next run has news, and that after it has none.
    lakes.write(lakes.sentences(7), hyp, system="b")
    af.lake.score(hyp, gold, out)
    changed = r"b changed most: AER went from \S+ to \S+ \(\S+\), not tested\."
    counts = (
        r"AER of 1 system is different \(not tested\) from that in the run before and of 2 the "
    )
    assert re.fullmatch(rf"In the last run \({DATE}\), {counts}same\. {changed}", said()[0])
    af.lake.score(hyp, gold, out)
    idle, beside = said(top=5)
    new = (
        rf"Nothing new in the last run \({DATE}\): 3 units skipped\. The last change was on {DATE}"
    )
    assert re.fullmatch(rf"{new}: {counts}same\. {changed}", idle)
    assert "in 2 runs that changed counts." in beside
    assert "those that changed most, then the worst" in beside
    lake_report(out, bootstrap=0).write(tmp_path / "page.html")
    chromium.size(1300)
    chromium.open(tmp_path / "page.html")
    settled(chromium, "#")
    last = "document.getElementById('run').selectedOptions[0].text"
    assert chromium.run(last).endswith(" (last change)")
    # The same links in another file: the counts are written anew, and equal those before.
    rewritten = lakes.sentences(7).append_column("more", pa.array([1] * 12))
    lakes.write(rewritten, hyp, system="b")
    af.lake.score(hyp, gold, out)
    again = rf"Nothing changed in the last run \({DATE}\): 1 unit was counted again, with the same "
    assert re.fullmatch(rf"{again}counts\. The last .*{changed}", said()[0])
    # A unit that fails leaves the others.
    (hyp / "system=b" / "part-0.parquet").write_text("no Parquet")
    lakes.write(lakes.sentences(8), hyp, system="c")
    assert af.lake.score(hyp, gold, out).failed == 1
    with pytest.warns(DataWarning):
        failed = said()[0]
    start = (
        rf"The last run \({DATE}\) failed: 1 of 3 units \(system=b\)\. In it, AER of 1 system is "
    )
    assert re.match(start, failed)
    lakes.write(lakes.sentences(7), hyp, system="b")
    lakes.write(lakes.sentences(5), hyp, system="d")
    (hyp / "system=a" / "part-0.parquet").unlink()
    af.lake.score(hyp, gold, out, prune=True)
    assert said()[0].endswith(" before. d is new and a is no longer there.")


def test_figures_beside_each_other_add_up(chromium, tmp_path):
    """Before, now and change, in the first lines and in the views, as they are printed."""
    hyp, out = tmp_path / "hyp", tmp_path / "counts"
    gold = lakes.write(lakes.sentences(9, 40, gold=True), tmp_path / "gold")
    for seed in range(3):
        lakes.write(lakes.sentences(seed, 40), hyp, system="a")
        af.lake.score(hyp, gold, out)
    page = lake_report(out, bootstrap=0)
    said = re.search(r"from (\S+) to (\S+) \((\S+)\)", page.lead.replace("−", "-"))
    before, now, change = (round(float(one) * 1e4) for one in said.groups())
    assert now - before == change
    page.write(tmp_path / "page.html")
    chromium.size(1300)
    chromium.open(tmp_path / "page.html")
    settled(chromium, "#")
    chromium.run("document.querySelector('#trend .rows').open = true")
    chromium.wait("document.querySelector('#trend tbody')")
    rows = table(chromium, "#trend")[::-1]
    values, changes = (
        [round(float(row[at][0].replace("−", "-") or 0) * 1e4) for row in rows] for at in (2, 3)
    )
    assert [now - before for before, now in pairwise(values)] == changes[1:]
    tests = page.history.tests.filter(measure="aer")["difference"]
    # Unrounded, both changes would have been a digit off.
    assert [round(one * 1e4) for one in tests] == [208, -287]
    assert changes[1:] == [209, -288]


def links_of(path, sid):
    (row,) = pl.read_parquet(path).filter(sid=sid)["links"].to_list()
    return {(one["i"], one["j"]): one.get("sure") for one in row}


def test_a_sentence_shows_two_alignments_with_gold(past, shown):
    address = "#corpus=law&system=giza&sid=7&other=hmm"
    shown.open(past.path, address)
    settled(shown, address)
    gold = links_of(past.gold / "domain=law" / "part-0.parquet", 7)
    giza, hmm = (
        links_of(past.hyp / f"system={name}" / "domain=law" / "part-0.parquet", 7)
        for name in lakes.SYSTEMS
    )
    rows = {
        (row[0][0], row[1][0]): [cell[0] for cell in row[2:]] for row in table(shown, "#detail")
    }
    src = [f"s7w{k}" for k in range(6)]
    kinds = {None: "no", True: "Sure", False: "Possible"}
    assert rows == {
        (src[i], src[5 - j]): [
            kinds[gold.get((i, j))],
            "yes" if (i, j) in giza else "no",
            "yes" if (i, j) in hmm else "no",
        ]
        for i, j in {*gold, *giza, *hmm}
    }
    for shape, links in (("rect", gold), (".first", giza), (".second", hmm)):
        assert shown.run(f"document.querySelectorAll('#detail .grid {shape}').length") == len(links)
    focus = shown.run("document.activeElement.id")
    assert focus == "detail-title"
    shown.run("document.getElementById('after').click()")
    shown.wait("!location.hash.includes('sid=7&')")
    shown.run("document.getElementById('close').click()")
    shown.wait("!location.hash.includes('sid=') && document.getElementById('detail').hidden")
    # A figure chosen by the keyboard keeps the focus.
    shown.run("[...document.querySelectorAll('#overview .view a')].at(-1).focus()")
    focused, at = shown.run("[document.activeElement.getAttribute('href'), location.hash]")
    shown.press("Enter", 13)
    shown.wait(f"location.hash !== {at!r} && document.body.dataset.shown === location.hash")
    assert shown.run("document.activeElement.getAttribute('href')") == focused


@pytest.mark.parametrize("sid", [*range(len(EVIL)), 29])
def test_texts_are_never_markup(past, shown, sid):
    address = f"#corpus=law&system=giza&sid={sid}"
    shown.open(past.path, address)
    settled(shown, address)
    words = shown.run(
        "[...document.querySelectorAll('#detail .grid text')].map((x) => x.textContent)"
    )
    src = texts(range(30)).filter(sid=sid)["src"].to_list()[0]
    src = [unicodedata.normalize("NFC", word) for word in src]  # as all text is read
    assert words == [*src, *src[::-1]]
    assert shown.run("document.querySelectorAll('img, #detail script').length") == 0
    width, whole = shown.run("[innerWidth, document.documentElement.scrollWidth]")
    assert whole <= width
    if sid < len(EVIL):
        assert src[0] in shown.run("listed.map((one) => one.detail.src[0])")


def test_tables_are_copied(past, shown):
    def copied(form):
        shown.run(
            "[...document.querySelectorAll('#overview .export button')]"
            f".find((one) => one.textContent === '{form}').click()"
        )
        return shown.run("document.querySelector('#overview .export').dataset.copied")

    expected = expected_overview(past.history, past.history.runs["run"][-1], "aer")
    flat = [[f"{text} [{small}]" if small else text for text, small in row] for row in expected]
    heads = ["System", "All", *lakes.DOMAINS]
    assert list(csv.reader(io.StringIO(copied("CSV")))) == [heads, *flat]
    markdown = copied("Markdown").splitlines()
    assert markdown[0] == "| System | All | law | news | talks |"
    assert markdown[1] == "| --- | ---: | ---: | ---: | ---: |"
    assert markdown[2] == f"| {' | '.join(flat[0])} |"
    latex = copied("LaTeX")
    assert latex.startswith("\\begin{tabular}{lrrrr}\n  \\toprule")
    assert latex.count("\\\\\n") == 3
    assert shown.run(
        "FORMS.LaTeX({heads: ['a_b', '%'], rows: [['50 % & more', '−1']], texts: 1})"
    ).count("a\\_b & \\%")
    quoted = shown.run("FORMS.CSV({heads: ['a,b'], rows: [['say \"x\"\\ny']], texts: 1})")
    assert list(csv.reader(io.StringIO(quoted))) == [["a,b"], ['say "x"\ny']]


CONTROLS = (
    "[...document.querySelectorAll('main :is(a[href], button, select, input, summary, [tabindex]"
    ':not([tabindex="-1"]))\')].filter((one) => !one.disabled && one.checkVisibility()'
    " && (one.tagName === 'SUMMARY' || !one.closest('details:not([open])')))"
)


def test_the_keyboard_suffices(past, shown):
    count = shown.run(f"(window.controls = {CONTROLS}).length")
    for _ in range(count):
        shown.press("Tab", 9)
        shown.run(
            "document.activeElement.ring = getComputedStyle(document.activeElement).outlineStyle"
        )
    assert count > 20
    assert (
        shown.run("controls.filter((one) => one.ring !== 'solid').map((one) => one.outerHTML)")
        == []
    )
    shown.run("document.querySelector('#overview .export summary').focus()")
    shown.press("Enter", 13)
    shown.wait("document.querySelector('#overview .export').open")
    shown.press("Escape", 27)
    assert not shown.run("document.querySelector('#overview .export').open")
    assert shown.run("document.activeElement.textContent") == "Copy"
    shown.run("document.querySelector('#overview a[href*=\"corpus=news\"]').focus()")
    shown.press("Enter", 13)
    shown.wait("location.hash.includes('corpus=news')")
    settled(shown)
    shown.run("document.querySelector('#trend svg').focus()")
    shown.press("ArrowLeft", 37)
    shown.wait(f"location.hash.includes('run={past.history.runs['run'][1]}')")
    settled(shown)
    assert shown.run("document.activeElement.classList.contains('trend')")
    shown.press("Home", 36)
    shown.wait(f"location.hash.includes('run={past.history.runs['run'][0]}')")
    settled(shown)
    said = shown.run("document.getElementById('overview-said').textContent")
    assert "nothing to compare" in said
    # Then there is no change to show, or to sort by.
    heads = "[...document.querySelectorAll('#sentences th[scope=col]')].map((x) => x.textContent)"
    assert shown.run(heads)[-2:] == ["Size", "AER"]
    assert shown.run("document.getElementById('order').selectedOptions[0].text") == "worst first"


NAMED = ("button", "link", "combobox", "spinbutton", "image", "table", "form", "region")


def test_focusable_elements_have_a_name(past, shown):
    address = "#corpus=law&system=giza&sid=7&other=hmm"
    shown.open(past.path, address)
    settled(shown, address)
    shown.run("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    nodes = shown.call("Accessibility.getFullAXTree")["nodes"]
    seen = [
        (one["role"]["value"], one.get("name", {}).get("value", ""))
        for one in nodes
        if not one.get("ignored")
    ]
    roles = {role for role, _ in seen}
    assert {"button", "link", "combobox", "image", "table", "rowheader", "columnheader"} <= roles
    assert [role for role, name in seen if role in NAMED and not name] == []
    links = [name for role, name in seen if role == "link" and name.startswith("giza on law")]
    assert len(links) == 2  # of what changed, and of all
    assert all("worse" in link for link in links)
    assert ["interval" in link for link in sorted(links)] == [False, True]


def luminance(colour):
    parts = [int(one) / 255 for one in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (x / 12.92 if x <= 0.03928 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_width_and_both_schemes(past, shown, scheme):
    for width in (360, 800, 2560):
        shown.size(width, scheme=scheme)
        shown.open(past.path, "#corpus=law&system=giza&sid=7")
        settled(shown, "#corpus=law&system=giza&sid=7")
        inner, whole = shown.run("[innerWidth, document.documentElement.scrollWidth]")
        assert (inner, whole <= width) == (width, True)
    colours = shown.run(
        "[...document.querySelectorAll('td, th, p, a, label, summary, small, h2, select')]"
        ".filter((one) => one.textContent.trim() && one.offsetParent).map((one) => {"
        " let back = one; while (getComputedStyle(back).backgroundColor === 'rgba(0, 0, 0, 0)')"
        " back = back.parentElement;"
        " return [getComputedStyle(one).color, getComputedStyle(back).backgroundColor]; })"
    )
    for ink, paper in {tuple(one) for one in colours}:
        light, dark = sorted((luminance(ink), luminance(paper)), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, (ink, paper)


def test_it_prints(past, shown):
    shown.open(past.path, "#corpus=law&system=giza&sid=7")
    settled(shown, "#corpus=law&system=giza&sid=7")
    pdf = base64.b64decode(shown.call("Page.printToPDF")["data"])
    assert pdf.startswith(b"%PDF")
    assert 1 <= len(re.findall(rb"/Type /Page\b", pdf)) <= 5


def test_parts_are_stored_next_to_a_large_page(past, chromium, tmp_path):
    path, folder = past.page.write(tmp_path / "large # 1.html", max_mb=0)
    assert folder.name == "large # 1_files"
    assert "block-v-0-0" not in path.read_text("utf-8")
    chromium.size(1300)
    chromium.open(path, "#corpus=law&sid=7")
    settled(chromium, "#corpus=law&sid=7")
    assert len(table(chromium, "#sentences")) == 20
    assert chromium.run("document.querySelectorAll('#detail .grid rect').length") > 0
    assert chromium.said == []
    # Without its parts, the page shows what it has, and says what is missing.
    folder.rename(tmp_path / "elsewhere")
    chromium.open(path)
    chromium.wait("document.body.dataset.shown === 'failed'")
    assert "large%20%23%201_files" in chromium.run(
        "document.querySelector('[role=alert]').textContent"
    )
    assert len(table(chromium, "#overview")) == 2
    past.page.write(tmp_path / "large # 1.html")  # complete again, with nothing stale next to it


def test_translations_mark_words_that_differ_from_the_reference(chromium, tmp_path):
    pytest.importorskip("sacrebleu")
    for name, lines in {
        "hyp/system=a": ["the cat sat", "no words"],
        "hyp/system=b": ["the the cat", "<i>two</i> words"],
        "ref": ["the cat sat down", "two words"],
    }.items():
        place = tmp_path / name
        place.mkdir(parents=True)
        pl.DataFrame({"sid": [0, 1], "text": lines}).write_parquet(place / "p.parquet")
    out = tmp_path / "counts"
    af.lake.tesla(tmp_path / "hyp", tmp_path / "ref", out, metric="bleu")
    lake_report(out, bootstrap=20).write(tmp_path / "page.html")
    chromium.size(800)
    chromium.open(tmp_path / "page.html", "#sid=0&system=b&other=a")
    settled(chromium, "#sid=0&system=b&other=a")
    marked = chromium.run(
        "[...document.querySelectorAll('#detail dd')].map((dd) => [...dd.querySelectorAll('mark')]"
        ".map((one) => one.textContent))"
    )
    assert marked == [["sat", "down"], ["the"], []]
    assert chromium.said == []


def test_missing_inputs_leave_the_figures(past, tmp_path):
    hyp, gold = lakes.plain_lake(tmp_path)
    af.lake.score(hyp, gold, tmp_path / "counts")
    (tmp_path / "hyp").rename(tmp_path / "elsewhere")
    with pytest.warns(DataWarning, match="words"):
        page = lake_report(tmp_path / "counts", bootstrap=0)
    assert json.loads(unpacked(page.blocks["index"]))["kind"] == ""
    assert all(not one["at"] for one in json.loads(unpacked(page.blocks["d-0"])).values())
    assert page.history.scores.height == 32


@pytest.mark.parametrize("kind", ["parquet", "delta", "iceberg"])
def test_links_of_earlier_runs_are_shown_if_their_store_has_them(tmp_path, kind):
    gold = lakes.write(lakes.sentences(9, gold=True), tmp_path / "gold")
    place, written = tmp_path / "hyp", []
    for run_seed in range(3):
        links = lakes.sentences(run_seed)
        named = links.append_column("system", pa.array(["giza"] * links.num_rows))
        if kind == "parquet":
            lakes.write(links, place, system="giza")
        elif kind == "delta":
            deltalake = pytest.importorskip("deltalake")
            deltalake.write_deltalake(str(place), named, partition_by=["system"], mode="overwrite")
        elif not run_seed:
            place = lakes.iceberg_table(tmp_path, "links", named, ["system"])
        else:
            from alignframe.stores.catalogue import catalogue_of

            catalogue_of(place, new=True).load_table("mt.links").overwrite(named)
        af.lake.score(place, gold, tmp_path / "counts", check="content")
        written.append(links)
    page = lake_report(tmp_path / "counts", bootstrap=0, recent=2)
    index, details = (json.loads(unpacked(page.blocks[name])) for name in ("index", "d-0"))
    states = [index["at"][0][run][0] for run in range(3)]
    detail = details["3"]
    # Two runs are requested, and the baseline of the first.
    assert set(detail["at"]) == {str(one) for one in states}
    for state, links in zip(states, written, strict=True):
        own, _ = detail["at"][str(state)]
        expected = [(one["i"], one["j"]) for one in links["links"][3].as_py()]
        assert list(zip(*detail["hyp"][own], strict=True)) == expected


def test_translations_are_matched_as_by_tesla(tmp_path):
    for name, line in {
        "hyp/system=a": "a|DT cat|NN sat|VB",
        "ref": "the|DT cat|NN sat|VB down|RB",
    }.items():
        place = tmp_path / name
        place.mkdir(parents=True)
        pl.DataFrame({"sid": [0], "text": [line]}).write_parquet(place / "p.parquet")
    given = {"tagger": "given", "synonyms": "none"}
    af.lake.tesla(tmp_path / "hyp", tmp_path / "ref", tmp_path / "counts", analysis=given)
    page = lake_report(tmp_path / "counts", bootstrap=0)
    (detail,) = json.loads(unpacked(page.blocks["d-0"])).values()
    hyp, ref, edges = detail["match"]["0-0-1"]
    assert [(hyp[i], ref[j]) for i, j, *_ in edges] == [
        ("a", "the"),
        ("cat", "cat"),
        ("sat", "sat"),
    ]
    assert [similarity for _, _, similarity, _ in edges] == [0.5, 1.0, 1.0]


def test_the_command_writes_the_page_and_reports_its_path(past):
    out = past.home / "by-command.html"
    printed, _ = run(
        *("dashboard", past.out, "-o", out, "--bootstrap", 20, "--set", "max-mb=0", "--json")
    )
    assert json_of(printed)["report"] == str(out)
    assert json_of(printed)["parts"] == [str(past.home / "by-command_files")]
    said = run("dashboard", past.out, "-o", past.home / "x.txt", code=2)[1]
    assert ".html" in said
    with pytest.raises(InputError, match="baseline"):
        lake_report(past.out, baseline="nobody", bootstrap=0)


def test_a_page_is_rewritten_after_a_run(past, monkeypatch, tmp_path):
    seen = []

    def sleep(_):
        seen.append((tmp_path / "page.html").stat().st_mtime_ns)
        if len(seen) == 1:
            af.lake.score(past.hyp, past.gold, past.out)
        elif len(seen) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(report, "time", SimpleNamespace(sleep=sleep))
    options = ("--bootstrap", 0, "--watch")
    run("dashboard", past.out, "-o", tmp_path / "page.html", *options)
    assert len(seen) == 3
    assert seen[1] > seen[0]
    assert seen[2] == seen[1]


def test_an_index_lists_the_reports_of_a_folder(past, chromium):
    (past.home / "other.html").write_text("<title>not ours</title>", "utf-8")
    out = past.home / "index.html"
    printed, _ = run("report", past.home, "-o", out, "--json")
    assert json_of(printed)["report"] == str(past.home / "index.html")
    html = (past.home / "index.html").read_text("utf-8")
    assert "not ours" not in html
    chromium.open(past.home / "index.html")
    links = chromium.run(
        "[...document.querySelectorAll('td a')].map((a) => [a.textContent, a.href])"
    )
    assert ["A <b>lake</b>", past.path.resolve().as_uri()] in links
    empty = past.home / "empty"
    empty.mkdir()
    assert "no report" in run("report", empty, code=2)[1]
    _, said = run("report", past.home, "-o", out, "--figures", empty, code=2)
    assert "--figures for an index of pages; omit it" in said


def every_copy(chromium):
    """Return the text of every table of a page in every format, by pressing its buttons."""
    return chromium.run(
        "[...document.querySelectorAll('main section:not(#sentences) .export')].map("
        "(menu) => Object.fromEntries("
        "[...menu.querySelectorAll('button')].map((one) => {"
        " one.click(); return [one.textContent, menu.dataset.copied]; })))"
    )


LATEX = {
    **{sign: "\\" + sign for sign in "&%$#_{}"},
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
    "|": "\\textbar{}",
    "−": "$-$",
    "–": "--",
    "α": "$\\alpha$",
    "▲": "$\\blacktriangle$",
    "▼": "$\\blacktriangledown$",
}


def check_copies(chromium, tables):
    """Compare the copied text with the heads and rows of tables."""
    copies = every_copy(chromium)
    assert len(copies) == len(tables)
    for copy, (heads, rows) in zip(copies, tables, strict=True):
        cells = [list(heads), *([re.sub(r"\n(.+)", r" [\1]", cell) for cell in r] for r in rows)]
        # In CSV, figures have all digits.
        names = [row[0] for row in csv.reader(io.StringIO(copy["CSV"]))]
        assert names == [row[0] for row in cells]
        escaped = [[x.replace("\\", "\\\\").replace("|", "\\|") for x in row] for row in cells]
        lines = copy["Markdown"].split("\n")
        assert [f"| {' | '.join(row)} |" for row in escaped] == [lines[0], *lines[2:-1]]
        signs = [["".join(LATEX.get(sign, sign) for sign in x) for x in row] for row in cells]
        lines = copy["LaTeX"].split("\n")
        assert [f"  {' & '.join(row)} \\\\" for row in signs] == [lines[2], *lines[4:-3]]


def nasty(words):
    lists = words.to_pylist()
    for row, evil in zip(lists, EVIL, strict=False):
        row[0] = evil
    return pa.array(lists, words.type)


@pytest.mark.filterwarnings("ignore:improbable beads")  # texts are made up
def test_texts_are_never_markup_in_other_reports(chromium, bundled, tmp_path):
    def opened(page):
        page.write(tmp_path / "page.html")
        chromium.size(360)
        chromium.open(tmp_path / "page.html")
        # A chart is drawn twice if it must be narrowed.
        chromium.wait(
            "Object.keys(specs).every((one) => views[one]) && document.body.dataset.shown"
        )
        assert chromium.run("document.querySelectorAll('img, main script').length") == 0
        assert chromium.run("document.documentElement.scrollWidth") <= 360
        assert chromium.run("document.title") == page.title
        assert chromium.said == []
        every = [one for one in (page.table, *page.tables) if one is not None]
        check_copies(chromium, [(one.heads, one.rows) for one in every])
        return chromium.run("document.querySelector('main').textContent")

    text = af.formats.read_bitext(bundled / "text.en", bundled / "text.fr").slice(0, 8)
    words = text
    for side in ("src", "tgt"):
        at = text.column_names.index(side)
        words = words.set_column(at, side, nasty(text[side].combine_chunks()))
    gold, links = (
        af.formats.read(bundled / f"{name}.talp").slice(0, 8) for name in ("gold", "cautious")
    )
    hyps = dict.fromkeys(EVIL, links)
    page = (
        af.links.score(hyps, gold, bitext=words, bootstrap=0)
        .evaluated()
        .page(sentences=range(6), title=EVIL[0])
    )
    shown = opened(page)
    assert [evil for evil in EVIL if evil not in shown] == []
    # Redrawn for another width or for paper, a chart has no selection.
    chromium.size(900)
    rooms = "Object.keys(specs).map((one) => document.getElementById(one).clientWidth)"
    chromium.wait(f"`${{Object.values(fitted)}}` === `${{{rooms}}}`")
    params = chromium.run("specs['f-by-alpha'].params")
    assert [one for one in params if one.get("value")] == []
    src, tgt = parallel_text(12)
    src[: len(EVIL)], tgt[-1] = EVIL, " ".join(["word"] * LONG)
    beads = align(src, tgt, method="len")
    shown = opened(pairs_page(beads, src, tgt, title=EVIL[1]))
    assert [evil for evil in EVIL if " ".join(evil.split()) not in shown] == []
    assert "word …" in shown  # long texts are truncated


def test_other_reports_share_the_layout(chromium, tmp_path):
    data = pl.DataFrame({"x": [1, 2], "y": [3, 4]})
    chart = alt.Chart(data, title="A chart").mark_point().encode(x="x:Q", y="y:Q")
    rows = [["b <i>", "0.1\n0.0 – 0.2"], ["a|b", "0.2"]]
    long = Table(["System", "x" * 300], rows)
    name = Table(["System", "AER"], [["y" * 300, "0.1"], ["b", "0.2"]])
    page = Page("T", "L", Table(["System", "AER"], rows), [Figure("plain", chart)], [long, name])
    page.write(tmp_path / "page.html")
    chromium.size(800, scheme="dark")
    chromium.open(tmp_path / "page.html")
    chromium.wait("document.querySelector('#plain svg')")
    chromium.run("document.querySelectorAll('.export button')[2].click()")
    copied = chromium.run("document.querySelector('.export').dataset.copied")
    assert copied.splitlines()[2:] == ["| b <i> | 0.1 [0.0 – 0.2] |", "| a\\|b | 0.2 |"]
    assert chromium.run("document.getElementById('plain').getAttribute('aria-label')") == "A chart"
    assert chromium.run("getComputedStyle(document.querySelector('#plain svg')).filter") != "none"
    assert luminance(chromium.run("getComputedStyle(document.body).backgroundColor")) < 0.05
    assert chromium.run("document.documentElement.scrollWidth") <= 800
    # A long name has lines of its own, beside its figures.
    stacked = "[...document.querySelectorAll('table')].map((one) => one.className)"
    assert chromium.run(stacked) == ["", "tight stacked", ""]
    assert chromium.said == []
