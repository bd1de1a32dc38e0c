"""The gallery, the notebooks and the site of the documentation."""

import ast
import contextlib
import io
import json
import shlex

import polars as pl
import pytest
from test_docs import ROOT

from alignframe.cli.app import Group
from alignframe.cli.commands import every
from docs import build, gallery

GALLERY = (ROOT / "docs" / "gallery.md").read_text("utf-8")
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def test_commands_of_the_gallery_are_complete():
    """Each can be run, as far as its options go, and each command that makes a page is there."""
    commands = [
        shlex.split(line)[1:]
        for step in gallery.steps(GALLERY)
        for line in step.replace("\\\n", "").splitlines()
        if line.startswith("alignframe ")
    ]
    for words in commands:
        context, rest = Group(), list(words)
        while isinstance(context, Group):
            name, context, rest = context.resolve_command(context.make_context("", rest[:]), rest)
        assert context.make_context(name, rest)
    makers = [one.name for one in every() if "page" in one.options]
    shown = [" ".join(words) for words in commands if {"--page", "-o"} & {*words}]
    assert len(makers) > 8
    assert [name for name in makers if not any(one.startswith(name) for one in shown)] == []


def test_pictures_of_the_gallery_are_small_and_all_shown():
    home = ROOT / "docs" / "images" / "gallery"
    sizes = {one.relative_to(home).as_posix(): one.stat().st_size for one in home.rglob("*.*")}
    shown = gallery.pictures(GALLERY)
    assert shown.keys() == sizes.keys()
    assert {name: size for name, size in sizes.items() if size > 150_000} == {}
    assert sum(sizes.values()) < 3_000_000
    assert len(gallery.pictures((ROOT / "README.md").read_text("utf-8")).keys() & shown.keys()) == 4


@pytest.mark.filterwarnings("ignore::alignframe.errors.DataWarning")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_cells_show_what_a_notebook_holds(path, monkeypatch):
    """tests/notebooks.py runs them in a kernel, and keeps what they show."""
    monkeypatch.chdir(path.parent)
    names, outputs = {}, 0
    with pl.Config():  # which the cells set
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            if cell["cell_type"] != "code":
                continue
            shown = said_by("".join(cell["source"]), names)
            texts = [
                "".join(one.get("text", [])) or "".join(one["data"]["text/plain"]) + "\n"
                for one in cell["outputs"]
            ]
            assert shown == "".join(texts)
            outputs += len(texts)
    assert outputs > 8


def said_by(source, names):
    """Return what a cell prints, and its last expression."""
    tree = ast.parse(source)
    last = ast.unparse(tree.body.pop()) if isinstance(tree.body[-1], ast.Expr) else "None"
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(tree, "cell", "exec"), names)
        value = eval(last, names)
    return out.getvalue() + f"{value!r}\n" * (value is not None)


def test_all_links_of_the_documentation_lead_somewhere():
    made, faults = build.site()
    assert faults == []
    # Those beside README are listed too; no two have one name.
    assert len(made) == len([*(ROOT / "docs").glob("*.md"), *NOTEBOOKS]) + 4
    assert "http" not in "".join(
        (ROOT / "docs/site").joinpath(name).read_text() for name in ("page.html", "site.js")
    )


def test_broken_links_and_pages_that_are_not_listed_are_faults(tmp_path):
    (tmp_path / "docs").mkdir()
    for name, text in {
        "README.md": "# A\n\n[1](#documentation) [2](#no)\n\n## Documentation\n\n[b](docs/b.md)\n",
        "docs/b.md": "# B\n\n## C & d\n\n## C & d\n\n[1](#c--d-1) [2](../README.md#c) [3](no.md)\n",
        "docs/lost.md": "# Lost\n",
    }.items():
        (tmp_path / name).write_text(text)
    made, faults = build.site(tmp_path)
    assert made.keys() == {"index.html", "b.html", "search_index.js"}
    assert faults == [
        "README.md does not list docs/lost.md",
        "README.md: #no does not exist",
        "docs/b.md: ../README.md#c does not exist",
        "docs/b.md: no.md does not exist",
    ]


def test_search_in_the_site(tmp_path, monkeypatch, chromium):
    """From a file, without a server: words of a heading come first, and lead to it."""
    monkeypatch.setattr(build, "TARGET", tmp_path / "site")
    build.main()
    for width in (390, 1300):
        chromium.size(width)
        chromium.open(tmp_path / "site" / "index.html")
        assert chromium.run("document.documentElement.scrollWidth") <= width
        chromium.press("/", 191)
        chromium.wait("window.SECTIONS")
        chromium.call("Input.insertText", text="which smoothing")
        chromium.wait("document.querySelector('.found li')")
        first = "document.querySelector('.found a')"
        assert chromium.run(f"{first}.textContent").startswith("Studies")
        chromium.press("Enter", 13)
        chromium.wait("location.hash === '#which-smoothing'")
        assert chromium.run("location.pathname").endswith("/studies.html")
        assert chromium.said == []
