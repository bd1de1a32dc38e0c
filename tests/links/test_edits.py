"""Edits of annotators: applied, reported, refused."""

import json
import math

import polars as pl
import pytest
from helpers.cli import json_of, run
from hypothesis import given, settings
from hypothesis import strategies as st

from alignframe import formats, links
from alignframe.errors import DataWarning, InputError
from alignframe.formats.edits import digest

SIZES = (4, 3)
TEXTS = ["0-0 1p2", "", "0p0 3-2"]
CELLS = [(i, j) for i in range(SIZES[0]) for j in range(SIZES[1])]
LABELLED = st.dictionaries(st.sampled_from(CELLS), st.sampled_from("-p"), max_size=6)
SENTENCES = st.lists(LABELLED, min_size=1, max_size=5)


def text(cells):
    return " ".join(f"{i}{mark}{j}" for (i, j), mark in sorted(cells.items()))


def saved(path, annotator, edited, gold=TEXTS, sizes=SIZES, **more):
    """Write a file of edits as a page of all sentences does."""
    rows = [
        {"unit": sid, "gold": digest(line), "sizes": sizes}
        | ({"edited": edited[sid]} if sid in edited else {})
        for sid, line in enumerate(gold)
    ]
    given = {"alignframe_edits": 1, "of": "links", "gold": "g.talp", "annotator": annotator}
    path.write_text(json.dumps({**given, "sentences": rows, **more}))
    return path


def lines_of(table):
    return [
        text({(one["i"], one["j"]): "-" if one["sure"] else "p" for one in row})
        for row in table["links"].to_pylist()
    ]


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_gold_with_the_edits_is_what_was_edited(tmp_path_factory, data):
    gold = [text(one) for one in data.draw(SENTENCES)]
    edited = {
        sid: text(data.draw(LABELLED)) for sid in range(len(gold)) if data.draw(st.booleans())
    }
    path = saved(tmp_path_factory.mktemp("e") / "ann.json", "Ann", edited, gold)
    if not edited:
        with pytest.warns(DataWarning, match="Ann checked nothing"):
            found = links.apply_edits(gold if any(gold) else pl.Series(gold), path)
    else:
        found = links.apply_edits(gold if any(gold) else pl.Series(gold), path)
    assert lines_of(found.gold) == [edited.get(sid, line) for sid, line in enumerate(gold)]
    # What the report counts is what differs.
    for row in found.changes.iter_rows(named=True):
        before, after = (set(one.split()) for one in (gold[row["sid"]], edited[row["sid"]]))
        assert row["removed"] + row["to_sure"] + row["to_possible"] == len(before - after)
        added = row["added_sure"] + row["added_possible"]
        assert added + row["to_sure"] + row["to_possible"] == len(after - before)
    assert not found.conflicts.height


def slow_kappa(pairs):
    """Cohen's kappa from its definition, over the labels of two annotators cell by cell."""
    same = sum(a == b for a, b in pairs) / len(pairs)
    labels = {label for pair in pairs for label in pair}
    chance = sum(
        sum(a == label for a, _ in pairs)
        / len(pairs)
        * sum(b == label for _, b in pairs)
        / len(pairs)
        for label in labels
    )
    return same, None if math.isclose(chance, 1) else (same - chance) / (1 - chance)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(LABELLED, LABELLED), min_size=1, max_size=4))
def test_agreement_is_that_of_all_cells(tmp_path_factory, both):
    folder, gold = tmp_path_factory.mktemp("e"), pl.Series(["0-0"] * len(both))
    files = [
        saved(folder / name, name, {sid: text(one[at]) for sid, one in enumerate(both)}, list(gold))
        for at, name in enumerate(("Ann", "Bob"))
    ]
    found = links.apply_edits(gold, files, conflicts="keep").agreement.rows_by_key(
        "label", named=True, unique=True
    )
    pairs = [(one[0].get(cell), one[1].get(cell)) for one in both for cell in CELLS]
    folded = {"all": pairs, "Sure": [(a == "-", b == "-") for a, b in pairs]}
    folded["Possible"] = [(a == "p", b == "p") for a, b in pairs]
    for label, own in folded.items():
        same, kappa = slow_kappa(own)
        assert found[label]["agreement"] == pytest.approx(same)
        assert found[label]["kappa"] == (None if kappa is None else pytest.approx(kappa))
        linked, total = sum(bool(a and b) for a, b in own), sum(map(bool, sum(own, ())))
        assert found[label]["f"] == (pytest.approx(2 * linked / total) if total else None)
        assert found[label]["cells"] == len(pairs)


