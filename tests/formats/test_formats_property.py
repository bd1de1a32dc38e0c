"""Random files and alignments against slow readers in plain Python."""

import gzip
from itertools import chain
from unittest.mock import patch

import pyarrow as pa
import pytest
from helpers.formats import (
    ALIGNMENTS,
    batch_of,
    expected_rows,
    naacl_reference,
    pharaoh_reference,
    read_rows,
    rows_of,
    worded,
    words_of,
    written,
)
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from alignframe.errors import InputError
from alignframe.formats import detect, read, write
from alignframe.formats.links import every_format
from alignframe.read import lines

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*lost their label", "ignore:.*that the links skip", "ignore:.*without links"
)

random = settings(max_examples=12)

BLANKS = st.sampled_from([" ", "  ", "\t", " \t "])
ENDS = st.sampled_from(["\n", "\r\n", " \n", "\t\r\n"])
POSITIONS = st.integers(1, 4) | st.integers(1, 65_535)
SIDS = st.sets(st.integers(0, 40), min_size=1, max_size=8).map(sorted)
CHUNKS = st.integers(1, 40)
PAIRS = st.lists(worded(), min_size=1, max_size=6)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("formats")


@st.composite
def pharaoh_texts(draw):
    """Draw Pharaoh text with duplicates, blank lines and all separators of links and lines."""
    text = draw(st.sampled_from(["", " "]))
    for _ in range(draw(st.integers(1, 6))):
        links = draw(st.lists(st.tuples(POSITIONS, st.sampled_from("-p?"), POSITIONS), max_size=8))
        text += draw(BLANKS).join(f"{i}{mark}{j}" for i, mark, j in links)
        text += draw(ENDS)
    return text.rstrip("\r\n") if text.strip() and draw(st.booleans()) else text


LINES = st.lists(
    st.tuples(
        st.integers(0, 5) | st.integers(0, 10**12),
        st.integers(1, 4) | st.integers(1, 65_536),
        st.integers(1, 4) | st.integers(1, 65_536),
        st.sampled_from(["", "S", "P", "s", "p"]),
        # Never the minimum itself; other tests cover it.
        st.sampled_from(["", "0.25", ".75", "1", "1e-3", "7.5E-1", "-2.5"]),
    ),
    min_size=1,
    max_size=12,
)


@st.composite
def naacl_texts(draw):
    """Draw the links of a NAACL file, and its text with all variants of a line."""
    listed = draw(LINES)
    if draw(st.booleans()):
        listed.sort(key=lambda line: line[0])
    text = ""
    for line in listed:
        width = draw(st.sampled_from([1, 4]))
        fields = [f"{number:0{width}}" for number in line[:3]] + [word for word in line[3:] if word]
        text += draw(BLANKS).join(fields) + draw(st.sampled_from(["\n", "\r\n", " \n", "\n\n"]))
    return listed, text.rstrip() if draw(st.booleans()) else text


@random
@given(alignment=ALIGNMENTS, base=st.sampled_from([0, 1]))
def test_pharaoh_keeps_everything(folder, alignment, base):
    path = folder / "a.pharaoh"
    write([batch_of(alignment)], path, "pharaoh", base=base)
    assert rows_of(read(path, "pharaoh", base=base)) == expected_rows(alignment)


WEIGHED = st.lists(
    st.dictionaries(
        st.tuples(st.integers(0, 3), st.integers(0, 3)),
        st.tuples(st.booleans(), st.none() | st.floats(0, 1) | st.sampled_from([0.35, 1e-20])),
        max_size=5,
    ),
    min_size=1,
    max_size=6,
)


@random
@given(
    drawn=WEIGHED,
    kind=st.sampled_from([name for name, form in every_format().items() if form.has_probabilities]),
    wide=st.booleans(),
    chunk=CHUNKS,
)
def test_probabilities_keep_their_digits(folder, drawn, kind, wide, chunk):
    shares = [[link[1] for _, link in sorted(row.items())] for row in drawn]
    labels = [{cell: sure for cell, (sure, _) in row.items()} for row in drawn]
    table = pa.table(batch_of(labels, sides=[(["a"] * 4, ["b"] * 4)] * len(drawn)))
    number = pa.float64() if wide else pa.float32()
    table = table.append_column("probabilities", pa.array(shares, pa.list_(number)))
    path = folder / "weighed"
    assume(any(share is not None for share in chain(*shares)))
    write(table, path, kind)
    with patch.object(lines, "CHUNK", max(chunk, 1 << 12)):
        found = read(path, kind)
    rows = zip(found["sid"].to_pylist(), found["links"].to_pylist(), strict=True)
    cells = {(sid, k["i"], k["j"]): k["sure"] for sid, row in rows for k in row}
    assert cells == {(s, *cell): sure for s, row in enumerate(labels) for cell, sure in row.items()}
    given = pa.array(chain(*shares), number).to_pylist()
    again = pa.array(chain(*found["probabilities"].to_pylist()), number).to_pylist()
    if wide or kind == "parquet":
        assert again == given
        return
    pairs = zip(again, given, strict=True)
    assert all(a == b if None in (a, b) else abs(a - b) < 0.500001e-4 for a, b in pairs)


