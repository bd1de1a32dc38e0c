"""Ids before a tab: they are no words, and sides with other ids are joined by them."""

import pytest
from helpers.cli import finished, run

import alignframe as af
from alignframe.beads.line_text import LineText
from alignframe.errors import DataWarning, InputError
from alignframe.formats import read_bitext, read_parallel, read_sentences

SRC = {"MAT 1:1": "a b", "MAT 1:2": "c", "MRK 1:3": "d e", "1 Samuel 1:5": "f"}
TGT = {"MAT 1:1": "A B", "MRK 1:3": "D E", "Song of Songs 1:4": "G", "1 Samuel 1:5": "F"}
BOTH = [("a b", "A B"), ("d e", "D E"), ("f", "F")]
LOST = r"joined by the ids of their lines: 3 lines; 1 only in .*src and 1 only in .*tgt left out"


@pytest.fixture
def paths(tmp_path):
    for name, side in (("src", SRC), ("tgt", TGT)):
        text = "".join(f"{own}\t{line}\n" for own, line in side.items())
        (tmp_path / name).write_text(text)
    return tmp_path / "src", tmp_path / "tgt"


def test_lines_are_joined_by_id(paths):
    with pytest.warns(DataWarning, match=LOST):
        text = read_bitext(*paths)
    assert [*zip(text["src"].to_pylist(), text["tgt"].to_pylist(), strict=True)] == [
        (src.split(), tgt.split()) for src, tgt in BOTH
    ]
    with pytest.warns(DataWarning, match=LOST):
        beads, *sides = read_parallel(*paths)
    assert [*zip(*(side.to_pylist() for side in sides), strict=True)] == BOTH
    assert beads["src_start"].to_pylist() == beads["tgt_start"].to_pylist() == [0, 1, 2]
    with pytest.warns(DataWarning, match=LOST):
        assert af.beads.filter(*paths, method="len", threshold=0.1).lines.height == 3
    with pytest.warns(DataWarning, match=LOST):
        lines = LineText(*paths)
    assert [[side.to_pylist() for side in batch] for batch in lines.batches()] == [
        [list(side) for side in zip(*BOTH, strict=True)]
    ]


def test_beads_of_joined_lines_count_those_of_the_files(paths, tmp_path):
    said = run("convert", "src", "tgt", "o.beads", folder=tmp_path)[1]
    assert "1 only in src and 1 only in tgt left out" in " ".join(said.split())
    assert (tmp_path / "o.beads").read_text() == "[0]:[0]\n[2]:[1]\n[3]:[3]\n"
    run("convert", "src", "tgt", "o.tmx", "--languages", "en,fr", folder=tmp_path)
    assert (tmp_path / "o.tmx").read_text().count("<tu>") == 3
    said = run("align", "src", "tgt", "-o", "o.talp", folder=tmp_path)[1]
    assert "3 sentences" in said
    assert len((tmp_path / "o.talp").read_text().splitlines()) == 3


def test_lines_in_another_order_are_joined(paths, tmp_path):
    lines = paths[0].read_text().splitlines(keepends=True)
    (tmp_path / "other").write_text("".join(lines[::-1]))
    text = read_bitext(paths[0], tmp_path / "other")  # nothing is lost, so nothing is warned of
    assert text["src"].equals(text["tgt"])
    assert text.num_rows == 4
    assert af.mt.score(tmp_path / "other", paths[0]).scores["chrf"].to_list() == [100]


def test_blank_lines_have_no_ids(paths):
    paths[0].write_text(paths[0].read_text().replace("\nMRK", "\n\n\nMRK") + "\n")
    with pytest.warns(DataWarning, match=LOST):
        _, *sides = read_parallel(*paths)
    assert [*zip(*(side.to_pylist() for side in sides), strict=True)] == BOTH


def test_translations_that_lack_lines_are_not_scored(paths):
    with pytest.raises(InputError, match=r"the id .MAT 1:2. is in .*src and not in .*tgt"):
        af.mt.score(paths[1], paths[0])


