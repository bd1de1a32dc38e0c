"""The report of a sentence alignment: contents and selection of beads."""

import polars as pl
import pytest
from helpers.beads import parallel_text
from helpers.cli import run
from helpers.pages import sentences

from alignframe import formats as f
from alignframe.beads import align, score
from alignframe.beads.pairs_page import pairs_page
from alignframe.core.schemas import SPANS
from alignframe.errors import DataWarning, InputError

SRC, TGT = parallel_text(30)
SRC = SRC[:10] + SRC[12:]


@pytest.fixture(scope="module")
def beads():
    return align(SRC, TGT)


def beads_of(page):
    """Return the names, cells, probabilities and evidence of the beads listed."""
    return [
        (one["unit"], one["cells"], one.get("values", [[None]])[0][0], one["detail"])
        for one in sentences(page)["rows"]
    ]


def rows_of(page, title):
    (table,) = [one for one in page.tables if one.title.startswith(title)]
    return table.rows


def test_beads_are_shown_side_by_side_least_probable_first(beads):
    gold = beads.filter(pl.col("src_end") > 3)
    page = pairs_page(beads, SRC, TGT, gold=gold)
    path = next(one.chart for one in page.figures if one.name == "path").to_dict()
    assert {one["encoding"]["y"]["title"] for one in path["layer"]} == {
        "distance from the diagonal (target sentences)"
    }
    rows = beads_of(page)
    shown = [probability for _, _, probability, _ in rows]
    assert shown == sorted(shown)
    assert len(rows) == 28
    assert "Listed" not in page.about
    cells = {unit: one for unit, one, *_ in rows}
    details = {unit: one for unit, *_, one in rows}
    assert cells["12 : 14"][:2] == [SRC[12], TGT[14]]
    assert details["12 : 14"]["src"] == [SRC[12]]
    assert details["12 : 14"]["gold"] == ["12 : 14"]
    assert cells["0 : 0"][3] == "no"
    assert details["0 : 0"]["gold"] == []
    assert sum(one[3] == "yes" for one in cells.values()) == 25
    assert [figure.name for figure in page.figures] == [
        *("path", "types", "lengths", "probabilities", "calibration"),
    ]
    assert page.table.rows[0][:3] == ["all", "30", "25"]
    few = pairs_page(beads, SRC, TGT, top=4)
    assert [one[0] for one in beads_of(few)] == [one[0] for one in rows[:4]]
    assert few.about.endswith("Listed are 4 of 28 beads, the least probable.")


def test_neighbouring_unaligned_sentences_are_one_region(beads):
    page = pairs_page(beads, SRC, TGT)
    (row,) = rows_of(page, "Sentences aligned to nothing")
    assert row == ["10–11", "target", f"{TGT[10]} ¦ {TGT[11]}", "2"]
    assert page.table is None


def test_beads_without_probabilities_and_of_several_documents(beads):
    plain = beads.drop("score")
    page = pairs_page(plain, SRC, TGT)
    assert "no probabilities" in page.lead
    assert sentences(page)["figures"] == []
    assert not any("0.9" in str(figure.chart.to_dict()["title"]) for figure in page.figures)
    assert [figure.name for figure in page.figures] == ["path", "types", "lengths"]
    both = pl.concat(plain.with_columns(pl.lit(doc).alias("doc")) for doc in "ab")
    sides = [{"a": side, "b": side} for side in (SRC, TGT)]
    rows = beads_of(pairs_page(both, *sides))
    assert {cells[0] for _, cells, *_ in rows} == {"a", "b"}
    with pytest.raises(InputError, match="no text of the document 'b'"):
        pairs_page(both, {"a": SRC}, {"a": TGT})


def test_documents_and_sentences_without_beads_are_unaligned(beads):
    sides = [{"a": side, "b": side[:2]} for side in (SRC, TGT)]
    some = beads.filter(pl.col("src_start") >= 2).with_columns(pl.lit("a").alias("doc"))
    with pytest.warns(DataWarning, match="no beads of the document 'b'; the sentences count as"):
        page = pairs_page(some, *sides)
    assert page.about == "2 documents, 30 source and 32 target sentences."
    assert " of 26 beads with both sides are expected to be right" in page.lead
    assert f"{26 / 30:.1%} of the source and {26 / 32:.1%} of the target" in page.lead
    rows = rows_of(page, "Sentences aligned to nothing")
    assert sorted((*row[:2], row[3]) for row in rows) == [
        *(("0–1\na", "source", "2"), ("0–1\na", "target", "2")),
        *(("0–1\nb", "source", "2"), ("0–1\nb", "target", "2")),
        ("10–11\na", "target", "2"),
    ]
    three = [{**side, "c": ["x"]} for side in sides]
    with pytest.warns(DataWarning, match="no beads of 2 documents, such as 'b'"):
        pairs_page(some, *three)


