"""``alignframe tesla words`` and the options of analysis."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from helpers.cli import json_of
from helpers.language import VERSION, write_wordnet

from alignframe.cli.commands import command
from alignframe.cli.parse import Command
from alignframe.core.schemas import ANALYSED
from alignframe.errors import InputError

app = Command(command("tesla words"))


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the command in a folder with a file of two sentences."""
    write_wordnet(tmp_path / "wordnet")
    (tmp_path / "text.en").write_text("The mice didn't run.\n\n")
    (tmp_path / "tagged.en").write_text("Mice|NNS|mouse\n")
    monkeypatch.chdir(tmp_path)

    def call(*words):
        found = CliRunner().invoke(app, ["--set", "wordnet=wordnet", *words])
        if found.exception and not isinstance(found.exception, SystemExit):
            raise found.exception
        return found.stdout

    return call


def test_lines(run):
    assert run("text.en", "--show", "words") == "The mice did n't run .\n\n"
    assert run("text.en", "--show", "lemmas") == "the mouse do n't run .\n\n"
    stems = "--tagger none --set lemmas=stems --set synonyms=none --show lemmas".split()
    assert run("text.en", *stems) == "the mice did n't run .\n\n"
    tagged = run("text.en")
    assert tagged.startswith("The|DT|the mice|NNS|mouse did|VBD|do n't|RB|n't run|")
    assert tagged.count("\n") == 2


def test_words_need_neither_tagger_nor_wordnet(run, tmp_path, monkeypatch):
    monkeypatch.setattr("alignframe.language.analysis.tagger_of", None)
    monkeypatch.setattr("alignframe.language.analysis.read_wordnet", None)
    (tmp_path / "text.xx").write_text("Ala ma\u00a0kota.\n")
    words = ("--language", "xx", "--show", "words")
    assert run("text.xx", *words) == "Ala ma kota .\n"
    assert run("text.xx", *words, "--tokens", "spaces") == "Ala ma\u00a0kota.\n"
    assert json_of(run("text.en", *words, "--json")) == [
        {"sid": 0, "words": "The mice did n't run .".split(), "signature": "tokens:penn"},
        {"sid": 1, "words": [], "signature": "tokens:penn"},
    ]
    told = json_of(run("text.en", *words, "-o", "out.txt", "--json"))
    assert told == {"signature": "tokens:penn", "output": "out.txt", "sentences": 2, "tokens": 6}
    tokens = [[{"word": "a", "tag": "X", "lemma": "b", "content": True}], []]
    table = pa.table({"sid": [0, 1], "tokens": pa.array(tokens, ANALYSED)})
    pq.write_table(table, tmp_path / "text.parquet")
    assert run("text.parquet", *words) == "a\n\n"


def test_other_languages_need_no_synonyms(run, tmp_path):
    (tmp_path / "text.de").write_text("Der Hund\n")
    assert run("text.de", "--language", "de") == "Der|ART|der Hund|NN|hund\n"
    (told,) = json_of(run("text.de", "--language", "de", "--json"))
    assert "|synonyms:none|" in told["signature"]


def test_files(run, tmp_path):
    assert run("text.en", "--show", "words", "-o", "out.txt") == ""
    assert (tmp_path / "out.txt").read_text() == "The mice did n't run .\n\n"
    told = json_of(run("text.en", "-o", "out.parquet", "--json"))
    assert (told["sentences"], told["tokens"], told["output"]) == (2, 6, "out.parquet")
    assert told["content"] == 4
    table = pq.read_table(tmp_path / "out.parquet")
    assert table.column_names == ["sid", "tokens"]
    assert table["tokens"].type == ANALYSED
    assert table["sid"].to_pylist() == [0, 1]


def test_json(run):
    one, two = json_of(run("text.en", "--json", "--set", "synonyms=none"))
    assert one["signature"].endswith(
        f"|lemmas:morphy-wordnet-{VERSION}|synonyms:none|content:NN,VB,JJ,RB"
    )
    tokens = [token["word"] for token in one["tokens"]]
    assert tokens == "The mice did n't run .".split()
    assert (two["sid"], two["tokens"]) == (1, [])


def test_given_tags(run, tmp_path):
    options = ("--tagger", "given", "--set", "lemmas=given", "--set", "content=NN")
    assert run("tagged.en", *options) == "Mice|NNS|mouse\n"
    row = ["1", "Mice", "mouse", "NOUN", "NNS", "_", "0", "root", "_", "_"]
    (tmp_path / "text.conllu").write_text("\t".join(row) + "\n\n")
    options = ("--tagger", "given", "--set", "content=universal")
    assert run("text.conllu", *options) == "Mice|NOUN|mouse\n"


def test_bad_options(run):
    with pytest.raises(InputError, match="unknown --show"):
        run("text.en", "--show", "all")
    with pytest.raises(InputError, match="its folder does not exist"):
        run("text.en", "-o", "absent/out.txt")
    with pytest.raises(InputError, match=r"absent\.en: no such file"):
        run("absent.en")
    with pytest.raises(InputError, match="no tagger for the language 'fr'"):
        run("text.en", "--language", "fr")
