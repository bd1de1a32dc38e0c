"""Bad input: every error names the file and line, and leaves no output behind."""

import io
import os
import re
import sys
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.cli import run
from helpers.formats import batch_of, check, refusal_of, rows_of, saved

from alignframe.errors import DataWarning, InputError
from alignframe.formats import (
    FORMATS,
    Reading,
    add_words,
    detect,
    read,
    read_bitext,
    read_tokens,
    scan,
    write,
)
from alignframe.read import lines

TEXT_FORMATS = [name for name in FORMATS if name != "parquet"]
SAMPLES = {
    "pharaoh": "0-0 1-1\n1-0 0-1\n",
    "numbered": "0\t0-0 1-1\n1\t1-0 0-1\n",
    "naacl": "1 1 1\n1 2 2\n2 1 2\n",
    "giza": "# Sentence pair (1) source length 1 target length 1 alignment score : 1\n"
    "a\nNULL ({ }) b ({ 1 })\n",
    "moses": "a b ||| c d ||| 0-0 1-1\n",
    "jsonl": '{"sid": 0, "i": 0, "j": 0}\n{"sid": 0, "i": 1, "j": 1}\n',
    "table": "sid,i,j\n0,0,0\n0,1,1\n",
    "tsv": "a b\tc d\t0-0 1-1\n",
}
PAIR = "# Sentence pair (1) source length 2 target length 2 alignment score : 1\n"
refusal = partial(refusal_of, read)


# --- single faults of each format

