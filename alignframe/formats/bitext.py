"""Line-parallel text: one sentence a line, words parted by blanks."""

from __future__ import annotations

import re
from os import PathLike, fspath

import pyarrow as pa

from alignframe.errors import InputError
from alignframe.formats.lines import text_lines
from alignframe.tables import BITEXT, TOKENS

_MARKUP = re.compile(r"<s\s+snum=(\d+)>|</s>")


def read_tokens(path: str | PathLike[str], encoding: str = "utf-8") -> list[list[str]]:
    """Return the words of each line; the marks ``<s snum=1> ... </s>`` of WPT are left out."""
    found = []
    for _, words in text_lines(path, encoding):
        if words and words[0] == "<s" and words[-1] == "</s>":
            words = words[2:-1]
        elif words and _MARKUP.match(words[0]):
            words = [word for word in words if not _MARKUP.fullmatch(word)]
        found.append(words)
    return found


def read_bitext(
    src: str | PathLike[str],
    tgt: str | PathLike[str] | None = None,
    encoding: str = "utf-8",
) -> pa.Table:
    """Read two line-parallel files, or one of lines ``source ||| target``.

    Returns
    -------
    pyarrow.Table
        The columns sid, src and tgt.

    Raises
    ------
    InputError
        If the files have different numbers of lines, or are not text of ``encoding``.
    """
    if tgt is None:
        sources, targets = [], []
        for number, words in text_lines(src, encoding):
            if words.count("|||") < 1:
                raise InputError(
                    "a line without '|||'",
                    path=src,
                    line=number,
                    expected="source ||| target",
                    todo="give the target side as a second file",
                )
            at = words.index("|||")
            rest = words[at + 1 :]
            sources.append(words[:at])
            targets.append(rest[: rest.index("|||")] if "|||" in rest else rest)
    else:
        sources, targets = read_tokens(src, encoding), read_tokens(tgt, encoding)
        if len(sources) != len(targets):
            raise InputError(
                f"{fspath(src)} has {len(sources):,} lines, {fspath(tgt)} has {len(targets):,}",
                expected="as many lines on both sides",
            )
    columns = [pa.array(range(len(sources)), pa.int64())]
    columns += [pa.array(side, TOKENS) for side in (sources, targets)]
    return pa.Table.from_arrays(columns, schema=BITEXT)
