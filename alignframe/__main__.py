"""The ``alignframe`` command, and ``python -m alignframe``."""

from __future__ import annotations

import re
import sys

from alignframe.cli import main
from alignframe.cli.leaving import leave

# A word for which a command may use pandas: PySpark does, and code of users (``MODULE:NAME``).
_USES_PANDAS = re.compile(r"(.*=)?(spark|[\w.]+:\w+)")


class _WithoutPandas:
    """Blocks the import of pandas, which nearly no command uses."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        """Refuse pandas; leave other modules to the other finders."""
        # PyArrow imports it, where it is installed, to check whether an object is from pandas: a
        # third of a second.
        if name == "pandas":
            raise ModuleNotFoundError(f"this command needs no {name}", name=name)


def run() -> None:
    """Run the command as a process."""
    if not any(map(_USES_PANDAS.fullmatch, sys.argv)):
        sys.meta_path.insert(0, _WithoutPandas)
    try:
        main()
    except SystemExit as end:
        if isinstance(end.code, int):
            leave(end.code)
        raise
    leave(0)


if __name__ == "__main__":
    run()
