"""Bags of n-grams: exact matchings, against linear programming and worked examples."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import tesla_bags as slow

from alignframe.errors import InputError
from alignframe.formats.sentences import read_sentences
from alignframe.functions.bags import COUNTS, f_measures
from alignframe.language import Analysis
from alignframe.language.analysed import Vocabulary, from_arrow
from alignframe.tesla import BagFeatures, f_measure, match, solve_matching


def analysed(*sides):
    vocabulary = Vocabulary()
    return [from_arrow(slow.column(side), vocabulary) for side in sides]


def units(kind, n):
    return 2 * n * 10**n if kind == "ms" else 10**n


def assert_matched(hyps, refs, pairs, orders=3, weight=0.1):
    """Compare every count of every sentence pair with the linear program."""
    counts = match(
        *analysed(hyps, refs), slow.synonyms(pairs), orders=orders, function_weight=weight
    )
    for row, (hyp, ref) in enumerate(zip(hyps, refs, strict=True)):
        for n in range(1, orders + 1):
            mine = dict(zip(COUNTS, counts[row, n - 1].tolist(), strict=True))
            for kind in ("ms", "pos", "lem"):
                s, x, y = slow.matched(hyp, ref, n, kind, pairs, weight)
                assert mine["hyp"] / 10**n == pytest.approx(x, rel=1e-12)
                assert mine["ref"] / 10**n == pytest.approx(y, rel=1e-12)
                found = slow.f(
                    mine[kind] / units(kind, n), mine["hyp"] / 10**n, mine["ref"] / 10**n
                )
                assert found == pytest.approx(slow.f(s, x, y), abs=1e-12)
    return counts


@settings(max_examples=10)
@given(
    st.lists(st.tuples(slow.sentences(), slow.sentences()), min_size=1, max_size=3),
    slow.synonym_pairs,
)
def test_counts_equal_linear_programming(rows, pairs):
    assert_matched(*map(list, zip(*rows, strict=True)), pairs)


@pytest.mark.parametrize(("orders", "weight"), [(5, 0.1), (2, 1.0), (2, 0.0), (3, 0.7)])
def test_other_orders_and_weights(orders, weight):
    rng = np.random.default_rng(orders)
    hyps, refs = ([slow.drawn_sentence(rng, 9) for _ in range(8)] for _ in range(2))
    assert_matched(hyps, refs, {("a", "b"), ("c", "d")}, orders, weight)


@pytest.mark.parametrize("lengths", [(64, 64), (65, 64), (63, 129), (130, 20), (128, 192)])
def test_long_sentences(lengths):
    rng = np.random.default_rng(sum(lengths))
    hyp, ref = (slow.drawn_sentence(rng, length, "abcd") for length in lengths)
    pairs = {("a", "b"), ("b", "c")}
    # A short pair next to it takes the other path through the kernel.
    assert_matched([hyp, hyp[:7]], [ref, ref[:9]], pairs, 2)


def test_very_long_sentences_of_equal_and_of_function_words():
    word, other = ("a", "N", True), ("b", "P", False)
    hyp = [word] * 1_500 + [other] * 700
    ref = [other] * 1_200 + [("c", "N", True)] * 400
    assert_matched([hyp, [other] * 1_300], [ref, ref], {("a", "c")})


@settings(max_examples=12)
@given(slow.sentences(40), slow.sentences(40), slow.synonym_pairs)
def test_sets_of_one_and_of_more_words_agree(hyp, ref, pairs):
    """The kernel for long sentences counts short ones like the other kernel."""
    from alignframe.functions.bags import Lookup
    from alignframe.kernels.tesla import bags

    sides = analysed([hyp], [ref])
    vocabulary = sides[0].vocabulary
    lexicon = bags.Lexicon(*Lookup(slow.synonyms(pairs)).arrays(vocabulary))
    plain = [bags.Side(s.starts, s.ends, s.lemmas, s.tags, s.content) for s in sides]
    kinds = (lexicon.numbers.size, len(vocabulary.tags.known))
    found = []
    for side, wide in ((64, None), (64, 1), (130, 3)):
        counts = np.zeros((1, 3, 5), np.int64)
        bags.match_rows(*plain, np.arange(1), side, wide, kinds, lexicon, 1, counts)
        found.append(counts.tolist())
    assert found[0] == found[1] == found[2]


def test_a_greedy_matching_would_be_wrong():
    """Two pairs with a similarity of 3/4 beat one with 1."""
    hyp = [("a", "N", True), ("b", "V", True), ("e", "P", True), ("f", "P", True)]
    ref = [("c", "N", True), ("b", "V", True), ("a", "N", True), ("b", "V", True)]
    assert slow.matched(hyp[:2], ref[2:], 2, "ms", set())[0] == pytest.approx(1)
    assert slow.matched(hyp[:2], ref[:2], 2, "ms", set())[0] == pytest.approx(0.75)
    value, flow = solve_matching([1, 1], [1, 1], [[4, 3], [3, 0]])
    assert value == 6
    assert flow.tolist() == [[0, 1], [1, 0]]


@settings(max_examples=20)
@given(st.data())
def test_any_matching_of_integers(data):
    rows, columns = data.draw(st.tuples(*[st.integers(1, 7)] * 2))
    numbers = st.integers(0, 9)
    x, y = (data.draw(st.lists(numbers, min_size=size, max_size=size)) for size in (rows, columns))
    cells = st.just(0) | st.integers(0, 12)
    similar = np.array(
        data.draw(st.lists(cells, min_size=rows * columns, max_size=rows * columns))
    ).reshape(rows, columns)
    value, flow = solve_matching(x, y, similar)
    assert value == pytest.approx(slow.optimum(x, y, similar), abs=1e-9)
    assert (flow * similar).sum() == value
    assert flow.min() >= 0
    assert (flow.sum(axis=1) <= x).all()
    assert (flow.sum(axis=0) <= y).all()


def test_a_large_matching():
    rng = np.random.default_rng(5)
    x, y = rng.integers(0, 20, 90), rng.integers(0, 20, 150)
    similar = rng.integers(0, 8, (90, 150)) * (rng.random((90, 150)) < 0.2)
    assert solve_matching(x, y, similar)[0] == pytest.approx(slow.optimum(x, y, similar), abs=1e-6)


def test_figure_1():
    """The bigram matching of the paper: 0.5 x 0.01 + 0.8 x 0.1 + 0.8 x 0.1 = 0.165."""
    similar = [[0.5, 0.0, 0.0], [0.0, 0.8, 0.5], [0.0, 0.5, 0.8]]
    value, flow = solve_matching([0.01, 0.1, 0.1], [0.1, 0.1, 0.1], similar)
    assert value == pytest.approx(0.165, abs=1e-12)
    assert flow[[0, 1, 2], [0, 1, 2]] == pytest.approx([0.01, 0.1, 0.1])
    whole = np.rint(np.multiply(similar, 10)).astype(int)
    value, flow = solve_matching([1, 10, 10], [10, 10, 10], whole)
    assert value == 165
    assert flow.tolist() == [[1, 0, 0], [0, 10, 0], [0, 0, 10]]


def test_similarities_with_many_values_go_to_highs():
    value, flow = solve_matching([2, 2], [2, 2], [[1000, 999], [999, 0]])
    assert value == pytest.approx(3996)
    assert flow == pytest.approx(np.array([[0, 2], [2, 0]]))


def test_nothing_to_match():
    value, flow = solve_matching([1, 2], [3], [[0], [0]])
    assert value == 0
    assert flow.shape == (2, 1)
    assert solve_matching([], [], np.zeros((0, 0)))[0] == 0


def test_f_measure_by_hand():
    assert f_measure(1, 2, 2) == 0.5
    assert f_measure(1, 2, 4) == pytest.approx(0.27778, abs=5e-6)
    assert f_measure(1, 4, 2) == pytest.approx(0.41667, abs=5e-6)
    assert f_measure([0, 3], [0, 3], [4, 3]).tolist() == [0.0, 1.0]
    assert f_measure(1, 2, 4, recall_weight=1) == 0.25  # recall alone
    assert f_measure(1, 2, 4, recall_weight=0) == 0.5  # precision alone


@settings(max_examples=15)
@given(st.lists(slow.tokens, min_size=3, max_size=80))
def test_identical_sentences_score_exactly_1(sentence):
    features = BagFeatures(slow.synonyms({("a", "b")}), similarities=("ms", "pos", "lem"))
    assert features.of(*analysed([sentence], [sentence])).tolist() == [[1.0] * 9]


@settings(max_examples=8)
@given(
    st.lists(st.tuples(slow.sentences(6), slow.sentences(6)), min_size=1, max_size=3),
    slow.synonym_pairs,
    st.sampled_from([0.0, 0.3, 0.8, 1.0]),
)
def test_features(rows, pairs, alpha):
    hyps, refs = map(list, zip(*rows, strict=True))
    features = BagFeatures(slow.synonyms(pairs), recall_weight=alpha)
    assert features.names == ("ms_1", "ms_2", "ms_3", "pos_1", "pos_2", "pos_3")
    found = features.of(*analysed(hyps, refs))
    wanted = [slow.features(hyp, ref, pairs, alpha) for hyp, ref in rows]
    assert found == pytest.approx(np.array(wanted), abs=1e-12)


def test_empty_orders():
    word = ("a", "N", True)
    sides = analysed([[word] * 2, [], [word] * 3], [[word] * 3, [word], []])
    zero = BagFeatures(slow.synonyms(set())).of(*sides)
    skip = BagFeatures(slow.synonyms(set()), empty_order="skip").of(*sides)
    assert zero[0, [2, 5]].tolist() == [0.0, 0.0]
    assert zero[1:].tolist() == [[0.0] * 6] * 2
    assert np.isnan(skip[0]).tolist() == [False, False, True] * 2
    assert skip[0, [0, 1, 3, 4]].tolist() == zero[0, [0, 1, 3, 4]].tolist()
    assert skip[1].tolist() == [0.0] * 6  # nothing matches an empty translation
    assert np.isnan(skip[2]).all()


def test_overlong_sentences_are_refused(monkeypatch):
    monkeypatch.setattr("alignframe.functions.bags.MAX_TOKENS", 3)
    word = ("a", "N", True)
    fine, long = [word] * 3, [word] * 4
    none = slow.synonyms(set())
    assert match(*analysed([fine], [fine]), none).shape == (1, 3, 5)
    with pytest.raises(InputError, match=r"sentence 1 .* 4 tokens; .* 3;"):
        match(*analysed([fine, long], [fine, fine]), none)
    with pytest.raises(InputError, match=r"sentence 0 .*reference .*4 tokens"):
        match(*analysed([fine], [long]), none)


def test_threads_and_other_rows_change_nothing(monkeypatch):
    rng = np.random.default_rng(3)
    hyps, refs = (
        [slow.drawn_sentence(rng, int(rng.integers(0, 12))) for _ in range(60)] for _ in "ab"
    )
    sides = analysed(hyps, refs)
    synonyms = slow.synonyms({("a", "c")})
    whole = match(*sides, synonyms)
    monkeypatch.setattr("alignframe.functions.bags._CHUNK", 7)
    assert match(*sides, synonyms, threads=2).tolist() == whole.tolist()
    for row in (0, 31, 59):
        alone = [side.take(np.array([row])) for side in sides]
        assert match(*alone, synonyms).tolist() == whole[[row]].tolist()


def test_a_vocabulary_may_grow_between_calls():
    features = BagFeatures(slow.synonyms({("a", "b")}))
    first = [("a", "N", True)]
    vocabulary = Vocabulary()
    one = from_arrow(slow.column([[("c", "P", True)]]), vocabulary)
    assert features.of(one, one)[0, 0] == 1.0
    two, three = (
        from_arrow(slow.column([side]), vocabulary) for side in (first, [("b", "V", True)])
    )
    assert features.of(two, three)[0, 0] == 0.5


def test_real_sentences_are_matched_as_by_linear_programming(corpora, wordnet):
    folder = corpora / "wmt12"
    paths = (
        folder / "system-outputs" / "fr-en" / "newstest2012.fr-en.onlineA",
        folder / "references" / "newstest2012-ref.en",
    )
    analysis = Analysis.of(wordnet=wordnet)
    vocabulary = Vocabulary()
    rows = np.arange(0, 3003, 90)
    hyp, ref = (analysis.analyse(read_sentences(path), vocabulary).take(rows) for path in paths)
    counts = match(hyp, ref, analysis.synonyms)
    found = f_measures(counts)
    pairs = _pairs(analysis.synonyms)
    for row in range(rows.size):
        sides = [_tuples(side, row) for side in (hyp, ref)]
        for n in (1, 2, 3):
            wanted = slow.f(*slow.matched(*sides, n, "ms", pairs))
            assert found[f"ms_{n}"][row] == pytest.approx(wanted, abs=1e-12)


def _tuples(side, row):
    lemmas, tags = (numbering.known for numbering in (side.vocabulary.lemmas, side.vocabulary.tags))
    at = slice(side.starts[row], side.ends[row])
    return list(
        zip(
            lemmas.take(side.lemmas[at]).to_pylist(),
            tags.take(side.tags[at]).to_pylist(),
            side.content[at].tolist(),
            strict=True,
        )
    )


def _pairs(synonyms):
    keys = synonyms.table[synonyms.table > 0] - np.uint64(1)
    lemmas = synonyms.lemmas
    left, right = (
        lemmas[keys >> s & np.uint64(0xFFFFFFFF)].to_list() for s in (np.uint64(32), np.uint64(0))
    )
    return set(zip(left, right, strict=True))
