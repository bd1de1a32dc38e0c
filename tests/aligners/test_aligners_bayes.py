"""The Bayesian aligner: its sampler against a slow one and exact probabilities; training."""

import gc
import gzip
import json
import random
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import islice, pairwise

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from reference import bayes as slow
from reference.aligners import as_sets, frame, weighted
from scipy.stats import chisquare

from alignframe import aligners, formats, links
from alignframe.aligners import bidirectional as both
from alignframe.aligners import room, sampled
from alignframe.aligners.bayes import ALONE
from alignframe.aligners.bayes import Sampler as Sampling
from alignframe.aligners.ibm1 import spelt_alike
from alignframe.aligners.kept import free_slots
from alignframe.aligners.prior import Prior
from alignframe.aligners.starts import start_of
from alignframe.aligners.stems import by_stem
from alignframe.aligners.text import read_text
from alignframe.aligners.training_pairs import pair
from alignframe.errors import DataWarning, InputError
from alignframe.functions import lcsr
from alignframe.kernels.aligners import gibbs, slots
from alignframe.kernels.aligners.gibbs import BY_FERTILITY, BY_JUMP, BY_WORD, MAX_JUMP
from alignframe.kernels.aligners.link_rows import count_links
from alignframe.kernels.aligners.link_table import find, tabulate
from alignframe.options.aligners import Bayes
from alignframe.options.training import Training

# Numbers that float32 holds exactly, so that the two samplers differ only by rounding.
alphas = st.sampled_from([1 / 64, 1 / 8, 1 / 2, 1.0])
nulls = st.sampled_from([1 / 16, 1 / 4, 1 / 2, 3 / 4])
stages = st.sampled_from([BY_WORD, BY_JUMP, BY_FERTILITY])
seeds = st.integers(1, 2**64 - 1)

_SAME = 1e-5
"""Choices with a smaller margin are left to rounding."""


class Sampler:
    """The kernel and its arguments for a text."""

    def __init__(self, bitext, alpha, null, state):
        self.text = read_text(frame(bitext))
        self.sides, self.alpha = self.text.sides, np.float32(alpha)
        self.odds = np.float32(null / (1 - null))
        self.random = np.array([state], np.uint64)
        self.place = np.empty(self.sides.tgt.size, np.int16)
        gibbs.start(self.sides, np.float32(null), self.random, self.place)
        self.slots = slots.make_slots(self.place.size)
        options = Bayes(concentration=alpha, spelling=0.0)
        self.start = start_of(self.text, options, Prior())
        self.jumps = np.zeros(2 * MAX_JUMP + 1, np.int64)
        self.counts = self.counted(self.jumps)
        self.tables = sampled.jump_table(self.jumps, self.sides.src_at)
        self.turned, self.favour = ALONE, 1.0

    def counted(self, jumps, stems=0.0):
        """Return the counts of the positions as they are, and add the jumps."""
        start = self.start
        counts = start.nulls.copy(), np.zeros(start.totals.size), start.fertilities.copy()
        gibbs.add(self.sides, self.place, *counts, jumps)
        forms = by_stem(self.text, shared=stems > 0)
        initial = (stems, start.pairs, start.totals, self.alpha)
        rows = count_links(self.sides, self.place, forms, *initial, counts[1])
        return gibbs.Counts(tabulate(rows), *counts)

    def sweep(self, stage, remembering=False):
        self.tables = sampled.jump_table(self.jumps, self.sides.src_at)
        self.jumps = np.zeros_like(self.jumps)
        return self.again(stage, remembering)

    def again(self, stage, remembering=False):
        """Sample with the same jumps."""
        moved, probability, pool = gibbs.sweep(
            self.sides,
            self.counts,
            self.alpha,
            self.place,
            *self.tables,
            self.jumps,
            self.odds,
            stage,
            self.random,
            self.slots if remembering else slots.make_slots(0),
            self.turned,
            np.float32(self.favour),
        )
        self.counts = self.counts._replace(pairs=self.counts.pairs._replace(pool=pool))
        return moved, probability

    def alignment(self):
        at = self.sides.tgt_at
        named = [slow.NULL if i < 0 else int(i) for i in self.place]
        return [named[low:high] for low, high in pairwise(at)]

    def counts_of(self, counts):
        """Return the count of each pair of words, with pseudo-counts."""
        src, tgt = (side.vocabulary.to_pylist() for side in (self.text.src, self.text.tgt))
        found = {(slow.NULL, f): counts.nulls[t] for t, f in enumerate(tgt)}
        for w, e in enumerate(src):
            for t, f in enumerate(tgt):
                slot = find(counts.pairs.pool, counts.pairs.at[w], counts.pairs.mask[w], t)
                values = counts.pairs.pool.view(np.float32)
                found[e, f] = self.alpha if slot < 0 else values[slot + 1]
        return found

    def links(self):
        """Return the count of each pair of words that has one, without pseudo-counts."""
        found = {pair: n - self.alpha for pair, n in self.counts_of(self.counts).items()}
        return {pair: n for pair, n in found.items() if n}


def words_of(sampler):
    return sampler.text.src.vocabulary.to_pylist()


def assert_same_counts(sampler, counts, alpha):
    wanted = {pair: n for pair, n in counts.links.items() if n}
    assert sampler.links() == pytest.approx(wanted, rel=1e-5)
    totals = [counts.total(e) for e in [slow.NULL, *words_of(sampler)]]
    assert sampler.counts.totals[:-1] == pytest.approx(totals, rel=1e-9)
    fertilities = [[n + slow.PSEUDO for n in counts.words[e]] for e in words_of(sampler)]
    assert sampler.counts.fertilities[:-1].tolist() == fertilities


