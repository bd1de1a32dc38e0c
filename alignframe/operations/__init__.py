"""Every command: its description, its options, and the function that runs it.

The commands of the shell are built from these tables, one module per group, and help needs nothing
else. Only the module of the group in use is imported.
"""

from __future__ import annotations

from importlib import import_module

from alignframe.operation import Op

GROUPS = {
    "links": "Score, compare and combine word alignments.",
    "phrases": "Evaluate word alignments by their phrase dictionaries.",
    "lake": "Run jobs over lakes of tables (Parquet, Delta, Iceberg).",
    "lexicon": "Induce translation lexicons and evaluate them.",
    "beads": "Align sentences, score alignments, and filter parallel text.",
    "mt": "Score translations by BLEU and chrF, and translate text.",
    "measure": "Score by a measure of your own.",
    "tesla": "Score translations by TESLA, and evaluate metrics.",
    "report": "Write self-contained HTML reports.",
}
"""Descriptions of the groups of commands."""


def members(group: str = "general") -> tuple[Op, ...]:
    """Return the operations of a group, or those that belong to none."""
    found: tuple[Op, ...] = import_module(f"alignframe.operations.{group}").OPERATIONS
    return found


def every() -> list[Op]:
    """Return all operations."""
    return [op for group in ("general", *GROUPS) for op in members(group)]


def operation(name: str) -> Op:
    """Return an operation by its name."""
    group = name.rpartition(" ")[0] or "general"
    return next(op for op in members(group) if op.name == name)
