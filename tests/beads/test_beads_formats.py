"""Files of beads and of sentences: round trips and errors."""

import contextlib
import gzip
import io
import re
import sys
import tempfile
import warnings
from pathlib import Path
from unittest import mock

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from helpers.cli import json_of
from helpers.formats import check
from helpers.formats import refusal_of as refusal
from helpers.sql import connected
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.beads_formats import repaired, sentences_of

from alignframe import formats as f
from alignframe.cli.commands import command
from alignframe.cli.parse import Command
from alignframe.core.schemas import BEADS, SPANS
from alignframe.errors import DataWarning, number_of
from alignframe.read import lines

QUICK = settings(max_examples=10)

# --- helpers


def table_of(rows, doc="text"):
    """Return beads given as (src_start, src_end, tgt_start, tgt_end[, score])."""
    rows = [(doc, *row, *([None] * (5 - len(row)))) for row in rows]
    columns = zip(*rows, strict=True) if rows else [[]] * 6
    arrays = (
        [pa.array(list(one), kind) for one, kind in zip(columns, BEADS.types, strict=True)]
        if not rows
        else [
            pa.array(list(one)).cast(kind) for one, kind in zip(columns, BEADS.types, strict=True)
        ]
    )
    return pa.Table.from_arrays(arrays, schema=BEADS)


def spans_of(table):
    return [tuple(row[name] for name in SPANS) for row in table.to_pylist()]


def rows_of(table):
    return [
        (*span, score)
        for span, score in zip(spans_of(table), table["score"].to_pylist(), strict=True)
    ]


def saved(folder, text, name="text.beads"):
    path = Path(folder) / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def refused(tmp_path, text, line, *found, name="text.beads", **options):
    """Check that the error names the line, and says what was found there."""
    path = saved(tmp_path, text, name)
    check(refusal(f.read_beads, path, **options), path, line, *found)


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@contextlib.contextmanager
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        yield


@st.composite
def chained(draw, scored=True):
    """Draw beads that follow each other from the beginning of both texts."""
    sizes = st.tuples(st.integers(0, 3), st.integers(0, 3)).filter(any)
    score = st.none() | st.floats(0, 1) if scored else st.none()
    rows, src, tgt = [], 0, 0
    for m, n in draw(st.lists(sizes, min_size=1, max_size=8)):
        rows.append((src, src + m, tgt, tgt + n, draw(score)))
        src, tgt = src + m, tgt + n
    return rows


@st.composite
def scattered(draw):
    """Draw pairs of sorted lists of sentences, with no sentence in two of them."""
    count = draw(st.integers(1, 5))
    beads = [([], []) for _ in range(count)]
    for side in (0, 1):
        for number, row in enumerate(draw(st.lists(st.integers(-1, count - 1), max_size=9))):
            if row >= 0:
                beads[row][side].append(number)
    return beads


LINE = st.text(
    st.characters(exclude_characters="\n\0", exclude_categories=["Cs"]), max_size=12
).filter(lambda text: not text.endswith("\r"))

# --- sentences


@QUICK
@given(st.text(st.sampled_from("a\r\n\ufeff\u2028\x85é\x01 "), min_size=1, max_size=30))
def test_sentences_are_split_at_line_feeds_only(text):
    with folder() as place, mock.patch.object(lines, "CHUNK", 7):
        path = saved(place, text, "text.txt")
        if text == "\ufeff":
            assert "the file is empty" in refusal(f.read_sentences, path)
            return
        if "\r" in text[:-1] and "\n" not in text:  # lines end with these
            text = text.replace("\r", "\n")
        with quiet():
            assert f.read_sentences(path).to_pylist() == sentences_of(text)


@QUICK
@given(st.lists(LINE, min_size=1))
def test_sentences_round_trip(texts):
    with folder() as place:
        path = place / "text.txt"
        f.write_sentences(texts, path)
        found = f.read_sentences(path)
        found.validate(full=True)
        assert found.type == pa.string()
        assert found.to_pylist() == texts


def test_compressed_sentences_and_other_encodings(tmp_path):
    packed = saved(tmp_path, gzip.compress("a\r\n\né\n".encode()), "a.txt.gz")
    assert f.read_sentences(packed).to_pylist() == ["a", "", "é"]
    latin = saved(tmp_path, "é\nö".encode("latin-1"), "b.txt")
    assert f.read_sentences(latin, "latin-1").to_pylist() == ["é", "ö"]
    message = refusal(f.read_sentences, latin)
    assert message.startswith(f"{latin}:1: the byte 0xe9 is not utf-8 text")
    assert "latin-1" in message


@pytest.mark.parametrize("order", ["le", "be"])
def test_utf16_without_a_byte_order_mark_is_refused(tmp_path, order):
    path = saved(tmp_path, "Elle est arrivée.\nBien sûr…\n".encode(f"utf-16-{order}"), "a.txt")
    message = refusal(f.read_sentences, path)
    assert message.startswith(f"{path}:1: the text is in UTF-16")
    assert f"iconv -f UTF-16{order.upper()} -t UTF-8" in message
    nuls = saved(tmp_path, b"a\0b" * 9, "b.txt")
    assert "b.txt:1: a NUL byte" in refusal(f.read_sentences, nuls)


def test_a_mark_that_belongs_to_a_sentence_is_kept(tmp_path):
    f.write_sentences(["\ufeffa", "\ufeff"], tmp_path / "text.txt")
    assert f.read_sentences(tmp_path / "text.txt").to_pylist() == ["\ufeffa", "\ufeff"]


def test_sentences_from_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", mock.Mock(buffer=io.BytesIO(b"a\n\nb")))
    assert f.read_sentences("-").to_pylist() == ["a", "", "b"]


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        (["a", "b\nc"], "sentence 1"),
        (["a\r"], "sentence 0"),
        (["a\0b"], "NUL"),
        (["a", None], "is None"),
    ],
)
def test_sentences_that_are_not_lines_are_refused(tmp_path, texts, found):
    assert found in refusal(f.write_sentences, pa.array(texts), tmp_path / "text.txt")
    assert not (tmp_path / "text.txt").exists()


