"""Builds the documentation as a site that needs no network, in build/site; run by ``make docs``.

The site has README.md and the pages that its section *Documentation* lists, notebooks among them.
A link to a file or a heading that does not exist is a fault, as is a page that is not listed.
"""

import html
import json
import re
import shutil
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from string import Template
from typing import Any

from markdown_it import MarkdownIt
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

ROOT = Path(__file__).resolve().parent.parent
ASSETS = Path(__file__).parent / "site"
TARGET = ROOT / "build" / "site"
PICTURES = (".png", ".svg", ".webp")
LINK = re.compile(r'(?<= )(href|src)="([^"]*)"')
TABLES = {  # which can be scrolled, also by keyboard
    "<table>": '<div class="table" tabindex="0"><table>',
    "</table>": "</table></div>",
    "<th></th>": "<td></td>",
}


class Page:
    """A page of Markdown, or a notebook; ``sections`` has the text of each heading by anchor."""

    def __init__(self, path: Path) -> None:
        text = path.read_text("utf-8")
        tokens = MARKDOWN.parse(text if path.suffix == ".md" else in_markdown(json.loads(text)))
        self.path, self.sections = path, dict[str, list[str]]()
        self.name = "index.html" if path.stem == "README" else f"{path.stem.lower()}.html"
        parts, names = list[str](), list[str]()
        for before, token in pairwise(tokens):
            if before.type == "heading_open":
                # As GitHub names headings; of several that are the same, the second ends with -1.
                name = re.sub(r"[^\w\- ]", "", spoken(token).lower()).replace(" ", "-")
                anchor = f"{name}-{names.count(name)}" if name in names else name
                names.append(name)
                before.attrSet("id", anchor)
                parts = self.sections[anchor] = []
            parts.append(spoken(token))
        self.title = next(iter(self.sections.values()))[0]
        self.html = MARKDOWN.renderer.render(tokens, MARKDOWN.options, {})


def spoken(token: Any) -> str:
    """Return the text of a token, without marks and addresses."""
    inner = "".join(one.content or " " for one in token.children or ())
    return inner or str(token.content)


def in_markdown(notebook: Any) -> str:
    """Return the cells of a notebook as Markdown, with the outputs that it holds."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        for output in cell.get("outputs", ()):
            held = output.get("data", output)
            text = "".join(held.get("text/plain", held.get("text", "")))
            image = held.get("image/png", "").replace("\n", "")
            picture = f"![The chart of the cell above](data:image/png;base64,{image})"
            parts.append(picture if image else f"```text\n{text}\n```")
    return "\n\n".join(parts)


def highlighted(code: str, language: str, _: str) -> str:
    """Return code as HTML with classes; commands and sessions are known by how they begin."""
    names = {"$ ": "console", ">>> ": "pycon", "alignframe ": "bash", "%": "python"}
    begun = (name for start, name in names.items() if code.startswith(start))
    lexer = get_lexer_by_name(next(begun, language.removeprefix("i") or "text"))
    return str(highlight(code, lexer, HtmlFormatter(nowrap=True)))


MARKDOWN = MarkdownIt("commonmark", {"highlight": highlighted}).enable("table")


def linked(page: Page, pages: dict[Path, Page], root: Path, faults: list[str]) -> str:
    """Return the HTML of a page with the links of the site; add to faults what is wrong."""

    def link(found: re.Match[str]) -> str:
        kind, target = found.groups()
        file, _, anchor = html.unescape(target).partition("#")
        path = (page.path.parent / file).resolve() if file else page.path
        if re.match(r"\w+:", target):
            return found[0]
        if not path.exists() or (anchor and anchor not in getattr(pages.get(path), "sections", ())):
            faults.append(f"{page.path.relative_to(root)}: {target} does not exist")
        if path in pages:
            return f'{kind}="{pages[path].name}{"#" * bool(anchor)}{anchor}"'
        if path.suffix in PICTURES:
            return f'{kind}="{path.relative_to(root / "docs").as_posix()}"'
        return f'title="{path.relative_to(root)}, in the project"'

    return re.sub("|".join(TABLES), lambda found: TABLES[found[0]], LINK.sub(link, page.html))


def listed(readme: Page) -> Iterator[tuple[str, Path | None]]:
    """Yield the headings, and the paths of pages, of the section of README that lists them."""
    part = readme.html.partition('id="documentation"')[2]
    for heading, target in re.findall(r'<h3[^>]*>(.*?)</h3>|href="([\w./-]+\.(?:md|ipynb))"', part):
        yield heading, (readme.path.parent / target).resolve() if target else None


def site(root: Path = ROOT) -> tuple[dict[str, str], list[str]]:
    """Return the files of the site by name, its search index among them, and faults of links."""
    readme = Page(root / "README.md")
    entries = [("", readme.path), *listed(readme)]
    paths = [path for _, path in entries if path and path.is_file()]
    pages = {path: Page(path) for path in paths}
    every = {*(root / "docs").rglob("*.md"), *(root / "docs").rglob("*.ipynb")}
    faults = [f"README.md does not list {path.relative_to(root)}" for path in every - {*paths}]
    template = Template((ASSETS / "page.html").read_text("utf-8"))
    made, index = {}, []
    for page in pages.values():
        contents = "".join(
            entry(pages[path], page) if path in pages else f"<h2>{heading}</h2>"
            for heading, path in entries
        )
        main = linked(page, pages, root, faults)
        made[page.name] = template.substitute(
            title=html.escape(page.title), contents=contents, main=main
        )
        for anchor, (title, *text) in page.sections.items():
            index.append([page.name, anchor, page.title, title, " ".join(text)])
    made["search_index.js"] = f"window.SECTIONS = {json.dumps(index, ensure_ascii=False)};"
    return made, sorted(faults)


def entry(page: Page, shown: Page) -> str:
    """Return the link to a page in the list of contents, for the page shown with its sections."""
    name = f'<a href="{page.name}"%s>{html.escape(page.title)}</a>'
    if page is not shown:
        return name % ""
    inner = re.findall(r'<h2 id="([^"]*)">(.*?)</h2>', page.html)
    below = "".join(f'<a href="#{at}">{re.sub("</?a[^>]*>", "", said)}</a>' for at, said in inner)
    return name % ' aria-current="page"' + f"<div>{below}</div>"


def main() -> None:
    """Write the site, unless there are faults."""
    made, faults = site()
    if faults:
        sys.exit("\n".join(faults))
    shutil.rmtree(TARGET, ignore_errors=True)
    shutil.copytree(ROOT / "docs" / "images", TARGET / "images")
    for name, text in made.items():
        (TARGET / name).write_text(text, "utf-8")
    for asset in ("site.css", "site.js"):
        shutil.copy(ASSETS / asset, TARGET)
    print(f"{len(made) - 1} pages written to {TARGET}; open {TARGET}/index.html")


if __name__ == "__main__":
    main()
