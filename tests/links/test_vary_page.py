"""The package's own aligners in studies of text, the studies' charts, and the report."""

import math
import pickle
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars as pl
import pytest
from helpers.cli import json_of, run
from helpers.study import program

from alignframe import aligners, formats, links, stats
from alignframe.errors import DataWarning, InputError
from alignframe.links import vary_charts as charts
from alignframe.links import vary_page
from alignframe.links.correlation import Correlated
from alignframe.pages.page import Figure, Page, Table

GOLD = 24
METHODS = ["intersection", "union"]


@pytest.fixture(scope="module")
def text(bundled):
    return formats.read_bitext(bundled / "text.en", bundled / "text.fr")


@pytest.fixture(scope="module")
def gold(bundled):
    return formats.read(bundled / "gold.talp").slice(0, GOLD)


@pytest.fixture(scope="module")
def vary():
    return program("fraser_marcu_vary")


def written(frame):
    return [[(link["i"], link["j"]) for link in row] for row in frame["links"].to_list()]


def read(path):
    pairs = [line.split() for line in Path(path).read_text("utf-8").splitlines()]
    return [[tuple(map(int, pair.split("-"))) for pair in row] for row in pairs]


# --- an aligner as a function of paths


@pytest.mark.parametrize("model", ["ibm1", "hmm", "bayes"])
def test_a_function_writes_forward_links(bundled, text, tmp_path, model):
    made = aligners.aligner(model)
    made(str(bundled / "text.en"), str(bundled / "text.fr"), str(tmp_path / "out"))
    wanted = aligners.align(text, model=model, symmetrize="none")
    assert read(tmp_path / "out") == written(wanted)
    again = pickle.loads(pickle.dumps(made))
    again(str(bundled / "text.en"), str(bundled / "text.fr"), str(tmp_path / "again"))
    assert (tmp_path / "again").read_bytes() == (tmp_path / "out").read_bytes()


def test_options_reach_the_model_and_its_name(bundled, text, tmp_path):
    made = aligners.aligner("hmm", seed=3, iterations=1, threshold=0.4)
    made(str(bundled / "text.en"), str(bundled / "text.fr"), str(tmp_path / "out"))
    options = {"seed": 3, "iterations": 1, "threshold": 0.4}
    assert read(tmp_path / "out") == written(
        aligners.align(text, model="hmm", symmetrize="none", **options)
    )
    assert repr(made) == (
        "alignframe.aligners.aligner('hmm', seed=3, max_length=200, threshold=0.4, iterations=1)"
    )


def test_sentences_that_cannot_be_aligned_have_empty_lines(tmp_path):
    (tmp_path / "a").write_text("a b\n\na\n" + "a " * 9 + "\n")
    (tmp_path / "b").write_text("x y\nx\nx\ny\n")
    made = aligners.aligner("hmm", max_length=5)
    with pytest.warns(DataWarning, match="1 with more than 5"):
        made(str(tmp_path / "a"), str(tmp_path / "b"), str(tmp_path / "out"))
    lines = read(tmp_path / "out")
    assert [bool(row) for row in lines] == [True, False, True, False]


def test_a_function_that_is_asked_to_stop(bundled, tmp_path):
    made = aligners.aligner("hmm")
    made.stop()
    with pytest.raises(InterruptedError, match="after iteration 1 of "):
        made(str(bundled / "text.en"), str(bundled / "text.fr"), str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("model", "options", "said"),
    [
        ("ibm9", {}, "unknown model 'ibm9'"),
        ("hmm", {"samplers": 2}, "unknown hmm option 'samplers'"),
        ("hmm", {"threshold": 1.5}, "`threshold` is 1.5"),
    ],
)
def test_bad_aligners(model, options, said):
    with pytest.raises(InputError, match=said):
        aligners.aligner(model, **options)


# --- studies


@pytest.fixture(scope="module")
def made(text, gold, tmp_path_factory):
    """A study of the HMM: its folder and scores."""
    home = tmp_path_factory.mktemp("study")
    return home, study_of(text, gold, "hmm").run(home)


def study_of(text, gold, model, **options):
    options = {"fractions": [2], "symmetrize": METHODS, "alpha": [0.1, 0.3, 0.5, 0.7], **options}
    return links.QualityStudy(
        text.slice(GOLD), text.slice(0, GOLD), gold, aligners.aligner(model), **options
    )


@pytest.mark.parametrize("method", METHODS)
def test_the_two_passes_are_the_two_directions(text, gold, made, method):
    """The second pass has the sides swapped; its links are those of the reverse direction."""
    home, _ = made
    whole = aligners.align(text, model="hmm", symmetrize=method, together=False)
    assert read(home / "alignments" / f"1.{method}.talp") == written(whole[GOLD:])
    kept = pl.read_parquet(home / "gold" / f"1.{method}.parquet")
    assert written(kept) == written(whole[:GOLD])


