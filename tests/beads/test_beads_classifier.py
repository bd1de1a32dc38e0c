"""Filtering by a classifier: features, noise, regression, and kept lines."""

from pathlib import Path
from unicodedata import normalize

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from helpers.cli import json_of, run
from hypothesis import given
from hypothesis import strategies as st
from reference import line_features as slow
from scipy.stats import rankdata

import alignframe as af
from alignframe import beads
from alignframe.beads import (
    classifier,
    corrupt,
    document,
    line_classifier,
    line_text,
)
from alignframe.beads.line_features import FEATURES, design, features, inputs
from alignframe.beads.line_model import LineModel, Scripts
from alignframe.beads.line_pairs import LinePairs
from alignframe.errors import DataWarning, InputError

CLEAN = [
    ("The old mill stands by the river.", "Le vieux moulin est au bord de la rivière."),
    ("In 1887 the mill was sold to Mrs Baker.", "En 1887, le moulin fut vendu à Mme Baker."),
    ("The river is high, the mill is old.", "La rivière est haute, le moulin est vieux."),
    ("Was it sold? No!", "Fut-il vendu ? Non !"),
    ("", "vide"),
]
SIZE = 300


def column(texts):
    return pa.array(texts, pa.string())


def pairs(src, tgt):
    return LinePairs.of(np.arange(len(src)), column(src), column(tgt), "letters")


def text(size=SIZE, seed=3):
    """Invented sentences with numbers and names, and their translations."""
    draw = np.random.default_rng(seed)
    src, tgt = [], []
    for _ in range(size):
        words = (50 * draw.random(draw.integers(4, 12)) ** 2).astype(int)
        number, name = (
            draw.integers(1000),
            f"N{'aeiou'[draw.integers(5)]}m{chr(97 + draw.integers(26))}",
        )
        src.append(
            " ".join([f"{chr(97 + w % 20)}ing{w}h" for w in words] + [str(number), name + "."])
        )
        tgt.append(
            " ".join([name, str(number)] + [f"é{chr(97 + w % 17)}ou{w}x" for w in words]) + "."
        )
    return src, tgt


SRC, TGT = text()
WRONG = np.arange(5, SIZE, 10)
NOISY = list(TGT)
for place, other in zip(WRONG, np.roll(WRONG, 7), strict=True):
    NOISY[place] = TGT[other]


@pytest.fixture(scope="module")
def found():
    return beads.filter(SRC, NOISY)


@pytest.fixture(scope="module")
def model():
    return LineModel.learn(pairs(*zip(*CLEAN, strict=True)))


WORDS = st.sampled_from(
    [*"The old MILL river le Moulin vieux Élan naïve 12 1887 ½ x_y ?! « » ñ Δ 川".split(), ""]
)
LINE = st.lists(WORDS, max_size=7).map(" ".join)


@given(LINE, LINE)
def test_features_equal_the_reference(model, src, tgt):
    found = features(model, pairs([src], [tgt])).row(0, named=True)
    wanted = slow.features(CLEAN, (src, tgt))
    assert list(found) == list(FEATURES)
    assert set(wanted) == set(FEATURES)
    for name, value in wanted.items():
        assert found[name] == pytest.approx(value, abs=2e-5, rel=1e-4), name


@given(st.lists(st.tuples(LINE, LINE), min_size=1, max_size=9), LINE, LINE)
def test_words_are_learnt_as_by_the_reference(clean, src, tgt):
    learnt = LineModel.learn(pairs(*zip(*clean, strict=True)))
    found = features(learnt, pairs([src], [tgt])).row(0, named=True)
    wanted = slow.features(clean, (src, tgt))
    for name in FEATURES:
        if name.endswith(("_explained", "_known")) or "_given_" in name:
            assert found[name] == pytest.approx(wanted[name], abs=2e-5, rel=1e-4), name


def test_features_of_many_lines_equal_those_of_each(model, monkeypatch):
    lines = pairs(*zip(*CLEAN, strict=True))
    whole = features(model, lines)
    monkeypatch.setattr("alignframe.beads.line_features.CHUNK", 2)
    assert features(model, lines).equals(whole)
    assert design(whole).shape == (len(CLEAN), len(inputs()))
    assert np.isfinite(design(whole)).all()


def test_noise_has_every_kind_and_differs_from_its_line():
    made = list(corrupt.corrupted(SRC, TGT, 0.3, np.random.default_rng(1)))
    assert {one.kind for one in made} == set(corrupt.KINDS)
    for one in made:
        for row, src, tgt in zip(one.rows, one.src, one.tgt, strict=True):
            assert (src, tgt) != (SRC[row], TGT[row])
            assert src.strip()
            assert tgt.strip()
    by_kind = {one.kind: one for one in made}
    one = by_kind["other numbers"]
    for row, src, tgt in zip(one.rows, one.src, one.tgt, strict=True):
        assert sum(a != b for a, b in zip((src, tgt), (SRC[row], TGT[row]), strict=True)) == 1
    assert by_kind["copied"].src == by_kind["copied"].tgt
    chinese = list(
        corrupt.corrupted(
            ["这些症状包括发热和咳嗽"] * 4, ["a b"] * 4, 1.0, np.random.default_rng(1)
        )
    )
    assert "cut" in {one.kind for one in chinese}