PHARAOH = [
    ("0-0\n-1-0\n", 2, ["'-1-0'", "negative position"]),
    ("0-0 3--2\n", 1, ["'3--2'", "negative position"]),
    ("0-0\n\n1-x\n", 3, ["'1-x' is not a link"]),
    ("0-0 word 1-1\n", 1, ["'word' is not a link"]),
    ("0-0 1:1\n", 1, ["'1:1' is not a link"]),
    ("0-0 1s1\n", 1, ["'1s1' is not a link"]),
    ("0-0 1-1-1\n", 1, ["'1-1-1' is not a link"]),
    ("0-0 1-\n", 1, ["'1-' is not a link"]),
    ("0-0 1-1,2-2\n", 1, ["'1-1,2-2' is not a link"]),
    ("0-0\r\n1.5-2\r\n", 2, ["'1.5-2' is not a link"]),
    ("0-0\n65536-0\n", 2, ["'65536-0'", "beyond 65,535"]),
    ("0-65536", 1, ["'0-65536'", "beyond 65,535"]),
    ("99999999999999999999-0\n", 1, ["'99999999999999999999-0'", "beyond 65,535"]),
    ("0-0\n1 2 3 S\n", 2, ["'1' is not a link", "looks like the NAACL format"]),
    ("a ||| b ||| 0-0\n", 1, ["'a' is not a link", "looks like the Moses format"]),
    (PAIR, 1, ["'#' is not a link", "looks like GIZA++'s A3 format"]),
    (b"0-0\n\xff\xfe\x9c\n", 2, ["bytes that are not UTF-8 text"]),
    (b"\x00\x01\x02\x03", 1, ["a NUL byte", "tr -d"]),
    (b"0-0\n\n1-1 2\x00-2\n", 3, ["a NUL byte", "tr -d"]),
]
PHARAOH_FROM_1 = [
    ("1-1\n0-1\n", 2, ["'0-1'", "a position 0", "count from 1"]),
    ("1-0\n", 1, ["'1-0'", "a position 0", "count from 1"]),
    ("65537-1\n", 1, ["'65537-1'", "has a position beyond"]),
    ("1-1 2p65537\n", 1, ["'2p65537'", "has a position beyond"]),
]
NAACL = [
    ("1 1 1 S\n1 -1 2 S\n", 2, ["a negative number in '1 -1 2 S'"]),
    ("-1 1 1 S\n", 1, ["a negative number in '-1 1 1 S'"]),
    ("1 1 1 S\n1 0 0 S\n", 2, ["two positions 0 in '1 0 0 S'", "count from 1"]),
    ("1 65537 1 S\n", 1, ["a position beyond 65,536 in '1 65537 1 S'"]),
    ("1 1 65537\n", 1, ["a position beyond 65,536 in '1 1 65537'"]),
    ("1 1 1\n\n1 one 1\n", 3, ["'1 one 1' cannot be read"]),
    ("1 1 1 S\n1 1\n", 2, ["'1 1' cannot be read"]),
    ("1 1 1 X\n", 1, ["'1 1 1 X' cannot be read"]),
    ("1 1 1 S P\n", 1, ["'1 1 1 S P' cannot be read"]),
    ("1 1 1 S 0.5 0.5\n", 1, ["'1 1 1 S 0.5 0.5' cannot be read"]),
    ("1 1 1 S 0.5.5\n", 1, ["'1 1 1 S 0.5.5' cannot be read"]),
    ("1 1.0 1\n", 1, ["'1 1.0 1' cannot be read"]),
    ("0-0 1-1\n", 1, ["'0-0 1-1' cannot be read"]),
    (b"1 1 1 S\n1 1 \xff\n", 2, ["bytes that are not UTF-8 text"]),
]
GIZA = [
    (PAIR + "x y\nNULL ({ }) a ({ -1 })\n", 3, ["the position '-1' of the word 'a'"]),
    (PAIR + "x y\nNULL ({ }) a ({ 0 })\n", 3, ["the position '0' of the word 'a'", "from 1 to 2"]),
    (PAIR + "x y\nNULL ({ }) a ({ 3 })\n", 3, ["the position '3' of the word 'a'", "from 1 to 2"]),
    (PAIR + "x y\nNULL ({ 3 }) a ({ 1 })\n", 3, ["the position '3' of the word 'NULL'"]),
    (PAIR + "x y\nNULL ({ }) a ({ b })\n", 3, ["the position 'b' of the word 'a'"]),
    (PAIR + "x y\nNULL ({ }) a b ({ 1 })\n", 3, ["the word 'a' has no group"]),
    (PAIR + "x y\nNULL ({ }) a ({ 1\n", 3, ["the word 'a' has no group"]),
    (PAIR + "x y\nNULL ({ }) a\n", 3, ["the word 'a' has no group"]),
    (PAIR + "x y\n", 1, ["ends inside a sentence pair"]),
    (PAIR, 1, ["ends inside a sentence pair"]),
    (PAIR + "x\nNULL ({ }) a ({ 1 })\n" + PAIR + "x\n", 4, ["ends inside a sentence pair"]),
    (PAIR + "x\nNULL ({ }) a ({ 1 })\nx y\n", 4, ["'x y' does not start a sentence pair"]),
    ("# Sentence pair 1\nx\nNULL ({ })\n", 1, ["'# Sentence pair 1' does not start"]),
    (PAIR.encode() + b"\xe9t\xe9\nNULL ({ })\n", 2, ["0xe9 is not utf-8 text"]),
]
MOSES = [
    ("a ||| x ||| 0-0\na b\n", 2, ["1 field(s)"]),
    ("a ||| x\n", 1, ["2 field(s)"]),
    ("a ||| x ||| 0-0\n\n", 2, ["1 field(s)"]),
    ("a ||| x ||| 0-0 b\n", 1, ["'b' is not a link"]),
    ("a ||| x ||| -1-0\n", 1, ["'-1-0' is not a link"]),
    ("a ||| x ||| 0.5 ||| 0.5 ||| 0-0\n", 1, ["'0.5' is not a link"]),
    ("a ||| x ||| 0-0\na b ||| x ||| 2-0\n", 2, ["'2-0' lies outside", "2 source and 1 target"]),
    ("a b ||| x ||| 0-1\n", 1, ["'0-1' lies outside", "2 source and 1 target"]),
    ("a b ||| x ||| 65536-0\n", 1, ["'65536-0' lies outside"]),
    (b"a ||| x ||| 0-0\n\xe9t\xe9 ||| x ||| 0-0\n", 2, ["0xe9 is not utf-8 text"]),
]
NUMBERED = [
    ("1\t0-0\n2\t1-x\n", 2, ["'1-x' is not a link"]),
    ("1\t0-0\n\n3\t1-x\n", 3, ["'1-x' is not a link"]),
    ("1\t0-0\n1\t1-1\n", 2, ["the id '1' again, after line 1"]),
    ("a\t0-0\nb\t\n\na\t1-1\n", 4, ["the id 'a' again, after line 1"]),
    ("1\t0-0\n0-0 1-1\n", 2, ["no id before a tab"]),
    ("1\t0-0\n1-1\n", 2, ["no id before a tab"]),
    ("1\t0-0\n\t1-1\n", 2, ["no id before a tab"]),
    ("1\t0-65536\n", 1, ["beyond 65,535"]),
]
TSV = [
    ("a\tx\t0-0\na b\n", 2, ["1 tab-separated columns"]),
    ("a\tx\t0-0\t\t\n", 1, ["5 tab-separated columns"]),
    ("a\tx\t0-0\t0_0\n", 1, ["'0_0' is not a link"]),
    ("a\tx\t0-0\na b\tx\t\t0-1\n", 2, ["'0-1' lies outside", "2 source and 1 target"]),
    ("source\ttarget\tpossible\tsure\n", 1, ["the columns source, target, possible, sure"]),
    (b"a\tx\t0-0\n\xe9\tx\t0-0\n", 2, ["0xe9 is not utf-8 text"]),
]
FAULTS = [
    (kind, options, *fault)
    for kind, options, faults in [
        ("pharaoh", {}, PHARAOH),
        ("pharaoh", {"base": 1}, PHARAOH_FROM_1),
        ("naacl", {}, NAACL),
        ("giza", {}, GIZA),
        ("moses", {}, MOSES),
        ("numbered", {}, NUMBERED),
        ("tsv", {}, TSV),
        ("moses", {"base": 1}, [("a ||| x ||| 0-1\n", 1, ["'0-1' lies outside"])]),
        ("moses", {"order": "tgt-src"}, [("a b ||| x ||| 1-0\n", 1, ["'1-0' lies outside"])]),
    ]
    for fault in faults
]