def compare(bitext, alpha, null, state, plan, favour=1.0):
    """Sample a text twice, in the sweeps of a plan of stages; False if a choice is too close to
    call.

    With ``favour``, there is an arbitrary alignment in the other direction.
    """
    sampler = Sampler(bitext, alpha, null, state)
    turned = []
    if favour > 1:
        chance = random.Random(state)
        turned = [[chance.randrange(-1, len(tgt)) for _ in src] for src, tgt in bitext]
        sampler.turned, sampler.favour = np.concatenate(turned).astype(np.int16), favour
    generator = slow.Generator(state)
    alignment = slow.start(bitext, null, generator)
    assert sampler.alignment() == alignment
    counts = slow.Counts(bitext, alpha)
    counts.add(bitext, alignment)
    assert_same_counts(sampler, counts, alpha)
    odds = null / (1 - null)
    for stage in plan:
        jump = slow.jump_probability(slow.jumps_of(bitext, alignment))
        before = sampler.counts.fertilities.tobytes()
        sampler.slots = slots.make_slots(sampler.place.size)
        moved, log_probability = sampler.sweep(stage, remembering=True)
        wanted = slow.Sweep(bitext, alignment, counts, jump, odds, stage, generator, turned, favour)
        if wanted.margin < _SAME:
            return False
        assert sampler.alignment() == alignment
        assert int(sampler.random[0]) == generator.state
        assert moved == wanted.moved
        assert log_probability == pytest.approx(wanted.log_probability, rel=1e-5)
        assert_slots(sampler.slots, wanted.seen)
        widths = slow.jumps_of(bitext, alignment)
        found = {k - MAX_JUMP: n for k, n in enumerate(sampler.jumps.tolist()) if n}
        assert found == widths
        # Only the last stage maintains fertilities; the others leave them unchanged.
        again = sampler.counted(np.zeros_like(sampler.jumps))
        assert sampler.counts_of(sampler.counts) == sampler.counts_of(again)
        assert sampler.counts.totals == pytest.approx(again.totals, rel=1e-12)
        if stage == BY_FERTILITY:
            assert_same_counts(sampler, counts, alpha)
            assert sampler.counts.fertilities.tobytes() == again.fertilities.tobytes()
        else:
            assert sampler.counts.fertilities.tobytes() == before
            sampler.counts.fertilities[:] = again.fertilities
    return True


def assert_slots(found, seen):
    for t, wanted in enumerate(seen):
        if len(wanted) > slots.SLOTS:
            continue
        at = slice(slots.SLOTS * t, slots.SLOTS * (t + 1))
        places = [slow.NULL if i < 0 else i for i in found.places[at].tolist()]
        weights = found.weights[at].tolist()
        mine = {i: w for i, w in zip(places, weights, strict=True) if w}
        near = {i for i, p in (mine | wanted).items() if abs(p - 0.01) < 1e-5}
        assert mine.keys() - near == wanted.keys() - near
        for i in mine.keys() & wanted.keys():
            assert mine[i] == pytest.approx(wanted[i], rel=1e-4)


@given(
    slow.bitexts,
    alphas,
    nulls,
    seeds,
    st.lists(stages, min_size=1, max_size=4),
    st.sampled_from([1.0, 4.0]),
)
def test_the_same_choices_as_the_slow_sampler(bitext, alpha, null, state, plan, favour):
    assume(compare(bitext, alpha, null, state, plan, favour))


@pytest.mark.parametrize("stage", [BY_WORD, BY_JUMP, BY_FERTILITY])
@pytest.mark.parametrize(
    "bitext",
    [
        [(["a"], list("uvwxuvwxuvwxuvwx")), (["a", "b"], list("uuuuuuuuuuuuuuuuuu"))],
        [(["b", *(["a"] * 4)], list("uuv")), (["a"] * 9, list("vuwxu"))],
        [([f"s{k}" for k in range(130)], [f"t{k}" for k in range(12)])],
        [(["a"], ["u"])] * 5 + [(["b"], ["u"])],
        [(["a", "b"], ["u"] * 20), (["a"], ["v"] * 10)],
    ],
    ids=["many words of one", "repeated words", "long jumps", "single words", "two share many"],
)
def test_the_same_choices_in_unusual_text(bitext, stage):
    states = (1, 2**63 + 12345, 7**20)
    plan = [stage] * 3
    assert sum(compare(bitext, 1 / 64, 1 / 4, state, plan) for state in states) > 0


def test_random_numbers_are_uniform():
    state = np.array([1], np.uint64)
    generator = slow.Generator(1)
    found = np.array([gibbs.draw(state) for _ in range(20_000)])
    assert found.tolist() == [generator.draw() for _ in range(20_000)]
    assert found.min() >= 0.0
    assert found.max() < 1.0
    assert chisquare(np.histogram(found, 50, (0.0, 1.0))[0]).pvalue > 0.001
    states = {int(sampled.generator((seed, n))[0]) for seed in range(20) for n in range(20)}
    assert len(states) == 400
    assert 0 not in states


def test_starts_are_uniform():
    bitext = [(["a", "b", "c"], ["u"] * 100)] * 100
    places = Sampler(bitext, 1.0, 0.25, 99).place
    sizes = np.bincount(places + 1, minlength=4)
    assert chisquare(sizes, np.array([0.25, 0.25, 0.25, 0.25]) * places.size).pvalue > 0.001


