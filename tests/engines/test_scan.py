"""Links of a place as a LazyFrame, against the same rows in memory."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alignframe import links, scan_links
from alignframe.errors import InputError
from alignframe.read.parquet import Part

ROWS = pl.DataFrame(
    [
        (domain, system, sid, [{"i": sid % 3, "j": k} for k in range(sid % 4)], f"note {sid}")
        for domain in ("law", "news", None)
        for system in ("a", "b")
        for sid in range(30)
    ],
    ["domain", "system", "sid", "links", "note"],
    orient="row",
)


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lake")
    for (domain, system), rows in ROWS.group_by("domain", "system"):
        place = folder / f"domain={domain or '__HIVE_DEFAULT_PARTITION__'}" / f"system={system}"
        place.mkdir(parents=True)
        rows.drop("domain", "system").write_parquet(place / "0.parquet", row_group_size=10)
    return folder


@pytest.fixture
def read(monkeypatch):
    """The partitions and row groups that are read, with their columns."""
    seen = []
    original = Part._read

    def noted(self, fields, rows):
        seen.append((dict(self.file.keys), self.row_groups, [field.name for field in fields]))
        return original(self, fields, rows)

    monkeypatch.setattr(Part, "_read", noted)
    return seen


DOMAIN, SYSTEM, SID = (pl.col(name) for name in ("domain", "system", "sid"))
PREDICATES = st.recursive(
    st.sampled_from(
        [
            DOMAIN == "law",
            DOMAIN.is_null(),
            DOMAIN.is_in(["news", "sport"]),
            SYSTEM != "a",
            SID < 7,
            SID.is_between(9, 12),
            pl.col("links").list.len() == 0,
            pl.col("note").str.ends_with("3"),
            (SYSTEM == "b") == (SID > 20),
            SYSTEM.str.len_chars() == 1,
            pl.lit(True),
        ]
    ),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda both: both[0] & both[1]),
        st.tuples(inner, inner).map(lambda both: both[0] | both[1]),
        inner.map(lambda one: ~one),
    ),
    max_leaves=4,
)


@given(
    predicate=PREDICATES, columns=st.lists(st.sampled_from(ROWS.columns), min_size=1, unique=True)
)
@settings(max_examples=40)
def test_any_query_has_the_rows_that_a_frame_has(lake, predicate, columns):
    wanted = ROWS.filter(predicate).select(columns)
    for engine in ("in-memory", "streaming"):
        found = scan_links(lake).filter(predicate).select(columns).collect(engine=engine)
        assert sorted(map(repr, found.rows())) == sorted(map(repr, wanted.rows()))


@given(predicate=PREDICATES, most=st.integers(0, 70))
@settings(max_examples=40)
def test_the_first_rows_are_those_before_a_predicate(lake, predicate, most):
    first = scan_links(lake).head(most)
    wanted = first.collect().filter(predicate)
    assert first.filter(predicate).collect().equals(wanted)
    assert first.filter(predicate).select("note").collect().equals(wanted.select("note"))


def test_a_file_without_partitions(tmp_path):
    ROWS.write_parquet(tmp_path / "all.parquet")
    links = scan_links(tmp_path / "all.parquet")
    assert links.filter(True).collect().equals(ROWS)
    assert links.head(40).filter(SYSTEM == "b").collect().height == 10


def test_a_key_that_is_a_column_of_other_files(tmp_path):
    """Files beside the folders of a key, with other columns, are read once."""
    for folder, table in (
        ("system=a", ROWS.filter(domain="law", system="a").drop("system", "note")),
        ("system=a/domain=news", ROWS.filter(domain="news", system="a").drop("system", "domain")),
    ):
        (tmp_path / folder).mkdir()
        table.write_parquet(tmp_path / folder / "0.parquet")
    found = scan_links(tmp_path)
    assert found.collect().height == 60
    for domain, notes in (("law", 0), ("news", 30)):
        part = found.filter(domain == DOMAIN).collect()
        assert part["note"].count() == notes
        assert part.height == 30


def test_only_what_a_query_needs_is_read(lake, read):
    query = scan_links(lake).filter((DOMAIN == "news") & (SYSTEM == "b") & (SID >= 25))
    assert query.select("sid", "links").collect().height == 5
    assert {(keys["domain"], keys["system"]) for keys, _, _ in read} == {("news", "b")}
    assert [groups for _, groups, names in read if "links" in names] == [(2,)]
    assert not any("note" in names for _, _, names in read)


def test_the_first_rows_do_not_read_the_rest(lake, read):
    assert scan_links(lake).head(3).collect().height == 3
    assert len(read) == 1


def test_links_are_scored_as_those_of_the_place(lake, tmp_path):
    gold = ROWS.filter(domain="law", system="a").drop("system", "domain", "note")
    hyp = scan_links(lake).filter(DOMAIN == "law").drop("note")
    frame = ROWS.filter(domain="law").drop("note")
    assert links.score(hyp, gold).scores.equals(links.score(frame, gold).scores)


def test_a_text_file_is_a_frame_too(bundled):
    found = scan_links(bundled / "eager.talp").filter(SID == 0).collect()
    assert found.height == 1
    assert found.columns[:3] == ["system", "sid", "links"]


def test_a_place_without_links_is_refused(tmp_path):
    ROWS.select("sid", "note").write_parquet(tmp_path / "text.parquet")
    with pytest.raises(InputError, match="links"):
        scan_links(tmp_path / "text.parquet")
    with pytest.raises(InputError, match="absent"):
        scan_links(tmp_path / "absent.parquet")
