"""Links as other tools write them: with scores, with types, as tables; and what is refused."""

import re

import duckdb
import polars as pl
import pytest
from helpers.cli import run
from helpers.formats import quietly, refusal_of, saved

import alignframe as af
from alignframe.errors import DataWarning, InputError
from alignframe.formats import detect, read, write

ONE = [{"i": 0, "j": 0, "sure": True}, {"i": 1, "j": 1, "sure": True}]
LONG = "sid,i,j,p\n1,0,0,0.9\n0,1,1,0.2\n0,0,0,0.9\n"


def links_of(path, **options):
    return quietly(read, path, **options)["links"].to_pylist()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x", "0-0:.9 1-1:.2\n0-0:0.9\n"),
        ("x", "0-0/0.99 1-1/4.5e-1\n0-0/1\n"),
        ("x", "7\t0-0:.9 1-1:.2\n8\t0-0:0.9\n"),
        ("x.csv", LONG),
        ("x.tsv", LONG.replace(",", "\t")),
        ("x", LONG.replace("p", "probability")),
        ("x.jsonl", '{"sid": 0, "links": "0-0:0.9 1-1:0.2"}\n{"sid": 1, "links": "0-0:1"}\n'),
    ],
)
def test_a_score_is_a_probability(tmp_path, name, text):
    path = saved(tmp_path / name, text)
    assert links_of(path) == [ONE, ONE[:1]]
    assert links_of(path, min_probability=0.5) == [ONE[:1], ONE[:1]]


def test_a_link_without_a_score_stays(tmp_path):
    path = saved(tmp_path / "x", "0-0:.9 1-1\n")
    assert read(path)["probabilities"].to_pylist() == [[0.9, None]]
    assert links_of(path, min_probability=0.95) == [ONE[1:]]


def test_of_two_scores_the_first_is_the_probability(tmp_path):
    path = saved(tmp_path / "x", "NULL-2:.5:.5 0-0:0.91:0.88 1-1:0.75:0.5\n")
    with pytest.warns(DataWarning) as told:
        table = read(path)
    assert [re.search("two scores|position 0", str(one.message))[0] for one in told] == [
        "position 0",
        "two scores",
    ]
    assert table["links"].to_pylist() == [ONE]
    assert table["probabilities"].to_pylist() == [[0.91, 0.75]]
    assert links_of(path, min_probability=0.8) == [ONE[:1]]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("1:1/1 2:2/0\n", {}),
        ("1:1/1 2:2/0\n", {"base": 1}),
        ("0:0/1 1:1/0\n", {"base": 0}),
        ("0:0:sure 1:1:possible\n", {}),
        ("1 0:0:sure 1:1:possible\n", {}),
        ("1\t0:0:sure 1:1:possible\n", {}),
    ],
)
def test_types_are_labels(tmp_path, text, options):
    possible = {"i": 1, "j": 1, "sure": False}
    assert links_of(saved(tmp_path / "x", text), **options) == [[ONE[0], possible]]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1-1(SEM) 2,3-2(GIS) 4-(NTR)\n", "GALE's links with types.*base"),
        ("0.9,0.1,0 0.1,0.8,0.1 0,0,1\n", "Marian's soft alignments.*--alignment hard"),
        ("0 ||| a test ||| LM0= -1 ||| -0.5 ||| 0-0 1-1\n", "n-best list with links.*awk"),
        ("0 ||| a b ||| LM0= -1 ||| -0.5 ||| 0-1=0-1\n", "n-best list with links"),
        ("0,0,0\n0,1,1\n", "without a header.*sid,i,j"),
        ("0,0,0,0.9\n", "without a header.*sid,i,j"),
        ("0-0|0.9 1-1|0.5\n", "unknown notation.*0-0:0.9"),
        ("0:0 1:1\n", "unknown notation.*source-target"),
        ("0:0/1\n", "x:1: '0:0/1'.*base=0"),
        ("0.98 0.75 1.0\n", "probabilities of links without the links"),
        ("1 0:0:sure\n2 0:0:sure 1:2:partial\n", "x:2: '1:2:partial'.*other than sure"),
        ("0-0\n3 0:0:sure\n", "x:2: '3' is not a link"),
        ("[(0, 0), (1, 1)]\n", "lists of Python.*0-0 1-2"),
    ],
)
def test_other_notations_are_refused_by_name(tmp_path, text, found):
    message = refusal_of(read, saved(tmp_path / "x", text))
    assert re.search(found, message), message


