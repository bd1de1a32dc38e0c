"""Comparing aligners under noise: every figure equals that of its document."""

from concurrent.futures import ThreadPoolExecutor
from importlib import import_module

import polars as pl
import pytest
from helpers.beads import lexicon, parallel_text
from helpers.cli import json_of, run

from alignframe.beads import Options, Setting, align, noise, read_scenarios, score, study
from alignframe.beads.study import COUNTS, MEASURES
from alignframe.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore:.*no sentence pair is certain")
SRC, TGT = parallel_text(60)
COLUMNS = [
    *("corpus", "scenario", "src_rate", "tgt_rate", "seed", "method"),
    *("n_hyp", "n_gold", "n_hyp_strict", "n_gold_strict", "n_hyp_lax", "n_gold_lax"),
    *("n_hyp_pairs", "n_gold_pairs", "n_both_pairs"),
    *("n_src_aligned", "n_tgt_aligned", "n_src", "n_tgt"),
    *("pair_precision", "pair_recall", "strict_precision", "strict_recall", "strict_f"),
    *("lax_precision", "lax_recall", "lax_f", "alignment_rate", "seconds", "signature"),
]


@pytest.mark.filterwarnings("ignore:gold. .* of 60 beads cross")
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"threshold": None, "skip": 0.1, "unit": "characters", "words": "spaces"},
        {"smoothing": 0.3},
    ],
)
def test_a_row_is_the_result_of_noise_align_and_scores(options):
    settings = [Setting("delete", 0.05, 0.1), "combine:0.1", "length-aligned"]
    found = study(SRC, TGT, scenarios=settings, seed=3, corpus="made up", **options)
    assert found.columns == COLUMNS
    assert found.select("corpus", "seed").unique().rows() == [("made up", 3)]
    rows = found.rows(named=True)
    assert len(rows) == 6
    for row in rows:
        used = {"threshold": 0.99, "skip": 0.02} | options
        if row["method"] == "len":
            used.pop("smoothing", None)  # it has none
        unit = options.get("unit", "words")
        rates = {name: row[name] for name in ("src_rate", "tgt_rate")}
        noisy = noise(row["scenario"], SRC, TGT, **rates, seed=3, unit=unit)
        beads = align(noisy.src, noisy.tgt, row["method"], **used)
        lengths = pl.DataFrame(
            {"doc": ["document"], "n_src": [len(noisy.src)], "n_tgt": [len(noisy.tgt)]}
        )
        wanted = score(beads, noisy.gold, lengths=lengths).scores.row(0, named=True)
        wanted |= {f"pairs_{name}": wanted[f"pair_{name}"] for name in ("precision", "recall")}
        assert {name: row[name] for name in (*COUNTS, *MEASURES)} == {
            name: wanted[name] for name in (*COUNTS, *MEASURES)
        }
        assert row["seconds"] > 0
        assert row["signature"].startswith(Options(row["method"], **used).signature + "|metric:")
    settings = [tuple(row[name] for name in COLUMNS[1:4]) for row in rows[::2]]
    assert settings == [("delete", 0.05, 0.1), ("combine", 0.1, 0.1), ("length-aligned", 0, 0)]
    assert [row["method"] for row in rows] == ["len", "mre"] * 3


def test_parallel_scenarios_give_the_same_results():
    scenarios = ["clean", "delete:0.1", "combine:0.1:0.2", "length-aligned", "delete:0.1:0.1"]
    told = []
    alone = study(SRC, TGT, scenarios=scenarios, progress=lambda *said: told.append(said))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]  # one occurs twice
    with ThreadPoolExecutor(2) as executor:
        both = study(SRC, TGT, scenarios=scenarios, threads=executor)
    assert both.drop("seconds").equals(alone.drop("seconds"))
    other = study(SRC, TGT, scenarios=scenarios, seed=2)
    assert not other.select(MEASURES).equals(alone.select(MEASURES))


def test_a_model_finds_more():
    found = study(
        SRC, TGT, scenarios=["delete:0.1"], methods=["len", "mre+", "len"], model=lexicon()
    )
    assert found["method"].to_list() == ["len", "mre+"]
    assert found["pair_recall"][1] > found["pair_recall"][0] + 0.1
    assert "|model:given|" in found["signature"][1]
    assert "|smoothing:0.3|" in found["signature"][1]  # not the 0.5 of align


def test_a_method_may_be_a_string():
    found = study(SRC, TGT, scenarios="clean", methods="len")
    assert found.drop("seconds").equals(
        study(SRC, TGT, scenarios=["clean"], methods=["len"]).drop("seconds")
    )
    assert found["method"].to_list() == ["len"]


