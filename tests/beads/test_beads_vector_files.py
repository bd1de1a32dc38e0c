"""Reading sentence vectors: equivalent inputs, errors and warnings."""

import warnings

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from alignframe import beads
from alignframe.errors import DataWarning, InputError

ROWS, WIDTH = 12, 8
TEXTS = [[f"{side} w{k}" for k in range(ROWS)] for side in "ab"]
DRAW = np.random.default_rng(5)
SRC = DRAW.normal(size=(ROWS, WIDTH)).astype(np.float32)
TGT = (SRC + 0.2 * DRAW.normal(size=(ROWS, WIDTH))).astype(np.float32)


def align(given, **more):
    return beads.align(*TEXTS, "vectors", src_vectors=SRC, tgt_vectors=given, **more)


def changed(row, value):
    found = TGT.copy()
    found[row] = value
    return found


def lists(**columns):
    return pa.table({name: pa.array(rows) for name, rows in columns.items()})


def wide(kind):
    return pa.FixedSizeListArray.from_arrays(pa.array(TGT.ravel(), kind), WIDTH)


def write(value, path):
    if path.suffix == ".parquet":
        pq.write_table(value, path)
    elif isinstance(value, bytes):
        path.write_bytes(value)
    elif path.suffix == ".npy":
        np.save(path, value)
    else:
        value.tofile(path)
    return str(path)


ALIKE = {
    "half.npy": TGT.astype(np.float16),
    "big-endian.npy": TGT.astype(">f8"),
    "columns.npy": np.asfortranarray(TGT),
    "large.npy": TGT * np.float32(1e30),
    "larger.npy": TGT.astype(np.float64) * 1e200,
    "small.npy": TGT * np.float32(1e-30),
    "smaller.npy": TGT.astype(np.float64) * 1e-200,
    "bare.emb": TGT,
    "lists.parquet": lists(v=TGT.tolist()),
    "wide.parquet": pa.table({"v": wide(pa.float32())}),
    "slices.parquet": lists(v=[[0.0], *TGT.tolist()]).slice(1),
}


