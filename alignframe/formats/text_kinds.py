"""What a file of text is, by its beginning: sentences in lines, CoNLL-U, subtitles or markup.

Every reader of sentences asks here before it takes lines for sentences.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from os import fspath
from typing import NamedTuple

from alignframe.core.tokens import number_in
from alignframe.errors import InputError, guessed, in_file
from alignframe.formats import cues
from alignframe.read.lines import SNIFFED, TextFile

_EXPECTED = "one sentence per line"
_TIME = r"(\d+:)?\d+:\d\d[.,]\d+"
_READ = "give it where sentences are read, or make a table: alignframe convert FILE TEXTS.tsv"


class _Kind(NamedTuple):
    """A kind of file: how it begins, without blanks and carriage returns, and a way out.

    ``texts`` returns its sentences, if they can be told from the rest.
    """

    what: str
    begins: re.Pattern[bytes]
    todo: str
    texts: Callable[[str], list[str]] | None = None


def _kind(
    what: str, begins: str, todo: str, texts: Callable[[str], list[str]] | None = None
) -> _Kind:
    return _Kind(what, re.compile(begins.encode(), re.MULTILINE), todo, texts)


_KINDS = (
    _kind(
        "subtitles (SRT or WebVTT)",
        rf"(\d+\n\s*)?{_TIME} *--> *{_TIME}|WEBVTT([ \t][^\n]*)?\n(\n|[\s\S]*?^{_TIME} *-->)",
        _READ,
        cues.timed,
    ),
    _kind(
        "subtitles (SBV or SubViewer)",
        rf"(\[INFORMATION\]$[\s\S]*?^)?{_TIME},{_TIME}$",
        _READ,
        cues.timed,
    ),
    _kind(
        "subtitles (ASS or SSA)",
        r"(;[^\n]*\n)*\[(?i:script info|v4\+? styles|events)\]$[\s\S]*?"
        r"^(ScriptType|Format|Style|Dialogue): ?",
        _READ,
        cues.dialogue,
    ),
    _kind(
        "verses of a Bible (USFM)",
        r"\\(id|ide|usfm|rem|h|toc\d|mt\d?|c|v)\b[\s\S]*?\\[cv] +\d",
        r"""write each verse to a line, after its id: awk '$1 == "\\id" { b = $2 } """
        r"""$1 == "\\c" { c = $2 } $1 == "\\v" { id = b " " c ":" $2; """
        r"""sub(/^\\v +[^ ]+ */, ""); print id "\t" $0 }' FILE > TEXT""",
    ),
    _kind(
        "messages of gettext (PO)",
        r'([ \t]*(#[^\n]*)?\n)*(msgctxt|msgid) "[^\n]*"\n[\s\S]*?^msgstr(\[\d+\])? "',
        "write each message to a line: "
        r"""msgcat --no-wrap FILE | sed -n 's/^msgid "\(.*\)"$/\1/p' """
        "> SRC, and the same of msgstr for TGT",
    ),
    _kind(
        "markup of Europarl",
        r"(?=<(CHAPTER|SPEAKER|P)\b[^\n>]*>$)[\s\S]*?^<(CHAPTER|SPEAKER) ID=[^\n>]*>$",
        _READ,
        cues.without_markup,
    ),
    _kind(
        "SGML with segments",
        r"(<[?!][^>]*>\s*)*<(?i:doc|srcset|refset|tstset|mteval)\b[^>]*>[\s\S]*?<seg id=",
        _READ,
        cues.segments,
    ),
    _kind(
        "a word per line, between marks such as <s>",
        r"(<\w[^>\n]*>\n)*<s\b[^>\n]*>\n[^\n\t<]+(\t[^\n]*)?\n",
        r"""write each sentence to a line: awk -F '\t' '/^<\/s>/ { print t; t = "" } """
        r"""!/^</ { t = t (t == "" ? "" : " ") $1 }' FILE > TEXT""",
    ),
    _kind(
        "a word per line, with its tags",
        r"(?=[\s\S]*[\t ][BI]-\w+\n)(-DOCSTART-[^\n]*\n\n)?"
        r"(\S+([\t ]\S+){1,9}[\t ](O|[BIES]-\w+)\n)+\n",
        "write each sentence to a line: awk -v RS= "
        r"""-F '\n' '{ t = ""; for (k = 1; k <= NF; k++) """
        r"""{ split($k, c, /[ \t]/); t = t (t == "" ? "" : " ") c[1] } print t }' FILE > TEXT""",
    ),
    _kind("a TextGrid of Praat", r'File type = "ooTextFile', "write its texts to lines"),
    _kind("a document in RTF or PDF", r"\{\\rtf\d|%PDF-\d", "save it as plain text"),
)
CONLLU_NAME = re.compile(r"\.conllu?(\.(gz|bz2|zst|lz4))?$", re.IGNORECASE)
_FRAMES = (  # lines that all begin with the numbers of frames, or with times
    _kind(
        "subtitles (MicroDVD)",
        r"\{(\d+)\}\{\d*\}",
        _READ,
        cues.framed,
    ),
    _kind(
        "subtitles (MPL2)",
        r"\[(\d+)\]\[\d*\]",
        _READ,
        cues.framed,
    ),
)
_ROW = re.compile(rb"(0\.1|1(-\d+)?)\t[^\t\n]+(\t[^\t\n]*){4}\t(\d+|_)(\t[^\t\n]*){3}")


