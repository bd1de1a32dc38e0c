"""Line search and tuning: against dense grids, figures of Moses and Z-MERT, and interruptions."""

import gzip
import math
import signal
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from helpers.cli import json_of, run
from helpers.pivots import TOKENS, arrow_table
from hypothesis import given
from hypothesis import strategies as st

from alignframe import mt, tesla
from alignframe.core.arrays import frozen
from alignframe.core.portable import rounded
from alignframe.core.schemas import SIGNATURE
from alignframe.errors import DataWarning, InputError
from alignframe.language import Analysis
from alignframe.mt.measures import METRICS, Options
from alignframe.mt.n_best import read_feature_files
from alignframe.mt.objective import CountedBleu, Objective, figure_of
from alignframe.mt.search import Pool
from alignframe.mt.weights import read_weights
from alignframe.tesla.estimate import write_arpa
from alignframe.tesla.model import Model
from alignframe.tesla.pivot_table import write_pivot_table

MOSES = [*(f"d_{k}" for k in range(7)), "lm_0", *(f"tm_{k}" for k in range(5)), "w_0"]


class Mean:
    """The simplest ratio of sums."""

    def score(self, sums):
        return sums[..., 0] / sums[..., 1]


lines = st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.integers(0, 9))


@given(st.lists(st.lists(lines, min_size=1, max_size=6), min_size=1, max_size=4))
def test_line_search_equals_a_dense_grid(segments):
    """Slopes repeat, and lines cross in the same points."""
    rows = [(s, *line) for s, own in enumerate(segments) for line in own]
    table = np.array(rows, np.float64)
    of = table[:, 0].astype(np.int64)
    scores, slopes = table[:, 1].copy(), table[:, 2].copy()
    counts = np.stack([table[:, 3], np.ones(len(rows))], axis=1)
    pool = Pool(of, np.stack([scores, slopes], axis=1), counts, Mean(), np.array([False, False]))
    step, found = pool.along(scores, slopes, frozen(np.lexsort((slopes, of))))
    # Crossings are at fractions of numbers up to 6.
    grid = np.arange(-7, 7, 1 / 31) + 1 / 1000
    best = max(pool.score(np.array([1.0, x])) for x in grid)
    assert found == pytest.approx(best)
    if step:  # without one, this may be where lines cross
        assert pool.score(np.array([1.0, step])) == pytest.approx(found)


@given(st.lists(st.lists(lines, min_size=1, max_size=4), min_size=1, max_size=3), st.integers(0, 3))
def test_a_climb_never_ends_below_its_start(segments, seed):
    rows = np.array([(s, *line) for s, own in enumerate(segments) for line in own], np.float64)
    counts = np.stack([rows[:, 3], np.ones(len(rows))], axis=1)
    pool = Pool(rows[:, 0].astype(np.int64), rows[:, 1:3], counts, Mean(), np.array([False, False]))
    start = np.array([0.5, -0.3])
    found = pool.climb(start, np.random.default_rng(seed))
    assert found.score >= pool.score(start) - 1e-9
    assert found.score == pool.score(found.weights)


@pytest.fixture(scope="module")
def moses(corpora):
    """Return Moses's features and counts of 500 candidates."""
    folder = corpora / "moses-nbest" / "tests" / "mert.basic" / "data"
    return folder / "FEATSTAT.txt", folder / "SCORESTAT.txt"


def test_moses_finds_nothing_better(moses):
    weights = (moses[0].parent.parent / "weights.txt").read_text().split()
    truth = dict(zip(MOSES, map(float, weights), strict=True))
    given = dict(zip(MOSES, [0.4, *[0.15] * 6, 0.5, -1, *[0.2] * 5], strict=True))
    at = mt.mert(moses[0], counts=moses[1], weights=truth, restarts=0)
    assert at.start_score == pytest.approx(30.43391477797553, abs=1e-9)
    at = mt.mert(moses[0], counts=moses[1], weights=given, restarts=0)
    assert at.start_score == pytest.approx(20.399051326078912, abs=1e-9)
    for seed in range(5):
        found = mt.mert(moses[0], counts=moses[1], weights=dict.fromkeys(MOSES, 0.0), seed=seed)
        assert found.score >= 30.39
        assert found.starts["score"].max() == pytest.approx(found.score)


