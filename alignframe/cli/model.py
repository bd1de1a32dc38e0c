"""``alignframe model``: saved models of word alignment."""

from __future__ import annotations

import re
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from alignframe.cli.show import Data, Pieces, Rows
from alignframe.errors import in_file, number_of

if TYPE_CHECKING:
    from alignframe.aligners.described import Description
    from alignframe.cli.command import Words

_OPTION = re.compile(r", (?=\w+=)")  # what is between two options


def show_described(found: Description, words: Words) -> Pieces:
    """Show models side by side, a row per property, and translations of words."""
    yield found
    if words["output"]:
        return
    columns = found.models.drop("direction").to_dict(as_series=False)
    directions = found.models["direction"].to_list()
    rows = []
    for name, values in columns.items():
        # A line per option, as all in one would be wider than a terminal.
        parts = [_OPTION.split(value) if name == "options" else [value] for value in values]
        for k, line in enumerate(zip_longest(*parts, fillvalue="")):
            rows.append({"": "" if k else name, **dict(zip(directions, line, strict=True))})
    yield Rows(rows, f"Model {words['folder']}")
    for (direction,), part in found.translations.group_by("direction", maintain_order=True):
        title = f"Translations of {words['word']} ({direction})"
        yield Rows(part.select("rank", "translation", "p"), title)


def merge(folders: list[str], *, output: Path) -> Pieces:
    """Merge saved models.

    Parameters
    ----------
    folders
        Two or more saved models, trained with the same options on parts of a text.
    """
    from alignframe.aligners.merged import merge_saved

    models = merge_saved(folders, output)
    src, tgt = (len(words) for words in models[0].vocabularies)
    summary = {"output": str(output), "models": len(folders), "src_words": src, "tgt_words": tgt}
    yield Data(summary=[summary | {"pairs": models[0].pairs}])
    yield f"{number_of(len(folders), 'model')} merged, {src:,} x {tgt:,} words: {output}"


def priors(folder: str, *, output: Path) -> Pieces:
    """Write a saved model as priors of eflomal.

    Parameters
    ----------
    folder
        A saved model of both directions, of the kind bayes.
    """
    from alignframe.aligners.directions import load_directions
    from alignframe.aligners.eflomal import write_priors

    models = load_directions(folder)
    with in_file(folder):
        lines = write_priors(models, output)
    yield Data(summary=[{"output": str(output), "lines": lines}])
    if str(output) != "-":
        yield f"{number_of(lines, 'line')} written to {output}"
