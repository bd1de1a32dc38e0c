"""``alignframe tesla tags``: projecting word annotations from English."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from alignframe.cli.show import print_note, print_summary
from alignframe.cli.sources import read_linked_text
from alignframe.errors import number_of


def tags(
    *,
    src: str,
    tgt: str,
    output: Path,
    links: str | None,
    tokens: str,
    min_count: int,
    min_probability: float,
    links_format: str | None,
    base: int | None,
    order: str,
    encoding: str,
    as_json: bool,
) -> None:
    """Project tags, lemmas and synonyms to a language from a bitext with English."""
    from alignframe.formats import write
    from alignframe.tesla.tags import learn_tags

    texts, _, given = read_linked_text(
        src, tgt, tokens, encoding, links, links_format, base=base, order=order
    )
    found = learn_tags(
        texts[0],
        texts[1],
        given,
        tokens=tokens,
        min_count=min_count,
        min_probability=min_probability,
    )
    write(found, output)
    summary: dict[str, Any] = {
        "output": str(output),
        "sentences": len(texts[0]),
        "words": found.frame.height,
        "lemmas": found.frame["lemma"].n_unique(),
        "signature": found.signature,
    }
    if as_json:
        print_summary(summary)
        return
    print_note(
        f"{number_of(summary['words'], 'word')} with {summary['lemmas']:,} lemmas, of "
        f"{number_of(summary['sentences'], 'sentence pair')}, written to {output}\n"
        f"{summary['signature']}"
    )