def test_z_mert_finds_nothing_better(corpora):
    folder = corpora / "zmert" / "zmert_ex_orig"
    refs = [folder / f"ref.{k}" for k in range(4)]
    start = dict(zip((f"feature_{k}" for k in range(3)), (0.1, 0.2, -0.1), strict=True))
    found = mt.mert(folder / "cand_database.txt", refs, weights=start, lowercase=True)
    assert found.start_score == pytest.approx(44.29227089145456, abs=1e-9)
    assert found.score == pytest.approx(51.14880406806395, abs=1e-9)


def test_lists_of_moses_have_the_features_it_extracted(corpora, tmp_path):
    """Features and BLEU counts are compared for every candidate of the first list."""
    folder = corpora / "moses-nbest" / "tests" / "mert.extractor-txt"
    truth = (folder / "truth" / "results.txt").read_text().splitlines()
    truth = [line.partition("=")[2] for line in truth]
    ends = [line for line, text in enumerate(truth, 1) if text.startswith(("FEAT", "SCORES"))][::2]
    files = tmp_path / "features", tmp_path / "scores"
    for path, first in zip(files, (0, 10), strict=True):
        path.write_text("\n".join(truth[ends[first] - 1 : ends[first + 10] - 1]) + "\n")
    wanted, _ = read_feature_files(*files)
    found, names = mt.read_n_best(folder / "data" / "nbest.1.gz")
    assert [name if "_" in name else f"{name}_0" for name in names] == MOSES
    assert np.allclose(found.select(names).to_numpy(), wanted.select(MOSES).to_numpy())
    objective = Objective("bleu", folder / "data" / "reference")
    counts = objective.count(found["sid"].to_numpy(), found["text"])
    assert (counts == wanted.select(objective.names).to_numpy()).all()


@pytest.mark.parametrize("name", ["mert.pro", "mert.pro-bp-smooth"])
def test_pairs_sampled_by_moses_differ_in_our_bleu(corpora, name):
    """Every pair that its PRO drew is one of ours, better one first, by .05 of BLEU + 1."""
    folder = corpora / "moses-nbest" / "tests" / name
    given, _ = read_feature_files(*(folder / "data" / f"{x}STAT.txt" for x in ("FEAT", "SCORE")))
    sums = given.select(CountedBleu().names).to_numpy().astype(float)
    # The length of the reference may be smoothed, too.
    sums[:, CountedBleu().names.index("bleu_ref")] += name.endswith("smooth")
    metric = METRICS["bleu"](Options(tokenize="none", smooth="add-k", smooth_value=1.0))
    bleu = figure_of(metric, sums)
    features = given.select(MOSES).to_numpy()
    pairs = [
        np.stack(np.meshgrid(*[np.flatnonzero(given["sid"] == sid)] * 2), -1).reshape(-1, 2)
        for sid in given["sid"].unique()
    ]
    first, second = np.concatenate(pairs).T
    steps = features[first] - features[second]
    gains = bleu[first] - bleu[second]
    place = MOSES.index("tm_0")
    order = np.argsort(steps[:, place])
    sorted_steps = steps[order, place]
    drawn = 0
    for line in (folder / "truth" / "results.txt").read_text().splitlines():
        label, *cells = line.partition("=")[2].split() or [""]
        if label != "1":
            continue
        values = dict(zip(cells[::2], map(float, cells[1::2]), strict=True))
        step = np.array([values.get(f"F{k}", 0.0) for k in range(len(MOSES))])
        ends = np.searchsorted(sorted_steps, (step[place] - 1e-3, step[place] + 1e-3))
        near = order[slice(*ends)]
        alike = near[np.abs(steps[near] - step).max(axis=1, initial=0.0) < 1e-3]
        assert gains[alike].max() > 5
        drawn += 1
    assert drawn == 350


