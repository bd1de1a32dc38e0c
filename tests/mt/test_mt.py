"""BLEU and chrF: against sacrebleu, a slow reference, and through every engine."""

import logging
import re

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from helpers.sql import connected
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import mt as reference

from alignframe import functions, mt, tesla
from alignframe.engines import polars as expressions
from alignframe.errors import DataWarning, InputError
from alignframe.functions.sequences import split
from alignframe.mt.tokenize import tokenized

ISLAND = ("careful", "fluent", "garbled", "literal")

words = st.lists(st.sampled_from("abc"), max_size=7)
texts = st.text(st.sampled_from("ab\u00e9\U0001f600.(), \t\u00a0\u2003"), max_size=14)


@pytest.fixture(scope="module")
def sacrebleu():
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)
    return pytest.importorskip("sacrebleu.metrics")


@pytest.fixture(scope="module")
def island(bundled):
    """The files of the bundled systems, and the two references."""
    folder = bundled.parent / "island"
    systems = {name: folder / f"{name}.en" for name in ISLAND}
    return systems, [folder / "ref.en", folder / "ref2.en"]


def lines(path):
    return path.read_text("utf-8").split("\n")[:-1]


def rows_of(structs):
    return [list(row.values()) for row in structs.to_pylist()]


@given(st.lists(st.tuples(words, st.lists(words, min_size=1, max_size=3)), min_size=1, max_size=4))
def test_counts_of_bleu_equal_the_reference(rows):
    hyp, refs = zip(*rows, strict=True)
    found = functions.bleu_counts(
        pa.array(hyp, pa.list_(pa.string())), pa.array(refs, pa.list_(pa.list_(pa.string())))
    )
    assert rows_of(found) == [reference.bleu(*row) for row in rows]


@given(st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=3)), min_size=1, max_size=4))
def test_counts_of_chrf_use_the_best_reference(rows):
    hyp, refs = zip(*rows, strict=True)
    found = functions.chrf_counts(pa.array(hyp, pa.string()), pa.array(refs, pa.list_(pa.string())))
    for row, (one, several) in zip(rows_of(found), rows, strict=True):
        every = [reference.chrf("".join(one.split()), "".join(ref.split())) for ref in several]
        best = max(every, key=reference.chrf_score)  # the first among equals
        assert row == [number for order in best for number in order] + [None] * 6


@settings(max_examples=6)
@given(
    st.lists(st.tuples(texts, texts, texts), min_size=1, max_size=5),
    st.sampled_from(["exp", "floor", "add-k", "none"]),
    st.booleans(),
    st.sampled_from([0, 1, 2]),
    st.sampled_from([1, 2, 3]),
    st.booleans(),
)
@pytest.mark.filterwarnings("ignore:.* empty reference:alignframe.errors.DataWarning")
def test_scores_equal_sacrebleu(sacrebleu, rows, smooth, lowercase, word_order, beta, whitespace):
    hyp, *refs = map(list, zip(*rows, strict=True))
    options = {
        "smooth": smooth,
        "lowercase": lowercase,
        "word_order": word_order,
        "beta": beta,
        "whitespace": whitespace,
        "tokenize": "none",
    }
    chrf = sacrebleu.CHRF(
        word_order=word_order, beta=beta, whitespace=whitespace, lowercase=lowercase
    )
    for given_refs in (refs[:1], refs):
        corpus = mt.score(pa.array(hyp), list(map(pa.array, given_refs)), **options).scores
        bleu = sacrebleu.BLEU(tokenize="none", smooth_method=smooth, lowercase=lowercase)
        assert corpus["bleu"][0] == pytest.approx(bleu.corpus_score(hyp, given_refs).score)
        assert corpus["chrf"][0] == pytest.approx(chrf.corpus_score(hyp, given_refs).score)
        single = mt.score(pa.array(hyp), list(map(pa.array, given_refs)), **options).segments
        bleu = sacrebleu.BLEU(
            tokenize="none", smooth_method=smooth, lowercase=lowercase, effective_order=True
        )
        for at, one in enumerate(hyp):
            several = [ref[at] for ref in given_refs]
            assert single["bleu"][at] == pytest.approx(bleu.sentence_score(one, several).score)
            assert single["chrf"][at] == pytest.approx(chrf.sentence_score(one, several).score)


