"""``alignframe dashboard``: the dashboard of a lake."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from alignframe.cli.command import Words
from alignframe.cli.declared import parameters
from alignframe.cli.show import print_note, print_summary
from alignframe.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from alignframe.lake.dashboard import Dashboard

SECONDS = 2.0
"""Seconds between checks for new runs."""


def show_dashboard(page: Dashboard, words: Words) -> None:
    """Write the dashboard of a lake; with ``watch``, again after each run."""
    _write(page, words)
    if not words["watch"]:
        return
    from alignframe.lake.dashboard import lake_report

    names = parameters("lake.dashboard", "lake_report").keys() - {"title"}
    try:
        for _ in changes(words["out"]):
            try:
                _write(lake_report(**{name: words[name] for name in names}), words)
            except InputError as error:  # an unfinished run may have nothing to show
                print_note(str(error))
    except KeyboardInterrupt:
        return


def _write(page: Dashboard, words: Words) -> None:
    """Write a dashboard, and say where."""
    if words["title"] is not None:
        page = replace(page, title=words["title"])
    written = page.write(words["output"], max_mb=words["max_mb"])
    if words["as_json"]:
        print_summary({"report": str(written[0]), "parts": [str(path) for path in written[1:]]})
    else:
        beside = f", its parts to {written[1]}" if written[1:] else ""
        print_note(f"report written to {written[0]}{beside}")


def changes(place: str) -> Iterator[None]:
    """Yield whenever a run of a job has started or ended."""
    from alignframe.lake.records import FOLDER
    from alignframe.stores import open_output

    folder = open_output(place, "", new=False).folder
    seen = set(folder.listed(".json", FOLDER))
    while True:
        time.sleep(SECONDS)
        now = set(folder.listed(".json", FOLDER))
        if now != seen:
            seen = now
            yield
