"""All forms of input give the same figures, and anything else causes an error that lists them."""

import io
import json
import re
import warnings
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.cli import json_of, run
from hypothesis import given, settings
from hypothesis import strategies as st

import alignframe as af
from alignframe import formats
from alignframe.errors import DataWarning, InputError
from alignframe.formats.sentences import read_sentences
from alignframe.read.tables import read_table
from alignframe.sources.pairs import sentence_pairs
from alignframe.sources.words import table_of
from alignframe.stats.subsets import read_sids

PAIRS = st.lists(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), unique=True, max_size=6),
    min_size=1,
    max_size=5,
)
SRC = ["the cat", "a dog", "the dog barks"]
TGT = ["le chat", "un chien", "le chien aboie"]


def pharaoh(links):
    return [" ".join(f"{i}-{j}" for i, j in sentence) for sentence in links]


def ways(links, folder=None):
    """Return the same links in all accepted forms."""
    rows = [{"sid": sid, "i": i, "j": j} for sid, one in enumerate(links) for i, j in one]
    nested = [[{"i": i, "j": j} for i, j in one] for one in links]
    yield pharaoh(links)
    yield links
    yield [set(one) for one in links]
    yield pl.Series(pharaoh(links))
    yield pd.Series(pharaoh(links), dtype=object)
    yield pa.array(pharaoh(links))
    yield io.StringIO("".join(f"{one}\n" for one in pharaoh(links)))
    yield {"sid": range(len(links)), "links": pharaoh(links)}
    yield {"sid": range(len(links)), "links": links}
    yield pl.DataFrame({"sid": range(len(links)), "links": pharaoh(links)}).lazy().collect()
    if all(links):  # a long table has no row for a sentence without links
        yield rows
        yield pd.DataFrame(rows)
        yield pl.DataFrame(rows).lazy()
        yield pa.table({"sid": range(len(links)), "links": nested})
    if folder is not None:
        path = folder / "links.talp"
        path.write_text("".join(f"{one}\n" for one in pharaoh(links)))
        yield path


@settings(max_examples=4)
@given(hyp=PAIRS, gold=PAIRS)
def test_links_in_any_form_have_the_same_scores(tmp_path_factory, hyp, gold):
    size = min(len(hyp), len(gold))
    hyp, gold = hyp[:size], gold[:size]
    wanted = af.links.score({"a": pharaoh(hyp)}, pharaoh(gold)).counts
    assert wanted["n_hyp"].to_list() == [len(one) for one in hyp]
    assert wanted["n_hyp_sure"].to_list() == [
        len({*one} & {*other}) for one, other in zip(hyp, gold, strict=True)
    ]
    for one in ways(hyp, tmp_path_factory.mktemp("hyp")):
        assert af.links.score({"a": one}, gold).counts.equals(wanted)
    for one in ways(gold, tmp_path_factory.mktemp("gold")):
        assert af.links.score({"a": hyp}, one).counts.equals(wanted)


def test_the_first_line_typed_in_a_notebook():
    scores = af.links.score(["0-0 1-1"], ["0-0"]).scores
    assert scores.select("system", "precision", "recall").row(0) == ("hypothesis", 0.5, 1.0)
    both = {"a": ["0-0 1-1"], "b": [[(0, 0)]]}
    assert af.links.score(both, ["0-0 1p1"]).scores["aer"].to_list() == [0.0, 0.0]
    assert af.links.symmetrize(["0-0"], ["0-0 1-1"], "union")["links"][0].len() == 2
    phrases = af.phrases.extract(["0-0 1-1"], bitext=(["the cat"], ["le chat"]), with_words=True)
    assert phrases["src"].to_list() == ["the", "cat"]
    found = af.phrases.score(["0-0 1-1"], ["0-0 1-1"], (["the cat"], ["le chat"])).scores
    assert set(found["f"]) == {1.0}
    lexicon = af.lexicon.induce((SRC, TGT), n_best=1)
    assert "chien" in lexicon["tgt"].to_list()
    assert af.lexicon.lookup({"src": ["a"], "tgt": ["b"], "rank": [1]}, ["a"])["tgt"][0] == "b"
    assert af.lexicon.merge(lexicon, [("cat", "matou")], first="dictionary").height
    beads = af.beads.align(["The cat sat.", "It slept."], ["Le chat dort.", "Il dort."])
    assert beads.height == 2
    scored = af.beads.score([(0, 1, 0, 1), (1, 2, 1, 3)], [([0], [0]), ([1], [1, 2])]).scores
    assert scored["strict_recall"][0] == 1
    table = {"system": ["a", "b", "c"], "f": [0.1, 0.2, 0.4]}
    rows = [{"system": name, "f": f} for name, f in zip("abc", table["f"], strict=True)]
    for one in (table, rows, pd.DataFrame(table)):
        for other in ({"a": 1, "b": 2, "c": 4}, {"system": ["a", "b", "c"], "score": [1, 2, 4]}):
            assert af.stats.correlate(one, other, bootstrap=0)["pearson"][0] == pytest.approx(1)


