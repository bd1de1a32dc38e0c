"""Tags, lemmas and synonyms projected through a bitext with English."""

import polars as pl
import pytest
from helpers.cli import json_of, run

from alignframe import formats, tesla
from alignframe.errors import DataWarning, InputError

EN = ["the cats sleep", "the cat sleeps", "a feline sleeps", "the house", "houses ,", "the cat"]
XX = ["le gatos dormen", "le gato dorme", "le felino dorme", "le maison", "maisons ,", "le gato"]
LINKS = ["0-0 1-1 2-2", "0-0 1-1 2-2", "0-0 1-1 2-2", "0-0 1-1", "0-0 1-1", "0-0 1-1"]


@pytest.fixture(scope="module")
def learnt():
    en = ["the cats sleep", "the cat sleeps", "a cat sleeps", "the house", "houses ,", "the cat"]
    links = {"a": LINKS}
    return tesla.learn_tags(en, XX, links, tokens="spaces", min_count=1)


@pytest.fixture
def tagger(learnt, tmp_path):
    path = tmp_path / "xx.tags.parquet"
    formats.write(learnt, path)
    return str(path)


def test_learnt_tags(learnt):
    rows = {row["word"]: row for row in learnt.frame.iter_rows(named=True)}
    assert {word: row["tag"] for word, row in rows.items()} == {
        "le": "DT", "gato": "NN", "gatos": "NN", "felino": "NN", "maison": "NN", "maisons": "NN",
        "dorme": "VB", "dormen": "VB", ",": ",",
    }  # fmt: skip
    lemmas = {word: row["lemma"] for word, row in rows.items()}
    assert (lemmas["gatos"], lemmas["dormen"], lemmas["felino"]) == ("gato", "dorme", "felino")
    assert rows["gatos"]["translations"] == ["cat"]
    assert rows["le"]["translations"] == rows[","]["translations"] == []
    assert (rows["le"]["n"], rows["gato"]["n"]) == (5, 2)
    assert "|sentences:6|count:1|prob:0.2|" in learnt.signature
    assert "|tokens:spaces|" in learnt.signature


def test_a_language_is_scored_with_learnt_tags(tagger, tmp_path):
    analysis = tesla.Analysis.of("xx", "spaces", tagger)
    tokens = tesla.analyse(["le gatos felizos % 3"], language="xx", tokens="spaces", tagger=tagger)
    assert [(one["tag"], one["lemma"]) for one in tokens[0]][:3] == [
        ("DT", "le"), ("NN", "gato"), ("NN", "felizos"),  # by the ending -os of gatos
    ]  # fmt: skip
    assert not tokens[0][3]["content"]
    assert analysis.synonyms.pairs == 1  # gato and felino
    found = tesla.score(
        {"a": ["le felino dorme"]}, [["le gato dorme"]], analysis=analysis, bootstrap=0
    )
    none = tesla.score(
        {"a": ["le felino dorme"]}, [["le gato dorme"]], bootstrap=0,
        analysis=tesla.Analysis.of("xx", "spaces", tagger, synonyms="none"),
    )  # fmt: skip
    assert found.segments["score"][0] > none.segments["score"][0]
    assert "|tagger:learnt-" in found.signature


def test_bad_input(tmp_path):
    with pytest.raises(InputError, match=r"2 sentences .* 1"):
        tesla.learn_tags(["a", "b"], ["c"])
    with pytest.raises(InputError, match="probability"):
        tesla.learn_tags(["a"], ["b"], min_probability=-0.1)
    with pytest.raises(InputError, match="alignframe tesla tags"):
        tesla.Analysis.of("xx", tagger=str(tmp_path / "no.parquet"))
    pl.DataFrame({"word": ["a"]}).write_parquet(tmp_path / "odd.parquet")
    with pytest.raises(InputError, match=r"odd\.parquet.*'tag'"):
        tesla.Analysis.of("xx", tagger=str(tmp_path / "odd.parquet"))
    with pytest.raises(InputError, match="tesla tags --src"):
        tesla.Analysis.of("xx")
    for language in ("EN", "english", "", "e n"):
        with pytest.raises(InputError, match="expected a code such as en"):
            tesla.Analysis.of(language, tagger="none")
    for language, code in (("eng", "en"), ("ger", "de"), ("deu", "de"), ("fra", "fr")):
        with pytest.raises(InputError, match=rf"two-letter code; did you mean '{code}'\?"):
            tesla.Analysis.of(language, tagger="none")
    assert tesla.Analysis.of("haw", tagger="none").language == "haw"


def test_signatures_distinguish_tags_however_they_were_written(learnt, tmp_path):
    def name(frame):
        frame.write_parquet(tmp_path / "t.parquet")  # without the metadata of the command
        return tesla.Analysis.of("xx", tagger=str(tmp_path / "t.parquet")).signature.split("|")[2]

    frame = learnt.frame
    assert name(frame) == "tagger:" + learnt.signature.split("|")[0].removeprefix("tags:")
    changed = [
        frame.with_columns(**{column: pl.lit(value).cast(frame.schema[column])})
        for column, value in (("tag", "NN"), ("lemma", "x"), ("n", 7))
    ]
    assert len({name(one) for one in (frame, *changed)}) == 4


