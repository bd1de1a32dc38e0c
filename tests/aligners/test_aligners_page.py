"""Link probabilities against gold, and the charts and report of aligners."""

import math

import duckdb
import polars as pl
import pytest
from helpers.pages import specs_of
from helpers.sql import connected

from alignframe import aligners, formats, links
from alignframe.aligners import bidirectional as both
from alignframe.aligners import charts
from alignframe.aligners.confidence import calibration, long_links, scores_by_threshold
from alignframe.errors import DataWarning, InputError
from alignframe.pages.tables import number


@pytest.fixture(scope="module")
def gold(bundled):
    return formats.read(bundled / "gold.talp")


@pytest.fixture(scope="module")
def models(en_fr):
    return [aligners.fit(en_fr, model="hmm", reverse=reverse) for reverse in (False, True)]


@pytest.fixture(scope="module")
def found(en_fr, models):
    joined = aligners.align_with(models, en_fr, posterior=True)
    return pl.concat([*(model.align(en_fr, posterior=True) for model in models), joined])


def with_probabilities(rows):
    """Return alignments of (system, sid, links as text, probabilities)."""
    with connected() as con:
        given = pl.DataFrame(rows, ["system", "sid", "text", "probabilities"], orient="row")
        assert given.height
        return con.sql(
            "select system, sid, parse_links(text) as links, probabilities from given"
        ).to_arrow_table()


TOY = with_probabilities(
    [("s", 0, "0-0 1-1 2-2 3-3", [1.0, 0.9, 0.5, 0.24]), ("s", 1, "0-0", [0.1]), ("s", 2, "", [])]
)


@pytest.fixture(scope="module")
def truth(tmp_path_factory):
    path = tmp_path_factory.mktemp("gold") / "gold.talp"
    path.write_text("0-0 1p1 3-2\n")
    return path


def test_calibration_counts_links_in_gold(truth):
    rows = calibration(TOY, truth, bins=4).to_dicts()
    assert [(row["low"], row["high"], row["links"], row["correct"]) for row in rows] == [
        (0.0, 0.25, 1, 0.0),
        (0.5, 0.75, 1, 0.0),
        (0.75, 1.0, 2, 1.0),
    ]
    assert [row["probability"] for row in rows] == pytest.approx([0.24, 0.5, 0.95])
    for row in rows:
        n, k = row["links"], row["correct"] * row["links"]
        for end in (row["correct_low"], row["correct_high"]):
            # Wilson's ends are where the normal test of k out of n just rejects.
            if 0 < end < 1:
                z = (k / n - end) / math.sqrt(end * (1 - end) / n)
                assert abs(z) == pytest.approx(1.96, abs=0.01)
        assert row["correct_low"] <= row["correct"] <= row["correct_high"]


def test_calibration_equals_sql(found, gold):
    mine = calibration(found, gold)
    with connected() as con:
        assert gold.num_rows
        assert found.height
        rows = con.execute("select * from link_calibration('found', 'gold')").fetchall()
    assert len(rows) == mine.height > 20
    for one, other in zip(mine.iter_rows(), rows, strict=True):
        assert one[0] == other[0]
        assert one[1:] == pytest.approx(other[1:])
    assert mine["links"].sum() == found["links"].list.len().sum()
    for bins in ("0", "-1"):
        with (
            connected() as con,
            pytest.raises(duckdb.Error, match=f"{bins} bins"),
        ):
            con.execute(
                f"select * from link_calibration('found', 'gold', bins := {bins})"
            ).fetchall()


def test_scores_by_threshold_equal_those_of_the_links_kept(found, gold):
    scores = scores_by_threshold(found, gold, [0.0, 0.5, 0.95])
    assert scores.height == 9
    with connected() as con:
        assert found.height
        for threshold in (0.0, 0.5, 0.95):
            kept = con.sql(
                f"select * from confident_links('found', threshold := {threshold})"
            ).to_arrow_table()
            wanted = links.score(kept, gold).scores
            mine = scores.filter(threshold=threshold)
            assert mine["system"].to_list() == wanted["system"].to_list()
            for name in ("links", "precision", "recall", "aer"):
                assert mine[name].to_list() == pytest.approx(wanted[name].to_list())


