"""Every report against the accessibility rules of axe, if it is installed.

``ALIGNFRAME_AXE`` names the file axe.min.js of the npm package axe-core; by default, it is looked
for in node_modules.
"""

import os
from pathlib import Path

import pytest
from helpers import lake as lakes
from helpers.cli import run
from helpers.study import recorded_study

import alignframe as af
from alignframe.mt.study_page import mt_study_page

ROOT = Path(__file__).resolve().parents[2]
RULES = Path(os.environ.get("ALIGNFRAME_AXE", ROOT / "node_modules" / "axe-core" / "axe.min.js"))
EN_FR, ISLAND, MILL = (ROOT / "datasets" / name for name in ("en-fr", "island", "mill/mill"))
SYSTEMS = [f"--hyp={name}={EN_FR}/{name}.talp" for name in ("cautious", "eager", "forward")]
TEXTS = [f"--hyp={name}={ISLAND}/{name}.en" for name in ("careful", "fluent", "literal")]
GOLD, REF = f"--gold={EN_FR}/gold.talp", f"--ref={ISLAND}/ref.en"
SRC, TGT = f"{EN_FR}/text.en", f"{EN_FR}/text.fr"
TEXT = ["--src", SRC, "--tgt", TGT]
REPORTS = {
    "links": [GOLD, *SYSTEMS, *TEXT],
    "many": [GOLD, *(f"--hyp=s{at}={EN_FR}/eager.talp" for at in range(11)), *TEXT],
    "phrases": [GOLD, *SYSTEMS, *TEXT],
    "correlation": [GOLD, *SYSTEMS, "--external", "scores.csv"],
    "align": [SRC, TGT, GOLD],
    "lexicon": [SRC, TGT, "--test-src", SRC, "--test-tgt", TGT, "--cascade", "none"],
    "beads": [f"{MILL}.beads", "--src", f"{MILL}.en", "--tgt", f"{MILL}.fr"],
    "borders": [f"{MILL}.beads", "--src", f"{MILL}.en", "--tgt", f"{MILL}.fr", "--edit"],
    "mt": [REF, *TEXTS],
    "tesla": [REF, *TEXTS, f"--rankings={ISLAND}/rankings.csv", "--set", "synonyms=none"],
    "vary": ["--vary", "study"],
    "filter": ["lines.parquet"],
    "lake": ["counts", "--bootstrap", 20],
    "edit": [GOLD, *SYSTEMS, *TEXT, "--edit"],
    "index": ["."],
}
COMMANDS = {
    "align": "align",
    "correlation": "links correlate",
    "edit": "links score",
    "lexicon": "lexicon study",
    "links": "links score",
    "many": "links score",
    "mt": "mt score",
    "phrases": "phrases study",
    "tesla": "tesla score",
    "vary": "links correlate",
}
"""Commands with --page."""
OTHERS = {"index": "report", "lake": "dashboard"}
"""Commands with -o; the others are written by report."""
OPENED = {
    "lake": "#corpus=law&sid=7&other=hmm",
    "edit": "#system=eager&sid=40",
    "borders": "#system=&sid=1+%3A+1",
}
"""What a page opens."""
VIOLATIONS = """axe.run(document, {resultTypes: ['violations']}).then((found) =>
    found.violations.flatMap((one) => one.nodes.map((node) => [one.id, node.html])))"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Return the reports of the bundled data and of a small lake, by name."""
    if not RULES.is_file():
        pytest.skip(f"axe is not at {RULES}: npm install axe-core, or set ALIGNFRAME_AXE")
    home = tmp_path_factory.mktemp("pages")
    (home / "scores.csv").write_text("system,score\ncautious,30\neager,20\nforward,25\n")
    gold_text = ["--gold-src", SRC, "--gold-tgt", TGT, GOLD]
    study = ["--fractions", 2, "--symmetrize", "union,intersection", "-o", "study"]
    run("links", "vary", SRC, TGT, *gold_text, "--aligner", "ibm1", *study, folder=home)
    run("beads", "filter", SRC, TGT, "-o", "kept", "--lines", "lines.parquet", folder=home)
    af.lake.score(*lakes.plain_lake(home, rows=10), home / "counts")
    mt_study_page(recorded_study()).write(home / "mt-study.html")
    for name, words in REPORTS.items():
        command = (COMMANDS | OTHERS).get(name, "report").split()
        to = "--page" if name in COMMANDS else "-o"
        run(*command, *words, to, f"{name}.html", folder=home)
    return sorted(home.glob("*.html"))


def test_axe_finds_nothing(pages, chromium):
    assert len(pages) == len(REPORTS) + 1
    rules, found = RULES.read_text("utf-8"), {}
    for page in pages:
        for scheme in ("light", "dark"):
            chromium.size(1300, scheme=scheme)
            chromium.open(page, OPENED.get(page.stem, ""))
            chromium.wait(
                "[...document.querySelectorAll('.pair section > div[id]')].every("
                "(one) => one.querySelector('svg'))"
            )
            if page.stem in OPENED:
                chromium.wait("document.body.dataset.shown")
            chromium.run(rules + ";0")
            found[page.stem, scheme] = chromium.run(VIOLATIONS)
    assert {name: one for name, one in found.items() if one} == {}
