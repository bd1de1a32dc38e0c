"""Evaluating alignments by translation."""

import json
import re
from pathlib import Path

import polars as pl
import pytest
from helpers.cli import json_of, replaced, run

from alignframe import links, mt, tesla
from alignframe.errors import DataWarning, InputError
from alignframe.language import Analysis
from alignframe.stats import correlate
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


def test_a_better_alignment_translates_better_and_a_study_resumes(lm, tmp_path):
    systems = {"good": GOOD, "plain": PLAIN, "bad": BAD}
    given = {"test": TEST, "dev": (SRC[:5], TGT[:5]), "rounds": 2, "restarts": 1}
    done = []

    def stop(name, *_):
        done.append(name)
        if name == "plain":
            raise KeyboardInterrupt

    with pytest.warns(DataWarning, match="2,400"):
        whole = mt.study(systems, (SRC, TGT), lm, **{**given, "dev": TEST}, gold=GOOD)
    scores = dict(whole.scores.select("system", "chrf").iter_rows())
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
    assert found.scores.equals(whole.scores)
    assert mt.read_study(tmp_path).scores.equals(found.scores)
    with pytest.raises(InputError, match=r"another study.* pop"):
        mt.study(systems, (SRC, TGT), lm, **given, folder=tmp_path, pop=5)
    with pytest.raises(InputError, match="'bad' from another study, with different links"):
        mt.study({**systems, "bad": PLAIN}, (SRC, TGT), lm, **given, folder=tmp_path)
    assert mt.read_study(tmp_path).scores.equals(found.scores)  # nothing was lost


def test_bad_options(lm):
    with pytest.raises(InputError, match="no development set"):
        mt.study({"a": GOOD}, (SRC, TGT), lm, test=TEST)
    with pytest.raises(InputError, match="did you mean 'each'"):
        mt.study({"a": GOOD}, (SRC, TGT), lm, test=TEST, tuned="eac")
    with pytest.raises(InputError, match="no alignments"):
        mt.study({}, (SRC, TGT), lm, test=TEST, tuned="none")
    given = {"test": TEST, "tuned": "none"}
    with pytest.raises(InputError, match="2 sentences and 1 reference"):
        mt.study({"a": GOOD}, (SRC, TGT), lm, test=(TEST[0], TEST[1][:1]), tuned="none")
    with pytest.raises(InputError, match=r"'a'.* outside"):
        mt.study({"b": GOOD, "a": ["5-5", *GOOD[1:]]}, (SRC, TGT), lm, **given)
    with pytest.raises(InputError, match="called 'a/b'"):
        mt.study({"a/b": GOOD}, (SRC, TGT), lm, **given)
    with pytest.raises(InputError, match="did you mean 'good'"):
        mt.study({"good": GOOD}, (SRC, TGT), lm, test=TEST, dev=TEST, tune_on="god")


def nouns(sentences):
    return [["N"] * len(words) for words in sentences]


def turned(lines):
    return [" ".join("-".join(reversed(one.split("-"))) for one in line.split()) for line in lines]


def always(lines):
    """Return an aligner that gives each pair its known links."""
    known = {(src, tgt): line for src, tgt, line in zip(SRC, TGT, lines, strict=True)}

    def align(src, tgt, out):
        sides = (Path(path).read_text("utf-8").splitlines() for path in (src, tgt))
        found = []
        for one, two in zip(*sides, strict=True):
            here = known.get((one, two))
            found += [turned([known[two, one]])[0] if here is None else here]
        Path(out).write_text("".join(f"{line}\n" for line in found), "utf-8")

    return align


@pytest.fixture(scope="module")
def varied(tmp_path_factory):
    """Studies of two aligners, and their folders; the text was aligned in the other direction."""
    folder = tmp_path_factory.mktemp("varied")
    for name, aligner in (("good", GOOD), ("bad", BAD)):
        links.QualityStudy(
            (TGT[5:], SRC[5:]),
            (TGT[:5], SRC[:5]),
            turned(GOOD[:5]),
            always(aligner),
            fractions=[2],
            symmetrize=["intersection", "union"],
        ).run(folder / name)
    return folder