def test_scores_by_threshold_at_the_ends(truth):
    rows = scores_by_threshold(TOY, truth, [0.24, 0.25, 0.9, 1.0]).to_dicts()
    assert [row["links"] for row in rows] == [4, 3, 2, 1]
    assert [row["precision"] for row in rows] == [2 / 4, 2 / 3, 1, 1]
    assert [row["recall"] for row in rows] == [1 / 2] * 4
    empty = scores_by_threshold(TOY.slice(0, 1), truth, [1.1]).row(0, named=True)
    assert (empty["links"], empty["precision"], empty["recall"]) == (0, None, 0.0)


def test_bad_tables(found, truth):
    with pytest.raises(InputError, match=r"without probabilities.*columns"):
        long_links(found.drop("probabilities"))
    wrong = found.head(2).with_columns(probabilities=pl.Series([[0.5], [0.5]]))
    with pytest.raises(InputError, match="number of probabilities"):
        long_links(wrong)
    with pytest.raises(InputError, match="`bins` is 0"):
        calibration(TOY, truth, 0)
    with pytest.raises(InputError, match=r"no link.* gold"):
        scores_by_threshold(TOY.slice(1), truth)
    with pytest.raises(InputError, match=r"no link.* gold"):
        charts.probability_calibration(TOY.slice(1), truth)
    with pytest.raises(InputError, match="no link with a probability"):
        charts.link_probabilities(TOY.slice(2))
    with pytest.raises(InputError, match="log-likelihood"):
        charts.learning_curve([{"stage": "a", "iteration": 1, "log_likelihood": math.nan}])
    assert long_links(found.clear()).height == 0


def layers(spec, mark):
    return [one for one in spec["layer"] if one["mark"]["type"] == mark]


def rows_of(spec, layer):
    return spec["datasets"][layer["data"]["name"]]


def test_learning_curve(models):
    histories = {"forward": models[0].history, "reverse": models[1].history}
    spec = charts.learning_curve(histories, {"forward": 10, "reverse": 20}).to_dict()
    (line,) = layers(spec, "line")
    drawn = rows_of(spec, line)
    assert [row["value"] for row in drawn] == [
        one["log_likelihood"] / (10 if name == "forward" else 20)
        for name, history in histories.items()
        for one in history
    ]
    assert [row["step"] for row in drawn] == [*range(1, 11)] * 2
    (rule,) = layers(spec, "rule")
    assert {row["stage"]: row["step"] for row in rows_of(spec, rule)} == {"ibm1": 0.5, "hmm": 5.5}
    single = charts.learning_curve(models[0].history, wide=True).to_dict()
    (line,) = layers(single, "line")
    assert rows_of(single, line)[0]["value"] == models[0].history[0]["log_likelihood"]
    assert single["width"] > spec["width"]
    assert single["layer"][2]["encoding"]["y"]["title"] == "log-likelihood of the text"


def test_samplers_are_shown_side_by_side():
    history = [
        {"stage": f"sampler {k}, {stage}", "iteration": n, "log_likelihood": -float(k)}
        for k in (1, 2)
        for stage in ("words", "jumps")
        for n in (1, 2, 3)
    ]
    spec = charts.learning_curve(history).to_dict()
    (line,) = layers(spec, "line")
    drawn = rows_of(spec, line)
    assert [row["step"] for row in drawn] == [*range(1, 7)] * 2
    assert {row["run"] for row in drawn} == {"sampler 1", "sampler 2"}
    assert [one["field"] for one in line["encoding"]["detail"]] == ["run", "stage"]
    (rule,) = layers(spec, "rule")
    assert {row["stage"]: row["step"] for row in rows_of(spec, rule)} == {
        "words": 0.5,
        "jumps": 3.5,
    }


