"""Commands and what they print, replayed from the files in ``transcripts``.

A step is a line ``$ command`` or ``>>> statement``, then what it prints: standard output, standard
error (``2> ``), and an exit status other than 0 (``[2]``). ALIGNFRAME_TRANSCRIPTS=write rewrites
the files. Figures may differ by a millionth, as last digits follow the processor (some are computed
in single precision), and help is shown with one line per option.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import duckdb
import pytest
from helpers.cli import finished
from helpers.pages import page, public

from alignframe.errors import AlignframeError

HERE = Path(__file__).parent
FILES = {path.stem: path.read_text("utf-8") for path in (HERE / "transcripts").glob("*.txt")}
PIECE = re.compile(r"^(?=\$ |>>> )|^(?=# )(?<=\n\n)", re.MULTILINE)
COMMAND = re.compile(r"(>>> .*\n(\.\.\. .*\n)*|\$ (.*\\\n)*.*\n)")
VERSIONED = r'alignframe[ :]|\bv:|sacrebleu:|\bsb:|textblob-|snowball-|creationtoolversion="'
VARIES = {
    r"()^2> compiling kernels for this machine.*\n": "",
    rf"({VERSIONED})\d+\.[\w.]+": "VERSION",
    r"()\b20\d{6}T\d{6}_\d{6}-\w+": "RUN",
    r"()20\d\d-\d\d-\d\d[T ]?\d\d[-:]?\d\d[-:\w.+]*": "TIME",
    r"(Time of alignment, ).*": "MEASURED",
    r'("(?:seconds|cpu|bytes|\w*_mb)": )[\d.]+': "MEASURED",
    r"()[ \t]+$": "",
}
"""What depends on the machine or the day, and what is shown in its place."""
NUMBER = re.compile(r"(-?\d+\.\d+(?:e-?\d+)?)")


def shell(line):
    """Return what a command prints; those of alignframe run in this process."""
    line = line.replace("\\\n", "")
    words = shlex.split(line)
    if words[0] == "alignframe":
        after = line.partition(" | ")[2] if "|" in words else ""
        words = words[: words.index("|")] if after else words
        given = Path(words[-1]).read_bytes() if "<" in words else b""
        words = words[: words.index("<")] if "<" in words else words
        status, out, said = finished(*words[1:], given=given)
        if "--json" in words:
            out = re.sub(r"\{[^{}]*\}", lambda row: re.sub(r"\s*\n\s*", " ", row[0]), out)
        if after:
            done = subprocess.run(after, shell=True, input=out, capture_output=True, text=True)
            out = done.stdout + done.stderr
    else:
        done = subprocess.run(line, shell=True, capture_output=True, text=True)
        status, out, said = done.returncode, done.stdout, done.stderr
    if out.startswith("Usage: "):
        out = re.sub(r"(-?)\n {6,}", lambda broken: broken[1] or " ", out)
        out = re.sub(r"(?<=\S) {2,}", "  ", out)
    said = "".join(f"2> {line}\n" for line in said.splitlines())
    return out.rstrip("\n") + "\n" * bool(out) + said + f"[{status}]\n" * bool(status)


def python(statement, names):
    """Return the value of a statement, its warnings and its error."""
    shown, show = [], lambda value: shown.append(value) if value is not None else None
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        patch.setattr(sys, "displayhook", show)
        try:
            exec(compile(statement.replace("\n... ", "\n"), "step", "single"), names)
        except (AlignframeError, duckdb.Error, TypeError) as error:
            shown.append(f"{type(error).__name__}: {error}")
    shown += [f"{one.category.__name__}: {one.message}" for one in said]
    return "".join(f"{one}\n" for one in shown)


def same(found, expected):
    """Return whether two texts are the same but for the last digits of their figures."""
    pairs = [NUMBER.split(text) for text in (found, expected)]
    if [piece[::2] for piece in pairs[:1]] != [piece[::2] for piece in pairs[1:]]:
        return False
    given, wanted = (list(map(float, piece[1::2])) for piece in pairs)
    return given == pytest.approx(wanted, rel=1e-6, abs=1e-12)


def replayed(piece, names):
    """Return a step with what it prints now, or as it stands if that is the same."""
    command = COMMAND.match(piece)
    if not command:
        return piece
    sign, _, line = command[0].rstrip().partition(" ")
    found = shell(line) if sign == "$" else python(line, names)
    found = found.replace(f"{Path.cwd()}/", "")
    for pattern, name in VARIES.items():
        found = re.sub(pattern, rf"\1{name}", found, flags=re.MULTILINE)
    found = found.rstrip("\n")
    if same(found, piece[command.end() :].rstrip("\n")):
        return piece
    return command[0] + found + "\n\n"[not found :]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.needs("corpora")] * ("corpora/" in text))
        for name, text in sorted(FILES.items())
    ],
)
def test_transcript(name, tmp_path, monkeypatch, request):
    for folder in ("en-fr", "island", "mill"):
        shutil.copytree(HERE.parent / "datasets" / folder, tmp_path / folder)
    if "corpora/" in FILES[name]:
        (tmp_path / "corpora").symlink_to(request.getfixturevalue("corpora"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    names = {"page": page, "public": public}
    found = "".join(replayed(piece, names) for piece in PIECE.split(FILES[name]))
    if os.environ.get("ALIGNFRAME_TRANSCRIPTS") == "write":
        (HERE / "transcripts" / f"{name}.txt").write_text(found, "utf-8")
        return
    assert found == FILES[name]
