"""Segmentation, confusion networks and the F-measures of TESLA-B."""

import itertools

import numpy as np
import pytest
from helpers.pivots import (
    SENTENCES,
    TOKENS,
    alternatives,
    analysed,
    arrow_table,
    pivot_table,
    tables,
    token,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import tesla_pivots as slow

from alignframe.errors import DataWarning, InputError
from alignframe.kernels.text.trie import Trie
from alignframe.language.analysed import Vocabulary
from alignframe.language.coverage import known_words
from alignframe.tesla.confusion import network, pivot_ngrams
from alignframe.tesla.pivot_table import read_pivot_table, write_pivot_table
from alignframe.tesla.pivots import PivotFeatures

FIELDS = {"lem": 0, "pos": 1}


@given(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=4), max_size=30))
@settings(max_examples=20)
def test_a_trie_gives_equal_phrases_equal_nodes(phrases):
    trie = Trie(1)  # so that it has to grow
    words = np.array([word for phrase in phrases for word in phrase], np.int32)
    ends = np.cumsum([len(phrase) for phrase in phrases], dtype=np.int64)
    starts = np.concatenate([[0], ends[:-1]]).astype(np.int64)[: ends.size]
    half = ends.size // 2
    nodes = [
        *trie.add(words, starts[:half], ends[:half]),
        *trie.add(words, starts[half:], ends[half:]),
    ]
    by_phrase = {tuple(phrase): node for phrase, node in zip(phrases, nodes, strict=True)}
    assert [by_phrase[tuple(phrase)] for phrase in phrases] == nodes
    assert len(set(nodes)) == len(by_phrase)
    offsets, found = trie.phrases(np.array(nodes, np.int32))
    assert [found[a:b].tolist() for a, b in itertools.pairwise(offsets)] == phrases


def phrases_of(sentence, table):
    frame = network(sentence, table).unique("column", maintain_order=True)
    return [tuple(text.split()) for text in frame["tgt_phrase"]]


@given(tables(), st.lists(st.sampled_from("abcd"), min_size=1, max_size=7))
@settings(max_examples=20)
def test_the_segmentation_is_the_most_probable_of_all(drawn, words):
    phrases, counts = drawn
    table = pivot_table(phrases, counts)
    assert phrases_of(words, table) == slow.segmentation(words, counts)


def test_among_equal_segmentations_the_longest_first_phrase_wins():
    alternative = [(1.0, [TOKENS[0]])]
    counts = {("a", "b"): 2, ("b", "c"): 2, ("a",): 2, ("c",): 2}
    table = pivot_table(dict.fromkeys(counts, alternative), counts)
    assert phrases_of("a b c", table) == [("a", "b"), ("c",)]


def test_sums_in_another_order_are_equal():
    counts = {("a", "a"): 1, ("b",): 1}
    table = pivot_table({key: [(1.0, [TOKENS[0]])] for key in counts}, counts)
    assert phrases_of("a " * 7, table) == [("a", "a")] * 3 + [("a",)]


def test_longer_phrases_win_and_words_are_compared_in_lower_case():
    alternative = [(1.0, [TOKENS[0]])]
    counts = {("a", "b"): 10, ("a",): 40, ("b",): 20, ("c",): 30}
    table = pivot_table(dict.fromkeys(counts, alternative), counts)
    assert phrases_of("A B a", table) == [("A", "B"), ("a",)]


def test_a_network_lists_alternatives_and_passes_unknown_words_through():
    drawn = {("hello", ","): [(0.75, [TOKENS[0], TOKENS[1]]), (0.25, [TOKENS[2]])]}
    frame = network("Hello , Querrien", pivot_table(drawn, {("hello", ","): 3}))
    assert frame.rows() == [
        (0, "Hello ,", "le chat", 0.75),
        (0, "Hello ,", "noir", 0.25),
        (1, "Querrien", "Querrien", 1.0),
    ]


