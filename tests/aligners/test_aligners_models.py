"""IBM Model 1 and the HMM against slow reference versions."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import aligners as slow
from reference.aligners import frame
from scipy.special import digamma

from alignframe import aligners
from alignframe.aligners import hmm, ibm1
from alignframe.aligners.prior import Task
from alignframe.aligners.text import read_text
from alignframe.aligners.training_pairs import pair
from alignframe.kernels.aligners import translation_tables as kernel
from alignframe.kernels.aligners.translation_tables import normalize
from alignframe.options.aligners import Hmm, Ibm1

share = st.floats(0.05, 0.95)


def paired_of(bitext):
    return pair(read_text(frame(bitext)))


def as_dictionaries(translations, paired):
    """Return t[source word][target word], with None for NULL."""
    src, tgt = (side.vocabulary.to_pylist() for side in (paired.text.src, paired.text.tgt))
    known = {}
    for row, word in enumerate([None, *src]):
        low, high = translations.starts[row : row + 2]
        cells = zip(translations.targets[low:high], translations.values[low:high], strict=True)
        known[word] = {tgt[t]: p for t, p in cells if t < len(tgt)}
    return known


def assert_same(found, wanted):
    assert found.keys() == wanted.keys()
    for word, row in wanted.items():
        assert found[word] == pytest.approx(row, rel=1e-9, abs=1e-200)


def listener():
    told = []
    return told, lambda stage, iteration, value: told.append((stage, iteration, value))


@given(slow.bitexts, st.integers(0, 6))
def test_ibm1_learns_what_the_reference_learns(bitext, iterations):
    paired = paired_of(bitext)
    told, tell = listener()
    (found,) = ibm1.train([Task(paired, progress=tell)], Ibm1(iterations, dtype="float64"))
    t, history = slow.ibm1(bitext, iterations)
    assert_same(as_dictionaries(found.translations, paired), t)
    assert [value for *_, value in told] == pytest.approx(history, rel=1e-9)
    assert [(stage, k) for stage, k, _ in told] == [("ibm1", k + 1) for k in range(iterations)]


@given(slow.bitexts, st.integers(1, 4))
def test_ibm1_links(bitext, iterations):
    paired = paired_of(bitext)
    (found,) = ibm1.train([Task(paired)], Ibm1(iterations, dtype="float64"))
    t, _ = slow.ibm1(bitext, iterations)
    best = by_sentence(found.decode(paired))
    likely = by_sentence(found.decode(paired, 0.0))
    for (src, tgt), links, every in zip(bitext, best, likely, strict=True):
        for j, f in enumerate(tgt):
            total = sum(max(t[e][f], 1e-7) for e in [None, *src])
            shares = [max(t[e][f], 1e-7) / total for e in src]
            null = max(t[None][f], 1e-7) / total
            assert [every[i, j] for i in range(len(src))] == pytest.approx(shares, rel=1e-5)
            chosen = [(i, p) for (i, at), p in links.items() if at == j]
            assert len(chosen) <= 1
            most = max([null, *shares])
            if chosen:
                i, p = chosen[0]
                assert shares[i] == pytest.approx(most)
                assert p == pytest.approx(most, rel=1e-5)
            else:
                assert null == pytest.approx(most)


def by_sentence(parts):
    """Return the links of each sentence, with their probabilities."""
    return [
        {
            (int(part.i[k]), int(part.j[k])): float(part.probability[k])
            for k in range(part.offsets[s], part.offsets[s + 1])
        }
        for part in parts
        for s in range(part.offsets.size - 1)
    ]


@st.composite
def hmm_cases(draw):
    bitext = draw(slow.bitexts)
    classes = {word: draw(st.integers(0, 1)) for word in "abcd"}
    options = {
        "smoothing": draw(share),
        "p0": draw(share),
        "max_jump": draw(st.integers(1, 4)),
    }
    return bitext, classes, options


def learn_hmm(case, iterations):
    bitext, classes, options = case
    paired = paired_of(bitext)
    numbers = [classes[word] for word in paired.text.src.vocabulary.to_pylist()]
    told, tell = listener()
    classes = np.array(numbers)
    wanted = Hmm(iterations, 2, classes=classes, dtype="float64", spelling=0.0, **options)
    (found,) = hmm.train([Task(paired, progress=tell)], wanted)
    return paired, found, [value for stage, _, value in told if stage == "hmm"]


def learn_slow_hmm(case, iterations):
    bitext, classes, options = case
    chain = slow.Chain(classes=classes, **options)
    t, _ = slow.ibm1(bitext, 2)
    t, history = slow.hmm(bitext, iterations, t, chain)
    return t, chain, history


@given(hmm_cases(), st.integers(0, 4))
def test_hmm_learns_what_the_reference_learns(case, iterations):
    paired, found, told = learn_hmm(case, iterations)
    t, chain, history = learn_slow_hmm(case, iterations)
    assert told == pytest.approx(history, rel=1e-9)
    assert_same(as_dictionaries(found.translations, paired), t)
    if iterations:
        used = set(found.chain.classes[:-1])
        for name, weights in chain.weights.items():
            if name in ("first", "last"):
                mine = getattr(found.chain, name)
            elif name in used:
                mine = found.chain.jumps[name]
            else:
                continue
            total = sum(weights.values())
            known = [weights[key] / total for key in sorted(weights)]
            assert list(mine) == pytest.approx(known, rel=1e-9, abs=1e-200)


@given(slow.bitexts, st.integers(0, 3))
def test_directions_learnt_together(bitext, before):
    options = {"smoothing": 0.2, "p0": 0.3, "max_jump": 2}
    more = {"iterations": 1, "ibm1_iterations": before, "spelling": 0.0, "dtype": "float64"}
    paired = paired_of(bitext)
    tasks = [Task(paired), Task(pair(paired.text.turned()))]
    found = hmm.train(tasks, Hmm(**options, **more))
    texts = [bitext, [(tgt, src) for src, tgt in bitext]]
    chains = [slow.Chain(classes=dict.fromkeys("abcd", 0), **options) for _ in texts]
    ts = [slow.ibm1(text, before)[0] for text in texts]
    wanted = slow.agreed_counts(bitext, ts, chains)
    for k, counts in enumerate(wanted):
        known = as_dictionaries(found[k].translations, tasks[k].paired)
        for e, row in counts.items():
            if sum(row.values()) > 1e-3:  # smaller values come from rounding posteriors to float32
                share = {f: value / sum(row.values()) for f, value in row.items()}
                assert known[e] == pytest.approx(share, abs=1e-3)
        (alone,) = hmm.train([tasks[k]], Hmm(**options, **more))
        assert found[k].chain.jumps.tobytes() == alone.chain.jumps.tobytes()


@given(hmm_cases(), st.integers(0, 3))
def test_hmm_links(case, iterations):
    bitext = case[0]
    paired, found, _ = learn_hmm(case, iterations)
    t, chain, _ = learn_slow_hmm(case, iterations)
    t = {e: {f: max(p, 1e-7) for f, p in row.items()} for e, row in t.items()}
    best = by_sentence(found.decode(paired))
    likely = by_sentence(found.decode(paired, 0.0))
    for (src, tgt), links, every in zip(bitext, best, likely, strict=True):
        known, _ = slow.posteriors(src, tgt, t, chain)
        wanted = dict.fromkeys(((i, j) for i in range(len(src)) for j in range(len(tgt))), 0.0)
        for path, p in known.items():
            for j, i in enumerate(path):
                if i is not None:
                    wanted[i, j] += p
        assert every == pytest.approx({k: p for k, p in wanted.items() if k in every}, rel=1e-5)
        assert all(p < 1e-30 for k, p in wanted.items() if k not in every)
        chosen = [None] * len(tgt)
        for (i, j), p in links.items():
            chosen[j] = i
            assert p == pytest.approx(wanted[i, j], rel=1e-5)
        assert known[tuple(chosen)] == pytest.approx(max(known.values()), rel=1e-9)


@given(hmm_cases(), st.integers(2, 12))
def test_the_likelihood_never_falls(case, iterations):
    bitext = case[0]
    told, tell = listener()
    ibm1.train([Task(paired_of(bitext), progress=tell)], Ibm1(iterations, dtype="float64"))
    history = [value for *_, value in told]
    _, _, more = learn_hmm(case, iterations)
    for values in (history, more):
        assert (np.diff(values) >= -1e-9 * np.abs(values[1:])).all()


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_likelihood_never_falls_on_text(en_fr, reverse, dtype):
    model = aligners.fit(
        en_fr,
        model="hmm",
        reverse=reverse,
        ibm1_iterations=8,
        iterations=12,
        classes=3,
        spelling=0.0,
        dtype=dtype,
    )
    assert [step["stage"] for step in model.history] == ["ibm1"] * 8 + ["hmm"] * 12
    values = np.array([step["log_likelihood"] for step in model.history])
    rises = np.diff(values) / np.abs(values[1:])
    rises[7] = 0.0  # between one model and the next
    assert (rises >= (-1e-12 if dtype == "float64" else -1e-6)).all()
    assert values[7] > values[0]
    assert values[-1] > values[8]


@pytest.mark.parametrize("kind", ["ibm1", "hmm"])
@pytest.mark.parametrize("threshold", [None, 0.3])
def test_any_number_of_threads_gives_identical_results(en_fr, kind, threshold):
    model = aligners.fit(en_fr, model=kind)
    links = model.align(en_fr, posterior=True, threshold=threshold)
    for threads in (1, 2, 4):
        with ThreadPoolExecutor(threads) as executor:
            other = aligners.fit(en_fr, model=kind, threads=executor)
            assert other.align(en_fr, posterior=True, threshold=threshold, threads=executor).equals(
                links
            )
        assert other.history == model.history
        mine, theirs = model.parameters, other.parameters
        assert mine.translations.values.tobytes() == theirs.translations.values.tobytes()
        if kind == "hmm":
            assert mine.chain.jumps.tobytes() == theirs.chain.jumps.tobytes()
            assert mine.chain.first.tobytes() == theirs.chain.first.tobytes()
            assert mine.chain.last.tobytes() == theirs.chain.last.tobytes()


@given(st.floats(1e-6, 1e6))
def test_digamma(x):
    assert kernel.digamma(x) == pytest.approx(digamma(x), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("alpha", [1e-12, 1e-4, 1e6])
def test_any_concentration_gives_probabilities(alpha):
    text = pl.DataFrame({"src": [["a"], ["b"]] * 2, "tgt": [["A"], ["B"]] * 2})
    for kind in ("ibm1", "hmm"):
        table = aligners.fit(text, model=kind, concentration=alpha).parameters.translations.values
        assert ((table >= 0) & (table <= 1)).all()


def test_a_dirichlet_prior():
    starts = np.array([0, 3, 3, 5])
    counts = np.array([2.0, 0.5, 0.0, 0.0, 0.0])
    table = np.empty(5)
    normalize(starts, counts, 0.1, table)
    assert table[:3] == pytest.approx(np.exp(digamma(counts[:3] + 0.1) - digamma(2.5 + 0.3)))
    assert table[3:].tolist() == [0.5, 0.5]
    normalize(starts, counts, 0.0, table)
    assert table.tolist() == [0.8, 0.2, 0.0, 0.5, 0.5]


def test_a_small_concentration_leaves_rare_words_fewer_translations(en_fr):
    plain, sparse = (
        aligners.fit(en_fr, model="ibm1", concentration=alpha) for alpha in (0.0, 0.001)
    )
    tables = [m.parameters.translations.table(m.vocabularies) for m in (plain, sparse)]
    assert tables[1].num_rows < tables[0].num_rows


@pytest.mark.parametrize("kind", ["ibm1", "hmm"])
def test_a_tiny_concentration_and_long_sentences_give_numbers(kind):
    words = [[f"{side}{k}" for k in range(200)] for side in "ab"]
    text = pl.DataFrame({"src": [words[0]], "tgt": [words[1]]})
    model = aligners.fit(text, model=kind, concentration=1e-3)
    assert np.isfinite([step["log_likelihood"] for step in model.history]).all()
    found = model.align(text, posterior=True, threshold=0.0)["probabilities"][0].to_numpy()
    assert np.isfinite(found).all()


@settings(max_examples=10)
@given(slow.bitexts)
def test_classes_make_no_difference_if_all_are_equal(bitext):
    paired = paired_of(bitext)
    n = len(paired.text.src.vocabulary)
    found = [hmm.train([Task(paired)], Hmm(classes=c))[0] for c in (1, np.zeros(n, np.int64))]
    assert found[0].chain.jumps.tobytes() == found[1].chain.jumps.tobytes()
