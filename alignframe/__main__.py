"""``python -m alignframe``."""

from alignframe.cli import main

main()
