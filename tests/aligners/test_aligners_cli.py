"""The command that aligns, with valid and bad input."""

import io
import os
import shutil
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.cli import finished, json_of
from rich.console import Console

from alignframe import aligners, formats, links
from alignframe.aligners import bidirectional as both
from alignframe.aligners.sentences import sentence_scores
from alignframe.cli import progress
from alignframe.cli.align_options import IterationBar
from alignframe.errors import DataWarning, InputError
from alignframe.options.aligners import Bayes, Hmm
from alignframe.options.training import Training

FILES = {
    "en": "the dog sleeps\nthe cat\na dog\nthe house\na house\nthe old house\n",
    "fr": "le chien dort\nle chat\nun chien\nla maison\nune maison\nla vieille maison\n",
    "short": "le chien\n",
    "gap": "le chien\n\nun chien\nla maison\nune maison\nla vieille maison\n",
    "blank": "\n\n\n\n\n\n",
    "both": "the dog ||| le chien\nthe cat ||| le chat\n",
    "two": "le chien\nle chat\n",
    "latin": b"le ch\xeene\n" * 6,
    "file": "as it was\n",
    "lex.csv": "src,tgt,p\ndog,un,1.0\n",
    "other.csv": "a,b\n1,2\n",
}
HMM = ["align", "en", "fr", "--model", "hmm"]
FROM = ["align", "en", "fr", "--model-from", "saved"]
BAD = {
    "align none fr": "none: no such file",
    "align en short": "en has 6 lines, short has 1",
    "align en": "en:1: a line without '|||'",
    "align en latin": "latin:1: the byte 0xee is not utf-8",
    "align text.parquet fr": (
        "text.parquet: the sentences have the columns sid, src, tgt; expected the column text; it"
    ),
    "align hollow fr": "hollow: a folder as the source side, b",
    "align en blank": "en and blank: a bitext of 6 rows, 6 of them with an empty side (tgt has no",
    "align links.parquet": "expected the column src",
    "align en fr --model ibm9": "unknown --model",
    "align en fr --model hmm --direction back": "unknown --direction",
    "align en fr --model hmm --symmetrize cut": (
        "unknown --symmetrize 'cut'; expected one of agree, inter"
    ),
    "align en fr --model hmm --symmetrize none": (
        "for a single direction, use --direction forward or reverse"
    ),
    "align en fr --model hmm --direction reverse --symmetrize union": (
        "--symmetrize with the direction reverse; expected --symmetrize only with both directions"
    ),
    "align en fr --model hmm --threshold 1": (
        "--threshold is 1.0; expected a number of at least 0 and below 1"
    ),
    "align en fr --model hmm --set p1=0.1": (
        "unknown hmm option 'p1'; expected one of iterations, ibm1-iterations"
    ),
    "align en fr --model hmm --set p0": "--set takes NAME=VALUE, not 'p0'",
    "align en fr --model hmm --set p0=0.1 --set p0=0.1": "the option 'p0' twice",
    "align en fr --model hmm --set p0=x": "error: --set p0 is 'x'; expected a number",
    "align en fr --model hmm --set sweeps=2": "unknown hmm option 'sweeps'",
    "align en fr --model hmm --max-length 0": "--max-length is 0",
    "align en fr --model hmm --prior lex.csv --set strength=0": (
        "--strength is 0.0; expected a number above 0"
    ),
    "align en fr --model hmm --set strength=2": "--strength needs a lexicon as --prior",
    "align en fr --model hmm --prior saved --set strength=2": (
        "--strength needs a lexicon as --prior, not a model"
    ),
    "align both two": "both:1: a line with '|||', which has both sides, beside a file of one side",
    "align two both": "both:1: a line with '|||', which has both sides, beside a file of one side",
    "align texts.parquet": "a column src of type int64; expected a list of words",
    "align none.parquet": "a column src of type int64",
    "align en fr --model hmm -o en": "en: is both an input and the output",
    "align en fr --model hmm -o ./fr": "fr: is both an input and the output",
    "align en fr --model hmm --prior lex.csv -o lex.csv": (
        "lex.csv: is both an input and the output"
    ),
    "align en fr --model hmm -o x.yaml.gz": "x.yaml.gz: unknown suffix '.yaml' for links",
    "align en fr --model hmm --prior other.csv": "expected the column src",
    "align en fr --model hmm --prior none.csv": "none.csv: no such file",
    "align en fr --model hmm --prior saved/forward": (
        "saved/forward: holds only a forward model; expected the folders forward and reverse; "
        "give saved, which has both"
    ),
    "align en fr --model hmm --direction reverse --prior saved/forward": (
        "saved/forward: holds a forward model; expected a reverse one"
    ),
    "align en fr --model-from no": "no: no such folder; expected the",
    "align en fr --model-from file": "file: is a file; expected the folder of a saved model",
    "align en fr --model-from hollow": "hollow: holds no forward",
    "align en fr --model-from half": "half: holds no reverse model; expected the folder reverse",
    "align en fr --model-from damaged": (
        "damaged/reverse/translations.parquet: the Parquet file is damaged"
    ),
    "align en fr --model-from incomplete": (
        "incomplete/forward/jumps.parquet: a file of the model is missing"
    ),
    "align en fr --model-from mixed": (
        "mixed: holds the models hmm (forward) and ibm1 (reverse); expected two of one kind"
    ),
    "align en fr --model-from saved --model ibm1": (
        "saved: --model ibm1 with a saved model of the kind hmm; omit --model"
    ),
    "align en fr --model-from saved --set seed=2": "--seed with --model-from, which trains no",
    "align en fr --model-from saved --set p0=0.1": "--set with --model-from",
    "align en fr --model-from saved --max-length 9": "--max-length with --model-from",
    "align en fr --model-from saved --prior lex.csv": "--prior with --model-from",
    "align en fr --model-from saved --save-model m": "--save-model with --model-from",
    "align en fr --model hmm --save-model file/m": "file: is a file; expected a folder",
    "align en fr --model hmm -o no/x.talp": "no/x.talp: its folder does not exist",
    "align en fr --model hmm --page x.txt": "x.txt: the suffix '.txt'; expected .html",
    "align en fr --model hmm -o saved": "saved: is a folder; expected a file",
    "align en fr --model hmm --to xml": "unknown --to 'xml'; expected one of giza",
    "align en fr --model hmm --posterior --to giza": (
        "--posterior with the format giza, which cannot hold probabilities; write to a"
    ),
    "align en fr --model hmm -o - --json": "--json with the output '-'",
    "align unsorted.parquet --model ibm1 --save-model learnt": (
        "sentence 3 follows sentence 7; expected sentences in ascending order"
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with texts, and intact and damaged models."""
    home = tmp_path_factory.mktemp("aligners")
    for name, text in FILES.items():
        (home / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    text = formats.read_bitext(home / "en", home / "fr")
    pq.write_table(text, home / "text.parquet")
    texts = pa.table({"src": [1], "tgt": [2]})
    pq.write_table(texts, home / "texts.parquet")
    pq.write_table(texts.slice(1), home / "none.parquet")
    shuffled = pl.DataFrame(pl.from_arrow(text.slice(0, 2))).with_columns(sid=pl.Series([7, 3]))
    shuffled.write_parquet(home / "unsorted.parquet")
    pq.write_table(formats.read(write(home / "links", "0-0\n")), home / "links.parquet")
    for reverse, name in enumerate(("forward", "reverse")):
        aligners.fit(text, model="hmm", reverse=bool(reverse)).save(home / "saved" / name)
    aligners.fit(text, model="ibm1", reverse=True).save(home / "mixed" / "reverse")
    shutil.copytree(home / "saved" / "forward", home / "mixed" / "forward")
    shutil.copytree(home / "saved" / "forward", home / "half" / "forward")
    for name in ("damaged", "incomplete"):
        shutil.copytree(home / "saved", home / name)
    (home / "damaged" / "reverse" / "translations.parquet").write_bytes(b"PAR1 nothing PAR1")
    (home / "incomplete" / "forward" / "jumps.parquet").unlink()
    (home / "hollow").mkdir()
    return home


def write(path, text):
    path.write_text(text)
    return path


@pytest.fixture
def run(folder, tmp_path, monkeypatch):
    """Run a command in a copy of the folder."""
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return finished


@pytest.mark.parametrize(("words", "said"), BAD.items(), ids=BAD)
def test_bad_input(run, tmp_path, words, said):
    done = run(*words.split(), *([] if " -o " in words else ["-o", "out.talp"]))
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert not (tmp_path / "out.talp").exists()
    assert not (tmp_path / "learnt").exists()  # nothing was trained in vain
    assert (tmp_path / "file").read_text() == "as it was\n"
    for name in ("en", "fr", "lex.csv"):
        assert (tmp_path / name).read_text() == FILES[name]


def test_unwritable_outputs_are_refused_before_any_work(run, tmp_path, monkeypatch):
    shut = tmp_path / "shut"
    shut.mkdir()
    allowed = os.access
    closed = lambda at, mode: mode == os.W_OK and Path(at) == shut  # noqa: E731
    monkeypatch.setattr(os, "access", lambda at, mode: not closed(at, mode) and allowed(at, mode))
    monkeypatch.setattr(both, "fit_directions", None)
    for words, place in (
        ([*HMM, "-o", shut / "links.talp"], shut / "links.talp"),
        ([*HMM, "-o", "links.talp", "--save-model", "shut/new/model"], "shut/new/model"),
        ([*HMM, "--page", shut / "page.html"], shut / "page.html"),
        ([*HMM, "--page", "page.html", "--figures", shut], shut),
    ):
        done = run(*words)
        assert done.returncode == 2
        assert f"{place}: cannot be written (no permission, or read-only)" in done.stderr


def test_both_directions_are_combined(run):
    done = run(*HMM, "-o", "out.talp", "--symmetrize", "intersection")
    assert done.returncode == 0
    wanted = aligners.align("text.parquet", model="hmm", symmetrize="intersection")
    found = formats.read("out.talp")
    assert found["links"].to_pylist() == plain(wanted, sure=True)
    number = wanted["links"].list.len().sum()
    assert f"hmm.intersection: 6 sentences, {number} links written to out.talp" in done.stderr
    assert done.stdout == ""


def plain(frame, **more):
    return [[{**link, **more} for link in row] for row in frame["links"].to_list()]


def test_the_default_method_is_grow_diag_final_and(run):
    run(*HMM, "-o", "one.talp")
    run(*HMM, "-o", "two.talp", "--symmetrize", "grow-diag-final-and", "--direction", "both")
    assert Path("one.talp").read_text("utf-8") == Path("two.talp").read_text("utf-8")
    wanted = aligners.align("text.parquet", model="hmm", symmetrize="grow-diag-final-and")
    assert formats.read("one.talp")["links"].to_pylist() == plain(wanted, sure=True)


def test_links_that_both_directions_agree_on(run):
    sizes = []
    for more, options in (([], {}), (["--threshold", "0.1"], {"threshold": 0.1})):
        run(*"align en fr --model ibm1 --symmetrize agree -o o.parquet".split(), *more)
        wanted = aligners.align("text.parquet", model="ibm1", symmetrize="agree", **options)
        frame = pl.read_parquet("o.parquet")
        assert frame["links"].to_list() == wanted["links"].to_list()
        assert frame["system"].unique().to_list() == ["ibm1.agree"]
        sizes.append(frame["links"].list.len().sum())
    assert sizes[0] < sizes[1]


@pytest.mark.parametrize("direction", ["forward", "reverse"])
def test_one_direction(run, direction):
    found = json_of(run(*HMM, "--direction", direction, "-o", "o.parquet", "--json").stdout)
    wanted = aligners.fit("text.parquet", model="hmm", reverse=direction == "reverse").align(
        "text.parquet"
    )
    frame = pl.read_parquet("o.parquet")
    assert frame["links"].to_list() == wanted["links"].to_list()
    assert frame["system"].to_list() == wanted["system"].to_list()
    assert (found["direction"], found["symmetrize"]) == (direction, "none")
    assert {stage["direction"] for stage in found["stages"]} == {direction}


def test_json_reports_what_was_done(run):
    done = run("align", "en", "gap", "--model", "hmm", "-o", "o.talp", "--json", "--set", "seed=3")
    found = json_of(done.stdout)
    lengths = [len(row) for row in formats.read("o.talp")["links"].to_pylist()]
    assert found.pop("seconds") > 0
    assert lengths[1] == 0
    assert {name: value for name, value in found.items() if name != "stages"} == {
        "output": "o.talp",
        "model": "hmm",
        "direction": "both",
        "symmetrize": "grow-diag-final-and",
        "sentences": 6,
        "unaligned": lengths.count(0),
        "links": sum(lengths),
        **{
            f"{side}_{what}": "spaces" for side in ("src", "tgt") for what in ("split", "positions")
        },
    }
    stages = [(one["direction"], one["stage"], one["iterations"]) for one in found["stages"]]
    assert stages == [
        ("forward", "ibm1", 5),
        ("forward", "hmm", 5),
        ("reverse", "ibm1", 5),
        ("reverse", "hmm", 5),
    ]
    text = formats.read_bitext("en", "gap")
    with pytest.warns(DataWarning, match="1 sentence pair .*empty"):
        forward, _ = both.fit_directions(text, Training("hmm", seed=3))
    assert found["stages"][1]["log_likelihood"] == forward.model.history[-1]["log_likelihood"]
    assert "warning: 1 sentence pair with an empty side is given no links" in done.stderr
    assert done.stderr.count("warning") == 1
    said = run("align", "en", "gap", "--model", "hmm", "-o", "o.talp").stderr
    assert f"6 sentences ({lengths.count(0)} without a link), {sum(lengths)} links" in said


def test_a_saved_model_gives_the_same_links(run, tmp_path):
    run(*HMM, "-o", "one.parquet", "--posterior", "--save-model", "new/model")
    assert sorted(path.name for path in (tmp_path / "new/model").iterdir()) == [
        "forward",
        "reverse",
    ]
    done = run("align", "en", "fr", "--model-from", "new/model", "-o", "two.parquet", "--posterior")
    assert done.returncode == 0
    assert pl.read_parquet("one.parquet").equals(pl.read_parquet("two.parquet"))
    again = ["align", "en", "fr", "--model-from", "new/model", "--model", "hmm", "--json"]
    found = json_of(run(*again, "-o", "three.talp", "--symmetrize", "union").stdout)
    assert [one["iterations"] for one in found["stages"]] == [5, 5, 5, 5]
    assert found["model"] == "hmm"
    one = aligners.fit("text.parquet", model="hmm")
    for folder in ("new/model", "new/model/forward"):
        words = ["align", "en", "fr", "--model-from", folder, "--direction", "forward"]
        run(*words, "-o", "four.talp")
        wanted = one.align("text.parquet")
        assert formats.read("four.talp")["links"].to_pylist() == plain(wanted, sure=True)


def test_saving_one_direction(run, tmp_path):
    done = run(*HMM, "--direction", "reverse", "-o", "o.talp", "--save-model", "m")
    assert "model saved in m" in done.stderr
    assert [path.name for path in (tmp_path / "m").iterdir()] == ["reverse"]
    assert aligners.load("m/reverse").reverse


@pytest.mark.parametrize("alone", [False, True])
def test_an_interruption_leaves_the_older_models(run, tmp_path, monkeypatch, alone):
    model = aligners.load("saved/forward")
    if alone:
        model.save("saved")
    older = {path: path.read_bytes() for path in (tmp_path / "saved").rglob("*.*")}
    whole = aligners.Model.save

    def save(model, folder):
        if model.reverse:
            raise InputError("no room")
        whole(model, folder)

    monkeypatch.setattr(aligners.Model, "save", save)
    done = run(*HMM, "-o", "o.talp", "--save-model", "saved")
    assert "no room" in done.stderr
    assert {path: path.read_bytes() for path in (tmp_path / "saved").rglob("*.*")} == older


def test_threads_give_the_same_links(run):
    found = []
    for threads in (1, 2, 5):
        run(*HMM, "-o", "o.parquet", "--posterior", "--threads", threads)
        found.append(pl.read_parquet("o.parquet"))
    assert found[0].equals(found[1])
    assert found[0].equals(found[2])


def test_standard_output_has_only_links(run):
    done = run(*HMM, "-o", "-", "--save-model", "m")
    run(*HMM, "-o", "o.talp")
    assert done.stdout == Path("o.talp").read_text("utf-8")
    assert "links written" not in done.stderr
    binary = run(*HMM, "-o", "-", "--to", "naacl").stdout
    assert binary.startswith("1 1 1")


def test_formats(run):
    run(*HMM, "-o", "o.talp")
    wanted = formats.read("o.talp")["links"].to_pylist()
    for name, more in (
        ("o.parquet", []),
        ("o.naacl", []),
        ("o.a3", []),
        ("o.txt", ["--to", "giza"]),
        ("o.moses", ["--to", "moses"]),
    ):
        assert run(*HMM, "-o", name, *more).returncode == 0
        assert formats.read(name)["links"].to_pylist() == wanted
    giza = formats.read("o.a3")
    text = pq.read_table("text.parquet")
    assert giza["src"].to_pylist() == text["src"].to_pylist()
    assert giza["tgt"].to_pylist() == text["tgt"].to_pylist()


def test_the_parquet_output_can_be_read(run):
    run(*HMM, "-o", "o.parquet", "--posterior", "--system", "mine")
    table = pq.read_table("o.parquet")
    assert table.schema.names == ["system", "sid", "links", "probabilities"]
    assert str(table.schema.field("links").type).startswith("list<")
    frame = pl.read_parquet("o.parquet")
    assert frame["system"].unique().to_list() == ["mine"]
    wanted = aligners.align("text.parquet", model="hmm", posterior=True, system="mine")
    assert frame["probabilities"].to_list() == wanted["probabilities"].to_list()
    assert frame["links"].list.len().to_list() == frame["probabilities"].list.len().to_list()
    assert links.score("o.parquet", "o.parquet").scores["aer"].to_list() == [0.0]


def test_text_in_one_file_and_in_parquet(run):
    assert run("align", "both", "--model", "ibm1", "-o", "o.talp").returncode == 0
    assert formats.read("o.talp").num_rows == 2
    run(*HMM, "-o", "one.a3")
    run("align", "text.parquet", "--model", "hmm", "-o", "two.a3")
    assert Path("one.a3").read_text("utf-8") == Path("two.a3").read_text("utf-8")
    bare = pq.read_table("text.parquet").drop_columns(["sid"])
    pq.write_table(bare, "bare.parquet")
    run("align", "bare.parquet", "--model", "hmm", "-o", "three.a3")
    assert Path("one.a3").read_text("utf-8") == Path("three.a3").read_text("utf-8")
    run("align", "unsorted.parquet", "--model", "ibm1", "-o", "o.parquet")
    assert pl.read_parquet("o.parquet")["sid"].to_list() == [7, 3]


def test_options_of_a_model_are_passed_on(run):
    words = ["--set", "iterations=2", "--set", "ibm1_iterations = 1", "--set", "p0=0.1"]
    more = ["--set", "dtype=float64", "--threshold", "0.3"]
    saved = ["--save-model", "m", "--json"]
    found = json_of(run(*HMM, *words, *more, "-o", "o.parquet", *saved).stdout)
    assert [one["iterations"] for one in found["stages"]] == [1, 2, 1, 2]
    options = {"iterations": 2, "ibm1_iterations": 1, "p0": 0.1, "dtype": "float64"}
    wanted = aligners.align("text.parquet", model="hmm", threshold=0.3, **options)
    assert pl.read_parquet("o.parquet")["links"].to_list() == wanted["links"].to_list()
    alone = ["align", "en", "fr", "--model", "ibm1", "--direction", "forward", "-o", "o.talp"]
    numbers = [
        json_of(run(*alone, *more, "--json").stdout)["links"]
        for more in ([], ["--threshold", "0.05"])
    ]
    assert numbers[1] > numbers[0]
    assert aligners.load("m/reverse").options == {"seed": 1, **options}


def test_seed_and_length_are_passed_on(run):
    run(*HMM, "--set", "seed=7", "--max-length", 4, "-o", "o.talp", "--save-model", "m")
    model = aligners.load("m/forward")
    assert model.options["seed"] == 7
    assert model.max_length == 4


def test_a_lexicon_as_prior(run):
    words = ["align", "en", "fr", "--model", "ibm1", "-o", "o.parquet", "--save-model", "m"]
    run(*words)
    plainly = aligners.load("m/forward").parameters.translations.values
    run(*words, "--prior", "lex.csv", "--set", "strength=90")
    told = aligners.load("m/forward")
    wanted = aligners.fit("text.parquet", model="ibm1", prior=pl.read_csv("lex.csv"), strength=90.0)
    assert told.history == wanted.history
    assert told.parameters.translations.values.tolist() != plainly.tolist()
    pl.read_csv("lex.csv").write_parquet("lex.parquet")
    run(*words, "--prior", "lex.parquet", "--set", "strength=90")
    assert aligners.load("m/forward").history == wanted.history


def test_models_as_prior(run):
    known = aligners.load_directions("saved")
    found = json_of(run(*HMM, "--prior", "saved", "-o", "o.parquet", "--json").stdout)
    assert [one["stage"] for one in found["stages"]] == ["hmm", "hmm"]
    wanted = aligners.align("text.parquet", model="hmm", prior=known)
    assert pl.read_parquet("o.parquet")["links"].to_list() == wanted["links"].to_list()
    one = [*HMM, "--direction", "reverse", "--json", "-o", "o.parquet"]
    for folder in ("saved", "saved/reverse"):
        found = json_of(run(*one, "--prior", folder).stdout)
        assert [one["stage"] for one in found["stages"]] == ["hmm"]


def test_words_are_decoded(run, tmp_path):
    (tmp_path / "latin.en").write_bytes(b"the oak\n")
    (tmp_path / "latin.fr").write_bytes("le chêne\n".encode("latin-1"))
    words = ["align", "latin.en", "latin.fr", "--model", "ibm1", "--encoding", "latin-1"]
    assert run(*words, "-o", "o.a3").returncode == 0
    assert "chêne" in Path("o.a3").read_text("utf-8")


def test_report(run, tmp_path):
    words = ["align", *HMM[1:], "--gold", "links", "--page", "page.html", "--json"]
    words += ["--figures", "figures", "--set", "figure-format=svg"]
    done = run(*words, "--symmetrize", "intersection")
    assert done.returncode == 0, done.stderr
    found = json_of(done.stdout)
    assert found["report"] == "page.html"
    assert len(found["figures"]) == 4
    for path in found["figures"]:
        assert (tmp_path / path).read_bytes().startswith(b"<svg")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "hmm.intersection" in page
    assert "model:hmm" in page
    words = ["align", "en", "fr", "--model-from", "saved", "--direction", "forward"]
    done = run(*words, "--page", "page.html", "--gold", "links")
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr  # gold for only some sentences causes no warning
    done = run(*words, "--page", "page.html", "--gold", "none")
    assert done.returncode == 2
    assert "none: no such file" in done.stderr
    done = run(*words, "--page", "page.html", "--symmetrize", "union")
    assert "--symmetrize with the direction forward" in done.stderr


@pytest.mark.parametrize("direction", ["both", "reverse"])
def test_a_page_and_links_are_made_of_one_training(run, direction):
    words = ["align", "en", "fr", "--model", "hmm", "--direction", direction]
    for more in ([], ["--posterior", "--system", "mine"]):
        assert run(*words, *more, "-o", "alone.parquet", "--save-model", "m1").returncode == 0
        beside = ["--page", "page.html", "-o", "beside.parquet", "--save-model", "m2", "--json"]
        done = run(*words, *more, *beside)
        assert done.returncode == 0, done.stderr
        assert pl.read_parquet("beside.parquet").equals(pl.read_parquet("alone.parquet"))
        made = json_of(done.stdout)
        assert (made["report"], made["output"]) == ("page.html", "beside.parquet")
        assert made["links"] == pl.read_parquet("alone.parquet")["links"].list.len().sum()
    for one in Path("m1").glob("*/model.json"):
        assert Path("m2", *one.parts[1:]).read_bytes() == one.read_bytes()
    for flag in ("--posterior", "--to=pharaoh", "--system=mine"):
        said = run(*words, "--page", "page.html", flag).stderr
        assert f"{flag.partition('=')[0]} needs -o" in said


@pytest.mark.parametrize("direction", ["both", "forward"])
@pytest.mark.parametrize("more", [[], ["--gold", "links"], ["--system", "mine", "-o", "o.talp"]])
def test_a_page_and_scores_are_of_the_same_links(run, monkeypatch, direction, more):
    words = ["align", "en", "fr", "--model", "hmm", "--direction", direction]
    own = more if "-o" in more else []
    assert run(*words, *own, "--scores", "alone.parquet").returncode == 0
    asked = []

    def counted(alignments, bitext):
        asked.extend(alignments["system"].cast(str).unique(maintain_order=True))
        return sentence_scores(alignments, bitext)

    for module in ("page", "confidence", "sentences"):
        monkeypatch.setattr(f"alignframe.aligners.{module}.sentence_scores", counted)
    done = run(*words, *more, "--scores", "beside.parquet", "--page", "page.html")
    assert done.returncode == 0, done.stderr
    assert pl.read_parquet("beside.parquet").equals(pl.read_parquet("alone.parquet"))
    systems = ["hmm.grow-diag-final-and", "hmm", "hmm-reverse"] if direction == "both" else ["hmm"]
    # A page without gold lists sentences by the scores of every system, each computed once.
    assert asked == (systems[:1] if "--gold" in more else systems)


def test_the_bar_shows_stage_and_log_likelihood(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=120, _environ={"TERM": "xterm"})
    monkeypatch.setattr(progress, "error_console", lambda: console)
    progress.spinner.cache_clear()
    with IterationBar(3, (100, 50)) as bar:
        bar.show("ibm1", 1, -250.0)
        bar.show("hmm-reverse", 1, -250.0)
        bar._bar.refresh()
        shown = stream.getvalue()
        assert "hmm-reverse 1, log p of a word -5.000" in shown
        assert "2/3" in shown
        assert "00:0" in shown  # the time left
        for _ in range(4):
            bar.show("hmm", 9, -100.0)
        bar._bar.refresh()
        assert "hmm 9, log p of a word -1.000" in stream.getvalue()
        assert "6/6" in stream.getvalue()
    progress.spinner.cache_clear()


def test_the_bar_counts_all_iterations():
    assert Hmm().steps(9) == 10
    assert Hmm(iterations=2, p0=0.1).steps(9) == 7
    assert Bayes().steps(30_000) == 4 * 18
    assert Bayes(samplers=2, sweeps=[1, 2, 3]).steps(9) == 12


def test_no_bar_before_training(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 600.0)
    with IterationBar(3, (100, 50)) as bar:
        bar.show("ibm1", 1, -250.0)
        assert not bar._bar.live.is_started


@pytest.mark.parametrize("first", ["talp", "parquet"])
@pytest.mark.parametrize("form", ["talp", "naacl"])
def test_probabilities_have_the_same_digits_in_all_files(run, first, form):
    run(*HMM, "--posterior", "-o", f"a.{form}")
    run(*HMM, "--posterior", "-o", f"b.{first}")
    run("convert", f"b.{first}", "c.parquet")
    run("convert", "c.parquet", f"c.{form}")
    assert Path(f"c.{form}").read_bytes() == Path(f"a.{form}").read_bytes()


def test_probabilities_of_files_keep_their_digits(run):
    Path("p.talp").write_text("0-0:0.1234567 1-1:1.2e-7 2-2:0.97\n")
    run("convert", "p.talp", "p.parquet")
    run("convert", "p.parquet", "q.talp")
    assert Path("q.talp").read_bytes() == Path("p.talp").read_bytes()