def test_the_regression_minimises_its_loss():
    draw = np.random.default_rng(1)
    x = draw.normal(size=(40, 3)) * [1, 5, 0] + 2
    right, count = draw.random(40) + 0.3 * x[:, 0] > 1, draw.random(40) + 0.5
    weights = line_classifier.regression(x, right, count)
    z = (x - weights.means) / weights.scales
    least = slow.loss(z, right, count, weights.slopes)
    for at in range(4):
        for step in (-0.01, 0.01):
            other = weights.slopes.copy()
            other[at] += step
            assert slow.loss(z, right, count, other) > least
    logits = weights.logits(x)
    assert logits == pytest.approx(z @ weights.slopes[:-1] + weights.slopes[-1])


def test_estimates_do_not_depend_on_line_numbers():
    draw = np.random.default_rng(1)
    size = 200
    right = np.arange(2 * size) < size
    x = draw.normal(size=(2 * size, 3)) + right[:, None]
    kind = np.where(right, "", "shuffled")
    row = np.tile(np.arange(size), 2)
    found = [
        classifier.held_out(
            classifier.Lessons(x, right, np.ones(2 * size), kind, step * row),
            line_classifier.Classifier.learn(x, right, np.ones(2 * size), kind),
        )
        for step in (1, 2)
    ]
    assert found[0].tolist() == found[1].tolist()


def test_misplaced_lines_decide_which_regression_is_used():
    means, scales = np.zeros(2), np.ones(2)
    every = line_classifier.Weights(means, scales, np.array([2.0, 0.0, 0.0]))
    misplaced = line_classifier.Weights(means, scales, np.array([0.0, 2.0, 0.0]))
    both = line_classifier.Classifier(every, misplaced, 0.25)
    x = np.random.default_rng(1).normal(size=(20, 2))
    odds = 1 / (0.75 * np.exp(-2 * x[:, 0]) + 0.25 * np.exp(-2 * x[:, 1]))
    assert np.exp(both.logits(x)) == pytest.approx(odds)
    assert both._replace(share=0.0).logits(x) == pytest.approx(2 * x[:, 0])
    right, other = np.full((60, 2), 2.0), np.array([[2.0, -2.0]] * 40)
    shares = [both.mixed(np.concatenate([right, one])).share for one in (other, other[:, ::-1])]
    assert shares[0] > 0.8
    assert shares[1] == 0.0


def test_wrong_lines_are_dropped_and_right_ones_kept(found):
    kept = found.lines["kept"].to_numpy()
    assert kept[WRONG].mean() < 0.15
    assert np.delete(kept, WRONG).mean() > 0.9
    assert found.lines.columns == ["line", "kept", "score", "group", *FEATURES]
    limit = float(found.signature.split("threshold:")[1].split("|")[0])
    assert found.lines["kept"].to_list() == (found.lines["score"] > limit).to_list()
    costs = found.thresholds
    assert costs["threshold"][costs["noise_errors"].arg_min()] == limit
    assert costs["kept"].to_list() == [
        pytest.approx((found.lines["score"] > one).mean()) for one in costs["threshold"]
    ]
    assert set(found.noise["kind"]) == set(corrupt.KINDS)
    assert set(found.weights["input"]) == set(inputs())
    again = beads.filter(SRC, NOISY, threshold=0.9)
    assert again.lines["score"].equals(found.lines["score"])
    assert again.lines["kept"].to_list() == (again.lines["score"] > 0.9).to_list()


def test_clean_text_groups_and_blank_lines(found):
    groups = ["web" if row % 3 else "news" for row in range(SIZE)]
    noisy = ["", " ", *NOISY[2:]]
    some = beads.filter(SRC, noisy, clean=text(400, 5), groups=groups, only=["web"])
    assert "|clean:given|" in some.signature
    assert some.lines["score"][1] == 0
    assert not some.lines["kept"][1]
    news = some.lines.filter(group="news")
    assert news["kept"].all()
    assert news.select("score", *FEATURES).null_count().row(0) == (news.height,) * (
        1 + len(FEATURES)
    )
    assert some.shares["group"].to_list() == ["news", "web", None]
    web = np.array([row for row in WRONG if row % 3])
    assert some.lines["kept"].to_numpy()[web].mean() < 0.2


