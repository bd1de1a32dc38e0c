"""Tuning: the settings tried, the choice among them, and the sentences used."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from importlib import import_module

import polars as pl
import pytest
from helpers.beads import lexicon, numbers, parallel_text
from helpers.cli import json_of, run
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from alignframe.beads import Options, align, noise, score, tune
from alignframe.beads.trials import Figures, Trial
from alignframe.beads.tune import GRID, PAPER, _best
from alignframe.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore:.*no sentence pair is certain")
QUIET = pytest.mark.filterwarnings("ignore:.* has no beads of 1 document")
SRC, TGT = parallel_text(120)
SMALL = {"skip": [0.1, 0.25], "band": [4, 20], "threshold": [0.3, 0.7, 0.9]}
ROWS = ["none", "skip", "band", "threshold", "all"]
UNTUNED = (0.02, 20.0, 0.99)
GRID_OF_LEX = ("skip", "band", "threshold", "smoothing", "largest")


@pytest.fixture(scope="module")
def found():
    return tune(SRC, TGT, grid=SMALL, min_precision=0.9)


def spied(monkeypatch, name):
    """Record the arguments of a function of the module."""
    module = import_module("alignframe.beads.tune")
    seen, real = [], getattr(module, name)

    def noting(*given, **options):
        seen.append((given, options))
        return real(*given, **options)

    monkeypatch.setattr(module, name, noting)
    return seen


@pytest.mark.parametrize("learning", [True, False])
def test_the_parts_have_no_sentence_in_common(monkeypatch, learning):
    learnt, noised = spied(monkeypatch, "learn_words"), spied(monkeypatch, "noise")
    model = None if learning else lexicon()
    result = tune(SRC, TGT, model=model, grid=SMALL, parameters=["threshold"], seed=5)
    texts = [given[:2] for given, _ in learnt] + [given[1:] for given, _ in noised]
    held = [[numbers(side) for side in text] for text in texts]
    assert all(src == tgt for src, tgt in held)
    assert [number for src, _ in held for number in src] == list(range(120))
    parts = ["model", "tuning", "evaluation"] if learning else ["tuning", "evaluation"]
    size = 120 // len(parts)
    assert result.parts == {name: (k * size, (k + 1) * size) for k, name in enumerate(parts)}
    assert [options["seed"] for _, options in noised] == [5, 6]
    assert [src for src, _ in held][-1] == list(range(120 - size, 120))


@QUIET
def test_figures_equal_those_of_each_setting_alone():
    noisy = noise("delete", SRC[:60], TGT[:60], src_rate=0.2, tgt_rate=0.2)
    settings = [
        Options("len", skip=skip, band=band, threshold=threshold)
        for skip in (0.02, 0.2)
        for band in (3.0, 20.0)
        for threshold in (0.99, 0.05, 0.6, 0.9)
    ]
    trial = Trial.of("letters", None, noisy, "document")
    told = []
    figures = trial.figures(settings, progress=lambda *said: told.append(said))
    assert told == [(k, 4) for k in range(1, 5)]
    assert list(figures) == settings
    beads = {str(one): align(noisy.src, noisy.tgt, **asdict(one)) for one in settings}
    lengths = pl.DataFrame({"doc": ["document"], "n_src": [48], "n_tgt": [48]})
    wanted = {
        row["system"]: row for row in score(beads, noisy.gold, lengths=lengths).scores.to_dicts()
    }
    for one, got in figures.items():
        row = wanted[str(one)]
        assert got == (row["pair_precision"], row["pair_recall"], row["alignment_rate"])
    assert len(set(figures.values())) > 6


def test_beads_are_scored_in_batches(monkeypatch):
    noisy = noise("delete", SRC[:40], TGT[:40], src_rate=0.1, tgt_rate=0.1)
    settings = [Options("len", skip=skip, threshold=0.5) for skip in (0.02, 0.1, 0.2)]
    trial = Trial.of("letters", None, noisy, "document")
    whole = trial.figures(settings)
    module = import_module("alignframe.beads.trials")
    sizes, real = [], module.scored

    def noting(beads, *given):
        sizes.append(len(beads))
        return real(beads, *given)

    monkeypatch.setattr(module, "scored", noting)
    monkeypatch.setattr(module, "MAX_ROWS", 40)
    assert trial.figures(settings) == whole
    assert len(sizes) > 1
    assert sum(sizes) == 3


def test_nothing_is_aligned_twice(monkeypatch):
    module = import_module("alignframe.beads.trials")
    seen, real = [], module.aligned

    def noting(text, options, model):
        seen.append((text.name, options.skip, options.band))
        return real(text, options, model)

    monkeypatch.setattr(module, "aligned", noting)
    result = tune(SRC, TGT, method="len", grid=SMALL)
    assert len(seen) == len(set(seen))
    assert len([one for one in seen if one[0] == "the tuning set"]) == 3 * 2
    assert result.tried.height == 3 * 2 * 4
    chosen = {row[:2] for row in result.best.select("skip", "band").rows()}
    assert {one[1:] for one in seen if one[0] == "the evaluation set"} == chosen


def test_each_row_tunes_its_own_parameters(found):
    assert found.best.select("corpus", "scenario", "rate").unique().rows() == [
        ("corpus", "delete", 0.2)
    ]
    found = replace(found, best=found.best.drop("corpus", "scenario", "rate"))
    assert found.best.columns == [
        *("tuned", "skip", "band", "threshold"),
        *("tuning_precision", "tuning_recall", "precision", "recall", "met"),
    ]
    assert found.best["tuned"].to_list() == ROWS
    assert found.best["met"].to_list() == [True] * 5
    assert found.noise == ("delete", 0.2, 0.2)
    assert found.tried.columns == [
        *("skip", "band", "threshold", "precision", "recall", "alignment_rate"),
    ]
    tried = {row[:3]: row[3:5] for row in found.tried.rows()}
    assert len(tried) == found.tried.height == 3 * 2 * 4
    best = {row[0]: row[1:4] for row in found.best.rows()}
    assert best["none"] == UNTUNED
    for place, name in enumerate(ROWS[1:4]):
        assert all(best[name][k] == UNTUNED[k] for k in range(3) if k != place)
    for row in found.best.rows():
        assert row[4:6] == tried[row[1:4]]
    # With the untuned values, precision suffices, so that recall can only rise.
    precision, recalls = found.best["tuning_precision"], found.best["tuning_recall"].to_list()
    assert precision.min() >= 0.9
    assert recalls[0] <= min(recalls[1:4])
    assert max(recalls[1:4]) <= recalls[4]
    assert best["all"] != UNTUNED


def test_tuning_helps_on_the_evaluation_set(found):
    recalls = dict(found.best.select("tuned", "recall").iter_rows())
    assert recalls["all"] > recalls["none"]


def test_the_same_seed_gives_the_same_result(found):
    with ThreadPoolExecutor(2) as executor:
        again = tune(SRC, TGT, grid=SMALL, min_precision=0.9, threads=executor)
    assert again.best.equals(found.best)
    assert again.tried.equals(found.tried)
    assert again.signature == found.signature
    wanted = "|smoothing:0.3|noise:delete:0.2:0.2|seed:1|min-precision:0.9|skip:0.02/0.1/0.25|"
    assert wanted in found.signature
    other = tune(SRC, TGT, grid=SMALL, seed=2)
    assert not other.tried.equals(found.tried)


def test_options_of_lex_are_tuned():
    grid = {"smoothing": [0.2], "largest": [2]}
    result = tune(SRC[:60], TGT[:60], method="lex", parameters=list(grid), grid=grid, threshold=0.5)
    rows = result.best.select("tuned", *GRID_OF_LEX).rows()
    assert rows[0] == ("none", 0.02, 20.0, 0.5, 0.4, 6.0)
    tried = result.tried.select("smoothing", "largest").rows()
    assert sorted(tried) == [(0.2, 2.0), (0.2, 6.0), (0.4, 2.0), (0.4, 6.0)]
    assert [row[0] for row in rows] == ["none", "smoothing", "largest", "all"]
    noisy = noise("delete", SRC[:30], TGT[:30], src_rate=0.2, tgt_rate=0.2, seed=1)
    for row in result.tried.iter_rows(named=True):
        options = {"smoothing": row["smoothing"], "largest": int(row["largest"])}
        beads = align(noisy.src, noisy.tgt, skip=0.02, threshold=0.5, **options)
        wanted = score(beads, noisy.gold).scores["pair_recall"][0]
        assert row["recall"] == (pytest.approx(wanted) if wanted is not None else None)
    with pytest.raises(InputError, match="`smoothing` with the method len"):
        tune(SRC, TGT, method="len", parameters=["smoothing"])


def test_other_untuned_values_and_parameters():
    result = tune(
        SRC,
        TGT,
        method="mre",
        scenario="combine",
        rate=0.1,
        parameters=["threshold"],
        grid={"threshold": [0.5]},
        min_precision=0.0,
        skip=0.1,
        band=9,
    )
    assert result.best["tuned"].to_list() == ["none", "threshold", "all"]
    assert result.tried.select("skip", "band", "threshold").rows() == [
        (0.1, 9.0, 0.99),
        (0.1, 9.0, 0.5),
    ]
    recalls = result.best["tuning_recall"].to_list()
    assert recalls[0] < recalls[1] == recalls[2]


# --- the choice

RATES = st.one_of(st.none(), st.sampled_from([0.0, 0.5, 0.97, 0.98, 0.99, 1.0]))
ALL_VALUES = [
    Options("len", skip=skip, band=band, threshold=threshold)
    for skip in (0.02, 0.1)
    for band in (20.0, 5.0)
    for threshold in (0.99, 0.5, 0.9)
]


@given(
    figures=st.lists(st.tuples(RATES, RATES), min_size=12, max_size=12),
    free=st.sets(st.sampled_from(PAPER)),
    least=st.sampled_from([0.0, 0.98, 1.0]),
)
@limits(max_examples=50)
def test_the_best_is_the_best_of_all(figures, free, least):
    tried = {one: Figures(*pair, None) for one, pair in zip(ALL_VALUES, figures, strict=True)}
    best = _best(tried, ALL_VALUES[0], tuple(free), least)
    able = [
        one
        for one in ALL_VALUES
        if all(
            name in free or value == getattr(ALL_VALUES[0], name)
            for name, value in asdict(one).items()
        )
    ]
    assert best in able
    number = {None: -1.0}
    precise = [
        one
        for one in able
        if (tried[one].precision or 0.0) >= least and tried[one].precision is not None
    ]
    if precise:
        assert best in precise
        wanted = max(number.get(tried[one].recall, tried[one].recall) for one in precise)
        assert number.get(tried[best].recall, tried[best].recall) == wanted
        equal = [one for one in precise if tried[one][:2] == tried[best][:2]]
    else:
        wanted = max(number.get(tried[one].precision, tried[one].precision) for one in able)
        assert number.get(tried[best].precision, tried[best].precision) == wanted
        equal = [one for one in able if tried[one][:2] == tried[best][:2]]
    assert best == equal[0]


# --- errors


MISTAKES = [
    ({"min_precision": 98}, "`min_precision` is 98; expected a number from 0 to 1"),
    ({"parameters": ["unit"]}, "unknown name in `parameters` 'unit'; expected one of skip, band"),
    ({"parameters": []}, "`parameters` is []; expected a list from skip"),
    ({"parameters": "skip"}, "`parameters` is 'skip'"),
    ({"grid": {"merge": [0.1]}}, "values of merge, which is not tuned; expected merge"),
    ({"grid": {"skip": [0.6]}}, "priors of 0.6 (1-0), 0.02 (2-1) and 0.0 (2-2)"),
    ({"grid": {"band": [0]}}, "`band` is 0; expected a number from 1"),
    ({"grid": {"threshold": [None]}}, "`threshold` is None; expected a number"),
    ({"threshold": None}, "`threshold` is None; expected a number"),
    ({"scenario": "different"}, "unknown `scenario` 'different'; expected one of clean, del"),
    ({"rate": 1.0}, "`rate` is 1.0; expected a number of at least 0 and below 1"),
    ({"scenario": "clean", "rate": 0.1}, "a `rate` of 0.1 for clean"),
    ({"method": "moore"}, "unknown `method` 'moore'; expected one of gale-church, len, mre"),
    ({"method": "len", "model": lexicon()}, "`model` with len; expected the method mre+"),
    ({"tgt": TGT[1:]}, "120 source sentences and 119 target sentences; expected parallel sides"),
    (
        {"src": ["a"] * 2, "tgt": ["b"] * 2},
        "2 sentence pairs; expected at least one for each of model, tuning, evaluation",
    ),
    (
        {"src": ["a"], "tgt": ["b"]},
        "1 sentence pair; expected at least one for each of model, tuning, evaluation",
    ),
    ({"src": [], "tgt": []}, "a text without sentences; expected at least one"),
]


@pytest.mark.parametrize(("changed", "said"), MISTAKES)
def test_errors_are_raised_before_anything_is_aligned(monkeypatch, changed, said):
    monkeypatch.delattr(import_module("alignframe.beads.trials"), "aligned")
    given = {"src": SRC, "tgt": TGT} | changed
    with pytest.raises(InputError) as error:
        tune(given.pop("src"), given.pop("tgt"), **given)
    assert str(error.value).startswith(said)


# --- the command


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "text.en").write_text("\n".join(SRC) + "\n")
    (tmp_path / "text.fr").write_text("\n".join(TGT) + "\n")
    return tmp_path


def test_the_command(folder):
    words = ("beads", "tune", "text.en", "text.fr", "--method", "mre+", "--scenario", "delete")
    words += ("--rate", 0.1, "--parameters", "skip,threshold", "--threads", 2)
    files = ("-o", "best.csv", "--tried", "tried.csv")
    printed, said = run(*words, *files, "--json", folder=folder)
    wanted = tune(SRC, TGT, rate=0.1, parameters=["skip", "threshold"], corpus="text.en")
    assert said == "4 rows written to best.csv\n"
    assert json_of(printed) == {
        "best": wanted.best.to_dicts(),
        **dict.fromkeys(("model_pairs", "tuning_pairs", "evaluation_pairs"), 40),
        "tried": len(GRID["skip"]) * len(GRID["threshold"]),
        "signature": wanted.signature,
    }
    assert pl.read_csv(folder / "tried.csv").equals(wanted.tried)
    best = pl.read_csv(folder / "best.csv")
    assert best.equals(wanted.best)
    assert best.select("corpus", "scenario", "rate").unique().rows() == [("text.en", "delete", 0.1)]
    words = (*words[:4], "--method", "len", "--parameters", "band", "--min-precision", 0)
    printed, said = run(*words, folder=folder)
    assert "*" not in printed
    assert [line.split()[0] for line in printed.splitlines()[4:7]] == ["none", "band", "all"]
    assert "sentence pairs before noise: tuning 60, evaluation 60" in printed
    assert said == "5 settings tried\n"


def test_the_report_reads_what_the_command_writes(folder):
    texts = ("text.en", "text.fr")
    noise = ("--scenario", "combine", "--rate", 0.1, "--parameters", "threshold")
    words = ("beads", "tune", *texts, "--method", "len", *noise, "--corpus", "made up")
    _, said = run(*words, "-o", "best.parquet", "--tried", "tried.parquet", folder=folder)
    assert said.splitlines() == [
        "3 rows written to best.parquet",
        "8 settings tried, written to tried.parquet",
    ]
    words = ("beads", "study", *texts, "--scenarios", "clean", "--methods", "len")
    run(*words, "-o", "study.parquet", folder=folder)
    words = ("report", "study.parquet", "--tuning", "best.parquet", "-o", "page.html")
    run(*words, folder=folder)
    page = (folder / "page.html").read_text("utf-8")
    assert "Effect of tuning, in percent" in page
    assert "10% combined" in page
    cells = [cell for cell in ("made up", "none", "threshold", "all") if f">{cell}</td>" in page]
    assert cells == ["made up", "none", "threshold", "all"]


def test_an_unreachable_precision_is_marked(folder):
    options = {"method": "len", "parameters": ["skip"], "grid": {"skip": [0.1]}}
    result = tune(SRC, TGT, **options, min_precision=1.0)
    precision = result.best["tuning_precision"]
    assert result.best["met"].to_list() == [value == 1.0 for value in precision]
    assert not result.best["met"].all()
    words = ("beads", "tune", "text.en", "text.fr", "--method", "len", "--parameters", "skip")
    words += ("--min-precision", 1, "-o", "best.parquet")
    printed, _ = run(*words, folder=folder)
    best = pl.read_parquet(folder / "best.parquet")
    rows = printed.splitlines()[4:7]
    assert [" * " in row for row in rows] == [not met for met in best["met"]]
    assert any(" * " in row for row in rows)
    assert "\n* no setting of this row has a precision of 1 on the tuning set" in printed
    assert "met" not in printed.splitlines()[2].split()


def test_an_error_ends_the_command_with_one_line(folder):
    words = ("beads", "tune", "text.en", "text.fr", "--min-precision", 2)
    assert run(*words, folder=folder, code=2) == (
        "",
        "error: --min-precision is 2.0; expected a number from 0 to 1\n",
    )


def test_noise_that_removes_everything_is_refused():
    with pytest.raises(InputError, match=r"no sentence .*delete"):
        tune(["a b"] * 9, ["c d"] * 9, method="len", rate=0.95)
