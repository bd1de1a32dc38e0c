"""Tables of links as JSON lines, a line per link; read as any table of links."""

from __future__ import annotations

from alignframe.formats.links import table
from alignframe.formats.rows import LinkFormat

FORMAT = LinkFormat(
    table.read,
    None,  # recognised as a table
    table.write_json,
    has_labels=True,
    has_probabilities=True,
    has_ids=True,
    has_empty=False,
)
