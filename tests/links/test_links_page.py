"""The report and its charts."""

import re
import sys
from html import unescape

import polars as pl
import pytest
from helpers.cli import json_of, run
from helpers.pages import links_shown, sentences, specs_of
from helpers.sql import connected

from alignframe import formats, links
from alignframe.errors import InputError, MissingExtraError
from alignframe.kernels.ragged import tidy
from alignframe.links import charts, worst
from alignframe.links.inputs import links_source


@pytest.fixture(scope="module")
def hyps(bundled):
    return {name: bundled / f"{name}.talp" for name in ("eager", "cautious", "forward")}


@pytest.fixture(scope="module")
def page(bundled, hyps):
    text = formats.read_bitext(bundled / "text.en", bundled / "text.fr")
    return (
        links.score(hyps, bundled / "gold.talp", bitext=text, bootstrap=100, alpha=[0.5, 0.1])
        .evaluated()
        .page()
    )


def test_page_needs_no_network(page):
    html = page.html()
    body = re.sub(r"<script>.*?</script>", "", html, flags=re.DOTALL)
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//""", body)
    assert "@import" not in body
    specs = specs_of(html)
    assert set(specs) == {figure.name for figure in page.figures} >= {"precision-recall"}
    for name in specs:
        assert f'<div id="{name}"></div>' in body


def test_page_shows_the_scores(page, bundled, hyps):
    frame = links.score(hyps, bundled / "gold.talp").scores
    html = page.html()
    for row in frame.iter_rows(named=True):
        assert row["system"] in html
        assert f"{row['aer']:.4f}" in html
    marks = page.signature.split(" ")
    assert len(marks) == 2  # that of intervals, and that of tests
    assert all(one in html for one in marks)


def test_a_page_is_that_of_scores_and_comparisons(bundled, hyps, tmp_path):
    gold, drawn = bundled / "gold.talp", {"bootstrap": 50, "confidence": 0.9}
    found = links.score(hyps, gold, **drawn).evaluated(baseline="forward")
    assert found.scores.sort("system").equals(links.score(hyps, gold, **drawn).scores)
    assert found.comparisons.equals(links.score(hyps, gold, **drawn).compare("forward"))
    made = found.page()
    assert "Bars are 90% intervals" in made.figures[0].caption
    words = [f"--hyp={path}" for path in hyps.values()]
    words += ["--baseline", "forward", "--bootstrap", 50, "--set", "confidence=0.9"]
    run("links", "score", "--gold", gold, *words, "--page", tmp_path / "p.html")
    assert made.lead in unescape((tmp_path / "p.html").read_text("utf-8"))
    alone = links.score({"eager": hyps["eager"]}, gold, bootstrap=20).evaluated()
    assert not alone.comparisons.height
    with pytest.raises(InputError, match="unknown `baseline` 'fast'"):
        links.score(hyps, gold).evaluated(baseline="fast")


def test_names_cannot_break_the_page(bundled):
    name = "</script><b>&"
    made = (
        links.score({name: bundled / "eager.talp"}, bundled / "gold.talp", bootstrap=0)
        .evaluated()
        .page(title="a <b> title")
    )
    html = made.html()
    assert "</script><b>" not in html
    assert "a &lt;b&gt; title" in html


def test_chosen_sentences_open_their_links(bundled, hyps):
    made = links.score(hyps, bundled / "gold.talp", bootstrap=0).evaluated().page(sentences=[3, 5])
    assert "Listed are 2 of 72 sentences, the chosen ones." in made.about
    rows = links_shown(made)
    assert {sid for sid, *_ in rows} == {3, 5}
    gold = formats.read(bundled / "gold.talp")["links"].to_pylist()
    shown = [kind for sid, system, *_, kind in rows if (sid, system) == (3, "")]
    assert len(shown) == len(gold[3])
    assert shown.count("Sure") == sum(link["sure"] for link in gold[3])
    with pytest.raises(InputError, match="gold has no sentence 999"):
        links.score(hyps, bundled / "gold.talp", bootstrap=0).evaluated().page(sentences=[999])


