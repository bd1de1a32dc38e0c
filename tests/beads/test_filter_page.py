"""What the page of filtered text says of the lines kept."""

import polars as pl

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