def bitexts(folder):
    """Return the same text in all accepted forms of a bitext."""
    words = [[text.split() for text in side] for side in (SRC, TGT)]
    table = pa.table([range(3), *words], names=["sid", "src", "tgt"])
    paths = [folder / name for name in ("text.parquet", "text.src", "text.tgt", "both.txt")]
    pq.write_table(table, paths[0])
    for path, side in zip(paths[1:], (SRC, TGT), strict=False):
        path.write_text("".join(f"{line}\n" for line in side))
    paths[3].write_text("".join(f"{a} ||| {b}\n" for a, b in zip(SRC, TGT, strict=True)))
    yield table
    yield table.to_reader()
    yield pl.from_arrow(table).lazy()
    yield pl.from_arrow(table).to_pandas()
    yield pl.DataFrame({"sid": range(3), "src": SRC, "tgt": TGT})
    yield {"sid": range(3), "src": SRC, "tgt": words[1]}
    yield [{"sid": k, "src": SRC[k], "tgt": words[1][k]} for k in range(3)]
    yield SRC, TGT
    yield tuple(words)
    yield pl.Series(SRC), pd.Series(TGT, dtype=object)
    yield list(zip(SRC, words[1], strict=True))
    yield str(paths[0])
    yield paths[3]
    yield paths[1], paths[2]


def test_bitexts_in_any_form_are_equal(tmp_path):
    wanted = None
    for one in bitexts(tmp_path):
        text = sentence_pairs(one).table().to_pydict()
        wanted = wanted or text
        assert text == wanted
    for number, one in enumerate(bitexts(tmp_path)):
        held = sentence_pairs(one).in_memory()
        found = af.lexicon.induce(held, n_best=2).frame.to_dict(as_series=False)
        links = af.links.score(["0-0"] * 3, ["0-0"] * 3, by="length", bitext=held).counts
        assert links["length"].to_list() == ["1-5"] * 3
        if not number:
            induced = found
        assert found == induced


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: af.links.score(3, ["0-0"]).scores,
            "given as links; expected a table of links, .*pairs",
        ),
        (lambda: af.links.score(["0-0"], [3]).scores, "list of int given as links; expected"),
        (
            lambda: af.links.score(["0-0", "1-x"], ["0-0", ""]).scores,
            "links:2: '1-x' is not a link",
        ),
        (lambda: af.links.score(["0-0", 3], ["0-0", ""]).scores, "given as links"),
        (
            lambda: af.links.score([[(0, -1)]], ["0-0"]).scores,
            r"the link \(0, -1\); expected whole",
        ),
        (lambda: af.links.score([[(0, 1.5)]], ["0-0"]).scores, r"the link \(0, 1.5\)"),
        (lambda: af.links.score([[(0, 70_000)]], ["0-0"]).scores, r"the link \(0, 70000\)"),
        (lambda: af.links.score(["no such.talp"], ["0-0"]).scores, "no such file"),
        (lambda: af.links.score({"a": 3}, ["0-0"]).scores, "an object of type int given as links"),
        (lambda: af.links.score(["0-0"], []).scores, "an empty list given as links"),
        (
            lambda: af.links.score(["0-0", float("nan")], ["0-0"]).scores,
            "list of str and float given as",
        ),
        (
            lambda: af.mt.score(["a b", float("nan")], ["a b", "c"]).scores,
            "sentences with nan; expected",
        ),
        (
            lambda: af.mt.score(["a b", "c"], ["a b", float("nan")]).scores,
            "sentences with nan; expected",
        ),
        (
            lambda: af.mt.score(pd.DataFrame({"text": ["a", 1]}), ["a", "b"]).scores,
            "a table that cannot be read .*column text .*values of one type",
        ),
        (
            lambda: (
                af.links.score(pd.DataFrame([[0, "0-0", ""]], columns=list("aab")), ["0-0"]).scores
            ),
            "Duplicate column names found.*expected columns of different names",
        ),
        (lambda: af.lexicon.induce(7), "given as the text; expected a table .*list of pairs"),
        (lambda: af.lexicon.induce(["a", "b"]), "list of str given as the text; expected a table"),
        (lambda: af.aligners.align({"src": ["a"], "tgt": ["b"]}, "hmm"), "such as model='hmm'"),
        (lambda: af.lexicon.induce((["a"], ["b", "c"])), "1 source sentences and 2 target"),
        (lambda: af.lexicon.induce((["a"], [3])), "the tgt side with 3; expected a path, a col"),
        (lambda: af.lexicon.induce((["a\nb"], ["c"])), "line break"),
        (lambda: af.lexicon.induce({"src": [1], "tgt": [2]}), "a column src of type int64"),
        (lambda: af.lexicon.induce({"src": ["a"]}), "expected the column tgt"),
        (lambda: af.lexicon.induce({"src": ["a"], "tgt": ["b", "c"]}), "cannot be made"),
        (lambda: af.lexicon.lookup(3, ["a"]), "given as the lexicon; expected a polars"),
        (
            lambda: af.beads.score(5, [(0, 1, 0, 1)]).scores,
            "given as beads; expected a table of beads",
        ),
        (lambda: af.beads.score([(0, 1, 0)], [(0, 1, 0, 1)]).scores, "given as beads"),
        (lambda: af.beads.score([([0, 2], [0])], [(0, 1, 0, 1)]).scores, "bead 0 .*consecutive"),
        (lambda: af.beads.align(5, ["a"]), "expected a path, a column"),
        (lambda: af.stats.correlate(5, {"a": 1}), "given as the table of counts or scores"),
    ],
)
def test_anything_else_is_refused_with_the_accepted_forms(call, message):
    with pytest.raises(InputError, match=message):
        call()


