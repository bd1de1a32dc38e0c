"""The report and its charts."""

import json
import re
import sys
from dataclasses import replace

import polars as pl
import pytest
from helpers_cli import json_of, run
from helpers_sql import connected

from alignframe import formats, links
from alignframe.charts import links as charts
from alignframe.errors import InputError, MissingExtraError
from alignframe.report.links import links_report


@pytest.fixture(scope="module")
def hyps(bundled):
    return {name: bundled / f"{name}.talp" for name in ("eager", "cautious", "forward")}


@pytest.fixture(scope="module")
def page(bundled, hyps):
    text = formats.read_bitext(bundled / "text.en", bundled / "text.fr")
    return links_report(hyps, bundled / "gold.talp", bitext=text, bootstrap=100, alpha=[0.5, 0.1])


def test_page_needs_no_network(page):
    html = page.html()
    body = re.sub(r"<script>.*?</script>", "", html, flags=re.DOTALL)
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//""", body)
    assert "@import" not in body
    specs = json.loads(re.search(r"const specs = (\{.*?\});\n", html, re.DOTALL)[1])
    assert set(specs) == {"precision-recall", "f-by-alpha", "error-by-length", "grid"}
    for name in specs:
        assert f'<div id="{name}"></div>' in body


def test_page_shows_the_scores(page, bundled, hyps):
    frame = links.scores(hyps, bundled / "gold.talp")
    html = page.html()
    for row in frame.iter_rows(named=True):
        assert row["system"] in html
        assert f"{row['aer']:.4f}" in html
    assert page.signature in html


def test_names_cannot_break_the_page(bundled):
    name = "</script><b>&"
    made = links_report(
        {name: bundled / "eager.talp"}, bundled / "gold.talp", bootstrap=0, title="a <b> title"
    )
    html = made.html()
    assert "</script><b>" not in html
    assert "a &lt;b&gt; title" in html


def test_grid_shows_chosen_sentences(bundled, hyps):
    made = links_report(hyps, bundled / "gold.talp", bootstrap=0, sentences=[3, 5])
    grid = next(figure.chart for figure in made.figures if figure.name == "grid").to_dict()
    rows = [row for data in grid["datasets"].values() for row in data]
    assert {row["sentence"] for row in rows} == {"sentence 3", "sentence 5"}
    gold = formats.read(bundled / "gold.talp")["links"].to_pylist()
    shown = [r for r in rows if r.get("system") == "" and r["sentence"] == "sentence 3"]
    assert len(shown) == len(gold[3])
    assert sum(r["kind"] == "Sure" for r in shown) == sum(link["sure"] for link in gold[3])
    with pytest.raises(InputError, match="gold has no sentence 999"):
        links_report(hyps, bundled / "gold.talp", bootstrap=0, sentences=[999])


def drawn_links(made, **choices):
    """Draw the grid with these choices; return the links drawn, by owner."""
    import vl_convert

    spec = next(figure.chart for figure in made.figures if figure.name == "grid").to_dict()
    for param in spec["params"]:
        param["value"] = choices.get(param["name"], param["value"])
    svg = vl_convert.vegalite_to_svg(json.dumps(spec), vl_version="6.1")
    found = {"both": set(), "one": set(), "other": set()}
    word = r"\(position, word\): (\d+) [^;]*; "
    pattern = rf"source {word}target {word}[^\"]*of: (\w+)"
    for i, j, who in re.findall(pattern, svg):
        found[who].add((int(i), int(j)))
    return found


def test_grid_compares_two_systems(page, bundled):
    sid = 40
    made = {
        name: {
            (one["i"], one["j"])
            for one in formats.read(bundled / f"{name}.talp")["links"].to_pylist()[sid]
        }
        for name in ("eager", "cautious")
    }
    text = formats.read_bitext(bundled / "text.en", bundled / "text.fr")
    chosen = links_report(
        {name: bundled / f"{name}.talp" for name in made},
        bundled / "gold.talp",
        bitext=text,
        bootstrap=0,
        sentences=[sid],
    )
    eager, cautious = made["eager"], made["cautious"]
    assert eager - cautious
    assert cautious - eager
    found = drawn_links(chosen, system="eager", other="cautious")
    assert found == {"both": eager & cautious, "one": eager - cautious, "other": cautious - eager}
    alone = {"both": set(), "one": cautious, "other": set()}
    assert drawn_links(chosen, system="cautious") == alone
    assert drawn_links(chosen, system="cautious", other="cautious") == alone


