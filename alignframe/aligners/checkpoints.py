"""Checkpoints of samplers in a folder, from which interrupted training resumes."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Sequence
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile

import numpy as np

from alignframe.core.arrays import I64, Array
from alignframe.core.lazy import __version__
from alignframe.core.output import make_folder, replacing
from alignframe.errors import InputError
from alignframe.kernels.aligners.gibbs import Counts
from alignframe.kernels.aligners.slots import Slots
from alignframe.kernels.cells import Pairing
from alignframe.typing import TrainingProgress


class Run(NamedTuple):
    """The result of a sampler for one direction: counts, probable positions, and progress."""

    counts: Counts
    jumps: I64
    slots: Slots
    history: list[tuple[str, int, float]]

    def tell(self, progress: TrainingProgress | None) -> None:
        """Report its progress."""
        if progress is not None:
            for said in self.history:
                progress(*said)


def folder(
    given: str, pairings: Sequence[Pairing], starts: Sequence[Counts], settings: object
) -> Path:
    """Return the folder of the checkpoints for a text and all options that samplers depend on."""
    if not isinstance(given, (str, PathLike)):
        raise InputError(f"the checkpoints {given!r}", expected="a folder")
    # The version is included, because samplers may change with it.
    digest = sha256(f"{__version__} {settings}".encode())
    for pairing, start in zip(pairings, starts, strict=True):
        for array in (pairing.src_at, pairing.src, pairing.tgt_at, pairing.tgt, *start):
            digest.update(np.ascontiguousarray(array).data)
    home = Path(given) / digest.hexdigest()[:16]
    make_folder(home)
    return home


def resumed(
    home: Path,
    run: Callable[[tuple[int, int]], list[Run]],
    progress: Sequence[TrainingProgress | None],
    seed: tuple[int, int],
) -> list[Run]:
    """Return a sampler's saved result, or run it and save its result."""
    path = home / f"seed{seed[0]}-sampler{seed[1] + 1}.npz"
    if not path.is_file():
        runs = run(seed)
        arrays: dict[str, Array] = {}
        for k, sampled in enumerate(runs):
            named = {**sampled.counts._asdict(), **sampled.slots._asdict(), "jumps": sampled.jumps}
            arrays |= {f"{name}{k}": array for name, array in named.items()}
            arrays[f"history{k}"] = np.array(json.dumps(sampled.history))
        with replacing(path, at_once=True) as out:
            np.savez(out, allow_pickle=False, **arrays)
        return runs
    try:
        runs = _kept(path, len(progress))
    except (OSError, ValueError, EOFError, KeyError, BadZipFile, zlib.error) as error:
        raise InputError(
            f"the checkpoint cannot be read ({error})",
            path=path,
            todo="delete it to run its sampler again",
        ) from None
    for sampled, told in zip(runs, progress, strict=True):
        sampled.tell(told)
    return runs


def _kept(path: Path, directions: int) -> list[Run]:
    """Read the saved result of a sampler."""
    runs = []
    with path.open("rb") as file, np.load(file) as kept:
        for k in range(directions):
            steps = json.loads(str(kept[f"history{k}"]))
            history = [(stage, sweep, p) for stage, sweep, p in steps]
            counts = Counts(*(kept[f"{name}{k}"] for name in Counts._fields))
            places = Slots(*(kept[f"{name}{k}"] for name in Slots._fields))
            runs.append(Run(counts, kept[f"jumps{k}"], places, history))
    return runs