def test_trusted_lines_help_if_most_others_are_wrong():
    src, tgt = text(240, 7)
    wrong = [row for row in range(120, 240) if row % 4]
    noisy = list(tgt)
    for row, other in zip(wrong, [*wrong[7:], *wrong[:7]], strict=True):
        noisy[row] = tgt[other]
    groups = ["good"] * 120 + ["web"] * 120
    kept = beads.filter(src, noisy, groups=groups, only=["web"]).lines["kept"].to_numpy()
    assert kept[:120].all()
    assert kept[wrong].mean() < 0.1
    assert kept[120::4].mean() > 0.8


SENTENCES = st.lists(
    st.text("aAéÉßΣςİ_1½٣。、々ーあア川한😀e\u0301 \u3000\t.-'", max_size=12), max_size=4
)


@given(SENTENCES, st.sampled_from(document.WORDS))
def test_words_are_numbered_as_they_are_split(sentences, words):
    side = document.DocumentSide(column(sentences), words)
    wanted = document.split(sentences, words).to_list() if sentences else []
    assert np.diff(side.at).tolist() == [len(line) for line in wanted]
    same = str.maketrans({"ς": "σ"} if words == "letters" else {})
    known = [word.replace("i̇", "i").translate(same) for word in side.vocabulary.to_pylist()]
    flat = [word.replace("i̇", "i").translate(same) for line in wanted for word in line]
    assert [known[number] for number in side.numbers] == flat
    if words == "letters":
        assert known == list(dict.fromkeys(flat))


TEXTS = st.lists(st.sampled_from(["", " ", "a", "b c", "Élan", "川"]), min_size=1, max_size=9)


@given(TEXTS, st.integers(1, 4), st.sets(st.integers(0, 8)))
def test_a_text_read_in_batches_gives_the_same_result(tmp_path_factory, texts, size, wanted):
    folder = tmp_path_factory.mktemp("text")
    sides = texts, texts[::-1]
    paths = [folder / "src", folder / "tgt"]
    for path, side in zip(paths, sides, strict=True):
        path.write_text("".join(f"{one}\n" for one in side), "utf-8")
    rows = sorted(row for row in wanted if row < len(texts))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_text, "BATCH", size)
        for text in (line_text.LineText(*paths), line_text.LineText(*sides)):
            batches = list(text.batches())
            assert {len(src) for src, _ in batches[:-1]} <= {size}
            for number, side in enumerate(sides):
                assert [one for both in batches for one in both[number].to_pylist()] == side
                assert text.take(np.array(rows, int))[number].to_pylist() == [side[r] for r in rows]
            full = [bool(a.strip() and b.strip()) for a, b in zip(*sides, strict=True)]
            assert text.full.tolist() == full


MISTAKES = {
    "few": ({"src": ["a b"] * 5, "tgt": ["c d"] * 5}, "5 lines with text on both sides"),
    "skip": ({"skip": 0.1}, "`skip` for the classifier"),
    "model": ({"model": "x"}, "`model` for the classifier"),
    "clean": ({"clean": (["a"], ["b"]), "method": "len"}, "clean text for len"),
    "clean sides": ({"clean": (["a"], [])}, "1 source sentences and 0 target"),
    "threshold": ({"threshold": 1.0}, "`threshold` is 1.0"),
    "method": ({"method": "classifer"}, "unknown `method` 'classifer'"),
    "words": ({"words": "words"}, "unknown `words` 'words'"),
}


