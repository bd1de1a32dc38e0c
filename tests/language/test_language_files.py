"""Sentences from files: lines of text, and tokens that were analysed before."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from alignframe.core.schemas import SIGNATURE
from alignframe.errors import DataWarning, InputError
from alignframe.language import Analysis, analysed_file
from alignframe.language.analysed import to_arrow
from alignframe.language.files import shown, whole_document
from alignframe.sources import texts

ANALYSIS = Analysis.of(tagger="given", lemmas="given", synonyms="none")
TEXTS = ["Cats|NNS|cat sat|VBD|sit", "", "a|DT|a mat|NN|mat"]


def stored(path, sids=(0, 1, 2), signature="", **columns):
    """Write the tokens of TEXTS with these sids."""
    tokens = to_arrow(ANALYSIS.analyse(TEXTS)).take(pa.array(sids))
    given = {"sid": pa.array(sids, pa.int64()), "tokens": tokens, **columns}
    table = pa.table({name: column for name, column in given.items() if column is not None})
    about = {SIGNATURE: signature} if signature else None
    pq.write_table(table.replace_schema_metadata(about), path)
    return path


def read_given(path):
    """Return the sentences of a file."""
    return texts.sentences_of(whole_document(path, None))


def test_tokens_are_read_in_the_order_of_sids(tmp_path):
    wanted = to_arrow(ANALYSIS.analyse(TEXTS))
    for sids in ((0, 1, 2), (2, 0, 1)):
        path = stored(tmp_path / "text.PARQUET", sids)
        assert read_given(path).to_pylist() == wanted.to_pylist()
        for analysis in (ANALYSIS, Analysis.of(tagger="given", lemmas="words", synonyms="none")):
            assert to_arrow(analysed_file(path, analysis)).equals(wanted)
    assert shown(wanted) == ["Cats sat", "", "a mat"]


def test_tokens_written_by_other_libraries(tmp_path):
    import polars as pl

    pl.read_parquet(stored(tmp_path / "one.parquet")).write_parquet(tmp_path / "two.parquet")
    found = analysed_file(tmp_path / "two.parquet", ANALYSIS)
    assert to_arrow(found).equals(to_arrow(ANALYSIS.analyse(TEXTS)))


def test_lines_of_text(tmp_path):
    (tmp_path / "text").write_text("".join(f"{line}\n" for line in TEXTS))
    assert shown(read_given(tmp_path / "text")) == TEXTS
    found = analysed_file(tmp_path / "text", ANALYSIS)
    assert to_arrow(found).equals(to_arrow(ANALYSIS.analyse(TEXTS)))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"tokens": None, "word": pa.array(["a", "b", "c"])}, "columns sid, word; expected text"),
        ({"tokens": None, "words": pa.array(["a", "b", "c"])}, "a column words of type"),
        ({"sid": pa.array([0, 1, 1])}, "sentence 1 more than once"),
        ({"sid": pa.array([1, 2, 3])}, "sids with gaps; expected 0, 1, 2"),
        ({"sid": pa.array([0, None, 2])}, "None as sid; expected a whole number"),
    ],
)
def test_parquet_of_something_else(tmp_path, change, said):
    path = stored(tmp_path / "x.parquet", **change)
    with pytest.raises(InputError, match=rf"x\.parquet.*: .*{said}"):
        read_given(path)


def test_files_that_are_not_parquet(tmp_path):
    with pytest.raises(InputError, match=r"none\.parquet: no such file"):
        read_given(tmp_path / "none.parquet")
    (tmp_path / "x.parquet").write_text("text\n")
    with pytest.raises(InputError, match=r"x\.parquet: .*Parquet"):
        read_given(tmp_path / "x.parquet")
    tokens = pa.array([[{"word": "a", "tag": "", "lemma": "a", "content": None}]])
    pq.write_table(pa.table({"sid": [0], "tokens": tokens}), tmp_path / "y.parquet")
    with pytest.raises(InputError, match=r"y\.parquet: .*token"):
        analysed_file(tmp_path / "y.parquet", ANALYSIS)


def test_tokens_of_another_analysis_cause_a_warning(tmp_path, recwarn):
    other = Analysis.of(tagger=lambda rows: [["NN"] * len(r) for r in rows], lemmas="words",
                        synonyms="none", content="penn")  # fmt: skip
    same = other.signature.replace("synonyms:none", "synonyms:wordnet-3.0")
    for signature, analysis in (("", other), (same, other), ("tagger:x", ANALYSIS)):
        analysed_file(stored(tmp_path / "x.parquet", signature=signature), analysis)
    assert not recwarn.list
    path = stored(tmp_path / "x.parquet", signature=same.replace("lemmas:words", "lemmas:m"))
    with pytest.warns(DataWarning, match=r"x\.parquet: its tokens were analysed with lemmas:m,"):
        analysed_file(path, other)


@pytest.mark.parametrize("rows", [1, 2, 3, 7, 64])
def test_a_word_without_a_tag_is_named_by_file_and_line(tmp_path, rows):
    for bad in {0, rows // 2, rows - 1}:
        lines = ["cat|NN|cat"] * rows
        lines[bad] = lines[-1] = "cat|NN|cat dog|NN"
        (tmp_path / "text").write_text("".join(f"{line}\n" for line in lines))
        said = rf"text:{bad + 1}: 'dog\|NN' is not a word with a tag and a lemma; expected word"
        with pytest.raises(InputError, match=said):
            analysed_file(tmp_path / "text", ANALYSIS)


def test_other_errors_have_no_line(tmp_path):
    odd = Analysis.of(tagger=lambda rows: [], lemmas="words", synonyms="none", content="penn")
    (tmp_path / "text").write_text("a\n")
    with pytest.raises(InputError, match=r"text: 0 lists"):
        analysed_file(tmp_path / "text", odd)
