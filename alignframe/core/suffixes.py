"""What outputs may be: the formats of each kind of output, and the suffixes of their files.

The choice of a format by a suffix, the checks of all roads, their messages and the help of options
follow from what is declared here. None of the modules of formats is imported, so that help is fast.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from alignframe.core.choices import COMPRESSED, JSON_LINES, PAGE, PARQUET, TABLES
from alignframe.errors import InputError

_TEXT = (".txt",)
"""The suffix that any format of text may have."""
_ANY_TEXT = "a suffix of text, such as .txt"
_BINARY = ("parquet",)
_WHOLE = (*_BINARY, "html")
"""Formats that are not compressed as a whole."""


def unpacked_name(path: str | PathLike[str]) -> str:
    """Return the name of a file in lower case, without the suffix of compression."""
    name = Path(path).name.lower()
    return name.removesuffix(next((end for end in COMPRESSED if name.endswith(end)), ""))


def bare_suffix(path: str | PathLike[str]) -> str:
    """Return the suffix of a file in lower case, without that of compression."""
    return Path(unpacked_name(path)).suffix


@dataclass(frozen=True)
class Formats:
    """The formats that an output may have, each with the suffixes of its files.

    A suffix of two formats is the first one's. A stream, or a file without a suffix, has the
    ``default``. Formats are named by users if the output is ``named``, a noun. If it is ``open``, a
    file with an unknown suffix has the default too: its suffix is that of any text.
    """

    suffixes: Mapping[str, tuple[str, ...]]
    default: str = ""
    named: str = ""
    open: bool = False

    def chosen(
        self, path: str | PathLike[str], format: str | None = None, *, strict: bool = False
    ) -> str:
        """Return the format of an output, by default by its suffix; refuse an unknown one.

        In Python, a format that is named goes with any suffix. The shell is ``strict``: it refuses
        the suffix of something else. Formats of text are told apart by their content, so that a
        file of any of them may have the suffix of another, or one that nothing else has.
        """
        name, suffix = unpacked_name(path), bare_suffix(path)
        packed = Path(path).suffix.lower() in COMPRESSED
        kind = format or next(
            (kind for kind, ends in self.suffixes.items() if name.endswith(ends)), ""
        )
        if not kind and (suffix in ("", ".") or (self.open and suffix not in (*TABLES, *PAGE))):
            kind = self.default
        others = {*TABLES, *PAGE}
        if kind in _BINARY:
            others.update(
                _TEXT, *(ends for each in OUTPUTS.values() for ends in each.suffixes.values())
            )
        own = self.suffixes.get(kind, ())
        is_other = (
            (strict or not format) and name.endswith(tuple(others)) and not name.endswith(own)
        )
        if kind and not is_other and not (packed and kind in _WHOLE):
            return kind
        said = "".join(Path(path).suffixes[-1 - packed :])
        for_format = f" for the format {format}" if format else ""
        unknown = bool(self.named and not kind)
        raise InputError(
            f"unknown suffix {suffix!r} for {self.named}"
            if unknown
            else f"the suffix {said!r}{for_format}",
            path=path,
            expected=self.expected(format),
            todo=f"name the format: {', '.join(self.suffixes)} (`format`)" if unknown else "",
        )

    def expected(self, format: str | None = None) -> str:
        """Return the suffixes of all formats, or of one, as errors list them."""
        if format:
            ends = [*self.suffixes[format]]
            return _listed(ends if format in _WHOLE else [*ends, _ANY_TEXT])
        if self.named:
            every = dict.fromkeys(end for ends in self.suffixes.values() for end in ends)
            return ", ".join([*every, *[_ANY_TEXT] * self.open])
        packed = [ends[0] for kind, ends in self.suffixes.items() if ends and kind not in _WHOLE]
        also = f"; {_listed(packed, 'and')} also with {_listed([*COMPRESSED])}"
        return self.said + also * bool(packed)

    @property
    def said(self) -> str:
        """The first suffix of each format, as help lists them."""
        return _listed([*self._first(), *[_ANY_TEXT] * self.open])

    @property
    def by_suffix(self) -> str:
        """The first suffix of each format, with its name if that is another one."""
        return ", ".join(
            end + f" ({kind})" * (end != f".{kind}") for end, kind in self._first().items()
        )

    def suffix_of(self, format: str) -> str:
        """Return the suffix that a format's files are given."""
        return self.suffixes[format][0]

    def _first(self) -> dict[str, str]:
        """Return the first suffix of each format, and the format that it stands for."""
        first: dict[str, str] = {}
        for kind, ends in self.suffixes.items():
            for end in ends[:1]:
                first.setdefault(end, kind)
        return first


def _listed(ends: list[str], last: str = "or") -> str:
    return f" {last} ".join(filter(None, (", ".join(ends[:-1]), *ends[-1:])))


_PARQUET = {"parquet": PARQUET}
TABLE = Formats(_PARQUET | {"csv": (".csv",), "tsv": (".tsv",), "jsonl": JSON_LINES})
"""Tables."""

PAIRS = Formats(
    _PARQUET | {"csv": (".csv",), "tsv": (".tsv",), "jsonl": JSON_LINES, "tmx": (".tmx",)}
)
"""Pairs of sentences, with all that is known of them."""

LINKS = Formats(
    {
        "giza": (".a3", ".a3.final", ".giza"),
        "jsonl": JSON_LINES,
        "moses": (".moses",),
        "naacl": (".naacl", ".nonullalign", ".wa"),
        "numbered": (".numbered",),
        **_PARQUET,
        "pharaoh": (".talp", ".pharaoh", ".align", ".links", ".txt"),
        "table": (".csv",),
        "tsv": (".tsv",),
    },
    default="pharaoh",
    named="links",
)
"""Links: the modules of ``formats.links``."""

BEADS = Formats(
    {
        "vecalign": (".beads", ".vecalign", ".alignment", ".txt"),
        "ladder": (".ladder",),
        "ces": (".xml", ".xces", ".ces"),
        "intertext": (".xml",),
        "tmx": (".tmx",),
        **_PARQUET,
    },
    default="vecalign",
    named="beads",
)
"""Beads: the formats of ``formats.beads``."""

N_BEST = Formats({"moses": (), "zmert": (), **_PARQUET}, default="moses", open=True)
"""Lists of the best translations."""

PHRASES = Formats(_PARQUET | {"moses": ()}, default="moses", open=True)
TOKENS = Formats(_PARQUET | {"text": ()}, default="text", open=True)
TEXT = Formats({"text": ()}, default="text", open=True)
PARQUET_ONLY = Formats(_PARQUET)
HTML = Formats({"html": PAGE})

OUTPUTS = {
    "beads": BEADS,
    "links": LINKS,
    "n-best list": N_BEST,
    "page": HTML,
    "parquet": PARQUET_ONLY,
    "phrase table": PHRASES,
    "table": TABLE,
    "text": TEXT,
    "tokens": TOKENS,
}
"""The formats of outputs, by what is written."""

LINK_FORMATS = tuple(sorted(LINKS.suffixes))
"""Formats of links."""

BEAD_FORMATS = tuple(BEADS.suffixes)
"""Formats of beads."""

N_BEST_FORMATS = tuple(N_BEST.suffixes)
"""Formats of lists of the best translations."""

MARKUP = {".tex": "latex", ".md": "markdown"}
"""Suffixes of tables as the shell prints them, and its formats."""

TABLES_SAID = TABLE.said
"""Suffixes of all tables, as help and errors list them."""
