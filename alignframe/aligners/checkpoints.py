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

from alignframe.aligners.kept import Free, Kept
from alignframe.aligners.starts import Start
from alignframe.core.arrays import F32, F64, I32, I64, Array
from alignframe.core.lazy import __version__
from alignframe.core.output import make_folder, replacing
from alignframe.errors import InputError
from alignframe.kernels.aligners.link_rows import Sides
from alignframe.kernels.aligners.slots import Packed, pack, unpack
from alignframe.typing import TrainingProgress


class Run(NamedTuple):
    """The result of a sampler for one direction: counts, probable positions, and progress."""

    counts: Found
    jumps: I64
    slots: Kept
    history: list[tuple[str, int, float]]

    def tell(self, progress: TrainingProgress | None) -> None:
        """Report its progress."""
        if progress is not None:
            for said in self.history:
                progress(*said)


class Found(NamedTuple):
    """Counts of links, and with their pseudo-counts those of fertilities; see ``Counts``."""

    src: I32
    tgt: I32
    pairs: F32
    nulls: F32
    totals: F64
    fertilities: F32


def folder(given: str, texts: Sequence[Sides], starts: Sequence[Start], settings: object) -> Path:
    """Return the folder of the checkpoints for a text and all options that samplers depend on."""
    if not isinstance(given, (str, PathLike)):
        raise InputError(f"the checkpoints {given!r}", expected="a folder")
    # The version is included, because samplers may change with it.
    digest = sha256(f"{__version__} {settings}".encode())
    for sides, (pairs, *others, known) in zip(texts, starts, strict=True):
        for array in (*sides, *pairs, *others, *known):
            digest.update(np.ascontiguousarray(array).data)
    home = Path(given) / digest.hexdigest()[:16]
    make_folder(home)
    return home


def resumed(
    home: Path,
    run: Callable[[tuple[int, int]], list[Run]],
    progress: Sequence[TrainingProgress | None],
    free: Free,
    seed: tuple[int, int],
) -> list[Run]:
    """Return a sampler's saved result, or run it and save its result."""
    path = home / f"seed{seed[0]}-sampler{seed[1] + 1}.npz"
    if not path.is_file():
        runs = run(seed)
        arrays: dict[str, Array] = {}
        for k, sampled in enumerate(runs):
            named = {**sampled.counts._asdict(), "jumps": sampled.jumps}
            for n, slots in enumerate(sampled.slots):
                named |= {f"{name}-{n}-": array for name, array in pack(slots)._asdict().items()}
            arrays |= {f"{name}{k}": array for name, array in named.items()}
            arrays[f"history{k}"] = np.array(json.dumps(sampled.history))
        with replacing(path, at_once=True) as out:
            np.savez(out, allow_pickle=False, **arrays)
        return runs
    try:
        runs = _kept(path, free(seed))
    except (OSError, ValueError, EOFError, KeyError, BadZipFile, zlib.error) as error:
        raise InputError(
            f"the checkpoint cannot be read ({error})",
            path=path,
            todo="delete it to run its sampler again",
        ) from None
    for sampled, told in zip(runs, progress, strict=True):
        sampled.tell(told)
    return runs


def _kept(path: Path, slots: list[Kept]) -> list[Run]:
    """Read the saved result of a sampler, its probable positions into free slots."""
    runs = []
    with path.open("rb") as file, np.load(file) as kept:
        for k in range(len(slots)):
            steps = json.loads(str(kept[f"history{k}"]))
            history = [(stage, sweep, p) for stage, sweep, p in steps]
            counts = Found(*(kept[f"{name}{k}"] for name in Found._fields))
            own = slots[k]
            for n in range(len(own.spans)):
                packed = Packed(*(kept[f"{name}-{n}-{k}"] for name in Packed._fields))
                own.keep(n, unpack(packed))
            runs.append(Run(counts, kept[f"jumps{k}"], own, history))
    return runs
