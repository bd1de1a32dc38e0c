"""Word lists: every format, left-out entries, and errors with file and line."""

import gzip
import re
import unicodedata
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.formats import check, refusal_of, saved
from hypothesis import given, settings
from hypothesis import strategies as st

from alignframe.errors import DataWarning, InputError
from alignframe.formats import read_word_list
from alignframe.read import lines

PAIRS = [("house", "maison"), ("house", "foyer"), ("the", "le"), ("snow_white", "É@"), ("a|b", "x")]
TEXTS = {
    "tsv": "# from\tto\nhouse\tmaison\nhouse\tfoyer\tnoun\t1\n\nthe\tle\nsnow_white\tÉ@\na|b\tx\n",
    "muse": "house maison\nhouse  foyer\nthe\tle \nsnow_white É@\n\na|b x\n",
    "hunalign": "maison @ house\nfoyer @ house\nle  @ the\nÉ@ @ snow_white\n\nx @ a|b\n",
}
PACKERS = {"gz": "gzip", "bz2": "bz2", "zst": "zstd", "lz4": "lz4"}
refusal = partial(refusal_of, read_word_list)
DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def pairs_of(table):
    return list(zip(table["src"].to_pylist(), table["tgt"].to_pylist(), strict=True))


# --- text


@pytest.mark.parametrize("kind", TEXTS)
def test_a_list_is_recognised_and_read(tmp_path, kind):
    path = saved(tmp_path / "list", TEXTS[kind])
    table = read_word_list(path)
    assert pairs_of(table) == PAIRS
    assert table.equals(read_word_list(path, kind))
    assert [(field.name, field.type, field.nullable) for field in table.schema] == [
        ("src", pa.string(), False),
        ("tgt", pa.string(), False),
    ]


@pytest.mark.parametrize("kind", TEXTS)
def test_marks_line_ends_and_pieces_change_nothing(tmp_path, monkeypatch, kind):
    text = TEXTS[kind].replace("\n", "\r\n").removesuffix("\r\n")
    path = saved(tmp_path / "list", b"\xef\xbb\xbf" + text.encode())
    assert pairs_of(read_word_list(path)) == PAIRS
    monkeypatch.setattr(lines, "CHUNK", 5)
    assert pairs_of(read_word_list(path)) == PAIRS


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize("kind", TEXTS)
def test_compressed_lists_are_decompressed(tmp_path, kind, packer):
    path = tmp_path / f"list.txt.{packer}"
    with pa.CompressedOutputStream(str(path), PACKERS[packer]) as out:
        out.write(TEXTS[kind].encode())
    assert pairs_of(read_word_list(path)) == PAIRS


@pytest.mark.parametrize("kind", TEXTS)
def test_the_order_of_the_sides_can_be_set(tmp_path, kind):
    path = saved(tmp_path / "list", TEXTS[kind])
    own, other = ("tgt-src", "src-tgt")[:: 1 if kind == "hunalign" else -1]
    assert pairs_of(read_word_list(path, order=own)) == PAIRS
    assert pairs_of(read_word_list(path, order=other)) == [pair[::-1] for pair in PAIRS]


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("tsv", "ice cream\tglace\nwell\tbien sûr\nwell\x0bdone\tbien\n"),
        ("muse", "ice cream glace\na b c d\nwell bien sûr\n"),
        ("hunalign", "glace @ ice cream\nbien sûr @ well\nc d @ a b\n"),
    ],
)
def test_entries_of_several_words_are_left_out_and_counted(tmp_path, kind, more):
    path = saved(tmp_path / "list", TEXTS[kind] + more)
    found = f"^{re.escape(str(path))}: 3 entries of more than one word left out$"
    with pytest.warns(DataWarning, match=found):
        assert pairs_of(read_word_list(path)) == PAIRS


@pytest.mark.parametrize(
    ("name", "text", "pairs"),
    [
        *(("list", text * 2, PAIRS) for text in TEXTS.values()),  # each pair once
        ("en-fr.dict", TEXTS["hunalign"], PAIRS),  # not of dictd, without an index
        (
            "list",
            "ice\u00a0cream\tglace\nnumber\tn\u202fo\n",
            [("ice\u00a0cream", "glace"), ("number", "n\u202fo")],
        ),
        ("list", "@ @ @\narobase @ @\n", [("@", "@"), ("@", "arobase")]),
    ],
)
def test_pairs_of_lists(tmp_path, name, text, pairs):
    assert pairs_of(read_word_list(saved(tmp_path / name, text))) == pairs


def test_another_encoding_is_read_if_named(tmp_path):
    path = saved(tmp_path / "list", "summer été\n".encode("latin-1"))
    assert pairs_of(read_word_list(path, encoding="latin-1")) == [("summer", "été")]
    check(refusal(path), path, 1, "the byte 0xe9 is not utf-8 text")
    with pytest.raises(InputError, match="'latin-99'"):
        read_word_list(path, encoding="latin-99")


