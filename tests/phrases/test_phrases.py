"""Phrase pairs: published examples, and every kind against its definition over sets."""

from collections import Counter

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from helpers.sql import connected
from hypothesis import example, given, settings
from hypothesis import strategies as st
from reference import links as reference
from reference import phrases as slow

from alignframe import formats, phrases
from alignframe.core.schemas import GOLD_LINKS
from alignframe.errors import InputError
from alignframe.functions import add_null_links, count_null_links, extract_phrases, invert_links

KINDS = list(phrases.KINDS)
# Overlapping and crossing links, distant links, and both with gaps.
lengths = st.none() | st.integers(1, 9)
rows_near = st.lists(reference.links_near, min_size=1, max_size=8)
rows_anywhere = st.lists(
    reference.links_near | st.sets(st.tuples(reference.position, reference.position), max_size=7),
    min_size=1,
    max_size=4,
)
FULL = {(i, j) for i in range(8) for j in range(8)}
FAR = {(65535, 0), (0, 65535), (65535, 65535), (7, 7)}


def from_1(text):
    """Return ``2-13|2-12`` of the paper, counted from 1 with inclusive ends, as spans."""
    found = []
    for pair in text.split():
        (a, b), (c, d) = (map(int, side.split("-")) for side in pair.split("|"))
        found.append((a - 1, b, c - 1, d))
    return sorted(found)


# --- published examples

EXAMPLE_1 = (
    "15-16 14-14 13-8 12-8 11-12 10-9 9-11 8-12 7-9 6-9 5-12 4-3 3-2 2-8 1-1",
    "1-1|1-1 2-13|2-12 3-3|2-2 4-4|3-3 5-11|9-12 9-9|11-11 14-14|14-14 15-15|16-16",
    "1-13|1-12 1-14|1-14 1-15|1-16 2-14|2-14 2-15|2-16 3-4|2-3 14-15|14-16",
)


def test_example_1_of_the_paper():
    links, small, more = EXAMPLE_1
    pairs = [tuple(int(n) - 1 for n in link.split("-")) for link in links.split()]
    given_links = slow.column([pairs])
    assert slow.spans(extract_phrases(given_links)) == [from_1(small)]
    assert slow.spans(extract_phrases(given_links, "exhaustive")) == [from_1(f"{small} {more}")]
    assert len(from_1(small)) == 8
    assert len(from_1(f"{small} {more}")) == 15
    assert count_null_links(given_links, 15, 16).to_pylist() == [7]


@pytest.fixture(scope="module")
def hansards(corpora):
    folder = corpora / "hansards-wpt03"
    gold = formats.read(folder / "wpt03/test/test.wa.nonullalign")
    text = formats.read_bitext(folder / "plain/test.en-fr.en", folder / "plain/test.en-fr.fr")
    return gold, text


def test_gold_sentence_91(hansards):
    gold, text = hansards
    links = gold["links"].combine_chunks().slice(90, 1)
    assert gold["sid"][90].as_py() == 90
    assert len(links[0]) == 68
    assert len(text["src"][90]) == 15
    small = "1-14|1-15 5-8|7-12 15-15|16-16"
    assert slow.spans(extract_phrases(links)) == [from_1(small)]
    assert slow.spans(extract_phrases(links, "exhaustive")) == [from_1(f"{small} 1-15|1-16")]


def test_gold_sentence_7(hansards):
    gold, text = (pl.DataFrame(table).filter(sid=6) for table in hansards)
    found = phrases.dictionary(gold, text, "align-dic1")
    assert found.select("src", "tgt").rows() == [("!", "!"), ("hear , hear", "bravo")]
    hyp = slow.nested({6: {(0, 0), (3, 1)}}, "some")
    mine = phrases.dictionary(hyp, text, "align-dic1")
    assert mine.select("src", "tgt").rows() == [("!", "!"), ("hear", "bravo")]
    row = phrases.score(hyp, gold, text, dictionaries=["align-dic1"]).scores.row(0, named=True)
    assert (row["precision"], row["recall"], row["f"]) == (0.5, 0.5, 0.5)


def test_the_papers_single_sentences(hansards, corpora):
    gold, text = hansards
    path = corpora / "hansards-outputs/lilt/giza/test.enfr.grow-diagonal.talp"
    found = phrases.score({"mgiza": path}, gold, text, by=["sid"]).scores
    assert found["sid"].n_unique() == 447
    rows = {(row["sid"], row["dictionary"]): row for row in found.to_dicts()}
    # Of sample 91, gold has 3 minimal entries and 4 exhaustive ones, hardly any of which are found.
    assert [rows[90, name]["gold_entries"] for name in ("align-dic1", "text-dic2")] == [3, 4]
    row = rows[90, "align-dic1"]
    assert (row["entries"], row["precision"], row["recall"]) == (10, 1 / 10, 1 / 3)
    assert row["f"] == pytest.approx(2 / 13)
    # "This leads to a value of 50" for both figures of sample 7.
    row = rows[6, "align-dic1"]
    assert (row["precision"], row["recall"], row["f"]) == (0.5, 0.5, 0.5)