def test_threads_change_nothing(text, gold, made, tmp_path):
    with ThreadPoolExecutor(3) as executor:
        assert study_of(text, gold, "hmm").run(tmp_path, threads=executor).equals(made[1])


def test_a_folder_belongs_to_a_model(text, gold, made):
    with pytest.raises(InputError, match=r"aligner\('hmm', seed=1, max_length=200\)"):
        study_of(text, gold, "ibm1").run(made[0])


def test_command_takes_a_name(text, gold, made, bundled, tmp_path):
    for side in ("en", "fr"):
        lines = (bundled / f"text.{side}").read_text("utf-8").splitlines(keepends=True)
        (tmp_path / f"gold.{side}").write_text("".join(lines[:GOLD]), "utf-8")
        (tmp_path / f"text.{side}").write_text("".join(lines[GOLD:]), "utf-8")
    sure = (bundled / "gold.talp").read_text().splitlines(keepends=True)[:GOLD]
    (tmp_path / "gold.talp").write_text("".join(sure))
    words = [
        *(tmp_path / "text.en", tmp_path / "text.fr"),
        *("--gold-src", tmp_path / "gold.en", "--gold-tgt", tmp_path / "gold.fr"),
        *("--gold", tmp_path / "gold.talp", "--fractions", "2", "--alpha", "0.1,0.3,0.5,0.7"),
        *("--symmetrize", "intersection,union", "-o", tmp_path / "study", "--json"),
    ]
    out, _ = run("links", "vary", *words, "--aligner", "hmm", "--jobs", "2")
    assert json_of(out) == made[1].to_dicts()
    kept = (tmp_path / "study" / "aligner.txt").read_text()
    assert kept == "alignframe.aligners.aligner('hmm', seed=1, max_length=200)\n"
    out, said = run("links", "vary", *words, "--aligner", "hmmm", code=2)
    assert out == ""
    assert "unknown --aligner 'hmmm'; expected one of ibm1, hmm, ibm4, bayes, or a command" in said


# --- charts


def scores(models=("hmm", "bayes"), runs=("1-4", "1-2", "1", "x2", "x6"), groups=("one", "two")):
    """Return scores that improve with more text; AER and F(0.1) disagree on the best group."""
    rows = []
    for m, model in enumerate(models):
        for r, name in enumerate(runs):
            for g, group in enumerate(groups):
                aer = 0.3 - 0.1 * m - 0.02 * r + 0.3 * g
                rows.append(
                    {
                        "model": model,
                        "system": f"{model}.{name}.{group}",
                        "run": name,
                        "group": group,
                        "precision": 0.95 - 0.4 * g + 0.01 * r,
                        "recall": 0.6 + 0.2 * g + 0.02 * r,
                        "aer": aer,
                        "f_0.1": 0.6 + 0.05 * m + 0.02 * r + 0.2 * g,
                        "f_0.3": 0.5 + 0.01 * r - 0.1 * g,
                        "f_0.5": 1 - aer,
                        "f_0.7": 1 - aer,
                        "signature": "made",
                    }
                )
    return pl.DataFrame(rows)


def drawn(chart):
    return [row for data in chart.to_dict()["datasets"].values() for row in data]


@pytest.mark.parametrize("make", [charts.aer_by_text, charts.precision_by_recall])
def test_charts_have_one_point_per_alignment(make):
    rows = drawn(make(scores()))
    assert len(rows) == 20
    times = {row["amount"]: row["times"] for row in rows}
    assert times == {"1/4": 0.25, "1/2": 0.5, "1": 1.0, "×2": 2.0, "×6": 6.0}
    assert {row["model"] for row in rows} == {"hmm", "bayes"}
    measure = "aer" if make is charts.aer_by_text else "precision"
    values = scores().select("system", measure).rows()
    assert sorted((row["system"], row["value"]) for row in rows) == sorted(values)


def test_f_has_one_panel_per_alpha():
    frame = scores()
    chart = charts.f_by_text(frame, [0.1, 0.5])
    rows = drawn(chart)
    assert len(rows) == 40
    for name, alpha in (("f_0.1", "α = 0.1"), ("f_0.5", "α = 0.5")):
        mine = {row["system"]: row["value"] for row in rows if row["alpha"] == alpha}
        assert mine == dict(frame.select("system", name).rows())
    assert set(chart.to_dict()["facet"]) == {"column", "row"}
    with pytest.raises(InputError, match="no α"):
        charts.f_by_text(frame, [])


