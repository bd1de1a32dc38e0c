"""What a file of text is: CoNLL-U is read everywhere, other kinds are refused, plain text stays."""

import subprocess

import pytest
from helpers.cli import finished, run

import alignframe as af
from alignframe.errors import DataWarning, InputError
from alignframe.formats import read_bitext, read_parallel, read_sentences, read_tokens

ROW = "{}\t{}\tx\tX\tY\t_\t0\tdep\t_\t_\n"
CONLLU = "# sent_id = 1\n# text = a\n" + ROW.format("1-2", "ab") + ROW.format(1, "a 1")
CONLLU += ROW.format(2, "b") + "\n# sent_id = 2\n" + ROW.format(1, "c") + "\n"
WORDS = [["a\u00a01", "b"], ["c"]]

SRT = "1\n00:00:01,000 --> 00:00:02,000\nOne.\nMore.\n\n2\n00:00:03,000 --> 00:00:05,000\nTwo.\n"
VTT = "WEBVTT - a\nKind: captions\n\nfirst\n00:01.000 --> 00:02.000 align:start\nOne.\nMore.\n\n"
VTT += "00:03.000 --> 00:05.000\nTwo.\n"
SBV = "0:00:01.000,0:00:02.000\nOne.\nMore.\n\n0:00:03.000,0:00:05.000\nTwo.\n"
ASS = "[Script Info]\nTitle: x\n\n[Events]\nFormat: Layer, Text\n"
ASS += "Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,One. More.\n"
ASS += "Dialogue: 0,0:00:03.00,0:00:05.00,Default,,0,0,0,,Two.\n"
SUB = "{10}{50}One.|More.\n{60}{90}Two.\n"
USFM = "\\id MAT\n\\c 1\n\\p\n\\v 1 One.\n\\v 2 Two.\n"
PO = '# a note\n\nmsgid ""\nmsgstr ""\n"Language: de\\n"\n\nmsgid "One."\nmsgstr "Eins."\n'
VERTICAL = '<doc id="1">\n<s>\nOne\tCD\tone\n.\t.\t.\n</s>\n<s>\nTwo\tCD\ttwo\n</s>\n</doc>\n'
NER = "One\tCD\tB-X\n.\t.\tO\n\nTwo\tCD\tO\n"
EUROPARL = '<CHAPTER ID=1>\nOne.\n<SPEAKER ID=1 NAME="A">\n<P>\nTwo.\n'


@pytest.mark.parametrize("name", ["t", "t.txt", "t.conllu"])
def test_conllu_is_read_as_its_words(name, tmp_path):
    path = tmp_path / name
    path.write_text(CONLLU.replace("\n", "\r\n"), newline="")
    assert read_tokens(path) == WORDS
    assert read_sentences(path).to_pylist() == ["a\u00a01 b", "c"]
    assert read_bitext(path, path)["tgt"].to_pylist() == WORDS
    assert af.mt.score(path, path).scores["chrf"].to_list() == [100]
    (tmp_path / "other").write_text(CONLLU)
    assert af.beads.align(path, tmp_path / "other", method="len").height == 2
    with pytest.raises(InputError, match="CoNLL-U, but the tagger is not given"):
        af.tesla.score(path, path)


@pytest.mark.parametrize(
    "text",
    [
        SRT,
        "\ufeff" + SRT.replace("\n", "\r\n"),
        VTT,
        SRT.replace("One.", "<i>One.</i>").replace("Two", "{\\an8}Two"),
        SBV,
        "[INFORMATION]\n[TITLE]\n" + SBV,
        ASS,
        "\n" + ASS.replace("One. ", "{\\i1}One.\\N"),
        SUB,
        "{1}{1}25.000\n" + SUB,
        "[10][50]One.|/More.\n[60][90]Two.\n",
        EUROPARL.replace("One.", "One. More."),
        "<doc docid='1'>\n<seg id='1'>One. More.</seg>\n<seg id=2>Two.</seg></doc>\n",
    ],
)
def test_texts_within_other_kinds_are_read(text, tmp_path):
    (tmp_path / "t").write_text(text, newline="")
    (tmp_path / "lines").write_text("One. More.\nTwo.\n")
    assert read_sentences(tmp_path / "t").to_pylist() == ["One. More.", "Two."]
    assert read_tokens(tmp_path / "t") == [["One.", "More."], ["Two."]]
    found = read_bitext(tmp_path / "lines", tmp_path / "t")
    assert found["src"].equals(found["tgt"])
    assert af.beads.align(tmp_path / "t", tmp_path / "lines", method="len").height == 2
    assert af.mt.score(tmp_path / "t", tmp_path / "lines").scores["chrf"].to_list() == [100]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (USFM, "USFM"),
        ("\\c 1\n\\v 1 One.\n", "USFM"),
        (PO, "PO"),
        (PO.partition("\n\n")[2], "PO"),
        ("{\\rtf1 One.}\n", "RTF"),
        (VERTICAL, "a word per line, between marks"),
        (NER, "a word per line, with its tags"),
        (f"-DOCSTART- -X- O O\n\n{NER}".replace("\t", " "), "a word per line, with its tags"),
    ],
)
@pytest.mark.parametrize("name", ["t", "t.en"])
def test_other_kinds_are_refused_by_their_content(text, said, name, tmp_path):
    path, other = tmp_path / name, tmp_path / "other"
    path.write_text(text, newline="")
    other.write_text("One.\nTwo.\n")
    said = f"{name}: holds .*{said}.*; expected one sentence per line; ."
    for read in (read_sentences, read_tokens, read_bitext):
        with pytest.raises(InputError, match=said):
            read(path) if read is not read_bitext else read(other, path)
    for use in (read_parallel, af.lexicon.induce, af.beads.align, af.beads.filter, af.mt.score):
        with pytest.raises(InputError, match=said):
            use(other, path)