FAULTS = [
    ("tsv", "a\tb\n\nc d\n", 3, ["'c d' cannot be read", "a tab", "muse"]),
    ("tsv", "a\tb\nc\n", 2, ["'c' cannot be read"]),
    ("tsv", "a\tb\nc\t\n", 2, ["'c\\t' cannot be read"]),
    ("tsv", "# c\na\tb\n \tc\td\n", 3, ["' \\tc\\td' cannot be read"]),
    ("muse", "a b\nc\n", 2, ["'c' cannot be read", "expected source target"]),
    ("hunalign", "a @ b\nc\n", 2, ["'c' cannot be read", "expected target @ source"]),
    ("hunalign", "a @ b\nc d e\n", 2, ["'c d e' cannot be read"]),
    ("hunalign", "a @ b\n@ c\n", 2, ["'@ c' cannot be read"]),
    ("hunalign", "a @ b\nc @\n", 2, ["'c @' cannot be read"]),
    ("muse", b"a b\nc \xe9\nd e\n", 2, ["the byte 0xe9 is not utf-8 text", "latin-1"]),
    ("tsv", b"a\tb\n\nc\t\xff\n", 3, ["the byte 0xff is not utf-8 text"]),
]


@pytest.mark.parametrize(("kind", "text", "line", "found"), FAULTS)
def test_an_error_names_its_line(tmp_path, kind, text, line, found):
    path = saved(tmp_path / "bad", text)
    check(refusal(path), path, line, *found)
    check(refusal(path, kind), path, line, *found)


def test_a_long_line_is_shortened(tmp_path):
    path = saved(tmp_path / "bad", "x" * 10_000 + "\n")
    assert len(refusal(path, "muse")) < len(str(path)) + 200


REFUSED = [
    *((kind, "empty", "", ["the file is empty"]) for kind in (None, *TEXTS)),
    *(
        (kind, "blank", text, ["the file has no entries"])
        for kind in (None, *TEXTS)
        for text in ("\n \n", b"\xef\xbb\xbf")
    ),
    (None, "list", "# a\tb\n", ["the file has no entries"]),
    (
        "muse",
        "list",
        "le @ the\nla @ the\n",
        ["none of its 2 entries has a single word", "not muse"],
    ),
    ("dict", "tiny.txt", "", ["expected .index, .dict or .dict.dz"]),
    *((kind, "missing", None, ["no such file"]) for kind in (None, *TEXTS, "parquet")),
    *((kind, ".", None, ["is a folder"]) for kind in (None, *TEXTS, "parquet")),
]


@pytest.mark.parametrize(("kind", "name", "text", "found"), REFUSED)
def test_a_list_is_refused(tmp_path, kind, name, text, found):
    path = tmp_path / name if text is None else saved(tmp_path / name, text)
    check(refusal(path, kind), path, None, *found)


def test_unknown_formats_and_orders_are_refused(tmp_path):
    path = saved(tmp_path / "list", "one two three four\n")
    check(refusal(path), path, None, "not recognised", "'one two three four'", "target @ source")
    assert refusal(path, "csv").startswith("unknown format 'csv'; expected one of tsv, muse")
    assert refusal(path, "muse", order="tgt") == "the order 'tgt'; expected src-tgt or tgt-src"


def test_utf_16_is_read_by_its_mark_or_by_its_name(tmp_path):
    path = saved(tmp_path / "wide", "a b\n".encode("utf-16"))
    assert pairs_of(read_word_list(path, "muse")) == [("a", "b")]
    path = saved(tmp_path / "wide", ("a b\n" * 9).encode("utf-16-le"))
    check(refusal(path, "muse"), path, 1, "UTF-16LE without a byte order mark", "utf-16-le")
    assert pairs_of(read_word_list(path, "muse", encoding="utf-16-le")) == [("a", "b")]


# --- Parquet


@pytest.mark.parametrize("name", ["list.parquet", "list.pq", "list"])
@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_parquet_is_read(tmp_path, name, kind):
    src, tgt = zip(*PAIRS, ("ice cream", "glace"), strict=True)
    columns = {"n": range(6), "tgt": pa.array(tgt, kind), "src": pa.array(src, kind)}
    pq.write_table(pa.table(columns), tmp_path / name)
    with pytest.warns(DataWarning, match="1 entry of more than one word"):
        assert pairs_of(read_word_list(tmp_path / name)) == PAIRS


