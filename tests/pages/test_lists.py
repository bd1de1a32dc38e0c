"""The list of sentences of a page: marks that lead to it, its filters, its orders."""

import json
import statistics

import pytest
from helpers import page_kinds
from helpers.pages import sentences

from alignframe import aligners, formats, links, mt
from alignframe.aligners.bidirectional import read_directions
from alignframe.report import page_of

TEXT = formats.read_bitext(page_kinds.EN_FR / "text.en", page_kinds.EN_FR / "text.fr")


@pytest.fixture(scope="module")
def scored():
    return links.score(page_kinds.HYPS, page_kinds.GOLD, bitext=TEXT, bootstrap=50).evaluated()


@pytest.mark.parametrize("text", [TEXT, None])
def test_the_length_of_a_sentence_is_in_its_band(text):
    found = links.score(page_kinds.HYPS, page_kinds.GOLD, bitext=text, bootstrap=0).evaluated()
    data = sentences(found.page())
    band_of = dict(found.counted.frame.select("sid", "length").iter_rows())
    assert len({*band_of.values()}) > 2
    for row in data["rows"]:
        first, last = data["bands"][band_of[row["unit"]]]
        assert first <= row["length"] <= (last or 999)


def pressed(chromium, selector, at=0):
    """Click on the middle of an element."""
    x, y = chromium.run(
        f"(() => {{ const one = [...document.querySelectorAll({json.dumps(selector)})].at({at}); "
        "one.scrollIntoView({block: 'center'}); const {x, y, width, height} = "
        "one.getBoundingClientRect(); return [x + width / 2, y + height / 2]; })()"
    )
    for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
        button = {} if kind == "mouseMoved" else {"button": "left", "clickCount": 1}
        chromium.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **button)


def settled(chromium, part=""):
    shown = "document.body.dataset.shown === (location.hash || '#')"
    chromium.wait(f"location.hash.includes({part!r}) && {shown}")


def shown(chromium):
    """Return what the list says, its filters, and the numbers of its sentences."""
    return chromium.run(
        "[document.getElementById('sentences-said').textContent, [...document.querySelectorAll("
        "'#filters button')].map((one) => one.textContent), listed.map((one) => one.unit)]"
    )


def test_words_of_an_address_that_are_not_known_are_said(chromium, scored, tmp_path):
    scored.page().write(tmp_path / "page.html")
    said = "document.getElementById('unknown').textContent"
    known = "#system=eager&other=forward&direction=worse&least=2&order=length&sid=3&measure=Recall"
    for address, wanted in (
        ("", ""),
        (known, ""),
        ("#sort=nonsense&system=unknown&least=2", "sort=nonsense, system=unknown"),
        ("#least=few&order=none&measure=AER%3F&other=eager", "least=few, order=none, measure=AER?"),
        ("#is=Source%3Dhouse&other=eager", "is=Source=house"),
    ):
        chromium.open(tmp_path / "page.html", address)
        settled(chromium)
        begin = "Not understood in the address, and left out: "
        assert chromium.run(said) == (wanted and f"{begin}{wanted}.")
        assert chromium.run("listed.length > 0")
    chromium.run(f"location.hash = {known!r}")
    settled(chromium, "forward")
    assert chromium.run(said) == ""


