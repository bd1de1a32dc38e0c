"""Footers of Parquet files, where a file that is damaged is not one that cannot be read."""

from __future__ import annotations

from typing import Any

import pyarrow.parquet as pq

from alignframe.errors import InputError
from alignframe.stores.remote import reached


def footer(path: str, filesystem: Any = None) -> pq.FileMetaData:
    """Return the footer of a Parquet file.

    Raises
    ------
    InputError
        If its store does not answer or refuses it, or the system does not let it be read.
    OSError, pyarrow.ArrowException
        If there is no such file (FileNotFoundError), or it is damaged.
    """
    try:
        return pq.read_metadata(path, filesystem=filesystem)
    except FileNotFoundError:
        raise
    except OSError as error:
        if "AWS Error" in str(error):
            with reached(path):
                raise
        if error.errno:  # the system's, where Arrow's own errors have none
            raise InputError(f"cannot be read ({error.strerror})", path=path) from None
        raise
