"""Beads whose documents several columns identify."""

import polars as pl
import pytest
from helpers.cli import json_of, run

from alignframe import beads
from alignframe.errors import DataWarning, InputError

SPANS = ["src_start", "src_end", "tgt_start", "tgt_end"]


def beads_of(*rows):
    schema = {"domain": pl.String, "doc": pl.Int64, **dict.fromkeys(SPANS, pl.Int64)}
    return pl.DataFrame(rows, schema, orient="row")


GOLD = beads_of(
    ("x", 1, 0, 1, 0, 1), ("x", 1, 1, 3, 1, 2), ("x", 2, 0, 1, 0, 1), ("y", 1, 0, 2, 0, 1)
)
FOUND = beads_of(
    ("y", 1, 0, 2, 0, 1),
    ("x", 1, 0, 1, 0, 1),
    ("x", 1, 1, 2, 1, 2),
    ("x", 1, 2, 3, 2, 2),
    ("x", 2, 0, 1, 0, 1),
)


def named(frame):
    name = pl.concat_str(pl.col("domain"), pl.lit("-"), pl.col("doc"))
    return frame.select(name.alias("doc"), *SPANS)


def test_beads():
    """Documents of equal names in two domains are two documents."""
    on = ["domain", "doc"]
    mine, other = beads.score(FOUND, GOLD, on=on), beads.score(named(FOUND), named(GOLD))
    assert mine.scores.equals(other.scores)
    assert mine.counts.columns[:3] == ["system", *on]
    assert mine.counts.drop(on).equals(other.counts.drop("doc"))
    assert mine.counts.select(on).rows() == [("x", 1), ("x", 2), ("y", 1)]
    assert mine.worst(1).select(on).rows() == [("x", 1)]
    by_domain = beads.score(FOUND, GOLD, on=on, by="domain").scores
    assert by_domain.select("domain", "n_hyp", "n_gold").rows() == [("x", 4, 3), ("y", 1, 1)]
    assert beads.score(FOUND, GOLD, on=on, by=on).scores.select(on).height == 3
    sizes = pl.DataFrame({"domain": ["x", "x", "y"], "doc": [1, 2, 1], "n_src": [3, 1, 2]})
    sizes = sizes.with_columns(n_tgt=pl.Series([2, 1, 1]))
    assert beads.score(FOUND, GOLD, on=on, lengths=sizes).scores["n_src"].item() == 6


def test_names_of_documents_differ():
    """Slashes in values of the key do not make one document of two."""
    on = ["domain", "doc"]
    gold = pl.DataFrame(
        [
            ("x", "1/doc=2", 0, 1, 0, 1),
            ("x/doc=1", "2", 0, 1, 0, 1),
            ("x%2Fdoc=1", "2", 0, 1, 0, 1),
        ],
        schema=[*on, *SPANS],
        orient="row",
    )
    found = beads.score(gold, gold, on=on)
    assert found.scores["n_gold"].item() == 3
    assert set(found.counts.select(on).rows()) == set(gold.select(on).rows())


def test_bad_beads():
    """Errors and warnings name the document by its key."""
    on = ["domain", "doc"]
    for hyp, said in (
        (FOUND.drop("domain"), "has the columns doc, src_start.*expected the column domain"),
        (FOUND.with_columns(domain=None), "null domain in 5 rows"),
        (FOUND.with_columns(domain=pl.lit("z")), "no key of .*domain=z/doc=1, is a key of gold"),
    ):
        with pytest.raises(InputError, match=said):
            _ = beads.score(hyp, GOLD, on=on).scores
    with pytest.warns(DataWarning, match="'domain=y/doc=1'"):
        _ = beads.score(FOUND.filter(domain="x"), GOLD, on=on).scores
    with pytest.raises(InputError, match="expected one of doc, type, domain"):
        _ = beads.score(FOUND, GOLD, on=on, by="topic").scores


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
def test_files(suffix, tmp_path):
    """Tables in files have their columns; a format without any is refused."""
    on = ["domain", "doc"]
    paths = [tmp_path / f"{name}.{suffix}" for name in ("hyp", "gold")]
    for path, table in zip(paths, (FOUND, GOLD), strict=True):
        write = {"csv": table.write_csv, "jsonl": table.write_ndjson}
        write.get(suffix, table.write_parquet)(path)
    mine, other = beads.score(*paths, on=on), beads.score({"hyp": FOUND}, GOLD, on=on)
    assert mine.scores.equals(other.scores)
    assert mine.counts.equals(other.counts)
    with pytest.raises(InputError, match="vecalign; expected a table with domain, doc"):
        _ = beads.score("datasets/mill/mill.beads", paths[1], on=on).scores
    given = ("beads", "score", "--hyp", paths[0], "--gold", paths[1], "--on", "domain,doc")
    printed, said = run(*map(str, given), "--by", "domain", "--json")
    assert said == ""
    assert [row["n_hyp"] for row in json_of(printed)] == [4, 1]
    _, said = run(*map(str, given), "--gold-base", "1", code=2)
    assert "--gold-base with --on; expected one of them" in said
