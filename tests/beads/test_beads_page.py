"""The charts and the page of sentence aligners under noise; a small version of the study."""

import re
from itertools import product

import polars as pl
import pytest
from helpers import study as helpers_study
from helpers.cli import json_of, run
from helpers.pages import drawable

from alignframe.beads import charts
from alignframe.beads import dot_charts as dots
from alignframe.beads.page import beads_page, read_table, summed
from alignframe.beads.study import COUNTS
from alignframe.errors import InputError

RATES = (0.0, 0.05, 0.15000000000000002)
EVIL = "</script><b>&'\"\\"


def row(corpus, scenario, rates, method, at=0):
    """Return a row with invented counts of a text of 1,000 sentences; noise lowers them."""
    sizes = [round(1000 * (1 - rate)) for rate in rates]
    gold = 0 if scenario == "different" else round(sizes[0] * sizes[1] / 1000)
    noisy = scenario in ("randomize", "length-aligned", "different")
    right = 0 if noisy else round(gold * (0.9 - 0.1 * at - sum(rates)))
    given = 0 if (scenario, method) == ("randomize", "len") else right + 10 + at
    counts = dict.fromkeys(COUNTS, right)
    counts |= {"n_hyp": given, "n_gold": gold, "n_hyp_pairs": given, "n_gold_pairs": gold}
    counts |= {"n_src_aligned": given, "n_tgt_aligned": given, "n_src": sizes[0], "n_tgt": sizes[1]}
    keys = {"corpus": corpus, "scenario": scenario, "src_rate": rates[0], "tgt_rate": rates[1]}
    made = {**keys, "seed": 1, "method": method, **counts, "seconds": 0.5}
    return {
        **made,
        "pair_precision": right / given if given else None,
        "pair_recall": right / gold if gold else None,
        "alignment_rate": (given / sizes[0] + given / sizes[1]) / 2,
        "signature": f"beads:{method}",
    }


def study_of(corpora=("en-xx", "en-yy"), methods=("len", "mre", "mre+"), lacks=()):
    scenarios = [("clean", (0.0, 0.0))]
    scenarios += [
        (name, rates)
        for name in ("delete", "combine")
        for rates in product(RATES, repeat=2)
        if any(rates)
    ]
    scenarios += [(name, (0.0, 0.0)) for name in ("randomize", "length-aligned", "different")]
    return pl.DataFrame(
        [
            row(corpus, *scenario, method, at + (corpus == corpora[0]))
            for corpus in corpora
            for scenario in scenarios
            for at, method in enumerate(methods)
            if scenario[0] not in lacks
        ],
        infer_schema_length=None,
    )


STUDY = study_of()
TUNED = pl.DataFrame(
    [
        ("en-xx", rate, name, 0.02, 20.0, 0.99, 0.99, 0.9 - rate + 0.01 * at)
        for rate in (0.05, 0.2)
        for at, name in enumerate(("none", "skip", "band", "threshold", "all"))
    ],
    ["corpus", "rate", "tuned", "skip", "band", "threshold", "precision", "recall"],
    orient="row",
)


def rows(spec):
    """Return the data of a chart with one table."""
    (found,) = spec["datasets"].values()
    return found


def many():
    """A study of thirteen scenarios, none of which is in the paper's table 1."""
    made = [row("en-xx", "delete", (0.0, 0.01 * k), "len") for k in range(1, 14)]
    return pl.DataFrame(made)


# --- charts


@pytest.mark.parametrize("scenario", ["delete", "combine"])
@pytest.mark.parametrize("measure", list(charts.MEASURES))
def test_heat_maps_show_every_rate(measure, scenario):
    spec, _ = drawable(charts.heat_map(STUDY, measure, scenario))
    wanted = {
        (one["corpus"], round(one["src_rate"], 6), round(one["tgt_rate"], 6), one["method"]): one[
            measure
        ]
        for one in STUDY.to_dicts()
        if one["scenario"] in ("clean", scenario)
    }
    drawn = {
        (one["corpus"], one["src_rate"], one["tgt_rate"], one["method"].lower()): one["value"]
        for one in rows(spec)
    }
    assert drawn == wanted
    assert len(drawn) == 2 * 3 * 9
    assert spec["facet"]["column"]["sort"] == ["LEN", "MRE", "MRE+"]
    assert spec["facet"]["row"]["sort"] == ["en-xx", "en-yy"]
    square, text = spec["spec"]["layer"]
    assert (
        square["encoding"]["y"]["sort"] == "descending"
    )  # the cell without noise is in the lower left corner
    low, high = square["encoding"]["color"]["condition"]["scale"]["domain"]
    assert low <= min(wanted.values())
    assert high == 1
    assert (low > 0) == (measure == "pair_precision")
    (shown,) = (one["calculate"] for one in text["transform"])
    assert (".1f" in shown) == (low > 0)


