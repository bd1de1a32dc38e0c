"""Data inside a page, in compressed blocks that the browser decompresses on demand."""

from __future__ import annotations

import base64
import gzip
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from alignframe.core.arrays import F32
from alignframe.core.output import make_folder, replacing
from alignframe.typing import Row

NOTHING = 0xFFFF
"""The code of an undefined figure."""
_LEVEL = 4


def packed(value: bytes) -> str:
    """Return bytes compressed by gzip as text, deterministically."""
    return base64.b64encode(gzip.compress(value, _LEVEL, mtime=0)).decode("ascii")


def packed_json(value: Any) -> str:
    """Return data as compressed JSON, with NaN as null."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return packed(text.encode("utf-8", "surrogatepass"))


def rounded(values: npt.ArrayLike, digits: int = 6) -> list[float | None]:
    """Return rounded numbers for JSON; None where undefined."""
    return [
        None if value is None or math.isnan(value) else round(value, digits)
        for value in np.asarray(values, np.float64).tolist()
    ]


def steps(values: F32) -> Row:
    """Return figures as integer steps above the minimum, with rows delta-encoded.

    ``values`` has the shape (rows, columns). A figure is ``low`` + steps / 10**``digits``.
    ``data``, compressed, has the low bytes of all differences modulo 65,536, then the high bytes:
    runs with few changes compress well. ``NOTHING`` encodes NaN, an undefined figure.
    """
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    low = math.floor(min(low, 0.0))
    digits = max(0, min(4, math.floor(math.log10((NOTHING - 1) / max(high - low, 1e-9)))))
    whole = np.rint((np.nan_to_num(values.astype(np.float64), nan=low) - low) * 10**digits)
    found = np.where(np.isfinite(values), whole, NOTHING).astype(np.uint16)
    found[1:] -= found[:-1].copy()
    flat = found.ravel()
    halves = (flat & 0xFF).astype(np.uint8).tobytes() + (flat >> 8).astype(np.uint8).tobytes()
    return {"low": low, "digits": digits, "data": packed(halves)}


def inside(blocks: Mapping[str, str]) -> str:
    """Return blocks as elements of a page, free of markup."""
    return "\n".join(
        f'<script type="text/plain" id="block-{name}">{text}</script>'
        for name, text in blocks.items()
    )


def beside(folder: Path, blocks: Mapping[str, str]) -> None:
    """Write blocks to a folder, as scripts that pass them to the page."""
    make_folder(folder)
    for name, text in blocks.items():
        with replacing(folder / f"{name}.js") as out:
            out.write(f'block("{name}","{text}");\n'.encode("ascii"))
