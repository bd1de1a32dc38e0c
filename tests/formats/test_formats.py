"""Formats: variants, detection, and writing."""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.formats import batch_of, rows_of, saved, words_of, written

from alignframe import links
from alignframe.core import signatures
from alignframe.core.choices import COMPRESSED
from alignframe.core.schemas import GOLD_LINKS, LINKS
from alignframe.errors import DataWarning, InputError
from alignframe.formats import (
    FORMATS,
    add_words,
    detect,
    read,
    read_bitext,
    read_tokens,
    system_name,
    write,
)
from alignframe.formats.links import giza, moses
from alignframe.read import lines

A3 = (
    "# Sentence pair (1) source length 3 target length 2 alignment score : 0.01\n"
    "das haus\n"
    "NULL ({ }) the ({ 1 }) old ({ }) house ({ 1 2 })\n"
)
SAMPLES = {
    "pharaoh": "0-0 1p1\n\n2?0 3-1\n",
    "naacl": "1 1 1 S\n1 2 2 P\n3 3 1 P\n3 4 2 S\n",
    "giza": A3,
    "moses": "the old house ||| das haus ||| 0-0 2-0 2p1\n",
    "numbered": "1\t0-0 1p1\n2\t\n3\t2?0 3-1-S\n",
    "tsv": "the old house\tdas haus\t0-0 2-0\t2-1\n",
}
SAMPLE_ROWS = {
    "pharaoh": [(0, [(0, 0, True), (1, 1, False)]), (1, []), (2, [(2, 0, False), (3, 1, True)])],
    "naacl": [(0, [(0, 0, True), (1, 1, False)]), (2, [(2, 0, False), (3, 1, True)])],
    "giza": [(0, [(0, 0, True), (2, 0, True), (2, 1, True)])],
    "moses": [(0, [(0, 0, True), (2, 0, True), (2, 1, False)])],
}
SAMPLE_ROWS |= {"numbered": SAMPLE_ROWS["pharaoh"], "tsv": SAMPLE_ROWS["moses"]}
PACKERS = {"gz": "gzip", "bz2": "bz2", "zst": "zstd", "lz4": "lz4"}


# --- every text format


@pytest.mark.parametrize("kind", SAMPLES)
@pytest.mark.parametrize("change", ["none", "byte order mark", "DOS line ends", "no last line end"])
def test_a_file_is_recognised_and_read(tmp_path, kind, change):
    text = {
        "none": SAMPLES[kind],
        "byte order mark": b"\xef\xbb\xbf" + SAMPLES[kind].encode(),
        "DOS line ends": SAMPLES[kind].replace("\n", "\r\n"),
        "no last line end": SAMPLES[kind].removesuffix("\n"),
    }
    path = saved(tmp_path / "file", text[change])
    assert detect(path) == kind
    table = read(path)
    assert rows_of(table) == SAMPLE_ROWS[kind]
    if kind in ("giza", "moses", "tsv"):
        assert words_of(table) == [(["the", "old", "house"], ["das", "haus"])]


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize("kind", SAMPLES)
def test_compressed_files_are_decompressed(tmp_path, kind, packer):
    path = tmp_path / f"sys.txt.{packer}"
    with pa.CompressedOutputStream(str(path), PACKERS[packer]) as out:
        out.write(SAMPLES[kind].encode())
    assert detect(path) == kind
    table = read(path)
    assert rows_of(table) == SAMPLE_ROWS[kind]
    assert table["system"].to_pylist() == ["sys"] * table.num_rows


@pytest.mark.parametrize("chunk", [4, 7, 16])
@pytest.mark.parametrize("kind", SAMPLES)
def test_the_size_of_pieces_changes_nothing(tmp_path, monkeypatch, kind, chunk):
    path = saved(tmp_path / "file", b"\xef\xbb\xbf" + three_times(kind).encode())
    whole = read_quietly(path, kind)
    monkeypatch.setattr(lines, "CHUNK", chunk)
    assert rows_of(read_quietly(path, kind)) == rows_of(whole)


def three_times(kind):
    """Return a sample repeated; numbered sentences get new numbers."""
    copies = (SAMPLES[kind].replace("(1)", f"({number})") for number in (1, 2, 3))
    if kind != "numbered":
        return "".join(copies)
    every = "".join(line.partition("\t")[2] for text in copies for line in text.splitlines(True))
    return "".join(f"{k}\t{line}\n" for k, line in enumerate(every.splitlines(), 1))


def read_quietly(path, kind):
    """Read a repeated sample, ignoring the warning about repeats in NAACL files."""
    if kind != "naacl":
        return read(path, kind)
    with pytest.warns(DataWarning, match="8 links repeated"):
        return read(path, kind)


@pytest.mark.parametrize("kind", SAMPLES)
def test_a_table_of_links_has_the_types_of_gold(tmp_path, kind):
    table = read(saved(tmp_path / "wa.final", SAMPLES[kind]), kind)
    assert table.schema.names[:3] == ["system", "sid", "links"]
    assert table.schema.field("sid").type == pa.int64()
    assert table.schema.field("links").type == GOLD_LINKS
    assert pa.types.is_dictionary(table.schema.field("system").type)
    assert set(table["system"].to_pylist()) == {"wa"}


