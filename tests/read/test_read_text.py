"""Text in other clothes is read as the same text, or an error or a warning names what is odd."""

import contextlib
import gzip
import itertools
import random
import unicodedata
import warnings

import polars as pl
import pyarrow as pa
import pytest
from helpers.cli import finished, run

import alignframe as af
from alignframe import errors
from alignframe.errors import DataWarning, InputError
from alignframe.formats import read_bitext, read_sentences, read_tokens, write_sentences
from alignframe.formats.parallel import read_parallel
from alignframe.mt import read_n_best
from alignframe.mt.phrase_tables import phrase_table
from alignframe.sources.texts import word_array
from alignframe.tesla.rankings import load_rankings
from alignframe.tesla.segments import read_segments

LINES = ["l’ été est là", "une phrase", "", "très bien"]
TEXT = "\n".join(LINES) + "\n"
WPT = "".join(f"<s snum={k}> {line} </s>\n" for k, line in enumerate(LINES, 1))
XML = "<?xml version='1.0'?>\n<doc><p>" + "".join(
    f"<s id='s{k}'>{line}</s>\n" for k, line in enumerate(LINES)
)


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (TEXT.replace("\n", "\r\n").encode(), "utf-8"),
        (TEXT.replace("\n", "\r").encode(), "utf-8"),
        (TEXT.encode("utf-8-sig"), "utf-8"),
        (
            ("\ufeff" + TEXT.replace("\n", "\n\ufeff")).encode().removesuffix(b"\xef\xbb\xbf"),
            "utf-8",
        ),
        (TEXT.encode("utf-16"), "utf-8"),
        (TEXT.encode("utf-16"), "utf-16"),
        (TEXT.encode("utf-16-be"), "utf-16-be"),
        (TEXT.replace("\n", "\r").encode("utf-16"), "utf-8"),
        (TEXT.encode("cp1252"), "cp1252"),
        (unicodedata.normalize("NFD", TEXT).encode(), "utf-8"),
        ("".join(f"{k}\t{line}\n" for k, line in enumerate(LINES, 7)).encode(), "utf-8"),
        ("".join(f"s{k}\t{line}\n" for k, line in enumerate(LINES)).encode("cp1252"), "cp1252"),
        (WPT.encode(), "utf-8"),
        (f"{XML}</p></doc>".encode(), "utf-8"),
    ],
)
def test_words_are_the_same_in_other_clothes(data, encoding, tmp_path):
    path = tmp_path / "t"
    path.write_bytes(data)
    assert read_tokens(path, encoding) == [line.split() for line in LINES]
    sentences = read_sentences(path, encoding).to_pylist()
    assert [unicodedata.normalize("NFC", one) for one in sentences] == LINES


def test_what_was_guessed_of_a_text_is_said(tmp_path, monkeypatch):
    told = []
    monkeypatch.setattr(errors, "GUESS_LISTENERS", [lambda path, what: told.append(what)])
    (tmp_path / "t").write_bytes(
        unicodedata.normalize("NFD", TEXT).replace("\n", "\r").encode("utf-16")
    )
    read_tokens(tmp_path / "t")
    assert told == [
        {"encoding": "utf-16"},
        {"line_ends": "carriage returns"},
        {"form": "not NFC, read as NFC"},
    ]