def test_marks_lead_to_their_sentences_and_addresses_keep_them(chromium, scored, tmp_path):
    page = scored.page()
    page.write(tmp_path / "page.html")
    chromium.size(1300)
    chromium.open(tmp_path / "page.html")
    settled(chromium)
    chromium.wait(f"Object.keys(views).length === {len(page.figures)}")
    chromium.run("Promise.all(Object.values(turns)).then(() => 0)")
    rows = sentences(page)["rows"]
    lengths = {row["unit"]: row["length"] for row in rows}
    # A point of a band lists its system and the sentences of its band.
    pressed(chromium, "#error-by-length .mark-symbol path")
    settled(chromium, "least")
    given = chromium.run("Object.fromEntries(new URLSearchParams(location.hash.slice(1)))")
    least, most = int(given["least"]), int(given["most"])
    said, chips, units = shown(chromium)
    assert given["system"] == scored.scores["system"][0]
    assert f"of {given['system']}." in said
    assert chips == [f"Length from {least} ✕", f"Length to {most} ✕", "Clear all"]
    assert sorted(units) == sorted(u for u, n in lengths.items() if least <= n <= most)
    assert chromium.run("document.activeElement.id") == "sentences-title"
    # The address alone shows the same list, with words and an order that controls add to it.
    for name, value in (("words", "the"), ("order", "-AER")):
        chromium.run(
            f"(() => {{ const one = document.getElementById('{name}'); one.value = '{value}'; "
            "one.dispatchEvent(new Event('input')); })()"
        )
        settled(chromium, f"{name}={value}")
    before = shown(chromium)
    assert 0 < len(before[2]) < len(units)
    address = chromium.run("location.hash")
    chromium.open(tmp_path / "page.html", address)
    settled(chromium, address)
    assert shown(chromium) == before
    aers = chromium.run("listed.map((one) => one.values[1][state.system])")
    assert aers == sorted(aers)
    # Filters go one by one, or all together; the system stays.
    chromium.run("document.querySelector('#filters button').click()")
    settled(chromium, "most")
    assert shown(chromium)[1][0] == f"Length to {most} ✕"
    chromium.run("[...document.querySelectorAll('#filters button')].at(-1).click()")
    chromium.wait("!document.querySelector('#filters').textContent")
    assert f"system={given['system']}" in chromium.run("location.hash")
    # A row of differences compares with the baseline, by the keyboard too.
    chromium.run("document.querySelector('.tables td a').focus()")
    chromium.press("Enter", 13)
    settled(chromium, "other=")
    own = chromium.run("[data.systems[state.system], data.systems[state.other]]")
    assert own == [page.tables[0].rows[0][0], scored.scores["system"][0]]
    # A head sorts by its column, and then the other way round.
    for number in (1, 2):
        chromium.run(
            "[...document.querySelectorAll('#sentences thead button')].find((one) => "
            "one.textContent === 'Length').click()"
        )
        settled(chromium, "order=" + "-" * (number - 1) + "length")
        found = [lengths[unit] for unit in shown(chromium)[2]]
        assert found == sorted(found, reverse=number == 1)
    assert chromium.said == []


def test_an_entry_lists_its_sentence(chromium, tmp_path):
    page = page_of(page_kinds.phrase_study())
    page.write(tmp_path / "page.html")
    chromium.open(tmp_path / "page.html")
    settled(chromium)
    number = next(at for at, one in enumerate(page.tables) if "Source" in one.picks)
    row = page.tables[number].rows[0]
    chromium.run(f"document.querySelectorAll('.tables table')[{number}].querySelector('a').click()")
    settled(chromium, "is=")
    assert chromium.run("listed.map((one) => one.cells.slice(0, 2))") == [[*row[:2]]]
    assert shown(chromium)[1] == [f"Source: {row[0]} ✕", f"Target: {row[1]} ✕", "Clear all"]
    assert chromium.said == []