def test_errors_in_parquet_are_named(tmp_path):
    path = tmp_path / "list.parquet"
    pq.write_table(pa.table({"src": ["a", "b"], "target": ["c", "d"]}), path)
    assert "expected the column tgt" in refusal(path)
    pq.write_table(pa.table({"src": [1], "tgt": ["c"]}), path)
    check(refusal(path), path, None, "words of type int64", "strings")
    for word in (None, ""):
        pq.write_table(pa.table({"src": ["a", "b"], "tgt": ["c", word]}), path)
        check(refusal(path), path, None, "row 1 (from 0) lacks a word")
    check(refusal(path, order="tgt-src"), path, None, "an order given for Parquet")
    pq.write_table(pa.table({"src": pa.array([], pa.string()), "tgt": pa.array([], "str")}), path)
    check(refusal(path), path, None, "the file has no entries")
    check(refusal(saved(path, "a\tb\n")), path, None, "not a Parquet file")


# --- dictionaries of dictd


def base64(number):
    digits = DIGITS[number % 64]
    while number := number // 64:
        digits = DIGITS[number % 64] + digits
    return digits


def dictionary(folder, entries, packed=False):
    """Write entries, pairs of a key and a text, as an index and a compressed or plain text."""
    data, index = b"", []
    for key, text in entries:
        index.append(f"{key}\t{base64(len(data))}\t{base64(len(text.encode()))}\n")
        data += text.encode()
    saved(folder / "tiny.index", "".join(index))
    store = folder / ("tiny.dict.dz" if packed else "tiny.dict")
    return saved(store, gzip.compress(data) if packed else data)


ENTRIES = [
    ("00databaseshort", "00-database-short\nTiny dictionary\n"),
    ("00-database-info", "00-database-info\nnotes, credits\n"),
    ("grandpas chair", "Grandpa's chair /ɡran/ <n>\nchaise\n"),
    ("frog", "frog /frɔɡ/ <n, sg>\n1. grenouille <fem>, crapaud; rainette\n2. batracien\n"),
    ("tall", "TALL\n [arch.] grand(e) , haut [Am.]\n         Note: walls, trees\n"),
    ("xray", "X-ray /ɛks reɪ/\nradio\n   Synonyms: {scan}, {film}\n see: {light}\n"),
    ("lift", 'lift\n1.\n      "a lift"  - essor\n un trajet\n2. ascenseur/monte\n\n“up”, haut\n'),
    ("sea", "sea\n(large) mer {see: ocean}, /mɛʁ/, eau salée, <f>, ...\n"),
    ("art", "theory of relativity (ART)\nrelativité 1,5\n12.5\n"),
    ("bare", "bare"),
]
FROM_ENTRIES = [
    ("frog", "grenouille"),
    ("frog", "crapaud"),
    ("frog", "rainette"),
    ("frog", "batracien"),
    ("TALL", "grand"),
    ("TALL", "haut"),
    ("X-ray", "radio"),
    ("lift", "ascenseur/monte"),
    ("sea", "mer"),
    ("art", "12.5"),
]


@pytest.mark.parametrize("packed", [False, True])
def test_a_dictionary_is_read_from_either_of_its_files(tmp_path, packed):
    store = dictionary(tmp_path, ENTRIES, packed)
    for path in (store, tmp_path / "tiny.index"):
        for kind in (None, "dict"):
            # Grandpa's chair, eau salée, relativité 1,5
            with pytest.warns(DataWarning, match=": 3 entries"):
                table = read_word_list(path, kind)
            assert pairs_of(table) == FROM_ENTRIES
    with pytest.warns(DataWarning, match="3 entries"):
        swapped = read_word_list(store, order="tgt-src")
    assert pairs_of(swapped) == [pair[::-1] for pair in FROM_ENTRIES]


def test_long_texts_have_offsets_of_several_digits(tmp_path):
    entries = [(f"w{k}", f"w{k}\n{'(so) ' * 30}t{k}\n") for k in range(3000)]
    table = read_word_list(dictionary(tmp_path, entries))
    assert pairs_of(table) == [(f"w{k}", f"t{k}") for k in range(3000)]


def test_an_index_may_point_to_a_text_twice(tmp_path):
    path = dictionary(tmp_path, [("tea", "tea\nthé\n")])
    index = tmp_path / "tiny.index"
    index.write_text(index.read_text() + index.read_text().replace("tea", "chai"))
    assert pairs_of(read_word_list(path)) == [("tea", "thé"), ("chai", "thé")]