@pytest.mark.parametrize("kind", SAMPLES)
def test_the_system_takes_the_given_name(tmp_path, kind):
    table = read(saved(tmp_path / "file", SAMPLES[kind]), kind, system="mine")
    assert set(table["system"].to_pylist()) == {"mine"}


@pytest.mark.parametrize(
    ("name", "system"),
    [
        ("fast.pharaoh", "fast"),
        ("fast.v2.align.gz", "fast.v2"),
        ("dir/giza.A3.final.bz2", "giza"),
        ("x.parquet", "x"),
        ("newstest2012.de-en.UG-WMT12", "newstest2012.de-en.UG-WMT12"),
        ("run.giza.numbered.lz4", "run"),
        ("plain", "plain"),
        (".gz", ".gz"),
    ],
)
def test_a_system_is_named_after_its_file(name, system):
    assert system_name(name) == system


# --- detection


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("pharaoh", "0-0"),
        ("pharaoh", "0p1\n"),
        ("pharaoh", "12?7 0-0\n"),
        ("pharaoh", "\n\n \t\n5-5\n"),
        ("pharaoh", "\n\n"),
        ("naacl", "1 1 1"),
        ("naacl", "\n0001 12 3 S\n"),
        ("naacl", "0\t1\t1\tp\t0.5\n"),
        ("naacl", "1 1 1 1e-5\n"),
        ("giza", "\n" + A3),
        ("moses", "a ||| b ||| 0-0\n"),
        ("pharaoh", "0-0 1-1 ||| -12.3\n"),
        ("moses", "a ||| b ||| 0.5 1e-7 ||| 0-0 ||| 3 2 1 ||| |||\n"),
        ("moses", " ||| |||\n"),
    ],
)
def test_the_first_line_decides_the_format(tmp_path, kind, text):
    assert detect(saved(tmp_path / "file", text)) == kind


@pytest.mark.parametrize("name", ["links", "links.parquet", "links.pharaoh"])
def test_parquet_is_recognised_whatever_its_name(tmp_path, name):
    write([batch_of([{(0, 1): False}])], tmp_path / name, "parquet")
    assert detect(tmp_path / name) == "parquet"
    assert rows_of(read(tmp_path / name)) == [(0, [(0, 1, False)])]


@pytest.mark.parametrize("name", ["hyp/*.parquet", "hyp/*", "hyp.pq", "hyp.parquet", "a folder"])
def test_parquet_is_recognised_by_name_alone(tmp_path, name):
    assert detect(tmp_path if name == "a folder" else name) == "parquet"


@pytest.mark.parametrize(
    "text",
    [
        "hello world\n",
        "0-0 1:1\n",
        "0-0 1-\n",
        "-1-0\n",
        "1 1\n",
        "1 1 1 X\n",
        '{"links": [[0, 0]]}\n',
    ],
)
def test_unknown_content_is_refused(tmp_path, text):
    path = saved(tmp_path / "file", text)
    with pytest.raises(InputError, match="format") as caught:
        detect(path)
    assert str(path) in str(caught.value)
    assert all(name in str(caught.value) for name in FORMATS)


# --- Pharaoh


PHARAOH = [
    ("0-0 1p2 3?4\n", [(0, [(0, 0, True), (1, 2, False), (3, 4, False)])]),
    ("2-0 0-1 0-0\n", [(0, [(0, 0, True), (0, 1, True), (2, 0, True)])]),
    ("\n0-0\n\n", [(0, []), (1, [(0, 0, True)]), (2, [])]),
    ("0-0 ||| -12.3\n ||| -1e-5\n", [(0, [(0, 0, True)]), (1, [])]),
    ("0-0\t1-1 \r\n\r\n2-2", [(0, [(0, 0, True), (1, 1, True)]), (1, []), (2, [(2, 2, True)])]),
    ("65535-0 007-01\n", [(0, [(7, 1, True), (65535, 0, True)])]),
    ("1-1 65536p2\n", [(0, [(0, 0, True), (65535, 1, False)])], {"base": 1}),
    ("0-1 2p0\n", [(0, [(0, 2, False), (1, 0, True)])], {"order": "tgt-src"}),
]


@pytest.mark.parametrize(("text", "rows", "options"), [(*row, {})[:3] for row in PHARAOH])
def test_pharaoh_lines(tmp_path, text, rows, options):
    path = saved(tmp_path / "file", text)
    assert rows_of(read(path, "pharaoh", **options)) == rows


@pytest.mark.parametrize(("base", "text"), [(0, "0-1 2p0\n\n3-3\n"), (1, "1-2 3p1\n\n4-4\n")])
def test_pharaoh_is_written_with_marks_and_empty_lines(tmp_path, base, text):
    batch = batch_of([{(0, 1): True, (2, 0): False}, {(3, 3): True}], [0, 2])
    with pytest.warns(DataWarning, match="1 sentence that the links skip, the first 1 "):
        assert written(tmp_path / "out", [batch], "pharaoh", base=base) == text