def test_scores_against_gold_equal_those_of_the_command(beads):
    gold = [(0, 1, 1, 2), (1, 2, 0, 1), (2, 4, 2, 4), (4, 5, 5, 5)]
    ends = pytest.warns(DataWarning, match="end with different sentences: 28 and 30, and 5 and 4")
    longer = pytest.warns(DataWarning, match="gold ends with the sentences 4 and 3 of")
    with longer, ends, pytest.warns(DataWarning, match="gold: 1 of 4 beads cross a bead"):
        page = pairs_page(beads, SRC, TGT, gold=gold)
    ends = pytest.warns(DataWarning, match="end with")
    with ends, pytest.warns(DataWarning, match="cross"):
        want = score(beads, gold).scores
    names = ("n_hyp", "n_gold", "strict_f", "strict_precision", "strict_recall", "lax_f")
    assert page.table.heads[1:7] == [
        *("beads", "gold beads", "strict F", "strict precision", "strict recall", "lax F")
    ]
    assert [float(cell) for cell in page.table.rows[0][1:7]] == [
        round(value, 4) for value in want.select(names).row(0)
    ]
    assert page.signature == want["signature"][0].replace("last-bead", "given")


def test_gold_of_another_text(beads):
    with pytest.raises(InputError, match=r"gold has a bead with the source sentence 28 of .* 28"):
        pairs_page(beads, SRC, TGT, gold=[(28, 29, 28, 29)])
    other = pl.concat(beads.with_columns(pl.lit(doc).alias("doc")) for doc in "xy")
    with pytest.raises(InputError, match="gold has the document 'x', and the texts do not"):
        pairs_page(beads, SRC, TGT, gold=other)


@pytest.mark.parametrize("width", [360, 1280])
def test_arabic_is_shown_from_right_to_left(chromium, tmp_path, width):
    beads = [(0, 1, 0, 1), (1, 2, 1, 2)]
    pairs_page(beads, ["Hello.", "Bye."], ["مرحبا بكم.", "وداعا."]).write(tmp_path / "x.html")
    chromium.size(width)
    chromium.open(tmp_path / "x.html")
    chromium.wait("document.body.dataset.shown")
    places = chromium.run(
        """[...document.querySelectorAll("#sentences tbody td")].slice(0, 2).map(cell => {
          const text = [...cell.childNodes].find(node => node.nodeType === 3);
          const range = new Range();
          return [0, text.length - 1].map(at => {
            range.setStart(text, at), range.setEnd(text, at + 1);
            return range.getBoundingClientRect().left;
          });
        })"""
    )
    (first, stop), (first_of_arabic, stop_of_arabic) = places
    assert first < stop
    assert first_of_arabic > stop_of_arabic


def test_errors(beads):
    with pytest.raises(InputError, match="no bead"):
        pairs_page(beads.head(0), SRC, TGT)
    with pytest.raises(InputError, match="of 27 and 30"):
        pairs_page(beads, SRC[:-1], TGT)
    two = pl.concat(beads.with_columns(pl.lit(name).alias("system")) for name in ("a", "b"))
    with pytest.raises(InputError, match="several systems"):
        pairs_page(two, SRC, TGT)


def test_the_command(beads, tmp_path):
    f.write_sentences(SRC, tmp_path / "a.en")
    f.write_sentences(["<b>&", *TGT[1:]], tmp_path / "a.fr")
    f.write_beads(beads.select("doc", *SPANS, "score"), tmp_path / "a.beads")
    words = ("report", "a.beads", "--src", "a.en", "--tgt", "a.fr")
    run(*words, "--gold", "a.beads", "-o", "a.html", folder=tmp_path)
    text = (tmp_path / "a.html").read_text("utf-8")
    assert "Expected calibration error" in text
    assert "<b>&" not in text
    assert any("<b>&" in str(row) for row in sentences(text)["rows"])
    _, told = run(*words[:4], "-o", "b.html", code=2, folder=tmp_path)
    assert "an alignment without its texts" in told
    _, told = run(*words[:2], "-o", "b.html", code=2, folder=tmp_path)
    assert "beads with --src and --tgt" in told
