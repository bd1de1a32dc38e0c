"""What a job is: its inputs, the rows of a unit, and the measure of the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from alignframe.core.figures import checked_alphas
from alignframe.core.signatures import whole_signature
from alignframe.errors import InputError
from alignframe.typing import FilePath

if TYPE_CHECKING:
    import pyarrow as pa

    from alignframe.lake.units import Unit
    from alignframe.stats.measure import Measure

Settings = Mapping[str, Any]


@dataclass(frozen=True)
class Job:
    """A job: a row-wise function over the units of a lake."""

    name: str  # the command: ``alignframe lake NAME``
    table: str  # the kind of rows, used in file names
    inputs: tuple[str, ...]  # the partitions of the first are the units
    # Yields tables of rows, given a unit and the settings: at least one table, possibly empty.
    rows: Callable[[Unit, Settings], Iterator[pa.Table]]
    measure: Callable[[Settings], Measure] | None = None  # of the rows, if they are counts
    # The measure of single sentences, where it differs, as for BLEU.
    sentence_measure: Callable[[Settings], Measure] | None = None
    whole: bool = False  # the result covers all of the other inputs, like all sentences of gold
    resampled: str = "sid"  # the unit of resampling for intervals
    # Counts shown in tables of scores, with their column names.
    shown: tuple[tuple[str, str], ...] = ()
    unsigned: tuple[str, ...] = ("made_with",)  # settings that are not part of a signature
    optional: tuple[str, ...] = ()  # inputs that may be given beside the others

    def counted(self, place: FilePath) -> Callable[[Settings], Measure]:
        """Return the function of the measure; refuse a place with rows that are not counts."""
        if self.measure is None:
            raise InputError(f"what lake {self.name} writes", path=place, expected="counts")
        return self.measure

    def measured(
        self,
        place: FilePath,
        settings: Settings,
        alpha: Sequence[float],
        *,
        sentences: bool = False,
    ) -> Measure:
        """Return the measure of the counts in a place, or its variant for single sentences.

        Refuse weights of F for counts of something else than links.
        """
        made = (sentences and self.sentence_measure) or self.counted(place)
        weights = checked_alphas(alpha)
        measure = made({**settings, "alpha": weights})
        if [*weights] != [0.5] and measure.names == made({**settings, "alpha": [0.5]}).names:
            raise InputError(
                f"`alpha` for the counts of lake {self.name}", path=place, expected="those of links"
            )
        return measure

    def signature(self, settings: Settings) -> str:
        """Return the signature of all choices that can change a row."""
        if self.measure is not None:
            return self.measure(settings).signature()
        parts = [
            f"{name.replace('_', '-')}:{value}"
            for name, value in settings.items()
            if not (value is None or name in self.unsigned or isinstance(value, (dict, list)))
        ]
        return whole_signature(f"job:{self.name}", *parts)