# --- round trips


@QUICK
@given(chained())
def test_beads_survive_a_round_trip(rows):
    table = table_of(rows)
    with folder() as place:
        for name in ("vecalign", "ladder", "ces", "parquet"):
            path = place / "text.xml"
            f.write_beads(table, path, name)
            for given_format in (name, None):
                if given_format is None and name == "parquet":
                    continue  # with that suffix, text is expected
                found = f.read_beads(path, given_format)
                assert found.schema == BEADS
                assert rows_of(found) == sorted(rows, key=lambda row: (row[0], row[2])), name
                assert set(found["doc"].to_pylist()) == {
                    "text" if name == "parquet" else "document"
                }


@QUICK
@given(chained(scored=False), st.integers(0, 2), st.integers(0, 2))
def test_intertext_covers_both_texts(rows, more_src, more_tgt):
    with folder() as place:
        path = place / "text.xml"
        src, tgt = (max(row[k] for row in rows) for k in (1, 3))
        rows = [*rows, (src, src + 1, tgt, tgt + 1, None)]
        sizes = [src + 1, tgt + 1]
        texts = [
            ["a"] * (size + more) for size, more in zip(sizes, (more_src, more_tgt), strict=True)
        ]
        with quiet():
            written = f.write_beads(table_of(rows), path, "intertext", src=texts[0], tgt=texts[1])
        found = rows_of(f.read_beads(path))
        assert written == len(found)
        end = [(k, k + 1, sizes[1], sizes[1], None) for k in range(sizes[0], len(texts[0]))]
        end += [(len(texts[0]),) * 2 + (k, k + 1, None) for k in range(sizes[1], len(texts[1]))]
        assert found == [*rows, *end]


@QUICK
@given(chained(scored=False), st.data())
def test_a_ladder_fills_gaps(rows, data):
    kept = [row for row in rows if data.draw(st.booleans())]
    sizes = [max(row[k] for row in rows) for k in (1, 3)]
    with folder() as place:
        path = place / "text.ladder"
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            written = f.write_beads(
                table_of(kept), path, "ladder", src=["a"] * sizes[0], tgt=["a"] * sizes[1]
            )
        found = spans_of(f.read_beads(path))
    assert written == len(found)
    added = len(found) - len(kept)
    told = [str(one.message).split(": ")[1] for one in said]
    shown = [text.partition(",")[0] for text in told]
    assert shown == ([f"{number_of(added, 'bead')} added for sentences in none"] if added else [])
    two = [row[:4] for row in kept if row[0] < row[1] and row[2] < row[3]]
    assert [row for row in found if row[0] < row[1] and row[2] < row[3]] == two
    # Each bead begins where the previous one ends, and both texts are covered.
    ends = [(0, 0), *((row[1], row[3]) for row in found)]
    assert [(row[0], row[2]) for row in found] == ends[:-1]
    assert list(ends[-1]) == sizes
    for side in (0, 1):
        alone = [
            row[2 * side : 2 * side + 2] for row in kept if row[2 - 2 * side] == row[3 - 2 * side]
        ]
        assert {*alone} <= {row[2 * side : 2 * side + 2] for row in found}


@pytest.mark.filterwarnings("ignore:.*none of sentence 0")
@QUICK
@given(st.permutations(range(6)), st.lists(st.integers(0, 5), max_size=2))
def test_beads_may_cross(order, alone):
    rows = [(k, k + 1, order[k], order[k] + 1, 0.5) for k in range(6) if k not in alone]
    with folder() as place:
        for name in ("vecalign", "ces"):
            f.write_beads(table_of(rows), place / "text.x", name)
            assert rows_of(f.read_beads(place / "text.x")) == rows
        targets = [row[2] for row in rows]
        if targets != sorted(targets):
            for name in ("ladder", "intertext"):
                message = refusal(f.write_beads, table_of(rows), place / "text.y", name)
                assert "beads that cross" in message
                assert not (place / "text.y").exists()


@QUICK
@given(scattered())
def test_gaps_are_closed_as_by_the_reference(beads):
    text = "".join(f"{src}:{tgt}\n" for src, tgt in beads)
    expected = repaired(beads)
    with folder() as place, warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        path = saved(place, text)
        spans, skipping, joined = expected
        assert spans_of(f.read_beads(path)) == spans
    empty = sum(not (src or tgt) for src, tgt in beads)
    told = [str(one.message) for one in said]
    assert [one.split(": ", 1)[1].split()[0] for one in told if "interleave" in one] == (
        [str(joined)] if joined else []
    )
    assert [one.split(": ", 1)[1].split()[0] for one in told if "skip" in one] == (
        [str(skipping)] if skipping else []
    )
    assert [one.split(": ", 1)[1].split()[0] for one in told if "empty" in one] == (
        [str(empty)] if empty else []
    )


def test_interleaved_beads_are_merged(tmp_path):
    """Gold of real text has some, since translators move sentences."""
    path = saved(tmp_path, "[0, 2]:[0]:0.9\n[1]:[1]:0.5\n[3]:[2]\n")
    with pytest.warns(DataWarning, match="2 beads merged"):
        found = f.read_beads(path)
    assert spans_of(found) == [(0, 3, 0, 2), (3, 4, 2, 3)]
    assert found["score"].to_pylist() == [0.5, None]


def test_textberg(corpora):
    path = corpora / "textberg" / "dev.defr"
    with pytest.warns(DataWarning, match="2 beads .* 2 sentences"):
        found = f.read_beads(path)
    assert sum(line.strip() != "" for line in path.read_text().splitlines()) == 422
    spans = spans_of(found)
    assert len(spans) == 420  # two beads took the one-sided beads of the sentences they skipped
    assert (250, 251, 291, 295) in spans
    assert (450, 451, 531, 536) in spans
    covered = [sum(row[k + 1] - row[k] for row in spans) for k in (0, 2)]
    assert covered == [468, 552]  # two of 554 sentences are in no bead
    sides = [f.read_sentences(corpora / "textberg" / f"dev.{name}") for name in ("de", "fr")]
    assert [len(side) for side in sides] == [468, 554]
    assert spans[12] == (14, 14, 16, 17)


