"""Gold is mended on a page, and the edits are applied to it."""

import json

import polars as pl
import pytest
from helpers.cli import json_of, run

from alignframe import formats, links
from alignframe.errors import InputError


@pytest.fixture
def page(bundled, tmp_path):
    words = ["--gold", bundled / "gold.talp", "--hyp", bundled / "eager.talp"]
    words += ["--src", bundled / "text.en", "--tgt", bundled / "text.fr", "--bootstrap", 10]
    run("links", "score", *words, "--page", tmp_path / "page.html", "--edit")
    return tmp_path / "page.html"


def opened(chromium, page, sid):
    chromium.open(page, f"#system=eager&sid={sid}")
    chromium.wait("document.body.dataset.shown === location.hash")


def downloaded(chromium, folder, button, name):
    chromium.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
    chromium.run(f"document.getElementById({button!r}).click()")
    for _ in range(500):
        if (folder / name).exists() and (folder / name).read_text():
            return folder / name
        chromium.run("new Promise((done) => setTimeout(done, 20))")
    raise AssertionError(sorted(folder.iterdir()))


def test_ten_links_are_mended_applied_and_scored(chromium, bundled, page, tmp_path):
    gold = bundled / "gold.talp"
    scored = ["links", "score", "--hyp", bundled / "eager.talp", "--json", "--gold"]
    before = json_of(run(*scored, gold).stdout)
    chromium.size(1300)
    opened(chromium, page, 40)
    chromium.run("document.querySelector('#detail .cell[tabindex=\"0\"]').focus()")
    cells = [(i, j) for i in (0, 1) for j in range(5)]
    expected = {
        (one["i"], one["j"]): one["sure"] for one in formats.read(gold)["links"].to_pylist()[40]
    }
    following = {None: True, True: False, False: None}
    for i, j in cells:
        state = following[expected.pop((i, j), None)]
        if state is not None:
            expected[i, j] = state
        chromium.press("Enter", 13)
        moves = ["ArrowRight"] if j < 4 else ["ArrowDown"] + ["ArrowLeft"] * 4
        for move in moves:
            chromium.press(move)
    assert "10 links of 1 sentence changed" in chromium.run(
        "document.getElementById('edits-said').textContent"
    )
    assert chromium.run("document.querySelectorAll('#detail .changed').length") == 10
    label = chromium.run("document.querySelector('#detail .cell').getAttribute('aria-label')")
    assert ", changed" in label
    # One more is undone; the next sentence is only checked.
    chromium.press("Enter", 13)
    assert chromium.run("document.querySelectorAll('#detail .changed').length") == 11
    chromium.press("u")
    assert chromium.run("document.querySelectorAll('#detail .changed').length") == 10
    chromium.press("n")
    chromium.wait("state.sid !== '40' && document.activeElement.matches('.cell')")
    other = int(chromium.run("state.sid"))
    chromium.run("document.getElementById('checked').click()")
    # Edits are not saved without a name; the browser keeps them when the page is opened again.
    chromium.run("document.getElementById('save-edits').click()")
    assert chromium.run("document.activeElement.id") == "annotator"
    chromium.run("the('annotator').value = 'Ann </script>'; keepEdits()")
    opened(chromium, page, 40)
    assert chromium.run("document.querySelectorAll('#detail .changed').length") == 10
    edits = downloaded(chromium, tmp_path, "save-edits", "edits-Ann-script-.json")
    whole = downloaded(chromium, tmp_path, "save-gold", "gold.edited.talp")
    assert not chromium.said
    told = json_of(run("gold", "apply", gold, edits, "-o", tmp_path / "new.talp", "--json").stdout)
    assert [row["sid"] for row in told["changes"]] == sorted([40, other])
    assert {row["annotators"] for row in told["changes"]} == {"Ann </script>"}
    made, old = (formats.read(one)["links"].to_pylist() for one in (tmp_path / "new.talp", gold))
    assert {(one["i"], one["j"]): one["sure"] for one in made[40]} == expected
    assert [made[sid] for sid in range(72) if sid != 40] == [
        old[sid] for sid in range(72) if sid != 40
    ]
    assert whole.read_text() == (tmp_path / "new.talp").read_text()
    after = json_of(run(*scored, tmp_path / "new.talp").stdout)
    assert after[0]["aer"] != before[0]["aer"]
    # A page of the new gold has no edits yet.
    assert json.loads(edits.read_text())["gold"] == str(gold)


def test_a_browser_that_keeps_nothing_says_so(chromium, page):
    script = (
        "Object.defineProperty(window, 'localStorage', { get() { throw new Error('denied'); } })"
    )
    found = chromium.call("Page.addScriptToEvaluateOnNewDocument", source=script)
    opened(chromium, page, 3)
    chromium.run("document.querySelector('#detail .cell').dispatchEvent(new Event('click'))")
    assert "keeps nothing" in chromium.run("document.getElementById('edits-said').textContent")
    chromium.call("Page.removeScriptToEvaluateOnNewDocument", identifier=found["identifier"])
    assert chromium.run("document.querySelectorAll('#detail .changed').length") == 1
    assert not chromium.said
    chromium.run("onbeforeunload = null")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "`edit` with no text"),
        ({"possible_as_sure": True}, "`edit` with `possible_as_sure`"),
        ({"drop_outside": True}, "`edit` with `drop_outside`"),
    ],
)
def test_gold_is_edited_as_it_is_stored(bundled, given, said):
    text = formats.read_bitext(bundled / "text.en", bundled / "text.fr") if given else None
    found = links.score(
        bundled / "eager.talp", bundled / "gold.talp", bitext=text, bootstrap=0, **given
    )
    with pytest.raises(InputError, match=said):
        found.page(edit=True)


def test_gold_may_have_no_links_yet(bundled):
    text = formats.read_bitext(bundled / "text.en", bundled / "text.fr")
    made = links.score(bundled / "eager.talp", pl.Series([""] * 72), bitext=text, bootstrap=0).page(
        edit=True, sentences=[3, 5]
    )
    assert "nothing is scored" in made.lead
    assert [row["unit"] for row in made.sentences.rows] == [3, 5]
    assert not made.sentences.edit["whole"]
    assert "Your name" in made.html()