@pytest.mark.parametrize("batches", [[[1, 0]], [[0, 0]], [[3], [3]]])
def test_pharaoh_needs_sentences_in_order(tmp_path, batches):
    before, after = (sid for sids in batches for sid in sids)
    with pytest.raises(InputError, match=f"sentence {after} follows sentence {before}"):
        write([batch_of([{}] * len(s), s) for s in batches], tmp_path / "out", "pharaoh")


# --- NAACL


POSTERIORS = "1 1 1 0.6\n1 2 2 P 0.4\n1 3 3 S 2e-4\n1 4 4 S\n"
NAACL = [
    ("1 1 1 S\n2 1 1 P\n", [(0, [(0, 0, True)]), (1, [(0, 0, False)])]),
    ("0 1 1 S\n1 1 1 P\n", [(0, [(0, 0, True)]), (1, [(0, 0, False)])]),
    ("2 1 1\n4 1 1\n", [(1, [(0, 0, True)]), (3, [(0, 0, True)])]),
    ("0001 01 002 S\n0010 1 1 S\n", [(0, [(0, 1, True)]), (9, [(0, 0, True)])]),
    ("1 1 2 s\n1 2 1 p\n", [(0, [(0, 1, True), (1, 0, False)])]),
    ("1 1 2\n\n1 2 1 P\n", [(0, [(0, 1, True), (1, 0, False)])]),
    ("2 1 1\n1 2 2\n2 1 2 P\n", [(0, [(1, 1, True)]), (1, [(0, 0, True), (0, 1, False)])]),
    ("1\t1\t1\tS\r\n2 1 1 P \r\n", [(0, [(0, 0, True)]), (1, [(0, 0, False)])]),
    ("1 65536 65536", [(0, [(65535, 65535, True)])]),
    ("1 2 1\n1 1 2\n1 1 1", [(0, [(0, 0, True), (0, 1, True), (1, 0, True)])]),
    ("1 1 2 S\n1 3 1 P\n", [(0, [(0, 2, False), (1, 0, True)])], {"order": "tgt-src"}),
    *(
        ("3 1 1 S\n", [(sid, [(0, 0, True)])], {"first_sentence": first})
        for first, sid in ((None, 2), (0, 3), (1, 2))
    ),
    *(
        (POSTERIORS, [(0, [(k, k, k != 1) for k in kept])], {"min_probability": least})
        for least, kept in ((0.55, (0, 3)), (0.35, (0, 1, 3)), (1e-6, (0, 1, 2, 3)), (1, (3,)))
    ),
    # A sentence that loses all its links stays.
    ("1 1 1 0.1\n2 1 1 0.9\n", [(0, []), (1, [(0, 0, True)])], {"min_probability": 0.5}),
]


@pytest.mark.parametrize(("text", "rows", "options"), [(*row, {})[:3] for row in NAACL])
def test_naacl_lines(tmp_path, text, rows, options):
    assert rows_of(read(saved(tmp_path / "file", text), **options)) == rows


def test_a_naacl_sentence_0_far_down_still_shifts_the_numbers(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "CHUNK", 8)
    path = saved(tmp_path / "file", "1 1 1 S\n2 1 1 S\n0 1 1 S\n")
    assert [sid for sid, _ in rows_of(read(path, "naacl"))] == [0, 1, 2]


@pytest.mark.parametrize(
    "word",
    [
        *("1", ".5", "0.", "1e-5", "2.5E-3", "1e+0", "0.12345678901234567"),
        *("1e-20", "5e-324", "1e-400", "12345678901234567890.5e-20"),
        *("0." + "0" * 20 + "625", "0.1" + "0" * 400 + "1"),
    ],
)
def test_naacl_probabilities_are_the_nearest_numbers(tmp_path, word):
    text = f"1 1 1 S\n1 2 2 {word}\n1 3 3\n\n1 4 4 P {word}"
    found = read(saved(tmp_path / "file.naacl", text))["probabilities"].to_pylist()
    assert found == [[None, float(word)] * 2]


@pytest.mark.parametrize(
    "word", ["", ".", "-", "e5", "1e", "1e-", "1.5.5", "0x1", "nan", "+1", "1_0"]
)
def test_naacl_probabilities_of_other_forms_are_refused(tmp_path, word):
    text = f"1 1 1 S 0.5\n1 2 2 S {word} {'' if word else '1 1'}\n1 3 3 S\n"
    with pytest.raises(InputError, match=r"file.naacl:2: '1 2 2 S .*' cannot be read"):
        read(saved(tmp_path / "file.naacl", text), "naacl")


@pytest.mark.parametrize("word", ["-2.5", "-1e-3", "1e400", "2.5E+3"])
def test_naacl_numbers_outside_0_to_1_are_refused(tmp_path, word):
    with pytest.raises(InputError, match=re.escape(f"the probability {float(word):g} of a link")):
        read(saved(tmp_path / "file.naacl", f"1 1 1 S {word}\n"), "naacl")


