"""What holds in every area alike: names that are asked for, checks, and what is given and found."""

from __future__ import annotations

import re

import pytest

import alignframe as af
from alignframe import beads, formats, links, mt, phrases, tesla
from alignframe.errors import InputError, unknown

ONE = ["0-0 1-1"]
SAID = ["the cat sat"]


@pytest.mark.parametrize(
    ("call", "near"),
    [
        (lambda: links.scores(ONE, ONE, by=["lenght"]), "length"),
        (lambda: links.compare({"forward": ONE, "b": ONE}, ONE, baseline="forwards"), "forward"),
        (lambda: mt.scores(SAID, SAID, metrics=["blue"]), "bleu"),
        (lambda: mt.scores(SAID, SAID, by=["sids"]), "sid"),
        (lambda: mt.scores(SAID, SAID, metrics=["BLEU"]), "bleu"),
        (lambda: tesla.scores(SAID, SAID, "M"), "m"),
        (lambda: tesla.scores(SAID, SAID, by=["lengths"]), "length"),
        (lambda: formats.read("x.talp", "pharoah"), "pharaoh"),
        (lambda: phrases.compare(ONE, ONE, dictionaries=["align-dic"], bitext=None), "align-dic1"),
        (lambda: beads.align(SAID, SAID, method="mre++"), "mre+"),
        (lambda: links.symmetrize(ONE, ONE, "grow-dia"), "grow-diag"),
    ],
)
def test_an_unknown_name_is_answered_with_the_closest_one(call, near):
    with pytest.raises(InputError, match=re.escape(f"did you mean '{near}'")):
        call()


def test_nothing_is_offered_where_nothing_is_close():
    assert str(unknown("metric", "zzz", ["bleu"])) == "unknown metric 'zzz'; expected one of bleu"


def test_columns_that_hold_links_are_not_offered_to_group_by():
    with pytest.raises(InputError) as error:
        links.scores(ONE, ONE, by=["colour"])
    assert "expected one of length, sid" in str(error.value)
    assert "links" not in str(error.value)


@pytest.mark.parametrize(
    "call",
    [
        lambda **given: links.scores(ONE, ONE, **given),
        lambda **given: mt.scores(SAID, SAID, tokenize="none", **given),
        lambda **given: tesla.scores(SAID, SAID, **given),
        lambda **given: beads.scores([(0, 1, 0, 1)], [(0, 1, 0, 1)], **given),
        lambda **given: af.stats.correlate(ONE, {"a": 1.0}, **given),
    ],
)
@pytest.mark.parametrize("given", [{"confidence": 95}, {"seed": -1}, {"bootstrap": -1}])
def test_how_intervals_are_made_is_checked_even_if_none_is_asked_for(call, given):
    with pytest.raises(InputError, match=r"confidence|seed|resamples"):
        call(**({"bootstrap": 0} | given))
