"""Texts of files that are known to hold more than sentences: cues of subtitles, segments, lines."""

from __future__ import annotations

import re

_TAGS = re.compile(r"</?[a-zA-Z][^<>\n]*>|\{\\[^{}\n]*\}|\{[A-Za-z]:[^{}\n]*\}")
_TIMES = re.compile(r"^[^\n]*\d:\d\d[.,]\d+ *(-->|,) *(\d+:)?\d+:\d\d[.,]\d+[^\n]*$", re.MULTILINE)
_SPACES = re.compile(r"\s+")
_FRAMES = re.compile(r"^[{\[]\d+[}\]][{\[]\d*[}\]](.*)$", re.MULTILINE)
_DIALOGUE = re.compile(r"^Dialogue: *(?:[^,\n]*,){9}(.*)$", re.MULTILINE)
_SEGMENT = re.compile(r"<seg\b[^<>]*>", re.IGNORECASE)
_SEGMENT_END = re.compile(r"</seg>", re.IGNORECASE)


def timed(text: str) -> list[str]:
    """Return the cues of SRT, WebVTT or SBV, each in one line."""
    cues = []
    for block in re.split(r"\n[ \t]*\n+", text.strip("\ufeff\n")):
        time = _TIMES.search(block)
        if time is not None:
            cues.append(_plain(block[time.end() :]))
    return cues


def dialogue(text: str) -> list[str]:
    """Return the cues of ASS and SSA, in the order of the file."""
    return [_plain(re.sub(r"\\[Nnh]", " ", line)) for line in _DIALOGUE.findall(text)]


def framed(text: str) -> list[str]:
    """Return the cues of MicroDVD and MPL2, without the number of frames a second."""
    cues = [_plain(re.sub(r"(^|\|)/?", " ", line)) for line in _FRAMES.findall(text)]
    return cues[1:] if cues and re.fullmatch(r"\d+([.,]\d+)?", cues[0]) else cues


def without_markup(text: str) -> list[str]:
    """Return the lines of Europarl that are not markup."""
    lines = text.strip("\n").split("\n")
    return [line.strip() for line in lines if not line.lstrip().startswith("<")]


def segments(text: str) -> list[str]:
    """Return the segments of SGML, as of shared tasks."""
    from html import unescape

    parts = [_SEGMENT_END.split(part, maxsplit=1) for part in _SEGMENT.split(text)[1:]]
    return [_plain(unescape(part[0])) for part in parts if len(part) > 1]


def _plain(cue: str) -> str:
    return _SPACES.sub(" ", _TAGS.sub("", cue)).strip()
