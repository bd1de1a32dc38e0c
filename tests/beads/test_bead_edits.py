"""Borders of beads are edited on a page, and the edits are applied."""

import json
from itertools import pairwise

import polars as pl
import pytest
from helpers.cli import json_of, run
from hypothesis import given, settings
from hypothesis import strategies as st

from alignframe import beads
from alignframe.errors import InputError
from alignframe.formats.edits import digest

MILL = "datasets/mill/mill"
SIZES = (6, 5)
ENDS = ((0, 0), SIZES)


@st.composite
def paths(draw):
    """Return the borders of a document of ``SIZES``, in order."""
    found, (i, j) = [], (0, 0)
    while (i, j) != SIZES:
        i2 = draw(st.integers(i, SIZES[0]))
        j2 = draw(st.integers(j + (i2 == i and j < SIZES[1]), SIZES[1]))
        i2 += i2 == i and j2 == j
        i, j = i2, j2
        found.append((i, j))
    return found[:-1]


def beads_of(path):
    ends = [ENDS[0], *path, ENDS[1]]
    return [(a, b, c, d) for (a, c), (b, d) in pairwise(ends)]


def text(path):
    return " ".join(f"{i}-{j}" for i, j in path)


def saved(folder, annotator, gold, edited):
    document = {"unit": "document", "gold": digest(text(gold)), "sizes": [n + 1 for n in SIZES]}
    head = {"alignframe_edits": 1, "of": "beads", "gold": "g", "annotator": annotator}
    path = folder / f"{annotator}.json"
    path.write_text(json.dumps({**head, "sentences": [document | {"edited": text(edited)}]}))
    return path


def spans(table):
    return [tuple(row.values())[1:5] for row in table.to_pylist()]


@settings(max_examples=30, deadline=None)
@given(paths(), paths())
def test_beads_with_the_edits_are_what_was_edited(tmp_path_factory, gold, edited):
    path = saved(tmp_path_factory.mktemp("e"), "Ann", gold, edited)
    found = beads.apply_edits(beads_of(gold), path)
    assert spans(found.gold) == beads_of(edited)
    row = found.changes.row(0, named=True)
    assert (row["added"], row["removed"]) == (
        len({*edited} - {*gold}),
        len({*gold} - {*edited}),
    )


@settings(max_examples=30, deadline=None)
@given(paths(), paths(), paths(), st.sampled_from(["majority", "first", "keep"]))
def test_merged_beads_are_in_order(tmp_path_factory, gold, one, other, how):
    folder = tmp_path_factory.mktemp("e")
    files = [saved(folder, name, gold, path) for name, path in (("A", one), ("B", other))]
    made = spans(beads.apply_edits(beads_of(gold), files, conflicts=how).gold)
    assert (made[0][0], made[0][2], made[-1][1], made[-1][3]) == (0, 0, *SIZES)
    assert all(
        (a[1], a[3]) == (b[0], b[2]) and a[0] <= a[1] and a[2] <= a[3] for a, b in pairwise(made)
    )
    if how == "first" and one != gold:
        changed = {*one} ^ {*gold}
        assert changed & {*one} <= {(b, d) for _, b, _, d in made}


def test_different_places_merge_and_the_same_place_conflicts(tmp_path):
    gold = [(1, 1), (2, 2), (3, 3), (4, 4)]
    first = [(1, 2), (2, 2), (3, 3), (4, 4)]  # moved
    second = [(1, 1), (2, 2), (4, 4)]  # joined
    third = [(2, 2), (3, 3), (4, 4)]  # joined where the first moved
    files = [
        saved(tmp_path, name, gold, path)
        for name, path in (("Ann", first), ("Bob", second), ("Cem", third))
    ]
    merged = beads.apply_edits(beads_of(gold), files[:2])
    assert spans(merged.gold) == beads_of([(1, 2), (2, 2), (4, 4)])
    assert merged.agreement["label"].to_list() == ["all"]
    found = beads.apply_edits(beads_of(gold), files)
    assert found.conflicts.row(0) == (
        *("document", 0, 0, "1-1", "Ann: 1-2, Cem: none"),
        None,
    )
    with pytest.raises(InputError, match="disagree on 1 border, such as 0-0 of document"):
        found.gold
    for how, expected in (("first", [(1, 2)]), ("keep", [(1, 1)])):
        made = beads.apply_edits(beads_of(gold), files, conflicts=how).gold
        assert spans(made) == beads_of([*expected, (2, 2), (4, 4)])


