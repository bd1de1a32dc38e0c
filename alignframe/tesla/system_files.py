"""Matching files in a folder with systems."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from alignframe.errors import InputError


def possible_names(path: str | PathLike[str]) -> list[str]:
    """Return the possible system names of a file, longest first."""
    # Its name's endings with and without the last suffix: wmt12.cmu.txt, wmt12.cmu, cmu.txt, cmu,
    # txt, because names of systems may have dots.
    parts = Path(path).name.split(".")
    names = []
    for start in range(len(parts)):
        names.append(".".join(parts[start:]))
        if start < len(parts) - 1:
            names.append(".".join(parts[start:-1]))
    return names


def names_in(folder: str | PathLike[str]) -> set[str]:
    """Return all possible system names in a folder."""
    return {name for path in _files(folder) for name in possible_names(path)}


def system_files(folder: str | PathLike[str], systems: Iterable[str]) -> dict[str, Path]:
    """Return the file of each system: of those that end with its name, the closest."""
    wanted = sorted(set(systems))
    fitting: dict[str, list[tuple[int, Path]]] = {name: [] for name in wanted}
    for path in _files(folder):
        for at, name in enumerate(possible_names(path)):
            if name in fitting:
                fitting[name].append((at, path))
                break
    lacking = [name for name in wanted if not fitting[name]]
    if lacking:
        raise InputError(
            f"no file of the ranked systems {', '.join(lacking)}",
            path=folder,
            expected="one file per system, whose name is or ends with the system's",
        )
    file_of = {}
    for name, files in fitting.items():
        best = min(at for at, _ in files)
        mine = [path for at, path in files if at == best]
        if len(mine) > 1:
            raise InputError(
                f"several files of the system {name!r}: {', '.join(p.name for p in mine)}",
                path=folder,
                expected="one per system",
                todo="put the files of each language pair into a separate folder",
            )
        file_of[name] = mine[0]
    return file_of


def _files(folder: str | PathLike[str]) -> list[Path]:
    home = Path(folder)
    if not home.is_dir():
        raise InputError("no such folder", path=home, expected="a folder with one file per system")
    return sorted(path for path in home.iterdir() if path.is_file() and path.name[0] != ".")
