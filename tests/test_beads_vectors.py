"""Vectors of sentences as evidence of beads."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers_beads import parallel_text
from helpers_cli import run

from alignframe import beads
from alignframe.beads import vectors as module
from alignframe.errors import InputError
from alignframe.kernels.bead_paths import NEVER, Steps, band_around
from alignframe.kernels.ragged import frozen

DRAW = np.random.default_rng(2)
SRC, TGT = DRAW.normal(size=(2, 6, 5)).astype(np.float32)


def slow(src, tgt, m, n, i, j, sample):
    """The distance of the runs of m and n sentences that end before i and j, by random ones."""

    def run_of(side, size, end):
        whole = sum(side[max(end - size, 0) : end])
        return whole / np.linalg.norm(whole)

    one, other = run_of(src, m, i), run_of(tgt, n, j)
    randoms = [(run_of(src, m, a + 1), run_of(tgt, n, b + 1)) for a, b in zip(*sample, strict=True)]
    mean = np.mean([1 - one @ b for _, b in randoms]) / 2
    mean += np.mean([1 - a @ other for a, _ in randoms]) / 2
    return (1 - one @ other) / (mean + 1e-6)


def test_scores_are_those_of_the_slow_twin(monkeypatch):
    monkeypatch.setattr(module, "RANDOM", 50)
    band = band_around(6, 6, 10)
    sizes = frozen(np.array([[1, 1], [2, 1], [1, 3]]))
    scores = np.zeros((3, band.cells), np.float32)
    given_up = band.at[2] + 2 - band.lo[2]
    scores[0, given_up] = NEVER
    steps = Steps(sizes, scores, np.zeros(6), np.zeros(6))
    given = module.Vectors(*(s / np.linalg.norm(s, axis=1, keepdims=True) for s in (SRC, TGT)))
    given.add(band, steps, np.arange(3), np.arange(3))
    draw = np.random.default_rng(0)
    sample = draw.integers(6, size=50), draw.integers(6, size=50)
    pairs = zip(*sample, strict=True)
    far = [slow(given.src, given.tgt, 1, 1, a + 1, b + 1, sample) for a, b in pairs]
    curve = module._curve([module.USUAL[0], 1.0], [module.USUAL[1], np.std(far)])
    for kind, (m, n) in enumerate(sizes):
        weight = module.WEIGHT * (m + n) / 2
        for i, j in ((3, 3), (4, 5), (6, 6)):
            x = slow(given.src, given.tgt, m, n, i, j, sample)
            wanted = np.clip(curve @ [1, x, x * x], -module.LIMIT, module.LIMIT) * weight
            found = scores[kind, band.at[i] + j - band.lo[i]]
            assert found == pytest.approx(wanted, rel=1e-3, abs=1e-3)
    assert scores[0, given_up] == NEVER


@pytest.mark.filterwarnings("ignore:.*no sentence pair is certain")
def test_vectors_find_what_words_do_not(tmp_path):
    src, _ = parallel_text(40)
    kept = np.delete(np.arange(40), [11, 12, 13])
    tgt = [f"x{k} y{k} z{k} u{k} v{k} w{k} a{k}" for k in kept]  # words teach nothing
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


MISTAKES = {
    "one side": ({"src_vectors": SRC}, "vectors of one side"),
    "method": ({"src_vectors": SRC, "tgt_vectors": TGT, "method": "len"}, "vectors for len"),
    "number": ({"src_vectors": SRC[1:], "tgt_vectors": TGT}, "5 source vectors for 6 sentences"),
    "size": ({"src_vectors": SRC, "tgt_vectors": TGT[:, 1:]}, "vectors of 5 and 4 numbers"),
    "table": ({"src_vectors": SRC[0], "tgt_vectors": TGT}, "not a table of numbers"),
    "nan": ({"src_vectors": SRC * np.nan, "tgt_vectors": TGT}, "not finite"),
    "file": ({"src_vectors": "no.npy", "tgt_vectors": TGT}, "no.npy: does not exist"),
}


@pytest.mark.parametrize(("changed", "said"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_explained(changed, said):
    with pytest.raises(InputError, match=said):
        beads.align(["a b"] * 6, ["c d"] * 6, **changed)
