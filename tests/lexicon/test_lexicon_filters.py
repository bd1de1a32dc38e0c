"""Filters of candidates: published examples, and all cascades against loops over cells."""

import random

import numba
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from helpers import lexicon as lexicon
from hypothesis import example, given, settings
from hypothesis import strategies as st
from reference import lexicon as slow

from alignframe import connect
from alignframe.engines.polars import removed_candidates
from alignframe.errors import InputError
from alignframe.kernels.bits import lowest_bit
from alignframe.kernels.lexicon.cognates import lcs_of_any
from alignframe.kernels.lexicon.masks import full_mask, longest_chain
from alignframe.lexicon import filters
from alignframe.lexicon.classes import UNIVERSAL

few = settings(max_examples=8)
many = settings(max_examples=12)


def left(src, tgt, *cascade, count="types", tags=None):
    """Return the candidates of one sentence pair that filters keep, with their counts."""
    columns = {"src": [src.split()], "tgt": [tgt.split()]}
    if tags:
        columns |= {"src_tags": [tags[0].split()], "tgt_tags": [tags[1].split()]}
    found = lexicon.candidates(pa.table(columns), filters=cascade, count=count)
    return {(s, t): n for s, t, n, *_ in slow.rows_of(found)}


def known(filter, s, t):
    """Return whether an oracle knows a pair of words, that is, removes other candidates of one."""
    return (s, "—") not in left(s, f"{t} —", filter)


def points(word):
    return np.array([ord(letter) for letter in word], np.int32)


# --- similar words


@pytest.mark.parametrize(
    ("s", "t", "common", "prefix"),
    [
        ("gouvernement", "government", 10, False),
        ("conseil", "conservative", 6, True),
    ],
)
def test_the_papers_examples(s, t, common, prefix):
    assert max(len(s), len(t)) == 12
    for one, other in ((s, t), (t, s)):
        assert lcs_of_any(points(one), points(other)) == common
        assert known(lexicon.Cognate(common / 12), one, other)
        assert not known(lexicon.Cognate(np.nextafter(common / 12, 1)), one, other)
        assert known(lexicon.Cognate(), one, other) == (common / 12 >= 0.58)
        assert known(lexicon.Prefix(), one, other) == prefix


@many
@given(st.lists(st.sampled_from("abc"), max_size=9), st.lists(st.sampled_from("abcd"), max_size=9))
def test_longest_common_subsequence(a, b):
    assert lcs_of_any(points(a), points(b)) == slow.lcs(tuple(a), tuple(b))


@few
@given(st.integers(60, 68), st.integers(55, 75), st.randoms(use_true_random=True))
@example(64, 64, random.Random(0))
@example(65, 64, random.Random(0))
@example(64, 65, random.Random(0))
def test_words_of_about_64_letters(n, m, chance):
    s = "".join(chance.choice("aab") for _ in range(n))
    t = "".join(chance.choice("abb") for _ in range(m))
    longest, common = max(n, m), slow.lcs(s, t)
    assert known(lexicon.Cognate(common / longest), s, t)
    assert not known(lexicon.Cognate((common + 0.5) / longest), s, t)


def test_letters_64_apart_are_different():
    some = [chr(0x4E00 + k) for k in range(130)]
    text = pa.table({"src": [some, ["丁", "一"]], "tgt": [some, ["一", "x"]]})
    found = lexicon.candidates(text, filters=["cognate:1"])
    assert {(s, t) for s, t, *_ in slow.rows_of(found)} == {(a, a) for a in some} | {("丁", "x")}


@pytest.mark.parametrize("oracle", ["cognate:1", "prefix:3"])
@pytest.mark.parametrize(
    ("s", "t", "same"),
    [
        ("ÉTÉ", "e\u0301te\u0301", True),
        ("STRASSE", "straße", True),
        ("ΣΊΣΥΦΟΣ", "σίσυφος", True),
        ("α\u0345\u0301βγ", "\u1fb4βγ", True),
        ("İstanbul", "istanbul", False),
        ("été", "ete", None),
        ("naïve", "NAIVE", None),
        ("Ｗｏｒｄ", "word", False),
    ],
)
def test_case_and_accents(oracle, s, t, same):
    folds = f"{oracle}:fold-accents"
    for one, other in ((s, t), (t, s)):
        assert known(filters.parse_filter(oracle), one, other) == (same is True)
        if s != "İstanbul":
            assert known(filters.parse_filter(folds), one, other) == (same is not False)


