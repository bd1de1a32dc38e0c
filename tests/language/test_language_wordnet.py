"""WordNet's files, lemmas by morphy, and synonyms."""

import os
import runpy
import zipfile

import numpy as np
import pytest
from helpers.language import EXCEPTIONS, LETTERS, SENSES, SYNSETS, VERSION, write_wordnet
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.language import in_table, synonym_pairs, wordnet_groups

from alignframe.errors import InputError
from alignframe.language import Synonyms, find_wordnet, read_synonyms, read_wordnet, synonyms_of
from alignframe.language import wordnet as wordnet_module
from alignframe.language.morphy import Morphy
from alignframe.stores import cache as cache_module


def rows(frame):
    return sorted(frame.rows())


def listed(synonyms):
    """Return all pairs in the hash table, as lemmas."""
    keys = synonyms.table[synonyms.table > 0].tolist()
    names = synonyms.lemmas.to_list()
    pairs = {tuple(sorted((names[key - 1 >> 32], names[(key - 1) & 0xFFFFFFFF]))) for key in keys}
    assert len(pairs) == len(keys) == synonyms.pairs
    return pairs


def test_tiny_wordnet(tmp_path):
    found = read_wordnet(write_wordnet(tmp_path))
    assert found.version == read_wordnet().version == VERSION  # as in all tests without a mark
    assert rows(found.senses) == sorted(
        (lemma, LETTERS[name], synset)
        for name, lemmas in SENSES.items()
        for lemma, synsets in lemmas.items()
        for synset in synsets
    )
    assert rows(found.exceptions) == sorted(
        (LETTERS[name], form, lemma)
        for name, lines in EXCEPTIONS.items()
        for form, *lemmas in lines
        for lemma in lemmas
    )


@pytest.mark.parametrize(
    ("word", "tag", "lemma"),
    [
        ("Mice", "NNS", "mouse"),
        ("cars", "NNS", "car"),
        ("glasses", "NNS", "glass"),  # an ending is stripped from an inflected form
        ("glasses", "NN", "glasses"),  # a base form that exists is unchanged
        ("glasses", "NOUN", "glasses"),
        ("boxes", "NNS", "box"),
        ("boxesful", "NN", "boxful"),
        ("glass", "NNS", "glass"),
        ("found", "VBD", "find"),
        ("found", "VB", "found"),
        ("found", "VERB", "find"),
        ("ran", "VBD", "run"),
        ("making", "VBG", "make"),
        ("better", "JJR", "good"),
        ("better", "RBR", "well"),
        ("bigger", "JJR", "bigger"),
        ("larger", "JJR", "large"),
        ("guest", "JJ", "guest"),
        ("Cars", "IN", "cars"),
        ("Cars", "VBZ", "cars"),
        ("boss", "NNS", "boss"),
        ("As", "NNS", "as"),
    ],
)
def test_morphy(tmp_path, word, tag, lemma):
    assert Morphy(read_wordnet(write_wordnet(tmp_path))).lemma(word, tag) == lemma


def test_an_ending_of_an_exception_is_kept(tmp_path):
    senses = {**SENSES, "adj": {**SENSES["adj"], "gu": (9,), "loud": (10,)}}
    morphy = Morphy(read_wordnet(write_wordnet(tmp_path, senses)))
    assert [morphy.lemma(word, "JJS") for word in ("guest", "loudest")] == ["guest", "loud"]


def test_real_wordnet(wordnet):
    found = read_wordnet(wordnet)
    if found.version != "3.0":
        pytest.skip(f"WordNet {found.version} is not 3.0")
    assert found.senses.height == 206_941
    assert len(set(found.senses["lemma"].to_list())) == 147_306
    morphy = Morphy(found)
    forms = "mice/NNS better/JJR churches/NNS was/VBD lying/VBG axes/NNS children/NNS guest/JJ"
    lemmas = [morphy.lemma(*form.split("/")) for form in forms.split()]
    assert lemmas == "mouse good church be lie ax child guest".split()


def test_synonyms_of_real_wordnet(wordnet):
    if not (wordnet / "data.noun").is_file():
        pytest.skip("WordNet's data files are absent")
    groups = [
        [word for word in words if "_" not in word] for _, _, words in wordnet_groups(wordnet)
    ]
    found = synonyms_of("wordnet", wordnet)
    assert listed(found) == synonym_pairs(groups)
    one, other, third = found.numbers(["car", "automobile", "house"]).tolist()
    assert in_table(found, one, other)
    assert not in_table(found, one, third)
    keys = found.table[found.table > 0] - np.uint64(1)
    first, second = keys >> np.uint64(32), keys & np.uint64(0xFFFFFFFF)
    assert (found.signatures[first] & found.signatures[second]).all()


