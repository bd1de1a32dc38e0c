"""JSON written column by column equals that of ``json.dumps``."""

import datetime
import json
import math
from decimal import Decimal

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from alignframe.cli.json_text import json_pieces
from alignframe.result import as_json

CELLS = {
    "whole": st.integers(-(2**63), 2**63 - 1),
    "real": st.floats(),
    "text": st.text(),
    "yes": st.booleans(),
    "day": st.dates(),
    "many": st.lists(st.floats(), max_size=2),
    '100% "': st.fixed_dictionaries({"x": st.integers(0, 9), "y": st.lists(st.text(), max_size=2)}),
    "signature": st.sampled_from(["a", "b"]),
}
ROWS = st.sets(st.sampled_from(sorted(CELLS))).flatmap(
    lambda names: st.lists(
        st.fixed_dictionaries({name: st.none() | CELLS[name] for name in sorted(names)}), max_size=3
    )
)


def finite(value):
    if isinstance(value, dict):
        return {key: finite(one) for key, one in value.items()}
    if isinstance(value, list):
        return [finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


@given(
    st.dictionaries(st.text(max_size=3), ROWS, max_size=2), st.none() | st.just("a"), st.booleans()
)
def test_text_equals_that_of_json(tables, signature, frames):
    if frames:
        types = {"whole": pl.Int64, "real": pl.Float64, "text": pl.String, "signature": pl.String}
        tables = {
            name: pl.DataFrame(rows, schema_overrides=types, infer_schema_length=None)
            for name, rows in tables.items()
        }
    wanted = finite(as_json(tables, signature))
    text = json.dumps(wanted, ensure_ascii=False, indent=2, default=str) + "\n"
    assert "".join(json_pieces(tables, signature)) == text


def test_rows_are_written_in_pieces():
    frame = pl.DataFrame({"day": [datetime.date(2026, 1, 1)] * 20_001, "n": range(20_001)})
    found = json.loads("".join(json_pieces({"rows": frame}, None)))
    assert [one["n"] for one in found["tables"]["rows"]] == frame["n"].to_list()


def test_sums_of_sql_are_numbers():
    frame = pl.DataFrame({"sum": [Decimal(2**70), Decimal("0.5")], "in": [[Decimal(3)], None]})
    found = json.loads("".join(json_pieces({"rows": frame}, None)))["tables"]["rows"]
    assert found == [{"sum": 2**70, "in": [3]}, {"sum": 0.5, "in": None}]