def test_two_systems_are_compared_in_a_sentence(chromium, bundled, tmp_path):
    sid = 40
    made = {
        name: {
            (one["i"], one["j"])
            for one in formats.read(bundled / f"{name}.talp")["links"].to_pylist()[sid]
        }
        for name in ("eager", "cautious")
    }
    text = formats.read_bitext(bundled / "text.en", bundled / "text.fr")
    links.score(
        {name: bundled / f"{name}.talp" for name in made},
        bundled / "gold.talp",
        bitext=text,
        bootstrap=0,
    ).evaluated().page().write(tmp_path / "page.html")
    eager, cautious = made["eager"], made["cautious"]
    assert eager - cautious
    assert cautious - eager
    chromium.size(1300)
    for other in ("", "cautious", "eager"):
        address = f"#system=eager&other={other}&sid={sid}"
        chromium.open(tmp_path / "page.html", address)
        chromium.wait("document.body.dataset.shown === location.hash")
        drawn = [
            chromium.run(f"document.querySelectorAll('#detail .grid .{one}').length")
            for one in ("first", "second")
        ]
        assert drawn == [len(eager), len(cautious) * (other == "cautious")]
    chromium.open(tmp_path / "page.html", "#system=eager&other=cautious")
    chromium.wait("document.body.dataset.shown === location.hash")
    values = {row["unit"]: row["values"][0] for row in chromium.run("data.rows")}
    change = {unit: one[0] - one[1] for unit, one in values.items()}
    order = sorted((u for u in change if change[u]), key=lambda unit: -abs(change[unit]))
    shown = chromium.run("listed.map((one) => [one.unit, one.change])")
    assert [abs(one) for _, one in shown] == [abs(change[unit]) for unit in order]
    # Every sentence that is listed opens, by the keyboard too.
    for _ in range(3):
        chromium.run("document.querySelector('#sentences tbody a').focus()")
        chromium.press("Enter", 13)
        chromium.wait("document.activeElement.id === 'detail-title'")
        assert chromium.run("document.querySelectorAll('#detail .grid .first').length")
        at = chromium.run("location.hash")
        chromium.run("document.getElementById('after').focus()")
        chromium.press("Enter", 13)
        chromium.wait(f"location.hash !== {at!r} && document.body.dataset.shown === location.hash")
        assert chromium.run("document.querySelectorAll('#detail .grid').length")
        # Escape closes it, and the focus is on its link again.
        sid = chromium.run("state.sid")
        chromium.press("Escape", 27)
        chromium.wait("!state.sid && document.body.dataset.shown === location.hash")
        assert chromium.run("document.getElementById('detail').hidden")
        focused = chromium.run("document.activeElement.getAttribute('href')")
        assert focused.endswith(f"&sid={sid}")
    # Charts that are drawn again while they are drawn get the width of the last drawing.
    widths = "[...document.querySelectorAll('svg.marks')].map((one) => one.getAttribute('width'))"
    drawn = chromium.run(f"drawAll(); Promise.all(Object.values(turns)).then(() => {widths})")
    again = "drawAll(true); drawAll(); Promise.all(Object.values(turns))"
    assert chromium.run(f"{again}.then(() => {widths})") == drawn
    # Names have other places in a narrow chart, and buttons would be left out of repeated heads.
    texts = "[...document.querySelectorAll('#precision-recall .role-mark text')]"
    named = f"{texts}.filter((one) => one.textContent === 'eager').length === 2"
    for width in (1300, 390):
        chromium.size(width)
        chromium.open(tmp_path / "page.html")
        chromium.wait(named)
    chromium.call("Emulation.setEmulatedMedia", media="print")
    head = "getComputedStyle(document.querySelector('th button')).display"
    assert chromium.run(head) == "contents"
    chromium.call("Emulation.setEmulatedMedia", media="")
    assert chromium.said == []


def test_each_system_has_a_small_chart_of_errors(bundled, hyps):
    made = links.score(hyps, bundled / "gold.talp", bootstrap=20).evaluated().page()
    spec = next(one.chart for one in made.figures if one.name == "error-by-length").to_dict()
    own = spec["datasets"][spec["data"]["name"]]
    expected = links.score(hyps, bundled / "gold.talp", by=["length"]).scores
    assert {(row["system"], row["length"]): row["aer"] for row in own} == {
        (row["system"], row["length"]): row["aer"] for row in expected.iter_rows(named=True)
    }
    assert all(row["aer_low"] <= row["aer"] <= row["aer_high"] for row in own)
    (others,) = (rows for rows in spec["datasets"].values() if rows is not own)
    assert {(row["other"], row["aer"]) for row in others} == {
        (row["system"], row["aer"])
        for row in own  # all of them, behind each
    }
    best = links.score(hyps, bundled / "gold.talp").scores.sort("aer")["system"].to_list()
    assert spec["facet"]["sort"] == best