@pytest.mark.parametrize(
    ("bitext", "stage"),
    [
        ([(["a", "b"], ["u", "v"]), (["a", "c"], ["u", "w"])], BY_WORD),
        ([(["a", "b"], ["u", "v"]), (["a", "b"], ["v", "u"])], BY_JUMP),
        ([(["a", "b", "c"], ["u", "v", "u"])], BY_FERTILITY),
    ],
)
def test_frequencies_of_alignments_equal_their_probabilities(bitext, stage):
    """In the long run, Gibbs sampling draws every alignment by its collapsed posterior."""
    alpha, null, sweeps = 0.5, 0.25, 40_000
    sampler = Sampler(bitext, alpha, null, 11)
    prior = np.array([4.0, 8.0, 2.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.5], np.float32)
    sampler.start.fertilities[:] = prior
    sampler.counts = sampler.counted(np.zeros_like(sampler.jumps))
    widths = dict(zip(range(-3, 5), [1, 2, 4, 1, 16, 8, 4, 1], strict=True))
    sampler.jumps[:] = 0
    for width, count in widths.items():
        sampler.jumps[width + MAX_JUMP] = count
    sampler.tables = sampled.jump_table(sampler.jumps, sampler.sides.src_at)
    jump = slow.jump_probability(Counter(widths))
    wanted = slow.posterior(bitext, alpha, null / (1 - null), stage, jump, prior.tolist())
    found = Counter()
    for _ in range(sweeps):
        sampler.again(stage)
        found[tuple(map(tuple, sampler.alignment()))] += 1
    assert found.keys() <= wanted.keys()
    distance = sum(abs(found[one] / sweeps - p) for one, p in wanted.items()) / 2
    assert distance < 0.025
    for one, p in wanted.items():
        assert found[one] / sweeps == pytest.approx(p, abs=0.008)


def remember_slowly(known, place, weight):
    """Keep at most four [position, weight]; a heavier new position replaces the lightest."""
    for entry in known:
        if entry[0] == place:
            entry[1] += weight
            return
    if len(known) < slots.SLOTS:
        known.append([place, weight])
        return
    least = min(known, key=lambda entry: entry[1])
    if weight > least[1]:
        least[:] = [place, weight]


# Sixty-fourths, so that sums are exact and there are ties.
memories = st.lists(
    st.tuples(st.integers(0, 3), st.integers(-1, 6), st.integers(1, 64).map(lambda k: k / 64)),
    max_size=60,
)


def remembered(memory):
    found, known = slots.make_slots(4), [[] for _ in range(4)]
    for t, place, weight in memory:
        slots.remember(found.places, found.weights, t, place, weight)
        remember_slowly(known[t], place, weight)
    return found, known


def as_lists(found):
    rows = zip(found.places.reshape(-1, 4), found.weights.reshape(-1, 4), strict=True)
    return [
        [[i, w] for i, w in zip(places.tolist(), weights.tolist(), strict=True) if w]
        for places, weights in rows
    ]


@given(memories, memories)
def test_slots_against_lists(one, two):
    (ours, mine), (theirs, other) = remembered(one), remembered(two)
    assert as_lists(ours) == mine
    before = [array.copy() for array in theirs]
    slots.merge(ours, theirs)
    for known, more in zip(mine, other, strict=True):
        for place, weight in more:
            remember_slowly(known, place, weight)
    assert as_lists(ours) == mine
    assert all((array == old).all() for array, old in zip(theirs, before, strict=True))
    places, probabilities = slots.best(ours, 8)
    for t, known in enumerate(mine):
        place, weight = max(known, key=lambda entry: entry[1], default=[-1, 0.0])  # the first one
        assert (places[t], probabilities[t]) == (place, weight / 8)


@given(memories)
def test_packed_slots_are_the_same(memory):
    found, _ = remembered(memory)
    packed = slots.pack(found)
    assert packed.weights.size == np.count_nonzero(found.weights) == packed.sizes.sum()
    assert as_lists(slots.unpack(packed)) == as_lists(found)


@given(memories, st.sampled_from([0.0, 1 / 64, 1 / 8, 1 / 2]), st.sampled_from([0, 5]))
def test_likely_slots_against_lists(memory, threshold, first):
    found, known = remembered(memory)
    bounds = [0, 1, 1, 4]
    weighted = slots.likely(np.array(bounds) + first, found, 4, threshold)
    for s in range(3):
        wanted = [
            (place, t - bounds[s], weight / 4)
            for t in range(bounds[s], bounds[s + 1])
            for place, weight in known[t]
            if place >= 0 and weight / 4 > threshold
        ]
        low, high = weighted.offsets[s : s + 2]
        rows = (weighted.i, weighted.j, weighted.probability)
        assert list(zip(*(row[low:high].tolist() for row in rows), strict=True)) == wanted
    assert weighted.offsets[-1] == weighted.i.size


TEXT = pl.DataFrame(
    {
        "sid": [7, 3, 5, 1],
        "src": [["the", "house"], ["the", "book"], ["a", "book"], ["house"]],
        "tgt": [["das", "Haus"], ["das", "Buch"], ["ein", "Buch"], ["Haus"]],
    }
)


FEW = {"samplers": 4, "sweeps": (5, 3, 10)}
"""Options with fewer sweeps than a small text gets by default, enough for these tests."""


@pytest.fixture(scope="module")
def model(en_fr):
    return aligners.fit(en_fr, model="bayes", **FEW)


def bits(parameters):
    known = (parameters.pairs.values, parameters.totals, parameters.fertilities, parameters.jumps)
    kept = [array for slots in parameters.slots for array in slots]
    return [array.tobytes() for array in (*known, *kept)]


def test_any_number_of_threads_gives_identical_results(en_fr, model):
    told = []
    aligners.fit(en_fr, model="bayes", **FEW, progress=lambda *said: told.append(said))
    stages = [("words", 5), ("jumps", 3), ("fertilities", 10)]
    wanted = [
        (f"sampler {sampler}, {stage}", k + 1)
        for sampler in (1, 2, 3, 4)
        for stage, sweeps in stages
        for k in range(sweeps)
    ]
    assert [said[:2] for said in told] == wanted
    assert all(np.isfinite(value) and value < 0.0 for *_, value in told)
    links_of = model.align(en_fr, posterior=True)
    for threads in (1, 2, 4):
        again = []
        with ThreadPoolExecutor(threads) as executor:
            other = aligners.fit(
                en_fr,
                model="bayes",
                threads=executor,
                **FEW,
                progress=lambda *said, to=again: to.append(said),
            )
            assert other.align(en_fr, posterior=True, threads=executor).equals(links_of)
        assert sorted(again) == sorted(told)  # samplers report in any order
        assert bits(other.parameters) == bits(model.parameters)
        assert other.history == model.history