def test_link_probabilities_add_up():
    (drawn,) = charts.link_probabilities(TOY).to_dict()["datasets"].values()
    drawn = {row["limit"]: row["share"] for row in drawn}
    assert drawn[0.0] == 0
    assert drawn[0.09] == 0
    assert drawn[0.1] == pytest.approx(0.2)
    assert drawn[0.24] == pytest.approx(0.4)
    assert drawn[0.9] == pytest.approx(0.8)
    assert drawn[1.0] == 1


def test_calibration_shows_the_number_of_links(found, gold):
    spec = charts.probability_calibration(found, gold).to_dict()
    (points,) = layers(spec, "point")
    assert points["encoding"]["size"]["field"] == "links"
    assert points["encoding"]["y"]["field"] == "correct"
    assert len(rows_of(spec, points)) == calibration(found, gold).height
    values = points["encoding"]["size"]["legend"]["values"]
    assert values == sorted(values)
    assert max(values) <= max(row["links"] for row in rows_of(spec, points))


def test_scores_by_threshold_have_one_panel_per_measure(found, gold):
    spec = charts.scores_over_threshold(found, gold, [0.0, 0.5]).to_dict()
    shown = [panel["layer"][0]["encoding"]["y"]["field"] for panel in spec["concat"]]
    assert shown == ["precision", "recall", "aer"]


@pytest.fixture(scope="module")
def page(en_fr, gold, models):
    return aligners.evaluate(both.read_directions(models, en_fr), en_fr, gold=gold).page(
        title="A <title>"
    )


def test_report(page, en_fr, gold, models, found, tmp_path):
    html = page.html()
    assert list(specs_of(html)) == ["probabilities", "calibration", "thresholds", "learning"]
    assert "A &lt;title&gt;" in html
    assert all(line in html for line in page.signature.split())
    own, *scored = page.signature.split()
    assert own.endswith(
        "|model:hmm|seed:1|max-length:200|symmetrize:grow-diag-final-and|threshold:none"
    )
    judged = links.score(found.drop("probabilities"), gold).evaluated()
    assert scored == judged.page().signature.split()
    names = ["hmm", "hmm-reverse", "hmm.grow-diag-final-and"]
    assert [row[0] for row in page.table.rows] == names
    scores = links.score(found.drop("probabilities"), gold).scores
    assert scores["system"].to_list() == names
    for row, wanted in zip(page.table.rows, scores.iter_rows(named=True), strict=True):
        assert row[1] == f"{wanted['links']:,}"
        figures = [f"{wanted[name]:.4f}" for name in ("precision", "recall", "aer")]
        assert [cell.partition("\n")[0] for cell in row[5:]] == figures
    best = scores.sort("aer", maintain_order=True)
    assert page.lead.split(" (95% interval ")[0].endswith(f"{best['aer'][0]:.4f}")
    assert best["system"][0] in page.lead
    joined = found.filter(system=names[2])
    linked = {(row["sid"], link["i"]) for row in joined.to_dicts() for link in row["links"]}
    words = sum(map(len, en_fr["src"].to_pylist()))
    assert page.table.rows[2][3] == f"{1 - len(linked) / words:.1%}"
    training = page.tables[-1].rows
    assert [row[:3] for row in training] == [
        ["forward", "ibm1", "5"],
        ["forward", "hmm", "5"],
        ["reverse", "ibm1", "5"],
        ["reverse", "hmm", "5"],
    ]
    assert training[1][4] == number(models[0].history[-1]["log_likelihood"], ",.0f")
    assert len(page.write_figures(tmp_path)) == 4


def test_sentences_of_gold_open_their_links_most_errors_first(page, gold, found):
    worst = links.score(found.drop("probabilities"), gold).counts
    errors = worst.select(
        "sid",
        n=pl.col("n_hyp") - pl.col("n_hyp_possible") + pl.col("n_sure") - pl.col("n_hyp_sure"),
    )
    every = errors.group_by("sid").agg(pl.col("n").sum())
    shown = [sum(row["values"][0]) for row in page.sentences.rows]
    assert shown == sorted(every["n"], reverse=True)
    assert page.sentences.rows[0]["detail"]["src"]