def test_the_trigram_of_figure_2():
    comma = (",", "PUN", False)
    greeting = [
        (0.9, [("bonjour", "ITJ", True), comma]),
        (0.1, [("salut", "ITJ", True), comma]),
    ]
    full_stop = [(1.0, [(".", "PUN", False)])]
    counts = {("hello", ","): 9, (".",): 40}
    table = pivot_table({("hello", ","): greeting, (".",): full_stop}, counts)
    found = pivot_ngrams("Hello , Querrien .", table, 3)
    weights = {row[0]: row[1:] for row in found.rows()}
    assert weights["bonjour , querrien"] == pytest.approx((0.9, 0.09), rel=1e-12)
    assert weights["salut , querrien"] == pytest.approx((0.1, 0.01), rel=1e-12)
    assert weights[", querrien ."] == pytest.approx((1.0, 0.01), rel=1e-12)
    assert len(weights) == 3


@given(
    st.lists(alternatives(), min_size=1, max_size=5),
    st.integers(1, 3),
    st.sampled_from(["lem", "pos"]),
    st.sampled_from([0.1, 0.5, 0.0]),
)
@settings(max_examples=20)
def test_expected_ngrams_equal_those_of_all_paths(network_drawn, n, by, weight):
    words = [f"w{k}" for k in range(len(network_drawn))]
    drawn = {(word,): column for word, column in zip(words, network_drawn, strict=True)}
    table = pivot_table(drawn, dict.fromkeys(drawn, 1))
    found = pivot_ngrams(words, table, n, by=by, function_weight=weight)
    for column, factor in (("weight", 1.0), ("discounted", weight)):
        wanted = slow.ngrams(network_drawn, n, FIELDS[by], factor)
        mine = dict(zip(found["ngram"], found[column], strict=True))
        assert mine == pytest.approx({" ".join(g): w for g, w in wanted.items()}, rel=1e-12)


def test_networks_of_many_alternatives():
    wide = [(1 / 60, [(f"w{k}", "N", True)]) for k in range(60)]
    drawn = {("a",): wide, ("b",): [(1.0, [TOKENS[0]])]}
    table = pivot_table(drawn, {("a",): 1, ("b",): 1})
    found = pivot_ngrams("a a b", table, 3)
    assert found.height == 3600
    assert found["weight"].to_list() == pytest.approx([1 / 3600] * 3600, rel=1e-12)
    assert found["discounted"].sum() == pytest.approx(0.1, rel=1e-12)
    vocabulary = Vocabulary()
    one, other = (
        analysed([[(word, TOKENS[1]) for word in text]], vocabulary) for text in ("aab", "baa")
    )
    features = PivotFeatures(table).of(one, other)
    # Of "a a b" and "b a a", the pairs inside "a a" are shared; of 3,600 + 6 to 3,600 + 6.
    assert features[0, 0] == pytest.approx(1.0, rel=1e-12)
    assert features[0, 1] == pytest.approx(1.0 / 1.1, rel=1e-12)
    assert features[0, 2] == 0.0


def slow_features(table, counts, hyp, ref, weight, alpha):
    bags = []
    for sentence in (hyp, ref):
        run = slow.segmentation([word for word, _ in sentence], counts) if sentence else []
        bags.append(slow.columns([what for _, what in sentence], table, run))
    found = []
    for field in FIELDS.values():
        for n in (1, 2, 3):
            one, other = (slow.ngrams(bag, n, field, weight) for bag in bags)
            found.append(slow.f_measure(one, other, alpha))
    return found


@given(
    tables(),
    st.lists(st.tuples(SENTENCES, SENTENCES), min_size=1, max_size=4),
    st.sampled_from([0.1, 1.0, 0.0]),
    st.sampled_from([0.8, 0.3]),
)
@settings(max_examples=10)
def test_features_equal_those_of_bags_of_all_paths(drawn, pairs, weight, alpha):
    table, counts = drawn
    vocabulary = Vocabulary()
    sides = [analysed([pair[k] for pair in pairs], vocabulary) for k in (0, 1)]
    options = {"recall_weight": alpha, "function_weight": weight, "least_known": 0}
    features = PivotFeatures(pivot_table(table, counts), **options)
    found = features.of(*sides)
    wanted = [slow_features(table, counts, *pair, weight, alpha) for pair in pairs]
    assert found == pytest.approx(np.array([[f or 0.0 for f in row] for row in wanted]), rel=1e-9)
    skipped = PivotFeatures(pivot_table(table, counts), empty_order="skip", **options).of(*sides)
    # Nothing matches an empty translation.
    none = [
        [bool(hyp) and f is None for f in row] for (hyp, _), row in zip(pairs, wanted, strict=True)
    ]
    assert np.isnan(skipped).tolist() == none
    for row, pair in enumerate(pairs):  # the features of a row are identical without the others
        fresh = Vocabulary()
        alone = features.of(*(analysed([side], fresh) for side in pair))
        assert alone[0].tobytes() == found[row].tobytes()


