"""How text is analysed: the options of every command that scores by TESLA."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from alignframe.cli import heed_interrupts
from alignframe.cli.progress import spinner

if TYPE_CHECKING:
    from alignframe.language import Analysis


@dataclass(frozen=True)
class AnalysisOptions:
    """How text is analysed; the fields are options, made known by ``with_options``."""

    language: Annotated[str, typer.Option("--language", help="Code of the texts' language.")] = "en"
    tokens: Annotated[
        str,
        typer.Option(
            "--tokens",
            help="How text is parted: penn (raw text), or spaces (tokens parted by blanks).",
        ),
    ] = "penn"
    tagger: Annotated[
        str | None,
        typer.Option(
            "--tagger",
            help="textblob (for en), hanta (for de and nl), spacy:MODEL, or given: tokens such "
            "as house|NN, or CoNLL-U (.conllu).",
        ),
    ] = None
    lemmas: Annotated[
        str | None,
        typer.Option(
            "--lemmas",
            help="morphy (WordNet's, for en), words (lower case), tagger, or given: tokens such "
            "as houses|NNS|house.",
        ),
    ] = None
    wordnet: Annotated[
        Path | None,
        typer.Option(
            "--wordnet", metavar="DIR", help="WordNet's database files; else the usual places."
        ),
    ] = None
    synonyms: Annotated[
        str | None,
        typer.Option(
            "--synonyms",
            metavar="FILE",
            help="wordnet (for en), none, or a file: a group a line, parted by tabs.",
        ),
    ] = None
    content: Annotated[
        str | None,
        typer.Option(
            "--content",
            help="Set of tags (penn, universal, c5, de, fr, es, cs, zh, nl), or prefixes of tags "
            "of content words: NN,VB,JJ,RB.",
        ),
    ] = None

    def analysis(self) -> Analysis:
        """Return the analysis that the options name."""
        from alignframe.language import Analysis

        made = Analysis.of(
            self.language,
            self.tokens,
            self.tagger,
            self.lemmas,
            self.wordnet,
            self.synonyms,
            self.content,
        )
        made.told = _told
        heed_interrupts()  # text may come from standard input
        return made


def _told(done: int, of: int) -> None:
    """Show how many sentences are tagged."""
    spinner().say(f"Tagging: {done:,} of {of:,} sentences" if done < of else "Working ...")
