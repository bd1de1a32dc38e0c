"""Problems found while counting hypotheses against gold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from alignframe.core.arrays import I64
from alignframe.core.arrow import to_links
from alignframe.errors import InputError, number_of, renumbering, sentence_name, warn
from alignframe.formats.rows import left_outside
from alignframe.kernels.links.counts import count_gold
from alignframe.sources.misread import Shared, warn_if_misread
from alignframe.sources.source import Source


@dataclass
class Coverage:
    """Missing, superfluous or reversed sentences by system."""

    sentences: int = 0
    missing: dict[str, int] = field(default_factory=dict)
    ignored: dict[str, int] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    """The number of sentences of each system, and in ``hit`` of those in gold."""
    hit: dict[str, int] = field(default_factory=dict)
    ends: dict[str, tuple[int, int]] = field(default_factory=dict)
    """The first and last sid of each system, and of all of gold as ''."""
    shared: dict[str, Shared] = field(default_factory=dict)
    orders: dict[str, str] = field(default_factory=dict)
    """The order of sides that each system was read with."""
    outside: dict[str, int] = field(default_factory=dict)
    """The links outside their sentence pair that were left out, of each system and gold."""

    def leave_out(self, system: str, links: int) -> None:
        """Add links that were left out."""
        if links:
            self.outside[system] = self.outside.get(system, 0) + links

    def widen(self, system: str, sids: I64) -> None:
        """Add sids to those of a system, or of gold if it is ''."""
        ends = [int(sids.min()), int(sids.max()), *self.ends.get(system, ())]
        self.ends[system] = min(ends), max(ends)

    def check_numbers(self) -> None:
        """Refuse a system that shares no sentence with gold, or numbers them from another start."""
        if "" not in self.ends:
            return
        first, last = self.ends[""]
        for system, size in self.sizes.items():
            low, high = self.ends.get(system, (first, last))
            if size == self.sentences and low - first == high - last != 0:
                mine, other = (
                    [str(sentence_name(end)) for end in ends]
                    for ends in ((low, high), (first, last))
                )
                raise InputError(
                    f"the system {system} has the sentences {' to '.join(mine)}, "
                    f"gold {' to '.join(other)}",
                    expected="the same numbers",
                    todo=f"{renumbering(first - low)} its sid",
                )
            if not self.hit.get(system):
                raise InputError(
                    f"the system {system} has none of the sentences of gold",
                    expected="the same sid in both",
                )

    def report(self, strict: bool) -> None:
        """Warn of sentences on one side only, or refuse them if ``strict``; warn if reversed."""
        # Sentences numbered otherwise would all be missing and ignored.
        self.check_numbers()
        for system, number in self.outside.items():
            warn(f"{system}: {left_outside(number)}")
        for system, shared in self.shared.items():
            other = "src-tgt" if self.orders.get(system) == "tgt-src" else "tgt-src"
            default = " (the default)" if other == "src-tgt" else ""
            warn_if_misread(
                shared,
                (system, "gold"),
                f"{system} and gold",
                f"read {system} with `order={other!r}`{default}",
            )
        for system, number in self.missing.items():
            self._say(
                f"{system} has no row for {number:,} of "
                f"{number_of(self.sentences, 'gold sentence')}, scored as empty",
                strict,
            )
        for system, number in self.ignored.items():
            self._say(
                f"{system} has {number_of(number, 'sentence')} that gold does not have, ignored"
                + ("; is this the gold for another text?" if number > self.sentences else ""),
                strict,
            )

    @staticmethod
    def _say(text: str, strict: bool) -> None:
        if strict:
            raise InputError(text.split(";")[0], expected="the same sentences on both sides")
        warn(text)


def warn_of_labels(sources: Sequence[Source]) -> None:
    """Warn of systems with Possible links, which gold without any may have been swapped with."""
    for source in sources:
        column = source.schema.field("sid" if source.is_long else "links")
        if "sure" not in source.columns and "sure" not in str(column.type):
            continue
        for batch in islice(source.batches(labels=True), 1):
            labelled = count_gold(to_links(batch.column("links")))
            if not np.array_equal(labelled.n_sure, labelled.n_possible):
                warn(
                    f"{source.title} has Possible links, and gold has none; were gold and system "
                    "swapped?"
                )
