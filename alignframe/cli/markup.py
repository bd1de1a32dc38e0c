"""Tables as LaTeX and Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from alignframe.cli.cells import Marked, Spanned

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}
_LATEX_SPECIAL = re.compile(r"[\\~^<>|&%$#_{}]|(?<=-)-")  # two hyphens would become a dash
# An underscore within a word, as in f_0.5, needs no escape.
_MARKDOWN_SPECIAL = re.compile(r"[\\|`*<>&~\[\]$]|(?<![^\W_])_|_(?![^\W_])")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


Cells = Sequence[str | Spanned | Marked]


def latex(names: Cells, rows: Sequence[Cells], right: Sequence[bool], title: str, note: str) -> str:
    """Return a booktabs tabular, with title and note as comments."""

    def line(cells: Sequence[str]) -> str:
        text = " & ".join(cells)
        # After \\ and \midrule, a bracket or a star would be read as an argument.
        return f"{'{}' if text.startswith(('[', '*')) else ''}{text} \\\\"

    body = [
        line([_latex_cell(cell, at) for cell, at in zip(row, right, strict=True)]) for row in rows
    ]
    return "\n".join(
        [
            *_commented(title),
            "% \\usepackage{booktabs}",
            f"\\begin{{tabular}}{{{''.join('r' if at else 'l' for at in right)}}}",
            "\\toprule",
            line([latex_text(str(name)) for name in names]),
            "\\midrule",
            *body,
            "\\bottomrule",
            "\\end{tabular}",
            *_commented(note),
        ]
    )


def latex_text(text: str) -> str:
    """Return a text with LaTeX's special characters escaped."""
    return _LATEX_SPECIAL.sub(lambda sign: _LATEX.get(sign[0], "{}-"), _one_line(text))


def _latex_cell(cell: str | Spanned | Marked, figure: bool) -> str:
    if isinstance(cell, Marked):
        # The interval is neither in bold nor before the star.
        number, *span = _latex_cell(cell.figure, figure).split(" ", 1)
        bold = f"\\textbf{{{number}}}" if cell.bold else number
        return " ".join([f"{bold}$^{{*}}$" if cell.star else bold, *span])
    if isinstance(cell, Spanned):
        ends = cell.span if " " in cell.span else f"{cell.low}--{cell.high}"
        return f"{_signed(cell.figure)} {{\\footnotesize {_signed(ends)}}}"
    return _signed(latex_text(cell)) if figure else latex_text(cell)


def _signed(figures: str) -> str:
    """Replace the hyphen before a number with a minus sign."""
    return re.sub(r"(?<![^ ])-(?=[\d.])", "$-$", figures)


def _commented(text: str) -> list[str]:
    return [f"% {line}".rstrip() for line in text.splitlines()]


def markdown(
    names: Cells, rows: Sequence[Cells], right: Sequence[bool], title: str, note: str
) -> str:
    """Return a GitHub Markdown table, with title and note as paragraphs."""
    cells = [[_markdown_cell(cell) for cell in row] for row in (names, *rows)]
    widths = [max(3, *(len(row[at]) for row in cells)) for at in range(len(names))]
    rule = [
        "-" * (width - 1) + ":" if at else ":" + "-" * (width - 1)
        for width, at in zip(widths, right, strict=True)
    ]
    lines = [
        "| "
        + " | ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for cell, width, at in zip(row, widths, right, strict=True)
        )
        + " |"
        for row in (cells[0], rule, *cells[1:])
    ]
    head = f"**{markdown_text(title)}**" if title else ""
    notes = "\n\n".join(markdown_text(line) for line in note.splitlines() if line)
    return "\n\n".join(part for part in (head, "\n".join(lines), notes) if part)


def markdown_text(text: str) -> str:
    """Return a text with Markdown's special characters escaped."""
    return _MARKDOWN_SPECIAL.sub(r"\\\g<0>", _one_line(text))


def _markdown_cell(cell: str | Spanned | Marked) -> str:
    if isinstance(cell, Marked):
        number, *span = _markdown_cell(cell.figure).split(" ", 1)
        bold = f"**{number}**" if cell.bold else number
        return " ".join([f"{bold}\\*" if cell.star else bold, *span])
    return f"{cell.figure} ({cell.span})" if isinstance(cell, Spanned) else markdown_text(cell)


def _one_line(text: str) -> str:
    """Return a text without line breaks, tabs and other control characters."""
    return _CONTROLS.sub(" ", text)


MARKUPS = {"latex": latex, "markdown": markdown}
"""The formats by their names in ``--format``."""
