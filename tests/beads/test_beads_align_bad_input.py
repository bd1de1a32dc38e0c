"""Sentence alignment of unusual texts, and refused input."""

import warnings
from importlib import import_module

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from reference import beads_align as slow

from alignframe import aligners
from alignframe.beads import METHODS, Options, align
from alignframe.core.schemas import BEADS, SPANS
from alignframe.errors import DataWarning, InputError
from alignframe.formats.bead_table import checked_beads

pytestmark = pytest.mark.filterwarnings("ignore:improbable beads")  # texts are made up

LEXICON = pa.table({"src": ["a", "b"], "tgt": ["a", "b"]})
UNSURE = "no sentence pair is certain"


def beads_of(table):
    return pl.DataFrame(table).select(SPANS).rows()


def model_of(method):
    return LEXICON if method == "mre+" else None


def aligned(src, tgt, method, **options):
    """Align, and check that beads cover both sides and have probabilities."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", f".*{UNSURE}")
        table = align(src, tgt, method, model=model_of(method), **options)
    assert table.columns == BEADS.names
    beads = beads_of(checked_beads(table, "beads"))
    assert [i for bead in beads for i in slow.sides(bead)[0]] == list(range(len(src)))
    assert [j for bead in beads for j in slow.sides(bead)[1]] == list(range(len(tgt)))
    scores = table["score"].to_numpy()
    assert ((scores >= 0) & (scores <= 1)).all()
    return table


# --- odd texts


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("size", [0, 1, 2, 1000])
def test_an_empty_side(method, size):
    text = [f"a b c{number}" for number in range(size)]
    for sides in ((text, []), ([], text)):
        table = aligned(*sides, method)
        assert table.height == size
        assert table["score"].to_list() == [1.0] * size
        assert align(*sides, method, model=model_of(method), threshold=0.0).height == 0


@pytest.mark.parametrize("method", METHODS)
def test_one_sentence_per_side(method):
    assert beads_of(aligned(["a b"], ["a b"], method)) == [(0, 1, 0, 1)]
    beads = beads_of(aligned(["a b a b a b a b"] * 2, ["a b"] * 1, method))
    assert len(beads) in (1, 2)


@pytest.mark.filterwarnings("ignore:.*lengths of gale-church in words")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("unit", ["words", "characters"])
def test_blank_sentences_stay_unaligned(method, unit):
    src = ["a b", "", "a", "b b a b a a", " \t", "\u3000"]
    tgt = ["\u00a0", "a b", "a", "", "b b a b a a"]
    table = aligned(src, tgt, method, unit=unit)
    for a, b, c, d in beads_of(table):
        blank = not all(text.strip() for text in src[a:b] + tgt[c:d])
        assert not blank or (b - a) + (d - c) == 1
    full = [bead for bead in beads_of(table) if slow.is_full(bead)]
    assert full == [(0, 1, 1, 2), (2, 3, 2, 3), (3, 4, 4, 5)]
    alone = [score for bead, score in zip(beads_of(table), table["score"].to_list(), strict=True)]
    assert alone.count(1.0) >= 5
    for sides in ((src, ["", " "]), (["", ""], tgt), (["", " "], [""])):
        assert not any(map(slow.is_full, beads_of(aligned(*sides, method, unit=unit))))


@pytest.mark.parametrize("method", METHODS)
def test_one_side_fifty_times_as_long(method):
    rng = np.random.default_rng(1)
    long = [" ".join("ab"[k] for k in rng.integers(0, 2, rng.integers(1, 20))) for _ in range(500)]
    for sides in ((long, long[100:110]), (long[100:110], long), (long, ["a b"]), (["a"], long)):
        table = aligned(*sides, method)
        assert table.height >= (440 if method == "lex" else 490)


@pytest.mark.parametrize("method", METHODS)
def test_a_very_long_sentence(method):
    long, short = " ".join(["a", "b"] * 50_000), "a b a"
    beads = beads_of(aligned([short, long, short], [short, long, short], method))
    # Given what mre learns from two other sentences, 100,000 words are less probable than by
    # frequency.
    assert (beads == [(k, k + 1, k, k + 1) for k in range(3)]) == (method != "mre")
    assert (0, 1, 0, 1) not in beads_of(aligned([short, short], [long, short], method))


@pytest.mark.parametrize("method", METHODS)
def test_equal_sentences(method):
    table = aligned(["a b"] * 300, ["a b"] * 300, method)
    assert beads_of(table) == [(k, k + 1, k, k + 1) for k in range(300)]


@pytest.mark.parametrize("method", METHODS)
def test_inputs_of_any_type_give_the_same_beads(method):
    src, tgt = ["a b", "b", "a b a"], ["a b", "a b a"]
    wanted = aligned(src, tgt, method)
    columns = (pa.chunked_array([tgt[:1], tgt[1:]]), pl.Series(tgt), pd.Series(tgt), tuple(tgt))
    arrays = (pa.array(tgt), pa.array(tgt, pa.large_string()), pa.array(tgt, pa.string_view()))
    sliced = pa.array(["x", *tgt, "y"]).slice(1, 2)
    for given in (*columns, *arrays, np.array(tgt), sliced, pa.array(tgt).dictionary_encode()):
        assert aligned(src, given, method).equals(wanted)
    assert aligned(src, pa.chunked_array([], pa.string()), method).height == 3


# --- warnings


def test_lengths_decide_without_certain_pairs():
    src, tgt = ["a b"], ["a", "b"]
    with pytest.warns(DataWarning, match=f"mine: .*{UNSURE}") as caught:
        table = align(src, tgt, "mre", doc="mine")
    assert sum("certain" in str(one.message) for one in caught) == 1
    assert table.equals(align(src, tgt, "len", doc="mine"))


def test_bands_are_not_widened_without_limit(monkeypatch):
    """The texts drift 25 sentences apart and back."""
    rng = np.random.default_rng(1)
    whole = [" ".join(["a"] * length) for length in rng.integers(1, 200, 200)]
    src = [text for k, text in enumerate(whole) if k < 100 or k % 4]
    tgt = [text for k, text in enumerate(whole) if k >= 100 or k % 4]
    wide = aligned(src, tgt, "len", band=5)
    monkeypatch.setattr(import_module("alignframe.beads.lattice"), "MAX_CELLS", 5_000)
    with pytest.warns(DataWarning, match="limited to 11"):
        narrow = aligned(src, tgt, "len", band=5)
    assert not narrow.equals(wide)
    assert max(abs(bead[0] - bead[2]) for bead in beads_of(wide)) >= 25
    assert max(abs(bead[0] - bead[2]) for bead in beads_of(narrow)) <= 12


# --- errors


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a text", "a text: no such file"),
        (b"a text", "type bytes given as the"),
        (None, "type NoneType given as the"),
        (7, "type int given as the .* sentences; expected a path"),
        ([1, 2], "sentences with 1; expected"),
        ([1.5], "sentences with 1.5; expected"),
        (["a", 2], "sentences with 2; expected"),
        ([["a", "b"]], "expected texts, not lists of words"),
        (["\ud800"], "sentences with .*; expected"),
        ([b"\xff"], "sentences with .*; expected"),
        (np.array([1, 2]), "sentences of type int64"),
        (pa.array([1, 2]), "sentences of type int64"),
        (pa.array([["a"]]), "sentences of type list"),
        (pa.array([b"a"]), "sentences of type binary"),
        (pa.array([1, 1]).dictionary_encode(), "sentences of type dictionary"),
    ],
)
def test_inputs_that_are_not_lists_of_texts(text, message):
    for sides in ((text, ["a"]), (["a"], text)):
        with pytest.raises(InputError, match=message):
            align(*sides, "len")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"method": "bleualign"},
            "unknown `method` 'bleualign'; expected one of gale-church, len, mre",
        ),
        ({"method": None}, "unknown `method` None"),
        ({"unit": "bytes"}, "unknown `unit` 'bytes'; expected one of words, characters"),
        (
            {"words": None},
            "unknown `words` None; expected one of letters, spaces, characters, unicode",
        ),
        ({"threshold": 1.0}, "`threshold` is 1.0; expected a number of at least 0 and below 1"),
        ({"threshold": -0.1}, "`threshold` is -0.1"),
        ({"threshold": float("nan")}, "`threshold` is nan"),
        ({"threshold": "0.5"}, "`threshold` is '0.5'"),
        ({"smoothing": 1.0}, "`smoothing` is 1.0"),
        ({"skip": 0.0}, "`skip` is 0.0; expected a number above 0 and below 1"),
        (
            {"method": "len", "smoothing": 0.0},
            "`smoothing` with the method len; .* one of the methods mre, mre",
        ),
        (
            {"method": "gale-church", "smoothing": 0.1},
            "`smoothing` with the method gale-church; expected one of the methods mre, mre\\+, lex",
        ),
        ({"skip": 0.5}, "priors of 0.5 .* 2 skip \\+ 2 merge \\+ two_two below 1"),
        ({"skip": -0.1}, "`skip` is -0.1"),
        ({"merge": 0.49}, "priors of 0.02"),
        ({"largest": 2.5}, "`largest` is 2.5; expected a whole number from"),
        ({"largest": 7}, "`largest` is 7; expected a whole number from 1 to 6"),
        (
            {"method": "vectors", "band": 30},
            "`band` with the method vectors; expected one of the methods gale-",
        ),
        (
            {"method": "len", "largest": 3},
            "`largest` with the method len; .* one of the methods lex, vectors",
        ),
        ({"skip": 0.2, "merge": 0.2, "two_two": 0.2}, "priors of 0.2"),
        ({"two_two": float("inf")}, "`two_two` is inf"),
        ({"band": 0.5}, "`band` is 0.5; expected a number from 1"),
        ({"band": 0}, "`band` is 0"),
        ({"band": float("inf")}, "`band` is inf"),
        ({"band": float("nan")}, "`band` is nan"),
        ({"band": "20"}, "`band` is '20'"),
        ({"band": None}, "`band` is None"),
    ],
)
def test_options_that_are_out_of_range(options, message):
    for call in (Options, lambda **given: align(["a"], ["a"], **given)):
        with pytest.raises(InputError, match=message):
            call(**options)


def test_unknown_options():
    for name in ("bandwidth", "priors", "name"):
        with pytest.raises(InputError, match=f"'{name}'.*threshold, sk"):
            align(["a"], ["a"], **{name: 3})


def test_options_at_the_ends_of_their_range():
    lowest = {"threshold": 0.0, "smoothing": 0.0, "merge": 0.0, "two_two": 0.0, "band": 1}
    assert align(["a b"], ["a b"], "mre+", model=LEXICON, **lowest).height == 1
    table = align(["a b"], ["a b"], "len", threshold=np.float32(0.999), skip=1e-9, band=np.int64(1))
    assert table.height == 1


REVERSE = aligners.fit(
    pa.table({"sid": [0], "src": [["a"]], "tgt": [["b"]]}), model="ibm1", reverse=True
)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (None, "no model for mre\\+; expected `model`: a saved model or a lexicon"),
        (5, "an object of type int given as"),
        ("nowhere", "nowhere: does not exist; expected a folder of a model, or a lexicon"),
        (REVERSE, "a model of target to source; expected one of source to target"),
        (pa.table({"src": ["a"]}), "expected the column tgt"),
        (pa.table({"src": ["a"], "tgt": ["b"], "p": [1.5]}), "p that is not a probability"),
        (pa.table({"src": ["a"], "tgt": ["b"], "p": [-0.1]}), "p that is not a probability"),
        (pa.table({"src": ["a"], "tgt": ["b"], "p": [None]}), "p that is not a probability"),
        (pa.table({"src": ["a"], "tgt": ["b"], "p": ["x"]}), "a column p of type string"),
    ],
)
def test_invalid_models(model, message):
    with pytest.raises(InputError, match=message):
        align(["a"], ["a"], "mre+", model=model)


def test_folders_and_files_without_a_model(tmp_path):
    with pytest.raises(InputError, match="holds no forward model"):
        align(["a"], ["a"], "mre+", model=tmp_path)
    (tmp_path / "text.txt").write_text("a b c d")
    with pytest.raises(InputError, match="a pair of words per line; or write a table"):
        align(["a"], ["a"], "mre+", model=tmp_path / "text.txt")


def test_a_model_for_a_method_that_takes_none():
    for method in ("len", "mre", "gale-church"):
        with pytest.raises(InputError, match=f"{method}.*mre\\+"):
            align(["a"], ["a"], method, model=LEXICON)


def test_a_band_that_needs_all_memory_is_refused(monkeypatch):
    monkeypatch.setattr(import_module("alignframe.beads.lattice"), "MAX_CELLS", 5_000)
    texts = ["a b c"] * 200
    with pytest.raises(InputError, match=r"50 .*200 and 200"):
        aligned(texts, texts, "len", band=50)


@pytest.mark.parametrize("method", ["len", "mre"])
def test_a_passage_missing_on_each_side_is_skipped(method):
    """One side begins earlier and ends earlier, so the diagonal leads nowhere."""
    rng = np.random.default_rng(3)
    whole = [" ".join(f"w{k}" for k in rng.integers(0, 300, n)) for n in rng.integers(1, 40, 300)]
    found = aligned(whole[:250], whole[50:], method)
    right = {(k + 50, k + 51, k, k + 1) for k in range(200)}
    assert len(right & set(beads_of(found))) > 150