def test_a_memory_limit_changes_nothing(en_fr, model, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(slots, "AT_A_TIME", 100)
    monkeypatch.setattr(room, "resident", lambda: 0)
    monkeypatch.setattr(room, "_KEPT", 10_000)
    words = sum(map(len, en_fr["tgt"].to_pylist()))
    need = room.needed([words], FEW["samplers"], room.Room(1, in_files=False), stems=True)
    for least, files in ((need, 0), (need - 1, words // 100 + 1)):
        limit = f"{least / 1000}KB"
        other = aligners.fit(en_fr, model="bayes", memory_limit=limit, **FEW)
        assert len(list(tmp_path.glob("*/0-*"))) == pytest.approx(files, rel=0.3)
        assert bits(other.parameters)[:4] == bits(model.parameters)[:4]
        best = next(model.parameters.decode(pair(model.parameters.text)))
        found = list(other.parameters.decode(pair(other.parameters.text)))
        for name in ("i", "j", "probability"):
            joined = np.concatenate([getattr(part, name) for part in found])
            assert joined.tobytes() == getattr(best, name).tobytes()
        del other
        gc.collect()
    assert not list(tmp_path.iterdir())
    with pytest.raises(InputError, match="much"):
        aligners.fit(en_fr, model="bayes", memory_limit="much")


def test_memory_of_counts_does_not_depend_on_the_pairs_of_positions(en_fr):
    """Only pairs that are linked take memory: few, once links agree."""
    text = read_text(en_fr)
    start = start_of(text, Bayes(), Prior())
    forms = by_stem(text, shared=True)
    (kept,) = free_slots([text.sides], [None], (1, 0))
    options = Bayes(stems=0.0, spelling=0.0)
    sampler = Sampling(text.sides, start, forms, kept, options, (1, 0))
    for stage in (BY_WORD, BY_JUMP, BY_FERTILITY):
        for again in (True, False, False):
            sampler.sweep(stage, ALONE, again=again, remembering=stage == BY_FERTILITY)
    words = text.tgt.words.size
    held = sum(array.nbytes for array in (*sampler.count().pairs, sampler.place))
    assert held < 60 * words
    packed = [array.nbytes for piece in kept for array in slots.pack(piece)]
    assert sum(packed) < 16 * words  # 24 unpacked


def test_processes_give_identical_results(en_fr, model, processes):
    links_of = model.align(en_fr, posterior=True, threshold=0.1)
    other = aligners.fit(en_fr, model="bayes", threads=processes, **FEW)
    found = other.align(en_fr, posterior=True, threshold=0.1, threads=processes)
    assert bits(other.parameters) == bits(model.parameters)
    assert found.equals(links_of)


def test_the_seed_decides(en_fr, model):
    again, other = (aligners.fit(en_fr, model="bayes", seed=seed, **FEW) for seed in (1, 2))
    assert bits(again.parameters) == bits(model.parameters)
    assert bits(other.parameters) != bits(model.parameters)
    one, two = (aligners.fit(en_fr, model="bayes", **FEW | {"samplers": n}).history for n in (1, 2))
    assert two[:18] == one  # each sampler has a generator of its own
    assert two[18]["log_likelihood"] != one[0]["log_likelihood"]


def test_an_interrupted_run_resumes(en_fr, model, tmp_path):
    """Finished samplers are not run again, and the model is identical."""

    def killed(stage, iteration, _):
        if (stage, iteration) == ("sampler 3, words", 2):
            raise KeyboardInterrupt

    home = str(tmp_path / "kept")
    with pytest.raises(KeyboardInterrupt):
        aligners.fit(en_fr, model="bayes", progress=killed, checkpoints=home, **FEW)
    assert len(list(tmp_path.rglob("*.npz"))) == 2
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.npz")}
    told = []
    again = aligners.fit(
        en_fr, model="bayes", progress=lambda *said: told.append(said), checkpoints=home, **FEW
    )
    assert bits(again.parameters) == bits(model.parameters)
    assert again.history == model.history
    assert len(told) == len(model.history)
    assert {path: path.stat().st_mtime_ns for path in before} == before
    # Another text, option or seed has its own samplers.
    other = aligners.fit(en_fr, model="bayes", checkpoints=home, **FEW | {"samplers": 1, "seed": 2})
    assert bits(other.parameters) != bits(again.parameters)
    aligners.fit(en_fr.slice(5), model="bayes", checkpoints=home, samplers=1, sweeps=(1, 0, 1))
    assert len(list((tmp_path / "kept").iterdir())) == 2
    (tmp_path / "file").write_text("", "utf-8")
    for folder, said in ((str(tmp_path / "file"), "cannot be made"), (3, "checkpoints 3")):
        with pytest.raises(InputError, match=said):
            aligners.fit(en_fr, model="bayes", checkpoints=folder, **FEW)
    damaged = next(path for path in before if path.stem.endswith("1"))
    for content in (damaged.read_bytes()[:-1000], b"", b"PK"):
        damaged.write_bytes(content)
        with pytest.raises(InputError, match=f"{damaged.name}: the checkpoint cannot be read.*del"):
            aligners.fit(en_fr, model="bayes", checkpoints=home, **FEW)


def test_directions_learnt_together_agree(en_fr, model, tmp_path):
    fitted, told = [], []
    for agreement, threads, home in ((1, 1, None), (3, 1, "kept"), (3, 2, None), (3, 2, "kept")):
        with ThreadPoolExecutor(threads) as executor:
            found = list(
                both.fit_directions(
                    en_fr,
                    Training(
                        threads=executor,
                        progress=lambda *said, to=told: to.append(said),
                        given={
                            **FEW,
                            "agreement": agreement,
                            "checkpoints": home and str(tmp_path / home),
                        },
                    ),
                )
            )
        fitted.append(found)
    apart, together, again, kept = fitted
    assert len(list(tmp_path.rglob("*.npz"))) == FEW["samplers"]
    assert bits(apart[0].model.parameters) == bits(model.parameters)
    found = [both.decode_directions(directions) for directions in (apart, together, again)]
    shared = [
        sum(
            len(one & two)
            for one, two in zip(*(as_sets(side.links) for side in sides), strict=True)
        )
        for sides in found
    ]
    assert shared[1] > shared[0]
    for one, *others in zip(together, again, kept, strict=True):
        for two in others:
            assert bits(one.model.parameters) == bits(two.model.parameters)
            assert one.model.history == two.model.history
    stages = {stage for stage, *_ in told}
    assert {stage.removesuffix("-reverse") for stage in stages} < stages
    assert len(told) == len(fitted) * sum(len(one.model.history) for one in together)


def test_directions_of_large_texts_are_learnt_separately(en_fr, monkeypatch):
    def stages():
        given = {"samplers": 1, "sweeps": [1, 0, 1], "agreement": 3}
        told = []
        training = Training(progress=lambda *said: told.append(said[0]), given=given)
        list(both.fit_directions(en_fr, training))
        return [stage.endswith("-reverse") for stage in told]

    assert stages() == [False, True, False, True]
    monkeypatch.setattr(both, "MOST_TOGETHER", 100)
    assert stages() == [False, False, True, True]


def test_counts_add_up(en_fr, model):
    """The result is the mean of alignments of this text, whose links can be counted."""
    parameters = model.parameters
    rows_of = np.repeat(np.arange(parameters.totals.size), np.diff(parameters.pairs.starts))
    sums = np.bincount(rows_of, parameters.pairs.values, minlength=parameters.totals.size)
    assert sums == pytest.approx(parameters.totals, abs=1e-2)
    assert parameters.totals.sum() == pytest.approx(sum(map(len, en_fr["tgt"].to_pylist())))
    words = Counter(word for row in en_fr["src"].to_pylist() for word in row)
    frequency = [words[word] for word in model.vocabularies[0].to_pylist()]
    assert parameters.fertilities[:-1].sum(axis=1) == pytest.approx(frequency)
    assert (parameters.fertilities >= 0.0).all()
    assert parameters.jumps.sum() == pytest.approx(parameters.totals[1:].sum() + en_fr.num_rows)
    assert parameters.samples == 4 * 5
    probabilities = model.align(en_fr, posterior=True, threshold=0.5)["probabilities"].explode()
    assert probabilities.max() == pytest.approx(0.97, abs=0.01)  # of links that are in every sample
    assert parameters.spelling == 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"samplers": 0}, "`samplers` is 0; expected a whole number from 1"),
        ({"samplers": 1.5}, "`samplers` is 1.5"),
        ({"samplers": "2"}, "`samplers` is '2'"),
        ({"sweeps": (1, 2)}, r"`sweeps` is \(1, 2\); expected three whole numbers"),
        ({"sweeps": (1, 2, 3, 4)}, "expected three whole numbers"),
        ({"sweeps": (1, -2, 3)}, "`sweeps` is -2; expected a whole number from 0"),
        ({"sweeps": (1, 2.0, 3)}, "`sweeps` is 2.0"),
        ({"sweeps": "123"}, "`sweeps` is '123'"),
        ({"sweeps": 3}, "`sweeps` is 3; expected three"),
        ({"sweeps": (1, 1, 0)}, "`sweeps` is 0; expected a whole number from 1"),
        ({"concentration": 0.0}, "`concentration` is 0.0; expected a number from 1e-06"),
        ({"concentration": float("nan")}, "`concentration` is nan"),
        ({"concentration": float("inf")}, "`concentration` is inf"),
        ({"concentration": "0.1"}, "`concentration` is '0.1'; expected a number from 1e-06"),
        ({"agreement": 0.5}, "`agreement` is 0.5; expected a number from 1"),
        ({"agreement": "3"}, "`agreement` is '3'"),
        ({"spelling": -1.0}, "`spelling` is -1.0; expected a number from 0"),
        ({"spelling": "1"}, "`spelling` is '1'"),
        ({"stems": float("nan")}, "`stems` is nan"),
        ({"null": 0.0}, "`null` is 0.0; expected a number above 0 and below 1"),
        ({"null": 1.0}, "`null` is 1.0"),
        ({"null": "0.2"}, "`null` is '0.2'; expected a number above 0 and below 1"),
        ({"null": None}, "`null` is None"),
        ({"seed": -1}, "`seed` is -1; expected a whole number"),
        ({"seed": "x"}, "`seed` is 'x'"),
        ({"seed": 2**53}, "`seed` is 9007199254740992"),
        ({"iterations": 3}, "unknown bayes option 'iterations'; expected one of samp"),
    ],
)
def test_options_out_of_range(options, message):
    with pytest.raises(InputError, match=message):
        aligners.fit(TEXT, model="bayes", **options)


