"""Sentence embeddings as evidence for beads."""

from collections import Counter
from importlib import import_module

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.beads import parallel_text
from helpers.cli import run
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.beads_align import paths

from alignframe import beads
from alignframe.beads import vectors as module
from alignframe.core.arrays import frozen
from alignframe.errors import InputError
from alignframe.kernels.beads.paths import NEVER, Steps, band_around

by_vectors = import_module("alignframe.beads.align")  # the package has a function of this name

pytestmark = pytest.mark.filterwarnings("ignore:improbable beads")  # texts are made up

DRAW = np.random.default_rng(2)
SRC, TGT = DRAW.normal(size=(2, 6, 5)).astype(np.float32)


def slow(src, tgt, m, n, i, j, sample):
    """Return the distance of the runs of m and n sentences ending before i and j, relative to
    random ones.
    """

    def run_of(side, size, end):
        whole = sum(side[max(end - size, 0) : end])
        return whole / np.linalg.norm(whole)

    one, other = run_of(src, m, i), run_of(tgt, n, j)
    firsts, seconds = (
        np.array([run_of(side, size, end + 1) for end in ends])
        for side, size, ends in ((src, m, sample[0]), (tgt, n, sample[1]))
    )
    mean = np.nanmean(1 - seconds @ one) / 2 + np.nanmean(1 - firsts @ other) / 2
    return (1 - one @ other) / (mean + 1e-6)


def test_scores_equal_the_reference(monkeypatch):
    monkeypatch.setattr(module, "RANDOM", 50)
    band = band_around(6, 6, 10)
    sizes = frozen(np.array([[1, 1], [2, 1], [1, 3]]))
    scores = np.zeros((3, band.cells), np.float32)
    given_up = band.at[2] + 2 - band.lo[2]
    scores[0, given_up] = NEVER
    steps = Steps(sizes, scores, np.zeros(6), np.zeros(6))
    given = module.Vectors(*((module.unit(side),) for side in (SRC, TGT)))
    given.add(band, steps, np.arange(3), np.arange(3))
    draw = np.random.default_rng(0)
    sample = draw.integers(6, size=50), draw.integers(6, size=50)
    pairs = zip(*sample, strict=True)
    far = [slow(given.src[0], given.tgt[0], 1, 1, a + 1, b + 1, sample) for a, b in pairs]
    curve = module._curve([module.USUAL[0], 1.0], [module.USUAL[1], np.std(far)])
    for kind, (m, n) in enumerate(sizes):
        weight = module.WEIGHT * (m + n) / 2
        for i, j in ((3, 3), (4, 5), (6, 6)):
            x = slow(given.src[0], given.tgt[0], m, n, i, j, sample)
            wanted = np.clip(curve @ [1, x, x * x], -module.LIMIT, module.LIMIT) * weight
            found = scores[kind, band.at[i] + j - band.lo[i]]
            assert found == pytest.approx(wanted, rel=1e-3, abs=1e-3)
    assert scores[0, given_up] == NEVER


