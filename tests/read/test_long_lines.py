"""Lines and texts beyond the limit are refused before they are held in memory."""

import gzip
import io
import re

import numpy as np
import pytest
from helpers.cli import run
from helpers.formats import refusal_of
from hypothesis import example, given
from hypothesis import strategies as st

from alignframe import formats
from alignframe.cli import _out_of_memory
from alignframe.errors import InputError
from alignframe.formats.external import read_external
from alignframe.formats.tmx import read_tmx
from alignframe.formats.word_list import read_word_list
from alignframe.mt.n_best import read_n_best
from alignframe.mt.weights import read_weights
from alignframe.read import lines
from alignframe.read.lines import TextFile, whole_lines
from alignframe.read.tables import read_table
from alignframe.sources.words import table_of
from alignframe.stats.subsets import read_sids
from alignframe.tesla.arpa import read_arpa
from alignframe.tesla.stream import _batches

LONG = "a " * 1000
SAYS = "a line longer than 1KB; if this is right, set the environment variable ALIGNFRAME_MAX_LINE"

READERS = {
    "tokens": (formats.read_tokens, ""),
    "sentences": (formats.read_sentences, ""),
    "pharaoh": (lambda path: formats.read(path, "pharaoh"), "0-0\n"),
    "naacl": (lambda path: formats.read(path, "naacl"), "1 1 1\n"),
    "moses": (lambda path: formats.read(path, "moses"), "a ||| a ||| 0-0\n"),
    "links.tsv": (lambda path: formats.read(path, "tsv"), "a\ta\t0-0\n"),
    "vecalign": (lambda path: formats.read_beads(path, "vecalign"), "[0]:[0]\n"),
    "ladder": (lambda path: formats.read_beads(path, "ladder"), "0 0\n"),
    "word_list": (lambda path: read_word_list(path, "muse"), "a b\n"),
    "sids": (read_sids, "1\n"),
    "arpa": (read_arpa, "\\data\\\n"),
    "n_best": (read_n_best, "0 ||| a ||| f= 1 ||| 1\n"),
    "scores.csv": (read_external, "system,score\n"),
    "scores.jsonl": (read_external, '{"system": "a", "score": 1}\n'),
    "weights": (read_weights, "[weights]\n"),
    "rows.csv": (lambda path: read_table(path, "rows"), "a,b\n"),
    "rows.jsonl": (lambda path: read_table(path, "rows"), '{"a": 1}\n'),
    "table.csv": (lambda path: table_of(path, "a table"), "a\n"),
    "table.jsonl": (lambda path: table_of(path, "a table"), '{"a": 1}\n'),
}


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setenv("ALIGNFRAME_MAX_LINE", "1KB")


@pytest.mark.parametrize("name", READERS)
def test_a_long_line_is_named(tmp_path, short, name):
    read, head = READERS[name]
    path = tmp_path / name
    path.write_text(head + LONG + "\n" + head)
    assert refusal_of(read, path).startswith(f"{path}:{1 + bool(head)}: {SAYS}")


def test_every_entrance_of_the_command_names_it(tmp_path, short):
    (tmp_path / "q.sql").write_text(f"select\n'{LONG}'")
    (tmp_path / "d.index").write_text("a\tA\tB\n")
    (tmp_path / "d.dict").write_text(f"a\n{LONG}\n")
    for side in ("en", "fr"):
        (tmp_path / side).write_text("a\n")
    induce = ["lexicon", "induce", "en", "fr", "--filter", "mrbd:d.index"]
    for words, place in ((["sql", "--file", "q.sql"], "q.sql:2"), (induce, "d.dict:2")):
        assert f"{place}: {SAYS}" in " ".join(run(*words, folder=tmp_path, code=2)[1].split())


def test_standard_input_is_limited_too(short):
    batches = _batches(io.BytesIO(b"a\nb\n" + LONG.encode()))
    assert next(batches) == [b"a", b"b"]
    assert refusal_of(next, batches).startswith(f"line 3: {SAYS}")


def test_little_of_a_packed_line_is_unpacked(tmp_path, monkeypatch):
    path = tmp_path / "bomb"
    path.write_bytes(gzip.compress(b"a\n" + bytes([97]) * (1 << 26), 1))
    read, sizes = lines.read_piece, []

    def counted(*given):
        piece = read(*given)
        sizes.append(len(piece))
        return piece

    monkeypatch.setattr(lines, "read_piece", counted)
    assert f"{path}:2: a line longer than 16MB" in refusal_of(formats.read_sentences, path)
    assert sum(sizes) < 1 << 25


