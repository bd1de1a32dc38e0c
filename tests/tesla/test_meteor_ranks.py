"""METEOR's ``.rank`` files."""

import polars as pl
import pytest
from helpers.cli import json_of, run
from hypothesis import given, settings
from hypothesis import strategies as st

from alignframe.errors import InputError
from alignframe.tesla import read_rankings
from alignframe.tesla.rankings import pairwise

SYSTEMS = st.sampled_from(["sys1", "sys2", "a b", "sys10"])
LINES = st.lists(
    st.tuples(st.integers(1, 9), SYSTEMS, SYSTEMS).filter(lambda line: line[1] != line[2]),
    min_size=1,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("ranks")


def written(path, lines, pair="fr-en"):
    path.write_text("".join(f"{k}\t{pair}\t{one}\t{pair}\t{two}\n" for k, one, two in lines))
    return path


@settings(max_examples=8)
@given(lines=LINES)
def test_every_line_is_a_preference(folder, lines):
    found = pairwise(read_rankings(written(folder / "x.rank", lines)))
    rows = [
        (row["sid"] + 1, *(pair if row["preference"] > 0 else pair[::-1]))
        for row in found.iter_rows(named=True)
        for pair in [(row["system"], row["other"])]
    ]
    assert rows == lines


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1\tfr-en\ta\tfr-en\n", "1: .*separated by tabs"),
        ("1\tfr-en\ta\tfr-en\tb\n0\tfr-en\ta\tfr-en\tb\n", "2: .*segment"),
        (f"{'9' * 5000}\tfr-en\ta\tfr-en\tb\n", "1: .*segment"),
        (f"{'9' * 20}\tfr-en\ta\tfr-en\tb\n", "1: .*segment"),
        ("one\tfr-en\ta\tfr-en\tb\n", "1: .*segment"),
        ("1\tfr-en\ta\tde-en\tb\n", "1: the language pairs fr-en and de-en"),
        ("1\tfr-en\ta\tfr-en\tb\n\n2\tfr-en\ta\tfr-en\ta\n", "3: .*twice in a ranking"),
        ("\n", "no line"),
    ],
)
def test_bad_lines_are_named(tmp_path, text, found):
    (tmp_path / "x.rank").write_text(text)
    with pytest.raises(InputError, match=found):
        read_rankings(tmp_path / "x.rank")


def test_a_pair_is_chosen(tmp_path):
    lines = [(1, "a", "b"), (2, "b", "a")]
    path = written(tmp_path / "x.rank", lines)
    both = written(tmp_path / "y.rank", [(3, "c", "d")], "de-en").read_text() + path.read_text()
    path.write_text(both)
    assert read_rankings(path, "fr-en").height == 4
    out, _ = run("tesla", "metrics", "--counts", "--rankings", path, "--json")
    assert sum(row["rankings"] for row in json_of(out)) == 3


def test_meta_of_preferences(tmp_path, bundled):
    """They give the same as those of WMT's table if there are no ties."""
    table = bundled.parent / "island" / "rankings.csv"
    wide = pairwise(read_rankings_quietly(table))
    kept = wide.filter(pl.col("preference") != 0)
    lines = [
        (row["sid"] + 1, *((row["system"], row["other"])[:: row["preference"]]))
        for row in kept.iter_rows(named=True)
    ]
    path = written(tmp_path / "x.rank", lines)
    again = pairwise(read_rankings(path))
    columns = ["sid", "system", "other", "preference"]
    assert again.select(columns).sort(columns).equals(kept.select(columns).sort(columns))


def read_rankings_quietly(path):
    with pytest.warns(UserWarning, match="without a rank"):
        return read_rankings(path)
