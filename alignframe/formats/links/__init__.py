"""Formats of links: each is the object FORMAT of a module in this folder, which bears its name."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from os import PathLike

from alignframe.core.choices import LINK_FORMATS, OTHER_NAMES
from alignframe.core.output import format_by_suffix
from alignframe.errors import check_known
from alignframe.formats.rows import LinkFormat


@cache
def every_format() -> dict[str, LinkFormat]:
    """Return all formats by name."""
    return {name: import_module(f"{__name__}.{name}").FORMAT for name in LINK_FORMATS}


def link_format(name: str) -> LinkFormat:
    """Return a format by name."""
    check_known("format", name, LINK_FORMATS, others=OTHER_NAMES)
    return every_format()[name]


def format_of(path: str | PathLike[str]) -> str:
    """Return the format for an output file's suffix; Pharaoh for a stream or a file without one.

    Raises
    ------
    InputError
        If the suffix belongs to no format.

    Examples
    --------
    >>> from alignframe import formats
    >>> formats.format_of("gold.naacl.gz")
    'naacl'
    """
    suffixes = {name: form.suffixes for name, form in every_format().items()}
    return format_by_suffix(path, suffixes, "links", "pharaoh")
