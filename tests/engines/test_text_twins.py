"""Twins of functions of texts, on real texts and on sentences of many words."""

import duckdb
import pyarrow as pa
import pytest

from alignframe import functions
from alignframe.engines.export import exported

WORDS = pa.list_(pa.string())


@pytest.fixture(scope="module")
def plain():
    """A connection with the exported macros, and nothing of Python's."""
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute(exported())
        yield connection


def check(plain, name, *columns):
    """Compare a twin with its function."""
    named = {f"c{k}": column for k, column in enumerate(columns)}
    plain.register("given_rows", pa.table({"place": range(len(columns[0])), **named}))
    query = f"select {name}({', '.join(named)}) from given_rows order by place"
    wanted = getattr(functions, name)(*columns).to_pylist()
    assert [value for (value,) in plain.execute(query).fetchall()] == wanted


def lines(path, most):
    with path.open(encoding="utf-8") as file:
        return [line.rstrip("\n") for line, _ in zip(file, range(most), strict=False)]


def test_bleu_counts_of_real_translations(plain, corpora):
    folder = corpora / "newstest" / "2012"
    # Neighbouring languages share names, numbers and short words.
    hyp, ref, other = (
        pa.array([line.split() for line in lines(folder / f"newstest2012.{code}", 1000)], WORDS)
        for code in ("es", "fr", "en")
    )
    one, two = (
        [list(refs) for refs in zip(*sides, strict=True)] for sides in ([ref], [ref, other])
    )
    for refs in (one, two):
        check(plain, "bleu_counts", hyp, pa.array(refs, pa.list_(WORDS)))


# Up to 255 places in a reference are bits of one number.
@pytest.mark.parametrize("kinds", [2, 41, 1009])
def test_bleu_counts_of_many_words(plain, kinds):
    hyps, refs = [], []
    for size in (3, 254, 255, 256, 300):
        words = [f"{k * k % kinds}" for k in range(size)]
        hyps += [words, words[1:] + words[:4], words[1:] + words[:4]]
        refs += [[words], [words], [words, words[::-1]]]
    check(plain, "bleu_counts", pa.array(hyps, WORDS), pa.array(refs, pa.list_(WORDS)))
