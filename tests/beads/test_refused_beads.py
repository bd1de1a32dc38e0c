"""What a file of beads says of itself is believed, or an error or a warning names the matter."""

import re

import pytest
from helpers.cli import json_of, run

from alignframe import beads
from alignframe import formats as f
from alignframe.errors import DataWarning, InputError
from alignframe.formats.beads import FORMATS


def memory(*units, source="en"):
    """Return a translation memory of units ``{language: text}``."""
    rows = "".join(
        "<tu>"
        + "".join(f'<tuv xml:lang="{one}"><seg>{text}</seg></tuv>' for one, text in unit.items())
        + "</tu>\n"
        for unit in units
    )
    return f'<tmx version="1.4"><header srclang="{source}"/><body>\n{rows}</body></tmx>\n'


def links(*targets, root="cesAlign", document="a.xml"):
    rows = "".join(f'<link xtargets="{one}"/>\n' for one in targets)
    group = f'<linkGrp fromDoc="{document}">\n{rows}</linkGrp>'
    return group if root == "linkGrp" else f"<{root}>{group}</{root}>"


FOLDERS = "<cesAlign>" + "".join(
    links("1;1", root="linkGrp", document=f"en/{one}/x.xml.gz") for one in "ab"
)
THREE = memory({"de": "Eins", "en": "One", "fr": "Un"}, {"en": "Two", "de": "Zwei"})
MIXED = memory({"en-US": "A", "fr-FR": "B"}, {"FR": "D", "EN": "C"}, {"en_GB": "E", "fr": "F"})
BLANK = {"t.en": "A\n\nB\nC\n", "t.fr": "X\n\nY\nZ\n"}
GAP = "1 bead with both sides, one of them blank, .*3 and 3 of them with words.*delete blank"

