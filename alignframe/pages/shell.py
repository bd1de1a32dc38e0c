"""Shared by all pages: templates, style and script, and checking of paths."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import Any

from alignframe.core.output import replacing
from alignframe.core.signatures import printed
from alignframe.core.suffixes import HTML
from alignframe.errors import InputError, MissingExtraError


def rendered(template: str, page: object, **given: Any) -> str:
    """Render a template of this folder for a page."""
    jinja2 = _jinja2()
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
    )
    signature = printed(getattr(page, "signature", ""))
    return str(environment.get_template(template).render(page=page, signature=signature, **given))


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


def _jinja2() -> ModuleType:
    try:
        import jinja2
    except ImportError:
        raise MissingExtraError("jinja2", "report", "a report") from None
    return jinja2
