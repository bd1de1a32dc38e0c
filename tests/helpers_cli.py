"""The command line in this process, which is faster than one of its own."""

import contextlib
import io
import sys
import warnings

import pytest

from alignframe.cli import main, show


def run(*words, code=0):
    """Return what a command writes to standard output and to standard error."""
    out, error = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["alignframe", *map(str, words)])
        patch.setenv("NO_COLOR", "1")
        patch.setenv("COLUMNS", "200")
        patch.delenv("FORCE_COLOR", raising=False)
        patch.setattr(show, "PATIENCE", 600.0)  # no sign of life where a machine is slow
        show.spinner.cache_clear()
        with (
            warnings.catch_warnings(),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(error),
            pytest.raises(SystemExit) as end,
        ):
            main()
    assert (end.value.code or 0) == code, error.getvalue()
    return out.getvalue(), error.getvalue()
