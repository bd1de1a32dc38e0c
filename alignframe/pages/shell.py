"""Shared by all pages: templates, style and script, and checking of paths."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import Any

from alignframe.core.output import file_name, replacing, together
from alignframe.core.signatures import LONG, printed
from alignframe.core.suffixes import HTML
from alignframe.errors import InputError, MissingExtraError
from alignframe.pages.sentences import beside
from alignframe.typing import FilePath

MAX_MB = 20.0
"""A larger page has its data beside it."""


def rendered(template: str, page: object, **given: Any) -> str:
    """Render a template of this folder for a page."""
    jinja2 = _jinja2()
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
    )
    every = getattr(page, "signature", "").split(" alignframe:")
    whole = "\n".join([every[0], *(f"alignframe:{one}" for one in every[1:])])
    form = "short" if any(len(one) > LONG for one in whole.split("\n")) else "long"
    given |= {"whole": whole, "signature": printed(whole, form)}
    return str(environment.get_template(template).render(page=page, **given))


def page_path(path: str | PathLike[str]) -> Path:
    """Return the path of a page, after checking that it can be written."""
    target = Path(path)
    HTML.chosen(target)
    if not target.parent.is_dir():
        raise InputError("its folder does not exist", path=target)
    return target


def write_page(path: str | PathLike[str], html: str) -> Path:
    """Write a page, completely or not at all; return its path."""
    target = page_path(path)
    with replacing(target) as out:
        out.write(html.encode())
    return target


def write_whole(
    path: FilePath, html: Callable[[str], str], others: Mapping[str, str], max_mb: float
) -> list[Path]:
    """Write a page with all its data, or with ``others`` in a folder beside it if above ``max_mb``.

    ``html`` returns the page, with links to a folder if it gets its name. Return the page, and the
    folder if there is one.
    """
    target = page_path(path)
    whole = html("")
    if len(whole.encode()) <= max_mb * 1e6 or not others:
        return [write_page(target, whole)]
    folder = target.with_name(file_name(target.stem, "_files"))
    with together():
        beside(folder, others)
        write_page(target, html(folder.name))
    # A former page may have had more data.
    for old in folder.glob("*.js"):
        if old.stem not in others:
            old.unlink()
    return [target, folder]


def _jinja2() -> ModuleType:
    try:
        import jinja2
    except ImportError:
        raise MissingExtraError("jinja2", "report", "a report") from None
    return jinja2
