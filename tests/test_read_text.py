"""Text in other clothes is read as the same text, or an error or a warning names what is odd."""

import unicodedata
import warnings

import polars as pl
import pytest
from helpers_cli import run

import alignframe as af
from alignframe import guesses
from alignframe.errors import DataWarning, InputError
from alignframe.formats import read_bitext, read_sentences, read_tokens, write_sentences

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
    if b"\t" not in data and b"snum" not in data:
        sentences = read_sentences(path, encoding).to_pylist()
        assert [unicodedata.normalize("NFC", one) for one in sentences] == LINES


def test_what_was_guessed_of_a_text_is_said(tmp_path, monkeypatch):
    told = []
    monkeypatch.setattr(guesses, "LISTENERS", [lambda path, what: told.append(what)])
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
        ("7\ta\n3\tb\n", "7\tc\n4\td\n", "line 2 has the id '3' in"),
        ("7\ta\n3\tb\n", "c\nd\n", "has ids that are not in order, and the other side has none"),
        ("s1\ta\nb\n" * 999, "c\nd\n" * 999, None),
        ("s1\ta\ns2\tb\n", "c\nd\n", None),
    ],
)
def test_ids_of_two_sides_agree(src, tgt, said, tmp_path):
    paths = [tmp_path / "src", tmp_path / "tgt"]
    for path, text in zip(paths, (src, tgt), strict=True):
        path.write_text(text)
    for swap in (1, -1):
        if said is None:
            read_bitext(*paths[::swap])
            continue
        with pytest.raises(InputError, match=said if swap > 0 or "none" in said else "the id"):
            read_bitext(*paths[::swap])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<?xml version='1.0'?><tmx version='1.4'><body/></tmx>", r"is XML \(root <tmx>\)"),
        ("<!DOCTYPE html>\n<html><body>a</body></html>", r"is XML \(root <html>\)"),
        ("<?xml version='1.0'?><text><p>a</p></text>", "no sentence <s id=...> in it"),
        ("1\n00:00:01,000 --> 00:00:02,000\nYes.\n", "holds subtitles"),
        ("\ufeffWEBVTT\r\n\r\n", "holds subtitles"),
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
    lines = text.splitlines()
    for given in ((path, path), (lines, lines)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", DataWarning)
            af.aligners.align(*given, model="ibm1")
        told = [
            str(one.message) for one in caught if "look as if nobody had split" in str(one.message)
        ]
        assert bool(told) == warns


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
    assert run("bitext", "nfd", "en", "-o", "b.parquet", folder=tmp_path)[1].startswith(
        "nfd: form not NFC, read as NFC\n"
    )
