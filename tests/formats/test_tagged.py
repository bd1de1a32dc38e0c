"""Tagged text: both formats, and errors with file and line."""

import unicodedata
from functools import partial

import pyarrow as pa
import pytest
from helpers.formats import check, refusal_of, saved
from hypothesis import given, settings
from hypothesis import strategies as st

from alignframe.core.schemas import TOKENS
from alignframe.errors import InputError
from alignframe.formats import read_tagged, read_tagged_bitext
from alignframe.read import lines

PIPE = "the|DET  old|ADJ\thouse|NOUN \n\n|||PUNCT a|b|X\n"
PIPE_ROWS = [
    (["the", "old", "house"], ["DET", "ADJ", "NOUN"]),
    ([], []),
    (["||", "a|b"], ["PUNCT", "X"]),
]


def line(number, form, upos="X", xpos="Y"):
    return f"{number}\t{form}\tlemma\t{upos}\t{xpos}\t_\t0\tdep\t_\t_\n"


CONLLU = (
    "# sent_id = 1\n# text = Don't go\n"
    + line("1-2", "Don't", "_", "_")
    + line(1, "Do", "AUX", "VB")
    + line(2, "n't", "PART", "RB")
    + line("2.1", "you", "PRON", "PRP")
    + line(3, "go", "VERB", "VB")
    + "\n"
    + line(1, "10 000", "NUM", "CD")
    + line(2, "_", "SYM", "NFP")
    + line(3, "#", "SYM", "NFP")
    + "\n\n# sent_id = 3\n\n# a note\n\n"
    + line(1, "Hm", "INTJ", "UH")
)
CONLLU_ROWS = [
    (["Do", "n't", "go"], ["AUX", "PART", "VERB"]),
    (["10\u00a0000", "_", "#"], ["NUM", "SYM", "SYM"]),
    ([], []),
    (["Hm"], ["INTJ"]),
]
SAMPLES = {"pipe": (PIPE, PIPE_ROWS), "conllu": (CONLLU, CONLLU_ROWS)}
PACKERS = {"gz": "gzip", "bz2": "bz2", "zst": "zstd", "lz4": "lz4"}
refusal = partial(refusal_of, read_tagged)


def rows_of(table):
    assert table["sid"].to_pylist() == list(range(table.num_rows))
    return list(zip(table["words"].to_pylist(), table["tags"].to_pylist(), strict=True))


# --- both formats


@pytest.mark.parametrize("kind", SAMPLES)
def test_tagged_text_is_recognised_and_read(tmp_path, kind):
    text, rows = SAMPLES[kind]
    path = saved(tmp_path / "file", text)
    table = read_tagged(path)
    table.validate(full=True)
    assert rows_of(table) == rows
    assert table.equals(read_tagged(path, kind))
    assert table.schema.names == ["sid", "words", "tags"]
    assert table.schema.types == [pa.int64(), TOKENS, TOKENS]


@pytest.mark.parametrize("chunk", [3, 50, 1 << 23])
@pytest.mark.parametrize("kind", SAMPLES)
def test_marks_line_ends_and_pieces_change_nothing(tmp_path, monkeypatch, kind, chunk):
    text, rows = SAMPLES[kind]
    text = text.replace("\n", "\r\n").removesuffix("\r\n")
    path = saved(tmp_path / "file", b"\xef\xbb\xbf" + text.encode())
    monkeypatch.setattr(lines, "CHUNK", chunk)
    assert rows_of(read_tagged(path)) == rows


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize("kind", SAMPLES)
def test_compressed_files_are_decompressed(tmp_path, kind, packer):
    text, rows = SAMPLES[kind]
    path = tmp_path / f"file.{packer}"
    with pa.CompressedOutputStream(str(path), PACKERS[packer]) as out:
        out.write(text.encode())
    assert rows_of(read_tagged(path)) == rows


