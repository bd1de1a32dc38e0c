"""A tour of the bundled data: symmetrize, score, report; then compare, align, and translate.

Every step is a command, shown before it runs.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

from alignframe.cli.app import app
from alignframe.cli.show import print_warning

ROOT = Path(__file__).resolve().parent.parent
DATA = "datasets/en-fr"
STORY = "datasets/mill/mill"
ISLAND = "datasets/island"
TRANSLATIONS = ("careful", "fluent", "literal", "garbled")
OUT = "reports/demo"
COMPILE = "from alignframe.cli.warmup import run; run('translations'); run('mt')"
HELD_OUT = 12
"""Number of sentences that are translated, and left out of training."""
CLOSING = f"""\
Open {OUT}/index.html in a browser. It lists the reports: alignments, the lake over time, phrases,
translations, and the correlation with translation scores (which are invented)."""
METHODS = ("union", "intersection", "refined", "grow-diag-final-and")


def analysis() -> str:
    """Return the options of text analysis: with WordNet, or without if it is missing."""
    from alignframe.errors import InputError
    from alignframe.language import find_wordnet

    try:
        find_wordnet()
    except InputError as error:
        print(f"Translations are scored without lemmas and synonyms: {error}")
        return " --lemmas words --synonyms none"
    return ""


def translations(pictures: str) -> list[str]:
    """Return the commands that score translations."""
    hyps = " ".join(f"--hyp {name}={ISLAND}/{name}.en" for name in TRANSLATIONS)
    given = f"--ref {ISLAND}/ref.en {hyps}{analysis()}"
    rankings = f"--rankings {ISLAND}/rankings.csv"
    return [
        f"alignframe tesla score {given} --segments {OUT}/tesla-m.parquet",
        f"alignframe tesla pivot-table --src {DATA}/text.en --pivot {DATA}/text.fr "
        f"--links {DATA}/gold.talp -o {OUT}/fr.parquet",
        f"alignframe tesla score --metric b --pivot {OUT}/fr.parquet {given} "
        f"--segments {OUT}/tesla-b.parquet",
        f"alignframe tesla metrics {rankings} --segments tesla-m={OUT}/tesla-m.parquet "
        f"--segments tesla-b={OUT}/tesla-b.parquet",
        f"alignframe tesla score {given} {rankings} --page {OUT}/tesla.html{pictures}",
    ]


def translating() -> list[str]:
    """Return the commands that train a translation system on the rest of the text, and score it."""
    system = f"--table {OUT}/table.parquet --lm {OUT}/lm.arpa"
    return [
        f"alignframe mt train --links {DATA}/gold.talp --src {DATA}/text.en --tgt {DATA}/text.fr "
        f"--for {OUT}/new.en --leave-out -o {OUT}/table.parquet",
        f"alignframe lm {OUT}/learnt.fr -o {OUT}/lm.arpa",
        f"alignframe mt translate {OUT}/new.en {system} -o {OUT}/new-by-phrases.fr",
        f"alignframe mt translate {OUT}/new.en {system} --n-best 3 -o {OUT}/new-3-best.txt",
        f"alignframe mt score --ref {OUT}/new.fr --hyp phrases={OUT}/new-by-phrases.fr "
        f"--hyp untranslated={OUT}/new.en --tokenize none --bootstrap 1000",
    ]


def lake() -> list[str]:
    """Return the commands that score a small lake, then a new version of a system, and report."""
    lake = f"{OUT}/lake"
    score = f"alignframe lake score {lake}/hyp --gold {lake}/gold.parquet -o {lake}/counts"

    def convert(system: str, path: str) -> str:
        target = f"{lake}/hyp/system={system}/links.parquet"
        return f"alignframe convert {path} {target} --system {system}"

    return [
        f"alignframe convert {DATA}/gold.talp {lake}/gold.parquet",
        *(convert(name, f"{DATA}/{name}.talp") for name in ("cautious", "eager")),
        convert("nightly", f"{DATA}/forward.talp"),
        score,
        convert("nightly", f"{OUT}/union.talp"),
        score,
        f"alignframe lake scores {lake}/counts",
        f"alignframe convert {DATA}/text.en {DATA}/text.fr {lake}/text.parquet",
        f"alignframe dashboard {lake}/counts --text {lake}/text.parquet -o {OUT}/lake.html",
    ]


def commands(figures: bool) -> list[str]:
    """Return the commands of the tour."""
    gold = f"--gold {DATA}/gold.talp"
    systems = {
        "forward": f"{DATA}/forward.talp",
        "cautious": f"{DATA}/cautious.talp",
        "eager": f"{DATA}/eager.talp",
        **{method: f"{OUT}/{method}.talp" for method in METHODS},
    }
    hyps = " ".join(f"--hyp {name}={path}" for name, path in systems.items())
    text = f"--src {DATA}/text.en --tgt {DATA}/text.fr"
    pictures = f" --figures {OUT}/figures" if figures else ""
    join = f"alignframe links symmetrize {DATA}/forward.talp {DATA}/reverse.talp"
    return [
        *(
            f"{join} --reverse-is tgt-src --method {method} -o {OUT}/{method}.talp"
            for method in METHODS
        ),
        f"alignframe links score {gold} {hyps} --alpha 0.1,0.5 --bootstrap 1000",
        f"alignframe links score {gold} {hyps} {text} --alpha 0.5,0.1 "
        f"--page {OUT}/report.html{pictures}",
        f"alignframe convert {DATA}/gold.talp {OUT}/gold.parquet",
        f"alignframe convert {DATA}/eager.talp {OUT}/eager.parquet --system eager",
        f"alignframe sql \"select * from link_scores('{OUT}/eager.parquet', "
        f"'{OUT}/gold.parquet', alpha := 0.1)\"",
        f"alignframe links score {gold} --hyp forward={DATA}/forward.talp "
        f"--hyp grow-diag-final-and={OUT}/grow-diag-final-and.talp --baseline forward",
        f"alignframe links correlate {gold} {hyps} --external {DATA}/scores.csv "
        "--alpha 0.1,0.5,0.9",
        f"alignframe links correlate {gold} {hyps} --external {DATA}/scores.csv "
        f"--page {OUT}/correlation.html{pictures}",
        f"alignframe phrases score {gold} {hyps} {text} --dictionaries text-dic1",
        f"alignframe phrases study {gold} {hyps} {text} --page {OUT}/phrases.html{pictures}",
        *lake(),
        f"alignframe beads align {STORY}.en {STORY}.fr -o {OUT}/mill.beads",
        f"alignframe beads score --gold {STORY}.beads --hyp {OUT}/mill.beads",
        *translations(pictures),
        *translating(),
        f"alignframe report {OUT} -o {OUT}/index.html",
    ]


def make_folders(root: Path) -> None:
    """Make the output folders, a new lake, and the text to translate."""
    out = root / OUT
    shutil.rmtree(out / "lake", ignore_errors=True)
    for name in ("cautious", "eager", "nightly"):
        (out / "lake" / "hyp" / f"system={name}").mkdir(parents=True)
    for side in ("en", "fr"):
        lines = (root / DATA / f"text.{side}").read_text("utf-8").splitlines(keepends=True)
        for name, part in (("learnt", lines[:-HELD_OUT]), ("new", lines[-HELD_OUT:])):
            (out / f"{name}.{side}").write_text("".join(part), "utf-8")


def main() -> None:
    """Run the commands in the project's folder."""
    import os

    os.chdir(ROOT)
    make_folders(ROOT)
    warnings.showwarning = lambda message, *_, **__: print_warning(str(message))
    # Meanwhile, another process compiles the kernels for translations, which come last.
    helper = subprocess.Popen([sys.executable, "-c", COMPILE])
    try:
        for command in commands("--figures" in sys.argv):
            print(f"\n$ {command}", flush=True)
            if command.startswith("alignframe tesla"):
                helper.wait()
            app(shlex.split(command)[1:], standalone_mode=False)
    finally:
        helper.kill()
    print("\n" + CLOSING.replace(OUT, str(ROOT / OUT)))


if __name__ == "__main__":
    main()