@pytest.mark.parametrize("chunk", [None, 5, 64])
@pytest.mark.parametrize(("kind", "options", "text", "line", "found"), FAULTS)
def test_a_fault_is_named_with_its_line(
    tmp_path, monkeypatch, kind, options, text, line, found, chunk
):
    monkeypatch.setattr(lines, "CHUNK", chunk or lines.CHUNK)
    path = saved(tmp_path / "bad", text)
    check(refusal(path, kind, **options), path, line, *found)


@pytest.mark.parametrize(
    ("kind", "text", "bad"),
    [
        ("pharaoh", "0-0 1-1\n", "0-0 1-\n"),
        ("naacl", "1 1 1 S\n", "1 1 x S\n"),
        ("moses", "a ||| x ||| 0-0\n", "a ||| x ||| 0-7\n"),
    ],
)
def test_a_fault_far_down_is_found(tmp_path, monkeypatch, kind, text, bad):
    monkeypatch.setattr(lines, "CHUNK", 1 << 10)
    path = saved(tmp_path / "bad", text * 2999 + bad + text * 9)
    check(refusal(path, kind), path, 3000)


def test_a_long_line_is_shortened(tmp_path):
    path = saved(tmp_path / "bad", "0-0 " + "x" * 10_000 + "\n")
    message = refusal(path, "pharaoh")
    check(message, path, 1, "'xxx", "...")
    assert len(message) < len(str(path)) + 300


# --- whole files


WHOLE_FILES = [
    *((kind, "empty", "", "the file is empty") for kind in (None, *TEXT_FORMATS)),
    *((kind, "missing", None, "no such file") for kind in (None, *FORMATS)),
    *((kind, ".", None, "is a folder") for kind in (None, *FORMATS)),
    *((kind, "blank", "\n \n", "no ") for kind in ("naacl", "giza")),
    *((kind, "plain.gz", "0-0 1-1\n", "cannot be decompressed") for kind in TEXT_FORMATS),
    *(
        (None, name, text, "not a Parquet file")
        for name in ("bad.parquet", "bad")
        for text in (b"PAR1 and rubbish", b"PAR1")
    ),
    (None, "*.parquet", None, "no file matches"),
]


@pytest.mark.parametrize(("kind", "name", "text", "found"), WHOLE_FILES)
def test_a_file_is_refused(tmp_path, kind, name, text, found):
    path = tmp_path / name if text is None else saved(tmp_path / name, text)
    check(refusal(path, kind), path, None, found)


@pytest.mark.parametrize("kind", TEXT_FORMATS)
@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff"])
def test_utf_16_is_read_by_its_mark(tmp_path, kind, mark):
    coding = "utf-16-le" if mark == b"\xff\xfe" else "utf-16-be"
    text = SAMPLES[kind]
    plain, wide = (
        saved(tmp_path / name, data)
        for name, data in (("plain", text), ("wide", mark + text.encode(coding)))
    )
    assert read(wide, kind)["links"] == read(plain, kind)["links"]
    assert read(wide)["links"] == read(plain)["links"]
    if len(text) > 16:
        bare = saved(tmp_path / "bare", text.encode(coding))
        check(refusal(bare, kind), bare, 1, f"UTF-16{coding[-2:].upper()} without", coding)