CONVERTED = {
    "languages of the suffixes": (
        {"in": THREE},
        "in x.beads --src k.en --tgt k.de",
        {"k.en": "One\nTwo\n", "k.de": "Eins\nZwei\n"},
        "text written to k.en and k.de$",
    ),
    "suffixes of other languages": (
        {"in": THREE},
        "in x.beads --src k.en --tgt k.sv",
        None,
        "no unit in en and sv; the file's languages: de, en, fr; .*--languages",
    ),
    "no languages": (
        {"in": THREE},
        "in - --src k.src --tgt k.tgt",
        {"k.src": "One\nTwo\n", "k.tgt": "Eins\nZwei\n"},
        "3 languages in it, en taken as source and de as target, not fr; .*--languages",
    ),
    "variants of a language": (
        {"in": MIXED},
        "in - --src k.en --tgt k.fr",
        {"k.en": "A\nC\nE\n", "k.fr": "B\nD\nF\n"},
        "",
    ),
    "variants without suffixes": (
        {"in": MIXED},
        "in -",
        {"": "[0]:[0]\n[1]:[1]\n[2]:[2]\n"},
        "in: languages en-US and EN and en_GB as source, fr-FR and FR and fr as target",
    ),
    "variants only": (
        {"in": memory({"en": "a", "en-GB": "b"})},
        "in - --src k.src --tgt k.tgt",
        {"k.src": "a\n", "k.tgt": "b\n"},
        "",
    ),
    "memory to memory": (
        {"in": memory({"fr-FR": "B", "en-US": "A"})},
        "in x.tmx",
        {"x.tmx": '<tuv xml:lang="fr-FR"><seg>B</seg></tuv><tuv xml:lang="en-US"><seg>A</seg>'},
        "",
    ),
    "languages with regions": (
        {"in": "[0]:[0]\n", "a.zh-CN": "a\n", "a.pt_BR": "b\n"},
        "in x.tmx --src a.zh-CN --tgt a.pt_BR",
        {"x.tmx": '<tuv xml:lang="zh-CN"><seg>a</seg></tuv><tuv xml:lang="pt-BR"><seg>b</seg>'},
        "",
    ),
    "texts that are there": (
        {"in": THREE, "k.de": "mein Text\n"},
        "in x.beads --src k.en --tgt k.de",
        None,
        "k.de: exists already, and the input has a text of its own",
    ),
    "beads of a pattern": (
        {"a.beads": "[0]:[0]\n", "b.beads": "[0]:[0]\n"},
        "*.beads b.beads --to parquet",
        None,
        "b.beads: is both an input and the output",
    ),
    "beads of a list": (
        {"a.beads": "[0]:[0]\n", "list": "a.beads\n"},
        "@list a.beads --to parquet",
        None,
        "a.beads: is both an input and the output",
    ),
    "scores of others": (
        {"in": memory({"en": "a", "fr": "b"}).replace("<tu>", '<tu><prop type="score">9%</prop>')},
        "in -",
        {"": "[0]:[0]\n"},
        "1 score that is not a number left out",
    ),
    "a score of the header": (
        {
            "in": memory({"en": "a", "fr": "b"}).replace(
                "/>", '><prop type="score">x</prop></header>', 1
            )
        },
        "in -",
        {"": "[0]:[0]\n"},
        "",
    ),
    "certainty that is no number": (
        {"in": links("1;1").replace("<link ", '<link certainty="9%" ')},
        "in -",
        {"": "[0]:[0]\n"},
        "1 score that is not a number left out",
    ),
    "words of their own": (
        {"in": links("s1;s1"), "a.xml": "<d><s id='s1'><w>It</w><w>rains</w><pc>.</pc>so</s></d>"},
        "in x.tmx --src a.xml --tgt a.xml --languages en,fr",
        {"x.tmx": '"en"><seg>It rains . so</seg>'},
        "",
    ),
    "documents in two folders": ({"in": FOLDERS + "</cesAlign>"}, "in - --doc b/x", {}, ""),
    "no such document": (
        {"in": FOLDERS + "</cesAlign>"},
        "in - --doc x",
        None,
        "in: unknown --doc 'x'; expected one of a/x, b/x",
    ),
    "ids that count no blank lines": (
        {"in": links("1:1;1:1", "2:1;2:1", "2:2;2:2"), **BLANK},
        "in x.tmx --src t.en --tgt t.fr",
        None,
        GAP,
    ),
    "beads that count no blank lines": (
        {"in": "[0]:[0]\n[1]:[1]\n[2]:[2]\n", **BLANK},
        "in x.tmx --src t.en --tgt t.fr",
        None,
        GAP,
    ),
    "beads that count blank lines": (
        {"in": "[0]:[0]\n[2]:[2]\n[3]:[3]\n", **BLANK},
        "in x.tmx --src t.en --tgt t.fr",
        {"x.tmx": "C</seg></tuv><tuv"},
        "",
    ),
    "a text with more": (
        {"in": "[0]:[0]\n", "t.en": "a\nb\n", "t.fr": "c\nd\n"},
        "in x.tmx --src t.en --tgt t.fr",
        {},
        "no bead has the last sentences: the text has 2 and 2 lines",
    ),
    "a part of a ladder": (
        {"in": "0 0 .9\n1 1 .8\n3 3 .7\n", **BLANK},
        "in x.tmx --src t.en --tgt t.fr",
        None,
        "have every sentence .* end with its sentences 3 and 3 .*hunalign, without -bisent",
    ),
    "a ladder without its start": (
        {"in": "1\t1\n2\t2\n"},
        "in -",
        {"": "[1]:[1]\n"},
        "before the first rung 1 1, where a ladder begins with 0 0",
    ),
    "lines that end with carriage returns": (
        {"in": "0 0\r1 1\r2 3\r"},
        "in -",
        {"": "[0]:[0]\n[1]:[1, 2]\n"},
        "",
    ),
    "ids of a part": (
        {"in": links("s60.1;s57.1")},
        "in -",
        {},
        "id such as 's57.1' numbered by the last number alone; .*XML files",
    ),
    "beads from 1": (
        {"in": "[1]:[1]\n[2]:[2, 3]\n"},
        "in -",
        {"": "[1]:[1]\n[2]:[2, 3]\n"},
        "in: 2 beads from sentence 1 of both sides on, .*--base 1",
    ),
    "the base 1": (
        {"in": "[1]:[1]\n[2]:[2, 3]\n"},
        "in - --base 1",
        {"": "[0]:[0]\n[1]:[1, 2]\n"},
        "",
    ),
    "a sentence 0 with the base 1": (
        {"in": "[1]:[1]\n[0]:[2]\n"},
        "in - --base 1",
        None,
        "in:2: the sentence number 0; expected from 1",
    ),
    "ids with a base": ({"in": links("s4;s4")}, "in - --base 0", {"": "[4]:[4]\n"}, ""),
    "a program's format": (
        {"in": "[0]:[0]\n"},
        "in - --to hunalign",
        None,
        "unknown --to 'hunalign'; .* did you mean 'ladder'?",
    ),
    "a ladder with a base": (
        {"in": "0 0\n1 1\n"},
        "in - --base 1",
        None,
        "in: the base 1 for the format ladder; expected 0 or 1, for vecalign, ces, intertext",
    ),
}


