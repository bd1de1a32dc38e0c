"""Jobs: each is the object JOB of a module in this folder, which bears its name.

Its function has the same name, and is public in ``alignframe.lake``.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from alignframe.core.choices import LAKE_JOBS
from alignframe.lake.job import Job


@cache
def job_of(name: str) -> Job:
    """Return a job by its name; the modules of others are not imported."""
    if name not in LAKE_JOBS:
        raise KeyError(name)
    job: Job = import_module(f"{__name__}.{name}").JOB
    return job