@pytest.mark.parametrize(
    ("src", "tgt", "said"),
    [
        ("7\ta\n3\tb\n", "8\tc\n4\td\n", "the id '[78]' is in .*; expected lines with the same"),
        ("0\ta\n1\tb\n", "1\tc\n2\td\n", "the id '[02]' is in .* in the same order, leave out"),
        ("7\ta\n3\tb\n", "c\nd\n", "has ids that are not in order, and the other side has none"),
        ("s1\ta\nb\n" * 999, "c\nd\n" * 999, None),
        ("s1\ta\ns2\tb\n", "c\nd\n", None),
    ],
)
def test_ids_of_two_sides_agree(src, tgt, said, tmp_path):
    paths = [tmp_path / "src", tmp_path / "tgt"]
    for path, text in zip(paths, (src, tgt), strict=True):
        path.write_text(text)
    for swap, read in itertools.product((1, -1), (read_bitext, read_parallel, af.mt.score)):
        if said is None:
            read(*paths[::swap])
            continue
        with pytest.raises(InputError, match=said):
            read(*paths[::swap])


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("a b\tx y\n\nc\tz\n", 2),
        ("a b\tx y\tCC-BY\nc\tz\tCC-BY\n", 3),
        ("1\ta b\tx y\n2\tc\tz\n", 2),
        ("a b\tx y\nc z\n", None),
        ("a b\tx y\n", None),
    ],
)
def test_a_table_is_not_read_as_one_side(text, cells, tmp_path, recwarn):
    path = tmp_path / "t"
    path.write_text(text)
    warnings.simplefilter("always")
    for read in (read_sentences, read_tokens):
        read(path)
        told = [str(recwarn.pop(DataWarning).message)] if cells else []
        assert all(f"every line has {cells} cells" in one and "cut -f1" in one for one in told)
        assert not recwarn.list
    if text.startswith("a b") and "CC" not in text and "c z" not in text:
        assert read_bitext(path)["tgt"][0].as_py() == ["x", "y"]
        return
    with pytest.raises(InputError, match=r"and the columns 1 \('" if cells else r"'\|\|\|'"):
        read_bitext(path)


def test_features_of_older_lists(tmp_path):
    (tmp_path / "new").write_text("0 ||| a b ||| d= 0 lm= -2.5 w= -5 tm= 1 2 ||| -3\n")
    (tmp_path / "old").write_text("0 ||| a b  ||| d: 0 lm: -2.5 w: -5 tm: 1 2 ||| -3\n")
    new, old = (read_n_best(tmp_path / name) for name in ("new", "old"))
    assert new[0].equals(old[0])
    assert old[1] == ["d", "lm", "w", "tm_0", "tm_1"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<?xml version='1.0'?><tmx version='1.4'><body/></tmx>", r"is XML \(root <tmx>\)"),
        ("<!DOCTYPE html>\n<html><body>a</body></html>", r"is XML \(root <html>\)"),
        ("<?xml version='1.0'?><text><p>a</p></text>", "no sentence <s id=...> in it"),
        ("\ufeffWEBVTT\r\n\r\n", "no text in subtitles"),
        ('{"text": "One."}\n{"text": "Two."}\n', "holds JSON"),
        ('[{"text": "One."},\n {"text": "Two."}]', "holds JSON"),
        ('[\n  "One.",\n  "Two."\n]\n', "holds JSON"),
        ('["One.", "Two."]\n', "holds JSON"),
    ],
)
def test_markup_is_not_read_as_sentences(text, said, tmp_path):
    path = tmp_path / "t"
    path.write_text(text, "utf-8")
    for read in (read_sentences, read_tokens):
        with pytest.raises(InputError, match=said):
            read(path)


@pytest.mark.parametrize(
    ("text", "warns"),
    [
        ("Yes, we say , he said .\nNo, never; why?\n", True),
        ("这些症状已持续多长时间 ？ 各种胸痛均应采取\n但是他在过去\n", True),
        ("Mr. Smith 's cat , he said . 1,000 : 3\n这些 症状 已 持续 多长 时间\n", False),
    ],
)
def test_text_that_nobody_split_is_told(text, warns, tmp_path):
    path = tmp_path / "t"
    path.write_text(text)
    for given in (path, text.splitlines()):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", DataWarning)
            word_array(given)
        told = [
            str(one.message) for one in caught if "look as if nobody had split" in str(one.message)
        ]
        assert bool(told) == warns