def test_the_search_starts_at_the_weights_of_moses(corpora, moses):
    start = {"d": 0.3, "lm": 0.5, "tm": 0.2, "w": -1.0}
    found = mt.mert(moses[0], counts=moses[1], restarts=0).weights
    assert all(start[name.split("_")[0]] == at for name, _, at in found.iter_rows())


LIST = """0 ||| a b ||| f= 1 2 g= 3 ||| -1
0 ||| a c ||| f= 1 1 g= 3 ||| -1
1 ||| b ||| f= 0 2 g= 1 ||| -1
"""


def test_the_command_writes_weights(tmp_path):
    (tmp_path / "list.gz").write_bytes(gzip.compress(LIST.encode()))
    (tmp_path / "ref").write_text("a c\nb\n")
    given = "mt mert --candidates list.gz --ref ref --metric chrf -o w.toml".split()
    found = json_of(run(*given, "--json", folder=tmp_path)[0])
    assert found["starts"][0]["score"] == 100
    weights = read_weights(tmp_path / "w.toml")
    assert sorted(weights) == ["f_0", "f_1", "g"]
    assert weights["f_1"] < 0
    assert sum(map(abs, weights.values())) == pytest.approx(1)
    again = (*given[:-1], "again.toml", "--weights", "w.toml")
    assert "100.0000" in run(*again, folder=tmp_path)[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x ||| a ||| f= 1\n", ":1.*a sentence number"),
        ("0\x1f||| a ||| f= 1\n", ":1.*a sentence number"),
        ("0 ||| a ||| f= 1 : 2\n", "':' is not a number"),
        ("0 ||| a\n", ":1.*2 fields"),
        ("0 ||| a ||| f= x\n", "'x' is not a number"),
        ("0 ||| a ||| f= 1\n0 ||| b ||| g= 1\n", ":2.*features g"),
        ("0 ||| a ||| f= nan\n1 ||| a ||| f= 1\n", "nan"),
        ("0 ||| a ||| f= 1\n", "no candidate of sentence 1"),
        ("0 ||| a ||| f= 1\n7 ||| a ||| f= 1\n", "has the sentence 7"),
        ("\n", "no candidates"),
    ],
)
def test_damaged_lists_are_refused(tmp_path, text, said):
    (tmp_path / "list").write_text(text)
    with pytest.raises(InputError, match=said):
        mt.mert(tmp_path / "list", ["a", "b"])


def test_bad_options(tmp_path):
    (tmp_path / "list").write_text(LIST)
    path, refs = tmp_path / "list", ["a c", "b"]
    for wrong, said in (
        ({"weights": {"f_0": 1.0}}, "no weight of f_1, g"),
        ({"weights": {"x": 1.0}}, "unknown feature"),
        ({"weights": {"f_0": 1.0, "f_1": math.nan, "g": 1.0}}, "f_1 is nan"),
        ({"metric": "bleux"}, "did you mean 'bleu'"),
        ({"restarts": -1}, "restarts"),
        ({"counts": path}, "one of them"),
    ):
        with pytest.raises(InputError, match=said):
            mt.mert(path, refs, **wrong)
    with pytest.raises(InputError, match="without a reference"):
        mt.mert(path)
    (tmp_path / "w").write_text("[weights]\nf_0 = nan\nf_1 = 1\ng = 1\n")
    with pytest.raises(InputError, match="w: the weight of f_0 is nan"):
        mt.mert(path, refs, weights=tmp_path / "w")
    with pytest.raises(InputError, match="a metric other than bleu"):
        mt.mert(path, counts=path, metric="chrf")
    with pytest.raises(InputError, match=r"at least one|one at least|unequal|differ|2"):
        mt.mert(path, [["a c", "b"], ["a"]])
    for name, text in (("f", "FEATURES_TXT_BEGIN_0 0 1 2 a b\n1\n"), ("s", "1 2\n")):
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=r"f:2"):
        mt.mert(tmp_path / "f", counts=tmp_path / "s")