@pytest.mark.parametrize(
    "name",
    ["a.en", "a.en.beads", "a.en.vecalign.gz", "a.en.ladder", "a.en.alignment.XML", "a.en.txt"],
)
def test_documents_are_named_alike_in_every_format(tmp_path, name):
    text = b"[0]:[0]\n"
    path = saved(tmp_path, gzip.compress(text) if name.endswith("gz") else text, name)
    assert f.read_beads(path)["doc"].to_pylist() == ["document"]
    assert f.read_beads(path, doc="b")["doc"].to_pylist() == ["b"]


# --- lines with lists


def test_vecalign_with_costs_and_texts(tmp_path):
    text = "[0]:[0]:0.250000\n" + " " * 40 + " SRC:  a\n" + " " * 40 + " TGT:  b\n\n[1, 2]:[]:0.0\n"
    assert rows_of(f.read_beads(saved(tmp_path, text))) == [(0, 1, 0, 1, 0.25), (1, 3, 1, 1, 0.0)]
    with pytest.warns(DataWarning, match="2 scores not kept: 1 outside"):
        found = f.read_beads(saved(tmp_path, text.replace("0.25", "1.25")))
    assert rows_of(found) == [(0, 1, 0, 1, None), (1, 3, 1, 1, None)]


def test_empty_beads(tmp_path):
    with pytest.warns(DataWarning, match="the file is empty: no beads"):
        assert f.read_beads(saved(tmp_path, "")).num_rows == 0
    assert f.read_beads(saved(tmp_path, "\n\n")).num_rows == 0
    with pytest.warns(DataWarning, match="1 bead .*empty"):
        assert spans_of(f.read_beads(saved(tmp_path, "[]:[]\n[]:[3]\n"))) == [(0, 0, 3, 4)]
    f.write_beads(table_of([]), tmp_path / "none.beads", "vecalign")
    assert (tmp_path / "none.beads").read_bytes() == b""


BAD_LINES = [
    ("[0]:[0]\n[1]:[-1]\n", 2, ["[-1] is a negative sentence number"]),
    ("[0]:[0]\n\n[1]:[0]\n", 3, ["target sentence 0", "line 1"]),
    ("[0]:[0]\n[0, 1]:[1]\n", 2, ["source sentence 0", "line 1"]),
    ("[2]:[1, 1]\n", 1, ["target sentence 1", "twice"]),
    ("[0]:[0]\n[1]:[1\n", 2, ["not a bead", "[0, 1]:[0]"]),
    ("[0]:[0]\n[a]:[1]\n", 2, ["[a] is not a list"]),
    ("[0]:[0]\n[1_0]:[1]\n", 2, ["[1_0] is not a list"]),
    ("[0]:[0]\n[1,]:[1]\n", 2, ["[1,] is not a list"]),
    ("[0]:[0]:good\n", 1, ["'good' is not a number"]),
    ("[0]:[3000000000]\n", 1, ["3000000000"]),
    ("[0]:[0]\n[1]:[1\xe9]\n".encode("latin-1"), 2, ["0xe9 is not utf-8 text"]),
    ("0\t0\n2\t2\n1\t3\n", 3, ["the rung 1 3 after 2 2", "backwards"]),
    ("0\t0\n2\t2\n3\t1\n", 3, ["the rung 3 1 after 2 2"]),
    ("0\t0\n-1\t2\n", 2, ["'-1 2' is not a rung"]),
    ("0\t0\n1\n", 2, ["'1' is not a rung"]),
    ("0\t0\n1 1 0.5 2\n", 2, ["not a rung"]),
    ("0\t0\n1\t1\tgood\n", 2, ["'good' is not a number"]),
    ("0\t0\n3000000000\t1\n", 2, ["3000000000"]),
]


def test_unordered_sentences_of_a_bead_are_sorted(tmp_path):
    path = saved(tmp_path, "[3, 2]:[1]\n[1]:[0]\n", "text.beads")
    with pytest.warns(DataWarning, match="1 bead .*order"):
        table = f.read_beads(path)
    assert table.select(SPANS).to_pylist()[1] == dict(zip(SPANS, (2, 4, 1, 2), strict=True))


LOOKS = [
    ("0-0 1-1\n", "word alignments"),
    ("1 1 1 S\n", "word alignments"),
    ("A house.\nA tree.\n", "text, its first line 'A house.'"),
    ("Ein Haus\tA house\t0.5\n", "hunalign's text output"),
    ("<html><body/></html>", "XML with the root element <html>"),
]


def test_invalid_formats(tmp_path):
    path = saved(tmp_path, "[0]:[0]\n")
    assert "unknown format 'giza'" in refusal(f.read_beads, path, "giza")
    assert "unknown format 'giza'" in refusal(f.write_beads, table_of([]), path, "giza")
    assert "for ces and intertext" in refusal(f.read_beads, path, src=path)
    assert "no such file" in refusal(f.read_beads, tmp_path / "none.beads")


# --- ladders


def test_a_ladder_of_hunalign(tmp_path):
    text = "0\t0\t0.3\n1\t1\t-0.3\n1\t1\t0\n3\t2\t1.7\n3\t3\t0\n"
    with pytest.warns(DataWarning) as said:
        found = f.read_beads(saved(tmp_path, text))
    told = [str(one.message).split(": ", 1)[1] for one in said]
    assert told[0] == "1 bead with both sides empty ignored"
    assert told[1].startswith("3 scores not kept: 1 outside")
    assert rows_of(found) == [(0, 1, 0, 1, None), (1, 3, 1, 2, None), (3, 3, 2, 3, None)]
    assert f.detect_beads(saved(tmp_path, "2 3\n3 4\n")) == "ladder"
    assert f.detect_beads(saved(tmp_path, "0 0 1\n3 4\n")) == "ladder"


def test_a_ladder_beyond_the_texts(tmp_path):
    rows = table_of([(0, 2, 0, 1)])
    message = refusal(f.write_beads, rows, tmp_path / "x", "ladder", src=["a"], tgt=["b"])
    assert "the source sentence 1" in message


# --- XML

