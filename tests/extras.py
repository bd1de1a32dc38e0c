"""Checks that each extra is enough for what it promises; run by ``make test-extras``.

Builds the wheel, installs it with one extra at a time (``python tests/extras.py sail spark`` for
some only) in a fresh environment, and runs that extra's commands from the shell, as someone with
an empty home does. The environment is not on the path, so that nothing can rely on that.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from test_docs import ROOT, commands_of

LINKED, ISLAND = "datasets/en-fr", "datasets/island"
LINKS = f"--gold {LINKED}/gold.talp --hyp eager={LINKED}/eager.talp"
TEXTS = f"--ref {ISLAND}/ref.en --hyp careful={ISLAND}/careful.en"
SCORE = "alignframe lake score gold.parquet --gold gold.parquet"
TESLA = f"alignframe tesla score --set lemmas=words --set synonyms=none {TEXTS}"
ANALYSE = f"alignframe tesla words {ISLAND}/ref.en -o ref.parquet --set lemmas="
GERMAN = f"{ANALYSE}words --language de --tagger hanta"
STEMS = f"{ANALYSE}stems --language fr --tagger none"
SPACY = f"{ANALYSE}words --tagger spacy:en_core_web_sm"
THAI = "alignframe words thai.txt --words unicode"
KENLM = f"{TESLA} --metric f --tagger none --lm news=lm.bin"
DELTA = f"{SCORE} -o delta --to delta"
ICEBERG = f"{SCORE} -o iceberg:catalog.db.mt.counts"
SPARK = f"{SCORE} -o counts --set engine=spark"
BEFORE = (
    f"alignframe convert {LINKED}/gold.talp gold.parquet; "
    "printf 'mmap lm http://kheafield.com/code' > lm.bin; "
    "echo 'สวัสดีครับ' > thai.txt"
)
"""What the commands of several extras read."""
MCP = "alignframe mcp --table gold=gold.parquet"
SESSION = "import alignframe as af; print(af.engines.spark.session().range(3).count() + 39)"


def lacks(extra: str, command: str) -> tuple[str, str]:
    """Return a command that fails without an extra, and says so."""
    return f"! {command}", f"alignframe[{extra}]"


def examples_of(page: str) -> tuple[str, str]:
    """Return a command that runs the examples of a page."""
    return f"python -m doctest -o NORMALIZE_WHITESPACE {ROOT}/docs/{page}.md", ""


def engine_steps() -> list[tuple[str, str]]:
    """Return the commands and examples of docs/engines.md, and what fails outside scripts."""
    page = [(command, "\n".join(shown)) for command, shown in commands_of("docs/engines.md")]
    return [*page[:3], examples_of("engines"), *page[3:], (f'python -c "{SESSION}"', "42")]


LAKE = "; ".join(
    f"alignframe {shlex.join(words)}"
    for command, _ in commands_of("docs/sql-tools.md")
    for _, *words in [shlex.split(command)]
)
"""What makes the lake of docs/sql-tools.md."""
DBT = "--project-dir quality --profiles-dir quality"


def tool_steps() -> list[tuple[str, str]]:
    """Return the examples and the cells of docs/sql-tools.md."""
    page = f"{ROOT}/docs/sql-tools.md"
    cells = re.findall(r"```ipython\n(.*?)```", Path(page).read_text("utf-8"), re.DOTALL)
    run = "from IPython.core.interactiveshell import InteractiveShell\n" + "".join(
        f"InteractiveShell.instance().run_cell({cell!r}).raise_error()\n" for cell in cells
    )
    return [
        (LAKE, "72"),
        (f"python -m doctest -o NORMALIZE_WHITESPACE {page}", ""),
        (f"python -c {shlex.quote(run)}", "| cautious | letters | 0.174  |"),
    ]


# For each extra its commands, each with lines that must be in its output; "! " is one that fails.
STEPS: dict[str, list[tuple[str, str]]] = {
    "": [
        ("alignframe --version", "alignframe"),
        (f"alignframe links score {LINKS}", "metric:links"),
        (f"{SCORE} -o counts", "counts: 1 done"),
        ("alignframe sql \"from scores('counts/*.parquet')\"", "1.0000"),
        lacks("report", f"alignframe links score {LINKS} --page report.html"),
        lacks("tesla", TESLA),
        lacks("mt", f"alignframe mt score {TEXTS}"),
        lacks("hanta", GERMAN),
        lacks("stems", STEMS),
        lacks("spacy", SPACY),
        lacks("kenlm", KENLM),
        lacks("words", THAI),
        lacks("delta", DELTA),
        lacks("iceberg", ICEBERG),
        lacks("sail", SPARK),
        lacks("mcp", MCP),
    ],
    "report": [
        (f"alignframe links score {LINKS} --page report.html", ""),
        ("grep -c '<svg\\|vega' report.html", ""),
    ],
    "tesla": [(TESLA, "m:tesla-m|tag:textblob")],
    "mt": [(f"alignframe mt score {TEXTS}", "tokens:13a")],
    "hanta": [(GERMAN, "tagger:hanta")],
    "stems": [(STEMS, "lemmas:snowball")],
    "spacy": [(f"! {SPACY}", "python -m spacy download en_core_web_sm")],
    "words": [(THAI, "สวัสดี ครับ")],
    "kenlm": [(f"! {KENLM}", "lm.bin: cannot be read by KenLM")],
    "delta": [
        (DELTA, "delta: 1 done"),
        ('alignframe sql --table t=delta "select count(*) as n from t"', "72"),
        ("alignframe lake scores delta", "metric:links"),
    ],
    "iceberg": [
        (ICEBERG, "1 done"),
        (
            'alignframe sql --table t=iceberg:catalog.db.mt.counts "select count(*) as n from t"',
            "72",
        ),
        ("alignframe lake scores iceberg:catalog.db.mt.counts", "metric:links"),
    ],
    "dbt": [
        (f"{LAKE}; cp -r {ROOT}/sql/dbt quality", "72"),
        (f"dbt build {DBT}", "PASS=10 WARN=0 ERROR=0"),
        (f"dbt docs generate {DBT}", "Catalog written"),
        (
            "sed -i 's/baseline: cautious/baseline: eager/' quality/models/models.yml; "
            f"! dbt test {DBT}",
            "FAIL 1 aer_not_worse_than_link_scores_eager",
        ),
        (f"dbt show {DBT} --select aer_not_worse_than_link_scores_eager__0_01", "| cautious"),
        (
            f"sed -i 's/place: /other: /' quality/models/sources.yml; ! dbt run {DBT}",
            "the source quality.lake.hyp without a place",
        ),
    ],
    "tools": tool_steps(),
    "sail": engine_steps(),
    "spark": engine_steps(),
    "mcp": [examples_of("mcp"), (f"{MCP} < /dev/null", "")],
    "notebook": [
        (f"python {ROOT}/tests/notebooks.py", "analyst.ipynb runs\nresearcher.ipynb runs")
    ],
    "docs": [(f"cd {ROOT}; python docs/build.py", "pages written to")],
}
OTHERS = {
    "dbt": (),
    "tools": (
        "duckdb<2",
        "duckdb-engine",
        "ibis-framework[duckdb]",
        "ipython",
        "jupysql",
        "marimo",
    ),
}
"""Packages beside an extra, installed without constraints, as they need other versions."""
TOOLS = {"kenlm": "cmake", "spark": "java"}
"""Programs that an extra needs besides its packages."""


class Environments:
    """Fresh environments in one folder, at the same place one after the other.

    Each begins as a copy, by hard links, of one with the bare package and the kernels that it has
    compiled by then.
    """

    def __init__(self, folder: Path) -> None:
        self.place, self._bare = folder / "env", folder / "bare"
        self._wheels = folder / "wheels"

    def prepare(self) -> None:
        """Build the wheel, and install it alone."""
        pip = [sys.executable, "-m", "pip"]
        call([*pip, "wheel", "--no-deps", "-w", self._wheels, ROOT])
        call([sys.executable, "-m", "venv", self.place])
        self.install("")

    def install(self, extra: str) -> None:
        """Install the package with an extra; ``keep`` comes first."""
        if self._bare.exists():
            shutil.rmtree(self.place, ignore_errors=True)
            shutil.copytree(self._bare, self.place, symlinks=True, copy_function=os.link)
        (wheel,) = self._wheels.glob("alignframe-*.whl")
        more = OTHERS.get(extra)
        what = wheel if not extra or more else f"{wheel}[{extra}]"
        bounds = ["-c", ROOT / "constraints.txt"] if more is None else more
        call([self.place / "bin" / "python", "-m", "pip", "install", *bounds, what])

    def keep(self) -> None:
        """Keep the environment as the beginning of all others."""
        self.place.rename(self._bare)

    def shell(self, command: str, folder: Path) -> str:
        """Run a command, which must succeed, and return what it prints."""
        home = folder / "home"
        home.mkdir(exist_ok=True)
        kept = {
            name: os.environ[name]
            for name in ("PATH", "JAVA_HOME", "NUMBA_CACHE_DIR")
            if name in os.environ
        }
        names = "".join(
            f'{name}() {{ "{self.place}/bin/{name}" "$@"; }}\n'
            for name in ("alignframe", "python", "dbt")
        )
        env = {**kept, "HOME": str(home), "LANG": "C.UTF-8"}
        return call(["bash", "-ec", f"{names}{command}"], cwd=folder, env=env)


def call(words: list[str | Path], **options: object) -> str:
    """Run a program, and return what it prints; raise an error with it if it fails."""
    done = subprocess.run(
        words,
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=1800,
        **options,
    )
    if done.returncode:
        raise RuntimeError(f"{words[-1]}\nended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def check(environments: Environments, extra: str, folder: Path) -> None:
    """Run the steps of an extra; raise a RuntimeError for one that does not do as it should."""
    folder.mkdir()
    (folder / "datasets").symlink_to(ROOT / "datasets")
    if extra:
        environments.install(extra)
    environments.shell(BEFORE, folder)
    for command, wanted in STEPS[extra]:
        said = environments.shell(command, folder)
        for line in wanted.splitlines():
            if line not in said or "Traceback" in said:
                raise RuntimeError(f"{command}\nsays\n{said}\nexpected\n{wanted}")


def main() -> None:
    """Check the extras named on the command line, or all."""
    chosen = ["", *(sys.argv[1:] or list(filter(None, STEPS)))]
    failed = 0
    with tempfile.TemporaryDirectory(prefix="alignframe-extras-") as folder:
        environments = Environments(Path(folder))
        environments.prepare()
        for extra in chosen:
            since, what = time.monotonic(), f"{extra or '(none)':8}"
            if extra in TOOLS and not shutil.which(TOOLS[extra]):
                print(what, f"  skipped: no {TOOLS[extra]}", flush=True)
                continue
            try:
                check(environments, extra, Path(folder) / f"run-{extra}")
                said = "ok"
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                failed += 1
                said = f"failed\n{error}"
            print(f"{what} {time.monotonic() - since:4.0f} s  {said}", flush=True)
            if not extra:
                environments.keep()
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
