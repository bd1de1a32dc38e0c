"""Commands for measures of the user's own."""

from __future__ import annotations

from functools import partial

from alignframe.choices import TEST_RESAMPLES
from alignframe.operation import Op, drawn
from alignframe.options import common, lake
from alignframe.options.option import REQUIRED

MEASURE = lake.measure(REQUIRED)
_op = partial(Op, areas=(lake,))

OPERATIONS = (
    _op(
        "measure score",
        "measure:score",
        "Score systems by a measure of your own. It is declared in a Python file, and scores a "
        "table of counts.",
        (lake.counts, MEASURE, "by unit", drawn(0), "output"),
    ),
    _op(
        "measure compare",
        "measure:compare",
        "Compare systems with a baseline by the paired bootstrap. The measure is your own.",
        (lake.counts, MEASURE, common.baseline, "unit", drawn(TEST_RESAMPLES), "output"),
    ),
)
