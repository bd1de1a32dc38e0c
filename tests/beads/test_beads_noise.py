"""Noise: deletions, joins, and gold beads."""

from collections import Counter
from functools import partial

import numpy as np
import pyarrow as pa
import pytest
from helpers import cli as helpers_cli
from helpers.cli import json_of
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import beads as slow
from scipy.stats import chisquare

from alignframe.beads.noise import delete, different, length_aligned, noise
from alignframe.beads.scenarios import DELETIONS, grid
from alignframe.beads.scenarios import settings as grid_settings
from alignframe.core.schemas import BEADS, SPANS
from alignframe.errors import InputError
from alignframe.formats.bead_table import checked_beads

TEXTS = st.lists(st.tuples(st.booleans(), st.booleans()), max_size=12)
"""Draw whether each side of each sentence pair is written or blank."""

SEEDS = st.integers(0, 2**64)


def sides(written):
    """Return sentences that contain their number, some of them blank."""
    return tuple(
        [f"{name}{number}" if row[side] else " " for number, row in enumerate(written)]
        for side, name in enumerate("st")
    )


def numbers(sentences):
    """Return the numbers in each sentence."""
    return [[int(word[1:]) for word in text.split()] for text in sentences.to_list()]


def beads_of(gold):
    return list(zip(*(gold[name].to_list() for name in SPANS), strict=True))


def check_gold(noisy, written):
    """Check that gold covers both sides and joins what belongs together."""
    assert noisy.gold.columns == BEADS.names
    checked_beads(noisy.gold, "gold")
    beads = beads_of(noisy.gold)
    assert sum(len(slow.sides(bead)[0]) for bead in beads) == len(noisy.src)
    assert sum(len(slow.sides(bead)[1]) for bead in beads) == len(noisy.tgt)
    linked = {number for number, row in enumerate(written) if all(row)}
    held = numbers(noisy.src), numbers(noisy.tgt)
    assert {slow.sides(bead) for bead in beads} == slow.smallest_beads(*held, linked)
    assert beads == sorted(beads, key=lambda bead: (bead[0], bead[1], bead[2]))
    return beads


def is_in_order(beads):
    """Return whether beads follow each other on both sides without gaps."""
    ends = [(0, 0), *((bead[1], bead[3]) for bead in beads)]
    return all((bead[0], bead[2]) == end for bead, end in zip(beads, ends, strict=False))


@given(written=TEXTS)
@settings(max_examples=20)
def test_clean_text_is_unchanged(written):
    src, tgt = sides(written)
    noisy = noise("clean", src, pa.array(tgt, pa.string()))
    assert (noisy.src.to_list(), noisy.tgt.to_list()) == (src, tgt)
    assert is_in_order(check_gold(noisy, written))


@given(written=TEXTS, rates=st.tuples(*[st.floats(0, 0.99)] * 2), seed=SEEDS)
@settings(max_examples=30)
def test_deletions(written, rates, seed):
    given = sides(written)
    noisy = noise("delete", *given, src_rate=rates[0], tgt_rate=rates[1], seed=seed)
    for texts, whole, rate in zip((noisy.src, noisy.tgt), given, rates, strict=True):
        assert len(texts) == len(whole) - round(rate * len(whole))
        rest = iter(whole)
        assert all(text in rest for text in texts.to_list())  # in their order
    assert is_in_order(check_gold(noisy, written))
    assert (noisy.scenario, noisy.src_rate, noisy.tgt_rate, noisy.seed) == ("delete", *rates, seed)