def given_as(path):
    """Return a file of links in the forms that systems have in a dict."""
    table = af.formats.read(path)
    frame = pl.DataFrame(pl.from_arrow(table))
    texts = [one[0] for one in [line.split("\t") for line in Path(path).read_text().splitlines()]]
    columns = {"sid": frame["sid"], "links": frame["links"]}
    return (path, Path(path), table, frame, frame.lazy(), frame.to_pandas(), columns, texts)


@pytest.mark.parametrize("name", ["i", "sid", "links", "text", "words"])
def test_systems_may_be_called_like_columns(name):
    names = ("eager", "forward")
    wanted = None
    for one, two in zip(*(given_as(f"datasets/en-fr/{each}.talp") for each in names), strict=True):
        for hyp in ({name: one, "j": two}, [{name: one}, {"j": two}]):
            found = af.links.score(hyp, "datasets/en-fr/gold.talp").scores.drop("system").rows()
            assert found == (wanted := wanted or found)
    texts = ["datasets/island/careful.en", "datasets/island/fluent.en"]
    frames = [pl.DataFrame({"text": Path(one).read_text().splitlines()}) for one in texts]
    for one, two in (texts, frames, [{"text": frame["text"]} for frame in frames]):
        found = af.mt.score(
            {name: one, "o": two}, "datasets/island/ref.en", metrics=["bleu"]
        ).scores
        assert set(found["system"]) == {name, "o"}


@pytest.mark.parametrize(
    ("command", "name", "file"),
    [
        (("links", "score", "--gold", "datasets/en-fr/gold.talp"), "i", "en-fr/eager.talp"),
        (("links", "score", "--gold", "datasets/en-fr/gold.talp"), "links", "en-fr/eager.talp"),
        (("mt", "score", "--ref", "datasets/island/ref.en"), "text", "island/careful.en"),
    ],
)
def test_systems_may_be_called_like_columns_in_the_shell(command, name, file):
    given = (f"--hyp={one}=datasets/{file}" for one in (name, "j"))
    rows = json_of(run(*command, *given, "--json")[0])
    assert sorted(row["system"] for row in rows) == sorted([name, "j"])


def test_texts_by_name_are_told_from_columns_of_texts():
    texts = ["a b c d", "e f g h"]
    assert af.mt.score({"sid": [0, 1], "text": texts}, texts).scores["bleu"].to_list() == [100]
    with pytest.raises(InputError, match="lists of texts called text, o; expected tables or paths"):
        af.mt.score({"text": texts, "o": texts}, texts).scores
    with pytest.raises(InputError, match="list of int given as links; expected a table"):
        af.links.score(
            {"i": af.formats.read("datasets/en-fr/eager.talp"), "j": [0]}, ["0-0"]
        ).scores