def test_small_texts_get_more_sweeps():
    assert Bayes().effort(30_000) == Bayes().effort(200_000) == (4, (5, 3, 10))
    assert Bayes().effort(10**6) == Bayes().effort(10**12) == (3, (2, 1, 4))
    assert Bayes().effort(1) == Bayes().effort(200)
    sizes = [100 * 2**k for k in range(10)]
    every = [samplers * sum(sweeps) for samplers, sweeps in map(Bayes().effort, sizes)]
    assert every == sorted(every, reverse=True)
    samplers, sweeps = Bayes().effort(TEXT.height)
    history = aligners.fit(TEXT, model="bayes").history
    assert len(history) == samplers * sum(sweeps)


spellings = st.text("abAé1-", min_size=1, max_size=6)


@given(st.lists(st.tuples(*[st.lists(spellings, min_size=1, max_size=4)] * 2), min_size=1))
def test_words_spelt_alike(bitext):
    paired = pair(read_text(frame(bitext)))
    src, tgt = (side.vocabulary.to_pylist() for side in (paired.text.src, paired.text.tgt))
    rows = np.repeat(np.arange(len(src) + 2) - 1, np.diff(paired.starts))
    found = spelt_alike(paired)
    assert not found[rows < 0].any()  # NULL has no similar spelling
    for row, t, alike in zip(rows, paired.targets, found, strict=True):
        if row < 0:
            continue
        (ratio,) = lcsr(pa.array([src[row]]), pa.array([tgt[t]]), True).to_pylist()
        strict = any(len(word) < 4 or not word.isalpha() for word in (src[row], tgt[t]))
        if strict and ratio < 1:
            assert alike == 0
        else:
            assert alike == pytest.approx(max(2 * ratio - 1, 0), abs=1e-6)