def test_tags_of_another_language_are_refused(tagger):
    def scored(text, repeated):
        analysis = tesla.Analysis.of("yy", "spaces", tagger)
        return tesla.score([text] * repeated, [[text] * repeated], analysis=analysis, bootstrap=0)

    with pytest.raises(InputError, match=r"xx\.tags\.parquet: the tags know 0% .* lack der, hund"):
        scored("der hund schläft", 20)
    with pytest.warns(DataWarning, match=r"know 0% of the 3 words of .* another language"):
        scored("der hund schläft", 1)
    with pytest.warns(DataWarning, match=r"know 33% of the 60 words"):
        scored("gato hund schläft", 20)
    scored("le gato dorme", 20)


CHINESE, MIXED = ["我们 去 学校 。", "他 喜欢 猫 ！"], ["我们 we go 。", "the café in 学校 , 3 m"]


@pytest.mark.parametrize("tagger", ["textblob", "hanta"])
def test_text_in_letters_that_a_tagger_does_not_know(tagger):
    if tagger == "hanta":
        pytest.importorskip("HanTa")

    def scored(text, **options):
        analysis = tesla.Analysis.of(tokens="spaces", lemmas="words", synonyms="none", **options)
        return tesla.score({"x": text}, text, analysis=analysis, bootstrap=0)

    with pytest.warns(DataWarning, match=r"100% of its 6 words are not in Latin letters") as said:
        scored(CHINESE, tagger=tagger)
    assert len(said) == 1
    assert "name the language of the text (`language`) and its tagger" in str(said[0].message)
    # Text with some foreign words, without words, and with tags of another origin is no matter.
    scored(MIXED, tagger=tagger)
    scored(["1 2 。"], tagger=tagger)
    scored(CHINESE, tagger="none")
    tags = [[{"word": "我", "tag": "PN", "lemma": "我", "content": True}]]
    scored(pl.DataFrame({"tokens": tags, "sid": [0]}), tagger=tagger)


@pytest.mark.parametrize(
    "words",
    [
        ["score", "--ref", "zh", "--hyp", "x=zh"],
        ["explain", "--ref", "zh", "--hyp", "zh", "--segment", 1],
        ["words", "zh"],
        ["pivot-table", "--src", "zh", "--pivot", "zh", "-o", "pivots.parquet", "--min-count", 1],
    ],
)
def test_commands_warn_of_text_in_other_letters(tmp_path, words):
    (tmp_path / "zh").write_text("".join(f"{line}\n" for line in CHINESE))
    own = [] if words[0] == "pivot-table" else ["--lemmas", "words", "--synonyms", "none"]
    _, said = run("tesla", *words, *own, folder=tmp_path)
    assert said.count("are not in Latin letters, the only ones that the tagger textblob") == 1


def test_tags_are_not_learnt_from_text_that_is_not_english():
    with pytest.raises(
        InputError, match="most words of `src` are not in Latin letters; expected En"
    ):
        tesla.learn_tags(CHINESE, ["we go to school .", "he likes cats !"])


@pytest.mark.parametrize(
    "words",
    [
        ["explain", "--ref", "yy", "--hyp", "yy", "--segment", 3],
        ["words", "yy"],
        ["score", "--ref", "yy", "--hyp", "yy"],
    ],
)
def test_every_command_refuses_tags_of_another_language(tagger, tmp_path, words):
    (tmp_path / "yy").write_text("der hund schläft\n" * 20)
    options = ["--language", "yy", "--tokens", "spaces", "--tagger", tagger]
    _, said = run("tesla", *words, *options, folder=tmp_path, code=2)
    assert "xx.tags.parquet: the tags know 0% of the 60 words of yy" in " ".join(said.split())


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"tag": pl.when(pl.col("n") > 2).then("tag")}, "a word without its tag"),
        ({"n": pl.lit("7")}, "the column n of type String"),
        ({"n": pl.lit(0)}, "a word with no links"),
        ({"word": pl.lit(5)}, "the column word of type Int32"),
        ({"word": pl.lit("gato")}, "the word 'gato' twice"),
        ({"translations": pl.lit("cat")}, "the column translations of type String"),
    ],
)
def test_damaged_tags_are_named(learnt, tmp_path, changed, message):
    learnt.frame.with_columns(**changed).write_parquet(tmp_path / "odd.parquet")
    with pytest.raises(
        InputError, match=rf"odd\.parquet: {message}; expected a file written by alignframe"
    ):
        tesla.Analysis.of("xx", tagger=str(tmp_path / "odd.parquet"))


def test_the_command(tmp_path):
    (tmp_path / "en").write_text("\n".join(EN) + "\n")
    (tmp_path / "xx").write_text("\n".join(XX) + "\n")
    (tmp_path / "l.talp").write_text("\n".join(LINKS) + "\n")
    words = "tesla tags --src en --tgt xx --links l.talp --set min-count=1".split()
    found = json_of(run(*words, "-o", "xx.tags.parquet", "--json", folder=tmp_path)[0])
    assert (found["sentences"], found["words"]) == (6, 9)
    score = ["tesla", "score", "--language", "xx", "--tagger", "xx.tags.parquet", "--bootstrap", 0]
    out, said = run(*score, "--ref", "xx", "--hyp", "xx", "--metric", "f", folder=tmp_path)
    assert "TESLA-F" in out
    assert "tagger:learnt" in said
    _, said = run(*words, "-o", "xx.tsv", folder=tmp_path, code=2)
    assert ".parquet" in said