def test_duplicates_are_counted():
    with pytest.warns(DataWarning, match="1 link repeated"):
        assert af.links.score(["0-0 0-0"], ["0-0"]).counts["n_hyp"][0] == 1
    with pytest.warns(DataWarning, match="1 link repeated"):
        assert af.links.score([[(0, 0), (0, 0)]], ["0-0"]).counts["n_hyp"][0] == 1


@pytest.mark.parametrize("wrong", [{"a b", "c d"}, None, 5], ids=["set", "none", "number"])
def test_sets_of_translations_are_refused(wrong):
    for score in (af.mt.score, af.tesla.score):
        with pytest.raises(InputError, match="expected"):
            score(wrong, ["a b", "c d"])
        with pytest.raises(InputError, match="expected"):
            score(["a b", "c d"], wrong)


@pytest.mark.parametrize(
    "text",
    [
        "system, score, sid\na, 1, 4\nb, 2, 5\n",
        '\ufeff"system", "score", "sid"\n"a", "1", "4"\n"b", "2", "5"\n',
        "\nsystem\t score \tsid\r\na\t1\t 4\r\nb \t2\t5\r\n",
    ],
)
def test_every_reader_of_separated_cells_tidies_them(text, tmp_path):
    path = tmp_path / ("s.tsv" if "\t" in text else "s.csv")
    path.write_text(text, "utf-8")
    wanted = [("a", 1, 4), ("b", 2, 5)]
    assert pl.DataFrame(table_of(path, "it", ("system", "score", "sid"))).rows() == wanted
    read = read_table(path, "it").drop("line_of_file")
    assert read.rows() == [tuple(map(str, row)) for row in wanted]
    assert read_sids(path).tolist() == [4, 5]
    with pytest.warns(DataWarning, match="1 other columns were ignored: sid"):
        assert formats.read_external(path).to_pydict() == {"system": ["a", "b"], "score": [1, 2]}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sid,score,system\n1,2\n", "s.csv:2: 2 cells; expected 3"),
        ("sid,score,system\n\n1,2,a,4\n", "s.csv:3: 4 cells; expected 3; quote cells with commas"),
        ("sid,system,system\n1,2,3\n", "s.csv:1: two columns of the same name"),
        ('sid,score,system\n1,"2,3\n', "s.csv:2: a quote that is not closed"),
        ('sid,score,system\n1,"2"3,4\n', "s.csv:2: text after a closing quote"),
        ("sid,score,system\n1,\0,3\n", "s.csv:2: a NUL byte"),
        ("", "s.csv: the file is empty"),
    ],
)
def test_every_reader_of_separated_cells_names_the_line(text, said, tmp_path):
    path = tmp_path / "s.csv"
    path.write_text(text, "utf-8")
    for reader in (table_of, read_table, lambda given, _: read_sids(given)):
        with pytest.raises(InputError, match=re.escape(said)):
            reader(path, "it")


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        # quotes that people type: a quotation over two rows, one that never closes, a whole one
        ('sid\ttext\n0\t"Yes,\n1\the said."\n', ['"Yes,', 'he said."']),
        ('sid\ttext\n0\t"Yes\n1\tno\n', ['"Yes', "no"]),
        ('sid\ttext\n0\t"Yes"\n1\t"a" b\n', ['"Yes"', '"a" b']),
        ('sid\ttext\n0\t"Yes"\n1\tno\n', ['"Yes"', "no"]),
        ('sid\ttext\n0\ta "b\n1\t6" c\n', ['a "b', '6" c']),
        # quotes that programs write
        ('"sid"\t"text"\n0\t"Yes"\n1\tno\n', ["Yes", "no"]),
        ('sid\ttext\n0\t"a ""b"""\n1\tno\n', ['a "b"', "no"]),
        ('sid\ttext\n0\t"a\tb"\n1\tno\n', ["a\tb", "no"]),
        ('sid\ttext\n\n0\t"a\nb\nc"\n1\tno\n\n', ["a\nb\nc", "no"]),
    ],
)
def test_quotes_of_tsv_are_letters_unless_the_file_shows_otherwise(text, rows, tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text(text, "utf-8")
    assert table_of(path, "it").to_pydict() == {"sid": [0, 1], "text": rows}
    assert read_table(path, "it")["text"].to_list() == rows


def test_a_quotation_that_joins_rows_of_csv_is_told(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('sid,text\n0,"Yes\n1,he said"\n', "utf-8")
    with pytest.warns(DataWarning, match="quotes join lines into 1 row of several"):
        assert table_of(path, "it").num_rows == 1


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("t.tsv", "system score n\nA 1 2\n", "3 parts between spaces.*separated by tabs"),
        ("t.csv", "a;b\n1;2\n", "2 parts between semicolons.*separated by commas"),
        ("t.csv", "a\tb\n1\t2\n", "2 parts between tabs"),
        ("t.csv", "my score\n0.5\n", None),
        ("t.tsv", "a, b\nx\n", None),
    ],
)
def test_columns_separated_by_another_mark_are_told(name, text, told, tmp_path):
    (tmp_path / name).write_text(text)
    with warnings.catch_warnings(record=True) as given_warnings:
        warnings.simplefilter("always")
        assert table_of(tmp_path / name, "it").num_columns == 1
    assert [bool(re.search(told or "$^", str(one.message))) for one in given_warnings] == (
        [True] if told else []
    )


