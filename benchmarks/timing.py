"""Timing of calls in CPU seconds, in turn with those of other tools."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table


class Time(NamedTuple):
    """Median times over the rounds."""

    cpu: float
    wall: float


def in_turn(calls: Mapping[str, Callable[[], Any]], rounds: int = 5) -> dict[str, Time]:
    """Time every call once per round, after a warm-up round."""
    for call in calls.values():
        call()
    times: dict[str, list[Time]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            cpu, wall = time.process_time(), time.perf_counter()
            call()
            times[name].append(Time(time.process_time() - cpu, time.perf_counter() - wall))
    return {
        name: Time(*(statistics.median(values) for values in zip(*rows, strict=True)))
        for name, rows in times.items()
    }


def show(title: str, heads: list[str], rows: list[list[str]]) -> None:
    """Print a table."""
    table = Table(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0))
    for at, head in enumerate(heads):
        table.add_column(head, justify="left" if at == 0 else "right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    Console().print(table, "")
