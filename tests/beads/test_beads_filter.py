"""Filtering parallel text: kept lines, and their table."""

from concurrent.futures import ThreadPoolExecutor
from importlib import import_module

import numpy as np
import polars as pl
import pytest
from helpers.beads import lexicon, numbers, parallel_text
from helpers.cli import json_of, run

from alignframe import beads
from alignframe.beads import align, split
from alignframe.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore:.*no sentence pair is certain")
SIZE = 120
SRC, TGT = parallel_text(SIZE)
WRONG = np.arange(7, SIZE, 12)
GROUPS = ["web" if number % 3 else "news" for number in range(SIZE)]


def planted(tgt=TGT):
    """Return the target with some lines swapped among themselves."""
    mixed = list(tgt)
    for place, other in zip(WRONG, np.roll(WRONG, 4), strict=True):
        mixed[place] = tgt[other]
    return mixed


NOISY = planted()
KNOWING = {"method": "mre+", "model": lexicon(), "skip": 0.2, "smoothing": 0.01}


@pytest.fixture(scope="module")
def found():
    return beads.filter(SRC, NOISY, **KNOWING)


def test_shuffled_lines_are_dropped_and_the_others_kept(found):
    kept = found.lines["kept"].to_numpy()
    assert not kept[WRONG].any()
    assert np.delete(kept, WRONG).mean() > 0.97
    assert found.lines.columns == ["line", "kept", "score", "group"]
    assert found.lines["line"].to_list() == list(range(1, SIZE + 1))
    assert found.lines["group"].null_count() == SIZE


@pytest.mark.parametrize("method", ["len", "mre", "mre+"])
def test_without_a_model_more_wrong_lines_than_right_ones_are_dropped(method):
    kept = beads.filter(SRC, NOISY, method=method, skip=0.15).lines["kept"].to_numpy()
    assert np.delete(kept, WRONG).mean() - kept[WRONG].mean() > 0.2
    whole = beads.filter(SRC, TGT, method=method, skip=0.01).lines["kept"].to_numpy()
    assert whole.mean() > 0.9


@pytest.mark.parametrize("threshold", [0.0, 0.5, 0.9])
def test_a_line_is_scored_by_its_own_bead(found, threshold):
    rows = align(SRC, NOISY, **KNOWING, threshold=0.05).to_dicts()
    own = {
        row["src_start"]: row["score"]
        for row in rows
        if (row["src_end"], row["tgt_start"], row["tgt_end"])
        == (row["src_start"] + 1, row["src_start"], row["src_start"] + 1)
    }
    assert len(own) > 90
    again = beads.filter(SRC, NOISY, **KNOWING, threshold=threshold)
    assert again.lines["score"].equals(found.lines["score"])
    assert again.lines["kept"].to_list() == [score > threshold for score in again.lines["score"]]
    for line, score in own.items():
        assert again.lines["score"][line] == pytest.approx(score)
    low = [s for line, s in enumerate(found.lines["score"]) if line not in own]
    assert max(low) < 1  # also of beads that conflict with others


def test_lines_outside_the_band_have_no_score():
    # Lengths alone ensure that the target lacks its first sentences.
    sizes = np.random.default_rng(1).integers(10, 200, 60)
    src, tgt = ([f"{word} " * size for size in sizes] for word in ("s1", "t1"))
    found = beads.filter(src, [*tgt[10:], *["t1"] * 10], **KNOWING | {"skip": 0.01})
    assert found.lines["score"].null_count() > 10
    assert not found.lines.filter(pl.col("score").is_null())["kept"].any()
    blank = beads.filter(SRC[:3], ["", " ", ""], method="len")
    assert blank.lines["score"].to_list() == [0, 0, 0]
    assert blank.lines["kept"].sum() == 0