def is_conllu(file: TextFile) -> bool:
    """Whether a file is CoNLL-U, by its name or its first row after comments."""
    if CONLLU_NAME.search(fspath(file.path)):
        return True
    lines = _plain(file.head(SNIFFED)).split(b"\n")
    first = next((line for line in lines if line and not line.startswith(b"#")), b"")
    return _ROW.fullmatch(first) is not None


def has_sentences(file: TextFile) -> bool:
    """Whether a file has sentences among other things, which can be told from them."""
    kind = _kind_of(file)
    return is_conllu(file) or (kind is not None and kind.texts is not None)


def refuse_other_kinds(file: TextFile) -> None:
    """Raise an InputError for a file that is known to hold more than sentences, by its content."""
    if (kind := _kind_of(file)) is not None:
        raise _refused(file, kind)


def sentences_within(file: TextFile) -> list[str] | None:
    """Return the sentences of a file that holds more, if they can be told; None for lines.

    What cannot be read is refused.
    """
    kind = _kind_of(file)
    if kind is None:
        return None
    if kind.texts is None:
        raise _refused(file, kind)
    with in_file(file.path):
        plain = file.whole().decode().replace("\ufeff", "").replace("\r\n", "\n")
        texts = kind.texts(plain.replace("\r", "\n"))
        if not texts:
            raise InputError(f"no text in {kind.what}", expected=_EXPECTED)
    guessed(file.path, format=f"{kind.what}, the text of each")
    return texts


def _refused(file: TextFile, kind: _Kind) -> InputError:
    return InputError(f"holds {kind.what}", path=file.path, expected=_EXPECTED, todo=kind.todo)


def _kind_of(file: TextFile) -> _Kind | None:
    head = _plain(file.head(SNIFFED)).lstrip()
    lines = [line for line in head.split(b"\n") if line]
    found = [kind for kind in _KINDS if kind.begins.match(head)]
    found += [kind for kind in _FRAMES if _are_frames(lines, kind.begins)]
    return found[0] if found else None


def _are_frames(lines: list[bytes], begins: re.Pattern[bytes]) -> bool:
    """Whether every whole line begins with numbers, which rise: templates repeat theirs."""
    starts = [begins.match(line) for line in (lines[:-1] if len(lines) > 2 else lines)]
    numbers = [number_in(start[1]) for start in starts if start]
    rise = numbers == sorted(numbers) and numbers[:1] < numbers[-1:]
    return rise and len(numbers) == len(starts)


def _plain(head: bytes) -> bytes:
    """Return a text without marks of byte order, carriage returns and blanks at ends of lines."""
    plain = head.replace("\ufeff".encode(), b"").replace(b"\r", b"")
    return b"\n".join(line.rstrip(b" \t") for line in plain.split(b"\n"))