@pytest.mark.parametrize("model", ["bayes", "ibm1", "hmm", "ibm4"])
def test_equal_words_are_linked_without_other_evidence(model):
    text = pl.DataFrame({"src": [["uno", "Paris", "1914"]], "tgt": [["1914", "zwei", "PARIS"]]})
    wanted = {(1, 2), (2, 0)}
    for strength in (3.0, 0.0):
        found = aligners.align(text, model=model, symmetrize="none", spelling=strength)
        assert (wanted <= as_sets(found)[0]) == (strength > 0)


def test_stages_can_be_left_out():
    for sweeps in ((0, 0, 1), (0, 2, 1), (2, 0, 3)):
        found = aligners.fit(TEXT, model="bayes", sweeps=sweeps, samplers=2)
        assert len(found.history) == 2 * sum(sweeps)
        assert found.parameters.samples == 2 * (sweeps[2] - sweeps[2] // 2)
        aligned = weighted(found.align(TEXT, posterior=True))
        assert all(p <= 1.0 for row in aligned for p in row.values())


def test_a_lexicon_pulls_words_to_their_translations():
    text = pl.DataFrame({"src": [["a", "b"]] * 8, "tgt": [["u", "v"]] * 8})
    for first, second, wanted in (("u", "v", {(0, 0), (1, 1)}), ("v", "u", {(0, 1), (1, 0)})):
        lexicon = pl.DataFrame({"src": ["a", "b"], "tgt": [first, second]})
        for reverse in (False, True):
            found = aligners.fit(
                text, model="bayes", reverse=reverse, prior=lexicon, strength=50.0, null=0.02
            )
            assert as_sets(found.align(text)) == [wanted] * 8
        known = aligners.align(text, model="bayes", prior=lexicon, strength=50.0, null=0.02)
        assert as_sets(known) == [wanted] * 8


def test_words_find_their_translations():
    text = pl.concat([TEXT] * 5).with_columns(sid=pl.int_range(5 * TEXT.height))
    for reverse in (False, True):
        found = aligners.fit(text, model="bayes", reverse=reverse, null=0.05).align(text)
        assert found.columns == ["system", "sid", "links"]
        assert found["system"].unique().to_list() == ["bayes-reverse" if reverse else "bayes"]
        assert as_sets(found) == ([{(0, 0), (1, 1)}] * 3 + [{(0, 0)}]) * 5


def test_reverse_is_forward_of_the_swapped_text(en_fr):
    turned = pa.table({"sid": en_fr["sid"], "src": en_fr["tgt"], "tgt": en_fr["src"]})
    forward = aligners.fit(turned, model="bayes", **FEW)
    reverse = aligners.fit(en_fr, model="bayes", reverse=True, **FEW)
    assert reverse.history == forward.history
    assert reverse.vocabularies == forward.vocabularies[::-1]
    assert bits(reverse.parameters) == bits(forward.parameters)
    one, two = forward.align(turned), reverse.align(en_fr)
    assert as_sets(two) == [{(i, j) for j, i in row} for row in as_sets(one)]


def test_thresholds_and_probabilities(model, en_fr):
    for align in (
        lambda **options: model.align(en_fr, posterior=True, **options),
        lambda **options: aligners.align(
            en_fr, model="bayes", symmetrize="none", posterior=True, **FEW, **options
        ),
    ):
        best, every = weighted(align()), weighted(align(threshold=0.0))
        for threshold in (0.1, 0.5, 0.9):
            some = weighted(align(threshold=threshold))
            assert some == [{k: p for k, p in row.items() if p > threshold} for row in every]
            assert sum(map(len, some)) > 0
        for one, two in zip(best, every, strict=True):
            assert one.items() <= two.items()
            assert all(0.0 <= p <= 1.0 for p in two.values())
            totals, most = Counter(), Counter()
            for (_, j), p in two.items():
                totals[j] += p
                most[j] = max(most[j], p)
            assert all(total < 1.0 + 1e-5 for total in totals.values())
            assert all(p == most[j] for (_, j), p in one.items())
            # A word without a link is linked to NULL: its positions have no more than the rest.
            assert all(most[j] <= 1 - totals[j] + 0.05 for j in totals.keys() - {j for _, j in one})


def test_text_is_aligned_identically_in_any_number_of_parts(model, en_fr):
    """Each part of another text gets links between its own words."""
    found = weighted(model.align(en_fr, posterior=True))
    sizes = [len(row) for row in en_fr["src"].to_pylist()]
    assert sum(bool(row) for row in found) > 0.95 * len(found)
    learnt = as_sets(aligners.align(en_fr, model="bayes", symmetrize="none", **FEW))
    same = sum(len(one.keys() & two) for one, two in zip(found, learnt, strict=True))
    assert same > 0.6 * sum(map(len, learnt))
    for row, size in zip(found, sizes, strict=True):
        assert all(i < size for i, _ in row)
    alone = [weighted(model.align(en_fr.slice(k, 1), posterior=True))[0] for k in range(40, 44)]
    links_of = sum(len(one.keys() & found[k].keys()) for k, one in enumerate(alone, 40))
    assert links_of > 0.8 * sum(len(found[k]) for k in range(40, 44))


def test_text_with_unknown_words(model):
    long = ["the", "house", "."] * 66 + ["and", "then"]
    text = pl.DataFrame(
        {
            "sid": [4, 2, 9, 1, 0, 8, 5, 3],
            "src": [["zyx"], [], ["the"], long, [*long, "x"], ["zyx", "the"], [], ["the"] * 90],
            "tgt": [["uvw"], ["la"], ["la"], long, ["la"], [], ["la"], ["la"] * 150],
        }
    )
    with pytest.warns(DataWarning, match=r"3 sentence pairs .*and 1 with more"):
        found = model.align(text, posterior=True, threshold=0.0)
    assert found["sid"].to_list() == text["sid"].to_list()
    sizes = found["links"].list.len().to_list()
    assert [sizes[k] for k in (1, 4, 5, 6)] == [0] * 4
    weights = found["probabilities"].explode().drop_nulls().to_numpy()
    assert np.isfinite(weights).all()
    assert ((weights > 0.0) & (weights <= 1.0)).all()
    assert model.align(TEXT.clear()).height == 0


def test_fitting_unusual_text():
    long = [f"s{k}" for k in range(200)]
    text = pl.DataFrame(
        {
            "src": [["a"], long, ["a"] * 50, [], ["b"], ["a", "b"]],
            "tgt": [["u"], [f"t{k}" for k in range(200)], ["u"] * 60, ["u"], [], ["v", "u"]],
        }
    )
    with pytest.warns(DataWarning, match="2 sentence pairs .*empty"):
        found = aligners.fit(text, model="bayes")
    assert np.isfinite([step["log_likelihood"] for step in found.history]).all()
    for array in (found.parameters.pairs.values, found.parameters.totals):
        assert np.isfinite(array).all()
        assert (array >= 0.0).all()
    with pytest.warns(DataWarning):
        aligned = found.align(text, posterior=True)
    sizes = aligned["links"].list.len().to_list()
    assert sizes[3:5] == [0, 0]
    with pytest.raises(InputError, match="a bitext of 1 row,"):
        aligners.fit(pl.DataFrame({"src": [["a"]], "tgt": [["u"] * 201]}), model="bayes")


@pytest.mark.filterwarnings("ignore:the model does not know most words")
@pytest.mark.parametrize("reverse", [False, True])
def test_sentences_too_long_for_their_positions(model, reverse):
    words = [["the"] * 33_000, ["la"]]
    text = pl.DataFrame({"src": [words[reverse]], "tgt": [words[not reverse]]})
    message = "a sentence of 33,000 words; expected at most 32,768"
    with pytest.raises(InputError, match=message):
        aligners.fit(text, model="bayes", max_length=40_000)
    known = aligners.fit(TEXT, model="bayes", max_length=40_000, samplers=1)
    with pytest.raises(InputError, match=message):
        known.align(text)
    shorter = text.with_columns(pl.col("src", "tgt").list.head(32_768))
    found = aligners.fit(shorter, model="bayes", max_length=40_000, samplers=1).align(shorter)
    assert found.height == 1


def test_a_single_pair_of_words():
    text = pl.DataFrame({"src": [["a"]], "tgt": [["u"]]})
    found = weighted(
        aligners.align(text, model="bayes", symmetrize="none", posterior=True, threshold=0.0)
    )
    assert len(found) == 1
    assert 0.0 < found[0][0, 0] < 1.0


UNSEEN = pl.DataFrame(
    {
        "src": [["the", "zyx", "house"], ["zyx"], ["commission", "the", "."]],
        "tgt": [["la", "maison", "uvw"], ["uvw"], ["."]],
    }
)


@pytest.mark.parametrize("reverse", [False, True])
def test_a_saved_model_gives_the_same_links(en_fr, reverse, tmp_path):
    for name, options in (
        ("one", FEW),
        (
            "two",
            {"samplers": 3, "sweeps": (5, 3, 10), "concentration": 0.1, "spelling": 0.0, "seed": 5},
        ),
    ):
        model = aligners.fit(en_fr, model="bayes", reverse=reverse, null=0.3, **options)
        model.save(tmp_path / name)
        again = aligners.load(tmp_path / name)
        for text in (en_fr, en_fr.slice(30, 9), UNSEEN):
            for threshold in (None, 0.1):
                wanted = model.align(text, posterior=True, threshold=threshold)
                found = again.align(text, posterior=True, threshold=threshold)
                assert found.equals(wanted)
        for field in ("kind", "reverse", "vocabularies", "max_length", "history"):
            assert getattr(again, field) == getattr(model, field)
        again.save(tmp_path / "again")
        for file in (tmp_path / "again").iterdir():
            if file.suffix == ".parquet":
                assert file.read_bytes() == (tmp_path / name / file.name).read_bytes()


def damaged(folder, name, change):
    table = pq.read_table(folder / f"{name}.parquet")
    pq.write_table(change(table), folder / f"{name}.parquet")


def with_column(table, name, values):
    return table.set_column(table.column_names.index(name), name, values)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("words", lambda t: t.slice(1), "a table words of"),
        ("words", lambda t: t.drop_columns(["count"]), "and a column count"),
        ("words", lambda t: t.drop_columns(["fertility_8"]), "and a column fertility_8"),
        (
            "words",
            lambda t: with_column(t, "count", [pa.array(np.full(t.num_rows, -1.0))]),
            "count of words below 0, or not finite",
        ),
        (
            "words",
            lambda t: with_column(t, "fertility_0", [pa.nulls(t.num_rows, pa.float32())]),
            "fertility_0 of words below 0, or not finite",
        ),
        (
            "words",
            lambda t: with_column(t, "count", [pa.array(["x"] * t.num_rows)]),
            "count of words of type string; expected numbers",
        ),
        ("jumps", lambda t: t.slice(0, 5), "a table jumps of 5 rows"),
        (
            "jumps",
            lambda t: with_column(t, "count", [pa.array(np.full(t.num_rows, np.inf))]),
            "count of jumps below 0, or not finite",
        ),
        ("settings", lambda t: t.slice(1), "a table settings of 0 rows"),
        ("settings", lambda t: t.drop_columns(["seed"]), "and a column seed"),
        (
            "settings",
            lambda t: with_column(t, "null", [pa.array([1.0])]),
            "`null` is 1.0; expected",
        ),
        (
            "settings",
            lambda t: with_column(t, "alpha", [pa.array([0.0])]),
            "`concentration` is 0.0; expected",
        ),
        ("translations", lambda t: t.drop_columns(["p"]), "without numbers p"),
        ("translations", lambda t: t.drop_columns(["src"]), "a column src"),
        (
            "translations",
            lambda t: with_column(t, "p", [pa.array(np.full(t.num_rows, np.nan))]),
            "a value p below 0, or not finite",
        ),
        ("src_words", lambda t: t.slice(1), "a table words of"),
    ],
)
def test_damaged_models(tmp_path, name, change, message):
    aligners.fit(TEXT, model="bayes", samplers=1).save(tmp_path)
    damaged(tmp_path, name, change)
    with pytest.raises(InputError, match=message):
        aligners.load(tmp_path)