@pytest.mark.parametrize("kind", TEXT_FORMATS)
@pytest.mark.parametrize("size", [15, 400])
def test_a_truncated_archive_is_refused(tmp_path, kind, size):
    whole = tmp_path / "whole.gz"
    with pa.CompressedOutputStream(str(whole), "gzip") as out:
        out.write(os.urandom(1000))
    path = saved(tmp_path / "cut.gz", whole.read_bytes()[:size])
    check(refusal(path, kind), path, None, "cannot be decompressed")


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        ({"sid": [0], "words": ["a"]}, "expected sid, i and j"),
        ({"sid": [0], "links": [1]}, "a column links of type int64"),
        ({"sid": [0], "links": [[1]]}, "a column links of type list"),
        ({"i": [0], "j": [0]}, "expected sid, i and j"),
    ],
)
def test_parquet_without_links_is_refused(tmp_path, columns, found):
    path = tmp_path / "bad.parquet"
    pq.write_table(pa.table(columns), path)
    assert found in refusal(path)


@pytest.mark.parametrize("bad", [-1, 65_536])
def test_parquet_with_an_impossible_position_is_refused(tmp_path, bad):
    path = tmp_path / "bad.parquet"
    pq.write_table(pa.table({"sid": [0, 0], "i": [0, 1], "j": [3, bad]}), path)
    assert f"the link position {bad}" in refusal(path)


# --- options


def test_an_unknown_format_is_refused_when_reading(tmp_path):
    path = saved(tmp_path / "file", "0-0\n")
    message = refusal(path, "talp")
    assert "unknown format 'talp'" in message
    assert all(name in message for name in FORMATS)


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"base": 2}, "`base` is 2; expected 0 or 1"),
        ({"base": -1}, "`base` is -1; expected 0 or 1"),
        ({"order": "source"}, "`order` is 'source'; expected src-tgt or tgt-src"),
    ],
)
def test_invalid_options_are_refused(tmp_path, options, found):
    path = saved(tmp_path / "file", "0-0\n")
    assert found in refusal(path, **options)


@pytest.mark.parametrize("kind", ["giza", "moses"])
def test_an_unknown_encoding_is_refused(tmp_path, kind):
    path = saved(tmp_path / "file", "a ||| b ||| 0-0\n")
    assert "`encoding` is 'klingon', which is not known" in refusal(path, kind, encoding="klingon")


def test_sentence_numbers_below_the_first_are_refused(tmp_path):
    path = saved(tmp_path / "bad", "1 1 1 S\n0 1 1 S\n")
    message = refusal(path, first_sentence=1)
    assert re.match(rf"{re.escape(str(path))}(:2)?: the file has a sentence 0", message)


# --- against the text


@pytest.fixture
def bitext(tmp_path):
    """Two sentence pairs, with 3 and 2 words and with 1 and 1."""
    src = saved(tmp_path / "src", "a b c\nd\n")
    return read_bitext(src, saved(tmp_path / "tgt", "x y\nz\n"))


def test_text_has_the_expected_size(bitext):
    assert bitext.num_rows == 2


WORDS = "has 2 words in src (d e), but 1 in the text (d)"
BEYOND = ("sentence 2", "beyond the text's 2 sentence pairs")
OUTSIDE = [
    ("pharaoh", "2-1\n0-1\n", 2, ["lies outside", "0-1", "1 source and 1 target"]),
    ("pharaoh", "2-1 3-0\n0-0\n", 1, ["lies outside", "3-0", "3 source and 2 target"]),
    ("numbered", "2\t1-0\n1\t0-0\n", 1, ["lies outside", "1-0", "1 source and 1"]),
    ("numbered", "1\t0-0\n\n2\t1-0\n", 3, ["lies outside", "1-0", "1 source and 1"]),
    (
        "naacl",
        "1 3 2 S\n2 1 1 S\n2 2 1 P\n",
        3,
        ["sentence 1", "the link 1-0 (counted from 0) lies outside"],
    ),
    ("moses", "a b c ||| x y ||| 2-1\nd e ||| z ||| 1-0\n", 2, ["sentence 1 ", WORDS]),
    ("tsv", "source\ttarget\tsure\na b c\tx y\t2-1\nd e\tz\t1-0\n", 3, ["sentence 1 ", WORDS]),
    (
        "giza",
        PAIR.replace("(1)", "(2)") + "z\nNULL ({ }) d ({ 1 }) e ({ 1 })\n",
        None,
        ["sentence 1 ", WORDS],
    ),
    ("pharaoh", "0-0\n0-0\n0-0\n", 3, BEYOND),
    ("pharaoh", "0-0\n\n\n", 3, BEYOND),
    ("moses", "a b c ||| x y |||\nd ||| z |||\ne ||| u |||\n", 3, BEYOND),
    ("naacl", "3 1 1 S\n", None, BEYOND),
    ("giza", PAIR.replace("(1)", "(3)") + "u\nNULL ({ }) e ({ 1 })\n", None, BEYOND),
]