@pytest.mark.parametrize(
    ("s", "t", "letters", "same"),
    [
        ("parle", "parler", 4, True),
        ("par", "par", 4, False),
        ("para", "para", 4, True),
        ("par", "par", 3, True),
        ("Parle", "PARTI", 3, True),
        ("Parle", "PARTI", 4, False),
        ("1995", "1995", 4, True),
        ("19", "19", 4, True),
        ("1995", "1996", 3, False),
        ("co-op", "coop", 2, False),
        ("e-mail", "E-Mail", 4, True),
        ("e-mail", "e-mails", 4, False),
        (".", ".", 4, True),
        ("a", "à", 1, False),
    ],
)
def test_first_letters(s, t, letters, same):
    assert known(lexicon.Prefix(letters), s, t) == same
    assert known(lexicon.Prefix(letters), t, s) == same


def test_a_list_of_words(tmp_path):
    rows = pl.DataFrame({"src": ["chien", "Ete", None], "tgt": ["dog", "Summer", "x"]})
    assert known(lexicon.WordList(rows), "chien", "dog")
    assert not known(lexicon.WordList(rows), "dog", "chien")
    assert not known(lexicon.WordList(rows), "Chien", "DOG")
    assert known(lexicon.WordList(rows, fold_case=True), "Chien", "DOG")
    assert known(lexicon.WordList(rows, fold_case=True), "ete", "summer")
    assert not known(lexicon.WordList(rows, fold_case=True), "été", "summer")
    path = tmp_path / "words.tsv"
    path.write_text("chien\tdog\nchien\tdog\n")
    assert known(lexicon.WordList(path), "chien", "dog")
    assert known(filters.parse_filter(f"mrbd:{path}:fold-case"), "CHIEN", "dog")
    assert not known(filters.parse_filter(f"mrbd:{path}"), "CHIEN", "dog")


# --- kept candidates


def test_an_oracle_removes_the_other_candidates_of_both_words():
    rows = pl.DataFrame({"src": ["a"], "tgt": ["x"]})
    every = {("a", "x"), ("b", "y"), ("b", "z"), ("c", "y"), ("c", "z")}
    assert set(left("a b c", "x y z", lexicon.WordList(rows))) == every
    assert left("a b c", "x y z", lexicon.WordList(rows.clear())) == left("a b c", "x y z")
    # Words that occur twice: every position is known.
    assert left("a a b", "x y x", lexicon.WordList(rows), count="tokens") == {
        ("a", "x"): 2,
        ("b", "y"): 1,
    }
    # A word with two known translations keeps both.
    two = pl.DataFrame({"src": ["a", "a"], "tgt": ["x", "y"]})
    assert set(left("a b", "x y z", lexicon.WordList(two))) == {("a", "x"), ("a", "y"), ("b", "z")}


def test_an_oracle_knows_only_the_remaining_candidates():
    refuses = slow.predicate(lambda s, t: (s, t) != ("a", "x"))
    rows = lexicon.WordList(pl.DataFrame({"src": ["a"], "tgt": ["x"]}))
    assert set(left("a b", "x y", refuses, rows)) == {("a", "y"), ("b", "x"), ("b", "y")}
    assert set(left("a b", "x y", rows, refuses)) == {("b", "y")}


def oracle(*rows):
    src, tgt = zip(*(row.split() for row in rows), strict=True)
    return lexicon.WordList(pl.DataFrame({"src": src, "tgt": tgt}))


ALIGNMENT = lexicon.Alignment()


def test_partitions():
    inside = {("a", "p"), ("b", "q"), ("c", "r"), ("c", "s")}
    assert set(left("a b c", "p q r s", oracle("b q"), ALIGNMENT)) == inside
    # The oracle may come after: it then removes candidates that the partitions have kept.
    assert set(left("a b c", "p q r s", ALIGNMENT, oracle("b q"))) == inside
    # Figure 4: D matches c and g; g is its point, so that lines do not cross.
    found = left("A B C D E", "a c e f g h", oracle("A e", "D c", "D g"), ALIGNMENT)
    assert set(found) == {("A", "e"), ("B", "f"), ("C", "f"), ("D", "g"), ("E", "h")}


