"""Memory limits are kept and do not change results; parsing of sizes."""

import json
import re
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers import lexicon as lexicon

from alignframe.errors import InputError
from alignframe.lexicon import memory_budget as room
from alignframe.lexicon.memory_budget import Room
from datasets.synthetic import write_text

# The assumed memory of a word is raised, since a text that does not fit into the smallest limit
# would take long.
PROGRAM = """
import json, sys
from pathlib import Path
import pyarrow as pa
import pyarrow.parquet as pq
from alignframe import lexicon
from alignframe.lexicon import memory_budget as room

module = sys.modules["alignframe.lexicon.induce"]
text, out = sys.argv[1:]
parts = []
room._BYTES = 800
spill = module.induce_spilling
module.induce_spilling = lambda *a, **given: parts.append(a[3].left) or spill(*a, **given)
least = room.resident() + room._reserve() + room._LEAST
limit = f"{least // 10**6 + 5}MB"  # the process may take some more before it looks again
pq.write_table(pa.table(lexicon.induce(text, n_best=3, memory_limit=limit)), out)
status = Path("/proc/self/status").read_text().splitlines()
peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) * 1024
print(json.dumps({"peak": peak, "limit": room.bytes_of(limit), "parts": parts}))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_limit_is_kept_and_changes_nothing(tmp_path):
    write_text(tmp_path, 15_000)
    text = tmp_path / "text.parquet"
    command = [sys.executable, "-c", PROGRAM, text, tmp_path / "limited.parquet"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    limited, free = pq.read_table(tmp_path / "limited.parquet"), lexicon.induce(text, n_best=3)
    assert limited.equals(free)
    assert limited.num_rows > 80_000
    assert limited.schema.metadata == free.schema.metadata
    assert len(found["parts"]) == 1
    assert found["peak"] < found["limit"]


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("2GB", 2 * 10**9),
        (" 1.5 gb ", 1_500_000_000),
        ("512MiB", 512 * 2**20),
        ("100kb", 100_000),
        ("1KiB", 1024),
        ("1tb", 10**12),
        ("0.5TiB", 2**39),
        ("3GiB", 3 * 2**30),
        ("007MB", 7 * 10**6),
    ],
)
def test_sizes(text, size):
    assert room.bytes_of(text) == size


BAD = ["", "2", "GB", "2 G", "-1GB", "1,5GB", "2GBs", "lots", "1e3MB", ".5GB", "2 GB 3", "٢GB"]


@pytest.mark.parametrize("text", [*BAD, 2 * 10**9])
def test_invalid_sizes(text):
    message = r"`memory_limit` is .*; expected a size such as 2GB"
    with pytest.raises(InputError, match=message) as error:
        room.bytes_of(text)
    assert repr(text) in str(error.value)
    with pytest.raises(InputError, match=message):
        lexicon.induce(pa.table({"src": [["a"]], "tgt": [["b"]]}), memory_limit=text)


def test_remaining_memory(monkeypatch):
    monkeypatch.setattr(room, "resident", lambda: 300_000_000)
    assert Room("2GB").left == 2 * 10**9 - 300_000_000 - room._reserve()
    least = 300_000_000 + room._reserve() + room._LEAST
    assert Room(f"{least // 1000}KB").left == room._LEAST
    with pytest.raises(InputError, match=r"^`memory_limit` is ") as error:
        Room(f"{least // 1000 - 1}KB")
    said = str(error.value)
    assert "300 MB of which are in use; expected at least " in said
    # The requested size is enough.
    assert Room(said.rpartition(" ")[2]).left >= room._LEAST


def test_libraries_not_loaded_yet_take_memory(monkeypatch):
    lexicon.induce(pa.table({"src": [["a"]], "tgt": [["b"]]}))
    monkeypatch.setitem(sys.modules, "duckdb", sys)
    loaded = room._reserve()
    monkeypatch.delitem(sys.modules, "duckdb")
    assert room._reserve() == loaded + 60_000_000


def test_texts_that_fit(monkeypatch):
    monkeypatch.setattr(room, "resident", lambda: 0)
    narrow = Room("1GB")
    for filtered, each in ((False, 24), (True, 32)):
        tokens = (narrow.left - 150 * 1000 - 90 * 2000) // each
        assert narrow.holds(tokens, 1000, 2000, filtered=filtered)
        assert not narrow.holds(tokens + 1, 1000, 2000, filtered=filtered)
        assert not narrow.holds(tokens, 1001, 2000, filtered=filtered)
        assert not narrow.holds(tokens, 1000, 2001, filtered=filtered)
    assert narrow.for_grouping + narrow.tokens_at_once * 32 < narrow.left


def test_words_and_rows_beyond_the_limit(monkeypatch):
    monkeypatch.setattr(room, "resident", lambda: 0)
    narrow = Room("1GB")
    words = narrow.left * 2 // 5 // 150
    narrow.check_words(words)
    narrow.check_rows(0, narrow.left * 3 // 5 // 90)
    for call, what in (
        (lambda: narrow.check_words(words + 1), f"the {words + 1:,} words of the text"),
        (lambda: narrow.check_rows(words, words * 2), f"a lexicon of {2 * words:,} rows"),
    ):
        with pytest.raises(InputError, match=r"^`memory_limit` is 1GB, too low for ") as error:
            call()
        assert what in str(error.value)
        assert re.search(r"expected about [\d,]+ MB; raise it", str(error.value))
    wide = Room("9GB")
    wide.check_words(words + 1)
    wide.check_rows(words, words * 2)


def test_many_words_are_refused_while_they_are_read(monkeypatch):
    monkeypatch.setattr(room, "resident", lambda: 0)
    monkeypatch.setattr(room, "_BYTES_A_WORD", 2 * 10**8)
    text = pa.table({"src": [["a", "b", "c"]] * 3, "tgt": [["x", "y", "z"]] * 3})
    with pytest.raises(InputError, match="too low for the 6 words"):
        lexicon.induce(text, memory_limit="1GB")
    monkeypatch.setattr(room, "_BYTES_A_WORD", 150)
    monkeypatch.setattr(room, "_BYTES_A_ROW", 10**8)
    with pytest.raises(InputError, match=r"too low for 6 words .*9 rows"):
        lexicon.induce(text, n_best=3, memory_limit="1GB")


HELD = """
from alignframe.lexicon import memory_budget as room
before = room.resident()
held = bytearray(b"x" * 80_000_000)
print(before, room.resident() - before, len(held))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_memory_in_use():
    """In a separate process that has done nothing else."""
    done = subprocess.run([sys.executable, "-c", HELD], capture_output=True, text=True, check=True)
    before, more, held = map(int, done.stdout.split())
    assert before > 10_000_000
    assert held <= more < held + 20_000_000


def test_the_limit_is_read_before_the_text():
    with pytest.raises(InputError, match=r"1MB, .* MB .*in use"):
        lexicon.induce("missing.parquet", memory_limit="1MB")