def test_length_aligned_counts_words_like_the_aligner():
    tgt = [chr(0x4E00 + k) + "的" * (len(text.split()) - 1) for k, text in enumerate(SRC)]
    found = study(SRC, tgt, scenarios="length-aligned", methods=["len"], threshold=0.5)
    assert found["alignment_rate"][0] > 0.9
    assert found["n_gold_pairs"][0] == 60


def test_figures_with_a_zero_divisor_are_null():
    further = parallel_text(50, seed=2)[1]
    found = study(
        SRC, TGT, scenarios=["different", "clean"], methods=["len"], other=further, skip=0.4
    )
    one, two = found.select("n_hyp_pairs", "n_gold_pairs", *MEASURES[:2], "n_tgt").rows()
    assert one == (0, 0, None, None, 50)
    assert two == (0, 60, None, 0.0, 60)


SCENARIOS = {
    "clean": [("clean", 0, 0)],
    "delete:0.05:0.1": [("delete", 0.05, 0.1)],
    "combine:0.05": [("combine", 0.05, 0.05)],
    "delete:0": [("delete", 0, 0)],
}


@pytest.mark.parametrize(("text", "settings"), SCENARIOS.items())
def test_a_scenario_as_a_string(text, settings):
    assert read_scenarios(text) == settings
    assert read_scenarios([text, *settings, text]) == settings


def test_scenarios_of_the_paper():
    assert len(read_scenarios("paper")) == 53
    assert len(read_scenarios(["combine", "delete", "delete:0.25:0.25"])) == 15 + 35
    with_other = read_scenarios("paper", other=True)
    assert with_other == [*read_scenarios("paper"), Setting("different")]


MISTAKES = [
    ({"scenarios": ["shuffle"]}, "unknown `scenario` 'shuffle'; expected one of paper, clean"),
    ({"scenarios": []}, "no scenarios; expected paper, or at least one"),
    ({"scenarios": "delete:1"}, "a `rate` of 1 for delete; expected 0 or more, b"),
    ({"scenarios": "combine:0:0.6"}, "a `rate` of 0.6 for combine; expected 0 to"),
    ({"scenarios": "delete:-0.1"}, "a `rate` of -0.1 for delete"),
    ({"scenarios": "delete:nan"}, "a `rate` of nan for delete"),
    ({"scenarios": "delete:x"}, "'x' in the scenario 'delete:x' is not a number"),
    ({"scenarios": "delete:0:0:0"}, "the scenario 'delete:0:0:0'; expected at most two"),
    ({"scenarios": "clean:0.1"}, "the scenario 'clean:0.1'; expected clean, with"),
    ({"scenarios": [Setting("randomize", 0.1)]}, "a `rate` of 0.1 for randomize; expected no rate"),
    ({"scenarios": "different"}, "no other target text; expected another text with the scena"),
    ({"scenarios": "clean", "other": ["a"]}, "another target text; expected another text with"),
    ({"methods": ["moore"]}, "unknown `method` 'moore'; expected one of gale-church, len, mre"),
    ({"methods": "len,mre"}, "unknown `method` 'len,mre'; expected one of gale-church, len"),
    ({"methods": []}, "`methods` is []; expected one or more of gale-church, len"),
    (
        {"methods": ["len", "mre+"]},
        "no model for mre+; expected `model`: a saved model or a lexicon, not learnt from this "
        "text; make a model with: alignframe beads align SRC TGT --save-model FOLDER",
    ),
    ({"model": lexicon()}, "`model` with len, mre; expected the method mre+"),
    ({"methods": ["mre+"], "model": "none"}, "none: does not exist"),
    ({"tgt": TGT[1:]}, "60 source sentences and 59 target sentences; expected parallel sides"),
    ({"src": [], "tgt": []}, "a text without sentences; expected at least one"),
    ({"smoothing": 1.0}, "`smoothing` is 1.0; expected a number of at least 0 and below 1"),
    (
        {"methods": ["len", "gale-church"], "smoothing": 0.5},
        "`smoothing` with the method len; expected one of the methods mre, mre+, lex",
    ),
    ({"threshold": 1.0}, "`threshold` is 1.0; expected a number of at least 0 and below 1"),
]


@pytest.mark.parametrize(("changed", "said"), MISTAKES)
def test_errors_are_raised_before_anything_is_aligned(monkeypatch, changed, said):
    monkeypatch.delattr(import_module("alignframe.beads.study"), "aligned")
    given = {"src": SRC, "tgt": TGT} | changed
    with pytest.raises(InputError) as error:
        study(given.pop("src"), given.pop("tgt"), **given)
    assert str(error.value).startswith(said)


# --- the command


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "text.en").write_text("\n".join(SRC) + "\n")
    (tmp_path / "text.fr").write_text("\n".join(TGT) + "\n")
    (tmp_path / "short.fr").write_text("a\n")
    return tmp_path