def test_the_first_of_equal_chains_is_used():
    # b-q and c-p cross: the point with the smaller source position stays.
    found = left("a b c d", "o p q r", oracle("b q", "c p"), ALIGNMENT)
    assert set(found) == {("a", "o"), ("b", "q"), ("d", "r")}
    # One source word, two target positions: the smaller one. The oracle then removes the other
    # candidates of x as a word, not of one of its occurrences.
    found = left("a b c", "x y x", ALIGNMENT, oracle("b x"), count="tokens")
    assert found == {("b", "x"): 1, ("c", "y"): 1}
    found = left("a b c", "x y x", oracle("b x"), ALIGNMENT, count="tokens")
    assert found == {("b", "x"): 1, ("c", "y"): 1}


def test_all_oracles_of_a_cascade_partition_the_sentences():
    text = ("conseil b c d", "counsel o p conseil")
    words = oracle("c p")
    found = left(*text, lexicon.Cognate(1), ALIGNMENT, words)
    assert found == left(*text, ALIGNMENT, lexicon.Cognate(1), words)
    assert set(left("b c d e", "o p q r", words, ALIGNMENT, oracle("e q"))) == {
        ("b", "o"),
        ("c", "p"),
        ("e", "q"),
    }


def test_parts_of_speech():
    tags = ("NOUN PROPN DET X", "PRON NOUN X INTJ")
    same = {("a", "q"), ("b", "q"), ("c", "p"), ("d", "r"), ("d", "s")}
    assert set(left("a b c d", "p q r s", "pos", tags=tags)) == same
    # A word with two tags: positions count.
    tags = ("NOUN VERB", "VERB NOUN VERB")
    found = left("a a", "x x y", "pos", tags=tags, count="tokens")
    assert found == {("a", "x"): 2, ("a", "y"): 1}
    sides = [("src", "N", "1"), ("tgt", "N", "2"), ("tgt", "M", "1"), ("src", "*", "2")]
    table = pl.DataFrame(sides, ["side", "tag", "class"], orient="row")
    found = left("a b", "x y", lexicon.PartOfSpeech(table), tags=("N Q", "N M"))
    assert set(found) == {("a", "y"), ("b", "x")}


def test_classes_from_a_file(tmp_path):
    path = tmp_path / "classes.tsv"
    path.write_text("# tags\nN\t1\n\nsrc\tM\t2\r\ntgt\t*\t2\n")
    found = left("a b", "x y", f"pos:{path}", tags=("N M", "N Q"))
    assert set(found) == {("a", "x"), ("b", "y")}


def test_named_tag_sets():
    tags = ("NOUN ADJ DET PUNCT", "PROPN DET ADP NUM")
    kept = {
        "same-tag": {("c", "q")},
        "universal": {("a", "p"), ("c", "q")},
        "content": {("a", "p"), *(("c", other) for other in "qrs")},
        "open": {("a", "p"), ("b", "p"), *(("c", other) for other in "qrs")},
    }
    assert kept.keys() == lexicon.TAG_SETS.keys()
    for name, wanted in kept.items():
        assert set(left("a b c d", "p q r s", f"pos:{name}", tags=tags)) == wanted, name
    # Tags of no known set are compared for equality.
    assert set(left("a b", "x y", "pos:same-tag", tags=("Q1 Q2", "Q2 Q3"))) == {("b", "x")}
    with pytest.raises(InputError, match="'Q1' has no class"):
        left("a b", "x y", "pos:open", tags=("Q1 Q2", "Q2 Q3"))


def test_universal_tags_have_classes():
    every = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"
    assert set(every.split()) <= set(UNIVERSAL)
    alike = [("NOUN", "PROPN"), ("VERB", "AUX"), ("ADP", "PART"), ("CCONJ", "SCONJ")]
    assert all(UNIVERSAL[one] == UNIVERSAL[other] for one, other in alike)
    assert UNIVERSAL["ADJ"] != UNIVERSAL["ADV"] != UNIVERSAL["NOUN"] != UNIVERSAL["VERB"]