def test_beads_of_other_lines_are_counted_and_not_kept():
    # From line 20 on, the target is one line late; its lines 5 and 6 have swapped places.
    tgt = [*TGT[:20], "one more", *TGT[20:-1]]
    options = {"method": "mre+", "model": lexicon(), "threshold": 0.5, "skip": 0.02}
    found = beads.filter(SRC, tgt, **options)
    rows = align(SRC, tgt, **options).to_dicts()
    single = [
        row
        for row in rows
        if row["src_end"] - row["src_start"] == 1 and row["tgt_end"] - row["tgt_start"] == 1
    ]
    moved = [row for row in single if row["src_start"] != row["tgt_start"]]
    assert found.shares.select("moved", "merged").row(0) == (len(moved), len(rows) - len(single))
    assert len(moved) > 90
    assert found.lines["kept"].to_list()[22:] == [False] * (SIZE - 22)
    joined = [*TGT[:4], f"{TGT[4]} {TGT[5]}", "of its own", *TGT[6:]]
    found = beads.filter(SRC, joined, **options)
    assert found.shares["merged"][0] > 0
    assert not found.lines["kept"][4:6].any()


def test_groups_are_separate_documents(found):
    whole = beads.filter(SRC, NOISY, groups=GROUPS, method="mre")
    only = beads.filter(SRC, NOISY, groups=GROUPS, only=["web"], method="mre")
    for name in ("news", "web"):
        rows = [number for number, group in enumerate(GROUPS) if group == name]
        alone = beads.filter([SRC[k] for k in rows], [NOISY[k] for k in rows], method="mre")
        part = whole.lines[rows]
        assert part.select("kept", "score").equals(alone.lines.select("kept", "score"))
        assert part["group"].unique().to_list() == [name]
        share = whole.shares.filter(group=name).drop("group")
        assert share.equals(alone.shares.drop("group"))
        chosen = only.lines[rows]
        if name == "web":
            assert chosen.equals(part)
        else:
            assert chosen["kept"].all()
            assert chosen["score"].null_count() == len(rows)
    assert whole.shares["group"].to_list() == ["news", "web", None]
    assert found.shares["group"].to_list() == [None]


def test_shares_add_up():
    found = beads.filter(SRC, NOISY, groups=GROUPS, method="len", skip=0.2)
    kept = found.lines["kept"].to_list()
    assert 0 < sum(kept) < SIZE
    sizes = [[len(words) for words in split(side).to_list()] for side in (SRC, NOISY)]
    for row in found.shares.to_dicts():
        mine = [k for k in range(SIZE) if row["group"] in (None, GROUPS[k])]
        assert row["lines"] == len(mine)
        assert row["kept"] == sum(kept[k] for k in mine)
        assert row["share"] == pytest.approx(row["kept"] / row["lines"])
        for side, counts in zip(("src", "tgt"), sizes, strict=True):
            assert row[f"{side}_words"] == sum(counts[k] for k in mine)
            assert row[f"{side}_words_kept"] == sum(counts[k] for k in mine if kept[k])
    numbers = found.shares.select("lines", "kept", "src_words", "moved", "merged")
    assert numbers[:2].sum().equals(numbers[2:])


def test_long_documents_are_split_into_equal_parts():
    told = []
    found = beads.filter(
        SRC,
        NOISY,
        method="mre",
        max_lines=50,
        progress=lambda *said: told.append(said),
    )
    assert told == [(1, 3), (2, 3), (3, 3)]
    parts = [
        beads.filter(SRC[at : at + 40], NOISY[at : at + 40], method="mre") for at in (0, 40, 80)
    ]
    alone = pl.concat([part.lines.select("kept", "score") for part in parts])
    assert found.lines.select("kept", "score").equals(alone)


