"""Commands of gold."""

from __future__ import annotations

from alignframe.cli.command import Command, Way
from alignframe.cli.showing import PRINTED, Shown

COMMANDS = (
    Command(
        "gold apply",
        "Apply the edits of a page to gold. Reports changes, agreement and conflicts.",
        (Way("cli.gold:applied", Shown("gold:show_edited", PRINTED)),),
        ("gold:Edited",),
    ),
)