def test_rates_without_float_noise_and_cells_without_a_figure():
    broken = STUDY.with_columns(
        pair_precision=pl.when(pl.col("method") != "len").then("pair_precision")
    )
    spec, svg = drawable(charts.heat_map(broken, "pair_precision"))
    assert {one["src_rate"] for one in rows(spec)} == {0, 0.05, 0.15}
    assert ">N/A<" in svg
    assert ">15%<" in svg
    assert ">15.0" not in svg


def test_a_single_corpus_needs_no_row():
    one = study_of(("alone",), ("gale-church", "mre", "nonsense"))
    spec, _ = drawable(charts.heat_map(one))
    assert "row" not in spec["facet"]
    assert spec["facet"]["column"]["sort"] == ["Gale-Church", "MRE", "nonsense"]
    for chart in (charts.by_rate(one), charts.by_rate(one, "combine"), dots.by_scenario(one)):
        spec = chart.to_dict()
        assert {row["corpus"] for row in rows(spec)} == {"alone"}
    assert charts.by_rate(one).to_dict()["facet"].keys() == {"column"}
    assert charts.by_rate(STUDY).to_dict()["facet"].keys() == {"row", "column"}


def test_lines_of_equal_rates_and_of_perfect_beads():
    spec, _ = drawable(charts.by_rate(STUDY))
    drawn = rows(spec)
    known = {
        (one["corpus"], round(one["src_rate"], 6), one["method"]): one
        for one in STUDY.to_dicts()
        if one["scenario"] in ("clean", "delete") and one["src_rate"] == one["tgt_rate"]
    }
    names = {"recall": "pair_recall", "alignment rate": "alignment_rate"}
    faultless = {}
    for one in drawn:
        if one["method"] == "faultless":
            faultless[one["corpus"], one["src_rate"]] = one["value"]
        else:
            theirs = known[one["corpus"], one["src_rate"], one["method"].lower()]
            assert one["value"] == theirs[names[one["measure"]]]
    assert len(drawn) == 2 * len(known) + len(faultless)
    # 1,000 sentences, 95% of which are left on either side, and 95% of these have their partner.
    assert faultless["en-xx", 0.05] == pytest.approx(902 / 950)
    assert faultless["en-yy", 0] == 1
    combined = rows(charts.by_rate(STUDY, "combine").to_dict())
    assert "faultless" not in {one["method"] for one in combined}


def test_dots_next_to_published_ones():
    published = STUDY.filter(pl.col("corpus") == "en-xx").with_columns(pair_recall=0.123)
    spec, svg = drawable(dots.by_scenario(STUDY, published))
    drawn = rows(spec)
    here = [one for one in drawn if one["source"] == "here"]
    assert len(here) == 2 * 3 * 6 * 3
    assert len(drawn) - len(here) == 3 * 6 * 3
    assert {one["corpus"] for one in drawn if one["source"] == "published"} == {"en-xx"}
    wanted = ["clean", "delete 5%", "combine 5%", "randomize", "length-aligned", "different"]
    assert spec["spec"]["layer"][0]["encoding"]["y"]["sort"] == wanted
    assert {one["name"] for one in drawn} == set(wanted)
    # len found nothing on shuffled sentences; different texts have no pairs to recall.
    assert ">N/A<" in svg
    assert "rings" in spec["title"]["subtitle"]
    assert "subtitle" not in dots.by_scenario(STUDY).to_dict()["title"]


