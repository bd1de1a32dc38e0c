"""The memory of training: how a limit is kept, and what is not held."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

from alignframe import aligners
from alignframe.aligners import bayes, bidirectional, room
from alignframe.aligners.ibm1 import CUTOFF, spelt
from alignframe.aligners.kept import Kept
from alignframe.aligners.room import Room, needed, room_for
from alignframe.aligners.text import read_text
from alignframe.errors import InputError
from alignframe.kernels.aligners import similar_words
from alignframe.kernels.aligners.slots import make_slots
from alignframe.options.aligners import Bayes
from benchmarks.memory import apart

IN_USE = 300_000_000
SWEEPS = {"samplers": 3, "sweeps": (1, 1, 2)}


@pytest.fixture
def texts(en_fr, monkeypatch):
    """Both directions of a text with large positions, in a process that uses 300 MB."""
    monkeypatch.setattr(room, "resident", lambda: IN_USE)
    monkeypatch.setattr(room, "_KEPT", 10_000)
    text = read_text(en_fr)
    return [text, text.turned()]


def limited(texts, limit, at_once=2):
    return room_for(texts, Bayes(memory_limit=f"{limit // 1000 + 1}KB"), 3, at_once)


def test_files_come_first_then_fewer_samplers_at_once(texts):
    words = [text.tgt.words.size for text in texts]
    ways = [Room(2, False), Room(2, True), Room(1, True)]
    needs = [IN_USE + needed(words, 3, way, stems=True) for way in ways]
    assert needs == sorted(needs, reverse=True)
    assert len(set(needs)) == len(needs)
    assert [limited(texts, need) for need in needs] == ways
    assert room_for(texts, Bayes(), 3, 2) == Room(2, False)
    expected = f"in use; expected at least {needs[-1] // 10**6 + 1}MB"
    with pytest.raises(InputError, match=re.escape(expected)):
        limited(texts, needs[-1] - 2000)


def test_large_texts_are_in_files_without_a_limit(texts, monkeypatch):
    monkeypatch.setattr(room, "MOST_TOGETHER", 100)
    assert room_for(texts, Bayes(), 3, 2) == Room(2, True)
    # Their forms share no counts, so fewer pairs of words are linked.
    words = [text.tgt.words.size for text in texts]
    apart, shared = (needed(words, 3, Room(2, True), stems=stems) for stems in (False, True))
    assert limited(texts, IN_USE + apart) == Room(2, True)
    assert apart < shared


@pytest.mark.parametrize("way", [Room(1, True), Room(2, True), Room(1, False)])
def test_links_are_the_same_however_samplers_run(en_fr, monkeypatch, way):
    usual = aligners.align(en_fr, posterior=True, **SWEEPS)
    monkeypatch.setattr(bayes, "room_for", lambda *_: way)
    assert aligners.align(en_fr, posterior=True, threads=2, **SWEEPS).equals(usual)


def test_fewer_samplers_run_at_once(en_fr, monkeypatch):
    parts = []

    def mapped(call, items, executor):
        items = list(items)
        parts.append(len(items))
        return map(call, items)

    monkeypatch.setattr(bayes, "parallel_map", mapped)
    for way in (Room(2, False), Room(1, False)):
        monkeypatch.setattr(bayes, "room_for", lambda *_, way=way: way)
        aligners.align(en_fr, threads=2, **SWEEPS)
    # The counts that both directions start from, then the samplers.
    assert parts == [2, 3, 2, 1, 1, 1]


def test_what_is_dropped_is_free_again(tmp_path):
    at = np.array([0, 2, 3])
    slots = make_slots(3)
    slots.places[0], slots.weights[0] = 1, 0.5
    for folder in (None, str(tmp_path)):
        kept = Kept(at, folder, "0")
        kept.keep(0, slots)
        assert kept.of(0).weights.sum() == 0.5
        kept.drop(0)
        assert kept.of(0).weights.sum() == 0
    assert not list(Path(tmp_path).iterdir())


@pytest.mark.parametrize("posterior", [False, True])
def test_directions_are_combined_in_pieces(en_fr, monkeypatch, posterior):
    whole = aligners.align(en_fr, model="hmm", posterior=posterior)
    monkeypatch.setattr(bidirectional, "BATCH_ROWS", 7)
    assert aligners.align(en_fr, model="hmm", posterior=posterior).equals(whole)


def test_words_that_are_all_used_are_not_copied(en_fr):
    side = read_text(en_fr).src
    same, numbers = side.of_used_words
    assert same is side
    assert numbers.tolist() == list(range(len(side.vocabulary)))


def test_pairs_of_words_found_again_are_left_out(en_fr, monkeypatch):
    text = read_text(en_fr)
    words = (text.src.at, text.src.words, text.tgt.at, text.tgt.words)
    given = (*words, *spelt(text.src, text.tgt), CUTOFF)
    usual = similar_words.find_opposite(*given)
    monkeypatch.setattr(similar_words, "_REPEATED", 5)
    monkeypatch.setattr(similar_words, "AT_A_TIME", 4)
    often = similar_words.find_opposite.py_func(*given)
    for one, other in zip(usual, often, strict=True):
        assert one.tolist() == other.tolist()


TRAINED = """
import gzip, sys, tempfile, warnings
from itertools import islice
from pathlib import Path
warnings.simplefilter("ignore")
from alignframe.aligners import bayes, bidirectional, room
from alignframe.cli.app import app
from benchmarks.memory import peak_mb
corpora, lines = Path(sys.argv[1]), int(sys.argv[2])
said = []
def told(texts, options, samplers, at_once):
    found = room.room_for(texts, options, samplers, at_once)
    words = [text.tgt.words.size for text in texts]
    said.append(room.resident() + room.needed(words, samplers, found, stems=True))
    return found
bayes.room_for = told
with tempfile.TemporaryDirectory() as folder:
    names = [f"{folder}/{side}" for side in ("en", "fr")]
    for name in names:
        packed = corpora / "europarl-enfr" / f"d200k.{name[-2:]}.gz"
        with gzip.open(packed, "rt", encoding="utf-8") as file:
            Path(name).write_text("".join(islice(file, lines)), "utf-8")
    given = ["--set", "samplers=2", "--set", "sweeps=[1,1,2]", "--threads", "1"]
    app(["align", *names, "-o", f"{folder}/links.talp", *given], standalone_mode=False)
print(said[0] / 2**20, peak_mb())
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_the_estimate_is_what_training_takes(corpora):
    """In a process of its own, once another has compiled the kernels."""
    for lines in (100, 20_000):
        estimate, peak = apart(TRAINED, corpora, lines)
    assert estimate == pytest.approx(peak, rel=0.1)