def test_a_majority_is_more_than_half_of_those_who_changed_a_run(tmp_path):
    gold = [(1, 1), (2, 2), (3, 3), (4, 4)]
    moved, joined, other = [(1, 2), *gold[1:]], gold[1:], [(2, 1), *gold[1:]]
    said = {"Ann": moved, "Bob": moved, "Cem": joined, "Dee": other}
    files = [saved(tmp_path, name, gold, path) for name, path in said.items()]
    for some, expected in ((files, gold), (files[:3], moved)):
        made = beads.apply_edits(beads_of(gold), some, conflicts="majority").gold
        assert spans(made) == beads_of(expected)


def test_bad_input_is_refused(tmp_path):
    gold = [(1, 1), (2, 2)]
    path = saved(tmp_path, "Ann", gold, gold)
    with pytest.raises(InputError, match="Ann checked is another in gold now: document"):
        beads.apply_edits(beads_of([(1, 1), (3, 3)]), path)
    with pytest.raises(InputError, match="crosses one before it"):
        beads.apply_edits([(0, 1, 1, 2), (1, 2, 0, 1)], path)
    crossed = saved(tmp_path, "Bob", gold, [(1, 3), (2, 2)])
    with pytest.raises(InputError, match="the borders of Bob in document cross each other"):
        beads.apply_edits(beads_of(gold), crossed)


def test_borders_are_moved_on_a_page(chromium, tmp_path):
    page = tmp_path / "page.html"
    texts = ["--src", f"{MILL}.en", "--tgt", f"{MILL}.fr"]
    run("report", f"{MILL}.beads", *texts, "--edit", "-o", page)
    chromium.size(1300)
    chromium.open(page)
    chromium.wait("document.body.dataset.shown")
    sid = chromium.run("every.find((one) => one.detail.span[0] > 5).key")
    chromium.run(f"location.hash = addressOf({{ sid: {json.dumps(sid)} }})")
    chromium.wait("state.sid !== null && document.body.dataset.shown === location.hash")

    def press(label):
        said = f"one.getAttribute('aria-label').endsWith({json.dumps(label)})"
        every = "[...document.querySelectorAll('#detail .beads button:not(:disabled)')]"
        chromium.run(f"{every}.find((one) => {said}).focus()")
        chromium.press("Enter", 13)

    before = chromium.run("nowOf(units[0])").split()
    press("join the beads")
    assert len(chromium.run("nowOf(units[0])").split()) == len(before) - 1
    press("split")
    assert chromium.run("nowOf(units[0])").split() == before
    press("a source sentence")
    assert len({*chromium.run("nowOf(units[0])").split()} ^ {*before}) == 2
    chromium.run("the('undo').click()")
    assert chromium.run("nowOf(units[0])").split() == before
    press("join the beads")
    after = chromium.run("nowOf(units[0])")
    said = chromium.run("the('edits-said').textContent")
    assert said.startswith("1 border of 1 document changed.")
    chromium.run("the('annotator').value = 'Ann'")
    (tmp_path / "Ann.json").write_text(chromium.run("editsText()"))
    assert not chromium.said
    out = tmp_path / "new.beads"
    said = run("gold", "apply", f"{MILL}.beads", tmp_path / "Ann.json", "-o", out).stderr
    assert "1 document checked, 1 with changes" in said
    made = pl.DataFrame(
        pl.from_arrow(beads.apply_edits(f"{MILL}.beads", tmp_path / "Ann.json").gold)
    )
    ends = [f"{b}-{d}" for b, d in made.select("src_end", "tgt_end").rows()]
    assert ends[:-1] == after.split()
    score = json_of(run("beads", "score", "--gold", f"{MILL}.beads", "--hyp", out, "--json").stdout)
    assert 0.8 < score[0]["strict_recall"] < 1