# --- Moses


def moses_data(corpora, name):
    """The links are from French to English."""
    folder = corpora / "moses-extract/models" / name
    text = formats.read_bitext(folder / "fr", folder / "en")
    return formats.read(folder / "align.fr-en", "pharaoh", bitext=text), text


def test_expected_extraction_of_moses(corpora):
    links, text = moses_data(corpora, "extract.phrase-based-weighted")
    truth = corpora / "moses-extract/tests/extract.phrase-based-weighted/truth"
    rows = dict(zip(links["sid"].to_pylist(), reference.as_sets(links["links"]), strict=True))
    found, inverted = Counter(), Counter()
    with connected() as con:
        con.register("links", links)
        con.register("words", text)
        pairs = con.execute(
            "select * from phrase_pairs('links', 'words', kind := 'moses')"
        ).fetchall()
    for _, sid, a, b, c, d, src, tgt in pairs:
        inner = sorted((i - a, j - c) for i, j in slow.inside(rows[sid], a, b, c, d))
        there = " ".join(f"{i}-{j}" for i, j in inner)
        back = " ".join(f"{j}-{i}" for i, j in inner)
        found[f"{src} ||| {tgt} ||| {there}"] += 1
        inverted[f"{tgt} ||| {src} ||| {back}"] += 1
    wanted = [expected_lines(truth / name) for name in ("extract", "extract.inv")]
    assert [found, inverted] == wanted
    assert found.total() == 130


def expected_lines(path):
    """Return lines without their weight, with the links of each in order."""
    lines = Counter()
    for line in path.read_text("utf-8").splitlines():
        one, other, links, _ = line.split(" ||| ")
        ordered = sorted(tuple(map(int, link.split("-"))) for link in links.split())
        if path.suffix == ".inv":
            ordered = sorted(ordered, key=lambda link: (link[1], link[0]))
        lines[f"{one} ||| {other} ||| {' '.join(f'{i}-{j}' for i, j in ordered)}"] += 1
    return lines


@pytest.mark.parametrize(("longest", "number"), [(7, 1_022_700), (1000, 2_711_240)])
def test_moses_extracts_the_same_phrases(corpora, longest, number):
    """The lines written by Moses's own program `extract` (C++) for these 10,000 pairs."""
    links, text = moses_data(corpora, "extract.phrase-based")
    sizes = (np.array([len(row) for row in text[side].to_pylist()]) for side in ("src", "tgt"))
    column = links["links"].combine_chunks()
    found = extract_phrases(column, "moses", longest, *map(pa.array, sizes))
    assert len(found.flatten()) == number


# --- against the definitions


@pytest.mark.parametrize("kind", ["minimal", "exhaustive"])
@settings(max_examples=25)
@given(st.one_of(rows_near, rows_anywhere), lengths)
@example([FAR, set(), {(0, 0)}], None)
@example([FAR], 65535)
@example([FAR], 65536)
@example([FULL, {(i, 7 - i) for i in range(8)}, {(i, i) for i in range(8)}], None)
@example([{(i, 7 - i) for i in range(8)}, {(i, i) for i in range(8)}], 1)
@example([{(i, i) for i in range(8)}], 2**63 - 1)
def test_kind_follows_its_definition(kind, rows, longest):
    found = extract_phrases(slow.column(rows), kind, longest)
    definition = {"minimal": slow.minimal, "exhaustive": slow.exhaustive}[kind]
    assert slow.spans(found) == [definition(row, longest) for row in rows]


@settings(max_examples=25)
@given(st.lists(slow.sentences(), min_size=1, max_size=3), lengths)
@example([(set(), 3, 3), ({(2, 2)}, 6, 6)], None)
@example([({(0, 0)}, 12, 12), ({(11, 11)}, 12, 12), ({(5, 5)}, 12, 12)], None)
@example([({(0, 0)}, 9, 9)], 2**63 - 1)
def test_moses_follows_its_definition(given_rows, longest):
    rows, src, tgt = zip(*given_rows, strict=True)
    found = extract_phrases(
        slow.column(rows), "moses", longest, slow.numbers(src), slow.numbers(tgt)
    )
    wanted = [slow.moses(row, longest, m, n) for row, m, n in given_rows]
    assert slow.spans(found) == wanted
    nulls = count_null_links(slow.column(rows), slow.numbers(src), slow.numbers(tgt))
    assert nulls.to_pylist() == [slow.null_links(*one) for one in given_rows]
    linked = add_null_links(slow.column(rows), slow.numbers(src), slow.numbers(tgt)).to_pylist()
    assert [[(x["i"], x["j"]) for x in row] for row in linked] == [
        sorted(slow.with_null_links(*one)) for one in given_rows
    ]


