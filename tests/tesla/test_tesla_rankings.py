"""Reading human rankings."""

import csv
import json
from collections import Counter

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from reference.tesla_meta import pairs

from alignframe.core.arrow import to_table
from alignframe.core.schemas import RANKINGS
from alignframe.errors import DataWarning, InputError
from alignframe.tesla.rankings import language_pair, load_rankings, pairwise, read_rankings
from alignframe.tesla.system_files import possible_names, system_files

HEAD = (
    "srclang,trglang,srcIndex,judgeId,system1Id,system2Id,system3Id,"
    "system1rank,system2rank,system3rank"
)
WIDE = f"""{HEAD}
French,English,1,ann,x.1,y,z,1,2,2
French,English,1,ben,z,y,x.1,3,1,-1

French,English,12,ann,x.1,y,,2,1,
Spanish,English,3,ann,y,q,z,1,2,3
"""


def saved(folder, text, name="rankings.csv"):
    (folder / name).write_text(text, "utf-8")
    return folder / name


def test_wide_rankings(tmp_path):
    path = saved(tmp_path, WIDE)
    with pytest.warns(DataWarning, match=r"rankings\.csv: 1 translation"):
        table = to_table(read_rankings(path, "French-English"))
    assert table.schema == RANKINGS
    assert list(table.to_pydict().values()) == [
        [0, 0, 0, 1, 1, 2, 2],
        [0, 0, 0, 0, 0, 11, 11],
        ["ann", "ann", "ann", "ben", "ben", "ann", "ann"],
        ["x.1", "y", "z", "z", "y", "x.1", "y"],
        [1, 2, 2, 3, 1, 2, 1],
    ]


@pytest.mark.parametrize(
    ("systems", "wanted"),
    [({"x.1", "y", "z"}, "fr-en"), ({"q", "y", "z", "more"}, "es-en")],
)
def test_the_pair_of_the_systems_is_used(tmp_path, systems, wanted):
    found = load_rankings(saved(tmp_path, WIDE), systems=systems)
    assert (found.pair, found.chosen) == (wanted, True)
    assert set(found.table["system"].to_pylist()) == systems - {"more"}


@pytest.mark.parametrize("systems", [None, {"y"}, {"x.1", "y", "z", "q"}])
def test_without_a_pair_the_error_lists_them(tmp_path, systems):
    with pytest.raises(InputError, match=r"2 language pairs: es-en, fr-en.*`pair="):
        load_rankings(saved(tmp_path, WIDE), systems=systems)


def test_the_pair_that_ranks_most_of_the_systems_is_proposed(tmp_path):
    said = r"the systems fit none, rather fr-en, which ranks 2 of 3; .*`pair='fr-en'`$"
    with pytest.raises(InputError, match=said):
        load_rankings(saved(tmp_path, WIDE), systems={"x.1", "y", "other"})
    with pytest.raises(InputError, match="the systems fit none; "):
        load_rankings(saved(tmp_path, WIDE), systems={"other"})


def test_a_file_of_one_pair_needs_no_name(tmp_path):
    text = "\n".join(line for line in WIDE.splitlines() if "Spanish" not in line)
    found = load_rankings(saved(tmp_path, text), systems={"others"})
    assert (found.pair, found.chosen, found.unranked) == ("fr-en", False, 1)


def test_notations_of_pairs():
    assert language_pair("Czech-English") == language_pair("cz-en") == "cs-en"
    assert language_pair("Klingon-english") == "klingon-en"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("English,12,", "English,0,", r":5: '0' as srcIndex; expected a whole number from 1"),
        ("English,12,", "English,,", r":5: None as srcIndex"),
        ("x.1,y,z,1,2,2", "x.1,y,z,1,two,2", r":2: 'two' as system2rank; expected a whole number"),
        ("x.1,y,z,1,2,2", "x.1,y,z,1,1.5,2", r":2: '1\.5' as system2rank"),
        ("x.1,y,z,1,2,2", "x.1,y,z,1,0,2", r":2: the rank 0; expected from 1, -1 for none"),
        ("x.1,y,z,1,2,2", "x.1,,z,1,2,2", r":2: None as system2Id; expected a name"),
        ("x.1,y,z,1,2,2", "x.1,y,x.1,1,2,2", r":2: the system 'x\.1' occurs twice in a ranking"),
        ("x.1,y,z,1,2,2", "x.1,y,z,1,2", r":2: 9 cells; expected 10"),
        ("French,English,12", ",English,12", r":5: None as srclang"),
        ("srcIndex", "index", r":1: no column srcIndex"),
        ("system2rank", "second", r":1: no column system2rank"),
        ("srclang", "trglang", "two columns of the same name"),
        ("ann,x.1,y,z", 'ann,"x.1,y,z', "a quote that is not closed"),
    ],
)
def test_bad_rows_are_named_by_line(tmp_path, old, new, message):
    assert old in WIDE
    with pytest.raises(InputError, match=message):
        load_rankings(saved(tmp_path, WIDE.replace(old, new, 1)), "fr-en")