def posteriors(path, long=False, **columns):
    """Write links of three sentences with probabilities; the middle one loses all its links."""
    rows = [(0, 0, 0, 0.9), (0, 1, 1, 0.6), (1, 2, 1, 0.1), (2, 1, 0, None), (2, 1, 1, 0.2)]
    frame = pl.DataFrame(
        rows,
        schema={"sid": pl.Int64, "i": pl.UInt16, "j": pl.UInt16, "probability": pl.Float32},
        orient="row",
    )
    if not long:
        frame = frame.group_by("sid", maintain_order=True).agg(
            links=pl.struct("i", "j"), probabilities="probability"
        )
    frame.with_columns(**columns).write_parquet(path)
    return path


@pytest.mark.parametrize("long", [False, True])
def test_links_of_parquet_are_filtered_by_probability(tmp_path, long):
    path = posteriors(tmp_path / "file.parquet", long)
    kept = read(path, min_probability=0.9)["links"].to_pylist()  # 0.9 in 32 bits is not less
    assert [[(link["i"], link["j"]) for link in links] for links in kept] == [
        [(0, 0)],
        [],
        [(1, 0)],
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [("file.talp", "0-0 1-1\n"), ("file.naacl", "1 1 1 S\n"), ("file.parquet", None)],
)
def test_a_file_without_probabilities_cannot_be_filtered(tmp_path, name, text):
    path = tmp_path / name
    if text is None:
        pl.DataFrame({"sid": [0], "i": [1], "j": [1]}).write_parquet(path)
    else:
        saved(path, text)
    with pytest.raises(InputError, match="no probabilities"):
        read(path, min_probability=0.5)


def test_links_whose_probabilities_are_all_empty_are_kept(tmp_path):
    path = saved(tmp_path / "file.csv", "sid,i,j,probability\n1,0,0,\n")
    assert [len(links) for links in read(path, min_probability=0.5)["links"].to_pylist()] == [1]


def test_probabilities_that_do_not_match_their_links_are_refused(tmp_path):
    few = pl.Series([[0.9], [0.1], [0.2, 0.3]], dtype=pl.List(pl.Float32))
    path = posteriors(tmp_path / "file.parquet", probabilities=few)
    with pytest.raises(InputError, match="sentence 0 has 2 links and 1"):
        read(path, min_probability=0.5)


@pytest.mark.parametrize("score", [-0.7, 40])
@pytest.mark.parametrize("kind", ["long", "nested", "naacl"])
def test_links_are_not_filtered_by_scores_that_are_no_probabilities(tmp_path, kind, score):
    path = saved(tmp_path / "file", f"1 1 1 S 0.5\n1 2 2 S {score}\n")
    if kind == "long":
        path = posteriors(path, long=True, probability=pl.lit(score))
    elif kind == "nested":
        path = posteriors(path, probabilities=pl.Series([[0.5, score], [1.0], [0.1, None]]))
    with pytest.raises(InputError, match=f"the probability {score} of a link; expected numbers fr"):
        read(path, min_probability=0.5)


@pytest.mark.parametrize("least", [-0.1, 1.5, float("nan")])
def test_the_minimum_probability_is_checked(tmp_path, least):
    with pytest.raises(
        InputError, match=f"^`min_probability` is {least}; expected a number from 0 to 1$"
    ):
        read(tmp_path / "none", "naacl", min_probability=least)


def test_the_signature_has_the_minimum_probability(tmp_path):
    path = posteriors(tmp_path / "file.parquet")
    hyp = read(path, min_probability=0.5)
    mark = links.score({"a": hyp}, path).scores["signature"][0]
    assert mark.split("|")[-1] == "min-probability:0.5"
    assert signatures.long(signatures.short(mark)) == mark


def test_naacl_is_written_from_1_with_labels(tmp_path):
    batch = batch_of([{(0, 1): True, (2, 0): False}, {}, {(65535, 3): True}])
    with pytest.warns(DataWarning, match="1 sentence without links .* naacl"):
        text = written(tmp_path / "out", [batch], "naacl")
    assert text == "1 1 2 S\n1 3 1 P\n3 65536 4 S\n"


# --- GIZA++


def a3(grouped, number=1, plain="x y"):
    return f"# Sentence pair ({number}) source length 1\n{plain}\n{grouped}\n"