@pytest.mark.parametrize("kind", SAMPLES)
def test_another_encoding_is_read_if_named(tmp_path, kind):
    text = {"pipe": "un|DET été|NOUN\n", "conllu": line(1, "un", "DET") + line(2, "été", "NOUN")}
    path = saved(tmp_path / "file", text[kind].encode("latin-1"))
    assert rows_of(read_tagged(path, encoding="latin-1")) == [(["un", "été"], ["DET", "NOUN"])]
    number = 1 if kind == "pipe" else 2
    check(refusal(path), path, number, "the byte 0xe9 is not utf-8 text")
    assert "`encoding` is 'latin-99', which is not known" in refusal(path, encoding="latin-99")


@pytest.mark.parametrize("name", ["a.conllu", "a.CONLL", "a.conllu.gz"])
def test_the_suffix_decides_the_format(tmp_path, name):
    text = "# a|X\n" * 20_000 + CONLLU  # the first line with a word is far down
    path = tmp_path / name
    packing = "gzip" if name.endswith("gz") else None
    with pa.output_stream(str(path), compression=packing) as out:
        out.write(text.encode())
    assert rows_of(read_tagged(path)) == CONLLU_ROWS


def test_other_tag_columns_can_be_read(tmp_path):
    path = saved(tmp_path / "file", CONLLU)
    tags = read_tagged(path, tags="xpos")["tags"].to_pylist()
    assert tags == [["VB", "RB", "VB"], ["CD", "NFP", "NFP"], [], ["UH"]]


def test_pipe_lines_may_look_like_comments(tmp_path):
    path = saved(tmp_path / "file", "#|SYM 1|NUM\n")
    assert rows_of(read_tagged(path)) == [(["#", "1"], ["SYM", "NUM"])]


def test_blank_lines_alone_are_empty_sentences(tmp_path):
    path = saved(tmp_path / "file", "\n \n\n")
    assert rows_of(read_tagged(path)) == [([], [])] * 3
    check(refusal(path, "conllu"), path, None, "the file has no sentences")


def test_no_break_spaces_are_part_of_words(tmp_path):
    path = saved(tmp_path / "file", "10\u00a0000|NUM\n")
    assert rows_of(read_tagged(path)) == [(["10\u00a0000"], ["NUM"])]


# --- errors

FAULTS = [
    ("pipe", "a|X b|Y\n\nc|X d e|Y\n", 3, ["'d' is not a word with a tag", "word|TAG"]),
    ("pipe", "a|X |Y\n", 1, ["'|Y' is not a word with a tag"]),
    ("pipe", "a|X\nb|\n", 2, ["'b|' is not a word with a tag"]),
    ("pipe", "a|X\n|\n", 2, ["'|' is not a word with a tag"]),
    ("pipe", "a|X\nb||\n", 2, ["'b||' is not a word with a tag"]),
    ("pipe", b"a|X\n\n\xe9|X\n", 3, ["the byte 0xe9 is not utf-8 text", "latin-1"]),
    ("conllu", line(1, "a") + "2\tb\t_\tX\n", 2, ["4 columns", "the 10 columns of CoNLL-U"]),
    ("conllu", line(1, "a").replace("\n", "\t_\n") + line(2, "b"), 1, ["11 columns"]),
    ("conllu", line(1, "a") + " \t\n", 2, ["2 columns"]),
    ("conllu", line(1, "a") + "\n" + line("x", "b"), 3, ["the ID 'x'", "1-2 or 1.1"]),
    ("conllu", line(1, "a") + line("1-", "b"), 2, ["the ID '1-'"]),
    ("conllu", line(1, "a") + line(2, " "), 2, ["an empty word"]),
    ("conllu", line(1, "a") + line(2, "b", "_"), 2, ["whose UPOS is '_'", "tags='xpos'"]),
    ("conllu", line(1, "a") + line(2, "b", ""), 2, ["whose UPOS is ''"]),
    ("conllu", line(1, "a").encode() + b"\n\xe9\n", 3, ["the byte 0xe9 is not utf-8 text"]),
]


@pytest.mark.parametrize("chunk", [4, 1 << 23])
@pytest.mark.parametrize(("kind", "text", "number", "found"), FAULTS)
def test_an_error_names_its_line(tmp_path, monkeypatch, kind, text, number, found, chunk):
    monkeypatch.setattr(lines, "CHUNK", chunk)
    path = saved(tmp_path / "bad", text)
    check(refusal(path, kind), path, number, *found)