@given(written=TEXTS, rates=st.tuples(*[st.floats(0, 0.5)] * 2), seed=SEEDS)
@settings(max_examples=20)
def test_combinations(written, rates, seed):
    given = sides(written)
    noisy = noise("combine", *given, src_rate=rates[0], tgt_rate=rates[1], seed=seed)
    for texts, whole, rate in zip((noisy.src, noisy.tgt), given, rates, strict=True):
        joined = min(round(rate * len(whole)), len(whole) // 2)
        assert len(texts) == len(whole) - joined
        assert " ".join(texts.to_list()).split() == " ".join(whole).split()
        if all(map(all, written)):
            assert Counter(text.count(" ") for text in texts.to_list())[1] == joined
    assert is_in_order(check_gold(noisy, written))


@given(written=TEXTS, seed=SEEDS)
@settings(max_examples=20)
def test_random_order(written, seed):
    given = sides(written)
    noisy = noise("randomize", *given, seed=seed)
    for texts, whole in zip((noisy.src, noisy.tgt), given, strict=True):
        assert sorted(texts.to_list()) == sorted(whole)
    check_gold(noisy, written)


LENGTHS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=25)


@given(lengths=LENGTHS, seed=SEEDS, unit=st.sampled_from(("words", "characters")))
@settings(max_examples=30)
def test_each_sentence_gets_one_of_the_closest_in_length(lengths, seed, unit):
    src, tgt = ([size[side] for size in lengths] for side in (0, 1))
    longer = {"words": " x\u3000", "characters": "x"}[unit]
    texts = [[longer * size for size in side] for side in (src, tgt)]
    noisy = noise("length-aligned", *texts, seed=seed, unit=unit)
    assert noisy.src.to_list() == texts[0]
    assert sorted(noisy.tgt.to_list()) == sorted(texts[1])
    # Replayed in the same random order, against all that remain.
    order = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed).spawn(2)[1]))
    scale = (sum(src), sum(tgt)) if sum(src) and sum(tgt) else (1, 1)
    remaining = set(range(len(tgt)))
    for source in order.permutation(len(src)):
        near = slow.closest(src[source] * scale[1], [size * scale[0] for size in tgt], remaining)
        same = [number for number in near if texts[1][number] == noisy.tgt[int(source)]]
        assert same
        remaining.discard(same[0])


def test_length_aligned_gold_follows_the_sentences():
    src = [f"s{number}" + " a" * (number % 3) for number in range(30)]
    tgt = [f"t{number}" + " b" * (number % 4) for number in range(30)]
    noisy = length_aligned(src, tgt)
    assert noisy.src.to_list() == src
    for start, _, place, _ in beads_of(noisy.gold):
        assert noisy.tgt[place] == tgt[start]
    assert noisy.tgt.to_list() != tgt


def test_different_documents_have_nothing_in_common():
    noisy = noise("different", ["a", "b"], ["x", "y"], other=["c", "d", "e"])
    assert (noisy.src.to_list(), noisy.tgt.to_list()) == (["a", "b"], ["c", "d", "e"])
    assert [slow.kind(bead) for bead in beads_of(noisy.gold)] == ["1-0"] * 2 + ["0-1"] * 3
    assert is_in_order(beads_of(noisy.gold))
    same = different(["a", "b"], ["c", "d", "e"])
    assert same.src.equals(noisy.src)
    assert same.gold.equals(noisy.gold)


# --- randomness


@pytest.mark.parametrize(
    ("scenario", "size", "rate", "outcomes"),
    [
        ("delete", 5, 0.4, 10),
        ("combine", 6, 0.33, 6),
        ("combine", 5, 0.2, 4),
        ("randomize", 4, 0, 24),
    ],
)
def test_every_outcome_is_equally_likely(scenario, size, rate, outcomes):
    texts = [f"s{number}" for number in range(size)]
    rates = {"src_rate": rate, "tgt_rate": rate}
    draws = [noise(scenario, texts, texts, **rates, seed=seed) for seed in range(10 * outcomes)]
    for side in ("src", "tgt"):
        found = Counter("|".join(getattr(draw, side).to_list()) for draw in draws)
        assert len(found) == outcomes
        assert chisquare(list(found.values())).pvalue > 0.001
    # The sides are drawn independently, so they agree no more often than by chance.
    agreed = sum(draw.src.to_list() == draw.tgt.to_list() for draw in draws)
    assert chisquare([agreed, len(draws) - agreed], [10, len(draws) - 10]).pvalue > 0.001


