"""Bad input for ``tesla score``: error messages."""

import io
import shlex

import numpy as np
import polars as pl
import pytest
from helpers.cli import run

from alignframe import tesla
from alignframe.errors import DataWarning, InputError
from alignframe.language import Analysis
from alignframe.language.synonyms import Synonyms
from alignframe.tesla import BagFeatures, match, solve_matching
from alignframe.tesla.feature_names import check_model_name, check_pivot_name
from alignframe.tesla.metrics import Metric
from alignframe.tesla.model import Model

ANALYSIS = Analysis.of(tagger="given", lemmas="given", synonyms="none")
GIVEN = ("--tagger", "given", "--set", "lemmas=given", "--set", "synonyms=none")


@pytest.fixture
def files(tmp_path):
    for name, lines in (("ref", 3), ("hyp", 3), ("short", 2)):
        (tmp_path / name).write_text("cat|NN|cat sat|VB|sit\n" * lines)
    (tmp_path / "latin").write_bytes(b"cat|NN|cat\ncaf\xe9|NN|x\ncat|NN|cat\n")
    (tmp_path / "empty").write_bytes(b"")
    Model(("ms_1", "fr_lem_2", "lm_news"), (1.0, 1.0, 1.0)).save(tmp_path / "model.json")
    return tmp_path


SCORE = {
    "--ref ref --hyp short": "'short' (short) has 2 sentences, the reference 3",
    "--ref ref --ref short --hyp hyp": "short has 2 sentences, the reference 3",
    "--ref none --hyp hyp": "none: no such file",
    "--ref ref --hyp a=none": "none: no such file",
    "--ref empty --hyp hyp": "empty: the file is empty",
    "--ref ref --hyp latin": "latin:2: the byte 0xe9 is not utf-8 text",
    "--ref ref --hyp a=hyp --hyp a=short": "the system 'a' is given twice: hyp and short",
    "--ref ref --hyp hyp --metric x": "unknown --metric 'x'",
    "--ref ref --hyp hyp --metric b": "the metric b needs a table of a pivot language",
    "--ref ref --hyp hyp --metric f --model model.json": (
        "the model weights fr_lem_2, lm_news, which are not there; add "
        "--pivot fr=FILE, --lm news=FILE"
    ),
    "--ref ref --hyp hyp --model model.json": (
        "a model with the metric 'm'; choose --metric f, or leave the model out"
    ),
    "--ref ref --hyp hyp --metric f --set empty-order=skip": (
        "--empty-order skip with the metric f"
    ),
    "--ref ref --hyp hyp --set recall-weight=2": (
        "--recall-weight is 2.0; expected a number from 0 to 1"
    ),
    "--ref ref --hyp hyp --set empty-order=x": "expected one of zero, skip",
    "--ref ref --hyp hyp --set references-combined=min": "expected one of mean, max",
    "--ref ref --hyp hyp --set function-weight=0.15": "0, 0.1, 0.2",
    "--ref ref --hyp hyp --set confidence=2": "--confidence is 2.0",
    "--ref ref --hyp hyp -o scores.txt": "the suffix '.txt'",
    "--ref ref --hyp hyp --pivot p=hyp": "hyp",
    "--ref ref --hyp hyp --lm 'a b=lm.arpa'": (
        "'a b' as the name of a language model; expected a word such as "
        "news, of letters, digits, _, - and dots; name it: NAME=FILE"
    ),
    "--ref ref --hyp hyp --lm a=x --lm a=y": "the language model 'a'",
}


@pytest.mark.parametrize(("words", "said"), SCORE.items(), ids=SCORE)
def test_score_explains_errors(files, words, said):
    _, error = run("tesla", "score", *GIVEN, *shlex.split(words), code=2, folder=files)
    assert error.startswith("error: ")
    assert said in error.replace("\n", " ")


TAGS = "alignframe tesla tags --src TEXT.en --tgt TEXT"
PIVOT = "alignframe tesla pivot-table"