def test_one_aligner_has_one_panel(made):
    frame = made[1]
    assert "model" not in frame.columns
    assert "facet" not in charts.aer_by_text(frame).to_dict()
    assert "facet" not in charts.precision_by_recall(frame).to_dict()
    assert set(charts.f_by_text(frame).to_dict()["facet"]) == {"column"}


def test_undefined_figures_are_left_out():
    frame = scores().with_columns(
        aer=pl.when(run="1").then(0.0).otherwise("aer"),
        precision=pl.when(run="1-4").then(None).otherwise("precision"),
    )
    assert {row["amount"] for row in drawn(charts.aer_by_text(frame))} == {"1/4", "1/2", "×2", "×6"}
    shown = drawn(charts.precision_by_recall(frame))
    assert {row["amount"] for row in shown} == {"1/2", "1", "×2", "×6"}


@pytest.mark.parametrize("name", ["", "2", "1-", "1-0", "x", "x0", "x-2", "1-2-3", "half"])
def test_runs_with_other_names(name):
    with pytest.raises(InputError, match=f"the run '{name}'; expected a name such as 1-16"):
        charts.aer_by_text(scores(runs=[name]))


def test_charts_of_bad_tables():
    with pytest.raises(InputError, match="expected the column aer"):
        charts.aer_by_text(scores().drop("aer"))
    with pytest.raises(InputError, match=r"expected the column f_0\.2"):
        charts.f_by_text(scores(), [0.2])
    with pytest.raises(InputError, match="scores without aer"):
        charts.aer_by_text(scores().clear())
    with pytest.raises(InputError, match="scores without aer"):
        charts.aer_by_text(scores().with_columns(aer=pl.lit(0.0)))


@pytest.mark.parametrize("frame", [scores(), scores(["hmm"], ["1"], ["one"])])
def test_charts_can_be_drawn(tmp_path, frame):
    made = (charts.aer_by_text, charts.f_by_text, charts.precision_by_recall)
    figures = [Figure(make.__name__, make(frame)) for make in made]
    for path in Page("", "", Table([], []), figures).write_figures(tmp_path):
        assert path.stat().st_size > 5_000


# --- the report


def test_findings(vary):
    frame = scores(groups=("intersection", "refined"))
    found = vary.findings(frame)
    holds = {statement: value for statement, (value, _) in found.items()}
    assert list(holds.values()) == [True, True, True, True, True]
    assert "16 of 16 steps" in found["more text lowers AER at every step"][1]
    worse = frame.with_columns(aer=pl.when(run="x6").then(0.9).otherwise("aer"))
    assert not vary.findings(worse)["more text lowers AER at every step"][0]


def test_captions_follow_from_the_figures():
    """Every sentence under a chart turns around where the figures do."""
    frame = scores()
    turned = frame.with_columns(-pl.col("precision", "recall", "^f_.*$"))
    alike = frame.with_columns(precision=pl.col("recall"))

    def captions(figures):
        return {one.name: one.caption for one in vary_page.figures_of(figures)}

    said = captions(frame)["precision-recall"]
    assert said.startswith(
        "More text raises precision at 16 of 16 steps and raises recall at 16 of 16"
    )
    assert said.endswith("has the lower recall in 10 of 10 pairs.")
    said = captions(turned)["precision-recall"]
    assert said.startswith(
        "More text raises precision at 0 of 16 steps and raises recall at 0 of 16"
    )
    assert captions(alike)["precision-recall"].endswith("has the lower recall in 0 of 10 pairs.")
    best = (
        "A low α weights recall. The method that is most often best is by F(0.1) {} (10 of 10), by "
    )
    assert captions(frame)["f-by-text"] == best.format("two") + "F(0.7) one (10 of 10)."
    assert captions(turned)["f-by-text"] == best.format("one") + "F(0.7) two (10 of 10)."


def held_out_by_hand(text, alignment, first, second):
    """Return the held-out score of one alignment, word by word."""
    total = 0
    for src, tgt, place in (("src", "tgt", 0), ("tgt", "src", 1)):
        pairs, single = defaultdict(Counter), Counter()
        for row, linked in zip(text, alignment, strict=True):
            single.update(row[tgt])
            for link in linked:
                pairs[row[src][link[place]]][row[tgt][link[1 - place]]] += 1

        def bits(rows, share, src=src, tgt=tgt, pairs=pairs, single=single):
            found = []
            for row in rows:
                for word in row[tgt]:
                    each = [
                        pairs[one][word] / pairs[one].total() if pairs[one] else 0
                        for one in row[src]
                    ]
                    plain = max(single[word], 1) / single.total()
                    found.append(math.log2((1 - share) * sum(each) / len(row[src]) + share * plain))
            return sum(found) / len(found)

        shares = [k / 40 for k in range(1, 40)]
        total += bits(second, max(shares, key=lambda share: bits(first, share)))
    return total / 2


