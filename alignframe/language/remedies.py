"""Commands that create missing inputs of an analysis or a metric."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path

from alignframe.errors import InputError
from alignframe.read.opening import is_stream

LANGUAGE_MODEL = "alignframe lm --tokens penn --lowercase TEXT"
PIVOT_TABLE = "alignframe tesla pivot-table --tokens penn --src TEXT --pivot TEXT"
MODEL = "alignframe tesla train --rankings RANKINGS --systems FOLDER --ref REF"
TAGS = "alignframe tesla tags --src TEXT.en --tgt TEXT"


def learn_tags(language: str) -> str:
    """Return advice on training tags for a language without a tagger."""
    return (
        f"learn tags, lemmas and synonyms from a bitext with English: {TAGS}.{language} "
        f"-o {language}.tags.parquet"
    )


def make_pivot_table(language: str) -> str:
    """Return the command that makes a pivot table, with English as the pivot of other languages."""
    pivot = "fr" if language == "en" else "en"
    tagger = "" if language == "en" else " --pivot-tagger textblob --pivot-language en"
    return (
        f"alignframe tesla pivot-table --src TEXT.{language} --pivot TEXT.{pivot} "
        f"--tokens penn{tagger} -o {pivot}.parquet"
    )


def require_file(path: str | PathLike[str], command: str) -> None:
    """Raise an InputError for a missing file, naming the command that writes it."""
    if not is_stream(path) and not Path(path).exists():
        raise InputError("no such file", path=path, todo=f"make it: {command} -o {fspath(path)}")
