"""Figures that stand beside each other add up as printed, in every place that prints them."""

import polars as pl
from helpers.cli import run
from hypothesis import given
from hypothesis import strategies as st

from alignframe.core.rounding import (
    adding_up,
    difference,
    digits_for,
    percent_of,
    printed,
    telling,
)
from alignframe.stats import Measure, Ratio, evaluate

FIGURES = st.floats(-200, 200, allow_nan=False)
# 0.24924 and 0.24706 are printed as 0.2492 and 0.2471; the unrounded difference as 0.0022.
RIGHT, OF = [24_924, 24_924, 24_706, 24_706], 100_000


@given(FIGURES, FIGURES, st.integers(0, 6))
def test_a_difference_is_that_of_the_figures_as_printed(value, base, digits):
    value_said, base_said, said = (
        f"{one:.{digits}f}" for one in (value, base, difference(value, base, digits))
    )
    whole = [round(float(one) * 10**digits) for one in (value_said, base_said, said)]
    assert whole[0] - whole[1] == whole[2]
    assert abs(difference(value, base, digits) - (value - base)) <= 1.001 * 10**-digits
    assert said != f"-{0:.{digits}f}"


def test_digits():
    assert digits_for([0.5, None, float("nan")]) == 4
    assert digits_for([0.5, -10.5]) == 2
    assert telling(0.5, 0.6) == 4
    assert telling(0.50001, 0.50002) == 5
    assert telling(0.5, 0.5) == 4
    assert [percent_of(one) for one in (0.95, 0.995, 0.29)] == ["95%", "99.5%", "29%"]


def test_tables_without_figures_of_both_sides_stay():
    frame = pl.DataFrame({"value": [0.1], "difference": [0.2]})
    assert adding_up(frame) is frame
    none = pl.DataFrame({"value": [0.1], "baseline_value": [None], "difference": [None]})
    assert adding_up(none)["difference"].to_list() == [None]


def test_pages_and_terminals_print_what_adds_up(tmp_path):
    counts = pl.DataFrame({"system": [*"aabb"], "sid": [0, 1, 0, 1], "n": RIGHT, "of": [OF] * 4})
    share = Measure("share", ("n", "of"), (Ratio("share", "n", "of"),))
    page = evaluate(share, counts, bootstrap=20).page()
    assert [row[1].partition("\n")[0] for row in page.table.rows] == ["0.2492", "0.2471"]
    assert "b follows, 0.0021 worse (" in page.lead
    (row,) = page.tables[0].rows
    assert [one.partition("\n")[0] for one in row[1:3]] == ["0.2471", "−0.0021"]
    counts.write_parquet(tmp_path / "counts.parquet")
    (tmp_path / "shares.py").write_text(
        "from alignframe.stats import Measure, Ratio\n"
        "share = Measure('share', ('n', 'of'), (Ratio('share', 'n', 'of'),))\n"
    )
    words = ["--measure", "shares:share", "--baseline", "a", "--bootstrap", 20]
    out, _ = run("lake", "scores", "counts.parquet", *words, folder=tmp_path)
    assert "0.2471" in out
    assert "-0.0021" in out
    assert "-0.0022" not in out.replace("-.0022", "")


def test_a_figure_that_rounds_to_0_has_no_sign():
    assert [printed(value) for value in (-0.00001, -0.0, -0.5)] == ["0.0000", "0.0000", "−0.5000"]
    assert printed(-0.00001, "+.3f") == "+0.000"
    assert (printed(1234, ",d"), printed(-1234.0, ",.0f")) == ("1,234", "−1,234")