def test_every_sentence_has_its_errors_and_links(page, bundled, hyps):
    data, rows = sentences(page), links_shown(page)
    counts = links.score(hyps, bundled / "gold.talp").counts
    assert len(data["rows"]) == 72
    totals = []
    for row in data["rows"]:
        for system, errors in zip(data["systems"], row["values"][0], strict=True):
            own = [
                (i, j, kind) for sid, of, i, j, kind in rows if (sid, of) == (row["unit"], system)
            ]
            gold = {(i, j): kind for sid, of, i, j, kind in rows if (sid, of) == (row["unit"], "")}
            missing = [x for x, kind in gold.items() if kind == "Sure" and (*x, "right") not in own]
            assert errors == sum(kind == "wrong" for *_, kind in own) + len(missing)
            (count,) = counts.filter(sid=row["unit"], system=system)["n_hyp"]
            assert len(own) == count
        totals.append(sum(row["values"][0]))
    assert totals == sorted(totals, reverse=True)


def test_figures(page, tmp_path):
    written = page.write_figures(tmp_path, "svg")
    assert len(written) == len(page.figures)
    assert all(path.read_bytes().startswith(b"<svg") for path in written)


def test_a_missing_package_names_the_extra(page, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'alignframe\[report\]'"):
        page.html()


def test_curves_of_equal_f():
    """Every point of a curve has the F of its label."""
    scores = pl.DataFrame({"system": ["s"], "precision": [0.9], "recall": [0.8], "aer": [0.1]})
    spec = charts.precision_recall(scores, alpha=0.3).to_dict()
    rows = [r for data in spec["datasets"].values() for r in data if "level" in r]
    assert len({row["level"] for row in rows}) >= 4
    for row in rows:
        f = 1 / (0.3 / row["precision"] + 0.7 / row["recall"])
        assert f == pytest.approx(row["level"])


def test_page_of_a_system_without_links(tmp_path, bundled):
    empty = tmp_path / "empty.talp"
    empty.write_text("\n" * 72, "utf-8")
    made = links.score({"none": empty}, bundled / "gold.talp", bootstrap=20).evaluated().page()
    assert "undefined" in made.html()


def test_links_of_long_tables_in_any_order(bundled):
    nested = formats.read(bundled / "eager.talp")
    flat = pl.DataFrame(nested).explode("links").unnest("links").drop("sure", "system")
    wanted, made = (
        links.score({"x": given}, bundled / "gold.talp", bootstrap=0)
        .evaluated()
        .page(sentences=[0, 4])
        for given in (nested, flat.sort("j"))
    )
    assert sorted(links_shown(made)) == sorted(links_shown(wanted))


def test_many_systems_leave_sentences_out(bundled, monkeypatch):
    monkeypatch.setattr("alignframe.pages.sentences.MOST", 4_000)
    hyps = {f"a-rather-long-system-name-{k}": bundled / "eager.talp" for k in range(100)}
    made = links.score(hyps, bundled / "gold.talp", bootstrap=0).evaluated().page()
    assert len(sentences(made)["rows"]) == 40
    assert "Listed are 40 of 72 sentences, those with the most errors." in made.about
    assert len(links_shown(made)) > 5000


def test_a_link_with_both_labels_is_sure_in_the_grid():
    row = [{"i": 0, "j": 0, "sure": True}, {"i": 0, "j": 0, "sure": False}]
    gold = pl.DataFrame({"sid": [0], "links": [row]})
    made = links.score({"x": gold}, gold, bootstrap=0).evaluated().page(sentences=[0])
    assert links_shown(made) == [(0, "", 0, 0, "Sure"), (0, "x", 0, 0, "right")]


def test_charts_take_any_table_and_show_complete_intervals():
    scores = {"system": ["a"], "precision": [0.5], "recall": [0.4], "aer": [0.5], "aer_low": [0.4]}
    with pytest.raises(InputError, match="aer_high"):
        charts.precision_recall(scores)
    scores["aer_high"] = [0.6]
    assert "layer" in charts.precision_recall(scores).to_dict()


def test_worst_sentences_are_those_with_the_most_errors(bundled, tmp_path):
    """By number of errors, as in SQL, not by AER; the links named are those of sets."""
    gold, hyps = bundled / "gold.talp", {"eager": bundled / "eager.talp"}
    text = formats.read_bitext(bundled / "text.en", bundled / "text.fr")
    found = links.score(hyps, gold, bitext=text).worst(5)
    sides = text["src"].to_pylist(), text["tgt"].to_pylist()
    assert found.equals(links.score(hyps, gold, bitext=sides).worst(5))
    with connected() as con:
        con.register("hyp", links.read(hyps["eager"], system="eager"))
        con.register("gold", links.read(gold))
        wanted = con.sql("from worst_sentences('hyp', 'gold', n := 5)").pl()
    assert found.select("sid", "errors").rows() == wanted.select("sid", "errors").rows()
    assert found["aer"].to_list() == pytest.approx(wanted["aer"].to_list())
    every = links.score(hyps, gold, by="sid").scores.sort("aer", descending=True, nulls_last=True)
    assert found["sid"].to_list() != every["sid"].head(5).to_list()
    mine, truth = (
        {row["sid"]: row["links"] for row in links.read(one).frame.to_dicts()}
        for one in (hyps["eager"], gold)
    )
    for row in found.to_dicts():
        made = {(one["i"], one["j"]) for one in mine[row["sid"]]}
        known = {(one["i"], one["j"]): one["sure"] for one in truth[row["sid"]]}
        wrong, missing = made - set(known), {pair for pair in known if known[pair]} - made
        assert row["errors"] == len(wrong) + len(missing)
        src, tgt = row["src"].split(), row["tgt"].split()
        for name, pairs in (("wrong", wrong), ("missing", missing)):
            said = ", ".join(f"{i}-{j} {src[i]} {tgt[j]}" for i, j in sorted(pairs))
            assert row[name] == said
    words = ["--gold", gold, "--hyp", hyps["eager"], "--worst", 5, "--json"]
    out, _ = run("links", "score", *words)
    assert [row["sid"] for row in json_of(out)] == found["sid"].to_list()
    for option, value in (("by", "length"), ("alpha", 0.3), ("bootstrap", 9)):
        _, said = run("links", "score", *words, f"--{option}", value, code=2)
        assert f"--worst with --{option}" in said
    assert "--bands needs --by length" in run("links", "score", *words, "--bands", 10, code=2)[1]
    page = links.score(hyps, gold, bootstrap=0).evaluated().page()
    most = links.score(hyps, gold).worst(72)
    assert [row["unit"] for row in sentences(page)["rows"]] == most["sid"].to_list()


def test_links_of_many_sentences_are_sorted_at_once(monkeypatch):
    sorted_at_once = []

    def counted(given):
        sorted_at_once.append(given.rows)
        return tidy(given)

    monkeypatch.setattr(worst, "tidy", counted)
    # Sentence 0 goes on after sentence 1, and repeats a link.
    rows = [(0, 2, 2), (0, 1, 1), (1, 0, 0), (2, 5, 5), (0, 0, 0), (0, 1, 1)]
    long = pl.DataFrame(rows, schema=["sid", "i", "j"], orient="row").with_columns(
        system=pl.lit("a")
    )
    found = worst.chosen_links([links_source(long)], [0, 1])
    assert {key: links["i"].tolist() for key, links in found.items()} == {
        ("a", 0): [0, 1, 2],
        ("a", 1): [0],
    }
    nested = {"sid": range(300), "links": [[{"i": 1, "j": 0}, {"i": 0, "j": 0}]] * 300}
    sorted_at_once.clear()
    found = worst.chosen_links([links_source(pl.DataFrame(nested), "a")], range(300))
    assert [links["i"].tolist() for links in found.values()] == [[0, 1]] * 300
    assert sorted_at_once == [300]