def test_methods_look_the_same_in_every_chart():
    scale = charts.by_rate(study_of(methods=("mre+",))).to_dict()["spec"]["layer"][2]["encoding"]
    every = charts.by_rate(STUDY).to_dict()["spec"]["layer"][2]["encoding"]
    for name in ("color", "shape"):
        (alone, whole) = (one[name]["scale"] for one in (scale, every))
        looks = dict(zip(whole["domain"], whole["range"], strict=True))
        assert len(set(looks.values())) == 4
        for method, look in zip(alone["domain"], alone["range"], strict=True):
            assert looks[method] == look


def test_tuning_next_to_published_figures():
    other = TUNED.with_columns(pl.col("recall") - 0.1)
    spec, svg = drawable(dots.by_tuned(TUNED, other))
    drawn = rows(spec)
    assert len(drawn) == 20
    assert {one["rate"] for one in drawn} == {"5% deleted", "20% deleted"}
    first, second = (
        {(one["rate"], one["tuned"]): one["value"] for one in drawn if one["source"] == source}
        for source in ("here", "published")
    )
    assert first["20% deleted", "all"] == pytest.approx(0.74)
    assert second == {key: pytest.approx(value - 0.1) for key, value in first.items()}
    assert svg.index("5% deleted") < svg.index("20% deleted")
    alone = TUNED.filter(pl.col("rate") == 0.2).drop("corpus", "rate")
    assert len(rows(dots.by_tuned(alone).to_dict())) == 5
    nothing = pl.col("recall").replace(0.9 - 0.2, None)
    assert len(rows(dots.by_tuned(alone.with_columns(nothing)).to_dict())) == 4


@pytest.mark.parametrize(
    ("chart", "message"),
    [
        (lambda: charts.heat_map(STUDY, "strict_f"), "unknown measure 'strict_f'"),
        (lambda: charts.heat_map(STUDY, scenario="clean"), "unknown scenario 'clean'"),
        (lambda: charts.heat_map(study_of(lacks=["delete"])), "without the scenario delete"),
        (lambda: charts.heat_map(STUDY.head(0)), "a study without rows"),
        (lambda: charts.heat_map(STUDY.drop("src_rate")), "the column src_rate"),
        (lambda: charts.heat_map(pl.concat([STUDY, STUDY])), "two rows of len on en-xx, clean 0 0"),
        (
            lambda: charts.by_rate(STUDY.filter(pl.col("src_rate") != pl.col("tgt_rate"))),
            "no delete with the same rate on both sides",
        ),
        (lambda: dots.by_scenario(STUDY.drop("alignment_rate")), "the column alignment_rate"),
        (lambda: dots.by_scenario(many()), "none of the scenarios of a comparison"),
        (lambda: dots.by_tuned(TUNED.drop("rate")), "a tuned parameter twice"),
        (lambda: dots.by_tuned(TUNED.drop("recall")), "the column recall"),
        (lambda: dots.by_tuned(TUNED.head(0)), "without recall"),
        (lambda: beads_page(STUDY.head(0)), "a study without rows"),
        (lambda: beads_page(STUDY.drop("n_both_pairs")), "the column n_both_pairs"),
        (lambda: beads_page(STUDY, published=STUDY.drop("method")), "the column method"),
        (lambda: beads_page(STUDY, tuning=STUDY), "the column tuned"),
    ],
)
def test_bad_tables(chart, message):
    with pytest.raises(InputError, match=re.escape(message)):
        chart()


# --- the page


def test_sums_of_parts_equal_those_of_the_counts():
    parts = pl.concat(
        [
            STUDY,
            STUDY.with_columns(pl.col(COUNTS) * 3).with_columns(n_both_pairs=pl.lit(0, pl.Int64)),
        ]
    )
    found = summed(parts)
    assert found.height == STUDY.height
    assert found["method"].to_list() == STUDY["method"].to_list()
    for one, was in zip(found.to_dicts(), STUDY.to_dicts(), strict=True):
        assert one["n_hyp"] == 4 * was["n_hyp"]
        assert one["n_both_pairs"] == was["n_both_pairs"]
        assert one["seconds"] == 1
        assert one["signature"] == was["signature"]
        assert one["alignment_rate"] == pytest.approx(was["alignment_rate"])
        for name in ("pair_precision", "pair_recall"):
            quarter = None if was[name] is None else pytest.approx(was[name] / 4)
            assert one[name] == quarter
        assert one["strict_recall"] == (
            one["n_gold_strict"] / one["n_gold"] if one["n_gold"] else None
        )


