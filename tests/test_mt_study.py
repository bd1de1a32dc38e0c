"""Alignments judged by translation."""

import pytest
from helpers_cli import json_of, run

from alignframe import mt, tesla
from alignframe.errors import DataWarning, InputError
from alignframe.tesla.estimate import write_arpa

SRC = ["la maison bleue", "la maison", "une maison verte", "la voiture bleue", "une voiture"] * 3
TGT = ["the blue house", "the house", "a green house", "the blue car", "a car"] * 3
GOOD = ["0-0 1-2 2-1", "0-0 1-1", "0-0 1-2 2-1", "0-0 1-2 2-1", "0-0 1-1"] * 3
PLAIN = ["0-0 1-1 2-2", "0-0 1-1", "0-0 1-1 2-2", "0-0 1-1 2-2", "0-0 1-1"] * 3
BAD = ["0-2 1-0 2-0", "0-1 1-0", "0-2 1-1 2-1", "0-1 1-2 2-0", "0-1 1-0"] * 3
TEST = ["une maison bleue", "la voiture verte"], ["a blue house", "the green car"]

pytestmark = pytest.mark.filterwarnings("ignore::alignframe.errors.DataWarning")


@pytest.fixture(scope="module")
def lm():
    return tesla.estimate_language_model(TGT, 3)


def test_a_better_alignment_translates_better_and_a_study_goes_on(lm, tmp_path):
    systems = {"good": GOOD, "plain": PLAIN, "bad": BAD}
    given = {"test": TEST, "dev": (SRC[:5], TGT[:5]), "rounds": 2, "restarts": 1}
    done = []

    def stop(name, *_):
        done.append(name)
        if name == "plain":
            raise KeyboardInterrupt

    with pytest.warns(DataWarning, match="2,400"):
        whole = mt.study(systems, (SRC, TGT), lm, **{**given, "dev": TEST}, gold=GOOD)
    scores = dict(whole.systems.select("system", "chrf").iter_rows())
    assert scores["good"] > scores["bad"]
    assert whole.correlations["systems"][0] == 3
    given["dev"] = TEST
    with pytest.raises(KeyboardInterrupt):
        mt.study(systems, (SRC, TGT), lm, **given, folder=tmp_path, progress=stop)
    found = mt.study(
        systems,
        (SRC, TGT),
        lm,
        **given,
        folder=tmp_path,
        progress=lambda name, *_: done.append(name),
    )
    assert done == ["good", "plain", "bad"]
    assert found.systems.equals(whole.systems)
    with pytest.raises(InputError, match="another study"):
        mt.study(systems, (SRC, TGT), lm, **given, folder=tmp_path, pop=5)


def test_impossible_choices_are_refused(lm):
    with pytest.raises(InputError, match="no development set"):
        mt.study({"a": GOOD}, (SRC, TGT), lm, test=TEST)
    with pytest.raises(InputError, match="did you mean 'each'"):
        mt.study({"a": GOOD}, (SRC, TGT), lm, test=TEST, tuned="eac")
    with pytest.raises(InputError, match="no alignments"):
        mt.study({}, (SRC, TGT), lm, test=TEST, tuned="none")


def test_the_command_writes_a_folder(lm, tmp_path):
    (tmp_path / "links").mkdir()
    files = {"fr": SRC, "en": TGT, "new.fr": TEST[0], "new.en": TEST[1]}
    files |= {"links/good.talp": GOOD, "links/bad.talp": BAD, "links/plain.talp": PLAIN}
    for name, lines in files.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    write_arpa(lm, tmp_path / "lm.arpa")
    given = "mt", "study", "--alignments", "links", "--src", "fr", "--tgt", "en", "--lm", "lm.arpa"
    given += "--test", "new.fr,new.en", "--gold", "links/good.talp", "-o", "out"
    found = json_of(run(*given, "--tune", "none", "--json", folder=tmp_path)[0])
    assert [row["system"] for row in found["systems"]] == ["bad", "good", "plain"]
    assert {"scores.parquet", "systems.parquet", "correlations.parquet"} == {
        path.name for path in (tmp_path / "out").iterdir()
    }
    assert "no development set" in run(*given, code=2, folder=tmp_path)[1]
    assert "SRC,REF" in run(*given, "--dev", "new.fr", code=2, folder=tmp_path)[1]