CES = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE cesAlign PUBLIC "-//CES//DTD XML cesAlign//EN" "">
<cesAlign version="1.0">
<linkGrp targType="s" fromDoc="en/a.xml.gz" toDoc="fr/a.xml.gz">
<link id="SL1" xtargets="{}" certainty="0.5"/>
<link id="SL2" xtargets="{}"/>
<link id="SL3" xtargets="{}"/>
</linkGrp>
</cesAlign>
"""


@pytest.mark.parametrize(
    ("links", "spans"),
    [
        (["s1 s2;s1", "s3;", "s5;s3"], [(0, 2, 0, 1), (2, 3, 1, 1), (4, 5, 2, 3)]),
        (["0;1", ";2", "1;3"], [(0, 1, 0, 1), (1, 1, 1, 2), (1, 2, 2, 3)]),
        (["1:1 1:2;2:1", "2:1;1:1", "3:1;2:2 2:3"], [(0, 2, 1, 2), (2, 3, 0, 1), (3, 4, 2, 4)]),
        (["s1.1;s1.1", ";s1.2", "s1.2;s1.3"], [(0, 1, 0, 1), (1, 1, 1, 2), (1, 2, 2, 3)]),
        (["p1s1;p1s1", "p1s2;p2s1", "p2s1;p3s1"], [(0, 1, 0, 1), (1, 2, 1, 2), (2, 3, 2, 3)]),
    ],
)
def test_ids_become_numbers(tmp_path, links, spans):
    found = f.read_beads(saved(tmp_path, CES.format(*links), "text.xml"))
    assert spans_of(found) == spans
    assert sorted(found["score"].to_pylist(), key=str) == [0.5, None, None]


def document(ids, text="a <w>b</w>\n c"):
    return "<doc>" + "".join(f'<p><s id="{one}">{text}</s></p>' for one in ids) + "</doc>"


def test_ids_in_their_documents(tmp_path):
    path = saved(tmp_path, CES.format("x;b", "y z;", "w;c d"), "text.xml")
    src = saved(tmp_path, document("vxyzw"), "src.xml")
    tgt = saved(tmp_path, document("abcd"), "tgt.xml")
    found = f.read_beads(path, src=src, tgt=tgt)
    assert spans_of(found) == [(1, 2, 1, 2), (2, 4, 2, 2), (4, 5, 2, 4)]
    short = saved(tmp_path, document("vxw"), "short.xml")
    message = refusal(f.read_beads, path, src=short, tgt=tgt)
    assert message.startswith(f"{path}:6: the sentence id 'y' is not in {short}")
    twice = saved(tmp_path, document("vxx"), "twice.xml")
    assert "the id 'x' of another" in refusal(f.read_beads, path, src=twice, tgt=tgt)
    none = saved(tmp_path, "<doc/>", "none.xml")
    assert "no sentence <s" in refusal(f.read_beads, path, src=none, tgt=tgt)


def test_several_documents(tmp_path):
    group = '<linkGrp fromDoc="en/{}.xml.gz" toDoc="x"><link xtargets="1;1"/></linkGrp>\n'
    text = "<cesAlign>\n" + group.format("a") + group.format("b") + "</cesAlign>"
    found = f.read_beads(saved(tmp_path, text, "text.xml"))
    assert found["doc"].to_pylist() == ["a", "b"]
    assert spans_of(found) == [(0, 1, 0, 1)] * 2
    assert "2 documents: 'a', 'b'" in refusal(f.write_beads, found, tmp_path / "x", "vecalign")
    again = text.replace("/b.", "/a.")
    refused(tmp_path, again, 3, "a second linkGrp from the document 'en/a'", name="text.xml")
    refused(tmp_path, text, None, "2 linkGrp", name="text.xml", src=tmp_path / "text.xml")


def test_intertext_names_the_target_first(tmp_path):
    """As in the examples of its editor, type and xtargets begin with toDoc."""
    text = (
        "<?xml version='1.0' encoding='utf-8'?>\n<linkGrp toDoc='a.no.xml' fromDoc='a.cs.xml'>\n"
        "<link type='1-1' xtargets='5:1;5:1' status='man'/>\n"
        "<link type='2-1' xtargets='6:1 6:2;5:2' status='man'/>\n"
        "<link type='0-1' xtargets=';6:1' status='man'/>\n</linkGrp>\n"
    )
    found = f.read_beads(saved(tmp_path, text, "text.xml"))
    assert spans_of(found) == [(0, 1, 0, 1), (1, 2, 1, 3), (2, 3, 3, 3)]
    with pytest.warns(DataWarning, match="1 score left out"):
        f.write_beads(
            table_of([(0, 2, 0, 1, 0.5)]),
            tmp_path / "out.xml",
            "intertext",
            src_name="it's",
            tgt_name='<&">',
        )
    written = (tmp_path / "out.xml").read_text()
    assert "toDoc='&lt;&amp;&quot;&gt;' fromDoc='it&apos;s'" in written
    assert "<link type='1-2' xtargets='1:1;1:1 1:2' status='auto'/>" in written


BAD_XML = [
    (CES.format("s1;s1", "s2;s2", "s3;s3").replace("</linkGrp>", ""), 9, ["well-formed"]),
    (CES.format("s1;s1", "s2", "s3;s3"), 6, ["xtargets='s2'"]),
    (CES.format("s1;s1", "a;s2", "s3;s3"), 6, ["'a' has no number in it", "XML files"]),
    (CES.format("s1;s1", "t1;s2", "s3;s3"), 6, ["'t1' has the same numbers as 's1'"]),
    (CES.format("s1;s1", "s1;s2", "s3;s3"), 6, ["source sentence 0", "line 5"]),
    ("<cesAlign>\n<linkGrp><link xtargets='1;&x;'/></linkGrp></cesAlign>", 2, ["undefined entity"]),
    (
        CES.format("s1;s1", "s4;s4", "s5.0;s5.0"),
        6,
        ["id 's4' after 's1', so sentences are missing"],
    ),
    (CES.format("1:1;1:1", "2:1;2:1", "2:3;2:2"), 7, ["'2:3' after '2:1'", "give the XML files"]),
    (CES.format("s2.1;1", "s1.2;2", "s3.1;3"), 6, ["'s1.2' is the first"]),
    (CES.format("1;1", "2;2", "3;3").replace("xtargets", "target"), 5, ["a link of TEI, with"]),
    (CES.format("s1;s1", "s99999999999;s2", "s3;s3"), 6, ["99999999999"]),
    ('<cesAlign>\n<link xtargets="1;1"/></cesAlign>', 2, ["outside any linkGrp"]),
    ("<cesAlign>\n<linkGrp><link/></linkGrp></cesAlign>", 2, ["without xtargets"]),
    ("<cesAlign/>", None, ["no linkGrp"]),
    ('<?xml version="1.0" encoding="klingon"?><cesAlign/>', None, ["klingon"]),
]


# --- translation memories

TMX = """<?xml version="1.0"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="en"/><body>
<tu><tuv xml:lang="en"><seg>{}</seg></tuv><tuv xml:lang="fr"><seg>Un &amp; deux</seg></tuv></tu>
</body></tmx>
"""


@QUICK
@given(st.lists(st.tuples(LINE, LINE, st.none() | st.floats(0, 1)), min_size=1, max_size=5))
def test_tmx_round_trip(rows):
    blank = [row for row in rows if not (row[0].strip() and row[1].strip())]
    rows = [row for row in rows if row not in blank] or [("a\r & <b>", '"é"', 0.5)]
    n = len(rows)
    table = table_of([(k, k + 1, k, k + 1, row[2]) for k, row in enumerate(rows)])
    texts = [[row[side] for row in rows] for side in (0, 1)]
    with folder() as place, quiet():
        path = place / "text.tmx"
        f.write_beads(table, path, "tmx", src=texts[0], tgt=texts[1], languages=("en", "pt-BR"))
        for languages in (None, ("en", "pt"), ("EN", "pt_br")):
            beads, src, tgt = f.read_tmx(path, languages)
            assert [fit(text) for text in texts[0]] == src.to_pylist()
            assert [fit(text) for text in texts[1]] == tgt.to_pylist()
            assert rows_of(beads) == rows_of(table)
        beads, src, tgt = f.read_tmx(path, ("pt", "en"))
        assert src.to_pylist() == [fit(text) for text in texts[1]]
        assert rows_of(f.read_beads(path)) == rows_of(table)
        assert beads.num_rows == n


def fit(text):
    """Return text as XML 1.0 represents it, with breaks and tabs as spaces."""
    known = "".join(
        one if one in "\t\n\r" or (" " <= one <= "\ufffd") or one > "\uffff" else "\ufffd"
        for one in text
    )
    runs = re.split("[ \t]*[\t\r\x85\u2028\u2029]\\s*", known)
    return known if len(runs) == 1 else " ".join(runs).strip()


def test_tmx_joins_sentences_and_leaves_one_sided_beads_out(tmp_path):
    table = table_of([(0, 2, 0, 1), (2, 3, 1, 1), (3, 4, 1, 3)])
    src, tgt = ["a", "b", "c", "\x0c"], ["x", "y", " "]
    with pytest.warns(DataWarning) as said:
        f.write_beads(table, tmp_path / "x.tmx", "tmx", src=src, tgt=tgt)
    told = [str(one.message).split(": ", 1)[1] for one in said]
    assert told == [
        "the text has 4 and 3 lines, 3 and 2 of them with words; the beads end with its sentences "
        "4 and 3 (from 1); delete blank lines from both texts if the beads do not count them",
        "1 bead with an empty side left out",
        "1 character that XML forbids replaced by U+FFFD",
    ]
    beads, src, tgt = f.read_tmx(tmp_path / "x.tmx")
    assert (src.to_pylist(), tgt.to_pylist()) == (["a b", "\ufffd"], ["x", "y"])
    assert spans_of(beads) == [(0, 1, 0, 1), (1, 2, 1, 2)]
    assert beads["doc"].to_pylist() == ["document"] * 2
    assert refusal(f.write_beads, table, tmp_path / "y.tmx", "tmx") == (
        "no sentences; expected the text of both sides, for tmx; give `src` and `tgt`"
    )


@pytest.mark.parametrize(
    ("segment", "text"),
    [
        ("plain", "plain"),
        ("a <hi>b <hi>c</hi></hi> d", "a b c d"),
        ('a<bpt i="1">&lt;b&gt;</bpt>b<ept i="1">&lt;/b&gt;</ept>c', "abc"),
        ("a <ph>&lt;img alt='<sub>b <hi>c</hi></sub>'&gt;</ph>d", "a b c d"),
        ("a<ph type='lb'/>b<ph>&lt;br/&gt;</ph>c<ph/>d<ph/>.", "a b c d."),
        ("a\t&#13;b &#x85;\tc&#13;", "a b c"),
        ("a<it>x<hi>y</hi></it><ut>z</ut>", "a"),
        ("a\n   b\n", "a b"),
        ("&#233;&lt;&#x1F600;<![CDATA[<b>]]>", "é<😀<b>"),
    ],
)
def test_tmx_markup(tmp_path, segment, text):
    _, src, tgt = f.read_tmx(saved(tmp_path, TMX.format(segment), "x.tmx"))
    assert (src.to_pylist(), tgt.to_pylist()) == ([text], ["Un & deux"])


def test_tmx_in_utf_16_and_compressed(tmp_path):
    text = TMX.format("é").replace('"1.0"', '"1.0" encoding="utf-16"')
    path = saved(tmp_path, gzip.compress(text.encode("utf-16")), "x.tmx.gz")
    assert f.detect_beads(path) == "tmx"
    assert f.read_tmx(path)[1].to_pylist() == ["é"]


def test_tmx_of_many_languages(tmp_path):
    units = [
        [("de", "1")],
        [("en", "a"), ("FR-ca", "b"), ("fr", "c"), ("de", "d")],
        [("en", "  "), ("fr", "e")],
        [("fr", "f"), ("en", "g")],
        [("en", ""), ("fr", " ")],
    ]
    body = "".join(
        "<tu>"
        + "".join(f'<tuv lang="{name}"><seg>{text}</seg></tuv>' for name, text in unit)
        + "</tu>"
        for unit in units
    )
    path = saved(tmp_path, f"<tmx><body>{body}</body></tmx>", "x.tmx")
    with pytest.warns(DataWarning) as said:
        beads, src, tgt = f.read_tmx(path, ("en", "fr"))
    told = [str(one.message).split(": ", 1)[1] for one in said]
    assert told == [
        "1 unit without both en and fr left out; its languages: de, en, FR-ca, fr",
        "1 unit with both texts blank ignored",
    ]
    assert (src.to_pylist(), tgt.to_pylist()) == (["a", "g"], ["c", "e", "f"])
    assert spans_of(beads) == [(0, 1, 0, 1), (1, 1, 1, 2), (1, 2, 2, 3)]
    with quiet():
        assert f.read_tmx(path)[2].to_pylist() == ["b", "e", "f"]  # en and FR-ca come first
        assert f.read_tmx(path, ("de", "en"))[2].to_pylist() == ["a"]
    assert "languages: de, en, FR-ca, fr" in refusal(f.read_tmx, path, ("en", "sv"))


def test_tmx_with_two_texts_of_a_language(tmp_path):
    text = TMX.format("a").replace("<tu>", '<tu><tuv xml:lang="fr"><seg>b</seg></tuv>')
    with pytest.warns(DataWarning, match="1 further text of a unit"):
        _, src, tgt = f.read_tmx(saved(tmp_path, text, "x.tmx"), ("en", "fr"))
    assert (src.to_pylist(), tgt.to_pylist()) == (["a"], ["b"])
    with quiet():
        _, src, tgt = f.read_tmx(tmp_path / "x.tmx", ("fr", "fr"))
    assert (src.to_pylist(), tgt.to_pylist()) == (["b"], ["Un & deux"])


BAD_TMX = [
    (TMX.format("<b>"), 4, ["well-formed"]),
    (TMX.format("&eacute;"), 4, ["&eacute; is not defined"]),
    (TMX.format("a").replace(' xml:lang="fr"', ""), 4, ["without a language"]),
    (TMX.format("a").replace('"fr"', '"en"'), None, ["no unit in two languages; the file's la"]),
    ("<tmx><body>\n</body></tmx>", None, ["no units"]),
    ("<tmx><tu>\n<tuv lang='a'>b</tuv></tu></tmx>", 2, ["a tuv without <seg>"]),
    ("<doc/>", 1, ["the root element <doc>"]),
    ("", 1, ["well-formed"]),
]


BAD = [
    *((*fault, {"name": "text.beads"}) for fault in BAD_LINES),
    *((*fault, {"name": "text.xml", "format": "ces"}) for fault in BAD_XML),
    *((*fault, {"name": "x.tmx", "format": "tmx"}) for fault in BAD_TMX),
    *(
        (text, None, ["not beads: it looks like", found, "vecalign, ladder"], {})
        for text, found in LOOKS
    ),
]


@pytest.mark.parametrize(("text", "line", "found", "options"), BAD)
def test_a_fault_is_named_with_its_line(tmp_path, text, line, found, options):
    refused(tmp_path, text, line, *found, **options)


def test_entities_are_not_fetched(tmp_path):
    secret = saved(tmp_path, "secret", "secret.txt")
    text = TMX.format("a&x;").replace(
        'SYSTEM "tmx14.dtd"', f'[<!ENTITY x SYSTEM "{secret.as_uri()}">]'
    )
    path = saved(tmp_path, text.replace("tmx SYSTEM", "tmx"), "x.tmx")
    assert f"{path}:4: an entity whose text is elsewhere, in {secret.as_uri()}" in refusal(
        f.read_tmx, path
    )


# --- Parquet


def test_parquet_of_several_documents_and_systems(tmp_path):
    frame = pl.DataFrame(
        {
            "system": ["b", "b", "a", "b"],
            "doc": ["y", "x", "y", "y"],
            "src_start": [3, 0, 0, 0],
            "src_end": [4, 1, 1, 1],
            "tgt_start": [1, 0, 0, 0],
            "tgt_end": [2, 1, 0, 1],
        }
    )
    frame.write_parquet(tmp_path / "x.parquet")
    found = f.read_beads(tmp_path / "x.parquet")
    assert found.schema.names == [*BEADS.names, "system"]
    keys = list(
        zip(*(found[name].to_pylist() for name in ("system", "doc", "src_start")), strict=True)
    )
    assert keys == [("b", "y", 0), ("b", "y", 3), ("b", "x", 0), ("a", "y", 0)]
    assert found["score"].null_count == 4
    f.write_beads(frame, tmp_path / "y.parquet", "parquet")
    assert f.read_beads(tmp_path / "y.parquet").equals(found)
    message = refusal(f.write_beads, frame.filter(doc="y"), tmp_path / "z", "vecalign")
    assert "2 systems: 'b', 'a'" in message
    plain = frame.head(1).drop("system", "doc")
    f.write_beads(plain, tmp_path / "plain.parquet", "parquet")
    pq.write_table(plain.to_arrow(), tmp_path / "unnamed.parquet")
    assert f.read_beads(tmp_path / "unnamed.parquet")["doc"].to_pylist() == ["document"]
    assert f.read_beads(tmp_path / "unnamed.parquet", doc="z")["doc"].to_pylist() == ["z"]


GOOD = {"src_start": [0, 1], "src_end": [1, 2], "tgt_start": [0, 1], "tgt_end": [1, 2]}


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"src_end": [1, 0]}, "row 2 has a span that runs backwards"),
        ({"tgt_start": [-1, 1]}, "row 1 has a span"),
        ({"tgt_start": [0, 0]}, "the target sentence 0 is in the rows 1 and 2"),
        ({"src_start": [0, None]}, "a column src_start"),
        ({"src_start": ["0", "1"]}, "a column src_start of type string"),
        ({"score": ["high", "low"]}, "a column score of type string"),
        ({"src_end": [1, 3_000_000_000]}, "row 2"),
    ],
)
def test_bad_tables(tmp_path, change, found):
    pq.write_table(pa.table({**GOOD, **change}), tmp_path / "x.parquet")
    message = refusal(f.read_beads, tmp_path / "x.parquet")
    assert message.startswith(f"{tmp_path / 'x.parquet'}: ")
    assert found in message


def test_tables_without_spans(tmp_path):
    pq.write_table(pa.table({"sid": [1]}), tmp_path / "x.parquet")
    assert "the column src_start" in refusal(f.read_beads, tmp_path / "x.parquet")
    with pytest.warns(DataWarning, match="1 bead with both sides empty"):
        f.write_beads(table_of([(0, 0, 0, 0), (0, 1, 0, 1)]), tmp_path / "y", "vecalign")
    with pytest.warns(DataWarning, match="1 score not kept"):
        f.write_beads(table_of([(0, 1, 0, 1, 2.0)]), tmp_path / "y", "vecalign")
    assert (tmp_path / "y").read_text() == "[0]:[0]\n"


# --- line-parallel text


@QUICK
@given(st.lists(st.tuples(LINE, LINE), min_size=1, max_size=6))
def test_parallel_beads(pairs):
    src, tgt = (list(side) for side in zip(*pairs, strict=True))
    expected = []
    for k, (one, other) in enumerate(pairs):
        # A blank side is empty where the sentence of the other side ends.
        a, c = (k if one.strip() else k + 1), (k if other.strip() else k + 1)
        if one.strip() or other.strip():
            expected.append((a, k + 1, c, k + 1))
    found = f.parallel_beads(src, tgt)
    assert sorted(spans_of(found)) == sorted(expected)
    with folder() as place, quiet():
        paths = [place / name for name in ("a", "b", "c", "d")]
        f.write_sentences(src, paths[0])
        f.write_sentences(tgt, paths[1])
        beads, *sides = f.read_parallel(*paths[:2])
        assert beads.equals(found)
        written = f.write_parallel(beads, *sides, *paths[2:])
        full = [(one, other) for one, other in pairs if one.strip() and other.strip()]
        assert written == len(full)
        if full:
            again = [f.read_sentences(path).to_pylist() for path in paths[2:]]
            assert list(zip(*again, strict=True)) == full


def test_identity_beads():
    found = f.identity_beads(3, "x")
    assert spans_of(found) == [(0, 1, 0, 1), (1, 2, 1, 2), (2, 3, 2, 3)]
    assert found.schema == BEADS
    assert found["doc"].to_pylist() == ["x"] * 3
    assert f.identity_beads(0).num_rows == 0
    assert "-1 sentences" in refusal(f.identity_beads, -1)


TEXTS = pa.schema([("doc", pa.string()), ("sid", pa.int64()), ("text", pa.string())])


@pytest.fixture(scope="module")
def connection():
    with connected() as con:
        yield con


@settings(max_examples=8)
@given(chained())
def test_the_text_of_beads_equals_sql(connection, rows):
    sides = [
        [f"{name}{k}." for k in range(max(row[end] for row in rows))]
        for name, end in (("s", 1), ("t", 3))
    ]
    found = f.bead_bitext(table_of(rows), *sides)
    full = [row for row in rows if row[0] < row[1] and row[2] < row[3]]
    assert found.select(["src", "tgt", "score", *SPANS, "type"]).to_pylist() == [
        {
            "src": " ".join(sides[0][a:b]),
            "tgt": " ".join(sides[1][c:d]),
            "score": score,
            "src_start": a,
            "src_end": b,
            "tgt_start": c,
            "tgt_end": d,
            "type": f"{b - a}-{d - c}",
        }
        for a, b, c, d, score in full
    ]
    for name, side in zip(("src_text", "tgt_text"), sides, strict=True):
        texts = {"doc": ["text"] * len(side), "sid": range(len(side)), "text": side}
        connection.register(name, pa.table(texts, schema=TEXTS))
    connection.register("given", table_of(rows))
    asked = connection.sql(
        "select * exclude system from bead_bitext('given', 'src_text', 'tgt_text')"
    )
    assert asked.fetchall() == [tuple(row.values()) for row in found.to_pylist()]


def test_parallel_text_joins_sentences(tmp_path):
    beads = table_of([(0, 2, 1, 2), (2, 3, 0, 1), (3, 4, 2, 2)])
    with pytest.warns(DataWarning, match="1 bead .*empty"):
        lines_written = f.write_parallel(
            beads, list("abcd"), ["x", "y"], tmp_path / "s", tmp_path / "t"
        )
    assert lines_written == 2
    assert (tmp_path / "s").read_text() == "a b\nc\n"
    assert (tmp_path / "t").read_text() == "y\nx\n"
    message = refusal(
        f.write_parallel, beads, list("abc"), ["x", "y"], tmp_path / "s", tmp_path / "t"
    )
    assert "the source sentence 3" in message
    assert "2 source lines and 1 target lines" in refusal(f.parallel_beads, ["a", "b"], ["c"])
    uneven = [saved(tmp_path, text, name) for text, name in (("a\nb", "a"), ("c", "c"))]
    assert "has 2 lines" in refusal(f.read_parallel, *uneven)


# --- the command


@pytest.fixture
def run():
    app = Command(command("convert"))

    def call(*words):
        done = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout

    return call


def test_convert_between_all_formats(run, tmp_path):
    src, tgt = saved(tmp_path, "a\nb\nc\n", "src.txt"), saved(tmp_path, "x\ny\n", "tgt.txt")
    source = saved(tmp_path, "[0]:[0]:0.5\n[1, 2]:[1]:0.75\n", "text.beads")
    rows = [(0, 1, 0, 1, 0.5), (1, 3, 1, 2, 0.75)]
    before = "vecalign"
    for name in ("x.parquet", "x.ladder", "x.xml", "x.beads"):
        out = tmp_path / name
        said = json_of(run(source, out, "--json"))
        assert "--json with the output '-'" in refusal(run, source, "-", "--json")
        assert (said["from"], said["beads"]) == (before, 2)
        assert rows_of(f.read_beads(out, said["to"])) == rows
        source, before = out, said["to"]
    memory = tmp_path / "x.tmx"
    run(source, memory, "--src", src, "--tgt", tgt, "--languages", "en,fr")
    sides = [tmp_path / "new.src", tmp_path / "new.tgt"]
    run(memory, tmp_path / "y.ladder", "--src", sides[0], "--tgt", sides[1], "--doc", "z")
    assert [side.read_text() for side in sides] == ["a\nb c\n", "x\ny\n"]
    assert (tmp_path / "y.ladder").read_text() == "0\t0\t0.5\n1\t1\t0.75\n2\t2\tnan\n"


@pytest.mark.parametrize(
    ("names", "languages"),
    [
        (("a.en", "a.fr"), ("en", "fr")),
        (("a.DEU.txt", "b.fr.txt"), ("deu", "fr")),
        (("a.txt", "b.txt"), None),
        (("a.en", "b.en"), None),
        (("a.en", "b.text"), None),
        (("a.en", "b"), None),
    ],
)
def test_languages_of_a_memory(run, tmp_path, names, languages):
    sides = [saved(tmp_path, "a\n", name) for name in names]
    beads, out = saved(tmp_path, "[0]:[0]\n", "x.beads"), tmp_path / "x.tmx"
    words = (beads, out, "--src", sides[0], "--tgt", sides[1])
    if languages is None:
        with pytest.warns(DataWarning, match="--languages"):
            run(*words)
    else:
        run(*words)
    first, second = languages or ("src", "tgt")
    assert f.read_tmx(out, (first, second))[0].num_rows == 1
    run(*words, "--languages", "de,it")
    assert f.read_tmx(out, ("de", "it"))[0].num_rows == 1


def test_beads_are_written_by_suffix(tmp_path):
    table = table_of([(0, 1, 0, 1), (1, 2, 1, 1)], "document")
    for suffix, name in ((".ladder", "ladder"), (".pq", "parquet"), (".xml", "ces"), ("", None)):
        path = tmp_path / f"x{suffix}"
        assert f.write_beads(table, path) == 2
        assert f.detect_beads(path) == (name or "vecalign")
        assert f.read_beads(path).equals(table)
    for suffix in (".csv", ".json", ".foo", ".foo.gz", ".de-en"):
        message = refusal(f.write_beads, table, tmp_path / f"x{suffix}")
        own = suffix.removesuffix(".gz")
        assert f"unknown suffix {own!r} for beads; expected" in message
        assert message.endswith("tmx, parquet (`format`)")
        f.write_beads(table, tmp_path / f"x{suffix}", "vecalign")


def test_convert_parallel_text_and_documents(run, tmp_path):
    src, tgt = saved(tmp_path, "a\n\nc\n", "src.txt"), saved(tmp_path, "x\ny\nz\n", "tgt.txt")
    assert run(src, tgt, "-") == "[0]:[0]\n[]:[1]\n[2]:[2]\n"
    links = saved(tmp_path, CES.format("x;b", "y;", "w;c d"), "links.xml")
    ids = [saved(tmp_path, document(one), f"{one}.xml") for one in ("vxyw", "abcd")]
    out = tmp_path / "x.tmx"
    with pytest.warns(DataWarning) as told:
        done = run(links, out, "--src", ids[0], "--tgt", ids[1], "--json")
    assert [str(one.message) for one in told] == [
        "the languages of the texts are unknown, and are written as src and tgt; name them, for "
        "example with --languages en,fr",
        f"{out}: 1 bead with an empty side left out",
    ]
    assert [json_of(done)[name] for name in ("beads", "written")] == [3, 2]
    assert f.read_tmx(out)[2].to_pylist() == ["a b c", "a b c a b c"]


NOT_CONVERTED = {
    "x.beads y.ladder --src s": "only one of --src and --tgt",
    "x.beads x.beads y.ladder --base 1": (
        "`base` for the beads of a text; expected `base` only for links or beads"
    ),
    "x.beads y.tmx --languages en": "two, comma-separated",
    "x.beads y.tmx": "the text of both sides, for tmx",
    "x.beads y.ladder --languages en,fr": "--languages with the format ladder",
    "x.beads y.csv": "y.csv: unknown suffix '.csv' for beads; expected",
    "x.beads y.JSONL": "unknown suffix '.jsonl'",
    "x.beads x.beads x.beads y.ladder": "3 inputs; expected one, or the two sides",
    "x.beads x.beads y.ladder --from ces": "--from ces with two inputs",
    "x.tmx x.en x.fr": "for its two texts: alignframe convert x.tmx x.beads --src x.en --tgt x.fr",
    "x.beads y.ladder --to-base 1": "`to_base` for beads; expected `to_base` only for li",
    "x.moses y.parquet --doc a": "`doc` for a phrase table; expected `doc` only for b",
    "x.moses y.parquet --to parquet": "--to parquet for a phrase table; expected th",
    "x.moses y.talp": "a phrase table for y.talp; expected .parquet, or Moses's text tab",
    "x.txt y.tmx": "x.txt: a text with both sides on a line, for y.tmx; expected Parquet",
    "x.txt y.parquet --base 1": "`base` for a text; expected `base` only for links",
    "x.talp y.parquet --languages en,fr": "`languages` for links; expected `languages` only",
    "x.talp y.naacl --system a": "--system with naacl; expected Parquet",
    "named.parquet y.parquet --system b": "unknown --system 'b'; expected a",
    "x.beads y.beads --to giza": "--to giza for beads",
}


@pytest.mark.parametrize(("words", "found"), NOT_CONVERTED.items(), ids=NOT_CONVERTED)
def test_convert_refuses(run, tmp_path, monkeypatch, words, found):
    monkeypatch.chdir(tmp_path)
    saved(tmp_path, "[0]:[0]\n", "x.beads")
    saved(tmp_path, "a ||| b ||| 1 1 1 1 ||| 0-0 ||| 1 1 1\n", "x.moses")
    saved(tmp_path, "a ||| b\n", "x.txt")
    f.write_links(f.read(saved(tmp_path, "0-0\n", "x.talp"), system="a"), "named.parquet")
    assert found in refusal(run, *words.split())