@pytest.mark.parametrize(
    "text",
    [
        "{1}{2} are sets .\nNot so here .\n",
        "{0}{1} files\n{0}{1} folders\n{0}{1} links\n",
        "{1}{2} one line .\n",
        "<P>\nA text with a mark .\n<P>\n",
        "A text .\n<CHAPTER ID=1>\nMore .\n",
        "1\n2\n3\n00:01:02 .\n",
        "1\n\n00:00:01,000 is a time .\n",
        "\\v is a letter .\n\\c too .\n",
        "\\section{One}\n\\c 1\n",
        "WEBVTT is a format .\nTimes have --> inside .\n",
        'msgid "x" is a key .\nmsgstr "y" too .\n',
        "[Events] of the day .\nFormat: A4 .\n",
        "# a comment\nNo. 1\ta\n",
        "We are O\nBlood is type O\n\nNot so .\n",
        "<s> One . </s>\n<s> Two . </s>\n",
        "[10][50] .\nA text .\n",
        "1\tThe boat .\n2\tA dog .\n",
    ],
)
def test_plain_text_stays_text(text, tmp_path):
    (tmp_path / "t").write_text(text)
    assert len(read_sentences(tmp_path / "t")) == text.count("\n")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (USFM, ["MAT 1:1\tOne.", "MAT 1:2\tTwo."]),
        (VERTICAL, ["One .", "Two"]),
        (NER, ["One .", "Two"]),
    ],
)
def test_the_way_out_of_the_error_works(text, lines, tmp_path):
    (tmp_path / "FILE").write_text(text)
    with pytest.raises(InputError) as caught:
        read_sentences(tmp_path / "FILE")
    command = str(caught.value).partition("expected one sentence per line; ")[2]
    subprocess.run(command.partition(": ")[2], shell=True, cwd=tmp_path, check=True)
    assert (tmp_path / "TEXT").read_text().splitlines() == lines


def test_kept_lines_of_conllu_are_named_text(tmp_path):
    for name in ("t.en.conllu", "t.fr.conllu"):
        (tmp_path / name).write_text(CONLLU)
    words = ["t.en.conllu", "t.fr.conllu", "--method", "len", "--threshold", 0, "-o", "k"]
    run("beads", "filter", *words, folder=tmp_path)
    assert (tmp_path / "k.fr.txt").read_text() == "a\u00a01 b\nc\n"


def test_commands_refuse_them_too(tmp_path):
    for name, text in {"a.ass": ASS, "m.usfm": USFM, "app.po": PO, "ep.en": EUROPARL}.items():
        (tmp_path / name).write_text(text)
        code, _, said = finished("convert", name, "o.tmx", folder=tmp_path)
        assert (code, f"{name}: holds" in said) == (2, True)
        if text in (ASS, EUROPARL):
            continue
        for words, out in (("align", "o.talp"), ("lexicon induce", "o.csv"), ("beads align", "-")):
            code, _, said = finished(*words.split(), name, name, "-o", out, folder=tmp_path)
            assert code == 2, words
            assert f"{name}: holds" in " ".join(said.split())


def test_frames_of_many_digits_are_text(tmp_path):
    (tmp_path / "t").write_text(f"{{{'9' * 5000}}}{{2}}One.\n{{3}}{{4}}Two.\n")
    assert len(read_sentences(tmp_path / "t")) == 2


@pytest.mark.parametrize("lines", ["0-0 1-1\n0-0\n", "[0]:[0]:0.5\n[1]:[]\n"])
def test_links_and_beads_as_sentences_are_told(lines, tmp_path):
    (tmp_path / "x").write_text(lines)
    with pytest.warns(DataWarning, match="lines of links or beads, such as"):
        read_sentences(tmp_path / "x")
    (tmp_path / "x").write_text(lines + "the words\n")
    read_sentences(tmp_path / "x")