def test_equal_sentences_score_1():
    drawn = {
        ("a",): [(1 / 3, [TOKENS[k]]) for k in range(3)],
        ("b",): [(0.7, [TOKENS[3]]), (0.1, [TOKENS[1], TOKENS[2]])],
    }
    table = pivot_table(drawn, {("a",): 1, ("b",): 1})
    vocabulary = Vocabulary()
    text = ["abd", "babdaabbdbabababd", "abbbabbabaabaababdaaabbbabab", "aaaaaaaaaaabbbbbbbbb"]
    one = analysed([[(word, TOKENS[2]) for word in line] for line in text], vocabulary)
    assert PivotFeatures(table).of(one, one).tolist() == [[1.0] * 6] * 4


def test_columns_that_do_not_sum_to_1_weigh_less():
    drawn = {("a",): [(0.5, [TOKENS[1]])], ("b",): [(0.25, [TOKENS[2]])]}
    table = pivot_table(drawn, {("a",): 1, ("b",): 1})
    assert pivot_ngrams("a b a", table, 2).rows() == [
        ("chat noir", 0.125, 0.125),
        ("noir chat", 0.125, 0.125),
    ]


def test_names_and_signature():
    drawn = {("a",): [(1.0, [TOKENS[0]])]}
    features = PivotFeatures(pivot_table(drawn, {("a",): 1}), "fr")
    assert features.names == (
        "fr_lem_1",
        "fr_lem_2",
        "fr_lem_3",
        "fr_pos_1",
        "fr_pos_2",
        "fr_pos_3",
    )
    assert features.signature == "pivot:fr|alpha:0.8|function:0.1|empty:zero"
    own = PivotFeatures(features.table)
    assert own.names[0] == "xx_lem_1"
    assert own.signature.startswith("pivot:xx|")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"recall_weight": 1.5}, "`recall_weight` is 1.5; expected a number from 0 to 1"),
        ({"function_weight": 0.25}, "`function_weight` is 0.25; expected 0, 0.1, 0.2"),
        ({"function_weight": -0.1}, "`function_weight` is -0.1"),
        ({"name": "f|r"}, "'f|r' as the name of a pivot"),
        ({"empty_order": "none"}, "unknown `empty_order` 'none'"),
    ],
)
def test_bad_options(options, said):
    table = pivot_table({("a",): [(1.0, [TOKENS[0]])]}, {("a",): 1})
    with pytest.raises(InputError, match=said):
        PivotFeatures(table, **options)


def test_inputs_that_are_not_sentences():
    table = pivot_table({("a",): [(1.0, [TOKENS[0]])]}, {("a",): 1})
    with pytest.raises(InputError, match="type int"):
        network(3, table)
    with pytest.raises(InputError, match="no sentence"):
        network([{"word": 3}], table)
    with pytest.raises(InputError, match="`n` is 4"):
        pivot_ngrams("a", table, 4)
    with pytest.raises(InputError, match="`by` is 'word'; expected lem or pos"):
        pivot_ngrams("a", table, 1, by="word")
    assert pivot_ngrams([token("un", "D", False, "q")], table, 1).rows() == [("un", 1.0, 0.1)]