def test_columns_of_tables_as_text_keep_what_was_written(tmp_path):
    columns = {
        "id": (["001", "2"], None),
        "day": (["2004-05-03", "2004-05-04"], None),
        "hash": (["18446744073709551617", "1"], None),
        "n": (["1", "-20"], [1, -20]),
        "big": (["18446744073709551615", "1"], [18446744073709551615, 1]),
        "x": (["0.5", "1e3"], [0.5, 1000.0]),
        "sure": (["true", "false"], [True, False]),
        "doc": (["1", "2"], ["1", "2"]),
        "none": (["", ""], [None, None]),
    }
    texts = {name: kept for name, (kept, _) in columns.items()}
    path = tmp_path / "t.csv"
    path.write_text("\n".join(",".join(row) for row in [texts, *zip(*texts.values(), strict=True)]))
    wanted = {name: made or kept for name, (kept, made) in columns.items()}
    assert table_of(path, "it", text=["doc", "absent"]).to_pydict() == wanted
    path = tmp_path / "t.jsonl"
    rows = [dict(zip(wanted, row, strict=True)) for row in zip(*wanted.values(), strict=True)]
    for row in rows:
        row["doc"] = int(row["doc"])
        row["words"] = ["2004-05-03"]
    path.write_text("\n\n".join(map(json.dumps, rows)))
    kept = table_of(path, "it", text=["doc", "absent"]).to_pydict()
    assert kept == {**wanted, "words": [["2004-05-03"]] * 2}
    assert read_table(path, "it")["line_of_file"].to_list() == [1, 3]


def test_notes_that_are_no_text_are_left_out(tmp_path):
    table = pa.table({"src": ["a"], "tgt": ["b"], "rank": [1]})
    notes = {b"n_best": b"2", b"odd\xd9": b"", b"other": b"\xff"}
    pq.write_table(table.replace_schema_metadata(notes), tmp_path / "l.parquet")
    assert af.lexicon.lookup(tmp_path / "l.parquet", "a")["tgt"].to_list() == ["b"]


def test_a_damaged_table_is_an_input_error(tmp_path):
    path = tmp_path / "lexicon.parquet"
    pl.DataFrame({"src": ["a"], "tgt": ["b"], "rank": [1]}).write_parquet(path)
    data = bytearray(path.read_bytes())
    data[4:40] = bytes(36)  # the head of the first page
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"lexicon.parquet: the Parquet file is damaged"):
        af.lexicon.lookup(path, "a")


@pytest.mark.parametrize("other", ["text.en", "./text.en"])
def test_both_sides_from_one_file_are_told(tmp_path, monkeypatch, other):
    monkeypatch.chdir(tmp_path)
    Path("text.en").write_text("a b\nc\n")
    for call in (af.beads.align, lambda *sides: af.aligners.align(*sides, model="ibm1")):
        with pytest.warns(DataWarning, match=r"text\.en is both sides: its sentences"):
            call("text.en", other)


@pytest.mark.parametrize("pattern", ["*", "*.en"])
def test_a_side_that_is_a_pattern_is_named(tmp_path, pattern):
    (tmp_path / "a.en").write_text("a b\n")
    for call in (
        lambda glob: list(sentence_pairs(glob, glob).batches()),
        lambda glob: list(sentence_pairs(tmp_path / "a.en", glob).batches()),
        read_sentences,
    ):
        with pytest.raises(InputError, match=r"\*.*: is a pattern of names, of 1 file"):
            call(str(tmp_path / pattern))