def test_models_without_a_table(tmp_path):
    aligners.fit(TEXT, model="bayes", samplers=1).save(tmp_path)
    about = json.loads((tmp_path / "model.json").read_text("utf-8"))
    about["tables"].remove("jumps")
    (tmp_path / "model.json").write_text(json.dumps(about), "utf-8")
    with pytest.raises(InputError, match="'jumps'"):
        aligners.load(tmp_path)


def made_up(pairs, seed):
    """A bitext in an invented language and its alignment: neighbours swap positions, and both sides
    have words without a translation.
    """
    chance = random.Random(seed)
    ranks = range(300)
    frequency = [1 / (rank + 1) for rank in ranks]
    src, tgt, gold = [], [], []
    for _ in range(pairs):
        words = chance.choices(ranks, frequency, k=chance.randint(3, 15))
        order = list(range(len(words)))
        for k in range(len(order) - 1):
            if chance.random() < 0.25:
                order[k], order[k + 1] = order[k + 1], order[k]
        translated, row = [], []
        for i in order:
            if chance.random() < 0.1:
                translated.append(f"n{chance.randrange(3)}")
            if chance.random() < 0.9:
                row.append({"i": i, "j": len(translated), "sure": True})
                translated.append(f"t{words[i]}.{chance.randrange(2)}")
        src.append([f"s{word}" for word in words])
        tgt.append(translated or ["n0"])
        gold.append(row)
    sid = list(range(pairs))
    link = pl.Struct({"i": pl.UInt16, "j": pl.UInt16, "sure": pl.Boolean})
    return (
        pl.DataFrame({"sid": sid, "src": src, "tgt": tgt}),
        pl.DataFrame({"sid": sid, "links": gold}, schema={"sid": pl.Int64, "links": pl.List(link)}),
    )