def test_figures_of_counts_equal_bleu():
    sums = np.array([268, 328, 189, 112, 75, 54, 268, 258, 248, 238.0])
    names = CountedBleu().names
    order = ["bleu_hyp", "bleu_ref", *(f"bleu_match_{n}" for n in range(1, 5))]
    order += [f"bleu_total_{n}" for n in range(1, 5)]
    values = np.array([sums[order.index(name)] for name in names])
    assert CountedBleu().score(values) == pytest.approx(30.43391477797553, abs=1e-9)


@pytest.fixture(scope="module")
def system(tmp_path_factory):
    """A toy system: its files, and a development set that good weights translate correctly."""
    folder = tmp_path_factory.mktemp("system")
    src = ["la maison bleue", "la maison", "bleue maison", "la maison bleue la maison"] * 4
    tgt = ["the blue house", "the house", "blue house", "the blue house the house"] * 4
    links = ["0-0 1-2 2-1", "0-0 1-1", "0-0 1-1", "0-0 1-2 2-1 3-3 4-4"] * 4
    with pytest.warns(DataWarning):
        write_arpa(tesla.estimate_language_model(tgt, 3), folder / "lm.arpa")
    mt.write_phrase_table(mt.train(links, (src, tgt)), folder / "table.parquet")
    for name, side in (("src", src), ("ref", tgt)):
        (folder / name).write_text("\n".join(side) + "\n")
    return folder


def tuned(folder, **given):
    files = (folder / "src", folder / "ref", folder / "table.parquet", folder / "lm.arpa")
    start = dict(mt.FEATURES) | {"word_penalty": 2.0, "lm": 0.01}
    return mt.tune(*files, given.pop("weights", start), **{"n_best": 4, "restarts": 2, **given})


MODERN = """0 ||| a b ||| Distortion0= 0 LM0= -1 WordPenalty0= -2 TranslationModel0= -1 -2 \
LexicalReordering0= -1 -1 Other= 1 ||| -1
"""


@pytest.mark.parametrize("format", ["moses", "parquet", "zmert"])
def test_lists_of_all_formats_start_where_the_decoder_does(system, tmp_path, format):
    files = system / "src", system / "table.parquet", system / "lm.arpa"
    table = mt.translate(*files, n_best=4)
    best = table.filter(rank=1).select("sid", "text")
    score = mt.score(best, system / "ref", metrics=["bleu"], tokenize="none").scores["bleu"][0]
    mt.write_n_best(table, tmp_path / f"list.{format}", format)
    # A list of Z-MERT has no names; they come from weights, in the order of the decoder.
    backwards = dict(reversed(mt.FEATURES.items()))
    weights = backwards if format == "zmert" else None
    found = mt.mert(tmp_path / f"list.{format}", system / "ref", weights=weights, restarts=2)
    assert found.start_score == pytest.approx(score, abs=1e-9)
    assert dict(found.weights.select("feature", "start").iter_rows()) == mt.FEATURES
    assert "|start:0.3,0.5,-1,0.2,0.2,0.2,0.2,0.2,1|" in found.signature
    mt.write_weights(found.to_weights(), tmp_path / "w.toml")
    assert mt.translate(*files, tmp_path / "w.toml").height == 16
    assert mt.mert(table, system / "ref").score >= score


def test_features_of_other_decoders_start_at_the_weights_of_moses_or_1(tmp_path):
    (tmp_path / "list").write_text(MODERN)
    found = mt.mert(tmp_path / "list", ["a b"], restarts=0).weights
    assert found["start"].to_list() == [0.3, 0.5, -1.0, 0.2, 0.2, 0.3, 0.3, 1.0]


