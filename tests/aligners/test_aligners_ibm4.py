"""Models 3 and 4 against slow evaluations of their formulas."""

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from reference import ibm4 as slow

from alignframe import aligners
from alignframe.aligners import bidirectional as both
from alignframe.aligners import fertility, ibm4
from alignframe.aligners.text import read_text
from alignframe.aligners.training_pairs import PARTS, pair
from alignframe.core.arrays import frozen
from alignframe.errors import InputError
from alignframe.kernels.aligners import ibm4 as kernels
from alignframe.kernels.aligners.cepts import MAX_JUMP
from alignframe.kernels.aligners.fertility import Blocks, log_places, make_blocks
from alignframe.kernels.aligners.neighbours import climb, compare
from alignframe.kernels.aligners.sentence_pair import Logs, make_sentence, prepare
from alignframe.kernels.cells import pair_up
from alignframe.options.training import Training

N_CLASSES = 3
VOCABULARY = 4
NO_HEADS, NO_MORES = frozen(np.zeros((0, 0, 0))), frozen(np.zeros((0, 0)))


class Pair:
    """Draw a sentence pair: the kernels' arguments, and the slow version's."""

    def __init__(self, n_src, n_tgt, seed, *, model=4, peaked=False):
        rng = np.random.default_rng(seed)
        power = 6 if peaked else 1
        src, tgt = rng.integers(0, VOCABULARY, n_src), rng.integers(0, VOCABULARY, n_tgt)
        ends = frozen(np.array([0, n_src])), frozen(np.array([0, n_tgt]))
        words = [frozen(side.astype(np.int32)) for side in (src, tgt)]
        _, _, self.pairing = pair_up(ends[0], words[0], ends[1], words[1], VOCABULARY, VOCABULARY)
        cell = self.pairing.cell.reshape(n_tgt, n_src)
        table = rng.random(self.pairing.n_cells) ** power
        table[rng.random(table.size) < 0.2] = 0.0
        self.table = frozen(table)
        n = rng.dirichlet(np.ones(11), VOCABULARY)
        p0 = rng.uniform(0.05, 0.95)
        classes = rng.integers(0, N_CLASSES, (2, VOCABULARY))
        # With different distances, a move may gain most from the neighbouring cepts.
        even = 0.02 if peaked else 1.0
        heads = rng.dirichlet(np.full(2 * MAX_JUMP + 1, even), (N_CLASSES + 1, N_CLASSES))
        mores = rng.dirichlet(np.full(MAX_JUMP + 1, even), N_CLASSES)
        heads, mores = np.maximum(heads, 1e-7), np.maximum(mores, 1e-7)
        d = rng.dirichlet(np.ones(n_tgt), n_src).T  # (n_tgt, n_src), the sum of each word is 1
        orders = np.array([math.log(math.factorial(phi)) for phi in range(11)])
        self.logs = Logs(
            frozen(np.log(n) + (orders if model == 3 else 0.0)),
            math.log(p0),
            math.log(1 - p0),
            frozen(np.append(classes[0], N_CLASSES).astype(np.int32)),
            frozen(classes[1].astype(np.int32)),
            frozen(np.log(d).ravel() if model == 3 else np.zeros(0)),
            frozen(np.log(heads)) if model == 4 else NO_HEADS,
            frozen(np.log(mores)) if model == 4 else NO_MORES,
        )
        null = self.table[tgt][:, None]
        self.case = slow.Case(
            np.hstack([null, self.table[cell]]).tolist(),
            [None, *n[src].tolist()],
            p0,
            [N_CLASSES, *classes[0][src].tolist()],
            classes[1][tgt].tolist(),
            d=[[None, *row] for row in d.tolist()] if model == 3 else None,
            d1=heads.tolist() if model == 4 else None,
            more=mores.tolist() if model == 4 else None,
        )

    def sentence(self, alignment):
        """Return the kernels' prepared work space, and the log-probability."""
        choice = frozen(np.array(alignment, np.int32) - 1)
        sentence = make_sentence(
            self.pairing.src,
            self.pairing.tgt,
            self.pairing.cell,
            self.table,
            choice,
            self.logs,
            self.logs.places,
        )
        return sentence, prepare(sentence, self.logs)

    def some_alignment(self, data):
        return data.draw(
            st.lists(
                st.integers(0, self.case.n_src), min_size=self.case.m, max_size=self.case.m
            ).filter(lambda a: 2 * a.count(0) <= len(a))
        )