def test_report_of_one_direction_without_gold(en_fr, models):
    made = aligners.evaluate(
        both.read_directions(models[1:], en_fr), en_fr, symmetrize="none", threshold=0.4
    ).page()
    assert [figure.name for figure in made.figures] == ["probabilities", "learning"]
    assert [row[0] for row in made.table.rows] == ["hmm-reverse"]
    assert made.table.heads[-1] == "Target unaligned"
    wanted = models[1].align(en_fr, threshold=0.4)["links"].list.len().sum()
    assert made.table.rows[0][1] == f"{wanted:,}"
    assert "in the direction reverse" in made.about
    assert made.signature.endswith("threshold:0.4")


def test_the_least_sure_sentences_open_their_links_without_gold(en_fr, models, found):
    made = aligners.evaluate(both.read_directions(models, en_fr), en_fr).page()
    listed = made.sentences
    assert listed.systems == ["hmm.grow-diag-final-and", "hmm-reverse", "hmm"]
    own = pl.DataFrame(pl.from_arrow(en_fr)).join(
        found.filter(system=listed.systems[0]).filter(pl.col("links").list.len() > 0), on="sid"
    )
    mean = own.with_columns(mean=pl.col("probabilities").list.mean()).sort("mean", "sid")
    assert [row["values"][0][0] for row in listed.rows] == pytest.approx(mean["mean"].to_list())
    for row, wanted in zip(listed.rows, mean.iter_rows(named=True), strict=True):
        detail = row["detail"]
        assert (detail["src"], detail["tgt"]) == (wanted["src"], wanted["tgt"])
        i, j, chances = detail["hyp"][detail["at"][0][0]]
        assert [(a, b) for a, b in zip(i, j, strict=True)] == [
            tuple(link.values()) for link in wanted["links"]
        ]
        assert chances == pytest.approx(wanted["probabilities"], abs=5e-4)
        assert detail["other"] == [None]
    assert "Listed are" not in made.about


def test_report_of_agreement(en_fr, models):
    options = {"symmetrize": "agree", "threshold": 0.3}
    result = aligners.evaluate(both.read_directions(models, en_fr), en_fr, **options)
    made = result.page()
    wanted = aligners.align_with(models, en_fr, **options)
    assert result.links.filter(system="hmm.agree")["links"].equals(wanted["links"])
    assert [*result.tables()] == ["systems", "links"]
    assert made.table.rows[2][:2] == ["hmm.agree", f"{wanted['links'].list.len().sum():,}"]
    forward = models[0].align(en_fr)["links"].list.len().sum()
    assert made.table.rows[0][1] == f"{forward:,}"


def test_both_directions_are_needed_to_join_them(en_fr, models):
    for some, options in (
        (models[:1], {}),
        ([], {"symmetrize": "none"}),
        (models, {"symmetrize": "none"}),
    ):
        with pytest.raises(InputError, match=f"^{len(some)} direction"):
            aligners.evaluate(both.read_directions(some, en_fr), en_fr, **options)
    text = pl.from_arrow(en_fr)
    made = aligners.evaluate(both.read_directions(models[:1], text), text, symmetrize="none")
    assert made.systems["system"].to_list() == ["hmm"]


def test_report_of_text_without_links(models):
    text = pl.DataFrame({"sid": [0], "src": [["a", "b"]], "tgt": [[]]}).to_arrow()
    with pytest.warns(DataWarning, match="1 sentence pair .*empty"):
        made = aligners.evaluate(both.read_directions(models, text), text).page()
    assert [figure.name for figure in made.figures] == ["learning"]
    assert made.sentences is None
    assert made.table.rows[0] == ["hmm", "0", "undefined", "100.0%", "undefined"]
    assert "learning" in specs_of(made.html())