@pytest.mark.filterwarnings("ignore:.*no sentence pair is certain")
def test_vectors_find_pairs_that_words_do_not(tmp_path):
    src, _ = parallel_text(40)
    kept = np.delete(np.arange(40), [11, 12, 13])
    tgt = [
        f"x{k} y{k} z{k} u{k} v{k} w{k} a{k}" for k in kept
    ]  # nothing can be learnt from the words
    meaning = DRAW.normal(size=(40, 16))
    made = [meaning, meaning[kept] + 0.1 * DRAW.normal(size=(37, 16))]
    found = beads.align(src, tgt, src_vectors=made[0], tgt_vectors=made[1])
    without = beads.align(src, tgt)

    def right(frame):
        rows = frame.select("src_start", "src_end", "tgt_start", "tgt_end").rows()
        return sum(b - a == d - c == 1 and kept[c] == a for a, b, c, d in rows)

    assert right(found) > 30
    assert right(found) > right(without) + 5
    for name, lines in (("a", src), ("b", tgt)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    np.save(tmp_path / "a.npy", made[0])
    pq.write_table(pa.table({"vector": made[1].tolist()}), tmp_path / "b.parquet")
    words = ("--src-vectors", "a.npy", "--tgt-vectors", "b.parquet", "-o", "c.parquet")
    said = run("beads", "align", "a", "b", *words, folder=tmp_path)[1]
    assert "|vectors:given" in said
    written = pq.read_table(tmp_path / "c.parquet")
    assert written["tgt_start"].to_pylist() == found["tgt_start"].to_list()


@settings(max_examples=8)
@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 3), st.integers(0, 999), st.booleans())
def test_vectors_alone_give_the_cheapest_beads(n_src, n_tgt, largest, seed, blank):
    monkeypatch = pytest.MonkeyPatch()
    monkeypatch.setattr(module, "RANDOM", 20)
    draw = np.random.default_rng(seed)
    src, tgt = (module.unit(draw.normal(size=(n, 3))) for n in (n_src, n_tgt))
    texts = [["a"] * n_src, ["a"] * n_tgt]
    if blank:
        texts[0][-1] = " "
    vectors = module.vectors_of((src, tgt), (None, None), [pa.array(side) for side in texts])
    given_vectors = src.copy(), tgt
    src[-1] = np.nan if blank else src[-1]
    drawn = np.transpose(vectors.sample)
    pairs = Counter(map(tuple, drawn.tolist()))
    far = {(a, b): slow(src, tgt, 1, 1, a + 1, b + 1, drawn.T) for a, b in pairs}
    distances = [far[pair] for pair in pairs.elements()]
    skip = np.quantile(distances, by_vectors.SKIP) if distances else 0.0

    def cost(bead):
        m, n = bead[1] - bead[0], bead[3] - bead[2]
        if not (m and n):
            return skip * (m + n)
        if np.isnan(src[bead[0] : bead[1]]).any():
            return np.inf
        return m * n * (by_vectors.LEAST + slow(src, tgt, m, n, bead[1], bead[3], drawn.T))

    sizes = [(m, n) for m in range(1, largest + 1) for n in range(1, largest + 2 - m)]
    least = min(sum(map(cost, path)) for path in paths(n_src, n_tgt, tuple(sizes)))
    named = dict(zip(("src_vectors", "tgt_vectors"), given_vectors, strict=True))
    found = beads.align(*texts, "vectors", largest=largest, **named)
    spans = found.select("src_start", "src_end", "tgt_start", "tgt_end").rows()
    assert sum(map(cost, spans)) == pytest.approx(least, rel=1e-3, abs=1e-3)
    monkeypatch.undo()


def passages(size, lost, seed=3):
    """Return vectors of a text and of its translation, which lacks a passage, and the remaining
    rows.
    """
    draw = np.random.default_rng(seed)
    src = draw.normal(size=(size, 24))
    kept = np.delete(np.arange(size), lost)
    return src, src[kept] + 0.5 * draw.normal(size=(kept.size, 24)), kept


def test_coarse_passages_lead_to_the_best_path(monkeypatch):
    src, tgt, kept = passages(700, np.arange(250, 330))
    texts = [["a"] * len(side) for side in (src, tgt)]
    found = beads.align(*texts, "vectors", src_vectors=src, tgt_vectors=tgt)
    monkeypatch.setattr(by_vectors, "COARSEST", 10_000)
    whole = beads.align(*texts, "vectors", src_vectors=src, tgt_vectors=tgt)
    assert found.drop("score").equals(whole.drop("score"))
    assert found["score"].to_numpy() == pytest.approx(whole["score"].to_numpy(), abs=0.01)
    both = found.filter(
        pl.col("src_end") > pl.col("src_start"), pl.col("tgt_end") > pl.col("tgt_start")
    )
    right = [kept[row["tgt_start"]] == row["src_start"] for row in both.iter_rows(named=True)]
    assert np.mean(right) > 0.95