def test_an_n_best_list_is_no_phrase_table(tmp_path):
    path = saved(tmp_path / "x", "0 ||| a test ||| LM0= -1 ||| -0.5 ||| 0-0 1-1\n")
    assert "n-best list" in refusal_of(read, path, "moses")


def test_a_table_keeps_labels_and_probabilities(tmp_path):
    path = saved(tmp_path / "x.csv", "sid,i,j,sure,probability\n0,0,0,true,0.9\n2,1,1,false,0.5\n")
    table = read(path)
    assert detect(path) == "table"
    write(table, tmp_path / "y.csv")
    assert (tmp_path / "y.csv").read_text() == path.read_text()


def test_a_table_has_no_base(tmp_path):
    assert "base" in refusal_of(read, saved(tmp_path / "x.csv", LONG), base=1)


def test_long_lines_are_refused_at_once(tmp_path):
    """Ways to match such lines grow exponentially, if digits can be matched in two ways."""
    for line in ("12345678," * 9 + "1. x", "0 ||| a ||| b ||| " + "1" * 9000, "0" + " ||| a" * 900):
        assert "x" in refusal_of(read, saved(tmp_path / "x", f"{line}\n"))


def test_a_probability_that_is_no_number_is_refused(tmp_path):
    path = saved(tmp_path / "x.csv", LONG.replace("0.2", "0.2?"))
    for options in ({}, {"min_probability": 0.5}):
        assert "a column probabilities of type list<item: string>" in refusal_of(
            read, path, **options
        )


def test_a_sentence_number_of_many_digits_is_refused(tmp_path):
    path = saved(tmp_path / "x", f"{'9' * 5000} 0:0:sure\n")
    assert "links with types" in refusal_of(read, path)


@pytest.mark.parametrize("row", ['{"links": "0-0"}', '{"sid": null, "links": "0-0"}'])
def test_a_row_without_a_sentence_number_is_refused(tmp_path, row):
    path = saved(tmp_path / "x.jsonl", f'{{"sid": 0, "links": "0-0"}}\n{row}\n')
    assert "a column sid of type int64 with 1 missing value" in refusal_of(read, path)


TABLES_OF_TEXTS = {
    "x.parquet": pl.DataFrame.write_parquet,
    "x.csv": pl.DataFrame.write_csv,
    "x.tsv": lambda frame, path: frame.write_csv(path, separator="\t"),
    "x.jsonl": pl.DataFrame.write_ndjson,
}


@pytest.mark.parametrize("name", TABLES_OF_TEXTS)
def test_texts_of_links_are_links_in_every_table(tmp_path, name):
    columns = {"sid": [0, 1], "src": ["a b", "a"], "tgt": ["c d e", "c"]}
    table = pl.DataFrame({**columns, "links": ["0-0 1p2", "0-0"]})
    TABLES_OF_TEXTS[name](table, tmp_path / name)
    (tmp_path / "x.talp").write_text("0-0 1p2\n0-0\n")
    (tmp_path / "x.en").write_text("a b\na\n")
    (tmp_path / "x.fr").write_text("c d e\nc\n")
    wanted = quietly(read, tmp_path / "x.talp")["links"].to_pylist()
    assert links_of(tmp_path / name) == wanted
    turned = [[{**link, "i": link["j"], "j": link["i"]} for link in row] for row in wanted]
    assert links_of(tmp_path / name, order="tgt-src") == turned
    found = af.links.score(tmp_path / name, tmp_path / "x.talp").scores
    assert found.select("links", "aer").rows() == [(3, 0.0)]
    query = "select links, aer from link_scores('h', 'g')"
    tables = {"h": str(tmp_path / name), "g": str(tmp_path / "x.talp")}
    assert af.connect(tables=tables).sql(query).fetchall() == [(3, 0.0)]
    text = "--src", "x.en", "--tgt", "x.fr"
    run("phrases", "extract", "--links", name, *text, "-o", "p.parquet", folder=tmp_path)
    run("convert", name, "y.parquet", *text, folder=tmp_path)
    assert links_of(tmp_path / "y.parquet") == wanted


