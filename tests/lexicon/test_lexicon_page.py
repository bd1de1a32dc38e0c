"""The charts and the report of cascades."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from helpers.pages import specs_of

from alignframe import lexicon
from alignframe.errors import DataWarning, InputError
from alignframe.lexicon import charts
from alignframe.lexicon.findings import MEASURES
from alignframe.lexicon.oracles import WordList
from alignframe.lexicon.page import lexicon_page
from alignframe.lexicon.study import Study, study
from alignframe.pages.theme import COLOURS, INK

SIZES = (500, 2000, 10000)


def summary_of(names, step=0.04, sizes=SIZES, depths=(1, 2, 5)):
    """Return figures that rise with size, depth and the place of a cascade; one set of the largest
    size.
    """
    rows = []
    for place, name in enumerate(names):
        for at, size in enumerate(sizes):
            for k in depths:
                value = 0.3 + 0.02 * at + 0.03 * k + step * place
                reach = None if size == 10000 else 0.01
                ends = [None, None] if reach is None else [value - reach, value + reach]
                correct = [one if one is None else one / 2 for one in (value, *ends)]
                sets = 1 if reach is None else 10
                rows.append((name, size, k, sets, value, *ends, 0.5, None, None, *correct))
    names = [f"{name}{end}" for name in MEASURES for end in ENDS]
    return pl.DataFrame(rows, ["cascade", "size", "k", "sets", *names], orient="row")


ENDS = ("", "_low", "_high")
NAMES = ["none", "cognate", "mrbd", "back-off"]


def layers(spec, mark):
    return [one for one in spec["layer"] if one["mark"]["type"] == mark]


def rows(spec, layer):
    return spec["datasets"][layer["data"]["name"]]


def test_precision_by_size():
    spec = charts.precision_by_size(summary_of(NAMES), 2).to_dict()
    drawn = [row for layer in layers(spec, "point") for row in rows(spec, layer)]
    assert {(row["cascade"], row["size"], round(row["value"], 9)) for row in drawn} == {
        (name, size, round(0.36 + 0.02 * at + 0.04 * place, 9))
        for place, name in enumerate(NAMES[:3])  # back-off is not a cascade of filters
        for at, size in enumerate(SIZES)
    }
    assert {row["k"] for row in drawn} == {2}
    x = layers(spec, "line")[0]["encoding"]["x"]
    assert x["scale"]["type"] == "log"
    assert x["axis"]["values"] == list(SIZES)
    low, high = x["scale"]["domain"]
    assert low < 500
    assert high > 10000
    (band,) = layers(spec, "area")
    assert {row["size"] for row in rows(spec, band)} == {500, 2000}  # no interval for a single set
    assert [band["encoding"][key]["field"] for key in ("y", "y2")] == ["low", "high"]
    bottom, top = band["encoding"]["y"]["scale"]["domain"]
    assert bottom < min(row["low"] for row in rows(spec, band))
    assert top > max(row["value"] for row in drawn)
    tips = {tip["field"] for tip in layers(spec, "point")[0]["encoding"]["tooltip"]}
    assert tips == {"cascade", "size", "k", "value", "low", "high", "sets"}
    assert spec["title"]["subtitle"] == "any of the 2 best (k = 2)"
    assert not layers(spec, "rule")
    # An area of one size would be invisible.
    one = summary_of(NAMES).with_columns(sets=pl.when(size=500).then(10).otherwise(2))
    spec = charts.precision_by_size(one, 2).to_dict()
    (rule,) = layers(spec, "rule")
    assert {row["size"] for row in rows(spec, rule)} == {500}
    assert not layers(spec, "area")


def test_lines_are_labelled_at_their_ends():
    spec = charts.precision_by_size(summary_of(NAMES)).to_dict()
    (text,) = layers(spec, "text")
    assert {(row["cascade"], row["size"]) for row in rows(spec, text)} == {
        (name, 10000) for name in NAMES[:3]
    }
    colour = layers(spec, "line")[0]["encoding"]["color"]
    assert colour["legend"] is None
    # Names of lines that end together are moved apart by a line of text.
    close = charts.precision_by_size(summary_of(NAMES, step=0.001)).to_dict()
    (text,) = layers(close, "text")
    low, high = text["encoding"]["y"]["scale"]["domain"]
    at = sorted(row["end_"] for row in rows(close, text))
    gaps = np.diff(at) * close["height"] / (high - low)
    assert gaps == pytest.approx([14] * (len(at) - 1))
    assert min(at) >= low - 1e-9
    # Long names are cut.
    long = [f"mrbd:a-long-name-{k}.tsv,cognate:0.58,alignment" for k in range(3)]
    other = charts.precision_by_size(summary_of(long)).to_dict()
    assert layers(other, "text")[0]["mark"]["limit"] == 160
    assert spec["width"] > other["width"] > 0.6 * spec["width"]
    # A cascade without a figure at the end of the axis is named where its line ends.
    gap = summary_of(NAMES).with_columns(
        precision=pl.when(cascade="mrbd", size=10000).then(None).otherwise("precision")
    )
    spec = charts.precision_by_size(gap).to_dict()
    (text,) = layers(spec, "text")
    ends = {row["cascade"]: row["size"] for row in rows(spec, text)}
    assert ends == {name: 2000 if name == "mrbd" else 10000 for name in NAMES[:3]}


def test_twelve_cascades_look_different():
    names = ["none", *(f"cognate:0.{k}" for k in range(50, 61))]
    spec = charts.precision_by_size(summary_of(names, step=0.002)).to_dict()
    line, point = (layers(spec, mark)[0]["encoding"] for mark in ("line", "point"))
    looks = list(
        zip(
            line["color"]["scale"]["range"],
            map(str, line["strokeDash"]["scale"]["range"]),
            strict=True,
        )
    )
    assert len(set(looks)) == 12
    assert line["color"]["scale"]["domain"] == names == point["shape"]["scale"]["domain"]
    assert looks[len(COLOURS)][0] == looks[0][0] == COLOURS[0]


def test_the_upper_bound_is_a_line_inside_the_chart():
    made = charts.precision_by_size(summary_of(NAMES), upper_bound=0.9, upper_bound_name="human")
    spec = made.to_dict()
    (rule,) = layers(spec, "rule")
    assert rows(spec, rule) == [{"value": 0.9}]
    assert rule["encoding"]["y"]["scale"]["domain"][1] > 0.9
    assert "human 0.90" in [row.get("name") for t in layers(spec, "text") for row in rows(spec, t)]


def test_percent_correct_emphasises_back_off():
    spec = charts.percent_correct_by_size(summary_of(NAMES)).to_dict()
    strong, thin = layers(spec, "line")
    assert {row["cascade"] for row in rows(spec, strong)} == {"back-off"}
    assert {row["cascade"] for row in rows(spec, thin)} == set(NAMES[:3])
    assert strong["mark"]["strokeWidth"] > 2 * thin["mark"]["strokeWidth"]
    scale = strong["encoding"]["color"]["scale"]
    assert dict(zip(scale["domain"], scale["range"], strict=True))["back-off"] == INK
    assert rows(spec, strong)[0]["value"] == pytest.approx(0.45 / 2)
    assert strong["encoding"]["y"]["axis"]["format"].endswith("%")


def test_precision_by_k():
    spec = charts.precision_by_k(summary_of(NAMES), 2000).to_dict()
    drawn = [row for layer in layers(spec, "point") for row in rows(spec, layer)]
    assert {(row["cascade"], row["k"]) for row in drawn} == {
        (name, k) for name in NAMES[:3] for k in (1, 2, 5)
    }
    assert {row["size"] for row in drawn} == {2000}
    x = layers(spec, "line")[0]["encoding"]["x"]
    assert (x["field"], x["axis"]["values"]) == ("k", [1, 2, 5])
    assert spec["title"]["subtitle"] == "10 training sets of 2,000 sentence pairs"
    one = charts.precision_by_k(summary_of(NAMES), 10000).to_dict()
    assert one["title"]["subtitle"] == "one training set of 10,000 sentence pairs"


def test_one_size_has_points_and_bars():
    spec = charts.precision_by_size(summary_of(NAMES, sizes=(500,))).to_dict()
    assert not layers(spec, "area")
    (bar,) = layers(spec, "rule")
    assert bar["encoding"]["y2"]["field"] == "high"
    low, high = bar["encoding"]["x"]["scale"]["domain"]
    assert low < 500 < high


def test_missing_figures():
    summary = summary_of(NAMES)
    with pytest.raises(InputError, match=r"k 3.*1, 2, 5"):
        charts.precision_by_size(summary, 3)
    with pytest.raises(InputError, match="no precision of size 7"):
        charts.precision_by_k(summary, 7)


def findings_of(names, sizes=SIZES, depths=(1, 5)):
    rows = [
        (name, "none", size, k, measure, 0.5, 0.4, 0.1 - 0.02 * at, 0.25, True)
        for name in names
        for measure in ("precision", "percent_correct")
        for at, size in enumerate(sizes)
        for k in depths
    ]
    columns = "cascade other size k measure value other_value gain relative_gain apart".split()
    return pl.DataFrame(rows, columns, orient="row")


def test_gain():
    spec = charts.gain(findings_of(NAMES[1:])).to_dict()
    (data,) = [rows for rows in spec["datasets"].values() if "cascade" in rows[0]]
    assert sorted((row["cascade"], row["trained"], row["k"], row["points"]) for row in data) == [
        (name, size, k, pytest.approx(points))
        for name in ("cognate", "mrbd")
        for size, points in (("10,000", 6), ("2,000", 8), ("500", 10))
        for k in (1, 5)
    ]
    (point,) = layers(spec["spec"], "point")
    scale = point["encoding"]["color"]["scale"]
    assert scale["domain"] == ["500", "2,000", "10,000"]
    # From light to dark.
    light = [sum(bytes.fromhex(colour[1:])) for colour in scale["range"]]
    assert light == sorted(light, reverse=True)
    assert len(set(light)) == 3
    assert spec["facet"]["column"]["sort"] == [
        "the best translation (k = 1)",
        "any of the 5 best (k = 5)",
    ]
    assert spec["title"] == "Gain of precision over none"
    with pytest.raises(InputError, match="no gain"):
        charts.gain(findings_of(["back-off"]))


@pytest.fixture(scope="module")
def page():
    text = pl.DataFrame(
        {"src": [["un", "mot"], ["le", "mot"]] * 6, "tgt": [["a", "mot"], ["the", "word"]] * 6}
    )
    made = study(text, text.head(3), ["none", "cognate"], sizes=[2, 4], sets=2, n_best=2)
    return made.page(upper_bound=0.6, title="A <title>")


def test_report(page, tmp_path):
    page.write(tmp_path / "report.html")
    html = (tmp_path / "report.html").read_text("utf-8")
    assert "A &lt;title&gt;" in html
    assert page.signature in html.replace("&#39;", "'")
    names = ["precision", "precision-of-2", "percent-correct", "precision-by-depth", "gain"]
    assert list(specs_of(html)) == names
    for name in names:
        assert f'<div id="{name}"></div>' in html
    assert "2 cascades of filters, 2 sizes of training text (2 to 4 of 12 sentence pairs)" in html
    assert "2 training sets, without overlap, of each" in html
    assert "evaluated on 3 other sentence pairs with 3 source words" in html
    assert len(page.write_figures(tmp_path)) == len(names)
    rule = [row for rows in specs_of(html)["precision"]["datasets"].values() for row in rows]
    assert {"value": 0.6, "name": "upper bound 0.60"} in rule


def test_the_table_shows_the_largest_size():
    summary = summary_of(["mrbd", "none", "back-off"], step=-0.1)
    texts = pl.DataFrame(
        {"text": ["train", "test"], "pairs": [29000, 1000], "empty": [0, 0], "types": [9, 1898]}
    )
    order = pl.DataFrame(
        {"size": [500, 500], "place": [1, 2], "cascade": ["mrbd", "none"], "precision": [0.3, 0.2]}
    )
    found = Study(
        texts,
        pl.DataFrame(),
        summary,
        order,
        pl.DataFrame(),
        findings_of(["mrbd"]),
        *[pl.DataFrame()] * 3,
        0.9,
        "x",
    )
    page = lexicon_page(found)
    assert page.table.title == "10,000 sentence pairs of training text, 1 training set"
    assert page.table.heads[1:] == [
        "precision, k = 1",
        "precision, k = 5",
        "recall",
        "percent correct, k = 1",
        "percent correct, k = 5",
    ]
    assert page.table.rows[0] == ["mrbd", "0.3700", "0.4900", "0.5000", "0.1850", "0.2450"]
    assert page.table.strong == set()  # nothing was tested
    assert page.tables[0].rows == [["500", "mrbd > none"]]
    assert "Intervals (90%)" in page.notes[1]
    assert "1 to 10 training sets" in page.about
    small = lexicon_page(replace(found, summary=summary.filter(size=500)))
    assert small.table.rows[0][1] == "0.3300\n0.3200 – 0.3400"


def test_report_of_one_cascade_and_depth():
    text = pl.DataFrame({"src": [["a"], ["b"]], "tgt": [["x"], ["y"]]})
    made = lexicon_page(study(text, text, ["none"], sizes=[1], sets=1, n_best=1))
    assert [figure.name for figure in made.figures] == ["precision", "percent-correct"]
    assert made.table.rows == [
        [name, "1.0000", "0.5000", "0.5000"] for name in ("none", "back-off")
    ]
    assert "1 training set of each" in made.about
    assert "1 translation per word" in made.about


def test_words_that_cascades_change():
    """The two that gain and the one that loses, as shown."""
    plain = [("a", "x"), ("b", "y"), ("c", "z")]
    train = pl.DataFrame({"src": [list("abc")] * 3, "tgt": [list("xyz")] * 3})
    test = pl.DataFrame({"src": [list("ab"), list("bc")], "tgt": [list("xy"), list("xy")]})
    lists = {
        "plain": plain,
        "right": [("a", "x"), ("b", "y"), ("c", "y")],
        "wrong": [("a", "z"), ("b", "z"), ("c", "z")],
    }
    cascades = {
        name: [WordList(pl.DataFrame(rows, ["src", "tgt"], orient="row"))]
        for name, rows in lists.items()
    }
    found = study(train, test, cascades, sizes=[3], sets=1, n_best=1)
    counts, words = lexicon_page(found).tables[1:]
    assert "than with plain, first training set of 3 pairs" in counts.title
    assert [row[0] for row in counts.rows] == ["right", "wrong"]
    for row, (name, after) in zip(counts.rows, list(lists.items())[1:], strict=True):
        changed = {word for word, _ in set(plain) ^ set(after)}
        assert row[1:3] == ["3", str(len(changed))], name
    assert ["right", "c", "z", "y", "0 \u2192 1 of 1"] in words.rows
    assert ["wrong", "b", "y", "z", "2 \u2192 0 of 2"] in words.rows
    # Each of these words leads to the test sentences that have it, by their numbers.
    gap = pl.DataFrame({"src": [[], *test["src"]], "tgt": [["x"], *test["tgt"]]})
    with pytest.warns(DataWarning, match="empty side"):
        listed = lexicon_page(study(train, gap, cascades, sizes=[3], sets=1, n_best=1)).sentences
    sides = [" ".join(one) for row in gap.rows() for one in row]
    assert sorted([row["cells"][0], row["unit"]] for row in listed.rows) == [
        [word, sid] for word in "abc" for sid, src in enumerate(gap["src"]) if word in src
    ]
    for row in listed.rows:
        sid = row["unit"]
        assert row["cells"][1:] == sides[2 * sid : 2 * sid + 2]
    assert words.picks == {"Word": words.heads[1]}
    same = dict.fromkeys(("none", "same"), cascades["plain"])
    alike = lexicon_page(study(train, test, same, sizes=[3], sets=1, n_best=1))
    assert [table.rows for table in alike.tables[1:]] == [[["same", "3", "0", "0", "0"]]]
    assert alike.sentences is None


def test_a_lexicon_says_how_well_founded_it_is():
    text = [["a", "b"], ["a"], ["c"]], [["x", "y"], ["x"], ["z"]]
    page = lexicon.induce(*text).page()
    assert page.lead.startswith(
        "3 source words have translations. The best one of 2 (66.7%) rests on a single sentence "
    )


def test_scored_lexicons_are_ranked_by_percent_correct():
    words = [*"abcdefghijklmnop"]
    text = [[word] for word in words], [[word] for word in words]
    full, half = ({"src": own, "tgt": own, "rank": [1] * len(own)} for own in (words, words[::2]))
    page = lexicon.score({"full": full, "half": half}, text).page()
    assert page.lead.startswith("full has the best Percent correct, 1.0000 (95% interval 1.0000")
    assert "half follows, 0.5000 worse (0." in page.lead
    assert page.about == "2 systems, 16 source words."
    assert page.table.heads[1::2] == ["Percent correct", "Precision", "Recall"]
    figures = [[cell.partition("\n")[0] for cell in row[1::2]] for row in page.table.rows]
    assert figures == [["1.0000"] * 3, ["0.5000", "1.0000", "0.5000"]]
    assert [table.rows[0][0] for table in page.tables] == ["half"] * 3
