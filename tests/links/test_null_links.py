"""Scores that count words without a link as linked to nothing, against sets."""

import pyarrow as pa
import pytest
from reference import phrases as slow

from alignframe import formats, links
from alignframe.core.arrow import to_table
from alignframe.errors import DataWarning, InputError
from alignframe.links.page import link_evidence

TEXT = {0: ("hear , hear !".split(), "bravo !".split()), 1: (["a", "b"], ["c"]), 2: (["d"], ["e"])}
GOLD = {0: {(0, 0), (1, 0), (2, 0), (3, 1)}, 1: {(0, 0)}, 2: set()}
SYSTEMS = {
    "whole": {0: {(0, 0), (3, 1)}, 1: set(), 2: {(0, 0)}},
    "partly": {0: {(0, 0), (3, 1)}, 2: set()},
}


def figures(system):
    linked, wanted = (
        {
            (sid, *one)
            for sid in GOLD
            for one in slow.with_null_links(rows.get(sid, set()), *sizes(sid))
        }
        for rows in (SYSTEMS[system], GOLD)
    )
    both = len(linked & wanted)
    return (len(linked), both / len(linked), both / len(wanted))


def sizes(sid):
    return tuple(map(len, TEXT[sid]))


def test_null_links_count_in_precision_and_recall():
    text = slow.bitext(TEXT)
    gold = links.add_null_links(slow.nested(GOLD), text)
    hyp = {name: links.add_null_links(slow.nested(one), text) for name, one in SYSTEMS.items()}
    with pytest.warns(DataWarning, match="partly has no row for 1 of 3"):
        found = links.score(hyp, gold, bitext=text).scores
    rows = {
        row[0]: row[1:] for row in found.select("system", "links", "precision", "recall").rows()
    }
    assert rows == {name: pytest.approx(figures(name)) for name in SYSTEMS}
    assert found["signature"][0].endswith("|nulls:linked")
    # The sample of Carl & Fissaha 2003, section 3: half of the system's links, and of gold's.
    first = links.subset(gold, sids=[0])
    assert links.score(hyp["whole"], first).scores.select("precision", "recall").row(0) == (
        0.5,
        0.5,
    )
    assert links.add_null_links(gold, text).frame.equals(gold.frame)


def test_wrong_and_missing_null_links_are_shown():
    text = slow.bitext(TEXT)
    gold = links.add_null_links(slow.nested(GOLD), text)
    hyp = {"whole": links.add_null_links(slow.nested(SYSTEMS["whole"]), text)}
    worst = links.score(hyp, gold, bitext=text).worst(1)
    assert worst.select("wrong", "missing").row(0) == (
        "1-2 , NULL, 2-2 hear NULL",
        "1-0 , bravo, 2-0 hear bravo",
    )
    shown = link_evidence(hyp, gold, [0], to_table(text), ["whole"])[0]
    (mine,), (gold_links,) = shown["hyp"], shown["other"]
    wrong = set(zip(*mine, strict=True)) - set(zip(*gold_links[:2], strict=True))
    assert wrong == {(1, 2), (2, 2)}  # target 2 is the place after the last word


def test_lengths_are_those_of_the_text():
    text = slow.bitext(TEXT)
    gold = links.add_null_links(slow.nested(GOLD), text)
    plain = links.score(slow.nested(GOLD), slow.nested(GOLD), by="length", bitext=text).scores
    found = links.score(gold, gold, by="length", bitext=text).scores
    assert found["length"].to_list() == plain["length"].to_list()
    assert found["links"].to_list() == [8]


def test_null_positions_of_naacl_are_null_links(tmp_path):
    path = tmp_path / "gold.naacl"
    path.write_text("1 1 1 S\n1 2 1 S\n1 3 1 S\n1 4 2 S\n2 1 1 S\n2 2 0 S\n3 1 0 S\n3 0 1 S\n")
    with pytest.warns(DataWarning, match="position 0"):
        read = formats.read(path)
    text = slow.bitext(TEXT)
    gold = links.add_null_links(slow.nested(GOLD), text)
    found = links.score(links.add_null_links(read, text), gold).scores
    assert found.select("precision", "recall").row(0) == (1.0, 1.0)


def test_what_cannot_be_counted_is_refused():
    text = slow.bitext(TEXT)
    gold, hyp = slow.nested(GOLD), slow.nested(SYSTEMS["partly"])
    linked = links.add_null_links(gold, text)
    with pytest.raises(InputError, match="without null links, the other side with them"):
        links.score(hyp, linked).scores
    with pytest.raises(InputError, match=r"partly lacks sentence 1, whose null links.*bitext"):
        links.score({"partly": links.add_null_links(hyp, text)}, linked).scores
    with pytest.raises(InputError, match="the text has no sentence 2"):
        links.add_null_links(gold, pa.table(text).slice(0, 2))