def test_an_unknown_pair(tmp_path):
    with pytest.raises(InputError, match=r"'de-en'.*es-en, f"):
        load_rankings(saved(tmp_path, WIDE), "de-en")
    table = pl.DataFrame({"ranking": [1], "sid": [0], "system": ["x"], "rank": [1]})
    with pytest.raises(InputError, match=r"srclang and trglang.*pair"):
        load_rankings(table, "fr-en")


LONG = [
    {"ranking": 4, "sid": 0, "judge": "ann", "system": "a", "rank": 1},
    {"ranking": 4, "sid": 0, "judge": None, "system": "b", "rank": 2},
    {"ranking": 5, "sid": 9, "judge": None, "system": "b", "rank": None},
]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet", "frame"])
def test_long_rankings(tmp_path, suffix):
    path = tmp_path / f"rankings.{suffix}"
    frame = pl.DataFrame(LONG)
    if suffix == "jsonl":
        path.write_text("\n".join(map(json.dumps, LONG)))
    elif suffix == "parquet":
        pq.write_table(pa.Table.from_pylist(LONG), path)
    elif suffix == "frame":
        path = frame
    else:
        frame.write_csv(path, separator="\t" if suffix == "tsv" else ",")
    found = load_rankings(path)
    assert found.table.to_pylist() == LONG[:2]
    assert found.unranked == 1


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"sid": -1}, ":4: -1 as sid"),
        ({"sid": None}, ":4: None as sid"),
        ({"ranking": "x"}, ":4: 'x' as ranking"),
        ({"system": ""}, ":4: '' as system"),
        ({"rank": True}, ":4: 'true' as rank"),
        ({"rank": 1.5}, ":4: 1.5 as rank"),
        ({"ranking": 4, "sid": 9, "system": "c"}, ":4: a ranking of several sentences"),
        ({"ranking": 4, "sid": 0}, ":4: the system 'a' occurs twice"),
    ],
)
def test_bad_rows_of_long_rankings(tmp_path, row, message):
    fine = {"ranking": 6, "sid": 1, "system": "a", "rank": 2}
    lines = [json.dumps(one) for one in (*LONG, {**fine, **row})]
    with pytest.raises(InputError, match=message):
        load_rankings(saved(tmp_path, "\n".join(lines), "r.jsonl"))


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("rank", [1.5, 2.0, 1.0], "line 1: 1.5 as rank; expected a whole number"),
        ("rank", ["first", "2", "1"], "line 1: 'first' as rank"),
        ("rank", [1.0, float("nan"), 1.0], "line 2: nan as rank"),
        ("sid", [0, 1, 1], "line 2: a ranking of several sentences"),
        ("sid", [0, 0, None], "line 3: None as sid"),
        ("system", ["a", None, "a"], "line 2: None as system"),
        ("system", ["a", "a", "a"], "line 2: the system 'a' occurs twice in a ranking"),
    ],
)
def test_bad_rows_of_frames(column, values, message):
    rows = {"ranking": [0, 0, 1], "sid": [0, 0, 1], "system": ["a", "b", "a"], "rank": [1, 2, 1]}
    with pytest.raises(InputError, match=message):
        pairwise(pl.DataFrame(rows | {column: values}))


