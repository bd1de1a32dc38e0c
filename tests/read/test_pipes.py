"""Standard input and pipes, which can be read only once."""

import gzip
import io
import os
import sys
import tempfile
import threading
from pathlib import Path

import pyarrow as pa
import pytest
from helpers.cli import run
from helpers.formats import rows_of

from alignframe.beads import align
from alignframe.errors import InputError
from alignframe.formats import detect, detect_beads, read, read_beads, read_bitext, read_external
from alignframe.read.lines import TextFile
from alignframe.read.opening import peek

A3 = "# Sentence pair ({}) length\nx y\nNULL ({{ }}) a ({{ 1 }}) b ({{ 2 }})\n"
LINKS = {
    "pharaoh": "0-0 1p1\n\n2-0\n",
    "numbered": "2\t0-0\n1\t1-1\n",
    "naacl": "2 1 1 S\n1 2 2 P\n",
    "giza": A3.format(2) + A3.format(1),
    "moses": "a b ||| x y ||| 0-0\n",
    "tsv": "a b\tx y\t0-0\t1-1\n",
}
PACKERS = ["plain", "gzip", "bz2", "zstd", "lz4"]
pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")


@pytest.fixture
def pipe(tmp_path):
    """Return a function that creates a named pipe with data in it."""
    writers = []

    def named(data, name="pipe"):
        path = tmp_path / name
        os.mkfifo(path)
        writer = threading.Thread(target=path.write_bytes, args=[data], daemon=True)
        writer.start()
        writers.append(writer)
        return path

    yield named
    for writer in writers:
        writer.join(10)


@pytest.fixture
def stdin(monkeypatch):
    """Return a function that puts data on standard input."""

    def given(data):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(data))))

    return given


def packed(data, packer):
    if packer == "plain":
        return data
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "packed")
        with pa.CompressedOutputStream(str(path), packer) as out:
            out.write(data)
        return path.read_bytes()


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize("kind", LINKS)
def test_links_from_a_pipe_equal_those_of_a_file(tmp_path, pipe, kind, packer):
    (tmp_path / "file").write_text(LINKS[kind])
    wanted = rows_of(read(tmp_path / "file"))
    path = pipe(packed(LINKS[kind].encode(), packer))
    assert detect(path) == kind
    assert rows_of(read(path)) == wanted


@pytest.mark.parametrize("name", ["-", "/dev/stdin", "/dev/fd/0"])
@pytest.mark.parametrize("packer", PACKERS)
def test_standard_input_has_several_names(stdin, name, packer):
    stdin(packed(b"0-0\n1p0\n", packer))
    assert detect(name) == "pharaoh"
    assert rows_of(read(name)) == [(0, [(0, 0, True)]), (1, [(1, 0, False)])]
    with pytest.raises(InputError, match="already read"):
        read("-")


def test_standard_input_can_be_used_once(stdin):
    stdin(b"a b\nc\n")
    with pytest.raises(InputError, match="already read"):
        read_bitext("-", "/dev/stdin")


def test_the_detected_beginning_of_a_pipe_is_read_again(pipe):
    path = pipe(b"0123456789" * 100_000)
    assert peek(path, 4) == b"0123"
    assert peek(path, 12) == b"012345678901"
    assert TextFile(path).whole() == b"0123456789" * 100_000


def test_an_open_file_descriptor_is_a_file():
    """As given by ``<(...)`` in a shell."""
    end, other = os.pipe()
    try:
        os.write(other, b"0-0\n")
        os.close(other)
        assert rows_of(read(f"/dev/fd/{end}")) == [(0, [(0, 0, True)])]
    finally:
        os.close(end)


def test_texts_with_marks_and_other_encodings(pipe):
    src = pipe(b"<s snum=1> a </s>\n<s snum=2> b </s>\n", "src")
    tgt = pipe("é\nü\n".encode("latin-1"), "tgt")
    text = read_bitext(src, tgt, "latin-1")
    assert text.select(["src", "tgt"]).to_pylist() == [
        {"src": ["a"], "tgt": ["é"]},
        {"src": ["b"], "tgt": ["ü"]},
    ]


@pytest.mark.parametrize("text", ["A b, c.\nD e.\n", "sid,text\n0,A b\n1,D e.\n"])
def test_documents(pipe, text):
    found = align(pipe(text.encode()), ["A b, c.", "D e."], "len")
    assert found["src_end"].to_list() == [1, 2]


def test_beads_and_scores(pipe, bundled):
    beads = (bundled.parent / "mill" / "mill.beads").read_bytes()
    path = pipe(beads)
    assert detect_beads(path) == "vecalign"
    assert read_beads(path).equals(read_beads(bundled.parent / "mill" / "mill.beads"))
    for number, text in enumerate(
        ["system,score\na,1\n", "system\tscore\na\t1\n", '{"system":"a","score":1}\n']
    ):
        assert read_external(pipe(text.encode(), f"scores{number}"))["score"].to_pylist() == [1.0]


@pytest.mark.parametrize("options", [{}, {"format": "parquet"}])
def test_parquet_from_a_pipe_is_refused(stdin, options):
    stdin(b"PAR1" + bytes(100))
    with pytest.raises(InputError, match="Parquet from a pipe"):
        read("-", **options)


def test_errors_in_a_pipe_name_the_line(pipe, tmp_path):
    (tmp_path / "src").write_text("a\n")
    path = pipe(b"1 1 1\n1 5 5\n")
    text = read_bitext(tmp_path / "src", tmp_path / "src")
    with pytest.raises(InputError, match=r"pipe: sentence 0"):
        read(path, bitext=text)
    with pytest.raises(InputError, match=r"other:2: "):
        read(pipe(b"0-0\nx\n", "other"))


def test_the_command_reads_pipes(pipe, bundled):
    args = ("links", "score", "--json", "--gold")
    wanted = run(*args, bundled / "gold.talp", "--hyp", f"x={bundled / 'eager.talp'}")
    gold = pipe((bundled / "gold.talp").read_bytes(), "gold")
    hyp = pipe(gzip.compress((bundled / "eager.talp").read_bytes()), "hyp")
    assert run(*args, gold, "--hyp", f"x={hyp}") == wanted
