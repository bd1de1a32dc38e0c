"""Merging models that were trained on parts of a text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from os import PathLike, fspath
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from alignframe.aligners.described import saved_in
from alignframe.aligners.directions import DIRECTIONS
from alignframe.aligners.model import Model
from alignframe.aligners.parts import parts_of
from alignframe.aligners.sampled import Parameters
from alignframe.aligners.storage import load
from alignframe.aligners.translations import Translations
from alignframe.core.output import together
from alignframe.core.tokens import SIDES
from alignframe.errors import InputError, number_of
from alignframe.typing import Row

_SAME = ("null", "concentration", "spelling", "stems", "agreement")


def merge(models: Sequence[Model]) -> Model:
    """Merge models of one direction that were trained on parts of a text.

    Counts of links, fertilities and jumps are added over the union of the words.

    Parameters
    ----------
    models
        Models of the kind ``bayes`` with the same direction and options, as saved.

    Returns
    -------
    Model
        Its history is that of all models, and it aligns any text as new.

    Raises
    ------
    InputError
        If models are of another kind, differ in direction, options or how they split text, or have
        a part in common.

    Examples
    --------
    >>> from alignframe import aligners
    >>> parts = (["the house"], ["das Haus"]), (["the book"], ["das Buch"])
    >>> aligners.merge([aligners.fit(*part) for part in parts])
    Model('bayes', forward, 3 x 3 words)
    """
    return _merged(models, [f"model {number}" for number in range(1, len(models) + 1)])


def _merged(models: Sequence[Model], names: Sequence[str]) -> Model:
    """Merge models, whose names are for errors."""
    _check(models, names)
    first = models[0]
    src, tgt = (_union([model.vocabularies[side] for model in models]) for side in (0, 1))
    turned = (tgt, src) if first.reverse else (src, tgt)
    size = len(turned[0])
    totals = np.zeros(size + 2)
    fertilities = np.zeros((size + 1, first.parameters.fertilities.shape[1]), np.float32)
    cells, values = [], []
    width = len(turned[1])
    for model in models:
        own: Parameters = model.parameters
        rows, columns = (
            pc.index_in(mine, value_set=all_words).to_numpy().astype(np.int64)
            for mine, all_words in zip(model.turned, turned, strict=True)
        )
        fertilities[rows] += own.fertilities[: rows.size]
        rows = np.append(0, rows + 1)  # NULL's comes first
        totals[rows] += own.totals[: rows.size]
        row = np.repeat(np.arange(own.totals.size), np.diff(own.pairs.starts))
        # The unknown word has no counts.
        kept = (own.pairs.values > 0) & (row < rows.size) & (own.pairs.targets < columns.size)
        cells.append(rows[row[kept]] * width + columns[own.pairs.targets[kept]])
        values.append(own.pairs.values[kept].astype(np.float64))
    distinct, at = np.unique(np.concatenate(cells), return_inverse=True)
    sums = np.bincount(at, np.concatenate(values), distinct.size).astype(np.float32)
    parameters = Parameters(
        Translations.from_cells(
            (distinct // width).astype(np.int32), (distinct % width).astype(np.int32), sums, size
        ),
        totals,
        fertilities,
        np.sum([model.parameters.jumps for model in models], axis=0),
        turned,
        **{name: getattr(first.parameters, name) for name in (*_SAME, "seed")},
    )
    pairs = [model.pairs for model in models]
    return Model(
        first.kind,
        (src, tgt),
        first.reverse,
        parameters,
        first.options,
        first.max_length,
        [step for model in models for step in model.history],
        first.splittings,
        None if None in pairs else sum(filter(None, pairs)),
        tuple(part for model in models for part in parts_of(model)),
    )


def merge_saved(folders: Sequence[str | PathLike[str]], output: str | PathLike[str]) -> list[Model]:
    """Merge the models of folders, direction by direction, save the results, and return them."""
    if Path(output).resolve() in {Path(folder).resolve() for folder in folders}:
        raise InputError(
            "one of the models to merge, which would be lost", path=output, expected="a new folder"
        )
    found = [{model.reverse: model for model in map(load, saved_in(folder))} for folder in folders]
    directions = [{DIRECTIONS[reverse] for reverse in models} for models in found]
    for folder, mine in zip(folders, directions, strict=True):
        if mine != directions[0]:
            raise InputError(
                f"holds models of the directions {', '.join(sorted(mine))}",
                path=folder,
                expected=f"{', '.join(sorted(directions[0]))}, as in {folders[0]}",
            )
    names = [fspath(folder) for folder in folders]
    merged = [_merged([models[reverse] for models in found], names) for reverse in found[0]]
    with together():
        for model in merged:
            model.save(Path(output) / DIRECTIONS[model.reverse])
    return merged


def _union(vocabularies: Sequence[pa.Array]) -> pa.Array:
    words = pc.unique(pa.concat_arrays(vocabularies))
    return words.take(pc.sort_indices(words))


def _check(models: Sequence[Model], names: Sequence[str]) -> None:
    """Refuse what cannot be merged."""
    if len(models) < 2:
        raise InputError("a single model", expected="two or more to merge")
    for folder, model in zip(names, models, strict=True):
        if model.kind != "bayes":
            raise InputError(
                f"a model of the kind {model.kind}",
                expected="bayes, whose counts can be added",
                todo="train it on the whole text, or on one part with the other model as its prior",
                path=folder,
            )
    told = [_settings(model) for model in models]
    for folder, mine in zip(names, told, strict=True):
        for name, value in mine.items():
            if value != told[0][name]:
                raise InputError(
                    f"models to merge that differ in {name}: {told[0][name]} in {names[0]}, and "
                    f"{value} in {folder}",
                    expected="models trained with the same options",
                )
    _check_distinct(models, names)


def _check_distinct(models: Sequence[Model], names: Sequence[str]) -> None:
    """Refuse models that have a part in common, which would be counted twice."""
    for (name, one), (other, another) in combinations(zip(names, models, strict=True), 2):
        mine, its = set(parts_of(one)), set(parts_of(another))
        common = mine & its
        if not common:
            continue
        if mine == its:
            found, todo = f"{name} and {other} are the same model", ""
        elif common in (mine, its):
            part, whole = (name, other) if common == mine else (other, name)
            found, todo = f"{part} is already part of {whole}", f"leave out {part}"
        else:
            found = f"{name} and {other} have {number_of(len(common), 'part')} in common"
            todo = "merge those that they were merged from, each once; train only one with a prior"
        raise InputError(found, expected="models of different parts", todo=todo)


def _settings(model: Model) -> Row:
    """Return what models that are merged have in common."""
    own = {name: getattr(model.parameters, name) for name in _SAME}
    hows = zip(SIDES, model.splittings, strict=True)
    return {
        "direction": DIRECTIONS[model.reverse],
        **own,
        "max_length": model.max_length,
        **{f"how they split {side} into words": splitting.how for side, splitting in hows},
    }