def command(folder, *words, code=0):
    return run("beads", "study", "text.en", *words, folder=folder, code=code)


def test_the_command_writes_the_papers_scenarios(folder):
    words = ("text.fr", "--scenarios", "paper", "--methods", "len", "--threads", 2)
    printed, said = command(folder, *words, "-o", "study.parquet")
    found = pl.read_parquet(folder / "study.parquet")
    assert found.shape == (53, len(COLUMNS))
    assert found["corpus"].unique().to_list() == ["text.en"]
    assert said == "53 rows written to study.parquet\n"
    shown = [line.split() for line in printed.splitlines() if " len " in line]
    first = found.filter(scenario="clean").row(0, named=True)
    assert shown[0] == [
        "clean",
        "len",
        *(f"{first[name]:.4f}" for name in (*MEASURES[:2], MEASURES[-1])),
    ]
    assert [line[0] for line in shown] == [
        *("clean", "delete", "combine", "randomize", "length-aligned"),
    ]
    alone = study(SRC, TGT, methods=["len"], corpus="text.en")
    assert found.drop("seconds").equals(alone.drop("seconds"))


def test_the_command_with_its_options(folder):
    words = ("text.fr", "--scenarios", "delete:0.1,different", "--methods", "len,mre,gale-church")
    words += ("--other", "text.fr", "--set", "seed=2", "--corpus", "made up", "--threshold", 0.9)
    words += ("--set", "smoothing=0.4")
    words += ("--set", "skip=0.3", "--set", "words=spaces", "--set", "unit=characters")
    printed, _ = command(folder, *words, "--json")
    wanted = study(
        *(SRC, TGT),
        scenarios=["delete:0.1", "different"],
        methods=["len", "mre", "gale-church"],
        smoothing=0.4,
        other=TGT,
        seed=2,
        corpus="made up",
        threshold=0.9,
        skip=0.3,
        words="spaces",
        unit="characters",
    )
    rows = json_of(printed)
    assert [list(row) for row in rows] == [COLUMNS] * 6
    assert pl.DataFrame(rows, schema=wanted.schema).drop("seconds").equals(wanted.drop("seconds"))
    printed, said = command(folder, *words)
    assert "delete 10%, 10%" in printed
    assert " - " in printed
    assert all("no sentence pair is certain" in line for line in said.splitlines())


def test_methods_that_find_nothing_in_the_clean_text_are_named(folder):
    words = ("text.fr", "--scenarios", "clean,randomize", "--methods", "len,gale-church")
    printed, said = command(folder, *words, "--threshold", 0.999999, "-o", "study.parquet")
    found = pl.read_parquet(folder / "study.parquet").filter(scenario="clean")
    silent = found.filter(n_hyp_pairs=0)["method"].to_list()
    assert silent == ["len"]  # the best path of gale-church is scored
    assert " - " in printed
    first, *notes = said.splitlines()
    assert notes == [
        f"no bead of {name} is above the threshold 0.999999 in the clean text; see --threshold"
        for name in silent
    ]
    assert first.startswith("4 rows written")
    shifted = "".join(f"{line}\n" for line in ("", *TGT[:-1]))
    (folder / "shifted.fr").write_text(shifted)
    _, said = command(folder, "shifted.fr", *words[1:], "--threshold", 0.2)
    assert "no bead of len is right above the threshold 0.2 in the clean text" in said
    _, said = command(folder, *words[:3], "--methods", "len", "--threshold", 0.1)
    assert said == ""


SHELL = {
    "text.fr --methods mre+": "no model for mre+; expected --model",
    "short.fr": "text.en has 60 lines, short.fr has 1; expected the same number",
    "text.fr --scenarios noise": "unknown --scenarios 'noise'; expected one of paper",
    "text.fr -o study.txt": "study.txt: the suffix '.txt'; expected .parquet",
    "none.fr": "none.fr: no such file",
}


@pytest.mark.parametrize(("words", "message"), SHELL.items(), ids=SHELL)
def test_an_error_ends_the_command_with_one_line(folder, words, message):
    printed, said = command(folder, *words.split(), code=2)
    assert (printed, said.count("\n")) == ("", 1)
    assert said.startswith(f"error: {message}")


def test_noise_does_not_depend_on_the_order_of_methods():
    src = ["ab " * k for k in range(1, 30)]
    tgt = ["abcdef " * (k % 7 + k // 2 + 1) for k in range(1, 30)]
    scenarios = ["length-aligned"]
    frames = [
        study(src, tgt, scenarios=scenarios, methods=methods, threshold=0.1).sort("method")
        for methods in (["len", "gale-church"], ["gale-church", "len"])
    ]
    assert frames[0].drop("seconds").equals(frames[1].drop("seconds"))
