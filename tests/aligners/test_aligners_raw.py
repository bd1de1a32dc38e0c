"""Raw text: split into words to be aligned, with links of what stands between spaces."""

import polars as pl
import pytest
from helpers.cli import json_of, run

from alignframe import aligners, formats, lake
from alignframe.aligners.bidirectional import Linking, decode_directions, fit_directions, join
from alignframe.aligners.units import in_words
from alignframe.errors import DataWarning, InputError
from alignframe.language.words import words_in
from alignframe.options.training import Training

MARKS = {",", ".", "?", "!", ";", ":", ")"}


@pytest.fixture(scope="module")
def raw(en_fr):
    """The text with marks glued, and for each side the unit of each word."""
    text, units = {}, {}
    for side in ("src", "tgt"):
        text[side], units[side] = [], []
        for words in pl.DataFrame(en_fr)[side].to_list():
            glued: list[str] = []
            for word in words:
                if glued and word in MARKS:
                    glued[-1] += word
                else:
                    glued.append(word)
            text[side].append(" ".join(glued))
            units[side].append([k for k, unit in enumerate(glued) for _ in words_in(unit)])
    return text, units


def reference(frame, units):
    """Return links of words as links of units, each once, with its greatest probability."""
    rows = []
    for k, (links, p) in enumerate(zip(frame["links"], frame["probabilities"], strict=True)):
        best = {}
        for link, one in zip(links, p, strict=True):
            pair = units["src"][k][link["i"]], units["tgt"][k][link["j"]]
            best[pair] = max(one, best.get(pair, 0.0))
        rows.append(sorted(best.items()))
    return rows


def found_in(frame):
    return [
        [((link["i"], link["j"]), p) for link, p in zip(links, probabilities, strict=True)]
        for links, probabilities in zip(frame["links"], frame["probabilities"], strict=True)
    ]


@pytest.mark.parametrize("symmetrize", ["agree", "union", "none"])
def test_links_count_units(raw, symmetrize):
    text, units = raw
    given = {"model": "hmm", "symmetrize": symmetrize, "posterior": True}
    words = aligners.align(text["src"], text["tgt"], positions="words", **given)
    spaces = aligners.align(text["src"], text["tgt"], **given)
    assert found_in(spaces) == reference(words, units)
    assert words["links"].list.len().sum() > spaces["links"].list.len().sum() > 300


def test_a_saved_model_splits_as_in_training(raw, tmp_path):
    text, _ = raw
    bitext = pl.DataFrame({"sid": range(len(text["src"])), **text})
    for name in ("forward", "reverse"):
        made = aligners.fit(bitext, model="hmm", reverse=name == "reverse", together=False)
        made.save(tmp_path / "model" / name)
    models = aligners.load_directions(tmp_path / "model")
    assert [model.splittings for model in models] == [made.splittings] * 2
    few = bitext.head(2)  # too few to tell that they are raw
    wanted = aligners.align_with(models, bitext, symmetrize="union")["links"].head(2)
    found = aligners.align_with(models, few, symmetrize="union")
    assert found["links"].to_list() == wanted.to_list()
    split = bitext.with_columns(pl.col("src", "tgt").str.split(" "))
    split.write_parquet(tmp_path / "text.parquet")
    lake.align(tmp_path / "text.parquet", tmp_path / "model", tmp_path / "out", symmetrize="union")
    written = pl.read_parquet(tmp_path / "out" / "links.parquet")
    assert written["links"].head(2).to_list() == wanted.to_list()