def test_weights_without_names_are_explained(system, tmp_path):
    files = system / "src", system / "table.parquet", system / "lm.arpa"
    mt.write_n_best(mt.translate(*files, n_best=2), tmp_path / "list", "zmert")
    words = "mt", "mert", "--candidates", "list", "--ref", system / "ref", "-o", "w.toml"
    said = " ".join(run(*words, folder=tmp_path)[1].split())
    assert "does not name its 9 features" in said
    assert "moses or parquet" in said
    again = "mt", "translate", *files[:1], "--table", files[1], "--lm", files[2], "-o", "out"
    said = " ".join(run(*again, "--weights", "w.toml", folder=tmp_path, code=2)[1].split())
    assert "w.toml: weights from an n-best list that does not name its features" in said
    assert "run mt mert with a list in the format moses or parquet" in said
    lexical = mt.FEATURES | mt.REORDERING
    with pytest.raises(InputError, match="15 weights for a list with 9 features without names"):
        mt.mert(tmp_path / "list", system / "ref", weights=lexical)


def test_of_equal_candidates_the_first_is_chosen():
    """Sums of BLAS differ in their last bits from row to row."""
    draw, fixed = np.random.default_rng(1), np.zeros(14, np.bool_)
    counts = np.stack([np.arange(31.0), np.ones(31)], axis=1)
    for row in draw.normal(size=(20, 14)):
        pool = Pool(np.zeros(31, np.int64), np.tile(row, (31, 1)), counts, Mean(), fixed)
        assert pool.score(draw.normal(size=14)) == 0


def test_weights_have_no_last_bits(system, tmp_path):
    found = tuned(system, rounds=3, work=tmp_path / "work")
    for weights in (found.to_weights(), found.rounds.row(-1, named=True)):
        moving = [weights[name] for name in mt.FEATURES if name != "unknown"]
        assert moving == rounded(moving, 8).tolist()
    mark = pl.read_parquet_metadata(tmp_path / "work" / "round-01.parquet")[SIGNATURE]
    assert max(map(len, mark.rpartition(":")[2].split(","))) < 15


@pytest.mark.parametrize("metric", ["bleu", "chrf"])
def test_tuning_never_gets_worse_and_its_score_is_real(system, metric):
    found = tuned(system, metric=metric, rounds=4)
    best = found.rounds["best_score"]
    assert best.to_list() == found.rounds["score"].cum_max().to_list()
    assert found.score == best[-1] == 100 > best[0]
    assert found.rounds["candidates"].is_sorted()
    files = system / "src", system / "table.parquet", system / "lm.arpa"
    again = mt.translate(*files, found.to_weights())
    scores = mt.score(
        again.select("sid", "text"), system / "ref", metrics=[metric], tokenize="none"
    ).scores
    assert scores[metric][0] == pytest.approx(found.score, abs=1e-9)


KILLED = """
import os, signal, sys
from alignframe import mt
folder, work = sys.argv[1:]
files = [f"{folder}/{name}" for name in ("src", "ref", "table.parquet", "lm.arpa")]
start = dict(mt.FEATURES) | {"word_penalty": 2.0, "lm": 0.01}
kill = lambda _, number, score: number and os.kill(os.getpid(), signal.SIGKILL)
mt.tune(*files, start, n_best=4, restarts=2, rounds=3, work=work, progress=kill)
"""


def test_tuning_resumes_after_a_kill(system, tmp_path):
    whole = tuned(system, rounds=3)
    words = [sys.executable, "-c", KILLED, system, tmp_path / "work"]
    assert subprocess.run(words, check=False).returncode == -signal.SIGKILL
    kept = sorted(path.name for path in (tmp_path / "work").iterdir())
    assert kept == ["round-00.parquet", "round-01.parquet"]
    found = tuned(system, rounds=3, work=tmp_path / "work")
    assert found.rounds.equals(whole.rounds)
    with pytest.raises(InputError, match="another tuning"):
        tuned(system, rounds=3, work=tmp_path / "work", pop=7)


def test_tuning_for_a_tesla_scorer(system):
    def tags(sentences):
        return [["NOUN"] * len(words) for words in sentences]

    analysis = Analysis.of("en", "spaces", tags, lemmas="words", synonyms="none", content=["NOUN"])
    scorer = tesla.Scorer(analysis)
    found = tuned(system, metric=scorer, rounds=2)
    assert 0 < found.score <= 100
    assert found.rounds["length_ratio"].null_count() == found.rounds.height
    assert found.rounds["length_ratio"].dtype.is_float()


