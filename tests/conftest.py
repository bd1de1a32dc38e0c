"""Shared fixtures."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def bundled() -> Path:
    """The project's own data."""
    return ROOT / "datasets" / "en-fr"


@pytest.fixture(scope="session")
def corpora() -> Path:
    """Published data, which the project does not carry."""
    folder = Path(os.environ.get("ALIGNFRAME_CORPORA", ROOT.parent / "shared" / "corpora"))
    if not folder.is_dir():
        pytest.skip(
            "the published corpora are absent; name their folder in ALIGNFRAME_CORPORA to run this"
        )
    return folder
