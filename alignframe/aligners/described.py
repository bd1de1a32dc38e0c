"""What a saved model is: its sizes, options and training, and the translations of words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.aligners.directions import DIRECTIONS, direction_homes
from alignframe.aligners.model import ABOUT, Model
from alignframe.aligners.storage import load
from alignframe.errors import InputError
from alignframe.options import checked
from alignframe.result import Result
from alignframe.typing import FromOne, Row

_MODELS = {
    "direction": pl.String,
    "kind": pl.String,
    "src_words": pl.Int64,
    "tgt_words": pl.Int64,
    "translations": pl.Int64,
    "src_split": pl.String,
    "tgt_split": pl.String,
    "max_length": pl.Int64,
    "pairs": pl.Int64,
    "iterations": pl.Int64,
    "log_likelihood": pl.Float64,
    "options": pl.String,
    "bytes": pl.Int64,
}
_TRANSLATIONS = {
    "direction": pl.String,
    "word": pl.String,
    "rank": pl.Int64,
    "translation": pl.String,
    "p": pl.Float64,
}


@dataclass(frozen=True)
class Description(Result):
    """Saved models, a row per direction, and translations of words."""

    models: pl.DataFrame
    translations: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=_TRANSLATIONS))
    signature: str = ""


@checked
def describe(
    folder: str | PathLike[str], *, word: str | None = None, n_best: FromOne = 5
) -> Description:
    """Describe a saved model, or those of both directions.

    Parameters
    ----------
    folder
        The folder of saved models.
    word
        A word of either side whose most probable translations are shown.
    n_best
        Maximum number of translations of the word in a direction.

    Returns
    -------
    Description
        ``models`` has a row per direction: the kind, the number of words of each side and of
        translations (those above the probability of unknown ones), how each side is split, the
        number of sentence pairs trained on (null for models of earlier versions), of iterations and
        the log-likelihood before the last one (both null for merged models), the options given, and
        the size on disk.
        ``translations`` has those of the word: forward, if it is one of src; reverse, of tgt.

    Raises
    ------
    InputError
        If the folder has no model, or none that knows the word.

    Examples
    --------
    >>> from alignframe import aligners
    >>> aligners.fit(["the house", "a house"], ["das Haus", "ein Haus"], model="ibm1").save("model")
    >>> found = aligners.describe("model", word="house", n_best=1)
    >>> found.models.select("kind", "src_words", "pairs").row(0)
    ('ibm1', 3, 2)
    >>> found.translations["translation"].to_list()
    ['Haus']
    """
    homes = saved_in(folder)
    models = [load(home) for home in homes]
    if word is not None:
        _check_known(word, models, folder)
    rows, found = [], [pl.DataFrame(schema=_TRANSLATIONS)]
    for model, home in zip(models, homes, strict=True):
        table = model.parameters.tables(model.turned)["translations"]
        rows.append(_row(model, home, table.num_rows))
        frame = pl.DataFrame(
            pl.from_arrow(table.filter(pc.equal(table["src"].cast(pa.string()), word)))
        )
        found.append(
            frame.select(translation=pl.col("tgt").cast(pl.String), p=pl.col("p").cast(pl.Float64))
            .sort(["p", "translation"], descending=[True, False])
            .head(n_best)
            .with_row_index("rank", 1)
            .select(
                pl.lit(_direction(model)).alias("direction"),
                pl.lit(word, pl.String).alias("word"),
                pl.col("rank").cast(pl.Int64),
                "translation",
                "p",
            )
        )
    return Description(pl.DataFrame(rows, _MODELS), pl.concat(found))


def saved_in(folder: str | PathLike[str]) -> list[Path]:
    """Return the folders of the models that a folder holds, or raise an InputError."""
    home = Path(folder)
    there = [name for name in DIRECTIONS if (home / name / ABOUT).is_file()]
    if (home / ABOUT).is_file():
        return [home]
    return direction_homes(home, there or DIRECTIONS)


def _check_known(word: str, models: Sequence[Model], folder: str | PathLike[str]) -> None:
    """Raise an InputError for a word that no model has on the side that it translates."""
    known = {text for model in models for text in model.turned[0].to_pylist()}
    if word not in known:
        raise InputError(
            f"no model knows the word {word!r}",
            path=folder,
            expected="a word as it was trained on",
            todo=f"did you mean {word.lower()!r}?" if word.lower() in known else "",
        )


def _row(model: Model, home: Path, translations: int) -> Row:
    src, tgt = model.splittings
    # A merged model has steps of several trainings, of which no figure is that of the whole.
    steps = [(step.get("stage"), step.get("iteration")) for step in model.history]
    is_merged = len({*steps}) < len(steps)
    last = model.history[-1] if model.history and not is_merged else {}
    return {
        "direction": _direction(model),
        "kind": model.kind,
        "src_words": len(model.vocabularies[0]),
        "tgt_words": len(model.vocabularies[1]),
        "translations": translations,
        "src_split": src.how,
        "tgt_split": tgt.how,
        "max_length": model.max_length,
        "pairs": model.pairs,
        "iterations": None if is_merged else len(model.history),
        "log_likelihood": last.get("log_likelihood"),
        "options": ", ".join(f"{name}={value}" for name, value in model.options.items()),
        "bytes": sum(file.stat().st_size for file in home.iterdir() if file.is_file()),
    }


def _direction(model: Model) -> str:
    return DIRECTIONS[model.reverse]
