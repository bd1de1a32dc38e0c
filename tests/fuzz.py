"""Mutated files over all readers: each is read, or refused with an error of ours; run by hand.

``python tests/fuzz.py 1000000`` reads that many files in two processes, and prints each new raw
error once, and each file that ended its process.
"""

import random
import sys
import traceback
import warnings
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from alignframe import formats, lexicon, links, mt, tesla
from alignframe.errors import AlignframeError

DATA = Path(__file__).parent.parent / "datasets"
AT_ONCE = 500
PIECES = [
    *(b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"\r\n", b"\n", b"\t", b"\n\n", b" ", b'"', b"'"),
    *(b"|||", b"-", b"-1", b"0", b"1", b"65536", b"99999999999999999999", b"nan", b"1e400", b"p"),
    *(b",", b"{", b"}", b"[", b"]", b"<", b">", b"</", b"&amp;", b"&#0;", b"({", b"})", b"S"),
    *(b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", "\u2028".encode(), "é".encode(), b"<s>"),
    *(b"null", b"\x1f\x8b"),
]


def readers(folder):
    """Return readers by name, each with a small file and what reads it."""
    text, links_file = (DATA / "en-fr/text.en").read_bytes()[:600], DATA / "en-fr/gold.talp"
    table = formats.read(links_file).slice(0, 6)
    bead_table = formats.read_beads(DATA / "mill/mill.beads").slice(0, 6)
    pair = formats.read_bitext(DATA / "en-fr/text.en", DATA / "en-fr/text.fr").slice(0, 6)
    words = table.drop_columns(["system"]).append_column("src", pair["src"])
    words = words.append_column("tgt", pair["tgt"])
    found = {}

    def kept(name, read, write):
        path = folder / name
        write(path)
        found[name] = (path.read_bytes(), read)

    def link_file(path):
        links.score({"x": path}, path).scores

    def text_file(path):
        mt.score(path, path).scores

    for name in ("talp", "naacl", "a3", "moses", "tsv", "parquet", "numbered"):
        kept(
            f"links.{name}",
            link_file,
            lambda path, name=name: formats.write(
                words, path, {"talp": "pharaoh", "a3": "giza"}.get(name, name)
            ),
        )
    for name in ("beads", "ladder", "parquet"):
        kept(f"spans.{name}", formats.read_beads, lambda path: formats.write(bead_table, path))
    sides = [f"<tuv xml:lang='{one}'><seg>a {one}</seg></tuv>" for one in ("en", "fr")]
    body = f"<header srclang='en'/><body>{f'<tu>{sides[0]}{sides[1]}</tu>' * 3}</body>"
    tmx = f"<?xml version='1.0'?><tmx version='1.4'>{body}</tmx>"
    kept("memory.tmx", formats.read_tmx, lambda path: path.write_text(tmx))
    group = "<link xtargets='s1;s1 s2'/><link xtargets='s2;s3'/>"
    group = f"<linkGrp fromDoc='a' toDoc='b'>{group}</linkGrp>"
    ces = f"<?xml version='1.0'?><cesAlign version='1.0'>{group}</cesAlign>"
    kept("ces.xml", formats.read_beads, lambda path: path.write_text(ces))
    rows = pl.DataFrame({"sid": range(6), "text": text.decode().splitlines()[:6]})
    kept("text.txt", text_file, lambda path: path.write_bytes(text))
    kept("text.csv", text_file, rows.write_csv)
    kept("text.tsv", text_file, lambda path: rows.write_csv(path, separator="\t"))
    kept("text.jsonl", text_file, rows.write_ndjson)
    kept("text.parquet", text_file, rows.write_parquet)
    entries = pl.DataFrame({"src": ["a", "a", "b"], "tgt": ["c", "d", "c"], "rank": [1, 2, 1]})
    bitext = (["a b", "b"], ["c d", "c"])
    score = lambda path: lexicon.score(path, bitext, 2).scores  # noqa: E731
    kept("lexicon.csv", score, entries.write_csv)
    kept("lexicon.parquet", score, entries.write_parquet)
    kept("list.txt", lexicon.as_lexicon, lambda path: path.write_text("a\tb\nc\td\n"))
    kept("pair.txt", formats.read_bitext, lambda path: path.write_text("a b ||| c\nd ||| e f\n"))
    n_best = "0 ||| le chat ||| lm: -1.5 d: 0 ||| -3.2\n0 ||| la ||| lm: -2 d: 1 ||| -4\n"
    kept("n_best.txt", mt.read_n_best, lambda path: path.write_text(n_best))
    phrases = "".join(f"{one} ||| c ||| 1 1 1 1 ||| 0-0 ||| 1 1 1\n" for one in "ab")
    kept("phrases.txt", mt.phrase_table, lambda path: path.write_text(phrases))
    arpa = "\\data\\\nngram 1=3\n\n\\1-grams:\n-1 <s> 0\n-1 </s>\n-1 a -0.3\n\n\\end\\\n"
    kept("model.arpa", tesla.read_language_model, lambda path: path.write_text(arpa))
    conllu = "1\tA\ta\tDET\tDT\t_\t0\troot\t_\t_\n2\tb\tb\tNOUN\tNN\t_\t1\tdep\t_\t_\n\n"
    kept("tagged.conllu", formats.read_tagged, lambda path: path.write_text(conllu))
    kept("tagged.txt", formats.read_tagged, lambda path: path.write_text("a|DT b|NN\nc|NN\n"))
    rankings = (DATA / "island/rankings.csv").read_bytes()[:500]
    kept("rankings.csv", tesla.read_rankings, lambda path: path.write_bytes(rankings))
    return found


def mutated(data, random_, others):
    """Return bytes with one to four changes."""
    data = bytearray(data)
    for _ in range(random_.choice((1, 1, 2, 4))):
        at = random_.randrange(len(data) + 1)
        kind = random_.randrange(6)
        if kind == 0 and data:
            data[at % len(data)] = random_.randrange(256)
        elif kind == 1:
            data[at:at] = random_.choice(PIECES)
        elif kind == 2:
            del data[at : at + random_.choice((1, 2, 5, 40))]
        elif kind == 3:
            end = min(len(data), at + random_.choice((3, 20, 100)))
            data[at:at] = data[at:end]
        elif kind == 4:
            other = random_.choice(others)
            start = random_.randrange(len(other))
            data[at:at] = other[start : start + 30]
        else:
            del data[at:]
    return bytes(data)


def rounds(seed):
    """Read ``AT_ONCE`` mutated files; return raw errors by where they arose, with their files."""
    warnings.simplefilter("ignore")
    random_ = random.Random(seed)
    wrong = {}
    with TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as name:
        folder = Path(name)
        every = readers(folder)
        others = [data for data, _ in every.values()]
        for _ in range(AT_ONCE):
            kind, (data, read) = random_.choice(sorted(every.items(), key=lambda one: one[0]))
            path = folder / kind
            path.write_bytes(changed := mutated(data, random_, others))
            try:
                read(path)
            except AlignframeError:
                pass
            except (KeyboardInterrupt, SystemExit):
                raise
            except BaseException as error:  # noqa: BLE001 - Rust's panics are no Exception
                last = traceback.extract_tb(error.__traceback__)[-1]
                place = f"{kind} {type(error).__name__} {Path(last.filename).name}:{last.lineno}"
                wrong.setdefault(place, (str(error)[:150], changed[:300]))
    return wrong


def main(number):
    """Print what goes wrong in that many files."""
    seen, done, ended = {}, 0, 0
    seeds = list(range(-(-number // AT_ONCE)))
    while seeds:
        with ProcessPoolExecutor(2, max_tasks_per_child=50) as pool:
            futures = {seed: pool.submit(rounds, seed) for seed in seeds}
            for seed, future in futures.items():
                try:
                    found = future.result()
                except BrokenProcessPool:
                    ended += 1
                    print(f"a process ended in round {seed}", flush=True)
                    seeds.remove(seed)
                    break
                seeds.remove(seed)
                done += AT_ONCE
                for place, said in found.items():
                    if place not in seen:
                        seen[place] = said
                        print(f"{seed}: {place}: {said[0]}\n   {said[1]!r}", flush=True)
    print(f"{done:,} files read, {len(seen)} places with raw errors, {ended} processes ended")


if __name__ == "__main__":
    main(int(sys.argv[1]))