pairs = st.builds(
    Pair,
    st.integers(1, 6),
    st.integers(1, 8),
    st.integers(0, 10_000),
    model=st.sampled_from([3, 4]),
    peaked=st.booleans(),
)
tiny = st.builds(
    Pair,
    st.integers(1, 3),
    st.integers(1, 4),
    st.integers(0, 10_000),
    model=st.sampled_from([3, 4]),
)


def close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-9)


@given(pairs, st.data())
def test_probability_of_an_alignment(one, data):
    alignment = one.some_alignment(data)
    sentence, found = one.sentence(alignment)
    assert sentence.at.tolist() == alignment
    assert found == close(slow.log_probability(alignment, one.case))


@given(pairs, st.data())
def test_gain_of_every_move_and_swap(one, data):
    alignment = one.some_alignment(data)
    sentence, total = one.sentence(alignment)
    compare(sentence, one.logs, -math.inf, False)
    for (j, i), neighbour in slow.moves(alignment, one.case):
        wanted = slow.log_probability(neighbour, one.case) - total
        assert sentence.moves[j, i] == close(wanted)
    for (j, k), neighbour in slow.swaps(alignment, one.case):
        wanted = slow.log_probability(neighbour, one.case) - total
        assert sentence.swaps[j, k] == close(wanted)
    own = [sentence.moves[j, i] for j, i in enumerate(alignment)]
    same = [
        sentence.swaps[j, k]
        for j, k in np.argwhere(np.triu(np.ones((len(own), len(own))), 1))
        if alignment[j] == alignment[k]
    ]
    assert set(own + same) == {-math.inf}


@given(pairs, st.floats(-20, 3), st.data())
def test_only_neighbours_below_a_limit_are_left_out(one, least, data):
    alignment = one.some_alignment(data)
    sentence, _ = one.sentence(alignment)
    compare(sentence, one.logs, -math.inf, False)
    moves, swaps = sentence.moves.copy(), np.triu(sentence.swaps, 1)
    gain, j, to = compare(sentence, one.logs, least, False)
    assert sentence.moves.tolist() == np.where(moves >= least, moves, -math.inf).tolist()
    above = np.triu(np.ones(swaps.shape, bool), 1)
    kept = np.where(swaps >= least, swaps, -math.inf)
    assert sentence.swaps[above].tolist() == kept[above].tolist()
    best = max(sentence.moves.max(), sentence.swaps[above].max(initial=-math.inf))
    assert (gain == best) if j >= 0 else (best == -math.inf)
    for_rise, first, second = compare(sentence, one.logs, least, True)
    assert (for_rise, first, second) == (gain, j, to)


@settings(max_examples=50)
@given(pairs, st.data())
def test_a_neighbour_is_kept_up_to_its_own_gain(one, data):
    # The gain of the other factors is bounded, to leave out neighbours that cannot reach a limit.
    sentence, _ = one.sentence(one.some_alignment(data))
    compare(sentence, one.logs, -math.inf, False)
    moves, swaps = sentence.moves.copy(), sentence.swaps.copy()
    for j, i in np.argwhere(np.isfinite(moves)):
        compare(sentence, one.logs, moves[j, i] - 1e-9, False)
        assert sentence.moves[j, i] == moves[j, i]
    for j, k in zip(*np.triu_indices(len(swaps), 1), strict=True):
        if np.isfinite(swaps[j, k]):
            compare(sentence, one.logs, swaps[j, k] - 1e-9, False)
            assert sentence.swaps[j, k] == swaps[j, k]


def test_a_word_of_null_is_kept_if_it_is_a_better_head():
    better = 0
    for seed in range(60):
        one = Pair(1, 2, seed, peaked=True)
        sentence, _ = one.sentence([0, 1])
        compare(sentence, one.logs, -math.inf, False)
        gain = sentence.moves[0, 1]
        old = sentence.costs[0, 1]
        compare(sentence, one.logs, gain - 1e-9, False)
        assert sentence.moves[0, 1] == gain
        better += old < math.log(1e-6)
    assert better > 5


@given(pairs, st.data())
def test_hill_climbing_ends_at_a_local_optimum(one, data):
    alignment = one.some_alignment(data)
    sentence, start = one.sentence(alignment)
    found = climb(sentence, one.logs)
    end = sentence.at.tolist()
    assert found == close(slow.log_probability(end, one.case))
    assert found >= start - 1e-9
    for neighbour in slow.neighbours(end, one.case):
        assert slow.log_probability(neighbour, one.case) <= found + 2e-9