ORDERED = [(0, [(0, 0, True), (0, 2, True), (1, 2, True)])]
GIZA = [
    (A3, [(["the", "old", "house"], ["das", "haus"])], SAMPLE_ROWS["giza"]),
    (A3, [(["das", "haus"], ["the", "old", "house"])], ORDERED, {"order": "tgt-src"}),
    *(
        (a3(grouped), [(words, ["x", "y"])], [(0, links)])
        for grouped, words, links in (
            ("NULL ({ 1 2 }) a ({ })", ["a"], []),
            ("NULL ({ 1 }) a ({ 2 })", ["a"], [(0, 1, True)]),
            ("a ({ 2 })", ["a"], [(0, 1, True)]),
            ("NULL ({ }) NULL ({ 1 })", ["NULL"], [(0, 0, True)]),
            ("NULL ({ 2 })", [], []),
            ("NULL ({ }) ({ ({ 1 }) }) ({ 2 })", ["({", "})"], [(0, 0, True), (1, 1, True)]),
            ("NULL ({ }) a ({ 2 1 })", ["a"], [(0, 0, True), (0, 1, True)]),
        )
    ),
    # Pairs keep their numbers in any order, and their sides may be empty.
    (
        a3("NULL ({ }) a ({ 1 })", 7, "x") + "\n" + a3("NULL ({ 1 }) b ({ })", 2, "y"),
        [(["b"], ["y"]), (["a"], ["x"])],
        [(1, []), (6, [(0, 0, True)])],
    ),
    (
        a3("NULL ({ }) a ({ })", 1, "") + a3("NULL ({ 1 })", 2, "x"),
        [(["a"], []), ([], ["x"])],
        [(0, []), (1, [])],
    ),
]
AB_X = [(["a", "b"], ["x"])]
MOSES = [
    ("a b ||| x ||| 0-0 1p0\n", AB_X, [(0, [(0, 0, True), (1, 0, False)])]),
    ("a b ||| x |||\n", AB_X, [(0, [])]),
    ("a b ||| x ||| 0.5 2e-7 ||| 1-0\n", AB_X, [(0, [(1, 0, True)])]),
    ("a b ||| x ||| 0.5 2e-7 ||| 1-0 ||| 3 2 1\n", AB_X, [(0, [(1, 0, True)])]),
    (
        "a b ||| x ||| 0.5 ||| 0-0 1?0 ||| 3 2 1 ||| |||\n",
        AB_X,
        [(0, [(0, 0, True), (1, 0, False)])],
    ),
    ("a b ||| x ||| 1-1 2-1\n", AB_X, [(0, [(0, 0, True), (1, 0, True)])], {"base": 1}),
    ("a b ||| x ||| 0-1\n", AB_X, [(0, [(1, 0, True)])], {"order": "tgt-src"}),
    (
        "été ||| summer ||| 0-0\n".encode("latin-1"),
        [(["été"], ["summer"])],
        [(0, [(0, 0, True)])],
        {"encoding": "latin-1"},
    ),
    # No-break spaces are part of words.
    (
        "10\u00a0000 ||| ten\u2003thousand ||| 0-0\n",
        [(["10\u00a0000"], ["ten\u2003thousand"])],
        [(0, [(0, 0, True)])],
    ),
]


@pytest.mark.parametrize(
    ("text", "words", "rows", "options"), [(*row, {})[:4] for row in [*GIZA, *MOSES]]
)
def test_formats_with_words(tmp_path, text, words, rows, options):
    table = read(saved(tmp_path / "file", text), **options)
    assert words_of(table) == words
    assert rows_of(table) == rows


def test_giza_links_of_the_last_position(tmp_path):
    plain = "x " * 65_537
    table = read(saved(tmp_path / "file", a3("NULL ({ }) a ({ 65536 })", plain=plain)))
    assert rows_of(table) == [(0, [(0, 65_535, True)])]
    path = saved(tmp_path / "beyond", a3("NULL ({ }) a ({ 65537 })", plain=plain))
    with pytest.raises(InputError, match=r"'65537' .* expected positions from 1 to 65536, of"):
        read(path)


def test_giza_is_written_with_unlinked_words_in_the_null_group(tmp_path):
    sides = [(["the", "house"], ["das", "alte", "haus"])]
    batch = batch_of([{(0, 0): True, (1, 0): True, (1, 2): True}], [4], sides)
    head, plain, grouped = written(tmp_path / "out", [batch], "giza").splitlines()
    assert head.startswith("# Sentence pair (5) source length 2 target length 3")
    assert plain == "das alte haus"
    assert grouped == "NULL ({ 2 }) the ({ 1 }) house ({ 1 3 })"


# --- Moses


def test_moses_is_written_with_three_fields(tmp_path):
    sides = [(["a", "b"], ["x"]), (["c"], ["y"])]
    batch = batch_of([{(0, 0): True, (1, 0): False}, {}], sides=sides)
    text = written(tmp_path / "out", [batch], "moses")
    assert [line.rstrip() for line in text.splitlines()] == ["a b ||| x ||| 0-0 1p0", "c ||| y |||"]


@pytest.mark.parametrize("module", [giza, moses])
def test_worded_files_are_read_in_batches(tmp_path, monkeypatch, module):
    monkeypatch.setattr(module, "ROWS", 2)
    sides = [([f"a{n}"], [f"b{n}"]) for n in range(5)]
    alignment = [{(0, 0): True} if n % 2 else {} for n in range(5)]
    kind = module.__name__.rpartition(".")[2]
    write([batch_of(alignment, sides=sides)], tmp_path / "file", kind)
    table = read(tmp_path / "file", kind)
    assert table["sid"].num_chunks == 3
    assert rows_of(table) == [(n, [(0, 0, True)] if n % 2 else []) for n in range(5)]
    assert words_of(table) == sides


# --- Parquet


def test_parquet_is_stored_with_the_types_of_gold(tmp_path):
    path = tmp_path / "out.parquet"
    write([batch_of([{(1, 2): False}])], path, "parquet", system="one")
    schema = pq.read_schema(path)
    assert schema.names == ["system", "sid", "links"]
    assert schema.field("links").type == GOLD_LINKS
    assert not schema.field("sid").nullable