def test_ties_of_length_are_broken_at_random():
    # The ratio is 1. If the first source sentence is drawn first, one word and three are as close
    # to its two; if not, another has taken the three.
    src = [" ".join("a" * size) for size in (2, 100, 100)]
    tgt = [" ".join("b" * size) for size in (1, 3, 198)]
    found = Counter(length_aligned(src, tgt, seed).tgt[0] for seed in range(150))
    assert chisquare([found[tgt[0]], found[tgt[1]]], [125, 25]).pvalue > 0.001


@pytest.mark.parametrize("scenario", ["delete", "combine", "randomize", "length-aligned"])
def test_the_seed_decides(scenario):
    texts = [f"{'s ' * (number % 3)}{number}" for number in range(50)]
    rates = {"src_rate": 0.2, "tgt_rate": 0.2} if scenario in ("delete", "combine") else {}
    one, same, other = (noise(scenario, texts, texts, **rates, seed=seed) for seed in (1, 1, 2))
    assert all(getattr(one, part).equals(getattr(same, part)) for part in ("src", "tgt", "gold"))
    assert not one.gold.equals(other.gold)


def test_the_output_for_a_seed_does_not_change():
    texts = [str(number) for number in range(10)]
    noisy = delete(texts, texts, 0.3, 0.3, 1)
    assert " ".join(noisy.src.to_list()) == "1 2 3 4 5 7 9"
    assert " ".join(noisy.tgt.to_list()) == "0 2 3 5 6 8 9"


# --- the paper's grid


def test_the_grid_is_the_papers():
    texts = [f"{number}" for number in range(20)]
    found = list(grid(texts, texts))
    assert Counter(one.scenario for one in found) == {
        "clean": 1,
        "delete": 35,
        "combine": 15,
        "randomize": 1,
        "length-aligned": 1,
    }
    named = [(one.scenario, one.src_rate, one.tgt_rate) for one in found]
    assert len(set(named)) == 53
    assert named == grid_settings()
    assert {one.src_rate for one in found if one.scenario == "delete"} == set(DELETIONS)
    assert all(one.src_rate or one.tgt_rate for one in found[1:-2])


def test_another_document_has_both_sides():
    more = list(grid(["a"], ["b"], other=(["c", "d"], ["e", "f"])))[53:]
    assert [(one.src.to_list(), one.tgt.to_list()) for one in more] == [
        (["a"], ["e", "f"]),
        (["c", "d"], ["b"]),
    ]


# --- errors


MISTAKES = [
    (("shuffle", ["a"], ["b"]), {}, "unknown `scenario` 'shuffle'; expected one of clean"),
    (
        ("clean", ["a"] * 1000, ["b"]),
        {},
        "1,000 source sentences and 1 target sentences; expected parallel sides",
    ),
    (
        ("clean", ["a"], ["b"]),
        {"src_rate": 0.1},
        "`src_rate` with the scenario clean; expected rates only with",
    ),
    (
        ("delete", ["a"], ["b"]),
        {"src_rate": 1.0},
        "`src_rate` is 1.0; expected a number of at least 0 and below 1",
    ),
    (("delete", ["a"], ["b"]), {"tgt_rate": -0.1}, "`tgt_rate` is -0.1"),
    (("delete", ["a"], ["b"]), {"tgt_rate": float("nan")}, "`tgt_rate` is nan"),
    (
        ("combine", ["a"], ["b"]),
        {"tgt_rate": 0.51},
        "a rate of 0.51 (`rate`, `src_rate` or `tgt_rate`); expected 0 to 0.5",
    ),
    (("different", ["a"], ["b"]), {}, "no `other` text; expected `other` with"),
    (
        ("clean", ["a"], ["b"]),
        {"other": ["c"]},
        "`other` with the scenario clean; expected `other` with",
    ),
    (("randomize", ["a"], ["b"]), {"seed": -1}, "`seed` is -1; expected a whole number from 0"),
    (("length-aligned", ["a"], ["b"]), {"unit": "x"}, "unknown `unit` 'x'; expected one of words"),
    (("clean", [1], ["b"]), {}, "sentences with 1"),
]