@given(tiny, st.data())
def test_all_alignments_of_tiny_sentences(one, data):
    logs = {tuple(a): slow.log_probability(a, one.case) for a in slow.all_alignments(one.case)}
    best = max(logs, key=logs.get)
    sentence, _ = one.sentence(best)
    assert climb(sentence, one.logs) == close(logs[best])
    compare(sentence, one.logs, -math.inf, False)
    links_of, total = kernels.weigh(sentence)
    assert logs[best] + math.log(total) <= math.log(sum(map(math.exp, logs.values()))) + 1e-9
    assert links_of.sum(axis=1) == close(np.full(one.case.m, total))
    other, _ = one.sentence(one.some_alignment(data))
    assert climb(other, one.logs) <= logs[best] + 1e-9


def expected(one, alignment):
    classes = N_CLASSES + 1, N_CLASSES
    n_places = one.case.m * one.case.n_src
    counts = fertility.no_counts(one.pairing.n_cells, VOCABULARY, n_places, classes)
    choice, log_likelihood = kernels.expect(
        one.pairing,
        one.table,
        one.logs,
        frozen(np.zeros(1, np.int64)),
        frozen(np.array(alignment, np.int32) - 1),
        counts,
    )
    return (choice + 1).tolist(), counts, log_likelihood


@settings(max_examples=8)
@given(pairs, st.data())
def test_expectations_over_the_neighbours(one, data):
    best, counts, log_likelihood = expected(one, one.some_alignment(data))
    ratios = [
        slow.log_probability(b, one.case) - slow.log_probability(best, one.case)
        for b in slow.neighbours(best, one.case)
    ]
    assume(all(abs(ratio - math.log(1e-7)) > 1e-6 for ratio in ratios))
    wanted, total = slow.expectation(best, one.case)
    assert log_likelihood == close(total)
    pairing, n = one.pairing, one.case.n_src
    other = fertility.no_counts(
        pairing.n_cells, VOCABULARY, counts.places.size, counts.heads.shape[:2]
    )
    for key, value in wanted.items():
        match key:
            case "link", j, 0:
                other.cells[pairing.tgt[j]] += value
            case "link", j, i:
                other.cells[pairing.cell[j * n + i - 1]] += value
                other.places[j * n + i - 1] += value
            case "fertility", i, phi:
                other.fertilities[pairing.src[i - 1], phi] += value
            case "null", k:
                other.nulls[k] += value
            case "head", g, h, jump:
                other.heads[g, h, jump + MAX_JUMP] += value
            case "more", h, jump:
                other.mores[h, jump] += value
    for found, right in zip(counts, other, strict=True):
        assert found == close(right)


@given(pairs, st.data())
def test_counts_of_alignments(one, data):
    alignment = one.some_alignment(data)
    pairing, n = one.pairing, one.case.n_src
    shape = N_CLASSES + 1, N_CLASSES
    counts = fertility.no_counts(0, VOCABULARY, one.case.m * n, shape)
    other = fertility.no_counts(0, VOCABULARY, one.case.m * n, shape)
    kernels.count_alignments(
        pairing,
        frozen(np.array(alignment, np.int32) - 1),
        one.logs.src_classes,
        one.logs.tgt_classes,
        frozen(np.zeros(1, np.int64)),
        counts,
    )
    for i, places in enumerate(slow.cepts(alignment, n)[1:]):
        other.fertilities[pairing.src[i], len(places)] += 1
        for j in places:
            other.places[(j - 1) * n + i] += 1
    for kind, *key in slow.jumps(alignment, one.case):
        if kind == "head":
            other.heads[key[0], key[1], key[2] + MAX_JUMP] += 1
        else:
            other.mores[key[0], key[1]] += 1
    nulls = alignment.count(0)
    other.nulls[:] = one.case.m - 2 * nulls, nulls
    for found, right in zip(counts, other, strict=True):
        assert found.tolist() == right.tolist()


@given(pairs, st.data())
def test_links_and_their_probabilities(one, data):
    assume(one.case.d is None)
    alignment = one.some_alignment(data)
    choice = frozen(np.array(alignment, np.int32) - 1)
    found, probabilities = kernels.best(one.pairing, one.table, one.logs, choice)
    best, counts, _ = expected(one, alignment)
    assert (found + 1).tolist() == best
    posteriors = kernels.posteriors(one.pairing, one.table, one.logs, choice)
    assert posteriors == pytest.approx(counts.places, abs=1e-6)
    n = one.case.n_src
    for j, i in enumerate(best):
        nulls = 1 - posteriors[j * n : (j + 1) * n].sum()
        wanted = posteriors[j * n + i - 1] if i > 0 else nulls
        assert probabilities[j] == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize("model", [3, 4])