def test_a_predicate_sees_each_pair_of_words_once(monkeypatch):
    asked = []

    def judge(src, tgt):
        asked.extend(zip(src.to_pylist(), tgt.to_pylist(), strict=True))
        return pa.chunked_array([[None, *[True] * (len(src) - 1)]])

    text = pa.table({"src": [["a", "a", "b"], ["a"]], "tgt": [["x", "y", "x"], ["x"]]})
    one = lexicon.Predicate(judge, "mine")
    found = lexicon.induce(text, filters=[one])
    # Missing values are refused.
    assert asked == [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")]
    assert sorted(slow.rows_of(found.select(["src", "tgt"]))) == asked[1:]
    assert b"filters:mine|" in found.schema.metadata[b"alignframe"]
    # Only the remaining candidates are passed, in pieces or at once.
    asked.clear()
    monkeypatch.setattr(filters, "_MOST", 1)
    sees = slow.predicate(lambda s, t: asked.append((s, t)) or t != "x")
    refuses = slow.predicate(lambda s, t: s != "b")
    found = lexicon.candidates(text, filters=[refuses, sees])
    assert asked == [("a", "x"), ("a", "y")]
    assert slow.rows_of(found.select(["src", "tgt"])) == [("a", "y")]


# --- against loops over cells


def same(text, cascade, count):
    found = lexicon.candidates(slow.bitext(text), filters=slow.filters_of(cascade), count=count)
    wanted = slow.candidates(text, cascade, count)
    assert slow.rows_of(found.drop(["llr"])) == wanted


counts = st.sampled_from(["types", "tokens"])
full_texts = slow.texts().filter(lambda text: len(slow.full(text)) == len(text))


@many
@given(full_texts, slow.oracles, counts)
def test_an_oracle(text, one, count):
    same(text, [one], count)


@many
@given(full_texts, st.lists(slow.oracles, min_size=1, max_size=2), st.integers(0, 2), counts)
def test_alignment(text, some, place, count):
    same(text, [*some[:place], ("alignment",), *some[place:]], count)


@few
@given(full_texts, st.lists(slow.judges, min_size=1, max_size=3), counts)
def test_predicates(text, some, count):
    same(text, some, count)


@settings(max_examples=25)
@given(full_texts, slow.cascades(), counts)
def test_any_cascade(text, cascade, count):
    same(text, cascade, count)


def test_words_beyond_the_first_64_positions():
    """Points, known words and classes in the second and third word of a mask."""
    tgt = " ".join(["t"] * 63 + ["x", "y"] + ["t"] * 63 + ["z", "u", "x"])
    assert len(tgt.split()) == 131
    text = [*slow.pairs_of([("a b c a", tgt), ("b", "y")])]
    words = frozenset({("a", "x"), ("b", "y"), ("c", "z")})
    for cascade in (
        [("list", words, False)],
        [("list", words, False), ("alignment",)],
        [("alignment",), ("list", frozenset({("b", "z")}), False)],
        [("predicate", 3)],
    ):
        for count in ("types", "tokens"):
            same(text, cascade, count)


def test_every_position_of_a_long_sentence():
    tgt = [f"t{k}" for k in range(131)]
    text = [slow.Pair(["a", "b"], tgt, ["NOUN", "X"], (["PROPN", "VERB"] * 66)[:131])]
    words = frozenset({("a", "t63"), ("b", "t64"), ("a", "t127"), ("b", "t128")})
    for cascade in ([("pos", "universal")], [("list", words, False)], [("predicate", 1)]):
        for count in ("types", "tokens"):
            same(text, cascade, count)


# --- masks and chains


@numba.njit
def lowest(word):
    return lowest_bit(word)


@pytest.mark.parametrize("bit", range(64))
def test_lowest_bit(bit):
    assert lowest(np.uint64(1 << bit)) == bit
    assert lowest(np.uint64((2**64 - 1) << bit & (2**64 - 1))) == bit


def test_full_masks():
    src_at, tgt_at = np.array([0, 2, 2, 3, 5, 6]), np.array([0, 3, 4, 4, 68, 197])
    mask, at = full_mask(src_at, tgt_at)
    assert at.tolist() == [0, 2, 2, 2, 4, 7]
    every = 2**64 - 1
    assert mask.tolist() == [7, 7, every, every, every, every, 1]


def chain_of(cells, wide):
    rows = max(i for i, _ in cells) + 1 if cells else 1
    mask = np.zeros(rows * wide, np.uint64)
    for i, j in cells:
        mask[i * wide + j // 64] |= np.uint64(1 << j % 64)
    return list(zip(*(side.tolist() for side in longest_chain(mask, wide)), strict=True))


@settings(max_examples=100)
@given(st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=8))
@example(set())
def test_chains_against_all_subsets(cells):
    assert chain_of(cells, 1) == list(slow.chain(cells))


@few
@given(st.sets(st.tuples(st.integers(0, 30), st.integers(0, 150)), min_size=9, max_size=60))
@example({(i, j) for i in range(6) for j in range(60, 70)})
@example({(i, 30 - i) for i in range(31)})
def test_longer_chains(cells):
    assert chain_of(cells, 3) == list(slow.chain(cells))


# --- filters as strings


def test_filters_survive_a_round_trip(tmp_path):
    path = tmp_path / "words.tsv"
    path.write_text("a\tb\n")
    for text in (
        "cognate:0.58",
        "cognate:0.7:fold-accents",
        "prefix:4",
        "prefix:5:fold-accents",
        f"mrbd:{path}",
        f"mrbd:{path}:fold-case",
        "alignment",
        "pos",
        f"pos:{path}",
    ):
        assert filters.parse_filter(text).name == text
    assert filters.parse_filter("cognate") == lexicon.Cognate(0.58)
    assert filters.parse_filter(" cognate:fold-accents:1 ") == lexicon.Cognate(1.0, True)
    assert filters.parse_filter("prefix") == lexicon.Prefix(4, False)
    cascade = lexicon.parse_cascade("cognate:0.6, alignment,,pos")
    assert filters.name_of(cascade) == "cognate:0.6,alignment,pos"
    assert lexicon.parse_cascade("none") == lexicon.parse_cascade(" ") == []
    assert filters.name_of([]) == "none"
    assert lexicon.WordList(pl.DataFrame({"src": ["a"], "tgt": ["b"]})).name == "mrbd:1 pairs"
    assert lexicon.PartOfSpeech(pl.DataFrame({"tag": ["A"], "class": ["b"]})).name == "pos:table"
    assert not known(lexicon.Cognate(1.0), "a", "b")


# --- in SQL and polars


@pytest.mark.parametrize(
    "cascade",
    ["none", "cognate:0.5,alignment", "pos", "pos,cognate:0.4", "alignment,prefix:2,pos,cognate"],
)
def test_cascades_in_sql_equal_those_of_candidates(cascade):
    rows = [("a b c a", " ".join(["bc"] * 63 + ["ab", "abc"] + ["cb"] * 66)), ("abc", "ab abc")]
    rows += [("The boat in the harbour .", "Le bateau dans le port ."), ("a abc", "abd a b")] * 2
    text = pl.DataFrame(
        [(src.split(), tgt.split()) for src, tgt in rows], ["src", "tgt"], orient="row"
    )
    tags = pl.element().str.len_chars().replace_strict({1: "NOUN", 2: "DET"}, default="VERB")
    sides = (pl.col(name).list.eval(tags).alias(f"{name}_tags") for name in ("src", "tgt"))
    text = text.with_columns(sides)
    removed = f"removed_candidates(src, tgt, '{cascade}', src_tags, tgt_tags)"
    query = f"""
        with
        removed as (
          select one.src, one.tgt, count(*) as n
          from (select unnest({removed}) as one from text) group by all
        ),
        every as (
          select *, coalesce(n, 0) as m from cooccurrence('text') left join removed using (src, tgt)
        )
        select src, tgt, n_both - m, n_src - m, n_tgt - m, n_pairs - m
        from every where n_both > m order by src, tgt
    """
    with connect() as con:
        con.register("text", text)
        found = con.execute(query).fetchall()
        lists = con.sql(f"select {removed} from text").pl().to_series()
        columns = [*text.columns[:2], cascade, *text.columns[2:]]
        assert lists.equals(text.select(removed_candidates(*columns)).to_series())
    chosen = filters.parse_cascade(cascade)
    wanted = lexicon.candidates(text, filters=chosen)
    assert found == slow.rows_of(wanted.drop(["llr"]))
    assert (len(found) < lexicon.candidates(text).num_rows) == bool(chosen)


def test_removed_candidates_of_single_rows():
    words = [["Paris", "x"], [], None, ["Paris"]]
    columns = [pa.array(words), pa.array([["Paris", "y"], ["a"], ["a"], ["Paris"]])]
    both = [{"src": "Paris", "tgt": "y"}, {"src": "x", "tgt": "Paris"}]
    each = pa.array(["cognate", "cognate", "cognate", "none"])
    for cascade in ("cognate", each):
        assert filters.removed_candidates(*columns, cascade).to_pylist() == [both, [], None, []]
    assert filters.removed_candidates(pa.nulls(2), columns[1][:2], "pos").to_pylist() == [None] * 2
    for cascade, said in (
        ("pos", "text without tags for the filter pos"),
        (pa.array(["none", None, "none", "none"]), "null as filters"),
        ("cognat", "the filter 'cognat'"),
    ):
        with pytest.raises(InputError, match=said):
            filters.removed_candidates(*columns, cascade)