@pytest.mark.parametrize(("files", "words", "made", "said"), CONVERTED.values(), ids=CONVERTED)
def test_what_a_file_says_of_itself(tmp_path, files, words, made, said):
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8", newline="")
    out, told = run("convert", *words.split(), folder=tmp_path, code=2 if made is None else 0)
    told = " ".join(told.split())
    assert re.search(said, told), told
    if not said:
        assert "warning" not in told
        assert "error" not in told
    for name, text in (made or {}).items():
        assert text in ((tmp_path / name).read_text("utf-8") if name else out)
    if made is None:
        assert {one.name: one.read_text("utf-8") for one in tmp_path.iterdir()} == files


GOLD = [(k, k + 1, 2 * k, 2 * k + 2) for k in range(20)]
MOVED = [tuple(end + 1 for end in one) for one in GOLD]

SCORED = {
    "a system from 1": (
        MOVED,
        GOLD,
        "share 0 of gold's .*, and 20 if sentences of the system .*`base=1`$",
    ),
    "gold from 1": (GOLD, MOVED, "share 0 of gold's .*, and 20 if sentences of gold .*`base=1`$"),
    "more sentences": (
        [*GOLD, (20, 22, 40, 42)],
        GOLD,
        "end with different sentences: 22 and 42, and 20 and 40 in gold",
    ),
    "fewer sentences": (GOLD[:18], GOLD, "different sentences: 18 and 36, and 20 and 40 in gold"),
}


@pytest.mark.parametrize(("hyp", "gold", "said"), SCORED.values(), ids=SCORED)
def test_systems_that_number_other_sentences(hyp, gold, said):
    with pytest.warns(DataWarning, match=said):
        beads.score({"a": hyp}, gold).scores


def test_every_format_is_listed():
    assert tuple(FORMATS) == f.BEAD_FORMATS


def test_a_system_may_lack_the_last_beads(recwarn):
    beads.score({"a": [GOLD[0], *GOLD[2:18]]}, GOLD).scores
    assert not recwarn.list


def test_bases_of_gold_and_systems(tmp_path):
    for name, rows in (("gold", GOLD), ("hyp", MOVED)):
        f.write_beads(columns(rows), tmp_path / name, "vecalign")
    words = ["--gold", "gold", "--hyp", "hyp", "--set", "hyp-base=1", "--json"]
    out, told = run("beads", "score", *words, folder=tmp_path)
    assert json_of(out)[0]["strict_f"] == 1
    assert "warning" not in told
    assert f.read_beads(tmp_path / "hyp", base=1)["src_start"].to_pylist() == [*range(20)]
    with pytest.raises(InputError, match="the base 2 for the format vecalign"):
        f.read_beads(tmp_path / "hyp", base=2)


def columns(rows):
    names = ("src_start", "src_end", "tgt_start", "tgt_end")
    return {name: [row[k] for row in rows] for k, name in enumerate(names)}