def test_parquet_keeps_words(tmp_path):
    path = tmp_path / "out.parquet"
    write([batch_of([{}], sides=[(["a", "b"], ["x"])])], path, "parquet")
    assert pq.read_table(path, columns=["src", "tgt"]).to_pylist() == [
        {"src": ["a", "b"], "tgt": ["x"]}
    ]


def test_long_parquet_gives_one_row_per_sentence(tmp_path):
    path = tmp_path / "long.parquet"
    long = {"system": ["s"] * 4, "sid": [0, 0, 2, 2], "i": [0, 1, 0, 5], "j": [3, 0, 0, 1]}
    pq.write_table(pa.table({**long, "sure": [True, False, None, True]}), path)
    table = read(path)
    assert table["system"].to_pylist() == ["s", "s"]
    assert rows_of(table) == [
        (0, [(0, 3, True), (1, 0, False)]),
        (2, [(0, 0, True), (5, 1, True)]),
    ]


def test_a_name_replaces_the_systems_of_parquet(tmp_path):
    path = tmp_path / "out.parquet"
    write([batch_of([{}, {}])], path, "parquet", system="one")
    assert read(path, system="two")["system"].to_pylist() == ["two", "two"]


# --- links of other types


@pytest.mark.parametrize(
    ("links", "text"),
    [
        (pa.array([[{"i": 0, "j": 1}], []], LINKS), "0-1\n\n"),
        (pa.array([[{"i": 3, "j": 1, "sure": None}], []]), "3-1\n\n"),
        (
            pa.array([[{"i": 3, "j": 1, "sure": None}], [{"i": 0, "j": 0, "sure": False}]]),
            "3-1\n0p0\n",
        ),
    ],
    ids=["no labels", "unknown labels", "one unknown label"],
)
def test_links_without_a_label_are_sure(tmp_path, links, text):
    batch = pa.record_batch({"sid": pa.array([0, 1]), "links": links})
    assert written(tmp_path / "out", [batch], "pharaoh") == text


@pytest.mark.parametrize("kind", ["pharaoh", "naacl"])
def test_labels_may_start_inside_a_byte(tmp_path, kind):
    labels = [True, True, False, True, False, False, True, True, False, True, False]
    listed = [{"i": n, "j": 0, "sure": sure} for n, sure in enumerate(labels)]
    part = pa.array(listed, GOLD_LINKS.value_type).slice(3)
    column = pa.ListArray.from_arrays(pa.array([0, len(part)], pa.int32()), part, type=GOLD_LINKS)
    batch = pa.record_batch({"sid": pa.array([0]), "links": column})
    plain = batch_of([{(n, 0): sure for n, sure in enumerate(labels) if n >= 3}])
    assert written(tmp_path / "out", [batch], kind) == written(tmp_path / "all", [plain], kind)


# --- text


def test_bitext_of_two_files(tmp_path):
    src = saved(tmp_path / "src", "a b\r\n\nc\n")
    tgt = saved(tmp_path / "tgt", "x\ny  z\n \n")
    table = read_bitext(src, tgt)
    assert table["sid"].to_pylist() == [0, 1, 2]
    assert words_of(table) == [(["a", "b"], ["x"]), ([], ["y", "z"]), (["c"], [])]


def test_bitext_of_one_file(tmp_path):
    src = saved(tmp_path / "src", "a b ||| x ||| \nc ||| y z ||| 0-0\n ||| ||| \n")
    assert words_of(read_bitext(src)) == [(["a", "b"], ["x"]), (["c"], ["y", "z"]), ([], [])]


@pytest.mark.parametrize(
    ("bad", "line", "said"),
    [
        ("a ||| x\na ||| b ||| x\n", 2, "a line with another '|||', unlike those before"),
        ("a ||| x\na ||| b ||| 0-0\n", 2, "a line with another '|||', unlike those before"),
        ("a ||| x ||| 0-0\na ||| b\n", 2, "a line with a single '|||', unlike those before"),
        ("a ||| x ||| 0-0\na ||| b ||| Certes, 0-0\n", 2, "'Certes,' after a second '|||' is nei"),
        ("a ||| x ||| b\n" * 3, 1, "'b' after a second '|||' is neither a link nor a score"),
    ],
)
def test_lines_of_both_sides_have_the_same_fields(tmp_path, bad, line, said):
    with pytest.raises(InputError, match=re.escape(said)) as found:
        read_bitext(saved(tmp_path / "text", bad))
    assert found.value.line == line


@pytest.mark.parametrize("more", ["0-0 1?0", "", "0-0:0.5", "0.5 2e-7 ||| 0-0 ||| 3 2"])
def test_links_and_scores_after_both_sides_are_left_out(tmp_path, more):
    text = read_bitext(saved(tmp_path / "text", f"a b ||| x ||| {more}\n" * 2))
    assert words_of(text) == [(["a", "b"], ["x"])] * 2


