"""The main job on the bundled data: join, score, report; then compare, align, judge translations.

Every step is a command that can be typed; each is shown before it runs.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from alignframe.cli.app import app

ROOT = Path(__file__).resolve().parent.parent
DATA = "datasets/en-fr"
STORY = "datasets/mill/mill"
ISLAND = "datasets/island"
TRANSLATIONS = ("careful", "fluent", "literal", "garbled")
OUT = "reports/demo"
COMPILE = "from alignframe.cli.warmup_jobs import run; run('translations')"
METHODS = ("union", "intersection", "refined", "grow-diag-final-and")


def analysis() -> str:
    """Return how translations are analysed: by WordNet, or without where it is absent."""
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
        f"alignframe tesla score {given} -o {OUT}/tesla-m.parquet",
        f"alignframe tesla pivot-table --src {DATA}/text.en --pivot {DATA}/text.fr "
        f"--links {DATA}/gold.talp -o {OUT}/fr.parquet",
        f"alignframe tesla score --metric b --pivot {OUT}/fr.parquet {given} "
        f"-o {OUT}/tesla-b.parquet",
        f"alignframe tesla meta {rankings} --segments tesla-m={OUT}/tesla-m.parquet "
        f"--segments tesla-b={OUT}/tesla-b.parquet",
        f"alignframe report tesla {given} {rankings} -o {OUT}/tesla.html{pictures}",
    ]


def lake() -> list[str]:
    """Return the commands that score a small lake, and score it again with one more partition."""
    lake = f"{OUT}/lake"
    score = f"alignframe lake score {lake}/hyp --gold {lake}/gold.parquet -o {lake}/counts"
    convert = [
        f"alignframe convert {path} {lake}/hyp/system={name}/links.parquet --system {name}"
        for name, path in {
            **{name: f"{DATA}/{name}.talp" for name in ("forward", "cautious", "eager")},
            "union": f"{OUT}/union.talp",
        }.items()
    ]
    return [
        f"alignframe convert {DATA}/gold.talp {lake}/gold.parquet",
        *convert[:3],
        score,
        convert[3],
        score,
        f"alignframe lake scores {lake}/counts",
    ]


def commands(figures: bool) -> list[str]:
    """Return the commands of the demonstration."""
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
        f"alignframe report links {gold} {hyps} {text} --alpha 0.5,0.1 "
        f"-o {OUT}/report.html{pictures}",
        f"alignframe convert {DATA}/gold.talp {OUT}/gold.parquet",
        f"alignframe convert {DATA}/eager.talp {OUT}/eager.parquet --system eager",
        f"alignframe sql \"select * from link_scores('{OUT}/eager.parquet', "
        f"'{OUT}/gold.parquet', alpha := 0.1)\"",
        f"alignframe links compare {gold} --hyp forward={DATA}/forward.talp "
        f"--hyp grow-diag-final-and={OUT}/grow-diag-final-and.talp --baseline forward",
        f"alignframe links correlate {gold} {hyps} --scores {DATA}/scores.csv --alpha 0.1,0.5,0.9",
        f"alignframe report correlation {gold} {hyps} --scores {DATA}/scores.csv "
        f"-o {OUT}/correlation.html{pictures}",
        f"alignframe phrases compare {gold} {hyps} {text} --dictionaries text-dic1",
        f"alignframe report phrases {gold} {hyps} {text} -o {OUT}/phrases.html{pictures}",
        *lake(),
        f"alignframe beads align {STORY}.en {STORY}.fr -o {OUT}/mill.beads",
        f"alignframe beads score --gold {STORY}.beads --hyp {OUT}/mill.beads",
        *translations(pictures),
    ]


def make_folders(root: Path) -> None:
    """Make the folders that the commands write to, the lake's anew."""
    out = root / OUT
    shutil.rmtree(out / "lake", ignore_errors=True)
    for name in ("forward", "cautious", "eager", "union"):
        (out / "lake" / "hyp" / f"system={name}").mkdir(parents=True)


def main() -> None:
    """Run the commands in the project's folder."""
    import os

    os.chdir(ROOT)
    make_folders(ROOT)
    # Meanwhile another process compiles the kernels of translations, which come last.
    helper = subprocess.Popen([sys.executable, "-c", COMPILE])
    try:
        for command in commands("--figures" in sys.argv):
            print(f"\n$ {command}", flush=True)
            if command.startswith("alignframe tesla"):
                helper.wait()
            app(shlex.split(command)[1:], standalone_mode=False)
    finally:
        helper.kill()
    print(f"\nOpen {ROOT / OUT / 'report.html'} in a browser; beside it lie the reports of phrases")
    print("(phrases.html), of translations (tesla.html), and of the correlation with scores of")
    print("translation, which are invented (correlation.html).")


if __name__ == "__main__":
    main()
