"""Several documents: aligned together, read from folders, lists and tables, and scored."""

import random
import warnings
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from helpers.beads import parallel_text
from helpers.cli import json_of, run
from hypothesis import given, settings
from hypothesis import strategies as st

from alignframe import formats as f
from alignframe.beads import align, score
from alignframe.beads.measure import beads_measure, of_documents
from alignframe.beads.rows import align_sentences
from alignframe.core.schemas import SPANS
from alignframe.errors import DataWarning, InputError

pytestmark = pytest.mark.filterwarnings("ignore:improbable beads")  # texts are made up

LINES, OTHERS = parallel_text(60)
WORDS = st.sampled_from(["a", "bb", "house", "7", "paris", "?"])
TEXTS = st.lists(st.lists(WORDS, max_size=5).map(" ".join), max_size=5)


def rows(table):
    return table.select(SPANS).rows()


def parts(size):
    """The invented text in documents of this many lines, the last of which lacks a source line."""
    starts = range(0, len(LINES), size)
    src = {f"d{k}": LINES[at : at + size] for k, at in enumerate(starts)}
    tgt = {f"d{k}": OTHERS[at : at + size] for k, at in enumerate(starts)}
    src[f"d{len(starts) - 1}"] = src[f"d{len(starts) - 1}"][:-1]
    return src, tgt


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    home = tmp_path_factory.mktemp("documents")
    for code, side in zip(("en", "fr"), parts(10), strict=True):
        (home / code).mkdir()
        for name, lines in side.items():
            f.write_sentences(lines, home / code / f"{name}.{code}")
        files = sorted((home / code).iterdir())
        (home / f"{code}.list").write_text("".join(f"{file}\n" for file in files))
        table = pl.concat(
            pl.DataFrame({"doc": name, "sid": range(len(lines)), "text": lines})
            for name, lines in side.items()
        )
        table.write_parquet(home / f"{code}.parquet")
        table.sample(fraction=1.0, shuffle=True, seed=1).write_csv(home / f"{code}.csv")
    return home


@pytest.fixture(scope="module")
def together():
    return align(*parts(10))


# --- aligning together


@pytest.mark.filterwarnings("ignore:.*no sentence pair is certain")
@settings(max_examples=12)
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4), st.sampled_from([None, 0.3]))
def test_no_bead_crosses_documents(texts, threshold):
    sides = [{str(k): pair[side] for k, pair in enumerate(texts)} for side in (0, 1)]
    found = align(*sides, threshold=threshold)
    for k, (src, tgt) in enumerate(texts):
        beads = rows(found.filter(doc=str(k)))
        covered = [
            [i for b in beads for i in range(*b[:2])],
            [j for b in beads for j in range(*b[2:])],
        ]
        whole = [list(range(len(src))), list(range(len(tgt)))]
        if threshold is None:
            assert covered == whole
        else:
            assert all(set(own) <= set(every) for own, every in zip(covered, whole, strict=True))


def test_documents_learn_from_each_other(together):
    """There is little to learn from ten lines, but all sixty suffice."""
    src, tgt = parts(10)
    gold = pl.concat(
        pl.DataFrame(
            {"doc": name, "src_start": k, "src_end": k + 1, "tgt_start": k, "tgt_end": k + 1}
        )
        for name, lines in src.items()
        for k in range(len(lines))
    )
    assert list(together["doc"].unique(maintain_order=True)) == list(src)
    alone = pl.concat(align(src[name], tgt[name], doc=name) for name in src)
    assert score(together, gold, one_sided="ignore").scores["strict_f"][0] == 1.0
    assert together["score"].mean() > alone["score"].mean()


def test_a_single_document_is_aligned_as_before(together):
    src, tgt = parts(60)
    one = align(src, tgt)
    assert one.drop("doc").equals(align(src["d0"], tgt["d0"]).drop("doc"))
    assert set(one["doc"]) == {"d0"}


def test_other_methods_align_one_document_at_a_time():
    src, tgt = parts(20)
    found = align(src, tgt, "len")
    each = pl.concat(align(src[name], tgt[name], "len", doc=name) for name in src)
    assert found.equals(each)


