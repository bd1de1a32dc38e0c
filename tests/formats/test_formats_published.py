"""Gold sets in their published layouts."""

import pytest
from helpers.formats import (
    ALIGNMENTS,
    batch_of,
    expected_rows,
    merged,
    read_rows,
    rows_of,
    saved,
    worded,
    words_of,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from alignframe.errors import DataWarning, InputError
from alignframe.formats import detect, read, read_bitext, write

STORIES = {
    "ChatBotte_MasterCat": ("ChatBotte", "MasterCat"),
    "LAuberge_TheInn": ("LAuberge", "TheInn"),
    "LaBarbeBleue_BlueBeard": ("LaBarbeBleue", "BlueBeard"),
    "LaDerniereClasse_TheLastLesson": ("LaDerniereClasse", "TheLastLesson"),
    "LaVision_TheVision": ("LaVision", "TheVision"),
}
random = settings(max_examples=12)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("published")


# --- links with labels

LABELLED = [("-", "", True), ("p", "", False), ("?", "", False)]
LABELLED += [("-", f"{mark}{label}", label in "Ss") for mark in ("", "-") for label in "SsPp"]


@random
@given(
    drawn=st.lists(
        st.lists(st.tuples(st.integers(0, 9), st.sampled_from(LABELLED), st.integers(0, 9))),
        min_size=1,
        max_size=5,
    )
)
def test_every_notation_of_labels(folder, drawn):
    lines = [" ".join(f"{i}{a}{j}{b}" for i, (a, b, _), j in line) for line in drawn]
    path = saved(folder / "labelled", "\n".join(lines) + "\n")
    rows, reading = read_rows(path, None if any(drawn) else "pharaoh", base=0)
    wanted = [merged([(i, j, sure) for i, (_, _, sure), j in line]) for line in drawn]
    assert rows == [(sid, links) for sid, (links, _, _) in enumerate(wanted)]
    assert reading.conflicts == sum(both for _, both, _ in wanted)


@pytest.mark.parametrize("word", ["0-0-X", "0-0SP", "0-0--S", "0p0S", "0-0-", "0-0S1"])
def test_other_labels_are_refused(tmp_path, word):
    with pytest.raises(InputError, match=r":1: .*not a link"):
        read(saved(tmp_path / "file", f"1-1 {word}\n"), "pharaoh")
    with pytest.raises(InputError, match=r":1: .*not a link"):
        read(saved(tmp_path / "file", f"a b ||| x y ||| 1-1 {word}\n"), "moses")


# --- lines with ids


@random
@given(alignment=ALIGNMENTS, base=st.sampled_from([0, 1]), data=st.data())
def test_numbered_lines_keep_everything(folder, alignment, base, data):
    size = len(alignment)
    sids = data.draw(st.lists(st.integers(0, 10**6), min_size=size, max_size=size, unique=True))
    path = folder / "a.numbered"
    write([batch_of(alignment, sids)], path, "numbered", base=base)
    assert detect(path) == "numbered"
    table = read(path, base=base, first_sentence=1)
    assert rows_of(table) == sorted(expected_rows(alignment, sids))


@pytest.mark.parametrize(
    ("text", "first", "sids"),
    [
        ("0\t0-0\n1\t0-0\n", None, [0, 1]),
        ("1\t0-0\n2\t0-0\n", None, [0, 1]),
        ("7\t0-0\n3\t0-0\n", None, [2, 6]),
        ("7\t0-0\n0\t0-0\n", None, [0, 7]),
        ("7\t0-0\n3\t0-0\n", 0, [3, 7]),
        ("7\n\n3\t0-0\n", 0, [3, 7]),
    ],
)
def test_numeric_ids_are_sentence_numbers(tmp_path, text, first, sids):
    path = saved(tmp_path / "file", text)
    assert read(path, "numbered", base=0, first_sentence=first)["sid"].to_pylist() == sids


def test_other_ids_are_kept_beside_the_numbers_of_lines(tmp_path):
    path = saved(tmp_path / "file", "story.2\t1-1\nstory.1\t0-0 0p1\n5\t\n")
    table = read(path, base=0)
    assert table["id"].to_pylist() == ["story.2", "story.1", "5"]
    assert rows_of(table) == [(0, [(1, 1, True)]), (1, [(0, 0, True), (0, 1, False)]), (2, [])]


@pytest.mark.parametrize("text", ["3\t0-0\n", "0\t0-0\n", "1\t0-0\n01\t1-1\n"])
def test_invalid_ids_are_refused(tmp_path, text):
    with pytest.raises(InputError, match=r"file: .*expected"):
        read(saved(tmp_path / "file", text), "numbered", first_sentence=4 if text[0] == "3" else 1)


def test_alibi_stories(corpora):
    """The counts published with them: 522 sentences, 8,452 Sure and 14,147 other links."""
    sentences = sure = possible = 0
    for name, (src, tgt) in STORIES.items():
        home = corpora / "alibi-enfr" / name
        text = read_bitext(home / f"{src}_sents.txt", home / f"{tgt}_sents.txt")
        gold = home / f"ali_w2w_{name}.txt"
        assert detect(gold) == "numbered"
        table = read(gold, bitext=text)  # every link is inside its sentence pair
        labels = [label for _, links in rows_of(table) for _, _, label in links]
        sentences += table.num_rows
        sure += sum(labels)
        possible += len(labels) - sum(labels)
        assert table.num_rows == text.num_rows
    assert (sentences, sure, possible) == (522, 8452, 14147)


# --- text with ids


@pytest.mark.parametrize("start", [0, 1])
def test_ids_before_text_are_not_words(tmp_path, start):
    words = ["a b", "", "1 c", "\u00a0"]
    lines = [f"{k}\t{text}\n" for k, text in enumerate(words, start)]
    path = saved(tmp_path / "text", "".join(lines))
    for encoding in ("utf-8", "utf8"):
        text = read_bitext(path, path, encoding)
        assert text["src"].to_pylist() == [["a", "b"], [], ["1", "c"], ["\u00a0"]]


def test_ids_need_not_count_lines(tmp_path):
    path = saved(tmp_path / "text", "1\ta\n3\tb\n")
    assert read_bitext(path, path)["src"].to_pylist() == [["a"], ["b"]]


def test_an_id_missing_far_down_is_refused(tmp_path):
    lines = [f"{k}\ta\n" for k in range(3000)]
    path = saved(tmp_path / "text", "".join([*lines, "b\n"]))
    with pytest.raises(InputError, match=r"text:3001: .*expected an id and a tab"):
        read_bitext(path, path)


# --- tab-separated columns


@random
@given(pairs=st.lists(worded(), min_size=1, max_size=6), base=st.sampled_from([0, 1]))
def test_tsv_keeps_words_links_and_labels(folder, pairs, base):
    sides, alignment = [pair[:2] for pair in pairs], [pair[2] for pair in pairs]
    path = folder / "a.tsv"
    write([batch_of(alignment, sides=sides)], path, "tsv", base=base)
    table = read(path, "tsv", base=base)
    assert rows_of(table) == expected_rows(alignment)
    assert words_of(table) == sides


@pytest.mark.parametrize("heading", ["", "source\ttarget\tsure\tpossible\n", "src\ttgt\tlinks\n"])
@pytest.mark.parametrize("row", ["a b\tx\t0-0\t1-0", "a b\tx\t0-0\t0-0 1-0", "a b\tx\t0-0 1p0"])
def test_tsv_may_have_a_header_and_repeat_sure_links(tmp_path, heading, row):
    path = saved(tmp_path / "gold.tsv", f"{heading}{row}\n")
    assert detect(path) == "tsv"
    assert rows_of(read(path)) == [(0, [(0, 0, True), (1, 0, False)])]


def test_tsv_leaves_lines_for_missing_sentences(tmp_path):
    with pytest.warns(DataWarning, match="2 sentences that the links skip, the first 0 "):
        write([batch_of([{(0, 0): True}], [2], [(["a"], ["x"])])], tmp_path / "out", "tsv")
    assert (tmp_path / "out").read_text() == "\t\t\t\n" * 2 + "a\tx\t0-0\t\n"


# --- NAACL links to position 0


@pytest.mark.parametrize("order", ["src-tgt", "tgt-src"])
def test_naacl_links_to_position_0_are_left_out_and_counted(tmp_path, order):
    path = saved(tmp_path / "file", "0 1 1 S\n1 0 3 S\n2 2 2 P\n2 4 0 P\n2 0 1\n")
    with pytest.warns(DataWarning, match="3 links with a position 0"):
        table = read(path, order=order)
    # Sentence 1 stays, as a gold sentence without links.
    assert rows_of(table) == [(0, [(0, 0, True)]), (1, []), (2, [(1, 1, False)])]


# --- published gold sets


@pytest.mark.parametrize(
    ("pair", "sentences", "sure", "possible"),
    [
        ("enfr", 447, 4038, 13400),
        ("roen", 248, 6198, 0),
        ("jaen", 582, 13562, 0),
        ("zhen", 450, 11238, 178),
    ],
)
def test_gold_of_four_language_pairs(corpora, pair, sentences, sure, possible):
    path = corpora / "gold-roen-jaen-zhen" / f"{pair}.gold"
    table = read(path, base=1)
    labels = [label for _, links in rows_of(table) for _, _, label in links]
    assert (table.num_rows, sum(labels), len(labels) - sum(labels)) == (sentences, sure, possible)