def test_conflicts_are_refused_or_settled(tmp_path):
    said = {"Ann": "0-0 2-2", "Bob": "0p0 2-2", "Cem": "0p0"}
    files = [saved(tmp_path / f"{name}.json", name, {0: one}) for name, one in said.items()]
    found = links.apply_edits(TEXTS, files)
    assert found.conflicts.select("sid", "i", "j", "gold", "edited").rows() == [
        (0, 0, 0, "Sure", None),
        (0, 2, 2, "none", None),
    ]
    assert found.conflicts["said"][0] == "Ann: Sure, Bob: Possible, Cem: Possible"
    with pytest.raises(InputError, match=r"disagree on 2 links, such as 0-0 of 0"):
        found.gold
    settled = {"majority": "0p0 2-2", "first": "0-0 2-2", "keep": "0-0"}
    for how, expected in settled.items():
        made = links.apply_edits(TEXTS, files, conflicts=how)
        assert lines_of(made.gold) == [expected, *TEXTS[1:]]
    # Without a majority, gold stays: all three removed the Possible link, and agree on that.
    two = links.apply_edits(TEXTS, files[:2], conflicts="majority")
    assert lines_of(two.gold)[0] == "0-0 2-2"
    # Two of four are no majority, three are.
    dee = saved(tmp_path / "Dee.json", "Dee", {0: "2-2"})
    four = links.apply_edits(TEXTS, [*files, dee], conflicts="majority")
    assert lines_of(four.gold)[0] == "0-0 2-2"


def test_edits_of_other_gold_are_refused(tmp_path):
    path = saved(tmp_path / "ann.json", "Ann", {0: "0-0", 1: "1-1", 2: "2-2"})
    now = ["0-0 1p2", "3-2"]  # the second has a link now, the third is gone
    with pytest.raises(InputError, match=r"Ann checked is gone from gold: 2"):
        links.apply_edits(now, path)
    with pytest.raises(InputError, match=r"Ann checked is another in gold now: 1"):
        links.apply_edits([*now, TEXTS[2]], path)
    with pytest.warns(DataWarning, match="these edits are left out"):
        found = links.apply_edits(now, path, skip_changed=True)
    assert lines_of(found.gold) == ["0-0", "3-2"]
    # A change of a sentence that nobody checked does not matter.
    other = saved(tmp_path / "bob.json", "Bob", {0: "0-0"})
    assert lines_of(links.apply_edits([*now, TEXTS[2]], other).gold)[0] == "0-0"


def test_old_edits_of_one_leave_the_new_ones_of_others(tmp_path):
    old = saved(tmp_path / "old.json", "Bob", {0: "2-2"})
    now = ["0-0", *TEXTS[1:]]
    line = {"unit": 0, "gold": digest(now[0]), "sizes": [4, 3], "edited": "0-0 1-1"}
    new = json.loads(old.read_text())
    for name in ("Ann", "Bob"):
        made = {**new, "annotator": name, "sentences": [line]}
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(made))
        with pytest.warns(DataWarning, match=r"what Bob checked is another in gold now: 0"):
            found = links.apply_edits(now, [path, old], skip_changed=True)
        assert lines_of(found.gold)[0] == "0-0 1-1"
        assert found.changes.select("annotators", "conflicts").row(0) == (name, 0)