def test_beads_do_not_depend_on_the_order_of_documents(together):
    src, tgt = parts(10)
    names = sorted(src, reverse=True)
    found = align({name: src[name] for name in names}, {name: tgt[name] for name in names})
    assert list(found["doc"].unique(maintain_order=True)) == names
    by_name = [frame.sort("doc", maintain_order=True) for frame in (found, together)]
    assert by_name[0].equals(by_name[1])


def test_documents_are_aligned_in_groups(monkeypatch, together):
    monkeypatch.setattr("alignframe.beads.documents.MAX_SENTENCES", 20)
    src, tgt = parts(10)
    two = {name: src[name] for name in ("d0", "d1")}, {name: tgt[name] for name in ("d0", "d1")}
    assert align(src, tgt).head(20).equals(align(*two))
    assert align(src, tgt).height == together.height


def test_documents_with_improbable_beads_are_named():
    home = Path(__file__).parents[2] / "datasets" / "mill"
    src, tgt = (f.read_sentences(home / f"mill.{code}").to_pylist() for code in ("en", "fr"))
    shuffled = random.Random(1).sample(tgt, len(tgt))
    sides = {"right": src, "wrong": src}, {"right": tgt, "wrong": shuffled}
    said = r"improbable beads in 1 of {} \(mean probability: {} 0\.[1-5]\d\): the sides may not be"
    with pytest.warns(DataWarning, match=said.format("2 documents", "wrong")):
        align(*sides)
    with pytest.warns(DataWarning, match=said.format("1 document", "document")):
        align(src, shuffled)
    with pytest.warns(DataWarning, match=said.format("2 documents", "wrong")):
        align_sentences(*(pa.array(side.values()) for side in sides), doc=pa.array(sides[0]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        align(src, tgt)
        align(*sides, threshold=0.5)
        align(*sides, "gale-church")  # its scores are no probabilities of beads


# --- inputs


def test_folders_globs_lists_and_tables_give_the_same_result(folder, together):
    for src, tgt in (
        (folder / "en", folder / "fr"),
        (f"{folder}/en/*.en", f"{folder}/fr/*"),
        (f"@{folder}/en.list", f"@{folder}/fr.list"),
        (folder / "en.parquet", pl.read_parquet(folder / "fr.parquet")),
        (folder / "en.csv", folder / "fr.csv"),
        (sorted((folder / "en").iterdir()), sorted((folder / "fr").iterdir())),
    ):
        assert (
            align(src, tgt)
            .sort("doc", maintain_order=True)
            .drop("score")
            .equals(together.drop("score"))
        )


def test_files_in_lists_are_paired_by_order(tmp_path, folder, together):
    for code in ("en", "fr"):
        for k, file in enumerate(sorted((folder / code).iterdir())):
            (tmp_path / f"{k}-{code}.txt").write_text(file.read_text())
        files = sorted(tmp_path.glob(f"*-{code}.txt"))
        (tmp_path / code).write_text("".join(f"{file}\n" for file in files))
    found = align(f"@{tmp_path}/en", f"@{tmp_path}/fr")
    assert rows(found) == rows(together)
    assert found["doc"][0] == "0-en"


MISTAKES = {
    "a side": (({"a": ["x"], "b": ["x"]}, {"a": ["y"]}), "1 document without a target side: 'b'"),
    "one of many": ((["x"], {"a": ["y"]}), "without a target side: 'document'"),
    "no text": (({"doc": ["a"], "text": [1]}, {"doc": ["a"], "text": ["y"]}), "type int64"),
    "words as sids": (
        ({"sid": ["x1", "x2"], "text": ["a", "b"]}, ["y"]),
        "a column sid of string in the source sentences; expected the numbers 0, 1, 2",
    ),
    "order": (({"sid": [0, 2], "text": ["a", "b"]}, ["y"]), "sid 2 .*expected 0, 1, 2"),
    "no name": (({"doc": ["a", None], "text": ["x", "y"]}, {"a": ["y"]}), "missing doc"),
    "nothing": (({}, {}), "no document among the source"),
}


@pytest.mark.parametrize(("sides", "message"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes(sides, message):
    with pytest.raises(InputError, match=message):
        align(*sides)


def test_names_and_sentences_of_digits_stay_text_in_csv(tmp_path):
    rows_of = {"doc": ["007"] * 3, "sid": [0, 1, 2], "text": ["12", "1956", "007"]}
    pl.DataFrame(rows_of).write_csv(tmp_path / "en.csv")
    pl.DataFrame(rows_of).write_parquet(tmp_path / "fr.parquet")
    found = align(tmp_path / "en.csv", tmp_path / "fr.parquet", "len")
    assert rows(found) == [(k, k + 1, k, k + 1) for k in range(3)]
    assert found["doc"].to_list() == ["007"] * 3


TABLES = {
    "columns": ({"texts": ["x"]}, ": the table of source sentences has the columns texts; expec"),
    "type": ({"text": [1, 2]}, "the column text of .*en.parquet of type int64"),
    "sid": ({"doc": ["a"], "sid": [1], "text": ["x"]}, "the sid 1 of the document 'a' in .*en.par"),
    "doc": ({"doc": [None], "text": ["x"]}, "a missing doc in .*en.parquet"),
}


@pytest.mark.parametrize(("table", "message"), TABLES.values(), ids=TABLES)
def test_errors_about_tables_name_the_file(tmp_path, table, message):
    pl.DataFrame(table).write_parquet(tmp_path / "en.parquet")
    with pytest.raises(InputError, match=message) as error:
        align(tmp_path / "en.parquet", ["x"])
    assert f"{tmp_path}/en.parquet" in str(error.value)


def test_mistakes_of_files(tmp_path, folder):
    (tmp_path / "none").mkdir()
    with pytest.raises(InputError, match="no files"):
        align(tmp_path / "none", folder / "fr")
    for name in ("a.en", "a.en.txt"):
        (tmp_path / name).write_text("x\n")
    with pytest.raises(InputError, match="two files for the document 'a'"):
        align(f"{tmp_path}/a.*", folder / "fr")
    with pytest.raises(InputError, match="two files for the document 'a'"):
        align([tmp_path / "a.en", tmp_path / "a.en.txt"], folder / "fr")
    with pytest.raises(InputError, match="`doc` is 'x' for 6 documents"):
        align(folder / "en", folder / "fr", doc="x")


# --- in the shell


def test_the_shell_writes_a_table_or_a_folder(folder, tmp_path, together):
    words = ("beads", "align", str(folder / "en"), str(folder / "fr"))
    printed, _ = run(*words, "-o", "x.parquet", "--bitext", "b.parquet", "--json", folder=tmp_path)
    assert json_of(printed)["documents"] == 6
    found = pl.read_parquet(tmp_path / "x.parquet").with_columns(pl.col("doc").cast(pl.String))
    assert found.equals(together)
    pairs = pl.read_parquet(tmp_path / "b.parquet")
    assert pairs.filter(doc="d1")["src"][0] == LINES[10]
    _, said = run(*words, "-o", "out", folder=tmp_path)
    assert said.startswith("6 documents, 59 and 60 sentences, 60 beads written to out (")
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == [
        f"d{k}.beads" for k in range(6)
    ]
    run(*words, "-o", "ces", "--to", "ces", folder=tmp_path)
    assert 'fromDoc="d1.en" toDoc="d1.fr"' in next(tmp_path.glob("ces/d1.*")).read_text()
    printed, _ = run(
        *("beads", "score", "--gold", "x.parquet", "--hyp", "out", "--json"), folder=tmp_path
    )
    (row,) = json_of(printed)
    assert (row["system"], row["strict_f"], row["n_gold"]) == ("out", 1.0, 59)


def test_a_folder_of_one_document_can_be_any_format(tmp_path):
    for code in ("en", "fr"):
        (tmp_path / code).mkdir()
        (tmp_path / code / f"a.{code}").write_text("One.\nTwo.\n")
    for more in ([], ["-o", "x.beads"], ["-o", "x.tmx", "--languages", "en,fr"]):
        printed, _ = run("beads", "align", "en", "fr", *more, folder=tmp_path)
        assert more or [line[:9] for line in printed.splitlines()] == ["[0]:[0]:0", "[1]:[1]:0"]
    assert (tmp_path / "x.beads").read_text().startswith("[0]:[0]:0")
    assert "<seg>Two.</seg>" in (tmp_path / "x.tmx").read_text()


def test_a_document_may_be_called_text_and_have_an_encoding(tmp_path):
    for code, text in (("en", "One.\nTwo.\n"), ("fr", "Étape.\nDeux.\n")):
        (tmp_path / code).mkdir()
        (tmp_path / code / f"text.{code}").write_text(text, "latin-1")
    found = align(tmp_path / "en", tmp_path / "fr", "len", encoding="latin-1")
    assert found["doc"].to_list() == ["text", "text"]
    words = ("beads", "align", "en", "fr", "--method", "len", "--encoding", "latin-1", "-o")
    run(*words, "x.parquet", "--bitext", "b.parquet", folder=tmp_path)
    assert pl.read_parquet(tmp_path / "x.parquet").cast({"doc": pl.String}).equals(found)
    assert pl.read_parquet(tmp_path / "b.parquet")["tgt"].to_list() == ["Étape.", "Deux."]
    _, said = run(*words, "x.beads", "--encoding", "utf-8", folder=tmp_path, code=2)
    assert "--encoding is given 2 times" in said


OVER_INPUTS = (
    ("align a.en a.fr -o a.en", "a.en"),
    ("align a.en a.fr -o ./a.fr", "a.fr"),
    (
        "align a.en a.fr --method vectors --src-vectors v.parquet --tgt-vectors v.parquet "
        "-o x.beads --bitext v.parquet",
        "v.parquet",
    ),
    ("score --gold g.parquet --hyp h.beads -o g.parquet", "g.parquet"),
    ("score --counts --gold h.beads --hyp h=g.parquet -o g.parquet", "g.parquet"),
    ("score --gold h.beads --hyp g.parquet --hyp h.beads --baseline h -o g.parquet", "g.parquet"),
)


@pytest.mark.parametrize(("words", "name"), OVER_INPUTS)
def test_no_input_is_overwritten(tmp_path, words, name):
    for file in ("a.en", "a.fr"):
        (tmp_path / file).write_text("One.\nTwo.\n")
    beads = pl.DataFrame([(0, 1, 0, 1), (1, 2, 1, 2)], schema=SPANS, orient="row")
    f.write_beads(beads, tmp_path / "g.parquet")
    f.write_beads(beads, tmp_path / "h.beads")
    pl.DataFrame({"v": [[1.0, 0.0], [0.0, 1.0]]}).write_parquet(tmp_path / "v.parquet")
    before = (tmp_path / name).read_bytes()
    _, said = run("beads", *words.split(), code=2, folder=tmp_path)
    assert (
        said == f"error: {name}: is both an input and the output; expected another file to write\n"
    )
    assert (tmp_path / name).read_bytes() == before


def test_the_shell_refuses_formats_for_one_document(folder, tmp_path):
    words = ("beads", "align", str(folder / "en"), str(folder / "fr"))
    for more in ([], ["-o", "x.beads"], ["-o", "x.tmx"]):
        _, said = run(*words, *more, code=2, folder=tmp_path)
        assert said.startswith("error: 6 documents for one file of the format")
    assert not list(tmp_path.iterdir())


def test_a_folder_of_beads_becomes_one_table(tmp_path, folder, together):
    words = ("beads", "align", str(folder / "en"), str(folder / "fr"))
    run(*words, "-o", "out", folder=tmp_path)
    for source in ("out", "out/*.beads"):
        _, said = run("convert", source, "x.parquet", folder=tmp_path)
        assert said == "6 documents, 60 beads written to x.parquet\n"
        found = pl.read_parquet(tmp_path / "x.parquet")
        assert rows(found) == rows(together)
        assert found["doc"].cast(pl.String).equals(together["doc"])
    for more, message in (
        (["x.beads"], "error: several files for one of the format vecalign; expected a Parquet"),
        (["x.parquet", "--doc", "a"], "error: out: --src, --tgt or --doc with several files"),
    ):
        _, said = run("convert", "out", *more, code=2, folder=tmp_path)
        assert said.startswith(message)


def test_translation_memories_in_a_folder_are_not_scored(tmp_path):
    (tmp_path / "tmx").mkdir()
    (tmp_path / "tmx" / "a.tmx").write_text("<tmx><body/></tmx>")
    with pytest.raises(InputError, match=r"a\.tmx: a translation memory numbers the sentences"):
        score({"a": tmp_path / "tmx"}, [(0, 1, 0, 1)]).scores


# --- scoring


def made_of(beads):
    names, spans = zip(*((doc, span) for doc, some in beads.items() for span in some), strict=True)
    columns = dict(zip(SPANS, zip(*spans, strict=True), strict=True))
    return pl.DataFrame({"doc": names, **columns})


FOUND = st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 6))


@given(st.lists(FOUND, min_size=1, max_size=4))
def test_macro_averages_are_means_over_documents(sizes):
    """Documents with different numbers of right, wrong and missed beads."""
    measure = beads_measure(of_types=True)
    counted = pl.DataFrame(
        [
            {"system": "s", "n_hyp": right + wrong, "n_gold": right + missed}
            | {f"n_{side}_{kind}": right for side in ("hyp", "gold") for kind in ("strict", "lax")}
            for right, wrong, missed in sizes
        ]
    )
    macro, counted = of_documents(measure, counted)
    row = macro.table(counted, ["system"], also=["n_hyp"]).row(0, named=True)
    shares = [right / (right + missed) for right, _, missed in sizes if right + missed]
    assert row["strict_recall"] == (pytest.approx(np.mean(shares)) if shares else None)
    scores = [
        2 * right / (2 * right + wrong + missed)
        for right, wrong, missed in sizes
        if right + missed  # as recall is
    ]
    assert row["lax_f"] == (pytest.approx(np.mean(scores)) if scores else None)
    assert row["n_hyp"] == sum(right + wrong for right, wrong, _ in sizes)


def test_macro_averages_leave_out_undefined_scores():
    gold = made_of({"a": [(0, 1, 0, 1)], "b": [(0, 1, 0, 1)]})
    hyp = made_of({"a": [(0, 1, 0, 1)]})
    with pytest.warns(DataWarning, match="has no beads of 1 document"):
        row = score(hyp, gold, average="macro").scores.row(0, named=True)
    assert (row["strict_precision"], row["strict_recall"], row["strict_f"]) == (1.0, 0.5, 0.5)
    over = [row[f"strict_{name}_docs"] for name in ("precision", "recall", "f")]
    assert over == [1, 2, 2]
    assert (row["n_gold"], "average:documents" in row["signature"]) == (2, True)
    with pytest.raises(InputError, match="average"):
        score(gold, gold, average="mean").scores


def test_crossing_gold_is_scored_and_counted():
    gold = made_of({"a": [(0, 1, 1, 2), (1, 2, 0, 1)], "b": [(0, 1, 0, 1)]})
    with pytest.warns(DataWarning, match=r"1 of 3 beads .*cross") as told:
        assert score(gold, gold).scores["strict_f"][0] == 1.0
    assert len(told) == 1


def test_gold_of_the_yearbooks_in_a_folder(corpora, tmp_path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.defr").write_text((corpora / "textberg/dev.defr").read_text())
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        row = score(tmp_path, f"{tmp_path}/*.defr").scores.row(0, named=True)
    assert (row["strict_f"], row["n_gold"]) == (pytest.approx(1.0, abs=0.02), 2 * 381)
    said = {str(one.message).partition(": ")[2] for one in told}
    assert "2 of 840 beads in 2 documents cross a bead with an earlier source" in said
