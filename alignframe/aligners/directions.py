"""Saved models of both directions, and the ways to combine their links."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from alignframe.aligners.model import Model
from alignframe.aligners.storage import load, read_about
from alignframe.core import symmetrization
from alignframe.errors import InputError

DIRECTIONS = ("forward", "reverse")
"""Each target word picks a source word, or each source word a target word."""

AGREE = "agree"
"""Links with a high mean probability over both directions; needs probabilities."""

METHODS = (AGREE, *symmetrization.METHODS)
"""Ways to combine both directions."""

ALONE = "none"
"""Used instead of a method: the forward direction only."""


def load_directions(
    folder: str | PathLike[str], directions: Sequence[str] = DIRECTIONS
) -> tuple[Model, ...]:
    """Read saved models of both directions: FOLDER/forward and FOLDER/reverse.

    For a single direction, the folder may hold the model itself.

    Raises
    ------
    InputError
        If a model is missing or damaged, of the wrong direction, or the two differ in kind or in
        how they split text.

    Examples
    --------
    >>> from alignframe import aligners
    >>> text = ["the house", "a house"], ["das Haus", "ein Haus"]
    >>> for name in ("forward", "reverse"):
    ...     aligners.fit(*text, model="ibm1", reverse=name == "reverse").save(f"model/{name}")
    >>> aligners.align_with(aligners.load_directions("model"), text)["links"].list.len().to_list()
    [1, 1]
    """
    models = tuple(load(home) for home in direction_homes(folder, directions))
    check_alike(models)
    return models


def check_alike(models: Sequence[Model]) -> None:
    """Raise an InputError if models of both directions split text differently."""
    ways = [tuple(splitting.how for splitting in model.splittings) for model in models]
    if len({*ways}) > 1:
        said = " but ".join(
            f"{' and '.join(way)} ({direction})"
            for way, direction in zip(ways, DIRECTIONS, strict=True)
        )
        raise InputError(
            f"models that split the source and the target side differently: {said}",
            expected="both directions of one training",
        )


def direction_homes(
    folder: str | PathLike[str], directions: Sequence[str] = DIRECTIONS
) -> list[Path]:
    """Return the folder of each direction's model, after checking every ``model.json``."""
    home = Path(folder)
    if not home.is_dir():
        found = "is a file" if home.exists() else "no such folder"
        raise InputError(found, path=home, expected="the folder of a saved model")
    alone = (home / "model.json").is_file()
    if alone and len(directions) > 1:
        name = DIRECTIONS[read_about(home)["reverse"]]
        above = home.parent
        whole = all((above / direction / "model.json").is_file() for direction in DIRECTIONS)
        raise InputError(
            f"holds only a {name} model",
            path=home,
            expected="the folders forward and reverse",
            todo=f"give {above}, which has both" if whole else _alone(name),
        )
    lacking = (
        [] if alone else [direction for direction in directions if not (home / direction).is_dir()]
    )
    if lacking:
        others = [direction for direction in DIRECTIONS if (home / direction).is_dir()]
        raise InputError(
            f"holds no {lacking[0]} model",
            path=home,
            expected=f"the folder {lacking[0]}",
            todo=_alone(others[0]) if others else "",
        )
    homes = [home if alone else home / direction for direction in directions]
    kinds = []
    for path, direction in zip(homes, directions, strict=True):
        about = read_about(path)
        kinds.append(about["kind"])
        if DIRECTIONS[about["reverse"]] != direction:
            raise InputError(
                f"holds a {DIRECTIONS[about['reverse']]} model",
                path=path,
                expected=f"a {direction} one",
            )
    if len(set(kinds)) > 1:
        named = " and ".join(
            f"{kind} ({direction})" for kind, direction in zip(kinds, directions, strict=True)
        )
        raise InputError(f"holds the models {named}", path=home, expected="two of one kind")
    return homes


def _alone(direction: str) -> str:
    ways = f"`direction={direction!r}`" + (
        f", or the method {ALONE}" * (direction == DIRECTIONS[0])
    )
    return f"align in the direction {direction} ({ways})"


def directions_of(method: str) -> tuple[str, ...]:
    """Return the directions that a method of combining them needs: forward alone, or both."""
    return DIRECTIONS[:1] if method == ALONE else DIRECTIONS


def check_method(method: str) -> None:
    """Raise an InputError if a method is neither known nor ``none``."""
    symmetrization.check_method(method, (ALONE, *METHODS), "symmetrize")
