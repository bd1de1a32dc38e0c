"""Reading footers of Parquet files, which distinguishes damaged files from unreadable ones."""

from __future__ import annotations

from typing import Any

import pyarrow.parquet as pq

from alignframe.errors import InputError
from alignframe.stores.remote import reached


def footer(path: str, filesystem: Any = None) -> pq.FileMetaData:
    """Return the footer of a Parquet file."""
    try:
        return pq.read_metadata(path, filesystem=filesystem)
    except FileNotFoundError:
        raise
    except OSError as error:
        if "AWS Error" in str(error):
            with reached(path):
                raise
        if error.errno:  # set for system errors, but not for Arrow's own
            raise InputError(f"cannot be read ({error.strerror})", path=path) from None
        raise