@pytest.mark.parametrize(("n_src", "n_tgt"), [(1, 1), (1, 30), (30, 1), (150, 200), (2, 120)])
def test_sentences_of_different_lengths(n_src, n_tgt, model):
    one = Pair(n_src, n_tgt, 8, model=model, peaked=True)
    nulls, found, total = expected(one, [0] * n_tgt)
    assert np.isfinite(total)
    assert 2 * nulls.count(0) <= n_tgt
    assert all(np.isfinite(counts).all() for counts in found)
    assert found.cells.sum() == pytest.approx(n_tgt)
    assert found.fertilities.sum() == pytest.approx(n_src)
    sentence, at_best = one.sentence(nulls)
    assert at_best == close(slow.log_probability(nulls, one.case))
    compare(sentence, one.logs, -math.inf, False)
    rng = np.random.default_rng(2)
    for j, i in zip(rng.integers(0, n_tgt, 40), rng.integers(0, n_src + 1, 40), strict=True):
        if nulls[j] != i:
            moved = [*nulls[:j], int(i), *nulls[j + 1 :]]
            assert sentence.moves[j, i] == close(slow.log_probability(moved, one.case) - at_best)


def test_long_sentences_have_uniform_positions():
    blocks = make_blocks(frozen(np.array([0, 2, 103, 105])), frozen(np.array([0, 3, 4, 7])))
    assert blocks.of.tolist() == [0, -1, 0]
    one = Pair(2, 3, 4, model=3)
    even = one.logs._replace(places=frozen(np.full(6, -math.log(3))))
    results = []
    for logs, begin in ((even, 0), (one.logs, -1)):
        counts = fertility.no_counts(one.pairing.n_cells, VOCABULARY, 0)
        begins = frozen(np.array([begin]))
        choice = frozen(np.zeros(3, np.int32))
        if begin < 0:
            counts = counts._replace(places=np.zeros(6))
        results.append(kernels.expect(one.pairing, one.table, logs, begins, choice, counts)[1])
        assert counts.places.tolist() == [0.0] * counts.places.size
    assert results[0] == results[1]


def test_positions_from_counts():
    blocks = Blocks(*(frozen(np.array(x)) for x in ([2, 1], [3, 2], [0, 6, 8], [0, 6])))
    counts = np.array([1.0, 0, 3, 0, 0, 0, 1, 1])
    found = np.exp(log_places(blocks, counts, 0.3))
    third = 0.3 / 3
    wanted = [0.7 / 4 + third, 1 / 3, 0.7 * 3 / 4 + third, 1 / 3, third, 1 / 3, 0.5, 0.5]
    assert found == close(wanted)


def test_fertilities_from_counts():
    counts = np.zeros((3, 11))
    counts[0, 1], counts[1, 2] = 4, 2
    found = fertility.fertilities(counts, np.array([3, 3, 5], np.int32), 2.0)
    assert found.sum(axis=1) == pytest.approx(np.ones(3), abs=1e-5)
    average = (counts.sum(axis=0) + 1e-7) / (6 + 11e-7)
    of_three = (counts.sum(axis=0) + 5 * average) / 11
    assert found[0] == pytest.approx(np.maximum((counts[0] + 2 * of_three) / 6, 1e-7))
    assert found[2] == pytest.approx(np.maximum(average, 1e-7))


def test_distances_from_counts():
    counts = np.array([[[0.0, 1, 3]], [[0, 0, 0]]])
    found = fertility.distances(counts, 0.3)
    assert found.tolist() == [[pytest.approx([0.1, 0.275, 0.625])], [pytest.approx([1 / 3] * 3)]]
    more = fertility.further_distances(np.array([[5.0, 1, 3], [0, 0, 0]]), 0.2)
    assert more == close(np.array([[0, 0.3, 0.7], [0, 0.5, 0.5]]))


def test_share_of_null():
    assert fertility.null_share(np.array([3.0, 1.0]), None) == 0.75
    assert fertility.null_share(np.array([3.0, 1.0]), 0.9) == 0.9
    assert 0.0 < fertility.null_share(np.zeros(2), None) < 1.0


