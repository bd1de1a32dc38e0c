"""The runner of studies: rows are kept, and killed studies resume."""

import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from helpers.cli import run
from helpers.study import program

from alignframe import aligners, beads, lexicon, mt, phrases, tesla
from alignframe.beads import translations
from alignframe.errors import InputError
from alignframe.studies.runner import ROWS, Runner, digest, says_unfinished, whole_means

pytestmark = pytest.mark.filterwarnings("ignore::alignframe.errors.DataWarning")
EN_FR = Path(__file__).resolve().parents[2] / "datasets" / "en-fr"
SRC, TGT = (EN_FR.joinpath(f"text.{side}").read_text().splitlines()[:24] for side in ("en", "fr"))


def squares(fails_at=None, done=None):
    def call(number):
        if number == fails_at:
            raise InputError(f"{number} is unlucky")
        if done is not None:
            done.append(number)
        return pl.DataFrame({"n": [number], "square": [[number**2, None]]})

    return call


SETTINGS = {f"n={n}/{'*' * 300 * n}": n for n in range(5)}


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_studies_are_named_by_models_without_their_last_bits(kind):
    """Those of another processor are others, and its rows are of the same study."""
    model = aligners.fit(SRC, TGT, model="ibm1", iterations=2)
    known = vars(translations.known(model))
    # None lies at the border of two places.
    p = (np.floor(known["p"] * 1e5) + 0.2) / 1e5
    name = digest((known | {"p": p}).values())
    for change, same in ((1 + 2e-7, True), (1 - 2e-7, True), (1.001, False)):
        other = known | {"p": (p * change).astype(kind)}
        assert (digest(other.values()) == name) is same


@pytest.mark.parametrize("threads", [None, 2])
def test_finished_rows_are_kept_and_read(tmp_path, threads):
    runner = Runner(tmp_path, "alignframe:1|seed:1")
    with pytest.raises(InputError, match="unlucky") as error:
        runner.rows(squares(fails_at=3), SETTINGS, threads=threads)
    if threads is None:  # another thread may finish the last one nevertheless
        left = "; ".join(list(SETTINGS)[3:])
        assert f"not finished: 2 of 5 ({left}); " in error.value.__notes__[0]
    done, told = [], []
    found = runner.rows(
        squares(done=done), SETTINGS, threads=threads, progress=lambda *said: told.append(said)
    )
    assert {3} <= set(done) <= {3, 4}
    assert threads or done == [3, 4]
    assert told == [(k, 5) for k in range(1, 6)]
    wanted = Runner().rows(squares(), SETTINGS)
    assert list(found) == list(wanted) == list(SETTINGS)
    assert all(found[name].equals(wanted[name]) for name in SETTINGS)


def test_rows_of_another_study_are_refused_before_anything_is_done(tmp_path):
    settings = {"a": 1, "b": 2}
    Runner(tmp_path, "alignframe:1|seed:1|text:ab", {"a": "links:x"}).rows(squares(), settings)
    done = []
    for mark, own, said in (
        (
            "alignframe:1|seed:2|text:cd",
            "links:x",
            "'a' from another study, with different seed",
        ),
        ("alignframe:1|seed:1|text:ab", "links:y", "'a' from another study, with different links;"),
    ):
        with pytest.raises(InputError, match=said):
            Runner(tmp_path, mark, {"a": own}).rows(squares(done=done), settings | {"c": 3})
    (file,) = tmp_path.glob(f"{ROWS}/b-*.parquet")
    file.write_bytes(b"no Parquet")
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        Runner(tmp_path, "alignframe:1|seed:1|text:ab").rows(squares(done=done), {"b": 2})
    assert not done


def test_many_unfinished_settings_are_not_all_named(tmp_path):
    files = {str(number): tmp_path / str(number) for number in range(9)}
    (tmp_path / "3").touch()
    with pytest.raises(KeyboardInterrupt) as error, says_unfinished(tmp_path, files):
        raise KeyboardInterrupt
    assert "not finished: 8 of 9 (0; 1; 2; 4; 5; 3 more); " in error.value.__notes__[0]