def test_each_system_has_a_small_chart_of_errors(bundled, hyps):
    made = links_report(hyps, bundled / "gold.talp", bootstrap=20)
    spec = next(one.chart for one in made.figures if one.name == "error-by-length").to_dict()
    own = spec["datasets"][spec["data"]["name"]]
    expected = links.scores(hyps, bundled / "gold.talp", by=["length"])
    assert {(row["system"], row["length"]): row["aer"] for row in own} == {
        (row["system"], row["length"]): row["aer"] for row in expected.iter_rows(named=True)
    }
    assert all(row["aer_low"] <= row["aer"] <= row["aer_high"] for row in own)
    (others,) = (rows for rows in spec["datasets"].values() if rows is not own)
    assert {(row["other"], row["aer"]) for row in others} == {
        (row["system"], row["aer"])
        for row in own  # all of them, behind each
    }
    best = links.scores(hyps, bundled / "gold.talp").sort("aer")["system"].to_list()
    assert spec["facet"]["sort"] == best


def test_marks_in_the_grid_show_right_and_wrong(page, bundled):
    grid = next(figure.chart for figure in page.figures if figure.name == "grid").to_dict()
    rows = [row for data in grid["datasets"].values() for row in data if "kind" in row]
    gold = {(r["sentence"], r["source"], r["target"]): r["kind"] for r in rows if not r["system"]}
    checked = 0
    for row in rows:
        if row["system"]:
            label = gold.get((row["sentence"], row["source"], row["target"]))
            assert row["kind"] == (f"right, {label}" if label else "wrong")
            checked += 1
    assert checked > 50


def test_figures(page, tmp_path):
    written = page.write_figures(tmp_path, "svg")
    assert len(written) == 4
    assert all(path.read_bytes().startswith(b"<svg") for path in written)


