"""Mutated files over all readers: each is read, or refused with an error of ours; run by hand.

``python tests/fuzz.py 1000000`` reads that many files in two processes, and prints each new raw
error once, and each file that ended its process. With ``recent`` after it, it reads only those of
``recent``.
"""

import bz2
import gzip
import random
import signal
import sys
import traceback
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import fields
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from alignframe import formats, lexicon, links, mt, tesla
from alignframe.cli.convert import Conversion, convert
from alignframe.engines.session import connect, make_views
from alignframe.errors import AlignframeError, DataWarning
from alignframe.formats.pairs_table import is_pairs
from alignframe.sources.words import lexicon_table

DATA = Path(__file__).parent.parent / "datasets"
AT_ONCE = 500
PIECES = [
    *(b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"\r\n", b"\n", b"\t", b"\n\n", b" ", b'"', b"'"),
    *(b"|||", b"-", b"-1", b"0", b"1", b"65536", b"99999999999999999999", b"nan", b"1e400", b"p"),
    *(b",", b"{", b"}", b"[", b"]", b"<", b">", b"</", b"&amp;", b"&#0;", b"({", b"})", b"S"),
    *(b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", "\u2028".encode(), "é".encode(), b"<s>"),
    *(b"null", b"\x1f\x8b", b"9" * 5000, b"1" * 60, b" " * 3000, b"1 " * 2000, b"1," * 2000),
    *(b"1.", b":", b";", b"/", b"@", b"~~~", b"<=>", b"()", b"[", b"NULL", b"#", b"\\v 1", b"->"),
]
SECONDS = 10
"""How long a small file may take; the first call of a kernel is not counted."""
ENCODINGS = ("utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "latin-1", "utf-32", "shift_jis")


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
        found[name] = (path.read_bytes(), (read,))

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


TEXTS = {
    "t.conllu": "# text = a\n1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n1\ta\ta\tX\tX\t_\t0\troot\t_\t_\n\n",
    "t.srt": "1\n00:00:01,000 --> 00:00:02,000\nOne.\n\n2\n00:00:03,000 --> 00:00:05,000\nTwo.\n",
    "t.vtt": "WEBVTT - a\nKind: captions\n\nfirst\n00:01.000 --> 00:02.000 align:start\nOne.\n",
    "t.sbv": "0:00:01.000,0:00:02.000\nOne.\n\n0:00:03.000,0:00:05.000\nTwo.\n",
    "t.ass": "[Script Info]\nTitle: x\n\n[Events]\nFormat: Layer, Text\nDialogue: 0,0:00:01.00,a\n",
    "t.sub": "{10}{50}One.|More.\n{60}{90}Two.\n",
    "t.mpl": "[10][50]One.|More.\n[60][90]Two.\n",
    "t.usfm": "\\id MAT\n\\c 1\n\\p\n\\v 1 One.\n\\v 2 Two.\n",
    "t.po": '# a\n\nmsgid ""\nmsgstr ""\n"Language: de\\n"\n\nmsgid "One."\nmsgstr "Eins."\n',
    "t.ep": '<CHAPTER ID=1>\nOne.\n<SPEAKER ID=1 NAME="A">\n<P>\nTwo.\n',
    "t.sgm": "<doc docid='1'>\n<seg id='1'>One &amp; more.</seg>\n<seg id='2'>Two.</seg>\n</doc>\n",
    "t.vert": '<doc id="1">\n<s>\nOne\tCD\tone\n.\t.\t.\n</s>\n</doc>\n',
    "t.ner": "One\tCD\tB-X\n.\t.\tO\n\nTwo\tCD\tO\n",
    "t.ids": "1\tOne .\n2\tTwo .\n\n4\tThree .\n",
    "t.verses": "MAT 1:1\tOne .\nMAT 1:2\tTwo .\n1 Samuel 3:16\tThree .\n",
    "t.marks": "One .\n<range>\nTwo .\n<P id=1>\n .EOA\nThree .\n",
    "t.srcset": "<srcset setid='a'>\n<doc>\n<seg id='1'>One</seg>\n</doc>\n</srcset>\n",
    "s.csv": 'sid,text\n1,"Two ""a"" ."\n0,One .\n',
    "s.tsv": 'text\tsid\nTwo .\t4\n""\t2\n',
    "s.jsonl": '{"sid": 1, "text": "Two ."}\n{"sid": 0, "text": "One ."}\n',
}
COLUMNS = {
    "c.tsv": "The boat\tLe bateau\nA dog\tUn chien\n",
    "c.txt": "The boat .\tLe bateau .\t0.9\nA dog .\tUn chien .\t0.8\n",
    "c.csv": 'en,fr,score\n"The boat, it",Le bateau,1\nA dog,Un chien,2\n',
    "d.csv": "src,tgt,domain,score\nOne.,Un.,law,0.5\nTwo.,Deux.,,1\n",
    "d.jsonl": '{"src": "One.", "tgt": "Un.", "id": 1}\n{"src": "Two.", "tgt": "Deux.", "id": 2}\n',
    "t.jsonl": '{"id": 1, "translation": {"en": "One .", "fr": "Un ."}}\n',
    "x.xliff": "<xliff version='1.2'><file source-language='en' target-language='fr'><body>"
    "<trans-unit id='1'><source>One <g id='1'>a</g><x id='2'/>.</source><target>Un.</target>"
    "<note>n</note></trans-unit></body></file></xliff>",
    "x.xlf": "<xliff version='2.0' srcLang='en' trgLang='de'><file><unit id='1'><segment>"
    "<source>One <pc id='1'>a</pc>.</source><target>Ein.</target></segment></unit></file></xliff>",
    "d.tmx": "<?xml version='1.0'?><tmx version='1.4'><header srclang='en'><note>n</note></header>"
    "<body><tu tuid='1'><prop type='x'>y</prop><tuv xml:lang='en'><seg>One <bpt i='1'/>&lt;.</seg>"
    "</tuv><tuv xml:lang='fr'><seg>Un.</seg></tuv></tu></body></tmx>",
}
LINKS = {
    "scores": "0-0:.9 1-1:.2\n0-0:0.9\n",
    "slashes": "0-0/0.99 1-1/4.5e-1\n0-0/1\n",
    "numbers": "7\t0-0:.9 1-1:.2\n8\t0-0:0.9\n",
    "two": "0-0:0.91:0.88 1-1:0.75:0.5\n",
    "sums": "0-0 1-1 ||| -3.5\n1-0 ||| -2\n",
    "types": "1 0:0:sure 1:1:possible\n2 0:0:sure\n",
    "slash": "1:1/1 2:2/0\n1:1/1\n",
    "long.csv": "sid,i,j,p\n1,0,0,0.9\n0,1,1,0.2\n0,0,0,0.9\n",
    "long.tsv": "sid\ti\tj\tsure\n1\t0\t0\ttrue\n0\t1\t1\tfalse\n",
    "row.jsonl": '{"sid": 0, "links": "0-0:0.9 1-1:0.2"}\n{"sid": 1, "links": "0-0:1"}\n',
    "text.csv": 'sid,links,src,tgt\n0,"0-0 1p1",a b,c d\n1,0-0:0.9,a,c\n',
    "pairs.jsonl": '{"sid": 0, "links": [[0, 0], [1, 2, 0]]}\n{"sid": 1, "links": []}\n',
    "text.tsv": "links\tsid\n0-0S 1-1-P\t0\n\t1\n",
    "gale": "1-1(SEM) 2,3-2(GIS) 4-(NTR)\n",
    "soft": "0.9,0.1,0 0.1,0.8,0.1 0,0,1\n",
    "n_best": "0 ||| a test ||| LM0= -1 ||| -0.5 ||| 0-0 1-1\n",
    "python": "[(0, 0), (1, 1)]\n",
}
BEADS = {
    "a.beads": "[0]:[0]:0.5\n    SRC: One.\n[1, 2]:[1]:1\n[]:[2]:0\n",
    "b.beads": "alignment: 0 - 0\nalignment: 1,2 - 1\n",
    "c.beads": "0 <=> 0\n1,2 <=> 1\nomitted <=> 2\n",
    "d.beads": "[([0], [0]), ([1, 2], [1])]\n",
    "e.ladder": "0\t0\t0.3\n1\t1\t0.5\n3\t2\n",
    "f.ladder": "One ~~~ More\tUn\t0.27\nTwo\tDeux\t0\n",
    "g.ids": "en/1.xml.gz\tfr/1.xml.gz\t1\t1\nen/1.xml.gz\tfr/1.xml.gz\ts2 s3\t2\t0.5\n",
    "h.xml": "<?xml version='1.0'?><linkGrp toDoc='b' fromDoc='a'><link type='1-2' "
    "xtargets='1:1;1:1 1:2'/><link type='1-1' xtargets='1:2;1:3'/></linkGrp>",
}
LISTS = {
    "muse.txt": "boat bateau\nboat navire\ndog chien\n",
    "hun.dic": "bateau @ boat\nnavire @ boat\nchien @ dog\n",
    "lex.f2e": "navire boat 0.2\nNULL boat 0.1\nbateau boat 0.7\nchien dog 1\n",
    "lex.e2f": "boat bateau 0.1\nboat navire 0.9\ndog chien 1\nNULL chien 0.1\n",
    "eflomal.priors": "HMMF\t1\t5\nLEX\tboat\tnavire\t2\nLEX\tboat\tbateau\t6\nFERF\tboat\t1\t4\n",
    "table.txt": "src\ttgt\trank\nboat\tbateau\t1\nboat\tnavire\t2\n",
}
RANKS = {
    "wide.csv": "srclang,trglang,srcIndex,segmentId,judgeId,system1Id,system1rank,system2Id,"
    "system2rank\nfra,eng,1,1,a,A,1,B,2\nfra,eng,2,2,b,B,-1,A,1\n",
    "long.csv": "ranking,sid,system,rank\n1,0,A,1\n1,0,B,2\n",
    "scores.tsv": "system mqm_avg_score seg_id\nA -5.6 1\nB -7.1 1\n",
    "x.seg.score": "A\t-5.6\nB\tNone\n",
    "daRR.csv": "LP DATA SID BETTER WORSE\nfr-en nt18 1 A B\n",
}


def recent(folder):
    """Return readers of the kinds of text, columns, links, beads and word lists of other tools."""
    (beside := folder / "beside").write_text("1\tUn .\n2\tDeux .\n")
    options = {field.name: None for field in fields(Conversion)} | {"encoding": "utf-8"}

    def converted(name):
        def read(path):
            options.update(source=[str(path)], target=str(folder / name))
            list(convert(Conversion(**options)))

        return read

    def again(path):
        is_pairs(path)
        table = formats.read_pairs(path)
        formats.write_pairs(table, folder / "out.tmx", ("en", "fr"))
        if "tmx_unit" in table.column_names:
            texts = [f"{text}\0x" for text in table["src"].to_pylist()]
            table = table.set_column(table.schema.get_field_index("src"), "src", [texts])
            formats.write_units(table, folder / "out.tmx", ("en", "fr"))

    def units(path):
        formats.write_units(formats.read_units(path), folder / "out.tmx", ("en", "fr"))

    connection = connect()

    def view(path):
        make_views(connection, {"t": path})
        connection.sql("from t").fetchall()

    both = (converted("o.parquet"), converted("o.beads"), converted("o.tmx"), converted("o.csv"))
    texts = (formats.read_sentences, formats.read_tokens, formats.read_bitext)
    texts += (lambda path: formats.read_bitext(path, beside), lambda path: mt.score(path, beside))
    texts += (view, lambda path: formats.read_bitext(path, path))
    texts += (lambda path: formats.read_parallel(beside, path, whole=True), formats.read_tagged)
    texts += tuple(
        lambda path, encoding=encoding: formats.read_sentences(path, encoding)
        for encoding in ("utf-16", "utf-16-le", "latin-1")
    )
    columns = (formats.read_parallel, lambda path: formats.read_bitext(path, columns="2,1"))
    columns += (lambda path: formats.read_parallel(path, columns="en,fr"), formats.read_bitext)
    scored = (formats.read, lambda path: formats.read(path, min_probability=0.5))
    scored += (lambda path: links.score({"x": path}, path).scores, view)
    scored += (lambda path: formats.read(path, order="tgt-src"),)
    scored += (lambda path: formats.read(path, base=1), lambda path: formats.read(path, base=0))
    beads = (formats.read_beads, lambda path: formats.read_beads(path, base=1))
    beads += (lambda path: formats.read_beads(path, "ladder"),)
    words = (formats.read_word_list, lambda path: lexicon_table(path, "the lexicon"))
    words += tuple(
        lambda path, form=form: formats.read_word_list(path, form)
        for form in ("tsv", "muse", "hunalign", "eflomal")
    )
    kinds = {
        "text": (TEXTS, texts),
        "columns": (COLUMNS, (*columns, again, units)),
        "links": (LINKS, scored),
        "beads": (BEADS, beads),
        "words": (LISTS, words),
        "ranks": (RANKS, (tesla.read_rankings,)),
    }
    return {
        f"{kind}.{name}": (text.encode(), (*reads, *both) if kind != "ranks" else reads)
        for kind, (seeds, reads) in kinds.items()
        for name, text in seeds.items()
    }


def mutated(data, random_, others):
    """Return bytes with one to four changes."""
    data = bytearray(data)
    for _ in range(random_.choice((1, 1, 2, 4))):
        at = random_.randrange(len(data) + 1)
        kind = random_.randrange(8)
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
        elif kind == 5:
            del data[at:]
        elif kind == 6:
            lines = data.splitlines(keepends=True)
            line = random_.choice(lines or [b""])
            start = random_.randrange(len(lines) + 1)
            many = min(2000, 100_000 // (len(line) + 1))
            lines[start : start + random_.choice((0, 1))] = [line] * random_.choice((0, 1, 2, many))
            data = bytearray(b"".join(lines))
        else:
            one, other = random_.sample((b"\t", b",", b" ", b"\n", b"\r\n", b"\r", b"-", b":"), 2)
            data = data.replace(one, other)
    last = random_.randrange(20)
    if last == 0:
        encoding = random_.choice(ENCODINGS)
        return data.decode(errors="replace").encode(encoding, "replace")
    if last == 1:
        return random_.choice((gzip.compress, bz2.compress))(data)[: random_.choice((None, -5))]
    return bytes(data)


def _too_long(*_):
    raise TimeoutError(f"more than {SECONDS} seconds")


def rounds(seed, only_recent=False):
    """Read ``AT_ONCE`` mutated files; return raw errors by where they arose, with their files.

    And the number of files by kind. A warning that is not a ``DataWarning`` is an error.
    """
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", DataWarning)
    signal.signal(signal.SIGALRM, _too_long)
    random_ = random.Random(seed)
    wrong, numbers = {}, Counter()
    with TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as name:
        folder = Path(name)
        every = recent(folder) | ({} if only_recent else readers(folder))
        others = [data for data, _ in every.values()]
        anyone = [read for _, reads in every.values() for read in reads]
        for _ in range(AT_ONCE):
            kind, (data, reads) = random_.choice(sorted(every.items(), key=lambda one: one[0]))
            path = folder / kind
            path.write_bytes(changed := mutated(data, random_, others))
            numbers[kind] += 1
            try:
                signal.setitimer(signal.ITIMER_REAL, SECONDS)
                random_.choice(reads if random_.random() < 0.85 else anyone)(path)
            except AlignframeError:
                pass
            except (KeyboardInterrupt, SystemExit):
                raise
            except BaseException as error:  # noqa: BLE001 - Rust's panics are no Exception
                frames = traceback.extract_tb(error.__traceback__)
                last = next(
                    (one for one in frames[::-1] if "alignframe/" in one.filename), frames[-1]
                )
                place = f"{kind} {type(error).__name__} {Path(last.filename).name}:{last.lineno}"
                wrong.setdefault(place, (str(error)[:150], changed[:300]))
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
    return wrong, numbers


def main(number, only_recent=False):
    """Print what goes wrong in that many files."""
    seen, numbers, ended = {}, Counter(), 0
    seeds = list(range(-(-number // AT_ONCE)))
    while seeds:
        # New processes for each hundred free memory; a pool that ends its own may wait forever.
        with ProcessPoolExecutor(2) as pool:
            futures = {seed: pool.submit(rounds, seed, only_recent) for seed in seeds[:100]}
            for seed, future in futures.items():
                try:
                    found, read = future.result()
                except BrokenProcessPool:
                    ended += 1
                    print(f"a process ended in round {seed}", flush=True)
                    seeds.remove(seed)
                    break
                seeds.remove(seed)
                numbers += read
                for place, said in found.items():
                    if place not in seen:
                        seen[place] = said
                        print(f"{seed}: {place}: {said[0]}\n   {said[1]!r}", flush=True)
    print(", ".join(f"{kind} {count:,}" for kind, count in sorted(numbers.items())))
    total = f"{numbers.total():,} files read"
    print(f"{total}, {len(seen)} places with raw errors, {ended} processes ended")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:] == ["recent"])