def test_a_bar_in_every_line_of_both_files_is_a_word(tmp_path):
    src, tgt = (saved(tmp_path / name, f"{name} ||| {name}\n" * 3) for name in ("src", "tgt"))
    with pytest.warns(DataWarning, match=r"'\|\|\|' in every line of both, taken as a word"):
        text = read_bitext(src, tgt)
    assert words_of(text) == [(["src", "|||", "src"], ["tgt", "|||", "tgt"])] * 3


def test_ids_of_sentences_are_not_words(tmp_path):
    path = saved(tmp_path / "src", "<s snum=1> a b </s>\n<s snum=0002>  </s>\n<s> c\n")
    assert read_tokens(path) == [["a", "b"], [], ["<s>", "c"]]


def test_text_in_another_encoding(tmp_path):
    path = saved(tmp_path / "src", "garçon\n".encode("latin-1"))
    assert read_tokens(path, "latin-1") == [["garçon"]]


def test_batches_get_the_words_of_their_sentences(tmp_path):
    src = saved(tmp_path / "src", "a\nb\nc\n")
    tgt = saved(tmp_path / "tgt", "x\ny\nz\n")
    (batch,) = add_words([batch_of([{}, {(0, 0): True}], [2, 0])], read_bitext(src, tgt))
    assert words_of(batch) == [(["c"], ["z"]), (["a"], ["x"])]
    assert rows_of(batch) == [(2, []), (0, [(0, 0, True)])]


@pytest.mark.parametrize("kind", SAMPLES)
def test_links_inside_the_text_are_accepted(tmp_path, kind):
    path = saved(tmp_path / "file", SAMPLES[kind])
    given = read(path)
    src = saved(tmp_path / "src", "a b c d\n" * 3)
    bitext = read_bitext(src, saved(tmp_path / "tgt", "x y\n" * 3))
    table = read(path, bitext=given if "src" in given.column_names else bitext)
    assert rows_of(table) == SAMPLE_ROWS[kind]


# --- through the command line


def convert(*arguments, given, folder):
    done = subprocess.run(
        [sys.executable, "-m", "alignframe", "convert", *arguments],
        input=given.encode(),
        capture_output=True,
        cwd=folder,
        check=True,
    )
    return done.stdout.decode()


@pytest.mark.parametrize("kind", ["pharaoh", "naacl"])
def test_links_pass_from_standard_input_to_standard_output(tmp_path, kind):
    out = convert("-", "-", "--from", kind, "--to", "pharaoh", given=SAMPLES[kind], folder=tmp_path)
    assert out == "0-0 1p1\n\n2p0 3-1\n"


def test_converting_adds_the_words_of_the_text(tmp_path):
    saved(tmp_path / "src", "the house\nyes\n")
    saved(tmp_path / "tgt", "das haus\nja\n")
    options = ["--from", "pharaoh", "--to", "moses", "--src", "src", "--tgt", "tgt"]
    out = convert("-", "-", *options, given="0-0 1p1\n0-0\n", folder=tmp_path)
    assert out == "the house ||| das haus ||| 0-0 1p1\nyes ||| ja ||| 0-0\n"


def test_moses_leaves_lines_for_missing_sentences(tmp_path):
    sides = [(["a"], ["b"])] * 2
    with pytest.warns(DataWarning, match="2 sentences that the links skip"):
        write([batch_of([{(0, 0): True}] * 2, [1, 3], sides)], tmp_path / "out", "moses")
    assert rows_of(read(tmp_path / "out")) == [
        (0, []),
        (1, [(0, 0, True)]),
        (2, []),
        (3, [(0, 0, True)]),
    ]


def test_links_at_the_minimum_probability_stay(tmp_path):
    values = [f"{k / 10000:.4f}" for k in range(0, 10000, 7)]
    text = "".join(f"1 {k + 1} 1 {value}\n" for k, value in enumerate(values))
    path = saved(tmp_path / "file", text)
    for value in values[::40]:
        kept = read(path, min_probability=float(value))["links"].to_pylist()[0]
        assert len(kept) == sum(float(other) >= float(value) for other in values)


def test_unsorted_long_parquet_gives_one_row_per_sentence(tmp_path):
    table = pa.table({"sid": [2, 0, 2, 0], "i": [1, 1, 0, 1], "j": [0, 0, 0, 0]})
    pq.write_table(table, tmp_path / "long.parquet", row_group_size=1)
    with pytest.warns(DataWarning, match="1 link repeated"):
        made = read(tmp_path / "long.parquet")
    assert rows_of(made) == [(0, [(1, 0, True)]), (2, [(0, 0, True), (1, 0, True)])]
    assert made["system"].to_pylist() == ["long", "long"]


def test_an_empty_input_gives_an_empty_table(tmp_path):
    write([], tmp_path / "none.parquet", "parquet")
    assert pq.read_table(tmp_path / "none.parquet").num_rows == 0
    assert pq.read_schema(tmp_path / "none.parquet").names == ["sid", "links"]


def test_a_name_may_look_like_a_pattern(tmp_path):
    write([batch_of([{(0, 0): True}])], tmp_path / "o[1].parquet", "parquet")
    assert rows_of(read(tmp_path / "o[1].parquet")) == [(0, [(0, 0, True)])]


def pharaoh(path):
    write([batch_of([{(0, 0): True}])], path, "pharaoh")