@pytest.mark.parametrize(("changed", "said"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_explained(changed, said):
    given_ = {"src": SRC, "tgt": TGT} | changed
    with pytest.raises(InputError, match=said):
        beads.filter(given_.pop("src"), given_.pop("tgt"), **given_)


def test_lines_in_a_third_script_score_0_and_are_not_trained_on(found):
    chinese = "这些症状包括发热和咳嗽"
    for side in (SRC, NOISY):
        own = list(side)
        own[10] = own[20] = chinese
        sides = (own, NOISY) if side is SRC else (SRC, own)
        with pytest.warns(DataWarning, match=r"2 lines .* \(Latin\), which score 0"):
            some = beads.filter(*sides)
        score = some.lines["score"].to_numpy()
        assert np.flatnonzero(score == 0).tolist() == [10, 20]
        assert not some.lines["kept"].to_numpy()[[10, 20]].any()
        kept = [(score > limit).mean() for limit in some.thresholds["threshold"]]
        assert some.thresholds["kept"].to_list() == pytest.approx(kept)
    mixed = [f"{line} 这些" for line in NOISY]
    assert (beads.filter(SRC, mixed).lines["score"] > 0).all()


@pytest.mark.parametrize(
    ("texts", "names", "foreign"),
    [
        (["abc", "de Ж", "Жж a"], ("Latin", "Cyrillic"), []),
        (["abcdefgh", "ijklmnop", "Жж a"], ("Latin",), [2]),
        (["abcdefgh", "12 +", ""], ("Latin",), []),
        (["漢字漢字", "ひらがなか", "カ한국어", "abc"], ("Han", "Hiragana"), [3]),
        (["සිංහල සිංහල", "abc"], ("Latin",), []),
        (["हिन्दी में लिखा", "ab हिन्दी"], ("Devanagari",), []),
        (["12", "?"], (), []),
    ],
)
def test_a_script_needs_a_fifth_of_the_letters(texts, names, foreign):
    side = column(texts)
    scripts = Scripts.of(side, column(["" for _ in texts]))
    assert scripts.names == names
    assert np.flatnonzero(~scripts.known(side, side)).tolist() == foreign


def test_few_distinct_lines_cause_a_warning():
    with pytest.warns(DataWarning, match="1 different line"):
        beads.filter(["a b c"] * 40, ["d e f"] * 40)
    with pytest.warns(DataWarning, match=r"^49 different lines .* too few .*; use at least 50"):
        beads.filter([f"a b {n}" for n in range(49)], [f"c d {n}" for n in range(49)])
    others = [(word, "b") for word in ("a", "ж", "δ", "ש", "ع", "漢", "न", "ก")]
    with pytest.raises(InputError, match=r"1 line with .* in its scripts \(Latin\)"):
        beads.filter(*zip(*others, strict=True))


def test_a_text_copied_to_both_sides_causes_a_warning():
    with pytest.warns(DataWarning, match="same text"):
        beads.filter(SRC[:60], SRC[:60])


def test_the_command_writes_features_and_the_page_shows_lines(found, tmp_path, monkeypatch):
    monkeypatch.setattr(line_text, "BATCH", 70)  # the same result in several batches as in one
    for name, lines in (("a.en", SRC), ("a.fr", NOISY)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    words = ("beads", "filter", "a.en", "a.fr", "-o", "kept", "--lines", "lines.parquet")
    printed, _ = run(*words, "--json", folder=tmp_path)
    tables = json_of(printed)
    assert tables["noise"] == found.noise.to_dicts()
    assert tables["signature"] == found.signature
    lines = pl.read_parquet(tmp_path / "lines.parquet")
    assert lines.drop("src", "tgt").equals(found.lines)
    assert lines["tgt"].to_list() == NOISY
    kept = (tmp_path / "kept.fr").read_text("utf-8").splitlines()
    assert kept == lines.filter("kept")["tgt"].to_list()
    rule = "select count(*) from read_parquet('{}') where kept and numbers_unmatched = 0"
    sure = af.connect().execute(rule.format(tmp_path / "lines.parquet")).fetchall()[0][0]
    assert 0 < sure <= len(kept)
    said = run(
        "beads", "filter", "a.en", "a.fr", "-o", "x", "--clean-src", "a.en", folder=tmp_path, code=2
    )[1]
    assert "--clean-src and --clean-tgt" in said
    run("report", "lines.parquet", "-o", "page.html", "--top", 3, folder=tmp_path)
    page = (tmp_path / "page.html").read_text("utf-8")
    best = lines.filter(~pl.col("kept")).sort("score", descending=True)["src"][0]
    assert best in page
    assert "The worst lines kept" in page


def test_the_area_under_the_curve_on_human_labels(corpora):
    path = corpora / "paracrawl-human" / "en-fr.tsv"
    rows = [line.split("\t") for line in path.read_text("utf-8").splitlines()]
    wrong = np.array([row[5] in "AL" for row in rows])
    with pytest.warns(DataWarning, match="1 line mostly in a script"):
        found = beads.filter([row[0] for row in rows], [row[1] for row in rows])
    ranks, n = rankdata(found.lines["score"].to_numpy()), (~wrong).sum()
    assert (ranks[~wrong].sum() - n * (n + 1) / 2) / (n * wrong.sum()) > 0.72
    # Calibrated for as many wrong lines as right ones: mean score and share of right lines, by
    # tenths.
    score, weight = found.lines["score"].to_numpy(), np.where(wrong, 1 / wrong.sum(), 1 / n) / 2
    tenth = np.minimum((score * 10).astype(int), 9)
    gaps = np.bincount(tenth, weight * (score - ~wrong), minlength=10)
    assert np.abs(gaps).sum() < 0.12


def test_decomposed_letters_are_the_same_letters():
    src, tgt = (Path(f"datasets/en-fr/text.{side}").read_text("utf-8") for side in ("en", "fr"))
    src, tgt = src.splitlines(), tgt.splitlines()
    apart = [normalize("NFD", text) for text in tgt]
    assert apart != tgt
    assert beads.filter(src, apart).lines.equals(beads.filter(src, tgt).lines)