def test_held_out_score(vary, text, made):
    home, _ = made
    test = text.slice(0, GOLD)
    found = vary.held_out({"hmm": home}, METHODS, text.slice(GOLD), test)
    assert sorted(found["system"]) == sorted(
        f"hmm.{name}.{method}" for name in ("1-2", "1") for method in METHODS
    )
    rows, tested = text.slice(GOLD).to_pylist(), test.to_pylist()
    for system, score in found.iter_rows():
        alignment = read(home / "alignments" / f"{system.removeprefix('hmm.')}.talp")
        halves = tested[: GOLD // 2], tested[GOLD // 2 :]
        assert score == pytest.approx(held_out_by_hand(rows, alignment, *halves), abs=1e-9)
    assert found["score"].n_unique() == 4


def test_phrases_of_pieces(vary, text, gold, made):
    home, _ = made
    words = text.slice(0, GOLD)
    found = vary.gold_links({"hmm": home}, ["union"])
    names = ["hmm.1-2.union.1", "hmm.1-2.union.2", "hmm.1.union.1"]
    assert sorted(found["system"].unique()) == names
    scored = dict(vary.phrases_f(found, gold, words, "text-dic1").iter_rows())
    alone = dict(
        vary.fraser_marcu.dictionary_f(found, gold, words, "text-dic1")
        .select("system", "score")
        .iter_rows()
    )
    assert scored["hmm.1-2.union"] == pytest.approx((alone[names[0]] + alone[names[1]]) / 2)
    assert scored["hmm.1.union"] == pytest.approx(alone[names[2]])


def test_statements_on_external_scores(vary):
    """Within a method, 1 - AER follows the score; over both, it does not, but F(0.1) does."""
    rows, scores = [], {}
    for g, group in enumerate(("one", "two")):
        for k in range(5):
            system = f"hmm.{k}.{group}"
            # Method two has twice the links, finds more of the Sure ones, and makes more errors.
            found, wrong = 40 + 4 * k + 20 * g, 2 + 60 * g
            rows.append(
                {
                    "system": system,
                    "sid": 0,
                    "n_hyp": found + wrong,
                    "n_sure": 100,
                    "n_possible": 100,
                    "n_hyp_sure": found,
                    "n_hyp_possible": found,
                }
            )
            scores[system] = float(found)
    counts = pl.DataFrame(rows)
    table = pl.DataFrame(
        {
            "system": list(scores),
            "score": list(scores.values()),
            "group": [name.split(".")[-1] for name in scores],
        }
    )
    known = stats.correlate(counts, table, by_group=True, bootstrap=0)
    holds = {statement: value for statement, (value, _) in vary.predictions(known).items()}
    within = "1 - AER predicts better within each method than over all"
    assert holds[within]
    assert holds["1 - AER predicts worse than F with the best alpha"]
    turned = table.with_columns(score=-pl.col("score"))
    falling = stats.correlate(counts, turned, by_group=True, bootstrap=0)
    assert not vary.predictions(falling)[within][0]


def test_the_study_on_a_small_scale(vary, text, gold, monkeypatch, tmp_path):
    """The program from texts to pages, on the bundled sentences."""
    parts = ((0, GOLD), (GOLD, 16), (40, 16), (56, 16))
    pages = {}
    for name, value in {
        "MULTIPLES": (2,),
        "METHODS": METHODS,
        "HEURISTICS": METHODS,
        "texts": lambda folder: vary.Texts(*(text.slice(*part) for part in parts)),
        "gold": lambda folder: gold,
    }.items():
        monkeypatch.setattr(vary, name, value)
    monkeypatch.setattr(Correlated, "page", lambda found: found.score_name)
    monkeypatch.setattr(vary.Run, "page", lambda self, page, stem: pages.update({stem: page}))
    for folder in ("hansards-wpt03", "europarl-enfr"):
        (tmp_path / folder).mkdir()
    vary.main([str(tmp_path), "ibm1", "2", "--out", str(tmp_path)])
    assert list(pages) == ["vary", "vary-held-out", "vary-moses", "vary-exhaustive"]
    assert "held-out text" in pages["vary-held-out"]
    scored = formats.read_external(tmp_path / "vary-moses.csv")
    assert scored["system"][0].as_py() == "ibm1.1-16.intersection"