@pytest.mark.parametrize(("kind", "text", "line", "found"), OUTSIDE)
def test_what_the_text_does_not_have_is_refused(tmp_path, bitext, kind, text, line, found):
    path = saved(tmp_path / "bad", text)
    check(refusal(path, kind, bitext=bitext), path, line, *found)


def test_other_words_than_the_text_has_and_text_left_over_are_told(tmp_path, bitext):
    path = saved(tmp_path / "file", "A other c ||| x y ||| 2-1\n")
    with pytest.warns(DataWarning) as caught:
        read(path, bitext=bitext)
    said = [str(one.message) for one in caught]
    assert "1 word differs from the text's: 'other' and 'b'" in said[0]
    assert "1 sentence, but the text has 2" in said[1]


def test_texts_of_different_lengths_are_refused(tmp_path):
    src, tgt = saved(tmp_path / "src", "a\nb\nc\n"), saved(tmp_path / "tgt", "x\ny\n")
    with pytest.raises(InputError, match="the same number of lines on both sides") as caught:
        read_bitext(src, tgt)
    assert f"{src} has 3 lines" in str(caught.value)
    assert f"{tgt} has 2" in str(caught.value)


def test_a_line_on_one_side_only_is_refused(tmp_path):
    path = saved(tmp_path / "src", "a ||| x\nb\n")
    with pytest.raises(InputError, match=rf"^{re.escape(str(path))}:2: .*\|\|\|"):
        read_bitext(path)


@pytest.mark.parametrize("side", ["src", "tgt"])
def test_latin_1_is_not_read_as_utf_8(tmp_path, side):
    paths = {name: saved(tmp_path / name, "a\nb\n") for name in ("src", "tgt")}
    saved(paths[side], "a\nçà\n".encode("latin-1"))
    with pytest.raises(InputError) as caught:
        read_bitext(paths["src"], paths["tgt"])
    check(str(caught.value), paths[side], 2, "0xe7 is not utf-8 text", "latin-1")


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        (b"", None, "the file is empty"),
        (("a b\n" * 9).encode("utf-16-be"), 1, "UTF-16BE without a byte order mark"),
        (b"a\n\xff\xff\n", 2, "0xff is not utf-8 text"),
    ],
)
def test_files_that_are_not_text_are_refused(tmp_path, text, line, found):
    path = saved(tmp_path / "src", text)
    with pytest.raises(InputError) as caught:
        read_tokens(path)
    check(str(caught.value), path, line, found)


def test_a_missing_text_is_refused(tmp_path):
    with pytest.raises(InputError, match="missing: no such file"):
        read_bitext(tmp_path / "missing", tmp_path / "missing")


# --- repaired with a warning


def warned(path, *arguments, match, **options):
    with pytest.warns(DataWarning, match=match) as caught:
        table = read(path, *arguments, **options)
    assert len(caught) == 1
    assert str(caught[0].message).startswith(f"{path}: ")
    return table


ONCE = [(0, [(0, 0, True), (1, 1, True)]), (1, [(1, 1, False)])]
REPAIRED = [
    ("pharaoh", "0-0 1-1 0-0 0-0\n1p1 1?1\n", ": 3 links .*repeated", ONCE),
    ("naacl", "1 1 1 S\n1 2 2\n1 1 1 S\n1 1 1 s\n2 2 2 P\n2 2 2 p\n", ": 3 links .*repeated", ONCE),
    (
        "moses",
        "a b ||| x y ||| 0-0 1-1 0-0 0-0\na b ||| x y ||| 1p1 1?1\n",
        ": 3 links .*repeated",
        ONCE,
    ),
    (
        "giza",
        PAIR + "x y\nNULL ({ }) a ({ 1 1 }) b ({ 2 1 2 })\n",
        ": 2 links .*repeated",
        [(0, [(0, 0, True), (1, 0, True), (1, 1, True)])],
    ),
    # Links with both labels are Sure.
    ("pharaoh", "0-0 0p0 1p1 1-1\n", ": 2 links .*both", ONCE[:1]),
    ("naacl", "1 1 1 S\n1 1 1 P\n1 2 2 P\n1 2 2\n", ": 2 links .*both", ONCE[:1]),
    ("moses", "a b ||| x y ||| 0-0 0p0 1p1 1-1\n", ": 2 links .*both", ONCE[:1]),
]