def frame(texts):
    return pl.DataFrame({"src": [src for src, _ in texts], "tgt": [tgt for _, tgt in texts]})


def translated(n, seed=5):
    """Draw a bitext of a language without grammar, with n sentence pairs, some of them twice."""
    rng = np.random.default_rng(seed)
    texts = []
    for _ in range(n):
        src = rng.integers(0, 40, rng.integers(1, 12))
        tgt = [form for w in src for form in ([f"t{w}"] if w % 7 else [f"t{w}", f"u{w}"])]
        if rng.random() < 0.5:
            tgt.insert(int(rng.integers(0, len(tgt) + 1)), "null")
        texts.append(([f"s{w}" for w in src], tgt))
    return frame(texts)


SCHEDULE = {"ibm1_iterations": 3, "hmm_iterations": 3, "iterations": 2, "model3_iterations": 2}


@pytest.fixture(scope="module")
def text():
    return translated(400)


@pytest.fixture(scope="module")
def model(text):
    return aligners.fit(text, model="ibm4", classes=4, **SCHEDULE)


def test_words_find_their_translations(model, text):
    found = model.align(text)
    right = wrong = 0
    for src, tgt, row in zip(text["src"], text["tgt"], found["links"], strict=True):
        pairs_of = {(link["i"], link["j"]) for link in row}
        for i, j in pairs_of:
            right += tgt[j][1:] == src[i][1:]
            wrong += tgt[j][1:] != src[i][1:]
    assert right > 0.97 * sum(word != "null" for row in text["tgt"] for word in row)
    assert wrong < 0.02 * right


def test_stages_are_reported(model):
    stages = [(told["stage"], told["iteration"]) for told in model.history]
    wanted = [
        (stage, k)
        for stage, n in (("ibm1", 3), ("hmm", 3), ("ibm3", 2), ("ibm4", 2))
        for k in range(1, n + 1)
    ]
    assert stages == wanted
    assert all(np.isfinite(told["log_likelihood"]) for told in model.history)
    fourth = [told["log_likelihood"] for told in model.history if told["stage"] == "ibm4"]
    assert fourth[1] > fourth[0]


def same(one, two):
    tables = [model.parameters.tables(model.turned) for model in (one, two)]
    return tables[0].keys() == tables[1].keys() and all(
        tables[0][name].equals(tables[1][name]) for name in tables[0]
    )


def test_any_number_of_threads_gives_identical_results(model, text):
    assert pair(read_text(text)).parts[PARTS - 1]
    for threads in (1, 3):
        with ThreadPoolExecutor(threads) as executor:
            other = aligners.fit(text, model="ibm4", classes=4, threads=executor, **SCHEDULE)
            assert same(model, other)
            found = other.align(text, posterior=True, threads=executor)
        assert found.equals(model.align(text, posterior=True))


def test_processes_give_identical_results(model, text, processes):
    other = aligners.fit(text, model="ibm4", classes=4, threads=processes, **SCHEDULE)
    assert same(model, other)


def test_a_saved_model_gives_the_same_links(model, text, tmp_path):
    model.save(tmp_path / "model")
    loaded = aligners.load(tmp_path / "model")
    assert loaded.align(text, posterior=True).equals(model.align(text, posterior=True))
    assert same(loaded, aligners.load(tmp_path / "model"))


def test_text_with_unknown_words(model):
    new = frame(
        [
            (["s1", "who"], ["t1", "qui"]),
            (["who"], ["qui"]),
            (["what", "why"], ["que"] * 30),
            (["s1"] * 200, ["t1"] * 200),
            (["s2"], ["null"]),
            (["s2"], ["t3"] * 200),
        ]
    )
    found = model.align(new, posterior=True)
    for row, tgt in zip(found["probabilities"], new["tgt"], strict=True):
        assert all(0.0 < p <= 1.0 + 1e-6 for p in row)
        assert 2 * (len(tgt) - len(row)) <= len(tgt)
    assert {(link["i"], link["j"]) for link in found["links"][0]} == {(0, 0), (1, 1)}


def test_a_threshold_takes_every_likely_link(model, text):
    best = model.align(text, posterior=True)
    some = model.align(text, threshold=0.5, posterior=True)
    assert all(p > 0.5 for row in some["probabilities"] for p in row)
    for wide, narrow, p in zip(some["links"], best["links"], best["probabilities"], strict=True):
        wide = {(link["i"], link["j"]) for link in wide}
        sure = {(link["i"], link["j"]) for link, q in zip(narrow, p, strict=True) if q > 0.5}
        assert wide == sure