def test_raw_text_beside_a_model_or_prior_of_split_text_is_warned_of(raw, en_fr, tmp_path):
    text, _ = raw
    bitext = pl.DataFrame({"sid": range(len(text["src"])), **text})
    models = [
        aligners.fit(en_fr, model="ibm1", reverse=reverse, iterations=1)
        for reverse in (False, True)
    ]
    for model in models:
        model.save(tmp_path / "model" / ("reverse" if model.reverse else "forward"))
    said = r"^src and tgt look raw, but the {}model was trained on text that was split"
    with pytest.warns(DataWarning, match=said.format("")):
        aligners.align_with(models, bitext)
    with pytest.warns(DataWarning, match=said.format("prior ")):
        aligners.align(bitext, model="ibm1", iterations=1, prior=tuple(models))
    ran = run("align", text_file(tmp_path, "a", text["src"]), text_file(tmp_path, "b", text["tgt"]),
              "--model-from", tmp_path / "model", "-o", tmp_path / "x.talp")  # fmt: skip
    assert ran.stderr.count("look raw, but the model") == 1
    half = bitext.with_columns(tgt=pl.Series(pl.DataFrame(en_fr)["tgt"]))
    with pytest.warns(DataWarning, match="^src looks raw"):
        aligners.align_with(models, half)
    aligners.align_with(models, en_fr)  # warnings are errors


@pytest.mark.parametrize(
    ("more", "written"),
    [
        ([], ["-o", "links.talp"]),
        ([], ["--page", "page.html"]),
        ([], ["--scores", "scores.parquet"]),
        (["--train-on", 8], ["-o", "links.talp"]),
        (["--positions", "words"], ["-o", "links.talp"]),
    ],
)
def test_the_command_says_how_text_was_split(tmp_path, monkeypatch, more, written):
    monkeypatch.chdir(tmp_path)
    text_file(tmp_path, "en", ["The house, here.", "A house, there."] * 5)
    text_file(tmp_path, "zh", ["那座房子在这里。", "一座房子在那里。"] * 5)
    words = ["align", "en", "zh", "--model", "ibm1", *more, *written]
    found = json_of(run(*words, "--json").stdout)
    own = {name: found[name] for name in found if name.startswith(("src_", "tgt_"))}
    counted = "words" if more[:1] == ["--positions"] else "spaces"
    assert own == {
        "src_split": "unicode",
        "src_positions": counted,
        "tgt_split": "unicode",
        "tgt_positions": "words",
    }
    said = run(*words).stderr
    units = {"words": "these words", "spaces": "what is between spaces"}[counted]
    assert f"src is split into words (unicode); links count {units}" in said
    assert "tgt is split into words (unicode); links count these words" in said


def text_file(folder, name, lines):
    (folder / name).write_text("".join(f"{line}\n" for line in lines))
    return folder / name


def test_directions_that_split_differently_are_refused(raw, en_fr, tmp_path):
    text, _ = raw
    split = aligners.fit(en_fr, model="ibm1", iterations=1)
    own = aligners.fit(text["src"], text["tgt"], model="ibm1", reverse=True, iterations=1)
    split.save(tmp_path / "forward")
    own.save(tmp_path / "reverse")
    said = r"differently: spaces and spaces \(forward\) but unicode and unicode \(reverse\)"
    for call in (
        lambda: aligners.load_directions(tmp_path),
        lambda: aligners.align_with([split, own], en_fr),
        lambda: aligners.Aligner([own, split]),
    ):
        with pytest.raises(InputError, match=said):
            call()


def test_training_goes_on_with_the_words_of_a_prior(raw):
    text, _ = raw
    before = aligners.fit(text["src"], text["tgt"], model="ibm1", iterations=1)
    assert before.splits
    after = aligners.fit(["the house"], ["la maison"], model="ibm1", prior=before)
    assert after.splittings == before.splittings
    assert not aligners.fit(["the house"], ["la maison"], model="ibm1").splits


def test_text_without_spaces_has_links_of_words():
    src, tgt = (
        ["the house, here.", "a house, there."] * 3,
        ["那座房子在这里。", "一座房子在那里。"] * 3,
    )
    model = aligners.fit(src, tgt, model="ibm1")
    assert [one.spaced for one in model.splittings] == [True, False]
    bitext = list(zip(src, tgt, strict=True))
    links = model.align(bitext)["links"].explode().struct.unnest()
    assert links["i"].max() < 3
    assert links["j"].max() > 3
    assert (
        model.align(bitext, positions="spaces")["links"].explode().struct.unnest()["j"].max() == 0
    )
    text = formats_table(src, tgt)
    shown = in_words(text, model.splittings)
    assert shown["tgt"][0].as_py() == list(tgt[0])
    assert shown["src"][0].as_py() == src[0].split()