@given(
    st.lists(st.sampled_from([b"", b"a", b"bb", b"ccccc", b"dddddd", b" "]), max_size=12),
    st.lists(st.integers(1, 5), min_size=1, max_size=40),
)
@example([b"a", b"", b"", b"", b" "], [1])
def test_chunks_are_the_text_unless_a_line_is_too_long(texts, sizes):
    data = b"\n".join(texts)
    stream = io.BytesIO(data)
    pieces = iter([stream.read(size) for size in [*sizes, *[5] * len(data)]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "max_line", lambda: 5)
        found, first = [], None
        try:
            for chunk, line in whole_lines(filter(None, pieces)):
                assert line == data[: sum(map(len, found))].count(b"\n") + 1
                found.append(chunk)
        except InputError as error:
            first = error.line
    long = next((number for number, text in enumerate(texts, 1) if len(text) > 5), None)
    if long is None and first is None:
        assert b"".join(found) == data
    elif first is not None and first != long:  # blank lines in a row, from this line or its end on
        rest = data.split(b"\n", first - 1)[-1]
        assert re.match(rb"[^\n]*\n?\s", rest)
    assert first is not None or long is None


def test_blank_lines_count_as_one(tmp_path, short):
    path = tmp_path / "text"
    path.write_text("a\n" + "\n" * 900 + "b\n")
    assert len(formats.read_sentences(path)) == 902
    path.write_text("a\n" + "\n" * 5000 + "b\n")
    said = refusal_of(formats.read_sentences, path)
    assert said.startswith(f"{path}:1000: a run of blank lines longer than 1KB")


@pytest.mark.parametrize("size", ["1", "a lot", "-1KB"])
def test_the_limit_must_be_a_size(tmp_path, monkeypatch, size):
    monkeypatch.setenv("ALIGNFRAME_MAX_LINE", size)
    (tmp_path / "text").write_text("a\n")
    found = refusal_of(formats.read_tokens, tmp_path / "text")
    assert found == f"ALIGNFRAME_MAX_LINE is {size!r}; expected a size such as 2GB"


def memory(*texts):
    units = "".join(
        f'<tu><tuv xml:lang="en"><seg>{text}</seg></tuv><tuv xml:lang="fr"><seg>b</seg></tuv></tu>'
        for text in texts
    )
    return f'<tmx version="1.4"><header/><body>{units}</body></tmx>'


def test_xml_may_be_one_line_but_not_one_text(tmp_path, short):
    path = tmp_path / "a.tmx"
    path.write_text(memory(*["the house"] * 50))
    assert len(read_tmx(path)[1]) == 50
    for text in (LONG, "<hi>a</hi>" * 2000):
        path.write_text("<?xml version='1.0'?>\n" + memory("a", text))
        assert f"{path}:2: a text longer than 1KB; if this" in refusal_of(read_tmx, path)
    path = tmp_path / "a.xml"
    path.write_text(f'<cesAlign>\n<linkGrp fromDoc="a"><link xtargets="{LONG};b"/>')
    assert f"{path}:2: a tag longer than 1KB" in refusal_of(formats.read_beads, path, "ces")


def test_a_nul_byte_says_more_than_a_long_line(tmp_path, short):
    path = tmp_path / "binary"
    path.write_bytes(bytes(5000))
    assert "a NUL byte" in refusal_of(formats.read_sentences, path)


def test_too_little_memory_is_said_with_the_file(tmp_path, monkeypatch):
    path = tmp_path / "text"
    path.write_text("a\n")
    (tmp_path / "other").write_text("a\n")

    def huge(*_):
        np.empty(1 << 60, np.uint8)

    monkeypatch.setattr(lines, "read_piece", huge)
    with pytest.raises(MemoryError) as error:
        list(TextFile(path).chunks())
    assert _out_of_memory(error.value).startswith(f"{path}: not enough memory (Unable to allocate")
    assert _out_of_memory(MemoryError()).startswith("not enough memory; use a smaller input")
    said = run("align", "text", "other", "-o", "out", folder=tmp_path, code=2)[1]
    assert said.startswith("error: text: not enough memory (Unable to allocate")