def test_alignments_of_varying_quality(lm, varied, tmp_path):
    study = links.read_study({name: varied / name for name in ("good", "bad")})
    analysis = Analysis.of("en", "spaces", nouns, lemmas="words", synonyms="none", content=["N"])
    scorer = tesla.Scorer(analysis)
    given = {"gold": study, "tuned": "none", "order": "tgt-src"}
    home = {"folder": tmp_path / "judged", "bootstrap": 20}
    found = mt.study(
        study.alignments, (SRC[5:], TGT[5:]), lm, test=TEST, tesla=scorer, **given, **home
    )
    assert found.metrics == {"bleu": "BLEU", "chrf": "chrF", "tesla": "TESLA-M"}
    assert found.scores["system"].to_list() == list(study.alignments)
    assert set(found.scores["group"]) == {"intersection", "union"}
    means = found.scores.group_by(pl.col("system").str.head(3)).agg(pl.col("chrf").mean())
    assert dict(means.iter_rows())["goo"] > dict(means.iter_rows())["bad"]
    (direct,) = mt.study(
        {"a": GOOD[5:]}, (SRC[5:], TGT[5:]), lm, test=TEST, tuned="none", bootstrap=0
    ).scores["bleu"]
    assert found.scores.filter(system="good.1.union")["bleu"][0] == direct
    # The correlations equal those of links correlate.
    table = found.correlations.filter(score="chrf").drop("score")
    counts, outside = study.against(found.scores.select("system", score="chrf"))
    assert table.equals(correlate(counts, outside, by_group=True, bootstrap=20))
    run("report", "judged", "-o", "p.html", "--bootstrap", 20, folder=tmp_path)
    html = (tmp_path / "p.html").read_text("utf-8")
    specs = json.loads(re.search(r"const specs = (\{.*?\});\n", html, re.DOTALL)[1])
    assert {"panels-sure-possible", "one-minus-aer", "r2-by-alpha"} <= specs.keys()
    panels = specs["panels-sure-possible"]["vconcat"]
    titles = [one["title"]["text"] for one in panels[0]["concat"]]
    assert titles[:2] == ["1 − AER", "F(α = 0.5)"]
    assert titles[-2:] == ["Recall", "Precision"]
    assert len(panels) == 3
    heads = re.findall(r">(Alignment|BLEU|chrF|TESLA-M)</", html)
    assert heads[:4] == ["Alignment", "BLEU", "chrF", "TESLA-M"]
    with pytest.raises(InputError, match=r"10 .* 15"):
        mt.study(study.alignments, (SRC, TGT), lm, test=TEST, **given)


def test_the_command_writes_a_folder(lm, varied, tmp_path):
    (tmp_path / "links").mkdir()
    files = {"fr": SRC, "en": TGT, "new.fr": TEST[0], "new.en": TEST[1], "short.en": TEST[1][:1]}
    files |= {"links/good.talp": GOOD, "links/bad.talp": BAD, "links/plain.talp": PLAIN}
    files |= {"rest.fr": SRC[5:], "rest.en": TGT[5:]}
    for name, lines in files.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    write_arpa(lm, tmp_path / "lm.arpa")
    given = "mt", "study", "--src", "fr", "--tgt", "en", "--lm", "lm.arpa", "--tuned", "none"
    given += "--test", "new.fr,new.en", "-o", "out", "--bootstrap", 20
    plain = "--links", "links", "--gold", "links/good.talp", "--set", "sids=sids"
    (tmp_path / "sids").write_text("0\n2\n3\n")
    found = json_of(run(*given, *plain, "--json", folder=tmp_path)[0])
    assert [row["system"] for row in found["scores"]] == ["bad", "good", "plain"]
    assert "subset:3of15" in found["correlations"][0]["signature"]
    study = mt.read_study(tmp_path / "out")
    assert study.subset.startswith("subset:3of15")
    lines = (tmp_path / "out/translations/good.txt").read_text().splitlines()
    assert len(lines) == len(TEST[0])
    glob = "--links", "links/*.talp", *plain[2:]
    assert "bad" in run(*given, *glob, folder=tmp_path)[0]

    def refused(*more):
        return run(*replaced(given, *more), code=2, folder=tmp_path)[1]

    assert "no development set" in refused(*plain, "--tuned", "once")
    assert "SRC,REF" in refused(*plain, "--dev", "new.fr")
    assert "1 reference" in refused(*plain, "--test", "new.fr,short.en")
    assert "--sids needs --gold" in refused(*plain[:2], *plain[4:])
    folders = "--links", varied / "good"
    assert "--gold with the folder" in refused(*folders, "--gold", "links/good.talp")
    assert "links with the folder" in refused(*folders, "--links", "links")
    (tmp_path / "out/counts.parquet").unlink()
    again = "report", "out", "-o", "page.html"
    assert "not finished" in run(*again, code=2, folder=tmp_path)[1]
    rest = "--src", "rest.fr", "--tgt", "rest.en", "--set", "order=tgt-src", "-o", "other"
    both = *folders, "--links", varied / "bad"
    assert "good.1.union" in run(*replaced(given, *rest), *both, folder=tmp_path)[0]