@random
@given(alignment=ALIGNMENTS)
def test_naacl_keeps_all_but_sentences_without_links(folder, alignment):
    path = folder / "a.naacl"
    write([batch_of(alignment)], path, "naacl")
    rows, _ = read_rows(path, "naacl", first_sentence=1) if any(alignment) else ([], None)
    assert rows == [row for row in expected_rows(alignment) if row[1]]
    assert len(path.read_text().splitlines()) == sum(map(len, alignment))


@random
@given(alignment=ALIGNMENTS, data=st.data())
def test_parquet_keeps_everything(folder, alignment, data):
    sids = data.draw(
        st.lists(
            st.integers(0, 2**62), min_size=len(alignment), max_size=len(alignment), unique=True
        )
    )
    path = folder / "a.parquet"
    write([batch_of(alignment, sids)], path, "parquet", system="one")
    table = read(path)
    assert rows_of(table) == expected_rows(alignment, sids)
    assert table["system"].to_pylist() == ["one"] * len(alignment)


@random
@given(pairs=PAIRS, base=st.sampled_from([0, 1]))
def test_moses_keeps_words_links_and_labels(folder, pairs, base):
    sides, alignment = [pair[:2] for pair in pairs], [pair[2] for pair in pairs]
    path = folder / "a.moses"
    write([batch_of(alignment, sides=sides)], path, "moses", base=base)
    table = read(path, "moses", base=base)
    assert rows_of(table) == expected_rows(alignment)
    assert words_of(table) == sides


@random
@given(pairs=PAIRS, data=st.data())
def test_giza_keeps_words_links_and_numbers_but_no_labels(folder, pairs, data):
    sides, alignment = [pair[:2] for pair in pairs], [pair[2] for pair in pairs]
    sids = data.draw(
        st.lists(st.integers(0, 10**6), min_size=len(pairs), max_size=len(pairs), unique=True)
    )
    path = folder / "a.a3"
    write([batch_of(alignment, sids, sides)], path, "giza")
    table = read(path, "giza")
    wanted = expected_rows([dict.fromkeys(links, True) for links in alignment], sids)
    assert rows_of(table) == sorted(wanted)
    assert words_of(table) == [side for _, side in sorted(zip(sids, sides, strict=True))]


@random
@given(pairs=PAIRS, format=st.sampled_from(["pharaoh", "naacl", "giza"]))
def test_the_other_order_swaps_the_sides(folder, pairs, format):
    sides, alignment = [pair[:2] for pair in pairs], [pair[2] for pair in pairs]
    path = folder / "order"
    write([batch_of(alignment, sides=sides)], path, format)
    if not path.stat().st_size:  # NAACL text without links
        return
    swapped = [{(j, i): sure for (i, j), sure in links.items()} for links in alignment]
    if format == "giza":
        swapped = [dict.fromkeys(links, True) for links in swapped]
    rows, _ = read_rows(path, format, order="tgt-src")
    kept = [row for row in expected_rows(swapped) if row[1] or format != "naacl"]
    assert rows == kept
    if format == "giza":
        assert words_of(read(path, format, order="tgt-src")) == [side[::-1] for side in sides]


@random
@given(alignment=ALIGNMENTS, data=st.data())
def test_a_slice_is_written_as_its_rows(folder, alignment, data):
    start = data.draw(st.integers(0, len(alignment) - 1))
    rows = slice(start, data.draw(st.integers(start + 1, len(alignment))))
    sids = range(len(alignment))[rows]
    part = batch_of(alignment).slice(rows.start, rows.stop - rows.start)
    for name in ("pharaoh", "naacl"):
        one = written(folder / "slice", [part], name)
        assert one == written(folder / "rows", [batch_of(alignment[rows], sids)], name)
    write([part], folder / "slice.parquet", "parquet")
    assert rows_of(read(folder / "slice.parquet")) == expected_rows(alignment[rows], sids)


@random
@given(alignment=ALIGNMENTS, data=st.data())
def test_batches_are_written_one_after_another(folder, alignment, data):
    cut = data.draw(st.integers(0, len(alignment)))
    batch = batch_of(alignment)
    pieces = [piece for piece in (batch.slice(0, cut), batch.slice(cut)) if piece.num_rows]
    for name in ("pharaoh", "naacl"):
        whole = written(folder / "whole", [batch], name)
        assert written(folder / "pieces", pieces, name) == whole
    write(pieces, folder / "pieces.parquet", "parquet")
    assert rows_of(read(folder / "pieces.parquet")) == expected_rows(alignment)