@settings(max_examples=25)
@given(rows_anywhere)
@example([FAR])
def test_null_links_of_sentences_that_end_with_a_link(rows):
    found = count_null_links(slow.column(rows)).to_pylist()
    assert found == [slow.null_links(row) for row in rows]


@settings(max_examples=25)
@given(reference.links_near, lengths)
def test_the_references_agree(links, longest):
    assert slow.exhaustive(links, longest) == slow.exhaustive_of_many(links, longest)


@settings(max_examples=25)
@given(rows_near)
def test_each_kind_contains_the_previous_one(rows):
    small, tight, loose = (slow.spans(extract_phrases(slow.column(rows), k, 16)) for k in KINDS)
    for a, b, c in zip(small, tight, loose, strict=True):
        assert set(a) <= set(b) <= set(c)
    assert all(pairs == sorted(set(pairs)) for pairs in (*small, *tight, *loose))


def test_long_sentences():
    """Far more words and phrases than the kernels allocate at first."""
    line = [(k, k) for k in range(3000)]
    block = [(i, j) for i in range(2500, 2520) for j in range(2000)]
    rows = reference.nested([line, block, line])
    assert slow.spans(extract_phrases(rows)) == [
        [(k, k + 1, k, k + 1) for k in range(3000)],
        [(2500, 2520, 0, 2000)],
        [(k, k + 1, k, k + 1) for k in range(3000)],
    ]
    for kind in ("exhaustive", "moses"):
        first, middle, last = slow.spans(extract_phrases(rows, kind, 3))
        assert first == last
        assert first == [
            (k, e, k, e) for k in range(3000) for e in range(k + 1, k + 4) if e <= 3000
        ]
        assert middle == []
    assert count_null_links(rows).to_pylist() == [0, 2500, 0]


def test_many_unlinked_words_around_one_link():
    found = extract_phrases(reference.nested([[(0, 500)]]), "moses", 1000, 1, 1000)
    wanted = [(0, 1, c, d) for c in range(501) for d in range(501, 1001)]
    assert slow.spans(found) == [wanted]
    found = extract_phrases(reference.nested([[(500, 0)]]), "moses", 400, 1000, 1)
    wanted = [(a, b, 0, 1) for a in range(501) for b in range(501, 1001) if b - a <= 400]
    assert slow.spans(found) == [wanted]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=20)
@given(rows=rows_near, longest=lengths)
def test_swapping_sides_swaps_spans(kind, rows, longest):
    there = slow.spans(extract_phrases(slow.column(rows), kind, longest))
    back = slow.spans(extract_phrases(invert_links(slow.column(rows)), kind, longest))
    assert [sorted((c, d, a, b) for a, b, c, d in row) for row in back] == there


def test_missing_rows_and_kinds():
    rows = reference.nested([None, [(0, 0), (1, 1)], []])
    wanted = [[(0, 1, 0, 1), (1, 2, 1, 2)], []]
    kinds = pa.array([None, None, "moses"], pa.string())
    for found in (extract_phrases(rows), extract_phrases(rows, kinds)):
        assert found.is_null().to_pylist() == [True, False, False]
        assert slow.spans(found[1:]) == wanted
    assert len(extract_phrases(rows.slice(0, 0), pa.array([], pa.string()))) == 0
    assert count_null_links(rows, pa.array([2, None, 3]), 3).to_pylist() == [None, 1, 6]


def test_null_links_are_sure_and_labels_kept():
    labelled = [{"i": 1, "j": 0, "sure": False}, {"i": 0, "j": 0, "sure": True}]
    given_rows = pa.array([labelled, None, []], GOLD_LINKS)
    linked = add_null_links(given_rows, pa.array([3, 1, 1]), 1)
    assert [row and [tuple(link.values()) for link in row] for row in linked.to_pylist()] == [
        [(0, 0, True), (1, 0, False), (2, 1, True)],
        None,
        [(0, 1, True), (1, 0, True)],
    ]
    assert add_null_links(given_rows.slice(0, 0)).to_pylist() == []
    with pytest.raises(InputError, match="outside its sentence pair"):
        add_null_links(given_rows, 1, 1)


def test_labels_and_duplicates_are_ignored():
    kind = pa.struct([("i", pa.int64()), ("j", pa.int32()), ("sure", pa.bool_())])
    links = [(1, 1, False), (0, 0, True), (1, 1, True)]
    rows = pa.array([[dict(zip("ij", link, strict=False), sure=link[2]) for link in links]])
    rows = rows.cast(pa.large_list(kind))
    assert slow.spans(extract_phrases(rows)) == [[(0, 1, 0, 1), (1, 2, 1, 2)]]
