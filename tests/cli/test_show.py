"""Figures in the tables of a terminal."""

import pytest

from alignframe.cli.show import print_table


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1e-9, "<0.0001"),
        (0.00004, "<0.0001"),
        (0.00006, "0.0001"),
        (0.0, "0.0000"),
        (1.0, "1.0000"),
    ],
)
def test_a_small_figure_is_not_shown_as_zero(capsys, value, shown):
    print_table([{"system": "x", "p_value": value}])
    assert shown in capsys.readouterr().out.split()