def test_a_table_of_another_language_is_refused():
    table = pivot_table({("a",): [(1.0, [TOKENS[0]])]}, {("a",): 1})
    vocabulary = Vocabulary()

    def sentence(*words):
        return analysed([[(word, TOKENS[0]) for word in words]], vocabulary)

    words = ["a"] * 9 + ["zwei"] * 29 + ["drei"] * 12 + ["1", "."] * 50
    wrong = sentence(*words)
    features = PivotFeatures(table)
    with pytest.raises(InputError, match=r"18% of the 50 words.* zwei, drei"):
        features.of(wrong, wrong)
    right = sentence("a", "A", *words)
    assert features.of(wrong, right).shape == (1, 6)  # only the references show the language
    few = sentence(*["zwei"] * 49)
    with pytest.warns(DataWarning, match="0% of the 49 words.*language"):
        assert features.of(few, few).tolist() == [[1.0] * 6]
    assert PivotFeatures(table, least_known=0).of(wrong, wrong).tolist() == [[1.0] * 6]


def test_references_are_checked_once(monkeypatch):
    table = pivot_table({("a",): [(1.0, [TOKENS[0]])]}, {("a",): 1})
    vocabulary = Vocabulary()
    refs = [analysed([[("a", TOKENS[0])]] * rows, vocabulary) for rows in (3, 3, 3)]
    features, asked = PivotFeatures(table), []
    monkeypatch.setattr(PivotFeatures, "check", lambda *given: asked.append(given))
    for _ in range(4):  # as a stream does, batch by batch
        for ref in refs:
            features.of(ref.take(np.array([1])), ref.take(np.array([0])))
    assert len(asked) == 3


def test_pivots_may_be_given_in_every_form(tmp_path):
    rows = arrow_table({("a",): [(1.0, [TOKENS[0]])]}, {("a",): 1})
    write_pivot_table(rows, tmp_path / "fr.parquet")
    read = read_pivot_table(tmp_path / "fr.parquet")
    wanted = network("a b", read).rows()
    ngrams = pivot_ngrams("a b", read, 1).rows()
    for given_as in (rows, read, tmp_path / "fr.parquet", str(tmp_path / "fr.parquet")):
        assert network("a b", given_as).rows() == wanted
        assert pivot_ngrams("a b", given_as, 1).rows() == ngrams
        assert PivotFeatures(given_as).names[0] == "xx_lem_1"
    with pytest.raises(InputError, match=r"pivot table .*int.*build_"):
        PivotFeatures(3)
    with pytest.raises(InputError, match="no such file"):
        network("a", tmp_path / "none.parquet")


def test_selected_rows():
    drawn = {("a",): [(1.0, [TOKENS[0]])], ("b",): [(0.5, [TOKENS[1]]), (0.5, [TOKENS[2]])]}
    features = PivotFeatures(pivot_table(drawn, {("a",): 1, ("b",): 1}))
    vocabulary = Vocabulary()
    texts = ["abcd", "", "b", "dcb", "ab"]
    hyp = analysed([[(word, TOKENS[3]) for word in text] for text in texts], vocabulary)
    ref = analysed([[(word, TOKENS[2]) for word in text[::-1]] for text in texts], vocabulary)
    whole = features.of(hyp, ref)
    for rows in ([2], [3, 0], [4, 4, 1], [1], []):
        taken = np.array(rows, np.int64)
        assert np.array_equal(features.of(hyp.take(taken), ref.take(taken)), whole[taken])
    strange = analysed([[("zwei", TOKENS[0])]] * 60, vocabulary)
    with pytest.raises(InputError, match="0% of the 60 words"):
        features.of(hyp.take(np.array([0])), strange.take(np.array([0])))


def test_a_word_far_rarer_in_the_table_does_not_count_as_known():
    drawn = {(word,): [(1.0, [TOKENS[0]])] for word in "abc"}
    table = pivot_table(drawn, {("a",): 1, ("b",): 5, ("c",): 94})
    text = ["a"] * 55 + ["b"] * 41 + ["c", "d", "e", "e", "7"]
    sentences = analysed([[(word, TOKENS[0]) for word in text]], Vocabulary())
    # a is 55% of the words here, but 1% of the table's
    found = known_words(sentences, table.words, table.word_counts(), table.lower)
    assert found == (pytest.approx(42 / 100), 100, ["a", "e", "d"])