@random
@given(alignment=ALIGNMENTS, data=st.data())
def test_pharaoh_fills_gaps_with_empty_lines(folder, alignment, data):
    size = len(alignment)
    sids = sorted(
        data.draw(st.lists(st.integers(0, 60), min_size=size, max_size=size, unique=True))
    )
    path = folder / "gaps.pharaoh"
    write([batch_of(alignment, sids)], path, "pharaoh")
    filled = [{} for _ in range(sids[-1] + 1)]
    for sid, links in zip(sids, alignment, strict=True):
        filled[sid] = links
    assert rows_of(read(path, "pharaoh", base=0)) == expected_rows(filled)


@random
@given(text=pharaoh_texts(), base=st.sampled_from([0, 1]))
def test_pharaoh_text_is_read_as_by_a_regular_expression(folder, text, base):
    path = folder / "text.pharaoh"
    path.write_bytes(text.encode())
    rows, reading = read_rows(path, "pharaoh", base=base)
    expected, conflicts, duplicates = pharaoh_reference(text, base)
    assert rows == expected
    assert (reading.conflicts, reading.duplicates) == (conflicts, duplicates)
    assert reading.links == sum(len(links) for _, links in expected)


@random
@given(text=pharaoh_texts())
def test_pharaoh_text_is_recognised(folder, text):
    path = folder / "text"
    path.write_bytes(text.encode())
    assert detect(path) == "pharaoh"


@random
@given(text=pharaoh_texts(), chunk=CHUNKS)
def test_pharaoh_is_the_same_in_small_pieces(folder, text, chunk):
    path = folder / "pieces.pharaoh"
    path.write_bytes(text.encode())
    with patch.object(lines, "CHUNK", chunk):
        rows, _ = read_rows(path, "pharaoh", base=1)
    assert rows == pharaoh_reference(text, 1)[0]


@random
@given(drawn=naacl_texts(), least=st.sampled_from([None, 0.5, 0.0, 0.002]))
def test_naacl_text_is_read_as_by_plain_python(folder, drawn, least):
    listed, text = drawn
    path = folder / "text.naacl"
    path.write_bytes(text.encode())
    assert detect(path) == "naacl"
    if least is not None and not any(line[4] for line in listed):
        with pytest.raises(InputError, match="no probabilities"):
            read_rows(path, "naacl", min_probability=least)
        return
    scores = [float(line[4]) for line in listed if line[4]]
    if not all(0 <= score <= 1 for score in scores):
        with pytest.raises(InputError, match="numbers from 0 to 1"):
            read_rows(path, "naacl", min_probability=least)
        return
    rows, reading = read_rows(path, "naacl", min_probability=least)
    expected, conflicts, duplicates = naacl_reference(listed, least)
    assert rows == expected
    assert (reading.conflicts, reading.duplicates) == (conflicts, duplicates)


@random
@given(drawn=naacl_texts(), chunk=CHUNKS)
def test_naacl_is_the_same_in_small_pieces(folder, drawn, chunk):
    listed, text = drawn
    path = folder / "pieces.naacl"
    path.write_bytes(text.encode())
    with patch.object(lines, "CHUNK", chunk):
        if "-2.5" in text:
            with pytest.raises(InputError, match=r"the probability -2\.5 of a link"):
                read_rows(path, "naacl")
            return
        rows, reading = read_rows(path, "naacl")
    expected, conflicts, duplicates = naacl_reference(listed)
    assert rows == expected
    assert (reading.conflicts, reading.duplicates) == (conflicts, duplicates)


@random
@given(pairs=PAIRS, chunk=CHUNKS, format=st.sampled_from(["moses", "giza"]))
def test_worded_files_are_the_same_in_small_pieces(folder, pairs, chunk, format):
    sides, alignment = [pair[:2] for pair in pairs], [pair[2] for pair in pairs]
    path = folder / "pieces"
    write([batch_of(alignment, sides=sides)], path, format)
    with patch.object(lines, "CHUNK", chunk):
        table = read(path, format)
    if format == "giza":
        alignment = [dict.fromkeys(links, True) for links in alignment]
    assert rows_of(table) == expected_rows(alignment)
    assert words_of(table) == sides


@random
@given(text=pharaoh_texts(), chunk=CHUNKS)
def test_compressed_files_are_read_like_plain_ones(folder, text, chunk):
    path = folder / "text.pharaoh.gz"
    path.write_bytes(gzip.compress(text.encode()))
    with patch.object(lines, "CHUNK", chunk):
        rows, _ = read_rows(path, "pharaoh", base=0)
    assert rows == pharaoh_reference(text, 0)[0]


@random
@given(sids=SIDS, chunk=CHUNKS)
def test_a_naacl_sentence_split_by_a_piece_stays_one_row(folder, sids, chunk):
    alignment = [{(k, k): k % 2 == 0 for k in range(sid % 7 + 1)} for sid in sids]
    path = folder / "cut.naacl"
    write([batch_of(alignment, sids)], path, "naacl")
    with patch.object(lines, "CHUNK", chunk):
        rows, _ = read_rows(path, "naacl", first_sentence=1)
    assert rows == expected_rows(alignment, sids)
