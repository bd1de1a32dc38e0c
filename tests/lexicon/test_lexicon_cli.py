"""The commands for lexicons, with valid and bad input."""

import re
import shutil
from functools import partial

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.cli import finished, json_of
from helpers.formats import refusal_of

from alignframe import formats, lexicon
from alignframe.errors import DataWarning, InputError

FILES = {
    "en": "the dog\nthe cat\na dog\nthe house\n",
    "fr": "le chien\nle chat\nun chien\nla maison\n",
    "short": "le chien\n",
    "gap": "le chien\n\nun chien\nla maison\n",
    "empty": "",
    "tagged.en": "the|DET dog|NOUN\na|DET cat|NOUN\n",
    "tagged.fr": "le|DET chien|NOUN\nun|DET chat|NOUN\n",
    "untagged": "the dog\n",
    "classes.tsv": "NOUN\tthing\n*\tother\n",
    "words.tsv": "dog\tchien\ncat\tchat\n",
    "column.tsv": "dog\tchien\ncat\n",
    "groups.csv": "src,group\ndog,animal\ncat,animal\n",
    "latin": b"le ch\xeene\nle chat\nun chien\nla maison\n",
    "file": "as it was\n",
    "other.csv": "a,b\n1,2\n",
}
TEXT = ["--src", "en", "--tgt", "fr"]
INDUCE = ["induce", "en", "fr"]
EVALUATE = ["score", "--lexicon", "lex.parquet", *TEXT]
STUDY = "study en fr --test-src en --test-tgt fr --set sets=2 --n-best 2"
TAGGED = (
    "study --tagged tagged.en tagged.fr --test-src tagged.en --test-tgt tagged.fr --sizes 2 "
    "--set sets=1"
)
SHELL = {
    "induce en short": "en has 4 lines, short has 1",
    "induce en empty": "empty: the file is empty",
    "induce en latin": "latin:1: the byte 0xee is not utf-8",
    "induce none fr": "none: no such file",
    "induce en fr --n-best 0": "--n-best is 0; expected a whole number from 1",
    "induce en fr --filter cognat": "the filter 'cognat'; expected cognate:0.58",
    "induce en fr --filter mrbd:column.tsv": "column.tsv:2: 'cat' cannot be read",
    f"{STUDY} --tags ,": "--tags needs a tag set",
    f"{TAGGED} --tags coarse": "the tag set 'coarse'",
    f"{STUDY} --tags open": "text without tags",
    "induce en fr --filter alignment": "the filter alignment without an oracle",
    "induce en fr --filter pos": "text without tags for the filter pos",
    "induce --tagged untagged untagged": (
        "untagged: the format is not recognised; its first line is 'the dog'"
    ),
    "induce --tagged tagged.en": "--tagged needs a tagged file for each side",
    "induce text.parquet fr": "text.parquet: the sentences have the columns",
    "induce en fr --set memory-limit=lots": (
        "--memory-limit is 'lots'; expected a size such as 2GB"
    ),
    "induce en fr --set memory-limit=1MB": "--memory-limit is 1MB, ",
    "induce en fr -o no/x.parquet": "no/x.parquet: its folder does not exist",
    "induce en fr -o x.doc": "x.doc: the suffix '.doc'; expected .parquet",
    "score --lexicon lex.parquet --src en --tgt fr --k 3": (
        "--k is 3, the lexicon has at most 2 translations per word"
    ),
    "score --lexicon lex.parquet --src en --tgt fr --k 0": "--k is 0; expected ",
    "score --lexicon other.csv --src en --tgt fr": "expected the column src",
    "score --lexicon lex.parquet --src en --tgt fr --lexicon lex=lex.parquet": (
        "'lex' is given twice: lex.parquet and lex.parquet; name them"
    ),
    "lookup --lexicon lex.parquet chein": "has no word 'chein'; expected",
    f"{STUDY} --sizes 2 -o file": "file: is a file; expected a",
    f"{STUDY} --sizes 2,x": "'x' in --sizes is not a number",
    f"{STUDY} --sizes 9": "training sets of 9 pairs, but the training text has only 4",
    f"{STUDY} --cascade a=none --cascade a=cognate": "two cascades are called 'a'; name them",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with texts and a lexicon."""
    home = tmp_path_factory.mktemp("lexicon")
    for name, text in FILES.items():
        (home / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    text = formats.read_bitext(home / "en", home / "fr")
    pq.write_table(text, home / "text.parquet")
    formats.write(lexicon.induce(text, n_best=2), home / "lex.parquet")
    return home


@pytest.fixture
def run(folder, tmp_path, monkeypatch):
    """Run a command of ``alignframe lexicon`` in a copy of the folder."""
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return partial(finished, "lexicon")


@pytest.mark.parametrize(("words", "said"), SHELL.items(), ids=SHELL)
def test_bad_input(run, words, said):
    done = run(*words.split())
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_induce_writes_the_result_of_python(run, tmp_path):
    done = run(*INDUCE, "--n-best", 2, "--filter", "mrbd:words.tsv", "-o", "new.parquet")
    assert done.returncode == 0
    wanted = lexicon.induce("text.parquet", n_best=2, filters=["mrbd:words.tsv"])
    found = pq.read_table(tmp_path / "new.parquet")
    assert found.equals(pa.table(wanted))
    assert found.schema.metadata[b"n_best"] == b"2"
    signature = found.schema.metadata[b"alignframe"].decode()
    assert "filters:mrbd:words.tsv" in signature
    assert signature in done.stderr
    assert f"{wanted.height} translations written to new.parquet" in done.stderr


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_induce_writes_other_tables(run, suffix):
    run(*INDUCE, "-o", f"new.{suffix}")
    read = pl.read_csv if suffix == "csv" else pl.read_ndjson
    wanted = lexicon.induce("text.parquet").frame
    assert read(f"new.{suffix}")["tgt"].to_list() == wanted["tgt"].to_list()
    found = json_of(run("lookup", "--lexicon", f"new.{suffix}", "cat", "--json").stdout)
    assert [row["tgt"] for row in found] == wanted.filter(src="cat")["tgt"].to_list()


def test_several_lexicons_are_looked_up_side_by_side(run):
    """Words have a gap in ranks, a lexicon without figures, and one with a column ``lexicon``."""
    strong = {"src": ["a", "b", "a"], "tgt": ["x", "x", "y"], "rank": [1, 1, 3], "llr": [1, 2, 0.5]}
    listed = {"src": ["a", "c"], "tgt": ["y", "z"], "rank": [1, 1], "lexicon": ["old", "old"]}
    formats.write(strong, "strong.csv")
    formats.write(listed, "listed.csv")
    given = {"one": "strong.csv", "two": "listed.csv"}
    with pytest.warns(DataWarning, match="the lexicons have no word 'q'"):
        found = lexicon.lookup(given, ["a", "x", "q"])
    assert found.drop("src", "tgt", "llr").rows() == [
        ("a", "src", "one", 1),
        ("a", "src", "one", 3),
        ("a", "src", "two", 1),
        ("x", "tgt", "one", 1),
        ("x", "tgt", "one", 1),
    ]
    assert found["src"].to_list() == ["a", "a", "a", "b", "a"]
    assert found["llr"].to_list() == [1, 0.5, None, 2, 1]
    with pytest.raises(InputError, match=r"the lexicons have no word 'A'; .*; perhaps one of a"):
        lexicon.lookup(given, "A")
    assert lexicon.lookup(listed, "a").drop("word", "side").rows() == [("a", "y", 1, "old")]
    options = [word for name, path in given.items() for word in ("--lexicon", f"{name}={path}")]
    assert json_of(run("lookup", *options, "a", "x", "--json").stdout) == found.to_dicts()
    lines = [line.split() for line in run("lookup", *options, "a", "x").stdout.splitlines()]
    assert ["#", "one", "two"] in lines
    assert lines.index(["1", "x", "(1.00)", "y"]) < lines.index(["3", "y", "(0.50)", "-"])
    assert lines.index(["1", "b", "(2.00)", "-"]) < lines.index(["2", "a", "(1.00)", "-"])


@pytest.mark.parametrize(
    ("word", "todo"),
    [
        ("a,", "look up its word 'a', which it has"),
        ("«L'homme!»", "look up its words \"l'\", 'homme', which it has"),
        ("dont A", "look up its word 'a', which it has"),
        ("Homme", "perhaps one of homme"),
        ("hommes", "perhaps one of homme"),
        ("xyz,", ""),
        (",", ""),
    ],
)
def test_words_with_marks_glued_are_named_without(word, todo):
    known = {"src": ["a", "man"], "tgt": ["l'", "homme"], "rank": [1, 1]}
    found, advice = f"the lexicon has no word {word!r}", f"; {todo}" if todo else ""
    refusal = f"{found}; expected a word as written in the text{advice}"
    assert refusal_of(lexicon.lookup, known, word) == refusal
    with pytest.warns(DataWarning, match=f"^{re.escape(found + advice)}$"):
        assert lexicon.lookup(known, ["a", word])["word"].to_list() == ["a"]


def test_options_of_induce_are_passed_on(run):
    def rows(*more, **given):
        found = json_of(run(*INDUCE, "--json", *more).stdout)
        wanted = lexicon.induce("text.parquet", **given).frame
        assert pl.DataFrame(found).drop("signature").rows() == wanted.rows()
        return found

    plain = rows()
    assert rows("--set", "unsigned=yes", signed=False) != plain
    assert rows("--set", "min-both=2", min_both=2) != plain
    assert rows("--set", "count=tokens", count="tokens") != plain
    assert rows("--set", "memory-limit=9GB") == plain
    assert rows("--threads", 2) == plain


def test_induce_from_parquet_and_from_tagged_text(run):
    two = json_of(run("induce", "text.parquet", "--json").stdout)
    assert two == json_of(run(*INDUCE, "--json").stdout)
    tagged = ["induce", "--tagged", "tagged.en", "tagged.fr", "--json"]
    pairs = {(row["src"], row["tgt"]) for row in json_of(run(*tagged).stdout)}
    kept = {(row["src"], row["tgt"]) for row in json_of(run(*tagged, "--filter", "pos").stdout)}
    assert ("the", "chien") in pairs
    assert kept == {("the", "le"), ("dog", "chien"), ("a", "un"), ("cat", "chat")}


def test_an_empty_lexicon_causes_a_warning(run):
    done = run(*INDUCE, "--set", "min-both=9", "--json")
    assert json_of(done.stdout) == []
    assert "warning: the lexicon is empty" in done.stderr


def test_empty_lines_are_counted(run):
    done = run("induce", "en", "gap", "--json")
    assert done.returncode == 0
    assert "warning: 1 pair with an empty side was left out" in done.stderr
    assert "cat" not in {row["src"] for row in json_of(done.stdout)}


def test_evaluate_by_groups_with_intervals(run):
    more = "--k 1 --by groups.csv --bootstrap 50 --set seed=3 --set average=tokens".split()
    found = json_of(run(*EVALUATE, *more, "--json").stdout)
    wanted = lexicon.score(
        "lex.parquet", "text.parquet", 1, by="groups.csv", bootstrap=50, seed=3, average="tokens"
    ).scores
    assert found == wanted.to_dicts()
    assert [row["group"] for row in found] == ["animal", "other"]
    shown = run(*EVALUATE, *more)
    assert "precision_low" not in shown.stdout
    assert wanted["signature"][0] in shown.stdout


def test_back_off_tries_the_first_lexicon_first(run):
    run(*INDUCE, *"--filter mrbd:words.tsv --n-best 1 --set min-both=2 -o precise.parquet".split())
    given = ["--lexicon", "precise.parquet", "--lexicon", "coarse=lex.parquet"]
    done = run("merge", *given, "-o", "both.parquet", "--json")
    found = json_of(done.stdout)
    asked = {row["src"]: row["lexicon"] for row in found}
    precise = set(pl.read_parquet("precise.parquet")["src"])
    assert {word for word, name in asked.items() if name == "precise"} == precise
    assert set(asked) == {"the", "dog", "cat", "a", "house"}
    marks = {row.pop("signature").partition("|")[2] for row in found}
    assert marks == {"lexicon:back-off|order:precise,coarse"}
    assert pl.read_parquet("both.parquet").to_dicts() == found


def test_study_writes_every_table(run, tmp_path):
    cascades = ["--cascade", "none", "--cascade", "list=mrbd:words.tsv,cognate"]
    done = run(*STUDY.split(), "--sizes", 2, *cascades, "-o", "out", "--json")
    found = json_of(done.stdout)
    wanted = lexicon.study(
        "text.parquet",
        "text.parquet",
        {"none": [], "list": ["mrbd:words.tsv", "cognate"]},
        sizes=[2],
        sets=2,
        n_best=2,
    )
    assert found["signature"] == wanted.signature
    for name, frame in wanted.tables().items():
        assert found[name] == frame.to_dicts()
        assert pl.read_parquet(tmp_path / "out" / f"{name}.parquet").equals(frame)


def test_default_cascades(run):
    found = json_of(run(*STUDY.split(), "--mrbd", "words.tsv", "--sizes", 2, "--json").stdout)
    names = list(dict.fromkeys(row["cascade"] for row in found["summary"]))
    assert names == [
        "none",
        "cognate",
        "mrbd",
        "mrbd+cognate",
        "mrbd+cognate+alignment",
        "back-off",
    ]
    shown = " ".join(run(*STUDY.split(), "--sizes", 2).stdout.split())
    assert "Precision, k = 1" in shown
    assert "Percent correct, k = 2" in shown


def test_tag_sets_are_cascades(run):
    sets = ["--tags", "same-tag, classes.tsv", "--cascade", "cognate:0.9"]
    found = json_of(run(*TAGGED.split(), *sets, "--json").stdout)
    names = ["none", "same-tag", "classes.tsv", "cognate:0.9"]
    assert [row["cascade"] for row in found["summary"] if row["k"] == 1] == [*names, "back-off"]
    assert "same-tag=pos:same-tag;classes.tsv=pos:classes.tsv" in found["signature"]
    assert "better" in run(*TAGGED.split(), *sets, "--n-best", 1).stdout
    usual = run(*TAGGED.split(), "--tags", "open", "--mrbd", "words.tsv", "--json").stdout
    cascades = {row["cascade"] for row in json_of(usual)["summary"]}
    assert {"none", "open", "mrbd", "cognate"} <= cascades