def test_missing_xpos_is_named(tmp_path):
    path = saved(tmp_path / "file", "# c\n" + line(1, "a", "X", "_"))
    check(refusal(path, tags="xpos"), path, 2, "whose XPOS is '_'", "tags='upos'")


@pytest.mark.parametrize("kind", [None, *SAMPLES])
def test_files_that_are_not_text_are_refused(tmp_path, kind):
    path = saved(tmp_path / "empty", "")
    check(refusal(path, kind), path, None, "the file is empty")
    check(refusal(saved(path, b"\xef\xbb\xbf"), kind), path, None, "the file has no sentences")
    check(refusal(tmp_path / "missing", kind), tmp_path / "missing", None, "no such file")
    check(refusal(tmp_path, kind), tmp_path, None, "is a folder")
    assert rows_of(read_tagged(saved(path, "a|X\n".encode("utf-16")), "pipe")) == [(["a"], ["X"])]


def test_unknown_formats_and_tags_are_refused(tmp_path):
    path = saved(tmp_path / "file", "a b c\n")
    check(refusal(path), path, None, "not recognised", "'a b c'", "word|TAG")
    assert refusal(path, "conll").startswith("unknown format 'conll'; expected one of pipe, conllu")
    assert refusal(path, "pipe", tags="pos") == "the tags 'pos'; expected upos or xpos"


# --- two sides


def test_two_sides_are_read_together(tmp_path):
    src = saved(tmp_path / "src", PIPE)
    tgt = saved(tmp_path / "tgt", CONLLU.replace("# sent_id = 3\n\n", ""))
    table = read_tagged_bitext(src, tgt)
    assert table.schema.names == ["sid", "src", "tgt", "src_tags", "tgt_tags"]
    assert table.schema.types == [pa.int64(), *[TOKENS] * 4]
    assert table["sid"].to_pylist() == [0, 1, 2]
    for side, rows in (("src", PIPE_ROWS), ("tgt", CONLLU_ROWS[:2] + CONLLU_ROWS[3:])):
        columns = table[side].to_pylist(), table[f"{side}_tags"].to_pylist()
        assert list(zip(*columns, strict=True)) == rows


def test_both_sides_share_the_options(tmp_path):
    path = saved(tmp_path / "file", line(1, "été").encode("latin-1"))
    table = read_tagged_bitext(path, path, "conllu", tags="xpos", encoding="latin-1")
    assert table.to_pylist() == [
        {"sid": 0, "src": ["été"], "tgt": ["été"], "src_tags": ["Y"], "tgt_tags": ["Y"]}
    ]


def test_sides_of_different_length_are_refused(tmp_path):
    src, tgt = saved(tmp_path / "src", PIPE), saved(tmp_path / "tgt", CONLLU)
    with pytest.raises(InputError) as caught:
        read_tagged_bitext(src, tgt)
    found = (
        f"{src} has 3 sentences, {tgt} has 4; expected the same number of sentences on both sides"
    )
    assert str(caught.value) == found


# --- random text

WORDS = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=5)
TAGS = WORDS.map(lambda tag: tag.replace("|", ".")).filter(lambda tag: tag != "_")
SENTENCES = st.lists(st.lists(st.tuples(WORDS, TAGS), max_size=5), min_size=1, max_size=6)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tagged")


def in_pipe(sentences):
    return "".join(" ".join(map("|".join, sentence)) + "\n" for sentence in sentences)


def in_conllu(sentences):
    return "".join(
        "# sent_id = 1\n" + "".join(line(1, *pair) for pair in sentence) + "\n"
        for sentence in sentences
    )


@pytest.mark.parametrize("kind", SAMPLES)
@settings(max_examples=30)
@given(sentences=SENTENCES)
def test_tagged_text_survives_a_round_trip(folder, kind, sentences):
    path = saved(folder / kind, in_pipe(sentences) if kind == "pipe" else in_conllu(sentences))
    table = read_tagged(path, kind)
    assert rows_of(table) == [
        tuple([unicodedata.normalize("NFC", pair[k]) for pair in sentence] for k in (0, 1))
        for sentence in sentences
    ]
    if kind == "pipe" or any(sentences):  # comments alone do not determine the format
        assert read_tagged(path).equals(table)