def test_no_line_is_scored_by_a_model_trained_on_it(monkeypatch):
    module = import_module("alignframe.beads.filter")
    seen, learn, judge = [], module.learn_words, module.lattice

    def learning(src, tgt, **options):
        seen.append(({*numbers(src)}, {*numbers(tgt)}, set()))
        return learn(src, tgt, **options)

    def judging(text, *given):
        seen[-1][2].update(numbers(text.src.texts))
        return judge(text, *given)

    monkeypatch.setattr(module, "learn_words", learning)
    monkeypatch.setattr(module, "lattice", judging)
    beads.filter(SRC, TGT, groups=GROUPS, method="mre+")
    for src, tgt, judged in seen:
        assert src == tgt == set(range(SIZE)) - judged
    assert sum(len(judged) for *_, judged in seen) == SIZE
    seen.clear()
    beads.filter(SRC, TGT, groups=GROUPS, only=["web"], method="mre+")
    assert len(seen) == 4
    for src, tgt, judged in seen:
        assert src == tgt == set(range(SIZE)) - judged
    assert set().union(*(judged for *_, judged in seen)) == {
        k for k in range(SIZE) if GROUPS[k] == "web"
    }
    monkeypatch.setattr(module, "MAX_LEARNT", 10)
    seen.clear()
    beads.filter(SRC, TGT, method="mre+")
    assert [len(src) for src, *_ in seen] == [10] * 4
    assert {*seen[0][0]} >= {30, 119}  # from the first to the last


@pytest.mark.parametrize("method", ["mre", "mre+"])
def test_parallel_documents_give_the_same_result(method):
    options = {"method": method, "max_lines": 30, "groups": GROUPS}
    alone = beads.filter(SRC, NOISY, **options)
    with ThreadPoolExecutor(2) as executor:
        both = beads.filter(SRC, NOISY, **options, threads=executor)
    assert both.lines.equals(alone.lines)
    assert both.shares.equals(alone.shares)
    assert both.signature == alone.signature
    skip = {"mre": 0.05, "mre+": 0.2}[method]
    assert f"|beads:{method}|threshold:0.5|priors:skip-{skip}," in alone.signature
    given = beads.filter(SRC, NOISY, **options, skip=0.1)
    assert "|priors:skip-0.1," in given.signature


MISTAKES = [
    ({"tgt": TGT[1:]}, "120 source sentences and 119 target sentences; expected parallel sides"),
    ({"src": [], "tgt": []}, "a text without sentences; expected at least one"),
    ({"threshold": 1.5}, "`threshold` is 1.5; expected a number of at least 0 and below 1"),
    (
        {"method": "moore"},
        "unknown `method` 'moore'; expected one of classifier, gale-church, len, mre",
    ),
    ({"method": "mre", "model": lexicon()}, "`model` with mre; expected the method mre+"),
    ({"groups": ["a"]}, "1 group names for 120 lines; expected one each"),
    ({"only": ["web"]}, "`only` needs `groups`, the group of each line"),
    (
        {"groups": GROUPS, "only": ["wob"]},
        "`only` has the group 'wob'; expected groups among 'news', 'web'",
    ),
    ({"groups": GROUPS, "only": []}, "`only` is []; expected a list of names"),
    ({"groups": GROUPS, "only": "web"}, "`only` is 'web'; expected a list"),
    ({"max_lines": 0, "method": "mre+"}, "`max_lines` is 0; expected a whole number from 1"),
]


@pytest.mark.parametrize(("changed", "said"), MISTAKES)
def test_errors_are_raised_before_anything_is_aligned(monkeypatch, changed, said):
    monkeypatch.delattr(import_module("alignframe.beads.filter"), "lattice")
    given = {"src": SRC, "tgt": TGT} | changed
    with pytest.raises(InputError) as error:
        beads.filter(given.pop("src"), given.pop("tgt"), **given)
    assert str(error.value).startswith(said)


def test_nothing_to_train_on_is_an_error():
    with pytest.raises(InputError, match=r"1 line.*a model"):
        beads.filter(["a"], ["b"], method="mre+")
    assert beads.filter(["a"], ["b"], method="len").lines.height == 1


# --- the command


@pytest.fixture
def folder(tmp_path):
    for name, lines in {
        "text.en": SRC,
        "text.fr": NOISY,
        "src.txt": SRC,
        "tgt.txt": NOISY,
        "groups": GROUPS,
        "short.fr": ["a"],
    }.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    return tmp_path


