"""Jobs: each is the object JOB of a module in this folder, which bears its name.

Its function has the same name, and is public in ``alignframe.lake``.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from alignframe.core.choices import LAKE_JOBS
from alignframe.lake.job import Job


@cache
def every_job() -> dict[str, Job]:
    """Return all jobs by name."""
    return {name: import_module(f"{__name__}.{name}").JOB for name in LAKE_JOBS}
