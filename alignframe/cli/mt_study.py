"""``alignframe mt study``: evaluating alignments by translation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from alignframe.cli.command import Shell, Words, flag
from alignframe.cli.links import correlations_table, studies
from alignframe.cli.mt import Translating
from alignframe.cli.option import split
from alignframe.cli.progress import spinner
from alignframe.cli.show import Data, Pieces, Rows
from alignframe.cli.sources import (
    ENCODING,
    SRC,
    TGT,
    add_named,
    gold_base,
    gold_format,
    links_base,
    links_format,
    links_order,
    read_links,
    sids,
    split_name,
    text_of,
    where,
)
from alignframe.cli.tesla import show_tagging
from alignframe.errors import InputError, number_of
from alignframe.typing import Arguments, Rare

if TYPE_CHECKING:
    from alignframe.mt import MtStudy

_MOST = 9
"""Number of measures printed per score: 1 - AER, those chosen without a system, and the best."""


class Judged(Translating):
    """Alignments of a text, gold links, and sets to translate."""

    provides = (
        *("links", "bitext", "gold", "order", "dev", "test", "tesla"),
        *("threads", "progress"),
    )

    links: list[str] = flag(
        "Links of a system in any format, a glob or folder of such files, or one of links vary. "
        "Repeatable.",
        metavar="[NAME=]PATH",
    )
    links_format: Rare[str | None] = links_format()
    base: int | None = links_base()
    order: str = links_order()
    src: str | None = flag(SRC, None, metavar="FILE")
    tgt: str | None = flag(TGT, None, metavar="FILE")
    gold: str | None = flag(
        "Gold links of the training text; not needed for folders of links vary.",
        None,
        metavar="FILE",
    )
    gold_format: str | None = gold_format()
    gold_base: int | None = gold_base()
    sids: Rare[str | None] = sids()
    where: str | None = where()
    dev: str | None = flag(
        "Development set: its source and its reference, comma-separated.", None, metavar="SRC,REF"
    )
    test: str = flag("Test set: its source and its reference, comma-separated.", metavar="SRC,REF")
    encoding: str = flag(ENCODING, "utf-8")
    tesla_m: bool = flag(
        "Also score by TESLA-M; the text options apply to it.", False, panel="Analysis"
    )

    def arguments(self, shell: Shell) -> Arguments:
        """Return links, bitext, gold, order, dev, test, tesla, threads and progress."""
        from alignframe import links
        from alignframe.links.studied import ALIGNER

        text = text_of(self.src, self.tgt, self.encoding)
        paths = [Path(split_name(spec, "alignment")[1]) for spec in self.links]
        varied = [path for path in paths if (path / ALIGNER).is_file()]
        known: Any = None
        if varied:
            for option, value in (
                ("--gold", self.gold),
                ("--links-format", self.links_format),
                ("--base", self.base),
                (
                    f"--links {next((p for p in paths if p not in varied), '')}",
                    varied != paths,
                ),
            ):
                if value not in (None, False):
                    raise InputError(
                        f"{option} with the folder {varied[0]} of links vary",
                        expected="only folders of links vary, which hold the counts for their gold",
                    )
            known = links.read_study(studies(self.links), sids=self.sids, where=self.where)
            given: Arguments = dict(known.alignments)
        else:
            given = {
                name: read_links(
                    path, self.links_format, None, self.encoding, base=self.base, system=name
                )
                for name, path in _files(self.links).items()
            }
            if self.gold is not None:
                known = read_links(
                    self.gold, self.gold_format, None, self.encoding, base=self.gold_base
                )
                if self.sids is not None or self.where is not None:
                    known = links.subset(known, sids=self.sids, where=self.where)
            elif self.sids is not None or self.where is not None:
                subset = "--sids" if self.sids is not None else "--where"
                raise InputError(f"{subset} needs --gold")

        def progress(name: str, number: int, bleu: float) -> None:
            spinner().say(f"Study: {name}, {number + 1} of {len(given)}, BLEU {bleu:.2f}")

        show_tagging()
        return super().arguments(shell) | {
            "links": given,
            "bitext": text,
            "gold": known,
            "order": self.order,
            "dev": None if self.dev is None else _pair(self.dev, "--dev", self.encoding),
            "test": _pair(self.test, "--test", self.encoding),
            "tesla": "m" if self.tesla_m else None,
            "progress": progress,
        }


def show(study: MtStudy, words: Words) -> Pieces:
    """Show scores, and how well measures of the alignments predict them."""
    yield Data(study.signature, scores=study.scores, correlations=study.correlations)
    shown = study.scores.select(
        "system", *study.metrics, "pairs", unknown="unknown_words", length="length_ratio"
    )
    yield Rows(
        shown,
        f"Word alignments judged by translation, {number_of(shown.height, 'system')}",
        f"{study.signature}\nwritten to {words['folder']}",
    )
    for metric, name in study.metrics.items() if study.correlations.height else ():
        own = study.correlations.filter(study.correlations["score"] == metric).drop("score")
        if own.height:
            yield correlations_table(own, name, words, score=name, most=_MOST)


def _files(specs: list[str]) -> dict[str, str]:
    """Return files of links by system name, those of folders and globs in order."""
    from alignframe.sources.source import systems_by_file

    files: dict[str, str] = {}
    for name, place in (split_name(spec, "alignment") for spec in specs):
        for own, file in systems_by_file(place, name):
            add_named(files, own, file, "alignment")
    return files


def _pair(given: str, option: str, encoding: str) -> tuple[Any, Any]:
    from alignframe.formats.bitext import token_column
    from alignframe.read.lines import TextFile

    sides = split(given)
    if len(sides) < 2:
        raise InputError(
            f"{option} {given}", expected="a source and one or more references, SRC,REF"
        )
    return token_column(TextFile(sides[0], encoding)), [Path(side) for side in sides[1:]]