def test_means_are_null_if_one_value_is():
    frame = pl.DataFrame({"a": [1.0, 2.0], "b": [1.0, None]})
    assert frame.select(whole_means(["a", "b"])).row(0) == (1.5, None)


# --- each study is killed, and resumed


def studied(folder, **options):
    scenarios = ["clean", "delete:0.1", "combine:0.1", "randomize"]
    given = {"scenarios": scenarios, "methods": ["len", "gale-church"], "corpus": "text"}
    return beads.study(SRC, TGT, folder=folder, **given | options).drop("seconds")


def tuned(folder, **options):
    given = {"method": "len", "parameters": ["skip"], "grid": {"skip": [0.1, 0.2, 0.3]}}
    found = beads.tune(SRC, TGT, folder=folder, **given | options)
    return pl.concat([found.best, found.tried], how="diagonal")


def translated(folder, **options):
    lm = tesla.estimate_language_model(TGT, 2)
    alignments = {link: ["0-0", link] * 12 for link in ("0-0", "0-1", "1-0")}
    given = {"test": ([SRC[0][:20]], [TGT[0][:20]]), "tuned": "none", "bootstrap": 0}
    return mt.study(alignments, (SRC, TGT), lm, folder=folder, **given | options).scores


def induced(folder, **options):
    train, test = (SRC[:16], TGT[:16]), (SRC[16:], TGT[16:])
    given = {"sizes": [8], "sets": 2, "n_best": 1}
    found = lexicon.study(train, test, ["none", "cognate:0.6"], folder=folder, **given | options)
    return pl.concat(found.tables().values(), how="diagonal_relaxed")


def compared(folder, gold="0-0 0-1 1-1"):
    alignments = {"a": ["0-0 1-1"] * 24, "b": ["0-0"] * 24}
    found = phrases.study(alignments, [gold] * 24, (SRC, TGT), folder=folder)
    return pl.concat(found.tables().values(), how="diagonal_relaxed")


STUDIES = {
    # The study, a function that it calls, how often in all, the call that fails, the settings then
    # kept, the calls for the others, and an option that changes rows with its key.
    "beads study": (studied, "beads.study:aligned", 8, 5, 2, 4, {"seed": 2}, "seed"),
    "beads tune": (tuned, "beads.trials:aligned", 5, 3, 2, 3, {"seed": 2}, "seed"),
    "mt study": (translated, "mt.judging:translate", 3, 2, 1, 2, {"pop": 5}, "pop"),
    "lexicon study": (induced, "lexicon.study:score", 6, 4, 3, 3, {"seed": 2}, "seed"),
    "phrases study": (compared, "phrases.study:_shares", 2, 2, 2, 1, {"gold": "0-0"}, "gold"),
    "lexicon study, back-off": (induced, "lexicon.study:back_off", 2, 2, 5, 1, {"n_best": 2}, "n-"),
}