def test_empty_references_and_files_of_other_lengths_are_named(tmp_path):
    with pytest.warns(DataWarning, match=r"2 sentences with an empty reference \(sid 1, 3\)"):
        mt.score(["a b"] * 4, ["a b", " ", "a b", ""], tokenize="none").scores
    with pytest.warns(DataWarning, match=r"1 sentence with an empty reference \(sid 3\)"):
        mt.score(
            ["a b"] * 4, [["a b", "", "a b", ""], ["a", "b", None, " "]], tokenize="none"
        ).scores
    mt.score(["a b", ""], ["a b", ""], tokenize="none", where="sid = 0").scores
    (tmp_path / "short.en").write_text("a\n")
    with pytest.raises(
        InputError, match=r"'short' \(.*short\.en\) has 1 sentence, the reference 2"
    ):
        mt.score(tmp_path / "short.en", ["a b", "c"], tokenize="none").scores


@pytest.mark.parametrize("tokenize", ["none", "13a", "zh", "char", "intl"])
def test_bundled_translations_score_as_with_sacrebleu(sacrebleu, island, tokenize):
    systems, refs = island
    found = mt.score(systems, refs, tokenize=tokenize).scores
    bleu, chrf = sacrebleu.BLEU(tokenize=tokenize, force=True), sacrebleu.CHRF()
    given_refs = list(map(lines, refs))
    for name, score, other in found.select("system", "bleu", "chrf").iter_rows():
        hyp = lines(systems[name])
        assert score == pytest.approx(bleu.corpus_score(hyp, given_refs).score, abs=1e-9)
        assert other == pytest.approx(chrf.corpus_score(hyp, given_refs).score, abs=1e-9)


@pytest.mark.parametrize("tokenize", ["none", "13a", "zh", "char"])
def test_wmt12_scores_as_with_sacrebleu(sacrebleu, corpora, tokenize):
    folder = corpora / "wmt12"
    path = min((folder / "system-outputs" / "fr-en").iterdir())
    # Some of them suffice, since all of them take a second or more.
    hyp, ref = (lines(one)[:500] for one in (path, folder / "references" / "newstest2012-ref.en"))
    bleu, chrf = sacrebleu.BLEU(tokenize=tokenize, force=True), sacrebleu.CHRF()
    whole = mt.score(hyp, ref, tokenize=tokenize).scores
    some = slice(0, 150)
    single = mt.score(hyp[some], ref[some], tokenize=tokenize).segments
    assert whole["bleu"][0] == pytest.approx(bleu.corpus_score(hyp, [ref]).score, abs=1e-9)
    bleu.effective_order = True
    for at, pair in enumerate(zip(hyp[some], ref[some], strict=True)):
        one = bleu.sentence_score(pair[0], pair[1:]).score
        assert single["bleu"][at] == pytest.approx(one, abs=1e-9)
        if tokenize == "none":
            one = chrf.sentence_score(pair[0], pair[1:]).score
            assert single["chrf"][at] == pytest.approx(one, abs=1e-9)
    if tokenize == "none":
        assert whole["chrf"][0] == pytest.approx(chrf.corpus_score(hyp, [ref]).score, abs=1e-9)


written = st.text(
    st.sampled_from("aB5\u00bd\u4e2d\u3001\uff0c.,-&;<>'\"%/()$\u20ac \t\u00a0\u2003\n"),
    max_size=12,
)


@given(st.lists(st.one_of(written, st.sampled_from(["&quot;a&amp;lt; 5-6", "<skipped>", "a-\nb"]))))
def test_tokens_equal_sacrebleu(sacrebleu, given_texts):
    for how in ("13a", "zh", "char", "intl", "none"):
        part = sacrebleu.BLEU(tokenize=how).tokenizer
        for some in (given_texts, [one.replace("\n", " ") for one in given_texts]):
            wanted = [part(one.rstrip()).split() for one in some]
            assert tokenized(pa.array(some, pa.string()), how).to_pylist() == wanted


def test_white_space_equals_pythons():
    every = [chr(k) for k in range(0x3100) if not 0xD800 <= k < 0xE000]
    for form in ("a{}b", "{}a", "a{}", "{}"):
        given_texts = [form.format(one) for one in every]
        found = split(pa.array(given_texts))
        assert found.to_pylist() == [one.split() for one in given_texts]
    counted = functions.chrf_counts(pa.array(every), pa.array([["a"]] * len(every)))
    assert counted.field("chrf_hyp_1").to_pylist() == [int(not one.isspace()) for one in every]