def test_the_command_tunes(system, tmp_path):
    words = ["mt", "tune", "--table", system / "table.parquet", "--lm", system / "lm.arpa"]
    words += ["--src", system / "src", "--ref", system / "ref", "--set", "rounds=2"]
    found = json_of(run(*words, "-o", "w.toml", "--json", folder=tmp_path)[0])
    assert found["rounds"][-1]["best_score"] >= found["rounds"][0]["score"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["w.toml"]
    assert list(read_weights(tmp_path / "w.toml")) == list(mt.FEATURES)


GIVEN = "--tagger given --set lemmas=given --set synonyms=none --set content=penn".split()
TAGGED = """0 ||| cat|NN|cat sat|VB|sit ||| f= 1 2
0 ||| cat|NN|cat dog|NN|dog ||| f= 2 1
"""


def test_the_command_tunes_for_every_tesla(tmp_path):
    drawn = {("cat",): [(1.0, [TOKENS[0]])]}
    write_pivot_table(arrow_table(drawn, {("cat",): 1}), tmp_path / "fr.parquet")
    Model(("ms_1", "fr_lem_1", "lm_own"), (1.0, 1.0, 0.01)).save(tmp_path / "model.json")
    (tmp_path / "list").write_text(TAGGED)
    (tmp_path / "ref").write_text("cat|NN|cat dog|NN|dog\n")
    run("lm", "ref", "-o", "own.arpa", "--n", 2, "--lowercase", folder=tmp_path)
    words = "mt", "mert", "--candidates", "list", "--ref", "ref", *GIVEN, "-o", "w.toml"
    b = "--metric", "tesla-b", "--pivot", "fr=fr.parquet"
    f = "--metric", "tesla-f", *b[2:], "--metric-lm", "own.arpa", "--model", "model.json"
    for metric in (("--metric", "tesla-m"), b, f):
        out, _ = run(*words, *metric, "--json", folder=tmp_path)
        assert f"metric:{metric[1]}|" in out
        weights = read_weights(tmp_path / "w.toml")
        assert weights["f_0"] > weights["f_1"]  # the second candidate is the reference
    plain = [word for word in words if word not in GIVEN]
    named = ("--pivot", "--metric-lm", "--model")
    for name, more in zip(named, (f[2:4], f[4:6], f[6:]), strict=True):
        _, said = run(*plain, "--metric", "bleu", *more, code=2, folder=tmp_path)
        assert f"error: {name} with the metric bleu, which does not use it" in said
    _, said = run(*words, code=2, folder=tmp_path)
    assert "content with the metric bleu" in said
    _, said = run(*words, *b, "--lowercase", code=2, folder=tmp_path)
    assert "lowercase with the metric tesla-b" in said


def test_sides_of_different_lengths_are_refused(system):
    with pytest.raises(InputError, match=r"1 sentence to translate and 16 references in .*/ref;"):
        mt.tune(["la"], system / "ref", system / "table.parquet", system / "lm.arpa")
    words = "mt", "tune", "--table", "table.parquet", "--lm", "lm.arpa", "-o", system / "w.toml"
    (system / "short").write_text("the house\n")
    _, said = run(*words, "--src", "src", "--ref", "short", folder=system, code=2)
    assert "16 sentences to translate in src and 1 reference in short" in " ".join(said.split())
    refs = [["the house", "the"], ["the house"]]
    with pytest.raises(InputError, match="reference 2 has 1 sentence"):
        mt.tune(["la maison", "la"], refs, system / "table.parquet", system / "lm.arpa")


def test_a_development_set_without_matches_causes_a_warning(system):
    files = system / "table.parquet", system / "lm.arpa"
    with pytest.warns(DataWarning, match="unchanged"):
        found = mt.tune(["la maison"], ["other words"], *files, n_best=2, rounds=2, restarts=0)
    assert found.to_weights() == mt.FEATURES