def test_overlaps_give_the_texts_of_vectors(tmp_path):
    texts = [["a b", "c", "", "d"], ["A B", "C D"]]
    draw = np.random.default_rng(4)
    runs = [
        ["a b", "c", "d", "BLANK_LINE", "a b c", "c BLANK_LINE", "BLANK_LINE d"],
        ["C D", "A B", "A B C D"],
    ]
    vectors = [draw.normal(size=(len(side), 4)).astype(np.float32) for side in runs]
    found = module.vectors_of(vectors, runs, [pa.array(side) for side in texts])
    assert [len(found.src), len(found.tgt)] == [2, 2]
    assert found.src[1][1] == pytest.approx(module.unit(vectors[0])[4])
    assert np.isnan(found.src[1][[0, 2, 3]]).all()
    assert found.tgt[0] == pytest.approx(module.unit(vectors[1])[[1, 0]])
    names = {}
    for side, lines, rows in zip(("src", "tgt"), runs, vectors, strict=True):
        (tmp_path / f"{side}.overlaps").write_text("".join(f"{line}\n" for line in lines), "utf-8")
        rows.tofile(tmp_path / f"{side}.emb")
        names |= {f"{side}_overlaps": str(tmp_path / f"{side}.overlaps")}
        names |= {f"{side}_vectors": str(tmp_path / f"{side}.emb")}
    given_arrays = {"src_vectors": vectors[0], "tgt_vectors": vectors[1]}
    given_arrays |= {"src_overlaps": runs[0], "tgt_overlaps": runs[1]}
    read = beads.align(*texts, "vectors", **names)
    assert read.equals(beads.align(*texts, "vectors", **given_arrays))
    given_arrays |= {"src_overlaps": ["a b", "d", "e"], "src_vectors": vectors[0][:3]}
    with pytest.raises(InputError, match=r"1 of 4 source sentences .* sentence 2: 'c'"):
        beads.align(*texts, "vectors", **given_arrays)
    np.ones(5, np.float32).tofile(tmp_path / "src.emb")
    with pytest.raises(InputError, match="20 bytes for 7 texts"):
        beads.align(*texts, "vectors", **names)


@pytest.mark.parametrize(("n_src", "n_tgt"), [(0, 0), (0, 2), (2, 0), (2, 1)])
def test_sides_without_words(n_src, n_tgt):
    sides = {"src_vectors": np.ones((n_src, 3)), "tgt_vectors": np.ones((n_tgt, 3))}
    found = beads.align([""] * n_src, [""] * n_tgt, "vectors", **sides)
    assert found.height == n_src + n_tgt
    assert found["score"].to_list() == [1.0] * found.height


MISTAKES = {
    "one side": ({"src_vectors": SRC}, "vectors of one side"),
    "method": (
        {"src_vectors": SRC, "tgt_vectors": TGT, "method": "len"},
        "vectors for len; expected.*vectors",
    ),
    "number": ({"src_vectors": SRC[1:], "tgt_vectors": TGT}, "5 source vectors for 6 sentences"),
    "size": ({"src_vectors": SRC, "tgt_vectors": TGT[:, 1:]}, "vectors of 5 and 4 numbers"),
    "table": ({"src_vectors": SRC[0], "tgt_vectors": TGT}, "not a table of numbers"),
    "nan": ({"src_vectors": SRC * np.nan, "tgt_vectors": TGT}, "not finite"),
    "none": ({"method": "vectors"}, "no vectors for the method vectors"),
    "overlaps": ({"src_overlaps": ["a b"]}, "overlaps without vectors"),
    "prior": ({"method": "vectors", "skip": 0.1}, "`skip` with the method vectors"),
    "file": ({"src_vectors": "no.npy", "tgt_vectors": TGT}, "no.npy: does not exist"),
}


@pytest.mark.parametrize(("changed", "said"), MISTAKES.values(), ids=MISTAKES)
def test_errors_are_explained(changed, said):
    with pytest.raises(InputError, match=said):
        beads.align(["a b"] * 6, ["c d"] * 6, **changed)
