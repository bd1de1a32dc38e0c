"""Files that differ from their name: compressed, Parquet, UTF-16, or with NUL bytes."""

import bz2
import gzip
import io
import lzma
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.cli import run

from alignframe.beads import align
from alignframe.errors import InputError
from alignframe.formats import read, read_beads, read_tmx, read_tokens
from alignframe.formats.sentences import read_sentences
from alignframe.sources.pairs import sentence_pairs

TEXT = b"el perro\nla casa\n"
WORDS = [["el", "perro"], ["la", "casa"]]


def packed(kind):
    """Return the text compressed by pyarrow."""
    out = pa.BufferOutputStream()
    with pa.CompressedOutputStream(out, kind) as file:
        file.write(TEXT)
    return out.getvalue().to_pybytes()


def zipped():
    """Return an archive with the text."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("a.txt", TEXT)
    return out.getvalue()


@pytest.mark.parametrize(
    "data",
    [gzip.compress(TEXT), bz2.compress(TEXT, 5), packed("zstd"), packed("lz4")],
    ids=["gzip", "bzip2", "zstd", "lz4"],
)
def test_a_compressed_file_needs_no_suffix(tmp_path, data):
    path = tmp_path / "corpus.es"
    path.write_bytes(data)
    assert read_tokens(path) == WORDS
    assert read_sentences(path).to_pylist() == ["el perro", "la casa"]


def test_links_in_a_compressed_file_need_no_suffix(tmp_path):
    path = tmp_path / "a.pharaoh"
    path.write_bytes(gzip.compress(b"0-0 1-1\n"))
    assert len(read(path)["links"][0]) == 2


def arrow_file():
    out = io.BytesIO()
    with pa.ipc.new_file(out, pa.schema([("text", pa.string())])):
        pass
    return out.getvalue()


@pytest.mark.parametrize("name", ["corpus.es", "corpus.xz"])
@pytest.mark.parametrize(
    ("data", "found", "todo"),
    [
        (lzma.compress(TEXT), "compressed with xz", "xz -d"),
        (zipped(), "compressed with zip", "unzip"),
        (arrow_file(), r"Arrow \(Feather\)", "write it as Parquet"),
        (b"SQLite format 3\x00\x10\x00", "an SQLite database", "write its tables as .csv"),
        (bytes.fromhex("d0cf11e0a1b11ae10000"), "an old file of Word or Excel", "save it as text"),
        (b"%PDF-1.7\n%\xe2\xe3\n", "PDF", "extract its text"),
    ],
)
def test_unreadable_archives_are_named(tmp_path, name, data, found, todo):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InputError, match=rf"{name}: is {found}; .*{todo}"):
        read_tokens(path)


def test_parquet_is_not_read_as_text(tmp_path):
    path = tmp_path / "corpus.es"
    pq.write_table(pa.table({"text": ["a"]}), path)
    with pytest.raises(InputError, match=r"corpus\.es: is Parquet; expected text; .*\.parquet"):
        read_tokens(path)


@pytest.mark.parametrize("word", ["BZh", "BZh9 x", "PAR1", "PK", "7z", "(/"])
def test_a_text_may_begin_like_an_archive(tmp_path, word):
    path = tmp_path / "corpus.es"
    path.write_text(f"{word} b\n")
    assert read_tokens(path) == [[*word.split(), "b"]]


@pytest.mark.parametrize("reader", [read_tokens, read_sentences])
@pytest.mark.parametrize("chunk", [3, 1 << 23])
def test_a_nul_byte_is_refused(tmp_path, monkeypatch, reader, chunk):
    from alignframe.read import lines

    monkeypatch.setattr(lines, "CHUNK", chunk)
    path = tmp_path / "corpus.es"
    path.write_bytes(b"el perro\n\nla ca\0sa\n")
    with pytest.raises(InputError, match=r"corpus\.es:3: a NUL byte; .*tr -d"):
        reader(path)


def test_the_command_names_the_line_of_a_nul_byte(tmp_path):
    for name, text in (("a.es", b"el perro\nla casa\n"), ("a.en", b"the dog\nthe\0 house\n")):
        (tmp_path / name).write_bytes(text)
    _, error = run("align", "a.es", "a.en", "-o", "out.talp", folder=tmp_path, code=2)
    assert "a.en:2: a NUL byte" in error
    assert not (tmp_path / "out.talp").exists()


@pytest.mark.parametrize(("mark", "suffix"), [(",", "csv"), ("\t", "tsv")])
def test_an_empty_cell_of_text_is_an_empty_sentence(tmp_path, mark, suffix):
    rows = {"sid": ["sid", "0", "1", "2"], "text": ["text", "el perro", "", "la casa"]}
    lines = [mark.join(row) for row in zip(*rows.values(), strict=True)]
    (tmp_path / f"a.{suffix}").write_text("\n".join(lines) + "\n")
    path = tmp_path / f"a.{suffix}"
    (tmp_path / f"c.{suffix}").write_bytes(path.read_bytes())
    found = align(path, tmp_path / f"c.{suffix}", method="len")
    assert found.select("src_start", "tgt_start").rows() == [(0, 0), (1, 1), (1, 2), (2, 2)]
    (tmp_path / f"b.{suffix}").write_text(f"src{mark}tgt\na{mark}x\nb{mark}\n")
    words = sentence_pairs(tmp_path / f"b.{suffix}").table()
    assert words["tgt"].to_pylist() == [["x"], []]


@pytest.mark.parametrize("kind", ["gzip", "bz2", "zstd", "lz4"])
def test_suffixes_of_compression_in_capitals(tmp_path, kind):
    path = tmp_path / f"H.TALP.{kind.removesuffix('d').replace('gzip', 'gz').upper()}"
    path.write_bytes(packed(kind))
    assert read_tokens(path) == WORDS


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "UTF-16BE", "utf-32", "u16"])
@pytest.mark.parametrize("text", ["0-0 1-1\n", "[0]:[0]\n", "la maison é\n"])
def test_text_that_is_not_the_utf_16_of_its_name(tmp_path, encoding, text):
    path = tmp_path / "text"
    path.write_text(text, encoding="utf-8")
    for reader in (read, read_beads, read_tokens, read_sentences):
        with pytest.raises(
            InputError, match=f"text:1: the text is not {encoding}: it has no "
        ) as e:
            reader(path, encoding=encoding)
        assert "leave `encoding` out, as it is UTF-8" in str(e.value)


def test_utf_16_without_a_mark_whose_encoding_is_named(tmp_path):
    path = tmp_path / "text"
    path.write_bytes("[0]:[0]\n[1]:[1]\n".encode("utf-16-le"))
    both = ("beads", "score", "--gold", path, "--hyp", path)
    assert "1.0000" in run(*both, "--encoding", "utf-16-le").stdout
    run("convert", path, tmp_path / "a.ladder", "--encoding", "utf-16-le")
    with pytest.raises(InputError, match="in UTF-16LE without a byte order mark"):
        read_beads(path, encoding="utf-16")


@pytest.mark.parametrize(
    ("encoding", "what"),
    [("UTF-16", "that its bytes do not have"), ("utf16", "cannot be read"), ("nope", "be read")],
)
def test_xml_that_declares_another_encoding(tmp_path, encoding, what):
    path = tmp_path / "a.tmx"
    path.write_text(f'<?xml version="1.0" encoding="{encoding}"?>\n<tmx><body/></tmx>\n')
    for reader in (read_beads, read_sentences, read_tmx):
        with pytest.raises(InputError, match=f"a.tmx: the XML declares an encoding.*{what}"):
            reader(path)