@pytest.mark.parametrize(
    ("options", "command"),
    [
        *(
            ({"language": code, "metric": metric}, f"{TAGS}.{code} -o {code}.tags.parquet")
            for code in ("fr", "es", "zh")
            for metric in "mb"
        ),
        ({"language": "fr", "tagger": "hanta"}, f"{TAGS}.fr -o fr.tags.parquet"),
        ({"language": "de", "tagger": "textblob"}, f"{TAGS}.de -o de.tags.parquet"),
        ({"tagger": "no.parquet"}, f"{TAGS} -o no.parquet"),
        ({"wordnet": "nowhere"}, "apt install wordnet-base"),
        ({"metric": "b"}, f"{PIVOT} --src TEXT.en --pivot TEXT.fr --tokens penn -o fr.parquet"),
        (
            {"metric": "b", "language": "zh", "tagger": "none"},
            f"{PIVOT} --src TEXT.zh --pivot TEXT.en --tokens penn --pivot-tagger textblob "
            "--pivot-language en -o en.parquet",
        ),
        ({"metric": "b", "pivots": {"fr": "no.parquet"}}, PIVOT),
        (
            {"language_models": {"news": "no.arpa"}},
            "alignframe lm --tokens penn --lowercase TEXT -o no.arpa",
        ),
        ({"metric": "f", "model": "no.json"}, "alignframe tesla train"),
    ],
    ids=str,
)
def test_a_missing_file_is_named_with_the_command_that_creates_it(options, command):
    with pytest.raises(InputError) as found:
        tesla.score(["cat"], [["cat"]], bootstrap=0, **options)
    assert command in str(found.value)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--ref", "none"], "none: no such file"),
        (["--ref", "ref", "--ref", "short"], "short has 2 sentences, the reference 3"),
        (["--ref", "-"], "--ref -, where candidates come from standard input"),
    ],
)
def test_stream_explains_errors(files, words, said):
    _, error = run("tesla", "stream", *GIVEN, *words, code=2, folder=files)
    assert said in error


def test_nothing_to_score():
    with pytest.raises(InputError, match="no translations"):
        tesla.score({}, ["a|NN|a"], analysis=ANALYSIS)
    with pytest.raises(InputError, match=r"tokens .*analysis"):
        tesla.score({"a": ["a|NN|a"]}, ["a|NN|a"], analysis=ANALYSIS, tokens="penn")
    with pytest.raises(InputError, match=r"'a' has 2 .*1"):
        tesla.score({"a": ["a|NN|a"] * 2}, ["a|NN|a"], analysis=ANALYSIS)
    with pytest.raises(InputError, match="`threads` is 0"):
        tesla.score({"a": ["a|NN|a"]}, ["a|NN|a"], analysis=ANALYSIS, threads=0)


def test_no_sentences():
    with pytest.raises(InputError, match=r"reference .*no sentences"):
        tesla.score({"a": []}, [], analysis=ANALYSIS)
    with pytest.raises(InputError, match="the reference has no sentences"):
        tesla.score({"a": []}, [[]], analysis=ANALYSIS)


def test_standard_input_can_be_read_once(files, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"cat|NN|cat\n")))
    _, error = run("tesla", "score", *GIVEN, "--ref", "-", "--hyp", "-", code=2, folder=files)
    assert "-: standard input was already read; use '-' or /dev/stdin for one file only" in error


def test_long_sentences_are_named_with_their_file(files, monkeypatch):
    monkeypatch.setattr("alignframe.functions.bags.MAX_TOKENS", 1)
    _, error = run("tesla", "score", *GIVEN, "--ref", "ref", "--hyp", "hyp", code=2, folder=files)
    assert "sentence 0 (counted from 0) of ref has 2 tokens; expected at most 1" in error


def test_two_features_with_one_name():
    with pytest.raises(InputError, match=r"ms_1, ms_1.*once"):
        Metric("m", ["ms_1", "ms_1"])


@pytest.mark.parametrize("name", ["lm", "lm_news", "a b", "a|b", "a=b", "a:b", "a,b", "a/b"])
def test_names_of_pivots_are_checked(name):
    with pytest.raises(InputError, match=r"as the name of a pivot language; .*NAME=FILE"):
        check_pivot_name(name)


@pytest.mark.parametrize("name", ["fr", "lms", "news-2012.v1", "español", "a_b"])
def test_valid_names_of_pivots(name):
    assert check_pivot_name(name) == check_model_name(name) == name


