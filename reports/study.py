"""Shared by the studies in this folder: arguments, corpora, output, and statements.

Run a study with ``python reports/NAME.py [CORPORA] [MORE] [--figures] [--quick] [--out FOLDER]``.
It reads the folder CORPORA, by default the one named by ALIGNFRAME_CORPORA (``docs/studies.md``
lists the files), and writes ``reports/NAME/``. What is finished is kept there, in ``rows/``: after
an interruption, the same command resumes.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa

from alignframe.cli.show import print_warning
from alignframe.core.output import write_table
from alignframe.core.signatures import whole_signature
from alignframe.errors import DataWarning
from alignframe.pages.page import Page, Table
from alignframe.studies.runner import Runner, digest

ROOT = Path(__file__).resolve().parent.parent

Statements = Mapping[str, tuple[bool | Sequence[bool], str]]
"""Whether each statement of a paper holds here (per case if there are several), and the figures."""


@dataclass(frozen=True)
class Run:
    """The command line of a study; ``more`` are the arguments after the corpora."""

    corpora: Path
    out: Path
    more: Sequence[str]
    figures: bool
    quick: bool

    @classmethod
    def of(cls, name: str, needed: Sequence[str], given: Sequence[str] | None = None) -> Run:
        """Parse the command line; exit with a message if a folder of corpora is missing."""
        words = list(sys.argv[1:] if given is None else given)
        out = ROOT / "reports" / name
        if "--out" in words:
            at = words.index("--out")
            out = Path(words[at + 1])
            del words[at : at + 2]
        named = [word for word in words if not word.startswith("--")]
        usual = os.environ.get("ALIGNFRAME_CORPORA") or ROOT.parent / "shared" / "corpora"
        corpora = Path(named[0] if named else usual)
        for folder in needed:
            if not (corpora / folder).is_dir():
                sys.exit(
                    f"{corpora / folder} is missing; pass the folder of the corpora as an argument"
                )
        out.mkdir(parents=True, exist_ok=True)
        return cls(corpora, out, named[1:], "--figures" in words, "--quick" in words)

    def rows(
        self,
        call: Callable[..., pl.DataFrame],
        settings: Mapping[str, tuple[Any, ...]] | Iterable[tuple[Any, ...]],
        **more: Any,
    ) -> dict[str, pl.DataFrame]:
        """Return the rows of each setting: arguments of the function, under a name or their own.

        They are kept, and read again unless a program or an argument has changed; ``more`` is what
        else they depend on.
        """
        programs = pa.array(path.read_text("utf-8") for path in sorted(ROOT.glob("reports/*.py")))
        mark = whole_signature(
            f"corpora:{self.corpora.resolve()}|quick:{self.quick}|programs:{digest([programs])}",
            *(f"{name}:{value}" for name, value in more.items()),
        )
        if not isinstance(settings, Mapping):
            settings = {", ".join(map(str, one)): one for one in settings}
        return Runner(self.out, mark).rows(lambda one: call(*one), settings)

    def save(self, **tables: pl.DataFrame) -> None:
        """Write tables as Parquet."""
        for name, table in tables.items():
            write_table(table, self.out / f"{name}.parquet")

    def page(self, page: Page, stem: str = "report") -> None:
        """Write a page and, with ``--figures``, its charts to a folder next to it."""
        page.write(self.out / f"{stem}.html")
        if self.figures:
            page.write_figures(self.out / ("figures" if stem == "report" else stem))

    def done(self, stem: str = "report") -> None:
        """Print where the page is."""
        print(f"\nOpen {self.out / stem}.html in a browser.")


def verdict(cases: bool | Sequence[bool]) -> str:
    """Return whether a statement holds, or the number of cases in which it does."""
    every = [cases] if isinstance(cases, bool) else cases
    partly = f"holds in {sum(every)} of {len(every)} cases"
    return "holds" if all(every) else partly if any(every) else "does not hold"


def say(statements: Statements, title: str = "The paper's statements") -> None:
    """Print statements: whether they hold here, and the figures."""
    print(f"\n{title}:")
    for text, (cases, figures) in statements.items():
        print(f"  {verdict(cases)}: {text}\n      {figures}")


def statement_table(statements: Statements, title: str) -> Table:
    """Return statements as a table of a page."""
    rows = [[text, verdict(cases), figures] for text, (cases, figures) in statements.items()]
    return Table(["Statement", "Here", "Figures"], rows, title=title, texts=3)


@contextmanager
def each_warning_once() -> Iterator[None]:
    """Print warnings about the data at the end, each once."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", DataWarning)
        yield
    for text in sorted({str(one.message) for one in found}):
        print_warning(text)


def beside(shown: str, published: Any) -> str:
    """Return a figure, followed by the published one in brackets if there is one."""
    return shown if published is None else f"{shown} ({published})"