@pytest.mark.parametrize(("kind", "text", "match", "rows"), REPAIRED)
def test_links_are_kept_once(tmp_path, kind, text, match, rows):
    path = saved(tmp_path / "file", text)
    assert rows_of(warned(path, kind, match=match)) == rows


def test_duplicates_and_conflicts_are_counted_separately(tmp_path):
    path = saved(tmp_path / "file", "0-0 0p0 0-0 0p0 1-1\n0-0\n")
    reading = Reading()
    with pytest.warns(DataWarning, match=f"^{re.escape(str(path))}: ") as caught:
        rows = [row for batch in scan(path, "pharaoh", reading) for row in rows_of(batch)]
    assert len(caught) == 2
    assert (reading.duplicates, reading.conflicts, reading.links) == (2, 1, 3)
    assert rows == [(0, [(0, 0, True), (1, 1, True)]), (1, [(0, 0, True)])]


FROM_1 = "\n".join(f"{k}-{k + 1} {k + 1}-{k}" for k in range(1, 11)) + "\n"


def test_pharaoh_that_seems_to_count_from_1_causes_a_warning(tmp_path):
    path = saved(tmp_path / "file", FROM_1)
    table = warned(path, match="position 0.*`base=1`")
    assert rows_of(table)[0] == (0, [(1, 2, True), (2, 1, True)])


@pytest.mark.parametrize(
    ("text", "base", "links"),
    [
        (FROM_1, 0, 20),
        (FROM_1, 1, 20),
        (FROM_1 + "0-7\n", None, 21),
        (FROM_1 + "7-0\n", None, 21),
        ("1-1 2-2\n", None, 2),
    ],
    ids=["base 0 is said", "base 1 is said", "source 0", "target 0", "too few links to tell"],
)
def test_other_pharaoh_causes_no_warning(tmp_path, text, base, links):
    # Every warning is an error here.
    table = read(saved(tmp_path / "file", text), base=base)
    assert sum(len(row) for _, row in rows_of(table)) == links


@pytest.mark.parametrize("text", ["1 1 1 0.5\n", "1 1 1 S 0.5\n", "1 2 2\n1 1 1 P 1e-5\n"])
def test_probabilities_are_kept(tmp_path, text):
    table = read(saved(tmp_path / "file", text), "naacl")
    assert len(rows_of(table)[0][1]) == len(text.splitlines())
    ends = [line.split()[-1] for line in sorted(text.splitlines())]
    expected = [float(end) if len(end) > 1 else None for end in ends]
    assert table["probabilities"].to_pylist() == [expected]


@pytest.mark.parametrize(
    ("kind", "text", "line", "found"),
    [
        (None, "0-0:abc\n", None, "0-0:abc"),
        (None, "0-0:.5\n1-1:1.5 2-2:x\n", 2, "2-2:x"),
        (None, "0-0:.5\n1-1:1.5\n", 2, "the probability 1.5 of a link"),
        (None, "0-0:-0.5\n", 1, "the probability -0.5 of a link"),
        ("numbered", "7\t0-0:.5\n\n9\t0-0:2\n", 3, "the probability 2 of a link"),
        (None, "1 1 1 .5\n\n1 2 2 1.5\n", 3, "the probability 1.5 of a link"),
        (None, "a b ||| c ||| 0-0:.5\na ||| b ||| 0-0:7\n", 2, "the probability 7 of a link"),
        (None, "a b\tc\t0-0:.5\na\tb\t0-0:7\n", 2, "the probability 7 of a link"),
        (None, "sid,i,j,p\n0,0,0,1.5\n", None, "the probability 1.5 of a link"),
    ],
)
def test_bad_probabilities_are_refused(tmp_path, kind, text, line, found):
    path = saved(tmp_path / "file", text)
    check(refusal(path, kind), path, line, found)


def test_probabilities_after_links_without_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("alignframe.read.lines.CHUNK", 4)
    path = saved(tmp_path / "file", "0-0\n1-1\n2-2:.5\n")
    check(refusal(path), path, 3, "a link with a probability, after others without")
    path = saved(tmp_path / "file", "0-0:.5\n1-1\n2-2:.25\n")
    assert read(path)["probabilities"].to_pylist() == [[0.5], [None], [0.25]]


