"""A page that lists the pages of a folder."""

from __future__ import annotations

import html
import os
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from urllib.parse import quote

from alignframe.errors import InputError, number_of
from alignframe.pages.shell import MAX_MB, rendered, write_whole

# Title and generator are at the beginning: a page of many megabytes that is not ours is not read
# on.
_HEAD = 1 << 16
_TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)
_LEAD = re.compile(r'<p class="(?:lead|about)">(.+?)</p>', re.DOTALL)
_SENTENCE = re.compile(r"(?<=[.]) (?=\S)")
_SHORT = 330
"""The characters of a lead that are listed, in whole sentences, the first one always."""


@dataclass(frozen=True)
class Listed:
    """A page: title, path, description, address, modification time, and size."""

    title: str
    path: str
    lead: str
    href: str
    written: str
    size: str


@dataclass(frozen=True)
class Index:
    """A page of links to pages, for a path."""

    title: str
    lead: str
    pages: list[Listed]
    path: Path

    def html(self) -> str:
        """Return the page."""
        return rendered("index.html.jinja", self)

    def write(self, path: str | PathLike[str], *, max_mb: float = MAX_MB) -> list[Path]:
        """Write the page."""
        return write_whole(path, lambda _: self.html(), {}, max_mb)


def index_page(
    folder: str | PathLike[str],
    *,
    title: str = "Reports",
    path: str | PathLike[str] | None = None,
) -> Index:
    """List the reports of a folder and of the folders in it; the list does not list itself.

    Parameters
    ----------
    folder
        A folder with reports.
    title
        The title of the page.
    path
        The page to write; ``index.html`` in the folder by default.
    """
    home = Path(folder)
    own = home / "index.html" if path is None else Path(path)
    listed = [
        _listed(path, own)
        for path in sorted(home.rglob("*.html"))
        if path.resolve() != own.resolve() and not any(p.startswith(".") for p in path.parts[1:])
    ]
    pages = [page for page in listed if page is not None]
    if not pages:
        why = "no report there" if home.is_dir() else "no such folder"
        raise InputError(why, path=home, expected="pages made by alignframe")
    return Index(title, f"{number_of(len(pages), 'report')}.", pages, own)


def _first(lead: str) -> str:
    """Return the first sentences of a conclusion."""
    shown, *more = _SENTENCE.split(lead)
    for one in more:
        if len(shown) + len(one) >= _SHORT:
            break
        shown += f" {one}"
    return shown


def _listed(path: Path, own: Path) -> Listed | None:
    """Return the entry of a report; None for other pages."""
    with path.open(encoding="utf-8", errors="replace") as file:
        text = file.read(_HEAD)
    title = _TITLE.search(text)
    if title is None or '<meta name="generator" content="alignframe">' not in text:
        return None
    with path.open(encoding="utf-8", errors="replace") as file:  # the lead comes after scripts
        lead = _LEAD.search(file.read())
    stat = path.stat()
    return Listed(
        html.unescape(title[1]),
        os.path.relpath(path, own.parent),
        _first(html.unescape(lead[1])) if lead else "",
        quote(os.path.relpath(path, own.parent).replace(os.sep, "/")),
        f"{datetime.fromtimestamp(stat.st_mtime, UTC):%Y-%m-%d %H:%M}",
        f"{stat.st_size / 1e6:.1f} MB",
    )