@pytest.mark.parametrize("name", ALIKE)
def test_numbers_of_any_type_and_magnitude_are_read_alike(name, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = align(write(ALIKE[name], tmp_path / name))
    wanted = align(TGT)
    assert found.drop("score").equals(wanted.drop("score"))
    assert found["score"].to_numpy() == pytest.approx(wanted["score"].to_numpy(), abs=0.02)


RAGGED = [*TGT.tolist()[:-1], [1.0]]
SAVED = TGT.tobytes()
MISTAKES = {
    "rows.npy": (TGT[1:], "11 target vectors for 12 sentences"),
    "nan.npy": (changed(3, np.nan), "target vector 4 of 12 is not finite"),
    "inf.npy": (changed(11, -np.inf), "target vector 12 of 12 is not finite"),
    "zeros.npy": (TGT * 0, "target vectors of zeros only"),
    "objects.npy": (TGT.astype(object), "holds Python objects"),
    "words.npy": (TGT.astype(str), "not a table of numbers"),
    "complex.npy": (TGT + 1j, "not a table of numbers"),
    "cube.npy": (TGT[None], "not a table of numbers"),
    "text.npy": (b"1 2 3", "is not a NumPy array"),
    "cut.npy": (b"\x93NUMPY", "is not a NumPy array"),
    "half.emb": (DRAW.normal(size=(ROWS, 512)).astype(np.float16), "tiny compared to the largest"),
    "double.emb": (TGT.astype(np.float64), "tiny compared to the largest"),
    "big-endian.bin": (TGT.astype(">f4"), "tiny compared to the largest|not finite"),
    "trailing.raw": (SAVED + b"xx", "386 bytes for 12 texts"),
    "empty.emb": (b"", "not a table of numbers"),
    "two.parquet": (lists(v=TGT.tolist(), w=TGT.tolist()), "2 columns"),
    "ragged.parquet": (lists(v=RAGGED), "lists of several lengths"),
    "gap.parquet": (lists(v=[*TGT.tolist()[:-1], None]), "lists of several lengths"),
    "null.parquet": (lists(v=[*TGT.tolist()[:-1], [None] * WIDTH]), "12 of 12 is not finite"),
    "words.parquet": (lists(v=[["x"] * WIDTH] * ROWS), "not a table of numbers"),
    "flat.parquet": (lists(v=TGT[:, 0].tolist()), "not a table of numbers"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_errors_name_the_file(name, tmp_path):
    value, said = MISTAKES[name]
    with pytest.raises(InputError, match=rf"{name}: .*({said})"):
        align(write(value, tmp_path / name))


def test_archives_and_folders_are_refused(tmp_path):
    np.savez(tmp_path / "a.npz", TGT)
    archive = (tmp_path / "a.npz").rename(tmp_path / "a.npy")
    with pytest.raises(InputError, match=r"a\.npy: is an archive of arrays"):
        align(archive)
    with pytest.raises(InputError, match="is a folder"):
        align(tmp_path)


def test_sides_of_other_models_are_named(tmp_path):
    path = write(TGT[:, 1:], tmp_path / "b.npy")
    with pytest.raises(InputError, match=r"vectors of 8 and 7 numbers in \S+b\.npy"):
        align(path)


def test_a_zero_vector_causes_a_warning(tmp_path):
    path = write(changed(4, 0), tmp_path / "b.npy")
    with pytest.warns(DataWarning, match=r"b\.npy: 1 target vector is zero, .* sentence 5"):
        align(path)
    blank = [TEXTS[0], [*TEXTS[1][:4], " ", *TEXTS[1][5:]]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        beads.align(*blank, "vectors", src_vectors=SRC, tgt_vectors=path)


@pytest.mark.parametrize("nothing", [[], np.zeros((0, 3)), np.zeros((0, WIDTH))])
def test_an_empty_side_has_vectors_of_any_size(nothing):
    for overlaps in (None, []):
        found = beads.align(
            TEXTS[0], [], src_vectors=SRC, tgt_vectors=nothing, tgt_overlaps=overlaps
        )
        assert found["src_end"].to_list() == list(range(1, ROWS + 1))
        assert (found["tgt_start"] == found["tgt_end"]).all()


def test_overlaps_of_a_side_without_words():
    blank = [TEXTS[0], [""] * 2]
    found = beads.align(*blank, src_vectors=SRC, tgt_vectors=[], tgt_overlaps=[])
    assert found.height == ROWS + 2


def test_overlaps_of_other_texts_are_named(tmp_path):
    path = tmp_path / "b.overlaps"
    path.write_text("".join(f"{line}\n" for line in [*TEXTS[1][1:], "c"]), "utf-8")
    with pytest.raises(InputError, match=r"b\.overlaps: 1 of 12 target sentences .* sentence 1"):
        align(TGT, tgt_overlaps=path)


def test_runs_missing_from_overlaps_cause_a_warning():
    pairs = [" ".join(TEXTS[1][k : k + 2]) for k in range(ROWS - 1)]
    runs = [*TEXTS[1], *pairs]
    vectors = np.concatenate([TGT, TGT[1:] + TGT[:-1]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        whole = align(vectors, tgt_overlaps=runs)
    with pytest.warns(DataWarning, match=r"1 of 11 runs of 2 target .* sentence 11: 'b w10 b w11'"):
        found = align(vectors[:-1], tgt_overlaps=runs[:-1])
    assert found.drop("score").equals(whole.drop("score"))


def test_overlaps_need_no_runs_with_blank_sentences():
    texts = [TEXTS[0], [*TEXTS[1][:-1], ""]]
    pairs = [" ".join(texts[1][k : k + 2]) for k in range(ROWS - 2)]
    runs = [*texts[1][:-1], *pairs]
    away = np.concatenate([TGT[:-1], -SRC[1:-1]])  # runs that cannot be in a bead
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = beads.align(*texts, "vectors", src_vectors=SRC, tgt_vectors=away, tgt_overlaps=runs)
    sizes = (found["tgt_end"] - found["tgt_start"]).to_list()
    assert 2 not in sizes
