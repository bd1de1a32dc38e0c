"""Arguments that several commands share, and what they mean."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from alignframe.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

GoldOption = Annotated[
    str, typer.Option("--gold", metavar="FILE", help="Gold links: any format, or Parquet.")
]
HypOption = Annotated[
    list[str],
    typer.Option(
        "--hyp",
        metavar="[NAME=]FILE",
        help="A system's links: any format, or a Parquet file, glob or folder. Repeatable.",
    ),
]
AlphaOption = Annotated[
    str, typer.Option("--alpha", help="Weights of precision in F, parted by commas.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
SrcOption = Annotated[
    str | None,
    typer.Option("--src", metavar="FILE", help="Source sentences, or lines 'source ||| target'."),
]
TgtOption = Annotated[
    str | None, typer.Option("--tgt", metavar="FILE", help="Target sentences, line by line.")
]
EncodingOption = Annotated[str, typer.Option("--encoding", help="Encoding of words.")]
GoldFormatOption = Annotated[
    str | None, typer.Option("--gold-format", help="pharaoh, naacl, giza, moses or parquet.")
]
GoldBaseOption = Annotated[
    int | None, typer.Option("--gold-base", help="Number of the first word in Pharaoh gold.")
]
HypFormatOption = Annotated[str | None, typer.Option("--hyp-format", help="Format of all --hyp.")]
HypBaseOption = Annotated[
    int | None, typer.Option("--hyp-base", help="Number of the first word in Pharaoh --hyp.")
]
HypOrderOption = Annotated[
    str, typer.Option("--hyp-order", help="Which side links of --hyp name first: src-tgt, tgt-src.")
]
MinProbabilityOption = Annotated[
    float | None,
    typer.Option("--min-probability", help="Leave out links of --hyp less probable than this."),
]
PossibleOption = Annotated[
    bool, typer.Option("--possible-as-sure", help="Take every gold link as Sure.")
]
StrictOption = Annotated[
    bool, typer.Option("--strict", help="Refuse sentences that only one side has.")
]
ThreadsOption = Annotated[
    int | None, typer.Option("--threads", min=1, help="All cores by default.")
]


@dataclass
class Given:
    """The files of one run of a command, read as the options say."""

    gold: str
    hyp: Sequence[str]
    gold_format: str | None = None
    gold_base: int | None = None
    hyp_format: str | None = None
    hyp_base: int | None = None
    hyp_order: str = "src-tgt"
    min_probability: float | None = None
    src: str | None = None
    tgt: str | None = None
    encoding: str = "utf-8"

    def bitext(self) -> pa.Table | None:
        """Return the text, if it is given."""
        return read_text(self.src, self.tgt, self.encoding)

    def links(self, bitext: pa.Table | None) -> tuple[list[Any], Any]:
        """Return hypotheses, named ones as mappings, and gold: tables, or paths of Parquet."""
        from alignframe.formats import system_name
        from alignframe.parquet import is_parquet

        found: list[Any] = []
        paths: dict[str, str] = {}
        for spec in self.hyp:
            name, path = split_name(spec)
            known = name or (None if is_parquet(path) else system_name(path))
            if known in paths:
                raise InputError(
                    f"two hypotheses are called {known!r}: {paths[known]} and {path}",
                    todo="name them: --hyp NAME=FILE",
                )
            if known:
                paths[known] = path
            source = self._read(
                path,
                self.hyp_format,
                bitext,
                system=name,
                base=self.hyp_base,
                order=self.hyp_order,
                min_probability=self.min_probability,
            )
            found.append({name: source} if name else source)
        return found, self._read(self.gold, self.gold_format, bitext, base=self.gold_base)

    def _read(self, path: str, format: str | None, bitext: pa.Table | None, **options: Any) -> Any:
        from alignframe.formats import detect, read

        if (format or detect(path)) == "parquet":
            return path
        return read(path, format, bitext=bitext, encoding=self.encoding, **options)


def split_name(spec: str) -> tuple[str | None, str]:
    """Split ``NAME=FILE``; a file whose own name has an equals sign needs no name."""
    name, mark, path = spec.partition("=")
    if not mark or Path(spec).exists() or glob.glob(spec):
        return None, spec
    if not name or not path:
        raise InputError(f"the hypothesis {spec!r}", expected="NAME=FILE")
    return name, path


def read_text(src: str | None, tgt: str | None, encoding: str) -> pa.Table | None:
    """Return the bitext of --src and --tgt, or None if neither is given."""
    if src is None and tgt is None:
        return None
    if src is None:
        raise InputError("--tgt without --src", expected="both sides")
    from alignframe.formats import read_bitext

    return read_bitext(src, tgt, encoding)


def numbers(text: str, what: str, kind: type = float) -> list[tuple[str, Any]]:
    """Return numbers parted by commas, each with its spelling."""
    found = []
    for piece in text.split(","):
        word = piece.strip()
        try:
            found.append((word, kind(word)))
        except ValueError:
            raise InputError(
                f"{word!r} in {what} is not a number", expected="numbers parted by commas"
            ) from None
    return found


def threads(wanted: int | None) -> int:
    """Return the number of threads to use."""
    return wanted or os.cpu_count() or 1