NAMES = st.sampled_from([f"w{k}" for k in range(12)])


@settings(max_examples=30)
@given(st.lists(st.tuples(NAMES, NAMES), max_size=40))
def test_pairs(pairs):
    found = Synonyms.from_pairs(*([p[side].upper() for p in pairs] for side in (0, 1)), "mine")
    wanted = synonym_pairs(pairs)
    assert listed(found) == wanted
    name, _, digest = found.signature.rpartition("-") if wanted else (found.signature, "", "")
    assert name == f"mine-{len(wanted)}"
    turned = [pair[::-1] for pair in pairs[::-1]]
    same = Synonyms.from_pairs(*([pair[side] for pair in turned] for side in (0, 1)), "mine")
    assert same.signature == found.signature
    assert len(digest) == 8 * bool(wanted)
    assert 2 * found.pairs <= found.table.size == 1 << (found.table.size.bit_length() - 1)
    names = [f"w{k}" for k in range(12)]
    numbers = found.numbers(names).tolist()
    assert [number >= 0 for number in numbers] == [
        any(name in pair for pair in pairs) for name in names
    ]
    for left, a in zip(names, numbers, strict=True):
        for right, b in zip(names, numbers, strict=True):
            if a >= 0 and b >= 0:
                assert in_table(found, a, b) == (tuple(sorted((left, right))) in wanted)
                if in_table(found, a, b):
                    assert found.signatures[a] & found.signatures[b]


def test_synonyms_of_a_tiny_wordnet(tmp_path):
    found = synonyms_of("wordnet", write_wordnet(tmp_path))
    synsets = " ".join(SYNSETS.values()).split()
    groups = [[lemma for lemma in one.split("=") if "_" not in lemma] for one in synsets]
    assert listed(found) == synonym_pairs(groups)
    assert found.signature == f"wordnet-{VERSION}"