def test_engines_agree(island):
    systems, refs = island
    table = mt.score(systems, refs, tokenize="none", word_order=2).counts
    frame = pl.concat(
        pl.DataFrame(
            {
                "system": name,
                "hyp": lines(path),
                "refs": list(zip(*map(lines, refs), strict=True)),
            }
        )
        for name, path in systems.items()
    ).with_columns(
        pl.col("refs").cast(pl.List(pl.String)),
        words=pl.col("hyp").str.split(" "),
    )
    frame = frame.with_columns(ref_words=pl.col("refs").list.eval(pl.element().str.split(" ")))
    found = frame.select(
        "system",
        expressions.bleu_counts("words", "ref_words").alias("b"),
        expressions.chrf_counts("hyp", "refs", 2).alias("c"),
    ).unnest("b", "c")
    assert found.equals(table.drop("sid", "signature"))
    wanted = mt.score(systems, refs, tokenize="none", word_order=2).scores
    with connected(table_of_counts=table.to_arrow(), texts=frame.to_arrow()) as con:
        stored = con.execute(
            "select system, bleu(bleu_sums(c)), chrf(chrf_sums(c)) "
            "from table_of_counts as c group by system order by system"
        ).fetchall()
        made = con.execute(
            "select system, bleu(bleu_sums(b)), chrf(chrf_sums(c)) from (select system, "
            "bleu_counts(words, ref_words) as b, chrf_counts(hyp, refs, word_order := 2) as c "
            "from texts) group by system order by system"
        ).fetchall()
    for row in zip(wanted.select("system", "bleu", "chrf").rows(), stored, made, strict=True):
        assert [row[1], row[2]] == [pytest.approx(row[0])] * 2


@pytest.mark.parametrize("smooth", ["exp", "floor", "add-k", "none"])
def test_sentences_score_in_sql_as_in_python(island, smooth):
    systems, refs = island
    wanted = mt.score(systems, refs[0], tokenize="none", smooth=smooth, smooth_value=None).segments
    with connected(
        counts_of_all=mt.score(systems, refs[0], tokenize="none").counts.to_arrow()
    ) as con:
        found = con.execute(
            f"select bleu(bleu_sums(c), smooth := '{smooth}', effective_order := true), "
            "chrf(chrf_sums(c)) from counts_of_all as c group by system, sid order by system, sid"
        ).fetchall()
    assert np.array(found) == pytest.approx(
        wanted.sort("system", "sid").select("bleu", "chrf").to_numpy()
    )


def test_groups_intervals_and_subsets(island):
    systems, refs = island
    genre = ["prose", "verse"] * 15
    ref = pl.DataFrame({"sid": range(30), "text": lines(refs[0]), "genre": genre})
    found = mt.score(systems, ref, by=["genre"], bootstrap=50, tokenize="none").scores
    assert found.columns[:3] == ["system", "genre", "sentences"]
    assert found["sentences"].to_list() == [15] * 8
    assert (found["bleu_low"] <= found["bleu"]).all()
    assert (found["chrf"] <= found["chrf_high"]).all()
    verse = mt.score(systems, ref, where="genre = 'verse'", tokenize="none").scores
    grouped = found.filter(genre="verse")
    assert verse["bleu"].to_list() == grouped["bleu"].to_list()
    assert "|subset:15of30," in verse["signature"][0]
    listed = mt.score(systems, refs[0], sids=range(1, 30, 2), tokenize="none").scores
    assert listed["chrf"].to_list() == grouped["chrf"].to_list()


def test_a_table_in_another_order_is_joined_by_its_sids(island):
    systems, refs = island
    turned = pl.DataFrame({"sid": range(30), "text": lines(systems["fluent"])}).reverse()
    found = mt.score({"a": turned, "b": systems["fluent"]}, refs, tokenize="none").scores
    assert found["bleu"][0] == found["bleu"][1]
    columns = turned.to_dict(as_series=False)
    assert mt.score(columns, refs, tokenize="none").scores["bleu"][0] == found["bleu"][0]


def test_compare_finds_only_the_difference_that_exists(island):
    systems, refs = island
    given_systems = {**systems, "again": systems["fluent"]}
    found = mt.score(given_systems, refs, bootstrap=900, tokenize="none").compare("fluent")
    p_values = {(row["system"], row["measure"]): row["p_value"] for row in found.to_dicts()}
    assert p_values["careful", "bleu"] < 0.01
    assert p_values["again", "bleu"] == p_values["again", "chrf"] == 1.0
    assert "paired-bootstrap:900,seed:1" in found["signature"][0]


def test_the_signature_names_every_choice():
    one, other = ["a b c d"], ["a b c d e"]

    def mark(**options):
        return mt.score(one, other, **options).scores["signature"][0]

    marks = [
        mark(),
        mark(tokenize="none"),
        mark(lowercase=True),
        mark(smooth="none"),
        mark(smooth="floor"),
        mark(smooth="floor", smooth_value=0.2),
        mark(effective_order=True),
        mark(char_order=4),
        mark(word_order=2),
        mark(beta=3),
        mark(whitespace=True),
        mark(metrics=["bleu"]),
        mark(metrics=["chrf"]),
        mark(by=["sid"]),
        mt.score(one, [pa.array(other)] * 2).scores["signature"][0],
        mt.score([*one, "a"], [pa.array([*other, "a"]), pa.array([None, "a"])]).scores["signature"][
            0
        ],
    ]
    assert len(set(marks)) == len(marks)
    assert "refs:various" in marks[-1]