def test_a_page_of_a_study(tmp_path):
    published = pl.DataFrame(
        [
            (corpus, "clean", 0.0, 0.0, "len", *figures)
            for corpus, *figures in (("en-xx", 1.0, 0.8, 0.005), ("en-yy", None, 0.6, 0.003))
        ],
        ["corpus", "scenario", "src_rate", "tgt_rate", "method", *charts.MEASURES],
        orient="row",
    )
    page = beads_page(
        STUDY, published=published, tuning=TUNED, published_tuning=TUNED[:1], notes=["a note"]
    )
    cells = {tuple(one[:2]): one[2:] for one in page.table.rows}
    assert len(cells) == 3 * 6
    assert page.table.heads[2:8] == ["LEN P", "LEN R", "LEN A", "MRE P", "MRE R", "MRE A"]
    assert [cell.split("\n")[1] for cell in cells["en-xx", "clean"][:3]] == [
        "(100)",
        "(80)",
        "(<1)",
    ]
    assert cells["en-yy", "clean"][:3] == ["98.9\n(N/A)", "90.0\n(60)", "91.0\n(<1)"]
    assert cells["en-yy", "clean"][3:6] == ["98.6", "80.0", "81.1"]
    means = cells["mean of all", "clean"]
    assert [cell.split("\n")[1] for cell in means[:3]] == ["(100)", "(70)", "(<1)"]
    assert means[3:6] == ["98.5", "75.0", "76.2"]
    assert cells["en-xx", "randomize"][:3] == ["N/A", "0.0", "0.0"]
    assert cells["mean of all", "randomize"][:3] == ["N/A", "0.0", "0.0"]
    assert [figure.name for figure in page.figures] == [
        "scenarios",
        *("delete-rates", "delete-pair_recall", "delete-alignment_rate", "delete-pair_precision"),
        *("combine-rates", "combine-pair_recall", "combine-alignment_rate"),
        *("combine-pair_precision", "tuning"),
    ]
    (tuned,) = page.tables
    assert tuned.rows[0][:5] == ["en-xx", "none", "85.0\n(85.0)", "99.0", "0.02, 20, 0.99"]
    assert [one[1] for one in tuned.rows[1:]] == [
        *("skip (PRIOR)", "band (SIZE)", "threshold", "all"),
    ]
    assert tuned.rows[4][5] == "74.0"
    assert tuned.rows[4][7] == "0.02, 20, 0.99"
    plain = TUNED.drop("skip", "band", "threshold", "corpus").filter(pl.col("rate") == 0.2)
    little = study_of(["en-xx"], ["mre"], ["delete", "combine"])
    (tuned,) = beads_page(little, tuning=plain.drop("rate", "precision")).tables
    assert tuned.heads == ["Text", "Tuned", "recall", "precision"]
    assert tuned.rows[0] == ["", "none", "70.0", "N/A"]
    assert page.signature == "beads:len beads:mre beads:mre+"
    page.write(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text("utf-8")
    assert "20 scenarios of noise, made of 2 texts (en-xx, en-yy), aligned by LEN, MRE, " in text
    assert "a note" in text


def test_a_minimal_page(tmp_path):
    """One scenario that is not in the paper's table 1; names that would break a page."""
    little = STUDY.filter(
        pl.col("corpus") == "en-xx", pl.col("scenario") == "delete", pl.col("src_rate") == 0
    ).with_columns(corpus=pl.lit(EVIL))
    page = beads_page(little, title=EVIL)
    assert [one[:2] for one in page.table.rows] == [
        [EVIL, "delete 0% / 5%"],
        [EVIL, "delete 0% / 15%"],
    ]
    (figure,) = page.figures  # too few rates for a heat map, and none on both sides
    assert figure.name == "scenarios"
    assert figure.caption == ""
    page.write(tmp_path / "page.html")
    html = (tmp_path / "page.html").read_text("utf-8")
    assert "<b>" not in html
    assert "</script>" not in re.sub(r"<script>.*?</script>", "", html, flags=re.DOTALL)
    drawable(figure.chart)
    tuned = TUNED[:5].with_columns(corpus=pl.lit(EVIL), tuned=pl.lit(EVIL) + pl.col("tuned"))
    spec, svg = drawable(dots.by_tuned(tuned))
    assert len(rows(spec)) == 5
    assert "stroke-dasharray" in svg


def test_a_page_shows_all_of_up_to_twelve_scenarios():
    scenarios = [("clean", 0.0, 0.0), ("delete", 0.1, 0.15000000000000002), ("delete", 0.2, 0.2)]
    scenarios += [("combine", 0.05, rate) for rate in (0.0, 0.05, 0.1, 0.15)]
    scenarios += [("length-aligned", 0.0, 0.0), ("randomize", 0.0, 0.0)]
    study = pl.DataFrame(
        [row("en-xx", one, rates, name) for one, *rates in scenarios for name in ("len", "mre")]
    )
    page = beads_page(study)
    shown = [one[1] for one in page.table.rows]
    assert shown == [dots.scenario_name(*one) for one in scenarios]
    assert all(all(one) for one in page.table.rows)
    names = {figure.name: figure for figure in page.figures}
    spec, _ = drawable(names["scenarios"].chart)
    assert {one["name"] for one in rows(spec)} == set(shown)
    assert (
        "In length-aligned and randomize, pairs are out of order or there are none"
        in names["scenarios"].caption
    )
    # Two deletion settings make no grid; four combination settings do.
    assert {name.removesuffix("_recall") for name in names if "pair_r" in name} == {"combine-pair"}
    assert {"delete-rates", "combine-rates"} <= names.keys()
    short = beads_page(study.filter(pl.col("scenario") != "length-aligned"))
    assert "In randomize, pairs are out of order" in short.figures[0].caption
    alone = study.filter(pl.col("scenario") == "delete")
    assert [figure.name for figure in beads_page(alone).figures] == ["scenarios"]
    thirteen = beads_page(many())
    assert thirteen.table.rows[0][1] == "delete 0% / 1%"
    assert thirteen.figures[0].name == "delete-pair_recall"


def test_settings_with_too_little_precision_are_marked():
    tuning = TUNED.with_columns(met=pl.col("tuned") != "skip")
    little = study_of(["en-xx"], ["mre"], ["delete", "combine"])
    (table,) = beads_page(little, tuning=tuning).tables
    assert [one[2].endswith(" *") for one in table.rows] == [False, True, False, False, False]
    assert "*: no setting reached the required precision" in table.title
    assert [one[1] for one in table.rows] == ["none", "skip", "band", "threshold", "all"]
    (table,) = beads_page(little, tuning=TUNED).tables
    assert "*" not in table.title


def test_noise_of_tuning_is_named():
    tuning = TUNED.with_columns(scenario=pl.lit("combine"))
    spec, _ = drawable(dots.by_tuned(tuning))
    assert {one["rate"] for one in rows(spec)} == {"5% combined", "20% combined"}
    tuning = TUNED[:5].with_columns(scenario=pl.lit("randomize"))
    assert {one["rate"] for one in rows(dots.by_tuned(tuning).to_dict())} == {"randomize"}


def test_missing_methods_leave_cells_empty():
    holed = STUDY.filter(
        ~(
            (pl.col("method") == "mre")
            & (pl.col("scenario") == "clean")
            & (pl.col("corpus") == "en-xx")
        )
    )
    page = beads_page(holed)
    cells = {tuple(one[:2]): one[2:] for one in page.table.rows}
    assert cells["en-xx", "clean"][3:6] == [""] * 3
    assert cells["mean of all", "clean"][3:6] == [""] * 3
    assert all(cells["mean of all", "clean"][:3])
    assert all(cells["en-yy", "clean"])
    assert page.table.heads[2::3] == ["LEN P", "MRE P", "MRE+ P"]
    drawn = rows(drawable(page.figures[0].chart)[0])
    assert len(drawn) == 3 * (2 * 3 * 6 - 1)


# --- the command


def test_the_command(tmp_path):
    study_of(["en-xx"], ["mre"], ["combine"]).write_parquet(tmp_path / "study.parquet")
    TUNED.write_parquet(tmp_path / "tuned.parquet")
    words = ["study.parquet", "-o", "page.html", "--tuning", "tuned.parquet", "--json"]
    words += ["--figures", "figures", "--set", "figure-format=svg", "--set", "title=Noise & co"]
    printed, _ = run("report", *words, folder=tmp_path)
    found = json_of(printed)
    assert found["report"] == "page.html"
    assert len(found["figures"]) == 6
    for path in found["figures"]:
        assert (tmp_path / path).read_text("utf-8").startswith("<svg")
    assert "<h1>Noise &amp; co</h1>" in (tmp_path / "page.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("absent.parquet", None, "no such file"),
        ("text.parquet", b"corpus,scenario\n", "is not a Parquet file"),
    ],
)
def test_files_that_are_not_studies(tmp_path, name, content, said):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=said):
        read_table(tmp_path / name)
    _, told = run("report", name, "-o", "page.html", folder=tmp_path, code=2)
    assert f"error: {name}: " in told
    assert said in told
    assert not (tmp_path / "page.html").exists()


