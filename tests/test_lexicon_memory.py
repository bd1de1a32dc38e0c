"""Memory: a limit holds and changes nothing; sizes as texts."""

import json
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from alignframe import lexicon
from alignframe.errors import InputError
from alignframe.lexicon import room
from datasets.synthetic import write_text

# What a word of the text is thought to take is raised, for else a text that does not fit in the
# least limit there can be would take long.
PROGRAM = """
import json, sys
from pathlib import Path
import pyarrow.parquet as pq
from alignframe import lexicon
from alignframe.lexicon import room

module = sys.modules["alignframe.lexicon.induce"]
text, out, limited = sys.argv[1], sys.argv[2], sys.argv[3] == "limited"
limit, parts = None, []
if limited:
    module._BYTES = 400
    spill = module.induce_spilling
    module.induce_spilling = lambda *a, **given: parts.append(given["part"]) or spill(*a, **given)
    least = room._resident() + room._COMPILED + room._LEAST
    limit = f"{least // 10**6 + 1}MB"
found = lexicon.induce(text, 3, memory_limit=limit)
pq.write_table(found, out)
status = Path("/proc/self/status").read_text().splitlines()
peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) * 1024
print(json.dumps({"peak": peak, "limit": limit and room.bytes_of(limit), "parts": parts}))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_limit_holds_and_changes_nothing(tmp_path):
    write_text(tmp_path, 60_000)
    text = tmp_path / "text.parquet"
    found = {}
    for name in ("limited", "free"):
        command = [sys.executable, "-c", PROGRAM, text, tmp_path / f"{name}.parquet", name]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
        found[name] = json.loads(done.stdout)
    tables = [pq.read_table(tmp_path / f"{name}.parquet") for name in found]
    assert tables[0].equals(tables[1])
    assert tables[0].num_rows > 100_000
    assert tables[0].schema.metadata == tables[1].schema.metadata
    assert len(found["limited"]["parts"]) == 1
    assert not found["free"]["parts"]
    assert found["limited"]["peak"] < found["limited"]["limit"]


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
def test_what_is_no_size(text):
    message = r"the memory limit .*; expected such as 2GB"
    with pytest.raises(InputError, match=message) as error:
        room.bytes_of(text)
    assert repr(text) in str(error.value)
    with pytest.raises(InputError, match=message):
        lexicon.induce(pa.table({"src": [["a"]], "tgt": [["b"]]}), memory_limit=text)


def test_what_is_left(monkeypatch):
    monkeypatch.setattr(room, "_resident", lambda: 300_000_000)
    assert room.bytes_left("1GB") == 10**9 - 300_000_000 - room._COMPILED
    least = 300_000_000 + room._COMPILED + room._LEAST
    assert room.bytes_left(f"{least // 1000}KB") == room._LEAST
    with pytest.raises(InputError, match="the memory limit") as error:
        room.bytes_left(f"{least // 1000 - 1}KB")
    said = str(error.value)
    assert "300 MB of which are in use; expected at least " in said
    # What is asked for will do.
    assert room.bytes_left(said.rpartition(" ")[2]) >= room._LEAST


def test_memory_in_use():
    assert 50_000_000 < room._resident() < 50_000_000_000
    held = bytearray(b"x" * 80_000_000)
    before = room._resident()
    assert len(held) == 80_000_000
    del held
    assert room._resident() < before - 60_000_000


def test_the_limit_is_read_before_the_text():
    with pytest.raises(InputError, match=r"the memory limit 1MB, .* MB of which are in use"):
        lexicon.induce("missing.parquet", memory_limit="1MB")