def test_an_id_twice_does_not_say_what_it_joins(paths):
    paths[1].write_text("".join(f"x{k}\ta\n" for k in range(1000)) + "x1\tb\n")
    paths[0].write_text("x1\ta\nx2\tb\n")
    with pytest.raises(InputError, match=r"tgt:1001: the id 'x1' is also that of line 2"):
        read_bitext(*paths)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("0\ta b\n1\tc\n2\t\n", True),
        ("40001001\ta\n40001002\tb\n", True),
        ("GEN 1 1\ta\nGEN 1 2\tb\n", True),
        ("MAT 1:1\ta\n\nMAT 1:2\tb\n\n", True),
        ("doc1 12\ta\ndoc1 13\tb\n", True),
        ("1 Chr 2:3-4\ta\nSong of Songs 3.1a\tb\n", True),
        ("The boat 1\tLe bateau 1\nA dog 2\tUn chien 2\n", False),
        ("Page 1\tSeite 1\nPage 2\tSeite 2\n", False),
        ("He came at 10 .\tx\nShe left at 11 .\ty\n", False),
    ],
)
def test_ids_are_no_words(text, ids, tmp_path, recwarn):
    (tmp_path / "t").write_text(text)
    found = read_sentences(tmp_path / "t").to_pylist()
    lines = text.splitlines()
    assert found == ([line.partition("\t")[2] for line in lines] if ids else lines)
    assert bool(recwarn.list) != ids
    done = finished("beads", "align", "t", "t", "--method", "len", folder=tmp_path)
    assert done[0] == 0


def test_ids_of_many_digits_are_no_error(tmp_path):
    long = "9" * 5000
    (tmp_path / "src").write_text(f"1\ta\n{long}\tb\n")
    (tmp_path / "tgt").write_text("A\nB\n")
    with pytest.raises(InputError, match="ids that are not in order"):
        read_parallel(tmp_path / "src", tmp_path / "tgt")
    (tmp_path / "tgt").write_text(f"{long}\tB\n1\tA\n")
    assert read_bitext(tmp_path / "src", tmp_path / "tgt")["tgt"].to_pylist() == [["A"], ["B"]]


def test_a_long_id_is_refused_at_once(tmp_path):
    """Its message is searched for secrets: each of its full stops could begin a name."""
    (tmp_path / "tgt").write_text("3\tB\n4\tC\n")
    (tmp_path / "src").write_text("1." * 100_000 + "\tA\n2\tB\n")
    with pytest.raises(InputError, match=r"the id '1[.]1[.]") as caught:
        read_parallel(tmp_path / "src", tmp_path / "tgt")
    assert len(str(caught.value)) < 1000
    InputError(f"'{'1.' * 100_000}' and '{'x-amz-' * 30_000}'")


MARKED = "a b .\n<range>\nc d .\n<P id=2>\ne f .\n .EOA\r\n"


@pytest.mark.parametrize("ids", [False, True])
def test_lines_that_mark_something_are_blank(tmp_path, ids):
    lines = MARKED.splitlines(keepends=True)
    text = "".join(f"MAT 1:{k}\t{line}" for k, line in enumerate(lines, 1)) if ids else MARKED
    for name in ("x.en", "x.fr"):
        (tmp_path / name).write_text(text)
    wanted = ["a b .", "", "c d .", "", "e f .", ""]
    assert read_sentences(tmp_path / "x.en").to_pylist() == wanted
    words = read_bitext(tmp_path / "x.en", tmp_path / "x.fr")["src"].to_pylist()
    assert words == [line.split() for line in wanted]
    run("beads", "align", "x.en", "x.fr", "-o", "x.beads", folder=tmp_path)
    spans = [line.split(":")[:2] for line in (tmp_path / "x.beads").read_text().splitlines()]
    assert [bead for bead in spans if "[]" not in bead] == [["[0]"] * 2, ["[2]"] * 2, ["[4]"] * 2]
    said = run("tesla", "words", "x.en", "--show", "words", folder=tmp_path)
    assert said.stdout.count("\n\n") == 3
    assert "x.en: marks 3 lines such as <range> as blank" in said.stderr


def test_marks_inside_a_line_are_words(tmp_path):
    (tmp_path / "x").write_text("a <p> b\n<p> c\n.EOAs\n<range> of values\n")
    wanted = ["a <p> b", "<p> c", ".EOAs", "<range> of values"]
    assert read_sentences(tmp_path / "x").to_pylist() == wanted