def test_synonyms_of_a_file(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("# groups\nAuto\tWagen\tPKW\n\nHaus\tGebäude\t\nAuto\tKarre\r\n")
    found = synonyms_of(str(path))
    groups = [("auto", "wagen", "pkw"), ("haus", "gebäude"), ("auto", "karre")]
    assert listed(found) == synonym_pairs(groups)
    assert found.signature == "words.txt-5-4d399bec"
    assert synonyms_of(str(path)) is found
    path.write_text("a\tb\n")
    assert synonyms_of(str(path)).pairs == 1
    path.write_text("Auto\tWagen\tPKW\nHaus\tBau\nAuto\tKarre\n")
    assert synonyms_of(str(path)).signature.startswith("words.txt-5-")
    assert synonyms_of(str(path)).signature != found.signature


def test_pairs_are_lowercased_like_lemmas():
    words = ["ΛΟΓΟΣ", "İSTANBUL", "STRASSE"]
    found = Synonyms.from_pairs(words, ["a", "b", "c"], "mine")
    assert found.lemmas.to_list()[:3] == [word.lower() for word in words]


def test_a_changed_wordnet_is_named_by_a_digest(tmp_path, monkeypatch):
    """A known release is named by its number, even if corrected glosses moved its synsets."""
    monkeypatch.setattr(wordnet_module, "_PLAIN", {"3.9": VERSION[4:]})
    assert read_wordnet(write_wordnet(tmp_path / "same")).version == "3.9"
    moved = {
        name: {lemma: [synset * 2 + 7 for synset in synsets] for lemma, synsets in lemmas.items()}
        for name, lemmas in SENSES.items()
    }
    assert read_wordnet(write_wordnet(tmp_path / "moved", moved)).version == "3.9"
    more = {**SENSES, "noun": {**SENSES["noun"], "zebra": [99]}}
    assert read_wordnet(write_wordnet(tmp_path / "more", more)).version.startswith("3.9-")
    forms = {**EXCEPTIONS, "noun": [*EXCEPTIONS["noun"], ("oxen", "ox")]}
    found = read_wordnet(write_wordnet(tmp_path / "forms", exceptions=forms)).version
    assert found.startswith("3.9-")


def test_no_synonyms():
    found = synonyms_of("none")
    assert (found.signature, found.pairs) == ("none", 0)
    assert found.numbers(["car"]).tolist() == [-1]
    assert not found.table.any()
    assert found.table.size >= 2


@pytest.mark.parametrize("line", ["alone", "a\t\tb", " \tb"])
def test_a_bad_line_of_synonyms(tmp_path, line):
    path = tmp_path / "words.tsv"
    path.write_text(f"a\tb\n{line}\n")
    with pytest.raises(InputError, match=r"words\.tsv:2: .* two or more tab-separated lemmas"):
        read_synonyms(path)


def test_bad_pairs():
    with pytest.raises(InputError, match=r"1 lemmas .*0 "):
        Synonyms.from_pairs(["a"], [], "x")
    with pytest.raises(InputError, match="a missing lemma"):
        Synonyms.from_pairs(["a"], [None], "x")
    with pytest.raises(InputError, match="no such file"):
        synonyms_of("nowhere.txt")


def test_places(tmp_path, monkeypatch):
    folder = write_wordnet(tmp_path / "wn" / "dict")
    assert find_wordnet(tmp_path / "wn") == folder
    monkeypatch.setenv("ALIGNFRAME_WORDNET", str(folder))
    assert find_wordnet() == folder
    monkeypatch.delenv("ALIGNFRAME_WORDNET")
    monkeypatch.setattr(wordnet_module, "_places", lambda: [tmp_path, folder])
    assert find_wordnet() == folder
    monkeypatch.setattr(wordnet_module, "_places", lambda: [tmp_path])
    ways = "apt install wordnet-base.* brew install wordnet.* python -m nltk.downloader wordnet"
    with pytest.raises(InputError, match=f"not found; install WordNet .*{ways}"):
        find_wordnet()
    with pytest.raises(InputError, match=r"has no file index\.noun"):
        find_wordnet(tmp_path)
    with pytest.raises(InputError, match="is not a folder or zip file"):
        find_wordnet(tmp_path / "absent")
    (folder / "verb.exc").unlink()
    with pytest.raises(InputError, match=r"the folder lacks verb\.exc"):
        find_wordnet(folder)


def test_folders_are_those_of_nltk(tmp_path, monkeypatch):
    """A run of NLTK's module, as it lists the folders when it is imported."""
    monkeypatch.setenv("NLTK_DATA", os.pathsep.join((str(tmp_path), "", "~/mine", "here")))
    theirs = runpy.run_path(pytest.importorskip("nltk.data").__file__)["path"]
    assert [*map(str, wordnet_module._nltk_folders())] == theirs
    assert len(theirs) > 8


def zipped(folder, path):
    """Write a zip file with a folder, as NLTK's; return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.iterdir()):
            archive.write(file, f"{folder.name}/{file.name}")
    return path


def test_data_of_nltk(tmp_path, monkeypatch):
    """In a folder of NLTK's, the folder is read if there is one, and else the zip file."""
    monkeypatch.setattr(wordnet_module, "_PLACES", ())
    monkeypatch.delenv("ALIGNFRAME_WORDNET")
    monkeypatch.setenv("NLTK_DATA", f"{tmp_path / 'none'}{os.pathsep}{tmp_path / 'data'}")
    home = tmp_path / "data" / "corpora"
    path = zipped(write_wordnet(tmp_path / "wordnet"), home / "wordnet.zip")
    assert find_wordnet() == path
    found = read_wordnet()
    assert found.version == VERSION
    assert rows(found.senses) == rows(read_wordnet(tmp_path / "wordnet").senses)
    assert [file.name for file in home.iterdir()] == ["wordnet.zip"]
    other = zipped(write_wordnet(tmp_path / "wordnet2022", version="2022.1"), tmp_path / "own.zip")
    assert read_wordnet(other).version == VERSION.replace("3.9", "2022.1")
    assert find_wordnet() == path
    unpacked = write_wordnet(home / "wordnet")
    assert find_wordnet() == unpacked


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda data: data[:-30], r"wordnet\.zip: cannot be read \(File is not a zip file\)"),
        (lambda data: b"", r"wordnet\.zip: cannot be read \(File is not a zip file\)"),
        (
            lambda data: data[:60] + bytes(9) + data[69:],  # within the first file
            r"wordnet\.zip/wordnet/adj\.exc: cannot be read \(",
        ),
        (
            lambda data: data.replace(b"verb.exc", b"verb.old"),
            r"wordnet\.zip/wordnet/: the folder lacks verb\.exc",
        ),
        (
            lambda data: data.replace(b"index.noun", b"index.odds"),
            r"wordnet\.zip: has no file index\.noun",
        ),
    ],
    ids=["cut", "empty", "damaged", "incomplete", "another"],
)
def test_a_damaged_zip_file(tmp_path, damage, said):
    path = zipped(write_wordnet(tmp_path / "wordnet"), tmp_path / "wordnet.zip")
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(InputError, match=f"{said}.*nltk.downloader wordnet"):
        read_wordnet(path)


