"""Tables as LaTeX and Markdown."""

import re

import pytest
from helpers.cli import run
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from alignframe.cli import commands
from alignframe.cli.cells import Spanned, with_interval
from alignframe.cli.markup import latex, latex_text, markdown
from alignframe.cli.parse import Command

GOLD = ("links", "score", "--gold", "datasets/en-fr/gold.talp")
HYP = ("--hyp", "the_eager&co=datasets/en-fr/eager.talp")

# Besides letters, characters special to LaTeX or Markdown, often.
texts = st.text(
    st.one_of(st.sampled_from("\\&%$#_{}~^|<>*[]`-\n\t '\""), st.characters(codec="utf-8"))
)
tables = st.integers(1, 4).flatmap(
    lambda width: st.tuples(
        st.lists(texts, min_size=width, max_size=width),
        st.lists(st.lists(texts, min_size=width, max_size=width), max_size=3),
        st.lists(st.booleans(), min_size=width, max_size=width),
    )
)
CONTROLS = dict.fromkeys((*range(32), *range(127, 160), 8232, 8233), " ")
PRINTED = {
    "textbackslash": "\\",
    "textasciitilde": "~",
    "textasciicircum": "^",
    "textless": "<",
    "textgreater": ">",
    "textbar": "|",
}


def flat(text):
    """Return the text that a cell can keep: without controls and surrounding whitespace."""
    return text.translate(CONTROLS).strip()


def json_of(text):
    """Return the text that LaTeX prints; special characters must be escaped."""
    out, at = [], 0
    while at < len(text):
        word = re.compile(r"\\(text[a-z]+)\{\}|\\([&%$#_{}])|\{\}|(\$-\$)").match(text, at)
        if word:
            out.append(PRINTED[word[1]] if word[1] else word[2] or ("-" if word[3] else ""))
            at = word.end()
            continue
        assert text[at] not in "\\&%$#_{}~^<>|"
        assert not text.startswith("--", at)
        out.append(text[at])
        at += 1
    return "".join(out)


@given(tables, texts, texts)
def test_latex_prints_every_text_unchanged(table, title, note):
    names, rows, right = table
    lines = latex(names, rows, right, title, note).split("\n")
    start = next(at for at, line in enumerate(lines) if not line.startswith("%"))
    end = lines.index(r"\end{tabular}")
    assert lines[start] == f"\\begin{{tabular}}{{{''.join('r' if at else 'l' for at in right)}}}"
    assert all(line.startswith("%") for line in lines[end + 1 :])
    inside = [line for line in lines[start + 1 : end] if not line.endswith("rule")]
    for line, cells in zip(inside, [names, *rows], strict=True):
        assert line.endswith(r" \\")
        assert not line.startswith(("[", "*"))  # the line before ends in \\, which takes both
        found = re.split(r"(?<!\\) & |(?<!\\)& ", line.removesuffix(r" \\"))
        assert len(found) == len(names)
        assert [json_of(cell).strip() for cell in found] == [flat(cell) for cell in cells]


@example((["__0__", "_a_", "a__b"], [], [False] * 3))
@given(tables)
def test_markdown_shows_every_text_unchanged(table):
    names, rows, right = table
    source = markdown(names, rows, right, "", "")
    tokens = MarkdownIt("commonmark").enable("table").parse(source)
    heads = [token for token in tokens if token.type == "th_open"]
    assert ["right" in str(token.attrs) for token in heads] == right
    shown = [token for token in tokens if token.type == "inline"]
    for token, cell in zip(shown, [cell for row in [names, *rows] for cell in row], strict=True):
        kinds = {child.type for child in token.children}
        assert kinds <= {"text", "text_special"}
        assert "".join(child.content for child in token.children).strip() == flat(cell)


def test_figures_are_right_aligned_next_to_their_intervals():
    rows = [["a", Spanned("0.5000", ".400", ".600")], ["b", "-0.2500"]]
    source = latex(["system", "f"], rows, [False, True], "", "")
    assert r"a & 0.5000 {\footnotesize .400--.600} \\" in source
    assert r"b & $-$0.2500 \\" in source
    spanned = Spanned("-0.1000", "-.200", ".010")
    assert str(spanned) == "-0.1000\n-.200 to .010"
    assert r"$-$0.1000 {\footnotesize $-$.200 to .010} \\" in latex(
        ["d"], [[spanned]], [True], "", ""
    )
    assert "| -0.1000 (-.200 to .010) |" in markdown(["d"], [[spanned]], [True], "", "")


@given(st.floats(-1, 1), st.floats(0, 0.01), st.floats(0, 0.01), st.sampled_from(["", "+"]))
def test_rounded_intervals_contain_their_figure(value, below, above, sign):
    shown = with_interval(value, (value - below, value + above), sign)
    assert float(shown.low) <= float(shown.figure) <= float(shown.high)


def test_figures_and_their_intervals_are_rounded():
    assert with_interval(0.5, (0.4, 1.0)) == Spanned("0.5000", ".400", "1.000")
    assert with_interval(0.5, (-0.1, 0.6), "+") == Spanned("+0.5000", "-.100", "+.600")
    assert with_interval(0.95042, (0.95031, 0.95044)) == Spanned("0.9504", ".9503", ".9504")
    assert with_interval(20.5, (10.25, 30.0)) == Spanned("20.5000", "10.250", "30.000")
    assert with_interval(0.5, None) == 0.5


def test_hyphens_are_not_ligated():
    assert latex_text("---") == "-{}-{}-"


@pytest.mark.parametrize("format", ["latex", "markdown"])
def test_a_command_prints_a_complete_table(format, request):
    out, _ = run(*GOLD, *HYP, "--format", format, folder=request.config.rootpath)
    assert "alignframe:0.1.0" in out
    assert {"latex": r"the\_eager\&co & 1,282 &", "markdown": r"| the_eager\&co |"}[format] in out
    assert "─" not in out


@pytest.mark.parametrize("format", ["text", "latex", "markdown"])
def test_a_table_without_rows(format):
    out, said = run("sql", "select 1 as a where false", "--format", format)
    assert (out, said) == ("", "no rows\n")


def test_json_is_one_of_the_formats(request):
    folder = request.config.rootpath
    assert run(*GOLD, *HYP, "--format", "json", folder=folder) == run(
        *GOLD, *HYP, "--json", folder=folder
    )
    _, said = run(*GOLD, *HYP, "--json", "--format", "latex", code=2, folder=folder)
    assert "--json" in said


MESSAGES = {
    *("align", "convert", "dashboard", "warmup", "words", "model merge", "model priors"),
    *("links symmetrize", "links retokenize"),
    *("beads align", "beads noise"),
    *("tesla words", "tesla pivot-table", "tesla tags"),
    *("mt train", "mt translate"),
}
"""Commands that report what they have done, without printing a table."""


def test_format_means_the_same_in_every_command():
    every = {op.name: Command(op) for op in commands.every()}
    assert len(every) > 40
    for name, command in every.items():
        options = {option for one in command.params for option in one.opts}
        wanted = "--json" in options and name not in MESSAGES and not name.startswith("report")
        assert ("--format" in options) == wanted, name
