"""Copies of small inputs, from which pages show links that later runs overwrote."""

import json
import os
import shutil

from helpers import lake as lakes
from helpers.dashboards import chosen, settled, unpacked

import alignframe as af
from alignframe.lake import kept
from alignframe.report import lake_report


def seen_links(out, sid="3"):
    """Return the links of giza in a sentence in each of its runs that the page has."""
    page = lake_report(out, bootstrap=0)
    index, details = (json.loads(unpacked(page.blocks[name])) for name in ("index", "d-0"))
    detail = details[sid]
    states = [str(at[0]) for at in index["at"][0]]
    places = [detail["at"][one][0] if one in detail["at"] else None for one in states]
    return [at if at is None else list(zip(*detail["hyp"][at], strict=True)) for at in places]


def links_in(seed, sid=3):
    return [(one["i"], one["j"]) for one in lakes.sentences(seed)["links"][sid].as_py()]


def rescored(folder, seeds):
    """Score links that each run overwrites, beside gold written anew with the same bytes."""
    for seed in seeds:
        gold = lakes.write(lakes.sentences(9, gold=True), folder / "gold")
        os.utime(gold, (1e9 + seed,) * 2)
        lakes.write(lakes.sentences(seed), folder / "hyp", system="giza")
        af.lake.score(folder / "hyp", folder / "gold", folder / "counts")
    return folder / "counts"


def test_links_that_were_overwritten_are_shown_from_copies(tmp_path):
    out = rescored(tmp_path, range(3))
    assert seen_links(out) == [links_in(seed) for seed in range(3)]
    # Links written since the last run are not shown as its links.
    lakes.write(lakes.sentences(7), tmp_path / "hyp", system="giza")
    assert seen_links(out) == [links_in(seed) for seed in range(3)]
    assert [path.name for path in out.rglob("*.parquet")] == ["counts.parquet"]
    assert af.lake.status(out).units.height == 1
    shutil.rmtree(out / "_alignframe" / "inputs")
    assert seen_links(out) == [None] * 3


def test_what_is_gone_is_marked_before_it_is_chosen(chromium, tmp_path):
    out = rescored(tmp_path, range(2))
    choices = "[...document.getElementById('other').options].map((one) => one.text)"
    for gone in (False, True):
        if gone:
            shutil.rmtree(out / "_alignframe" / "inputs")
        (path,) = lake_report(out, bootstrap=0).write(tmp_path / "page.html")
        chromium.open(path, "#sid=3&direction=all")
        settled(chromium, "#sid=3&direction=all")
        mark = " (no links here)" * gone
        assert chromium.run(choices) == ["gold only", f"the run before{mark}"]
        if not gone:
            chosen(chromium, "other", "the run before")
            chromium.wait("location.hash.includes('beside=baseline')")
            settled(chromium)
            dates = chromium.run("[1, 0].map(dated)")
            sides = "[...document.querySelectorAll('#detail h3')].map((one) => one.textContent)"
            assert chromium.run(sides) == [f"giza, {date}" for date in dates]
    assert chromium.said == []


def test_few_and_small_inputs_are_copied(tmp_path, monkeypatch):
    monkeypatch.setattr(kept, "VERSIONS", 2)
    out = rescored(tmp_path, range(4))
    assert seen_links(out) == [None, None, links_in(2), links_in(3)]
    # Another version replaces the oldest, and one that is back is the newest again.
    rescored(tmp_path, [2, 5])
    assert seen_links(out)[-2:] == [links_in(2), links_in(5)]
    monkeypatch.setattr(kept, "MAX_BYTES", 10)
    rescored(tmp_path, [6, 8])
    assert seen_links(out)[-2:] == [None, links_in(8)]


def test_a_file_that_changes_while_it_is_counted_is_not_copied(tmp_path, monkeypatch):
    copying = kept.shutil.copy2

    def late(file, copy):
        os.utime(file, (2e9, 2e9))
        return copying(file, copy)

    monkeypatch.setattr(kept.shutil, "copy2", late)
    out = rescored(tmp_path, [0, 1])
    assert not [*(out / "_alignframe" / "inputs").rglob("*.past")]
    monkeypatch.undo()
    full = OSError("no space left on device")
    monkeypatch.setattr(kept.shutil, "copy2", lambda *_: (_ for _ in ()).throw(full))
    assert rescored(tmp_path, [2]) == out
    assert seen_links(out)[-1] == links_in(2)