def test_bars_may_be_words_of_a_side(tmp_path):
    texts = {"word": "a ||| b\nc\n", "both": "a ||| b\nc ||| d\n", "tgt": "x\ny\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    found = read_bitext(tmp_path / "word", tmp_path / "tgt")
    assert found["src"].to_pylist() == [["a", "|||", "b"], ["c"]]
    with pytest.raises(InputError, match=r"both:1: a line with '\|\|\|', which has both sides"):
        read_bitext(tmp_path / "both", tmp_path / "tgt")


def test_sentences_that_begin_with_a_mark_survive(tmp_path):
    sentences = ["\ufeffa", "b", "\ufeff\ufeffc"]
    write_sentences(sentences, tmp_path / "t")
    assert read_sentences(tmp_path / "t").to_pylist() == sentences


def test_text_is_compared_in_one_form(tmp_path):
    words = {"nfc": "l' été arrivé\nété\n", "en": "the summer arrived\nsummer\n"}
    words["nfd"] = unicodedata.normalize("NFD", words["nfc"])
    for name, text in words.items():
        (tmp_path / name).write_text(text, "utf-8")
    made = [
        pl.DataFrame(af.lexicon.induce(src, tmp_path / "en")).to_dicts()
        for src in (tmp_path / "nfc", tmp_path / "nfd", words["nfd"].splitlines())
    ]
    assert made[0] == made[1] == made[2]
    assert run("convert", "nfd", "en", "b.parquet", folder=tmp_path)[1].startswith(
        "nfd: form not NFC, read as NFC\n"
    )


REF = ["l' été est là", "a b c d e"]
SCR = "".join(f"m\tfr-en\tt\t{system}\t{k}\t.{k}\n" for system in "ab" for k in (1, 2))
PAIR = "le ||| the ||| {} 0.5 0.8 0.5 ||| 0-{} ||| 10 10 5 |||\n"


def test_bleu_tells_of_two_unicode_forms():
    other = [unicodedata.normalize("NFD", one) for one in REF]
    with pytest.warns(DataWarning, match=r"'s' and the references .*NFC in the references"):
        low, high = af.mt.score({"s": other, "t": REF}, REF, tokenize="none").scores["bleu"]
    assert low < high == 100
    marks = [
        af.mt.score({"s": other}, ref, tokenize="none", normalization=form).scores["signature"][0]
        for ref, form in ((other, "none"), (other, "nfc"), (REF, "nfc"))
    ]
    assert [one.partition("normalization:")[2].split("|")[0] for one in marks] == [
        "none",
        "nfc",
        "nfc",
    ]
    assert (
        af.mt.score({"s": other}, REF, tokenize="none", normalization="nfc").scores["bleu"][0]
        == 100
    )
    assert "normalization" not in af.mt.score(REF, REF, tokenize="none").scores["signature"][0]
    with pytest.raises(InputError, match=r"'nfd'; expected one of none, nfc"):
        af.mt.score(REF, REF, normalization="nfd").scores


@pytest.mark.parametrize("tagged", [False, True])
def test_tesla_compares_text_in_one_form(tagged):
    """Also words that came with their tags."""
    other = [unicodedata.normalize("NFD", one) for one in REF]
    if tagged:
        texts, other = (
            pa.array([[{"word": word, "tag": "X"} for word in one.split()] for one in side])
            for side in (REF, other)
        )
    else:
        texts = REF
    how = {"tagger": "given" if tagged else "none", "content": "N", "synonyms": "none"}
    how |= {"lemmas": "words", "bootstrap": 0}
    plain, found = (af.tesla.score({"s": hyp}, [texts], **how) for hyp in (texts, other))
    assert found.scores["score"][0] == plain.scores["score"][0] == 1
    assert found.signature == f"{plain.signature}|normalization:nfc"


@pytest.mark.parametrize("kind", [pl.Categorical, pl.Enum(REF)])
def test_texts_by_number_are_texts(kind, tmp_path):
    frame = pl.DataFrame({"text": pl.Series(REF, dtype=kind)})
    frame.write_parquet(tmp_path / "t.parquet")
    for given in (frame, tmp_path / "t.parquet"):
        assert af.mt.score({"s": given}, REF, tokenize="none").scores["bleu"][0] == 100


def test_tables_of_texts_have_an_encoding(tmp_path):
    frame = pl.DataFrame({"sid": [0, 1], "text": REF})
    (tmp_path / "t.csv").write_bytes(frame.write_csv().encode("latin-1"))
    with pytest.raises(InputError, match=r"t.csv:2: the byte 0xe9 is not utf-8 text; name its"):
        af.mt.score(tmp_path / "t.csv", REF).scores
    found = af.mt.score(tmp_path / "t.csv", REF, tokenize="none", encoding="latin-1").scores
    assert found["bleu"][0] == 100


@pytest.mark.parametrize(
    ("read", "name", "data", "said"),
    [
        (phrase_table, "t", PAIR.format(0.9, 0) * 2, "the pair 'le', 'the' twice"),
        (phrase_table, "t", PAIR.format(0.9, 9), "a link outside the pair 'le', 'the'"),
        (phrase_table, "t", PAIR.format(0.9, 0).replace("10 10", "1e400 10"), "t:1: no counts of"),
        (
            read_n_best,
            "t",
            "0 ||| a ||| ||| 1\n0 ||| a ||| m= 1 ||| 1\n",
            "t:1: a candidate without",
        ),
        (phrase_table, "none.parquet", None, "no such file"),
        (read_n_best, "none", None, "no such file"),
        (read_segments, "none.parquet", None, "no such file"),
        (load_rankings, "none.csv", None, "no such file"),
    ],
)
def test_tables_that_cannot_be_are_refused(read, name, data, said, tmp_path):
    if data is not None:
        (tmp_path / name).write_text(data)
    with pytest.raises(InputError, match=said):
        read(tmp_path / name)


def test_probabilities_that_are_not_of_counts_are_told(tmp_path):
    (tmp_path / "t").write_text(PAIR.format(0.9, 0))
    with pytest.warns(DataWarning, match=r"1 of 1 pair have other .*0.9 of 'le' and 'the'.*0.5;"):
        assert phrase_table(tmp_path / "t")["n_both"].to_list() == [5]


def test_compressed_scores_and_preferences_are_read(tmp_path):
    with gzip.open(tmp_path / "t.scr.gz", "wt") as file:
        file.write(SCR)
    assert read_segments(tmp_path / "t.scr.gz").rows["sid"].to_list() == [0, 1, 0, 1]
    (tmp_path / "r.csv").write_text("sid,better,worse\n0,b,a\n1,a,b\n")
    rows = load_rankings(tmp_path / "r.csv").table.to_pylist()
    assert [tuple(row.values()) for row in rows] == [
        (0, 0, None, "b", 1),
        (0, 0, None, "a", 2),
        (1, 1, None, "a", 1),
        (1, 1, None, "b", 2),
    ]


def test_rankings_against_shifted_scores_are_told():
    draw = random.Random(1)
    scores = [(system, sid, draw.random()) for sid in range(200) for system in "ab"]
    segments = pl.DataFrame(scores, ["system", "sid", "score"], orient="row")
    best = segments.sort("score", descending=True).group_by("sid", maintain_order=True)
    ranks = pl.col("system").cum_count().over("sid").cast(pl.Int64)
    rankings = best.agg("system").explode("system")
    rankings = rankings.with_columns(ranking="sid", rank=ranks, judge=pl.lit("x"))
    assert af.tesla.meta(rankings, segments, bootstrap=0).scores["consistency"][0] == 1
    with pytest.warns(DataWarning, match="of the preferences if the sids of scores are raised"):
        af.tesla.meta(rankings.with_columns((pl.col("sid") + 1) % 200), segments, bootstrap=0)


def test_a_word_list_with_its_sides_swapped_is_told():
    text = [(f"s{k}", f"t{k}") for k in range(20)]
    pairs = [([src], [tgt]) for src, tgt in text for _ in range(3)]
    with pytest.warns(DataWarning, match=": 0 of its pairs are in the text, and 20 if its sides"):
        af.lexicon.induce(pairs, filters=[af.lexicon.WordList([pair[::-1] for pair in text])])
    af.lexicon.induce(pairs, filters=[af.lexicon.WordList(text)])


def test_sids_of_a_lake_that_are_words_are_refused(tmp_path):
    frame = pl.DataFrame({"system": "a", "sid": ["s1", "s2"], "text": REF})
    for name in ("hyp", "ref"):
        frame.write_parquet(tmp_path / f"{name}.parquet")
    words = ["hyp.parquet", "--ref", "ref.parquet", "--metric", "bleu", "-o", "out"]
    with contextlib.chdir(tmp_path):
        _, _, said = finished("lake", "tesla", *words)
    assert "string; expected a whole number" in " ".join(said.split())
