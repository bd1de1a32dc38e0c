"""What the page of filtered text says of the lines kept."""

from pathlib import Path

import polars as pl
import pytest
from helpers.cli import run

from alignframe import beads
from alignframe.beads.filter_page import filter_page


def lines(scores, **more):
    """Return lines with scores, those above 0.4 kept."""
    size = len(scores)
    frame = pl.DataFrame({"line": range(1, size + 1), "score": scores, "src": ["a"] * size} | more)
    return frame.with_columns(kept=pl.col("score") > 0.4, tgt=pl.lit("b"))


def test_lines_expected_to_be_right_follow_from_scores_and_the_share_that_fits():
    # 4 in 5 of the right lines and 1 in 5 of the wrong ones have 0.8: 68 of 100, if 80 are right.
    scores = [0.8] * 68 + [0.2] * 32
    page = filter_page(lines(scores, length_ratio=[1.0] * 100))
    assert page.lead == (
        "68 lines of 100 kept, 68.0%, and 32 dropped. By their scores, 80% to 94% of those kept "
        "and 20% to 50% of those dropped are right."
    )
    assert "the share that fits the scores best, 80% of all lines." in page.about


def test_an_aligners_probabilities_are_taken_as_they_are():
    page = filter_page(lines([0.9, 0.7, 0.5]))
    assert page.lead == (
        "3 lines of 3 kept, 100.0%, and 0 dropped. By the aligner's probabilities, 70% of those "
        "kept are right."
    )
    assert "not calibrated" in page.about


@pytest.mark.parametrize("method", ["classifier", "len"])
@pytest.mark.parametrize("as_files", [True, False])
def test_the_page_of_a_result_is_that_of_its_table(bundled, tmp_path, method, as_files):
    sides = [f"{bundled}/text.{one}" for one in ("en", "fr")]
    table, page = tmp_path / "lines.parquet", tmp_path / "page.html"
    how = ["--method", method, "-o", str(tmp_path / "kept"), "--lines", str(table)]
    run("beads", "filter", *sides, *how)
    run("report", str(table), "-o", str(page))
    given = sides if as_files else [Path(one).read_text("utf-8").splitlines() for one in sides]
    beads.filter(*given, method=method).page().write(tmp_path / "own.html")
    assert (tmp_path / "own.html").read_bytes() == page.read_bytes()
