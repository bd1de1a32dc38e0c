"""What each run and system of a history is compared with."""

from __future__ import annotations

from alignframe.core.choices import BASELINES, BEST, PREVIOUS
from alignframe.errors import InputError, unknown_name
from alignframe.lake.fields import Field
from alignframe.lake.past import Past

Place = tuple[int, int]
"""A run and a system, by their numbers."""


class Baselines:
    """The baselines that a name stands for: ``previous``, ``best``, a run, a label or a system.

    Raises
    ------
    InputError
        If there is none of this name, or two.
    """

    def __init__(self, past: Past, given: str) -> None:
        self.given, self._past = given, past
        runs = [moment.run for moment in past.moments]
        labels = dict.fromkeys(label for moment in past.moments for label in moment.labels)
        known = [*BASELINES, *past.systems, *labels, *runs[::-1]]
        if given not in known:
            raise unknown_name("`baseline`", given, known)
        if given in labels and given in (*past.systems, *runs):
            run = next(moment.run for moment in past.moments[::-1] if given in moment.labels)
            raise InputError(
                f"`baseline` {given!r} is a label and the name of a system or run",
                todo=f"name the run, such as {run}",
            )
        self.of_system = given in past.systems and given not in BASELINES
        """Whether systems are compared with one of them."""
        self._runs: list[int] = []  # the baseline of each run; -1 for none
        last = -1
        for at, moment in enumerate(past.moments):
            named = runs.index(given) if given in runs else last
            self._runs.append(at if self.of_system else at - 1 if given in BASELINES else named)
            last = at if given in moment.labels else last
        # The best run so far by corpus, system, ground and measure: its loss, and minus the run.
        self._best: dict[tuple[object, ...], tuple[float, int]] = {}
        self._found: dict[tuple[str | None, int, int, str], Place] = {}

    def find(
        self, field: Field, place: Place, figure: str, value: float | None, *, lower: bool
    ) -> Place | None:
        """Return the baseline of a run and system, and note it; runs come in their order.

        ``value`` is the figure there, and ``lower`` whether lower ones are better.
        """
        run, system = place
        state = int(field.at[place])
        base = self._runs[run], self._past.systems.index(self.given) if self.of_system else system
        if self.given == BEST and value is not None:
            key = field.corpus, system, field.grounds[state], figure
            # If none is comparable, the run before is shown as such.
            base = -self._best.get(key, (0.0, -base[0]))[1], system
            own = value if lower else -value, -run
            self._best[key] = min(own, self._best.get(key, own))
        if base[0] < 0 or base == place or field.at[base] < 0:
            return None
        self._found[field.corpus, *place, figure] = base
        return base

    def found(self, field: Field, place: Place, figure: str) -> Place | None:
        """Return the baseline that was found of a run, system and measure on a corpus."""
        return self._found.get((field.corpus, *place, figure))

    def __str__(self) -> str:
        """Return what systems are compared with."""
        if self.of_system:
            return f"the system {self.given}"
        at, step = "at" if self._past.dates else "in", self._past.step
        which = {PREVIOUS: f"the {step} before", BEST: f"the best {step} before"}
        return f"itself {at} {which.get(self.given, f'the {step} {self.given}')}"