def formats_table(src, tgt):
    from alignframe.sources.pairs import sentence_pairs

    return sentence_pairs(src, tgt).table()


def test_both_sides_are_split_by_their_own_evidence(raw, en_fr):
    text, units = raw
    words = pl.DataFrame(en_fr)["tgt"].to_list()
    sides = decode_directions(
        fit_directions(formats_table(text["src"], words), Training("ibm1")), Linking("union")
    )
    joined = join(sides, Linking("union"))
    found = sides[0].units.of_links(joined)
    for k, (wanted, own) in enumerate(zip(joined["links"], found["links"], strict=True)):
        pairs = {(units["src"][k][link["i"]], link["j"]) for link in wanted}
        assert [(link["i"], link["j"]) for link in own] == sorted(pairs)


def test_what_cannot_be_split_is_refused(tmp_path):
    with pytest.raises(InputError, match="one of auto, spaces, unicode, characters"):
        aligners.fit(["a"], ["b"], words="penn")
    with pytest.raises(InputError, match="one of auto, spaces, words"):
        aligners.align(["a"], ["b"], model="ibm1", positions="characters")


def test_hostile_text_loses_nothing():
    src = ["a,\u00a0b", "\u200b", "||| x,", "y" * 100_000 + ",", "\u00a0", "c, d, e, f."]
    tgt = ["a\u00a0b,", "c,", "x, |||", "z,", "d,", "c, d, e,\tf."]
    with pytest.warns(DataWarning, match="2 sentence pairs with an empty side"):
        found = aligners.align(src, tgt, model="ibm1")
    assert found.height == len(src)
    assert found["links"][1].is_empty()  # a side without a word
    assert found["links"][4].is_empty()
    for line, other, links in zip(src, tgt, found["links"], strict=True):
        for link in links:
            assert link["i"] < len(line.split(" "))
            assert link["j"] < len(other.replace("\t", " ").split(" "))


def test_formats_are_split_like_tables(raw, tmp_path):
    text, _ = raw
    for side, lines in text.items():
        (tmp_path / side).write_text("\n".join(lines) + "\n", "utf-8")
    files = aligners.align(tmp_path / "src", tmp_path / "tgt", model="ibm1")
    table = formats.read_bitext(tmp_path / "src", tmp_path / "tgt")
    assert aligners.align(table, model="ibm1").equals(files)


@pytest.mark.parametrize("mark", ["\u200b", "\u2060", "\ufeff", "\u00ad", "\u200e"])
def test_invisible_characters_are_no_part_of_raw_words(raw, mark):
    text, _ = raw
    marked = [" ".join(mark + unit for unit in line.split(" ")) for line in text["tgt"]]
    for words in ("auto", "unicode", "characters"):
        plain = aligners.align(text["src"], text["tgt"], model="hmm", words=words)
        assert aligners.align(text["src"], marked, model="hmm", words=words).equals(plain)


def test_invisible_characters_of_split_text_are_warned_of(en_fr):
    src, tgt = ([" ".join(words) for words in en_fr[side].to_pylist()] for side in ("src", "tgt"))
    tgt[0] = f"\u200b{tgt[0]} a\u00adb"
    with pytest.warns(DataWarning, match=r"^tgt: 2 words of [\d,]+ with an invisible.*take them"):
        aligners.align(src, tgt, model="ibm1", symmetrize="none")
    made = aligners.fit(src[1:], tgt[1:], model="ibm1")
    with pytest.warns(DataWarning, match=r"^tgt: 2 words of [\d,]+ with an invisible"):
        made.align((src, tgt))
    joined = [
        f"{line} \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645" for line in src
    ]  # a joiner
    assert aligners.fit(joined, src, model="ibm1").vocabularies[0][-1].as_py().count("\u200c")
