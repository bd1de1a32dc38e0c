"""Digests of texts and links, by which a study recognises its inputs."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from alignframe.core.tokens import list_lengths
from alignframe.errors import InputError, check_known
from alignframe.links.inputs import hypotheses
from alignframe.links.studied import Studied
from alignframe.links.text import Text
from alignframe.phrases.extract import sentences_once


def link_digests(
    alignments: Mapping[str, object], table: pa.Table, order: str, gold: object
) -> dict[str, str]:
    """Return a digest of each alignment's links, after checking that they fit the text."""
    if isinstance(gold, Studied):
        for name in alignments:
            check_known("alignment, of the study with the gold links", name, gold.alignments)
        if gold.pairs != table.num_rows:
            raise InputError(
                f"the alignments have {gold.pairs:,} sentence pairs, but the text has "
                f"{table.num_rows:,}",
                expected="the text that was aligned, without the gold text",
            )
    if order != "src-tgt":
        sides = {"src": "tgt", "tgt": "src"}
        table = table.rename_columns([sides.get(name, name) for name in table.column_names])
    text = Text(table)
    digests = {}
    for name, links in alignments.items():
        hashed = hashlib.blake2b(digest_size=4)
        called = f"the alignment {name!r}"
        for batch, _ in sentences_once(hypotheses(links), text=text, called=called):
            links_of_all = batch.column("links")
            ends = (links_of_all.flatten().field(side).to_numpy() for side in ("i", "j"))
            # Numbers of sentences and sizes tell apart the same links of other sentences.
            for part in (batch.column("sid").to_numpy(), list_lengths(links_of_all), *ends):
                hashed.update(np.ascontiguousarray(part).data)
        digests[name] = hashed.hexdigest()
    return digests