def test_a_damaged_line_in_a_zip_file(tmp_path):
    folder = write_wordnet(tmp_path / "wordnet")
    (folder / "noun.exc").write_text("mice mouse\ndice\n")
    with pytest.raises(InputError, match=r"w\.zip/wordnet/noun\.exc:2: 'dice' is not a line"):
        read_wordnet(zipped(folder, tmp_path / "w.zip"))


def test_folders_that_may_not_be_read(tmp_path, monkeypatch):
    """A place that is searched is passed over; one that is named is refused."""
    folder = write_wordnet(tmp_path / "wn")
    monkeypatch.delenv("ALIGNFRAME_WORDNET")
    monkeypatch.setattr(wordnet_module, "_places", lambda: [tmp_path / "locked", folder])
    inside = type(folder).is_file

    def is_file(path):
        if "locked" in path.parts:
            raise PermissionError(13, "Permission denied")
        return inside(path)

    monkeypatch.setattr(type(folder), "is_file", is_file)
    assert find_wordnet() == folder
    with pytest.raises(InputError, match=r"locked: cannot be read \(Permission denied\)"):
        find_wordnet(tmp_path / "locked")


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("index.noun", "dog n 2 1 @ 2 0 00000001  "),  # fewer synsets than announced
        ("index.noun", "dog v 1 1 @ 1 0 00000001  "),  # another part of speech
        ("index.adj", "rubbish"),
        ("noun.exc", "dice"),
    ],
)
def test_damaged_line(tmp_path, name, line):
    write_wordnet(tmp_path)
    path = tmp_path / name
    before = path.read_text()
    path.write_text(f"{before}{line}\n")
    number = before.count("\n") + 1
    with pytest.raises(InputError, match=rf"{name}:{number}: .*{line[:5]}"):
        read_wordnet(tmp_path)


def test_files_that_are_not_text(tmp_path):
    path = write_wordnet(tmp_path) / "adv.exc"
    path.write_bytes(b"best well\n\xff worst\n")
    with pytest.raises(InputError, match=r"adv\.exc:2: the byte 0xff"):
        read_wordnet(tmp_path)


def test_version_of_files_without_one(tmp_path):
    path = write_wordnet(tmp_path, version="x")
    version = read_wordnet(path).version
    assert len(version) == 8
    assert read_wordnet(write_wordnet(tmp_path / "other", version="y")).version == version


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """Return an empty cache, and a function that reads into it as another process would."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("ALIGNFRAME_CACHE", str(folder))

    def read(source):
        wordnet_module._read.cache_clear()
        return read_wordnet(source)

    return folder, read


def test_cache_is_used_and_follows_the_files(tmp_path, cache, monkeypatch):
    folder, read = cache
    source = write_wordnet(tmp_path / "wn")
    before = rows(read(source).senses)
    assert {path.suffix for path in folder.iterdir()} == {".parquet"}
    with monkeypatch.context() as patch:
        patch.setattr(wordnet_module, "_tables", None)  # nothing can be read again
        assert rows(read(source).senses) == before
    write_wordnet(source, {**SENSES, "adv": {}})
    assert len(rows(read(source).senses)) < len(before)


def test_a_damaged_cache_is_rebuilt(tmp_path, cache):
    folder, read = cache
    source = write_wordnet(tmp_path / "wn")
    before = rows(read(source).senses)
    for path in folder.iterdir():
        path.write_bytes(path.read_bytes()[:50])
    assert rows(read(source).senses) == before
    assert all(path.stat().st_size > 50 for path in folder.iterdir())


def test_an_unwritable_cache(tmp_path, cache):
    folder, read = cache
    folder.write_text("a file, where the folder should be")
    assert read(write_wordnet(tmp_path / "wn")).version == VERSION


def test_location_of_the_cache(monkeypatch):
    monkeypatch.delenv("ALIGNFRAME_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert str(cache_module.cache_folder()) == "/somewhere/alignframe"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_module.cache_folder().parts[-2:] == (".cache", "alignframe")


def test_hash_signatures_reject_most_pairs(wordnet):
    found = synonyms_of("wordnet", wordnet)
    draw = np.random.default_rng(1).integers(0, len(found.lemmas), (2, 10_000))
    apart = found.signatures[draw[0]] & found.signatures[draw[1]] == 0
    assert apart.mean() > 0.9
