"""Beads as other tools print them."""

import pytest
from helpers.cli import run
from helpers.formats import refusal_of, saved

from alignframe import beads
from alignframe import formats as f
from alignframe.core.schemas import SPANS

FILES = {
    "bertalign": "[([0], [0]), ([1, 2], [1]), ([], [2])]\n",
    "bertalign by line": "([0], [0])\n([1, 2], [1])\n([], [2])\n",
    "bleualign": "alignment: 0 - 0\nalignment: 1,2 - 1\nalignment:  - 2\n",
    "omitted": "0 <=> 0\n1,2 <=> 1\nomitted <=> 2\n",
    "opus": "en/1.xml.gz\tfr/1.xml.gz\t1\t1\nen/1.xml.gz\tfr/1.xml.gz\t2 3\t2\n"
    "en/1.xml.gz\tfr/1.xml.gz\t\t3\n",
}
EXPECTED = [(0, 1, 0, 1), (1, 3, 1, 2), (3, 3, 2, 3)]
INTERTEXT = "<linkGrp toDoc='b' fromDoc='a'><link type='1-1' xtargets='1;1'/></linkGrp>"
HUNALIGN = "The Author\tLa autoro\t0.27\nThe Book ~~~ Part one\tLa libro\t0\n\tFino\t-1\n"


def spans_of(table):
    return [tuple(row.values()) for row in table.select(SPANS).to_pylist()]


@pytest.mark.parametrize("name", FILES)
def test_beads_are_read(tmp_path, name):
    path = saved(tmp_path / "x.txt", FILES[name])
    assert spans_of(f.read_beads(path)) == EXPECTED
    assert beads.score(path, path).scores["strict_f"].to_list() == [1.0]
    run("convert", "x.txt", "y.beads", folder=tmp_path)
    assert (tmp_path / "y.beads").read_text() == "[0]:[0]\n[1, 2]:[1]\n[]:[2]\n"


def test_every_pair_of_files_of_opus_is_a_document(tmp_path):
    more = FILES["opus"].replace("1.xml.gz", "2.xml")
    table = f.read_beads(saved(tmp_path / "x.ids", FILES["opus"] + more))
    assert table["doc"].unique().to_pylist() == ["1", "2"]
    assert spans_of(table) == EXPECTED * 2


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("alignment: 0 - 0\nalignment: x - 1\n", 2),
        ("0 <=> 0\n1 => 1\n", 2),
        ("([0], [0])\n([1], [1]) and\n", 2),
        ("a.xml\tb.xml\t1\t1\na.xml\tb.xml\n", 2),
    ],
)
def test_an_error_names_its_line(tmp_path, text, line):
    path = saved(tmp_path / "x", text)
    assert refusal_of(f.read_beads, path).startswith(f"{path}:{line}: ")


@pytest.mark.filterwarnings("ignore:.*not probabilities")
def test_the_text_of_hunalign_is_read_by_its_mark_or_if_it_is_named(tmp_path):
    path = saved(tmp_path / "x.txt", HUNALIGN)
    assert spans_of(f.read_beads(path)) == spans_of(f.read_beads(path, "ladder")) == EXPECTED
    words = ["convert", "x.txt", "y.tmx", "--languages", "en,fr"]
    run(*words, folder=tmp_path)
    memory = (tmp_path / "y.tmx").read_text()
    assert "<seg>The Book Part one</seg>" in memory
    saved(path, HUNALIGN.replace(" ~~~", ""))
    assert "`format='ladder'`" in refusal_of(f.read_beads, path)
    _, said = run(*words, folder=tmp_path, code=2)
    assert "hunalign's text output" in said
    assert "give --from ladder" in said
    assert "--columns 1,2" in said
    run(*words, "--from", "ladder", folder=tmp_path)
    assert (tmp_path / "y.tmx").read_text() == memory
    run(*words, "--columns", "1,2", folder=tmp_path)
    assert (tmp_path / "y.tmx").read_text() == memory


def test_the_mark_of_hunalign_is_no_word(tmp_path):
    saved(tmp_path / "x.txt", HUNALIGN)
    run("convert", "x.txt", "y.csv", "--columns", "1,2", folder=tmp_path)
    lines = (tmp_path / "y.csv").read_text().splitlines()
    assert lines == ["src,tgt", "The Author,La autoro", "The Book Part one,La libro", '"",Fino']


def test_a_ladder_is_no_text_of_hunalign(tmp_path):
    path = saved(tmp_path / "x.ladder", "0\t0\t0.3\n1\t1\t0.5\n3\t2\t0.1\n")
    assert spans_of(f.read_beads(path)) == EXPECTED[:2]


@pytest.mark.parametrize("line", ["what is this", "0,1:0", "[0] - [0]"])
def test_formats_of_links_are_not_named_for_beads(tmp_path, line):
    saved(tmp_path / "x.txt", f"{line}\n")
    _, said = run("convert", "x.txt", "y.beads", folder=tmp_path, code=2)
    assert "vecalign, ladder" in said
    assert "naacl" not in said


@pytest.mark.parametrize("own", ["1", "s1"])
def test_the_first_line_of_opus_may_have_an_empty_side(tmp_path, own):
    text = f"a.xml\tb.xml\t{own}\t\na.xml\tb.xml\t2\t1\n"
    (tmp_path / "x.ids").write_text(text.replace("2", own.replace("1", "2")))
    assert spans_of(f.read_beads(tmp_path / "x.ids")) == [(0, 1, 0, 0), (1, 2, 0, 1)]
    run("convert", "x.ids", "y.beads", folder=tmp_path)
    assert (tmp_path / "y.beads").read_text() == "[0]:[]\n[1]:[0]\n"


@pytest.mark.parametrize("name", [*FILES, "ladder", "intertext"])
def test_a_number_of_many_digits_is_refused(tmp_path, name):
    files = FILES | {"ladder": "0\t0\n1\t1\n", "intertext": INTERTEXT}
    path = saved(tmp_path / "x", files[name].replace("1", "9" * 5000))
    assert f"the sentence number {'9' * 30}...; expected from" in refusal_of(f.read_beads, path)


@pytest.mark.parametrize(
    "line",
    [
        " " * 9000 + "x",
        "1" + " " * 9000 + "x",
        "1 <=>" + " " * 9000 + "x",
        "alignment: 1" + " " * 9000 + "x",
        "([0], [0])" + " [" * 9000 + "x",
        "en/1.xml.gz\tfr/1.xml.gz\t" + "9" * 3000 + "\t" + "1" * 3000 + "\t.x",
    ],
)
@pytest.mark.parametrize("before", ["", "0 <=> 0\n"])
def test_a_long_line_is_refused_at_once(tmp_path, line, before):
    """Ways to match such a line grow with the cube of its length, if blanks are matched twice."""
    path = saved(tmp_path / "x", f"{before}{line}\n")
    assert "bead" in refusal_of(f.read_beads, path)
