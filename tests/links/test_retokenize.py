"""Links carried from one splitting of a text to another, against sets of characters."""

import random
from itertools import chain

import polars as pl
import pyarrow as pa
import pytest
from helpers.cli import run
from helpers.formats import quietly, refusal_of, saved
from helpers.sql import connected
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import splittings as slow

from alignframe import formats, functions, links
from alignframe.core.schemas import GOLD_LINKS, TOKENS
from alignframe.errors import DataWarning, InputError

STYLES = ("sentencepiece", "subword-nmt", "wordpieces", "spaces")
HOME = "datasets/en-fr"
BOTH = (f"{HOME}/text.en", f"{HOME}/text.fr")


def row(words):
    return pa.array([words], TOKENS)


def column(found):
    return [[{"i": i, "j": j, "sure": sure} for (i, j), sure in sorted(found.items())]]


def carry(text, old, new):
    """Carry links, as text, between sentence pairs, as texts."""
    sides = [row(side.split()) for side in (*old, *new)]
    given_links = functions.parse_links(pa.array([text]))
    return functions.format_links(functions.retokenize(given_links, *sides))[0].as_py()


@st.composite
def cut_sides(draw):
    """Draw the words of both sides, each cut in two ways, and links of the first way."""
    sides = []
    for _ in range(2):
        text = draw(st.lists(slow.words, min_size=1, max_size=5))
        cuts = [
            [slow.parts(word, draw(st.sets(st.integers(1, 5)))) for word in text] for _ in range(2)
        ]
        sides.append((text, *cuts))
    sizes = [sum(map(len, side[1])) for side in sides]
    places = st.tuples(*(st.integers(0, size - 1) for size in sizes))
    return sides, draw(st.dictionaries(places, st.booleans(), max_size=9))


@settings(max_examples=150)
@given(cut_sides(), st.sampled_from(STYLES), st.sampled_from(STYLES))
def test_links_are_those_of_tokens_that_share_a_character(drawn, style, other):
    sides, given_links = drawn
    old, new = ([list(chain(*side[k])) for side in sides] for k in (1, 2))
    wanted = slow.carried(given_links, old, new)
    tokens = [row(slow.marked(side[1], style)) for side in sides]
    tokens += [row(slow.marked(side[2], other)) for side in sides]
    found = functions.retokenize(pa.array(column(given_links), GOLD_LINKS), *tokens)
    assert found.to_pylist() == column(wanted)


@settings(max_examples=60)
@given(cut_sides(), st.sampled_from(STYLES))
def test_links_of_words_come_back_as_they_were(drawn, style):
    sides, _ = drawn
    text = tuple([side[0]] for side in sides)
    pieces = tuple([slow.marked(side[1], style)] for side in sides)
    sizes = [len(side[0]) for side in sides]
    given_links = [sorted({*((i, 0) for i in range(sizes[0])), (0, sizes[1] - 1)})]
    there = links.retokenize(given_links, text, pieces)
    back = links.retokenize(there, pieces, text)
    letters = links.retokenize(given_links, text, new_splitting="characters")
    again = links.retokenize(letters, text, text, splitting="characters")
    for found in (back, again):
        assert [(link["i"], link["j"]) for link in found["links"][0]] == given_links[0]


def bpe_like(path):
    """Return the words of a text cut like subwords: common beginnings, then pairs of letters."""
    draw = random.Random(path)
    cut = {}
    lines = []
    for sentence in formats.read_tokens(path):
        pieces = []
        for word in sentence:
            if word not in cut:
                cut[word] = slow.parts(word, {draw.randint(1, 4), *range(4, len(word), 2)})
            pieces.append(cut[word])
        lines.append(pieces)
    return lines


@pytest.mark.parametrize("style", STYLES)
def test_scores_are_the_same_after_a_way_there_and_back(style):
    systems = {name: f"{HOME}/{name}.talp" for name in ("eager", "cautious", "gold")}
    new = tuple([slow.marked(line, style) for line in bpe_like(side)] for side in BOTH)
    there = {name: links.retokenize(path, BOTH, new) for name, path in systems.items()}
    back = {name: links.retokenize(found, new, BOTH) for name, found in there.items()}
    for name, path in systems.items():
        assert back[name]["links"].to_list() == links.read(path)["links"].to_list()
    gold, again = systems.pop("gold"), back.pop("gold")
    wanted = links.score(systems, gold).scores
    assert links.score(back, again).scores.equals(wanted)
    assert there["gold"]["links"].list.len().sum() > back["eager"]["links"].list.len().sum()


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("a mill x", "▁a ▁m ill ▁x", "0-0 1-0 2-0 3-0"),
        ("你好 x y", "▁ 你好 ▁x y", "0-0 1-0 2-0 3-0"),  # a mark alone belongs to the next word
        ("a mill x", "[CLS] a mi ##ll x [SEP]", "1-0 2-0 3-0 4-0"),
        ("a mill x", "a@@ mi@@ llx", None),  # an x without a mark is text as well
        ("Été à x", "ete a x", "0-0 1-0 2-0"),  # as uncased wordpieces
        ("ﬁne ２ x", "▁fine ▁2 ▁x", "0-0 1-0 2-0"),  # NFKC
        ("a\u200b ju\u00adly x\u00a0", "▁a ▁ju ly ▁x", "0-0 1-0 2-0 3-0"),
        ("a € x", "▁a ▁ <0xE2> <0x82> <0xAC> ▁x", "0-0 1-0 2-0 3-0 4-0 5-0"),
        ("a é x", "▁a <0xc3> <0xa9> <0x78>", "0-0 1-0 2-0 3-0"),
        ("a b x", "▁a <0xff> ▁x", "refused"),
        ("a mill x", "a <unk> x", "0-0 1-0 2-0"),
        ("a mill x", "[UNK] mill [UNK]", "0-0 1-0 2-0"),
        ("a mill x", "<unk> <unk> ▁x", "0-0 1-0 2-0"),
        ("a <unk> x", "▁a ▁< un k > ▁x", "0-0 1-0 2-0 3-0 4-0 5-0"),
        ("a@@ ##b x", "▁a @@ ▁## b ▁x", "0-0 1-0 2-0 3-0 4-0"),  # marks that are text
        ("a@@ ##b x", "a@@ ##b x", "0-0 1-0 2-0"),
        ("@@ ## x", "▁@ @ ▁## ▁x", "0-0 1-0 2-0 3-0"),
        ("a ||| x", "▁a ▁| | | ▁x", "0-0 1-0 2-0 3-0 4-0"),
    ],
)
def test_marks_and_special_tokens(old, new, wanted):
    if wanted == "refused":
        assert "differ at character 2" in refusal_of(carry, "0-0", (old, "y"), (new, "y"))
        return
    tgt = ("y", "y")
    given_links = "0-0 1-0 2-0"
    if wanted is None:
        wanted = "0-0 1-0 2-0"
    assert carry(given_links, (old, tgt[0]), (new, tgt[1])) == wanted