def test_an_invented_language_is_learnt():
    text, gold = made_up(1000, seed=3)
    errors = {}
    for kind, options in (("bayes", FEW), ("ibm1", {})):
        for reverse in (False, True):
            found = aligners.fit(text, model=kind, reverse=reverse, **options).align(text)
            errors[kind, reverse] = links.score(found, gold).scores["aer"][0]
        joined = aligners.align(text, model=kind, symmetrize="intersection", **options)
        errors[kind, "both"] = links.score(joined, gold).scores["aer"][0]
    for direction, most in ((False, 0.08), (True, 0.08), ("both", 0.06)):
        assert errors["bayes", direction] < most
        assert errors["bayes", direction] < errors["ibm1", direction]


@pytest.mark.parametrize("reverse", [False, True])
def test_unseen_text_of_an_invented_language(reverse, tmp_path):
    text, gold = made_up(1100, seed=5)
    new = text.slice(1000)
    known = gold.slice(1000)
    model = aligners.fit(text.slice(0, 1000), model="bayes", reverse=reverse, **FEW)
    model.save(tmp_path)
    found = model.align(new)
    assert links.score(found, known).scores["aer"][0] < 0.1
    assert aligners.load(tmp_path).align(new).equals(found)
    # One word at a time, too: a dictionary was learnt, which needs no surrounding sentence.
    words = pl.DataFrame({"src": [[f"s{k}", "zyx"] for k in range(20)]}).with_columns(
        pl.Series("tgt", [[f"t{k}.0", "n0"] for k in range(20)])
    )
    assert sum((0, 0) in row for row in as_sets(model.align(words))) >= 14


def test_links_are_better_than_chance(en_fr, bundled):
    gold = formats.read(bundled / "gold.talp")
    errors = {
        kind: links.score(aligners.align(en_fr, model=kind, symmetrize="none"), gold).scores["aer"][
            0
        ]
        for kind in ("bayes", "ibm1")
    }
    assert errors["bayes"] < min(0.6, errors["ibm1"])


def test_hansards(corpora, tmp_path):
    """The first sentences of the published text, a tenth of it."""
    gold = formats.read(corpora / "hansards-wpt03/wpt03/test/test.wa.nonullalign")
    paths = []
    for side in ("en", "fr"):
        packed = corpora / "europarl-enfr" / f"d200k.{side}.gz"
        if not packed.is_file():
            pytest.skip(f"{packed.name} is absent")
        paths.append(tmp_path / f"text.{side}")
        with gzip.open(packed, "rt", encoding="utf-8") as file:
            paths[-1].write_text("".join(islice(file, 3000)), "utf-8")
    text = formats.read_bitext(*paths)
    errors = {}
    for kind, options in (("bayes", FEW), ("ibm1", {})):
        found = aligners.align(text, model=kind, symmetrize="none", **options)
        kept = found.filter(pl.col("sid").is_in(gold["sid"].to_pylist()))
        errors[kind] = links.score(kept, gold).scores["aer"][0]
    assert errors["bayes"] < 0.18
    assert errors["bayes"] < errors["ibm1"] - 0.1