def test_evidence_is_beside_a_page_that_would_be_too_large(chromium, scored, tmp_path):
    page = scored.page()
    path, folder = page.write(tmp_path / "large # 1.html", max_mb=0.5)
    assert page.write(tmp_path / "whole.html") == [tmp_path / "whole.html"]
    whole, rows = sentences(page), len(page.sentences.rows)
    assert [one["detail"] for one in whole["rows"]] == [
        json.loads(json.dumps(one["detail"])) for one in page.sentences.rows
    ]
    assert len([*folder.iterdir()]) == -(-rows // whole["piece"]) > 1
    assert path.stat().st_size < (tmp_path / "whole.html").stat().st_size
    address = f"#sid={page.sentences.rows[-1]['unit']}"
    chromium.open(path, address)
    settled(chromium, address)
    assert chromium.run("document.querySelectorAll('#detail .grid rect').length") > 0
    assert chromium.said == []
    for one in folder.iterdir():
        one.unlink()
    chromium.open(path, address)
    settled(chromium, address)
    said = "document.querySelector('#detail [role=alert]').textContent"
    assert "large%20%23%201_files" in chromium.run(said)
    assert len(shown(chromium)[2]) == rows


def test_all_systems_are_side_by_side_with_what_differs(chromium, tmp_path):
    ref = ["The cat, sat down.", "他 在 家。", "Same <b>text</b>"]
    hyps = {
        "near": ["The cat sat down.", "他不在家", "Same <b>text</b>"],
        "far": ["the Cat, sat. sat", "", "same"],
    }
    page = mt.score(hyps, ref, bootstrap=0).evaluated().page()
    page.write(tmp_path / "page.html")
    chromium.size(900)
    parts = "[...one.childNodes].map((part) => part.nodeName === 'MARK' ? `[${part.textContent}]`"
    parts += " : part.textContent).join('')"
    found = {}
    for sid in range(3):
        address = f"#system=far&sid={sid}"
        chromium.open(tmp_path / "page.html", address)
        settled(chromium, address)
        found[sid] = chromium.run(
            "[...document.querySelectorAll('#detail dd, #detail td.words')].map((one) => "
            + parts
            + ")"
        )
    assert found[0] == [
        "[The] [cat], sat [down].",
        "The cat sat down.",
        "[the] [Cat], sat. [sat]",
    ]
    assert found[1] == ["[他] [在] [家。]", "他[不]在家", ""]
    assert found[2] == ["[Same] [<b>text</b>]", "Same <b>text</b>", "[same]"]
    figures = {row["unit"]: row["values"] for row in sentences(page)["rows"]}
    rows = "[...document.querySelectorAll('#detail tbody tr')].map((row) => "
    rows += "[...row.cells].map((cell) => cell.textContent))"
    assert [[row[0], *row[2:]] for row in chromium.run(rows)] == [
        [name, *(f"{values[at]:.1f}" for values in figures[2])]
        for at, name in enumerate(page.sentences.systems)
    ]
    # The list has what orders it, of all systems; another order has its own column.
    heads = "[...document.querySelectorAll('#sentences thead th')].map((one) => one.textContent)"
    assert chromium.run(heads)[-1] == "Spread of BLEU"
    spread = {unit: statistics.stdev(values[0]) for unit, values in figures.items()}
    shown_ = chromium.run(
        "[...document.querySelectorAll('#sentences tbody tr')].map((row) => "
        "[row.cells[0].textContent, [...row.cells].at(-1).textContent])"
    )
    assert shown_ == [
        [str(unit), f"{spread[unit]:.1f}"] for unit in sorted(spread, key=lambda u: -spread[u])
    ]
    assert chromium.said == []


@pytest.mark.parametrize("leftward", [True, False])
def test_a_grid_runs_as_its_target_and_says_where_it_goes_on(chromium, tmp_path, leftward):
    src = [f"word{at}" for at in range(30)]
    tgt = ["شيء" if leftward else "thing", *(f"{at}." for at in range(29))]
    gold = " ".join(f"{at}-{at}" for at in range(30))
    page = links.score({"a": ["0-0 1-1"]}, [gold], bitext=[(src, tgt)], bootstrap=0)
    page.evaluated().page().write(tmp_path / "page.html")
    places = "[...document.querySelectorAll('#detail .grid .first')].map((one) => one.cx.baseVal)"
    words = "[...document.querySelectorAll('#detail .grid text')].slice(30, 32).map((one) => +"
    hint = "[...document.querySelectorAll('#detail .said')].at(-1)"
    for width, way in ((1300, ""), (390, "left" if leftward else "right")):
        chromium.size(width, 2000)
        chromium.open(tmp_path / "page.html", "#sid=0")
        settled(chromium, "sid")
        first, second = chromium.run(places + ".map((one) => one.value)")
        heads = chromium.run(words + "one.getAttribute('x'))")
        assert (first > second) == (heads[0] > heads[1]) == leftward
        assert abs(first - second) == abs(heads[0] - heads[1])
        chromium.wait(f"{hint}.hidden === {json.dumps(not way)}")
        if way:
            assert f"goes on to the {way}:" in chromium.run(f"{hint}.textContent")
            inside = "one.getBoundingClientRect()"
            box = chromium.run(
                f"['.scroll', '.grid .first'].map((name) => document.querySelector('#detail ' + "
                f"name)).map((one) => [{inside}.left, {inside}.right])"
            )
            assert box[0][0] <= box[1][0] < box[1][1] <= box[0][1]
    assert chromium.said == []


def test_a_grid_without_gold_shows_probabilities_and_upright_letters(chromium, tmp_path):
    text = [(["big"], ["大"]), (["big", "house"], ["大", "房子", "(the)"]), (["house"], ["房子"])]
    models = [aligners.fit(text, model="ibm1", reverse=reverse) for reverse in (False, True)]
    made = aligners.evaluate(read_directions(models, text), text)
    made.page().write(tmp_path / "page.html")
    chromium.size(1300, 1500)
    chromium.open(tmp_path / "page.html", "#sid=1")
    settled(chromium, "sid")
    links, chances = made.links.filter(system="ibm1.grow-diag-final-and", sid=1).row(0)[2:4]
    dots = "[...document.querySelectorAll('#detail .grid .first')]"
    opacity = chromium.run(f"{dots}.map((one) => +one.getAttribute('opacity'))")
    assert opacity == pytest.approx([0.2 + 0.8 * one for one in chances], abs=1e-3)
    assert chromium.run("document.querySelectorAll('#detail .grid .wrong').length") == 0
    said = chromium.run("document.getElementById('detail').textContent")
    assert "the fainter, the less probable." in said
    assert "gold" not in said
    heads = "[...document.querySelectorAll('#detail .grid text')].slice(2)"
    letters = chromium.run(f"{heads}.map((one) => [...one.children].map((two) => two.textContent))")
    assert letters == [["大"], ["房", "子"], []]
    turned = chromium.run(f"{heads}.map((one) => one.hasAttribute('transform'))")
    assert turned == [False, False, True]
    cells = chromium.run(
        "[...document.querySelectorAll('#detail .rows tbody tr')].map((row) => "
        "[...row.cells].map((one) => one.textContent))"
    )
    src, tgt = text[1]
    wanted = [[src[i["i"]], tgt[i["j"]]] for i in links]
    assert [row[:2] for row in cells] == wanted
    assert [float(row[2]) for row in cells] == pytest.approx(chances, abs=1e-3)
    assert chromium.said == []


def test_another_measure_sorts_the_systems_again(chromium, tmp_path):
    """As a page does that is opened with the measure in its address."""
    refs = ["a b c d e f g h i j", "k l m n o p q r s t"] * 3
    hyps = {"words": [ref[:11] for ref in refs], "letters": [ref.replace(" ", "") for ref in refs]}
    page = mt.score(hyps, refs, bootstrap=20).page()
    page.write(tmp_path / "page.html")
    chromium.size(1300)

    def rows():
        labels = "document.querySelectorAll('#systems .role-axis-label text')"
        chromium.wait(f"[...{labels}].length > 2")
        every = chromium.run(f"[...{labels}].map((one) => one.textContent)")
        return [one for one in every if one in hyps]

    chromium.open(tmp_path / "page.html", "#measure=chrF")
    chromium.wait("document.querySelector('#systems select').value === 'chrF'")
    wanted = rows()
    chromium.open(tmp_path / "page.html")
    before = rows()
    chromium.run(
        "(() => { const one = document.querySelector('#systems select'); one.value = 'chrF'; "
        "one.dispatchEvent(new Event('input', {bubbles: true})); "
        "one.dispatchEvent(new Event('change', {bubbles: true})); })()"
    )
    chromium.wait("location.hash === '#measure=chrF'")
    chromium.wait("shown.systems.params.some((one) => one.value === 'chrF')")
    chromium.run("turns.systems.then(() => true)")
    assert (before, rows()) == (["words", "letters"], wanted)
    assert wanted == ["letters", "words"]
