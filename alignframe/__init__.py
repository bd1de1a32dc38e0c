"""Translation alignment as tables: word and sentence alignment, lexicons, translation scores.

``aligners`` aligns words and ``beads`` sentences. ``links`` scores and symmetrizes word alignments,
``phrases`` evaluates them by their phrase dictionaries. ``lexicon`` induces and evaluates
translation lexicons. ``tesla`` and ``mt`` (BLEU, chrF) score translations. ``language`` analyses
text, ``formats`` reads and writes files, ``lake`` runs jobs over partitioned tables, and ``stats``
correlates alignment scores with translation scores. ``connect`` opens a DuckDB connection with all
functions, ``register`` makes them known to another; ``engines.polars`` has them as expressions, and
``scan_links`` reads lakes lazily. ``charts`` draws figures, and ``report`` builds pages of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from alignframe.core.lazy import __version__, lazily

if TYPE_CHECKING:
    from alignframe import (
        aligners,
        beads,
        charts,
        engines,
        formats,
        lake,
        language,
        lexicon,
        links,
        mt,
        phrases,
        report,
        stats,
        tesla,
    )
    from alignframe.engines.duckdb import register
    from alignframe.engines.scan import scan_links
    from alignframe.engines.session import connect
    from alignframe.result import Result, TableResult

__all__ = [
    "Result",
    "TableResult",
    "__version__",
    "aligners",
    "beads",
    "charts",
    "connect",
    "engines",
    "formats",
    "lake",
    "language",
    "lexicon",
    "links",
    "mt",
    "phrases",
    "register",
    "report",
    "scan_links",
    "stats",
    "tesla",
]


__getattr__, _ = lazily(
    __name__,
    {
        name: f"{name}:"
        for name in __all__
        if name.islower() and name not in ("__version__", "connect", "register", "scan_links")
    }
    | {
        "Result": "result",
        "TableResult": "result",
        "connect": "engines.session",
        "register": "engines.duckdb",
        "scan_links": "engines.scan",
    },
)


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