def test_probabilities_beside_links_are_joined(tmp_path):
    links, other = saved(tmp_path / "a", "1-1 0-0\n\n2-2\n"), saved(tmp_path / "b", ".5 .25\n\n1\n")
    table = read(links, probabilities=other)
    assert table["probabilities"].to_pylist() == [[0.25, 0.5], [], [1.0]]
    for text, line, found in (
        (".5\n\n1\n", 1, "2 links, and 1 probability in"),
        (".5 .25\n\n", 3, "1 link, and 0 probabilities in"),
        (".5 .25\n\n1\n.5\n", 4, "0 links, and 1 probability in"),
    ):
        with pytest.raises(InputError, match=found) as error:
            read(links, probabilities=saved(tmp_path / "b", text))
        assert error.value.line == line
    with pytest.raises(InputError, match="`probabilities` for the format naacl"):
        read(saved(tmp_path / "c", "1 1 1\n"), probabilities=other)


# --- writing


@pytest.mark.parametrize("kind", ["giza", "moses", "tsv"])
def test_formats_with_words_need_the_words(tmp_path, kind):
    with pytest.raises(InputError, match=f"the format {kind} needs words"):
        write([batch_of([{}])], tmp_path / "out", kind)
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_format_is_not_written(tmp_path):
    with pytest.raises(InputError, match=r"^unknown format 'talp'; expected one of giza, jsonl,"):
        write([batch_of([{}])], tmp_path / "out", "talp")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["pharaoh", "naacl", "parquet"])
def test_folders_are_not_overwritten_and_missing_ones_not_created(tmp_path, kind):
    with pytest.raises(InputError, match="is a folder"):
        write([batch_of([{}])], tmp_path, kind)
    with pytest.raises(InputError, match="its folder does not exist"):
        write([batch_of([{}])], tmp_path / "missing" / "out", kind)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["pharaoh", "naacl", "parquet"])
def test_a_file_is_written_completely_or_not_at_all(tmp_path, kind):
    out = saved(tmp_path / "out", "as it was\n")

    def batches():
        yield batch_of([{(0, 0): True}])
        raise InputError("a fault in the second batch")

    with pytest.raises(InputError, match="a fault in the second batch"):
        write(batches(), out, kind)
    assert out.read_text() == "as it was\n"
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize(
    ("bad", "kind", "said"),
    [
        (-1, "pharaoh", "the link position -1; .*0 to 65,535"),
        (65_536, "pharaoh", "the link position 65536; .*0 to 65,535"),
        (None, "naacl", "a link with a missing position"),
    ],
)
def test_links_at_impossible_positions_are_not_written(tmp_path, bad, kind, said):
    links = pa.array([[{"i": 0, "j": 0}, {"i": bad, "j": 1}]])
    batch = pa.record_batch({"sid": pa.array([0]), "links": links})
    with pytest.raises(InputError, match=said):
        write([batch], tmp_path / "out", kind)


# --- through the command line

FILES = {
    "gold": "0-0 1-1\n2-2\n",
    "hyp": "0-0 1-1\n2-1\n",
    "bad": "0-0\n2-x\n",
    "bad.naacl": "1 1 1 S\n1 0 0 S\n",
    "empty": "",
    "src": "a b\nc\n",
    "tgt": "x y\nz\n",
    "out": "as it was\n",
}
MISTAKES = {
    "links score --gold gold --hyp hyp --alpha nan": "--alpha is nan",
    "links score --gold gold --hyp hyp --alpha 0.5,1.5": "--alpha is 1.5",
    "links score --gold gold --hyp hyp --alpha abc": "'abc' in --alpha is not a number",
    "links score --gold empty --hyp hyp": "empty: the file is emp",
    "links score --gold gold --hyp folder": "folder: is a folder",
    "links score --gold gold --hyp nope": "nope: no such file",
    "links score --gold gold --hyp bad": "bad:2: '2-x' is not a link",
    "links score --gold gold --hyp a=hyp --hyp a=gold": "the system 'a' is in both hyp and gold",
    "links score --gold gold --hyp =hyp": "the hypothesis '=hyp'",
    "links score --gold gold --hyp hyp --by colour": "unknown column in --by 'colour'",
    "links score --gold gold --hyp hyp --src src --tgt tgt": "hyp:2: sentence 1: the link 2-1",
    "links score --gold gold --hyp hyp --output new.doc": "new.doc: unknown suffix '.doc' for a",
    "convert bad new.parquet": "bad:2: '2-x' is not a link",
    "convert bad out": "bad:2: '2-x' is not a link",
    "convert bad.naacl new": "bad.naacl:2: two positions 0 in '1 0 0 S'",
    "convert hyp new.a3": "new.a3: the format giza needs words",
    "convert hyp new --to talp": "unknown --to 'talp'",
    "convert empty new": "empty: the file is empty",
}