def test_texts_of_links_keep_scores_and_name_faults(tmp_path):
    path = tmp_path / "x.parquet"
    pl.DataFrame({"sid": [0, 7], "links": ["0-0:0.9 1-1:.2", "0-0:1"]}).write_parquet(path)
    assert links_of(path, min_probability=0.5) == [ONE[:1], ONE[:1]]
    assert read(path)["probabilities"].to_pylist() == [[0.9, 0.2], [1.0]]
    assert af.links.score(path, path).scores["links"].to_list() == [3]
    pl.DataFrame({"sid": [0, 7], "links": ["0-0", "0-0"]}).write_parquet(path)
    assert "no probabilities" in refusal_of(read, path, min_probability=0.5)
    pl.DataFrame({"sid": [0, 7], "links": ["0-0", "1-x"]}).write_parquet(path)
    assert "sentence 7: '1-x' is not a link" in refusal_of(read, path)
    # Other texts called links stay as they are.
    tables = {"t": pl.DataFrame({"sid": [0], "links": ["see there"]})}
    assert af.connect(tables=tables).sql("select links from t").fetchall() == [("see there",)]
    pl.DataFrame({"links": ["0-0"]}).write_csv(tmp_path / "y.csv")
    assert "has the columns links; expected sid" in refusal_of(read, tmp_path / "y.csv")


@pytest.mark.parametrize("name", ["x.parquet", "x.jsonl"])
def test_lists_of_pairs_are_links_in_files_too(tmp_path, name):
    path = tmp_path / name
    write = TABLES_OF_TEXTS[name]

    def in_sql():
        query = "select list_transform(links, lambda x: (x.i, x.j, coalesce(x.sure, true))) from t"
        return af.connect(tables={"t": str(path)}).sql(query).fetchall()

    write(pl.DataFrame({"sid": [0, 1], "links": [[[0, 0], [1, 1]], [[0, 0]]]}), path)
    assert links_of(path) == [ONE, ONE[:1]]
    assert af.links.score(path, ["0-0 1-1", "0-0"]).scores["aer"].to_list() == [0]
    assert in_sql() == [([(0, 0, True), (1, 1, True)],), ([(0, 0, True)],)]
    write(pl.DataFrame({"sid": [0, 1], "links": [[[0, 0], [1, 1, 0]], []]}), path)
    assert links_of(path) == [[ONE[0], {**ONE[1], "sure": False}], []]
    assert in_sql() == [([(0, 0, True), (1, 1, False)],), ([],)]
    for bad, said in (
        ([[0, 0], [1]], "with other parts"),
        ([[0, 0, 1], [1, 1, 7]], "the label sure 7"),
        ([[0, 0, 1, 1]], "with other parts"),
    ):
        write(pl.DataFrame({"sid": [0], "links": [bad]}), path)
        assert re.search(said, refusal_of(read, path))
        with pytest.raises((InputError, duckdb.Error)):
            in_sql()
    write(pl.DataFrame({"sid": [0], "links": [[[0, -1], [1, 1]]]}), path)
    assert "the link position -1" in refusal_of(read, path)