def test_the_target_of_a_symbolic_link_is_replaced(tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "file").write_text("old\n")
    for name, target in (("link", "inner/file"), ("dangling", "inner/new")):
        (tmp_path / name).symlink_to(target)
        pharaoh(tmp_path / name)
        assert (tmp_path / name).is_symlink()
        assert (tmp_path / target).read_text() == "0-0\n"
    names = sorted(path.name for path in tmp_path.rglob("*"))
    assert names == ["dangling", "file", "inner", "link", "new"]


def test_a_file_keeps_its_mode(tmp_path):
    (tmp_path / "file").write_text("old\n")
    (tmp_path / "file").chmod(0o640)
    pharaoh(tmp_path / "file")
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_pipe_is_written_to(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor(1) as executor:
        told = executor.submit((tmp_path / "pipe").read_text)
        pharaoh(tmp_path / "pipe")
        assert told.result(timeout=600) == "0-0\n"
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device")
def test_a_full_disk(tmp_path):
    (tmp_path / "link").symlink_to("/dev/full")
    for kind in ("pharaoh", "parquet"):
        with pytest.raises(InputError, match=r"/link: .*No space left"):
            write([batch_of([{(0, 0): True}])], tmp_path / "link", kind)
    saved(tmp_path / "given", "0-0\n")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "alignframe", "convert", "given", "-"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
            check=False,
        )
    assert "standard output: cannot be written (No space left on device)" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == 2


@pytest.mark.parametrize("suffix", COMPRESSED)
def test_the_suffix_compresses_the_output(tmp_path, suffix):
    path = tmp_path / f"x.naacl{suffix}"
    write([batch_of([{(0, 1): True}])], path)
    assert path.read_bytes()[:2] != b"1 "
    assert detect(path) == "naacl"
    assert rows_of(read(path)) == [(0, [(0, 1, True)])]


@pytest.mark.parametrize("name", ["x.yaml", "x.json", "x.wrong.gz", "a.b/x.md"])
def test_a_suffix_of_no_format_is_refused(tmp_path, name):
    with pytest.raises(InputError, match=r"suffix '\.[a-z]+'.*\.talp.*parquet.*\(`format`\)$"):
        write([batch_of([{(0, 1): True}])], tmp_path / name)


def test_giza_warns_of_lost_labels(tmp_path):
    batch = batch_of([{(0, 0): True, (0, 1): False}], [0], [(["a"], ["b", "c"])])
    with pytest.warns(DataWarning, match="1 Possible"):
        write([batch], tmp_path / "out", "giza")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("file.tsv", "a b\tx y\t1-1\t\na b\tx y\t{}\t\n"),
        ("file.moses", "a b ||| x y ||| 1-1\na b ||| x y ||| {}\n"),
    ],
)
def test_links_outside_the_words_suggest_a_base_unless_a_position_is_0(tmp_path, name, text):
    with pytest.raises(InputError, match=r":2: .*; if positions count from 1, give `base=1`$"):
        read(saved(tmp_path / name, text.format("2-2")))
    with pytest.raises(
        InputError, match=r"words, one past .*; leave such links out with `drop_outside`$"
    ):
        read(saved(tmp_path / name, text.format("0-0 2-2")))


def test_pharaoh_outside_its_text_suggests_a_base(tmp_path):
    bitext = read_bitext(saved(tmp_path / "src", "a b\n"), saved(tmp_path / "tgt", "x y\n"))
    path = saved(tmp_path / "file.talp", "1-1 2-2\n")
    with pytest.raises(InputError, match=r":1: .*; if positions count from 1, give `base=1`; or "):
        read(path, bitext=bitext)


def test_an_empty_path_is_refused():
    for reader in (read, read_bitext, links.read):
        with pytest.raises(InputError, match="name is empty"):
            reader("")


def test_a_folder_of_other_tables_is_named_by_its_file(tmp_path):
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "other.parquet")
    for least in (None, 0.5):
        with pytest.raises(InputError, match=r"other\.parquet: a table of links"):
            read(tmp_path, min_probability=least)
    with pytest.raises(InputError, match=r"other\.parquet: a table of links"):
        links.score(tmp_path, tmp_path).scores


def test_a_folder_that_vanishes_during_listing_is_skipped(tmp_path, monkeypatch):
    frame = pl.DataFrame({"sid": [0], "i": [1], "j": [1]})
    for name in ("gone", "kept"):
        (tmp_path / name).mkdir()
        frame.write_parquet(tmp_path / name / "x.parquet")
    scandir, error = os.scandir, FileNotFoundError

    def vanishing(path="."):
        if Path(path).name == "gone":
            raise error(2, "cannot be found", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", vanishing)
    assert read(tmp_path).num_rows == 1
    error = PermissionError
    with pytest.raises(InputError, match="gone: cannot be listed"):
        read(tmp_path)


def test_unnamed_pipes_are_called_hypothesis():
    paths = ["-", "/dev/stdin", "/dev/fd/62", "/proc/self/fd/63", "/dev/fd/x.talp"]
    assert [system_name(path) for path in paths] == ["hypothesis"] * 4 + ["x"]
