"""The suffixes of outputs, which are declared once."""

import re

import pytest

from alignframe.core.suffixes import OUTPUTS
from alignframe.errors import InputError

TEXTS = {"moses", "text", "zmert"}
TABULAR = sorted(
    {
        end
        for formats in OUTPUTS.values()
        for kind in ("parquet", "csv", "tsv", "jsonl")
        for end in formats.suffixes.get(kind, ())
    }
)


@pytest.mark.parametrize("what", OUTPUTS)
@pytest.mark.parametrize("end", TABULAR)
def test_the_suffix_of_a_table_is_never_given_to_text(what, end):
    formats = OUTPUTS[what]
    kind = next((kind for kind, ends in formats.suffixes.items() if end in ends), None)
    if kind is None:
        with pytest.raises(InputError, match=re.escape(end)):
            formats.chosen(f"x{end}")
    else:
        assert formats.chosen(f"x{end}") == kind
        assert kind not in TEXTS


def test_parquet_has_the_same_suffixes_wherever_it_is_written():
    ends = {formats.suffixes.get("parquet") for formats in OUTPUTS.values()} - {None}
    assert ends == {(".parquet", ".pq", ".parq")}