KILLED = """
import os, signal, sys
from importlib import import_module
sys.path[:0] = ["tests", "tests/studies"]
import test_studies as tests
module, real, called = import_module("alignframe.beads.study"), None, []
def aligned(*given):
    called.append(given)
    if len(called) == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*given)
real, module.aligned = module.aligned, aligned
tests.studied(sys.argv[1])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="has no SIGKILL")
def test_a_study_resumes_after_sigkill(tmp_path, monkeypatch):
    program = subprocess.run([sys.executable, "-c", KILLED, tmp_path], cwd=EN_FR.parent.parent)
    assert program.returncode == -signal.SIGKILL
    assert sum(1 for _ in tmp_path.glob(f"{ROWS}/*")) == 2
    module, called = import_module("alignframe.beads.study"), []
    real = module.aligned
    monkeypatch.setattr(module, "aligned", lambda *given: called.append(given) or real(*given))
    found = studied(tmp_path)
    assert len(called) == 4
    assert found.equals(studied(None))


@pytest.mark.parametrize("name", STUDIES)
def test_a_killed_study_resumes(name, tmp_path, monkeypatch):
    study, place, calls, fails_at, kept, left, changed, said = STUDIES[name]
    module, _, function = place.partition(":")
    real, called = getattr(import_module(f"alignframe.{module}"), function), []

    def counting(*given, **options):
        called.append(given)
        if len(called) == dies:
            raise KeyboardInterrupt
        return real(*given, **options)

    monkeypatch.setattr(import_module(f"alignframe.{module}"), function, counting)
    dies = 0
    whole = study(None)
    assert len(called) == calls
    called, dies = [], fails_at
    with pytest.raises(KeyboardInterrupt) as error:
        study(tmp_path)
    assert "not finished: " in error.value.__notes__[0]
    assert sum(1 for _ in tmp_path.glob(f"{ROWS}/*")) == kept
    called, dies = [], 0
    assert study(tmp_path).equals(whole)
    assert len(called) == left
    called = []
    assert study(tmp_path).equals(whole)
    assert not called
    with pytest.raises(InputError, match=f"from another study, with different .*{said}"):
        study(tmp_path, **changed)
    assert not called


def test_a_command_that_failed_half_way_finishes_only_the_rest(tmp_path, monkeypatch):
    """One scenario raises; the others are kept, and the same command goes on with it."""
    module, called = import_module("alignframe.beads.study"), []
    real = module.aligned

    def aligned(text, *given):
        called.append(text.name)
        if fails and text.name.startswith("combine"):
            raise InputError("this scenario cannot be aligned")
        return real(text, *given)

    monkeypatch.setattr(module, "aligned", aligned)
    sides = [EN_FR / "text.en", EN_FR / "text.fr", "--threads", 1, "--methods", "len"]
    sides += ["--scenarios", "clean,randomize,combine:0.1"]
    fails, command = False, ("beads", "study", *sides)
    whole, _ = run(*command, folder=tmp_path)
    fails, command = True, (*command, "--folder", "kept")
    _, said = run(*command, folder=tmp_path, code=2)
    assert "error: this scenario cannot be aligned\n" in said
    left = "not finished: 1 of 3 (combine:0.1:0.1); what is finished is kept in kept: run the same"
    assert left in said
    fails = False
    called.clear()
    assert run(*command, folder=tmp_path)[0] == whole
    assert called == ["combine:0.1:0.1"]


def test_programs_of_reports_keep_rows(tmp_path):
    study = program("study").Run(tmp_path, tmp_path, [], figures=False, quick=True)
    with pytest.raises(InputError, match="unlucky") as error:
        study.rows(squares(fails_at=2), [(1,), (2,), (3,)], lines=10)
    assert "not finished: 2 of 3 (2; 3); " in error.value.__notes__[0]
    done = []
    found = study.rows(squares(done=done), {"1": (1,), "2": (2,)}, lines=10)
    assert list(found) == ["1", "2"]
    assert done == [2]
    with pytest.raises(InputError, match="from another study, with different lines"):
        study.rows(squares(), [(1,)], lines=11)


def test_programs_of_reports_refuse_unknown_arguments(tmp_path, capsys):
    study = program("study").Run
    (tmp_path / "texts").mkdir()
    words = [str(tmp_path), "hmm,bayes", "--quick", "4", "--out", str(tmp_path / "out")]
    asked = study.of("some", ["texts"], words)
    assert (asked.quick, asked.figures, asked.out) == (True, False, tmp_path / "out")
    assert (asked.names(["ibm1"]), asked.number(2)) == (["hmm", "bayes"], 4)
    for given, said in (
        ([str(tmp_path), "--quik"], "unrecognized arguments: --quik"),
        ([str(tmp_path / "out")], "texts is missing; pass the folder of the corpora"),
    ):
        with pytest.raises(SystemExit):
            study.of("some", ["texts"], given)
        assert said in capsys.readouterr().err