@pytest.mark.parametrize("alpha", [0.8, 0.1234567, 1, 1 / 3, 1e-9])
def test_signatures_have_exact_numbers(alpha):
    parts = BagFeatures(Synonyms.none(), recall_weight=alpha).signature.split("|")
    said = next(part for part in parts if part.startswith("alpha:")).removeprefix("alpha:")
    assert float(said) == alpha
    assert said == {0.8: "0.8", 1: "1"}.get(alpha, said)


def test_an_unknown_baseline():
    texts = {name: ["a|NN|a", "b|NN|b"] for name in "ab"}
    with pytest.raises(InputError, match=r"unknown `baseline` 'c'; expected one of a, b"):
        tesla.score(texts, texts["a"], analysis=ANALYSIS).compare("c")


def test_stored_tables_without_the_features_of_a_metric():
    with pytest.raises(InputError, match="expected sid as well"):
        tesla.rescore(pl.DataFrame({"system": ["a"], "ms_1": [0.5]}))
    table = pl.DataFrame({"system": ["a"], "sid": [0], "bleu": [0.5]})
    with pytest.raises(InputError, match=r"bleu.*ms_1, pos_1"):
        tesla.rescore(table)
    with pytest.raises(InputError, match="ms_9"):
        Metric("f", ["ms_1"], Model(("ms_9",), (1.0,)))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"recall_weight": -0.1}, "`recall_weight` is -0.1"),
        ({"empty_order": "none"}, "unknown `empty_order` 'none'"),
        ({"similarities": ("ms", "max")}, "unknown `similarity` 'max'"),
        ({"function_weight": 1.1}, "`function_weight` is 1.1"),
        ({"function_weight": float("nan")}, "`function_weight` is nan"),
        ({"orders": 7}, "n-grams of up to 7 words; expected 1 to 6"),
        ({"orders": 0}, "n-grams of up to 0 words"),
    ],
)
def test_invalid_features(options, said):
    with pytest.raises(InputError, match=said):
        BagFeatures(Synonyms.none(), **options)


def test_sides_of_different_lengths():
    one, other = (ANALYSIS.analyse(["a|NN|a"] * rows) for rows in (1, 2))
    with pytest.raises(InputError, match="1 translations and 2 references"):
        match(one, other, Synonyms.none())
    with pytest.raises(InputError, match="with one vocabulary"):
        match(one, ANALYSIS.analyse(["a|NN|a"]), Synonyms.none())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([1], [1, 2], [[1]]), r"similarities of the shape \(1, 1\) for 1 and 2 entries"),
        (([-1], [1], [[1]]), "a weight that is negative"),
        (([1.0], [np.inf], [[1.0]]), "a weight that is negative or not a number"),
        (([1], [1], [[np.nan]]), "a similarity that is negative or not a number"),
    ],
)
def test_invalid_matchings(arguments, said):
    with pytest.raises(InputError, match=said):
        solve_matching(*arguments)


def test_scores_of_humans_become_rankings_by_the_command_in_the_error(tmp_path):
    lines = ["system mqm_score seg_id", "A -5 1", "A None 2", "B -7 1", "B -2 2"]
    (tmp_path / "x.tsv").write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError) as error, pytest.warns(DataWarning, match="one column"):
        tesla.read_rankings(tmp_path / "x.tsv")
    command = str(error.value).partition("alignframe ")[2].replace("FILE", "x.tsv")
    run(*shlex.split(command), folder=tmp_path)
    rows = tesla.read_rankings(tmp_path / "rankings.csv").frame.sort("sid", "system")
    assert rows.select("sid", "system", "rank").rows() == [(0, "A", 1), (0, "B", 2), (1, "B", 1)]
    (tmp_path / "y.csv").write_text("system,score,sid\nA,1,0\nB,2,0\n")
    with pytest.raises(
        InputError,
        match=r"select sid as sid, .* order by try_cast.score as double. desc.* from 'FILE'",
    ):
        tesla.read_rankings(tmp_path / "y.csv")
    (tmp_path / "z.csv").write_text("system,colour\nA,1\n")
    with pytest.raises(InputError, match=r"system and rank$"):
        tesla.read_rankings(tmp_path / "z.csv")
