"""Shared by the studies in this folder: arguments, corpora, output, and statements.

Run a study with ``python reports/NAME.py [CORPORA] [MORE] [--figures] [--quick] [--out FOLDER]``.
It reads the folder CORPORA, by default the one named by ALIGNFRAME_CORPORA (``docs/studies.md``
lists the files), and writes ``reports/NAME/``. What is finished is kept there, in ``rows/``: after
an interruption, the same command resumes.
"""

from __future__ import annotations

import os
import warnings
from argparse import ArgumentParser
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
        parser = ArgumentParser(usage=f"python reports/{name}.py [CORPORA] [MORE] [OPTIONS]")
        usual = os.environ.get("ALIGNFRAME_CORPORA") or "corpora"
        parser.add_argument("corpora", nargs="?", type=Path, default=usual)
        parser.add_argument("more", nargs="*")
        parser.add_argument("--out", type=Path, default=ROOT / "reports" / name)
        parser.add_argument("--figures", action="store_true")
        parser.add_argument("--quick", action="store_true")
        run = cls(**vars(parser.parse_intermixed_args(given)))
        for folder in needed:
            if not (run.corpora / folder).is_dir():
                parser.error(
                    f"{run.corpora / folder} is missing; pass the folder of the corpora as an "
                    "argument"
                )
        run.out.mkdir(parents=True, exist_ok=True)
        return run

    def names(self, usual: Sequence[str]) -> Sequence[str]:
        """Return the names that the first further argument lists, by default the usual ones."""
        return self.more[0].split(",") if self.more and self.more[0] else usual

    def number(self, usual: int) -> int:
        """Return the second further argument, by default the usual number."""
        return int(self.more[1]) if len(self.more) > 1 else usual

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