@pytest.mark.parametrize(
    ("hyp", "ref", "options", "said"),
    [
        (["a"], ["a", "b"], {}, "has 1 sentence, the reference 2; expected"),
        (["a", "b"], ["a"], {}, "has 2 sentences, the reference 1; expected"),
        (
            ["a"],
            pl.DataFrame({"sid": [7], "text": ["a"]}),
            {},
            "has 1 sentence, the reference 1; it lacks sentence 7",
        ),
        ([None], ["a"], {}, "no text of sentence 0"),
        (["a"], [None], {}, "sentence 0 has no reference"),
        ({}, ["a"], {}, "no translations"),
        (["a"], [], {}, "no sentences"),
        ([1], ["a"], {}, "list of texts"),
        (3, ["a"], {}, "given as sentences"),
        (["a"], pl.DataFrame({"words": ["a"]}), {}, "a column words of type"),
        (["a", "b"], pl.DataFrame({"sid": [1, 1], "text": ["a", "b"]}), {}, "more than once"),
        (["a"], ["a"], {"tokenize": "14a"}, "'14a'"),
        (["a"], ["a"], {"smooth": "often"}, "'often'"),
        (["a"], ["a"], {"smooth_value": 1}, "floor or add-k"),
        (["a"], ["a"], {"smooth": "floor", "smooth_value": -1}, "above 0"),
        (["a"], ["a"], {"beta": float("nan")}, "beta"),
        (["a"], ["a"], {"char_order": 0}, "from 1"),
        (["a"], ["a"], {"metrics": ["ter"]}, "'ter'"),
        (["a"], ["a"], {"metrics": []}, "no metric"),
        (["a"], ["a"], {"by": ["genre"]}, "'genre'"),
        ("no such file", ["a"], {}, "no such file"),
    ],
)
def test_bad_input_is_named(hyp, ref, options, said):
    with pytest.raises(InputError, match=said):
        mt.score(hyp, ref, **options).scores


def test_without_sacrebleu_text_is_split_at_white_space(monkeypatch):
    from alignframe.mt import tokenize

    def missing(name):
        raise ModuleNotFoundError(f"No module named {name!r}", name="sacrebleu")

    monkeypatch.setattr(tokenize, "import_module", missing)
    assert mt.score(["a b c d"], ["a b c d"], tokenize="none").scores["bleu"][0] == pytest.approx(
        100
    )
    with pytest.raises(InputError, match="sacrebleu"):
        mt.score(["a b c d"], ["a b c d"]).scores


def test_options_of_row_wise_functions_are_constant():
    frame = pl.DataFrame({"hyp": ["a", "b"], "refs": [["a"], ["b"]], "beta": [1.0, 2.0]})
    with pytest.raises(InputError, match="one value"):
        functions.chrf_counts(
            frame["hyp"].to_arrow(), frame["refs"].to_arrow(), 0, frame["beta"].to_arrow()
        )


def test_globs_and_folders_are_systems_and_references(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.en").write_text("the cat sat down\n")
    for place in (tmp_path, tmp_path / "*.en"):
        how = {"tagger": "none", "synonyms": "none", "bootstrap": 0}
        for found in (mt.score(place, place).scores, tesla.score(place, place, **how).scores):
            assert found["system"].to_list() == ["a", "b"]
            assert re.search(r"\|refs:2\b", found["signature"][0])


@pytest.mark.parametrize(
    ("line", "todo"),
    [
        ("我们昨天在北京看了一场电影。", "`tokenize='zh'`"),
        ("私たちは昨日東京で映画を見ました。", "`tokenize='ja-mecab'` or `tokenize='char'`"),
        ("เราดูหนังที่กรุงเทพเมื่อวานนี้", "`tokenize='char'`"),
    ],
)
def test_a_reference_without_spaces(line, todo, recwarn):
    with pytest.warns(DataWarning, match="13a.* does not part") as said:
        mt.score([line] * 3, [line] * 3)
    assert [str(one.message).endswith(f"use {todo}") for one in said] == [True]
    recwarn.clear()
    mt.score([line] * 3, [line] * 3, tokenize="char")
    mt.score([line] * 3, [line] * 3, metrics=["chrf"])
    mt.score([" ".join(line)] * 3, [" ".join(line)] * 3)
    assert not len(recwarn)