@pytest.mark.parametrize(("arguments", "found"), MISTAKES.items(), ids=MISTAKES)
def test_an_error_ends_the_command_with_one_message(monkeypatch, tmp_path, arguments, found):
    (tmp_path / "folder").mkdir()
    for name, text in FILES.items():
        saved(tmp_path / name, text)
    before = contents(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    printed, said = run(*arguments.split(), code=2, folder=tmp_path)
    assert printed == ""
    (message,) = said.splitlines()
    assert message.startswith(f"error: {found}")
    assert contents(tmp_path) == before


def contents(folder):
    return {path.name: path.is_file() and path.read_bytes() for path in folder.iterdir()}


def test_a_fault_on_line_100_is_printed_unchanged(tmp_path):
    saved(tmp_path / "bad", "0-0\n" * 99 + "0-x\n")
    _, said = run("convert", "bad", "out", code=2, folder=tmp_path)
    assert said.startswith("error: bad:100: '0-x' is not a link")


def test_parquet_is_checked_against_the_text(tmp_path):
    write([batch_of([{(5, 0): True}])], tmp_path / "h.parquet", "parquet")
    saved(tmp_path / "s", "a b\n")
    text = read_bitext(tmp_path / "s", tmp_path / "s")
    with pytest.raises(InputError, match=r"sentence 0: the link 5-0 .* outside"):
        read(tmp_path / "h.parquet", bitext=text)
    with pytest.raises(InputError, match=r"sentence 0: the link 5-0 .* outside"):
        write(add_words([batch_of([{(5, 0): True}])], text), tmp_path / "o", "giza")
    with pytest.raises(InputError, match=r"sentence 3 .* is not in the text"):
        list(add_words([batch_of([{(0, 0): True}], [3])], text))


def test_damaged_archives_and_parquet(tmp_path):
    saved(tmp_path / "x.gz", b"\x1f\x8b\x08\x00rubbish")
    with pytest.raises(InputError, match=r"x\.gz: cannot be decompressed"):
        detect(tmp_path / "x.gz")
    path = tmp_path / "x.parquet"
    write([batch_of([{(k % 7, k % 5): True} for k in range(500)])], path, "parquet")
    data = bytearray(path.read_bytes())
    data[8:60] = b"\xff" * 52
    path.write_bytes(data)
    with pytest.raises(InputError, match="the Parquet file is damaged"):
        read(path)


def test_numbers_larger_than_any_corpus(tmp_path):
    far = batch_of([{(0, 0): True}], [10**12])
    for kind in ("pharaoh", "moses"):
        sides = far.append_column("src", pa.array([["a"]])).append_column("tgt", pa.array([["b"]]))
        with pytest.raises(InputError, match="before sentence 1000000000000"):
            write([sides], tmp_path / "out", kind)
    long = "9" * 5000
    for kind, text in {
        "pharaoh": f"0-{long}\n",
        "moses": f"a ||| b ||| 0-{long}\n",
        "naacl": f"1 1 {long} S\n",
        "giza": f"{PAIR}x y\nNULL ({{ }}) a ({{ {long} }})\n",
    }.items():
        with pytest.raises(InputError):
            read(saved(tmp_path / "long", text), kind)


@pytest.mark.parametrize("number", ["0", "9" * 30])
def test_giza_pairs_are_numbered_from_1(tmp_path, number):
    text = f"{PAIR}x y\nNULL ({{ 1 2 }}) a ({{ }}) b ({{ }})\n".replace("(1)", f"({number})")
    with pytest.raises(InputError, match="numbers from 1, each once"):
        read(saved(tmp_path / "file", text), "giza")


def test_words_that_a_format_cannot_hold(tmp_path):
    for word, kind in (("|||", "moses"), ("a b", "giza"), ("", "moses")):
        sides = batch_of([{(0, 0): True}]).append_column("src", pa.array([[word]]))
        sides = sides.append_column("tgt", pa.array([["b"]]))
        with pytest.raises(InputError, match="the word"):
            write([sides], tmp_path / "out", kind)
    assert not (tmp_path / "out").exists()