def test_both_directions(text):
    found = aligners.align(text, model="ibm4", symmetrize="intersection", classes=4, **SCHEDULE)
    assert found["system"][0] == "ibm4.intersection"
    assert found.height == text.height


def test_training_continues_from_another_model(model, text):
    more = aligners.fit(text, model="ibm4", classes=4, prior=model, **{**SCHEDULE, "iterations": 1})
    assert [told["stage"] for told in more.history][:1] == ["hmm"]
    lexicon = pl.DataFrame({"src": ["s1"], "tgt": ["t2"]})
    taught = aligners.fit(text, model="ibm4", classes=4, prior=lexicon, strength=1e6, **SCHEDULE)
    p = taught.parameters.tables(taught.turned)["translations"].to_pylist()
    assert next(row["p"] for row in p if row["src"] == "s1" and row["tgt"] == "t2") > 0.9


@pytest.mark.parametrize(
    "texts",
    [
        [(["a"], ["b"])],
        [(["a"], ["b"] * 40)],
        [(["a"] * 40, ["b"])],
        [(["a", "b"] * 100, ["c"] * 200)],
        [([f"s{k}" for k in range(200)], [f"t{k}" for k in range(200)]), (["s1"], ["t1"])],
    ],
)
@pytest.mark.parametrize("p0", [0.9, None])
def test_small_texts(texts, p0):
    found = aligners.fit(frame(texts), model="ibm4", p0=p0)
    assert all(np.isfinite(told["log_likelihood"]) for told in found.history)
    row = found.align(frame(texts), posterior=True).row(0, named=True)
    assert all(0.0 < p <= 1.0 + 1e-6 for p in row["probabilities"])
    assert 2 * len(row["links"]) >= len(texts[0][1])


@pytest.mark.parametrize("number", [0, 1])
def test_iterations_can_be_left_out(text, number):
    schedule = {"model3_iterations": number, "iterations": 1 - number}
    found = aligners.fit(text, model="ibm4", classes=2, **{**SCHEDULE, **schedule})
    assert [told["stage"] for told in found.history][6:] == ["ibm3" if number else "ibm4"]
    assert found.align(text).height == text.height


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("iterations", -1),
        ("model3_iterations", 1.5),
        ("hmm_iterations", -1),
        ("ibm1_iterations", -1),
        ("classes", 0),
        ("p0", 1.0),
        ("p0", 0.0),
        ("smoothing", 0.0),
        ("place_smoothing", 1.0),
        ("fertility_weight", 0.0),
        ("fertility_weight", float("nan")),
        ("hmm_p0", 2.0),
        ("concentration", -1.0),
        ("spelling", float("inf")),
        ("together", 2),
        ("dtype", "int8"),
    ],
)
def test_options_out_of_range(text, option, value):
    with pytest.raises(InputError, match=str(value)):
        aligners.fit(text, model="ibm4", **{option: value})


def test_directions_start_from_models_learnt_together(text):
    short = {"iterations": 0, "model3_iterations": 0, "classes": 4}
    wanted, found = (
        [
            one.model.parameters.chain.jumps.tolist()
            for one in both.fit_directions(text, Training(kind, given=options))
        ]
        for kind, options in (("hmm", {}), ("ibm4", short))
    )
    assert found == wanted
    alone = aligners.fit(text, model="hmm")
    assert alone.parameters.chain.jumps.tolist() != wanted[0]


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("heads", lambda t: t.slice(1)),
        ("heads", lambda t: t.drop_columns(["p"])),
        ("mores", lambda t: t.slice(0, 7)),
        ("fertilities", lambda t: t.slice(3)),
        ("src_classes", lambda t: t.slice(1)),
        ("tgt_classes", lambda t: t.set_column(1, "class", [[99] * t.num_rows])),
        ("nulls", lambda t: t.slice(1)),
        ("nulls", lambda t: t.set_column(0, "p0", [[2.0]])),
        ("nulls", lambda t: t.set_column(0, "p0", [["x"]])),
        ("mores", lambda t: t.set_column(2, "p", [[float("nan")] * t.num_rows])),
    ],
)
def test_damaged_tables(model, table, change):
    tables = model.parameters.tables(model.turned)
    tables[table] = change(tables[table])
    with pytest.raises(InputError, match=r"Model 4|numbers"):
        ibm4.Parameters.from_tables(tables, model.turned)
