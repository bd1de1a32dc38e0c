"""Formats of links: each is the object FORMAT of a module in this folder, which bears its name."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from os import PathLike, fspath
from pathlib import Path

from alignframe.choices import COMPRESSED, LINK_FORMATS
from alignframe.errors import InputError, unknown
from alignframe.formats.rows import LinkFormat


@cache
def every_format() -> dict[str, LinkFormat]:
    """Return all formats by name."""
    return {name: import_module(f"{__name__}.{name}").FORMAT for name in LINK_FORMATS}


def link_format(name: str) -> LinkFormat:
    """Return a format by name."""
    if name not in LINK_FORMATS:
        raise unknown("format", name, LINK_FORMATS)
    return every_format()[name]


def unpacked_name(path: str | PathLike[str]) -> str:
    """Return the name of a file in lower case, without the suffix of compression."""
    name = Path(fspath(path)).name.lower()
    return name.removesuffix(next((one for one in COMPRESSED if name.endswith(one)), ""))


def format_of(path: str | PathLike[str]) -> str:
    """Return the format for an output file's suffix; Pharaoh for a stream or a file without one.

    Raises
    ------
    InputError
        If the suffix belongs to no format.
    """
    name = unpacked_name(path)
    for kind, form in every_format().items():
        if name.endswith(form.suffixes):
            return kind
    if Path(name).suffix in ("", "."):
        return "pharaoh"
    known = ", ".join(suffix for form in every_format().values() for suffix in form.suffixes)
    raise InputError(
        f"the suffix {Path(name).suffix!r}, which belongs to no format of links",
        path=path,
        expected=known,
        todo=f"name the format: {', '.join(LINK_FORMATS)} (--to, in Python format=)",
    )
