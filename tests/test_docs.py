"""The examples of the documentation do what they show."""

import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from helpers_cli import run

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize(
    ("page", "examples"),
    [
        ("links", 10),
        ("phrases", 20),
        ("correlation", 8),
        ("vary", 8),
        ("lexicon", 20),
        ("aligners", 20),
        ("beads", 12),
    ],
)
def test_examples_of_a_page(monkeypatch, page, examples):
    monkeypatch.chdir(ROOT)
    monkeypatch.syspath_prepend(ROOT)
    failed, tried = doctest.testfile(
        str(ROOT / "docs" / f"{page}.md"),
        module_relative=False,
        optionflags=doctest.NORMALIZE_WHITESPACE,
        encoding="utf-8",
    )
    assert tried > examples
    assert failed == 0


def test_commands_on_alignments_of_varying_quality(tmp_path):
    page = ROOT / "docs" / "vary.md"
    (tmp_path / "datasets").symlink_to(ROOT / "datasets")
    (block,) = re.findall(r"```\n(\$ .*?)```", page.read_text("utf-8"), re.DOTALL)
    commands = re.findall(r"^\$ (.*)\n", block.replace("\\\n", ""), re.MULTILINE)
    script = f'alignframe() {{ {shlex.quote(sys.executable)} -m alignframe "$@"; }}\n'
    done = subprocess.run(
        ["sh", "-ec", script + "\n".join(commands)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    shown = block[block.index("Means over") :]
    printed = [line.rstrip() for line in (done.stdout + done.stderr).splitlines()]
    assert [p for p in printed if p] == [w for w in shown.splitlines() if w]


def test_tour_of_the_readme(tmp_path):
    """Every command prints what the README shows; every Python block runs."""
    (tmp_path / "datasets").symlink_to(ROOT / "datasets")
    text = (ROOT / "README.md").read_text("utf-8")
    tried = 0
    for block in re.findall(r"```\n(\$ .*?)```", text, re.DOTALL):
        joined = block.replace("\\\n", "")
        for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", joined, re.MULTILINE):
            output = "".join(run(*shlex.split(command)[1:], folder=tmp_path))
            printed = [line.rstrip() for line in output.splitlines()]
            wanted = [line.rstrip() for line in shown.splitlines()]
            assert [p for p in printed if p] == [w for w in wanted if w], command
            tried += 1
    assert tried >= 6
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        done = subprocess.run(
            [sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert "cautious" in done.stdout