def test_a_missing_package_names_the_extra(page, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'alignframe\[report\]'"):
        page.html()


def test_curves_of_equal_f():
    """Every point of a curve has the F of its label."""
    scores = pl.DataFrame({"system": ["s"], "precision": [0.9], "recall": [0.8], "aer": [0.1]})
    spec = charts.precision_recall(scores, alpha=0.3).to_dict()
    rows = [r for data in spec["datasets"].values() for r in data if "level" in r]
    assert len({row["level"] for row in rows}) >= 4
    for row in rows:
        f = 1 / (0.3 / row["precision"] + 0.7 / row["recall"])
        assert f == pytest.approx(row["level"])


def test_page_of_a_system_without_links(tmp_path, bundled):
    empty = tmp_path / "empty.talp"
    empty.write_text("\n" * 72, "utf-8")
    made = links_report({"none": empty}, bundled / "gold.talp", bootstrap=20)
    assert "undefined" in made.html()


def grid_rows(made):
    chart = next(figure.chart for figure in made.figures if figure.name == "grid")
    return [r for data in chart.to_dict()["datasets"].values() for r in data if "kind" in r]


def test_grids_of_long_tables_in_any_order(bundled):
    nested = formats.read(bundled / "eager.talp")
    flat = pl.DataFrame(nested).explode("links").unnest("links").drop("sure", "system")
    wanted = links_report({"x": nested}, bundled / "gold.talp", bootstrap=0, sentences=[0, 4])
    made = links_report({"x": flat.sort("j")}, bundled / "gold.talp", bootstrap=0, sentences=[0, 4])
    keys = ["sentence", "system", "kind", "source", "target"]
    rows, others = (sorted([r[k] for k in keys] for r in grid_rows(m)) for m in (made, wanted))
    assert rows == others


def test_many_sentences_and_systems(bundled, tmp_path):
    hyps = {f"a-rather-long-system-name-{k}": bundled / "eager.talp" for k in range(31)}
    made = links_report(hyps, bundled / "gold.talp", bootstrap=5, sentences=range(20))
    assert len(grid_rows_of_page(made)) > 5000
    alone = replace(made, figures=made.figures[-1:])
    assert [path.name for path in alone.write_figures(tmp_path, format="svg")] == ["grid.svg"]


def grid_rows_of_page(made):
    html = made.html()
    specs = json.loads(re.search(r"const specs = (\{.*?\});\n", html, re.DOTALL)[1])
    return [r for data in specs["grid"]["datasets"].values() for r in data]


def test_a_link_with_both_labels_is_sure_in_the_grid():
    row = [{"i": 0, "j": 0, "sure": True}, {"i": 0, "j": 0, "sure": False}]
    gold = pl.DataFrame({"sid": [0], "links": [row]})
    made = links_report({"x": gold}, gold, bootstrap=0, sentences=[0])
    assert {r["kind"] for r in grid_rows(made)} == {"Sure", "right, Sure"}


def test_charts_take_any_table_and_show_complete_intervals():
    scores = {"system": ["a"], "precision": [0.5], "recall": [0.4], "aer": [0.5], "aer_low": [0.4]}
    with pytest.raises(InputError, match="aer_high"):
        charts.precision_recall(scores)
    scores["aer_high"] = [0.6]
    assert "layer" in charts.precision_recall(scores).to_dict()


def test_worst_sentences_are_those_with_the_most_errors(bundled, tmp_path):
    """By number of errors, as in SQL, not by AER; the links named are those of sets."""
    gold, hyps = bundled / "gold.talp", {"eager": bundled / "eager.talp"}
    text = formats.read_bitext(bundled / "text.en", bundled / "text.fr")
    found = links.worst_sentences(hyps, gold, 5, bitext=text)
    sides = text["src"].to_pylist(), text["tgt"].to_pylist()
    assert found.equals(links.worst_sentences(hyps, gold, 5, bitext=sides))
    with connected() as con:
        con.register("hyp", links.read(hyps["eager"], system="eager"))
        con.register("gold", links.read(gold))
        wanted = con.sql("from worst_sentences('hyp', 'gold', n := 5)").pl()
    assert found.select("sid", "errors").rows() == wanted.select("sid", "errors").rows()
    assert found["aer"].to_list() == pytest.approx(wanted["aer"].to_list())
    every = links.scores(hyps, gold, by="sid").sort("aer", descending=True, nulls_last=True)
    assert found["sid"].to_list() != every["sid"].head(5).to_list()
    mine, truth = (
        {row["sid"]: row["links"] for row in links.read(one).frame.to_dicts()}
        for one in (hyps["eager"], gold)
    )
    for row in found.to_dicts():
        made = {(one["i"], one["j"]) for one in mine[row["sid"]]}
        known = {(one["i"], one["j"]): one["sure"] for one in truth[row["sid"]]}
        wrong, missing = made - set(known), {pair for pair in known if known[pair]} - made
        assert row["errors"] == len(wrong) + len(missing)
        src, tgt = row["src"].split(), row["tgt"].split()
        for name, pairs in (("wrong", wrong), ("missing", missing)):
            said = ", ".join(f"{i}-{j} {src[i]} {tgt[j]}" for i, j in sorted(pairs))
            assert row[name] == said
    words = ["--gold", gold, "--hyp", hyps["eager"], "--worst", 5, "--json"]
    out, _ = run("links", "score", *words)
    assert [row["sid"] for row in json_of(out)] == found["sid"].to_list()
    for option, value in (("by", "length"), ("alpha", 0.3), ("bootstrap", 9)):
        _, said = run("links", "score", *words, f"--{option}", value, code=2)
        assert f"--worst with --{option}" in said
    assert "bands without lengths" in run("links", "score", *words, "--bands", 10, code=2)[1]
    page = links_report(hyps, gold, bootstrap=0)
    fitting = links.counts(hyps, gold, by="length", bands=[40]).filter(length="1-40")["sid"]
    most = links.worst_sentences(hyps, gold, 72)
    shown = most.filter(pl.col("sid").is_in(fitting.implode()))["sid"].head(12)
    assert [row[0] for row in page.tables[0].rows] == [str(sid) for sid in shown]