@pytest.mark.parametrize(("words", "options", "said"), MISTAKES)
def test_errors_are_explained(words, options, said):
    with pytest.raises(InputError) as error:
        noise(*words, **options)
    assert str(error.value).startswith(said)


# --- the command


@pytest.fixture
def run(tmp_path):
    """Run the command in this process, in a separate folder with two texts."""
    for side in ("src", "tgt"):
        (tmp_path / side).write_text("".join(f"{side} {number}\n" for number in range(20)))

    return partial(helpers_cli.run, "beads", "noise", folder=tmp_path)


def test_the_command_writes_three_files(run, tmp_path):
    words = ("src", "tgt", "--scenario", "delete", "--set", "seed=1", "-o", "new/noisy")
    done = run(*words, "--src-rate", "0.05", "--tgt-rate", "0.1", "--json")
    assert done.stderr == ""
    found = json_of(done.stdout)
    assert (found["src_sentences"], found["tgt_sentences"]) == (19, 18)
    assert (found["scenario"], found["src_rate"], found["tgt_rate"]) == ("delete", 0.05, 0.1)
    assert found["files"]["gold"] == "new/noisy/gold.beads"
    src, tgt, gold = (
        (tmp_path / "new/noisy" / name).read_text().splitlines()
        for name in ("src.txt", "tgt.txt", "gold.beads")
    )
    assert (len(src), len(tgt), len(gold)) == (19, 18, sum(found["gold_beads"].values()))
    linked = [line for line in gold if "[]" not in line]
    assert len(linked) == found["gold_beads"]["1-1"]
    for line in linked:
        i, j = (int(side.strip("[]")) for side in line.split(":")[:2])
        assert src[i].split()[1] == tgt[j].split()[1]
    done = run(*words, "--rate", "0.5")
    assert done.stdout == ""
    assert done.stderr.startswith("delete: 10 source and 10 target sentences, gold beads ")
    assert len((tmp_path / "new/noisy/src.txt").read_text().splitlines()) == 10


@pytest.mark.parametrize(
    ("words", "kinds"),
    [
        (("--scenario", "clean"), {"1-1": 20}),
        (("--scenario", "randomize"), {"1-1": 20}),
        (("--scenario", "length-aligned", "--set", "unit=characters"), {"1-1": 20}),
        (("--scenario", "different", "--other", "tgt"), {"0-1": 20, "1-0": 20}),
    ],
)
def test_every_scenario_has_a_command(run, words, kinds):
    done = run("src", "tgt", *words, "-o", "noisy", "--json")
    assert json_of(done.stdout)["gold_beads"] == kinds


SHELL = {
    "": "no rate for delete; give --rate for both sides, or --src-rate and ",
    "--scenario combine": "no rate for combine; give --rate",
    "--rate 0.1 --src-rate 0.1": "--rate with --src-rate or --tgt-rate; ",
    "--rate 2": "--rate is 2.0; expected a number of at least 0 and below 1",
    "-o src": "src: is a file; expected a folder",
    "--scenario different --other no": "no: no such file",
}


@pytest.mark.parametrize(("words", "said"), SHELL.items(), ids=SHELL)
def test_an_error_ends_the_command_with_one_line(run, tmp_path, words, said):
    before = {path.name: path.read_text() for path in tmp_path.iterdir()}
    done = run(*helpers_cli.replaced(["src", "tgt", "-o", "noisy"], *words.split()), code=2)
    assert done.stdout == ""
    (message,) = done.stderr.splitlines()
    assert message.startswith(f"error: {said}")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == before
