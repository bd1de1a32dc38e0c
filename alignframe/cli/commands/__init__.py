"""Every command: its description, the functions behind it, and how their results are shown.

The commands are in tables, one module per group; only that of the group in use is imported.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module

from alignframe.cli.command import Command

GROUPS = {
    "links": "Score, compare and combine word alignments.",
    "gold": "Mend gold: apply the edits that pages save.",
    "phrases": "Evaluate word alignments by their phrase dictionaries.",
    "lake": "Run jobs over lakes of tables (Parquet, Delta, Iceberg).",
    "lexicon": "Induce translation lexicons and evaluate them.",
    "beads": "Align sentences, score alignments, and filter parallel text.",
    "model": "Show, merge and export saved models of word alignment.",
    "mt": "Score translations by BLEU and chrF, and translate text.",
    "tesla": "Score translations by TESLA, and evaluate metrics.",
}
"""Descriptions of the groups of commands."""

SYNONYMS = {
    "aer": ("links score",),
    "bleu": ("mt score",),
    "chrf": ("mt score",),
    "decode": ("mt translate",),
    "tag": ("tesla words",),
    "tokenize": ("tesla words --show words", "mt score --tokenize"),
}
"""Names under which commands, and options, may be sought."""

RENAMED = {
    "beads convert": "convert",
    "beads compare": "beads score --baseline NAME",
    "beads counts": "beads score --counts",
    "beads model": "beads align --save-model FOLDER",
    "bitext": "convert SRC TGT OUT",
    "links compare": "links score --baseline NAME",
    "links counts": "links score --counts",
    "index": "report FOLDER",
    "lake runs": "lake status --runs",
    "lexicon back-off": "lexicon merge",
    "lexicon evaluate": "lexicon score",
    "measure": "lake scores COUNTS --measure MODULE:NAME",
    "mt convert": "convert",
    "mt compare": "mt score --baseline NAME",
    "mt counts": "mt score --counts",
    "phrases compare": "phrases score --baseline NAME",
    "report beads": "report",
    "report filter": "report",
    "report mt-study": "report",
    "report align": "align --page FILE",
    "report correlation": "links correlate --page FILE",
    "report vary": "links correlate --vary FOLDER --page FILE",
    "report index": "report FOLDER",
    "report lake": "dashboard",
    "report lexicon": "lexicon study --page FILE",
    "report links": "links score --page FILE",
    "report mt": "mt score --page FILE",
    "report phrases": "phrases study --page FILE",
    "report tesla": "tesla score --page FILE",
    "tesla analyse": "tesla words",
    "tesla lm": "lm --tokens penn --lowercase",
    "tesla meta": "tesla metrics",
    "tesla rankings": "tesla metrics --counts --rankings FILE",
}
"""Former names of commands."""


def members(group: str = "general") -> tuple[Command, ...]:
    """Return the commands of a group, or those that belong to none."""
    commands: tuple[Command, ...] = import_module(f"alignframe.cli.commands.{group}").COMMANDS
    return commands


def every() -> list[Command]:
    """Return all commands."""
    return [member for group in ("general", *GROUPS) for member in members(group)]


def command(name: str) -> Command:
    """Return a command by its name."""
    group = name.rpartition(" ")[0] or "general"
    return next(member for member in members(group) if member.name == name)


def similar(word: str, group: str = "") -> dict[str, str]:
    """Return the commands that an unknown one may mean, with their descriptions.

    A likely typo comes first, then the same word in other groups, and synonyms.
    """
    from difflib import get_close_matches

    said = GROUPS | {command.name: command.help for command in every()}
    known: dict[str, list[str]] = {}
    for name in said:
        known.setdefault(name.split()[-1], []).append(name)
    for name, meant in SYNONYMS.items():
        known.setdefault(name, []).extend(meant)
    own = {name.split()[-1]: name for name in said if name.rpartition(" ")[0] == group}
    word = word.lower()

    def close(names: Iterable[str], cutoff: float) -> list[str]:
        return get_close_matches(word, names, 3, cutoff)

    # A near miss of a name in this group comes before the very name in another; names that are less
    # alike come last.
    found = [own[name] for name in close(own, 0.8)] or known.get(word, [])
    found = found or [own[name] for name in close(own, 0.6)]
    found = found or [name for near in close(known, 0.7)[:1] for name in known[near]]
    return {name: said[name.partition(" --")[0]].partition(". ")[0].rstrip(".") for name in found}