def test_missing_ranks_of_a_frame_are_told():
    ranked = [(0, "a", 1), (0, "b", None), (0, "c", 2)]
    frame = pl.DataFrame(ranked, ["ranking", "system", "rank"], orient="row")
    with pytest.warns(DataWarning, match="^1 translation without a rank was left out$"):
        found = pairwise(frame.with_columns(sid=0))
    assert found.select("system", "other").rows() == [("a", "c")]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("r.txt", "x", r"the suffix '\.txt' of a file of rankings; expected \.parquet"),
        ("r.jsonl", '{"sid": 1}\nnone', r"r\.jsonl:2: invalid JSON"),
        ("r.jsonl", "[1]", r"r\.jsonl:1: \[1\]; expected an object"),
        ("r.parquet", "x", "not a Parquet file"),
        ("r.csv", "sid,system\n", "a file of rankings without rows"),
        (
            "r.csv",
            "srclang,trglang,srcIndex\nFrench,English,1\nGerman,English,2\n",
            "the columns srclang, trglang, srcIndex; expected",
        ),
        ("r.csv", "sid,system\n1,a\n", "the columns sid, system; expected those of WMT"),
        ("r.csv", f"{HEAD}\nFrench,English,1,ann,x,y,z,-1,-1,\n", "no ranks; expected ranks"),
    ],
)
def test_files_that_are_not_rankings(tmp_path, name, text, message):
    with pytest.raises(InputError, match=message):
        load_rankings(saved(tmp_path, text, name))


def test_pairs_of_a_ranking(tmp_path):
    table = load_rankings(saved(tmp_path, WIDE), "fr-en").table
    found = pairwise(table)
    assert found.rows() == [
        (0, 0, "ann", "x.1", "y", 1),
        (0, 0, "ann", "x.1", "z", 1),
        (0, 0, "ann", "y", "z", 0),
        (1, 0, "ben", "y", "z", 1),
        (2, 11, "ann", "x.1", "y", -1),
    ]
    rankings = [(0, {"x.1": 1, "y": 2, "z": 2}), (0, {"z": 3, "y": 1}), (11, {"x.1": 2, "y": 1})]
    slow = [(sid, one, two) for sid, one, two, strict in pairs(rankings) if strict]
    ordered = [(s, a, b) if p > 0 else (s, b, a) for _, s, _, a, b, p in found.rows() if p]
    assert ordered == slow


def test_files_of_systems(tmp_path):
    for name in ("new.fr-en.cmu", "new.fr-en.cmu.v2", "x.1.txt", "q", "readme", ".hidden.q"):
        (tmp_path / name).touch()
    found = system_files(tmp_path, ["cmu", "cmu.v2", "x.1", "q"])
    assert {name: path.name for name, path in found.items()} == {
        "cmu": "new.fr-en.cmu",
        "cmu.v2": "new.fr-en.cmu.v2",
        "q": "q",
        "x.1": "x.1.txt",
    }
    with pytest.raises(InputError, match=r"no file .*a, z"):
        system_files(tmp_path, ["z", "q", "a"])
    (tmp_path / "old.fr-en.cmu").touch()
    with pytest.raises(InputError, match=r"'cmu': new.*, old.*"):
        system_files(tmp_path, ["cmu"])
    with pytest.raises(InputError, match="no such folder"):
        system_files(tmp_path / "none", ["q"])
    assert possible_names("a.b.c") == ["a.b.c", "a.b", "b.c", "b", "c"]


def test_published_rankings(corpora):
    path = corpora / "wmt12" / "rankings.csv"
    with path.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["srclang"] == "French"]
    slots = range(1, 6)
    rankings = [
        (
            int(row["srcIndex"]) - 1,
            {row[f"system{k}Id"]: int(row[f"system{k}rank"]) for k in slots},
        )
        for row in rows
    ]
    ranked = [(sid, {s: r for s, r in ranks.items() if r > 0}) for sid, ranks in rankings]
    slow = Counter((sid, one, two) for sid, one, two, strict in pairs(ranked) if strict)
    found = load_rankings(path, "fr-en")
    ordered = Counter(
        (sid, one, two) if preference > 0 else (sid, two, one)
        for _, sid, _, one, two, preference in pairwise(found.table).rows()
        if preference
    )
    assert ordered == slow
    assert slow.total() == 11_594
    assert found.unranked == sum(r < 0 for _, ranks in rankings for r in ranks.values()) == 42
