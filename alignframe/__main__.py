"""The ``alignframe`` command, and ``python -m alignframe``."""

from __future__ import annotations

import sys

from alignframe.cli import main
from alignframe.cli.leaving import leave


class _WithoutPandas:
    """Keeps pandas from being imported where it is installed.

    PyArrow imports it to tell whether what it is given belongs to pandas, which nothing does in a
    command: a third of a second.
    """

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        """Refuse pandas; leave the rest to others."""
        if name == "pandas":
            raise ModuleNotFoundError(f"no command needs {name}", name=name)


def run() -> None:
    """Run the command in a process of its own."""
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