def written(path):
    return path.read_text().splitlines()


def test_the_command_writes_the_lines_kept_in_order(folder):
    words = ("beads", "filter", "text.en", "text.fr", "--method", "mre+")
    printed, said = run(*words, "-o", "kept", "--lines", "scores.parquet", folder=folder)
    wanted = beads.filter(SRC, NOISY, method="mre+")
    assert "not kept: moved, beads that pair sentences of two different lines" in printed
    kept = wanted.lines["kept"].to_list()
    assert 0 < sum(kept) < SIZE
    for name, side in (("kept.en", SRC), ("kept.fr", NOISY)):
        assert written(folder / name) == [s for s, stays in zip(side, kept, strict=True) if stays]
    lines = pl.read_parquet(folder / "scores.parquet")
    assert lines.drop("src", "tgt").equals(wanted.lines)
    assert lines["tgt"].to_list() == NOISY
    assert said.splitlines() == [
        "no --model: Model 1 was learnt from the text, for each quarter from the others",
        f"{sum(kept)} of 120 lines written to kept.en and kept.fr: those that score above 0.5",
    ]
    assert printed.splitlines()[4].split()[:3] == ["(all)", "120", str(sum(kept))]


def test_the_command_with_groups(folder):
    words = ("beads", "filter", "text.en", "text.fr", "-o", "kept", "--groups", "groups")
    words += ("--only", "web", "--set", "max-lines=50", "--set", "skip=0.2", "--method", "len")
    printed, said = run(*words, "--json", folder=folder)
    wanted = beads.filter(
        *(SRC, NOISY),
        groups=GROUPS,
        only=["web"],
        max_lines=50,
        skip=0.2,
        method="len",
    )
    *parts, whole = wanted.shares.to_dicts()
    del whole["group"]
    assert said == ""
    assert json_of(printed) == {
        **whole,
        "groups": parts,
        "src": "kept.en",
        "tgt": "kept.fr",
        "signature": wanted.signature,
    }
    assert len(written(folder / "kept.en")) == whole["kept"] < SIZE


@pytest.mark.parametrize(
    ("names", "outputs"),
    [
        (("src.txt", "tgt.txt"), ("kept.src.txt", "kept.tgt.txt")),
        (("a.en.gz", "b.fr.gz"), ("kept.en", "kept.fr")),
        (("1984.hu.txt", "1984.en.txt.gz"), ("kept.hu.txt", "kept.en.txt")),
        (("a", "b.fr"), ("kept.src", "kept.tgt.fr")),
    ],
)
def test_names_of_the_output_files(folder, names, outputs):
    from alignframe.cli.beads_filter import _paths

    paths = _paths(*names, folder / "kept", [])
    assert paths == [folder / name for name in outputs]


SHELL = {
    "text.en short.fr": "text.en has 120 lines, short.fr has 1; expected the same number",
    "text.en text.fr -o text": "text.en: is both an input and the output; expected another prefix",
    "text.en text.fr -o no/kept": "no/kept.en: its folder does not exist",
    "text.en text.fr --lines s.txt": "s.txt: the suffix '.txt'; expected",
    "text.en text.fr --groups groups --only x": (
        "--only has the group 'x'; expected groups among 'news', 'web'"
    ),
}


@pytest.mark.parametrize(("words", "message"), SHELL.items(), ids=SHELL)
def test_an_error_ends_the_command_with_one_line(folder, words, message):
    before = {path.name: path.read_text() for path in folder.iterdir()}
    output = [] if " -o " in words else ["-o", "kept"]
    printed, said = run("beads", "filter", *words.split(), *output, folder=folder, code=2)
    assert (printed, said.count("\n")) == ("", 1)
    assert said.startswith(f"error: {message}")
    assert {path.name: path.read_text() for path in folder.iterdir()} == before