def test_an_annotator_gives_a_sentence_once(tmp_path):
    one = saved(tmp_path / "a.json", "Ann", {0: "0-0"})
    other = saved(tmp_path / "b.json", "Ann ", {0: "1-1"})
    with pytest.raises(InputError, match=r"Ann edited 0 in .*a\.json too"):
        links.apply_edits(TEXTS, [one, other])
    # Two parts of the work of one are joined.
    rest = saved(tmp_path / "c.json", "Ann", {1: "1-1"})
    assert lines_of(links.apply_edits(TEXTS, [one, rest]).gold) == ["0-0", "1-1", TEXTS[2]]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: "", "no JSON"),
        (lambda text: text[: len(text) // 2], "no JSON"),
        (lambda text: "[]", "no edits of a page"),
        (lambda text: text.replace('"Ann"', '" "'), "without the annotator's name"),
        (lambda text: text.replace('edits": 1', 'edits": 2'), "edits of version 2, not 1"),
        (
            lambda text: text.replace('"links"', '"beads"'),
            "edits of beads; expected edits of links",
        ),
        (lambda text: text.replace("0-0", "0-9"), "0 has the link '0-9'"),
        (lambda text: text.replace("0-0", "0_0"), "0 has the link '0_0'"),
        (lambda text: text.replace("0-0", "0-0 0p0"), "0 has the link '0p0'"),
        (lambda text: text.replace('"unit": 1', '"unit": 0'), "sentence 0 twice"),
        (
            lambda text: text.replace('"unit": 1', '"unit": -1'),
            "sentence 2 of the list has unit -1",
        ),
        (lambda text: text.replace('"sizes": [4, 3]', '"sizes": 4', 1), "has sizes 4"),
    ],
)
def test_a_damaged_file_says_where(tmp_path, change, said):
    path = saved(tmp_path / "ann.json", "Ann", {0: "0-0"})
    path.write_text(change(path.read_text()))
    with pytest.raises(InputError, match=said) as error:
        links.apply_edits(TEXTS, path)
    assert str(error.value).startswith(str(path))


def test_gold_keeps_what_else_it_has(tmp_path):
    table = formats.read("datasets/en-fr/gold.talp").slice(0, 3).to_pylist()
    frame = pl.DataFrame(
        [
            {"sid": 10 + at, "links": row["links"], "domain": f"d{at}"}
            for at, row in enumerate(table)
        ]
    )
    frame.write_parquet(tmp_path / "gold.parquet")
    edits = json.loads(saved(tmp_path / "ann.json", "Ann", {0: "0-0"}).read_text())
    first = " ".join(
        f"{one['i']}{'-' if one['sure'] else 'p'}{one['j']}" for one in table[1]["links"]
    )
    edits["sentences"] = [{"unit": 11, "gold": digest(first), "sizes": [40, 40], "edited": "0p1"}]
    (tmp_path / "ann.json").write_text(json.dumps(edits))
    words = [tmp_path / "gold.parquet", tmp_path / "ann.json", "-o", tmp_path / "new.parquet"]
    said = run("gold", "apply", *words).stderr
    assert "1 sentence checked, 1 with changes or conflicts" in said
    made = pl.read_parquet(tmp_path / "new.parquet")
    assert made.columns == frame.columns
    assert made["domain"].to_list() == ["d0", "d1", "d2"]
    assert made["links"].to_list() == [
        table[0]["links"],
        [{"i": 0, "j": 1, "sure": False}],
        table[2]["links"],
    ]


def test_the_shell_reports_before_it_refuses(tmp_path):
    gold = tmp_path / "gold.talp"
    gold.write_text("\n".join(TEXTS) + "\n")
    files = [
        saved(tmp_path / f"{name}.json", name, {0: one}) for name, one in (("A", "0-0"), ("B", ""))
    ]
    out = tmp_path / "new.talp"
    done = run("gold", "apply", gold, *files, "-o", out, code=2)
    assert "Conflicts" in done.stdout
    assert "with --conflicts" in done.stderr
    assert not out.exists()
    told = json_of(run("gold", "apply", gold, *files, "--json").stdout)
    assert [row["label"] for row in told["agreement"]] == ["Sure", "Possible", "all"]
    run("gold", "apply", gold, *files, "--conflicts", "first", "-o", out)
    assert out.read_text().splitlines() == ["0-0", "", "0p0 3-2"]