@pytest.mark.parametrize(
    ("rows", "line", "found"),
    [
        ("tea\tA\tI\ncup\tA\n", 2, ["'cup\\tA' cannot be read", "base 64"]),
        ("tea\n", 1, ["'tea' cannot be read"]),
        ("tea\tA\t\n", 1, ["cannot be read"]),
        ("tea\tA\tI\ncup\tA-\tI\n", 2, ["'cup\\tA-\\tI' cannot be read"]),
        ("tea\tA\tI\ncup\tA\tBA\n", 2, ["ends at the byte 64", "no more than the 9 bytes"]),
        ("tea\tA\tI\n\n", 2, ["cannot be read"]),
        (b"tea\tA\tI\nth\xe9\tA\tI\n", 2, ["the byte 0xe9 is not utf-8 text"]),
        ("", None, ["the file is empty"]),
    ],
)
def test_a_damaged_index_is_refused(tmp_path, rows, line, found):
    path = dictionary(tmp_path, [("tea", "tea\nthé\n")])
    index = saved(tmp_path / "tiny.index", rows)
    check(refusal(path), index, line, *found)


def test_an_entry_may_end_with_the_text(tmp_path):
    path = dictionary(tmp_path, [("tea", "tea\nthé")])
    assert pairs_of(read_word_list(path)) == [("tea", "thé")]
    path.write_bytes(path.read_bytes()[:-1])
    check(refusal(path), tmp_path / "tiny.index", 1, "ends at the byte 8", "the 7 bytes")


def test_an_incomplete_dictionary_is_refused(tmp_path):
    path = dictionary(tmp_path, ENTRIES)
    index = tmp_path / "tiny.index"
    rows = index.read_text()
    index.unlink()
    check(refusal(path, "dict"), path, None, "tiny.index is missing")
    check(refusal(path), path, None, "tiny.index is missing")
    check(refusal(index), index, None, "no such file")
    path.unlink()
    index.write_text(rows)
    check(refusal(index), index, None, "tiny.dict or ", "tiny.dict.dz is missing")
    check(refusal(path, "dict"), path, None, "no such file")


def test_damaged_texts_are_refused(tmp_path):
    path = dictionary(tmp_path, ENTRIES, packed=True)
    whole = path.read_bytes()
    for data in (whole[:-20], whole[:30] + b"\x00\x01\x02" + whole[33:]):
        path.write_bytes(data)
        check(refusal(path), path, None, "cannot be decompressed")
    path = dictionary(tmp_path, [("a", "a\nb\n"), ("tea", "tea\nth?\n")])
    path.write_bytes(path.read_bytes().replace(b"?", b"\xe9"))
    check(refusal(path), path, 4, "the byte 0xe9 is not utf-8 text")


def test_standard_input_is_no_dictionary():
    assert "expected .index, .dict or .dict.dz" in refusal("-", "dict")


# --- random lists

WORDS = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=5)
LISTS = st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=8)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("lists")


@pytest.mark.parametrize("kind", ["tsv", "muse", "hunalign"])
@settings(max_examples=30)
@given(given_pairs=LISTS)
def test_word_lists_survive_a_round_trip(folder, kind, given_pairs):
    if kind == "tsv":
        given_pairs = [pair for pair in given_pairs if pair[0][0] != "#"] or [("a", "b")]
    form = {"tsv": "{0}\t{1}\n", "muse": "{0} {1}\n", "hunalign": "{1} @ {0}\n"}[kind]
    path = saved(folder / kind, "".join(form.format(*pair) for pair in given_pairs))
    table = read_word_list(path, kind)
    composed = [tuple(unicodedata.normalize("NFC", one) for one in pair) for pair in given_pairs]
    assert pairs_of(table) == list(dict.fromkeys(composed))
    if kind == "tsv" or any(pair[kind == "hunalign"][0] != "#" for pair in given_pairs):
        assert read_word_list(path).equals(table)


LETTERS = st.text(st.characters(categories=["L"]), min_size=1, max_size=5)


@settings(max_examples=30)
@given(
    given_entries=st.lists(
        st.tuples(LETTERS, st.lists(LETTERS, min_size=1, max_size=3)), min_size=1, max_size=5
    ),
    packed=st.booleans(),
)
def test_dictionaries_survive_a_round_trip(folder, given_entries, packed):
    entries = [
        (word.lower(), f"{word} /x y/ <n>\n1. {', '.join(senses)}\n")
        for word, senses in given_entries
    ]
    path = dictionary(folder, entries, packed)
    expected = [(word, sense) for word, senses in given_entries for sense in senses]
    assert pairs_of(read_word_list(path)) == list(dict.fromkeys(expected))


# --- published data


def test_the_pairs_of_muse_in_hunaligns_format(corpora):
    """113,286 pairs, none of them twice or of several words (the packagers' count)."""
    table = read_word_list(corpora / "muse-dict/en-fr.dict")
    assert table.num_rows == 113_286
    assert pairs_of(table)[:4] == [("the", "le"), ("the", "les"), ("the", "la"), ("and", "et")]
    assert len(set(table["src"].to_pylist())) == 94_681