# --- the paper's study on a small scale


@pytest.fixture(scope="module")
def program():
    return helpers_study.program("zaidan_chowdhary")


def test_published_figures_are_complete(program):
    table = program.table_1()
    assert table.height == 3 * 5 * 3
    means = table.group_by("scenario", "method").agg(pl.col("pair_recall", "alignment_rate").mean())
    # The paper's own means over the three language pairs, in whole percent.
    for scenario, method, *wanted in (
        ("clean", "len", 68, 68),
        ("delete", "mre", 57, 55),
        ("combine", "mre+", 85, 82),
        ("length-aligned", "mre", 0, 12),
    ):
        found = means.filter(scenario=scenario, method=method).row(0)[2:]
        assert [100 * one for one in found] == pytest.approx(wanted, abs=0.7)
    recall = program.tables_2_and_3()
    assert recall.height == 3 * 2 * 5
    gains = recall.pivot("tuned", index=["corpus", "rate"], values="recall")
    rise = (gains["all"] - gains["none"]).to_list()
    assert 100 * max(rise) == pytest.approx(14.7)


def test_statements_are_checked(program):
    """A statement holds where it should, and does not with reversed figures."""
    good = study_of(("en-es",))
    found = program.statements(good, TUNED.with_columns(corpus=pl.lit("en-es")))
    rising, *_ = (cases for text, (cases, _) in found.items() if text.startswith("recall rises"))
    assert rising == [False] * 3  # the invented figures fall from len to mre+
    names = {"len": "mre+", "mre+": "len"}
    other = program.statements(good.with_columns(pl.col("method").replace(names)), TUNED)
    rising, *_ = (cases for text, (cases, _) in other.items() if text.startswith("recall rises"))
    assert rising == [True] * 3
    prior, *_ = (cases for text, (cases, _) in found.items() if "the prior is worth" in text)
    assert prior == [False]
    least, *_ = (cases for text, (cases, _) in found.items() if "at least 98%" in text)
    assert least == [True] * 5
    verdict = helpers_study.program("study").verdict
    assert verdict([True, False]) == "holds in 1 of 2 cases"
    assert verdict([False]) == verdict(False) == "does not hold"


def test_the_study_on_a_small_scale(program, corpora, tmp_path, capsys):
    program.main([str(corpora), "--quick", "--out", str(tmp_path)])
    study = pl.read_parquet(tmp_path / "study.parquet")
    assert set(study["corpus"]) == {"en-es", "en-zh"}
    assert set(study["method"]) == set(program.METHODS)
    # Both halves of a text with one name; different texts in both directions.
    assert study.filter(corpus="en-zh", scenario="clean", method="len").height == 2
    assert study.filter(corpus="en-zh", scenario="different", method="len").height == 4
    assert study.filter(corpus="en-es", scenario="clean")["n_src"].to_list() == [program.QUICK] * 3
    clean = study.filter(corpus="en-es", scenario="clean")
    assert clean["pair_precision"].min() > 0.98
    assert clean["pair_recall"].min() > 0.5
    tried = pl.read_parquet(tmp_path / "tried.parquet")
    assert set(tried["skip"]) == {0.02, 0.2}
    text = (tmp_path / "report.html").read_text("utf-8")
    assert "Best settings of every run, with all parameters tuned" in text
    assert text.count("<h2>") >= 4
    shown = capsys.readouterr().out
    assert "length-aligned: MRE" in shown
    assert "holds" in shown
