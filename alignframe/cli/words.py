"""``alignframe words``: raw text as words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from alignframe.cli import heed_interrupts
from alignframe.cli.show import Data, Pieces
from alignframe.errors import guessed, number_of
from alignframe.typing import ForInput

if TYPE_CHECKING:
    import pyarrow as pa


def split(
    source: str,
    *,
    words: str = "auto",
    encoding: ForInput[str] = "utf-8",
    output: Path | None = None,
    as_json: bool = False,
) -> Pieces:
    """Split raw text into words, as aligners and lexicons do.

    Prints or writes one line per sentence, with spaces between words.

    Parameters
    ----------
    source
        Sentences, one per line; '-' is standard input.
    words
        How text is split. ``auto``: as ``unicode`` if it looks raw; ``spaces``: not at all;
        ``unicode``: marks, elided articles, clitics and Chinese characters apart; ``characters``:
        one by one.
    encoding
        Character encoding of text files.
    """
    from alignframe.language.words import splitting_of
    from alignframe.sources.texts import word_array

    heed_interrupts()
    units = word_array(source, encoding=encoding, checked=False)
    splitting = splitting_of(units, words)
    found = splitting.split(units, fold=False).words
    signature = f"words:{splitting.how}"
    if output is None and as_json:
        rows = enumerate(found.to_pylist())
        yield Data(signature, sentences=[{"sid": sid, "words": row} for sid, row in rows])
        return
    if words == "auto" and output in (None, Path("-")):
        guessed(source, words="left as they are" if splitting.how == "spaces" else splitting.how)
    write_lines(found, output or "-")
    if output is not None and output != Path("-"):
        counts = {"sentences": len(found), "words": len(found.flatten())}
        yield Data(signature, summary=[{"output": str(output), **counts}])
        yield f"{number_of(len(found), 'sentence')} written to {output}; {signature}"


def write_lines(words: pa.Array, path: Path | str) -> None:
    """Write a line per sentence, with spaces between its words."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from alignframe.core.output import replacing

    # The lists of some texts cannot have missing words, which binary_join does not know.
    lines = pc.binary_join(words.cast(pa.list_(pa.string())), " ")
    with replacing(path) as out:
        out.write("".join(f"{line}\n" for line in lines.to_pylist()).encode())
